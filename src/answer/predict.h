/*
 * predict.h - the question of a "predict", and the answer where it is about one collective: points
 * (point.h), which are searched and recorded, what a measurement changed, why a plan takes as long
 * as it does, and which GPUs of a node are the best choice. All of it is computed before anything
 * is printed (show/predict.h). Of a whole job it is gains.h.
 */
#ifndef HS_ANSWER_PREDICT_H
#define HS_ANSWER_PREDICT_H

#include "answer/fit.h"
#include "answer/gains.h"
#include "answer/inputs.h"
#include "answer/point.h"
#include "answer/systems.h"
#include "library/price_plan.h"
#include "search/winners.h"

struct hs_terminal;
struct hs_sheet;

/* All that "predict" is asked. */
struct hs_predict_settings {
    const char *profile; /* path; NULL: not given */
    struct hs_question ask;
    const char *style;        /* a form of table; NULL: the usual one */
    const char *explain;      /* plan text or "best"; NULL: not asked for */
    const char *compare_with; /* a system as typed; NULL: not given */
    bool details;             /* all that is known */
    struct hs_print print;
    const char *output; /* path: the result is for it, too; NULL: for none */
};

#define HS_SIZES_OF_NCCL_TESTS "8B:8GiB"

/* The words of --style; end with a NULL. */
const char *const *hs_predict_form_words(void);
#define HS_FORM_OF_TESTS "nccl-tests"

/* Rows of struct hs_predict_settings but those of its print and output. */
#define HS_ROWS_PREDICT(at)                                                                        \
    HS_ROWS_PROBLEM((at) + offsetof(struct hs_predict_settings, ask),                              \
                    "; with --style nccl-tests " HS_SIZES_OF_NCCL_TESTS                            \
                    ", as its -b 8 -e 8G -f 2"),                                                   \
        HS_ROW_GAINS((at) + offsetof(struct hs_predict_settings, profile)),                        \
        HS_ROWS_SEARCH((at) + offsetof(struct hs_predict_settings, ask)),                          \
        HS_ROW_TOP((at) + offsetof(struct hs_predict_settings, ask)),                              \
        {.name = "style",                                                                          \
         .argument = "STYLE",                                                                      \
         .group = "Output",                                                                        \
         .words = hs_predict_form_words,                                                           \
         .type = &hs_option_word,                                                                  \
         .offset = (at) + offsetof(struct hs_predict_settings, style),                             \
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
        .name = "compare-with", .argument = "SYSTEM", .group = "Output", .type = &hs_option_file,  \
        .words = hs_system_words,                                                                  \
        .offset = (at) + offsetof(struct hs_predict_settings, compare_with),                       \
        .help = "the same machine as described before it was measured: the effect on the answer "  \
                "(one process count and one size)"                                                 \
    }

/* A question on a system, and what is known beside it. Borrows everything. */
struct hs_predict {
    const struct hs_predict_settings *settings;
    struct hs_asked asked;            /* settings->ask, on the system */
    const char *system;               /* as typed: what to call it in a command */
    const struct hs_profile *profile; /* of a job; NULL: not asked for */
    const struct hs_system *whole;    /* of which the system is some GPUs; NULL: it is all */
    const struct hs_system *before;   /* what was believed of it before; NULL: not asked for */
    const char *command;              /* line, for results */
    struct hs_text *notes;            /* NULL: nobody reads them */

    /* Where it is printed, which show/ sets. */
    struct hs_text *out;
    const struct hs_terminal *terminal;
    struct hs_sheet *sheet;
};

/* What is asked goes together; what it leaves open is as usual, and its profile (release it in any
 * case) is read. HS_INVALID, HS_MEMORY. */
enum hs_status hs_predict_take(struct hs_predict_settings *settings, struct hs_profile *profile,
                               struct hs_error *err);
/* What was believed of the machine before, borrowed: of it, too, the GPUs alone that are asked of.
 * HS_INVALID: its innermost level has another arity than the system's; HS_MEMORY. */
enum hs_status hs_predict_take_before(struct hs_predict *predict, struct hs_system *before,
                                      struct hs_error *err);
/* Whether more than one point is asked for, or a line each of another program's columns. */
bool hs_predict_is_swept(const struct hs_predict_settings *settings);

/* ---- the answer about one collective --------------------------------------------------------- */

/* Some of a node's GPUs, and how many choices are like it (links/subsets.h). */
struct hs_choice {
    uint64_t units; /* bits */
    int64_t alike;
    struct hs_plan plan; /* the best for it */
    double seconds;
    double limit_seconds; /* 0: none is known */
};

struct hs_choices {
    struct hs_choice
        *items;          /* [count] owned, fastest first; those without links between are none */
    size_t count, kinds; /* kinds 0: there is no choice, or it was made */
    int64_t all, apart;  /* choices, and those of them that no links join */
    bool too_many;       /* kinds, to price each */
};

/* Why a plan takes as long as it does, and where the winner changes, by nominal times. */
struct hs_explanation {
    struct hs_plan plan;
    struct hs_plan_cost cost, flat; /* of it and of the flat plan; parts add up to the estimates */
    struct hs_size_winner *sizes;   /* [size_count] owned */
    size_t size_count;
    double last_bytes;           /* up to which winners are known */
    struct hs_np_winner *counts; /* [np_count] owned */
    size_t np_count;
};
#define HS_EXPLAIN_FIRST_BYTES 1024.0                      /* 1 KiB */
#define HS_EXPLAIN_LAST_BYTES  (16.0 * 1024 * 1024 * 1024) /* 16 GiB */

struct hs_prediction {
    struct hs_predict_point *points; /* [count] owned: sizes of the first process count first */
    size_t count;
    struct hs_result *results; /* [result_count] owned, one for each process count */
    size_t result_count;
    /* Of one point. */
    struct hs_predict_point *earlier; /* owned: by what was believed before; NULL: nothing was */
    struct hs_choices choices;
    struct hs_explanation *why; /* owned; NULL: nobody asks */
};

/* Searches everything that is asked; what the budget leaves out becomes a warning in
 * predict->notes. HS_INVALID: what is asked for has no price; HS_MEMORY. Release in any case. */
enum hs_status hs_predict_make(struct hs_prediction *out, const struct hs_predict *predict,
                               struct hs_error *err);
void hs_prediction_release(struct hs_prediction *prediction);

/* After a fit: what the times are about becomes the question of `settings`, else np is 0. */
void hs_predict_take_fitted(struct hs_predict_settings *settings, const struct hs_fit_times *times,
                            const struct hs_fit_again *again);

#endif
