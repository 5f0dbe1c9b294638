/*
 * exchange.h - what an exchange costs on a layer: each rank of a group has one block for each.
 *
 *  - pairwise (the letterless algorithm): step k sends to the rank k further and receives from the
 *    one k before, HS_RING_DEPTH steps under way at once. Nobody waits for another rank's steps.
 *  - Bruck (letter h; Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 1997): a block goes by the
 *    bits of how far it has to go, in step k all that have bit k, about half, to the rank 2^k
 *    further; each step waits for the one before.
 *
 * Direct exchange and the library's own are rows of their files. In the terms of a price
 * (algorithm.h).
 */
#ifndef HS_MODEL_EXCHANGE_H
#define HS_MODEL_EXCHANGE_H

#include <stdint.h>

struct hs_stage_price;
struct hs_system;

void hs_exchange_price_pairwise(struct hs_stage_price *price, const struct hs_system *system,
                                int64_t ranks);
void hs_exchange_price_bruck(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks);

/* Of 1 .. size - 1, how many have that bit. */
int64_t hs_exchange_blocks(int64_t size, int bit);

#endif
