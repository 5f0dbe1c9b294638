/*
 * cuda_memory.c - a GPU's memory: see memory.h.
 *
 * A queue is a stream, a mark an event. Staging memory is pinned host memory, which kernels and
 * copies reach by the address that the host has for it (unified addressing), so a reduction reads
 * what MPI received there and writes what MPI sends on, without a copy on the GPU.
 */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/cuda_kernels.h"
#include "runner/memory.h"
#include "runner/nccl_device.h"

struct hs_queue {
    cudaStream_t stream;
    unsigned long long *count; /* device: of wrong elements */
    int mark_count;
    cudaEvent_t marks[];
};

/* As CHECK_MPI: nothing sensible can follow on the other ranks. */
#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t cuda_code = (call);                                                            \
        if (cuda_code != cudaSuccess)                                                              \
            cuda_failed(cuda_code, #call, __FILE__, __LINE__);                                     \
    } while (0)

static _Noreturn void cuda_failed(cudaError_t code, const char *call, const char *file, int line)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "?";
    int length, rank = -1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    fprintf(stderr, "hiersearch-measure: %.*s failed on rank %d (host %s), %s:%d: %s\n",
            (int)strcspn(call, "("), call, rank, host, file, line, cudaGetErrorString(code));
    sleep(1); /* launchers drop what they have not forwarded yet when a rank aborts */
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

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

static enum hs_status allocate(void **out, size_t bytes, const char *purpose, struct hs_error *err)
{
    enum hs_status status;

    *out = NULL;
    if (bytes == 0)
        return HS_OK;
    status = allocation(cudaMalloc(out, bytes), bytes, "GPU memory", purpose, err);
    if (status == HS_OK && (status = zero(*out, bytes, err)) != HS_OK)
        cudaFree(*out);
    if (status != HS_OK)
        *out = NULL;
    return status;
}

static void release(void *memory)
{
    if (memory != NULL)
        CHECK_CUDA(cudaFree(memory));
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
    if (memory != NULL)
        CHECK_CUDA(cudaFreeHost(memory));
}

static void queue_free(struct hs_queue *queue)
{
    if (queue == NULL)
        return;
    for (int i = 0; i < queue->mark_count; i++)
        if (queue->marks[i] != NULL)
            CHECK_CUDA(cudaEventDestroy(queue->marks[i]));
    if (queue->stream != NULL)
        CHECK_CUDA(cudaStreamDestroy(queue->stream));
    if (queue->count != NULL)
        CHECK_CUDA(cudaFree(queue->count));
    free(queue);
}

static cudaError_t make(struct hs_queue *queue)
{
    cudaError_t code = cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking);

    if (code == cudaSuccess)
        code = cudaMalloc((void **)&queue->count, sizeof(*queue->count));
    for (int i = 0; code == cudaSuccess && i < queue->mark_count; i++)
        code = cudaEventCreateWithFlags(&queue->marks[i], cudaEventDisableTiming);
    return code;
}

static enum hs_status queue_new(struct hs_queue **out, int marks, struct hs_error *err)
{
    struct hs_queue *queue = calloc(1, sizeof(*queue) + (size_t)marks * sizeof(cudaEvent_t));
    enum hs_status status;

    *out = NULL;
    if (queue == NULL)
        return hs_fail(err, HS_MEMORY, "out of memory for a queue of the GPU");
    queue->mark_count = marks;
    status = hs_cuda_status(make(queue), "making a stream and its events", err);
    if (status != HS_OK) {
        queue_free(queue);
        return status;
    }
    *out = queue;
    return HS_OK;
}

static void copy(struct hs_queue *queue, void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue->stream));
}

static void finish(struct hs_queue *queue, void *data, size_t count, enum hs_datatype datatype,
                   enum hs_operation operation, int64_t np)
{
    if (operation == HS_AVERAGE)
        CHECK_CUDA(hs_cuda_divide(data, count, datatype, np, queue->stream));
}

static void reduce(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   enum hs_datatype datatype, enum hs_operation operation, int64_t average_over)
{
    CHECK_CUDA(hs_cuda_reduce(dst, a, b, count, datatype, operation, queue->stream));
    if (average_over > 0)
        finish(queue, dst, count, datatype, operation, average_over);
}

static void mark(struct hs_queue *queue, int number)
{
    CHECK_CUDA(cudaEventRecord(queue->marks[number], queue->stream));
}

static bool passed(struct hs_queue *queue, int number)
{
    cudaError_t code = cudaEventQuery(queue->marks[number]);

    if (code != cudaSuccess && code != cudaErrorNotReady)
        cuda_failed(code, "cudaEventQuery", __FILE__, __LINE__);
    if (code == cudaErrorNotReady)
        (void)cudaGetLastError();
    return code == cudaSuccess;
}

static void wait(struct hs_queue *queue)
{
    CHECK_CUDA(cudaStreamSynchronize(queue->stream));
}

static void fill(struct hs_queue *queue, void *data, const struct hs_pattern *pattern, int64_t rank,
                 size_t count)
{
    CHECK_CUDA(hs_cuda_fill(data, pattern, rank, 0, count, queue->stream));
    wait(queue);
}

static uint64_t wrong(struct hs_queue *queue, const void *data, const struct hs_pattern *pattern,
                      size_t count)
{
    unsigned long long found = 0;

    CHECK_CUDA(cudaMemsetAsync(queue->count, 0, sizeof(*queue->count), queue->stream));
    CHECK_CUDA(hs_cuda_count_wrong(queue->count, data, pattern, 0, count, queue->stream));
    CHECK_CUDA(cudaMemcpyAsync(&found, queue->count, sizeof(found), cudaMemcpyDeviceToHost,
                               queue->stream));
    wait(queue);
    return found;
}

static void set(struct hs_queue *queue, void *data, int value, size_t bytes)
{
    CHECK_CUDA(cudaMemsetAsync(data, value, bytes, queue->stream));
    wait(queue);
}

static void describe(const char *how, char *text, size_t bytes)
{
    const struct hs_nccl_device *device = hs_nccl_device_taken();

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

#define GPU_FUNCTIONS                                                                              \
    .allocate = allocate, .release = release, .allocate_staging = allocate_staging,                \
    .release_staging = release_staging, .queue_new = queue_new, .queue_free = queue_free,          \
    .copy = copy, .reduce = reduce, .finish = finish, .mark = mark, .passed = passed,              \
    .wait = wait, .fill = fill, .wrong = wrong, .set = set, .identify = hs_nccl_device_identify

const struct hs_memory hs_memory_gpu_direct = {
    .name = "GPU memory", .direct = true, .describe = describe_direct, GPU_FUNCTIONS};

const struct hs_memory hs_memory_gpu_staged = {.name = "GPU memory, through pinned host memory",
                                               .direct = false,
                                               .describe = describe_staged,
                                               GPU_FUNCTIONS};
