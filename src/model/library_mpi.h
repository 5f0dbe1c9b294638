/*
 * library_mpi.h - what MPI libraries run of themselves for an MPI_Allreduce of a commutative,
 * predefined operation, where neither the environment nor a tuning file says otherwise.
 *
 * MPICH (3.2 to 4.2, src/mpi/coll/allreduce, thresholds of its control variables): where nodes have
 * several ranks, these reduce to one, and those of all nodes call; recursive doubling up to 2 KiB
 * and for fewer elements than ranks (the power of two below them), else Rabenseifner's. Not
 * followed: what a device (ch4's netmods) puts in its place, nor Cray's own. Open MPI (4.1 and 5.0,
 * coll/tuned's fixed decision for allreduce): a table by ranks and bytes. Not followed: the
 * components han and ucc, which some sites prefer to it.
 */
#ifndef HS_MODEL_LIBRARY_MPI_H
#define HS_MODEL_LIBRARY_MPI_H

#include "model/price_mpi.h"

struct hs_mpi_choice {
    enum hs_mpi_algorithm algorithm;
    bool in_nodes; /* as in struct hs_mpi_call */
};

/* Of MPICH or Open MPI, for so many ranks, `tasks` of them in a node, and elements. */
struct hs_mpi_choice hs_mpi_choose(enum hs_library library, int64_t ranks, int64_t tasks,
                                   double bytes, double elements);
/* As people write it: "recursive doubling, nodes first". Static text. */
const char *hs_mpi_choice_text(struct hs_mpi_choice choice);

#endif
