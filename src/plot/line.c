#include "plot/line.h"

/* With weights w = 1 / t^2 the normal equations are
 *     a sum w   + b sum w x   = sum w t
 *     a sum w x + b sum w x^2 = sum w x t. */
struct sums {
    size_t count;
    double w, wx, wxx, wt, wxt;
};

static struct sums add_up(const double *bytes, const double *seconds, size_t count)
{
    struct sums sums = {.count = 0};

    for (size_t i = 0; i < count; i++) {
        double x = bytes[i], t = seconds[i], w;

        if (!(t > 0))
            continue;
        w = 1 / (t * t);
        sums.count++;
        sums.w += w;
        sums.wx += w * x;
        sums.wxx += w * x * x;
        sums.wt += w * t;
        sums.wxt += w * x * t;
    }
    return sums;
}

struct hs_line hs_line_fit(const double *bytes, const double *seconds, size_t count)
{
    struct sums sums = add_up(bytes, seconds, count);
    struct hs_line fit = {.valid = false};
    double determinant = sums.w * sums.wxx - sums.wx * sums.wx;

    if (sums.count < HS_LINE_POINTS_MIN || !(determinant > 1e-12 * sums.w * sums.wxx))
        return fit;
    fit.seconds = (sums.wt * sums.wxx - sums.wxt * sums.wx) / determinant;
    fit.seconds_per_byte = (sums.w * sums.wxt - sums.wx * sums.wt) / determinant;
    if (fit.seconds < 0) {
        fit.seconds = 0;
        fit.seconds_per_byte = sums.wxt / sums.wxx;
    }
    fit.valid = fit.seconds_per_byte > 0;
    return fit;
}
