/*
 * mpi.c - backend `mpi`: the MPI library's own collectives, layer by layer, on host memory or,
 * where the library takes pointers to it, a GPU's.
 *
 * One chunk: the blocking calls, MPI_Reduce_scatter_block, MPI_Allreduce and MPI_Allgather. More:
 * their nonblocking forms, so that layers overlap; on a communicator they start in the order of the
 * chunks, on all ranks alike. Nonblocking always where ranks outnumber cores: a blocking call may
 * spin. On GPU memory always the blocking calls: Open MPI has no others for it; they start in an
 * order that the plan alone decides. A reduce-scatter may not work in place at another offset, so
 * what it leaves goes to scratch: 1/p1 of the message, 1/(p1 p2), and so on.
 */
#include <stdlib.h>

#include "runner/check.h"
#include "runner/host_data.h"
#include "runner/stages.h"

struct mpi_state {
    struct hs_host_data data; /* first: see host_data.h */
    /* What enters layer i, all chunks one after the other; [0] is unused, the input does that. */
    char *scratch[HS_LAYERS_MAX];
    size_t scratch_bytes[HS_LAYERS_MAX];
    MPI_Request requests[HS_STAGES_MAX];
    int chunk[HS_STAGES_MAX]; /* that the stage works on */
    /* The plan that runs now. */
    struct hs_stages stages;
    const struct hs_layer_comm *comms[HS_LAYERS_MAX];
    bool blocking;
};

static enum hs_status mpi_open(void **out, const struct hs_backend_config *config,
                               struct hs_error *err)
{
    *out = NULL;
    if (config->memory != NULL && !config->memory->direct)
        return hs_fail(err, HS_INVALID, "the MPI library takes no pointers to %s",
                       config->memory->name);
    return hs_host_data_open(out, sizeof(struct mpi_state), "mpi", config, err);
}

static bool on_gpu(const struct mpi_state *state)
{
    return state->data.memory != &hs_memory_host;
}

/* Room for `bytes` bytes before layer i; what was there is lost. Local. */
static enum hs_status need_scratch(struct mpi_state *state, int i, size_t bytes,
                                   struct hs_error *err)
{
    void *memory;
    if (state->scratch_bytes[i] >= bytes)
        return HS_OK;
    state->data.memory->release(state->scratch[i]);
    state->scratch[i] = NULL;
    state->scratch_bytes[i] = 0;
    enum hs_status status = state->data.memory->allocate(&memory, bytes, "a layer's blocks", err);
    if (status != HS_OK)
        return status;
    state->scratch[i] = memory;
    state->scratch_bytes[i] = bytes;
    return HS_OK;
}

static enum hs_status mpi_prepare(void *opaque, const struct hs_plan *plan, struct hs_error *err)
{
    struct mpi_state *state = opaque;
    struct hs_stages stages;
    enum hs_status status = hs_host_data_check_plan(&state->data, plan, err);
    if (status != HS_OK)
        return status;

    hs_stages_init(&stages, plan, state->data.comms.rank, state->data.count);
    for (int i = 1; status == HS_OK && i < stages.layers; i++)
        status = need_scratch(
            state, i, stages.padded / (size_t)stages.layer[i].stride * state->data.width, err);
    status = hs_agree(state->data.comms.world, &state->data.comms.idle, status, err);
    for (int i = 0; status == HS_OK && i < stages.layers; i++) {
        const struct hs_layer_comm *comm;
        status = hs_layer_comms_get(&comm, &state->data.comms, stages.layer[i], err);
    }
    return status;
}

/* The block that enters layer i as it lies in front of that layer. A chunk starts at `first` of the
 * message, so at first / stride of what has been scattered to stride ranks. */
static char *entering(const struct mpi_state *state, int i, int chunk)
{
    size_t first = hs_stages_block(&state->stages, 0, chunk).first;
    char *base = i == 0 ? state->data.input : state->scratch[i];
    return base + first / (size_t)state->stages.layer[i].stride * state->data.width;
}

static char *in_output(const struct mpi_state *state, struct hs_block block)
{
    return state->data.output + block.first * state->data.width;
}

static void scatter(struct mpi_state *state, const struct hs_layer_comm *comm, const void *from,
                    void *to, size_t count, MPI_Request *request)
{
    const struct hs_host_data *data = &state->data;
    int part = (int)(count / (size_t)comm->layer.size);
    if (request == NULL)
        CHECK_MPI(MPI_Reduce_scatter_block(from, to, part, data->type, data->op, comm->reduce));
    else
        CHECK_MPI(
            MPI_Ireduce_scatter_block(from, to, part, data->type, data->op, comm->reduce, request));
}

static void gather(struct mpi_state *state, const struct hs_layer_comm *comm, void *blocks,
                   size_t count, MPI_Request *request)
{
    const struct hs_host_data *data = &state->data;
    int part = (int)(count / (size_t)comm->layer.size);
    if (request == NULL)
        CHECK_MPI(
            MPI_Allgather(MPI_IN_PLACE, 0, data->type, blocks, part, data->type, comm->gather));
    else
        CHECK_MPI(MPI_Iallgather(MPI_IN_PLACE, 0, data->type, blocks, part, data->type,
                                 comm->gather, request));
}

static void all(struct mpi_state *state, const struct hs_layer_comm *comm, const void *from,
                void *to, size_t count, MPI_Request *request)
{
    const struct hs_host_data *data = &state->data;
    if (request == NULL)
        CHECK_MPI(MPI_Allreduce(from, to, (int)count, data->type, data->op, comm->reduce));
    else
        CHECK_MPI(
            MPI_Iallreduce(from, to, (int)count, data->type, data->op, comm->reduce, request));
}

static void start_stage(void *opaque, int index, int chunk)
{
    struct mpi_state *state = opaque;
    struct hs_stage stage = state->stages.stages[index];
    const struct hs_layer_comm *comm = state->comms[stage.layer];
    struct hs_block block = hs_stages_block(&state->stages, stage.layer, chunk);
    MPI_Request *request = state->blocking ? NULL : &state->requests[index];

    state->requests[index] = MPI_REQUEST_NULL;
    state->chunk[index] = chunk;
    if (block.count == 0)
        return;
    switch (stage.key.phase) {
    case HS_REDUCE_SCATTER:
        scatter(state, comm, entering(state, stage.layer, chunk),
                entering(state, stage.layer + 1, chunk), block.count, request);
        break;
    case HS_ALLREDUCE:
        all(state, comm, entering(state, stage.layer, chunk), in_output(state, block), block.count,
            request);
        break;
    case HS_ALLGATHER:
        gather(state, comm, in_output(state, block), block.count, request);
        break;
    case HS_PAIR:
    case HS_PHASE_COUNT:
        abort();
    }
}

static bool progress_stage(void *opaque, int index, bool *moved)
{
    struct mpi_state *state = opaque;
    const struct hs_pattern *pattern = &state->data.pattern;
    struct hs_stage stage = state->stages.stages[index];
    int done = 0;
    CHECK_MPI(MPI_Test(&state->requests[index], &done, MPI_STATUS_IGNORE));
    if (!done)
        return false;
    *moved = true;
    if (stage.key.phase == HS_ALLREDUCE) {
        struct hs_block block = hs_stages_block(&state->stages, stage.layer, state->chunk[index]);
        const struct hs_memory *memory = state->data.memory;
        memory->finish(state->data.queue, in_output(state, block), block.count, pattern->datatype,
                       pattern->operation, pattern->np);
        memory->wait(state->data.queue); /* an allgather may read it next */
    }
    return true;
}

static const struct hs_stage_engine engine = {start_stage, progress_stage};

static enum hs_status mpi_run(void *opaque, const struct hs_plan *plan,
                              struct hs_layer_times *times, struct hs_error *err)
{
    struct mpi_state *state = opaque;
    hs_stages_init(&state->stages, plan, state->data.comms.rank, state->data.count);
    for (int i = 0; i < state->stages.layers; i++) {
        enum hs_status status =
            hs_layer_comms_get(&state->comms[i], &state->data.comms, state->stages.layer[i], err);
        if (status != HS_OK)
            return status;
    }
    state->blocking =
        on_gpu(state) || (state->stages.chunks == 1 && !state->data.comms.idle.oversubscribed);
    if (times != NULL)
        *times = (struct hs_layer_times){0};
    hs_stages_run(&state->stages, &engine, state, &state->data.comms.idle, times);
    return HS_OK;
}

/* `count` elements, a multiple of the layer's size that int can count. */
static void run_part(struct mpi_state *state, const struct hs_layer_comm *comm, enum hs_phase phase,
                     size_t first, size_t count)
{
    char *input = state->data.input + first * state->data.width;
    char *output = state->data.output + first * state->data.width;
    MPI_Request pending = MPI_REQUEST_NULL, *request = state->blocking ? NULL : &pending;
    switch (phase) {
    case HS_REDUCE_SCATTER:
        scatter(state, comm, input, output, count, request);
        break;
    case HS_ALLGATHER:
        gather(state, comm, output, count, request);
        break;
    case HS_ALLREDUCE:
        all(state, comm, input, output, count, request);
        break;
    case HS_PAIR:
    case HS_PHASE_COUNT:
        abort();
    }
    hs_idle_wait(&state->data.comms.idle, &pending);
}

static enum hs_status mpi_run_layer(void *opaque, struct hs_layer layer, enum hs_phase phase,
                                    size_t count, struct hs_error *err)
{
    struct mpi_state *state = opaque;
    const struct hs_layer_comm *comm;
    enum hs_status status = hs_host_data_check_layer(&state->data, layer, count, err);
    if (status == HS_OK)
        status = hs_layer_comms_get(&comm, &state->data.comms, layer, err);
    if (status != HS_OK)
        return status;

    size_t size = (size_t)layer.size;
    size_t padded = (count + size - 1) / size * size;
    size_t most = HS_CHUNK_ELEMENTS_MAX / size * size;
    state->blocking = on_gpu(state) || !state->data.comms.idle.oversubscribed;
    for (size_t first = 0; first < padded; first += most)
        run_part(state, comm, phase, first, padded - first < most ? padded - first : most);
    return HS_OK;
}

static size_t mpi_memory_bytes(const void *opaque)
{
    const struct mpi_state *state = opaque;
    size_t bytes = sizeof *state + hs_host_data_memory_bytes(&state->data);
    for (int i = 0; i < HS_LAYERS_MAX; i++)
        bytes += state->scratch_bytes[i];
    return bytes;
}

static void mpi_close(void *opaque)
{
    struct mpi_state *state = opaque;
    if (state == NULL)
        return;
    for (int i = 0; i < HS_LAYERS_MAX; i++)
        state->data.memory->release(state->scratch[i]);
    hs_host_data_release(&state->data);
    free(state);
}

const struct hs_backend hs_backend_mpi = {
    .name = "mpi",
    .summary = "the MPI library's own collectives per layer, on host or GPU memory",
    .memory_use = HS_MEMORY_DIRECT,
    .available = hs_host_data_available,
    .open = mpi_open,
    .prepare = mpi_prepare,
    .run = mpi_run,
    .run_layer = mpi_run_layer,
    .spoil = hs_host_data_spoil,
    .wrong_elements = hs_host_data_wrong_elements,
    .memory_bytes = mpi_memory_bytes,
    .padded_count = hs_host_data_padded_count,
    .device_seconds = NULL,
    .describe = hs_host_data_describe,
    .close = mpi_close,
    .baselines = hs_host_data_baselines,
};
