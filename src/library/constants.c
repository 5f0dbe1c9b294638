#include "library/constants.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SOFT         1.5  /* residual from which a point counts less than its square */
#define STEP         1e-5 /* of derivatives by log(constant) */
#define ROUNDS       40
#define TRIES        12
#define DAMPING      1e-3
#define DAMPING_MIN  1e-9
#define DAMPING_UP   4.0
#define DAMPING_DOWN 5.0
#define LONGEST      1.0  /* step of a log */
#define ENOUGH       1e-6 /* part of the cost that is not worth another round */

void hs_constants_shipped(double *values, const struct hs_price_model *model)
{
    for (size_t i = 0; i < model->count; i++)
        values[i] = model->constants[i].fitted;
}

/* Derivatives of log(seconds) by the log of each constant; `values` are as they were at the end. */
static void differentiate(double *derivatives, const struct hs_price_model *model, const void *call,
                          double *values, double log_seconds)
{
    for (size_t i = 0; i < model->count; i++) {
        double value = values[i];

        values[i] = value * exp(STEP);
        derivatives[i] = (log(model->seconds(call, values)) - log_seconds) / STEP;
        values[i] = value;
    }
}

double hs_constants_error(double *rms, const struct hs_constants_question *question,
                          const double *values)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < question->count; i++) {
        double off = log(question->model->seconds(question->points[i].call, values) /
                         question->points[i].seconds);

        sum += fabs(off);
        squares += off * off;
    }
    *rms = sqrt(squares / (double)question->count);
    return exp(sum / (double)question->count) - 1;
}

double hs_constants_variance(const struct hs_price_model *model, const void *call,
                             const double *values, const double *deviations)
{
    double moved[HS_CONSTANTS_MAX], derivatives[HS_CONSTANTS_MAX], variance = 0;

    memcpy(moved, values, model->count * sizeof(*values));
    differentiate(derivatives, model, call, moved, log(model->seconds(call, values)));
    for (size_t i = 0; i < model->count; i++)
        variance += pow(derivatives[i] * deviations[i], 2);
    return variance;
}

void hs_constants_deviations(double *deviations, const struct hs_price_model *model, double widths)
{
    for (size_t i = 0; i < model->count; i++)
        deviations[i] = model->constants[i].width * widths;
}

/* ---- prior ----------------------------------------------------------------------------------- */

static bool same_family(const struct hs_constant *a, const struct hs_constant *b)
{
    const char *end = strrchr(a->name, '_');

    return end != NULL && a->family_deviation > 0 && b->family_deviation > 0 &&
           strncmp(a->name, b->name, (size_t)(end - a->name) + 1) == 0;
}

/* One family's part of the precision A, of `count` rows: the inverse of f^2 I + d^2 1 1' is
 * (I - d^2 / (f^2 + count d^2) 1 1') / f^2 (Sherman and Morrison 1950). */
static void put_family(double *precision, size_t width, const struct hs_constant *first,
                       size_t count)
{
    double own = first->family_deviation * first->family_deviation;
    double shared = first->deviation * first->deviation;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            precision[i * width + j] =
                ((i == j ? 1 : 0) - shared / (own + (double)count * shared)) / own;
}

static void put_precision(double *precision, const struct hs_price_model *model, bool widths)
{
    const struct hs_constant *rows = model->constants;
    size_t n = model->count, last;

    for (size_t i = 0; i < n; i = last) {
        double deviation = widths ? rows[i].width : rows[i].deviation;

        for (last = i + 1; !widths && last < n && same_family(&rows[i], &rows[last]);)
            last++;
        precision[i * n + i] = 1 / (deviation * deviation);
        if (last > i + 1)
            put_family(&precision[i * n + i], n, &rows[i], last - i);
    }
}

/* ---- fit ------------------------------------------------------------------------------------- */

struct fit {
    const struct hs_price_model *model;
    const struct hs_price_point *points;
    size_t point_count;
    double *memory;    /* all below */
    double *precision; /* A [n n] */
    double *normal;    /* H [n n]: J' W J / scatter^2 + A */
    double *damped;    /* [n n] */
    double *mean;      /* mu [n] */
    double *gradient;  /* half of the cost's [n] */
    double *step;      /* [n] */
    double *tried;     /* values [n] */
};

static enum hs_status fit_init(struct fit *fit, struct hs_error *err)
{
    size_t n = fit->model->count;

    fit->memory = calloc(3 * n * n + 4 * n, sizeof(double));
    if (fit->memory == NULL)
        return hs_no_memory(err);
    fit->precision = fit->memory;
    fit->normal = fit->precision + n * n;
    fit->damped = fit->normal + n * n;
    fit->mean = fit->damped + n * n;
    fit->gradient = fit->mean + n;
    fit->step = fit->gradient + n;
    fit->tried = fit->step + n;
    return HS_OK;
}

static double residual(const struct fit *fit, size_t point, double log_seconds)
{
    return (log_seconds - log(fit->points[point].seconds)) / fit->model->scatter;
}

/* A (x - mu), row i. */
static double pull(const struct fit *fit, const double *values, size_t row)
{
    size_t n = fit->model->count;
    double sum = 0;

    for (size_t j = 0; j < n; j++)
        if (fit->precision[row * n + j] != 0)
            sum += fit->precision[row * n + j] * (log(values[j]) - fit->mean[j]);
    return sum;
}

static double cost_of(const struct fit *fit, const double *values)
{
    double cost = 0;

    for (size_t i = 0; i < fit->point_count; i++) {
        double r = residual(fit, i, log(fit->model->seconds(fit->points[i].call, values)));

        cost += 2 * SOFT * SOFT * (sqrt(1 + r * r / (SOFT * SOFT)) - 1);
    }
    for (size_t i = 0; i < fit->model->count; i++)
        cost += (log(values[i]) - fit->mean[i]) * pull(fit, values, i);
    return cost;
}

/* Adds a point to the lower half of the normal matrix, and to the gradient. */
static void add_point(struct fit *fit, const double *derivatives, double r)
{
    size_t n = fit->model->count;
    double scatter = fit->model->scatter, weight = 1 / sqrt(1 + r * r / (SOFT * SOFT));

    for (size_t i = 0; i < n; i++) {
        double weighted = derivatives[i] * weight / scatter;

        if (derivatives[i] == 0)
            continue;
        fit->gradient[i] += weighted * r;
        for (size_t j = 0; j <= i; j++)
            fit->normal[i * n + j] += weighted * derivatives[j] / scatter;
    }
}

static void linearise(struct fit *fit, double *values)
{
    const struct hs_price_model *model = fit->model;
    double derivatives[HS_CONSTANTS_MAX];

    memcpy(fit->normal, fit->precision, model->count * model->count * sizeof(double));
    for (size_t i = 0; i < model->count; i++)
        fit->gradient[i] = pull(fit, values, i);
    for (size_t i = 0; i < fit->point_count; i++) {
        double at = log(model->seconds(fit->points[i].call, values));

        differentiate(derivatives, model, fit->points[i].call, values, at);
        add_point(fit, derivatives, residual(fit, i, at));
    }
}

/* Solves (H + damping diag H) step = -gradient. H is symmetric and, as A is, positive; derivatives
 * by logs are of the order of 1, so rounding does not change that. */
static void solve(struct fit *fit, double damping)
{
    size_t n = fit->model->count;
    gsl_matrix_view matrix = gsl_matrix_view_array(fit->damped, n, n);
    gsl_vector_view vector = gsl_vector_view_array(fit->step, n);

    memcpy(fit->damped, fit->normal, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        fit->damped[i * n + i] *= 1 + damping;
        fit->step[i] = -fit->gradient[i];
    }
    gsl_linalg_cholesky_decomp1(&matrix.matrix);
    gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector);
}

/* A step that lowers the cost, with more and more damping. False: none does. */
static bool go(struct fit *fit, double *values, double *cost, double *damping)
{
    size_t n = fit->model->count;

    for (int i = 0; i < TRIES; i++) {
        double tried;

        solve(fit, *damping);
        for (size_t j = 0; j < n; j++)
            fit->tried[j] = values[j] * exp(fmax(-LONGEST, fmin(LONGEST, fit->step[j])));
        tried = cost_of(fit, fit->tried);
        if (tried < *cost) {
            memcpy(values, fit->tried, n * sizeof(*values));
            *cost = tried;
            return true;
        }
        *damping *= DAMPING_UP;
    }
    return false;
}

static double descend(struct fit *fit, double *values, int rounds)
{
    double cost = cost_of(fit, values), damping = DAMPING;

    for (int i = 0; i < rounds; i++) {
        double before = cost;

        linearise(fit, values);
        if (!go(fit, values, &cost, &damping) || before - cost < ENOUGH * before)
            break;
        damping = fmax(damping / DAMPING_DOWN, DAMPING_MIN);
    }
    return cost;
}

static enum hs_status check_points(const struct hs_constants_question *question,
                                   const double *values, struct hs_error *err)
{
    const struct hs_price_point *points = question->points;

    for (size_t i = 0; i < question->count; i++) {
        if (!(points[i].seconds > 0) || !isfinite(points[i].seconds))
            return hs_fail(err, HS_INVALID, "point %zu: expected seconds above 0, found %g", i + 1,
                           points[i].seconds);
        if (!isfinite(log(question->model->seconds(points[i].call, values))))
            return hs_fail(err, HS_INVALID, "point %zu: the call has no price", i + 1);
    }
    return HS_OK;
}

/* The roots of the diagonal of H's inverse. */
static void put_deviations(struct fit *fit, double *deviations, double *values)
{
    size_t n = fit->model->count;
    gsl_matrix_view matrix = gsl_matrix_view_array(fit->normal, n, n);

    linearise(fit, values);
    gsl_linalg_cholesky_decomp1(&matrix.matrix);
    gsl_linalg_cholesky_invert(&matrix.matrix);
    for (size_t i = 0; i < n; i++)
        deviations[i] = sqrt(fit->normal[i * n + i]);
}

enum hs_status hs_constants_fit(double *values, double *cost,
                                const struct hs_constants_question *question, struct hs_error *err)
{
    const struct hs_price_model *model = question->model;
    struct fit fit = {.model = model, .points = question->points, .point_count = question->count};
    const double *around = question->around;
    double reached;

    if (check_points(question, values, err))
        return HS_INVALID;
    if (fit_init(&fit, err))
        return HS_MEMORY;
    put_precision(fit.precision, model, around != NULL);
    for (size_t i = 0; i < model->count; i++)
        fit.mean[i] = log(around != NULL ? around[i] : model->constants[i].prior);
    reached = descend(&fit, values, question->rounds > 0 ? question->rounds : ROUNDS);
    if (cost != NULL)
        *cost = reached;
    if (question->deviations != NULL)
        put_deviations(&fit, question->deviations, values);
    free(fit.memory);
    return HS_OK;
}
