/* messages.c - see messages.h. */
#include "links/messages.h"

#include <stdlib.h>
#include <string.h>

#include "model/traffic.h"

void hs_messages_release(struct hs_messages *messages)
{
    free(messages->messages);
    free(messages->ways);
    free(messages->links);
    free(messages->rates);
    memset(messages, 0, sizeof(*messages));
}

/* With room for so many messages and ways. */
static enum hs_status init(struct hs_messages *messages, const struct hs_level *level, size_t count,
                           size_t ways, struct hs_error *err)
{
    size_t vertices = (size_t)hs_links_vertices(&level->links);

    *messages = (struct hs_messages){
        .messages = malloc((count + 1) * sizeof(*messages->messages)),
        .ways = malloc((ways + 1) * sizeof(*messages->ways)),
        .links = malloc((ways + 1) * vertices * sizeof(*messages->links)),
        .rates = malloc(vertices * vertices * sizeof(*messages->rates)),
    };
    if (!messages->messages || !messages->ways || !messages->links || !messages->rates)
        return hs_no_memory(err);
    hs_links_rates(messages->rates, &level->links);
    messages->play = (struct hs_play){.messages = messages->messages,
                                      .ways = messages->ways,
                                      .rates = messages->rates,
                                      .link_count = (int)(vertices * vertices),
                                      .units = level->links.units,
                                      .ways_each = 1};
    return HS_OK;
}

/* Its number. */
static int add_way(struct hs_messages *messages, const struct hs_level *level, const int *path,
                   int count)
{
    int vertices = hs_links_vertices(&level->links), number = messages->play.way_count++;
    int *links = messages->links + (ptrdiff_t)number * vertices;

    for (int i = 0; i + 1 < count; i++)
        links[i] = path[i] * vertices + path[i + 1];
    messages->ways[number] =
        (struct hs_play_way){.links = links,
                             .count = count - 1,
                             .latency_seconds = hs_links_path_seconds(&level->links, path, count,
                                                                      level->latency_seconds)};
    return number;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* What a tree sends from one unit to another. */
struct arc {
    int tree, from, to, way;
    int turn; /* of segment 0 */
    bool down;
    int sent_behind, posted_behind, used_behind; /* arcs; -1: none */
    double part;                                 /* of the bytes */
};

#define PAIRS ((size_t)HS_LINKS_UNITS * HS_LINKS_UNITS)

struct arcs {
    const struct hs_packing *packing;
    struct hs_messages *messages;
    const struct hs_level *level;
    struct arc *items;
    int count, turns;
    int *way_of;       /* [UNITS][UNITS] of direct links, and one more; 0: not yet */
    int *ways;         /* [UNITS][UNITS] from one to another, so far */
    int *way_of_route; /* likewise */
};

static int way_of(struct arcs *arcs, int from, int to, int route)
{
    int *way = route < 0 ? &arcs->way_of[from * HS_LINKS_UNITS + to] : &arcs->way_of_route[route];
    int *ways = &arcs->ways[from * HS_LINKS_UNITS + to];
    int path[HS_LINKS_VERTICES] = {from, to}, count = 2;

    if (*way > 0)
        return *way - 1;
    if (route >= 0) {
        count = arcs->packing->routes[route].count;
        for (int i = 0; i < count; i++)
            path[i] = arcs->packing->routes[route].vertices[i];
    }
    *way = add_way(arcs->messages, arcs->level, path, count) + 1;
    arcs->messages->ways[*way - 1].nth = (*ways)++;
    if (*ways > arcs->messages->play.ways_each)
        arcs->messages->play.ways_each = *ways;
    return *way - 1;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

/* Additions of a tree come in the order of (turn, from), and arcs in that of (turn, tree). */
static int by_turn(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    int order = compare(a->turn, b->turn);

    order = order != 0 ? order : compare(a->tree, b->tree);
    return order != 0 ? order : compare(a->from, b->from);
}

static void add_arcs(struct arcs *arcs, int number)
{
    const struct hs_tree *tree = &arcs->packing->trees[number];
    int heights[HS_LINKS_UNITS], depths[HS_LINKS_UNITS], before = 0, units = arcs->packing->units;
    bool up = arcs->packing->phase != HS_ALLGATHER;
    bool down = arcs->packing->phase != HS_REDUCE_SCATTER;
    double part = tree->share / (up && down ? 1 : units);

    if (up)
        before = hs_tree_heights(heights, tree->up, units);
    if (down)
        hs_tree_depths(depths, tree->down, units);
    for (int u = 0; u < units; u++) {
        if (up && tree->up[u] >= 0)
            arcs->items[arcs->count++] =
                (struct arc){.tree = number,
                             .from = u,
                             .to = tree->up[u],
                             .way = way_of(arcs, u, tree->up[u], tree->up_route[u]),
                             .turn = heights[u],
                             .part = part};
        if (down && tree->down[u] >= 0)
            arcs->items[arcs->count++] =
                (struct arc){.tree = number,
                             .from = tree->down[u],
                             .to = u,
                             .way = way_of(arcs, tree->down[u], u, tree->down_route[u]),
                             .turn = before + depths[u] - 1,
                             .down = true,
                             .part = part};
    }
}

/* In their order: what is waited for has been seen. */
static void find_waits(struct arcs *arcs)
{
    int units = arcs->packing->units;
    /* Of each tree's units: the last addition so far, what came down, and what went up. */
    int *added = malloc(3 * arcs->packing->count * (size_t)units * sizeof(*added));
    int *came = added ? added + arcs->packing->count * (size_t)units : NULL;
    int *went = added ? came + arcs->packing->count * (size_t)units : NULL;

    if (!added) {
        arcs->count = -1;
        return;
    }
    memset(added, -1, 3 * arcs->packing->count * (size_t)units * sizeof(*added));
    for (int a = 0; a < arcs->count; a++) {
        struct arc *arc = &arcs->items[a];
        int from = arc->tree * units + arc->from, to = arc->tree * units + arc->to;
        bool root = arcs->packing->trees[arc->tree].root == arc->from;

        arcs->turns = arc->turn > arcs->turns ? arc->turn : arcs->turns;
        arc->sent_behind = arc->down && !root ? came[from] : added[from];
        arc->posted_behind = arc->down ? went[to] : -1;
        arc->used_behind = arc->down ? -1 : added[to];
        if (arc->down) {
            came[to] = a;
        } else {
            went[from] = a;
            added[to] = a;
        }
    }
    free(added);
}

static int message_of(const int *where, int arc, int segments, int segment)
{
    return arc < 0 ? -1 : where[arc * segments + segment];
}

/* Segment s of an arc in turn s + its own; *where, [arcs][segments], is the room for which message
 * that is. */
static void add_messages(struct arcs *arcs, int *where, double bytes, int segments)
{
    struct hs_play *play = &arcs->messages->play;
    int begun = 0;

    for (int turn = 0; turn <= arcs->turns + segments - 1; turn++) {
        while (begun < arcs->count && arcs->items[begun].turn <= turn)
            begun++;
        for (int a = 0; a < begun; a++) {
            const struct arc *arc = &arcs->items[a];
            int segment = turn - arc->turn, units = play->units;
            int nth = arcs->messages->ways[arc->way].nth;

            if (segment >= segments)
                continue;
            where[a * segments + segment] = (int)play->count;
            arcs->messages->messages[play->count++] = (struct hs_play_message){
                .from = arc->from,
                .to = arc->to,
                .way = arc->way,
                .sends = nth * units + arc->to,
                .uses = nth * units + arc->from,
                .sent_behind = message_of(where, arc->sent_behind, segments, segment),
                .posted_behind = message_of(where, arc->posted_behind, segments, segment),
                .used_behind = message_of(where, arc->used_behind, segments, segment),
                .bytes = bytes * arc->part / segments};
        }
    }
}

enum hs_status hs_messages_of_trees(struct hs_messages *messages, const struct hs_level *level,
                                    const struct hs_packing *packing, double bytes, int segments,
                                    struct hs_error *err)
{
    size_t most = packing->count * 2 * (size_t)(packing->units - 1);
    struct arcs arcs = {.packing = packing,
                        .messages = messages,
                        .level = level,
                        .items = malloc(most * sizeof(*arcs.items)),
                        .way_of = calloc(PAIRS, sizeof(*arcs.way_of)),
                        .ways = calloc(PAIRS, sizeof(*arcs.ways)),
                        .way_of_route =
                            calloc(packing->route_count + 1, sizeof(*arcs.way_of_route))};
    int *where = malloc(most * (size_t)segments * sizeof(*where));
    enum hs_status status =
        init(messages, level, most * (size_t)segments,
             (size_t)(packing->units * packing->units) + packing->route_count, err);

    if (status == HS_OK &&
        (!arcs.items || !arcs.way_of || !arcs.ways || !arcs.way_of_route || !where))
        status = hs_no_memory(err);
    if (status == HS_OK) {
        for (size_t t = 0; t < packing->count; t++)
            add_arcs(&arcs, (int)t);
        qsort(arcs.items, (size_t)arcs.count, sizeof(*arcs.items), by_turn);
        find_waits(&arcs);
        if (arcs.count < 0)
            status = hs_no_memory(err);
        else
            add_messages(&arcs, where, bytes, segments);
    }
    free(arcs.items);
    free(arcs.way_of);
    free(arcs.ways);
    free(arcs.way_of_route);
    free(where);
    return status;
}

/* ---- all to all pairs of units --------------------------------------------------------------- */

/* The ways between every two units that the network has: number from * units + to. */
static enum hs_status init_pairs(struct hs_messages *messages, const struct hs_level *level,
                                 size_t count, struct hs_error *err)
{
    int units = level->links.units, path[HS_LINKS_VERTICES];
    enum hs_status status = init(messages, level, count, (size_t)units * (size_t)units, err);

    for (int i = 0; status == HS_OK && i < units * units; i++) {
        int vertices =
            i / units == i % units ? 1 : hs_links_path(path, &level->links, i / units, i % units);

        if (vertices == 0)
            vertices = hs_links_path_by_units(path, &level->links, i / units, i % units);
        add_way(messages, level, path, vertices);
    }
    return status;
}

/* A message in the only flow of both of its units; it waits for messages by their numbers. */
static void add_message(struct hs_messages *messages, int from, int to, double bytes,
                        const int behind[2])
{
    messages->messages[messages->play.count++] =
        (struct hs_play_message){.from = from,
                                 .to = to,
                                 .way = from * messages->play.units + to,
                                 .sent_behind = behind[0],
                                 .posted_behind = behind[1],
                                 .used_behind = -1,
                                 .bytes = bytes};
}

/* The i-th of every unit has numbers i * units + who sends it. */
enum hs_status hs_messages_of_direct(struct hs_messages *messages, const struct hs_level *level,
                                     enum hs_phase phase, double bytes, struct hs_error *err)
{
    int units = level->links.units, others = units - 1, passes = hs_phase_passes(phase);
    enum hs_status status =
        init_pairs(messages, level, (size_t)units * (size_t)others * (size_t)passes, err);

    for (int i = 0; status == HS_OK && i < others * passes; i++)
        for (int from = 0; from < units; from++) {
            int to = (from + i % others + 1) % units, behind[2] = {-1, -1};

            if (i >= others) { /* all came from, or went to, all others */
                behind[0] = (others - 1) * units + (from + 1) % units;
                behind[1] = (others - 1) * units + to;
            }
            add_message(messages, from, to, bytes / units, behind);
        }
    return status;
}

struct halving {
    int units, steps, packed; /* blocks of a message at most */
    bool is_power;
    int begin[2 * HS_LINKS_UNITS + 1]; /* each unit's messages before turn t */
};

/* c_k */
static int blocks_of(const struct halving *halving, int k)
{
    return (halving->units - 1 + (1 << k)) >> (k + 1);
}

static int peer_of(const struct halving *halving, int unit, int k, bool in_front)
{
    int far = 1 << k;

    if (halving->is_power)
        return unit ^ far;
    return (unit + (in_front ? far : halving->units - far)) % halving->units;
}

static int turn_to_k(const struct halving *halving, int turn)
{
    return turn < halving->steps ? turn : 2 * halving->steps - 1 - turn;
}

static void lay_out(struct halving *halving, enum hs_phase phase, double bytes)
{
    while (1 << halving->steps < halving->units)
        halving->steps++;
    halving->is_power = 1 << halving->steps == halving->units;
    halving->packed = halving->units > 3 && bytes <= (double)HS_PACKED_BYTES * halving->units
                          ? halving->units
                          : 1;
    for (int t = 0; t < 2 * halving->steps; t++) {
        int blocks = blocks_of(halving, turn_to_k(halving, t));
        bool left_out = phase == (t < halving->steps ? HS_ALLGATHER : HS_REDUCE_SCATTER);

        halving->begin[t + 1] =
            halving->begin[t] + (left_out ? 0 : (blocks + halving->packed - 1) / halving->packed);
    }
}

/* Receives that are through before block j of a turn is sent (executor_halving.c). */
static int wait_of(const struct halving *halving, int turn, int j)
{
    int k = turn_to_k(halving, turn), at = turn - 1;

    if (halving->packed > 1)
        return halving->begin[turn];
    if (turn == 0)
        return 0;
    if (turn < halving->steps)
        return 2 * j + 1 >= blocks_of(halving, k - 1) ? halving->begin[turn - 1]
                                                      : halving->begin[turn - 1] + 2 * j + 2;
    if (j == 0)
        return halving->begin[halving->steps] == 0 ? 0 : halving->begin[halving->steps - 1] + 1;
    for (; j % 2 == 0; j /= 2)
        at--;
    return halving->begin[at] + j / 2 + 1;
}

/* Who sends a unit its message of that number. */
static int sender_of(const struct halving *halving, int unit, int number)
{
    int turn = 0;

    while (halving->begin[turn + 1] <= number)
        turn++;
    return peer_of(halving, unit, turn_to_k(halving, turn), turn < halving->steps);
}

static void add_turn(struct hs_messages *messages, const struct halving *halving, int turn,
                     double block_bytes)
{
    int k = turn_to_k(halving, turn), blocks = blocks_of(halving, k), units = halving->units;
    bool reduces = turn < halving->steps;

    for (int j = 0; j < blocks; j += halving->packed) {
        int many = blocks - j < halving->packed ? blocks - j : halving->packed;
        int wait = wait_of(halving, turn, j);

        for (int from = 0; from < units; from++) {
            int to = peer_of(halving, from, k, !reduces), behind[2] = {-1, -1};

            if (wait > 0)
                behind[0] = (wait - 1) * units + sender_of(halving, from, wait - 1);
            if (!reduces && halving->begin[halving->steps] > 0)
                behind[1] = (halving->begin[halving->steps] - 1) * units + to;
            add_message(messages, from, to, many * block_bytes, behind);
        }
    }
}

enum hs_status hs_messages_of_halving(struct hs_messages *messages, const struct hs_level *level,
                                      enum hs_phase phase, double bytes, struct hs_error *err)
{
    struct halving halving = {.units = level->links.units};
    enum hs_status status;
    int turns;

    lay_out(&halving, phase, bytes);
    turns = 2 * halving.steps;
    status = init_pairs(messages, level, (size_t)halving.begin[turns] * (size_t)halving.units, err);
    for (int t = 0; status == HS_OK && t < turns; t++)
        if (halving.begin[t + 1] > halving.begin[t])
            add_turn(messages, &halving, t, bytes / halving.units);
    return status;
}
