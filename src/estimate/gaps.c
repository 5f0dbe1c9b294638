#include "estimate/gaps.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "library/price_plan.h"

/* How many times below or above a range. */
static double factor_outside(double value, double min, double max)
{
    return value < min ? min / value : value / max;
}

static void add_size(struct hs_gap *gap, const struct hs_fit *fit, int64_t size)
{
    double factor = factor_outside((double)size, (double)fit->min_size, (double)fit->max_size);

    if (factor <= gap->size_factor)
        return;
    gap->size_factor = factor;
    gap->size = size;
    gap->min_size = fit->min_size;
    gap->max_size = fit->max_size;
}

static void add_bytes(struct hs_gap *gap, const struct hs_fit *fit, double bytes)
{
    double factor = factor_outside(bytes, fit->min_bytes, fit->max_bytes);

    if (factor <= gap->bytes_factor)
        return;
    gap->bytes_factor = factor;
    gap->bytes = bytes;
    gap->min_bytes = fit->min_bytes;
    gap->max_bytes = fit->max_bytes;
}

static void add_beyond(struct hs_gaps *gaps, const struct hs_beyond *beyond)
{
    hs_beyond_add(&gaps->beyond, beyond);
    gaps->any = gaps->any || hs_beyond_any(beyond);
}

void hs_gaps_add_call(struct hs_gaps *gaps, const struct hs_system *system,
                      const struct hs_problem *problem)
{
    struct hs_beyond beyond = hs_beyond_of(system, &problem->group, problem->bytes);

    add_beyond(gaps, &beyond);
}

void hs_gaps_add(struct hs_gaps *gaps, const struct hs_system *system, const struct hs_plan *plan,
                 const struct hs_plan_cost *cost)
{
    for (int i = 0; i < cost->count && system->fits.count == 0; i++) {
        struct hs_beyond beyond =
            hs_beyond_of_layer(system, hs_split_product(&plan->split), cost->stages[i].key.layer,
                               cost->stages[i].bytes / plan->chunks);

        add_beyond(gaps, &beyond);
    }
    for (int i = 0; i < cost->count && system->fits.count > 0; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];
        struct hs_layer layer = stage->key.layer;
        struct hs_gap *gap = &gaps->levels[stage->level];
        double bytes = stage->bytes / plan->chunks;
        const struct hs_fit *fit =
            hs_fits_find(&system->fits, stage->level, stage->misaligned, stage->key);
        struct hs_layer of_right_size = {layer.stride, fit ? fit->min_size : 0};

        if (layer.size < 2) /* one process: nothing travels */
            continue;
        if (!fit)
            gap->never = true;
        if (fit && hs_fit_extrapolates(fit, layer, 0))
            add_size(gap, fit, layer.size);
        if (fit && hs_fit_extrapolates(fit, of_right_size, bytes))
            add_bytes(gap, fit, bytes);
        gaps->any = gaps->any || gap->never || gap->size_factor > 0 || gap->bytes_factor > 0;
    }
}

/* "10.67MiB": they need not be whole, so hs_bytes_format cannot say them. */
static char *bytes_figure(char text[HS_UNIT_TEXT], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    for (; unit + 1 < sizeof(units) / sizeof(*units) && bytes >= 1024; unit++)
        bytes /= 1024;
    snprintf(text, HS_UNIT_TEXT, "%.4g%s", bytes, units[unit]);
    return text;
}

static void append_size(struct hs_text *out, const struct hs_gap *gap)
{
    hs_text_append(out, " with size %" PRId64 " (measured: %" PRId64, gap->size, gap->min_size);
    if (gap->max_size != gap->min_size)
        hs_text_append(out, " to %" PRId64, gap->max_size);
    hs_text_append(out, ")");
}

static void append_bytes(struct hs_text *out, const struct hs_gap *gap)
{
    char bytes[HS_UNIT_TEXT], min[HS_UNIT_TEXT], max[HS_UNIT_TEXT];

    hs_text_append(out, " with %s entering (measured: %s", bytes_figure(bytes, gap->bytes),
                   bytes_figure(min, gap->min_bytes));
    if (gap->max_bytes > gap->min_bytes)
        hs_text_append(out, " to %s", bytes_figure(max, gap->max_bytes));
    hs_text_append(out, ")");
}

void hs_gaps_append(struct hs_text *out, const struct hs_gaps *gaps, const struct hs_system *system)
{
    const char *separator = "";

    hs_beyond_append(out, &gaps->beyond);
    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_gap *gap = &gaps->levels[l];
        const char *name = system->levels[l].name;

        if (gap->never) {
            hs_text_append(out, "%s%s (never measured)", separator, name);
            separator = ", ";
        }
        if (gap->size_factor > 0) {
            hs_text_append(out, "%s%s", separator, name);
            append_size(out, gap);
            separator = ", ";
        }
        if (gap->bytes_factor > 0) {
            hs_text_append(out, "%s%s", separator, name);
            append_bytes(out, gap);
            separator = ", ";
        }
    }
}

void hs_gaps_legend(struct hs_text *out, const struct hs_gaps *gaps, const struct hs_system *system)
{
    if (!gaps->any)
        return;
    hs_text_append(out, "* prediction extrapolated: ");
    hs_gaps_append(out, gaps, system);
    hs_text_append(out, "\n");
}
