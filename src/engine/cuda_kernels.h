/*
 * cuda_kernels.h - the few things that are done on the GPU itself: elementwise arithmetic.
 *
 * All arrays are device memory, any count, aligned to their elements. Everything is only put on
 * `stream`; what is returned is whether the launch was accepted. The arithmetic is that of
 * float16.h, compiled for the device, so host and GPU agree bit for bit.
 */
#ifndef HS_ENGINE_CUDA_KERNELS_H
#define HS_ENGINE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* data[i] = data[i] / np, as hs_reduce_finish does for an average. */
cudaError_t hs_cuda_divide(void *data, size_t count, enum hs_datatype datatype, int64_t np,
                           cudaStream_t stream);
/* As hs_reduce, but an average is not divided yet. dst may be a or b. */
cudaError_t hs_cuda_reduce(void *dst, const void *a, const void *b, size_t count,
                           struct hs_reduction reduction, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
