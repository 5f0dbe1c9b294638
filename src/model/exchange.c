#include "model/exchange.h"

#include <math.h>

#include "model/steps.h"

int64_t hs_exchange_blocks(int64_t size, int bit)
{
    int64_t half = (int64_t)1 << bit, whole = size / (2 * half), rest = size % (2 * half);

    return whole * half + hs_larger(0, rest - half);
}

/* All messages together keep the busiest link as busy as those of direct exchange do. */
void hs_exchange_price_pairwise(struct hs_stage_price *price, const struct hs_system *system,
                                int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    struct hs_traffic traffic = hs_traffic_all(price->key.layer);
    double others = (double)price->key.layer.size - 1;

    if (others == 0)
        return;
    hs_steps_add(&steps, &traffic, 1);
    price->steps = ceil(others / HS_RING_DEPTH);
    steps.latency_seconds *= price->steps;
    steps.latency_seconds += (others - 1) * HS_MESSAGE_SECONDS;
    hs_steps_finish(&steps);
}

void hs_exchange_price_bruck(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    int64_t size = price->key.layer.size;

    for (int bit = 0; (int64_t)1 << bit < size; bit++) {
        struct hs_traffic traffic = hs_traffic_shift(price->key.layer, (int64_t)1 << bit);

        hs_steps_add(&steps, &traffic, (double)hs_exchange_blocks(size, bit));
    }
    hs_steps_finish(&steps);
}
