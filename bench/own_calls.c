/*
 * An MPI library's calls, as SimGrid's SMPI carries them out: bench/own_calls.py compiles and
 * runs it.
 *
 *     own_calls allreduce|reduce-scatter|allgather|all-to-all|reduce-and-scatter BYTES...
 *
 * prints a line per message size, "BYTES SECONDS": from when all ranks begin at once to when the
 * last is through. Bytes are those of the larger side, a multiple of 4 per rank.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAP_USECONDS 1000000

/* All ranks go on at the same full second: the simulated clock is one for all. */
static double begin_together(void)
{
    double now;

    MPI_Barrier(MPI_COMM_WORLD);
    now = MPI_Wtime();
    usleep((useconds_t)(NAP_USECONDS * (ceil(now) + 1 - now)));
    return MPI_Wtime();
}

/* The last: as Open MPI's coll/base makes a reduce-scatter of the two. */
static void make_call(const char *call, float *large, float *other, int count, int ranks)
{
    if (strcmp(call, "reduce-and-scatter") == 0) {
        MPI_Reduce(large, other, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Scatter(other, count / ranks, MPI_FLOAT, large, count / ranks, MPI_FLOAT, 0,
                    MPI_COMM_WORLD);
    } else if (strcmp(call, "allreduce") == 0)
        MPI_Allreduce(large, other, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(call, "all-to-all") == 0)
        MPI_Alltoall(large, count / ranks, MPI_FLOAT, other, count / ranks, MPI_FLOAT,
                     MPI_COMM_WORLD);
    else if (strcmp(call, "allgather") == 0)
        MPI_Allgather(other, count / ranks, MPI_FLOAT, large, count / ranks, MPI_FLOAT,
                      MPI_COMM_WORLD);
    else
        MPI_Reduce_scatter_block(large, other, count / ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 2; i < argc; i++) {
        size_t bytes = (size_t)strtoull(argv[i], NULL, 10);
        float *large = calloc(1, bytes), *other = calloc(1, bytes);
        double begun = begin_together(), ended, last;

        make_call(argv[1], large, other, (int)(bytes / sizeof(float)), ranks);
        ended = MPI_Wtime() - begun;
        MPI_Reduce(&ended, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%zu %.12g\n", bytes, last);
        free(large);
        free(other);
    }
    MPI_Finalize();
    return 0;
}
