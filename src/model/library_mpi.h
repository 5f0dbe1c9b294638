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
#include "model/stage.h"

/* The largest power of two that is not above. */
int64_t hs_mpi_power_of_two(int64_t ranks);

/* What the nonblocking calls run that the backend host makes on a layer (letter n): MPICH by the
 * same thresholds as the blocking ones (src/mpi/coll/ireduce_scatter_block, iallgather,
 * iallreduce: 80 and 512 KiB, 2 KiB), Open MPI by those of coll/libnbc, which are others than
 * coll/tuned's. An allreduce where nodes have several ranks is left to who counts its steps. */
enum hs_mpi_steps {
    HS_MPI_STEPS_RING,         /* a block to the next, p - 1 times */
    HS_MPI_STEPS_FAR,          /* halving or doubling, half of all blocks to the farthest */
    HS_MPI_STEPS_BRUCK,        /* doubling around the group */
    HS_MPI_STEPS_PAIRWISE,     /* a block to each other one, one after the other */
    HS_MPI_STEPS_LINEAR,       /* a block to each other one, all at once */
    HS_MPI_STEPS_TREE_SCATTER, /* a binomial tree to one, who sends each its block */
    HS_MPI_STEPS_DOUBLING,     /* all blocks to partners twice as far */
    HS_MPI_STEPS_HALVING,      /* Rabenseifner's: halving with the nearest first, and back */
    HS_MPI_STEPS_TREE,         /* a binomial tree up, and one down */
    HS_MPI_STEPS_RINGS         /* a ring twice */
};

/* Of a reduce-scatter, an allgather or an allreduce of `ranks`, not PAIR; in_place: what it reduces
 * lies where the result is to be. */
enum hs_mpi_steps hs_mpi_steps(enum hs_library library, enum hs_phase phase, int64_t ranks,
                               double bytes, double elements, bool in_place);

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
