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

/* What a thread loads and stores at once. */
const size_t pack_bytes = HS_CUDA_PACK_BYTES;
template <class As> struct alignas(pack_bytes) pack {
    static const size_t width = pack_bytes / sizeof(typename As::memory);
    typename As::memory items[width];
};

/* How many packs there are of `count` elements: none, where one of the arrays is not aligned. */
template <class As> size_t packs_of(size_t count, const void *a, const void *b, const void *c)
{
    uintptr_t places = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
    return places % pack_bytes == 0 ? count / pack<As>::width : 0;
}

template <class As> __device__ typename As::memory divided(typename As::memory x, int64_t np)
{
    return As::store(As::load(x) / (typename As::sum)np);
}

template <class As>
__global__ void divide(typename As::memory *data, size_t count, size_t packs, int64_t np)
{
    pack<As> *all = (pack<As> *)data;
    for (size_t i = first_index(); i < packs; i += index_step()) {
        pack<As> x = all[i];
        for (size_t k = 0; k < x.width; k++)
            x.items[k] = divided<As>(x.items[k], np);
        all[i] = x;
    }
    for (size_t i = packs * pack<As>::width + first_index(); i < count; i += index_step())
        data[i] = divided<As>(data[i], np);
}

template <class As>
__device__ typename As::memory reduced(typename As::memory a, typename As::memory b, bool max)
{
    typename As::sum x = As::load(a), y = As::load(b);
    return As::store(max ? (x > y ? x : y) : x + y);
}

template <class As>
__global__ void reduce(typename As::memory *dst, const typename As::memory *a,
                       const typename As::memory *b, size_t count, size_t packs, bool max)
{
    for (size_t i = first_index(); i < packs; i += index_step()) {
        pack<As> x = ((const pack<As> *)a)[i], y = ((const pack<As> *)b)[i];
        for (size_t k = 0; k < x.width; k++)
            x.items[k] = reduced<As>(x.items[k], y.items[k], max);
        ((pack<As> *)dst)[i] = x;
    }
    for (size_t i = packs * pack<As>::width + first_index(); i < count; i += index_step())
        dst[i] = reduced<As>(a[i], b[i], max);
}

const unsigned channel_threads = 512;
const size_t channel_packs = 8; /* of a thread, under way */

__global__ void add_by_blocks(pack<as_float32> *__restrict__ to,
                              const pack<as_float32> *__restrict__ from, size_t packs)
{
    size_t step = index_step(), i = first_index();
    for (; i + (channel_packs - 1) * step < packs; i += channel_packs * step) {
        pack<as_float32> x[channel_packs], y[channel_packs];
        for (size_t n = 0; n < channel_packs; n++) {
            x[n] = to[i + n * step];
            y[n] = from[i + n * step];
        }
        for (size_t n = 0; n < channel_packs; n++)
            for (size_t k = 0; k < x[n].width; k++)
                x[n].items[k] += y[n].items[k];
        for (size_t n = 0; n < channel_packs; n++)
            to[i + n * step] = x[n];
    }
    for (; i < packs; i += step)
        for (size_t k = 0; k < to[i].width; k++)
            to[i].items[k] += from[i].items[k];
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

template <class Unit>
__global__ void regroup(Unit *to, const Unit *from, struct hs_cuda_runs runs, size_t run)
{
    size_t one = runs.rows * runs.columns * run, count = one * runs.times;
    for (size_t i = first_index(); i < count; i += index_step()) {
        size_t column = i % one / (runs.rows * run), row = i / run % runs.rows;
        to[i] = from[i / one * one + (row * runs.columns + column) * run + i % run];
    }
}

template <class Unit>
cudaError_t launch_regroup(void *to, const void *from, struct hs_cuda_runs runs,
                           cudaStream_t stream)
{
    size_t run = runs.bytes / sizeof(Unit), count = runs.rows * runs.columns * run * runs.times;
    regroup<Unit><<<blocks_for(count), block_threads, 0, stream>>>((Unit *)to, (const Unit *)from,
                                                                   runs, run);
    return cudaGetLastError();
}

template <class As>
cudaError_t launch_divide(void *data, size_t count, int64_t np, cudaStream_t stream)
{
    size_t packs = packs_of<As>(count, data, data, data);
    size_t turns = packs ? packs : count;
    divide<As><<<blocks_for(turns), block_threads, 0, stream>>>((typename As::memory *)data, count,
                                                                packs, np);
    return cudaGetLastError();
}

template <class As>
cudaError_t launch_reduce(void *dst, const void *a, const void *b, size_t count, bool max,
                          cudaStream_t stream)
{
    typedef typename As::memory memory;
    size_t packs = packs_of<As>(count, dst, a, b);
    size_t turns = packs ? packs : count;
    reduce<As><<<blocks_for(turns), block_threads, 0, stream>>>(
        (memory *)dst, (const memory *)a, (const memory *)b, count, packs, max);
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
    default: /* priced alone */
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t hs_cuda_regroup(void *to, const void *from, struct hs_cuda_runs runs,
                            cudaStream_t stream)
{
    uintptr_t places = (uintptr_t)to | (uintptr_t)from | (uintptr_t)runs.bytes;
    runs.times = runs.times > 0 ? runs.times : 1;
    if (runs.rows * runs.columns * runs.bytes == 0)
        return cudaSuccess;
    if (places % pack_bytes == 0)
        return launch_regroup<pack<as_float32>>(to, from, runs, stream);
    if (places % sizeof(uint64_t) == 0)
        return launch_regroup<uint64_t>(to, from, runs, stream);
    if (places % sizeof(uint32_t) == 0)
        return launch_regroup<uint32_t>(to, from, runs, stream);
    return launch_regroup<uint16_t>(to, from, runs, stream);
}

cudaError_t hs_cuda_add_by_blocks(float *to, const float *from, size_t count, unsigned blocks,
                                  cudaStream_t stream)
{
    size_t packs = packs_of<as_float32>(count, to, to, from);
    if (blocks == 0 || packs * pack<as_float32>::width != count)
        return cudaErrorInvalidValue;
    add_by_blocks<<<blocks, channel_threads, 0, stream>>>((pack<as_float32> *)to,
                                                          (const pack<as_float32> *)from, packs);
    return cudaGetLastError();
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
    default: /* priced alone */
        break;
    }
    return cudaErrorInvalidValue;
}
