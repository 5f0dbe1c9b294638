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
    *left = *all - standin_memory_bytes() - standin_comm_count() * STANDIN_COMM_BYTES;
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

cudaError_t cudaDriverGetVersion(int *version)
{
    const char *text = getenv("STANDIN_DRIVER");
    *version = text != NULL ? atoi(text) : 13000;
    return standin_result(cudaSuccess);
}
