/* host_memory.c - host memory: see memory.h. Work is done at once, so there are no queues. */
#include <stdlib.h>
#include <string.h>

#include "runner/memory.h"
#include "runner/pages.h"
#include "runner/reduce.h"

static void release(void *memory)
{
    free(memory);
}

static enum hs_status queue_new(struct hs_queue **out, int marks, struct hs_error *err)
{
    (void)marks, (void)err;
    *out = NULL;
    return HS_OK;
}

static void nothing(struct hs_queue *queue)
{
    (void)queue;
}

static void copy(struct hs_queue *queue, void *to, const void *from, size_t bytes)
{
    (void)queue;
    memcpy(to, from, bytes);
}

static void reduce(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   enum hs_datatype datatype, enum hs_operation operation, int64_t average_over)
{
    (void)queue;
    if (average_over > 0)
        hs_reduce_last(dst, a, b, count, datatype, operation, average_over);
    else
        hs_reduce(dst, a, b, count, datatype, operation);
}

static void finish(struct hs_queue *queue, void *data, size_t count, enum hs_datatype datatype,
                   enum hs_operation operation, int64_t np)
{
    (void)queue;
    hs_reduce_finish(data, count, datatype, operation, np);
}

static void mark(struct hs_queue *queue, int number)
{
    (void)queue, (void)number;
}

static bool passed(struct hs_queue *queue, int number)
{
    (void)queue, (void)number;
    return true;
}

static void fill(struct hs_queue *queue, void *data, const struct hs_pattern *pattern, int64_t rank,
                 size_t count)
{
    (void)queue;
    hs_pattern_fill(data, pattern, rank, 0, count);
}

static uint64_t wrong(struct hs_queue *queue, const void *data, const struct hs_pattern *pattern,
                      size_t count)
{
    (void)queue;
    return hs_pattern_wrong(data, pattern, 0, count);
}

static void set(struct hs_queue *queue, void *data, int value, size_t bytes)
{
    (void)queue;
    memset(data, value, bytes);
}

static void describe(char *text, size_t bytes)
{
    if (bytes > 0)
        text[0] = '\0';
}

const struct hs_memory hs_memory_host = {
    .name = "host memory",
    .direct = true,
    .allocate = hs_pages_alloc,
    .release = release,
    .allocate_staging = hs_pages_alloc,
    .release_staging = release,
    .queue_new = queue_new,
    .queue_free = nothing,
    .copy = copy,
    .reduce = reduce,
    .finish = finish,
    .mark = mark,
    .passed = passed,
    .wait = nothing,
    .fill = fill,
    .wrong = wrong,
    .set = set,
    .describe = describe,
};
