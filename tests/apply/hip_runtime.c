/*
 * hip_runtime.c - the HIP runtime's functions that programs and libhiersearch-nccl.so call, by
 * those of the stand-in's CUDA runtime, which is in the same library and shows no names of its own
 * (hip.map). What the interposer calls is told from what the program does, and is as in
 * nccl_driver.c: with $JOB_COUNTS_WAITS it says how often a stream was told to wait; with
 * $JOB_NO_MEMORY there is none left; memory comes and goes only where captures of other threads
 * allow it. Errors are those that a program finds by hipGetLastError.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

static int waits;
static _Thread_local enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

static bool is_interposer(const void *caller)
{
    Dl_info about;

    return dladdr(caller, &about) && strstr(about.dli_fname, "libhiersearch-nccl");
}
#define BY_INTERPOSER is_interposer(__builtin_return_address(0))

/* ---- the same ---- */

#define SAME(name, of_cuda, parameters, arguments)                                                 \
    cudaError_t name parameters;                                                                   \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        return of_cuda arguments;                                                                  \
    }
SAME(hipEventCreateWithFlags, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags),
     (event, flags))
SAME(hipEventDestroy, cudaEventDestroy, (cudaEvent_t event), (event))
SAME(hipEventRecord, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
SAME(hipGetLastError, cudaGetLastError, (void), ())
SAME(hipGraphDestroy, cudaGraphDestroy, (cudaGraph_t graph), (graph))
SAME(hipGraphExecDestroy, cudaGraphExecDestroy, (cudaGraphExec_t exec), (exec))
SAME(hipGraphInstantiateWithFlags, cudaGraphInstantiate,
     (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), (exec, graph, flags))
SAME(hipGraphLaunch, cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
SAME(hipMemcpyAsync, cudaMemcpyAsync,
     (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
SAME(hipMemcpy2DAsync, cudaMemcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows,
      enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, bytes, rows, kind, stream))
SAME(hipMemGetInfo, cudaMemGetInfo, (size_t * left, size_t *all), (left, all))
SAME(hipEventElapsedTime, cudaEventElapsedTime,
     (float *milliseconds, cudaEvent_t from, cudaEvent_t to), (milliseconds, from, to))
SAME(hipStreamBeginCapture, cudaStreamBeginCapture,
     (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
SAME(hipStreamCreateWithFlags, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
     (stream, flags))
SAME(hipStreamDestroy, cudaStreamDestroy, (cudaStream_t stream), (stream))
SAME(hipStreamEndCapture, cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph),
     (stream, graph))
SAME(hipStreamIsCapturing, cudaStreamIsCapturing,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status))
SAME(hipStreamSynchronize, cudaStreamSynchronize, (cudaStream_t stream), (stream))

/* ---- what is looked at ---- */

cudaError_t hipPeekAtLastError(void);
cudaError_t hipEventQuery(cudaEvent_t event);
cudaError_t hipStreamQuery(cudaStream_t stream);
cudaError_t hipThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t hipStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t hipMalloc(void **memory, size_t bytes);
cudaError_t hipFree(void *memory);
cudaError_t hipHostMalloc(void **memory, size_t bytes, unsigned flags);
cudaError_t hipHostFree(void *memory);

cudaError_t hipPeekAtLastError(void)
{
    return standin_result(cudaGetLastError());
}

/* What is not ready is no error that is kept, from ROCm 7 on. */
#define QUERY(name, of_cuda, type)                                                                 \
    cudaError_t name(type of)                                                                      \
    {                                                                                              \
        cudaError_t before = cudaGetLastError(), code = of_cuda(of);                               \
                                                                                                   \
        cudaGetLastError();                                                                        \
        standin_result(before);                                                                    \
        return code == cudaErrorNotReady ? code : standin_result(code);                            \
    }
QUERY(hipEventQuery, cudaEventQuery, cudaEvent_t)
QUERY(hipStreamQuery, cudaStreamQuery, cudaStream_t)

cudaError_t hipThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = capture_mode;

    capture_mode = *mode;
    *mode = before;
    return standin_result(cudaSuccess);
}

cudaError_t hipStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    waits += BY_INTERPOSER;
    return cudaStreamWaitEvent(stream, event, flags);
}

cudaError_t hipMalloc(void **memory, size_t bytes)
{
    if (BY_INTERPOSER && (capture_mode != cudaStreamCaptureModeRelaxed || getenv("JOB_NO_MEMORY")))
        return standin_result(cudaErrorMemoryAllocation);
    return cudaMalloc(memory, bytes);
}

cudaError_t hipFree(void *memory)
{
    if (BY_INTERPOSER && capture_mode != cudaStreamCaptureModeRelaxed)
        return standin_result(cudaErrorStreamCaptureUnsupported);
    return cudaFree(memory);
}

cudaError_t hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    if (BY_INTERPOSER && capture_mode != cudaStreamCaptureModeRelaxed)
        return standin_result(cudaErrorMemoryAllocation);
    return cudaHostAlloc(memory, bytes, flags);
}

cudaError_t hipHostFree(void *memory)
{
    if (BY_INTERPOSER && capture_mode != cudaStreamCaptureModeRelaxed)
        return standin_result(cudaErrorStreamCaptureUnsupported);
    return cudaFreeHost(memory);
}

__attribute__((destructor)) static void say(void)
{
    if (getenv("JOB_COUNTS_WAITS"))
        fprintf(stderr, "%d waits\n", waits);
}
