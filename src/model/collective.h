/*
 * collective.h - what a call does, apart from how: one row per collective, which says the phase on
 * each layer and the order of the layers, what enters them, where blocks lie at the end, what every
 * element must become, and the bus bandwidth.
 *
 * A collective of a group runs `outward` on each layer but the last, from the inside out, `last` on
 * the last, and `inward` back on each layer but the last.
 */
#ifndef HS_MODEL_COLLECTIVE_H
#define HS_MODEL_COLLECTIVE_H

#include "model/stage.h"

/* name, text, meaning */
/* clang-format off */
#define HS_COLLECTIVES(row) \
    row(ALLREDUCE, "allreduce", "every rank gets the reduction of all ranks' elements")
/* clang-format on */

enum hs_collective {
#define HS_ROW(name, text, meaning) HS_COLLECTIVE_##name,
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
        HS_COLLECTIVE_COUNT
};
extern const char *const hs_collective_names[HS_COLLECTIVE_COUNT];

/* What an element of a rank's output must be at the end. */
enum hs_outcome { HS_OUTCOME_REDUCED /* the reduction of the group's elements at its place */ };

struct hs_collective_row {
    enum hs_phase outward, last, inward; /* inward HS_PHASE_COUNT: there is no way back */
    /* Bytes that enter the layer which `inner` ranks of the group lie inside of, of `bytes` per
     * process. */
    double (*entering)(double bytes, int64_t inner);
    /* Which block of the message `rank` of a group ends with; NULL: all of it, in order. */
    int64_t (*block)(const struct hs_split *split, int64_t rank);
    enum hs_outcome outcome;
    /* Bytes that cross a rank's link per byte of the message and second, for groups of `size`: the
     * bus bandwidth of nccl-tests (doc/PERFORMANCE.md) over the algorithm bandwidth n / t. */
    double (*bus_factor)(int64_t size);
    /* Bytes that the units of any partition of a group must send to each other in all, per byte of
     * the message and unit beyond the first (limit.h). */
    double sent;
};
/* In the order of the list. */
extern const struct hs_collective_row hs_collectives[HS_COLLECTIVE_COUNT];

#endif
