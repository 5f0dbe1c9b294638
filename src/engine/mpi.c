/*
 * mpi.c - engine `mpi`: the MPI library's own collectives, layer by layer, on host memory or, where
 * the library takes pointers to it, a GPU's.
 *
 * One chunk: the blocking calls, MPI_Reduce_scatter_block, MPI_Allreduce, MPI_Allgather and
 * MPI_Alltoall, from which a test returns when they are through. More: their nonblocking forms, so
 * that layers overlap; on a communicator they start in the order of the chunks, on all ranks alike.
 * Nonblocking always where ranks outnumber cores: a blocking call may spin. On GPU memory always
 * the blocking calls: Open MPI has no others for it; they start in an order that the plan alone
 * decides. A reduce-scatter may not work in place at another offset, so what it leaves goes to
 * scratch: 1/p1 of the message, 1/(p1 p2), and so on.
 */
#include <stdlib.h>

#include "engine/mpi_base.h"
#include "engine/native.h"

struct mpi_state {
    struct hs_mpi_base base; /* first: see mpi_base.h */
    /* What enters layer i, all chunks one after the other; [0] is unused, the input does that. */
    char *scratch[HS_LAYERS_MAX];
    size_t scratch_bytes[HS_LAYERS_MAX];
    /* Of the task that runs now: */
    MPI_Request requests[HS_STAGES_MAX];
    int chunk[HS_STAGES_MAX]; /* that the stage works on */
    const struct hs_layer_comm *comms[HS_LAYERS_MAX];
    bool blocking;
};

static enum hs_status mpi_open(void **out, const struct hs_engine_config *config,
                               struct hs_error *err)
{
    *out = NULL;
    if (!config->memory->direct)
        return hs_fail(err, HS_INVALID, "the MPI library takes no pointers to %s",
                       config->memory->name);
    return hs_mpi_base_open(out, sizeof(struct mpi_state), config, err);
}

/* Room for `bytes` bytes before layer i; what was there is lost. Local. */
static enum hs_status need_scratch(struct mpi_state *state, int i, size_t bytes,
                                   struct hs_error *err)
{
    const struct hs_memory *memory = state->base.transport.memory;
    void *scratch;
    enum hs_status status;

    if (state->scratch_bytes[i] >= bytes)
        return HS_OK;
    memory->release(state->scratch[i]);
    state->scratch[i] = NULL;
    state->scratch_bytes[i] = 0;
    status = memory->allocate(&scratch, bytes, "a layer's blocks", err);
    if (status != HS_OK)
        return status;
    state->scratch[i] = scratch;
    state->scratch_bytes[i] = bytes;
    return HS_OK;
}

static enum hs_status mpi_prepare(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct mpi_state *state = opaque;
    struct hs_layer_comms *comms = &state->base.comms;
    size_t width = hs_datatype_bytes(work->datatype);
    struct hs_stages stages;
    enum hs_status status = hs_work_check_library(work, comms->np, err);

    if (status != HS_OK)
        return status;
    if (work->task->kind == HS_TASK_NATIVE)
        return hs_mpi_native_prepare(&state->base, work, err);
    hs_stages_init(&stages, work, comms->rank);
    for (int i = 1; status == HS_OK && i < stages.layers && !stages.whole; i++)
        status = need_scratch(state, i, stages.padded / hs_stages_parts(&stages, i) * width, err);
    status = hs_agree(comms->world, &comms->idle, status, err);
    if (status == HS_OK)
        status = hs_mpi_base_need_between(&state->base, &stages, work, err);
    for (int i = 0; status == HS_OK && i < stages.layers; i++) {
        const struct hs_layer_comm *comm;

        status = hs_layer_comms_get(&comm, comms, stages.layer[i], err);
    }
    return status;
}

static char *in_output(const struct mpi_state *state, struct hs_block block)
{
    return (char *)state->base.work.output +
           block.first * hs_datatype_bytes(state->base.work.datatype);
}

/* The block that enters layer i as it lies in front of that layer. A chunk starts at `first` of the
 * message, so at first / parts of what has been scattered to so many. A stage alone leaves its
 * block in the output. */
static char *entering(const struct mpi_state *state, int i, int chunk)
{
    const struct hs_stages *stages = &state->base.stages;
    size_t first = hs_stages_block(stages, 0, chunk).first;
    size_t width = hs_datatype_bytes(state->base.work.datatype);

    if (i == 0)
        return (char *)state->base.work.input + first * width;
    if (i == stages->layers)
        return in_output(state, hs_stages_block(stages, i, chunk));
    return state->scratch[i] + first / hs_stages_parts(stages, i) * width;
}

static void start_stage(void *opaque, int index, int chunk)
{
    struct mpi_state *state = opaque;
    struct hs_mpi_base *base = &state->base;
    const struct hs_stage *stage = &base->stages.stages[index];
    bool gathers = stage->key.phase == HS_ALLGATHER;
    struct hs_block block = hs_stages_block(&base->stages, stage->layer, chunk);
    struct hs_native_call call = {.phase = stage->key.phase,
                                  .comm = state->comms[stage->layer],
                                  .from =
                                      gathers ? MPI_IN_PLACE : entering(state, stage->layer, chunk),
                                  .to = in_output(state, block),
                                  .count = (int)block.count,
                                  .type = base->types[base->work.datatype],
                                  .op = hs_mpi_base_op(base, &base->work),
                                  .request = state->blocking ? NULL : &state->requests[index]};

    state->requests[index] = MPI_REQUEST_NULL;
    state->chunk[index] = chunk;
    if (block.count == 0 || base->transport.status != HS_OK)
        return;
    if (stage->key.phase == HS_REDUCE_SCATTER)
        call.to = entering(state, stage->layer + 1, chunk);
    if (stage->key.phase == HS_EXCHANGE) {
        call.from = hs_mpi_base_read_by(base, index);
        call.to = hs_mpi_base_written_by(base, index);
        call.run = (int)hs_stages_run(&base->stages, index);
    }
    hs_native_start(&base->transport, &call);
}

static bool progress_stage(void *opaque, int index, bool *moved)
{
    struct mpi_state *state = opaque;
    struct hs_mpi_base *base = &state->base;
    const struct hs_stage *stage = &base->stages.stages[index];
    const struct hs_memory *memory = base->transport.memory;

    if (!hs_transport_test(&base->transport, &state->requests[index]))
        return false;
    *moved = true;
    if (hs_stages_sums_last(&base->stages, index) && base->work.task->kind == HS_TASK_PLAN) {
        bool scatters = stage->key.phase == HS_REDUCE_SCATTER;
        struct hs_block block =
            hs_stages_block(&base->stages, stage->layer + scatters, state->chunk[index]);

        memory->finish(base->queue, in_output(state, block), block.count,
                       hs_mpi_base_reduction(base, &base->work));
        memory->wait(base->queue); /* an allgather may read it next */
        hs_transport_note_queue(&base->transport, base->queue);
    }
    return true;
}

static enum hs_status mpi_start(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct mpi_state *state = opaque;
    struct hs_mpi_base *base = &state->base;
    bool on_gpu = base->transport.memory != &hs_memory_host;

    base->work = *work;
    if (work->task->kind == HS_TASK_NATIVE)
        return hs_mpi_native_start(base, work, err);
    hs_mpi_base_begin(base, work);
    for (int i = 0; i < base->stages.layers; i++) {
        enum hs_status status =
            hs_layer_comms_get(&state->comms[i], &base->comms, base->stages.layer[i], err);

        if (status != HS_OK)
            return status;
    }
    state->blocking = on_gpu || (base->stages.chunks == 1 && !base->comms.idle.oversubscribed);
    return HS_OK;
}

static enum hs_status mpi_test(void *opaque, bool *done, bool *moved, struct hs_error *err)
{
    static const struct hs_stage_runner runner = {start_stage, progress_stage};

    return hs_mpi_base_test(opaque, &runner, done, moved, err);
}

static size_t mpi_memory_bytes(const void *opaque)
{
    const struct mpi_state *state = opaque;
    size_t bytes = sizeof(*state) - sizeof(state->base) + hs_mpi_base_bytes(&state->base);

    for (int i = 0; i < HS_LAYERS_MAX; i++)
        bytes += state->scratch_bytes[i];
    return bytes;
}

static void mpi_close(void *opaque)
{
    struct mpi_state *state = opaque;

    if (!state)
        return;
    for (int i = 0; i < HS_LAYERS_MAX; i++)
        state->base.transport.memory->release(state->scratch[i]);
    hs_mpi_base_release(&state->base);
    free(state);
}

static const struct hs_engine engine = {
    .prepare = mpi_prepare,
    .start = mpi_start,
    .test = mpi_test,
    .stage_seconds = hs_mpi_base_stage_seconds,
    .memory_bytes = mpi_memory_bytes,
    .describe = hs_mpi_base_describe,
    .close = mpi_close,
    .natives = hs_mpi_natives,
    .has_native = hs_mpi_has_native,
};

const struct hs_backend hs_backend_mpi = {
    .name = "mpi",
    .memory_use = HS_MEMORY_DIRECT,
    .open = mpi_open,
    .engine = &engine,
    .rings = true,
};
