#include "links/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "links/cuts.h"
#include "links/messages.h"
#include "model/traffic.h"

/* What a layer of all units is packed as. */
enum way { RINGS, TREES, GROUPS, WAYS };

/* Of one way to carry a phase out: on the links as described. */
struct figure {
    bool made, fails;
    struct hs_packing packing;
    double latency_seconds; /* of the longest way, up and down */
    double level_seconds;   /* the level's own latency in that */
    double steps;           /* arcs of it */
    double longest;         /* part of the bytes that the longest tree has */
};
#define PHASES (HS_ALLREDUCE + 1)

/* What was played: of so many bytes, on the links as described. */
struct played {
    enum hs_algorithm algorithm;
    enum hs_phase phase;
    double bytes; /* 0: none yet */
    struct hs_played played;
};
#define PLAYED 256

/* What a layer's messages need, per byte that a child sends, on the links as described. */
struct busiest {
    struct hs_layer layer; /* of size 0: none yet */
    enum hs_algorithm algorithm;
    double seconds_per_byte; /* 0: they do not stay in a unit */
};
#define LAYERS 256

struct hs_graph {
    struct figure figures[WAYS][PHASES];
    double bounds[HS_PHASE_COUNT]; /* seconds per byte; 0: not yet */
    struct played played[PLAYED];  /* the next takes the place of the oldest */
    struct busiest layers[LAYERS]; /* likewise */
    size_t next, next_layer;
};

struct hs_graph *hs_graph_new(const struct hs_system *system)
{
    if (system->levels[0].fabric != HS_FABRIC_LINKS)
        return NULL;
    return calloc(1, sizeof(struct hs_graph));
}

void hs_graph_free(struct hs_graph *graph)
{
    hs_graph_empty(graph);
    free(graph);
}

void hs_graph_empty(struct hs_graph *graph)
{
    if (!graph)
        return;
    for (int i = 0; i < WAYS * PHASES; i++)
        hs_packing_release(&graph->figures[i / PHASES][i % PHASES].packing);
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

/* Latencies of the longest way over a tree, and its arcs. */
static void walk_tree(struct figure *figure, const struct hs_tree *tree,
                      const struct hs_level *level)
{
    const struct hs_packing *packing = &figure->packing;
    double longest[2] = {0, 0}, steps[2] = {0, 0};
    bool goes[2] = {packing->phase != HS_ALLGATHER, packing->phase != HS_REDUCE_SCATTER};

    for (int way = 0; way < 2; way++)
        for (int u = 0; goes[way] && u < packing->units; u++) {
            const int *next = way == 0 ? tree->up : tree->down;
            double seconds = 0;
            int arcs = 0;

            for (int at = u; next[at] >= 0; at = next[at], arcs++)
                seconds += way == 0
                               ? way_seconds(packing, level, at, next[at], tree->up_route[at])
                               : way_seconds(packing, level, next[at], at, tree->down_route[at]);
            longest[way] = fmax(longest[way], seconds);
            steps[way] = fmax(steps[way], arcs);
        }
    figure->latency_seconds = fmax(figure->latency_seconds, longest[0] + longest[1]);
    figure->steps = fmax(figure->steps, steps[0] + steps[1]);
}

static struct figure make_figure(const struct hs_level *level, enum way way, enum hs_phase phase)
{
    static const enum hs_algorithm algorithms[WAYS] = {HS_RING, HS_FOREST, HS_GROUPS};
    struct figure figure = {.made = true, .level_seconds = level->latency_seconds};

    if (hs_packing_functions[algorithms[way]](&figure.packing, &level->links, phase, NULL) !=
        HS_OK) {
        figure.fails = true;
        return figure;
    }
    for (size_t t = 0; t < figure.packing.count; t++) {
        figure.longest = fmax(figure.longest, figure.packing.trees[t].share);
        walk_tree(&figure, &figure.packing.trees[t], level);
    }
    if (phase != HS_ALLREDUCE)
        figure.longest /= figure.packing.units;
    return figure;
}

/* Kept in the graph; those of rings where nothing can be packed. */
static const struct figure *figure_of(struct hs_graph *graph, const struct hs_system *system,
                                      enum way way, enum hs_phase phase)
{
    struct figure *figure = &graph->figures[way][phase];

    if (!figure->made)
        *figure = make_figure(&system->levels[0], way, phase);
    if (figure->fails && way != RINGS)
        return figure_of(graph, system, RINGS, phase);
    return figure;
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

/* As the executor cuts them. */
static int segments_of(const struct figure *figure, double bytes)
{
    double many = fmin(hs_packing_segments(&figure->packing, bytes),
                       floor(bytes * figure->longest / HS_PACKING_SEGMENT_BYTES));

    return (int)fmax(many, 1);
}

/* A level as it was described, whose latencies the figure has. */
static struct hs_level described(const struct hs_level *level, const struct figure *figure)
{
    struct hs_level as_was = *level;

    as_was.latency_seconds = figure->level_seconds;
    return as_was;
}

static enum hs_status play(struct hs_played *played, const struct hs_level *level,
                           struct hs_stage_key key, const struct figure *figure, double bytes)
{
    struct hs_level as_was = described(level, figure);
    struct hs_messages messages;
    enum hs_status status = key.algorithm == HS_HALVING
                                ? hs_messages_of_halving(&messages, &as_was, key.phase, bytes, NULL)
                            : key.algorithm == HS_DIRECT
                                ? hs_messages_of_direct(&messages, &as_was, key.phase, bytes, NULL)
                                : hs_messages_of_trees(&messages, &as_was, &figure->packing, bytes,
                                                       segments_of(figure, bytes), NULL);

    if (status == HS_OK)
        status = hs_play(played, &messages.play, NULL);
    hs_messages_release(&messages);
    return status;
}

/* What is known is not played again; without memory for it, its latencies and bytes. */
static struct hs_played played_of(struct hs_graph *graph, const struct hs_level *level,
                                  struct hs_stage_key key, const struct figure *figure,
                                  double bytes)
{
    double moving = figure->packing.seconds_per_byte * bytes;
    struct played *known = &graph->played[graph->next % PLAYED];

    for (size_t i = 0; i < PLAYED; i++)
        if (graph->played[i].bytes == bytes && graph->played[i].algorithm == key.algorithm &&
            graph->played[i].phase == key.phase)
            return graph->played[i].played;
    graph->next++;
    *known = (struct played){.algorithm = key.algorithm, .phase = key.phase, .bytes = bytes};
    if (play(&known->played, level, key, figure, bytes) != HS_OK)
        known->played =
            (struct hs_played){moving + figure->latency_seconds, figure->latency_seconds, moving};
    return known->played;
}

/* The same on the links as they are now: what is left without the bytes, and per byte. */
static struct hs_price_line line_of(struct hs_graph *graph, const struct hs_system *system,
                                    struct hs_stage_key key, const struct figure *figure,
                                    double bytes)
{
    const struct hs_level *level = &system->levels[0];
    struct hs_played played = played_of(graph, level, key, figure, bytes);
    double apart = played.seconds - played.latency_seconds - played.moving_seconds;

    return (struct hs_price_line){apart + played.latency_seconds * later(level, figure) *
                                              system->pipeline_granularity,
                                  played.moving_seconds / faster(level) / bytes};
}

static enum way way_by(enum hs_algorithm algorithm)
{
    return algorithm == HS_FOREST ? TREES : algorithm == HS_GROUPS ? GROUPS : RINGS;
}

/* Of one phase: seconds without bytes, and per byte of all. What trees keep the busiest link at is
 * known of any bytes, and nothing takes less. */
static struct hs_price_line price_phase(struct hs_graph *graph, const struct hs_system *system,
                                        struct hs_stage_key key, double bytes)
{
    const struct hs_level *level = &system->levels[0];
    const struct figure *figure = figure_of(graph, system, way_by(key.algorithm), key.phase);
    struct hs_price_line line = {figure->latency_seconds * later(level, figure) *
                                     system->pipeline_granularity,
                                 figure->packing.seconds_per_byte / faster(level)};
    struct hs_price_line of_bytes = line;

    if (bytes > 0)
        of_bytes = line_of(graph, system, key, figure, bytes);
    if (key.algorithm == HS_HALVING || key.algorithm == HS_DIRECT)
        return of_bytes;
    if (bytes > 0)
        line.latency_seconds =
            fmax(0, of_bytes.latency_seconds +
                        (of_bytes.seconds_per_byte - line.seconds_per_byte) * bytes);
    return line;
}

/* Both phases of a pair, or the one; adds their steps. */
static struct hs_price_line price_phases(struct hs_graph *graph, const struct hs_system *system,
                                         const struct hs_stage_price *price,
                                         enum hs_algorithm algorithm, double *steps)
{
    static const enum hs_phase both[] = {HS_REDUCE_SCATTER, HS_ALLGATHER};
    struct hs_price_line sum = {0, 0};
    double size = (double)price->key.layer.size;

    for (int i = 0; i < (price->key.phase == HS_PAIR ? 2 : 1); i++) {
        struct hs_stage_key key = {price->key.phase, algorithm, price->key.layer};
        struct hs_price_line line;

        key.phase = key.phase == HS_PAIR ? both[i] : key.phase;
        line = price_phase(graph, system, key, price->bytes);
        sum.latency_seconds += line.latency_seconds;
        sum.seconds_per_byte += line.seconds_per_byte * size / (size - 1);
        *steps += figure_of(graph, system, way_by(key.algorithm), key.phase)->steps;
    }
    return sum;
}

void hs_graph_price(struct hs_stage_price *price, const struct hs_system *system,
                    enum hs_algorithm algorithm)
{
    struct hs_graph *graph = system->graph ? system->graph : hs_graph_new(system);
    struct hs_price_line line = {system->levels[0].latency_seconds,
                                 1 / system->levels[0].bytes_per_second};
    double steps = 0;

    if (graph)
        line = price_phases(graph, system, price, algorithm, &steps);
    if (graph != system->graph)
        hs_graph_free(graph);
    if (algorithm == HS_HALVING || algorithm == HS_DIRECT) {
        price->lines[0] = line;
        price->line_count = 1;
        return;
    }
    hs_stage_add_line(price, line);
    price->steps += steps;
    price->ring_bytes_per_second = hs_phase_passes(price->key.phase) / line.seconds_per_byte;
    price->rings_per_link = 1;
    price->occupancy[0] = 1;
}

double hs_graph_bound(const struct hs_system *system, enum hs_phase phase)
{
    const struct hs_level *level = &system->levels[0];
    double room = 0, *bound = system->graph ? &system->graph->bounds[phase] : &room;

    if (!(*bound > 0)) /* not NaN: it was out of memory */
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
    double units = (double)system->levels[0].links.units, rate = 0;
    struct hs_graph *graph = system->graph ? system->graph : hs_graph_new(system);

    if (graph)
        rate = (units - 1) / units * faster(&system->levels[0]) /
               figure_of(graph, system, RINGS, HS_ALLGATHER)->packing.seconds_per_byte;
    if (graph != system->graph)
        hs_graph_free(graph);
    return rate;
}

static double busiest_of(const struct hs_links *links, struct hs_layer layer,
                         enum hs_algorithm algorithm)
{
    struct routing *routing = layer.stride < links->units ? calloc(1, sizeof(*routing)) : NULL;
    double busiest = 0;

    if (routing) {
        routing->links = links;
        routing->layer = layer;
        hs_links_rates(routing->rates, links);
        busiest = pattern_seconds(routing, algorithm);
    }
    free(routing);
    return busiest;
}

/* Where there is a graph what is known is not looked for again. */
static double known_busiest(const struct hs_system *system, struct hs_layer layer,
                            enum hs_algorithm algorithm)
{
    struct hs_graph *graph = system->graph;
    double busiest;

    for (size_t i = 0; graph && i < LAYERS; i++) {
        const struct busiest *known = &graph->layers[i];

        if (known->layer.size == layer.size && known->layer.stride == layer.stride &&
            known->algorithm == algorithm)
            return known->seconds_per_byte;
    }
    busiest = busiest_of(&system->levels[0].links, layer, algorithm);
    if (graph)
        graph->layers[graph->next_layer++ % LAYERS] = (struct busiest){layer, algorithm, busiest};
    return busiest;
}

double hs_graph_level(const struct hs_system *system, struct hs_layer layer,
                      enum hs_algorithm algorithm)
{
    const struct hs_level *level = &system->levels[0];
    double busiest;

    if (algorithm == HS_RING && layer.stride == 1 && layer.size % level->arity == 0)
        return fmin(level->bytes_per_second, rings_rate(system));
    busiest = known_busiest(system, layer, algorithm);
    return busiest > 0 ? fmin(level->bytes_per_second, faster(level) / busiest)
                       : level->bytes_per_second;
}
