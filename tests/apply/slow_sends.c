/*
 * slow_sends.c - to be preloaded: by the clock a message of the engine's takes 1000 seconds more,
 * which the library's own calls do not, so that a plan loses for certain, and nobody waits.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <time.h>

static atomic_long sends;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sends++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    int status;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    status = real(clock, now);
    if (status == 0 && clock == CLOCK_MONOTONIC)
        now->tv_sec += 1000 * sends;
    return status;
}
