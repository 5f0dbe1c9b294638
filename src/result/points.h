/*
 * points.h - the layer times of a result as points for a calibration (model/calibration.h).
 */
#ifndef HS_RESULT_POINTS_H
#define HS_RESULT_POINTS_H

#include "model/fit.h"
#include "result/result.h"

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
/* HS_MEMORY. */
enum hs_status hs_point_list_add(struct hs_point_list *list, const struct hs_fit_point *point,
                                 struct hs_error *err);
void hs_point_list_release(struct hs_point_list *list);

#endif
