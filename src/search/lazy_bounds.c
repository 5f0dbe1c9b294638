/*
 * What layers that are not measured take at least, and what they can be expected to take.
 *
 * Measured layers of a level say more than the fit alone, as long as latency and bandwidth cannot
 * be told apart. With a time t = a S + e X of S steps and X seconds at the described bandwidth, any
 * other layer of that level takes a S' + e X' >= t min(S'/S, X'/X), whatever a and e are.
 */
#include <math.h>
#include <stdlib.h>

#include "search/lazy_parts.h"

#define GROUPS (2 * HS_LEVELS_MAX) /* by level, straddling or not */
/* How much wider an interval gets that was fitted to layers of the other kind. */
#define OTHER_KIND 1.5
#define NORMAL_95  1.959964
/* Described latencies are of the wire more often than not; software takes several times as long. */
#define PESSIMISM 10.0
#define LAUNCH    20e-6 /* seconds that a call may take of which the description says nothing */
/* A calibration takes time with the cube of the points: many points are calibrated again when there
 * are a fifth more. */
#define FEW_POINTS 40

/* What bounds are made from. */
struct knowledge {
    const struct hs_lazy *lazy;
    struct hs_system plain; /* figures of the fitted system, without its fits */
    double size_deviation, layer_deviation;
    double launch_low_seconds, launch_high_seconds;
    double scatter[GROUPS]; /* by how much measured layers miss the model, beyond what it allows */
};

static int group_of(const struct hs_layer_price *price)
{
    return 2 * price->level + price->straddles;
}

static double entering(const struct hs_lazy *lazy, struct hs_layer layer)
{
    return lazy->bytes / (double)layer.stride;
}

/* The fits to all points, made anew from the description; where there are too few points, or they
 * make no sense together, there are none. */
static enum hs_status recalibrate(struct hs_lazy *lazy, struct hs_error *err)
{
    struct hs_error why = {0};
    enum hs_status status;

    if (lazy->point_count > FEW_POINTS && 5 * lazy->point_count < 6 * lazy->fitted_points)
        return HS_OK;
    hs_system_release(&lazy->fitted);
    lazy->fitted = lazy->base;
    lazy->fitted_points = lazy->point_count;
    status = hs_calibrate(&lazy->fitted, lazy->points, lazy->point_count, &lazy->calibration, NULL,
                          NULL, &why);
    return status == HS_MEMORY ? hs_fail(err, HS_MEMORY, "%s", why.message) : HS_OK;
}

/* Seconds of a measured layer by the fit of its level alone; 0: there is none. */
static double by_level(const struct knowledge *knowledge, const struct hs_lazy_layer *item,
                       const struct hs_layer_price *plain)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    /* A layer of no size has no narrower fit. */
    const struct hs_fit *fit =
        hs_fits_find(&lazy->fitted.fits, plain->level, plain->straddles, (struct hs_layer){0, 0});
    double level_bandwidth = knowledge->plain.levels[plain->level].bytes_per_second;

    if (!fit)
        return 0;
    return plain->launch_seconds +
           2 * lazy->base.pipeline_granularity * fit->latency_seconds *
               (double)(item->layer.size - 1) +
           hs_layer_bandwidth_seconds(plain, entering(lazy, item->layer)) * level_bandwidth /
               fit->bytes_per_second;
}

/* How far measured layers lie from their level's fit. The model allows for some; a machine whose
 * description misses a link has more, and then bounds from its measurements say less. */
static void look_at_scatter(struct knowledge *knowledge)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    double squares[GROUPS] = {0}, count[GROUPS] = {0};
    double allowed = hypot(knowledge->size_deviation, knowledge->layer_deviation);

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];
        struct hs_layer_price plain =
            hs_layer_price(&knowledge->plain, lazy->lattice.np, item->layer);
        double expected = by_level(knowledge, item, &plain), ratio;

        if (item->status != HS_LAZY_MEASURED || item->first_point >= lazy->fitted_points ||
            !(expected > 0))
            continue;
        ratio = item->seconds / expected;
        squares[group_of(&plain)] += pow(1 - fmin(ratio, 1 / ratio), 2);
        count[group_of(&plain)]++;
    }
    for (int g = 0; g < GROUPS; g++)
        if (count[g] > 1 && squares[g] > allowed * allowed * count[g])
            knowledge->scatter[g] = NORMAL_95 * sqrt(squares[g] / count[g]);
}

static void learn(struct knowledge *knowledge, const struct hs_lazy *lazy)
{
    double launch = lazy->fitted.launch_seconds, ci95 = lazy->fitted.fits.launch_ci95_seconds;

    *knowledge = (struct knowledge){.lazy = lazy, .plain = lazy->fitted};
    knowledge->plain.fits = (struct hs_fits){0};
    knowledge->size_deviation = lazy->calibration.size_deviation;
    knowledge->layer_deviation = lazy->calibration.layer_deviation;
    knowledge->launch_high_seconds =
        lazy->options.shape_only ? INFINITY : PESSIMISM * lazy->base.launch_seconds + LAUNCH;
    if (lazy->fitted.fits.count > 0) {
        knowledge->launch_low_seconds = fmax(0, launch - ci95);
        knowledge->launch_high_seconds = fmin(knowledge->launch_high_seconds, launch + ci95);
    }
    look_at_scatter(knowledge);
}

/* ---- bounds -------------------------------------------------------------------------------- */

static double by_description(const struct hs_lazy *lazy, struct hs_layer layer)
{
    struct hs_layer_price price = hs_layer_price(&lazy->base, lazy->lattice.np, layer);

    if (lazy->options.shape_only)
        return 0;
    return hs_layer_bandwidth_seconds(&price, entering(lazy, layer)) / lazy->options.optimism;
}

/* What is left of a figure at the fast end of its interval, as a factor. */
static double low_end(double value, double ci95, double widen, double scatter)
{
    return value > 0 ? fmax(0, 1 - fmax(widen * ci95 / value, scatter)) : 0;
}

static double by_fit(const struct knowledge *knowledge, const struct hs_layer_price *price)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    const struct hs_fit *fit =
        hs_fits_find(&lazy->fitted.fits, price->level, price->straddles, price->layer);
    double widen, scatter = knowledge->scatter[group_of(price)], calls;

    if (!fit)
        return 0;
    widen = fit->straddles == price->straddles ? 1 : OTHER_KIND;
    calls = price->layer.stride * price->layer.size == lazy->lattice.np ? 1 : 2;
    return calls * knowledge->launch_low_seconds +
           price->latency_seconds *
               low_end(fit->latency_seconds, fit->latency_ci95_seconds, widen, scatter) +
           hs_layer_bandwidth_seconds(price, entering(lazy, price->layer)) *
               low_end(fit->bytes_per_second, fit->bandwidth_ci95_bytes_per_second, widen, scatter);
}

/* What two layers of one group may differ by, and the noise of the one measured. */
static double spread(const struct knowledge *knowledge, const struct hs_lazy_layer *measured,
                     struct hs_layer layer, int group)
{
    double size = measured->layer.size == layer.size ? 0 : knowledge->size_deviation;
    double own = knowledge->layer_deviation;
    double noise = measured->variance / (measured->seconds * measured->seconds);

    return fmax(NORMAL_95 * sqrt(2 * size * size + 2 * own * own + noise),
                knowledge->scatter[group]);
}

/* The most that a step on the layer's level can be thought to take. */
static double latency_high(const struct knowledge *knowledge, const struct hs_layer_price *price)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    const struct hs_level *described = &lazy->base.levels[price->level];
    const struct hs_fit *fit =
        hs_fits_find(&lazy->fitted.fits, price->level, price->straddles, price->layer);
    double most = INFINITY;

    if (!lazy->options.shape_only && described->latency_seconds > 0)
        most = PESSIMISM * described->latency_seconds;
    if (fit)
        most = fmin(most, fit->latency_seconds + fit->latency_ci95_seconds);
    return most * lazy->base.pipeline_granularity;
}

static double by_neighbour(const struct knowledge *knowledge, const struct hs_lazy_layer *measured,
                           const struct hs_layer_price *theirs, const struct hs_layer_price *price)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    bool last = price->layer.stride * price->layer.size == lazy->lattice.np;
    double steps = (double)(price->layer.size - 1) / (double)(measured->layer.size - 1);
    double moving = hs_layer_bandwidth_seconds(price, entering(lazy, price->layer)) /
                    hs_layer_bandwidth_seconds(theirs, entering(lazy, measured->layer));
    double calls = (last ? 1.0 : 2.0) / (measured->last ? 1.0 : 2.0);
    double without_launch =
        measured->seconds - (measured->last ? 1 : 2) * knowledge->launch_high_seconds;
    double bytes_alone =
        without_launch - 2 * (double)(measured->layer.size - 1) * latency_high(knowledge, theirs);
    double ratio = fmin(steps, moving);
    double most = fmax(measured->seconds * fmin(calls, ratio),
                       fmax(without_launch * ratio, bytes_alone * moving));

    return most * fmax(0, 1 - spread(knowledge, measured, price->layer, group_of(price)));
}

static double by_neighbours(const struct knowledge *knowledge, struct hs_layer layer)
{
    const struct hs_lazy *lazy = knowledge->lazy;
    struct hs_layer_price price = hs_layer_price(&knowledge->plain, lazy->lattice.np, layer);
    double most = 0;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];
        struct hs_layer_price theirs;

        if (item->status != HS_LAZY_MEASURED)
            continue;
        theirs = hs_layer_price(&knowledge->plain, lazy->lattice.np, item->layer);
        if (group_of(&theirs) == group_of(&price))
            most = fmax(most, by_neighbour(knowledge, item, &theirs, &price));
    }
    return most;
}

/* The spread of a dozen samples is known to a third or so, and where it came out too small an
 * interval would be too narrow. Layers of one run have about the same relative noise, so those that
 * seem quieter than all are on average are taken halfway there. */
static void pool_noise(struct hs_lazy *lazy)
{
    double sum = 0, count = 0, pooled;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        if (item->status != HS_LAZY_MEASURED)
            continue;
        sum += item->own_variance / (item->seconds * item->seconds);
        count++;
    }
    pooled = count > 0 ? sum / count : 0;
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        struct hs_lazy_layer *item = &lazy->layers[e];
        double usual = pooled * item->seconds * item->seconds;

        if (item->status == HS_LAZY_MEASURED)
            item->variance = fmax(item->own_variance, (item->own_variance + usual) / 2);
    }
}

enum hs_status hs_lazy_refresh(struct hs_lazy *lazy, struct hs_error *err)
{
    struct knowledge knowledge;
    enum hs_status status;

    if (!lazy->stale)
        return HS_OK;
    pool_noise(lazy);
    status = recalibrate(lazy, err);
    if (status)
        return status;
    learn(&knowledge, lazy);
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        struct hs_lazy_layer *item = &lazy->layers[e];
        struct hs_layer_price price = hs_layer_price(&lazy->fitted, lazy->lattice.np, item->layer);

        if (item->status != HS_LAZY_OPEN)
            continue;
        item->expected_seconds = hs_layer_seconds(&price, entering(lazy, item->layer));
        item->seconds =
            fmax(by_description(lazy, item->layer),
                 fmax(by_fit(&knowledge, &price), by_neighbours(&knowledge, item->layer)));
    }
    lazy->stale = false;
    return HS_OK;
}
