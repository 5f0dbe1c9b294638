/*
 * The ring's traffic: one message a step from each rank to the next, p - 1 steps a pass.
 */
#include <math.h>

#include "model/price.h"
#include "model/rings.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Fraction of a mesh child's bandwidth that the layer's rings can draw on, 1 on a switch. */
static double mesh_fraction(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                            struct hs_layer layer)
{
    int64_t block = layer.stride * layer.size, visited;

    if (level->fabric != HS_FABRIC_MESH || level->arity < 3 || layer.stride >= unit_ranks)
        return 1;
    visited = (smaller(block, unit_ranks) + larger(layer.stride, child_ranks) - 1) /
              larger(layer.stride, child_ranks);
    visited = larger(2, smaller(visited, level->arity));
    return (double)(visited - 1) / (double)(level->arity - 1);
}

/* What one ring gets where it takes one of a child's ports and, in a mesh, one of its links to
 * others. */
static double single_share(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                           int64_t np, struct hs_layer layer)
{
    int64_t port = hs_rings_per_link(layer, np, child_ranks, level->ports), pair = 0;
    double share = level->bytes_per_second / (double)(level->ports * larger(1, port));

    if (level->fabric == HS_FABRIC_MESH && level->arity > 1)
        pair = hs_rings_per_pair(layer, np, child_ranks, unit_ranks);
    if (pair > 0)
        share = fmin(share, level->bytes_per_second / (double)((level->arity - 1) * pair));
    return share;
}

/* What one ring of the layer gets on a level where `rings` of them leave a child. */
static double ring_share(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                         int64_t np, struct hs_layer layer, int64_t rings)
{
    double share = level->bytes_per_second / (double)rings;

    if (level->striped)
        return share * mesh_fraction(level, child_ranks, unit_ranks, layer);
    return fmin(share, single_share(level, child_ranks, unit_ranks, np, layer));
}

/* The latency of a ring's steps where the mesh level that holds it up is not the outermost it
 * crosses: steps that leave the mesh pay more latency (`latency`), but have the next larger share.
 * Returns the latency of steps inside. */
static double split_steps(struct hs_stage_price *price, struct hs_price_line *outer,
                          const double share[HS_LEVELS_MAX], const struct hs_system *system,
                          double latency)
{
    const struct hs_level *mesh = &system->levels[price->bottleneck];
    double inside = 0, outside = INFINITY;

    if (mesh->fabric != HS_FABRIC_MESH || mesh->striped || price->bottleneck == price->level)
        return latency;
    for (int l = 0; l <= price->level; l++)
        if (l <= price->bottleneck)
            inside = fmax(inside, system->levels[l].latency_seconds);
    for (int l = 0; l <= price->level; l++)
        if (l != price->bottleneck)
            outside = fmin(outside, share[l]);
    if (inside < latency)
        *outer = (struct hs_price_line){latency, 1 / outside};
    return inside;
}

/* Walks the levels the layer crosses, from the inside out, and fills everything but the times. */
static double price_levels(struct hs_stage_price *price, struct hs_price_line *outer,
                           double share[HS_LEVELS_MAX], const struct hs_system *system, int64_t np)
{
    double latency = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];
        int64_t child_ranks = hs_system_child_ranks(system, l);
        int64_t unit_ranks = hs_system_child_ranks(system, l + 1), rings;

        share[l] = 0;
        rings = child_ranks < np ? hs_rings_per_link(price->key.layer, np, child_ranks, 1) : 0;
        if (rings == 0) /* no block is cut by a child's border: nor by one further out */
            break;
        share[l] = ring_share(level, child_ranks, unit_ranks, np, price->key.layer, rings);
        if (l == 0 || share[l] <= price->ring_bytes_per_second) {
            price->ring_bytes_per_second = share[l];
            price->bottleneck = (int)l;
            price->rings_per_link = rings;
        }
        if (level->latency_seconds > latency)
            latency = level->latency_seconds;
        price->straddles = price->straddles || (price->key.layer.stride < child_ranks);
        price->level = (int)l;
    }
    return split_steps(price, outer, share, system, latency);
}

static void price_ring(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    double passes = hs_phase_passes(price->key.phase), share[HS_LEVELS_MAX] = {0};
    struct hs_price_line outer = {0, 0};
    double latency = price_levels(price, &outer, share, system, ranks);
    double step = system->pipeline_granularity;

    price->steps = passes * (double)(price->key.layer.size - 1);
    if (price->steps == 0) /* one process: nothing travels */
        return;
    hs_stage_add_line(price, (struct hs_price_line){price->steps * step * latency,
                                                    passes / price->ring_bytes_per_second});
    outer.latency_seconds *= price->steps * step;
    outer.seconds_per_byte *= passes;
    hs_stage_add_line(price, outer);
    for (int l = 0; l <= price->level; l++)
        price->occupancy[l] = share[l] > 0 ? price->ring_bytes_per_second / share[l] : 0;
}

const struct hs_algorithm_row hs_algorithm_RING = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE | 1U << HS_PAIR,
    .price = price_ring,
};
