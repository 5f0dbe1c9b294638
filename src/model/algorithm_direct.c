/* The price of a direct exchange on the ring's links: one latency in place of p - 1. */
#include "model/price.h"

static bool admits(int64_t size)
{
    return size <= 32;
}

static void price(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    hs_algorithm_RING.price(price, system, ranks);
    if (price->steps > 0)
        price->line.latency_seconds /= (double)(price->key.layer.size - 1);
}

const struct hs_algorithm_row hs_algorithm_DIRECT = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .admits = admits,
    .price = price,
};
