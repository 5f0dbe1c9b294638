/*
 * problem.h - what is asked: a collective, the group of ranks that calls it, and the message; and
 * the stages in which a plan carries it out.
 *
 * A job that sends messages of several sizes is a list of problems: each has its own best plan.
 */
#ifndef HS_MODEL_PROBLEM_H
#define HS_MODEL_PROBLEM_H

#include "model/collective.h"
#include "model/plan.h"

/* Ranks {b + k stride : k < size} of `ranks`, b any: all ranks / size such groups call at once. The
 * whole machine is {ranks, 1, ranks}. In the lattice of the divisors of `ranks` it is the paths
 * from `stride` to stride * size. */
struct hs_group {
    int64_t ranks, stride, size; /* stride * size divides ranks */
};

struct hs_problem {
    enum hs_collective collective;
    struct hs_group group;
    double bytes; /* per process, > 0 */
};

/* A stage of a plan, and what enters it. */
struct hs_stage {
    struct hs_stage_key key;
    int layer; /* index in the split, from 0 */
    double bytes;
};

#define HS_STAGES_MAX (2 * HS_LAYERS_MAX)

/* All ranks of a machine. */
struct hs_group hs_group_world(int64_t ranks);
/* An AllReduce of all ranks. */
struct hs_problem hs_problem_world(int64_t ranks, double bytes);

/* Layer i of a plan's split for the problem: its stride counts ranks of the machine. */
struct hs_layer hs_problem_layer(const struct hs_problem *problem, const struct hs_split *split,
                                 int i);
/* Whether the layer is the last of the problem's group. */
bool hs_problem_is_last(const struct hs_problem *problem, struct hs_layer layer);
/* Bytes that enter the layer. */
double hs_problem_entering(const struct hs_problem *problem, struct hs_layer layer);

/* The stages of a plan in the order in which they run; returns how many. */
int hs_problem_stages(struct hs_stage stages[HS_STAGES_MAX], const struct hs_problem *problem,
                      const struct hs_plan *plan);
/* Whether chunks of a plan are ever at work at the same time: it has more than one stage, each of
 * which works on one chunk after the other. */
bool hs_problem_overlaps(const struct hs_problem *problem, const struct hs_plan *plan);
/* Phases that the problem has on a layer whose ways go by the same algorithm: one, or one outward
 * and one inward. Returns how many. */
int hs_problem_phases(enum hs_phase phases[2], const struct hs_problem *problem,
                      struct hs_layer layer);
/* The layer's stages in one key, by the same algorithm: a pair where there are two. */
struct hs_stage_key hs_problem_key(const struct hs_problem *problem, struct hs_layer layer,
                                   enum hs_algorithm algorithm);
/* The stages of a layer that goes out and comes back by these algorithms: hs_problem_key where they
 * are the same, else one key for each way, on the last layer, too. Returns how many. */
int hs_problem_ways(struct hs_stage_key keys[2], const struct hs_problem *problem,
                    struct hs_layer layer, const enum hs_algorithm ways[2]);
/* The same of layer i of a plan. */
int hs_problem_plan_ways(struct hs_stage_key keys[2], const struct hs_problem *problem,
                         const struct hs_plan *plan, int i);

/* Bus bandwidth as nccl-tests defines it, bytes per second; NaN where the time is 0 or unknown. */
double hs_problem_bus_bandwidth(const struct hs_problem *problem, double seconds);

#endif
