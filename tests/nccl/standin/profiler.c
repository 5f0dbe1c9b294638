/* profiler.c - what NCCL tells profiler plugins (version 5 of their interface): see standin.h. What
 * it takes is by size: small messages a tree with LL, others a ring with Simple. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "comms.h"

/* ncclProfilerEventDescr_v5_t and ncclProfiler_v5_t. */
struct description {
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graphCaptured;
        } collApi;
        struct {
            uint64_t seqNumber;
            const char *func;
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
            void *parentGroup;
        } coll;
    };
};
struct plugin {
    const char *name;
    ncclResult_t (*init)(void **, uint64_t, int *, const char *, int, int, int, void *);
    ncclResult_t (*startEvent)(void *, void **, struct description *);
    ncclResult_t (*stopEvent)(void *);
    ncclResult_t (*recordEventState)(void *, int, void *);
    ncclResult_t (*finalize)(void *);
};
enum { GROUP = 1, COLL = 2, GROUP_API = 256, COLL_API = 512 };

static int mask;

/* From 2.28 on; the program's own, where it is named and shows it. */
static struct plugin *plugin(void)
{
    const char *name = getenv("NCCL_PROFILER_PLUGIN");
    int version = 0;
    ncclGetVersion(&version);
    if (version < 22800 || name == NULL || strcmp(name, "STATIC_PLUGIN") != 0)
        return NULL;
    return dlsym(RTLD_DEFAULT, "ncclProfiler_v5");
}

void standin_profiler_init(ncclComm_t comm)
{
    struct plugin *found = plugin();
    if (found != NULL)
        found->init(&comm->profiled, 1, &mask, NULL, 1, comm->size, comm->rank, NULL);
}

static void tell(struct plugin *to, ncclComm_t comm, struct description *description)
{
    void *handle = NULL;
    to->startEvent(comm->profiled, &handle, description);
    if (handle != NULL)
        to->stopEvent(handle);
}

void standin_profiler_call(ncclComm_t comm, enum call_kind kind, size_t bytes, bool symmetric)
{
    static const char *const names[] = {"ReduceScatter", "AllGather", "AllReduce"};
    struct plugin *to = plugin();
    if (to == NULL || mask == 0)
        return;
    struct description group = {.type = GROUP_API, .rank = comm->rank};
    struct description asked = {.type = COLL_API, .collApi = {.func = names[kind]}};
    tell(to, comm, &group);
    if (mask & COLL_API)
        tell(to, comm, &asked);
    if (symmetric || !(mask & COLL) || comm->size == 1)
        return;
    bool small = bytes < 1024;
    struct description launched = {.type = COLL,
                                   .rank = comm->rank,
                                   .coll = {.func = names[kind],
                                            .nChannels = small ? 1 : 4,
                                            .algo = small ? "TREE" : "RING",
                                            .proto = small ? "LL" : "SIMPLE"}};
    group.type = GROUP;
    tell(to, comm, &group);
    tell(to, comm, &launched);
}
