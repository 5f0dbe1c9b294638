/*
 * No price on units that single links join is below what the graph's cuts say (links/cuts.h), which
 * is computed here from the graph alone, not by the limit of the machine: random graphs, of GRAPHS
 * of them in place of the test's own number, where that is set.
 */
#include "../links/graphs.h"
#include "systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "library/limit.h"
#include "links/cuts.h"

#define LATENCY 5e-6

/* The graph's units, and as often as not several such nodes behind a switch. */
static struct hs_system system_of(struct hs_links links, uint64_t *random)
{
    struct hs_system system = {.name = "graph", .level_count = 2, .pipeline_granularity = 1};
    struct hs_level *inside = &system.levels[0], *outside = &system.levels[1];

    *inside = (struct hs_level){.name = "links",
                                .fabric = HS_FABRIC_LINKS,
                                .arity = links.units,
                                .latency_seconds = LATENCY * hs_random_uniform(random),
                                .ports = 1,
                                .links = links};
    inside->bytes_per_second = hs_links_sends_least(&links);
    *outside = (struct hs_level){.name = "net",
                                 .bytes_per_second = 1e9 * exp(4 * hs_random_uniform(random)),
                                 .latency_seconds = LATENCY,
                                 .ports = 1 + below(random, 4),
                                 .striped = below(random, 2)};
    return system;
}

/* All orders of sizes are as likely as their first factors. */
static struct hs_plan plan_of(const struct hs_problem *problem, uint64_t *random)
{
    struct hs_plan plan = hs_problem_flat(problem);
    int64_t rest = problem->group.size;
    struct hs_split split = {.count = 0};

    while (rest > 1) {
        int64_t size = 2 + below(random, (int)rest - 1);

        while (rest % size != 0)
            size = size % rest + 1 < 2 ? 2 : size % rest + 1;
        split.sizes[split.count++] = size;
        rest /= size;
    }
    plan.split = split;
    for (int i = 0; i < split.count; i++) {
        struct hs_layer layer = hs_problem_layer(problem, &split, i);
        enum hs_phase phases[2];
        int ways = hs_problem_phases(phases, problem, layer);

        for (int way = 0; way < ways; way++) {
            enum hs_algorithm algorithm = (enum hs_algorithm)below(random, HS_ALGORITHM_COUNT);
            struct hs_stage_key key = {phases[way], algorithm, layer};

            if (!hs_stage_possible(key))
                algorithm = HS_RING;
            plan.algorithms[i][way] = (unsigned char)algorithm;
        }
        if (ways == 1 && !hs_collective_is_one_way(problem->collective))
            plan.algorithms[i][1] = plan.algorithms[i][0];
    }
    return plan;
}

static double cut_seconds(const struct hs_links *links, const struct hs_problem *problem)
{
    static const enum hs_phase phases[] = {[HS_COLLECTIVE_ALLREDUCE] = HS_ALLREDUCE,
                                           [HS_COLLECTIVE_REDUCE_SCATTER] = HS_REDUCE_SCATTER,
                                           [HS_COLLECTIVE_ALLGATHER] = HS_ALLGATHER,
                                           [HS_COLLECTIVE_ALLTOALL] = HS_EXCHANGE};

    return hs_cuts_of(links, phases[problem->collective]).seconds_per_byte * problem->bytes;
}

static void no_plan_on_a_random_graph_is_priced_below_its_cuts(void **state)
{
    const char *asked = getenv("GRAPHS");
    size_t graphs = asked ? (size_t)atol(asked) : hs_tests_quick() ? 200 : 2500, plans = 0;
    uint64_t random = 20261128;
    double nearest = 0;

    (void)state;
    for (size_t g = 0; g < graphs; g++) {
        int units = 2 + below(&random, 7);
        struct hs_links links = g % 4 == 3 ? random_one_way(&random, units)
                                           : random_graph(&random, units, below(&random, 3));
        struct hs_system system = system_of(links, &random);
        int64_t nodes = g % 3 ? 1 : 2 + below(&random, 4);
        struct hs_problem problem =
            hs_problem_of((enum hs_collective)(g % HS_COLLECTIVE_COUNT),
                          (enum hs_layout)(g / HS_COLLECTIVE_COUNT % HS_LAYOUT_COUNT),
                          nodes * units, exp(6 + 16 * hs_random_uniform(&random)));
        double limit = hs_limit_of(&system, &problem).seconds;
        double cut = nodes == 1 ? cut_seconds(&links, &problem) : 0;

        if (hs_links_check(&links, "", NULL) != HS_OK) { /* a relay without a link to go on by */
            hs_system_release(&system);
            continue;
        }
        assert_true(limit >= cut * (1 - 1e-9));
        for (int i = 0; i < 4; i++) {
            struct hs_plan plan = plan_of(&problem, &random);
            double seconds = hs_plan_seconds(&system, &problem, &plan);
            char text[HS_SPLIT_TEXT];

            nearest = fmax(nearest, cut / seconds);
            plans++;
            if (seconds < cut * (1 - 1e-9) || seconds < limit * (1 - 1e-9))
                fail_msg("graph %zu, %d units, %s of %.17g bytes, %s: %.12g, cut %.12g, limit "
                         "%.12g",
                         g, units, hs_collectives[problem.collective].written, problem.bytes,
                         hs_plan_format(text, &plan), seconds, cut, limit);
        }
        hs_system_release(&system);
    }
    print_message("# %zu plans on %zu graphs, the nearest %.3g %% above its cut\n", plans, graphs,
                  100 / nearest - 100);
    assert_true(nearest > 0.9); /* a cut of nothing would pass the above */
}

static const struct CMUnitTest tests[] = {
    HS_TEST("no plan on a random graph is priced below its cuts",
            no_plan_on_a_random_graph_is_priced_below_its_cuts),
};
HS_TEST_MAIN(tests)
