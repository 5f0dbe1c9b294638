/*
 * executor_direct.c - everybody with everybody in one step as a state machine: see executors.h.
 *
 * Reduce-scatter: place r of p sends each other place r + t, t = 1 .. p - 1 modulo p, its block of
 * r's part, and adds to its own block r what comes from r - t, in the order of t whatever the
 * timing. Allgather: r sends block r to all others. Allreduce: one behind the other. The messages
 * of all t are under way at once, one segment or more of each: the order is (group, phase, lane,
 * t), as far as slots hold it.
 */
#include <stdlib.h>

#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"

struct direct {
    struct hs_transport *transport;
    struct hs_executor_options options;
    struct hs_flow flow;
    struct hs_executor_call call;
    struct hs_cut cut;
    int place;
    size_t turn; /* messages of a group in a phase */
    bool reduces, gathers;
};

/* Where a message stands. */
struct position {
    size_t turns; /* phases of groups before it */
    size_t first; /* of its elements in the block */
    int t;        /* 1 .. p - 1 */
    bool gathers;
    size_t in_phase; /* messages of its group and phase before it */
};

static struct position position_of(const struct direct *direct, size_t index)
{
    size_t others = (size_t)direct->call.layer.size - 1, phases = direct->reduces + direct->gathers;
    struct position at = {.turns = index / direct->turn, .in_phase = index % direct->turn};
    size_t lane = at.in_phase / others;

    at.gathers = direct->gathers && (phases == 1 || at.turns % 2 == 1);
    at.first = (at.turns / phases * direct->cut.used + lane) * direct->cut.segment;
    at.t = 1 + (int)(at.in_phase % others);
    return at;
}

/* Block, or place, of whom a message goes to or comes from. */
static int other_of(const struct direct *direct, const struct position *at, bool sends)
{
    int size = (int)direct->call.layer.size;

    return (direct->place + (sends ? at->t : size - at->t)) % size;
}

static struct hs_message message(const void *owner, size_t index, bool sends)
{
    const struct direct *direct = owner;
    struct position at = position_of(direct, index);
    size_t others = (size_t)direct->call.layer.size - 1;
    struct hs_message message = {
        .peer = hs_layer_rank(direct->call.layer, direct->call.rank, other_of(direct, &at, sends)),
        .pieces = 1};

    if (!at.gathers || !direct->reduces)
        return message;
    /* It takes all parts of the segment; what comes goes to where a send read from. */
    message.counter = sends ? &direct->flow.ready : &direct->flow.sent;
    message.least = sends ? (at.turns - 1) * direct->turn + (at.in_phase / others + 1) * others
                          : at.turns * direct->turn;
    return message;
}

static struct hs_piece piece(const void *owner, size_t index, size_t number, bool sends)
{
    const struct direct *direct = owner;
    struct position at = position_of(direct, index);
    bool own = sends == at.gathers; /* block: its own, or the other's */
    size_t block = (size_t)(own ? direct->place : other_of(direct, &at, sends));
    size_t bytes = (block * direct->cut.block + at.first) * direct->cut.width;
    char *input = (char *)direct->call.input + bytes;
    char *output = (char *)direct->call.output + bytes;
    struct hs_piece piece = {.data = sends && !at.gathers ? input : output,
                             .count = hs_cut_length(&direct->cut, block, at.first)};

    (void)number;
    if (sends || at.gathers)
        return piece;
    piece.own = at.t == 1 ? input : output;
    piece.last = at.t + 1 == (int)direct->call.layer.size;
    return piece;
}

static void release(void *machine)
{
    struct direct *direct = machine;

    if (!direct)
        return;
    hs_flow_release(&direct->flow);
    free(direct);
}

static enum hs_status make(void **out, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    struct direct *direct = calloc(1, sizeof(*direct));
    enum hs_status status;

    *out = NULL;
    if (!direct)
        return hs_no_memory(err);
    direct->transport = transport;
    direct->options = *options;
    status = hs_flow_init(&direct->flow, transport, err);
    if (status != HS_OK) {
        release(direct);
        return status;
    }
    *out = direct;
    return HS_OK;
}

/* Segments of all others are to be under way at once. */
static size_t longest_bytes(const struct direct *direct, size_t room)
{
    size_t bytes = room / (size_t)(direct->call.layer.size - 1) / 64 * 64;

    if (bytes < 64)
        return 64;
    return bytes < direct->options.segment_bytes ? bytes : direct->options.segment_bytes;
}

static void start(void *machine, const struct hs_executor_call *call)
{
    static const struct hs_flow_rules rules = {message, piece};
    struct direct *direct = machine;
    const struct hs_executor_options *options = &direct->options;
    const struct hs_memory *memory = direct->transport->memory;
    size_t room = hs_flow_room(memory, options, false);
    struct hs_flow_plan plan = {
        .rules = &rules, .owner = direct, .reduction = call->reduction, .tag = call->tag};

    direct->call = *call;
    if (hs_executor_alone(memory, direct->flow.queue, call)) {
        hs_flow_start(&direct->flow, &plan);
        return;
    }
    direct->place = hs_layer_place(call->layer, call->rank);
    direct->reduces = call->phase != HS_ALLGATHER;
    direct->gathers = call->phase != HS_REDUCE_SCATTER;
    direct->cut = hs_cut_make(call, longest_bytes(direct, memory->direct ? room : room / 2),
                              (size_t)options->lanes);
    direct->turn = direct->cut.used * (size_t)(call->layer.size - 1);
    plan.slot_bytes = direct->cut.segment * direct->cut.width;
    plan.send_count = plan.receive_count =
        direct->cut.groups * direct->turn * (size_t)(direct->reduces + direct->gathers);
    hs_flow_slots(&plan, options->scratch, room, !memory->direct);
    hs_flow_start(&direct->flow, &plan);
}

static bool progress(void *machine, bool *moved)
{
    struct direct *direct = machine;

    return hs_flow_progress(&direct->flow, moved);
}

const struct hs_executor hs_executor_DIRECT = {make, release, start, progress,
                                               sizeof(struct direct)};
