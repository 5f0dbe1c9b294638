#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "links/branching.h"
#include "links/packing.h"
#include "links/packing_parts.h"

#define SHALLOW 1e-9 /* of the dearest way: what a unit costs more that is an arc further away */

/* ---- a packer -------------------------------------------------------------------------------- */

static void fill_rates(struct hs_packer *packer, const struct hs_links *links)
{
    int n = packer->vertices;
    double *rates = packer->rates;

    hs_links_rates(rates, links);
    for (int i = 0; i < n * n; i++)
        packer->scale = fmax(packer->scale, rates[i]);
    for (int i = 0; i < n * n; i++)
        rates[i] /= packer->scale;
    for (int u = 0; packer->turned && u < n; u++)
        for (int v = 0; v < u; v++) {
            double rate = rates[u * n + v];

            rates[u * n + v] = rates[v * n + u];
            rates[v * n + u] = rate;
        }
}

static void number_rows(struct hs_packer *packer)
{
    int n = packer->vertices;

    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int *row = &packer->rows[u * n + v];

            if (packer->rates[u * n + v] == 0)
                *row = 0;
            else if (packer->shape == HS_MIRRORED && v < u)
                *row = packer->rows[v * n + u];
            else
                *row = ++packer->row_count;
        }
}

static enum hs_status make_room(struct hs_packer *packer, struct hs_error *err)
{
    size_t n = (size_t)packer->vertices, units = (size_t)packer->units;

    packer->rates = malloc(n * n * sizeof(*packer->rates));
    packer->lengths = malloc(n * n * sizeof(*packer->lengths));
    packer->rows = malloc(n * n * sizeof(*packer->rows));
    packer->costs = malloc(units * units * sizeof(*packer->costs));
    packer->before = malloc(units * n * sizeof(*packer->before));
    packer->hops = malloc(units * units * sizeof(*packer->hops));
    if (!packer->rates || !packer->lengths || !packer->rows || !packer->costs || !packer->before ||
        !packer->hops)
        return hs_no_memory(err);
    return HS_OK;
}

/* Turned, a way leads back. */
static enum hs_status fix_ways(struct hs_packer *packer, const struct hs_links *links,
                               struct hs_error *err)
{
    int n = packer->units, path[HS_LINKS_VERTICES];

    packer->fixed = calloc((size_t)n * (size_t)n, sizeof(*packer->fixed));
    if (!packer->fixed)
        return hs_no_memory(err);
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            struct hs_route *way = &packer->fixed[packer->turned ? v * n + u : u * n + v];

            way->count = u == v ? 0 : hs_links_path(path, links, u, v);
            for (int i = 0; i < way->count; i++)
                way->vertices[packer->turned ? way->count - 1 - i : i] = (unsigned char)path[i];
        }
    return HS_OK;
}

/* Whether all ways back are the ways there, where they are fixed. */
static bool lead_back(const struct hs_packer *packer)
{
    int n = packer->units;

    for (int i = 0; packer->fixed && i < n * n; i++) {
        const struct hs_route *way = &packer->fixed[i], *back = &packer->fixed[i % n * n + i / n];

        for (int j = 0; j < way->count; j++)
            if (way->count != back->count || way->vertices[j] != back->vertices[way->count - 1 - j])
                return false;
    }
    return true;
}

/* Arcs between units, one after the other, at least. */
static void count_hops(struct hs_packer *packer)
{
    int n = packer->units;

    for (int i = 0; i < packer->vertices * packer->vertices; i++)
        packer->lengths[i] = 1;
    hs_packer_measure(packer);
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++)
            packer->hops[u * n + v] = u == v ? 0 : isinf(packer->costs[u * n + v]) ? n : 1;
    for (int w = 0; w < n; w++)
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++) {
                int by = packer->hops[u * n + w] + packer->hops[w * n + v];

                if (by < packer->hops[u * n + v])
                    packer->hops[u * n + v] = by;
            }
}

enum hs_status hs_packer_init(struct hs_packer *packer, struct hs_packing *packing,
                              const struct hs_links *links, const int *groups, struct hs_error *err)
{
    enum hs_status status;

    *packer = (struct hs_packer){.units = links->units,
                                 .vertices = hs_links_vertices(links),
                                 .relays = links->relays,
                                 .turned = packing->phase == HS_REDUCE_SCATTER,
                                 .packing = packing};
    status = make_room(packer, err);
    if (!status && links->fixed_ways)
        status = fix_ways(packer, links, err);
    if (status)
        return status;
    if (packing->phase == HS_ALLREDUCE)
        packer->shape = hs_links_alike(links) && lead_back(packer) ? HS_MIRRORED : HS_BOTH;
    fill_rates(packer, links);
    number_rows(packer);
    for (int u = 0; u < packer->units; u++) {
        packer->group_of[u] = groups ? groups[u] : u;
        if (packer->group_of[u] >= packer->group_count)
            packer->group_count = packer->group_of[u] + 1;
    }
    count_hops(packer);
    return HS_OK;
}

void hs_packer_release(struct hs_packer *packer)
{
    free(packer->rates);
    free(packer->lengths);
    free(packer->rows);
    free(packer->costs);
    free(packer->before);
    free(packer->hops);
    free(packer->fixed);
    memset(packer, 0, sizeof(*packer));
}

/* ---- ways over relays ------------------------------------------------------------------------ */

/* Dijkstra from unit u: only it and relays are gone out from. */
static void measure_from(struct hs_packer *packer, int u)
{
    int n = packer->vertices, *before = &packer->before[(ptrdiff_t)u * n];
    double far[HS_LINKS_VERTICES];
    bool done[HS_LINKS_VERTICES] = {false};

    for (int v = 0; v < n; v++)
        far[v] = INFINITY;
    far[u] = 0;
    for (int at = u; at >= 0;) {
        done[at] = true;
        for (int v = 0; v < n; v++) {
            double by = far[at] + packer->lengths[at * n + v];

            if (packer->rows[at * n + v] > 0 && by < far[v]) {
                far[v] = by;
                before[v] = at;
            }
        }
        at = -1;
        for (int v = packer->units; v < n; v++)
            if (!done[v] && !isinf(far[v]) && (at < 0 || far[v] < far[at]))
                at = v;
    }
    memcpy(&packer->costs[(ptrdiff_t)u * packer->units], far, (size_t)packer->units * sizeof(*far));
}

static double length_of(const struct hs_packer *packer, const struct hs_route *way)
{
    double sum = way->count == 0 ? INFINITY : 0;

    for (int i = 0; i + 1 < way->count; i++)
        sum += packer->lengths[way->vertices[i] * packer->vertices + way->vertices[i + 1]];
    return sum;
}

void hs_packer_measure(struct hs_packer *packer)
{
    for (int u = 0; u < packer->units && !packer->fixed; u++)
        measure_from(packer, u);
    for (int i = 0; i < packer->units * packer->units && packer->fixed; i++)
        packer->costs[i] = length_of(packer, &packer->fixed[i]);
}

/* The number of a route, new where it is; -1 in *route: the direct link. */
static enum hs_status find_route(int *route, struct hs_packer *packer, const struct hs_route *way,
                                 struct hs_error *err)
{
    struct hs_packing *packing = packer->packing;
    struct hs_route *added;

    *route = -1;
    if (way->count < 3)
        return HS_OK;
    for (size_t i = 0; i < packing->route_count; i++)
        if (packing->routes[i].count == way->count &&
            memcmp(packing->routes[i].vertices, way->vertices, (size_t)way->count) == 0) {
            *route = (int)i;
            return HS_OK;
        }
    added = hs_grow(&packing->routes, &packer->route_capacity, packing->route_count, sizeof(*added),
                    err);
    if (!added)
        return HS_MEMORY;
    *added = *way;
    *route = (int)packing->route_count++;
    return HS_OK;
}

/* The way from u to v that is cheapest for now. */
static enum hs_status find_way(int *route, struct hs_packer *packer, int u, int v,
                               struct hs_error *err)
{
    struct hs_route way = {0};
    const int *before = &packer->before[(ptrdiff_t)u * packer->vertices];
    int at = v;

    if (packer->fixed)
        return find_route(route, packer, &packer->fixed[u * packer->units + v], err);
    for (; at != u; at = before[at])
        way.count++;
    way.count++;
    at = v;
    for (int i = way.count; i-- > 0; at = before[at])
        way.vertices[i] = (unsigned char)at;
    return find_route(route, packer, &way, err);
}

/* ---- the cheapest tree ----------------------------------------------------------------------- */

/* How the units of a group are reached from outside: by `entry`, from `from`. */
struct entry {
    int from, entry;
};

/* What it costs that a unit hands on to the others of its group; `back`: that they hand to it. */
static double star_cost(const struct hs_packer *packer, int unit, bool back)
{
    int n = packer->vertices;
    double sum = 0;

    for (int v = 0; v < packer->units; v++)
        if (v != unit && packer->group_of[v] == packer->group_of[unit])
            sum += packer->lengths[back ? v * n + unit : unit * n + v];
    return sum;
}

/* What groups cost that are reached from groups; arcs a little more that begin further away. */
static void join_groups(double *costs, struct entry *entries, const struct hs_packer *packer,
                        int root, bool back)
{
    int groups = packer->group_count, n = packer->units;
    double dearest = 0, stars[HS_LINKS_UNITS];

    for (int i = 0; i < groups * groups; i++)
        costs[i] = INFINITY;
    for (int i = 0; i < n * n; i++)
        if (!isinf(packer->costs[i]))
            dearest = fmax(dearest, packer->costs[i]);
    for (int v = 0; v < n; v++)
        stars[v] = star_cost(packer, v, back);
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int at = packer->group_of[u] * groups + packer->group_of[v];
            double cost = stars[v] + packer->costs[back ? v * n + u : u * n + v] +
                          SHALLOW * dearest * packer->hops[back ? u * n + root : root * n + u];

            if (packer->group_of[u] != packer->group_of[v] && cost < costs[at]) {
                costs[at] = cost;
                entries[at] = (struct entry){u, v};
            }
        }
}

/* Fills from whom each unit takes (`back`: to whom it hands on), and adds up what that costs. */
static enum hs_status grow_tree(int *from, double *cost, const struct hs_packer *packer, int root,
                                bool back, struct hs_error *err)
{
    int before[HS_LINKS_UNITS], groups = packer->group_count, n = packer->units;
    size_t pairs = (size_t)groups * (size_t)groups;
    double *costs = malloc(pairs * sizeof(*costs));
    struct entry *entries = malloc(pairs * sizeof(*entries));
    enum hs_status status = costs && entries ? HS_OK : hs_no_memory(err);

    if (!status) {
        join_groups(costs, entries, packer, root, back);
        status = hs_branching_least(before, costs, groups, packer->group_of[root], err);
    }
    free(costs);
    if (status) {
        free(entries);
        return status;
    }
    *cost += star_cost(packer, root, back);
    for (int v = 0; v < n; v++) {
        int group = packer->group_of[v], first = root;

        if (before[group] >= 0)
            first = entries[before[group] * groups + group].entry;
        from[v] = first;
        if (v != first)
            continue;
        from[v] = before[group] < 0 ? -1 : entries[before[group] * groups + group].from;
        if (before[group] >= 0)
            *cost += packer->costs[back ? v * n + from[v] : from[v] * n + v] +
                     star_cost(packer, v, back);
    }
    free(entries);
    return HS_OK;
}

/* The ways of its arcs: between groups the cheapest. */
static enum hs_status find_ways(struct hs_tree *tree, struct hs_packer *packer,
                                struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int u = 0; u < packer->units && !status; u++) {
        int down = tree->down[u], up = tree->up[u];

        tree->down_route[u] = tree->up_route[u] = -1;
        if (down >= 0 && packer->group_of[u] != packer->group_of[down])
            status = find_way(&tree->down_route[u], packer, down, u, err);
        if (!status && up >= 0 && packer->group_of[u] != packer->group_of[up])
            status = find_way(&tree->up_route[u], packer, u, up, err);
    }
    return status;
}

enum hs_status hs_packer_add(struct hs_packer *packer, int root, double below, double *cost,
                             struct hs_error *err)
{
    struct hs_packing *packing = packer->packing;
    struct hs_tree tree = {.root = root}, *added;
    enum hs_status status;

    *cost = 0;
    for (int u = 0; u < HS_LINKS_UNITS; u++)
        tree.up[u] = tree.down[u] = tree.up_route[u] = tree.down_route[u] = -1;
    status = grow_tree(tree.down, cost, packer, root, false, err);
    if (!status && packer->shape == HS_BOTH)
        status = grow_tree(tree.up, cost, packer, root, true, err);
    if (status || !(*cost < below))
        return status;
    status = find_ways(&tree, packer, err);
    added = status
                ? NULL
                : hs_grow(&packing->trees, &packer->capacity, packing->count, sizeof(*added), err);
    if (!added)
        return HS_MEMORY;
    *added = tree;
    packing->count++;
    return HS_OK;
}

/* ---- what trees load ------------------------------------------------------------------------- */

static void load_way(double *loads, const struct hs_packer *packer, int from, int to, int route)
{
    const struct hs_route *way;
    int n = packer->vertices;

    if (route < 0) {
        loads[packer->rows[from * n + to]]++;
        return;
    }
    way = &packer->packing->routes[route];
    for (int i = 0; i + 1 < way->count; i++)
        loads[packer->rows[way->vertices[i] * n + way->vertices[i + 1]]]++;
}

void hs_packer_loads(double *loads, const struct hs_packer *packer, const struct hs_tree *tree)
{
    memset(loads, 0, ((size_t)packer->row_count + 1) * sizeof(*loads));
    for (int u = 0; u < packer->units; u++) {
        if (tree->down[u] >= 0)
            load_way(loads, packer, tree->down[u], u, tree->down_route[u]);
        if (tree->up[u] >= 0)
            load_way(loads, packer, u, tree->up[u], tree->up_route[u]);
    }
}

void hs_packer_row_rates(double *rates, const struct hs_packer *packer)
{
    for (int i = 0; i < packer->vertices * packer->vertices; i++)
        rates[packer->rows[i]] = packer->rates[i];
}

/* ---- the graph's own trees ------------------------------------------------------------------- */

static enum hs_status turn_route(int *turned, struct hs_packer *packer, int route,
                                 struct hs_error *err)
{
    struct hs_route way = {0};

    if (route >= 0) {
        const struct hs_route *other = &packer->packing->routes[route];

        way.count = other->count;
        for (int i = 0; i < way.count; i++)
            way.vertices[i] = other->vertices[way.count - 1 - i];
    }
    return find_route(turned, packer, &way, err);
}

/* Turns the arcs between the root and another unit round, which is then the root. */
static enum hs_status hang_from(struct hs_tree *tree, struct hs_packer *packer, int root,
                                struct hs_error *err)
{
    int above = -1, route = -1;
    enum hs_status status = HS_OK;

    for (int at = root; at >= 0 && !status;) {
        int next = tree->down[at], next_route = tree->down_route[at];

        tree->down[at] = above;
        tree->down_route[at] = route;
        status = turn_route(&route, packer, next_route, err);
        above = at;
        at = next;
    }
    tree->root = root;
    return status;
}

/* A mirrored tree may hang from any unit: from the one, the first, with the least depth. */
static enum hs_status centre(struct hs_tree *tree, struct hs_packer *packer, struct hs_error *err)
{
    int depths[HS_LINKS_UNITS], best = tree->root;
    int least = hs_tree_depths(depths, tree->down, packer->units);

    for (int u = 0; u < packer->units; u++) {
        struct hs_tree other = *tree;
        int depth;
        enum hs_status status = hang_from(&other, packer, u, err);

        if (status)
            return status;
        depth = hs_tree_depths(depths, other.down, packer->units);
        if (depth < least) {
            least = depth;
            best = u;
        }
    }
    return hang_from(tree, packer, best, err);
}

static enum hs_status finish_tree(struct hs_tree *tree, struct hs_packer *packer,
                                  struct hs_error *err)
{
    enum hs_status status = HS_OK;
    bool free_root = packer->group_count == packer->units;

    if (packer->shape == HS_MIRRORED && free_root)
        status = centre(tree, packer, err);
    for (int u = 0; u < packer->units && !status; u++)
        if (packer->turned || packer->shape == HS_MIRRORED) {
            tree->up[u] = tree->down[u];
            status = turn_route(&tree->up_route[u], packer, tree->down_route[u], err);
        }
    for (int u = 0; u < packer->units && packer->turned; u++)
        tree->down[u] = tree->down_route[u] = -1;
    return status;
}

enum hs_status hs_packer_finish(struct hs_packer *packer, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < packer->packing->count && !status; i++)
        status = finish_tree(&packer->packing->trees[i], packer, err);
    return status;
}
