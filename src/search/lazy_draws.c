/*
 * Machines that the measured layers leave possible, and what they say should be measured next.
 */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/posterior.h"
#include "search/lazy_parts.h"

#define DRAWS_MOST  500
#define DRAWS_LEAST 100
#define DRAWN_MOST  2000000 /* times in all */
#define POINTS_MOST 400     /* a posterior takes time with their cube */
#define CLEARLY     2.0     /* times as much hidden as need be, at most, where a level is seen */
#define ROUNDING    1e-9
#define STOP_RATE   0.02 /* of the machines drawn on which something unknown may win */
/* Of layers and sizes; of a described system as in calibration.h. Where only its shape is known,
 * links may be missing in it. */
#define DEVIATION          0.10
#define DEVIATION_OF_SHAPE 0.30

double hs_lazy_deviation(const struct hs_lazy *lazy)
{
    return lazy->options.shape_only ? DEVIATION_OF_SHAPE : DEVIATION;
}

/* ---- noise --------------------------------------------------------------------------------- */

static double square_noise(const struct hs_lazy *lazy, const struct hs_fit_point *point)
{
    double noise = isfinite(point->noise) ? point->noise : lazy->options.noise;

    return noise * noise;
}

/* Mean square over the layers that were measured in the same way. */
static double usual_square_noise(const struct hs_lazy *lazy, enum hs_lazy_status measured)
{
    double sum = 0;
    size_t count = 0;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        for (size_t i = 0; item->status == measured && i < item->points; i++, count++)
            sum += square_noise(lazy, &lazy->points[item->first_point + i]);
    }
    return count > 0 ? sum / (double)count : 0;
}

/* The spread of a dozen samples is known to a third or so, of three it is hardly known, and where
 * it came out too small an interval would be too narrow. Layers of one run have about the same
 * relative noise, so those that seem quieter than usual are taken halfway there. */
static double careful_square_noise(const struct hs_lazy *lazy, const struct hs_fit_point *point,
                                   double usual)
{
    double own = square_noise(lazy, point);

    return fmax(own, (own + usual) / 2);
}

static void set_variances(struct hs_lazy *lazy)
{
    double usual[] = {[HS_LAZY_ROUGH] = usual_square_noise(lazy, HS_LAZY_ROUGH),
                      [HS_LAZY_MEASURED] = usual_square_noise(lazy, HS_LAZY_MEASURED)};

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        struct hs_lazy_layer *item = &lazy->layers[e];

        if (item->status < HS_LAZY_ROUGH)
            continue;
        item->variance = 0;
        for (size_t i = 0; i < item->points; i++) {
            const struct hs_fit_point *point = &lazy->points[item->first_point + i];

            item->variance += careful_square_noise(lazy, point, usual[item->status]) *
                              point->seconds * point->seconds;
        }
    }
}

/* ---- draws --------------------------------------------------------------------------------- */

/* What was measured of a layer, in one: a reduce-scatter may take longer than an allgather, but
 * only their sum matters, and only that is what the model says. */
static struct hs_fit_point join(const struct hs_lazy *lazy, const struct hs_lazy_layer *item)
{
    struct hs_fit_point point = lazy->points[item->first_point];

    point.key = hs_problem_key(&lazy->problem, item->layer, HS_RING);
    point.seconds = item->seconds;
    point.noise = sqrt(item->variance) / item->seconds;
    return point;
}

/* The points that count: of each layer that was measured here the last ones, and of the others as
 * many as there is room for, evenly. NULL when out of memory. */
static struct hs_fit_point *choose_points(size_t *count, const struct hs_lazy *lazy)
{
    size_t own = hs_lazy_measured(lazy, NULL);
    size_t room = own < POINTS_MOST ? POINTS_MOST - own : 0;
    size_t others = lazy->learned < room ? lazy->learned : room, next = 0;
    struct hs_fit_point *points = malloc((own + others + 1) * sizeof(*points));

    if (!points)
        return NULL;
    while (next < others) {
        points[next] = lazy->points[next * lazy->learned / others];
        next++;
    }
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        if (lazy->layers[e].status >= HS_LAZY_ROUGH)
            points[next++] = join(lazy, &lazy->layers[e]);
    *count = next;
    return points;
}

/* Of each layer, what no machine drawn takes less than: nothing on levels where a measured layer
 * beats its own limit. */
static void set_limits(double *limits, const struct hs_lazy *lazy)
{
    bool beaten[HS_LEVELS_MAX] = {false};

    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        if (item->status >= HS_LAZY_ROUGH && item->seconds < item->low_seconds)
            beaten[item->bottleneck] = true;
    }
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        limits[e] = beaten[lazy->layers[e].bottleneck] ? 0 : lazy->layers[e].low_seconds;
}

static enum hs_status draw(struct hs_lazy *lazy, struct hs_posterior *posterior,
                           struct hs_error *err)
{
    size_t edges = lazy->lattice.edge_count;
    double *mean = malloc(2 * edges * sizeof(*mean)), *limits;
    uint64_t seed = 0;

    if (!mean)
        return hs_no_memory(err);
    limits = mean + edges;
    hs_posterior_mean(mean, posterior);
    set_limits(limits, lazy);
    for (size_t d = 0; d < lazy->draw_count; d++) {
        double *times = lazy->draws + d * edges;

        hs_posterior_draw(times, posterior, &seed);
        for (size_t e = 0; e < edges; e++)
            times[e] = fmax(times[e], limits[e]);
    }
    for (size_t e = 0; e < edges; e++)
        if (lazy->layers[e].status == HS_LAZY_OPEN)
            lazy->layers[e].seconds = fmax(mean[e], limits[e]);
    free(mean);
    return HS_OK;
}

static enum hs_status make_room(struct hs_lazy *lazy, struct hs_error *err)
{
    size_t edges = lazy->lattice.edge_count, count = DRAWN_MOST / edges;

    if (lazy->draws)
        return HS_OK;
    count = count > DRAWS_MOST ? DRAWS_MOST : count < DRAWS_LEAST ? DRAWS_LEAST : count;
    lazy->draws = calloc(count * edges, sizeof(*lazy->draws));
    if (!lazy->draws)
        return hs_no_memory(err);
    lazy->draw_count = count;
    return HS_OK;
}

/* By the points, of which some may be another layer's; layers is working space. */
static enum hs_status draw_by(struct hs_lazy *lazy, struct hs_posterior_layer *layers,
                              const struct hs_fit_point *points, size_t count, struct hs_error *err)
{
    struct hs_posterior_options options = {.size_deviation = hs_lazy_deviation(lazy),
                                           .layer_deviation = hs_lazy_deviation(lazy),
                                           .noise = lazy->options.noise,
                                           .shape_only = lazy->options.shape_only};
    struct hs_posterior *posterior;
    enum hs_status status;

    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        layers[e] = (struct hs_posterior_layer){
            hs_problem_key(&lazy->problem, lazy->layers[e].layer, HS_RING),
            hs_problem_entering(&lazy->problem, lazy->layers[e].layer)};
    status = hs_posterior_init(&posterior, &lazy->base, lazy->problem.group.ranks, layers,
                               lazy->lattice.edge_count, points, count, &options, err);
    if (status)
        return status;
    status = draw(lazy, posterior, err);
    hs_posterior_release(posterior);
    return status;
}

enum hs_status hs_lazy_refresh(struct hs_lazy *lazy, struct hs_error *err)
{
    struct hs_posterior_layer *layers;
    struct hs_fit_point *points;
    size_t count = 0;
    enum hs_status status;

    if (!lazy->stale)
        return HS_OK;
    set_variances(lazy);
    layers = calloc(lazy->lattice.edge_count, sizeof(*layers));
    points = choose_points(&count, lazy);
    if (layers && points)
        status = make_room(lazy, err);
    else
        status = hs_no_memory(err);
    if (!status)
        status = draw_by(lazy, layers, points, count, err);
    lazy->stale = status != HS_OK;
    free(layers);
    free(points);
    return status;
}

double hs_lazy_shortest(double *seconds, size_t *into, const struct hs_lazy *lazy,
                        const double *times, enum hs_lazy_status least)
{
    size_t nodes = lazy->lattice.node_count;

    for (size_t i = 1; i < nodes; i++)
        seconds[i] = INFINITY;
    seconds[0] = 0;
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) { /* in the order of their starts */
        const struct hs_lazy_layer *item = &lazy->layers[e];
        double there = seconds[item->start] + times[e];

        if (item->status < least || !(there < seconds[item->end]))
            continue;
        seconds[item->end] = there;
        if (into)
            into[item->end] = e;
    }
    return seconds[nodes - 1];
}

double hs_lazy_upper(double *values, size_t count, double rate)
{
    gsl_sort(values, 1, count);
    return values[(size_t)ceil((1 - rate) * (double)count) - 1];
}

/* ---- the next one -------------------------------------------------------------------------- */

/* Working space of one decision. */
struct votes {
    double *seconds;  /* [node_count] */
    size_t *into;     /* [node_count] */
    double *gains;    /* [draw_count]: what the best split wins over the best measured one */
    double *by_layer; /* [edge_count]: sum over draws that the layer is part of a win of */
};

static void vote(struct votes *votes, const struct hs_lazy *lazy, size_t d)
{
    const double *times = lazy->draws + d * lazy->lattice.edge_count;
    double measured = hs_lazy_shortest(votes->seconds, NULL, lazy, times, HS_LAZY_MEASURED);
    double best = hs_lazy_shortest(votes->seconds, votes->into, lazy, times, HS_LAZY_OPEN);

    votes->gains[d] = 0;
    if (!isfinite(best) || !(measured > best))
        return;
    votes->gains[d] = measured / best - 1;
    if (votes->gains[d] <= lazy->options.tolerance)
        return;
    for (size_t node = lazy->lattice.node_count - 1; node > 0;) {
        size_t e = votes->into[node];

        /* Before any split is measured throughout, all wins count the same. */
        if (lazy->layers[e].status != HS_LAZY_MEASURED)
            votes->by_layer[e] += isfinite(votes->gains[d]) ? votes->gains[d] : 1;
        node = lazy->layers[e].start;
    }
}

/* What is unknown of a layer, as a weight: its standard deviation over the draws. Its root does
 * with fewer layers (a sixth on described machines), by looking sooner at what would win; where the
 * description means nothing it would miss more. */
static double unknown(const struct hs_lazy *lazy, size_t e)
{
    size_t edges = lazy->lattice.edge_count;
    double sum = 0, squares = 0, count = (double)lazy->draw_count, deviation;

    for (size_t d = 0; d < lazy->draw_count; d++)
        sum += lazy->draws[d * edges + e];
    for (size_t d = 0; d < lazy->draw_count; d++)
        squares += pow(lazy->draws[d * edges + e] - sum / count, 2);
    deviation = sqrt(squares / count);
    return lazy->options.shape_only ? deviation : sqrt(deviation);
}

static void count_votes(struct hs_lazy_step *step, struct votes *votes, const struct hs_lazy *lazy)
{
    double most = 0;

    *step = (struct hs_lazy_step){.wanted = false};
    for (size_t d = 0; d < lazy->draw_count; d++)
        vote(votes, lazy, d);
    if (hs_lazy_upper(votes->gains, lazy->draw_count, STOP_RATE) <= lazy->options.tolerance)
        return;
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        double weight = votes->by_layer[e] > 0 ? votes->by_layer[e] * unknown(lazy, e) : 0;

        if (weight <= most)
            continue;
        most = weight;
        *step = (struct hs_lazy_step){.wanted = true,
                                      .layer = lazy->layers[e].layer,
                                      .rough = lazy->layers[e].status == HS_LAZY_OPEN};
    }
}

/* Whether the layer's time is about its bottleneck: `least` is what other levels hide of it at
 * best.
 */
static bool shows(const struct hs_lazy_layer *item, const double *least)
{
    return item->hidden <= CLEARLY * least[item->bottleneck] + ROUNDING;
}

/* The quickest layer that shows a level of which no layer that shows it was measured. A description
 * that is far off on a level would else stand unseen, where it says that the level is not worth a
 * look. */
static void look_at_level(struct hs_lazy_step *step, const struct hs_lazy *lazy)
{
    const struct hs_lazy_layer *quickest = NULL;
    bool seen[HS_LEVELS_MAX] = {false};
    double least[HS_LEVELS_MAX];

    for (int l = 0; l < HS_LEVELS_MAX; l++)
        least[l] = INFINITY;
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        least[item->bottleneck] = fmin(least[item->bottleneck], item->hidden);
    }
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        if (lazy->layers[e].status != HS_LAZY_OPEN && shows(&lazy->layers[e], least))
            seen[lazy->layers[e].bottleneck] = true;
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &lazy->layers[e];

        if (!seen[item->bottleneck] && shows(item, least) &&
            (!quickest || item->seconds < quickest->seconds))
            quickest = item;
    }
    if (quickest)
        *step = (struct hs_lazy_step){.wanted = true, .layer = quickest->layer, .rough = true};
}

enum hs_status hs_lazy_next(struct hs_lazy_step *step, struct hs_lazy *lazy, struct hs_error *err)
{
    size_t nodes = lazy->lattice.node_count, edges = lazy->lattice.edge_count;
    struct votes votes;
    enum hs_status status;

    *step = (struct hs_lazy_step){.wanted = false};
    if (edges == 0)
        return HS_OK;
    status = hs_lazy_refresh(lazy, err);
    if (status)
        return status;
    votes = (struct votes){.seconds = calloc(nodes, sizeof(double)),
                           .into = calloc(nodes, sizeof(size_t)),
                           .gains = calloc(lazy->draw_count, sizeof(double)),
                           .by_layer = calloc(edges, sizeof(double))};
    if (votes.seconds && votes.into && votes.gains && votes.by_layer)
        count_votes(step, &votes, lazy);
    else
        status = hs_no_memory(err);
    if (!status && !step->wanted)
        look_at_level(step, lazy);
    free(votes.seconds);
    free(votes.into);
    free(votes.gains);
    free(votes.by_layer);
    return status;
}
