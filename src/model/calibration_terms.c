#include "model/calibration_terms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/least_squares.h"
#include "base/units.h"
#include "model/price.h"

/* Medians are never trusted to better than this: clocks, and a model that is not the machine. */
#define NOISE_FLOOR 0.005
/* Deviations are relative to base figures that are being solved for: so often the system is
 * linearised. */
#define ROUNDS 4
/* Standard deviations that say nothing: of a level's slowness factor, its latency, and the launch
 * cost. */
#define WIDE_FACTOR          100.0
#define WIDE_LATENCY_SECONDS 5e-3
#define HELD                 1e-9 /* a deviation that holds an unknown where it is */

static struct hs_kind *find_kind(struct hs_kind *kinds, size_t count, int group, int64_t size,
                                 int64_t stride)
{
    for (size_t i = 0; i < count; i++)
        if (kinds[i].group == group && kinds[i].size == size && kinds[i].stride == stride)
            return &kinds[i];
    return NULL;
}

/* The kind of that name, new where there is none; kinds has room. */
static struct hs_kind *take_kind(struct hs_kind *kinds, size_t *count, int group, int64_t size,
                                 int64_t stride)
{
    struct hs_kind *kind = find_kind(kinds, *count, group, size, stride);

    if (!kind) {
        kind = &kinds[(*count)++];
        *kind = (struct hs_kind){.group = group, .size = size, .stride = stride};
        kind->min_bytes = INFINITY;
    }
    return kind;
}

static void count_term(struct hs_kind *kind, const struct hs_term *term)
{
    kind->points += term->points;
    kind->terms++;
    kind->min_bytes = fmin(kind->min_bytes, term->bytes);
    if (term->bytes <= kind->max_bytes)
        return;
    kind->max_bytes = term->bytes;
    kind->steps = term->steps;
    kind->transfer_seconds = term->transfer_seconds;
}

/* Steps and bytes by the plain model: what the fitted figures multiply. */
static void price_term(struct hs_term *term, const struct hs_stage_price *price,
                       const struct hs_terms *terms, const struct hs_fit_point *point)
{
    double level_latency = terms->system->levels[price->level].latency_seconds;

    term->passes = hs_phase_passes(point->key.phase);
    term->calls = hs_phase_calls(point->key.phase);
    term->steps = level_latency > 0
                      ? hs_stage_line(price, point->bytes).latency_seconds / 2 / level_latency
                      : terms->system->pipeline_granularity * price->steps / 2;
    term->transfer_seconds = hs_stage_bandwidth_seconds(price, point->bytes) / 2;
    term->bytes = point->bytes;
    term->seconds = point->seconds;
    term->sigma = point->noise * point->seconds;
    term->used = true;
}

static void add_point(struct hs_terms *terms, const struct hs_fit_point *point,
                      int64_t measurements)
{
    struct hs_term *term = &terms->items[terms->count++];
    struct hs_stage_price price = hs_stage_price(
        terms->system, point->np, (struct hs_stage_key){HS_PAIR, HS_RING, point->key.layer});
    int group = 2 * price.level + price.straddles;
    struct hs_kind *class, *layer;

    price_term(term, &price, terms, point);
    term->points = measurements;
    class = take_kind(terms->classes, &terms->class_count, group, point->key.layer.size, 0);
    layer = take_kind(terms->layers, &terms->layer_count, group, point->key.layer.size,
                      point->key.layer.stride);
    count_term(class, term);
    count_term(layer, term);
    layer->parent = (size_t)(class - terms->classes);
    term->layer = (size_t)(layer - terms->layers);
}

/* Noise as it is counted with: where a point does not say its own, and never less than there is. */
static enum hs_status check_point(struct hs_fit_point *point, size_t number,
                                  const struct hs_terms *terms, struct hs_error *err)
{
    if (!hs_fit_point_valid(point))
        return hs_fail(err, HS_INVALID,
                       "point %zu: no time of a layer: stride %" PRId64 ", size %" PRId64
                       " of %" PRId64 " processes, %g bytes, %g s",
                       number, point->key.layer.stride, point->key.layer.size, point->np,
                       point->bytes, point->seconds);
    point->noise = fmax(isfinite(point->noise) ? point->noise : terms->options.noise, NOISE_FLOOR);
    return HS_OK;
}

static enum hs_status add_points(struct hs_terms *terms, const struct hs_fit_point *points,
                                 size_t count, struct hs_error *err)
{
    struct hs_fit_point *pairs = malloc((count + 1) * sizeof(*pairs));
    int64_t *halves = calloc(count + 1, sizeof(*halves));
    enum hs_status status = HS_OK;

    if (!pairs || !halves)
        status = hs_no_memory(err);
    for (size_t i = 0; i < count && !status; i++) {
        pairs[i] = points[i];
        status = check_point(&pairs[i], i + 1, terms, err);
    }
    if (!status) {
        count = hs_fit_points_pair(pairs, halves, count);
        for (size_t i = 0; i < count; i++)
            add_point(terms, &pairs[i], halves[i]);
    }
    free(pairs);
    free(halves);
    return status;
}

/* Gives every unknown its column. */
static void number_columns(struct hs_terms *terms)
{
    size_t next = 1; /* 0 is the launch cost */

    for (int l = 0; l < HS_LEVELS_MAX; l++)
        terms->level_column[l] = -1;
    for (int g = 0; g < HS_GROUPS_MAX; g++)
        terms->group_column[g] = -1;
    for (size_t i = 0; i < terms->class_count; i++) {
        terms->level_column[terms->classes[i].group / 2] = 0;
        terms->group_column[terms->classes[i].group] = 0;
    }
    for (int l = 0; l < HS_LEVELS_MAX; l++)
        if (terms->level_column[l] == 0)
            terms->level_column[l] = (int)next++;
    for (int g = 0; g < HS_GROUPS_MAX; g++)
        if (terms->group_column[g] == 0)
            terms->group_column[g] = (int)next++;
    for (size_t i = 0; i < terms->class_count; i++, next += 2)
        terms->classes[i].column = next;
    for (size_t i = 0; i < terms->layer_count; i++, next += 2)
        terms->layers[i].column = next;
    terms->columns = next;
}

static double or_default(double value, double fallback)
{
    return value > 0 ? value : fallback;
}

enum hs_status hs_terms_init(struct hs_terms *terms, const struct hs_system *system,
                             const struct hs_fit_point *points, size_t count,
                             const struct hs_calibration_options *options, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *terms = (struct hs_terms){.system = system};
    if (options)
        terms->options = *options;
    terms->options.size_deviation = or_default(terms->options.size_deviation, 0.10);
    terms->options.layer_deviation = or_default(terms->options.layer_deviation, 0.10);
    terms->options.noise = or_default(terms->options.noise, 0.05);
    terms->options.max_residual = or_default(terms->options.max_residual, 0.15);
    terms->classes = calloc(count + 1, sizeof(*terms->classes));
    terms->layers = calloc(count + 1, sizeof(*terms->layers));
    terms->items = calloc(count + 1, sizeof(*terms->items));
    if (!terms->classes || !terms->layers || !terms->items)
        status = hs_no_memory(err);
    if (!status)
        status = add_points(terms, points, count, err);
    number_columns(terms);
    for (int l = 0; l < HS_LEVELS_MAX; l++)
        terms->latency_unit[l] = or_default(system->levels[l].latency_seconds, 1e-6);
    if (!status) {
        terms->x = calloc(terms->columns, sizeof(*terms->x));
        terms->covariance = calloc(terms->columns * terms->columns, sizeof(*terms->covariance));
        if (!terms->x || !terms->covariance)
            status = hs_no_memory(err);
    }
    if (status)
        hs_terms_release(terms);
    return status;
}

void hs_terms_release(struct hs_terms *terms)
{
    free(terms->classes);
    free(terms->layers);
    free(terms->items);
    free(terms->x);
    free(terms->covariance);
    *terms = (struct hs_terms){0};
}

size_t hs_terms_select(struct hs_terms *terms)
{
    size_t used = 0;

    for (size_t i = 0; i < terms->class_count + terms->layer_count; i++) {
        struct hs_kind *kind =
            i < terms->class_count ? &terms->classes[i] : &terms->layers[i - terms->class_count];

        if (kind->refused) /* those keep what they were refused for */
            continue;
        kind->points = kind->terms = 0;
        kind->min_bytes = INFINITY;
    }
    for (size_t i = 0; i < terms->count; i++) {
        struct hs_term *term = &terms->items[i];
        struct hs_kind *layer = &terms->layers[term->layer];

        term->used = !layer->refused && term->bytes >= layer->shortest * layer->max_bytes;
        if (!term->used)
            continue;
        count_term(&terms->classes[layer->parent], term);
        count_term(layer, term);
        used += (size_t)term->points;
    }
    return used;
}

void hs_terms_row(double *row, const struct hs_terms *terms, int group, const struct hs_kind *class,
                  const struct hs_kind *layer, double calls, double passes, double steps,
                  double transfer_seconds)
{
    const struct hs_kind *kinds[2] = {class, layer};
    size_t level = (size_t)terms->level_column[group / 2];
    size_t slowness = (size_t)terms->group_column[group];
    double latency_seconds = passes * steps * terms->latency_unit[group / 2];
    double moving_seconds = passes * transfer_seconds;

    memset(row, 0, terms->columns * sizeof(*row));
    row[0] = calls;
    row[level] = latency_seconds;
    row[slowness] = moving_seconds;
    for (int i = 0; i < 2; i++)
        if (kinds[i]) {
            row[kinds[i]->column] = latency_seconds * terms->x[level];
            row[kinds[i]->column + 1] = moving_seconds * terms->x[slowness];
        }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void hs_terms_factors(double *latency, double *slowness, const struct hs_terms *terms, int group,
                      const struct hs_kind *class, const struct hs_kind *layer)
{
    const struct hs_kind *kinds[2] = {class, layer};
    double latency_deviation = 0, slowness_deviation = 0;

    for (int i = 0; i < 2; i++)
        if (kinds[i]) {
            latency_deviation += terms->x[kinds[i]->column];
            slowness_deviation += terms->x[kinds[i]->column + 1];
        }
    *latency = fmax(0, terms->x[terms->level_column[group / 2]] * (1 + latency_deviation));
    *slowness = terms->x[terms->group_column[group]] * (1 + slowness_deviation);
}

double hs_terms_fitted(const struct hs_terms *terms, const struct hs_term *term)
{
    const struct hs_kind *layer = &terms->layers[term->layer];
    const struct hs_kind *class = &terms->classes[layer->parent];
    double latency, slowness;

    hs_terms_factors(&latency, &slowness, terms, layer->group, class, layer);
    return term->calls * terms->x[0] +
           term->passes * (term->steps * terms->latency_unit[layer->group / 2] * latency +
                           term->transfer_seconds * slowness);
}

/* Priors of all unknowns; what is clamped is held at 0. */
static void set_priors(double *mean, double *deviation, const struct hs_terms *terms)
{
    for (size_t j = 0; j < terms->columns; j++)
        mean[j] = 0;
    mean[0] = terms->clamped[HS_LEVELS_MAX] ? 0 : terms->system->launch_seconds;
    deviation[0] =
        terms->clamped[HS_LEVELS_MAX] ? HELD * WIDE_LATENCY_SECONDS : WIDE_LATENCY_SECONDS;
    for (int l = 0; l < HS_LEVELS_MAX; l++)
        if (terms->level_column[l] >= 0) {
            size_t j = (size_t)terms->level_column[l];

            mean[j] = terms->clamped[l] || terms->system->levels[l].latency_seconds == 0 ? 0 : 1;
            deviation[j] = terms->clamped[l] ? HELD : WIDE_LATENCY_SECONDS / terms->latency_unit[l];
        }
    for (int g = 0; g < HS_GROUPS_MAX; g++)
        if (terms->group_column[g] >= 0) {
            mean[terms->group_column[g]] = 1;
            deviation[terms->group_column[g]] = WIDE_FACTOR;
        }
    for (size_t i = 0; i < terms->class_count; i++)
        for (size_t k = 0; k < 2; k++)
            deviation[terms->classes[i].column + k] = terms->options.size_deviation;
    for (size_t i = 0; i < terms->layer_count; i++)
        for (size_t k = 0; k < 2; k++)
            deviation[terms->layers[i].column + k] = terms->options.layer_deviation;
}

/* Holds latencies that came out negative at 0. Returns whether there were any. */
static bool clamp_negative(struct hs_terms *terms)
{
    bool any = false;

    for (int l = 0; l <= HS_LEVELS_MAX; l++) {
        int column = l == HS_LEVELS_MAX ? 0 : terms->level_column[l];

        if (column < 0 || terms->clamped[l] || terms->x[column] >= 0)
            continue;
        terms->clamped[l] = any = true;
    }
    return any;
}

/* What is held at 0 to the last digit, and what the first round found below it. */
static void raise_to_zero(struct hs_terms *terms)
{
    for (int l = 0; l <= HS_LEVELS_MAX; l++) {
        int column = l == HS_LEVELS_MAX ? 0 : terms->level_column[l];

        if (column >= 0 && (terms->clamped[l] || terms->x[column] < 0))
            terms->x[column] = 0;
    }
}

/* Groups whose times do not grow with the bytes: their slowness is held just above 0, and noted. */
static void note_flat_groups(struct hs_terms *terms)
{
    for (int g = 0; g < HS_GROUPS_MAX; g++) {
        double *slowness = terms->group_column[g] < 0 ? NULL : &terms->x[terms->group_column[g]];

        terms->flat[g] = slowness && !(*slowness > 0);
        if (terms->flat[g])
            *slowness = HELD;
    }
}

/* What one solution needs. */
struct equations {
    double *a, *y, *sigma, *mean, *deviation;
    size_t rows;
};

static void fill_equations(struct equations *equations, const struct hs_terms *terms)
{
    equations->rows = 0;
    for (size_t i = 0; i < terms->count; i++) {
        const struct hs_term *term = &terms->items[i];
        const struct hs_kind *layer = &terms->layers[term->layer];

        if (!term->used)
            continue;
        hs_terms_row(equations->a + equations->rows * terms->columns, terms, layer->group,
                     &terms->classes[layer->parent], layer, term->calls, term->passes, term->steps,
                     term->transfer_seconds);
        equations->y[equations->rows] = term->seconds;
        equations->sigma[equations->rows++] = term->sigma;
    }
    set_priors(equations->mean, equations->deviation, terms);
}

/* Where the points scatter more than their noise says, so do the unknowns. Degrees of freedom:
 * points less the trace of the hat matrix, which counts unknowns by how far the points, not the
 * priors, decide them. */
static void scale_covariance(struct hs_terms *terms, const struct equations *equations)
{
    double squares = 0, freedom = (double)equations->rows;

    for (size_t i = 0; i < equations->rows; i++) {
        const double *row = equations->a + i * terms->columns;
        double rest = (equations->y[i] - dot(row, terms->x, terms->columns)) / equations->sigma[i];
        double leverage = 0;

        for (size_t j = 0; j < terms->columns; j++)
            if (row[j] != 0)
                leverage +=
                    row[j] * dot(row, terms->covariance + j * terms->columns, terms->columns);
        squares += rest * rest;
        freedom -= leverage / (equations->sigma[i] * equations->sigma[i]);
    }
    if (freedom >= 1 && squares > freedom)
        for (size_t j = 0; j < terms->columns * terms->columns; j++)
            terms->covariance[j] *= squares / freedom;
}

static enum hs_status solve_rounds(struct hs_terms *terms, struct equations *equations,
                                   struct hs_error *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        enum hs_status status;

        do {
            fill_equations(equations, terms);
            status = hs_least_squares(terms->x, round + 1 == ROUNDS ? terms->covariance : NULL,
                                      equations->a, equations->y, equations->sigma, equations->rows,
                                      equations->mean, equations->deviation, terms->columns, err);
            if (status)
                return status;
        } while (round > 0 && clamp_negative(terms));
        raise_to_zero(terms);
        note_flat_groups(terms);
    }
    fill_equations(equations, terms);
    scale_covariance(terms, equations);
    return HS_OK;
}

/* Base factors of 0 take the deviations out of the first round's equations: it fits the base alone.
 */
static void start(struct hs_terms *terms)
{
    memset(terms->x, 0, terms->columns * sizeof(*terms->x));
    memset(terms->clamped, 0, sizeof(terms->clamped));
}

enum hs_status hs_terms_solve(struct hs_terms *terms, struct hs_error *err)
{
    struct equations equations = {
        .a = calloc(terms->count * terms->columns, sizeof(double)),
        .y = calloc(terms->count, sizeof(double)),
        .sigma = calloc(terms->count, sizeof(double)),
        .mean = calloc(terms->columns, sizeof(double)),
        .deviation = calloc(terms->columns, sizeof(double)),
    };
    enum hs_status status = HS_MEMORY;

    start(terms);
    if (equations.a && equations.y && equations.sigma && equations.mean && equations.deviation)
        status = solve_rounds(terms, &equations, err);
    else
        hs_no_memory(err);
    free(equations.a);
    free(equations.y);
    free(equations.sigma);
    free(equations.mean);
    free(equations.deviation);
    return status;
}
