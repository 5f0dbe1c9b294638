/* Result files: the answer about one message size. */
#include "record/answer.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/text.h"
#include "base/units.h"
#include "record/result_parts.h"

const char *const hs_advice_names[HS_ADVICE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_ADVICES(HS_ROW)
#undef HS_ROW
};

#define VERDICT(member) HS_AT(struct hs_verdict, member)

static const struct hs_field verdict_rows[] = {
    {"advice", HS_CHOICE, VERDICT(advice), HS_NAMES(hs_advice_names),
     .about = "plan: use the plan; default: keep the library's default call; undecided: cannot "
              "tell, because the gain is not likely enough or rests on a guess."},
    {"plan", HS_CUSTOM, VERDICT(plan), .custom = &hs_plan_custom,
     .about = "The first candidate, which is `best`: of a measured result the fastest plan, also "
              "where the library's default call is faster."},
    {"gain", HS_NUMBER, VERDICT(gain), HS_NOT_NEGATIVE,
     .about = "Expected: the default's time over the plan's; of the flat plan where the default "
              "has no price."},
    {"gain_low", HS_NUMBER, VERDICT(gain_low), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Low end of the 90 % range of that; absent where nothing was sampled, or too little "
              "measured."},
    {"gain_high", HS_NUMBER, VERDICT(gain_high), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Its high end."},
    {"share", HS_NUMBER, VERDICT(share), HS_OPTIONAL, .max = 1,
     .about = "Share of the samples in which the plan is faster than the default; measured, the "
              "probability that it is."},
};

/* A range with its estimate in it. */
static enum hs_status check_verdict(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_verdict *verdict = object;

    if (isnan(verdict->gain_low) != isnan(verdict->gain_high))
        return hs_field_fail(place, "gain_low", err, "expected both ends of the range or none");
    if (isnan(verdict->gain_low) ||
        (verdict->gain_low <= verdict->gain && verdict->gain <= verdict->gain_high))
        return HS_OK;
    return hs_field_fail(place, "gain", err,
                         "expected one between gain_low and gain_high, found %g", verdict->gain);
}

static const struct hs_fields verdict_fields = {
    .name = "verdict", HS_ROWS(verdict_rows, struct hs_verdict), .check = check_verdict};

#define USUAL(member) HS_AT(struct hs_default_call, member)

static const struct hs_field default_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct hs_default_call, name), .min = 1,
     .about = "The library: NCCL, MPICH, Open MPI; measured, its call: MPI_Allreduce."},
    {"version", HS_TEXT, HS_OWNED(struct hs_default_call, version), HS_OPTIONAL, .min = 1,
     .about = "NCCL's, by whose rules it chooses."},
    {"choice", HS_TEXT, HS_OWNED(struct hs_default_call, choice), .min = 1,
     .about = "The algorithm that it chooses, and its protocol where it has some."},
    {"seconds", HS_TIME, USUAL(seconds), .above = true},
    {"low_seconds", HS_TIME, USUAL(low_seconds), .about = "Low end of the 90 % range."},
    {"high_seconds", HS_TIME, USUAL(high_seconds), .about = "Its high end."},
};

static enum hs_status check_default(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_default_call *usual = object;

    if (usual->low_seconds <= usual->seconds && usual->seconds <= usual->high_seconds)
        return HS_OK;
    return hs_field_fail(place, "seconds", err,
                         "expected one between its low and high end, found %g", usual->seconds);
}

static const struct hs_fields default_fields = {
    .name = "default", HS_ROWS(default_rows, struct hs_default_call), .check = check_default};

static const struct hs_field hint_rows[] = {
    {"option", HS_TEXT, HS_OWNED(struct hs_hint, option), HS_OPTIONAL, .min = 1,
     .about = "What to add to the command."},
    {"text", HS_TEXT, HS_OWNED(struct hs_hint, text), .min = 1},
    {"gain", HS_NUMBER, HS_AT(struct hs_hint, gain), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Over the first candidate."},
};
static const struct hs_fields hint_fields = {HS_ROWS(hint_rows, struct hs_hint)};

static const struct hs_field line_rows[] = {{NULL, HS_TEXT, .owned = true, .min = 1}};
static const struct hs_fields line_fields = {HS_ROWS(line_rows, char *)};

static const struct hs_field tie_rows[] = {
    {NULL, HS_CUSTOM, .size = sizeof(struct hs_plan), .custom = &hs_plan_custom},
};
static const struct hs_fields tie_fields = {HS_ROWS(tie_rows, struct hs_plan)};

#define ANSWER(member)       HS_AT(struct hs_answer, member)
#define LINES(member, count) HS_LIST_AT(struct hs_answer, member, count)
#define LINES_MAX            64

static const struct hs_field answer_rows[] = {
    {"verdict", HS_OBJECT, ANSWER(verdict), .fields = &verdict_fields},
    {"evidence", HS_TEXT, HS_OWNED(struct hs_answer, evidence), .min = 1,
     .about = "What was measured of this machine, or of machines of its class."},
    {"default", HS_OBJECT, HS_OWNED(struct hs_answer, usual), HS_OPTIONAL,
     .fields = &default_fields,
     .about = "The library's default call; absent where it has no price."},
    {"no_default", HS_TEXT, HS_OWNED(struct hs_answer, no_default), HS_OPTIONAL, .min = 1,
     .about = "Why it has none: gains are over the flat plan then."},
    {"bound_seconds", HS_TIME, ANSWER(bound_seconds), HS_OPTIONAL,
     .about = "What the links allow: no call and no plan takes less."},
    {"bound_by", HS_TEXT, HS_OWNED(struct hs_answer, bound_by), HS_OPTIONAL, .min = 1,
     .about = "The level that sets the bound."},
    {"samples", HS_INTEGER, ANSWER(samples), .max = 1e6,
     .about =
         "Samples of the uncertain parameters that times are expected over; 0: nominal times."},
    {"ties", HS_LIST, LINES(ties, tie_count), HS_OPTIONAL, .max = HS_RESULT_CANDIDATES_MAX,
     .fields = &tie_fields,
     .about = "Plans that are faster than the first candidate by too little: by less than 3 % "
              "than the default, or by less than 1 % than one of fewer layers; measured, those "
              "within noise of it."},
    {"decides", HS_TEXT, HS_OWNED(struct hs_answer, decides), HS_OPTIONAL, .min = 1,
     .about = "The uncertain parameter that the choice of a plan depends on most."},
    {"hints", HS_LIST, LINES(hints, hint_count), .max = LINES_MAX, .fields = &hint_fields,
     .about = "What was not asked for and would be faster."},
    {"assumptions", HS_LIST, LINES(assumptions, assumption_count), .max = LINES_MAX,
     .fields = &line_fields},
    {"next", HS_LIST, LINES(next, next_count), .max = LINES_MAX, .fields = &line_fields,
     .about = "The measurement that would tell most, as command lines."},
};

const struct hs_fields hs_answer_fields = {HS_ROWS(answer_rows, struct hs_answer)};

/* ---- of what was measured -------------------------------------------------------------------- */

#define NORMAL90 1.645

/* Standard error of the logarithm of the time; NaN: too few samples. */
static double log_error(const struct hs_measured *measured)
{
    return log(measured->ci95_high_seconds / measured->ci95_low_seconds) / (2 * HS_NORMAL95);
}

/* The one place that decides. `reference` NULL: the plan is the flat one, and there is no call of
 * the library's. */
static struct hs_verdict judge(const struct hs_candidate *best, const struct hs_measured *reference,
                               bool is_library)
{
    struct hs_verdict verdict = {HS_ADVICE_PLAN, best->plan, 1, 1, 1, 0};
    double error, lead;

    if (!reference)
        return verdict;
    error = hypot(log_error(best->measured), log_error(reference));
    verdict.gain = reference->median_seconds / best->measured->median_seconds;
    lead = log(verdict.gain);
    verdict.gain_low = verdict.gain * exp(-NORMAL90 * error);
    verdict.gain_high = verdict.gain * exp(NORMAL90 * error);
    verdict.share = error > 0 ? erfc(-lead / error / sqrt(2)) / 2 : lead > 0 ? 1 : 0;
    if (isnan(error)) {
        verdict.gain_low = verdict.gain_high = verdict.share = NAN;
        verdict.advice = HS_ADVICE_UNDECIDED;
    } else if (is_library && verdict.gain < HS_ADVICE_GAIN) {
        verdict.advice = HS_ADVICE_DEFAULT;
    } else if (!(verdict.gain_low > 1)) {
        verdict.advice = HS_ADVICE_UNDECIDED;
    }
    return verdict;
}

/* The measurement that would settle it: both alone, and longer. */
static void append_next(struct hs_text *out, const struct hs_result *result,
                        const struct hs_result_message *message)
{
    hs_text_append(out, "mpiexec -n %lld hiersearch measure --size %s --plans %s",
                   (long long)result->np, HS_AS_BYTES(message->message_bytes),
                   hs_plan_format((char[HS_SPLIT_TEXT]){0}, &message->best));
    if (result->collective != HS_COLLECTIVE_ALLREDUCE)
        hs_text_append(out, " --collective %s", hs_collective_names[result->collective]);
    if (result->mesh.count > 0)
        hs_text_append(out, " --mesh %s --group %s",
                       hs_mesh_format((char[HS_MESH_TEXT]){0}, &result->mesh),
                       hs_mesh_format_over((char[HS_MESH_TEXT]){0}, &result->mesh));
    hs_text_append(out, " --precision 1%% --budget 5min");
}

/* Plans whose interval reaches into that of the first. */
static bool add_ties(struct hs_answer *answer, const struct hs_result_message *message)
{
    const struct hs_measured *best = message->candidates[0].measured;

    answer->ties = malloc(message->candidate_count * sizeof(*answer->ties));
    for (size_t i = 1; i < message->candidate_count && answer->ties; i++) {
        const struct hs_candidate *other = &message->candidates[i];

        if (hs_measured_is_ok(other->measured) &&
            other->measured->ci95_low_seconds <= best->ci95_high_seconds)
            answer->ties[answer->tie_count++] = other->plan;
    }
    return answer->ties != NULL;
}

static bool add_default(struct hs_answer *answer, const struct hs_baseline_result *library)
{
    const struct hs_measured *measured = &library->measured;
    struct hs_default_call *usual = answer->usual = calloc(1, sizeof(*usual));
    bool known = !isnan(measured->ci95_low_seconds);

    if (!usual)
        return false;
    usual->name = hs_strdup(library->name);
    usual->choice =
        hs_strdup(measured->choice_count > 0 ? measured->choices[0].text : "as measured");
    usual->seconds = measured->median_seconds;
    usual->low_seconds = known ? measured->ci95_low_seconds : usual->seconds;
    usual->high_seconds = known ? measured->ci95_high_seconds : usual->seconds;
    return usual->name && usual->choice;
}

static bool add_texts(struct hs_answer *answer, const struct hs_result *result,
                      const struct hs_result_message *message)
{
    const struct hs_placement *placement = &result->placement;
    struct hs_text evidence = {0}, next = {0};
    bool whole;

    hs_text_append(&evidence, "measured here");
    if (placement->oversubscribed_ranks > 0)
        hs_text_append(&evidence, ", where %lld ranks share %lld core%s: do not generalise",
                       (long long)placement->oversubscribed_ranks,
                       (long long)placement->oversubscribed_cores,
                       HS_PLURAL((size_t)placement->oversubscribed_cores));
    if (answer->verdict.advice == HS_ADVICE_UNDECIDED) {
        append_next(&next, result, message);
        answer->next = calloc(1, sizeof(*answer->next));
        if (answer->next)
            answer->next[answer->next_count++] = next.data ? hs_strdup(next.data) : NULL;
    }
    answer->evidence = evidence.data ? hs_strdup(evidence.data) : NULL;
    whole = answer->evidence &&
            (answer->verdict.advice != HS_ADVICE_UNDECIDED || (answer->next && answer->next[0]));
    hs_text_release(&evidence);
    hs_text_release(&next);
    return whole;
}

enum hs_status hs_answer_measured(struct hs_result_message *message, const struct hs_result *result,
                                  struct hs_error *err)
{
    const struct hs_candidate *best = message->candidates;
    const struct hs_baseline_result *library = NULL;
    const struct hs_measured *reference = NULL;
    const struct hs_plan flat = hs_result_flat(result);
    struct hs_answer *answer;

    if (message->best.chunks == 0 || !hs_measured_is_ok(best->measured) ||
        hs_result_group(result).size < 2)
        return HS_OK;
    for (size_t i = 0; i < message->baseline_count && !library; i++)
        if (hs_measured_is_ok(&message->baselines[i].measured))
            library = &message->baselines[i];
    for (size_t i = 0; i < message->candidate_count && !library; i++)
        if (hs_plan_compare(&message->candidates[i].plan, &flat) == 0 && i > 0 &&
            hs_measured_is_ok(message->candidates[i].measured))
            reference = message->candidates[i].measured;
    if (library)
        reference = &library->measured;
    else if (!reference && hs_plan_compare(&best->plan, &flat) != 0)
        return HS_OK;
    answer = message->answer = calloc(1, sizeof(*answer));
    if (!answer)
        return hs_no_memory(err);
    answer->bound_seconds = NAN;
    answer->verdict = judge(best, reference, library != NULL);
    if ((library && !add_default(answer, library)) ||
        (!library && !(answer->no_default = hs_strdup(
                           "the library's default call was not measured without fault"))) ||
        !add_texts(answer, result, message) || !add_ties(answer, message))
        return hs_no_memory(err);
    return HS_OK;
}
