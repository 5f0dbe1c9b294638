/*
 * lattice.h - the divisor lattice of P: nodes are its divisors, an edge d -> d p is layer (d, p).
 *
 * A split is a path 1 -> p1 -> p1 p2 -> ... -> P. 2^20 has 524,288 splits, 21 divisors, 210 edges.
 */
#ifndef HS_SEARCH_LATTICE_H
#define HS_SEARCH_LATTICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct hs_lattice {
    int64_t np;
    size_t node_count; /* divisors of np */
    int64_t *divisors; /* [node_count], ascending: divisors[0] = 1, divisors[node_count - 1] = np */
    size_t edge_count; /* pairs (d, e), d < e, d divides e; np = 1 has one edge-free node */
    uint32_t *edge_end;  /* [edge_count] node it leads to; edges sorted by start, then by end */
    size_t *first_edge;  /* [node_count + 1] of node i: first_edge[i] .. first_edge[i + 1] - 1 */
    uint64_t path_count; /* paths from 1 to np = ordered factorizations of np (OEIS A074206);
                            UINT64_MAX: that many or more */
};

/* np in 1 .. HS_NP_MAX. HS_INVALID outside, HS_MEMORY. */
enum hs_status hs_lattice_init(struct hs_lattice *lattice, int64_t np, struct hs_error *err);
void hs_lattice_release(struct hs_lattice *lattice);

#endif
