#include "system/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/figure.h"

void hs_links_release(struct hs_links *links)
{
    free(links->items);
    memset(links, 0, sizeof(*links));
}

enum hs_status hs_links_copy(struct hs_links *copy, const struct hs_links *links,
                             struct hs_error *err)
{
    *copy = *links;
    copy->items = NULL;
    if (links->count == 0)
        return HS_OK;
    copy->items = malloc(links->count * sizeof(*copy->items));
    if (!copy->items) {
        *copy = (struct hs_links){0};
        return hs_no_memory(err);
    }
    memcpy(copy->items, links->items, links->count * sizeof(*copy->items));
    return HS_OK;
}

/* The new number of a vertex; -1: it is not there. */
static int kept_as(const struct hs_links *links, const int *units, int count, int vertex)
{
    if (vertex >= links->units)
        return vertex - links->units + count;
    for (int i = 0; i < count; i++)
        if (units[i] == vertex)
            return i;
    return -1;
}

/* Marks what can be reached from a vertex; `back`: what it can be reached from. */
static void reach(bool reached[HS_LINKS_VERTICES], const struct hs_links *links, int from,
                  bool back)
{
    bool grows = true;

    memset(reached, 0, HS_LINKS_VERTICES * sizeof(*reached));
    reached[from] = true;
    while (grows) {
        grows = false;
        for (size_t i = 0; i < links->count; i++) {
            const struct hs_link *link = &links->items[i];
            int tail = back ? link->to : link->from, head = back ? link->from : link->to;

            if (reached[tail] && !reached[head])
                grows = reached[head] = true;
            if (!link->one_way && reached[head] && !reached[tail])
                grows = reached[tail] = true;
        }
    }
}

/* Without relays that lead from no unit to any. */
static void drop_relays(struct hs_links *links)
{
    bool there[HS_LINKS_VERTICES], back[HS_LINKS_VERTICES], used[HS_LINKS_VERTICES] = {false};
    int number[HS_LINKS_VERTICES], next = links->units, vertices = hs_links_vertices(links);
    size_t kept = 0;

    for (int u = 0; u < links->units; u++) {
        reach(there, links, u, false);
        reach(back, links, u, true);
        for (int v = 0; v < vertices; v++)
            used[v] = used[v] || v == u || (there[v] && back[v]);
    }
    for (int v = 0; v < vertices; v++)
        number[v] = v < links->units ? v : used[v] ? next++ : -1;
    for (size_t i = 0; i < links->count; i++) {
        struct hs_link link = links->items[i];

        link.from = number[link.from];
        link.to = number[link.to];
        if (link.from >= 0 && link.to >= 0)
            links->items[kept++] = link;
    }
    links->count = kept;
    links->relays = next - links->units;
}

enum hs_status hs_links_subset(struct hs_links *part, const struct hs_links *links,
                               const int *units, int count, struct hs_error *err)
{
    enum hs_status status = hs_links_copy(part, links, err);
    size_t kept = 0;

    if (status)
        return status;
    for (size_t i = 0; i < links->count; i++) {
        struct hs_link link = links->items[i];

        link.from = kept_as(links, units, count, link.from);
        link.to = kept_as(links, units, count, link.to);
        if (link.from >= 0 && link.to >= 0)
            part->items[kept++] = link;
    }
    part->count = kept;
    part->units = count;
    drop_relays(part);
    return HS_OK;
}

void hs_links_rates(double *rates, const struct hs_links *links)
{
    size_t vertices = (size_t)hs_links_vertices(links);

    memset(rates, 0, vertices * vertices * sizeof(*rates));
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        double rate = link->count * link->bytes_per_second;

        rates[(size_t)link->from * vertices + (size_t)link->to] += rate;
        if (!link->one_way)
            rates[(size_t)link->to * vertices + (size_t)link->from] += rate;
    }
}

void hs_links_rates_of(double *rates, const struct hs_links *links, int u, bool back)
{
    memset(rates, 0, (size_t)hs_links_vertices(links) * sizeof(*rates));
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        int from = back ? link->to : link->from, to = back ? link->from : link->to;

        if (from == u)
            rates[to] += link->count * link->bytes_per_second;
        if (to == u && !link->one_way)
            rates[from] += link->count * link->bytes_per_second;
    }
}

double hs_links_sends(const struct hs_links *links, int unit)
{
    double sum = 0;

    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];

        if (link->from == unit || (link->to == unit && !link->one_way))
            sum += link->count * link->bytes_per_second;
    }
    return sum;
}

double hs_links_sends_least(const struct hs_links *links)
{
    double sums[HS_LINKS_VERTICES] = {0}, least = INFINITY;

    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        double rate = link->count * link->bytes_per_second;

        sums[link->from] += rate;
        if (!link->one_way)
            sums[link->to] += rate;
    }
    for (int u = 0; u < links->units; u++)
        least = fmin(least, sums[u]);
    return least;
}

bool hs_links_alike(const struct hs_links *links)
{
    double out[HS_LINKS_VERTICES], back[HS_LINKS_VERTICES];
    int vertices = hs_links_vertices(links);

    for (int u = 0; u < vertices; u++) {
        hs_links_rates_of(out, links, u, false);
        hs_links_rates_of(back, links, u, true);
        for (int v = 0; v < vertices; v++)
            if (out[v] != back[v])
                return false;
    }
    return true;
}

/* ---- what can be ----------------------------------------------------------------------------- */

/* Of link i's ends. */
static enum hs_status check_ends(const struct hs_links *links, size_t i, const char *place,
                                 struct hs_error *err)
{
    const struct hs_link *link = &links->items[i];
    int vertices = hs_links_vertices(links);
    int out = link->from < 0 || link->from >= vertices ? link->from : link->to;

    if (out < 0 || out >= vertices)
        return hs_fail(err, HS_INVALID, "%slinks[%zu].between: expected units 0 to %d%s, found %d",
                       place, i, vertices - 1,
                       links->relays > 0 ? ", relays behind them included" : "", out);
    if (link->from == link->to)
        return hs_fail(err, HS_INVALID,
                       "%slinks[%zu].between: expected two different ends, found %d and %d", place,
                       i, link->from, link->to);
    return HS_OK;
}

static enum hs_status check_link(const struct hs_links *links, size_t i, const char *place,
                                 struct hs_error *err)
{
    const struct hs_link *link = &links->items[i];
    enum hs_status status = check_ends(links, i, place, err);

    if (status)
        return status;
    if (link->count < 1 || link->count > HS_LINKS_COUNT_MAX)
        return hs_fail(err, HS_INVALID, "%slinks[%zu].count: expected 1 to %d, found %d", place, i,
                       HS_LINKS_COUNT_MAX, link->count);
    if (!(link->bytes_per_second >= HS_BANDWIDTH_MIN && link->bytes_per_second <= HS_BANDWIDTH_MAX))
        return hs_fail(err, HS_INVALID,
                       "%slinks[%zu].bandwidth_GBps: expected a number above 0, found %g", place, i,
                       link->bytes_per_second / 1e9);
    if (!(link->latency_seconds >= 0 && link->latency_seconds <= HS_LATENCY_MAX))
        return hs_fail(err, HS_INVALID,
                       "%slinks[%zu].latency_us: expected a number from 0 on, found %g", place, i,
                       link->latency_seconds * 1e6);
    return HS_OK;
}

static enum hs_status check_joined(const struct hs_links *links, const char *place,
                                   struct hs_error *err)
{
    bool there[HS_LINKS_VERTICES], back[HS_LINKS_VERTICES];
    int vertices = hs_links_vertices(links);

    reach(there, links, 0, false);
    reach(back, links, 0, true);
    for (int v = 1; v < vertices; v++) {
        if (there[v] && back[v])
            continue;
        if (v >= links->units)
            return hs_fail(err, HS_INVALID, "%slinks: no link %s relay %d (vertex %d)", place,
                           there[v] ? "leads on from" : "leads to", v - links->units, v);
        if (there[v] || back[v])
            return hs_fail(err, HS_INVALID,
                           "%slinks: one way alone: expected a way from unit %d to unit %d, too",
                           place, there[v] ? v : 0, there[v] ? 0 : v);
        return hs_fail(err, HS_INVALID, "%slinks: not joined: no way from unit 0 to unit %d", place,
                       v);
    }
    return HS_OK;
}

enum hs_status hs_links_check(const struct hs_links *links, const char *place, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (links->units < 2 || links->units > HS_LINKS_UNITS)
        return hs_fail(err, HS_INVALID, "%slinks: expected 2 to %d units, found %d", place,
                       HS_LINKS_UNITS, links->units);
    if (links->relays < 0 || hs_links_vertices(links) > HS_LINKS_VERTICES)
        return hs_fail(err, HS_INVALID,
                       "%srelays: expected at most %d units and relays together, found %d", place,
                       HS_LINKS_VERTICES, hs_links_vertices(links));
    for (size_t i = 0; i < links->count && !status; i++)
        status = check_link(links, i, place, err);
    return status ? status : check_joined(links, place, err);
}

/* ---- ways over relays ------------------------------------------------------------------------ */

/* A search from one unit outwards: relays in the order of their distance. */
struct ways {
    int hops[HS_LINKS_VERTICES], before[HS_LINKS_VERTICES];
    double width[HS_LINKS_VERTICES];
};

/* Takes the way by u to v if it is better than what is known. */
static void take_way(struct ways *ways, int u, int v, double rate)
{
    double width = fmin(ways->width[u], rate);
    int hops = ways->hops[u] + 1;

    if (ways->hops[v] >= 0 &&
        (hops > ways->hops[v] || (hops == ways->hops[v] && width <= ways->width[v])))
        return;
    ways->hops[v] = hops;
    ways->width[v] = width;
    ways->before[v] = u;
}

/* `first`: vertices from it on may be passed. */
static int find_path(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from, int to,
                     int first)
{
    double rates[HS_LINKS_VERTICES];
    struct ways ways = {0};
    int vertices = hs_links_vertices(links), count, at = to;

    for (int v = 0; v < vertices; v++)
        ways.hops[v] = v == from ? 0 : -1;
    ways.width[from] = INFINITY;
    for (int hops = 0; hops < vertices && ways.hops[to] < 0; hops++)
        for (int u = 0; u < vertices; u++) {
            if (ways.hops[u] != hops || (u != from && u < first))
                continue;
            hs_links_rates_of(rates, links, u, false);
            for (int v = 0; v < vertices; v++)
                if (rates[v] > 0)
                    take_way(&ways, u, v, rates[v]);
        }
    if (ways.hops[to] < 0)
        return 0;
    count = ways.hops[to] + 1;
    for (int i = count; i-- > 0; at = ways.before[at])
        path[i] = at;
    return count;
}

int hs_links_path(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from, int to)
{
    return find_path(path, links, from, to, links->units);
}

int hs_links_path_by_units(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from,
                           int to)
{
    return find_path(path, links, from, to, 0);
}

/* Of the links from u to v the shortest latency. */
static double hop_seconds(const struct hs_links *links, int u, int v, double level_seconds)
{
    double least = INFINITY;

    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        bool joins = (link->from == u && link->to == v) ||
                     (link->to == u && link->from == v && !link->one_way);

        if (joins)
            least = fmin(least, link->latency_seconds > 0 ? link->latency_seconds : level_seconds);
    }
    return least;
}

double hs_links_path_seconds(const struct hs_links *links, const int *path, int count,
                             double level_seconds)
{
    double sum = 0;

    for (int i = 0; i + 1 < count; i++)
        sum += hop_seconds(links, path[i], path[i + 1], level_seconds);
    return sum;
}
