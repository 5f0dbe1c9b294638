/*
 * neutral_system.h - a description of the machine made from nothing but where the ranks are.
 *
 * It knows the shape: which ranks share a node, which nodes share a leaf switch. Its figures are
 * placeholders, the same for a rank's way into its node, a node's into its rack and a rack's into
 * the spine. They say nothing of the machine: a calibration (calibration.h) starts from them and
 * replaces them, and the lazy search (lazy_planner.h) takes no bound from them.
 */
#ifndef HS_MACHINE_NEUTRAL_SYSTEM_H
#define HS_MACHINE_NEUTRAL_SYSTEM_H

#include <stdint.h>

#include "base/error.h"
#include "detect/node_order.h"
#include "system/system.h"

#define HS_NEUTRAL_NAME "neutral" /* of the system */

/* nodes[node_count] in the order of their ranks, at least one rank each (struct hs_rank_order).
 *
 * Levels, from the inside out: `node` where a node has several ranks; `rack` and `spine` where the
 * nodes lie in several racks of several nodes each, else `network` where there are several nodes.
 * The outermost level is open, so the description serves more processes of the same shape.
 *
 * Levels have one arity. Where the nodes are uneven (racks likewise), that of the first is taken if
 * only the last is smaller, which is what the ranks in their order then really fill; else the
 * level is left out, since ranks would be put where they are not. *out is owned by the caller
 * (hs_system_release). HS_MEMORY; *out is then {0}. */
enum hs_status hs_neutral_system(struct hs_system *out, const struct hs_node_place *nodes,
                                 int64_t node_count, struct hs_error *err);

#endif
