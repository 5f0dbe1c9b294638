/*
 * The joint distribution of stage times: its ends (nothing measured, everything measured), what one
 * layer says of another, by hand, and its draws against its mean. How often its intervals cover the
 * truth of random machines: tests/search/test_lazy_planner.c.
 */
#include "systems.h"

#include <math.h>

#include "estimate/belief.h"
#include "library/price_plan.h"

#define GIB   1073741824.0 /* so long that latencies and launches count for nothing */
#define DRAWS 4000
#define NODES "node:2@100GB/s~2us,net@10GB/s~5us"

/* Of belief.c: relative prior deviations of a level's slowness, and of what is added to it. */
#define SLOWNESS   0.35
#define MISALIGNED 0.35
#define SIZES      0.10
#define LAYERS     0.10

static struct hs_belief *make(const struct hs_system *system, int64_t np,
                              const struct hs_belief_stage *stages, size_t stage_count,
                              const struct hs_fit_point *points, size_t point_count,
                              bool shape_only)
{
    struct hs_belief_options options = {.shape_only = shape_only};
    struct hs_belief *belief = NULL;
    struct hs_error err = {0};

    assert_status_is(hs_belief_init(&belief, system, points, point_count, &options, &err), HS_OK,
                     &err);
    assert_status_is(hs_belief_ask(belief, np, stages, stage_count, &err), HS_OK, &err);
    return belief;
}

/* Mean and standard deviation of a stage's draws. */
static void look_at_draws(double *mean, double *deviation, struct hs_belief *belief,
                          size_t stage_count, size_t stage)
{
    double sum = 0, squares = 0, *seconds = calloc(stage_count, sizeof(*seconds));
    uint64_t seed = 7;

    assert_non_null(seconds);
    for (int i = 0; i < DRAWS; i++) {
        hs_belief_draw(seconds, belief, &seed);
        sum += seconds[stage];
        squares += seconds[stage] * seconds[stage];
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
    free(seconds);
}

/* What the plain model says, for all phases. */
static double plain(const struct hs_system *system, const struct hs_belief_stage *stage)
{
    struct hs_stage_price price = price_of(system, 8, stage->key.layer);

    return hs_stage_seconds(&price, stage->bytes);
}

/* A measurement of all phases, `factor` times as long as described. */
static struct hs_fit_point measured(const struct hs_system *system,
                                    const struct hs_belief_stage *stage, double factor,
                                    double noise)
{
    return (struct hs_fit_point){.key = stage->key,
                                 .np = 8,
                                 .bytes = stage->bytes,
                                 .seconds = factor * plain(system, stage),
                                 .noise = noise};
}

static const struct hs_belief_stage of_eight[] = {
    {{HS_PAIR, HS_RING, {1, 2}}, 64 * GIB},      {{HS_PAIR, HS_RING, {1, 4}}, 64 * GIB},
    {{HS_ALLREDUCE, HS_RING, {1, 8}}, 64 * GIB}, {{HS_PAIR, HS_RING, {2, 2}}, 32 * GIB},
    {{HS_ALLREDUCE, HS_RING, {2, 4}}, 32 * GIB}, {{HS_ALLREDUCE, HS_RING, {4, 2}}, 16 * GIB}};
#define STAGES HS_COUNT(of_eight)

static bool misaligned(size_t i)
{
    return of_eight[i].key.layer.stride == 1 && of_eight[i].key.layer.size > 2;
}

static void without_points_it_is_the_description(void **state)
{
    struct hs_system system = parse_additive(NODES);
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, NULL, 0, false);
    double expected[STAGES], exact[STAGES], mean, deviation;

    (void)state;
    hs_belief_mean(expected, belief);
    hs_belief_deviation(exact, belief);
    for (size_t i = 0; i < STAGES; i++) {
        double prior = hypot(hypot(SLOWNESS, misaligned(i) ? MISALIGNED : 0), hypot(SIZES, LAYERS));

        assert_near(expected[i], plain(&system, &of_eight[i]), 1e-9);
        assert_near(exact[i], prior * expected[i], 1e-3);
        look_at_draws(&mean, &deviation, belief, STAGES, i);
        assert_near(mean, expected[i], 0.03);
        assert_near(deviation, exact[i], 0.05);
    }
    hs_belief_release(belief);
    hs_system_release(&system);
}

static void where_everything_is_measured_it_is_what_was_measured(void **state)
{
    static const double factors[] = {1.3, 0.8, 1.1, 0.9, 1.2, 1.25};
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point points[STAGES];
    struct hs_belief *belief;
    double expected[STAGES], mean, deviation;

    (void)state;
    for (size_t i = 0; i < STAGES; i++)
        points[i] = measured(&system, &of_eight[i], factors[i], 0.001);
    belief = make(&system, 8, of_eight, STAGES, points, STAGES, false);
    hs_belief_mean(expected, belief);
    for (size_t i = 0; i < STAGES; i++) {
        assert_near(expected[i], points[i].seconds, 2e-3);
        look_at_draws(&mean, &deviation, belief, STAGES, i);
        assert_near(mean, points[i].seconds, 2e-3);
        assert_true(deviation < 2e-3 * mean);
    }
    hs_belief_release(belief);
    hs_system_release(&system);
}

/* One point, 10 % slower than described, known to 10 %: regression to the prior mean, by hand. All
 * variances are relative to what is described; those of deviations grow with their level. */
static void a_prior_weighs_as_much_as_a_point_of_its_deviation(void **state)
{
    const double level = SLOWNESS * SLOWNESS, size = SIZES * SIZES, layer = LAYERS * LAYERS;
    const double noise = 1.1 * 0.1;
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point point = measured(&system, &of_eight[3], 1.1, 0.1);
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, &point, 1, false);
    double expected[STAGES], deviation[STAGES], slower = 1;

    (void)state;
    for (int i = 0; i < 30; i++) /* what the level is expected to be */
        slower = 1 + 0.1 * level / (level + slower * slower * (size + layer) + noise * noise);
    hs_belief_mean(expected, belief);
    hs_belief_deviation(deviation, belief);
    for (size_t i = 1; i < STAGES; i++) { /* the first is inside of nodes: nothing in common */
        /* Deviations that it has in common with the one measured, and its own besides. */
        double common = i == 3 ? size + layer : i == 5 ? size : 0, unit = slower * slower;
        double apart = size + layer - common + (misaligned(i) ? MISALIGNED * MISALIGNED : 0);
        double shared = level + unit * common;
        double weight = shared / (level + unit * (size + layer) + noise * noise);
        double described = plain(&system, &of_eight[i]);

        assert_near(expected[i] / described, 1 + 0.1 * weight, 1e-3);
        assert_near(deviation[i] / described, sqrt(shared + unit * apart - weight * shared), 1e-3);
    }
    hs_belief_release(belief);
    hs_system_release(&system);
}

static void a_layer_says_most_of_its_own_size_and_nothing_of_other_links(void **state)
{
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point point = measured(&system, &of_eight[3], 1.5, 0.001); /* stride 2, size 2 */
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, &point, 1, false);
    double ratio[STAGES], deviation[STAGES], mean;

    (void)state;
    hs_belief_mean(ratio, belief);
    for (size_t i = 0; i < STAGES; i++) {
        double described = plain(&system, &of_eight[i]);

        ratio[i] /= described;
        look_at_draws(&mean, &deviation[i], belief, STAGES, i);
        deviation[i] /= described;
    }
    assert_near(ratio[3], 1.5, 0.01);
    assert_true(ratio[5] > ratio[4] && ratio[4] > 1.3 &&
                ratio[5] < 1.5);    /* same size, same level */
    assert_near(ratio[0], 1, 0.01); /* inside of nodes */
    assert_true(deviation[3] < 0.02);
    assert_true(deviation[5] < deviation[4] && deviation[4] < deviation[0]);
    assert_true(deviation[5] > 0.14); /* two layers differ by 10 % each */
    hs_belief_release(belief);
    hs_system_release(&system);
}

/* The spine's layers of small strides wait for the link of a node, not for the spine's. */
static void slowness_belongs_to_the_link_that_holds_a_ring_up(void **state)
{
    static const struct hs_belief_stage stages[] = {{{HS_ALLREDUCE, HS_RING, {1, 8}}, 64 * GIB},
                                                    {{HS_ALLREDUCE, HS_RING, {4, 2}}, 16 * GIB}};
    struct hs_system system = parse_additive("node:4@10GB/s~2us,spine@20GB/s~5us");
    struct hs_fit_point point = measured(&system, &stages[1], 2, 0.001); /* 4 rings on the spine */
    struct hs_belief *belief = make(&system, 8, stages, 2, &point, 1, false);
    double expected[2];
    struct hs_stage_price price = price_of(&system, 8, stages[0].key.layer);

    (void)state;
    assert_int_equal(price.level, 1);
    assert_int_equal(price.bottleneck, 0);
    hs_belief_mean(expected, belief);
    assert_near(expected[0], plain(&system, &stages[0]), 0.02);
    hs_belief_release(belief);
    hs_system_release(&system);
}

static void where_figures_mean_nothing_the_points_give_the_scale(void **state)
{
    struct hs_system real = parse_additive("net@10MB/s~500us"),
                     shape = parse_additive("net@10GB/s~5us");
    struct hs_fit_point points[2] = {measured(&real, &of_eight[0], 1, 0.001),
                                     measured(&real, &of_eight[4], 1, 0.001)};
    struct hs_belief *belief = make(&shape, 8, of_eight, STAGES, points, 2, true);
    double expected[STAGES];

    (void)state;
    hs_belief_mean(expected, belief);
    for (size_t i = 0; i < STAGES; i++)
        assert_near(expected[i], plain(&real, &of_eight[i]), 0.25);
    hs_belief_release(belief);
    hs_system_release(&real);
    hs_system_release(&shape);
}

/* One ten times slower than described: the prior must not hold it back, nor spoil the others. */
static void a_level_far_off_its_description_is_believed(void **state)
{
    struct hs_system system = parse_additive(NODES),
                     real = parse_additive("node:2@100GB/s~2us,net@1GB/s~5us");
    struct hs_fit_point points[3] = {measured(&real, &of_eight[0], 1, 0.02),
                                     measured(&real, &of_eight[3], 1, 0.02),
                                     measured(&real, &of_eight[4], 1, 0.02)};
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, points, 3, false);
    double expected[STAGES];

    (void)state;
    hs_belief_mean(expected, belief);
    assert_near(expected[5], plain(&real, &of_eight[5]), 0.05);
    assert_near(expected[0], plain(&real, &of_eight[0]), 0.05);
    hs_belief_release(belief);
    hs_system_release(&real);
    hs_system_release(&system);
}

/* A description in the wrong unit: believed as long as rounding lets it, and then refused. */
static void times_far_off_the_description_are_found_or_refused(void **state)
{
    static const double factors[] = {1e-12, 1e-4, 1e4, 1e7};
    struct hs_system system = parse_additive(NODES);
    struct hs_error err = {0};
    double expected[STAGES];

    (void)state;
    for (size_t f = 0; f < HS_COUNT(factors); f++) {
        struct hs_fit_point points[STAGES];
        struct hs_belief *belief = NULL;

        for (size_t i = 0; i < STAGES; i++)
            points[i] = measured(&system, &of_eight[i], factors[f], 0.001);
        if (f == 0) {
            assert_status_is(hs_belief_init(&belief, &system, points, STAGES, NULL, &err),
                             HS_FAILED, &err);
            assert_has(err.message, "nothing to do with what the system describes");
            assert_null(belief);
            continue;
        }
        belief = make(&system, 8, of_eight, STAGES, points, STAGES, false);
        hs_belief_mean(expected, belief);
        for (size_t i = 0; i < STAGES; i++)
            assert_near(expected[i], points[i].seconds, 0.01);
        hs_belief_release(belief);
    }
    hs_system_release(&system);
}

static void the_same_seed_draws_the_same_machine(void **state)
{
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point point = measured(&system, &of_eight[3], 1.5, 0.001);
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, &point, 1, false);
    uint64_t first = 3, second = 3;
    double a[STAGES], b[STAGES];

    (void)state;
    hs_belief_draw(a, belief, &first);
    hs_belief_draw(b, belief, &second);
    assert_memory_equal(a, b, sizeof(a));
    assert_true(first == second && first != 3);
    hs_belief_draw(b, belief, &second);
    assert_true(a[5] != b[5]);
    hs_belief_release(belief);
    hs_system_release(&system);
}

/* Stages may be asked for again and again: others each time, of layers with and without points. */
static void what_was_asked_before_changes_no_answer(void **state)
{
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point point = measured(&system, &of_eight[3], 1.5, 0.001);
    struct hs_belief *belief = make(&system, 8, of_eight, STAGES, &point, 1, false);
    struct hs_error err = {0};
    struct hs_belief *fresh;
    uint64_t seed = 3, same = 3;
    double all[STAGES], some[2];

    (void)state;
    hs_belief_mean(all, belief);
    assert_status_is(hs_belief_ask(belief, 8, of_eight + 3, 2, &err), HS_OK, &err);
    hs_belief_mean(some, belief);
    assert_memory_equal(all + 3, some, sizeof(some));
    hs_belief_deviation(all, belief);
    assert_status_is(hs_belief_ask(belief, 8, of_eight + 4, 1, &err), HS_OK, &err);
    hs_belief_deviation(some, belief);
    assert_memory_equal(all + 1, some, sizeof(*some));
    hs_belief_draw(some, belief, &seed);
    fresh = make(&system, 8, of_eight + 4, 1, &point, 1, false);
    hs_belief_draw(all, fresh, &same);
    assert_memory_equal(all, some, sizeof(*some));
    hs_belief_release(fresh);
    hs_belief_release(belief);
    hs_system_release(&system);
}

static void points_that_are_no_times_of_layers_are_refused(void **state)
{
    struct hs_system system = parse_additive(NODES);
    struct hs_fit_point point = measured(&system, &of_eight[3], 1, 0.001);
    struct hs_belief *belief = NULL;
    struct hs_error err = {0};

    (void)state;
    point.key.layer.size = 3;
    assert_status_is(hs_belief_init(&belief, &system, &point, 1, NULL, &err), HS_INVALID, &err);
    assert_has(err.message, "point 1: no time of a layer");
    assert_null(belief);
    hs_belief_release(NULL);
    hs_system_release(&system);
}

/* What goes into a system file prices the longest message of each layer as is expected. */
static void fits_price_layers_as_expected(void **state)
{
    static const double factors[] = {1.3, 0.8, 1.1, 0.9, 1.2, 1.25};
    struct hs_belief_options options = {.max_residual = 0.5};
    struct hs_system system = parse_additive(NODES), fitted;
    struct hs_fit_point points[STAGES];
    struct hs_belief *belief = NULL;
    struct hs_error err = {0};
    double expected[STAGES];
    size_t count, layers = 0;
    const struct hs_belief_kind *kinds;

    (void)state;
    for (size_t i = 0; i < STAGES; i++)
        points[i] = measured(&system, &of_eight[i], factors[i], 0.05);
    assert_status_is(hs_belief_init(&belief, &system, points, STAGES, &options, &err), HS_OK, &err);
    assert_status_is(hs_belief_ask(belief, 8, of_eight, STAGES, &err), HS_OK, &err);
    hs_belief_mean(expected, belief);
    kinds = hs_belief_kinds(&count, belief);
    fitted = hs_belief_system(belief);
    for (size_t k = 1; k < count; k++)
        for (size_t i = 0; i < STAGES && kinds[k].fit.scope == HS_FIT_LAYER; i++) {
            struct hs_layer layer = of_eight[i].key.layer;
            struct hs_fit fit = hs_belief_fit(belief, k);
            struct hs_stage_price price;

            if (layer.stride != fit.stride || layer.size != fit.size)
                continue;
            fitted.fits.items = &fit;
            fitted.fits.count = 1;
            price = hs_stage_price(&fitted, 8, of_eight[i].key);
            assert_near(hs_stage_seconds(&price, of_eight[i].bytes), expected[i], 1e-6);
            layers++;
        }
    assert_int_equal(layers, STAGES);
    hs_belief_release(belief);
    hs_system_release(&system);
}

static void halves_of_a_layer_are_joined(void **state)
{
    struct hs_fit_point points[] = {
        {{HS_REDUCE_SCATTER, HS_RING, {1, 2}}, 8, GIB, 3, 0.1},
        {{HS_ALLREDUCE, HS_RING, {1, 2}}, 8, GIB, 7, 0.1},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, GIB, 1, 0.4},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, 2 * GIB, 2, 0},
        {{HS_ALLGATHER, HS_RING, {1, 2}}, 8, GIB, 1, 0.4},
    };
    int64_t halves[HS_COUNT(points)];

    (void)state;
    assert_int_equal(hs_fit_points_pair(points, halves, HS_COUNT(points)), 4);
    assert_int_equal(points[0].key.phase, HS_PAIR);
    assert_near(points[0].seconds, 4, 1e-12);
    assert_near(points[0].noise, 0.5 / 4, 1e-12);
    assert_int_equal(points[1].key.phase, HS_ALLREDUCE);
    assert_true(halves[0] == 2 && halves[1] == 1 && halves[2] == 1 && halves[3] == 1);
    assert_near(points[2].bytes, 2 * GIB, 0);
    assert_int_equal(points[3].key.phase, HS_ALLGATHER); /* its other half is taken */
}

static const struct CMUnitTest tests[] = {
    HS_TEST("without points it is the description", without_points_it_is_the_description),
    HS_TEST("where everything is measured it is what was measured",
            where_everything_is_measured_it_is_what_was_measured),
    HS_TEST("a prior weighs as much as a point of its deviation",
            a_prior_weighs_as_much_as_a_point_of_its_deviation),
    HS_TEST("a layer says most of its own size, and nothing of other links",
            a_layer_says_most_of_its_own_size_and_nothing_of_other_links),
    HS_TEST("slowness belongs to the link that holds a ring up",
            slowness_belongs_to_the_link_that_holds_a_ring_up),
    HS_TEST("where figures mean nothing the points give the scale",
            where_figures_mean_nothing_the_points_give_the_scale),
    HS_TEST("a level far off its description is believed",
            a_level_far_off_its_description_is_believed),
    HS_TEST("times far off the description are found or refused",
            times_far_off_the_description_are_found_or_refused),
    HS_TEST("the same seed draws the same machine", the_same_seed_draws_the_same_machine),
    HS_TEST("what was asked before changes no answer", what_was_asked_before_changes_no_answer),
    HS_TEST("fits price layers as expected", fits_price_layers_as_expected),
    HS_TEST("halves of a layer are joined", halves_of_a_layer_are_joined),
    HS_TEST("points that are no times of layers are refused",
            points_that_are_no_times_of_layers_are_refused),
};
HS_TEST_MAIN(tests)
