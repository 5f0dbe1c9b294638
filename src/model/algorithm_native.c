/*
 * The library's own collective: by whatever rule it has. Priced as the ring, which libraries go by
 * for long messages and which every figure of a backend of theirs is said to be, until a
 * measurement says more; so a search that knows none leaves it alone.
 */
#include "model/price.h"

static void price_native(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    hs_algorithm_RING.price(price, system, ranks);
}

const struct hs_algorithm_row hs_algorithm_NATIVE = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .uneven = true,
    .price = price_native,
};
