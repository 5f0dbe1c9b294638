#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/predict.h"
#include "base/notes.h"
#include "library/price_plan.h"
#include "search/winners.h"
#include "show/reach.h"
#include "show/stages.h"
#include "show/winners.h"

#define SIZE_FIRST 1024.0                      /* 1 KiB */
#define SIZE_LAST  (16.0 * 1024 * 1024 * 1024) /* 16 GiB */
#define NP_FACTOR  16                          /* process counts np / 16 .. np * 16 */
#define SAME       1e-12                       /* relative: rounding */
#define NP_COUNTS  9                           /* 2 * log2(NP_FACTOR) + 1 */

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
    bool straddles = false;

    for (int i = 0; i < cost->count; i++)
        straddles = straddles || cost->stages[i].straddles;
    hs_stages_table(&table, predict->asked.system, cost, false);
    hs_sheet_table(predict->sheet, &table);
    hs_sheet_say(predict->sheet, "rings: that share a link; share: of all layers; the percentages "
                                 "behind it: of the layer\n");
    if (straddles)
        hs_sheet_say(predict->sheet, "~ straddles: its rings have hops on inner levels, too\n");
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

/* Its parts, so that they add up to the estimate. */
static enum hs_status expected_cost(struct hs_plan_cost *cost, const struct hs_predict *predict,
                                    const struct hs_predict_point *point,
                                    const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_estimate estimate;

    if (hs_point_estimate(&estimate, point, plan, err))
        return HS_MEMORY;
    *cost = hs_plan_cost(predict->asked.system, &point->request.problem, plan);
    hs_plan_cost_scale(cost, estimate.seconds / cost->seconds);
    return HS_OK;
}

static void say_difference(const struct hs_predict *predict, const char *what, double flat,
                           double plan)
{
    if (flat > 0 || plan > 0)
        hs_sheet_say(predict->sheet, "%s %s (here %s)", what, HS_AS_TIME(flat), HS_AS_TIME(plan));
}

static enum hs_status say_flat(const struct hs_predict *predict,
                               const struct hs_predict_point *point, const struct hs_plan *plan,
                               const struct hs_plan_cost *cost, struct hs_error *err)
{
    struct hs_plan flat_plan = hs_problem_flat(&point->request.problem);
    struct hs_plan_cost flat;

    if (hs_plan_compare(plan, &flat_plan) == 0)
        return HS_OK;
    if (expected_cost(&flat, predict, point, &flat_plan, err))
        return HS_MEMORY;
    hs_sheet_say(predict->sheet, "flat       %s takes %s: %s as long", HS_AS_PLAN(&flat_plan),
                 HS_AS_TIME(flat.seconds), HS_AS_RATIO(flat.seconds, cost->seconds));
    say_difference(predict, "\n           latency", flat.latency_seconds, cost->latency_seconds);
    say_difference(predict, ", bandwidth", flat.bandwidth_seconds, cost->bandwidth_seconds);
    say_difference(predict, ", launch", flat.launch_seconds, cost->launch_seconds);
    hs_sheet_say(predict->sheet, "\n");
    return HS_OK;
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

static enum hs_status show_sizes(const struct hs_predict *predict,
                                 const struct hs_predict_point *point,
                                 const struct hs_search_request *request, struct hs_error *err)
{
    struct hs_problem problem = point->request.problem;
    double last = SIZE_LAST;
    struct hs_size_winner *winners = NULL;
    struct hs_table table;
    struct hs_gaps gaps = {0};
    size_t count = 0;
    char here[HS_UNIT_TEXT + 4], heading[HS_UNIT_TEXT + 40];
    enum hs_status status = hs_size_winners(&winners, &count, request, SIZE_FIRST, &last, err);

    if (status != HS_OK)
        return status;
    if (last < SIZE_LAST)
        hs_say_warning(predict->notes, "--budget: not looked at: winners by message size%s%s",
                       count > 0 ? " above " : "", count > 0 ? HS_AS_BYTES((uint64_t)last) : "");
    if (count == 0)
        return HS_OK;
    snprintf(here, sizeof(here), "<- %s", HS_AS_BYTES(point->bytes));
    hs_winners_init(&table, HS_BY_REIGN);
    for (size_t i = 0; i < count; i++) {
        const struct hs_size_winner *winner = &winners[i];
        bool is_here = winner->bytes <= (double)point->bytes &&
                       (double)point->bytes < (i + 1 < count      ? winners[i + 1].bytes
                                               : last < SIZE_LAST ? last
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
    free(winners);
    snprintf(heading, sizeof(heading), "Winner by message size, 1KiB to %s",
             HS_AS_BYTES((uint64_t)last));
    say_heading(predict, point, heading);
    hs_sheet_table(predict->sheet, &table);
    hs_predict_legend(predict, &gaps, false, false);
    return HS_OK;
}

/* np / 16 .. np * 16 in powers of two, as far as they are whole, 2 or more, and allowed. */
static size_t neighbouring_counts(int64_t counts[NP_COUNTS], int64_t np)
{
    int64_t first = np, last = np;
    size_t count = 0;

    while (first % 2 == 0 && first > 2 && np / first < NP_FACTOR)
        first /= 2;
    while (last <= HS_NP_MAX / 2 && last / np < NP_FACTOR)
        last *= 2;
    for (int64_t p = first; p <= last; p *= 2)
        counts[count++] = p;
    assert(count > 0 && count <= NP_COUNTS); /* np itself at least */
    return count;
}

static void add_count(struct hs_table *table, struct hs_gaps *gaps,
                      const struct hs_predict *predict, const struct hs_np_winner *winner,
                      const struct hs_problem *here)
{
    struct hs_problem problem = *here;
    struct hs_winner row;
    char arrow[HS_FIGURE_TEXT];

    problem.group = hs_group_world(winner->np);
    row = hs_winner_of(&problem, &winner->plan, winner->seconds, winner->flat_seconds);
    snprintf(arrow, sizeof(arrow), "<- %" PRId64, winner->np);
    if (hs_predict_cost(gaps, predict, &problem, &winner->plan).extrapolated)
        row.mark = " *";
    if (winner->growth != HS_GROWTH_FIRST)
        row.growth = hs_growth_names[winner->growth];
    if (winner->np == here->group.size)
        row.here = arrow;
    hs_winners_add(table, &row);
}

static enum hs_status show_counts(const struct hs_predict *predict,
                                  const struct hs_predict_point *point,
                                  const struct hs_search_request *request, struct hs_error *err)
{
    const struct hs_problem *here = &point->request.problem;
    struct hs_table table;
    struct hs_np_winner *winners = NULL;
    struct hs_gaps gaps = {0};
    int64_t counts[NP_COUNTS];
    size_t all = neighbouring_counts(counts, here->group.size), count = all;
    enum hs_status status = hs_np_winners(&winners, counts, &count, request, err);

    if (status != HS_OK)
        return status;
    if (count < all)
        hs_say_warning(predict->notes,
                       "--budget: not looked at: winners of %" PRId64 " to %" PRId64 " processes",
                       counts[count], counts[all - 1]);
    hs_winners_init(&table, HS_BY_NEAR_COUNTS);
    for (size_t i = 0; i < count; i++)
        add_count(&table, &gaps, predict, &winners[i], here);
    free(winners);
    if (count == 0)
        return HS_OK;
    say_heading(predict, point, "Winner by process count, and how it follows from the one before");
    hs_sheet_table(predict->sheet, &table);
    hs_predict_legend(predict, &gaps, false,
                      counts[count - 1] > hs_system_capacity(predict->asked.system));
    return HS_OK;
}

static enum hs_status show_why(const struct hs_predict *predict,
                               const struct hs_predict_point *point, const struct hs_plan *plan,
                               struct hs_error *err)
{
    struct hs_plan_cost cost;
    double rate;

    if (expected_cost(&cost, predict, point, plan, err))
        return HS_MEMORY;
    rate = hs_problem_bus_bandwidth(&point->request.problem, cost.seconds);
    hs_predict_title(predict, point);
    hs_sheet_say(predict->sheet, "%s takes %s", HS_AS_PLAN(plan), HS_AS_TIME(cost.seconds));
    if (hs_predict_is_calibrated(predict) && isfinite(cost.ci95_seconds))
        hs_sheet_say(predict->sheet, " +- %s (95 %%)", HS_AS_TIME(cost.ci95_seconds));
    hs_sheet_say(predict->sheet, ": busbw %s GB/s\n\n", HS_AS_GIGABYTES(rate));
    show_layers(predict, plan, &cost);
    if (plan->chunks > 1)
        hs_sheet_say(
            predict->sheet, "%d chunks overlap on different levels: %s in all; %s set%s the pace\n",
            plan->chunks, HS_AS_TIME(cost.seconds),
            hs_pace_text((char[HS_PACE_TEXT]){0}, predict->asked.system, cost.pacing_level),
            cost.pacing_level < (int)predict->asked.system->level_count ? "s" : "");
    hs_sheet_say(predict->sheet, "\n");
    say_margin(predict, point, plan, &cost);
    if (say_flat(predict, point, plan, &cost, err))
        return HS_MEMORY;
    hs_reach_say(predict->sheet, "limit      ", predict->asked.system, &point->request.problem,
                 cost.seconds);
    return HS_OK;
}

enum hs_status hs_predict_explain(const struct hs_predict *predict, struct hs_predict_point *point,
                                  struct hs_error *err)
{
    const char *text = predict->settings->explain;
    struct hs_plan plan = hs_point_best_plan(point)->plan;
    struct hs_point_watcher watcher = {&predict->asked, &point->request.problem};
    struct hs_search_request request = point->request;
    enum hs_status status = HS_OK;

    if (strcmp(text, "best") != 0)
        status = hs_plan_parse(&plan, text, point->request.problem.group.size, err);
    if (status == HS_OK)
        status = hs_problem_check(&point->request.problem, &plan, err);
    if (status != HS_OK)
        return status;
    if (point->request.problem.group.size == 1) {
        hs_predict_title(predict, point);
        hs_sheet_say(predict->sheet, "one process: nothing travels, there is nothing to explain\n");
        return HS_OK;
    }
    request.progress = hs_point_goes_on;
    request.watcher = &watcher;
    status = show_why(predict, point, &plan, err);
    if (status == HS_OK)
        status = show_sizes(predict, point, &request, err);
    if (status == HS_OK && predict->settings->ask.mesh.count == 0)
        status = show_counts(predict, point, &request, err);
    return status;
}
