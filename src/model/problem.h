/*
 * problem.h - what is asked: a collective, the group of ranks that calls it, and the message; and
 * the stages in which a plan carries it out.
 *
 * A job that sends messages of several sizes is a list of problems: each has its own best plan.
 */
#ifndef HS_MODEL_PROBLEM_H
#define HS_MODEL_PROBLEM_H

#include "model/collective.h"
#include "model/group.h"
#include "model/plan.h"

struct hs_problem {
    enum hs_collective collective;
    struct hs_group group;
    double bytes; /* per process, > 0; of a reduce-scatter and an allgather the larger side */
    enum hs_layout layout; /* of these two; nothing elsewhere */
};

/* A stage of a plan, and what enters it. */
struct hs_stage {
    struct hs_stage_key key;
    int layer; /* index in the split, from 0 */
    double bytes;
};

#define HS_STAGES_MAX (2 * HS_LAYERS_MAX)

#define HS_PROBLEM_TEXT 48
/* ", reduce-scatter natural", ", all-to-all"; of an AllReduce "". Returns `text`. */
char *hs_problem_aside(char text[HS_PROBLEM_TEXT], const struct hs_problem *problem);
/* A collective of all ranks. */
struct hs_problem hs_problem_of(enum hs_collective collective, enum hs_layout layout, int64_t ranks,
                                double bytes);

/* Layer i of a plan's split for the problem: its stride counts ranks of the machine. */
struct hs_layer hs_problem_layer(const struct hs_problem *problem, const struct hs_split *split,
                                 int i);
/* Whether layers go so that blocks are in place behind each: the outermost one has all bytes. */
bool hs_problem_is_natural(const struct hs_problem *problem);
/* Whether the stages begin with the innermost layer (an AllReduce comes back to it). */
bool hs_problem_begins_inside(const struct hs_problem *problem);
/* Which block of the message rank `rank` of a group has, 0 .. size - 1 (collective.h); of an
 * AllReduce which one it has reduced when the last layer is through. */
int64_t hs_problem_block(const struct hs_problem *problem, const struct hs_split *split,
                         int64_t rank);
/* HS_INVALID where a layer spans a gap of the group, or its algorithm does not have the phase that
 * the problem has there, as a tree has no reduce-scatter, and for chunks where a rank has blocks:
 * it would have a piece of each chunk. */
enum hs_status hs_problem_check(const struct hs_problem *problem, const struct hs_plan *plan,
                                struct hs_error *err);
/* The plan of one layer; one more behind each gap of the group, which no layer spans. */
struct hs_plan hs_problem_flat(const struct hs_problem *problem);
/* Bytes of its message that a rank holds between the layer that ends at blocks of `inside` ranks of
 * a group and the one that begins there. */
double hs_problem_held(const struct hs_problem *problem, int64_t inside);
/* Whether the layer is the last of the problem's group. */
bool hs_problem_is_last(const struct hs_problem *problem, struct hs_layer layer);
/* Bytes on the layer's larger side: those held before it, or behind it where that is more. */
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

/* How many of the calls of a stage of the problem another one follows: of a plan's n calls n - 1 in
 * all. The one that none follows is counted with the last layer, whichever runs last; of its two
 * halves with the outward one. */
int hs_problem_gaps(const struct hs_problem *problem, struct hs_stage_key key);

/* Bus bandwidth as nccl-tests defines it, bytes per second; NaN where the time is 0 or unknown. */
double hs_problem_bus_bandwidth(const struct hs_problem *problem, double seconds);

#endif
