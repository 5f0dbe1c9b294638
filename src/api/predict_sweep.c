#include <inttypes.h>
#include <math.h>

#include "api/predict.h"
#include "model/limit.h"
#include "search/winners.h"
#include "view/candidates.h"
#include "view/nccl_tests.h"
#include "view/winners.h"

bool hs_predict_is_swept(const struct hs_predict_sweep *sweep, const struct hs_predict *predict)
{
    return sweep->over_np || sweep->over_bytes || predict->settings->as;
}

void hs_predict_sweep_init(struct hs_predict_sweep *sweep, const struct hs_predict *predict)
{
    *sweep = (struct hs_predict_sweep){
        .over_np = predict->settings->ask.np.first != predict->settings->ask.np.last,
        .over_bytes = predict->settings->ask.bytes.first != predict->settings->ask.bytes.last};
    if (predict->settings->as)
        hs_nccl_tests_init(&sweep->lines);
    else
        hs_winners_init(&sweep->lines, sweep->over_np ? HS_BY_COUNT : HS_BY_SIZE);
}

static enum hs_status add_as(struct hs_predict_sweep *sweep, const struct hs_predict *predict,
                             const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    struct hs_nccl_tests_row row = {.system = predict->asked.system,
                                    .problem = point->request.problem,
                                    .datatype = predict->settings->ask.datatype,
                                    .plan = &best->plan,
                                    .seconds = best->seconds};

    if (hs_point_library(&row.library, &predict->asked, point, err))
        return HS_MEMORY;
    hs_nccl_tests_add(&sweep->lines, &row);
    sweep->drawn = sweep->drawn || hs_library_is_priced(&row.library);
    sweep->surpassed = sweep->surpassed || hs_predict_is_surpassed(point);
    sweep->extrapolated = sweep->extrapolated || point->extrapolated;
    return HS_OK;
}

/* In matrices a process count beyond the description marks its row, a calibration's gap its plan.
 */
enum hs_status hs_predict_sweep_add(struct hs_predict_sweep *sweep,
                                    const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    struct hs_plan_cost cost =
        hs_predict_cost(&sweep->gaps, predict, &point->request.problem, &best->plan);
    bool both = sweep->over_np && sweep->over_bytes;
    bool marked = cost.extrapolated && (!both || hs_predict_is_calibrated(predict));
    bool grows = sweep->over_np && !both && sweep->previous.split.count > 0;
    struct hs_limit limit = hs_limit_of(predict->asked.system, &point->request.problem);
    struct hs_winner winner = hs_winner_of(&point->request.problem, &best->plan, best->seconds,
                                           point->found.flat_seconds);

    if (predict->settings->as)
        return add_as(sweep, predict, point, err);
    winner.drawn = isfinite(point->gain.median) ? &point->gain : NULL;
    sweep->drawn = sweep->drawn || winner.drawn;
    winner.native = hs_system_is_nccl_native(predict->asked.system);
    winner.mark = marked ? " *" : NULL;
    winner.spread = hs_cost_spread(predict->asked.system, &cost);
    winner.reached = hs_limit_reached(&limit, best->seconds);
    winner.second = point->found.count > 1 ? best + 1 : NULL;
    sweep->surpassed = sweep->surpassed || hs_predict_is_surpassed(point);
    if (point->exact_seconds > 0)
        winner.regret = best->seconds / point->exact_seconds - 1;
    if (grows)
        winner.growth = hs_growth_names[hs_growth_of(&sweep->previous.split, &best->plan.split)];
    hs_winners_add(&sweep->lines, &winner);
    sweep->extrapolated = sweep->extrapolated || point->extrapolated;
    sweep->previous = best->plan;
    return HS_OK;
}

/* What is said over the machines drawn, and what is not. */
static void say_drawn(const struct hs_predict_sweep *sweep, const struct hs_predict *predict,
                      const char *gain, const char *where)
{
    if (!sweep->drawn && !sweep->surpassed)
        return;
    hs_sheet_say(predict->sheet, "\n");
    if (sweep->drawn)
        hs_sheet_say(predict->sheet,
                     "%s: in the median of %zu machines that fit the %s; times are by the figures "
                     "as they stand\n",
                     gain, predict->asked.machines->count,
                     hs_predict_is_calibrated(predict) ? "points" : "description");
    if (sweep->surpassed)
        hs_sheet_say(predict->sheet,
                     "best plan: loses least over such machines, or as much with fewer layers; by "
                     "the figures as they stand another one is faster %s\n",
                     where);
}

static void print_as(struct hs_predict_sweep *sweep, const struct hs_predict *predict)
{
    enum hs_library library = hs_system_library(predict->asked.system);

    hs_sheet_say(predict->sheet,
                 "%s: %s of %" PRIu64 " process%s%s in the columns of nccl-tests%s%s\n\n",
                 predict->asked.label, hs_collectives[predict->settings->ask.collective].written,
                 predict->settings->ask.np.first, predict->settings->ask.np.first == 1 ? "" : "es",
                 hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &predict->settings->ask.mesh),
                 library ? "; by itself: " : "", library ? hs_library_written(library) : "");
    hs_nccl_tests_print(predict->sheet, &sweep->lines);
    say_drawn(sweep, predict, "gain", "in some rows");
    hs_predict_legend(predict, &sweep->gaps, false, sweep->extrapolated);
}

void hs_predict_sweep_print(struct hs_predict_sweep *sweep, const struct hs_predict *predict)
{
    const struct hs_predict_settings *settings = predict->settings;
    bool both = sweep->over_np && sweep->over_bytes;
    struct hs_problem asked = hs_problem_of(settings->ask.collective, settings->ask.order, 1, 1);
    char aside[HS_PROBLEM_TEXT];

    hs_problem_aside(aside, &asked);
    if (settings->as) {
        print_as(sweep, predict);
        return;
    }
    if (both)
        hs_sheet_say(predict->sheet, "%s: process count by message size%s\n", predict->asked.label,
                     aside);
    else if (sweep->over_np)
        hs_sheet_say(predict->sheet, "%s: %s per process%s\n\n", predict->asked.label,
                     HS_AS_BYTES(settings->ask.bytes.first), aside);
    else
        hs_sheet_say(predict->sheet, "%s: %" PRIu64 " processes%s%s\n\n", predict->asked.label,
                     settings->ask.np.first,
                     hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &settings->ask.mesh), aside);
    if (both)
        hs_winners_matrices(predict->sheet, &sweep->lines, hs_question_sizes(&settings->ask),
                            hs_system_capacity(predict->asked.system));
    else
        hs_sheet_table(predict->sheet, &sweep->lines);
    say_drawn(sweep, predict,
              hs_system_is_nccl_native(predict->asked.system) ? "faster than NCCL"
                                                              : "faster than flat",
              both ? "in some rows" : "where the margin is below 0");
    if (sweep->extrapolated || hs_predict_is_calibrated(predict))
        hs_sheet_say(predict->sheet, "\n");
    hs_predict_legend(predict, &sweep->gaps, !both, sweep->extrapolated);
}
