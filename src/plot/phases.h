/*
 * phases.h - a plan's time as the phases in the order in which they run: of an AllReduce
 * reduce-scatters from the inside out, the last layer's allreduce, allgathers from the outside in.
 * Internal to plot.
 */
#ifndef HS_PLOT_PHASES_H
#define HS_PLOT_PHASES_H

#include "library/price_plan.h"
#include "plot/plot.h"

struct hs_plot_phases {
    int count;
    struct hs_plot_segment {
        enum hs_phase phase;
        int layer; /* from 0 */
        double seconds;
    } segments[HS_STAGES_MAX];
};

/* By the model, where both of a pair take half of its time. All chunks, as if none overlapped. */
struct hs_plot_phases hs_plot_predicted_phases(const struct hs_plan_cost *cost,
                                               const struct hs_problem *problem);
/* As measured; count 0 where the candidate has no times per layer. */
struct hs_plot_phases hs_plot_measured_phases(const struct hs_candidate *candidate);
double hs_plot_phases_seconds(const struct hs_plot_phases *phases);

#endif
