/*
 * Direct exchange's traffic: each process sends every other one its block, all at once.
 */
#include <math.h>

#include "model/steps.h"

/* The largest group: each process has so many messages in flight. */
#define DIRECT_MAX 32

/* Of the time between the first message and the last: played on six machines. */
#define LINKS_WAIT (1.0 / 6)

static bool admits_direct(int64_t size)
{
    return size <= DIRECT_MAX;
}

/* The furthest of a rank's group is its first or its last. */
static void find_ways(struct hs_steps *steps)
{
    struct hs_layer layer = steps->price->key.layer;
    int64_t block = layer.stride * layer.size;
    int64_t ranks[HS_STEPS_RANKS], count = hs_steps_look(ranks, steps);
    double longest = 0, sum = 0;

    for (int64_t i = 0; i < count; i++) {
        int64_t first = ranks[i] / block * block + i % layer.stride;
        double way = hs_greater(hs_steps_hop(steps, ranks[i], first),
                                hs_steps_hop(steps, ranks[i], first + block - layer.stride));

        longest = hs_greater(longest, way);
        sum += way;
    }
    if (count > 0)
        hs_steps_scale(steps, longest, sum / (double)count);
}

/* What the last message is behind the first, which has its own in the latency. Links that are the
 * slower wait for a part of that, too: not all messages that they carry are there at once. */
static void add_messages(struct hs_stage_price *price)
{
    double others = (double)price->key.layer.size - 1, passes = hs_phase_passes(price->key.phase);
    double behind = passes * (others - 1) * HS_MESSAGE_SECONDS;
    struct hs_price_line links = price->lines[0], last = links;

    last.latency_seconds += behind;
    last.seconds_per_byte /= others;
    hs_stage_add_line(price, last);
    links.latency_seconds += behind * LINKS_WAIT;
    if (price->bytes > 0)
        hs_stage_add_line(price, links);
}

static void price_direct(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    struct hs_traffic traffic = hs_traffic_all(price->key.layer);

    if (price->key.layer.size < 2)
        return;
    hs_steps_add(&steps, &traffic, 1);
    if (price->bytes > 0)
        find_ways(&steps);
    hs_steps_finish(&steps);
    add_messages(price);
}

const struct hs_algorithm_row hs_algorithm_DIRECT = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .admits = admits_direct,
    .by_bytes = hs_steps_by_bytes,
    .price = price_direct,
};
