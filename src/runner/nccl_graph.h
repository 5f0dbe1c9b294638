/*
 * nccl_graph.h - plans captured as CUDA graphs, so that a run is one launch.
 */
#ifndef HS_RUNNER_NCCL_GRAPH_H
#define HS_RUNNER_NCCL_GRAPH_H

#include "base/error.h"
#include "model/plan.h"
#include "runner/nccl_plan.h"

struct hs_nccl_graph {
    struct hs_plan plan;
    cudaGraphExec_t exec; /* NULL: not captured (any more) */
    struct hs_nccl_graph *next;
};

/* {NULL} has none. */
struct hs_nccl_graphs {
    struct hs_nccl_graph *first;
};

/* Local; NULL where there is none. */
struct hs_nccl_graph *hs_nccl_graphs_find(const struct hs_nccl_graphs *graphs,
                                          const struct hs_plan *plan);
/* Captures a plan whose communicators have been at work once (what NCCL sets up at a first call is
 * not for a capture). Nothing runs. Local, but all ranks must capture the same plans in the same
 * order. */
enum hs_status hs_nccl_graphs_capture(struct hs_nccl_graphs *graphs, struct hs_nccl_lanes *lanes,
                                      const struct hs_plan *plan, struct hs_error *err);
/* Drops what was captured with communicators that are gone; the plans stay listed. */
void hs_nccl_graphs_drop(struct hs_nccl_graphs *graphs);
void hs_nccl_graphs_release(struct hs_nccl_graphs *graphs);

#endif
