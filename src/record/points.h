/*
 * points.h - the layer times of a result as points for a calibration (estimate/calibration.h).
 */
#ifndef HS_RESULT_POINTS_H
#define HS_RESULT_POINTS_H

#include <stdbool.h>

#include "record/result.h"
#include "system/fit.h"

/* Growing list; {0} is empty. */
struct hs_point_list {
    struct hs_fit_point *items; /* [count] owned */
    size_t count, capacity;
};

/* Appends a point for each layer of each candidate that was measured in full (status ok) with layer
 * times and without chunks: reduce-scatter and allgather together, or the last layer's allreduce. A
 * point's noise is that of the candidate's median. Layers of chunked plans overlap and say nothing
 * of a layer alone. HS_MEMORY. */
enum hs_status hs_result_points(struct hs_point_list *list, const struct hs_result *result,
                                struct hs_error *err);
/* What lies between two calls, from plans whose time and whose stages' times were both measured:
 * each says (time - sum of its stages) / (calls - 1), and counts by how well it is known. {0} is
 * none. */
struct hs_gap_points {
    double weight, sum, squares; /* of the gaps: 1 / variance, weighted, their squares weighted */
    size_t plans;
};
/* Adds those of a result: measured in full, without chunks, in two layers or more. */
void hs_gap_points_add(struct hs_gap_points *points, const struct hs_result *result);
/* The mean, and half of its 95 % interval: by what is known of each, and by how they differ where
 * that is more. False where it is not above 0 by more than that: stages that overlap, or noise. */
bool hs_gap_points_fit(double *seconds, double *ci95_seconds, const struct hs_gap_points *points);

/* Appends a copy. HS_MEMORY; the list stays as it is then. */
enum hs_status hs_point_list_add(struct hs_point_list *list, const struct hs_fit_point *point,
                                 struct hs_error *err);
/* Frees the points; the list is empty then. */
void hs_point_list_release(struct hs_point_list *list);

#endif
