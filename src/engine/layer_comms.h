/*
 * layer_comms.h - the ranks of layers, and communicators of layers: made once per (stride, size),
 * shared by all plans. Groups of a mesh have them, too, for the library's calls.
 *
 * Layer (d, p) of np ranks has groups {b + k d : k < p}; a rank's place k in its group is
 * (rank / d) mod p, and rank k of the layer's communicators is place k.
 *
 * Only the library's collectives need communicators. Messages of our own go to ranks of `world`:
 * where ranks outnumber cores, MPI_Comm_split took MPICH 40 ms on 4 ranks and 120 ms on 8.
 */
#ifndef HS_ENGINE_LAYER_COMMS_H
#define HS_ENGINE_LAYER_COMMS_H

#include <mpi.h>

#include "base/error.h"
#include "engine/idle.h"
#include "model/group.h"

struct hs_layer_comm {
    struct hs_layer layer; /* of a group: its innermost stride, and its size */
    struct hs_group group; /* the same as a group, which a gap may go through */
    /* Reduce-scatter and allreduce on one, allgather on the other: with chunks in flight the two
     * kinds start in different orders on different ranks, and collectives on one communicator may
     * not. */
    MPI_Comm reduce, gather;
    struct hs_layer_comm *next;
};

/* Rank of the process at place `place` (taken modulo the layer's size) of the group that `rank` is
 * in. */
int hs_layer_rank(struct hs_layer layer, int rank, int place);
/* The place of `rank` in its group. */
int hs_layer_place(struct hs_layer layer, int rank);

struct hs_layer_comms {
    MPI_Comm world; /* a duplicate: none of our messages meets the caller's */
    int rank, np;
    struct hs_idle idle; /* how to wait on this machine */
    struct hs_layer_comm *first;
};

/* Collective over `world`. Errors on the duplicate and its children are returned (mpi_status.h).
 * HS_FAILED of MPI; release it all the same. */
enum hs_status hs_layer_comms_init(struct hs_layer_comms *comms, MPI_Comm world,
                                   struct hs_error *err);
/* The same on `world` itself, which is theirs from then on. */
enum hs_status hs_layer_comms_take(struct hs_layer_comms *comms, MPI_Comm world,
                                   struct hs_error *err);
/* Collective. The layer's communicators, made at the first call; stride * size must divide np. They
 * belong to `comms`. HS_MEMORY, on all ranks alike; HS_FAILED of MPI. */
enum hs_status hs_layer_comms_get(const struct hs_layer_comm **out, struct hs_layer_comms *comms,
                                  struct hs_layer layer, struct hs_error *err);
/* The same of all groups of a mesh at once, of np ranks: rank k of them is place k. */
enum hs_status hs_layer_comms_of_group(const struct hs_layer_comm **out,
                                       struct hs_layer_comms *comms, const struct hs_group *group,
                                       struct hs_error *err);
/* Collective; {0} is allowed. */
void hs_layer_comms_release(struct hs_layer_comms *comms);

/* Collective: the worst status of all ranks, so that they go on or give up together. A rank whose
 * own status was HS_OK gets a message that names the lowest rank that failed. */
enum hs_status hs_agree(MPI_Comm world, struct hs_idle *idle, enum hs_status mine,
                        struct hs_error *err);

#endif
