/*
 * compare.h - predicted against measured times: how wrong, in the right order, and what a choice by
 * the prediction would have cost.
 *
 * Three parts, each usable alone: a score of one set of plans (hs_compare_score), the published
 * containment rule on the same plans (hs_compare_rule), and cases found in result files
 * (hs_compare_results), beside them a library's own calls from logs. Structs in, structs out: no
 * I/O. Simulated times count as measured ones.
 *
 * Errors are relative and signed, predicted / measured - 1. Regrets are relative too: measured time
 * of what was chosen over the shortest measured time, - 1. Ranks begin at 1.
 */
#ifndef HS_COMPARE_COMPARE_H
#define HS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/plan.h"
#include "record/log_calls.h"
#include "record/result.h"
#include "search/winners.h"
#include "system/system.h"

#define HS_COMPARE_NONE    SIZE_MAX /* no such plan */
#define HS_COMPARE_TAU_MIN 3        /* plans below which an order means nothing */
#define HS_COMPARE_TOP     3        /* "top-3 hit" */
#define HS_COMPARE_KEEP    4        /* plans that the rule keeps at each scale, if not said */

/* ---- one set of plans ---- */

/* A plan with both times. */
struct hs_compare_point {
    struct hs_plan plan;
    double predicted_seconds, measured_seconds; /* finite; measured > 0 */
    double low_seconds, high_seconds; /* 95 % interval of the measured median, NaN: none */
    bool extrapolated;                /* the prediction is */
    /* Filled by hs_compare_score: */
    double error;
    size_t predicted_rank; /* in the search's order, so ties have different ranks */
    bool ties_best;        /* its interval overlaps the fastest one's; true for that one itself */
};

/* A regret; low and high are NaN where a median has no interval. */
struct hs_compare_regret {
    double value, low, high;
};

/* Indices are those of the sorted points; the measured winner is point 0. */
struct hs_compare_score {
    double mean_error;        /* of |error| */
    double mean_signed_error; /* its bias */
    size_t worst;             /* point with the largest |error| */
    double tau;             /* Kendall's tau-b; NaN below HS_COMPARE_TAU_MIN plans, or all equal */
    size_t predicted_best;  /* what one would choose by the prediction */
    size_t predicted_ties;  /* plans that share the shortest predicted time, itself included */
    size_t noise_ties;      /* points with ties_best */
    bool found;             /* predicted_best is the measured winner */
    bool found_in_noise;    /* predicted_best ties it; true where found */
    size_t winner_rank;     /* of the measured winner in the prediction */
    size_t noise_rank;      /* the best rank of all that tie the winner */
    bool top, top_in_noise; /* these ranks are at most HS_COMPARE_TOP */
    struct hs_compare_regret regret; /* of predicted_best */
};

/* Sorts the points, fastest measured first (ties by hs_plan_compare), and fills them and `out`.
 * Times that differ by 1e-12 or less (relative) are equal: sums in another order. count >= 1.
 * HS_MEMORY. Quadratic in the count (tau). */
enum hs_status hs_compare_score(struct hs_compare_score *out, struct hs_compare_point *points,
                                size_t count, struct hs_error *err);

/* Regret of a point among sorted points. The interval is that of the ratio to the fastest of the
 * other points, with all ends of intervals taken at their worst, and not below 0: it is on the safe
 * side. Points without an interval count with their median. */
struct hs_compare_regret hs_compare_regret_of(const struct hs_compare_point *points, size_t count,
                                              size_t chosen);

/* ---- the published rule ---- */

/* What the rule "the large optimum contains the small optimum" makes of the same plans. */
struct hs_compare_rule {
    const char *missing;              /* why it could not run (static text); NULL: it ran */
    uint64_t looked_at;               /* plans that it priced */
    struct hs_search_plan best, pick; /* by the model: the best of all plans, and the rule's */
    double loss;                      /* pick over best, - 1; 0 where the rule found it */
    bool best_measured;               /* `best` is among the points */
    /* Among the measured plans: */
    size_t kept;       /* how many of them the rule keeps */
    bool keeps_winner; /* the fastest, too */
    size_t chosen;     /* of these the one with the shortest predicted time */
    size_t fastest;    /* of these the one with the shortest measured time; 0: nothing was lost */
    struct hs_compare_regret chosen_regret, fastest_regret; /* NaN where none is kept */
};

/* Runs the rule, with the chunk counts of the points, on `system` (NULL: `missing` says so). The
 * points are scored. HS_MEMORY. */
enum hs_status hs_compare_rule(struct hs_compare_rule *out, const struct hs_compare_point *points,
                               size_t count, const struct hs_search_request *request,
                               struct hs_error *err);

/* Whether steps of the rule lead from a split to a larger one: one more layer, or the last layer
 * grows; widened: any layer grows. */
bool hs_compare_reaches(const struct hs_split *small, const struct hs_split *large, bool widen);

/* What the rule's steps reach, among the measured plans of the larger case. */
struct hs_compare_reach {
    size_t reached;                  /* plans */
    size_t fastest;                  /* of these, a point; 0: nothing was lost */
    bool in_noise;                   /* it ties the winner */
    struct hs_compare_regret regret; /* of it; NaN where none is reached */
};

/* The rule on measured times alone: from a smaller number of processes to a larger one. */
struct hs_compare_growth {
    size_t small, large; /* cases */
    int64_t small_np, large_np;
    enum hs_growth growth; /* how the measured winner follows from the smaller one */
    bool contains;         /* steps of the rule lead from the smaller winner to the larger */
    size_t kept;           /* smaller plans that are extended: the best `keep`, or all there are */
    struct hs_compare_reach alone; /* from the smaller winner alone */
    struct hs_compare_reach wide;  /* from all that are kept */
};

/* ---- result files ---- */

struct hs_compare_job {
    const struct hs_named_result *inputs; /* [input_count] */
    size_t input_count;
    const struct hs_system *system;       /* predicts in place of the files; NULL: the files do */
    const struct hs_call_list *calls;     /* of logs; NULL: none */
    const struct hs_system *calls_system; /* that they were made for; NULL: none */
    uint64_t message_bytes;               /* 0: every size */
    size_t keep;                          /* 0: HS_COMPARE_KEEP */
    bool widen;
};

/* One message size of one measured file against one prediction. */
struct hs_compare_case {
    const struct hs_named_result *measured;
    const struct hs_named_result *predicted; /* may be the same; NULL: the job's system */
    const struct hs_result_message *message; /* measured */
    const struct hs_system *system;          /* of the prediction; NULL: unknown */
    int64_t np;
    struct hs_compare_point *points; /* [count] owned, fastest first */
    size_t count;
    size_t unpredicted; /* measured plans without a prediction: left out */
    size_t faulty;      /* plans whose measurement failed: left out */
    struct hs_compare_score score;
    struct hs_compare_rule rule;
};

/* A call of a log. */
struct hs_compare_log {
    const char *file;
    enum hs_library_call call;
    int64_t np, nodes;      /* nodes 0: not known */
    uint64_t message_bytes; /* as nccl-tests counts */
    bool in_place;
    double seconds; /* measured */
    /* The price of this call on the job's calls_system, with its 90 % range; NaN: it has none. */
    double predicted_seconds, low_seconds, high_seconds, error;
    /* The fastest measured plan for the same AllReduce among the inputs. */
    struct hs_plan plan;
    double plan_seconds, gain;              /* NaN: none; gain: seconds / plan_seconds */
    const struct hs_named_result *measured; /* NULL: none */
};

struct hs_compare_log_summary {
    size_t priced, inside;                /* calls with a price; within its range */
    double mean_error, mean_signed_error; /* of these; NaN: none */
    size_t worst;                         /* of these; HS_COMPARE_NONE: none */
    size_t met, won;  /* calls that meet a measured plan; where that is faster */
    double mean_gain; /* geometric; NaN: none */
};

/* An input that is in no case, and why. */
struct hs_compare_unused {
    const struct hs_named_result *input;
    char why[256];
};

/* What pruning by the containment rule costs, over the cases in which it ran. */
struct hs_compare_rules {
    size_t cases;
    size_t lost;      /* ... in which by the model it lost the optimum */
    size_t loss_case; /* where it lost most; HS_COMPARE_NONE: nowhere */
    size_t choices;   /* it ran where there are 2 measured plans or more */
    size_t winner;    /* ... and keeps the measured winner */
    size_t measured;  /* ... and keeps a measured plan at all: the regrets are of these */
    double mean_regret;
    size_t regret_case; /* HS_COMPARE_NONE: none */
};

/* All cases together. Shares: of cases where the question makes sense. */
struct hs_compare_summary {
    size_t plans;
    double mean_error; /* of |error|, each plan once */
    size_t worst_case; /* has the largest |error| */
    double mean_tau;   /* NaN: no case has one */
    size_t tau_cases;  /* cases with a tau */
    size_t choices;    /* cases with 2 plans or more */
    size_t found, found_in_noise;
    size_t top_choices; /* cases with more than HS_COMPARE_TOP plans */
    size_t top, top_in_noise;
    double mean_regret; /* over `choices`; NaN: none */
    size_t regret_case; /* has the largest regret; HS_COMPARE_NONE: no choices */
    struct hs_compare_rules rule;
    size_t contained; /* growths whose winner contains the smaller one */
};

struct hs_comparison {
    struct hs_compare_case *cases; /* [case_count] owned; at least one, or one of logs */
    size_t case_count;
    struct hs_compare_growth *growths; /* [growth_count] owned */
    size_t growth_count;
    struct hs_compare_log *logs; /* [log_count] owned, in the order of the calls */
    size_t log_count;
    struct hs_compare_log_summary log_summary;
    struct hs_compare_unused *unused; /* [unused_count] owned */
    size_t unused_count;
    size_t keep; /* as used */
    bool widen;
    struct hs_compare_summary summary;
};

/*
 * A case is a message size with a measured candidate (status ok, time above 0). Its predictions
 * come from the job's system; else from every input that only predicts that size, for the same
 * number of processes and the same machine (or any, where the measured file names none); else from
 * its own file. A plan that the source does not list is priced by the model on the source's
 * machine.
 *
 * Growths join each case to the one with the largest smaller process count that divides its own,
 * with the same size, type, operation, backend and machine. They come by size, then by count.
 *
 * HS_INVALID, with the file and the reason: the same file twice, nothing measured, nothing in
 * common; where there are logs, that nothing is there to compare them with. HS_MEMORY. *out is then
 * {0}; release it in any case. Points into the job.
 */
enum hs_status hs_compare_results(struct hs_comparison *out, const struct hs_compare_job *job,
                                  struct hs_error *err);
void hs_comparison_release(struct hs_comparison *comparison);

/* Appends the JSON of docs/comparison.schema.json. `predictor` names the job's system, `command`
 * the command line. HS_MEMORY. */
enum hs_status hs_comparison_print(struct hs_text *out, const struct hs_comparison *comparison,
                                   const char *predictor, const char *command,
                                   struct hs_error *err);
/* Appends that schema. HS_MEMORY. */
enum hs_status hs_comparison_print_schema(struct hs_text *out, struct hs_error *err);

#endif
