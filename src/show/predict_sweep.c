#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "library/limit.h"
#include "library/price_plan.h"
#include "show/candidates.h"
#include "show/nccl_tests.h"
#include "show/predict.h"
#include "show/winners.h"

/* Points in the order of the prediction: one line each; where both process counts and sizes vary,
 * people see matrices. With --kind lines are in the columns of another program. */
struct sweep {
    struct hs_table lines;
    bool over_np, over_bytes;
    bool extrapolated;       /* some process count was marked */
    bool sampled;            /* times and gains are expected ones */
    struct hs_gaps gaps;     /* of the plans shown */
    struct hs_plan previous; /* winner of the process count before; count 0: none, or no plan */
};

static void add_as(struct sweep *sweep, const struct hs_predict *predict,
                   const struct hs_predict_point *point)
{
    const struct hs_estimated *best = &point->plans[0];
    struct hs_nccl_tests_row row = {.system = predict->asked.system,
                                    .problem = point->request.problem,
                                    .datatype = predict->settings->ask.datatype,
                                    .plan = &best->plan,
                                    .seconds = best->estimate.seconds,
                                    .library = point->library,
                                    .gain = best->estimate.gain};

    if (hs_library_is_priced(&point->library)) {
        row.library.low_seconds = point->reference.low_seconds;
        row.library.high_seconds = point->reference.high_seconds;
    }
    hs_nccl_tests_add(&sweep->lines, &row);
    sweep->sampled = sweep->sampled || point->sampled;
    sweep->extrapolated = sweep->extrapolated || point->extrapolated;
}

/* Whether the library's default call is beyond what was measured. */
static bool add_call(struct hs_gaps *gaps, const struct hs_system *system,
                     const struct hs_problem *problem)
{
    struct hs_beyond beyond = hs_beyond_of(system, &problem->group, problem->bytes);

    hs_gaps_add_call(gaps, system, problem);
    return hs_beyond_any(&beyond);
}

/* In matrices a process count beyond the description marks its row, a calibration's gap its plan.
 */
static void add(struct sweep *sweep, const struct hs_predict *predict,
                const struct hs_predict_point *point)
{
    const struct hs_estimated *best = &point->plans[0];
    bool is_default = hs_plan_is_default(&best->plan);
    struct hs_plan_cost cost = {.ci95_seconds = NAN};
    bool both = sweep->over_np && sweep->over_bytes, beyond = false, marked;
    bool grows = sweep->over_np && !both && sweep->previous.split.count > 0 && !is_default;
    struct hs_limit limit = hs_limit_of(predict->asked.system, &point->request.problem);
    struct hs_winner winner = hs_winner_of(&point->request.problem, &best->plan,
                                           best->estimate.seconds, point->reference.seconds);

    if (!is_default)
        cost = hs_predict_cost(&sweep->gaps, predict, &point->request.problem, &best->plan);
    else
        beyond = add_call(&sweep->gaps, predict->asked.system, &point->request.problem);
    marked = is_default ? (point->extrapolated || beyond) && !both
                        : cost.extrapolated && (!both || hs_predict_is_calibrated(predict));
    winner.low_seconds = best->estimate.low_seconds;
    winner.high_seconds = best->estimate.high_seconds;
    winner.choice = hs_library_is_priced(&point->library) ? point->library.choice : NULL;
    winner.gain = point->verdict.gain;
    winner.gain_low = point->verdict.gain_low;
    winner.gain_high = point->verdict.gain_high;
    winner.advice = hs_advice_names[point->verdict.advice];
    winner.over_default = hs_library_is_priced(&point->library);
    winner.mark = marked ? " *" : NULL;
    winner.reached = hs_limit_reached(&limit, best->estimate.seconds);
    if (point->count > 1) {
        winner.second = &best[1].plan;
        winner.second_seconds = best[1].estimate.seconds;
    }
    if (point->exact_seconds > 0)
        winner.regret = point->found.plans[0].seconds / point->exact_seconds - 1;
    if (grows)
        winner.growth = hs_growth_names[hs_growth_of(&sweep->previous.split, &best->plan.split)];
    hs_winners_add(&sweep->lines, &winner);
    sweep->sampled = sweep->sampled || point->sampled;
    sweep->extrapolated = sweep->extrapolated || point->extrapolated;
    sweep->previous = is_default ? (struct hs_plan){.chunks = 0} : best->plan;
}

static void say_samples(const struct sweep *sweep, const struct hs_predict *predict)
{
    hs_sheet_say(predict->sheet, "\n");
    if (sweep->sampled)
        hs_sheet_line(
            predict->sheet, "Times are expected over %zu simulated samples of what is uncertain.%s",
            predict->asked.machines->count,
            predict->settings->details ? " Bound: what the links allow; lead: over the runner-up."
                                       : "");
}

static void print_as(struct sweep *sweep, const struct hs_predict *predict)
{
    enum hs_library library = hs_system_library(predict->asked.system);

    hs_sheet_say(predict->sheet,
                 "%s: %s of %" PRIu64 " process%s%s in the columns of nccl-tests%s%s\n\n",
                 predict->asked.label, hs_collectives[predict->settings->ask.collective].written,
                 predict->settings->ask.np.first, predict->settings->ask.np.first == 1 ? "" : "es",
                 hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &predict->settings->ask.mesh),
                 library ? "; by itself: " : "", library ? hs_library_written(library) : "");
    hs_nccl_tests_print(predict->sheet, &sweep->lines);
    say_samples(sweep, predict);
    hs_predict_legend(predict, &sweep->gaps, false, sweep->extrapolated);
}

static void print_winners(struct sweep *sweep, const struct hs_predict *predict)
{
    const struct hs_predict_settings *settings = predict->settings;
    bool both = sweep->over_np && sweep->over_bytes;
    struct hs_problem asked = hs_problem_of(settings->ask.collective, settings->ask.layout, 1, 1);
    char call[HS_PROBLEM_TEXT];

    snprintf(call, sizeof(call), "%s%s", hs_collectives[asked.collective].written,
             hs_layout_aside(asked.collective, asked.layout));
    if (both)
        hs_sheet_say(predict->sheet, "%s: %s, process count by message size (predicted)\n",
                     predict->asked.label, call);
    else if (sweep->over_np)
        hs_sheet_line(predict->sheet, "%s: %s of %s per process, by process count (predicted)\n",
                      predict->asked.label, call, HS_AS_BYTES(settings->ask.bytes.first));
    else
        hs_sheet_line(predict->sheet,
                      "%s: %s of %" PRIu64 " processes%s%s, by size per process (predicted)\n",
                      predict->asked.label, call, settings->ask.np.first,
                      hs_system_nodes_text((char[HS_NODES_TEXT]){0}, predict->asked.system,
                                           (int64_t)settings->ask.np.first),
                      hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &settings->ask.mesh));
    if (both)
        hs_winners_matrices(predict->sheet, &sweep->lines, hs_question_sizes(&settings->ask),
                            hs_system_capacity(predict->asked.system));
    else
        hs_sheet_table(predict->sheet, &sweep->lines);
    say_samples(sweep, predict);
    hs_predict_legend(predict, &sweep->gaps, !both, sweep->extrapolated);
}

void hs_predict_sweep(const struct hs_predict *predict, const struct hs_prediction *prediction)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct sweep sweep = {.over_np = settings->ask.np.first != settings->ask.np.last,
                          .over_bytes = settings->ask.bytes.first != settings->ask.bytes.last};

    if (settings->style)
        hs_nccl_tests_init(&sweep.lines);
    else
        hs_winners_init(&sweep.lines, settings->details
                                          ? sweep.over_np ? HS_COUNT_DETAILS : HS_SIZE_DETAILS
                                      : sweep.over_np ? HS_BY_COUNT
                                                      : HS_BY_SIZE);
    for (size_t i = 0; i < prediction->count; i++)
        (settings->style ? add_as : add)(&sweep, predict, &prediction->points[i]);
    (settings->style ? print_as : print_winners)(&sweep, predict);
}
