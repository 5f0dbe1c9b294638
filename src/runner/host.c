/*
 * host.c - backend `host`: our own pipelined ring over MPI point to point, on host or GPU memory.
 *
 * Each stage of a plan has a ring machine of its own, so all stages can be at work at once, and one
 * loop (hs_stages_run) drives them all. Machines are kept: plan after plan uses the same slots.
 */
#include <stdlib.h>

#include "runner/check.h"
#include "runner/host_data.h"
#include "runner/ring.h"
#include "runner/stages.h"

/* Four of 1 MiB: measured on 4 ranks and 2 busy cores. With less in flight (4 of 256 KiB) a rank
 * runs out of work within its turn and everything waits for the scheduler: up to twice as slow.
 * Blocks below 4 MiB are cut into four segments all the same. */
#define SEGMENT_BYTES_DEFAULT ((size_t)1 << 20)
#define SEGMENT_BYTES_MAX     ((size_t)8 << 20)
#define LANES_DEFAULT         4
/* Scratch of all rings together stays below this: part of "3 n + 64 MiB". */
#define SCRATCH_BYTES_MAX ((size_t)48 << 20)

struct host_state {
    struct hs_host_data data; /* first: see host_data.h */
    size_t segment_bytes;
    int lanes;
    /* Machine i reduces in stage i of a plan, machine i of the second row gathers. */
    struct hs_ring *reducers[HS_LAYERS_MAX], *gatherers[HS_LAYERS_MAX];
    /* The plan that runs now. */
    struct hs_stages stages;
};

/* How deep a split of np processes can get. */
static size_t most_layers(int np)
{
    size_t layers = 1;
    for (; np > 3; np /= 2)
        layers++;
    return layers;
}

static void choose_segments(struct host_state *state, const struct hs_backend_config *config)
{
    size_t wanted = config->segment_bytes > 0 ? config->segment_bytes : SEGMENT_BYTES_DEFAULT;
    state->lanes = config->segments_in_flight > 0 ? config->segments_in_flight : LANES_DEFAULT;
    if (state->lanes > HS_RING_LANES_MAX)
        state->lanes = HS_RING_LANES_MAX;
    size_t slots = 2 * (size_t)state->lanes * most_layers(state->data.comms.np);
    size_t most = SCRATCH_BYTES_MAX / slots;
    if (most > SEGMENT_BYTES_MAX)
        most = SEGMENT_BYTES_MAX;
    state->segment_bytes = wanted < most ? wanted : most;
    state->segment_bytes -= state->segment_bytes % 64;
    if (state->segment_bytes < 64)
        state->segment_bytes = 64;
}

static enum hs_status host_open(void **out, const struct hs_backend_config *config,
                                struct hs_error *err)
{
    enum hs_status status = hs_host_data_open(out, sizeof(struct host_state), "host", config, err);
    if (status == HS_OK)
        choose_segments(*out, config);
    return status;
}

/* Collective where the machine is not there yet: all ranks have the same ones, so all come here
 * alike. Nothing is sent where it is: this is inside what is timed. */
static enum hs_status need_ring(struct hs_ring **ring, struct host_state *state, bool reduces,
                                struct hs_error *err)
{
    if (*ring != NULL)
        return HS_OK;
    enum hs_status status =
        hs_ring_new(ring, state->data.memory, state->segment_bytes, state->lanes, reduces, err);
    status = hs_agree(state->data.comms.world, &state->data.comms.idle, status, err);
    if (status != HS_OK) {
        hs_ring_free(*ring);
        *ring = NULL;
    }
    return status;
}

static enum hs_status host_prepare(void *opaque, const struct hs_plan *plan, struct hs_error *err)
{
    struct host_state *state = opaque;
    enum hs_status status = hs_host_data_check_plan(&state->data, plan, err);
    for (int i = 0; status == HS_OK && i < plan->split.count; i++) {
        status = need_ring(&state->reducers[i], state, true, err);
        if (status == HS_OK && i < plan->split.count - 1)
            status = need_ring(&state->gatherers[i], state, false, err);
    }
    return status;
}

static struct hs_ring *ring_of(const struct host_state *state, struct hs_stage stage)
{
    return stage.key.phase == HS_ALLGATHER ? state->gatherers[stage.layer]
                                           : state->reducers[stage.layer];
}

/* What is the same for every call of a stage. Stages in flight together have different tags. */
static struct hs_ring_call call_of(const struct host_state *state, struct hs_layer layer,
                                   struct hs_stage stage)
{
    int rank = state->data.comms.rank, place = hs_layer_place(layer, rank);
    return (struct hs_ring_call){.phase = stage.key.phase,
                                 .comm = state->data.comms.world,
                                 .tag = stage.layer * HS_PHASE_COUNT + (int)stage.key.phase,
                                 .place = place,
                                 .size = (int)layer.size,
                                 .previous = hs_layer_rank(layer, rank, place - 1),
                                 .next = hs_layer_rank(layer, rank, place + 1),
                                 .datatype = state->data.pattern.datatype,
                                 .operation = state->data.pattern.operation};
}

/* The first reduction reads the backend's input; all others work within the output. */
static void start_stage(void *opaque, int index, int chunk)
{
    struct host_state *state = opaque;
    struct hs_stage stage = state->stages.stages[index];
    struct hs_block block = hs_stages_block(&state->stages, stage.layer, chunk);
    struct hs_ring_call call = call_of(state, state->stages.layer[stage.layer], stage);
    size_t width = state->data.width;

    call.count = block.count;
    call.input = (stage.layer == 0 ? state->data.input : state->data.output) + block.first * width;
    call.output = state->data.output + block.first * width;
    if (stage.key.phase == HS_REDUCE_SCATTER) {
        struct hs_block mine = hs_stages_block(&state->stages, stage.layer + 1, chunk);
        call.output = state->data.output + mine.first * width;
    }
    if (stage.key.phase == HS_ALLREDUCE && call.operation == HS_AVERAGE)
        call.average_over = state->data.comms.np;
    hs_ring_start(ring_of(state, stage), &call);
}

static bool progress_stage(void *opaque, int index, bool *moved)
{
    struct host_state *state = opaque;
    return hs_ring_progress(ring_of(state, state->stages.stages[index]), moved);
}

static const struct hs_stage_engine engine = {start_stage, progress_stage};

static enum hs_status host_run(void *opaque, const struct hs_plan *plan,
                               struct hs_layer_times *times, struct hs_error *err)
{
    struct host_state *state = opaque;
    (void)err;
    hs_stages_init(&state->stages, plan, state->data.comms.rank, state->data.count);
    if (times != NULL)
        *times = (struct hs_layer_times){0};
    hs_stages_run(&state->stages, &engine, state, &state->data.comms.idle, times);
    return HS_OK;
}

static enum hs_status host_run_layer(void *opaque, struct hs_layer layer, enum hs_phase phase,
                                     size_t count, struct hs_error *err)
{
    struct host_state *state = opaque;
    struct hs_ring **ring = phase == HS_ALLGATHER ? &state->gatherers[0] : &state->reducers[0];
    enum hs_status status = hs_host_data_check_layer(&state->data, layer, count, err);
    if (status == HS_OK)
        status = need_ring(ring, state, phase != HS_ALLGATHER, err);
    if (status != HS_OK)
        return status;

    size_t size = (size_t)layer.size;
    struct hs_ring_call call = call_of(state, layer, (struct hs_stage){.key.phase = phase});
    call.count = (count + size - 1) / size * size;
    call.input = state->data.input;
    call.output = state->data.output;
    hs_ring_start(*ring, &call);
    bool done = false;
    while (!done) {
        bool moved = false;
        done = hs_ring_progress(*ring, &moved);
        hs_idle_looked(&state->data.comms.idle, moved || done);
    }
    return HS_OK;
}

static size_t host_memory_bytes(const void *opaque)
{
    const struct host_state *state = opaque;
    size_t bytes = sizeof *state + hs_host_data_memory_bytes(&state->data);
    for (int i = 0; i < HS_LAYERS_MAX; i++) {
        bytes += state->reducers[i] == NULL ? 0 : hs_ring_memory_bytes(state->reducers[i]);
        bytes += state->gatherers[i] == NULL ? 0 : hs_ring_memory_bytes(state->gatherers[i]);
    }
    return bytes;
}

static void host_close(void *opaque)
{
    struct host_state *state = opaque;
    if (state == NULL)
        return;
    for (int i = 0; i < HS_LAYERS_MAX; i++) {
        hs_ring_free(state->reducers[i]);
        hs_ring_free(state->gatherers[i]);
    }
    hs_host_data_release(&state->data);
    free(state);
}

const struct hs_backend hs_backend_host = {
    .name = "host",
    .summary = "our pipelined ring over MPI point to point, on host or GPU memory",
    .memory_use = HS_MEMORY_ANY,
    .available = hs_host_data_available,
    .open = host_open,
    .prepare = host_prepare,
    .run = host_run,
    .run_layer = host_run_layer,
    .spoil = hs_host_data_spoil,
    .wrong_elements = hs_host_data_wrong_elements,
    .memory_bytes = host_memory_bytes,
    .padded_count = hs_host_data_padded_count,
    .device_seconds = NULL,
    .describe = hs_host_data_describe,
    .close = host_close,
    .baselines = hs_host_data_baselines,
};
