/*
 * predict.h - what the files of `hiersearch predict` share: its settings, one searched point, and
 * the functions that show or record such points.
 *
 * cmd_predict.c reads the settings and walks over process counts and sizes; api/point.h searches
 * and records one; predict_point.c shows the progress, predict_sure.c how sure it is,
 * predict_show.c prints it, predict_change.c what a measurement changed, predict_explain.c says
 * why, predict_sweep.c prints many; predict_place.c shows where the axes of a job lie,
 * predict_hsdp.c in how many shards a model, predict_profile.c what plans gain a job of which there
 * is a profile (api/jobs.h).
 */
#ifndef HS_CLI_PREDICT_H
#define HS_CLI_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/jobs.h"
#include "api/point.h"
#include "cli/option_rows.h"
#include "console/command.h"
#include "console/progress_line.h"
#include "model/gaps.h"
#include "result/profile.h"
#include "view/sheet.h"

/* How a placement is shown. */
struct hs_step_words {
    double compute_seconds; /* of a step, beside which messages travel; 0: not given */
    bool overlap;           /* messages along different axes travel at the same time */
    const char *hosts;      /* place_forms.h */
};

struct hs_predict_settings {
    struct hs_argument_list systems; /* as typed; with --profile they may be results */
    const char *profile;             /* path; NULL: not given */
    const char *system;              /* the first of systems */
    struct hs_question ask;
    struct hs_placed_words place;
    struct hs_step_words step;
    struct hs_sharded_words hsdp;
    const char *as;      /* a form of table; NULL: the usual one */
    const char *explain; /* plan text or "best"; NULL: not asked for */
    struct hs_print print;
    bool quiet;
    const char *output; /* path; NULL: no file */
    const char *before; /* a system as typed; NULL: not given */
};

/* What stays the same over a sweep. Borrows everything. */
struct hs_predict {
    struct hs_context *context;
    struct hs_sheet *sheet; /* what is printed, the result file as JSON apart */
    const struct hs_predict_settings *settings;
    struct hs_asked asked;             /* settings->ask, on the system */
    const struct hs_profile *profile;  /* of a job; NULL: not asked for */
    const struct hs_system *before;    /* what was believed of it before; NULL: not asked for */
    struct hs_progress_line *progress; /* begun with the first search */
};

/* ---- predict_point.c ---- */

/* Who searches, since when (seconds of the line's), and how far it is. */
struct hs_predict_watch {
    const struct hs_predict *predict;
    double began_at;
    uint64_t done;
};
/* What is asked, with the progress of searches on a line. */
struct hs_asked hs_predict_watched(struct hs_predict_watch *watch,
                                   const struct hs_predict *predict);

/* hs_point_search, with its progress on a line. */
enum hs_status hs_predict_point_init(struct hs_predict_point *point,
                                     const struct hs_predict *predict, int64_t np, uint64_t bytes,
                                     struct hs_error *err);
/* For the one process count of the settings, which is prime: a note on what the next counts below
 * and above that fill the units of the first level (else that have splits) would take. */
enum hs_status hs_predict_hint_neighbours(const struct hs_predict *predict, struct hs_error *err);

/* ---- predict_sure.c ---- */

/* On how many machines the plan shown first wins, and the best guess, where that is another. */
void hs_predict_say_sure(const struct hs_predict *predict, const struct hs_predict_point *point,
                         const char *lead);
/* Which figure decides, and the command lines of the measurement that tells most; after another
 * one (predict->before) also that there is none. HS_MEMORY. */
enum hs_status hs_predict_say_unknown(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err);

/* ---- predict_change.c ---- */

/* Where something was believed before: the answers to the same question beside each other.
 * HS_MEMORY. */
enum hs_status hs_predict_say_changed(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err);
/* The answer to np.first and bytes.first of the settings, whose system is what to call this one in
 * a command, what changed, and what to measure next. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_again(struct hs_context *context,
                                const struct hs_predict_settings *settings,
                                const struct hs_system *before, const struct hs_system *system,
                                struct hs_error *err);

/* ---- predict_show.c ---- */

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
/* Where the most processes asked for are more than the description covers. */
void hs_predict_warn_of_extrapolation(const struct hs_predict *predict);
/* The library's own call, the best plan, how sure that is, and the limit. HS_MEMORY. */
enum hs_status hs_predict_say_answer(const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err);
/* The answer, the table with its bars, and hints on stderr; `result` has the point as its last
 * message. HS_MEMORY. */
enum hs_status hs_predict_show(const struct hs_predict *predict, struct hs_predict_point *point,
                               const struct hs_result *result, struct hs_error *err);

/* predict_explain.c: why settings->explain takes as long as it does, and where the winner changes.
 * HS_INVALID where the plan's text is wrong, HS_MEMORY. */
enum hs_status hs_predict_explain(const struct hs_predict *predict, struct hs_predict_point *point,
                                  struct hs_error *err);

/* What is asked of a job goes together, and units are some. HS_INVALID. */
enum hs_status hs_predict_check_job(struct hs_predict_settings *settings, struct hs_error *err);
/* predict_place.c: where the axes of the settings' mesh are to lie. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_place(const struct hs_predict *predict, struct hs_error *err);

/* predict_hsdp.c: in how many shards a model is to lie, and how often. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_hsdp(const struct hs_predict *predict, struct hs_error *err);

/* ---- predict_profile.c ---- */

/* One system, or with --profile nothing that the profile says itself. HS_INVALID. */
enum hs_status hs_predict_check_profile(const struct hs_predict_settings *settings,
                                        struct hs_error *err);
/* What the best plans gain the job of predict->profile, by the model. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_profile(const struct hs_predict *predict, struct hs_error *err);
/* The same by what the results among settings->systems measured, and by the rules that `run` makes
 * of them. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_by_results(struct hs_context *context,
                                     const struct hs_predict_settings *settings,
                                     const struct hs_profile *profile, struct hs_error *err);

/* ---- predict_sweep.c ---- */

/* Points come in the order of hs_predict_sweep_add: sizes of the first process count, then of the
 * next. One line per point; where both vary, people see matrices of process count by size. With
 * --as lines are in the columns of another program. */
struct hs_predict_sweep {
    struct hs_table lines;
    bool over_np, over_bytes;
    size_t points;           /* searched */
    bool ended;              /* the budget, before all of them were */
    bool extrapolated;       /* some process count was marked */
    bool surpassed;          /* a runner-up is faster by the figures as they stand */
    bool drawn;              /* gains are those over machines drawn */
    struct hs_gaps gaps;     /* of the plans shown */
    struct hs_plan previous; /* winner of the process count before; count 0: none */
};
/* Whether points are lines of one table. */
bool hs_predict_is_swept(const struct hs_predict_sweep *sweep, const struct hs_predict *predict);
void hs_predict_sweep_init(struct hs_predict_sweep *sweep, const struct hs_predict *predict);
/* HS_MEMORY. */
enum hs_status hs_predict_sweep_add(struct hs_predict_sweep *sweep,
                                    const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err);
/* Releases it. */
void hs_predict_sweep_print(struct hs_predict_sweep *sweep, const struct hs_predict *predict);

#endif
