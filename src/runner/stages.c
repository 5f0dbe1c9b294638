/* stages.c - see stages.h. */
#include "runner/stages.h"

#include <assert.h>

/* Product of the sizes of all layers but the last: the last layer's stride. */
static size_t last_stride(const struct hs_split *split)
{
    return (size_t)hs_split_layer(split, split->count - 1).stride;
}

size_t hs_stages_padded(const struct hs_split *split, size_t count)
{
    size_t quantum = last_stride(split);
    return (count + quantum - 1) / quantum * quantum;
}

static int chunks_needed(size_t padded, int asked)
{
    size_t least = (padded + HS_CHUNK_ELEMENTS_MAX - 1) / HS_CHUNK_ELEMENTS_MAX;
    return least > (size_t)asked ? (int)least : asked;
}

void hs_stages_init(struct hs_stages *stages, const struct hs_plan *plan, int64_t rank,
                    size_t count)
{
    const struct hs_split *split = &plan->split;
    struct hs_problem problem = hs_problem_world(hs_split_product(split), (double)count);

    *stages = (struct hs_stages){.layers = split->count,
                                 .padded = hs_stages_padded(split, count),
                                 .quantum = last_stride(split)};
    stages->count = hs_problem_stages(stages->stages, &problem, plan);
    stages->chunks = chunks_needed(stages->padded, plan->chunks);
    for (int i = 0; i < split->count; i++) {
        stages->layer[i] = hs_split_layer(split, i);
        stages->place[i] = rank / stages->layer[i].stride % stages->layer[i].size;
    }
}

struct hs_block hs_stages_block(const struct hs_stages *stages, int layer, int chunk)
{
    size_t quanta = stages->padded / stages->quantum, chunks = (size_t)stages->chunks;
    size_t first = quanta * (size_t)chunk / chunks * stages->quantum;
    size_t end = quanta * ((size_t)chunk + 1) / chunks * stages->quantum;
    struct hs_block block = {first, end - first};

    assert(layer >= 0 && layer < stages->layers);
    for (int i = 0; i < layer; i++) {
        block.count /= (size_t)stages->layer[i].size;
        block.first += (size_t)stages->place[i] * block.count;
    }
    return block;
}

/* Where the pipeline is: stage s has `through[s]` chunks behind it and may work on the next. */
struct pipeline {
    int through[HS_STAGES_MAX];
    bool busy[HS_STAGES_MAX];
    double since[HS_STAGES_MAX];
};

static void add_time(struct hs_layer_times *times, struct hs_stage stage, double seconds)
{
    if (times == NULL)
        return;
    double *sums = stage.key.phase == HS_ALLGATHER ? times->allgather : times->reduce_scatter;
    sums[stage.layer] += seconds;
}

static bool can_start(const struct pipeline *pipeline, int stage, int chunks)
{
    if (pipeline->busy[stage] || pipeline->through[stage] == chunks)
        return false;
    return stage == 0 || pipeline->through[stage - 1] > pipeline->through[stage];
}

void hs_stages_run(const struct hs_stages *stages, const struct hs_stage_engine *engine,
                   void *state, struct hs_idle *idle, struct hs_layer_times *times)
{
    struct pipeline pipeline = {0};
    int last = stages->count - 1;

    while (pipeline.through[last] < stages->chunks) {
        bool moved = false;
        /* Later stages first: what is nearly done frees the most. */
        for (int s = last; s >= 0; s--) {
            if (can_start(&pipeline, s, stages->chunks)) {
                pipeline.since[s] = MPI_Wtime();
                engine->start(state, s, pipeline.through[s]);
                pipeline.busy[s] = moved = true;
            }
            if (pipeline.busy[s] && engine->progress(state, s, &moved)) {
                pipeline.busy[s] = false;
                pipeline.through[s]++;
                moved = true;
                add_time(times, stages->stages[s], MPI_Wtime() - pipeline.since[s]);
            }
        }
        hs_idle_looked(idle, moved);
    }
}
