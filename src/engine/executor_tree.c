/*
 * executor_tree.c - an allreduce over a tree as a state machine: see executors.h.
 *
 * All m elements go up to place 0 and down again, in segments, one behind the other: while the
 * first go down the others come up. The tree is binary and in order: place r > 0 with lowest bit b
 * set has the parent (r - b) | 2 b, or r - b where that is no place; so place 0 has one child, all
 * others at most two, the leaves are next to their parents, and no place is deeper than ceil(lg p).
 *
 * The order of additions: a place's own part, then the child below it, then the one above it, which
 * have added theirs. A sum is made in the output of the place that makes it.
 */
#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"
#include "model/traffic.h"

struct tree {
    struct hs_flow_machine base; /* the flow up; the cut is one block, one lane */
    struct hs_flow down;
    int parent, children[2]; /* ranks */
    size_t child_count;
};

static int parent_of(int place, int size)
{
    int low = place & -place, parent = (place - low) | 2 * low;

    return parent < size ? parent : place - low;
}

/* The child below an inner place, then the one above it. */
static void find_family(struct tree *tree)
{
    const struct hs_layer layer = tree->base.call.layer;
    int size = (int)layer.size, rank = tree->base.call.rank, place = tree->base.place;
    int low = place & -place, above;

    tree->child_count = 0;
    if (place == 0)
        for (low = 2; low < size;)
            low *= 2;
    else
        tree->parent = hs_layer_rank(layer, rank, parent_of(place, size));
    if (place > 0 && low > 1)
        tree->children[tree->child_count++] = hs_layer_rank(layer, rank, place - low / 2);
    for (above = low / 2; above > 0 && place + above >= size;)
        above /= 2;
    if (above > 0)
        tree->children[tree->child_count++] = hs_layer_rank(layer, rank, place + above);
}

static bool is_root(const struct tree *tree)
{
    return tree->base.place == 0;
}

/* Receives from children are (segment, child), sends are segments. */
static struct hs_message message_up(const void *owner, size_t index, bool sends)
{
    const struct tree *tree = owner;

    if (!sends)
        return (struct hs_message){.peer = tree->children[index % tree->child_count], .pieces = 1};
    return (struct hs_message){.peer = tree->parent,
                               .pieces = 1,
                               .counter = &tree->base.flow.ready,
                               .least = (index + 1) * tree->child_count};
}

static size_t length_of(const struct tree *tree, size_t segment)
{
    return hs_cut_length(&tree->base.cut, 0, segment);
}

static size_t bytes_before(const struct tree *tree, size_t segment)
{
    return segment * tree->base.cut.segment * tree->base.cut.width;
}

static char *in_output(const struct tree *tree, size_t segment)
{
    return (char *)tree->base.call.output + bytes_before(tree, segment);
}

static char *in_input(const struct tree *tree, size_t segment)
{
    return (char *)tree->base.call.input + bytes_before(tree, segment);
}

static struct hs_piece piece_up(const void *owner, size_t index, size_t number, bool sends)
{
    const struct tree *tree = owner;
    size_t segment = sends ? index : index / tree->child_count;
    size_t child = sends ? tree->child_count : index % tree->child_count;
    char *own = child == 0 ? in_input(tree, segment) : in_output(tree, segment);

    (void)number;
    if (sends)
        return (struct hs_piece){.data = own, .count = length_of(tree, segment)};
    return (struct hs_piece){.data = in_output(tree, segment),
                             .own = own,
                             .count = length_of(tree, segment),
                             .last = is_root(tree) && child + 1 == tree->child_count};
}

/* Receives from the parent are segments, sends are (segment, child). What comes goes to where a
 * send up read from. */
static struct hs_message message_down(const void *owner, size_t index, bool sends)
{
    const struct tree *tree = owner;
    size_t segments;

    if (!sends)
        return (struct hs_message){.peer = tree->parent,
                                   .pieces = 1,
                                   .counter = &tree->base.flow.sent,
                                   .least = index + 1};
    segments = index / tree->child_count + 1;
    return (struct hs_message){.peer = tree->children[index % tree->child_count],
                               .pieces = 1,
                               .counter =
                                   is_root(tree) ? &tree->base.flow.ready : &tree->down.ready,
                               .least = is_root(tree) ? segments * tree->child_count : segments};
}

static struct hs_piece piece_down(const void *owner, size_t index, size_t number, bool sends)
{
    const struct tree *tree = owner;
    size_t segment = sends ? index / tree->child_count : index;

    (void)number;
    return (struct hs_piece){.data = in_output(tree, segment), .count = length_of(tree, segment)};
}

static void release(void *machine)
{
    struct tree *tree = machine;

    if (!tree)
        return;
    hs_flow_release(&tree->down);
    hs_flow_machine_release(tree);
}

static enum hs_status make(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    struct tree *tree;
    enum hs_status status = hs_flow_machine_make(machine, sizeof(*tree), transport, options, err);

    tree = *machine;
    if (status == HS_OK)
        status = hs_flow_init(&tree->down, transport, err);
    if (status != HS_OK) {
        release(tree);
        *machine = NULL;
    }
    return status;
}

static size_t segment_bytes(const struct tree *tree)
{
    size_t bytes = tree->base.call.count * hs_datatype_bytes(tree->base.call.reduction.datatype);
    size_t segments = HS_TREE_SEGMENTS, most = tree->base.options.segment_bytes, slot;

    for (int64_t places = 2; places < tree->base.call.layer.size; places *= 2)
        segments += HS_TREE_SEGMENTS;
    bytes /= segments;
    bytes = bytes > HS_TREE_SEGMENT_BYTES ? bytes : HS_TREE_SEGMENT_BYTES;
    /* Each flow has a slot each way, where it needs any. */
    slot = hs_flow_room(tree->base.transport->memory, &tree->base.options, false) / 4;
    if (!tree->base.transport->memory->direct && slot < most)
        most = slot;
    return bytes < most ? bytes : most;
}

static void start_flows(struct tree *tree)
{
    static const struct hs_flow_rules rules_up = {message_up, piece_up};
    static const struct hs_flow_rules rules_down = {message_down, piece_down};
    const struct hs_memory *memory = tree->base.transport->memory;
    size_t room = hs_flow_room(memory, &tree->base.options, false) / (memory->direct ? 1 : 2);
    size_t segments = tree->base.cut.groups, below = segments * tree->child_count;
    size_t lanes = 2 * (size_t)tree->base.options.lanes;
    size_t window = lanes > HS_RING_DEPTH ? lanes : HS_RING_DEPTH;
    size_t windows = window * tree->child_count;
    struct hs_flow_plan plan = {.rules = &rules_up,
                                .owner = tree,
                                .send_count = is_root(tree) ? 0 : segments,
                                .receive_count = below,
                                .reduction = tree->base.call.reduction,
                                .tag = tree->base.call.tag,
                                .slot_bytes = tree->base.cut.segment * tree->base.cut.width,
                                .receive_window = windows,
                                .send_window = window};

    hs_flow_slots(&plan, tree->base.options.scratch, room, !memory->direct);
    hs_flow_start(&tree->base.flow, &plan);
    plan.rules = &rules_down;
    plan.receive_count = plan.send_count;
    plan.send_count = below;
    plan.receive_window = window;
    plan.send_window = windows;
    /* Without staging it has no slots. */
    hs_flow_slots(&plan, tree->base.options.scratch + (memory->direct ? 0 : room), room,
                  !memory->direct);
    hs_flow_start(&tree->down, &plan);
}

static void start(void *machine, const struct hs_executor_call *call)
{
    struct tree *tree = machine;
    struct hs_executor_call whole = *call;

    hs_flow_start(&tree->down, &(struct hs_flow_plan){0});
    if (!hs_flow_machine_begin(&tree->base, call))
        return;
    find_family(tree);
    whole.layer.size = 1;
    tree->base.cut = hs_cut_make(&whole, segment_bytes(tree), 1);
    start_flows(tree);
}

static bool progress(void *machine, bool *moved)
{
    struct tree *tree = machine;
    bool down = hs_flow_progress(&tree->down, moved),
         up = hs_flow_progress(&tree->base.flow, moved);

    return tree->base.transport->status != HS_OK || (up && down);
}

const struct hs_executor hs_executor_TREE = {make, release, start, progress, sizeof(struct tree)};
