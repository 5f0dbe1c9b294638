#include "plot/phases.h"

static void add(struct hs_plot_phases *phases, enum hs_phase phase, int layer, double seconds)
{
    phases->segments[phases->count++] =
        (struct hs_plot_segment){.phase = phase, .layer = layer, .seconds = seconds};
}

struct hs_plot_phases hs_plot_predicted_phases(const struct hs_plan_cost *cost)
{
    struct hs_plot_phases phases = {.count = 0};

    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];

        if (stage->key.phase == HS_PAIR)
            add(&phases, HS_REDUCE_SCATTER, stage->layer, stage->seconds / 2);
        else if (stage->key.phase != HS_ALLGATHER)
            add(&phases, stage->key.phase, stage->layer, stage->seconds);
    }
    for (int i = cost->count - 1; i >= 0; i--) {
        const struct hs_stage_cost *stage = &cost->stages[i];

        if (stage->key.phase == HS_PAIR || stage->key.phase == HS_ALLGATHER)
            add(&phases, HS_ALLGATHER, stage->layer,
                stage->seconds / hs_phase_calls(stage->key.phase));
    }
    return phases;
}

struct hs_plot_phases hs_plot_measured_phases(const struct hs_candidate *candidate)
{
    const struct hs_measured *measured = candidate->measured;
    struct hs_problem problem = hs_problem_world(hs_split_product(&candidate->plan.split), 1);
    struct hs_plot_phases phases = {.count = 0};
    struct hs_stage stages[HS_STAGES_MAX];

    if (!measured || measured->status != HS_MEASURE_OK)
        return phases;
    hs_problem_stages(stages, &problem, &candidate->plan);
    for (size_t s = 0; s < measured->stage_count; s++) /* in the same order */
        add(&phases, stages[s].key.phase, stages[s].layer, measured->stages[s].seconds);
    return phases;
}

double hs_plot_phases_seconds(const struct hs_plot_phases *phases)
{
    double seconds = 0;

    for (int i = 0; i < phases->count; i++)
        seconds += phases->segments[i].seconds;
    return seconds;
}
