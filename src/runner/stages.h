/*
 * stages.h - a plan as a pipeline of stages, through which chunks of the message flow.
 *
 * The stages of h layers are: reduce-scatter on layers 1 .. h-1, allreduce on layer h, allgather on
 * layers h-1 .. 1. A stage works on one chunk at a time, in order, and on different chunks at the
 * same time as the other stages: layers overlap.
 *
 * Where things lie. A chunk is a range of elements. The block a rank has in it at layer i is found
 * by taking, layer by layer, the place-th part of the block before; it stays at that offset in the
 * output from the reduce-scatter to the allgather. So the result is in natural order without a
 * permutation.
 *
 * Padding. Blocks of the first h-1 layers must be equal, so the message is padded to a multiple of
 * the product of their sizes. The last layer's ring needs no equal blocks. Chunks are whole numbers
 * of that product; with fewer of it than chunks some chunks are empty.
 */
#ifndef HS_RUNNER_STAGES_H
#define HS_RUNNER_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/problem.h"
#include "runner/backend.h"
#include "runner/idle.h"

/* Elements of a chunk are counted in int by MPI: more of them are cut into more chunks. */
#define HS_CHUNK_ELEMENTS_MAX ((size_t)1 << 30)

struct hs_stages {
    int layers, count; /* count = 2 layers - 1 */
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_layer layer[HS_LAYERS_MAX];
    int64_t place[HS_LAYERS_MAX]; /* this rank's place in its group of each layer */
    size_t padded;                /* elements that travel */
    size_t quantum;               /* every chunk is a multiple of it */
    int chunks;
};

/* A range of elements of the message. */
struct hs_block {
    size_t first, count;
};

/* Elements that travel for `count` elements: the next multiple of the first h-1 sizes' product.
 * Local. */
size_t hs_stages_padded(const struct hs_split *split, size_t count);
/* Local; cannot fail. Rank `rank` of the split's processes. */
void hs_stages_init(struct hs_stages *stages, const struct hs_plan *plan, int64_t rank,
                    size_t count);
/* What enters layer `layer` (0 .. layers-1) on this rank in chunk `chunk`. Local. */
struct hs_block hs_stages_block(const struct hs_stages *stages, int layer, int chunk);

/* What runs a stage. `start` begins work on a chunk; `progress` does what is ready without waiting,
 * says in *moved whether that was anything, and returns true when the chunk is through. One chunk
 * at a time per stage; the chunk's stage before it is through when a stage starts. */
struct hs_stage_engine {
    void (*start)(void *state, int stage, int chunk);
    bool (*progress)(void *state, int stage, bool *moved);
};

/* Sends all chunks through. Time between start and end of a stage is added to *times (may be NULL).
 */
void hs_stages_run(const struct hs_stages *stages, const struct hs_stage_engine *engine,
                   void *state, struct hs_idle *idle, struct hs_layer_times *times);

#endif
