/*
 * forests.h - the trees that the ranks of a node carry phases out by, where links join them: packed
 * by one rank.
 */
#ifndef HS_ENGINE_FORESTS_H
#define HS_ENGINE_FORESTS_H

#include <mpi.h>

#include "engine/idle.h"
#include "model/algorithm.h"
#include "model/packing.h"
#include "model/system.h"

/* Phases that trees carry out: the first of the list. */
#define HS_FORESTS (HS_ALLREDUCE + 1)

/* Of the layer (1, units), by algorithm: packed trees, and rings that have links of their own, as
 * chains. Nothing where it is not by trees. */
struct hs_forests {
    int units; /* 0: no links are known */
    struct hs_packing of[HS_ALGORITHM_COUNT][HS_FORESTS];
};

/* Collective over `comm`, whose ranks all have the same system. Of what links join in its first
 * level, where they do and ranks fill nodes; else none, which is no failure. Rank 0 packs, the
 * others get the trees, but for their routes: no two processors need to count alike. The status is
 * that of all ranks; what fails leaves nothing. */
enum hs_status hs_forests_make(struct hs_forests *forests, const struct hs_system *system,
                               MPI_Comm comm, struct hs_idle *idle, struct hs_error *err);
/* The trees of a stage; NULL: it is not by any, or `forests` is. Local. */
const struct hs_packing *hs_forests_find(const struct hs_forests *forests, struct hs_stage_key key);
void hs_forests_release(struct hs_forests *forests);

#endif
