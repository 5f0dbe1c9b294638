#include "record/doubt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Plans that are named at most. */
#define NAMED 3

static size_t fewer(size_t least, const struct hs_measured *measured)
{
    return hs_measured_is_ok(measured) && measured->sample_count < least ? measured->sample_count
                                                                         : least;
}

/* The winner, if it was measured; else NULL. */
static const struct hs_candidate *winner_of(const struct hs_result_message *message)
{
    const struct hs_candidate *best = hs_result_candidate(message, &message->best);

    return best && hs_measured_is_ok(best->measured) ? best : NULL;
}

/* Of the winner, and of what its time is divided by. */
static size_t fewest_samples(const struct hs_result_message *message, size_t least)
{

    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_is_flat(&message->candidates[i].plan) && message->candidates[i].measured)
            least = fewer(least, message->candidates[i].measured);
    for (size_t i = 0; i < message->baseline_count; i++)
        least = fewer(least, &message->baselines[i].measured);
    return least;
}

static void append_overlaps(struct hs_text *out, const char *separator,
                            const struct hs_result_message *message,
                            const struct hs_candidate *winner)
{
    const struct hs_measured *best = winner->measured;
    char plan[HS_SPLIT_TEXT];
    size_t named = 0;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *other = &message->candidates[i];

        /* Without an interval there is NaN, and no remark but that on samples. */
        if (other == winner || !hs_measured_is_ok(other->measured) ||
            !(other->measured->ci95_low_seconds <= best->ci95_high_seconds))
            continue;
        if (named == NAMED) {
            hs_text_append(out, " and others");
            return;
        }
        hs_text_append(out, "%s%s", named ? ", " : separator, named ? "" : "within noise of ");
        hs_text_append(out, "%s", hs_plan_format(plan, &other->plan));
        named++;
    }
}

/* Appends reasons, separated by commas: ranks share cores; too few samples of the winner or of what
 * it is compared with; plans whose intervals reach into the winner's. Nothing where there are none,
 * or no winner. */
static void append_reasons(struct hs_text *out, const struct hs_result *result,
                           const struct hs_result_message *message)
{
    const struct hs_placement *placement = &result->placement;
    const struct hs_candidate *winner = winner_of(message);
    const char *separator = "";
    size_t least;

    /* A simulation is not chance. */
    if (!winner || result->np == 1 || (result->backend && strcmp(result->backend, "simgrid") == 0))
        return;
    if (placement->oversubscribed_ranks > 0) {
        hs_text_append(out, "%" PRId64 " ranks share %" PRId64 " core%s",
                       placement->oversubscribed_ranks, placement->oversubscribed_cores,
                       placement->oversubscribed_cores == 1 ? "" : "s");
        separator = ", ";
    }
    least = fewest_samples(message, winner->measured->sample_count);
    if (least < HS_DOUBT_SAMPLES) {
        hs_text_append(out, "%s%zu sample%s only", separator, least, least == 1 ? "" : "s");
        separator = ", ";
    }
    append_overlaps(out, separator, message, winner);
}

void hs_doubt_layers_append(struct hs_text *out, const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;
    char best[HS_SPLIT_TEXT];

    if (!certificate || certificate->certain)
        return;
    if (certificate->winner.split.count == 0) {
        hs_text_append(out, "no split has all its layers measured");
        return;
    }
    if (message->best.split.count > 0 && !hs_plan_same_layers(&message->best, &certificate->winner))
        hs_text_append(out, "%s was faster when run in full, ",
                       hs_plan_format(best, &message->best));
    if (!certificate->again)
        hs_text_append(out, "only one sample per layer, ");
    if (!isfinite(certificate->within))
        hs_text_append(out, "other splits are not ruled out");
    else if (certificate->within > 0)
        hs_text_append(out, "another split could be up to %.1f %% faster",
                       100 * certificate->within);
    else if (certificate->tie_count > 0)
        hs_text_append(out, "others are equal within noise");
    else if (!hs_certificate_is_certain(certificate))
        hs_text_append(out, "the difference is smaller than the uncertainty");
    else
        hs_text_append(out, "no other split is faster by its layers");
}

void hs_doubt_all_append(struct hs_text *out, const struct hs_result *result,
                         const struct hs_result_message *message)
{
    struct hs_text layers = {0};
    size_t before = out->length;

    append_reasons(out, result, message);
    hs_doubt_layers_append(&layers, message);
    if (layers.data)
        hs_text_append(out, "%s%s", out->length > before ? ", " : "", layers.data);
    hs_text_release(&layers);
}
