/*
 * lazy_parts.h - what the files of the lazy search share. Internal to search.
 */
#ifndef HS_SEARCH_LAZY_PARTS_H
#define HS_SEARCH_LAZY_PARTS_H

#include "search/lazy.h"
#include "search/paths.h"

/* Brings fits, bounds and expected times up to date with the points. HS_MEMORY. */
enum hs_status hs_lazy_refresh(struct hs_lazy *lazy, struct hs_error *err);

/* Edge weights in ticks, [edge_count], owned by the caller; failed layers weigh more than any path
 * without them. `preference` is added to layers that are not measured, times their expected
 * seconds. With `measured_only`, those count as failed. NULL when out of memory. */
hs_ticks *hs_lazy_weights(double *tick_seconds, const struct hs_lazy *lazy, double preference,
                          bool measured_only);
/* Whether a path of that many ticks has a layer that weighs as failed. */
bool hs_lazy_unusable(hs_ticks ticks);

/* The winner, and the other splits in the order of their sums, as far as they matter. */
struct hs_rivals {
    struct hs_split winner;   /* count 0: none is measured throughout */
    double seconds, variance; /* of the winner */
    double z;                 /* quantile in use: grows with the number of ties */
    double worst_seconds;     /* most that the winner could be slower than a rival, at 95 % */
    struct hs_rival {
        struct hs_split split;
        double seconds, variance; /* sum of its layers; variance of that sum */
        double lead_seconds;      /* behind the winner, less z times the noise: <= 0 is a tie */
        bool measured;            /* throughout */
    } * items; /* [count] owned; all that tie, and at least one more where there is one */
    size_t count;
    bool cut; /* there are more ties than were looked at */
};

/* After hs_lazy_refresh. HS_MEMORY. */
enum hs_status hs_rivals_init(struct hs_rivals *rivals, const struct hs_lazy *lazy,
                              struct hs_error *err);
void hs_rivals_release(struct hs_rivals *rivals);

#endif
