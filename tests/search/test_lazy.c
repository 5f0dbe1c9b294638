/*
 * The lazy search against brute force on random machines: with and without noise, described and
 * not. The truth is a recursion over all plans that shares no code with the search.
 */
#include "lazy_run.h"

/* ---- without noise ------------------------------------------------------------------------- */

static bool goes_apart(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (hs_plan_algorithm(plan, i, 0) != hs_plan_algorithm(plan, i, 1))
            return true;
    return false;
}

/* Over machines, process counts and message sizes. One winner in twenty may be worse than the best
 * by more than the tolerance, or than stated. */
static void sweep_without_noise(bool shape_only, unsigned algorithms, double way_deviation)
{
    static const int counts[] = {4, 6, 8, 12, 16, 24, 30, 32, 36, 48, 64};
    size_t wrong = 0, beaten = 0, runs = 0, apart = 0;
    /* Brute force over all letters takes long beyond 30 ranks. */
    const size_t most = HS_COUNT(counts) - (algorithms ? 4 : 0);
    const size_t last = most - (hs_tests_quick() && way_deviation == 0 ? 2 : 0);
    double measured = 0, layers = 0, worst = 0;

    for (size_t m = 0; m < HS_COUNT(lazy_machines); m++) {
        struct hs_system described = parse(lazy_machines[m]);
        struct hs_system given = shape_only ? without_figures(&described) : described;

        for (size_t i = 0; i < last; i++) {
            struct machine machine;
            struct found found;

            machine_init(&machine, &described, 100 * m + i);
            machine.algorithms = algorithms;
            machine.way_deviation = way_deviation;
            found = search(&machine, &given, counts[i], i % 3 ? 128 * MIB : 256 * 1024, shape_only,
                           SIZE_MAX);
            assert_true(found.certificate.winner.split.count > 0);
            assert_near(found.certificate.seconds, found.true_seconds, 1e-12);
            worst = fmax(worst, found.true_seconds / found.best_seconds - 1);
            wrong += !is_best(&found);
            beaten += is_beaten(&found);
            apart += goes_apart(&found.certificate.winner);
            runs++;
            measured += (double)found.certificate.layers_measured;
            layers += (double)found.certificate.layers;
            hs_certificate_release(&found.certificate);
        }
        hs_system_release(&described);
    }
    print_message(
        "# %s%s: %.0f %% of the layers measured, %zu of %zu winners worse than the best by "
        "more than 1 %%, %.2f %% at most; %zu worse than stated; %zu by two letters\n",
        shape_only ? "shape alone" : "described", algorithms ? ", all algorithms" : "",
        100 * measured / layers, wrong, runs, 100 * worst, beaten, apart);
    assert_true(way_deviation > 0 ? apart * 4 >= runs : apart == 0);
    /* A way of an algorithm that is slow both ways together may be passed over. */
    assert_true(wrong * (way_deviation > 0 ? 6 : 20) <= runs);
    assert_true(beaten * (way_deviation > 0 ? 6 : 20) <= runs);
}

static void without_noise_the_winner_is_the_best(void **state)
{
    (void)state;
    sweep_without_noise(false, 0, 0);
}

static void a_machine_of_which_only_the_shape_is_known_is_searched_too(void **state)
{
    (void)state;
    sweep_without_noise(true, 0, 0);
}

static void the_best_letters_of_each_layer_are_found(void **state)
{
    (void)state;
    sweep_without_noise(false, HS_ALGORITHMS_ALL, 0);
}

static void letters_are_found_where_only_the_shape_is_known(void **state)
{
    (void)state;
    sweep_without_noise(true, HS_ALGORITHMS_ALL, 0);
}

static void ways_that_take_different_times_are_chosen_apart(void **state)
{
    (void)state;
    sweep_without_noise(false, HS_ALGORITHMS_ALL, 0.3);
}

static void the_tapered_cluster_needs_at_most_six_of_ten_layers(void **state)
{
    static const double sizes[] = {1 * MIB, 4 * MIB, 64 * MIB};
    struct hs_system described = parse(lazy_machines[TAPERED]);

    (void)state;
    for (size_t i = 0; i < HS_COUNT(sizes); i++) {
        struct machine machine = {.real = described, .samples = 8};
        struct found found = search(&machine, &described, 16, sizes[i], false, SIZE_MAX);

        assert_int_equal(found.certificate.layers, 10);
        assert_true(found.certificate.layers_measured <= 6);
        assert_true(is_best(&found));
        assert_true(found.certificate.within == 0);
        print_message("# %g MiB: %zu of 10 layers\n", sizes[i] / MIB,
                      found.certificate.layers_measured);
        hs_certificate_release(&found.certificate);
    }
    hs_system_release(&described);
}

static void a_search_cut_short_says_how_much_it_leaves_open(void **state)
{
    size_t winners = 0, beaten = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (size_t most = 0; most <= 6; most++) {
            struct hs_system described = parse(lazy_machines[1 + seed % 3]);
            struct machine machine;
            struct found found;

            machine_init(&machine, &described, seed);
            found = search(&machine, &described, 24, 16 * MIB, false, most);
            assert_true(found.certificate.layers_measured <= most);
            if (found.certificate.winner.split.count > 0) {
                winners++;
                beaten += is_beaten(&found);
            } else {
                assert_int_equal(found.certificate.tie_count, 0);
            }
            hs_certificate_release(&found.certificate);
            hs_system_release(&described);
        }
    assert_true(winners > 8);
    assert_true(beaten * 20 <= winners);
}

/* ---- with noise ---------------------------------------------------------------------------- */

static void try_noise(double noise)
{
    size_t covered = 0, beaten = 0, best = 0, sure = 0;
    size_t runs = hs_tests_quick() ? 40 : 200;
    double half_width = 0;

    for (uint64_t seed = 0; seed < runs; seed++) {
        struct hs_system described = parse(lazy_machines[seed % HS_COUNT(lazy_machines)]);
        struct machine machine;
        struct found found;

        machine_init(&machine, &described, 7000 + seed);
        machine.noise = noise;
        machine.samples = 12;
        found = search(&machine, &described, seed % 2 ? 16 : 12, 16 * MIB, false, SIZE_MAX);
        covered +=
            fabs(found.certificate.seconds - found.true_seconds) <= found.certificate.ci95_seconds;
        beaten += is_beaten(&found);
        best += is_best(&found);
        sure += found.certificate.within == 0;
        half_width += found.certificate.ci95_seconds / found.certificate.seconds;
        hs_certificate_release(&found.certificate);
        hs_system_release(&described);
    }
    print_message("# noise %g %%: interval +-%.1f %% covers the truth in %zu of %zu runs; %zu "
                  "winners are the best; %zu were certified without reserve; %zu are worse than "
                  "stated\n",
                  100 * noise, 100 * half_width / (double)runs, covered, runs, best, sure, beaten);
    assert_true(covered * 100 >= 95 * runs);
    assert_true(beaten * 100 <= 5 * runs);
}

static void with_2_percent_of_noise_its_intervals_cover_the_truth(void **state)
{
    (void)state;
    try_noise(0.02);
}

static void with_5_percent_of_noise_its_intervals_cover_the_truth(void **state)
{
    (void)state;
    try_noise(0.05);
}

static void with_20_percent_of_noise_its_intervals_cover_the_truth(void **state)
{
    (void)state;
    try_noise(0.20);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Whether 95 % of the draws of a layer that was not measured are around the truth. */
static bool covers(const struct hs_lazy_planner *lazy, size_t e, double truth)
{
    size_t edges = lazy->lattice.edge_count, count = lazy->draw_count;
    double *values = calloc(count, sizeof(*values));
    bool covered;

    assert_non_null(values);
    for (size_t d = 0; d < count; d++)
        values[d] = lazy->draws[d * edges + e];
    qsort(values, count, sizeof(*values), by_value);
    covered = values[count / 40] <= truth && truth <= values[count - 1 - count / 40];
    free(values);
    return covered;
}

static void what_it_expects_of_layers_not_measured_covers_the_truth(void **state)
{
    size_t covered = 0, count = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct hs_system described = parse(lazy_machines[seed % HS_COUNT(lazy_machines)]);
        struct hs_error err = {0};
        struct machine machine;
        struct hs_lazy_planner lazy;
        struct hs_lazy_step step;

        machine_init(&machine, &described, 300 + seed);
        machine.noise = 0.02;
        assert_status_is(lazy_init(&lazy, &described, 36, 16 * MIB, NULL, &err), HS_OK, &err);
        for (int i = 0; i < 5; i++) {
            struct hs_fit_point points[2];
            size_t phases;

            assert_status_is(hs_lazy_planner_next(&step, &lazy, &err), HS_OK, &err);
            if (!step.wanted)
                break;
            phases = measure_layer(points, &machine, &lazy, step.key, step.rough);
            assert_status_is(hs_lazy_planner_tell(&lazy, points, phases, step.rough, &err), HS_OK,
                             &err);
        }
        assert_status_is(hs_lazy_planner_next(&step, &lazy, &err), HS_OK, &err);
        for (size_t e = 0; e < lazy.lattice.edge_count; e++) {
            double truth = true_layer_seconds(&machine, 36, lazy.layers[e].key.layer, HS_RING,
                                              HS_RING, 16 * MIB);

            if (lazy.layers[e].status != HS_LAZY_OPEN)
                continue;
            covered += covers(&lazy, e, truth);
            count++;
        }
        hs_lazy_planner_release(&lazy);
        hs_system_release(&described);
    }
    print_message("# after 5 layers, 95 %% of the draws are around the truth of %zu of %zu layers "
                  "not measured\n",
                  covered, count);
    assert_true(covered * 100 >= 90 * count);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("without noise the winner is the best", without_noise_the_winner_is_the_best),
    HS_TEST("a machine of which only the shape is known is searched too",
            a_machine_of_which_only_the_shape_is_known_is_searched_too),
    HS_TEST("the best letters of each layer are found", the_best_letters_of_each_layer_are_found),
    HS_TEST("letters are found where only the shape is known",
            letters_are_found_where_only_the_shape_is_known),
    HS_TEST("ways that take different times are chosen apart",
            ways_that_take_different_times_are_chosen_apart),
    HS_TEST("the tapered cluster of 16 needs at most six of its ten layers",
            the_tapered_cluster_needs_at_most_six_of_ten_layers),
    HS_TEST("a search cut short says how much it leaves open",
            a_search_cut_short_says_how_much_it_leaves_open),
    HS_TEST("with 2 % of noise its intervals cover the truth in 95 % of 200 runs",
            with_2_percent_of_noise_its_intervals_cover_the_truth),
    HS_TEST("with 5 % of noise its intervals cover the truth in 95 % of 200 runs",
            with_5_percent_of_noise_its_intervals_cover_the_truth),
    HS_TEST("with 20 % of noise its intervals cover the truth in 95 % of 200 runs",
            with_20_percent_of_noise_its_intervals_cover_the_truth),
    HS_TEST("what it expects of layers not measured covers the truth",
            what_it_expects_of_layers_not_measured_covers_the_truth),
};
HS_TEST_MAIN(tests)
