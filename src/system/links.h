/*
 * links.h - a level whose units are joined by single links: a graph.
 *
 * Vertices 0 .. units - 1 send and receive (GPUs, dies); those behind them, the relays, only pass
 * on (a switch, a CPU): a relay neither copies nor reduces, so what passes it is a path from unit
 * to unit, of which every link on the way carries the bytes once. Two paths at once, over NVLink
 * and through the host, are two links between the same units, one of them by way of a relay.
 *
 * Functions here take graphs that hs_links_check let pass.
 */
#ifndef HS_SYSTEM_LINKS_H
#define HS_SYSTEM_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define HS_LINKS_UNITS     64  /* that send and receive; sets of them are bits of uint64_t */
#define HS_LINKS_VERTICES  96  /* with those that only pass on */
#define HS_LINKS_COUNT_MAX 256 /* alike between two vertices */

/* Links between two vertices, all alike. */
struct hs_link {
    int from, to;            /* vertices */
    int count;               /* 1 .. HS_LINKS_COUNT_MAX */
    bool one_way;            /* else it carries as much the other way, at the same time */
    double bytes_per_second; /* of one of them, each way, > 0 */
    double latency_seconds;  /* >= 0; 0: the level's */
};
struct hs_links {
    int units, relays;
    struct hs_link *items; /* [count] owned; there may be several between the same two vertices */
    size_t count;
    /* Who sends over them cannot choose: all from one unit to another goes by hs_links_path, as
     * MPI's messages do. What is packed (packing.h) then goes these ways alone. Not a part of what
     * is compared. */
    bool fixed_ways;
};

/* The units of a graph, as bits. */
static inline uint64_t hs_links_all(const struct hs_links *links)
{
    return links->units < 64 ? (1ULL << links->units) - 1 : ~0ULL;
}
static inline int hs_links_vertices(const struct hs_links *links)
{
    return links->units + links->relays;
}

/* Whether it can be: 2 .. HS_LINKS_UNITS units, ends within its vertices and different, counts,
 * rates and latencies in their bounds, each relay with a link, and from every unit a way to every
 * other one. HS_INVALID says the first place that is wrong, "links[3].count: ...", behind `place`
 * ("levels[0]."; "" for none). */
enum hs_status hs_links_check(const struct hs_links *links, const char *place,
                              struct hs_error *err);
/* A copy that owns its own. HS_MEMORY: it is {0}. */
enum hs_status hs_links_copy(struct hs_links *copy, const struct hs_links *links,
                             struct hs_error *err);
/* What is left where only these units are there, in this order (unit i is then `units[i]`, `count`
 * >= 1, all different), and the relays that any of them reaches, in their order. Whether they are
 * joined stays to be checked. HS_MEMORY. */
enum hs_status hs_links_subset(struct hs_links *part, const struct hs_links *links,
                               const int *units, int count, struct hs_error *err);
/* Releases what it owns and zeroes it; of {0}, too. */
void hs_links_release(struct hs_links *links);

/* Bytes per second from vertex u to vertex v over all links between them, rates[u * V + v], V =
 * hs_links_vertices; 0 where there is none. `rates` has room for V * V. */
void hs_links_rates(double *rates, const struct hs_links *links);
/* The same from vertex u alone, or `back` to it, rates[v] of V. */
void hs_links_rates_of(double *rates, const struct hs_links *links, int u, bool back);
/* Bytes per second that a unit can send, over all of its links; what the least unit can. */
double hs_links_sends(const struct hs_links *links, int unit);
double hs_links_sends_least(const struct hs_links *links);
/* Whether between any two vertices as much goes one way as the other. */
bool hs_links_alike(const struct hs_links *links);

/* The way from one unit to another without passing a third: the direct link, else over the fewest
 * relays, of these where the narrowest link is the widest, of these the first. Fills its vertices,
 * both ends included, and returns how many; 0: there is none. */
int hs_links_path(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from, int to);
/* The same where other units may pass it on, too. */
int hs_links_path_by_units(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from,
                           int to);
/* Latencies of the links along such a way, where a link does not say the level's. */
double hs_links_path_seconds(const struct hs_links *links, const int *path, int count,
                             double level_seconds);

#endif
