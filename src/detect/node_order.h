/*
 * node_order.h - which node is in which rack, and in what order nodes are numbered.
 *
 * Pure work on what the ranks have reported; placement.c collects the reports. What people should
 * know (something is uneven, or unknown) is appended to a note.
 */
#ifndef HS_MACHINE_NODE_ORDER_H
#define HS_MACHINE_NODE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define HS_NODE_NAME 128 /* bytes of a node's or rack's name with its NUL */

struct hs_node_place {
    /* As MPI_Get_processor_name says, or Slurm's name of the node where several say the same. */
    char host[HS_NODE_NAME];
    char rack[HS_NODE_NAME]; /* name of the leaf switch; "" = unknown */
    int64_t ranks;           /* ranks of the job on this node */
};

/* A node as its ranks report it. */
struct hs_node_report {
    struct hs_node_place place;
    /* SLURMD_NODENAME, where all its ranks have the same one; else "". Right under srun; below
     * other launchers often a copy of the batch node's. */
    char slurm_name[HS_NODE_NAME];
    int64_t first_rank; /* its lowest rank in the launcher's order */
    int64_t group_rank; /* working space of hs_nodes_sort: lowest rank of the rack */
    size_t index;       /* the caller's own; sorting does not change it */
};

/* Fills place.rack of all nodes, or of none: a rack that is known in part is no help in forming
 * layers. `node_list` and `topology` are Slurm's (slurm_topology.h); without any leaf switch in
 * there nothing is known and nothing is said. Else a node is found in the list
 *   1. by its host name, whole or up to the first dot, if all nodes are found so, each another one;
 *   2. by slurm_name, on the same condition (then it also becomes the host's name);
 *   3. not at all, and *note says why: one line, nothing is appended in the other cases.
 * Running out of memory is such a reason too. */
void hs_nodes_find_racks(struct hs_node_report *nodes, size_t count, const char *node_list,
                         const char *topology, struct hs_text *note);

/* Orders nodes by rack and by first rank; racks by their first rank. Returns the number of racks, 0
 * where they are unknown. */
int64_t hs_nodes_sort(struct hs_node_report *nodes, size_t count);

/* Whether every node has the same number of ranks. */
bool hs_nodes_even(const struct hs_node_report *nodes, size_t count);

/* Appends to *note what is uneven, nodes sorted: numbers of ranks per node, and of nodes per rack.
 * Remarks are separated by "; ". */
void hs_nodes_note_uneven(const struct hs_node_report *nodes, size_t count, struct hs_text *note);

/* Appends "; " where *note has text. */
void hs_note_separate(struct hs_text *note);

#endif
