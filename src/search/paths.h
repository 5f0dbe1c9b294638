/*
 * paths.h - labels on the nodes of a lattice, and the K shortest paths for one weight per edge.
 */
#ifndef HS_SEARCH_PATHS_H
#define HS_SEARCH_PATHS_H

#include <stdint.h>

#include "search/ticks.h"

/* A path from 1 to a node: one edge more than a path to `previous_node`, from whose labels the
 * rest is read backwards. The label of node 1 has no edge. */
struct hs_label {
    hs_ticks ticks;
    uint32_t previous_node;  /* index into lattice->divisors */
    uint32_t previous_label; /* index into that node's labels */
    uint32_t layers;         /* edges of the path */
    uint32_t edge;           /* the last one; parallel edges are different paths */
};

struct hs_labels {
    struct hs_label *data; /* [count], best first, owned */
    size_t count;
};

/* The (at most) K shortest paths to every node. */
struct hs_paths {
    const struct hs_lattice *lattice;
    struct hs_labels *nodes; /* [node_count], owned */
};

struct hs_strategy_run; /* strategies.h */

struct hs_paths_problem {
    const struct hs_lattice *lattice;
    const hs_ticks *weights; /* weights[e * stride] is the weight of edge e */
    size_t stride, top;
    struct hs_strategy_run *run; /* asked whether to go on, at every node; NULL: always */
};

/* Dynamic programming from the inside out: a node's K best paths extend the K best of the nodes
 * before it. Ties are broken as in search.h. Where the run has been stopped, later nodes have no
 * paths. HS_MEMORY. */
enum hs_status hs_paths_init(struct hs_paths *paths, const struct hs_paths_problem *problem,
                             struct hs_error *err);
void hs_paths_release(struct hs_paths *paths);

/* The split of label `label` of node `node`: its sizes, innermost first, without the algorithms,
 * which follow from the edges. */
struct hs_split hs_paths_split(const struct hs_paths *paths, size_t node, size_t label);

/* Distance of the shortest path from every node to the last one, distance[i * stride] of node i;
 * weights[e * stride] of edge e. What a search may leave out by: ticks so far and the distance that
 * is left are at most those of any plan through the node. */
void hs_distances_to_end(hs_ticks *distance, const struct hs_lattice *lattice,
                         const hs_ticks *weights, size_t stride);

#endif
