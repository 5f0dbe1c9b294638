/*
 * statistics.h - the few statistics a measurement needs, on GSL.
 *
 * Nothing here assumes normally distributed times: they have a floor and a long tail.
 */
#ifndef HS_BASE_STATISTICS_H
#define HS_BASE_STATISTICS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Summary of a sample, in the sample's unit. */
struct hs_summary {
    size_t count;
    double min, max, mean, median;
    double ci_low, ci_high; /* distribution-free 95 % interval of the median */
    bool ci_valid;          /* false below 6 values: no two order statistics reach 95 % */
};

/* Order-statistic interval: the ranks (j, k) with Binomial(n, 1/2) coverage of at least 95 %, as
 * narrow as possible (Hahn and Meeker, Statistical Intervals, section 5.2). count 0 gives zeros.
 * HS_INVALID for a NaN, HS_MEMORY. */
enum hs_status hs_summarise(struct hs_summary *out, const double *values, size_t count,
                            struct hs_error *err);

/* Half width of the interval relative to the median; infinity where the interval is not valid. */
double hs_summary_precision(const struct hs_summary *summary);

/* Relative standard error of the median, from the interval of 6 values or more: by how wide it is
 * on average, for normal values, over how much their median scatters. The interval itself covers
 * more than 95 %, of 12 values 96.1. Infinity where it is not valid. */
double hs_summary_noise(const struct hs_summary *summary);

#define HS_NORMAL95 1.959964 /* standard errors each way of a normal variable's 95 % interval */

/* Two independent errors together: sqrt(a^2 + b^2). In place of hypot, whose symbol of glibc 2.35
 * would keep the library from older systems; no error here is near the ends of double. */
static inline double hs_joint_error(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* The value at place `place` < count once they are in order, which they are not brought into as a
 * whole: those before it are no larger, those behind it no smaller. O(count), by GSL. No NaN. */
double hs_order_statistic(double *values, size_t count, size_t place);

/* The value that a standard normal variable exceeds with probability `tail`, 0 < tail < 1. */
double hs_normal_quantile(double tail);

/* Kendall's tau-b of two rankings of `count` >= 2 values (ties allowed); NaN where one is constant.
 * O(n^2): rankings here have tens of entries. */
double hs_kendall_tau(const double *a, const double *b, size_t count);

#endif
