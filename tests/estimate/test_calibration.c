/*
 * Calibration: figures recovered from times made by a known system, honest intervals, and refusals.
 */
#include "systems.h"

#include "base/text.h"
#include "estimate/calibration.h"
#include "library/price_plan.h"

#define MIB 1048576.0

/* ---- Points made by a system. ---- */

struct points {
    struct hs_fit_point items[4096];
    size_t count;
};

/* A reproducible normal deviate (sum of 12 uniform ones, xorshift). */
static double normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return sum;
}

static double phase_seconds(const struct hs_system *truth, int64_t np, struct hs_layer layer,
                            enum hs_phase phase, double bytes)
{
    struct hs_stage_price price = price_of(truth, np, layer);
    double ring = hs_stage_seconds(&price, bytes) - price.launch_seconds;

    return truth->launch_seconds + (phase == HS_ALLREDUCE ? ring : ring / 2);
}

/* Reduce-scatter, allgather and allreduce of a layer at four sizes up to n / stride. */
static void add_layer(struct points *points, const struct hs_system *truth, int64_t np,
                      struct hs_layer layer, double n, double noise, uint64_t *random)
{
    for (int k = 0; k < 4; k++)
        for (int phase = HS_REDUCE_SCATTER; phase <= HS_ALLREDUCE; phase++) {
            double bytes = n / (double)layer.stride / (double)(1 << k);
            double seconds = phase_seconds(truth, np, layer, (enum hs_phase)phase, bytes);

            points->items[points->count++] = (struct hs_fit_point){
                .key = {(enum hs_phase)phase, HS_RING, layer},
                .np = np,
                .bytes = bytes,
                .seconds = seconds * (noise > 0 ? 1 + noise * normal(random) : 1),
                .noise = noise > 0 ? noise : NAN,
            };
        }
}

static void add_all_layers(struct points *points, const struct hs_system *truth, int64_t np,
                           double n, double noise, uint64_t *random)
{
    for (int64_t stride = 1; stride < np; stride++)
        for (int64_t size = 2; stride * size <= np; size++)
            if (np % (stride * size) == 0)
                add_layer(points, truth, np, (struct hs_layer){stride, size}, n, noise, random);
}

#define DESCRIBED "nvlink:4@100GB/s~3us,ib:8@20GB/s~5us/2p!,spine@60GB/s~9us;s=2"
#define TRUE      "nvlink:4@71GB/s~4us,ib:8@13GB/s~11us/2p!,spine@39GB/s~14us;s=2;launch=25us"

static void figures_of_a_machine_that_is_not_as_described_are_found(void **state)
{
    static struct points points;
    const struct hs_calibration_options options = {.source = "a test"};
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_all_layers(&points, &truth, 64, 64 * MIB, 0, NULL);
    assert_status_is(hs_calibrate(&system, points.items, points.count, &options, NULL, &err), HS_OK,
                     &err);
    /* The sharing rule sees nested layers of one level alike, so the figures are the true ones but
     * for the priors' pull. */
    assert_near(system.launch_seconds, 25e-6, 0.03);
    assert_near(system.levels[0].bytes_per_second, 71e9, 0.01);
    assert_near(system.levels[1].bytes_per_second, 13e9, 0.02);
    assert_near(system.levels[2].bytes_per_second, 39e9, 0.03);
    for (const char *const *plan = (const char *const[]){"64", "4x16", "4x8x2", "2x4x8", "8x8",
                                                         "32x2", "2x2x2x2x2x2", NULL};
         *plan; plan++)
        assert_near(plan_seconds(&system, *plan, 64 * MIB), plan_seconds(&truth, *plan, 64 * MIB),
                    0.01);
    assert_has(system.levels[0].bandwidth_source, "calibrated: a test");
    hs_system_release(&system);
}

/* Lines are fitted, which NCCL's calls are not: the parts of a node change nothing. */
static void the_parts_of_a_node_do_not_change_a_fit(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), plain = parse_additive(DESCRIBED),
                     native = parse_additive(DESCRIBED);
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_all_layers(&points, &truth, 64, 64 * MIB, 0, NULL);
    native.parts = hs_strdup("4xA100, 4xHDR200");
    assert_status_is(hs_parts_parse(&native.nccl.parts, native.parts, &err), HS_OK, &err);
    native.nccl.gpus = 4;
    assert_true(hs_system_is_nccl_native(&native));
    assert_status_is(hs_calibrate(&plain, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);
    assert_status_is(hs_calibrate(&native, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);
    assert_near(native.launch_seconds, plain.launch_seconds, 1e-12);
    assert_int_equal(native.fits.count, plain.fits.count);
    for (size_t i = 0; i < plain.fits.count; i++)
        assert_near(native.fits.items[i].bytes_per_second, plain.fits.items[i].bytes_per_second,
                    1e-12);
    assert_non_null(native.parts);
    hs_system_release(&native);
    hs_system_release(&plain);
}

static void prices_come_from_the_narrowest_scope_that_was_measured(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_error err = {0};
    struct hs_stage_price price;

    (void)state;
    points.count = 0;
    add_layer(&points, &truth, 64, (struct hs_layer){1, 4}, 64 * MIB, 0, NULL);
    add_layer(&points, &truth, 64, (struct hs_layer){4, 4}, 64 * MIB, 0, NULL);
    add_layer(&points, &truth, 64, (struct hs_layer){4, 8}, 64 * MIB, 0, NULL);
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);

    price = price_of(&system, 64, (struct hs_layer){4, 4});
    assert_int_equal(price.fit_scope, HS_FIT_LAYER);
    assert_false(price.extrapolated);
    price = price_of(&system, 64, (struct hs_layer){8, 4});
    assert_int_equal(price.fit_scope, HS_FIT_SIZE);
    assert_false(price.extrapolated);
    price = price_of(&system, 64, (struct hs_layer){8, 2});
    assert_int_equal(price.fit_scope, HS_FIT_LEVEL);
    assert_true(price.extrapolated); /* rings of 2 were not measured on ib, 4 and 8 were */
    price = price_of(&system, 64, (struct hs_layer){32, 2});
    assert_int_equal(price.fit_scope, HS_FIT_NONE); /* spine */
    assert_true(price.extrapolated);
    hs_system_release(&system);
}

/* What an exchange takes where links carry it three times as slowly as the rest. */
static double slow_exchange(const struct hs_system *truth, struct hs_layer layer, double bytes)
{
    struct hs_stage_price price =
        hs_stage_price(truth, 64, (struct hs_stage_key){HS_EXCHANGE, HS_RING, layer});

    return 3 * hs_stage_seconds(&price, bytes) - 2 * price.launch_seconds;
}

static void exchanges_are_fitted_apart(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED),
                     without = parse_additive(DESCRIBED);
    struct hs_layer layers[] = {{1, 4}, {4, 4}, {4, 8}};
    struct hs_error err = {0};
    size_t others;

    (void)state;
    points.count = 0;
    for (int i = 0; i < 3; i++)
        add_layer(&points, &truth, 64, layers[i], 64 * MIB, 0, NULL);
    others = points.count;
    assert_status_is(hs_calibrate(&without, points.items, others, NULL, NULL, &err), HS_OK, &err);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double bytes = MIB * (1 << k);

            points.items[points.count++] =
                (struct hs_fit_point){{HS_EXCHANGE, HS_RING, layers[i]},
                                      64,
                                      bytes,
                                      slow_exchange(&truth, layers[i], bytes),
                                      NAN};
        }
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);
    for (int i = 0; i < 3; i++) {
        struct hs_stage_key key = {HS_EXCHANGE, HS_RING, layers[i]};
        struct hs_stage_price now = hs_stage_price(&system, 64, key),
                              ring = price_of(&system, 64, layers[i]),
                              alone = price_of(&without, 64, layers[i]);

        assert_int_equal(now.fit_scope, HS_FIT_LAYER);
        assert_near(hs_stage_seconds(&now, 8 * MIB), slow_exchange(&truth, layers[i], 8 * MIB),
                    0.03);
        assert_near(hs_stage_seconds(&ring, 8 * MIB), hs_stage_seconds(&alone, 8 * MIB), 0.03);
        now = hs_stage_price(&without, 64, key); /* by rings of the level */
        assert_int_equal(now.fit_scope, HS_FIT_LEVEL);
        assert_true(now.extrapolated && now.relative_ci95 >= HS_OTHER_ALGORITHM_WIDTH);
    }
    hs_system_release(&without);
    assert_status_is(
        hs_calibrate(&truth, points.items + others, points.count - others, NULL, NULL, &err), HS_OK,
        &err);
    assert_int_equal(price_of(&truth, 64, layers[1]).fit_scope, HS_FIT_NONE);
    assert_true(price_of(&truth, 64, layers[1]).extrapolated);
    hs_system_release(&truth);
    hs_system_release(&system);
}

static void intervals_widen_from_layer_to_size_to_level(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_error err = {0};
    double layer, size, level;

    (void)state;
    points.count = 0;
    add_layer(&points, &truth, 64, (struct hs_layer){1, 4}, 64 * MIB, 0, NULL);
    add_layer(&points, &truth, 64, (struct hs_layer){4, 4}, 64 * MIB, 0, NULL);
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);
    layer = price_of(&system, 64, (struct hs_layer){4, 4}).relative_ci95;
    size = price_of(&system, 64, (struct hs_layer){8, 4}).relative_ci95;
    level = price_of(&system, 64, (struct hs_layer){4, 8}).relative_ci95;
    assert_true(layer < 0.05 && layer < size && size < level);
    /* A layer of the size deviates by 10 %, of another size by 10 % twice: 1.96 times their root
     * sum of squares at least, when the bytes rule. */
    assert_true(size > 0.15 && level > 0.21);
    hs_system_release(&system);
}

static void intervals_cover_the_truth_as_often_as_they_say(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE);
    struct hs_error err = {0};
    uint64_t random = 88172645463325252ULL;
    int covered = 0, looked_at = 0;

    (void)state;
    for (int run = 0; run < 40; run++) {
        struct hs_system system = parse_additive(DESCRIBED);

        points.count = 0;
        add_all_layers(&points, &truth, 16, 64 * MIB, 0.05, &random);
        assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_OK,
                         &err);
        for (const char *const *text =
                 (const char *const[]){"16", "4x4", "2x8", "8x2", "2x2x2x2", NULL};
             *text; text++) {
            struct hs_plan plan;
            struct hs_plan_cost cost;

            assert_status_is(hs_plan_parse(&plan, *text, 16, &err), HS_OK, &err);
            cost = cost_of(&system, &plan, 64 * MIB);
            covered +=
                fabs(cost.seconds - cost_of(&truth, &plan, 64 * MIB).seconds) <= cost.ci95_seconds;
            looked_at++;
        }
        hs_system_release(&system);
    }
    print_message("# 95 %% intervals of plans: %d of %d cover the truth\n", covered, looked_at);
    /* 200 at 95 %: three standard deviations below is 181. */
    assert_true(covered >= looked_at * 9 / 10);
}

/* ---- What is refused, and said. ---- */

/* Replaces the points by those of pairs of nodes and of another layer, whose first it returns. */
static size_t pairs_of_nodes_and(struct points *points, const struct hs_system *truth,
                                 struct hs_layer other)
{
    size_t begin;

    points->count = 0;
    for (int64_t stride = 4; stride <= 16; stride *= 2)
        add_layer(points, truth, 64, (struct hs_layer){stride, 2}, 64 * MIB, 0, NULL);
    begin = points->count;
    add_layer(points, truth, 64, other, 64 * MIB, 0, NULL);
    return begin;
}

static void a_layer_that_is_no_line_is_refused_and_the_others_stay(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_text notes = {0};
    struct hs_error err = {0};
    size_t begin;

    (void)state;
    begin = pairs_of_nodes_and(&points, &truth, (struct hs_layer){4, 8});
    for (size_t i = begin; i < points.count; i++) /* jumps up and down */
        points.items[i].seconds *= i % 2 ? 3 : 0.5;
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, &notes, &err), HS_OK,
                     &err);
    assert_int_equal(system.fits.refusal_count, 1);
    assert_int_equal(system.fits.refusals[0].layer.size, 8);
    assert_has(notes.data, "layer of stride 4, size 8: refused");
    assert_int_equal(price_of(&system, 64, (struct hs_layer){4, 8}).fit_scope, HS_FIT_LEVEL);
    assert_near(system.levels[1].bytes_per_second, 13e9, 0.05);
    hs_text_release(&notes);
    hs_system_release(&system);
}

static void times_that_no_line_describes_at_all_leave_the_system_as_it_was(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_layer(&points, &truth, 64, (struct hs_layer){4, 8}, 64 * MIB, 0, NULL);
    for (size_t i = 0; i < points.count; i++)
        points.items[i].seconds *= i % 2 ? 5 : 0.2;
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_FAILED,
                     &err);
    assert_has(err.message, "no fit");
    assert_int_equal(system.fits.count, 0);
    assert_near(system.levels[1].bytes_per_second, 20e9, 1e-15);
    hs_system_release(&system);
}

static void a_level_whose_times_do_not_grow_with_the_bytes_is_refused_alone(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_text notes = {0};
    struct hs_error err = {0};
    size_t begin;

    (void)state;
    begin = pairs_of_nodes_and(&points, &truth, (struct hs_layer){1, 4});
    for (size_t i = begin; i < points.count; i++) /* the shorter, the slower */
        points.items[i].seconds = 0.5 / sqrt(points.items[i].bytes);
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, &notes, &err), HS_OK,
                     &err);
    assert_has(notes.data, "layer of stride 1, size 4: refused: times that do not grow");
    assert_near(system.levels[1].bytes_per_second, 13e9, 0.05);
    assert_near(system.levels[0].bytes_per_second, 100e9, 1e-9); /* as described */
    assert_int_equal(price_of(&system, 64, (struct hs_layer){1, 4}).fit_scope, HS_FIT_NONE);
    hs_text_release(&notes);
    hs_system_release(&system);
}

static void too_few_points_are_refused(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_layer(&points, &truth, 64, (struct hs_layer){4, 8}, 64 * MIB, 0, NULL);
    assert_status_is(hs_calibrate(&system, points.items, 3, NULL, NULL, &err), HS_INVALID, &err);
    assert_has(err.message, "too few points for a fit: 3");
    for (size_t i = 0; i < points.count; i++)
        points.items[i].bytes = MIB;
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err),
                     HS_INVALID, &err);
    assert_has(err.message, "one message size");
    points.items[5].key.layer.size = 7;
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err),
                     HS_INVALID, &err);
    assert_has(err.message, "point 6: no time of a layer");
    hs_system_release(&system);
}

static void a_negative_latency_becomes_zero_and_is_said(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_text notes = {0};
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_layer(&points, &truth, 64, (struct hs_layer){4, 4}, 64 * MIB, 0, NULL);
    add_layer(&points, &truth, 64, (struct hs_layer){4, 8}, 64 * MIB, 0, NULL);
    for (size_t i = 0; i < points.count; i++) /* small messages too fast for any latency */
        points.items[i].seconds *= 1 - 0.5 / (points.items[i].bytes / MIB);
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, &notes, &err), HS_OK,
                     &err);
    assert_has(notes.data, "came out negative and is set to 0");
    assert_true(system.launch_seconds >= 0);
    for (size_t i = 0; i < system.fits.count; i++)
        assert_true(system.fits.items[i].latency_seconds >= 0);
    hs_text_release(&notes);
    hs_system_release(&system);
}

static void a_reduce_scatter_may_take_longer_than_its_allgather(void **state)
{
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_text notes = {0};
    struct hs_error err = {0};

    (void)state;
    points.count = 0;
    add_all_layers(&points, &truth, 16, 64 * MIB, 0, NULL);
    for (size_t i = 0; i < points.count; i++)
        if (points.items[i].key.phase != HS_ALLREDUCE)
            points.items[i].seconds *= points.items[i].key.phase == HS_ALLGATHER ? 0.6 : 1.4;
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, &notes, &err), HS_OK,
                     &err);
    assert_int_equal(system.fits.refusal_count, 0);
    assert_true(!notes.data || !strstr(notes.data, "no line"));
    assert_near(plan_seconds(&system, "4x4", 64 * MIB), plan_seconds(&truth, "4x4", 64 * MIB),
                0.01);
    hs_text_release(&notes);
    hs_system_release(&system);
}

static void where_no_line_fits_all_sizes_the_longest_messages_count(void **state)
{
    static const double lent[] = {1, 0.9, 0.65, 0.4}; /* from the longest message to the shortest */
    static struct points points;
    struct hs_system truth = parse_additive(TRUE), system = parse_additive(DESCRIBED);
    struct hs_text notes = {0};
    struct hs_error err = {0};
    struct hs_plan plan;

    (void)state;
    points.count = 0;
    add_all_layers(&points, &truth, 16, 64 * MIB, 0, NULL);
    for (size_t i = 0; i < points.count; i++)
        points.items[i].seconds *= lent[i / 3 % HS_COUNT(lent)];
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, &notes, &err), HS_OK,
                     &err);
    assert_has(notes.data, "no line describes all message sizes");
    assert_int_equal(system.fits.refusal_count, 0);
    assert_near(plan_seconds(&system, "4x4", 64 * MIB), plan_seconds(&truth, "4x4", 64 * MIB),
                0.06);
    assert_status_is(hs_plan_parse(&plan, "4x4", 0, &err), HS_OK, &err);
    assert_false(cost_of(&system, &plan, 64 * MIB).extrapolated);
    assert_true(cost_of(&system, &plan, 8 * MIB).extrapolated);
    hs_text_release(&notes);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("figures of a machine that is not as described are found",
            figures_of_a_machine_that_is_not_as_described_are_found),
    HS_TEST("the parts of a node do not change a fit", the_parts_of_a_node_do_not_change_a_fit),
    HS_TEST("prices come from the narrowest scope that was measured",
            prices_come_from_the_narrowest_scope_that_was_measured),
    HS_TEST("exchanges are fitted apart", exchanges_are_fitted_apart),
    HS_TEST("intervals widen from layer to size to level",
            intervals_widen_from_layer_to_size_to_level),
    HS_TEST("intervals cover the truth as often as they say",
            intervals_cover_the_truth_as_often_as_they_say),
    HS_TEST("a layer that is no line is refused and the others stay",
            a_layer_that_is_no_line_is_refused_and_the_others_stay),
    HS_TEST("times that no line describes at all leave the system as it was",
            times_that_no_line_describes_at_all_leave_the_system_as_it_was),
    HS_TEST("a level whose times do not grow with the bytes is refused alone",
            a_level_whose_times_do_not_grow_with_the_bytes_is_refused_alone),
    HS_TEST("too few points are refused", too_few_points_are_refused),
    HS_TEST("a negative latency becomes zero and is said",
            a_negative_latency_becomes_zero_and_is_said),
    HS_TEST("a reduce-scatter may take longer than its allgather",
            a_reduce_scatter_may_take_longer_than_its_allgather),
    HS_TEST("where no line fits all sizes the longest messages count",
            where_no_line_fits_all_sizes_the_longest_messages_count),
};
HS_TEST_MAIN(tests)
