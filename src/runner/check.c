/* check.c - see check.h. */
#include "runner/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void hs_bench_check(enum hs_status status, const struct hs_error *error)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "hiersearch-measure: %s\n", error->message);
    sleep(1); /* launchers drop what they have not forwarded yet when a rank aborts */
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}
