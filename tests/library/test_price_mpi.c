/* The price of MPI's collectives, against another implementation (price_goldens.h) and the
 * textbook; what libraries run. */
#include "library/constants_mpi.h"
#include "library/library_mpi.h"
#include "library/price_plan.h"
#include "model/traffic.h"
#include "price_goldens.h"
#include "systems.h"

static void every_call_has_its_price(void **state)
{
    double values[HS_CONSTANTS_MAX];

    (void)state;
    assert_int_equal(HS_COUNT(golden_mpi), 90);
    hs_constants_shipped(values, &hs_mpi_price_model);
    for (size_t i = 0; i < HS_COUNT(golden_mpi); i++)
        assert_near(hs_mpi_price_model.seconds(&golden_mpi[i].call, values), golden_mpi[i].seconds,
                    1e-9);
}

static struct hs_mpi_call call_of(enum hs_mpi_algorithm algorithm, double bytes)
{
    return (struct hs_mpi_call){
        .machine = HS_MPI_LUMI, .algorithm = algorithm, .ranks = 256, .tasks = 1, .bytes = bytes};
}

static double seconds_of(enum hs_mpi_algorithm algorithm, double bytes)
{
    struct hs_mpi_call call = call_of(algorithm, bytes);
    double values[HS_CONSTANTS_MAX];

    hs_constants_shipped(values, &hs_mpi_price_model);
    return hs_mpi_price_model.seconds(&call, values);
}

/* Thakur, Rabenseifner and Gropp 2005, section 4.5: doubling for short messages, halving for long
 * ones; a ring never before halving where ranks are a power of two. */
static void the_fastest_is_the_textbooks(void **state)
{
    (void)state;
    assert_true(seconds_of(HS_MPI_DOUBLING, 64) < seconds_of(HS_MPI_HALVING, 64));
    assert_true(seconds_of(HS_MPI_HALVING, 1e6) < seconds_of(HS_MPI_DOUBLING, 1e6));
    assert_true(seconds_of(HS_MPI_HALVING, 1e6) < seconds_of(HS_MPI_RING, 1e6));
}

static void more_doubt_makes_a_wider_range(void **state)
{
    struct hs_mpi_call call = call_of(HS_MPI_RING, 1e6);
    double values[HS_CONSTANTS_MAX];

    (void)state;
    hs_constants_shipped(values, &hs_mpi_price_model);
    assert_near(hs_mpi_deviation(&call, values, 0, 0), hs_error_point(HS_ERROR_CPU, call.bytes),
                1e-12);
    assert_true(hs_mpi_deviation(&call, values, 0.4, 0) > hs_error_point(HS_ERROR_CPU, call.bytes));
    assert_true(hs_mpi_deviation(&call, values, 0.9, 0) > hs_mpi_deviation(&call, values, 0.4, 0));
}

/* ---- on the levels of a system ---- */

static double seconds_on(const struct hs_system *system, struct hs_mpi_call call)
{
    double values[HS_CONSTANTS_MAX];

    call.machine = HS_MPI_SYSTEM;
    call.system = system;
    hs_mpi_system_values(values, system);
    return hs_mpi_price_model.seconds(&call, values);
}

/* The same, section 4, alpha 2 us and beta 0.1 ns/B, nothing reduced. */
static void one_level_costs_what_the_textbook_says(void **state)
{
    struct hs_system system = parse("ib@10GB/s~2us;library=mpich");
    struct hs_mpi_call call = {.ranks = 16, .tasks = 1, .bytes = 1e6};
    const double a = 2e-6, nb = 1e-4, part = 15 / 16.0;

    (void)state;
    call.algorithm = HS_MPI_RING;
    assert_near(seconds_on(&system, call), 2 * 15 * a + 2 * part * nb, 1e-12);
    call.algorithm = HS_MPI_HALVING;
    assert_near(seconds_on(&system, call), 2 * 4 * a + 2 * part * nb, 1e-12);
    call.algorithm = HS_MPI_DOUBLING;
    assert_near(seconds_on(&system, call), 4 * (a + nb), 1e-12);
    call.algorithm = HS_MPI_TREE;
    assert_near(seconds_on(&system, call), 2 * 4 * (a + nb), 1e-12);
    call.ranks = 20; /* 4 of them fold */
    call.algorithm = HS_MPI_DOUBLING;
    assert_near(seconds_on(&system, call), (4 + 2) * (a + nb), 1e-12);
    hs_system_release(&system);
}

/* The same, for n bytes of a reduce-scatter, an allgather and an all-to-all (with LogGP's o, of
 * which links wait for a sixth); beyond a power of two as MPICH's comments have it, (floor(lg p) +
 * 2) a + n b (1 + (p - 1 + r) / p), r ranks beyond. */
static void parts_of_an_allreduce_cost_what_the_textbook_says(void **state)
{
    const double a = 2e-6, nb = 1e-4, part = 15 / 16.0, o = HS_MESSAGE_SECONDS;
    const struct {
        enum hs_library_call kind;
        enum hs_mpi_algorithm algorithm;
        int64_t ranks;
        double seconds;
    } calls[] = {
        {HS_CALL_REDUCE_SCATTER, HS_MPI_RING, 16, 15 * a + part * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_HALVING, 16, 4 * a + part * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_HALVING, 12, 5 * a + (1 + 15 / 12.0) * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_PAIRWISE, 16, 15 * a + part * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_PAIRWISE, 7, 6 * a + 6 / 7.0 * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_BUTTERFLY, 16, 4 * a + part * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_BUTTERFLY, 12, 6 * a + (1 + 7 / 8.0 + 2 / 12.0) * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_SCATTER, 16, 5 * a + (4 + part) * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_ROOT, 6, 6 * a + (5 + 5 / 6.0) * nb},
        {HS_CALL_REDUCE_SCATTER, HS_MPI_DOUBLING, 16, 4 * (a + nb)},
        {HS_CALL_ALLGATHER, HS_MPI_RING, 16, 15 * a + part * nb},
        {HS_CALL_ALLGATHER, HS_MPI_HALVING, 16, 4 * a + part * nb},
        {HS_CALL_ALLGATHER, HS_MPI_BRUCK, 12, 4 * a + 11 / 12.0 * nb},
        {HS_CALL_ALLGATHER, HS_MPI_NEIGHBOR, 16, 8 * a + part * nb},
        {HS_CALL_ALLGATHER, HS_MPI_NEIGHBOR, 6, 3 * a + 5 / 6.0 * nb},
        {HS_CALL_ALLGATHER, HS_MPI_NEIGHBOR, 2, a + nb / 2},
        {HS_CALL_ALLGATHER, HS_MPI_NEIGHBOR, 7, 6 * a + 6 / 7.0 * nb},
        {HS_CALL_ALLTOALL, HS_MPI_PAIRWISE, 12, 11 * a + 11 / 12.0 * nb},
        {HS_CALL_ALLTOALL, HS_MPI_BITS, 16, 15 * a + part * nb},
        {HS_CALL_ALLTOALL, HS_MPI_BRUCK, 16, 4 * (a + nb / 2)},
        {HS_CALL_ALLTOALL, HS_MPI_BRUCK, 6, 3 * a + (3 + 2 + 2) / 6.0 * nb},
        {HS_CALL_ALLTOALL, HS_MPI_LINEAR, 16, a + 14 * o / 6 + part * nb},
        {HS_CALL_ALLTOALL, HS_MPI_SCATTERED, 64, 2 * a + 62 * o / 6 + 63 / 64.0 * nb},
        {HS_CALL_ALLTOALL, HS_MPI_SYNC, 16, 2 * a + 14 * o / 6 + part * nb},
    };
    struct hs_system system = parse("ib@10GB/s~2us;library=mpich");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(calls); i++)
        assert_near(seconds_on(&system, (struct hs_mpi_call){.kind = calls[i].kind,
                                                             .algorithm = calls[i].algorithm,
                                                             .ranks = calls[i].ranks,
                                                             .tasks = 1,
                                                             .bytes = 1e6}),
                    calls[i].seconds, 1e-12);
    hs_system_release(&system);
}

/* Messages of one step, pair by pair, through 4 nodes of 4 ranks: its busiest node's. */
static double brute_step(const int to[16], double bytes)
{
    int leaving[4] = {0};
    double latency = 1e-6, seconds = bytes / 20e9;

    for (int r = 0; r < 16; r++)
        if (to[r] / 4 != r / 4) {
            leaving[r / 4]++;
            latency = 3e-6;
        }
    for (int node = 0; node < 4; node++)
        seconds = fmax(seconds, leaving[node] * bytes / 10e9);
    return latency + seconds;
}

/* Of all the algorithms whose every rank sends at each step, by who sends to whom. */
static void steps_equal_a_count_of_every_message(void **state)
{
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~3us;library=openmpi");
    struct hs_mpi_call call = {.ranks = 16, .tasks = 1, .bytes = 16e6};
    double pairwise = 0, halving = 0, butterfly = 0, neighbor = 0, bruck = 0, bits = 0, spread = 0;
    int to[16];

    (void)state;
    for (int k = 1; k < 16; k++) {
        for (int r = 0; r < 16; r++)
            to[r] = (r + k) % 16;
        pairwise += brute_step(to, 1e6);
        spread += (k & (k - 1)) == 0 ? brute_step(to, 8e6) : 0;
        bruck += (k & (k - 1)) == 0 ? brute_step(to, 1e6 * k) : 0;
        for (int r = 0; r < 16; r++)
            to[r] = r ^ k;
        bits += brute_step(to, 1e6);
    }
    for (int bit = 1; bit < 16; bit *= 2) {
        for (int r = 0; r < 16; r++)
            to[r] = r ^ bit;
        halving += brute_step(to, 1e6 * bit);
        butterfly += brute_step(to, 8e6 / bit);
    }
    for (int k = 0; k < 8; k++) {
        for (int r = 0; r < 16; r++)
            to[r] = (r + (k % 2 == r % 2 ? 1 : 15)) % 16;
        neighbor += brute_step(to, k == 0 ? 1e6 : 2e6);
    }
    call.kind = HS_CALL_REDUCE_SCATTER;
    call.algorithm = HS_MPI_PAIRWISE;
    assert_near(seconds_on(&system, call), pairwise, 1e-12);
    call.algorithm = HS_MPI_HALVING;
    assert_near(seconds_on(&system, call), halving, 1e-12);
    call.algorithm = HS_MPI_BUTTERFLY;
    assert_near(seconds_on(&system, call), butterfly, 1e-12);
    call.kind = HS_CALL_ALLGATHER;
    call.algorithm = HS_MPI_NEIGHBOR;
    assert_near(seconds_on(&system, call), neighbor, 1e-12);
    call.algorithm = HS_MPI_BRUCK;
    assert_near(seconds_on(&system, call), bruck, 1e-12);
    call.kind = HS_CALL_ALLTOALL;
    assert_near(seconds_on(&system, call), spread, 1e-12);
    call.algorithm = HS_MPI_PAIRWISE;
    assert_near(seconds_on(&system, call), pairwise, 1e-12);
    call.algorithm = HS_MPI_BITS;
    assert_near(seconds_on(&system, call), bits, 1e-12);
    hs_system_release(&system);
}

/* Two ports of 5 GB/s: the ring's one hop out of a node has one, four swaps have both. */
static void a_message_has_its_port_alone(void **state)
{
    struct hs_system system = parse("node:4@100GB/s~1us,ib@10GB/s~1us/2p!;library=mpich");
    struct hs_mpi_call call = {.kind = HS_CALL_ALLGATHER, .ranks = 8, .tasks = 1, .bytes = 8e6};

    (void)state;
    call.algorithm = HS_MPI_RING;
    assert_near(seconds_on(&system, call), 7 * (1e-6 + 1e6 / 5e9), 1e-12);
    call.algorithm = HS_MPI_HALVING;
    assert_near(seconds_on(&system, call), 3e-6 + 3e6 / 100e9 + 4 * 4e6 / 10e9, 1e-12);
    hs_system_release(&system);
}

/* 4 ranks of a node, 4 nodes. Halving: n/2 and n/4 inside at 0.05 ns/B and 1 us; then n/8 and n/16
 * from all ranks of a node at once through its 10 GB/s, 3 us. A ring's step waits for bytes on the
 * slowest link, of one rank, and for latencies on average: 12 hops of 16 stay inside. */
static void each_step_costs_what_the_farthest_partners_cost(void **state)
{
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~3us;library=openmpi");
    struct hs_mpi_call call = {.ranks = 16, .tasks = 1, .bytes = 16e6};
    double half = 2e-6 + 12e6 / 20e9 + 6e-6 + 3e6 * 4 / 10e9;

    (void)state;
    call.algorithm = HS_MPI_HALVING;
    assert_near(seconds_on(&system, call), 2 * half, 1e-12);
    call.algorithm = HS_MPI_RING;
    assert_near(seconds_on(&system, call), 30 * ((12 * 1e-6 + 4 * 3e-6) / 16 + 1e6 / 10e9), 1e-12);
    /* Nodes first: short messages by trees inside, leaders alone outside. */
    call = (struct hs_mpi_call){
        .ranks = 16, .tasks = 4, .in_nodes = true, .bytes = 1000, .algorithm = HS_MPI_DOUBLING};
    assert_near(seconds_on(&system, call), 2 * 2 * (1e-6 + 1000 / 20e9) + 2 * (3e-6 + 1000 / 10e9),
                1e-12);
    hs_system_release(&system);
}

/* The piece decides: 16 KiB are 1 KiB of a ring of 16, and all of them at each step of doubling. */
static void a_message_beyond_the_eager_limit_waits_for_its_partner(void **state)
{
    struct hs_system system = parse("ib@10GB/s~2us;library=mpich");
    struct hs_mpi_call call = {.ranks = 16, .tasks = 1, .bytes = 16384};
    double ring, doubling;

    (void)state;
    call.algorithm = HS_MPI_RING;
    ring = seconds_on(&system, call);
    call.algorithm = HS_MPI_DOUBLING;
    doubling = seconds_on(&system, call);
    system.levels[0].eager_bytes = 8192;
    system.levels[0].rendezvous_seconds = 5e-6;
    assert_near(seconds_on(&system, call), doubling + 4 * 5e-6, 1e-12);
    call.algorithm = HS_MPI_RING;
    assert_near(seconds_on(&system, call), ring, 1e-12);
    call.bytes = 16 * 8193;
    assert_near(seconds_on(&system, call), 30 * (2e-6 + 8193 / 10e9 + 5e-6), 1e-12);
    hs_system_release(&system);
}

/* With a machine's constants as its own a system costs what the machine does. */
static void a_system_with_lumis_constants_is_lumi(void **state)
{
    static struct hs_own_constant own[] = {{.name = "reduce"}, {.name = "memory"}, {.name = "far"}};
    struct hs_system system = parse("ss@10GB/s~1us;library=mpich");
    double shipped[HS_CONSTANTS_MAX];

    (void)state;
    hs_constants_shipped(shipped, &hs_mpi_price_model);
    own[0].value = shipped[HS_MPI_K_REDUCE_LUMI];
    own[1].value = shipped[HS_MPI_K_MEMORY_LUMI];
    own[2].value = shipped[HS_MPI_K_FAR_LUMI];
    system.levels[0].latency_seconds = 1e-6 * shipped[HS_MPI_K_STEP_LUMI];
    system.levels[0].bytes_per_second = 25e9 * shipped[HS_MPI_K_RATE_LUMI];
    system.levels[0].eager_bytes = 8192;
    system.levels[0].rendezvous_seconds = 1e-6 * shipped[HS_MPI_K_RENDEZVOUS];
    system.constants.items = own;
    system.constants.count = 3;
    for (int a = HS_MPI_RING; a <= HS_MPI_DOUBLING; a++)
        for (double bytes = 32; bytes < 1e9; bytes *= 16)
            assert_near(seconds_on(&system, call_of((enum hs_mpi_algorithm)a, bytes)),
                        seconds_of((enum hs_mpi_algorithm)a, bytes), 1e-12);
    system.constants.items = NULL;
    system.constants.count = 0;
    hs_system_release(&system);
}

/* Layers of 2 are Rabenseifner's algorithm, one ring a ring, and cost what their stages do; with
 * a rendezvous each step of its pieces waits, and with constants of its own memory counts. */
static void a_plan_costs_what_the_same_algorithm_costs(void **state)
{
    struct hs_system system = parse("node:4@20GB/s~1us,ib@10GB/s~3us;library=openmpi");
    struct hs_mpi_call call = {.ranks = 16, .tasks = 1, .bytes = 16e6};
    struct hs_problem problem = problem_world(16, call.bytes);
    struct hs_plan twos, flat = hs_plan_flat(16);
    struct hs_own_constant own = {.name = "reduce", .value = 0.3};
    double without;

    (void)state;
    assert_int_equal(hs_plan_parse(&twos, "2x2x2x2", 16, NULL), HS_OK);
    call.algorithm = HS_MPI_HALVING;
    assert_near(hs_mpi_plan_seconds(&system, &problem, &twos, 1), seconds_on(&system, call), 1e-12);
    assert_near(hs_mpi_plan_seconds(&system, &problem, &twos, 1),
                hs_plan_seconds(&system, &problem, &twos), 1e-12);
    call.algorithm = HS_MPI_RING;
    assert_near(hs_mpi_plan_seconds(&system, &problem, &flat, 1), seconds_on(&system, call), 1e-12);
    call.algorithm = HS_MPI_HALVING;
    without = hs_plan_seconds(&system, &problem, &twos);
    system.levels[1].eager_bytes = 5e5;
    system.levels[1].rendezvous_seconds = 1e-3;
    assert_near(hs_mpi_plan_seconds(&system, &problem, &twos, 1), seconds_on(&system, call), 1e-12);
    assert_near(hs_plan_seconds(&system, &problem, &twos), without + 4e-3, 1e-12);
    assert_near(seconds_on(&system, call), hs_plan_seconds(&system, &problem, &twos), 1e-12);
    system.constants.items = &own;
    system.constants.count = 1;
    assert_near(hs_mpi_plan_seconds(&system, &problem, &twos, 1), seconds_on(&system, call), 1e-12);
    assert_true(seconds_on(&system, call) > 16e6 * 0.3e-9);
    system.constants.items = NULL;
    system.constants.count = 0;
    hs_system_release(&system);
}

/* ---- what runs ---- */

static void assert_call_runs(enum hs_library library, enum hs_phase phase, int64_t ranks,
                             double bytes, const char *wanted)
{
    struct hs_mpi_choice choice = hs_mpi_choose(library, phase, ranks, 1, bytes, bytes / 4);

    assert_string_equal(hs_mpi_choice_text(choice), wanted);
}

static void assert_runs(enum hs_library library, int64_t ranks, int64_t tasks, double bytes,
                        const char *wanted)
{
    struct hs_mpi_choice choice =
        hs_mpi_choose(library, HS_ALLREDUCE, ranks, tasks, bytes, bytes / 4);

    assert_string_equal(hs_mpi_choice_text(choice), wanted);
}

/* MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE 2048, and the nodes' ranks first. */
static void mpich_goes_by_bytes_elements_and_nodes(void **state)
{
    (void)state;
    assert_runs(HS_LIBRARY_MPICH, 64, 1, 2048, "recursive doubling");
    assert_runs(HS_LIBRARY_MPICH, 64, 1, 2052, "Rabenseifner");
    assert_runs(HS_LIBRARY_MPICH, 2048, 1, 4096, "recursive doubling"); /* 1024 elements */
    assert_runs(HS_LIBRARY_MPICH, 2048, 8, 4096, "Rabenseifner, nodes first");
    assert_runs(HS_LIBRARY_MPICH, 8, 8, 64, "recursive doubling");
}

/* Rows of ompi_coll_tuned_allreduce_intra_dec_fixed, 4.1.4. */
static void open_mpi_goes_by_its_table(void **state)
{
    (void)state;
    assert_runs(HS_LIBRARY_OPENMPI, 3, 1, 65536, "ring");
    assert_runs(HS_LIBRARY_OPENMPI, 3, 1, 262144, "Rabenseifner");
    assert_runs(HS_LIBRARY_OPENMPI, 6, 1, 8, "recursive doubling"); /* 2 elements are no ring */
    assert_runs(HS_LIBRARY_OPENMPI, 8, 1, 8191, "recursive doubling");
    assert_runs(HS_LIBRARY_OPENMPI, 8, 1, 8192, "Rabenseifner");
    assert_runs(HS_LIBRARY_OPENMPI, 32, 1, 128, "Rabenseifner");
    assert_runs(HS_LIBRARY_OPENMPI, 127, 1, 262143, "recursive doubling");
    assert_runs(HS_LIBRARY_OPENMPI, 128, 1, 131071, "reduce and broadcast");
    assert_runs(HS_LIBRARY_OPENMPI, 256, 1, 4096, "Rabenseifner");
    assert_runs(HS_LIBRARY_OPENMPI, 1024, 8, 2047, "reduce and broadcast");
    assert_runs(HS_LIBRARY_OPENMPI, 2048, 8, 2048, "recursive doubling"); /* 512 elements */
    assert_runs(HS_LIBRARY_OPENMPI, 4096, 8, 32767, "recursive doubling");
    assert_runs(HS_LIBRARY_OPENMPI, 8192, 8, 32768, "Rabenseifner");
}

/* MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE 524288, MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE
 * 81920, MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE 524288; maint/tuning/coll/mpir/generic.json, 4.0.2. */
static void mpichs_parts_of_an_allreduce_go_by_their_variables(void **state)
{
    enum hs_phase out = HS_REDUCE_SCATTER, back = HS_ALLGATHER;

    (void)state;
    assert_call_runs(HS_LIBRARY_MPICH, out, 12, 524284, "recursive halving");
    assert_call_runs(HS_LIBRARY_MPICH, out, 12, 524288, "pairwise exchange");
    assert_call_runs(HS_LIBRARY_MPICH, back, 16, 524284, "recursive doubling");
    assert_call_runs(HS_LIBRARY_MPICH, back, 16, 524288, "ring");
    assert_call_runs(HS_LIBRARY_MPICH, back, 12, 81916, "Bruck");
    assert_call_runs(HS_LIBRARY_MPICH, back, 12, 81920, "ring");
}

/* MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE 256, MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE 32768, of a block; rows
 * of ompi_coll_tuned_alltoall_intra_dec_fixed. */
static void all_to_alls_go_by_a_block(void **state)
{
    enum hs_library ompi = HS_LIBRARY_OPENMPI;
    enum hs_phase all = HS_EXCHANGE;

    (void)state;
    assert_call_runs(HS_LIBRARY_MPICH, all, 7, 7 * 256, "scattered");
    assert_call_runs(HS_LIBRARY_MPICH, all, 8, 8 * 256, "Bruck");
    assert_call_runs(HS_LIBRARY_MPICH, all, 8, 8 * 260, "scattered");
    assert_call_runs(HS_LIBRARY_MPICH, all, 8, 8 * 32768, "scattered");
    assert_call_runs(HS_LIBRARY_MPICH, all, 8, 8 * 32772, "pairwise exchange by bits");
    assert_call_runs(HS_LIBRARY_MPICH, all, 12, 12 * 32772, "pairwise exchange");
    assert_call_runs(ompi, all, 2, 2 * 32764, "pairwise exchange");
    assert_call_runs(ompi, all, 2, 2 * 32768, "linear, synchronous sends");
    assert_call_runs(ompi, all, 7, 7 * 65532, "linear, synchronous sends");
    assert_call_runs(ompi, all, 7, 7 * 65536, "linear");
    assert_call_runs(ompi, all, 7, 7 * 524288, "pairwise exchange");
    assert_call_runs(ompi, all, 16, 16 * 508, "Bruck");
    assert_call_runs(ompi, all, 31, 31 * 512, "linear, synchronous sends");
    assert_call_runs(ompi, all, 32, 32 * 512, "linear");
    assert_call_runs(ompi, all, 64, 64 * 262144, "pairwise exchange");
    assert_call_runs(ompi, all, 1024, 1024 * 262144, "linear, synchronous sends");
    assert_call_runs(ompi, all, 2048, 2048 * 131072, "linear");
    assert_call_runs(ompi, all, 4096, 4096 * 2044, "Bruck");
}

/* Rows of ompi_coll_tuned_reduce_scatter_block_intra_dec_fixed, reduce_scatter and allgather,
 * 4.1.4: by a block, by all bytes, by a block. */
static void open_mpis_parts_of_an_allreduce_go_by_their_tables(void **state)
{
    enum hs_library ompi = HS_LIBRARY_OPENMPI;
    enum hs_phase out = HS_REDUCE_SCATTER, back = HS_ALLGATHER;
    struct hs_mpi_choice counted;

    (void)state;
    assert_call_runs(ompi, out, 3, 3 * 131068, "butterfly");
    assert_call_runs(ompi, out, 3, 3 * 131072, "reduce and scatter");
    assert_call_runs(ompi, out, 4, 4 * 1048572, "recursive halving");
    assert_call_runs(ompi, out, 7, 7 * 1048576, "linear reduce and scatter");
    assert_call_runs(ompi, out, 15, 15 * 524284, "recursive halving");
    assert_call_runs(ompi, out, 8, 8 * 524288, "reduce and scatter");
    assert_call_runs(ompi, out, 8, 8 * 4194304, "butterfly");
    assert_call_runs(ompi, out, 16, 16 * 2097152, "recursive halving");
    assert_call_runs(ompi, out, 64, 64 * 65532, "butterfly");
    assert_call_runs(ompi, out, 64, 64 * 65536, "reduce and scatter");
    assert_call_runs(ompi, out, 64, 64 * 262144, "butterfly");
    assert_call_runs(ompi, back, 16, 1e9, "recursive doubling");
    assert_call_runs(ompi, back, 24, 1e9, "Bruck");
    assert_call_runs(ompi, back, 32, 32 * 1020, "recursive doubling");
    assert_call_runs(ompi, back, 32, 32 * 1024, "neighbor exchange");
    assert_call_runs(ompi, back, 33, 33 * 1024, "ring"); /* odd */
    assert_call_runs(ompi, back, 64, 64 * 65536, "ring");
    assert_call_runs(ompi, back, 1024, 1024 * 256, "Bruck");
    counted = hs_mpi_choose_counted(ompi, 16, 262140);
    assert_string_equal(hs_mpi_choice_text(counted), "recursive halving");
    counted = hs_mpi_choose_counted(ompi, 16, 262144);
    assert_string_equal(hs_mpi_choice_text(counted), "ring");
    counted = hs_mpi_choose_counted(ompi, 64, 4096);
    assert_string_equal(hs_mpi_choice_text(counted), "butterfly");
    counted = hs_mpi_choose_counted(HS_LIBRARY_MPICH, 16, 524288);
    assert_string_equal(hs_mpi_choice_text(counted), "pairwise exchange");
}

/* A node of 8 ranks that copy 10 GB/s each, and 20 together; 2 bytes that are added are read and
 * written three times, one that is copied five times. */
static void ranks_of_a_node_share_its_memory(void **state)
{
    struct hs_system system = parse("memory:8@10GB/s|20GB/s~1us,ib@100GB/s~3us;library=mpich");
    struct hs_mpi_call call = {
        .kind = HS_CALL_ALLGATHER, .algorithm = HS_MPI_RING, .ranks = 8, .tasks = 1, .bytes = 8e6};
    double copied = 7 * 1e6 / (20e9 / 8), added = 7 * 1e6 * 0.6 / (20e9 / 8);

    (void)state;
    assert_near(seconds_on(&system, call), 7 * 1e-6 + copied, 1e-9);
    call.kind = HS_CALL_REDUCE_SCATTER;
    assert_near(seconds_on(&system, call), 7 * 1e-6 + copied + added, 1e-9);
    call.kind = HS_CALL_ALLGATHER;
    call.ranks = 2; /* who have all of it */
    call.bytes = 2e6;
    assert_near(seconds_on(&system, call), 1e-6 + 1e6 / 10e9, 1e-9);
    hs_system_release(&system);
}

/* One hop of 8 leaves the node and takes 3 us in place of 1; each step waits for 0.9 of what it
 * takes longer. */
static void a_ring_waits_for_its_longest_hop(void **state)
{
    struct hs_system system = parse("memory:8@10GB/s|80GB/s~1us,ib@100GB/s~3us;library=mpich");
    struct hs_mpi_call call = {.kind = HS_CALL_ALLGATHER,
                               .algorithm = HS_MPI_RING,
                               .ranks = 16,
                               .tasks = 8,
                               .bytes = 1e-3};
    double mean = (7 * 1 + 3) / 8.0;

    (void)state;
    assert_near(seconds_on(&system, call), 15e-6 * (mean + 0.9 * (3 - mean)), 1e-6);
    hs_system_release(&system);
}

/* MPICH's 512 KiB of an allgather move by 4, and by 16 for those who changed it. */
static void where_a_library_switches_is_not_certain(void **state)
{
    static const struct {
        enum hs_library library;
        double bytes;
        const char *text;
    } rows[] = {{HS_LIBRARY_MPICH, 262144, "ring"},
                {HS_LIBRARY_MPICH, 1048576, "recursive doubling"},
                {HS_LIBRARY_MPICH, 65536, "recursive doubling"},
                {HS_LIBRARY_CRAYMPICH, 65536, "ring"},
                {HS_LIBRARY_INTELMPI, 4194304, "recursive doubling"}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++)
        assert_string_equal(
            hs_mpi_choice_text(hs_mpi_choose_otherwise(rows[i].library, HS_ALLGATHER, 64, 1,
                                                       rows[i].bytes, rows[i].bytes / 4)),
            rows[i].text);
}

/* Open MPI 5.0's han: in the node, between nodes by coll/tuned's table, in the node. */
static void han_goes_by_nodes(void **state)
{
    enum hs_library han = HS_LIBRARY_OPENMPIHAN;

    (void)state;
    assert_string_equal(hs_mpi_choice_text(hs_mpi_choose(han, HS_ALLREDUCE, 256, 8, 1e6, 25e4)),
                        "Rabenseifner, nodes first");
    assert_string_equal(hs_mpi_choice_text(hs_mpi_choose(han, HS_ALLREDUCE, 8, 8, 1e6, 25e4)),
                        "Rabenseifner");
    assert_int_equal(hs_library_mpi_rule(han), HS_LIBRARY_OPENMPI);
    assert_int_equal(hs_library_mpi_rule(HS_LIBRARY_CRAYMPICH), HS_LIBRARY_MPICH);
    assert_int_equal(hs_library_mpi_rule(HS_LIBRARY_NCCL), HS_LIBRARY_UNSAID);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("ranks of a node share its memory", ranks_of_a_node_share_its_memory),
    HS_TEST("a ring waits for its longest hop", a_ring_waits_for_its_longest_hop),
    HS_TEST("where a library switches is not certain", where_a_library_switches_is_not_certain),
    HS_TEST("han goes by nodes", han_goes_by_nodes),
    HS_TEST("a reduce-scatter and an allgather cost what the textbook says",
            parts_of_an_allreduce_cost_what_the_textbook_says),
    HS_TEST("steps equal a count of every message", steps_equal_a_count_of_every_message),
    HS_TEST("a message has its port alone", a_message_has_its_port_alone),
    HS_TEST("MPICH's reduce-scatter and allgather go by its variables",
            mpichs_parts_of_an_allreduce_go_by_their_variables),
    HS_TEST("Open MPI's reduce-scatter and allgather go by its tables",
            open_mpis_parts_of_an_allreduce_go_by_their_tables),
    HS_TEST("on one level algorithms cost what the textbook says",
            one_level_costs_what_the_textbook_says),
    HS_TEST("each step costs what its farthest partners cost",
            each_step_costs_what_the_farthest_partners_cost),
    HS_TEST("a message beyond the eager limit waits for its partner",
            a_message_beyond_the_eager_limit_waits_for_its_partner),
    HS_TEST("a system with LUMI's constants is LUMI", a_system_with_lumis_constants_is_lumi),
    HS_TEST("a plan costs what the same algorithm costs",
            a_plan_costs_what_the_same_algorithm_costs),
    HS_TEST("MPICH goes by bytes, elements and nodes", mpich_goes_by_bytes_elements_and_nodes),
    HS_TEST("Open MPI goes by its table", open_mpi_goes_by_its_table),
    HS_TEST("all-to-alls go by a block", all_to_alls_go_by_a_block),
    HS_TEST("every call has its price", every_call_has_its_price),
    HS_TEST("the fastest algorithm is the textbook's", the_fastest_is_the_textbooks),
    HS_TEST("more doubt makes a wider range", more_doubt_makes_a_wider_range),
};
HS_TEST_MAIN(tests)
