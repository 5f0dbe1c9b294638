/*
 * Layer times of results as points for a calibration: which count, and what they say.
 */
#include "result_tools.h"
#include "systems.h"

#include <math.h>

#include "library/price_plan.h"
#include "record/points.h"

/* A measured plan with layer times 1, 2, ... ms per reduce-scatter and 10, 20, ... ms per
 * allgather. */
static struct hs_candidate *add_plan(struct hs_result_message *message, const char *text)
{
    struct hs_candidate *candidate = hs_result_add_candidate(message);
    struct hs_measured *measured;
    struct hs_error err = {0};
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_problem problem;

    assert_non_null(candidate);
    assert_status_is(hs_plan_parse(&candidate->plan, text, 0, &err), HS_OK, &err);
    measured = hs_candidate_add_measured(candidate);
    assert_non_null(measured);
    measured->status = HS_MEASURE_OK;
    measured->median_seconds = 0.1;
    measured->ci95_low_seconds = 0.09;
    measured->ci95_high_seconds = 0.11;
    problem = problem_world(hs_split_product(&candidate->plan.split), 1);
    measured->stage_count = (size_t)hs_problem_stages(stages, &problem, &candidate->plan);
    measured->stages = calloc(measured->stage_count, sizeof(*measured->stages));
    for (size_t i = 0; i < measured->stage_count; i++) {
        double unit = stages[i].key.phase == HS_ALLGATHER ? 10e-3 : 1e-3;

        measured->stages[i] = (struct hs_stage_time){stages[i].key, unit * (stages[i].layer + 1)};
    }
    return candidate;
}

static void each_layer_of_a_measured_plan_is_a_point(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_point_list points = {0};
    struct hs_error err = {0};

    (void)state;
    result.np = 8;
    message->message_bytes = 1 << 20;
    add_plan(message, "2x4");
    assert_status_is(hs_result_points(&points, &result, &err), HS_OK, &err);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.items[0].key.layer.stride, 1);
    assert_int_equal(points.items[0].key.layer.size, 2);
    assert_int_equal(points.items[0].key.phase, HS_PAIR);
    assert_near(points.items[0].bytes, 1048576, 0);
    assert_near(points.items[0].seconds, 11e-3, 1e-12);
    assert_near(points.items[0].noise, 0.1 / 1.959964, 1e-12); /* +- 10 ms of 100 ms */
    assert_int_equal(points.items[1].key.layer.stride, 2);
    assert_int_equal(points.items[1].key.phase, HS_ALLREDUCE);
    assert_near(points.items[1].bytes, 524288, 0);
    assert_near(points.items[1].seconds, 2e-3, 1e-12);
    assert_int_equal(points.items[1].np, 8);
    hs_point_list_release(&points);
    hs_result_release(&result);
}

/* Of a layer with two letters each way is a point of its algorithm. */
static void points_are_of_the_algorithms_that_ran(void **state)
{
    static const struct hs_stage_key keys[] = {{HS_PAIR, HS_HALVING, {1, 2}},
                                               {HS_REDUCE_SCATTER, HS_DIRECT, {2, 4}},
                                               {HS_ALLGATHER, HS_RING, {2, 4}}};
    static const double seconds[] = {11e-3, 2e-3, 20e-3};
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_point_list points = {0};
    struct hs_error err = {0};

    (void)state;
    result.np = 8;
    message->message_bytes = 1 << 20;
    add_plan(message, "2hx4dr");
    assert_status_is(hs_result_points(&points, &result, &err), HS_OK, &err);
    assert_int_equal(points.count, HS_COUNT(keys));
    for (size_t i = 0; i < HS_COUNT(keys); i++) {
        assert_true(hs_stage_key_equal(points.items[i].key, keys[i]));
        assert_near(points.items[i].seconds, seconds[i], 1e-12);
    }
    hs_point_list_release(&points);
    hs_result_release(&result);
}

static void plans_that_say_nothing_of_a_layer_alone_are_passed_over(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_point_list points = {0};
    struct hs_error err = {0};

    (void)state;
    result.np = 8;
    message->message_bytes = 1 << 20;
    add_plan(message, "2x4/4"); /* layers overlap */
    add_plan(message, "4x2")->measured->status = HS_MEASURE_WRONG;
    hs_candidate_add_measured(add_plan(message, "8"))->status = HS_MEASURE_OK; /* no layer times */
    assert_non_null(hs_result_add_candidate(message));                         /* predicted only */
    message->candidates[3].plan = message->candidates[2].plan;
    assert_status_is(hs_result_points(&points, &result, &err), HS_OK, &err);
    assert_int_equal(points.count, 0);
    hs_result_release(&result);
}

static void padded_messages_count_with_what_travelled(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_point_list points = {0};
    struct hs_error err = {0};

    (void)state;
    result.np = 3;
    message->message_bytes = 1000;
    message->padded_bytes = 1008;
    add_plan(message, "3");
    assert_status_is(hs_result_points(&points, &result, &err), HS_OK, &err);
    assert_int_equal(points.count, 1);
    assert_near(points.items[0].bytes, 1008, 0);
    hs_point_list_release(&points);
    hs_result_release(&result);
}

/* ---- what lies between calls ----------------------------------------------------------------- */

/* Plays a plan of 16 ranks on a system whose gap is known: its stages as each takes alone. */
static void play(struct hs_result_message *message, const char *text,
                 const struct hs_system *system, double noise)
{
    struct hs_candidate *candidate = add_plan(message, text);
    struct hs_problem problem = problem_world(16, (double)message->message_bytes);
    struct hs_measured *measured = candidate->measured;
    struct hs_system alone = *system;

    alone.gap_seconds = 0;
    for (size_t s = 0; s < measured->stage_count; s++) {
        struct hs_stage_key key = measured->stages[s].key;
        struct hs_stage_price price = hs_stage_price(&alone, 16, key);

        measured->stages[s].seconds =
            hs_stage_seconds(&price, hs_problem_entering(&problem, key.layer));
    }
    measured->median_seconds = hs_plan_seconds(system, &problem, &candidate->plan) * noise;
    measured->ci95_low_seconds = 0.99 * measured->median_seconds;
    measured->ci95_high_seconds = 1.01 * measured->median_seconds;
}

static void a_gap_fitted_to_some_plans_predicts_the_others_better(void **state)
{
    static const char *const left_out[] = {"2x2x2x2", "2x8", "4x2x2"};
    struct hs_system system = parse("nv:4@100GB/s~3us,ib@20GB/s~9us;gap=50us"), fitted = system;
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_gap_points points = {0};

    (void)state;
    result.np = 16;
    message->message_bytes = 1 << 20;
    play(message, "4x4", &system, 1.005);
    play(message, "8x2", &system, 0.995);
    play(message, "2x2x4", &system, 1.003);
    play(message, "16", &system, 1); /* has no second call */
    hs_gap_points_add(&points, &result);
    assert_int_equal(points.plans, 3);
    assert_true(hs_gap_points_fit(&fitted.gap_seconds, &fitted.gap_ci95_seconds, &points));
    assert_true(fabs(fitted.gap_seconds - 50e-6) < fitted.gap_ci95_seconds);
    assert_true(fitted.gap_ci95_seconds < 15e-6);
    for (size_t i = 0; i < HS_COUNT(left_out); i++) {
        double truth = plan_seconds(&system, left_out[i], 1 << 20), with, without;

        with = plan_seconds(&fitted, left_out[i], 1 << 20);
        fitted.gap_seconds = 0;
        without = plan_seconds(&fitted, left_out[i], 1 << 20);
        hs_gap_points_fit(&fitted.gap_seconds, &fitted.gap_ci95_seconds, &points);
        assert_true(fabs(with / truth - 1) < 0.2 * fabs(without / truth - 1));
    }
    hs_system_release(&system);
    hs_result_release(&result);
}

/* Stages that overlap add up to more than the whole, and noise is no gap. */
static void what_is_not_above_its_interval_is_no_gap(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~3us,ib@20GB/s~9us;gap=0.1us");
    struct hs_gap_points none = {0}, noisy = {0}, overlapped = {0};
    double seconds, ci95;

    (void)state;
    assert_false(hs_gap_points_fit(&seconds, &ci95, &none));
    for (int k = 0; k < 2; k++) {
        struct hs_result result;
        struct hs_result_message *message = start(&result);

        result.np = 16;
        message->message_bytes = 1 << 20;
        play(message, "4x4", &system, k == 0 ? 1.001 : 0.9);
        hs_gap_points_add(k == 0 ? &noisy : &overlapped, &result);
        hs_result_release(&result);
    }
    assert_false(hs_gap_points_fit(&seconds, &ci95, &noisy));
    assert_true(seconds < ci95);
    assert_false(hs_gap_points_fit(&seconds, &ci95, &overlapped));
    assert_true(seconds < 0);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("each layer of a measured plan is a point", each_layer_of_a_measured_plan_is_a_point),
    HS_TEST("points are of the algorithms that ran", points_are_of_the_algorithms_that_ran),
    HS_TEST("plans that say nothing of a layer alone are passed over",
            plans_that_say_nothing_of_a_layer_alone_are_passed_over),
    HS_TEST("padded messages count with what travelled", padded_messages_count_with_what_travelled),
    HS_TEST("a gap fitted to some plans predicts the others better",
            a_gap_fitted_to_some_plans_predicts_the_others_better),
    HS_TEST("what is not above its interval is no gap", what_is_not_above_its_interval_is_no_gap),
};
HS_TEST_MAIN(tests)
