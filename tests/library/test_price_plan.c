/*
 * The cost model against the published equations, a simulator's figures and shares worked out by
 * hand.
 */
#include "systems.h"
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"
#include "model/simgrid64.h"
#include "model/steps.h"
#include "model/traffic.h"

#define MIB 1048576.0

/* Figures of the paper: alpha 4.80 us, one EDR HCA 9301.19 MB/s, NVLink2 twelve of them, s = 2. */
#define ALPHA 4.80e-6
#define BETA  (1 / 9301.19e6)

static struct hs_system abci(void)
{
    struct hs_system system;
    struct hs_error err = {0};

    if (hs_system_load(&system, "configs/abci.json", &err))
        fail_msg("%s", err.message);
    return system;
}

static void hierarchical_abci_equation_holds_to_1e_12(void **state)
{
    struct hs_system system = abci();
    double n = 128 * MIB;
    char text[32];

    (void)state;
    for (int nodes = 2; nodes <= 32; nodes++) {
        double expected =
            2 * 2 * ALPHA * (2 + nodes) + 2 * n * BETA * (9.0 / 16 - 1 / (2.0 * nodes));

        snprintf(text, sizeof(text), "4x%d", nodes);
        assert_near(plan_seconds(&system, text, n), expected, 1e-12);
    }
    hs_system_release(&system);
}

/* The paper's ring pays what a hop over InfiniBand takes at every step: as if all hops were. */
static void flat_abci_equation_holds_to_1e_12(void **state)
{
    struct hs_system system = parse("ib@18.60238GB/s~4.8us;s=2");
    double n = 128 * MIB;
    char text[32];

    (void)state;
    for (int nodes = 2; nodes <= 32; nodes++) {
        double expected =
            2 * 2 * ALPHA * (4 * nodes - 1) + 2 * n * BETA * (1.0 / 2 - 1 / (8.0 * nodes));

        snprintf(text, sizeof(text), "%d", 4 * nodes);
        assert_near(plan_seconds(&system, text, n), expected, 1e-12);
    }
    hs_system_release(&system);
}

static void layers_of_one_bandwidth_leave_the_bandwidth_term_unchanged(void **state)
{
    struct hs_system system = parse("net@10GB/s~3us");
    static const char *const splits[] = {"64", "8x8", "4x4x4", "2x2x2x2x2x2", "2x32", "32x2"};

    (void)state;
    for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++) {
        struct hs_plan plan;
        struct hs_plan_cost cost;

        assert_int_equal(hs_plan_parse(&plan, splits[i], 64, NULL), HS_OK);
        cost = cost_of(&system, &plan, 64e6);
        assert_near(cost.bandwidth_seconds, 2 * 64e6 / 10e9 * 63 / 64, 1e-12);
    }
    hs_system_release(&system);
}

static void two_of_four_on_a_mesh_get_one_link_of_three(void **state)
{
    struct hs_system mesh = parse("nv:mesh:4@150GB/s,ib@10GB/s");
    struct hs_system whole = parse("nv:switch:4@150GB/s,ib@10GB/s");
    struct hs_layer two = {1, 2}, four = {1, 4};

    (void)state;
    assert_near(price_of(&mesh, 8, two).ring_bytes_per_second, 50e9, 1e-12);
    assert_near(price_of(&whole, 8, two).ring_bytes_per_second, 150e9, 1e-12);
    assert_near(price_of(&mesh, 8, four).ring_bytes_per_second, 150e9, 1e-12);
    hs_system_release(&mesh);
    hs_system_release(&whole);
}

/* A mesh whose rings take one link each: 450 GB/s to 3 others is 150 GB/s to each, however many are
 * visited. */
static void rings_that_are_not_striped_take_one_link_of_a_mesh(void **state)
{
    struct hs_system mesh = parse("nv:mesh:4@450GB/s/1p!,ib@10GB/s");
    struct hs_layer two = {1, 2}, four = {1, 4};

    (void)state;
    assert_near(price_of(&mesh, 8, two).ring_bytes_per_second, 150e9, 1e-12);
    assert_near(price_of(&mesh, 8, four).ring_bytes_per_second, 150e9, 1e-12);
    hs_system_release(&mesh);
}

/* Four nodes of 4 GPUs, 30 GB/s to each other node. Layer (4, 4): all 4 rings of a node go to the
 * next one. Layer (2, 2) of 12 nests in nodes. Layer (6, 2) of 12: GPUs 0 and 1 send to node 1, 2
 * and 3 to node 2. */
static void rings_between_two_nodes_of_a_mesh_share_their_link(void **state)
{
    struct hs_system mesh = parse("nv:4@500GB/s,group:mesh:4@90GB/s/1p!");
    struct hs_layer together = {4, 4}, inside = {2, 2}, apart = {6, 2};

    (void)state;
    assert_near(price_of(&mesh, 16, together).ring_bytes_per_second, 30e9 / 4, 1e-12);
    assert_near(price_of(&mesh, 12, inside).ring_bytes_per_second, 500e9, 1e-12);
    assert_near(price_of(&mesh, 12, apart).ring_bytes_per_second, 30e9 / 2, 1e-12);
    hs_system_release(&mesh);
}

/* Blocks of 3 on nodes of 4: ring 3, 4, 5 leaves the node, and 4 -> 5 is inside the next one. */
static void a_block_shorter_than_a_node_leaves_it_where_the_border_cuts_it(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~1us,ib@10GB/s~5us");
    struct hs_stage_price price = price_of(&system, 6, (struct hs_layer){1, 3});

    (void)state;
    assert_near(price.ring_bytes_per_second, 10e9, 1e-12);
    /* The three end after all hops but one each: on average after two thirds of all. */
    assert_near(price.lines[0].latency_seconds, 2 * (5e-6 + 1e-6 + 5e-6) * 2 / 3, 1e-12);
    assert_int_equal(price.level, 1);
    assert_true(price.misaligned);
    /* One block alone lies in one node. */
    price = price_of(&system, 3, (struct hs_layer){1, 3});
    assert_near(price.ring_bytes_per_second, 100e9, 1e-12);
    assert_false(price.misaligned);
    hs_system_release(&system);
}

/* Nodes of 6 with 2 ports, blocks of 8: node 1 (6 .. 11) is entered by 5 -> 6 and 15 -> 8, both
 * through the port of 6, 7 and 8, and left by 7 -> 0 and 11 -> 12, through one port each. */
static void rings_that_enter_through_one_port_share_it(void **state)
{
    struct hs_system system = parse("nv:6@100GB/s,ib@20GB/s/2p!");

    (void)state;
    assert_near(price_of(&system, 16, (struct hs_layer){1, 8}).ring_bytes_per_second, 5e9, 1e-12);
    hs_system_release(&system);
}

/* Which splits have only layers that nest: no ring with hops of more than one level. */
static bool nests(const struct hs_plan_cost *cost)
{
    for (int i = 0; i < cost->count; i++)
        if (cost->stages[i].misaligned)
            return false;
    return true;
}

static void simgrid_times_are_met(void **state)
{
    struct hs_system system;
    struct hs_error err = {0};

    (void)state;
    if (hs_system_load(&system, "tests/model/simgrid.json", &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof(simulated_splits) / sizeof(*simulated_splits); i++) {
        const struct simulated *row = &simulated_splits[i];
        struct hs_plan plan;
        struct hs_plan_cost cost;
        double error;

        assert_int_equal(hs_plan_parse(&plan, row->split, row->np, NULL), HS_OK);
        cost = cost_of(&system, &plan, 128 * MIB);
        error = cost.seconds / (row->milliseconds * 1e-3) - 1;
        print_message("# %-12s model %7.3f ms, simulated %7.3f ms, %+.1f %%%s\n", row->split,
                      cost.seconds * 1e3, row->milliseconds, 100 * error,
                      nests(&cost) ? "" : " (misaligned)");
        /* That program has one block under way at a time: where hops differ it may be slower. */
        if (error > (nests(&cost) ? 0.02 : 0.06) || error < (nests(&cost) ? -0.02 : -0.10))
            fail_msg("%s: %.1f %% off", row->split, 100 * error);
    }
    hs_system_release(&system);
}

static void time_grows_with_bytes_and_one_process_is_free(void **state)
{
    struct hs_system system =
        parse("a:6@100GB/s~1us/2p!,b:4@20GB/s~2us,c@50GB/s~5us;s=2;launch=3us");
    static const char *const plans[] = {"48", "6x8", "4x12", "2x3x2x4", "4x12/4", "2x24/16"};

    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
        for (double bytes = 1; bytes < 1e10; bytes *= 3)
            assert_true(plan_seconds(&system, plans[i], bytes) <
                        plan_seconds(&system, plans[i], 1.5 * bytes));
    assert_true(plan_seconds(&system, "1", 1e6) == 0);
    hs_system_release(&system);
}

/* Two levels of 10 GB/s each whose layers take the same time t for the whole message: C chunks take
 * 2 t / C + (C - 1) t / C. On one level nothing overlaps: 2 t whatever C is. Latency and launch are
 * 0. */
static void chunks_overlap_on_different_levels_only(void **state)
{
    struct hs_system two = parse("a:2@10GB/s,b:2@10GB/s/2p");
    struct hs_system one = parse("a@10GB/s");
    double t = 2 * 1e9 / 10e9 / 2; /* (1, 2) of n bytes; (2, 2): half the bytes on half the link */

    (void)state;
    assert_near(plan_seconds(&two, "2x2", 1e9), 2 * t, 1e-12);
    for (int chunks = 2; chunks <= 64; chunks *= 2) {
        char text[32];

        snprintf(text, sizeof(text), "2x2/%d", chunks);
        assert_near(plan_seconds(&one, text, 1e9), 1.5 * t, 1e-12);
        /* Layer (2, 2) also passes its GPU's link on level a at half of that link's rate. */
        assert_near(plan_seconds(&two, text, 1e9), (2 * t + (chunks - 1) * 1.5 * t) / chunks,
                    1e-12);
    }
    hs_system_release(&two);
    hs_system_release(&one);
}

static void launch_is_paid_per_collective_call(void **state)
{
    struct hs_system system = parse("net@10GB/s;launch=10us");
    struct hs_plan plan;

    (void)state;
    for (int layers = 1; layers <= 4; layers++) {
        static const char *const texts[] = {"16", "4x4", "2x2x4", "2x2x2x2"};
        struct hs_plan_cost cost;

        assert_int_equal(hs_plan_parse(&plan, texts[layers - 1], 16, NULL), HS_OK);
        cost = cost_of(&system, &plan, 1e6);
        assert_near(cost.launch_seconds, (2 * layers - 1) * 10e-6, 1e-12);
    }
    hs_system_release(&system);
}

static void beyond_the_described_machine_is_marked(void **state)
{
    struct hs_system system = parse("a:4@100GB/s,b:8@10GB/s");
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4x8", 32, NULL), HS_OK);
    assert_false(cost_of(&system, &plan, 1e6).extrapolated);
    assert_int_equal(hs_plan_parse(&plan, "4x16", 64, NULL), HS_OK);
    assert_true(cost_of(&system, &plan, 1e6).extrapolated);
    hs_system_release(&system);
}

static void
hops_that_leave_an_unstriped_mesh_may_be_slower_or_faster_than_those_inside(void **state)
{
    /* Pairs of nodes have 150 / 3 = 50 GB/s and 2 us; the way out of a group has 100 GB/s and 4 us.
     */
    struct hs_system system =
        parse("gpu:mesh:4@450GB/s~1us/1p!,group:mesh:4@150GB/s~2us/1p!,global@100GB/s~4us");

    (void)state;
    /* 510 blocks one after the other between two nodes, and the last one's latency. */
    assert_near(plan_seconds(&system, "256", 256e6), 2e-6 + 510 * 1e6 / 50e9, 1e-12);
    /* Twice around 192 hops in nodes, 48 in groups and 16 out of them, but for the last two. */
    assert_near(plan_seconds(&system, "256", 256e3),
                382 * (1e-6 + 1e3 / 150e9) + 96 * (2e-6 + 1e3 / 50e9) + 32 * (4e-6 + 1e3 / 100e9),
                1e-12);
    /* Rings between groups only know one kind. */
    assert_near(plan_seconds(&system, "4x4x16", 1e3) - plan_seconds(&system, "4x4", 1e3),
                2 * 15 * 4e-6 + 2 * 1e3 / 16 * 15 / 16 / (100e9 / 16), 1e-9);
    hs_system_release(&system);
}

/* Of the rings of 2 on sockets of 3, that of GPUs 2 and 3 leaves its socket at 64 GB/s; the others
 * have a link of 100 / 2 GB/s. */
static void a_ring_inside_a_mesh_may_be_slower_than_one_that_leaves_it(void **state)
{
    struct hs_system system = parse("nv:mesh:3@100GB/s~1us/1p!,bus@64GB/s~2us");
    struct hs_stage_price price = price_of(&system, 4, (struct hs_layer){1, 2});

    (void)state;
    assert_near(hs_stage_seconds(&price, 100e6), 2 * (1e-6 + 50e6 / 50e9), 1e-12);
    assert_near(hs_stage_seconds(&price, 1e3), 2 * (2e-6 + 500 / 64e9), 1e-12);
    hs_system_release(&system);
    /* Of the rings of 3, those of 3 to 5 and 6 to 8 leave their nodes, that of 15 to 17 its group.
     */
    system = parse("gpu:mesh:4@450GB/s~1us/1p!,group:mesh:4@150GB/s~2us/1p!,global@100GB/s~4us");
    price = price_of(&system, 24, (struct hs_layer){1, 3});
    assert_near(price.lines[price.line_count - 1].seconds_per_byte, 2 / 50e9, 1e-12);
    hs_system_release(&system);
}

static void check_usable(const struct hs_system *system, const char *plan_text, int chunks)
{
    struct hs_plan plan;

    assert_int_equal(hs_plan_parse(&plan, plan_text, 0, NULL), HS_OK);
    plan.chunks = chunks;
    for (int large = 0; large < 2; large++) {
        struct hs_plan_cost cost = cost_of(system, &plan, large ? (double)HS_BYTES_MAX : 1);

        if (!(hs_seconds_usable(cost.seconds) && cost.seconds > 0))
            fail_msg("%s/%d: %g s", plan_text, chunks, cost.seconds);
        for (int i = 0; i < cost.count; i++)
            assert_true(hs_seconds_usable(cost.stages[i].seconds) && cost.stages[i].seconds > 0);
    }
}

/* Every corner of what a system may say: bit by bit, figures at one end or the other. A fit may be
 * as far from its level as a file may say. */
static void no_system_that_is_accepted_has_a_time_that_is_infinite_or_lost(void **state)
{
    static const char *const plans[] = {
        "2147483648", "2", "46341x46340",
        "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", "65536x32768"};

    (void)state;
    for (unsigned corner = 0; corner < 1024; corner++) {
        double latency = corner & 1 ? HS_LATENCY_MAX : 0;
        struct hs_fit fit = {.scope = HS_FIT_LEVEL, .level = 1, .max_size = 2, .max_bytes = 1e-9};
        struct hs_system system = {.pipeline_granularity = corner & 2 ? 1e6 : 1, .level_count = 2};

        system.launch_seconds = latency;
        for (int l = 0; l < 2; l++)
            system.levels[l] = (struct hs_level){
                .arity = l            ? 0
                         : corner & 4 ? 65536
                                      : 2,
                .fabric = corner & 8 ? HS_FABRIC_MESH : HS_FABRIC_SWITCH,
                .latency_seconds = l ? latency * 1e-30 : latency,
                .bytes_per_second = corner & (16u << l) ? HS_BANDWIDTH_MIN : HS_BANDWIDTH_MAX,
                .ports = corner & 64 ? HS_PORTS_MAX : 1,
                .striped = !(corner & 128)};
        fit.latency_seconds = latency;
        fit.bytes_per_second = corner & 512 ? HS_BANDWIDTH_MIN : HS_BANDWIDTH_MAX;
        fit.min_bytes = 1e-9;
        system.fits.items = &fit;
        system.fits.count = corner & 256 ? 1 : 0;
        for (size_t i = 0; i < HS_COUNT(plans); i++)
            for (int chunks = 1; chunks <= HS_CHUNKS_MAX; chunks += HS_CHUNKS_MAX - 1)
                check_usable(&system, plans[i], chunks);
    }
}

/* ---- a ring step by step ---- */

#define RING_MAX  80 /* more than those whose steps the price plays itself */
#define STEPS_MAX (2 * RING_MAX)

/* Seconds of `steps` steps around the ranks 0 .. size - 1 in order, messages of `bytes`, with so
 * many under way at a hop: when each could begin at the earliest. */
static double play_ring(const struct hs_system *system, int size, int steps, double bytes,
                        int depth)
{
    static double begin[RING_MAX][STEPS_MAX], end[RING_MAX][STEPS_MAX];
    double last = 0;

    for (int t = 0; t < steps; t++)
        for (int k = 0; k < size; k++) {
            int before = (k + size - 1) % size, to = (k + 1) % size, level = 0;
            double moving = 0;

            for (size_t l = 0; l < system->level_count; l++) {
                int child = (int)hs_system_child_ranks(system, l);

                if (k / child != to / child) {
                    level = (int)l;
                    moving = fmax(moving, bytes / system->levels[l].bytes_per_second);
                }
            }
            begin[k][t] = 0;
            if (t > 0)
                begin[k][t] = fmax(end[before][t - 1], begin[k][t - 1] + moving);
            if (t >= depth)
                begin[k][t] = fmax(begin[k][t], end[k][t - depth]);
            end[k][t] = begin[k][t] + system->levels[level].latency_seconds + moving;
            last = fmax(last, end[k][t]);
        }
    return last;
}

/* How far the price of a ring of all ranks is off what it takes step by step: over messages of next
 * to no bytes to those where bandwidth is all that counts. */
static void compare_ring(double range[2], const struct hs_system *system, int size,
                         enum hs_phase phase)
{
    int steps = (phase == HS_ALLREDUCE ? 2 : 1) * (size - 1);

    for (double bytes = 1e3; bytes < 1e8; bytes *= 1.3) {
        struct hs_stage_price price =
            hs_stage_price(system, size, (struct hs_stage_key){phase, HS_RING, {1, size}});
        double played = play_ring(system, size, steps, bytes / size, HS_RING_DEPTH);
        double error = hs_stage_seconds(&price, bytes) / played - 1;

        range[0] = fmin(range[0], error);
        range[1] = fmax(range[1], error);
    }
}

/* Whether the ring ends where a child of each level that it reaches does. */
static bool ends_with_children(const struct hs_system *system, int size)
{
    for (size_t l = 0; l < system->level_count; l++)
        if (hs_system_child_ranks(system, l) < size && size % hs_system_child_ranks(system, l))
            return false;
    return true;
}

/* Never more, as each chain of steps is one that there is; less where none is quite the longest. A
 * few ranks, whose rings are priced step by step, take just that. */
static void rings_with_hops_of_several_kinds_take_what_they_take_step_by_step(void **state)
{
    static const char *const machines[] = {
        "a@100GB/s~1us",
        "a:2@100GB/s~1us,b@25GB/s~4us",
        "a:4@100GB/s~1us,b@25GB/s~4us",
        "a:6@100GB/s~1us,b@25GB/s~4us",
        "a:8@100GB/s~1us,b@25GB/s~4us",
        "a:8@100GB/s~1us,b@25GB/s~100us",
        "a:8@25GB/s~1us,b@25GB/s~30us",
        "a:16@400GB/s~1us,b@10GB/s~20us",
        "a:32@100GB/s~1us,b@25GB/s~15us",
        "a:4@300GB/s~1us,b:4@50GB/s~3us,c@20GB/s~8us",
        "a:2@300GB/s~1us,b:2@50GB/s~3us,c:4@20GB/s~8us,d@30GB/s~9us"};
    /* Of rings that end with a child, of others, and of those others that are short. */
    double range[3][2] = {{0, 0}, {0, 0}, {0, 0}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(machines); i++) {
        struct hs_system system = parse(machines[i]);

        for (int size = 2; size <= RING_MAX; size++)
            for (int phase = HS_REDUCE_SCATTER; phase <= HS_ALLREDUCE; phase++)
                compare_ring(range[ends_with_children(&system, size) ? 0
                                   : size > HS_STEPS_RANKS           ? 1
                                                                     : 2],
                             &system, size, (enum hs_phase)phase);
        hs_system_release(&system);
    }
    print_message("# %.2f %% where rings end with a child, else %.2f %%, of a few ranks %.2g %%\n",
                  100 * range[0][0], 100 * range[1][0], 100 * range[2][0]);
    assert_true(range[0][1] < 1e-9 && range[1][1] < 1e-9 && range[2][1] < 1e-9);
    assert_true(range[0][0] > -0.005 && range[1][0] > -0.04 && range[2][0] > -1e-9);
}

/* 3 rings of 7 on nodes of 4 and racks of 16: each hop by hand. */
static void rings_that_lie_unevenly_get_what_their_own_links_leave_them(void **state)
{
    struct hs_system system =
        parse("nv:4@150GB/s~0.5us,rack:4@50GB/s~2us/2p!,spine@60GB/s~5us;s=2");
    static const struct {
        int rank;
        double latency, bytes_per_second;
    } expected[] = {{0, 0.5e-6, 150e9}, /* inside a node */
                    {3, 2e-6, 25e9},    /* alone at a port */
                    {6, 2e-6, 12.5e9},  /* leaves by the port of 7, who sends to 8 */
                    {7, 2e-6, 12.5e9},
                    {13, 2e-6, 25e9}, /* node 1 is left through the port that this comes in by */
                    {15, 5e-6, 25e9}, /* to the next rack */
                    {19, 2e-6, 25e9},
                    {20, 5e-6, 25e9}};
    struct hs_price_line hops[HS_STEPS_RANKS];
    int to[HS_STEPS_RANKS];

    (void)state;
    for (int r = 0; r < 21; r++)
        to[r] = r / 7 * 7 + (r + 1) % 7;
    hs_steps_hops(hops, &system, 21, to, 1000);
    for (size_t i = 0; i < HS_COUNT(expected); i++) {
        const struct hs_price_line *hop = &hops[expected[i].rank];

        assert_near(hop->latency_seconds, 2 * expected[i].latency, 1e-12);
        assert_near(1 / hop->seconds_per_byte, expected[i].bytes_per_second, 1e-12);
    }
    hs_system_release(&system);
}

/* SimGrid's times of 256 KiB by hiersearch simulate. */
static void rings_misaligned_to_nodes_and_racks_take_what_was_simulated(void **state)
{
    static const struct {
        const char *plan;
        double seconds;
    } simulated[] = {{"7x3", 57.343e-6}, {"9x2", 53.284e-6}, {"11x2", 57.710e-6}};
    struct hs_system system;
    struct hs_error err = {0};

    (void)state;
    if (hs_system_load(&system, "bench/systems/tapered.json", &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < HS_COUNT(simulated); i++)
        assert_near(plan_seconds(&system, simulated[i].plan, 262144), simulated[i].seconds, 0.05);
    hs_system_release(&system);
}

/* One more call, and each half the way of its algorithm. */
static void two_letters_cost_each_way_by_its_algorithm(void **state)
{
    struct hs_system system = parse("net@10GB/s~2us;launch=3us");
    struct hs_problem problem = problem_world(32, 1e6);
    struct hs_plan plan;
    double bytes = 0.96875e6 / 10e9; /* 31/32 of them, each way */

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "32hr", 32, NULL), HS_OK);
    assert_near(hs_plan_seconds(&system, &problem, &plan), 2 * 3e-6 + (5 + 31) * 2e-6 + 2 * bytes,
                1e-12);
    hs_system_release(&system);
}

/* 8 nodes of 4: reversed a reduce-scatter takes 3 steps of 1 MB / 4 inside, then 7 steps of 250 kB
 * / 8 by 4 rings at once; in place 7 steps of 1 MB / 8 by 4 rings, then 3 of 125 kB / 4. */
static void orders_cost_what_enters_their_layers(void **state)
{
    struct hs_system system = parse("node:4@100GB/s~1us,net@10GB/s~2us;launch=3us");
    struct hs_problem problem = {.group = hs_group_world(32), .bytes = 1e6};
    double latency = 2 * 3e-6 + 3 * 1e-6 + 7 * 2e-6, inside = 0.75 / 100e9, outside = 3.5 / 10e9;
    struct hs_plan plan;

    (void)state;
    assert_int_equal(hs_plan_parse(&plan, "4x8", 32, NULL), HS_OK);
    for (int gathers = 0; gathers < 2; gathers++) {
        problem.collective = gathers ? HS_COLLECTIVE_ALLGATHER : HS_COLLECTIVE_REDUCE_SCATTER;
        problem.layout = HS_REVERSED;
        assert_near(hs_plan_seconds(&system, &problem, &plan),
                    latency + 1e6 * inside + 250e3 * outside, 1e-12);
        problem.layout = HS_NATURAL;
        assert_near(hs_plan_seconds(&system, &problem, &plan),
                    latency + 125e3 * inside + 1e6 * outside, 1e-12);
    }
    hs_system_release(&system);
}

/* All 8 groups at once leave each node of 8 through one link: 8 rings share it. */
static void groups_at_once_share_links_as_the_layers_of_their_stride_do(void **state)
{
    struct hs_system system = parse("node:8@100GB/s~1us,net@10GB/s~2us");
    struct hs_problem problem = {.group = {.ranks = 128, .stride = 8, .size = 16}, .bytes = 1e6};
    struct hs_plan plan = hs_plan_flat(16);

    (void)state;
    /* 30 steps of 2 us, and 2 * 15/16 of 1 MB at an eighth of 10 GB/s. */
    assert_near(hs_plan_seconds(&system, &problem, &plan), 60e-6 + 1.875e6 / 1.25e9, 1e-12);
    hs_system_release(&system);
}

static void a_pair_costs_its_halves_together(void **state)
{
    struct hs_system system = parse("node:8@100GB/s~1us,net@10GB/s~2us;launch=3us");
    double seconds[HS_PHASE_COUNT];

    (void)state;
    for (int phase = 0; phase < HS_PHASE_COUNT; phase++) {
        struct hs_stage_price price = hs_stage_price(
            &system, 32, (struct hs_stage_key){(enum hs_phase)phase, HS_RING, {2, 16}});

        seconds[phase] = hs_stage_seconds(&price, 1e6);
    }
    assert_near(seconds[HS_PAIR], seconds[HS_REDUCE_SCATTER] + seconds[HS_ALLGATHER], 1e-15);
    /* One launch more, and the last block's latency of each half. */
    assert_near(seconds[HS_PAIR], seconds[HS_ALLREDUCE] + 3e-6 + 2e-6, 1e-15);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("two letters cost each way by its algorithm",
            two_letters_cost_each_way_by_its_algorithm),
    HS_TEST("orders cost what enters their layers", orders_cost_what_enters_their_layers),
    HS_TEST("groups at once share links as the layers of their stride do",
            groups_at_once_share_links_as_the_layers_of_their_stride_do),
    HS_TEST("a pair costs its halves together", a_pair_costs_its_halves_together),
    HS_TEST("rings with hops of several kinds take what they take step by step",
            rings_with_hops_of_several_kinds_take_what_they_take_step_by_step),
    HS_TEST("rings misaligned to nodes and racks take what was simulated",
            rings_misaligned_to_nodes_and_racks_take_what_was_simulated),
    HS_TEST("rings that lie unevenly get what their own links leave them",
            rings_that_lie_unevenly_get_what_their_own_links_leave_them),
    HS_TEST("hierarchical abci equation holds to 1e-12", hierarchical_abci_equation_holds_to_1e_12),
    HS_TEST("flat abci equation holds to 1e-12", flat_abci_equation_holds_to_1e_12),
    HS_TEST("layers of one bandwidth leave the bandwidth term unchanged",
            layers_of_one_bandwidth_leave_the_bandwidth_term_unchanged),
    HS_TEST("two of four on a mesh get one link of three",
            two_of_four_on_a_mesh_get_one_link_of_three),
    HS_TEST("rings that are not striped take one link of a mesh",
            rings_that_are_not_striped_take_one_link_of_a_mesh),
    HS_TEST("rings between two nodes of a mesh share their link",
            rings_between_two_nodes_of_a_mesh_share_their_link),
    HS_TEST("a block shorter than a node leaves it where the border cuts it",
            a_block_shorter_than_a_node_leaves_it_where_the_border_cuts_it),
    HS_TEST("rings that enter through one port share it",
            rings_that_enter_through_one_port_share_it),
    HS_TEST("simgrid times are met", simgrid_times_are_met),
    HS_TEST("time grows with bytes and one process is free",
            time_grows_with_bytes_and_one_process_is_free),
    HS_TEST("chunks overlap on different levels only", chunks_overlap_on_different_levels_only),
    HS_TEST("hops that leave an unstriped mesh may be slower or faster than those inside",
            hops_that_leave_an_unstriped_mesh_may_be_slower_or_faster_than_those_inside),
    HS_TEST("a ring inside a mesh may be slower than one that leaves it",
            a_ring_inside_a_mesh_may_be_slower_than_one_that_leaves_it),
    HS_TEST("launch is paid per collective call", launch_is_paid_per_collective_call),
    HS_TEST("no system that is accepted has a time that is infinite or lost",
            no_system_that_is_accepted_has_a_time_that_is_infinite_or_lost),
    HS_TEST("beyond the described machine is marked", beyond_the_described_machine_is_marked),
};

HS_TEST_MAIN(tests)
