/*
 * device_code.h - functions that the C compiler and nvcc both compile, so that host and GPU cannot
 * differ.
 */
#ifndef HS_ENGINE_DEVICE_CODE_H
#define HS_ENGINE_DEVICE_CODE_H

#ifdef __CUDACC__
#define HS_BOTH static __host__ __device__ inline
#else
#define HS_BOTH static inline
#endif

#endif
