/*
 * collective.h - what a call does, apart from how: one row per collective, which says the phase on
 * each layer and the order of the layers, what enters them, where blocks lie at the end, what every
 * element must become, the bus bandwidth, and what must travel whatever the algorithm.
 *
 * An AllReduce of a group runs `outward` on each layer but the last, from the inside out, `last` on
 * the last, and `inward` back on each layer but the last. The others have one phase, on every layer
 * once.
 *
 * The message of a reduce-scatter and an allgather, n bytes, is the larger side, as in nccl-tests:
 * what enters a reduce-scatter and what an allgather leaves. The smaller side is one of N blocks of
 * n / N bytes, and which one a rank has follows from the order of the layers. With d ranks of the
 * group inside of a layer of p:
 *
 *  - in place: rank r has block r, as MPI and NCCL define the calls. A reduce-scatter then begins
 *    with the outermost layer, where its message, n d p / N bytes, is longest: all n of it crosses
 *    the slowest links, from every rank at once. An allgather is its mirror, from the inside out.
 *  - reversed: a reduce-scatter begins inside, so that n / d bytes enter a layer and the outermost
 *    has the least. Rank r = k_0 + k_1 p_0 + k_2 p_0 p_1 + ... then has the block of the same
 *    digits the other way round, k_0 N / p_0 + k_1 N / (p_0 p_1) + ... That costs nothing where the
 *    caller lays out the larger side by this index, and a copy of the larger side elsewhere. An
 *    allgather is its mirror, from the outside in.
 *  - packed: the same with that copy, before a reduce-scatter or behind an allgather, so that rank
 *    r has block r. One layer needs none.
 *
 * Of an all-to-all each rank has N blocks of n / N bytes, block r for rank r, and ends with those
 * for itself, block r from rank r. All n bytes enter each layer. On the layer of stride d and size
 * p the blocks whose number b has the digit b / d mod p = k go to the place k of the group, as
 * N / (d p) runs of d blocks, and what comes from place k lies where these lay. So behind a layer
 * rank r has at place b what the rank had that differs from r by having the digit of b, at the
 * place that differs from b by having that of r: behind all layers, in any order, rank r has at
 * place b what rank b had at place r. Nothing is reversed, and there is no order to choose. Runs of
 * the outermost layer are whole; further in they are short, and packed or sent one by one.
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
    row(ALLGATHER, "allgather", " all-gather all_gather ", "every rank gets all ranks' blocks")   \
    row(ALLTOALL, "all-to-all", " alltoall all_to_all ",                                          \
        "each rank gets one block from each rank")
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
#define HS_LAYOUTS(row)                                                                           \
    row(NATURAL, "natural", "rank r has block r, as the library's default")                      \
    row(REVERSED, "reversed", "rank r has the block of r's digits the other way round")          \
    row(PACKED, "packed", "rank r has block r: reversed, and a copy of the larger side")
/* clang-format on */

enum hs_layout {
#define HS_ROW(name, text, meaning) HS_##name,
    HS_LAYOUTS(HS_ROW)
#undef HS_ROW
        HS_LAYOUT_COUNT
};
extern const char *const hs_layout_names[HS_LAYOUT_COUNT];

/* " (reversed layout)" for a title; "" for the natural one and where there is no choice. */
const char *hs_layout_aside(enum hs_collective collective, enum hs_layout layout);

/* What an element of a rank's output must be at the end. */
enum hs_outcome {
    HS_OUTCOME_REDUCED,  /* the reduction of the group's elements at its place */
    HS_OUTCOME_GATHERED, /* as its block's owner had it */
    HS_OUTCOME_EXCHANGED /* block r: as rank r had it in the block of this rank's number */
};

struct hs_collective_row {
    const char *written;                 /* as in prose: "AllReduce" */
    enum hs_phase outward, last, inward; /* inward HS_PHASE_COUNT: layers have one phase */
    enum hs_outcome outcome;
    bool ordered;           /* a rank has one block: hs_layout says which */
    bool begins_large;      /* the larger side is what enters the call */
    bool whole;             /* the message is no shorter behind a layer: all enters */
    bool reduced_in_switch; /* units send each byte but once where a switch between them reduces */
    /* Bytes that cross a rank's link per byte of the message and second, for groups of `size`: the
     * bus bandwidth of nccl-tests (doc/PERFORMANCE.md) over the algorithm bandwidth n / t. */
    double (*bus_factor)(int64_t size);
    /* Bytes that the units of any partition of a group must send to each other in all, per byte of
     * the message and unit beyond the first (limit.h). */
    double sent;
    /* Bytes that must pass one way or the other, per byte of the message, between `inside` ranks of
     * a group of `size`, 1 to size - 1, and the others. */
    double (*crossing)(int64_t inside, int64_t size);
};
/* Whether layers have one phase, none on a way back: a rank has blocks, which chunks would cut. */
bool hs_collective_is_one_way(enum hs_collective collective);
/* In the order of the list. */
extern const struct hs_collective_row hs_collectives[HS_COLLECTIVE_COUNT];

#endif
