#include "search/ticks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The shortest path with the fewest chunks has that many ticks, or half of them at least. More
 * chunks are faster by at most the number of levels, because a layer keeps one busy all the time.
 */
#define SHORTEST_TICKS 0x1p41

/* What a layer takes for all bytes in `chunks` chunks one after the other: its weight for the level
 * that it keeps busy all the time, where its other weights are no larger. */
static double chunked_seconds(const struct hs_layer_price *price, double bytes, int chunks)
{
    return chunks * hs_layer_seconds(price, bytes / (double)price->layer.stride / chunks);
}

/* Times of the shortest paths to all nodes, [node_count]. */
static double shortest_seconds(double *seconds, const struct hs_lattice *lattice,
                               const struct hs_layer_price *prices, double bytes, int chunks)
{
    seconds[0] = 0;
    for (size_t i = 1; i < lattice->node_count; i++)
        seconds[i] = INFINITY;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            double *end = &seconds[lattice->edge_end[e]];

            *end = fmin(*end, seconds[i] + chunked_seconds(&prices[e], bytes, chunks));
        }
    return seconds[lattice->node_count - 1];
}

/* 2^e with seconds < 2^e <= 2 seconds; 1 for 0. */
static double next_power(double seconds)
{
    int exponent;

    frexp(seconds, &exponent);
    return ldexp(1, exponent);
}

enum hs_status hs_tick_choose(double *tick_seconds, const struct hs_search_request *request,
                              const struct hs_lattice *lattice, const struct hs_layer_price *prices,
                              struct hs_error *err)
{
    double *paths = malloc(lattice->node_count * sizeof(*paths)), shortest, slowest = 0;

    if (!paths)
        return hs_fail(err, HS_MEMORY, "out of memory");
    shortest = shortest_seconds(paths, lattice, prices, request->bytes, request->chunks[0]);
    free(paths);
    for (size_t e = 0; e < lattice->edge_count; e++)
        slowest = fmax(slowest, chunked_seconds(&prices[e], request->bytes,
                                                request->chunks[request->chunk_count - 1]));
    assert(isfinite(slowest) && isfinite(shortest)); /* by the bounds of a system's figures */
    *tick_seconds =
        fmin(next_power(slowest) / (double)HS_TICKS_LONGEST, next_power(shortest) / SHORTEST_TICKS);
    return HS_OK;
}

int hs_weight_components(const struct hs_system *system, int chunks)
{
    return chunks > 1 ? (int)system->level_count : 1;
}

static hs_ticks round_ticks(double seconds, double tick_seconds)
{
    return (hs_ticks)llrint(seconds / tick_seconds);
}

void hs_layer_weight(hs_ticks *weight, int components, const struct hs_layer_price *price,
                     double bytes, int chunks, double tick_seconds)
{
    double start = (double)price->layer.stride;
    struct hs_price_line line = hs_layer_line(price, bytes / start / chunks);
    double fixed = line.latency_seconds + price->launch_seconds;
    double at_one = line.seconds_per_byte * bytes / chunks; /* of a layer at stride 1 */
    double end = (double)(price->layer.stride * price->layer.size);

    for (int l = 0; l < components; l++) {
        double factor = 1 + (chunks - 1) * price->occupancy[l];
        double seconds = (fixed + at_one / start - at_one / end) * factor;

        if (seconds < (double)HS_TICKS_LONGEST * tick_seconds)
            weight[l] = round_ticks(fixed * factor, tick_seconds) +
                        round_ticks(at_one * factor / start, tick_seconds) -
                        round_ticks(at_one * factor / end, tick_seconds);
        else
            weight[l] = HS_TICKS_LONGEST;
        assert(weight[l] >= 0 && weight[l] <= HS_TICKS_LONGEST + 2);
    }
}

hs_ticks hs_plan_ticks(const struct hs_system *system, const struct hs_plan *plan, double bytes,
                       double tick_seconds)
{
    int components = hs_weight_components(system, plan->chunks);
    int64_t np = hs_split_product(&plan->split);
    hs_ticks sum[HS_LEVELS_MAX] = {0}, weight[HS_LEVELS_MAX], most = 0;

    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer_price price = hs_layer_price(system, np, hs_split_layer(&plan->split, i));

        hs_layer_weight(weight, components, &price, bytes, plan->chunks, tick_seconds);
        for (int l = 0; l < components; l++)
            sum[l] += weight[l];
    }
    for (int l = 0; l < components; l++)
        most = sum[l] > most ? sum[l] : most;
    return most;
}

struct hs_layer_price *hs_lattice_prices(const struct hs_lattice *lattice,
                                         const struct hs_system *system)
{
    struct hs_layer_price *prices = malloc((lattice->edge_count + 1) * sizeof(*prices));

    if (!prices)
        return NULL;
    for (size_t i = 0; i < lattice->node_count; i++) {
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            struct hs_layer layer = {.stride = lattice->divisors[i],
                                     .size = lattice->divisors[lattice->edge_end[e]] /
                                             lattice->divisors[i]};

            prices[e] = hs_layer_price(system, lattice->np, layer);
        }
    }
    return prices;
}

hs_ticks *hs_lattice_weights(const struct hs_lattice *lattice, const struct hs_layer_price *prices,
                             int components, double bytes, int chunks, double tick_seconds)
{
    hs_ticks *weights = malloc((lattice->edge_count + 1) * (size_t)components * sizeof(*weights));

    if (!weights)
        return NULL;
    for (size_t e = 0; e < lattice->edge_count; e++)
        hs_layer_weight(&weights[e * (size_t)components], components, &prices[e], bytes, chunks,
                        tick_seconds);
    return weights;
}
