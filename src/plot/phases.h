/*
 * phases.h - a plan's time as the phases in the order in which they run: reduce-scatters from the
 * inside out, the last layer's allreduce, allgathers from the outside in. Internal to plot.
 */
#ifndef HS_PLOT_PHASES_H
#define HS_PLOT_PHASES_H

#include "plot/plot.h"

enum hs_plot_phase { HS_PHASE_REDUCE_SCATTER = 1, HS_PHASE_ALLREDUCE, HS_PHASE_ALLGATHER };

struct hs_plot_phases {
    int count; /* 2 layers - 1 */
    struct hs_plot_segment {
        enum hs_plot_phase phase;
        int layer; /* from 0 */
        double seconds;
    } segments[2 * HS_LAYERS_MAX - 1];
};

/* By the model: a reduce-scatter and an allgather each take half of their layer's time. All chunks,
 * as if nothing overlapped. */
struct hs_plot_phases hs_plot_predicted_phases(const struct hs_plan_cost *cost);
/* As measured; count 0 where the candidate has no times per layer. */
struct hs_plot_phases hs_plot_measured_phases(const struct hs_candidate *candidate);
double hs_plot_phases_seconds(const struct hs_plot_phases *phases);

#endif
