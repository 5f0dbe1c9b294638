/*
 * least_squares.h - weighted linear least squares with normal priors, on GSL.
 */
#ifndef HS_BASE_LEAST_SQUARES_H
#define HS_BASE_LEAST_SQUARES_H

#include <stddef.h>

#include "base/error.h"

/* Minimises sum_i ((y_i - sum_j a_ij x_j) / sigma_i)^2 + sum_j ((x_j - mean_j) / deviation_j)^2, by
 * QR decomposition of the stacked system (no normal equations).
 *
 * a is [rows][columns], y and sigma [rows] with sigma > 0, mean and deviation [columns] with
 * deviation > 0 (every column has a prior, so the solution is unique even with rows < columns). x
 * is [columns]. covariance, [columns][columns], may be NULL: inverse of the Hessian of half the sum
 * above, i.e. the covariance of x if sigma and the priors are right. HS_INVALID for a sigma or
 * deviation that is not positive and finite, HS_MEMORY. */
enum hs_status hs_least_squares(double *x, double *covariance, const double *a, const double *y,
                                const double *sigma, size_t rows, const double *mean,
                                const double *deviation, size_t columns, struct hs_error *err);

#endif
