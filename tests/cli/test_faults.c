/*
 * The faults of backend `null`: their grammar, and the statistics of what they draw.
 */
#include "test.h"

#include "cli/faults.h"

#define DRAWS 20000

static struct hs_faults parse(const char *text, int64_t np)
{
    struct hs_faults faults;
    struct hs_error err = {0};

    if (hs_faults_parse(&faults, text, np, np, &err))
        fail_msg("%s", err.message);
    return faults;
}

static struct hs_plan plan_of(const char *text)
{
    struct hs_plan plan;

    assert_int_equal(hs_plan_parse(&plan, text, 0, NULL), HS_OK);
    return plan;
}

static bool hit(const struct hs_faults *faults, enum hs_fault_kind kind, const char *text)
{
    struct hs_plan plan = plan_of(text);

    return hs_faults_hit(faults, kind, &plan);
}

static double bias(const struct hs_faults *faults, const char *text)
{
    struct hs_plan plan = plan_of(text);

    return hs_faults_bias(faults, &plan);
}

static void no_text_is_no_faults(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, 4).count, 0);
    assert_int_equal(parse("", 4).count, 0);
}

static void every_fault_is_read(void **state)
{
    struct hs_faults faults = parse("noise=0.05,slow=3:1.5,wrong=4x4,fail=16,hang=2x8/4,crash=8x2,"
                                    "outlier=0.01:10,bias=2x2x4:0.8,bias=4x4/2:3,delay=0.25",
                                    16);

    (void)state;
    assert_int_equal(faults.count, 10);
    assert_int_equal(faults.items[1].rank, 3);
    assert_true(hit(&faults, HS_FAULT_WRONG, "4x4"));
    assert_false(hit(&faults, HS_FAULT_WRONG, "4x4/2"));
    assert_false(hit(&faults, HS_FAULT_WRONG, "16"));
    assert_true(hit(&faults, HS_FAULT_FAIL, "16"));
    assert_true(hit(&faults, HS_FAULT_HANG, "2x8/4"));
    assert_false(hit(&faults, HS_FAULT_HANG, "2x8"));
    assert_true(hit(&faults, HS_FAULT_CRASH, "8x2"));
    assert_near(bias(&faults, "2x2x4"), 0.8, 0);
    assert_near(bias(&faults, "4x4/2"), 3, 0);
    assert_near(bias(&faults, "4x4"), 1, 0);
    assert_near(hs_faults_delay_seconds(&faults), 0.25, 0);
}

static void a_delay_may_have_a_unit(void **state)
{
    struct hs_faults milliseconds = parse("delay=200ms", 4), seconds = parse("delay=3", 4);

    (void)state;
    assert_near(hs_faults_delay_seconds(&milliseconds), 0.2, 1e-12);
    assert_near(hs_faults_delay_seconds(&seconds), 3, 0);
}

static void bad_texts_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"nose=1", "faults: unknown \"nose\", did you mean noise?"},
        {"abcdefghij=1", "faults: expected one of noise, outlier, slow, bias, delay, wrong, fail, "
                         "hang, crash, found \"abcdefghij\""},
        {"noise", "faults: noise: expected noise=SIGMA"},
        {"noise=0.1,", "found \"\""},
        {",noise=0.1", "found \"\""},
        {"noise=", "faults: noise: standard deviation: expected a number from 0 to 10, found \"\""},
        {"noise=-1", "found \"-1\""},
        {"noise=0.1x", "found \"0.1x\""},
        {"noise= 0.1", "found \" 0.1\""},
        {"noise=nan", "found \"nan\""},
        {"noise=0x1", "found \"0x1\""},
        {"noise=11", "found \"11\""},
        {"noise=0.1,noise=0.2", "faults: noise: given twice"},
        {"slow=1", "faults: slow: expected RANK:FACTOR, found \"1\""},
        {"slow=4:2", "faults: slow: rank: expected a whole number from 0 to 3"},
        {"slow=-1:2", "from 0 to 3"},
        {"slow=1:0", "faults: slow: factor: expected a number above 0"},
        {"slow=1:1e9", "found \"1e9\""},
        {"slow=1:2:3", "found \"2:3\""},
        {"slow=1:2,slow=1:3", "faults: slow: given twice"},
        {"outlier=0.1", "faults: outlier: expected PROBABILITY:FACTOR"},
        {"outlier=1.5:2", "faults: outlier: probability: expected a number from 0 to 1"},
        {"bias=2x2", "faults: bias: expected PLAN:FACTOR"},
        {"wrong=2x3", "faults: wrong: "},
        {"wrong=", "faults: wrong: "},
        {"wrong=2x2:4", "faults: wrong: rank: expected a whole number from 0 to 3"},
        {"wrong=2x2:", "faults: wrong: rank: "},
        {"wrong=2x2,wrong=2x2:0", "faults: wrong: given twice"},
        {"fail=2x2/0", "faults: fail: "},
        {"hang=2x2 ", "faults: hang: "},
        {"wrong=2x2,wrong=2x2/1", "faults: wrong: given twice"},
        {"delay=2parsecs", "faults: delay: "},
        {"delay=-1", "faults: delay: "},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_faults faults;
        struct hs_error err = {0};

        if (hs_faults_parse(&faults, rows[i].text, 4, 4, &err) != HS_INVALID)
            fail_msg("\"%s\" was accepted", rows[i].text);
        if (strstr(err.message, rows[i].says) == NULL)
            fail_msg("\"%s\": expected \"%s\" in \"%s\"", rows[i].text, rows[i].says, err.message);
        assert_int_equal(faults.count, 0);
    }
}

static void a_wrong_element_lies_on_the_rank_that_is_named(void **state)
{
    struct hs_faults faults;
    struct hs_plan plans[] = {plan_of("2x2"), plan_of("4"), plan_of("4/2")};

    (void)state;
    assert_int_equal(hs_faults_parse(&faults, "wrong=2x2:7,wrong=4", 8, 4, NULL), HS_OK);
    assert_int_equal(hs_faults_wrong_rank(&faults, &plans[0]), 7);
    assert_int_equal(hs_faults_wrong_rank(&faults, &plans[1]), 0);
    assert_int_equal(hs_faults_wrong_rank(&faults, &plans[2]), -1);
    assert_int_equal(hs_faults_parse(&faults, "wrong=2x4", 8, 4, NULL), HS_INVALID);
}

static void more_faults_than_fit_are_refused(void **state)
{
    char text[1024] = "";
    struct hs_faults faults;
    struct hs_error err = {0};

    (void)state;
    for (int rank = 0; rank < HS_FAULTS_MAX; rank++)
        sprintf(text + strlen(text), "%sslow=%d:2", rank > 0 ? "," : "", rank);
    assert_int_equal(parse(text, 64).count, HS_FAULTS_MAX);
    strcat(text, ",slow=63:2");
    assert_int_equal(hs_faults_parse(&faults, text, 64, 64, &err), HS_INVALID);
    assert_has(err.message, "at most 32");
}

static void every_row_of_the_table_explains_itself(void **state)
{
    static const char *const rows[HS_FAULT_COUNT][3] = {
#define HS_ROW(kind, name, value, help) {name, value, help},
        HS_FAULTS(HS_ROW)
#undef HS_ROW
    };

    (void)state;
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++) {
        assert_true(strlen(rows[kind][0]) > 0);
        assert_true(strlen(rows[kind][1]) > 0);
        assert_true(strlen(rows[kind][2]) > 10);
    }
}

static double factor(const struct hs_faults *faults, uint64_t seed, uint64_t run)
{
    return hs_faults_factor(faults, hs_faults_draw(seed, "4x4", 1048576, run), 0);
}

/* Mean and standard deviation of the logarithm, within four standard errors. */
static void noise_is_lognormal(void **state)
{
    struct hs_faults faults = parse("noise=0.05", 4);
    double sum = 0, squares = 0, cubes = 0;
    int beyond = 0;

    (void)state;
    for (uint64_t run = 0; run < DRAWS; run++) {
        double z = log(factor(&faults, 1, run)) / 0.05;

        sum += z;
        squares += z * z;
        cubes += z * z * z;
        beyond += fabs(z) > 1.959964;
    }
    assert_true(fabs(sum / DRAWS) < 4 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1) < 4 * sqrt(2.0 / DRAWS));
    assert_true(fabs(cubes / DRAWS) < 4 * sqrt(15.0 / DRAWS));
    assert_true(fabs(beyond / (double)DRAWS - 0.05) < 4 * sqrt(0.05 * 0.95 / DRAWS));
}

static void neighboring_runs_and_seeds_are_not_correlated(void **state)
{
    struct hs_faults faults = parse("noise=1", 4);
    double runs = 0, seeds = 0;

    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++) {
        runs += log(factor(&faults, 1, i)) * log(factor(&faults, 1, i + 1));
        seeds += log(factor(&faults, i, 0)) * log(factor(&faults, i + 1, 0));
    }
    assert_true(fabs(runs / DRAWS) < 4 / sqrt(DRAWS));
    assert_true(fabs(seeds / DRAWS) < 4 / sqrt(DRAWS));
}

static void a_draw_depends_on_all_that_names_the_run(void **state)
{
    uint64_t draw = hs_faults_draw(7, "4x4", 1024, 3);

    (void)state;
    assert_true(draw == hs_faults_draw(7, "4x4", 1024, 3));
    assert_true(draw != hs_faults_draw(8, "4x4", 1024, 3));
    assert_true(draw != hs_faults_draw(7, "4x4/2", 1024, 3));
    assert_true(draw != hs_faults_draw(7, "4x4", 1025, 3));
    assert_true(draw != hs_faults_draw(7, "4x4", 1024, 4));
}

static void outliers_come_as_often_as_asked(void **state)
{
    struct hs_faults faults = parse("outlier=0.02:7", 4), never = parse("outlier=0:7", 4),
                     always = parse("outlier=1:7", 4);
    int outliers = 0;

    (void)state;
    for (uint64_t run = 0; run < DRAWS; run++) {
        double found = factor(&faults, 3, run);

        assert_true(found == 1 || found == 7);
        outliers += found == 7;
        assert_true(factor(&never, 3, run) == 1);
        assert_true(factor(&always, 3, run) == 7);
    }
    assert_true(fabs(outliers / (double)DRAWS - 0.02) < 4 * sqrt(0.02 * 0.98 / DRAWS));
}

static void only_the_slow_rank_is_slow(void **state)
{
    struct hs_faults faults = parse("noise=0.3,slow=2:1.5", 4);
    uint64_t draw = hs_faults_draw(5, "2x2", 64, 0);
    double others = hs_faults_factor(&faults, draw, 0);

    (void)state;
    assert_true(others != 1);
    assert_true(hs_faults_factor(&faults, draw, 1) == others);
    assert_near(hs_faults_factor(&faults, draw, 2), 1.5 * others, 1e-12);
}

static void one_fault_does_not_change_what_another_draws(void **state)
{
    struct hs_faults noise = parse("noise=0.1", 4), both = parse("outlier=1:2,noise=0.1", 4);

    (void)state;
    assert_near(factor(&both, 1, 9), 2 * factor(&noise, 1, 9), 1e-12);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("no text is no faults", no_text_is_no_faults),
    HS_TEST("every fault of the table is read", every_fault_is_read),
    HS_TEST("a delay may have a unit", a_delay_may_have_a_unit),
    HS_TEST("bad texts are refused with the reason", bad_texts_are_refused_with_the_reason),
    HS_TEST("a wrong element lies on the rank that is named, of plans of a group",
            a_wrong_element_lies_on_the_rank_that_is_named),
    HS_TEST("more faults than fit are refused", more_faults_than_fit_are_refused),
    HS_TEST("every row of the table explains itself", every_row_of_the_table_explains_itself),
    HS_TEST("noise is lognormal with median 1 and the sigma asked for", noise_is_lognormal),
    HS_TEST("noise of neighboring runs and seeds is not correlated",
            neighboring_runs_and_seeds_are_not_correlated),
    HS_TEST("a draw depends on seed, plan, message size and number of the run",
            a_draw_depends_on_all_that_names_the_run),
    HS_TEST("outliers come as often as asked", outliers_come_as_often_as_asked),
    HS_TEST("only the slow rank is slow", only_the_slow_rank_is_slow),
    HS_TEST("one fault does not change what another one draws",
            one_fault_does_not_change_what_another_draws),
};

HS_TEST_MAIN(tests)
