#include "test.h"

#include "export/size_rules.h"
#include "library/price_plan.h"

static struct hs_result load(const char *name)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_result result;
    char path[128];

    snprintf(path, sizeof(path), "tests/export/results/%s.json", name);
    assert_status_is(hs_result_load(&result, path, &err), HS_OK, &err);
    return result;
}

static struct hs_export_rules make(const struct hs_export_job *job,
                                   enum hs_status (*choose)(struct hs_plan *, double *,
                                                            const struct hs_export_job *, size_t,
                                                            struct hs_error *))
{
    struct hs_error err = {HS_OK, ""};
    struct hs_export_rules rules;

    assert_status_is(hs_export_rules_make(&rules, job, choose, &err), HS_OK, &err);
    return rules;
}

static void assert_rule(const struct hs_export_rule *rule, const char *plan, uint64_t first,
                        uint64_t end)
{
    char text[HS_SPLIT_TEXT] = "own";

    if (rule->plan.split.count > 0)
        hs_plan_format(text, &rule->plan);
    assert_string_equal(text, plan);
    assert_int_equal(rule->first_bytes, first);
    assert_int_equal(rule->end_bytes, end);
    assert_false(rule->guessed);
}

/* 64 and 4x16: 50 and 60 us at 4 KiB, 300 and 100 us at 1 MiB, equal at 4096 + 1044480 * 10 / 210 =
 * 53833.1. 4x16 and 4x8x2: 100 and 120 us at 1 MiB, 4200 and 3000 us at 64 MiB, equal at 1048576 +
 * 66060288 * 20 / 1220 = 2131531.5. */
static void rules_meet_where_measured_times_do(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_export_rules rules = make(&job, hs_export_choose_any);

    (void)state;
    assert_int_equal(rules.count, 4);
    assert_rule(&rules.rules[0], "own", 0, 4096);
    assert_rule(&rules.rules[1], "64", 4096, 53834);
    assert_rule(&rules.rules[2], "4x16", 53834, 2131532);
    assert_rule(&rules.rules[3], "4x8x2", 2131532, UINT64_MAX);
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

static void neighbours_of_one_plan_are_joined(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_export_rules rules = make(&job, hs_export_choose_node);

    (void)state;
    assert_int_equal(rules.count, 3);
    assert_rule(&rules.rules[2], "4x16", 53834, UINT64_MAX);
    assert_int_equal(rules.rules[2].message, 2);
    assert_near(rules.rules[2].cost, 1.4, 1e-12);
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

/* 4x16 and MPI_Allreduce: 60 and 20 us at 4 KiB, 100 and 400 us at 1 MiB, equal at 4096 + 1044480 *
 * 40 / 340 = 126976; 4200 and 600 us at 64 MiB, equal at 1048576 + 66060288 * 300 / 3900 =
 * 6130136.6. */
static void where_the_library_is_faster_the_rule_is_its_own(void **state)
{
    struct hs_result result = load("library64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_export_rules rules = make(&job, hs_export_choose_any);

    (void)state;
    assert_int_equal(rules.count, 3);
    assert_rule(&rules.rules[0], "own", 0, 126976);
    assert_rule(&rules.rules[1], "4x16", 126976, 6130137);
    assert_rule(&rules.rules[2], "own", 6130137, UINT64_MAX);
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

/* 4x16 for 4x8x2 takes 4.2 ms: 3.5 ms is between the two. */
static void what_stands_in_must_beat_the_library_too(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_export_rules any, node;

    (void)state;
    result.messages[2].baselines[0].measured.median_seconds = 3.5e-3;
    any = make(&job, hs_export_choose_any);
    assert_string_equal("4x8x2", hs_plan_format((char[HS_SPLIT_TEXT]){""}, &any.rules[3].plan));
    node = make(&job, hs_export_choose_node);
    assert_int_equal(node.rules[node.count - 1].plan.split.count, 0);
    hs_export_rules_release(&any);
    hs_export_rules_release(&node);
    hs_result_release(&result);
}

/* 4x8x2 takes 3 ms, MPI_Allreduce 0.6; 8x8 takes as many times longer than 4x8x2 as predicted. */
static void a_plan_that_was_not_measured_is_set_against_the_best(void **state)
{
    struct hs_result result = load("library64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_plan other = {.split = {.count = 2, .sizes = {8, 8}}, .chunks = 1};
    struct hs_problem problem = hs_result_problem(&result, &result.messages[2]);
    double ratio = hs_plan_seconds(&result.system, &problem, &other) /
                   hs_plan_seconds(&result.system, &problem, &result.messages[2].best);

    (void)state;
    assert_near(hs_export_library_gain(&job, 2, &result.messages[2].best), 5, 1e-12);
    assert_near(hs_export_library_gain(&job, 2, &other), 5 * ratio, 1e-12);
    result.messages[2].baseline_count = 0;
    assert_true(isnan(hs_export_library_gain(&job, 2, &other)));
    result.messages[2].baseline_count = 1;
    hs_result_release(&result);
}

/* A program makes no call with symmetric windows by itself. */
static void a_call_with_windows_is_not_the_librarys_own(void **state)
{
    struct hs_result result = load("library64");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    char *name = result.messages[2].baselines[0].name, other[] = "ncclAllReduce symmetric",
         third[] = "ncclAllGather zero-CTA";

    (void)state;
    result.messages[2].baselines[0].name = other;
    assert_true(isnan(hs_export_library_gain(&job, 2, &result.messages[2].best)));
    result.messages[2].baselines[0].name = third;
    assert_true(isnan(hs_export_library_gain(&job, 2, &result.messages[2].best)));
    result.messages[2].baselines[0].name = name;
    assert_near(hs_export_library_gain(&job, 2, &result.messages[2].best), 5, 1e-12);
    hs_result_release(&result);
}

/* From the smallest message of the result on; below it stands the library's own. */
static void assert_named(const char *name, size_t message, int chunks)
{
    struct hs_result result = load(name);
    struct hs_plan plan = {.split = {.count = 2, .sizes = {3, 4}}, .chunks = chunks};
    struct hs_export_job job = {.result = &result,
                                .result_name = "r",
                                .made_by = "test",
                                .message = message,
                                .plan = &plan};
    struct hs_export_rules rules = make(&job, hs_export_choose_any);

    assert_int_equal(rules.count, 2);
    assert_rule(&rules.rules[0], "own", 0, 4096);
    assert_rule(&rules.rules[1], "3x4", 4096, UINT64_MAX);
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

static void who_names_a_plan_gets_it(void **state)
{
    (void)state;
    assert_named("library12", 2, 1);
}

static void a_named_plan_is_one_rule(void **state)
{
    (void)state;
    assert_named("small12", 1, 8);
}

static void without_times_a_boundary_is_a_guess(void **state)
{
    struct hs_result result = load("small12");
    struct hs_export_job job = {.result = &result, .result_name = "r", .made_by = "test"};
    struct hs_export_rules rules;

    (void)state;
    for (size_t i = 0; i < result.messages[0].candidate_count; i++)
        result.messages[0].candidates[i].measured->status = HS_MEASURE_SKIPPED;
    rules = make(&job, hs_export_choose_any);
    assert_int_equal(rules.count, 3);
    assert_true(rules.rules[2].guessed);
    assert_int_equal(rules.rules[2].first_bytes, 65536); /* sqrt(4 KiB * 1 MiB) */
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

/* A layer (d, p) of the plan 4x8x2 pays 2 (p - 1) alpha and 2 m / d (p - 1) / p beta; 150, 100 / 4
 * and 200 / 32 GB/s. Latency 2 (3 * 2 + 7 * 5 + 1 * 10) us = 102 us, bandwidth 2 m (3/4 / 150 + 7/8
 * / 4 / 25 + 1/2 / 32 / 6.25) / GB/s = 0.0325 ns a byte: equal at 3138462. */
static void the_first_rule_begins_where_latency_is_half(void **state)
{
    struct hs_result result = load("asymmetric64");
    struct hs_plan plan = {.split = {.count = 3, .sizes = {4, 8, 2}}, .chunks = 1};
    struct hs_export_job job = {
        .result = &result, .result_name = "r", .made_by = "test", .message = 2, .plan = &plan};
    struct hs_export_rules rules;

    (void)state;
    result.messages[0].message_bytes = 8 << 20; /* that is less than the smallest message */
    rules = make(&job, hs_export_choose_any);
    assert_int_equal(rules.count, 2);
    assert_int_equal(rules.rules[0].plan.split.count, 0);
    assert_near((double)rules.rules[1].first_bytes, 102e-6 / 0.0325e-9, 1e-6);
    assert_int_equal(rules.rules[0].end_bytes, rules.rules[1].first_bytes);
    hs_export_rules_release(&rules);
    hs_result_release(&result);
}

static void a_size_without_a_best_plan_is_an_error(void **state)
{
    struct hs_result result = load("small12");
    struct hs_export_job job = {.result = &result, .result_name = "r.json", .made_by = "test"};
    struct hs_error err = {HS_OK, ""};
    struct hs_export_rules rules;

    (void)state;
    result.messages[1].best = (struct hs_plan){.chunks = 0};
    assert_int_equal(hs_export_rules_make(&rules, &job, hs_export_choose_any, &err), HS_INVALID);
    assert_has(err.message, "r.json: no best plan for 1MiB");
    assert_null(rules.rules);
    hs_result_release(&result);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("rules meet where the measured times do", rules_meet_where_measured_times_do),
    HS_TEST("neighbours of one plan are one rule, with the worst cost",
            neighbours_of_one_plan_are_joined),
    HS_TEST("where the library is faster the rule is its own call",
            where_the_library_is_faster_the_rule_is_its_own),
    HS_TEST("a plan that stands in for another must beat the library, too",
            what_stands_in_must_beat_the_library_too),
    HS_TEST("a plan that was not measured is set against the best one",
            a_plan_that_was_not_measured_is_set_against_the_best),
    HS_TEST("a call with windows is not the library's own",
            a_call_with_windows_is_not_the_librarys_own),
    HS_TEST("who names a plan gets it, and the library's default call for small messages",
            who_names_a_plan_gets_it),
    HS_TEST("a named plan is one rule, without chunks", a_named_plan_is_one_rule),
    HS_TEST("without times a boundary is the geometric mean, and a guess",
            without_times_a_boundary_is_a_guess),
    HS_TEST("the first rule begins where latency is half of the time",
            the_first_rule_begins_where_latency_is_half),
    HS_TEST("a size without a best plan is an error", a_size_without_a_best_plan_is_an_error),
};

HS_TEST_MAIN(tests)
