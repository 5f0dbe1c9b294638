/*
 * nccl_state.h - what the backends `nccl` and `nccl-graph` hold on one rank: memory, communicators,
 * streams.
 */
#ifndef HS_RUNNER_NCCL_STATE_H
#define HS_RUNNER_NCCL_STATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/plan.h"
#include "runner/backend.h"
#include "runner/idle.h"
#include "runner/nccl_comms.h"
#include "runner/nccl_device.h"
#include "runner/nccl_graph.h"
#include "runner/nccl_plan.h"

struct hs_nccl_state {
    const struct hs_nccl_api *api;
    MPI_Comm world; /* a duplicate */
    int rank, np;
    struct hs_idle idle;
    struct hs_nccl_device device;
    struct hs_nccl_comms comms;
    struct hs_nccl_lanes lanes;
    struct hs_nccl_graphs graphs;
    bool with_graphs;
    bool broken;               /* until recover: on this rank something failed */
    struct hs_plan last;       /* what ran or was prepared last; split.count 0: no plan */
    bool own_memory;           /* from ncclMemAlloc */
    size_t room;               /* elements that fit: count and the padding of any plan */
    unsigned long long *wrong; /* device */
    double device_seconds;
};

/* Collective over config->world; the status is that of all ranks. On failure *out is NULL. Buffers
 * come from ncclMemAlloc where NCCL has it, and the input holds the pattern. */
enum hs_status hs_nccl_state_new(struct hs_nccl_state **out, const struct hs_backend_config *config,
                                 bool with_graphs, struct hs_error *err);
/* Collective. A broken state's communicators are aborted. */
void hs_nccl_state_free(struct hs_nccl_state *state);
/* Local. Waits until lane 0 is empty. */
enum hs_status hs_nccl_state_drain(struct hs_nccl_state *state, struct hs_error *err);

#endif
