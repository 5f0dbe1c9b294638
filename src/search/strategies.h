/*
 * strategies.h - what the strategies share: a checked request and the state of one run. Internal to
 * search.
 */
#ifndef HS_SEARCH_STRATEGIES_H
#define HS_SEARCH_STRATEGIES_H

#include "library/price_plan.h"
#include "search/ranking.h"

struct hs_strategy_run {
    const struct hs_search_request *request; /* checked; chunks is never NULL */
    struct hs_lattice lattice;
    struct hs_stage_price *prices; /* of the lattice's edges */
    double tick_seconds;
    struct hs_ranking ranking; /* what the strategy fills */
    uint64_t looked_at;
    size_t layers_priced;
    uint64_t step, steps; /* of the work, for who watches; steps >= 1 */
    bool stopped;         /* who watches has said so */
    char left_out[HS_LEFT_OUT_TEXT];
};

/* Tells who watches that `done` of `all` in this step is done; whether to go on. A run that is NULL
 * always does. */
bool hs_search_goes_on(struct hs_strategy_run *run, uint64_t done, uint64_t all);

/* Each adds the best plans of what it looks at to run->ranking, and says in left_out what it left
 * out where it was stopped. HS_MEMORY.
 *  - lattice: K shortest paths (paths.h), with chunks by the fronts of all levels' sums (pareto.h):
 *    exact;
 *  - exhaustive: every ordered factorization, which the tests hold the others against. HS_INVALID
 *    beyond HS_EXHAUSTIVE_MAX of them;
 *  - containment: the published rule, which keeps a few plans at every scale and is not exact (Ueno
 *    and Yokota, CCGRID 2019, section V). */
enum hs_status hs_strategy_lattice(struct hs_strategy_run *run, struct hs_error *err);
enum hs_status hs_strategy_exhaustive(struct hs_strategy_run *run, struct hs_error *err);
enum hs_status hs_strategy_containment(struct hs_strategy_run *run, struct hs_error *err);

#endif
