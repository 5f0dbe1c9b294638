/* stages.c - see stages.h. */
#include "engine/stages.h"

#include <assert.h>
#include <mpi.h>

static int chunks_needed(size_t padded, int asked)
{
    size_t least = (padded + HS_CHUNK_ELEMENTS_MAX - 1) / HS_CHUNK_ELEMENTS_MAX;

    return least > (size_t)asked ? (int)least : asked;
}

static void list_plan(struct hs_stages *stages, const struct hs_task *task)
{
    const struct hs_split *split = &task->plan.split;
    struct hs_problem problem = hs_task_problem(task);
    int last = split->count - 1;
    bool inward = hs_problem_is_natural(&problem);

    stages->layers = split->count;
    stages->count = hs_problem_stages(stages->stages, &problem, &task->plan);
    stages->chunks = chunks_needed(stages->padded, task->plan.chunks);
    for (int i = 0; i <= last; i++)
        stages->layer[i] = hs_problem_layer(&problem, split, inward ? last - i : i);
    for (int s = 0; s < stages->count && inward; s++)
        stages->stages[s].layer = last - stages->stages[s].layer;
}

static void list_stage(struct hs_stages *stages, const struct hs_task *task)
{
    stages->layers = stages->count = 1;
    stages->stages[0] = (struct hs_stage){.key = task->stage, .bytes = (double)task->count};
    stages->layer[0] = task->stage.layer;
    stages->chunks = chunks_needed(stages->padded, 1);
}

void hs_stages_init(struct hs_stages *stages, const struct hs_work *work, int64_t rank)
{
    const struct hs_task *task = work->task;

    assert(task->kind != HS_TASK_NATIVE);
    *stages = (struct hs_stages){.padded = hs_task_padded(task, work->line),
                                 .quantum = hs_task_quantum(task, work->line)};
    if (task->kind == HS_TASK_PLAN)
        list_plan(stages, task);
    else
        list_stage(stages, task);
    stages->whole = stages->stages[0].key.phase == HS_EXCHANGE;
    for (int i = 0; i < stages->layers; i++)
        stages->place[i] = rank / stages->layer[i].stride % stages->layer[i].size;
}

struct hs_block hs_stages_block(const struct hs_stages *stages, int layer, int chunk)
{
    size_t quanta = stages->padded / stages->quantum, chunks = (size_t)stages->chunks;
    size_t first = quanta * (size_t)chunk / chunks * stages->quantum;
    size_t end = quanta * ((size_t)chunk + 1) / chunks * stages->quantum;
    struct hs_block block = {first, end - first};

    assert(layer >= 0 && layer <= stages->layers);
    for (int i = 0; i < layer && !stages->whole; i++) {
        block.count /= (size_t)stages->layer[i].size;
        block.first += (size_t)stages->place[i] * block.count;
    }
    return block;
}

size_t hs_stages_parts(const struct hs_stages *stages, int layer)
{
    size_t parts = 1;

    for (int i = 0; i < layer; i++)
        parts *= (size_t)stages->layer[i].size;
    return parts;
}

size_t hs_stages_run(const struct hs_stages *stages, int stage)
{
    return stages->padded / hs_stages_parts(stages, stages->layers) *
           hs_stages_parts(stages, stages->stages[stage].layer);
}

bool hs_stages_sums_last(const struct hs_stages *stages, int stage)
{
    return stages->stages[stage].layer + 1 == stages->layers &&
           stages->stages[stage].key.phase != HS_ALLGATHER && !stages->whole;
}

static bool can_start(const struct hs_stages *stages, int stage)
{
    if (stages->busy[stage] || stages->through[stage] == stages->chunks)
        return false;
    return stage == 0 || stages->through[stage - 1] > stages->through[stage];
}

bool hs_stages_progress(struct hs_stages *stages, const struct hs_stage_runner *runner, void *state,
                        bool *moved)
{
    int last = stages->count - 1;

    /* Later stages first: what is nearly done frees the most. */
    for (int s = last; s >= 0; s--) {
        if (can_start(stages, s)) {
            stages->since[s] = MPI_Wtime();
            runner->start(state, s, stages->through[s]);
            stages->busy[s] = *moved = true;
        }
        if (stages->busy[s] && runner->progress(state, s, moved)) {
            stages->busy[s] = false;
            stages->through[s]++;
            *moved = true;
            stages->seconds[s] += MPI_Wtime() - stages->since[s];
        }
    }
    return stages->through[last] == stages->chunks;
}
