/*
 * cuda_aware.h - whether the MPI library takes buffers in GPU memory.
 */
#ifndef HS_ENGINE_CUDA_AWARE_H
#define HS_ENGINE_CUDA_AWARE_H

#include <stdbool.h>

/* "yes" or "no", as the library says (MPIX_Query_cuda_support of Open MPI and MPICH,
 * MPIX_GPU_query_support of MPICH and what is made of it); "not said" where it has neither
 * function. They are looked up when asked: there is no portable header for them.
 * $HIERSEARCH_MPI_CUDA_AWARE overrules it: "yes, says HIERSEARCH_MPI_CUDA_AWARE" where it is 1,
 * "no, ..." else. After MPI_Init. */
const char *hs_mpi_cuda_aware(void);

/* Whether that starts with "yes": where the library does not say, no pointer is handed to it. */
bool hs_mpi_takes_gpu_pointers(void);

#endif
