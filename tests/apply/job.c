/*
 * job.c - a program that knows nothing of hiersearch: what it calls is known, so that a profile
 * of it can be checked. `job` ends well; `job die` has rank 1 killed, `job abort` has it call
 * MPI_Abort; `job wait` has all wait for a file "go" to be there.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 1000

static int fail(const char *what)
{
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
}

int main(int argc, char **argv)
{
    static double from[8 * COUNT], to[8 * COUNT];
    const char *end = argc > 1 ? argv[1] : "";
    int rank, ranks, provided, total = 0, one = 1, pieces[64];
    MPI_Comm pairs, across, copy;
    MPI_Request request;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 8 || ranks % 2)
        return fail("2, 4, 6 or 8 ranks");
    for (int i = 0; i < 8 * COUNT; i++)
        from[i] = rank + i;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pairs);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &across);
    MPI_Comm_dup(pairs, &copy);

    for (int i = 0; i < 10; i++) /* every other one in place, which ranks may differ in */
        MPI_Allreduce(i % 2 && rank % 2 ? MPI_IN_PLACE : from, to, COUNT, MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
    if (to[1] < 1)
        return fail("a sum");
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, pairs);
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, copy);
    if (total != 2)
        return fail("a sum of pairs");
    MPI_Comm_free(&copy); /* its handle is given again, for other ranks */
    MPI_Comm_dup(across, &copy);
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, copy);
#if MPI_VERSION >= 4
    MPI_Allgather_c(from, COUNT, MPI_FLOAT, to, COUNT, MPI_FLOAT, copy);
#else
    MPI_Allgather(from, COUNT, MPI_FLOAT, to, COUNT, MPI_FLOAT, copy);
#endif
    MPI_Reduce_scatter_block(from, to, COUNT, MPI_FLOAT, MPI_MAX, across);
    for (int i = 0; i < ranks; i++)
        pieces[i] = 10 + i;
    MPI_Reduce_scatter(from, to, pieces, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
    MPI_Allgather(from, COUNT, MPI_FLOAT, to, COUNT, MPI_FLOAT, across);
    MPI_Iallreduce(from, to, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoall(from, 100, MPI_INT, to, 100, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(from, COUNT, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Gather(from, 7, MPI_INT, to, 7, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Bcast(from, -1, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
        return fail("a negative count is no error");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (int i = 0; i < 5; i++) { /* the last rank keeps the others waiting */
        if (rank == ranks - 1)
            usleep(100000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(end, "die") == 0 && rank == 1)
        raise(SIGKILL);
    if (strcmp(end, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    while (strcmp(end, "wait") == 0 && access("go", F_OK) != 0)
        usleep(10000);
    if (end[0])
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&pairs);
    MPI_Comm_free(&across);
    MPI_Comm_free(&copy);
    if (chdir("/") != 0) /* a profile goes where it was to go */
        return fail("chdir");
    MPI_Finalize();
    return 0;
}
