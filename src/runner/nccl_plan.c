/* nccl_plan.c - see nccl_plan.h. */
#include "runner/nccl_plan.h"

#include <stdlib.h>

#include "runner/cuda_kernels.h"

/* Looks at an event that has not passed between two looks at the clock, and seconds between two
 * looks at the communicators' states. */
#define LOOKS_PER_CLOCK   64
#define SECONDS_PER_STATE 1e-3
/* The first NCCL whose communicators may work at the same time (NCCL_LAUNCH_ORDER_IMPLICIT). */
#define VERSION_WITH_LANES 22600

/* ---- lanes ---- */

enum hs_status hs_nccl_lanes_init(struct hs_nccl_lanes *lanes, struct hs_error *err)
{
    lanes->one_lane = lanes->comms->api->version < VERSION_WITH_LANES;
    enum hs_status status = hs_cuda_status(cudaEventCreate(&lanes->begin), "cudaEventCreate", err);
    if (status == HS_OK)
        status = hs_cuda_status(cudaEventCreate(&lanes->end), "cudaEventCreate", err);
    if (status == HS_OK)
        status = hs_nccl_lanes_need(lanes, 1, err);
    return status;
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
    for (size_t i = 0; i < lanes->timed_count; i++)
        destroy_event(lanes->timed[i]);
    free(lanes->timed);
    destroy_event(lanes->begin);
    destroy_event(lanes->end);
    for (int i = 0; i < HS_LAYERS_MAX; i++)
        if (lanes->streams[i] != NULL)
            cudaStreamDestroy(lanes->streams[i]);
    *lanes = (struct hs_nccl_lanes){0};
}

static enum hs_status need_timed(struct hs_nccl_lanes *lanes, size_t count, struct hs_error *err)
{
    if (count <= lanes->timed_count)
        return HS_OK;
    cudaEvent_t *events = realloc(lanes->timed, count * sizeof(cudaEvent_t));
    if (events == NULL)
        return hs_fail(err, HS_MEMORY, "out of memory for %zu events", count);
    lanes->timed = events;
    while (lanes->timed_count < count) {
        enum hs_status status =
            hs_cuda_status(cudaEventCreate(&events[lanes->timed_count]), "cudaEventCreate", err);
        if (status != HS_OK)
            return status;
        lanes->timed_count++;
    }
    return HS_OK;
}

/* ---- calls ---- */

static bool average_by_nccl(const struct hs_pattern *pattern)
{
    return pattern->operation == HS_AVERAGE && (pattern->np & (pattern->np - 1)) == 0;
}

static ncclRedOp_t operation_of(const struct hs_pattern *pattern)
{
    if (pattern->operation == HS_MAX)
        return ncclMax;
    return average_by_nccl(pattern) ? ncclAvg : ncclSum;
}

static ncclDataType_t datatype_of(enum hs_datatype datatype)
{
    switch (datatype) {
    case HS_FLOAT32:
        return ncclFloat32;
    case HS_FLOAT64:
        return ncclFloat64;
    case HS_FLOAT16:
        return ncclFloat16;
    case HS_BFLOAT16:
        return ncclBfloat16;
    case HS_DATATYPE_COUNT:
        break;
    }
    abort();
}

/* One collective among the ranks of `comm`, which are layer.size; `count` elements on the larger
 * side. */
struct call {
    ncclComm_t comm;
    size_t size, count;
    enum hs_phase phase;
    const void *input;
    void *output;
    cudaStream_t stream;
};

static ncclResult_t start(const struct hs_nccl_lanes *lanes, const struct call *call)
{
    const struct hs_nccl_api *api = lanes->comms->api;
    ncclDataType_t datatype = datatype_of(lanes->pattern.datatype);
    ncclRedOp_t operation = operation_of(&lanes->pattern);
    switch (call->phase) {
    case HS_REDUCE_SCATTER:
        return api->ReduceScatter(call->input, call->output, call->count / call->size, datatype,
                                  operation, call->comm, call->stream);
    case HS_ALLGATHER:
        return api->AllGather(call->input, call->output, call->count / call->size, datatype,
                              call->comm, call->stream);
    case HS_ALLREDUCE:
        return api->AllReduce(call->input, call->output, call->count, datatype, operation,
                              call->comm, call->stream);
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
                                                      [HS_ALLREDUCE] = "ncclAllReduce"};
    double begin = MPI_Wtime();
    ncclResult_t result = start(lanes, call);
    enum hs_status status = hs_nccl_wait(lanes->comms, call->comm, result, names[call->phase], err);
    lanes->clock.nccl_seconds += MPI_Wtime() - begin;
    lanes->clock.calls++;
    return status;
}

static enum hs_status finish(struct hs_nccl_lanes *lanes, void *data, size_t count,
                             cudaStream_t stream, struct hs_error *err)
{
    const struct hs_pattern *pattern = &lanes->pattern;
    if (pattern->operation != HS_AVERAGE || average_by_nccl(pattern))
        return HS_OK;
    return hs_cuda_status(hs_cuda_divide(data, count, pattern->datatype, pattern->np, stream),
                          "the division of an average", err);
}

enum hs_status hs_nccl_issue_finish(struct hs_nccl_lanes *lanes, void *data, size_t count,
                                    struct hs_error *err)
{
    return finish(lanes, data, count, lanes->streams[0], err);
}

enum hs_status hs_nccl_issue_one(struct hs_nccl_lanes *lanes, ncclComm_t comm,
                                 struct hs_layer layer, enum hs_phase phase, const void *input,
                                 void *output, size_t count, struct hs_error *err)
{
    struct call call = {.comm = comm,
                        .size = (size_t)layer.size,
                        .count = count,
                        .phase = phase,
                        .input = input,
                        .output = output,
                        .stream = lanes->streams[0]};
    return issue(lanes, &call, err);
}

/* ---- a plan ---- */

static cudaStream_t lane(const struct hs_nccl_lanes *lanes, int layer)
{
    return lanes->streams[lanes->one_lane ? 0 : layer];
}

static char *at(char *buffer, const struct hs_nccl_lanes *lanes, size_t element)
{
    return buffer + element * lanes->width;
}

/* Each rank's block stays at its place in the output: NCCL's in-place rule for both directions. The
 * first reduction alone reads the input. */
static struct call call_of(const struct hs_nccl_lanes *lanes, const struct hs_stages *stages, int s,
                           int chunk)
{
    struct hs_stage stage = stages->stages[s];
    struct hs_layer layer = stages->layer[stage.layer];
    struct hs_block block = hs_stages_block(stages, stage.layer, chunk);
    const struct hs_nccl_comm *comm = hs_nccl_comms_find(lanes->comms, layer, false);
    struct call call = {.comm = comm->comm,
                        .size = (size_t)layer.size,
                        .count = block.count,
                        .phase = stage.key.phase,
                        .input =
                            at(stage.layer == 0 ? lanes->input : lanes->output, lanes, block.first),
                        .output = at(lanes->output, lanes, block.first),
                        .stream = lane(lanes, stage.layer)};
    if (stage.key.phase != HS_ALLREDUCE) {
        char *mine =
            at(lanes->output, lanes, hs_stages_block(stages, stage.layer + 1, chunk).first);
        if (stage.key.phase == HS_REDUCE_SCATTER)
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

/* The two events of a stage and chunk; NULL: not timed. */
static cudaEvent_t *timers_of(const struct hs_nccl_lanes *lanes, const struct hs_stages *stages,
                              int s, int chunk)
{
    return &lanes->timed[2 * ((size_t)s * (size_t)stages->chunks + (size_t)chunk)];
}

static enum hs_status issue_stage(struct hs_nccl_lanes *lanes, const struct hs_stages *stages,
                                  int s, int chunk, bool timed, struct hs_error *err)
{
    struct call call = call_of(lanes, stages, s, chunk);
    enum hs_status status = HS_OK;
    if (call.count == 0)
        return HS_OK;
    if (s > 0 && !lanes->one_lane)
        status = hs_cuda_status(cudaStreamWaitEvent(call.stream, lanes->done[s - 1], 0),
                                "cudaStreamWaitEvent", err);
    if (status == HS_OK && timed)
        status = record(timers_of(lanes, stages, s, chunk)[0], call.stream, err);
    if (status == HS_OK)
        status = issue(lanes, &call, err);
    if (status == HS_OK && call.phase == HS_ALLREDUCE)
        status = finish(lanes, call.output, call.count, call.stream, err);
    if (status == HS_OK && timed)
        status = record(timers_of(lanes, stages, s, chunk)[1], call.stream, err);
    if (status == HS_OK && s + 1 < stages->count && !lanes->one_lane)
        status = record(lanes->done[s], call.stream, err);
    return status;
}

enum hs_status hs_nccl_issue_plan(struct hs_nccl_lanes *lanes, const struct hs_plan *plan,
                                  bool timed, struct hs_error *err)
{
    struct hs_stages stages;
    enum hs_status status = HS_OK;
    hs_stages_init(&stages, plan, lanes->comms->rank, lanes->count);
    if (timed)
        status = need_timed(lanes, 2 * (size_t)stages.count * (size_t)stages.chunks, err);

    double begin = MPI_Wtime();
    for (int tick = 0; tick < stages.chunks + stages.count - 1; tick++)
        for (int s = stages.count - 1; s >= 0 && status == HS_OK; s--)
            if (tick - s >= 0 && tick - s < stages.chunks)
                status = issue_stage(lanes, &stages, s, tick - s, timed, err);
    lanes->clock.issue_seconds += MPI_Wtime() - begin;
    return status;
}

enum hs_status hs_nccl_stage_times(struct hs_nccl_lanes *lanes, const struct hs_plan *plan,
                                   struct hs_layer_times *times, struct hs_error *err)
{
    struct hs_stages stages;
    enum hs_status status = HS_OK;
    hs_stages_init(&stages, plan, lanes->comms->rank, lanes->count);
    *times = (struct hs_layer_times){0};
    for (int s = 0; s < stages.count; s++)
        for (int c = 0; c < stages.chunks && status == HS_OK; c++) {
            struct hs_stage stage = stages.stages[s];
            const cudaEvent_t *timers = timers_of(lanes, &stages, s, c);
            double *sums =
                stage.key.phase == HS_ALLGATHER ? times->allgather : times->reduce_scatter;
            float milliseconds = 0;
            if (hs_stages_block(&stages, 0, c).count == 0)
                continue;
            status = hs_cuda_status(cudaEventElapsedTime(&milliseconds, timers[0], timers[1]),
                                    "cudaEventElapsedTime", err);
            sums[stage.layer] += (double)milliseconds * 1e-3;
        }
    return status;
}

/* ---- the end of a run ---- */

enum hs_status hs_nccl_lanes_wait(struct hs_nccl_lanes *lanes, struct hs_error *err)
{
    struct hs_nccl_comms *comms = lanes->comms;
    double begin = MPI_Wtime(), looked = begin;
    for (unsigned look = 1;; look++) {
        cudaError_t code = cudaEventQuery(lanes->end);
        if (code != cudaErrorNotReady)
            return hs_cuda_status(code, "cudaEventQuery", err);
        (void)
            cudaGetLastError(); /* "not ready" counts as one, and a kernel's launch would find it */
        hs_idle_looked(comms->idle, false);
        if (look % LOOKS_PER_CLOCK != 0)
            continue;
        double now = MPI_Wtime();
        if (now - begin > comms->timeout_seconds) {
            comms->timed_out = true;
            return hs_fail(err, HS_FAILED, "the GPU was not done after %g s",
                           comms->timeout_seconds);
        }
        if (now - looked < SECONDS_PER_STATE)
            continue;
        enum hs_status status = hs_nccl_comms_state(comms, err);
        if (status != HS_OK)
            return status;
        looked = now;
    }
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
