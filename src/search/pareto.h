/*
 * pareto.h - the K best splits where an edge has several weights and a path costs its largest sum.
 *
 * Label setting in the order of the divisors. A label is a path from 1 to a node, and the front of
 * its sums by other algorithms (letters.h). A sum is dropped
 *  - by bound: if for some component it plus the shortest way to the end exceeds the K-th best
 *    plan known so far, it cannot enter the K best;
 *  - by dominance: if another of its own label is nowhere larger, or if K other labels of the node
 *    come before it whatever follows: each by a sum with every component smaller, or no component
 *    larger and first in the order of ties (fewer layers, smaller sizes first). Both survive any
 *    completion, because both paths get the same layers, by the same algorithms, appended.
 * Labels without sums are gone. What is left over at the last node contains the K best, exactly.
 */
#ifndef HS_SEARCH_PARETO_H
#define HS_SEARCH_PARETO_H

#include <stdint.h>

#include "search/letters.h"

/* Adds to the run's ranking the K = ranking.top best plans with `chunks` chunks, without their
 * algorithms, by weights of the run's lattice for so many. Plans that the ranking already holds
 * bound the search; they must have other chunk counts. Raises run->looked_at by the number of
 * labels made, and run->step by the components. Where the run is stopped, nothing is added.
 * HS_MEMORY. */
enum hs_status hs_pareto_search(struct hs_strategy_run *run, const struct hs_weights *weights,
                                int chunks, struct hs_error *err);

#endif
