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

#define HS_STEPS_MAX   32
#define HS_STEPS_RANKS 64 /* whose ways are looked at one by one */

struct hs_steps {
    struct hs_stage_price *price; /* whose key says the layer; what is filled */
    const struct hs_system *system;
    int64_t ranks;
    int64_t senders; /* of any child, at most, where not all send at a time; 0: all */
    int64_t every;   /* one in so many ranks takes part; 0: all */
    int64_t padded;  /* ranks whose messages are counted, beyond those there are; 0: these */
    bool waits;      /* each step for all of the one before, in a mesh, too */
    bool both_ways;  /* half of the ranks send back: as many leave a child at its other border */
    /* Sums over the steps: latencies, seconds per byte of a block, and how long each level is busy.
     */
    double latency_seconds, seconds_per_byte, busy[HS_LEVELS_MAX];
    double leaving[HS_LEVELS_MAX]; /* the same of a child's ports alone, which no two steps share */
    /* Of each step, of the first HS_STEPS_MAX: its latency, and seconds per byte of a block. */
    double latencies[HS_STEPS_MAX], loads[HS_STEPS_MAX];
    int count;
    /* Sums over steps that go to the same child, the most of a level; what they go to; the most of
     * these and of `leaving`. */
    double across[HS_LEVELS_MAX], together[HS_LEVELS_MAX];
    int64_t to[HS_LEVELS_MAX];
    double level_latencies[HS_LEVELS_MAX];
    double last; /* seconds per byte of the step before, and the level that held it up */
    int at;
    int64_t ahead; /* and how many children ahead of one that sends the one lies that receives */
    double heaviest[HS_LEVELS_MAX];  /* what the heaviest step adds to `busy` */
    int64_t messages[HS_LEVELS_MAX]; /* on the busiest link in that step */
};

/* Of an algorithm whose messages depend on the bytes wherever it runs. */
bool hs_steps_by_bytes(const struct hs_system *system, int64_t ranks, struct hs_layer layer);
/* Adds one in which each message carries so many blocks, of bytes / size each. */
void hs_steps_add(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks);
/* The same so often, one after the other. */
void hs_steps_add_times(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks,
                        double times);
/* The ranks whose ways are looked at, in whole blocks of the layer: all, or the first ones; where
 * children and blocks do not nest, with the first block that a border of each level cuts, as far as
 * there is room, the outermost level's in any case. Returns how many; 0: a block has more than
 * HS_STEPS_RANKS. */
int64_t hs_steps_look(int64_t ranks[HS_STEPS_RANKS], const struct hs_steps *steps);
/* Latency from a rank to another. */
double hs_steps_hop(const struct hs_steps *steps, int64_t from, int64_t to);
/* Of a layer before others: its ranks come out at other times, those of the longest way and all on
 * average, and the next does not begin with all that are late. */
void hs_steps_scale(struct hs_steps *steps, double longest, double mean);
/* Where blocks and children do not nest no rank's way has the largest latency in each step k, which
 * goes 2^k places further, or with `swaps` between places that differ in that bit: the longest of
 * the first blocks' ways, each step of which waits for all before. */
void hs_steps_follow(struct hs_steps *steps, bool swaps);
/* Fills the price, of a phase that takes these steps once per pass. */
void hs_steps_finish(const struct hs_steps *steps);

/* The share and how busy levels are, of a phase that takes so many seconds per byte of a block. */
void hs_steps_occupy(const struct hs_steps *steps, double moving);

/* Latency, and seconds per byte, of the message that each of `ranks` ranks, HS_STEPS_RANKS or
 * fewer, sends in one step to to[rank], of so many bytes: what it gets of the links that it shares
 * with the others of that step. Where a mesh is not striped. */
void hs_steps_hops(struct hs_price_line hops[HS_STEPS_RANKS], const struct hs_system *system,
                   int64_t ranks, const int to[HS_STEPS_RANKS], double bytes);

/* What one message gets on a level where so many children send, `link` messages leave a child,
 * `port` through its busiest port, and `pair` go to one other child; 0: does not matter. */
double hs_step_share(const struct hs_level *level, int64_t children, int64_t link, int64_t port,
                     int64_t pair);

/* Fraction of a mesh child's bandwidth that the layer's rings can draw on where they are striped, 1
 * on a switch. */
double hs_step_mesh_part(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                         struct hs_layer layer);

#endif
