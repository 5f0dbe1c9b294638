/* mpi_base.c - see mpi_base.h. */
#include "engine/mpi_base.h"

#include <stdlib.h>
#include <string.h>

#include "engine/mpi_status.h"
#include "engine/native.h"
#include "engine/packing.h"

/* ---- types and operations ---- */

/* MPI hands its operation no context: one function per type and operation that MPI lacks. */
#define HS_MPI_FUNCTION(name, datatype, operation)                                                 \
    static void name(void *in, void *inout, int *count, MPI_Datatype *type)                        \
    {                                                                                              \
        (void)type;                                                                                \
        hs_reduce(inout, in, inout, (size_t)*count,                                                \
                  (struct hs_reduction){datatype, operation, 0});                                  \
    }
/* NOLINTBEGIN(readability-non-const-parameter): the type is MPI_User_function */
HS_MPI_FUNCTION(sum_float16, HS_FLOAT16, HS_SUM)
HS_MPI_FUNCTION(max_float16, HS_FLOAT16, HS_MAX)
HS_MPI_FUNCTION(sum_bfloat16, HS_BFLOAT16, HS_SUM)
HS_MPI_FUNCTION(max_bfloat16, HS_BFLOAT16, HS_MAX)
/* NOLINTEND(readability-non-const-parameter) */

/* How MPI knows a type; {MPI_DATATYPE_NULL}: it does not. */
struct row {
    MPI_Datatype type;
    MPI_User_function *sum, *max;
};

static struct row row_of(enum hs_datatype datatype)
{
    switch (datatype) {
    case HS_FLOAT32:
        return (struct row){.type = MPI_FLOAT};
    case HS_FLOAT64:
        return (struct row){.type = MPI_DOUBLE};
    case HS_FLOAT16:
        return (struct row){MPI_DATATYPE_NULL, sum_float16, max_float16};
    case HS_BFLOAT16:
    default: /* priced alone */
        break;
    }
    return (struct row){MPI_DATATYPE_NULL, sum_bfloat16, max_bfloat16};
}

static enum hs_status make_types(struct hs_mpi_base *base, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int d = 0; d < HS_DATATYPE_COUNT && status == HS_OK; d++) {
        struct row row = row_of((enum hs_datatype)d);

        base->types[d] = row.type;
        base->sum[d] = MPI_SUM;
        base->max[d] = MPI_MAX;
        if (!row.sum)
            continue;
        if (!(status = HS_MPI(MPI_Type_contiguous((int)hs_datatype_bytes((enum hs_datatype)d),
                                                  MPI_BYTE, &base->types[d]),
                              err)) &&
            !(status = HS_MPI(MPI_Type_commit(&base->types[d]), err)) &&
            !(status = HS_MPI(MPI_Op_create(row.sum, 1, &base->sum[d]), err)))
            status = HS_MPI(MPI_Op_create(row.max, 1, &base->max[d]), err);
    }
    return status;
}

static void free_types(struct hs_mpi_base *base)
{
    for (int d = 0; d < HS_DATATYPE_COUNT; d++) {
        if (!row_of((enum hs_datatype)d).sum)
            continue;
        if (base->sum[d] != MPI_OP_NULL && base->sum[d] != MPI_SUM)
            (void)MPI_Op_free(&base->sum[d]);
        if (base->max[d] != MPI_OP_NULL && base->max[d] != MPI_MAX)
            (void)MPI_Op_free(&base->max[d]);
        if (base->types[d] != MPI_DATATYPE_NULL)
            (void)MPI_Type_free(&base->types[d]);
    }
}

MPI_Op hs_mpi_base_op(const struct hs_mpi_base *base, const struct hs_work *work)
{
    return (work->operation == HS_MAX ? base->max : base->sum)[work->datatype];
}

struct hs_reduction hs_mpi_base_reduction(const struct hs_mpi_base *base,
                                          const struct hs_work *work)
{
    return (struct hs_reduction){work->datatype, work->operation,
                                 hs_task_group(work->task, base->comms.np).size};
}

/* ---- opening ---- */

static enum hs_status init(struct hs_mpi_base *base, const struct hs_engine_config *config,
                           struct hs_error *err)
{
    enum hs_status status;

    base->transport.memory = config->memory;
    for (int d = 0; d < HS_DATATYPE_COUNT; d++) {
        base->types[d] = MPI_DATATYPE_NULL;
        base->sum[d] = base->max[d] = MPI_OP_NULL;
    }
    status = (config->comm_is_own ? hs_layer_comms_take : hs_layer_comms_init)(&base->comms,
                                                                               config->comm, err);
    if (status != HS_OK) /* there is nobody to agree with */
        return status;
    base->transport.comm = base->comms.world;
    status = make_types(base, err);
    if (status == HS_OK)
        status = config->memory->queue_new(&base->queue, 0, err);
    return hs_agree(base->comms.world, &base->comms.idle, status, err);
}

enum hs_status hs_mpi_base_open(void **out, size_t bytes, const struct hs_engine_config *config,
                                struct hs_error *err)
{
    struct hs_mpi_base *base = calloc(1, bytes);
    struct hs_idle idle = {.oversubscribed = true}; /* until it is known */
    enum hs_status status = HS_OK;

    *out = NULL;
    if (!base)
        status = hs_no_memory(err);
    status = hs_agree(config->comm, &idle, status, err);
    if (status == HS_OK && base && (status = init(base, config, err)) != HS_OK)
        hs_mpi_base_release(base);
    if (status != HS_OK) {
        free(base);
        return status;
    }
    *out = base;
    return HS_OK;
}

void hs_mpi_base_release(struct hs_mpi_base *base)
{
    const struct hs_memory *memory = base->transport.memory;

    hs_transport_release(&base->transport);
    memory->release_staging(base->staging);
    memory->release(base->between);
    memory->queue_free(base->queue);
    free_types(base);
    hs_forced_release(&base->forced);
    hs_layer_comms_release(&base->comms);
}

size_t hs_mpi_base_bytes(const struct hs_mpi_base *base)
{
    return sizeof(*base) + base->staging_bytes + base->between_bytes;
}

enum hs_status hs_mpi_base_need_between(struct hs_mpi_base *base, const struct hs_stages *stages,
                                        const struct hs_work *work, struct hs_error *err)
{
    const struct hs_memory *memory = base->transport.memory;
    size_t bytes = work->room * hs_datatype_bytes(work->datatype);
    enum hs_status status;
    void *between;

    bool needed = (stages->whole && stages->count > 1) || hs_task_packs_elsewhere(work->task);

    if (!needed || base->between_bytes >= bytes)
        return HS_OK;
    memory->release(base->between);
    base->between = NULL;
    base->between_bytes = 0;
    status = memory->allocate(&between, bytes, "a message between two layers", err);
    if (status == HS_OK) {
        base->between = between;
        base->between_bytes = bytes;
    }
    return hs_agree(base->comms.world, &base->comms.idle, status, err);
}

static struct hs_pack packing_of(const struct hs_mpi_base *base)
{
    return (struct hs_pack){.memory = base->transport.memory,
                            .queue = base->queue,
                            .rank = base->comms.rank,
                            .work = base->asked};
}

void hs_mpi_base_begin(struct hs_mpi_base *base, const struct hs_work *work)
{
    struct hs_pack packing;

    base->asked = *work;
    packing = packing_of(base);
    base->work = hs_packing_begin(&packing, base->between);
    hs_stages_init(&base->stages, work, base->comms.rank);
}

char *hs_mpi_base_written_by(const struct hs_mpi_base *base, int stage)
{
    bool between = base->stages.whole && (base->stages.count - 1 - stage) % 2 == 1;

    return between ? base->between : base->work.output;
}

const char *hs_mpi_base_read_by(const struct hs_mpi_base *base, int stage)
{
    if (base->stages.stages[stage].layer == 0)
        return base->work.input;
    return base->stages.whole ? hs_mpi_base_written_by(base, stage - 1) : base->work.output;
}

/* ---- the library's own ---- */

const char *const hs_mpi_natives[HS_COLLECTIVE_COUNT][HS_NATIVES_MAX + 1] = {
    [HS_COLLECTIVE_ALLREDUCE] = {"MPI_Allreduce"},
    [HS_COLLECTIVE_REDUCE_SCATTER] = {"MPI_Reduce_scatter_block"},
    [HS_COLLECTIVE_ALLGATHER] = {"MPI_Allgather"},
    [HS_COLLECTIVE_ALLTOALL] = {"MPI_Alltoall"},
};

bool hs_mpi_has_native(int native)
{
    return native < HS_NATIVES_MAX || hs_forced_has(native - HS_NATIVES_MAX);
}

/* The communicator of the library's default call: that of all ranks, or of each group, and where an
 * algorithm is forced on it one like that. Collective where it is not there yet. */
static enum hs_status find_callers(struct hs_layer_comm *callers, struct hs_mpi_base *base,
                                   const struct hs_work *work, struct hs_error *err)
{
    struct hs_group group = hs_task_group(work->task, base->comms.np);
    const struct hs_layer_comm *comm;
    enum hs_status status = HS_OK;

    *callers = (struct hs_layer_comm){.layer = {group.stride, group.size},
                                      .reduce = base->comms.world,
                                      .gather = base->comms.world};
    if (!hs_group_is_world(&group)) {
        status = hs_layer_comms_of_group(&comm, &base->comms, &group, err);
        if (status != HS_OK)
            return status;
        *callers = *comm;
    }
    if (!hs_task_is_forced(work->task))
        return HS_OK;
    status = hs_forced_get(&callers->reduce, &base->forced, work->task->native - HS_NATIVES_MAX,
                           callers->reduce, &base->comms, err);
    callers->gather = callers->reduce;
    return status;
}

enum hs_status hs_mpi_native_prepare(struct hs_mpi_base *base, const struct hs_work *work,
                                     struct hs_error *err)
{
    const struct hs_memory *memory = base->transport.memory;
    size_t bytes = work->room * hs_datatype_bytes(work->datatype);
    struct hs_layer_comm callers;
    enum hs_status status = HS_OK;
    void *staging;

    if (hs_collectives[work->task->collective].whole)
        bytes *= 2; /* MPI_Alltoall in place is another, slower algorithm */

    if (!memory->direct && bytes > base->staging_bytes) {
        memory->release_staging(base->staging);
        base->staging = NULL;
        base->staging_bytes = 0;
        status = memory->allocate_staging(&staging, bytes, "the library's own collective", err);
        if (status == HS_OK) {
            base->staging = staging;
            base->staging_bytes = bytes;
        }
    }
    status = hs_agree(base->comms.world, &base->comms.idle, status, err);
    return status ? status : find_callers(&callers, base, work, err);
}

/* In calls that int can count (a message with blocks is one, task.h); without the division of an
 * average. */
static void call_library(struct hs_mpi_base *base, const struct hs_work *work,
                         const struct hs_layer_comm *callers, const void *from, void *to)
{
    size_t width = hs_datatype_bytes(work->datatype), part;
    size_t count = hs_task_padded(work->task, work->line);
    bool gathers = hs_collectives[work->task->collective].last == HS_ALLGATHER;

    for (size_t done = 0; done < count; done += part) {
        struct hs_native_call call = {.phase = hs_collectives[work->task->collective].last,
                                      .comm = callers,
                                      .from = gathers ? MPI_IN_PLACE : from,
                                      .to = (char *)to + done * width,
                                      .type = base->types[work->datatype],
                                      .op = hs_mpi_base_op(base, work)};

        part = count - done < HS_CHUNK_ELEMENTS_MAX ? count - done : HS_CHUNK_ELEMENTS_MAX;
        call.count = (int)part;
        call.run = (int)(part / (size_t)callers->layer.size);
        if (call.from != MPI_IN_PLACE)
            call.from = (const char *)from + done * width;
        hs_native_start(&base->transport, &call);
    }
}

/* Of an all-to-all: from one half of the staging to the other. */
static void exchange_staged(struct hs_mpi_base *base, const struct hs_work *work,
                            const struct hs_layer_comm *callers)
{
    const struct hs_memory *memory = base->transport.memory;
    size_t width = hs_datatype_bytes(work->datatype);
    size_t bytes = hs_task_padded(work->task, work->line) * width;
    char *arrived = base->staging + work->room * width;

    memory->copy(base->queue, base->staging, work->input, bytes);
    memory->wait(base->queue);
    call_library(base, work, callers, base->staging, arrived);
    memory->copy(base->queue, work->output, arrived, bytes);
}

/* Staged, as a program has to do it whose MPI library takes no pointers to its memory: what a call
 * begins with comes first, in place. */
static void call_staged(struct hs_mpi_base *base, const struct hs_work *work,
                        const struct hs_layer_comm *callers, struct hs_block mine)
{
    const struct hs_collective_row *row = &hs_collectives[work->task->collective];
    const struct hs_memory *memory = base->transport.memory;
    size_t width = hs_datatype_bytes(work->datatype);
    size_t bytes = hs_task_padded(work->task, work->line) * width;
    size_t first = mine.first * width, own_bytes = mine.count * width;

    if (row->begins_large)
        memory->copy(base->queue, base->staging, work->input, bytes);
    else
        memory->copy(base->queue, base->staging + first, (char *)work->output + first, own_bytes);
    memory->wait(base->queue);
    call_library(base, work, callers, MPI_IN_PLACE, base->staging);
    if (row->begins_large)
        memory->copy(base->queue, (char *)work->output + first, base->staging, own_bytes);
    else
        memory->copy(base->queue, work->output, base->staging, bytes);
}

enum hs_status hs_mpi_native_start(struct hs_mpi_base *base, const struct hs_work *work,
                                   struct hs_error *err)
{
    const struct hs_memory *memory = base->transport.memory;
    struct hs_block mine = hs_task_block(work->task, work->line, base->comms.rank);
    bool begins_large = hs_collectives[work->task->collective].begins_large;
    char *output = work->output;
    char *own = output + mine.first * hs_datatype_bytes(work->datatype);
    struct hs_layer_comm callers;
    enum hs_status status = find_callers(&callers, base, work, err);

    if (status != HS_OK)
        return status;
    if (hs_task_is_forced(work->task))
        hs_forced_call(work->task->native - HS_NATIVES_MAX, true);
    if (memory->direct)
        call_library(base, work, &callers, work->input, begins_large ? own : output);
    else if (hs_collectives[work->task->collective].whole)
        exchange_staged(base, work, &callers);
    else
        call_staged(base, work, &callers, mine);
    if (hs_task_is_forced(work->task))
        hs_forced_call(work->task->native - HS_NATIVES_MAX, false);
    if (hs_collectives[work->task->collective].outcome == HS_OUTCOME_REDUCED)
        memory->finish(base->queue, own, mine.count, hs_mpi_base_reduction(base, work));
    memory->wait(base->queue);
    if (base->transport.status != HS_OK)
        return hs_fail(err, base->transport.status, "%s", base->transport.error.message);
    return memory->failure(base->queue, err);
}

/* ---- of the table ---- */

enum hs_status hs_mpi_base_test(struct hs_mpi_base *base, const struct hs_stage_runner *runner,
                                bool *done, bool *moved, struct hs_error *err)
{
    struct hs_pack packing = packing_of(base);

    hs_transport_look(&base->transport);
    *moved = false;
    *done = base->work.task->kind == HS_TASK_NATIVE ||
            hs_stages_progress(&base->stages, runner, base, moved);
    if (*done && base->transport.status == HS_OK && base->work.task->kind == HS_TASK_PLAN) {
        hs_packing_end(&packing, &base->work);
        hs_transport_note_queue(&base->transport, base->queue);
    }
    if (base->transport.status == HS_OK)
        return HS_OK;
    return hs_fail(err, base->transport.status, "%s", base->transport.error.message);
}

void hs_mpi_base_stage_seconds(void *state, double seconds[HS_STAGES_MAX])
{
    struct hs_mpi_base *base = state;

    memcpy(seconds, base->stages.seconds, sizeof(base->stages.seconds));
}

void hs_mpi_base_describe(const void *state, char *text, size_t bytes)
{
    const struct hs_mpi_base *base = state;

    base->transport.memory->describe(text, bytes);
}
