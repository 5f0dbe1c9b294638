/* pattern_kernels.cu - see pattern_kernels.h. */
#include "runner/pattern_kernels.h"

#include "engine/cuda_grid.h"
#include "runner/pattern_math.h"

namespace
{

__device__ size_t width_of(enum hs_datatype datatype)
{
    return datatype == HS_FLOAT64 ? 8 : datatype == HS_FLOAT32 ? 4 : 2;
}

/* An element's bits, in one access of memory; GPUs and their hosts are little-endian. */
__device__ void store(char *element, uint64_t bits, size_t width)
{
    if (width == 8)
        *(uint64_t *)element = bits;
    else if (width == 4)
        *(uint32_t *)element = (uint32_t)bits;
    else
        *(uint16_t *)element = (uint16_t)bits;
}

__device__ uint64_t load(const char *element, size_t width)
{
    return width == 8   ? *(const uint64_t *)element
           : width == 4 ? *(const uint32_t *)element
                        : *(const uint16_t *)element;
}

__global__ void fill(char *data, struct hs_pattern pattern, int64_t rank, size_t first,
                     size_t count)
{
    struct hs_pattern_plan plan = hs_pattern_plan_of(&pattern);
    uint64_t rank_in_cycle = (uint64_t)rank % plan.cycle;
    size_t width = width_of(pattern.datatype);
    for (size_t i = first_index(); i < count; i += index_step()) {
        struct hs_pattern_draw drawn = hs_pattern_draw_of(&plan, first + i);
        bool owner = (first + i) % plan.np == (uint64_t)rank;
        int64_t value = hs_pattern_contribution(&plan, drawn, rank_in_cycle, owner);
        uint64_t element = 0;
        if (pattern.carried)
            element = hs_pattern_carried(pattern.datatype, (uint64_t)rank, first + i);
        else
            hs_pattern_store(&element, pattern.datatype, value, 1);
        store(data + i * width, element, width);
    }
}

__global__ void count_wrong(unsigned long long *wrong, const char *data, struct hs_pattern pattern,
                            struct hs_pattern_part part)
{
    struct hs_pattern_plan plan = hs_pattern_plan_of(&pattern);
    size_t width = width_of(pattern.datatype);
    int64_t divisor = hs_pattern_divisor(&pattern, part.rank);
    unsigned long long mine = 0;
    for (size_t i = first_index(); i < part.count; i += index_step()) {
        uint64_t expected = 0;
        int64_t value = hs_pattern_expected(&plan, part.rank, part.first + i);
        if (pattern.carried)
            expected = hs_pattern_carried(pattern.datatype, (uint64_t)part.rank, part.first + i);
        else
            hs_pattern_store(&expected, pattern.datatype, value, divisor);
        mine += expected != load(data + i * width, width);
    }
    if (mine > 0)
        atomicAdd(wrong, mine);
}

} // namespace

cudaError_t hs_cuda_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                         size_t count, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    fill<<<blocks_for(count), block_threads, 0, stream>>>((char *)data, *pattern, rank, first,
                                                          count);
    return cudaGetLastError();
}

cudaError_t hs_cuda_count_wrong(unsigned long long *wrong, const void *data,
                                const struct hs_pattern *pattern, struct hs_pattern_part part,
                                cudaStream_t stream)
{
    if (part.count == 0)
        return cudaSuccess;
    count_wrong<<<blocks_for(part.count), block_threads, 0, stream>>>(wrong, (const char *)data,
                                                                      *pattern, part);
    return cudaGetLastError();
}
