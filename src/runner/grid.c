/* grid.c - see grid.h. */
#include "runner/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* A measurement may take so many times its equal share of the time that is left. */
#define SHARES 2.0

enum hs_status hs_grid_init(struct hs_grid *grid, const struct hs_calibrate_plan *plan, int64_t np,
                            const struct hs_grid_rules *rules, struct hs_error *err)
{
    *grid = (struct hs_grid){.rules = *rules, .plan = *plan, .np = np};
    grid->pools = calloc(plan->count, sizeof(*grid->pools));
    return grid->pools ? HS_OK
                       : hs_fail(err, HS_MEMORY, "out of memory for %zu tasks", plan->count);
}

void hs_grid_release(struct hs_grid *grid)
{
    for (size_t i = 0; grid->pools && i < grid->plan.count; i++) {
        hs_samples_release(&grid->pools[i].seconds);
        hs_samples_release(&grid->pools[i].rounds);
    }
    free(grid->pools);
    hs_samples_release(&grid->scatters);
    hs_rank_times_release(&grid->rank_times);
    hs_text_release(&grid->failures);
    hs_calibrate_plan_release(&grid->plan);
    *grid = (struct hs_grid){.pools = NULL};
}

double hs_grid_noise(const struct hs_grid_pool *pool)
{
    double noise = hs_samples_noise(&pool->seconds);

    return pool->rounds.count >= 2 ? fmax(noise, hs_samples_noise(&pool->rounds)) : noise;
}

/* ---- what is next ---- */

/* Whether this round has nothing to add. */
static bool is_done(const struct hs_grid *grid, const struct hs_grid_pool *pool)
{
    return pool->visits > grid->round || pool->seconds.count >= (size_t)grid->rules.max_samples ||
           (pool->seconds.count > 0 &&
            HS_NORMAL95 * hs_grid_noise(pool) <= grid->rules.precision) ||
           (grid->round > 0 && pool->seconds.count == 0); /* it fails */
}

/* Moves on to the next task that needs samples; false at the end. */
static bool find_task(struct hs_grid *grid)
{
    while (grid->round < grid->rules.rounds) {
        while (grid->next < grid->plan.count && is_done(grid, &grid->pools[grid->next]))
            grid->next++;
        if (grid->next < grid->plan.count)
            return true;
        grid->round++;
        grid->next = 0;
    }
    return false;
}

/* The samples that are left in equal parts, the time likewise. */
static struct hs_rules rules_of(const struct hs_grid *grid, double left_seconds)
{
    const struct hs_grid_rules *rules = &grid->rules;
    int64_t taken = (int64_t)grid->pools[grid->next].seconds.count;
    int64_t rounds = rules->rounds - grid->round;
    int64_t samples = (rules->max_samples - taken + rounds - 1) / rounds;
    double visits =
        (double)(grid->plan.count - grid->next) + (double)(rounds - 1) * (double)grid->plan.count;

    if (grid->round == 0 && rounds > 1)
        samples = rules->min_samples;
    return (struct hs_rules){
        .warmup_runs = (int)rules->warmup,
        .min_samples = (size_t)(samples < rules->min_samples ? samples : rules->min_samples),
        .max_samples = (size_t)samples,
        .precision = rules->precision,
        .budget_seconds = SHARES * left_seconds / visits};
}

struct hs_step hs_grid_next(struct hs_grid *grid, double elapsed_seconds)
{
    double left = grid->rules.budget_seconds - elapsed_seconds;
    const struct hs_calibrate_task *task;

    if (left <= 0 || !find_task(grid))
        return (struct hs_step){.end = true};
    task = &grid->plan.tasks[grid->next];
    return (struct hs_step){
        .task = {.kind = HS_TASK_STAGE, .stage = task->stage, .count = task->count},
        .rules = rules_of(grid, left),
        .prepare = true,
        .by_rank = true,
        .item = grid->next};
}

/* ---- what came of it ---- */

enum hs_status hs_grid_tell(struct hs_grid *grid, const struct hs_step *step,
                            const struct hs_step_outcome *outcome, const char *what,
                            struct hs_error *err)
{
    struct hs_grid_pool *pool = &grid->pools[step->item];
    const struct hs_samples *samples = &outcome->seconds;
    enum hs_status status = HS_OK;

    grid->next = step->item + 1;
    pool->visits++;
    grid->runs += samples->count + (size_t)step->rules.warmup_runs;
    if (outcome->failed) {
        hs_text_append(&grid->failures, "%s %s: %s\n", what,
                       outcome->timed_out ? "took too long" : "failed", outcome->reason);
        grid->failure_count++;
    }
    if (samples->count == 0)
        return HS_OK;
    grid->measured_tasks += pool->seconds.count == 0;
    status = hs_samples_join(&pool->seconds, samples, err);
    if (status == HS_OK)
        status = hs_samples_add(&pool->rounds, hs_samples_median(samples), err);
    if (status == HS_OK && samples->count >= 2)
        status = hs_samples_add(&grid->scatters, hs_samples_scatter(samples), err);
    if (status == HS_OK && outcome->rank_seconds)
        status = hs_rank_times_add(&grid->rank_times, grid->np, step->task.stage.layer,
                                   outcome->rank_seconds, err);
    return status;
}

/* ---- what was measured before ---- */

/* A kill in a round leaves tasks behind that were not tried yet in it: a visit is a round. */
static enum hs_status restore_task(struct hs_grid *grid, size_t task,
                                   const struct hs_samples *samples, struct hs_error *err)
{
    struct hs_step step = {.task.stage.layer = grid->plan.tasks[task].stage.layer, .item = task};
    struct hs_step_outcome outcome = {.seconds = *samples};
    enum hs_status status = hs_grid_tell(grid, &step, &outcome, "", err);

    grid->next = 0;
    return status;
}

static void leave_out(struct hs_grid *grid, struct hs_layer layer)
{
    bool any = false;

    for (size_t i = 0; i < grid->plan.count; i++) {
        struct hs_grid_pool *pool = &grid->pools[i];

        if (!hs_layer_equal(grid->plan.tasks[i].stage.layer, layer) || pool->visits > 0)
            continue;
        pool->visits++;
        any = true;
    }
    if (!any)
        return;
    hs_text_append(&grid->failures,
                   "the layer of size %" PRId64 " at stride %" PRId64
                   " could not be measured before; --retry tries again\n",
                   layer.size, layer.stride);
    grid->failure_count++;
}

enum hs_status hs_grid_restore(struct hs_grid *grid, struct hs_stage_key key, size_t count,
                               const struct hs_samples *samples, struct hs_error *err)
{
    for (size_t i = 0; samples && i < grid->plan.count; i++) {
        const struct hs_calibrate_task *task = &grid->plan.tasks[i];

        if (task->count == count && hs_stage_key_equal(task->stage, key))
            return restore_task(grid, i, samples, err);
    }
    if (!samples)
        leave_out(grid, key.layer);
    return HS_OK;
}
