/* later.c - of NCCL's functions that are newer than the header may be: a collective with a
 * configuration (2.31), a signal, suspend and resume (2.29). See standin.h. */
#include "comms.h"

#if NCCL_VERSION_CODE < 22900
ncclResult_t ncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t comm,
                        cudaStream_t stream);
#endif
#if NCCL_VERSION_CODE < 22907
ncclResult_t ncclCommSuspend(ncclComm_t comm, int flags);
ncclResult_t ncclCommResume(ncclComm_t comm);
#endif
#if NCCL_VERSION_CODE < 23100
typedef struct standin_call_config ncclCollConfig_t;
ncclResult_t ncclAllReduceConfig(const void *input, void *output, size_t count,
                                 ncclDataType_t datatype, ncclRedOp_t operation, ncclComm_t comm,
                                 cudaStream_t stream, const ncclCollConfig_t *config);
#endif

ncclResult_t ncclAllReduceConfig(const void *input, void *output, size_t count,
                                 ncclDataType_t datatype, ncclRedOp_t operation, ncclComm_t comm,
                                 cudaStream_t stream, const ncclCollConfig_t *config)
{
    (void)config;
    return ncclAllReduce(input, output, count, datatype, operation, comm, stream);
}

static bool signal_step(struct standin_work *work)
{
    (void)work;
    return true;
}

/* Nobody waits for it. */
ncclResult_t ncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t comm,
                        cudaStream_t stream)
{
    const struct standin_work work = {.name = "ncclSignal", .step = signal_step};
    standin_comm_check_ready(comm, "ncclSignal");
    (void)peer, (void)signal, (void)context, (void)flags;
    standin_stream_put(stream, &work);
    return ncclSuccess;
}

ncclResult_t ncclCommSuspend(ncclComm_t comm, int flags)
{
    standin_comm_check_ready(comm, "ncclCommSuspend");
    if (flags != 1 || standin_stream_has(comm, false))
        standin_broken("state", "ncclCommSuspend of a communicator with work on a stream");
    comm->suspended = true;
    return ncclSuccess;
}

ncclResult_t ncclCommResume(ncclComm_t comm)
{
    if (!comm->suspended)
        standin_broken("state", "ncclCommResume of a communicator that is not suspended");
    comm->suspended = false;
    return ncclSuccess;
}
