/*
 * rings.h - how many rings of a layer share a link, and how many of a ring's hops leave a child,
 * counted from where the layer's blocks lie.
 *
 * Layer (stride d, size p) of np processes consists of np / (d p) blocks of d p consecutive ranks
 * with d rings each. Rank r of a block sends to r + d, its last d ranks send back to the beginning
 * of their ring. A child is a run of child_ranks consecutive ranks, the last of them may be a
 * partial one. A ring leaves a child where it goes from a rank inside to one outside, and enters it
 * as often.
 *
 * docs/model.md, section 3, has the formulas. All numbers are exact where at most 64 children,
 * block boundaries or periods of them matter, else the most that could be; none takes longer than
 * looking at these 64. Arguments: stride * size divides np, the rest is >= 1.
 */
#ifndef HS_MODEL_RINGS_H
#define HS_MODEL_RINGS_H

#include <stdint.h>

#include "model/split.h"

/* Blocks that a rank of a ring can have on their way to its neighbour at once: how many steps the
 * executor posts ahead, and what the price of a ring counts with. */
#define HS_RING_DEPTH 8

/* Most rings that leave any child at the same time, or enter it, through one of its `ports` ports;
 * 0 where no ring leaves a child at all. Ranks are assigned to ports in blocks: rank i of c to the
 * port q with q c / ports <= i < (q + 1) c / ports, rounded down. ports = 1: through the child's
 * whole link. */
int64_t hs_rings_per_link(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t ports);

/* Most rings that go from any child to any one other of the same unit, which is a run of unit_ranks
 * ranks, a multiple of child_ranks: what shares a link of a mesh. 0 where no ring goes to another
 * child of its unit. */
int64_t hs_rings_per_pair(struct hs_layer layer, int64_t np, int64_t child_ranks,
                          int64_t unit_ranks);

/* Most hops of any ring that leave a child, of all its `size` hops; 0 where none does. */
int64_t hs_ring_hops(struct hs_layer layer, int64_t np, int64_t child_ranks);

#endif
