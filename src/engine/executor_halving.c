/*
 * executor_halving.c - recursive halving and doubling as a state machine: see executors.h.
 *
 * Any number of places p, without a fold (nonuniform Bruck). K = ceil(lg p) steps; step k goes
 * 2^k places far with c_k = floor((p - 1 + 2^k) / 2^(k + 1)) blocks of the p, in all p - 1. So half
 * of the bytes go to the nearest place and one block to the farthest.
 *
 * Reduce-scatter, k = 0 .. K - 1: place r sends what it has of blocks r - (2 j + 1) 2^k, j < c_k,
 * to r - 2^k, and adds to its blocks r - 2 j 2^k what comes from r + 2^k. After step k it is left
 * with those; at the end with block r. Allgather, k = K - 1 .. 0: r sends blocks r - 2 j 2^k to r +
 * 2^k, and from r - 2^k come blocks r - (2 j + 1) 2^k. Allreduce: one behind the other. All that is
 * modulo p; where p is a power of two `-` and `+` are exclusive or, so that what is near stays
 * inside aligned groups, as in the textbook.
 *
 * The order of additions: a block b is added at every place up to b as partial sum + what came,
 * step by step; nothing depends on timing.
 *
 * Blocks of a step do not lie together. Small ones are packed: several are a message. Larger ones
 * are cut into segments; the order of messages is (group, step, block, lane) as in the ring, each
 * waits only for the additions to its own elements, and sums are made in the output.
 */
#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"
#include "model/traffic.h"
#include <assert.h>

#define STEPS_MAX 31

struct halving {
    struct hs_flow_machine base;
    size_t packed; /* blocks of a message at most */
    int steps;     /* K */
    /* Message of a group with which step t begins; t = 0 .. K - 1 reduce, K .. 2 K - 1 gather. */
    size_t begin[2 * STEPS_MAX + 1];
};

/* Where a message stands. */
struct position {
    size_t group, lane, first_block; /* first_block: j */
    int turn, k;                     /* t, and how far it goes: 2^k */
};

static size_t size_of(const struct halving *halving)
{
    return (size_t)halving->base.call.layer.size;
}

/* c_k */
static size_t blocks_of(const struct halving *halving, int k)
{
    return (size_of(halving) - 1 + ((size_t)1 << k)) >> (k + 1);
}

/* The place, or block, that lies `offset` < p behind this place, or in front of it. */
static size_t behind(const struct halving *halving, size_t offset, bool in_front)
{
    size_t place = (size_t)halving->base.place, p = size_of(halving);

    if ((p & (p - 1)) == 0)
        return place ^ offset;
    return (place + (in_front ? offset : p - offset)) % p;
}

static size_t group_messages(const struct halving *halving)
{
    return halving->begin[(size_t)2 * (size_t)halving->steps];
}

static struct position position_of(const struct halving *halving, size_t index)
{
    size_t rest = index % group_messages(halving);
    struct position at = {.group = index / group_messages(halving)};

    while (halving->begin[at.turn + 1] <= rest)
        at.turn++;
    rest -= halving->begin[at.turn];
    at.k = at.turn < halving->steps ? at.turn : 2 * halving->steps - 1 - at.turn;
    at.lane = rest % halving->base.cut.used;
    at.first_block = rest / halving->base.cut.used * halving->packed;
    return at;
}

/* Of block j of a step: how far behind this place it is. */
static size_t offset_of(const struct halving *halving, const struct position *at, size_t j,
                        bool sends)
{
    bool reduces = at->turn < halving->steps;

    return (2 * j + (sends == reduces)) << at->k;
}

/* Receives of this group that must be through before block j of a reducing step is sent. Where the
 * step before did not add to it none did since the one before that. */
static size_t wait_reduced(const struct halving *halving, const struct position *at)
{
    size_t j = 2 * at->first_block + 1;

    if (at->turn == 0)
        return 0;
    if (halving->packed > 1)
        return halving->begin[at->turn];
    if (j >= blocks_of(halving, at->k - 1))
        return halving->begin[at->turn - 1];
    return halving->begin[at->turn - 1] + j * halving->base.cut.used + at->lane + 1;
}

/* Likewise of a gathering step: the own block, or one that came i steps ago. */
static size_t wait_gathered(const struct halving *halving, const struct position *at)
{
    size_t j = at->first_block;
    int turn = at->turn - 1;

    if (halving->packed > 1)
        return halving->begin[at->turn];
    if (j == 0)
        return halving->begin[halving->steps] == 0
                   ? 0
                   : halving->begin[halving->steps - 1] + at->lane + 1;
    for (; j % 2 == 0; j /= 2)
        turn--;
    return halving->begin[turn] + j / 2 * halving->base.cut.used + at->lane + 1;
}

static struct hs_message message(const void *owner, size_t index, bool sends)
{
    const struct halving *halving = owner;
    struct position at = position_of(halving, index);
    size_t base = at.group * group_messages(halving);
    bool reduces = at.turn < halving->steps;
    size_t peer = behind(halving, (size_t)1 << at.k, sends != reduces);
    struct hs_message message = {
        .peer = hs_layer_rank(halving->base.call.layer, halving->base.call.rank, (int)peer),
        .pieces = hs_least(halving->packed, blocks_of(halving, at.k) - at.first_block)};

    if (sends) {
        size_t least = reduces ? wait_reduced(halving, &at) : wait_gathered(halving, &at);

        message.counter = &halving->base.flow.ready;
        message.least = least > 0 ? base + least : 0;
    } else if (!reduces && halving->begin[halving->steps] > 0) {
        /* It comes to where a send read from. */
        message.counter = &halving->base.flow.sent;
        message.least = base + halving->begin[halving->steps];
    }
    return message;
}

static struct hs_piece piece(const void *owner, size_t index, size_t number, bool sends)
{
    const struct halving *halving = owner;
    struct position at = position_of(halving, index);
    size_t offset = offset_of(halving, &at, at.first_block + number, sends);
    size_t block = behind(halving, offset, false);
    size_t segment = at.group * halving->base.cut.used + at.lane;
    size_t bytes = hs_cut_at(&halving->base.cut, block, segment) * halving->base.cut.width;
    /* Step 0 adds to all blocks that are kept, but to the farthest. */
    bool summed = at.turn > 0 && offset + 1 < size_of(halving);
    bool reduces = at.turn < halving->steps;
    char *output = (char *)halving->base.call.output + bytes;
    char *own = summed || !reduces ? output : (char *)halving->base.call.input + bytes;

    if (sends)
        return (struct hs_piece){.data = own,
                                 .count = hs_cut_length(&halving->base.cut, block, segment)};
    return (struct hs_piece){.data = output,
                             .own = reduces ? own : NULL,
                             .count = hs_cut_length(&halving->base.cut, block, segment),
                             .last = at.turn + 1 == halving->steps};
}

static enum hs_status make(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    return hs_flow_machine_make(machine, sizeof(struct halving), transport, options, err);
}

/* Packs short blocks where two or more fit a slot. Returns the bytes of a slot. */
static size_t choose_packing(struct halving *halving)
{
    const struct hs_executor_options *options = &halving->base.options;
    struct hs_cut *cut = &halving->base.cut;
    size_t bytes = cut->block * cut->width, most = blocks_of(halving, 0);
    size_t quarter = hs_flow_room(halving->base.transport->memory, options, true) / 4;
    size_t slot = hs_least(hs_least(most * bytes, options->segment_bytes), quarter);

    halving->packed = 1;
    if (most < 2 || bytes > HS_PACKED_BYTES || slot < 2 * bytes)
        return cut->segment * cut->width;
    halving->packed = slot / bytes;
    cut->segment = cut->block;
    cut->used = cut->groups = 1;
    return slot;
}

static void lay_out(struct halving *halving)
{
    enum hs_phase phase = halving->base.call.phase;
    int steps = 0;

    while ((size_t)1 << steps < size_of(halving))
        steps++;
    halving->steps = steps;
    halving->begin[0] = 0;
    for (int t = 0; t < 2 * steps; t++) {
        size_t blocks = blocks_of(halving, t < steps ? t : 2 * steps - 1 - t);
        size_t messages = (blocks + halving->packed - 1) / halving->packed * halving->base.cut.used;
        bool left_out = phase == (t < steps ? HS_ALLGATHER : HS_REDUCE_SCATTER);

        halving->begin[t + 1] = halving->begin[t] + (left_out ? 0 : messages);
    }
}

static void start(void *machine, const struct hs_executor_call *call)
{
    static const struct hs_flow_rules rules = {message, piece};
    struct halving *halving = machine;
    const struct hs_executor_options *options = &halving->base.options;
    const struct hs_memory *memory = halving->base.transport->memory;
    struct hs_flow_plan plan = {
        .rules = &rules, .owner = halving, .reduction = call->reduction, .tag = call->tag};

    if (!hs_flow_machine_begin(&halving->base, call))
        return;
    halving->base.cut = hs_cut_make(call, options->segment_bytes, (size_t)options->lanes);
    plan.slot_bytes = choose_packing(halving);
    lay_out(halving);
    plan.send_count = plan.receive_count = halving->base.cut.groups * group_messages(halving);
    hs_flow_slots(&plan, options->scratch, hs_flow_room(memory, options, halving->packed > 1),
                  !memory->direct || halving->packed > 1);
    hs_flow_start(&halving->base.flow, &plan);
}

const struct hs_executor hs_executor_HALVING = {make, hs_flow_machine_release, start,
                                                hs_flow_machine_progress, sizeof(struct halving)};
