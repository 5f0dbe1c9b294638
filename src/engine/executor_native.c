/*
 * executor_native.c - MPI's own collectives as a state machine: see executors.h.
 *
 * The nonblocking forms, so that nobody waits for a rank that waits in another stage. A
 * reduce-scatter from the input goes straight to its block of the output; one within the output is
 * in place, as MPI has it: its result comes first there, and is brought to its block. Of runs that
 * lie apart each is a call; all are given at once, and what MPI wants together is copied. Host
 * memory alone: Open MPI has no nonblocking calls for a GPU's, which backend mpi runs.
 */
#include <stdlib.h>

#include "engine/executors.h"
#include "engine/native.h"

struct native {
    struct hs_transport *transport;
    struct hs_queue *queue;
    struct hs_executor_call call;
    MPI_Request request;
    bool alone;
};

static void scatter(struct hs_transport *transport, const struct hs_native_call *call, int part,
                    MPI_Request *request)
{
    MPI_Comm comm = call->comm->reduce;

    if (!request)
        hs_transport_note(
            transport,
            MPI_Reduce_scatter_block(call->from, call->to, part, call->type, call->op, comm),
            "MPI_Reduce_scatter_block");
    else
        hs_transport_note(transport,
                          MPI_Ireduce_scatter_block(call->from, call->to, part, call->type,
                                                    call->op, comm, request),
                          "MPI_Ireduce_scatter_block");
}

static void gather(struct hs_transport *transport, const struct hs_native_call *call, int part,
                   MPI_Request *request)
{
    MPI_Comm comm = call->comm->gather;

    if (!request)
        hs_transport_note(
            transport,
            MPI_Allgather(call->from, part, call->type, call->to, part, call->type, comm),
            "MPI_Allgather");
    else
        hs_transport_note(
            transport,
            MPI_Iallgather(call->from, part, call->type, call->to, part, call->type, comm, request),
            "MPI_Iallgather");
}

static void all(struct hs_transport *transport, const struct hs_native_call *call,
                MPI_Request *request)
{
    MPI_Comm comm = call->comm->reduce;

    if (!request)
        hs_transport_note(
            transport, MPI_Allreduce(call->from, call->to, call->count, call->type, call->op, comm),
            "MPI_Allreduce");
    else
        hs_transport_note(
            transport,
            MPI_Iallreduce(call->from, call->to, call->count, call->type, call->op, comm, request),
            "MPI_Iallreduce");
}

/* What goes to one rank, which the next rank's lies a run behind: runs of all rounds. */
static MPI_Datatype make_share(struct hs_transport *transport, const struct hs_native_call *call)
{
    int size = (int)call->comm->layer.size, row = call->run * size;
    MPI_Datatype runs = MPI_DATATYPE_NULL, share = MPI_DATATYPE_NULL;
    MPI_Aint low, width;

    hs_transport_note(transport, MPI_Type_get_extent(call->type, &low, &width),
                      "MPI_Type_get_extent");
    hs_transport_note(transport,
                      MPI_Type_vector(call->count / row, call->run, row, call->type, &runs),
                      "MPI_Type_vector");
    if (transport->status != HS_OK)
        return MPI_DATATYPE_NULL;
    hs_transport_note(transport, MPI_Type_create_resized(runs, 0, call->run * width, &share),
                      "MPI_Type_create_resized");
    (void)MPI_Type_free(&runs);
    if (transport->status == HS_OK)
        hs_transport_note(transport, MPI_Type_commit(&share), "MPI_Type_commit");
    return share;
}

/* Whole runs go as they are; MPI packs others, and keeps the type until it is through. */
static void exchange(struct hs_transport *transport, const struct hs_native_call *call,
                     MPI_Request *request)
{
    int size = (int)call->comm->layer.size, count = call->count / size;
    MPI_Datatype type = call->type, share = MPI_DATATYPE_NULL;
    MPI_Comm comm = call->comm->gather;

    if (count > call->run) {
        type = share = make_share(transport, call);
        count = 1;
    }
    if (transport->status == HS_OK && !request)
        hs_transport_note(transport,
                          MPI_Alltoall(call->from, count, type, call->to, count, type, comm),
                          "MPI_Alltoall");
    else if (transport->status == HS_OK)
        hs_transport_note(
            transport, MPI_Ialltoall(call->from, count, type, call->to, count, type, comm, request),
            "MPI_Ialltoall");
    if (share != MPI_DATATYPE_NULL)
        (void)MPI_Type_free(&share);
}

void hs_native_start(struct hs_transport *transport, const struct hs_native_call *call)
{
    int part = (int)(call->count / call->comm->layer.size);
    MPI_Request *request = call->request;

    if (transport->status != HS_OK)
        return;
    switch (call->phase) {
    case HS_REDUCE_SCATTER:
        scatter(transport, call, part, request);
        break;
    case HS_ALLREDUCE:
        all(transport, call, request);
        break;
    case HS_ALLGATHER:
        gather(transport, call, part, request);
        break;
    case HS_EXCHANGE:
        exchange(transport, call, request);
        break;
    case HS_PAIR:
    case HS_PHASE_COUNT:
        abort();
    }
    if (request)
        hs_transport_watch(transport, request);
}

static void release(void *machine)
{
    struct native *native = machine;

    if (!native)
        return;
    native->transport->memory->queue_free(native->queue);
    free(native);
}

static enum hs_status make(void **out, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    struct native *native;
    enum hs_status status;

    (void)options;
    *out = NULL;
    if (transport->memory != &hs_memory_host)
        return hs_fail(err, HS_INVALID,
                       "MPI's own collectives on layers (letter n) are for host memory here; "
                       "backend mpi has them on %s",
                       transport->memory->name);
    native = calloc(1, sizeof(*native));
    if (!native)
        return hs_no_memory(err);
    native->transport = transport;
    status = transport->memory->queue_new(&native->queue, 0, err);
    if (status != HS_OK) {
        free(native);
        return status;
    }
    *out = native;
    return HS_OK;
}

static size_t width_of(const struct hs_executor_call *call)
{
    return hs_datatype_bytes(call->reduction.datatype);
}

/* This place's block of the output. */
static char *own_block(const struct hs_executor_call *call)
{
    size_t part = call->count / (size_t)call->layer.size;

    return (char *)call->output +
           (size_t)hs_layer_place(call->layer, call->rank) * part * width_of(call);
}

static void start(void *machine, const struct hs_executor_call *call)
{
    struct native *native = machine;
    bool in_place = call->input == call->output;
    struct hs_native_call own = {.phase = call->phase,
                                 .comm = call->comm,
                                 .from = in_place || call->phase == HS_ALLGATHER ? MPI_IN_PLACE
                                                                                 : call->input,
                                 .to = call->output,
                                 .count = (int)call->count,
                                 .run = (int)call->run,
                                 .type = call->type,
                                 .op = call->op,
                                 .request = &native->request};

    native->call = *call;
    native->request = MPI_REQUEST_NULL;
    native->alone = hs_executor_alone(native->transport->memory, native->queue, call);
    if (native->alone || native->transport->status != HS_OK)
        return;
    if (call->phase == HS_REDUCE_SCATTER && !in_place)
        own.to = own_block(call);
    hs_native_start(native->transport, &own);
}

/* What came is brought to its place, and an average divided. */
static void finish(const struct native *native)
{
    const struct hs_executor_call *call = &native->call;
    const struct hs_memory *memory = native->transport->memory;
    size_t part = call->count / (size_t)call->layer.size;
    bool scatters = call->phase == HS_REDUCE_SCATTER;

    if (scatters && call->input == call->output && own_block(call) != call->output)
        memory->copy(native->queue, own_block(call), call->output, part * width_of(call));
    if (call->phase == HS_ALLGATHER || call->reduction.divisor == 0)
        return;
    memory->finish(native->queue, scatters ? own_block(call) : call->output,
                   scatters ? part : call->count, call->reduction);
}

static bool progress(void *machine, bool *moved)
{
    struct native *native = machine;

    if (native->alone)
        return true;
    if (!hs_transport_test(native->transport, &native->request))
        return false;
    *moved = true;
    if (native->transport->status != HS_OK)
        return true;
    finish(native);
    native->transport->memory->wait(native->queue);
    return true;
}

const struct hs_executor hs_executor_NATIVE = {make, release, start, progress,
                                               sizeof(struct native)};
