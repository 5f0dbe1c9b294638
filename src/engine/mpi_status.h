/*
 * mpi_status.h - a failed MPI call as a status: which call, on which rank and host, and MPI's
 * words.
 *
 *     status = HS_MPI(MPI_Comm_size(comm, &size), err);
 *
 *     MPI_Comm_size failed on rank 3 (host node07): <MPI's text>
 *
 * On communicators whose error handler is MPI_ERRORS_ARE_FATAL, MPI's default, no failed call comes
 * back: the library ends the job. Those that the engine makes have MPI_ERRORS_RETURN.
 */
#ifndef HS_ENGINE_MPI_STATUS_H
#define HS_ENGINE_MPI_STATUS_H

#include <mpi.h>

#include "base/error.h"

/* HS_OK for MPI_SUCCESS, else HS_FAILED. `call` is the text of the call; only what stands before
 * the parenthesis is said. The rank is that in MPI_COMM_WORLD. */
enum hs_status hs_mpi_status(int code, const char *call, struct hs_error *err);

#define HS_MPI(call, err) hs_mpi_status((call), #call, (err))

#endif
