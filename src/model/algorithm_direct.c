/*
 * Direct exchange's traffic: each process sends every other one its block, all at once.
 */
#include "model/steps.h"

/* The largest group: each process has so many messages in flight. */
#define DIRECT_MAX 32

/* What one more message and peer costs a process, however short it is: LogGP's o and g (Alexandrov,
 * Ionescu, Schauser and Scheiman 1995). A guess within what one core does over today's networks, 1
 * to 5 million messages a second; never 0, or direct exchange would win everywhere. */
#define MESSAGE_SECONDS 0.5e-6

static bool admits_direct(int64_t size)
{
    return size <= DIRECT_MAX;
}

static void price_direct(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    struct hs_traffic traffic = hs_traffic_all(price->key.layer);
    double messages = hs_phase_passes(price->key.phase) * (double)(price->key.layer.size - 1);

    if (messages == 0)
        return;
    hs_steps_add(&steps, &traffic, 1);
    hs_steps_finish(&steps);
    hs_stage_add_line(price, (struct hs_price_line){
                                 price->lines[0].latency_seconds + messages * MESSAGE_SECONDS, 0});
}

const struct hs_algorithm_row hs_algorithm_DIRECT = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .admits = admits_direct,
    .price = price_direct,
};
