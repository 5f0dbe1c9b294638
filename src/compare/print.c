/* A comparison as JSON (docs/compare.md). */
#include <math.h>

#include "base/json_write.h"
#include "compare/compare.h"

#define FORMAT "hiersearch.comparison/1"

static void put_plan(struct hs_json_writer *w, const char *key, const struct hs_plan *plan)
{
    char text[HS_SPLIT_TEXT];

    hs_json_write_text(w, key, hs_plan_format(text, plan));
}

static void put_pair(struct hs_json_writer *w, const char *key, double low, double high)
{
    const double ends[2] = {low, high};

    if (isfinite(low) && isfinite(high))
        hs_json_write_numbers(w, key, ends, 2);
}

static void put_regret(struct hs_json_writer *w, const char *key, const char *interval_key,
                       const struct hs_compare_regret *regret)
{
    hs_json_write_number(w, key, regret->value);
    put_pair(w, interval_key, regret->low, regret->high);
}

/* ---- a case ---- */

static void put_candidates(struct hs_json_writer *w, const struct hs_compare_case *one)
{
    hs_json_open(w, "candidates", '[');
    for (size_t i = 0; i < one->count; i++) {
        const struct hs_compare_point *point = &one->points[i];

        hs_json_open(w, NULL, '{');
        put_plan(w, "plan", &point->plan);
        hs_json_write_number(w, "predicted_seconds", point->predicted_seconds);
        hs_json_write_number(w, "measured_seconds", point->measured_seconds);
        put_pair(w, "ci95_seconds", point->low_seconds, point->high_seconds);
        hs_json_write_number(w, "error", point->error);
        hs_json_write_whole(w, "predicted_rank", point->predicted_rank);
        hs_json_write_bool(w, "ties_best", point->ties_best);
        if (point->extrapolated)
            hs_json_write_bool(w, "extrapolated", true);
        hs_json_close(w, '}');
    }
    hs_json_close(w, ']');
}

static void put_score(struct hs_json_writer *w, const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    hs_json_write_number(w, "mean_error", score->mean_error);
    hs_json_write_number(w, "mean_signed_error", score->mean_signed_error);
    hs_json_write_number(w, "worst_error", one->points[score->worst].error);
    put_plan(w, "worst_plan", &one->points[score->worst].plan);
    hs_json_write_number(w, "tau", score->tau);
    put_plan(w, "measured_winner", &one->points[0].plan);
    put_plan(w, "predicted_winner", &one->points[score->predicted_best].plan);
    hs_json_write_whole(w, "predicted_ties", score->predicted_ties);
    hs_json_write_whole(w, "noise_ties", score->noise_ties);
    hs_json_write_bool(w, "found", score->found);
    hs_json_write_bool(w, "found_within_noise", score->found_in_noise);
    hs_json_write_whole(w, "winner_rank", score->winner_rank);
    hs_json_write_whole(w, "winner_rank_within_noise", score->noise_rank);
    hs_json_write_bool(w, "top3", score->winner_rank <= HS_COMPARE_TOP);
    hs_json_write_bool(w, "top3_within_noise", score->noise_rank <= HS_COMPARE_TOP);
    put_regret(w, "regret", "regret_interval", &score->regret);
}

static void put_rule(struct hs_json_writer *w, const struct hs_compare_case *one)
{
    const struct hs_compare_rule *rule = &one->rule;

    hs_json_write_text(w, "missing", rule->missing);
    if (rule->missing)
        return;
    hs_json_write_whole(w, "looked_at", rule->looked_at);
    put_plan(w, "model_best", &rule->best.plan);
    hs_json_write_bool(w, "model_best_measured", rule->best_measured);
    put_plan(w, "rule_best", &rule->pick.plan);
    hs_json_write_number(w, "model_loss", rule->loss);
    hs_json_write_whole(w, "kept", rule->kept);
    hs_json_write_bool(w, "keeps_winner", rule->fastest == 0);
    if (rule->kept == 0)
        return;
    put_plan(w, "chosen", &one->points[rule->chosen].plan);
    put_regret(w, "chosen_regret", "chosen_regret_interval", &rule->chosen_regret);
    put_plan(w, "fastest", &one->points[rule->fastest].plan);
    put_regret(w, "fastest_regret", "fastest_regret_interval", &rule->fastest_regret);
}

static void put_case(struct hs_json_writer *w, const struct hs_compare_case *one,
                     const char *predictor)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "file", one->measured->name);
    hs_json_write_text(w, "predicted_by", one->predicted ? one->predicted->name : predictor);
    hs_json_write_whole(w, "np", (size_t)one->np);
    hs_json_write_whole(w, "message_bytes", one->message->message_bytes);
    hs_json_write_text(w, "backend", one->measured->result->backend);
    hs_json_write_text(w, "system", one->system ? one->system->name : NULL);
    hs_json_write_whole(w, "plans", one->count);
    hs_json_write_whole(w, "unpredicted", one->unpredicted);
    hs_json_write_whole(w, "faulty", one->faulty);
    put_score(w, one);
    hs_json_open(w, "containment", '{');
    put_rule(w, one);
    hs_json_close(w, '}');
    put_candidates(w, one);
    hs_json_close(w, '}');
}

/* ---- all of them ---- */

static void put_reach(struct hs_json_writer *w, const char *key,
                      const struct hs_compare_reach *reach, const struct hs_compare_case *large)
{
    hs_json_open(w, key, '{');
    hs_json_write_whole(w, "reached", reach->reached);
    if (reach->fastest != HS_COMPARE_NONE) {
        put_plan(w, "fastest", &large->points[reach->fastest].plan);
        hs_json_write_bool(w, "within_noise", reach->in_noise);
        put_regret(w, "regret", "regret_interval", &reach->regret);
    }
    hs_json_close(w, '}');
}

static void put_growths(struct hs_json_writer *w, const struct hs_comparison *comparison)
{
    hs_json_open(w, "growth", '[');
    for (size_t i = 0; i < comparison->growth_count; i++) {
        const struct hs_compare_growth *growth = &comparison->growths[i];
        const struct hs_compare_case *small = &comparison->cases[growth->small];
        const struct hs_compare_case *large = &comparison->cases[growth->large];

        hs_json_open(w, NULL, '{');
        hs_json_write_whole(w, "small_case", growth->small);
        hs_json_write_whole(w, "large_case", growth->large);
        hs_json_write_whole(w, "small_np", (size_t)small->np);
        hs_json_write_whole(w, "large_np", (size_t)large->np);
        put_plan(w, "small_winner", &small->points[0].plan);
        put_plan(w, "large_winner", &large->points[0].plan);
        hs_json_write_text(w, "growth", hs_growth_names[growth->growth]);
        hs_json_write_bool(w, "contains", growth->contains);
        hs_json_write_whole(w, "kept", growth->kept);
        put_reach(w, "from_winner", &growth->alone, large);
        put_reach(w, "from_kept", &growth->wide, large);
        hs_json_close(w, '}');
    }
    hs_json_close(w, ']');
}

static void put_summary(struct hs_json_writer *w, const struct hs_comparison *comparison)
{
    const struct hs_compare_summary *summary = &comparison->summary;
    const struct hs_compare_case *cases = comparison->cases, *worst = &cases[summary->worst_case];

    hs_json_open(w, "summary", '{');
    hs_json_write_whole(w, "cases", comparison->case_count);
    hs_json_write_whole(w, "plans", summary->plans);
    hs_json_write_number(w, "mean_error", summary->mean_error);
    hs_json_write_number(w, "worst_error", worst->points[worst->score.worst].error);
    hs_json_write_number(w, "mean_tau", summary->mean_tau);
    hs_json_write_whole(w, "tau_cases", summary->tau_cases);
    hs_json_write_whole(w, "choices", summary->choices);
    hs_json_write_whole(w, "found", summary->found);
    hs_json_write_whole(w, "found_within_noise", summary->found_in_noise);
    hs_json_write_whole(w, "top3_choices", summary->top_choices);
    hs_json_write_whole(w, "top3", summary->top);
    hs_json_write_whole(w, "top3_within_noise", summary->top_in_noise);
    hs_json_write_number(w, "mean_regret", summary->mean_regret);
    if (summary->regret_case != HS_COMPARE_NONE)
        hs_json_write_number(w, "worst_regret", cases[summary->regret_case].score.regret.value);
    hs_json_write_whole(w, "rule_cases", summary->rule_cases);
    hs_json_write_whole(w, "rule_lost_by_model", summary->rule_lost);
    if (summary->rule_cases > 0)
        hs_json_write_number(w, "rule_worst_model_loss",
                             summary->rule_lost ? cases[summary->rule_loss_case].rule.loss : 0);
    hs_json_write_whole(w, "rule_choices", summary->rule_choices);
    hs_json_write_whole(w, "rule_keeps_winner", summary->rule_winner);
    hs_json_write_whole(w, "rule_measured", summary->rule_measured);
    hs_json_write_number(w, "rule_mean_regret", summary->rule_mean_regret);
    if (summary->rule_regret_case != HS_COMPARE_NONE)
        hs_json_write_number(w, "rule_worst_regret",
                             cases[summary->rule_regret_case].rule.fastest_regret.value);
    hs_json_write_whole(w, "growths", comparison->growth_count);
    hs_json_write_whole(w, "growths_contained", summary->contained);
    hs_json_close(w, '}');
}

enum hs_status hs_comparison_print(struct hs_text *out, const struct hs_comparison *comparison,
                                   const char *predictor, const char *command, struct hs_error *err)
{
    struct hs_json_writer w = {.text = out, .err = err};

    hs_json_open(&w, NULL, '{');
    hs_json_write_text(&w, "format", FORMAT);
    hs_json_write_text(&w, "command", command);
    hs_json_open(&w, "containment", '{');
    hs_json_write_whole(&w, "keep", comparison->keep);
    hs_json_write_bool(&w, "widen", comparison->widen);
    hs_json_close(&w, '}');
    hs_json_open(&w, "cases", '[');
    for (size_t i = 0; i < comparison->case_count; i++)
        put_case(&w, &comparison->cases[i], predictor);
    hs_json_close(&w, ']');
    put_growths(&w, comparison);
    put_summary(&w, comparison);
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}
