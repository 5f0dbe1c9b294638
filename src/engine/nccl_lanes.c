/* nccl_lanes.c - see nccl_lanes.h. */
#include "engine/nccl_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "engine/cuda_kernels.h"
#include "engine/packing.h"

/* Looks at an event that has not passed between two looks at the clock, and seconds between two
 * looks at the communicators' states. */
#define LOOKS_PER_CLOCK   64
#define SECONDS_PER_STATE 1e-3
/* The first NCCL whose communicators may work at the same time (NCCL_LAUNCH_ORDER_IMPLICIT). */
#define VERSION_WITH_LANES 22600
/* The first CUDA of drivers with which kernels that NCCL launches in an order overlap. */
#define DRIVER_WITH_OVERLAP          12030
#define DRIVER_WITH_CAPTURED_OVERLAP 12090

/* ---- lanes ---- */

/* Without an order of launches communicators at work at once may deadlock (user guide, "Using
 * multiple NCCL communicators concurrently"). With it NCCL lets kernels overlap where the driver
 * can tell that they were launched, else one after another (2.28.9: src/enqueue.cc). */
static void find_overlap(struct hs_nccl_lanes *lanes, bool captured)
{
    const char *order = getenv("NCCL_LAUNCH_ORDER_IMPLICIT");
    int driver = 0;

    (void)cudaDriverGetVersion(&driver);
    if (lanes->comms->api->version < VERSION_WITH_LANES)
        lanes->serial = "NCCL before 2.26";
    else if (order && strcmp(order, "0") == 0)
        lanes->serial = "NCCL_LAUNCH_ORDER_IMPLICIT=0";
    lanes->one_lane = lanes->serial != NULL;
    if (!lanes->serial && driver < DRIVER_WITH_OVERLAP)
        lanes->serial = "driver before CUDA 12.3";
    else if (!lanes->serial && captured && driver < DRIVER_WITH_CAPTURED_OVERLAP)
        lanes->serial = "graphs, driver before CUDA 12.9";
}

enum hs_status hs_nccl_lanes_init(struct hs_nccl_lanes *lanes, bool captured, struct hs_error *err)
{
    find_overlap(lanes, captured);
    enum hs_status status = hs_cuda_status(cudaEventCreate(&lanes->begin), "cudaEventCreate", err);
    if (status == HS_OK)
        status = hs_cuda_status(cudaEventCreate(&lanes->end), "cudaEventCreate", err);
    if (status == HS_OK)
        status = hs_cuda_status(cudaHostAlloc((void **)&lanes->gate.passed,
                                              sizeof(*lanes->gate.passed), cudaHostAllocPortable),
                                "cudaHostAlloc", err);
    if (status == HS_OK)
        *lanes->gate.passed = 0;
    if (status == HS_OK)
        status = hs_nccl_lanes_need(lanes, 1, err);
    return status;
}

enum hs_status hs_nccl_lanes_hold(struct hs_nccl_lanes *lanes, struct hs_error *err)
{
    return hs_cuda_status(hs_cuda_wait(lanes->gate.passed, ++lanes->gate.turn, lanes->streams[0]),
                          "the kernel that waits for the host", err);
}

void hs_nccl_lanes_go(struct hs_nccl_lanes *lanes)
{
    *lanes->gate.passed = lanes->gate.turn;
    lanes->issued = lanes->looked = MPI_Wtime();
}

enum hs_status hs_nccl_lanes_need(struct hs_nccl_lanes *lanes, int layers, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    for (int i = 0; i < layers && status == HS_OK; i++)
        if (lanes->streams[i] == NULL)
            status =
                hs_cuda_status(cudaStreamCreateWithFlags(&lanes->streams[i], cudaStreamNonBlocking),
                               "cudaStreamCreateWithFlags", err);
    for (int s = 0; s < 2 * layers - 1 && status == HS_OK; s++)
        if (lanes->done[s] == NULL)
            status =
                hs_cuda_status(cudaEventCreateWithFlags(&lanes->done[s], cudaEventDisableTiming),
                               "cudaEventCreateWithFlags", err);
    return status;
}

static void destroy_event(cudaEvent_t event)
{
    if (event != NULL)
        cudaEventDestroy(event);
}

void hs_nccl_lanes_release(struct hs_nccl_lanes *lanes)
{
    for (int s = 0; s < HS_STAGES_MAX; s++)
        destroy_event(lanes->done[s]);
    for (size_t i = 0; i < lanes->timed.count; i++)
        destroy_event(lanes->timed.events[i]);
    free(lanes->timed.events);
    hs_memory_nccl.release(lanes->between.data);
    destroy_event(lanes->begin);
    destroy_event(lanes->end);
    for (int i = 0; i < HS_LAYERS_MAX; i++)
        if (lanes->streams[i] != NULL)
            cudaStreamDestroy(lanes->streams[i]);
    if (lanes->gate.passed)
        cudaFreeHost((void *)lanes->gate.passed);
    *lanes = (struct hs_nccl_lanes){0};
}

static enum hs_status need_timed(struct hs_nccl_timers *timed, size_t count, struct hs_error *err)
{
    if (count <= timed->count)
        return HS_OK;
    cudaEvent_t *events = realloc(timed->events, count * sizeof(cudaEvent_t));
    if (events == NULL)
        return hs_fail(err, HS_MEMORY, "out of memory for %zu events", count);
    timed->events = events;
    while (timed->count < count) {
        enum hs_status status =
            hs_cuda_status(cudaEventCreate(&events[timed->count]), "cudaEventCreate", err);
        if (status != HS_OK)
            return status;
        timed->count++;
    }
    return HS_OK;
}

/* All of the room: it is the same for all work on these buffers. */
static size_t between_bytes(const struct hs_work *work)
{
    return work->room * hs_datatype_bytes(work->datatype);
}

bool hs_nccl_lanes_short(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                         int64_t rank)
{
    struct hs_stages stages;

    if (!hs_task_exchanges(work->task) && !hs_task_packs(work->task))
        return false;
    hs_stages_init(&stages, work, rank);
    return stages.count > 1 && lanes->between.bytes < between_bytes(work);
}

enum hs_status hs_nccl_lanes_widen(struct hs_nccl_lanes *lanes, const struct hs_work *work,
                                   struct hs_error *err)
{
    struct hs_nccl_between between = {.bytes = between_bytes(work)};
    enum hs_status status;

    hs_memory_nccl.release(lanes->between.data);
    lanes->between = (struct hs_nccl_between){0};
    status =
        hs_memory_nccl.allocate(&between.data, between.bytes, "a message between two layers", err);
    if (status == HS_OK)
        lanes->between = between;
    return status;
}

/* ---- calls ---- */

/* Ranks that an average is over; of a stage alone all. */
static int callers_of(const struct hs_work *work, int np)
{
    return (int)hs_task_group(work->task, np).size;
}

/* Whether NCCL's own average is exact, layer by layer. What a first layer divides by is the number
 * of all ranks, so that groups of a mesh have it in one call alone. */
static bool average_by_nccl(const struct hs_work *work, int np)
{
    const struct hs_task *task = work->task;
    int size = callers_of(work, np);

    return (size & (size - 1)) == 0 &&
           (size == np || task->kind == HS_TASK_NATIVE || task->plan.split.count == 1);
}

/* ncclAvg scales in every layer, which keeps NVLS and PAT from being used (2.28.9:
 * src/include/device.h); so a plan of several layers scales in the first and adds in the others. */
static ncclRedOp_t operation_of(const struct hs_work *work, const struct hs_nccl_comm *comm, int np)
{
    if (work->operation == HS_MAX)
        return ncclMax;
    if (work->operation != HS_AVERAGE || !average_by_nccl(work, np))
        return ncclSum;
    if (!comm || comm->layer.size == callers_of(work, np))
        return ncclAvg;
    return comm->layer.stride == 1 ? comm->mean[work->datatype] : ncclSum;
}

/* One collective among the ranks of `comm`, which are `size`; `count` elements, `width` bytes each,
 * on the larger side. */
struct call {
    ncclComm_t comm;
    size_t size, count, width;
    enum hs_phase phase;
    const char *input;
    char *output;
    ncclDataType_t datatype;
    ncclRedOp_t operation;
    cudaStream_t stream;
};

/* The group ends in any case; what failed first is told. */
static ncclResult_t exchange(const struct hs_nccl_api *api, const struct call *call)
{
    size_t part = call->count / call->size, bytes = part * call->width;
    ncclResult_t result = api->GroupStart(), ended;

    if (result != ncclSuccess)
        return result;
    for (size_t r = 0; r < call->size && hs_nccl_went_well(result); r++) {
        result = api->Send(call->input + r * bytes, part, call->datatype, (int)r, call->comm,
                           call->stream);
        if (hs_nccl_went_well(result))
            result = api->Recv(call->output + r * bytes, part, call->datatype, (int)r, call->comm,
                               call->stream);
    }
    ended = api->GroupEnd();
    return hs_nccl_went_well(result) ? ended : result;
}

static ncclResult_t start(const struct hs_nccl_api *api, const struct call *call)
{
    size_t part = call->count / call->size;

    switch (call->phase) {
    case HS_REDUCE_SCATTER:
        return api->ReduceScatter(call->input, call->output, part, call->datatype, call->operation,
                                  call->comm, call->stream);
    case HS_ALLGATHER:
        return api->AllGather(call->input, call->output, part, call->datatype, call->comm,
                              call->stream);
    case HS_ALLREDUCE:
        return api->AllReduce(call->input, call->output, call->count, call->datatype,
                              call->operation, call->comm, call->stream);
    case HS_EXCHANGE:
        return exchange(api, call);
    case HS_PAIR:
    case HS_PHASE_COUNT:
        break;
    }
    abort();
}

/* On a non-blocking communicator a call may not be on the stream yet when it returns; CUDA's calls
 * that come after it have to wait for that. */
static enum hs_status issue(struct hs_nccl_lanes *lanes, const struct call *call,
                            struct hs_error *err)
{
    static const char *const names[HS_PHASE_COUNT] = {[HS_REDUCE_SCATTER] = "ncclReduceScatter",
                                                      [HS_ALLGATHER] = "ncclAllGather",
                                                      [HS_ALLREDUCE] = "ncclAllReduce",
                                                      [HS_EXCHANGE] = "ncclSend/ncclRecv"};
    double begin = MPI_Wtime();
    ncclResult_t result = start(lanes->comms->api, call);
    enum hs_status status = hs_nccl_wait(lanes->comms, call->comm, result, names[call->phase], err);

    lanes->clock.nccl_seconds += MPI_Wtime() - begin;
    lanes->clock.calls++;
    return status;
}

/* Divides for an average that was made by sums. */
static enum hs_status finish(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                             const struct call *call, struct hs_error *err)
{
    int np = lanes->comms->np;
    size_t count = call->phase == HS_REDUCE_SCATTER ? call->count / call->size : call->count;

    if (work->operation != HS_AVERAGE || average_by_nccl(work, np))
        return HS_OK;
    return hs_cuda_status(
        hs_cuda_divide(call->output, count, work->datatype, callers_of(work, np), call->stream),
        "the division of an average", err);
}

/* ---- packed plans: the larger side into the order of the layers, or out of it, on lane 0 ---- */

/* Puts a regrouping of runs (cuda_kernels.h) on a stream, and does not wait. */
static enum hs_status regroup(char *to, const char *from, struct hs_cuda_runs runs,
                              cudaStream_t stream, struct hs_error *err)
{
    return hs_cuda_status(hs_cuda_regroup(to, from, runs, stream), "bringing runs together", err);
}

/* Blocks of a reversed message lie by the digits of their ranks the other way round (collective.h):
 * each pass brings the outermost digit left to where the innermost is, one pass fewer than layers.
 * Passes alternate between the output and what is between the layers, and end in the output. */
static enum hs_status reverse(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                              const char *from, bool back, struct hs_error *err)
{
    const struct hs_split *split = &work->task->plan.split;
    struct hs_block block = hs_task_block(work->task, work->line, lanes->comms->rank);
    struct hs_cuda_runs runs = {.rows = (size_t)hs_split_product(split),
                                .bytes = block.count * hs_datatype_bytes(work->datatype),
                                .times = 1};
    enum hs_status status = HS_OK;

    for (int i = 0; i + 1 < split->count && status == HS_OK; i++) {
        char *to = (split->count - i) % 2 == 0 ? work->output : lanes->between.data;

        runs.columns = (size_t)split->sizes[back ? split->count - 1 - i : i];
        runs.rows /= runs.columns;
        status = regroup(to, from, runs, lanes->streams[0], err);
        runs.times *= runs.columns;
        from = to;
    }
    return status;
}

static enum hs_status copy_block(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                                 char *to, const char *from, struct hs_error *err)
{
    size_t bytes = hs_task_block(work->task, work->line, lanes->comms->rank).count *
                   hs_datatype_bytes(work->datatype);

    return to == from ? HS_OK
                      : hs_cuda_status(
                            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, lanes->streams[0]),
                            "cudaMemcpyAsync", err);
}

/* A block of this rank, in the order of ranks and in that of the layers. */
static void own_blocks(size_t bytes[2], const struct hs_nccl_lanes *lanes,
                       const struct hs_work *work)
{
    struct hs_problem problem = hs_task_problem(work->task);
    struct hs_block block = hs_task_block(work->task, work->line, lanes->comms->rank);
    size_t width = hs_datatype_bytes(work->datatype);

    bytes[0] = block.first * width;
    problem.layout = HS_REVERSED;
    bytes[1] = (size_t)hs_problem_block(&problem, &work->task->plan.split,
                                        hs_group_place(&problem.group, lanes->comms->rank)) *
               block.count * width;
}

/* Before the stages. `run` is the work as requested, and becomes what the stages run in its place:
 * with the packed message as its input, or with what is between as its output where an odd number
 * of passes follows. Needs the room that hs_nccl_lanes_short asks for. */
static enum hs_status pack(struct hs_work *run, const struct hs_nccl_lanes *lanes,
                           struct hs_error *err)
{
    struct hs_work asked = *run;
    size_t own[2];

    if (!hs_task_packs(run->task))
        return HS_OK;
    own_blocks(own, lanes, run);
    if (hs_collectives[run->task->collective].begins_large) {
        run->input = run->output;
        return reverse(lanes, run, asked.input, false, err);
    }
    if (run->task->plan.split.count % 2 == 0)
        run->output = lanes->between.data;
    return copy_block(lanes, run, (char *)run->output + own[1], (char *)asked.output + own[0], err);
}

/* Behind the stages: what is in the output of `run` to where `asked` has it. */
static enum hs_status unpack(const struct hs_work *run, const struct hs_work *asked,
                             const struct hs_nccl_lanes *lanes, struct hs_error *err)
{
    size_t own[2];

    if (!hs_task_packs(run->task))
        return HS_OK;
    own_blocks(own, lanes, run);
    if (hs_collectives[run->task->collective].begins_large)
        return copy_block(lanes, run, (char *)asked->output + own[0],
                          (char *)asked->output + own[1], err);
    return reverse(lanes, asked, run->output, true, err);
}

/* ---- a plan, a stage ---- */

/* Work that is being put on the lanes. */
struct issue {
    struct hs_nccl_lanes *lanes;
    const struct hs_work *work;
    struct hs_stages stages;
    bool timed;
    /* Nothing overlaps: without chunks, as reduce-scatters and allgathers by themselves are, which
     * do not both begin and end on the first lane, where a run does. */
    bool one_lane;
};

static cudaStream_t lane(const struct issue *at, int layer)
{
    return at->lanes->streams[at->one_lane ? 0 : layer];
}

/* Exchanges write where they do not read: the last to the output, the one before between. */
static char *written_by(const struct issue *at, int s)
{
    bool between = (at->stages.count - 1 - s) % 2 == 1;

    return between ? at->lanes->between.data : at->work->output;
}

/* Each rank's block stays at its place in the output: NCCL's in-place rule for both directions. The
 * first reduction alone reads the input. */
static struct call call_of(const struct issue *at, int s, int chunk)
{
    const struct hs_work *work = at->work;
    const struct hs_stage *stage = &at->stages.stages[s];
    struct hs_block block = hs_stages_block(&at->stages, stage->layer, chunk);
    size_t width = hs_datatype_bytes(work->datatype);
    const char *input = stage->layer == 0 ? work->input : work->output;
    char *output = work->output;
    const struct hs_nccl_comm *comm =
        hs_nccl_comms_find(at->lanes->comms, stage->key.layer, at->lanes->comms->kind);
    struct call call = {.comm = comm->comm,
                        .size = (size_t)stage->key.layer.size,
                        .count = block.count,
                        .width = width,
                        .phase = stage->key.phase,
                        .input = input + block.first * width,
                        .output = output + block.first * width,
                        .datatype = hs_nccl_datatype(work->datatype),
                        .operation = operation_of(work, comm, at->lanes->comms->np),
                        .stream = lane(at, stage->layer)};

    if (stage->key.phase == HS_EXCHANGE) {
        call.input = s == 0 ? work->input : written_by(at, s - 1);
        call.output = written_by(at, s);
    } else if (stage->key.phase != HS_ALLREDUCE) {
        char *mine = output + hs_stages_block(&at->stages, stage->layer + 1, chunk).first * width;

        if (stage->key.phase == HS_REDUCE_SCATTER)
            call.output = mine;
        else
            call.input = mine;
    }
    return call;
}

static enum hs_status record(cudaEvent_t event, cudaStream_t stream, struct hs_error *err)
{
    return hs_cuda_status(cudaEventRecord(event, stream), "cudaEventRecord", err);
}

/* The two events of a stage and chunk. */
static cudaEvent_t *timers_of(const struct hs_nccl_lanes *lanes, const struct hs_stages *stages,
                              int s, int chunk)
{
    return &lanes->timed.events[2 * ((size_t)s * (size_t)stages->chunks + (size_t)chunk)];
}

/* Where they are many, the runs of a rank are brought together in the buffer that the stage writes;
 * what arrives goes to the other one, and apart from there. Of one run a rank's are together. */
static enum hs_status issue_call(const struct issue *at, int s, const struct call *call,
                                 struct hs_error *err)
{
    size_t run = call->phase == HS_EXCHANGE ? hs_stages_run(&at->stages, s) : 0;
    size_t rounds = run > 0 ? call->count / (run * call->size) : 1;
    char *output = at->work->output, *between = at->lanes->between.data;
    struct call packed = *call;
    enum hs_status status;

    if (rounds == 1)
        return issue(at->lanes, call, err);
    packed.input = call->output;
    packed.output = call->output == output ? between : output;
    status =
        regroup(call->output, call->input,
                (struct hs_cuda_runs){rounds, call->size, run * call->width, 1}, call->stream, err);
    if (status == HS_OK)
        status = issue(at->lanes, &packed, err);
    return status == HS_OK
               ? regroup(call->output, packed.output,
                         (struct hs_cuda_runs){call->size, rounds, run * call->width, 1},
                         call->stream, err)
               : status;
}

static enum hs_status issue_stage(const struct issue *at, int s, int chunk, struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = at->lanes;
    struct call call = call_of(at, s, chunk);
    enum hs_status status = HS_OK;

    if (call.count == 0)
        return HS_OK;
    if (s > 0 && !at->one_lane)
        status = hs_cuda_status(cudaStreamWaitEvent(call.stream, lanes->done[s - 1], 0),
                                "cudaStreamWaitEvent", err);
    if (status == HS_OK && at->timed)
        status = record(timers_of(lanes, &at->stages, s, chunk)[0], call.stream, err);
    if (status == HS_OK)
        status = issue_call(at, s, &call, err);
    if (status == HS_OK && at->work->task->kind == HS_TASK_PLAN &&
        hs_stages_sums_last(&at->stages, s))
        status = finish(lanes, at->work, &call, err);
    if (status == HS_OK && at->timed)
        status = record(timers_of(lanes, &at->stages, s, chunk)[1], call.stream, err);
    if (status == HS_OK && s + 1 < at->stages.count && !at->one_lane)
        status = record(lanes->done[s], call.stream, err);
    return status;
}

static enum hs_status issue_stages(const struct issue *at, struct hs_error *err)
{
    const struct hs_stages *stages = &at->stages;
    enum hs_status status = HS_OK;

    if (at->timed)
        status =
            need_timed(&at->lanes->timed, 2 * (size_t)stages->count * (size_t)stages->chunks, err);
    for (int tick = 0; tick < stages->chunks + stages->count - 1; tick++)
        for (int s = stages->count - 1; s >= 0 && status == HS_OK; s--)
            if (tick - s >= 0 && tick - s < stages->chunks)
                status = issue_stage(at, s, tick - s, err);
    return status;
}

/* ---- the library's own ---- */

enum hs_nccl_kind hs_nccl_native_kind(int native)
{
    switch (native) {
    case HS_NCCL_NATIVE_DEFAULT:
        return HS_NCCL_PLAIN;
    case HS_NCCL_NATIVE_RING:
        return HS_NCCL_PINNED;
    case HS_NCCL_NATIVE_ZERO_CTA:
        return HS_NCCL_WINDOWED_ZERO_CTA;
    default:
        return HS_NCCL_WINDOWED;
    }
}

bool hs_nccl_native_is_root(const struct hs_nccl_comms *comms, const struct hs_task *task)
{
    struct hs_group group = hs_task_group(task, comms->np);

    return !comms->registers && task->native == HS_NCCL_NATIVE_DEFAULT && hs_group_is_world(&group);
}

/* NULL: it is that of all ranks, or not made. */
static const struct hs_nccl_comm *native_item(const struct hs_nccl_comms *comms,
                                              const struct hs_task *task)
{
    struct hs_group group = hs_task_group(task, comms->np);

    if (hs_nccl_native_is_root(comms, task))
        return NULL;
    return hs_nccl_comms_find_group(comms, &group, hs_nccl_native_kind(task->native));
}

/* NULL: not made yet. */
static ncclComm_t native_comm(const struct hs_nccl_comms *comms, const struct hs_task *task)
{
    const struct hs_nccl_comm *item = native_item(comms, task);

    if (hs_nccl_native_is_root(comms, task))
        return comms->root;
    return item ? item->comm : NULL;
}

/* In place, where NCCL has that: a rank's block lies where it belongs in the output. */
static enum hs_status issue_native(struct hs_nccl_lanes *lanes, const struct hs_work *work,
                                   struct hs_error *err)
{
    const struct hs_collective_row *row = &hs_collectives[work->task->collective];
    struct hs_block mine = hs_task_block(work->task, work->line, lanes->comms->rank);
    char *own = (char *)work->output + mine.first * hs_datatype_bytes(work->datatype);
    struct call call = {.comm = native_comm(lanes->comms, work->task),
                        .size = (size_t)callers_of(work, lanes->comms->np),
                        .count = hs_task_padded(work->task, work->line),
                        .width = hs_datatype_bytes(work->datatype),
                        .phase = row->last,
                        .input = row->begins_large ? work->input : own,
                        .output = row->begins_large ? own : work->output,
                        .datatype = hs_nccl_datatype(work->datatype),
                        .operation = operation_of(work, NULL, lanes->comms->np),
                        .stream = lanes->streams[0]};
    enum hs_status status = issue(lanes, &call, err);

    return status == HS_OK && row->outcome == HS_OUTCOME_REDUCED ? finish(lanes, work, &call, err)
                                                                 : status;
}

enum hs_status hs_nccl_issue(struct hs_nccl_lanes *lanes, const struct hs_work *work, bool timed,
                             struct hs_error *err)
{
    struct hs_work run = *work;
    struct issue at = {.lanes = lanes,
                       .work = &run,
                       .timed = timed,
                       .one_lane =
                           lanes->one_lane || hs_collective_is_one_way(work->task->collective)};
    double begin = MPI_Wtime();
    enum hs_status status;

    if (work->task->kind == HS_TASK_NATIVE) {
        status = issue_native(lanes, work, err);
    } else {
        hs_stages_init(&at.stages, work, lanes->comms->rank);
        lanes->stages = at.stages;
        status = pack(&run, lanes, err);
        if (status == HS_OK)
            status = issue_stages(&at, err);
        if (status == HS_OK)
            status = unpack(&run, work, lanes, err);
    }
    lanes->clock.issue_seconds += MPI_Wtime() - begin;
    return status;
}

enum hs_status hs_nccl_stage_times(struct hs_nccl_lanes *lanes, double seconds[HS_STAGES_MAX],
                                   struct hs_error *err)
{
    const struct hs_stages *stages = &lanes->stages;
    enum hs_status status = HS_OK;

    memset(seconds, 0, (size_t)HS_STAGES_MAX * sizeof(*seconds));
    for (int s = 0; s < stages->count; s++)
        for (int c = 0; c < stages->chunks && status == HS_OK; c++) {
            const cudaEvent_t *timers = timers_of(lanes, stages, s, c);
            float milliseconds = 0;

            if (hs_stages_block(stages, 0, c).count == 0)
                continue;
            status = hs_cuda_status(cudaEventElapsedTime(&milliseconds, timers[0], timers[1]),
                                    "cudaEventElapsedTime", err);
            seconds[s] += (double)milliseconds * 1e-3;
        }
    return status;
}

/* ---- what NCCL took ---- */

void hs_nccl_take_choices(struct hs_nccl_lanes *lanes, const struct hs_work *work,
                          char text[HS_STAGES_MAX][HS_CHOICE_TEXT])
{
    struct hs_nccl_comms *comms = lanes->comms;
    struct hs_stages stages;

    memset(text, 0, (size_t)HS_STAGES_MAX * sizeof(text[0]));
    if (work->task->kind == HS_TASK_NATIVE) {
        hs_nccl_comms_choice(text[0], comms, native_item(comms, work->task),
                             hs_collectives[work->task->collective].last);
        return;
    }
    hs_stages_init(&stages, work, comms->rank);
    for (int s = 0; s < stages.count; s++) {
        const struct hs_stage_key *key = &stages.stages[s].key;
        const struct hs_nccl_comm *item = hs_nccl_comms_find(comms, key->layer, comms->kind);

        hs_nccl_comms_choice(text[s], comms, item, key->phase);
    }
}

/* ---- the end of a run ---- */

enum hs_status hs_nccl_lanes_test(struct hs_nccl_lanes *lanes, bool *done, struct hs_error *err)
{
    struct hs_nccl_comms *comms = lanes->comms;
    cudaError_t code = cudaEventQuery(lanes->end);
    double now;

    *done = code != cudaErrorNotReady;
    if (*done)
        return hs_cuda_status(code, "cudaEventQuery", err);
    (void)cudaGetLastError(); /* "not ready" counts as one, and a kernel's launch would find it */
    if (++lanes->looks % LOOKS_PER_CLOCK != 0)
        return HS_OK;
    now = MPI_Wtime();
    if (now - lanes->issued > comms->timeout_seconds) {
        comms->timed_out = true;
        return hs_fail(err, HS_FAILED, "the GPU was not done after %g s", comms->timeout_seconds);
    }
    if (now - lanes->looked < SECONDS_PER_STATE)
        return HS_OK;
    lanes->looked = now;
    return hs_nccl_comms_state(comms, err);
}

enum hs_status hs_nccl_lanes_seconds(const struct hs_nccl_lanes *lanes, double *seconds,
                                     struct hs_error *err)
{
    float milliseconds = 0;
    enum hs_status status = hs_cuda_status(
        cudaEventElapsedTime(&milliseconds, lanes->begin, lanes->end), "cudaEventElapsedTime", err);

    *seconds = (double)milliseconds * 1e-3;
    return status;
}
