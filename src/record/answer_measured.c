#include "record/answer_measured.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/text.h"
#include "base/units.h"

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
