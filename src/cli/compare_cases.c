/* Several cases of a comparison: a row each, growth, and what they say together. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/compare_show.h"
#include "console/table.h"

enum column { FILE_NAME, NP, SIZE, PLANS, MEAN, WORST, TAU, WINNER, RANK, REGRET, KEPT, RULE };

static void print_table(const struct hs_compare_view *view, struct hs_table *table)
{
    hs_table_print(view->context->out, table, &view->context->terminal);
    hs_table_release(table);
}

/* ---- a row per case ---- */

static bool other_file_predicts(const struct hs_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].predicted != comparison->cases[i].measured)
            return true;
    return false;
}

static void add_choice(struct hs_table *table, const struct hs_compare_view *view,
                       const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;
    char percent[HS_COMPARE_FIGURE];

    if (one->count < 2)
        return;
    hs_table_cell(table, WINNER, "%s%s",
                  score->found            ? "found"
                  : score->found_in_noise ? "noise"
                                          : "no",
                  score->predicted_ties > 1 ? " =" : "");
    hs_table_cell(table, RANK, "%zu", view->noise ? score->noise_rank : score->winner_rank);
    hs_table_cell(table, REGRET, "%s", hs_compare_percent(percent, score->regret.value, 2));
}

/* What the rule keeps and loses among the measured plans. */
static void add_rule(struct hs_table *table, const struct hs_compare_case *one)
{
    const struct hs_compare_rule *rule = &one->rule;
    char percent[HS_COMPARE_FIGURE];

    if (rule->missing)
        return;
    hs_table_cell(table, KEPT, "%zu", rule->kept);
    if (rule->kept > 0)
        hs_table_cell(table, RULE, "%s",
                      hs_compare_percent(percent, rule->fastest_regret.value, 2));
}

static void add_case(struct hs_table *table, const struct hs_compare_view *view,
                     const struct hs_compare_case *one, bool names)
{
    const struct hs_compare_score *score = &one->score;
    char text[HS_COMPARE_FIGURE], size[HS_UNIT_TEXT];

    hs_table_row(table);
    hs_table_cell(table, FILE_NAME, "%s", one->measured->name);
    if (names && one->predicted && one->predicted != one->measured)
        hs_table_cell(table, FILE_NAME, " by %s", one->predicted->name);
    hs_table_cell(table, NP, "%" PRId64, one->np);
    hs_table_cell(table, SIZE, "%s", hs_bytes_format(size, one->message->message_bytes));
    hs_table_cell(table, PLANS, "%zu", one->count);
    hs_table_cell(table, MEAN, "%s", hs_compare_percent(text, score->mean_error, 1));
    hs_table_cell(table, WORST, "%s", hs_compare_error(text, one->points[score->worst].error));
    hs_table_cell(table, TAU, isfinite(score->tau) ? "%.2f" : "-", score->tau);
    add_choice(table, view, one);
    add_rule(table, one);
}

void hs_compare_show_cases(const struct hs_compare_view *view)
{
    const struct hs_comparison *comparison = view->comparison;
    bool names = !view->predictor && other_file_predicts(comparison), ties = false;
    struct hs_table table = {.column_count = 0};

    hs_table_column(&table, "file", false);
    hs_table_column(&table, "np", true);
    hs_table_column(&table, "size", true);
    hs_table_column(&table, "plans", true);
    hs_table_column(&table, "mean %", true);
    hs_table_column(&table, "worst %", true);
    hs_table_column(&table, "tau", true);
    hs_table_column(&table, "winner", false);
    hs_table_column(&table, "rank", true);
    hs_table_column(&table, "regret %", true);
    hs_table_column(&table, "kept", true);
    hs_table_column(&table, "rule %", true);
    for (size_t i = 0; i < comparison->case_count; i++) {
        add_case(&table, view, &comparison->cases[i], names);
        ties = ties ||
               (comparison->cases[i].count > 1 && comparison->cases[i].score.predicted_ties > 1);
    }
    print_table(view, &table);
    hs_text_append(view->context->out,
                   "rank: of the fastest in the prediction; regret: of the predicted winner\n"
                   "kept: plans that the containment rule keeps; rule: regret of the fastest of "
                   "those\n");
    if (ties)
        hs_text_append(view->context->out, "=: several plans share the shortest predicted time\n");
}

/* ---- growth ---- */

static void add_reach(struct hs_table *table, size_t column, const struct hs_compare_reach *reach,
                      const struct hs_compare_case *large)
{
    char text[HS_SPLIT_TEXT], percent[HS_COMPARE_FIGURE];

    if (reach->fastest == HS_COMPARE_NONE)
        hs_table_cell(table, column, "reaches none");
    else if (reach->fastest == 0)
        hs_table_cell(table, column, "nothing");
    else
        hs_table_cell(table, column, "%s %% (%s)%s",
                      hs_compare_percent(percent, reach->regret.value, 2),
                      hs_plan_format(text, &large->points[reach->fastest].plan),
                      reach->in_noise ? ", noise" : "");
}

static void add_growth(struct hs_table *table, const struct hs_compare_view *view,
                       const struct hs_compare_growth *growth)
{
    const struct hs_compare_case *small = &view->comparison->cases[growth->small];
    const struct hs_compare_case *large = &view->comparison->cases[growth->large];
    char text[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];
    bool several_steps = growth->contains && growth->growth == HS_GROWTH_OTHER;

    hs_table_row(table);
    hs_table_cell(table, 0, "%s", hs_bytes_format(size, large->message->message_bytes));
    hs_table_cell(table, 1, "%" PRId64 " -> %" PRId64, small->np, large->np);
    hs_table_cell(table, 2, "%s -> ", hs_plan_format(text, &small->points[0].plan));
    hs_table_cell(table, 2, "%s", hs_plan_format(text, &large->points[0].plan));
    hs_table_cell(table, 3, "%s",
                  several_steps ? "several steps of the rule" : hs_growth_names[growth->growth]);
    add_reach(table, 4, &growth->alone, large);
    add_reach(table, 5, &growth->wide, large);
    if (growth->kept == small->count)
        hs_table_cell(table, 5, " !");
}

void hs_compare_show_growths(const struct hs_compare_view *view)
{
    const struct hs_terminal *terminal = &view->context->terminal;
    const struct hs_comparison *comparison = view->comparison;
    struct hs_table table = {.column_count = 0};
    char kept[64];
    bool all = false;

    if (comparison->growth_count == 0)
        return;
    hs_text_append(view->context->out, "\n%sThe containment rule on measured times%s%s\n",
                   hs_style_on(terminal, HS_STYLE_BOLD, 0), comparison->widen ? ", widened" : "",
                   hs_style_off(terminal));
    snprintf(kept, sizeof(kept), "lost from the best %zu", comparison->keep);
    hs_table_column(&table, "size", true);
    hs_table_column(&table, "processes", true);
    hs_table_column(&table, "winners", false);
    hs_table_column(&table, "growth", false);
    hs_table_column(&table, "lost from the winner", false);
    hs_table_column(&table, kept, false);
    for (size_t i = 0; i < comparison->growth_count; i++) {
        const struct hs_compare_growth *growth = &comparison->growths[i];

        add_growth(&table, view, growth);
        all = all || growth->kept == comparison->cases[growth->small].count;
    }
    print_table(view, &table);
    if (all)
        hs_text_append(view->context->out,
                       "!: the rule keeps every plan of the smaller count, so it loses little\n");
}

/* ---- the summary ---- */

/* "4x4: x.json, 16 processes, 64MiB" */
static void append_place(struct hs_text *out, const struct hs_compare_case *one,
                         const struct hs_plan *plan)
{
    char size[HS_UNIT_TEXT], text[HS_SPLIT_TEXT];

    hs_text_append(out, "%s: %s, %" PRId64 " processes, %s", hs_plan_format(text, plan),
                   one->measured->name, one->np,
                   hs_bytes_format(size, one->message->message_bytes));
}

static void append_errors(struct hs_text *out, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *worst = &comparison->cases[summary->worst_case];
    const struct hs_compare_point *point = &worst->points[worst->score.worst];
    char mean[HS_COMPARE_FIGURE], error[HS_COMPARE_FIGURE];

    hs_text_append(out, "error      mean %s %%, worst %s %% (",
                   hs_compare_percent(mean, summary->mean_error, 1),
                   hs_compare_error(error, point->error));
    append_place(out, worst, &point->plan);
    hs_text_append(out, ")\n");
    if (summary->tau_cases)
        hs_text_append(out, "order      Kendall's tau %.2f on average of %zu case%s\n",
                       summary->mean_tau, summary->tau_cases, summary->tau_cases == 1 ? "" : "s");
}

/* "in 5 of 8 cases, within noise in 2 more"; with --noise "in 7 of 8 cases, noise allowed" */
static void append_hits(struct hs_text *out, bool noise, size_t hits, size_t in_noise, size_t cases)
{
    hs_text_append(out, "in %zu of %zu case%s", noise ? in_noise : hits, cases,
                   cases == 1 ? "" : "s");
    if (noise)
        hs_text_append(out, ", what ties the fastest within noise counted");
    else if (in_noise > hits)
        hs_text_append(out, ", within noise in %zu more", in_noise - hits);
}

static void append_choices(struct hs_text *out, const struct hs_compare_view *view)
{
    const struct hs_compare_summary *summary = &view->comparison->summary;
    char mean[HS_COMPARE_FIGURE], worst[HS_COMPARE_FIGURE];
    const struct hs_compare_case *where;

    if (summary->choices == 0)
        return;
    hs_text_append(out, "winner     found ");
    append_hits(out, view->noise, summary->found, summary->found_in_noise, summary->choices);
    if (summary->top_choices) {
        hs_text_append(out, "\ntop-3      hit ");
        append_hits(out, view->noise, summary->top, summary->top_in_noise, summary->top_choices);
        hs_text_append(out, " (those of more than 3 plans)");
    }
    where = &view->comparison->cases[summary->regret_case];
    hs_text_append(out, "\nregret     mean %s %%, worst %s %%",
                   hs_compare_percent(mean, summary->mean_regret, 2),
                   hs_compare_percent(worst, where->score.regret.value, 2));
    if (where->score.regret.value > 0) {
        hs_text_append(out, " (");
        append_place(out, where, &where->points[where->score.predicted_best].plan);
        hs_text_append(out, ")");
    }
    hs_text_append(out, "\n");
}

/* What the rule loses by the model, of all plans that exist. */
static void append_model_loss(struct hs_text *out, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *where;
    char worst[HS_COMPARE_FIGURE];

    hs_text_append(out,
                   "rule       by the model, containment lost the optimum in %zu of %zu case%s\n",
                   summary->rule_lost, summary->rule_cases, summary->rule_cases == 1 ? "" : "s");
    if (summary->rule_lost == 0)
        return;
    where = &comparison->cases[summary->rule_loss_case];
    hs_text_append(out, "           worst %s %% (", hs_compare_percent(worst, where->rule.loss, 2));
    append_place(out, where, &where->rule.best.plan);
    hs_text_append(out, ")\n");
}

/* And of the measured ones. */
static void append_rule(struct hs_text *out, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *where;
    char mean[HS_COMPARE_FIGURE], worst[HS_COMPARE_FIGURE];

    if (summary->rule_cases == 0)
        return;
    append_model_loss(out, comparison);
    if (summary->rule_choices)
        hs_text_append(out, "           it keeps the measured winner in %zu of %zu case%s\n",
                       summary->rule_winner, summary->rule_choices,
                       summary->rule_choices == 1 ? "" : "s");
    if (summary->rule_measured == 0)
        return;
    where = &comparison->cases[summary->rule_regret_case];
    hs_text_append(out, "           regret of the fastest kept: mean %s %%, worst %s %%",
                   hs_compare_percent(mean, summary->rule_mean_regret, 2),
                   hs_compare_percent(worst, where->rule.fastest_regret.value, 2));
    if (where->rule.fastest > 0) {
        hs_text_append(out, "\n           (it lost ");
        append_place(out, where, &where->points[0].plan);
        hs_text_append(out, ")");
    }
    hs_text_append(out, "\n");
}

void hs_compare_show_summary(const struct hs_compare_view *view)
{
    const struct hs_terminal *terminal = &view->context->terminal;
    const struct hs_comparison *comparison = view->comparison;
    struct hs_text *out = view->context->out;

    hs_text_append(out, "\n%s%zu case%s, %zu plan%s%s\n", hs_style_on(terminal, HS_STYLE_BOLD, 0),
                   comparison->case_count, comparison->case_count == 1 ? "" : "s",
                   comparison->summary.plans, comparison->summary.plans == 1 ? "" : "s",
                   hs_style_off(terminal));
    append_errors(out, comparison);
    append_choices(out, view);
    append_rule(out, comparison);
}
