/* The price of halving and doubling on the ring's links: ceil(lg p) latencies in place of p - 1. */
#include <math.h>

#include "model/price.h"

static void price(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    hs_algorithm_RING.price(price, system, ranks);
    if (price->steps > 0)
        price->line.latency_seconds *=
            ceil(log2((double)price->key.layer.size)) / (double)(price->key.layer.size - 1);
}

const struct hs_algorithm_row hs_algorithm_HALVING = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .price = price,
};
