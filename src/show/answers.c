#include "show/answers.h"

#include <math.h>

#include "answer/figures.h"
#include "show/candidates.h"

#define PLANS_SHOWN 4 /* rows of the table where nobody asks for more */

/* The best plan that is not the default call; NULL: there is none. */
static const struct hs_candidate *best_plan(const struct hs_answer_source *of)
{
    for (size_t i = 0; i < of->message->candidate_count; i++)
        if (!hs_plan_is_default(&of->message->candidates[i].plan))
            return &of->message->candidates[i];
    return NULL;
}

/* Whether the first candidate is what gains are over. */
static bool keeps(const struct hs_answer_source *of)
{
    const struct hs_verdict *verdict = &of->message->answer->verdict;
    const struct hs_plan flat = hs_result_flat(of->result);

    return verdict->advice == HS_ADVICE_DEFAULT ||
           (!of->message->answer->usual && hs_plan_compare(&verdict->plan, &flat) == 0);
}

static void append_range(struct hs_text *out, double low, double high)
{
    if (isfinite(low) && low < high)
        hs_text_append(out, " (90 %% range %s)", HS_AS_RANGE(low, high));
}

void hs_answer_append_reference(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_default_call *usual = of->message->answer->usual;
    const struct hs_plan flat = hs_result_flat(of->result);

    if (usual)
        hs_text_append(out, "%s's default", usual->name);
    else
        hs_text_append(out, "the flat plan %s", HS_AS_PLAN(&flat));
}

void hs_answer_append_title(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_verdict *verdict = &answer->verdict;

    if (verdict->advice == HS_ADVICE_DEFAULT)
        hs_text_append(out, "Keep %s's default",
                       answer->usual ? answer->usual->name : "the library");
    else if (verdict->advice == HS_ADVICE_UNDECIDED)
        hs_text_append(out, "Cannot tell whether %s is faster than ", HS_AS_PLAN(&verdict->plan));
    else if (keeps(of))
        hs_text_append(out, "Use the flat plan, %s", HS_AS_PLAN(&verdict->plan));
    else
        hs_text_append(out, "Use %s", HS_AS_PLAN(&verdict->plan));
    if (verdict->advice == HS_ADVICE_UNDECIDED)
        hs_answer_append_reference(out, of);
}

void hs_answer_append_verdict(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_verdict *verdict = &answer->verdict;
    const struct hs_candidate *first = hs_result_candidate(of->message, &verdict->plan);
    const struct hs_problem problem = hs_result_problem(of->result, of->message);
    bool undecided = verdict->advice == HS_ADVICE_UNDECIDED;
    double reference = answer->usual ? answer->usual->seconds : of->message->flat_seconds;

    hs_answer_append_title(out, of);
    if (!first)
        return;
    if (verdict->advice == HS_ADVICE_DEFAULT && answer->usual)
        hs_text_append(out, " (%s)", answer->usual->choice);
    hs_text_append(out, ": %s%s", undecided ? "expected " : "",
                   HS_AS_TIME(first->predicted_seconds));
    append_range(out, first->predicted_low_seconds, first->predicted_high_seconds);
    if (keeps(of) && problem.group.size > 1) {
        hs_text_append(
            out, ", bus bandwidth %s GB/s",
            HS_AS_GIGABYTES(hs_problem_bus_bandwidth(&problem, first->predicted_seconds)));
    } else if (undecided) {
        hs_text_append(out, " against %s", HS_AS_TIME(reference));
        if (answer->usual)
            hs_text_append(out, " (%s)", answer->usual->choice);
    } else if (!keeps(of) && verdict->gain >= 1) {
        hs_text_append(out, ", %s faster than ", HS_AS_GAIN(verdict->gain));
        hs_answer_append_reference(out, of);
        hs_text_append(out, " (%s%s%s)", answer->usual ? answer->usual->choice : "",
                       answer->usual ? ", " : "", HS_AS_TIME(reference));
    }
    hs_text_append(out, ".");
}

void hs_answer_append_meaning(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_plan *plan = &of->message->best;
    struct hs_problem problem = hs_result_problem(of->result, of->message);
    bool outward = hs_problem_begins_inside(&problem);

    if (plan->split.count < 2)
        return;
    hs_text_append(out, "%samong %lld neighboring processes", outward ? "first " : "",
                   (long long)plan->split.sizes[0]);
    for (int i = 1; i < plan->split.count; i++)
        hs_text_append(out, ", %s across %lld such groups", outward ? "then" : "and",
                       (long long)plan->split.sizes[i]);
}

/* Of a verdict that keeps the reference: the best of the plans that are no better. */
static void append_rival(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_candidate *first = hs_result_candidate(of->message, &answer->verdict.plan),
                              *rival = NULL;

    for (size_t i = 0; i < of->message->candidate_count && !rival; i++)
        if (&of->message->candidates[i] != first)
            rival = &of->message->candidates[i];
    if (answer->tie_count > 0)
        hs_text_append(out, "No plan is %d %% faster: %s%s within that.", answer->usual ? 3 : 1,
                       HS_AS_PLAN(&answer->ties[0]),
                       answer->tie_count > 1 ? " and others are" : " is");
    else if (rival)
        hs_text_append(out, "No plan is faster: the next best, %s, takes %s.",
                       HS_AS_PLAN(&rival->plan), HS_AS_TIME(rival->predicted_seconds));
    else
        hs_text_append(out,
                       of->message->splits > 1 ? "No plan is faster." : "There is no other plan.");
}

void hs_answer_append_odds(struct hs_text *out, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_verdict *verdict = &answer->verdict;

    if (keeps(of))
        append_rival(out, of);
    else if (answer->samples == 0)
        hs_text_append(out, "Times are nominal: how sure that is was not asked.");
    else if (verdict->advice == HS_ADVICE_UNDECIDED && verdict->share >= HS_ADVICE_SHARE)
        hs_text_append(out,
                       "It would be faster in %.0f %% of %lld simulated samples, but that rests "
                       "on %s.",
                       100 * verdict->share, (long long)answer->samples, answer->evidence);
    else
        hs_text_append(out,
                       "It is faster in %.0f %% of %lld simulated samples; gain %.3gx to %.3gx "
                       "(90 %% range).",
                       100 * verdict->share, (long long)answer->samples, verdict->gain_low,
                       verdict->gain_high);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void say_sentence(struct hs_sheet *sheet, const struct hs_answer_source *of,
                         void (*append)(struct hs_text *, const struct hs_answer_source *),
                         bool stressed)
{
    struct hs_text line = {0};

    append(&line, of);
    if (stressed && !line.failed)
        hs_sheet_stress(sheet, "%s", line.data);
    else if (!line.failed)
        hs_sheet_say(sheet, "%s", line.data);
    hs_sheet_say(sheet, "\n");
    hs_text_release(&line);
}

static void say_table(struct hs_sheet *sheet, const struct hs_answer_source *of, size_t shown,
                      bool details)
{
    struct hs_candidates_source source = {.result = of->result,
                                          .message = of->message,
                                          .ranked = shown,
                                          .ties_once = hs_sheet_is_read(sheet)};
    struct hs_table table;

    if (!details && hs_sheet_is_read(sheet))
        source.limit = shown <= PLANS_SHOWN + 1 || shown > 6 ? shown : PLANS_SHOWN;
    hs_candidates_table(&table, details ? HS_OF_DETAILS : HS_OF_PREDICT, &source);
    hs_sheet_table(sheet, &table);
}

static void say_lines(struct hs_sheet *sheet, const char *what, char *const *lines, size_t count,
                      bool apart)
{
    for (size_t i = 0; i < count; i++)
        hs_sheet_say(sheet, "%s%s%s",
                     i == 0  ? what
                     : apart ? "\n      "
                             : "; ",
                     lines[i], i + 1 == count ? (apart ? "\n" : ".\n") : "");
}

static void say_bound(struct hs_sheet *sheet, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    double seconds = of->message->candidates[0].predicted_seconds;

    if (isfinite(answer->bound_seconds) && seconds > 0)
        hs_sheet_say(sheet, "Bound: the links allow %s, by %s; this is %.0f %% of it.\n",
                     HS_AS_TIME(answer->bound_seconds), answer->bound_by,
                     100 * answer->bound_seconds / seconds);
}

/* How a plan reads, and how it is applied. */
static void say_meaning(struct hs_sheet *sheet, const struct hs_answer_source *of)
{
    struct hs_text meaning = {0};

    hs_answer_append_meaning(&meaning, of);
    if (meaning.length > 0 && !meaning.failed)
        hs_sheet_say(sheet, "%s: %s.%s\n", HS_AS_PLAN(&of->message->best), meaning.data,
                     of->message->answer->verdict.advice == HS_ADVICE_PLAN
                         ? " To apply it: -o plan.json, then `hiersearch export plan.json --list`."
                         : "");
    hs_text_release(&meaning);
}

static void say_details(struct hs_sheet *sheet, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_candidate *first = hs_result_candidate(of->message, &answer->verdict.plan);

    say_bound(sheet, of);
    if (first && answer->samples > 0)
        hs_sheet_say(
            sheet,
            "Of all plans it is the fastest, or within 1 %% of it, in %.0f %% of the samples.\n",
            100 * first->probability_best);
    if (answer->tie_count > 0)
        hs_sheet_say(sheet, "Faster by less than %d %%, and no reason%s: %s%s.\n",
                     (answer->verdict.advice == HS_ADVICE_DEFAULT) ? 3 : 1,
                     (answer->verdict.advice == HS_ADVICE_DEFAULT) ? " to leave the default"
                                                                   : " for more layers",
                     HS_AS_PLAN(&answer->ties[0]), answer->tie_count > 1 ? " and others" : "");
    if (answer->decides)
        hs_sheet_say(sheet, "What decides: %s.\n", answer->decides);
}

void hs_answer_say(struct hs_sheet *sheet, const struct hs_answer_source *of, size_t shown,
                   bool details)
{
    const struct hs_answer *answer = of->message->answer;

    if (hs_result_group(of->result).size == 1) {
        hs_sheet_say(sheet, "\nOne process in each group: there is nothing to communicate.\n");
        return;
    }
    hs_sheet_say(sheet, "\n");
    say_sentence(sheet, of, hs_answer_append_verdict, true);
    say_sentence(sheet, of, hs_answer_append_odds, false);
    hs_sheet_say(sheet, "\n");
    say_table(sheet, of, shown, details);
    if (details)
        say_details(sheet, of);
    say_meaning(sheet, of);
    if (!answer->usual && answer->no_default && best_plan(of))
        hs_sheet_say(sheet, "Gains are over the flat plan: %s.\n", answer->no_default);
    hs_sheet_say(sheet, "Evidence: %s.\n", answer->evidence);
    say_lines(sheet, "Assumed: ", answer->assumptions, answer->assumption_count, false);
    for (size_t i = 0; i < answer->hint_count && (details || i == 0); i++)
        hs_sheet_say(sheet, "Hint: %s%s%s.\n", answer->hints[i].text,
                     answer->hints[i].option ? ": add " : "",
                     answer->hints[i].option ? answer->hints[i].option : "");
    say_lines(sheet, "Next: ", answer->next, details ? answer->next_count : answer->next_count > 0,
              true);
}
