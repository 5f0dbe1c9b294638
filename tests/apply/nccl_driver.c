/*
 * nccl_driver.c - libcuda's functions that libhiersearch-nccl.so calls, by those of the stand-in's
 * CUDA runtime: events and streams of the two are the same things. With $JOB_COUNTS_WAITS it says
 * how often a stream was told to wait; with $JOB_NO_MEMORY there is none left. Memory comes and
 * goes only where captures of other threads allow it.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

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
    return (int)cudaStreamIsCapturing(stream, status);
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

/* What a driver answers is no error of the runtime's. */
int cuEventQuery(cudaEvent_t event)
{
    int code = (int)cudaEventQuery(event);

    cudaGetLastError();
    return code;
}

__attribute__((destructor)) static void say(void)
{
    if (getenv("JOB_COUNTS_WAITS"))
        fprintf(stderr, "%d waits\n", waits);
}
