/*
 * stage_key.h - which figures of a machine are of what: a phase, an algorithm and a layer name what
 * is priced, measured, fitted and drawn. What algorithms do and cost is the model's
 * (model/algorithm.h), keys as text are in model/stage.h.
 */
#ifndef HS_SYSTEM_STAGE_KEY_H
#define HS_SYSTEM_STAGE_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* name, text, letter in the text of a plan, meaning; the first needs no letter */
/* clang-format off */
#define HS_ALGORITHMS(row)                                                             \
    row(RING, "ring", 'r', "p - 1 steps around a ring; any size")                      \
    row(HALVING, "halving", 'h', "lg p steps, most bytes go to the nearest; any size") \
    row(DIRECT, "direct", 'd', "one step, a message to each other one; up to 32")      \
    row(TREE, "tree", 't', "up and down one binary tree; any size, not in blocks")     \
    row(FOREST, "forest", 'f', "trees packed on single links; all of a node of links")  \
    row(GROUPS, "groups", 'g', "direct in groups that links join, then across; the same") \
    row(NATIVE, "native", 'n', "MPI's own collective, among the ranks of the group")
/* clang-format on */

enum hs_algorithm {
#define HS_ROW(name, text, letter, meaning) HS_##name,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
        HS_ALGORITHM_COUNT
};
extern const char *const hs_algorithm_names[HS_ALGORITHM_COUNT];
extern const char hs_algorithm_letters[HS_ALGORITHM_COUNT];

/* Those that are ours: what "all" means, and what a search has by itself. */
#define HS_ALGORITHMS_ALL ((1U << HS_NATIVE) - 1)

/* What all groups of a layer do at the same time. name, text, meaning. p ranks in a group, m bytes
 * enter the larger side. A pair does not run: it is the first two of one layer, where what is known
 * or asked is their sum. */
/* clang-format off */
#define HS_PHASES(row)                                                                            \
    row(REDUCE_SCATTER, "reduce-scatter", "m in, m / p out: rank k of the group keeps block k")   \
    row(ALLGATHER, "allgather", "m / p in, m out")                                                \
    row(ALLREDUCE, "allreduce", "m in, m out")                                                    \
    row(EXCHANGE, "exchange", "m in, m out: block k goes to rank k of the group")                 \
    row(PAIR, "reduce-scatter + allgather", "the two on one layer, in one figure")
/* clang-format on */

enum hs_phase {
#define HS_ROW(name, text, meaning) HS_##name,
    HS_PHASES(HS_ROW)
#undef HS_ROW
        HS_PHASE_COUNT
};
extern const char *const hs_phase_names[HS_PHASE_COUNT];

/* One layer: groups {b + k * stride : k < size}; an edge stride -> stride * size of the lattice. */
struct hs_layer {
    int64_t stride, size;
};

bool hs_layer_equal(struct hs_layer a, struct hs_layer b);

struct hs_stage_key {
    enum hs_phase phase;
    enum hs_algorithm algorithm;
    struct hs_layer layer;
};

#endif
