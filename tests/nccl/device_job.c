/*
 * device_job.c - the backends host and mpi on GPU memory, on as many ranks as the launcher starts.
 *
 *     mpiexec.mpich -n 6 device_job [quick]     every split, chunks, types, operations (quick:
 * some)
 *
 * Built with the stand-in (tests/nccl/standin), whose MPI takes device memory with
 * STANDIN_MPI=aware and must not be handed any without; or with CUDA. Every element of every rank's
 * output is compared by the kernel, and once more on the host, from a copy.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../runner/job.h"
#include "engine/cuda_aware.h"
#include "runner/buffers.h"

/* Of the stand-in; not there with the real libraries. */
void standin_check_leaks(void) __attribute__((weak));

static bool quick;
static const struct hs_memory *memory;

/* Elements of a buffer in GPU memory that are not `expected` (count elements, host). */
static uint64_t differs(const struct hs_bench *bench, const char *buffer, const char *expected)
{
    size_t width = hs_datatype_bytes(bench->config.datatype), bytes = bench->config.count * width;
    char *copy = calloc(1, bytes);
    uint64_t wrong = 0;
    if (copy == NULL)
        return bench->config.count;
    memory->copy(bench->queue, copy, buffer, bytes);
    memory->wait(bench->queue);
    for (size_t i = 0; i < bytes; i += width)
        wrong += memcmp(copy + i, expected + i, width) != 0;
    free(copy);
    return wrong;
}

/* The reduction, made on the host from what every rank puts in. */
static char *expected_output(const struct hs_bench *bench)
{
    size_t count = bench->config.count;
    size_t bytes = count * hs_datatype_bytes(bench->config.datatype);
    struct hs_reduction reduction = {bench->config.datatype, bench->config.operation, 0};
    char *sum = malloc(bytes), *next = malloc(bytes);
    if (sum == NULL || next == NULL)
        abort();
    hs_pattern_fill(sum, &bench->pattern, 0, 0, count);
    for (int rank = 1; rank < np; rank++) {
        hs_pattern_fill(next, &bench->pattern, rank, 0, count);
        hs_reduce(sum, sum, next, count, reduction);
    }
    reduction.divisor = np;
    hs_reduce_finish(sum, count, reduction);
    free(next);
    return sum;
}

static uint64_t run_plan(struct hs_bench *bench, const struct hs_plan *plan, const char *expected)
{
    struct hs_task task = plan_task(bench, plan);
    char text[HS_SPLIT_TEXT];
    double times[HS_STAGES_MAX], sum = 0;
    uint64_t wrong = run_task(bench, &task, true) + differs(bench, bench->output, expected);
    stage_seconds(bench, times);
    for (int i = 0; i < 2 * plan->split.count - 1; i++)
        sum += times[i];
    if (wrong > 0)
        fprintf(stderr, "# rank %d: %s %s: %llu wrong\n", my_rank, bench->config.backend->name,
                hs_plan_format(text, plan), (unsigned long long)wrong);
    return wrong + !(sum > 0);
}

static uint64_t all_plans(struct hs_bench *bench)
{
    char *expected = expected_output(bench);
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c += quick ? 2 : 1) {
            struct hs_plan plan = {.split = splits[s], .chunks = chunk_counts[c]};
            wrong += run_plan(bench, &plan, expected);
        }
    const char *const *natives = bench->config.backend->engine->natives[HS_COLLECTIVE_ALLREDUCE];
    for (int i = 0; natives[i] != NULL; i++) {
        struct hs_task task = native_task(bench, HS_COLLECTIVE_ALLREDUCE, i);
        wrong += run_task(bench, &task, false) + differs(bench, bench->output, expected);
    }
    hs_pattern_fill(expected, &bench->pattern, my_rank, 0, bench->config.count);
    wrong += differs(bench, bench->input, expected);
    free(expected);
    return wrong;
}

static void check_all_plans(const struct hs_backend *backend, enum hs_datatype datatype,
                            enum hs_operation operation)
{
    size_t counts[3] = {(size_t)np * 70 + 5, 1, 90000}; /* the last: many segments a block */
    bool large = datatype == HS_FLOAT32 && (operation == HS_AVERAGE || !quick);
    uint64_t wrong = 0;
    char sentence[160];
    for (int i = 0; i < (large ? 3 : quick ? 1 : 2); i++) {
        struct hs_bench *bench = open_in_memory(backend, datatype, operation, counts[i], memory);
        wrong += all_plans(bench);
        close_bench(bench);
    }
    snprintf(sentence, sizeof sentence,
             "%s on %s: %s of %s is right by every split and chunks, the input stays",
             backend->name, memory->name, hs_operation_names[operation],
             hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

/* Whether all that is wrong in the output is found, and what a wrong input does to all. */
static void wrong_data_is_found(const struct hs_backend *backend)
{
    size_t count = 3000;
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, memory);
    struct hs_elements input = {memory, bench->queue, bench->input, 0, count};
    struct hs_task native = native_task(bench, HS_COLLECTIVE_ALLREDUCE, 0);
    char *in = bench->input, *out = bench->output;
    struct hs_error err;
    uint64_t missed = 0;
    char sentence[160];
    hs_bench_spoil(bench, &native);
    missed += hs_bench_wrong(bench, &native) != count;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 2};
        struct hs_task task = plan_task(bench, &plan);
        stop_if(hs_bench_prepare(bench, &task, &err), &err);
        stop_if(hs_bench_run(bench, &task, false, &err), &err);
        memory->set(bench->queue, out + 4 * (size_t)1234, 0xff, 1);
        missed += hs_bench_wrong(bench, &task) != 1;
        if (my_rank == np - 1) {
            memory->set(bench->queue, in + 4 * (size_t)777 + 3, 0xc2, 1); /* about -64 */
            memory->wait(bench->queue); /* the engine has a queue of its own */
        }
        stop_if(hs_bench_run(bench, &task, false, &err), &err);
        missed += hs_bench_wrong(bench, &task) != 1;
        stop_if(hs_pattern_put(&input, &bench->pattern, my_rank, &err), &err);
    }
    close_bench(bench);
    snprintf(sentence, sizeof sentence,
             "%s on %s: a wrong element is found, and one rank's wrong input everywhere",
             backend->name, memory->name);
    tell(missed, sentence);
}

/* Of collectives of one way, by plans and by the library, whose calls may be staged. */
static void blocks_are_verified(const struct hs_backend *backend)
{
    const size_t counts[] = {(size_t)np * 70 + 5, 8 * (size_t)np};
    struct hs_plan plans[SPLITS_MAX];
    uint64_t wrong = 0;
    char sentence[160];

    for (int s = 0; s < split_count; s++)
        plans[s] = (struct hs_plan){.split = splits[s], .chunks = 1};
    for (int i = 0; i < 2; i++) {
        struct hs_bench *bench =
            open_in_memory(backend, i == 0 ? HS_FLOAT32 : HS_BFLOAT16, HS_SUM, counts[i], memory);

        wrong += verified_blocks(bench, plans, quick && split_count > 2 ? 2 : split_count);
        wrong += i == 1 ? missed_in_blocks(bench, &plans[0]) : 0;
        close_bench(bench);
    }
    snprintf(sentence, sizeof sentence,
             "%s on %s: reduce-scatters, allgathers and all-to-alls are verified, the library's "
             "own too, and a wrong element is found",
             backend->name, memory->name);
    tell(wrong, sentence);
}

static void layers_run_alone(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10007, memory);
    uint64_t bad = 0;
    char sentence[120];
    for (int s = 0; s < split_count; s++)
        for (int i = 0; i < splits[s].count; i++)
            for (int phase = 0; phase < HS_PAIR; phase++)
                bad += !run_stage(bench, hs_split_layer(&splits[s], i), phase, 9973);
    close_bench(bench);
    snprintf(sentence, sizeof sentence, "%s on %s: every phase of every layer runs alone",
             backend->name, memory->name);
    tell(bad, sentence);
}

/* By default four segments of 1 MiB, as in a measurement; and the bytes held are told. */
static void large_messages_are_right(const struct hs_backend *backend)
{
    size_t count = ((size_t)3 << 20) + 7;
    struct hs_bench_config config = {.backend = backend,
                                     .memory = memory,
                                     .count = count,
                                     .datatype = HS_BFLOAT16,
                                     .operation = HS_SUM};
    struct hs_plan plan = {.split = splits[split_count / 2], .chunks = 2};
    struct hs_bench *bench = open_bench(&config);
    struct hs_task task = plan_task(bench, &plan);
    char sentence[120];
    uint64_t wrong = run_task(bench, &task, false);
    size_t bytes = hs_bench_bytes(bench), message = 2 * count;
    wrong += bytes < 2 * message || bytes > 3 * message + ((size_t)64 << 20);
    close_bench(bench);
    snprintf(sentence, sizeof sentence,
             "%s on %s: 6 MiB in full segments are right, memory stays below 3 n + 64 MiB",
             backend->name, memory->name);
    tell(wrong, sentence);
}

static void check_backend(const struct hs_backend *backend)
{
    for (int d = 0; d < HS_DATATYPE_COUNT; d++)
        for (int o = 0; o < HS_OPERATION_COUNT; o++)
            if (!quick || (d == HS_FLOAT32 && o == HS_AVERAGE) || (d + o + np) % 4 == 0)
                check_all_plans(backend, (enum hs_datatype)d, (enum hs_operation)o);
    wrong_data_is_found(backend);
    blocks_are_verified(backend);
    layers_run_alone(backend);
    large_messages_are_right(backend);
}

/* What the choice says; where mpi has none of that memory it says so in open, too. */
static void check_choice(void)
{
    const struct hs_memory *chosen = NULL;
    struct hs_bench_config config = {.backend = &hs_backend_mpi,
                                     .memory = memory,
                                     .count = 10,
                                     .datatype = HS_FLOAT32,
                                     .operation = HS_SUM};
    struct hs_bench bench;
    struct hs_error err = {0};
    uint64_t bad = memory->direct != hs_mpi_takes_gpu_pointers();
    bad += hs_buffers_choose(&chosen, &hs_backend_host, HS_BUFFERS_HOST, &ranks, &err) != HS_OK ||
           chosen != NULL;
    bad += hs_buffers_choose(&chosen, &hs_backend_mpi, HS_BUFFERS_AUTO, &ranks, &err) != HS_OK ||
           chosen != (memory->direct ? memory : NULL);
    if (!memory->direct) {
        bad += hs_buffers_choose(&chosen, &hs_backend_mpi, HS_BUFFERS_DEVICE, &ranks, &err) !=
                   HS_INVALID ||
               strstr(err.message, "takes no GPU pointers") == NULL;
        bad += hs_bench_open(&bench, &config, &ranks, NULL, &err) != HS_INVALID;
    }
    tell(bad, memory->direct ? "a CUDA-aware MPI is handed GPU memory, by host and by mpi"
                             : "without a CUDA-aware MPI host stages and mpi takes host memory");
}

int main(int argc, char **argv)
{
    struct hs_error err;
    start_job(&argc, &argv);
    quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    stop_if(hs_buffers_choose(&memory, &hs_backend_host, HS_BUFFERS_DEVICE, &ranks, &err), &err);
    check_choice();
    check_backend(&hs_backend_host);
    if (memory->direct)
        check_backend(&hs_backend_mpi);
    if (standin_check_leaks != NULL)
        standin_check_leaks();
    return end_job();
}
