/*
 * curve.h - what a calibrated system says about single layers. Internal to plot.
 */
#ifndef HS_PLOT_CURVE_H
#define HS_PLOT_CURVE_H

#include "library/price_plan.h"
#include "plot/plot.h"

/* The fit that prices the layer; NULL where the result's system has none. */
const struct hs_fit *hs_plot_calibration(const struct hs_result *result, struct hs_layer layer);
/* A block `name`: the bandwidth within the layer over the bytes that were measured, in powers of
 * two, with its 95 % interval; nothing where there is no fit. */
void hs_plot_curve(struct hs_text *out, const char *name, const struct hs_result *result,
                   struct hs_layer layer);

/* What the model says of a layer's stages together; the result has a system. */
struct hs_stage_price hs_plot_price(const struct hs_result *result, struct hs_layer layer);

#endif
