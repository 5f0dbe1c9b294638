/*
 * nccl_driver.h - what libhiersearch-nccl.so asks of the driver of the GPUs that a communicator is
 * on, and the memory of a GPU that it takes: CUDA's driver (libcuda.so.1) where that is NCCL's, the
 * HIP runtime (libamdhip64.so) where it is RCCL's. The program has loaded it.
 *
 * The types are numbers and pointers, so that neither is needed to build it. Where cuda.h or
 * hip_runtime_api.h was included before they are its own, and tests/apply/nccl_driver_abi.c
 * compares each prototype and number with that header's.
 */
#ifndef HS_APPLY_NCCL_DRIVER_H
#define HS_APPLY_NCCL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/nccl_abi.h"
#include "apply/nccl_real.h"

#if defined(CUDA_VERSION)
typedef CUresult hs_driver_result;
typedef CUevent hs_driver_event;
typedef CUdeviceptr hs_driver_memory;
typedef CUstreamCaptureStatus hs_driver_captures;
typedef CUstreamCaptureMode hs_driver_mode;
typedef int hs_driver_kind;
typedef CUDA_MEMCPY2D hs_driver_rows;
#elif defined(HIP_VERSION)
typedef hipError_t hs_driver_result;
typedef hipEvent_t hs_driver_event;
typedef void *hs_driver_memory;
typedef hipStreamCaptureStatus hs_driver_captures;
typedef hipStreamCaptureMode hs_driver_mode;
typedef hipMemcpyKind hs_driver_kind;
#else
typedef int hs_driver_result, hs_driver_captures, hs_driver_mode, hs_driver_kind;
typedef void *hs_driver_event;
typedef uintptr_t hs_driver_memory;
#endif

/* CUDA_MEMCPY2D: rows of so many bytes, and how they lie on either side. */
struct hs_nccl_side {
    size_t x, y;
    int kind;
    void *host;
    uintptr_t memory;
    void *array;
    size_t pitch; /* from one row to the next */
};
struct hs_nccl_rows {
    struct hs_nccl_side from, to;
    size_t bytes, count;
};
#if !defined(CUDA_VERSION)
typedef struct hs_nccl_rows hs_driver_rows;
#endif

/* A function is a row. Name in CUDA's driver, name in HIP, name here, parameters; each returns 0
 * where it worked. HIP's are those of 5.0 and later (hip_runtime_api.h; hip_hcc.map.in of ROCm's
 * clr says since when each has been there). */
/* clang-format off */
#define HS_NCCL_DRIVER(row)                                                                        \
    row(cuEventCreate, hipEventCreateWithFlags, event_create,                                      \
        (hs_driver_event *event, unsigned flags))                                                  \
    row(cuEventQuery, hipEventQuery, event_query, (hs_driver_event event))                         \
    row(cuEventRecord, hipEventRecord, event_record,                                               \
        (hs_driver_event event, hs_nccl_stream stream))                                            \
    row(cuEventDestroy_v2, hipEventDestroy, event_destroy, (hs_driver_event event))                \
    row(cuEventElapsedTime, hipEventElapsedTime, event_elapsed,                                    \
        (float *milliseconds, hs_driver_event from, hs_driver_event to))                           \
    row(cuStreamCreate, hipStreamCreateWithFlags, stream_create,                                   \
        (hs_nccl_stream *stream, unsigned flags))                                                  \
    row(cuStreamDestroy_v2, hipStreamDestroy, stream_destroy, (hs_nccl_stream stream))             \
    row(cuMemGetInfo_v2, hipMemGetInfo, memory_info, (size_t *left, size_t *all))                  \
    row(cuStreamWaitEvent, hipStreamWaitEvent, stream_wait,                                        \
        (hs_nccl_stream stream, hs_driver_event event, unsigned flags))                            \
    row(cuStreamIsCapturing, hipStreamIsCapturing, stream_captures,                                \
        (hs_nccl_stream stream, hs_driver_captures *status))                                       \
    row(cuThreadExchangeStreamCaptureMode, hipThreadExchangeStreamCaptureMode, exchange_mode,      \
        (hs_driver_mode *mode))                                                                    \
    row(cuMemAlloc_v2, hipMalloc, memory_allocate, (hs_driver_memory *memory, size_t bytes))       \
    row(cuMemFree_v2, hipFree, memory_free, (hs_driver_memory memory))                             \
    row(cuMemHostAlloc, hipHostMalloc, host_allocate,                                              \
        (void **memory, size_t bytes, unsigned flags))                                             \
    row(cuMemFreeHost, hipHostFree, host_free, (void *memory))
/* Where parameters differ each has a row of its own, without the other's name, and NULL stands in
 * the other's table: called by a function here. */
#define HS_NCCL_DRIVER_CUDA(row)                                                                   \
    row(cuMemcpyAsync, memory_copy,                                                                \
        (hs_driver_memory to, hs_driver_memory from, size_t bytes, hs_nccl_stream stream))         \
    row(cuMemcpy2DAsync_v2, memory_copy_rows, (const hs_driver_rows *rows, hs_nccl_stream stream))
#define HS_NCCL_DRIVER_HIP(row)                                                                    \
    row(hipMemcpyAsync, memory_copy_of_kind,                                                       \
        (void *to, const void *from, size_t bytes, hs_driver_kind kind, hs_nccl_stream stream))    \
    row(hipMemcpy2DAsync, memory_copy_rows_of_kind,                                                \
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,             \
         size_t count, hs_driver_kind kind, hs_nccl_stream stream))                                \
    row(hipPeekAtLastError, peek_error, (void))                                                    \
    row(hipGetLastError, take_error, (void))
/* clang-format on */

/* CU_STREAM_CAPTURE_MODE_RELAXED, CU_EVENT_DISABLE_TIMING; hipStreamCaptureModeRelaxed,
 * hipEventDisableTiming: the same numbers, as those of streams that wait for no other. By where the
 * pointers point to: hipMemcpyDefault, CU_MEMORYTYPE_UNIFIED. */
enum { HS_DRIVER_RELAXED = 2, HS_DRIVER_NO_TIME = 2, HS_DRIVER_NON_BLOCKING = 1 };
enum { HS_DRIVER_COPY_BY_POINTERS = 4, HS_DRIVER_ANY_MEMORY = 4 };

struct hs_nccl_driver {
/* Parameters come in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define HS_ROW(cuda, hip, field, parameters)   hs_driver_result(*field) parameters;
#define HS_ROW_OF_ONE(name, field, parameters) hs_driver_result(*field) parameters;
    HS_NCCL_DRIVER(HS_ROW)
    HS_NCCL_DRIVER_CUDA(HS_ROW_OF_ONE)
    HS_NCCL_DRIVER_HIP(HS_ROW_OF_ONE)
#undef HS_ROW
#undef HS_ROW_OF_ONE
    /* NOLINTEND(bugprone-macro-parentheses) */
};

/* That of the library that has this function of NCCL's. NULL: it is not loaded, or has not all of
 * these; *lacks, static text, says what is missing. Lives as long as the process. */
const struct hs_nccl_driver *hs_nccl_driver_of(hs_nccl_function *function, const char **lacks);
/* Whether the library that has this function is for AMD's GPUs: RCCL. */
bool hs_nccl_is_amd(hs_nccl_function *function);

/* Whether it is HIP's. */
bool hs_nccl_driver_is_hip(const struct hs_nccl_driver *driver);

/* ---- with that driver, which may be NULL: then there is nothing, or nothing happens ---- */

/* Whether a stream is being captured; without a driver it counts as such. */
bool hs_nccl_captures(const struct hs_nccl_driver *driver, hs_nccl_stream stream);

/* Memory of this thread's GPU, whatever other threads capture; NULL: there is none left. Freeing
 * waits for the GPU, as NCCL does where it frees a communicator's. */
void *hs_nccl_memory_new(const struct hs_nccl_driver *driver, size_t bytes);
void hs_nccl_memory_free(const struct hs_nccl_driver *driver, void *memory);
/* The same of the host's, which the GPU reaches. */
void *hs_nccl_host_new(const struct hs_nccl_driver *driver, size_t bytes);
void hs_nccl_host_free(const struct hs_nccl_driver *driver, void *memory);
/* On the stream, between the memory of a GPU and any that it reaches. False: it cannot be. */
bool hs_nccl_copy(const struct hs_nccl_driver *driver, void *to, const void *from, size_t bytes,
                  hs_nccl_stream stream);
/* The same of rows. */
struct hs_nccl_spacing {
    size_t to, from;     /* bytes from one row to the next */
    size_t bytes, count; /* of a row, and rows */
};
bool hs_nccl_copy_rows(const struct hs_nccl_driver *driver, void *to, const void *from,
                       struct hs_nccl_spacing of, hs_nccl_stream stream);
/* Bytes of the GPU's memory that nobody has; 0: not known. */
size_t hs_nccl_memory_left(const struct hs_nccl_driver *driver);
/* One that waits for no other. NULL: there is none, which means another one. NULL is accepted. */
hs_nccl_stream hs_nccl_stream_new(const struct hs_nccl_driver *driver);
void hs_nccl_stream_free(const struct hs_nccl_driver *driver, hs_nccl_stream stream);
/* Of this thread's GPU; timed: for time, else for order alone. NULL: there is none. */
void *hs_nccl_event_new(const struct hs_nccl_driver *driver, bool timed);
/* NULL is accepted. */
void hs_nccl_event_free(const struct hs_nccl_driver *driver, void *event);
/* Between two looks at an event. */
#define HS_NCCL_WAIT_MICROSECONDS 50
/* Whether the GPU has come to it, and how long it took from one to another, false where it does not
 * say: whatever other threads capture. */
bool hs_nccl_event_passed(const struct hs_nccl_driver *driver, void *event);
bool hs_nccl_event_seconds(const struct hs_nccl_driver *driver, double *seconds, void *from,
                           void *to);

#endif
