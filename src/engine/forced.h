/*
 * forced.h - the MPI library's calls by one of its algorithms (library/mpi_own.h), forced on it
 * by its tool interface while the process runs.
 *
 * Open MPI takes what coll_tuned_CALL_algorithm says when a communicator is made, if
 * coll_tuned_use_dynamic_rules was set before MPI_Init (hs_forced_allow): each algorithm has a
 * communicator. MPICH looks at its variables in each call.
 */
#ifndef HS_ENGINE_FORCED_H
#define HS_ENGINE_FORCED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/layer_comms.h"

/* {0}: none is there. */
struct hs_forced {
    struct hs_forced_comm *comms; /* [count] owned */
    size_t count;
};

/* Before MPI_Init: algorithms are going to be forced. Changes the environment of this process. */
void hs_forced_allow(void);
/* Local. Whether the library that is there has the algorithm, and lets itself be told. */
bool hs_forced_has(int algorithm);

/* Collective over `comms`. What to call on in place of `like` for the algorithm of that number of
 * hs_mpi_own: made at the first call, and `forced`'s. HS_MEMORY; HS_FAILED of MPI. */
enum hs_status hs_forced_get(MPI_Comm *comm, struct hs_forced *forced, int algorithm, MPI_Comm like,
                             struct hs_layer_comms *comms, struct hs_error *err);
/* Local. Before and behind calls on it. */
void hs_forced_call(int algorithm, bool begins);
/* Collective. */
void hs_forced_release(struct hs_forced *forced);

#endif
