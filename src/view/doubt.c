#include "view/doubt.h"

#include <inttypes.h>

#include "view/candidates.h"

/* Plans that are named at most. */
#define NAMED 3

static size_t fewer(size_t least, const struct hs_measured *measured)
{
    return hs_measured_is_ok(measured) && measured->sample_count < least ? measured->sample_count
                                                                         : least;
}

/* Of the winner, and of what its time is divided by. */
static size_t fewest_samples(const struct hs_result_message *message)
{
    size_t least = message->candidates[0].measured->sample_count;

    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_is_flat(&message->candidates[i].plan) && message->candidates[i].measured)
            least = fewer(least, message->candidates[i].measured);
    for (size_t i = 0; i < message->baseline_count; i++)
        least = fewer(least, &message->baselines[i].measured);
    return least;
}

static void append_overlaps(struct hs_text *out, const char *separator,
                            const struct hs_result_message *message)
{
    const struct hs_measured *best = message->candidates[0].measured;
    char plan[HS_SPLIT_TEXT];
    size_t named = 0;

    for (size_t i = 1; i < message->candidate_count; i++) {
        const struct hs_candidate *other = &message->candidates[i];

        /* Without an interval there is NaN, and no remark but that on samples. */
        if (!hs_measured_is_ok(other->measured) ||
            !(other->measured->ci95_low_seconds <= best->ci95_high_seconds))
            continue;
        if (named == NAMED) {
            hs_text_append(out, " and others");
            return;
        }
        hs_text_append(out, "%s%s", named ? ", " : separator, named ? "" : "not told apart from ");
        hs_text_append(out, "%s", hs_plan_format(plan, &other->plan));
        named++;
    }
}

void hs_doubt_append(struct hs_text *out, const struct hs_result *result,
                     const struct hs_result_message *message)
{
    const struct hs_placement *placement = &result->placement;
    const char *separator = "";
    size_t least;

    if (message->candidate_count == 0 || !hs_measured_is_ok(message->candidates[0].measured) ||
        result->np == 1)
        return;
    if (placement->crowded_ranks > 0) {
        hs_text_append(out, "%" PRId64 " ranks share %" PRId64 " core%s", placement->crowded_ranks,
                       placement->crowded_cores, placement->crowded_cores == 1 ? "" : "s");
        separator = ", ";
    }
    least = fewest_samples(message);
    if (least < HS_DOUBT_SAMPLES) {
        hs_text_append(out, "%s%zu sample%s only", separator, least, least == 1 ? "" : "s");
        separator = ", ";
    }
    append_overlaps(out, separator, message);
}
