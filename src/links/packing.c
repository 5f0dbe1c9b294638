#include "links/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "links/cuts.h"
#include "links/packing_parts.h"
#include "model/traffic.h"

hs_packing_function *const hs_packing_functions[HS_ALGORITHM_COUNT] = {
    [HS_RING] = hs_packing_make_rings,
    [HS_FOREST] = hs_packing_make,
    [HS_GROUPS] = hs_packing_make_groups};

int hs_tree_depths(int depths[HS_LINKS_UNITS], const int *next, int units)
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

int hs_tree_heights(int heights[HS_LINKS_UNITS], const int *next, int units)
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

/* Messages that the unit with the most of them sends for a segment of every tree. */
static int messages_of(const struct hs_packing *packing)
{
    int sent[HS_LINKS_UNITS] = {0}, most = 0;

    for (size_t t = 0; t < packing->count; t++)
        for (int u = 0; u < packing->units; u++) {
            const struct hs_tree *tree = &packing->trees[t];

            if (packing->phase != HS_ALLGATHER && tree->up[u] >= 0)
                sent[u]++;
            if (packing->phase != HS_REDUCE_SCATTER && tree->down[u] >= 0)
                sent[tree->down[u]]++;
        }
    for (int u = 0; u < packing->units; u++)
        most = sent[u] > most ? sent[u] : most;
    return most;
}

double hs_packing_segments(const struct hs_packing *packing, double bytes)
{
    double apart = messages_of(packing) * HS_MESSAGE_SECONDS;
    double most = floor(bytes * packing->seconds_per_byte / apart);

    return fmin(fmax(most, 1), HS_PACKING_SEGMENTS);
}

/* By root, the largest share first; of equal ones by their arcs. */
static int compare_trees(const void *a, const void *b)
{
    const struct hs_tree *one = a, *other = b;
    int down;

    if (one->root != other->root)
        return one->root < other->root ? -1 : 1;
    if (fabs(one->share - other->share) > 1e-9)
        return one->share > other->share ? -1 : 1;
    down = memcmp(one->down, other->down, sizeof(one->down));
    return down ? down : memcmp(one->up, other->up, sizeof(one->up));
}

/* What passes from one unit to another, per byte of all. */
struct arc {
    int from, to, route;
    double bytes;
};

/* Makes shares of the weights. */
static void share_out(struct hs_packing *packing)
{
    double sums[HS_LINKS_UNITS] = {0};
    bool together = packing->phase == HS_ALLREDUCE;

    for (size_t i = 0; i < packing->count; i++)
        sums[together ? 0 : packing->trees[i].root] += packing->trees[i].share;
    for (size_t i = 0; i < packing->count; i++)
        packing->trees[i].share /= sums[together ? 0 : packing->trees[i].root];
}

static void load_way(double *loads, const struct hs_packing *packing, int vertices,
                     const struct arc *arc)
{
    const struct hs_route *way;

    if (arc->route < 0) {
        loads[arc->from * vertices + arc->to] += arc->bytes;
        return;
    }
    way = &packing->routes[arc->route];
    for (int i = 0; i + 1 < way->count; i++)
        loads[way->vertices[i] * vertices + way->vertices[i + 1]] += arc->bytes;
}

void hs_packing_loads(double *loads, const struct hs_packing *packing, const struct hs_links *links)
{
    int n = hs_links_vertices(links);
    double each = packing->phase == HS_ALLREDUCE ? 1 : packing->units;

    memset(loads, 0, (size_t)n * (size_t)n * sizeof(*loads));
    for (size_t t = 0; t < packing->count; t++) {
        const struct hs_tree *tree = &packing->trees[t];
        double bytes = tree->share / each;

        for (int u = 0; u < packing->units; u++) {
            struct arc up = {u, tree->up[u], tree->up_route[u], bytes};
            struct arc down = {tree->down[u], u, tree->down_route[u], bytes};

            if (tree->up[u] >= 0)
                load_way(loads, packing, n, &up);
            if (tree->down[u] >= 0)
                load_way(loads, packing, n, &down);
        }
    }
}

enum hs_status hs_packing_time(struct hs_packing *packing, const struct hs_links *links,
                               struct hs_error *err)
{
    size_t square = (size_t)hs_links_vertices(links) * (size_t)hs_links_vertices(links);
    double *loads = malloc(2 * square * sizeof(*loads)), *rates = loads + square;

    if (!loads)
        return hs_no_memory(err);
    hs_packing_loads(loads, packing, links);
    hs_links_rates(rates, links);
    packing->seconds_per_byte = 0;
    for (size_t i = 0; i < square; i++)
        if (loads[i] > 0)
            packing->seconds_per_byte = fmax(packing->seconds_per_byte, loads[i] / rates[i]);
    free(loads);
    return HS_OK;
}

/* Leaves out routes that no tree takes. */
static void drop_routes(struct hs_packing *packing)
{
    size_t kept = 0;

    for (size_t r = 0; r < packing->route_count; r++) {
        bool used = false;

        for (size_t t = 0; t < packing->count; t++)
            for (int u = 0; u < packing->units; u++) {
                struct hs_tree *tree = &packing->trees[t];

                used = used || (size_t)tree->up_route[u] == r || (size_t)tree->down_route[u] == r;
            }
        if (!used)
            continue;
        for (size_t t = 0; t < packing->count && kept < r; t++)
            for (int u = 0; u < packing->units; u++) {
                struct hs_tree *tree = &packing->trees[t];

                if ((size_t)tree->up_route[u] == r)
                    tree->up_route[u] = (int)kept;
                if ((size_t)tree->down_route[u] == r)
                    tree->down_route[u] = (int)kept;
            }
        packing->routes[kept++] = packing->routes[r];
    }
    packing->route_count = kept;
}

static enum hs_status pack(struct hs_packing *packing, const struct hs_links *links,
                           const int *groups, struct hs_error *err)
{
    struct hs_cuts cuts = hs_cuts_of(links, packing->phase);
    double each = packing->phase == HS_ALLREDUCE ? 1 : packing->units;
    struct hs_packer packer;
    enum hs_status status;

    if (isnan(cuts.seconds_per_byte))
        return hs_no_memory(err);
    if (isinf(cuts.seconds_per_byte))
        return hs_fail(err, HS_INVALID, "links: not joined: no way between some of %d units",
                       links->units);
    status = hs_packer_init(&packer, packing, links, groups, err);
    if (!status)
        status = hs_packer_solve(&packer, 1 / (cuts.seconds_per_byte * each * packer.scale), err);
    if (!status)
        status = hs_packer_finish(&packer, err);
    hs_packer_release(&packer);
    if (status)
        return status;
    share_out(packing);
    drop_routes(packing);
    qsort(packing->trees, packing->count, sizeof(*packing->trees), compare_trees);
    return hs_packing_time(packing, links, err);
}

static enum hs_status make(struct hs_packing *packing, const struct hs_links *links,
                           const int *groups, enum hs_phase phase, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *packing = (struct hs_packing){.phase = phase, .units = links->units};
    if (phase != HS_ALLGATHER && phase != HS_REDUCE_SCATTER && phase != HS_ALLREDUCE)
        return hs_fail(err, HS_INVALID,
                       "packing trees: expected a reduce-scatter, an allgather "
                       "or an allreduce, found %s",
                       hs_phase_names[phase]);
    if (links->units > 1)
        status = pack(packing, links, groups, err);
    if (status)
        hs_packing_release(packing);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

#define GROUP_STEPS 100000

/* Units given to groups in their order; `joined`: which have links with which, both ways. */
struct grouping {
    int units, steps;
    uint64_t joined[HS_LINKS_UNITS], members[HS_LINKS_UNITS];
    int group_of[HS_LINKS_UNITS], count;
    int best_of[HS_LINKS_UNITS], best;
};

/* Gives unit u and those behind it to groups, as long as that may be fewer than known. */
static void give(struct grouping *grouping, int u)
{
    if (grouping->count >= grouping->best || grouping->steps-- < 0)
        return;
    if (u == grouping->units) {
        grouping->best = grouping->count;
        memcpy(grouping->best_of, grouping->group_of, sizeof(grouping->best_of));
        return;
    }
    for (int g = 0; g <= grouping->count; g++) {
        bool begins = g == grouping->count;

        if (!begins && (grouping->members[g] & ~grouping->joined[u]) != 0)
            continue;
        grouping->members[g] = (begins ? 0 : grouping->members[g]) | 1ULL << u;
        grouping->group_of[u] = g;
        grouping->count += begins;
        give(grouping, u + 1);
        grouping->count -= begins;
        grouping->members[g] &= ~(1ULL << u);
        if (begins)
            break;
    }
}

int hs_packing_groups(int group_of[HS_LINKS_UNITS], const struct hs_links *links)
{
    struct grouping grouping = {.units = links->units, .steps = GROUP_STEPS};
    double out[HS_LINKS_VERTICES], back[HS_LINKS_VERTICES];

    for (int u = 0; u < links->units; u++) {
        hs_links_rates_of(out, links, u, false);
        hs_links_rates_of(back, links, u, true);
        for (int v = 0; v < links->units; v++)
            if (out[v] > 0 && back[v] > 0)
                grouping.joined[u] |= 1ULL << v;
    }
    grouping.best = links->units + 1;
    give(&grouping, 0);
    memcpy(group_of, grouping.best_of, sizeof(grouping.best_of));
    return grouping.best;
}

enum hs_status hs_packing_make_groups(struct hs_packing *packing, const struct hs_links *links,
                                      enum hs_phase phase, struct hs_error *err)
{
    int groups[HS_LINKS_UNITS];

    hs_packing_groups(groups, links);
    return make(packing, links, groups, phase, err);
}

enum hs_status hs_packing_make(struct hs_packing *packing, const struct hs_links *links,
                               enum hs_phase phase, struct hs_error *err)
{
    return make(packing, links, NULL, phase, err);
}
