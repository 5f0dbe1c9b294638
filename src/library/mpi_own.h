/*
 * mpi_own.h - the algorithms that MPI libraries have for their own blocking calls, as far as they
 * can be forced on them one by one.
 *
 * Open MPI (4.1 and 5.0, coll/tuned: `ompi_info --all | grep coll_tuned`): the number is the value
 * of coll_tuned_CALL_algorithm, and stands in a rules file; sparbit is 5.0's alone. MPICH (4.0 and
 * 5.0, each of which has numbers of its own): the number is the value of
 * MPIR_CVAR_CALL_INTRA_ALGORITHM, and what is called stands in its table of algorithms (JSON); its
 * device (ch4) does not choose then. Left out: what takes two ranks alone, nonblocking calls, and
 * of MPICH what 5.0 has and 4.0 has not.
 */
#ifndef HS_LIBRARY_MPI_OWN_H
#define HS_LIBRARY_MPI_OWN_H

#include <stdint.h>

#include "model/collective.h"
#include "system/library.h"

struct hs_mpi_own {
    enum hs_library library;
    enum hs_collective collective;
    const char *name;   /* in a result; no two are the same */
    const char *called; /* MPICH: behind MPIR_Allreduce_intra_; NULL: as its table says */
    int number;
    int number_of_5;       /* MPICH 5.0's; of Open MPI the same as the number */
    int64_t segment_bytes; /* 0: whole messages */
};

/* [hs_mpi_own_count] */
extern const struct hs_mpi_own hs_mpi_own[];
extern const int hs_mpi_own_count;

/* NULL: there is none of that name. */
const struct hs_mpi_own *hs_mpi_own_find(const char *name);

/* How the libraries' settings write a collective: "reduce_scatter_block". */
extern const char *const hs_mpi_own_calls[HS_COLLECTIVE_COUNT];

#endif
