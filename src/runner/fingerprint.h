/*
 * fingerprint.h - what must be the same for a run to go on from another's journal.
 */
#ifndef HS_MEASURE_FINGERPRINT_H
#define HS_MEASURE_FINGERPRINT_H

#include "base/error.h"
#include "runner/campaign.h"
#include "runner/journal.h"

/* np, backend, size, dtype, op, collective with its order (of a calibration an AllReduce), nodes,
 * system, seed (null), versions of hiersearch and MPI; where the messages lie (host, mpi); where
 * they are on GPUs the GPU's name, the driver, and with the nccl backends NCCL's version and the
 * variables NCCL_* but NCCL_DEBUG*. Which candidates are measured may change between the runs.
 * HS_MEMORY; it is to be released in any case. */
enum hs_status hs_fingerprint_take(struct hs_journal_run *run, const struct hs_campaign *campaign,
                                   struct hs_error *err);

#endif
