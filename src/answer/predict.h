/*
 * predict.h - the answer to a "predict", as it is printed: what the library's callers and the
 * command line see.
 *
 * predict.c takes what is asked and walks over process counts and sizes (point.h answers and
 * records one); predict_show.c prints a point, predict_change.c what a measurement changed,
 * predict_explain.c says why, predict_sweep.c prints many; predict_profile.c what plans gain a job
 * of which there is a profile (gains.h).
 */
#ifndef HS_API_PREDICT_H
#define HS_API_PREDICT_H

#include "answer/fit.h"
#include "answer/gains.h"
#include "answer/inputs.h"
#include "answer/point.h"
#include "estimate/gaps.h"
#include "library/price_plan.h"
#include "show/sheet.h"

/* All that "predict" is asked. */
struct hs_predict_settings {
    const char *profile; /* path; NULL: not given */
    struct hs_question ask;
    const char *as;      /* a form of table; NULL: the usual one */
    const char *explain; /* plan text or "best"; NULL: not asked for */
    const char *before;  /* a system as typed; NULL: not given */
    bool details;        /* all that is known */
    struct hs_print print;
    const char *output; /* path: the result goes there, too; NULL: it does not */
};

#define HS_SIZES_OF_NCCL_TESTS "8B:8GiB"

/* The forms of --as; end with a NULL. */
const char *const *hs_predict_form_words(void);

/* Rows of struct hs_predict_settings but those of its print and output; `systems` are names of
 * systems, as words of a row. */
#define HS_ROWS_PREDICT(at, systems)                                                               \
    HS_ROWS_PROBLEM((at) + offsetof(struct hs_predict_settings, ask),                              \
                    "; with --as nccl-tests " HS_SIZES_OF_NCCL_TESTS ", as its -b 8 -e 8G -f 2"),  \
        HS_ROW_GAINS((at) + offsetof(struct hs_predict_settings, profile)),                        \
        HS_ROWS_SEARCH((at) + offsetof(struct hs_predict_settings, ask)),                          \
        HS_ROW_TOP((at) + offsetof(struct hs_predict_settings, ask)),                              \
        {.name = "as",                                                                             \
         .argument = "FORM",                                                                       \
         .group = "Output",                                                                        \
         .words = hs_predict_form_words,                                                           \
         .type = &hs_option_word,                                                                  \
         .offset = (at) + offsetof(struct hs_predict_settings, as),                                \
         .help = "nccl-tests: a table in its columns, size by size: what the library takes by "    \
                 "itself and the best plan, with what bounds them (one process count)"},           \
        {.name = "details",                                                                        \
         .group = "Output",                                                                        \
         .type = &hs_option_flag,                                                                  \
         .offset = (at) + offsetof(struct hs_predict_settings, details),                           \
         .help = "all that is known: how sure the answer is, what bounds it, what decides, what "  \
                 "to measure, layers"},                                                            \
        {.name = "explain",                                                                        \
         .argument = "PLAN",                                                                       \
         .group = "Output",                                                                        \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_predict_settings, explain),                           \
         .help = "say why a plan (4x8x4, 4x8x4/8 with 8 chunks, or best) takes as long as it "     \
                 "does, and at which sizes and process counts the winner changes"},                \
    {                                                                                              \
        .name = "before", .argument = "SYSTEM", .group = "Output", .type = &hs_option_file,        \
        .words = (systems), .offset = (at) + offsetof(struct hs_predict_settings, before),         \
        .help = "the same machine as it was described before it was measured: what that changed "  \
                "(one process count and one size)"                                                 \
    }

/* What stays the same over a sweep. Borrows everything; the first block is the caller's to fill. */
struct hs_predict {
    const struct hs_predict_settings *settings;
    struct hs_asked asked;            /* settings->ask, on the system */
    const char *system;               /* as typed: what to call it in a command */
    const struct hs_profile *profile; /* of a job; NULL: not asked for */
    const struct hs_system *whole;    /* of which the system is some GPUs; NULL: it is all */
    const struct hs_system *before;   /* what was believed of it before; NULL: not asked for */
    const char *command;              /* line, for results */
    struct hs_text *out;
    struct hs_text *notes; /* NULL: nobody reads them */
    const struct hs_terminal *terminal;

    struct hs_sheet *sheet; /* what is printed, the result file as JSON apart */
};

/* ---- predict.c ---- */

/* What is asked goes together; what it leaves open is as usual, and its profile (release it in any
 * case) is read. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_take(struct hs_predict_settings *settings, struct hs_profile *profile,
                               struct hs_error *err);
/* Prints the answer. HS_INVALID: what is asked for has no price, or cannot be said; HS_IO,
 * HS_MEMORY. */
enum hs_status hs_predict_answer(struct hs_predict *predict, struct hs_error *err);

/* ---- predict_change.c ---- */

/* What was believed of the machine before, borrowed: of it, too, the GPUs alone that are asked of.
 * HS_INVALID: its innermost level has another arity than the system's; HS_MEMORY. */
enum hs_status hs_predict_take_before(struct hs_predict *predict, struct hs_system *before,
                                      struct hs_error *err);
/* Where something was believed before: the answers to the same question beside each other.
 * HS_MEMORY. */
enum hs_status hs_predict_say_changed(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err);
/* After a fit of asked->before by the times: the answer by `system`, what changed, and what to
 * measure next; nothing where no time is of a call of so many processes. Of `asked` all is there
 * but its own question and sheet, whose label, where there is one, is what the system is called;
 * settings say the format, or are NULL. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_fitted(const struct hs_predict *asked, const struct hs_system *system,
                                 const struct hs_fit_times *times, const struct hs_fit_again *again,
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
/* The answer (show/answers.h), and with --details what else is known; `result` has the point as its
 * last message. HS_MEMORY. */
enum hs_status hs_predict_show(const struct hs_predict *predict, struct hs_predict_point *point,
                               const struct hs_result *result, struct hs_error *err);

/* predict_explain.c: why settings->explain takes as long as it does, and where the winner changes.
 * HS_INVALID where the plan's text is wrong, HS_MEMORY. */
enum hs_status hs_predict_explain(const struct hs_predict *predict, struct hs_predict_point *point,
                                  struct hs_error *err);

/* predict_choices.c: of fewer processes than the first level's single links join, which of its GPUs
 * are the best and the worst choice, those alike counted once. Nothing of another question.
 * HS_MEMORY. */
enum hs_status hs_predict_say_choices(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err);

/* ---- predict_profile.c ---- */

/* What the best plans gain the job of predict->profile, by the model. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_profile(const struct hs_predict *predict, struct hs_error *err);
/* The same by what results measured, and by the rules that `run` makes of them. HS_INVALID,
 * HS_MEMORY. */
enum hs_status hs_predict_by_results(const struct hs_predict *predict,
                                     const struct hs_inputs *inputs, struct hs_error *err);

/* ---- predict_sweep.c ---- */

/* Points come in the order of hs_predict_sweep_add: sizes of the first process count, then of the
 * next. One line per point; where both vary, people see matrices of process count by size. With
 * --as lines are in the columns of another program. */
struct hs_predict_sweep {
    struct hs_table lines;
    bool over_np, over_bytes;
    bool extrapolated;       /* some process count was marked */
    bool sampled;            /* times and gains are expected ones */
    struct hs_gaps gaps;     /* of the plans shown */
    struct hs_plan previous; /* winner of the process count before; count 0: none, or no plan */
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
