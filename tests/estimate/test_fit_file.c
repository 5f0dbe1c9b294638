/*
 * The fits of a calibrated system: as a file, and what they do to prices. Figures of
 * tests/estimate/calibrated.json by hand; each is worked out beside it.
 */
#include "systems.h"
#include "test.h"

#include "estimate/gaps.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"
#include "system/system.h"

#define FILE_NAME "tests/estimate/calibrated.json"
#define MIB       1048576.0

static struct hs_system load(void)
{
    struct hs_system system;
    struct hs_error err;

    assert_status_is(hs_system_load(&system, FILE_NAME, &err), HS_OK, &err);
    return system;
}

static void to_text(struct hs_text *text, const struct hs_system *system)
{
    struct hs_error err;

    assert_status_is(hs_system_print(text, system, &err), HS_OK, &err);
}

static enum hs_status parse_text(struct hs_system *system, const char *text, struct hs_error *err)
{
    return hs_fields_parse(&hs_system_fields, system, "x.json", text, strlen(text), err);
}

/* ---- reading ---- */

static void a_calibrated_file_reads_as_what_it_says(void **state)
{
    struct hs_system system = load();
    const struct hs_fits *fits = &system.fits;
    const struct hs_fit *fit = &fits->items[1]; /* node before net, sizes after the level's */

    (void)state;
    assert_int_equal(fits->count, 6);
    assert_string_equal(fits->source, "host backend, 16 ranks, 2026-01-31");
    assert_true(fits->launch_ci95_seconds == 0.5e-6);
    assert_int_equal(fit->scope, HS_FIT_LAYER);
    assert_int_equal(fit->level, 0);
    assert_int_equal(fit->size, 4);
    assert_int_equal(fit->stride, 1);
    assert_false(fit->misaligned);
    assert_true(fit->latency_seconds == 4.2e-6);
    assert_true(fit->bytes_per_second == 95e9);
    assert_true(fit->latency_ci95_seconds == 0.1e-6);
    assert_true(fit->bandwidth_ci95_bytes_per_second == 1.5e9);
    assert_true(fit->relative_ci95 == 0.02);
    assert_near(fit->residual, 0.007, 1e-15);
    assert_int_equal(fit->points, 6);
    assert_true(fit->min_bytes == MIB && fit->max_bytes == 64 * MIB);
    assert_int_equal(fit->min_size, 4);
    assert_int_equal(fits->point_count, 3);
    assert_int_equal(fits->points[1].key.phase, HS_PAIR);
    assert_true(isnan(fits->points[1].noise));
    assert_true(fits->points[2].noise == 0.02 && fits->points[2].seconds == 0.00155);
    assert_int_equal(fits->refusal_count, 1);
    assert_int_equal(fits->refusals[0].layer.stride, 8);
    assert_true(fits->refusals[0].residual == 0.31);
    assert_string_equal(fits->refusals[0].why, "no line describes its times");
    hs_system_release(&system);
}

static void fits_are_in_order_whatever_the_file_has(void **state)
{
    struct hs_system system = load();
    static const struct {
        int level;
        bool misaligned;
        int64_t size, stride;
    } wanted[] = {{0, false, 0, 0}, {0, false, 4, 1}, {1, false, 0, 0},
                  {1, false, 2, 4}, {1, false, 4, 0}, {1, true, 0, 0}};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(system.fits.items[i].level, wanted[i].level);
        assert_int_equal(system.fits.items[i].misaligned, wanted[i].misaligned);
        assert_int_equal(system.fits.items[i].size, wanted[i].size);
        assert_int_equal(system.fits.items[i].stride, wanted[i].stride);
    }
    hs_system_release(&system);
}

static void what_was_written_reads_back_as_the_same(void **state)
{
    struct hs_system system = load(), back;
    struct hs_text first = {0}, second = {0};
    struct hs_error err;

    (void)state;
    to_text(&first, &system);
    assert_status_is(parse_text(&back, first.data, &err), HS_OK, &err);
    to_text(&second, &back);
    assert_string_equal(first.data, second.data);
    /* (25.2 us + one launch of 5 us) / (2 / 95 GB/s * 3/4) */
    assert_has(first.data, "\"half_bandwidth_bytes\": 1912666.66666666");
    assert_int_equal(back.fits.count, system.fits.count);
    for (size_t i = 0; i < back.fits.count; i++) {
        const struct hs_fit *a = &system.fits.items[i], *b = &back.fits.items[i];

        assert_int_equal(hs_fit_compare(a, b), 0);
        assert_int_equal(a->scope, b->scope);
        assert_true(a->latency_seconds == b->latency_seconds);
        assert_true(a->bytes_per_second == b->bytes_per_second);
        assert_true(a->latency_ci95_seconds == b->latency_ci95_seconds);
        assert_true(a->bandwidth_ci95_bytes_per_second == b->bandwidth_ci95_bytes_per_second);
        assert_true(a->relative_ci95 == b->relative_ci95 && a->residual == b->residual);
        assert_true(a->min_bytes == b->min_bytes && a->max_bytes == b->max_bytes);
        assert_true(a->min_size == b->min_size && a->max_size == b->max_size);
        assert_true(a->points == b->points);
    }
    assert_int_equal(back.fits.point_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct hs_fit_point *a = &system.fits.points[i], *b = &back.fits.points[i];

        assert_true(a->seconds == b->seconds && a->bytes == b->bytes && a->np == b->np);
        assert_true(hs_stage_key_equal(a->key, b->key));
        assert_true(isnan(a->noise) ? isnan(b->noise) : a->noise == b->noise);
    }
    hs_text_release(&first);
    hs_text_release(&second);
    hs_system_release(&system);
    hs_system_release(&back);
}

/* A file has the doubles of its own units, which do not reach every double in SI. */
static void any_figure_comes_back_to_one_unit_in_the_last_place_and_then_stays(void **state)
{
    const struct hs_file_unit units[] = {hs_unit_microseconds, hs_unit_gigabytes, hs_unit_percent};
    unsigned seed = 7;

    (void)state;
    for (int i = 0; i < 30000; i++) {
        double x = ldexp(1 + rand_r(&seed) / (RAND_MAX + 1.0) + rand_r(&seed) * 0x1p-62,
                         rand_r(&seed) % 60 - 30);
        double once = units[i % 3].from(units[i % 3].to(x));

        assert_true(once == x || once == nextafter(x, INFINITY) || once == nextafter(x, 0));
        assert_true(units[i % 3].from(units[i % 3].to(once)) == once);
    }
}

static void an_uncalibrated_system_writes_no_fits(void **state)
{
    struct hs_system system = load();
    struct hs_text text = {0};

    (void)state;
    hs_fits_release(&system.fits);
    to_text(&text, &system);
    assert_null(strstr(text.data, "\"fits\""));
    hs_text_release(&text);
    hs_system_release(&system);
}

/* ---- bad files: the good one with one text replaced ---- */

static char *with(const char *old, const char *new)
{
    char *text = NULL, *at, *result;
    FILE *file = fopen(FILE_NAME, "r");
    size_t length;

    assert_non_null(file);
    text = calloc(1, 1 << 16);
    assert_non_null(text);
    length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    at = strstr(text, old);
    if (!at)
        fail_msg("\"%s\" is not in the file", old);
    result = calloc(1, length + strlen(new) + 1);
    assert_non_null(result);
    memcpy(result, text, (size_t)(at - text));
    strcat(result, new);
    strcat(result, at + strlen(old));
    free(text);
    return result;
}

/* What is replaced in the good file, by what, and the complaint. */
static const struct {
    const char *old, *new, *message;
} bad_fits[] = {
    {"\"layers\": [", "\"layer\": [", "fits.layer: unknown key"},
    {"\"scope\": \"layer\"", "\"scope\": \"layr\"", "fits.layers[0].scope: "},
    {"\"scope\": \"layer\", ", "", "fits.layers[0].scope: missing"},
    {"\"scope\": \"layer\"", "\"scope\": \"description\"", "fits.layers[0].scope: "},
    {"\"scope\": \"layer\", \"level\": \"net\"", "\"scope\": \"layer\", \"level\": \"nett\"",
     "fits.layers[0].level: "},
    {"\"size\": 2, \"stride\": 4", "\"size\": 2", "fits.layers[0].stride: missing"},
    {"\"size\": 2, \"stride\": 4", "\"stride\": 4", "fits.layers[0].size: missing"},
    {"\"size\": 2, \"stride\": 4", "\"size\": 1, \"stride\": 4", "fits.layers[0].size: "},
    {"\"size\": 2, \"stride\": 4", "\"size\": 2, \"stride\": 1",
     "fits.layers[0]: the layer of stride 1 and size 2 lies on level node and is "
     "aligned"},
    {"\"size\": 2, \"stride\": 4", "\"size\": 4, \"stride\": 2",
     "fits.layers[0]: the layer of stride 2 and size 4 lies on level net and is misaligned"},
    {"\"size\": 2, \"stride\": 4", "\"size\": 2, \"stride\": 1073741825",
     "fits.layers[0]: stride: 1073741825 times size 2 is too large"},
    {"\"size\": 4, \"latency_us\": 11", "\"size\": 536870913, \"latency_us\": 11",
     "fits.layers[4]: size: 536870913 children of level net are too many"},
    {"\"size\": 4, \"latency_us\": 11", "\"size\": 4, \"stride\": 4, \"latency_us\": 11",
     "fits.layers[4].stride: not of a fit of this scope"},
    {"\"misaligned\": false", "\"size\": 4", "fits.layers[1].size: not of a fit of this scope"},
    {"\"misaligned\": false", "\"misaligned\": true",
     "fits.layers[1]: misaligned: no layer is misaligned on the innermost level"},
    {"\"latency_us\": 10.5", "\"latency_us\": -1", "fits.layers[0].latency_us: "},
    {"\"latency_us\": 10.5,", "", "fits.layers[0].latency_us: missing"},
    {"\"latency_us\": 10,", "\"latency_us\": 1e-300,",
     "fits.layers[0]: latency_us: more than 1e+30 times that of level net"},
    {"\"bandwidth_GBps\": 19", "\"bandwidth_GBps\": 5e-324",
     "fits.layers[0].bandwidth_GBps: expected a number of at least 1e-09"},
    {"\"max_bytes\": 16777216", "\"max_bytes\": 1e300", "fits.layers[0].max_bytes: "},
    {"\"seconds\": 2.9e-5", "\"seconds\": 5e-324",
     "fits.points[0].seconds: expected seconds, 0 or"},
    {"\"bandwidth_GBps\": 19", "\"bandwidth_GBps\": 0", "fits.layers[0].bandwidth_GBps: "},
    {"\"half_bandwidth_bytes\": 1912666.667", "\"half_bandwidth_bytes\": -1",
     "fits.layers[2].half_bandwidth_bytes: "},
    {"\"latency_ci95_us\": 0.4", "\"latency_ci95_us\": -0.4", "fits.layers[0].latency_ci95_us: "},
    {"\"ci95_percent\": 3", "\"ci95_percent\": \"3\"", "fits.layers[0].ci95_percent: "},
    {"\"ci95_percent\": 3", "\"ci95percent\": 3", "fits.layers[0].ci95percent: unknown key"},
    {"\"points\": 6", "\"points\": 0", "fits.layers[0].points: "},
    {"\"residual_percent\": 1.2,", "", "fits.layers[0].residual_percent: missing"},
    {"\"max_bytes\": 16777216", "\"max_bytes\": 200000",
     "fits.layers[0]: max_bytes: expected min_bytes, 262144, or more, found 200000"},
    {"\"min_size\": 2, \"max_size\": 4", "\"min_size\": 4, \"max_size\": 2",
     "fits.layers[1]: max_size: expected min_size, 4, or more, found 2"},
    {"\"min_size\": 2, \"max_size\": 2", "\"min_size\": 2, \"max_size\": 4",
     "fits.layers[0]: min_size and max_size: expected the size, 2, found 2 and 4"},
    {"\"level\": \"net\", \"misaligned\": true", "\"level\": \"net\"",
     "fits.layers[5]: for the same layers as layers[3]"},
    {"\"phase\": \"allreduce\"", "\"phase\": \"all\"", "fits.points[2].phase: "},
    {"\"np\": 16", "\"np\": 18",
     "fits.points[0]: np: expected a multiple of stride times size, 4, found 18"},
    {"\"seconds\": 2.9e-5", "\"seconds\": 0", "fits.points[0].seconds: "},
    {"\"noise\": 0.01", "\"noise\": -1", "fits.points[0].noise: "},
    {"\"noise\": 0.01", "\"nose\": 1", "fits.points[0].nose: unknown key"},
    {"\"stride\": 8, \"size\": 2", "\"stride\": 8", "fits.refused[0].size: missing"},
    {"\"why\": \"no line describes its times\"", "\"why\": 3", "fits.refused[0].why: "},
    {"\"launch_ci95_us\": 0.5", "\"launch_ci95_us\": null", "fits.launch_ci95_us: "},
    {"\"fits\": {", "\"fits\": [], \"fit\": {", "unknown key"},
};

static void bad_fits_are_refused_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_fits) / sizeof(*bad_fits); i++) {
        char *text = with(bad_fits[i].old, bad_fits[i].new);
        struct hs_system system;
        struct hs_error err = {HS_OK, ""};
        enum hs_status status = parse_text(&system, text, &err);

        if (status != HS_INVALID)
            fail_msg("accepted with %s", bad_fits[i].new);
        assert_int_equal(strncmp(err.message, "x.json: ", 8), 0);
        assert_has(err.message, bad_fits[i].message);
        assert_null(strchr(err.message, '\n'));
        assert_int_equal(system.fits.count, 0);
        free(text);
    }
}

static void a_reason_longer_than_its_place_is_refused(void **state)
{
    char why[200] = "\"why\": \"", *text;
    struct hs_system system;
    struct hs_error err;

    (void)state;
    memset(why + 8, 'x', 128);
    strcat(why, "\"");
    text = with("\"why\": \"no line describes its times\"", why);
    assert_int_equal(parse_text(&system, text, &err), HS_INVALID);
    assert_has(err.message, "fits.refused[0].why: longer than 127 bytes");
    free(text);
}

/* ---- prices ---- */

static struct hs_stage_price price(const struct hs_system *system, int64_t np, int64_t stride,
                                   int64_t size)
{
    return price_of(system, np, (struct hs_layer){stride, size});
}

static void each_layer_takes_the_narrowest_fit(void **state)
{
    struct hs_system system = load();
    /* Seconds per byte: 2 / (share of one ring), where the net's children put 4 rings (2 where they
     * are misaligned as 2 x 4 does) on a link. */
    const struct {
        int64_t np, stride, size;
        enum hs_fit_scope scope;
        double latency, ring, ci95;
        bool extrapolated;
    } cases[] = {
        {16, 1, 4, HS_FIT_LAYER, 2 * 4.2e-6 * 3, 95e9, 0.02, false},
        {16, 2, 2, HS_FIT_LEVEL, 2 * 5e-6 * 1, 80e9, 0.10, false},
        {16, 4, 2, HS_FIT_LAYER, 2 * 10.5e-6 * 1, 19e9 / 4, 0.03, false},
        {16, 8, 2, HS_FIT_LEVEL, 2 * 12e-6 * 1, 18e9 / 4, 0.12, false},
        {16, 4, 4, HS_FIT_SIZE, 2 * 11e-6 * 3, 17e9 / 4, 0.06, false},
        {32, 4, 8, HS_FIT_LEVEL, 2 * 12e-6 * 7, 18e9 / 4, 0.12 + 0.10,
         true}, /* one doubling outside */
        {16, 2, 8, HS_FIT_LEVEL, 2 * 13e-6 * 7, 16e9 / 2, 0.15, false},
        {64, 32, 2, HS_FIT_NONE, 2 * 20e-6 * 1, 40e9 / 32, NAN, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hs_stage_price got = price(&system, cases[i].np, cases[i].stride, cases[i].size);

        assert_int_equal(got.fit_scope, cases[i].scope);
        assert_near(got.lines[0].latency_seconds, cases[i].latency, 1e-12);
        assert_near(got.ring_bytes_per_second, cases[i].ring, 1e-12);
        assert_near(got.lines[0].seconds_per_byte, 2 / cases[i].ring, 1e-12);
        assert_int_equal(got.extrapolated, cases[i].extrapolated);
        assert_int_equal(isnan(got.relative_ci95), isnan(cases[i].ci95));
        if (!isnan(cases[i].ci95))
            assert_near(got.relative_ci95, cases[i].ci95, 1e-12);
    }
    hs_system_release(&system);
}

/* 4x4 of 16 MiB: layer 1 takes 25.2 us of latency, two launches of 5 us and 2 (16 MiB) 3/4 / 95
 * GB/s = 264.903 us of bytes, layer 2 takes 66 us, one launch and 2 (4 MiB) 3/4 / 4.25 GB/s =
 * 1480.343 us. Their intervals are 2 % (measured itself: on its own) and 6 %. */
static void a_plans_interval_is_that_of_its_layers(void **state)
{
    struct hs_system system = load();
    struct hs_plan plan = {.split = {.count = 2, .sizes = {4, 4}}, .chunks = 1};
    struct hs_plan_cost cost = cost_of(&system, &plan, 16 * MIB);

    (void)state;
    assert_near(cost.stages[0].seconds, 300.10341052631577e-6, 1e-12);
    assert_near(cost.stages[1].seconds, 1551.3425882352942e-6, 1e-12);
    assert_near(cost.seconds, 1851.44599876161e-6, 1e-12);
    assert_near(cost.ci95_seconds, (0.02 * 300.10341052631577 + 0.06 * 1551.3425882352942) * 1e-6,
                1e-12);
    assert_false(cost.extrapolated);
    cost = cost_of(&system, &plan, 256 * MIB);
    assert_true(cost.extrapolated);
    assert_true(cost.stages[0].extrapolated && cost.stages[1].extrapolated);
    hs_system_release(&system);
}

/* ---- gaps ---- */

static void what_is_outside_is_said_per_level(void **state)
{
    struct hs_system system = load();
    struct hs_plan inside = {.split = {.count = 2, .sizes = {4, 4}}, .chunks = 1};
    struct hs_plan outside = {.split = {.count = 3, .sizes = {4, 8, 2}}, .chunks = 1};
    struct hs_plan_cost cost = cost_of(&system, &inside, 16 * MIB);
    struct hs_gaps gaps = {0};
    struct hs_text text = {0};

    (void)state;
    hs_gaps_add(&gaps, &system, &inside, &cost);
    assert_false(gaps.any);
    cost = cost_of(&system, &outside, 256 * MIB);
    hs_gaps_add(&gaps, &system, &outside, &cost);
    assert_true(gaps.any);
    hs_gaps_append(&text, &gaps, &system);
    assert_string_equal(text.data, "node with 256MiB entering (measured: 1MiB to 64MiB), "
                                   "net with size 8 (measured: 2 to 4), "
                                   "net with 64MiB entering (measured: 256KiB to 16MiB), "
                                   "spine (never measured)");
    hs_text_release(&text);
    hs_system_release(&system);
}

static void chunks_count_by_what_enters_at_once(void **state)
{
    struct hs_system system = load();
    struct hs_plan plan = {.split = {.count = 2, .sizes = {4, 4}}, .chunks = 4};
    struct hs_plan_cost cost = cost_of(&system, &plan, 256 * MIB);
    struct hs_gaps gaps = {0};

    (void)state;
    hs_gaps_add(&gaps, &system, &plan, &cost);
    assert_false(gaps.any);
    assert_false(cost.extrapolated);
    hs_system_release(&system);
}

/* Wherever a calibration of up to 60 ranks finds a layer, also where the last node is not full, a
 * file can say so; and where no number of ranks has it there, none can. */
static void a_layer_can_be_where_any_ranks_have_it(void **state)
{
    static const char *const lines[] = {"node:4@9GB/s~1us,net@1GB/s~2us",
                                        "node:6@9GB/s~1us,rack:4@2GB/s~2us,net@1GB/s~3us"};

    (void)state;
    for (size_t l = 0; l < HS_COUNT(lines); l++) {
        struct hs_system system;
        struct hs_error err;
        bool found[3][2][61][61] = {0};

        assert_int_equal(hs_system_parse(&system, lines[l], &err), HS_OK);
        for (int np = 1; np <= 60; np++)
            for (int stride = 1; stride <= np; stride++)
                for (int size = 2; size * stride <= np; size++)
                    if (np % (stride * size) == 0) {
                        struct hs_stage_price got = price(&system, np, stride, size);

                        found[got.level][got.misaligned][stride][size] = true;
                    }
        for (int level = 0; level < (int)system.level_count; level++)
            for (int i = 0; i < 2 * 30 * 60; i++) { /* two blocks and more within 60 ranks */
                int misaligned = i % 2, stride = 1 + i / 2 % 30, size = 2 + i / 60;

                if (stride * size <= 30)
                    assert_int_equal(hs_fit_ranks(&system, (struct hs_layer){stride, size}, level,
                                                  misaligned) > 0,
                                     found[level][misaligned][stride][size]);
            }
        hs_system_release(&system);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a layer can be where any number of ranks has it",
            a_layer_can_be_where_any_ranks_have_it),
    HS_TEST("a calibrated file reads as what it says", a_calibrated_file_reads_as_what_it_says),
    HS_TEST("fits are in order whatever the file has", fits_are_in_order_whatever_the_file_has),
    HS_TEST("what was written reads back as the same", what_was_written_reads_back_as_the_same),
    HS_TEST("any figure comes back to one unit in the last place and then stays",
            any_figure_comes_back_to_one_unit_in_the_last_place_and_then_stays),
    HS_TEST("an uncalibrated system writes no fits", an_uncalibrated_system_writes_no_fits),
    HS_TEST("bad fits are refused with their place", bad_fits_are_refused_with_their_place),
    HS_TEST("a reason longer than its place is refused", a_reason_longer_than_its_place_is_refused),
    HS_TEST("each layer takes the narrowest fit", each_layer_takes_the_narrowest_fit),
    HS_TEST("a plan's interval is that of its layers", a_plans_interval_is_that_of_its_layers),
    HS_TEST("what is outside is said per level", what_is_outside_is_said_per_level),
    HS_TEST("chunks count by what enters at once", chunks_count_by_what_enters_at_once),
};
HS_TEST_MAIN(tests)
