#include "model/price_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/constants_mpi.h"
#include "model/library_mpi.h"
#include "model/price.h"

bool hs_library_is_priced(const struct hs_library_price *price)
{
    return isfinite(price->seconds);
}

double hs_library_plan_seconds(const struct hs_library_price *price, const struct hs_system *system,
                               const struct hs_problem *problem, const struct hs_plan *plan,
                               double seconds)
{
    bool mpi = price->library == HS_LIBRARY_MPICH || price->library == HS_LIBRARY_OPENMPI;

    if (!mpi || system->constants.count == 0)
        return seconds;
    return hs_mpi_plan_seconds(system, problem, plan);
}

/* Whether NCCL's call of a group has a price: it is a layer's (hs_nccl_layer_price), with as many
 * ranks in each of its domains, these just as far apart. */
static bool nests(const struct hs_group *group, int64_t gpus)
{
    int64_t span = hs_group_span(group, group->size);

    if (hs_group_is_world(group))
        return true;
    if (span <= gpus)
        return gpus % span == 0;
    if (group->stride >= gpus)
        return group->stride % gpus == 0;
    return gpus % group->stride == 0 && span % gpus == 0;
}

/* The call of a group with gaps, by the domains that it has GPUs of: false: not as many of each. */
static bool ask_with_gaps(struct hs_nccl_ask *ask, const struct hs_system *system,
                          const struct hs_problem *problem, double bytes)
{
    const struct hs_group *group = &problem->group;
    int64_t gpus = hs_group_ranks_of_unit(group, system->nccl.gpus);

    if (gpus == 0)
        return false;
    *ask = (struct hs_nccl_ask){.kind = hs_nccl_call_of(hs_collectives[problem->collective].last),
                                .domains = group->size / gpus,
                                .gpus = gpus,
                                .bytes = bytes,
                                .group = group};
    return true;
}

static bool price_of_nccl(struct hs_nccl_price *price, const struct hs_system *system,
                          const struct hs_problem *problem)
{
    const struct hs_group *group = &problem->group;
    struct hs_stage_key key = {hs_collectives[problem->collective].last,
                               HS_NATIVE,
                               {group->stride, group->size}}; /* of a flat call */
    struct hs_nccl_ask ask;

    if (group->skips[0].inside > 0)
        return ask_with_gaps(&ask, system, problem, problem->bytes) &&
               hs_nccl_price(price, &system->nccl, &ask, NULL) == HS_OK;
    return nests(group, system->nccl.gpus) &&
           hs_nccl_layer_price(price, &system->nccl, key, problem->bytes, NULL) == HS_OK;
}

static double latency_of_nccl(const struct hs_system *system, const struct hs_problem *problem)
{
    const struct hs_group *group = &problem->group;
    struct hs_stage_key key = {hs_collectives[problem->collective].last,
                               HS_NATIVE,
                               {group->stride, group->size}}; /* of a flat call */
    double bytes = fmin(problem->bytes, HS_NEXT_TO_NO_BYTES);
    struct hs_nccl_ask ask;

    if (group->skips[0].inside > 0)
        return ask_with_gaps(&ask, system, problem, bytes) ? hs_nccl_seconds(&system->nccl, &ask)
                                                           : NAN;
    return hs_nccl_layer_seconds(&system->nccl, hs_system_kept(system), key, bytes);
}

static void price_nccl(struct hs_library_price *out, const struct hs_system *system,
                       const struct hs_problem *problem)
{
    const struct hs_group *group = &problem->group;
    struct hs_nccl_price price;

    if (!price_of_nccl(&price, system, problem))
        return;
    snprintf(out->choice, sizeof(out->choice), "%s, %s",
             hs_nccl_algorithm_names[price.choice.algorithm],
             hs_nccl_protocol_names[price.choice.protocol]);
    out->seconds = price.seconds;
    out->low_seconds = price.low_seconds;
    out->high_seconds = price.high_seconds;
    out->latency_seconds = latency_of_nccl(system, problem);
    if (hs_group_span(group, group->size) > system->nccl.gpus &&
        price.choice.algorithm != HS_NCCL_RING)
        out->level = 1; /* a tree's nodes send more over the network than a ring's */
}

/* Ranks of a group that share a node; 1 where nodes do not hold as many of each. */
static int64_t ranks_of_node(const struct hs_system *system, const struct hs_group *group)
{
    int64_t node = hs_system_node_ranks(system), tasks = node / group->stride;

    return node % group->stride == 0 && tasks > 1 && tasks < group->size ? tasks : 1;
}

static void price_mpi(struct hs_library_price *out, const struct hs_system *system,
                      const struct hs_problem *problem, double elements)
{
    int64_t np = problem->group.size, tasks = ranks_of_node(system, &problem->group);
    enum hs_phase whole = hs_collectives[problem->collective].last; /* of a flat call */
    double bytes = problem->bytes;
    struct hs_mpi_choice choice = hs_mpi_choose(out->library, whole, np, tasks, bytes, elements);
    struct hs_mpi_call call = {.machine = HS_MPI_SYSTEM,
                               .kind = hs_nccl_call_of(whole),
                               .algorithm = choice.algorithm,
                               .ranks = np,
                               .tasks = tasks,
                               .bytes = bytes,
                               .system = system,
                               .stride = problem->group.stride,
                               .at_once = problem->group.ranks,
                               .in_nodes = choice.in_nodes};
    double values[HS_MPI_K_COUNT], range;

    out->mpi = call;
    hs_mpi_system_values(values, system);
    snprintf(out->choice, sizeof(out->choice), "%s", hs_mpi_choice_text(choice));
    out->seconds = hs_mpi_price_model.seconds(&call, values);
    range = exp(HS_PRICE_RANGE * hs_mpi_deviation(&call, values, hs_mpi_system_doubt(system),
                                                  system->constants.residual));
    out->low_seconds = out->seconds / range;
    out->high_seconds = out->seconds * range;
    call.bytes = fmin(bytes, HS_NEXT_TO_NO_BYTES);
    out->latency_seconds = hs_mpi_price_model.seconds(&call, values);
}

struct hs_library_price hs_library_price(const struct hs_system *system,
                                         const struct hs_problem *problem, size_t element_bytes)
{
    int64_t np = problem->group.size, ranks = problem->group.ranks;
    struct hs_plan flat = hs_problem_flat(problem);
    struct hs_stage_key ring = {hs_collectives[problem->collective].last, HS_RING,
                                hs_problem_layer(problem, &flat.split, flat.split.count - 1)};
    struct hs_library_price price = {.seconds = NAN,
                                     .low_seconds = NAN,
                                     .high_seconds = NAN,
                                     .latency_seconds = NAN,
                                     .best_seconds = NAN,
                                     .gain = HS_GAIN_UNKNOWN};

    if (system->fits.count > 0)
        return price;
    price.library = hs_system_library(system);
    if (np == 1)
        return price;
    price.level = hs_stage_price(system, ranks, ring).bottleneck;
    if (price.library == HS_LIBRARY_NCCL)
        price_nccl(&price, system, problem);
    else if (problem->group.skips[0].inside == 0 &&
             (price.library == HS_LIBRARY_MPICH || price.library == HS_LIBRARY_OPENMPI))
        price_mpi(&price, system, problem, problem->bytes / (double)element_bytes);
    return price;
}

/* ---- gains on machines drawn ----------------------------------------------------------------- */

static enum hs_status nccl_gains(double *gains, const struct hs_machines *machines,
                                 const struct hs_problem *problem, const struct hs_plan *plan,
                                 struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(problem);
    double *seconds = malloc(machines->count * sizeof(*seconds));
    enum hs_status status = seconds ? HS_OK : hs_no_memory(err);
    bool gaps = problem->group.skips[0].inside > 0;

    if (!status)
        status = hs_machines_plan_seconds_each(gains, machines, problem, &flat, err);
    if (!status)
        status = hs_machines_plan_seconds_each(seconds, machines, problem, plan, err);
    for (size_t j = 0; !status && j < machines->count; j++) {
        const struct hs_system *drawn = &machines->drawn[j];
        struct hs_nccl_ask ask;

        gains[j] /= seconds[j];
        /* With gaps the flat plan is no call of the library's; its own is off as far as that. */
        if (gaps && ask_with_gaps(&ask, drawn, problem, problem->bytes))
            gains[j] *=
                hs_nccl_seconds(&drawn->nccl, &ask) / hs_plan_seconds(drawn, problem, &flat);
    }
    free(seconds);
    return status;
}

/* Of an MPI library both by its steps, whose constants say how far the levels are off, too. */
static double mpi_gain(const struct hs_library_price *price, const struct hs_machines *machines,
                       size_t j, const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_system machine = *machines->believed; /* borrows all that it owns */
    struct hs_mpi_call call = price->mpi;
    double values[HS_MPI_K_COUNT];

    machine.constants = machines->drawn[j].constants;
    call.system = &machine;
    hs_mpi_system_values(values, &machine);
    return hs_mpi_price_model.seconds(&call, values) / hs_mpi_plan_seconds(&machine, problem, plan);
}

static void mpi_gains(double *gains, const struct hs_library_price *price,
                      const struct hs_machines *machines, const struct hs_problem *problem,
                      const struct hs_plan *plan)
{
    double noise = sqrt(2) * hs_mpi_price_model.scatter; /* of both sides' steps */

    for (size_t j = 0; j < machines->count; j++)
        gains[j] = exp(noise * machines->noise[j]) * mpi_gain(price, machines, j, problem, plan);
}

/* NCCL's calls err already. */
enum hs_status hs_library_gain(struct hs_gain *out, const struct hs_library_price *price,
                               const struct hs_machines *machines, const struct hs_problem *problem,
                               const struct hs_plan *plan, struct hs_error *err)
{
    bool nccl = price->library == HS_LIBRARY_NCCL;
    double *gains;
    enum hs_status status = HS_OK;

    *out = (struct hs_gain){1, 1, 1, 0};
    if (nccl && hs_plan_is_flat(plan)) /* the same call */
        return HS_OK;
    gains = malloc(machines->count * sizeof(*gains));
    if (!gains)
        return hs_no_memory(err);
    if (nccl)
        status = nccl_gains(gains, machines, problem, plan, err);
    else
        mpi_gains(gains, price, machines, problem, plan);
    if (!status)
        *out = hs_gain_of(gains, machines->count);
    free(gains);
    return status;
}

bool hs_library_is_left_alone(const struct hs_gain *gain)
{
    return gain->median < HS_ADVICE_GAIN || gain->share < HS_ADVICE_SHARE;
}
