/*
 * predict.h - the answer to a "predict", printed. Nothing is searched here: answer/predict.h has
 * the answer about one collective; predict_show.c prints one point and calls the others:
 * predict_change.c what a measurement changed, predict_choices.c which GPUs to take,
 * predict_explain.c why, predict_sweep.c many points; predict_place.c where the axes of a job lie
 * (place_forms.h: in the words of other programs), predict_hsdp.c in how many shards a model,
 * predict_profile.c what plans gain a job.
 */
#ifndef HS_SHOW_PREDICT_H
#define HS_SHOW_PREDICT_H

#include "answer/predict.h"
#include "estimate/gaps.h"
#include "show/sheet.h"

/* Prints the answer to predict->out, for predict->terminal; its sheet is not looked at. Of one
 * collective that is `prediction`, as JSON its results; of a job NULL. HS_INVALID: what a form
 * cannot say; HS_MEMORY. */
enum hs_status hs_predict_print(const struct hs_predict *predict,
                                const struct hs_prediction *prediction,
                                const struct hs_print *print, struct hs_error *err);
/* What plans gain the job of predict->profile by what results measured, and by the rules that `run`
 * makes of them. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_by_results(const struct hs_predict *predict,
                                     const struct hs_inputs *inputs, const struct hs_print *print,
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

/* Where the axes of the settings' mesh are to lie; in how many shards a model is to lie, and how
 * often; what the best plans gain the job of predict->profile. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_place(const struct hs_predict *predict, struct hs_error *err);
enum hs_status hs_predict_hsdp(const struct hs_predict *predict, struct hs_error *err);
enum hs_status hs_predict_profile(const struct hs_predict *predict, struct hs_error *err);

#endif
