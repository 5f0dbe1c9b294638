/* host_memory.c - host memory: see memory.h. Work is done at once, so there are no queues. */
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/pages.h"

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
                   struct hs_reduction reduction)
{
    (void)queue;
    hs_reduce(dst, a, b, count, reduction);
}

static void finish(struct hs_queue *queue, void *data, size_t count, struct hs_reduction reduction)
{
    (void)queue;
    hs_reduce_finish(data, count, reduction);
}

static void set(struct hs_queue *queue, void *data, int value, size_t bytes)
{
    (void)queue;
    memset(data, value, bytes);
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

static enum hs_status failure(const struct hs_queue *queue, struct hs_error *err)
{
    (void)queue, (void)err;
    return HS_OK;
}

static void *stream(const struct hs_queue *queue)
{
    (void)queue;
    return NULL;
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
    .set = set,
    .mark = mark,
    .passed = passed,
    .wait = nothing,
    .failure = failure,
    .stream = stream,
    .describe = describe,
};
