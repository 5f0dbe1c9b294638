#include "systems.h"
#include "test.h"

#include "estimate/system_file.h"
#include "export/approximate.h"

/* Times in results/ are made up and read off by hand: tests/export/results. */
static struct hs_result load(const char *name)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_result result;
    char path[128];

    snprintf(path, sizeof(path), "tests/export/results/%s.json", name);
    assert_status_is(hs_result_load(&result, path, &err), HS_OK, &err);
    return result;
}

static struct hs_plan plan_of(const char *text)
{
    struct hs_plan plan;

    assert_int_equal(hs_plan_parse(&plan, text, 0, NULL), HS_OK);
    return plan;
}

static void assert_choice(const struct hs_export_job *job, size_t message, const char *wanted,
                          double wanted_cost)
{
    struct hs_error err = {HS_OK, ""};
    char text[HS_SPLIT_TEXT];
    struct hs_plan plan;
    double cost;

    assert_status_is(hs_export_choose_node(&plan, &cost, job, message, &err), HS_OK, &err);
    assert_string_equal(hs_plan_format(text, &plan), wanted);
    assert_near(cost, wanted_cost, 1e-12);
}

static void nodes_come_from_the_placement(void **state)
{
    struct hs_result result = load("asymmetric64");
    bool measured;

    (void)state;
    assert_int_equal(hs_export_node_ranks(&result, &measured), 4);
    assert_true(measured);
    result.placement.nodes[0].ranks = 3;
    assert_int_equal(hs_export_node_ranks(&result, &measured), 0);
    assert_false(measured);
    hs_result_release(&result);
}

static void without_placement_the_first_level_is_a_node(void **state)
{
    struct hs_result result = load("asymmetric64");
    size_t nodes = result.placement.node_count;
    bool measured;

    (void)state;
    result.placement.node_count = 0;
    result.system.levels[0].arity = 16;
    assert_int_equal(hs_export_node_ranks(&result, &measured), 16);
    assert_false(measured);
    result.system.levels[0].arity = 128;
    assert_int_equal(hs_export_node_ranks(&result, NULL), 64);
    result.placement.node_count = nodes;
    hs_result_release(&result);
}

/* Summit's node has two sockets of 3 GPUs each (IBM AC922). */
static void levels_inside_of_a_node_are_one_node(void **state)
{
    struct hs_result result = {.np = 48, .has_system = true};

    (void)state;
    assert_int_equal(hs_system_load(&result.system, "configs/summit.json", NULL), HS_OK);
    assert_int_equal(hs_export_node_ranks(&result, NULL), 6);
    hs_system_release(&result.system);
}

static void measured_times_come_before_predicted_ones(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_plan two = plan_of("4x16"), three = plan_of("4x8x2"), none = plan_of("8x8");
    double bytes = (double)result.messages[2].message_bytes;
    double predicted = cost_of(&result.system, &none, bytes).seconds /
                       cost_of(&result.system, &three, bytes).seconds;

    (void)state;
    assert_near(hs_export_time_ratio(&job, 2, &two, &three), 4200.0 / 3000.0, 1e-12);
    assert_near(hs_export_time_ratio(&job, 2, &none, &three), predicted, 1e-12);
    hs_system_release(&result.system);
    result.has_system = false;
    assert_true(isnan(hs_export_time_ratio(&job, 2, &none, &three)));
    hs_result_release(&result);
}

static void a_node_and_the_rest_stand_for_three_layers(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_plan named = plan_of("8x8");

    (void)state;
    assert_choice(&job, 0, "64", 1);
    assert_choice(&job, 1, "4x16", 1);
    assert_choice(&job, 2, "4x16", 4200.0 / 3000.0);
    job.plan = &named;
    assert_choice(&job, 2, "4x16",
                  hs_export_time_ratio(
                      &job, 2,
                      &(struct hs_plan){.split = {.count = 2, .sizes = {4, 16}}, .chunks = 1},
                      &named));
    hs_result_release(&result);
}

static void the_flat_split_stands_in_where_it_is_faster(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_plan named = plan_of("8x8");

    (void)state;
    job.plan = &named;
    /* At 4 KiB the flat split was measured faster than 4x16. */
    assert_choice(&job, 0, "64",
                  hs_export_time_ratio(
                      &job, 0, &(struct hs_plan){.split = hs_split_flat(64), .chunks = 1}, &named));
    hs_result_release(&result);
}

static void one_node_is_flat(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_plan named = plan_of("4x16");
    size_t nodes = result.placement.node_count;

    (void)state;
    result.placement.node_count = 1;
    result.placement.nodes[0].ranks = 64;
    job.plan = &named;
    assert_choice(&job, 1, "64", 3);
    result.placement.node_count = nodes;
    hs_result_release(&result);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the ranks of a node are those of the placement, if it is even",
            nodes_come_from_the_placement),
    HS_TEST("without a placement a unit of the first level is a node",
            without_placement_the_first_level_is_a_node),
    HS_TEST("levels inside of a node are one node", levels_inside_of_a_node_are_one_node),
    HS_TEST("measured times come before predicted ones, and without both there is none",
            measured_times_come_before_predicted_ones),
    HS_TEST("the node and the rest stand for three layers, at the cost that was measured",
            a_node_and_the_rest_stand_for_three_layers),
    HS_TEST("the flat split stands in where it is faster than the node and the rest",
            the_flat_split_stands_in_where_it_is_faster),
    HS_TEST("all processes in one node are flat", one_node_is_flat),
};

HS_TEST_MAIN(tests)
