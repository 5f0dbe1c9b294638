/* One case of a comparison. */
#include "show/compare_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/candidates.h"

#define WORST_ROWS 5

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

static enum hs_status show_plans(const struct hs_compare_view *view,
                                 const struct hs_compare_case *one, enum hs_compare_rows rows,
                                 struct hs_error *err)
{
    double threshold = rows == HS_COMPARE_ALL_ROWS ? 0 : worst_threshold(one);
    bool *shown = calloc(one->count, sizeof(*shown));
    struct hs_table table;
    size_t count = 0;

    if (!shown)
        return hs_no_memory(err);
    for (size_t i = 0; i < one->count; i++) {
        shown[i] =
            i == 0 || i == one->score.predicted_best || fabs(one->points[i].error) >= threshold;
        count += shown[i];
    }
    hs_sheet_say(view->sheet, "\n");
    hs_candidates_compared(&table, one, shown);
    free(shown);
    hs_sheet_table(view->sheet, &table);
    if (count < one->count)
        hs_sheet_say(view->sheet,
                     "%zu of %zu plans: both winners and the %d largest errors; --plans all "
                     "shows the rest\n",
                     count, one->count, WORST_ROWS);
    return HS_OK;
}

/* ---- the lines below ---- */

#define PLAN_AT(i) HS_AS_PLAN(&one->points[i].plan)

static void say_regret(struct hs_sheet *sheet, const struct hs_compare_regret *regret)
{
    hs_sheet_say(sheet, "%s %%", HS_AS_PERCENT(regret->value, 2));
    if (isfinite(regret->low) && isfinite(regret->high))
        hs_sheet_say(sheet, " (%s to %s)", HS_AS_PERCENT(regret->low, 2),
                     HS_AS_PERCENT(regret->high, 2));
}

static void say_errors(struct hs_sheet *sheet, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    hs_sheet_say(sheet, "error      mean %s %%, worst %s %% (%s), bias %s %%\n",
                 HS_AS_PERCENT(score->mean_error, 1),
                 HS_AS_ERROR(one->points[score->worst].error, 1), PLAN_AT(score->worst),
                 HS_AS_ERROR(score->mean_signed_error, 1));
    if (isfinite(score->tau))
        hs_sheet_say(sheet, "order      Kendall's tau %.2f\n", score->tau);
    else
        hs_sheet_say(sheet, "order      no tau: %s\n",
                     one->count < HS_COMPARE_TAU_MIN ? "fewer than 3 plans"
                                                     : "all times are equal");
}

/* Where the fastest plan is in the prediction, if it is not first. */
static void say_miss(struct hs_sheet *sheet, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    hs_sheet_say(sheet, "winner     %s: the fastest is %s, the prediction's first %s\n",
                 score->found_in_noise ? "found within noise" : "not found", PLAN_AT(0),
                 PLAN_AT(score->predicted_best));
    hs_sheet_say(sheet, "           %s is number %zu in the prediction, %s%s\n", PLAN_AT(0),
                 score->winner_rank, score->top ? "a top-3 hit" : "no top-3 hit",
                 score->found_in_noise ? "; the intervals of the two overlap" : "");
}

static void say_winner(struct hs_sheet *sheet, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    if (one->count == 1) {
        hs_sheet_say(sheet, "winner     %s is the only plan, there is nothing to choose\n",
                     PLAN_AT(0));
        return;
    }
    if (score->found)
        hs_sheet_say(sheet, "winner     found: %s is the fastest, and first in the prediction\n",
                     PLAN_AT(0));
    else
        say_miss(sheet, one);
    if (score->predicted_ties > 1)
        hs_sheet_say(sheet,
                     "           %zu plans share the shortest predicted time; the first in the "
                     "search's order counts\n",
                     score->predicted_ties);
    if (!one->rule.missing && !one->rule.best_measured)
        hs_sheet_say(sheet,
                     "           of all plans the model prefers %s, which was not measured\n",
                     HS_AS_PLAN(&one->rule.best.plan));
    hs_sheet_say(sheet, "regret     of the predicted %s: ", PLAN_AT(score->predicted_best));
    say_regret(sheet, &score->regret);
    hs_sheet_say(sheet, "\n");
}

/* What the rule loses by the model, of all plans that exist. */
static void say_model_loss(struct hs_sheet *sheet, const struct hs_compare_rule *rule)
{
    if (rule->loss > 0)
        hs_sheet_say(sheet,
                     "by the model it lost %s:\n           its best, %s, takes %s %% longer\n",
                     HS_AS_PLAN(&rule->best.plan), HS_AS_PLAN(&rule->pick.plan),
                     HS_AS_PERCENT(rule->loss, 2));
    else
        hs_sheet_say(sheet, "by the model it finds the optimum, %s\n",
                     HS_AS_PLAN(&rule->pick.plan));
}

static void say_rule(const struct hs_compare_view *view, const struct hs_compare_case *one)
{
    const struct hs_compare_rule *rule = &one->rule;
    struct hs_sheet *sheet = view->sheet;

    if (rule->missing) {
        hs_sheet_say(sheet, "rule       containment was not run: %s\n", rule->missing);
        return;
    }
    hs_sheet_say(sheet, "rule       containment%s, %zu kept per scale: ",
                 view->comparison->widen ? " (widened)" : "", view->comparison->keep);
    say_model_loss(sheet, rule);
    if (rule->kept == 0) {
        hs_sheet_say(sheet, "           it keeps none of the measured plans\n");
        return;
    }
    hs_sheet_say(sheet, "           of %zu measured plan%s it keeps %zu, ", one->count,
                 HS_PLURAL(one->count), rule->kept);
    if (rule->keeps_winner) {
        hs_sheet_say(sheet, "%s, the fastest, among them", PLAN_AT(0));
    } else {
        hs_sheet_say(sheet, "not the fastest, %s:\n           of them %s is fastest, regret ",
                     PLAN_AT(0), PLAN_AT(rule->fastest));
        say_regret(sheet, &rule->fastest_regret);
    }
    hs_sheet_say(sheet, "\n           its predicted winner among them, %s: regret ",
                 PLAN_AT(rule->chosen));
    say_regret(sheet, &rule->chosen_regret);
    hs_sheet_say(sheet, "\n");
}

static void say_left_out(struct hs_sheet *sheet, const struct hs_compare_case *one)
{
    bool extrapolated = false;

    if (one->unpredicted)
        hs_sheet_say(sheet, "%zu measured plan%s without a prediction left out\n", one->unpredicted,
                     HS_PLURAL(one->unpredicted));
    if (one->faulty)
        hs_sheet_say(sheet, "%zu plan%s whose measurement failed left out\n", one->faulty,
                     HS_PLURAL(one->faulty));
    for (size_t i = 0; i < one->count; i++)
        extrapolated = extrapolated || one->points[i].extrapolated;
    if (extrapolated)
        hs_sheet_say(sheet, "* extrapolated: beyond what the machine's description covers\n");
}

static void say_title(const struct hs_compare_view *view, const struct hs_compare_case *one)
{
    const char *backend = one->measured->result->backend;
    const char *predictor = view->predictor                   ? view->predictor
                            : one->predicted != one->measured ? one->predicted->name
                            : one->system                     ? hs_system_called(one->system)
                                                              : NULL;
    bool of_file = !view->predictor && one->predicted != one->measured;

    hs_sheet_stress(view->sheet, "%s: %" PRId64 " processes, %s per process, %zu plan%s%s%s%s%s",
                    one->measured->name, one->np, HS_AS_BYTES(one->message->message_bytes),
                    one->count, HS_PLURAL(one->count), backend ? ", backend " : "",
                    backend ? backend : "",
                    !predictor ? ""
                    : of_file  ? ", predicted by "
                               : ", predicted for ",
                    predictor ? predictor : "");
    hs_sheet_say(view->sheet, "\n");
}

enum hs_status hs_compare_show_case(const struct hs_compare_view *view,
                                    const struct hs_compare_case *one, enum hs_compare_rows rows,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;

    say_title(view, one);
    if (rows != HS_COMPARE_NO_ROWS)
        status = show_plans(view, one, rows, err);
    hs_sheet_say(view->sheet, "\n");
    say_errors(view->sheet, one);
    say_winner(view->sheet, one);
    say_rule(view, one);
    say_left_out(view->sheet, one);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Without --plans one case shows its largest errors; several are a table. */
static enum hs_compare_rows rows_of(const struct hs_compared_words *words)
{
    const char *const *known = hs_compared_plans_words();
    int at = 0;

    while (words->plans && known[at] && strcmp(words->plans, known[at]) != 0)
        at++;
    return words->plans ? (enum hs_compare_rows)at : HS_COMPARE_WORST_ROWS;
}

static enum hs_status show_comparison(const struct hs_compare_view *view,
                                      const struct hs_compared_words *words, struct hs_error *err)
{
    const struct hs_comparison *comparison = view->comparison;
    enum hs_compare_rows rows = rows_of(words);
    enum hs_status status = HS_OK;

    if (comparison->case_count == 0)
        return HS_OK;
    if (comparison->case_count == 1)
        return hs_compare_show_case(view, &comparison->cases[0], rows, err);
    for (size_t i = 0; i < comparison->case_count && words->plans && rows; i++) {
        if (status == HS_OK)
            status = hs_compare_show_case(view, &comparison->cases[i], rows, err);
        hs_sheet_say(view->sheet, "\n");
    }
    hs_compare_show_cases(view);
    hs_compare_show_growths(view);
    hs_compare_show_summary(view);
    return status;
}

enum hs_status hs_compared_print(struct hs_text *out, const struct hs_compared *compared,
                                 const struct hs_compared_words *words,
                                 const struct hs_print *print, const struct hs_terminal *terminal,
                                 struct hs_error *err)
{
    struct hs_sheet sheet;
    struct hs_compare_view view = {.sheet = &sheet,
                                   .comparison = &compared->comparison,
                                   .predictor = compared->predictor,
                                   .noise = words->noise};
    const char *priced_for = compared->predictor || !compared->calls_system
                                 ? compared->predictor
                                 : hs_system_called(compared->calls_system);
    enum hs_status status, ended;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_comparison_print(out, view.comparison, view.predictor, compared->command, err);
    hs_sheet_begin(&sheet, out, print, terminal);
    status = show_comparison(&view, words, err);
    if (status == HS_OK)
        hs_compare_show_logs(&view, priced_for);
    ended = hs_sheet_end(&sheet, err);
    return status == HS_OK ? ended : status;
}
