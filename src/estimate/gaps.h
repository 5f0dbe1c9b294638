/*
 * gaps.h - what of some layers lies outside of what a calibration measured, in words.
 *
 * Every output that marks extrapolated layers says once, below, why they are:
 *
 *     ib with size 64 (measured: 2 to 8), spine (never measured)
 *     nvlink with 512MiB entering (measured: 1MiB to 64MiB)
 *
 * Bytes are those that enter a layer at once: of one chunk.
 */
#ifndef HS_ESTIMATE_GAPS_H
#define HS_ESTIMATE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "library/beyond.h"
#include "library/price_plan.h"

/* Per level, the size and the bytes that lie farthest outside, with the range of the fit that they
 * fall out of. {0} is none. */
struct hs_gaps {
    bool any;
    struct hs_beyond beyond; /* published times, where the system is not calibrated */
    struct hs_gap {
        bool never;                       /* nothing of this level was measured */
        double size_factor, bytes_factor; /* how far outside, > 1; 0: not */
        int64_t size, min_size, max_size;
        double bytes, min_bytes, max_bytes;
    } levels[HS_LEVELS_MAX];
};

/* Adds the layers of a plan, whose cost on the system is `cost`: what lies outside of a
 * calibration, or, without one, beyond the published times (beyond.h). That there are more
 * processes than the description covers is no gap of either. */
void hs_gaps_add(struct hs_gaps *gaps, const struct hs_system *system, const struct hs_plan *plan,
                 const struct hs_plan_cost *cost);
/* Adds the library's default call of the problem, which no plan's cost describes. */
void hs_gaps_add_call(struct hs_gaps *gaps, const struct hs_system *system,
                      const struct hs_problem *problem);
/* Appends the gaps, separated by commas, on one line without an end; nothing where there are none.
 */
void hs_gaps_append(struct hs_text *out, const struct hs_gaps *gaps,
                    const struct hs_system *system);
/* The same as a line that says what a mark means: "* prediction extrapolated: ..." and a newline.
 */
void hs_gaps_legend(struct hs_text *out, const struct hs_gaps *gaps,
                    const struct hs_system *system);

#endif
