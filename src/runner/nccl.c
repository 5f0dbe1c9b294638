/*
 * nccl.c - backends `nccl` and `nccl-graph`: NCCL's collectives, layer by layer, on GPU memory.
 *
 * One process per GPU. `nccl` issues a plan call by call, as a program would; `nccl-graph` replays
 * it as a CUDA graph, and is a backend of its own so that its times are never mixed with the
 * other's.
 *
 * A run that does not end in time fails on the ranks that saw it; the driver then calls recover on
 * all, which aborts every communicator, waits until the GPU is free, and makes them again.
 */
#include "runner/nccl.h"

#include <stdio.h>

#include "runner/check.h"
#include "runner/cuda_kernels.h"
#include "runner/layer_comms.h"
#include "runner/nccl_state.h"

/* After ncclCommAbort kernels leave at once; a GPU that is still busy then is lost. */
#define FREE_GPU_SECONDS 20.0

static enum hs_status open_with(void **out, const struct hs_backend_config *config,
                                bool with_graphs, struct hs_error *err)
{
    struct hs_nccl_state *state;
    enum hs_status status = hs_nccl_state_new(&state, config, with_graphs, err);
    *out = state;
    return status;
}

/* Ranks that share a GPU are told before anything is made. */
static enum hs_status nccl_suits(MPI_Comm world, struct hs_idle *idle, struct hs_error *err)
{
    struct hs_nccl_device device;
    return hs_nccl_device_find(&device, world, idle, err);
}

static enum hs_status nccl_open(void **out, const struct hs_backend_config *config,
                                struct hs_error *err)
{
    return open_with(out, config, false, err);
}

static enum hs_status graph_open(void **out, const struct hs_backend_config *config,
                                 struct hs_error *err)
{
    return open_with(out, config, true, err);
}

static void nccl_close(void *opaque)
{
    if (opaque != NULL)
        hs_nccl_state_free(opaque);
}

/* ---- a run ---- */

/* Remembers a failure: nothing more is put on communicators in an unknown state. */
static enum hs_status failing(struct hs_nccl_state *state, enum hs_status status)
{
    if (status != HS_OK)
        state->broken = true;
    return status;
}

static enum hs_status begin(struct hs_nccl_state *state, struct hs_error *err)
{
    if (state->broken)
        return hs_fail(err, HS_FAILED, "an earlier failure left NCCL unusable");
    return hs_cuda_status(cudaEventRecord(state->lanes.begin, state->lanes.streams[0]),
                          "cudaEventRecord", err);
}

/* `issued` is how putting things on lane 0 went. */
static enum hs_status end(struct hs_nccl_state *state, enum hs_status issued, struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = &state->lanes;
    if (issued == HS_OK)
        issued =
            hs_cuda_status(cudaEventRecord(lanes->end, lanes->streams[0]), "cudaEventRecord", err);
    if (issued == HS_OK)
        issued = hs_nccl_lanes_wait(lanes, err);
    if (issued == HS_OK)
        issued = hs_nccl_lanes_seconds(lanes, &state->device_seconds, err);
    if (issued != HS_OK && !state->comms.timed_out)
        state->comms.failed = true;
    return failing(state, issued);
}

static enum hs_status check_plan(const struct hs_nccl_state *state, const struct hs_plan *plan,
                                 struct hs_error *err)
{
    int64_t product = hs_split_product(&plan->split);
    if (product != state->np)
        return hs_fail(err, HS_INVALID, "the split is for %lld processes, there are %d",
                       (long long)product, state->np);
    if (plan->chunks < 1 || plan->chunks > HS_CHUNKS_MAX)
        return hs_fail(err, HS_INVALID, "chunks: expected 1 to %d, found %d", HS_CHUNKS_MAX,
                       plan->chunks);
    return HS_OK;
}

static enum hs_status run_calls(struct hs_nccl_state *state, const struct hs_plan *plan, bool timed,
                                struct hs_error *err)
{
    enum hs_status status = begin(state, err);
    if (status == HS_OK)
        status = hs_nccl_issue_plan(&state->lanes, plan, timed, err);
    return end(state, status, err);
}

/* Collective: ranks that cannot go on keep the others from waiting for them. */
static enum hs_status capture(struct hs_nccl_state *state, const struct hs_plan *plan,
                              struct hs_error *err)
{
    enum hs_status status = run_calls(state, plan, false, err);
    status = hs_agree(state->world, &state->idle, status, err);
    if (status == HS_OK)
        status = hs_nccl_graphs_capture(&state->graphs, &state->lanes, plan, err);
    return hs_agree(state->world, &state->idle, failing(state, status), err);
}

static enum hs_status nccl_prepare(void *opaque, const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    enum hs_status status = check_plan(state, plan, err);
    if (status != HS_OK)
        return status;
    state->last = *plan;
    if (state->broken)
        status = hs_fail(err, HS_FAILED, "an earlier failure left NCCL unusable");
    else
        status = hs_nccl_lanes_need(&state->lanes, plan->split.count, err);
    status = hs_agree(state->world, &state->idle, status, err);
    for (int i = 0; i < plan->split.count && status == HS_OK; i++) {
        const struct hs_nccl_comm *comm;
        status =
            hs_nccl_comms_get(&comm, &state->comms, hs_split_layer(&plan->split, i), false, err);
    }
    if (status == HS_OK && state->with_graphs)
        status = capture(state, plan, err);
    return failing(state, status);
}

static enum hs_status run_graph(struct hs_nccl_state *state, cudaGraphExec_t exec,
                                struct hs_error *err)
{
    enum hs_status status = begin(state, err);
    if (status == HS_OK)
        status =
            hs_cuda_status(cudaGraphLaunch(exec, state->lanes.streams[0]), "cudaGraphLaunch", err);
    return end(state, status, err);
}

/* Events inside a graph have no times, so runs with layer times are issued call by call. */
static enum hs_status nccl_run(void *opaque, const struct hs_plan *plan,
                               struct hs_layer_times *times, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    const struct hs_nccl_graph *graph = hs_nccl_graphs_find(&state->graphs, plan);
    state->last = *plan;
    if (times == NULL && graph != NULL && graph->exec != NULL)
        return run_graph(state, graph->exec, err);
    enum hs_status status = run_calls(state, plan, times != NULL, err);
    if (status == HS_OK && times != NULL)
        status = hs_nccl_stage_times(&state->lanes, plan, times, err);
    return status;
}

static enum hs_status nccl_run_layer(void *opaque, struct hs_layer layer, enum hs_phase phase,
                                     size_t count, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    struct hs_nccl_lanes *lanes = &state->lanes;
    const struct hs_nccl_comm *comm;
    if (layer.stride < 1 || layer.size < 1 || state->np % (layer.stride * layer.size) != 0)
        return hs_fail(err, HS_INVALID,
                       "layer of %lld at stride %lld: expected their product to divide %d",
                       (long long)layer.size, (long long)layer.stride, state->np);
    if (count > lanes->count)
        return hs_fail(err, HS_INVALID, "expected at most %zu elements for a layer, found %zu",
                       lanes->count, count);
    size_t size = (size_t)layer.size, padded = (count + size - 1) / size * size;
    size_t mine = (size_t)hs_layer_place(layer, state->rank) * (padded / size) * lanes->width;
    char *input = lanes->input, *output = lanes->output;
    if (phase == HS_ALLGATHER)
        input = output + mine;
    else if (phase == HS_REDUCE_SCATTER)
        output += mine;

    state->last.split.count = 0;
    enum hs_status status = hs_nccl_comms_get(&comm, &state->comms, layer, false, err);
    if (status == HS_OK)
        status = begin(state, err);
    if (status == HS_OK)
        status = hs_nccl_issue_one(lanes, comm->comm, layer, phase, input, output, padded, err);
    return end(state, status, err);
}

/* ---- baselines ---- */

static enum hs_status run_allreduce(struct hs_nccl_state *state, ncclComm_t comm,
                                    struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = &state->lanes;
    struct hs_layer all = {1, state->np};
    enum hs_status status = begin(state, err);
    if (status == HS_OK)
        status = hs_nccl_issue_one(lanes, comm, all, HS_ALLREDUCE, lanes->input, lanes->output,
                                   lanes->count, err);
    if (status == HS_OK)
        status = hs_nccl_issue_finish(lanes, lanes->output, lanes->count, err);
    return end(state, status, err);
}

static enum hs_status run_default(void *opaque, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    state->last.split.count = 0;
    return run_allreduce(state, state->comms.root, err);
}

static enum hs_status run_ring(void *opaque, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    const struct hs_nccl_comm *comm;
    state->last.split.count = 0;
    enum hs_status status =
        hs_nccl_comms_get(&comm, &state->comms, (struct hs_layer){1, state->np}, true, err);
    return status == HS_OK ? run_allreduce(state, comm->comm, err) : failing(state, status);
}

static const struct hs_baseline baselines[] = {
    {"ncclAllReduce", run_default}, {"ncclAllReduce ring", run_ring}, {NULL, NULL}};

/* ---- after a failure ---- */

/* Streams of aborted communicators end by themselves, in a while. */
static enum hs_status wait_for_free_gpu(struct hs_nccl_state *state, struct hs_error *err)
{
    double begin_seconds = MPI_Wtime();
    for (int i = 0; i < HS_LAYERS_MAX; i++) {
        cudaStream_t stream = state->lanes.streams[i];
        cudaError_t code = cudaErrorNotReady;
        while (stream != NULL && (code = cudaStreamQuery(stream)) == cudaErrorNotReady) {
            (void)cudaGetLastError();
            if (MPI_Wtime() - begin_seconds > FREE_GPU_SECONDS)
                return hs_fail(err, HS_FAILED,
                               "the GPU is still busy %g s after NCCL was told to stop",
                               FREE_GPU_SECONDS);
            hs_idle_looked(&state->idle, false);
        }
        if (stream != NULL && code != cudaSuccess)
            return hs_cuda_status(code, "cudaStreamQuery", err);
    }
    return HS_OK;
}

/* Captured graphs hold communicators that are gone. The plan that failed is not captured again. */
static enum hs_status capture_again(struct hs_nccl_state *state, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    for (struct hs_nccl_graph *at = state->graphs.first; at != NULL && status == HS_OK;
         at = at->next)
        if (hs_plan_compare(&at->plan, &state->last) != 0)
            status = capture(state, &at->plan, err);
    return status;
}

static enum hs_status nccl_recover(void *opaque, bool *timed_out, struct hs_error *err)
{
    struct hs_nccl_state *state = opaque;
    struct hs_plan failed = state->last;
    /* Where one rank has an error its peers wait for it in vain: the error is the news. */
    enum { FINE, LATE, FAILED };
    int news = state->comms.failed ? FAILED : state->comms.timed_out ? LATE : FINE, worst;
    MPI_Request request;
    CHECK_MPI(MPI_Iallreduce(&news, &worst, 1, MPI_INT, MPI_MAX, state->world, &request));
    hs_idle_wait(&state->idle, &request);
    *timed_out = worst == LATE;

    hs_nccl_graphs_drop(&state->graphs);
    state->broken = true;
    hs_nccl_comms_abort(&state->comms);
    enum hs_status status = wait_for_free_gpu(state, err);
    status = hs_agree(state->world, &state->idle, status, err);
    if (status == HS_OK)
        status = hs_nccl_comms_renew(&state->comms, err);
    state->broken = status != HS_OK;
    state->last = failed;
    return status == HS_OK ? capture_again(state, err) : status;
}

/* ---- what is local ---- */

/* All bits set is a NaN in every data type, and no pattern has one. */
static void nccl_spoil(void *opaque)
{
    struct hs_nccl_state *state = opaque;
    struct hs_nccl_lanes *lanes = &state->lanes;
    if (cudaMemsetAsync(lanes->output, 0xff, state->room * lanes->width, lanes->streams[0]) !=
            cudaSuccess ||
        hs_nccl_state_drain(state, NULL) != HS_OK)
        state->broken = true;
}

/* All are wrong where they cannot be counted. */
static uint64_t nccl_wrong_elements(void *opaque)
{
    struct hs_nccl_state *state = opaque;
    struct hs_nccl_lanes *lanes = &state->lanes;
    cudaStream_t stream = lanes->streams[0];
    unsigned long long wrong = 0;
    if (cudaMemsetAsync(state->wrong, 0, sizeof wrong, stream) == cudaSuccess &&
        hs_cuda_count_wrong(state->wrong, lanes->output, &lanes->pattern, 0, lanes->count,
                            stream) == cudaSuccess &&
        cudaMemcpyAsync(&wrong, state->wrong, sizeof wrong, cudaMemcpyDeviceToHost, stream) ==
            cudaSuccess &&
        hs_nccl_state_drain(state, NULL) == HS_OK)
        return wrong;
    return lanes->count;
}

static size_t nccl_memory_bytes(const void *opaque)
{
    const struct hs_nccl_state *state = opaque;
    return 2 * state->room * state->lanes.width + sizeof *state;
}

static size_t nccl_padded_count(const void *opaque, const struct hs_plan *plan)
{
    const struct hs_nccl_state *state = opaque;
    return hs_stages_padded(&plan->split, state->lanes.count);
}

static double nccl_device_seconds(const void *opaque)
{
    const struct hs_nccl_state *state = opaque;
    return state->device_seconds;
}

struct hs_nccl_clock hs_nccl_backend_clock(const void *opaque)
{
    const struct hs_nccl_state *state = opaque;
    return state->lanes.clock;
}

static void print_version(char *text, size_t bytes, const struct hs_nccl_api *api)
{
    snprintf(text, bytes, "%d.%d.%d", api->version / 10000, api->version / 100 % 100,
             api->version % 100);
}

void hs_nccl_backend_describe(const void *opaque, char *text, size_t bytes)
{
    const struct hs_nccl_state *state = opaque;
    char version[32];
    print_version(version, sizeof version, state->api);
    snprintf(text, bytes, "NCCL %s, %s%s", version, state->device.name,
             state->device.shared ? HS_SHARED_GPU_TEXT : "");
}

static void nccl_identify(struct hs_device_facts *facts)
{
    const struct hs_nccl_api *api;
    struct hs_error error;
    hs_nccl_device_identify(facts);
    if (hs_nccl_api_get(&api, &error) == HS_OK)
        print_version(facts->nccl, sizeof facts->nccl, api);
}

#define NCCL_FUNCTIONS                                                                             \
    .available = hs_nccl_device_available, .suits = nccl_suits, .identify = nccl_identify,         \
    .prepare = nccl_prepare, .run = nccl_run, .run_layer = nccl_run_layer,                         \
    .recover = nccl_recover, .spoil = nccl_spoil, .wrong_elements = nccl_wrong_elements,           \
    .memory_bytes = nccl_memory_bytes, .padded_count = nccl_padded_count,                          \
    .device_seconds = nccl_device_seconds, .describe = hs_nccl_backend_describe,                   \
    .close = nccl_close, .baselines = baselines

const struct hs_backend hs_backend_nccl = {
    .name = "nccl",
    .summary = "NCCL's collectives per layer, on GPU memory, one process per GPU",
    .open = nccl_open,
    NCCL_FUNCTIONS,
};

const struct hs_backend hs_backend_nccl_graph = {
    .name = "nccl-graph",
    .summary = "the same, every plan replayed as one CUDA graph",
    .open = graph_open,
    NCCL_FUNCTIONS,
};
