/*
 * What NCCL runs on registered buffers, by version, from its sources: src/sym_kernels.cc
 * (src/symmetric.cc up to 2.27), src/scheduler/symmetric_sched.cc, src/enqueue.cc. Microseconds,
 * and bytes per microsecond, as there.
 */
#include <math.h>

#include "library/library_nccl.h"

#define V HS_NCCL_VERSION

#define SYMMETRIC_FROM V(2, 27, 3)
#define COPY_FROM      V(2, 29, 2)
#define RAIL_FROM      V(2, 29, 7) /* 2.29.2 has that of the allgather, which nothing reaches */
#define AVERAGE_FROM   V(2, 30, 3) /* ncclDevSumPostDiv */
#define SINGLE_FROM    V(2, 30, 3) /* nodes of one GPU pass for joined by NVLink */
#define PAIRS_UNTIL    V(2, 29, 3) /* later two GPUs do not multicast */

#define LONGEST_BYTES    (64.0 * 1073741824) /* of all ranks together */
#define LONGEST_LL_BYTES (2.0 * 1073741824)
#define COPY_ELEMENTS    (8.0 * 1048576) /* NCCL_SYM_CE_THRESHOLD, of a rank */

/* ncclSymkMaxBlocks; blocks of a kernel that multicasts, of all ranks, up to Hopper and later */
#define BLOCKS_MOST      64
#define BLOCKS_NVLS      16
#define BLOCKS_NVLS_LATE 32
#define BLOCK_COST       0.025 /* each makes a kernel so much less wanted */
#define BLOCKS_ENOUGH    1.025 /* as many as are within it of all */
#define GBPS             (1073741824 / 1e6)
#define LL_TIMES         9.0  /* LL_BusFactor */
#define LL_MULTICAST     1.1  /* "to beat non-MC LL" */
#define MULTICAST        0.55 /* times the ranks: likewise */

/* softmin, softplus and model of src/sym_kernels.cc */
static double softly_least(double x, double ceiling, double softness)
{
    return ceiling - softness * log1p((exp(ceiling / softness) - 1) * exp(-x / softness));
}

static double softly_positive(double x)
{
    return x >= 100 ? x : log1p(exp(x));
}

struct kernel {
    bool ll, multicasts;
    double bytes, latency, times, block, peak;
};

static double kernel_us(const struct kernel *kernel, int blocks)
{
    double rate = softly_least(blocks * kernel->block * kernel->times, kernel->peak, kernel->block);

    return kernel->latency + softly_positive(kernel->bytes / rate - 1);
}

/* queryModel_lsa */
static struct kernel kernel_of(const struct hs_nccl_call *call, bool ll, bool multicasts)
{
    bool all = call->kind == HS_CALL_ALLREDUCE, gather = call->kind == HS_CALL_ALLGATHER;
    bool late = call->shape.parts.gpu.capability >= 100;
    double ranks = (double)call->shape.ranks, own = all ? call->bytes : call->bytes / ranks;
    struct kernel kernel = {.ll = ll, .multicasts = multicasts, .times = 1};

    if (ll) {
        kernel.bytes = ranks * own * LL_TIMES;
        kernel.times = multicasts ? LL_MULTICAST : 1;
    } else if (all) {
        kernel.bytes = multicasts ? own / ranks + own : 2 * own * (ranks - 1) / ranks;
        kernel.times = multicasts ? ranks : 1;
    } else {
        kernel.bytes = (ranks - 1) * own;
        kernel.times = multicasts ? MULTICAST * ranks : 1;
    }
    kernel.latency = !late ? (ll ? 4.5 : 7.8) : ll ? (gather ? 8.5 : 11) : all ? 19.5 : 13;
    kernel.block = (late ? 55 : all ? 65 : 44) * GBPS;
    kernel.peak = (!ll && all && multicasts ? (late ? 1000 : 480) : late ? 600 : 320) * GBPS;
    return kernel;
}

/* Its time, and what NCCL compares. */
static double wanted_us(const struct hs_nccl_call *call, const struct kernel *kernel, double *us)
{
    int most = BLOCKS_MOST, ranks = (int)call->shape.ranks, blocks = 1;
    int all = call->shape.parts.gpu.capability >= 100 ? BLOCKS_NVLS_LATE : BLOCKS_NVLS;

    if (kernel->multicasts && !kernel->ll)
        most = (all + ranks - 1) / ranks;
    *us = kernel_us(kernel, most);
    while (blocks < most && kernel_us(kernel, blocks) > BLOCKS_ENOUGH * *us)
        blocks++;
    *us = kernel_us(kernel, blocks);
    return *us * (1 + BLOCK_COST * blocks);
}

bool hs_nccl_multicasts(const struct hs_nccl_call *call)
{
    return call->shape.parts.gpu.nvls && !call->shape.parts.mesh &&
           call->shape.gpus > (call->version > PAIRS_UNTIL ? 2 : 1);
}

/* ncclSymkImplemented: kernels that reduce add floats, in 2.30 for averages, too. */
static bool has_kernel(const struct hs_nccl_call *call)
{
    const struct hs_nccl_use *use = &call->use;

    if (call->kind == HS_CALL_ALLGATHER)
        return true;
    if (call->kind == HS_CALL_ALLTOALL || use->datatype == HS_FLOAT64 || use->datatype == HS_INT8 ||
        use->datatype == HS_INT32 || use->datatype == HS_INT64)
        return false;
    return use->operation == HS_SUM ||
           (use->operation == HS_AVERAGE && call->version >= AVERAGE_FROM);
}

/* All GPUs of one domain: ncclSymkPickKernel. */
static void choose_symmetric(struct hs_nccl_choice *out, const struct hs_nccl_call *call)
{
    bool multicasts = hs_nccl_multicasts(call);
    struct kernel ll = kernel_of(call, true, multicasts && call->kind != HS_CALL_REDUCE_SCATTER);
    struct kernel simple = kernel_of(call, false, multicasts);
    double ll_us, us, simple_wanted = wanted_us(call, &simple, &us);
    bool is_ll = call->bytes < LONGEST_LL_BYTES && wanted_us(call, &ll, &ll_us) < simple_wanted;

    *out =
        (struct hs_nccl_choice){HS_NCCL_SYMMETRIC, is_ll ? HS_NCCL_LL : HS_NCCL_SIMPLE, us * 1e-6};
    if (is_ll)
        out->modelled_seconds = ll_us * 1e-6;
}

/* enqueue.cc: on Blackwell, by elements of a rank. */
static bool goes_by_copies(const struct hs_nccl_call *call)
{
    double elements =
        call->bytes / (double)call->shape.ranks / (double)hs_datatype_bytes(call->use.datatype);

    return call->kind == HS_CALL_ALLGATHER && call->version >= COPY_FROM &&
           call->shape.parts.gpu.capability >= 100 && elements > COPY_ELEMENTS;
}

/* Between nodes the GPUs' kernels ring the NICs (GIN), which InfiniBand and RoCE have; of the
 * allgather by multicast alone. */
static bool has_rails(const struct hs_nccl_call *call)
{
    enum hs_nic_class class = call->shape.parts.nic.class;

    if (call->version < RAIL_FROM || call->shape.behind ||
        (class != HS_NIC_INFINIBAND && class != HS_NIC_ROCE) ||
        (call->shape.gpus < 2 && call->version < SINGLE_FROM))
        return false;
    return call->kind == HS_CALL_REDUCE_SCATTER ||
           (call->kind == HS_CALL_ALLGATHER && hs_nccl_multicasts(call));
}

bool hs_nccl_choose_registered(struct hs_nccl_choice *out, const struct hs_nccl_call *call)
{
    if (!call->use.registered || call->version < SYMMETRIC_FROM || !has_kernel(call) ||
        call->shape.parts.gpu.generation == HS_GPU_BOARD || call->bytes >= LONGEST_BYTES)
        return false;
    if (call->shape.domains > 1) {
        *out = (struct hs_nccl_choice){HS_NCCL_RAIL, HS_NCCL_SIMPLE, 0};
        return has_rails(call);
    }
    if (goes_by_copies(call))
        *out = (struct hs_nccl_choice){HS_NCCL_COPY, HS_NCCL_SIMPLE, 0};
    else
        choose_symmetric(out, call);
    return true;
}
