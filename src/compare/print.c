/* A comparison as JSON (docs/compare.md). */
#include <cjson/cJSON.h>
#include <math.h>

#include "base/json.h"
#include "base/json_build.h"
#include "compare/compare.h"

#define FORMAT "hiersearch.comparison/1"

static void put_count(struct hs_json_builder *w, cJSON *object, const char *key, size_t count)
{
    hs_json_put(w, object, key, cJSON_CreateNumber((double)count));
}

static void put_plan(struct hs_json_builder *w, cJSON *object, const char *key,
                     const struct hs_plan *plan)
{
    char text[HS_SPLIT_TEXT];

    hs_json_put(w, object, key, cJSON_CreateString(hs_plan_format(text, plan)));
}

static void put_pair(struct hs_json_builder *w, cJSON *object, const char *key, double low,
                     double high)
{
    cJSON *array;

    if (!isfinite(low) || !isfinite(high))
        return;
    array = hs_json_put(w, object, key, cJSON_CreateArray());
    hs_json_append(w, array, cJSON_CreateNumber(low));
    hs_json_append(w, array, cJSON_CreateNumber(high));
}

/* ---- a case ---- */

static void put_candidates(struct hs_json_builder *w, cJSON *object,
                           const struct hs_compare_case *one)
{
    cJSON *array = hs_json_put(w, object, "candidates", cJSON_CreateArray());

    for (size_t i = 0; i < one->count; i++) {
        const struct hs_compare_point *point = &one->points[i];
        cJSON *item = hs_json_append(w, array, cJSON_CreateObject());

        put_plan(w, item, "plan", &point->plan);
        hs_json_put_number(w, item, "predicted_seconds", point->predicted_seconds);
        hs_json_put_number(w, item, "measured_seconds", point->measured_seconds);
        put_pair(w, item, "ci95_seconds", point->low_seconds, point->high_seconds);
        hs_json_put_number(w, item, "error", point->error);
        put_count(w, item, "predicted_rank", point->predicted_rank);
        hs_json_put_bool(w, item, "ties_best", point->ties_best);
        if (point->extrapolated)
            hs_json_put_bool(w, item, "extrapolated", true);
    }
}

static void put_score(struct hs_json_builder *w, cJSON *object, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    hs_json_put_number(w, object, "mean_error", score->mean_error);
    hs_json_put_number(w, object, "mean_signed_error", score->mean_signed_error);
    hs_json_put_number(w, object, "worst_error", one->points[score->worst].error);
    put_plan(w, object, "worst_plan", &one->points[score->worst].plan);
    hs_json_put_number(w, object, "tau", score->tau);
    put_plan(w, object, "measured_winner", &one->points[0].plan);
    put_plan(w, object, "predicted_winner", &one->points[score->predicted_best].plan);
    put_count(w, object, "predicted_ties", score->predicted_ties);
    put_count(w, object, "noise_ties", score->noise_ties);
    hs_json_put_bool(w, object, "found", score->found);
    hs_json_put_bool(w, object, "found_within_noise", score->found_in_noise);
    put_count(w, object, "winner_rank", score->winner_rank);
    put_count(w, object, "winner_rank_within_noise", score->noise_rank);
    hs_json_put_bool(w, object, "top3", score->winner_rank <= HS_COMPARE_TOP);
    hs_json_put_bool(w, object, "top3_within_noise", score->noise_rank <= HS_COMPARE_TOP);
    hs_json_put_number(w, object, "regret", score->regret.value);
    put_pair(w, object, "regret_interval", score->regret.low, score->regret.high);
}

static void put_rule(struct hs_json_builder *w, cJSON *parent, const struct hs_compare_case *one)
{
    const struct hs_compare_rule *rule = &one->rule;
    cJSON *object = hs_json_put(w, parent, "containment", cJSON_CreateObject());

    hs_json_put_text(w, object, "missing", rule->missing);
    if (rule->missing)
        return;
    put_count(w, object, "looked_at", rule->looked_at);
    put_plan(w, object, "model_best", &rule->best.plan);
    hs_json_put_bool(w, object, "model_best_measured", rule->best_measured);
    put_plan(w, object, "rule_best", &rule->pick.plan);
    hs_json_put_number(w, object, "model_loss", rule->loss);
    put_count(w, object, "kept", rule->kept);
    hs_json_put_bool(w, object, "keeps_winner", rule->fastest == 0);
    if (rule->kept == 0)
        return;
    put_plan(w, object, "chosen", &one->points[rule->chosen].plan);
    hs_json_put_number(w, object, "chosen_regret", rule->chosen_regret.value);
    put_pair(w, object, "chosen_regret_interval", rule->chosen_regret.low,
             rule->chosen_regret.high);
    put_plan(w, object, "fastest", &one->points[rule->fastest].plan);
    hs_json_put_number(w, object, "fastest_regret", rule->fastest_regret.value);
    put_pair(w, object, "fastest_regret_interval", rule->fastest_regret.low,
             rule->fastest_regret.high);
}

static void put_case(struct hs_json_builder *w, cJSON *array, const struct hs_compare_case *one,
                     const char *predictor)
{
    cJSON *object = hs_json_append(w, array, cJSON_CreateObject());

    hs_json_put_text(w, object, "file", one->measured->name);
    hs_json_put_text(w, object, "predicted_by", one->predicted ? one->predicted->name : predictor);
    put_count(w, object, "np", (size_t)one->np);
    put_count(w, object, "message_bytes", one->message->message_bytes);
    hs_json_put_text(w, object, "backend", one->measured->result->backend);
    hs_json_put_text(w, object, "system", one->system ? one->system->name : NULL);
    put_count(w, object, "plans", one->count);
    put_count(w, object, "unpredicted", one->unpredicted);
    put_count(w, object, "faulty", one->faulty);
    put_score(w, object, one);
    put_rule(w, object, one);
    put_candidates(w, object, one);
}

/* ---- all of them ---- */

static void put_reach(struct hs_json_builder *w, cJSON *parent, const char *key,
                      const struct hs_compare_reach *reach, const struct hs_compare_case *large)
{
    cJSON *object = hs_json_put(w, parent, key, cJSON_CreateObject());

    put_count(w, object, "reached", reach->reached);
    if (reach->fastest == HS_COMPARE_NONE)
        return;
    put_plan(w, object, "fastest", &large->points[reach->fastest].plan);
    hs_json_put_bool(w, object, "within_noise", reach->in_noise);
    hs_json_put_number(w, object, "regret", reach->regret.value);
    put_pair(w, object, "regret_interval", reach->regret.low, reach->regret.high);
}

static void put_growths(struct hs_json_builder *w, cJSON *root,
                        const struct hs_comparison *comparison)
{
    cJSON *array = hs_json_put(w, root, "growth", cJSON_CreateArray());

    for (size_t i = 0; i < comparison->growth_count; i++) {
        const struct hs_compare_growth *growth = &comparison->growths[i];
        const struct hs_compare_case *small = &comparison->cases[growth->small];
        const struct hs_compare_case *large = &comparison->cases[growth->large];
        cJSON *object = hs_json_append(w, array, cJSON_CreateObject());

        put_count(w, object, "small_case", growth->small);
        put_count(w, object, "large_case", growth->large);
        put_count(w, object, "small_np", (size_t)small->np);
        put_count(w, object, "large_np", (size_t)large->np);
        put_plan(w, object, "small_winner", &small->points[0].plan);
        put_plan(w, object, "large_winner", &large->points[0].plan);
        hs_json_put_text(w, object, "growth", hs_growth_names[growth->growth]);
        hs_json_put_bool(w, object, "contains", growth->contains);
        put_count(w, object, "kept", growth->kept);
        put_reach(w, object, "from_winner", &growth->alone, large);
        put_reach(w, object, "from_kept", &growth->wide, large);
    }
}

static void put_summary(struct hs_json_builder *w, cJSON *root,
                        const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *cases = comparison->cases, *worst = &cases[summary->worst_case];
    cJSON *object = hs_json_put(w, root, "summary", cJSON_CreateObject());

    put_count(w, object, "cases", comparison->case_count);
    put_count(w, object, "plans", summary->plans);
    hs_json_put_number(w, object, "mean_error", summary->mean_error);
    hs_json_put_number(w, object, "worst_error", worst->points[worst->score.worst].error);
    hs_json_put_number(w, object, "mean_tau", summary->mean_tau);
    put_count(w, object, "tau_cases", summary->tau_cases);
    put_count(w, object, "choices", summary->choices);
    put_count(w, object, "found", summary->found);
    put_count(w, object, "found_within_noise", summary->found_in_noise);
    put_count(w, object, "top3_choices", summary->top_choices);
    put_count(w, object, "top3", summary->top);
    put_count(w, object, "top3_within_noise", summary->top_in_noise);
    hs_json_put_number(w, object, "mean_regret", summary->mean_regret);
    if (summary->regret_case != HS_COMPARE_NONE)
        hs_json_put_number(w, object, "worst_regret",
                           cases[summary->regret_case].score.regret.value);
    put_count(w, object, "rule_cases", summary->rule_cases);
    put_count(w, object, "rule_lost_by_model", summary->rule_lost);
    if (summary->rule_cases > 0)
        hs_json_put_number(w, object, "rule_worst_model_loss",
                           summary->rule_lost ? cases[summary->rule_loss_case].rule.loss : 0);
    put_count(w, object, "rule_choices", summary->rule_choices);
    put_count(w, object, "rule_keeps_winner", summary->rule_winner);
    put_count(w, object, "rule_measured", summary->rule_measured);
    hs_json_put_number(w, object, "rule_mean_regret", summary->rule_mean_regret);
    if (summary->rule_regret_case != HS_COMPARE_NONE)
        hs_json_put_number(w, object, "rule_worst_regret",
                           cases[summary->rule_regret_case].rule.fastest_regret.value);
    put_count(w, object, "growths", comparison->growth_count);
    put_count(w, object, "growths_contained", summary->contained);
}

enum hs_status hs_comparison_print(struct hs_text *out, const struct hs_comparison *comparison,
                                   const char *predictor, const char *command, struct hs_error *err)
{
    struct hs_json_builder w = {HS_OK, err};
    cJSON *root = cJSON_CreateObject(), *item;

    hs_json_put_text(&w, root, "format", FORMAT);
    hs_json_put_text(&w, root, "command", command);
    item = hs_json_put(&w, root, "containment", cJSON_CreateObject());
    put_count(&w, item, "keep", comparison->keep);
    hs_json_put_bool(&w, item, "widen", comparison->widen);
    item = hs_json_put(&w, root, "cases", cJSON_CreateArray());
    for (size_t i = 0; i < comparison->case_count; i++)
        put_case(&w, item, &comparison->cases[i], predictor);
    put_growths(&w, root, comparison);
    put_summary(&w, root, comparison);
    if (!w.status)
        w.status = hs_json_print(out, root, err);
    cJSON_Delete(root);
    return w.status;
}
