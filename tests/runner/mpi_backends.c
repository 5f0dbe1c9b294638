/*
 * mpi_backends.c - both backends on host memory, on as many ranks as the launcher starts.
 *
 *     mpiexec.mpich -n 6 mpi_backends [quick]
 *
 * Every ordered factorization of np, all data types, operations, odd sizes and chunks: each element
 * of every rank's output is checked against the pattern and, with random whole numbers as input,
 * against an MPI_Allreduce of ints. Rank 0 prints TAP; the exit status is 1 where a line is not ok.
 * `quick` leaves out most of the large messages and, with backend mpi, some sizes.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/backend.h"
#include "runner/host_data.h"
#include "runner/idle.h"

#include "half_reference.h"
#include "job.h"

#define LARGE_BYTES ((size_t)3 << 20)

static bool quick;

static void run_plan(const struct hs_backend *backend, void *state, const struct hs_plan *plan)
{
    struct hs_error err;
    struct hs_layer_times times;
    stop_if(backend->prepare(state, plan, &err), &err);
    backend->spoil(state);
    stop_if(backend->run(state, plan, &times, &err), &err);
}

static uint64_t all_plans(const struct hs_backend *backend, void *state)
{
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c++) {
            struct hs_plan plan = {splits[s], chunk_counts[c]};
            char text[HS_SPLIT_TEXT];
            run_plan(backend, state, &plan);
            uint64_t here = backend->wrong_elements(state);
            if (here > 0)
                fprintf(stderr, "# rank %d: %s %s: %llu wrong\n", my_rank, backend->name,
                        hs_plan_format(text, &plan), (unsigned long long)here);
            wrong += here;
        }
    return wrong;
}

static void pattern_is_reduced(const struct hs_backend *backend, enum hs_datatype datatype,
                               enum hs_operation operation)
{
    size_t counts[5] = {1, (size_t)(np > 1 ? np - 1 : 2), 1009, (size_t)np * 700 + 5,
                        LARGE_BYTES / hs_datatype_bytes(datatype) + 1};
    bool large = quick ? datatype == HS_FLOAT32 && operation == HS_SUM
                       : operation == HS_AVERAGE || datatype == HS_FLOAT32;
    uint64_t wrong = 0;
    /* each size makes the communicators of all layers again: slow where ranks outnumber cores */
    bool one_size = quick && backend == &hs_backend_mpi && (int)datatype != (int)operation;
    for (int i = one_size ? 2 : 0; i < (one_size ? 3 : large ? 5 : 4); i++) {
        void *state = open_in_memory(backend, datatype, operation, counts[i], NULL);
        wrong += all_plans(backend, state);
        backend->close(state);
    }
    char sentence[120];
    snprintf(sentence, sizeof sentence, "%s: %s of %s is right by every split, size and chunks",
             backend->name, hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

static void put(char *data, enum hs_datatype datatype, size_t i, double value)
{
    float single = (float)value;
    uint16_t half = half_encode(datatype == HS_FLOAT16 ? &half_float16 : &half_bfloat16, value);
    size_t width = hs_datatype_bytes(datatype);
    const void *from = datatype == HS_FLOAT64   ? (const void *)&value
                       : datatype == HS_FLOAT32 ? (const void *)&single
                                                : (const void *)&half;
    memcpy(data + i * width, from, width);
}

/* A sum of ints that came from MPI's own MPI_INT arithmetic, as the data type has to show it. */
static uint64_t differs(const struct hs_host_data *data, const int *reduced)
{
    enum hs_datatype datatype = data->pattern.datatype;
    uint64_t wrong = 0;
    for (size_t i = 0; i < data->count; i++) {
        char expected[8];
        double value = reduced[i];
        if (data->pattern.operation == HS_AVERAGE)
            value = datatype == HS_FLOAT64 ? value / np : (double)((float)value / (float)np);
        put(expected, datatype, 0, value);
        wrong += memcmp(expected, data->output + i * data->width, data->width) != 0;
    }
    return wrong;
}

static void random_numbers_agree(const struct hs_backend *backend, enum hs_datatype datatype,
                                 enum hs_operation operation)
{
    size_t count = 5003;
    void *state = open_in_memory(backend, datatype, operation, count, NULL);
    struct hs_host_data *data = state; /* see host_data.h: it is the first member */
    int *input = malloc(count * sizeof *input), *reduced = malloc(count * sizeof *reduced);
    unsigned seed = 12345u + (unsigned)my_rank;
    uint64_t wrong = input == NULL || reduced == NULL;

    for (size_t i = 0; wrong == 0 && i < count; i++) { /* at most 4 np: bfloat16 counts to 256 */
        seed = seed * 1103515245u + 12345u;
        input[i] = (int)(seed >> 16 & 7) - 3;
        put(data->input, datatype, i, input[i]);
    }
    char *copy = malloc(count * data->width);
    if (wrong == 0 && copy != NULL) {
        memcpy(copy, data->input, count * data->width);
        MPI_Allreduce(input, reduced, (int)count, MPI_INT, operation == HS_MAX ? MPI_MAX : MPI_SUM,
                      MPI_COMM_WORLD);
        for (int s = 0; s < split_count; s++) {
            struct hs_plan plan = {splits[s], 1 + s % 3};
            run_plan(backend, state, &plan);
            wrong += differs(data, reduced);
        }
        wrong += memcmp(copy, data->input, count * data->width) != 0;
    }
    free(copy);
    free(input);
    free(reduced);
    backend->close(state);
    char sentence[120];
    snprintf(sentence, sizeof sentence,
             "%s: %s of random %s agrees with MPI's ints, and the input stays", backend->name,
             hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

static void faults_are_found(const struct hs_backend *backend)
{
    size_t count = 3000;
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, NULL);
    struct hs_host_data *data = state;
    struct hs_plan plan = {splits[0], 1};
    uint64_t missed = 0;

    backend->spoil(state);
    missed += backend->wrong_elements(state) != count;
    run_plan(backend, state, &plan);
    missed += backend->wrong_elements(state) != 0;
    float kept = ((float *)(void *)data->output)[1234];
    ((float *)(void *)data->output)[1234] = kept + 1;
    missed += backend->wrong_elements(state) != 1;
    ((float *)(void *)data->output)[1234] = kept;
    memcpy(data->output, data->output + 1000 * data->width, 1000 * data->width);
    missed += backend->wrong_elements(state) < 990;
    tell(missed, backend == &hs_backend_host ? "host: a wrong element and a wrong block are found"
                                             : "mpi: a wrong element and a wrong block are found");
    backend->close(state);
}

/* A rank whose input changed spoils what everybody gets, and everybody notices. */
static void a_wrong_input_is_found(const struct hs_backend *backend)
{
    void *state = open_in_memory(backend, HS_BFLOAT16, HS_SUM, 2000, NULL);
    struct hs_host_data *data = state;
    uint64_t missed = 0;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {splits[s], 1};
        unsigned char *odd = (unsigned char *)data->input + 2 * (size_t)777 + 1;
        if (my_rank == np - 1)
            *odd ^= 0x80; /* the sign */
        run_plan(backend, state, &plan);
        missed += backend->wrong_elements(state) != 1;
        if (my_rank == np - 1)
            *odd ^= 0x80;
    }
    backend->close(state);
    tell(missed, backend == &hs_backend_host ? "host: one rank's wrong input is found everywhere"
                                             : "mpi: one rank's wrong input is found everywhere");
}

static void layers_run_alone(const struct hs_backend *backend)
{
    struct hs_error err;
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10007, NULL);
    for (int stride = 1; stride <= np; stride++)
        for (int size = quick ? 2 : 1; size * stride <= np; size++)
            for (int phase = 0; phase < HS_PAIR; phase++)
                for (size_t count = 1; np % (stride * size) == 0 && count <= 10007; count += 5003) {
                    struct hs_layer layer = {stride, size};
                    stop_if(backend->run_layer(state, layer, (enum hs_phase)phase, count, &err),
                            &err);
                }
    /* and nothing was left behind that disturbs a plan */
    struct hs_plan plan = {splits[split_count - 1], 2};
    run_plan(backend, state, &plan);
    uint64_t wrong = backend->wrong_elements(state);
    struct hs_layer whole = {1, np};
    wrong += backend->run_layer(state, whole, HS_ALLREDUCE, 10008, &err) != HS_INVALID;
    backend->close(state);
    tell(wrong, backend == &hs_backend_host ? "host: every layer runs alone in every phase"
                                            : "mpi: every layer runs alone in every phase");
}

static void baselines_are_right(const struct hs_backend *backend)
{
    struct hs_error err;
    uint64_t wrong = 0;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int op = 0; op < HS_OPERATION_COUNT; op++) {
            void *state =
                open_in_memory(backend, (enum hs_datatype)type, (enum hs_operation)op, 5000, NULL);
            for (const struct hs_baseline *row = backend->baselines; row->name != NULL; row++) {
                backend->spoil(state);
                stop_if(row->run(state, &err), &err);
                wrong += backend->wrong_elements(state);
            }
            backend->close(state);
        }
    tell(wrong, backend == &hs_backend_host ? "host: the library's own AllReduce is right"
                                            : "mpi: the library's own AllReduce is right");
}

static void memory_stays_in_bounds(const struct hs_backend *backend)
{
    size_t count = (size_t)1 << 20;
    struct hs_backend_config config = {
        .world = MPI_COMM_WORLD, .count = count, .datatype = HS_FLOAT32, .operation = HS_SUM};
    struct hs_error err;
    void *state = NULL;
    uint64_t wrong = 0;
    stop_if(backend->open(&state, &config, &err), &err);
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {splits[s], 8};
        run_plan(backend, state, &plan);
        wrong += backend->wrong_elements(state);
    }
    size_t bytes = backend->memory_bytes(state);
    wrong += bytes < 2 * 4 * count || bytes > 3 * 4 * count + ((size_t)64 << 20);
    backend->close(state);
    tell(wrong, backend == &hs_backend_host ? "host: memory stays below 3 n + 64 MiB"
                                            : "mpi: memory stays below 3 n + 64 MiB");
}

static void times_and_padding_are_told(const struct hs_backend *backend)
{
    struct hs_error err;
    size_t count = 100003; /* prime */
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, NULL);
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {splits[s], 1};
        struct hs_layer_times times;
        stop_if(backend->prepare(state, &plan, &err), &err);
        double start = MPI_Wtime(), sum = 0;
        stop_if(backend->run(state, &plan, &times, &err), &err);
        double whole = MPI_Wtime() - start;
        for (int i = 0; i < HS_LAYERS_MAX; i++) {
            wrong +=
                i < plan.split.count ? times.reduce_scatter[i] <= 0 : times.reduce_scatter[i] != 0;
            wrong += (i < plan.split.count - 1) != (times.allgather[i] > 0);
            sum += times.reduce_scatter[i] + times.allgather[i];
        }
        wrong += sum > whole;
        size_t padded = backend->padded_count(state, &plan);
        size_t last = (size_t)plan.split.sizes[plan.split.count - 1];
        wrong += padded < count || padded >= count + (size_t)np / last ||
                 padded % ((size_t)np / last) != 0;
    }
    backend->close(state);
    tell(wrong, backend == &hs_backend_host ? "host: layer times and padding are told"
                                            : "mpi: layer times and padding are told");
}

static void plans_of_other_sizes_are_refused(const struct hs_backend *backend)
{
    struct hs_error err = {0};
    struct hs_plan plan = {hs_split_flat(np + 1), 1};
    void *state = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10, NULL);
    uint64_t wrong = backend->prepare(state, &plan, &err) != HS_INVALID;
    wrong += strstr(err.message, "processes") == NULL;
    backend->close(state);
    tell(wrong, backend == &hs_backend_host ? "host: a split of another number is refused"
                                            : "mpi: a split of another number is refused");
}

static void cores_are_counted(void)
{
    struct hs_idle idle;
    hs_idle_init(&idle, MPI_COMM_WORLD);
    /* the test runs on one machine */
    tell(idle.ranks_here != np || idle.cores_here < 1 ||
             idle.oversubscribed != (np > idle.cores_here),
         "ranks and cores of this machine are counted");
}

static void check_backend(const struct hs_backend *backend)
{
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int op = 0; op < HS_OPERATION_COUNT; op++) {
            pattern_is_reduced(backend, (enum hs_datatype)type, (enum hs_operation)op);
            if (!quick || type == op || type == HS_BFLOAT16)
                random_numbers_agree(backend, (enum hs_datatype)type, (enum hs_operation)op);
        }
    faults_are_found(backend);
    a_wrong_input_is_found(backend);
    layers_run_alone(backend);
    baselines_are_right(backend);
    memory_stays_in_bounds(backend);
    times_and_padding_are_told(backend);
    plans_of_other_sizes_are_refused(backend);
}

int main(int argc, char **argv)
{
    start_job(&argc, &argv);
    quick = argc > 1 && strcmp(argv[1], "quick") == 0;

    check_backend(&hs_backend_host);
    check_backend(&hs_backend_mpi);
    cores_are_counted();
    return end_job();
}
