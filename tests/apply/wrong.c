/*
 * wrong.c - calls that MPI calls wrong, on all ranks: rank 0 prints what class each error is of, so
 * that what it prints alone and under `hiersearch run` can be compared. The last calls are right.
 */
#include <mpi.h>
#include <stdio.h>

#define COUNT 5000

static double from[4 * COUNT], to[4 * COUNT];
static int rank;

static void say(const char *what, int status)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(status, &class);
    if (rank == 0)
        printf("%s: %d\n", what, class);
}

#define SAY(call) say(#call, call)

int main(int argc, char **argv)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int ranks, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    SAY(MPI_Allreduce(from, MPI_IN_PLACE, COUNT, MPI_DOUBLE, MPI_SUM, world));
    SAY(MPI_Allreduce(from, from, COUNT, MPI_DOUBLE, MPI_SUM, world));
    SAY(MPI_Reduce_scatter_block(from, MPI_IN_PLACE, COUNT, MPI_DOUBLE, MPI_SUM, world));
    SAY(MPI_Reduce_scatter_block(from, from, COUNT, MPI_DOUBLE, MPI_SUM, world));
    SAY(MPI_Allgather(from, COUNT, MPI_DOUBLE, MPI_IN_PLACE, COUNT, MPI_DOUBLE, world));
    SAY(MPI_Alltoall(from, COUNT, MPI_DOUBLE, MPI_IN_PLACE, COUNT, MPI_DOUBLE, world));
    SAY(MPI_Alltoall(from, COUNT, MPI_DOUBLE, from, COUNT, MPI_DOUBLE, world));
    SAY(MPI_Allreduce(from, to, COUNT, MPI_DOUBLE, MPI_BAND, world));
    for (int i = 0; i < COUNT; i++)
        from[i] = rank;
    SAY(MPI_Allreduce(from, to, COUNT, MPI_DOUBLE, MPI_SUM, world));
    SAY(MPI_Allreduce(MPI_IN_PLACE, from, COUNT, MPI_DOUBLE, MPI_SUM, world));
    for (int i = 0; i < COUNT; i++)
        bad += from[i] != ranks * (ranks - 1) / 2 || to[i] != from[i];
    MPI_Finalize();
    return bad > 0;
}
