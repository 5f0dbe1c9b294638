/*
 * Recursive halving's and doubling's traffic: lg p steps, near ones with many blocks, far ones with
 * few. Sizes that are no power of two go around (nonuniform Bruck: no process is folded away).
 */
#include "model/steps.h"

/* Step k exchanges what lies an odd multiple of 2^k away: (p - 1 + 2^k) / 2^(k + 1) blocks. The
 * inward steps are the outward ones backwards, their links as busy the other way. */
static void price_halving(struct hs_stage_price *price, const struct hs_system *system,
                          int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    int64_t size = price->key.layer.size;
    bool is_power = (size & (size - 1)) == 0;

    for (int64_t places = 1; places < size; places *= 2) {
        struct hs_traffic traffic = is_power ? hs_traffic_exchange(price->key.layer, places)
                                             : hs_traffic_shift(price->key.layer, places);

        int64_t blocks = (size - 1 + places) / (2 * places);

        hs_steps_add(&steps, &traffic, (double)blocks);
    }
    hs_steps_finish(&steps);
}

const struct hs_algorithm_row hs_algorithm_HALVING = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .price = price_halving,
};
