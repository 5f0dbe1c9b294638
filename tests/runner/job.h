/*
 * job.h - for test programs that a launcher starts on several ranks: TAP from rank 0, and all
 * splits of their number.
 */
#ifndef HS_TESTS_RUNNER_JOB_H
#define HS_TESTS_RUNNER_JOB_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "model/split.h"
#include "runner/backends.h"
#include "runner/bench.h"

#define SPLITS_MAX 256

static int my_rank, np, line, failures;
static struct hs_ranks ranks;
static struct hs_split splits[SPLITS_MAX];
static int split_count;

/* One TAP line: ok where every rank counts zero. */
static inline void tell(uint64_t bad_here, const char *sentence)
{
    uint64_t bad;
    MPI_Allreduce(&bad_here, &bad, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    line++;
    failures += bad != 0;
    if (my_rank == 0 && bad == 0)
        printf("ok %d - %s (np %d)\n", line, sentence, np);
    else if (my_rank == 0)
        printf("not ok %d - %s (np %d): %llu wrong\n", line, sentence, np, (unsigned long long)bad);
    if (my_rank == 0)
        fflush(stdout);
}

static inline void stop_if(enum hs_status status, const struct hs_error *err)
{
    if (status == HS_OK)
        return;
    printf("Bail out! rank %d: %s\n", my_rank, err->message);
    fflush(stdout);
    sleep(1); /* hydra drops what it has not forwarded yet when a rank aborts */
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static const int chunk_counts[] = {1, 2, 3, 8};
#define CHUNK_COUNTS (sizeof chunk_counts / sizeof chunk_counts[0])

static inline struct hs_bench *open_bench(const struct hs_bench_config *config)
{
    struct hs_error err;
    struct hs_bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        abort();
    stop_if(hs_bench_open(bench, config, &ranks, NULL, &err), &err);
    return bench;
}

/* A bench with buffers of `count` elements in that memory (NULL: the backend's own choice). */
static inline struct hs_bench *open_in_memory(const struct hs_backend *backend,
                                              enum hs_datatype datatype,
                                              enum hs_operation operation, size_t count,
                                              const struct hs_memory *memory)
{
    struct hs_bench_config config = {.backend = backend,
                                     .memory = memory,
                                     .datatype = datatype,
                                     .operation = operation,
                                     .count = count,
                                     /* small, so that the pipeline is long */
                                     .segment_bytes = 16384,
                                     .segments_in_flight = 3};
    return open_bench(&config);
}

static inline void close_bench(struct hs_bench *bench)
{
    hs_bench_close(bench);
    free(bench);
}

static inline struct hs_task plan_task(const struct hs_bench *bench, const struct hs_plan *plan)
{
    return (struct hs_task){.kind = HS_TASK_PLAN, .plan = *plan, .count = bench->config.count};
}

static inline struct hs_task stage_task(struct hs_layer layer, int phase, size_t count)
{
    return (struct hs_task){
        .kind = HS_TASK_STAGE, .stage = {(enum hs_phase)phase, HS_RING, layer}, .count = count};
}

static inline struct hs_task native_task(const struct hs_bench *bench, int native)
{
    return (struct hs_task){.kind = HS_TASK_NATIVE, .native = native, .count = bench->config.count};
}

/* Prepared, and run on an output that was spoiled. Returns the wrong elements. */
static inline uint64_t run_task(struct hs_bench *bench, const struct hs_task *task, bool timed)
{
    struct hs_error err;
    stop_if(hs_bench_prepare(bench, task, &err), &err);
    hs_bench_spoil(bench);
    stop_if(hs_bench_run(bench, task, timed, &err), &err);
    return hs_bench_wrong(bench, task);
}

static inline void stage_seconds(const struct hs_bench *bench, double seconds[HS_STAGES_MAX])
{
    bench->config.backend->engine->stage_seconds(bench->engine, seconds);
}

/* One stage alone: whether it goes well. */
static inline bool run_stage(struct hs_bench *bench, struct hs_layer layer, int phase, size_t count)
{
    struct hs_error err;
    struct hs_task task = stage_task(layer, phase, count);
    return hs_bench_prepare(bench, &task, &err) == HS_OK &&
           hs_bench_run(bench, &task, false, &err) == HS_OK;
}

/* All ways to write `rest` as an ordered product after the sizes already in `split`. */
static inline void list_splits(struct hs_split split, int rest)
{
    if (rest == 1) {
        if (split_count < SPLITS_MAX)
            splits[split_count++] = split;
        return;
    }
    for (int p = 2; p <= rest; p++)
        if (rest % p == 0) {
            struct hs_split longer = split;
            longer.sizes[longer.count++] = p;
            list_splits(longer, rest / p);
        }
}

/* MPI_Init, and all splits of the number of ranks. */
static inline void start_job(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    hs_ranks_init(&ranks, MPI_COMM_WORLD);
    if (np == 1)
        splits[split_count++] = hs_split_flat(1);
    else
        list_splits((struct hs_split){0}, np);
}

/* The plan, and the exit status. */
static inline int end_job(void)
{
    if (my_rank == 0)
        printf("1..%d\n", line);
    MPI_Finalize();
    return failures > 0 || line == 0;
}

#endif
