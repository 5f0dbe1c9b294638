/*
 * cuda_grid.h - how kernels go through arrays: for .cu files alone.
 *
 * A kernel over `count` elements is launched as
 *
 *     kernel<<<blocks_for(count), block_threads, 0, stream>>>(...)
 *
 * and each thread has the elements first_index(), + index_step(), ... below count: neighbours of a
 * warp have neighboring elements, and any count is right for any number of blocks.
 */
#ifndef HS_ENGINE_CUDA_GRID_H
#define HS_ENGINE_CUDA_GRID_H

#ifdef __cplusplus

#include <stddef.h>

namespace
{

const unsigned block_threads = 256;
/* Enough blocks to fill any GPU; each thread then strides through the rest. */
const size_t blocks_max = 4096;

/* A thread for each element, rounded up to whole blocks, at most blocks_max; 0 for no elements,
 * which CUDA refuses to launch: callers return before. */
unsigned blocks_for(size_t count)
{
    size_t blocks = (count + block_threads - 1) / block_threads;
    return (unsigned)(blocks < blocks_max ? blocks : blocks_max);
}

__device__ size_t first_index()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ size_t index_step()
{
    return (size_t)gridDim.x * blockDim.x;
}

} // namespace

#endif

#endif
