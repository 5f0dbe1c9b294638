/* Machines that fit a description: what is drawn, how far, and what stages take there. */
#include "model/figure.h"
#include "model/machines.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>

#define COUNT 2000

static struct hs_machines draw(const struct hs_system *system, size_t count, uint64_t seed)
{
    struct hs_machines machines;
    struct hs_error err = {0};

    assert_status_is(hs_machines_init(&machines, system, count, seed, &err), HS_OK, &err);
    return machines;
}

static struct hs_system shipped(const char *name)
{
    struct hs_system system;
    struct hs_error err = {0};
    char path[128];

    snprintf(path, sizeof(path), "configs/%s.json", name);
    assert_status_is(hs_system_load(&system, path, &err), HS_OK, &err);
    return system;
}

static void a_source_says_its_kind(void **state)
{
    (void)state;
    assert_int_equal(hs_figure_kind_of(NULL), HS_FIGURE_VENDOR);
    assert_int_equal(hs_figure_kind_of("unverified: not measured on this machine"),
                     HS_FIGURE_GUESS);
    assert_int_equal(hs_figure_kind_of("fitted: published times of rings"), HS_FIGURE_FITTED);
    assert_int_equal(hs_figure_kind_of("calibrated: 29 layers"), HS_FIGURE_FITTED);
    assert_int_equal(hs_figure_kind_of("published: alpha 0.3 us"), HS_FIGURE_PUBLISHED);
    assert_int_equal(hs_figure_kind_of("2 HCAs x 9301.19 MB/s measured"), HS_FIGURE_PUBLISHED);
    assert_int_equal(hs_figure_kind_of("user guide: 4 x HDR 200 Gb/s"), HS_FIGURE_VENDOR);
}

/* The logarithm of what is drawn over what is believed has mean 0 and the kind's deviation: 5
 * standard errors of either. */
static void figures_are_as_far_off_as_their_source_says(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~3us,ib@20GB/s~9us");
    struct hs_machines machines = draw(&system, COUNT, 7);
    const struct hs_figure_kind_row *kind = &hs_figure_kinds[HS_FIGURE_VENDOR];
    double sum = 0, squares = 0, wide = 0;

    (void)state;
    for (size_t j = 0; j < COUNT; j++) {
        double off = log(machines.drawn[j].levels[1].bytes_per_second / 20e9);

        sum += off / COUNT;
        squares += off * off / COUNT;
        wide += pow(log(machines.drawn[j].levels[0].latency_seconds / 3e-6), 2) / COUNT;
    }
    assert_true(fabs(sum) < 5 * kind->bandwidth_deviation / sqrt(COUNT));
    assert_near(sqrt(squares), kind->bandwidth_deviation, 5 / sqrt(2.0 * COUNT));
    assert_near(sqrt(wide), kind->latency_deviation, 5 / sqrt(2.0 * COUNT));
    hs_machines_release(&machines);
    hs_system_release(&system);
}

static void the_first_of_many_are_those_of_few(void **state)
{
    const char *const names[] = {"dgx-h100-superpod", "leonardo", "summit"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct hs_system system = shipped(names[i]);
        struct hs_machines few = draw(&system, 3, 1), many = draw(&system, 50, 1);
        struct hs_machines others = draw(&system, 3, 2);

        assert_true(few.figure_count > 0);
        assert_int_equal(few.figure_count, many.figure_count);
        for (size_t j = 0; j < 3; j++)
            for (size_t f = 0; f < few.figure_count; f++)
                assert_true(few.figures[f].off[j] == many.figures[f].off[j]);
        assert_true(few.figures[0].off[0] != others.figures[0].off[0]);
        hs_machines_release(&few);
        hs_machines_release(&many);
        hs_machines_release(&others);
        hs_system_release(&system);
    }
}

/* A plan's stages, each alone and added up, are the plan, priced by another way on each machine. */
static void stages_add_up_to_the_plan_on_every_machine(void **state)
{
    const char *const names[] = {"dgx-h100-superpod", "perlmutter", "summit", "lumi", "abci"};
    const char *const plans[] = {"96", "4x24", "2x2x24", "4x8x3", "12x2x2x2"};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        struct hs_system system = shipped(names[i]);
        struct hs_machines machines = draw(&system, 20, 1);
        double *seconds = malloc(HS_LAYERS_MAX * machines.count * sizeof(*seconds));

        for (size_t k = 0; k < 5; k++) {
            struct hs_problem problem = hs_problem_world(96, 3e5);
            struct hs_stage_key keys[HS_LAYERS_MAX];
            struct hs_plan plan;

            assert_int_equal(hs_plan_parse(&plan, plans[k], 96, NULL), HS_OK);
            for (int l = 0; l < plan.split.count; l++)
                keys[l] =
                    hs_problem_key(&problem, hs_problem_layer(&problem, &plan.split, l), HS_RING);
            assert_int_equal(hs_machines_seconds(seconds, &machines, &problem, keys,
                                                 (size_t)plan.split.count, NULL),
                             HS_OK);
            for (size_t j = 0; j < machines.count; j++) {
                double sum = 0;

                for (int l = 0; l < plan.split.count; l++)
                    sum += seconds[(size_t)l * machines.count + j];
                assert_near(sum, hs_machines_plan_seconds(&machines, j, &problem, &plan), 1e-9);
            }
        }
        free(seconds);
        hs_machines_release(&machines);
        hs_system_release(&system);
    }
}

/* Draws of a calibrated system scatter around its price: more where nothing was measured. */
static void a_calibrations_stages_scatter_around_their_price(void **state)
{
    struct hs_system system = shipped("abci-fitted");
    struct hs_machines machines = draw(&system, 500, 1);
    struct hs_problem problem = hs_problem_world(128, 134217728);
    const struct hs_stage_key keys[] = {
        hs_problem_key(&problem, (struct hs_layer){1, 4}, HS_RING),
        hs_problem_key(&problem, (struct hs_layer){1, 64}, HS_RING)};
    double *seconds = malloc(2 * machines.count * sizeof(*seconds)), deviations[2];

    (void)state;
    assert_true(hs_machines_differ(&machines));
    assert_int_equal(hs_machines_seconds(seconds, &machines, &problem, keys, 2, NULL), HS_OK);
    for (size_t i = 0; i < 2; i++) {
        struct hs_stage_price price = hs_stage_price(&system, 128, keys[i]);
        double expected = hs_stage_seconds(&price, problem.bytes), sum = 0, squares = 0;

        for (size_t j = 0; j < machines.count; j++) {
            double off = log(seconds[i * machines.count + j] / expected);

            sum += off / (double)machines.count;
            squares += off * off / (double)machines.count;
        }
        deviations[i] = sqrt(squares);
        assert_true(fabs(sum) < 5 * deviations[i] / sqrt((double)machines.count));
    }
    assert_true(deviations[0] > 0 && deviations[1] > 2 * deviations[0]);
    free(seconds);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* By 5 standard errors: 18 % off on average is a deviation of 0.18 sqrt(pi / 2) = 0.226 at most;
 * NCCL's residuals are 9 % up to 1 MiB and 6 % from 64 MiB on. */
static void what_no_figure_explains_is_as_published(void **state)
{
    struct hs_system levels = parse("nv:4@100GB/s~3us,ib@20GB/s~9us"),
                     parts = parse("8xH100, 8xNDR400");
    const struct {
        const struct hs_system *system;
        double bytes, least, most;
    } cases[] = {{&levels, 1 << 20, 0.18, 0.226},
                 {&parts, 1 << 16, 0.08, 0.10},
                 {&parts, 1 << 30, 0.05, 0.07}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct hs_machines machines = draw(cases[i].system, COUNT, 7);
        double sum = 0, squares = 0;

        for (size_t j = 0; j < COUNT; j++) {
            double off = log(hs_machines_scatter(&machines, j, cases[i].bytes));

            sum += off / COUNT;
            squares += off * off / COUNT;
        }
        assert_true(fabs(sum) < 5 * cases[i].most / sqrt(COUNT));
        assert_true(sqrt(squares) > cases[i].least && sqrt(squares) < cases[i].most);
        hs_machines_release(&machines);
    }
    hs_system_release(&levels);
    hs_system_release(&parts);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a source says its kind", a_source_says_its_kind),
    HS_TEST("figures are as far off as their source says",
            figures_are_as_far_off_as_their_source_says),
    HS_TEST("the first of many are those of few", the_first_of_many_are_those_of_few),
    HS_TEST("stages add up to the plan on every machine",
            stages_add_up_to_the_plan_on_every_machine),
    HS_TEST("what no figure explains is as published", what_no_figure_explains_is_as_published),
    HS_TEST("a calibration's stages scatter around their price",
            a_calibrations_stages_scatter_around_their_price),
};
HS_TEST_MAIN(tests)
