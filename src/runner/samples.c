/* samples.c - see samples.h. */
#include "runner/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

#define MEDIAN_ERROR 1.2533 /* of the mean's standard error, for normal samples: sqrt(pi / 2) */
#define MAD_SIGMA    1.4826 /* of the median absolute deviation */
#define SINGLE_NOISE 0.25   /* of one sample, of which nothing is known */

/* Mean range of n = 2 .. 5 normal samples, in standard deviations (Tippett's d2). */
static const double mean_ranges[] = {1.128, 1.693, 2.059, 2.326};

enum hs_status hs_samples_add(struct hs_samples *samples, double value, struct hs_error *err)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 16;
        double *values = realloc(samples->values, capacity * sizeof(*values));

        if (!values)
            return hs_no_memory(err);
        samples->values = values;
        samples->capacity = capacity;
    }
    samples->values[samples->count++] = value;
    return HS_OK;
}

enum hs_status hs_samples_join(struct hs_samples *samples, const struct hs_samples *more,
                               struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < more->count && status == HS_OK; i++)
        status = hs_samples_add(samples, more->values[i], err);
    return status;
}

void hs_samples_release(struct hs_samples *samples)
{
    free(samples->values);
    *samples = (struct hs_samples){.values = NULL};
}

static bool summarise(struct hs_summary *summary, const struct hs_samples *samples)
{
    return samples->count > 0 &&
           hs_summarise(summary, samples->values, samples->count, NULL) == HS_OK;
}

double hs_samples_median(const struct hs_samples *samples)
{
    struct hs_summary summary;

    return summarise(&summary, samples) ? summary.median : NAN;
}

bool hs_samples_precise(const struct hs_samples *samples, double precision)
{
    struct hs_summary summary;

    return summarise(&summary, samples) && summary.ci_valid &&
           hs_summary_precision(&summary) <= precision;
}

double hs_samples_noise(const struct hs_samples *samples)
{
    struct hs_summary summary;
    size_t count = samples->count;

    if (count == 0)
        return NAN;
    if (count == 1 || !summarise(&summary, samples))
        return SINGLE_NOISE;
    if (summary.ci_valid)
        return hs_summary_noise(&summary);
    return MEDIAN_ERROR * (summary.max - summary.min) / mean_ranges[count - 2] /
           sqrt((double)count) / summary.median;
}

double hs_samples_scatter(const struct hs_samples *samples)
{
    double median = hs_samples_median(samples), scatter;
    struct hs_samples deviations = {.values = NULL};

    if (samples->count < 2)
        return 0;
    for (size_t i = 0; i < samples->count; i++)
        if (hs_samples_add(&deviations, fabs(samples->values[i] - median), NULL) != HS_OK)
            break;
    scatter = MAD_SIGMA * hs_samples_median(&deviations) / median;
    hs_samples_release(&deviations);
    return scatter;
}
