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

#define ORDERS_RUN HS_LAYOUT_COUNT

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

static inline struct hs_task native_task(const struct hs_bench *bench,
                                         enum hs_collective collective, int native)
{
    return (struct hs_task){.kind = HS_TASK_NATIVE,
                            .plan = hs_plan_flat(np),
                            .collective = collective,
                            .native = native,
                            .count = bench->config.count};
}

/* Prepared, and run on an output that was spoiled. Returns the wrong elements. */
static inline uint64_t run_task(struct hs_bench *bench, const struct hs_task *task, bool timed)
{
    struct hs_error err;
    stop_if(hs_bench_prepare(bench, task, &err), &err);
    hs_bench_spoil(bench, task);
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

/* ---- collectives of one way, in whose messages every rank has a block ---- */

static const enum hs_collective one_way[] = {HS_COLLECTIVE_REDUCE_SCATTER, HS_COLLECTIVE_ALLGATHER,
                                             HS_COLLECTIVE_ALLTOALL};

#define ONE_WAY_COUNT (int)(sizeof one_way / sizeof one_way[0])

/* Wrong elements by these plans in every order, and by the library's calls. */
static inline uint64_t verified_blocks(struct hs_bench *bench, const struct hs_plan *plans,
                                       int plan_count)
{
    const struct hs_engine *engine = bench->config.backend->engine;
    uint64_t wrong = 0;

    for (int c = 0; c < ONE_WAY_COUNT; c++) {
        for (int p = 0; p < plan_count * ORDERS_RUN; p++) {
            struct hs_task task = plan_task(bench, &plans[p / ORDERS_RUN]);

            task.collective = one_way[c];
            task.layout = (enum hs_layout)(p % ORDERS_RUN);
            wrong += run_task(bench, &task, true);
        }
        for (int i = 0; engine->natives[one_way[c]][i] != NULL; i++) {
            struct hs_task task = native_task(bench, one_way[c], i);

            if (!engine->has_native || engine->has_native(i))
                wrong += run_task(bench, &task, false);
        }
    }
    return wrong;
}

/* Another value of the output's byte at `offset`. */
static inline void change_byte(struct hs_bench *bench, size_t offset)
{
    char *byte = (char *)bench->output + offset;
    unsigned char found;

    bench->memory->copy(bench->queue, &found, byte, 1);
    bench->memory->wait(bench->queue);
    bench->memory->set(bench->queue, byte, found ^ 0x41, 1);
    bench->memory->wait(bench->queue);
}

/* An all-to-all's blocks of two ranks, one in place of the other: what is not found. */
static inline uint64_t missed_swap(struct hs_bench *bench, const struct hs_task *task)
{
    size_t part = bench->config.count / (size_t)np;
    size_t bytes = part * hs_datatype_bytes(bench->config.datatype);
    char *output = bench->output;

    if (task->collective != HS_COLLECTIVE_ALLTOALL || np == 1)
        return 0;
    bench->memory->copy(bench->queue, output, output + bytes, bytes);
    bench->memory->wait(bench->queue);
    return hs_bench_wrong(bench, task) != part;
}

/* What is spoiled is wrong in every element that the collective writes, and one that changes is one
 * wrong element: counts that are off. */
static inline uint64_t missed_in_blocks(struct hs_bench *bench, const struct hs_plan *plan)
{
    size_t count = bench->config.count, part = count / (size_t)np; /* it divides */
    uint64_t missed = 0;

    for (int c = 0; c < ONE_WAY_COUNT * ORDERS_RUN; c++) {
        struct hs_task task = plan_task(bench, plan);
        size_t written[HS_COLLECTIVE_COUNT] = {[HS_COLLECTIVE_REDUCE_SCATTER] = part,
                                               [HS_COLLECTIVE_ALLGATHER] = count - part,
                                               [HS_COLLECTIVE_ALLTOALL] = count};
        struct hs_block mine;

        task.collective = one_way[c % ONE_WAY_COUNT];
        task.layout = (enum hs_layout)(c / ONE_WAY_COUNT);
        mine = hs_task_block(&task, 1, my_rank);
        missed += mine.count != (task.collective == HS_COLLECTIVE_ALLTOALL ? count : part) ||
                  mine.first % part != 0;
        hs_bench_spoil(bench, &task);
        missed += hs_bench_wrong(bench, &task) != written[task.collective];
        missed += run_task(bench, &task, false) != 0;
        change_byte(bench, mine.first * hs_datatype_bytes(bench->config.datatype));
        missed += hs_bench_wrong(bench, &task) != 1;
        missed += missed_swap(bench, &task);
    }
    return missed;
}

/* ---- the same on the engine itself, of elements of its own ---- */

/* What runs them, and a float for every element on the host's side. */
struct blocks {
    const struct hs_backend *backend;
    const struct hs_memory *memory;
    struct hs_queue *queue;
    void *engine, *input, *output, *staging;
    size_t room; /* elements of each */
};

/* Element i of a rank's message: small where it is added, and no two alike of an all-to-all. */
static inline float element_of(enum hs_collective collective, int rank, size_t i)
{
    if (collective == HS_COLLECTIVE_ALLTOALL)
        return (float)((size_t)rank * 32768 + i);
    return (float)((i * 7 + (size_t)rank * 3) % 5);
}

static inline void run_engine(const struct blocks *blocks, const struct hs_work *work)
{
    const struct hs_engine *engine = blocks->backend->engine;
    struct hs_idle idle = {.ranks_here = np, .oversubscribed = true};
    struct hs_error err;
    bool done = false, moved;

    stop_if(engine->prepare(blocks->engine, work, &err), &err);
    stop_if(engine->start(blocks->engine, work, &err), &err);
    while (!done) {
        stop_if(engine->test(blocks->engine, &done, &moved, &err), &err);
        hs_idle_looked(&idle, moved || done);
    }
}

/* What waits in the output beforehand is, of an allgather, this rank's block of its own elements,
 * and nothing else. */
static inline void fill_blocks(const struct blocks *blocks, const struct hs_task *task, size_t part)
{
    struct hs_problem problem = hs_task_problem(task);
    size_t bytes = blocks->room * sizeof(float), i;
    size_t first = (size_t)hs_problem_block(&problem, &task->plan.split, my_rank) * part;
    float *staging = blocks->staging;

    for (i = 0; i < blocks->room; i++)
        staging[i] = i < task->count ? element_of(task->collective, my_rank, i) : 0;
    blocks->memory->copy(blocks->queue, blocks->input, staging, bytes);
    blocks->memory->wait(blocks->queue);
    for (i = 0; i < blocks->room; i++)
        if (task->collective != HS_COLLECTIVE_ALLGATHER || i < first || i >= first + part)
            staging[i] = -1000;
    blocks->memory->copy(blocks->queue, blocks->output, staging, bytes);
    blocks->memory->wait(blocks->queue);
}

static inline float block_element(const struct hs_work *work, int owner, size_t i)
{
    enum hs_collective collective = work->task->collective;
    float sum = 0;

    if (i >= work->task->count)
        return 0;
    if (hs_collectives[collective].outcome != HS_OUTCOME_REDUCED)
        return element_of(collective, owner, i);
    for (int r = 0; r < np; r++)
        sum += element_of(collective, r, i);
    return work->operation == HS_AVERAGE ? sum / (float)np : sum;
}

/* Block r is what rank r had in the block of this rank's number. */
static inline uint64_t wrong_exchanged(const struct blocks *blocks, const struct hs_work *work,
                                       size_t part)
{
    const float *staging = blocks->staging;
    uint64_t wrong = 0;

    for (int owner = 0; owner < np; owner++)
        for (size_t i = 0; i < part; i++)
            wrong += staging[(size_t)owner * part + i] !=
                     block_element(work, owner, (size_t)my_rank * part + i);
    return wrong;
}

/* What differs, in this rank's block or in all, from what the MPI library's default has there. */
static inline uint64_t unlike_library(const struct hs_work *work, const float *found, size_t part)
{
    bool gathers = work->task->collective == HS_COLLECTIVE_ALLGATHER;
    size_t count = part * (size_t)np, first = (size_t)my_rank * part;
    float *own = malloc(count * sizeof(*own)), *got = malloc(count * sizeof(*got));
    uint64_t wrong = 0;

    if (!own || !got)
        abort();
    for (size_t i = 0; i < count; i++)
        own[i] = i < work->task->count ? element_of(work->task->collective, my_rank, i) : 0;
    if (gathers)
        MPI_Allgather(own + first, (int)part, MPI_FLOAT, got, (int)part, MPI_FLOAT, MPI_COMM_WORLD);
    else
        MPI_Reduce_scatter_block(own, got, (int)part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (size_t i = 0; i < (gathers ? count : part); i++) {
        float divisor = !gathers && work->operation == HS_AVERAGE ? (float)np : 1;

        wrong += found[gathers ? i : first + i] != got[i] / divisor;
    }
    free(own);
    free(got);
    return wrong;
}

/* Of a reduce-scatter this rank's block of sums, of an allgather all ranks' elements. */
static inline uint64_t wrong_blocks(const struct blocks *blocks, const struct hs_work *work,
                                    size_t part)
{
    bool gathers = work->task->collective == HS_COLLECTIVE_ALLGATHER;
    struct hs_problem problem = hs_task_problem(work->task);
    const float *staging = blocks->staging;
    uint64_t wrong = 0;

    blocks->memory->copy(blocks->queue, blocks->staging, blocks->output,
                         blocks->room * sizeof(float));
    blocks->memory->wait(blocks->queue);
    if (work->task->collective == HS_COLLECTIVE_ALLTOALL)
        return wrong_exchanged(blocks, work, part);
    for (int owner = 0; owner < np; owner++) {
        size_t first = (size_t)hs_problem_block(&problem, &work->task->plan.split, owner) * part;

        for (size_t i = first; i < first + part && (gathers || owner == my_rank); i++)
            wrong += staging[i] != block_element(work, owner, i);
    }
    if (work->task->layout != HS_REVERSED)
        wrong += unlike_library(work, staging, part);
    return wrong;
}

/* Of one plan, all these collectives in both orders, sums and averages in turn. */
static inline uint64_t blocks_of_plan(const struct blocks *blocks, const struct hs_plan *plan,
                                      size_t count)
{
    uint64_t wrong = 0;

    for (int i = 0; i < ONE_WAY_COUNT * ORDERS_RUN; i++) {
        struct hs_task task = {.kind = HS_TASK_PLAN,
                               .plan = *plan,
                               .collective = one_way[i % ONE_WAY_COUNT],
                               .layout = (enum hs_layout)(i / ONE_WAY_COUNT),
                               .count = count};
        struct hs_work work = {.task = &task,
                               .line = 1,
                               .datatype = HS_FLOAT32,
                               .operation = plan->split.count % 2 ? HS_SUM : HS_AVERAGE,
                               .input = blocks->input,
                               .output = blocks->output,
                               .room = blocks->room};
        size_t part = hs_task_padded(&task, 1) / (size_t)np;

        for (int l = 0; l < plan->split.count; l++) /* its exchange has no letter */
            if (task.collective == HS_COLLECTIVE_ALLTOALL && plan->algorithms[l][0] == HS_DIRECT)
                task.plan.algorithms[l][0] = HS_RING;
        fill_blocks(blocks, &task, part);
        run_engine(blocks, &work);
        wrong += wrong_blocks(blocks, &work, part);
    }
    return wrong;
}

/* Wrong elements of reduce-scatters, allgathers and all-to-alls by these plans, on an engine of
 * their own; and whether chunks of them are refused. */
static inline uint64_t blocks_of_plans(const struct hs_backend *backend,
                                       const struct hs_engine_config *config,
                                       const struct hs_plan *plans, int plan_count)
{
    const size_t counts[] = {1, (size_t)np * 700 + 5, 20011};
    struct blocks blocks = {.backend = backend,
                            .memory = config->memory,
                            .room = counts[1] + counts[2] + 2 * (size_t)np};
    size_t bytes = blocks.room * sizeof(float);
    struct hs_task chunks = {.kind = HS_TASK_PLAN,
                             .plan = {.split = plans[0].split, .chunks = 2},
                             .collective = HS_COLLECTIVE_ALLGATHER,
                             .count = 100};
    struct hs_work work = {.task = &chunks, .line = 1, .room = blocks.room};
    struct hs_error err;
    uint64_t wrong = 0;

    stop_if(backend->open(&blocks.engine, config, &err), &err);
    stop_if(blocks.memory->queue_new(&blocks.queue, 0, &err), &err);
    stop_if(blocks.memory->allocate(&blocks.input, bytes, "the input", &err), &err);
    stop_if(blocks.memory->allocate(&blocks.output, bytes, "the output", &err), &err);
    stop_if(blocks.memory->allocate_staging(&blocks.staging, bytes, "the host's side", &err), &err);
    for (int p = 0; p < plan_count; p++)
        for (int c = 0; c < 3; c++)
            wrong += blocks_of_plan(&blocks, &plans[p], counts[c]);
    work.input = blocks.input;
    work.output = blocks.output;
    wrong += backend->engine->prepare(blocks.engine, &work, &err) != HS_INVALID;
    backend->engine->close(blocks.engine);
    blocks.memory->release(blocks.input);
    blocks.memory->release(blocks.output);
    blocks.memory->release_staging(blocks.staging);
    blocks.memory->queue_free(blocks.queue);
    return wrong;
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
