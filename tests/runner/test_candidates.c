/* Which plans run as a whole after a lazy search, and which are all of them. */
#include "runner/candidates.h"
#include "test.h"

static const struct hs_problem
    eight = {HS_COLLECTIVE_ALLREDUCE, {.ranks = 8, .stride = 1, .size = 8}, 1024, HS_NATURAL},
    many = {HS_COLLECTIVE_ALLREDUCE, {.ranks = 4096, .stride = 1, .size = 4096}, 1024, HS_NATURAL};

static struct hs_plan plan(const char *text)
{
    struct hs_plan out;

    assert_int_equal(hs_plan_parse(&out, text, 8, NULL), HS_OK);
    return out;
}

static bool runs(const struct hs_candidates *candidates, const char *text)
{
    struct hs_plan wanted = plan(text);

    for (size_t i = 0; i < candidates->count; i++)
        if (hs_plan_compare(&candidates->plans[i], &wanted) == 0)
            return true;
    return false;
}

/* `next` takes so many seconds, the winner 1; `ties` are named as ties. */
static void survive(struct hs_candidates *candidates, const char *next, double seconds,
                    bool measured, struct hs_certified_plan *ties, size_t tie_count, int64_t top)
{
    struct hs_certificate certificate = {.winner = plan("2x2x2"),
                                         .seconds = 1,
                                         .ci95_seconds = 0.2,
                                         .runner_up = plan(next),
                                         .runner_up_seconds = seconds,
                                         .runner_up_measured = measured,
                                         .ties = ties,
                                         .tie_count = tie_count};
    struct hs_measure_settings settings = {.top = top, .chunks = {1, {1}}};
    struct hs_error err = {0};

    assert_status_is(hs_candidates_survive(candidates, &certificate, &settings, NULL, &eight, &err),
                     HS_OK, &err);
    assert_true(runs(candidates, "2x2x2") && runs(candidates, "8"));
}

static void a_tie_that_is_the_runner_up_runs(void **state)
{
    struct hs_certified_plan tie = {plan("2x4"), 1.1, 0.2};
    struct hs_candidates candidates;

    (void)state;
    survive(&candidates, "2x4", 1.1, true, &tie, 1, 8);
    assert_true(runs(&candidates, "2x4"));
    assert_int_equal(candidates.count, 3);
    hs_candidates_release(&candidates);
}

static void a_runner_up_that_is_expected_to_be_faster_runs(void **state)
{
    struct hs_candidates candidates;

    (void)state;
    survive(&candidates, "4x2", 0.4, false, NULL, 0, 8);
    assert_true(runs(&candidates, "4x2"));
    hs_candidates_release(&candidates);
    survive(&candidates, "4x2", 1.2, true, NULL, 0, 8);
    assert_false(runs(&candidates, "4x2"));
    hs_candidates_release(&candidates);
}

static void ties_run_as_far_as_top_allows_the_best_first(void **state)
{
    struct hs_certified_plan ties[] = {{plan("2x4"), 1.01, 0.2}, {plan("4x2"), 1.02, 0.2}};
    struct hs_candidates candidates;

    (void)state;
    survive(&candidates, "2x4", 1.01, true, ties, 2, 2);
    assert_true(runs(&candidates, "2x4"));
    assert_false(runs(&candidates, "4x2"));
    hs_candidates_release(&candidates);
}

static void a_tie_by_other_letters_runs_beside_the_winner(void **state)
{
    struct hs_certified_plan tie = {plan("2x2x2t"), 1.01, 0.2};
    struct hs_candidates candidates;

    (void)state;
    survive(&candidates, "2x4", 1.5, true, &tie, 1, 8);
    assert_true(runs(&candidates, "2x2x2t"));
    assert_int_equal(candidates.count, 3);
    hs_candidates_release(&candidates);
}

static void all_are_every_split_by_every_algorithm_asked_for(void **state)
{
    struct hs_measure_settings settings = {.top = 1, .all = true, .chunks = {1, {1}}};
    struct hs_candidates candidates;
    struct hs_error err = {0};

    (void)state;
    assert_status_is(hs_candidates_choose(&candidates, &settings, NULL, &eight, &err), HS_OK, &err);
    assert_int_equal(candidates.count, 4); /* 8, 2x4, 4x2, 2x2x2 */
    hs_candidates_release(&candidates);
    settings.algorithms = 1U << HS_HALVING | 1U << HS_TREE;
    assert_status_is(hs_candidates_choose(&candidates, &settings, NULL, &eight, &err), HS_OK, &err);
    /* Ring and halving out and back, 4 ways, or a tree on the last; of two, ring and tree: 8 and
     * 2x4, 4x2, 2x2x2. */
    assert_int_equal(candidates.count, 2 * 5 + 4 * 2 + 2);
    assert_true(runs(&candidates, "2x4t") && runs(&candidates, "4hrx2t") &&
                runs(&candidates, "8rh") && runs(&candidates, "8"));
    assert_int_equal(candidates.pruned, 0);
    hs_candidates_release(&candidates);
    assert_int_equal(hs_candidates_choose(&candidates, &settings, NULL, &many, &err), HS_INVALID);
    assert_has(err.message, "--algorithms ring");
}

/* A layer of one phase has one algorithm, and no tree. */
static void all_of_a_reduce_scatter_go_one_way(void **state)
{
    const struct hs_problem scatter = {
        HS_COLLECTIVE_REDUCE_SCATTER, {.ranks = 8, .stride = 1, .size = 8}, 1024, HS_REVERSED};
    struct hs_measure_settings settings = {
        .top = 1, .all = true, .algorithms = 1U << HS_HALVING | 1U << HS_TREE, .chunks = {1, {1}}};
    struct hs_candidates candidates;
    struct hs_error err = {0};

    (void)state;
    assert_status_is(hs_candidates_choose(&candidates, &settings, NULL, &scatter, &err), HS_OK,
                     &err);
    /* Ring and halving of 4 and 8, of 2 the ring, which is both: 8, 2x4, 4x2, 2x2x2. */
    assert_int_equal(candidates.count, 2 + 2 + 2 + 1);
    assert_true(runs(&candidates, "4hx2") && runs(&candidates, "8h") && !runs(&candidates, "8t"));
    hs_candidates_release(&candidates);
    settings.all = false;
    for (size_t i = 0; i < 3; i++) {
        static const char *const plans[] = {"2x4/2", "2x4t", "2x4hr"};
        static const char *const words[] = {"2x4/2: no chunks of ReduceScatter",
                                            "2x4t: layer 2: no reduce-scatter by tree",
                                            "2x4hr: layer 2: expected one algorithm"};

        settings.plans = plans[i];
        assert_int_equal(hs_candidates_choose(&candidates, &settings, NULL, &scatter, &err),
                         HS_INVALID);
        assert_has(err.message, words[i]);
    }
}

/* Calls of NCCL's on one communicator are in order: the flat split gains nothing by chunks. */
static void one_stage_of_nccl_is_measured_in_one_chunk(void **state)
{
    struct hs_measure_settings settings = {.top = 1, .all = true, .chunks = {2, {1, 4}}};
    struct hs_candidates candidates;
    struct hs_error err = {0};

    (void)state;
    assert_status_is(hs_candidates_choose(&candidates, &settings, NULL, &eight, &err), HS_OK, &err);
    assert_int_equal(candidates.count, 8);
    assert_true(runs(&candidates, "8/4"));
    hs_candidates_release(&candidates);
    settings.serial_calls = true;
    assert_status_is(hs_candidates_choose(&candidates, &settings, NULL, &eight, &err), HS_OK, &err);
    assert_int_equal(candidates.count, 7);
    assert_true(runs(&candidates, "8") && runs(&candidates, "2x4/4") && !runs(&candidates, "8/4"));
    hs_candidates_release(&candidates);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a tie by other letters runs beside the winner",
            a_tie_by_other_letters_runs_beside_the_winner),
    HS_TEST("--all is every split by every algorithm asked for",
            all_are_every_split_by_every_algorithm_asked_for),
    HS_TEST("all of a reduce-scatter go one way, and so do its --plans",
            all_of_a_reduce_scatter_go_one_way),
    HS_TEST("one stage of NCCL's is measured in one chunk",
            one_stage_of_nccl_is_measured_in_one_chunk),
    HS_TEST("a tie that is the runner-up runs as a whole", a_tie_that_is_the_runner_up_runs),
    HS_TEST("a runner-up runs where it is expected to be faster, and not where it is 20 % slower",
            a_runner_up_that_is_expected_to_be_faster_runs),
    HS_TEST("ties run as far as --top allows, the best first",
            ties_run_as_far_as_top_allows_the_best_first),
};
HS_TEST_MAIN(tests)
