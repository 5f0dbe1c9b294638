#include "model/price_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "model/constants_mpi.h"
#include "model/library_mpi.h"
#include "model/price.h"

#define NEXT_TO_NO_BYTES 8.0

bool hs_library_is_priced(const struct hs_library_price *price)
{
    return isfinite(price->seconds);
}

/* Whether MPI's own calls are priced with more than the levels' latencies and bandwidths. */
static bool has_protocols(const struct hs_system *system)
{
    bool waits = system->constants.count > 0;

    for (size_t l = 0; l < system->level_count; l++)
        waits = waits || system->levels[l].rendezvous_seconds > 0;
    return waits;
}

double hs_library_plan_seconds(const struct hs_library_price *price, const struct hs_system *system,
                               const struct hs_problem *problem, const struct hs_plan *plan,
                               double seconds)
{
    bool mpi = price->library == HS_LIBRARY_MPICH || price->library == HS_LIBRARY_OPENMPI;

    if (!mpi || !has_protocols(system))
        return seconds;
    return hs_mpi_plan_seconds(system, problem, plan);
}

static void price_nccl(struct hs_library_price *out, const struct hs_system *system, int64_t np,
                       double bytes)
{
    int64_t gpus = system->nccl.gpus;
    struct hs_nccl_ask ask = {.kind = HS_CALL_ALLREDUCE, .bytes = bytes};
    struct hs_nccl_price price, short_price;

    ask.gpus = gpus < np ? gpus : np;
    ask.domains = (np + ask.gpus - 1) / ask.gpus;
    if (hs_nccl_price(&price, &system->nccl, &ask, NULL))
        return;
    ask.bytes = fmin(bytes, NEXT_TO_NO_BYTES);
    if (hs_nccl_price(&short_price, &system->nccl, &ask, NULL))
        return;
    snprintf(out->choice, sizeof(out->choice), "%s, %s",
             hs_nccl_algorithm_names[price.choice.algorithm],
             hs_nccl_protocol_names[price.choice.protocol]);
    out->seconds = price.seconds;
    out->low_seconds = price.low_seconds;
    out->high_seconds = price.high_seconds;
    out->latency_seconds = short_price.seconds;
    if (ask.domains > 1 && price.choice.algorithm != HS_NCCL_RING)
        out->level = 1; /* a tree's nodes send more over the network than a ring's */
}

/* A node is the unit of the first level, where there are more levels. */
static int64_t ranks_of_node(const struct hs_system *system, int64_t np)
{
    int64_t tasks = hs_system_child_ranks(system, 1);

    return system->level_count > 1 && tasks < np ? tasks : 1;
}

static void price_mpi(struct hs_library_price *out, const struct hs_system *system, int64_t np,
                      double bytes, double elements)
{
    int64_t tasks = ranks_of_node(system, np);
    struct hs_mpi_choice choice = hs_mpi_choose(out->library, np, tasks, bytes, elements);
    struct hs_mpi_call call = {.machine = HS_MPI_SYSTEM,
                               .algorithm = choice.algorithm,
                               .ranks = np,
                               .tasks = tasks,
                               .bytes = bytes,
                               .system = system,
                               .in_nodes = choice.in_nodes};
    double doubt = system->constants.count > 0 ? HS_NCCL_DOUBT_OWN : HS_NCCL_DOUBT_CLASS;
    double values[HS_MPI_K_COUNT], range;

    out->mpi = call;
    hs_mpi_system_values(values, system);
    snprintf(out->choice, sizeof(out->choice), "%s", hs_mpi_choice_text(choice));
    out->seconds = hs_mpi_price_model.seconds(&call, values);
    range = exp(HS_PRICE_RANGE * hs_mpi_deviation(&call, values, doubt));
    out->low_seconds = out->seconds / range;
    out->high_seconds = out->seconds * range;
    call.bytes = fmin(bytes, NEXT_TO_NO_BYTES);
    out->latency_seconds = hs_mpi_price_model.seconds(&call, values);
}

struct hs_library_price hs_library_price(const struct hs_system *system,
                                         const struct hs_problem *problem, size_t element_bytes)
{
    int64_t np = problem->group.size;
    struct hs_stage_key ring = {HS_ALLREDUCE, HS_RING, {1, np}};
    struct hs_library_price price = {.seconds = NAN,
                                     .low_seconds = NAN,
                                     .high_seconds = NAN,
                                     .latency_seconds = NAN,
                                     .best_seconds = NAN};

    if (system->fits.count > 0)
        return price;
    price.library = hs_system_library(system);
    if (np == 1)
        return price;
    price.level = hs_stage_price(system, np, ring).bottleneck;
    if (price.library == HS_LIBRARY_NCCL)
        price_nccl(&price, system, np, problem->bytes);
    else if (price.library == HS_LIBRARY_MPICH || price.library == HS_LIBRARY_OPENMPI)
        price_mpi(&price, system, np, problem->bytes, problem->bytes / (double)element_bytes);
    return price;
}

/* ---- machines drawn -------------------------------------------------------------------------- */

static double drawn(double value, double deviation, uint64_t *state)
{
    return value * exp(deviation * hs_random_normal(state));
}

/* Between two calls of a plan: next to nothing in one stream, 20 us and more where a host waits (a
 * published two-level AllReduce of MareNostrum 5 against the sum of its calls). */
#define GAP_SECONDS   10e-6
#define GAP_DEVIATION 0.8

/* The plan's gain on one machine whose NCCL has other constants. */
static double nccl_gain(const struct hs_system *system, const struct hs_problem *problem,
                        const struct hs_plan *plan, uint64_t *state)
{
    const struct hs_nccl_machine *believed = &system->nccl;
    struct hs_plan flat = hs_plan_flat(problem->group.size);
    struct hs_system machine = *system; /* borrows all that it owns */
    double deviations[HS_NCCL_K_COUNT], gaps;

    hs_nccl_deviations(deviations, &believed->parts, problem->group.size > believed->gpus ? 2 : 1,
                       believed->doubt);
    for (size_t k = 0; k < HS_NCCL_K_COUNT; k++) {
        const struct hs_constant *row = &hs_nccl_price_model.constants[k];

        machine.nccl.own[k] =
            drawn(believed->own[k] > 0 ? believed->own[k] : row->fitted, deviations[k], state);
    }
    gaps = drawn(GAP_SECONDS, GAP_DEVIATION, state) * 2 * (plan->split.count - 1) * plan->chunks;
    return hs_plan_seconds(&machine, problem, &flat) /
           (hs_plan_seconds(&machine, problem, plan) + gaps);
}

/* The same of an MPI library: both by its steps. */
static double mpi_gain(const struct hs_library_price *price, const struct hs_system *system,
                       const struct hs_problem *problem, const struct hs_plan *plan,
                       uint64_t *state)
{
    double doubt = system->constants.count > 0 ? HS_NCCL_DOUBT_OWN : HS_NCCL_DOUBT_CLASS;
    struct hs_own_constant constants[HS_MPI_K_COUNT];
    double values[HS_MPI_K_COUNT];
    struct hs_system machine = *system; /* borrows all that it owns */
    struct hs_mpi_call call = price->mpi;

    hs_mpi_system_values(values, system);
    for (size_t k = 0; k < HS_MPI_K_COUNT; k++) {
        const struct hs_constant *row = &hs_mpi_price_model.constants[k];

        constants[k] =
            (struct hs_own_constant){.value = drawn(values[k], doubt * row->width, state)};
        snprintf(constants[k].name, sizeof(constants[k].name), "%s", row->name);
    }
    machine.constants.items = constants;
    machine.constants.count = HS_MPI_K_COUNT;
    call.system = &machine;
    hs_mpi_system_values(values, &machine);
    return hs_mpi_price_model.seconds(&call, values) / hs_mpi_plan_seconds(&machine, problem, plan);
}

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

struct hs_library_odds hs_library_odds(const struct hs_library_price *price,
                                       const struct hs_system *system,
                                       const struct hs_problem *problem, const struct hs_plan *plan)
{
    bool nccl = price->library == HS_LIBRARY_NCCL;
    double noise = sqrt(2) * (nccl ? hs_nccl_noise(problem->bytes) : hs_mpi_price_model.scatter);
    double gains[HS_ADVICE_MACHINES];
    struct hs_library_odds odds;
    uint64_t state = 1;
    int wins = 0;

    if (nccl && hs_plan_is_flat(plan)) /* the same call */
        return (struct hs_library_odds){1, 0, 1};
    for (size_t i = 0; i < HS_ADVICE_MACHINES; i++) {
        double gain = nccl ? nccl_gain(system, problem, plan, &state)
                           : mpi_gain(price, system, problem, plan, &state);

        gains[i] = drawn(gain, noise, &state);
        wins += gains[i] > 1;
    }
    qsort(gains, HS_ADVICE_MACHINES, sizeof(*gains), compare_doubles);
    odds.share = wins / (double)HS_ADVICE_MACHINES;
    odds.median_gain = gains[HS_ADVICE_MACHINES / 2];
    odds.worst_gain = gains[HS_ADVICE_MACHINES / 20];
    return odds;
}

bool hs_library_is_left_alone(const struct hs_library_odds *odds)
{
    return odds->median_gain < HS_ADVICE_GAIN || odds->share < HS_ADVICE_SHARE;
}
