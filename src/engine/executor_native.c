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
    struct hs_native_requests requests;
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

static void start_one(struct hs_transport *transport, const struct hs_native_call *call,
                      MPI_Request *request)
{
    int part = (int)(call->count / call->comm->layer.size);

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

/* Room for so many, none of which is there yet. */
static void need(struct hs_transport *transport, struct hs_native_requests *requests, size_t count)
{
    MPI_Request *list;

    if (requests->room < count) {
        list = realloc(requests->list, count * sizeof(*list));
        if (!list) {
            transport->status = hs_no_memory(&transport->error);
            return;
        }
        requests->list = list;
        requests->room = count;
    }
    requests->count = count;
    requests->through = 0;
    for (size_t i = 0; i < count; i++)
        requests->list[i] = MPI_REQUEST_NULL;
}

void hs_native_start(struct hs_transport *transport, const struct hs_native_call *call)
{
    struct hs_native_call one = *call;
    size_t calls = call->calls > 0 ? call->calls : 1;

    if (call->requests && transport->status == HS_OK)
        need(transport, call->requests, calls);
    for (size_t i = 0; i < calls && transport->status == HS_OK; i++) {
        start_one(transport, &one, call->requests ? &call->requests->list[i] : NULL);
        if (call->from != MPI_IN_PLACE)
            one.from = (const char *)one.from + call->from_step;
        one.to = (char *)one.to + call->to_step;
    }
}

bool hs_native_test(struct hs_transport *transport, struct hs_native_requests *requests)
{
    while (requests->through < requests->count &&
           hs_transport_test(transport, &requests->list[requests->through]))
        requests->through++;
    return requests->through == requests->count || transport->status != HS_OK;
}

void hs_native_requests_release(struct hs_native_requests *requests)
{
    free(requests->list);
    *requests = (struct hs_native_requests){0};
}

static void release(void *machine)
{
    struct native *native = machine;

    if (!native)
        return;
    native->transport->memory->queue_free(native->queue);
    hs_native_requests_release(&native->requests);
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

/* Elements of a call: of runs that lie apart each is one of its own. */
static size_t elements_of(const struct hs_executor_call *call)
{
    return call->pitch > 0 ? call->run * (size_t)call->layer.size : call->count;
}

/* This place's block, or run, of the output. */
static char *own_block(const struct hs_executor_call *call)
{
    size_t part = call->pitch > 0 ? call->pitch : call->count / (size_t)call->layer.size;

    return (char *)call->output +
           (size_t)hs_layer_place(call->layer, call->rank) * part * width_of(call);
}

/* What a call is about has to lie together. */
static bool is_apart(const struct hs_executor_call *call)
{
    return call->pitch > 0 && (call->pitch > call->run ||
                               (call->phase == HS_REDUCE_SCATTER && call->input == call->output));
}

/* All runs, of the call's memory to where they lie together, or back. */
static void bring(const struct native *native, char *together, char *apart, bool back)
{
    const struct hs_executor_call *call = &native->call;
    const struct hs_memory *memory = native->transport->memory;
    size_t run = call->run * width_of(call), pitch = call->pitch * width_of(call);

    for (size_t i = 0; i < call->count / call->run; i++)
        memory->copy(native->queue, back ? apart + i * pitch : together + i * run,
                     back ? together + i * run : apart + i * pitch, run);
    memory->wait(native->queue);
}

/* A call for each run, all given at once. */
static void start_runs(struct native *native, struct hs_native_call *calls)
{
    struct hs_executor_call *call = &native->call;
    bool scatters = call->phase == HS_REDUCE_SCATTER;
    size_t row = call->run * (size_t)call->layer.size * width_of(call);
    size_t natural = call->pitch * (size_t)call->layer.size * width_of(call);

    calls->calls = call->count / elements_of(call);
    if (is_apart(call) && scatters)
        bring(native, call->spare, (char *)call->input, false);
    if (scatters) {
        calls->from = is_apart(call) ? call->spare : call->input;
        calls->to = own_block(call);
    } else if (is_apart(call)) {
        calls->from = own_block(call);
        calls->to = call->spare;
    }
    calls->from_step = scatters ? row : natural;
    calls->to_step = scatters ? natural : row;
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
                                 .count = (int)elements_of(call),
                                 .run = (int)call->run,
                                 .type = call->type,
                                 .op = call->op,
                                 .requests = &native->requests};

    native->call = *call;
    native->requests.count = native->requests.through = 0;
    native->alone = hs_executor_alone(native->transport->memory, native->queue, call);
    if (native->alone || native->transport->status != HS_OK)
        return;
    if (call->phase == HS_REDUCE_SCATTER && !in_place)
        own.to = own_block(call);
    if (call->pitch > 0)
        start_runs(native, &own);
    hs_native_start(native->transport, &own);
}

/* What came is brought to its place, and an average divided. */
static void finish(const struct native *native)
{
    const struct hs_executor_call *call = &native->call;
    const struct hs_memory *memory = native->transport->memory;
    size_t part = call->pitch > 0 ? call->run : call->count / (size_t)call->layer.size;
    bool scatters = call->phase == HS_REDUCE_SCATTER;

    if (is_apart(call) && !scatters)
        bring(native, call->spare, call->output, true);
    if (scatters && call->pitch == 0 && call->input == call->output &&
        own_block(call) != call->output)
        memory->copy(native->queue, own_block(call), call->output, part * width_of(call));
    if (call->phase == HS_ALLGATHER || call->reduction.divisor == 0)
        return;
    for (size_t i = 0; i < call->count / elements_of(call); i++)
        memory->finish(native->queue,
                       scatters ? own_block(call) +
                                      i * call->pitch * (size_t)call->layer.size * width_of(call)
                                : call->output,
                       scatters ? part : call->count, call->reduction);
}

static bool progress(void *machine, bool *moved)
{
    struct native *native = machine;

    if (native->alone)
        return true;
    if (!hs_native_test(native->transport, &native->requests))
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
