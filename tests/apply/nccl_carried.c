/*
 * nccl_carried.c - AllReduces, ReduceScatters or AllGathers of NCCL in all the ways that programs
 * call them, every element compared with what must come out. Knows nothing of hiersearch. $RANK of
 * $WORLD_SIZE, nccl_ids.h; $JOB_CALL: "reduce-scatter", "allgather", else the first; $JOB_WAITS=0:
 * on communicators that do not block.
 *
 *     nccl_carried WAY...    each on a communicator of all ranks, one after the other
 *
 * With the stand-in (tests/nccl/standin), which ends it where a rule is broken.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "nccl_elements.h"
#include "nccl_ids.h"

void standin_check_leaks(void);

/* Newer than the header may be. */
#if NCCL_VERSION_CODE < 22900
ncclResult_t ncclSignal(int peer, int signal, int context, unsigned flags, ncclComm_t comm,
                        cudaStream_t stream);
#endif
#if NCCL_VERSION_CODE < 22907
ncclResult_t ncclCommSuspend(ncclComm_t comm, int flags);
ncclResult_t ncclCommResume(ncclComm_t comm);
#endif
#if NCCL_VERSION_CODE < 23100
ncclResult_t ncclAllReduceConfig(const void *from, void *to, size_t count, ncclDataType_t type,
                                 ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream,
                                 const void *config);
#endif

enum { ELEMENTS_MAX = 20000, BEHIND = 64 /* bytes that nobody may touch */ };

static cudaStream_t stream, other;
/* Both buffers as they were filled, and what is there now. */
static char *from, *to, sent[ELEMENTS_MAX * 8 + BEHIND], before[sizeof(sent)], back[sizeof(sent)];
static enum { ALLREDUCE, REDUCE_SCATTER, ALLGATHER } kind;
static bool blocks = true, was_wrong;

/* ---- calls ---- */

struct call {
    ncclComm_t comm;
    struct members among;
    ncclDataType_t type;
    ncclRedOp_t operation;
    size_t count; /* of an allreduce all, else of one rank's block */
    bool in_place;
    int turn;
};

static void finish(cudaStream_t on)
{
    CHECK(cudaStreamSynchronize(on) == cudaSuccess);
}

/* Where input and output lie, in bytes: in place in one buffer, else at the beginning of theirs. */
struct sides {
    size_t in, out, in_at, out_at;
};

static int place_of(const struct call *call)
{
    return (rank - call->among.first) / call->among.step;
}

static struct sides sides_of(const struct call *call)
{
    size_t block = call->count * width_of(call->type), all = block * (size_t)call->among.size;
    size_t own = call->in_place ? block * (size_t)place_of(call) : 0;

    return kind == REDUCE_SCATTER ? (struct sides){all, block, 0, own}
           : kind == ALLGATHER    ? (struct sides){block, all, own, 0}
                                  : (struct sides){block, block, 0, 0};
}

static void copy(void *there, const void *here, size_t bytes, cudaStream_t on)
{
    CHECK(cudaMemcpyAsync(there, here, bytes, cudaMemcpyDefault, on) == cudaSuccess);
    finish(on);
}

static void fill(const struct call *call, cudaStream_t on)
{
    struct sides sides = sides_of(call);
    char *input = call->in_place ? before + sides.in_at : sent;

    memset(sent, 0x5a, sizeof(sent));
    memset(before, 0x5a, sizeof(before));
    for (size_t i = 0; i < sides.in / width_of(call->type); i++)
        put(input, i, call->type, value_of(rank, i, call->turn));
    copy(to, before, sizeof(before), on);
    if (!call->in_place)
        copy(from, sent, sizeof(sent), on);
}

static void wait_for(ncclComm_t comm)
{
    ncclResult_t state = ncclInProgress;

    while (state == ncclInProgress)
        CHECK(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
    CHECK(state == ncclSuccess);
}

/* What was begun is on its stream. */
static ncclResult_t settled(ncclComm_t comm, ncclResult_t result)
{
    if (result != ncclInProgress)
        return result;
    wait_for(comm);
    return ncclSuccess;
}

static ncclResult_t start_at(const struct call *call, const void *input, void *output,
                             cudaStream_t on)
{
    return kind == REDUCE_SCATTER ? ncclReduceScatter(input, output, call->count, call->type,
                                                      call->operation, call->comm, on)
           : kind == ALLGATHER
               ? ncclAllGather(input, output, call->count, call->type, call->comm, on)
               : ncclAllReduce(input, output, call->count, call->type, call->operation, call->comm,
                               on);
}

static ncclResult_t begin(const struct call *call, cudaStream_t on)
{
    struct sides sides = sides_of(call);

    return start_at(call, call->in_place ? to + sides.in_at : from, to + sides.out_at, on);
}

static ncclResult_t start(const struct call *call, cudaStream_t on)
{
    return settled(call->comm, begin(call, on));
}

/* Element i of the output. */
static bool is_right(const struct call *call, size_t i, double found)
{
    size_t first = kind == REDUCE_SCATTER ? (size_t)place_of(call) * call->count : 0;
    int of = call->among.first + (int)(i / call->count) * call->among.step;

    if (kind == ALLGATHER)
        return found == value_of(of, i % call->count, call->turn);
    return is_near(found, expected(call->among, first + i, call->turn, call->operation),
                   call->among, call->type, call->operation);
}

/* The output is right, and all around it, and what was sent, as it was. */
static void compare(const struct call *call, cudaStream_t on)
{
    struct sides sides = sides_of(call);

    copy(back, to, sizeof(back), on);
    for (size_t i = 0; i < sides.out / width_of(call->type); i++) {
        double found = get(back + sides.out_at, i, call->type);

        if (!was_wrong && !is_right(call, i, found)) {
            fprintf(stderr, "rank %d: wrong: element %zu of %zu, type %d, operation %d: %g\n", rank,
                    i, call->count, (int)call->type, (int)call->operation, found);
            was_wrong = true;
        }
    }
    CHECK(memcmp(back, before, sides.out_at) == 0);
    CHECK(memcmp(back + sides.out_at + sides.out, before + sides.out_at + sides.out,
                 sizeof(back) - sides.out_at - sides.out) == 0);
    if (call->in_place)
        return;
    copy(back, from, sizeof(back), on);
    CHECK(memcmp(back, sent, sizeof(back)) == 0);
}

static void run_on(cudaStream_t on, struct call call)
{
    static int turn;

    call.turn = turn++;
    fill(&call, on);
    CHECK(start(&call, on) == ncclSuccess);
    compare(&call, on);
}

static void run(struct call call)
{
    run_on(stream, call);
}

/* ---- ways ---- */

static struct call plain(ncclComm_t comm)
{
    size_t count = kind == ALLREDUCE ? 10000 : 10000 / (size_t)ranks;

    return (struct call){comm, {0, 1, ranks}, ncclFloat32, ncclSum, count, false, 0};
}

/* Types, operations, counts; in place and not. */
static void values(ncclComm_t comm)
{
    static const ncclDataType_t types[] = {ncclFloat32,  ncclFloat64, ncclFloat16,
                                           ncclBfloat16, ncclInt32,   ncclInt64};
    static const ncclRedOp_t operations[] = {ncclSum, ncclMax, ncclAvg, ncclProd, ncclMin};
    static const size_t counts[] = {1, 31, 2048, 3072, 4099, 20000};
    size_t blocks = kind == ALLREDUCE ? 1 : (size_t)ranks;
    struct call nothing = plain(comm);

    for (int type = 0; type < 6; type++)
        for (int operation = 0; operation < (kind == ALLGATHER ? 1
                                             : type < 4        ? 3
                                                               : 5); /* the stand-in's */
             operation++)
            for (int count = 0; count < 6; count++)
                for (int in_place = 0; in_place < 2; in_place++)
                    run((struct call){comm,
                                      {0, 1, ranks},
                                      types[type],
                                      operations[operation],
                                      (counts[count] + blocks - 1) / blocks,
                                      in_place == 1,
                                      0});
    nothing.count = 0;
    CHECK(start(&nothing, stream) == ncclSuccess);
    finish(stream);
}

/* In place, in a buffer whose elements nobody looks at. */
static ncclResult_t start_own(const struct call *call, char *buffer, cudaStream_t on)
{
    struct call in_place = *call;
    struct sides sides;

    in_place.in_place = true;
    sides = sides_of(&in_place);
    return settled(call->comm,
                   start_at(&in_place, buffer + sides.in_at, buffer + sides.out_at, on));
}

/* Of all types that have them, and of float16 where the sum would be infinite. */
static void averages(ncclComm_t comm)
{
    static const ncclDataType_t types[] = {ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16};
    struct call call = plain(comm);
    size_t outputs = kind == REDUCE_SCATTER ? 2048 : 2048 * (size_t)ranks;
    uint16_t large = hs_float_to_float16(40000);

    call.operation = ncclAvg;
    call.count = outputs;
    for (int type = 0; type < 4; type++) {
        call.type = types[type];
        run(call);
        run(call);
    }
    for (size_t i = 0; i < 2048 * (size_t)ranks; i++)
        memcpy(sent + 2 * i, &large, 2);
    copy(from, sent, sizeof(sent), stream);
    call.type = ncclFloat16;
    CHECK(start(&call, stream) == ncclSuccess);
    copy(back, to, sizeof(back), stream);
    for (size_t i = 0; i < outputs; i++)
        CHECK(fabs(get(back, i, ncclFloat16) - 40000) <= 64);
}

/* While a window is there, and afterwards. */
static void windows(ncclComm_t comm)
{
    ncclWindow_t window;
    void *memory;

    CHECK(ncclMemAlloc(&memory, 65536) == ncclSuccess);
    run(plain(comm));
    CHECK(settled(comm, ncclCommWindowRegister(comm, memory, 65536, &window,
                                               NCCL_WIN_COLL_SYMMETRIC)) == ncclSuccess);
    run(plain(comm));
    run(plain(comm));
    CHECK(ncclCommWindowDeregister(comm, window) == ncclSuccess);
    run(plain(comm));
    CHECK(ncclMemFree(memory) == ncclSuccess);
}

static ncclResult_t start_own(const struct call *call, char *buffer, cudaStream_t on);

/* While it is suspended nothing of it has memory of the GPU. */
static void suspended(ncclComm_t comm)
{
    size_t before, within, after, all;

    run(plain(comm));
    CHECK(cudaMemGetInfo(&before, &all) == cudaSuccess);
    CHECK(ncclCommSuspend(comm, 1) == ncclSuccess);
    CHECK(cudaMemGetInfo(&within, &all) == cudaSuccess);
    CHECK(within - before == (size_t)atoi(getenv("JOB_COMMS")) << 24); /* of the stand-in's */
    CHECK(ncclCommResume(comm) == ncclSuccess);
    CHECK(cudaMemGetInfo(&after, &all) == cudaSuccess && after == before);
    run(plain(comm));
}

/* A call with a configuration between those without, on two streams; in a group with what may be
 * put off; and a signal there. */
static void configured(ncclComm_t comm)
{
    struct call call = plain(comm);
    char *const buffers[] = {from, to};

    run(call);
    for (int way = 0; way < 3; way++) {
        fill(&call, stream);
        fill(&call, other);
        CHECK(start_own(&call, buffers[0], stream) == ncclSuccess);
        if (way > 0)
            CHECK(ncclGroupStart() == ncclSuccess && start_own(&call, to, other) == ncclSuccess);
        if (way < 2)
            CHECK(ncclAllReduceConfig(to, to, call.count, call.type, call.operation, comm, other,
                                      NULL) == ncclSuccess);
        else
            CHECK(ncclSignal((rank + 1) % ranks, 0, 0, 0, comm, other) == ncclSuccess);
        if (way > 0)
            CHECK(ncclGroupEnd() == ncclSuccess);
        CHECK(start_own(&call, buffers[0], stream) == ncclSuccess);
        finish(stream);
        finish(other);
    }
    run(call);
}

/* Of 1 in a group of its own, also in a group within one; of 2. */
static void groups(ncclComm_t comm)
{
    struct call call = plain(comm), next = call;

    for (int depth = 1; depth <= 2; depth++) {
        fill(&call, stream);
        for (int i = 0; i < depth; i++)
            CHECK(ncclGroupStart() == ncclSuccess);
        CHECK(start(&call, stream) == ncclSuccess);
        for (int i = 0; i < depth; i++)
            CHECK(settled(comm, ncclGroupEnd()) == ncclSuccess);
        compare(&call, stream);
    }
    next.in_place = true;
    fill(&call, stream);
    fill(&next, stream);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(start(&next, stream) == ncclSuccess); /* what would go by plan alone */
    CHECK(start_own(&call, from, stream) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    compare(&next, stream);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(start(&next, stream) == ncclSuccess);
    CHECK(ncclBroadcast(from, from, 100, ncclFloat32, 0, comm, stream) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    CHECK(ncclGroupEnd() != ncclSuccess); /* there is none */
    finish(stream);
    run(call);
}

/* Turn by turn on two streams, each with its own buffer and nothing between them; then one behind
 * the other's event. */
static void streams(ncclComm_t comm)
{
    struct call call = plain(comm);
    cudaEvent_t event;

    fill(&call, stream);
    fill(&call, other);
    for (int i = 0; i < 3; i++) {
        CHECK(start_own(&call, from, stream) == ncclSuccess);
        CHECK(start_own(&call, to, other) == ncclSuccess);
    }
    finish(stream);
    finish(other);
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    fill(&call, stream);
    CHECK(start(&call, stream) == ncclSuccess);
    CHECK(cudaEventRecord(event, stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(other, event, 0) == cudaSuccess);
    call.operation = ncclMax;
    CHECK(start(&call, other) == ncclSuccess);
    compare(&call, other);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

/* In a group, in place, of a buffer whose elements nobody looks at; and what the library has of its
 * own, which no plan carries out. */
static void begin_group(const struct call *call, char *buffer, int calls, cudaStream_t on)
{
    CHECK(ncclGroupStart() == ncclSuccess);
    for (int i = 0; i < calls; i++)
        CHECK(start_own(call, buffer, on) == ncclSuccess);
    CHECK(settled(call->comm, ncclGroupEnd()) == ncclSuccess);
}

static void broadcast(const struct call *call, char *buffer, cudaStream_t on)
{
    CHECK(settled(call->comm, ncclBroadcast(buffer, buffer, 100, ncclFloat32, 0, call->comm, on)) ==
          ncclSuccess);
}

/* Calls by plan and others turn by turn on two streams, with nothing between them: each behind a
 * call by plan, and before one. With $STANDIN_ONE_KERNEL the stand-in ends it where two of their
 * kernels may be at work at once, which of one communicator they never are. */
static void orders(ncclComm_t comm)
{
    struct call call = plain(comm);

    fill(&call, stream);
    fill(&call, other);
    for (int calls = 0; calls <= 2; calls++) {
        CHECK(start_own(&call, from, stream) == ncclSuccess);
        if (calls > 0)
            begin_group(&call, to, calls, other);
        else
            broadcast(&call, to, other);
        CHECK(start_own(&call, from, stream) == ncclSuccess);
    }
    finish(stream);
    finish(other);
    run(call);
}

/* $JOB_CALLS of them behind each other, of two lengths turn by turn, one twice as long: reductions
 * whose every bit is known. The host waits for some of them, but knows of none by CUDA's word. */
static void many(ncclComm_t comm)
{
    struct call call = plain(comm);
    int calls = atoi(getenv("JOB_CALLS"));
    size_t count = kind == ALLREDUCE ? 8192 : 8192 / (size_t)ranks; /* nothing is left over */

    call.operation = ncclMax;
    for (int i = 0; i < calls; i++) {
        call.count = count / (i % 2 ? 1 : 2);
        if (i < 40 || i % 10 < 2)
            run(call);
        else
            CHECK(start(&call, stream) == ncclSuccess);
    }
    finish(stream);
    run(call);
}

/* One behind the other, before the host knows of any that it has ended: reductions whose every bit
 * is known, so that nothing may differ. */
static void behind(ncclComm_t comm)
{
    struct call call = plain(comm);

    call.operation = ncclMax;
    fill(&call, stream);
    for (int i = 0; i < 60; i++)
        CHECK(start(&call, stream) == ncclSuccess);
    compare(&call, stream);
}

/* A stream may have the handle of one that was destroyed, whose work has not ended. */
static void handles(ncclComm_t comm)
{
    struct call call = plain(comm);
    cudaStream_t passing;
    cudaEvent_t ends[2];

    fill(&call, stream);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreateWithFlags(&passing, cudaStreamNonBlocking) == cudaSuccess);
        CHECK(cudaEventCreateWithFlags(&ends[i], cudaEventDisableTiming) == cudaSuccess);
        CHECK(start_own(&call, i == 0 ? from : to, passing) == ncclSuccess);
        CHECK(cudaEventRecord(ends[i], passing) == cudaSuccess);
        CHECK(cudaStreamDestroy(passing) == cudaSuccess);
    }
    for (int i = 0; i < 2; i++) {
        while (cudaEventQuery(ends[i]) == cudaErrorNotReady)
            continue;
        CHECK(cudaEventDestroy(ends[i]) == cudaSuccess);
    }
    run(call);
}

/* Between calls on another stream, whose events are none of the graph's. */
static void graphs(ncclComm_t comm)
{
    struct call call = plain(comm);
    pid_t child = fork(); /* as those that load data */
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    if (child == 0)
        exit(0);
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    run_on(other, call);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK(start(&call, stream) == ncclSuccess);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (call.turn = 1; call.turn < 4; call.turn++) {
        fill(&call, stream);
        CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
        compare(&call, stream);
    }
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    run_on(other, call);
}

/* Halves of ranks next to each other, every other rank, and nobody's. */
static void parts(ncclComm_t comm)
{
    int half = ranks / 2;
    struct call call = plain(comm);

    for (int way = 0; way < 3; way++) {
        CHECK(settled(comm, ncclCommSplit(comm, way == 0 ? rank / half : rank % 2, rank, &call.comm,
                                          NULL)) == ncclSuccess);
        call.among = way == 0 ? (struct members){rank / half * half, 1, half}
                              : (struct members){rank % 2, 2, half};
        run(call);
        CHECK(ncclCommDestroy(call.comm) == ncclSuccess);
    }
}

/* Nobody waits for these; and one that is made in a group. */
static void makers(ncclComm_t comm)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    struct call call = plain(comm);

    config.blocking = 0;
    CHECK(ncclCommInitRankConfig(&call.comm, ranks, shared_id("waiting"), rank, &config) <=
          ncclInProgress);
    wait_for(call.comm);
    fill(&call, stream);
    CHECK(begin(&call, stream) == ncclInProgress);
    if (getenv("JOB_TWICE"))
        CHECK(begin(&call, stream) == ncclInvalidArgument &&
              ncclBroadcast(from, from, 9, ncclFloat32, 0, call.comm, stream) ==
                  ncclInvalidArgument);
    wait_for(call.comm);
    compare(&call, stream);
    CHECK(ncclCommDestroy(call.comm) == ncclSuccess);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(ncclCommInitRank(&call.comm, ranks, shared_id("grouped"), rank) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    run(call);
    CHECK(ncclCommFinalize(call.comm) == ncclSuccess);
    CHECK(ncclCommDestroy(call.comm) == ncclSuccess);
}

/* $JOB_FAULT on rank 0: the state is the program's communicator's, or the call never ends; then all
 * is aborted. */
static void faults(ncclComm_t comm)
{
    struct call call = plain(comm);
    ncclResult_t state = ncclSuccess;
    bool hangs = strncmp(getenv("JOB_FAULT"), "hang", 4) == 0;

    fill(&call, stream);
    setenv("STANDIN_FAULT", getenv("JOB_FAULT"), 1);
    state = begin(&call, stream); /* which may find it already */
    CHECK(state == ncclSuccess || state == ncclInProgress ||
          (!hangs && rank == 0 && state == ncclRemoteError));
    state = ncclSuccess;
    for (int i = 0; (hangs || rank > 0 ? i < 300 : state != ncclRemoteError); i++) {
        CHECK(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
        usleep(1000);
    }
    CHECK(hangs || rank > 0 ? state == ncclSuccess || (!blocks && state == ncclInProgress)
                            : state == ncclRemoteError);
    CHECK(!blocks || cudaStreamQuery(stream) == cudaErrorNotReady);
    if (getenv("JOB_GROUPED"))
        CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(ncclCommAbort(comm) == ncclSuccess);
    if (getenv("JOB_GROUPED"))
        CHECK(ncclGroupEnd() == ncclSuccess);
    unsetenv("STANDIN_FAULT");
    finish(stream);
}

/* Given up before they are ready, after ever more questions. */
static void given_up(ncclComm_t comm)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state;
    char name[24];

    (void)comm;
    config.blocking = 0;
    for (int looks = 0; looks < 40; looks += 3) {
        snprintf(name, sizeof(name), "given-up-%d", looks);
        CHECK(ncclCommInitRankConfig(&comm, ranks, shared_id(name), rank, &config) <=
              ncclInProgress);
        for (int i = 0; i < looks; i++)
            CHECK(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
        CHECK(ncclCommAbort(comm) == ncclSuccess);
    }
}

static void make(ncclComm_t *comm, const char *name)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;

    if (blocks) {
        CHECK(ncclCommInitRank(comm, ranks, shared_id(name), rank) == ncclSuccess);
        return;
    }
    config.blocking = 0;
    CHECK(ncclCommInitRankConfig(comm, ranks, shared_id(name), rank, &config) <= ncclInProgress);
    wait_for(*comm);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(ncclComm_t comm);
    } ways[] = {{"values", values},        {"groups", groups},     {"streams", streams},
                {"graphs", graphs},        {"parts", parts},       {"makers", makers},
                {"faults", faults},        {"given-up", given_up}, {"orders", orders},
                {"behind", behind},        {"handles", handles},   {"windows", windows},
                {"averages", averages},    {"many", many},         {"suspended", suspended},
                {"configured", configured}};

    const char *call = getenv("JOB_CALL"), *waits = getenv("JOB_WAITS");

    rank = atoi(getenv("RANK"));
    ranks = atoi(getenv("WORLD_SIZE"));
    blocks = !waits || atoi(waits) != 0;
    kind = call && strcmp(call, "reduce-scatter") == 0 ? REDUCE_SCATTER
           : call && strcmp(call, "allgather") == 0    ? ALLGATHER
                                                       : ALLREDUCE;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaMalloc((void **)&from, sizeof(sent)) == cudaSuccess);
    CHECK(cudaMalloc((void **)&to, sizeof(sent)) == cudaSuccess);
    for (int i = 1; i < argc; i++)
        for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
            ncclComm_t comm = NULL;

            if (strcmp(ways[way].name, argv[i]) != 0)
                continue;
            make(&comm, argv[i]);
            CHECK(cudaGetLastError() == cudaSuccess); /* what is beside leaves no error behind */
            ways[way].run(comm);
            if (ways[way].run != faults)
                CHECK(ncclCommDestroy(comm) == ncclSuccess);
        }
    CHECK(cudaFree(from) == cudaSuccess && cudaFree(to) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(other) == cudaSuccess);
    standin_check_leaks();
    return was_wrong ? 3 : 0;
}
