/*
 * executor_forest.c - a phase over trees that were packed on a graph of links, as a state machine:
 * see executors.h.
 *
 * Each tree (links/packing.h) has a part of its root's block, or of the whole message of an
 * allreduce, as long as its share says; parts are cut into as many segments, so that all trees are
 * through at the same time. Segment s goes over an edge of a tree in turn s + h: h, of what goes
 * up, is how far its sender is above the furthest leaf below it; of what comes down, how far its
 * sender is below the root, behind all that the tree has going up.
 *
 * Each neighbour has a flow of its own, so that no link waits for another: what goes to it and
 * comes from it, in the order of (turn, tree), on which both sides agree. A send waits for what it
 * is made of, and an addition for the one before it in its segment, in the order of (turn, place):
 * all that is waited for comes earlier in the order of (turn, tree, place), so that nothing can
 * lock up, and additions are in one order whatever the timing.
 *
 * A sum is made in the output of the place that makes it, where its segment lies.
 */
#include <stdlib.h>

#include "engine/executors.h"
#include "engine/flow.h"
#include "engine/layer_comms.h"
#include "links/packing.h"

/* Slots that a neighbour's flow has at least, where segments can be short enough. */
#define WINDOW_LEAST 8

/* Messages to a neighbour that are under way at once, whatever the links; and as many as leave in
 * the time that one takes through MPI, a network with sockets and a process that has to wake. */
#define WINDOW_SOME    4
#define TRAVEL_SECONDS 1e-3

/* An edge of a tree at this place, one way. */
struct edge {
    int tree, other; /* its number; place at the other end */
    int turn;        /* h: of segment 0 */
    bool down;
    bool first, last; /* of a receive up: the first addition here; the last of all */
    /* What a message of it waits for: of the same segment what came, or went, over another edge. */
    const struct edge *behind; /* NULL: nothing */
    bool behind_sent;
};

/* What a tree has of the elements that it is for, and where they begin. */
struct part {
    size_t first, count;
};

/* What is exchanged with one of the others. */
struct neighbour {
    struct forest *forest;
    struct edge *edges[2]; /* [counts] by (turn, tree): received, sent */
    size_t counts[2];
    size_t *before[2]; /* [turns + 1] messages before each turn */
    struct hs_flow flow;
};

struct forest {
    struct hs_flow_machine base;
    const struct hs_packing *packing; /* of the call */
    enum hs_phase phase;              /* that the edges are of */
    struct edge *edges[2];            /* [counts] by (other, turn, tree): received, sent */
    size_t counts[2];
    struct part *parts;           /* [trees] */
    struct neighbour *neighbours; /* [neighbour_room] by place; flows of some */
    size_t neighbour_room;
    size_t *before; /* of all */
    size_t segments, turns;
    size_t block; /* elements of a place's block */
};

/* ---- which edges there are ---- */

static void add_edge(struct forest *forest, bool sends, struct edge edge)
{
    forest->edges[sends][forest->counts[sends]++] = edge;
}

/* What a place does in a tree that goes up and, behind that, down. */
static void add_edges(struct forest *forest, int number)
{
    const struct hs_tree *tree = &forest->packing->trees[number];
    int size = (int)forest->base.call.layer.size, place = forest->base.place, turns = 0;
    int far[HS_LINKS_UNITS];

    if (forest->base.call.phase != HS_ALLGATHER) {
        turns = hs_tree_heights(far, tree->up, size);
        if (place != tree->root)
            add_edge(forest, true,
                     (struct edge){.tree = number, .other = tree->up[place], .turn = far[place]});
        for (int child = 0; child < size; child++)
            if (tree->up[child] == place)
                add_edge(forest, false,
                         (struct edge){.tree = number, .other = child, .turn = far[child]});
    }
    if (forest->base.call.phase == HS_REDUCE_SCATTER)
        return;
    hs_tree_depths(far, tree->down, size);
    if (place != tree->root)
        add_edge(forest, false,
                 (struct edge){.tree = number,
                               .other = tree->down[place],
                               .turn = turns + far[place] - 1,
                               .down = true});
    for (int child = 0; child < size; child++)
        if (tree->down[child] == place)
            add_edge(forest, true,
                     (struct edge){
                         .tree = number, .other = child, .turn = turns + far[place], .down = true});
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_neighbour(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    int order = compare(a->other, b->other);

    order = order != 0 ? order : compare(a->turn, b->turn);
    return order != 0 ? order : compare(a->tree, b->tree);
}

/* Whether one addition of a tree comes before another here. */
static bool is_earlier(const struct edge *a, const struct edge *b)
{
    return a->turn != b->turn ? a->turn < b->turn : a->other < b->other;
}

/* Of the additions of a tree here the last of those before `edge`, or of all (NULL). */
static const struct edge *addition_before(const struct forest *forest, int tree,
                                          const struct edge *edge)
{
    const struct edge *found = NULL;

    for (size_t i = 0; i < forest->counts[false]; i++) {
        const struct edge *other = &forest->edges[false][i];

        if (other->tree == tree && !other->down && (!edge || is_earlier(other, edge)) &&
            (!found || is_earlier(found, other)))
            found = other;
    }
    return found;
}

/* The only edge of a tree here that comes down, or goes up; NULL: there is none. */
static const struct edge *way_of(const struct forest *forest, int tree, bool sends)
{
    for (size_t i = 0; i < forest->counts[sends]; i++)
        if (forest->edges[sends][i].tree == tree && forest->edges[sends][i].down != sends)
            return &forest->edges[sends][i];
    return NULL;
}

static void find_waits(struct forest *forest)
{
    for (size_t i = 0; i < forest->counts[true]; i++) {
        struct edge *sent = &forest->edges[true][i];
        bool root = forest->packing->trees[sent->tree].root == forest->base.place;

        sent->behind = sent->down && !root ? way_of(forest, sent->tree, false)
                                           : addition_before(forest, sent->tree, NULL);
    }
    for (size_t i = 0; i < forest->counts[false]; i++) {
        struct edge *received = &forest->edges[false][i];
        bool root = forest->packing->trees[received->tree].root == forest->base.place;

        received->behind_sent = received->down;
        received->behind = received->down ? way_of(forest, received->tree, true)
                                          : addition_before(forest, received->tree, received);
        received->first = !received->behind;
        received->last = root && addition_before(forest, received->tree, NULL) == received;
    }
}

/* ---- which messages there are: segment s of an edge in turn s + h ---- */

/* Edges whose first turn is at most `turn`: a prefix. */
static size_t begun_by(const struct neighbour *with, bool sends, long turn)
{
    size_t low = 0, high = with->counts[sends];

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (with->edges[sends][middle].turn <= turn)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Edges that are through before a turn: their last was `segments` turns behind their first. */
static size_t ended_by(const struct neighbour *with, bool sends, size_t turn)
{
    return begun_by(with, sends, (long)turn - (long)with->forest->segments);
}

static void count_turns(struct neighbour *with, bool sends)
{
    size_t *before = with->before[sends];

    before[0] = 0;
    for (size_t turn = 0; turn < with->forest->turns; turn++)
        before[turn + 1] =
            before[turn] + begun_by(with, sends, (long)turn) - ended_by(with, sends, turn);
}

/* The number of the message that is a segment of an edge. */
static size_t index_of(const struct neighbour *with, bool sends, const struct edge *edge,
                       size_t segment)
{
    size_t turn = (size_t)edge->turn + segment;

    return with->before[sends][turn] + (size_t)(edge - with->edges[sends]) -
           ended_by(with, sends, turn);
}

/* The edge of a message, and its segment. */
static const struct edge *edge_of(const struct neighbour *with, bool sends, size_t index,
                                  size_t *segment)
{
    const size_t *before = with->before[sends];
    size_t low = 0, high = with->forest->turns;
    const struct edge *edge;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (before[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    edge = &with->edges[sends][index - before[low] + ended_by(with, sends, low)];
    *segment = low - (size_t)edge->turn;
    return edge;
}

/* Elements of a segment of a tree's part, among those of the part's block. */
static struct part segment_of(const struct forest *forest, int tree, size_t segment)
{
    struct part part = forest->parts[tree];
    size_t first = part.count * segment / forest->segments;
    size_t end = part.count * (segment + 1) / forest->segments;

    return (struct part){part.first + first, end - first};
}

static struct hs_message message(const void *owner, size_t index, bool sends)
{
    const struct neighbour *with = owner, *waited;
    const struct forest *forest = with->forest;
    size_t segment;
    const struct edge *edge = edge_of(with, sends, index, &segment);
    struct hs_message message = {
        .peer = hs_layer_rank(forest->base.call.layer, forest->base.call.rank, edge->other),
        .pieces = 1};

    if (!edge->behind)
        return message;
    waited = &forest->neighbours[edge->behind->other];
    message.counter = edge->behind_sent ? &waited->flow.sent : &waited->flow.ready;
    message.least = index_of(waited, edge->behind_sent, edge->behind, segment) + 1;
    message.posts_early = !sends && !edge->down;
    return message;
}

static struct hs_piece piece(const void *owner, size_t index, size_t number, bool sends)
{
    const struct neighbour *with = owner;
    const struct forest *forest = with->forest;
    size_t segment;
    const struct edge *edge = edge_of(with, sends, index, &segment);
    struct part at = segment_of(forest, edge->tree, segment);
    int block =
        forest->base.call.phase == HS_ALLREDUCE ? 0 : forest->packing->trees[edge->tree].root;
    size_t bytes = ((size_t)block * forest->block + at.first) *
                   hs_datatype_bytes(forest->base.call.reduction.datatype);
    char *input = (char *)forest->base.call.input + bytes;
    char *output = (char *)forest->base.call.output + bytes;
    /* A leaf has nothing but its own. */
    bool leaf = sends && !edge->down && !edge->behind;
    struct hs_piece piece = {.data = leaf ? input : output, .count = at.count};

    (void)number; /* one alone */
    if (sends || edge->down)
        return piece;
    piece.own = edge->first ? input : output;
    piece.last = edge->last;
    return piece;
}

/* ---- the machine ---- */

static enum hs_status make(void **machine, struct hs_transport *transport,
                           const struct hs_executor_options *options, struct hs_error *err)
{
    return hs_flow_machine_make(machine, sizeof(struct forest), transport, options, err);
}

static void release(void *machine)
{
    struct forest *forest = machine;

    if (!forest)
        return;
    for (size_t i = 0; i < forest->neighbour_room; i++)
        hs_flow_release(&forest->neighbours[i].flow);
    free(forest->neighbours);
    free(forest->edges[false]);
    free(forest->edges[true]);
    free(forest->before);
    free(forest->parts);
    hs_flow_machine_release(forest);
}

/* *list has room for so many; false: no memory. */
static bool grow(void *list, size_t count, size_t bytes)
{
    void **items = list, *grown = realloc(*items, (count > 0 ? count : 1) * bytes);

    if (grown)
        *items = grown;
    return grown != NULL;
}

/* Parts of the block, or the message, by the shares of its trees, whose sum may be a little more
 * than 1 (model/forests.h); the longest. */
static size_t cut_parts(struct forest *forest)
{
    const struct hs_packing *packing = forest->packing;
    double before = 0;
    size_t longest = 0;

    for (size_t i = 0; i < packing->count; i++) {
        bool new_root = forest->base.call.phase != HS_ALLREDUCE &&
                        (i == 0 || packing->trees[i].root != packing->trees[i - 1].root);
        bool last =
            i + 1 == packing->count || (forest->base.call.phase != HS_ALLREDUCE &&
                                        packing->trees[i].root != packing->trees[i + 1].root);
        struct part *part = &forest->parts[i];

        if (new_root)
            before = 0;
        part->first = hs_least((size_t)(before * (double)forest->block), forest->block);
        before += packing->trees[i].share;
        part->count = (last ? forest->block
                            : hs_least((size_t)(before * (double)forest->block), forest->block)) -
                      part->first;
        longest = part->count > longest ? part->count : longest;
    }
    return longest;
}

static size_t room_of(const struct forest *forest)
{
    size_t room = hs_flow_room(forest->base.transport->memory, &forest->base.options, false);

    return hs_most(room, HS_SCRATCH_LEAST) / ((size_t)forest->base.call.layer.size - 1) / 64 * 64;
}

/* As seconds_per_byte of a packing counts them. */
static double all_bytes(const struct forest *forest)
{
    return (double)forest->base.call.count *
           (double)hs_datatype_bytes(forest->base.call.reduction.datatype);
}

/* Into how many segments, the same on all ranks: so that the longest is no longer than a message
 * may be, and than slots for each neighbour have room. */
static size_t segments_of(const struct forest *forest, size_t longest)
{
    size_t bytes = longest * hs_datatype_bytes(forest->base.call.reduction.datatype);
    size_t room = room_of(forest) / 2;
    size_t most =
        hs_most(room / WINDOW_LEAST, hs_least(room - 64, (size_t)HS_PACKING_SEGMENT_BYTES));
    double all = all_bytes(forest);
    size_t many = hs_least((size_t)hs_packing_segments(forest->packing, all),
                           bytes / (size_t)HS_PACKING_SEGMENT_BYTES);

    return hs_most(many, bytes / hs_least(most, forest->base.options.segment_bytes) + 1);
}

/* Each neighbour's among all edges. */
static void part_edges(struct forest *forest)
{
    for (size_t i = 0; i < (size_t)forest->base.call.layer.size; i++) {
        forest->neighbours[i].forest = forest;
        forest->neighbours[i].counts[false] = forest->neighbours[i].counts[true] = 0;
    }
    for (int sends = 0; sends < 2; sends++)
        for (size_t i = forest->counts[sends]; i-- > 0;) {
            struct neighbour *with = &forest->neighbours[forest->edges[sends][i].other];

            with->edges[sends] = &forest->edges[sends][i];
            with->counts[sends]++;
        }
}

static enum hs_status find_neighbours(struct forest *forest, struct hs_error *err)
{
    size_t size = (size_t)forest->base.call.layer.size;

    if (size > forest->neighbour_room && !grow(&forest->neighbours, size, sizeof(struct neighbour)))
        return hs_no_memory(err);
    while (forest->neighbour_room < size) {
        enum hs_status status = hs_flow_init(&forest->neighbours[forest->neighbour_room].flow,
                                             forest->base.transport, err);

        forest->neighbour_room++;
        if (status != HS_OK)
            return status;
    }
    part_edges(forest);
    return HS_OK;
}

/* Those of the call before where it was of the same trees. */
static enum hs_status find_edges(struct forest *forest, struct hs_error *err)
{
    const struct hs_executor_call *call = &forest->base.call;
    size_t most = call->packing->count * 2 * (size_t)call->layer.size;

    if (forest->packing == call->packing && forest->phase == call->phase)
        return HS_OK;
    forest->packing = NULL;
    forest->counts[false] = forest->counts[true] = 0;
    if (!grow(&forest->edges[false], most, sizeof(struct edge)) ||
        !grow(&forest->edges[true], most, sizeof(struct edge)) ||
        !grow(&forest->parts, call->packing->count, sizeof(struct part)))
        return hs_no_memory(err);
    forest->packing = call->packing;
    forest->phase = call->phase;
    for (size_t i = 0; i < call->packing->count; i++)
        add_edges(forest, (int)i);
    for (int sends = 0; sends < 2; sends++)
        qsort(forest->edges[sends], forest->counts[sends], sizeof(struct edge), by_neighbour);
    find_waits(forest);
    return find_neighbours(forest, err);
}

static enum hs_status lay_out(struct forest *forest, struct hs_error *err)
{
    size_t size = (size_t)forest->base.call.layer.size, turns = 0;
    enum hs_status status = find_edges(forest, err);

    if (status != HS_OK) {
        forest->packing = NULL;
        return status;
    }
    forest->segments = segments_of(forest, cut_parts(forest));
    for (int sends = 0; sends < 2; sends++)
        for (size_t i = 0; i < forest->counts[sends]; i++)
            turns = hs_most(turns, (size_t)forest->edges[sends][i].turn);
    forest->turns = forest->segments + turns;
    if (!grow(&forest->before, 2 * size * (forest->turns + 1), sizeof(size_t)))
        return hs_no_memory(err);
    for (size_t i = 0; i < 2 * size; i++) {
        struct neighbour *with = &forest->neighbours[i / 2];

        with->before[i % 2] = &forest->before[i * (forest->turns + 1)];
        count_turns(with, i % 2);
    }
    return HS_OK;
}

/* How many messages to a neighbour are under way: those that leave while the first travels, and
 * some. More would only wait in the network's queues, where what others wait for lies behind them:
 * in rendezvous that is asked and answered there, too. 0: nothing limits them. */
static size_t window_of(const struct forest *forest, size_t messages)
{
    double seconds = forest->packing->seconds_per_byte * all_bytes(forest);
    double most = WINDOW_SOME + TRAVEL_SECONDS * (double)messages / seconds;

    return seconds > 0 && most < HS_FLOW_WINDOW_MAX ? (size_t)most : 0;
}

static void start_flow(struct neighbour *with, size_t longest, char *scratch, size_t room)
{
    static const struct hs_flow_rules rules = {message, piece};
    struct forest *forest = with->forest;
    struct hs_flow_plan plan = {.rules = &rules,
                                .owner = with,
                                .send_count = with->before[true][forest->turns],
                                .receive_count = with->before[false][forest->turns],
                                .reduction = forest->base.call.reduction,
                                .tag = forest->base.call.tag,
                                .send_window =
                                    window_of(forest, with->before[true][forest->turns])};

    plan.slot_bytes = longest * hs_datatype_bytes(plan.reduction.datatype);
    hs_flow_slots(&plan, scratch, room, !forest->base.transport->memory->direct);
    hs_flow_start(&with->flow, &plan);
}

static void start_flows(struct forest *forest)
{
    char *scratch = forest->base.options.scratch;
    size_t longest = 0, room = room_of(forest);

    for (size_t i = 0; i < forest->packing->count; i++)
        longest = hs_most(longest, forest->parts[i].count / forest->segments + 1);
    for (int i = 0; i < (int)forest->base.call.layer.size; i++)
        if (i != forest->base.place) {
            start_flow(&forest->neighbours[i], longest, scratch, room);
            scratch += room;
        }
}

static void start(void *machine, const struct hs_executor_call *call)
{
    struct forest *forest = machine;
    struct hs_transport *transport = forest->base.transport;

    forest->segments = 0;
    if (!hs_flow_machine_begin(&forest->base, call))
        return;
    forest->block =
        call->phase == HS_ALLREDUCE ? call->count : call->count / (size_t)call->layer.size;
    transport->status = lay_out(forest, &transport->error);
    if (transport->status == HS_OK)
        start_flows(forest);
}

/* Nothing to do: no segments. */
static bool progress(void *machine, bool *moved)
{
    struct forest *forest = machine;
    bool through = true;

    for (int i = 0; forest->segments > 0 && i < (int)forest->base.call.layer.size; i++)
        if (i != forest->base.place)
            through &= hs_flow_progress(&forest->neighbours[i].flow, moved);
    return through || forest->base.transport->status != HS_OK;
}

const struct hs_executor hs_executor_FOREST = {make, release, start, progress,
                                               sizeof(struct forest)};
/* The same by other trees. */
const struct hs_executor hs_executor_GROUPS = {make, release, start, progress,
                                               sizeof(struct forest)};
