/*
 * ranks.h - the ranks of a job, and what they tell each other between measurements.
 *
 * All functions are collective and wait without keeping cores busy. An MPI call that fails in one
 * of them ends the job (check.h): nothing sensible can follow on the other ranks.
 */
#ifndef HS_RUNNER_RANKS_H
#define HS_RUNNER_RANKS_H

#include <mpi.h>

#include "base/error.h"
#include "engine/idle.h"
#include "system/system.h"

struct hs_ranks {
    MPI_Comm comm; /* the caller's */
    int rank, np;
    struct hs_idle idle;
};

/* `comm` outlives it. Collective, as all of these but those that say otherwise; while they wait
 * they give their turn to others where ranks are more than cores (idle.h). What MPI refuses ends
 * the job. */
void hs_ranks_init(struct hs_ranks *ranks, MPI_Comm comm);

/* The worst status of all, as hs_agree. */
enum hs_status hs_ranks_agree(struct hs_ranks *ranks, enum hs_status mine, struct hs_error *err);
/* `bytes` from rank `root`. */
void hs_ranks_broadcast(struct hs_ranks *ranks, void *data, size_t bytes, int root);
/* The largest and the sum over ranks, in place; at most HS_RANKS_VALUES. */
#define HS_RANKS_VALUES 64
void hs_ranks_largest(struct hs_ranks *ranks, double *values, int count);
void hs_ranks_sum(struct hs_ranks *ranks, double *values, int count);
/* Everybody's value in all[np] on rank 0; NULL on the others. */
void hs_ranks_gather(struct hs_ranks *ranks, double mine, double *all);
void hs_ranks_barrier(struct hs_ranks *ranks);
/* For a nonblocking call of the caller's over `comm`. Local. */
void hs_ranks_wait(struct hs_ranks *ranks, MPI_Request *request);

/* Rank 0's system on the others, whole: with sources and fits. *system of the others is {0} on
 * failure. HS_MEMORY. */
enum hs_status hs_ranks_share_system(struct hs_ranks *ranks, struct hs_system *system,
                                     struct hs_error *err);

#endif
