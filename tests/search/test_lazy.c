/*
 * The lazy search against brute force on random machines: with and without noise, described and
 * not. The truth is a recursion over all splits that shares no code with the search.
 */
#include "test.h"

#include "lazy_machine.h"

#define MIB       1048576.0
#define TOLERANCE 0.01 /* the search's default */

static const char *const machines[] = {
    "net@12.5GB/s~4us;s=2",
    "nvlink:mesh:4@111.6GB/s~4.8us,ib:32@18.6GB/s~4.8us/2p,spine@198.4GB/s~4.8us;s=2",
    "nv:4@150GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@133GB/s~4.6us",
    "xbus:3@50GB/s~1us,socket:2@64GB/s~2us,ib:18@23GB/s~5us,spine@300GB/s~9us;launch=8us",
    "nvl72:72@720GB/s~3us,ib@3600GB/s~14us/72p;launch=8.4us",
    "pcie:8@12GB/s~5us,ib:16@14GB/s~5us/2p,thin@60GB/s~8us;s=2;launch=2us",
    /* 8 hosts of 2 ranks in 2 racks; a rack's link carries a fifth of what its hosts send it. */
    "mem:2@3GB/s~2us,host:4@62.5MB/s~60us,spine@50MB/s~60us",
};
#define TAPERED (HS_COUNT(machines) - 1)

static struct hs_system parse(const char *text)
{
    struct hs_system system;
    struct hs_error err = {0};

    assert_status_is(hs_system_parse(&system, text, &err), HS_OK, &err);
    return system;
}

/* What came of one search. */
struct found {
    struct hs_certificate certificate;
    double true_seconds, best_seconds; /* of the winner, of the best split */
};

/* Searches to the end, or until `most` layers are measured. */
static struct found search(struct machine *machine, const struct hs_system *system, int64_t np,
                           double bytes, bool shape_only, size_t most)
{
    struct hs_lazy_options options = {.shape_only = shape_only};
    struct found found = {.true_seconds = 0};
    struct hs_error err = {0};
    struct hs_lazy lazy;
    uint64_t splits = 0;

    assert_status_is(hs_lazy_init(&lazy, system, np, bytes, &options, &err), HS_OK, &err);
    while (hs_lazy_measured(&lazy, NULL) < most) {
        struct hs_fit_point points[2];
        struct hs_lazy_step step;

        assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
        if (!step.wanted)
            break;
        assert_int_equal(hs_lazy_find(&lazy, step.layer)->status,
                         step.rough ? HS_LAZY_OPEN : HS_LAZY_ROUGH);
        assert_status_is(hs_lazy_add(&lazy, points,
                                     measure_layer(points, machine, &lazy, step.layer, step.rough),
                                     step.rough, &err),
                         HS_OK, &err);
    }
    assert_status_is(hs_lazy_certificate(&found.certificate, &lazy, &err), HS_OK, &err);
    assert_int_equal(found.certificate.layers_measured, hs_lazy_measured(&lazy, NULL));
    found.best_seconds = best_split_seconds(machine, np, 1, bytes, &splits);
    assert_int_equal(splits, hs_lattice_path_count(&lazy.lattice));
    if (found.certificate.winner.count > 0)
        found.true_seconds = true_split_seconds(machine, &found.certificate.winner, bytes);
    hs_lazy_release(&lazy);
    return found;
}

/* Up to the tolerance of the search. */
static bool is_best(const struct found *found)
{
    return found->true_seconds <= found->best_seconds * (1 + TOLERANCE);
}

/* Whether the truth contradicts what the certificate says of other splits. */
static bool is_beaten(const struct found *found)
{
    return found->true_seconds > found->best_seconds * (1 + found->certificate.within) * (1 + 1e-9);
}

/* ---- without noise ------------------------------------------------------------------------- */

/* Over machines, process counts and message sizes. One winner in twenty may be worse than the best
 * by more than the tolerance, or than stated. */
static void sweep_without_noise(bool shape_only)
{
    static const int counts[] = {4, 6, 8, 12, 16, 24, 30, 32, 36, 48, 64};
    size_t wrong = 0, beaten = 0, runs = 0;
    double measured = 0, layers = 0, worst = 0;

    for (size_t m = 0; m < HS_COUNT(machines); m++) {
        struct hs_system described = parse(machines[m]);
        struct hs_system given = shape_only ? without_figures(&described) : described;

        for (size_t i = 0; i < HS_COUNT(counts); i++) {
            struct machine machine;
            struct found found;

            machine_init(&machine, &described, 100 * m + i);
            found = search(&machine, &given, counts[i], i % 3 ? 128 * MIB : 256 * 1024, shape_only,
                           SIZE_MAX);
            assert_true(found.certificate.winner.count > 0);
            assert_near(found.certificate.seconds, found.true_seconds, 1e-12);
            worst = fmax(worst, found.true_seconds / found.best_seconds - 1);
            wrong += !is_best(&found);
            beaten += is_beaten(&found);
            runs++;
            measured += (double)found.certificate.layers_measured;
            layers += (double)found.certificate.layers;
            hs_certificate_release(&found.certificate);
        }
        hs_system_release(&described);
    }
    print_message("# %s: %.0f %% of the layers measured, %zu of %zu winners worse than the best by "
                  "more than 1 %%, %.2f %% at most; %zu worse than stated\n",
                  shape_only ? "shape alone" : "described", 100 * measured / layers, wrong, runs,
                  100 * worst, beaten);
    assert_true(wrong * 20 <= runs);
    assert_true(beaten * 20 <= runs);
}

static void without_noise_the_winner_is_the_best(void **state)
{
    (void)state;
    sweep_without_noise(false);
}

static void a_machine_of_which_only_the_shape_is_known_is_searched_too(void **state)
{
    (void)state;
    sweep_without_noise(true);
}

static void the_tapered_cluster_needs_at_most_six_of_ten_layers(void **state)
{
    static const double sizes[] = {1 * MIB, 4 * MIB, 64 * MIB};
    struct hs_system described = parse(machines[TAPERED]);

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
            struct hs_system described = parse(machines[1 + seed % 3]);
            struct machine machine;
            struct found found;

            machine_init(&machine, &described, seed);
            found = search(&machine, &described, 24, 16 * MIB, false, most);
            assert_true(found.certificate.layers_measured <= most);
            if (found.certificate.winner.count > 0) {
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
    size_t covered = 0, beaten = 0, best = 0, sure = 0, runs = 200;
    double half_width = 0;

    for (uint64_t seed = 0; seed < runs; seed++) {
        struct hs_system described = parse(machines[seed % HS_COUNT(machines)]);
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
static bool covers(const struct hs_lazy *lazy, size_t e, double truth)
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
        struct hs_system described = parse(machines[seed % HS_COUNT(machines)]);
        struct hs_error err = {0};
        struct machine machine;
        struct hs_lazy lazy;
        struct hs_lazy_step step;

        machine_init(&machine, &described, 300 + seed);
        machine.noise = 0.02;
        assert_status_is(hs_lazy_init(&lazy, &described, 36, 16 * MIB, NULL, &err), HS_OK, &err);
        for (int i = 0; i < 5; i++) {
            struct hs_fit_point points[2];
            size_t phases;

            assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
            if (!step.wanted)
                break;
            phases = measure_layer(points, &machine, &lazy, step.layer, step.rough);
            assert_status_is(hs_lazy_add(&lazy, points, phases, step.rough, &err), HS_OK, &err);
        }
        assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
        for (size_t e = 0; e < lazy.lattice.edge_count; e++) {
            double truth = true_layer_seconds(&machine, 36, lazy.layers[e].layer, 16 * MIB);

            if (lazy.layers[e].status != HS_LAZY_OPEN)
                continue;
            covered += covers(&lazy, e, truth);
            count++;
        }
        hs_lazy_release(&lazy);
        hs_system_release(&described);
    }
    print_message("# after 5 layers, 95 %% of the draws are around the truth of %zu of %zu layers "
                  "not measured\n",
                  covered, count);
    assert_true(covered * 100 >= 90 * count);
}

/* ---- one by one ---------------------------------------------------------------------------- */

static void exact_ties_are_named(void **state)
{
    /* One level without latency: 2x2x2, 2x4, 4x2 and 8 move the same bytes at the same rate. */
    struct hs_system described = parse("net@10GB/s");
    struct machine machine = {.real = described, .samples = 8};
    struct found found = search(&machine, &described, 8, 1 * MIB, false, SIZE_MAX);

    (void)state;
    assert_true(is_best(&found));
    assert_true(found.certificate.tie_count >= 1);
    assert_true(found.certificate.within < TOLERANCE);
    hs_certificate_release(&found.certificate);
    hs_system_release(&described);
}

static void a_layer_that_cannot_be_measured_is_avoided(void **state)
{
    struct hs_system described = parse(machines[TAPERED]);
    struct machine machine = {.real = described, .samples = 8};
    struct hs_certificate certificate;
    struct hs_error err = {0};
    struct hs_lazy lazy;
    struct hs_lazy_step step;
    struct hs_layer bad = {2, 8}; /* of 2x8, which is best */

    (void)state;
    assert_status_is(hs_lazy_init(&lazy, &described, 16, 4 * MIB, NULL, &err), HS_OK, &err);
    for (;;) {
        struct hs_fit_point points[2];

        assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
        if (!step.wanted)
            break;
        if (step.layer.stride == bad.stride && step.layer.size == bad.size)
            hs_lazy_fail(&lazy, step.layer);
        else
            assert_status_is(
                hs_lazy_add(&lazy, points,
                            measure_layer(points, &machine, &lazy, step.layer, step.rough),
                            step.rough, &err),
                HS_OK, &err);
    }
    assert_status_is(hs_lazy_certificate(&certificate, &lazy, &err), HS_OK, &err);
    assert_int_equal(certificate.layers_failed, 1);
    assert_int_equal(certificate.winner.count, 1); /* flat comes next: 159 ms, 2x2x4 takes 194 */
    hs_certificate_release(&certificate);
    for (size_t e = 0; e < lazy.lattice.edge_count; e++)
        hs_lazy_fail(&lazy, lazy.layers[e].layer);
    assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
    assert_false(step.wanted);
    assert_status_is(hs_lazy_certificate(&certificate, &lazy, &err), HS_OK, &err);
    assert_int_equal(certificate.winner.count, 0);
    hs_certificate_release(&certificate);
    hs_lazy_release(&lazy);
    hs_system_release(&described);
}

/* Layers that a machine's truth puts beyond the model's deviations: a link that the shape misses.
 */
static void a_machine_that_contradicts_the_model_is_searched_longer(void **state)
{
    struct hs_system real = parse(machines[TAPERED]);
    struct hs_system shape = parse("mem:2@10GB/s~5us,network@10GB/s~5us");
    size_t wrong = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct machine machine;
        struct found found;

        machine_init(&machine, &real, 40 + seed);
        found = search(&machine, &shape, 16, 4 * MIB, true, SIZE_MAX);
        wrong += !is_best(&found);
        hs_certificate_release(&found.certificate);
    }
    assert_true(wrong * 20 <= 40);
    hs_system_release(&real);
    hs_system_release(&shape);
}

/* Links six times as fast or as slow as described: on all levels, inside of nodes, or outside. */
static void a_description_that_is_far_off_does_not_mislead_it(void **state)
{
    static const double factors[][2] = {{6, 6},       {1, 6},      {6, 1}, {1 / 6.0, 1 / 6.0},
                                        {1, 1 / 6.0}, {1 / 6.0, 1}};
    size_t wrong = 0, runs = 0, measured = 0, layers = 0;
    double worst = 0;

    (void)state;
    for (size_t f = 0; f < HS_COUNT(factors); f++)
        for (uint64_t seed = 0; seed < 28; seed++, runs++) {
            struct hs_system described = parse(machines[seed % HS_COUNT(machines)]);
            struct machine machine;
            struct found found;

            machine_init(&machine, &described, 500 + seed);
            for (size_t l = 0; l < described.level_count; l++)
                machine.real.levels[l].bytes_per_second *= factors[f][l > 0];
            found = search(&machine, &described, 24, 64 * MIB, false, SIZE_MAX);
            wrong += !is_best(&found);
            worst = fmax(worst, found.true_seconds / found.best_seconds - 1);
            measured += found.certificate.layers_measured;
            layers += found.certificate.layers;
            hs_certificate_release(&found.certificate);
            hs_system_release(&described);
        }
    print_message("# descriptions off by 6: %zu of %zu layers measured, %zu of %zu winners worse "
                  "than the best by more than 1 %%, %.1f %% at most\n",
                  measured, layers, wrong, runs, 100 * worst);
    assert_true(wrong * 20 <= runs);
}

static void points_of_a_calibrated_system_save_measurements(void **state)
{
    struct hs_system described = parse(machines[1]);
    struct machine machine;
    struct hs_error err = {0};
    struct hs_fit_point points[64];
    struct found fresh, informed;
    struct hs_lazy lazy;
    size_t count = 0;

    (void)state;
    machine_init(&machine, &described, 3);
    assert_status_is(hs_lazy_init(&lazy, &described, 32, 64 * MIB, NULL, &err), HS_OK, &err);
    for (size_t e = 0; e < lazy.lattice.edge_count; e++)
        count += measure_layer(points + count, &machine, &lazy, lazy.layers[e].layer, false);
    hs_lazy_release(&lazy);
    fresh = search(&machine, &described, 32, 64 * MIB, false, SIZE_MAX);
    assert_status_is(hs_calibrate(&described, points, count, NULL, "here", NULL, &err), HS_OK,
                     &err);
    informed = search(&machine, &described, 32, 64 * MIB, false, SIZE_MAX);
    assert_true(is_best(&informed));
    assert_true(informed.certificate.layers_measured < fresh.certificate.layers_measured);
    hs_certificate_release(&fresh.certificate);
    hs_certificate_release(&informed.certificate);
    hs_system_release(&described);
}

static void one_process_needs_no_layer(void **state)
{
    struct hs_system described = parse(machines[0]);
    struct hs_certificate certificate;
    struct hs_error err = {0};
    struct hs_lazy_step step;
    struct hs_lazy lazy;

    (void)state;
    assert_status_is(hs_lazy_init(&lazy, &described, 1, 1 * MIB, NULL, &err), HS_OK, &err);
    assert_status_is(hs_lazy_next(&step, &lazy, &err), HS_OK, &err);
    assert_false(step.wanted);
    assert_status_is(hs_lazy_certificate(&certificate, &lazy, &err), HS_OK, &err);
    assert_int_equal(certificate.layers, 0);
    hs_certificate_release(&certificate);
    hs_lazy_release(&lazy);
    hs_system_release(&described);
}

static void wrong_input_is_refused(void **state)
{
    struct hs_system described = parse(machines[0]);
    struct hs_lazy_options slow = {.optimism = 0.5};
    struct hs_fit_point point = {.layer = {2, 2}, .np = 8, .bytes = MIB, .seconds = 1e-3};
    struct hs_error err = {0};
    struct hs_lazy lazy;

    (void)state;
    assert_status_is(hs_lazy_init(&lazy, &described, 0, MIB, NULL, &err), HS_INVALID, &err);
    assert_status_is(hs_lazy_init(&lazy, &described, 8, 0, NULL, &err), HS_INVALID, &err);
    assert_status_is(hs_lazy_init(&lazy, &described, 8, MIB, &slow, &err), HS_INVALID, &err);
    assert_status_is(hs_lazy_init(&lazy, &described, 8, MIB, NULL, &err), HS_OK, &err);
    assert_status_is(hs_lazy_add(&lazy, &point, 1, false, &err), HS_INVALID, &err);
    assert_has(err.message, "each phase");
    point.phase = HS_FIT_PAIR;
    assert_status_is(hs_lazy_add(&lazy, &point, 1, false, &err), HS_OK, &err);
    point.seconds = 0;
    assert_status_is(hs_lazy_add(&lazy, &point, 1, false, &err), HS_INVALID, &err);
    point.layer.size = 3;
    assert_status_is(hs_lazy_add(&lazy, &point, 1, false, &err), HS_INVALID, &err);
    hs_lazy_release(&lazy);
    hs_system_release(&described);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("without noise the winner is the best", without_noise_the_winner_is_the_best),
    HS_TEST("a machine of which only the shape is known is searched too",
            a_machine_of_which_only_the_shape_is_known_is_searched_too),
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
    HS_TEST("exact ties are named", exact_ties_are_named),
    HS_TEST("a layer that cannot be measured is avoided",
            a_layer_that_cannot_be_measured_is_avoided),
    HS_TEST("a machine that contradicts the model is searched longer",
            a_machine_that_contradicts_the_model_is_searched_longer),
    HS_TEST("a description that is far off does not mislead it",
            a_description_that_is_far_off_does_not_mislead_it),
    HS_TEST("points of a calibrated system save measurements",
            points_of_a_calibrated_system_save_measurements),
    HS_TEST("one process needs no layer", one_process_needs_no_layer),
    HS_TEST("wrong input is refused", wrong_input_is_refused),
};
HS_TEST_MAIN(tests)
