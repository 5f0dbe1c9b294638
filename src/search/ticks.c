#include "search/ticks.h"

#include <math.h>
#include <stdlib.h>

/* Upper bound of any layer's weight in seconds: every latency paid by np steps, every link at its
 * worst share. A child's link carries at most 2 min(d, c) rings of m = n / d bytes, which is where
 * the 4 comes from. */
static double slowest_layer_seconds(const struct hs_search_request *request)
{
    const struct hs_system *system = request->system;
    double latency = 0, seconds_per_byte = 0, chunks = 1;

    for (size_t c = 0; c < request->chunk_count; c++)
        chunks = fmax(chunks, request->chunks[c]);
    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];
        double worst = (double)level->ports / level->bytes_per_second;

        if (level->fabric == HS_FABRIC_MESH)
            worst *= (double)(level->arity > 1 ? level->arity : 1);
        latency = fmax(latency, level->latency_seconds);
        seconds_per_byte = fmax(seconds_per_byte, worst);
    }
    return chunks *
               (2 * system->pipeline_granularity * latency * (double)request->problem.group.ranks +
                2 * system->launch_seconds) +
           4 * request->problem.bytes * seconds_per_byte;
}

double hs_tick_seconds(const struct hs_search_request *request)
{
    int exponent;

    frexp(slowest_layer_seconds(request), &exponent);
    return ldexp(1, exponent - 55);
}

int hs_weight_components(const struct hs_system *system, int chunks)
{
    return chunks > 1 ? (int)system->level_count : 1;
}

static hs_ticks round_ticks(double seconds, double tick_seconds)
{
    return (hs_ticks)llrint(seconds / tick_seconds);
}

void hs_stage_weight(hs_ticks *weight, int components, const struct hs_stage_price *price,
                     const struct hs_problem *problem, int chunks, double tick_seconds)
{
    struct hs_layer layer = price->key.layer, next = {layer.stride * layer.size, 1};
    struct hs_price_line line = hs_stage_line(price, hs_problem_entering(problem, layer) / chunks);
    struct hs_problem unit = *problem; /* whose bytes are seconds */
    double fixed = line.latency_seconds + price->launch_seconds;
    double at_one = line.seconds_per_byte * problem->bytes / chunks;

    for (int l = 0; l < components; l++) {
        double factor = 1 + (chunks - 1) * price->occupancy[l];

        unit.bytes = at_one * factor;
        weight[l] = round_ticks(fixed * factor, tick_seconds) +
                    round_ticks(hs_problem_entering(&unit, layer), tick_seconds) -
                    round_ticks(hs_problem_entering(&unit, next), tick_seconds);
    }
}

hs_ticks hs_plan_ticks(const struct hs_search_request *request, const struct hs_plan *plan,
                       double tick_seconds)
{
    const struct hs_problem *problem = &request->problem;
    int components = hs_weight_components(request->system, plan->chunks);
    hs_ticks sum[HS_LEVELS_MAX] = {0}, weight[HS_LEVELS_MAX], most = 0;

    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer layer = hs_problem_layer(problem, &plan->split, i);
        struct hs_stage_price price = hs_stage_price(request->system, problem->group.ranks,
                                                     hs_problem_key(problem, layer, HS_RING));

        hs_stage_weight(weight, components, &price, problem, plan->chunks, tick_seconds);
        for (int l = 0; l < components; l++)
            sum[l] += weight[l];
    }
    for (int l = 0; l < components; l++)
        most = sum[l] > most ? sum[l] : most;
    return most;
}

struct hs_stage_price *hs_lattice_prices(const struct hs_lattice *lattice,
                                         const struct hs_search_request *request)
{
    struct hs_stage_price *prices = malloc((lattice->edge_count + 1) * sizeof(*prices));

    if (!prices)
        return NULL;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++)
            prices[e] = hs_stage_price(
                request->system, lattice->group.ranks,
                hs_problem_key(&request->problem, hs_lattice_layer(lattice, i, e), HS_RING));
    return prices;
}

hs_ticks *hs_lattice_weights(const struct hs_lattice *lattice, const struct hs_stage_price *prices,
                             const struct hs_search_request *request, int chunks,
                             double tick_seconds)
{
    size_t components = (size_t)hs_weight_components(request->system, chunks);
    hs_ticks *weights = malloc((lattice->edge_count + 1) * components * sizeof(*weights));

    if (!weights)
        return NULL;
    for (size_t e = 0; e < lattice->edge_count; e++)
        hs_stage_weight(&weights[e * components], (int)components, &prices[e], &request->problem,
                        chunks, tick_seconds);
    return weights;
}
