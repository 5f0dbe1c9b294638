/*
 * cuda_kernels.h - the few things that are done on the GPU itself: elementwise arithmetic, and
 * runs brought together.
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

/* to[i] = to[i] + from[i], whole multiples of HS_CUDA_PACK_BYTES and aligned to them, by so many
 * blocks, each with the threads and the packs under way of NCCL's (2.28.9: src/include/device.h,
 * NCCL_SIMPLE_MAX_NTHREADS and ncclCollUnroll): about what a channel can do (gpu_probe). */
cudaError_t hs_cuda_add_by_blocks(float *to, const float *from, size_t count, unsigned blocks,
                                  cudaStream_t stream);
#define HS_CUDA_PACK_BYTES 16

/* Runs of `bytes` bytes, aligned to 2 bytes at least: run (k, q) of `to`, which has `columns` times
 * `rows` of them, is run (q, k) of `from`, elsewhere, which has `rows` times `columns`; so many
 * `times`, one behind the other (0: once). */
struct hs_cuda_runs {
    size_t rows, columns, bytes, times;
};
cudaError_t hs_cuda_regroup(void *to, const void *from, struct hs_cuda_runs runs,
                            cudaStream_t stream);

/* Holds `stream` until *turn_passed, in pinned memory, is `turn` or, wrapped around, after it; or
 * for HS_CUDA_WAIT_SECONDS, so that a host that waits for the device by mistake gets on. */
cudaError_t hs_cuda_wait(const volatile uint32_t *turn_passed, uint32_t turn, cudaStream_t stream);
#define HS_CUDA_WAIT_SECONDS 2

#ifdef __cplusplus
}
#endif

#endif
