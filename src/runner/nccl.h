/*
 * nccl.h - what the backends `nccl` and `nccl-graph` tell beyond backend.h.
 */
#ifndef HS_RUNNER_NCCL_H
#define HS_RUNNER_NCCL_H

#include "runner/backend.h"
#include "runner/nccl_plan.h"

/* Host time of what was issued since open. Local. */
struct hs_nccl_clock hs_nccl_backend_clock(const void *state);
/* "NCCL 2.28.9, NVIDIA H100 80GB HBM3", and whether ranks share GPUs (then no time means anything).
 * Local. */
void hs_nccl_backend_describe(const void *state, char *text, size_t bytes);

#endif
