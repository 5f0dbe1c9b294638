/*
 * mpi_handles.h - what the handles and lists of a call of MPI say.
 */
#ifndef HS_APPLY_MPI_HANDLES_H
#define HS_APPLY_MPI_HANDLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/counts.h"

/* Counts of a call, one for each rank: int, or MPI_Count where its name ends in _c (MPI standard
 * 4.0, section 2.5.8). */
struct hs_list {
    const void *counts; /* NULL: there are none */
    bool large;
};
static inline MPI_Count hs_list_at(struct hs_list list, uint64_t i)
{
    return list.large ? ((const MPI_Count *)list.counts)[i] : ((const int *)list.counts)[i];
}

/* Its ranks [size] in MPI_COMM_WORLD, the caller's to free; NULL: out of memory. */
int *hs_world_ranks(MPI_Comm comm, int size);
/* What an element is, and what a reduction does. */
enum hs_counted_type hs_type_of(MPI_Datatype type);
enum hs_counted_operation hs_operation_of(MPI_Op operation);

#endif
