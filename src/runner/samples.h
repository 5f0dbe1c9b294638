/*
 * samples.h - a growing list of measured times, and what can be said of its median. Pure.
 */
#ifndef HS_RUNNER_SAMPLES_H
#define HS_RUNNER_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* {0} is empty. */
struct hs_samples {
    double *values; /* [count] owned */
    size_t count, capacity;
};

/* Appends one number, or all of another list. HS_MEMORY. */
enum hs_status hs_samples_add(struct hs_samples *samples, double value, struct hs_error *err);
enum hs_status hs_samples_join(struct hs_samples *samples, const struct hs_samples *more,
                               struct hs_error *err);
void hs_samples_release(struct hs_samples *samples);

/* NaN where there are none. */
double hs_samples_median(const struct hs_samples *samples);
/* Whether the 95 % interval of the median is within `precision` of the median. */
bool hs_samples_precise(const struct hs_samples *samples, double precision);
/* Relative standard error of the median of samples > 0, robust to outliers: from the 95 %
 * order-statistic interval (statistics.h); below 6 samples, which have no such interval, from the
 * range; of a single sample 25 %. Finite always; NaN without samples. */
double hs_samples_noise(const struct hs_samples *samples);
/* Relative standard deviation of one sample, from the median absolute deviation; 0 below 2 samples.
 */
double hs_samples_scatter(const struct hs_samples *samples);

#endif
