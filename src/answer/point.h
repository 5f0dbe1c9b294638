/*
 * point.h - one process count and one message size, answered: the plans of least expected time with
 * their ranges, the library's default call beside them, and the verdict; and all sizes of one
 * process count, as a result file.
 */
#ifndef HS_ANSWER_POINT_H
#define HS_ANSWER_POINT_H

#include "answer/question.h"
#include "base/text.h"
#include "library/price_library.h"
#include "record/result.h"
#include "search/expected.h"

struct hs_predict_point {
    struct hs_search_request request;
    uint64_t bytes;
    struct hs_search_result found; /* owned; by nominal times: how the search went */
    bool extrapolated;
    struct hs_plan exact_plan; /* containment: the best plan of the exact search, and its time */
    double exact_seconds;      /* 0: not containment */
    struct hs_library_price library;
    bool sampled; /* else times are nominal, and ranges NaN */
    struct hs_expected expected;
    /* Best first, owned, the default call among them where it has a price. The first is the
     * verdict's plan. At least two plans but the default where two exist, whatever --top says. */
    struct hs_estimated *plans;
    size_t count;
    /* Owned: faster than the first by so little that its fewer layers, or the default, are kept. */
    struct hs_plan *ties;
    size_t tie_count;
    struct hs_estimate reference; /* of the default call, else of the flat plan */
    struct hs_verdict verdict;
};

/* Of what is asked, as a search's `watcher` and `progress`: tells who watches, and says whether
 * --budget leaves time for more. */
struct hs_point_watcher {
    const struct hs_asked *asked;
    const struct hs_problem *problem;
};
bool hs_point_goes_on(void *of_watcher, uint64_t done, uint64_t all);

/* HS_INVALID, HS_MEMORY as hs_search. */
enum hs_status hs_point_search(struct hs_predict_point *point, const struct hs_asked *asked,
                               int64_t np, uint64_t bytes, struct hs_error *err);
/* The same of a problem of the asked collective and order, whatever mesh is asked: its group and
 * its bytes, which are rounded. */
enum hs_status hs_point_search_problem(struct hs_predict_point *point, const struct hs_asked *asked,
                                       const struct hs_problem *problem, struct hs_error *err);
void hs_predict_point_release(struct hs_predict_point *point);

/* The best plan that is not the default call. */
const struct hs_estimated *hs_point_best_plan(const struct hs_predict_point *point);
/* A plan's estimate by the point's criterion. HS_MEMORY. */
enum hs_status hs_point_estimate(struct hs_estimate *out, const struct hs_predict_point *point,
                                 const struct hs_plan *plan, struct hs_error *err);
/* Plans that --top asks for and that exist, and the default call where it stands before them. */
size_t hs_point_shown(const struct hs_asked *asked, const struct hs_predict_point *point);
/* Ranks of the machine that a group lies among. */
int64_t hs_point_ranks_among(const struct hs_problem *problem);

/* answer.c: the rest of the answer: evidence, ties, bound, hints, assumptions, what decides, what
 * to measure next. Owned by the caller. HS_MEMORY. */
enum hs_status hs_point_answer(struct hs_answer **out, const struct hs_asked *asked,
                               const struct hs_predict_point *point, struct hs_error *err);
/* How far what is known of the machine carries: whether a gain may rest on it. */
bool hs_point_rests_on_guess(const struct hs_asked *asked, const struct hs_predict_point *point);

/* ---- predicted.c: as a result file ---- */

/* The result of one process count, without messages; released in any case. HS_MEMORY. */
enum hs_status hs_predicted_init(struct hs_result *result, const char *command,
                                 const struct hs_system *system, int64_t np, struct hs_error *err);

/* A walk over process counts and sizes. */
struct hs_walk {
    const struct hs_asked *asked;
    const char *command;           /* line, for results */
    struct hs_text *notes;         /* what was cut short; NULL: nobody reads them */
    bool keeps;                    /* points, else they are released behind their message */
    struct hs_predict_point *kept; /* [points] owned by the caller */
    size_t points;                 /* searched */
    bool ended;                    /* the budget, before all of them were */
};
/* All sizes of one process count; the result is released by the caller in any case. HS_INVALID,
 * HS_MEMORY. */
enum hs_status hs_walk_sizes(struct hs_result *result, struct hs_walk *walk, int64_t np,
                             struct hs_error *err);

#endif
