/* cuda_device.c - see cuda_device.h. */
#include "engine/cuda_device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/layer_comms.h"
#include "engine/mpi_status.h"
#include "engine/nccl_api.h"

static bool may_share(void)
{
    const char *asked = getenv("HIERSEARCH_SHARED_GPU");
    return asked != NULL && strcmp(asked, "1") == 0;
}

bool hs_cuda_device_exists(char *why, size_t why_bytes)
{
    int count = 0;
    cudaError_t code;

    /* Loading a kernel late may wait for one of another rank that waits for this one. */
    if (may_share())
        (void)setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    code = cudaGetDeviceCount(&count);
    if (why_bytes > 0)
        why[0] = '\0';
    if (code == cudaSuccess && count > 0)
        return true;
    snprintf(why, why_bytes, "no GPU: %s",
             code != cudaSuccess ? cudaGetErrorString(code) : "CUDA sees none");
    return false;
}

static enum hs_status find_local_rank(int *local_rank, MPI_Comm world, struct hs_error *err)
{
    MPI_Comm node;
    enum hs_status status =
        HS_MPI(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), err);

    if (status != HS_OK)
        return status;
    status = HS_MPI(MPI_Comm_rank(node, local_rank), err);
    (void)MPI_Comm_free(&node);
    return status;
}

static enum hs_status identify(struct hs_cuda_device *device, cudaUUID_t *uuid, int local_rank,
                               struct hs_error *err)
{
    struct cudaDeviceProp properties;
    int count = 0;
    enum hs_status status = hs_cuda_status(cudaGetDeviceCount(&count), "cudaGetDeviceCount", err);
    if (status == HS_OK && count == 0)
        status = hs_fail(err, HS_FAILED, "CUDA sees no GPU");
    if (status != HS_OK)
        return status;
    device->ordinal = local_rank % count;
    status = hs_cuda_status(cudaGetDeviceProperties(&properties, device->ordinal),
                            "cudaGetDeviceProperties", err);
    if (status != HS_OK)
        return status;
    snprintf(device->name, sizeof device->name, "%.100s", properties.name);
    *uuid = properties.uuid;
    return HS_OK;
}

/* How many ranks have this rank's GPU; uuids[np] is working space. */
static enum hs_status count_mine(int *mine, const cudaUUID_t *uuid, cudaUUID_t *uuids,
                                 MPI_Comm world, struct hs_idle *idle, struct hs_error *err)
{
    MPI_Request request;
    int bytes = (int)sizeof(*uuid), np = 0;
    enum hs_status status =
        HS_MPI(MPI_Iallgather(uuid, bytes, MPI_BYTE, uuids, bytes, MPI_BYTE, world, &request), err);

    if (status == HS_OK)
        status = hs_idle_wait(idle, &request, err);
    if (status == HS_OK)
        status = HS_MPI(MPI_Comm_size(world, &np), err);
    for (int r = 0; status == HS_OK && r < np; r++)
        *mine += memcmp(&uuids[r], uuid, sizeof(*uuid)) == 0;
    return status;
}

/* The most ranks that have one and the same GPU. */
static enum hs_status count_mates(int *mates, const cudaUUID_t *uuid, MPI_Comm world,
                                  struct hs_idle *idle, struct hs_error *err)
{
    MPI_Request request;
    cudaUUID_t *uuids = NULL;
    int np = 0, mine = 0;
    enum hs_status status = HS_MPI(MPI_Comm_size(world, &np), err);

    if (status == HS_OK && !(uuids = calloc((size_t)np, sizeof(*uuids))))
        status = hs_no_memory(err);
    status = hs_agree(world, idle, status, err);
    if (status == HS_OK && uuids)
        status = count_mine(&mine, uuid, uuids, world, idle, err);
    if (status == HS_OK)
        status = HS_MPI(MPI_Iallreduce(&mine, mates, 1, MPI_INT, MPI_MAX, world, &request), err);
    if (status == HS_OK)
        status = hs_idle_wait(idle, &request, err);
    free(uuids);
    return status;
}

enum hs_status hs_cuda_device_find(struct hs_cuda_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err)
{
    cudaUUID_t uuid;
    int local_rank = 0;
    enum hs_status status = find_local_rank(&local_rank, world, err);

    *device = (struct hs_cuda_device){.mates = 1};
    memset(&uuid, 0, sizeof(uuid));
    if (status == HS_OK)
        status = identify(device, &uuid, local_rank, err);
    status = hs_agree(world, idle, status, err);
    if (status == HS_OK)
        status = count_mates(&device->mates, &uuid, world, idle, err);
    if (status != HS_OK)
        return status;
    device->shared = device->mates > 1;
    if (device->shared && !may_share())
        status = hs_fail(
            err, HS_INVALID,
            "%d ranks share one GPU: start one rank per GPU, take --backend host, or set "
            "HIERSEARCH_SHARED_GPU=1 for a functional test, whose times mean nothing (NCCL then "
            "gets NCCL_HOSTID and NCCL_NET=Socket, from 2.30 on NCCL_MULTI_RANK_GPU_ENABLE=1)",
            device->mates);
    return hs_agree(world, idle, status, err);
}

static struct hs_cuda_device taken;

enum hs_status hs_cuda_device_take(struct hs_cuda_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err)
{
    enum hs_status status = hs_cuda_device_find(device, world, idle, err);
    if (status != HS_OK)
        return status;
    status = hs_cuda_status(cudaSetDevice(device->ordinal), "cudaSetDevice", err);
    if (status == HS_OK)
        taken = *device;
    return hs_agree(world, idle, status, err);
}

const struct hs_cuda_device *hs_cuda_device_taken(void)
{
    return &taken;
}

void hs_cuda_device_identify(struct hs_device_facts *facts)
{
    struct cudaDeviceProp properties;
    int version = 0;
    *facts = (struct hs_device_facts){.gpu = ""};
    if (cudaGetDeviceProperties(&properties, taken.ordinal) == cudaSuccess)
        snprintf(facts->gpu, sizeof facts->gpu, "%.100s", properties.name);
    if (cudaDriverGetVersion(&version) == cudaSuccess)
        snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", version / 1000,
                 version / 10 % 100);
}
