/*
 * check.h - an MPI call that fails ends the job: nothing sensible can follow on the other ranks.
 *
 * CHECK_MPI(MPI_Isend(...)) prints one line to stderr and calls MPI_Abort with status 1:
 *
 *     hiersearch-measure: MPI_Isend failed on rank 3 (host node07), src/runner/ring.c:120: <MPI's
 * text>
 *
 * Communicators whose error handler is MPI_ERRORS_ARE_FATAL (MPI's default) never get here: the
 * library ends the job itself. hs_layer_comms_init sets MPI_ERRORS_RETURN on those it makes.
 */
#ifndef HS_RUNNER_CHECK_H
#define HS_RUNNER_CHECK_H

#include <mpi.h>

#define CHECK_MPI(call)                                                                            \
    do {                                                                                           \
        int hs_mpi_code = (call);                                                                  \
        if (hs_mpi_code != MPI_SUCCESS)                                                            \
            hs_mpi_failed(hs_mpi_code, #call, __FILE__, __LINE__);                                 \
    } while (0)

/* `call` is the text of the call; only the name before the parenthesis is printed. Does not return.
 */
_Noreturn void hs_mpi_failed(int code, const char *call, const char *file, int line);

#endif
