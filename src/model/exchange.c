#include "model/exchange.h"

#include "model/steps.h"

int64_t hs_exchange_blocks(int64_t size, int bit)
{
    int64_t half = (int64_t)1 << bit, whole = size / (2 * half), rest = size % (2 * half);

    return whole * half + hs_larger(0, rest - half);
}

void hs_exchange_price_at_once(struct hs_stage_price *price, const struct hs_system *system,
                               int64_t ranks, double waits)
{
    struct hs_stage_price once = *price;
    struct hs_steps steps = {.price = &once, .system = system, .ranks = ranks};
    struct hs_traffic traffic = hs_traffic_all(price->key.layer);

    hs_algorithm_DIRECT.price(price, system, ranks);
    hs_steps_add(&steps, &traffic, 1);
    for (int i = 0; i < price->line_count; i++)
        price->lines[i].latency_seconds += waits * steps.latency_seconds;
    price->steps += waits;
}

void hs_exchange_price_bruck(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks, .waits = true};
    int64_t size = price->key.layer.size;

    for (int bit = 0; (int64_t)1 << bit < size; bit++) {
        struct hs_traffic traffic = hs_traffic_shift(price->key.layer, (int64_t)1 << bit);

        hs_steps_add(&steps, &traffic, (double)hs_exchange_blocks(size, bit));
    }
    if (size > 2 && price->bytes > 0)
        hs_steps_follow(&steps, false);
    hs_steps_finish(&steps);
}
