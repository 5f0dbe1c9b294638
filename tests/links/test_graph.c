#include "graphs.h"
#include "systems.h"

#include "library/limit.h"
#include "library/price_plan.h"
#include "links/cuts.h"
#include "links/graph.h"
#include "links/packing.h"
#include "model/kept.h"

static const enum hs_algorithm ways[] = {HS_RING, HS_FOREST, HS_GROUPS};
static const enum hs_phase phases[] = {HS_REDUCE_SCATTER, HS_ALLGATHER, HS_ALLREDUCE};

static struct hs_stage_price price_whole(const struct hs_system *system, enum hs_phase phase,
                                         enum hs_algorithm algorithm)
{
    struct hs_stage_price price = {
        .key = {phase, algorithm, {.stride = 1, .size = system->levels[0].arity}}};

    hs_graph_price(&price, system, algorithm);
    return price;
}

/* Long messages take what the busiest link carries; a tree's last segment comes later by what it is
 * deep, at most a part in 64 for each arc. */
static void long_messages_take_what_the_packing_says(void **state)
{
    struct hs_system system = shipped("dgx1-v100");
    typedef enum hs_status make_function(struct hs_packing *, const struct hs_links *,
                                         enum hs_phase, struct hs_error *);
    static make_function *const makers[] = {hs_packing_make_rings, hs_packing_make,
                                            hs_packing_make_groups};

    (void)state;
    for (int way = 0; way < 3; way++)
        for (int p = 0; p < 3; p++) {
            struct hs_stage_price price = price_whole(&system, phases[p], ways[way]);
            double bytes = 1e12, seconds = hs_stage_seconds(&price, bytes), least;
            struct hs_packing packing;

            assert_int_equal(makers[way](&packing, &system.levels[0].links, phases[p], NULL),
                             HS_OK);
            least = packing.seconds_per_byte * bytes;
            assert_true(seconds >= least * (1 - 1e-9));
            assert_true(seconds <= least * (1 + (way == 0 ? 1e-4 : 16 / 64.0)));
            hs_packing_release(&packing);
        }
    hs_system_release(&system);
}

static void both_phases_are_the_sum_of_the_two(void **state)
{
    struct hs_system system = shipped("ac922-4gpu");
    double bytes = 1e8, sum;
    struct hs_stage_price pair, one, other;

    (void)state;
    for (int way = 0; way < 3; way++) {
        pair = price_whole(&system, HS_PAIR, ways[way]);
        one = price_whole(&system, HS_REDUCE_SCATTER, ways[way]);
        other = price_whole(&system, HS_ALLGATHER, ways[way]);
        sum = hs_stage_seconds(&one, bytes) + hs_stage_seconds(&other, bytes);
        assert_near(hs_stage_seconds(&pair, bytes), sum, 1e-9);
    }
    hs_system_release(&system);
}

/* Of long messages. */
static struct hs_price_line last_line(const struct hs_stage_price *price)
{
    return price->lines[price->line_count - 1];
}

/* A machine drawn: its links are faster as its level is, and what was kept of them holds. */
static void what_is_kept_goes_with_the_level(void **state)
{
    struct hs_system system = shipped("dgx1-p100"), drawn;
    struct hs_stage_price before, price;

    (void)state;
    before = price_whole(&system, HS_ALLREDUCE, HS_FOREST);
    hs_system_keep(&system);
    assert_non_null(system.graph);
    for (int again = 0; again < 2; again++) {
        price = price_whole(&system, HS_ALLREDUCE, HS_FOREST);
        assert_near(last_line(&price).seconds_per_byte, last_line(&before).seconds_per_byte, 0);
        assert_near(last_line(&price).latency_seconds, last_line(&before).latency_seconds, 0);
    }
    drawn = system;
    drawn.levels[0].bytes_per_second *= 2;
    drawn.levels[0].latency_seconds *= 3;
    price = price_whole(&drawn, HS_ALLREDUCE, HS_FOREST);
    assert_near(last_line(&price).seconds_per_byte, last_line(&before).seconds_per_byte / 2, 1e-12);
    assert_near(last_line(&price).latency_seconds, last_line(&before).latency_seconds * 3, 1e-12);
    hs_system_release(&system);
}

/* Other units: what was kept is of no meaning any more. */
static void a_choice_forgets_what_was_kept(void **state)
{
    struct hs_system system = shipped("dgx1-v100"), fresh = shipped("dgx1-v100");
    int units[] = {0, 1, 4};

    (void)state;
    hs_system_keep(&system);
    price_whole(&system, HS_ALLGATHER, HS_FOREST);
    assert_int_equal(hs_system_choose(&system, units, 3, NULL), HS_OK);
    assert_int_equal(hs_system_choose(&fresh, units, 3, NULL), HS_OK);
    assert_near(price_whole(&system, HS_ALLGATHER, HS_FOREST).lines[0].seconds_per_byte,
                price_whole(&fresh, HS_ALLGATHER, HS_FOREST).lines[0].seconds_per_byte, 0);
    hs_system_release(&system);
    hs_system_release(&fresh);
}

/* PCIe and the CPUs lie beside each NVLink: the host takes one of the two. */
static void the_host_has_one_way_between_two_units(void **state)
{
    struct hs_system system = shipped("dgx1-p100");
    struct hs_links links = system.levels[0].links;
    struct hs_packing packing;

    (void)state;
    hs_system_keep(&system);
    assert_false(links.fixed_ways);
    for (int p = 0; p < 3; p++) {
        struct hs_stage_price before = price_whole(&system, phases[p], HS_FOREST), price;
        double chosen = last_line(&before).seconds_per_byte, fixed;

        hs_system_fix_ways(&system);
        price = price_whole(&system, phases[p], HS_FOREST);
        fixed = last_line(&price).seconds_per_byte;
        links.fixed_ways = true;
        assert_int_equal(hs_packing_make(&packing, &links, phases[p], NULL), HS_OK);
        assert_near(fixed * 7 / 8, packing.seconds_per_byte, 1e-9);
        assert_true(fixed > chosen * 1.01);
        hs_packing_release(&packing);
        system.levels[0].links.fixed_ways = false;
        hs_graph_empty(system.graph);
    }
    hs_system_release(&system);
}

/* A pair of a DGX-1's GPUs sends over its link; two that have none share their ways. */
static void other_layers_see_the_ways_that_they_take(void **state)
{
    struct hs_system system = shipped("dgx1-p100");
    const struct hs_links *links = &system.levels[0].links;
    struct hs_layer pairs = {.stride = 1, .size = 2};
    double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];

    (void)state;
    hs_links_rates(rates, links);
    assert_near(hs_graph_level(&system, pairs, HS_RING), rates[1], 1e-12);
    /* 0 and 4 are joined, as are 1 and 5, 2 and 6, 3 and 7. */
    pairs.stride = 4;
    assert_near(hs_graph_level(&system, pairs, HS_RING), rates[4], 1e-12);
    /* Rings through two nodes have in each what its own rings carry. */
    assert_near(
        hs_graph_level(&system, (struct hs_layer){.stride = 1, .size = 16}, HS_RING) * 8 / 7,
        1 / price_whole(&system, HS_ALLGATHER, HS_RING).lines[0].seconds_per_byte * 8 / 7, 1e-9);
    hs_system_release(&system);
}

/* No plan is below it: plans of all splits by all algorithms, and packed trees themselves. */
static void no_plan_is_below_the_limit(void **state)
{
    static const char *const names[] = {"dgx1-p100", "dgx1-v100",  "mi250x",
                                        "mi250-16",  "ac922-4gpu", "a100-pcie-bridged"};
    static const char *const plans[][8] = {{"8", "2x4", "4x2", "2x2x2", "8d", "8h", "2dx4h", "8t"},
                                           {"4", "2x2", "4d", "4h", "4t"},
                                           {"16", "2x8", "4x4", "16d", "16h", "8x2", "2x2x4"}};

    (void)state;
    for (size_t n = 0; n < HS_COUNT(names); n++) {
        struct hs_system system = shipped(names[n]);
        int64_t arity = system.levels[0].arity;

        for (double bytes = 1e4; bytes <= 1e10; bytes *= 1e3) {
            struct hs_problem problem = problem_world(arity, bytes);
            struct hs_limit limit = hs_limit_of(&system, &problem);
            struct hs_stage_price trees = price_whole(&system, HS_ALLREDUCE, HS_FOREST);

            assert_near(limit.seconds - limit.latency_seconds,
                        bytes * hs_cuts_of(&system.levels[0].links, HS_ALLREDUCE).seconds_per_byte,
                        1e-9);
            assert_true(hs_stage_seconds(&trees, bytes) >= limit.seconds);
            for (int i = 0; i < 8; i++) {
                const char *plan = plans[arity == 8 ? 0 : arity == 4 ? 1 : 2][i];

                if (plan && !(plan_seconds(&system, plan, bytes) >= limit.seconds))
                    fail_msg("%s: %s takes %g, the limit is %g", names[n], plan,
                             plan_seconds(&system, plan, bytes), limit.seconds);
            }
        }
        hs_system_release(&system);
    }
}

static void long_rings_of_more_nodes_are_not_below_it_either(void **state)
{
    struct hs_system system = shipped("dgx1-v100");

    (void)state;
    for (int nodes = 2; nodes <= 4; nodes *= 2) {
        struct hs_problem problem = problem_world(8 * nodes, 1e9);
        struct hs_limit limit = hs_limit_of(&system, &problem);
        char plan[32];

        snprintf(plan, sizeof(plan), "8x%d", nodes);
        assert_true(plan_seconds(&system, plan, 1e9) >= limit.seconds);
        snprintf(plan, sizeof(plan), "%d", 8 * nodes);
        assert_true(plan_seconds(&system, plan, 1e9) >= limit.seconds);
    }
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("long messages take what the packing's busiest link says",
            long_messages_take_what_the_packing_says),
    HS_TEST("both phases on a layer are the sum of the two", both_phases_are_the_sum_of_the_two),
    HS_TEST("what is kept holds, and goes with the level's figures",
            what_is_kept_goes_with_the_level),
    HS_TEST("a choice of units forgets what was kept", a_choice_forgets_what_was_kept),
    HS_TEST("the backend host has one way between two units",
            the_host_has_one_way_between_two_units),
    HS_TEST("other layers see what their ways leave", other_layers_see_the_ways_that_they_take),
    HS_TEST("no plan of a node is below its limit", no_plan_is_below_the_limit),
    HS_TEST("nor is one of more nodes", long_rings_of_more_nodes_are_not_below_it_either),
};
HS_TEST_MAIN(tests)
