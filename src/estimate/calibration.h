/*
 * calibration.h - from measured layer times to the figures and fits of a system (fit.h): what the
 * belief (belief.h: the formula, its priors and sources) expects of each level, size and layer.
 *
 * Described figures are starting points only and count for little: the fitted ones take their
 * place. What is fitted describes all process counts at once; np is a property of points only.
 */
#ifndef HS_ESTIMATE_CALIBRATION_H
#define HS_ESTIMATE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "system/fit.h"
#include "system/system.h"

#define HS_CALIBRATION_POINTS_MIN 4

struct hs_calibration_options {
    double noise;        /* of points that do not say theirs; 0: the default, 0.05 */
    double max_residual; /* a layer whose residual is larger is refused; 0: the default, 0.15 */
    bool shape_only;     /* the system's figures mean nothing, its levels do */
    const char *source;  /* where the points come from: kept with the fits; NULL: not known */
};

/* Fits system->fits and system->launch_seconds, and replaces latency and bandwidth of measured
 * levels (with a source that says so), from points, of which a copy is kept. The system's earlier
 * fits go; its described figures are where sharing and priors come from. Notes to the user (a
 * latency that came out negative and was set to 0; layers that are refused; levels without points)
 * are appended to `notes`, one line each; notes and options may be NULL.
 *
 * HS_INVALID: too few points (fewer than 4, or all of one layer and one size of message), a point
 * that is not of the system (stride * size does not divide np; not positive). HS_FAILED: no layer's
 * times can be described. HS_MEMORY. On failure the system is as it was. */
enum hs_status hs_calibrate(struct hs_system *system, const struct hs_fit_point *points,
                            size_t count, const struct hs_calibration_options *options,
                            struct hs_text *notes, struct hs_error *err);

#endif
