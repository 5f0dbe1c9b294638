/*
 * buffers.h - whether a run's messages lie in host memory or in that of GPUs (--buffers).
 */
#ifndef HS_RUNNER_BUFFERS_H
#define HS_RUNNER_BUFFERS_H

#include "base/error.h"
#include "engine/engine.h"
#include "model/backends.h"
#include "runner/ranks.h"

/* What to give as hs_bench_config's `memory`; NULL: host memory. Collective, the same on all ranks;
 * where it is GPU memory, a GPU is current in every process.
 *
 * `auto` is GPU memory where every rank has a GPU of its own (or HIERSEARCH_SHARED_GPU=1) and the
 * backend can use it: host always, mpi where the MPI library takes GPU pointers. HS_INVALID where
 * `device` cannot be had, with the reason, and where a choice is asked of a backend that has none.
 */
enum hs_status hs_buffers_choose(const struct hs_memory **memory, const struct hs_backend *backend,
                                 enum hs_buffers wanted, struct hs_ranks *ranks,
                                 struct hs_error *err);

#endif
