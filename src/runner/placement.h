/*
 * placement.h - where the ranks are: nodes, racks, and the order in which layers are formed.
 *
 * Nodes come from MPI_Comm_split_type(MPI_COMM_TYPE_SHARED), never from host names (several nodes
 * can share one, and one node can have several). Racks come from Slurm's topology where the job has
 * one (SLURM_JOB_NODELIST and `scontrol show topology`, asked by rank 0; the addresses a rank
 * inherits are those of the batch node and are used only where they differ from node to node: see
 * node_order.h). The communicator for measuring orders ranks by rack, node, and rank in the node.
 */
#ifndef HS_RUNNER_PLACEMENT_H
#define HS_RUNNER_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "detect/node_order.h"

/* Where the ranks are; the same on all ranks. */
struct hs_rank_order {
    MPI_Comm ordered;            /* all ranks of the job, by rack, node, rank; owned */
    struct hs_node_place *nodes; /* [node_count] in that order, owned */
    int *launched;               /* [np] the launcher's number of each rank of `ordered`, owned */
    int64_t node_count, rack_count; /* rack_count 0: unknown */
    bool even;                      /* every node has the same number of ranks */
    bool reordered;                 /* the order differs from that of the launcher */
    char note[512]; /* for people: what is uneven, unknown or was reordered; "" = nothing */
};

/* Collective over `world`. Where Slurm's controller does not answer it takes 5 s. HS_MEMORY, on all
 * ranks alike; then *order holds nothing. */
enum hs_status hs_rank_order_init(struct hs_rank_order *order, MPI_Comm world,
                                  struct hs_error *err);
/* Collective; {0} is allowed. */
void hs_rank_order_release(struct hs_rank_order *order);

#endif
