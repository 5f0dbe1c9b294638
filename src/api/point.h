/*
 * point.h - one process count and one message size, searched: the plans, the one of them that loses
 * least over machines that fit the description, and the library's own call; and all sizes of one
 * process count, as a result file.
 */
#ifndef HS_API_POINT_H
#define HS_API_POINT_H

#include "api/question.h"
#include "base/text.h"
#include "model/price_library.h"
#include "result/result.h"
#include "search/regret.h"

/* `found` is owned; its plans are at least two where two exist, so that there is a runner-up,
 * whatever --top says. */
struct hs_predict_point {
    struct hs_search_request request;
    uint64_t bytes;
    struct hs_search_result found;
    bool extrapolated;
    struct hs_plan exact_plan; /* containment: the best plan of the exact search, and its time */
    double exact_seconds;      /* 0: not containment */
    /* Where machines were drawn: the first of `found` is the plan of least regret, `guess` the one
     * of least time by the figures as they stand, and the table is owned. */
    bool sure;
    struct hs_search_plan guess; /* always the fastest of those found */
    struct hs_regret regret, guess_regret;
    struct hs_gain gain; /* of the first of `found` over the flat split; unknown where not sure */
    struct hs_regret_table table;
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
void hs_predict_point_release(struct hs_predict_point *point);

/* How a plan does on the machines drawn; where it is NCCL's own call, with a range that holds the
 * price's own, as one call has one range. HS_MEMORY. */
enum hs_status hs_point_regret(struct hs_regret *out, const struct hs_asked *asked,
                               const struct hs_predict_point *point, const struct hs_plan *plan,
                               struct hs_error *err);
/* What the system's library takes by itself, with the best plan's gain over it and the advice where
 * it has a price. HS_MEMORY. */
enum hs_status hs_point_library(struct hs_library_price *own, const struct hs_asked *asked,
                                const struct hs_predict_point *point, struct hs_error *err);
/* Whether another plan is the fastest by the figures as they stand than the one shown first. */
bool hs_predict_is_surpassed(const struct hs_predict_point *point);
/* Plans that --top asks for and that exist. */
size_t hs_point_shown(const struct hs_asked *asked, const struct hs_predict_point *point);
/* Ranks of the machine that a group lies among. */
int64_t hs_point_ranks_among(const struct hs_problem *problem);

/* ---- predicted.c: as a result file ---- */

/* The result of one process count, without messages; released in any case. HS_MEMORY. */
enum hs_status hs_predicted_init(struct hs_result *result, const char *command,
                                 const struct hs_system *system, int64_t np, struct hs_error *err);

/* A walk over process counts and sizes. */
struct hs_walk {
    const struct hs_asked *asked;
    const char *command;   /* line, for results */
    struct hs_text *notes; /* what was cut short; NULL: nobody reads them */
    bool wants_results;
    /* Called with each point, the result (where it is wanted) with it as its last message; NULL:
     * nobody. */
    enum hs_status (*visit)(void *visitor, struct hs_predict_point *point,
                            const struct hs_result *result, struct hs_error *err);
    void *visitor;
    size_t points; /* searched */
    bool ended;    /* the budget, before all of them were */
};
/* All sizes of one process count; the result, without messages where none is wanted, is released by
 * the caller in any case. HS_INVALID, HS_MEMORY. */
enum hs_status hs_walk_sizes(struct hs_result *result, struct hs_walk *walk, int64_t np,
                             struct hs_error *err);

#endif
