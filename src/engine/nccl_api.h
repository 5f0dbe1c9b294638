/*
 * nccl_api.h - NCCL, loaded when the program runs: one table of functions.
 *
 * Loaded and not linked, so that a program that was built with NCCL starts on a login node without
 * it, and so that the NCCL of a container or of a Python wheel can be measured without building
 * again. $HIERSEARCH_NCCL names the library (a path); without it libnccl.so.2 is looked for as the
 * dynamic linker does, then where it lay when the program was built.
 */
#ifndef HS_ENGINE_NCCL_API_H
#define HS_ENGINE_NCCL_API_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdbool.h>

#include "base/error.h"

/* What headers before 2.27 do not declare; the library that is loaded may have it. */
#if NCCL_VERSION_CODE < 22700
typedef struct hs_nccl_window *ncclWindow_t;
#define NCCL_WIN_COLL_SYMMETRIC 0x01
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes,
                                    ncclWindow_t *window, int flags);
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window);
#endif

/* ncclX for each row. Those needed have been there since 2.14. */
/* clang-format off */
#define HS_NCCL_NEEDED(row) \
    row(GetVersion)         \
    row(GetUniqueId)        \
    row(GetErrorString)     \
    row(GetLastError)       \
    row(CommInitRankConfig) \
    row(CommGetAsyncError)  \
    row(CommAbort)          \
    row(CommFinalize)       \
    row(CommDestroy)        \
    row(GroupStart)         \
    row(GroupEnd)           \
    row(ReduceScatter)      \
    row(AllReduce)          \
    row(AllGather)          \
    row(Send)               \
    row(Recv)               \
    row(RedOpCreatePreMulSum)
/* clang-format on */
/* NULL where the library is older: CommSplit since 2.18, windows since 2.27, the others since 2.19.
 */
/* clang-format off */
#define HS_NCCL_OPTIONAL(row) \
    row(CommSplit)            \
    row(MemAlloc)             \
    row(MemFree)              \
    row(CommRegister)         \
    row(CommDeregister)       \
    row(CommWindowRegister)   \
    row(CommWindowDeregister)
/* clang-format on */

struct hs_nccl_api {
    void *library;
    int version;                                   /* as NCCL_VERSION makes it: 22809 */
#define HS_ROW(name) __typeof__(&nccl##name) name; /* NOLINT(bugprone-macro-parentheses) */
    HS_NCCL_NEEDED(HS_ROW)
    HS_NCCL_OPTIONAL(HS_ROW)
#undef HS_ROW
};

/* The table, loaded at the first call and kept; the same for all callers. HS_FAILED says which
 * library or function is missing, with the dynamic linker's reason. */
enum hs_status hs_nccl_api_get(const struct hs_nccl_api **api, struct hs_error *err);

/* Whether this NCCL has symmetric windows. */
bool hs_nccl_api_windows(const struct hs_nccl_api *api);

/* ncclSuccess and ncclInProgress. */
static inline bool hs_nccl_went_well(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

/* HS_OK for ncclSuccess and ncclInProgress; else HS_FAILED with the call's name, NCCL's text for
 * the code and its last message. */
enum hs_status hs_nccl_status(const struct hs_nccl_api *api, ncclResult_t result, const char *call,
                              struct hs_error *err);
/* HS_OK for cudaSuccess; else HS_FAILED (HS_MEMORY for cudaErrorMemoryAllocation) with the call's
 * name and CUDA's text. */
enum hs_status hs_cuda_status(cudaError_t code, const char *call, struct hs_error *err);

#endif
