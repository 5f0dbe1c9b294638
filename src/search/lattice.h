/*
 * lattice.h - the divisor lattice of P: nodes are its divisors, an edge d -> d p is layer (d, p).
 *
 * A split is a path 1 -> p1 -> p1 p2 -> ... -> P. 2^20 has 524,288 splits, 21 divisors and 210
 * edges. A group of D ranks has the divisors of D, whose layers lie as far apart as its ranks do
 * (hs_group_stride); where it has gaps, those at which a layer can end, and no edge over a gap.
 */
#ifndef HS_SEARCH_LATTICE_H
#define HS_SEARCH_LATTICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/problem.h"

struct hs_lattice {
    struct hs_group group;
    size_t node_count;  /* divisors of group.size, but for those within gaps */
    int64_t *divisors;  /* [node_count] ascending, from 1 to group.size */
    size_t edge_count;  /* pairs (d, e), d < e, d divides e; one rank has one edge-free node */
    uint32_t *edge_end; /* [edge_count] node it leads to; edges sorted by start, then by end */
    size_t *first_edge; /* [node_count + 1] of node i: first_edge[i] .. first_edge[i + 1] - 1 */
    /* Paths = ordered factorizations of group.size (OEIS A074206), of the sizes between gaps one by
     * one; UINT64_MAX: that many or more */
    uint64_t path_count;
};

/* HS_INVALID as hs_group_check. HS_MEMORY. */
enum hs_status hs_lattice_init(struct hs_lattice *lattice, struct hs_group group,
                               struct hs_error *err);
/* Puts copies[e] edges, 1 or more, in the place of edge e: parallel ones, next to each other. Paths
 * are counted anew. HS_MEMORY. */
enum hs_status hs_lattice_repeat(struct hs_lattice *lattice, const size_t *copies,
                                 struct hs_error *err);
void hs_lattice_release(struct hs_lattice *lattice);

/* The layer of edge e, which starts at node i. */
struct hs_layer hs_lattice_layer(const struct hs_lattice *lattice, size_t i, size_t e);

#endif
