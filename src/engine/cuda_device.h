/*
 * cuda_device.h - which GPU a rank uses: the local-rank-th of those it sees.
 *
 * Ranks may see all GPUs of the node, or (srun --gpus-per-task=1) one each: GPUs are told apart by
 * UUID, so both come out right. Several ranks on one GPU are refused unless
 * $HIERSEARCH_SHARED_GPU=1: that is a functional test and its times mean nothing.
 */
#ifndef HS_ENGINE_CUDA_DEVICE_H
#define HS_ENGINE_CUDA_DEVICE_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"
#include "engine/idle.h"
#include "engine/memory.h"

struct hs_cuda_device {
    int ordinal;    /* CUDA's number of it in this process */
    int mates;      /* the most ranks of the job that have one and the same GPU */
    bool shared;    /* mates > 1 */
    char name[128]; /* "NVIDIA H100 80GB HBM3" */
};

/* What a description of a shared GPU ends with. */
#define HS_SHARED_GPU_TEXT ", shared by several ranks: no time means anything"

/* Collective over `world`; the status is that of all ranks. Which GPU this rank uses. HS_INVALID
 * where ranks share one and that was not asked for. */
enum hs_status hs_cuda_device_find(struct hs_cuda_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err);
/* The same, and makes it current: memory and streams of this process are then its. Needs no NCCL.
 */
enum hs_status hs_cuda_device_take(struct hs_cuda_device *device, MPI_Comm world,
                                   struct hs_idle *idle, struct hs_error *err);
/* The one taken last by this process; {0} before. */
const struct hs_cuda_device *hs_cuda_device_taken(void);

/* Local. The name of the GPU taken last, before that of the first, and CUDA's version of the
 * driver.
 */
void hs_cuda_device_identify(struct hs_device_facts *facts);

/* Local. Whether there is a CUDA device; where not, why in one line. */
bool hs_cuda_device_exists(char *why, size_t why_bytes);

#endif
