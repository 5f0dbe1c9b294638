/*
 * stages.h - a task as a pipeline of stages, through which chunks of the message flow.
 *
 * The stages of an AllReduce's plan of h layers are: reduce-scatter on layers 1 .. h-1, allreduce
 * on layer h (or a reduce-scatter and an allgather, by two algorithms), allgather on layers h-1 ..
 * 1; of other collectives' one stage a layer (collective.h). A stage works on one
 * chunk at a time, in order, and on different chunks at the same time as the other stages: layers
 * overlap. A stage alone is a pipeline of one.
 *
 * Where things lie. A chunk is a range of elements. The block a rank has in it at layer i is found
 * by taking, layer by layer, the place-th part of the block before; it stays at that offset in the
 * output from the reduce-scatter to the allgather. So the result is in natural order without a
 * permutation. In place a reduce-scatter and an allgather nest their blocks the other way round:
 * layers are then counted from the outside in, here and in the stages.
 *
 * Of an all-to-all the whole message enters each layer, and leaves it for another buffer; what goes
 * to one place of a layer are runs (collective.h).
 *
 * Padding. Blocks of the first h-1 layers must be equal, so the message is padded to a multiple of
 * the product of their sizes. The last layer's allreduce needs no equal blocks; its two halves, all
 * layers of other collectives, and a stage alone have equal ones. Chunks are whole
 * numbers of that product; with fewer of it than chunks some chunks are empty.
 *
 * Lines. Where the message is long enough for it to weigh little, blocks are whole numbers of
 * lines, and the product is that of these.
 */
#ifndef HS_ENGINE_STAGES_H
#define HS_ENGINE_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/task.h"

struct hs_stages {
    int layers, count;
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_layer layer[HS_LAYERS_MAX];
    int64_t place[HS_LAYERS_MAX]; /* this rank's place in its group of each layer */
    size_t padded;                /* elements that travel */
    size_t quantum;               /* every chunk is a multiple of it */
    int chunks;
    bool whole; /* no layer leaves less than enters it: exchanges */
    /* Where it is: stage s has through[s] chunks behind it, and may work on the next. */
    int through[HS_STAGES_MAX];
    bool busy[HS_STAGES_MAX];
    double since[HS_STAGES_MAX], seconds[HS_STAGES_MAX]; /* of the chunk; of those before */
};

/* Local; cannot fail. The pipeline of a plan or a stage on rank `rank`, at its start. */
void hs_stages_init(struct hs_stages *stages, const struct hs_work *work, int64_t rank);
/* Whether a plan's stage makes the last sums, which an average then divides. */
bool hs_stages_sums_last(const struct hs_stages *stages, int stage);
/* What enters layer `layer` on this rank in chunk `chunk`; layer == layers: what leaves the last.
 * Local. */
struct hs_block hs_stages_block(const struct hs_stages *stages, int layer, int chunk);
/* Elements that lie together of what a stage gives to one place of its layer; counts of exchanges
 * alone. */
size_t hs_stages_run(const struct hs_stages *stages, int stage);
/* Into so many parts the message is cut where it enters layer `layer`. */
size_t hs_stages_parts(const struct hs_stages *stages, int layer);

/* What runs a stage. `start` begins work on a chunk; `progress` does what is ready without waiting,
 * says in *moved whether that was anything, and returns true when the chunk is through. One chunk
 * at a time per stage; the chunk's stage before it is through when a stage starts. */
struct hs_stage_runner {
    void (*start)(void *state, int stage, int chunk);
    bool (*progress)(void *state, int stage, bool *moved);
};

/* Starts what can start and drives what has begun, without waiting. Returns whether all chunks are
 * through. */
bool hs_stages_progress(struct hs_stages *stages, const struct hs_stage_runner *runner, void *state,
                        bool *moved);

#endif
