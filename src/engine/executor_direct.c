/*
 * executor_direct.c - everybody with everybody in one step as a state machine: see executors.h.
 *
 * Reduce-scatter: place r of p sends each other place r + t, t = 1 .. p - 1 modulo p, its block of
 * r's part, and adds to its own block r what comes from r - t, in the order of t whatever the
 * timing. Allgather: r sends block r to all others. Allreduce: one behind the other. The messages
 * of all t are under way at once, one segment or more of each: the order is (group, phase, lane,
 * t), as far as slots hold it.
 */
#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"

struct direct {
    struct hs_flow_machine base;
    size_t turn; /* messages of a group in a phase */
    bool reduces, gathers;
};

/* Where a message stands. */
struct position {
    size_t turns;  /* phases of groups before it */
    size_t number; /* of its segment in the block */
    int t;         /* 1 .. p - 1 */
    bool gathers;
    size_t in_phase; /* messages of its group and phase before it */
};

static size_t others_of(const struct direct *direct)
{
    return (size_t)direct->base.call.layer.size - 1;
}

static struct position position_of(const struct direct *direct, size_t index)
{
    size_t others = others_of(direct), phases = direct->reduces + direct->gathers;
    struct position at = {.turns = index / direct->turn, .in_phase = index % direct->turn};
    size_t lane = at.in_phase / others;

    at.gathers = direct->gathers && (phases == 1 || at.turns % 2 == 1);
    at.number = at.turns / phases * direct->base.cut.used + lane;
    at.t = 1 + (int)(at.in_phase % others);
    return at;
}

/* Block, or place, of whom a message goes to or comes from. */
static int other_of(const struct direct *direct, const struct position *at, bool sends)
{
    int size = (int)direct->base.call.layer.size;

    return (direct->base.place + (sends ? at->t : size - at->t)) % size;
}

static struct hs_message message(const void *owner, size_t index, bool sends)
{
    const struct direct *direct = owner;
    struct position at = position_of(direct, index);
    size_t others = others_of(direct);
    int other = other_of(direct, &at, sends);
    struct hs_message message = {
        .peer = hs_layer_rank(direct->base.call.layer, direct->base.call.rank, other), .pieces = 1};

    if (!at.gathers || !direct->reduces)
        return message;
    /* It takes all parts of the segment; what comes goes to where a send read from. */
    message.counter = sends ? &direct->base.flow.ready : &direct->base.flow.sent;
    message.least = sends ? (at.turns - 1) * direct->turn + (at.in_phase / others + 1) * others
                          : at.turns * direct->turn;
    return message;
}

static struct hs_piece piece(const void *owner, size_t index, size_t number, bool sends)
{
    const struct direct *direct = owner;
    struct position at = position_of(direct, index);
    bool own = sends == at.gathers; /* block: its own, or the other's */
    size_t block = (size_t)(own ? direct->base.place : other_of(direct, &at, sends));
    size_t bytes = hs_cut_at(&direct->base.cut, block, at.number) * direct->base.cut.width;
    char *input = (char *)direct->base.call.input + bytes;
    char *output = (char *)direct->base.call.output + bytes;
    struct hs_piece piece = {.data = sends && !at.gathers ? input : output,
                             .count = hs_cut_length(&direct->base.cut, block, at.number)};

    (void)number;
    if (sends || at.gathers)
        return piece;
    piece.own = at.t == 1 ? input : output;
    piece.last = at.t + 1 == (int)direct->base.call.layer.size;
    return piece;
}

static enum hs_status make(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    return hs_flow_machine_make(machine, sizeof(struct direct), transport, options, err);
}

/* Segments of all others are to be under way at once. */
static size_t longest_bytes(const struct direct *direct, size_t room)
{
    size_t bytes = room / others_of(direct) / 64 * 64;

    if (bytes < 64)
        return 64;
    return bytes < direct->base.options.segment_bytes ? bytes : direct->base.options.segment_bytes;
}

static void start(void *machine, const struct hs_executor_call *call)
{
    static const struct hs_flow_rules rules = {message, piece};
    struct direct *direct = machine;
    const struct hs_executor_options *options = &direct->base.options;
    const struct hs_memory *memory = direct->base.transport->memory;
    size_t room = hs_flow_room(memory, options, false);
    struct hs_flow_plan plan = {
        .rules = &rules, .owner = direct, .reduction = call->reduction, .tag = call->tag};

    if (!hs_flow_machine_begin(&direct->base, call))
        return;
    direct->reduces = call->phase != HS_ALLGATHER;
    direct->gathers = call->phase != HS_REDUCE_SCATTER;
    direct->base.cut = hs_cut_make(call, longest_bytes(direct, memory->direct ? room : room / 2),
                                   (size_t)options->lanes);
    direct->turn = direct->base.cut.used * others_of(direct);
    plan.slot_bytes = direct->base.cut.segment * direct->base.cut.width;
    plan.send_count = plan.receive_count =
        direct->base.cut.groups * direct->turn * (size_t)(direct->reduces + direct->gathers);
    hs_flow_slots(&plan, options->scratch, room, !memory->direct);
    hs_flow_start(&direct->base.flow, &plan);
}

const struct hs_executor hs_executor_DIRECT = {make, hs_flow_machine_release, start,
                                               hs_flow_machine_progress, sizeof(struct direct)};
