/*
 * nccl_packing.h - packed plans of the nccl backend: the larger side brought into the order of the
 * layers before a reduce-scatter, or out of it behind an allgather, by kernels on lane 0.
 *
 * Blocks of a reversed message lie by the digits of their ranks the other way round (collective.h),
 * so each pass brings the outermost digit left to where the innermost is: one pass fewer than
 * layers. Passes alternate between the output and the buffer between the layers and end in the
 * output; what a reduce-scatter leaves, or an allgather takes, is one block, which is copied to its
 * place by itself. Of work that is not packed nothing is done.
 */
#ifndef HS_ENGINE_NCCL_PACKING_H
#define HS_ENGINE_NCCL_PACKING_H

#include "engine/cuda_kernels.h"
#include "engine/nccl_lanes.h"

/* Puts a regrouping of runs (cuda_kernels.h) on a stream, and does not wait. HS_FAILED, with CUDA's
 * error. */
enum hs_status hs_nccl_regroup(char *to, const char *from, struct hs_cuda_runs runs,
                               cudaStream_t stream, struct hs_error *err);

/* Before the stages. `run` is the work as asked for, and becomes what the stages run in its place:
 * with the packed message as its input, or with what is between as its output where an odd number
 * of passes follows. Needs the room that hs_nccl_lanes_short asks for. HS_FAILED. */
enum hs_status hs_nccl_pack(struct hs_work *run, const struct hs_nccl_lanes *lanes,
                            struct hs_error *err);
/* Behind the stages: what is in the output of `run` to where `asked` has it. HS_FAILED. */
enum hs_status hs_nccl_unpack(const struct hs_work *run, const struct hs_work *asked,
                              const struct hs_nccl_lanes *lanes, struct hs_error *err);

#endif
