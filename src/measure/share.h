/*
 * share.h - what rank 0 read or decided, on all ranks. Collective over `comm`, in which the caller
 * is `rank`; waiting does not keep cores busy.
 */
#ifndef HS_MEASURE_SHARE_H
#define HS_MEASURE_SHARE_H

#include <mpi.h>

#include "base/error.h"
#include "model/system.h"
#include "runner/idle.h"

/* `bytes` at `data`, from rank 0. */
void hs_share_bytes(void *data, int bytes, MPI_Comm comm, struct hs_idle *idle);

/* Rank 0's text (NULL is taken as empty) on all ranks, which own the copy. HS_MEMORY, on all ranks
 * alike; *text is NULL then on ranks other than 0, where it was not owned before. */
enum hs_status hs_share_text(char **text, int rank, MPI_Comm comm, struct hs_idle *idle,
                             struct hs_error *err);

/* Rank 0's system on the others, whole: with sources and fits. *system of the others is {0} on
 * failure. HS_MEMORY. */
enum hs_status hs_share_system(struct hs_system *system, int rank, MPI_Comm comm,
                               struct hs_idle *idle, struct hs_error *err);

#endif
