/*
 * ticks.h - layer times as whole numbers, so that sums are exact and equal costs tie.
 *
 * The time of a plan with C chunks is (library/price_plan.h)
 *
 *     T = sum_i t_i + (C - 1) max_l sum_i o_il t_i  =  max_l sum_i (1 + (C - 1) o_il) t_i
 *
 * with t_i the layer's time for n / C bytes and o_il its occupancy of level l: the largest of a few
 * sums over layers, one per level, and one of the GPUs' processors where what they take is known
 * (hs_system_paces). So an edge of the lattice has one weight per level (one in all
 * where C = 1), and a plan's ticks are the largest component of the sum of its edges' weights.
 *
 * The bandwidth part beta m (p - 1) / p of layer (d, p) is taken as the difference of two rounded
 * numbers, at d and at d p, so that layers of the same beta telescope exactly: 4x8x4 and 4x4x8
 * inside one level tie.
 */
#ifndef HS_SEARCH_TICKS_H
#define HS_SEARCH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "library/price_plan.h"
#include "search/lattice.h"
#include "search/request.h"

typedef int64_t hs_ticks; /* the one typedef of the project: a unit, as size_t is */

/* No layer weighs more: what would is slower than the best plan by a factor of 2^15 or more, and
 * all such layers count alike. So no sum of HS_LAYERS_MAX weights reaches 2^62. */
#define HS_TICKS_LONGEST ((hs_ticks)1 << 56)

/* A tick in seconds, a power of two: 2^-55 or less of the slowest layer, fits included, and 2^-40
 * or less of the shortest path. request->chunks is not NULL; prices of the lattice's edges by
 * rings, all finite: other algorithms are only taken where they are faster, some hundred times at
 * most, or, with chunks, weigh less on some level and no more than as many times on the others.
 * HS_MEMORY. */
enum hs_status hs_tick_choose(double *tick_seconds, const struct hs_search_request *request,
                              const struct hs_lattice *lattice, const struct hs_stage_price *prices,
                              struct hs_error *err);

/* Components of a weight: 1 without chunks, else hs_system_paces. */
int hs_weight_components(const struct hs_system *system, int chunks);

/* Weight of a stage, or a pair, for the problem's bytes in `chunks` chunks. */
void hs_stage_weight(hs_ticks *weight, int components, const struct hs_stage_price *price,
                     const struct hs_problem *problem, int chunks, double tick_seconds);

/* Whether a plan is offered: where stages are calls of NCCL's one of one stage in the fewest chunks
 * asked for alone. */
bool hs_plan_is_offered(const struct hs_search_request *request, const struct hs_plan *plan);
/* How many plans of so many chunks are not, at most. */
size_t hs_plans_not_offered(const struct hs_search_request *request, int chunks);
/* Prices of all edges of a lattice by rings, for the bytes that enter them where one chunk alone is
 * asked for, else for any: [edge_count], owned by the caller (free); NULL when out of memory. */
struct hs_stage_price *hs_lattice_prices(const struct hs_lattice *lattice,
                                         const struct hs_search_request *request);

#endif
