#include "estimate/machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "estimate/belief.h"
#include "library/constants_mpi.h"
#include "library/price_mpi.h"
#include "library/price_nccl.h"
#include "library/price_rccl.h"
#include "model/kept.h"
#include "system/figure.h"

/* Between two calls of a plan: next to nothing in one stream, 20 us and more where a host waits (a
 * published two-level AllReduce of MareNostrum 5 against the sum of its calls). */
#define GAP_SECONDS   10e-6
#define GAP_DEVIATION 0.8

/* ---- what is drawn --------------------------------------------------------------------------- */

static bool is_mpi(const struct hs_system *system)
{
    return hs_library_mpi_rule(hs_system_library(system)) != HS_LIBRARY_UNSAID;
}

static void add_figure(struct hs_machines *machines, int what, size_t index, double deviation)
{
    machines->figures[machines->figure_count++] =
        (struct hs_machines_figure){.what = what, .index = index, .deviation = deviation};
}

static void add_constants(struct hs_machines *machines, const double *deviations, size_t count)
{
    for (size_t k = 0; k < count; k++)
        add_figure(machines, HS_CONSTANT_OF, k, deviations[k]);
}

/* The launch cost is as good as the latency that it stands beside. */
static void add_levels(struct hs_machines *machines)
{
    const struct hs_system *system = machines->believed;

    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];

        add_figure(machines, HS_LATENCY_OF, l, hs_level_latency_kind(level)->latency_deviation);
        add_figure(machines, HS_BANDWIDTH_OF, l,
                   hs_level_bandwidth_kind(level)->bandwidth_deviation);
    }
    add_figure(machines, HS_LAUNCH_OF, 0,
               hs_level_latency_kind(&system->levels[0])->latency_deviation);
}

/* 0 where nothing is said and the price has no calls of a library's. */
static double believed_gap(const struct hs_system *system)
{
    if (system->gap_seconds > 0)
        return system->gap_seconds;
    return hs_system_is_nccl_native(system) || hs_system_library(system) == HS_LIBRARY_RCCL
               ? GAP_SECONDS
               : 0;
}

static double gap_deviation(const struct hs_system *system)
{
    double fitted = hs_figure_kinds[HS_FIGURE_FITTED].latency_deviation;

    if (!(system->gap_seconds > 0))
        return GAP_DEVIATION;
    return fmax(fitted, system->gap_ci95_seconds / HS_NORMAL95 / system->gap_seconds);
}

static void list_figures(struct hs_machines *machines)
{
    const struct hs_system *system = machines->believed;
    const struct hs_parts *parts = &system->nccl.parts;
    double deviations[HS_CONSTANTS_MAX];

    if (system->fits.count > 0)
        return;
    if (hs_system_is_nccl_native(system)) {
        machines->domains = parts->nic_count > 0 ? 2 : 1;
        hs_nccl_deviations(deviations, parts, machines->domains, system->nccl.doubt);
        add_constants(machines, deviations,
                      system->nccl.use.registered ? HS_NCCL_K_COUNT : HS_NCCL_K_REGISTERED);
        add_figure(machines, HS_GAP_OF, 0, gap_deviation(system));
        return;
    }
    if (is_mpi(system)) {
        hs_constants_deviations(deviations, &hs_mpi_price_model, hs_mpi_system_doubt(system));
        for (size_t k = 0; k < HS_MPI_K_COUNT; k++)
            if (hs_system_shares_memory(system) || !hs_mpi_constant_is_of_memory(k))
                add_figure(machines, HS_CONSTANT_OF, k, deviations[k]);
    }
    if (hs_system_library(system) == HS_LIBRARY_RCCL) {
        hs_constants_deviations(deviations, &hs_rccl_price_model, 1);
        add_constants(machines, deviations, HS_RCCL_K_COUNT);
    }
    add_levels(machines);
    if (believed_gap(system) > 0)
        add_figure(machines, HS_GAP_OF, 0, gap_deviation(system));
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* What NCCL's price, or an MPI library's, takes where nobody drew. */
static void believed_constants(double *values, const struct hs_system *system)
{
    if (hs_system_library(system) == HS_LIBRARY_RCCL) {
        hs_constants_shipped(values, &hs_rccl_price_model);
        return;
    }
    if (!hs_system_is_nccl_native(system)) {
        hs_mpi_system_values(values, system);
        return;
    }
    hs_constants_shipped(values, &hs_nccl_price_model);
    for (size_t k = 0; k < HS_NCCL_K_COUNT; k++)
        if (system->nccl.own[k] > 0)
            values[k] = system->nccl.own[k];
}

static void set_constant(struct hs_machines *machines, size_t j, size_t k, double value)
{
    struct hs_own_constant *own;

    if (hs_system_is_nccl_native(machines->believed) ||
        hs_system_library(machines->believed) == HS_LIBRARY_RCCL) {
        machines->drawn[j].nccl.own[k] = value;
        return;
    }
    own = &machines->constants[j * HS_MPI_K_COUNT + k];
    own->value = value;
    snprintf(own->name, sizeof(own->name), "%s", hs_mpi_price_model.constants[k].name);
    machines->drawn[j].constants = (struct hs_own_constants){
        .items = &machines->constants[j * HS_MPI_K_COUNT], .count = HS_MPI_K_COUNT};
}

static void set_figure(struct hs_machines *machines, size_t j,
                       const struct hs_machines_figure *figure, const double *constants)
{
    struct hs_system *machine = &machines->drawn[j];
    double times = exp(figure->deviation * figure->off[j]);

    switch (figure->what) {
    case HS_LATENCY_OF:
        machine->levels[figure->index].latency_seconds *= times;
        break;
    case HS_BANDWIDTH_OF:
        machine->levels[figure->index].bytes_per_second *= times;
        machine->levels[figure->index].shared_bytes_per_second *= times;
        break;
    case HS_LAUNCH_OF:
        machine->launch_seconds *= times;
        break;
    case HS_CONSTANT_OF:
        set_constant(machines, j, figure->index, constants[figure->index] * times);
        break;
    case HS_GAP_OF:
        machines->gap_seconds[j] = believed_gap(machines->believed) * times;
        break;
    }
}

/* No figure of those that decide: only packed calls have it. */
static void draw_copies(struct hs_machines *machines, uint64_t seed)
{
    const struct hs_figure_kind_row *kinds = hs_figure_kinds;
    double deviation = machines->believed->copy_bytes_per_second > 0
                           ? kinds[HS_FIGURE_VENDOR].bandwidth_deviation
                           : kinds[HS_FIGURE_GUESS].latency_deviation;
    uint64_t state = hs_random_bits(&seed);

    for (size_t j = 0; j < machines->count; j++)
        machines->drawn[j].copy_bytes_per_second =
            hs_system_copy_rate(machines->believed) * exp(deviation * hs_random_normal(&state));
}

/* Levels have a sequence of their own, so that what is said of a library does not depend on how
 * many there are. */
static void draw(struct hs_machines *machines, uint64_t seed)
{
    double constants[HS_CONSTANTS_MAX];
    uint64_t state = seed, of_levels = ~seed;

    believed_constants(constants, machines->believed);
    for (size_t j = 0; j < machines->count; j++) {
        machines->drawn[j] = *machines->believed;
        machines->drawn[j].gap_seconds = 0; /* it stands here: */
        machines->gap_seconds[j] = believed_gap(machines->believed);
        for (size_t f = 0; f < machines->figure_count; f++) {
            struct hs_machines_figure *figure = &machines->figures[f];
            bool of_library = figure->what == HS_CONSTANT_OF || figure->what == HS_GAP_OF;

            figure->off[j] = hs_random_normal(of_library ? &state : &of_levels);
            set_figure(machines, j, figure, constants);
        }
        machines->noise[j] = hs_random_normal(&state);
    }
    draw_copies(machines, ~state);
}

void hs_machines_ask(struct hs_machines *machines, int64_t ranks)
{
    const struct hs_nccl_machine *nccl = &machines->believed->nccl;
    double deviations[HS_CONSTANTS_MAX], constants[HS_CONSTANTS_MAX];
    int64_t domains;

    if (machines->domains == 0)
        return;
    domains = (ranks + nccl->gpus - 1) / nccl->gpus;
    if (domains == machines->domains)
        return;
    machines->domains = domains;
    hs_nccl_deviations(deviations, &nccl->parts, domains, nccl->doubt);
    believed_constants(constants, machines->believed);
    for (size_t f = 0; f < machines->figure_count; f++) {
        struct hs_machines_figure *figure = &machines->figures[f];

        if (figure->what != HS_CONSTANT_OF)
            continue;
        figure->deviation = deviations[figure->index];
        for (size_t j = 0; j < machines->count; j++)
            set_figure(machines, j, figure, constants);
    }
    hs_kept_empty(machines->kept);
}

static void draw_errors(struct hs_machines *machines, uint64_t seed)
{
    double *common = &machines->errors[machines->count * machines->errors_of_one];
    uint64_t state = hs_random_bits(&seed), of_classes = ~state;

    for (size_t k = 0; k < machines->count * machines->errors_of_one; k++)
        machines->errors[k] = hs_random_normal(&state);
    for (size_t k = 0; k < machines->count * HS_ERROR_DRAWS; k++)
        common[k] = hs_random_normal(&of_classes);
}

static enum hs_status believe(struct hs_machines *machines, struct hs_error *err)
{
    struct hs_system described = *machines->believed;
    struct hs_belief_options rules = {.as_drawn = true};
    const struct hs_fits *fits = &machines->believed->fits;
    enum hs_status status;

    if (fits->point_count == 0)
        return HS_OK;
    described.fits = (struct hs_fits){NULL};
    status =
        hs_belief_init(&machines->belief, &described, fits->points, fits->point_count, &rules, err);
    /* points that no longer fit the figures: nothing is drawn */
    return status == HS_MEMORY ? status : HS_OK;
}

enum hs_status hs_machines_init(struct hs_machines *machines, const struct hs_system *system,
                                size_t count, uint64_t seed, struct hs_error *err)
{
    bool mpi = is_mpi(system) && system->fits.count == 0;

    *machines = (struct hs_machines){.believed = system, .count = count, .seed = seed};
    machines->errors_of_one =
        hs_machines_errors_before(HS_ALGORITHM_COUNT) * system->level_count * 2 * HS_ERROR_KNOTS;
    list_figures(machines);
    machines->drawn = malloc(count * sizeof(*machines->drawn));
    machines->gap_seconds = calloc(count, sizeof(double));
    machines->noise = malloc(count * sizeof(double));
    machines->errors = malloc(count * (machines->errors_of_one + HS_ERROR_DRAWS) * sizeof(double));
    machines->offs = malloc((machines->figure_count + 1) * count * sizeof(double));
    machines->kept = hs_kept_new();
    if (mpi)
        machines->constants = calloc(count * HS_MPI_K_COUNT, sizeof(*machines->constants));
    if (!machines->drawn || !machines->gap_seconds || !machines->noise || !machines->errors ||
        !machines->offs || !machines->kept || (mpi && !machines->constants)) {
        hs_machines_release(machines);
        return hs_no_memory(err);
    }
    for (size_t f = 0; f < machines->figure_count; f++)
        machines->figures[f].off = &machines->offs[f * count];
    draw(machines, seed);
    draw_errors(machines, seed);
    if (believe(machines, err) == HS_OK)
        return HS_OK;
    hs_machines_release(machines);
    return HS_MEMORY;
}

void hs_machines_release(struct hs_machines *machines)
{
    free(machines->drawn);
    free(machines->gap_seconds);
    free(machines->noise);
    free(machines->errors);
    free(machines->offs);
    free(machines->constants);
    hs_kept_free(machines->kept);
    hs_belief_release(machines->belief);
    memset(machines, 0, sizeof(*machines));
}

bool hs_machines_differ(const struct hs_machines *machines)
{
    return machines->figure_count > 0 || machines->belief;
}

#define ROUNDING 1e-9 /* the same call is no gain */

struct hs_gain hs_gain_of(double *gains, size_t count)
{
    struct hs_gain gain;
    size_t wins = 0;

    for (size_t j = 0; j < count; j++)
        wins += gains[j] > 1 + ROUNDING;
    gain.share = (double)wins / (double)count;
    gain.median = hs_order_statistic(gains, count, count / 2);
    gain.low = hs_order_statistic(gains, count, count / 20);
    gain.high = hs_order_statistic(gains, count, count - 1 - count / 20);
    return gain;
}

void hs_machines_figure_text(struct hs_text *out, const struct hs_machines *machines,
                             const struct hs_machines_figure *figure)
{
    const struct hs_price_model *model =
        hs_system_is_nccl_native(machines->believed)               ? &hs_nccl_price_model
        : hs_system_library(machines->believed) == HS_LIBRARY_RCCL ? &hs_rccl_price_model
                                                                   : &hs_mpi_price_model;

    switch (figure->what) {
    case HS_LATENCY_OF:
    case HS_BANDWIDTH_OF:
        hs_text_append(out, "the %s of %s", figure->what == HS_LATENCY_OF ? "latency" : "bandwidth",
                       machines->believed->levels[figure->index].name);
        break;
    case HS_LAUNCH_OF:
        hs_text_append(out, "what a call costs");
        break;
    case HS_CONSTANT_OF:
        hs_text_append(out, "the constant %s of the library's price",
                       model->constants[figure->index].name);
        break;
    case HS_GAP_OF:
        hs_text_append(out, "what lies between two calls");
        break;
    }
}
