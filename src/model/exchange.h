/*
 * exchange.h - what an exchange costs on a layer: each rank of a group has one block for each.
 *
 *  - pairwise (the letterless algorithm): message k goes to the rank k further, and one comes from
 *    the rank k before, as many under way as there may be. Nobody passes anything on, so links see
 *    what they see of direct exchange (algorithm_direct.c), which has no letter of its own here.
 *  - Bruck (letter h; Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 1997): a block goes by the
 *    bits of how far it has to go, in step k all that have bit k, about half, to the rank 2^k
 *    further; each step waits for the one before.
 *
 * In the terms of a price (algorithm.h).
 */
#ifndef HS_MODEL_EXCHANGE_H
#define HS_MODEL_EXCHANGE_H

#include <stdint.h>

struct hs_stage_price;
struct hs_system;

/* Fills the price (algorithm.h) of Bruck's exchange of p = key.layer.size ranks, m = price->bytes:
 * ceil(lg p) steps, alpha_k + c_k m / p beta_k of step k, with c_k of hs_exchange_blocks and the
 * step's own latency and busiest link. `ranks` of the machine all do it, in groups. */
void hs_exchange_price_bruck(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks);

/* All messages at once, as pairwise, for groups of any size: direct exchange's price
 * (algorithm_direct.c), and `waits` steps more in which those furthest away are waited for, a
 * latency each (MPICH's batches of 32: hs_mpi_waits). */
void hs_exchange_price_at_once(struct hs_stage_price *price, const struct hs_system *system,
                               int64_t ranks, double waits);

/* Of 1 .. size - 1, how many have bit `bit`: the blocks that travel in that step, about half. */
int64_t hs_exchange_blocks(int64_t size, int bit);

#endif
