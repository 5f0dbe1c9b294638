/* Why a plan takes as long as it does, and where the winner changes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "library/price_plan.h"
#include "show/predict.h"
#include "show/reach.h"
#include "show/stages.h"
#include "show/winners.h"

#define SAME 1e-12 /* relative: rounding */

/* Which of the scopes are there, and what is extrapolated. */
static void say_fits(const struct hs_predict *predict, const struct hs_plan *plan,
                     const struct hs_plan_cost *cost)
{
    static const char *const meanings[] = {
#define HS_ROW(name, text, meaning) meaning,
        HS_FIT_SCOPES(HS_ROW)
#undef HS_ROW
    };
    struct hs_gaps gaps = {0};
    const char *separator = "priced by: ";

    if (!hs_predict_is_calibrated(predict))
        return;
    for (size_t s = HS_FIT_SCOPE_COUNT; s-- > 0;) {
        bool there = false;

        for (int i = 0; i < cost->count; i++)
            there = there || cost->stages[i].fit_scope == s;
        if (!there)
            continue;
        hs_sheet_say(predict->sheet, "%s%s: %s", separator, hs_fit_scope_names[s], meanings[s]);
        separator = "; ";
    }
    hs_sheet_say(predict->sheet, "\n");
    hs_gaps_add(&gaps, predict->asked.system, plan, cost);
    hs_predict_legend(predict, &gaps, true,
                      hs_split_product(&plan->split) > hs_system_capacity(predict->asked.system));
}

static void show_layers(const struct hs_predict *predict, const struct hs_plan *plan,
                        const struct hs_plan_cost *cost)
{
    struct hs_table table;
    bool misaligned = false;

    for (int i = 0; i < cost->count; i++)
        misaligned = misaligned || cost->stages[i].misaligned;
    hs_stages_table(&table, predict->asked.system, cost, false);
    hs_sheet_table(predict->sheet, &table);
    hs_sheet_say(predict->sheet, "rings: that share a link; share: of all layers; the percentages "
                                 "behind it: of the layer\n");
    if (misaligned)
        hs_sheet_say(predict->sheet, "~ misaligned: its rings have hops on inner levels, too\n");
    say_fits(predict, plan, cost);
}

/* Whether either of two plans may be the faster one, as far as a calibration knows. */
static bool within_intervals(const struct hs_predict *predict, const struct hs_plan_cost *a,
                             const struct hs_plan_cost *b)
{
    return hs_predict_is_calibrated(predict) &&
           !(fabs(a->seconds - b->seconds) > a->ci95_seconds + b->ci95_seconds);
}

/* Margin to the best or to the runner-up. */
static void say_margin(const struct hs_predict *predict, const struct hs_predict_point *point,
                       const struct hs_plan *plan, const struct hs_plan_cost *cost)
{
    const struct hs_estimated *best = &point->plans[0];
    const struct hs_estimated *second = point->count > 1 ? best + 1 : NULL;
    bool is_best = hs_plan_compare(plan, &best->plan) == 0;
    const struct hs_estimated *other = is_best && second ? second : best;
    double seconds = cost->seconds;
    struct hs_plan_cost others;

    if (!is_best)
        hs_sheet_say(predict->sheet, "best       %s takes %s: this plan takes %s as long\n",
                     HS_AS_PLAN(&best->plan), HS_AS_TIME(best->estimate.seconds),
                     HS_AS_RATIO(seconds, best->estimate.seconds));
    else if (second && fabs(second->estimate.seconds - seconds) <= SAME * seconds)
        hs_sheet_say(predict->sheet, "runner-up  %s takes exactly as long\n",
                     HS_AS_PLAN(&second->plan));
    else if (second)
        hs_sheet_say(predict->sheet, "runner-up  %s takes %s: %.2g %% longer\n",
                     HS_AS_PLAN(&second->plan), HS_AS_TIME(second->estimate.seconds),
                     100 * (second->estimate.seconds / seconds - 1));
    else
        hs_sheet_say(predict->sheet, "runner-up  none: %s\n",
                     point->found.left_out[0] ? "no other was looked at" : "this is the only plan");
    if (hs_plan_is_default(&other->plan))
        return;
    others = hs_plan_cost(predict->asked.system, &point->request.problem, &other->plan);
    if (hs_plan_compare(plan, &other->plan) != 0 && within_intervals(predict, cost, &others))
        hs_sheet_say(predict->sheet,
                     "           within the intervals of the two: measure to be sure\n");
}

static void say_difference(const struct hs_predict *predict, const char *what, double flat,
                           double plan)
{
    if (flat > 0 || plan > 0)
        hs_sheet_say(predict->sheet, "%s %s (here %s)", what, HS_AS_TIME(flat), HS_AS_TIME(plan));
}

static void say_flat(const struct hs_predict *predict, const struct hs_predict_point *point,
                     const struct hs_explanation *why)
{
    const struct hs_plan_cost *flat = &why->flat, *cost = &why->cost;
    const struct hs_plan plan = hs_problem_flat(&point->request.problem);

    if (hs_plan_compare(&why->plan, &plan) == 0)
        return;
    hs_sheet_say(predict->sheet, "flat       %s takes %s: %s as long", HS_AS_PLAN(&plan),
                 HS_AS_TIME(flat->seconds), HS_AS_RATIO(flat->seconds, cost->seconds));
    say_difference(predict, "\n           latency", flat->latency_seconds, cost->latency_seconds);
    say_difference(predict, ", bandwidth", flat->bandwidth_seconds, cost->bandwidth_seconds);
    say_difference(predict, ", launch", flat->launch_seconds, cost->launch_seconds);
    hs_sheet_say(predict->sheet, "\n");
}

/* ---- where the winner changes ---- */

/* Many sizes and counts are searched by nominal times alone. */
static void say_heading(const struct hs_predict *predict, const struct hs_predict_point *point,
                        const char *heading)
{
    hs_sheet_say(predict->sheet, "\n");
    hs_sheet_stress(predict->sheet, "%s", heading);
    hs_sheet_say(predict->sheet, "%s\n", point->sampled ? ", by nominal times" : "");
}

static void show_sizes(const struct hs_predict *predict, const struct hs_predict_point *point,
                       const struct hs_explanation *why)
{
    struct hs_problem problem = point->request.problem;
    double last = why->last_bytes;
    struct hs_table table;
    struct hs_gaps gaps = {0};
    char here[HS_UNIT_TEXT + 4], heading[HS_UNIT_TEXT + 40];

    if (why->size_count == 0)
        return;
    snprintf(here, sizeof(here), "<- %s", HS_AS_BYTES(point->bytes));
    hs_winners_init(&table, HS_BY_REIGN);
    for (size_t i = 0; i < why->size_count; i++) {
        const struct hs_size_winner *winner = &why->sizes[i];
        bool is_here = winner->bytes <= (double)point->bytes &&
                       (double)point->bytes < (i + 1 < why->size_count        ? winner[1].bytes
                                               : last < HS_EXPLAIN_LAST_BYTES ? last
                                                                              : INFINITY);
        struct hs_winner row;

        problem.bytes = winner->bytes;
        row = hs_winner_of(&problem, &winner->plan, winner->seconds, winner->flat_seconds);
        if (hs_predict_cost(&gaps, predict, &problem, &winner->plan).extrapolated &&
            hs_predict_is_calibrated(predict))
            row.mark = " *";
        row.here = is_here ? here : NULL;
        hs_winners_add(&table, &row);
    }
    snprintf(heading, sizeof(heading), "Winner by message size, 1KiB to %s",
             HS_AS_BYTES((uint64_t)last));
    say_heading(predict, point, heading);
    hs_sheet_table(predict->sheet, &table);
    hs_predict_legend(predict, &gaps, false, false);
}

static void show_counts(const struct hs_predict *predict, const struct hs_predict_point *point,
                        const struct hs_explanation *why)
{
    struct hs_table table;
    struct hs_gaps gaps = {0};

    if (why->np_count == 0)
        return;
    hs_winners_init(&table, HS_BY_NEAR_COUNTS);
    for (size_t i = 0; i < why->np_count; i++) {
        const struct hs_np_winner *winner = &why->counts[i];
        struct hs_problem problem = point->request.problem;
        struct hs_winner row;
        char arrow[HS_FIGURE_TEXT];

        problem.group = hs_group_world(winner->np);
        row = hs_winner_of(&problem, &winner->plan, winner->seconds, winner->flat_seconds);
        snprintf(arrow, sizeof(arrow), "<- %" PRId64, winner->np);
        if (hs_predict_cost(&gaps, predict, &problem, &winner->plan).extrapolated)
            row.mark = " *";
        if (winner->growth != HS_GROWTH_FIRST)
            row.growth = hs_growth_names[winner->growth];
        if (winner->np == point->request.problem.group.size)
            row.here = arrow;
        hs_winners_add(&table, &row);
    }
    say_heading(predict, point, "Winner by process count, and how it follows from the one before");
    hs_sheet_table(predict->sheet, &table);
    hs_predict_legend(predict, &gaps, false,
                      why->counts[why->np_count - 1].np >
                          hs_system_capacity(predict->asked.system));
}

static void show_why(const struct hs_predict *predict, const struct hs_predict_point *point,
                     const struct hs_explanation *why)
{
    const struct hs_plan *plan = &why->plan;
    const struct hs_plan_cost *cost = &why->cost;
    double rate = hs_problem_bus_bandwidth(&point->request.problem, cost->seconds);

    hs_predict_title(predict, point);
    hs_sheet_say(predict->sheet, "%s takes %s", HS_AS_PLAN(plan), HS_AS_TIME(cost->seconds));
    if (hs_predict_is_calibrated(predict) && isfinite(cost->ci95_seconds))
        hs_sheet_say(predict->sheet, " +- %s (95 %%)", HS_AS_TIME(cost->ci95_seconds));
    hs_sheet_say(predict->sheet, ": busbw %s GB/s\n\n", HS_AS_GIGABYTES(rate));
    show_layers(predict, plan, cost);
    if (plan->chunks > 1)
        hs_sheet_say(
            predict->sheet, "%d chunks overlap on different levels: %s in all; %s set%s the pace\n",
            plan->chunks, HS_AS_TIME(cost->seconds),
            hs_pace_text((char[HS_PACE_TEXT]){0}, predict->asked.system, cost->pacing_level),
            cost->pacing_level < (int)predict->asked.system->level_count ? "s" : "");
    hs_sheet_say(predict->sheet, "\n");
    say_margin(predict, point, plan, cost);
    say_flat(predict, point, why);
    hs_reach_say(predict->sheet, "limit      ", predict->asked.system, &point->request.problem,
                 cost->seconds);
}

void hs_predict_explain(const struct hs_predict *predict, const struct hs_prediction *prediction)
{
    const struct hs_predict_point *point = &prediction->points[0];

    if (point->request.problem.group.size == 1) {
        hs_predict_title(predict, point);
        hs_sheet_say(predict->sheet, "one process: nothing travels, there is nothing to explain\n");
        return;
    }
    show_why(predict, point, prediction->why);
    show_sizes(predict, point, prediction->why);
    show_counts(predict, point, prediction->why);
}
