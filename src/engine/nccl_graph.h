/*
 * nccl_graph.h - work captured as CUDA graphs, so that a run is one launch.
 */
#ifndef HS_ENGINE_NCCL_GRAPH_H
#define HS_ENGINE_NCCL_GRAPH_H

#include "base/error.h"
#include "engine/nccl_lanes.h"

struct hs_nccl_graph {
    struct hs_task task;
    struct hs_work work;  /* whose task is the one above */
    cudaGraphExec_t exec; /* NULL: not captured (any more) */
    struct hs_nccl_graph *next;
};

/* {NULL} has none. */
struct hs_nccl_graphs {
    struct hs_nccl_graph *first;
};

/* Local; the same task on the same buffers; NULL where there is none. */
struct hs_nccl_graph *hs_nccl_graphs_find(const struct hs_nccl_graphs *graphs,
                                          const struct hs_work *work);
/* Captures work whose communicators have been at work once (what NCCL sets up at a first call is
 * not for a capture). Nothing runs. Local, but all ranks must capture the same in the same order.
 */
enum hs_status hs_nccl_graphs_capture(struct hs_nccl_graphs *graphs, struct hs_nccl_lanes *lanes,
                                      const struct hs_work *work, struct hs_error *err);
/* Drops what was captured with communicators that are gone; the work stays listed. */
void hs_nccl_graphs_drop(struct hs_nccl_graphs *graphs);
void hs_nccl_graphs_release(struct hs_nccl_graphs *graphs);

#endif
