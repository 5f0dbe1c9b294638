/*
 * straggler.h - which rank slows down all that it takes part in. Pure: no clock, no MPI.
 *
 * The groups of a layer run at the same time and do the same work, so a group that takes much
 * longer than the others has something slow in it. A layer may have slow groups for other reasons
 * (a group that crosses racks, say), but only a slow rank is in the slow group of every layer: its
 * score is the smallest ratio, over the layers, of its group's time to the median of the other
 * groups.
 */
#ifndef HS_RUNNER_STRAGGLER_H
#define HS_RUNNER_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/split.h"

/* Times of ranks, summed per layer; {0} has none. */
struct hs_rank_times {
    int64_t np;
    struct hs_rank_times_of_layer {
        struct hs_layer layer;
        double *seconds; /* [np] owned */
    } * layers;          /* [count] owned */
    size_t count;
};

struct hs_straggler {
    int64_t rank;
    double ratio;  /* its score */
    size_t layers; /* that it was seen in */
};

/* Adds one measurement: seconds[np] of the ranks in that layer. HS_MEMORY. */
enum hs_status hs_rank_times_add(struct hs_rank_times *times, int64_t np, struct hs_layer layer,
                                 const double *seconds, struct hs_error *err);
void hs_rank_times_release(struct hs_rank_times *times);

/* Whether one rank has a score of at least `least` (above 1) that stands out: no other rank's score
 * is above the square root of it. False where layers have one group only, or groups cannot tell
 * ranks apart. HS_MEMORY is no straggler. */
bool hs_straggler_find(struct hs_straggler *straggler, const struct hs_rank_times *times,
                       double least);

#endif
