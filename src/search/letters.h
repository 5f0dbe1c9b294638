/*
 * letters.h - the algorithms that layers go by: those that make a plan fastest, out and back.
 *
 * With chunks a layer has a weight for each level (ticks.h), and by one algorithm that may be less
 * on one level and more on another than by a second one; out by one and back by the other it lies
 * between. So an edge has a row of weights for each choice, as parallel edges, but for those that
 * are nowhere less than another. For the same reason a split has several sums of rows, a front, of
 * which the least largest component is its time. Without chunks all of these are one.
 */
#ifndef HS_SEARCH_LETTERS_H
#define HS_SEARCH_LETTERS_H

#include "search/strategies.h"

/* Of all edges of a lattice, for one chunk count: of edge e the rows first[e] .. first[e + 1] - 1,
 * one at least. */
struct hs_weights {
    size_t components;
    size_t *first;            /* [edge_count + 1] owned */
    hs_ticks *ticks;          /* [first[edge_count]][components] owned */
    unsigned char (*ways)[2]; /* owned: by which algorithm a row goes out and comes back */
};

/* Those of the request that its system has a price for; the ring always. */
unsigned hs_search_algorithms(const struct hs_search_request *request);

/* Whether a layer may be faster by two algorithms than by one of them: one is uneven
 * (algorithm.h), or the collective's way out is no mirror of its way back. */
bool hs_search_takes_pairs(const struct hs_search_request *request);

/* Of the run's lattice and prices. HS_MEMORY. */
enum hs_status hs_weights_init(struct hs_weights *weights, const struct hs_strategy_run *run,
                               int chunks, struct hs_error *err);
void hs_weights_release(struct hs_weights *weights);
/* The least of an edge's rows, each component by itself, [components]. */
void hs_weights_least(hs_ticks *least, const struct hs_weights *weights, size_t e);
/* Adds the row of an edge whose largest component is the least to a sum. */
void hs_weights_add_usual(hs_ticks *sum, const struct hs_weights *weights, size_t e);

/* Gives each layer of a plan its algorithms: those by which the whole plan takes least, ties to one
 * for both ways and to the first in the list; *ticks is what it then takes. HS_MEMORY. */
enum hs_status hs_plan_choose(struct hs_plan *plan, hs_ticks *ticks,
                              const struct hs_search_request *request, double tick_seconds,
                              struct hs_error *err);

/* ---- fronts ---------------------------------------------------------------------------------- */

/* Sums of rows, one front behind the other. */
struct hs_sums {
    size_t components;
    hs_ticks *ticks; /* [count][components] owned */
    size_t count, capacity;
};

/* Sums of one split's first layers: none is in all components as small as another. */
struct hs_front {
    size_t first, count;
};

/* One layer more: its rows; sums that with `rest`, the least that may follow, exceed the bound in
 * some component are dropped. */
struct hs_front_step {
    const hs_ticks *rows; /* [row_count][components] */
    size_t row_count;
    const hs_ticks *rest; /* [components] */
    hs_ticks bound;
};

/* The front of nothing, one sum of zeros, behind the others. HS_MEMORY. */
enum hs_status hs_front_begin(struct hs_front *out, struct hs_sums *sums, struct hs_error *err);
/* Puts that of one layer more behind the others; it may be empty. HS_MEMORY. */
enum hs_status hs_front_extend(struct hs_front *out, struct hs_sums *sums, struct hs_front from,
                               const struct hs_front_step *step, struct hs_error *err);
/* The largest component of a sum or a row. */
hs_ticks hs_largest_ticks(const hs_ticks *sum, size_t components);
/* The least of these in a front. */
hs_ticks hs_front_least(const struct hs_sums *sums, struct hs_front front);

#endif
