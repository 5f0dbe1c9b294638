/* What a library takes by itself, and when a plan is advised instead. */
#include "estimate/machines.h"
#include "library/price_library.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"
#include "model/mesh.h"
#include "systems.h"

#include <math.h>

static struct hs_gain gain_of(const struct hs_system *system, int64_t np, double bytes,
                              const char *text)
{
    struct hs_problem problem = problem_world(np, bytes);
    struct hs_library_price price = hs_library_price(system, &problem, 4);
    double own[HS_MACHINES_USUAL], seconds[HS_MACHINES_USUAL];
    struct hs_machines machines;
    struct hs_plan plan;

    assert_int_equal(hs_plan_parse(&plan, text, np, NULL), HS_OK);
    assert_true(hs_library_is_priced(&price));
    machines = draw(system, HS_MACHINES_USUAL, 1);
    hs_machines_ask(&machines, np);
    assert_int_equal(hs_library_seconds_each(own, &price, &machines, &problem, NULL), HS_OK);
    if (hs_library_prices_plans(&price))
        hs_library_plan_seconds_each(seconds, &machines, &problem, &plan);
    else
        assert_int_equal(hs_machines_plan_seconds_each(seconds, &machines, &problem, &plan, NULL),
                         HS_OK);
    for (size_t j = 0; j < HS_MACHINES_USUAL; j++)
        own[j] /= seconds[j];
    hs_machines_release(&machines);
    return hs_gain_of(own, HS_MACHINES_USUAL);
}

/* By the verdict's rule (record/answer.h). */
static bool is_left_alone(const struct hs_gain *gain)
{
    return gain->median < 1.03 || gain->share < 0.75;
}

/* NCCL's price is that of the flat split. */
static void the_flat_split_is_nccls_own_call(void **state)
{
    struct hs_system system = shipped("dgx-h100-superpod");
    struct hs_plan flat = hs_plan_flat(64);

    (void)state;
    for (double bytes = 8; bytes < 1e10; bytes *= 8) {
        struct hs_problem problem = problem_world(64, bytes);
        struct hs_library_price price = hs_library_price(&system, &problem, 4);
        struct hs_gain gain = gain_of(&system, 64, bytes, "64");

        assert_int_equal(price.library, HS_LIBRARY_NCCL);
        assert_near(price.seconds, hs_plan_seconds(&system, &problem, &flat), 1e-12);
        assert_true(price.low_seconds < price.seconds && price.seconds < price.high_seconds);
        assert_true(price.latency_seconds <= price.seconds * (1 + 1e-12));
        assert_true(is_left_alone(&gain));
    }
    hs_system_release(&system);
}

/* Layers of 2 are what MPICH runs there: all that differs is what no constant explains of either,
 * a normal with twice the variance. */
static void the_same_algorithm_gains_nothing_on_any_machine(void **state)
{
    struct hs_system system = parse("ib@10GB/s~2us;library=mpich");
    double scatter = sqrt(2) * hs_error_point(HS_ERROR_CPU, 1e6);
    struct hs_gain gain = gain_of(&system, 16, 1e6, "2x2x2x2");

    (void)state;
    assert_true(fabs(log(gain.median)) < 2 * 1.25 * scatter / sqrt(HS_MACHINES_USUAL));
    assert_true(gain.share > 0.40 && gain.share < 0.60);
    assert_near(gain.low, exp(-1.645 * scatter), 0.1);
    assert_true(is_left_alone(&gain));
    hs_system_release(&system);
}

/* A reduce and a broadcast of 64 KiB among 128 ranks (Open MPI's table) takes 14 steps of all bytes
 * and more; 2 x ... x 2 as many of halves of halves. */
static void a_plan_that_is_much_faster_is_advised(void **state)
{
    struct hs_system system = parse("ib@1GB/s~2us;library=openmpi");
    struct hs_gain gain = gain_of(&system, 128, 65536, "2x2x2x2x2x2x2");

    (void)state;
    assert_true(gain.median > 4);
    assert_true(gain.share == 1);
    assert_false(is_left_alone(&gain));
    hs_system_release(&system);
}

/* A published two-level AllReduce on 16 nodes of MareNostrum 5 took 1.8 times as long as NCCL's
 * own at 128 KiB, and 1 / 1.27 of it at 64 MiB. */
static void what_lies_between_calls_counts_for_short_messages(void **state)
{
    struct hs_system system = shipped("marenostrum5-acc");
    struct hs_gain gain;

    (void)state;
    gain = gain_of(&system, 64, 131072, "4x16");
    assert_true(is_left_alone(&gain));
    assert_true(gain.share < 0.5);
    gain = gain_of(&system, 64, 67108864, "16x4");
    assert_false(is_left_alone(&gain));
    hs_system_release(&system);
}

/* MPICH's blocking and nonblocking calls go by the same thresholds: a layer of all ranks by its own
 * call (letter n) takes as long, but for rings, which are ours there. */
static void mpichs_own_call_is_the_letter_of_all_ranks(void **state)
{
    static const struct {
        enum hs_collective collective;
        enum hs_phase phase;
        double bytes;
    } calls[] = {
        {HS_COLLECTIVE_REDUCE_SCATTER, HS_REDUCE_SCATTER, 65536},
        {HS_COLLECTIVE_REDUCE_SCATTER, HS_REDUCE_SCATTER, 16777216},
        {HS_COLLECTIVE_ALLGATHER, HS_ALLGATHER, 65536},
        {HS_COLLECTIVE_ALLTOALL, HS_EXCHANGE, 2048},
        {HS_COLLECTIVE_ALLTOALL, HS_EXCHANGE, 65536},
        {HS_COLLECTIVE_ALLTOALL, HS_EXCHANGE, 16777216},
    };
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~3us;library=mpich");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(calls); i++)
        for (int64_t np = 16; np <= 24; np += 8) {
            struct hs_stage_key key = {calls[i].phase, HS_NATIVE, {1, np}};
            struct hs_problem problem =
                hs_problem_of(calls[i].collective, HS_NATURAL, np, calls[i].bytes);
            struct hs_stage_price letter =
                hs_stage_price_at(&system, &problem.group, key, calls[i].bytes);
            struct hs_library_price price = hs_library_price(&system, &problem, 4);

            assert_near(price.seconds, hs_stage_seconds(&letter, calls[i].bytes), 1e-12);
        }
    hs_system_release(&system);
}

static struct hs_library_price price_of_groups(const struct hs_system *system, const char *text,
                                               const char *over, double bytes)
{
    struct hs_mesh mesh;
    struct hs_problem problem = {.bytes = bytes};

    assert_int_equal(hs_mesh_parse(&mesh, text, NULL), HS_OK);
    assert_int_equal(hs_mesh_parse_over(&mesh, over, NULL), HS_OK);
    problem.group = hs_mesh_group(&mesh, hs_mesh_ranks(&mesh));
    return hs_library_price(system, &problem, 4);
}

/* By a NIC each, eight groups at once take what one alone takes on nodes of one GPU and NIC. Two
 * nodes with eight groups of two at once, 5.31 GB: 0.277 s, and 0.439 s where two share a NIC (NCCL
 * issue 820; of its machine 8 GPUs by NVLink and InfiniBand are known, of a rate of 200 Gb/s). */
static void groups_share_the_nics_of_their_nodes(void **state)
{
    struct hs_system eight = parse("8xA100, 8xHDR200"), half = parse("8xA100, 4xHDR200");
    struct hs_system one = parse("1xA100, 1xHDR200");

    (void)state;
    assert_near(price_of_groups(&eight, "tp=8,dp=16", "dp", 1e9).seconds,
                price_of_groups(&one, "dp=16", "dp", 1e9).seconds, 1e-9);
    assert_near(price_of_groups(&eight, "tp=8,dp=2", "dp", 5.31e9).seconds, 0.277, 0.12);
    assert_near(price_of_groups(&half, "tp=8,dp=2", "dp", 5.31e9).seconds, 0.439, 0.1);
    hs_system_release(&eight);
    hs_system_release(&half);
    hs_system_release(&one);
}

static void groups_have_a_price_however_they_lie(void **state)
{
    static const char *const rows[][2] = {
        {"tp=3,dp=16", "tp"},        {"tp=3,dp=16", "dp"},        {"tp=16,dp=4", "tp"},
        {"tp=12,dp=4", "dp"},        {"tp=3,pp=2,dp=4", "tp,dp"}, {"tp=4,pp=2,dp=4", "tp,pp"},
        {"tp=4,pp=2,dp=4", "pp"},    {"tp=4,pp=2,dp=4", "pp,dp"}, {"tp=4,pp=3,dp=4", "tp,dp"},
        {"tp=4,pp=2,dp=4", "tp,dp"},
    };
    struct hs_system nccl = parse("8xH100, 8xNDR400"), mpi = parse("ib@10GB/s~2us;library=mpich");

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct hs_library_price price = price_of_groups(&nccl, rows[i][0], rows[i][1], 1e6);

        assert_true(hs_library_is_priced(&price));
        price = price_of_groups(&mpi, rows[i][0], rows[i][1], 1e6); /* but for gaps */
        assert_int_equal(hs_library_is_priced(&price), strcmp(rows[i][1], "tp,dp") != 0);
    }
    hs_system_release(&nccl);
    hs_system_release(&mpi);
}

/* By hand, switches of 4 domains that pass on what one of them sends: as many GPUs of as many
 * domains in a row, next to so many others of which rings go to another switch at once. */
static void groups_with_gaps_take_what_their_domains_do(void **state)
{
    static const struct {
        const char *mesh, *over;
        int64_t domains, gpus, others;
    } rows[] = {{"tp=4,pp=2,dp=16", "tp,dp", 16, 4, 1}, {"a=2,b=2,c=2,dp=16", "a,c,dp", 16, 4, 1},
                {"tp=8,a=2,b=2,c=4", "a,c", 8, 1, 2},   {"tp=8,a=2,b=4,c=4", "a,c", 8, 1, 2},
                {"tp=8,a=4,b=4,c=4", "a,c", 16, 1, 1},  {"tp=2,pp=4,b=8,c=4", "tp,c", 4, 2, 4}};
    struct hs_system open = parse("8xH100, 8xNDR400"), narrow = parse("8xH100, 8xNDR400, 4:4");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++)
        for (double bytes = 1e3; bytes < 1e10; bytes *= 1e3) {
            struct hs_nccl_ask ask = {HS_CALL_ALLREDUCE,
                                      rows[i].domains,
                                      rows[i].gpus,
                                      bytes,
                                      rows[i].others,
                                      NULL,
                                      0,
                                      0,
                                      false};

            assert_near(price_of_groups(&open, rows[i].mesh, rows[i].over, bytes).seconds,
                        hs_nccl_seconds(&open.nccl, &ask), 1e-12);
            assert_near(price_of_groups(&narrow, rows[i].mesh, rows[i].over, bytes).seconds,
                        hs_nccl_seconds(&narrow.nccl, &ask), 1e-12);
        }
    hs_system_release(&open);
    hs_system_release(&narrow);
}

/* Groups of 8 with 4 ranks of a node in one each: their ranks are alone on a node of one rank and a
 * quarter of its link. Groups within nodes are the call of a node. */
static void mpis_groups_share_the_links_of_their_nodes(void **state)
{
    static const enum hs_collective calls[] = {HS_COLLECTIVE_ALLREDUCE,
                                               HS_COLLECTIVE_REDUCE_SCATTER,
                                               HS_COLLECTIVE_ALLGATHER, HS_COLLECTIVE_ALLTOALL};
    static const char *const libraries[] = {"mpich", "openmpi"};
    struct hs_mesh mesh;
    char text[128];

    (void)state;
    assert_int_equal(hs_mesh_parse(&mesh, "tp=4,dp=8", NULL), HS_OK);
    for (size_t l = 0; l < HS_COUNT(libraries); l++)
        for (size_t c = 0; c < HS_COUNT(calls); c++)
            for (double bytes = 1024; bytes < 1e8; bytes *= 16) {
                struct hs_system nodes, alone, node;
                struct hs_problem groups = {.collective = calls[c], .bytes = bytes},
                                  inside = groups;
                struct hs_problem eight = hs_problem_of(calls[c], HS_NATURAL, 8, bytes);
                struct hs_problem four = hs_problem_of(calls[c], HS_NATURAL, 4, bytes);

                snprintf(text, sizeof(text), "node:4@20GB/s~1us,ib@10GB/s~3us;library=%s",
                         libraries[l]);
                nodes = parse(text);
                snprintf(text, sizeof(text), "ib@2.5GB/s~3us;library=%s", libraries[l]);
                alone = parse(text);
                snprintf(text, sizeof(text), "node@20GB/s~1us;library=%s", libraries[l]);
                node = parse(text);
                assert_int_equal(hs_mesh_parse_over(&mesh, "dp", NULL), HS_OK);
                groups.group = hs_mesh_group(&mesh, 32);
                assert_int_equal(hs_mesh_parse_over(&mesh, "tp", NULL), HS_OK);
                inside.group = hs_mesh_group(&mesh, 32);
                assert_near(hs_library_price(&nodes, &groups, 4).seconds,
                            hs_library_price(&alone, &eight, 4).seconds, 1e-9);
                assert_near(hs_library_price(&nodes, &inside, 4).seconds,
                            hs_library_price(&node, &four, 4).seconds, 1e-9);
                hs_system_release(&nodes);
                hs_system_release(&alone);
                hs_system_release(&node);
            }
}

/* A flat all-to-all of ours has all messages under way, as MPICH's below 32 KiB a block: nothing is
 * gained. Above, MPICH sends one after the other. */
static void an_all_to_all_is_compared_with_the_librarys(void **state)
{
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~3us;library=mpich");
    struct hs_problem problem = hs_problem_of(HS_COLLECTIVE_ALLTOALL, HS_NATURAL, 16, 16 * 16384);
    struct hs_plan flat = hs_problem_flat(&problem), split;
    struct hs_library_price price = hs_library_price(&system, &problem, 4);

    (void)state;
    assert_string_equal(price.choice, "scattered");
    assert_near(price.seconds, hs_plan_seconds(&system, &problem, &flat), 1e-12);
    assert_near(hs_mpi_plan_seconds(&system, &problem, &flat, 1),
                hs_plan_seconds(&system, &problem, &flat), 1e-12);
    assert_int_equal(hs_plan_parse(&split, "4x4", 16, NULL), HS_OK);
    assert_near(hs_mpi_plan_seconds(&system, &problem, &split, 1),
                hs_plan_seconds(&system, &problem, &split), 1e-12);
    problem.bytes = 16 * 65536.0;
    price = hs_library_price(&system, &problem, 4);
    assert_string_equal(price.choice, "pairwise exchange by bits");
    assert_true(price.seconds > hs_plan_seconds(&system, &problem, &flat));
    hs_system_release(&system);
}

static void what_has_no_price_says_so(void **state)
{
    struct hs_system rccl = parse("8xMI300X, 8xRoCE400"), none = parse("ib@10GB/s~2us");
    struct hs_problem problem = problem_world(16, 1e6), one = problem_world(1, 1e6), gaps = problem;
    struct hs_library_price price;

    (void)state;
    gaps.group = (struct hs_group){.ranks = 64, .stride = 1, .size = 8, .skips = {{2, 4}}};
    price = hs_library_price(&rccl, &gaps, 4);
    assert_int_equal(price.library, HS_LIBRARY_RCCL);
    assert_false(hs_library_is_priced(&price));
    price = hs_library_price(&none, &problem, 4);
    assert_int_equal(price.library, HS_LIBRARY_UNSAID);
    assert_false(hs_library_is_priced(&price));
    none.library = HS_LIBRARY_MPICH;
    price = hs_library_price(&none, &one, 4);
    assert_false(hs_library_is_priced(&price));
    hs_system_release(&rccl);
    hs_system_release(&none);
}

/* Groups that calls of 1 GiB end with, by hand: of 8 GPUs and NICs a node, 2 of 6 alone in one, 1
 * of 3 and of 5; of a rack's 72 GPUs 8 of 64 alone, each of which sends 56 of its 64 parts by one
 * NIC. */
static void groups_are_priced_by_their_slowest(void **state)
{
    static const struct {
        const char *machine;
        enum hs_collective collective;
        int64_t ranks, size, skip, factor;
        double nics, sent; /* of the narrowest domain; bytes a NIC sends at least, of each */
    } cases[] = {
        {"8xH100, 8xNDR400", HS_COLLECTIVE_ALLREDUCE, 24, 6, 0, 0, 2, 1}, /* a tree's: once */
        {"8xH100, 8xNDR400", HS_COLLECTIVE_ALLREDUCE, 24, 3, 0, 0, 1, 2 * 2.0 / 3},
        {"8xH100, 8xNDR400", HS_COLLECTIVE_ALLGATHER, 40, 5, 0, 0, 1, 4.0 / 5},
        {"8xH100, 8xNDR400", HS_COLLECTIVE_ALLREDUCE, 48, 12, 0, 0, 4, 1}, /* the same */
        {"72xGB200, 72xNDR400", HS_COLLECTIVE_ALLTOALL, 576, 64, 0, 0, 8, 8 * 56.0 / 64},
        {"8xH100, 8xNDR400", HS_COLLECTIVE_ALLGATHER, 72, 6, 3, 3, 1, 5.0 / 6}, /* with a gap */
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_system system = parse(cases[i].machine);
        struct hs_problem problem = problem_world(cases[i].ranks, 1 << 30);
        struct hs_machines machines = draw(&system, 20, 1);
        struct hs_library_price price;
        struct hs_plan flat;
        double each[20], least = cases[i].sent * (1 << 30) / (cases[i].nics * 50e9);

        problem.collective = cases[i].collective;
        problem.group.size = cases[i].size;
        problem.group.skips[0] = (struct hs_skip){cases[i].skip, cases[i].factor};
        assert_int_equal(hs_group_check(&problem.group, NULL), HS_OK);
        flat = hs_problem_flat(&problem);
        price = hs_library_price(&system, &problem, 4);
        assert_true(price.seconds >= least);
        assert_true(price.seconds < 1.5 * least);
        if (flat.split.count == 1)
            assert_near(price.seconds, hs_plan_seconds(&system, &problem, &flat), 1e-12);
        assert_int_equal(hs_library_seconds_each(each, &price, &machines, &problem, NULL), HS_OK);
        for (size_t j = 0; j < HS_COUNT(each); j++)
            assert_true(each[j] > price.seconds / 3 && each[j] < 3 * price.seconds);
        hs_machines_release(&machines);
        hs_system_release(&system);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("groups are priced by their slowest", groups_are_priced_by_their_slowest),
    HS_TEST("the flat split is NCCL's default call", the_flat_split_is_nccls_own_call),
    HS_TEST("the same algorithm gains nothing on any machine",
            the_same_algorithm_gains_nothing_on_any_machine),
    HS_TEST("a plan that is much faster is advised", a_plan_that_is_much_faster_is_advised),
    HS_TEST("what lies between calls counts for short messages",
            what_lies_between_calls_counts_for_short_messages),
    HS_TEST("MPICH's own call is the letter of all ranks",
            mpichs_own_call_is_the_letter_of_all_ranks),
    HS_TEST("groups share the NICs of their nodes", groups_share_the_nics_of_their_nodes),
    HS_TEST("groups have a price however they lie", groups_have_a_price_however_they_lie),
    HS_TEST("groups with gaps take what their domains do",
            groups_with_gaps_take_what_their_domains_do),
    HS_TEST("MPI's groups share the links of their nodes",
            mpis_groups_share_the_links_of_their_nodes),
    HS_TEST("an all-to-all is compared with the library's",
            an_all_to_all_is_compared_with_the_librarys),
    HS_TEST("what has no price says so", what_has_no_price_says_so),
};
HS_TEST_MAIN(tests)
