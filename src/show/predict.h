/*
 * predict.h - the answer to a "predict", printed. Nothing is searched here: answer/predict.h has
 * the answer about one collective; predict_show.c prints one point and calls the others:
 * predict_change.c what a measurement changed, predict_choices.c which GPUs to take,
 * predict_explain.c why, predict_sweep.c many points; predict_profile.c what plans gain a job.
 */
#ifndef HS_SHOW_PREDICT_H
#define HS_SHOW_PREDICT_H

#include "answer/predict.h"
#include "estimate/gaps.h"
#include "show/sheet.h"

/* Prints the answer about one collective to predict->out, for predict->terminal, as JSON its
 * results; the sheet of `predict` is not read. HS_MEMORY. */
enum hs_status hs_predict_print(const struct hs_predict *predict,
                                const struct hs_prediction *prediction,
                                const struct hs_print *print, struct hs_error *err);
/* Likewise what plans gain the job of predict->profile, as JSON its document. HS_MEMORY. */
enum hs_status hs_predict_print_gains(const struct hs_predict *predict,
                                      const struct hs_gains *gains, const struct hs_print *print,
                                      struct hs_error *err);

/* ---- parts of it: to predict->sheet ---- */

/* "abci: 128 processes, 128MiB per process" and a newline. */
void hs_predict_title(const struct hs_predict *predict, const struct hs_predict_point *point);
bool hs_predict_is_calibrated(const struct hs_predict *predict);
/* The cost of a plan that is about to be shown; what of it lies outside of the measured range is
 * added to `gaps`. */
struct hs_plan_cost hs_predict_cost(struct hs_gaps *gaps, const struct hs_predict *predict,
                                    const struct hs_problem *problem, const struct hs_plan *plan);
/* What the columns and marks of a calibrated system mean: that of intervals (where `spread`), and
 * that of extrapolated plans. `beyond_np`: more processes than are described were shown. */
void hs_predict_legend(const struct hs_predict *predict, const struct hs_gaps *gaps, bool spread,
                       bool beyond_np);
void hs_predict_explain(const struct hs_predict *predict, const struct hs_prediction *prediction);
void hs_predict_sweep(const struct hs_predict *predict, const struct hs_prediction *prediction);
void hs_predict_say_choices(const struct hs_predict *predict,
                            const struct hs_prediction *prediction);
/* Nothing where nothing was believed before. */
void hs_predict_say_changed(struct hs_sheet *sheet, const struct hs_prediction *prediction);

#endif
