/*
 * nccl_job.c - the backends nccl and nccl-graph, on as many ranks as the launcher starts.
 *
 *     mpiexec.mpich -n 8 nccl_job splits [quick|first]
 *         every split, chunks, types, operations (quick: some; first: sums of float32)
 *     mpiexec.mpich -n 8 nccl_job faults
 *         errors and hangs (with the stand-in only)
 *     mpiexec.mpich -n 4 nccl_job hangs SECONDS
 *         a rank that leaves the others alone; SECONDS: when a plan is given up
 *     mpiexec.mpich -n 2 nccl_job abort-order SECONDS
 *         whether aborting one communicator waits for a kernel of another that is stuck
 *     mpiexec.mpich -n 8 nccl_job time
 *         what the executor adds per NCCL call, and what a replay costs
 *
 * Built with the stand-in (tests/nccl/standin) or with CUDA and NCCL; it cannot tell, except that
 * `faults` needs the former. Every element of every rank's output is compared with the pattern of
 * pattern.h. Rank 0 prints TAP.
 */
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../runner/job.h"
#include "engine/cuda_device.h"
#include "engine/nccl.h"

#define TIMEOUT_SECONDS 60.0
#define HANG_SECONDS    0.7
#define TIMED_RUNS      41

/* Of the stand-in; not there with the real libraries. */
void standin_check_leaks(void) __attribute__((weak));

static bool quick, first; /* first: even less than quick */

static bool registers; /* buffers, with all communicators */

static struct hs_bench *open_backend(const struct hs_backend *backend, enum hs_datatype datatype,
                                     enum hs_operation operation, size_t count,
                                     double timeout_seconds)
{
    struct hs_bench_config config = {.backend = backend,
                                     .count = count,
                                     .datatype = datatype,
                                     .operation = operation,
                                     .registered = registers,
                                     .timeout_seconds = timeout_seconds};
    return open_bench(&config);
}

/* ---- NCCL's calls, looked at on their way ---- */

/* NCCL's table, whose calls the last rank drops from its first one of a phase on. */
static struct {
    struct hs_nccl_api real;
    enum hs_phase phase;
    bool armed, in_capture, silent;         /* in_capture: only what is captured */
    ncclRedOp_t operations[HS_PHASE_COUNT]; /* of the last call of a phase */
} deserter;

static bool deserts(enum hs_phase phase, ncclRedOp_t operation, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

    deserter.operations[phase] = operation;
    (void)cudaStreamIsCapturing(stream, &capture);
    if (deserter.armed && phase == deserter.phase &&
        (capture == cudaStreamCaptureStatusActive) == deserter.in_capture)
        deserter.silent = true;
    return deserter.silent;
}

static ncclResult_t reduce_scatter(const void *input, void *output, size_t count,
                                   ncclDataType_t datatype, ncclRedOp_t operation, ncclComm_t comm,
                                   cudaStream_t stream)
{
    return deserts(HS_REDUCE_SCATTER, operation, stream)
               ? ncclSuccess
               : deserter.real.ReduceScatter(input, output, count, datatype, operation, comm,
                                             stream);
}

static ncclResult_t all_reduce(const void *input, void *output, size_t count,
                               ncclDataType_t datatype, ncclRedOp_t operation, ncclComm_t comm,
                               cudaStream_t stream)
{
    return deserts(HS_ALLREDUCE, operation, stream)
               ? ncclSuccess
               : deserter.real.AllReduce(input, output, count, datatype, operation, comm, stream);
}

static ncclResult_t all_gather(const void *input, void *output, size_t count,
                               ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
{
    return deserts(HS_ALLGATHER, ncclSum, stream)
               ? ncclSuccess
               : deserter.real.AllGather(input, output, count, datatype, comm, stream);
}

static ncclResult_t send_points(const void *input, size_t count, ncclDataType_t datatype, int peer,
                                ncclComm_t comm, cudaStream_t stream)
{
    return deserts(HS_EXCHANGE, ncclSum, stream)
               ? ncclSuccess
               : deserter.real.Send(input, count, datatype, peer, comm, stream);
}

static ncclResult_t receive_points(void *output, size_t count, ncclDataType_t datatype, int peer,
                                   ncclComm_t comm, cudaStream_t stream)
{
    return deserts(HS_EXCHANGE, ncclSum, stream)
               ? ncclSuccess
               : deserter.real.Recv(output, count, datatype, peer, comm, stream);
}

static void put_deserter_in(void)
{
    const struct hs_nccl_api *found;
    struct hs_nccl_api *api;
    struct hs_error err;

    stop_if(hs_nccl_api_get(&found, &err), &err);
    deserter.real = *found;
    memcpy(&api, &found, sizeof(api)); /* the table itself is not const */
    api->ReduceScatter = reduce_scatter;
    api->AllReduce = all_reduce;
    api->AllGather = all_gather;
    api->Send = send_points;
    api->Recv = receive_points;
}

/* ---- splits ---- */

/* Whether a run makes no call into NCCL and launches a graph. */
static bool was_replayed(struct hs_bench *bench, const struct hs_task *task)
{
    struct hs_nccl_clock before = hs_nccl_engine_clock(bench->engine), after;
    struct hs_error err;

    stop_if(hs_bench_run(bench, task, false, &err), &err);
    after = hs_nccl_engine_clock(bench->engine);
    return after.calls == before.calls && after.replays == before.replays + 1;
}

static uint64_t run_plan(struct hs_bench *bench, const struct hs_plan *plan)
{
    const struct hs_backend *backend = bench->config.backend;
    struct hs_task task = plan_task(bench, plan);
    char text[HS_SPLIT_TEXT];
    double times[HS_STAGES_MAX], sum = 0;
    uint64_t wrong = run_task(bench, &task, false) + run_task(bench, &task, true);
    if (wrong > 0)
        fprintf(stderr, "# rank %d: %s %s: %llu wrong\n", my_rank, backend->name,
                hs_plan_format(text, plan), (unsigned long long)wrong);
    stage_seconds(bench, times);
    for (int i = 0; i < 2 * plan->split.count - 1; i++)
        sum += times[i];
    if (plan->chunks == 1)
        wrong += was_replayed(bench, &task) != (backend == &hs_backend_nccl_graph);
    return wrong + !(sum > 0 && backend->engine->device_seconds(bench->engine) > 0);
}

/* Runs that are held: none begins before `go`, all are made, the result is right. Work that has not
 * run by itself is not held, because its first calls may wait for the device: the stand-in sees it.
 */
static uint64_t run_held(struct hs_bench *bench, const struct hs_task *task, bool cold)
{
    const struct hs_engine *engine = bench->config.backend->engine;
    struct hs_work work = {.task = task,
                           .datatype = bench->config.datatype,
                           .operation = bench->config.operation,
                           .input = bench->input,
                           .output = bench->output,
                           .room = bench->room,
                           .line = hs_backend_line(bench->config.backend, bench->config.datatype)};
    struct hs_nccl_clock before, after;
    bool done = false, moved;
    struct hs_error err;
    uint64_t bad = 0;
    int runs = engine->runs_to_hold(bench->engine, &work);

    stop_if(hs_bench_prepare(bench, task, &err), &err);
    if (!cold)
        stop_if(hs_bench_run(bench, task, false, &err), &err);
    hs_bench_spoil(bench, task);
    before = hs_nccl_engine_clock(bench->engine);
    stop_if(engine->hold(bench->engine, &work, runs, &err), &err);
    after = hs_nccl_engine_clock(bench->engine);
    bad += after.calls + after.replays - before.calls - before.replays < (uint64_t)runs;
    for (int look = 0; look < 50 && !cold; look++) {
        stop_if(engine->test(bench->engine, &done, &moved, &err), &err);
        bad += done;
    }
    engine->go(bench->engine);
    while (!done)
        stop_if(engine->test(bench->engine, &done, &moved, &err), &err);
    bad += !(engine->device_seconds(bench->engine) > 0);
    return bad + hs_bench_wrong(bench, task);
}

static void held_runs_are_right(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_backend(backend, HS_FLOAT32, HS_AVERAGE, 10007, TIMEOUT_SECONDS);
    struct hs_task native = native_task(bench, HS_COLLECTIVE_ALLREDUCE, 0);
    uint64_t bad = run_held(bench, &native, false);
    char sentence[160];

    for (int cold = 1; cold >= 0; cold--)
        for (int s = 0; s < (quick && split_count > 2 ? 2 : split_count); s++) {
            struct hs_plan plan = {.split = splits[s], .chunks = 1 + 7 * (s % 2)};
            struct hs_task task = plan_task(bench, &plan);

            bad += run_held(bench, &task, cold);
        }
    close_bench(bench);
    snprintf(sentence, sizeof(sentence),
             "%s: runs that are held begin when all are issued, and are right", backend->name);
    tell(bad, sentence);
}

static uint64_t all_plans(struct hs_bench *bench)
{
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c += quick ? 2 : 1) {
            struct hs_plan plan = {.split = splits[s], .chunks = chunk_counts[c]};
            wrong += run_plan(bench, &plan);
        }
    return wrong;
}

static uint64_t all_baselines(struct hs_bench *bench)
{
    const struct hs_engine *engine = bench->config.backend->engine;
    uint64_t wrong = 0;
    for (int i = 0; engine->natives[HS_COLLECTIVE_ALLREDUCE][i] != NULL; i++) {
        struct hs_task task = native_task(bench, HS_COLLECTIVE_ALLREDUCE, i);
        if (!engine->has_native(i))
            continue;
        wrong += run_task(bench, &task, false);
        wrong += was_replayed(bench, &task) != (bench->config.backend == &hs_backend_nccl_graph);
    }
    return wrong;
}

static void check_all_plans(const struct hs_backend *backend, enum hs_datatype datatype,
                            enum hs_operation operation)
{
    size_t counts[3] = {1, (size_t)np * 70 + 5, 8192};
    uint64_t wrong = 0;
    char sentence[160];
    for (int i = quick ? 1 : 0; i < (quick ? 2 : 3); i++) {
        struct hs_bench *bench =
            open_backend(backend, datatype, operation, counts[i], TIMEOUT_SECONDS);
        wrong += all_plans(bench);
        wrong += all_baselines(bench);
        close_bench(bench);
    }
    snprintf(sentence, sizeof sentence,
             "%s: %s of %s is right by every split and chunks, and by all baselines", backend->name,
             hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

static void every_rank_has_its_block(const struct hs_backend *backend)
{
    struct hs_engine_config config = {
        .comm = MPI_COMM_WORLD, .memory = backend->own_memory, .timeout_seconds = TIMEOUT_SECONDS};
    struct hs_plan plans[SPLITS_MAX];
    char sentence[160];

    for (int s = 0; s < split_count; s++)
        plans[s] = (struct hs_plan){.split = splits[s], .chunks = 1};
    snprintf(sentence, sizeof sentence,
             "%s: reduce-scatters, allgathers and all-to-alls of every split leave every rank its "
             "blocks, natural and reversed",
             backend->name);
    tell(blocks_of_plans(backend, &config, plans, split_count), sentence);
}

/* The library's own too, by bench; and one of them held. Where it is to be quick, one type. */
static void blocks_are_verified(const struct hs_backend *backend, enum hs_datatype quickly)
{
    const size_t counts[] = {(size_t)np * 70 + 5, 8 * (size_t)np, 1};
    struct hs_plan plans[SPLITS_MAX];
    uint64_t wrong = 0, missed = 0;
    char sentence[160];

    for (int s = 0; s < split_count; s++)
        plans[s] = (struct hs_plan){.split = splits[s], .chunks = 1};
    for (int i = 0; i < (quick ? 2 : 3 * HS_DATATYPE_COUNT); i++) {
        enum hs_datatype type = quick ? quickly : (enum hs_datatype)(i / 3);
        struct hs_bench *bench =
            open_backend(backend, type, (enum hs_operation)(type % HS_OPERATION_COUNT),
                         counts[i % 3], TIMEOUT_SECONDS);

        wrong += verified_blocks(bench, plans, quick && split_count > 2 ? 2 : split_count);
        missed += i % 3 == 1 ? missed_in_blocks(bench, &plans[0]) : 0;
        for (int c = 0; c < ONE_WAY_COUNT && i % 3 == 0; c++) {
            struct hs_task task = native_task(bench, one_way[c], 0);

            wrong += run_held(bench, &task, false);
        }
        close_bench(bench);
    }
    snprintf(sentence, sizeof sentence,
             "%s: reduce-scatters, allgathers and all-to-alls are verified, NCCL's own too",
             backend->name);
    tell(wrong, sentence);
    snprintf(sentence, sizeof sentence, "%s: a wrong element of a block is found", backend->name);
    tell(missed, sentence);
}

/* What ranks that share a GPU set where the user did not; NCCL_MAX_CTAS is the user's here. */
static void sharing_is_arranged(void)
{
    static const char *const set[][2] = {{"NCCL_MAX_CTAS", "3"},   {"NCCL_MNNVL_ENABLE", "0"},
                                         {"NCCL_RAS_ENABLE", "0"}, {"NCCL_SOCKET_IFNAME", "lo"},
                                         {"NCCL_IB_DISABLE", "1"}, {"CUDA_MODULE_LOADING", "EAGER"},
                                         {"NCCL_NET", "Socket"}};
    uint64_t bad = 0;

    setenv("NCCL_MAX_CTAS", "3", 1);
    close_bench(open_backend(&hs_backend_nccl, HS_FLOAT32, HS_SUM, 100, TIMEOUT_SECONDS));
    for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
        const char *value = getenv(set[i][0]);

        bad += !value || strcmp(value, set[i][1]) != 0;
    }
    tell(bad, "ranks that share a GPU set what lets them, and leave what the user set");
}

static void spoiled_is_all_wrong(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_backend(backend, HS_FLOAT32, HS_SUM, 1009, TIMEOUT_SECONDS);
    struct hs_task task = native_task(bench, HS_COLLECTIVE_ALLREDUCE, 0);
    hs_bench_spoil(bench, &task);
    tell(hs_bench_wrong(bench, &task) != 1009, "what was spoiled is wrong in every element");
    close_bench(bench);
}

static void layers_run_alone(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_backend(backend, HS_FLOAT32, HS_SUM, 1000, TIMEOUT_SECONDS);
    uint64_t bad = 0;
    for (int s = 0; s < split_count; s++)
        for (int i = 0; i < splits[s].count; i++)
            for (int phase = 0; phase < HS_PAIR; phase++)
                bad += !run_stage(bench, hs_split_layer(&splits[s], i), phase, 997);
    bad += run_stage(bench, (struct hs_layer){1, np + 1}, HS_ALLREDUCE, 10);
    tell(bad, "every phase of every layer runs alone");
    close_bench(bench);
}

/* Only the first layer scales, where that is exact. */
static void averages_scale_once(void)
{
    bool power = (np & (np - 1)) == 0;
    struct hs_bench *bench =
        open_backend(&hs_backend_nccl, HS_BFLOAT16, HS_AVERAGE, 1009, TIMEOUT_SECONDS);
    uint64_t bad = 0;

    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 1};
        struct hs_task task = plan_task(bench, &plan);
        bool flat = plan.split.count == 1;

        bad += run_task(bench, &task, false);
        bad += deserter.operations[HS_ALLREDUCE] != (power && flat ? ncclAvg : ncclSum);
        bad += !flat && (deserter.operations[HS_REDUCE_SCATTER] >= ncclNumOps) !=
                            (power && plan.split.count == 2);
    }
    close_bench(bench);
    tell(bad, "an average scales in the first layer alone, or divides at the end");
}

static void windows_are_refused(void)
{
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD, .memory = &hs_memory_nccl};
    struct hs_error err = {.message = ""};
    void *state;
    uint64_t bad = hs_backend_nccl_symmetric.open(&state, &config, &err) != HS_INVALID;

    bad += strstr(err.message, "2.27 or newer is needed") == NULL;
    bad += hs_backend_nccl.engine->has_native(HS_NCCL_NATIVE_SYMMETRIC);
    bad += hs_backend_nccl.engine->has_native(HS_NCCL_NATIVE_ZERO_CTA);
    tell(bad, "without symmetric windows nccl-symmetric says what is needed, and no such baseline "
              "is there");
}

/* In this order: the last needs NCCL 2.27. */
static const struct hs_backend *const backends[] = {&hs_backend_nccl, &hs_backend_nccl_graph,
                                                    &hs_backend_nccl_symmetric};

/* Windows know nothing of operations. */
static bool wants(int backend, int datatype, int operation)
{
    if (first || (quick && backend == 2))
        return datatype == HS_FLOAT32 && operation == HS_SUM;
    if (!quick)
        return backend < 2 || operation == HS_SUM;
    return backend + datatype == 0 || (datatype + operation + np) % 4 == 0;
}

static void check_splits(void)
{
    const struct hs_nccl_api *api;
    struct hs_error err;
    stop_if(hs_nccl_api_get(&api, &err), &err);
    int count = hs_nccl_api_windows(api) ? 3 : 2;
    for (int b = 0; b < count; b++)
        for (int d = 0; d < HS_DATATYPE_COUNT; d++)
            for (int o = 0; o < HS_OPERATION_COUNT; o++)
                if (wants(b, d, o))
                    check_all_plans(backends[b], (enum hs_datatype)d, (enum hs_operation)o);
    if (first)
        return;
    for (int b = 0; b < count; b++)
        held_runs_are_right(backends[b]);
    for (int b = 0; b < count; b++) {
        every_rank_has_its_block(backends[b]);
        blocks_are_verified(backends[b], (enum hs_datatype)b);
    }
    if (count == 2)
        windows_are_refused();
    put_deserter_in();
    averages_scale_once();
    spoiled_is_all_wrong(&hs_backend_nccl);
    layers_run_alone(&hs_backend_nccl);
}

/* ---- faults ---- */

static double still_seconds; /* before a run; 0: no rank stands still */

/* The last rank stands still for a while, and is woken by a child. */
static void stand_still(double seconds)
{
    pid_t me = getpid(), child;

    if (my_rank != np - 1 || seconds <= 0)
        return;
    child = fork();
    if (child == 0) {
        usleep((useconds_t)(seconds * 1e6));
        kill(me, SIGCONT);
        _exit(0);
    }
    if (child > 0)
        raise(SIGSTOP);
}

/* Whether any rank fails; the message of one that does is kept in *err. */
static bool fails_somewhere(struct hs_bench *bench, const struct hs_task *task,
                            struct hs_error *err)
{
    int bad = 0, any;
    for (int run = 0; run < 2 && bad == 0; run++) {
        stand_still(run * still_seconds);
        int here = run == 0 ? hs_bench_prepare(bench, task, err) != HS_OK
                            : hs_bench_run(bench, task, false, err) != HS_OK;
        MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        bad = any;
    }
    return bad != 0;
}

/* With the fault `victim` fails; after recover all other plans and the baselines are right again,
 * those prepared before too; and without the fault the victim is as well. */
static void fault_is_survived(const struct hs_backend *backend, const char *fault, const char *text,
                              bool hangs)
{
    struct hs_bench *bench = open_backend(backend, HS_FLOAT32, HS_SUM, 1009, HANG_SECONDS);
    struct hs_error err = {0};
    struct hs_task task;
    struct hs_plan victim, other = {.split = hs_split_flat(np), .chunks = 1},
                           chunked = {.split = other.split, .chunks = 3};
    bool timed_out = false;
    char sentence[160];
    uint64_t bad = 0;
    stop_if(hs_plan_parse(&victim, text, np, &err), &err);
    bad += run_plan(bench, &other);
    setenv("STANDIN_FAULT", fault, 1);
    task = plan_task(bench, &victim);
    bad += !fails_somewhere(bench, &task, &err);
    stop_if(backend->engine->recover(bench->engine, &timed_out, &err), &err);
    bad += timed_out != hangs;
    bad += run_plan(bench, &other) + run_plan(bench, &chunked);
    bad += all_baselines(bench);
    unsetenv("STANDIN_FAULT");
    bad += run_plan(bench, &victim);
    close_bench(bench);
    snprintf(sentence, sizeof sentence, "%s: after %s in %s the other plans go on%s", backend->name,
             fault, text, hangs ? ", and it is called a timeout" : "");
    tell(bad, sentence);
}

static void registration_is_all_or_none(const struct hs_backend *backend, const char *fault)
{
    struct hs_bench *bench;
    uint64_t bad = 0;

    setenv("STANDIN_FAULT", fault, 1);
    registers = true;
    bench = open_backend(backend, HS_FLOAT32, HS_SUM, 1009, TIMEOUT_SECONDS);
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 1};

        bad += run_plan(bench, &plan);
    }
    bad += all_baselines(bench);
    close_bench(bench);
    registers = false;
    unsetenv("STANDIN_FAULT");
    tell(bad, fault[0] == '\0' ? "with registered buffers plans and baselines are right"
              : backend == &hs_backend_nccl
                  ? "a buffer that one rank cannot register is registered by none"
                  : "a window that one rank cannot have is had by none");
}

static void wrong_data_is_seen(void)
{
    struct hs_bench *bench =
        open_backend(&hs_backend_nccl, HS_FLOAT32, HS_SUM, 1009, TIMEOUT_SECONDS);
    struct hs_plan plan;
    struct hs_error err;
    stop_if(hs_plan_parse(&plan, "4x2", np, &err), &err);
    struct hs_task task = plan_task(bench, &plan);
    stop_if(hs_bench_prepare(bench, &task, &err), &err);
    setenv("STANDIN_FAULT", "wrong:allgather:4", 1);
    stop_if(hs_bench_run(bench, &task, false, &err), &err);
    unsetenv("STANDIN_FAULT");
    uint64_t here = hs_bench_wrong(bench, &task), all;
    MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    tell(all != 1, "one wrong bit on one rank is one wrong element");
    close_bench(bench);
}

static void check_faults(void)
{
    const char *blocking = getenv("HIERSEARCH_NCCL_BLOCKING");

    if (np != 8 || standin_check_leaks == NULL) {
        tell(0, "faults are injected # SKIP needs the stand-in and 8 ranks");
        return;
    }
    fault_is_survived(&hs_backend_nccl, "hang:reduce-scatter:4", "4x2", true);
    fault_is_survived(&hs_backend_nccl, "hang:allreduce:2", "4x2/3", true);
    fault_is_survived(&hs_backend_nccl, "hang:allgather:2", "2x2x2/2", true);
    if (blocking != NULL) /* else the call itself hangs, and only the guard ends it */
        fault_is_survived(&hs_backend_nccl, "hang:split:4", "2x4", true);
    fault_is_survived(&hs_backend_nccl, "error:allreduce:4", "2x4", false);
    fault_is_survived(&hs_backend_nccl, "refuse:allgather:2", "2x4", false);
    fault_is_survived(&hs_backend_nccl_graph, "hang:allreduce:2", "4x2/3", true);
    fault_is_survived(&hs_backend_nccl_graph, "error:allgather:4", "4x2", false);
    fault_is_survived(&hs_backend_nccl_symmetric, "hang:allgather:2", "2x2x2/2", true);
    fault_is_survived(&hs_backend_nccl_symmetric, "error:window:4", "4x2", false);
    wrong_data_is_seen();
    registration_is_all_or_none(&hs_backend_nccl, "");
    registration_is_all_or_none(&hs_backend_nccl, "refuse:register:4");
    registration_is_all_or_none(&hs_backend_nccl_symmetric, "refuse:window:4");
}

/* ---- hangs: no fault is injected, so on GPUs, too ---- */

struct hang {
    const struct hs_backend *backend;
    const char *phase_name; /* NULL: the rank stands still */
    enum hs_phase phase;
    enum hs_collective collective; /* of the victim */
    double seconds;
};

/* The victim is right, hangs, is given up as a timeout, and is right again; so are other plans and
 * the baselines. With graphs it is the replay that hangs. */
static void hang_is_survived(const struct hang *hang, const struct hs_plan *victim)
{
    bool graphs = hang->backend == &hs_backend_nccl_graph, timed_out = false;
    struct hs_bench *bench = open_backend(hang->backend, HS_FLOAT32, HS_SUM, 100003, hang->seconds);
    struct hs_plan other = {.split = hs_split_flat(np), .chunks = 3};
    struct hs_task task = plan_task(bench, victim);
    struct hs_error err = {0};
    char sentence[160], text[HS_SPLIT_TEXT];
    double begin;
    uint64_t bad = run_plan(bench, &other);

    task.collective = hang->collective;
    if (!graphs || !hang->phase_name)
        bad += run_task(bench, &task, true);
    deserter.phase = hang->phase;
    deserter.in_capture = graphs;
    deserter.armed = hang->phase_name && my_rank == np - 1;
    still_seconds = hang->phase_name ? 0 : 3 * hang->seconds;
    bad += !fails_somewhere(bench, &task, &err);
    deserter.armed = deserter.silent = false;
    begin = MPI_Wtime();
    stop_if(hang->backend->engine->recover(bench->engine, &timed_out, &err), &err);
    begin = MPI_Wtime() - begin;
    bad += !timed_out;
    bad += run_plan(bench, &other) + run_task(bench, &task, true) + all_baselines(bench);
    close_bench(bench);
    snprintf(sentence, sizeof(sentence), "%s: %s%s in %s, given up; all is right %.1f s later",
             hang->backend->name, hang->phase_name ? "a hang in " : "a rank stands still",
             hang->phase_name ? hang->phase_name : "", hs_plan_format(text, victim), begin);
    tell(bad, sentence);
}

static void check_hangs(double seconds)
{
    const struct hs_nccl_api *api;
    struct hs_error err;
    static const char *const phases[] = {[HS_REDUCE_SCATTER] = "the reduce-scatter",
                                         [HS_ALLREDUCE] = "the allreduce",
                                         [HS_ALLGATHER] = "the allgather"};
    struct hs_plan victim = {.split = hs_split_flat(np), .chunks = 2}, whole;

    for (int s = 0; s < split_count; s++)
        if (splits[s].count == 2)
            victim.split = splits[s];
    whole = (struct hs_plan){.split = victim.split, .chunks = 1};
    stop_if(hs_nccl_api_get(&api, &err), &err);
    put_deserter_in();
    for (int b = 0; b < (hs_nccl_api_windows(api) ? 3 : 2); b++) {
        struct hang hang = {.backend = backends[b], .seconds = seconds};

        for (int p = 0; p < HS_EXCHANGE; p++)
            if (victim.split.count > 1 || p == HS_ALLREDUCE) {
                hang.phase = (enum hs_phase)p;
                hang.phase_name = phases[p];
                hang_is_survived(&hang, &victim);
            }
        hang.phase_name = NULL;
        hang_is_survived(&hang, &victim);
        hang = (struct hang){backends[b], "the exchange", HS_EXCHANGE, HS_COLLECTIVE_ALLTOALL,
                             seconds};
        hang_is_survived(&hang, &whole);
    }
}

/* ---- the order of aborts ---- */

struct single_abort {
    const struct hs_nccl_api *api;
    ncclComm_t comm;
    volatile bool through;
};

static void *abort_single(void *opaque)
{
    struct single_abort *one = opaque;

    (void)one->api->CommAbort(one->comm);
    one->through = true;
    return NULL;
}

static ncclComm_t pair_comm(const struct hs_nccl_api *api)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    struct hs_error err;

    memset(&id, 0, sizeof(id));
    if (my_rank == 0)
        stop_if(hs_nccl_status(api, api->GetUniqueId(&id), "ncclGetUniqueId", &err), &err);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    stop_if(hs_nccl_status(api, api->CommInitRankConfig(&comm, np, id, my_rank, &config),
                           "ncclCommInitRankConfig", &err),
            &err);
    return comm;
}

static bool gets_free(cudaStream_t stream, double seconds)
{
    double begin = MPI_Wtime();

    while (cudaStreamQuery(stream) == cudaErrorNotReady && MPI_Wtime() - begin < seconds)
        (void)cudaGetLastError();
    return cudaStreamQuery(stream) == cudaSuccess;
}

/* A kernel of `second` waits on rank 0 for a peer that does not come; `first` is aborted by itself
 * beside it. What NCCL does then is a fact, not right or wrong; that all ends is the check. */
static void check_abort_order(double seconds)
{
    struct hs_idle *idle = &ranks.idle;
    struct hs_cuda_device device;
    struct single_abort single = {0};
    pthread_t thread;
    cudaStream_t stream;
    ncclComm_t second;
    float *data;
    struct hs_error err;
    double begin;
    bool bad;

    stop_if(hs_nccl_api_get(&single.api, &err), &err);
    stop_if(hs_cuda_device_take(&device, MPI_COMM_WORLD, idle, &err), &err);
    if (device.shared)
        stop_if(hs_nccl_allow_sharing(single.api, my_rank, device.mates == np, &err), &err);
    single.comm = pair_comm(single.api);
    second = pair_comm(single.api);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    bad = cudaMalloc((void **)&data, 4096) != cudaSuccess;
    for (int i = 0; i < 2 && (i == 0 || my_rank == 0); i++) {
        bad |= single.api->AllReduce(data, data, 1024, ncclFloat32, ncclSum, second, stream) != 0;
        bad |= i == 0 && !gets_free(stream, TIMEOUT_SECONDS);
    }
    begin = MPI_Wtime();
    bad |= pthread_create(&thread, NULL, abort_single, &single) != 0;
    while (!single.through && MPI_Wtime() - begin < seconds)
        usleep(1000);
    if (my_rank == 0)
        printf("# one ncclCommAbort beside a stuck kernel of another communicator %s %.2f s\n",
               single.through ? "returned after" : "had not returned after", MPI_Wtime() - begin);
    (void)single.api->CommAbort(second);
    pthread_join(thread, NULL);
    bad |= !gets_free(stream, TIMEOUT_SECONDS);
    cudaFree(data);
    cudaStreamDestroy(stream);
    tell(bad, "both communicators and the kernel end once both are aborted");
}

/* ---- time ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over runs, on the slowest rank. */
static double slowest_median(double seconds[TIMED_RUNS])
{
    double slowest;

    qsort(seconds, TIMED_RUNS, sizeof(*seconds), compare_doubles);
    MPI_Allreduce(&seconds[TIMED_RUNS / 2], &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* What NCCL takes of the host per call, and what the executor adds; or what a replay takes. */
static void time_plan(const struct hs_plan *plan, struct hs_bench *bench)
{
    double added[TIMED_RUNS], in_nccl[TIMED_RUNS], slowest, nccl;
    bool replays = bench->config.backend == &hs_backend_nccl_graph;
    char text[HS_SPLIT_TEXT], sentence[160];
    struct hs_error err;
    struct hs_task task = plan_task(bench, plan);

    stop_if(hs_bench_prepare(bench, &task, &err), &err);
    for (int i = 0; i < TIMED_RUNS; i++) {
        struct hs_nccl_clock before = hs_nccl_engine_clock(bench->engine), after;
        double calls;

        stop_if(hs_bench_run(bench, &task, false, &err), &err);
        after = hs_nccl_engine_clock(bench->engine);
        calls = replays ? (double)(after.replays - before.replays)
                        : (double)(after.calls - before.calls);
        in_nccl[i] = (after.nccl_seconds - before.nccl_seconds) / calls;
        added[i] = (after.issue_seconds - before.issue_seconds) / calls - in_nccl[i];
    }
    slowest = slowest_median(added);
    nccl = slowest_median(in_nccl);
    if (replays)
        snprintf(sentence, sizeof(sentence), "a replay of %s costs the host %.2f us per launch",
                 hs_plan_format(text, plan), slowest * 1e6);
    else
        snprintf(sentence, sizeof(sentence),
                 "the executor adds %.2f us per NCCL call in %s, less than 10, NCCL takes %.2f",
                 slowest * 1e6, hs_plan_format(text, plan), nccl * 1e6);
    tell(replays ? !(slowest > 0 && nccl == 0) : !(slowest < 10e-6), sentence);
}

static void check_time(void)
{
    for (int b = 0; b < 2; b++) {
        struct hs_bench *bench =
            open_backend(backends[b], HS_FLOAT32, HS_SUM, 4096, TIMEOUT_SECONDS);

        for (int s = 0; s < split_count; s++)
            for (int c = 1; c <= 8; c *= 8) {
                struct hs_plan plan = {.split = splits[s], .chunks = c};

                time_plan(&plan, bench);
            }
        close_bench(bench);
    }
}

int main(int argc, char **argv)
{
    char why[256];
    const char *mode = argc > 1 ? argv[1] : "";
    start_job(&argc, &argv);
    first = argc > 2 && strcmp(argv[2], "first") == 0;
    quick = first || (argc > 2 && strcmp(argv[2], "quick") == 0);
    if (!hs_backend_nccl.available(why, sizeof why)) {
        if (my_rank == 0)
            printf("1..0 # SKIP %s\n", why);
        MPI_Finalize();
        return 0;
    }
    if (strcmp(mode, "splits") == 0)
        check_splits();
    else if (strcmp(mode, "faults") == 0)
        check_faults();
    else if (strcmp(mode, "hangs") == 0 && argc > 2)
        check_hangs(atof(argv[2]));
    else if (strcmp(mode, "abort-order") == 0 && argc > 2 && np == 2)
        check_abort_order(atof(argv[2]));
    else if (strcmp(mode, "sharing") == 0)
        sharing_is_arranged();
    else if (strcmp(mode, "time") == 0)
        check_time();
    else if (my_rank == 0)
        fprintf(stderr, "usage: nccl_job splits|faults|hangs|abort-order|time ...\n");
    if (standin_check_leaks != NULL)
        standin_check_leaks();
    return end_job();
}
