/*
 * Sums by layers or by MPI_Allreduce, checked, with a fingerprint of the bits: floating-point
 * addition tells in which order an algorithm adds. Built with either MPI. mpi_sums PLAN BYTES...
 * PLAN: 3x2x2 (a communicator per layer), or "-" (MPI_Allreduce of the world) prints on rank 0, for
 * each size: BYTES FINGERPRINT wrong=ELEMENTS
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS_MAX 16

struct layer {
    MPI_Comm comm;
    int size;
};

static int make_layers(struct layer *layers, const char *plan)
{
    int count = 0, stride = 1, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(plan, "-") == 0)
        return 0;
    for (; *plan && count < LAYERS_MAX; count++) {
        char *end;
        int size = (int)strtol(plan, &end, 10);

        layers[count].size = size;
        MPI_Comm_split(MPI_COMM_WORLD, rank / (stride * size) * stride + rank % stride,
                       rank / stride % size, &layers[count].comm);
        stride *= size;
        plan = *end ? end + 1 : end;
    }
    return count;
}

/* Reduce-scatters, an allreduce and allgathers, in place of `data`; np divides count. */
static void sum_by_layers(const struct layer *layers, int layer, int last, float *data, int count)
{
    int size = layers[layer].size, part = count / size;
    float *mine = malloc((size_t)count * sizeof(*mine));
    int *parts = malloc((size_t)size * sizeof(*parts));

    if (layer == last) {
        MPI_Allreduce(data, mine, count, MPI_FLOAT, MPI_SUM, layers[layer].comm);
        memcpy(data, mine, (size_t)count * sizeof(*mine));
    } else {
        for (int i = 0; i < size; i++)
            parts[i] = part;
        MPI_Reduce_scatter(data, mine, parts, MPI_FLOAT, MPI_SUM, layers[layer].comm);
        sum_by_layers(layers, layer + 1, last, mine, part);
        MPI_Allgather(mine, part, MPI_FLOAT, data, part, MPI_FLOAT, layers[layer].comm);
    }
    free(parts);
    free(mine);
}

static void sum(const struct layer *layers, int layer_count, float *data, int count)
{
    float *total = malloc((size_t)count * sizeof(*total));

    if (layer_count > 0) {
        sum_by_layers(layers, 0, layer_count - 1, data, count);
    } else {
        MPI_Allreduce(data, total, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        memcpy(data, total, (size_t)count * sizeof(*total));
    }
    free(total);
}

/* Small whole numbers: their sums are exact in any order. */
static long count_wrong(const struct layer *layers, int layer_count, float *data, int count)
{
    int rank, np;
    long wrong = 0, all = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    for (int i = 0; i < count; i++)
        data[i] = (float)(rank + 1 + i % 61);
    sum(layers, layer_count, data, count);
    for (int i = 0; i < count; i++)
        wrong += data[i] != (float)(np * (np + 1) / 2 + np * (i % 61));
    MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

static uint64_t fingerprint(const struct layer *layers, int layer_count, float *data, int count)
{
    uint64_t hash = 14695981039346656037ULL;
    uint32_t state;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = 12345U + 7919U * (uint32_t)rank;
    for (int i = 0; i < count; i++) {
        state = state * 1664525U + 1013904223U;
        data[i] = (float)(state >> 8) / 16777216.0F * (float)(1U << (state >> 4) % 12);
    }
    sum(layers, layer_count, data, count);
    for (size_t i = 0; i < (size_t)count * sizeof(*data); i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ULL;
    return hash;
}

int main(int argc, char **argv)
{
    struct layer layers[LAYERS_MAX];
    int rank, np, layer_count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    layer_count = make_layers(layers, argc > 1 ? argv[1] : "-");
    for (int i = 2; i < argc; i++) {
        int count = (int)(strtol(argv[i], NULL, 10) / (long)sizeof(float)) / np * np;
        float *data = malloc((size_t)count * sizeof(*data));
        long wrong;
        uint64_t hash;

        if (rank == 0)
            fprintf(stderr, "size %s\n", argv[i]);
        wrong = count_wrong(layers, layer_count, data, count);
        hash = fingerprint(layers, layer_count, data, count);
        if (rank == 0)
            printf("%s %016llx wrong=%ld\n", argv[i], (unsigned long long)hash, wrong);
        free(data);
    }
    MPI_Finalize();
    return 0;
}
