/*
 * price_mpi.h - how long MPI's collectives take between CPUs, by algorithm: ring, Rabenseifner's
 * halving and doubling, recursive doubling.
 *
 * A step costs latency, a little more for longer messages and a rendezvous beyond 8 KiB; bytes cost
 * the wire, and a reduction that is slower for data beyond the cache; processes of a node share
 * both. Costs as in Thakur, Rabenseifner and Gropp, "Optimization of collective communication
 * operations in MPICH", 2005, section 4, with these terms. docs/model.md says what was fitted.
 * Constants are those of three machines: another one's lie anywhere within their families (50 %
 * off, where one of the three is left out). On a system the levels say what a step and a byte cost,
 * each step that of the outermost level that its partners are apart by, with as many flows on a
 * link as there are ranks behind it; a level may have an eager limit of its own.
 */
#ifndef HS_LIBRARY_PRICE_MPI_H
#define HS_LIBRARY_PRICE_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "library/constants.h"
#include "library/constants_mpi.h"
#include "library/library_mpi.h"
#include "library/price_error.h"
#include "model/problem.h"

/* name, text, meaning; one NIC of 200 Gb/s in a node */
/* clang-format off */
#define HS_MPI_MACHINES(row)                                  \
    row(LEONARDO, "leonardo", "dragonfly+, Open MPI")         \
    row(LUMI, "lumi", "dragonfly, Slingshot 11, Cray MPICH")  \
    row(MN5, "mn5", "tapered fat tree, Open MPI")             \
    row(SYSTEM, "system", "as the levels of a system say")
/* clang-format on */

enum hs_mpi_machine {
#define HS_ROW(name, text, meaning) HS_MPI_##name,
    HS_MPI_MACHINES(HS_ROW)
#undef HS_ROW
        HS_MPI_MACHINE_COUNT
};

extern const char *const hs_mpi_machine_names[HS_MPI_MACHINE_COUNT];

struct hs_mpi_call {
    enum hs_mpi_machine machine;
    enum hs_library_call kind; /* the all-to-all of SYSTEM alone */
    enum hs_mpi_algorithm algorithm;
    int64_t ranks;
    int64_t tasks; /* ranks of a node */
    bool by_node;  /* rank r on node r mod nodes; else the ranks of a node are consecutive */
    double bytes;  /* > 0 */
    /* Of the machine SYSTEM, where tasks and by_node mean nothing but for in_nodes: */
    const struct hs_system *system; /* borrowed */
    int64_t stride;                 /* ranks of the system between two of the call; 0: 1 */
    bool in_nodes; /* the `tasks` ranks of a node reduce to one of them, which call, and send on */
    int64_t at_once; /* so many ranks of the system call at once, in groups alike; 0: these alone */
};

/* Prices struct hs_mpi_call. */
extern const struct hs_price_model hs_mpi_price_model;

/* How far prices are off on machines of its kind (price_error.h). */
enum hs_error_class hs_mpi_error_class(const struct hs_system *system);

/* How many widths they may be off there: less where some were fitted to the machine's own times. */
double hs_mpi_system_doubt(const struct hs_system *system);

/* What a plan takes on the system by the same steps and constants, so that the two can be compared:
 * with what the levels' own price leaves out (rendezvous, longer steps with longer messages,
 * reductions) and without overlap of chunks. Where the system has none of these it is the levels'
 * price, but that latencies of a ring's hops are averaged. Its steps are `times` as slow as by the
 * constants, and no stage is below its limit (limit.h). */
double hs_mpi_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                           const struct hs_plan *plan, double times);

/* One stage of a plan in one chunk, or a pair of them, with the constants' values: the sum over a
 * plan's stages is hs_mpi_plan_seconds. */
double hs_mpi_stage_seconds(const struct hs_system *system, const struct hs_problem *problem,
                            struct hs_stage_key key, const double *values, double times);

/* The standard deviation of log(seconds), as hs_nccl_deviation: what no constant explains is what
 * a fit expects (scatter). */
double hs_mpi_deviation(const struct hs_mpi_call *call, const double *values, double doubt,
                        double residual);

#endif
