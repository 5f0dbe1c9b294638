/* One case of a comparison. */
#include "cli/compare_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "console/figures.h"
#include "console/table.h"

#define WORST_ROWS 5

enum column { PLAN, MEASURED, HALF_WIDTH, PREDICTED, ERROR, RANK, PREDICTED_RANK, REMARK };

char *hs_compare_percent(char text[HS_COMPARE_FIGURE], double value, int decimals)
{
    double percent = 100 * value;

    if (fabs(percent) < 0.5 * pow(10, -decimals))
        percent = 0;
    snprintf(text, HS_COMPARE_FIGURE, "%.*f", decimals, percent);
    return text;
}

char *hs_compare_error(char text[HS_COMPARE_FIGURE], double error)
{
    double percent = 100 * error;

    snprintf(text, HS_COMPARE_FIGURE, "%+.1f", fabs(percent) < 0.05 ? 0 : percent);
    return text;
}

/* ---- the table of plans ---- */

static int descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a < b) - (a > b);
}

/* The smallest |error| that is among the worst; 0 where all are. */
static double worst_threshold(const struct hs_compare_case *one)
{
    double *errors, threshold;

    errors = one->count > WORST_ROWS ? malloc(one->count * sizeof(*errors)) : NULL;
    if (!errors)
        return 0;
    for (size_t i = 0; i < one->count; i++)
        errors[i] = fabs(one->points[i].error);
    qsort(errors, one->count, sizeof(*errors), descending);
    threshold = errors[WORST_ROWS - 1];
    free(errors);
    return threshold;
}

static void add_remark(struct hs_table *table, const struct hs_compare_case *one, size_t i)
{
    if (i == 0)
        hs_table_cell(table, REMARK, "fastest");
    else if (one->points[i].ties_best)
        hs_table_cell(table, REMARK, "within noise of the fastest");
    if (i == one->score.predicted_best)
        hs_table_cell(table, REMARK, "%spredicted fastest",
                      i == 0 || one->points[i].ties_best ? ", " : "");
}

static void add_row(struct hs_table *table, const struct hs_compare_case *one, size_t i,
                    const struct hs_time_unit *unit)
{
    const struct hs_compare_point *point = &one->points[i];
    double half_width = (point->high_seconds - point->low_seconds) / 2 / point->measured_seconds;
    char text[HS_SPLIT_TEXT], figure[HS_FIGURE_TEXT], percent[HS_COMPARE_FIGURE];

    hs_table_row(table);
    hs_table_cell(table, PLAN, "%s%s", hs_plan_format(text, &point->plan),
                  point->extrapolated ? " *" : "");
    hs_table_cell(table, MEASURED, "%s", hs_time_figure(figure, point->measured_seconds, unit));
    hs_table_cell(table, HALF_WIDTH, "%s",
                  isfinite(half_width) ? hs_compare_percent(percent, half_width, 1) : "-");
    hs_table_cell(table, PREDICTED, "%s", hs_time_figure(figure, point->predicted_seconds, unit));
    hs_table_cell(table, ERROR, "%s", hs_compare_error(percent, point->error));
    hs_table_cell(table, RANK, "%zu", i + 1);
    hs_table_cell(table, PREDICTED_RANK, "%zu", point->predicted_rank);
    add_remark(table, one, i);
}

static void show_plans(const struct hs_compare_view *view, const struct hs_compare_case *one,
                       enum hs_compare_rows rows)
{
    struct hs_time_unit unit = hs_time_unit_for(one->points[0].measured_seconds);
    double threshold = rows == HS_COMPARE_ALL_ROWS ? 0 : worst_threshold(one);
    const char *backend = one->measured->result->backend;
    struct hs_table table = {.column_count = 0};
    char headings[2][HS_FIGURE_TEXT];
    size_t shown = 0;

    snprintf(headings[0], sizeof(headings[0]), "%s %s",
             backend && strcmp(backend, "simgrid") == 0 ? "simulated" : "measured", unit.name);
    snprintf(headings[1], sizeof(headings[1]), "predicted %s", unit.name);
    hs_table_column(&table, "plan", false);
    hs_table_column(&table, headings[0], true);
    hs_table_column(&table, "+- %", true);
    hs_table_column(&table, headings[1], true);
    hs_table_column(&table, "error %", true);
    hs_table_column(&table, "rank", true);
    hs_table_column(&table, "predicted rank", true);
    hs_table_column(&table, "", false);
    for (size_t i = 0; i < one->count; i++)
        if (i == 0 || i == one->score.predicted_best || fabs(one->points[i].error) >= threshold) {
            add_row(&table, one, i, &unit);
            shown++;
        }
    hs_text_append(view->context->out, "\n");
    hs_table_print(view->context->out, &table, &view->context->terminal);
    hs_table_release(&table);
    if (shown < one->count)
        hs_text_append(view->context->out,
                       "%zu of %zu plans: both winners and the %d largest errors; --plans all "
                       "shows the rest\n",
                       shown, one->count, WORST_ROWS);
}

/* ---- the lines below ---- */

static const char *plan_at(char text[HS_SPLIT_TEXT], const struct hs_compare_case *one, size_t i)
{
    return hs_plan_format(text, &one->points[i].plan);
}

static void append_regret(struct hs_text *out, const struct hs_compare_regret *regret)
{
    char value[HS_COMPARE_FIGURE], low[HS_COMPARE_FIGURE], high[HS_COMPARE_FIGURE];

    hs_text_append(out, "%s %%", hs_compare_percent(value, regret->value, 2));
    if (isfinite(regret->low) && isfinite(regret->high))
        hs_text_append(out, " (%s to %s)", hs_compare_percent(low, regret->low, 2),
                       hs_compare_percent(high, regret->high, 2));
}

static void append_errors(struct hs_text *out, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;
    char mean[HS_COMPARE_FIGURE], worst[HS_COMPARE_FIGURE], bias[HS_COMPARE_FIGURE],
        plan[HS_SPLIT_TEXT];

    hs_text_append(out, "error      mean %s %%, worst %s %% (%s), bias %s %%\n",
                   hs_compare_percent(mean, score->mean_error, 1),
                   hs_compare_error(worst, one->points[score->worst].error),
                   plan_at(plan, one, score->worst),
                   hs_compare_error(bias, score->mean_signed_error));
    if (isfinite(score->tau))
        hs_text_append(out, "order      Kendall's tau %.2f\n", score->tau);
    else
        hs_text_append(out, "order      no tau: %s\n",
                       one->count < HS_COMPARE_TAU_MIN ? "fewer than 3 plans"
                                                       : "all times are equal");
}

/* Where the fastest plan is in the prediction, if it is not first. */
static void append_miss(struct hs_text *out, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;
    char winner[HS_SPLIT_TEXT], chosen[HS_SPLIT_TEXT];

    plan_at(winner, one, 0);
    hs_text_append(out, "winner     %s: the fastest is %s, the prediction's first %s\n",
                   score->found_in_noise ? "found within noise" : "not found", winner,
                   plan_at(chosen, one, score->predicted_best));
    hs_text_append(out, "           %s is number %zu in the prediction, %s%s\n", winner,
                   score->winner_rank,
                   score->winner_rank <= HS_COMPARE_TOP ? "a top-3 hit" : "no top-3 hit",
                   score->found_in_noise ? "; the intervals of the two overlap" : "");
}

static void append_winner(struct hs_text *out, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;
    char text[HS_SPLIT_TEXT];

    if (one->count == 1) {
        hs_text_append(out, "winner     %s is the only plan, there is nothing to choose\n",
                       plan_at(text, one, 0));
        return;
    }
    if (score->found)
        hs_text_append(out, "winner     found: %s is the fastest, and first in the prediction\n",
                       plan_at(text, one, 0));
    else
        append_miss(out, one);
    if (score->predicted_ties > 1)
        hs_text_append(out,
                       "           %zu plans share the shortest predicted time; the first in the "
                       "search's order counts\n",
                       score->predicted_ties);
    if (!one->rule.missing && !one->rule.best_measured)
        hs_text_append(out,
                       "           of all plans the model prefers %s, which was not measured\n",
                       hs_plan_format(text, &one->rule.best.plan));
    hs_text_append(out,
                   "regret     of the predicted %s: ", plan_at(text, one, score->predicted_best));
    append_regret(out, &score->regret);
    hs_text_append(out, "\n");
}

/* What the rule loses by the model, of all plans that exist. */
static void append_model_loss(struct hs_text *out, const struct hs_compare_rule *rule)
{
    char best[HS_SPLIT_TEXT], pick[HS_SPLIT_TEXT], loss[HS_COMPARE_FIGURE];

    hs_plan_format(best, &rule->best.plan);
    if (rule->loss > 0)
        hs_text_append(out, "by the model it lost %s:\n           its best, %s, takes %s %% longer",
                       best, hs_plan_format(pick, &rule->pick.plan),
                       hs_compare_percent(loss, rule->loss, 2));
    else
        hs_text_append(out, "by the model it finds the optimum, %s",
                       hs_plan_format(pick, &rule->pick.plan));
    hs_text_append(out, "\n");
}

static void append_rule(struct hs_text *out, const struct hs_compare_view *view,
                        const struct hs_compare_case *one)
{
    const struct hs_compare_rule *rule = &one->rule;
    char winner[HS_SPLIT_TEXT], plan[HS_SPLIT_TEXT];

    if (rule->missing) {
        hs_text_append(out, "rule       containment was not run: %s\n", rule->missing);
        return;
    }
    hs_text_append(out, "rule       containment%s, %zu kept per scale: ",
                   view->comparison->widen ? " (widened)" : "", view->comparison->keep);
    append_model_loss(out, rule);
    plan_at(winner, one, 0);
    if (rule->kept == 0) {
        hs_text_append(out, "           it keeps none of the measured plans\n");
        return;
    }
    hs_text_append(out, "           of %zu measured plan%s it keeps %zu, ", one->count,
                   one->count == 1 ? "" : "s", rule->kept);
    if (rule->fastest == 0) {
        hs_text_append(out, "%s, the fastest, among them", winner);
    } else {
        hs_text_append(out, "not the fastest, %s:\n           of them %s is fastest, regret ",
                       winner, plan_at(plan, one, rule->fastest));
        append_regret(out, &rule->fastest_regret);
    }
    hs_text_append(out, "\n           its predicted winner among them, %s: regret ",
                   plan_at(plan, one, rule->chosen));
    append_regret(out, &rule->chosen_regret);
    hs_text_append(out, "\n");
}

static void append_left_out(struct hs_text *out, const struct hs_compare_case *one)
{
    bool extrapolated = false;

    if (one->unpredicted)
        hs_text_append(out, "%zu measured plan%s without a prediction left out\n", one->unpredicted,
                       one->unpredicted == 1 ? "" : "s");
    if (one->faulty)
        hs_text_append(out, "%zu plan%s whose measurement failed left out\n", one->faulty,
                       one->faulty == 1 ? "" : "s");
    for (size_t i = 0; i < one->count; i++)
        extrapolated = extrapolated || one->points[i].extrapolated;
    if (extrapolated)
        hs_text_append(out, "* extrapolated: beyond what the machine's description covers\n");
}

static void append_title(struct hs_text *out, const struct hs_compare_view *view,
                         const struct hs_compare_case *one)
{
    const struct hs_terminal *terminal = &view->context->terminal;
    const char *backend = one->measured->result->backend;
    char size[HS_UNIT_TEXT];

    hs_text_append(out, "%s%s: %" PRId64 " processes, %s per process, %zu plan%s%s%s",
                   hs_style_on(terminal, HS_STYLE_BOLD, 0), one->measured->name, one->np,
                   hs_bytes_format(size, one->message->message_bytes), one->count,
                   one->count == 1 ? "" : "s", backend ? ", backend " : "", backend ? backend : "");
    if (view->predictor)
        hs_text_append(out, ", predicted for %s", view->predictor);
    else if (one->predicted != one->measured)
        hs_text_append(out, ", predicted by %s", one->predicted->name);
    else if (one->system)
        hs_text_append(out, ", predicted for %s", one->system->name);
    hs_text_append(out, "%s\n", hs_style_off(terminal));
}

void hs_compare_show_case(const struct hs_compare_view *view, const struct hs_compare_case *one,
                          enum hs_compare_rows rows)
{
    struct hs_text *out = view->context->out;

    append_title(out, view, one);
    if (rows != HS_COMPARE_NO_ROWS)
        show_plans(view, one, rows);
    hs_text_append(out, "\n");
    append_errors(out, one);
    append_winner(out, one);
    append_rule(out, view, one);
    append_left_out(out, one);
}
