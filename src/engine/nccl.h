/*
 * nccl.h - what the engines `nccl` and `nccl-graph` tell beyond engine.h.
 */
#ifndef HS_ENGINE_NCCL_H
#define HS_ENGINE_NCCL_H

#include "engine/nccl_lanes.h"

/* Host time of what was issued since open. Local. */
struct hs_nccl_clock hs_nccl_engine_clock(const void *state);

#endif
