/* ring.c - see ring.h. */
#include "runner/ring.h"

#include <assert.h>
#include <stdlib.h>

#include "runner/check.h"

/* Blocks from this many elements on are rounded up to whole cache lines where they need not be
 * equal. */
#define ALIGN_FROM_ELEMENTS 4096u
#define ALIGN_ELEMENTS      64u
/* A segment is not cut smaller than this to fill the lanes: each costs a message. */
#define SEGMENT_BYTES_MIN 8192u
/* How far receives may run ahead of sends, in lanes; `held` has room for one more lane set behind.
 */
#define AHEAD 3

struct hs_ring {
    const struct hs_memory *memory;
    struct hs_queue *queue;
    size_t segment_bytes;
    int lanes, slot_count, free_count;
    char *slots;
    char *own_slots; /* staging: a lane's own part on its way to its first send; else NULL */
    char *free_slots[2 * HS_RING_LANES_MAX];
    char *held[(AHEAD + 1) * HS_RING_LANES_MAX]; /* slot of item i, at i modulo its length */
    MPI_Request receives[HS_RING_LANES_MAX], sends[HS_RING_LANES_MAX];

    struct hs_ring_call call;
    size_t width;   /* bytes of an element */
    size_t block;   /* elements of a block; the last ones may have fewer or none */
    size_t segment; /* elements of a segment */
    size_t used;    /* lanes in use: no more than a block has segments */
    int first_step, steps;
    /* Items of the stream so far: receives posted, through, and their data ready; sends whose data
     * is on its way to where it is sent from, sends posted and through. */
    size_t items, receives_posted, received, ready, prepared, sends_posted, sent;
};

/* Part of a block in one step. */
struct item {
    int step;            /* 0 .. p-2 reduce, p-1 .. 2p-3 gather */
    size_t block;        /* number of the block */
    size_t first, count; /* elements within it */
};

static bool is_staged(const struct hs_ring *ring)
{
    return !ring->memory->direct;
}

/* Staged rings pass gathered segments on from slots, too, and have one more slot per lane. */
static enum hs_status allocate_slots(struct hs_ring *ring, bool reduces, struct hs_error *err)
{
    static const char purpose[] = "a ring's segments";
    const struct hs_memory *memory = ring->memory;
    void *slots;
    enum hs_status status;

    if (is_staged(ring)) {
        ring->slot_count = 2 * ring->lanes;
        status = memory->allocate_staging(
            &slots, (size_t)(ring->slot_count + ring->lanes) * ring->segment_bytes, purpose, err);
        ring->slots = slots;
        if (status == HS_OK)
            ring->own_slots = ring->slots + (size_t)ring->slot_count * ring->segment_bytes;
        return status;
    }
    ring->slot_count = reduces ? 2 * ring->lanes : 0;
    status = memory->allocate(&slots, (size_t)ring->slot_count * ring->segment_bytes, purpose, err);
    ring->slots = slots;
    return status;
}

enum hs_status hs_ring_new(struct hs_ring **out, const struct hs_memory *memory,
                           size_t segment_bytes, int lanes, bool reduces, struct hs_error *err)
{
    struct hs_ring *ring = calloc(1, sizeof *ring);

    assert(lanes >= 1 && lanes <= HS_RING_LANES_MAX && segment_bytes % 64 == 0);
    *out = NULL;
    if (ring == NULL)
        return hs_fail(err, HS_MEMORY, "out of memory for a ring");
    ring->memory = memory;
    ring->segment_bytes = segment_bytes;
    ring->lanes = lanes;
    enum hs_status status = allocate_slots(ring, reduces, err);
    if (status == HS_OK)
        status = memory->queue_new(&ring->queue, 2 * lanes, err);
    if (status != HS_OK) {
        hs_ring_free(ring);
        return status;
    }
    *out = ring;
    return HS_OK;
}

void hs_ring_free(struct hs_ring *ring)
{
    if (ring == NULL)
        return;
    ring->memory->queue_free(ring->queue);
    if (is_staged(ring))
        ring->memory->release_staging(ring->slots);
    else
        ring->memory->release(ring->slots);
    free(ring);
}

size_t hs_ring_memory_bytes(const struct hs_ring *ring)
{
    int own = ring->own_slots == NULL ? 0 : ring->lanes;
    return sizeof *ring + (size_t)(ring->slot_count + own) * ring->segment_bytes;
}

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Cuts a block into equal segments that fill whole groups of lanes, as far as they do not get too
 * small. */
static void choose_segments(struct hs_ring *ring)
{
    size_t longest = ring->segment_bytes / ring->width, lanes = (size_t)ring->lanes;
    size_t shortest = least(longest, SEGMENT_BYTES_MIN / ring->width);
    size_t groups = divide_up(ring->block, longest * lanes);
    size_t segment = divide_up(ring->block, groups * lanes);

    segment = divide_up(segment, ALIGN_ELEMENTS) * ALIGN_ELEMENTS;
    ring->segment = least(longest, segment < shortest ? shortest : segment);
    ring->used = least(lanes, divide_up(ring->block, ring->segment));
}

/* Nobody to talk to: the input is the result. */
static void copy_alone(struct hs_ring *ring)
{
    const struct hs_ring_call *call = &ring->call;
    if (call->phase == HS_ALLGATHER || call->count == 0 || call->input == call->output)
        return;
    ring->memory->copy(ring->queue, call->output, call->input, call->count * ring->width);
    ring->memory->wait(ring->queue);
}

void hs_ring_start(struct hs_ring *ring, const struct hs_ring_call *call)
{
    size_t size = (size_t)call->size;
    ring->call = *call;
    ring->width = hs_datatype_bytes(call->datatype);
    ring->items = ring->receives_posted = ring->received = ring->ready = 0;
    ring->prepared = ring->sends_posted = ring->sent = 0;
    ring->free_count = ring->slot_count;
    for (int i = 0; i < ring->slot_count; i++)
        ring->free_slots[i] = ring->slots + (size_t)i * ring->segment_bytes;

    assert(call->phase == HS_ALLREDUCE || call->count % size == 0);
    if (size == 1 || call->count == 0) {
        copy_alone(ring);
        return;
    }
    ring->block = divide_up(call->count, size);
    if (call->phase == HS_ALLREDUCE && ring->block >= ALIGN_FROM_ELEMENTS)
        ring->block = divide_up(ring->block, ALIGN_ELEMENTS) * ALIGN_ELEMENTS;
    choose_segments(ring);
    ring->first_step = call->phase == HS_ALLGATHER ? call->size - 1 : 0;
    int end = call->phase == HS_REDUCE_SCATTER ? call->size - 1 : 2 * call->size - 2;
    ring->steps = end - ring->first_step;
    size_t groups = divide_up(ring->block, ring->segment * ring->used);
    ring->items = groups * (size_t)ring->steps * ring->used;
}

/* Item `index` as this place receives it (back = 2) or sends it (back = 1): in step t it receives
 * block k - 2 - t and sends block k - 1 - t. */
static struct item item_at(const struct hs_ring *ring, size_t index, int back)
{
    size_t lane = index % ring->used, turn = index / ring->used;
    size_t group = turn / (size_t)ring->steps;
    int size = ring->call.size;
    struct item item = {.step = ring->first_step + (int)(turn % (size_t)ring->steps),
                        .first = (group * ring->used + lane) * ring->segment};

    item.block = (size_t)((ring->call.place - back - item.step + 3 * size) % size);
    size_t before = least(item.block * ring->block, ring->call.count);
    size_t length = least(ring->call.count - before, ring->block);
    item.count = item.first < length ? least(length - item.first, ring->segment) : 0;
    return item;
}

static bool reduces(const struct hs_ring *ring, const struct item *item)
{
    return item->step < ring->call.size - 1;
}

/* Of a received item: whether it is sent on from the slot that it was received in. Without staging
 * results are in the output, and sent on from there. */
static bool passes_on(const struct hs_ring *ring, const struct item *item)
{
    if (is_staged(ring))
        return item->step + 1 < ring->first_step + ring->steps;
    return item->step < ring->call.size - 2;
}

/* Whether what is received is, or becomes with the own part, a block of the result. */
static bool is_result(const struct hs_ring *ring, const struct item *item)
{
    return item->step >= ring->call.size - 2;
}

static const char *in_input(const struct hs_ring *ring, const struct item *item)
{
    return (const char *)ring->call.input + (item->block * ring->block + item->first) * ring->width;
}

static char *in_output(const struct hs_ring *ring, const struct item *item)
{
    size_t before = ring->call.phase == HS_REDUCE_SCATTER ? 0 : item->block * ring->block;
    return (char *)ring->call.output + (before + item->first) * ring->width;
}

static char **held(struct hs_ring *ring, size_t index)
{
    return &ring->held[index % (sizeof ring->held / sizeof ring->held[0])];
}

static void post_receive(struct hs_ring *ring, const struct item *item, char *buffer)
{
    MPI_Request *request = &ring->receives[ring->receives_posted % ring->used];
    *request = MPI_REQUEST_NULL;
    if (item->count > 0)
        CHECK_MPI(MPI_Irecv(buffer, (int)(item->count * ring->width), MPI_BYTE, ring->call.previous,
                            ring->call.tag, ring->call.comm, request));
}

/* The first gathered block lands where the first send was read from: only once that send is
 * through. (Later ones land on input that was reduced a whole round ago.) */
static bool target_is_free(const struct hs_ring *ring, const struct item *item)
{
    size_t round = (size_t)(ring->call.size - 1) * ring->used;
    return ring->call.phase != HS_ALLREDUCE || item->step != ring->call.size - 1 ||
           ring->sent > ring->receives_posted - round;
}

static bool post_receives(struct hs_ring *ring)
{
    bool moved = false;
    while (ring->receives_posted < ring->items &&
           ring->receives_posted - ring->ready < ring->used &&
           ring->receives_posted < ring->sent + AHEAD * ring->used) {
        struct item item = item_at(ring, ring->receives_posted, 2);
        char *buffer = NULL;
        if (reduces(ring, &item) || is_staged(ring)) {
            if (ring->free_count == 0)
                break;
            buffer = *held(ring, ring->receives_posted) = ring->free_slots[--ring->free_count];
        } else {
            if (!target_is_free(ring, &item))
                break;
            buffer = in_output(ring, &item);
        }
        post_receive(ring, &item, buffer);
        ring->receives_posted++;
        moved = true;
    }
    return moved;
}

/* The data of item `index` has come: adds this rank's part, and brings results to the output. */
static void use_received(struct hs_ring *ring, size_t index)
{
    const struct hs_memory *memory = ring->memory;
    const struct hs_ring_call *call = &ring->call;
    struct item item = item_at(ring, index, 2);
    bool result = is_result(ring, &item), staged = is_staged(ring);
    char *slot = *held(ring, index);
    if (reduces(ring, &item))
        memory->reduce(ring->queue, result && !staged ? in_output(ring, &item) : slot, slot,
                       in_input(ring, &item), item.count, call->datatype, call->operation,
                       result ? call->average_over : 0);
    if (result && staged)
        memory->copy(ring->queue, in_output(ring, &item), slot, item.count * ring->width);
    memory->mark(ring->queue, (int)(index % ring->used));
}

/* Where the work on received data is done; in the order it was put on the queue. */
static void look_at_work(struct hs_ring *ring)
{
    while (ring->ready < ring->received &&
           ring->memory->passed(ring->queue, (int)(ring->ready % ring->used))) {
        struct item item = item_at(ring, ring->ready, 2);
        if ((reduces(ring, &item) || is_staged(ring)) && !passes_on(ring, &item))
            ring->free_slots[ring->free_count++] = *held(ring, ring->ready);
        ring->ready++;
    }
}

/* Requests end in the order they were posted, or are looked at in that order: one test per look. */
static bool oldest_receive(struct hs_ring *ring)
{
    int done = 0;
    if (ring->received == ring->receives_posted)
        return false;
    CHECK_MPI(MPI_Test(&ring->receives[ring->received % ring->used], &done, MPI_STATUS_IGNORE));
    if (done) {
        use_received(ring, ring->received);
        ring->received++;
        look_at_work(ring);
    }
    return done != 0;
}

static bool oldest_send(struct hs_ring *ring)
{
    int done = 0;
    if (ring->sent == ring->sends_posted)
        return false;
    CHECK_MPI(MPI_Test(&ring->sends[ring->sent % ring->used], &done, MPI_STATUS_IGNORE));
    if (!done)
        return false;
    struct item item = item_at(ring, ring->sent, 1);
    bool from_slot =
        is_staged(ring) ? item.step > ring->first_step : item.step > 0 && reduces(ring, &item);
    if (from_slot) /* it was sent from the slot it was received in */
        ring->free_slots[ring->free_count++] = *held(ring, ring->sent - ring->used);
    ring->sent++;
    return true;
}

static char *own_slot(const struct hs_ring *ring, size_t index)
{
    return ring->own_slots + index % ring->used * ring->segment_bytes;
}

/* Own parts have marks of their own, behind those of received items. */
static int own_mark(const struct hs_ring *ring, size_t index)
{
    return ring->lanes + (int)(index % ring->used);
}

/* Staging: brings own parts to where they are sent from, as far ahead as lanes allow. */
static void prepare_sends(struct hs_ring *ring)
{
    while (is_staged(ring) && ring->prepared < ring->items &&
           ring->prepared - ring->sent < ring->used) {
        struct item item = item_at(ring, ring->prepared, 1);
        if (item.step == ring->first_step) {
            const char *own = reduces(ring, &item) ? in_input(ring, &item) : in_output(ring, &item);
            ring->memory->copy(ring->queue, own_slot(ring, ring->prepared), own,
                               item.count * ring->width);
            ring->memory->mark(ring->queue, own_mark(ring, ring->prepared));
        }
        ring->prepared++;
    }
}

/* Whether the bytes of the next send lie where it takes them from. */
static bool can_send(const struct hs_ring *ring, const struct item *item)
{
    if (item->step > ring->first_step)
        return ring->ready + ring->used > ring->sends_posted;
    return !is_staged(ring) ||
           (ring->prepared > ring->sends_posted &&
            ring->memory->passed(ring->queue, own_mark(ring, ring->sends_posted)));
}

/* Where the bytes to send lie: the own part, the segment in its slot, or the output. */
static const char *source_of(struct hs_ring *ring, const struct item *item)
{
    if (is_staged(ring) && item->step == ring->first_step)
        return own_slot(ring, ring->sends_posted);
    if (!is_staged(ring) && !reduces(ring, item))
        return in_output(ring, item);
    return item->step == 0 ? in_input(ring, item) : *held(ring, ring->sends_posted - ring->used);
}

static bool post_sends(struct hs_ring *ring)
{
    const struct hs_ring_call *call = &ring->call;
    bool moved = false;
    prepare_sends(ring);
    while (ring->sends_posted < ring->items && ring->sends_posted - ring->sent < ring->used) {
        struct item item = item_at(ring, ring->sends_posted, 1);
        if (!can_send(ring, &item))
            break;
        MPI_Request *request = &ring->sends[ring->sends_posted % ring->used];
        *request = MPI_REQUEST_NULL;
        if (item.count > 0)
            CHECK_MPI(MPI_Isend(source_of(ring, &item), (int)(item.count * ring->width), MPI_BYTE,
                                call->next, call->tag, call->comm, request));
        ring->sends_posted++;
        moved = true;
    }
    return moved;
}

bool hs_ring_progress(struct hs_ring *ring, bool *moved)
{
    size_t ready = ring->ready;
    bool some = false;
    while (oldest_send(ring))
        some = true;
    look_at_work(ring);
    some |= post_receives(ring);
    some |= post_sends(ring);
    if (oldest_receive(ring)) {
        some = true;
        post_sends(ring);
        post_receives(ring);
    }
    *moved |= some || ring->ready > ready;
    return ring->ready == ring->items && ring->sent == ring->items;
}
