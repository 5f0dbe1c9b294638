/* cuda_kernels.cu - see cuda_kernels.h. */
#include "engine/cuda_kernels.h"

#include "engine/cuda_grid.h"
#include "engine/float16.h"

namespace
{

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

__device__ uint64_t now_nanoseconds()
{
    uint64_t now = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
#endif
    return now;
}

__global__ void wait(const volatile uint32_t *turn_passed, uint32_t turn)
{
    uint64_t begin = now_nanoseconds();
    while ((int32_t)(*turn_passed - turn) < 0 &&
           now_nanoseconds() - begin < HS_CUDA_WAIT_SECONDS * (uint64_t)1000000000)
        ;
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

cudaError_t hs_cuda_wait(const volatile uint32_t *turn_passed, uint32_t turn, cudaStream_t stream)
{
    wait<<<1, 1, 0, stream>>>(turn_passed, turn);
    return cudaGetLastError();
}

cudaError_t hs_cuda_reduce(void *dst, const void *a, const void *b, size_t count,
                           struct hs_reduction reduction, cudaStream_t stream)
{
    bool max = reduction.operation == HS_MAX;
    if (count == 0)
        return cudaSuccess;
    switch (reduction.datatype) {
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
