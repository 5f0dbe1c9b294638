/* What a calibration measures next, without MPI and without a clock: times are made up here. */
#include "../problem_world.h"
#include "runner/grid.h"
#include "test.h"

#define NP 4

struct play {
    struct hs_grid grid;
    double elapsed, spread; /* samples alternate between 1 - spread and 1 + spread */
    size_t steps, visits[64];
    size_t samples;
    bool failing; /* the layer of all ranks */
};

static void begin(struct play *play, int64_t rounds)
{
    const struct hs_grid_rules rules = {.rounds = rounds,
                                        .min_samples = 4,
                                        .max_samples = 16,
                                        .warmup = 1,
                                        .precision = 0.02,
                                        .budget_seconds = 1e6};
    struct hs_range sizes = {.first = 1024, .last = 1024};
    const struct hs_problem problem = problem_world(NP, 1);
    struct hs_calibrate_plan plan;
    struct hs_system system;

    *play = (struct play){.elapsed = 0};
    assert_int_equal(hs_system_parse(&system, "net@1GB/s~10us", NULL), HS_OK);
    assert_int_equal(
        hs_calibrate_plan_make(&plan, &system, &problem,
                               &(struct hs_calibrate_extent){.sizes = sizes, .width = 4}, NULL),
        HS_OK);
    assert_int_equal(hs_grid_init(&play->grid, &plan, NP, &rules, NULL), HS_OK);
    assert_true(play->grid.plan.count <= 64);
    hs_system_release(&system);
}

/* One step; false at the end. */
static bool take(struct play *play)
{
    struct hs_step step = hs_grid_next(&play->grid, play->elapsed);
    double values[16];
    struct hs_step_outcome outcome = {.seconds = {values, 0, 16}};

    if (step.end)
        return false;
    outcome.seconds.count = step.rules.max_samples;
    assert_true(step.rules.max_samples <= 16);
    for (size_t i = 0; i < outcome.seconds.count; i++)
        values[i] = 1 + (i % 2 ? play->spread : -play->spread);
    if (play->failing && step.task.stage.layer.size == NP) {
        outcome.failed = true;
        outcome.seconds.count = 0;
        snprintf(outcome.reason, sizeof(outcome.reason), "no memory");
    }
    play->visits[step.item]++;
    play->samples += outcome.seconds.count;
    play->steps++;
    assert_int_equal(hs_grid_tell(&play->grid, &step, &outcome, "a layer", NULL), HS_OK);
    return true;
}

static void precise_ones_are_visited_once(void **state)
{
    struct play play;

    (void)state;
    begin(&play, 3);
    while (take(&play))
        continue;
    assert_int_equal(play.steps, play.grid.plan.count);
    assert_int_equal(play.grid.measured_tasks, play.grid.plan.count);
    /* The first of several rounds takes min_samples. */
    assert_int_equal(play.samples, 4 * play.grid.plan.count);
    hs_grid_release(&play.grid);
}

static void rough_ones_are_visited_in_every_round(void **state)
{
    struct play play;

    (void)state;
    begin(&play, 3);
    play.spread = 0.3;
    while (take(&play))
        continue;
    for (size_t i = 0; i < play.grid.plan.count; i++)
        assert_int_equal(play.visits[i], 3);
    /* 4, then the 12 that are left in two equal parts. */
    assert_int_equal(play.samples, 16 * play.grid.plan.count);
    hs_grid_release(&play.grid);
}

static void a_failing_task_is_not_tried_again(void **state)
{
    struct play play;
    size_t failed = 0;

    (void)state;
    begin(&play, 3);
    play.spread = 0.3;
    play.failing = true;
    while (take(&play))
        continue;
    for (size_t i = 0; i < play.grid.plan.count; i++) {
        bool fails = play.grid.plan.tasks[i].stage.layer.size == NP;

        failed += fails;
        assert_int_equal(play.visits[i], fails ? 1 : 3);
    }
    assert_true(failed > 0);
    assert_int_equal(play.grid.failure_count, failed);
    assert_int_equal(play.grid.measured_tasks, play.grid.plan.count - failed);
    hs_grid_release(&play.grid);
}

static void the_budget_ends_it(void **state)
{
    struct play play;

    (void)state;
    begin(&play, 1);
    assert_true(take(&play));
    play.elapsed = 1e6;
    assert_false(take(&play));
    hs_grid_release(&play.grid);
}

/* Of every task the first round's, and of the first five the second's. */
static void a_resumed_run_goes_on_where_it_was(void **state)
{
    struct play whole, resumed;

    (void)state;
    begin(&whole, 3);
    begin(&resumed, 3);
    whole.spread = resumed.spread = 0.3;
    for (size_t i = 0; i < whole.grid.plan.count + 5; i++) {
        double before[16];
        size_t task = i % whole.grid.plan.count;
        size_t count = whole.grid.pools[task].seconds.count, more;
        const struct hs_calibrate_task *at = &whole.grid.plan.tasks[task];

        assert_true(take(&whole));
        more = whole.grid.pools[task].seconds.count - count;
        memcpy(before, whole.grid.pools[task].seconds.values + count, more * sizeof(*before));
        assert_int_equal(hs_grid_restore(&resumed.grid, at->stage, at->count,
                                         &(struct hs_samples){before, more, 16}, NULL),
                         HS_OK);
    }
    while (take(&whole))
        continue;
    while (take(&resumed))
        continue;
    assert_int_equal(resumed.steps, whole.steps - whole.grid.plan.count - 5);
    for (size_t i = 0; i < whole.grid.plan.count; i++) {
        assert_int_equal(resumed.grid.pools[i].seconds.count, whole.grid.pools[i].seconds.count);
        assert_int_equal(resumed.grid.pools[i].rounds.count, 3);
    }
    hs_grid_release(&whole.grid);
    hs_grid_release(&resumed.grid);
}

static void a_layer_that_hung_is_left_out(void **state)
{
    struct hs_stage_key key = {HS_ALLREDUCE, HS_RING, {1, NP}};
    struct play play;

    (void)state;
    begin(&play, 3);
    assert_int_equal(hs_grid_restore(&play.grid, key, 0, NULL, NULL), HS_OK);
    while (take(&play))
        continue;
    for (size_t i = 0; i < play.grid.plan.count; i++)
        assert_int_equal(play.visits[i], play.grid.plan.tasks[i].stage.layer.size == NP ? 0 : 1);
    assert_int_equal(play.grid.failure_count, 1);
    hs_grid_release(&play.grid);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what is precise is measured once", precise_ones_are_visited_once),
    HS_TEST("what is not is measured in every round, with the samples that are left",
            rough_ones_are_visited_in_every_round),
    HS_TEST("what fails is said, and not tried again", a_failing_task_is_not_tried_again),
    HS_TEST("when the time is spent nothing more is measured", the_budget_ends_it),
    HS_TEST("a resumed run goes on where it was, in the middle of a round",
            a_resumed_run_goes_on_where_it_was),
    HS_TEST("a layer that hung before is left out", a_layer_that_hung_is_left_out),
};

HS_TEST_MAIN(tests)
