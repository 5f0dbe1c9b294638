/*
 * price_library.h - what a system's library does by itself with a collective, and how long that
 * takes: the price that a plan is to beat. Where a rank has one block it is of the call in place,
 * in whatever order the plan leaves them: what people run today. MPI's reduce-scatter is
 * MPI_Reduce_scatter_block. Groups of a mesh without a gap have a price, too, all calling at once:
 * of MPI by the links that their steps share, of NCCL each by the NICs of its GPUs, so that no NIC
 * counts twice, as the slowest where they lie in NVLink domains in different ways.
 *
 * Which algorithm runs is the library's rule (library_nccl.h, library_mpi.h), how long it takes the
 * model's (price_nccl.h, price_mpi.h).
 */
#ifndef HS_LIBRARY_PRICE_LIBRARY_H
#define HS_LIBRARY_PRICE_LIBRARY_H

#include "library/price_mpi.h"
#include "model/problem.h"
#include "system/system.h"

#define HS_LIBRARY_CHOICE 80 /* bytes of a choice's text */

struct hs_library_price {
    enum hs_library library;          /* UNSAID: the system has none, or is calibrated */
    char choice[HS_LIBRARY_CHOICE];   /* what it runs, by its rule: "tree, LL", or "..., forced" */
    bool forced;                      /* it is what system->library_algorithm says */
    double seconds;                   /* NaN: without a price */
    double low_seconds, high_seconds; /* the 90 % range */
    double latency_seconds;           /* the same call with next to no bytes */
    struct hs_mpi_call mpi;           /* MPI: the call that is priced */
    /* The same by the algorithm beyond the nearest size at which the library may switch, where no
     * time of the machine said which; else as mpi. */
    struct hs_mpi_call mpi_otherwise;
    int nccl_algorithm, nccl_protocol; /* NCCL: of the choice (library_nccl.h); -1: of others */
    int level; /* where its bytes are held up: the bottleneck of a ring through all ranks */
};

/* For elements of so many bytes, which count where a library goes by their number. One process, and
 * what has no price: seconds are NaN. */
struct hs_library_price hs_library_price(const struct hs_system *system,
                                         const struct hs_problem *problem, size_t element_bytes);
/* Whether there is something to compare with: seconds are a number. */
bool hs_library_is_priced(const struct hs_library_price *price);
/* Whether plans are priced by the library's steps, as its own call is: MPI's, whose price knows
 * what the levels' leaves out (rendezvous, longer steps with longer messages, reductions), and
 * RCCL's, whose calls the stages are. */
bool hs_library_prices_plans(const struct hs_library_price *price);

/* What a plan takes so, with the nominal constants. */
double hs_library_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                               const struct hs_plan *plan);

#endif
