#include "plot/curve.h"

#include <math.h>

#include "library/price_plan.h"
#include "plot/csv.h"

struct hs_stage_price hs_plot_price(const struct hs_result *result, struct hs_layer layer)
{
    struct hs_problem problem = hs_result_asks(result, 1);

    return hs_stage_price(&result->system, result->np, hs_problem_key(&problem, layer, HS_RING));
}

const struct hs_fit *hs_plot_calibration(const struct hs_result *result, struct hs_layer layer)
{
    struct hs_stage_price price;

    if (!result->has_system || result->system.fits.count == 0)
        return NULL;
    price = hs_plot_price(result, layer);
    return hs_fits_find(&result->system.fits, price.level, price.straddles, price.key);
}

void hs_plot_curve(struct hs_text *out, const char *name, const struct hs_result *result,
                   struct hs_layer layer)
{
    const struct hs_fit *fit = hs_plot_calibration(result, layer);
    struct hs_stage_price price;
    double bytes, last;

    if (!fit)
        return;
    price = hs_plot_price(result, layer);
    hs_csv_block(out, name, "bytes rate low high");
    bytes = fit->min_bytes;
    do {
        double rate = 2 * bytes * (double)(layer.size - 1) / (double)layer.size /
                      hs_stage_seconds(&price, bytes);

        hs_csv_number(out, bytes);
        hs_csv_number(out, rate);
        hs_csv_number(out, rate / (1 + fit->relative_ci95));
        hs_csv_number(out, fit->relative_ci95 < 1 ? rate / (1 - fit->relative_ci95) : NAN);
        hs_csv_row(out);
        last = bytes;
        bytes = fmin(2 * bytes, fit->max_bytes);
    } while (bytes > last);
}
