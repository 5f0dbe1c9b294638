/*
 * search.h - the K best plans for a problem on a system.
 *
 * One interface, three strategies: `lattice` (exact, polynomial in the number of divisors;
 * default), `exhaustive` (prices every ordered factorization; the oracle) and `containment` (the
 * published rule "the large optimum contains the small optimum", CCGRID 2019, section V).
 *
 * A plan is a split with the algorithms by which it takes least, each layer's out and back, ties
 * to one for both and to the first in the list (letters.h); the K best are of K different splits
 * (or chunk counts).
 *
 * Where stages are calls of NCCL's, a plan of one stage is offered in the fewest of the chunk
 * counts alone: calls on one communicator are in order, so its chunks are never at work at the same
 * time.
 *
 * Order of plans, the same for every strategy: predicted time, then fewer chunks, fewer layers,
 * smaller sizes first. Times are compared in whole ticks (ticks.h: a power of two of a second,
 * 2^-37 of the best plan's time or less), summed exactly, so that the order does not depend on the
 * order of summation and plans that cost the same by the formula really tie. Layers that take over
 * 2^15 times as long as the best plan count alike.
 */
#ifndef HS_SEARCH_SEARCH_H
#define HS_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "library/price_plan.h"
#include "search/request.h"

struct hs_search_plan {
    struct hs_plan plan;
    double seconds; /* hs_plan_cost(...).seconds */
};

struct hs_search_result {
    struct hs_search_plan *plans; /* [count], best first, owned */
    size_t count;                 /* min(top, number of plans that exist or survived) */
    uint64_t splits;              /* ordered factorizations of np (saturating) */
    uint64_t looked_at;   /* plans priced (exhaustive, containment) or labels made (lattice) */
    size_t layers_priced; /* different layers (stride, size) priced */
    double flat_seconds;  /* the flat split with one chunk */
    char left_out[HS_LEFT_OUT_TEXT]; /* what was not looked at because `progress` said so; "" */
};

struct hs_strategy_run; /* strategies.h */

/* name, one line for --help; lattice first (the default) */
/* clang-format off */
#define HS_SEARCH_STRATEGIES(row)                                                              \
    row(lattice, "K shortest paths in the divisor lattice: exact, at any scale")               \
    row(exhaustive, "every ordered factorization, one by one: exact, the oracle")              \
    row(containment, "the published rule \"the large optimum contains the small optimum\"")
/* clang-format on */

struct hs_search_strategy {
    const char *name;
    /* Fills the run's ranking. HS_INVALID where the request cannot be served (exhaustive: too many
     * splits), HS_MEMORY. Called by hs_search only. */
    enum hs_status (*run)(struct hs_strategy_run *run, struct hs_error *err);
};

/* The table ends with a row whose name is NULL, the names with a NULL. */
extern const struct hs_search_strategy hs_search_strategies[];
extern const char *const hs_search_strategy_names[];
/* NULL where there is none of that name. */
const struct hs_search_strategy *hs_search_strategy_find(const char *name);

/* Runs a strategy after checking the request. */
enum hs_status hs_search(struct hs_search_result *out, const struct hs_search_strategy *strategy,
                         const struct hs_search_request *request, struct hs_error *err);
void hs_search_result_release(struct hs_search_result *result);

#endif
