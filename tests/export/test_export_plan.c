/* Plans for targets that cannot express the best one, and message sizes at which a rule ends.
 * Expected times are worked out from the figures in the tests. */
#include "export/export.h"
#include "export_results.h"

static const char system_text[] = "nvlink:4@150GB/s~0.5us,rack:8@25GB/s~2us,spine@96GB/s~5us";

/* ---- the best plan within a number of layers ---- */

static void check_within(const struct hs_result *result, int layers, const char *plan, double cost)
{
    struct hs_export_job job = job_of(result);
    struct hs_plan found;
    char text[HS_SPLIT_TEXT];
    struct hs_error err;
    double found_cost;

    assert_status_is(hs_export_best_within(&found, &found_cost, &job, 0, layers, &err), HS_OK,
                     &err);
    assert_string_equal(hs_plan_format(text, &found), plan);
    assert_near(found_cost, cost, 1e-12);
}

static void measured_plan_of_two_layers_comes_first(void **state)
{
    struct hs_result result = make_result(64, system_text);

    (void)state;
    add_message(&result, 64 * MIB);
    add(&result, "4x8x2", 1e-3, 2e-3);
    add(&result, "4x16", 1e-3, 2.5e-3);
    add(&result, "8x8", 1e-3, 3e-3);
    add(&result, "64", 1e-3, 9e-3);
    rank_all(&result);
    check_within(&result, 0, "4x8x2", 1);
    check_within(&result, 3, "4x8x2", 1);
    check_within(&result, 2, "4x16", 1.25);
    check_within(&result, 1, "64", 4.5);
    hs_result_release(&result);
}

/* Flat is measured, but the model knows better: 8x8 is predicted at 1.5 ms, and what was predicted
 * took twice as long. */
static void predictions_are_scaled_by_what_was_measured(void **state)
{
    struct hs_result result = make_result(64, NULL);

    (void)state;
    add_message(&result, 64 * MIB);
    add(&result, "4x8x2", 1e-3, 2e-3);
    add(&result, "8x8", 1.5e-3, NAN);
    add(&result, "64", 1e-3, 9e-3);
    rank_all(&result);
    check_within(&result, 2, "8x8", 1.5);
    result.messages[0].candidates[1].measured->median_seconds = 2.9e-3; /* the flat one */
    check_within(&result, 2, "64", 1.45);
    hs_result_release(&result);
}

static void plans_that_failed_are_passed_over(void **state)
{
    struct hs_result result = make_result(64, NULL);

    (void)state;
    add_message(&result, 64 * MIB);
    add(&result, "4x8x2", 1e-3, 2e-3);
    add(&result, "8x8", 1e-3, 1e-3)->measured->status = HS_MEASURE_WRONG;
    add(&result, "64", 1e-3, 9e-3);
    rank_all(&result);
    check_within(&result, 2, "64", 4.5);
    hs_result_release(&result);
}

/* One level of 10 GB/s and 10 us, 12 processes: t = 2 n / B (1 - 1/12) for every split, and 20 us
 * (p - 1) per layer. Best of two layers is 3x4 (or 4x3: a tie, the smaller size first) with 5
 * steps; 2x2x3 has 4. */
static void splits_in_two_layers_are_priced_by_the_system(void **state)
{
    struct hs_result result = make_result(12, "only:12@10GB/s~10us");
    double bandwidth = 2 * 12e6 / 10e9 * 11 / 12;

    (void)state;
    add_message(&result, 12e6);
    add(&result, "2x2x3", NAN, NAN)->predicted_seconds = bandwidth + 4 * 20e-6;
    rank_all(&result);
    check_within(&result, 2, "3x4", (bandwidth + 5 * 20e-6) / (bandwidth + 4 * 20e-6));
    check_within(&result, 1, "12", (bandwidth + 11 * 20e-6) / (bandwidth + 4 * 20e-6));
    hs_result_release(&result);
}

static void prime_number_of_processes_is_flat(void **state)
{
    struct hs_result result = make_result(13, "only:13@10GB/s~10us");

    (void)state;
    add_message(&result, MIB);
    add(&result, "13", 1e-3, NAN);
    rank_all(&result);
    check_within(&result, 2, "13", 1);
    hs_result_release(&result);
}

static void nothing_within_two_layers_is_an_error(void **state)
{
    struct hs_result result = make_result(64, NULL);
    struct hs_export_job job;
    struct hs_plan plan;
    struct hs_error err;
    double cost;

    (void)state;
    add_message(&result, 64 * MIB);
    add(&result, "4x8x2", 1e-3, 2e-3);
    rank_all(&result);
    job = job_of(&result);
    assert_int_equal(hs_export_best_within(&plan, &cost, &job, 0, 2, &err), HS_INVALID);
    assert_has(err.message, "for 64MiB no plan of at most 2 layers is known");
    hs_result_release(&result);
}

/* ---- crossovers ---- */

static double crossover(const struct hs_result *result, size_t message, bool *guessed)
{
    struct hs_export_job job = job_of(result);

    return hs_export_cross(&job, message, &result->messages[message].best,
                           &result->messages[message + 1].best, guessed);
}

/* 4x2 takes 1 and 5 ms, 8 takes 3 and 4 ms at 1 and 3 MiB: they meet after two thirds of the way.
 */
static void measured_times_cross_on_lines(void **state)
{
    struct hs_result result = make_result(8, NULL);
    bool guessed;

    (void)state;
    add_message(&result, 1 * MIB);
    add(&result, "4x2", NAN, 1e-3);
    add(&result, "8", NAN, 3e-3);
    add_message(&result, 3 * MIB);
    add(&result, "4x2", NAN, 5e-3);
    add(&result, "8", NAN, 4e-3);
    rank_all(&result);
    assert_near(crossover(&result, 0, &guessed), (1 + 2 * 2.0 / 3) * MIB, 1e-12);
    assert_false(guessed);
    hs_result_release(&result);
}

/* Pairs: 0 us, 0.5 GB/s; beyond: 10 us, 0.25 GB/s per pair, which both rings of 2x4's second layer
 * share.
 * 8: 7 hops beyond, 6 in pairs, and once more a block beyond behind another (docs/model.md, section
 *      2):  7 * 10 us + n/8 (7 + 1) / 0.25 GB/s + n/8 6 / 0.5 GB/s =  70 us + 5.5 n ns
 * 2x4:  2 * 3 * 10 us + 2 n 1/2 / 0.5 GB/s      + 2 n/2 3/4 / 0.125 GB/s =  60 us + 8 n ns
 * They are equal at 4,000 bytes. From 40,000 bytes on it is 10 us + 7 n ns for 8. */
static void model_times_cross_where_they_are_equal(void **state)
{
    struct hs_result result = make_result(8, "pair:2@500MB/s~0us,rest@250MB/s~10us");
    bool guessed;

    (void)state;
    add_message(&result, 1000);
    add(&result, "2x4", 60e-6 + 8e-6, NAN);
    add_message(&result, 1e6);
    add(&result, "8", 10e-6 + 7e-3, NAN);
    rank_all(&result);
    assert_near(crossover(&result, 0, &guessed), 4000, 1e-9);
    assert_false(guessed);
    hs_result_release(&result);
}

static void without_times_the_crossover_is_the_geometric_mean(void **state)
{
    struct hs_result result = make_result(8, NULL);
    bool guessed;

    (void)state;
    add_message(&result, 10000);
    add(&result, "2x4", 1e-4, NAN);
    add_message(&result, 1e6);
    add(&result, "8", 1e-3, NAN);
    rank_all(&result);
    assert_near(crossover(&result, 0, &guessed), 1e5, 1e-12);
    assert_true(guessed);
    hs_result_release(&result);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        HS_TEST("a measured plan of two layers comes first",
                measured_plan_of_two_layers_comes_first),
        HS_TEST("predictions are scaled by what was measured",
                predictions_are_scaled_by_what_was_measured),
        HS_TEST("plans that were wrong are passed over", plans_that_failed_are_passed_over),
        HS_TEST("splits in two layers are priced by the system",
                splits_in_two_layers_are_priced_by_the_system),
        HS_TEST("a prime number of processes gets the flat split",
                prime_number_of_processes_is_flat),
        HS_TEST("no plan within two layers is an error", nothing_within_two_layers_is_an_error),
        HS_TEST("measured times cross where their lines do", measured_times_cross_on_lines),
        HS_TEST("modelled times cross where they are equal",
                model_times_cross_where_they_are_equal),
        HS_TEST("without times the crossover is the geometric mean, and guessed",
                without_times_the_crossover_is_the_geometric_mean),
    };

    return hs_run_tests(tests);
}
