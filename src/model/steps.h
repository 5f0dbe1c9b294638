/*
 * steps.h - what a stage costs whose algorithm is a list of steps, one after the other.
 *
 * A step takes the largest latency of the levels that its messages cross, and what the busiest link
 * needs for its messages. Used by the rows of algorithm.h.
 */
#ifndef HS_MODEL_STEPS_H
#define HS_MODEL_STEPS_H

#include "model/price.h"
#include "model/traffic.h"

struct hs_steps {
    struct hs_stage_price *price; /* whose key says the layer; what is filled */
    const struct hs_system *system;
    int64_t ranks;
    int64_t senders; /* of any child, at most, where not all send at a time; 0: all */
    /* Sums over the steps: latencies, seconds per byte of a block, and how long each level is busy.
     */
    double latency_seconds, seconds_per_byte, busy[HS_LEVELS_MAX];
    double leaving[HS_LEVELS_MAX]; /* the same of a child's ports alone, which no two steps share */
    double last; /* seconds per byte of the step before, and the level that held it up */
    int at;
    double heaviest[HS_LEVELS_MAX];  /* what the heaviest step adds to `busy` */
    int64_t messages[HS_LEVELS_MAX]; /* on the busiest link in that step */
};

/* Adds one in which each message carries so many blocks, of bytes / size each. */
void hs_steps_add(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks);
/* The same so often, one after the other. */
void hs_steps_add_times(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks,
                        double times);
/* Fills the price, of a phase that takes these steps once per pass. */
void hs_steps_finish(const struct hs_steps *steps);

/* What one message gets on a level where `link` leave a child, `port` through its busiest port, and
 * `pair` go to one other child; 0: does not matter. */
double hs_step_share(const struct hs_level *level, int64_t link, int64_t port, int64_t pair);

#endif
