/*
 * system_parts.h - the levels of a machine that is given by its parts (parts.h). Internal to model.
 */
#ifndef HS_SYSTEM_SYSTEM_PARTS_H
#define HS_SYSTEM_SYSTEM_PARTS_H

#include "system/system.h"

/* Whether the text begins as a line of parts does: COUNT "x" LETTER. */
bool hs_parts_begin(const char *text);
/* Fills {0} of a line of parts, without a name: GPUs as level "nvlink", "pcie" or "xgmi"; with NICs
 * what they lead to as one more level that is open, or that of NODES and the open level "spine"
 * where the line says so. Rates are effective ones: NCCL's or RCCL's per link, and
 * HS_NIC_EFFICIENCY of a NIC's line rate; latencies and the cost of a launch of NCCL (2.28.9,
 * src/graph/tuning.cc, ring, Simple) or RCCL (the same file), between hosts without GPUs guesses.
 * The system has parts where NCCL runs; else its stages are rings, priced by the levels.
 * HS_INVALID: what was expected. */
enum hs_status hs_system_of_parts(struct hs_system *system, const char *text, struct hs_error *err);

#endif
