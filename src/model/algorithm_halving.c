/*
 * Recursive halving's and doubling's traffic: lg p steps, near ones with many blocks, far ones with
 * few. Sizes that are no power of two go around (nonuniform Bruck: no process is folded away).
 */
#include <math.h>
#include <string.h>

#include "model/exchange.h"
#include "model/steps.h"

/* Of step k. */
static int64_t blocks_of(int64_t size, int k)
{
    return (size - 1 + ((int64_t)1 << k)) >> (k + 1);
}

static bool is_packed(const struct hs_stage_price *price)
{
    int64_t size = price->key.layer.size;

    return size > 3 && price->bytes > 0 && price->bytes <= (double)HS_PACKED_BYTES * (double)size;
}

/* Each step waits for the one before: where blocks are packed, and where p is a power of two. Else
 * a block goes by the bits of how far it has to go: those of no number below p are all of them. */
static bool in_sequence(const struct hs_stage_price *price)
{
    int64_t size = price->key.layer.size;

    return (size & (size - 1)) == 0 || is_packed(price);
}

/* The line of a block that goes on in the steps that are bits of `way`, one behind the other; the
 * others of the longest step come before it. */
static void add_way(const struct hs_steps *steps, int64_t way)
{
    struct hs_stage_price *price = steps->price;
    double passes = hs_phase_passes(price->key.phase), others = (double)price->key.layer.size - 1;
    double latency = 0, load = 0, longest = 0;

    for (int k = 0; k < steps->count; k++)
        if (way >> k & 1) {
            double block = steps->loads[k] / (double)blocks_of(price->key.layer.size, k);

            latency += steps->latencies[k];
            load += block;
            longest = fmax(longest, steps->loads[k] - block);
        }
    latency = fmin(latency, steps->latency_seconds);
    hs_stage_add_line(price,
                      (struct hs_price_line){passes * latency, passes * (load + longest) / others});
}

/* How busy levels are, whatever the bytes; and where these are known, in the place of the sum of
 * all steps, the lines of blocks that go the furthest, p - 1 places or by all bits below one of p -
 * 1 and those of p - 1 above it. And what steps send adds up where they share a link; where others
 * do, too, the last that comes there goes on. */
static void add_ways(const struct hs_steps *steps)
{
    struct hs_stage_price *price = steps->price;
    int64_t most = price->key.layer.size - 1;
    double passes = hs_phase_passes(price->key.phase), latest = 0, moving;
    struct hs_stage_price sum = *price;

    price->line_count = 0;
    add_way(steps, most);
    for (int bit = 0; bit < steps->count; bit++) {
        latest = fmax(latest, steps->latencies[bit]);
        if (most >> bit & 1)
            add_way(steps, (most | (((int64_t)1 << bit) - 1)) & ~((int64_t)1 << bit));
    }
    for (int l = 0; l <= price->level; l++) {
        const struct hs_level *level = &steps->system->levels[l];
        double once =
            l > 0 && most > 2 && !price->goes_on ? 1 / hs_step_share(level, 1, 1, 1, 1) : 0;

        hs_stage_add_line(
            price, (struct hs_price_line){passes * latest,
                                          passes * (steps->together[l] + once) / (double)most});
    }
    moving = price->lines[price->line_count - 1].seconds_per_byte;
    moving = fmin(moving, sum.lines[sum.line_count - 1].seconds_per_byte);
    hs_steps_occupy(steps, moving * (double)most / passes);
    if (price->bytes == 0) { /* in sequence, as short ones are */
        memcpy(price->lines, sum.lines, sizeof(sum.lines));
        price->line_count = sum.line_count;
    }
}

/* Where each block is a message of its own, the last leaves behind all others. */
static void add_messages(const struct hs_steps *steps)
{
    struct hs_stage_price *price = steps->price;
    double passes = hs_phase_passes(price->key.phase), others = (double)price->key.layer.size - 1;
    double last = steps->latencies[steps->count - 1];

    hs_stage_add_line(price,
                      (struct hs_price_line){passes * (last + (others - 1) * HS_MESSAGE_SECONDS),
                                             passes * steps->loads[steps->count - 1] / others});
}

/* Step k exchanges what lies an odd multiple of 2^k away: (p - 1 + 2^k) / 2^(k + 1) blocks. The
 * inward steps are the outward ones backwards, their links as busy the other way. */
static void price_halving(struct hs_stage_price *price, const struct hs_system *system,
                          int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    int64_t size = price->key.layer.size;
    bool is_power = (size & (size - 1)) == 0;

    if (price->key.phase == HS_EXCHANGE) {
        hs_exchange_price_bruck(price, system, ranks);
        return;
    }
    for (int64_t places = 1; places < size; places *= 2) {
        struct hs_traffic traffic = is_power ? hs_traffic_exchange(price->key.layer, places)
                                             : hs_traffic_shift(price->key.layer, places);

        hs_steps_add(&steps, &traffic, (double)blocks_of(size, steps.count));
    }
    if (size > 2 && price->bytes > 0)
        hs_steps_follow(&steps, is_power);
    hs_steps_finish(&steps);
    if (size < 2)
        return;
    if (!in_sequence(price)) /* chunks may be any, and none keeps a link busy for less than this */
        add_ways(&steps);
    if (price->bytes == 0)
        return;
    if (!is_packed(price))
        add_messages(&steps);
}

const struct hs_algorithm_row hs_algorithm_HALVING = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE |
              1U << HS_EXCHANGE | 1U << HS_PAIR,
    .by_bytes = hs_steps_by_bytes,
    .price = price_halving,
};
