/* task.c - see task.h. */
#include "engine/task.h"

/* How many lines in every block of every chunk make up for the padding. */
#define LINES_MIN 16

struct hs_group hs_task_group(const struct hs_task *task, int64_t np)
{
    return task->group.ranks > 0 ? task->group : hs_group_world(np);
}

struct hs_problem hs_task_problem(const struct hs_task *task)
{
    struct hs_problem problem = hs_problem_of(
        task->collective, task->layout, hs_split_product(&task->plan.split), (double)task->count);

    if (task->group.ranks > 0)
        problem.group = task->group;
    return problem;
}

bool hs_task_equal(const struct hs_task *a, const struct hs_task *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    switch (a->kind) {
    case HS_TASK_PLAN:
        return hs_plan_compare(&a->plan, &b->plan) == 0 && a->collective == b->collective &&
               a->layout == b->layout && hs_group_equal(&a->group, &b->group);
    case HS_TASK_STAGE:
        return hs_stage_key_equal(a->stage, b->stage);
    case HS_TASK_NATIVE:
        break;
    }
    return a->native == b->native && a->collective == b->collective &&
           hs_group_equal(&a->group, &b->group);
}

/* An allreduce needs no equal blocks, its two halves do. */
static size_t parts_of_plan(const struct hs_task *task)
{
    const struct hs_plan *plan = &task->plan;
    int last = plan->split.count - 1;
    struct hs_layer layer = hs_split_layer(&plan->split, last);
    bool halves = hs_plan_algorithm(plan, last, 0) != hs_plan_algorithm(plan, last, 1) ||
                  hs_collective_is_one_way(task->collective);

    return (size_t)(layer.stride * (halves ? layer.size : 1));
}

static size_t parts_of(const struct hs_task *task)
{
    switch (task->kind) {
    case HS_TASK_PLAN:
        return parts_of_plan(task);
    case HS_TASK_STAGE:
        return (size_t)task->stage.layer.size;
    case HS_TASK_NATIVE:
        break;
    }
    return hs_collective_is_one_way(task->collective) ? parts_of_plan(task) : 1;
}

size_t hs_task_quantum(const struct hs_task *task, size_t line)
{
    size_t parts = parts_of(task), aligned = parts * line;
    size_t chunks = task->kind == HS_TASK_PLAN ? (size_t)task->plan.chunks : 1;

    if (task->kind == HS_TASK_NATIVE && parts == 1)
        return 1;
    return task->count / aligned / chunks >= LINES_MIN ? aligned : parts;
}

size_t hs_task_padded(const struct hs_task *task, size_t line)
{
    size_t quantum = hs_task_quantum(task, line);

    return (task->count + quantum - 1) / quantum * quantum;
}

struct hs_block hs_task_block(const struct hs_task *task, size_t line, int64_t rank)
{
    struct hs_problem problem = hs_task_problem(task);
    struct hs_block block = {.count = hs_task_padded(task, line)};

    if (hs_collectives[task->collective].ordered) {
        block.count /= (size_t)problem.group.size;
        block.first = (size_t)hs_problem_block(&problem, &task->plan.split,
                                               hs_group_place(&problem.group, rank)) *
                      block.count;
    }
    return block;
}

size_t hs_task_padded_most(size_t count, int64_t np, size_t line)
{
    size_t aligned = (size_t)np * line, most = count / LINES_MIN;

    if (aligned < most)
        most = aligned;
    return count + (most > (size_t)np ? most : (size_t)np);
}

/* Of a plan and a native. */
static enum hs_status check_group(const struct hs_task *task, int64_t np, struct hs_error *err)
{
    int64_t product = hs_split_product(&task->plan.split);
    struct hs_problem problem = hs_task_problem(task);

    if (product != problem.group.size || problem.group.ranks != np)
        return hs_fail(err, HS_INVALID, "the split is for %lld processes, there are %lld",
                       (long long)(problem.group.ranks != np ? problem.group.ranks : product),
                       (long long)(problem.group.ranks != np ? np : problem.group.size));
    return hs_group_check(&problem.group, err);
}

static enum hs_status check_plan(const struct hs_task *task, int64_t np, struct hs_error *err)
{
    const struct hs_plan *plan = &task->plan;
    struct hs_problem problem = hs_task_problem(task);

    if (check_group(task, np, err))
        return HS_INVALID;
    if (plan->chunks < 1 || plan->chunks > HS_CHUNKS_MAX)
        return hs_fail(err, HS_INVALID, "chunks: expected 1 to %d, found %d", HS_CHUNKS_MAX,
                       plan->chunks);
    return hs_problem_check(&problem, plan, err);
}

static enum hs_status check_layer(struct hs_layer layer, int64_t np, struct hs_error *err)
{
    if (layer.stride >= 1 && layer.size >= 1 && np % (layer.stride * layer.size) == 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "layer of %lld at stride %lld: expected their product to divide %lld",
                   (long long)layer.size, (long long)layer.stride, (long long)np);
}

bool hs_task_exchanges(const struct hs_task *task)
{
    return (task->kind == HS_TASK_PLAN && hs_collectives[task->collective].whole) ||
           (task->kind == HS_TASK_STAGE && task->stage.phase == HS_EXCHANGE);
}

/* Whether chunks leave what it does as it is. */
static bool is_cut(const struct hs_task *task)
{
    if (task->kind == HS_TASK_STAGE)
        return !hs_task_exchanges(task);
    return !hs_collective_is_one_way(task->collective);
}

enum hs_status hs_task_check_count(const struct hs_task *task, size_t line, struct hs_error *err)
{
    size_t padded = hs_task_padded(task, line);

    if (is_cut(task) || padded <= HS_CHUNK_ELEMENTS_MAX)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s of %zu elements: expected at most %zu in one call",
                   task->kind != HS_TASK_STAGE ? hs_collectives[task->collective].written
                                               : hs_phase_names[task->stage.phase],
                   padded, HS_CHUNK_ELEMENTS_MAX);
}

enum hs_status hs_work_check(const struct hs_work *work, int64_t np, struct hs_error *err)
{
    const struct hs_task *task = work->task;
    bool has_blocks = hs_collective_is_one_way(task->collective);
    enum hs_status status = HS_OK;
    size_t padded;

    if (task->kind == HS_TASK_PLAN)
        status = check_plan(task, np, err);
    else if (task->kind == HS_TASK_NATIVE && (has_blocks || task->group.ranks > 0))
        status = check_group(task, np, err);
    else if (task->kind == HS_TASK_STAGE)
        status = check_layer(task->stage.layer, np, err);
    if (status == HS_OK)
        status = hs_task_check_count(task, work->line, err);
    if (status != HS_OK)
        return status;
    padded = hs_task_padded(task, work->line);
    if (padded > work->room)
        status = hs_fail(err, HS_INVALID, "expected room for %zu elements, found %zu", padded,
                         work->room);
    return status;
}

/* Others than the library's own, which no letter is taken for, too. */
static bool names_algorithms(const struct hs_task *task)
{
    enum hs_algorithm algorithm = task->stage.algorithm;

    if (task->kind == HS_TASK_PLAN)
        return hs_plan_names_ours(&task->plan);
    return task->kind == HS_TASK_STAGE && algorithm != HS_RING && algorithm != HS_NATIVE;
}

enum hs_status hs_work_check_library(const struct hs_work *work, int64_t np, struct hs_error *err)
{
    enum hs_status status = hs_work_check(work, np, err);

    if (status == HS_OK && names_algorithms(work->task))
        status = hs_fail(err, HS_INVALID,
                         "algorithms are named, and this backend leaves them to its library");
    return status;
}
