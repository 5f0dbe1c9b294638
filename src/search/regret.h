/*
 * regret.h - which plan to take where figures are not known: the one with the least mean relative
 * regret over machines that fit the description.
 *
 * With t_ej the time of edge e on machine j and T*_j the least time there, a plan takes
 * sum_e t_ej / T*_j of it; the mean over machines is a sum over edges of mean_j (t_ej / T*_j), so
 * the least is one more shortest path: exact, without chunks. (The least of the largest regrets is
 * no such sum, and hard to find: Aissi, Bazgan and Vanderpooten 2009, "Min-max and min-max regret
 * versions of combinatorial optimization problems".) The flat split, a path as any, is NCCL's own
 * call where stages are NCCL's.
 */
#ifndef HS_SEARCH_REGRET_H
#define HS_SEARCH_REGRET_H

#include "model/machines.h"
#include "search/lattice.h"
#include "search/search.h"

/* Fewer layers may cost so much; a plan so close to the best of a machine wins there. */
#define HS_REGRET_SLACK 1.01
/* Machines on which a measurement is looked for: what it takes off is a small difference of means,
 * so more than a plan is chosen on. */
#define HS_REGRET_ASKED 1000
/* Layers from which on prices on machines take too long: nothing is drawn then. */
#define HS_REGRET_LAYERS 1024

/* An edge by the algorithms that it goes out and comes back by. */
struct hs_regret_row {
    enum hs_algorithm ways[2];
    struct hs_stage_key keys[2]; /* as hs_problem_ways has them */
    int stages;                  /* 1 or 2 */
};

/* What each edge takes on each machine, by each algorithm, over the least time there. */
struct hs_regret_table {
    struct hs_problem problem;
    struct hs_lattice lattice;
    size_t machines, row_count;
    /* [row_count] owned, of edge e: first_row[e] .. first_row[e + 1] - 1 */
    struct hs_regret_row *rows;
    size_t *first_row;               /* [edge_count + 1] owned */
    double *relative;                /* [row_count][machines] owned: t_ej / T*_j */
    double *best_seconds;            /* [machines] owned: T*_j */
    const struct hs_machines *drawn; /* borrowed */
    double by_chance;                /* hs_regret_drop's; 0: not known yet */
};

/* Of the request's problem and algorithms, in one chunk. HS_INVALID: more than HS_REGRET_LAYERS
 * layers; HS_MEMORY. */
enum hs_status hs_regret_table_init(struct hs_regret_table *table,
                                    const struct hs_search_request *request,
                                    const struct hs_machines *machines, struct hs_error *err);
void hs_regret_table_release(struct hs_regret_table *table);

/* How a plan does on the machines. */
struct hs_regret {
    double mean;                      /* of its time over the least there, - 1 */
    double share;                     /* of machines on which it wins, HS_REGRET_SLACK allowed */
    double worst;                     /* on 95 % of them its regret is no larger */
    double most;                      /* on all */
    double low_seconds, high_seconds; /* of its time: 90 % of the machines lie between, what no
                                         figure explains (machines.h) included, and the machine as
                                         it is described, which need not be in the middle */
};

/* Of a plan without chunks, whose layers go by the table's algorithms. HS_MEMORY. */
enum hs_status hs_regret_of(struct hs_regret *out, const struct hs_regret_table *table,
                            const struct hs_plan *plan, struct hs_error *err);
/* How much faster it is than another such plan, on the same machines; HS_GAIN_UNKNOWN where the
 * other one goes by algorithms that the table does not have. HS_MEMORY. */
enum hs_status hs_regret_gain(struct hs_gain *out, const struct hs_regret_table *table,
                              const struct hs_plan *plan, const struct hs_plan *other,
                              struct hs_error *err);

/* The plan with the least mean regret; of those within HS_REGRET_SLACK of it (as times) the one
 * with the fewest layers, and `guess`, the best as believed, where it has no more. HS_MEMORY. */
enum hs_status hs_regret_least(struct hs_plan *out, const struct hs_regret_table *table,
                               const struct hs_plan *guess, struct hs_error *err);

/* ---- what to measure ------------------------------------------------------------------------- */

/* By how much the expected regret falls where a figure is known, `figure[j]` of machine j: machines
 * are sorted by it into groups, each with its own best plan, and compared with groups by chance
 * (expected value of perfect information on one parameter: Raiffa and Schlaifer 1961; by groups:
 * Strong and Oakley 2013). May come out a little below 0. HS_MEMORY. */
enum hs_status hs_regret_drop(double *out, struct hs_regret_table *table, const double *figure,
                              struct hs_error *err);
/* The same where the time of one layer by one algorithm is known, measured alone:
 * drops[row_count], 0 of rows by two. HS_MEMORY. */
enum hs_status hs_regret_stage_drops(double *drops, struct hs_regret_table *table,
                                     struct hs_error *err);
/* The stage to measure first, and what the expected regret falls by: of those that tell 98 %
 * of what the best one tells, that of the fewest ranks. HS_MEMORY. */
enum hs_status hs_regret_stage(struct hs_stage_key *key, double *drop,
                               struct hs_regret_table *table, struct hs_error *err);

/* The same where two plans as a whole are known beside each other, what lies between their calls
 * included. HS_MEMORY. */
enum hs_status hs_regret_pair_drop(double *out, struct hs_regret_table *table,
                                   const struct hs_plan *one, const struct hs_plan *other,
                                   struct hs_error *err);

/* What decides, and what to measure first. */
struct hs_regret_proposal {
    const struct hs_machines_figure *figure; /* of the machines, which tells most; NULL: none */
    double known;                            /* what the expected regret falls by with it */
    struct hs_stage_key stage;               /* hs_regret_stage's */
    double measured;                         /* what it falls by with that */
    bool whole;           /* no stage tells as much as two plans beside each other: that shown, */
    struct hs_plan rival; /* and, where so, this one */
    double compared;      /* what it falls by with two plans */
};

/* Of a plan that is shown, of the table's layers. HS_MEMORY. */
enum hs_status hs_regret_propose(struct hs_regret_proposal *out, struct hs_regret_table *table,
                                 const struct hs_plan *shown, struct hs_error *err);

#endif
