#include "plot/phases.h"

static void add(struct hs_plot_phases *phases, enum hs_plot_phase phase, int layer, double seconds)
{
    phases->segments[phases->count++] =
        (struct hs_plot_segment){.phase = phase, .layer = layer, .seconds = seconds};
}

struct hs_plot_phases hs_plot_predicted_phases(const struct hs_plan_cost *cost)
{
    struct hs_plot_phases phases = {.count = 0};
    int last = cost->count - 1;

    for (int i = 0; i < last; i++)
        add(&phases, HS_PHASE_REDUCE_SCATTER, i, cost->layers[i].seconds / 2);
    add(&phases, HS_PHASE_ALLREDUCE, last, cost->layers[last].seconds);
    for (int i = last - 1; i >= 0; i--)
        add(&phases, HS_PHASE_ALLGATHER, i, cost->layers[i].seconds / 2);
    return phases;
}

struct hs_plot_phases hs_plot_measured_phases(const struct hs_candidate *candidate)
{
    const struct hs_measured *measured = candidate->measured;
    struct hs_plot_phases phases = {.count = 0};
    int last = candidate->plan.split.count - 1;

    if (!measured || measured->status != HS_MEASURE_OK || !measured->reduce_scatter_seconds)
        return phases;
    for (int i = 0; i < last; i++)
        add(&phases, HS_PHASE_REDUCE_SCATTER, i, measured->reduce_scatter_seconds[i]);
    add(&phases, HS_PHASE_ALLREDUCE, last, measured->reduce_scatter_seconds[last]);
    for (int i = last - 1; i >= 0; i--)
        add(&phases, HS_PHASE_ALLGATHER, i, measured->allgather_seconds[i]);
    return phases;
}

double hs_plot_phases_seconds(const struct hs_plot_phases *phases)
{
    double seconds = 0;

    for (int i = 0; i < phases->count; i++)
        seconds += phases->segments[i].seconds;
    return seconds;
}
