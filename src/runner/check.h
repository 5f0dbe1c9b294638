/*
 * check.h - what ends the job: nothing sensible can follow on the other ranks.
 *
 * One line on stderr, such as
 *
 *     hiersearch-measure: MPI_Ibcast failed on rank 3 (host node07): <MPI's text>
 *
 * and MPI_Abort with status 1.
 */
#ifndef HS_RUNNER_CHECK_H
#define HS_RUNNER_CHECK_H

#include <mpi.h>

#include "base/error.h"
#include "engine/mpi_status.h"

/* Goes on where `status` is HS_OK. */
void hs_bench_check(enum hs_status status, const struct hs_error *error);

#define CHECK_MPI(call)                                                                            \
    do {                                                                                           \
        struct hs_error hs_mpi_error;                                                              \
        hs_bench_check(HS_MPI(call, &hs_mpi_error), &hs_mpi_error);                                \
    } while (0)

#endif
