/*
 * nccl_driver.c - libcuda's functions that libhiersearch-nccl.so calls, by those of the stand-in's
 * CUDA runtime: events and streams of the two are the same things. With $JOB_COUNTS_WAITS it says
 * how often a stream was told to wait; with $JOB_NO_MEMORY there is none left; with
 * $JOB_CAPTURE_ERROR a stream that is not captured cannot be asked whether it is. Memory comes and
 * goes, and events are looked at, only where captures of other threads allow it.
 */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* CUDA_MEMCPY2D, as cuda.h has it (nccl_abi.c). */
struct rows {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    void *from, *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host, *to, *to_array;
    size_t to_pitch, bytes, count;
};
int cuMemcpy2DAsync_v2(const struct rows *rows, cudaStream_t stream);

int cuEventCreate(cudaEvent_t *event, unsigned flags);
int cuEventRecord(cudaEvent_t event, cudaStream_t stream);
int cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cuStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);

int cuEventDestroy_v2(cudaEvent_t event);
int cuThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
int cuMemAlloc_v2(void **memory, size_t bytes);
int cuMemFree_v2(void *memory);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemFreeHost(void *memory);
int cuMemcpyAsync(void *to, const void *from, size_t bytes, cudaStream_t stream);
int cuEventQuery(cudaEvent_t event);
int cuCtxGetDevice(int *device);
int cuDeviceGetPCIBusId(char *id, int bytes, int device);
int cuStreamCreate(cudaStream_t *stream, unsigned flags);
int cuStreamDestroy_v2(cudaStream_t stream);
int cuMemGetInfo_v2(size_t *left, size_t *all);
int cuEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
static int waits;
static _Thread_local enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

int cuEventCreate(cudaEvent_t *event, unsigned flags)
{
    return (int)cudaEventCreateWithFlags(event, flags);
}

int cuEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return (int)cudaEventRecord(event, stream);
}

int cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    waits++;
    return (int)cudaStreamWaitEvent(stream, event, flags);
}

int cuStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t result = cudaStreamIsCapturing(stream, status);

    if (*status == cudaStreamCaptureStatusNone && getenv("JOB_CAPTURE_ERROR"))
        return (int)cudaErrorStreamCaptureImplicit; /* as while another thread captures */
    return (int)result;
}

int cuEventDestroy_v2(cudaEvent_t event)
{
    return (int)cudaEventDestroy(event);
}

int cuThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = capture_mode;

    capture_mode = *mode;
    *mode = before;
    return 0;
}

int cuMemAlloc_v2(void **memory, size_t bytes)
{
    if (capture_mode != cudaStreamCaptureModeRelaxed || getenv("JOB_NO_MEMORY"))
        return (int)cudaErrorMemoryAllocation;
    return (int)cudaMalloc(memory, bytes);
}

int cuMemFree_v2(void *memory)
{
    return capture_mode == cudaStreamCaptureModeRelaxed ? (int)cudaFree(memory)
                                                        : (int)cudaErrorInvalidValue;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    return capture_mode == cudaStreamCaptureModeRelaxed ? (int)cudaHostAlloc(memory, bytes, flags)
                                                        : (int)cudaErrorMemoryAllocation;
}

int cuMemFreeHost(void *memory)
{
    return (int)cudaFreeHost(memory);
}

int cuMemcpyAsync(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

int cuMemcpy2DAsync_v2(const struct rows *rows, cudaStream_t stream)
{
    return (int)cudaMemcpy2DAsync(rows->to, rows->to_pitch, rows->from, rows->from_pitch,
                                  rows->bytes, rows->count, cudaMemcpyDefault, stream);
}

/* What a driver answers is no error of the runtime's. */
int cuEventQuery(cudaEvent_t event)
{
    int code = capture_mode == cudaStreamCaptureModeRelaxed
                   ? (int)cudaEventQuery(event)
                   : (int)cudaErrorStreamCaptureUnsupported;

    cudaGetLastError();
    return code;
}

int cuEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    return capture_mode == cudaStreamCaptureModeRelaxed
               ? (int)cudaEventElapsedTime(milliseconds, from, to)
               : (int)cudaErrorStreamCaptureUnsupported;
}

int cuCtxGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cuDeviceGetPCIBusId(char *id, int bytes, int device)
{
    return snprintf(id, (size_t)bytes, "0000:0B:00.%d", device) < bytes ? 0 : 1;
}

int cuStreamCreate(cudaStream_t *stream, unsigned flags)
{
    return (int)cudaStreamCreateWithFlags(stream, flags);
}

int cuStreamDestroy_v2(cudaStream_t stream)
{
    return (int)cudaStreamDestroy(stream);
}

int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    return (int)cudaMemGetInfo(left, all);
}

__attribute__((destructor)) static void say(void)
{
    if (getenv("JOB_COUNTS_WAITS"))
        fprintf(stderr, "%d waits\n", waits);
}
