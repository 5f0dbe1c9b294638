/* Several cases of a comparison: a row each, growth, and what they say together. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "show/cases.h"
#include "show/compare_show.h"
#include "show/logs.h"

static bool other_file_predicts(const struct hs_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].predicted != comparison->cases[i].measured)
            return true;
    return false;
}

void hs_compare_show_cases(const struct hs_compare_view *view)
{
    const struct hs_comparison *comparison = view->comparison;
    struct hs_table table;
    bool ties = false;

    for (size_t i = 0; i < comparison->case_count; i++)
        ties = ties ||
               (comparison->cases[i].count > 1 && comparison->cases[i].score.predicted_ties > 1);
    hs_cases_table(&table, comparison, view->noise,
                   !view->predictor && other_file_predicts(comparison));
    hs_sheet_table(view->sheet, &table);
    hs_sheet_say(view->sheet,
                 "rank: of the fastest in the prediction; regret: of the predicted winner\n"
                 "kept: plans that the containment rule keeps; rule: regret of the fastest of "
                 "those\n");
    if (ties)
        hs_sheet_say(view->sheet, "=: several plans share the shortest predicted time\n");
}

void hs_compare_show_growths(const struct hs_compare_view *view)
{
    const struct hs_comparison *comparison = view->comparison;
    bool all = false;

    if (comparison->growth_count == 0)
        return;
    for (size_t i = 0; i < comparison->growth_count; i++)
        all = all ||
              comparison->growths[i].kept == comparison->cases[comparison->growths[i].small].count;
    hs_sheet_say(view->sheet, "\n");
    hs_sheet_stress(view->sheet, "The containment rule on measured times%s",
                    comparison->widen ? ", widened" : "");
    hs_sheet_say(view->sheet, "\n");
    hs_growths_print(view->sheet, comparison);
    if (all)
        hs_sheet_say(view->sheet,
                     "!: the rule keeps every plan of the smaller count, so it loses little\n");
}

/* ---- the summary ---- */

/* "4x4: x.json, 16 processes, 64MiB" */
static void say_place(struct hs_sheet *sheet, const struct hs_compare_case *one,
                      const struct hs_plan *plan)
{

    hs_sheet_say(sheet, "%s: %s, %" PRId64 " processes, %s", HS_AS_PLAN(plan), one->measured->name,
                 one->np, HS_AS_BYTES(one->message->message_bytes));
}

static void say_errors(struct hs_sheet *sheet, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *worst = &comparison->cases[summary->worst_case];
    const struct hs_compare_point *point = &worst->points[worst->score.worst];

    hs_sheet_say(sheet, "error      mean %s %%, worst %s %% (",
                 HS_AS_PERCENT(summary->mean_error, 1), HS_AS_ERROR(point->error, 1));
    say_place(sheet, worst, &point->plan);
    hs_sheet_say(sheet, ")\n");
    if (summary->tau_cases)
        hs_sheet_say(sheet, "order      Kendall's tau %.2f on average of %zu case%s\n",
                     summary->mean_tau, summary->tau_cases, summary->tau_cases == 1 ? "" : "s");
}

/* "in 5 of 8 cases, within noise in 2 more"; with --noise "in 7 of 8 cases, noise allowed" */
static void say_hits(struct hs_sheet *sheet, bool noise, size_t hits, size_t in_noise, size_t cases)
{
    hs_sheet_say(sheet, "in %zu of %zu case%s", noise ? in_noise : hits, cases,
                 cases == 1 ? "" : "s");
    if (noise)
        hs_sheet_say(sheet, ", what ties the fastest within noise counted");
    else if (in_noise > hits)
        hs_sheet_say(sheet, ", within noise in %zu more", in_noise - hits);
}

static void say_choices(struct hs_sheet *sheet, const struct hs_compare_view *view)
{
    const struct hs_compare_summary *summary = &view->comparison->summary;
    const struct hs_compare_case *where;

    if (summary->choices == 0)
        return;
    hs_sheet_say(sheet, "winner     found ");
    say_hits(sheet, view->noise, summary->found, summary->found_in_noise, summary->choices);
    if (summary->top_choices) {
        hs_sheet_say(sheet, "\ntop-3      hit ");
        say_hits(sheet, view->noise, summary->top, summary->top_in_noise, summary->top_choices);
        hs_sheet_say(sheet, " (those of more than 3 plans)");
    }
    where = &view->comparison->cases[summary->regret_case];
    hs_sheet_say(sheet, "\nregret     mean %s %%, worst %s %%",
                 HS_AS_PERCENT(summary->mean_regret, 2),
                 HS_AS_PERCENT(where->score.regret.value, 2));
    if (where->score.regret.value > 0) {
        hs_sheet_say(sheet, " (");
        say_place(sheet, where, &where->points[where->score.predicted_best].plan);
        hs_sheet_say(sheet, ")");
    }
    hs_sheet_say(sheet, "\n");
}

/* What the rule loses by the model, of all plans that exist. */
static void say_model_loss(struct hs_sheet *sheet, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *where;

    hs_sheet_say(sheet,
                 "rule       by the model, containment lost the optimum in %zu of %zu case%s\n",
                 summary->rule.lost, summary->rule.cases, summary->rule.cases == 1 ? "" : "s");
    if (summary->rule.lost == 0)
        return;
    where = &comparison->cases[summary->rule.loss_case];
    hs_sheet_say(sheet, "           worst %s %% (", HS_AS_PERCENT(where->rule.loss, 2));
    say_place(sheet, where, &where->rule.best.plan);
    hs_sheet_say(sheet, ")\n");
}

/* And of the measured ones. */
static void say_rule(struct hs_sheet *sheet, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *where;

    if (summary->rule.cases == 0)
        return;
    say_model_loss(sheet, comparison);
    if (summary->rule.choices)
        hs_sheet_say(sheet, "           it keeps the measured winner in %zu of %zu case%s\n",
                     summary->rule.winner, summary->rule.choices,
                     summary->rule.choices == 1 ? "" : "s");
    if (summary->rule.measured == 0)
        return;
    where = &comparison->cases[summary->rule.regret_case];
    hs_sheet_say(sheet, "           regret of the fastest kept: mean %s %%, worst %s %%",
                 HS_AS_PERCENT(summary->rule.mean_regret, 2),
                 HS_AS_PERCENT(where->rule.fastest_regret.value, 2));
    if (where->rule.fastest > 0) {
        hs_sheet_say(sheet, "\n           (it lost ");
        say_place(sheet, where, &where->points[0].plan);
        hs_sheet_say(sheet, ")");
    }
    hs_sheet_say(sheet, "\n");
}

void hs_compare_show_summary(const struct hs_compare_view *view)
{
    const struct hs_comparison *comparison = view->comparison;
    struct hs_sheet *sheet = view->sheet;

    hs_sheet_say(sheet, "\n");
    hs_sheet_stress(sheet, "%zu case%s, %zu plan%s", comparison->case_count,
                    HS_PLURAL(comparison->case_count), comparison->summary.plans,
                    HS_PLURAL(comparison->summary.plans));
    hs_sheet_say(sheet, "\n");
    say_errors(sheet, comparison);
    say_choices(sheet, view);
    say_rule(sheet, comparison);
}

/* ---- logs ---- */

static bool has_several_files(const struct hs_comparison *comparison)
{
    for (size_t i = 1; i < comparison->log_count; i++)
        if (strcmp(comparison->logs[i].file, comparison->logs[0].file) != 0)
            return true;
    return false;
}

static void say_log_errors(struct hs_sheet *sheet, const struct hs_comparison *comparison,
                           const char *priced_for)
{
    const struct hs_compare_log_summary *summary = &comparison->log_summary;
    const struct hs_compare_log *worst;

    if (summary->priced == 0) {
        hs_sheet_say(sheet, "no prices: --predict SYSTEM says what the library should take\n");
        return;
    }
    worst = &comparison->logs[summary->worst];
    hs_sheet_say(sheet,
                 "error      mean %s %%, worst %s %% (%s, %" PRId64
                 " processes, %s), bias %s %%, predicted for %s\n",
                 HS_AS_PERCENT(summary->mean_error, 1), HS_AS_ERROR(worst->error, 1),
                 hs_library_call_names[worst->call], worst->np, HS_AS_BYTES(worst->message_bytes),
                 HS_AS_ERROR(summary->mean_signed_error, 1), priced_for);
    hs_sheet_say(sheet, "range      %zu of %zu times within the 90 %% range of their prices\n",
                 summary->inside, summary->priced);
}

void hs_compare_show_logs(const struct hs_compare_view *view, const char *priced_for)
{
    const struct hs_comparison *comparison = view->comparison;
    const struct hs_compare_log_summary *summary = &comparison->log_summary;
    bool several = has_several_files(comparison);
    struct hs_table table;

    if (comparison->log_count == 0)
        return;
    if (comparison->case_count > 0)
        hs_sheet_say(view->sheet, "\n");
    hs_sheet_stress(view->sheet, "%s%sthe library's own calls, %zu time%s",
                    several ? "" : comparison->logs[0].file, several ? "" : ": ",
                    comparison->log_count, HS_PLURAL(comparison->log_count));
    hs_sheet_say(view->sheet, "\n\n");
    hs_logs_table(&table, comparison, several);
    hs_sheet_table(view->sheet, &table);
    hs_sheet_say(view->sheet, "\n");
    say_log_errors(view->sheet, comparison, priced_for);
    if (summary->met > 0)
        hs_sheet_say(view->sheet,
                     "gain       the fastest measured plan beats the library at %zu of %zu times, "
                     "%.3fx on average\n",
                     summary->won, summary->met, summary->mean_gain);
}
