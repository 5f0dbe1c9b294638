/*
 * Order statistics on GSL.
 */
#include "base/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

/* Ranks of an interval of the median, counted from 1. */
struct ranks {
    size_t low, high;
};

/* The `width` ranks apart that cover most: those in the middle; the lower ones where two pairs are
 * equally good. */
static struct ranks middle(size_t count, size_t width)
{
    size_t low = (count + 1 - width) / 2;

    return (struct ranks){low, low + width};
}

/* P(x_(low) <= median <= x_(high)) = P(low <= B < high), B of the distribution Binomial(count,
 * 1/2). */
static double coverage(size_t count, struct ranks ranks)
{
    unsigned n = (unsigned)count;

    return gsl_cdf_binomial_P((unsigned)ranks.high - 1, 0.5, n) -
           gsl_cdf_binomial_P((unsigned)ranks.low - 1, 0.5, n);
}

/* The narrowest pair of ranks with the wanted coverage, by bisection: wider middles cover more.
 * False where not even the smallest and the largest value reach it. */
static bool find_ranks(struct ranks *ranks, size_t count)
{
    size_t too_narrow = 0, enough = count - 1;

    if (count < 2 || coverage(count, middle(count, enough)) < CONFIDENCE)
        return false;
    while (enough - too_narrow > 1) {
        size_t width = too_narrow + (enough - too_narrow) / 2;

        if (coverage(count, middle(count, width)) >= CONFIDENCE)
            enough = width;
        else
            too_narrow = width;
    }
    *ranks = middle(count, enough);
    return true;
}

static void summarise_sorted(struct hs_summary *out, const double *sorted, size_t count)
{
    struct ranks ranks;

    out->count = count;
    out->min = sorted[0];
    out->max = sorted[count - 1];
    out->mean = gsl_stats_mean(sorted, 1, count);
    out->median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    out->ci_low = out->min;
    out->ci_high = out->max;
    out->ci_valid = find_ranks(&ranks, count);
    if (out->ci_valid) {
        out->ci_low = sorted[ranks.low - 1];
        out->ci_high = sorted[ranks.high - 1];
    }
}

enum hs_status hs_summarise(struct hs_summary *out, const double *values, size_t count,
                            struct hs_error *err)
{
    double *sorted;

    memset(out, 0, sizeof(*out));
    if (count == 0)
        return HS_OK;
    if (count > INT_MAX)
        return hs_fail(err, HS_INVALID, "%zu values are too many for a summary", count);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return hs_fail(err, HS_INVALID, "value %zu is not a finite number", i + 1);
    }
    sorted = malloc(count * sizeof(*sorted));
    if (sorted == NULL)
        return hs_no_memory(err);
    memcpy(sorted, values, count * sizeof(*sorted));
    gsl_sort(sorted, 1, count);
    summarise_sorted(out, sorted, count);
    free(sorted);
    return HS_OK;
}

double hs_summary_precision(const struct hs_summary *summary)
{
    double half_width = (summary->ci_high - summary->ci_low) / 2;

    if (!summary->ci_valid)
        return INFINITY;
    if (half_width == 0)
        return 0;
    return half_width / fabs(summary->median);
}

/* Expected order statistic of normal values, in standard deviations (Blom 1958). */
static double normal_score(size_t rank, size_t count)
{
    return gsl_cdf_ugaussian_Pinv(((double)rank - 0.375) / ((double)count + 0.25));
}

double hs_summary_noise(const struct hs_summary *summary)
{
    size_t count = summary->count;
    double width, bias = count % 2 ? M_PI - 2 : 2 * M_PI - 4; /* exact for 1 and 2 values */
    struct ranks ranks;

    if (!summary->ci_valid || !find_ranks(&ranks, count))
        return INFINITY;
    width = normal_score(ranks.high, count) - normal_score(ranks.low, count);
    return (summary->ci_high - summary->ci_low) / width * sqrt(M_PI / (2 * (double)count + bias)) /
           summary->median;
}

double hs_normal_quantile(double tail)
{
    return gsl_cdf_ugaussian_Qinv(tail);
}

/* -1, 0 or 1 */
static int sign(double difference)
{
    return (difference > 0) - (difference < 0);
}

double hs_kendall_tau(const double *a, const double *b, size_t count)
{
    double sum = 0, untied_a = 0, untied_b = 0;

    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            int order_a = sign(a[i] - a[j]), order_b = sign(b[i] - b[j]);

            sum += order_a * order_b;
            untied_a += order_a != 0;
            untied_b += order_b != 0;
        }
    }
    return untied_a > 0 && untied_b > 0 ? sum / (sqrt(untied_a) * sqrt(untied_b)) : NAN;
}

double hs_order_statistic(double *values, size_t count, size_t place)
{
    return gsl_stats_select(values, 1, count, place);
}
