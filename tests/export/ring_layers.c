/*
 * Ring allreduce over the layers of a split, for SMPI: the times of a simulated platform, none of
 * our own code.
 *
 *     ring_layers 4x8x2 BYTES     reduce-scatter inwards out, allgather back
 *     ring_layers 4:8 BYTES       one layer (stride:size), reduce-scatter and allgather
 *     ring_layers 3-4 BYTES       one message from rank 3 to rank 4
 *
 * Prints seconds, the maximum over all ranks. The contents of the buffers do not matter, so ranks
 * share them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAYERS_MAX 31

static char *out_buffer, *in_buffer;

/* p - 1 ring steps of bytes / p each. */
static void ring(long stride, long size, long bytes)
{
    int rank, next, previous;
    long position, first;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    position = rank / stride % size;
    first = rank - position * stride;
    next = (int)(first + (position + 1) % size * stride);
    previous = (int)(first + (position + size - 1) % size * stride);
    for (long step = 0; step < size - 1; step++)
        MPI_Sendrecv(out_buffer, (int)(bytes / size), MPI_CHAR, next, 0, in_buffer,
                     (int)(bytes / size), MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run_split(char *text, long bytes)
{
    long sizes[LAYERS_MAX], strides[LAYERS_MAX], stride = 1;
    int count = 0;

    for (char *size = strtok(text, "x"); size && count < LAYERS_MAX; size = strtok(NULL, "x")) {
        sizes[count] = atol(size);
        strides[count] = stride;
        stride *= sizes[count++];
    }
    for (int i = 0; i < count; i++)
        ring(strides[i], sizes[i], bytes / strides[i]);
    for (int i = count - 1; i >= 0; i--)
        ring(strides[i], sizes[i], bytes / strides[i]);
}

static void run_message(int from, int to, long bytes)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == from)
        MPI_Send(out_buffer, (int)bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    else if (rank == to)
        MPI_Recv(in_buffer, (int)bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A barrier leaves ranks one after the other; the simulated clock is the same for all of them. */
static double start_together(void)
{
    double now = MPI_Wtime(), latest, wait;
    struct timespec rest;

    MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    wait = latest + 1 - MPI_Wtime();
    rest.tv_sec = (time_t)wait;
    rest.tv_nsec = (long)((wait - (double)rest.tv_sec) * 1e9);
    nanosleep(&rest, NULL);
    return latest + 1;
}

int main(int argc, char **argv)
{
    double begin, seconds, slowest;
    long bytes, a, b;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    bytes = atol(argv[2]);
    out_buffer = SMPI_SHARED_MALLOC((size_t)bytes);
    in_buffer = SMPI_SHARED_MALLOC((size_t)bytes);
    begin = start_together();
    if (sscanf(argv[1], "%ld-%ld", &a, &b) == 2)
        run_message((int)a, (int)b, bytes);
    else if (sscanf(argv[1], "%ld:%ld", &a, &b) == 2) {
        ring(a, b, bytes);
        ring(a, b, bytes);
    } else
        run_split(argv[1], bytes);
    seconds = MPI_Wtime() - begin;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9f\n", slowest);
    SMPI_SHARED_FREE(out_buffer);
    SMPI_SHARED_FREE(in_buffer);
    MPI_Finalize();
    return 0;
}
