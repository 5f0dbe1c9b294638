/* cuda_aware.c - see cuda_aware.h. */
#include "runner/cuda_aware.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *hs_mpi_cuda_aware(void)
{
    int (*query)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");

    /* ISO C has no cast from a data pointer to a function. */
    memcpy(&query, &symbol, sizeof symbol);
    if (query == NULL)
        return "not said";
    return query() != 0 ? "yes" : "no";
}
