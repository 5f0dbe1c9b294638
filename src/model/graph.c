#include "model/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuts.h"
#include "model/packing.h"
#include "model/traffic.h"

/* Turns that a tree's segment has at most (engine/executor_forest.c): up, and down again. */
#define TURNS (2 * HS_LINKS_UNITS)

/* Of one way to carry a phase out: on the links as described. */
struct figure {
    bool made, fails;
    double seconds_per_byte;
    double latency_seconds; /* of the longest way, up and down */
    double level_seconds;   /* the level's own latency in that */
    double steps;           /* arcs of it */
    double messages;        /* of a segment, that one unit sends */
    double longest;         /* part of the bytes that the longest tree has */
    double arcs;            /* of trees, on a link between two units that has any */
    double begins;          /* turn in which such a link has its first message */
    double turns[TURNS];    /* part of all arcs that have their first message in that turn */
};
#define PHASES (HS_ALLREDUCE + 1)

struct hs_graph {
    struct figure figures[HS_GRAPH_WAYS][PHASES];
    double bounds[HS_PHASE_COUNT]; /* seconds per byte; 0: not yet */
};

struct hs_graph *hs_graph_new(const struct hs_system *system)
{
    if (system->levels[0].fabric != HS_FABRIC_LINKS)
        return NULL;
    return calloc(1, sizeof(struct hs_graph));
}

void hs_graph_free(struct hs_graph *graph)
{
    free(graph);
}

void hs_graph_empty(struct hs_graph *graph)
{
    if (graph)
        memset(graph, 0, sizeof(*graph));
}

bool hs_graph_holds(const struct hs_system *system, struct hs_layer layer)
{
    const struct hs_level *level = &system->levels[0];

    return level->fabric == HS_FABRIC_LINKS && layer.stride == 1 && layer.size == level->arity;
}

bool hs_graph_possible(const struct hs_system *system, struct hs_stage_key key)
{
    return hs_stage_possible(key) &&
           (!hs_algorithms[key.algorithm]->on_links || hs_graph_holds(system, key.layer));
}

/* ---- of all units ---------------------------------------------------------------------------- */

/* Latency over a unit's way to another. */
static double way_seconds(const struct hs_packing *packing, const struct hs_level *level, int from,
                          int to, int route)
{
    int path[HS_LINKS_VERTICES] = {from, to}, count = 2;

    if (route >= 0) {
        count = packing->routes[route].count;
        for (int i = 0; i < count; i++)
            path[i] = packing->routes[route].vertices[i];
    }
    return hs_links_path_seconds(&level->links, path, count, level->latency_seconds);
}

/* Arcs between two units. */
struct uses {
    int arcs[HS_LINKS_UNITS][HS_LINKS_UNITS], begins[HS_LINKS_UNITS][HS_LINKS_UNITS];
};

static void use(struct uses *uses, struct figure *figure, int from, int to, int turn)
{
    if (uses->arcs[from][to]++ == 0 || turn < uses->begins[from][to])
        uses->begins[from][to] = turn;
    figure->turns[turn]++;
}

/* How far each unit is from the root, or the furthest leaf below it is from it. */
static int depths_of(int *depths, const int *next, int units)
{
    int deepest = 0;

    for (int u = 0; u < units; u++) {
        depths[u] = 0;
        for (int at = u; next[at] >= 0; at = next[at])
            depths[u]++;
        deepest = depths[u] > deepest ? depths[u] : deepest;
    }
    return deepest;
}

static int heights_of(int *heights, const int *next, int units)
{
    int highest = 0;

    memset(heights, 0, (size_t)units * sizeof(*heights));
    for (int u = 0; u < units; u++)
        for (int at = u, height = 0; next[at] >= 0; at = next[at]) {
            height++;
            if (height > heights[next[at]])
                heights[next[at]] = height;
            highest = height > highest ? height : highest;
        }
    return highest;
}

/* Over a tree each way: its arcs' turns, latencies of the longest way, and its arcs. */
static void walk_tree(struct figure *figure, struct uses *uses, const struct hs_packing *packing,
                      const struct hs_tree *tree, const struct hs_level *level)
{
    int far[HS_LINKS_UNITS], before = 0, behind = 0;
    double longest[2] = {0, 0}, to_root[HS_LINKS_UNITS];
    bool goes[2] = {packing->phase != HS_ALLGATHER, packing->phase != HS_REDUCE_SCATTER};

    for (int way = 0; way < 2; way++) {
        const int *next = way == 0 ? tree->up : tree->down;

        if (!goes[way])
            continue;
        if (way == 0)
            before = heights_of(far, next, packing->units);
        else
            behind = depths_of(far, next, packing->units);
        for (int u = 0; u < packing->units; u++) {
            to_root[u] = 0;
            for (int at = u; next[at] >= 0; at = next[at])
                to_root[u] += way == 0
                                  ? way_seconds(packing, level, at, next[at], tree->up_route[at])
                                  : way_seconds(packing, level, next[at], at, tree->down_route[at]);
            longest[way] = fmax(longest[way], to_root[u]);
            if (next[u] >= 0 && way == 0)
                use(uses, figure, u, next[u], far[u]);
            else if (next[u] >= 0)
                use(uses, figure, next[u], u, before + far[u] - 1);
        }
    }
    figure->latency_seconds = fmax(figure->latency_seconds, longest[0] + longest[1]);
    figure->steps = fmax(figure->steps, before + behind);
}

/* What was counted, as parts and means. */
static void take_means(struct figure *figure, const struct uses *uses, int units)
{
    double arcs = 0, links = 0, begins = 0;

    for (int i = 0; i < units * units; i++) {
        int here = uses->arcs[i / units][i % units];

        arcs += here;
        links += here > 0;
        begins += here > 0 ? uses->begins[i / units][i % units] : 0;
    }
    for (int t = 0; t < TURNS; t++)
        figure->turns[t] /= arcs;
    figure->arcs = arcs / links;
    figure->begins = begins / links;
}

typedef enum hs_status make_function(struct hs_packing *packing, const struct hs_links *links,
                                     enum hs_phase phase, struct hs_error *err);

static struct figure make_figure(const struct hs_level *level, enum hs_graph_way way,
                                 enum hs_phase phase)
{
    static make_function *const makers[HS_GRAPH_WAYS] = {hs_packing_make_rings, hs_packing_make,
                                                         hs_packing_make_groups};
    struct figure figure = {.made = true};
    struct hs_packing packing;
    struct uses *uses = calloc(1, sizeof(*uses));

    if (!uses || makers[way](&packing, &level->links, phase, NULL) != HS_OK) {
        free(uses);
        figure.fails = true;
        return figure;
    }
    figure.seconds_per_byte = packing.seconds_per_byte;
    figure.level_seconds = level->latency_seconds;
    for (size_t t = 0; t < packing.count; t++) {
        figure.longest = fmax(figure.longest, packing.trees[t].share);
        walk_tree(&figure, uses, &packing, &packing.trees[t], level);
    }
    if (phase != HS_ALLREDUCE)
        figure.longest /= packing.units;
    take_means(&figure, uses, packing.units);
    figure.messages = hs_packing_messages(&packing);
    hs_packing_release(&packing);
    free(uses);
    return figure;
}

/* Found again where it is kept. */
static struct figure figure_of(const struct hs_system *system, enum hs_graph_way way,
                               enum hs_phase phase)
{
    struct figure room = {0};
    struct figure *figure = system->graph ? &system->graph->figures[way][phase] : &room;

    if (!figure->made)
        *figure = make_figure(&system->levels[0], way, phase);
    if (figure->fails && way != HS_GRAPH_RINGS)
        return figure_of(system, HS_GRAPH_RINGS, phase);
    return *figure;
}

/* By how much the level is faster than its links as described, and later: on machines drawn. */
static double faster(const struct hs_level *level)
{
    return level->bytes_per_second / hs_links_sends_least(&level->links);
}

static double later(const struct hs_level *level, const struct figure *figure)
{
    return figure->level_seconds > 0 ? level->latency_seconds / figure->level_seconds : 1;
}

/* What a segment's time is short of, with so many of them (executor_forest.c): of `moving` seconds
 * that the busiest link has to do. A link begins when its first message is there. The last segment
 * leaves where it begins when all but `drained` is through, and goes the longest way; a link's
 * messages lie side by side in a turn, so that one alone is faster by as many as there are. */
static double tail_seconds(const struct figure *figure, double moving, double segments,
                           double latency)
{
    double step = latency / figure->steps, one = moving / segments / figure->arcs, drained = 0;

    for (int t = 0; t < TURNS; t++)
        drained += figure->turns[t] * fmin(t, segments);
    drained *= moving / segments;
    return fmax(fmax(step, figure->begins * (step + one)), latency + figure->steps * one - drained);
}

/* As the executor cuts them. */
static double segments_of(const struct figure *figure, double bytes, double moving)
{
    double many = floor(moving / (figure->messages * HS_MESSAGE_SECONDS));

    many = fmin(fmin(many, HS_PACKING_SEGMENTS),
                floor(bytes * figure->longest / HS_PACKING_SEGMENT_BYTES));
    return fmax(many, 1);
}

void hs_graph_price(struct hs_stage_price *price, const struct hs_system *system,
                    enum hs_graph_way way)
{
    static const enum hs_phase both[] = {HS_REDUCE_SCATTER, HS_ALLGATHER};
    bool pair = price->key.phase == HS_PAIR, any = !(price->bytes > 0);
    double size = (double)price->key.layer.size, latency = 0, per_byte = 0;

    for (int i = 0; i < (pair ? 2 : 1); i++) {
        struct figure figure = figure_of(system, way, pair ? both[i] : price->key.phase);
        double bytes = any ? 1 : price->bytes;
        double moving = bytes * figure.seconds_per_byte / faster(&system->levels[0]);
        double segments = any ? HS_PACKING_SEGMENTS : segments_of(&figure, bytes, moving);
        double way_latency = figure.latency_seconds * later(&system->levels[0], &figure) *
                             system->pipeline_granularity;
        double apart = any ? 0 : figure.messages * segments * HS_MESSAGE_SECONDS;

        per_byte += moving / bytes;
        price->steps += figure.steps;
        if (any)
            latency += way_latency;
        else
            latency += fmax(0, apart - moving) +
                       tail_seconds(&figure, fmax(moving, apart), segments, way_latency);
    }
    hs_stage_add_line(price, (struct hs_price_line){latency, per_byte * size / (size - 1)});
    price->ring_bytes_per_second =
        hs_phase_passes(price->key.phase) / price->lines[0].seconds_per_byte;
    price->rings_per_link = 1;
    price->occupancy[0] = 1;
}

double hs_graph_bound(const struct hs_system *system, enum hs_phase phase)
{
    const struct hs_level *level = &system->levels[0];
    double room = 0, *bound = system->graph ? &system->graph->bounds[phase] : &room;

    if (*bound == 0)
        *bound = hs_cuts_of(&level->links, phase).seconds_per_byte;
    return *bound / faster(level);
}

double hs_graph_sends(const struct hs_system *system)
{
    const struct hs_level *level = &system->levels[0];
    double most = 0;

    for (int u = 0; u < level->links.units; u++)
        most = fmax(most, hs_links_sends(&level->links, u));
    return most * faster(level);
}

/* ---- of other layers ------------------------------------------------------------------------- */

/* Links of the unit, and what a pattern of messages loads them with. */
struct routing {
    const struct hs_links *links;
    struct hs_layer layer;
    double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    double loads[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
};

/* A message to a place of unit u's group, if that lies in the same unit of the level. */
static void route(struct routing *routing, int u, int64_t place, double bytes)
{
    const struct hs_links *links = routing->links;
    int64_t block = routing->layer.stride * routing->layer.size;
    int64_t to = u / block * block + u % routing->layer.stride + place * routing->layer.stride;
    int path[HS_LINKS_VERTICES], count;

    if (to >= links->units || to == u)
        return;
    count = hs_links_path(path, links, u, (int)to);
    if (count == 0)
        count = hs_links_path_by_units(path, links, u, (int)to);
    for (int i = 0; i + 1 < count; i++)
        routing->loads[path[i] * hs_links_vertices(links) + path[i + 1]] += bytes;
}

/* Every unit sends a byte to the place so far from its own; where sizes are powers of two and it is
 * asked for, to that which differs from it in that bit. */
static void shift(struct routing *routing, int64_t distance, bool swaps)
{
    int64_t size = routing->layer.size, stride = routing->layer.stride;

    for (int u = 0; u < routing->links->units; u++) {
        int64_t place = u / stride % size;

        if (swaps && (size & (size - 1)) == 0)
            route(routing, u, place ^ distance, 1);
        else
            route(routing, u, (place + distance) % size, 1);
    }
}

/* What the busiest link needs for it; the loads are then none again. */
static double busiest_seconds(struct routing *routing)
{
    int n = hs_links_vertices(routing->links);
    double busiest = 0;

    for (int i = 0; i < n * n; i++)
        if (routing->loads[i] > 0)
            busiest = fmax(busiest, routing->loads[i] / routing->rates[i]);
    memset(routing->loads, 0, sizeof(routing->loads));
    return busiest;
}

/* Per byte that a child sends: of the worst step; of a tree all steps are under way at once. */
static double pattern_seconds(struct routing *routing, enum hs_algorithm algorithm)
{
    int64_t size = routing->layer.size;
    double worst = 0, sum = 0;

    if (algorithm == HS_DIRECT) {
        for (int64_t distance = 1; distance < size; distance++) {
            /* None in between stays in a unit. */
            if (distance == routing->links->units && size > 2 * distance)
                distance = size - distance;
            shift(routing, distance, false);
        }
        return busiest_seconds(routing) / (double)(size - 1);
    }
    for (int64_t distance = 1; distance < size; distance *= algorithm == HS_RING ? size : 2) {
        double seconds;

        shift(routing, distance, algorithm != HS_RING);
        seconds = busiest_seconds(routing);
        worst = fmax(worst, seconds);
        sum += seconds;
    }
    return algorithm == HS_TREE ? sum : worst;
}

/* Of rings through all units, one after the other, and on to the next ones: in each unit they take
 * the order that has the most rings. */
static double rings_rate(const struct hs_system *system)
{
    double units = (double)system->levels[0].links.units;
    struct figure figure = figure_of(system, HS_GRAPH_RINGS, HS_ALLGATHER);

    return (units - 1) / units / figure.seconds_per_byte * faster(&system->levels[0]);
}

double hs_graph_level(const struct hs_system *system, struct hs_layer layer,
                      enum hs_algorithm algorithm)
{
    const struct hs_level *level = &system->levels[0];
    struct routing *routing = calloc(1, sizeof(*routing));
    double busiest = 0;

    if (algorithm == HS_RING && layer.stride == 1 && layer.size % level->arity == 0) {
        free(routing);
        return fmin(level->bytes_per_second, rings_rate(system));
    }
    if (routing && layer.stride < level->arity) {
        routing->links = &level->links;
        routing->layer = layer;
        hs_links_rates(routing->rates, &level->links);
        busiest = pattern_seconds(routing, algorithm);
    }
    free(routing);
    return busiest > 0 ? fmin(level->bytes_per_second, faster(level) / busiest)
                       : level->bytes_per_second;
}
