/* cuda_kernels.cu - see cuda_kernels.h. */
#include "runner/cuda_kernels.h"

#include "runner/float16.h"
#include "runner/pattern_math.h"

namespace
{

const unsigned block_threads = 256;
/* Enough blocks to fill any GPU; each thread then strides through the rest. */
const size_t blocks_max = 4096;

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

__device__ size_t width_of(enum hs_datatype datatype)
{
    return datatype == HS_FLOAT64 ? 8 : datatype == HS_FLOAT32 ? 4 : 2;
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
        hs_pattern_store(data + i * width, pattern.datatype, value, 1);
    }
}

__global__ void count_wrong(unsigned long long *wrong, const char *data, struct hs_pattern pattern,
                            size_t first, size_t count)
{
    struct hs_pattern_plan plan = hs_pattern_plan_of(&pattern);
    size_t width = width_of(pattern.datatype);
    int64_t divisor = pattern.operation == HS_AVERAGE ? pattern.np : 1;
    unsigned long long mine = 0;
    for (size_t i = first_index(); i < count; i += index_step()) {
        char expected[8];
        int64_t value = hs_pattern_reduction(&plan, hs_pattern_draw_of(&plan, first + i));
        hs_pattern_store(expected, pattern.datatype, value, divisor);
        bool differs = false;
        for (size_t byte = 0; byte < width; byte++)
            differs = differs || expected[byte] != data[i * width + byte];
        mine += differs;
    }
    if (mine > 0)
        atomicAdd(wrong, mine);
}

/* How an element is read into the type that sums are made in, and rounded back. */
struct as_float64 {
    typedef double memory, sum;
    static __device__ double load(double x)
    {
        return x;
    }
    static __device__ double store(double x)
    {
        return x;
    }
};
struct as_float32 {
    typedef float memory, sum;
    static __device__ float load(float x)
    {
        return x;
    }
    static __device__ float store(float x)
    {
        return x;
    }
};
struct as_float16 {
    typedef uint16_t memory;
    typedef float sum;
    static __device__ float load(uint16_t x)
    {
        return hs_float16_to_float(x);
    }
    static __device__ uint16_t store(float x)
    {
        return hs_float_to_float16(x);
    }
};
struct as_bfloat16 {
    typedef uint16_t memory;
    typedef float sum;
    static __device__ float load(uint16_t x)
    {
        return hs_bfloat16_to_float(x);
    }
    static __device__ uint16_t store(float x)
    {
        return hs_float_to_bfloat16(x);
    }
};

template <class As> __global__ void divide(typename As::memory *data, size_t count, int64_t np)
{
    for (size_t i = first_index(); i < count; i += index_step())
        data[i] = As::store(As::load(data[i]) / (typename As::sum)np);
}

template <class As>
__global__ void reduce(typename As::memory *dst, const typename As::memory *a,
                       const typename As::memory *b, size_t count, bool max)
{
    for (size_t i = first_index(); i < count; i += index_step()) {
        typename As::sum x = As::load(a[i]), y = As::load(b[i]);
        dst[i] = As::store(max ? (x > y ? x : y) : x + y);
    }
}

template <class As>
cudaError_t launch_divide(void *data, size_t count, int64_t np, cudaStream_t stream)
{
    divide<As>
        <<<blocks_for(count), block_threads, 0, stream>>>((typename As::memory *)data, count, np);
    return cudaGetLastError();
}

template <class As>
cudaError_t launch_reduce(void *dst, const void *a, const void *b, size_t count, bool max,
                          cudaStream_t stream)
{
    typedef typename As::memory memory;
    reduce<As><<<blocks_for(count), block_threads, 0, stream>>>((memory *)dst, (const memory *)a,
                                                                (const memory *)b, count, max);
    return cudaGetLastError();
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
                                const struct hs_pattern *pattern, size_t first, size_t count,
                                cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    count_wrong<<<blocks_for(count), block_threads, 0, stream>>>(wrong, (const char *)data,
                                                                 *pattern, first, count);
    return cudaGetLastError();
}

cudaError_t hs_cuda_divide(void *data, size_t count, enum hs_datatype datatype, int64_t np,
                           cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    switch (datatype) {
    case HS_FLOAT32:
        return launch_divide<as_float32>(data, count, np, stream);
    case HS_FLOAT64:
        return launch_divide<as_float64>(data, count, np, stream);
    case HS_FLOAT16:
        return launch_divide<as_float16>(data, count, np, stream);
    case HS_BFLOAT16:
        return launch_divide<as_bfloat16>(data, count, np, stream);
    case HS_DATATYPE_COUNT:
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t hs_cuda_reduce(void *dst, const void *a, const void *b, size_t count,
                           enum hs_datatype datatype, enum hs_operation operation,
                           cudaStream_t stream)
{
    bool max = operation == HS_MAX;
    if (count == 0)
        return cudaSuccess;
    switch (datatype) {
    case HS_FLOAT32:
        return launch_reduce<as_float32>(dst, a, b, count, max, stream);
    case HS_FLOAT64:
        return launch_reduce<as_float64>(dst, a, b, count, max, stream);
    case HS_FLOAT16:
        return launch_reduce<as_float16>(dst, a, b, count, max, stream);
    case HS_BFLOAT16:
        return launch_reduce<as_bfloat16>(dst, a, b, count, max, stream);
    case HS_DATATYPE_COUNT:
        break;
    }
    return cudaErrorInvalidValue;
}
