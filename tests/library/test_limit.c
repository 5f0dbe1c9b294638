/*
 * The limit against figures by hand, and against the price of every plan of random machines: of
 * MACHINES of these in the place of each test's own number, where that is set.
 */
#include "systems.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "estimate/machines.h"
#include "estimate/system_file.h"
#include "library/limit.h"
#include "library/price_error.h"
#include "library/price_library.h"
#include "library/price_plan.h"

#define GIB 1073741824.0

static struct hs_limit limit_of(const char *text, int64_t np, double bytes)
{
    struct hs_system system = parse(text);
    struct hs_problem problem = problem_world(np, bytes);
    struct hs_limit limit = hs_limit_of(&system, &problem);

    hs_system_release(&system);
    return limit;
}

/* ---- by hand ---- */

static void the_level_with_the_least_bandwidth_for_its_units_sets_it(void **state)
{
    static const char machine[] = "nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@80GB/s~5us";
    struct hs_limit limit = limit_of(machine, 4, 1e9);

    (void)state;
    assert_near(limit.seconds, 2 * 3.0 / 4 * 1e9 / 100e9 + 1e-6, 1e-12);
    assert_int_equal(limit.level, 0);
    limit = limit_of(machine, 32, 1e9);
    assert_near(limit.seconds, 2 * 7.0 / 8 * 1e9 / 20e9 + 3e-6, 1e-12);
    assert_near(limit.latency_seconds, 3e-6, 1e-12);
    assert_int_equal(limit.level, 1);
    /* Two racks: 2 * 31 / 32 over 20 GB/s is more than 2 * 1 / 2 over 80 GB/s. */
    limit = limit_of(machine, 64, 1e9);
    assert_near(limit.seconds, 2 * 15.0 / 16 * 1e9 / 20e9 + 3e-6, 1e-12);
    /* A tapered spine: 2 racks of 8 nodes, 8 GB/s between them. */
    limit = limit_of("nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@8GB/s~5us", 64, 1e9);
    assert_near(limit.seconds, 1e9 / 8e9 + 5e-6, 1e-12);
    assert_int_equal(limit.level, 2);
}

/* Half of an AllReduce's between equal units; of a child with a third of the ranks the other two
 * thirds must pass, and of nothing less where a switch reduces. */
static void of_a_reduce_scatter_and_an_allgather_others_blocks_must_pass(void **state)
{
    static const enum hs_collective both[] = {HS_COLLECTIVE_REDUCE_SCATTER,
                                              HS_COLLECTIVE_ALLGATHER};

    (void)state;
    for (int c = 0; c < 2; c++)
        for (int order = 0; order < HS_LAYOUT_COUNT; order++) {
            struct hs_system racks = parse("nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@80GB/s~5us");
            struct hs_system nodes = parse("node:8@100GB/s~1us,net@8GB/s~3us/4p!");
            struct hs_problem problem = problem_world(64, 1e9);

            problem.collective = both[c];
            problem.layout = (enum hs_layout)order;
            assert_near(hs_limit_of(&racks, &problem).seconds, 15.0 / 16 * 1e9 / 20e9 + 3e-6,
                        1e-12);
            /* Node 2 has 2 of 10 ranks, and 1 of its 4 ports. */
            problem.group = hs_group_world(10);
            assert_near(hs_limit_of(&nodes, &problem).seconds, 0.8 * 1e9 / 2e9 + 3e-6, 1e-12);
            hs_system_release(&racks);
            hs_system_release(&nodes);
        }
}

/* Each of a part's ranks has a block for each of the others': 32 of 64 in a rack, 4 in a node; 8 of
 * 10 on a node, and 2 on one with 1 of 4 ports. */
static void of_an_all_to_all_a_block_passes_for_every_pair(void **state)
{
    struct hs_system racks = parse("nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@80GB/s~5us");
    struct hs_system nodes = parse("node:8@100GB/s~1us,net@8GB/s~3us/4p!");
    struct hs_problem problem = hs_problem_of(HS_COLLECTIVE_ALLTOALL, HS_NATURAL, 64, 1e9);

    (void)state;
    assert_near(hs_limit_of(&racks, &problem).seconds, 32 * 32 / 64.0 * 1e9 / 80e9 + 5e-6, 1e-12);
    assert_int_equal(hs_limit_of(&racks, &problem).level, 2);
    problem.group = hs_group_world(32);
    assert_near(hs_limit_of(&racks, &problem).seconds, 4 * 28 / 32.0 * 1e9 / 20e9 + 3e-6, 1e-12);
    problem.group = hs_group_world(10);
    assert_near(hs_limit_of(&nodes, &problem).seconds, 8 * 2 / 10.0 * 1e9 / 2e9 + 3e-6, 1e-12);
    hs_system_release(&racks);
    hs_system_release(&nodes);
}

static void next_to_no_bytes_leave_a_latency(void **state)
{
    struct hs_limit limit = limit_of("nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@80GB/s~5us", 64, 1);

    (void)state;
    assert_near(limit.seconds, 5e-6, 1e-3);
    assert_near(limit.latency_seconds, 5e-6, 1e-12);
    /* What leaves a node may go by a faster spine. */
    limit = limit_of("nv:4@100GB/s~1us,ib:8@20GB/s~3us,spine@80GB/s~2us", 64, 1e9);
    assert_near(limit.latency_seconds, 2e-6, 1e-12);
    assert_int_equal(limit.level, 1);
}

/* Of an allreduce of 1e9 bytes. */
static void assert_seconds(const char *text, int64_t np, double expected)
{
    assert_near(limit_of(text, np, 1e9).seconds, expected, 1e-12);
}

/* A slot of PCIe 5 x16 carries 63 GB/s at most, however many NICs are behind it. */
static void nics_send_no_more_than_the_slots_of_their_gpus(void **state)
{
    (void)state;
    assert_near(limit_of("1xH100, 4xRoCE400", 2, GIB).seconds, GIB / 63e9, 0.01 * GIB / 63e9);
    assert_near(limit_of("1xA100, 4xHDR200", 2, GIB).seconds, GIB / 31.5e9, 0.01 * GIB / 31.5e9);
    assert_near(limit_of("1xH100, 1xRoCE400", 2, GIB).seconds, GIB / 48e9, 0.01 * GIB / 48e9);
}

static void a_mesh_has_the_links_between_children_in_use(void **state)
{
    static const char machine[] = "nv:mesh:4@150GB/s,ib@1000GB/s";

    (void)state;
    assert_seconds(machine, 2, 1e9 / 50e9);
    assert_seconds(machine, 4, 2 * 3.0 / 4 * 1e9 / 150e9);
    /* From 5 on some send out of the mesh: by what, the description does not say. */
    assert_seconds(machine, 5, 2 * 4.0 / 5 * 1e9 / 150e9);
}

/* Nodes of 4 ranks on 4 ports, the last node with one rank: its one port has 10 GB/s, and all it
 * knows and must learn passes there. */
static void a_partial_unit_has_the_ports_of_its_ranks_where_they_are_not_striped(void **state)
{
    (void)state;
    assert_seconds("nv:4@1000GB/s~0us,ib@40GB/s/4p!", 9, 1e9 / 10e9);
    assert_seconds("nv:4@1000GB/s~0us,ib@40GB/s/4p", 9, 2 * 2.0 / 3 * 1e9 / 40e9);
    /* Two ranks cannot use more than two ports of three. */
    assert_seconds("nv:2@1000GB/s~0us,ib@30GB/s/3p!", 4, 1e9 / 20e9);
}

static void one_process_and_a_calibrated_system_have_none(void **state)
{
    struct hs_system system = {.level_count = 0};
    struct hs_problem problem = problem_world(32, 1e9);
    struct hs_limit limit = limit_of("net@10GB/s~1us", 1, 1e9);

    (void)state;
    assert_int_equal(limit.level, -1);
    assert_true(limit.seconds == 0);
    assert_int_equal(hs_system_load(&system, "configs/abci-fitted.json", NULL), HS_OK);
    assert_int_equal(hs_limit_of(&system, &problem).level, -1);
    hs_system_release(&system);
}

/* Every GPU sends and receives its bytes once where the switch reduces; nodes know of no such
 * switch between them. */
static void a_switch_that_reduces_halves_what_it_takes_inside_a_node(void **state)
{
    struct hs_system system = {.level_count = 0};
    struct hs_problem inside = problem_world(8, GIB), across = problem_world(64, GIB);
    struct hs_limit limit;

    (void)state;
    assert_int_equal(hs_system_load(&system, "configs/dgx-h100-superpod.json", NULL), HS_OK);
    limit = hs_limit_of(&system, &inside);
    assert_near(limit.seconds - limit.latency_seconds, GIB / 450e9, 1e-9); /* 18 links of 25 GB/s */
    limit = hs_limit_of(&system, &across);
    assert_near(limit.seconds - limit.latency_seconds, 2 * 7.0 / 8 * GIB / 384e9, 1e-9);
    hs_system_release(&system);
}

/* Groups of ranks 4 apart, on nodes of 4: four of them go out of every node. */
static void groups_that_call_at_once_add_up(void **state)
{
    struct hs_system system = parse("nv:4@100GB/s~0us,ib@20GB/s");
    struct hs_problem problem = {.group = {.ranks = 32, .stride = 4, .size = 8}, .bytes = 1e9};

    (void)state;
    assert_near(hs_limit_of(&system, &problem).seconds, 4 * 2 * 7.0 / 8 * 1e9 / 20e9, 1e-12);
    problem.group = (struct hs_group){.ranks = 32, .stride = 4, .size = 2};
    assert_near(hs_limit_of(&system, &problem).seconds, 4 * 1e9 / 20e9, 1e-12);
    /* Pairs inside nodes do not use what is between them. */
    problem.group = (struct hs_group){.ranks = 32, .stride = 2, .size = 2};
    assert_near(hs_limit_of(&system, &problem).seconds, 1e9 / 100e9, 1e-12);
    hs_system_release(&system);
}

static void a_ring_on_one_switch_reaches_it(void **state)
{
    struct hs_system system = parse("net@10GB/s~1us");

    (void)state;
    for (int64_t np = 2; np <= 128; np++) {
        struct hs_plan flat = hs_plan_flat(np);
        struct hs_problem problem = problem_world(np, 1e9);
        struct hs_limit limit = hs_limit_of(&system, &problem);

        assert_near(limit.seconds - limit.latency_seconds,
                    cost_of(&system, &flat, 1e9).bandwidth_seconds, 1e-12);
    }
    hs_system_release(&system);
}

/* Six of twenty groups of 3 go out of the 36 ranks; the call ends with theirs. */
static void a_call_of_groups_ends_with_those_that_go_furthest(void **state)
{
    struct hs_system system = parse("in:36@50GB/s~0us,out@50GB/s~6us");
    struct hs_problem problem = {.group = {.ranks = 60, .stride = 10, .size = 3}, .bytes = 6};
    struct hs_plan flat = hs_problem_flat(&problem);

    (void)state;
    for (int c = 0; c < HS_COLLECTIVE_COUNT; c++) {
        problem.collective = (enum hs_collective)c;
        assert_near(hs_limit_of(&system, &problem).seconds, 6e-6, 1e-3);
        assert_true(hs_plan_seconds(&system, &problem, &flat) >= 6e-6);
    }
    hs_system_release(&system);
}

/* ---- every plan of random machines ---- */

static int64_t random_of(uint64_t *state, int64_t first, int64_t last)
{
    return first + (int64_t)(hs_random_bits(state) % (uint64_t)(last - first + 1));
}

static struct hs_system random_system(uint64_t *state)
{
    struct hs_system system = {.name = "random",
                               .level_count = (size_t)random_of(state, 1, 4),
                               .pipeline_granularity = (double)random_of(state, 1, 2),
                               .launch_seconds = random_of(state, 0, 1) ? 5e-6 : 0};

    for (size_t l = 0; l < system.level_count; l++) {
        struct hs_level *level = &system.levels[l];

        snprintf(level->name, sizeof(level->name), "l%zu", l);
        level->arity = random_of(state, 1, 7);
        level->fabric = random_of(state, 0, 1) ? HS_FABRIC_MESH : HS_FABRIC_SWITCH;
        level->bytes_per_second = 1e9 * exp(5 * hs_random_uniform(state));
        level->latency_seconds = random_of(state, 0, 3) ? 1e-5 * hs_random_uniform(state) : 0;
        if (random_of(state, 0, 3) == 0) {
            level->eager_bytes = exp(14 * hs_random_uniform(state));
            level->rendezvous_seconds = 1e-5 * hs_random_uniform(state);
        }
        level->ports = random_of(state, 1, 5);
        level->striped = random_of(state, 0, 1);
    }
    if (random_of(state, 0, 1))
        system.levels[system.level_count - 1].arity = 0;
    if (random_of(state, 0, 2) == 0) /* whose own calls have a price, too */
        system.library = random_of(state, 0, 1) ? HS_LIBRARY_MPICH : HS_LIBRARY_OPENMPI;
    return system;
}

/* Some algorithm for each way of each layer that can do it. */
static void draw_algorithms(struct hs_plan *plan, const struct hs_problem *problem, uint64_t *state)
{
    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer layer = hs_problem_layer(problem, &plan->split, i);
        enum hs_phase phases[2];
        int ways = hs_problem_phases(phases, problem, layer);
        bool joint = ways == 1 && !hs_collective_is_one_way(problem->collective);

        for (int way = 0; way < ways; way++) {
            enum hs_algorithm algorithm =
                (enum hs_algorithm)random_of(state, 0, HS_ALGORITHM_COUNT - 1);

            if (!hs_stage_possible((struct hs_stage_key){phases[way], algorithm, layer}))
                algorithm = HS_RING;
            plan->algorithms[i][way] = (unsigned char)algorithm;
        }
        if (joint)
            plan->algorithms[i][1] = plan->algorithms[i][0];
    }
}

struct trial {
    const struct hs_system *system;
    struct hs_problem problem;
    struct hs_limit limit;
    uint64_t *random;
    size_t plans;
    double nearest; /* limit over price */
};

static void price_plan(struct trial *trial, struct hs_plan plan)
{
    static const int chunks[] = {1, 2, 7, 64};
    double seconds, reached;

    draw_algorithms(&plan, &trial->problem, trial->random);
    for (size_t c = 0; c < HS_COUNT(chunks); c++) {
        struct hs_text text = {0};

        plan.chunks = chunks[c];
        seconds = hs_plan_seconds(trial->system, &trial->problem, &plan);
        reached = trial->limit.seconds / seconds;
        trial->nearest = fmax(trial->nearest, reached);
        trial->plans++;
        if (reached <= 1 + 1e-9)
            continue;
        hs_system_format(&text, trial->system);
        fail_msg("%s: %lld of %lld ranks, stride %lld, %g bytes: %s takes %.12g, limit %.12g (%d)",
                 text.data, (long long)trial->problem.group.size,
                 (long long)trial->problem.group.ranks, (long long)trial->problem.group.stride,
                 trial->problem.bytes, hs_plan_format((char[HS_SPLIT_TEXT]){0}, &plan), seconds,
                 trial->limit.seconds, trial->limit.level);
    }
}

/* Every ordered factorization. */
static void price_plans(struct trial *trial, struct hs_plan plan, int64_t rest)
{
    if (rest == 1) {
        if (hs_group_check_split(&trial->problem.group, &plan.split, NULL) == HS_OK)
            price_plan(trial, plan);
        return;
    }
    plan.split.count++;
    for (int64_t size = 2; size <= rest; size++)
        if (rest % size == 0) {
            plan.split.sizes[plan.split.count - 1] = size;
            price_plans(trial, plan, rest / size);
        }
}

/* A gap or two, where the size has divisors for them. */
static void pass_over(struct hs_group *group, uint64_t *random)
{
    int64_t inside = 1;

    for (int i = 0; i < 2; i++) {
        int64_t part = random_of(random, 2, 8), factor = random_of(random, 2, 5);

        if (group->size % (inside * part) != 0 || inside * part == group->size)
            return;
        inside *= part;
        group->skips[i] = (struct hs_skip){inside, factor};
        group->ranks *= factor;
    }
}

/* Of all ranks, or every third time at strides and of blocks side by side, with gaps or without. */
static struct hs_group group_of_any(size_t m, uint64_t *random)
{
    int64_t size = random_of(random, 2, m % 20 == 0 ? 400 : 72), stride = 1, blocks = 1;
    struct hs_group group;

    if (m % 3 == 0) {
        stride = random_of(random, 1, 12);
        blocks = random_of(random, 1, 12);
    }
    group = (struct hs_group){.ranks = blocks * stride * size, .stride = stride, .size = size};
    if (m % 6 == 0)
        pass_over(&group, random);
    return group;
}

/* Of few ranks far apart, on machines whose last child is mostly a partial one: a border of the
 * outer levels cuts some of the groups, and leaves the others whole. */
static struct hs_group group_of_few(size_t m, uint64_t *random)
{
    int64_t size = random_of(random, 2, 16), stride = random_of(random, 1, 24);
    int64_t blocks = random_of(random, 1, 16);
    struct hs_group group = {.ranks = blocks * stride * size, .stride = stride, .size = size};

    if (m % 4 == 0)
        pass_over(&group, random);
    return group;
}

/* All collectives in groups that are drawn, on as many machines. */
static void price_machines(size_t machines, struct hs_group (*group_of)(size_t m, uint64_t *random))
{
    const char *asked = getenv("MACHINES");
    uint64_t random = 20260725;
    size_t plans = 0, near = 0;
    double nearest = 0;

    if (asked)
        machines = (size_t)atol(asked);
    for (size_t m = 0; m < machines; m++) {
        struct hs_system system = random_system(&random);
        struct trial trial = {
            .system = &system,
            .random = &random,
            .problem = {.collective = (enum hs_collective)(m % HS_COLLECTIVE_COUNT),
                        .group = group_of(m / HS_COLLECTIVE_COUNT, &random),
                        .bytes = exp(24 * hs_random_uniform(&random)),
                        .layout = (enum hs_layout)(m / HS_COLLECTIVE_COUNT % HS_LAYOUT_COUNT)}};

        trial.limit = hs_limit_of(&system, &trial.problem);
        assert_in_range(trial.limit.level, 0, system.level_count - 1);
        price_plans(&trial, (struct hs_plan){.chunks = 1}, trial.problem.group.size);
        plans += trial.plans;
        near += trial.nearest > 0.9;
        nearest = fmax(nearest, trial.nearest);
    }
    print_message("# %zu plans of %zu machines; a plan takes less than a ninth more than the limit "
                  "on %zu of them, the nearest %.3g more\n",
                  plans, machines, near, 1 / nearest - 1);
    /* A limit of nothing would pass the above. */
    assert_true(near > machines / 20);
}

static void no_plan_of_a_described_machine_is_priced_below_it(void **state)
{
    (void)state;
    price_machines(6000, group_of_any);
}

static void no_plan_of_groups_that_lie_unevenly_is_priced_below_it(void **state)
{
    (void)state;
    price_machines(20000, group_of_few);
}

/* The systems that ship, those with NCCL's calls included: no constant of theirs knows of the
 * levels' figures. */
static void no_plan_of_a_shipped_machine_is_priced_below_it(void **state)
{
    static const char *const names[] = {"a100-pcie-bridged",
                                        "a6000-bridged",
                                        "abci",
                                        "abci-2",
                                        "abci-3",
                                        "alps",
                                        "ac922-4gpu",
                                        "ac922-6gpu",
                                        "bede",
                                        "cedar",
                                        "dgx-a100-superpod",
                                        "dgx-b200-superpod",
                                        "dgx-h100-superpod",
                                        "dgx1-p100",
                                        "dgx1-v100",
                                        "dgx2",
                                        "frontier",
                                        "gb200-nvl72",
                                        "jupiter",
                                        "mi250-16",
                                        "mi250x",
                                        "mi300x",
                                        "mist",
                                        "mn-1",
                                        "narval",
                                        "ndv2",
                                        "summit",
                                        "tsubame3"};
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct hs_system system = {.level_count = 0};
        double nearest = 0;
        char path[64];
        int asked = 0;

        snprintf(path, sizeof(path), "configs/%s.json", names[i]);
        assert_int_equal(hs_system_load(&system, path, NULL), HS_OK);
        for (int64_t np = 2; np <= 256; np += np < 16 ? 1 : np / 4)
            for (double bytes = 8; bytes < 20 * GIB; bytes *= 8) {
                struct trial trial = {.system = &system, .random = &random};

                trial.problem = problem_world(np, bytes);
                trial.problem.collective = (enum hs_collective)(asked % HS_COLLECTIVE_COUNT);
                trial.problem.layout =
                    (enum hs_layout)(asked++ / HS_COLLECTIVE_COUNT % HS_LAYOUT_COUNT);
                trial.limit = hs_limit_of(&system, &trial.problem);
                price_plans(&trial, (struct hs_plan){.chunks = 1}, np);
                nearest = fmax(nearest, trial.nearest);
            }
        print_message("# %s: the nearest reaches %.1f %%\n", names[i], 100 * nearest);
        hs_system_release(&system);
    }
}

/* ---- every price of random machines in parts and in levels ---- */

static const char *one_of(const char *const *list, size_t count, uint64_t *random)
{
    return list[hs_random_bits(random) % count];
}
#define ONE_OF(list) one_of(list, HS_COUNT(list), random)

/* Parts with or without a switch, a taper and a node that is not full; or levels of an MPI. */
static void draw_text(char text[160], uint64_t *random)
{
    static const char *const gpus[] = {"8xH100",       "4xH100-mesh", "8xA100",       "4xA100-mesh",
                                       "8xB200",       "72xGB200",    "8xL40S-pcie4", "16xV100",
                                       "2xA100-pcie4", "4xGB200",     "1xH100",       "8xV100-cube",
                                       "8xMI300X",     "8xMI355X",    "8xMI250X",     "16xMI250X"};
    static const char *const nics[] = {"8xNDR400",     "4xSS11",    "2xHDR200",
                                       "1xETH100",     "8xRoCE400", "4xHDR100",
                                       "1xNDR200-tcp", "4xEFA100",  "16xNDR400"};
    static const char *const hosts[] = {"1xCPU", "32xCPU", "8xMI300X", "64xCPU"};
    static const char *const libraries[] = {"mpich", "openmpi", "rccl", "cray-mpich"};
    char shared[32] = "";
    double shape = hs_random_uniform(random);
    int length;

    if (shape < 0.15) {
        if (random_of(random, 0, 1))
            snprintf(shared, sizeof(shared), "|%gGB/s", exp(6 * hs_random_uniform(random)));
        snprintf(
            text, 160, "nv:%s%d@%gGB/s%s~%gus,ib:%d@%gGB/s~%gus/%dp,spine@%gGB/s~%gus;library=%s",
            random_of(random, 0, 1) ? "mesh:" : "", (int)random_of(random, 1, 8),
            exp(6 * hs_random_uniform(random)), shared, 3 * hs_random_uniform(random),
            (int)random_of(random, 1, 8), exp(4 * hs_random_uniform(random)),
            9 * hs_random_uniform(random), (int)random_of(random, 1, 4),
            exp(5 * hs_random_uniform(random)), 9 * hs_random_uniform(random), ONE_OF(libraries));
        return;
    }
    length =
        snprintf(text, 160, "%s, %s", shape < 0.25 ? ONE_OF(hosts) : ONE_OF(gpus), ONE_OF(nics));
    if (random_of(random, 0, 3) > 0)
        snprintf(text + length, (size_t)(160 - length), ", %d:%d", (int)random_of(random, 1, 32),
                 (int)exp(4.17 * hs_random_uniform(random)));
    if (strstr(text, "CPU") && random_of(random, 0, 3) > 0)
        snprintf(text + strlen(text), 160 - strlen(text), "; library=%s",
                 random_of(random, 0, 1) ? "openmpi-han" : "mpich");
}

/* Of all ranks, or along one axis or two of a mesh. */
static struct hs_group draw_group(int64_t node, uint64_t *random)
{
    int64_t ranks = random_of(random, 2, random_of(random, 0, 3) ? 96 : 600);
    struct hs_group group;

    if (node < 128 && random_of(random, 0, 1))
        ranks = node * random_of(random, 1, 40);
    group = hs_group_world(ranks < 2 ? 2 : ranks);
    return random_of(random, 0, 2) ? group
                                   : group_of_any(3 * (size_t)random_of(random, 0, 9), random);
}

/* The limit against a time of the problem; what it is of. */
static void assert_above(const struct hs_system *system, const struct hs_problem *problem,
                         double limit, double seconds, const char *what)
{
    struct hs_text text = {0};

    if (!(seconds < limit * (1 - 1e-9)))
        return;
    hs_system_format(&text, system);
    fail_msg("%s (%s): %s of %s, %lld of %lld ranks, stride %lld, skip %lld, %.17g bytes: %.12g, "
             "limit %.12g",
             hs_system_called(system), text.data, what, hs_collectives[problem->collective].written,
             (long long)problem->group.size, (long long)problem->group.ranks,
             (long long)problem->group.stride, (long long)problem->group.skips[0].inside,
             problem->bytes, seconds, limit);
}

#define SAMPLES 3

/* Some plan, of a prime factor a layer or some of these together. */
static struct hs_plan draw_plan(const struct hs_problem *problem, uint64_t *random)
{
    static const int chunks[] = {1, 1, 2, 7};
    struct hs_plan plan = hs_problem_flat(problem);
    struct hs_split split = {.count = 0};
    bool joined = false;

    for (int i = 0; i < plan.split.count; i++) {
        int64_t rest = plan.split.sizes[i];

        for (int64_t size = 2; rest > 1; size++)
            for (; rest % size == 0; rest /= size, joined = true)
                if (joined && random_of(random, 0, 1))
                    split.sizes[split.count - 1] *= size;
                else
                    split.sizes[split.count++] = size;
        joined = false;
    }
    plan.split = split;
    draw_algorithms(&plan, problem, random);
    if (problem->collective == HS_COLLECTIVE_ALLREDUCE)
        plan.chunks = chunks[random_of(random, 0, HS_COUNT(chunks) - 1)];
    return plan;
}

/* The library's call, by its range's low end, too, and each sample's. */
static size_t check_library(const struct hs_system *system, const struct hs_problem *problem,
                            const struct hs_machines *machines, double limit)
{
    struct hs_library_price price = hs_library_price(system, problem, 4);
    double each[SAMPLES];

    assert_above(system, problem, limit, price.seconds, "the library's call");
    assert_above(system, problem, limit, price.low_seconds, "the low end of the library's call");
    if (!hs_library_is_priced(&price))
        return 0;
    assert_int_equal(hs_library_seconds_each(each, &price, machines, problem, NULL), HS_OK);
    for (size_t j = 0; j < SAMPLES; j++) {
        struct hs_system machine = *system;

        machine.constants = machines->drawn[j].constants;
        if (price.library == HS_LIBRARY_RCCL) /* links of its own */
            machine = machines->drawn[j];
        else if (price.library !=
                 HS_LIBRARY_NCCL) /* against plans by its steps, which do not err */
            each[j] *= exp(-sqrt(2) * hs_error_point(hs_mpi_error_class(system), problem->bytes) *
                           machines->noise[j]);
        assert_above(system, problem, hs_limit_of(&machine, problem).seconds, each[j],
                     "the library's call in a sample");
    }
    return 1;
}

static void check_plan(const struct hs_system *system, const struct hs_problem *problem,
                       const struct hs_machines *machines, double limit, uint64_t *random)
{
    struct hs_library_price price = hs_library_price(system, problem, 4);
    bool native = hs_system_is_nccl_native(system), by_steps = hs_library_prices_plans(&price);
    struct hs_plan plan = draw_plan(problem, random);
    char what[HS_SPLIT_TEXT];
    double each[SAMPLES];

    hs_plan_format(what, &plan);
    assert_above(system, problem, limit, hs_plan_seconds(system, problem, &plan), what);
    if (by_steps) {
        assert_above(system, problem, limit, hs_library_plan_seconds(system, problem, &plan), what);
        hs_library_plan_seconds_each(each, machines, problem, &plan);
    } else {
        assert_int_equal(hs_machines_plan_seconds_each(each, machines, problem, &plan, NULL),
                         HS_OK);
    }
    for (size_t j = 0; j < SAMPLES && (native || by_steps); j++) {
        struct hs_system machine = *system;

        machine.constants = machines->drawn[j].constants;
        if (price.library == HS_LIBRARY_RCCL)
            machine = machines->drawn[j];
        assert_above(system, problem, hs_limit_of(&machine, problem).seconds, each[j], what);
    }
}

static void no_price_of_a_machine_in_parts_is_below_it(void **state)
{
    const char *asked = getenv("MACHINES");
    size_t draws = asked ? (size_t)atol(asked) : hs_tests_quick() ? 1000 : 10000, priced = 0;
    uint64_t drawn = 20261127, *random = &drawn;

    (void)state;
    for (size_t m = 0; m < draws; m++) {
        struct hs_problem problem = {
            .collective = (enum hs_collective)(m % HS_COLLECTIVE_COUNT),
            .layout = (enum hs_layout)(m / HS_COLLECTIVE_COUNT % HS_LAYOUT_COUNT)};
        struct hs_system system;
        struct hs_machines machines;
        struct hs_error err;
        char text[160];
        double limit;

        do /* until NICs go with the GPUs */
            draw_text(text, random);
        while (hs_system_parse(&system, text, &err));
        if (m % 4 == 3 && hs_system_is_nccl_native(&system)) {
            system.nccl.use.registered = true;
            system.nccl.version = m % 8 == 3 ? 23007 : 22907;
        }
        problem.group = draw_group(system.levels[0].arity, random);
        problem.bytes = exp(4 + 19 * hs_random_uniform(random));
        machines = draw(&system, SAMPLES, m + 1);
        limit = hs_limit_of(&system, &problem).seconds;
        priced += check_library(&system, &problem, &machines, limit);
        for (int i = 0; i < 3; i++)
            check_plan(&system, &problem, &machines, limit, random);
        hs_machines_release(&machines);
        hs_system_release(&system);
    }
    print_message("# a library's call has a price in %zu of %zu draws\n", priced, draws);
    assert_true(priced > draws / 4);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the level with the least bandwidth for its units sets it",
            the_level_with_the_least_bandwidth_for_its_units_sets_it),
    HS_TEST("of a reduce-scatter and an allgather the others' blocks must pass",
            of_a_reduce_scatter_and_an_allgather_others_blocks_must_pass),
    HS_TEST("of an all-to-all a block passes for every pair",
            of_an_all_to_all_a_block_passes_for_every_pair),
    HS_TEST("next to no bytes leave a latency", next_to_no_bytes_leave_a_latency),
    HS_TEST("NICs send no more than the slots of their GPUs",
            nics_send_no_more_than_the_slots_of_their_gpus),
    HS_TEST("a mesh has the links between children in use",
            a_mesh_has_the_links_between_children_in_use),
    HS_TEST("a partial unit has the ports of its ranks where they are not striped",
            a_partial_unit_has_the_ports_of_its_ranks_where_they_are_not_striped),
    HS_TEST("one process and a calibrated system have none",
            one_process_and_a_calibrated_system_have_none),
    HS_TEST("a switch that reduces halves what it takes inside a node",
            a_switch_that_reduces_halves_what_it_takes_inside_a_node),
    HS_TEST("groups that call at once add up", groups_that_call_at_once_add_up),
    HS_TEST("a ring on one switch reaches it", a_ring_on_one_switch_reaches_it),
    HS_TEST("a call of groups ends with those that go furthest",
            a_call_of_groups_ends_with_those_that_go_furthest),
    HS_TEST("no plan of a described machine is priced below it",
            no_plan_of_a_described_machine_is_priced_below_it),
    HS_TEST("no plan of groups that lie unevenly is priced below it",
            no_plan_of_groups_that_lie_unevenly_is_priced_below_it),
    HS_TEST("no plan of a shipped machine is priced below it",
            no_plan_of_a_shipped_machine_is_priced_below_it),
    HS_TEST("no price of a machine in parts or of a library is below it, in no sample either",
            no_price_of_a_machine_in_parts_is_below_it),
};
HS_TEST_MAIN(tests)
