/*
 * host.c - engine `host`: our own algorithms over MPI point to point, on host or GPU memory.
 *
 * Each stage of a plan has a machine of its own, so all stages can be at work at once. Machines are
 * kept: plan after plan uses the same scratch.
 */
#include <stdint.h>
#include <stdlib.h>

#include "engine/executors.h"
#include "engine/mpi_base.h"
#include "model/forests.h"

/* Four of 1 MiB: measured on 4 ranks and 2 busy cores. With less in flight (4 of 256 KiB) a rank
 * runs out of work within its turn and everything waits for the scheduler: up to twice as slow.
 * Blocks below 4 MiB are cut into four segments all the same. */
#define SEGMENT_BYTES_DEFAULT ((size_t)1 << 20)
#define SEGMENT_BYTES_MAX     ((size_t)1 << 30) /* an int counts a message's bytes */
#define LANES_DEFAULT         4
/* Measured on 16 ranks of 8 hosts with links of 500 Mbit/s over TCP, where queues are long: a flat
 * ring's AllReduce of 4 MiB takes 141 ms, 160 to 190 with twice as many, 210 with 2 MiB. Enough for
 * 25 GB/s and 10 us. Where the caller says what is in flight, it alone does. */
#define FLIGHT_BYTES_DEFAULT ((size_t)256 << 10)
/* Scratch of all machines together stays below this, unless a size is asked for: part of "3 n + 64
 * MiB". */
#define SCRATCH_BYTES_MAX ((size_t)48 << 20)

enum { REDUCES, GATHERS, EXCHANGES, MACHINES };

struct host_state {
    struct hs_mpi_base base; /* first: see mpi_base.h */
    struct hs_executor_options options;
    /* Of each algorithm on layer i of a plan: one that reduces, one for allgathers, and one for
     * exchanges. */
    void *machines[HS_ALGORITHM_COUNT][HS_LAYERS_MAX][MACHINES];
    const struct hs_layer_comm *comms[HS_LAYERS_MAX]; /* of what runs now; NULL: none is needed */
    const struct hs_forests *forests;                 /* the caller's; NULL: none */
    /* Theirs, whatever the algorithm: one of a layer works at once. */
    struct hs_scratch own, *scratch;
};

/* How deep a split of np processes can get. */
static size_t most_layers(int np)
{
    size_t layers = 1;

    for (; np > 3; np /= 2)
        layers++;
    return layers;
}

static void choose_options(struct host_state *state, const struct hs_engine_config *config)
{
    size_t bytes = config->segment_bytes, most;
    int lanes = config->segments_in_flight > 0 ? config->segments_in_flight : LANES_DEFAULT;

    lanes = lanes < HS_LANES_MAX ? lanes : HS_LANES_MAX;
    most = SCRATCH_BYTES_MAX / (2 * (size_t)lanes * most_layers(state->base.comms.np));
    if (bytes == 0)
        bytes = most < SEGMENT_BYTES_DEFAULT ? most : SEGMENT_BYTES_DEFAULT;
    bytes = bytes < SEGMENT_BYTES_MAX ? bytes : SEGMENT_BYTES_MAX;
    bytes = bytes < 64 ? 64 : bytes - bytes % 64;
    state->options = (struct hs_executor_options){
        .segment_bytes = bytes,
        .lanes = lanes,
        .flight_bytes = config->segments_in_flight > 0 ? SIZE_MAX : FLIGHT_BYTES_DEFAULT};
}

/* Where others share it, enough for all: their segments are as large as they choose. */
static size_t scratch_bytes(const struct host_state *state, bool reduces)
{
    struct hs_executor_options options = state->options;

    options.reduces = reduces;
    if (state->scratch != &state->own) {
        options.segment_bytes = SEGMENT_BYTES_DEFAULT;
        options.lanes = LANES_DEFAULT;
    }
    return hs_executor_scratch_bytes(state->base.transport.memory, &options);
}

void hs_scratch_release(struct hs_scratch *scratch, const struct hs_memory *memory)
{
    for (int i = 0; i < 2 * HS_LAYERS_MAX; i++)
        (memory->direct ? memory->release : memory->release_staging)(scratch->slots[i / 2][i % 2]);
    *scratch = (struct hs_scratch){0};
}

static enum hs_status host_open(void **out, const struct hs_engine_config *config,
                                struct hs_error *err)
{
    enum hs_status status = hs_mpi_base_open(out, sizeof(struct host_state), config, err);

    if (status == HS_OK) {
        struct host_state *state = *out;

        choose_options(state, config);
        state->forests = config->forests;
        state->scratch = config->scratch ? config->scratch : &state->own;
    }
    return status;
}

/* What runs a stage: where there are trees for it, its algorithm is theirs. */
static struct hs_stage_key run_as(const struct host_state *state, struct hs_stage_key key)
{
    if (hs_forests_find(state->forests, key))
        key.algorithm = HS_FOREST;
    return key;
}

static void **machine_of(struct host_state *state, const struct hs_stage *stage)
{
    int which = stage->key.phase == HS_ALLGATHER  ? GATHERS
                : stage->key.phase == HS_EXCHANGE ? EXCHANGES
                                                  : REDUCES;

    return &state->machines[run_as(state, stage->key).algorithm][stage->layer][which];
}

static const struct hs_executor *executor_of(int algorithm, int which)
{
    return hs_executor_of(
        (struct hs_stage_key){.phase = which == EXCHANGES ? HS_EXCHANGE : HS_REDUCE_SCATTER,
                              .algorithm = (enum hs_algorithm)algorithm});
}

/* Scratch and a machine for a stage. */
static enum hs_status make_machine(struct host_state *state, const struct hs_stage *stage,
                                   struct hs_error *err)
{
    const struct hs_memory *memory = state->base.transport.memory;
    struct hs_executor_options options = state->options;
    void *scratch = NULL;
    char **held;

    options.reduces = stage->key.phase != HS_ALLGATHER;
    held = &state->scratch->slots[stage->layer][!options.reduces];
    if (!*held) {
        size_t bytes = scratch_bytes(state, options.reduces);
        enum hs_status status = (memory->direct ? memory->allocate : memory->allocate_staging)(
            &scratch, bytes, "segments on their way", err);

        if (status != HS_OK)
            return status;
        *held = scratch;
    }
    options.scratch = *held;
    return hs_executor_of(run_as(state, stage->key))
        ->make(machine_of(state, stage), &state->base.transport, &options, err);
}

/* Collective where machines are not there yet: all ranks have the same ones, so all come here
 * alike. Nothing is sent where they are: a plan is prepared again in no time. */
static enum hs_status make_machines(struct host_state *state, const struct hs_stages *stages,
                                    struct hs_error *err)
{
    struct hs_mpi_base *base = &state->base;
    enum hs_status status = HS_OK;
    bool any = false;

    for (int s = 0; s < stages->count && status == HS_OK; s++) {
        const struct hs_stage *stage = &stages->stages[s];

        if (*machine_of(state, stage))
            continue;
        any = true;
        status = make_machine(state, stage, err);
    }
    return any ? hs_agree(base->comms.world, &base->comms.idle, status, err) : HS_OK;
}

/* Communicators of the layers that go by the library's own collective: made at the first call, by
 * all ranks alike. */
static enum hs_status find_comms(struct host_state *state, const struct hs_stages *stages,
                                 struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int s = 0; s < stages->count && status == HS_OK; s++) {
        const struct hs_stage_key *key = &stages->stages[s].key;

        if (key->algorithm == HS_NATIVE)
            status = hs_layer_comms_get(&state->comms[stages->stages[s].layer], &state->base.comms,
                                        key->layer, err);
    }
    return status;
}

/* Whether there are trees for each stage that is by nothing else. Alike on all ranks. */
static enum hs_status check_forests(const struct host_state *state, const struct hs_stages *stages,
                                    struct hs_error *err)
{
    for (int s = 0; s < stages->count; s++) {
        const struct hs_stage_key *key = &stages->stages[s].key;

        if (hs_algorithms[key->algorithm]->on_links && !hs_forests_find(state->forests, *key))
            return hs_fail(err, HS_INVALID,
                           "%s is of all ranks that single links join%s, found a layer "
                           "of %lld at stride %lld",
                           hs_algorithm_names[key->algorithm],
                           state->forests ? ", next to each other" : ", and none are known",
                           (long long)key->layer.size, (long long)key->layer.stride);
    }
    return HS_OK;
}

static enum hs_status host_prepare(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct host_state *state = opaque;
    struct hs_stages stages;
    enum hs_status status = hs_work_check(work, state->base.comms.np, err);

    if (status != HS_OK)
        return status;
    if (work->task->kind == HS_TASK_NATIVE)
        return hs_mpi_native_prepare(&state->base, work, err);
    hs_stages_init(&stages, work, state->base.comms.rank);
    status = check_forests(state, &stages, err);
    if (status == HS_OK)
        status = make_machines(state, &stages, err);
    if (status == HS_OK)
        status = hs_mpi_base_need_between(&state->base, &stages, work, err);
    return status == HS_OK ? find_comms(state, &stages, err) : status;
}

/* The first stage reads the input; all others work within the output, but for exchanges. */
static void start_stage(void *opaque, int index, int chunk)
{
    struct host_state *state = opaque;
    struct hs_mpi_base *base = &state->base;
    const struct hs_work *work = &base->work;
    const struct hs_stage *stage = &base->stages.stages[index];
    struct hs_block block = hs_stages_block(&base->stages, stage->layer, chunk);
    size_t width = hs_datatype_bytes(work->datatype);
    const char *input = hs_mpi_base_read_by(base, index);
    char *output = hs_mpi_base_written_by(base, index);
    struct hs_executor_call call = {.phase = stage->key.phase,
                                    .layer = stage->key.layer,
                                    .rank = base->comms.rank,
                                    .tag = index, /* stages in flight together differ in it */
                                    .input = input + block.first * width,
                                    .output = output + block.first * width,
                                    .count = block.count,
                                    .run = hs_stages_run(&base->stages, index),
                                    .packing = hs_forests_find(state->forests, stage->key),
                                    .reduction = hs_mpi_base_reduction(base, work),
                                    .comm = state->comms[stage->layer],
                                    .type = base->types[work->datatype],
                                    .op = hs_mpi_base_op(base, work)};

    if (!hs_stages_sums_last(&base->stages, index) || work->task->kind != HS_TASK_PLAN)
        call.reduction.divisor = 0;
    hs_transport_launch(&base->transport);
    hs_executor_of(run_as(state, stage->key))->start(*machine_of(state, stage), &call);
}

static bool progress_stage(void *opaque, int index, bool *moved)
{
    struct host_state *state = opaque;
    const struct hs_stage *stage = &state->base.stages.stages[index];

    return hs_executor_of(run_as(state, stage->key))->progress(*machine_of(state, stage), moved);
}

static enum hs_status host_start(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct host_state *state = opaque;
    struct hs_mpi_base *base = &state->base;

    base->work = *work;
    if (work->task->kind == HS_TASK_NATIVE)
        return hs_mpi_native_start(base, work, err);
    hs_mpi_base_begin(base, work);
    return find_comms(state, &base->stages, err);
}

static enum hs_status host_test(void *opaque, bool *done, bool *moved, struct hs_error *err)
{
    static const struct hs_stage_runner runner = {start_stage, progress_stage};

    return hs_mpi_base_test(opaque, &runner, done, moved, err);
}

static size_t host_memory_bytes(const void *opaque)
{
    const struct host_state *state = opaque;
    size_t bytes = sizeof(*state) - sizeof(state->base) + hs_mpi_base_bytes(&state->base);

    for (int i = 0; i < 2 * HS_LAYERS_MAX; i++)
        if (state->own.slots[i / 2][i % 2])
            bytes += scratch_bytes(state, i % 2 == 0);
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        for (int i = 0; i < MACHINES * HS_LAYERS_MAX; i++)
            if (state->machines[a][i / MACHINES][i % MACHINES])
                bytes += executor_of(a, i % MACHINES)->machine_bytes;
    return bytes;
}

static void host_close(void *opaque)
{
    struct host_state *state = opaque;
    const struct hs_memory *memory;

    if (!state)
        return;
    memory = state->base.transport.memory;
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        for (int i = 0; i < MACHINES * HS_LAYERS_MAX; i++)
            if (state->machines[a][i / MACHINES][i % MACHINES])
                executor_of(a, i % MACHINES)
                    ->release(state->machines[a][i / MACHINES][i % MACHINES]);
    hs_scratch_release(&state->own, memory);
    hs_mpi_base_release(&state->base);
    free(state);
}

static const struct hs_engine engine = {
    .prepare = host_prepare,
    .start = host_start,
    .test = host_test,
    .stage_seconds = hs_mpi_base_stage_seconds,
    .memory_bytes = host_memory_bytes,
    .describe = hs_mpi_base_describe,
    .close = host_close,
    .natives = hs_mpi_natives,
    .has_native = hs_mpi_has_native,
};

const struct hs_backend hs_backend_host = {
    .name = "host",
    .memory_use = HS_MEMORY_ANY,
    .open = host_open,
    .engine = &engine,
    .rings = true,
    .any_algorithm = true,
};
