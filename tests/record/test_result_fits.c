/*
 * Results about a calibrated system: what tests/record/good/calibrated.json says is read, and not
 * what the model would say; what is written is read again as the same.
 */
#include "record/result_gaps.h"
#include "result_tools.h"

#define CALIBRATED GOOD "calibrated.json"

static void the_files_interval_and_fits_are_read(void **state)
{
    struct hs_result result;
    const struct hs_candidate *candidates;

    (void)state;
    load(&result, CALIBRATED);
    candidates = result.messages[0].candidates;
    assert_int_equal(result.system.fits.count, 6);
    assert_near(candidates[0].cost->ci95_seconds, 0.00025, 1e-12);
    assert_true(candidates[0].extrapolated && candidates[0].cost->extrapolated);
    assert_int_equal(candidates[0].cost->stages[0].fit_scope, HS_FIT_SIZE);
    assert_true(candidates[0].cost->stages[0].extrapolated);
    assert_int_equal(candidates[0].cost->stages[1].fit_scope, HS_FIT_LAYER);
    assert_false(candidates[0].cost->stages[1].extrapolated);
    hs_result_release(&result);
}

/* Absent in the file: no interval, and the model's word for the layers. */
static void what_the_file_does_not_say_is_not_made_up(void **state)
{
    struct hs_result result;
    const struct hs_candidate *candidate;

    (void)state;
    load(&result, CALIBRATED);
    candidate = &result.messages[0].candidates[1];
    assert_true(isnan(candidate->cost->ci95_seconds));
    assert_int_equal(candidate->cost->stages[1].fit_scope, HS_FIT_LEVEL);
    hs_result_release(&result);
}

static void writing_keeps_all_but_the_points(void **state)
{
    struct hs_result result, again;
    char *first, *second;

    (void)state;
    load(&result, CALIBRATED);
    first = print(&result);
    assert_int_equal(result.system.fits.point_count, 3);
    parse_text(&again, first);
    second = print(&again);
    assert_string_equal(first, second);
    assert_int_equal(again.system.fits.count, 6);
    assert_int_equal(again.system.fits.refusal_count, 1);
    assert_int_equal(again.system.fits.point_count, 0);
    assert_string_equal(again.system.fits.source, "host backend, 16 ranks, 2026-01-31");
    assert_true(again.messages[0].candidates[0].cost->ci95_seconds ==
                result.messages[0].candidates[0].cost->ci95_seconds);
    assert_true(isnan(again.messages[0].candidates[1].cost->ci95_seconds));
    free(first);
    free(second);
    hs_result_release(&result);
    hs_result_release(&again);
}

/* Any prediction and any half width, also one that is larger than the prediction. */
static void an_interval_survives_being_read_and_written(void **state)
{
    unsigned seed = 3;

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct hs_result result, again;
        struct hs_candidate *candidate;
        char *first, *second;

        load(&result, CALIBRATED);
        candidate = &result.messages[0].candidates[0];
        candidate->predicted_seconds = (rand_r(&seed) + 1.0) / 3e9;
        candidate->cost->seconds = candidate->predicted_seconds;
        candidate->cost->ci95_seconds = candidate->predicted_seconds * rand_r(&seed) / 7e8;
        first = print(&result);
        parse_text(&again, first);
        second = print(&again);
        assert_string_equal(first, second);
        assert_near(again.messages[0].candidates[0].cost->ci95_seconds,
                    candidate->cost->ci95_seconds, 1e-9);
        free(first);
        free(second);
        hs_result_release(&result);
        hs_result_release(&again);
    }
}

static void without_fits_a_result_says_nothing_of_them(void **state)
{
    struct hs_result result;
    char *text;

    (void)state;
    load(&result, CALIBRATED);
    hs_fits_release(&result.system.fits);
    text = print(&result);
    assert_null(strstr(text, "\"fit"));
    assert_null(strstr(text, "predicted_ci95_seconds"));
    free(text);
    hs_result_release(&result);
}

/* 4x4 of 16 MiB lies inside of what was measured, 2x8 too; flat has size 16 where 4 to 8 were. */
static void gaps_of_a_result_are_those_of_its_candidates(void **state)
{
    struct hs_result result;
    struct hs_text text = {0};

    (void)state;
    load(&result, CALIBRATED);
    hs_result_gaps_append(&text, &result, &result.messages[0]);
    assert_string_equal(text.data,
                        "* prediction extrapolated: net with size 16 (measured: 4 to 8)\n");
    hs_text_release(&text);
    result.messages[0].candidate_count = 2;
    hs_result_gaps_append(&text, &result, &result.messages[0]);
    assert_int_equal(text.length, 0);
    result.messages[0].candidate_count = 3;
    hs_text_release(&text);
    hs_result_release(&result);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the file's interval and fits are read", the_files_interval_and_fits_are_read),
    HS_TEST("what the file does not say is not made up", what_the_file_does_not_say_is_not_made_up),
    HS_TEST("writing keeps all but the points", writing_keeps_all_but_the_points),
    HS_TEST("an interval survives being read and written",
            an_interval_survives_being_read_and_written),
    HS_TEST("without fits a result says nothing of them",
            without_fits_a_result_says_nothing_of_them),
    HS_TEST("gaps of a result are those of its candidates",
            gaps_of_a_result_are_those_of_its_candidates),
};
HS_TEST_MAIN(tests)
