#include "model/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibration_terms.h"

#define POINTS_MIN     4
#define NORMAL_95      1.959964 /* 97.5 % quantile of the normal distribution */
#define CLAMPED        0.3      /* of the residual allowed, where a latency is held at 0 */
#define LONGER_HALF    0.495    /* a little less than half, for sizes that are rounded up */
#define LONGEST        0.99
#define FITS_PER_LAYER 3 /* at most: its own, its class's, its level's */

static enum hs_status check_points(const struct hs_fit_point *points, size_t count,
                                   struct hs_error *err)
{
    bool differ = false;

    for (size_t i = 1; i < count && !differ; i++)
        differ = !hs_layer_equal(points[i].key.layer, points[0].key.layer) ||
                 points[i].bytes != points[0].bytes;
    if (count < POINTS_MIN)
        return hs_fail(err, HS_INVALID, "too few points for a fit: %zu, at least %d are needed",
                       count, POINTS_MIN);
    if (!differ)
        return hs_fail(err, HS_INVALID,
                       "too few points for a fit: all are of one layer and one message size");
    return HS_OK;
}

/* Of the points used, by layer. */
static void add_up_residuals(struct hs_terms *terms)
{
    for (size_t i = 0; i < terms->layer_count; i++)
        if (!terms->layers[i].refused) /* those keep the residual that they were refused for */
            terms->layers[i].square_sum = 0;
    for (size_t i = 0; i < terms->count; i++) {
        const struct hs_term *term = &terms->items[i];
        double rest = 1 - hs_terms_fitted(terms, term) / term->seconds;

        if (term->used)
            terms->layers[term->layer].square_sum += rest * rest;
    }
}

static double residual_of(const struct hs_kind *layer)
{
    return sqrt(layer->square_sum / (double)layer->terms);
}

/* Layers that one line does not describe at all message sizes keep the longer half, or where that
 * does not help the longest, which is nearest to what is asked of them: layers far off the line,
 * and those off it that want a latency below 0 (short messages go faster than the line says:
 * through buffers, or links that lend). Returns how many, anew. */
static size_t narrow(struct hs_terms *terms)
{
    size_t narrowed = 0;

    for (size_t i = 0; i < terms->layer_count; i++) {
        struct hs_kind *layer = &terms->layers[i];
        double limit = terms->options.max_residual;

        if (terms->clamped[layer->group / 2])
            limit *= CLAMPED;
        if (layer->refused || terms->flat[layer->group] || residual_of(layer) <= limit ||
            layer->min_bytes > LONGEST * layer->max_bytes)
            continue;
        layer->shortest = layer->shortest > 0 ? LONGEST : LONGER_HALF;
        narrowed++;
    }
    return narrowed;
}

/* Layers that are described too badly. Returns how many, anew. */
static size_t refuse(struct hs_terms *terms)
{
    size_t refused = 0;

    for (size_t i = 0; i < terms->layer_count; i++) {
        struct hs_kind *layer = &terms->layers[i];

        layer->flat = layer->flat || (!layer->refused && terms->flat[layer->group]);
        if (layer->refused || (!layer->flat && residual_of(layer) <= terms->options.max_residual))
            continue;
        layer->refused = true;
        refused++;
    }
    return refused;
}

/* Solves, and again without points that the solution does not describe, until it describes what is
 * left. */
static enum hs_status solve(struct hs_terms *terms, struct hs_error *err)
{
    do {
        enum hs_status status = hs_terms_solve(terms, err);

        if (status)
            return status;
        add_up_residuals(terms);
        if (narrow(terms) == 0 && refuse(terms) == 0)
            return HS_OK;
    } while (hs_terms_select(terms) >= POINTS_MIN);
    return hs_fail(err, HS_FAILED,
                   "no fit: the measured times are more than %.0f %% off any line (latency plus "
                   "bytes over bandwidth)",
                   100 * terms->options.max_residual);
}

/* Variance of row . x. */
static double variance_of(const struct hs_terms *terms, const double *row)
{
    double sum = 0;

    for (size_t i = 0; i < terms->columns; i++)
        for (size_t j = 0; row[i] != 0 && j < terms->columns; j++)
            sum += row[i] * terms->covariance[i * terms->columns + j] * row[j];
    return fmax(0, sum);
}

/* Deviations that a fit of a wider scope cannot know, as a variance relative to what they deviate.
 */
static double unknown_variance(const struct hs_terms *terms, enum hs_fit_scope scope)
{
    double size = terms->options.size_deviation, layer = terms->options.layer_deviation;

    if (scope == HS_FIT_LAYER)
        return 0;
    return layer * layer + (scope == HS_FIT_LEVEL ? size * size : 0);
}

/* Figures and intervals of a fit from the solution. `like` has the steps and bytes that the
 * relative interval is for. `row` is scratch of one row. */
static void fill_figures(struct hs_fit *fit, const struct hs_terms *terms, int group,
                         const struct hs_kind *class, const struct hs_kind *layer,
                         const struct hs_kind *like, double *row)
{
    double unit = terms->latency_unit[fit->level], unknown = unknown_variance(terms, fit->scope);
    double latency, slowness, fixed, moving, variance;

    hs_terms_factors(&latency, &slowness, terms, group, class, layer);
    fit->latency_seconds = latency * unit;
    fit->bytes_per_second = terms->system->levels[fit->level].bytes_per_second / slowness;

    hs_terms_row(row, terms, group, class, layer, 0, 1, 1, 0);
    fit->latency_ci95_seconds =
        NORMAL_95 *
        sqrt(variance_of(terms, row) + unknown * fit->latency_seconds * fit->latency_seconds);
    hs_terms_row(row, terms, group, class, layer, 0, 1, 0, 1);
    fit->bandwidth_ci95_bytes_per_second =
        fit->bytes_per_second * NORMAL_95 *
        sqrt(variance_of(terms, row) / (slowness * slowness) + unknown);

    hs_terms_row(row, terms, group, class, layer, 2, 2, like->steps, like->transfer_seconds);
    fixed = 2 * like->steps * fit->latency_seconds;
    moving = 2 * like->transfer_seconds * slowness;
    variance = variance_of(terms, row) + unknown * (fixed * fixed + moving * moving);
    fit->relative_ci95 = NORMAL_95 * sqrt(variance) / (2 * terms->x[0] + fixed + moving);
}

/* Adds what a fit covers of one layer: points, residuals and ranges. */
static void cover(struct hs_fit *fit, const struct hs_kind *layer)
{
    double per_point = layer->square_sum * (double)layer->points / (double)layer->terms;
    double squares = fit->residual * fit->residual * (double)fit->points + per_point;

    if (fit->points == 0) {
        fit->min_bytes = layer->min_bytes;
        fit->min_size = layer->size;
    }
    fit->points += layer->points;
    fit->residual = sqrt(squares / (double)fit->points);
    fit->min_bytes = fmin(fit->min_bytes, layer->min_bytes);
    fit->max_bytes = fmax(fit->max_bytes, layer->max_bytes);
    fit->min_size = layer->size < fit->min_size ? layer->size : fit->min_size;
    fit->max_size = layer->size > fit->max_size ? layer->size : fit->max_size;
}

/* The fit of one scope; `points` stays 0 where all its layers were refused. */
static struct hs_fit make_fit(const struct hs_terms *terms, enum hs_fit_scope scope, int group,
                              const struct hs_kind *class, const struct hs_kind *own, double *row)
{
    struct hs_fit fit = {.scope = scope, .level = group / 2, .straddles = group % 2 == 1};
    const struct hs_kind *like = NULL;

    fit.size = class ? class->size : 0;
    fit.stride = own ? own->stride : 0;
    for (size_t i = 0; i < terms->layer_count; i++) {
        const struct hs_kind *layer = &terms->layers[i];

        if (layer->refused || layer->group != group || (own && layer != own) ||
            (class && layer->size != class->size))
            continue;
        if (!like || layer->transfer_seconds > like->transfer_seconds)
            like = layer;
        cover(&fit, layer);
    }
    if (like)
        fill_figures(&fit, terms, group, class, own, like, row);
    return fit;
}

static int compare_fits(const void *a, const void *b)
{
    return hs_fit_compare(a, b);
}

static void add_fit(struct hs_fits *fits, struct hs_fit fit)
{
    if (fit.points > 0)
        fits->items[fits->count++] = fit;
}

static enum hs_status make_fits(struct hs_fits *fits, const struct hs_terms *terms,
                                struct hs_error *err)
{
    double *row = calloc(terms->columns, sizeof(*row));

    fits->items = calloc(FITS_PER_LAYER * terms->layer_count + 1, sizeof(*fits->items));
    if (!row || !fits->items) {
        free(row);
        return hs_no_memory(err);
    }
    for (int g = 0; g < HS_GROUPS_MAX; g++)
        if (terms->group_column[g] >= 0)
            add_fit(fits, make_fit(terms, HS_FIT_LEVEL, g, NULL, NULL, row));
    for (size_t i = 0; i < terms->class_count; i++)
        add_fit(fits, make_fit(terms, HS_FIT_SIZE, terms->classes[i].group, &terms->classes[i],
                               NULL, row));
    for (size_t i = 0; i < terms->layer_count; i++)
        add_fit(fits, make_fit(terms, HS_FIT_LAYER, terms->layers[i].group,
                               &terms->classes[terms->layers[i].parent], &terms->layers[i], row));
    qsort(fits->items, fits->count, sizeof(*fits->items), compare_fits);
    fits->launch_ci95_seconds = NORMAL_95 * sqrt(fmax(0, terms->covariance[0]));
    free(row);
    return HS_OK;
}

static enum hs_status list_refusals(struct hs_fits *fits, const struct hs_terms *terms,
                                    struct hs_error *err)
{
    fits->refusals = calloc(terms->layer_count + 1, sizeof(*fits->refusals));
    if (!fits->refusals)
        return hs_no_memory(err);
    for (size_t i = 0; i < terms->layer_count; i++) {
        const struct hs_kind *layer = &terms->layers[i];
        struct hs_fit_refusal *refusal = &fits->refusals[fits->refusal_count];

        if (!layer->refused)
            continue;
        refusal->layer = (struct hs_layer){layer->stride, layer->size};
        refusal->residual = residual_of(layer);
        if (layer->flat)
            snprintf(refusal->why, sizeof(refusal->why), "times that do not grow with the bytes");
        else
            snprintf(refusal->why, sizeof(refusal->why),
                     "times %.0f %% off the fitted line (root mean square of %" PRId64
                     " points), limit %.0f %%",
                     100 * refusal->residual, layer->points, 100 * terms->options.max_residual);
        fits->refusal_count++;
    }
    return HS_OK;
}

static enum hs_status keep_points(struct hs_fits *fits, const struct hs_fit_point *points,
                                  size_t count, const char *source, struct hs_error *err)
{
    fits->points = malloc(count * sizeof(*points));
    fits->source = hs_strdup(source);
    if (!fits->points || (source && !fits->source))
        return hs_no_memory(err);
    memcpy(fits->points, points, count * sizeof(*points));
    fits->point_count = count;
    return HS_OK;
}

/* Copies what the solution says of a level into the level's figures: from layers that nest, where
 * there are any. */
static void replace_level(struct hs_level *level, const struct hs_terms *terms, size_t l)
{
    int nested = 2 * (int)l, group = terms->group_column[nested] >= 0 ? nested : nested + 1;
    double latency, slowness;

    hs_terms_factors(&latency, &slowness, terms, group, NULL, NULL);
    level->latency_seconds = latency * terms->latency_unit[l];
    level->bytes_per_second /= slowness;
}

/* The described system with the base figures of a first solution in place of its own: sharing is
 * then computed from figures that are about right. Levels without points keep theirs. */
static void replace_figures(struct hs_system *base, const struct hs_terms *terms)
{
    for (size_t l = 0; l < base->level_count; l++)
        if (terms->level_column[l] >= 0)
            replace_level(&base->levels[l], terms, l);
    base->launch_seconds = terms->x[0];
}

static void note_clamps(struct hs_text *notes, const struct hs_terms *terms)
{
    for (size_t l = 0; l < terms->system->level_count; l++) {
        if (terms->clamped[l])
            hs_text_append(notes,
                           "level \"%s\": the fitted latency came out negative and is set to 0; "
                           "measure smaller messages to see it\n",
                           terms->system->levels[l].name);
        if (terms->level_column[l] < 0)
            hs_text_append(notes,
                           "level \"%s\": no layer was measured there, its figures stay as "
                           "described\n",
                           terms->system->levels[l].name);
    }
    if (terms->clamped[HS_LEVELS_MAX])
        hs_text_append(notes, "the fitted launch cost came out negative and is set to 0\n");
}

static void note_narrowed(struct hs_text *notes, const struct hs_terms *terms)
{
    size_t count = 0;

    for (size_t i = 0; i < terms->layer_count; i++)
        count += terms->layers[i].shortest > 0 && !terms->layers[i].refused;
    if (count > 0)
        hs_text_append(notes,
                       "%zu of %zu layers: no line describes all message sizes, so the fit is to "
                       "the longest of them\n",
                       count, terms->layer_count);
}

static void note_refusals(struct hs_text *notes, const struct hs_fits *fits)
{
    for (size_t i = 0; i < fits->refusal_count; i++)
        hs_text_append(notes, "layer of stride %" PRId64 ", size %" PRId64 ": refused: %s\n",
                       fits->refusals[i].layer.stride, fits->refusals[i].layer.size,
                       fits->refusals[i].why);
}

/* One solution on `base`; the fits where `fits` is given, else the base's figures are replaced. */
static enum hs_status solve_on(struct hs_system *base, struct hs_fits *fits,
                               const struct hs_fit_point *points, size_t count,
                               const struct hs_calibration_options *options, const char *source,
                               struct hs_text *notes, struct hs_error *err)
{
    struct hs_system described = *base; /* base may change below, terms look at this one */
    struct hs_terms terms;
    enum hs_status status = hs_terms_init(&terms, &described, points, count, options, err);

    if (status)
        return status;
    status = solve(&terms, err);
    if (!status && !fits)
        replace_figures(base, &terms);
    if (!status && fits && !(status = make_fits(fits, &terms, err)) &&
        !(status = list_refusals(fits, &terms, err)) &&
        !(status = keep_points(fits, points, count, source, err))) {
        base->launch_seconds = terms.x[0];
        if (notes) {
            note_clamps(notes, &terms);
            note_narrowed(notes, &terms);
            note_refusals(notes, fits);
        }
    }
    hs_terms_release(&terms);
    return status;
}

static enum hs_status replace_text(char **text, const char *source, struct hs_error *err)
{
    struct hs_text line = {0};

    hs_text_append(&line, "calibrated%s%s", source ? ": " : "", source ? source : "");
    if (!line.data)
        return hs_no_memory(err);
    free(*text);
    *text = line.data;
    return HS_OK;
}

/* Says of measured levels where their figures come from now. */
static enum hs_status replace_sources(struct hs_system *system, const struct hs_fits *fits,
                                      struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < fits->count && !status; i++) {
        struct hs_level *level = &system->levels[fits->items[i].level];

        if (fits->items[i].scope != HS_FIT_LEVEL)
            continue;
        status = replace_text(&level->latency_source, fits->source, err);
        if (!status)
            status = replace_text(&level->bandwidth_source, fits->source, err);
    }
    return status;
}

/* Takes over figures (not texts) of `base`, and the fits. */
static void adopt(struct hs_system *system, const struct hs_system *base, struct hs_fits *fits)
{
    for (size_t l = 0; l < system->level_count; l++) {
        system->levels[l].latency_seconds = base->levels[l].latency_seconds;
        system->levels[l].bytes_per_second = base->levels[l].bytes_per_second;
    }
    system->launch_seconds = base->launch_seconds;
    hs_fits_release(&system->fits);
    system->fits = *fits;
    *fits = (struct hs_fits){0};
}

enum hs_status hs_calibrate(struct hs_system *system, const struct hs_fit_point *points,
                            size_t count, const struct hs_calibration_options *options,
                            const char *source, struct hs_text *notes, struct hs_error *err)
{
    struct hs_system base = *system; /* its texts are only looked at */
    struct hs_fits fits = {0};
    enum hs_status status;

    memset(&base.fits, 0, sizeof(base.fits));
    if ((status = check_points(points, count, err)) ||
        (status = solve_on(&base, NULL, points, count, options, source, NULL, err)) ||
        (status = solve_on(&base, &fits, points, count, options, source, notes, err)) ||
        (status = replace_sources(system, &fits, err)))
        hs_fits_release(&fits);
    else
        adopt(system, &base, &fits);
    return status;
}
