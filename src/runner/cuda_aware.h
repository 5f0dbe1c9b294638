/*
 * cuda_aware.h - whether the MPI library takes buffers in GPU memory.
 */
#ifndef HS_RUNNER_CUDA_AWARE_H
#define HS_RUNNER_CUDA_AWARE_H

/* "yes" or "no", as MPIX_Query_cuda_support says (Open MPI, MPICH and what is made of them); "not
 * said" where the library has no such function. Looked up when asked: there is no portable header
 * for it. */
const char *hs_mpi_cuda_aware(void);

#endif
