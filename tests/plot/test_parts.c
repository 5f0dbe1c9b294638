/* What the kinds are made of: fits, phases, CSV cells. */
#include "test.h"

#include "plot/csv.h"
#include "plot/line.h"
#include "plot/phases.h"

static void a_line_is_found_again(void **state)
{
    const double bytes[] = {1000, 2000, 4000, 8000}, seconds[] = {7, 9, 13, 21};
    struct hs_line fit = hs_line_fit(bytes, seconds, 4);

    (void)state;
    assert_true(fit.valid);
    assert_true(fabs(fit.seconds - 5) < 1e-9);
    assert_true(fabs(fit.seconds_per_byte - 2e-3) < 1e-12);
}

static void a_fit_needs_three_points_and_no_time_is_negative(void **state)
{
    const double bytes[] = {1000, 2000, 4000}, seconds[] = {7, 9, 13}, steep[] = {1, 3, 9};
    const double holes[] = {7, NAN, 13}, falling[] = {9, 5, 1};

    (void)state;
    assert_false(hs_line_fit(bytes, seconds, 2).valid);
    assert_false(hs_line_fit(bytes, holes, 3).valid);
    assert_false(hs_line_fit(bytes, falling, 3).valid);
    assert_true(hs_line_fit(bytes, steep, 3).valid);
    assert_true(hs_line_fit(bytes, steep, 3).seconds >= 0);
}

static void phases_run_out_and_back(void **state)
{
    struct hs_stage_time stages[] = {{{HS_REDUCE_SCATTER, HS_RING, {1, 2}}, 1},
                                     {{HS_REDUCE_SCATTER, HS_RING, {2, 2}}, 2},
                                     {{HS_ALLREDUCE, HS_RING, {4, 2}}, 3},
                                     {{HS_ALLGATHER, HS_RING, {2, 2}}, 5},
                                     {{HS_ALLGATHER, HS_RING, {1, 2}}, 4}};
    struct hs_measured measured = {.status = HS_MEASURE_OK, .stages = stages, .stage_count = 5};
    struct hs_candidate candidate = {
        .plan = {.split = {.count = 3, .sizes = {2, 2, 2}}, .chunks = 1}, .measured = &measured};
    struct hs_plot_phases phases = hs_plot_measured_phases(&candidate);
    const int layers[] = {0, 1, 2, 1, 0};
    const double seconds[] = {1, 2, 3, 5, 4};

    (void)state;
    assert_int_equal(phases.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(phases.segments[i].layer, layers[i]);
        assert_true(phases.segments[i].seconds == seconds[i]);
        assert_int_equal(phases.segments[i].phase, i < 2    ? HS_REDUCE_SCATTER
                                                   : i == 2 ? HS_ALLREDUCE
                                                            : HS_ALLGATHER);
    }
    assert_true(hs_plot_phases_seconds(&phases) == 15);
    measured.status = HS_MEASURE_WRONG;
    assert_int_equal(hs_plot_measured_phases(&candidate).count, 0);
}

static void a_cell_stays_a_cell(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_csv_text(&out, "%s", "a\tb\nc\"d\xff");
    hs_csv_text(&out, "%s", "a,\"b");
    hs_csv_text(&out, "%s", "");
    hs_csv_number(&out, NAN);
    hs_csv_number(&out, 0.1);
    hs_csv_row(&out);
    assert_string_equal(out.data, "a b c'd ,\"a,'b\",-,?,0.1\n");
    hs_text_release(&out);
}

static void a_time_axis_has_a_fitting_unit(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_csv_time_unit(&out, 1);
    hs_csv_time_unit(&out, 0.9999);
    hs_csv_time_unit(&out, 2e-7);
    assert_string_equal(out.data, "time_unit,s\ntime_factor,1\ntime_unit,ms\ntime_factor,1000\n"
                                  "time_unit,us\ntime_factor,1000000\n");
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a line is found again from points on it", a_line_is_found_again),
    HS_TEST("a fit needs three points, and its times are not negative",
            a_fit_needs_three_points_and_no_time_is_negative),
    HS_TEST("phases run from the inside out and back", phases_run_out_and_back),
    HS_TEST("a cell of CSV stays a cell", a_cell_stays_a_cell),
    HS_TEST("a time axis has a fitting unit", a_time_axis_has_a_fitting_unit),
};
HS_TEST_MAIN(tests)
