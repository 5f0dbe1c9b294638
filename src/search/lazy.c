#include "search/lazy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "search/lazy_parts.h"

/* More ticks than any path without failed layers has; 31 of them are still below 2^62. */
#define FAILED_TICKS ((hs_ticks)1 << 56)
#define TOTAL_TICKS  0x1p52
static enum hs_status check_options(const struct hs_lazy_options *options, double bytes,
                                    struct hs_error *err)
{
    if (!(bytes > 0 && isfinite(bytes)))
        return hs_fail(err, HS_INVALID, "expected a message of more than 0 bytes, found %g", bytes);
    if (!(options->optimism >= 1 && isfinite(options->optimism)))
        return hs_fail(err, HS_INVALID, "expected an optimism of at least 1, found %g",
                       options->optimism);
    if (!(options->tolerance > 0 && isfinite(options->tolerance)))
        return hs_fail(err, HS_INVALID, "expected a tolerance above 0, found %g",
                       options->tolerance);
    if (!(options->noise > 0 && isfinite(options->noise)))
        return hs_fail(err, HS_INVALID, "expected a noise above 0, found %g", options->noise);
    return HS_OK;
}

/* Texts stay the caller's; fits become points. */
static void copy_figures(struct hs_system *out, const struct hs_system *system)
{
    *out = *system;
    out->title = out->source = out->notes = NULL;
    memset(&out->fits, 0, sizeof(out->fits));
    for (size_t l = 0; l < out->level_count; l++) {
        struct hs_level *level = &out->levels[l];

        level->arity_source = level->fabric_source = NULL;
        level->latency_source = level->bandwidth_source = NULL;
    }
}

/* What the description says of a layer: its bottleneck, and its bandwidth part as if every link
 * were faster than it says. */
static void describe(struct hs_lazy_layer *item, const struct hs_lazy *lazy)
{
    struct hs_stage_price price =
        hs_stage_price(&lazy->base, lazy->problem.group.ranks,
                       hs_problem_key(&lazy->problem, item->layer, HS_RING));

    item->bottleneck = price.bottleneck;
    for (int l = 0; l < HS_LEVELS_MAX; l++)
        if (l != price.bottleneck)
            item->hidden = fmax(item->hidden, price.occupancy[l]);
    if (!lazy->options.shape_only)
        item->low_seconds =
            hs_stage_bandwidth_seconds(&price, hs_problem_entering(&lazy->problem, item->layer)) /
            lazy->options.optimism;
}

static enum hs_status list_layers(struct hs_lazy *lazy, struct hs_error *err)
{
    const struct hs_lattice *lattice = &lazy->lattice;

    lazy->layers = calloc(lattice->edge_count + 1, sizeof(*lazy->layers));
    if (!lazy->layers)
        return hs_no_memory(err);
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            size_t end = lattice->edge_end[e];

            lazy->layers[e] = (struct hs_lazy_layer){.layer = hs_lattice_layer(lattice, i, e),
                                                     .start = i,
                                                     .end = end,
                                                     .status = HS_LAZY_OPEN};
            describe(&lazy->layers[e], lazy);
        }
    return HS_OK;
}

enum hs_status hs_lazy_init(struct hs_lazy *lazy, const struct hs_system *system,
                            const struct hs_problem *problem, const struct hs_lazy_options *options,
                            struct hs_error *err)
{
    enum hs_status status;

    *lazy = (struct hs_lazy){.problem = *problem, .stale = true};
    if (options)
        lazy->options = *options;
    if (lazy->options.optimism == 0)
        lazy->options.optimism = 1.5;
    if (lazy->options.tolerance == 0)
        lazy->options.tolerance = 0.01;
    if (lazy->options.noise == 0)
        lazy->options.noise = 0.05;
    status = check_options(&lazy->options, problem->bytes, err);
    if (!status)
        status = hs_lattice_init(&lazy->lattice, problem->group, err);
    if (status)
        return status;
    copy_figures(&lazy->base, system);
    status = list_layers(lazy, err);
    if (!status)
        status = hs_lazy_learn(lazy, system->fits.points, system->fits.point_count, err);
    if (status)
        hs_lazy_release(lazy);
    return status;
}

void hs_lazy_release(struct hs_lazy *lazy)
{
    hs_lattice_release(&lazy->lattice);
    free(lazy->layers);
    free(lazy->points);
    free(lazy->draws);
    memset(lazy, 0, sizeof(*lazy));
}

/* ---- layers -------------------------------------------------------------------------------- */

static struct hs_lazy_layer *find(const struct hs_lazy *lazy, struct hs_layer layer)
{
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        if (hs_layer_equal(lazy->layers[e].layer, layer))
            return &lazy->layers[e];
    return NULL;
}

const struct hs_lazy_layer *hs_lazy_find(const struct hs_lazy *lazy, struct hs_layer layer)
{
    return find(lazy, layer);
}

size_t hs_lazy_measured(const struct hs_lazy *lazy, size_t *rough)
{
    size_t measured = 0, only_so = 0;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        measured += lazy->layers[e].status >= HS_LAZY_ROUGH;
        only_so += lazy->layers[e].status == HS_LAZY_ROUGH;
    }
    if (rough)
        *rough = only_so;
    return measured;
}

static enum hs_status append(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                             struct hs_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct hs_fit_point *added =
            hs_grow(&lazy->points, &lazy->point_capacity, lazy->point_count, sizeof(*added), err);

        if (!added)
            return HS_MEMORY;
        *added = points[i];
        lazy->point_count++;
    }
    lazy->stale = true;
    return HS_OK;
}

enum hs_status hs_lazy_learn(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                             struct hs_error *err)
{
    enum hs_status status = append(lazy, points, count, err);

    if (status || lazy->learned + count != lazy->point_count)
        return status;
    lazy->learned += hs_fit_points_pair(lazy->points + lazy->learned, NULL, count);
    lazy->point_count = lazy->learned;
    return HS_OK;
}

/* Which of the layer's phases the points are, as bits. */
static unsigned phases_of(const struct hs_fit_point *points, size_t count)
{
    unsigned bits = 0;

    for (size_t i = 0; i < count; i++)
        bits |= 1U << points[i].key.phase;
    return bits;
}

static enum hs_status check_points(const struct hs_lazy *lazy, const struct hs_fit_point *points,
                                   size_t count, struct hs_error *err)
{
    const struct hs_lazy_layer *item = count ? find(lazy, points[0].key.layer) : NULL;
    unsigned found = phases_of(points, count), wanted = 0;
    enum hs_phase phases[2];
    int phase_count;

    if (!item)
        return hs_fail(err, HS_INVALID, "expected points of a layer of %" PRId64 " processes",
                       lazy->problem.group.size);
    for (size_t i = 0; i < count; i++)
        if (!hs_layer_equal(points[i].key.layer, item->layer) || !(points[i].seconds > 0) ||
            !isfinite(points[i].seconds))
            return hs_fail(err, HS_INVALID,
                           "expected times above 0 of the layer of stride %" PRId64
                           " and size %" PRId64,
                           item->layer.stride, item->layer.size);
    phase_count = hs_problem_phases(phases, &lazy->problem, item->layer);
    for (int i = 0; i < phase_count; i++)
        wanted |= 1U << phases[i];
    if ((found != wanted || count != (size_t)phase_count) &&
        (count != 1 || found != 1U << hs_problem_key(&lazy->problem, item->layer, HS_RING).phase))
        return hs_fail(err, HS_INVALID,
                       "expected each phase of the layer of stride %" PRId64 " and size %" PRId64
                       " once",
                       item->layer.stride, item->layer.size);
    return HS_OK;
}

enum hs_status hs_lazy_add(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                           bool rough, struct hs_error *err)
{
    struct hs_lazy_layer *item;
    enum hs_status status = check_points(lazy, points, count, err);

    if (!status)
        status = append(lazy, points, count, err);
    if (status)
        return status;
    item = find(lazy, points[0].key.layer);
    item->status = rough ? HS_LAZY_ROUGH : HS_LAZY_MEASURED;
    item->first_point = lazy->point_count - count;
    item->points = count;
    item->seconds = 0;
    for (size_t i = 0; i < count; i++)
        item->seconds += points[i].seconds;
    return HS_OK;
}

void hs_lazy_fail(struct hs_lazy *lazy, struct hs_layer layer)
{
    struct hs_lazy_layer *item = find(lazy, layer);

    if (item)
        item->status = HS_LAZY_FAILED;
}

enum hs_status hs_lazy_fitted(struct hs_system *system, const struct hs_lazy *lazy,
                              struct hs_error *err)
{
    struct hs_calibration_options options = {.size_deviation = hs_lazy_deviation(lazy),
                                             .layer_deviation = hs_lazy_deviation(lazy),
                                             .noise = lazy->options.noise};
    struct hs_error why = {0};
    enum hs_status status;

    *system = lazy->base;
    status = hs_calibrate(system, lazy->points, lazy->point_count, &options, NULL, NULL, &why);
    return status == HS_MEMORY ? hs_fail(err, HS_MEMORY, "%s", why.message) : HS_OK;
}

/* ---- paths --------------------------------------------------------------------------------- */

hs_ticks *hs_lazy_weights(double *tick_seconds, const struct hs_lazy *lazy,
                          enum hs_lazy_status least)
{
    size_t count = lazy->lattice.edge_count;
    hs_ticks *weights = malloc((count + 1) * sizeof(*weights));
    double total = 0;

    if (!weights)
        return NULL;
    for (size_t e = 0; e < count; e++)
        total += lazy->layers[e].seconds;
    *tick_seconds = total > 0 ? total / TOTAL_TICKS : 1;
    for (size_t e = 0; e < count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        weights[e] =
            item->status < least ? FAILED_TICKS : (hs_ticks)llrint(item->seconds / *tick_seconds);
    }
    return weights;
}

bool hs_lazy_unusable(hs_ticks ticks)
{
    return ticks >= FAILED_TICKS;
}
