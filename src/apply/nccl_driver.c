/* nccl_driver.c - see nccl_driver.h. */
#include "apply/nccl_driver.h"

#include <pthread.h>
#include <string.h>

#include "apply/loaded.h"

/* The values of cuda.h. */
#define CAPTURE_MODE_RELAXED 2
#define EVENT_DISABLE_TIMING 2
#define STREAM_NON_BLOCKING  1
#define MEMORY_OF_ANY_KIND   4
/* Bytes from one row to the next, at most, on any GPU. */
#define PITCH_MAX ((size_t)INT32_MAX)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool find(struct hs_nccl_driver *driver)
{
#define HS_ROW(name, field, parameters)                                                            \
    {                                                                                              \
        void *found = hs_loaded_cuda(#name);                                                       \
                                                                                                   \
        memcpy(&driver->field, &found, sizeof(found));                                             \
        if (!found)                                                                                \
            return false;                                                                          \
    }
    HS_NCCL_DRIVER(HS_ROW)
#undef HS_ROW
    return true;
}

/* The program may load it after its first call here. */
const struct hs_nccl_driver *hs_nccl_driver(void)
{
    static struct hs_nccl_driver driver;
    static bool known;
    bool found;

    pthread_mutex_lock(&lock);
    found = known = known || find(&driver);
    pthread_mutex_unlock(&lock);
    return found ? &driver : NULL;
}

bool hs_nccl_captures(hs_nccl_stream stream)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int status = 0;

    return !driver || (driver->stream_captures(stream, &status) == 0 && status != 0);
}

void *hs_nccl_memory_new(size_t bytes)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;
    uintptr_t memory = 0;

    if (!driver || driver->exchange_mode(&mode) != 0)
        return NULL;
    if (driver->memory_allocate(&memory, bytes) != 0)
        memory = 0;
    driver->exchange_mode(&mode);
    return (void *)memory; /* NOLINT(performance-no-int-to-ptr): CUdeviceptr is a number */
}

void hs_nccl_memory_free(void *memory)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;

    if (!memory || driver->exchange_mode(&mode) != 0)
        return;
    driver->memory_free((uintptr_t)memory);
    driver->exchange_mode(&mode);
}

bool hs_nccl_memory_copy_rows(void *to, const void *from, struct hs_nccl_pitches pitches,
                              size_t bytes, size_t count, hs_nccl_stream stream)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    const struct hs_nccl_rows rows = {
        .from = {.kind = MEMORY_OF_ANY_KIND, .memory = (uintptr_t)from, .pitch = pitches.from},
        .to = {.kind = MEMORY_OF_ANY_KIND, .memory = (uintptr_t)to, .pitch = pitches.to},
        .bytes = bytes,
        .count = count};

    if (pitches.to <= PITCH_MAX && pitches.from <= PITCH_MAX)
        return driver->memory_copy_rows(&rows, stream) == 0;
    for (size_t i = 0; i < count; i++)
        if (driver->memory_copy(rows.to.memory + i * pitches.to,
                                rows.from.memory + i * pitches.from, bytes, stream) != 0)
            return false;
    return true;
}

size_t hs_nccl_memory_left(void)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    size_t left = 0, all = 0;

    return driver && driver->memory_info(&left, &all) == 0 ? left : 0;
}

void *hs_nccl_host_new(size_t bytes)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;
    void *memory = NULL;

    if (!driver || driver->exchange_mode(&mode) != 0)
        return NULL;
    if (driver->host_allocate(&memory, bytes, 0) != 0)
        memory = NULL;
    driver->exchange_mode(&mode);
    return memory;
}

void hs_nccl_host_free(void *memory)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;

    if (!memory || driver->exchange_mode(&mode) != 0)
        return;
    driver->host_free(memory);
    driver->exchange_mode(&mode);
}

hs_nccl_stream hs_nccl_stream_new(void)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    hs_nccl_stream stream = NULL;

    return driver && driver->stream_create(&stream, STREAM_NON_BLOCKING) == 0 ? stream : NULL;
}

void hs_nccl_stream_free(hs_nccl_stream stream)
{
    if (stream)
        hs_nccl_driver()->stream_destroy(stream);
}

void *hs_nccl_event_new(bool timed)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    void *event = NULL;

    return driver && driver->event_create(&event, timed ? 0 : EVENT_DISABLE_TIMING) == 0 ? event
                                                                                         : NULL;
}

void hs_nccl_event_free(void *event)
{
    if (event)
        hs_nccl_driver()->event_destroy(event);
}

/* To ask while another thread captures in the global mode would end that capture. */
bool hs_nccl_event_passed(void *event)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;
    bool passed;

    if (driver->exchange_mode(&mode) != 0)
        return false;
    passed = driver->event_query(event) == 0;
    driver->exchange_mode(&mode);
    return passed;
}

bool hs_nccl_event_seconds(double *seconds, void *from, void *to)
{
    const struct hs_nccl_driver *driver = hs_nccl_driver();
    int mode = CAPTURE_MODE_RELAXED;
    float milliseconds = 0;
    bool known;

    if (driver->exchange_mode(&mode) != 0)
        return false;
    known = driver->event_elapsed(&milliseconds, from, to) == 0;
    driver->exchange_mode(&mode);
    *seconds = 1e-3 * (double)milliseconds;
    return known;
}
