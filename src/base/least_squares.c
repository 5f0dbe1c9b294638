#include "base/least_squares.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* What one solution needs; all owned. */
struct workspace {
    gsl_matrix *stacked; /* [rows + columns][columns], then its QR decomposition */
    gsl_vector *right, *tau, *solution, *residual;
    gsl_matrix *inverse; /* of R */
};

static void release(struct workspace *work)
{
    gsl_matrix_free(work->stacked);
    gsl_vector_free(work->right);
    gsl_vector_free(work->tau);
    gsl_vector_free(work->solution);
    gsl_vector_free(work->residual);
    gsl_matrix_free(work->inverse);
}

static enum hs_status allocate(struct workspace *work, size_t rows, size_t columns,
                               struct hs_error *err)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();

    *work = (struct workspace){
        .stacked = gsl_matrix_calloc(rows + columns, columns),
        .right = gsl_vector_alloc(rows + columns),
        .tau = gsl_vector_alloc(columns),
        .solution = gsl_vector_alloc(columns),
        .residual = gsl_vector_alloc(rows + columns),
        .inverse = gsl_matrix_calloc(columns, columns),
    };
    gsl_set_error_handler(handler);
    if (work->stacked && work->right && work->tau && work->solution && work->residual &&
        work->inverse)
        return HS_OK;
    release(work);
    return hs_no_memory(err);
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0 && isfinite(values[i])))
            return false;
    return true;
}

/* Unknowns are solved in units of their prior's deviation, around its mean: z_j = (x_j - mean_j) /
 * deviation_j. The prior's rows are then the identity, and columns of very different units are of
 * one size. */
static void stack(struct workspace *work, const double *a, const double *y, const double *sigma,
                  size_t rows, const double *mean, const double *deviation, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double rest = y[i];

        for (size_t j = 0; j < columns; j++) {
            double element = a[i * columns + j];

            rest -= element * mean[j];
            gsl_matrix_set(work->stacked, i, j, element * deviation[j] / sigma[i]);
        }
        gsl_vector_set(work->right, i, rest / sigma[i]);
    }
    for (size_t j = 0; j < columns; j++) {
        gsl_matrix_set(work->stacked, rows + j, j, 1);
        gsl_vector_set(work->right, rows + j, 0);
    }
}

/* (R^T R)^-1 in the unknowns' own units. */
static void covariance_of(double *covariance, const struct workspace *work, const double *deviation,
                          size_t columns)
{
    gsl_matrix_set_identity(work->inverse);
    for (size_t j = 0; j < columns; j++) {
        gsl_matrix_const_view r = gsl_matrix_const_submatrix(work->stacked, 0, 0, columns, columns);
        gsl_vector_view column = gsl_matrix_column(work->inverse, j);

        gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &r.matrix, &column.vector);
    }
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;

            for (size_t k = i > j ? i : j; k < columns; k++)
                sum += gsl_matrix_get(work->inverse, i, k) * gsl_matrix_get(work->inverse, j, k);
            covariance[i * columns + j] = sum * deviation[i] * deviation[j];
        }
}

enum hs_status hs_least_squares(double *x, double *covariance, const double *a, const double *y,
                                const double *sigma, size_t rows, const double *mean,
                                const double *deviation, size_t columns, struct hs_error *err)
{
    struct workspace work;

    if (!all_positive(sigma, rows) || !all_positive(deviation, columns))
        return hs_fail(err, HS_INVALID, "least squares: a deviation is not a positive number");
    if (columns == 0)
        return HS_OK;
    if (allocate(&work, rows, columns, err))
        return HS_MEMORY;
    stack(&work, a, y, sigma, rows, mean, deviation, columns);
    gsl_linalg_QR_decomp(work.stacked, work.tau);
    gsl_linalg_QR_lssolve(work.stacked, work.tau, work.right, work.solution, work.residual);
    for (size_t j = 0; j < columns; j++)
        x[j] = mean[j] + deviation[j] * gsl_vector_get(work.solution, j);
    if (covariance)
        covariance_of(covariance, &work, deviation, columns);
    release(&work);
    return HS_OK;
}
