/* nccl_agree.c - see nccl_agree.h. */
#include "apply/nccl_agree.h"

#include <stdlib.h>
#include <unistd.h>

#include "apply/nccl_driver.h"
#include "apply/nccl_steps.h"

/* What the exchange goes by; freed by whoever has it, but for memory, whose end would wait for all
 * of the GPU. */
struct way {
    void *memory; /* of this rank, and behind it of all */
    hs_nccl_stream stream;
    void *event;
};

/* A rank that has no memory takes part all the same, with the host's. */
static bool open_way(struct way *way, struct hs_nccl_family *family)
{
    const size_t bytes = sizeof(struct hs_nccl_told) * (size_t)(family->size + 1);

    if (!family->memory.told)
        family->memory.told = hs_nccl_memory_new(family->driver, bytes);
    if (!family->memory.told) {
        family->memory.told = hs_nccl_host_new(family->driver, bytes);
        family->memory.told_on_host = true;
    }
    way->memory = family->memory.told;
    way->event = hs_nccl_event_new(family->driver, false);
    way->stream = hs_nccl_stream_new(family->driver);
    return way->memory && way->event && way->stream;
}

static void close_way(const struct way *way, const struct hs_nccl_family *family)
{
    hs_nccl_event_free(family->driver, way->event);
    hs_nccl_stream_free(family->driver, way->stream);
}

/* False: a rank is gone. */
static bool wait_for(const struct hs_nccl_family *family, void *event)
{
    hs_nccl_result state = HS_NCCL_SUCCESS;

    while (!hs_nccl_event_passed(family->driver, event)) {
        if (family->nccl.ncclCommGetAsyncError(family->comm, &state) != HS_NCCL_SUCCESS ||
            (state != HS_NCCL_SUCCESS && state != HS_NCCL_IN_PROGRESS))
            return false;
        usleep(HS_NCCL_WAIT_MICROSECONDS);
    }
    return true;
}

static bool exchange(const struct way *way, const struct hs_nccl_family *family,
                     const struct hs_nccl_told *mine, struct hs_nccl_told *all)
{
    const struct hs_nccl_driver *driver = family->driver;
    char *from = way->memory, *to = from + sizeof(*mine);
    const struct hs_nccl_asked call = {HS_COLLECTIVE_ALLGATHER,
                                       from,
                                       to,
                                       HS_NCCL_TOLD,
                                       (hs_nccl_type)HS_NCCL_INT64,
                                       (hs_nccl_operation)-1,
                                       family->comm,
                                       way->stream};
    const size_t bytes = sizeof(*all) * (size_t)family->size;

    return hs_nccl_copy(driver, from, mine, sizeof(*mine), way->stream) &&
           hs_nccl_call(&family->nccl, &call) == HS_NCCL_SUCCESS &&
           hs_nccl_copy(driver, all, to, bytes, way->stream) &&
           driver->event_record(way->event, way->stream) == 0 && wait_for(family, way->event);
}

struct hs_nccl_told *hs_nccl_tell(struct hs_nccl_family *family, const struct hs_nccl_told *mine)
{
    struct hs_nccl_told *all = calloc((size_t)family->size, sizeof(*all));
    struct way way;

    if (!all)
        abort(); /* the others wait */
    if (!open_way(&way, family) || !exchange(&way, family, mine, all)) {
        free(all);
        all = NULL;
    }
    close_way(&way, family);
    return all;
}
