/*
 * choose.h - which part of a result a plot is about. Internal to plot.
 *
 * A plan's figures come from the result file; a prediction that it lacks comes from the model and
 * the file's machine. NaN stands for a time that nobody knows.
 */
#ifndef HS_PLOT_CHOOSE_H
#define HS_PLOT_CHOOSE_H

#include "plot/plot.h"

/* The message size that the job asks for, else the largest that every input has. HS_INVALID where
 * an input lacks it, with the sizes that it has. */
enum hs_status hs_plot_bytes(uint64_t *bytes, const struct hs_plot_job *job, struct hs_error *err);
/* The result's message of that size, or NULL. */
const struct hs_result_message *hs_plot_message(const struct hs_result *result, uint64_t bytes);
/* The job's plan, for the group of the first input; split.count 0 where the job names none.
 * HS_INVALID. */
enum hs_status hs_plot_plan(struct hs_plan *plan, const struct hs_plot_job *job,
                            struct hs_error *err);

/* What the file says of a plan, else the model; count 0 where neither does. */
struct hs_plan_cost hs_plot_cost(const struct hs_result *result,
                                 const struct hs_result_message *message,
                                 const struct hs_plan *plan);
/* Predicted time of a plan, by the file or the model. */
double hs_plot_predicted(const struct hs_result *result, const struct hs_result_message *message,
                         const struct hs_plan *plan);

/* A time with its 95 % interval; NaN where there is none. */
struct hs_plot_time {
    double seconds, low, high;
};
/* The same with the interval that a calibrated system gives. */
struct hs_plot_time hs_plot_prediction(const struct hs_result *result,
                                       const struct hs_result_message *message,
                                       const struct hs_plan *plan);
/* " *" for a plan that a calibrated system prices outside of what was measured, else "". Captions
 * say what that means. */
const char *hs_plot_mark(const struct hs_result *result, const struct hs_result_message *message,
                         const struct hs_plan *plan);
/* Of a measurement that may be NULL; only one of status ok counts. */
struct hs_plot_time hs_plot_measured(const struct hs_measured *measured);
/* The fastest measured candidate, the one with the smallest prediction; NULL where there is none.
 */
const struct hs_candidate *hs_plot_best_measured(const struct hs_result_message *message);
const struct hs_candidate *hs_plot_best_predicted(const struct hs_result_message *message);
/* The fastest baseline that was measured, or NULL. */
const struct hs_baseline_result *hs_plot_best_baseline(const struct hs_result_message *message);

/* Messages of a result by their size; owned by the caller (free). NULL: no memory. */
const struct hs_result_message **hs_plot_messages(const struct hs_result *result);
/* Inputs by process count, then in the order given; owned by the caller (free). NULL: no memory. */
const struct hs_named_result **hs_plot_sorted(const struct hs_plot_job *job);

#endif
