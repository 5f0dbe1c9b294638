/*
 * nccl_driver.h - what libhiersearch-nccl.so asks of CUDA's driver, which the program's CUDA has
 * loaded, and the memory of a GPU that it takes.
 */
#ifndef HS_APPLY_NCCL_DRIVER_H
#define HS_APPLY_NCCL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/nccl_abi.h"

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

/* Name in libcuda, name here, parameters; each returns CUresult, 0 where it worked. */
/* clang-format off */
#define HS_NCCL_DRIVER(row)                                                                        \
    row(cuEventCreate, event_create, (void **event, unsigned flags))                               \
    row(cuEventQuery, event_query, (void *event))                                                  \
    row(cuEventRecord, event_record, (void *event, hs_nccl_stream stream))                         \
    row(cuEventElapsedTime, event_elapsed, (float *milliseconds, void *from, void *to))            \
    row(cuEventDestroy_v2, event_destroy, (void *event))                                           \
    row(cuStreamWaitEvent, stream_wait, (hs_nccl_stream stream, void *event, unsigned flags))      \
    row(cuStreamCreate, stream_create, (hs_nccl_stream *stream, unsigned flags))                   \
    row(cuStreamDestroy_v2, stream_destroy, (hs_nccl_stream stream))                               \
    row(cuStreamIsCapturing, stream_captures, (hs_nccl_stream stream, int *status))                \
    row(cuThreadExchangeStreamCaptureMode, exchange_mode, (int *mode))                             \
    row(cuMemAlloc_v2, memory_allocate, (uintptr_t *memory, size_t bytes))                         \
    row(cuMemGetInfo_v2, memory_info, (size_t *left, size_t *all))                                 \
    row(cuMemFree_v2, memory_free, (uintptr_t memory))                                             \
    row(cuMemHostAlloc, host_allocate, (void **memory, size_t bytes, unsigned flags))              \
    row(cuMemFreeHost, host_free, (void *memory))                                                  \
    row(cuMemcpyAsync, memory_copy,                                                                \
        (uintptr_t to, uintptr_t from, size_t bytes, hs_nccl_stream stream))                       \
    row(cuMemcpy2DAsync_v2, memory_copy_rows,                                                      \
        (const struct hs_nccl_rows *rows, hs_nccl_stream stream))
/* clang-format on */

struct hs_nccl_driver {
/* Parameters come in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define HS_ROW(name, field, parameters) int(*field) parameters;
    HS_NCCL_DRIVER(HS_ROW)
#undef HS_ROW
    /* NOLINTEND(bugprone-macro-parentheses) */
};

/* NULL: no driver is loaded, or it has not all of these. */
const struct hs_nccl_driver *hs_nccl_driver(void);

/* Whether a stream is being captured; what cannot be asked counts as such. */
bool hs_nccl_captures(hs_nccl_stream stream);

/* Memory of this thread's GPU, whatever other threads capture; NULL: there is none left. Freeing
 * waits for the GPU, as NCCL does where it frees a communicator's. */
void *hs_nccl_memory_new(size_t bytes);
void hs_nccl_memory_free(void *memory);
/* Copies `count` rows of so many bytes that lie so many apart, on the stream; false: it failed. */
struct hs_nccl_pitches {
    size_t to, from;
};
bool hs_nccl_memory_copy_rows(void *to, const void *from, struct hs_nccl_pitches pitches,
                              size_t bytes, size_t count, hs_nccl_stream stream);
/* Bytes of it that nobody has; 0: not known. */
size_t hs_nccl_memory_left(void);
/* The same of the host's, which the GPU reaches. */
void *hs_nccl_host_new(size_t bytes);
void hs_nccl_host_free(void *memory);
/* One that waits for no other. NULL: there is none, which means another one. NULL is accepted. */
hs_nccl_stream hs_nccl_stream_new(void);
void hs_nccl_stream_free(hs_nccl_stream stream);
/* Of this thread's GPU; timed: for time, else for order alone. NULL: there is none. */
void *hs_nccl_event_new(bool timed);
/* NULL is accepted. */
void hs_nccl_event_free(void *event);
/* Whether the GPU has come to it, and how long it took from one to another, false where it does not
 * say: whatever other threads capture. */
bool hs_nccl_event_passed(void *event);
bool hs_nccl_event_seconds(double *seconds, void *from, void *to);

#endif
