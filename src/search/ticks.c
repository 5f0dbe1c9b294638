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
    return chunks > 1 ? hs_system_paces(system) : 1;
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

unsigned hs_search_algorithms(const struct hs_search_request *request)
{
    unsigned algorithms = request->algorithms | 1U << HS_RING;

    if (hs_system_is_nccl_native(request->system))
        return 1U << HS_RING;
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if (!hs_system_prices(request->system, (enum hs_algorithm)a))
            algorithms &= ~(1U << a);
    return algorithms;
}

/* A layer by the algorithms that take least: its stages in one price, or one for each way. */
struct choice {
    int count;
    struct hs_stage_price prices[2];
};

/* What the ways of a layer take by each algorithm; INFINITY where it has none. */
static void price_ways(double seconds[2][HS_ALGORITHM_COUNT],
                       const struct hs_search_request *request, struct hs_layer layer, int chunks)
{
    const struct hs_problem *problem = &request->problem;
    unsigned algorithms = hs_search_algorithms(request);

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++) {
        /* Any two that differ have a key for each way. */
        const enum hs_algorithm ways[2][2] = {{(enum hs_algorithm)a, HS_ALGORITHM_COUNT},
                                              {HS_ALGORITHM_COUNT, (enum hs_algorithm)a}};

        for (int way = 0; way < 2; way++) {
            struct hs_stage_key keys[2];
            int count = hs_problem_ways(keys, problem, layer, ways[way]);

            seconds[way][a] = INFINITY;
            if (count == 2 && (algorithms >> a & 1) && hs_stage_possible(keys[way])) {
                struct hs_stage_price price =
                    hs_stage_price(request->system, problem->group.ranks, keys[way]);

                seconds[way][a] = chunked_seconds(&price, problem, chunks);
            }
        }
    }
}

/* Takes two algorithms where they take less than `least`. */
static void choose_apart(struct choice *choice, const struct hs_search_request *request,
                         double least, int chunks)
{
    struct hs_layer layer = choice->prices[0].key.layer;
    double seconds[2][HS_ALGORITHM_COUNT];

    price_ways(seconds, request, layer, chunks);
    for (int pair = 0; pair < HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT; pair++) {
        const enum hs_algorithm ways[2] = {(enum hs_algorithm)(pair / HS_ALGORITHM_COUNT),
                                           (enum hs_algorithm)(pair % HS_ALGORITHM_COUNT)};
        double both = seconds[0][ways[0]] + seconds[1][ways[1]];
        struct hs_stage_key keys[2];

        if (ways[0] == ways[1] || !(both < least))
            continue;
        least = SAME * both;
        choice->count = hs_problem_ways(keys, &request->problem, layer, ways);
        for (int way = 0; way < choice->count; way++)
            choice->prices[way] =
                hs_stage_price(request->system, request->problem.group.ranks, keys[way]);
    }
}

/* `ring` is the layer's price by rings. */
static void choose(struct choice *choice, const struct hs_search_request *request,
                   const struct hs_stage_price *ring, int chunks)
{
    const struct hs_problem *problem = &request->problem;
    unsigned algorithms = hs_search_algorithms(request);
    double least = algorithms > 1 ? SAME * chunked_seconds(ring, problem, chunks) : 0;

    choice->count = 1;
    choice->prices[0] = *ring;
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
            choice->prices[0] = price;
        }
    }
    if (hs_algorithms_uneven(algorithms))
        choose_apart(choice, request, least, chunks);
}

/* Layer i of a plan. */
static void choose_layer(struct choice *choice, const struct hs_search_request *request,
                         const struct hs_plan *plan, int i)
{
    struct hs_layer layer = hs_problem_layer(&request->problem, &plan->split, i);
    struct hs_stage_price ring = hs_stage_price(request->system, request->problem.group.ranks,
                                                hs_problem_key(&request->problem, layer, HS_RING));

    choose(choice, request, &ring, plan->chunks);
}

void hs_plan_choose(struct hs_plan *plan, const struct hs_search_request *request)
{
    for (int i = 0; i < plan->split.count; i++) {
        struct choice choice;

        choose_layer(&choice, request, plan, i);
        for (int way = 0; way < 2; way++)
            plan->algorithms[i][way] =
                (unsigned char)choice.prices[way < choice.count ? way : 0].key.algorithm;
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

/* Adds a layer's weight, [components]. */
static void add_weight(hs_ticks *sum, int components, const struct choice *choice,
                       const struct hs_problem *problem, int chunks, double tick_seconds)
{
    hs_ticks weight[HS_PACES_MAX];

    for (int way = 0; way < choice->count; way++) {
        hs_stage_weight(weight, components, &choice->prices[way], problem, chunks, tick_seconds);
        for (int l = 0; l < components; l++)
            sum[l] += weight[l];
    }
}

hs_ticks hs_plan_ticks(const struct hs_search_request *request, const struct hs_plan *plan,
                       double tick_seconds)
{
    int components = hs_weight_components(request->system, plan->chunks);
    hs_ticks sum[HS_PACES_MAX] = {0}, most = 0;

    for (int i = 0; i < plan->split.count; i++) {
        struct choice choice;

        choose_layer(&choice, request, plan, i);
        add_weight(sum, components, &choice, &request->problem, plan->chunks, tick_seconds);
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
    hs_ticks *weights = calloc((lattice->edge_count + 1) * components, sizeof(*weights));

    if (!weights)
        return NULL;
    for (size_t e = 0; e < lattice->edge_count; e++) {
        struct choice choice;

        choose(&choice, request, &prices[e], chunks);
        add_weight(&weights[e * components], (int)components, &choice, &request->problem, chunks,
                   tick_seconds);
    }
    return weights;
}
