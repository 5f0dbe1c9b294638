/*
 * nccl_job.c - the backends nccl and nccl-graph, on as many ranks as the launcher starts.
 *
 *     mpiexec.mpich -n 8 nccl_job splits [quick]     every split, chunks, types, operations (quick:
 * some) mpiexec.mpich -n 8 nccl_job faults             errors and hangs (with the stand-in only)
 *     mpiexec.mpich -n 8 nccl_job time               what the executor adds per NCCL call
 *
 * Built with the stand-in (tests/nccl/standin) or with CUDA and NCCL; it cannot tell, except that
 * `faults` needs the former. Every element of every rank's output is compared with the pattern of
 * pattern.h. Rank 0 prints TAP.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../runner/job.h"
#include "engine/nccl.h"

#define TIMEOUT_SECONDS 60.0
#define HANG_SECONDS    0.7
#define TIMED_RUNS      41

/* Of the stand-in; not there with the real libraries. */
void standin_check_leaks(void) __attribute__((weak));

static bool quick;

static struct hs_bench *open_backend(const struct hs_backend *backend, enum hs_datatype datatype,
                                     enum hs_operation operation, size_t count,
                                     double timeout_seconds)
{
    struct hs_bench_config config = {.backend = backend,
                                     .count = count,
                                     .datatype = datatype,
                                     .operation = operation,
                                     .timeout_seconds = timeout_seconds};
    return open_bench(&config);
}

/* ---- splits ---- */

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
    return wrong + !(sum > 0 && backend->engine->device_seconds(bench->engine) > 0);
}

static uint64_t all_plans(struct hs_bench *bench)
{
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c += quick ? 2 : 1) {
            struct hs_plan plan = {splits[s], chunk_counts[c]};
            wrong += run_plan(bench, &plan);
        }
    return wrong;
}

static uint64_t all_baselines(struct hs_bench *bench)
{
    uint64_t wrong = 0;
    for (int i = 0; bench->config.backend->engine->natives[i] != NULL; i++) {
        struct hs_task task = native_task(bench, i);
        wrong += run_task(bench, &task, false);
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
             "%s: %s of %s is right by every split and chunks, and by both baselines",
             backend->name, hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

static void spoiled_is_all_wrong(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_backend(backend, HS_FLOAT32, HS_SUM, 1009, TIMEOUT_SECONDS);
    struct hs_task task = native_task(bench, 0);
    hs_bench_spoil(bench);
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

static void check_splits(void)
{
    static const struct hs_backend *const backends[] = {&hs_backend_nccl, &hs_backend_nccl_graph};
    for (int b = 0; b < 2; b++)
        for (int d = 0; d < HS_DATATYPE_COUNT; d++)
            for (int o = 0; o < HS_OPERATION_COUNT; o++)
                if (!quick || b + d == 0 || (d + o + np) % 4 == 0)
                    check_all_plans(backends[b], (enum hs_datatype)d, (enum hs_operation)o);
    spoiled_is_all_wrong(&hs_backend_nccl);
    layers_run_alone(&hs_backend_nccl);
}

/* ---- faults ---- */

/* Whether any rank fails; the message of one that does is kept in *err. */
static bool fails_somewhere(struct hs_bench *bench, const struct hs_plan *plan,
                            struct hs_error *err)
{
    struct hs_task task = plan_task(bench, plan);
    int bad = 0, any;
    for (int run = 0; run < 2 && bad == 0; run++) {
        int here = run == 0 ? hs_bench_prepare(bench, &task, err) != HS_OK
                            : hs_bench_run(bench, &task, false, err) != HS_OK;
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
    struct hs_plan victim, other = {hs_split_flat(np), 1}, chunked = {other.split, 3};
    bool timed_out = false;
    char sentence[160];
    uint64_t bad = 0;
    stop_if(hs_plan_parse(&victim, text, np, &err), &err);
    bad += run_plan(bench, &other);
    setenv("STANDIN_FAULT", fault, 1);
    bad += !fails_somewhere(bench, &victim, &err);
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
    if (np != 8 || standin_check_leaks == NULL) {
        tell(0, "faults are injected # SKIP needs the stand-in and 8 ranks");
        return;
    }
    fault_is_survived(&hs_backend_nccl, "hang:reduce-scatter:4", "4x2", true);
    fault_is_survived(&hs_backend_nccl, "hang:allreduce:2", "4x2/3", true);
    fault_is_survived(&hs_backend_nccl, "hang:allgather:2", "2x2x2/2", true);
    fault_is_survived(&hs_backend_nccl, "hang:split:4", "2x4", true);
    fault_is_survived(&hs_backend_nccl, "error:allreduce:4", "2x4", false);
    fault_is_survived(&hs_backend_nccl, "refuse:allgather:2", "2x4", false);
    fault_is_survived(&hs_backend_nccl_graph, "hang:allreduce:2", "4x2/3", true);
    fault_is_survived(&hs_backend_nccl_graph, "error:allgather:4", "4x2", false);
    wrong_data_is_seen();
}

/* ---- time ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over runs of what a run adds per call, on the slowest rank. */
static void time_plan(const struct hs_plan *plan, struct hs_bench *bench)
{
    double added[TIMED_RUNS], slowest;
    char text[HS_SPLIT_TEXT], sentence[160];
    struct hs_error err;
    struct hs_task task = plan_task(bench, plan);
    stop_if(hs_bench_prepare(bench, &task, &err), &err);
    for (int i = 0; i < TIMED_RUNS; i++) {
        struct hs_nccl_clock before = hs_nccl_engine_clock(bench->engine), after;
        stop_if(hs_bench_run(bench, &task, false, &err), &err);
        after = hs_nccl_engine_clock(bench->engine);
        added[i] = (after.issue_seconds - before.issue_seconds - after.nccl_seconds +
                    before.nccl_seconds) /
                   (double)(after.calls - before.calls);
    }
    qsort(added, TIMED_RUNS, sizeof *added, compare_doubles);
    MPI_Allreduce(&added[TIMED_RUNS / 2], &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    snprintf(sentence, sizeof sentence,
             "the executor adds %.2f us per NCCL call in %s (events included), less than 10",
             slowest * 1e6, hs_plan_format(text, plan));
    tell(!(slowest < 10e-6), sentence);
}

static void check_time(void)
{
    struct hs_bench *bench =
        open_backend(&hs_backend_nccl, HS_FLOAT32, HS_SUM, 4096, TIMEOUT_SECONDS);
    for (int s = 0; s < split_count; s++)
        for (int c = 1; c <= 8; c *= 8) {
            struct hs_plan plan = {splits[s], c};
            time_plan(&plan, bench);
        }
    close_bench(bench);
}

int main(int argc, char **argv)
{
    char why[256];
    const char *mode = argc > 1 ? argv[1] : "";
    start_job(&argc, &argv);
    quick = argc > 2 && strcmp(argv[2], "quick") == 0;
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
    else if (strcmp(mode, "time") == 0)
        check_time();
    else if (my_rank == 0)
        fprintf(stderr, "usage: nccl_job splits|faults|time [quick]\n");
    if (standin_check_leaks != NULL)
        standin_check_leaks();
    return end_job();
}
