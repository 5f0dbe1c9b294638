/*
 * calibration.h - from measured layer times to the fitted figures of fit.h, by weighted least
 * squares.
 *
 * The time of one phase of layer (d, p) with m bytes entering is taken as
 *
 *     t = launch + k [ S alpha_l (1 + u_gp + u_dp) + X(m) e_g (1 + v_gp + v_dp) ]
 *
 * k = 1 for a reduce-scatter or an allgather, 2 for an allreduce; S steps and X(m) seconds at the
 * described bandwidth, both by the plain model (cost.h: sharing, ports, meshes); alpha_l one
 * latency per level, e_g one slowness per group g (level, straddling or not), and deviations of
 * each (group, size) and of each layer measured. Base figures are free, with very wide priors
 * around the description. Deviations have a normal prior of 10 % each: many or precise points
 * override it, few or noisy ones stay near what their neighbours say (a mixed model; Robinson 1991,
 * "That BLUP is a good thing"). Points are weighted by 1 / (noise * seconds).
 *
 * What is fitted describes all process counts at once; np is a property of points only.
 */
#ifndef HS_MODEL_CALIBRATION_H
#define HS_MODEL_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/fit.h"
#include "model/system.h"

struct hs_calibration_options {
    double size_deviation;  /* prior standard deviation, relative; 0: the default, 0.10 */
    double layer_deviation; /* likewise */
    double noise;           /* of points that do not say theirs; 0: the default, 0.05 */
    double max_residual;    /* a layer whose residual is larger is refused; 0: the default, 0.15 */
};

/* Fits system->fits and system->launch_seconds, and replaces latency and bandwidth of measured
 * levels (with a source that says so), from points, of which a copy is kept. The system's earlier
 * fits go; its described figures are where sharing and priors come from. Notes to the user (a
 * latency that came out negative and was set to 0; layers that are refused; levels without points)
 * are appended to `notes`, one line each; notes may be NULL.
 *
 * HS_INVALID: too few points (fewer than 4, or all of one layer and one size of message), a point
 * that is not of the system (stride * size does not divide np; not positive). HS_FAILED: no layer's
 * times can be described. HS_MEMORY. On failure the system is as it was. */
enum hs_status hs_calibrate(struct hs_system *system, const struct hs_fit_point *points,
                            size_t count, const struct hs_calibration_options *options,
                            const char *source, struct hs_text *notes, struct hs_error *err);

#endif
