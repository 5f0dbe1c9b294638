/*
 * nccl_device.h - which GPU a rank uses: the local-rank-th of those it sees.
 *
 * Ranks may see all GPUs of the node, or (srun --gpus-per-task=1) one each: GPUs are told apart by
 * UUID, so both come out right. Several ranks on one GPU are refused unless
 * $HIERSEARCH_SHARED_GPU=1: that is a functional test and its times mean nothing. NCCL then has to
 * be kept from noticing (before 2.30: a host id per rank, so that all go through sockets) or told
 * to allow it (NCCL_MULTI_RANK_GPU_ENABLE=1 from 2.30).
 */
#ifndef HS_RUNNER_NCCL_DEVICE_H
#define HS_RUNNER_NCCL_DEVICE_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"
#include "runner/idle.h"
#include "runner/nccl_api.h"

struct hs_nccl_device {
    int ordinal;    /* CUDA's number of it in this process */
    bool shared;    /* some GPU of the job serves several ranks */
    char name[128]; /* "NVIDIA H100 80GB HBM3" */
};

/* Collective over `world`; the status is that of all ranks. Makes the device current. HS_INVALID
 * where ranks share a GPU and that was not asked for. Sets, where GPUs are shared and the user has
 * not, NCCL_HOSTID, NCCL_NET and NCCL_MULTI_RANK_GPU_ENABLE; always NCCL_LAUNCH_ORDER_IMPLICIT=1.
 */
enum hs_status hs_nccl_device_choose(struct hs_nccl_device *device, const struct hs_nccl_api *api,
                                     MPI_Comm world, struct hs_idle *idle, struct hs_error *err);

/* Local. Whether there is a CUDA device and an NCCL; where not, why in one line. */
bool hs_nccl_device_available(char *why, size_t why_bytes);

#endif
