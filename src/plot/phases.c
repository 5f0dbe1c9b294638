#include "plot/phases.h"
#include "library/price_plan.h"

static void add(struct hs_plot_phases *phases, enum hs_phase phase, int layer, double seconds)
{
    phases->segments[phases->count++] =
        (struct hs_plot_segment){.phase = phase, .layer = layer, .seconds = seconds};
}

/* Layers with one phase each. */
static struct hs_plot_phases one_way(const struct hs_plan_cost *cost,
                                     const struct hs_problem *problem)
{
    struct hs_plot_phases phases = {.count = 0};
    bool outward = hs_problem_begins_inside(problem);

    for (int k = 0; k < cost->count; k++) {
        const struct hs_stage_cost *stage = &cost->stages[outward ? k : cost->count - 1 - k];

        add(&phases, stage->key.phase, stage->layer, stage->seconds);
    }
    return phases;
}

struct hs_plot_phases hs_plot_predicted_phases(const struct hs_plan_cost *cost,
                                               const struct hs_problem *problem)
{
    struct hs_plot_phases phases = {.count = 0};

    if (hs_collective_is_one_way(problem->collective))
        return one_way(cost, problem);
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

/* Index of a layer in the split: how many of the plan's lie inside of it. */
static int layer_index(const struct hs_measured *measured, struct hs_layer layer)
{
    int64_t below = 0, next;
    int index = 0;

    for (;; index++, below = next) {
        next = layer.stride;
        for (size_t s = 0; s < measured->stage_count; s++) {
            int64_t stride = measured->stages[s].key.layer.stride;

            next = stride > below && stride < next ? stride : next;
        }
        if (next == layer.stride)
            return index;
    }
}

struct hs_plot_phases hs_plot_measured_phases(const struct hs_candidate *candidate)
{
    const struct hs_measured *measured = candidate->measured;
    struct hs_plot_phases phases = {.count = 0};

    if (!measured || measured->status != HS_MEASURE_OK)
        return phases;
    for (size_t s = 0; s < measured->stage_count; s++) {
        struct hs_stage_key key = measured->stages[s].key;

        add(&phases, key.phase, layer_index(measured, key.layer), measured->stages[s].seconds);
    }
    return phases;
}

double hs_plot_phases_seconds(const struct hs_plot_phases *phases)
{
    double seconds = 0;

    for (int i = 0; i < phases->count; i++)
        seconds += phases->segments[i].seconds;
    return seconds;
}
