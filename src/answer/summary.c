/* Several cases together: growth from one process count to the next, and the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cases.h"

/* ---- growth ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Measured in the same way on the same machine, for another number of processes. */
static bool belong_together(const struct hs_compare_case *a, const struct hs_compare_case *b)
{
    const struct hs_result *left = a->measured->result, *right = b->measured->result;
    const struct hs_system *machines[2] = {hs_compare_system_of(left), hs_compare_system_of(right)};

    return a->message->message_bytes == b->message->message_bytes &&
           a->message->datatype == b->message->datatype &&
           a->message->operation == b->message->operation &&
           same_text(left->backend, right->backend) &&
           ((!machines[0] && !machines[1]) || hs_compare_same_system(machines[0], machines[1]));
}

/* The case that `large` grows from; HS_COMPARE_NONE. */
static size_t find_small(const struct hs_comparison *comparison, size_t large)
{
    const struct hs_compare_case *cases = comparison->cases;
    size_t found = HS_COMPARE_NONE;

    for (size_t i = 0; i < comparison->case_count; i++) {
        if (cases[i].np < 2 || cases[i].np >= cases[large].np || cases[large].np % cases[i].np != 0)
            continue;
        if (found != HS_COMPARE_NONE && cases[i].np <= cases[found].np)
            continue;
        if (belong_together(&cases[i], &cases[large]))
            found = i;
    }
    return found;
}

/* What `small_count` plans of the smaller case lead to. */
static struct hs_compare_reach reach(const struct hs_compare_case *small, size_t small_count,
                                     const struct hs_compare_case *large, bool widen)
{
    struct hs_compare_reach out = {.fastest = HS_COMPARE_NONE, .regret = {NAN, NAN, NAN}};

    for (size_t i = 0; i < large->count; i++) {
        bool reached = false;

        for (size_t k = 0; k < small_count && !reached; k++)
            reached = hs_compare_reaches(&small->points[k].plan.split, &large->points[i].plan.split,
                                         widen);
        out.reached += reached;
        if (reached && out.fastest == HS_COMPARE_NONE)
            out.fastest = i;
    }
    if (out.fastest != HS_COMPARE_NONE) {
        out.in_noise = large->points[out.fastest].ties_best;
        out.regret = hs_compare_regret_of(large->points, large->count, out.fastest);
    }
    return out;
}

static struct hs_compare_growth grow(const struct hs_comparison *comparison, size_t small_index,
                                     size_t large_index)
{
    const struct hs_compare_case *small = &comparison->cases[small_index];
    const struct hs_compare_case *large = &comparison->cases[large_index];
    const struct hs_split *winners[2] = {&small->points[0].plan.split,
                                         &large->points[0].plan.split};
    struct hs_compare_growth growth = {
        .small = small_index, .large = large_index, .small_np = small->np, .large_np = large->np};

    growth.growth = hs_growth_of(winners[0], winners[1]);
    growth.contains = hs_compare_reaches(winners[0], winners[1], comparison->widen);
    growth.kept = comparison->keep < small->count ? comparison->keep : small->count;
    growth.alone = reach(small, 1, large, comparison->widen);
    growth.wide = reach(small, growth.kept, large, comparison->widen);
    return growth;
}

/* By size, then by count; of equal ones the file given first. */
static bool comes_before(const struct hs_compare_case *a, const struct hs_compare_case *b)
{
    if (a->message->message_bytes != b->message->message_bytes)
        return a->message->message_bytes < b->message->message_bytes;
    return a->np < b->np;
}

static void insert(struct hs_comparison *out, struct hs_compare_growth growth)
{
    size_t at = out->growth_count++;

    while (at > 0 &&
           comes_before(&out->cases[growth.large], &out->cases[out->growths[at - 1].large])) {
        out->growths[at] = out->growths[at - 1];
        at--;
    }
    out->growths[at] = growth;
}

enum hs_status hs_compare_find_growths(struct hs_comparison *out, struct hs_error *err)
{
    out->growths = calloc(out->case_count + 1, sizeof(*out->growths));
    if (!out->growths)
        return hs_no_memory(err);
    for (size_t i = 0; i < out->case_count; i++) {
        size_t small = find_small(out, i);

        if (small != HS_COMPARE_NONE)
            insert(out, grow(out, small, i));
    }
    return HS_OK;
}

/* ---- the summary ---- */

/* Sums on the way to means. */
struct sums {
    double errors, taus, regrets, rule_regrets;
};

static void add_errors(struct hs_compare_summary *out, struct sums *sums,
                       const struct hs_compare_case *cases, size_t i)
{
    const struct hs_compare_score *score = &cases[i].score;
    const struct hs_compare_case *worst = &cases[out->worst_case];

    out->plans += cases[i].count;
    sums->errors += score->mean_error * (double)cases[i].count;
    if (fabs(cases[i].points[score->worst].error) > fabs(worst->points[worst->score.worst].error))
        out->worst_case = i;
    if (isfinite(score->tau)) {
        out->tau_cases++;
        sums->taus += score->tau;
    }
}

static void add_choice(struct hs_compare_summary *out, struct sums *sums,
                       const struct hs_compare_case *cases, size_t i)
{
    const struct hs_compare_score *score = &cases[i].score;

    if (cases[i].count < 2)
        return;
    out->choices++;
    out->found += score->found;
    out->found_in_noise += score->found_in_noise;
    sums->regrets += score->regret.value;
    if (out->regret_case == HS_COMPARE_NONE ||
        score->regret.value > cases[out->regret_case].score.regret.value)
        out->regret_case = i;
    if (cases[i].count > HS_COMPARE_TOP) {
        out->top_choices++;
        out->top += score->top;
        out->top_in_noise += score->top_in_noise;
    }
}

static void add_rule(struct hs_compare_summary *out, struct sums *sums,
                     const struct hs_compare_case *cases, size_t i)
{
    const struct hs_compare_rule *rule = &cases[i].rule;

    if (rule->missing)
        return;
    out->rule.cases++;
    if (rule->loss > 0) {
        out->rule.lost++;
        if (out->rule.loss_case == HS_COMPARE_NONE ||
            rule->loss > cases[out->rule.loss_case].rule.loss)
            out->rule.loss_case = i;
    }
    if (cases[i].count < 2)
        return;
    out->rule.choices++;
    out->rule.winner += rule->keeps_winner;
    if (rule->kept == 0)
        return;
    out->rule.measured++;
    sums->rule_regrets += rule->fastest_regret.value;
    if (out->rule.regret_case == HS_COMPARE_NONE ||
        rule->fastest_regret.value > cases[out->rule.regret_case].rule.fastest_regret.value)
        out->rule.regret_case = i;
}

static double mean(double sum, size_t count)
{
    return count ? sum / (double)count : NAN;
}

void hs_compare_summarise(struct hs_comparison *out)
{
    struct hs_compare_summary *summary = &out->summary;
    struct sums sums = {.errors = 0};

    *summary = (struct hs_compare_summary){.regret_case = HS_COMPARE_NONE,
                                           .rule.loss_case = HS_COMPARE_NONE,
                                           .rule.regret_case = HS_COMPARE_NONE};
    for (size_t i = 0; i < out->case_count; i++) {
        add_errors(summary, &sums, out->cases, i);
        add_choice(summary, &sums, out->cases, i);
        add_rule(summary, &sums, out->cases, i);
    }
    for (size_t i = 0; i < out->growth_count; i++)
        summary->contained += out->growths[i].contains;
    summary->mean_error = mean(sums.errors, summary->plans);
    summary->mean_tau = mean(sums.taus, summary->tau_cases);
    summary->mean_regret = mean(sums.regrets, summary->choices);
    summary->rule.mean_regret = mean(sums.rule_regrets, summary->rule.measured);
}
