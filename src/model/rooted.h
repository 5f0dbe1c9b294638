/*
 * rooted.h - what a broadcast and a reduce cost on a layer, and the scatter and the gather around
 * them: one rank of each group has, or gets, all m bytes, the first one.
 *
 * Of a scatter and a gather only the groups in the layer's block of rank 0 are at work (stage.h),
 * of a broadcast and a reduce all: they are the last layer, which is one block. So traffic goes
 * from the first places on (hs_traffic_chain, hs_traffic_branch), or back over the same links: a
 * gather has the price of the scatter, a reduce that of the broadcast. Adding and copying cost
 * nothing.
 *
 *  - chain (the letterless algorithm): each place passes on to the next. A hop has one piece under
 *    way at a time, alpha + s beta for s bytes, beta of the busiest link with all hops at work, of
 *    the level that it crosses and of those inside; a piece goes on when all of it has come. A
 *    broadcast goes in S pieces, and takes what the first needs for all hops and then S - 1 pieces
 *    at the slowest one: where all hops are alike (p - 2 + S) (alpha + m beta / S). S is what is
 *    best by the slowest hop, sqrt((sum of the other hops' beta) m / alpha). A scatter passes on
 *    the furthest place's block first: the longest chain of hops each of which waits for the one
 *    before, (p - 1) (alpha + m / p beta) where all are alike.
 *  - halving: a scatter by a binomial tree, ceil(lg p) steps, in each of which who has several
 *    places' blocks sends the upper half of them on (minimum spanning tree scatter: Chan, Heimlich,
 *    Purkayastha and van de Geijn, Concurrency and Computation 19, 2007; binomial: Thakur,
 *    Rabenseifner and Gropp, IJHPCA 19, 2005): lg p alpha + m (p - 1) / p beta where p is a power
 *    of two. All messages of a step are taken to be as long as the root's. A broadcast is this and
 *    halving's allgather, a reduce halving's reduce-scatter and this (van de Geijn's;
 *    Rabenseifner's): 2 lg p alpha + 2 m (p - 1) / p beta. By two letters the two phases choose
 *    apart: scatter by halving and an allgather around the ring is "hr".
 *  - tree: the binomial tree with all m bytes in each step, ceil(lg p) (alpha + m beta) (both
 *    papers).
 *
 * Each step of halving and of the tree waits for all of the one before. A pair on a layer is its
 * two phases, one behind the other. In the terms of a price (algorithm.h), for the bytes that are
 * asked for.
 */
#ifndef HS_MODEL_ROOTED_H
#define HS_MODEL_ROOTED_H

#include <stdint.h>

struct hs_stage_price;
struct hs_system;

/* Bits of all of them. */
#define HS_ROOTED_PHASES                                                                           \
    (1U << HS_SCATTER | 1U << HS_GATHER | 1U << HS_BROADCAST | 1U << HS_REDUCE | 1U << HS_SPREAD | \
     1U << HS_COLLECT)

/* Fill the price of a phase of HS_ROOTED_PHASES, pairs among them, on price->key's layer of `ranks`
 * ranks, for price->bytes at the first place, by the formulas above. */
void hs_rooted_price_chain(struct hs_stage_price *price, const struct hs_system *system,
                           int64_t ranks);
void hs_rooted_price_halving(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks);
/* Of a broadcast and a reduce alone. */
void hs_rooted_price_tree(struct hs_stage_price *price, const struct hs_system *system,
                          int64_t ranks);

#endif
