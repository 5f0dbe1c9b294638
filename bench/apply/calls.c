/* calls.c - CALLS calls of one kind and nothing else, for `bench/apply.py --parts cost`. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static float from[1 << 10], to[1 << 14];
    const char *which = argc > 1 ? argv[1] : "allreduce";
    long calls = argc > 2 ? atol(argv[2]) : 1000;
    int gathers = strcmp(which, "allgather") == 0, shares = strcmp(which, "bcast") == 0;

    MPI_Init(&argc, &argv);
    for (long i = 0; i < calls; i++)
        if (gathers)
            MPI_Allgather(from, 64, MPI_FLOAT, to, 64, MPI_FLOAT, MPI_COMM_WORLD);
        else if (shares)
            MPI_Bcast(to, 64, MPI_FLOAT, 0, MPI_COMM_WORLD);
        else
            MPI_Allreduce(from, to, 64, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
