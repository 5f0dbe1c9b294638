/*
 * grid.h - planner of a calibration: goes through the tasks of calibrate_plan.h in rounds. Pure.
 *
 * In rounds, so that what drifts hits all layers alike and shows: a point's noise is that of its
 * median, and not less than its rounds differ. The first round takes min_samples of everything;
 * later ones take more where the medians are not precise yet, in equal parts.
 */
#ifndef HS_MEASURE_GRID_H
#define HS_MEASURE_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "runner/calibrate_plan.h"
#include "runner/samples.h"
#include "runner/step.h"
#include "runner/straggler.h"

struct hs_grid_rules {
    int64_t rounds, min_samples, max_samples, warmup;
    double precision; /* half width of the 95 % interval over the median */
    double budget_seconds;
};

/* What was measured of one task of the plan. */
struct hs_grid_pool {
    struct hs_samples seconds; /* of all rounds */
    struct hs_samples rounds;  /* median of each round */
    int64_t visits;            /* rounds that it was tried in */
};

struct hs_grid {
    struct hs_grid_rules rules;
    struct hs_calibrate_plan plan;
    int64_t np;
    struct hs_grid_pool *pools; /* [plan.count] owned */
    int64_t round;
    size_t next;                /* task of the round */
    size_t measured_tasks;      /* tasks with samples */
    struct hs_samples scatters; /* of measurements: relative standard deviation of one sample */
    struct hs_rank_times rank_times;
    struct hs_text failures; /* lines */
    size_t failure_count, runs;
};

/* The plan becomes the grid's, which is released in any case. HS_MEMORY. */
enum hs_status hs_grid_init(struct hs_grid *grid, const struct hs_calibrate_plan *plan, int64_t np,
                            const struct hs_grid_rules *rules, struct hs_error *err);
void hs_grid_release(struct hs_grid *grid);

/* The next measurement, `elapsed_seconds` after the first began; its item is the task. What one may
 * take is the time that is left in equal parts, twice. */
struct hs_step hs_grid_next(struct hs_grid *grid, double elapsed_seconds);
/* What came of it; `what` names it where it failed. HS_MEMORY. */
enum hs_status hs_grid_tell(struct hs_grid *grid, const struct hs_step *step,
                            const struct hs_step_outcome *outcome, const char *what,
                            struct hs_error *err);

/* What an earlier session measured, before the first step: times of a task of the plan; or
 * (`samples` NULL) that the layer of the key cannot be measured: all its tasks without times are
 * then left out. What is not in the plan is passed over. HS_MEMORY. */
enum hs_status hs_grid_restore(struct hs_grid *grid, struct hs_stage_key key, size_t count,
                               const struct hs_samples *samples, struct hs_error *err);

/* Relative standard error of the median of a task that has samples: of all of them, and not less
 * than what its rounds differ by. */
double hs_grid_noise(const struct hs_grid_pool *pool);

#endif
