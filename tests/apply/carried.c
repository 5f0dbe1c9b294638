/*
 * carried.c - an MPI program that knows the results of its collectives: all that plans carry out,
 * of all ranks and of pairs, in place too, of COUNT integers and, once, of parts that differ.
 *
 *     mpiexec -n 4 carried COUNT [CALLS]
 *
 * Exit status 1, and a line, where an element is wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;

static void expect(const int *found, int count, int first, int step)
{
    for (int i = 0; i < count; i++)
        wrong += found[i] != first + i * step;
}

/* With counts of MPI_Count, where MPI has them. */
#if MPI_VERSION >= 4
#define CALL(name, ...) (large ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#else
#define CALL(name, ...) ((void)large, MPI_##name(__VA_ARGS__))
#endif

static void call(MPI_Comm comm, int count, int large)
{
    int me, p, all, *in, *out;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &p);
    all = p * count;
    in = malloc((size_t)all * sizeof(*in));
    out = malloc((size_t)all * sizeof(*out));
    for (int i = 0; i < all; i++)
        out[i] = in[i] = i + 7 * me;
    CALL(Allreduce, in, out, count, MPI_INT, MPI_SUM, comm);
    expect(out, count, 7 * p * (p - 1) / 2, p);
    for (int i = 0; i < count; i++)
        out[i] = in[i];
    CALL(Allreduce, MPI_IN_PLACE, out, count, MPI_INT, MPI_MAX, comm);
    expect(out, count, 7 * (p - 1), 1);
    CALL(Reduce_scatter_block, in, out, count, MPI_INT, MPI_SUM, comm);
    expect(out, count, me * count * p + 7 * p * (p - 1) / 2, p);
    CALL(Allgather, in, count, MPI_INT, out, count, MPI_INT, comm);
    for (int k = 0; k < p; k++)
        expect(out + k * count, count, 7 * k, 1);
    CALL(Alltoall, in, count, MPI_INT, out, count, MPI_INT, comm);
    for (int k = 0; k < p; k++)
        expect(out + k * count, count, me * count + 7 * k, 1);
    free(in);
    free(out);
}

/* Parts of 1, 2, 3, ... elements. */
static void call_unevenly(void)
{
    int *counts = malloc((size_t)ranks * sizeof(*counts)), *in, *out, all = 0;

    for (int k = 0; k < ranks; k++)
        all += counts[k] = k + 1;
    in = malloc((size_t)all * sizeof(*in));
    out = malloc((size_t)all * sizeof(*out));
    for (int i = 0; i < all; i++)
        in[i] = i;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(out, rank + 1, rank * (rank + 1) / 2 * ranks, ranks);
    free(counts);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1, calls = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Comm pair;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    for (int i = 0; i < calls; i++) {
        call(MPI_COMM_WORLD, count, i % 2);
        call(pair, count, i % 2);
    }
    call_unevenly();
    MPI_Comm_free(&pair);
    if (wrong)
        printf("rank %d: %d elements are wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong > 0;
}
