/*
 * belief.h - what is thought of the times of all stages of a machine, given some points: one joint
 * distribution, from which fits, expected times, intervals and draws are read.
 *
 * Stages are sorted into kinds, each part of the one before: all; those of one outermost level and
 * algorithm, misaligned or not, exchanges or not (g); those of one size p; one layer (d, p). One
 * pass of a layer takes
 *
 *     t = launch + S alpha_l (1 + u_g + u_gp + u_dp) + X beta_b (1 + v_g + v_gp + v_dp)
 *
 * with S steps, whose latency is that of the outermost level l, and X bytes over the link of the
 * level b that holds the layer up, which is not always l; S, X and b by its price (price.h), on
 * bandwidths as they are estimated. All unknowns have normal priors: launch, a latency alpha and a
 * slowness beta per level around the description, deviations u and v around 0 (u_g only of
 * exchanges; v_g of these, and where layers are misaligned or go by another algorithm than the
 * ring). A point is such a sum and its noise. So all times are jointly normal: a mixed
 * model (Robinson 1991, "That BLUP is a good thing"), the same as kriging (Rasmussen and Williams,
 * Gaussian Processes for Machine Learning, 2006, section 2.7).
 *
 * What multiplies deviations, and which link is the bottleneck, follows the estimates: a few rounds
 * of linearisation. A figure far off its prior gets a wider one. Where all unknowns together are
 * further off their priors than they should be, deviations are widened (MacKay 1992, "Bayesian
 * interpolation", eq. 4.8: squares over how many of them the points decide; and one more of either,
 * so that one point alone decides little). Where the points of layers scatter around their lines
 * more than their noise says, all that is not known grows by as much (eq. 4.9).
 *
 * Kinds make a tree, whose unknowns are estimated in time linear in points and stages (nested.h).
 */
#ifndef HS_ESTIMATE_BELIEF_H
#define HS_ESTIMATE_BELIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "library/price_plan.h"
#include "system/fit.h"
#include "system/system.h"

struct hs_belief_options {
    double noise;    /* relative standard error of points that do not say theirs; 0: 0.05 */
    bool shape_only; /* the system's figures mean nothing, its levels do */
    /* Priors as wide as machines that fit a description are drawn (machines.h): figures by their
     * sources, or as guesses where points are of them. Else wide ones, that any description may
     * be off by. */
    bool as_drawn;
    /* Above 0: what is asked for is figures that take the place of the described ones. Then these
     * count for little; no latency is below 0; and layers whose points are further than this off
     * their line (root mean square, relative) are fitted to the longer half of their messages, or
     * to the longest, or else refused. 0: all points count. */
    double max_residual;
};

/* A stage of which the time is asked, or a pair. */
struct hs_belief_stage {
    struct hs_stage_key key;
    double bytes; /* entering it, > 0 */
};

/* What deviates together, and the points behind it. Those of refused layers are not counted, but in
 * the layer itself. */
struct hs_belief_kind {
    struct hs_fit fit;  /* without figures and intervals: see hs_belief_fit */
    size_t parent;      /* the kind it is part of; 0: the whole machine */
    size_t longest;     /* which of the points has most bytes entering */
    double shortest;    /* of a layer: message used, relative to its longest; 0: all are */
    bool refused, flat; /* of a layer; flat: because its times do not grow with the bytes */
    bool told;          /* points are of it */
};

struct hs_belief;

/* Of a system without fits, which stays the caller's until the end; points may be none.
 * Reduce-scatter and allgather of one layer and message count by their sum (hs_fit_points_pair).
 * HS_INVALID: a point that is no time of a layer. HS_FAILED: max_residual leaves less than 4 of the
 * points, or their times are so far from the description (10^5 times are not) that rounding hides
 * them. HS_MEMORY. */
enum hs_status hs_belief_init(struct hs_belief **out, const struct hs_system *system,
                              const struct hs_fit_point *points, size_t count,
                              const struct hs_belief_options *options, struct hs_error *err);
void hs_belief_release(struct hs_belief *belief);

/* Asks for stages of a machine of `ranks` ranks, in place of those asked for before. HS_MEMORY. */
enum hs_status hs_belief_ask(struct hs_belief *belief, int64_t ranks,
                             const struct hs_belief_stage *stages, size_t count,
                             struct hs_error *err);
/* Expected seconds of each stage asked for. */
void hs_belief_mean(double *seconds, const struct hs_belief *belief);
/* The standard deviation of each, alone. */
void hs_belief_deviation(double *seconds, const struct hs_belief *belief);
/* One joint draw of them all; *seed is moved on. The same seeds give the same draws on every
 * machine. Draws may be negative. O(stages). */
void hs_belief_draw(double *seconds, struct hs_belief *belief, uint64_t *seed);

/* Whether points are of stages of the price's level and algorithm, misaligned and exchanging as it
 * does. */
bool hs_belief_has_points(const struct hs_belief *belief, const struct hs_stage_price *price);

/* The system with figures as estimated; its texts are those of the system given. */
struct hs_system hs_belief_system(const struct hs_belief *belief);
/* Half width of the 95 % interval of its launch cost. */
double hs_belief_launch_ci95(const struct hs_belief *belief);
/* Whether the latency of a level came out negative and is held at 0; level_count: the launch. */
bool hs_belief_held(const struct hs_belief *belief, size_t level);
/* Of scope level, size and layer; the first is the whole machine. */
const struct hs_belief_kind *hs_belief_kinds(size_t *count, const struct hs_belief *belief);
/* What a system file says of kind i > 0, which has points: with this fit hs_belief_system prices
 * the kind's longest message as is expected here. Intervals are those of a layer of the kind that
 * was not itself measured; in scope layer, that was. */
struct hs_fit hs_belief_fit(const struct hs_belief *belief, size_t i);

#endif
