#include "library/price_plan.h"

#include <assert.h>
#include <math.h>

#include "library/beyond.h"
#include "library/limit.h"
#include "library/price_native.h"
#include "library/price_nccl.h"
#include "links/graph.h"
#include "model/kept.h"
#include "model/traffic.h"

/* What an interval gains outside of the range [min, max] that was measured: as much as sizes differ
 * among themselves (calibration.h) for each doubling. */
static double outside_width(double value, double min, double max)
{
    double factor = value < min ? min / value : value / max;

    return factor > 1 ? HS_EXTRAPOLATION_WIDTH * log2(factor) : 0;
}

/* Puts the measured figures of the layer's level in place of the described ones (fit.h). */
static void apply_fit(struct hs_stage_price *price, const struct hs_system *system)
{
    const struct hs_level *level = &system->levels[price->level];
    struct hs_layer layer = price->key.layer;
    const struct hs_fit *fit =
        hs_fits_find(&system->fits, price->level, price->misaligned, price->key);
    double faster, later;

    if (!fit) {
        price->extrapolated = price->extrapolated || system->fits.count > 0;
        return;
    }
    later = fit->latency_seconds / level->latency_seconds;
    faster = fit->bytes_per_second / level->bytes_per_second;
    for (int i = 0; i < price->line_count; i++) {
        if (level->latency_seconds > 0)
            price->lines[i].latency_seconds *= later;
        price->lines[i].seconds_per_byte /= faster;
    }
    if (!(level->latency_seconds > 0))
        price->lines[0].latency_seconds =
            price->steps * system->pipeline_granularity * fit->latency_seconds;
    price->ring_bytes_per_second *= faster;
    price->fit_scope = fit->scope;
    price->relative_ci95 =
        fit->relative_ci95 +
        outside_width((double)layer.size, (double)fit->min_size, (double)fit->max_size);
    if (!hs_fit_is_of(fit, price->key))
        price->relative_ci95 += HS_OTHER_ALGORITHM_WIDTH;
    price->min_bytes = fit->min_bytes;
    price->max_bytes = fit->max_bytes;
    price->extrapolated =
        price->extrapolated || !hs_fit_is_of(fit, price->key) || hs_fit_extrapolates(fit, layer, 0);
}

/* Whether a level's links are followed as they are, one by one. */
static bool is_on_graph(const struct hs_system *system, struct hs_layer layer, enum hs_phase phase)
{
    return hs_graph_holds(system, layer) && (phase == HS_REDUCE_SCATTER || phase == HS_ALLGATHER ||
                                             phase == HS_ALLREDUCE || phase == HS_PAIR);
}

/* Whether what a stage costs is no few lines in its bytes. */
static bool is_by_bytes(const struct hs_system *system, int64_t ranks, struct hs_stage_key key)
{
    const struct hs_algorithm_row *row = hs_algorithms[key.algorithm];

    if (hs_system_is_nccl_native(system))
        return false;
    return (system->fits.count == 0 && !system->additive &&
            (key.phase == HS_EXCHANGE || is_on_graph(system, key.layer, key.phase) ||
             (row->by_bytes && row->by_bytes(system, ranks, key.layer)))) ||
           hs_system_waits(system);
}

/* By the algorithm's row, or the library's rule. */
static void price_algorithm(struct hs_stage_price *price, const struct hs_system *system,
                            int64_t ranks, enum hs_algorithm algorithm)
{
    if (algorithm == HS_NATIVE && hs_system_has_rule(system))
        hs_native_price(price, system, ranks);
    else
        hs_algorithms[algorithm]->price(price, system, ranks);
}

/* By the algorithm. NCCL's calls go by its rule, whatever the key says: the links see
 * rings. Single links are seen as a switch that sends what they let pass. */
static void price_row(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    enum hs_algorithm algorithm = hs_system_is_nccl_native(system) ? HS_RING : price->key.algorithm;
    bool graph =
        price->key.layer.size > 1 && is_on_graph(system, price->key.layer, price->key.phase);
    bool follows = algorithm == HS_RING || hs_algorithms[algorithm]->on_links;
    struct hs_system seen;

    if (graph && follows) {
        hs_graph_price(price, system, algorithm);
        return;
    }
    if (system->levels[0].fabric != HS_FABRIC_LINKS || price->key.layer.size < 2) {
        price_algorithm(price, system, ranks, algorithm);
        return;
    }
    seen = *system;
    seen.levels[0].bytes_per_second = hs_graph_level(
        system, price->key.layer,
        price->key.phase == HS_EXCHANGE && algorithm == HS_RING ? HS_DIRECT : algorithm);
    price_algorithm(price, &seen, ranks, algorithm);
    if (graph && price->bytes > 0 && (algorithm == HS_HALVING || algorithm == HS_DIRECT))
        hs_graph_price(price, system, algorithm);
}

/* Lines of what the levels let pass (limit.h) in the place of a ring's, which no call is below. */
static void fill_least(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    struct hs_problem stage = hs_limit_stage(ranks, price->key, 1);
    struct hs_limit limits[HS_LEVELS_MAX];
    double p = (double)price->key.layer.size, times = price->key.phase == HS_PAIR ? 2 : 1;
    int count = hs_limit_each(limits, system, &stage);

    price->line_count = 0;
    for (int i = 0; i < count; i++) {
        double moving = limits[i].seconds - limits[i].latency_seconds;

        hs_stage_add_line(price, (struct hs_price_line){times * limits[i].latency_seconds,
                                                        times * moving * p / (p - 1)});
    }
}

static struct hs_stage_price price_of(const struct hs_system *system, const struct hs_group *group,
                                      struct hs_stage_key key, double bytes)
{
    int64_t ranks = group->ranks, reached = key.layer.stride * key.layer.size;
    bool by_bytes = is_by_bytes(system, ranks, key);
    struct hs_stage_price price = {.key = key,
                                   .relative_ci95 = NAN,
                                   .bytes = by_bytes ? bytes : 0,
                                   .goes_on = key.phase != HS_ALLREDUCE &&
                                              reached < hs_group_span(group, group->size)};

    assert(key.layer.stride >= 1 && key.layer.size >= 1 &&
           ranks % (key.layer.stride * key.layer.size) == 0);
    price_row(&price, system, ranks);
    if (key.layer.size == 1) /* one process: nothing travels */
        return price;
    if (hs_system_is_nccl_native(system)) {
        fill_least(&price, system, ranks);
        price.regime = HS_PRICED_AS_CALL;
        price.system = system;
        price.occupancy[system->level_count] = hs_nccl_layer_share(&system->nccl, ranks, key);
    } else {
        price.launch_seconds = system->launch_seconds * hs_phase_calls(key.phase);
    }
    price.ranks = ranks;
    if (by_bytes && bytes == 0) {
        price.regime = HS_PRICED_ANEW;
        price.system = system;
    }
    price.extrapolated = ranks > hs_system_capacity(system);
    apply_fit(&price, system);
    return price;
}

/* Of any bytes; in `room` where none are kept. */
static const struct hs_stage_price *kept_price(struct hs_stage_price *room,
                                               const struct hs_system *system,
                                               const struct hs_group *group,
                                               struct hs_stage_key key)
{
    struct hs_kept *kept = hs_system_kept(system);
    const struct hs_kept_name name = {.kind = HS_KEPT_PRICE, .group = *group, .key = key};
    struct hs_stage_price *price = hs_kept_find(kept, &name);

    if (price)
        return price;
    *room = price_of(system, group, key, 0);
    price = hs_kept_add(kept, &name, sizeof(*price));
    if (price)
        *price = *room;
    return room;
}

struct hs_stage_price hs_stage_price_at(const struct hs_system *system,
                                        const struct hs_group *group, struct hs_stage_key key,
                                        double bytes)
{
    struct hs_stage_price room;

    if (!hs_system_kept(system) || (bytes > 0 && is_by_bytes(system, group->ranks, key)))
        return price_of(system, group, key, bytes);
    return *kept_price(&room, system, group, key);
}

struct hs_stage_price hs_stage_price(const struct hs_system *system, int64_t ranks,
                                     struct hs_stage_key key)
{
    struct hs_group world = hs_group_world(ranks);

    return hs_stage_price_at(system, &world, key, 0);
}

struct hs_stage_price hs_problem_price(const struct hs_system *system,
                                       const struct hs_problem *problem, struct hs_stage_key key,
                                       double bytes)
{
    struct hs_stage_price price = hs_stage_price_at(system, &problem->group, key, bytes);

    price.launch_seconds +=
        hs_stage_gap_seconds(system, problem, key) + hs_order_seconds(system, problem, key.layer);
    return price;
}

/* NCCL's call of so many bytes, or what the links let pass. */
static double nccl_seconds(const struct hs_stage_price *price, double bytes)
{
    const struct hs_system *system = price->system;
    double seconds = hs_nccl_layer_seconds(&system->nccl, hs_system_kept(system), price->ranks,
                                           price->key, bytes);
    double least = hs_stage_least_seconds(price, bytes);

    return seconds < least ? least : seconds;
}

/* Through the time of NCCL's call with so many bytes, and that with next to none as its latency. */
static struct hs_price_line nccl_line(const struct hs_stage_price *price, double bytes)
{
    double p = (double)price->key.layer.size;
    double latency = nccl_seconds(price, HS_NEXT_TO_NO_BYTES);
    double seconds = nccl_seconds(price, bytes);

    if (!(latency < seconds) || bytes <= HS_NEXT_TO_NO_BYTES)
        return (struct hs_price_line){seconds, 0};
    return (struct hs_price_line){latency, (seconds - latency) / (bytes * (p - 1) / p)};
}

/* The largest line of messages that are those of so many bytes. */
static struct hs_price_line line_anew(const struct hs_stage_price *price, double bytes)
{
    struct hs_stage_price at = {.key = price->key, .bytes = bytes, .goes_on = price->goes_on};

    price_row(&at, price->system, price->ranks);
    return hs_stage_largest_line(&at, bytes);
}

struct hs_price_line hs_stage_line(const struct hs_stage_price *price, double bytes)
{
    if (bytes > 0)
        switch (price->regime) {
        case HS_PRICED_BY_LINES:
            break;
        case HS_PRICED_ANEW:
            return line_anew(price, bytes);
        case HS_PRICED_AS_CALL:
            return nccl_line(price, bytes);
        }
    return hs_stage_largest_line(price, bytes);
}

double hs_stage_bandwidth_seconds(const struct hs_stage_price *price, double bytes)
{
    return hs_stage_moving_seconds(price, hs_stage_line(price, bytes), bytes);
}

double hs_stage_seconds(const struct hs_stage_price *price, double bytes)
{
    struct hs_price_line line = hs_stage_line(price, bytes);

    return line.latency_seconds + price->launch_seconds +
           hs_stage_moving_seconds(price, line, bytes);
}

/* Whether a calibrated stage's messages are shorter or longer than those measured. */
static bool bytes_extrapolated(const struct hs_stage_price *price, double bytes)
{
    struct hs_fit range = {.min_size = 0,
                           .max_size = INT64_MAX,
                           .min_bytes = price->min_bytes,
                           .max_bytes = price->max_bytes};

    return price->fit_scope != HS_FIT_NONE && hs_fit_extrapolates(&range, price->key.layer, bytes);
}

/* A stage of a plan that sends `bytes` through it in `chunks` chunks. */
static struct hs_stage_cost cost_of(const struct hs_stage_price *price, double bytes, double chunks)
{
    double chunk_bytes = bytes / chunks;
    struct hs_price_line line = hs_stage_line(price, chunk_bytes);
    double moving = hs_stage_moving_seconds(price, line, chunk_bytes);
    struct hs_stage_cost cost = {
        .key = price->key,
        .bytes = bytes,
        .seconds = chunks * (line.latency_seconds + price->launch_seconds + moving),
        .latency_seconds = chunks * line.latency_seconds,
        .bandwidth_seconds = chunks * moving,
        .launch_seconds = chunks * price->launch_seconds,
        .relative_ci95 = price->relative_ci95,
        .extrapolated = price->extrapolated || bytes_extrapolated(price, chunk_bytes),
        .ring_bytes_per_second = price->ring_bytes_per_second,
        .rings_per_link = price->rings_per_link,
        .level = price->level,
        .bottleneck = price->bottleneck,
        .misaligned = price->misaligned,
        .fit_scope = price->fit_scope,
    };

    if (price->fit_scope != HS_FIT_NONE)
        cost.relative_ci95 += outside_width(chunk_bytes, price->min_bytes, price->max_bytes);
    return cost;
}

/* Adds a stage of layer i to the plan's cost, and its time per chunk to what it keeps busy. */
static void add_stage(struct hs_plan_cost *cost, double busy[HS_PACES_MAX],
                      const struct hs_stage_price *price, int i, double bytes, int chunks)
{
    struct hs_stage_cost *stage = &cost->stages[cost->count++];

    *stage = cost_of(price, bytes, chunks);
    stage->layer = i;
    cost->latency_seconds += stage->latency_seconds;
    cost->launch_seconds += stage->launch_seconds;
    cost->bandwidth_seconds += stage->bandwidth_seconds;
    cost->extrapolated = cost->extrapolated || stage->extrapolated;
    cost->seconds += stage->seconds / chunks;
    for (int l = 0; l < HS_PACES_MAX; l++)
        busy[l] += stage->seconds / chunks * price->occupancy[l];
}

/* Adds how long the stage's bytes keep each level busy. What joins a node's devices does not carry
 * what goes from each of them out of the node. */
static void add_busy(struct hs_plan_cost *cost, const struct hs_system *system,
                     const struct hs_stage_price *price)
{
    const struct hs_stage_cost *stage = &cost->stages[cost->count - 1];

    for (size_t l = 0; l < (size_t)hs_system_paces(system); l++)
        if (l >= system->level_count || !hs_level_is_inside(&system->levels[l]) ||
            price->key.layer.stride % hs_system_child_ranks(system, l + 1) != 0)
            cost->busy_seconds[l] += stage->bandwidth_seconds * price->occupancy[l];
}

static bool is_beyond(const struct hs_system *system, const struct hs_problem *problem,
                      struct hs_layer layer, double bytes)
{
    struct hs_beyond beyond = hs_beyond_of_layer(system, problem->group.ranks, layer, bytes);

    return hs_beyond_any(&beyond);
}

/* Adds the stages of layer i: in one where both ways go by the same algorithm. */
static void add_layer(struct hs_plan_cost *cost, double busy[HS_PACES_MAX],
                      const struct hs_system *system, const struct hs_problem *problem,
                      const struct hs_plan *plan, int i)
{
    struct hs_stage_key keys[2];
    int count = hs_problem_plan_ways(keys, problem, plan, i);

    for (int k = 0; k < count; k++) {
        double bytes = hs_problem_entering(problem, keys[k].layer);
        struct hs_stage_price price =
            hs_problem_price(system, problem, keys[k], bytes / plan->chunks);

        if (is_beyond(system, problem, keys[k].layer, bytes / plan->chunks))
            price.extrapolated = true;
        add_stage(cost, busy, &price, i, bytes, plan->chunks);
        add_busy(cost, system, &price);
    }
}

/* Half width of the plan's interval: errors of stages measured themselves are independent (root of
 * the sum of squares), those of stages priced from their neighbours may all go the same way (sum),
 * and what lies between calls is the same everywhere. */
static double plan_ci95(const struct hs_plan_cost *cost, double gap_ci95_seconds)
{
    double squares = 0, sum = 0, stages = 0, calls = 0;

    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];
        double width = stage->relative_ci95 * stage->seconds;

        if (stage->fit_scope == HS_FIT_LAYER)
            squares += width * width;
        else
            sum += width;
        stages += stage->seconds;
        calls += hs_phase_calls(stage->key.phase);
    }
    return (sqrt(squares) + sum) * (cost->seconds / stages) + (calls - 1) * gap_ci95_seconds;
}

void hs_plan_cost_scale(struct hs_plan_cost *cost, double factor)
{
    for (int i = 0; i < cost->count; i++) {
        struct hs_stage_cost *stage = &cost->stages[i];

        stage->seconds *= factor;
        stage->latency_seconds *= factor;
        stage->bandwidth_seconds *= factor;
        stage->launch_seconds *= factor;
    }
    for (int l = 0; l < HS_PACES_MAX; l++)
        cost->busy_seconds[l] *= factor;
    cost->seconds *= factor;
    cost->latency_seconds *= factor;
    cost->bandwidth_seconds *= factor;
    cost->launch_seconds *= factor;
    cost->ci95_seconds *= factor;
}

struct hs_plan_cost hs_plan_cost(const struct hs_system *system, const struct hs_problem *problem,
                                 const struct hs_plan *plan)
{
    struct hs_plan_cost cost = {.count = 0};
    double busy[HS_PACES_MAX] = {0};

    for (int i = 0; i < plan->split.count; i++)
        add_layer(&cost, busy, system, problem, plan, i);
    for (int l = 1; l < HS_PACES_MAX; l++)
        if (busy[l] >= busy[cost.pacing_level])
            cost.pacing_level = busy[l] > 0 ? l : cost.pacing_level;
    cost.seconds += (plan->chunks - 1) * busy[cost.pacing_level];
    if (hs_system_is_nccl_native(system)) /* NCCL's constants know nothing of the levels */
        cost.seconds = hs_limit_keep(cost.seconds, system, problem);
    cost.ci95_seconds = plan_ci95(&cost, plan->chunks * system->gap_ci95_seconds);
    return cost;
}

double hs_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                       const struct hs_plan *plan)
{
    return hs_plan_cost(system, problem, plan).seconds;
}

/* ---- what is kept with a system -------------------------------------------------------------- */

static void empty(const struct hs_system *system)
{
    hs_kept_empty(hs_system_kept(system));
    hs_graph_empty(system->graph);
}

static void release(struct hs_system *system)
{
    hs_kept_free(hs_system_kept(system));
    if (system->kept_of == system)
        hs_graph_free(system->graph);
}

void hs_system_keep(struct hs_system *system)
{
    static const struct hs_keeper keeper = {empty, release};

    if (hs_system_kept(system))
        return;
    system->keeper = &keeper;
    system->kept = hs_kept_new();
    system->kept_of = system;
    system->graph = hs_graph_new(system);
}
