/* check.c - see check.h. */
#include "runner/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hs_mpi_failed(int code, const char *call, const char *file, int line)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "?";
    char reason[MPI_MAX_ERROR_STRING] = "no text";
    int length, rank = -1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    MPI_Error_string(code, reason, &length);
    reason[strcspn(reason, "\n")] = '\0';
    fprintf(stderr, "hiersearch-measure: %.*s failed on rank %d (host %s), %s:%d: %s\n",
            (int)strcspn(call, "("), call, rank, host, file, line, reason);
    sleep(1); /* launchers drop what they have not forwarded yet when a rank aborts */
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}
