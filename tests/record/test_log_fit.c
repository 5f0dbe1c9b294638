/* Constants of NCCL's price from logs: a machine whose constants are known is found again. */
#include <math.h>

#include <stdio.h>

#include "../problem_world.h"
#include "library/price_library.h"
#include "library/price_nccl.h"
#include "record/log_fit.h"
#include "test.h"

static struct hs_system parts(const char *text)
{
    struct hs_system system;
    struct hs_error err = {0};

    if (hs_system_parse(&system, text, &err) != HS_OK)
        fail_msg("%s", err.message);
    return system;
}

static struct hs_log log_of(const char *text)
{
    struct hs_error err = {0};
    struct hs_log log;

    if (hs_log_parse(&log, NULL, "log", text, strlen(text), &err) != HS_OK)
        fail_msg("%s", err.message);
    return log;
}

static double allreduce(const struct hs_system *system, int64_t nodes, double bytes)
{
    struct hs_nccl_ask ask = {
        .kind = HS_CALL_ALLREDUCE, .domains = nodes, .gpus = 8, .bytes = bytes};
    struct hs_nccl_price price;

    assert_int_equal(hs_nccl_price(&price, &system->nccl, &ask, NULL), HS_OK);
    return price.seconds;
}

/* A log of two nodes, of a machine whose network starts later and whose calls cost more. */
static void two_nodes_say_what_many_take(void **state)
{
    struct hs_system truth = parts("8xH100, 8xNDR400"), system = parts("8xH100, 8xNDR400");
    const struct hs_log_facts facts = {
        .ranks = 16, .nodes = 2, .call_known = true, .call = HS_CALL_ALLREDUCE};
    struct hs_call_list calls = {0};
    struct hs_text csv = {0};
    struct hs_log file;
    struct hs_system plain = parts("8xH100, 8xNDR400");
    double before, after, fitted = 0, shipped = 0;

    (void)state;
    for (size_t k = 0; k < hs_nccl_price_model.count; k++) {
        const struct hs_constant *row = &hs_nccl_price_model.constants[k];
        double widths = k % 3 == 0 ? 1.5 : k % 3 == 1 ? -1 : 0.5;

        truth.nccl.own[k] = row->fitted * exp(widths * row->width);
    }
    hs_text_append(&csv, "bytes,seconds\n");
    for (double bytes = 1024; bytes <= 0x1p33; bytes *= 2)
        hs_text_append(&csv, "%.0f,%.9g\n", bytes, allreduce(&truth, 2, bytes));
    file = log_of(csv.data);
    assert_int_equal(hs_log_calls(&calls, &system, &file, "log", &facts, NULL), HS_OK);
    assert_int_equal(calls.count, 24);
    assert_int_equal(hs_calls_fit(&system, &calls, &before, &after, NULL), HS_OK);
    assert_true(before > 0.1);
    assert_true(after < before / 3);
    assert_true(system.constants.count > 0);
    for (size_t i = 0; i < system.constants.count; i++)
        assert_true(system.constants.items[i].low < system.constants.items[i].value &&
                    system.constants.items[i].value < system.constants.items[i].high);
    for (double bytes = 0x1p20; bytes <= 0x1p33; bytes *= 2) {
        double wanted = log(allreduce(&truth, 16, bytes));

        fitted += fabs(log(allreduce(&system, 16, bytes)) - wanted);
        shipped += fabs(log(allreduce(&plain, 16, bytes)) - wanted);
    }
    print_message("# 16 nodes from 1 MiB on: %.1f %% off by what ships, %.1f %% by the log\n",
                  100 * shipped / 14, 100 * fitted / 14);
    assert_true(fitted < 0.65 * shipped);
    hs_system_release(&plain);
    hs_call_list_release(&calls);
    hs_log_release(&file);
    hs_text_release(&csv);
    hs_system_release(&system);
    hs_system_release(&truth);
}

/* Times that no constants meet: every other size takes 1.4 times as long as the one before it says.
 * What is left is kept, and the ranges of the calls that were fitted hold most of them. */
static void ranges_hold_what_a_fit_leaves(void **state)
{
    struct hs_system truth = parts("8xH100, 8xNDR400"), system = parts("8xH100, 8xNDR400");
    const struct hs_log_facts facts = {
        .ranks = 16, .nodes = 2, .call_known = true, .call = HS_CALL_ALLREDUCE};
    struct hs_call_list calls = {0};
    struct hs_text csv = {0};
    struct hs_log file;
    double before, after, squares = 0;
    size_t inside = 0, number = 0;

    (void)state;
    hs_text_append(&csv, "bytes,seconds\n");
    for (double bytes = 1024; bytes <= 0x1p33; bytes *= 2)
        hs_text_append(&csv, "%.0f,%.9g\n", bytes,
                       allreduce(&truth, 2, bytes) * (number++ % 2 ? 1.4 : 1 / 1.4));
    file = log_of(csv.data);
    assert_int_equal(hs_log_calls(&calls, &system, &file, "log", &facts, NULL), HS_OK);
    assert_int_equal(hs_calls_fit(&system, &calls, &before, &after, NULL), HS_OK);
    for (size_t i = 0; i < calls.count; i++) {
        struct hs_call_price price = hs_log_call_price(&calls.items[i], &system);
        double off = log(price.seconds / calls.items[i].seconds);

        squares += off * off;
        inside += calls.items[i].seconds >= price.low_seconds &&
                  calls.items[i].seconds <= price.high_seconds;
    }
    assert_near(system.constants.residual, sqrt(squares / (double)calls.count), 1e-9);
    assert_true(system.constants.residual > 0.2);
    assert_true(inside >= calls.count * 85 / 100);
    hs_call_list_release(&calls);
    hs_log_release(&file);
    hs_text_release(&csv);
    hs_system_release(&system);
    hs_system_release(&truth);
}

#define CPUS "node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich"

static double mpi_allreduce(const struct hs_system *system, int64_t np, double bytes)
{
    struct hs_problem problem = problem_world(np, bytes);

    return hs_library_price(system, &problem, 4).seconds;
}

/* Logs of OSU's benchmark on 2 and 4 nodes, of a machine whose steps cost twice what its levels
 * say. */
static void osu_logs_of_two_counts_say_what_many_take(void **state)
{
    static const char *const names[] = {"step", "reduce", "far", "rate", "grain"};
    static const double values[] = {2, 0.2, 1.2, 0.8, 0.15};
    struct hs_own_constant own[HS_COUNT(names)] = {{.value = 0}};
    struct hs_system truth = parts(CPUS), system = parts(CPUS), plain = parts(CPUS);
    struct hs_call_list calls = {0};
    double before, after, fitted = 0, described = 0;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(names); i++) {
        snprintf(own[i].name, sizeof(own[i].name), "%s", names[i]);
        own[i].value = values[i];
    }
    truth.constants = (struct hs_own_constants){.items = own, .count = HS_COUNT(names)};
    for (int64_t nodes = 2; nodes <= 4; nodes *= 2) {
        const struct hs_log_facts facts = {.ranks = 4 * nodes, .nodes = nodes};
        struct hs_text osu = {0};
        struct hs_log file;

        hs_text_append(&osu, "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n");
        for (double bytes = 4; bytes <= 0x1p26; bytes *= 2)
            hs_text_append(&osu, "%.0f %.9g\n", bytes,
                           1e6 * mpi_allreduce(&truth, 4 * nodes, bytes));
        file = log_of(osu.data);
        assert_int_equal(hs_log_calls(&calls, &system, &file, "log", &facts, NULL), HS_OK);
        hs_log_release(&file);
        hs_text_release(&osu);
    }
    assert_int_equal(calls.count, 2 * 25);
    assert_int_equal(hs_calls_fit(&system, &calls, &before, &after, NULL), HS_OK);
    assert_true(before > 0.3);
    assert_true(after < before / 5);
    for (double bytes = 1024; bytes <= 0x1p26; bytes *= 2) {
        double wanted = log(mpi_allreduce(&truth, 64, bytes));

        fitted += fabs(log(mpi_allreduce(&system, 64, bytes)) - wanted);
        described += fabs(log(mpi_allreduce(&plain, 64, bytes)) - wanted);
    }
    print_message("# 16 nodes from 1 KiB on: %.1f %% off by the levels, %.1f %% by the logs\n",
                  100 * described / 17, 100 * fitted / 17);
    assert_true(fitted < 0.25 * described);
    hs_call_list_release(&calls);
    truth.constants = (struct hs_own_constants){.items = NULL};
    hs_system_release(&plain);
    hs_system_release(&system);
    hs_system_release(&truth);
}

/* Nodes of 8 ranks whose memory carries half of what the line's does and whose steps take twice. */
static void logs_of_one_and_two_nodes_say_what_a_node_shares(void **state)
{
    static const double counts[] = {1, 2};
    struct hs_own_constant own[] = {{.name = "rate_node", .value = 0.5},
                                    {.name = "step_node", .value = 2}};
    const char *line = "8xMilan, 1xHDR100; library=openmpi";
    struct hs_system truth = parts(line), system = parts(line);
    struct hs_call_list calls = {0};
    double before, after;

    (void)state;
    truth.constants = (struct hs_own_constants){.items = own, .count = HS_COUNT(own)};
    for (size_t k = 0; k < HS_COUNT(counts); k++) {
        const struct hs_log_facts facts = {.ranks = 8 * (int64_t)counts[k],
                                           .nodes = (int64_t)counts[k]};
        struct hs_text osu = {0};
        struct hs_log file;

        hs_text_append(&osu, "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n");
        for (double bytes = 4; bytes <= 0x1p26; bytes *= 2)
            hs_text_append(&osu, "%.0f %.9g\n", bytes,
                           1e6 * mpi_allreduce(&truth, facts.ranks, bytes));
        file = log_of(osu.data);
        assert_int_equal(hs_log_calls(&calls, &system, &file, "log", &facts, NULL), HS_OK);
        hs_log_release(&file);
        hs_text_release(&osu);
    }
    assert_int_equal(hs_calls_fit(&system, &calls, &before, &after, NULL), HS_OK);
    for (double bytes = 1024; bytes <= 0x1p26; bytes *= 4)
        assert_near(mpi_allreduce(&system, 128, bytes), mpi_allreduce(&truth, 128, bytes), 0.1);
    hs_call_list_release(&calls);
    truth.constants = (struct hs_own_constants){.items = NULL};
    hs_system_release(&system);
    hs_system_release(&truth);
}

/* What is known so far is where a second log begins. */
static void a_second_log_adds_to_the_first(void **state)
{
    struct hs_system system = parts(CPUS);
    const struct hs_log_facts facts = {.ranks = 8, .nodes = 2};
    struct hs_log small = log_of("# OSU MPI Allreduce Latency Test v7.4\n# Size Avg Latency(us)\n"
                                 "4 30\n8 30\n16 30\n32 30\n64 31\n");
    struct hs_log large = log_of("# OSU MPI Allreduce Latency Test v7.4\n# Size Avg Latency(us)\n"
                                 "16777216 9000\n33554432 18000\n67108864 36000\n");
    struct hs_call_list first = {0}, second = {0};
    double before, after, step, count;

    (void)state;
    assert_int_equal(hs_log_calls(&first, &system, &small, "log", &facts, NULL), HS_OK);
    assert_int_equal(hs_calls_fit(&system, &first, &before, &after, NULL), HS_OK);
    assert_true(system.constants.count > 0);
    assert_string_equal(system.constants.items[0].name, "step");
    step = system.constants.items[0].value;
    count = (double)system.constants.count;
    assert_true(step > 1.2);
    assert_int_equal(hs_log_calls(&second, &system, &large, "log", &facts, NULL), HS_OK);
    assert_int_equal(hs_calls_fit(&system, &second, &before, &after, NULL), HS_OK);
    assert_true((double)system.constants.count > count);
    assert_near(system.constants.items[0].value, step, 0.02 * step);
    hs_call_list_release(&first);
    hs_call_list_release(&second);
    hs_log_release(&small);
    hs_log_release(&large);
    hs_system_release(&system);
}

static void algorithms_are_the_libraries_unless_forced(void **state)
{
    static const char csv[] = "bytes,seconds,np,nodes,call\n67108864,0.002,16,2,allreduce\n";
    static const char gather[] = "# OSU MPI Allgather Latency Test\n# Size Avg Latency(us)\n8 5\n";
    struct hs_system system = parts("8xH100, 8xNDR400"), cpus = parts(CPUS);
    struct hs_log log = log_of(csv), said = log_of(csv), osu = log_of(gather);
    struct hs_call_list calls = {0};

    (void)state;
    said.runs[0].among = 1U << HS_NCCL_TREE;
    assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &(struct hs_log_facts){0}, NULL),
                     HS_OK);
    assert_int_equal(calls.items[0].nccl.choice.algorithm, HS_NCCL_NVLSTREE);
    assert_int_equal(hs_log_calls(&calls, &system, &said, "log", &(struct hs_log_facts){0}, NULL),
                     HS_OK);
    assert_int_equal(calls.items[1].nccl.choice.algorithm, HS_NCCL_TREE);
    assert_int_equal(hs_log_calls(&calls, &system, &said, "log",
                                  &(struct hs_log_facts){.algorithm = "ring"}, NULL),
                     HS_OK);
    assert_int_equal(calls.items[2].nccl.choice.algorithm, HS_NCCL_RING);
    assert_int_equal(
        hs_log_calls(&calls, &cpus, &osu, "log",
                     &(struct hs_log_facts){.ranks = 8, .nodes = 2, .algorithm = "ring"}, NULL),
        HS_OK);
    assert_int_equal(calls.items[3].mpi.algorithm, HS_MPI_RING);
    assert_true(calls.items[3].bytes == 64); /* of all ranks */
    hs_call_list_release(&calls);
    hs_log_release(&osu);
    hs_log_release(&said);
    hs_log_release(&log);
    hs_system_release(&cpus);
    hs_system_release(&system);
}

static void what_a_log_leaves_out_is_asked_for(void **state)
{
    static const char csv[] = "bytes,seconds\n1048576,0.0002\n";
    static const char osu[] =
        "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n4 1.5\n";
    static const char rccl[] =
        "# OSU RCCL-ROCM Allreduce Latency Test v7.5\n# Size  Avg Latency(us)\n4 1.5\n";
    static const struct {
        const char *system, *log;
        struct hs_log_facts facts;
        const char *message;
    } cases[] = {
        {"8xH100, 8xNDR400",
         csv,
         {0, 0, false, 0, NULL, false},
         "which collective it ran: --call NAME"},
        {"8xH100, 8xNDR400",
         csv,
         {0, 0, true, 0, NULL, false},
         "how many ranks there were: --np N"},
        {"8xH100, 8xNDR400",
         csv,
         {16, 0, true, 0, NULL, false},
         "on how many nodes it ran: --nodes N"},
        {"8xH100, 8xNDR400",
         csv,
         {16, 3, true, 0, NULL, false},
         "16 ranks on 3 nodes: expected as many on each"},
        {"8xH100, 8xNDR400",
         csv,
         {32, 2, true, 0, NULL, false},
         "log: expected 1 to 8 GPUs of each node"},
        {"8xH100", csv, {16, 2, true, 0, NULL, false}, "log: 2 nodes need NICs"},
        {"8xH100, 8xNDR400",
         osu,
         {16, 2, true, 0, NULL, false},
         "log: has times of MPI, and the machine's library is NCCL"},
        {CPUS, osu, {8, 0, false, 0, NULL, false}, "on how many nodes it ran: --nodes N"},
        {CPUS, osu, {12, 2, false, 0, NULL, false}, "6 ranks on each of 2 nodes: expected 1 or 4"},
        {CPUS, rccl, {8, 2, false, 0, NULL, false}, "log: has times of RCCL"},
        {CPUS, csv, {8, 2, true, HS_CALL_ALLGATHER, "tree", false}, "--algorithm ring or halving"},
        {CPUS, csv, {8, 2, true, 0, "rng", false}, "--algorithm: unknown algorithm \"rng\""},
        {"8xH100, 8xNDR400",
         csv,
         {16, 2, true, HS_CALL_ALLGATHER, "tree", false},
         "log: NCCL has no tree for its allgather there"},
        {"nvlink:8@300GB/s~3us,ib@200GB/s~14us",
         csv,
         {16, 2, true, 0, NULL, false},
         "a machine that says which it has"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_system system = parts(cases[i].system);
        struct hs_log log = log_of(cases[i].log);
        struct hs_call_list calls = {0};
        struct hs_error err = {0};

        assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &cases[i].facts, &err),
                         HS_INVALID);
        assert_has(err.message, cases[i].message);
        hs_call_list_release(&calls);
        hs_log_release(&log);
        hs_system_release(&system);
    }
}

/* 18 trays of 4 GPUs are one NVLink domain. */
/* By hand: of 32 GPUs of a leaf each sends 224 of 256 GiB-parts through an eighth of 32 NICs; of 8
 * GPUs that call alone, one a node, a leaf of 4 sends half of each one's through half of a NIC. */
static void a_log_is_priced_with_its_machines_taper(void **state)
{
    const struct {
        int64_t ranks, nodes;
        double least;
    } cases[] = {{256, 32, 224.0 / 256 * 32 / (32 * 48e9 / 8)}, {8, 8, 4 * 0.5 / (32 * 48e9 / 8)}};
    struct hs_system system = parts("8xH100, 8xNDR400, 4:8");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_log_run run = {.call = HS_CALL_ALLTOALL,
                                 .call_known = true,
                                 .ranks = cases[i].ranks,
                                 .nodes = cases[i].nodes};
        struct hs_log_point point = {.bytes = 1 << 30, .seconds = 0.2};
        struct hs_log log = {.runs = &run, .run_count = 1, .points = &point, .point_count = 1};
        struct hs_call_list calls = {0};
        struct hs_call_price price;

        assert_int_equal(
            hs_log_calls(&calls, &system, &log, "log", &(struct hs_log_facts){0}, NULL), HS_OK);
        price = hs_log_call_price(&calls.items[0], &system);
        assert_true(price.low_seconds >= cases[i].least * (1 << 30));
        assert_true(price.seconds < 3 * 8 * cases[i].least * (1 << 30));
        hs_call_list_release(&calls);
    }
    hs_system_release(&system);
}

static void a_rack_is_one_domain_whatever_its_hosts(void **state)
{
    struct hs_system system = parts("72xGB200, 72xNDR400");
    struct hs_log log = log_of("bytes,seconds\n1048576,0.0002\n");
    const struct hs_log_facts facts = {
        .ranks = 72, .nodes = 18, .call_known = true, .call = HS_CALL_ALLREDUCE};
    struct hs_call_list calls = {0};

    (void)state;
    assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &facts, NULL), HS_OK);
    assert_int_equal(calls.items[0].nccl.call.shape.domains, 1);
    assert_int_equal(calls.items[0].nccl.call.shape.gpus, 72);
    hs_call_list_release(&calls);
    hs_log_release(&log);
    hs_system_release(&system);
}

#define HEAD                                                                                       \
    "# Collective test starting: all_reduce_perf\n"                                                \
    "#  Rank  0 Group  0 Pid  1 on n0 device  0 [0000:10:00] NVIDIA H100\n"                        \
    "#  Rank  1 Group  0 Pid  2 on n0 device  1 [0000:11:00] NVIDIA H100\n"
#define ROW(algbw, busbw)                                                                          \
    "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"               \
    "1048576 262144 float sum -1 100.0 " algbw " " busbw " 0 100.0 " algbw " " busbw " 0\n"

/* 1.75 is 2 7 / 8, of 8 ranks; the lists have fewer. */
static void ranks_that_contradict_each_other_are_refused_unless_told(void **state)
{
    static const char rates[] = HEAD ROW("100.00", "175.00");
    static const char joined[] = HEAD
        "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0\n" ROW(
            "10.00", "10.00");
    static const char gap[] =
        HEAD "#  Rank  7 Group  0 Pid  1 on n0 device  1 [0000:10:00] NVIDIA H100\n"
             "#  Rank  4 Group  0 Pid  1 on n0 device  0 [0000:10:00] NVIDIA H100\n" ROW("100.00",
                                                                                         "175.00");
    static const char alone[] =
        "# Collective test starting: all_reduce_perf\n"
        "#  Rank  0 Group  0 Pid  1 on n0 device  0 [0000:10:00] NVIDIA H100\n"
        "#  Rank  0 Group  0 Pid  1 on n1 device  0 [0000:10:00] NVIDIA H100\n" ROW("100.00",
                                                                                    "0.00");
    static const char unlisted[] =
        "# Collective test starting: all_reduce_perf\n"
        "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0\n" ROW(
            "100.00", "175.00");
    static const char told[] = HEAD
        "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0\n" ROW(
            "100.00", "175.00");
    static const char hosts[] = HEAD
        "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0\n" ROW(
            "100.00", "100.00");
    static const struct {
        const char *log;
        int64_t np, nodes;
        const char *message; /* NULL: taken, with 8 ranks on 2 nodes */
    } cases[] = {
        {hosts, 0, 0, "log: lists ranks of 1 nodes, but line 4 says 2 nodes: give --np N"},
        {rates, 0, 0,
         "log: says 2 ranks, but busbw / algbw in line 5 is that of 8 ranks: give --np N"},
        {rates, 8, 0, "on how many nodes it ran: --nodes N"},
        {rates, 8, 2, NULL},
        {joined, 0, 0, "log: says 2 ranks, but line 4 is of 8 ranks: give --np N"},
        {gap, 0, 0, "on how many nodes it ran: --nodes N"},
        {gap, 0, 2, NULL},
        {told, 8, 0, NULL},
        {alone, 0, 0, "log: one rank does not communicate"},
        {unlisted, 0, 0, NULL},
    };
    struct hs_system system = parts("8xH100, 8xNDR400");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        const struct hs_log_facts facts = {.ranks = cases[i].np, .nodes = cases[i].nodes};
        struct hs_log log = log_of(cases[i].log);
        struct hs_call_list calls = {0};
        struct hs_error err = {0};

        assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &facts, &err),
                         cases[i].message ? HS_INVALID : HS_OK);
        if (cases[i].message) {
            assert_has(err.message, cases[i].message);
        } else {
            assert_int_equal(calls.items[0].ranks, 8);
            assert_int_equal(calls.items[0].nodes, 2);
        }
        hs_call_list_release(&calls);
        hs_log_release(&log);
    }
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("logs of one node and of two say what a node shares",
            logs_of_one_and_two_nodes_say_what_a_node_shares),
    HS_TEST("ranges hold what a fit leaves", ranges_hold_what_a_fit_leaves),
    HS_TEST("two nodes say what many take", two_nodes_say_what_many_take),
    HS_TEST("OSU logs of two counts say what many take", osu_logs_of_two_counts_say_what_many_take),
    HS_TEST("a second log adds to the first", a_second_log_adds_to_the_first),
    HS_TEST("algorithms are the libraries' unless forced",
            algorithms_are_the_libraries_unless_forced),
    HS_TEST("what a log leaves out is asked for", what_a_log_leaves_out_is_asked_for),
    HS_TEST("a log is priced with its machine's taper", a_log_is_priced_with_its_machines_taper),
    HS_TEST("ranks that contradict each other are refused unless told",
            ranks_that_contradict_each_other_are_refused_unless_told),
    HS_TEST("a rack is one domain whatever its hosts", a_rack_is_one_domain_whatever_its_hosts),
};
HS_TEST_MAIN(tests)
