/*
 * idle.h - what a progress loop does while nothing is ready.
 *
 * With a core for every rank it looks again at once. With more ranks than cores a rank that only
 * looks keeps the one it waits for from running, so it gives up its turn.
 */
#ifndef HS_ENGINE_IDLE_H
#define HS_ENGINE_IDLE_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

struct hs_idle {
    int ranks_here, cores_here; /* on this machine; cores that any of these ranks may use */
    bool oversubscribed;        /* more ranks than cores */
    unsigned empty_looks;       /* in a row */
};

/* Collective over `world`. Ranks are counted per running kernel, not per host name: network
 * namespaces and containers on one machine share its cores. HS_FAILED of MPI, HS_MEMORY; *idle is
 * then that of an oversubscribed machine. */
enum hs_status hs_idle_init(struct hs_idle *idle, MPI_Comm world, struct hs_error *err);
/* Local. After a look that found something ready (`moved`) or nothing. */
void hs_idle_looked(struct hs_idle *idle, bool moved);

/* Waits for a request, giving up turns. MPI_Wait and the blocking collectives may spin: with MPICH
 * and twice as many ranks as cores one MPI_Barrier took 15 ms, and 0.01 ms this way. */
enum hs_status hs_idle_wait(struct hs_idle *idle, MPI_Request *request, struct hs_error *err);
/* A barrier made of that; collective. */
enum hs_status hs_idle_barrier(struct hs_idle *idle, MPI_Comm comm, struct hs_error *err);

#endif
