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

#include "engine/idle.h"

#include "../engine/half_reference.h"
#include "job.h"

#define LARGE_BYTES ((size_t)3 << 20)

static bool quick;

static uint64_t run_plan(struct hs_bench *bench, const struct hs_plan *plan)
{
    struct hs_task task = plan_task(bench, plan);
    return run_task(bench, &task, true);
}

static uint64_t all_plans(struct hs_bench *bench)
{
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (size_t c = 0; c < CHUNK_COUNTS; c++) {
            struct hs_plan plan = {.split = splits[s], .chunks = chunk_counts[c]};
            char text[HS_SPLIT_TEXT];
            uint64_t here = run_plan(bench, &plan);
            if (here > 0)
                fprintf(stderr, "# rank %d: %s %s: %llu wrong\n", my_rank,
                        bench->config.backend->name, hs_plan_format(text, &plan),
                        (unsigned long long)here);
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
        struct hs_bench *bench = open_in_memory(backend, datatype, operation, counts[i], NULL);
        wrong += all_plans(bench);
        close_bench(bench);
    }
    char sentence[120];
    snprintf(sentence, sizeof sentence, "%s: %s of %s is right by every split, size and chunks",
             backend->name, hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

#define LETTERINGS 17 /* every pair of four, and the tree */

/* Letters of all algorithms, in turn over the layers: outward and inward ones differ, on the last
 * layer, too. Trees are for the last layer, MPI's own collectives for host memory. */
static struct hs_plan lettered(struct hs_split split, int lettering, int chunks, bool natives)
{
    static const unsigned char algorithms[] = {HS_RING, HS_HALVING, HS_DIRECT, HS_NATIVE};
    struct hs_plan plan = {.split = split, .chunks = chunks};
    int count = natives ? 4 : 3, last = split.count - 1;

    for (int i = 0; i <= last; i++) {
        int pair = lettering + 5 * (last - i);

        plan.algorithms[i][0] = algorithms[pair / count % count];
        plan.algorithms[i][1] = algorithms[pair % count];
    }
    if (lettering >= count * count)
        plan.algorithms[last][0] = plan.algorithms[last][1] = HS_TREE;
    return plan;
}

static uint64_t all_letters(struct hs_bench *bench, bool natives)
{
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++)
        for (int l = 0; l < LETTERINGS; l++) {
            struct hs_plan plan =
                lettered(splits[s], l, chunk_counts[(size_t)(s + l) % CHUNK_COUNTS], natives);
            wrong += run_plan(bench, &plan);
        }
    return wrong;
}

static void all_algorithms_are_right(const struct hs_memory *memory, const char *sentence)
{
    static const enum hs_datatype types[] = {HS_FLOAT32, HS_FLOAT64, HS_BFLOAT16};
    uint64_t wrong = 0;

    for (int i = 0; i < 3; i++) {
        size_t counts[] = {1, 1009, LARGE_BYTES / hs_datatype_bytes(types[i]) + 1};
        for (int c = 0; c < (quick && i > 0 ? 2 : 3); c++) {
            struct hs_bench *bench =
                open_in_memory(&hs_backend_host, types[i], (enum hs_operation)i, counts[c], memory);
            wrong += all_letters(bench, !memory || memory == &hs_memory_host);
            close_bench(bench);
        }
    }
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
static uint64_t differs(const struct hs_bench *data, const int *reduced)
{
    enum hs_datatype datatype = data->pattern.datatype;
    size_t width = hs_datatype_bytes(datatype);
    uint64_t wrong = 0;
    for (size_t i = 0; i < data->config.count; i++) {
        char expected[8];
        double value = reduced[i];
        if (data->pattern.operation == HS_AVERAGE)
            value = datatype == HS_FLOAT64 ? value / np : (double)((float)value / (float)np);
        put(expected, datatype, 0, value);
        wrong += memcmp(expected, (const char *)data->output + i * width, width) != 0;
    }
    return wrong;
}

static void random_numbers_agree(const struct hs_backend *backend, enum hs_datatype datatype,
                                 enum hs_operation operation)
{
    size_t count = 5003;
    struct hs_bench *bench = open_in_memory(backend, datatype, operation, count, NULL);
    size_t width = hs_datatype_bytes(datatype);
    int *input = malloc(count * sizeof *input), *reduced = malloc(count * sizeof *reduced);
    unsigned seed = 12345u + (unsigned)my_rank;
    uint64_t wrong = input == NULL || reduced == NULL;

    for (size_t i = 0; wrong == 0 && i < count; i++) { /* at most 4 np: bfloat16 counts to 256 */
        seed = seed * 1103515245u + 12345u;
        input[i] = (int)(seed >> 16 & 7) - 3;
        put(bench->input, datatype, i, input[i]);
    }
    char *copy = malloc(count * width);
    if (wrong == 0 && copy != NULL) {
        memcpy(copy, bench->input, count * width);
        MPI_Allreduce(input, reduced, (int)count, MPI_INT, operation == HS_MAX ? MPI_MAX : MPI_SUM,
                      MPI_COMM_WORLD);
        for (int s = 0; s < split_count; s++) {
            struct hs_plan plan = {.split = splits[s], .chunks = 1 + s % 3};
            run_plan(bench, &plan);
            wrong += differs(bench, reduced);
        }
        wrong += memcmp(copy, bench->input, count * width) != 0;
    }
    free(copy);
    free(input);
    free(reduced);
    close_bench(bench);
    char sentence[120];
    snprintf(sentence, sizeof sentence,
             "%s: %s of random %s agrees with MPI's ints, and the input stays", backend->name,
             hs_operation_names[operation], hs_datatype_names[datatype]);
    tell(wrong, sentence);
}

static void faults_are_found(const struct hs_backend *backend)
{
    size_t count = 3000;
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, NULL);
    struct hs_plan plan = {.split = splits[0], .chunks = 1};
    uint64_t missed = 0;

    struct hs_task task = plan_task(bench, &plan);
    hs_bench_spoil(bench, &task);
    missed += hs_bench_wrong(bench, &task) != count;
    missed += run_plan(bench, &plan) != 0;
    float kept = ((float *)bench->output)[1234];
    ((float *)bench->output)[1234] = kept + 1;
    missed += hs_bench_wrong(bench, &task) != 1;
    ((float *)bench->output)[1234] = kept;
    memcpy(bench->output, (char *)bench->output + 1000 * (size_t)4, 1000 * (size_t)4);
    missed += hs_bench_wrong(bench, &task) < 990;
    tell(missed, backend == &hs_backend_host ? "host: a wrong element and a wrong block are found"
                                             : "mpi: a wrong element and a wrong block are found");
    close_bench(bench);
}

/* A rank whose input changed spoils what everybody gets, and everybody notices. */
static void a_wrong_input_is_found(const struct hs_backend *backend)
{
    struct hs_bench *bench = open_in_memory(backend, HS_BFLOAT16, HS_SUM, 2000, NULL);
    uint64_t missed = 0;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 1};
        unsigned char *odd = (unsigned char *)bench->input + 2 * (size_t)777 + 1;
        if (my_rank == np - 1)
            *odd ^= 0x80; /* the sign */
        missed += run_plan(bench, &plan) != 1;
        if (my_rank == np - 1)
            *odd ^= 0x80;
    }
    close_bench(bench);
    tell(missed, backend == &hs_backend_host ? "host: one rank's wrong input is found everywhere"
                                             : "mpi: one rank's wrong input is found everywhere");
}

static void layers_run_alone(const struct hs_backend *backend)
{
    struct hs_error err;
    uint64_t wrong = 0;
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10007, NULL);
    for (int stride = 1; stride <= np; stride++)
        for (int size = quick ? 2 : 1; size * stride <= np; size++)
            for (int phase = 0; phase < HS_PAIR; phase++)
                for (size_t count = 1; np % (stride * size) == 0 && count <= 10007; count += 5003) {
                    struct hs_layer layer = {stride, size};
                    wrong += !run_stage(bench, layer, phase, count);
                }
    /* and nothing was left behind that disturbs a plan */
    struct hs_plan plan = {.split = splits[split_count - 1], .chunks = 2};
    wrong += run_plan(bench, &plan);
    struct hs_task whole = stage_task((struct hs_layer){1, np}, HS_ALLREDUCE, 20000);
    wrong += hs_bench_prepare(bench, &whole, &err) != HS_INVALID;
    close_bench(bench);
    tell(wrong, backend == &hs_backend_host ? "host: every layer runs alone in every phase"
                                            : "mpi: every layer runs alone in every phase");
}

static void baselines_are_right(const struct hs_backend *backend)
{
    uint64_t wrong = 0;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int op = 0; op < HS_OPERATION_COUNT; op++) {
            struct hs_bench *bench =
                open_in_memory(backend, (enum hs_datatype)type, (enum hs_operation)op, 5000, NULL);
            struct hs_task task = native_task(bench, HS_COLLECTIVE_ALLREDUCE, 0);
            wrong += run_task(bench, &task, false);
            wrong += backend->engine->natives[HS_COLLECTIVE_ALLREDUCE][1] != NULL;
            close_bench(bench);
        }
    tell(wrong, backend == &hs_backend_host ? "host: the library's own AllReduce is right"
                                            : "mpi: the library's own AllReduce is right");
}

static void memory_stays_in_bounds(const struct hs_backend *backend)
{
    size_t count = (size_t)1 << 20;
    struct hs_bench_config config = {
        .backend = backend, .count = count, .datatype = HS_FLOAT32, .operation = HS_SUM};
    struct hs_bench *bench = open_bench(&config);
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 8};
        wrong += run_plan(bench, &plan);
    }
    if (backend == &hs_backend_host)
        wrong += all_letters(bench, false);
    size_t bytes = hs_bench_bytes(bench);
    wrong += bytes < 2 * 4 * count || bytes > 3 * 4 * count + ((size_t)64 << 20);
    close_bench(bench);
    tell(wrong, backend == &hs_backend_host ? "host: memory stays below 3 n + 64 MiB"
                                            : "mpi: memory stays below 3 n + 64 MiB");
}

static void times_and_padding_are_told(const struct hs_backend *backend)
{
    struct hs_error err;
    size_t count = 100003; /* prime */
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, count, NULL);
    uint64_t wrong = 0;
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s], .chunks = 1};
        struct hs_task task = plan_task(bench, &plan);
        double times[HS_STAGES_MAX];
        stop_if(hs_bench_prepare(bench, &task, &err), &err);
        double start = MPI_Wtime(), sum = 0;
        stop_if(hs_bench_run(bench, &task, true, &err), &err);
        double whole = MPI_Wtime() - start;
        stage_seconds(bench, times);
        for (int i = 0; i < 2 * plan.split.count - 1; i++) {
            wrong += times[i] <= 0;
            sum += times[i];
        }
        wrong += sum > whole;
        size_t padded = hs_task_padded(&task, 1);
        size_t last = (size_t)plan.split.sizes[plan.split.count - 1];
        wrong += padded < count || padded >= count + (size_t)np / last ||
                 padded % ((size_t)np / last) != 0;
    }
    close_bench(bench);
    tell(wrong, backend == &hs_backend_host ? "host: layer times and padding are told"
                                            : "mpi: layer times and padding are told");
}

static void plans_of_other_sizes_are_refused(const struct hs_backend *backend)
{
    struct hs_error err = {0};
    struct hs_plan plan = {.split = hs_split_flat(np + 1), .chunks = 1};
    struct hs_bench *bench = open_in_memory(backend, HS_FLOAT32, HS_SUM, 10, NULL);
    struct hs_task task = plan_task(bench, &plan);
    uint64_t wrong = hs_bench_prepare(bench, &task, &err) != HS_INVALID;
    wrong += strstr(err.message, "processes") == NULL;
    plan = lettered(splits[0], 1, 1, false);
    task = plan_task(bench, &plan);
    if (backend == &hs_backend_mpi) {
        wrong += hs_bench_prepare(bench, &task, &err) != HS_INVALID;
        memset(plan.algorithms, HS_NATIVE, sizeof(plan.algorithms)); /* what it does by itself */
        task = plan_task(bench, &plan);
        wrong += hs_bench_prepare(bench, &task, &err) != HS_OK;
    }
    close_bench(bench);
    tell(wrong, backend == &hs_backend_host
                    ? "host: a split of another number is refused"
                    : "mpi: a split of another number and named algorithms are refused");
}

/* Ways of letters in turn; backends of one algorithm have none. */
static void every_rank_has_its_block(const struct hs_backend *backend)
{
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD,
                                      .memory = &hs_memory_host,
                                      .segment_bytes = 16384,
                                      .segments_in_flight = 3};
    char sentence[160];
    uint64_t wrong = 0;

    for (int lettering = 0; lettering < (backend->any_algorithm ? 16 : 1); lettering += 3) {
        struct hs_plan plans[SPLITS_MAX];

        for (int s = 0; s < split_count; s++)
            plans[s] = backend->any_algorithm ? lettered(splits[s], lettering, 1, true)
                                              : (struct hs_plan){.split = splits[s], .chunks = 1};
        wrong += blocks_of_plans(backend, &config, plans, split_count);
    }
    snprintf(sentence, sizeof sentence,
             "%s: reduce-scatters, allgathers and all-to-alls of every split and order leave every "
             "rank its blocks, MPI's default call's where they are in place",
             backend->name);
    tell(wrong, sentence);
}

/* By bench: every type and operation, in counts that np divides and does not. */
static void blocks_are_verified(const struct hs_backend *backend)
{
    const size_t counts[] = {1, (size_t)np * 70 + 5, 8 * (size_t)np};
    struct hs_plan plans[SPLITS_MAX];
    uint64_t wrong = 0, missed = 0;
    char sentence[160];

    for (int s = 0; s < split_count; s++)
        plans[s] = (struct hs_plan){.split = splits[s], .chunks = 1};
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int op = 0; op < HS_OPERATION_COUNT; op++)
            for (int i = 0; i < 3; i++) {
                struct hs_bench *bench = open_in_memory(backend, (enum hs_datatype)type,
                                                        (enum hs_operation)op, counts[i], NULL);
                wrong += verified_blocks(bench, plans, split_count);
                missed += i == 2 ? missed_in_blocks(bench, &plans[0]) : 0;
                close_bench(bench);
            }
    snprintf(sentence, sizeof sentence,
             "%s: reduce-scatters, allgathers and all-to-alls of every type are verified, the "
             "library's own too",
             backend->name);
    tell(wrong, sentence);
    snprintf(sentence, sizeof sentence, "%s: a wrong element of a block is found", backend->name);
    tell(missed, sentence);
}

/* MPI_Alltoall from memory that MPI takes no pointers to, and the others. */
static void natives_are_right_through_staging(const struct hs_memory *staged)
{
    uint64_t wrong = 0;

    for (size_t count = 1; count < 100000; count = 7 * count + (size_t)np) {
        struct hs_bench *bench =
            open_in_memory(&hs_backend_host, HS_FLOAT32, HS_SUM, count, staged);

        wrong += verified_blocks(bench, NULL, 0);
        close_bench(bench);
    }
    tell(wrong, "host: the library's own collectives are right through staging");
}

static void cores_are_counted(void)
{
    struct hs_idle idle;
    struct hs_error err;
    stop_if(hs_idle_init(&idle, MPI_COMM_WORLD, &err), &err);
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
    every_rank_has_its_block(backend);
    blocks_are_verified(backend);
}

int main(int argc, char **argv)
{
    start_job(&argc, &argv);
    quick = argc > 1 && strcmp(argv[1], "quick") == 0;

    struct hs_memory staged = hs_memory_host;

    staged.direct = false;
    check_backend(&hs_backend_host);
    all_algorithms_are_right(&hs_memory_host, "host: plans of all algorithms are right");
    all_algorithms_are_right(&staged, "host: plans of all algorithms are right through staging");
    natives_are_right_through_staging(&staged);
    check_backend(&hs_backend_mpi);
    cores_are_counted();
    return end_job();
}
