/*
 * nccl_calls.c - every function that libhiersearch-nccl.so wraps, called once, with a library that
 * says what it was handed (the same file, with -DLIBRARY). Prints a line a function: what came
 * through, or what did not.
 *
 * Communicators: InitAll makes those of two GPUs in this process; the others are made of them, and
 * each call is made on one of them in turn.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apply/nccl_abi.h"

enum { ANSWER = 2, MOST = 16 }; /* ncclSystemError */

/* Of the last call: what it was, its arguments as numbers, what it is to answer. */
extern const char *last_name;
extern uintptr_t last_arguments[MOST];
extern hs_nccl_result answer;

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#pragma GCC diagnostic ignored "-Wint-conversion"

#define PROTOTYPE(name, parameters, ...) hs_nccl_result name parameters;
HS_NCCL_CALLS(PROTOTYPE)
HS_NCCL_MAKERS(PROTOTYPE)
HS_NCCL_ENDERS(PROTOTYPE)
HS_NCCL_GROUPS(PROTOTYPE)
HS_NCCL_WINDOWS(PROTOTYPE)
HS_NCCL_ONE_SIDED(PROTOTYPE)
HS_NCCL_SUSPENDERS(PROTOTYPE)
HS_NCCL_ASKED(PROTOTYPE)

#ifdef LIBRARY
const char *last_name = "";
uintptr_t last_arguments[MOST];
hs_nccl_result answer;
static struct {
    int size, rank, device;
} all[MOST]; /* a communicator is the address of one */
static int made_count;

static hs_nccl_result say(const char *name, const uintptr_t *arguments, size_t bytes)
{
    last_name = name;
    memset(last_arguments, 0, sizeof(last_arguments));
    if (bytes > 0)
        memcpy(last_arguments, arguments, bytes);
    return answer;
}

#define CALL(name, parameters, arguments, id, of_each, operation)                                  \
    hs_nccl_result name parameters                                                                 \
    {                                                                                              \
        const uintptr_t given[] = LIST arguments;                                                  \
        return say(#name, given, sizeof(given));                                                   \
    }
HS_NCCL_CALLS(CALL)
#define ENDER(name, parameters, arguments, way) CALL(name, parameters, arguments, , , )
HS_NCCL_ENDERS(ENDER)
HS_NCCL_WINDOWS(ENDER)
#define PASSED(name, parameters, arguments) CALL(name, parameters, arguments, , , )
HS_NCCL_ONE_SIDED(PASSED)
HS_NCCL_SUSPENDERS(PASSED)
hs_nccl_result ncclGroupSimulateEnd(hs_nccl_simulation *said)
{
    const uintptr_t given[] = {(uintptr_t)said};
    return say("ncclGroupSimulateEnd", given, sizeof(given));
}

hs_nccl_result ncclGroupStart(void)
{
    return say("ncclGroupStart", NULL, 0);
}

hs_nccl_result ncclGroupEnd(void)
{
    return say("ncclGroupEnd", NULL, 0);
}

static hs_nccl_result make(hs_nccl_comm *made, int size, int rank, int device)
{
    all[made_count].size = size;
    all[made_count].rank = rank;
    all[made_count].device = device;
    *made = (hs_nccl_comm)(void *)&all[made_count++];
    return HS_NCCL_SUCCESS;
}

static int index_of(hs_nccl_comm comm)
{
    return (int)(((uintptr_t)comm - (uintptr_t)all) / sizeof(all[0]));
}

static int is_id(const hs_nccl_id *id)
{
    return strcmp(id->internal, "an id") == 0 && id->internal[127] == 'e';
}

static int is_config(const hs_nccl_config *config)
{
    return config && ((const struct hs_nccl_config_head *)(const void *)config)->size == 77;
}

hs_nccl_result ncclCommInitRank(hs_nccl_comm *made, int ranks, hs_nccl_id id, int rank)
{
    return is_id(&id) ? make(made, ranks, rank, 5) : ANSWER;
}

hs_nccl_result ncclCommInitRankConfig(hs_nccl_comm *made, int ranks, hs_nccl_id id, int rank,
                                      hs_nccl_config *config)
{
    return is_id(&id) && is_config(config) ? make(made, ranks, rank, 5) : ANSWER;
}

hs_nccl_result ncclCommInitRankScalable(hs_nccl_comm *made, int ranks, int rank, int id_count,
                                        hs_nccl_id *ids, hs_nccl_config *config)
{
    return is_id(ids) && is_id(ids + 1) && id_count == 2 && is_config(config)
               ? make(made, ranks, rank, 5)
               : ANSWER;
}

hs_nccl_result ncclCommInitAll(hs_nccl_comm *made, int devices, const int *list)
{
    for (int i = 0; i < devices; i++)
        make(&made[i], devices, i, list[i]);
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommSplit(hs_nccl_comm comm, int color, int key, hs_nccl_comm *made,
                             hs_nccl_config *config)
{
    return color == 11 && key == 12 && is_config(config)
               ? make(made, 1, 0, all[index_of(comm)].device)
               : ANSWER;
}

hs_nccl_result ncclCommShrink(hs_nccl_comm comm, int *without, int without_count,
                              hs_nccl_comm *made, hs_nccl_config *config, int flags)
{
    return *without == 1 && without_count == 1 && is_config(config) && flags == 13
               ? make(made, 1, 0, all[index_of(comm)].device)
               : ANSWER;
}

hs_nccl_result ncclCommGrow(hs_nccl_comm comm, int ranks, const hs_nccl_id *id, int rank,
                            hs_nccl_comm *made, hs_nccl_config *config)
{
    return is_id(id) && rank == -1 && is_config(config)
               ? make(made, ranks, 0, all[index_of(comm)].device)
               : ANSWER;
}

hs_nccl_result ncclGetVersion(int *version)
{
    *version = 22809;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommCount(hs_nccl_comm comm, int *size)
{
    *size = all[index_of(comm)].size;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommUserRank(hs_nccl_comm comm, int *rank)
{
    *rank = all[index_of(comm)].rank;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommCuDevice(hs_nccl_comm comm, int *device)
{
    *device = all[index_of(comm)].device;
    return HS_NCCL_SUCCESS;
}
#else

static void check(const char *name, int passes)
{
    printf("%s %s\n", passes ? "through" : "wrong", name);
}

/* All of `comms` [count] are called alike, with an answer and with success; a failed call counts
 * nothing. */
static void call_all(hs_nccl_comm comm)
{
    char here[2] = "";
    void *from = here, *to = here + 1, *buffer = here;
    size_t count = ((size_t)1 << 33) + 1; /* more than int has */
    hs_nccl_type type = 7;                /* float32 */
    hs_nccl_operation operation = 2;      /* max */
    const size_t received[2] = {1, count - 1}, sent[2] = {0}, sent_at[2] = {0},
                 received_at[2] = {0};
    const void *bias = here;
    hs_nccl_stream stream = (hs_nccl_stream)(uintptr_t)78;
    const hs_nccl_call_config *config = (const hs_nccl_call_config *)(uintptr_t)81;
    int root = 3, peer = 4;

#define CALL(name, parameters, arguments, id, of_each, operation)                                  \
    {                                                                                              \
        const uintptr_t given[MOST] = LIST arguments;                                              \
                                                                                                   \
        answer = ANSWER;                                                                           \
        check(#name, name arguments == ANSWER && strcmp(last_name, #name) == 0 &&                  \
                         memcmp(last_arguments, given, sizeof(given)) == 0);                       \
        answer = HS_NCCL_SUCCESS;                                                                  \
        check(#name, name arguments == HS_NCCL_SUCCESS);                                           \
    }
    HS_NCCL_CALLS(CALL)
}

/* What is done with communicators as they are, and groups. */
static void call_others(hs_nccl_comm comm)
{
    hs_nccl_result *state = (hs_nccl_result *)(uintptr_t)79;
    hs_nccl_simulation *said = (hs_nccl_simulation *)(uintptr_t)80;
    void *memory = state;
    size_t bytes = (size_t)1 << 33;
    hs_nccl_window window = (hs_nccl_window)(void *)state, *made = &window;
    int flags = 14, peer = 4, count = 5, type = 7, signal = 6, context = 8;
    void *from = memory;
    size_t offset = bytes + 1;
    hs_nccl_signal *signals = (hs_nccl_signal *)(uintptr_t)82;
    hs_nccl_stream stream = (hs_nccl_stream)(uintptr_t)78;

#define ENDER(name, parameters, arguments, way) CALL(name, parameters, arguments, , , )
    HS_NCCL_ENDERS(ENDER)
    HS_NCCL_WINDOWS(ENDER)
#define PASSED(name, parameters, arguments)     CALL(name, parameters, arguments, , , )
    HS_NCCL_ONE_SIDED(PASSED)
    HS_NCCL_SUSPENDERS(PASSED)
    answer = ANSWER;
    check("ncclGroupStart", ncclGroupStart() == ANSWER && strcmp(last_name, "ncclGroupStart") == 0);
    check("ncclGroupEnd", ncclGroupEnd() == ANSWER && strcmp(last_name, "ncclGroupEnd") == 0);
    check("ncclGroupSimulateEnd",
          ncclGroupSimulateEnd(said) == ANSWER && last_arguments[0] == (uintptr_t)said);
}

int main(void)
{
    struct hs_nccl_config_head head = {.size = 77, .blocking = 1};
    hs_nccl_config *config = (hs_nccl_config *)(void *)&head;
    hs_nccl_id ids[2] = {{"an id"}, {"an id"}};
    hs_nccl_comm pair[2], comm = NULL, none = NULL;
    const int devices[2] = {4, 6};
    int without = 1;

    ids[0].internal[127] = ids[1].internal[127] = 'e';
    check("ncclCommInitAll", ncclCommInitAll(pair, 2, devices) == 0);
    call_all(pair[0]);
    call_all(pair[1]);
    check("ncclCommSplit", ncclCommSplit(pair[0], 1, 1, &none, config) == ANSWER && !none);
    check("ncclCommSplit", ncclCommSplit(pair[0], 11, 12, &comm, config) == 0);
    check("ncclAllReduce", ncclAllReduce(comm, comm, 1, 9, 7, comm, NULL) == 0);
    check("ncclCommShrink", ncclCommShrink(pair[1], &without, 1, &comm, config, 13) == 0);
    check("ncclAllGather", ncclAllGather(comm, comm, 1, 10, comm, NULL) == 0);
    check("ncclCommGrow", ncclCommGrow(pair[1], 3, ids, -1, &comm, config) == 0);
    check("ncclAllGather", ncclAllGather(comm, comm, 1, 11, comm, NULL) == 0);
    check("ncclCommInitRank", ncclCommInitRank(&comm, 4, ids[0], 1) == 0);
    check("ncclReduce", ncclReduce(comm, comm, 1, 8, 1, 0, comm, NULL) == 0);
    check("ncclCommInitRankConfig", ncclCommInitRankConfig(&comm, 5, ids[0], 1, config) == 0);
    check("ncclReduce", ncclReduce(comm, comm, 1, 8, 1, 0, comm, NULL) == 0);
    check("ncclCommInitRankScalable", ncclCommInitRankScalable(&comm, 6, 1, 2, ids, config) == 0);
    check("ncclReduce", ncclReduce(comm, comm, 1, 8, 1, 0, comm, NULL) == 0);
    call_others(comm);
    return 0;
}
#endif
