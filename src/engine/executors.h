/*
 * executors.h - how each algorithm of model/algorithm.h is carried out over a transport: one row
 * per algorithm, one file per row.
 *
 * An executor is a state machine: started with a phase of a layer, then driven by calls that never
 * wait. It is used again and again. What fails is in the transport's status (transport.h).
 */
#ifndef HS_ENGINE_EXECUTORS_H
#define HS_ENGINE_EXECUTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/transport.h"
#include "model/stage.h"

#define HS_LANES_MAX 64

struct hs_executor_options {
    size_t segment_bytes; /* of a message at most; a multiple of 64 */
    int lanes;            /* messages in flight each way, 1 .. HS_LANES_MAX */
    bool reduces;         /* false: for allgathers only, which takes less memory */
};

/* A phase of a layer on this rank. */
struct hs_executor_call {
    enum hs_phase phase;
    struct hs_layer layer;
    int rank, tag;     /* in the transport's comm; calls in flight together have different tags */
    const void *input; /* m elements in the transport's memory; for an allgather unused */
    /* Reduce-scatter: block `place` alone, m / size elements. Else m elements; an allgather finds
     * block `place` there. May be, or lie in, the input: then the input is used up. */
    void *output;
    size_t count; /* m: a multiple of size, except for an allreduce */
    /* divisor 0: others divide, or there is no average */
    struct hs_reduction reduction;
};

struct hs_executor {
    /* Local. For messages over `transport`, which outlives it. HS_MEMORY. */
    enum hs_status (*make)(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err);
    void (*release)(void *machine); /* NULL is accepted */
    size_t (*memory_bytes)(const void *machine);
    /* The call before is through. All places of a group make the same calls in the same order per
     * tag. */
    void (*start)(void *machine, const struct hs_executor_call *call);
    /* Does what is ready; *moved becomes true if that was anything. Returns true when the call is
     * through on this rank: the output is valid and nothing is in flight; or something failed. */
    bool (*progress)(void *machine, bool *moved);
};

/* In the order of the list. */
extern const struct hs_executor *const hs_executors[HS_ALGORITHM_COUNT];
#define HS_ROW(name, text, letter, meaning) extern const struct hs_executor hs_executor_##name;
HS_ALGORITHMS(HS_ROW)
#undef HS_ROW

#endif
