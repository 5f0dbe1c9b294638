#include "model/cost.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
static double split_steps(struct hs_layer_price *price, const double share[HS_LEVELS_MAX],
                          const struct hs_system *system, double latency)
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
        price->outer = (struct hs_price_line){latency, 2 / outside};
    return inside;
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
    return split_steps(price, share, system, latency);
}

/* What an interval gains outside of the range [min, max] that was measured: as much as sizes differ
 * among themselves (calibration.h) for each doubling. */
static double outside_width(double value, double min, double max)
{
    double factor = value < min ? min / value : value / max;

    return factor > 1 ? HS_EXTRAPOLATION_WIDTH * log2(factor) : 0;
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
    if (level->latency_seconds > 0) {
        price->latency_seconds *= fit->latency_seconds / level->latency_seconds;
        price->outer.latency_seconds *= fit->latency_seconds / level->latency_seconds;
    } else {
        price->latency_seconds = 2 * system->pipeline_granularity * fit->latency_seconds *
                                 (double)(price->layer.size - 1);
    }
    price->ring_bytes_per_second *= fit->bytes_per_second / level->bytes_per_second;
    price->outer.seconds_per_byte /= fit->bytes_per_second / level->bytes_per_second;
    price->fit_scope = fit->scope;
    price->relative_ci95 =
        fit->relative_ci95 +
        outside_width((double)price->layer.size, (double)fit->min_size, (double)fit->max_size);
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
    price.outer.latency_seconds *= 2 * system->pipeline_granularity * (double)steps;
    price.launch_seconds = system->launch_seconds * (layer.stride * layer.size == np ? 1.0 : 2.0);
    price.extrapolated = np > hs_system_capacity(system);
    for (int l = 0; l <= price.level; l++)
        price.occupancy[l] = share[l] > 0 ? price.ring_bytes_per_second / share[l] : 0;
    apply_fit(&price, system);
    price.seconds_per_byte = 2 / price.ring_bytes_per_second;
    return price;
}

/* The bandwidth part of a line for m bytes entering the layer. */
static double moving_seconds(struct hs_price_line line, struct hs_layer layer, double bytes)
{
    double p = (double)layer.size;

    return line.seconds_per_byte * bytes * (p - 1) / p;
}

struct hs_price_line hs_layer_line(const struct hs_layer_price *price, double bytes)
{
    struct hs_price_line line = {price->latency_seconds, price->seconds_per_byte};
    double inner = line.latency_seconds + moving_seconds(line, price->layer, bytes);
    double outer = price->outer.latency_seconds + moving_seconds(price->outer, price->layer, bytes);

    return outer > inner ? price->outer : line;
}

double hs_layer_bandwidth_seconds(const struct hs_layer_price *price, double bytes)
{
    return moving_seconds(hs_layer_line(price, bytes), price->layer, bytes);
}

double hs_layer_seconds(const struct hs_layer_price *price, double bytes)
{
    struct hs_price_line line = hs_layer_line(price, bytes);

    return line.latency_seconds + price->launch_seconds + moving_seconds(line, price->layer, bytes);
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
    double chunks = plan->chunks, chunk_seconds, chunk_bytes;

    layer->price =
        hs_layer_price(system, hs_split_product(&plan->split), hs_split_layer(&plan->split, i));
    layer->bytes = bytes / (double)layer->price.layer.stride;
    chunk_bytes = layer->bytes / chunks;
    chunk_seconds = hs_layer_seconds(&layer->price, chunk_bytes);
    layer->seconds = chunks * chunk_seconds;
    layer->latency_seconds = chunks * hs_layer_line(&layer->price, chunk_bytes).latency_seconds;
    layer->launch_seconds = chunks * layer->price.launch_seconds;
    layer->bandwidth_seconds = chunks * hs_layer_bandwidth_seconds(&layer->price, chunk_bytes);
    cost->latency_seconds += layer->latency_seconds;
    cost->launch_seconds += layer->launch_seconds;
    cost->bandwidth_seconds += layer->bandwidth_seconds;
    layer->extrapolated = layer->price.extrapolated || bytes_extrapolated(layer, chunks);
    layer->relative_ci95 = layer->price.relative_ci95;
    if (layer->price.fit_scope != HS_FIT_NONE)
        layer->relative_ci95 +=
            outside_width(chunk_bytes, layer->price.min_bytes, layer->price.max_bytes);
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
        double width = layer->relative_ci95 * layer->seconds;

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
    return seconds > 0 ? bytes / seconds * 2 * (double)(np - 1) / (double)np : NAN;
}
