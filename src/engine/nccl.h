/*
 * nccl.h - what the engines `nccl` and `nccl-graph` tell beyond engine.h.
 */
#ifndef HS_ENGINE_NCCL_H
#define HS_ENGINE_NCCL_H

#include "engine/nccl_api.h"
#include "engine/nccl_lanes.h"

/* Sets NCCL's environment, as far as it is unset, so that ranks may share a GPU; before any
 * communicator is made. `mates`: all ranks have this one. Local. HS_MEMORY. */
enum hs_status hs_nccl_allow_sharing(const struct hs_nccl_api *api, int rank, bool mates,
                                     struct hs_error *err);

/* Host time of what was issued since open. Local. */
struct hs_nccl_clock hs_nccl_engine_clock(const void *state);

#endif
