/*
 * traffic.h - how many messages of one step share a link, counted from where the blocks of a layer
 * lie.
 *
 * Layer (stride d, size p) of np processes consists of np / (d p) blocks of d p consecutive ranks
 * with d groups each. A step is one of
 *
 *  - a shift: in each block of `block` consecutive ranks every rank x sends to the rank `distance`
 *    further, around the block. A ring's step is the shift by d in blocks of d p; partners that
 *    exchange at the distance e are the shift by e in blocks of 2 e;
 *  - all to all: in each block of `block` ranks every rank sends to each other rank of its group,
 *    the ranks a multiple of `stride` away;
 *  - one way: in the first block alone, the one with rank 0, the first `stride` of each `every`
 *    ranks send to the rank `distance` further, if that is in the block: what goes out from the
 *    first ranks, or comes back to them over the same links.
 *
 * A child is a run of child_ranks consecutive ranks, the last of them may be a partial one. A
 * message leaves a child where it goes from a rank inside to one outside, and enters it as often.
 *
 * docs/model.md, section 3, has the formulas. All numbers are exact where at most 64 children,
 * block boundaries or periods of them matter, else the most that could be; none takes longer than
 * looking at these 64. Arguments: block divides np, the rest is >= 1.
 */
#ifndef HS_MODEL_TRAFFIC_H
#define HS_MODEL_TRAFFIC_H

#include <stdint.h>

#include "model/split.h"

/* Blocks that a rank of a ring can have on their way to its neighbour at once: how many steps the
 * executor posts ahead, and what the price of a ring counts with. */
#define HS_RING_DEPTH 8

/* Messages that a flow of the other executors has under way each way (engine/flow.h), at most. */
#define HS_WINDOW_MAX 64

/* What one more message costs a process, however short it is: LogGP's o and g (Alexandrov, Ionescu,
 * Schauser and Scheiman 1995). A guess within what one core does over today's networks, 1 to 5
 * million messages a second; never 0, or direct exchange would win everywhere. */
#define HS_MESSAGE_SECONDS 0.5e-6

/* Halving packs blocks up to this into one message a step, where there is room. */
#define HS_PACKED_BYTES 16384

/* A tree's segments: so many for each level of it, but none shorter than that. */
#define HS_TREE_SEGMENTS      16
#define HS_TREE_SEGMENT_BYTES 8192

/* Of two counts. */
static inline int64_t hs_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t hs_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Of two that are numbers; fmin and fmax ask, by a call each. */
static inline double hs_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double hs_greater(double a, double b)
{
    return a > b ? a : b;
}

struct hs_traffic {
    int64_t block;
    int64_t distance; /* of a shift, below block; 0: all to all */
    int64_t stride;   /* of all to all, divides block */
};

struct hs_traffic hs_traffic_ring(struct hs_layer layer);
/* Each place of a group sends to the one `places` further, around the group. */
static inline struct hs_traffic hs_traffic_shift(struct hs_layer layer, int64_t places)
{
    return (struct hs_traffic){layer.stride * layer.size, places * layer.stride, layer.stride};
}
/* Places that differ in the bit `places` alone exchange; 2 places divides the layer's size. */
static inline struct hs_traffic hs_traffic_exchange(struct hs_layer layer, int64_t places)
{
    return (struct hs_traffic){2 * places * layer.stride, places * layer.stride, layer.stride};
}
struct hs_traffic hs_traffic_all(struct hs_layer layer);

/* Most messages that leave any child at the same time, or enter it, through one of its `ports`
 * ports; 0 where none leaves a child at all. Ranks are assigned to ports in blocks: rank i of c to
 * the port q with q c / ports <= i < (q + 1) c / ports, rounded down. ports = 1: through the
 * child's whole link. */
int64_t hs_traffic_per_link(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                            int64_t ports);

/* Most messages that go from any child to any one other of the same unit, which is a run of
 * unit_ranks ranks, a multiple of child_ranks: what shares a link of a mesh. 0 where none goes to
 * another child of its unit. */
int64_t hs_traffic_per_pair(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                            int64_t unit_ranks);

/* Most hops of any ring of the layer that leave a child, of all its `size` hops; 0 where none does.
 */
int64_t hs_traffic_ring_hops(struct hs_layer layer, int64_t np, int64_t child_ranks);

#endif
