/* Cases found in result files. The files in data/: Table II of Ueno and Yokota (CCGRID 2019) as a
 * measurement, and three runs of the null backend with noise and biases (their command lines are in
 * them). */
#include <cjson/cJSON.h>

#include "answer/compare.h"
#include "estimate/system_file.h"
#include "library/price_nccl.h"
#include "record/result_tools.h"
#include "systems.h"

#define DATA "tests/answer/data/"

#define MACHINE "a:4@100GB/s~1us,b@10GB/s~2us"

/* Results and what is made of them. */
struct bench {
    struct hs_result results[4];
    struct hs_named_result inputs[4];
    struct hs_compare_job job;
    struct hs_comparison comparison;
    struct hs_error err;
};

static void begin(struct bench *bench)
{
    memset(bench, 0, sizeof(*bench));
    bench->job.inputs = bench->inputs;
}

/* Adds an empty result of np processes and one message of 1024 bytes. */
static struct hs_result_message *add_result(struct bench *bench, const char *name, int64_t np,
                                            const char *system)
{
    struct hs_result *result = &bench->results[bench->job.input_count];
    struct hs_result_message *message = start(result);

    result->np = np;
    if (system) {
        result->has_system = true;
        assert_status_is(hs_system_parse(&result->system, system, &bench->err), HS_OK, &bench->err);
    }
    bench->inputs[bench->job.input_count++] = (struct hs_named_result){name, result};
    return message;
}

static void add_file(struct bench *bench, const char *path)
{
    struct hs_result *result = &bench->results[bench->job.input_count];

    load(result, path);
    bench->inputs[bench->job.input_count++] = (struct hs_named_result){path, result};
}

static void run(struct bench *bench)
{
    assert_status_is(hs_compare_results(&bench->comparison, &bench->job, &bench->err), HS_OK,
                     &bench->err);
}

static void end(struct bench *bench)
{
    hs_comparison_release(&bench->comparison);
    for (size_t i = 0; i < bench->job.input_count; i++)
        hs_result_release(&bench->results[i]);
}

/* Fails with a line that has both parts. */
static void fails(struct bench *bench, const char *part, const char *other)
{
    assert_status_is(hs_compare_results(&bench->comparison, &bench->job, &bench->err), HS_INVALID,
                     &bench->err);
    assert_has(bench->err.message, part);
    assert_has(bench->err.message, other);
    end(bench);
}

/* ---- what belongs together ---- */

static void takes_the_predictions_of_the_measured_file(void **state)
{
    struct bench bench;
    struct hs_result_message *message;
    const struct hs_compare_case *one;

    (void)state;
    begin(&bench);
    message = add_result(&bench, "m", 8, NULL);
    add_measured(message, "4x2", 1.1e-3, HS_MEASURE_OK, 1e-3);
    add_measured(message, "8", 1.0e-3, HS_MEASURE_OK, 2e-3);
    add_measured(message, "2x4", NAN, HS_MEASURE_OK, 0.5e-3);
    add_measured(message, "2x2x2", 1e-3, HS_MEASURE_WRONG, 0.1e-3);
    run(&bench);
    one = &bench.comparison.cases[0];
    assert_int_equal(bench.comparison.case_count, 1);
    assert_ptr_equal(one->predicted, one->measured);
    assert_int_equal(one->count, 2);
    assert_int_equal(one->unpredicted, 1);
    assert_int_equal(one->faulty, 1);
    assert_near(one->score.mean_error, 0.3, 1e-12); /* (0.1 + 0.5) / 2 */
    assert_near(one->score.regret.value, 1, 1e-12);
    assert_non_null(one->rule.missing);
    end(&bench);
}

static void matches_a_prediction_with_a_measurement_by_plan(void **state)
{
    struct bench bench;
    struct hs_result_message *message;
    const struct hs_compare_case *one;
    struct hs_plan unlisted;

    (void)state;
    begin(&bench);
    message = add_result(&bench, "p", 8, MACHINE);
    add(message, "8", 3e-3);
    add(message, "4x2", 1e-3);
    message = add_result(&bench, "m", 8, NULL);
    add_measured(message, "4x2", NAN, HS_MEASURE_OK, 2e-3);
    add_measured(message, "8", NAN, HS_MEASURE_OK, 1e-3);
    add_measured(message, "2x4", NAN, HS_MEASURE_OK, 3e-3);
    run(&bench);
    one = &bench.comparison.cases[0];
    assert_int_equal(bench.comparison.case_count, 1);
    assert_string_equal(one->measured->name, "m");
    assert_string_equal(one->predicted->name, "p");
    assert_int_equal(one->count, 3);
    assert_plan(&one->points[0].plan, "8");
    assert_near(one->points[0].predicted_seconds, 3e-3, 1e-12);
    assert_near(one->points[1].predicted_seconds, 1e-3, 1e-12);
    /* 2x4 is not in the list of p: the model prices it on p's machine. */
    assert_int_equal(hs_plan_parse(&unlisted, "2x4", 8, NULL), HS_OK);
    assert_near(one->points[2].predicted_seconds,
                cost_of(&bench.results[0].system, &unlisted, 1024).seconds, 1e-12);
    assert_int_equal(bench.comparison.unused_count, 0);
    end(&bench);
}

static void predicts_for_another_machine_where_asked(void **state)
{
    struct bench bench;
    struct hs_result_message *message;
    struct hs_system system;
    struct hs_plan plan;

    (void)state;
    begin(&bench);
    assert_status_is(hs_system_parse(&system, MACHINE, &bench.err), HS_OK, &bench.err);
    message = add_result(&bench, "m", 8, "x@1GB/s");
    add_measured(message, "4x2", 1.0, HS_MEASURE_OK, 2e-5);
    message = add_result(&bench, "p", 8, "x@1GB/s");
    add(message, "4x2", 2.0);
    bench.job.system = &system;
    run(&bench);
    assert_int_equal(bench.comparison.case_count, 1);
    assert_null(bench.comparison.cases[0].predicted);
    assert_int_equal(hs_plan_parse(&plan, "4x2", 8, NULL), HS_OK);
    assert_near(bench.comparison.cases[0].points[0].predicted_seconds,
                cost_of(&system, &plan, 1024).seconds, 1e-12);
    assert_int_equal(bench.comparison.unused_count, 1);
    assert_string_equal(bench.comparison.unused[0].input->name, "p");
    end(&bench);
    hs_system_release(&system);
}

static void keeps_other_machines_apart(void **state)
{
    struct bench bench;
    struct hs_result_message *message;

    (void)state;
    begin(&bench);
    message = add_result(&bench, "m", 8, MACHINE);
    add_measured(message, "4x2", 1e-3, HS_MEASURE_OK, 2e-3);
    message = add_result(&bench, "p", 8, "x@1GB/s");
    add(message, "4x2", 5e-3);
    message = add_result(&bench, "same", 8, MACHINE);
    add(message, "4x2", 3e-3);
    run(&bench);
    assert_int_equal(bench.comparison.case_count, 1);
    assert_near(bench.comparison.cases[0].points[0].predicted_seconds, 3e-3, 1e-12);
    assert_int_equal(bench.comparison.unused_count, 1);
    assert_string_equal(bench.comparison.unused[0].input->name, "p");
    assert_has(bench.comparison.unused[0].why, "another machine");
    end(&bench);
}

/* ---- what cannot be compared ---- */

static void refuses_files_without_a_measurement(void **state)
{
    struct bench bench;
    struct hs_result_message *message;

    (void)state;
    begin(&bench);
    add(add_result(&bench, "p", 8, MACHINE), "4x2", 1e-3);
    message = add_result(&bench, "broken", 8, MACHINE);
    add_measured(message, "8", 1e-3, HS_MEASURE_TIMEOUT, NAN);
    add_measured(message, "4x2", 1e-3, HS_MEASURE_SKIPPED, NAN);
    add_measured(message, "2x4", 1e-3, HS_MEASURE_OK, 0);
    fails(&bench, "p: has no measured candidate", "nor has any other");
}

static void refuses_another_process_count(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(add_result(&bench, "p", 16, MACHINE), "4x4", 1e-3);
    add_measured(add_result(&bench, "m", 8, NULL), "8", NAN, HS_MEASURE_OK, 1e-3);
    fails(&bench, "m: is of 8 processes", "p of 16");
}

static void refuses_other_message_sizes(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add_result(&bench, "far", 16, MACHINE);
    add(add_result(&bench, "p", 8, MACHINE), "8", 1e-3);
    bench.results[1].messages[0].message_bytes = 4096;
    add_measured(add_result(&bench, "m", 8, NULL), "8", NAN, HS_MEASURE_OK, 1e-3);
    fails(&bench, "m: is of messages of 1KiB", "p of 4KiB");
}

static void refuses_a_measurement_that_nobody_predicts(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add_measured(add_result(&bench, "m", 8, NULL), "8", NAN, HS_MEASURE_OK, 1e-3);
    fails(&bench, "m: has neither predictions nor a machine", "--predict");
}

static void refuses_a_size_that_was_not_measured(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    bench.job.message_bytes = 3 << 20;
    add_measured(add_result(&bench, "m", 8, MACHINE), "8", NAN, HS_MEASURE_OK, 1e-3);
    fails(&bench, "m: has no measurement of 3MiB", "but 1KiB");
}

static void refuses_the_same_file_twice(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add_measured(add_result(&bench, "m", 8, MACHINE), "8", NAN, HS_MEASURE_OK, 1e-3);
    add_measured(add_result(&bench, "m", 8, MACHINE), "8", NAN, HS_MEASURE_OK, 1e-3);
    fails(&bench, "m: is given twice", "");
}

/* ---- growth ---- */

/* 4 -> 8 -> 24, measured; 12 belongs to 4, 24 to 12, not to 8. */
static void joins_each_count_to_the_largest_that_divides_it(void **state)
{
    static const int64_t counts[] = {24, 4, 8, 12};
    static const char *const plans[] = {"4x6", "4", "2x4", "4x3"};
    struct bench bench;

    (void)state;
    begin(&bench);
    for (size_t i = 0; i < 4; i++)
        add_measured(add_result(&bench, plans[i], counts[i], MACHINE), plans[i], NAN, HS_MEASURE_OK,
                     1e-3);
    run(&bench);
    assert_int_equal(bench.comparison.growth_count, 3);
    /* In the order of the larger count: 4 -> 8, 4 -> 12, 12 -> 24. */
    assert_int_equal(bench.comparison.growths[0].small, 1);
    assert_int_equal(bench.comparison.growths[0].large, 2);
    assert_false(bench.comparison.growths[0].contains);
    assert_int_equal(bench.comparison.growths[0].alone.reached, 0);
    assert_true(isnan(bench.comparison.growths[0].alone.regret.value));
    assert_int_equal(bench.comparison.growths[1].large, 3);
    assert_int_equal(bench.comparison.growths[1].growth, HS_GROWTH_ONE_MORE);
    assert_int_equal(bench.comparison.growths[2].small, 3);
    assert_int_equal(bench.comparison.growths[2].large, 0);
    assert_int_equal(bench.comparison.growths[2].growth, HS_GROWTH_SAME_SHAPE);
    assert_int_equal(bench.comparison.summary.contained, 2);
    end(&bench);
}

static void says_what_the_rule_loses_on_measured_times(void **state)
{
    struct bench bench;
    struct hs_result_message *message;
    const struct hs_compare_growth *growth;

    (void)state;
    begin(&bench);
    message = add_result(&bench, "small", 4, MACHINE);
    add_measured(message, "4", NAN, HS_MEASURE_OK, 1e-3);
    add_measured(message, "2x2", NAN, HS_MEASURE_OK, 2e-3);
    message = add_result(&bench, "large", 16, MACHINE);
    add_measured(message, "2x8", NAN, HS_MEASURE_OK, 1.0e-3); /* from 2x2 */
    add_measured(message, "4x4", NAN, HS_MEASURE_OK, 1.5e-3); /* from 4 */
    add_measured(message, "4x2x2", NAN, HS_MEASURE_OK, 1.6e-3);
    run(&bench);
    growth = &bench.comparison.growths[0];
    assert_false(growth->contains);
    assert_int_equal(growth->alone.reached, 2);
    assert_plan(&bench.comparison.cases[1].points[growth->alone.fastest].plan, "4x4");
    assert_near(growth->alone.regret.value, 0.5, 1e-12);
    assert_int_equal(growth->kept, 2);
    assert_int_equal(growth->wide.reached, 3);
    assert_int_equal(growth->wide.fastest, 0);
    end(&bench);
}

static void joins_nothing_of_another_backend(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add_measured(add_result(&bench, "a", 4, MACHINE), "4", NAN, HS_MEASURE_OK, 1e-3);
    add_measured(add_result(&bench, "b", 8, MACHINE), "4x2", NAN, HS_MEASURE_OK, 1e-3);
    bench.results[0].backend = hs_strdup("null");
    bench.results[1].backend = hs_strdup("host");
    run(&bench);
    assert_int_equal(bench.comparison.case_count, 2);
    assert_int_equal(bench.comparison.growth_count, 0);
    end(&bench);
}

/* ---- files ---- */

static void reproduces_the_published_table_from_a_file(void **state)
{
    struct bench bench;
    struct hs_system system;
    const struct hs_compare_case *one;

    (void)state;
    begin(&bench);
    assert_status_is(hs_system_load(&system, "configs/abci.json", &bench.err), HS_OK, &bench.err);
    add_file(&bench, DATA "table2.json");
    bench.job.system = &system;
    run(&bench);
    one = &bench.comparison.cases[0];
    assert_int_equal(one->count, 10);
    assert_near(one->score.mean_error, 0.183263841320748, 1e-9);
    assert_near(one->points[one->score.worst].error, -0.3788045914223078, 1e-9);
    assert_near(one->score.tau, 0.22473328748774737, 1e-9);
    assert_plan(&one->points[one->score.predicted_best].plan, "128");
    assert_plan(&one->points[0].plan, "4x8x4");
    end(&bench);
    hs_system_release(&system);
}

/* Summary of the null backend's files; expected values: the same sums in Python. */
static void summarises_measured_files(void **state)
{
    struct bench bench;
    const struct hs_compare_summary *summary;

    (void)state;
    begin(&bench);
    add_file(&bench, DATA "null16.json");
    add_file(&bench, DATA "null4.json");
    add_file(&bench, DATA "null8.json");
    run(&bench);
    summary = &bench.comparison.summary;
    assert_int_equal(bench.comparison.case_count, 3);
    assert_int_equal(summary->plans, 13);
    assert_near(summary->mean_error, 0.029945869213056694, 1e-9);
    assert_int_equal(summary->worst_case, 0);
    assert_int_equal(summary->choices, 3);
    assert_int_equal(summary->found, 1);
    assert_int_equal(summary->found_in_noise, 2);
    assert_int_equal(summary->top_choices, 2); /* null4.json has two plans */
    assert_int_equal(summary->top, 2);
    assert_int_equal(summary->tau_cases, 2);
    assert_near(summary->mean_regret, 0.049357012770888296, 1e-9);
    assert_int_equal(summary->regret_case, 0);
    assert_near(bench.comparison.cases[0].score.regret.value, 0.1381331600518556, 1e-9);
    assert_near(bench.comparison.cases[0].score.regret.low, 0.08758821432797559, 1e-9);
    assert_near(bench.comparison.cases[0].score.regret.high, 0.17782183500085114, 1e-9);
    assert_int_equal(bench.comparison.cases[0].faulty, 1);
    assert_int_equal(bench.comparison.growth_count, 2);
    end(&bench);
}

/* ---- JSON ---- */

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!cJSON_IsNumber(item))
        fail_msg("%s is no number", key);
    return item->valuedouble;
}

static void prints_the_figures_as_json(void **state)
{
    struct bench bench;
    struct hs_text text = {0};
    const cJSON *one, *summary;
    cJSON *root;

    (void)state;
    begin(&bench);
    add_file(&bench, DATA "null16.json");
    add_file(&bench, DATA "null8.json");
    run(&bench);
    assert_status_is(hs_comparison_print(&text, &bench.comparison, NULL, "test", &bench.err), HS_OK,
                     &bench.err);
    root = cJSON_Parse(text.data);
    assert_non_null(root);
    assert_string_equal(cJSON_GetObjectItem(root, "format")->valuestring,
                        "hiersearch.comparison/1");
    one = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), 0);
    assert_near(number(one, "regret"), 0.1381331600518556, 1e-9);
    assert_true(number(one, "winner_rank") == 3);
    assert_string_equal(cJSON_GetObjectItem(one, "measured_winner")->valuestring, "4x4");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(one, "candidates")), 7);
    summary = cJSON_GetObjectItem(root, "summary");
    assert_true(number(summary, "plans") == 11);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "growth")), 1);
    cJSON_Delete(root);
    hs_text_release(&text);
    end(&bench);
}

/* ---- logs ---- */

/* Calls of a log, which borrow the machine. */
static struct hs_call_list calls_of(const char *text, const struct hs_system *system)
{
    const struct hs_log_facts facts = {.may_lack_price = true};
    struct hs_call_list calls = {0};
    struct hs_error err = {0};
    struct hs_log log;

    assert_status_is(hs_log_parse(&log, NULL, "log", text, strlen(text), &err), HS_OK, &err);
    assert_status_is(hs_log_calls(&calls, system, &log, "log", &facts, &err), HS_OK, &err);
    hs_log_release(&log);
    return calls;
}

/* No prices: the result has no machine, and of its plans 4x2 is the fastest that was measured. */
static void calls_of_a_log_meet_the_fastest_plan_of_as_many_ranks(void **state)
{
    struct bench bench;
    struct hs_result_message *message;
    struct hs_call_list calls =
        calls_of("call,np,bytes,us\nallreduce,8,1024,3000\nallreduce,4,1024,1\n"
                 "allgather,8,1024,5000\nallreduce,8,2048,1\nallreduce,8,1024,1500\n",
                 NULL);
    const struct hs_compare_log *logs;

    (void)state;
    begin(&bench);
    message = add_result(&bench, "m", 8, NULL);
    add_measured(message, "4x2", NAN, HS_MEASURE_OK, 2e-3);
    add_measured(message, "8", NAN, HS_MEASURE_OK, 4e-3);
    add_measured(message, "2x4", NAN, HS_MEASURE_WRONG, 1e-3);
    bench.job.calls = &calls;
    run(&bench);
    logs = bench.comparison.logs;
    assert_int_equal(bench.comparison.case_count, 0);
    assert_int_equal(bench.comparison.unused_count, 0);
    assert_int_equal(bench.comparison.log_count, 5);
    assert_plan(&logs[0].plan, "4x2");
    assert_near(logs[0].gain, 1.5, 1e-12);
    assert_false(logs[1].measured || logs[2].measured || logs[3].measured);
    assert_near(logs[4].gain, 0.75, 1e-12);
    assert_int_equal(bench.comparison.log_summary.met, 2);
    assert_int_equal(bench.comparison.log_summary.won, 1);
    assert_near(bench.comparison.log_summary.mean_gain, sqrt(1.5 * 0.75), 1e-12);
    assert_int_equal(bench.comparison.log_summary.priced, 0);
    hs_call_list_release(&calls);
    end(&bench);
}

/* The price of NCCL's own call is what predict says of it. */
static void calls_of_a_log_meet_the_price_of_their_library(void **state)
{
    struct bench bench;
    struct hs_system system;
    struct hs_nccl_ask ask = {.kind = HS_CALL_ALLREDUCE, .domains = 2, .gpus = 8, .bytes = 1048576};
    struct hs_nccl_price price;
    struct hs_call_list calls;
    char text[256];
    const struct hs_compare_log *logs;

    (void)state;
    begin(&bench);
    assert_status_is(hs_system_parse(&system, "8xH100, 8xNDR400", &bench.err), HS_OK, &bench.err);
    assert_int_equal(hs_nccl_price(&price, &system.nccl, &ask, NULL), HS_OK);
    snprintf(text, sizeof(text),
             "call,np,nodes,bytes,seconds\nallreduce,16,2,1048576,%.17g\n"
             "allreduce,16,2,1048576,%.17g\n",
             price.seconds / 2, price.seconds * 1.125);
    calls = calls_of(text, &system);
    bench.job.calls = &calls;
    bench.job.calls_system = &system;
    run(&bench);
    logs = bench.comparison.logs;
    assert_near(logs[0].predicted_seconds, price.seconds, 1e-12 * price.seconds);
    assert_near(logs[0].low_seconds, price.low_seconds, 1e-9 * price.seconds);
    assert_near(logs[0].high_seconds, price.high_seconds, 1e-9 * price.seconds);
    assert_near(logs[0].error, 1, 1e-12);
    assert_near(logs[1].error, -1.0 / 9, 1e-12);
    assert_int_equal(bench.comparison.log_summary.priced, 2);
    assert_int_equal(bench.comparison.log_summary.inside, 1);
    assert_int_equal(bench.comparison.log_summary.worst, 0);
    assert_near(bench.comparison.log_summary.mean_error, 5.0 / 9, 1e-12);
    assert_near(bench.comparison.log_summary.mean_signed_error, 4.0 / 9, 1e-12);
    hs_call_list_release(&calls);
    hs_system_release(&system);
    end(&bench);
}

static void calls_of_a_log_that_meet_nothing_are_refused(void **state)
{
    struct bench bench;
    struct hs_call_list calls = calls_of("call,np,bytes,us\nallreduce,4,1024,1\n", NULL);

    (void)state;
    begin(&bench);
    add_measured(add_result(&bench, "m", 8, NULL), "4x2", NAN, HS_MEASURE_OK, 2e-3);
    bench.job.calls = &calls;
    fails(&bench, "log: nothing to compare its calls with", "--predict SYSTEM");
    hs_call_list_release(&calls);
}

static void the_schema_is_that_of_its_table(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_text schema = {0};

    (void)state;
    assert_status_is(hs_comparison_print_schema(&schema, &err), HS_OK, &err);
    check_schema(&schema, "docs/comparison.schema.json", "build/tests/answer/test_compare");
    hs_text_release(&schema);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("plans without a prediction and failed ones are left out, and counted",
            takes_the_predictions_of_the_measured_file),
    HS_TEST("a prediction and a measurement are matched by plan",
            matches_a_prediction_with_a_measurement_by_plan),
    HS_TEST("another machine takes the place of all predictions",
            predicts_for_another_machine_where_asked),
    HS_TEST("predictions for another machine are not used", keeps_other_machines_apart),
    HS_TEST("files without a measurement are refused", refuses_files_without_a_measurement),
    HS_TEST("another process count is refused", refuses_another_process_count),
    HS_TEST("other message sizes are refused, the nearest file named", refuses_other_message_sizes),
    HS_TEST("a measurement that nobody predicts is refused",
            refuses_a_measurement_that_nobody_predicts),
    HS_TEST("a size that was not measured is refused", refuses_a_size_that_was_not_measured),
    HS_TEST("a file given twice is refused", refuses_the_same_file_twice),
    HS_TEST("each process count grows from the largest that divides it",
            joins_each_count_to_the_largest_that_divides_it),
    HS_TEST("it is said what the rule loses on measured times",
            says_what_the_rule_loses_on_measured_times),
    HS_TEST("measurements of two backends are not joined", joins_nothing_of_another_backend),
    HS_TEST("the published table as a file gives the published figures",
            reproduces_the_published_table_from_a_file),
    HS_TEST("several files are summed up", summarises_measured_files),
    HS_TEST("the JSON has the same figures", prints_the_figures_as_json),
    HS_TEST("calls of a log meet the fastest plan of as many ranks",
            calls_of_a_log_meet_the_fastest_plan_of_as_many_ranks),
    HS_TEST("calls of a log meet the price of their library",
            calls_of_a_log_meet_the_price_of_their_library),
    HS_TEST("calls of a log that meet nothing are refused",
            calls_of_a_log_that_meet_nothing_are_refused),
    HS_TEST("docs/comparison.schema.json is that of its table", the_schema_is_that_of_its_table),
};
HS_TEST_MAIN(tests)
