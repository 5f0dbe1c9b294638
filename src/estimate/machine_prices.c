/* What stages take on machines drawn. */
#include <math.h>
#include <stdlib.h>

#include "estimate/belief.h"
#include "estimate/machines.h"
#include "library/limit.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"
#include "library/price_rccl.h"
#include "model/kept.h"
#include "model/traffic.h"

/* Doublings of a layer's size from which on two sizes err on their own. */
#define SIZES_APART 4.0
/* A draw of a belief may be negative or far off; a time is within e times of what is expected. */
#define FURTHEST 1.0

/* Of its calls that another one follows. */
double hs_machines_gap_seconds(const struct hs_machines *machines, size_t j,
                               const struct hs_problem *problem, struct hs_stage_key key)
{
    return hs_problem_gaps(problem, key) * machines->gap_seconds[j];
}

/* How a layer's price errs on a machine, in deviations: those that lie on the same level and
 * misaligned or not go together by their size; of two processes halving and direct exchange err as
 * the ring, which they are, and so does what goes by the same single links. */
struct error {
    size_t first; /* knot */
    double near, far;
    bool misaligned;
};

size_t hs_machines_errors_before(int algorithm)
{
    size_t count = 0;

    for (int a = 0; a < algorithm; a++)
        count += !hs_algorithms[a]->on_links;
    return count;
}

static struct error error_of(const struct hs_machines *machines, const struct hs_stage_price *price)
{
    double knot =
        fmin(log2((double)price->key.layer.size) / SIZES_APART, HS_ERROR_KNOTS - 1 - 1e-9);
    size_t levels = machines->believed->level_count;
    bool itself = hs_algorithms_distinct(1U << price->key.algorithm, price->key.layer.size) != 0 &&
                  !hs_algorithms[price->key.algorithm]->on_links;
    size_t algorithm = itself ? price->key.algorithm : HS_RING;
    size_t class = (hs_machines_errors_before((int)algorithm) * levels + (size_t)price->level) * 2 +
                   price->misaligned;
    double part = knot - floor(knot);

    return (struct error){.first = class * HS_ERROR_KNOTS + (size_t)knot,
                          .near = sqrt(1 - part),
                          .far = sqrt(part),
                          .misaligned = hs_stage_price_is_least(machines->believed, price)};
}

static double deviations_of(const struct hs_machines *machines, size_t j, const struct error *error)
{
    const double *errors = &machines->errors[j * machines->errors_of_one + error->first];

    return error->near * errors[0] + error->far * errors[1];
}

/* By what all prices of the class are off on the machine: calls and plans alike. */
static double common_times(const struct hs_machines *machines, size_t j, enum hs_error_class class,
                           double bytes)
{
    const double *common = &machines->errors[machines->count * machines->errors_of_one];
    size_t drawn = class == HS_ERROR_CPU_RANKS    ? HS_ERROR_CPU
                   : class == HS_ERROR_SYMMETRIC  ? HS_ERROR_NODE
                   : class == HS_ERROR_UNMEASURED ? HS_ERROR_NETWORK
                                                  : class;

    return exp(hs_error_machine(class, bytes) * common[j * HS_ERROR_DRAWS + drawn]);
}

/* On the machine as drawn, and as it errs. */
static double native_times(const struct hs_machines *machines, size_t j, const struct error *error,
                           enum hs_error_class class, double bytes)
{
    const struct hs_nccl_machine *nccl = &machines->believed->nccl;
    double off = deviations_of(machines, j, error);

    if (nccl->doubt > 0)
        return exp(hs_nccl_noise(bytes, nccl->residual) * off);
    return exp(fmax(nccl->residual, hs_error_point(class, bytes)) * off) *
           common_times(machines, j, class, bytes);
}

static double level_times(const struct hs_machines *machines, size_t j, const struct error *error)
{
    return exp(HS_PRICE_DEVIATION * deviations_of(machines, j, error));
}

/* Beyond 1. */
static double misaligned_times(const struct hs_machines *machines, size_t j,
                               const struct error *error)
{
    return expm1(HS_MISALIGNED_DEVIATION * fabs(deviations_of(machines, j, error)));
}

static double level_seconds_of_one(const struct hs_machines *machines, size_t j,
                                   const struct error *error, const struct hs_stage_price *price,
                                   double bytes)
{
    double seconds = hs_stage_seconds(price, bytes);

    if (error->misaligned)
        return seconds +
               hs_stage_bandwidth_seconds(price, bytes) * misaligned_times(machines, j, error);
    return seconds * level_times(machines, j, error);
}

/* By how much the layer's calls of so many bytes are off on each machine, in `room` where that can
 * not be kept. */
static const double *native_errors(double *room, const struct hs_machines *machines,
                                   const struct hs_problem *problem, struct hs_stage_key key,
                                   double bytes)
{
    enum hs_error_class class =
        hs_nccl_layer_class(&machines->believed->nccl, problem->group.ranks, key, bytes);
    const struct hs_kept_name name = {.kind = HS_KEPT_ERRORS,
                                      .group = problem->group,
                                      .key = key,
                                      .detail = hs_error_band(bytes)};
    double *times = hs_kept_find(machines->kept, &name);
    struct hs_stage_price price;
    struct error error;

    if (times)
        return times;
    times = hs_kept_add(machines->kept, &name, machines->count * sizeof(*times));
    if (!times)
        times = room;
    price = hs_stage_price_at(machines->believed, &problem->group, key, 0);
    error = error_of(machines, &price);
    for (size_t j = 0; j < machines->count; j++)
        times[j] = native_times(machines, j, &error, class, bytes);
    return times;
}

static void native_seconds(double *seconds, const struct hs_machines *machines,
                           const struct hs_problem *problem, struct hs_stage_key key)
{
    double bytes = hs_problem_entering(problem, key.layer), room[HS_MACHINES_MAX];
    const struct hs_nccl_machines each = {.first = &machines->drawn[0].nccl,
                                          .count = machines->count,
                                          .apart = sizeof(*machines->drawn),
                                          .calls = hs_system_kept(machines->believed),
                                          .kept = machines->kept};
    struct hs_stage_price price = hs_stage_price_at(machines->believed, &problem->group, key, 0);
    double least = hs_stage_least_seconds(&price, bytes); /* of the levels, alike on all */
    const double *times;

    hs_nccl_layer_seconds_each(seconds, &each, problem->group.ranks, key, bytes);
    times = native_errors(room, machines, problem, key, bytes);
    for (size_t j = 0; j < machines->count; j++) {
        seconds[j] = times[j] * (seconds[j] < least ? least : seconds[j]);
        seconds[j] = seconds[j] < least ? least : seconds[j];
    }
}

/* ---- levels ---- */

/* What a stage takes on each machine where that is the largest of a few lines: [lines][count]
 * latencies, as many seconds per byte; and [count] launches and errors. */
struct drawn {
    size_t lines;
    enum { ERRS_NOT, ERRS, ERRS_IN_BYTES } errs; /* not: a belief says how */
    double figures[];
};

/* Whether a belief says how it errs: of all but what is longer than priced and was never measured.
 */
static bool is_told(const struct hs_machines *machines, const struct hs_stage_price *price)
{
    return machines->belief && (!hs_stage_price_is_least(machines->believed, price) ||
                                hs_belief_has_points(machines->belief, price));
}

/* Of machine j's own. */
static void fill_drawn(struct drawn *drawn, const struct hs_machines *machines, size_t j,
                       const struct error *error, const struct hs_stage_price *price)
{
    size_t count = machines->count;
    double *latencies = drawn->figures, *slopes = &latencies[drawn->lines * count];
    double *launches = &slopes[drawn->lines * count];

    for (size_t l = 0; l < drawn->lines; l++) { /* as many of each machine */
        struct hs_price_line line = price->lines[l < (size_t)price->line_count ? l : 0];

        latencies[l * count + j] = line.latency_seconds;
        slopes[l * count + j] = line.seconds_per_byte;
    }
    launches[j] = price->launch_seconds;
    launches[count + j] = drawn->errs == ERRS ? level_times(machines, j, error)
                                              : misaligned_times(machines, j, error);
}

static struct drawn *draw(const struct hs_machines *machines, const struct hs_kept_name *name,
                          const struct hs_stage_price *believed)
{
    struct hs_stage_price *prices = malloc((machines->count + 1) * sizeof(*prices));
    struct error error = error_of(machines, believed); /* no figure moves a layer elsewhere */
    size_t lines = 1, columns;
    struct drawn *drawn;

    for (size_t j = 0; prices && j < machines->count; j++) {
        prices[j] = hs_stage_price_at(&machines->drawn[j], &name->group, name->key, 0);
        if ((size_t)prices[j].line_count > lines)
            lines = (size_t)prices[j].line_count;
    }
    columns = (2 * lines + 2) * machines->count;
    drawn = prices ? hs_kept_add(machines->kept, name, sizeof(*drawn) + columns * sizeof(double))
                   : NULL;
    if (drawn) {
        drawn->lines = lines;
        drawn->errs = is_told(machines, believed) ? ERRS_NOT
                      : error.misaligned          ? ERRS_IN_BYTES
                                                  : ERRS;
    }
    for (size_t j = 0; drawn && j < machines->count; j++)
        fill_drawn(drawn, machines, j, &error, &prices[j]);
    free(prices);
    return drawn;
}

/* The same sums as hs_stage_seconds and level_seconds_of_one. */
static void drawn_seconds(double *seconds, const struct drawn *drawn, size_t count,
                          struct hs_stage_key key, double bytes)
{
    const double *latencies = drawn->figures, *slopes = &latencies[drawn->lines * count];
    const double *launches = &slopes[drawn->lines * count], *times = &launches[count];
    double p = (double)key.layer.size;

    for (size_t j = 0; j < count; j++) {
        double latency = latencies[j], moving = slopes[j] * bytes * (p - 1) / p;

        for (size_t l = 1; l < drawn->lines; l++) {
            double other = slopes[l * count + j] * bytes * (p - 1) / p;

            if (latencies[l * count + j] + other > latency + moving) {
                latency = latencies[l * count + j];
                moving = other;
            }
        }
        seconds[j] = latency + launches[j] + moving;
        if (drawn->errs == ERRS)
            seconds[j] *= times[j];
        else if (drawn->errs == ERRS_IN_BYTES)
            seconds[j] += moving * times[j];
    }
}

static void level_seconds(double *seconds, const struct hs_machines *machines,
                          const struct hs_problem *problem, struct hs_stage_key key)
{
    double bytes = hs_problem_entering(problem, key.layer);
    const struct hs_kept_name name = {.kind = HS_KEPT_DRAWN, .group = problem->group, .key = key};
    const struct drawn *drawn = hs_kept_find(machines->kept, &name);
    struct hs_stage_price believed;
    struct error error;
    bool told;

    if (!drawn) {
        believed = hs_stage_price_at(machines->believed, &problem->group, key, 0);
        if (believed.regime != HS_PRICED_ANEW)
            drawn = draw(machines, &name, &believed);
    }
    if (drawn) {
        drawn_seconds(seconds, drawn, machines->count, key, bytes);
        return;
    }
    error = error_of(machines, &believed);
    told = is_told(machines, &believed);
    for (size_t j = 0; j < machines->count; j++) {
        struct hs_stage_price price =
            hs_stage_price_at(&machines->drawn[j], &problem->group, key, bytes);

        seconds[j] = told ? hs_stage_seconds(&price, bytes)
                          : level_seconds_of_one(machines, j, &error, &price, bytes);
    }
}

/* Each draw over what is expected, so that the median is the price. */
static enum hs_status belief_seconds(double *seconds, const struct hs_machines *machines,
                                     const struct hs_problem *problem,
                                     const struct hs_stage_key *keys, size_t count,
                                     struct hs_error *err)
{
    struct hs_belief_stage *stages = malloc((count + 1) * sizeof(*stages));
    double *mean = malloc((count + 1) * sizeof(*mean)), *one = malloc((count + 1) * sizeof(*one));
    uint64_t seed = machines->seed;
    enum hs_status status = stages && mean && one ? HS_OK : hs_no_memory(err);

    for (size_t i = 0; i < count && !status; i++)
        stages[i] = (struct hs_belief_stage){keys[i], hs_problem_entering(problem, keys[i].layer)};
    if (!status)
        status = hs_belief_ask(machines->belief, problem->group.ranks, stages, count, err);
    if (!status)
        hs_belief_mean(mean, machines->belief);
    for (size_t j = 0; j < machines->count && !status; j++) {
        hs_belief_draw(one, machines->belief, &seed);
        for (size_t i = 0; i < count; i++)
            seconds[i * machines->count + j] *=
                mean[i] > 0 ? exp(fmin(FURTHEST, fmax(-FURTHEST, one[i] / mean[i] - 1))) : 1;
    }
    free(stages);
    free(mean);
    free(one);
    return status;
}

/* What lies between calls, and what the order of the blocks adds: on all machines, or on none. */
static void add_between(double *seconds, const struct hs_machines *machines,
                        const struct hs_problem *problem, struct hs_stage_key key)
{
    bool ordered = hs_order_seconds(&machines->drawn[0], problem, key.layer) > 0;
    double gaps = hs_problem_gaps(problem, key);

    for (size_t j = 0; j < machines->count; j++)
        seconds[j] += gaps * machines->gap_seconds[j] +
                      (ordered ? hs_order_seconds(&machines->drawn[j], problem, key.layer) : 0);
}

enum hs_status hs_machines_seconds(double *seconds, const struct hs_machines *machines,
                                   const struct hs_problem *problem,
                                   const struct hs_stage_key *keys, size_t count,
                                   struct hs_error *err)
{
    bool native = hs_system_is_nccl_native(machines->believed);
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < count; i++)
        (native ? native_seconds : level_seconds)(&seconds[i * machines->count], machines, problem,
                                                  keys[i]);
    if (machines->belief)
        status = belief_seconds(seconds, machines, problem, keys, count, err);
    for (size_t i = 0; i < count; i++)
        add_between(&seconds[i * machines->count], machines, problem, keys[i]);
    return status;
}

/* Its stages with their errors over those without, one chunk. */
static double error_times(const struct hs_machines *machines, size_t j,
                          const struct hs_problem *problem, const struct hs_plan *plan)
{
    bool native = hs_system_is_nccl_native(machines->believed);
    double without = 0, with = 0;

    for (int k = 0; k < 2 * plan->split.count; k++) {
        struct hs_stage_key keys[2];
        struct hs_stage_price price;
        struct error error;
        double bytes, seconds;

        if (k % 2 >= hs_problem_plan_ways(keys, problem, plan, k / 2))
            continue;
        bytes = hs_problem_entering(problem, keys[k % 2].layer);
        price = hs_stage_price_at(&machines->drawn[j], &problem->group, keys[k % 2], bytes);
        seconds = hs_stage_seconds(&price, bytes);
        error = error_of(machines, &price);
        without += seconds;
        with +=
            native
                ? hs_greater(seconds * native_times(machines, j, &error,
                                                    hs_nccl_layer_class(&machines->believed->nccl,
                                                                        problem->group.ranks,
                                                                        keys[k % 2], bytes),
                                                    bytes),
                             hs_stage_least_seconds(&price, bytes))
                : level_seconds_of_one(machines, j, &error, &price, bytes);
    }
    return without > 0 ? with / without : 1;
}

double hs_machines_plan_seconds(const struct hs_machines *machines, size_t j,
                                const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_stage stages[HS_STAGES_MAX];
    double gaps = (hs_problem_stages(stages, problem, plan) - 1) * plan->chunks;
    double seconds = hs_plan_seconds(&machines->drawn[j], problem, plan), copied = 0;

    for (int i = 0; i < plan->split.count; i++)
        copied += hs_order_seconds(&machines->drawn[j], problem,
                                   hs_problem_layer(problem, &plan->split, i));
    if (!machines->belief)
        seconds = (seconds - copied) * error_times(machines, j, problem, plan) + copied;
    if (hs_system_is_nccl_native(machines->believed))
        seconds = hs_limit_keep(seconds, machines->believed, problem);
    return seconds + gaps * machines->gap_seconds[j];
}

enum hs_status hs_machines_plan_seconds_each(double *seconds, const struct hs_machines *machines,
                                             const struct hs_problem *problem,
                                             const struct hs_plan *plan, struct hs_error *err)
{
    size_t count = machines->count, stages = 0;
    struct hs_stage_key keys[HS_STAGES_MAX];
    bool summed = plan->chunks == 1 && !machines->belief;
    double *each = NULL;
    enum hs_status status;

    for (int i = 0; i < plan->split.count; i++)
        stages += (size_t)hs_problem_plan_ways(&keys[stages], problem, plan, i);
    for (size_t j = 0; j < count; j++)
        seconds[j] = summed ? 0 : hs_machines_plan_seconds(machines, j, problem, plan);
    if (!summed)
        return HS_OK;
    each = malloc((stages * count + 1) * sizeof(*each));
    if (!each)
        return hs_no_memory(err);
    status = hs_machines_seconds(each, machines, problem, keys, stages, err);
    for (size_t i = 0; i < stages && !status; i++)
        for (size_t j = 0; j < count; j++)
            seconds[j] += each[i * count + j];
    for (size_t j = 0; hs_system_is_nccl_native(machines->believed) && j < count; j++)
        seconds[j] = hs_limit_keep(seconds[j], machines->believed, problem);
    free(each);
    return status;
}

/* ---- what the library does by itself --------------------------------------------------------- */

/* NCCL's calls err already. */
static enum hs_status nccl_each(double *seconds, const struct hs_machines *machines,
                                const struct hs_problem *problem, struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(problem);
    bool gaps = problem->group.skips[0].inside > 0;
    struct hs_nccl_ask ask =
        hs_nccl_ask_of(&machines->believed->nccl, &problem->group,
                       hs_collectives[problem->collective].last, problem->bytes);
    enum hs_status status = hs_machines_plan_seconds_each(seconds, machines, problem, &flat, err);

    /* With gaps the flat plan is no call of the library's; its own is off as far as that. */
    for (size_t j = 0; gaps && !status && j < machines->count; j++) {
        const struct hs_system *drawn = &machines->drawn[j];

        seconds[j] = hs_limit_keep(seconds[j] * hs_nccl_seconds(&drawn->nccl, &ask) /
                                       hs_plan_seconds(drawn, problem, &flat),
                                   machines->believed, problem);
    }
    return status;
}

/* A stage of RCCL's calls, which err apart by kind and by whether they leave nodes, as the default
 * call of that kind does: draws of one machine are each other's, moved along. */
static double rccl_stage(const struct hs_machines *machines, size_t j,
                         const struct hs_problem *problem, struct hs_stage_key key, double bytes)
{
    const struct hs_system *machine = &machines->drawn[j];
    int count = key.phase == HS_PAIR ? 2 : 1;
    double seconds = hs_problem_gaps(problem, key) * machines->gap_seconds[j];

    for (int k = 0; k < count; k++) {
        struct hs_stage_key one = key;
        struct hs_rccl_call call;
        size_t moved;

        if (key.phase == HS_PAIR)
            one.phase = k == 0 ? HS_REDUCE_SCATTER : HS_ALLGATHER;
        call = hs_rccl_call_of(machine, &problem->group, one, bytes);
        moved = (2 * (size_t)call.kind + (call.nodes > 1)) * machines->count /
                (2 * (size_t)HS_LIBRARY_CALL_COUNT);
        seconds += hs_limit_keep_stage(
            hs_rccl_price_model.seconds(&call, machine->nccl.own) *
                common_times(machines, j, hs_rccl_error_class(&call), call.bytes) *
                exp(hs_rccl_noise(&call) * machines->noise[(j + moved) % machines->count]),
            machine, problem->group.ranks, one, bytes);
    }
    return seconds;
}

static double rccl_plan(const struct hs_machines *machines, size_t j,
                        const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);
    double seconds = 0;

    for (int i = 0; i < count; i++)
        seconds += plan->chunks * rccl_stage(machines, j, problem, stages[i].key,
                                             stages[i].bytes / plan->chunks) +
                   hs_order_seconds(&machines->drawn[j], problem, stages[i].key.layer);
    return hs_limit_keep(seconds, &machines->drawn[j], problem);
}

/* Of an MPI library's calls, and of plans by its steps. */
static double mpi_times(const struct hs_machines *machines, size_t j, double bytes)
{
    return hs_mpi_system_doubt(machines->believed) == HS_NCCL_DOUBT_CLASS
               ? common_times(machines, j, hs_mpi_error_class(machines->believed), bytes)
               : 1;
}

/* The machine of a sample: its constants say how far the levels are off, too. */
static struct hs_system mpi_machine(const struct hs_machines *machines, size_t j)
{
    struct hs_system machine = *machines->believed; /* borrows all that it owns */

    machine.constants = machines->drawn[j].constants;
    return machine;
}

enum hs_status hs_library_seconds_each(double *seconds, const struct hs_library_price *price,
                                       const struct hs_machines *machines,
                                       const struct hs_problem *problem, struct hs_error *err)
{
    enum hs_error_class class = hs_mpi_error_class(machines->believed);
    double noise = sqrt(2) * hs_error_point(class, problem->bytes); /* of both sides */

    if (price->library == HS_LIBRARY_NCCL)
        return nccl_each(seconds, machines, problem, err);
    for (size_t j = 0; price->library == HS_LIBRARY_RCCL && j < machines->count; j++) {
        struct hs_plan flat = hs_problem_flat(problem);

        seconds[j] = rccl_plan(machines, j, problem, &flat);
    }
    if (price->library == HS_LIBRARY_RCCL)
        return HS_OK;
    for (size_t j = 0; j < machines->count; j++) {
        struct hs_system machine = mpi_machine(machines, j);
        struct hs_mpi_call call = j % 2 ? price->mpi_otherwise : price->mpi;
        double values[HS_MPI_K_COUNT];

        call.system = &machine;
        hs_mpi_system_values(values, &machine);
        seconds[j] =
            hs_mpi_price_model.seconds(&call, values) * mpi_times(machines, j, problem->bytes);
        seconds[j] = hs_limit_keep(seconds[j], &machine, problem) * exp(noise * machines->noise[j]);
    }
    return HS_OK;
}

void hs_library_stage_seconds_each(double *seconds, const struct hs_machines *machines,
                                   const struct hs_problem *problem,
                                   const struct hs_stage_key *keys, size_t count)
{
    bool rccl = hs_system_library(machines->believed) == HS_LIBRARY_RCCL;

    for (size_t j = 0; rccl && j < machines->count; j++)
        for (size_t i = 0; i < count; i++)
            seconds[i * machines->count + j] =
                rccl_stage(machines, j, problem, keys[i],
                           hs_problem_entering(problem, keys[i].layer)) +
                hs_order_seconds(&machines->drawn[j], problem, keys[i].layer);
    for (size_t j = 0; !rccl && j < machines->count; j++) {
        struct hs_system machine = mpi_machine(machines, j);
        double values[HS_MPI_K_COUNT], times = mpi_times(machines, j, problem->bytes);

        hs_mpi_system_values(values, &machine);
        for (size_t i = 0; i < count; i++)
            seconds[i * machines->count + j] =
                hs_mpi_stage_seconds(&machine, problem, keys[i], values, times);
    }
}

void hs_library_plan_seconds_each(double *seconds, const struct hs_machines *machines,
                                  const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_plan_cost cost;
    double apart = 0;

    if (hs_system_library(machines->believed) == HS_LIBRARY_RCCL) {
        for (size_t j = 0; j < machines->count; j++)
            seconds[j] = rccl_plan(machines, j, problem, plan);
        return;
    }
    cost = hs_plan_cost(machines->believed, problem, plan);
    for (int i = 0; i < cost.count; i++)
        apart += cost.stages[i].seconds;
    for (size_t j = 0; j < machines->count; j++) {
        struct hs_system machine = mpi_machine(machines, j);

        seconds[j] =
            hs_mpi_plan_seconds(&machine, problem, plan, mpi_times(machines, j, problem->bytes));
        if (plan->chunks > 1) /* which overlap by as much as by the levels' price */
            seconds[j] *= cost.seconds / apart;
        seconds[j] = hs_limit_keep(seconds[j], &machine, problem);
    }
}
