/*
 * executor_ring.c - a ring collective as a state machine: see executors.h.
 *
 * Place k of p sends to k + 1 and receives from k - 1. The m elements are p blocks; in step t of
 * the reduce-scatter it sends block k - 1 - t, receives block k - 2 - t and adds its own part;
 * after p - 1 steps block k is complete there. The allgather passes complete blocks on for p - 1
 * more steps. An allreduce is both in one pipeline, not one after the other.
 *
 * Every block is cut into segments. The stream of work is ordered (group, step, lane): a group is
 * one segment per lane in every block, and it makes all its steps before the next group's. So a
 * segment that was received is reduced and sent on while it is in the cache, and few slots are
 * enough for any message size. A slot holds a segment from its receive, through its reduction in
 * place, to the end of its send; the last reduction writes straight to the output. The first send
 * reads straight from the input, the allgather receives straight into the output.
 *
 * Up to HS_RING_DEPTH steps' lanes are in flight each way, the window, so that a rank need not wait
 * for its own send to be through before the next, and no step pays the slowest hop of the ring. The
 * slots' memory is for two sets of lanes of the longest segments: where segments are shorter it is
 * cut into more slots, always two windows; where they are not the window is one set of lanes, whose
 * bytes take longer than any latency.
 *
 * A window is deeper than one set of lanes only up to flight_bytes: what a library sends to ask for
 * the next segment (a rendezvous) waits behind all that the link still has to send the same way.
 *
 * Messages may lie in any kind of memory (memory.h). A GPU reduces later than it is told to: a
 * segment is ready when its mark is passed, and only then sent on. Where MPI cannot be handed
 * pointers to the memory, every segment that travels lies in a slot of staging memory: what is
 * received is reduced there, copied to the output where it is a result, and sent on from there; a
 * place's own part is copied to a slot before its first send.
 *
 * With at least one slot more than lanes the ring cannot lock up, whatever the window and however
 * late a send is through. Of all ranks take one whose oldest send not yet through, item i, comes
 * first in the stream. The rank before it is through with all before i, so what i waits for, item i
 * minus one set of lanes, has come, and i is posted. The rank after it has at most the items from
 * one set of lanes before its own oldest send on in slots; that send is i or later, so with a slot
 * more than lanes it can post the receive of i; neither its window nor what target_is_free asks for
 * keeps it from that, as both only wait for items before i.
 */
#include <assert.h>
#include <stdlib.h>

#include "engine/executors.h"
#include "engine/layer_comms.h"
#include "model/traffic.h"

/* How far receives may run ahead of sends, in windows; `held` has room for one more behind. */
#define AHEAD 3
/* Messages in flight each way at most. */
#define WINDOW_MAX ((size_t)2 * HS_LANES_MAX)
#define SLOT_ALIGN 64u /* bytes */

/* Where this rank is in a call. */
struct walk {
    int place, previous, next; /* ranks of the neighbours */
    int first_step, steps;
    size_t items;
    size_t window; /* segments in flight each way: lanes in use .. WINDOW_MAX */
    size_t pitch;  /* bytes from slot to slot */
};

/* Items of the stream so far: receives posted, through, and their data ready; sends whose data is
 * on its way to where it is sent from, sends posted and through. */
struct counts {
    size_t receives_posted, received, ready, prepared, sends_posted, sent;
};

struct ring {
    struct hs_transport *transport;
    struct hs_queue *queue;
    size_t segment_bytes, flight_bytes;
    int lanes, most_slots; /* of the longest segments */
    size_t free_count;
    char *slots;
    char *own_slots; /* staging: own parts on their way to their first send; else NULL */
    char *free_slots[2 * WINDOW_MAX];
    char *held[(AHEAD + 1) * WINDOW_MAX]; /* slot of item i, at i modulo its length */
    MPI_Request receives[WINDOW_MAX], sends[WINDOW_MAX];
    struct hs_executor_call call;
    struct walk walk;
    struct hs_cut cut; /* `used` lanes are in use */
    struct counts at;
};

/* Part of a block in one step. */
struct item {
    int step;     /* 0 .. p-2 reduce, p-1 .. 2p-3 gather */
    size_t block; /* number of the block */
    size_t at;    /* elements in front of it, from the first of all */
    size_t count;
};

static const struct hs_memory *memory_of(const struct ring *ring)
{
    return ring->transport->memory;
}

static bool is_staged(const struct ring *ring)
{
    return !memory_of(ring)->direct;
}

static void release(void *machine)
{
    struct ring *ring = machine;

    if (!ring)
        return;
    memory_of(ring)->queue_free(ring->queue);
    free(ring);
}

static size_t widest_window(size_t lanes)
{
    return hs_least(HS_RING_DEPTH * lanes, WINDOW_MAX);
}

static enum hs_status make(void **out, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    enum hs_status status;

    assert(options->lanes >= 1 && options->lanes <= HS_LANES_MAX);
    assert(options->segment_bytes % 64 == 0);
    *out = NULL;
    if (!ring)
        return hs_no_memory(err);
    ring->transport = transport;
    ring->segment_bytes = options->segment_bytes;
    ring->flight_bytes = options->flight_bytes;
    ring->lanes = options->lanes;
    ring->slots = options->scratch;
    ring->most_slots = options->reduces || is_staged(ring) ? 2 * ring->lanes : 0;
    if (is_staged(ring)) /* passes gathered segments on from slots, too: one more per lane */
        ring->own_slots = ring->slots + (size_t)ring->most_slots * ring->segment_bytes;
    status = transport->memory->queue_new(&ring->queue, 2 * (int)widest_window((size_t)ring->lanes),
                                          err);
    if (status != HS_OK) {
        release(ring);
        return status;
    }
    *out = ring;
    return HS_OK;
}

static int size_of(const struct ring *ring)
{
    return (int)ring->call.layer.size;
}

/* As many slots as segments of this length fit into their memory, up to two windows. */
static void choose_window(struct ring *ring)
{
    const struct hs_cut *cut = &ring->cut;
    struct walk *walk = &ring->walk;
    size_t longest = hs_least(cut->segment, cut->block) * cut->width, fit, flight;

    walk->pitch = (longest + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    fit = (size_t)ring->lanes * (ring->segment_bytes / walk->pitch);
    flight = ring->flight_bytes / walk->pitch;
    walk->window = hs_least(widest_window(hs_least(cut->used, (size_t)ring->lanes)), fit);
    walk->window = hs_least(walk->window, flight > cut->used ? flight : cut->used);
    ring->free_count = ring->most_slots > 0 ? 2 * walk->window : 0;
    for (size_t i = 0; i < ring->free_count; i++)
        ring->free_slots[i] = ring->slots + i * walk->pitch;
}

static void start(void *machine, const struct hs_executor_call *call)
{
    struct ring *ring = machine;
    struct walk *walk = &ring->walk;
    int size = (int)call->layer.size;

    ring->call = *call;
    ring->at = (struct counts){0};
    *walk = (struct walk){.place = hs_layer_place(call->layer, call->rank)};
    walk->previous = hs_layer_rank(call->layer, call->rank, walk->place - 1);
    walk->next = hs_layer_rank(call->layer, call->rank, walk->place + 1);
    assert(call->phase == HS_ALLREDUCE || call->count % (size_t)size == 0);
    if (hs_executor_alone(memory_of(ring), ring->queue, call))
        return;
    ring->cut = hs_cut_make(call, ring->segment_bytes, (size_t)ring->lanes);
    choose_window(ring);
    walk->first_step = call->phase == HS_ALLGATHER ? size - 1 : 0;
    walk->steps = (call->phase == HS_REDUCE_SCATTER ? size - 1 : 2 * size - 2) - walk->first_step;
    walk->items = ring->cut.groups * (size_t)walk->steps * ring->cut.used;
}

/* Item `index` as this place receives it (back = 2) or sends it (back = 1): in step t it receives
 * block k - 2 - t and sends block k - 1 - t. */
static struct item item_at(const struct ring *ring, size_t index, int back)
{
    size_t lane = index % ring->cut.used, turn = index / ring->cut.used;
    size_t number = turn / (size_t)ring->walk.steps * ring->cut.used + lane;
    int size = size_of(ring);
    struct item item = {.step = ring->walk.first_step + (int)(turn % (size_t)ring->walk.steps)};

    item.block = (size_t)((ring->walk.place - back - item.step + 3 * size) % size);
    item.at = hs_cut_at(&ring->cut, item.block, number);
    item.count = hs_cut_length(&ring->cut, item.block, number);
    return item;
}

static bool reduces(const struct ring *ring, const struct item *item)
{
    return item->step < size_of(ring) - 1;
}

/* Of a received item: whether it is sent on from the slot that it was received in. Without staging
 * results are in the output, and sent on from there. */
static bool passes_on(const struct ring *ring, const struct item *item)
{
    if (is_staged(ring))
        return item->step + 1 < ring->walk.first_step + ring->walk.steps;
    return item->step < size_of(ring) - 2;
}

/* Whether what is received is, or becomes with the own part, a block of the result. */
static bool is_result(const struct ring *ring, const struct item *item)
{
    return item->step >= size_of(ring) - 2;
}

static const char *in_input(const struct ring *ring, const struct item *item)
{
    return (const char *)ring->call.input + item->at * ring->cut.width;
}

static char *in_output(const struct ring *ring, const struct item *item)
{
    return (char *)ring->call.output + item->at * ring->cut.width;
}

static char **held(struct ring *ring, size_t index)
{
    return &ring->held[index % (sizeof(ring->held) / sizeof(ring->held[0]))];
}

static void post_receive(struct ring *ring, const struct item *item, char *buffer)
{
    MPI_Request *request = &ring->receives[ring->at.receives_posted % ring->walk.window];

    *request = MPI_REQUEST_NULL;
    if (item->count > 0)
        hs_transport_receive(ring->transport, buffer, item->count * ring->cut.width,
                             ring->walk.previous, ring->call.tag, request);
}

/* In an allreduce gathered blocks land where the input may be: the first where the first send was
 * read from, only once that send is through; later ones where it was reduced a whole round ago. */
static bool target_is_free(const struct ring *ring, const struct item *item)
{
    size_t round = (size_t)(size_of(ring) - 1) * ring->cut.used;
    if (ring->call.phase != HS_ALLREDUCE)
        return true;
    if (item->step == size_of(ring) - 1)
        return ring->at.sent > ring->at.receives_posted - round;
    return ring->at.ready > ring->at.receives_posted - round - ring->cut.used;
}

static bool post_receives(struct ring *ring)
{
    bool moved = false;
    while (ring->at.receives_posted < ring->walk.items &&
           ring->at.receives_posted - ring->at.ready < ring->walk.window &&
           ring->at.receives_posted < ring->at.sent + AHEAD * ring->walk.window) {
        struct item item = item_at(ring, ring->at.receives_posted, 2);
        char *buffer = NULL;
        if (reduces(ring, &item) || is_staged(ring)) {
            if (ring->free_count == 0)
                break;
            buffer = *held(ring, ring->at.receives_posted) = ring->free_slots[--ring->free_count];
        } else {
            if (!target_is_free(ring, &item))
                break;
            buffer = in_output(ring, &item);
        }
        post_receive(ring, &item, buffer);
        ring->at.receives_posted++;
        moved = true;
    }
    return moved;
}

/* The data of item `index` has come: adds this rank's part, and brings results to the output. */
static void use_received(struct ring *ring, size_t index)
{
    const struct hs_memory *memory = memory_of(ring);
    struct hs_reduction reduction = ring->call.reduction;
    struct item item = item_at(ring, index, 2);
    bool result = is_result(ring, &item), staged = is_staged(ring);
    char *slot = *held(ring, index);

    if (!result)
        reduction.divisor = 0;
    if (reduces(ring, &item))
        memory->reduce(ring->queue, result && !staged ? in_output(ring, &item) : slot, slot,
                       in_input(ring, &item), item.count, reduction);
    if (result && staged)
        memory->copy(ring->queue, in_output(ring, &item), slot, item.count * ring->cut.width);
    memory->mark(ring->queue, (int)(index % ring->walk.window));
}

/* Where the work on received data is done; in the order it was put on the queue. */
static void look_at_work(struct ring *ring)
{
    while (ring->at.ready < ring->at.received &&
           memory_of(ring)->passed(ring->queue, (int)(ring->at.ready % ring->walk.window))) {
        struct item item = item_at(ring, ring->at.ready, 2);
        if ((reduces(ring, &item) || is_staged(ring)) && !passes_on(ring, &item))
            ring->free_slots[ring->free_count++] = *held(ring, ring->at.ready);
        ring->at.ready++;
    }
}

/* Requests end in the order they were posted, or are looked at in that order: one test per look. */
static bool oldest_receive(struct ring *ring)
{
    if (ring->at.received == ring->at.receives_posted ||
        !hs_transport_test(ring->transport, &ring->receives[ring->at.received % ring->walk.window]))
        return false;
    use_received(ring, ring->at.received);
    ring->at.received++;
    look_at_work(ring);
    return true;
}

static bool oldest_send(struct ring *ring)
{
    if (ring->at.sent == ring->at.sends_posted ||
        !hs_transport_test(ring->transport, &ring->sends[ring->at.sent % ring->walk.window]))
        return false;
    struct item item = item_at(ring, ring->at.sent, 1);
    bool from_slot =
        is_staged(ring) ? item.step > ring->walk.first_step : item.step > 0 && reduces(ring, &item);
    if (from_slot) /* it was sent from the slot it was received in */
        ring->free_slots[ring->free_count++] = *held(ring, ring->at.sent - ring->cut.used);
    ring->at.sent++;
    return true;
}

static char *own_slot(const struct ring *ring, size_t index)
{
    return ring->own_slots + index % ring->walk.window * ring->walk.pitch;
}

/* Own parts have marks of their own, behind those of received items. */
static int own_mark(const struct ring *ring, size_t index)
{
    return (int)(ring->walk.window + index % ring->walk.window);
}

/* Staging: brings own parts to where they are sent from, as far ahead as the window allows. */
static void prepare_sends(struct ring *ring)
{
    while (is_staged(ring) && ring->at.prepared < ring->walk.items &&
           ring->at.prepared - ring->at.sent < ring->walk.window) {
        struct item item = item_at(ring, ring->at.prepared, 1);
        if (item.step == ring->walk.first_step) {
            const char *own = reduces(ring, &item) ? in_input(ring, &item) : in_output(ring, &item);
            memory_of(ring)->copy(ring->queue, own_slot(ring, ring->at.prepared), own,
                                  item.count * ring->cut.width);
            memory_of(ring)->mark(ring->queue, own_mark(ring, ring->at.prepared));
        }
        ring->at.prepared++;
    }
}

/* Whether the bytes of the next send lie where it takes them from. */
static bool can_send(const struct ring *ring, const struct item *item)
{
    if (item->step > ring->walk.first_step)
        return ring->at.ready + ring->cut.used > ring->at.sends_posted;
    return !is_staged(ring) ||
           (ring->at.prepared > ring->at.sends_posted &&
            memory_of(ring)->passed(ring->queue, own_mark(ring, ring->at.sends_posted)));
}

/* Where the bytes to send lie: the own part, the segment in its slot, or the output. */
static const char *source_of(struct ring *ring, const struct item *item)
{
    if (is_staged(ring) && item->step == ring->walk.first_step)
        return own_slot(ring, ring->at.sends_posted);
    if (!is_staged(ring) && !reduces(ring, item))
        return in_output(ring, item);
    return item->step == 0 ? in_input(ring, item)
                           : *held(ring, ring->at.sends_posted - ring->cut.used);
}

static bool post_sends(struct ring *ring)
{
    bool moved = false;

    prepare_sends(ring);
    while (ring->at.sends_posted < ring->walk.items &&
           ring->at.sends_posted - ring->at.sent < ring->walk.window) {
        struct item item = item_at(ring, ring->at.sends_posted, 1);
        if (!can_send(ring, &item))
            break;
        MPI_Request *request = &ring->sends[ring->at.sends_posted % ring->walk.window];
        *request = MPI_REQUEST_NULL;
        if (item.count > 0)
            hs_transport_send(ring->transport, source_of(ring, &item), item.count * ring->cut.width,
                              ring->walk.next, ring->call.tag, request);
        ring->at.sends_posted++;
        moved = true;
    }
    return moved;
}

/* After a failure nothing of what was begun is finished; it is through all the same. */
static bool progress(void *machine, bool *moved)
{
    struct ring *ring = machine;
    size_t ready = ring->at.ready;
    bool some = false;

    while (ring->transport->status == HS_OK && oldest_send(ring))
        some = true;
    look_at_work(ring);
    some |= post_receives(ring);
    some |= post_sends(ring);
    if (ring->transport->status == HS_OK && oldest_receive(ring)) {
        some = true;
        post_sends(ring);
        post_receives(ring);
    }
    hs_transport_note_queue(ring->transport, ring->queue);
    *moved |= some || ring->at.ready > ready;
    return ring->transport->status != HS_OK ||
           (ring->at.ready == ring->walk.items && ring->at.sent == ring->walk.items);
}

const struct hs_executor hs_executor_RING = {make, release, start, progress, sizeof(struct ring)};
