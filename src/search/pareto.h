/*
 * pareto.h - the K best paths where an edge has several weights and a path costs its largest sum.
 *
 * Label setting in the order of the divisors. A label (a path from 1 to a node) is dropped
 *  - by bound: if for some component its sum plus the shortest way to the end exceeds the K-th best
 *    plan known so far, it cannot enter the K best;
 *  - by dominance: if K other labels of the node come before it whatever follows: each with every
 *    component smaller, or no component larger and first in the order of ties (fewer layers,
 *    smaller sizes first). Both survive any completion, because both paths get the same layers
 *    appended.
 * What is left over at the last node contains the K best, exactly.
 */
#ifndef HS_SEARCH_PARETO_H
#define HS_SEARCH_PARETO_H

#include <stdint.h>

#include "search/ranking.h"

/* Adds to `ranking` the K = ranking->top best plans with `chunks` chunks (with weights as
 * hs_lattice_weights makes them). Plans that the ranking already holds bound the search; they must
 * have other chunk counts. *labels is raised by the number of labels made. HS_MEMORY. */
enum hs_status hs_pareto_search(struct hs_ranking *ranking, const struct hs_lattice *lattice,
                                const hs_ticks *weights, int components, int chunks,
                                uint64_t *labels, struct hs_error *err);

#endif
