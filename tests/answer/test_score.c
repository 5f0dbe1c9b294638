/* Scores of one set of plans, and the containment rule on it. Expected values: by hand where a
 * comment shows the sum, and by a brute force in Python (Table II) that shares no code with this.
 */
#include "answer/compare.h"
#include "estimate/system_file.h"
#include "record/result_tools.h"
#include "systems.h"

static struct hs_compare_point point(const char *plan, double predicted, double measured)
{
    struct hs_compare_point one = {.predicted_seconds = predicted,
                                   .measured_seconds = measured,
                                   .low_seconds = NAN,
                                   .high_seconds = NAN};

    assert_int_equal(hs_plan_parse(&one.plan, plan, 0, NULL), HS_OK);
    return one;
}

static struct hs_compare_point with_interval(const char *plan, double predicted, double measured,
                                             double low, double high)
{
    struct hs_compare_point one = point(plan, predicted, measured);

    one.low_seconds = low;
    one.high_seconds = high;
    return one;
}

static struct hs_compare_score score(struct hs_compare_point *points, size_t count)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_score out;

    assert_status_is(hs_compare_score(&out, points, count, &err), HS_OK, &err);
    return out;
}

/* ---- the published table ---- */

/* Ueno and Yokota, CCGRID 2019, Table II: predicted by the paper's equations 2 to 4 with its
 * parameters, measured from its bus bandwidths, both in seconds. */
static size_t table2(struct hs_compare_point points[10])
{
    static const struct {
        const char *plan;
        double predicted, measured;
    } rows[] = {
        {"128", 0.016755831640467511, 0.023063647030603648},
        {"4x32", 0.016435795509176784, 0.017361804110823907},
        {"4x4x8", 0.016032595509176784, 0.017822455723767446},
        {"4x8x4", 0.016032595509176784, 0.016644510527870929},
        {"4x16x2", 0.01614779550917678, 0.018541123045742302},
        {"4x4x4x2", 0.015974995509176783, 0.018816748099535267},
        {"4x8x2x2", 0.016013395509176784, 0.017308230044851044},
        {"8x16", 0.019812937339845762, 0.027753364311333965},
        {"8x4x4", 0.019640137339845765, 0.027995649594764728},
        {"8x4x2x2", 0.019620937339845764, 0.028498899483027283},
    };

    for (size_t i = 0; i < HS_COUNT(rows); i++)
        points[i] = point(rows[i].plan, rows[i].predicted, rows[i].measured);
    return HS_COUNT(rows);
}

static void scores_the_published_table(void **state)
{
    struct hs_compare_point points[10];
    struct hs_compare_score out = score(points, table2(points));

    (void)state;
    assert_near(out.mean_error, 0.17150217951423447, 1e-12);
    assert_near(out.mean_signed_error, -0.17150217951423447, 1e-12);
    assert_plan(&points[out.worst].plan, "8x4x2x2");
    assert_near(points[out.worst].error, -0.311519472829779, 1e-12);
    assert_near(out.tau, 0.4944132324730442, 1e-12);
    assert_plan(&points[0].plan, "4x8x4");
    assert_plan(&points[out.predicted_best].plan, "4x4x4x2");
    assert_false(out.found);
    assert_false(out.found_in_noise);
    /* 4x4x8 has the same prediction and comes first in the order of ties. */
    assert_int_equal(out.winner_rank, 4);
    assert_int_equal(out.predicted_ties, 1);
    assert_near(out.regret.value, 0.1305077471654672, 1e-12);
    assert_true(isnan(out.regret.low) && isnan(out.regret.high));
}

/* ---- order ---- */

static void counts_ties_as_tau_b_does(void **state)
{
    /* Pairs: 1-2 ties in the prediction, 3-4 in the measurement, the four others agree: of 5 untied
     * pairs on either side 4 agree, 4 / sqrt(5 * 5). */
    struct hs_compare_point points[] = {point("2x2x2", 1, 1), point("2x4", 1, 2),
                                        point("4x2", 2, 3), point("8", 3, 3)};

    (void)state;
    assert_near(score(points, 4).tau, 0.8, 1e-12);
}

static void states_no_tau_below_three_plans(void **state)
{
    struct hs_compare_point points[] = {point("2x4", 1, 1), point("8", 2, 2), point("4x2", 3, 3)};

    (void)state;
    assert_true(isnan(score(points, 2).tau));
    assert_near(score(points, 3).tau, 1, 1e-12);
}

static void states_no_tau_where_all_predictions_are_equal(void **state)
{
    struct hs_compare_point points[] = {point("2x4", 1, 1), point("8", 1, 2), point("4x2", 1, 3)};
    struct hs_compare_score out = score(points, 3);

    (void)state;
    assert_true(isnan(out.tau));
    assert_int_equal(out.predicted_ties, 3);
}

static void breaks_ties_as_the_search_does(void **state)
{
    /* Equal but for rounding; 8 has the fewest layers, then 2x4 before 4x2. */
    struct hs_compare_point points[] = {point("4x2", 1e-3, 1), point("2x4", 1e-3 * (1 - 2e-16), 2),
                                        point("8", 1e-3 * (1 + 2e-16), 3),
                                        point("2x2x2", 1.1e-3, 4)};
    struct hs_compare_score out = score(points, 4);

    (void)state;
    assert_plan(&points[out.predicted_best].plan, "8");
    assert_int_equal(out.predicted_ties, 3);
    assert_int_equal(out.winner_rank, 3);
    assert_int_equal(points[1].predicted_rank, 2);
    assert_int_equal(points[3].predicted_rank, 4);
    assert_near(out.regret.value, 2, 1e-12);
}

static void breaks_measured_ties_by_the_plan(void **state)
{
    struct hs_compare_point points[] = {point("2x4", 1, 5), point("8", 2, 5)};
    struct hs_compare_score out = score(points, 2);

    (void)state;
    assert_plan(&points[0].plan, "8");
    assert_false(out.found);
    assert_true(out.regret.value == 0);
}

static void takes_rounding_for_no_order(void **state)
{
    /* The same times twice, with other roundings: nothing is lost, and the order is perfect. */
    struct hs_compare_point points[] = {point("2x4", 1e-3 * (1 + 3e-16), 1e-3),
                                        point("8", 1e-3, 1e-3 * (1 + 3e-16)), point("4x2", 2, 2)};
    struct hs_compare_score out = score(points, 3);

    (void)state;
    assert_plan(&points[0].plan, "8");
    assert_true(out.found);
    assert_true(out.regret.value == 0);
    assert_near(out.tau, 1, 1e-12);
}

static void calls_one_plan_found(void **state)
{
    struct hs_compare_point points[] = {with_interval("8", 1.5, 1, 0.9, 1.1)};
    struct hs_compare_score out = score(points, 1);

    (void)state;
    assert_true(out.found);
    assert_near(out.mean_error, 0.5, 1e-12);
    assert_true(out.regret.value == 0 && out.regret.low == 0 && out.regret.high == 0);
}

/* ---- noise ---- */

/* 2x4 is fastest, 8 ties it, 4x2 does not; chosen is what has the shortest prediction. */
static void three(struct hs_compare_point points[3], double p_24, double p_8, double p_42)
{
    points[0] = with_interval("2x4", p_24, 100, 95, 105);
    points[1] = with_interval("8", p_8, 103, 101, 106);
    points[2] = with_interval("4x2", p_42, 120, 115, 125);
}

static void bounds_the_regret_by_the_ends_of_intervals(void **state)
{
    struct hs_compare_point points[3];
    struct hs_compare_regret regret;

    (void)state;
    three(points, 3, 1, 2);
    regret = score(points, 3).regret; /* of 8: it may be the fastest; 106 / 95 */
    assert_near(regret.value, 0.03, 1e-12);
    assert_true(regret.low == 0);
    assert_near(regret.high, 106.0 / 95 - 1, 1e-12);
    three(points, 3, 2, 1);
    regret = score(points, 3).regret; /* of 4x2: 115 / 105 .. 125 / 95 */
    assert_near(regret.value, 0.2, 1e-12);
    assert_near(regret.low, 115.0 / 105 - 1, 1e-12);
    assert_near(regret.high, 125.0 / 95 - 1, 1e-12);
    three(points, 1, 2, 3);
    regret = score(points, 3).regret; /* of the fastest: 8 may be faster; 105 / 101 */
    assert_true(regret.value == 0 && regret.low == 0);
    assert_near(regret.high, 105.0 / 101 - 1, 1e-12);
}

static void takes_the_median_of_others_without_an_interval(void **state)
{
    struct hs_compare_point points[3];

    (void)state;
    three(points, 1, 2, 3);
    points[1].low_seconds = points[1].high_seconds = NAN;
    assert_near(score(points, 3).regret.high, 105.0 / 103 - 1, 1e-12);
    three(points, 3, 1, 2);
    points[0].low_seconds = points[0].high_seconds = NAN;
    assert_true(isnan(score(points, 3).regret.high));
}

static void tells_found_from_found_within_noise(void **state)
{
    struct hs_compare_point points[3];
    struct hs_compare_score out;

    (void)state;
    three(points, 3, 1, 2);
    out = score(points, 3);
    assert_false(out.found);
    assert_true(out.found_in_noise);
    assert_int_equal(out.noise_ties, 2);
    assert_int_equal(out.winner_rank, 3);
    assert_int_equal(out.noise_rank, 1);
    three(points, 3, 2, 1);
    out = score(points, 3);
    assert_false(out.found || out.found_in_noise);
    assert_int_equal(out.noise_rank, 2);
    three(points, 3, 1, 2);
    points[1].low_seconds = 105.001; /* now apart */
    out = score(points, 3);
    assert_false(out.found_in_noise);
    assert_int_equal(out.noise_ties, 1);
}

/* ---- any set of plans ---- */

/* A generator of its own: the same numbers everywhere. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 33) / (double)(UINT64_C(1) << 31);
}

/* Regret by definition: over all choices of true times within the intervals, at the corners. */
static void brute_regret(double *low, double *high, const struct hs_compare_point *points,
                         size_t count, size_t chosen)
{
    *low = INFINITY;
    *high = 0;
    for (unsigned corner = 0; corner < 1u << count; corner++) {
        double times[8], fastest = INFINITY;

        for (size_t i = 0; i < count; i++) {
            times[i] = corner >> i & 1 ? points[i].high_seconds : points[i].low_seconds;
            fastest = fmin(fastest, times[i]);
        }
        *low = fmin(*low, times[chosen] / fastest - 1);
        *high = fmax(*high, times[chosen] / fastest - 1);
    }
}

static void agrees_with_the_definition_on_random_times(void **state)
{
    static const char *const plans[] = {"16", "2x8", "8x2", "4x4", "4x2x2", "2x4x2"};
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 300; round++) {
        size_t count = 2 + (size_t)(5 * next_random(&seed));
        struct hs_compare_point points[6];
        struct hs_compare_score out;
        double low, high;
        size_t before = 0;

        for (size_t i = 0; i < count; i++) {
            double time = 1 + next_random(&seed);

            points[i] = with_interval(plans[i], 1 + next_random(&seed), time,
                                      time * (1 - 0.1 * next_random(&seed)),
                                      time * (1 + 0.1 * next_random(&seed)));
        }
        out = score(points, count);
        for (size_t i = 0; i < count; i++)
            before += points[i].predicted_seconds < points[0].predicted_seconds;
        assert_int_equal(out.winner_rank, before + 1);
        assert_int_equal(out.found, out.winner_rank == 1);
        assert_int_equal(out.found, out.regret.value == 0);
        brute_regret(&low, &high, points, count, out.predicted_best);
        assert_true(fabs(out.regret.low - low) < 1e-12 && fabs(out.regret.high - high) < 1e-12);
        assert_true(out.regret.low <= out.regret.value && out.regret.value <= out.regret.high);
    }
}

/* ---- the rule ---- */

/* Whether prime steps of the rule make `large` of `split`: the definition, tried out. */
static bool steps_lead(const struct hs_split *split, const struct hs_split *large, bool widen)
{
    int64_t left = hs_split_product(large) / hs_split_product(split);

    if (left == 1)
        return hs_split_compare(split, large) == 0;
    for (int64_t prime = 2; prime <= left; prime++) {
        struct hs_split next = *split;

        if (left % prime != 0 || (prime > 2 && prime % 2 == 0))
            continue;
        next.sizes[next.count++] = prime;
        if (steps_lead(&next, large, widen))
            return true;
        for (int i = widen ? 0 : split->count - 1; i < split->count; i++) {
            next = *split;
            next.sizes[i] *= prime;
            if (steps_lead(&next, large, widen))
                return true;
        }
    }
    return false;
}

/* All splits of np, best first or not. */
static struct hs_search_result every_split(int64_t np, struct hs_system *system)
{
    struct hs_search_request request = {
        .system = system, .problem = problem_world(np, 1e6), .top = 1000};
    struct hs_search_result all;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_search(&all, hs_search_strategy_find("exhaustive"), &request, &err), HS_OK,
                     &err);
    return all;
}

static void reaches_what_single_steps_reach(void **state)
{
    static const int64_t pairs[][2] = {{4, 16}, {4, 24}, {8, 24}, {6, 36}, {2, 32}, {12, 12}};
    struct hs_error err = {HS_OK, ""};
    struct hs_system system;
    size_t yes = 0, no = 0;

    (void)state;
    assert_status_is(hs_system_parse(&system, "a:4@100GB/s,b@10GB/s", &err), HS_OK, &err);
    for (size_t i = 0; i < HS_COUNT(pairs); i++) {
        struct hs_search_result small = every_split(pairs[i][0], &system);
        struct hs_search_result large = every_split(pairs[i][1], &system);

        for (size_t s = 0; s < small.count; s++)
            for (size_t l = 0; l < large.count; l++)
                for (int widen = 0; widen < 2; widen++) {
                    const struct hs_split *from = &small.plans[s].plan.split;
                    const struct hs_split *to = &large.plans[l].plan.split;
                    bool leads = steps_lead(from, to, widen);
                    assert_int_equal(hs_compare_reaches(from, to, widen), leads);
                    *(leads ? &yes : &no) += 1;
                }
        hs_search_result_release(&small);
        hs_search_result_release(&large);
    }
    assert_true(yes > 50 && no > 50);
    hs_system_release(&system);
}

static struct hs_compare_rule rule_keeping(size_t keep, const struct hs_compare_point *points,
                                           size_t count, const struct hs_system *system, int64_t np,
                                           double bytes)
{
    struct hs_search_request request = {
        .system = system, .problem = problem_world(np, bytes), .keep = keep};
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_rule out;

    assert_status_is(hs_compare_rule(&out, points, count, &request, &err), HS_OK, &err);
    return out;
}

static struct hs_compare_rule rule(const struct hs_compare_point *points, size_t count,
                                   const struct hs_system *system, int64_t np, double bytes)
{
    return rule_keeping(4, points, count, system, np, bytes);
}

/* ABCI at 256 ranks, 128 MiB: the flat ring is best, but of fewer ranks it was not, and the rule
 * kept one plan of those. */
static void says_where_the_rule_loses_the_optimum(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_point points[3];
    struct hs_plan best, pick;
    struct hs_compare_rule out;
    struct hs_system system;
    double bytes = 134217728;

    (void)state;
    assert_status_is(hs_system_load(&system, "configs/abci.json", &err), HS_OK, &err);
    assert_int_equal(hs_plan_parse(&best, "256", 256, NULL), HS_OK);
    points[0] = point("256", 1, 10);
    points[1] = point("16x16", 3, 12);
    score(points, 2);
    out = rule_keeping(1, points, 2, &system, 256, bytes);
    assert_null(out.missing);
    pick = out.pick.plan;
    assert_int_equal(hs_plan_compare(&out.best.plan, &best), 0);
    assert_true(out.best_measured);
    assert_true(out.loss > 0.01);
    assert_near(out.loss,
                cost_of(&system, &pick, bytes).seconds / cost_of(&system, &best, bytes).seconds - 1,
                1e-9);
    /* What it picks was measured too, and is 30 % slower than the winner that it lost. */
    points[2] = point("4x64", 2, 13);
    points[2].plan = pick;
    score(points, 3);
    out = rule_keeping(1, points, 3, &system, 256, bytes);
    assert_int_equal(out.fastest, out.chosen);
    assert_int_equal(hs_plan_compare(&points[out.fastest].plan, &pick), 0);
    assert_near(out.chosen_regret.value, 0.3, 1e-12);
    assert_near(out.fastest_regret.value, 0.3, 1e-12);
    hs_system_release(&system);
}

/* Of 8 processes the rule keeps all splits: what it would choose is not what is fastest. */
static void tells_the_fastest_kept_from_the_one_chosen(void **state)
{
    struct hs_compare_point points[3] = {point("2x2x2", 2, 1), point("4x2", 1, 2),
                                         point("8", 3, 3)};
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_rule out;
    struct hs_system system;

    (void)state;
    assert_status_is(hs_system_parse(&system, "a:4@100GB/s,b@10GB/s", &err), HS_OK, &err);
    score(points, 3);
    out = rule(points, 3, &system, 8, 1e6);
    assert_int_equal(out.kept, 3);
    assert_int_equal(out.fastest, 0);
    assert_true(out.fastest_regret.value == 0);
    assert_plan(&points[out.chosen].plan, "4x2");
    assert_near(out.chosen_regret.value, 1, 1e-12);
    hs_system_release(&system);
}

static void says_why_the_rule_cannot_run(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_point one = point("1", 0, 1), many[HS_CHUNK_CHOICES + 1];
    struct hs_system system;

    (void)state;
    assert_status_is(hs_system_parse(&system, "a:4@100GB/s,b@10GB/s", &err), HS_OK, &err);
    assert_has(rule(&one, 1, &system, 1, 1024).missing, "one process");
    one = point("8", 1, 1);
    assert_has(rule(&one, 1, NULL, 8, 1024).missing, "not known");
    for (int i = 0; i <= HS_CHUNK_CHOICES; i++) {
        many[i] = point("8", i, i);
        many[i].plan.chunks = HS_CHUNK_CHOICES + 1 - i;
    }
    assert_has(rule(many, HS_CHUNK_CHOICES + 1, &system, 8, 1024).missing, "chunks");
    assert_null(rule(many, HS_CHUNK_CHOICES, &system, 8, 1024).missing);
    hs_system_release(&system);
}

static void searches_with_the_chunks_of_the_plans(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_compare_point points[2] = {point("4x16/8", 2, 1), point("64/2", 1, 2)};
    struct hs_compare_rule out;
    struct hs_system system;

    (void)state;
    assert_status_is(hs_system_parse(&system, "a:4@20GB/s~1us,b@10GB/s~1us", &err), HS_OK, &err);
    score(points, 2);
    out = rule(points, 2, &system, 64, 1e8);
    assert_true(out.best.plan.chunks == 2 || out.best.plan.chunks == 8);
    assert_true(out.pick.plan.chunks == 2 || out.pick.plan.chunks == 8);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the published table: 17.2 %, 31.2 %, tau 0.49, 4x4x4x2", scores_the_published_table),
    HS_TEST("ties count as Kendall's tau-b counts them", counts_ties_as_tau_b_does),
    HS_TEST("below three plans no tau is stated", states_no_tau_below_three_plans),
    HS_TEST("equal predictions have no tau", states_no_tau_where_all_predictions_are_equal),
    HS_TEST("equal predictions are in the search's order", breaks_ties_as_the_search_does),
    HS_TEST("equal measurements are in the order of plans", breaks_measured_ties_by_the_plan),
    HS_TEST("times that differ by rounding alone are equal", takes_rounding_for_no_order),
    HS_TEST("a single plan is found, with no regret", calls_one_plan_found),
    HS_TEST("a regret's interval is that of the worst ends",
            bounds_the_regret_by_the_ends_of_intervals),
    HS_TEST("a plan without an interval counts with its median",
            takes_the_median_of_others_without_an_interval),
    HS_TEST("found and found within noise are told apart", tells_found_from_found_within_noise),
    HS_TEST("rank and regret agree with their definitions on random times",
            agrees_with_the_definition_on_random_times),
    HS_TEST("the rule reaches just what its single steps reach", reaches_what_single_steps_reach),
    HS_TEST("where the rule loses the optimum, it is said how much",
            says_where_the_rule_loses_the_optimum),
    HS_TEST("of what the rule keeps, the fastest and the one chosen are told apart",
            tells_the_fastest_kept_from_the_one_chosen),
    HS_TEST("where the rule cannot run, it is said why", says_why_the_rule_cannot_run),
    HS_TEST("the rule searches with the chunk counts of the plans",
            searches_with_the_chunks_of_the_plans),
};
HS_TEST_MAIN(tests)
