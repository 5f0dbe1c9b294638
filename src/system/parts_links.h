/*
 * parts_links.h - nodes of a line of parts whose GPUs single links join (links.h). Internal to
 * model, but for figures that detect/node_links.c shares.
 */
#ifndef HS_MODEL_PARTS_LINKS_H
#define HS_MODEL_PARTS_LINKS_H

#include "library/library_nccl.h"
#include "links/links.h"
#include "system/parts.h"

/* A way over PCIe takes NCCL's step: half of it at each end, and next to nothing in between. */
#define HS_PCIE_END_SECONDS (HS_NCCL_PCIE_STEP_SECONDS / 2)
#define HS_RELAY_SECONDS    0.1e-6

/* Whether such GPUs, so many, can be joined so. HS_INVALID: what can. */
enum hs_status hs_parts_check_wiring(const struct hs_parts *parts, struct hs_error *err);
/* The graph of a node whose wiring is checked, and is not HS_WIRED_EVENLY: GPUs, PCIe switches,
 * CPUs, in this order. HS_MEMORY: it is {0}. */
enum hs_status hs_parts_links(struct hs_links *links, const struct hs_parts *parts,
                              struct hs_error *err);
/* What its rates and who is joined are from. */
const char *hs_parts_links_source(const struct hs_parts *parts);

#endif
