/*
 * The joint distribution of layer times: its ends (nothing measured, everything measured), what one
 * layer says of another, and its draws against its mean. How often its intervals cover the truth of
 * random machines: tests/search/test_lazy.c.
 */
#include "systems.h"

#include <math.h>

#include "model/calibration.h"
#include "model/posterior.h"
#include "model/price.h"

#define MIB   1048576.0
#define DRAWS 4000

static const struct hs_posterior_options usual = {
    .size_deviation = 0.1, .layer_deviation = 0.1, .noise = 0.05};

static struct hs_posterior *make(const struct hs_system *system, int64_t np,
                                 const struct hs_posterior_layer *layers, size_t layer_count,
                                 const struct hs_fit_point *points, size_t point_count,
                                 const struct hs_posterior_options *options)
{
    struct hs_posterior *posterior = NULL;
    struct hs_error err = {0};

    assert_status_is(hs_posterior_init(&posterior, system, np, layers, layer_count, points,
                                       point_count, options, &err),
                     HS_OK, &err);
    return posterior;
}

/* Mean and standard deviation of a layer's draws. */
static void look_at_draws(double *mean, double *deviation, struct hs_posterior *posterior,
                          size_t layer_count, size_t layer)
{
    double sum = 0, squares = 0, *seconds = calloc(layer_count, sizeof(*seconds));
    uint64_t seed = 7;

    assert_non_null(seconds);
    for (int i = 0; i < DRAWS; i++) {
        hs_posterior_draw(seconds, posterior, &seed);
        sum += seconds[layer];
        squares += seconds[layer] * seconds[layer];
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
    free(seconds);
}

/* What the plain model says, for all phases. */
static double plain(const struct hs_system *system, int64_t np, struct hs_layer layer, double bytes)
{
    struct hs_stage_price price = price_of(system, np, layer);

    return hs_stage_seconds(&price, bytes);
}

/* A precise measurement of all phases, `factor` times as long as described. */
static struct hs_fit_point measured(const struct hs_system *system, int64_t np,
                                    const struct hs_posterior_layer *layer, double factor)
{
    return (struct hs_fit_point){.key = layer->key,
                                 .np = np,
                                 .bytes = layer->bytes,
                                 .seconds =
                                     factor * plain(system, np, layer->key.layer, layer->bytes),
                                 .noise = 0.001};
}

static const struct hs_posterior_layer of_eight[] = {
    {{HS_PAIR, HS_RING, {1, 2}}, 64 * MIB},      {{HS_PAIR, HS_RING, {1, 4}}, 64 * MIB},
    {{HS_ALLREDUCE, HS_RING, {1, 8}}, 64 * MIB}, {{HS_PAIR, HS_RING, {2, 2}}, 32 * MIB},
    {{HS_ALLREDUCE, HS_RING, {2, 4}}, 32 * MIB}, {{HS_ALLREDUCE, HS_RING, {4, 2}}, 16 * MIB}};

static void without_points_it_is_the_description(void **state)
{
    struct hs_system system = parse("node:2@100GB/s~2us,net@10GB/s~5us");
    struct hs_posterior *posterior = make(&system, 8, of_eight, 6, NULL, 0, &usual);
    double expected[6], mean, deviation;

    (void)state;
    hs_posterior_mean(expected, posterior);
    for (size_t i = 0; i < 6; i++) {
        assert_near(expected[i], plain(&system, 8, of_eight[i].key.layer, of_eight[i].bytes), 1e-9);
        look_at_draws(&mean, &deviation, posterior, 6, i);
        assert_near(mean, expected[i], 0.03);
        /* Slowness 35 %, sizes and layers 10 % each, 15 % where rings straddle; latency and launch
         * count for little here. */
        assert_true(deviation > 0.36 * expected[i] && deviation < 0.43 * expected[i]);
    }
    hs_posterior_release(posterior);
    hs_system_release(&system);
}

static void where_everything_is_measured_it_is_what_was_measured(void **state)
{
    static const double factors[] = {1.3, 0.8, 1.1, 0.9, 1.2, 1.25};
    struct hs_system system = parse("node:2@100GB/s~2us,net@10GB/s~5us");
    struct hs_fit_point points[6];
    struct hs_posterior *posterior;
    double expected[6], mean, deviation;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        points[i] = measured(&system, 8, &of_eight[i], factors[i]);
    posterior = make(&system, 8, of_eight, 6, points, 6, &usual);
    hs_posterior_mean(expected, posterior);
    for (size_t i = 0; i < 6; i++) {
        assert_near(expected[i], points[i].seconds, 2e-3);
        look_at_draws(&mean, &deviation, posterior, 6, i);
        assert_near(mean, points[i].seconds, 2e-3);
        assert_true(deviation < 2e-3 * mean);
    }
    hs_posterior_release(posterior);
    hs_system_release(&system);
}

static void a_layer_says_most_of_its_own_size_and_nothing_of_other_links(void **state)
{
    struct hs_system system = parse("node:2@100GB/s~2us,net@10GB/s~5us");
    struct hs_fit_point point = measured(&system, 8, &of_eight[3], 1.5); /* stride 2, size 2 */
    struct hs_posterior *posterior = make(&system, 8, of_eight, 6, &point, 1, &usual);
    double ratio[6], deviation[6], mean;

    (void)state;
    hs_posterior_mean(ratio, posterior);
    for (size_t i = 0; i < 6; i++) {
        double described = plain(&system, 8, of_eight[i].key.layer, of_eight[i].bytes);

        ratio[i] /= described;
        look_at_draws(&mean, &deviation[i], posterior, 6, i);
        deviation[i] /= described;
    }
    assert_near(ratio[3], 1.5, 0.01);
    assert_true(ratio[5] > ratio[4] && ratio[4] > 1.3 &&
                ratio[5] < 1.5);    /* same size, same level */
    assert_near(ratio[0], 1, 0.01); /* inside of nodes */
    assert_true(deviation[3] < 0.02);
    assert_true(deviation[5] < deviation[4] && deviation[4] < deviation[0]);
    assert_true(deviation[5] > 0.14); /* two layers differ by 10 % each */
    hs_posterior_release(posterior);
    hs_system_release(&system);
}

/* The spine's layers of small strides wait for the link of a node, not for the spine's. */
static void slowness_belongs_to_the_link_that_holds_a_ring_up(void **state)
{
    static const struct hs_posterior_layer layers[] = {{{HS_ALLREDUCE, HS_RING, {1, 8}}, 64 * MIB},
                                                       {{HS_ALLREDUCE, HS_RING, {4, 2}}, 16 * MIB}};
    struct hs_system system = parse("node:4@10GB/s~2us,spine@20GB/s~5us");
    struct hs_fit_point point = measured(&system, 8, &layers[1], 2); /* the spine's link: 4 rings */
    struct hs_posterior *posterior = make(&system, 8, layers, 2, &point, 1, &usual);
    double expected[2];
    struct hs_stage_price price = price_of(&system, 8, layers[0].key.layer);

    (void)state;
    assert_int_equal(price.level, 1);
    assert_int_equal(price.bottleneck, 0);
    hs_posterior_mean(expected, posterior);
    assert_near(expected[0], plain(&system, 8, layers[0].key.layer, layers[0].bytes), 0.02);
    hs_posterior_release(posterior);
    hs_system_release(&system);
}

static void where_figures_mean_nothing_the_points_give_the_scale(void **state)
{
    struct hs_posterior_options options = usual;
    struct hs_system real = parse("net@10MB/s~500us"), shape = parse("net@10GB/s~5us");
    struct hs_fit_point points[2] = {measured(&real, 8, &of_eight[0], 1),
                                     measured(&real, 8, &of_eight[4], 1)};
    struct hs_posterior *posterior;
    double expected[6];

    (void)state;
    options.shape_only = true;
    posterior = make(&shape, 8, of_eight, 6, points, 2, &options);
    hs_posterior_mean(expected, posterior);
    for (size_t i = 0; i < 6; i++)
        assert_near(expected[i], plain(&real, 8, of_eight[i].key.layer, of_eight[i].bytes), 0.25);
    hs_posterior_release(posterior);
    hs_system_release(&real);
    hs_system_release(&shape);
}

static void the_same_seed_draws_the_same_machine(void **state)
{
    struct hs_system system = parse("node:2@100GB/s~2us,net@10GB/s~5us");
    struct hs_fit_point point = measured(&system, 8, &of_eight[3], 1.5);
    struct hs_posterior *posterior = make(&system, 8, of_eight, 6, &point, 1, &usual);
    uint64_t first = 3, second = 3;
    double a[6], b[6];

    (void)state;
    hs_posterior_draw(a, posterior, &first);
    hs_posterior_draw(b, posterior, &second);
    assert_memory_equal(a, b, sizeof(a));
    assert_true(first == second && first != 3);
    hs_posterior_draw(b, posterior, &second);
    assert_true(a[5] != b[5]);
    hs_posterior_release(posterior);
    hs_system_release(&system);
}

static void points_that_are_no_times_of_layers_are_refused(void **state)
{
    struct hs_system system = parse("node:2@100GB/s~2us,net@10GB/s~5us");
    struct hs_fit_point point = measured(&system, 8, &of_eight[3], 1);
    struct hs_posterior *posterior = NULL;
    struct hs_error err = {0};

    (void)state;
    point.key.layer.size = 3;
    assert_status_is(
        hs_posterior_init(&posterior, &system, 8, of_eight, 6, &point, 1, &usual, &err), HS_INVALID,
        &err);
    assert_has(err.message, "no time of a layer");
    assert_null(posterior);
    hs_posterior_release(NULL);
    hs_system_release(&system);
}

static void halves_of_a_layer_are_joined(void **state)
{
    struct hs_fit_point points[] = {
        {{HS_REDUCE_SCATTER, HS_RING, {1, 2}}, 8, MIB, 3, 0.1},
        {{HS_ALLREDUCE, HS_RING, {1, 2}}, 8, MIB, 7, 0.1},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, MIB, 1, 0.4},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, 2 * MIB, 2, 0},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, MIB, 1, 0.4},
    };
    int64_t halves[HS_COUNT(points)];

    (void)state;
    assert_int_equal(hs_fit_points_pair(points, halves, HS_COUNT(points)), 4);
    assert_int_equal(points[0].key.phase, HS_PAIR);
    assert_near(points[0].seconds, 4, 1e-12);
    assert_near(points[0].noise, 0.5 / 4, 1e-12);
    assert_int_equal(points[1].key.phase, HS_ALLREDUCE);
    assert_true(halves[0] == 2 && halves[1] == 1 && halves[2] == 1 && halves[3] == 1);
    assert_near(points[2].bytes, 2 * MIB, 0);
    assert_int_equal(points[3].key.phase, HS_ALLGATHER); /* its other half is taken */
}

static const struct CMUnitTest tests[] = {
    HS_TEST("without points it is the description", without_points_it_is_the_description),
    HS_TEST("where everything is measured it is what was measured",
            where_everything_is_measured_it_is_what_was_measured),
    HS_TEST("a layer says most of its own size, and nothing of other links",
            a_layer_says_most_of_its_own_size_and_nothing_of_other_links),
    HS_TEST("slowness belongs to the link that holds a ring up",
            slowness_belongs_to_the_link_that_holds_a_ring_up),
    HS_TEST("where figures mean nothing the points give the scale",
            where_figures_mean_nothing_the_points_give_the_scale),
    HS_TEST("the same seed draws the same machine", the_same_seed_draws_the_same_machine),
    HS_TEST("halves of a layer are joined", halves_of_a_layer_are_joined),
    HS_TEST("points that are no times of layers are refused",
            points_that_are_no_times_of_layers_are_refused),
};
HS_TEST_MAIN(tests)
