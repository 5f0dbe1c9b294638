/*
 * graphs.h - link graphs for tests: known machines, and random ones.
 */
#ifndef HS_TESTS_GRAPHS_H
#define HS_TESTS_GRAPHS_H

#include "test.h"

#include "base/random.h"
#include "system/links.h"

/* A graph without links, to be filled and released. */
static inline struct hs_links graph_of(int units, int relays)
{
    return (struct hs_links){.units = units, .relays = relays};
}

static inline void join(struct hs_links *links, int from, int to, int count, double rate)
{
    links->items = realloc(links->items, (links->count + 1) * sizeof(*links->items));
    assert_non_null(links->items);
    links->items[links->count++] =
        (struct hs_link){.from = from, .to = to, .count = count, .bytes_per_second = rate};
}

static inline void join_one_way(struct hs_links *links, int from, int to, double rate)
{
    join(links, from, to, 1, rate);
    links->items[links->count - 1].one_way = true;
}

/* NVIDIA DGX-1: a cube with the diagonals of two faces; of V100 some links are two (white paper of
 * 2017, figure 4). */
static inline struct hs_links dgx1(bool v100)
{
    static const int ends[16][3] = {
        {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
        {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    struct hs_links links = graph_of(8, 0);

    for (int i = 0; i < 16; i++)
        join(&links, ends[i][0], ends[i][1], v100 ? ends[i][2] : 1, v100 ? 25e9 : 20e9);
    return links;
}

/* Each two units with a link. */
static inline struct hs_links mesh(int units, double rate)
{
    struct hs_links links = graph_of(units, 0);

    for (int u = 0; u < units; u++)
        for (int v = 0; v < u; v++)
            join(&links, u, v, 1, rate);
    return links;
}

static inline int below(uint64_t *state, int count)
{
    return (int)(hs_random_bits(state) % (uint64_t)count);
}

/* All vertices on a random tree, and some more links; of few rates. */
static inline struct hs_links random_graph(uint64_t *state, int units, int relays)
{
    static const double rates[] = {12e9, 20e9, 25e9, 50e9};
    struct hs_links links = graph_of(units, relays);
    int vertices = units + relays, more = below(state, 2 * vertices);

    for (int v = 1; v < vertices; v++)
        join(&links, v, below(state, v), 1 + below(state, 3), rates[below(state, 4)]);
    for (int i = 0; i < more; i++) {
        int u = below(state, vertices), v = below(state, vertices);

        if (u != v)
            join(&links, u, v, 1 + below(state, 2), rates[below(state, 4)]);
    }
    return links;
}

/* All units on one ring one way, and some more such links. */
static inline struct hs_links random_one_way(uint64_t *state, int units)
{
    struct hs_links links = graph_of(units, 0);
    int more = below(state, 3 * units);

    for (int u = 0; u < units; u++)
        join_one_way(&links, u, (u + 1) % units, 1e9 * (1 + below(state, 4)));
    for (int i = 0; i < more; i++) {
        int u = below(state, units), v = below(state, units);

        if (u != v)
            join_one_way(&links, u, v, 1e9 * (1 + below(state, 4)));
    }
    return links;
}

#endif
