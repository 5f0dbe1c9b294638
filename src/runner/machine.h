/*
 * machine.h - what the nodes of a run are made of: looked at once, before the measurements.
 */
#ifndef HS_MEASURE_MACHINE_H
#define HS_MEASURE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/result.h"
#include "runner/placement.h"
#include "runner/ranks.h"

/* Rank 0's; empty on the others. */
struct hs_machine {
    char **kinds; /* [kind_count] owned: each kind of node as in a result file, no hosts */
    size_t kind_count;
    size_t *kind_of_node; /* [order.node_count] owned */
    char driver[80];      /* NVIDIA's on rank 0's node; "": none */
    char *proposed;       /* owned; the first kind's proposed system; NULL: none */
};

/* Collective over `ranks`, which are order->ordered. The first rank of each node reads it
 * (hs_node_read), rank 0 keeps them. `propose`: with the system that is proposed from a node with
 * GPUs. HS_MEMORY; what cannot be found out about a node is in its notes. */
enum hs_status hs_machine_look(struct hs_machine *machine, const struct hs_rank_order *order,
                               struct hs_ranks *ranks, bool propose, struct hs_error *err);
/* Adds the kinds, with the names of their hosts. HS_MEMORY. */
enum hs_status hs_machine_report(struct hs_result *result, const struct hs_machine *machine,
                                 const struct hs_rank_order *order, struct hs_error *err);
void hs_machine_release(struct hs_machine *machine);

#endif
