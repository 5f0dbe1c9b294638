/*
 * The library's own collectives, among the ranks of a group. What they run and take is the
 * library's rule (library/price_native.h); where none is known, or figures are fitted to measured
 * times, they are priced in the ring's shape.
 */
#include "model/steps.h"

static void price_native(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    hs_algorithm_RING.price(price, system, ranks);
}

const struct hs_algorithm_row hs_algorithm_NATIVE = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE |
              1U << HS_EXCHANGE | 1U << HS_PAIR,
    .uneven = true,
    .by_bytes = hs_steps_by_bytes,
    .price = price_native,
};
