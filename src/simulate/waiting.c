/*
 * How the engine's progress loop (engine/idle.h) waits in a simulation: until a message is through.
 *
 * A loop that polls would never end, because simulated time stands still while a process runs. So
 * every request that hs_transport_test finds unfinished is remembered, and where a real rank would
 * give up its turn, a simulated one sleeps in MPI_Waitany until the first of them is finished: no
 * time is added and none is lost. The linker (--wrap) puts the functions __wrap_X in place of X, in
 * the engine's unchanged code.
 *
 * All ranks are in one process and run one at a time, so they can share a table without a lock.
 */
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/idle.h"
#include "engine/mpi_status.h"
#include "engine/stages.h"
#include "simulate/simulate.h"

/* Each stage tests its oldest send and its oldest receive; a tree, on the last layer, two of both. */
#define UNFINISHED_MAX (2 * HS_STAGES_MAX + 2)

struct unfinished {
    MPI_Request *requests[UNFINISHED_MAX]; /* where the ring keeps them */
    int count;
};

static struct unfinished *table; /* [ranks] */

static double launch;

/* Nothing in a simulation goes on after one of these. */
static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "hiersearch-simulate: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static struct unfinished *mine(void)
{
    int rank = 0;

    must(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS, "MPI_Comm_rank failed");
    return &table[rank];
}

void hs_waiting_init(int np, double launch_seconds)
{
    if (!table)
        table = calloc((size_t)np, sizeof(*table));
    must(table != NULL, "out of memory for all ranks' requests");
    launch = launch_seconds;
}

bool __wrap_hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    struct unfinished *unfinished;

    /* SMPI calls a null request unfinished; the standard says finished. */
    if (*request == MPI_REQUEST_NULL || __real_hs_transport_test(transport, request))
        return true;
    unfinished = mine();
    must(unfinished->count < UNFINISHED_MAX, "a test of too many requests");
    unfinished->requests[unfinished->count++] = request;
    return false;
}

void __wrap_hs_transport_launch(struct hs_transport *transport)
{
    (void)transport;
    if (launch > 0)
        sg_actor_sleep_for(launch);
}

enum hs_status hs_idle_init(struct hs_idle *idle, MPI_Comm world, struct hs_error *err)
{
    (void)world, (void)err;
    *idle = (struct hs_idle){.ranks_here = 1, .cores_here = 1};
    return HS_OK;
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
        must(MPI_Waitany(unfinished->count, requests, &first, MPI_STATUS_IGNORE) == MPI_SUCCESS,
             "MPI_Waitany failed");
        must(first != MPI_UNDEFINED, "waiting for nothing");
        /* The ring's next test finds it finished. */
        *unfinished->requests[first] = requests[first];
    }
    unfinished->count = 0;
}

enum hs_status hs_idle_wait(struct hs_idle *idle, MPI_Request *request, struct hs_error *err)
{
    (void)idle;
    return HS_MPI(MPI_Wait(request, MPI_STATUS_IGNORE), err);
}

enum hs_status hs_idle_barrier(struct hs_idle *idle, MPI_Comm comm, struct hs_error *err)
{
    (void)idle;
    return HS_MPI(MPI_Barrier(comm), err);
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
