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
#include "runner/memory.h"
#include "runner/nccl_api.h"

struct hs_nccl_device {
    int ordinal;    /* CUDA's number of it in this process */
    int mates;      /* the most ranks of the job that have one and the same GPU */
    bool shared;    /* mates > 1 */
    char name[128]; /* "NVIDIA H100 80GB HBM3" */
};

/* What a description of a shared GPU ends with. */
#define HS_SHARED_GPU_TEXT ", shared by several ranks: no time means anything"

/* Collective over `world`; the status is that of all ranks. Which GPU this rank uses. HS_INVALID
 * where ranks share one and that was not asked for. */
enum hs_status hs_nccl_device_find(struct hs_nccl_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err);
/* The same, and makes it current: memory and streams of this process are then its. Needs no NCCL.
 */
enum hs_status hs_nccl_device_take(struct hs_nccl_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err);
/* The one taken last by this process; {0} before. */
const struct hs_nccl_device *hs_nccl_device_taken(void);

/* The same, for NCCL. Sets, where GPUs are shared and the user has
 * not, NCCL_HOSTID, NCCL_NET and NCCL_MULTI_RANK_GPU_ENABLE; always NCCL_LAUNCH_ORDER_IMPLICIT=1.
 */
enum hs_status hs_nccl_device_choose(struct hs_nccl_device *device, const struct hs_nccl_api *api,
                                     MPI_Comm world, struct hs_idle *idle, struct hs_error *err);

/* Local. The name of the GPU taken last, before that of the first, and CUDA's version of the
 * driver.
 */
void hs_nccl_device_identify(struct hs_device_facts *facts);

/* Local. Whether there is a CUDA device; where not, why in one line. */
bool hs_nccl_device_exists(char *why, size_t why_bytes);
/* Local. Whether there is a CUDA device and an NCCL; where not, why in one line. */
bool hs_nccl_device_available(char *why, size_t why_bytes);

#endif
