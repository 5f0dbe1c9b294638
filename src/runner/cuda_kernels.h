/*
 * cuda_kernels.h - the few things that are done on the GPU itself: the pattern, and elementwise
 * arithmetic.
 *
 * All arrays are device memory, any count, aligned to their elements. Everything is only put on
 * `stream`; what is returned is whether the launch was accepted. The arithmetic is that of
 * pattern_math.h and float16.h, compiled for the device, so host and GPU agree bit for bit.
 */
#ifndef HS_RUNNER_CUDA_KERNELS_H
#define HS_RUNNER_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "model/datatype.h"
#include "runner/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As hs_pattern_fill: elements first .. first + count - 1 of rank `rank`. */
cudaError_t hs_cuda_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                         size_t count, cudaStream_t stream);
/* As hs_pattern_wrong, but the number is added to *wrong (device memory). */
cudaError_t hs_cuda_count_wrong(unsigned long long *wrong, const void *data,
                                const struct hs_pattern *pattern, size_t first, size_t count,
                                cudaStream_t stream);
/* data[i] = data[i] / np, as hs_reduce_finish does for an average. */
cudaError_t hs_cuda_divide(void *data, size_t count, enum hs_datatype datatype, int64_t np,
                           cudaStream_t stream);
/* As hs_reduce: dst[i] = a[i] op b[i]; average adds. dst may be a or b. */
cudaError_t hs_cuda_reduce(void *dst, const void *a, const void *b, size_t count,
                           enum hs_datatype datatype, enum hs_operation operation,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
