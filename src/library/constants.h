/*
 * constants.h - the constants of a price model: a table of them with priors, and their fit to
 * published or measured times.
 *
 * All constants are above 0; their logarithms are estimated. log(constant) has a normal prior
 * around log(prior). Constants of a family (one per generation of GPUs, say) share an unknown mean:
 * covariance deviation^2 between two of them, and family_deviation^2 more of each with itself. A
 * fit is the largest of the posterior,
 *
 *     sum_i 2 c^2 (sqrt(1 + (r_i / c)^2) - 1) + (x - mu)' A (x - mu)
 *
 * r_i = log(model_i / seconds_i) / scatter, c = 1.5: like least squares near 0, and like absolute
 * values far off, so that a wild point counts little (soft L1; Charbonnier et al. 1997). Minimised
 * by Gauss-Newton steps with weights 1 / sqrt(1 + (r_i / c)^2), damped as by Levenberg 1944.
 */
#ifndef HS_LIBRARY_CONSTANTS_H
#define HS_LIBRARY_CONSTANTS_H

#include <stddef.h>

#include "base/error.h"
#include "system/system.h"

struct hs_constant {
    const char *name; /* of a family: the same up to the last '_', and rows next to each other */
    const char *unit;
    double prior;
    double deviation;        /* of log(prior) */
    double family_deviation; /* 0: of no family */
    double fitted;           /* what ships */
    double width;            /* log: how far one machine is from the value of its class */
    const char *meaning;
};

/* A price of calls that has such constants. */
struct hs_price_model {
    const struct hs_constant *constants;
    size_t count;   /* <= HS_CONSTANTS_MAX */
    double scatter; /* log: how far single times are expected off the model */
    double (*seconds)(const void *call, const double *values); /* [count] of the constants */
};

/* Of a constant's width: a deviation below says that the machine's own points told of it. */
#define HS_CONSTANT_LEARNED 0.9

/* values [of the model's count], each in its row's unit: those that ship, fitted to published
 * times. */
void hs_constants_shipped(double *values, const struct hs_price_model *model);

/* A time of a call: > 0. The call is the model's, and the caller's. */
struct hs_price_point {
    const void *call;
    double seconds;
};

struct hs_constants_question {
    const struct hs_price_model *model;
    const struct hs_price_point *points;
    size_t count; /* may be 0 */
    /* NULL: the table's prior. Else these values, and each constant's width: what a machine's own
     * points say of it, given what is known of its class. */
    const double *around;
    int rounds; /* 0: as many as it takes, at most 40 */
    /* [of the model's count], or NULL: gets the standard deviation of each log(constant), of the
     * normal distribution that the posterior is like around its largest. */
    double *deviations;
};

/* Fits the values, which it starts from. *cost (may be NULL): the sum above. HS_INVALID: a time
 * that is none, or a call without a price; HS_MEMORY: values as they were. */
enum hs_status hs_constants_fit(double *values, double *cost,
                                const struct hs_constants_question *question, struct hs_error *err);

/* How far the values are from the question's times, of which there are some: exp(mean |log(price /
 * time)|) - 1; *rms: the root mean square of log(price / time). */
double hs_constants_error(double *rms, const struct hs_constants_question *question,
                          const double *values);

/* To first order, sum_i (d log(seconds) / d log(value_i) deviations_i)^2, by differences: the
 * variance of log(seconds) of a call on a machine the logs of whose constants are off the values by
 * these standard deviations [of the model's count]. */
double hs_constants_variance(const struct hs_price_model *model, const void *call,
                             const double *values, const double *deviations);
/* Deviations that are so many of the table's widths each. */
void hs_constants_deviations(double *deviations, const struct hs_price_model *model, double widths);

#endif
