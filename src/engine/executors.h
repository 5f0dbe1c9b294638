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
#include "engine/layer_comms.h"
#include "engine/transport.h"
#include "model/stage.h"

#define HS_LANES_MAX 64

static inline size_t hs_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t hs_most(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct hs_packing;

struct hs_executor_options {
    size_t segment_bytes; /* of a message at most; a multiple of 64 */
    int lanes;            /* segments in flight each way, 1 .. HS_LANES_MAX */
    size_t flight_bytes;  /* each way beyond one set of lanes, where a window is deeper than that */
    bool reduces;         /* false: for allgathers only, which take less memory */
    /* hs_executor_scratch_bytes of the transport's memory, or where it is not direct of staging
     * memory; the caller's. Machines that are never at work together may share it. */
    char *scratch;
};

/* No scratch is smaller: messages with many others at once have room. */
#define HS_SCRATCH_LEAST ((size_t)32 << 10)

/* Bytes: a segment for each lane and way, and one more for each lane where the memory is not
 * direct; less of direct memory that only gathers; HS_SCRATCH_LEAST or more. */
size_t hs_executor_scratch_bytes(const struct hs_memory *memory,
                                 const struct hs_executor_options *options);

/* A phase of a layer on this rank. */
struct hs_executor_call {
    enum hs_phase phase;
    struct hs_layer layer;
    int rank, tag;     /* in the transport's comm; calls in flight together have different tags */
    const void *input; /* m elements in the transport's memory; for an allgather unused */
    /* m elements. Of a reduce-scatter's, block `place` is the result and the rest is used up; an
     * allgather finds block `place` there. May be the input: then the input is used up. */
    void *output;
    size_t count; /* m: a multiple of size, except for an allreduce */
    /* Of an exchange, which does not change its input and has another output: elements that lie
     * together of what goes to one place. Place 0's come first, then place 1's, to the last's, and
     * again, count / (size run) times. */
    size_t run;
    /* Of trees on single links: those of this phase and size, the same on all ranks, for as long as
     * a machine is used. */
    const struct hs_packing *packing;
    /* divisor 0: others divide, or there is no average */
    struct hs_reduction reduction;
    /* Of the library's own collective: the layer's communicators, and what MPI knows the elements
     * and their reduction as. */
    const struct hs_layer_comm *comm;
    MPI_Datatype type;
    MPI_Op op;
};

struct hs_executor {
    /* Local. For messages over `transport`, which outlives it, as the scratch does. HS_MEMORY. */
    enum hs_status (*make)(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err);
    void (*release)(void *machine); /* NULL is accepted */
    /* The call before is through. All places of a group make the same calls in the same order per
     * tag. */
    void (*start)(void *machine, const struct hs_executor_call *call);
    /* Does what is ready; *moved becomes true if that was anything. Returns true when the call is
     * through on this rank: the output is valid and nothing is in flight; or something failed. */
    bool (*progress)(void *machine, bool *moved);
    size_t machine_bytes; /* without scratch */
};

/* How a call is cut: into `size` blocks of `block` elements, of which the last may have fewer or
 * none (of an allreduce), and these into equal segments; `used` segments of every block are a
 * group, and groups go one after the other. */
struct hs_cut {
    size_t width; /* bytes of an element */
    size_t count; /* elements of all blocks */
    size_t block, segment, used, groups;
    size_t size; /* blocks */
};

/* Segments of at most `longest_bytes` (an element or more), so that all lanes have one, as far as
 * they do not get too small. For a call of more than no elements. */
struct hs_cut hs_cut_make(const struct hs_executor_call *call, size_t longest_bytes, size_t lanes);
/* Where segment `number` of a block begins, in elements from the first of all; and how many it has:
 * 0 behind the last. */
size_t hs_cut_at(const struct hs_cut *cut, size_t block, size_t number);
size_t hs_cut_length(const struct hs_cut *cut, size_t block, size_t number);

/* Where there is nobody to talk to or nothing to say: brings the input to the output, and says
 * true. */
bool hs_executor_alone(const struct hs_memory *memory, struct hs_queue *queue,
                       const struct hs_executor_call *call);

/* Of a stage that its algorithm can do. */
const struct hs_executor *hs_executor_of(struct hs_stage_key key);

/* In the order of the list; of all phases but an exchange. */
extern const struct hs_executor *const hs_executors[HS_ALGORITHM_COUNT];
/* Of an exchange: executor_exchange.c. */
extern const struct hs_executor hs_executor_pairwise, hs_executor_bruck;
#define HS_ROW(name, text, letter, meaning) extern const struct hs_executor hs_executor_##name;
HS_ALGORITHMS(HS_ROW)
#undef HS_ROW

#endif
