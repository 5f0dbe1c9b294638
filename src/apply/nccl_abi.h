/*
 * nccl_abi.h - of nccl.h what libhiersearch-nccl.so needs, so that it is built without NCCL and in
 * front of any: NCCL's binary interface keeps these since 2.0, and RCCL, AMD's library, has the
 * same. Where nccl.h or rccl.h was included before, the types are its own, and
 * tests/apply/nccl_abi.c checks each prototype against that header's, and the names and numbers
 * below.
 */
#ifndef HS_APPLY_NCCL_ABI_H
#define HS_APPLY_NCCL_ABI_H

#include <stddef.h>

#ifdef NCCL_MAJOR
typedef ncclResult_t hs_nccl_result;
typedef ncclComm_t hs_nccl_comm;
typedef ncclWindow_t hs_nccl_window;
typedef ncclScalarResidence_t hs_nccl_residence;
typedef ncclUniqueId hs_nccl_id;
typedef ncclConfig_t hs_nccl_config;
typedef ncclDataType_t hs_nccl_type;
typedef ncclRedOp_t hs_nccl_operation;
typedef ncclSimInfo_t hs_nccl_simulation;
#ifdef RCCL_BFLOAT16
typedef hipStream_t hs_nccl_stream;
#else
typedef cudaStream_t hs_nccl_stream;
#endif
#if NCCL_VERSION_CODE >= 23100
typedef ncclCollConfig_t hs_nccl_call_config;
#else
typedef struct hs_nccl_call_config hs_nccl_call_config;
#endif
#if NCCL_VERSION_CODE >= 22900
typedef ncclWaitSignalDesc_t hs_nccl_signal;
#else
typedef struct hs_nccl_signal hs_nccl_signal;
#endif
#else
typedef int hs_nccl_result, hs_nccl_type, hs_nccl_operation, hs_nccl_residence;
typedef struct ncclComm *hs_nccl_comm;
typedef struct ncclWindow_vidmem *hs_nccl_window;
typedef struct {
    char internal[128];
} hs_nccl_id;
typedef struct hs_nccl_simulation hs_nccl_simulation;
typedef struct hs_nccl_config hs_nccl_config;
typedef struct hs_nccl_call_config hs_nccl_call_config;
typedef struct hs_nccl_signal hs_nccl_signal;
typedef struct CUstream_st *hs_nccl_stream;
#endif

/* ncclSuccess, ncclUnhandledCudaError, ncclInvalidArgument, ncclInvalidUsage, ncclInProgress;
 * NCCL_SPLIT_NOCOLOR, NCCL_SHRINK_ABORT; ncclScalarHostImmediate; ncclInt64, ncclSum */
enum {
    HS_NCCL_SUCCESS = 0,
    HS_NCCL_CUDA_ERROR = 1,
    HS_NCCL_INVALID_ARGUMENT = 4,
    HS_NCCL_INVALID_USAGE = 5,
    HS_NCCL_IN_PROGRESS = 7
};
enum { HS_NCCL_NO_COLOR = -1, HS_NCCL_SHRINK_ABORT = 1, HS_NCCL_SCALAR_OF_HOST = 1 };
enum { HS_NCCL_SUM = 0, HS_NCCL_INT64 = 4 };

/* What a configuration begins with, in all versions that have one. */
struct hs_nccl_config_head {
    size_t size;
    unsigned magic, version;
    int blocking; /* 0: nobody waits */
};

/* ncclInt8 and so on, with the bytes of an element; ncclSum and so on. In the order of NCCL's
 * numbers, from 0. */
/* clang-format off */
#define HS_NCCL_TYPES(row)                                                                         \
    row(ncclInt8, INT8, 1) row(ncclUint8, UINT8, 1) row(ncclInt32, INT32, 4)                       \
    row(ncclUint32, UINT32, 4) row(ncclInt64, INT64, 8) row(ncclUint64, UINT64, 8)                 \
    row(ncclFloat16, FLOAT16, 2) row(ncclFloat32, FLOAT32, 4) row(ncclFloat64, FLOAT64, 8)         \
    row(ncclBfloat16, BFLOAT16, 2) row(ncclFloat8e4m3, FLOAT8E4M3, 1)                              \
    row(ncclFloat8e5m2, FLOAT8E5M2, 1)
#define HS_NCCL_OPERATIONS(row)                                                                    \
    row(ncclSum, SUM) row(ncclProd, PRODUCT) row(ncclMax, MAX) row(ncclMin, MIN)                   \
    row(ncclAvg, AVERAGE)

/* ---- what is wrapped: name, parameters, arguments ---- */
#define HS_NCCL_REDUCED                                                                            \
    const void *from, void *to, size_t count, hs_nccl_type type, hs_nccl_operation operation
#define HS_NCCL_MOVED   const void *from, void *to, size_t count, hs_nccl_type type
#define HS_NCCL_WHERE   hs_nccl_comm comm, hs_nccl_stream stream

/* Collectives and messages. Further: the counted call (counts.h); whether its larger side is as
 * many times the count as there are ranks; the operation, -1: none. */
#define HS_NCCL_CALLS(row)                                                                         \
    HS_NCCL_PLANNED(row) HS_NCCL_PASSED(row) HS_NCCL_CONFIGURED(row) HS_NCCL_PASSED_RCCL(row)      \
    HS_NCCL_VARYING(row)
/* Those that plans carry out, and the others; and those of 2.31 and later by which the program says
 * how a call is to be made, which no plan knows. */
#define HS_NCCL_PLANNED(row)                                                                       \
    row(ncclAllReduce, (HS_NCCL_REDUCED, HS_NCCL_WHERE),                                           \
        (from, to, count, type, operation, comm, stream), ALLREDUCE, false, operation)             \
    row(ncclReduceScatter, (HS_NCCL_REDUCED, HS_NCCL_WHERE),                                       \
        (from, to, count, type, operation, comm, stream), REDUCE_SCATTER, true, operation)         \
    row(ncclAllGather, (HS_NCCL_MOVED, HS_NCCL_WHERE),                                             \
        (from, to, count, type, comm, stream), ALLGATHER, true, -1)
#define HS_NCCL_PASSED(row)                                                                        \
    row(ncclAlltoAll, (HS_NCCL_MOVED, HS_NCCL_WHERE),                                              \
        (from, to, count, type, comm, stream), ALLTOALL, true, -1)                                 \
    row(ncclBroadcast, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE),                                   \
        (from, to, count, type, root, comm, stream), BROADCAST, false, -1)                         \
    row(ncclBcast, (void *buffer, size_t count, hs_nccl_type type, int root, HS_NCCL_WHERE),       \
        (buffer, count, type, root, comm, stream), BCAST, false, -1)                               \
    row(ncclReduce, (HS_NCCL_REDUCED, int root, HS_NCCL_WHERE),                                    \
        (from, to, count, type, operation, root, comm, stream), REDUCE, false, operation)          \
    row(ncclGather, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE),                                      \
        (from, to, count, type, root, comm, stream), GATHER, false, -1)                            \
    row(ncclScatter, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE),                                     \
        (from, to, count, type, root, comm, stream), SCATTER, false, -1)                           \
    row(ncclSend, (const void *from, size_t count, hs_nccl_type type, int peer, HS_NCCL_WHERE),    \
        (from, count, type, peer, comm, stream), SEND, false, -1)                                  \
    row(ncclRecv, (void *to, size_t count, hs_nccl_type type, int peer, HS_NCCL_WHERE),            \
        (to, count, type, peer, comm, stream), RECV, false, -1)
/* What RCCL has beside: ncclAlltoAll by the name that it had before NCCL's, an allreduce to whose
 * result `bias` is added, and an all-to-all that takes `received` [ranks] elements of each rank,
 * also by two names (nccl.h.in of RCCL 2.21.5 and 2.30.7). */
#define HS_NCCL_PASSED_RCCL(row)                                                                   \
    row(ncclAllToAll, (HS_NCCL_MOVED, HS_NCCL_WHERE),                                              \
        (from, to, count, type, comm, stream), ALLTOALL, true, -1)                                 \
    row(ncclAllReduceWithBias, (HS_NCCL_REDUCED, HS_NCCL_WHERE, const void *bias),                 \
        (from, to, count, type, operation, comm, stream, bias), ALLREDUCE_WITH_BIAS, false,        \
        operation)
#define HS_NCCL_VARIED                                                                             \
    const void *from, const size_t *sent, const size_t *sent_at, void *to,                         \
        const size_t *received, const size_t *received_at, hs_nccl_type type
#define HS_NCCL_VARYING(row)                                                                       \
    row(ncclAlltoAllv, (HS_NCCL_VARIED, HS_NCCL_WHERE),                                            \
        (from, sent, sent_at, to, received, received_at, type, comm, stream), ALLTOALLV, false,    \
        -1)                                                                                        \
    row(ncclAllToAllv, (HS_NCCL_VARIED, HS_NCCL_WHERE),                                            \
        (from, sent, sent_at, to, received, received_at, type, comm, stream), ALLTOALLV, false,    \
        -1)

#define HS_NCCL_HOW const hs_nccl_call_config *config
#define HS_NCCL_CONFIGURED(row)                                                                    \
    row(ncclAllReduceConfig, (HS_NCCL_REDUCED, HS_NCCL_WHERE, HS_NCCL_HOW),                        \
        (from, to, count, type, operation, comm, stream, config), ALLREDUCE, false, operation)     \
    row(ncclReduceScatterConfig, (HS_NCCL_REDUCED, HS_NCCL_WHERE, HS_NCCL_HOW),                    \
        (from, to, count, type, operation, comm, stream, config), REDUCE_SCATTER, true, operation) \
    row(ncclAllGatherConfig, (HS_NCCL_MOVED, HS_NCCL_WHERE, HS_NCCL_HOW),                          \
        (from, to, count, type, comm, stream, config), ALLGATHER, true, -1)                        \
    row(ncclAlltoAllConfig, (HS_NCCL_MOVED, HS_NCCL_WHERE, HS_NCCL_HOW),                           \
        (from, to, count, type, comm, stream, config), ALLTOALL, true, -1)                         \
    row(ncclBroadcastConfig, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE, HS_NCCL_HOW),                \
        (from, to, count, type, root, comm, stream, config), BROADCAST, false, -1)                 \
    row(ncclReduceConfig, (HS_NCCL_REDUCED, int root, HS_NCCL_WHERE, HS_NCCL_HOW),                 \
        (from, to, count, type, operation, root, comm, stream, config), REDUCE, false, operation)  \
    row(ncclGatherConfig, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE, HS_NCCL_HOW),                   \
        (from, to, count, type, root, comm, stream, config), GATHER, false, -1)                    \
    row(ncclScatterConfig, (HS_NCCL_MOVED, int root, HS_NCCL_WHERE, HS_NCCL_HOW),                  \
        (from, to, count, type, root, comm, stream, config), SCATTER, false, -1)

/* One-sided messages, which are not counted, but have their place among the calls of a group and of
 * a communicator. */
#define HS_NCCL_ONE_SIDED(row)                                                                     \
    row(ncclPutSignal,                                                                             \
        (const void *from, size_t count, hs_nccl_type type, int peer, hs_nccl_window window,       \
         size_t offset, int signal, int context, unsigned flags, HS_NCCL_WHERE),                   \
        (from, count, type, peer, window, offset, signal, context, flags, comm, stream))           \
    row(ncclSignal, (int peer, int signal, int context, unsigned flags, HS_NCCL_WHERE),            \
        (peer, signal, context, flags, comm, stream))                                              \
    row(ncclWaitSignal, (int count, hs_nccl_signal *signals, HS_NCCL_WHERE),                       \
        (count, signals, comm, stream))

/* What is done with a communicator's memory, and with that of its parts. */
#define HS_NCCL_SUSPENDERS(row)                                                                    \
    row(ncclCommSuspend, (hs_nccl_comm comm, int flags), (comm, flags))                            \
    row(ncclCommResume, (hs_nccl_comm comm), (comm))

/* What makes communicators. Further: where they are put, how many, what each is made of; whether
 * each process gets one, its configuration (NULL: none), and what it is a part of (NULL: none). */
#define HS_NCCL_MAKERS(row)                                                                        \
    row(ncclCommInitRank, (hs_nccl_comm *made, int ranks, hs_nccl_id id, int rank),                \
        (made, ranks, id, rank), made, 1, hs_nccl_of_ids(&id, 1), (true, NULL, NULL))              \
    row(ncclCommInitRankConfig,                                                                    \
        (hs_nccl_comm *made, int ranks, hs_nccl_id id, int rank, hs_nccl_config *config),          \
        (made, ranks, id, rank, config), made, 1, hs_nccl_of_ids(&id, 1), (true, config, NULL))    \
    row(ncclCommInitRankScalable,                                                                  \
        (hs_nccl_comm *made, int ranks, int rank, int id_count, hs_nccl_id *ids,                   \
         hs_nccl_config *config),                                                                  \
        (made, ranks, rank, id_count, ids, config), made, 1, hs_nccl_of_ids(ids, id_count),        \
        (true, config, NULL))                                                                      \
    row(ncclCommInitAll, (hs_nccl_comm *made, int devices, const int *list),                       \
        (made, devices, list), made, devices, hs_nccl_of_process(), (false, NULL, NULL))           \
    row(ncclCommSplit,                                                                             \
        (hs_nccl_comm comm, int color, int key, hs_nccl_comm *made, hs_nccl_config *config),      \
        (comm, color, key, made, config), made, 1, hs_nccl_of_split(comm, color),                \
        (true, config, comm))                                                                      \
    row(ncclCommShrink,                                                                            \
        (hs_nccl_comm comm, int *without, int without_count, hs_nccl_comm *made,                   \
         hs_nccl_config *config, int flags),                                                       \
        (comm, without, without_count, made, config, flags), made, 1,                              \
        (hs_nccl_plans_shrink(comm, flags), hs_nccl_of_shrink(comm)), (false, NULL, NULL))         \
    row(ncclCommGrow,                                                                              \
        (hs_nccl_comm comm, int ranks, const hs_nccl_id *id, int rank, hs_nccl_comm *made,         \
         hs_nccl_config *config),                                                                  \
        (comm, ranks, id, rank, made, config), made, 1, hs_nccl_of_process(),                      \
        (false, NULL, NULL))

/* What is done with them as they are. Further: in which way (nccl_plans.h). Where one ends, the
 * same address may be another one's afterwards. */
#define HS_NCCL_ENDERS(row)                                                                        \
    row(ncclCommDestroy, (hs_nccl_comm comm), (comm), DESTROY)                                     \
    row(ncclCommAbort, (hs_nccl_comm comm), (comm), ABORT)                                         \
    row(ncclCommFinalize, (hs_nccl_comm comm), (comm), FINALIZE)                                   \
    row(ncclCommRevoke, (hs_nccl_comm comm, int flags), (comm, flags), REVOKE)                     \
    row(ncclCommGetAsyncError, (hs_nccl_comm comm, hs_nccl_result *state), (comm, state), ASK)

/* Groups. Further: which (nccl_plans.h). */
#define HS_NCCL_GROUPS(row)                                                                        \
    row(ncclGroupStart, (void), (), START)                                                         \
    row(ncclGroupEnd, (void), (), END)                                                             \
    row(ncclGroupSimulateEnd, (hs_nccl_simulation *said), (said), SIMULATE)

/* Windows of memory: a call in one is faster by the library than by any plan. Further: how many
 * more there are. */
#define HS_NCCL_WINDOWS(row)                                                                       \
    row(ncclCommWindowRegister,                                                                    \
        (hs_nccl_comm comm, void *memory, size_t bytes, hs_nccl_window *made, int flags),          \
        (comm, memory, bytes, made, flags), 1)                                                     \
    row(ncclCommWindowDeregister, (hs_nccl_comm comm, hs_nccl_window window), (comm, window),      \
        window ? -1 : 0)

/* ---- what is called beside: of the same library, nothing that it has not been asked for ---- */
#define HS_NCCL_ASKED(row)                                                                         \
    row(ncclGetVersion, (int *version))                                                            \
    row(ncclCommCount, (hs_nccl_comm comm, int *count))                                            \
    row(ncclCommUserRank, (hs_nccl_comm comm, int *rank))                                          \
    row(ncclCommCuDevice, (hs_nccl_comm comm, int *device))

/* What plans are carried out with (nccl_families.h). */
#define HS_NCCL_USED(row)                                                                          \
    row(ncclGetVersion, (int *version))                                                            \
    row(ncclCommCount, (hs_nccl_comm comm, int *count))                                            \
    row(ncclCommUserRank, (hs_nccl_comm comm, int *rank))                                          \
    row(ncclCommSplit, (hs_nccl_comm comm, int color, int key, hs_nccl_comm *made,                \
                        hs_nccl_config *config))                                                   \
    row(ncclCommDestroy, (hs_nccl_comm comm))                                                      \
    row(ncclCommAbort, (hs_nccl_comm comm))                                                        \
    row(ncclCommFinalize, (hs_nccl_comm comm))                                                     \
    row(ncclCommGetAsyncError, (hs_nccl_comm comm, hs_nccl_result *state))                         \
    row(ncclGroupStart, (void))                                                                    \
    row(ncclGroupEnd, (void))                                                                      \
    row(ncclReduceScatter, (HS_NCCL_REDUCED, HS_NCCL_WHERE))                                       \
    row(ncclAllGather, (HS_NCCL_MOVED, HS_NCCL_WHERE))                                             \
    row(ncclAllReduce, (HS_NCCL_REDUCED, HS_NCCL_WHERE))                                           \
    row(ncclRedOpCreatePreMulSum, (hs_nccl_operation *made, void *scalar, hs_nccl_type type,       \
                                   hs_nccl_residence residence, hs_nccl_comm comm))
/* clang-format on */

#endif
