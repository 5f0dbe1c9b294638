/*
 * rules.h - what a result file says, as rules: from how many bytes on which plan, and which layer a
 * communicator is.
 *
 * A rule begins where its plan and the one before take equally long: by linear interpolation of
 * their measured times, else of their predicted ones, else at the geometric mean of the two sizes.
 * The first begins at the smallest message of the result or, if that is less, where its prediction
 * pays as much for latency as for bandwidth. Where the library's own call was measured faster than
 * the best plan, the rule is one without layers: nothing is chosen there.
 */
#ifndef HS_TUNER_RULES_H
#define HS_TUNER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

#define RULES_PLAN   128 /* bytes of a plan as text, with its NUL */
#define RULES_LAYERS 31

struct rule {
    char plan[RULES_PLAN];         /* "4x8x2" */
    int count;                     /* layers; 0: the library's own call */
    uint64_t sizes[RULES_LAYERS];  /* innermost first */
    double first_bytes, end_bytes; /* of the message, per process; INFINITY: no end */
};

struct rules {
    double np;
    struct rule *rules; /* [count], owned, ascending */
    size_t count;
};

/* NULL, or what is wrong with the file; *rules is {0} then. */
const char *rules_load(struct rules *rules, const char *path);
void rules_release(struct rules *rules);

/* A rule and one of its layers. */
struct rules_match {
    const struct rule *rule; /* NULL: none */
    int layer;
    uint64_t stride;
};

/* The layer for which this communicator runs this collective with `bytes` entering it:
 * reduce-scatter and allgather in all layers but the last, allreduce in the last. Layers of one
 * size that both could be meant: the inner one if the communicator is within a node, else the outer
 * one. */
struct rules_match rules_find(const struct rules *rules, enum tuner_collective collective,
                              size_t ranks, size_t nodes, size_t bytes);
/* Whether any layer of any rule has this size. */
bool rules_know(const struct rules *rules, size_t ranks);

#endif
