/* nccl_device.c - see nccl_device.h. */
#include "runner/nccl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/check.h"
#include "runner/layer_comms.h"

bool hs_nccl_device_exists(char *why, size_t why_bytes)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (why_bytes > 0)
        why[0] = '\0';
    if (code == cudaSuccess && count > 0)
        return true;
    snprintf(why, why_bytes, "no GPU: %s",
             code != cudaSuccess ? cudaGetErrorString(code) : "CUDA sees none");
    return false;
}

bool hs_nccl_device_available(char *why, size_t why_bytes)
{
    const struct hs_nccl_api *api;
    struct hs_error error;
    if (!hs_nccl_device_exists(why, why_bytes))
        return false;
    if (hs_nccl_api_get(&api, &error) == HS_OK)
        return true;
    snprintf(why, why_bytes, "%s", error.message);
    return false;
}

static int local_rank_of(MPI_Comm world)
{
    MPI_Comm node;
    int local_rank;
    CHECK_MPI(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_MPI(MPI_Comm_rank(node, &local_rank));
    CHECK_MPI(MPI_Comm_free(&node));
    return local_rank;
}

static enum hs_status identify(struct hs_nccl_device *device, cudaUUID_t *uuid, int local_rank,
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

/* The most ranks that have one and the same GPU. */
static enum hs_status count_mates(int *mates, const cudaUUID_t *uuid, MPI_Comm world,
                                  struct hs_idle *idle, struct hs_error *err)
{
    int np, mine = 0;
    MPI_Request request;
    CHECK_MPI(MPI_Comm_size(world, &np));
    cudaUUID_t *all = calloc((size_t)np, sizeof *all);
    enum hs_status status =
        all != NULL ? HS_OK : hs_fail(err, HS_MEMORY, "out of memory for the GPUs' names");
    status = hs_agree(world, idle, status, err);
    if (status == HS_OK && all != NULL) {
        CHECK_MPI(MPI_Iallgather(uuid, (int)sizeof *uuid, MPI_BYTE, all, (int)sizeof *uuid,
                                 MPI_BYTE, world, &request));
        hs_idle_wait(idle, &request);
        for (int r = 0; r < np; r++)
            mine += memcmp(&all[r], uuid, sizeof *uuid) == 0;
        CHECK_MPI(MPI_Iallreduce(&mine, mates, 1, MPI_INT, MPI_MAX, world, &request));
        hs_idle_wait(idle, &request);
    }
    free(all);
    return status;
}

static enum hs_status set_default(const char *name, const char *value, struct hs_error *err)
{
    if (setenv(name, value, 0) != 0)
        return hs_fail(err, HS_MEMORY, "out of memory for %s", name);
    return HS_OK;
}

static bool may_share(void)
{
    const char *asked = getenv("HIERSEARCH_SHARED_GPU");
    return asked != NULL && strcmp(asked, "1") == 0;
}

enum hs_status hs_nccl_device_find(struct hs_nccl_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err)
{
    cudaUUID_t uuid;
    *device = (struct hs_nccl_device){.mates = 1};
    memset(&uuid, 0, sizeof uuid);
    enum hs_status status = identify(device, &uuid, local_rank_of(world), err);
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

static struct hs_nccl_device taken;

enum hs_status hs_nccl_device_take(struct hs_nccl_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err)
{
    enum hs_status status = hs_nccl_device_find(device, world, idle, err);
    if (status != HS_OK)
        return status;
    status = hs_cuda_status(cudaSetDevice(device->ordinal), "cudaSetDevice", err);
    if (status == HS_OK)
        taken = *device;
    return hs_agree(world, idle, status, err);
}

const struct hs_nccl_device *hs_nccl_device_taken(void)
{
    return &taken;
}

void hs_nccl_device_identify(struct hs_device_facts *facts)
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

/* Keeps NCCL from noticing, or tells it that this is meant. */
static enum hs_status allow_sharing(const struct hs_nccl_api *api, int rank, struct hs_error *err)
{
    char id[64];
    if (api->version >= 23000)
        return set_default("NCCL_MULTI_RANK_GPU_ENABLE", "1", err);
    snprintf(id, sizeof id, "hiersearch-rank-%d", rank);
    enum hs_status status = set_default("NCCL_HOSTID", id, err);
    return status != HS_OK ? status : set_default("NCCL_NET", "Socket", err);
}

enum hs_status hs_nccl_device_choose(struct hs_nccl_device *device, const struct hs_nccl_api *api,
                                     MPI_Comm world, struct hs_idle *idle, struct hs_error *err)
{
    int rank;
    enum hs_status status = hs_nccl_device_take(device, world, idle, err);
    if (status != HS_OK)
        return status;
    CHECK_MPI(MPI_Comm_rank(world, &rank));
    if (device->shared)
        status = allow_sharing(api, rank, err);
    /* Layers at work at the same time have communicators of their own; NCCL then asks for its
     * launches to follow the program's order, from 2.26 (user guide, "Using multiple NCCL
     * communicators"). */
    if (status == HS_OK)
        status = set_default("NCCL_LAUNCH_ORDER_IMPLICIT", "1", err);
    return hs_agree(world, idle, status, err);
}
