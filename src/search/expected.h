/*
 * expected.h - which plan to take where parameters are not known: the one of least expected time,
 * relative to a reference, over samples of them.
 *
 * The reference is the library's default call where that has a price, else the flat plan. With t_ej
 * the time of edge e in sample j and R_j that of the reference, a plan takes sum_e t_ej / R_j of
 * the reference's time; its mean over the samples is a sum over edges of mean_j (t_ej / R_j), so
 * the K plans of least expected ratio are K shortest paths: exact, without chunks. The estimate of
 * a plan is this ratio times the library's price, or the flat plan's mean. (The least of the
 * largest losses is no such sum, and hard to find: Aissi, Bazgan and Vanderpooten 2009, "Min-max
 * and min-max regret versions of combinatorial optimization problems".)
 *
 * With chunks, and in lattices of more than HS_EXPECTED_EDGES edges, the rows are left out: plans
 * are then compared over the same samples one by one.
 */
#ifndef HS_SEARCH_EXPECTED_H
#define HS_SEARCH_EXPECTED_H

#include "estimate/machines.h"
#include "library/price_library.h"
#include "search/lattice.h"
#include "search/search.h"

/* A plan within 1 % of the best of a sample counts as best there. */
#define HS_EXPECTED_TIE 1.01
/* Edges from which on a table of all samples takes too long. */
#define HS_EXPECTED_EDGES 1024

/* An edge by the algorithms that it goes out and comes back by. */
struct hs_edge_row {
    enum hs_algorithm ways[2];
    struct hs_stage_key keys[2]; /* as hs_problem_ways has them */
    int stages;                  /* 1 or 2 */
};

/* What each edge takes in each sample, by each algorithm, over the reference there. */
struct hs_expected {
    struct hs_problem problem;
    struct hs_library_price library; /* the reference, where it has a price */
    double reference_seconds; /* the library's price, or the mean of R_j; estimates are of it */
    size_t samples;
    double *reference;               /* [samples] owned: R_j */
    double *least;                   /* [samples] owned: the best plan's time over R_j */
    const struct hs_machines *drawn; /* borrowed: the samples */
    /* Where the K best are shortest paths: the lattice, and its rows; else row_count is 0. */
    struct hs_lattice lattice;
    size_t row_count;
    /* [row_count] owned, of edge e: first_row[e] .. first_row[e + 1] - 1 */
    struct hs_edge_row *rows;
    size_t *first_row; /* [edge_count + 1] owned */
    double *relative;  /* [row_count][samples] owned: t_ej / R_j */
    double by_chance;  /* hs_expected_drop's; 0: not known yet */
};

/* Of the request's problem and algorithms; `library` may be one without a price. `exact`: with
 * rows, of one chunk. HS_INVALID: more than HS_EXPECTED_EDGES edges; HS_MEMORY. */
enum hs_status hs_expected_init(struct hs_expected *expected,
                                const struct hs_search_request *request,
                                const struct hs_machines *machines,
                                const struct hs_library_price *library, bool exact,
                                struct hs_error *err);
void hs_expected_release(struct hs_expected *expected);

/* A plan over the samples. */
struct hs_estimate {
    double seconds;                   /* the expected ratio times the reference's price */
    double low_seconds, high_seconds; /* 90 % of the samples lie between, and the estimate */
    double probability_best;          /* share of samples in which no plan is 1 % faster */
    struct hs_gain gain; /* over the reference; median: the expected one, 1 / expected ratio */
    double loss; /* expected, over the best plan of each sample, in units of the reference */
};

/* HS_MEMORY. */
enum hs_status hs_estimate_of(struct hs_estimate *out, const struct hs_expected *expected,
                              const struct hs_plan *plan, struct hs_error *err);
/* The same of the reference itself. HS_MEMORY. */
enum hs_status hs_estimate_reference(struct hs_estimate *out, const struct hs_expected *expected,
                                     struct hs_error *err);
/* A plan and its estimate. */
struct hs_estimated {
    struct hs_plan plan;
    struct hs_estimate estimate;
};

/* The `top` plans of least expected time, of different splits, best first, in plans[top]: of all,
 * by rows; without rows of those given. Ties: fewer layers first, then smaller sizes. Returns how
 * many in *found. HS_MEMORY. */
enum hs_status hs_expected_best(struct hs_estimated *plans, size_t *found, size_t top,
                                struct hs_expected *expected, const struct hs_search_result *given,
                                struct hs_error *err);

/* By rows: of the plans within HS_EXPECTED_TIE of the best the one of fewest layers, of these the
 * fastest. HS_MEMORY. */
enum hs_status hs_expected_simplest(struct hs_estimated *out, const struct hs_expected *expected,
                                    struct hs_error *err);

/* A plan's time over the reference in each sample, [samples]. HS_MEMORY. */
enum hs_status hs_expected_ratios(double *ratios, const struct hs_expected *expected,
                                  const struct hs_plan *plan, struct hs_error *err);
/* By weights of the rows: of the plans within `tie` (1: none) of the shortest path that of fewest
 * layers. HS_MEMORY. */
enum hs_status hs_expected_path(struct hs_plan *out, const struct hs_expected *expected,
                                const double *weights, double tie, struct hs_error *err);

#endif
