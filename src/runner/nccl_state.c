/* nccl_state.c - see nccl_state.h. */
#include "runner/nccl_state.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "runner/check.h"
#include "runner/cuda_kernels.h"
#include "runner/layer_comms.h"

static enum hs_status allocate(struct hs_nccl_state *state, char **out, const char *what,
                               struct hs_error *err)
{
    size_t bytes = state->room * state->lanes.width;
    void *memory = NULL;
    enum hs_status status;
    if (state->own_memory)
        status = hs_nccl_status(state->api, state->api->MemAlloc(&memory, bytes), what, err);
    else
        status = hs_cuda_status(cudaMalloc(&memory, bytes), what, err);
    *out = status == HS_OK ? memory : NULL;
    return status;
}

static void release_memory(struct hs_nccl_state *state, char *memory)
{
    if (memory == NULL)
        return;
    if (state->own_memory)
        state->api->MemFree(memory);
    else
        cudaFree(memory);
}

enum hs_status hs_nccl_state_drain(struct hs_nccl_state *state, struct hs_error *err)
{
    return hs_cuda_status(cudaStreamSynchronize(state->lanes.streams[0]), "cudaStreamSynchronize",
                          err);
}

/* Zeros beyond count: padding adds nothing. */
static enum hs_status fill(struct hs_nccl_state *state, struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = &state->lanes;
    cudaStream_t stream = lanes->streams[0];
    enum hs_status status =
        hs_cuda_status(cudaMemsetAsync(lanes->input, 0, state->room * lanes->width, stream),
                       "cudaMemsetAsync", err);
    if (status == HS_OK)
        status = hs_cuda_status(
            hs_cuda_fill(lanes->input, &lanes->pattern, state->rank, 0, lanes->count, stream),
            "filling the input", err);
    return status == HS_OK ? hs_nccl_state_drain(state, err) : status;
}

static enum hs_status make_local(struct hs_nccl_state *state,
                                 const struct hs_backend_config *config, struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = &state->lanes;
    lanes->comms = &state->comms;
    lanes->pattern = (struct hs_pattern){config->datatype, config->operation, state->np};
    lanes->count = config->count;
    lanes->width = hs_datatype_bytes(config->datatype);
    /* Padding goes to a multiple of np / (last layer's size), at most np / 2: np covers it. */
    state->room = config->count + (size_t)state->np;
    state->own_memory = state->api->MemAlloc != NULL && state->api->MemFree != NULL;
    if (config->count > SIZE_MAX / 2 / lanes->width - (size_t)state->np)
        return hs_fail(err, HS_MEMORY, "%zu elements per process are too many", config->count);
    enum hs_status status = hs_nccl_lanes_init(lanes, err);
    if (status == HS_OK)
        status = hs_cuda_status(cudaMalloc((void **)&state->wrong, sizeof *state->wrong),
                                "cudaMalloc", err);
    if (status == HS_OK)
        status = allocate(state, &lanes->input, "memory for the input", err);
    if (status == HS_OK)
        status = allocate(state, &lanes->output, "memory for the output", err);
    return status == HS_OK ? fill(state, err) : status;
}

static void register_later(struct hs_nccl_state *state)
{
    size_t bytes = state->room * state->lanes.width;
    state->comms.buffers[0] = (struct hs_nccl_buffer){state->lanes.input, bytes};
    state->comms.buffers[1] = (struct hs_nccl_buffer){state->lanes.output, bytes};
}

/* Communicators go first: buffers are registered with them. */
void hs_nccl_state_free(struct hs_nccl_state *state)
{
    hs_nccl_graphs_release(&state->graphs);
    hs_nccl_comms_release(&state->comms, state->broken);
    release_memory(state, state->lanes.input);
    release_memory(state, state->lanes.output);
    if (state->wrong != NULL)
        cudaFree(state->wrong);
    hs_nccl_lanes_release(&state->lanes);
    CHECK_MPI(MPI_Comm_free(&state->world));
    free(state);
}

static void start_state(struct hs_nccl_state *state, const struct hs_backend_config *config)
{
    MPI_Request request;
    state->idle.oversubscribed = true; /* until it is known */
    CHECK_MPI(MPI_Comm_idup(config->world, &state->world, &request));
    hs_idle_wait(&state->idle, &request);
    CHECK_MPI(MPI_Comm_rank(state->world, &state->rank));
    CHECK_MPI(MPI_Comm_size(state->world, &state->np));
    hs_idle_init(&state->idle, state->world);
    state->comms = (struct hs_nccl_comms){
        .api = state->api,
        .world = state->world,
        .rank = state->rank,
        .np = state->np,
        .idle = &state->idle,
        .timeout_seconds = config->timeout_seconds > 0 ? config->timeout_seconds : INFINITY};
}

enum hs_status hs_nccl_state_new(struct hs_nccl_state **out, const struct hs_backend_config *config,
                                 bool with_graphs, struct hs_error *err)
{
    struct hs_idle idle = {.oversubscribed = true};
    struct hs_nccl_state *state = calloc(1, sizeof *state);
    const struct hs_nccl_api *api = NULL;
    enum hs_status status = hs_nccl_api_get(&api, err);
    *out = NULL;
    if (state == NULL)
        status = hs_fail(err, HS_MEMORY, "out of memory for the nccl backend");
    status = hs_agree(config->world, &idle, status, err);
    if (status != HS_OK || state == NULL) {
        free(state);
        return status;
    }
    state->api = api;
    state->with_graphs = with_graphs;
    start_state(state, config);
    status = hs_nccl_device_choose(&state->device, api, state->world, &state->idle, err);
    if (status == HS_OK)
        status = hs_agree(state->world, &state->idle, make_local(state, config, err), err);
    if (status == HS_OK) {
        register_later(state);
        status = hs_nccl_comms_init(&state->comms, err);
    }
    if (status != HS_OK) {
        hs_nccl_state_free(state);
        return status;
    }
    *out = state;
    return HS_OK;
}
