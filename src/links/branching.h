/*
 * branching.h - the cheapest tree that leads from one place to all others, along arcs (Chu and Liu
 * 1965, Edmonds 1967).
 */
#ifndef HS_LINKS_BRANCHING_H
#define HS_LINKS_BRANCHING_H

#include "base/error.h"

/* Fills before[v], the place from which v is reached, for all `count` places but the root, where
 * it is -1: of those whose arcs cost least together, costs[u * count + v] from u to v, >= 0 or
 * INFINITY where there is none. Of equal arcs into v the one from the first place. What cannot be
 * reached has an arc of cost INFINITY. HS_MEMORY. */
enum hs_status hs_branching_least(int *before, const double *costs, int count, int root,
                                  struct hs_error *err);

#endif
