#include "library/price_library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library/constants_mpi.h"
#include "library/library_mpi.h"
#include "library/limit.h"
#include "library/mpi_steps.h"
#include "library/price_mpi.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"
#include "library/price_rccl.h"

bool hs_library_is_priced(const struct hs_library_price *price)
{
    return isfinite(price->seconds);
}

bool hs_library_prices_plans(const struct hs_library_price *price)
{
    return hs_library_is_priced(price) &&
           (hs_library_mpi_rule(price->library) || price->library == HS_LIBRARY_RCCL);
}

static struct hs_nccl_ask ask_nccl(const struct hs_system *system, const struct hs_problem *problem,
                                   double bytes)
{
    return hs_nccl_ask_of(&system->nccl, &problem->group, hs_collectives[problem->collective].last,
                          bytes);
}

static void price_nccl(struct hs_library_price *out, const struct hs_system *system,
                       const struct hs_problem *problem)
{
    struct hs_nccl_ask ask = ask_nccl(system, problem, problem->bytes);
    struct hs_nccl_price price;

    if (hs_nccl_price(&price, &system->nccl, &ask, NULL))
        return;
    out->forced = system->nccl.among >> price.choice.algorithm & 1;
    snprintf(out->choice, sizeof(out->choice), "%s, %s%s",
             hs_nccl_algorithm_names[price.choice.algorithm],
             hs_nccl_protocol_names[price.choice.protocol], out->forced ? ", forced" : "");
    out->nccl_algorithm = (int)price.choice.algorithm;
    out->nccl_protocol = (int)price.choice.protocol;
    out->seconds = price.seconds;
    out->low_seconds = price.low_seconds;
    out->high_seconds = price.high_seconds;
    if (ask.domains > 1 && price.choice.algorithm != HS_NCCL_RING)
        out->level = 1; /* a tree's nodes send more over the network than a ring's */
    ask.bytes = fmin(problem->bytes, HS_NEXT_TO_NO_BYTES);
    out->latency_seconds = hs_nccl_seconds(&system->nccl, &ask);
}

/* Ranks of a group that share a node; 1 where nodes do not hold as many of each. */
static int64_t ranks_of_node(const struct hs_system *system, const struct hs_group *group)
{
    int64_t node = hs_system_node_ranks(system), tasks = node / group->stride;

    return node % group->stride == 0 && tasks > 1 && tasks < group->size ? tasks : 1;
}

/* What is forced, where such a call can be that. */
static bool force_mpi(struct hs_mpi_choice *choice, const struct hs_system *system,
                      enum hs_phase whole)
{
    for (int a = 0; system->library_algorithm && a < HS_MPI_ALGORITHM_COUNT; a++)
        if (strcmp(hs_mpi_algorithm_names[a], system->library_algorithm) == 0 &&
            hs_mpi_has_steps((enum hs_mpi_algorithm)a, whole)) {
            *choice = (struct hs_mpi_choice){.phase = choice->phase,
                                             .algorithm = (enum hs_mpi_algorithm)a};
            return true;
        }
    return false;
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
                               .ranks = np,
                               .tasks = tasks,
                               .bytes = bytes,
                               .system = system,
                               .stride = problem->group.stride,
                               .at_once = problem->group.ranks};
    double values[HS_MPI_K_COUNT], range, otherwise;

    out->forced = force_mpi(&choice, system, whole);
    call.algorithm = choice.algorithm;
    call.in_nodes = choice.in_nodes;
    out->mpi = out->mpi_otherwise = call;
    if (!out->forced && hs_system_shares_memory(system) && system->constants.count == 0)
        out->mpi_otherwise.algorithm =
            hs_mpi_choose_otherwise(out->library, whole, np, tasks, bytes, elements).algorithm;
    hs_mpi_system_values(values, system);
    snprintf(out->choice, sizeof(out->choice), "%s%s", hs_mpi_choice_text(choice),
             out->forced ? ", forced" : "");
    out->seconds = hs_mpi_price_model.seconds(&call, values);
    range = exp(HS_PRICE_RANGE * hs_mpi_deviation(&call, values, hs_mpi_system_doubt(system),
                                                  system->constants.residual));
    otherwise = hs_mpi_price_model.seconds(&out->mpi_otherwise, values);
    out->low_seconds = fmin(out->seconds, otherwise) / range;
    out->high_seconds = fmax(out->seconds, otherwise) * range;
    call.bytes = fmin(bytes, HS_NEXT_TO_NO_BYTES);
    out->latency_seconds = hs_mpi_price_model.seconds(&call, values);
}

/* Which algorithm runs is not known. */
static void price_rccl(struct hs_library_price *out, const struct hs_system *system,
                       const struct hs_problem *problem, struct hs_stage_key key)
{
    struct hs_rccl_call call = hs_rccl_call_of(system, &problem->group, key, problem->bytes);
    double values[HS_RCCL_K_COUNT], range;

    hs_constants_shipped(values, &hs_rccl_price_model);
    snprintf(out->choice, sizeof(out->choice), "algorithm not modelled");
    out->seconds = hs_rccl_price_model.seconds(&call, values);
    range = exp(HS_PRICE_RANGE * hs_rccl_deviation(&call, values));
    out->low_seconds = out->seconds / range;
    out->high_seconds = out->seconds * range;
    call = hs_rccl_call_of(system, &problem->group, key, fmin(problem->bytes, HS_NEXT_TO_NO_BYTES));
    out->latency_seconds = hs_rccl_price_model.seconds(&call, values);
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
                                     .nccl_algorithm = -1,
                                     .nccl_protocol = -1};

    if (system->fits.count > 0)
        return price;
    price.library = hs_system_library(system);
    if (np == 1)
        return price;
    price.level = hs_stage_price(system, ranks, ring).bottleneck;
    if (price.library == HS_LIBRARY_NCCL)
        price_nccl(&price, system, problem);
    else if (problem->group.skips[0].inside == 0 && hs_library_mpi_rule(price.library))
        price_mpi(&price, system, problem, problem->bytes / (double)element_bytes);
    else if (problem->group.skips[0].inside == 0 && price.library == HS_LIBRARY_RCCL)
        price_rccl(&price, system, problem, ring);
    price.seconds = hs_limit_keep(price.seconds, system, problem);
    price.low_seconds = hs_limit_keep(price.low_seconds, system, problem);
    price.high_seconds = hs_limit_keep(price.high_seconds, system, problem);
    return price;
}

double hs_library_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                               const struct hs_plan *plan)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);
    double values[HS_RCCL_K_COUNT], seconds = 0;

    if (hs_system_library(system) != HS_LIBRARY_RCCL)
        return hs_mpi_plan_seconds(system, problem, plan, 1);
    hs_constants_shipped(values, &hs_rccl_price_model);
    for (int i = 0; i < count; i++) {
        double bytes = stages[i].bytes / plan->chunks;
        struct hs_rccl_call call = hs_rccl_call_of(system, &problem->group, stages[i].key, bytes);

        seconds +=
            plan->chunks * hs_limit_keep_stage(hs_rccl_price_model.seconds(&call, values), system,
                                               problem->group.ranks, stages[i].key, bytes) +
            hs_order_seconds(system, problem, stages[i].key.layer);
    }
    return hs_limit_keep(seconds, system, problem);
}
