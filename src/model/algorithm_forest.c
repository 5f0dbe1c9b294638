/*
 * What goes by the single links of a node's units: packed trees, and groups that are fully joined
 * (graph.h prices both, as it does rings there). Elsewhere there is nothing to pack, and they cost
 * what a ring would.
 */
#include "model/steps.h"
#include "system/links.h"

#define PHASES (1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR)

static bool admits_units(int64_t size)
{
    return size <= HS_LINKS_UNITS;
}

static void price_ring(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    hs_algorithm_RING.price(price, system, ranks);
}

const struct hs_algorithm_row hs_algorithm_FOREST = {.phases = PHASES,
                                                     .uneven = true,
                                                     .on_links = true,
                                                     .admits = admits_units,
                                                     .price = price_ring};
const struct hs_algorithm_row hs_algorithm_GROUPS = {.phases = PHASES,
                                                     .uneven = true,
                                                     .on_links = true,
                                                     .admits = admits_units,
                                                     .price = price_ring};
