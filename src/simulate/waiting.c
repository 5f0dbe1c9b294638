/*
 * How the runner's progress loop (runner/idle.h) waits in a simulation: until a message is through.
 *
 * A loop that polls would never end, because simulated time stands still while a process runs. So
 * every request that MPI_Test finds unfinished is remembered, and where a real rank would give up
 * its turn, a simulated one sleeps in MPI_Waitany until the first of them is finished: no time is
 * added and none is lost. The linker (--wrap) puts the functions __wrap_X in place of X, in the
 * runner's unchanged code.
 *
 * All ranks are in one process and run one at a time, so they can share a table without a lock.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runner/check.h"
#include "runner/idle.h"
#include "runner/stages.h"
#include "simulate/simulate.h"

/* Each stage's ring tests its oldest send and its oldest receive. */
#define UNFINISHED_MAX (2 * HS_STAGES_MAX)

struct unfinished {
    MPI_Request *requests[UNFINISHED_MAX]; /* where the ring keeps them */
    int count;
};

static struct unfinished *table; /* [ranks] */

static struct unfinished *mine(void)
{
    int rank;

    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return &table[rank];
}

void hs_waiting_init(int np)
{
    if (table == NULL)
        table = calloc((size_t)np, sizeof *table);
    if (table == NULL)
        hs_mpi_failed(MPI_ERR_NO_MEM, "calloc of all ranks' requests", __FILE__, __LINE__);
}

int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    /* SMPI calls a null request unfinished; the standard says finished. */
    int code = MPI_SUCCESS;

    *done = *request == MPI_REQUEST_NULL;
    if (!*done)
        code = __real_MPI_Test(request, done, status);
    if (code == MPI_SUCCESS && !*done) {
        struct unfinished *unfinished = mine();

        if (unfinished->count == UNFINISHED_MAX)
            hs_mpi_failed(MPI_ERR_INTERN, "MPI_Test of too many requests", __FILE__, __LINE__);
        unfinished->requests[unfinished->count++] = request;
    }
    return code;
}

void hs_idle_init(struct hs_idle *idle, MPI_Comm world)
{
    (void)world;
    *idle = (struct hs_idle){.ranks_here = 1, .cores_here = 1};
}

void hs_idle_looked(struct hs_idle *idle, bool moved)
{
    struct unfinished *unfinished = mine();
    MPI_Request requests[UNFINISHED_MAX];
    int first = MPI_UNDEFINED;

    (void)idle;
    if (!moved) {
        for (int i = 0; i < unfinished->count; i++)
            requests[i] = *unfinished->requests[i];
        CHECK_MPI(MPI_Waitany(unfinished->count, requests, &first, MPI_STATUS_IGNORE));
        if (first == MPI_UNDEFINED)
            hs_mpi_failed(MPI_ERR_INTERN, "waiting for nothing", __FILE__, __LINE__);
        /* The ring's next MPI_Test finds it finished. */
        *unfinished->requests[first] = requests[first];
    }
    unfinished->count = 0;
}

void hs_idle_wait(struct hs_idle *idle, MPI_Request *request)
{
    (void)idle;
    CHECK_MPI(MPI_Wait(request, MPI_STATUS_IGNORE));
}

void hs_idle_barrier(struct hs_idle *idle, MPI_Comm comm)
{
    (void)idle;
    CHECK_MPI(MPI_Barrier(comm));
}

/* SMPI's nonblocking allreduce sends np^2 messages, of which its blocking one has no need. */
int __wrap_MPI_Iallreduce(const void *input, void *output, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Allreduce(input, output, count, type, op, comm);
}

int __wrap_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Comm_dup(comm, duplicate);
}
