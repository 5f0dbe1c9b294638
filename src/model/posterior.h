/*
 * posterior.h - what some measured layers say of all layers of a machine: the joint distribution of
 * their times.
 *
 * The model is that of calibration.h, with one difference: slowness belongs to the level whose link
 * holds a ring up, which is not always the outermost one that it crosses. One phase of layer (d, p)
 * takes
 *
 *     t = launch + S alpha_l (1 + u_gp + u_dp) + X e_b (1 + w_b + v_gp + v_dp)
 *
 * with S steps, X seconds at the described bandwidth of the bottleneck b, w_b only where the layer
 * straddles, and deviations of each size of a group and of each layer. All unknowns have normal
 * priors: base figures around the description, deviations around 0. Given the points, the times of
 * all layers, measured or not, are then jointly normal (kriging; Rasmussen and Williams, Gaussian
 * Processes for Machine Learning, 2006, eq. 2.23-2.24), and are drawn by Matheron's rule: a draw
 * from the prior, corrected by what it misses the points by (Journel and Huijbregts 1978).
 *
 * What multiplies deviations, and which link is the bottleneck, follows the estimates: a few rounds
 * of linearisation. Points that scatter more than model and noise allow for widen all deviations.
 */
#ifndef HS_MODEL_POSTERIOR_H
#define HS_MODEL_POSTERIOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/fit.h"
#include "model/system.h"

struct hs_posterior_options {
    double size_deviation, layer_deviation; /* prior standard deviations, relative, > 0 */
    double noise;    /* relative standard error of points that do not say theirs, > 0 */
    bool shape_only; /* the system's figures mean nothing, its levels do */
};

/* A stage of which the time is asked, or a pair. */
struct hs_posterior_layer {
    struct hs_stage_key key;
    double bytes; /* entering it, > 0 */
};

struct hs_posterior;

/* `system` without fits; points may be none. All three stay the caller's and as they are until the
 * end. O(points^3 + layers).
 * HS_INVALID for a point that is no time of a layer, HS_FAILED where
 * points contradict each other beyond all noise, HS_MEMORY. */
enum hs_status hs_posterior_init(struct hs_posterior **out, const struct hs_system *system,
                                 int64_t np, const struct hs_posterior_layer *layers,
                                 size_t layer_count, const struct hs_fit_point *points,
                                 size_t point_count, const struct hs_posterior_options *options,
                                 struct hs_error *err);
/* Expected seconds of each layer, [layer_count]. */
void hs_posterior_mean(double *seconds, const struct hs_posterior *posterior);
/* One joint draw of the seconds of all layers, [layer_count]; *seed is moved on. The same seeds
 * give the same draws on every machine. Draws may be negative. O(points^2 + layers). */
void hs_posterior_draw(double *seconds, struct hs_posterior *posterior, uint64_t *seed);
void hs_posterior_release(struct hs_posterior *posterior);

#endif
