/*
 * The library's calls, each checked. own_calls CALL:BYTES...: of MPI_COMM_WORLD, BYTES of the
 * larger side; CALL: allreduce, reduce-scatter (MPI_Reduce_scatter_block), allgather, all-to-all,
 * or others (a broadcast, a barrier, a scan and an MPI_Reduce). Rank 0 says on stderr "call
 * CALL:BYTES" before it, and prints "CALL:BYTES wrong=ELEMENTS".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, np;

/* Element k of what rank r gives: small, so that sums are exact. */
static float given(int r, int k)
{
    return (float)(r + k % 61);
}

static float sum(int k)
{
    return (float)(np * (np - 1) / 2 + np * (k % 61));
}

static long others(float *from, float *to, int count)
{
    long wrong = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(from, to, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(to, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    for (int k = 0; k < count; k++)
        wrong += to[k] != sum(k);
    MPI_Scan(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < count; k++)
        wrong += to[k] != (float)(rank * (rank + 1) / 2 + (rank + 1) * (k % 61));
    return wrong;
}

static long call(const char *name, float *from, float *to, int count)
{
    int part = count / np;
    long wrong = 0;

    if (strcmp(name, "allreduce") == 0) {
        MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < count; k++)
            wrong += to[k] != sum(k);
    } else if (strcmp(name, "reduce-scatter") == 0) {
        MPI_Reduce_scatter_block(from, to, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < part; k++)
            wrong += to[k] != sum(rank * part + k);
    } else if (strcmp(name, "allgather") == 0) {
        MPI_Allgather(from, part, MPI_FLOAT, to, part, MPI_FLOAT, MPI_COMM_WORLD);
        for (int k = 0; k < part * np; k++)
            wrong += to[k] != given(k / part, k % part);
    } else if (strcmp(name, "all-to-all") == 0) {
        MPI_Alltoall(from, part, MPI_FLOAT, to, part, MPI_FLOAT, MPI_COMM_WORLD);
        for (int k = 0; k < part * np; k++)
            wrong += to[k] != given(k / part, rank * part + k % part);
    } else
        wrong = others(from, to, count);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    for (int i = 1; i < argc; i++) {
        char *colon = strchr(argv[i], ':');
        int count = atoi(colon + 1) / (int)sizeof(float);
        float *from = malloc(sizeof(*from) * (size_t)count),
              *to = calloc((size_t)count, sizeof(*to));
        long wrong, all = 0;

        for (int k = 0; k < count; k++)
            from[k] = given(rank, k);
        if (rank == 0)
            fprintf(stderr, "call %s\n", argv[i]);
        *colon = '\0';
        wrong = call(argv[i], from, to, count);
        *colon = ':';
        MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%s wrong=%ld\n", argv[i], all);
        free(to);
        free(from);
    }
    MPI_Finalize();
    return 0;
}
