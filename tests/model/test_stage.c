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
    struct hs_problem problem = problem_world(128, 1024);
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
    struct hs_problem problem = problem_world(32, 1024);
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

static struct hs_problem ordered(enum hs_collective collective, enum hs_layout layout,
                                 struct hs_group group, double bytes)
{
    return (struct hs_problem){
        .collective = collective, .group = group, .bytes = bytes, .layout = layout};
}

/* In place what is long crosses the outermost layer, reversed the innermost. */
static void a_reduce_scatter_begins_where_its_order_says_and_an_allgather_ends_there(void **state)
{
    static const struct hs_layer layers[] = {{1, 4}, {4, 8}, {32, 4}};
    static const double bytes[HS_LAYOUT_COUNT][3] = {
        {32, 256, 1024}, {1024, 256, 32}, {1024, 256, 32}};
    const struct hs_group world = hs_group_world(128);
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4x8hx4", 128, NULL), HS_OK);
    for (int order = 0; order < HS_LAYOUT_COUNT; order++)
        for (int gathers = 0; gathers < 2; gathers++) {
            struct hs_problem problem =
                ordered(gathers ? HS_COLLECTIVE_ALLGATHER : HS_COLLECTIVE_REDUCE_SCATTER,
                        (enum hs_layout)order, world, 1024);
            bool outward = (order != HS_NATURAL) == (gathers == 0);

            assert_int_equal(hs_problem_stages(stages, &problem, &plan), 3);
            for (int i = 0; i < 3; i++) {
                const struct hs_stage *stage = &stages[outward ? i : 2 - i];

                assert_int_equal(stage->key.phase, gathers ? HS_ALLGATHER : HS_REDUCE_SCATTER);
                assert_int_equal(stage->key.algorithm, i == 1 ? HS_HALVING : HS_RING);
                assert_true(hs_layer_equal(stage->key.layer, layers[i]));
                assert_int_equal(stage->layer, i);
                assert_near(stage->bytes, bytes[order][i], 0);
            }
        }
}

/* ---- what plans do, played on sets of blocks ---- */

#define PLAYED_MAX 36

/* A rank's run of blocks, and whose contributions are in it. */
struct played {
    int64_t first, count;
    uint64_t from;
};

/* One group's phase: every rank ends with what the phase says (stage.h). */
static void play_group(struct played *group[], const struct hs_stage *stage)
{
    int64_t p = stage->key.layer.size, part = group[0]->count / p;
    struct played whole = *group[0];

    if (stage->key.phase == HS_ALLGATHER) {
        for (int64_t k = 1; k < p; k++) {
            assert_int_equal(group[k]->first, whole.first + whole.count); /* next to each other */
            assert_int_equal(group[k]->count, group[0]->count);
            whole.count += group[k]->count;
        }
        assert_near((double)whole.count, stage->bytes, 0);
        for (int64_t k = 0; k < p; k++)
            *group[k] = whole;
        return;
    }
    assert_near((double)whole.count, stage->bytes, 0);
    assert_int_equal(whole.count % p, 0);
    for (int64_t k = 1; k < p; k++) {
        assert_int_equal(group[k]->first, whole.first); /* the same blocks */
        assert_int_equal(group[k]->count, whole.count);
        assert_int_equal(group[k]->from & whole.from, 0); /* each contribution once */
        whole.from |= group[k]->from;
    }
    for (int64_t k = 0; k < p; k++)
        *group[k] = (struct played){whole.first + k * part, part, whole.from};
}

static void play(const struct hs_problem *problem, const struct hs_plan *plan)
{
    bool gathers = problem->collective == HS_COLLECTIVE_ALLGATHER;
    int64_t size = problem->group.size, stride = problem->group.stride;
    struct hs_stage stages[HS_STAGES_MAX];
    struct played ranks[PLAYED_MAX];
    struct hs_problem moved = *problem; /* what a copy or runs put in place lies reversed */
    int count = hs_problem_stages(stages, problem, plan);

    moved.layout = problem->layout == HS_NATURAL ? HS_NATURAL : HS_REVERSED;
    for (int64_t r = 0; r < size; r++)
        ranks[r] = gathers ? (struct played){hs_problem_block(&moved, &plan->split, r), 1, 0}
                           : (struct played){0, size, (uint64_t)1 << r};
    for (int i = 0; i < count; i++) {
        int64_t inner = stages[i].key.layer.stride / stride, p = stages[i].key.layer.size;

        for (int64_t r = 0; r < size; r++) {
            struct played *group[PLAYED_MAX];

            if (r / inner % p > 0)
                continue;
            for (int64_t k = 0; k < p; k++)
                group[k] = &ranks[r + k * inner];
            play_group(group, &stages[i]);
        }
    }
    for (int64_t r = 0; r < size; r++) {
        assert_int_equal(ranks[r].count, gathers ? size : 1);
        assert_int_equal(ranks[r].first, gathers ? 0 : hs_problem_block(&moved, &plan->split, r));
        if (problem->layout > HS_REVERSED)
            assert_int_equal(hs_problem_block(problem, &plan->split, r), r);
        if (!gathers)
            assert_int_equal(ranks[r].from, ((uint64_t)1 << size) - 1);
    }
}

/* What every rank has at every place: whose it is, and for whom. */
struct exchanged {
    int64_t from[PLAYED_MAX][PLAYED_MAX], to[PLAYED_MAX][PLAYED_MAX];
};

/* In every group place k gives place j what lies at the numbers with the digit j, and has what j
 * had at the numbers with the digit k. */
static void play_exchange(struct exchanged *all, int64_t ranks, struct hs_layer layer)
{
    const struct exchanged before = *all;

    for (int64_t r = 0; r < ranks; r++)
        for (int64_t b = 0; b < ranks; b++) {
            int64_t mine = r / layer.stride % layer.size, digit = b / layer.stride % layer.size;
            int64_t other = r + (digit - mine) * layer.stride;
            int64_t there = b + (mine - digit) * layer.stride;

            all->from[r][b] = before.from[other][there];
            all->to[r][b] = before.to[other][there];
        }
}

/* In the order of the stages, or backwards. */
static void play_exchanges(const struct hs_problem *problem, const struct hs_plan *plan,
                           bool backwards)
{
    static struct exchanged all;
    int64_t size = problem->group.size;
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);

    assert_int_equal(count, plan->split.count);
    for (int64_t r = 0; r < size; r++)
        for (int64_t b = 0; b < size; b++) {
            all.from[r][b] = r;
            all.to[r][b] = b;
        }
    for (int i = 0; i < count; i++) {
        const struct hs_stage *stage = &stages[backwards ? count - 1 - i : i];

        assert_int_equal(stage->key.phase, HS_EXCHANGE);
        assert_near(stage->bytes, problem->bytes, 0);
        play_exchange(&all, size, stage->key.layer);
    }
    for (int64_t r = 0; r < size; r++)
        for (int64_t b = 0; b < size; b++) {
            assert_int_equal(all.from[r][b], b);
            assert_int_equal(all.to[r][b], r);
        }
}

static void play_plan(const struct hs_problem *problem, const struct hs_plan *plan)
{
    if (problem->collective != HS_COLLECTIVE_ALLTOALL) {
        play(problem, plan);
        return;
    }
    play_exchanges(problem, plan, false);
    play_exchanges(problem, plan, true);
}

static void play_splits(const struct hs_problem *problem, struct hs_plan *plan, int64_t rest)
{
    if (rest == 1)
        play_plan(problem, plan);
    for (int64_t size = 2; size <= rest; size++)
        if (rest % size == 0) {
            plan->split.sizes[plan->split.count++] = size;
            play_splits(problem, plan, rest / size);
            plan->split.count--;
        }
}

static void blocks_end_where_the_order_says_in_every_split(void **state)
{
    (void)state;
    for (int64_t size = 2; size <= PLAYED_MAX; size++)
        for (int order = 0; order < HS_LAYOUT_COUNT; order++)
            for (int c = HS_COLLECTIVE_REDUCE_SCATTER; c <= HS_COLLECTIVE_ALLGATHER; c++) {
                struct hs_group group = {.ranks = 6 * size, .stride = 3, .size = size};
                struct hs_problem problem =
                    ordered((enum hs_collective)c, (enum hs_layout)order, group, (double)size);
                struct hs_plan plan = {.chunks = 1};

                play_splits(&problem, &plan, size);
            }
}

/* Rank 1 of 4x3 is second of four inside and first of three outside. */
static void an_all_to_all_ends_in_order_whatever_the_order_of_its_layers(void **state)
{
    (void)state;
    for (int64_t size = 2; size <= PLAYED_MAX; size++) {
        struct hs_problem problem = hs_problem_of(HS_COLLECTIVE_ALLTOALL, HS_NATURAL, size, 1e6);
        struct hs_plan plan = {.chunks = 1};

        play_splits(&problem, &plan, size);
    }
}

static void a_permuted_block_has_the_digits_the_other_way_round(void **state)
{
    static const int64_t blocks[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    struct hs_problem problem =
        ordered(HS_COLLECTIVE_REDUCE_SCATTER, HS_REVERSED, hs_group_world(12), 12);
    struct hs_split split = {.count = 2, .sizes = {4, 3}};

    (void)state;
    for (int64_t r = 0; r < 12; r++)
        assert_int_equal(hs_problem_block(&problem, &split, r), blocks[r]);
    problem.layout = HS_NATURAL;
    for (int64_t r = 0; r < 12; r++)
        assert_int_equal(hs_problem_block(&problem, &split, r), r);
}

static void a_layer_goes_by_what_has_the_problems_phase(void **state)
{
    struct hs_problem problem =
        ordered(HS_COLLECTIVE_ALLGATHER, HS_NATURAL, hs_group_world(32), 1e6);
    struct hs_plan plan;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4x8t", 32, NULL), HS_OK);
    assert_int_equal(hs_problem_check(&problem, &plan, &err), HS_INVALID);
    assert_has(err.message, "layer 2: no allgather by tree");
    problem.collective = HS_COLLECTIVE_ALLREDUCE;
    assert_int_equal(hs_problem_check(&problem, &plan, NULL), HS_OK);
}

/* Data-parallel groups of 16 ranks beside 8 tensor-parallel ones: layers begin at stride 8, with
 * the whole message entering the first. */
static void a_group_of_a_mesh_begins_at_its_stride(void **state)
{
    struct hs_problem problem = {.group = {.ranks = 128, .stride = 8, .size = 16}, .bytes = 1024};
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

/* nccl-tests, doc/PERFORMANCE.md: the bus bandwidth of an AllReduce is 2 (n - 1) / n of the
 * algorithm bandwidth, that of a reduce-scatter and an allgather (n - 1) / n. */
static void bus_bandwidth_is_that_of_nccl_tests(void **state)
{
    struct hs_problem problem = problem_world(8, 1e9);

    (void)state;
    assert_near(hs_problem_bus_bandwidth(&problem, 0.5), 2e9 * 1.75, 1e-15);
    problem.collective = HS_COLLECTIVE_REDUCE_SCATTER;
    assert_near(hs_problem_bus_bandwidth(&problem, 0.5), 2e9 * 0.875, 1e-15);
    problem.collective = HS_COLLECTIVE_ALLGATHER;
    assert_near(hs_problem_bus_bandwidth(&problem, 0.5), 2e9 * 0.875, 1e-15);
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
    HS_TEST("a reduce-scatter begins where its order says, and an allgather ends there",
            a_reduce_scatter_begins_where_its_order_says_and_an_allgather_ends_there),
    HS_TEST("blocks end where the order says, in every split",
            blocks_end_where_the_order_says_in_every_split),
    HS_TEST("an all-to-all ends in order, whatever the order of its layers",
            an_all_to_all_ends_in_order_whatever_the_order_of_its_layers),
    HS_TEST("a reversed block has the digits the other way round",
            a_permuted_block_has_the_digits_the_other_way_round),
    HS_TEST("a layer goes by what has the problem's phase",
            a_layer_goes_by_what_has_the_problems_phase),
    HS_TEST("a group of a mesh begins at its stride", a_group_of_a_mesh_begins_at_its_stride),
    HS_TEST("bus bandwidth is that of nccl-tests", bus_bandwidth_is_that_of_nccl_tests),
    HS_TEST("letters of algorithms are part of a plan's text",
            letters_of_algorithms_are_part_of_a_plans_text),
    HS_TEST("layers go by what can do their phases", layers_go_by_what_can_do_their_phases),
    HS_TEST("by two letters the last layer has two stages",
            by_two_letters_the_last_layer_has_two_stages),
    HS_TEST("a list has keys with commas between", a_list_has_keys_with_commas_between),
};

HS_TEST_MAIN(tests)
