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
#include "runner/buffers.h"
#include "runner/cuda_aware.h"
#include "runner/host_data.h"

/* Of the stand-in; not there with the real libraries. */
void standin_check_leaks(void) __attribute__((weak));

static bool quick;
static const struct hs_memory *memory;

/* Elements of a buffer in GPU memory that are not `expected` (count elements, host). */
static uint64_t differs(const struct hs_host_data *data, const char *buffer, const char *expected)
{
    size_t bytes = data->count * data->width;
    char *copy = calloc(1, bytes);
    uint64_t wrong = 0;
    if (copy == NULL)
        return data->count;
    memory->copy(data->queue, copy, buffer, bytes);
    memory->wait(data->queue);
    for (size_t i = 0; i < bytes; i += data->width)
        wrong += memcmp(copy + i, expected + i, data->width) != 0;
    free(copy);
    return wrong;
}

/* The reduction, made on the host from what every rank puts in. */
static char *expected_output(const struct hs_host_data *data)
{
    size_t bytes = data->count * data->width;
    char *sum = malloc(bytes), *next = malloc(bytes);
    if (sum == NULL || next == NULL)
        abort();
    hs_pattern_fill(sum, &data->pattern, 0, 0, data->count);
    for (int rank = 1; rank < np; rank++) {
        hs_pattern_fill(next, &data->pattern, rank, 0, data->count);
        hs_memory_host.reduce(NULL, sum, sum, next, data->count, data->pattern.datatype,
                              data->pattern.operation, 0);
    }
    hs_memory_host.finish(NULL, sum, data->count, data->pattern.datatype, data->pattern.operation,
                          np);
    free(next);
    return sum;
}

static uint64_t run_plan(const struct hs_backend *backend, void *state, const struct hs_plan *plan,
                         const char *expected)
{
    struct hs_host_data *data = state;
    struct hs_layer_times times;
    struct hs_error err;
    char text[HS_SPLIT_TEXT];
    double sum = 0;
    stop_if(backend->prepare(state, plan, &err), &err);
    backend->spoil(state);
    stop_if(backend->run(state, plan, &times, &err), &err);
    uint64_t wrong = backend->wrong_elements(state) + differs(data, data->output, expected);
    for (int i = 0; i < plan->split.count; i++)
        sum += times.reduce_scatter[i] + times.allgather[i];
    if (wrong > 0)
        fprintf(stderr, "# rank %d: %s %s: %llu wrong\n", my_rank, backend->name,
                hs_plan_format(text, plan), (unsigned long long)wrong);
    return wrong + !(sum > 0);
}

static uint64_t all_plans(const struct hs_backend *backend, void *state)
{
    struct hs_host_data *data = state;
    char *expected = expected_output(data);
    struct hs_error err;
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c += quick ? 2 : 1) {
            struct hs_plan plan = {splits[s], chunk_counts[c]};
            wrong += run_plan(backend, state, &plan, expected);
        }
    for (const struct hs_baseline *row = backend->baselines; row->name != NULL; row++) {
        backend->spoil(state);
        stop_if(row->run(state, &err), &err);
        wrong += backend->wrong_elements(state) + differs(data, data->output, expected);
    }
    hs_pattern_fill(expected, &data->pattern, my_rank, 0, data->count);
    wrong += differs(data, data->input, expected);
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
        void *state = open_in_memory(backend, datatype, operation, counts[i], memory);
        wrong += all_plans(backend, state);
        backend->close(state);
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
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, memory);
    struct hs_host_data *data = state;
    struct hs_error err;
    uint64_t missed = 0;
    char sentence[160];
    backend->spoil(state);
    missed += backend->wrong_elements(state) != count;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {splits[s], 2};
        stop_if(backend->prepare(state, &plan, &err), &err);
        stop_if(backend->run(state, &plan, NULL, &err), &err);
        memory->set(data->queue, data->output + 4 * (size_t)1234, 0xff, 1);
        missed += backend->wrong_elements(state) != 1;
        if (my_rank == np - 1)
            memory->set(data->queue, data->input + 4 * (size_t)777 + 3, 0xc2, 1); /* about -64 */
        stop_if(backend->run(state, &plan, NULL, &err), &err);
        missed += backend->wrong_elements(state) != 1;
        memory->fill(data->queue, data->input, &data->pattern, my_rank, count);
    }
    backend->close(state);
    snprintf(sentence, sizeof sentence,
             "%s on %s: a wrong element is found, and one rank's wrong input everywhere",
             backend->name, memory->name);
    tell(missed, sentence);
}

static void layers_run_alone(const struct hs_backend *backend)
{
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10007, memory);
    struct hs_error err;
    uint64_t bad = 0;
    char sentence[120];
    for (int s = 0; s < split_count; s++)
        for (int i = 0; i < splits[s].count; i++)
            for (int phase = 0; phase < HS_PAIR; phase++)
                bad += backend->run_layer(state, hs_split_layer(&splits[s], i),
                                          (enum hs_phase)phase, 9973, &err) != HS_OK;
    backend->close(state);
    snprintf(sentence, sizeof sentence, "%s on %s: every phase of every layer runs alone",
             backend->name, memory->name);
    tell(bad, sentence);
}

/* By default four segments of 1 MiB, as in a measurement; and the bytes held are told. */
static void large_messages_are_right(const struct hs_backend *backend)
{
    size_t count = ((size_t)3 << 20) + 7;
    struct hs_backend_config config = {.world = MPI_COMM_WORLD,
                                       .count = count,
                                       .datatype = HS_BFLOAT16,
                                       .operation = HS_SUM,
                                       .memory = memory};
    struct hs_plan plan = {splits[split_count / 2], 2};
    struct hs_error err;
    void *state = NULL;
    char sentence[120];
    stop_if(backend->open(&state, &config, &err), &err);
    stop_if(backend->prepare(state, &plan, &err), &err);
    backend->spoil(state);
    stop_if(backend->run(state, &plan, NULL, &err), &err);
    uint64_t wrong = backend->wrong_elements(state);
    size_t bytes = backend->memory_bytes(state), message = 2 * count;
    wrong += bytes < 2 * message || bytes > 3 * message + ((size_t)64 << 20);
    backend->close(state);
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
    layers_run_alone(backend);
    large_messages_are_right(backend);
}

/* What the choice says; where mpi has none of that memory it says so in open, too. */
static void check_choice(struct hs_idle *idle)
{
    const struct hs_memory *chosen = NULL;
    struct hs_backend_config config = {.world = MPI_COMM_WORLD,
                                       .count = 10,
                                       .datatype = HS_FLOAT32,
                                       .operation = HS_SUM,
                                       .memory = memory};
    struct hs_error err = {0};
    void *state = NULL;
    uint64_t bad = memory->direct != hs_mpi_takes_gpu_pointers();
    bad += hs_buffers_choose(&chosen, &hs_backend_host, HS_BUFFERS_HOST, MPI_COMM_WORLD, idle,
                             &err) != HS_OK ||
           chosen != NULL;
    bad += hs_buffers_choose(&chosen, &hs_backend_mpi, HS_BUFFERS_AUTO, MPI_COMM_WORLD, idle,
                             &err) != HS_OK ||
           chosen != (memory->direct ? memory : NULL);
    if (!memory->direct) {
        bad += hs_buffers_choose(&chosen, &hs_backend_mpi, HS_BUFFERS_DEVICE, MPI_COMM_WORLD, idle,
                                 &err) != HS_INVALID ||
               strstr(err.message, "takes no GPU pointers") == NULL;
        bad += hs_backend_mpi.open(&state, &config, &err) != HS_INVALID || state != NULL;
    }
    tell(bad, memory->direct ? "a CUDA-aware MPI is handed GPU memory, by host and by mpi"
                             : "without a CUDA-aware MPI host stages and mpi takes host memory");
}

int main(int argc, char **argv)
{
    struct hs_idle idle;
    struct hs_error err;
    start_job(&argc, &argv);
    quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    hs_idle_init(&idle, MPI_COMM_WORLD);
    stop_if(hs_buffers_choose(&memory, &hs_backend_host, HS_BUFFERS_DEVICE, MPI_COMM_WORLD, &idle,
                              &err),
            &err);
    check_choice(&idle);
    check_backend(&hs_backend_host);
    if (memory->direct)
        check_backend(&hs_backend_mpi);
    if (standin_check_leaks != NULL)
        standin_check_leaks();
    return end_job();
}
