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

    if (!paths)
        return hs_no_memory(err);
    shortest = shortest_seconds(paths, lattice, prices, &request->problem, request->chunks[0]);
    free(paths);
    for (size_t e = 0; e < lattice->edge_count; e++)
        slowest = fmax(slowest, chunked_seconds(&prices[e], &request->problem,
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
        double seconds;

        unit.bytes = at_one * factor;
        seconds =
            fixed * factor + hs_problem_entering(&unit, layer) - hs_problem_entering(&unit, next);
        if (seconds < (double)HS_TICKS_LONGEST * tick_seconds)
            weight[l] = round_ticks(fixed * factor, tick_seconds) +
                        round_ticks(hs_problem_entering(&unit, layer), tick_seconds) -
                        round_ticks(hs_problem_entering(&unit, next), tick_seconds);
        else
            weight[l] = HS_TICKS_LONGEST;
        assert(weight[l] >= 0 && weight[l] <= HS_TICKS_LONGEST + 2);
    }
}

/* Times closer than this are the same, and differ by rounding. */
#define SAME (1 - 1e-9)

/* The price of a layer by the algorithm that takes least; `ring` is its price by rings. */
static struct hs_stage_price choose(const struct hs_search_request *request,
                                    const struct hs_stage_price *ring, int chunks)
{
    const struct hs_problem *problem = &request->problem;
    unsigned algorithms = hs_system_is_nccl_native(request->system) ? 0 : request->algorithms;
    struct hs_stage_price best = *ring;
    double least = algorithms > 1 ? SAME * chunked_seconds(ring, problem, chunks) : 0;

    for (int a = 1; a < HS_ALGORITHM_COUNT && algorithms > 1; a++) {
        struct hs_stage_key key = hs_problem_key(problem, ring->key.layer, (enum hs_algorithm)a);
        struct hs_stage_price price;
        double seconds;

        if (!(algorithms >> a & 1) || !hs_stage_possible(key))
            continue;
        price = hs_stage_price_at(request->system, problem->group.ranks, key,
                                  hs_problem_entering(problem, key.layer) / chunks);
        seconds = chunked_seconds(&price, problem, chunks);
        if (seconds < least) {
            least = SAME * seconds;
            best = price;
        }
    }
    return best;
}

/* Layer i of a plan. */
static struct hs_stage_price choose_layer(const struct hs_search_request *request,
                                          const struct hs_plan *plan, int i)
{
    struct hs_layer layer = hs_problem_layer(&request->problem, &plan->split, i);
    struct hs_stage_price ring = hs_stage_price(request->system, request->problem.group.ranks,
                                                hs_problem_key(&request->problem, layer, HS_RING));

    return choose(request, &ring, plan->chunks);
}

void hs_plan_choose(struct hs_plan *plan, const struct hs_search_request *request)
{
    for (int i = 0; i < plan->split.count; i++)
        plan->algorithms[i][0] = plan->algorithms[i][1] =
            (unsigned char)choose_layer(request, plan, i).key.algorithm;
}

hs_ticks hs_plan_ticks(const struct hs_search_request *request, const struct hs_plan *plan,
                       double tick_seconds)
{
    const struct hs_problem *problem = &request->problem;
    int components = hs_weight_components(request->system, plan->chunks);
    hs_ticks sum[HS_LEVELS_MAX] = {0}, weight[HS_LEVELS_MAX], most = 0;

    for (int i = 0; i < plan->split.count; i++) {
        struct hs_stage_price price = choose_layer(request, plan, i);

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
    for (size_t e = 0; e < lattice->edge_count; e++) {
        struct hs_stage_price price = choose(request, &prices[e], chunks);

        hs_stage_weight(&weights[e * components], (int)components, &price, &request->problem,
                        chunks, tick_seconds);
    }
    return weights;
}
