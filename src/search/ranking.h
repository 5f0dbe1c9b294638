/*
 * ranking.h - the K best plans seen so far, in the order of search.h.
 */
#ifndef HS_SEARCH_RANKING_H
#define HS_SEARCH_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "search/ticks.h"

struct hs_ranked {
    hs_ticks ticks;
    struct hs_plan plan;
};

/* A heap with the worst of the kept plans on top. */
struct hs_ranking {
    struct hs_ranked *plans; /* [count], owned */
    size_t count, capacity, top;
};

/* Empty, for the best `top` >= 1 plans; owns nothing until a plan is added. */
void hs_ranking_init(struct hs_ranking *ranking, size_t top);
void hs_ranking_release(struct hs_ranking *ranking);

/* Whether a plan of this many ticks could still enter (equal ticks can: the tie is decided by the
 * plan). */
bool hs_ranking_admits(const struct hs_ranking *ranking, hs_ticks ticks);
/* Adds a plan or drops it. Plans must be distinct. HS_MEMORY. */
enum hs_status hs_ranking_add(struct hs_ranking *ranking, hs_ticks ticks,
                              const struct hs_plan *plan, struct hs_error *err);
/* Sorts best first (the heap is gone afterwards). */
void hs_ranking_sort(struct hs_ranking *ranking);

#endif
