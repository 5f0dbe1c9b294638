#include "model/problem.h"

#include <math.h>
#include <stdio.h>

#include "model/traffic.h"

struct hs_problem hs_problem_of(enum hs_collective collective, enum hs_layout layout, int64_t ranks,
                                double bytes)
{
    return (struct hs_problem){collective, hs_group_world(ranks), bytes, layout};
}

char *hs_problem_aside(char text[HS_PROBLEM_TEXT], const struct hs_problem *problem)
{
    text[0] = '\0';
    if (problem->collective != HS_COLLECTIVE_ALLREDUCE)
        snprintf(text, HS_PROBLEM_TEXT, ", %s%s", hs_collective_names[problem->collective],
                 hs_layout_aside(problem->collective, problem->layout));
    return text;
}

struct hs_layer hs_problem_layer(const struct hs_problem *problem, const struct hs_split *split,
                                 int i)
{
    struct hs_layer layer = hs_split_layer(split, i);

    layer.stride = hs_group_stride(&problem->group, layer.stride);
    return layer;
}

bool hs_problem_is_last(const struct hs_problem *problem, struct hs_layer layer)
{
    return hs_group_inside(&problem->group, layer.stride) * layer.size == problem->group.size;
}

bool hs_problem_is_natural(const struct hs_problem *problem)
{
    return hs_collectives[problem->collective].ordered && problem->layout == HS_NATURAL;
}

bool hs_problem_begins_inside(const struct hs_problem *problem)
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];

    return !row->ordered || row->begins_large == (problem->layout != HS_NATURAL);
}

int64_t hs_problem_block(const struct hs_problem *problem, const struct hs_split *split,
                         int64_t rank)
{
    int64_t block = 0;

    if (hs_collectives[problem->collective].ordered && problem->layout != HS_REVERSED)
        return rank;
    for (int i = 0; i < split->count; i++) {
        block = block * split->sizes[i] + rank % split->sizes[i];
        rank /= split->sizes[i];
    }
    return block;
}

struct hs_plan hs_problem_flat(const struct hs_problem *problem)
{
    return (struct hs_plan){.split = hs_group_flat(&problem->group), .chunks = 1};
}

double hs_problem_held(const struct hs_problem *problem, int64_t inside)
{
    if (hs_collectives[problem->collective].whole)
        return problem->bytes;
    if (hs_problem_is_natural(problem))
        return problem->bytes * (double)inside / (double)problem->group.size;
    return problem->bytes / (double)inside;
}

double hs_problem_entering(const struct hs_problem *problem, struct hs_layer layer)
{
    int64_t inside = hs_group_inside(&problem->group, layer.stride);

    return hs_greater(hs_problem_held(problem, inside),
                      hs_problem_held(problem, inside * layer.size));
}

int hs_problem_phases(enum hs_phase phases[2], const struct hs_problem *problem,
                      struct hs_layer layer)
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];

    phases[0] = hs_problem_is_last(problem, layer) ? row->last : row->outward;
    phases[1] = row->inward;
    return hs_problem_is_last(problem, layer) || hs_collective_is_one_way(problem->collective) ? 1
                                                                                               : 2;
}

struct hs_stage_key hs_problem_key(const struct hs_problem *problem, struct hs_layer layer,
                                   enum hs_algorithm algorithm)
{
    enum hs_phase phases[2];
    int count = hs_problem_phases(phases, problem, layer);

    return (struct hs_stage_key){count == 1 ? phases[0] : HS_PAIR, algorithm, layer};
}

int hs_problem_ways(struct hs_stage_key keys[2], const struct hs_problem *problem,
                    struct hs_layer layer, const enum hs_algorithm ways[2])
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];

    if (ways[0] == ways[1] || hs_collective_is_one_way(problem->collective)) {
        keys[0] = hs_problem_key(problem, layer, ways[0]);
        return 1;
    }
    keys[0] = (struct hs_stage_key){row->outward, ways[0], layer};
    keys[1] = (struct hs_stage_key){row->inward, ways[1], layer};
    return 2;
}

int hs_problem_plan_ways(struct hs_stage_key keys[2], const struct hs_problem *problem,
                         const struct hs_plan *plan, int i)
{
    const enum hs_algorithm ways[2] = {hs_plan_algorithm(plan, i, 0),
                                       hs_plan_algorithm(plan, i, 1)};

    return hs_problem_ways(keys, problem, hs_problem_layer(problem, &plan->split, i), ways);
}

int hs_problem_stages(struct hs_stage stages[HS_STAGES_MAX], const struct hs_problem *problem,
                      const struct hs_plan *plan)
{
    int count = 0, layers = plan->split.count;
    bool outward = hs_problem_begins_inside(problem);

    /* Way 0 goes over all layers, way 1 comes back over those that have a second stage. */
    for (int step = 0; step < 2 * layers; step++) {
        int way = step / layers, done = step % layers;
        int i = outward == (way == 0) ? done : layers - 1 - done;
        struct hs_layer layer = hs_problem_layer(problem, &plan->split, i);
        struct hs_stage_key keys[2];
        int ways = hs_problem_plan_ways(keys, problem, plan, i);

        if (keys[0].phase == HS_PAIR) {
            enum hs_phase phases[2];

            ways = hs_problem_phases(phases, problem, layer);
            for (int k = 0; k < ways; k++)
                keys[k] = (struct hs_stage_key){phases[k], keys[0].algorithm, layer};
        }
        if (way < ways)
            stages[count++] = (struct hs_stage){keys[way], i, hs_problem_entering(problem, layer)};
    }
    return count;
}

enum hs_status hs_problem_check(const struct hs_problem *problem, const struct hs_plan *plan,
                                struct hs_error *err)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);

    if (hs_group_check_split(&problem->group, &plan->split, err))
        return HS_INVALID;
    if (plan->chunks > 1 && hs_collective_is_one_way(problem->collective))
        return hs_fail(err, HS_INVALID, "no chunks of %s",
                       hs_collectives[problem->collective].written);
    for (int i = 0; i < count; i++)
        if (!hs_stage_possible(stages[i].key))
            return hs_fail(err, HS_INVALID, "layer %d: no %s by %s", stages[i].layer + 1,
                           hs_phase_names[stages[i].key.phase],
                           hs_algorithm_names[stages[i].key.algorithm]);
    return HS_OK;
}

bool hs_problem_overlaps(const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_stage stages[HS_STAGES_MAX];

    return hs_problem_stages(stages, problem, plan) > 1;
}

int hs_problem_gaps(const struct hs_problem *problem, struct hs_stage_key key)
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];
    bool ends = hs_problem_is_last(problem, key.layer) && key.phase != row->inward;

    return ends || key.layer.size == 1 ? 0 : hs_phase_calls(key.phase);
}

double hs_problem_bus_bandwidth(const struct hs_problem *problem, double seconds)
{
    return seconds > 0 ? problem->bytes / seconds *
                             hs_collectives[problem->collective].bus_factor(problem->group.size)
                       : NAN;
}
