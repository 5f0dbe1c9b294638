/*
 * Prices of halving, direct exchange and trees against every message of theirs, counted one by one
 * on every link.
 */
#include "systems.h"
#include <math.h>
#include <string.h>

#include "library/price_plan.h"
#include "step_messages.h"

/* Whom a place sends to in step k of a reduce-scatter, of an allgather, or of Bruck's exchange. */
static int64_t partner(int64_t size, int64_t place, int64_t distance, enum hs_phase phase)
{
    if (phase != HS_EXCHANGE && (size & (size - 1)) == 0)
        return place ^ distance;
    return (place + (phase == HS_REDUCE_SCATTER ? size - distance : distance)) % size;
}

static bool is_mesh(const struct hs_system *system, size_t l)
{
    return system->levels[l].fabric == HS_FABRIC_MESH && system->levels[l].arity > 2;
}

/* One pass of halving, doubling or Bruck: its latency and seconds per byte of a block. */
static struct hs_price_line halving(const struct hs_system *system, int64_t np,
                                    struct hs_layer layer, enum hs_phase phase)
{
    struct hs_price_line line = {0, 0};
    double before = 0, sent[HS_LEVELS_MAX] = {0}; /* through a child's ports, in all steps */
    size_t at_before = 0;
    int64_t ahead_before = 0;

    for (int64_t distance = 1; distance < layer.size; distance *= 2) {
        static struct messages messages;
        int64_t blocks = 0, ahead;
        double latency, load;
        size_t at;

        for (int64_t b = 1; b < layer.size; b++) /* odd multiples; of Bruck all with the bit */
            blocks += phase == HS_EXCHANGE ? (b & distance) != 0 : b % (2 * distance) == distance;
        memset(&messages, 0, sizeof(messages));
        for (int64_t x = 0; x < np; x++) {
            int64_t place = x / layer.stride % layer.size;

            messages.amounts[x][other_rank(layer, x, partner(layer.size, place, distance, phase))] =
                (double)blocks;
        }
        load = held_up(&at, &latency, &messages, system, np);
        line.latency_seconds += latency;
        line.seconds_per_byte += load;
        ahead = distance * layer.stride / hs_system_child_ranks(system, at);
        ahead = ahead > 1 ? ahead : 1;
        if (phase != HS_EXCHANGE && /* whose steps each wait for all of the one before */
            (is_mesh(system, at) || is_mesh(system, at_before)) &&
            (at != at_before || ahead != ahead_before))
            line.seconds_per_byte -= fmin(load, before) / 2;
        before = load;
        at_before = at;
        ahead_before = ahead;
        for (size_t l = 0; l < system->level_count; l++)
            sent[l] += busiest(&messages, system, l, np, true);
    }
    for (size_t l = 0; l < system->level_count; l++)
        line.seconds_per_byte = fmax(line.seconds_per_byte, sent[l]);
    return line;
}

static struct hs_price_line direct(const struct hs_system *system, int64_t np,
                                   struct hs_layer layer)
{
    static struct messages messages;
    struct hs_price_line line;
    size_t at;

    memset(&messages, 0, sizeof(messages));
    for (int64_t x = 0; x < np; x++)
        for (int64_t place = 0; place < layer.size; place++)
            if (place != x / layer.stride % layer.size)
                messages.amounts[x][other_rank(layer, x, place)] = 1;
    line.seconds_per_byte = held_up(&at, &line.latency_seconds, &messages, system, np);
    return line;
}

static int64_t parent_of(int64_t place, int64_t size)
{
    int64_t low = place & -place, up = (place - low) | 2 * low;

    return up < size ? up : place - low;
}

/* Seconds per byte of all bytes up and down, at the busiest link. */
static double tree(const struct hs_system *system, int64_t np, struct hs_layer layer)
{
    static struct messages messages;
    double latency;
    size_t at;

    memset(&messages, 0, sizeof(messages));
    for (int64_t x = 0; x < np; x++) {
        int64_t place = x / layer.stride % layer.size, up;

        if (place == 0)
            continue;
        up = other_rank(layer, x, parent_of(place, layer.size));
        messages.amounts[x][up] = messages.amounts[up][x] = 1;
    }
    return held_up(&at, &latency, &messages, system, np);
}

static const char *const machines[] = {
    "a:4@100GB/s~1us,b:4@20GB/s~3us,c@30GB/s~5us",
    "a:mesh:4@90GB/s~1us/1p!,b:4@50GB/s~2us/2p!,c@64GB/s~4us",
    "a:3@50GB/s~1us,b:2@40GB/s~2us/3p!,c:3@30GB/s~4us,d@60GB/s~6us",
    "a:2@100GB/s~1us,b:mesh:4@60GB/s~2us/1p!,c@50GB/s~3us",
    "a:6@100GB/s~2us/2p!,b@25GB/s~3us/4p!",
};

static void expect(double found, double expected, const struct hs_system *system, int64_t np,
                   struct hs_stage_key key, const char *what)
{
    char text[HS_STAGE_KEY_TEXT];

    if (!(fabs(found - expected) <= 1e-9 * expected))
        fail_msg("%s of %s on level 0 \"%s\" (arity %d), np %d: %g, counted %g", what,
                 hs_stage_key_format(text, key), system->levels[0].name,
                 (int)system->levels[0].arity, (int)np, found, expected);
}

/* The largest of the lines of no bytes in particular. */
static double of_lines(const struct hs_stage_price *price, double bytes)
{
    double size = (double)price->key.layer.size, most = 0;

    for (int i = 0; i < price->line_count; i++)
        most = fmax(most, price->lines[i].latency_seconds +
                              price->lines[i].seconds_per_byte * bytes * (size - 1) / size);
    return most;
}

static void look_at(const struct hs_system *system, int64_t np, struct hs_layer layer)
{
    double others = (double)(layer.size - 1), size = (double)layer.size;
    enum hs_phase phases[3] = {HS_REDUCE_SCATTER, HS_ALLGATHER, HS_EXCHANGE};

    for (int i = 0; i < 3; i++) {
        struct hs_stage_key key = {phases[i], HS_HALVING, layer};
        struct hs_price_line line = halving(system, np, layer, phases[i]);
        struct hs_stage_price price = hs_stage_price(system, np, key);

        expect(price.lines[0].latency_seconds, line.latency_seconds, system, np, key, "latency");
        expect(of_lines(&price, size) - line.latency_seconds, line.seconds_per_byte, system, np,
               key, "load");
        key.algorithm = phases[i] == HS_EXCHANGE ? HS_RING : HS_DIRECT;
        if (!hs_stage_possible(key))
            continue;
        line = direct(system, np, layer);
        price = hs_stage_price(system, np, key);
        expect(of_lines(&price, 1e12 * size), line.latency_seconds + 1e12 * line.seconds_per_byte,
               system, np, key, "long messages");
        expect(of_lines(&price, 1e-6), line.latency_seconds + (others - 1) * 0.5e-6, system, np,
               key, "short messages");
    }
    if (layer.stride * layer.size == np) {
        struct hs_stage_key key = {HS_ALLREDUCE, HS_TREE, layer};
        struct hs_stage_price price = hs_stage_price(system, np, key);
        double load = tree(system, np, layer), levels = ceil(log2(size));
        double filling = 2 * levels * (size > 2 ? 0.5 : 1) / (16 * levels);

        expect(price.lines[price.line_count - 1].seconds_per_byte * others / size,
               load * (1 + filling), system, np, key, "load");
    }
}

static void prices_equal_a_count_of_every_message(void **state)
{
    (void)state;
    for (size_t m = 0; m < HS_COUNT(machines); m++) {
        struct hs_system system = parse(machines[m]);

        for (int64_t np = 2; np <= RANKS_MAX; np += np < 36 ? 1 : 4)
            for (int64_t stride = 1; stride < np; stride++)
                for (int64_t size = 2; np % stride == 0 && stride * size <= np; size++)
                    if (np % (stride * size) == 0)
                        look_at(&system, np, (struct hs_layer){stride, size});
        hs_system_release(&system);
    }
}

/* p = 2 is one exchange, whoever does it. */
static void groups_of_two_cost_the_same_by_all_but_trees(void **state)
{
    struct hs_system system = parse(machines[0]);

    (void)state;
    for (int64_t stride = 1; stride <= 32; stride *= 2) {
        struct hs_layer layer = {stride, 2};
        struct hs_stage_price ring =
            hs_stage_price(&system, 64, (struct hs_stage_key){HS_ALLREDUCE, HS_RING, layer});

        for (int a = HS_HALVING; a <= HS_DIRECT; a++) {
            struct hs_stage_price price = hs_stage_price(
                &system, 64, (struct hs_stage_key){HS_ALLREDUCE, (enum hs_algorithm)a, layer});

            assert_true(fabs(hs_stage_seconds(&price, 1e9) / hs_stage_seconds(&ring, 1e9) - 1) <
                        1e-12);
        }
    }
    hs_system_release(&system);
}

/* 16 ranks on one level, 2 us and 10 GB/s, 5 us more beyond 8 KiB; by hand. */
static double flat_seconds(const struct hs_system *system, int64_t ranks,
                           enum hs_algorithm algorithm, double bytes)
{
    struct hs_plan plan = hs_plan_flat(ranks);
    struct hs_problem problem = problem_world(ranks, bytes);

    plan.algorithms[0][0] = plan.algorithms[0][1] = (unsigned char)algorithm;
    return hs_plan_seconds(system, &problem, &plan);
}

static double waiting_seconds(const struct hs_system *system, enum hs_algorithm algorithm,
                              double bytes)
{
    return flat_seconds(system, 16, algorithm, bytes);
}

static void longer_messages_wait_by_all_algorithms(void **state)
{
    struct hs_system waits = parse("ib@10GB/s~2us"), eager = waits;
    double wait = 5e-6, block = 16 * 8192;

    (void)state;
    waits.levels[0].eager_bytes = 8192;
    waits.levels[0].rendezvous_seconds = wait;
    /* All 30 messages of a ring are 1/16. */
    assert_near(waiting_seconds(&waits, HS_RING, block), 30 * (2e-6 + 8192 / 10e9), 1e-12);
    assert_near(waiting_seconds(&waits, HS_RING, block + 16), 30 * (7e-6 + 8193 / 10e9), 1e-12);
    /* Halving's are 8, 4, 2 and 1 of these: of 4 KiB two wait, each way. */
    assert_near(waiting_seconds(&waits, HS_HALVING, block / 2),
                waiting_seconds(&eager, HS_HALVING, block / 2) + 2 * 2 * wait, 1e-12);
    /* Direct exchange has them all under way at once. */
    assert_near(waiting_seconds(&waits, HS_DIRECT, block),
                waiting_seconds(&eager, HS_DIRECT, block), 1e-12);
    /* Of 16 KiB each: longer than what 15 messages cost a process. */
    assert_near(waiting_seconds(&waits, HS_DIRECT, 2 * block),
                fmax(waiting_seconds(&eager, HS_DIRECT, 2 * block) + 2 * wait, 2 * 9.5e-6), 1e-12);
    /* A tree's segments are 1/64 of the message, 8 KiB at least; up and down 4 levels, but others
     * go up while the first is on its way to the root and back. */
    assert_near(waiting_seconds(&waits, HS_TREE, 64 * 8192),
                waiting_seconds(&eager, HS_TREE, 64 * 8192), 1e-12);
    assert_near(waiting_seconds(&waits, HS_TREE, 64 * 8200),
                waiting_seconds(&eager, HS_TREE, 64 * 8200) + 2 * 3 * wait, 1e-12);
    hs_system_release(&waits);
}

/* Inside a node nothing waits; a fit has measured it already. */
static void only_messages_of_that_level_wait(void **state)
{
    struct hs_system waits = parse("node:4@20GB/s~1us,ib@10GB/s~3us"), eager = waits;
    struct hs_problem problem = problem_world(16, 16e6);
    struct hs_plan plan;

    (void)state;
    waits.levels[1].eager_bytes = 8192;
    waits.levels[1].rendezvous_seconds = 1e-3;
    assert_int_equal(hs_plan_parse(&plan, "4x4h", 16, NULL), HS_OK);
    assert_near(hs_plan_seconds(&waits, &problem, &plan),
                hs_plan_seconds(&eager, &problem, &plan) + 4e-3, 1e-12);
    waits.additive = eager.additive = true; /* the lines that fits are made of */
    assert_near(hs_plan_seconds(&waits, &problem, &plan), hs_plan_seconds(&eager, &problem, &plan),
                0);
    hs_system_release(&waits);
}

/* Seconds of a phase by the library's own collective, with a link of 10 GB/s and 2 us each. */
static double library_seconds(const char *library, struct hs_stage_key key, double bytes)
{
    char text[96];
    struct hs_system system;
    struct hs_stage_price price;
    double seconds;

    snprintf(text, sizeof(text), "ib@10GB/s~2us;library=%s", library);
    system = parse(text);
    price = hs_stage_price(&system, key.layer.size, key);
    seconds = hs_stage_seconds(&price, bytes);
    hs_system_release(&system);
    return seconds;
}

static double native_seconds(const char *library, enum hs_phase phase, int64_t size, double bytes)
{
    return library_seconds(library, (struct hs_stage_key){phase, HS_NATIVE, {1, size}}, bytes);
}

#define STEPS(steps, sent) ((steps)*2e-6 + (sent) / 10e9)

/* Thakur, Rabenseifner and Gropp 2005, with MPICH's thresholds. */
static void mpich_is_priced_by_its_rule(void **state)
{
    const double kib = 1024, mib = 1024 * kib;

    (void)state;
    /* Recursive halving, beyond 512 KiB each other one in turn. */
    assert_near(native_seconds("mpich", HS_REDUCE_SCATTER, 16, 64 * kib), STEPS(4, 60 * kib),
                1e-12);
    assert_near(native_seconds("mpich", HS_REDUCE_SCATTER, 16, 16 * mib), STEPS(15, 15 * mib),
                1e-12);
    /* Recursive doubling; of 12 Bruck's, then the ring. */
    assert_near(native_seconds("mpich", HS_ALLGATHER, 16, 64 * kib), STEPS(4, 60 * kib), 1e-12);
    assert_near(native_seconds("mpich", HS_ALLGATHER, 12, 48 * kib), STEPS(4, 44 * kib), 1e-12);
    assert_near(native_seconds("mpich", HS_ALLGATHER, 12, 96 * kib), STEPS(11, 88 * kib), 1e-12);
    assert_near(native_seconds("mpich", HS_ALLGATHER, 16, 16 * mib), STEPS(15, 15 * mib), 1e-12);
    /* Recursive doubling to 2 KiB, then Rabenseifner's; beyond a power of two one folds. */
    assert_near(native_seconds("mpich", HS_ALLREDUCE, 16, 2 * kib), STEPS(4, 8 * kib), 1e-12);
    assert_near(native_seconds("mpich", HS_ALLREDUCE, 16, 64 * kib), STEPS(8, 120 * kib), 1e-12);
    assert_near(native_seconds("mpich", HS_ALLREDUCE, 12, 2 * kib), STEPS(5, 10 * kib), 1e-12);
    /* A pair is both. */
    assert_near(native_seconds("mpich", HS_PAIR, 12, 96 * kib),
                native_seconds("mpich", HS_REDUCE_SCATTER, 12, 96 * kib) + STEPS(11, 88 * kib),
                1e-12);
}

/* Its nonblocking calls, which are what layers run. */
static void open_mpi_is_priced_by_its_rule(void **state)
{
    const double kib = 1024, mib = 1024 * kib;

    (void)state;
    /* A tree to one, who sends 15 blocks of 4 KiB; all at once; trees up and down; halving. */
    assert_near(native_seconds("openmpi", HS_REDUCE_SCATTER, 16, 64 * kib),
                STEPS(5, (4 * 64 + 60) * kib), 1e-12);
    assert_near(native_seconds("openmpi", HS_ALLGATHER, 16, 16 * mib),
                library_seconds("openmpi", (struct hs_stage_key){HS_ALLGATHER, HS_DIRECT, {1, 16}},
                                16 * mib),
                0);
    assert_near(native_seconds("openmpi", HS_ALLREDUCE, 16, 32 * kib), STEPS(8, 256 * kib), 1e-12);
    assert_near(native_seconds("openmpi", HS_ALLREDUCE, 16, 16 * mib), STEPS(8, 30 * mib), 1e-12);
}

/* 4 ranks in each of 4 nodes: two steps inside, two between nodes at 1 rank a node, two inside. */
static void mpich_reduces_in_nodes_first(void **state)
{
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~4us;library=mpich");
    struct hs_stage_price price =
        hs_stage_price(&system, 16, (struct hs_stage_key){HS_ALLREDUCE, HS_NATIVE, {1, 16}});

    (void)state;
    assert_near(hs_stage_seconds(&price, 1024), 4 * (1e-6 + 1024 / 20e9) + 2 * (4e-6 + 1024 / 10e9),
                1e-12);
    hs_system_release(&system);
}

/* Nobody knows what would run. */
static void the_librarys_own_has_no_price_without_a_library(void **state)
{
    struct hs_system system = parse(machines[0]), named = parse("ib@10GB/s~2us;library=openmpi");
    struct hs_plan natives;

    (void)state;
    assert_int_equal(hs_plan_parse(&natives, "8nx8rn", 64, NULL), HS_OK);
    assert_false(hs_plan_is_priced(&system, &natives));
    assert_true(hs_plan_is_priced(&named, &natives));
    assert_true(hs_plan_has_letters(&natives) && hs_plan_names_ours(&natives));
    assert_int_equal(hs_plan_parse(&natives, "8nx8", 64, NULL), HS_OK);
    assert_false(hs_plan_names_ours(&natives));
    assert_int_equal(hs_plan_parse(&natives, "8nx8h", 64, NULL), HS_OK);
    assert_true(hs_plan_names_ours(&natives));
    hs_system_release(&system);
    hs_system_release(&named);
}

static void names_of_algorithms_are_read(void **state)
{
    struct hs_error err = {0};
    unsigned algorithms = 0;

    (void)state;
    assert_int_equal(hs_algorithms_parse(&algorithms, "halving,tree", &err), HS_OK);
    assert_int_equal(algorithms, 1U << HS_RING | 1U << HS_HALVING | 1U << HS_TREE);
    assert_int_equal(hs_algorithms_parse(&algorithms, "all", &err), HS_OK);
    assert_int_equal(algorithms, HS_ALGORITHMS_ALL);
    assert_false(algorithms >> HS_NATIVE & 1); /* it is not ours */
    assert_int_equal(hs_algorithms_parse(&algorithms, "native", &err), HS_OK);
    assert_int_equal(algorithms, 1U << HS_RING | 1U << HS_NATIVE);
    assert_int_equal(hs_algorithms_parse(&algorithms, "ring,halfing", &err), HS_INVALID);
    assert_non_null(strstr(err.message, "halving"));
    assert_int_equal(hs_algorithms_parse(&algorithms, "", &err), HS_INVALID);
}

/* Where bytes take next to no time a plan's is latencies of 10 us, and messages that are 0.5 us
 * apart. */
static void messages_count_by_what_is_sent(void **state)
{
    struct hs_system fast = parse("ib@100000GB/s~10us"), nodes = parse("nv:4@100000GB/s~1us,ib@"
                                                                       "100000GB/s~10us");
    struct hs_stage_key three = {HS_PAIR, HS_DIRECT, {1, 3}};
    struct hs_group inside = hs_group_world(3), all = hs_group_world(12);
    struct hs_group groups = {.ranks = 12, .stride = 1, .size = 3};
    struct hs_stage_price last, before, alone;

    (void)state;
    /* 15 messages of each, the first in the latency. */
    assert_near(waiting_seconds(&fast, HS_DIRECT, 16), 2 * (10e-6 + 14 * 0.5e-6), 1e-3);
    /* Of 6 packed into one a step: 3 steps a pass. Of their own: a block goes two. */
    assert_near(flat_seconds(&fast, 6, HS_HALVING, 6 * 1024), 6 * 10e-6, 1e-3);
    assert_near(flat_seconds(&fast, 6, HS_HALVING, 6 * 32768), 4 * 10e-6, 1e-3);
    /* Of 3 both go at once. */
    assert_near(flat_seconds(&fast, 3, HS_HALVING, 1024), 2 * (10e-6 + 0.5e-6), 1e-3);
    /* 32 segments of 8 KiB, of each 3 messages; those that go up while the first is at the root. */
    assert_near(flat_seconds(&fast, 4, HS_TREE, 32 * 8192.0), 4 * 10e-6 + 31 * 1.5e-6 - 30 * 0.5e-6,
                1e-2);
    /* Of 12 ranks half are in threes that leave a node: between all that and 5.5 us on average. */
    last = hs_stage_price_at(&nodes, &inside, three, 8);
    before = hs_stage_price_at(&nodes, &all, three, 8);
    alone = hs_stage_price_at(&nodes, &groups, three, 8);
    assert_near(hs_stage_seconds(&last, 8), 2 * (1e-6 + 0.5e-6), 1e-3);
    assert_near(hs_stage_seconds(&before, 8), 2 * ((10e-6 + 5.5e-6) / 2 + 0.5e-6), 1e-3);
    /* Groups that are nothing but these threes: the call ends when the last is through. */
    assert_near(hs_stage_seconds(&alone, 8), 2 * (10e-6 + 0.5e-6), 1e-3);
    hs_system_release(&nodes);
    hs_system_release(&fast);
}

/* The border at rank 100 cuts the second 64 ranks, of which 20 to 35 send 16 further, out of their
 * node, and what comes there goes 32 further, back into it. The first 64 leave none. */
static void blocks_beyond_the_first_that_a_border_cuts_are_looked_at(void **state)
{
    struct hs_system nodes = parse("nv:100@100000GB/s~1us,ib@100000GB/s~10us");
    struct hs_group groups = {.ranks = 128, .stride = 16, .size = 4};
    struct hs_stage_key bruck = {HS_EXCHANGE, HS_HALVING, {16, 4}};
    struct hs_stage_price price = hs_stage_price_at(&nodes, &groups, bruck, 8);

    (void)state;
    assert_near(hs_stage_seconds(&price, 8), 20e-6, 1e-3);
    hs_system_release(&nodes);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("blocks beyond the first that a border cuts are looked at",
            blocks_beyond_the_first_that_a_border_cuts_are_looked_at),
    HS_TEST("prices equal a count of every message", prices_equal_a_count_of_every_message),
    HS_TEST("groups of two cost the same by all but trees",
            groups_of_two_cost_the_same_by_all_but_trees),
    HS_TEST("longer messages wait for a rendezvous by all algorithms",
            longer_messages_wait_by_all_algorithms),
    HS_TEST("only messages of a level that says so wait, and not twice",
            only_messages_of_that_level_wait),
    HS_TEST("MPICH's own is priced by its rule", mpich_is_priced_by_its_rule),
    HS_TEST("Open MPI's own is priced by its rule", open_mpi_is_priced_by_its_rule),
    HS_TEST("MPICH reduces in nodes first", mpich_reduces_in_nodes_first),
    HS_TEST("the library's own has no price without a library",
            the_librarys_own_has_no_price_without_a_library),
    HS_TEST("messages count by what is sent at a time", messages_count_by_what_is_sent),
    HS_TEST("names of algorithms are read", names_of_algorithms_are_read),
};

HS_TEST_MAIN(tests)
