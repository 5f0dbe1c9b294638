/* device.c - the CUDA runtime's devices and memory. See standin.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comms.h"
#include "streams.h"

const char *cudaGetErrorString(cudaError_t code)
{
    static char text[64];
    snprintf(text, sizeof text, "CUDA's error %d", (int)code);
    return text;
}

static int gpus(void)
{
    const char *text = getenv("STANDIN_GPUS");
    return text != NULL ? atoi(text) : 64;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = gpus();
    return standin_result(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
    return standin_result(device >= 0 && device < gpus() ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0, sizeof *properties);
    const char *name = getenv("STANDIN_GPU");
    snprintf(properties->name, sizeof properties->name, "%s", name != NULL ? name : "stand-in");
    properties->uuid.bytes[0] = (char)(1 + device);
    properties->multiProcessorCount = 132;
    return standin_result(cudaSuccess);
}

/* A communicator takes some, as NCCL's channels do. */
cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *all = (size_t)64 << 30;
    *left = *all - standin_memory_bytes() - standin_comm_bytes();
    return standin_result(cudaSuccess);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = standin_memory_new(bytes, false);
    return standin_result(*memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = standin_memory_new(bytes, true);
    return standin_result(*memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

static bool set_step(struct standin_work *work)
{
    standin_memory_open();
    memset(work->output, work->kind, work->count);
    standin_memory_close();
    return true;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    struct standin_work work = {.name = "cudaMemsetAsync",
                                .step = set_step,
                                .output = memory,
                                .kind = value,
                                .count = bytes,
                                .ranges = {{memory, bytes, true}}};
    standin_stream_put(stream, &work);
    return cudaSuccess;
}

static bool copy_step(struct standin_work *work)
{
    standin_memory_open();
    memcpy(work->output, work->inputs[0], work->count);
    standin_memory_close();
    return true;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    struct standin_work work = {.name = "cudaMemcpyAsync",
                                .step = copy_step,
                                .output = to,
                                .inputs = {from},
                                .count = bytes};
    static int garbage; /* what the host reads before the copy has come */
    int ranges = 0;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    /* Ordinary host memory is nobody's: such copies are done when the stream has been waited for.
     * */
    if (standin_memory_kind(from) != STANDIN_ORDINARY)
        work.ranges[ranges++] = (struct standin_range){(char *)from, bytes, false};
    if (standin_memory_kind(to) != STANDIN_ORDINARY)
        work.ranges[ranges++] = (struct standin_range){to, bytes, true};
    if (standin_memory_kind(to) != STANDIN_DEVICE && !standin_stream_captures(stream))
        memset(to, garbage++ & 0x7f, bytes);
    standin_stream_put(stream, &work);
    return cudaSuccess;
}

/* Rows of `count` bytes, `kind` of them, that lie `first` apart where they go and `number` where
 * they are. */
static bool copy_rows_step(struct standin_work *work)
{
    standin_memory_open();
    for (int64_t i = 0; i < work->kind; i++)
        memcpy((char *)work->output + i * work->first,
               (const char *)work->inputs[0] + i * work->number, work->count);
    standin_memory_close();
    return true;
}

/* Of memory of the device alone. What lies between two rows counts as touched. */
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t rows, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct standin_work work = {.name = "cudaMemcpy2DAsync",
                                .step = copy_rows_step,
                                .output = to,
                                .inputs = {from},
                                .count = bytes,
                                .kind = (int)rows,
                                .first = (int64_t)to_pitch,
                                .number = (int64_t)from_pitch,
                                .ranges = {{(char *)from, (rows - 1) * from_pitch + bytes, false},
                                           {to, (rows - 1) * to_pitch + bytes, true}}};
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (bytes > to_pitch || bytes > from_pitch)
        return cudaErrorInvalidPitchValue;
    standin_stream_put(stream, &work);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    const char *text = getenv("STANDIN_DRIVER");
    *version = text != NULL ? atoi(text) : 13000;
    return standin_result(cudaSuccess);
}
