#include "model/cost.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Positions of children looked at one by one before the worst that could be is taken for granted.
 */
#define POSITIONS_LOOKED_AT 64

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Ranks in both [a, b) and [u, v). */
static int64_t overlap(int64_t a, int64_t b, int64_t u, int64_t v)
{
    return larger(0, smaller(b, v) - larger(a, u));
}

/*
 * Rings of one block that leave a child, as intervals of the ranks they leave from.
 *
 * The block is [0, block) with block = stride * size, the child [first, end) in the block's
 * coordinates (it may begin before 0 or end after the block). Rank x sends to x + stride, except
 * that the last `stride` ranks send back to x - (size - 1) stride.
 */
struct leaving {
    int64_t forward_first, forward_end, back_first, back_end;
};

static struct leaving rings_leaving(struct hs_layer layer, int64_t first, int64_t end)
{
    int64_t block = layer.stride * layer.size, last = block - layer.stride;
    int64_t u = larger(first, 0), v = smaller(end, block);

    return (struct leaving){
        .forward_first = larger(u, end - layer.stride),
        .forward_end = smaller(v, last),
        .back_first = larger(u, last),
        .back_end = smaller(v, first + last),
    };
}

/* Most rings through one port of a child whose first `ranks` ranks exist, `offset` ranks into a
 * block; the child may reach into later blocks. Blocks that lie inside the child send nothing out
 * of it. */
static int64_t rings_through_ports(struct hs_layer layer, int64_t offset, int64_t ranks,
                                   int64_t child_ranks, int64_t ports)
{
    int64_t block = layer.stride * layer.size, end = offset + ranks;
    int64_t last_block =
        (end - 1) / block * block; /* start of the block that holds the last rank */
    struct leaving head = rings_leaving(layer, offset, end);
    struct leaving tail = {0, 0, 0, 0};
    int64_t most = 0;

    if (last_block > 0)
        tail = rings_leaving(layer, offset - last_block, end - last_block);
    for (int64_t port = 0; port < ports; port++) {
        /* Ranks go to ports in blocks; with more ports than ranks the first ones serve one rank
         * each. */
        int64_t a = offset + port * child_ranks / ports;
        int64_t b = offset + (port + 1) * child_ranks / ports;
        int64_t rings =
            overlap(a, b, head.forward_first, head.forward_end) +
            overlap(a, b, head.back_first, head.back_end) +
            overlap(a - last_block, b - last_block, tail.forward_first, tail.forward_end) +
            overlap(a - last_block, b - last_block, tail.back_first, tail.back_end);

        most = larger(most, rings);
    }
    return most;
}

/* Rings that leave a child through its whole link, where `ranks` of its ranks lie in a block that
 * goes on outside: each of the block's rings leaves at most once, and only from a rank inside to
 * one outside. */
static int64_t rings_cut(struct hs_layer layer, int64_t ranks)
{
    int64_t block = layer.stride * layer.size, inside = ranks % block;

    return smaller(inside, smaller(layer.stride, block - inside));
}

/* Rings that leave a child of `ranks` ranks that begins t ranks before a block boundary. */
static int64_t rings_at(struct hs_layer layer, int64_t t, int64_t ranks)
{
    return rings_cut(layer, t) + rings_cut(layer, ranks - t);
}

/* The worst place a block boundary can have in a child. The count is concave in t while both sides
 * stay in the same blocks, so the multiples of `divisor` next to the middle of such a stretch are
 * the worst. */
static int64_t rings_at_worst_boundary(struct hs_layer layer, int64_t child_ranks, int64_t divisor)
{
    int64_t block = layer.stride * layer.size, rest = child_ranks % block;
    int64_t middles[2] = {rest / 2 / divisor * divisor, (block + rest) / 2 / divisor * divisor};
    int64_t most = 0;

    for (int i = 0; i < (child_ranks > block ? 2 : 1); i++)
        most = larger(most, larger(rings_at(layer, middles[i], child_ranks),
                                   rings_at(layer, middles[i] + divisor, child_ranks)));
    return most;
}

/* The most over all children that a block boundary cuts. */
static int64_t rings_at_boundaries(struct hs_layer layer, int64_t blocks, int64_t child_ranks)
{
    int64_t block = layer.stride * layer.size;
    int64_t divisor = greatest_common_divisor(block, child_ranks);
    int64_t boundaries = smaller(blocks - 1, child_ranks / divisor);
    int64_t worst = rings_at_worst_boundary(layer, child_ranks, divisor), most = 0;

    if (boundaries > POSITIONS_LOOKED_AT)
        return worst;
    for (int64_t j = 1; j <= boundaries && most < worst; j++) {
        int64_t t = j * block % child_ranks, after = (blocks - j) * block; /* ranks behind it */

        most = larger(most, rings_at(layer, t, smaller(child_ranks, t + after)));
    }
    return most;
}

/* The busiest port of any child. Where blocks and children nest, all children are alike. */
static int64_t rings_at_ports(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t ports,
                              int64_t rings_per_child, bool nested)
{
    int64_t block = layer.stride * layer.size, children = (np + child_ranks - 1) / child_ranks;
    int64_t positions =
        nested ? 1 : smaller(children, block / greatest_common_divisor(block, child_ranks));
    int64_t most = 0;

    if (positions < children && np % child_ranks != 0)
        positions = children; /* the last child is a partial one */
    if (positions > POSITIONS_LOOKED_AT)
        return smaller(rings_per_child, (child_ranks + ports - 1) / ports);
    for (int64_t child = 0; child < positions; child++) {
        int64_t first = child * child_ranks;

        most =
            larger(most, rings_through_ports(layer, first % block, smaller(child_ranks, np - first),
                                             child_ranks, ports));
    }
    return most;
}

int64_t hs_rings_per_link(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t ports)
{
    int64_t block = layer.stride * layer.size, most = 0;
    bool nested = block % child_ranks == 0 || child_ranks % block == 0;

    /* A child inside a block; where blocks and children nest there is no other kind. */
    if (child_ranks < block)
        most = rings_cut(layer, child_ranks);
    if (!nested && block < np)
        most = larger(most, rings_at_boundaries(layer, np / block, child_ranks));
    if (ports > 1 && most > 0)
        most = rings_at_ports(layer, np, child_ranks, ports, most, nested);
    return most;
}

/* Fraction of a mesh child's bandwidth that the layer's rings can draw on, 1 on a switch. */
static double mesh_fraction(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                            struct hs_layer layer)
{
    int64_t block = layer.stride * layer.size, visited;

    if (level->fabric != HS_FABRIC_MESH || level->arity < 3 || layer.stride >= unit_ranks)
        return 1;
    if (!level->striped) /* one ring stays on the link to its next place */
        return 1 / (double)(level->arity - 1);
    visited = (smaller(block, unit_ranks) + larger(layer.stride, child_ranks) - 1) /
              larger(layer.stride, child_ranks);
    visited = larger(2, smaller(visited, level->arity));
    return (double)(visited - 1) / (double)(level->arity - 1);
}

/* What one ring of the layer gets on a level it crosses; *rings is the number that share. */
static double ring_share(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                         int64_t np, struct hs_layer layer, int64_t rings)
{
    double share = level->bytes_per_second * mesh_fraction(level, child_ranks, unit_ranks, layer);

    share /= (double)rings;
    if (!level->striped && level->ports > 1) {
        int64_t busiest = larger(1, hs_rings_per_link(layer, np, child_ranks, level->ports));
        double port_share = level->bytes_per_second / (double)level->ports / (double)busiest;

        if (port_share < share)
            share = port_share;
    }
    return share;
}

/* Walks the levels the layer crosses, from the inside out, and fills everything but the times. */
static double price_levels(struct hs_layer_price *price, double share[HS_LEVELS_MAX],
                           const struct hs_system *system, int64_t np)
{
    double latency = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];
        int64_t child_ranks = hs_system_child_ranks(system, l);
        int64_t unit_ranks = hs_system_child_ranks(system, l + 1), rings;

        share[l] = 0;
        rings = child_ranks < np ? hs_rings_per_link(price->layer, np, child_ranks, 1) : 0;
        if (rings == 0) /* no block is cut by a child's border: nor by one further out */
            break;
        share[l] = ring_share(level, child_ranks, unit_ranks, np, price->layer, rings);
        if (l == 0 || share[l] <= price->ring_bytes_per_second) {
            price->ring_bytes_per_second = share[l];
            price->bottleneck = (int)l;
            price->rings_per_link = rings;
        }
        if (level->latency_seconds > latency)
            latency = level->latency_seconds;
        price->straddles = price->straddles || (price->layer.stride < child_ranks);
        price->level = (int)l;
    }
    return latency;
}

/* Puts the measured figures of the layer's level in place of the described ones (fit.h). */
static void apply_fit(struct hs_layer_price *price, const struct hs_system *system)
{
    const struct hs_level *level = &system->levels[price->level];
    const struct hs_fit *fit =
        hs_fits_find(&system->fits, price->level, price->straddles, price->layer);

    if (!fit) {
        price->extrapolated = price->extrapolated || system->fits.count > 0;
        return;
    }
    price->latency_seconds =
        level->latency_seconds > 0
            ? price->latency_seconds * (fit->latency_seconds / level->latency_seconds)
            : 2 * system->pipeline_granularity * fit->latency_seconds *
                  (double)(price->layer.size - 1);
    price->ring_bytes_per_second *= fit->bytes_per_second / level->bytes_per_second;
    price->fit_scope = fit->scope;
    price->relative_ci95 = fit->relative_ci95;
    price->min_bytes = fit->min_bytes;
    price->max_bytes = fit->max_bytes;
    price->extrapolated = price->extrapolated || hs_fit_extrapolates(fit, price->layer, 0);
}

struct hs_layer_price hs_layer_price(const struct hs_system *system, int64_t np,
                                     struct hs_layer layer)
{
    struct hs_layer_price price = {.layer = layer, .level = 0, .relative_ci95 = NAN};
    double share[HS_LEVELS_MAX] = {0}, latency;
    int64_t steps = layer.size - 1;

    assert(layer.stride >= 1 && layer.size >= 1 && np % (layer.stride * layer.size) == 0);
    latency = price_levels(&price, share, system, np);
    if (steps == 0) /* one process: nothing travels */
        return price;
    price.latency_seconds = 2 * system->pipeline_granularity * latency * (double)steps;
    price.launch_seconds = system->launch_seconds * (layer.stride * layer.size == np ? 1.0 : 2.0);
    price.extrapolated = np > hs_system_capacity(system);
    for (int l = 0; l <= price.level; l++)
        price.occupancy[l] = share[l] > 0 ? price.ring_bytes_per_second / share[l] : 0;
    apply_fit(&price, system);
    price.seconds_per_byte = 2 / price.ring_bytes_per_second;
    return price;
}

double hs_layer_bandwidth_seconds(const struct hs_layer_price *price, double bytes)
{
    double p = (double)price->layer.size;

    return price->seconds_per_byte * bytes * (p - 1) / p;
}

double hs_layer_seconds(const struct hs_layer_price *price, double bytes)
{
    return price->latency_seconds + price->launch_seconds +
           hs_layer_bandwidth_seconds(price, bytes);
}

/* Whether a calibrated layer's messages are shorter or longer than those measured. */
static bool bytes_extrapolated(const struct hs_layer_cost *layer, double chunks)
{
    struct hs_fit range = {.min_size = 0,
                           .max_size = INT64_MAX,
                           .min_bytes = layer->price.min_bytes,
                           .max_bytes = layer->price.max_bytes};

    return layer->price.fit_scope != HS_FIT_NONE &&
           hs_fit_extrapolates(&range, layer->price.layer, layer->bytes / chunks);
}

/* Adds layer i to the plan's cost, and its time per chunk to the levels it keeps busy. */
static void add_layer(struct hs_plan_cost *cost, double busy[HS_LEVELS_MAX],
                      const struct hs_system *system, const struct hs_plan *plan, int i,
                      double bytes)
{
    struct hs_layer_cost *layer = &cost->layers[i];
    double chunks = plan->chunks, chunk_seconds;

    layer->price =
        hs_layer_price(system, hs_split_product(&plan->split), hs_split_layer(&plan->split, i));
    layer->bytes = bytes / (double)layer->price.layer.stride;
    chunk_seconds = hs_layer_seconds(&layer->price, layer->bytes / chunks);
    layer->seconds = chunks * chunk_seconds;
    layer->latency_seconds = chunks * layer->price.latency_seconds;
    layer->launch_seconds = chunks * layer->price.launch_seconds;
    layer->bandwidth_seconds = hs_layer_bandwidth_seconds(&layer->price, layer->bytes);
    cost->latency_seconds += layer->latency_seconds;
    cost->launch_seconds += layer->launch_seconds;
    cost->bandwidth_seconds += layer->bandwidth_seconds;
    layer->extrapolated = layer->price.extrapolated || bytes_extrapolated(layer, chunks);
    cost->extrapolated = cost->extrapolated || layer->extrapolated;
    cost->seconds += chunk_seconds;
    for (int l = 0; l < HS_LEVELS_MAX; l++)
        busy[l] += chunk_seconds * layer->price.occupancy[l];
}

/* Half width of the plan's interval: errors of layers measured themselves are independent (root of
 * the sum of squares), those of layers priced from their neighbours may all go the same way (sum).
 */
static double plan_ci95(const struct hs_plan_cost *cost)
{
    double squares = 0, sum = 0, layers = 0;

    for (int i = 0; i < cost->count; i++) {
        const struct hs_layer_cost *layer = &cost->layers[i];
        double width = layer->price.relative_ci95 * layer->seconds;

        if (layer->price.fit_scope == HS_FIT_LAYER)
            squares += width * width;
        else
            sum += width;
        layers += layer->seconds;
    }
    return (sqrt(squares) + sum) * (cost->seconds / layers);
}

struct hs_plan_cost hs_plan_cost(const struct hs_system *system, const struct hs_plan *plan,
                                 double bytes)
{
    struct hs_plan_cost cost = {.count = plan->split.count};
    double busy[HS_LEVELS_MAX] = {0};

    for (int i = 0; i < plan->split.count; i++)
        add_layer(&cost, busy, system, plan, i, bytes);
    for (int l = 1; l < HS_LEVELS_MAX; l++)
        if (busy[l] >= busy[cost.pacing_level])
            cost.pacing_level = busy[l] > 0 ? l : cost.pacing_level;
    cost.seconds += (plan->chunks - 1) * busy[cost.pacing_level];
    cost.ci95_seconds = plan_ci95(&cost);
    return cost;
}

double hs_bus_bandwidth(double bytes, double seconds, int64_t np)
{
    return bytes / seconds * 2 * (double)(np - 1) / (double)np;
}
