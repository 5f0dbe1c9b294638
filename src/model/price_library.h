/*
 * price_library.h - what a system's library does by itself with a collective, and how long that
 * takes: the price that a plan is to beat. Where a rank has one block it is of the call in place,
 * in whatever order the plan leaves them: what people run today. MPI's reduce-scatter is
 * MPI_Reduce_scatter_block. Groups of a mesh without a gap have a price, too, all calling at once:
 * of MPI by the links that their steps share, of NCCL where all lie in NVLink domains in the same
 * way, each by the NICs of its GPUs, so that no NIC counts twice.
 *
 * Which algorithm runs is the library's rule (library_nccl.h, library_mpi.h), how long it takes the
 * model's (price_nccl.h, price_mpi.h).
 */
#ifndef HS_MODEL_PRICE_LIBRARY_H
#define HS_MODEL_PRICE_LIBRARY_H

#include "model/machines.h"
#include "model/price_mpi.h"
#include "model/problem.h"
#include "model/system.h"

/* The advice: a split where it gains so much over the library's own call in the median of machines
 * drawn, and gains anything on so many of them; else the library is left alone. */
#define HS_ADVICE_GAIN  1.03
#define HS_ADVICE_SHARE 0.75

#define HS_LIBRARY_CHOICE 80 /* bytes of a choice's text */

struct hs_library_price {
    enum hs_library library;          /* UNSAID: the system has none, or is calibrated */
    char choice[HS_LIBRARY_CHOICE];   /* what it runs, by its rule: "tree, LL" */
    double seconds;                   /* NaN: without a price */
    double low_seconds, high_seconds; /* the 90 % range */
    double latency_seconds;           /* the same call with next to no bytes */
    /* Of the best plan: what it takes that is compared with it, where that is not its price (NaN);
     * its gain on machines drawn (hs_library_gain), and the advice. */
    double best_seconds;
    struct hs_gain gain;
    bool left_alone;
    struct hs_mpi_call mpi; /* MPI: the call that is priced */
    int level; /* where its bytes are held up: the bottleneck of a ring through all ranks */
};

/* For elements of so many bytes, which count where a library goes by their number. One process, and
 * what has no price: seconds are NaN. */
struct hs_library_price hs_library_price(const struct hs_system *system,
                                         const struct hs_problem *problem, size_t element_bytes);
/* Whether there is something to compare with: seconds are a number. */
bool hs_library_is_priced(const struct hs_library_price *price);
/* What a plan takes that is to be compared with it: `seconds`, its own price, but where MPI's calls
 * are priced with what that leaves out, the price by MPI's steps (hs_mpi_plan_seconds). */
double hs_library_plan_seconds(const struct hs_library_price *price, const struct hs_system *system,
                               const struct hs_problem *problem, const struct hs_plan *plan,
                               double seconds);
/* Gain of a plan over the library's own call on machines drawn (machines.h), the same for both,
 * and either price off by what no constant explains. HS_MEMORY. */
enum hs_status hs_library_gain(struct hs_gain *out, const struct hs_library_price *price,
                               const struct hs_machines *machines, const struct hs_problem *problem,
                               const struct hs_plan *plan, struct hs_error *err);
/* By the rule above; a plan that is the library's own call is no reason either. */
bool hs_library_is_left_alone(const struct hs_gain *gain);

#endif
