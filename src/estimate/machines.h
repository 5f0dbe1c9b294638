/*
 * machines.h - machines that fit a description: the figures that nobody measured drawn at random,
 * each as far from what is believed as its source may be off. The one place that draws any; the
 * same answer every time.
 *
 * Where NCCL's calls are the stages, its constants (constants_nccl.h) are drawn, and what lies
 * between two calls of a plan, which is drawn elsewhere, too, where it is known; elsewhere latency
 * and bandwidth of every level, by the kind of their source (figure.h), and the launch cost, which
 * has no source. Of a system with fits the times of stages are drawn together, given its points
 * (belief.h). Constants of an MPI library are drawn beside the levels: its own calls have them,
 * plans do not.
 *
 * The price itself errs, too, on each machine in another way: by layer, so that plans err together
 * as far as they share layers; layers of nearly the same size on the same level err alike.
 */
#ifndef HS_ESTIMATE_MACHINES_H
#define HS_ESTIMATE_MACHINES_H

#include <math.h>

#include "library/price_library.h"
#include "model/problem.h"
#include "system/system.h"

#define HS_MACHINES_USUAL 200
#define HS_MACHINES_MAX   1000

/* Sizes of layers whose prices err on their own (machine_prices.c). */
#define HS_ERROR_KNOTS 7
/* Algorithms of the list before this number that err on their own. */
size_t hs_machines_errors_before(int algorithm);

/* A figure that differs from machine to machine: which is asked by text. */
struct hs_machines_figure {
    enum { HS_LATENCY_OF, HS_BANDWIDTH_OF, HS_LAUNCH_OF, HS_CONSTANT_OF, HS_GAP_OF } what;
    size_t index;     /* of the level, or of the constant */
    double deviation; /* of the logarithm */
    double *off;      /* [count] of the machines: how many deviations; owned by the machines */
};

/* What machines may differ by: all constants, two figures per level, launch and gap. */
#define HS_MACHINES_FIGURES_MAX (HS_CONSTANTS_MAX + 2 * HS_LEVELS_MAX + 2)

struct hs_machines {
    const struct hs_system *believed; /* borrowed */
    size_t count;
    struct hs_system *drawn; /* [count] owned, but for what they borrow of the believed one */
    double *gap_seconds;     /* [count] owned: between two calls; 0: no price has any */
    double *noise;           /* [count] owned: normal; of an MPI library's own price */
    /* [count][errors_of_one] owned: normal; of the price of layers that are alike; and behind them
     * [count][HS_ERROR_DRAWS], of all prices of a class on a machine */
    double *errors;
    size_t errors_of_one;
    struct hs_machines_figure figures[HS_MACHINES_FIGURES_MAX];
    size_t figure_count;               /* 0: nothing is drawn but stages of a belief, or errors */
    double *offs;                      /* owned */
    struct hs_own_constant *constants; /* owned: of MPI */
    struct hs_belief *belief;          /* owned; NULL: no fits, or none with points */
    uint64_t seed;                     /* of the belief's draws */
    int64_t domains;      /* NVLink domains that NCCL's constants are drawn for; 0: none are */
    struct hs_kept *kept; /* owned: what of stages does not depend on bytes */
};

/* The system stays the caller's until the end. 1 to HS_MACHINES_MAX machines; the first of many are
 * those of few. HS_MEMORY. */
enum hs_status hs_machines_init(struct hs_machines *machines, const struct hs_system *system,
                                size_t count, uint64_t seed, struct hs_error *err);
void hs_machines_release(struct hs_machines *machines);
/* How far NCCL's constants are off follows from the domains that so many ranks fill: the same draws
 * as far off as there. Until asked: of two, where there are NICs. */
void hs_machines_ask(struct hs_machines *machines, int64_t ranks);

/* Whether any stage takes longer on one of them than on another. */
bool hs_machines_differ(const struct hs_machines *machines);

/* How many times as fast as something else a plan is, over the machines. */
struct hs_gain {
    double median;    /* NaN: nothing was drawn */
    double low, high; /* 90 % of the machines lie between */
    double share;     /* of machines on which it is the faster one */
};
#define HS_GAIN_UNKNOWN ((struct hs_gain){NAN, NAN, NAN, NAN})
/* Of gains[count], count > 0, one per machine, which are brought into another order. */
struct hs_gain hs_gain_of(double *gains, size_t count);

/* "the bandwidth of ib", "the constant net_ll of the library's price": what a figure is called. */
void hs_machines_figure_text(struct hs_text *out, const struct hs_machines *machines,
                             const struct hs_machines_figure *figure);

/* Seconds of stages of the problem on each machine, one chunk, seconds[i * machines->count + j];
 * with each further call of a plan comes what lies between calls, so that a plan's time is the sum
 * of its stages. O(count * machines). HS_MEMORY. */
enum hs_status hs_machines_seconds(double *seconds, const struct hs_machines *machines,
                                   const struct hs_problem *problem,
                                   const struct hs_stage_key *keys, size_t count,
                                   struct hs_error *err);
/* What of that lies between calls, on machine j: nobody sees it who measures the stage alone. */
double hs_machines_gap_seconds(const struct hs_machines *machines, size_t j,
                               const struct hs_problem *problem, struct hs_stage_key key);
/* Seconds of a plan on machine j, in its chunks, gaps included; of the figures drawn alone, without
 * the belief's. */
double hs_machines_plan_seconds(const struct hs_machines *machines, size_t j,
                                const struct hs_problem *problem, const struct hs_plan *plan);
/* The same on each machine, [count], far faster than one by one. HS_MEMORY. */
enum hs_status hs_machines_plan_seconds_each(double *seconds, const struct hs_machines *machines,
                                             const struct hs_problem *problem,
                                             const struct hs_plan *plan, struct hs_error *err);

/* What the library does by itself (price_library.h) on each machine, [count]: its own call, off by
 * what no constant explains, too; HS_MEMORY. */
enum hs_status hs_library_seconds_each(double *seconds, const struct hs_library_price *price,
                                       const struct hs_machines *machines,
                                       const struct hs_problem *problem, struct hs_error *err);
/* By MPI's steps, or RCCL's calls: stages, seconds[i * machines->count + j], which add up to a
 * plan of one chunk; */
void hs_library_stage_seconds_each(double *seconds, const struct hs_machines *machines,
                                   const struct hs_problem *problem,
                                   const struct hs_stage_key *keys, size_t count);
/* and plans, in their chunks. */
void hs_library_plan_seconds_each(double *seconds, const struct hs_machines *machines,
                                  const struct hs_problem *problem, const struct hs_plan *plan);

#endif
