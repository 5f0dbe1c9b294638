/*
 * memory.h - where the messages of `host` and `mpi` lie, and what works on them there: host memory,
 * or a GPU's.
 *
 * One table per kind. Work on data is put on a queue and done in its order; on the host it is done
 * when the call returns, a GPU does it later. A mark is put behind work and passed when that work
 * is done. Whatever fails once a queue is there ends the job, as a failed MPI call does (check.h).
 * All functions are local.
 */
#ifndef HS_RUNNER_MEMORY_H
#define HS_RUNNER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/datatype.h"
#include "runner/pattern.h"

struct hs_queue; /* NULL for host memory */

/* What times depend on beside the plan, on one rank; "": has none, or does not know. */
struct hs_device_facts {
    char gpu[128];   /* "NVIDIA H100 80GB HBM3" */
    char driver[32]; /* the CUDA version that it speaks: "CUDA 13.0" */
    char nccl[32];   /* "2.28.9" */
};

struct hs_memory {
    const char *name; /* "GPU memory, through pinned host memory" */
    /* MPI may be handed pointers to it. Where not, messages go through staging memory. */
    bool direct;
    /* At least `bytes` bytes, zeroed; *out is NULL for 0 bytes. HS_MEMORY names `purpose`. */
    enum hs_status (*allocate)(void **out, size_t bytes, const char *purpose, struct hs_error *err);
    void (*release)(void *memory); /* NULL is accepted */
    /* Host memory that queues can read and write too. */
    enum hs_status (*allocate_staging)(void **out, size_t bytes, const char *purpose,
                                       struct hs_error *err);
    void (*release_staging)(void *memory);

    /* With marks 0 .. marks - 1, all passed. */
    enum hs_status (*queue_new)(struct hs_queue **out, int marks, struct hs_error *err);
    void (*queue_free)(struct hs_queue *queue);
    /* Put on a queue. Arrays are memory of this kind or staging memory. */
    void (*copy)(struct hs_queue *queue, void *to, const void *from, size_t bytes);
    /* As hs_reduce; where average_over is above 0 as hs_reduce_last over so many processes. */
    void (*reduce)(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   enum hs_datatype datatype, enum hs_operation operation, int64_t average_over);
    /* As hs_reduce_finish. */
    void (*finish)(struct hs_queue *queue, void *data, size_t count, enum hs_datatype datatype,
                   enum hs_operation operation, int64_t np);
    void (*mark)(struct hs_queue *queue, int mark);
    bool (*passed)(struct hs_queue *queue, int mark);
    void (*wait)(struct hs_queue *queue); /* until all that was put on it is done */

    /* Done at return. As hs_pattern_fill and hs_pattern_wrong from element 0; every byte = value.
     */
    void (*fill)(struct hs_queue *queue, void *data, const struct hs_pattern *pattern, int64_t rank,
                 size_t count);
    uint64_t (*wrong)(struct hs_queue *queue, const void *data, const struct hs_pattern *pattern,
                      size_t count);
    void (*set)(struct hs_queue *queue, void *data, int value, size_t bytes);
    /* What it is, for people and the result; "" for host memory. */
    void (*describe)(char *text, size_t bytes);
    void (*identify)(struct hs_device_facts *facts); /* NULL for host memory */
};

extern const struct hs_memory hs_memory_host;
/* Only where built with CUDA (HS_HAVE_NCCL). The current device's; `direct` needs an MPI library
 * that takes GPU pointers (cuda_aware.h), `staged` goes through pinned host memory. */
extern const struct hs_memory hs_memory_gpu_direct, hs_memory_gpu_staged;

#endif
