/*
 * cuda_memory.c - a GPU's memory: see memory.h.
 *
 * A queue is a stream, a mark an event. Staging memory is pinned host memory, which kernels and
 * copies reach by the address that the host has for it (unified addressing), so a reduction reads
 * what MPI received there and writes what MPI sends on, without a copy on the GPU.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda_device.h"
#include "engine/cuda_kernels.h"
#include "engine/memory.h"
#include "engine/nccl_api.h"

struct hs_queue {
    cudaStream_t stream;
    cudaError_t failed; /* the first that was not cudaSuccess */
    const char *failed_call;
    int mark_count;
    cudaEvent_t marks[];
};

/* ---- allocation ---- */

static enum hs_status allocation(cudaError_t code, size_t bytes, const char *kind,
                                 const char *purpose, struct hs_error *err)
{
    if (code == cudaSuccess)
        return HS_OK;
    (void)cudaGetLastError();
    return hs_fail(err, HS_MEMORY, "cannot allocate %zu bytes of %s for %s: %s", bytes, kind,
                   purpose, cudaGetErrorString(code));
}

/* The default stream would wait for all others: the zeros go through a stream of their own. */
static enum hs_status zero(void *memory, size_t bytes, struct hs_error *err)
{
    cudaStream_t stream;
    cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    if (code != cudaSuccess)
        return hs_cuda_status(code, "cudaStreamCreateWithFlags", err);
    code = cudaMemsetAsync(memory, 0, bytes, stream);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return hs_cuda_status(code, "zeroing GPU memory", err);
}

static void release(void *memory)
{
    if (memory)
        cudaFree(memory);
}

static enum hs_status allocate(void **out, size_t bytes, const char *purpose, struct hs_error *err)
{
    enum hs_status status;

    *out = NULL;
    if (bytes == 0)
        return HS_OK;
    status = allocation(cudaMalloc(out, bytes), bytes, "GPU memory", purpose, err);
    if (status == HS_OK && (status = zero(*out, bytes, err)) != HS_OK)
        release(*out);
    if (status != HS_OK)
        *out = NULL;
    return status;
}

/* What NCCL's own allocator gives it can use without a copy (user guide, buffer registration). */
static const struct hs_nccl_api *nccl_allocator(void)
{
    const struct hs_nccl_api *api;

    if (hs_nccl_api_get(&api, NULL) != HS_OK || !api->MemAlloc || !api->MemFree)
        return NULL;
    return api;
}

static void release_nccl(void *memory)
{
    const struct hs_nccl_api *api = nccl_allocator();

    if (memory && api)
        api->MemFree(memory);
    else
        release(memory);
}

static enum hs_status allocate_nccl(void **out, size_t bytes, const char *purpose,
                                    struct hs_error *err)
{
    const struct hs_nccl_api *api = nccl_allocator();
    enum hs_status status;

    *out = NULL;
    if (!api || bytes == 0)
        return allocate(out, bytes, purpose, err);
    status = hs_nccl_status(api, api->MemAlloc(out, bytes), "ncclMemAlloc", err);
    if (status == HS_OK && (status = zero(*out, bytes, err)) != HS_OK)
        api->MemFree(*out);
    if (status != HS_OK)
        *out = NULL;
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, purpose);
}

static enum hs_status allocate_staging(void **out, size_t bytes, const char *purpose,
                                       struct hs_error *err)
{
    enum hs_status status;

    *out = NULL;
    if (bytes == 0)
        return HS_OK;
    status = allocation(cudaHostAlloc(out, bytes, cudaHostAllocPortable), bytes,
                        "pinned host memory", purpose, err);
    if (status == HS_OK)
        memset(*out, 0, bytes);
    else
        *out = NULL;
    return status;
}

static void release_staging(void *memory)
{
    if (memory)
        cudaFreeHost(memory);
}

/* ---- queues ---- */

static void queue_free(struct hs_queue *queue)
{
    if (!queue)
        return;
    for (int i = 0; i < queue->mark_count; i++)
        if (queue->marks[i])
            cudaEventDestroy(queue->marks[i]);
    if (queue->stream)
        cudaStreamDestroy(queue->stream);
    free(queue);
}

static enum hs_status queue_new(struct hs_queue **out, int marks, struct hs_error *err)
{
    struct hs_queue *queue = calloc(1, sizeof(*queue) + (size_t)marks * sizeof(cudaEvent_t));
    cudaError_t code;

    *out = NULL;
    if (!queue)
        return hs_no_memory(err);
    queue->mark_count = marks;
    code = cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking);
    for (int i = 0; code == cudaSuccess && i < marks; i++)
        code = cudaEventCreateWithFlags(&queue->marks[i], cudaEventDisableTiming);
    if (code != cudaSuccess) {
        queue_free(queue);
        return hs_cuda_status(code, "making a stream and its events", err);
    }
    *out = queue;
    return HS_OK;
}

static bool works(const struct hs_queue *queue)
{
    return queue->failed == cudaSuccess;
}

static void note(struct hs_queue *queue, cudaError_t code, const char *call)
{
    if (!works(queue) || code == cudaSuccess)
        return;
    queue->failed = code;
    queue->failed_call = call;
}

static enum hs_status failure(const struct hs_queue *queue, struct hs_error *err)
{
    return hs_cuda_status(queue->failed, queue->failed_call, err);
}

static void *stream(const struct hs_queue *queue)
{
    return queue->stream;
}

static void copy(struct hs_queue *queue, void *to, const void *from, size_t bytes)
{
    if (works(queue) && bytes > 0)
        note(queue, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue->stream),
             "cudaMemcpyAsync");
}

static void finish(struct hs_queue *queue, void *data, size_t count, struct hs_reduction reduction)
{
    if (works(queue) && reduction.operation == HS_AVERAGE && reduction.divisor > 0)
        note(queue,
             hs_cuda_divide(data, count, reduction.datatype, reduction.divisor, queue->stream),
             "a division");
}

static void reduce(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   struct hs_reduction reduction)
{
    if (works(queue))
        note(queue, hs_cuda_reduce(dst, a, b, count, reduction, queue->stream), "a reduction");
    finish(queue, dst, count, reduction);
}

static void set(struct hs_queue *queue, void *data, int value, size_t bytes)
{
    if (works(queue))
        note(queue, cudaMemsetAsync(data, value, bytes, queue->stream), "cudaMemsetAsync");
}

static void mark(struct hs_queue *queue, int number)
{
    if (works(queue))
        note(queue, cudaEventRecord(queue->marks[number], queue->stream), "cudaEventRecord");
}

static bool passed(struct hs_queue *queue, int number)
{
    cudaError_t code = works(queue) ? cudaEventQuery(queue->marks[number]) : cudaSuccess;

    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return false;
    }
    note(queue, code, "cudaEventQuery");
    return true;
}

static void wait(struct hs_queue *queue)
{
    if (works(queue))
        note(queue, cudaStreamSynchronize(queue->stream), "cudaStreamSynchronize");
}

/* ---- the tables ---- */

static void describe(const char *how, char *text, size_t bytes)
{
    const struct hs_cuda_device *device = hs_cuda_device_taken();

    snprintf(text, bytes, "GPU memory, %s, %s%s", how, device->name,
             device->shared ? HS_SHARED_GPU_TEXT : "");
}

static void describe_direct(char *text, size_t bytes)
{
    describe("handed to MPI as it is", text, bytes);
}

static void describe_staged(char *text, size_t bytes)
{
    describe("through pinned host memory", text, bytes);
}

static void describe_nccl(char *text, size_t bytes)
{
    describe("handed to NCCL", text, bytes);
}

#define GPU_FUNCTIONS                                                                              \
    .allocate_staging = allocate_staging, .release_staging = release_staging,                      \
    .queue_new = queue_new, .queue_free = queue_free, .copy = copy, .reduce = reduce,              \
    .finish = finish, .set = set, .mark = mark, .passed = passed, .wait = wait,                    \
    .failure = failure, .stream = stream, .identify = hs_cuda_device_identify

const struct hs_memory hs_memory_gpu_direct = {.name = "GPU memory",
                                               .direct = true,
                                               .allocate = allocate,
                                               .release = release,
                                               .describe = describe_direct,
                                               GPU_FUNCTIONS};

const struct hs_memory hs_memory_gpu_staged = {.name = "GPU memory, through pinned host memory",
                                               .allocate = allocate,
                                               .release = release,
                                               .describe = describe_staged,
                                               GPU_FUNCTIONS};

const struct hs_memory hs_memory_nccl = {.name = "GPU memory, of NCCL",
                                         .direct = true,
                                         .allocate = allocate_nccl,
                                         .release = release_nccl,
                                         .describe = describe_nccl,
                                         GPU_FUNCTIONS};
