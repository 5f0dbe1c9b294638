/* nccl_driver.c - see nccl_driver.h. */
#include "apply/nccl_driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "apply/loaded.h"

/* What there is to find one by: every version has it. */
#define CUDA_ANY "cuEventQuery"
#define HIP_ANY  "hipEventQuery"

/* All that were asked for: one, or two where a program has both. */
struct known {
    struct hs_nccl_driver driver;
    struct known *next;
};
static struct known *known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- which one ---- */

static const void *address_of(hs_nccl_function *function)
{
    const void *address;

    memcpy(&address, &function, sizeof(address));
    return address;
}

/* RCCL is linked with HIP's runtime; NCCL finds CUDA's driver by itself, when it begins. */
bool hs_nccl_is_amd(hs_nccl_function *function)
{
    return hs_loaded_by(address_of(function), HIP_ANY) != NULL;
}

/* Of the HIP that RCCL is linked with, else of any. */
static void *find_in_hip(hs_nccl_function *function, const char *name)
{
    void *found = hs_loaded_by(address_of(function), name);

    return found ? found : hs_loaded_find("libamdhip64.so", name);
}

#define FIND(library, name, field, finding)                                                        \
    {                                                                                              \
        void *found = finding;                                                                     \
                                                                                                   \
        memcpy(&driver->field, &found, sizeof(found));                                             \
        if (!found) {                                                                              \
            *lacks = library " has no " #name;                                                     \
            return false;                                                                          \
        }                                                                                          \
    }

static bool find_cuda(struct hs_nccl_driver *driver, const char **lacks)
{
#define ROW(cuda, hip, field, parameters)   FIND("libcuda.so.1", cuda, field, hs_loaded_cuda(#cuda))
#define ROW_OF_ONE(name, field, parameters) FIND("libcuda.so.1", name, field, hs_loaded_cuda(#name))
    HS_NCCL_DRIVER(ROW)
    HS_NCCL_DRIVER_CUDA(ROW_OF_ONE)
#undef ROW
#undef ROW_OF_ONE
    return true;
}

static bool find_hip(struct hs_nccl_driver *driver, hs_nccl_function *function, const char **lacks)
{
#define ROW(cuda, hip, field, parameters)                                                          \
    FIND("libamdhip64.so", hip, field, find_in_hip(function, #hip))
#define ROW_OF_ONE(name, field, parameters)                                                        \
    FIND("libamdhip64.so", name, field, find_in_hip(function, #name))
    HS_NCCL_DRIVER(ROW)
    HS_NCCL_DRIVER_HIP(ROW_OF_ONE)
#undef ROW
#undef ROW_OF_ONE
    return true;
}

/* The same functions are the same driver. */
static const struct hs_nccl_driver *keep(const struct hs_nccl_driver *driver)
{
    struct known *at;

    pthread_mutex_lock(&lock);
    for (at = known; at && memcmp(&at->driver, driver, sizeof(*driver)) != 0;)
        at = at->next;
    if (!at && (at = malloc(sizeof(*at)))) {
        at->driver = *driver;
        at->next = known;
        known = at;
    }
    pthread_mutex_unlock(&lock);
    return at ? &at->driver : NULL;
}

const struct hs_nccl_driver *hs_nccl_driver_of(hs_nccl_function *function, const char **lacks)
{
    struct hs_nccl_driver driver;
    bool found;

    memset(&driver, 0, sizeof(driver)); /* it is compared as a whole */
    *lacks = "there is no driver of GPUs";
    if (hs_nccl_is_amd(function) ||
        (!hs_loaded_cuda(CUDA_ANY) && hs_loaded_find("libamdhip64.so", HIP_ANY)))
        found = find_hip(&driver, function, lacks);
    else if (hs_loaded_cuda(CUDA_ANY))
        found = find_cuda(&driver, lacks);
    else
        return NULL;
    return found ? keep(&driver) : NULL;
}

bool hs_nccl_driver_is_hip(const struct hs_nccl_driver *driver)
{
    return driver->memory_copy_of_kind != NULL;
}

/* ---- with it ---- */

/* Calls of ours beside what the program does: in the mode that ends no capture of another thread,
 * and without an error left behind. An error of HIP's is what the program finds when it next asks
 * whether a kernel of its own could be launched (from ROCm 7 on also behind calls that worked). */
struct aside {
    hs_driver_mode mode; /* the program's */
    int error;           /* that was there before */
};

static bool step_aside(struct aside *aside, const struct hs_nccl_driver *driver)
{
    aside->mode = HS_DRIVER_RELAXED;
    if (driver->exchange_mode(&aside->mode) != 0)
        return false;
    aside->error = driver->peek_error ? (int)driver->peek_error() : 0;
    return true;
}

static void step_back(struct aside *aside, const struct hs_nccl_driver *driver, bool good)
{
    if (!good && driver->take_error && aside->error == 0)
        driver->take_error();
    driver->exchange_mode(&aside->mode);
}

bool hs_nccl_captures(const struct hs_nccl_driver *driver, hs_nccl_stream stream)
{
    hs_driver_captures status = 0;

    return !driver || (driver->stream_captures(stream, &status) == 0 && status != 0);
}

void *hs_nccl_memory_new(const struct hs_nccl_driver *driver, size_t bytes)
{
    hs_driver_memory memory = 0;
    struct aside aside;

    if (!driver || !step_aside(&aside, driver))
        return NULL;
    if (driver->memory_allocate(&memory, bytes) != 0)
        memory = 0;
    step_back(&aside, driver, memory != 0);
    return (void *)memory; /* NOLINT(performance-no-int-to-ptr): CUdeviceptr is a number */
}

void hs_nccl_memory_free(const struct hs_nccl_driver *driver, void *memory)
{
    struct aside aside;

    if (!memory || !step_aside(&aside, driver))
        return;
    driver->memory_free((hs_driver_memory)memory);
    step_back(&aside, driver, true);
}

void *hs_nccl_host_new(const struct hs_nccl_driver *driver, size_t bytes)
{
    void *memory = NULL;
    struct aside aside;

    if (!driver || !step_aside(&aside, driver))
        return NULL;
    if (driver->host_allocate(&memory, bytes, 0) != 0)
        memory = NULL;
    step_back(&aside, driver, memory != NULL);
    return memory;
}

void hs_nccl_host_free(const struct hs_nccl_driver *driver, void *memory)
{
    struct aside aside;

    if (!memory || !step_aside(&aside, driver))
        return;
    driver->host_free(memory);
    step_back(&aside, driver, true);
}

bool hs_nccl_copy(const struct hs_nccl_driver *driver, void *to, const void *from, size_t bytes,
                  hs_nccl_stream stream)
{
    if (hs_nccl_driver_is_hip(driver))
        return driver->memory_copy_of_kind(to, from, bytes,
                                           (hs_driver_kind)HS_DRIVER_COPY_BY_POINTERS, stream) == 0;
    return driver->memory_copy((hs_driver_memory)to, (hs_driver_memory)from, bytes, stream) == 0;
}

/* Bytes from one row to the next, at most, on any GPU. */
#define PITCH_MAX ((size_t)INT32_MAX)

bool hs_nccl_copy_rows(const struct hs_nccl_driver *driver, void *to, const void *from,
                       struct hs_nccl_spacing of, hs_nccl_stream stream)
{
    const struct hs_nccl_rows rows = {
        .from = {.kind = HS_DRIVER_ANY_MEMORY, .memory = (uintptr_t)from, .pitch = of.from},
        .to = {.kind = HS_DRIVER_ANY_MEMORY, .memory = (uintptr_t)to, .pitch = of.to},
        .bytes = of.bytes,
        .count = of.count};

    if (of.to <= PITCH_MAX && of.from <= PITCH_MAX)
        return hs_nccl_driver_is_hip(driver)
                   ? driver->memory_copy_rows_of_kind(to, of.to, from, of.from, of.bytes, of.count,
                                                      (hs_driver_kind)HS_DRIVER_COPY_BY_POINTERS,
                                                      stream) == 0
                   : driver->memory_copy_rows(&rows, stream) == 0;
    for (size_t i = 0; i < of.count; i++)
        if (!hs_nccl_copy(driver, (char *)to + i * of.to, (const char *)from + i * of.from,
                          of.bytes, stream))
            return false;
    return true;
}

size_t hs_nccl_memory_left(const struct hs_nccl_driver *driver)
{
    size_t left = 0, all = 0;

    return driver && driver->memory_info(&left, &all) == 0 ? left : 0;
}

hs_nccl_stream hs_nccl_stream_new(const struct hs_nccl_driver *driver)
{
    hs_nccl_stream stream = NULL;

    return driver && driver->stream_create(&stream, HS_DRIVER_NON_BLOCKING) == 0 ? stream : NULL;
}

void hs_nccl_stream_free(const struct hs_nccl_driver *driver, hs_nccl_stream stream)
{
    if (stream)
        driver->stream_destroy(stream);
}

void *hs_nccl_event_new(const struct hs_nccl_driver *driver, bool timed)
{
    hs_driver_event event = NULL;

    return driver && driver->event_create(&event, timed ? 0 : HS_DRIVER_NO_TIME) == 0 ? event
                                                                                      : NULL;
}

void hs_nccl_event_free(const struct hs_nccl_driver *driver, void *event)
{
    if (event)
        driver->event_destroy(event);
}

bool hs_nccl_event_passed(const struct hs_nccl_driver *driver, void *event)
{
    struct aside aside;
    bool passed;

    if (!step_aside(&aside, driver))
        return false;
    passed = driver->event_query(event) == 0;
    step_back(&aside, driver, passed);
    return passed;
}

bool hs_nccl_event_seconds(const struct hs_nccl_driver *driver, double *seconds, void *from,
                           void *to)
{
    float milliseconds = 0;
    struct aside aside;
    bool said;

    if (!step_aside(&aside, driver))
        return false;
    said = driver->event_elapsed(&milliseconds, from, to) == 0;
    step_back(&aside, driver, said);
    *seconds = 1e-3 * (double)milliseconds;
    return said;
}
