/*
 * collective.h - what a call does, apart from how: one row per collective, which says the phase on
 * each layer and the order of the layers, what enters them, where blocks lie at the end, what every
 * element must become, the bus bandwidth, and what must travel whatever the algorithm.
 *
 * An AllReduce of a group runs `outward` on each layer but the last, from the inside out, `last` on
 * the last, and `inward` back on each layer but the last. A reduce-scatter and an allgather have
 * one phase, on every layer once.
 *
 * Their message, n bytes, is the larger side, as in nccl-tests: what enters a reduce-scatter and
 * what an allgather leaves. The smaller side is one of N blocks of n / N bytes, and which one a
 * rank has follows from the order of the layers. With d ranks of the group inside of a layer of p:
 *
 *  - in place: rank r has block r, as MPI and NCCL define the calls. A reduce-scatter then begins
 *    with the outermost layer, where its message, n d p / N bytes, is longest: all n of it crosses
 *    the slowest links, from every rank at once. An allgather is its mirror, from the inside out.
 *  - permuted: a reduce-scatter begins inside, so that n / d bytes enter a layer and the outermost
 *    has the least. Rank r = k_0 + k_1 p_0 + k_2 p_0 p_1 + ... then has the block of the same
 *    digits the other way round, k_0 N / p_0 + k_1 N / (p_0 p_1) + ... That costs nothing where the
 *    caller lays out the larger side by this index, and a copy of the larger side elsewhere. An
 *    allgather is its mirror, from the outside in.
 */
#ifndef HS_MODEL_COLLECTIVE_H
#define HS_MODEL_COLLECTIVE_H

#include <stdbool.h>

#include "model/stage.h"

/* name, text, other words for it, meaning */
/* clang-format off */
#define HS_COLLECTIVES(row)                                                                       \
    row(ALLREDUCE, "allreduce", " all-reduce all_reduce ",                                        \
        "every rank gets the reduction of all ranks' elements")                                   \
    row(REDUCE_SCATTER, "reduce-scatter", " reducescatter reduce_scatter ",                       \
        "each rank gets one block of the reduction")                                              \
    row(ALLGATHER, "allgather", " all-gather all_gather ", "every rank gets all ranks' blocks")
/* clang-format on */

enum hs_collective {
#define HS_ROW(name, text, words, meaning) HS_COLLECTIVE_##name,
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
        HS_COLLECTIVE_COUNT
};
extern const char *const hs_collective_names[HS_COLLECTIVE_COUNT];
/* HS_INVALID with the nearest name. */
enum hs_status hs_collective_parse(enum hs_collective *out, const char *text, struct hs_error *err);

/* Where the blocks of the smaller side lie. name, text, meaning */
/* clang-format off */
#define HS_ORDERS(row)                                                                           \
    row(IN_PLACE, "in-place", "rank r has block r, as the library's own call")                   \
    row(PERMUTED, "permuted", "rank r has the block of r's digits the other way round")
/* clang-format on */

enum hs_order {
#define HS_ROW(name, text, meaning) HS_##name,
    HS_ORDERS(HS_ROW)
#undef HS_ROW
        HS_ORDER_COUNT
};
extern const char *const hs_order_names[HS_ORDER_COUNT];

/* What an element of a rank's output must be at the end. */
enum hs_outcome {
    HS_OUTCOME_REDUCED,  /* the reduction of the group's elements at its place */
    HS_OUTCOME_GATHERED, /* as its block's owner had it */
};

struct hs_collective_row {
    const char *written;                 /* as in prose: "AllReduce" */
    enum hs_phase outward, last, inward; /* inward HS_PHASE_COUNT: layers have one phase */
    bool ordered;                        /* a rank has one block: hs_order says which */
    bool begins_large;                   /* the larger side is what enters the call */
    enum hs_outcome outcome;
    /* Bytes that cross a rank's link per byte of the message and second, for groups of `size`: the
     * bus bandwidth of nccl-tests (doc/PERFORMANCE.md) over the algorithm bandwidth n / t. */
    double (*bus_factor)(int64_t size);
    /* Bytes that the units of any partition of a group must send to each other in all, per byte of
     * the message and unit beyond the first (limit.h). */
    double sent;
    /* Bytes that must pass one way or the other, per byte of the message, between a part of a group
     * that has `share` of its ranks, above 0 and below 1, and the others. */
    double (*crossing)(double share);
    /* Whether units send each byte but once where a switch between them reduces. */
    bool reduced_in_switch;
};
/* In the order of the list. */
extern const struct hs_collective_row hs_collectives[HS_COLLECTIVE_COUNT];

#endif
