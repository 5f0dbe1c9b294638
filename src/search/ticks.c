#include "search/ticks.h"
#include "library/price_plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The shortest path with the fewest chunks has that many ticks, or half of them at least. More
 * chunks are faster by at most the number of levels, because a layer keeps one busy all the time.
 */
#define SHORTEST_TICKS 0x1p41

/* What a layer takes for all bytes in `chunks` chunks one after the other: its weight for the level
 * that it keeps busy all the time, where its other weights are no larger. */
static double chunked_seconds(const struct hs_stage_price *price, const struct hs_problem *problem,
                              int chunks)
{
    return chunks *
           hs_stage_seconds(price, hs_problem_entering(problem, price->key.layer) / chunks);
}

/* Times of the shortest paths to all nodes, [node_count]. */
static double shortest_seconds(double *seconds, const struct hs_lattice *lattice,
                               const struct hs_stage_price *prices,
                               const struct hs_problem *problem, int chunks)
{
    seconds[0] = 0;
    for (size_t i = 1; i < lattice->node_count; i++)
        seconds[i] = INFINITY;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            double *end = &seconds[lattice->edge_end[e]];

            *end = fmin(*end, seconds[i] + chunked_seconds(&prices[e], problem, chunks));
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
                              const struct hs_lattice *lattice, const struct hs_stage_price *prices,
                              struct hs_error *err)
{
    double *paths = malloc(lattice->node_count * sizeof(*paths)), shortest, slowest = 0;
    int most_chunks = request->chunks[request->chunk_count - 1];

    if (!paths)
        return hs_no_memory(err);
    shortest = shortest_seconds(paths, lattice, prices, &request->problem, request->chunks[0]);
    free(paths);
    for (size_t e = 0; e < lattice->edge_count; e++)
        slowest = fmax(slowest, chunked_seconds(&prices[e], &request->problem, most_chunks));
    if (request->algorithms > 1)
        slowest *= most_chunks;
    assert(isfinite(slowest) && isfinite(shortest)); /* by the bounds of a system's figures */
    *tick_seconds =
        fmin(next_power(slowest) / (double)HS_TICKS_LONGEST, next_power(shortest) / SHORTEST_TICKS);
    return HS_OK;
}

int hs_weight_components(const struct hs_system *system, int chunks)
{
    return chunks > 1 ? hs_system_paces(system) : 1;
}

static hs_ticks round_ticks(double seconds, double tick_seconds)
{
    return (hs_ticks)llrint(seconds / tick_seconds);
}

void hs_stage_weight(hs_ticks *weight, int components, const struct hs_stage_price *price,
                     const struct hs_problem *problem, int chunks, double tick_seconds)
{
    struct hs_layer layer = price->key.layer;
    int64_t inside = hs_group_inside(&problem->group, layer.stride);
    struct hs_price_line line = hs_stage_line(price, hs_problem_entering(problem, layer) / chunks);
    struct hs_problem unit = *problem; /* whose bytes are seconds */
    double fixed = line.latency_seconds + price->launch_seconds;
    double at_one = line.seconds_per_byte * problem->bytes / chunks;

    for (int l = 0; l < components; l++) {
        double factor = 1 + (chunks - 1) * price->occupancy[l], before, behind;

        unit.bytes = at_one * factor;
        before = hs_problem_held(&unit, inside);
        behind = hs_problem_held(&unit, inside * layer.size);
        if (hs_collectives[problem->collective].whole) /* a place keeps what is for itself */
            behind = before / (double)layer.size;
        if (fixed * factor + fabs(before - behind) < (double)HS_TICKS_LONGEST * tick_seconds)
            weight[l] =
                round_ticks(fixed * factor, tick_seconds) +
                llabs(round_ticks(before, tick_seconds) - round_ticks(behind, tick_seconds));
        else
            weight[l] = HS_TICKS_LONGEST;
        assert(weight[l] >= 0 && weight[l] <= HS_TICKS_LONGEST + 2);
    }
}

size_t hs_plans_not_offered(const struct hs_search_request *request, int chunks)
{
    bool serial = request->serial_calls || hs_system_is_nccl_native(request->system);

    return serial && chunks > request->chunks[0];
}

bool hs_plan_is_offered(const struct hs_search_request *request, const struct hs_plan *plan)
{
    return hs_plans_not_offered(request, plan->chunks) == 0 ||
           hs_problem_overlaps(&request->problem, plan);
}

struct hs_stage_price *hs_lattice_prices(const struct hs_lattice *lattice,
                                         const struct hs_search_request *request)
{
    struct hs_stage_price *prices = malloc((lattice->edge_count + 1) * sizeof(*prices));
    bool whole = request->chunk_count == 1 && request->chunks[0] == 1;

    if (!prices)
        return NULL;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            struct hs_layer layer = hs_lattice_layer(lattice, i, e);

            prices[e] = hs_problem_price(request->system, &request->problem,
                                         hs_problem_key(&request->problem, layer, HS_RING),
                                         whole ? hs_problem_entering(&request->problem, layer) : 0);
        }
    return prices;
}
