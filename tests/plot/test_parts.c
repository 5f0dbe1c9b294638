/* What the kinds are made of: fits, phases, drawings of lattices, TSV cells. */
#include "test.h"

#include "plot/lattice_layout.h"
#include "plot/line.h"
#include "plot/phases.h"
#include "plot/tsv.h"

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

/* 12 = 2^2 3: 1 | 2 3 | 4 6 | 12. */
static void columns_are_numbers_of_prime_factors(void **state)
{
    const double x[] = {0, 1, 1, 2, 2, 3}, y[] = {0, -0.5, 0.5, -0.5, 0.5, 0};
    struct hs_lattice lattice;
    struct hs_plot_node *nodes;

    (void)state;
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(12), NULL), HS_OK);
    nodes = hs_lattice_layout(&lattice);
    for (int i = 0; i < 6; i++) {
        assert_true(nodes[i].x == x[i]);
        assert_true(nodes[i].y == y[i]);
    }
    free(nodes);
    hs_lattice_release(&lattice);
}

/* All lines of a lattice end where they must and run through no other node. */
static void lines_avoid_nodes(void **state)
{
    static const int64_t counts[] = {16, 36, 64, 720};

    (void)state;
    for (size_t c = 0; c < 4; c++) {
        struct hs_lattice lattice;
        struct hs_plot_node *nodes, curve[HS_CURVE_POINTS];

        assert_int_equal(hs_lattice_init(&lattice, hs_group_world(counts[c]), NULL), HS_OK);
        nodes = hs_lattice_layout(&lattice);
        for (size_t from = 0; from < lattice.node_count; from++)
            for (size_t e = lattice.first_edge[from]; e < lattice.first_edge[from + 1]; e++) {
                size_t to = lattice.edge_end[e];

                hs_lattice_curve(curve, nodes, lattice.node_count, from, to);
                assert_true(curve[0].x == nodes[from].x && curve[0].y == nodes[from].y);
                assert_true(fabs(curve[HS_CURVE_POINTS - 1].y - nodes[to].y) < 1e-9);
                for (int i = 0; i < HS_CURVE_POINTS; i++)
                    for (size_t n = 0; n < lattice.node_count; n++)
                        if (n != from && n != to &&
                            hypot(curve[i].x - nodes[n].x, curve[i].y - nodes[n].y) < 0.05)
                            fail_msg("%lld: the line %zu-%zu runs through node %zu",
                                     (long long)counts[c], from, to, n);
            }
        free(nodes);
        hs_lattice_release(&lattice);
    }
}

static void a_cell_stays_a_cell(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_tsv_text(&out, "a\tb\nc\"d\xff");
    hs_tsv_text(&out, "");
    hs_tsv_number(&out, NAN);
    hs_tsv_number(&out, 0.1);
    hs_tsv_row(&out);
    assert_string_equal(out.data, "a b c'd \t-\t?\t0.1\n");
    hs_text_release(&out);
}

static void a_time_axis_has_a_fitting_unit(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_tsv_time_unit(&out, 1);
    hs_tsv_time_unit(&out, 0.9999);
    hs_tsv_time_unit(&out, 2e-7);
    assert_string_equal(out.data, "time_unit\ts\ntime_factor\t1\ntime_unit\tms\ntime_factor\t1000\n"
                                  "time_unit\tus\ntime_factor\t1000000\n");
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a line is found again from points on it", a_line_is_found_again),
    HS_TEST("a fit needs three points, and its times are not negative",
            a_fit_needs_three_points_and_no_time_is_negative),
    HS_TEST("phases run from the inside out and back", phases_run_out_and_back),
    HS_TEST("columns of a lattice are numbers of prime factors",
            columns_are_numbers_of_prime_factors),
    HS_TEST("lines of a lattice avoid the nodes they do not join", lines_avoid_nodes),
    HS_TEST("a cell of TSV stays a cell", a_cell_stays_a_cell),
    HS_TEST("a time axis has a fitting unit", a_time_axis_has_a_fitting_unit),
};
HS_TEST_MAIN(tests)
