#include "search/lazy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/lazy_parts.h"

/* Small enough to change no decision that a measurement could make, large enough to be seen. */
#define PREFERENCE 1e-6
/* More ticks than any path without failed layers has; 31 of them are still below 2^62. */
#define FAILED_TICKS ((hs_ticks)1 << 56)
#define TOTAL_TICKS  0x1p52
/* Standard deviation of sizes of one level, and of layers of one size, from what the model says: of
 * a described system as in calibration.h; where only its shape is known, links may be missing in
 * it. */
#define DEVIATION          0.10
#define DEVIATION_OF_SHAPE 0.30

static enum hs_status check_options(const struct hs_lazy_options *options, double bytes,
                                    struct hs_error *err)
{
    if (!(bytes > 0 && isfinite(bytes)))
        return hs_fail(err, HS_INVALID, "expected a message of more than 0 bytes, found %g", bytes);
    if (!(options->optimism >= 1 && isfinite(options->optimism)))
        return hs_fail(err, HS_INVALID, "expected an optimism of at least 1, found %g",
                       options->optimism);
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

static enum hs_status list_layers(struct hs_lazy *lazy, struct hs_error *err)
{
    const struct hs_lattice *lattice = &lazy->lattice;

    lazy->layers = calloc(lattice->edge_count + 1, sizeof(*lazy->layers));
    if (!lazy->layers)
        return hs_fail(err, HS_MEMORY, "out of memory for %zu layers", lattice->edge_count);
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            size_t end = lattice->edge_end[e];

            lazy->layers[e] = (struct hs_lazy_layer){
                .layer = {lattice->divisors[i], lattice->divisors[end] / lattice->divisors[i]},
                .start = i,
                .end = end,
                .last = end + 1 == lattice->node_count};
        }
    return HS_OK;
}

enum hs_status hs_lazy_init(struct hs_lazy *lazy, const struct hs_system *system, int64_t np,
                            double bytes, const struct hs_lazy_options *options,
                            struct hs_error *err)
{
    enum hs_status status;

    *lazy = (struct hs_lazy){.bytes = bytes, .stale = true};
    if (options)
        lazy->options = *options;
    if (lazy->options.optimism == 0)
        lazy->options.optimism = 1.5;
    if (lazy->options.noise == 0)
        lazy->options.noise = 0.05;
    lazy->calibration = (struct hs_calibration_options){
        .size_deviation = lazy->options.shape_only ? DEVIATION_OF_SHAPE : DEVIATION,
        .layer_deviation = lazy->options.shape_only ? DEVIATION_OF_SHAPE : DEVIATION,
        .noise = lazy->options.noise};
    status = check_options(&lazy->options, bytes, err);
    if (!status)
        status = hs_lattice_init(&lazy->lattice, np, err);
    if (status)
        return status;
    copy_figures(&lazy->base, system);
    copy_figures(&lazy->fitted, system);
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
    hs_system_release(&lazy->fitted);
    free(lazy->layers);
    free(lazy->points);
    memset(lazy, 0, sizeof(*lazy));
}

/* ---- layers -------------------------------------------------------------------------------- */

static struct hs_lazy_layer *find(const struct hs_lazy *lazy, struct hs_layer layer)
{
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        if (lazy->layers[e].layer.stride == layer.stride &&
            lazy->layers[e].layer.size == layer.size)
            return &lazy->layers[e];
    return NULL;
}

const struct hs_lazy_layer *hs_lazy_find(const struct hs_lazy *lazy, struct hs_layer layer)
{
    return find(lazy, layer);
}

size_t hs_lazy_measured(const struct hs_lazy *lazy)
{
    size_t measured = 0;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        measured += lazy->layers[e].status == HS_LAZY_MEASURED;
    return measured;
}

size_t hs_lazy_phases(enum hs_fit_phase phases[2], const struct hs_lazy *lazy,
                      struct hs_layer layer)
{
    if (layer.stride * layer.size == lazy->lattice.np) {
        phases[0] = HS_FIT_ALLREDUCE;
        return 1;
    }
    phases[0] = HS_FIT_REDUCE_SCATTER;
    phases[1] = HS_FIT_ALLGATHER;
    return 2;
}

enum hs_status hs_lazy_learn(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                             struct hs_error *err)
{
    size_t total = lazy->point_count + count;

    if (total > lazy->point_capacity) {
        size_t capacity = 2 * total + 16;
        struct hs_fit_point *grown = realloc(lazy->points, capacity * sizeof(*grown));

        if (!grown)
            return hs_fail(err, HS_MEMORY, "out of memory for %zu points", total);
        lazy->points = grown;
        lazy->point_capacity = capacity;
    }
    if (count > 0)
        memcpy(lazy->points + lazy->point_count, points, count * sizeof(*points));
    lazy->point_count = total;
    lazy->stale = true;
    return HS_OK;
}

/* Which of the layer's phases the points are, as bits. */
static unsigned phases_of(const struct hs_fit_point *points, size_t count)
{
    unsigned bits = 0;

    for (size_t i = 0; i < count; i++)
        bits |= 1U << points[i].phase;
    return bits;
}

static enum hs_status check_points(const struct hs_lazy *lazy, const struct hs_fit_point *points,
                                   size_t count, struct hs_error *err)
{
    const struct hs_lazy_layer *item = count ? find(lazy, points[0].layer) : NULL;
    unsigned wanted = item && item->last ? 1U << HS_FIT_ALLREDUCE
                                         : 1U << HS_FIT_REDUCE_SCATTER | 1U << HS_FIT_ALLGATHER;
    unsigned found = phases_of(points, count);

    if (!item)
        return hs_fail(err, HS_INVALID, "expected points of a layer of %" PRId64 " processes",
                       lazy->lattice.np);
    for (size_t i = 0; i < count; i++)
        if (points[i].layer.stride != item->layer.stride ||
            points[i].layer.size != item->layer.size || !(points[i].seconds > 0) ||
            !isfinite(points[i].seconds))
            return hs_fail(err, HS_INVALID,
                           "expected times above 0 of the layer of stride %" PRId64
                           " and size %" PRId64,
                           item->layer.stride, item->layer.size);
    if ((found != wanted || count != (item->last ? 1 : 2)) &&
        (item->last || count != 1 || found != 1U << HS_FIT_PAIR))
        return hs_fail(err, HS_INVALID,
                       "expected each phase of the layer of stride %" PRId64 " and size %" PRId64
                       " once",
                       item->layer.stride, item->layer.size);
    return HS_OK;
}

enum hs_status hs_lazy_add(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                           struct hs_error *err)
{
    struct hs_lazy_layer *item;
    enum hs_status status = check_points(lazy, points, count, err);

    if (!status)
        status = hs_lazy_learn(lazy, points, count, err);
    if (status)
        return status;
    item = find(lazy, points[0].layer);
    item->status = HS_LAZY_MEASURED;
    item->first_point = lazy->point_count - count;
    item->seconds = item->own_variance = 0;
    for (size_t i = 0; i < count; i++) {
        double noise = isfinite(points[i].noise) ? points[i].noise : lazy->options.noise;
        double error = noise * points[i].seconds;

        item->seconds += points[i].seconds;
        item->own_variance += error * error;
    }
    item->variance = item->own_variance;
    item->expected_seconds = item->seconds;
    return HS_OK;
}

void hs_lazy_fail(struct hs_lazy *lazy, struct hs_layer layer)
{
    struct hs_lazy_layer *item = find(lazy, layer);

    if (item)
        item->status = HS_LAZY_FAILED;
}

/* ---- the next one -------------------------------------------------------------------------- */

hs_ticks *hs_lazy_weights(double *tick_seconds, const struct hs_lazy *lazy, double preference,
                          bool measured_only)
{
    size_t count = lazy->lattice.edge_count;
    hs_ticks *weights = malloc((count + 1) * sizeof(*weights));
    double total = 0;

    if (!weights)
        return NULL;
    for (size_t e = 0; e < count; e++)
        total += lazy->layers[e].seconds + preference * lazy->layers[e].expected_seconds;
    *tick_seconds = total > 0 ? total / TOTAL_TICKS : 1;
    for (size_t e = 0; e < count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];
        bool open = item->status == HS_LAZY_OPEN;
        double seconds = item->seconds + (open ? preference * item->expected_seconds : 0);

        weights[e] = item->status == HS_LAZY_FAILED || (open && measured_only)
                         ? FAILED_TICKS
                         : (hs_ticks)llrint(seconds / *tick_seconds);
    }
    return weights;
}

bool hs_lazy_unusable(hs_ticks ticks)
{
    return ticks >= FAILED_TICKS;
}

/* Of the layers of a split that are not measured: the one that its bound says least about. */
static const struct hs_lazy_layer *choose(const struct hs_lazy *lazy, const struct hs_split *split)
{
    const struct hs_lazy_layer *chosen = NULL;

    for (int i = 0; i < split->count; i++) {
        const struct hs_lazy_layer *item = find(lazy, hs_split_layer(split, i));

        if (item && item->status == HS_LAZY_OPEN &&
            (!chosen ||
             item->expected_seconds - item->seconds > chosen->expected_seconds - chosen->seconds))
            chosen = item;
    }
    return chosen;
}

/* The shortest path through times and bounds. */
static enum hs_status choose_on_best(const struct hs_lazy_layer **chosen,
                                     const struct hs_lazy *lazy, struct hs_error *err)
{
    size_t last = lazy->lattice.node_count - 1;
    double tick_seconds;
    hs_ticks *weights = hs_lazy_weights(&tick_seconds, lazy, PREFERENCE, false);
    struct hs_paths paths;
    struct hs_split split;
    enum hs_status status = HS_MEMORY;

    *chosen = NULL;
    if (weights)
        status = hs_paths_init(&paths, &lazy->lattice, weights, 1, 1, err);
    else
        hs_error_set(err, HS_MEMORY, "out of memory");
    free(weights);
    if (status)
        return status;
    split = hs_paths_split(&paths, last, 0);
    if (!hs_lazy_unusable(paths.nodes[last].data[0].ticks))
        *chosen = choose(lazy, &split);
    hs_paths_release(&paths);
    return HS_OK;
}

/* The best rival that could still be as fast as the winner, and is not measured. */
static enum hs_status choose_on_ties(const struct hs_lazy_layer **chosen,
                                     const struct hs_lazy *lazy, struct hs_error *err)
{
    struct hs_rivals rivals;
    enum hs_status status = hs_rivals_init(&rivals, lazy, err);

    for (size_t i = 0; !status && i < rivals.count && !*chosen; i++)
        if (rivals.items[i].lead_seconds < 0)
            *chosen = choose(lazy, &rivals.items[i].split);
    if (!status)
        hs_rivals_release(&rivals);
    return status;
}

enum hs_status hs_lazy_next(bool *wanted, struct hs_layer *layer, struct hs_lazy *lazy,
                            struct hs_error *err)
{
    const struct hs_lazy_layer *chosen = NULL;
    enum hs_status status = HS_OK;

    *wanted = false;
    if (lazy->lattice.edge_count == 0)
        return HS_OK;
    status = hs_lazy_refresh(lazy, err);
    if (!status)
        status = choose_on_best(&chosen, lazy, err);
    if (!status && !chosen)
        status = choose_on_ties(&chosen, lazy, err);
    if (!status && chosen) {
        *wanted = true;
        *layer = chosen->layer;
    }
    return status;
}
