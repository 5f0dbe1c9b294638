/* posterior.c - see posterior.h. */
#include "model/posterior.h"

#include <assert.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/price.h"

/* Rounds of linearisation; deviations are widened in the later ones, when base figures are near
 * where they stay. */
#define ROUNDS       6
#define WIDEN_FROM   3
#define ATTEMPTS     6    /* with ten times the noise each, where rounding spoils a factor */
#define WIDEST       5.0  /* most that deviations are widened */
#define SURPRISE     2.0  /* standard deviations off: then a base figure's prior is widened */
#define NOISE_FLOOR  1e-3 /* no median is trusted to better than this: clocks, and rounding */
#define LEAST_FACTOR 0.05 /* least latency and slowness that deviations are taken relative to */

/* Priors of base figures: standard deviations relative to the description. Real links reach about
 * half to all of what is said of them; described latencies are of the wire more often than not, and
 * software takes several times as long. */
#define SLOWNESS_DEVIATION 0.35
#define LATENCY_DEVIATION  2.0
#define STRADDLE_DEVIATION 0.15
#define LAUNCH_DEVIATION   2.0
#define UNKNOWN_DEVIATION  10.0 /* of figures that mean nothing, relative to what was measured */
#define LEAST_LATENCY_UNIT 2e-6 /* seconds: where no latency is described */
#define LEAST_LAUNCH_UNIT  5e-6 /* likewise of a launch */

/* Columns: launch; by level latency, slowness and what straddling adds to that; by kind a latency
 * and a slowness deviation. */
enum { LAUNCH_COLUMN = 0, LATENCY_COLUMN = 1 };
#define SLOWNESS_COLUMN (LATENCY_COLUMN + HS_LEVELS_MAX)
#define STRADDLE_COLUMN (SLOWNESS_COLUMN + HS_LEVELS_MAX)
#define KIND_COLUMN     (STRADDLE_COLUMN + HS_LEVELS_MAX)
#define ROW_TERMS       8

/* A sparse row: the time is the sum of values times unknowns. */
struct row {
    size_t count;
    size_t columns[ROW_TERMS];
    double values[ROW_TERMS];
};

/* What shares deviations: sizes of a group (stride 0), or one layer. */
struct kind {
    int group;
    int64_t stride, size;
};

struct hs_posterior {
    const struct hs_system *system;
    const struct hs_posterior_layer *layers;
    const struct hs_fit_point *points;
    size_t layer_count, point_count;
    int64_t np;
    struct hs_posterior_options options;

    /* Where the model is linearised. */
    double latency[HS_LEVELS_MAX], slowness[HS_LEVELS_MAX]; /* in units of the description */
    double latency_unit[HS_LEVELS_MAX], launch_unit;        /* seconds */
    double scale; /* of figures that mean nothing: how many times slower the machine is */
    double widen; /* factor of all deviations */
    double widen_base[KIND_COLUMN]; /* of base figures' priors, where far from the description */

    struct kind *kinds; /* [kind_count] owned, with room for two per row */
    size_t kind_count, columns;
    struct row *point_rows, *layer_rows; /* [point_count], [layer_count] owned */
    double *mean, *deviation;            /* priors, [columns] owned */
    double *x, *start, *drawn;           /* [columns] owned: the expected unknowns; of a draw */
    double *noise;                       /* [point_count] owned: seconds */
    gsl_matrix *factor;                  /* Cholesky factor of the points' covariance; NULL: none */
    gsl_vector *misses, *weights;        /* [point_count] owned; NULL without points */
};

/* ---- rows ---------------------------------------------------------------------------------- */

static size_t take_kind(struct hs_posterior *p, int group, int64_t stride, int64_t size)
{
    size_t i = 0;

    while (i < p->kind_count &&
           (p->kinds[i].group != group || p->kinds[i].stride != stride || p->kinds[i].size != size))
        i++;
    if (i == p->kind_count)
        p->kinds[p->kind_count++] = (struct kind){group, stride, size};
    return KIND_COLUMN + 2 * i;
}

static void put(struct row *row, size_t column, double value)
{
    assert(row->count < ROW_TERMS);
    row->columns[row->count] = column;
    row->values[row->count++] = value;
}

/* The row of some calls and passes of a layer, on `now`: the system as it is estimated. */
static struct row make_row(struct hs_posterior *p, const struct hs_system *now, int64_t np,
                           struct hs_stage_key key, double bytes)
{
    struct hs_stage_price price = hs_stage_price(now, np, key);
    struct hs_layer layer = key.layer;
    size_t l = (size_t)price.level, b = (size_t)price.bottleneck;
    int group = 2 * price.level + price.straddles;
    double described = p->system->levels[l].latency_seconds;
    double latency =
        described > 0
            ? hs_stage_line(&price, bytes).latency_seconds * p->latency_unit[l] / described
            : p->system->pipeline_granularity * price.steps * p->latency_unit[l];
    double transfer = hs_stage_bandwidth_seconds(&price, bytes) / p->slowness[b]; /* as described */
    struct row row = {0};

    put(&row, LAUNCH_COLUMN, hs_phase_calls(key.phase) * p->launch_unit);
    put(&row, LATENCY_COLUMN + l, latency);
    put(&row, SLOWNESS_COLUMN + b, transfer);
    if (price.straddles)
        put(&row, STRADDLE_COLUMN + b, transfer * p->slowness[b]);
    for (int own = 0; own < 2; own++) {
        size_t column = take_kind(p, group, own ? layer.stride : 0, layer.size);

        put(&row, column, latency * p->latency[l]);
        put(&row, column + 1, transfer * p->slowness[b]);
    }
    return row;
}

static double times(const struct row *row, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < row->count; i++)
        sum += row->values[i] * x[row->columns[i]];
    return sum;
}

static struct hs_system estimated(const struct hs_posterior *p)
{
    struct hs_system now = *p->system;

    for (size_t l = 0; l < now.level_count; l++)
        now.levels[l].bytes_per_second /= p->slowness[l];
    return now;
}

static void make_rows(struct hs_posterior *p, bool layers_too)
{
    struct hs_system now = estimated(p);

    p->kind_count = 0;
    for (size_t i = 0; i < p->point_count; i++) {
        const struct hs_fit_point *point = &p->points[i];

        p->point_rows[i] = make_row(p, &now, point->np, point->key, point->bytes);
    }
    for (size_t i = 0; i < p->layer_count && layers_too; i++)
        p->layer_rows[i] = make_row(p, &now, p->np, p->layers[i].key, p->layers[i].bytes);
    p->columns = KIND_COLUMN + 2 * p->kind_count;
}

static void set_priors(struct hs_posterior *p)
{
    const struct hs_system *system = p->system;
    bool unknown = p->options.shape_only;

    memset(p->mean, 0, p->columns * sizeof(*p->mean));
    memset(p->deviation, 0, p->columns * sizeof(*p->deviation));
    p->mean[LAUNCH_COLUMN] = unknown ? 0 : system->launch_seconds / p->launch_unit;
    p->deviation[LAUNCH_COLUMN] = LAUNCH_DEVIATION;
    for (size_t l = 0; l < system->level_count; l++) {
        double described = system->levels[l].latency_seconds / p->latency_unit[l];

        p->mean[LATENCY_COLUMN + l] = unknown ? p->scale : described;
        p->deviation[LATENCY_COLUMN + l] =
            unknown ? UNKNOWN_DEVIATION * p->scale : LATENCY_DEVIATION;
        p->mean[SLOWNESS_COLUMN + l] = unknown ? p->scale : 1;
        p->deviation[SLOWNESS_COLUMN + l] =
            unknown ? UNKNOWN_DEVIATION * p->scale : SLOWNESS_DEVIATION;
        p->deviation[STRADDLE_COLUMN + l] = p->widen * STRADDLE_DEVIATION;
    }
    for (size_t i = 0; i < p->kind_count; i++)
        p->deviation[KIND_COLUMN + 2 * i] = p->deviation[KIND_COLUMN + 2 * i + 1] =
            p->widen *
            (p->kinds[i].stride ? p->options.layer_deviation : p->options.size_deviation);
    for (size_t c = 0; c < STRADDLE_COLUMN; c++)
        p->deviation[c] *= p->widen_base[c];
}

/* ---- conditioning -------------------------------------------------------------------------- */

/* Cholesky factor of the covariance of what the points are measured as. More noise is assumed where
 * rounding would make it indefinite. */
static bool make_factor(struct hs_posterior *p)
{
    double *column = p->start; /* of prior covariance: unknowns against one point */
    double more = 1;           /* times the noise */
    int failure = GSL_EDOM;

    for (int attempt = 0; failure && attempt < ATTEMPTS; attempt++) {
        for (size_t i = 0; i < p->point_count; i++) {
            const struct row *row = &p->point_rows[i];

            memset(column, 0, p->columns * sizeof(*column));
            for (size_t k = 0; k < row->count; k++)
                column[row->columns[k]] =
                    row->values[k] * p->deviation[row->columns[k]] * p->deviation[row->columns[k]];
            for (size_t j = 0; j <= i; j++) {
                double value = times(&p->point_rows[j], column);

                if (i == j)
                    value += more * p->noise[i] * p->noise[i];
                gsl_matrix_set(p->factor, i, j, value);
                gsl_matrix_set(p->factor, j, i, value);
            }
        }
        failure = gsl_linalg_cholesky_decomp1(p->factor);
        more *= 10;
    }
    return !failure;
}

/* What `start` (unknowns) becomes given the points, when these were measured with `noise` (NULL: as
 * they are). Returns the sum of squared misses, in units of what is allowed for. start and x may
 * not be the same. */
static double correct(double *x, struct hs_posterior *p, const double *start, const double *noise)
{
    double squares = 0;

    memcpy(x, start, p->columns * sizeof(*x));
    if (p->point_count == 0)
        return 0;
    for (size_t i = 0; i < p->point_count; i++)
        gsl_vector_set(p->misses, i,
                       p->points[i].seconds - times(&p->point_rows[i], start) -
                           (noise ? noise[i] : 0));
    gsl_linalg_cholesky_solve(p->factor, p->misses, p->weights);
    gsl_blas_ddot(p->misses, p->weights, &squares);
    for (size_t i = 0; i < p->point_count; i++) {
        const struct row *row = &p->point_rows[i];

        for (size_t k = 0; k < row->count; k++) {
            size_t column = row->columns[k];

            x[column] += gsl_vector_get(p->weights, i) * row->values[k] * p->deviation[column] *
                         p->deviation[column];
        }
    }
    return squares;
}

/* Geometric mean of measured over described, where figures mean nothing. */
static void find_scale(struct hs_posterior *p)
{
    double sum = 0;

    make_rows(p, false);
    for (size_t i = 0; i < p->point_count; i++) {
        const struct row *row = &p->point_rows[i];
        double described = 0;

        for (size_t k = 0; k < row->count; k++)
            if (row->columns[k] != LAUNCH_COLUMN && row->columns[k] < STRADDLE_COLUMN)
                described += row->values[k];
        sum += log(p->points[i].seconds / described);
    }
    p->scale = exp(sum / (double)p->point_count);
    p->launch_unit *= p->scale;
    for (size_t l = 0; l < HS_LEVELS_MAX; l++)
        p->latency[l] = p->slowness[l] = p->scale;
}

/* A level far slower or faster than described says nothing against the model: its own prior gives
 * way, before all deviations do. */
static void give_way(struct hs_posterior *p)
{
    for (size_t c = 0; c < STRADDLE_COLUMN; c++)
        if (p->deviation[c] > 0) {
            double off = fabs(p->x[c] - p->mean[c]) / p->deviation[c];

            p->widen_base[c] *= fmax(1, off / SURPRISE);
        }
}

static bool linearise(struct hs_posterior *p)
{
    for (int round = 0; round < ROUNDS; round++) {
        double squares;

        make_rows(p, round + 1 == ROUNDS);
        set_priors(p);
        if (p->point_count > 0 && !make_factor(p))
            return false;
        squares = correct(p->x, p, p->mean, NULL);
        if (p->point_count == 0 || round + 1 == ROUNDS)
            continue;
        give_way(p);
        if (round >= WIDEN_FROM)
            p->widen = fmin(WIDEST, fmax(1, p->widen * sqrt(squares / (double)p->point_count)));
        for (size_t l = 0; l < p->system->level_count; l++) {
            p->latency[l] = fmax(p->x[LATENCY_COLUMN + l], LEAST_FACTOR * p->scale);
            p->slowness[l] = fmax(p->x[SLOWNESS_COLUMN + l], LEAST_FACTOR * p->scale);
        }
    }
    return true;
}

/* ---- for callers --------------------------------------------------------------------------- */

static enum hs_status check_points(const struct hs_posterior *p, struct hs_error *err)
{
    for (size_t i = 0; i < p->point_count; i++)
        if (!hs_fit_point_valid(&p->points[i]))
            return hs_fail(err, HS_INVALID, "point %zu is no time of a layer", i + 1);
    return HS_OK;
}

static enum hs_status allocate(struct hs_posterior *p, struct hs_error *err)
{
    size_t rows = p->point_count + p->layer_count, columns = KIND_COLUMN + 4 * rows;

    p->kinds = calloc(2 * rows + 1, sizeof(*p->kinds));
    p->point_rows = calloc(p->point_count + 1, sizeof(*p->point_rows));
    p->layer_rows = calloc(p->layer_count + 1, sizeof(*p->layer_rows));
    p->mean = calloc(columns, sizeof(*p->mean));
    p->deviation = calloc(columns, sizeof(*p->deviation));
    p->x = calloc(columns, sizeof(*p->x));
    p->start = calloc(columns, sizeof(*p->start));
    p->drawn = calloc(columns, sizeof(*p->drawn));
    p->noise = calloc(2 * p->point_count + 1, sizeof(*p->noise)); /* and a draw of it */
    if (p->point_count > 0) {
        p->factor = gsl_matrix_alloc(p->point_count, p->point_count);
        p->misses = gsl_vector_alloc(p->point_count);
        p->weights = gsl_vector_alloc(p->point_count);
    }
    if (p->kinds && p->point_rows && p->layer_rows && p->mean && p->deviation && p->x && p->start &&
        p->drawn && p->noise && (p->point_count == 0 || (p->factor && p->misses && p->weights)))
        return HS_OK;
    return hs_no_memory(err);
}

static enum hs_status condition(struct hs_posterior *p, struct hs_error *err)
{
    p->launch_unit = fmax(p->system->launch_seconds, LEAST_LAUNCH_UNIT);
    for (size_t l = 0; l < HS_LEVELS_MAX; l++) {
        p->latency_unit[l] = fmax(p->system->levels[l].latency_seconds, LEAST_LATENCY_UNIT);
        p->latency[l] = p->slowness[l] = 1;
    }
    for (size_t c = 0; c < KIND_COLUMN; c++)
        p->widen_base[c] = 1;
    for (size_t i = 0; i < p->point_count; i++) {
        double noise = p->points[i].noise;

        p->noise[i] =
            p->points[i].seconds * fmax(isfinite(noise) ? noise : p->options.noise, NOISE_FLOOR);
    }
    if (p->options.shape_only && p->point_count > 0)
        find_scale(p);
    if (!linearise(p))
        return hs_fail(err, HS_FAILED, "the measured layers contradict each other");
    return HS_OK;
}

enum hs_status hs_posterior_init(struct hs_posterior **out, const struct hs_system *system,
                                 int64_t np, const struct hs_posterior_layer *layers,
                                 size_t layer_count, const struct hs_fit_point *points,
                                 size_t point_count, const struct hs_posterior_options *options,
                                 struct hs_error *err)
{
    struct hs_posterior *p = calloc(1, sizeof(*p));
    gsl_error_handler_t *handler;
    enum hs_status status;

    *out = NULL;
    if (!p)
        return hs_no_memory(err);
    *p = (struct hs_posterior){.system = system,
                               .layers = layers,
                               .points = points,
                               .layer_count = layer_count,
                               .point_count = point_count,
                               .np = np,
                               .options = *options,
                               .scale = 1,
                               .widen = 1};
    handler = gsl_set_error_handler_off();
    status = check_points(p, err);
    if (!status)
        status = allocate(p, err);
    if (!status)
        status = condition(p, err);
    gsl_set_error_handler(handler);
    if (status)
        hs_posterior_release(p);
    else
        *out = p;
    return status;
}

void hs_posterior_mean(double *seconds, const struct hs_posterior *p)
{
    for (size_t i = 0; i < p->layer_count; i++)
        seconds[i] = times(&p->layer_rows[i], p->x);
}

void hs_posterior_draw(double *seconds, struct hs_posterior *p, uint64_t *seed)
{
    double *noise = p->noise + p->point_count, *start = p->start;

    for (size_t c = 0; c < p->columns; c++)
        start[c] =
            p->mean[c] + (p->deviation[c] > 0 ? p->deviation[c] * hs_random_normal(seed) : 0);
    for (size_t i = 0; i < p->point_count; i++)
        noise[i] = p->noise[i] * hs_random_normal(seed);
    correct(p->drawn, p, start, noise);
    for (size_t i = 0; i < p->layer_count; i++)
        seconds[i] = times(&p->layer_rows[i], p->drawn);
}

void hs_posterior_release(struct hs_posterior *p)
{
    if (!p)
        return;
    gsl_matrix_free(p->factor);
    gsl_vector_free(p->misses);
    gsl_vector_free(p->weights);
    free(p->kinds);
    free(p->point_rows);
    free(p->layer_rows);
    free(p->mean);
    free(p->deviation);
    free(p->x);
    free(p->start);
    free(p->drawn);
    free(p->noise);
    free(p);
}
