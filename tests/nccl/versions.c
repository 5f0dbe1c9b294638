/*
 * versions.c - a real libnccl, without a GPU: whether the loader finds all that it wants in it, and
 * whether NCCL's own profiler code takes our plugin and tells it what it launches.
 *
 *     versions_gpu LIBNCCL                 the loader alone
 *     versions_gpu LIBNCCL NAME=NUMBER...  and that, with addresses and offsets from its debug
 *                                          information (test_versions.sh)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/nccl_api.h"
#include "engine/nccl_record.h"
#include "members.h"

/* ncclFuncReduceScatter, ncclFloat32; NCCL_ALGO_RING, NCCL_PROTO_LL128. */
enum { REDUCE_SCATTER = 3, FLOAT32 = 7, RING = 1, LL128 = 1, CHANNELS = 5 };

static void set(char *object, const char *member, const void *value, size_t bytes)
{
    memcpy(object + number(member), value, bytes);
}

static int say_loaded(const struct hs_nccl_api *api)
{
    int missing = 0;

#define HS_ROW(name) missing += api->name == NULL;
    HS_NCCL_NEEDED(HS_ROW)
    HS_NCCL_OPTIONAL(HS_ROW)
#undef HS_ROW
    printf("version %d, %d functions missing, windows %s\n", api->version, missing,
           hs_nccl_api_windows(api) ? "yes" : "no");
    return missing;
}

/* Without a GPU a communicator cannot be made, and NCCL says why. */
static void say_refusal(const struct hs_nccl_api *api)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    struct hs_error err = {.message = ""};
    ncclResult_t result = api->GetUniqueId(&id);

    if (result == ncclSuccess)
        result = api->CommInitRankConfig(&comm, 1, id, 0, &config);
    printf("%s: %s\n", hs_nccl_status(api, result, "a communicator", &err) ? "refused" : "made",
           err.message);
}

/* A communicator, a plan and a task of NCCL's, empty but for what its profiler code looks at. */
static void say_launch(char *base, struct hs_nccl_record *record)
{
    char *comm = calloc(1, number("comm")), *plan = calloc(1, number("plan")),
         *task = calloc(1, number("task")), text[HS_CHOICE_TEXT];
    int (*init)(void *), (*start)(void *);
    int function = REDUCE_SCATTER, datatype = FLOAT32, algorithm = RING, protocol = LL128;
    int mask;
    uint8_t channels = CHANNELS;

    *(void **)&init = base + number("init");
    *(void **)&start = base + number("start");
    hs_nccl_record_into(record);
    printf("init %d\n", init(comm));
    hs_nccl_record_listen(true);
    mask = *(int *)(void *)(base + number("mask"));
    printf("events %d\n", mask);
    set(plan, "plan.comm", &comm, sizeof(comm));
    set(plan, "plan.tasks", &task, sizeof(task));
    set(task, "task.function", &function, sizeof(function));
    set(task, "task.datatype", &datatype, sizeof(datatype));
    set(task, "task.algorithm", &algorithm, sizeof(algorithm));
    set(task, "task.protocol", &protocol, sizeof(protocol));
    set(task, "task.channels", &channels, sizeof(channels));
    set(task, "task.mask", &mask, sizeof(mask));
    printf("start %d\n", start(plan));
    hs_nccl_record_listen(false);
    printf("events %d\n", *(int *)(void *)(base + number("mask")));
    hs_nccl_record_take(text, record, HS_REDUCE_SCATTER);
    printf("took \"%s\"\n", text);
}

int main(int argc, char **argv)
{
    static struct hs_nccl_record record;
    const struct hs_nccl_api *api;
    struct hs_error err;
    char *base;

    if (argc < 2 || setenv("HIERSEARCH_NCCL", argv[1], 1) != 0)
        return 2;
    arguments = argv + 2;
    if (hs_nccl_record_offer(&err) != HS_OK || hs_nccl_api_get(&api, &err) != HS_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    if (argc == 2) {
        say_loaded(api);
        say_refusal(api);
        return 0;
    }
    memcpy(&base, &api->GetUniqueId, sizeof(base));
    say_launch(base - number("ncclGetUniqueId"), &record);
    return 0;
}
