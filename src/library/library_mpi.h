/*
 * library_mpi.h - what MPI libraries run of themselves for an MPI_Allreduce, MPI_Reduce_scatter or
 * MPI_Reduce_scatter_block of a commutative, predefined operation, and for an MPI_Allgather and an
 * MPI_Alltoall, where neither the environment nor a tuning file says otherwise.
 *
 * MPICH (3.2 to 4.2, src/mpi/coll, thresholds of its control variables). An allreduce: where nodes
 * have several ranks, these reduce to one, and those of all nodes call; recursive doubling up to
 * 2 KiB and for fewer elements than ranks (the power of two below them), else Rabenseifner's. A
 * reduce-scatter: recursive halving below 512 KiB, else pairwise. An allgather: recursive doubling
 * below 512 KiB for powers of two, Bruck's below 80 KiB, else a ring. An all-to-all, by a block:
 * Bruck's up to 256 bytes of 8 ranks or more, up to 32 KiB all at once, 32 of them at a time, else
 * pairwise. Not followed: what a device (ch4's netmods) puts in its place, nor Cray's own. Open MPI
 * (4.1.4, 4.1.6 and 5.0.7, coll/tuned's fixed decisions): a table by ranks and bytes for each call.
 * Not followed: the components han and ucc, which some sites prefer to it.
 */
#ifndef HS_MODEL_LIBRARY_MPI_H
#define HS_MODEL_LIBRARY_MPI_H

#include "library/price_mpi.h"
#include "model/stage.h"

/* The largest power of two that is not above. */
int64_t hs_mpi_power_of_two(int64_t ranks);

/* What the nonblocking calls run that the backend host makes on a layer (letter n) of `ranks`:
 * MPICH by the same thresholds as the blocking ones (src/mpi/coll/ireduce_scatter_block,
 * iallgather, iallreduce, ialltoall), Open MPI by those of coll/libnbc, which are others than
 * coll/tuned's. An allreduce where nodes have several ranks is left to who counts its steps.
 * in_place: what it reduces lies where the result is to be. */
enum hs_mpi_algorithm hs_mpi_nonblocking(enum hs_library library, enum hs_phase phase,
                                         int64_t ranks, double bytes, double elements,
                                         bool in_place);

struct hs_mpi_choice {
    enum hs_phase phase;
    enum hs_mpi_algorithm algorithm;
    bool in_nodes; /* as in struct hs_mpi_call */
};

/* Of MPICH or Open MPI, for an MPI_Reduce_scatter_block, MPI_Allgather, MPI_Allreduce or
 * MPI_Alltoall of so many ranks, `tasks` of them in a node, and elements: what goes by bytes of the
 * larger side. */
struct hs_mpi_choice hs_mpi_choose(enum hs_library library, enum hs_phase phase, int64_t ranks,
                                   int64_t tasks, double bytes, double elements);
/* Of an MPI_Reduce_scatter with equal counts, for which Open MPI has a table of its own. */
struct hs_mpi_choice hs_mpi_choose_counted(enum hs_library library, int64_t ranks, double bytes);
/* Steps, beyond one, that one waits of whose messages go all at once: LINEAR, SCATTERED, SYNC. */
double hs_mpi_waits(enum hs_mpi_algorithm algorithm, int64_t ranks);
/* As people write it: "recursive doubling, nodes first". Static text. */
const char *hs_mpi_choice_text(struct hs_mpi_choice choice);

#endif
