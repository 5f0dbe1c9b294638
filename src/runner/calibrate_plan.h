/*
 * calibrate_plan.h - what a calibration measures, and in which order. Pure.
 *
 * Layers are the edges of the divisor lattice of np, or of the groups of a mesh. Of each the phases
 * that the collective has on layers are measured, an AllReduce's reduce-scatter and allgather, with
 * what enters the layer in a split, n every message size asked for. The allreduce is measured with
 * all sizes where the layer comes last in a split of an AllReduce, elsewhere, and of other
 * collectives, with the smallest: a call of two passes next to calls of one tells the cost of a
 * launch from the latency. What is measured is keyed by phase, algorithm, stride and size, so that
 * it prices other groups and collectives, too.
 *
 * The order makes a calibration that is cut short as useful as it can be. A class is all layers of
 * one level and size, misaligned or not; its cheapest layer leads it.
 *
 *   1. leaders, the first phase, smallest and largest message: a latency and a bandwidth per class;
 *   2. the leaders' other measurements;
 *   3. the other layers, the first phase, smallest and largest message;
 *   4. the rest; cheap ones first in each step.
 *
 * Other algorithms than the ring, where they are asked for, are measured on leaders alone: what
 * differs between layers of a level, rings tell.
 */
#ifndef HS_MEASURE_CALIBRATE_PLAN_H
#define HS_MEASURE_CALIBRATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"
#include "model/problem.h"
#include "model/stage.h"
#include "system/system.h"

#define HS_CALIBRATE_SIZES_MAX 12

struct hs_calibrate_task {
    struct hs_stage_key stage;
    size_t count;   /* elements entering, a multiple of the layer's size */
    int step;       /* 1 .. 4, as above */
    double seconds; /* by the description, to sort by */
};

struct hs_calibrate_plan {
    struct hs_calibrate_task *tasks; /* [count] owned, in order */
    size_t count;
    size_t layer_count, layers_left_out; /* layers in it, and those that max_layers left out */
    size_t count_max;                    /* largest count of a task */
};

/* How much is to be measured, of calls of the problem (of its bytes nothing is asked). */
struct hs_calibrate_extent {
    struct hs_range sizes;
    size_t width, max_layers; /* bytes of an element */
    unsigned algorithms;
    const struct hs_stage_list *stages; /* these alone, with all sizes; NULL or empty: all */
};

/* Message sizes: of a range its powers of two (every second, third, ... where they are more than
 * HS_CALIBRATE_SIZES_MAX, the ends always); of a single size n that and n/2, n/4, n/8. Ascending,
 * whole elements of `width` bytes, each once. Returns how many. */
size_t hs_calibrate_sizes(uint64_t sizes[HS_CALIBRATE_SIZES_MAX], const struct hs_range *range,
                          size_t width);

/* HS_INVALID also where the ranks have no such stage: the nearest is named.
 * `algorithms`: bits 1 << enum hs_algorithm, the ring always among them. max_layers 0: all; else
 * leaders first, cheap ones first. Tasks whose counts come out equal (tiny
 * messages) are planned once. HS_INVALID: a group has one process. HS_MEMORY. */
enum hs_status hs_calibrate_plan_make(struct hs_calibrate_plan *plan,
                                      const struct hs_system *system,
                                      const struct hs_problem *problem,
                                      const struct hs_calibrate_extent *extent,
                                      struct hs_error *err);
void hs_calibrate_plan_release(struct hs_calibrate_plan *plan);

/* Seconds of one run of every split for the problem together: what measuring them all costs at
 * least. Sums over edges, however many splits there are; *splits saturates. NaN when out of memory.
 */
double hs_every_split_seconds(uint64_t *splits, const struct hs_system *system,
                              const struct hs_problem *problem);

#endif
