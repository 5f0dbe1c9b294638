/*
 * kinds.h - one row per kind of plot; each is defined in the file of its name. Internal to plot.
 */
#ifndef HS_PLOT_KINDS_H
#define HS_PLOT_KINDS_H

#include "plot/plot.h"

extern const struct hs_plot_kind hs_plot_scaling;
extern const struct hs_plot_kind hs_plot_layers;
extern const struct hs_plot_kind hs_plot_bandwidth;
extern const struct hs_plot_kind hs_plot_gain;
extern const struct hs_plot_kind hs_plot_accuracy;
extern const struct hs_plot_kind hs_plot_system;
extern const struct hs_plot_kind hs_plot_calls;
extern const struct hs_plot_kind hs_plot_check;

#endif
