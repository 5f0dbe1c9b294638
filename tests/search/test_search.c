/*
 * The strategies against each other and against a recursion that shares no code with them.
 */
#include "systems.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/price_plan.h"
#include "links/graph.h"
#include "search/lattice.h"
#include "search/search.h"
#include "search/winners.h"

#define MIB 1048576.0
#define TOP 10

/* Machines of different shape: one level, mesh and switch nodes, NICs striped or not, a tapered
 * spine, arities that are no powers of two, misaligned layers, launch cost, fast and slow
 * networks. */
static const char *const machines[] = {
    "net@12.5GB/s~4us;s=2",
    "nvlink:mesh:4@111.6GB/s~4.8us,ib:32@18.6GB/s~4.8us/2p,spine@198.4GB/s~4.8us;s=2",
    "nv:4@150GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@133GB/s~4.6us",
    "xbus:3@50GB/s~1us,socket:2@64GB/s~2us,ib:18@23GB/s~5us,spine@300GB/s~9us;launch=8us",
    "nvl72:72@720GB/s~3us,ib@3600GB/s~14us/72p;launch=8.4us",
    "gcd:2@200GB/s~1us,node:mesh:4@100GB/s~2us,sling:5@100GB/s~4us/4p!,group:mesh:7@90GB/"
    "s~9us,all@64GB/s~20us",
    "pcie:8@12GB/s~5us,ib:16@14GB/s~5us/2p,thin@60GB/s~8us;s=2;launch=2us",
};
#define MACHINES (sizeof(machines) / sizeof(*machines))

static const int four_chunks[] = {1, 2, 4, 8};

static struct hs_search_result search(const char *strategy, const struct hs_search_request *request)
{
    struct hs_search_result result;
    struct hs_error err = {0};

    if (hs_search(&result, hs_search_strategy_find(strategy), request, &err))
        fail_msg("%s: %s", strategy, err.message);
    return result;
}

static void assert_same(const struct hs_search_result *a, const struct hs_search_result *b,
                        const struct hs_search_request *request)
{
    char x[HS_SPLIT_TEXT], y[HS_SPLIT_TEXT];

    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        if (hs_plan_compare(&a->plans[i].plan, &b->plans[i].plan) != 0 ||
            a->plans[i].seconds != b->plans[i].seconds)
            fail_msg("np %d, %s, rank %zu: %s %.17g and %s %.17g", (int)request->problem.group.size,
                     request->system->name, i, hs_plan_format(x, &a->plans[i].plan),
                     a->plans[i].seconds, hs_plan_format(y, &b->plans[i].plan),
                     b->plans[i].seconds);
}

/* Regret of the published rule over the same sweep, printed as a note. */
static void compare_strategies(const struct hs_search_request *request, double *worst_regret)
{
    struct hs_search_result lattice = search("lattice", request);
    struct hs_search_result exhaustive = search("exhaustive", request);
    struct hs_search_result containment = search("containment", request);

    assert_same(&lattice, &exhaustive, request);
    assert_int_equal(lattice.splits * (request->chunks ? request->chunk_count : 1),
                     exhaustive.looked_at);
    assert_true(containment.plans[0].seconds >= lattice.plans[0].seconds * (1 - 1e-12));
    *worst_regret =
        fmax(*worst_regret, containment.plans[0].seconds / lattice.plans[0].seconds - 1);
    hs_search_result_release(&lattice);
    hs_search_result_release(&exhaustive);
    hs_search_result_release(&containment);
}

/* All counts to `every`, then each fourth (sizes go by np % 3). */
static void sweep(int64_t every, int64_t last, const int *chunks, size_t chunk_count)
{
    for (size_t m = 0; m < MACHINES; m++) {
        struct hs_system system = parse(machines[m]);
        double worst_regret = 0;

        for (int64_t np = 1; np <= last; np += np < every ? 1 : 4) {
            /* Small and large messages in turn, so that latency and bandwidth decide. */
            struct hs_search_request request = {
                .system = &system,
                .problem = problem_world(np, np % 3 == 0 ? 64 * 1024.0 : 128 * MIB),
                .chunks = chunks,
                .chunk_count = chunk_count,
                .top = TOP};

            if (np > 1)
                compare_strategies(&request, &worst_regret);
        }
        print_message(
            "# containment's worst regret, machine %zu, P to %d, %zu chunk counts: %.2f %%\n", m,
            (int)last, chunk_count, 100 * worst_regret);
        hs_system_release(&system);
    }
}

static void lattice_equals_exhaustive_without_chunks_to_4096(void **state)
{
    (void)state;
    sweep(1024, hs_tests_quick() ? 1024 : 4096, NULL, 0);
}

static void lattice_equals_exhaustive_with_chunks_to_4096(void **state)
{
    (void)state;
    sweep(512, hs_tests_quick() ? 512 : 4096, four_chunks, 4);
}

/* Where NCCL runs, layers in chunks share the processors of their GPUs. */
static void processors_are_searched_as_exactly(void **state)
{
    static const char *const parts[] = {"8xH100, 8xNDR400, 32:2", "4xA100-mesh, 4xSS11, 6",
                                        "6xL40S-pcie4, 2xHDR200"};
    static const int64_t at_once[] = {8, 40, 70};
    double worst = 0;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(parts) * HS_COUNT(at_once); i++) {
        struct hs_system system = parse(parts[i / HS_COUNT(at_once)]);

        system.nccl.parts.blocks.at_once = at_once[i % HS_COUNT(at_once)];
        for (int64_t np = 2; np <= 720; np += np < 36 ? 1 : 12) {
            struct hs_search_request request = {.system = &system,
                                                .problem = problem_world(np, 16 * MIB),
                                                .chunks = four_chunks,
                                                .chunk_count = 4,
                                                .top = TOP};

            compare_strategies(&request, &worst);
        }
        hs_system_release(&system);
    }
}

/* How many of `found` are the flat split, all of them in `fewest` chunks. */
static size_t count_flat(const struct hs_search_result *found, int fewest)
{
    size_t count = 0;

    for (size_t i = 0; i < found->count; i++)
        if (found->plans[i].plan.split.count == 1) {
            assert_int_equal(found->plans[i].plan.chunks, fewest);
            count++;
        }
    return count;
}

/* Calls on one communicator are in order. */
static void one_stage_of_nccl_is_offered_in_the_fewest_chunks(void **state)
{
    static const int64_t counts[] = {7, 12, 64};
    static const int later[] = {3, 5};
    struct hs_system levels = parse(machines[0]), parts = parse("8xH100, 8xNDR400, 32:2");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(counts) * 4; i++) {
        bool native = i % 2 != 0, late = i / 2 % 2 != 0;
        struct hs_search_request request = {.system = native ? &parts : &levels,
                                            .problem = problem_world(counts[i / 4], MIB),
                                            .serial_calls = !native,
                                            .chunks = late ? later : four_chunks,
                                            .chunk_count = late ? 2 : 4,
                                            .top = 1000};

        for (const struct hs_search_strategy *s = hs_search_strategies; s->name; s++) {
            struct hs_search_result found = search(s->name, &request);
            size_t flat = count_flat(&found, request.chunks[0]);

            assert_true(flat <= 1);
            if (strcmp(s->name, "containment") != 0) /* which may lose it */
                assert_int_equal(found.count, (found.splits - flat) * request.chunk_count + flat);
            hs_search_result_release(&found);
        }
        if (!native) {
            struct hs_search_result found;

            request.serial_calls = false;
            found = search("lattice", &request);
            assert_int_equal(found.count, found.splits * request.chunk_count);
            hs_search_result_release(&found);
        }
    }
    hs_system_release(&levels);
    hs_system_release(&parts);
}

/* Best time over all ordered factorizations and chunk counts, by plain recursion and hs_plan_cost
 * alone. */
static double brute_force(const struct hs_system *system, struct hs_plan *plan, int64_t rest,
                          double bytes, uint64_t *count)
{
    double best = INFINITY;

    if (rest == 1) {
        ++*count;
        for (plan->chunks = 1; plan->chunks <= 8; plan->chunks *= 2)
            best = fmin(best, cost_of(system, plan, bytes).seconds);
        return best;
    }
    for (int64_t size = 2; size <= rest; size++) {
        if (rest % size)
            continue;
        plan->split.sizes[plan->split.count++] = size;
        best = fmin(best, brute_force(system, plan, rest / size, bytes, count));
        plan->split.count--;
    }
    return best;
}

static void best_time_equals_a_brute_force(void **state)
{
    static const int64_t counts[] = {2, 6, 24, 30, 36, 64, 72, 96, 97, 120, 144, 210, 256, 360};

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct hs_system system = parse(machines[m]);

        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
            struct hs_search_request request = {.system = &system,
                                                .problem = problem_world(counts[i], 4 * MIB),
                                                .chunks = four_chunks,
                                                .chunk_count = 4,
                                                .top = 1};
            struct hs_search_result result = search("lattice", &request);
            struct hs_plan plan = {0};
            uint64_t count = 0;
            double best = brute_force(&system, &plan, counts[i], request.problem.bytes, &count);

            assert_true(fabs(result.plans[0].seconds - best) <= 1e-12 * best);
            assert_int_equal(result.splits, count);
            hs_search_result_release(&result);
        }
        hs_system_release(&system);
    }
}

/* Least time of a split over all algorithms on each layer, each way apart, one by one. */
static double least_of_letters(const struct hs_system *system, struct hs_plan *plan, int layer,
                               double bytes, unsigned algorithms)
{
    bool last = layer + 1 == plan->split.count;
    double best = INFINITY;

    if (layer == plan->split.count)
        return cost_of(system, plan, bytes).seconds;
    for (int out = 0; out < HS_ALGORITHM_COUNT && layer < plan->split.count; out++)
        for (int in = 0; in < HS_ALGORITHM_COUNT; in++) {
            struct hs_layer at = hs_split_layer(&plan->split, layer);
            bool joint = last && in == out;
            struct hs_stage_key outward = {joint ? HS_ALLREDUCE : HS_REDUCE_SCATTER,
                                           (enum hs_algorithm)out, at};
            struct hs_stage_key inward = {joint ? HS_ALLREDUCE : HS_ALLGATHER,
                                          (enum hs_algorithm)in, at};

            if (!hs_graph_possible(system, outward) || !hs_graph_possible(system, inward) ||
                !(algorithms >> out & 1) || !(algorithms >> in & 1))
                continue;
            plan->algorithms[layer][0] = (unsigned char)out;
            plan->algorithms[layer][1] = (unsigned char)in;
            best = fmin(best, least_of_letters(system, plan, layer + 1, bytes, algorithms));
        }
    return best;
}

/* What a layer by some algorithms takes for a chunk, and how long it keeps each level busy. */
struct option {
    double seconds, busy[HS_LEVELS_MAX];
};

static bool is_listed(const struct option *options, int count, const struct option *option)
{
    for (int i = 0; i < count; i++)
        if (memcmp(&options[i], option, sizeof(*option)) == 0)
            return true;
    return false;
}

/* All algorithms of a layer, each way apart, but for those that take exactly the same; returns how
 * many. */
static int list_options(struct option *options, const struct hs_search_request *request,
                        struct hs_layer layer)
{
    const struct hs_problem *problem = &request->problem;
    double bytes = hs_problem_entering(problem, layer) / request->chunks[0];
    int count = 0;

    for (int pair = 0; pair < HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT; pair++) {
        const enum hs_algorithm ways[2] = {(enum hs_algorithm)(pair / HS_ALGORITHM_COUNT),
                                           (enum hs_algorithm)(pair % HS_ALGORITHM_COUNT)};
        struct option option = {0};
        struct hs_stage_key keys[2];
        int stages = hs_problem_ways(keys, problem, layer, ways);
        bool possible =
            (request->algorithms >> ways[0] & 1) && (request->algorithms >> ways[1] & 1);

        for (int k = 0; k < stages && possible; k++) {
            struct hs_stage_price price =
                hs_stage_price_at(request->system, &problem->group, keys[k], bytes);
            double seconds = hs_stage_seconds(&price, bytes);

            possible = hs_graph_possible(request->system, keys[k]);
            option.seconds += seconds;
            for (int l = 0; l < HS_LEVELS_MAX; l++)
                option.busy[l] += price.occupancy[l] * seconds;
        }
        if (possible && !is_listed(options, count, &option))
            options[count++] = option;
    }
    return count;
}

/* A split's layers. */
struct layers {
    struct option options[HS_LAYERS_MAX][HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT];
    int counts[HS_LAYERS_MAX], count, chunks;
};

/* Least time over all options of layers from `layer` on, by the formula of docs/model.md, section
 * 4. */
static double least_of_options(const struct layers *layers, int layer, const struct option *sum)
{
    double best = INFINITY, busiest = 0;

    if (layer == layers->count) {
        for (int l = 0; l < HS_LEVELS_MAX; l++)
            busiest = fmax(busiest, sum->busy[l]);
        return sum->seconds + (layers->chunks - 1) * busiest;
    }
    for (int i = 0; i < layers->counts[layer]; i++) {
        struct option with = layers->options[layer][i];

        with.seconds += sum->seconds;
        for (int l = 0; l < HS_LEVELS_MAX; l++)
            with.busy[l] += sum->busy[l];
        best = fmin(best, least_of_options(layers, layer + 1, &with));
    }
    return best;
}

/* In the request's chunks. */
static double least_of_split(const struct hs_search_request *request, const struct hs_split *split)
{
    static struct layers layers;
    const struct option nothing = {0};

    layers.count = split->count;
    layers.chunks = request->chunks[0];
    for (int i = 0; i < split->count; i++)
        layers.counts[i] = list_options(layers.options[i], request, hs_split_layer(split, i));
    return least_of_options(&layers, 0, &nothing);
}

/* The least of all splits into `times`, in ascending order; returns how many. */
static size_t list_least(double *times, size_t count, const struct hs_search_request *request,
                         struct hs_plan *plan, int64_t rest)
{
    size_t at = count;
    double least;

    if (rest > 1) {
        for (int64_t size = 2; size <= rest; size++) {
            if (rest % size)
                continue;
            plan->split.sizes[plan->split.count++] = size;
            count = list_least(times, count, request, plan, rest / size);
            plan->split.count--;
        }
        return count;
    }
    least = request->chunks ? least_of_split(request, &plan->split)
                            : least_of_letters(request->system, plan, 0, request->problem.bytes,
                                               request->algorithms);
    for (; at > 0 && times[at - 1] > least; at--)
        times[at] = times[at - 1];
    times[at] = least;
    return count + 1;
}

static bool goes_apart(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (hs_plan_algorithm(plan, i, 0) != hs_plan_algorithm(plan, i, 1))
            return true;
    return false;
}

/* The K best splits, each with its best letters, against all letters one by one. */
static void check_best(const struct hs_search_request *request, size_t *apart)
{
    struct hs_search_result found = search("lattice", request);
    struct hs_search_result exhaustive = search("exhaustive", request);
    struct hs_plan plan = {.chunks = 1};
    double times[64];
    size_t count = list_least(times, 0, request, &plan, request->problem.group.size);

    assert_same(&found, &exhaustive, request);
    assert_int_equal(found.count, count);
    *apart += goes_apart(&found.plans[0].plan);
    for (size_t k = 0; k < count; k++)
        if (!(fabs(found.plans[k].seconds - times[k]) <= 1e-8 * times[k]))
            fail_msg("%s, np %d, %g bytes, %d chunks, rank %zu: %.12g s, letters one by one "
                     "%.12g s",
                     request->system->name, (int)request->problem.group.size,
                     request->problem.bytes, request->chunks ? request->chunks[0] : 1, k,
                     found.plans[k].seconds, times[k]);
    hs_search_result_release(&found);
    hs_search_result_release(&exhaustive);
}

static void check_letters(const char *machine, unsigned algorithms, int64_t most, size_t *apart)
{
    static const int64_t counts[] = {2, 3, 6, 8, 12, 15, 16, 18, 20, 24, 27, 30, 36, 40, 66};
    static const double sizes[] = {512, 64 * 1024.0, 4 * MIB, 256 * MIB};
    struct hs_system system = strchr(machine, '@') ? parse(machine) : shipped(machine);

    hs_system_keep(&system);
    for (size_t i = 0; counts[i / HS_COUNT(sizes)] < most; i++) {
        struct hs_search_request request = {
            .system = &system,
            .problem = problem_world(counts[i / HS_COUNT(sizes)], sizes[i % HS_COUNT(sizes)]),
            .algorithms = algorithms | 1U << HS_RING,
            .top = 64};

        check_best(&request, apart);
    }
    hs_system_release(&system);
}

/* Both ways of what is ours take the same time: no winner needs two letters. */
static void best_splits_have_the_best_of_all_letters(void **state)
{
    size_t apart = 0;

    (void)state;
    for (size_t m = 0; m < MACHINES; m++)
        check_letters(machines[m], HS_ALGORITHMS_ALL, hs_tests_quick() ? 12 : 50, &apart);
    assert_int_equal(apart, 0);
}

/* Where single links join a node's GPUs trees that are packed on them are among the letters. */
static void trees_are_for_whole_nodes_of_links(void **state)
{
    struct hs_system system = shipped("dgx1-v100");
    struct hs_search_request request = {
        .system = &system, .algorithms = HS_ALGORITHMS_ALL, .top = 1};
    struct hs_search_result found;
    const int units[] = {0, 1, 4, 6, 7};
    size_t apart = 0;

    (void)state;
    check_letters("dgx1-v100", HS_ALGORITHMS_ALL, 24, &apart);
    assert_int_equal(hs_system_choose(&system, units, 5, NULL), HS_OK); /* no rings of NVLinks */
    hs_system_keep(&system);
    for (int nodes = 1; nodes <= 3; nodes++) {
        request.problem = problem_world(5 * nodes, 256 * MIB);
        found = search("lattice", &request);
        assert_int_equal(found.plans[0].plan.split.sizes[0], 5);
        assert_int_equal(found.plans[0].plan.algorithms[0][0], HS_FOREST);
        hs_search_result_release(&found);
    }
    hs_system_release(&system);
}

static const char *const named[] = {
    "ib@10GB/s~2us;library=openmpi",
    "node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich",
    "node:mesh:4@40GB/s~0.5us,ib:4@12GB/s~2us/2p,spine@30GB/s~4us;library=openmpi;launch=2us",
    "node:6@20GB/s~0.5us,ib:3@12GB/s~2us/2p!,spine@30GB/s~3us;library=mpich",
};

/* With a library's own collectives, whose ways differ, each way is chosen by itself. */
static void ways_are_chosen_apart_where_they_differ(void **state)
{
    size_t apart = 0;

    (void)state;
    for (size_t m = 0; m < HS_COUNT(named); m++) {
        check_letters(named[m], HS_ALGORITHMS_ALL | 1U << HS_NATIVE, 16, &apart);
        check_letters(named[m], 1U << HS_NATIVE, 24, &apart);
    }
    assert_true(apart > 10);
}

static size_t check_chunks(const struct hs_system *system, int64_t first, int64_t last,
                           int64_t step)
{
    static const int chunks[] = {2, 8};
    static const double sizes[] = {64 * 1024.0, 16 * MIB};
    size_t apart = 0;

    for (int64_t np = first; np <= last; np += step)
        for (size_t i = 0; i < HS_COUNT(sizes) * HS_COUNT(chunks); i++) {
            struct hs_search_request request = {.system = system,
                                                .problem =
                                                    problem_world(np, sizes[i / HS_COUNT(chunks)]),
                                                .algorithms = HS_ALGORITHMS_ALL,
                                                .chunks = &chunks[i % HS_COUNT(chunks)],
                                                .chunk_count = 1,
                                                .top = 64};

            if (hs_system_prices(system, HS_NATIVE))
                request.algorithms |= 1U << HS_NATIVE;
            check_best(&request, &apart);
        }
    return apart;
}

/* With chunks an algorithm that takes longer by itself may leave a busier level alone, and one for
 * each way may be better than either. */
static void chunked_plans_have_the_best_of_all_letters(void **state)
{
    size_t apart = 0;

    (void)state;
    for (size_t m = 0; m < MACHINES + HS_COUNT(named); m++) {
        struct hs_system system = parse(m < MACHINES ? machines[m] : named[m - MACHINES]);
        size_t more = check_chunks(&system, 6, 36, 6);

        apart += m < MACHINES ? more : 0;
        if (m < MACHINES)
            apart += check_chunks(&system, 8, 64, 8);
        hs_system_release(&system);
    }
    assert_true(apart > 0);
}

static void chunked_plans_of_shipped_systems_have_the_best_of_all_letters(void **state)
{
    static const char *const names[] = {"abci",   "frontier",   "leonardo", "lumi",
                                        "mi300x", "perlmutter", "summit",   "tsubame3"};

    (void)state;
    for (size_t m = 0; m < HS_COUNT(names); m++) {
        struct hs_system system = shipped(names[m]);

        hs_system_drop_parts(&system);
        check_chunks(&system, 16, 48, 16);
        hs_system_release(&system);
    }
}

/* OEIS A074206 at 1, 2, 4, 6, 12, 24, 36, 60, 72, 120, 2^16, 2^20. */
static void number_of_splits_is_the_published_sequence(void **state)
{
    static const struct {
        int64_t np;
        uint64_t splits;
    } rows[] = {{1, 1},   {2, 1},   {4, 2},   {6, 3},     {12, 8},        {24, 20},
                {36, 26}, {60, 44}, {72, 76}, {120, 132}, {65536, 32768}, {1048576, 524288}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct hs_lattice lattice;

        assert_int_equal(hs_lattice_init(&lattice, hs_group_world(rows[i].np), NULL), HS_OK);
        assert_int_equal(lattice.path_count, rows[i].splits);
        hs_lattice_release(&lattice);
    }
}

static void lattice_has_the_divisors_and_their_pairs(void **state)
{
    struct hs_lattice lattice;

    (void)state;
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(1048576), NULL), HS_OK);
    assert_int_equal(lattice.node_count, 21);
    assert_int_equal(lattice.edge_count, 210);
    hs_lattice_release(&lattice);
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(735134400), NULL), HS_OK);
    assert_int_equal(lattice.node_count, 1344);
    hs_lattice_release(&lattice);
    /* 2^4 3^4 5 7 11 13 17 19: no number up to 2^31 has more divisors (OEIS A002182, A002183). */
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(2095133040), NULL), HS_OK);
    assert_int_equal(lattice.node_count, 5 * 5 * 2 * 2 * 2 * 2 * 2 * 2);
    for (size_t i = 1; i < lattice.node_count; i++) {
        assert_true(lattice.divisors[i] > lattice.divisors[i - 1]);
        assert_int_equal(lattice.group.size % lattice.divisors[i], 0);
    }
    hs_lattice_release(&lattice);
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(2147483647), NULL), HS_OK);
    assert_int_equal(lattice.node_count, 2);
    hs_lattice_release(&lattice);
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(0), NULL), HS_INVALID);
    assert_int_equal(hs_lattice_init(&lattice, hs_group_world(((int64_t)1 << 31) + 1), NULL),
                     HS_INVALID);
}

/* A fit may be far from the description. What the search says must be what it would say of a
 * machine described so; at some of these factors sums of the slow layers are beyond 2^62 of the
 * description's ticks, at others the slow layers leave the rest less than a tick of their own. */
static void best_of_fitted_layers_equals_a_brute_force(void **state)
{
    struct hs_fit fits[] = {
        {.scope = HS_FIT_LEVEL, .level = 0, .max_size = 64, .max_bytes = 1e12},
        {.scope = HS_FIT_SIZE, .level = 1, .size = 2, .max_bytes = 1e12},
        {.scope = HS_FIT_LAYER, .level = 1, .size = 8, .stride = 8, .max_bytes = 1e12}};
    struct hs_system system = parse(machines[1]);

    (void)state;
    system.fits.items = fits;
    system.fits.count = HS_COUNT(fits);
    for (double factor = 1e-12; factor < 1e25; factor *= 1e3) {
        for (size_t slow = 0; slow < 2 * HS_COUNT(fits); slow++) {
            struct hs_search_request request = {.system = &system,
                                                .problem = problem_world(128, 4 * MIB),
                                                .chunks = four_chunks,
                                                .chunk_count = 4,
                                                .top = 128};
            struct hs_search_result lattice, exhaustive;
            struct hs_plan plan = {0};
            uint64_t count = 0;
            double best;

            for (size_t i = 0; i < HS_COUNT(fits); i++) {
                fits[i].latency_seconds = system.levels[fits[i].level].latency_seconds;
                fits[i].bytes_per_second = system.levels[fits[i].level].bytes_per_second;
            }
            if (slow % 2)
                fits[slow / 2].latency_seconds *= factor;
            else
                fits[slow / 2].bytes_per_second /= factor;
            lattice = search("lattice", &request);
            exhaustive = search("exhaustive", &request);
            best = brute_force(&system, &plan, 128, 4 * MIB, &count);
            if (!(fabs(lattice.plans[0].seconds - best) <= 1e-9 * best))
                fail_msg("fit %zu, factor %g: %g s, brute force %g s", slow, factor,
                         lattice.plans[0].seconds, best);
            assert_true(lattice.plans[0].seconds <= lattice.flat_seconds * (1 + 1e-9));
            assert_same(&lattice, &exhaustive, &request);
            hs_search_result_release(&lattice);
            hs_search_result_release(&exhaustive);
        }
    }
    memset(&system.fits, 0, sizeof(system.fits));
    hs_system_release(&system);
}

/* On one level with latency only the bandwidth terms tie, so do all permutations of the layers:
 * they must come in the documented order. */
static void ties_come_in_the_documented_order(void **state)
{
    struct hs_system system = parse("net@10GB/s~3us");
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(2 * 3 * 5 * 7, 1e6), .top = 24};
    struct hs_search_result result = search("lattice", &request);

    (void)state;
    assert_int_equal(result.count, 24);
    for (size_t i = 0; i < result.count; i++)
        assert_int_equal(result.plans[i].plan.split.count, 4);
    for (size_t i = 1; i < result.count; i++)
        assert_true(hs_plan_compare(&result.plans[i - 1].plan, &result.plans[i].plan) < 0);
    hs_search_result_release(&result);
    hs_system_release(&system);
}

static void large_tops_return_every_split_once(void **state)
{
    struct hs_system system = parse(machines[1]);
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(4096, 128 * MIB), .top = HS_TOP_MAX};
    struct hs_search_result lattice = search("lattice", &request);
    struct hs_search_result exhaustive = search("exhaustive", &request);

    (void)state;
    assert_int_equal(lattice.count, 2048);
    assert_same(&lattice, &exhaustive, &request);
    hs_search_result_release(&lattice);
    hs_search_result_release(&exhaustive);
    hs_system_release(&system);
}

static void bad_requests_are_refused(void **state)
{
    static const int descending[] = {4, 2};
    struct hs_system system = parse(machines[0]);
    struct hs_search_request good = {.system = &system, .problem = problem_world(4, 1), .top = 1};
    struct hs_search_request bad[6];
    struct hs_search_result result;

    (void)state;
    for (int i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].problem.group = hs_group_world(0);
    bad[1].problem.group = hs_group_world(((int64_t)1 << 31) + 1);
    bad[2].problem.bytes = 0;
    bad[3].problem.bytes = NAN;
    bad[4].top = 0;
    bad[5].chunks = descending;
    bad[5].chunk_count = 2;
    for (int i = 0; i < 6; i++)
        assert_int_equal(hs_search(&result, &hs_search_strategies[0], &bad[i], NULL), HS_INVALID);
    /* 2^6 3^3 5^2 7 11 13 17 has more splits than exhaustive search agrees to. */
    good.problem.group = hs_group_world(735134400);
    assert_int_equal(hs_search(&result, hs_search_strategy_find("exhaustive"), &good, NULL),
                     HS_INVALID);
    hs_system_release(&system);
}

/* Every size between two reigns has the winner of the reign it lies in. */
static void size_winners_agree_with_a_search_at_any_size(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct hs_system system = parse(machines[m]);
        struct hs_search_request request = {
            .system = &system, .problem = problem_world(240, 1), .top = 1};
        struct hs_size_winner *winners;
        double last = 16e9;
        size_t count;

        assert_int_equal(hs_size_winners(&winners, &count, &request, 1024, &last, NULL), HS_OK);
        assert_true(count >= 1 && last == 16e9);
        for (double bytes = 1024; bytes < 16e9; bytes *= 1.07) {
            size_t reign = 0;
            struct hs_search_result result;

            while (reign + 1 < count && winners[reign + 1].bytes <= bytes)
                reign++;
            request.problem.bytes = bytes;
            result = search("lattice", &request);
            if (cost_of(&system, &winners[reign].plan, bytes).seconds >
                result.plans[0].seconds * (1 + 1e-9))
                fail_msg("machine %zu, %g bytes: not the winner", m, bytes);
            hs_search_result_release(&result);
        }
        free(winners);
        hs_system_release(&system);
    }
}

/* So many searches are let begin. */
static bool count_down(void *of_left, uint64_t done, uint64_t all)
{
    size_t *left = of_left;

    assert_true(done < all);
    return *left > 0 && (*left)-- > 0;
}

/* Whenever they are stopped, what there is, is a beginning of the whole list, and said to be. */
static void winners_end_where_they_are_stopped(void **state)
{
    struct hs_system system = parse(machines[0]);
    struct hs_search_request request = {
        .system = &system, .problem = problem_world(240, 1e6), .top = 1};
    const int64_t counts[] = {60, 120, 240, 480};
    struct hs_size_winner *all, *some;
    double last = 16e9;
    size_t all_count, count, left;

    (void)state;
    assert_int_equal(hs_size_winners(&all, &all_count, &request, 1024, &last, NULL), HS_OK);
    request.progress = count_down;
    request.watcher = &left;
    for (size_t begun = 0; begun < 1000 && (begun == 0 || last < 16e9); begun++) {
        left = begun;
        last = 16e9;
        assert_int_equal(hs_size_winners(&some, &count, &request, 1024, &last, NULL), HS_OK);
        assert_true(begun > 0 || (count == 0 && last == 1024));
        for (size_t i = 0; i < count; i++)
            assert_true(some[i].bytes == all[i].bytes && some[i].bytes <= last &&
                        hs_plan_compare(&some[i].plan, &all[i].plan) == 0);
        assert_true(count == 0 || count == all_count || all[count].bytes > last);
        free(some);
    }
    assert_int_equal(count, all_count);
    for (size_t begun = 0; begun < 2; begun++) {
        struct hs_np_winner *winners;

        left = begun;
        count = 4;
        assert_int_equal(hs_np_winners(&winners, counts, &count, &request, NULL), HS_OK);
        assert_true(count < 4);
        for (size_t i = 0; i < count; i++)
            assert_true(winners[i].np == counts[i] && winners[i].seconds > 0);
        free(winners);
    }
    free(all);
    hs_system_release(&system);
}

static void growth_is_named_as_in_the_paper(void **state)
{
    static const struct {
        const char *small, *large;
        enum hs_growth growth;
    } rows[] = {{"4x8", "4x8x2", HS_GROWTH_ONE_MORE}, {"4x8", "4x16", HS_GROWTH_SAME_SHAPE},
                {"4x8x4", "4x16x4", HS_GROWTH_INNER}, {"4x8", "8x4x2", HS_GROWTH_OTHER},
                {"4x8", "8x16", HS_GROWTH_OTHER},     {"32", "64", HS_GROWTH_SAME_SHAPE},
                {"32", "4x16", HS_GROWTH_OTHER},      {"4x6", "4x9", HS_GROWTH_OTHER}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct hs_split small, large;

        hs_split_parse(&small, rows[i].small, 0, NULL);
        hs_split_parse(&large, rows[i].large, 0, NULL);
        assert_int_equal(hs_growth_of(&small, &large), rows[i].growth);
    }
}

/* Times of all splits, in the order of plans, by nothing but the price of each. */
static double best_by_price(const struct hs_search_request *request, struct hs_plan *plan,
                            int64_t rest)
{
    double best = INFINITY;

    if (rest == 1)
        return hs_plan_seconds(request->system, &request->problem, plan);
    for (int64_t size = 2; size <= rest; size++)
        if (rest % size == 0) {
            plan->split.sizes[plan->split.count++] = size;
            best = fmin(best, best_by_price(request, plan, rest / size));
            plan->split.count--;
        }
    return best;
}

static void every_collective_in_every_order_is_searched_as_exactly(void **state)
{
    static const int64_t counts[] = {2, 12, 30, 48, 64, 96, 144, 210, 256};

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct hs_system system = parse(machines[m]);

        for (size_t i = 0; i < HS_COUNT(counts) * HS_COLLECTIVE_COUNT * HS_LAYOUT_COUNT; i++) {
            struct hs_search_request request = {
                .system = &system,
                .problem = {.collective = (enum hs_collective)(i % HS_COLLECTIVE_COUNT),
                            .group =
                                hs_group_world(counts[i / HS_COLLECTIVE_COUNT / HS_LAYOUT_COUNT]),
                            .bytes = i % 5 ? 64 * 1024.0 : 128 * MIB,
                            .layout = (enum hs_layout)(i / HS_COLLECTIVE_COUNT % HS_LAYOUT_COUNT)},
                .top = TOP};
            struct hs_plan plan = {.chunks = 1};
            double worst_regret = 0;
            struct hs_search_result found = search("lattice", &request);

            assert_near(found.plans[0].seconds,
                        best_by_price(&request, &plan, request.problem.group.size), 1e-9);
            hs_search_result_release(&found);
            compare_strategies(&request, &worst_regret);
            request.chunks = four_chunks;
            request.chunk_count = 4;
            if (request.problem.collective == HS_COLLECTIVE_ALLREDUCE)
                compare_strategies(&request, &worst_regret);
            else
                assert_int_equal(hs_search(&found, &hs_search_strategies[0], &request, NULL),
                                 HS_INVALID);
        }
        hs_system_release(&system);
    }
}

/* Groups of 60 ranks that are 4 apart: every ordered factorization of 60, priced one by one. */
static void groups_of_a_mesh_are_searched_as_exactly(void **state)
{
    struct hs_system system = parse(machines[1]);
    struct hs_search_request request = {
        .system = &system,
        .problem = {.group = {.ranks = 480, .stride = 4, .size = 60}, .bytes = 4 * MIB},
        .top = 44};
    struct hs_search_result lattice = search("lattice", &request);
    struct hs_search_result exhaustive = search("exhaustive", &request);

    (void)state;
    assert_int_equal(lattice.splits, 44);
    assert_same(&lattice, &exhaustive, &request);
    for (size_t i = 0; i < lattice.count; i++)
        assert_near(lattice.plans[i].seconds,
                    hs_plan_seconds(&system, &request.problem, &lattice.plans[i].plan), 1e-15);
    hs_search_result_release(&exhaustive);
    request.problem.group.size = 7;
    assert_int_equal(hs_search(&exhaustive, &hs_search_strategies[0], &request, NULL), HS_INVALID);
    hs_search_result_release(&lattice);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("number of splits is the published sequence",
            number_of_splits_is_the_published_sequence),
    HS_TEST("lattice has the divisors and their pairs", lattice_has_the_divisors_and_their_pairs),
    HS_TEST("lattice equals exhaustive without chunks to 4096 ranks",
            lattice_equals_exhaustive_without_chunks_to_4096),
    HS_TEST("lattice equals exhaustive with chunks to 4096 ranks",
            lattice_equals_exhaustive_with_chunks_to_4096),
    HS_TEST("where NCCL runs, the GPUs' processors are searched as exactly",
            processors_are_searched_as_exactly),
    HS_TEST("one stage of NCCL's is offered in the fewest chunks",
            one_stage_of_nccl_is_offered_in_the_fewest_chunks),
    HS_TEST("best time equals a brute force", best_time_equals_a_brute_force),
    HS_TEST("best time of fitted layers, however far off, equals a brute force",
            best_of_fitted_layers_equals_a_brute_force),
    HS_TEST("best splits have the best of all letters", best_splits_have_the_best_of_all_letters),
    HS_TEST("ways are chosen apart where they differ", ways_are_chosen_apart_where_they_differ),
    HS_TEST("trees are for whole nodes of single links", trees_are_for_whole_nodes_of_links),
    HS_TEST("chunked plans have the best of all letters",
            chunked_plans_have_the_best_of_all_letters),
    HS_TEST("chunked plans of shipped systems have the best of all letters",
            chunked_plans_of_shipped_systems_have_the_best_of_all_letters),
    HS_TEST("ties come in the documented order", ties_come_in_the_documented_order),
    HS_TEST("large tops return every split once", large_tops_return_every_split_once),
    HS_TEST("bad requests are refused", bad_requests_are_refused),
    HS_TEST("every collective in every order is searched as exactly",
            every_collective_in_every_order_is_searched_as_exactly),
    HS_TEST("groups of a mesh are searched as exactly", groups_of_a_mesh_are_searched_as_exactly),
    HS_TEST("size winners agree with a search at any size",
            size_winners_agree_with_a_search_at_any_size),
    HS_TEST("winners end where they are stopped", winners_end_where_they_are_stopped),
    HS_TEST("growth is named as in the paper", growth_is_named_as_in_the_paper),
};

HS_TEST_MAIN(tests)
