/*
 * Rings as trees (packing.h). Slots: how many rings a link may be in, at some rate; rings are
 * sought one after the other and step by step, going back where it does not go on. Where links are
 * alike both ways rings are first sought in pairs, one in each direction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "links/packing.h"

#define RINGS_MAX 64
#define STEPS_MAX 40000 /* of one search */

struct rings {
    int units, count;
    unsigned char order[RINGS_MAX][HS_LINKS_UNITS]; /* each begins with unit 0 */
    double rate;                                    /* bytes per second of one */
};

struct search {
    int units, bound, steps;
    bool paired;
    int slots[HS_LINKS_UNITS][HS_LINKS_UNITS];
    uint64_t out[HS_LINKS_UNITS], in[HS_LINKS_UNITS]; /* where there are slots */
    struct rings now, best;
};

static uint64_t bit(int u)
{
    return 1ULL << u;
}

/* Takes a slot, or (-1) gives it back. */
static void take_one(struct search *search, int u, int v, int by)
{
    int left = search->slots[u][v] -= by;

    search->out[u] = left > 0 ? search->out[u] | bit(v) : search->out[u] & ~bit(v);
    search->in[v] = left > 0 ? search->in[v] | bit(u) : search->in[v] & ~bit(u);
}

static void take(struct search *search, int u, int v, int by)
{
    take_one(search, u, v, by);
    if (search->paired)
        take_one(search, v, u, by);
}

/* Whether each unit that is left can be entered and left, seen from unit `at`. */
static bool goes_on(const struct search *search, int at, uint64_t left)
{
    for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
        int v = __builtin_ctzll(rest);

        if (!(search->in[v] & (left | bit(at))) || !(search->out[v] & (left | 1)))
            return false;
    }
    return true;
}

/* Of the units of a set the one with the fewest ways on, of these with the most slots. */
static int pick(const struct search *search, int at, uint64_t set, uint64_t left)
{
    int best = -1, fewest = 0;

    for (; set != 0; set &= set - 1) {
        int v = __builtin_ctzll(set), ways = __builtin_popcountll(search->out[v] & left);

        if (best < 0 || ways < fewest ||
            (ways == fewest && search->slots[at][v] > search->slots[at][best])) {
            best = v;
            fewest = ways;
        }
    }
    return best;
}

static bool extend(struct search *search, int length, uint64_t left);

/* Of a ring that has all units: closes it, and looks for the next. */
static bool close_ring(struct search *search, int last)
{
    bool done;

    if (!(search->out[last] & 1))
        return false;
    take(search, last, 0, 1);
    if (++search->now.count > search->best.count)
        search->best = search->now;
    done = search->now.count >= search->bound || extend(search, 1, bit(search->units - 1) * 2 - 2);
    search->now.count--;
    take(search, last, 0, -1);
    return done;
}

/* Tries all ways on of a ring that has `length` units; true: no more rings are to be found. */
static bool extend(struct search *search, int length, uint64_t left)
{
    unsigned char *order = search->now.order[search->now.count];
    int at = length == 1 ? 0 : order[length - 1];
    uint64_t ways = search->out[at] & left;

    if (--search->steps < 0)
        return true;
    order[0] = 0;
    if (length == search->units)
        return close_ring(search, at);
    if (!goes_on(search, at, left))
        return false;
    while (ways != 0) {
        int v = pick(search, at, ways, left);
        bool done;

        ways &= ~bit(v);
        take(search, at, v, 1);
        search->now.order[search->now.count][length] = (unsigned char)v;
        done = extend(search, length + 1, left & ~bit(v));
        take(search, at, v, -1);
        if (done)
            return true;
    }
    return false;
}

/* What the units' slots allow. */
static int bound_of(const struct search *search)
{
    int bound = RINGS_MAX;

    for (int u = 0; u < search->units; u++) {
        int out = 0, in = 0;

        for (int v = 0; v < search->units; v++) {
            out += search->slots[u][v];
            in += search->slots[v][u];
        }
        bound = out < bound ? out : bound;
        bound = in < bound ? in : bound;
    }
    return bound;
}

static void run_search(struct search *search, bool paired)
{
    search->paired = paired;
    search->steps = STEPS_MAX;
    search->now.count = 0;
    search->bound = paired ? bound_of(search) / 2 : bound_of(search);
    if (search->bound > 0)
        extend(search, 1, bit(search->units - 1) * 2 - 2);
}

/* Both directions of rings found in pairs. */
static void double_rings(struct rings *rings)
{
    int pairs = rings->count;

    for (int r = 0; r < pairs && rings->count < RINGS_MAX; r++, rings->count++)
        for (int i = 0; i < rings->units; i++)
            rings->order[rings->count][i] = rings->order[r][(rings->units - i) % rings->units];
}

/* Slots at a rate, those of a ring divided by what all have in common; returns that. */
static int count_slots(struct search *search, const struct hs_links *links, double rate)
{
    int common = 0;

    memset(search->slots, 0, sizeof(search->slots));
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        int slots = link->count * (int)fmin(1e6, floor(link->bytes_per_second / rate * (1 + 1e-9)));

        if (link->from >= links->units || link->to >= links->units)
            continue;
        search->slots[link->from][link->to] += slots;
        if (!link->one_way)
            search->slots[link->to][link->from] += slots;
    }
    for (int u = 0; u < links->units; u++)
        for (int v = 0; v < links->units; v++)
            for (int a = common, b = search->slots[u][v]; b != 0 || (common = a, false);) {
                int rest = a % b;

                a = b;
                b = rest;
            }
    for (int u = 0; u < links->units && common > 0; u++)
        for (int v = 0; v < links->units; v++)
            search->slots[u][v] /= common;
    for (int u = 0; u < links->units; u++)
        for (int v = 0; v < links->units; v++)
            take_one(search, u, v, 0);
    return common;
}

/* The most rings at one rate. */
static void find_at(struct rings *rings, struct search *search, const struct hs_links *links,
                    double rate)
{
    int common = count_slots(search, links, rate);

    memset(&search->best, 0, sizeof(search->best));
    search->best.units = search->now.units = search->units = links->units;
    if (links->units > 2 && hs_links_alike(links)) {
        run_search(search, true);
        double_rings(&search->best);
    }
    if (search->best.count < bound_of(search))
        run_search(search, false);
    search->best.rate = rate * common;
    if (search->best.count * search->best.rate > rings->count * rings->rate * (1 + 1e-9))
        *rings = search->best;
}

static enum hs_status find_direct(struct rings *rings, const struct hs_links *links,
                                  struct hs_error *err)
{
    struct search *search = malloc(sizeof(*search));

    if (!search)
        return hs_no_memory(err);
    memset(search, 0, sizeof(*search));
    for (size_t i = 0; i < links->count; i++) {
        bool known = false;

        for (size_t j = 0; j < i; j++)
            known = known || links->items[j].bytes_per_second == links->items[i].bytes_per_second;
        if (!known)
            find_at(rings, search, links, links->items[i].bytes_per_second);
    }
    free(search);
    return HS_OK;
}

/* ---- a ring over relays ---------------------------------------------------------------------- */

struct detour {
    int units, vertices, steps;
    bool through_units;
    double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    int used[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    /* The way between two units: its vertices. */
    struct hs_route ways[HS_LINKS_UNITS][HS_LINKS_UNITS];
    unsigned char order[HS_LINKS_UNITS];
    double best_rate;
    unsigned char best[HS_LINKS_UNITS];
};

/* Through units only where that is the only way. */
static void find_detour(struct detour *detour, const struct hs_links *links, int from)
{
    int path[HS_LINKS_VERTICES];

    for (int to = 0; to < detour->units; to++) {
        struct hs_route *way = &detour->ways[from][to];

        if (to == from || way->count > 0)
            continue;
        way->count = detour->through_units ? hs_links_path_by_units(path, links, from, to)
                                           : hs_links_path(path, links, from, to);
        for (int i = 0; i < way->count; i++)
            way->vertices[i] = (unsigned char)path[i];
    }
}

/* Goes a way, or (-1) takes that back; returns the least that its links carry for each use. */
static double use_way(struct detour *detour, int from, int to, int by)
{
    const struct hs_route *way = &detour->ways[from][to];
    double rate = INFINITY;

    for (int i = 0; i + 1 < way->count; i++) {
        int at = way->vertices[i] * detour->vertices + way->vertices[i + 1];

        detour->used[at] += by;
        if (detour->used[at] > 0)
            rate = fmin(rate, detour->rates[at] / detour->used[at]);
    }
    return rate;
}

/* Tries nearer units first. */
static void lead(struct detour *detour, int length, uint64_t left, double rate)
{
    int at = detour->order[length - 1];

    if (rate <= detour->best_rate || --detour->steps < 0)
        return;
    if (length == detour->units) {
        rate = fmin(rate, use_way(detour, at, 0, 1));
        use_way(detour, at, 0, -1);
        if (detour->ways[at][0].count > 0 && rate > detour->best_rate) {
            detour->best_rate = rate;
            memcpy(detour->best, detour->order, sizeof(detour->best));
        }
        return;
    }
    for (int far = 2; far <= detour->vertices; far++)
        for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
            int v = __builtin_ctzll(rest);

            if (detour->ways[at][v].count != far)
                continue;
            detour->order[length] = (unsigned char)v;
            lead(detour, length + 1, left & ~bit(v), fmin(rate, use_way(detour, at, v, 1)));
            use_way(detour, at, v, -1);
        }
}

static void search_detour(struct detour *detour, const struct hs_links *links)
{
    for (int u = 0; u < detour->units; u++)
        find_detour(detour, links, u);
    detour->steps = STEPS_MAX;
    lead(detour, 1, bit(detour->units - 1) * 2 - 2, INFINITY);
}

static enum hs_status add_route(int *route, struct hs_packing *packing, const struct hs_route *way,
                                struct hs_error *err)
{
    struct hs_route *added;

    *route = -1;
    if (way->count < 3)
        return HS_OK;
    added = hs_grow(&packing->routes, NULL, packing->route_count, sizeof(*added), err);
    if (!added)
        return HS_MEMORY;
    *added = *way;
    *route = (int)packing->route_count++;
    return HS_OK;
}

/* One ring, and the routes of the packing by which each of its places is left. */
static enum hs_status find_relayed(struct rings *rings, int routes[HS_LINKS_UNITS],
                                   struct hs_packing *packing, const struct hs_links *links,
                                   struct hs_error *err)
{
    struct detour *detour = calloc(1, sizeof(*detour));
    enum hs_status status = detour ? HS_OK : hs_no_memory(err);
    int n = links->units;

    if (status)
        return status;
    detour->units = n;
    detour->vertices = hs_links_vertices(links);
    hs_links_rates(detour->rates, links);
    search_detour(detour, links);
    detour->through_units = true;
    if (detour->best_rate == 0)
        search_detour(detour, links);
    if (detour->best_rate == 0)
        status = hs_fail(err, HS_INVALID, "links: not joined: no way between some of %d units", n);
    *rings = (struct rings){.units = n, .count = 1, .rate = detour->best_rate};
    memcpy(rings->order[0], detour->best, sizeof(detour->best));
    for (int i = 0; i < n && !status; i++)
        status = add_route(&routes[i], packing,
                           &detour->ways[detour->best[i]][detour->best[(i + 1) % n]], err);
    free(detour);
    return status;
}

/* ---- as trees -------------------------------------------------------------------------------- */

/* The chain of ring r that begins, or ends, at its place `first`. */
static void lay_chain(struct hs_tree *tree, const unsigned char *order, int units, int first,
                      const int *routes, enum hs_phase phase)
{
    for (int u = 0; u < HS_LINKS_UNITS; u++)
        tree->up[u] = tree->down[u] = tree->up_route[u] = tree->down_route[u] = -1;
    tree->root = order[first];
    for (int i = 0; i < units - 1; i++) {
        int from = (first + i) % units, to = (from + 1) % units;

        if (phase != HS_REDUCE_SCATTER) {
            tree->down[order[to]] = order[from];
            tree->down_route[order[to]] = routes[from];
        }
        if (phase != HS_ALLGATHER) {
            from = (first + 1 + i) % units;
            to = (from + 1) % units;
            tree->up[order[from]] = order[to];
            tree->up_route[order[from]] = routes[from];
        }
    }
}

static enum hs_status lay_rings(struct hs_packing *packing, const struct rings *rings,
                                const int *routes, struct hs_error *err)
{
    int units = rings->units;
    double parts = rings->count * (packing->phase == HS_ALLREDUCE ? units : 1);

    packing->trees = malloc((size_t)rings->count * (size_t)units * sizeof(*packing->trees));
    if (!packing->trees)
        return hs_no_memory(err);
    for (int u = 0; u < units; u++)
        for (int r = 0; r < rings->count; r++) {
            struct hs_tree *tree = &packing->trees[packing->count++];
            int place = 0;

            while (rings->order[r][place] != u)
                place++;
            lay_chain(tree, rings->order[r], units, place, routes, packing->phase);
            tree->share = 1 / parts;
        }
    return HS_OK;
}

enum hs_status hs_packing_make_rings(struct hs_packing *packing, const struct hs_links *links,
                                     enum hs_phase phase, struct hs_error *err)
{
    struct rings *rings = calloc(1, sizeof(*rings));
    int routes[HS_LINKS_UNITS];
    enum hs_status status = rings ? HS_OK : hs_no_memory(err);

    *packing = (struct hs_packing){.phase = phase, .units = links->units};
    for (int i = 0; i < HS_LINKS_UNITS; i++)
        routes[i] = -1;
    if (!status && links->units > 1)
        status = find_direct(rings, links, err);
    if (!status && links->units > 1 && rings->count == 0)
        status = find_relayed(rings, routes, packing, links, err);
    if (!status && links->units > 1)
        status = lay_rings(packing, rings, routes, err);
    if (!status)
        status = hs_packing_time(packing, links, err);
    free(rings);
    if (status)
        hs_packing_release(packing);
    return status;
}
