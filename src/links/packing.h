/*
 * packing.h - trees packed on a link graph (links.h) to its limit: how an allgather, a
 * reduce-scatter or an allreduce uses every link as much as it helps.
 *
 * Every root sends its block in shares, each along a tree of its own over all units; what a link
 * carries of all trees together is in proportion to what it can, and the busiest sets the time.
 * Fractional packings that are as fast as the narrowest cut allows always exist where what enters a
 * relay can leave it (Edmonds' branchings; edge splitting by Bang-Jensen, Frank and Jackson, SIAM
 * J. Discrete Math. 1995, which ForestColl, arXiv 2402.06787, brought to collectives). Where ways
 * are fixed (links.h) they may be slower than that; they are then the fastest of trees that go by
 * these ways.
 */
#ifndef HS_LINKS_PACKING_H
#define HS_LINKS_PACKING_H

#include "model/forests.h"

/* Packs trees for HS_ALLGATHER, HS_REDUCE_SCATTER or HS_ALLREDUCE; the same call gives the same
 * trees. Of one unit there are none. HS_INVALID: another phase, or units that are not joined.
 * HS_FAILED: the solver gave up. HS_MEMORY. */
enum hs_status hs_packing_make(struct hs_packing *packing, const struct hs_links *links,
                               enum hs_phase phase, struct hs_error *err);
/* The same of trees that are restricted to what is direct within groups of units that all have
 * links with each other, as few as there are, and from one unit to one between groups (Blink, SysML
 * 2018): a unit is reached from the one of its group that was reached first, or is it. */
enum hs_status hs_packing_make_groups(struct hs_packing *packing, const struct hs_links *links,
                                      enum hs_phase phase, struct hs_error *err);
/* Those groups, numbered from 0 on by their first unit; returns how many. */
int hs_packing_groups(int group_of[HS_LINKS_UNITS], const struct hs_links *links);
/* The same of rings, as trees that are chains: as many Hamiltonian ones, each in one direction, as
 * are found to have links of their own (what NCCL looks for; of some rate, of which the most is
 * carried together). Where there is none, one that passes relays (by hs_links_path), or even other
 * units. An allreduce's chains go on behind their root. Found by a search that ends after a number
 * of steps: of large graphs there may be more. */
enum hs_status hs_packing_make_rings(struct hs_packing *packing, const struct hs_links *links,
                                     enum hs_phase phase, struct hs_error *err);
/* What packs the trees that an algorithm goes by on single links; NULL: it has none. */
typedef enum hs_status hs_packing_function(struct hs_packing *packing, const struct hs_links *links,
                                           enum hs_phase phase, struct hs_error *err);
extern hs_packing_function *const hs_packing_functions[HS_ALGORITHM_COUNT];
/* How far each unit is from the root of a tree (its `up` or `down`); how far the furthest leaf
 * below it is. Both return the largest, which is the same. */
int hs_tree_depths(int depths[HS_LINKS_UNITS], const int *next, int units);
int hs_tree_heights(int heights[HS_LINKS_UNITS], const int *next, int units);
/* What passes from u to v on trees' ways, per byte of n: loads[u * V + v], V = hs_links_vertices.
 * */
void hs_packing_loads(double *loads, const struct hs_packing *packing,
                      const struct hs_links *links);
/* Sets seconds_per_byte from that. HS_MEMORY. */
enum hs_status hs_packing_time(struct hs_packing *packing, const struct hs_links *links,
                               struct hs_error *err);
/* Trees' parts pass in so many segments at most: enough to fill trees that are a few edges deep. */
#define HS_PACKING_SEGMENTS 64
/* None is so short that messages are what takes the time. */
#define HS_PACKING_SEGMENT_BYTES 8192
/* Of so many bytes (as seconds_per_byte): fewer where messages, which leave HS_MESSAGE_SECONDS
 * apart, would take longer than the links do. >= 1. */
double hs_packing_segments(const struct hs_packing *packing, double bytes);
#endif
