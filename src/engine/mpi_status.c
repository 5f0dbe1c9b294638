/* mpi_status.c - see mpi_status.h. */
#include "engine/mpi_status.h"

#include <string.h>

enum hs_status hs_mpi_status(int code, const char *call, struct hs_error *err)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "?";
    char reason[MPI_MAX_ERROR_STRING] = "no text";
    int length, rank = -1;

    if (code == MPI_SUCCESS)
        return HS_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    MPI_Error_string(code, reason, &length);
    return hs_fail(err, HS_FAILED, "%.*s failed on rank %d (host %s): %.*s",
                   (int)strcspn(call, "("), call, rank, host, (int)strcspn(reason, "\n"), reason);
}
