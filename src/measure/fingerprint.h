/*
 * fingerprint.h - what must be the same for a run to go on from another's journal.
 */
#ifndef HS_MEASURE_FINGERPRINT_H
#define HS_MEASURE_FINGERPRINT_H

#include <stddef.h>

#include "base/error.h"
#include "measure/campaign.h"
#include "runner/journal.h"

#define HS_FINGERPRINT_FACTS 16

struct hs_fingerprint {
    struct hs_journal_fact facts[HS_FINGERPRINT_FACTS];
    size_t count;
};

/* np, backend, size, dtype, op, nodes, system, seed (null), versions of hiersearch and MPI; where
 * the messages lie (host, mpi); where they are on GPUs the GPU's name, the driver, and with the
 * nccl backends NCCL's version. Which candidates are measured may change between the runs.
 * HS_MEMORY. */
enum hs_status hs_fingerprint_take(struct hs_fingerprint *print, const struct hs_campaign *campaign,
                                   struct hs_error *err);
void hs_fingerprint_release(struct hs_fingerprint *print);

#endif
