/*
 * pattern_kernels.h - pattern.h on a GPU, by the same arithmetic (pattern_math.h).
 *
 * All arrays are device memory, any count, aligned to their elements. Everything is only put on
 * `stream`; what is returned is whether the launch was accepted.
 */
#ifndef HS_RUNNER_PATTERN_KERNELS_H
#define HS_RUNNER_PATTERN_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As hs_pattern_fill: elements first .. first + count - 1 of rank `rank`. */
cudaError_t hs_cuda_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                         size_t count, cudaStream_t stream);
/* As hs_pattern_wrong, but the number is added to *wrong (device memory). */
cudaError_t hs_cuda_count_wrong(unsigned long long *wrong, const void *data,
                                const struct hs_pattern *pattern, struct hs_pattern_part part,
                                cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
