/*
 * Lists that grow, and candidates that are ranked by what was measured.
 */
#include "record/answer_measured.h"
#include "result_tools.h"

static void new_elements_have_no_times(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_candidate *candidate = hs_result_add_candidate(message);
    const struct hs_baseline_result *baseline =
        hs_result_add_baseline(message, "MPI_Allreduce", false);
    const struct hs_measured *measured = hs_candidate_add_measured(candidate);

    (void)state;
    assert_true(isnan(message->flat_seconds) && isnan(candidate->predicted_seconds));
    assert_true(isnan(measured->median_seconds) && isnan(measured->ci95_low_seconds) &&
                isnan(measured->ci95_high_seconds) && isnan(measured->device_median_seconds));
    assert_true(isnan(baseline->measured.median_seconds) &&
                isnan(baseline->measured.device_median_seconds));
    assert_ptr_equal(candidate->measured, measured);
    hs_result_release(&result);
}

static void lists_grow_wherever_they_came_from(void **state)
{
    struct hs_result result;
    struct hs_result_message *message;

    (void)state;
    load(&result, GOOD "full.json"); /* 2 baselines, 2 rules, 4 candidates, 2 versions */
    message = &result.messages[0];
    for (int i = 0; i < 100; i++) {
        char name[32];

        snprintf(name, sizeof(name), "name %d", i);
        assert_non_null(hs_result_add_baseline(message, name, false));
        assert_non_null(hs_result_add_pruned(message, name, 7));
        assert_non_null(hs_result_add_candidate(message));
        assert_int_equal(hs_result_set_version(&result, name, "x", NULL), HS_OK);
    }
    assert_true(message->baseline_count == 102 && message->pruned_count == 102 &&
                message->candidate_count == 104 && result.version_count == 102);
    assert_string_equal(message->baselines[0].name, "MPI_Allreduce");
    assert_string_equal(message->pruned[101].rule, "name 99");
    assert_plan(&message->candidates[3].plan, "2x2x2");
    assert_non_null(hs_result_add_message(&result));
    assert_true(result.message_count == 3 && result.messages[0].message_bytes == 1000);
    hs_result_release(&result);
}

static void a_version_of_the_same_name_is_replaced(void **state)
{
    struct hs_result result;

    (void)state;
    start(&result);
    assert_int_equal(hs_result_set_version(&result, "mpi", "4.0", NULL), HS_OK);
    assert_int_equal(hs_result_set_version(&result, "kernel", "6.1", NULL), HS_OK);
    assert_int_equal(hs_result_set_version(&result, "mpi", "4.1", NULL), HS_OK);
    assert_int_equal(result.version_count, 2);
    assert_string_equal(result.versions[0].name, "mpi");
    assert_string_equal(result.versions[0].text, "4.1");
    hs_result_release(&result);
}

static void a_candidate_counts_by_its_median_if_that_is_good(void **state)
{
    static const struct {
        enum hs_measure_status status;
        double expected;
    } cases[] = {
        {HS_MEASURE_OK, 3},      {HS_MEASURE_WRONG, 2},  {HS_MEASURE_TIMEOUT, 2},
        {HS_MEASURE_SKIPPED, 2}, {HS_MEASURE_FAILED, 2},
    };
    struct hs_result result;
    struct hs_result_message *message = start(&result);

    (void)state;
    assert_true(hs_candidate_seconds(add(message, "8", 2)) == 2);
    assert_true(isnan(hs_candidate_seconds(add(message, "8", NAN))));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        add_measured(message, "8", 2, cases[i].status, 3);
        assert_true(hs_candidate_seconds(&message->candidates[2 + i]) == cases[i].expected);
    }
    add_measured(message, "8", 2, HS_MEASURE_OK, NAN);
    assert_true(hs_candidate_seconds(&message->candidates[7]) == 2);
    hs_result_release(&result);
}

static void candidates_are_ranked_measured_predicted_unknown_faulty(void **state)
{
    static const char *const expected[] = {
        "2x2x2x4", /* measured 4 */
        "32",      /* measured 5: ties go to fewer chunks, fewer layers, smaller first */
        "4x8",     "8x4", "2x2x8", "32/2", "4x2x4", /* measured 6 */
        "2x16",                                     /* predicted 0.5, skipped */
        "16x2",                                     /* predicted 1 */
        "2x4x4",                                    /* unknown */
        "2x8x2",                                    /* wrong, predicted 0.25 */
        "4x4x2",                                    /* timeout, predicted 0.5 */
        "8x2x2",                                    /* failed, never predicted */
    };
    struct hs_result result;
    struct hs_result_message *message = start(&result);

    (void)state;
    add_measured(message, "8x2x2", NAN, HS_MEASURE_FAILED, NAN);
    add_measured(message, "4x4x2", 0.5, HS_MEASURE_TIMEOUT, NAN);
    add_measured(message, "2x8x2", 0.25, HS_MEASURE_WRONG, 0.001);
    add(message, "2x4x4", NAN);
    add(message, "16x2", 1);
    add_measured(message, "4x2x4", 0.1, HS_MEASURE_OK, 6);
    add_measured(message, "32/2", 0.1, HS_MEASURE_OK, 5);
    add_measured(message, "2x2x8", 0.2, HS_MEASURE_OK, 5);
    add_measured(message, "8x4", 0.3, HS_MEASURE_OK, 5);
    add_measured(message, "4x8", NAN, HS_MEASURE_OK, 5);
    add_measured(message, "32", 0.5, HS_MEASURE_OK, 5);
    add_measured(message, "2x2x2x4", 9, HS_MEASURE_OK, 4);
    add_measured(message, "2x16", 0.5, HS_MEASURE_SKIPPED, NAN);
    assert_int_equal(hs_result_rank(message, NULL), HS_OK);
    assert_int_equal(message->candidate_count, sizeof(expected) / sizeof(*expected));
    for (size_t i = 0; i < message->candidate_count; i++)
        assert_plan(&message->candidates[i].plan, expected[i]);
    assert_plan(&message->best, "2x2x2x4");
    hs_result_release(&result);
}

static void without_a_usable_candidate_there_is_no_best(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_error err = {HS_OK, ""};

    (void)state;
    assert_int_equal(hs_result_rank(message, &err), HS_FAILED);
    add_measured(message, "8", 1, HS_MEASURE_WRONG, 0.5);
    add(message, "2x4", NAN);
    message->best = message->candidates[0].plan;
    assert_int_equal(hs_result_rank(message, &err), HS_FAILED);
    assert_string_equal(err.message, "no usable candidate for 1024 bytes: none of 2 was measured "
                                     "without fault or predicted");
    assert_int_equal(message->best.split.count, 0);
    assert_plan(&message->candidates[0].plan, "2x4");
    free(print_twice(&result));
    hs_result_release(&result);
}

/* An interval from a tenth below to a tenth above; or none, as of too few samples. */
static void give_interval(struct hs_measured *measured, double seconds, bool known)
{
    measured->status = HS_MEASURE_OK;
    measured->median_seconds = seconds;
    measured->ci95_low_seconds = known ? seconds / 1.1 : NAN;
    measured->ci95_high_seconds = known ? seconds * 1.1 : NAN;
}

/* By hand: a median's logarithm has the standard error log(1.21) / 3.92 = 0.048627, that of two
 * 0.068769, so that the 90 % range of a gain is it by exp(+-1.645 * 0.068769) = 1.11978. */
static void the_verdict_of_what_was_measured_goes_by_intervals(void **state)
{
    static const struct {
        double library; /* 0: not measured */
        bool known;
        enum hs_advice advice;
        double gain, low, high, share;
    } cases[] = {
        {1.2, true, HS_ADVICE_PLAN, 1.2, 1.071638, 1.343736, 0.995991},
        {1.05, true, HS_ADVICE_UNDECIDED, 1.05, 0.937684, 1.175769, 0.760980},
        {1.02, true, HS_ADVICE_DEFAULT, 1.02, 0.910893, 1.142176, 0.613305},
        {0.5, true, HS_ADVICE_DEFAULT, 0.5, 0.446516, 0.559890, 0},
        {9, false, HS_ADVICE_UNDECIDED, 9, NAN, NAN, NAN},
        {0, true, HS_ADVICE_UNDECIDED, 1.05, 0.937684, 1.175769, 0.760980}, /* over the flat plan */
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_result result;
        struct hs_result_message *message = start(&result);
        const struct hs_verdict *verdict;

        add_measured(message, "2x4", NAN, HS_MEASURE_OK, 1);
        add_measured(message, "8", NAN, HS_MEASURE_OK, 1.05);
        give_interval(message->candidates[0].measured, 1, cases[i].known);
        give_interval(message->candidates[1].measured, 1.05, true);
        if (cases[i].library > 0)
            give_interval(&hs_result_add_baseline(message, "MPI_Allreduce", false)->measured,
                          cases[i].library, true);
        assert_int_equal(hs_result_rank(message, NULL), HS_OK);
        assert_int_equal(hs_answer_measured(message, &result, NULL), HS_OK);
        verdict = &message->answer->verdict;
        assert_int_equal(verdict->advice, cases[i].advice);
        assert_plan(&verdict->plan, "2x4");
        assert_float_equal(verdict->gain, cases[i].gain, 1e-12);
        assert_true(isnan(cases[i].low) == isnan(verdict->gain_low));
        if (!isnan(cases[i].low)) {
            assert_float_equal(verdict->gain_low, cases[i].low, 2e-5);
            assert_float_equal(verdict->gain_high, cases[i].high, 2e-5);
            assert_float_equal(verdict->share, cases[i].share, 2e-4);
        }
        assert_true((message->answer->usual != NULL) == (cases[i].library > 0));
        assert_int_equal(message->answer->next_count, cases[i].advice == HS_ADVICE_UNDECIDED);
        assert_int_equal(message->answer->tie_count, cases[i].known); /* 0.955 is below 1.1 */
        free(print_twice(&result));
        hs_result_release(&result);
    }
}

static void without_anything_to_compare_there_is_no_verdict(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);

    (void)state;
    add_measured(message, "2x4", NAN, HS_MEASURE_OK, 1);
    assert_int_equal(hs_result_rank(message, NULL), HS_OK);
    assert_int_equal(hs_answer_measured(message, &result, NULL), HS_OK);
    assert_null(message->answer);
    hs_result_release(&result);
}

static void nothing_can_be_released(void **state)
{
    struct hs_result zero;

    (void)state;
    memset(&zero, 0, sizeof(zero));
    hs_result_release(&zero);
    hs_result_release(NULL);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("new elements have no times", new_elements_have_no_times),
    HS_TEST("lists grow wherever they came from", lists_grow_wherever_they_came_from),
    HS_TEST("a version of the same name is replaced", a_version_of_the_same_name_is_replaced),
    HS_TEST("a candidate counts by its median if that is good",
            a_candidate_counts_by_its_median_if_that_is_good),
    HS_TEST("candidates are ranked measured predicted unknown faulty",
            candidates_are_ranked_measured_predicted_unknown_faulty),
    HS_TEST("without a usable candidate there is no best",
            without_a_usable_candidate_there_is_no_best),
    HS_TEST("the verdict of what was measured goes by intervals",
            the_verdict_of_what_was_measured_goes_by_intervals),
    HS_TEST("without anything to compare there is no verdict",
            without_anything_to_compare_there_is_no_verdict),
    HS_TEST("nothing can be released", nothing_can_be_released),
};
HS_TEST_MAIN(tests)
