/* cuda_aware.c - see cuda_aware.h. */
#include "engine/cuda_aware.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MPICH_GPU_SUPPORT_CUDA 0 /* MPICH's MPIX_GPU_SUPPORT_CUDA */

/* ISO C has no cast from a data pointer to a function. */
static bool find(void *function, size_t bytes, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &symbol, bytes);
    return symbol != NULL;
}

const char *hs_mpi_cuda_aware(void)
{
    const char *overruled = getenv("HIERSEARCH_MPI_CUDA_AWARE");
    int (*query)(void) = NULL, (*query_gpu)(int, int *) = NULL;
    int supported = 0;

    if (overruled != NULL)
        return strcmp(overruled, "1") == 0 ? "yes, says HIERSEARCH_MPI_CUDA_AWARE"
                                           : "no, says HIERSEARCH_MPI_CUDA_AWARE";
    if (find(&query, sizeof query, "MPIX_Query_cuda_support"))
        return query() != 0 ? "yes" : "no";
    if (find(&query_gpu, sizeof query_gpu, "MPIX_GPU_query_support") &&
        query_gpu(MPICH_GPU_SUPPORT_CUDA, &supported) == 0)
        return supported != 0 ? "yes" : "no";
    return "not said";
}

bool hs_mpi_takes_gpu_pointers(void)
{
    return strncmp(hs_mpi_cuda_aware(), "yes", 3) == 0;
}
