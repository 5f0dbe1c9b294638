/*
 * nccl_driver.c - libcuda's functions that libhiersearch-nccl.so calls, by those of the stand-in's
 * CUDA runtime: events and streams of the two are the same things. With $JOB_COUNTS_WAITS it says
 * how often a stream was told to wait.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

int cuEventCreate(cudaEvent_t *event, unsigned flags);
int cuEventRecord(cudaEvent_t event, cudaStream_t stream);
int cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cuStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);

int cuEventDestroy_v2(cudaEvent_t event);
static int waits;

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

__attribute__((destructor)) static void say(void)
{
    if (getenv("JOB_COUNTS_WAITS"))
        fprintf(stderr, "%d waits\n", waits);
}
