/*
 * comms.c - COMMS communicators alive at once, AllReduces of BYTES on each (twice TIMES), for
 * `bench/apply.py --parts comms`. Rank 0 prints what its memory took at most, in bytes, and how
 * long MPI_Comm_dup, the first call on each communicator and the last one took, medians in seconds.
 * The sums are checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b;
}

static double call(MPI_Comm comm, const float *from, float *to, int count)
{
    double began = MPI_Wtime();

    MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, comm);
    return MPI_Wtime() - began;
}

int main(int argc, char **argv)
{
    int comms = argc > 1 ? atoi(argv[1]) : 20, count = (argc > 2 ? atoi(argv[2]) : 16384) / 4;
    int times = argc > 3 ? atoi(argv[3]) : 1;
    float *from = calloc((size_t)count, sizeof(*from)), *to = calloc((size_t)count, sizeof(*to));
    double *firsts = calloc((size_t)comms, sizeof(*firsts));
    double *dups = calloc((size_t)comms, sizeof(*dups)), began;
    double *seconds = calloc((size_t)comms, sizeof(*seconds));
    MPI_Comm *made = calloc((size_t)comms, sizeof(MPI_Comm));
    struct rusage used;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < count; i++)
        from[i] = (float)(rank + i % 7);
    for (int i = 0; i < comms; i++) {
        began = MPI_Wtime();
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
        dups[i] = MPI_Wtime() - began;
        firsts[i] = call(made[i], from, to, count);
        for (int more = 1; more < 2 * times; more++)
            seconds[i] = call(made[i], from, to, count);
        for (int at = 0; at < count; at++)
            if (to[at] != (float)(ranks * (ranks - 1) / 2 + ranks * (at % 7)))
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < comms; i++)
        MPI_Comm_free(&made[i]);
    getrusage(RUSAGE_SELF, &used);
    qsort(dups, (size_t)comms, sizeof(*dups), compare);
    qsort(firsts, (size_t)comms, sizeof(*firsts), compare);
    qsort(seconds, (size_t)comms, sizeof(*seconds), compare);
    if (rank == 0)
        printf("%ld %.9f %.9f %.9f\n", used.ru_maxrss * 1024, dups[comms / 2], firsts[comms / 2],
               seconds[comms / 2]);
    MPI_Finalize();
    free(from);
    free(to);
    free(dups);
    free(firsts);
    free(seconds);
    free(made);
    return 0;
}
