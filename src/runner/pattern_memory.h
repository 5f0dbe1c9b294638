/*
 * pattern_memory.h - pattern.h where the messages lie: in host memory or a GPU's. Local; done at
 * return. HS_FAILED, HS_MEMORY of CUDA.
 */
#ifndef HS_RUNNER_PATTERN_MEMORY_H
#define HS_RUNNER_PATTERN_MEMORY_H

#include "engine/memory.h"
#include "runner/pattern.h"

/* Elements of `memory`, worked on through a queue of it. */
struct hs_elements {
    const struct hs_memory *memory;
    struct hs_queue *queue;
    void *data;
    size_t first, count; /* the first's number in the message; how many */
};

/* Writes those of that rank. */
enum hs_status hs_pattern_put(const struct hs_elements *elements, const struct hs_pattern *pattern,
                              int64_t rank, struct hs_error *err);
/* Counts those that are not that rank's, or (HS_PATTERN_REDUCED) not the reduction over all ranks.
 */
enum hs_status hs_pattern_check(uint64_t *wrong, const struct hs_elements *elements,
                                const struct hs_pattern *pattern, int64_t rank,
                                struct hs_error *err);

#endif
