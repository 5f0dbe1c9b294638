/* The plans of least expected time against an enumeration of all plans that shares no code with it.
 * */
#include "../library/trust_price.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/calibration.h"
#include "estimate/machines.h"
#include "library/price_library.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"
#include "search/proposal.h"

#define DRAWN 40

static const struct hs_library_price unpriced = {.seconds = NAN};

/* All plans, with every choice of algorithms, priced whole on every machine. */
struct all {
    const struct hs_machines *machines;
    struct hs_problem problem;
    unsigned algorithms;
    struct hs_plan plan; /* as far as it goes */
    struct {
        struct hs_plan plan;
        double seconds[DRAWN], ratio; /* mean of its time over the reference */
    } * plans;
    size_t count, room;
};

static void add_plan(struct all *all)
{
    if (all->count == all->room) {
        all->room = 2 * all->room + 64;
        all->plans = realloc(all->plans, all->room * sizeof(*all->plans));
        assert_non_null(all->plans);
    }
    all->plans[all->count].plan = all->plan;
    for (size_t j = 0; j < DRAWN; j++)
        all->plans[all->count].seconds[j] =
            hs_machines_plan_seconds(all->machines, j, &all->problem, &all->plan);
    all->count++;
}

static void enumerate(struct all *all, int64_t rest)
{
    int layer = all->plan.split.count;

    if (rest == 1) {
        add_plan(all);
        return;
    }
    for (int64_t size = 2; size <= rest; size++)
        for (int a = 0; a < HS_ALGORITHM_COUNT && rest % size == 0; a++) {
            struct hs_layer at = {all->problem.group.size / rest, size};

            if (a > 0 &&
                (!(all->algorithms >> a & 1) || hs_algorithms[a]->on_links ||
                 !hs_stage_possible(hs_problem_key(&all->problem, at, (enum hs_algorithm)a))))
                continue;
            all->plan.split.sizes[layer] = size;
            all->plan.algorithms[layer][0] = all->plan.algorithms[layer][1] = (unsigned char)a;
            all->plan.split.count = layer + 1;
            enumerate(all, rest / size);
            all->plan.split.count = layer;
            all->plan.algorithms[layer][0] = all->plan.algorithms[layer][1] = 0;
        }
}

/* The library's default call in each sample where it has a price, else the flat plan. */
static void find_reference(double *reference, const struct all *all,
                           const struct hs_library_price *price)
{
    struct hs_plan flat = hs_problem_flat(&all->problem);

    if (hs_library_is_priced(price))
        assert_int_equal(
            hs_library_seconds_each(reference, price, all->machines, &all->problem, NULL), HS_OK);
    else
        for (size_t j = 0; j < DRAWN; j++)
            reference[j] = hs_machines_plan_seconds(all->machines, j, &all->problem, &flat);
}

static void find_ratios(struct all *all, const double *reference)
{
    for (size_t i = 0; i < all->count; i++) {
        all->plans[i].ratio = 0;
        for (size_t j = 0; j < DRAWN; j++)
            all->plans[i].ratio += all->plans[i].seconds[j] / reference[j] / DRAWN;
    }
}

static size_t find(const struct all *all, const struct hs_plan *plan)
{
    for (size_t i = 0; i < all->count; i++)
        if (hs_plan_compare(&all->plans[i].plan, plan) == 0)
            return i;
    fail_msg("a plan that does not exist");
    return 0;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Everything that is said of the plan, from all plans' times. */
static void check_said(const struct hs_estimate *said, const struct all *all,
                       const double *reference, double reference_seconds, size_t chosen)
{
    double sorted[DRAWN], gains[DRAWN], share = 0, best_in = 0, loss = 0;
    double expected = reference_seconds * all->plans[chosen].ratio;

    for (size_t j = 0; j < DRAWN; j++) {
        double seconds = all->plans[chosen].seconds[j], least = INFINITY;

        for (size_t i = 0; i < all->count; i++)
            least = fmin(least, all->plans[i].seconds[j]);
        best_in += (seconds <= HS_EXPECTED_TIE * least) / (double)DRAWN;
        loss += (seconds - least) / reference[j] / DRAWN;
        share += (reference[j] / seconds > 1 + 1e-9) / (double)DRAWN;
        sorted[j] = seconds;
        gains[j] = reference[j] / seconds;
    }
    qsort(sorted, DRAWN, sizeof(sorted[0]), by_value);
    qsort(gains, DRAWN, sizeof(gains[0]), by_value);
    assert_near(said->seconds, expected, 1e-9);
    assert_near(said->low_seconds, fmin(expected, sorted[DRAWN / 20]), 1e-9);
    assert_near(said->high_seconds, fmax(expected, sorted[DRAWN - 1 - DRAWN / 20]), 1e-9);
    assert_near(said->gain.median, reference_seconds / expected, 1e-9);
    assert_near(said->gain.low, fmin(said->gain.median, gains[DRAWN / 20]), 1e-9);
    assert_near(said->gain.high, fmax(said->gain.median, gains[DRAWN - 1 - DRAWN / 20]), 1e-9);
    assert_true(fabs(said->gain.share - share) < 1e-9);
    assert_true(fabs(said->probability_best - best_in) < 1e-9 + 1.0 / DRAWN);
    assert_true(fabs(said->loss - loss) < 1e-9);
}

/* The TOP best splits, in their order: no other one takes less. */
#define TOP 5

static void check_order(const struct hs_estimated *plans, size_t found, const struct all *all)
{
    for (size_t k = 0; k < found; k++) {
        double ratio = all->plans[find(all, &plans[k].plan)].ratio;
        size_t faster = 0;

        if (k > 0)
            assert_true(plans[k - 1].estimate.seconds <= plans[k].estimate.seconds);
        for (size_t i = 0; i < all->count; i++) {
            bool same = all->plans[i].ratio >= ratio * (1 - 1e-8);

            for (size_t m = 0; m <= k && !same; m++)
                same = hs_split_compare(&plans[m].plan.split, &all->plans[i].plan.split) == 0;
            faster += !same;
        }
        assert_int_equal(faster, 0);
    }
}

/* Of all within the tie the fewest layers. */
static void check_simplest(const struct hs_plan *plan, const struct all *all)
{
    double least = INFINITY;
    int fewest = HS_LAYERS_MAX;

    for (size_t i = 0; i < all->count; i++)
        least = fmin(least, all->plans[i].ratio);
    for (size_t i = 0; i < all->count; i++)
        if (all->plans[i].ratio <= least * HS_EXPECTED_TIE * (1 - 1e-9) &&
            all->plans[i].plan.split.count < fewest)
            fewest = all->plans[i].plan.split.count;
    assert_true(all->plans[find(all, plan)].ratio <= least * HS_EXPECTED_TIE * (1 + 1e-9));
    assert_true(plan->split.count <= fewest);
}

static void check(const struct hs_system *system, const struct hs_machines *machines, int64_t np,
                  double bytes, unsigned algorithms)
{
    struct hs_search_request request = {
        .system = system, .problem = problem_world(np, bytes), .algorithms = algorithms, .top = 1};
    struct all all = {.machines = machines,
                      .problem = request.problem,
                      .algorithms = hs_system_is_nccl_native(system) ? 0 : algorithms,
                      .plan = {.chunks = 1}};
    struct hs_library_price price = hs_library_price(system, &request.problem, 4);
    struct hs_estimated plans[TOP], simplest;
    struct hs_expected expected;
    double reference[DRAWN];
    size_t found;

    if (hs_library_prices_plans(&price)) /* not by the levels, as the enumeration */
        price = (struct hs_library_price){.seconds = NAN};
    assert_int_equal(hs_expected_init(&expected, &request, machines, &price, true, NULL), HS_OK);
    assert_int_equal(hs_expected_best(plans, &found, TOP, &expected, NULL, NULL), HS_OK);
    assert_int_equal(hs_expected_simplest(&simplest, &expected, NULL), HS_OK);
    enumerate(&all, np);
    find_reference(reference, &all, &price);
    find_ratios(&all, reference);
    for (size_t j = 0; j < DRAWN; j++)
        assert_near(expected.reference[j], reference[j], 1e-9);
    assert_true(found >= 1);
    check_order(plans, found, &all);
    check_simplest(&simplest.plan, &all);
    check_said(&plans[0].estimate, &all, reference, expected.reference_seconds,
               find(&all, &plans[0].plan));
    free(all.plans);
    hs_expected_release(&expected);
}

/* To 64 ranks; plans with letters are many times as many, and go to 44. */
static void check_all(struct hs_system *system, unsigned algorithms, int64_t step)
{
    int64_t most = hs_tests_quick() ? 24 : algorithms ? 44 : 64;
    struct hs_machines machines;

    machines = draw(system, DRAWN, 3);
    for (int64_t np = 2; np <= most; np += step)
        for (double bytes = 4096; bytes <= 1e9; bytes *= 256)
            check(system, &machines, np, bytes, algorithms);
    hs_machines_release(&machines);
    hs_system_release(system);
}

static void it_is_the_least_of_all_plans_of_shipped_systems(void **state)
{
    const char *const names[] = {"dgx-h100-superpod", "summit", "abci", "leonardo", "frontier"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct hs_system system = shipped(names[i]);

        check_all(&system, 0, i == 0 ? 1 : 2);
    }
}

static void it_is_the_least_of_all_plans_by_any_algorithms(void **state)
{
    struct hs_system system = parse(
        "xbus:3@50GB/s~1us,socket:2@64GB/s~2us,ib:18@23GB/s~5us,spine@300GB/s~9us;launch=8us");

    (void)state;
    check_all(&system, HS_ALGORITHMS_ALL, 2);
}

/* Nominally a split gains 12 %; what lies between its calls is not part of that. */
static void a_nominal_best_that_loses_much_is_not_first(void **state)
{
    struct hs_system system = shipped("dgx-h100-superpod");
    struct hs_machines machines = draw(&system, HS_MACHINES_USUAL, 1);
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(128, 65536), .top = 1};
    struct hs_library_price price = hs_library_price(&system, &request.problem, 4);
    struct hs_search_result found;
    struct hs_expected expected;
    struct hs_estimated plans[2];
    struct hs_estimate nominal;
    size_t count;

    (void)state;
    hs_machines_ask(&machines, 128);
    assert_int_equal(hs_search(&found, hs_search_strategy_find("lattice"), &request, NULL), HS_OK);
    assert_int_equal(hs_expected_init(&expected, &request, &machines, &price, true, NULL), HS_OK);
    assert_int_equal(hs_expected_best(plans, &count, 2, &expected, NULL, NULL), HS_OK);
    assert_int_equal(hs_estimate_of(&nominal, &expected, &found.plans[0].plan, NULL), HS_OK);
    assert_true(hs_plan_is_flat(&plans[0].plan)); /* one call: nothing lies between calls */
    assert_true(nominal.loss > 0.1 && plans[0].estimate.loss < nominal.loss / 3);
    hs_expected_release(&expected);
    hs_search_result_release(&found);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* Without rows, the same plans have the same estimates; what MPI's steps take adds up. */
static void plans_one_by_one_are_estimated_as_by_rows(void **state)
{
    const char *const names[] = {"abci", "leonardo", "dgx-h100-superpod"};
    const char *const libraries[] = {NULL, "node:4@10GB/s~1us,ib@5GB/s~3us;library=openmpi",
                                     "node:4@10GB/s~1us,ib@5GB/s~3us;library=mpich"};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        struct hs_system system = i < 3 ? shipped(names[i]) : parse(libraries[i - 2]);
        struct hs_machines machines = draw(&system, DRAWN, 1);
        struct hs_search_request request = {
            .system = &system, .problem = problem_world(48, 1 << 22), .algorithms = 1, .top = 9};
        struct hs_library_price price = hs_library_price(&system, &request.problem, 4);
        struct hs_expected rows, none;
        struct hs_estimated plans[9], again[9];
        struct hs_search_plan given[9];
        struct hs_search_result nominal = {.plans = given};
        size_t found, count;

        hs_machines_ask(&machines, 48);
        assert_int_equal(hs_expected_init(&rows, &request, &machines, &price, true, NULL), HS_OK);
        assert_int_equal(hs_expected_init(&none, &request, &machines, &price, false, NULL), HS_OK);
        assert_int_equal(hs_expected_best(plans, &found, 9, &rows, NULL, NULL), HS_OK);
        for (size_t k = 0; k < found; k++)
            given[found - 1 - k] = (struct hs_search_plan){plans[k].plan, 0};
        nominal.count = found;
        assert_int_equal(hs_expected_best(again, &count, 9, &none, &nominal, NULL), HS_OK);
        assert_int_equal(count, found);
        for (size_t k = 0; k < found; k++) {
            assert_near(again[k].estimate.seconds, plans[k].estimate.seconds, 1e-8);
            assert_near(again[k].estimate.high_seconds, plans[k].estimate.high_seconds, 1e-8);
        }
        hs_expected_release(&rows);
        hs_expected_release(&none);
        hs_machines_release(&machines);
        hs_system_release(&system);
    }
}

/* ---- what to measure ------------------------------------------------------------------------- */

/* What the best plan of each sample takes, on average: less is never lost. */
static double mean_least(const struct hs_expected *expected)
{
    double mean = 0;

    for (size_t j = 0; j < expected->samples; j++)
        mean += expected->least[j] / (double)expected->samples;
    return mean;
}

/* Every other machine has 30 times the latency, and all else is the same: who knows that latency
 * loses nothing, and who knows something else as much as before. */
static void who_knows_the_one_unknown_figure_loses_nothing(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~1us,ib@20GB/s~2us");
    struct hs_machines machines;
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(256, 4194304), .top = 1};
    struct hs_expected table;
    struct hs_stage_key key;
    double latency[HS_MACHINES_USUAL], other[HS_MACHINES_USUAL], known, nothing, stage;

    (void)state;
    machines = draw(&system, HS_MACHINES_USUAL, 1);
    trust_price(&machines);
    for (size_t j = 0; j < HS_MACHINES_USUAL; j++) {
        latency[j] = j % 2 ? 60e-6 : 2e-6;
        other[j] = (double)((j * 7919) % 1009);
        machines.drawn[j] = system;
        machines.drawn[j].levels[1].latency_seconds = latency[j];
    }
    assert_int_equal(hs_expected_init(&table, &request, &machines, &unpriced, true, NULL), HS_OK);
    assert_int_equal(hs_expected_drop(&known, &table, latency, NULL), HS_OK);
    assert_int_equal(hs_expected_drop(&nothing, &table, other, NULL), HS_OK);
    assert_int_equal(hs_expected_stage(&key, &stage, &table, NULL), HS_OK);
    assert_true(known > 0.005);
    assert_near(known, table.by_chance - mean_least(&table), 1e-9);
    assert_true(fabs(nothing) < known / 10);
    assert_near(stage, known, 1e-9);
    assert_true(key.layer.stride * key.layer.size > 4); /* inside a node nothing differs */
    hs_expected_release(&table);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* Expected loss of 32 processes with 128 MiB, and by how much comparing two plans would lower it.
 * */
static double loss_of(const struct hs_system *system, double *compared)
{
    struct hs_search_request request = {
        .system = system, .problem = problem_world(32, 134217728), .algorithms = 1, .top = 1};
    struct hs_machines machines = draw(system, HS_MACHINES_USUAL, 1);
    struct hs_proposal proposal;
    struct hs_expected table;
    struct hs_estimated shown;

    assert_int_equal(hs_expected_init(&table, &request, &machines, &unpriced, true, NULL), HS_OK);
    assert_int_equal(hs_expected_simplest(&shown, &table, NULL), HS_OK);
    assert_int_equal(hs_propose(&proposal, &table, &shown.plan, NULL), HS_OK);
    *compared = proposal.whole ? proposal.compared : 0;
    hs_expected_release(&table);
    hs_machines_release(&machines);
    return shown.estimate.loss;
}

/* All stages of a plan, as priced. */
static size_t measure_plan(struct hs_fit_point *points, const struct hs_system *system,
                           const char *text)
{
    struct hs_problem problem = problem_world(32, 134217728);
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_plan plan;
    size_t count;

    assert_int_equal(hs_plan_parse(&plan, text, 32, NULL), HS_OK);
    count = (size_t)hs_problem_stages(stages, &problem, &plan);
    for (size_t i = 0; i < count; i++) {
        struct hs_stage_price price = hs_stage_price(system, 32, stages[i].key);
        double bytes = hs_problem_entering(&problem, stages[i].key.layer);

        points[i] = (struct hs_fit_point){.key = stages[i].key,
                                          .np = 32,
                                          .bytes = bytes,
                                          .seconds = hs_stage_seconds(&price, bytes),
                                          .noise = 0.01};
    }
    return count;
}

/* Two plans beside each other tell more than a stage, and once both are measured, as they were
 * believed to be, there is no more to lose than before. */
static void what_is_measured_as_believed_leaves_no_more_to_lose(void **state)
{
    struct hs_system system = parse("node:4@100GB/s~1us,net:8@10GB/s~5us");
    struct hs_fit_point points[2 * HS_STAGES_MAX];
    double compared, next, before = loss_of(&system, &compared), after;
    size_t count;

    (void)state;
    assert_true(before > 0.05 && compared > before / 3);
    count = measure_plan(points, &system, "4x8");
    count += measure_plan(points + count, &system, "4x2x2x2");
    assert_int_equal(hs_calibrate(&system, points, count, NULL, NULL, NULL), HS_OK);
    after = loss_of(&system, &next);
    assert_true(after < before);
    hs_system_release(&system);
}

static size_t gap_of(const struct hs_machines *machines)
{
    for (size_t f = 0; f < machines->figure_count; f++)
        if (machines->figures[f].what == HS_GAP_OF)
            return f;
    fail();
    return 0;
}

/* Every other machine waits a millisecond between two calls, and all else is the same: layers alone
 * take there what they take elsewhere, so only a plan as a whole tells, and all there is to know.
 * Where none waits there is nothing to be measured. */
static void what_lies_between_calls_is_told_by_plans_as_a_whole(void **state)
{
    struct hs_system system = shipped("dgx-h100-superpod");
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(128, 65536), .algorithms = 1};

    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct hs_machines machines = draw(&system, HS_MACHINES_USUAL, 1);
        size_t gap = gap_of(&machines);
        struct hs_expected table;
        struct hs_proposal proposal;
        struct hs_plan flat = hs_plan_flat(128);

        hs_machines_ask(&machines, 128);
        trust_price(&machines);
        for (size_t j = 0; j < HS_MACHINES_USUAL; j++) {
            machines.figures[gap].off[j] = j % 2 ? 1 : -1;
            machines.gap_seconds[j] = waits && j % 2 ? 1e-3 : 0;
            hs_constants_shipped(machines.drawn[j].nccl.own, &hs_nccl_price_model);
        }
        assert_int_equal(hs_expected_init(&table, &request, &machines, &unpriced, true, NULL),
                         HS_OK);
        assert_int_equal(hs_propose(&proposal, &table, &flat, NULL), HS_OK);
        assert_int_equal(proposal.whole, waits);
        assert_true(fabs(proposal.measured) < 1e-9);
        assert_true(fabs(proposal.compared - (table.by_chance - mean_least(&table))) < 1e-9);
        assert_int_equal(table.by_chance - mean_least(&table) > 0.01, waits);
        if (waits)
            assert_ptr_equal(proposal.figure, &machines.figures[gap]);
        hs_expected_release(&table);
        hs_machines_release(&machines);
    }
    hs_system_release(&system);
}

static void too_many_layers_are_refused(void **state)
{
    struct hs_system system = shipped("abci");
    struct hs_machines machines;
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(735134400, 1e6), .top = 1};
    struct hs_expected table;

    (void)state;
    machines = draw(&system, 2, 1);
    assert_int_equal(hs_expected_init(&table, &request, &machines, &unpriced, true, NULL),
                     HS_INVALID);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("they are the best of all plans of shipped systems",
            it_is_the_least_of_all_plans_of_shipped_systems),
    HS_TEST("they are the best of all plans by any algorithms",
            it_is_the_least_of_all_plans_by_any_algorithms),
    HS_TEST("a nominal best that loses much is not first",
            a_nominal_best_that_loses_much_is_not_first),
    HS_TEST("plans one by one are estimated as by rows", plans_one_by_one_are_estimated_as_by_rows),
    HS_TEST("who knows the one unknown figure loses nothing",
            who_knows_the_one_unknown_figure_loses_nothing),
    HS_TEST("what is measured as believed leaves no more to lose",
            what_is_measured_as_believed_leaves_no_more_to_lose),
    HS_TEST("what lies between calls is told by plans as a whole",
            what_lies_between_calls_is_told_by_plans_as_a_whole),
    HS_TEST("too many layers are refused", too_many_layers_are_refused),
};
HS_TEST_MAIN(tests)
