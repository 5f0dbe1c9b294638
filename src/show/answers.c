#include "show/answers.h"

#include <math.h>

#include "answer/figures.h"
#include "show/candidates.h"

#define LAYERS_READ 3 /* by the third it is clear how a plan reads */
#define ROWS_LEAST  3
#define ROWS_USUAL  6 /* five plans and the default call */

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

/* " (Ring, Simple; NCCL 2.28.9)": what the default call runs. */
static void append_choice(struct hs_text *out, const struct hs_default_call *usual)
{
    hs_text_append(out, " (%s", usual->choice);
    if (usual->version)
        hs_text_append(out, "; %s %s", usual->name, usual->version);
    hs_text_append(out, ")");
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
        append_choice(out, answer->usual);
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
            append_choice(out, answer->usual);
    } else if (!keeps(of) && verdict->gain >= 1) {
        hs_text_append(out, ", %s faster than ", HS_AS_GAIN(verdict->gain));
        hs_answer_append_reference(out, of);
        hs_text_append(out, ", %s", HS_AS_TIME(reference));
        if (answer->usual)
            append_choice(out, answer->usual);
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
    for (int i = 1; i < plan->split.count && i < LAYERS_READ; i++)
        hs_text_append(out, ", %s across %lld such groups", outward ? "then" : "and",
                       (long long)plan->split.sizes[i]);
    if (plan->split.count > LAYERS_READ)
        hs_text_append(out, ", and so on");
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
        hs_text_append(out, "No plan is %d %% faster: %s%s faster by less.", answer->usual ? 3 : 1,
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
                       "It would be faster in %s %lld simulated samples, but the evidence is too "
                       "thin to say so.",
                       HS_AS_SHARE(verdict->share), (long long)answer->samples);
    else
        hs_text_append(out,
                       "It is faster in %s %lld simulated samples; gain %.3gx to %.3gx (90 %% "
                       "range).",
                       HS_AS_SHARE(verdict->share), (long long)answer->samples, verdict->gain_low,
                       verdict->gain_high);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void say_sentence(struct hs_sheet *sheet, const struct hs_answer_source *of,
                         void (*append)(struct hs_text *, const struct hs_answer_source *),
                         bool stressed)
{
    struct hs_text line = {0};

    append(&line, of);
    hs_sheet_break(sheet, &line);
    if (stressed && !line.failed)
        hs_sheet_stress(sheet, "%s", line.data);
    else if (!line.failed)
        hs_sheet_say(sheet, "%s", line.data);
    hs_sheet_say(sheet, "\n");
    hs_text_release(&line);
}

/* As many rows as there is room for beside `others` lines, that of the default call among them;
 * more where somebody asks for more. */
static void say_table(struct hs_sheet *sheet, const struct hs_answer_source *of, size_t shown,
                      bool details, size_t others)
{
    size_t room = others + ROWS_LEAST < HS_ANSWER_LINES ? HS_ANSWER_LINES - others : ROWS_LEAST;
    struct hs_candidates_source source = {.result = of->result,
                                          .message = of->message,
                                          .ranked = shown,
                                          .ties_once = hs_sheet_is_read(sheet)};
    struct hs_table table;

    if (!details && hs_sheet_is_read(sheet))
        source.limit = shown > ROWS_USUAL || shown <= room ? shown : room - !keeps(of);
    hs_candidates_table(&table, details ? HS_OF_DETAILS : HS_OF_PREDICT, &source);
    hs_sheet_table(sheet, &table);
}

static void say_assumed(struct hs_sheet *sheet, const struct hs_answer *answer)
{
    struct hs_text line = {0};

    for (size_t i = 0; i < answer->assumption_count; i++)
        hs_text_append(&line, "%s%s", i == 0 ? "" : "; ", answer->assumptions[i]);
    if (line.length > 0 && !line.failed)
        hs_sheet_line(sheet, "Assumed: %s.", line.data);
    hs_text_release(&line);
}

static void say_bound(struct hs_sheet *sheet, const struct hs_answer_source *of)
{
    const struct hs_answer *answer = of->message->answer;
    double seconds = of->message->candidates[0].predicted_seconds;

    if (isfinite(answer->bound_seconds) && seconds > 0)
        hs_sheet_line(sheet, "Bound: the links allow %s, by %s; this is %.0f %% of it.",
                      HS_AS_TIME(answer->bound_seconds), answer->bound_by,
                      100 * answer->bound_seconds / seconds);
}

/* How a plan reads, and how it is applied. */
static void say_meaning(struct hs_sheet *sheet, const struct hs_answer_source *of)
{
    struct hs_text meaning = {0};

    hs_answer_append_meaning(&meaning, of);
    if (meaning.length > 0 && !meaning.failed)
        hs_sheet_line(sheet, "%s: %s.%s", HS_AS_PLAN(&of->message->best), meaning.data,
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
        hs_sheet_line(sheet,
                      "Of all plans it is the fastest, or within 1 %% of it, in %s the samples.",
                      HS_AS_SHARE(first->probability_best));
    if (answer->tie_count > 0)
        hs_sheet_line(sheet, "Faster by less than %d %%, and no reason%s: %s%s.",
                      (answer->verdict.advice == HS_ADVICE_DEFAULT) ? 3 : 1,
                      (answer->verdict.advice == HS_ADVICE_DEFAULT) ? " to leave the default"
                                                                    : " for more layers",
                      HS_AS_PLAN(&answer->ties[0]), answer->tie_count > 1 ? " and others" : "");
    if (answer->decides)
        hs_sheet_line(sheet, "What decides: %s.", answer->decides);
}

static void say_tail(struct hs_sheet *sheet, const struct hs_answer_source *of, bool details)
{
    const struct hs_answer *answer = of->message->answer;

    if (details)
        say_details(sheet, of);
    say_meaning(sheet, of);
    if (!answer->usual && answer->no_default && best_plan(of))
        hs_sheet_line(sheet, "Gains are over the flat plan: %s.", answer->no_default);
    hs_sheet_line(sheet, "Evidence: %s.", answer->evidence);
    say_assumed(sheet, answer);
    for (size_t i = 0; i < answer->hint_count && (details || i == 0); i++)
        hs_sheet_line(sheet, "Hint: %s%s%s.", answer->hints[i].text,
                      answer->hints[i].option ? ": add " : "",
                      answer->hints[i].option ? answer->hints[i].option : "");
    for (size_t i = 0; i < answer->next_count && (details || i == 0); i++)
        hs_sheet_say(sheet, "%s%s\n", i == 0 ? "Next: " : "      ", answer->next[i]);
}

void hs_answer_say(struct hs_sheet *sheet, const struct hs_answer_source *of, size_t shown,
                   bool details)
{
    struct hs_sheet tail = *sheet;

    if (hs_result_group(of->result).size == 1) {
        hs_sheet_say(sheet, "\nOne process in each group: there is nothing to communicate.\n");
        return;
    }
    hs_sheet_say(sheet, "\n");
    say_sentence(sheet, of, hs_answer_append_verdict, true);
    say_sentence(sheet, of, hs_answer_append_odds, false);
    hs_sheet_say(sheet, "\n");
    tail.lines = (struct hs_text){0};
    say_tail(&tail, of, details);
    say_table(sheet, of, shown, details,
              hs_sheet_lines(sheet, &sheet->lines) + 1 + hs_sheet_lines(sheet, &tail.lines));
    hs_sheet_say(sheet, "%s", tail.lines.data ? tail.lines.data : "");
    sheet->lines.failed = sheet->lines.failed || tail.lines.failed;
    hs_text_release(&tail.lines);
}
