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
 * With han, which 5.0 prefers to it, an allreduce goes by nodes as MPICH's does, between them by
 * coll/tuned. Not followed: what else han does, and ucc.
 */
#ifndef HS_LIBRARY_LIBRARY_MPI_H
#define HS_LIBRARY_LIBRARY_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stage.h"
#include "system/library.h"

/* name, text, meaning */
/* clang-format off */
#define HS_MPI_ALGORITHMS(row)                                                              \
    row(RING, "ring", "p - 1 steps to the next rank; an allreduce twice")                   \
    row(HALVING, "halving", "recursive halving, or doubling: Rabenseifner's allreduce")     \
    row(DOUBLING, "doubling", "all bytes to a partner twice as far each step")              \
    row(TREE, "tree", "binomial trees: all bytes to the root, and back; allreduce")         \
    row(BRUCK, "bruck", "doubling around the ranks, any number; allgather, all-to-all")         \
    row(PAIRWISE, "pairwise", "a block to each other rank, one after the other")            \
    row(LINEAR, "linear", "a block to each other rank, all at once")                        \
    row(SCATTER, "scatter", "a binomial tree to one rank, who sends each its block")        \
    row(ROOT, "root", "all to one rank, one after the other, who sends each its block")     \
    row(NEIGHBOR, "neighbor", "two blocks to the rank on either side in turn; allgather")   \
    row(BUTTERFLY, "butterfly", "halving with the nearest first, blocks in order at the end") \
    row(BITS, "bits", "pairwise of a power of two: with whose number differs by 1, 2, 3 ...") \
    row(SCATTERED, "scattered", "a block to each other rank, 32 of them at once; all-to-all") \
    row(SYNC, "sync", "as linear, each send waits to be received; all-to-all")
/* clang-format on */

enum hs_mpi_algorithm {
#define HS_ROW(name, text, meaning) HS_MPI_##name,
    HS_MPI_ALGORITHMS(HS_ROW)
#undef HS_ROW
        HS_MPI_ALGORITHM_COUNT
};
extern const char *const hs_mpi_algorithm_names[HS_MPI_ALGORITHM_COUNT];

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
/* The same beyond the nearest size at which the library switches, which sites and devices move: by
 * up to 4 times, by 16 where the rule is not the library's own but that of what it was made from.
 * Of what it chooses at so many times the bytes and at one such part of them the first that is
 * another algorithm; else the same. */
struct hs_mpi_choice hs_mpi_choose_otherwise(enum hs_library library, enum hs_phase phase,
                                             int64_t ranks, int64_t tasks, double bytes,
                                             double elements);
/* Of an MPI_Reduce_scatter with equal counts, for which Open MPI has a table of its own. */
struct hs_mpi_choice hs_mpi_choose_counted(enum hs_library library, int64_t ranks, double bytes);
/* Steps, beyond one, that one waits of whose messages go all at once: LINEAR, SCATTERED, SYNC. */
double hs_mpi_waits(enum hs_mpi_algorithm algorithm, int64_t ranks);
/* As people write it: "recursive doubling, nodes first". Static text. */
const char *hs_mpi_choice_text(struct hs_mpi_choice choice);

#endif
