/* packing.c - see packing.h. */
#include "engine/packing.h"

bool hs_task_packs(const struct hs_task *task)
{
    return task->kind == HS_TASK_PLAN && hs_collectives[task->collective].ordered &&
           task->layout == HS_PACKED && task->plan.split.count > 1;
}

bool hs_task_packs_elsewhere(const struct hs_task *task)
{
    return hs_task_packs(task) && !hs_collectives[task->collective].begins_large;
}

static size_t block_bytes(const struct hs_pack *packing)
{
    const struct hs_work *work = &packing->work;

    return hs_task_block(work->task, work->line, packing->rank).count *
           hs_datatype_bytes(work->datatype);
}

/* Where the block of a place of the group lies while the plan runs. */
static size_t place_while(const struct hs_pack *packing, int64_t place)
{
    struct hs_problem problem = hs_task_problem(packing->work.task);

    problem.layout = HS_REVERSED;
    return (size_t)hs_problem_block(&problem, &packing->work.task->plan.split, place);
}

static size_t own_place(const struct hs_pack *packing)
{
    struct hs_problem problem = hs_task_problem(packing->work.task);

    return (size_t)hs_group_place(&problem.group, packing->rank);
}

void hs_packing_copy(const struct hs_pack *packing, char *to, const char *from, bool back)
{
    struct hs_problem problem = hs_task_problem(packing->work.task);
    size_t bytes = block_bytes(packing);

    for (int64_t r = 0; r < problem.group.size; r++) {
        size_t here = (size_t)r * bytes, there = place_while(packing, r) * bytes;

        packing->memory->copy(packing->queue, to + (back ? here : there),
                              from + (back ? there : here), bytes);
    }
    packing->memory->wait(packing->queue);
}

static void copy_own(const struct hs_pack *packing, char *to, const char *from)
{
    packing->memory->copy(packing->queue, to, from, block_bytes(packing));
    packing->memory->wait(packing->queue);
}

struct hs_work hs_packing_begin(const struct hs_pack *packing, void *spare)
{
    struct hs_work run = packing->work;
    size_t bytes = block_bytes(packing), own = own_place(packing);

    if (hs_task_packs_elsewhere(run.task)) {
        run.output = spare;
        copy_own(packing, (char *)spare + place_while(packing, (int64_t)own) * bytes,
                 (const char *)packing->work.output + own * bytes);
    } else if (hs_task_packs(run.task)) {
        run.input = run.output;
        hs_packing_copy(packing, run.output, packing->work.input, false);
    }
    return run;
}

void hs_packing_end(const struct hs_pack *packing, const struct hs_work *run)
{
    size_t bytes = block_bytes(packing), own = own_place(packing);
    size_t there = place_while(packing, (int64_t)own);
    char *output = packing->work.output;

    if (hs_task_packs_elsewhere(run->task))
        hs_packing_copy(packing, output, run->output, true);
    else if (hs_task_packs(run->task) && there != own)
        copy_own(packing, output + own * bytes, output + there * bytes);
}
