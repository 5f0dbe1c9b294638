/* flow.c - see flow.h. */
#include "engine/flow.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/layer_comms.h"

enum hs_status hs_flow_init(struct hs_flow *flow, struct hs_transport *transport,
                            struct hs_error *err)
{
    *flow = (struct hs_flow){.transport = transport};
    return transport->memory->queue_new(&flow->queue, 2 * HS_FLOW_WINDOW_MAX, err);
}

void hs_flow_release(struct hs_flow *flow)
{
    if (flow->transport)
        flow->transport->memory->queue_free(flow->queue);
}

size_t hs_flow_room(const struct hs_memory *memory, const struct hs_executor_options *options,
                    bool packs)
{
    if (memory->direct && !packs)
        return 2 * (size_t)options->lanes * options->segment_bytes;
    return hs_executor_scratch_bytes(memory, options);
}

static size_t window_of(size_t slots, size_t most)
{
    most = most > 0 && most < HS_FLOW_WINDOW_MAX ? most : HS_FLOW_WINDOW_MAX;
    return slots < 1 ? 1 : slots < most ? slots : most;
}

void hs_flow_slots(struct hs_flow_plan *plan, char *scratch, size_t room, bool both)
{
    size_t slots = room / plan->slot_bytes / (both ? 2 : 1);

    plan->receive_window = window_of(slots, plan->receive_window);
    plan->send_window = window_of(slots, plan->send_window);
    plan->receive_slots = scratch;
    plan->send_slots = both ? scratch + plan->receive_window * plan->slot_bytes : NULL;
}

void hs_flow_start(struct hs_flow *flow, const struct hs_flow_plan *plan)
{
    assert(plan->receive_window <= HS_FLOW_WINDOW_MAX && plan->send_window <= HS_FLOW_WINDOW_MAX);
    flow->plan = *plan;
    flow->receives_posted = flow->received = flow->ready = 0;
    flow->prepared = flow->sends_posted = flow->sent = 0;
}

static const struct hs_memory *memory_of(const struct hs_flow *flow)
{
    return flow->transport->memory;
}

static struct hs_message message_at(const struct hs_flow *flow, size_t index, bool sends)
{
    return flow->plan.rules->message(flow->plan.owner, index, sends);
}

static struct hs_piece piece_at(const struct hs_flow *flow, size_t index, size_t number, bool sends)
{
    return flow->plan.rules->piece(flow->plan.owner, index, number, sends);
}

static bool may_begin(const struct hs_message *message)
{
    return !message->counter || *message->counter >= message->least;
}

static size_t bytes_of(const struct hs_flow *flow, const struct hs_message *message, size_t index,
                       bool sends)
{
    size_t count = 0;

    for (size_t i = 0; i < message->pieces; i++)
        count += piece_at(flow, index, i, sends).count;
    return count * hs_datatype_bytes(flow->plan.reduction.datatype);
}

/* Which slot, request and mark a message has. */
static size_t turn_of(const struct hs_flow *flow, size_t index, bool sends)
{
    return index % (sends ? flow->plan.send_window : flow->plan.receive_window);
}

/* Where the message lies while it travels: in its place, or in a slot (*slot). */
static char *buffer_of(const struct hs_flow *flow, const struct hs_message *message, size_t index,
                       bool sends, bool *slot)
{
    char *slots = sends ? flow->plan.send_slots : flow->plan.receive_slots;
    struct hs_piece piece = piece_at(flow, index, 0, sends);

    *slot = message->pieces > 1 || !memory_of(flow)->direct || (!sends && piece.own);
    return *slot ? slots + turn_of(flow, index, sends) * flow->plan.slot_bytes : piece.data;
}

/* Marks of sends are behind those of receives. */
static int mark_of(const struct hs_flow *flow, size_t index, bool sends)
{
    return (sends ? HS_FLOW_WINDOW_MAX : 0) + (int)turn_of(flow, index, sends);
}

static bool post_receives(struct hs_flow *flow)
{
    const struct hs_flow_plan *plan = &flow->plan;
    bool moved = false, slot;

    while (flow->receives_posted < plan->receive_count &&
           flow->receives_posted < flow->ready + plan->receive_window) {
        size_t index = flow->receives_posted;
        struct hs_message message = message_at(flow, index, false);
        MPI_Request *request = &flow->receives[turn_of(flow, index, false)];
        size_t bytes = bytes_of(flow, &message, index, false);

        if (!message.posts_early && !may_begin(&message))
            break;
        *request = MPI_REQUEST_NULL;
        if (bytes > 0)
            hs_transport_receive(flow->transport, buffer_of(flow, &message, index, false, &slot),
                                 bytes, message.peer, plan->tag, request);
        flow->receives_posted++;
        moved = true;
    }
    return moved;
}

/* Adds a piece that lies in a slot to the own part, or brings it to its place. */
static void use_piece(struct hs_flow *flow, const struct hs_piece *piece, const char *slot)
{
    const struct hs_memory *memory = memory_of(flow);
    struct hs_reduction reduction = flow->plan.reduction;

    if (!piece->last)
        reduction.divisor = 0;
    if (piece->own)
        memory->reduce(flow->queue, piece->data, piece->own, slot, piece->count, reduction);
    else
        memory->copy(flow->queue, piece->data, slot,
                     piece->count * hs_datatype_bytes(reduction.datatype));
}

static void use_received(struct hs_flow *flow, size_t index)
{
    struct hs_message message = message_at(flow, index, false);
    size_t width = hs_datatype_bytes(flow->plan.reduction.datatype);
    bool slot;
    const char *buffer = buffer_of(flow, &message, index, false, &slot);

    for (size_t i = 0; slot && i < message.pieces; i++) {
        struct hs_piece piece = piece_at(flow, index, i, false);

        use_piece(flow, &piece, buffer);
        buffer += piece.count * width;
    }
    memory_of(flow)->mark(flow->queue, mark_of(flow, index, false));
}

static void look_at_work(struct hs_flow *flow)
{
    while (flow->ready < flow->received &&
           memory_of(flow)->passed(flow->queue, mark_of(flow, flow->ready, false)))
        flow->ready++;
}

static bool may_use(const struct hs_flow *flow, size_t index)
{
    struct hs_message message = message_at(flow, index, false);

    return !message.posts_early || may_begin(&message);
}

/* One test per look, as in the ring. */
static bool oldest_receive(struct hs_flow *flow)
{
    if (flow->received == flow->receives_posted || !may_use(flow, flow->received) ||
        !hs_transport_test(flow->transport, &flow->receives[turn_of(flow, flow->received, false)]))
        return false;
    use_received(flow, flow->received);
    flow->received++;
    look_at_work(flow);
    return true;
}

static bool oldest_send(struct hs_flow *flow)
{
    if (flow->sent == flow->sends_posted ||
        !hs_transport_test(flow->transport, &flow->sends[turn_of(flow, flow->sent, true)]))
        return false;
    flow->sent++;
    return true;
}

static void pack(struct hs_flow *flow, const struct hs_message *message, size_t index)
{
    size_t width = hs_datatype_bytes(flow->plan.reduction.datatype);
    bool slot;
    char *buffer = buffer_of(flow, message, index, true, &slot);

    for (size_t i = 0; slot && i < message->pieces; i++) {
        struct hs_piece piece = piece_at(flow, index, i, true);

        memory_of(flow)->copy(flow->queue, buffer, piece.data, piece.count * width);
        buffer += piece.count * width;
    }
    if (slot)
        memory_of(flow)->mark(flow->queue, mark_of(flow, index, true));
}

/* Brings what can be sent to where it is sent from. */
static void prepare_sends(struct hs_flow *flow)
{
    while (flow->prepared < flow->plan.send_count &&
           flow->prepared < flow->sent + flow->plan.send_window) {
        struct hs_message message = message_at(flow, flow->prepared, true);

        if (!may_begin(&message))
            break;
        pack(flow, &message, flow->prepared);
        flow->prepared++;
    }
}

static bool post_sends(struct hs_flow *flow)
{
    bool moved = false, slot;

    prepare_sends(flow);
    while (flow->sends_posted < flow->prepared) {
        size_t index = flow->sends_posted;
        struct hs_message message = message_at(flow, index, true);
        MPI_Request *request = &flow->sends[turn_of(flow, index, true)];
        size_t bytes = bytes_of(flow, &message, index, true);
        char *buffer = buffer_of(flow, &message, index, true, &slot);

        if (slot && !memory_of(flow)->passed(flow->queue, mark_of(flow, index, true)))
            break;
        *request = MPI_REQUEST_NULL;
        if (bytes > 0)
            hs_transport_send(flow->transport, buffer, bytes, message.peer, flow->plan.tag,
                              request);
        flow->sends_posted++;
        moved = true;
    }
    return moved;
}

bool hs_flow_progress(struct hs_flow *flow, bool *moved)
{
    size_t ready = flow->ready;
    bool some = false;

    while (flow->transport->status == HS_OK && oldest_send(flow))
        some = true;
    look_at_work(flow);
    some |= post_receives(flow);
    some |= post_sends(flow);
    if (flow->transport->status == HS_OK && oldest_receive(flow)) {
        some = true;
        post_sends(flow);
        post_receives(flow);
    }
    hs_transport_note_queue(flow->transport, flow->queue);
    *moved |= some || flow->ready > ready;
    return flow->transport->status != HS_OK ||
           (flow->ready == flow->plan.receive_count && flow->sent == flow->plan.send_count);
}

enum hs_status hs_flow_machine_make(void **machine, size_t bytes, struct hs_transport *transport,
                                    const struct hs_executor_options *options, struct hs_error *err)
{
    struct hs_flow_machine *base = *machine = calloc(1, bytes);
    enum hs_status status;

    if (!base)
        return hs_no_memory(err);
    base->transport = transport;
    base->options = *options;
    status = hs_flow_init(&base->flow, transport, err);
    if (status != HS_OK) {
        hs_flow_machine_release(base);
        *machine = NULL;
    }
    return status;
}

void hs_flow_machine_release(void *machine)
{
    struct hs_flow_machine *base = machine;

    if (!base)
        return;
    hs_flow_release(&base->flow);
    free(base);
}

bool hs_flow_machine_begin(struct hs_flow_machine *base, const struct hs_executor_call *call)
{
    base->call = *call;
    base->place = hs_layer_place(call->layer, call->rank);
    hs_flow_start(&base->flow, &(struct hs_flow_plan){0});
    return !hs_executor_alone(base->transport->memory, base->flow.queue, call);
}

bool hs_flow_machine_progress(void *machine, bool *moved)
{
    struct hs_flow_machine *base = machine;

    return hs_flow_progress(&base->flow, moved);
}
