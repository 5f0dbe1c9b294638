/*
 * memory.h - where messages lie, and what works on them there: host memory, or a GPU's.
 *
 * One table per kind. Work on data is put on a queue and done in its order; on the host it is done
 * when the call returns, a GPU does it later. A mark is put behind work and passed when that work
 * is done. What fails on a queue is remembered, the rest is then left undone and every mark is
 * passed: who drives a queue asks `failure` now and then. All functions are local.
 */
#ifndef HS_ENGINE_MEMORY_H
#define HS_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/reduce.h"

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
    void (*queue_free)(struct hs_queue *queue); /* NULL is accepted */
    /* Put on a queue. Arrays are memory of this kind or staging memory. */
    void (*copy)(struct hs_queue *queue, void *to, const void *from, size_t bytes);
    /* As hs_reduce and hs_reduce_finish. */
    void (*reduce)(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   struct hs_reduction reduction);
    void (*finish)(struct hs_queue *queue, void *data, size_t count, struct hs_reduction reduction);
    void (*set)(struct hs_queue *queue, void *data, int value, size_t bytes); /* every byte */
    void (*mark)(struct hs_queue *queue, int mark);
    bool (*passed)(struct hs_queue *queue, int mark);
    void (*wait)(struct hs_queue *queue); /* until all that was put on it is done */
    /* The first thing that went wrong on it. */
    enum hs_status (*failure)(const struct hs_queue *queue, struct hs_error *err);
    /* The cudaStream_t behind it; NULL for host memory. */
    void *(*stream)(const struct hs_queue *queue);

    /* What it is, for people and the result; "" for host memory. */
    void (*describe)(char *text, size_t bytes);
    void (*identify)(struct hs_device_facts *facts); /* NULL for host memory */
};

extern const struct hs_memory hs_memory_host;
/* Only where built with CUDA (HS_HAVE_NCCL). The current device's; `direct` needs an MPI library
 * that takes GPU pointers (cuda_aware.h), `staged` goes through pinned host memory, and the last
 * is what NCCL likes best (ncclMemAlloc, where the library has it). */
extern const struct hs_memory hs_memory_gpu_direct, hs_memory_gpu_staged, hs_memory_nccl;

#endif
