/*
 * nccl_job.c - a program of NCCL that knows nothing of hiersearch, nor of MPI: what it calls is
 * known, so that a profile of it can be checked. $RANK of $WORLD_SIZE, an even number; ids go
 * through files in the folder $JOB_FOLDER. `nccl_job die` has rank 1 killed when all have called.
 *
 * With the stand-in (tests/nccl/standin), which ends it where a rule is broken.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl_ids.h"

#define COUNT 1000
static cudaStream_t stream;
static float *from, *to;

static void wait_for(ncclComm_t comm)
{
    ncclResult_t state = ncclInProgress;

    while (state == ncclInProgress)
        CHECK(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
    CHECK(state == ncclSuccess);
}

static void finish(void)
{
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
}

static void all_reduce(ncclComm_t comm, int times)
{
    for (int i = 0; i < times; i++)
        CHECK(ncclAllReduce(from, to, COUNT, ncclFloat32, ncclSum, comm, stream) == ncclSuccess);
}

/* Everything with the communicator of all ranks. */
static void call_all(ncclComm_t world)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;

    all_reduce(world, 5);
    CHECK(ncclAllReduce(from, to, COUNT, ncclFloat16, ncclMax, world, stream) == ncclSuccess);
    CHECK(ncclBroadcast(from, to, COUNT, ncclFloat32, 0, world, stream) == ncclSuccess);
    CHECK(ncclBcast(to, COUNT, ncclFloat32, 1, world, stream) == ncclSuccess);
    CHECK(ncclGroupStart() == ncclSuccess);
    all_reduce(world, 2);
    CHECK(ncclGroupEnd() == ncclSuccess);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(ncclSend(from, COUNT, ncclFloat32, next, world, stream) == ncclSuccess);
    CHECK(ncclRecv(to, COUNT, ncclFloat32, before, world, stream) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    finish();
    if (rank == 0) { /* one that NCCL refuses */
        char fault[64];

        snprintf(fault, sizeof(fault), "refuse:allreduce:%d", ranks);
        setenv("STANDIN_FAULT", fault, 1);
        CHECK(ncclAllReduce(from, to, COUNT, ncclFloat32, ncclSum, world, stream) ==
              ncclSystemError);
        unsetenv("STANDIN_FAULT");
    }
}

/* Neighbours, and every other rank; one after the other at the same place. */
static void split(ncclComm_t world)
{
    ncclComm_t part = NULL;

    CHECK(ncclCommSplit(world, rank / 2, rank, &part, NULL) == ncclSuccess && part);
    CHECK(ncclReduceScatter(from, to, COUNT, ncclBfloat16, ncclAvg, part, stream) == ncclSuccess);
    finish();
    CHECK(ncclCommDestroy(part) == ncclSuccess);
    CHECK(ncclCommSplit(world, rank % 2, -rank, &part, NULL) == ncclSuccess);
    for (int i = 0; i < 3; i++)
        CHECK(ncclAllGather(from, to, COUNT, ncclFloat64, part, stream) == ncclSuccess);
    finish();
    CHECK(ncclCommDestroy(part) == ncclSuccess);
}

/* One that nobody waits for, made at a place that is gone when it is used; its first call is in a
 * group. */
static void without_waiting(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t *place = malloc(sizeof(*place)), comm, half, copy;
    ncclUniqueId id = shared_id("second");

    config.blocking = 0;
    CHECK(ncclCommInitRankConfig(place, ranks, id, rank, &config) <= ncclInProgress);
    comm = *place;
    wait_for(comm);
    free(place);
    CHECK(ncclCommSplit(comm, rank / (ranks / 2), 0, &half, NULL) == ncclInProgress);
    wait_for(comm);
    copy = half;
    CHECK(ncclGroupStart() == ncclSuccess);
    all_reduce(copy, 1);
    CHECK(ncclGroupEnd() == ncclSuccess);
    wait_for(copy);
    finish();
    CHECK(ncclCommDestroy(copy) == ncclSuccess);
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
}

int main(int argc, char **argv)
{
    ncclConfig_t wrong = NCCL_CONFIG_INITIALIZER;
    ncclComm_t world = NULL, none;

    rank = atoi(getenv("RANK"));
    ranks = atoi(getenv("WORLD_SIZE"));
    if (getenv("JOB_HIDES_RANK"))
        unsetenv("RANK");
    CHECK(ranks % 2 == 0);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaMalloc((void **)&from, COUNT * 8) == cudaSuccess);
    CHECK(cudaMalloc((void **)&to, (size_t)ranks * COUNT * 8) == cudaSuccess);
    wrong.magic = 1;
    CHECK(ncclCommInitRankConfig(&none, ranks, (ncclUniqueId){{0}}, rank, &wrong) ==
          ncclInvalidArgument);
    CHECK(ncclCommInitRank(&world, ranks, shared_id("first"), rank) == ncclSuccess);
    call_all(world);
    split(world);
    without_waiting();
    if (argc > 1 && strcmp(argv[1], "die") == 0 && rank == 1)
        raise(SIGKILL);
    CHECK(ncclCommDestroy(world) == ncclSuccess);
    return 0;
}
