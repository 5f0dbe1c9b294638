/*
 * gpu_probe.h - what one GPU and its host cost, as `make gpu-probe` measures it (docs/gpu.md), and
 * what of that the model takes.
 *
 * A channel of NCCL's is a block of its kernel. What a call moves inside is at most what its
 * channels' blocks can add, and calls that are at work at the same time share the processors:
 *
 *     GBps     the most that a block adds per second: bytes / (count seconds) of HS_PROBE_ADD
 *     at_once  the GPU's processors; fewer where waiting blocks take more of it than one each:
 *              count / (1 - seconds alone / seconds beside them) of HS_PROBE_BESIDE, of the most
 *              that were tried
 */
#ifndef HS_ESTIMATE_GPU_PROBE_H
#define HS_ESTIMATE_GPU_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fields.h"
#include "system/system.h"

#define HS_PROBE_FORMAT "hiersearch.gpu-probe/1"
/* Names of figures that the model takes; the others are for people. */
#define HS_PROBE_ADD    "sum of two arrays by `count` blocks, float32"
#define HS_PROBE_BESIDE "copy on the device beside `count` waiting blocks"

/* What `bytes` and `count` mean the name says; 0: nothing. */
struct hs_gpu_figure {
    char *name; /* owned */
    int64_t bytes, count;
    double seconds; /* median */
};
struct hs_gpu_probe {
    char *gpu, *driver; /* owned; "NVIDIA H200", "CUDA 13.0" */
    int64_t processors;
    struct hs_gpu_figure *figures; /* [count] owned */
    size_t count;
};

/* The file as a table (base/fields.h). */
extern const struct hs_fields hs_gpu_probe_fields;

/* Whether a text is meant as one, by its first letters. */
bool hs_gpu_probe_is(const char *text);
/* Reads it; `name` is what messages call it. *probe is {0} before the first; HS_INVALID: a second.
 * HS_MEMORY. */
enum hs_status hs_gpu_probe_parse(struct hs_gpu_probe *probe, const char *name, const char *text,
                                  size_t length, struct hs_error *err);
/* Gives the system, which names its parts, what its GPUs' blocks get. HS_INVALID: it names none, or
 * there is no such figure; HS_MEMORY. */
enum hs_status hs_gpu_probe_use(struct hs_system *system, const struct hs_gpu_probe *probe,
                                struct hs_error *err);

#endif
