/*
 * price_nccl_parts.h - what the prices of runs and those of calls share. Internal to price_nccl.
 */
#ifndef HS_LIBRARY_PRICE_NCCL_PARTS_H
#define HS_LIBRARY_PRICE_NCCL_PARTS_H

#include "library/price_nccl.h"

/* Blocks of a kernel that are at work at the same time. */
double hs_nccl_blocks_at_work(const struct hs_nccl_graph *graph, const struct hs_gpu_blocks *known);
/* Adds `times` the seconds of what runs on each machine. What of it does not depend on the bytes is
 * kept by shape and choice, and by the `stride` that the shape's share of the network is of; 0: it
 * has all. NaN: out of memory. */
void hs_nccl_add_each(double *seconds, const struct hs_nccl_machines *machines,
                      const struct hs_nccl_run *run, int64_t stride, double times);

#endif
