/* Keys of stages, and the stages of problems. */
#include "systems.h"

static void a_key_reads_back_as_it_was_written(void **state)
{
    char text[HS_STAGE_KEY_TEXT];

    (void)state;
    for (int phase = 0; phase < HS_PHASE_COUNT; phase++) {
        struct hs_stage_key key = {(enum hs_phase)phase, HS_RING, {4, 8}}, back;

        assert_int_equal(hs_stage_key_parse(&back, hs_stage_key_format(text, key), NULL), HS_OK);
        assert_true(hs_stage_key_equal(key, back));
    }
    assert_string_equal(
        hs_stage_key_format(text, (struct hs_stage_key){HS_REDUCE_SCATTER, HS_RING, {4, 8}}),
        "reduce-scatter:4:8");
}

static void keys_differ_by_each_part(void **state)
{
    const struct hs_stage_key key = {HS_ALLGATHER, HS_RING, {4, 8}};
    const struct hs_stage_key others[] = {{HS_ALLREDUCE, HS_RING, {4, 8}},
                                          {HS_ALLGATHER, HS_RING, {5, 8}},
                                          {HS_ALLGATHER, HS_RING, {4, 9}}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(others); i++) {
        assert_false(hs_stage_key_equal(key, others[i]));
        assert_true(hs_stage_key_compare(key, others[i]) < 0);
        assert_true(hs_stage_key_compare(others[i], key) > 0);
    }
}

static void wrong_keys_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"", "expected PHASE:STRIDE:SIZE"},
        {"allreduce", "expected PHASE:STRIDE:SIZE"},
        {"allreduce:4", "expected PHASE:STRIDE:SIZE"},
        {"allreduce:4:", "expected PHASE:STRIDE:SIZE"},
        {"allreduce:-4:8", "expected PHASE:STRIDE:SIZE"},
        {"allreduce: 4:8", "expected PHASE:STRIDE:SIZE"},
        {"allredcue:4:8", "did you mean \"allreduce\"?"},
        {"allreduce:0:8", "expected a stride from 1"},
        {"allreduce:4:1", "a size from 2"},
        {"allreduce:65536:65536", "a product up to 2147483648"},
        {"allreduce:4:8q", "no algorithm \"q\""},
        {"allreduce:4:8r ", "no algorithm \"r \""},
    };
    struct hs_stage_key key;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_error err = {0};

        assert_int_equal(hs_stage_key_parse(&key, wrong[i][0], &err), HS_INVALID);
        assert_has(err.message, wrong[i][1]);
    }
}

static void an_allreduce_goes_out_over_the_layers_and_back(void **state)
{
    static const struct hs_stage expected[] = {
        {{HS_REDUCE_SCATTER, HS_RING, {1, 4}}, 0, 1024},
        {{HS_REDUCE_SCATTER, HS_RING, {4, 8}}, 1, 256},
        {{HS_ALLREDUCE, HS_RING, {32, 4}}, 2, 32},
        {{HS_ALLGATHER, HS_RING, {4, 8}}, 1, 256},
        {{HS_ALLGATHER, HS_RING, {1, 4}}, 0, 1024},
    };
    struct hs_problem problem = hs_problem_world(128, 1024);
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4x8x4", 128, NULL), HS_OK);
    assert_int_equal(hs_problem_stages(stages, &problem, &plan), HS_COUNT(expected));
    for (size_t i = 0; i < HS_COUNT(expected); i++) {
        assert_true(hs_stage_key_equal(stages[i].key, expected[i].key));
        assert_int_equal(stages[i].layer, expected[i].layer);
        assert_near(stages[i].bytes, expected[i].bytes, 0);
    }
}

static void by_two_letters_the_last_layer_has_two_stages(void **state)
{
    static const struct hs_stage expected[] = {
        {{HS_REDUCE_SCATTER, HS_DIRECT, {1, 4}}, 0, 1024},
        {{HS_REDUCE_SCATTER, HS_HALVING, {4, 8}}, 1, 256},
        {{HS_ALLGATHER, HS_RING, {4, 8}}, 1, 256},
        {{HS_ALLGATHER, HS_HALVING, {1, 4}}, 0, 1024},
    };
    struct hs_problem problem = hs_problem_world(32, 1024);
    struct hs_stage stages[HS_STAGES_MAX];
    char text[HS_SPLIT_TEXT];
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4dhx8hr", 32, NULL), HS_OK);
    assert_string_equal(hs_plan_format(text, &plan), "4dhx8hr");
    assert_int_equal(hs_problem_stages(stages, &problem, &plan), HS_COUNT(expected));
    for (size_t i = 0; i < HS_COUNT(expected); i++) {
        assert_true(hs_stage_key_equal(stages[i].key, expected[i].key));
        assert_int_equal(stages[i].layer, expected[i].layer);
        assert_near(stages[i].bytes, expected[i].bytes, 0);
    }
    assert_int_equal(hs_plan_parse(&plan, "4dhx8hh", 32, NULL), HS_OK);
    assert_string_equal(hs_plan_format(text, &plan), "4dhx8h"); /* an allreduce */
    assert_int_equal(hs_problem_stages(stages, &problem, &plan), 3);
}

/* One more call, and each half the way of its algorithm. */
static void two_letters_cost_each_way_by_its_algorithm(void **state)
{
    struct hs_system system = parse("net@10GB/s~2us;launch=3us");
    struct hs_problem problem = hs_problem_world(32, 1e6);
    struct hs_plan plan;
    double bytes = 0.96875e6 / 10e9; /* 31/32 of them, each way */

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "32hr", 32, NULL), HS_OK);
    assert_near(hs_plan_seconds(&system, &problem, &plan), 2 * 3e-6 + (5 + 31) * 2e-6 + 2 * bytes,
                1e-12);
    hs_system_release(&system);
}

/* Data-parallel groups of 16 ranks beside 8 tensor-parallel ones: layers begin at stride 8, with
 * the whole message entering the first. */
static void a_group_of_a_mesh_begins_at_its_stride(void **state)
{
    struct hs_problem problem = {HS_COLLECTIVE_ALLREDUCE, {128, 8, 16}, 1024};
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "2x8", 16, NULL), HS_OK);
    assert_int_equal(hs_problem_stages(stages, &problem, &plan), 3);
    assert_true(hs_layer_equal(stages[0].key.layer, (struct hs_layer){8, 2}));
    assert_near(stages[0].bytes, 1024, 0);
    assert_true(hs_layer_equal(stages[1].key.layer, (struct hs_layer){16, 8}));
    assert_near(stages[1].bytes, 512, 0);
    assert_int_equal(stages[1].key.phase, HS_ALLREDUCE);
    assert_int_equal(stages[2].key.phase, HS_ALLGATHER);
}

/* All 8 groups at once leave each node of 8 through one link: 8 rings share it. */
static void groups_at_once_share_links_as_the_layers_of_their_stride_do(void **state)
{
    struct hs_system system = parse("node:8@100GB/s~1us,net@10GB/s~2us");
    struct hs_problem problem = {HS_COLLECTIVE_ALLREDUCE, {128, 8, 16}, 1e6};
    struct hs_plan plan = hs_plan_flat(16);

    (void)state;
    /* 30 steps of 2 us, and 2 * 15/16 of 1 MB at an eighth of 10 GB/s. */
    assert_near(hs_plan_seconds(&system, &problem, &plan), 60e-6 + 1.875e6 / 1.25e9, 1e-12);
    hs_system_release(&system);
}

static void a_pair_costs_its_halves_together(void **state)
{
    struct hs_system system = parse("node:8@100GB/s~1us,net@10GB/s~2us;launch=3us");
    double seconds[HS_PHASE_COUNT];

    (void)state;
    for (int phase = 0; phase < HS_PHASE_COUNT; phase++) {
        struct hs_stage_price price = hs_stage_price(
            &system, 32, (struct hs_stage_key){(enum hs_phase)phase, HS_RING, {2, 16}});

        seconds[phase] = hs_stage_seconds(&price, 1e6);
    }
    assert_near(seconds[HS_PAIR], seconds[HS_REDUCE_SCATTER] + seconds[HS_ALLGATHER], 1e-15);
    /* One launch more, and the last block's latency of each half. */
    assert_near(seconds[HS_PAIR], seconds[HS_ALLREDUCE] + 3e-6 + 2e-6, 1e-15);
    hs_system_release(&system);
}

/* nccl-tests, doc/PERFORMANCE.md: the bus bandwidth of an AllReduce is 2 (n - 1) / n of the
 * algorithm bandwidth. */
static void bus_bandwidth_is_that_of_nccl_tests(void **state)
{
    struct hs_problem problem = hs_problem_world(8, 1e9);

    (void)state;
    assert_near(hs_problem_bus_bandwidth(&problem, 0.5), 2e9 * 1.75, 1e-15);
}

static void letters_of_algorithms_are_part_of_a_plans_text(void **state)
{
    struct hs_plan plan;
    char text[HS_SPLIT_TEXT];
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4rx8rrx4/2", 128, NULL), HS_OK);
    assert_string_equal(hs_plan_format(text, &plan), "4x8x4/2"); /* rings need no letter */
    assert_int_equal(hs_plan_parse(&plan, "4qx8", 32, &err), HS_INVALID);
    assert_has(err.message, "expected 'x' between layer sizes, found \"qx8\"");
    assert_int_equal(hs_plan_parse(&plan, "4rrrx8", 32, &err), HS_INVALID);
    assert_int_equal(hs_plan_parse(&plan, "4dx8hrx4t/2", 128, NULL), HS_OK);
    assert_string_equal(hs_plan_format(text, &plan), "4dx8hrx4t/2");
    assert_int_equal(hs_plan_algorithm(&plan, 1, 0), HS_HALVING);
    assert_int_equal(hs_plan_algorithm(&plan, 1, 1), HS_RING);
}

static void layers_go_by_what_can_do_their_phases(void **state)
{
    struct hs_plan plan;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4tx8", 32, &err), HS_INVALID);
    assert_has(err.message, "layer 1: no reduce-scatter by tree");
    assert_int_equal(hs_plan_parse(&plan, "4htx8", 32, &err), HS_INVALID);
    assert_has(err.message, "layer 1: no allgather by tree");
    assert_int_equal(hs_plan_parse(&plan, "4x8t", 32, NULL), HS_OK);
    assert_int_equal(hs_plan_parse(&plan, "4x8tr", 32, &err), HS_INVALID);
    assert_has(err.message, "layer 2: no reduce-scatter by tree");
    assert_int_equal(hs_plan_parse(&plan, "4x8ht", 32, &err), HS_INVALID);
    assert_has(err.message, "layer 2: no allgather by tree");
    assert_int_equal(hs_plan_parse(&plan, "32dx2", 64, NULL), HS_OK);
    assert_int_equal(hs_plan_parse(&plan, "33dx2", 66, &err), HS_INVALID);
    assert_has(err.message, "layer 1: groups of this size have no direct");
}

static void a_list_has_keys_with_commas_between(void **state)
{
    static const char *const wrong[][2] = {
        {"", "expected PHASE:STRIDE:SIZE"},
        {"allreduce:1:4,", "expected PHASE:STRIDE:SIZE"},
        {"allreduce:1:4,allgathr:2:2", "did you mean \"allgather\""},
    };
    struct hs_stage_list list;
    char text[HS_STAGE_KEY_TEXT], many[65 * sizeof("allreduce:1:2")] = "";
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(
        hs_stage_list_parse(&list, "allreduce:4:8h,reduce-scatter + allgather:1:4", &err), HS_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(hs_stage_key_format(text, list.keys[0]), "allreduce:4:8h");
    assert_string_equal(hs_stage_key_format(text, list.keys[1]), "reduce-scatter:1:4");
    assert_string_equal(hs_stage_key_format(text, list.keys[2]), "allgather:1:4");
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        assert_int_equal(hs_stage_list_parse(&list, wrong[i][0], &err), HS_INVALID);
        assert_has(err.message, wrong[i][1]);
    }
    for (size_t i = 0; i < 65; i++)
        strcat(many, i > 0 ? ",allreduce:1:2" : "allreduce:1:2");
    assert_int_equal(hs_stage_list_parse(&list, many, &err), HS_INVALID);
    assert_has(err.message, "at most 64 stages");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a key reads back as it was written", a_key_reads_back_as_it_was_written),
    HS_TEST("keys differ by each part", keys_differ_by_each_part),
    HS_TEST("wrong keys are refused", wrong_keys_are_refused),
    HS_TEST("an allreduce goes out over the layers and back",
            an_allreduce_goes_out_over_the_layers_and_back),
    HS_TEST("a group of a mesh begins at its stride", a_group_of_a_mesh_begins_at_its_stride),
    HS_TEST("groups at once share links as the layers of their stride do",
            groups_at_once_share_links_as_the_layers_of_their_stride_do),
    HS_TEST("a pair costs its halves together", a_pair_costs_its_halves_together),
    HS_TEST("bus bandwidth is that of nccl-tests", bus_bandwidth_is_that_of_nccl_tests),
    HS_TEST("letters of algorithms are part of a plan's text",
            letters_of_algorithms_are_part_of_a_plans_text),
    HS_TEST("layers go by what can do their phases", layers_go_by_what_can_do_their_phases),
    HS_TEST("by two letters the last layer has two stages",
            by_two_letters_the_last_layer_has_two_stages),
    HS_TEST("two letters cost each way by its algorithm",
            two_letters_cost_each_way_by_its_algorithm),
    HS_TEST("a list has keys with commas between", a_list_has_keys_with_commas_between),
};

HS_TEST_MAIN(tests)
