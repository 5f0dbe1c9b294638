/* The plan of least mean regret against an enumeration of all plans that shares no code with it. */
#include "../model/trust_price.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibration.h"
#include "model/price_library.h"
#include "model/price_nccl.h"
#include "search/regret.h"

#define DRAWN 40

/* All plans, with every choice of algorithms, priced whole on every machine. */
struct all {
    const struct hs_machines *machines;
    struct hs_problem problem;
    unsigned algorithms;
    struct hs_plan plan; /* as far as it goes */
    struct {
        struct hs_plan plan;
        double seconds[DRAWN];
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

/* Mean of the plan's time over the least on each machine. */
static double mean_of(const struct all *all, const double *best, size_t i)
{
    double mean = 0;

    for (size_t j = 0; j < DRAWN; j++)
        mean += all->plans[i].seconds[j] / best[j] / DRAWN;
    return mean;
}

static void find_best(double *best, const struct all *all)
{
    for (size_t j = 0; j < DRAWN; j++) {
        best[j] = INFINITY;
        for (size_t i = 0; i < all->count; i++)
            best[j] = fmin(best[j], all->plans[i].seconds[j]);
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

/* The range is what 90 % of the times lie in, and the time on the machine as described. */
static void check_range(const struct hs_regret *said, const struct all *all, size_t chosen)
{
    double sorted[DRAWN], described;

    memcpy(sorted, all->plans[chosen].seconds, sizeof(sorted));
    qsort(sorted, DRAWN, sizeof(sorted[0]), by_value);
    described = hs_plan_seconds(all->machines->believed, &all->problem, &all->plans[chosen].plan);
    assert_near(said->low_seconds, fmin(sorted[DRAWN / 20], described), 1e-9);
    assert_near(said->high_seconds, fmax(sorted[DRAWN - 1 - DRAWN / 20], described), 1e-9);
}

/* Everything that is said of the plan, from all plans' times. */
static void check_said(const struct hs_regret *said, const struct all *all, const double *best,
                       size_t chosen)
{
    double share = 0, most = 0;
    size_t worse = 0;

    for (size_t j = 0; j < DRAWN; j++) {
        double relative = all->plans[chosen].seconds[j] / best[j];

        share += (relative <= HS_REGRET_SLACK) / (double)DRAWN;
        most = fmax(most, relative - 1);
        worse += relative - 1 > said->worst + 1e-9;
    }
    assert_near(1 + said->mean, mean_of(all, best, chosen), 1e-9);
    assert_true(fabs(said->share - share) < 1e-9);
    assert_true(fabs(said->most - most) < 1e-9);
    assert_true(worse <= DRAWN / 20);
    check_range(said, all, chosen);
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
    struct hs_regret_table table;
    struct hs_regret said;
    struct hs_search_result found;
    struct hs_plan plan;
    double best[DRAWN], least = INFINITY;
    int fewest = HS_LAYERS_MAX;
    size_t chosen;

    assert_int_equal(hs_search(&found, hs_search_strategy_find("lattice"), &request, NULL), HS_OK);
    assert_int_equal(hs_regret_table_init(&table, &request, machines, NULL), HS_OK);
    assert_int_equal(hs_regret_least(&plan, &table, &found.plans[0].plan, NULL), HS_OK);
    assert_int_equal(hs_regret_of(&said, &table, &plan, NULL), HS_OK);
    enumerate(&all, np);
    find_best(best, &all);
    for (size_t i = 0; i < all.count; i++)
        least = fmin(least, mean_of(&all, best, i));
    for (size_t i = 0; i < all.count; i++)
        if (mean_of(&all, best, i) <= least * HS_REGRET_SLACK * (1 - 1e-9) &&
            all.plans[i].plan.split.count < fewest)
            fewest = all.plans[i].plan.split.count;
    chosen = find(&all, &plan);
    assert_true(mean_of(&all, best, chosen) <= least * HS_REGRET_SLACK * (1 + 1e-9));
    assert_true(plan.split.count <= fewest);
    for (size_t j = 0; j < DRAWN; j++)
        assert_near(table.best_seconds[j], best[j], 1e-9);
    check_said(&said, &all, best, chosen);
    free(all.plans);
    hs_regret_table_release(&table);
    hs_search_result_release(&found);
}

/* To 64 ranks; plans with letters are many times as many, and go to 44. */
static void check_all(struct hs_system *system, unsigned algorithms, int64_t step)
{
    int64_t most = algorithms ? 44 : 64;
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

/* By the figures alone a split gains 12 %; what lies between its calls is not among them. */
static void a_guess_that_loses_much_is_not_kept(void **state)
{
    struct hs_system system = shipped("dgx-h100-superpod");
    struct hs_machines machines;
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(128, 65536), .top = 1};
    struct hs_search_result found;
    struct hs_regret_table table;
    struct hs_regret shown, guess;
    struct hs_plan plan;

    (void)state;
    machines = draw(&system, HS_MACHINES_USUAL, 1);
    assert_int_equal(hs_search(&found, hs_search_strategy_find("lattice"), &request, NULL), HS_OK);
    assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_OK);
    assert_int_equal(hs_regret_least(&plan, &table, &found.plans[0].plan, NULL), HS_OK);
    assert_int_equal(hs_regret_of(&shown, &table, &plan, NULL), HS_OK);
    assert_int_equal(hs_regret_of(&guess, &table, &found.plans[0].plan, NULL), HS_OK);
    assert_true(hs_plan_is_flat(&plan)); /* one call: nothing lies between calls */
    assert_true(guess.mean > 0.1 && shown.mean < guess.mean / 3);
    hs_regret_table_release(&table);
    hs_search_result_release(&found);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* ---- what to measure ------------------------------------------------------------------------- */

/* Every other machine has 30 times the latency, and all else is the same: who knows that latency
 * loses nothing, and who knows something else as much as before. */
static void who_knows_the_one_unknown_figure_loses_nothing(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~1us,ib@20GB/s~2us");
    struct hs_machines machines;
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(256, 4194304), .top = 1};
    struct hs_regret_table table;
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
    assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_OK);
    assert_int_equal(hs_regret_drop(&known, &table, latency, NULL), HS_OK);
    assert_int_equal(hs_regret_drop(&nothing, &table, other, NULL), HS_OK);
    assert_int_equal(hs_regret_stage(&key, &stage, &table, NULL), HS_OK);
    assert_true(known > 0.05);
    assert_near(known, table.by_chance - 1, 1e-9);
    assert_true(fabs(nothing) < known / 10);
    assert_near(stage, known, 1e-9);
    assert_true(key.layer.stride * key.layer.size > 4); /* inside a node nothing differs */
    hs_regret_table_release(&table);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* Expected regret of 32 processes with 128 MiB, and by how much comparing two plans would lower it.
 */
static double regret_of(const struct hs_system *system, double *compared)
{
    struct hs_search_request request = {
        .system = system, .problem = problem_world(32, 134217728), .algorithms = 1, .top = 1};
    struct hs_machines machines = draw(system, HS_MACHINES_USUAL, 1);
    struct hs_regret_proposal proposal;
    struct hs_search_result found;
    struct hs_regret_table table;
    struct hs_regret regret;
    struct hs_plan shown;

    assert_int_equal(hs_search(&found, hs_search_strategy_find("lattice"), &request, NULL), HS_OK);
    assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_OK);
    assert_int_equal(hs_regret_least(&shown, &table, &found.plans[0].plan, NULL), HS_OK);
    assert_int_equal(hs_regret_of(&regret, &table, &shown, NULL), HS_OK);
    assert_int_equal(hs_regret_propose(&proposal, &table, &shown, NULL), HS_OK);
    *compared = proposal.whole ? proposal.compared : 0;
    hs_search_result_release(&found);
    hs_regret_table_release(&table);
    hs_machines_release(&machines);
    return regret.mean;
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
 * believed to be, there is no more to regret than before. */
static void what_is_measured_as_believed_leaves_no_more_to_regret(void **state)
{
    struct hs_system system = parse("node:4@100GB/s~1us,net:8@10GB/s~5us");
    struct hs_fit_point points[2 * HS_STAGES_MAX];
    double compared, next, before = regret_of(&system, &compared), after;
    size_t count;

    (void)state;
    assert_true(before > 0.05 && compared > before / 3);
    count = measure_plan(points, &system, "4x8");
    count += measure_plan(points + count, &system, "4x2x2x2");
    assert_int_equal(hs_calibrate(&system, points, count, NULL, NULL, NULL), HS_OK);
    after = regret_of(&system, &next);
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
        struct hs_regret_table table;
        struct hs_regret_proposal proposal;
        struct hs_plan flat = hs_plan_flat(128);

        hs_machines_ask(&machines, 128);
        trust_price(&machines);
        for (size_t j = 0; j < HS_MACHINES_USUAL; j++) {
            machines.figures[gap].off[j] = j % 2 ? 1 : -1;
            machines.gap_seconds[j] = waits && j % 2 ? 1e-3 : 0;
            hs_constants_shipped(machines.drawn[j].nccl.own, &hs_nccl_price_model);
        }
        assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_OK);
        assert_int_equal(hs_regret_propose(&proposal, &table, &flat, NULL), HS_OK);
        assert_int_equal(proposal.whole, waits);
        assert_true(fabs(proposal.measured) < 1e-9);
        assert_true(fabs(proposal.compared - (table.by_chance - 1)) < 1e-9);
        assert_int_equal(table.by_chance > 1.01, waits);
        if (waits)
            assert_ptr_equal(proposal.figure, &machines.figures[gap]);
        hs_regret_table_release(&table);
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
    struct hs_regret_table table;

    (void)state;
    machines = draw(&system, 2, 1);
    assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_INVALID);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

/* The figure of the headline and the one that the advice goes by are the same. */
static void the_gain_over_nccls_own_call_is_the_advices(void **state)
{
    struct hs_system system = shipped("dgx-h100-superpod");
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(64, 1 << 24), .algorithms = 1};
    struct hs_library_price price = hs_library_price(&system, &request.problem, 4);
    struct hs_plan flat = hs_plan_flat(64), plan;
    struct hs_machines machines = draw(&system, 100, 1);
    struct hs_regret_table table;
    struct hs_gain gain, advice;

    (void)state;
    hs_machines_ask(&machines, 64);
    assert_int_equal(hs_plan_parse(&plan, "8x8", 64, NULL), HS_OK);
    assert_int_equal(hs_regret_table_init(&table, &request, &machines, NULL), HS_OK);
    assert_int_equal(hs_regret_gain(&gain, &table, &plan, &flat, NULL), HS_OK);
    assert_int_equal(hs_library_gain(&advice, &price, &machines, &request.problem, &plan, NULL),
                     HS_OK);
    assert_near(gain.median, advice.median, 1e-9);
    assert_near(gain.low, advice.low, 1e-9);
    assert_near(gain.high, advice.high, 1e-9);
    assert_near(gain.share, advice.share, 1e-9);
    assert_true(gain.low < gain.median && gain.median < gain.high);
    hs_regret_table_release(&table);
    hs_machines_release(&machines);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("it is the least of all plans of shipped systems",
            it_is_the_least_of_all_plans_of_shipped_systems),
    HS_TEST("it is the least of all plans by any algorithms",
            it_is_the_least_of_all_plans_by_any_algorithms),
    HS_TEST("a guess that loses much is not kept", a_guess_that_loses_much_is_not_kept),
    HS_TEST("who knows the one unknown figure loses nothing",
            who_knows_the_one_unknown_figure_loses_nothing),
    HS_TEST("what is measured as believed leaves no more to regret",
            what_is_measured_as_believed_leaves_no_more_to_regret),
    HS_TEST("what lies between calls is told by plans as a whole",
            what_lies_between_calls_is_told_by_plans_as_a_whole),
    HS_TEST("too many layers are refused", too_many_layers_are_refused),
    HS_TEST("the gain over NCCL's own call is the advice's",
            the_gain_over_nccls_own_call_is_the_advices),
};
HS_TEST_MAIN(tests)
