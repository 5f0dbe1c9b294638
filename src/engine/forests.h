/*
 * forests.h - the trees that the ranks of a node carry phases out by, where links join them: packed
 * by one rank.
 */
#ifndef HS_ENGINE_FORESTS_H
#define HS_ENGINE_FORESTS_H

#include <mpi.h>

#include "engine/idle.h"
#include "model/forests.h"
#include "system/system.h"

/* Collective over `comm`, whose ranks all have the same system. Of what links join in its first
 * level, where they do and ranks fill nodes, by the one way that there is from rank to rank
 * (links.h, fixed_ways); else none, which is no failure. Rank 0 packs, the others get the trees,
 * but for their routes: no two processors need to count alike. The status is that of all ranks;
 * what fails leaves nothing. */
enum hs_status hs_forests_make(struct hs_forests *forests, const struct hs_system *system,
                               MPI_Comm comm, struct hs_idle *idle, struct hs_error *err);

#endif
