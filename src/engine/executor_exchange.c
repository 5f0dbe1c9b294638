/*
 * executor_exchange.c - blocks from everybody to everybody, as a state machine: see executors.h,
 * and model/exchange.h for the steps.
 *
 * What goes from one place to another are runs of elements, one a round. A message is a part of a
 * run, read from the input and received into the output where they lie, or, where runs are short,
 * the runs of some rounds, packed in a slot. So all ranks cut all shares alike, into `units`.
 *
 * Pairwise, a place sends all units of a share to the place t further before those to the place
 * t + 1 further. A rank's message i is received as message i.
 *
 * Bruck: the block that goes i places further has the same place in each rank's memory, which is
 * the one in the output of what comes from i places before; what comes last there is just that. It
 * is read from the input for its first step, the lowest bit of i. What is sent from the output is
 * packed before what comes in its place is received; a message of one run is read from the input.
 * A step begins when the one before is through both ways: else links that many leave by carry all
 * steps at once, and the first comes as late as the last.
 */
#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"
#include "model/exchange.h"
#include "model/traffic.h"

struct exchange {
    struct hs_flow_machine base;
    bool bruck;    /* else pairwise */
    size_t rounds; /* of the call */
    size_t length; /* elements of a run in a message, but for the end of a run */
    size_t packed; /* rounds of a message; 1: or a part of one */
    size_t parts;  /* of a run */
    size_t units;  /* messages of a share */
    int steps;     /* of Bruck */
};

static int size_of(const struct exchange *exchange)
{
    return (int)exchange->base.call.layer.size;
}

/* Which part of each share a message has, and how far it goes. */
struct position {
    size_t unit;
    int step; /* pairwise: places further; Bruck: the bit */
};

static struct position position_of(const struct exchange *exchange, size_t index)
{
    size_t steps = (size_t)exchange->steps;

    if (exchange->bruck)
        return (struct position){index / steps, (int)(index % steps)};
    return (struct position){index % exchange->units, 1 + (int)(index / exchange->units)};
}

static int place_after(const struct exchange *exchange, int64_t places)
{
    int64_t size = size_of(exchange);

    return (int)((exchange->base.place + places + size) % size);
}

static size_t rounds_in(const struct exchange *exchange, size_t unit)
{
    if (exchange->packed == 1)
        return 1;
    return hs_least(exchange->packed, exchange->rounds - unit * exchange->packed);
}

static struct hs_message message(const void *owner, size_t index, bool sends)
{
    const struct exchange *exchange = owner;
    const struct hs_flow *flow = &exchange->base.flow;
    struct position at = position_of(exchange, index);
    int64_t places = exchange->bruck ? (int64_t)1 << at.step : at.step;
    struct hs_message message = {
        .peer = hs_layer_rank(exchange->base.call.layer, exchange->base.call.rank,
                              place_after(exchange, sends ? places : -places)),
        .pieces = rounds_in(exchange, at.unit)};

    if (!exchange->bruck)
        return message;
    message.pieces *= (size_t)hs_exchange_blocks(size_of(exchange), at.step);
    message.counter = sends ? &flow->ready : &flow->prepared;
    message.least = sends ? (at.step > 0 ? index : 0) : index + 1;
    return message;
}

/* The run of a place in a round of the unit. */
static struct hs_piece run_of(const struct exchange *exchange, const char *data, size_t unit,
                              size_t round, int place)
{
    const struct hs_executor_call *call = &exchange->base.call;
    size_t width = exchange->base.cut.width, first = 0;

    if (exchange->packed > 1) {
        round += unit * exchange->packed;
    } else {
        round = unit / exchange->parts;
        first = unit % exchange->parts * exchange->length;
    }
    first += (round * (size_t)call->layer.size + (size_t)place) * call->run;
    return (struct hs_piece){.data = (char *)data + first * width,
                             .count = hs_least(exchange->length, call->run - first % call->run)};
}

/* The number-th of those that have the bit. */
static int64_t with_bit(int64_t number, int bit)
{
    int64_t one = (int64_t)1 << bit;

    return (number >> bit << (bit + 1)) | one | (number & (one - 1));
}

static struct hs_piece piece(const void *owner, size_t index, size_t number, bool sends)
{
    const struct exchange *exchange = owner;
    const struct hs_executor_call *call = &exchange->base.call;
    struct position at = position_of(exchange, index);
    size_t rounds = rounds_in(exchange, at.unit), round = number % rounds;
    int64_t places = at.step;
    bool from_input = sends;

    if (exchange->bruck) {
        places = with_bit((int64_t)(number / rounds), at.step);
        from_input = sends && places % ((int64_t)1 << at.step) == 0;
    }
    return run_of(exchange, from_input ? call->input : call->output, at.unit, round,
                  place_after(exchange, from_input ? places : -places));
}

/* Cuts shares into units of at most so many bytes, or one element of a run. */
static void cut(struct exchange *exchange, size_t longest_bytes)
{
    const struct hs_executor_call *call = &exchange->base.call;
    struct hs_cut *cut = &exchange->base.cut;

    *cut = hs_cut_make(call, longest_bytes, (size_t)exchange->base.options.lanes);
    exchange->rounds = call->count / (call->run * (size_t)call->layer.size);
    exchange->length = hs_least(cut->segment, call->run);
    exchange->parts = (call->run + exchange->length - 1) / exchange->length;
    exchange->packed = hs_least(exchange->rounds, cut->segment / call->run);
    exchange->packed = exchange->packed > 1 ? exchange->packed : 1;
    exchange->units = exchange->packed > 1
                          ? (exchange->rounds + exchange->packed - 1) / exchange->packed
                          : exchange->rounds * exchange->parts;
}

/* What a place has for itself. */
static void keep_own(struct exchange *exchange)
{
    const struct hs_executor_call *call = &exchange->base.call;
    size_t width = exchange->base.cut.width, row = call->run * (size_t)call->layer.size * width;
    size_t first = (size_t)exchange->base.place * call->run * width;

    for (size_t round = 0; round < exchange->rounds; round++)
        exchange->base.transport->memory->copy(
            exchange->base.flow.queue, (char *)call->output + first + round * row,
            (const char *)call->input + first + round * row, call->run * width);
}

/* Messages of so many blocks at most, for so many of which each way there is to be room. */
static void begin(struct exchange *exchange, size_t blocks, size_t messages)
{
    static const struct hs_flow_rules rules = {message, piece};
    const struct hs_flow_machine *base = &exchange->base;
    const struct hs_executor_call *call = &base->call;
    const struct hs_memory *memory = base->transport->memory;
    size_t room = hs_flow_room(memory, &base->options, false);
    size_t longest = room / (2 * blocks * messages) / 64 * 64;
    struct hs_flow_plan plan = {
        .rules = &rules, .owner = exchange, .reduction = call->reduction, .tag = call->tag};

    longest = longest < 64 ? 64 : longest;
    cut(exchange, hs_least(longest, base->options.segment_bytes));
    keep_own(exchange);
    plan.slot_bytes = blocks * exchange->packed * exchange->length * base->cut.width;
    plan.send_count = plan.receive_count =
        exchange->units * (size_t)(exchange->bruck ? exchange->steps : size_of(exchange) - 1);
    plan.send_window = exchange->bruck ? 1 : 0;
    hs_flow_slots(&plan, base->options.scratch, room, true);
    hs_flow_start(&exchange->base.flow, &plan);
}

static void start_pairwise(void *machine, const struct hs_executor_call *call)
{
    struct exchange *exchange = machine;

    exchange->bruck = false;
    if (hs_flow_machine_begin(&exchange->base, call))
        begin(exchange, 1, HS_RING_DEPTH);
}

/* Where not even one element of half of all blocks has room: pairwise. */
static void start_bruck(void *machine, const struct hs_executor_call *call)
{
    struct exchange *exchange = machine;
    size_t half = (size_t)call->layer.size / 2;

    if (2 * half * 64 >
        hs_flow_room(exchange->base.transport->memory, &exchange->base.options, false)) {
        start_pairwise(machine, call);
        return;
    }
    exchange->bruck = true;
    exchange->steps = 0;
    while ((int64_t)1 << exchange->steps < call->layer.size)
        exchange->steps++;
    if (hs_flow_machine_begin(&exchange->base, call))
        begin(exchange, half, 2);
}

static enum hs_status make(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    return hs_flow_machine_make(machine, sizeof(struct exchange), transport, options, err);
}

const struct hs_executor hs_executor_pairwise = {make, hs_flow_machine_release, start_pairwise,
                                                 hs_flow_machine_progress, sizeof(struct exchange)},
                         hs_executor_bruck = {make, hs_flow_machine_release, start_bruck,
                                              hs_flow_machine_progress, sizeof(struct exchange)};
