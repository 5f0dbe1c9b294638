/* Fits of constants, on models small enough to know the answer. */
#include "library/constants.h"
#include "library/price_nccl.h"
#include "test.h"

/* call + bytes / rate, of one of two machines that share a family of calls. */
struct line {
    int machine;
    double bytes;
};

static double line_seconds(const void *call, const double *values)
{
    const struct line *line = call;

    return (values[line->machine] + line->bytes / values[2]) * 1e-6;
}

static const struct hs_constant line_constants[] = {
    {"call_A", "us", 10, 1.0, 0.5, 10, 0.1, "of the first machine"},
    {"call_B", "us", 10, 1.0, 0.5, 10, 0.1, "of the second"},
    {"rate", "B/us", 1000, 1.0, 0, 1000, 0.1, "of both"},
};
static const struct hs_price_model line_model = {line_constants, 3, 0.01, line_seconds};

#define LINES 12

/* Times of the first machine at 20 us and 3000 B/us. */
static void make_times(struct line lines[LINES], struct hs_price_point points[LINES])
{
    const double truth[] = {20, 1, 3000};

    for (int i = 0; i < LINES; i++) {
        lines[i] = (struct line){0, 1024 << i};
        points[i] = (struct hs_price_point){&lines[i], line_seconds(&lines[i], truth)};
    }
}

static void fit(double values[3], double *cost, const struct hs_constants_question *question)
{
    struct hs_error err = {0};

    for (size_t i = 0; i < question->model->count; i++)
        values[i] = question->model->constants[i].prior;
    assert_status_is(hs_constants_fit(values, cost, question, &err), HS_OK, &err);
}

static void a_fit_finds_the_constants_that_made_the_times(void **state)
{
    struct hs_price_point points[LINES];
    struct line lines[LINES];
    double values[3];

    (void)state;
    make_times(lines, points);
    fit(values, NULL, &(struct hs_constants_question){&line_model, points, LINES, NULL, 0, NULL});
    assert_near(values[0], 20, 2e-4);
    assert_near(values[2], 3000, 2e-4);
}

/* Of two normals of variance d^2 + f^2 and covariance d^2, given the first: d^2 / (d^2 + f^2). */
static void a_family_learns_from_its_members(void **state)
{
    struct hs_price_point points[LINES];
    struct line lines[LINES];
    double values[3], told;

    (void)state;
    make_times(lines, points);
    fit(values, NULL, &(struct hs_constants_question){&line_model, points, LINES, NULL, 0, NULL});
    told = log(values[0] / 10) * 1 / (1 + 0.25);
    assert_near(log(values[1] / 10), told, 1e-3);
}

static void a_wild_point_counts_little(void **state)
{
    struct hs_price_point points[LINES];
    struct line lines[LINES];
    double values[3];

    (void)state;
    make_times(lines, points);
    points[LINES / 2].seconds *= 10;
    fit(values, NULL, &(struct hs_constants_question){&line_model, points, LINES, NULL, 0, NULL});
    assert_near(values[0], 20, 0.01);
    assert_near(values[2], 3000, 0.01);
}

static void without_points_the_prior_stays(void **state)
{
    static const double around[] = {7, 8, 900};
    double values[3], cost = NAN;

    (void)state;
    fit(values, &cost, &(struct hs_constants_question){&line_model, NULL, 0, NULL, 0, NULL});
    assert_near(values[0], 10, 1e-6);
    assert_near(cost, 0, 1e-9);
    fit(values, &cost, &(struct hs_constants_question){&line_model, NULL, 0, around, 0, NULL});
    for (int i = 0; i < 3; i++)
        assert_near(values[i], around[i], 1e-2);
}

/* Without points they are the prior's, or the widths; a point of one constant alone, known to the
 * model's scatter, narrows that as a second measurement of it would. */
static void deviations_say_what_the_points_say(void **state)
{
    double values[3], deviations[3];
    struct hs_constants_question question = {.model = &line_model, .deviations = deviations};

    (void)state;
    fit(values, NULL, &question);
    for (int i = 0; i < 3; i++)
        assert_near(deviations[i],
                    hypot(line_constants[i].deviation, line_constants[i].family_deviation), 1e-9);
    question.around = values;
    fit(values, NULL, &question);
    for (int i = 0; i < 3; i++)
        assert_near(deviations[i], line_constants[i].width, 1e-9);
    question.points = &(struct hs_price_point){&(struct line){0, 0}, 1e-6 * values[0]};
    question.count = 1;
    fit(values, NULL, &question);
    assert_near(deviations[0], 1 / sqrt(1 / (0.1 * 0.1) + 1 / (0.01 * 0.01)), 1e-4);
    assert_near(deviations[1], line_constants[1].width, 1e-9);
}

static void times_that_are_none_are_refused(void **state)
{
    static const double wrong[] = {0, -1, NAN, INFINITY};
    double values[] = {10, 10, 1000};
    struct line line = {0, 1024};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_price_point point = {&line, wrong[i]};
        struct hs_error err = {0};

        assert_int_equal(
            hs_constants_fit(values, NULL,
                             &(struct hs_constants_question){&line_model, &point, 1, NULL, 0, NULL},
                             &err),
            HS_INVALID);
        assert_has(err.message, "point 1");
    }
}

/* A machine whose NICs are 10 us slower to answer, and whose ring has 0.8 of the rate. */
static void a_machines_own_times_move_its_constants(void **state)
{
    const struct hs_price_model *model = &hs_nccl_price_model;
    double shipped[HS_CONSTANTS_MAX], truth[HS_CONSTANTS_MAX], values[HS_CONSTANTS_MAX];
    struct hs_nccl_run runs[4 * LINES];
    struct hs_price_point points[4 * LINES];
    struct hs_parts parts;
    double before = 0, after = 0, cost;

    (void)state;
    hs_constants_shipped(shipped, model);
    for (size_t i = 0; i < model->count; i++)
        truth[i] = strcmp(model->constants[i].name, "nic_ib") == 0   ? shipped[i] + 10
                   : strcmp(model->constants[i].name, "eff_ib") == 0 ? shipped[i] * 0.8
                                                                     : shipped[i];
    assert_int_equal(hs_parts_parse(&parts, "8xH100, 8xNDR400", NULL), HS_OK);
    for (int i = 0; i < 4 * LINES; i++) {
        struct hs_nccl_call call = {.bytes = 1 << (i % LINES * 2 + 8), .version = 22809};
        struct hs_nccl_choice choice;

        assert_int_equal(hs_parts_shape(&call.shape, &parts, 2 << (i / LINES), 8, NULL), HS_OK);
        assert_true(hs_nccl_choose(&choice, &call, HS_NCCL_ANY));
        runs[i] = hs_nccl_run(&call, choice);
        points[i] = (struct hs_price_point){&runs[i], model->seconds(&runs[i], truth)};
    }
    memcpy(values, shipped, sizeof(values));
    assert_int_equal(hs_constants_fit(values, &cost,
                                      &(struct hs_constants_question){model, points, 4 * LINES,
                                                                      shipped, 0, NULL},
                                      NULL),
                     HS_OK);
    for (int i = 0; i < 4 * LINES; i++) {
        before += fabs(log(model->seconds(&runs[i], shipped) / points[i].seconds));
        after += fabs(log(model->seconds(&runs[i], values) / points[i].seconds));
    }
    assert_true(before / (4 * LINES) > 0.1);
    assert_true(after / (4 * LINES) < 0.03);
}

static void the_variance_is_that_of_the_widths(void **state)
{
    const double values[] = {10, 10, 1000};
    struct line line = {0, 30000}; /* 10 us and 30 us: derivatives 1/4 and -3/4 */

    double deviations[HS_CONSTANTS_MAX];

    (void)state;
    hs_constants_deviations(deviations, &line_model, 2);
    assert_near(hs_constants_variance(&line_model, &line, values, deviations),
                pow(2 * 0.1 / 4, 2) + pow(2 * 0.1 * 3 / 4, 2), 1e-4);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a fit finds the constants that made the times",
            a_fit_finds_the_constants_that_made_the_times),
    HS_TEST("a family learns from its members", a_family_learns_from_its_members),
    HS_TEST("a wild point counts little", a_wild_point_counts_little),
    HS_TEST("without points the prior stays", without_points_the_prior_stays),
    HS_TEST("deviations say what the points say", deviations_say_what_the_points_say),
    HS_TEST("times that are none are refused", times_that_are_none_are_refused),
    HS_TEST("a machine's own times move its constants", a_machines_own_times_move_its_constants),
    HS_TEST("the variance is that of the widths", the_variance_is_that_of_the_widths),
};
HS_TEST_MAIN(tests)
