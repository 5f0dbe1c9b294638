/* contest.c - see contest.h. */
#include "runner/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/statistics.h"
#include "model/problem.h"

/* Part of the budget that is kept for the runs with layer times. */
#define LAYERS_SHARE 0.15

const char *const hs_ending_names[HS_ENDING_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_ENDINGS(HS_ROW)
#undef HS_ROW
};

/* ---- contestants --------------------------------------------------------------------------- */

static enum hs_status add(struct hs_contest *contest, const struct hs_contestant *item,
                          struct hs_error *err)
{
    struct hs_contestant *items =
        realloc(contest->items, (contest->count + 1) * sizeof(*contest->items));

    if (!items)
        return hs_no_memory(err);
    contest->items = items;
    items[contest->count++] = *item;
    return HS_OK;
}

enum hs_status hs_contest_add(struct hs_contest *contest, const struct hs_plan *plan,
                              struct hs_error *err)
{
    struct hs_contestant item = {.plan = *plan};
    struct hs_problem problem = contest->problem;
    struct hs_stage stages[HS_STAGES_MAX];

    if (problem.group.ranks == 0)
        problem.group = hs_group_world(hs_split_product(&plan->split));
    hs_plan_format(item.name, plan);
    item.layers.count = hs_problem_stages(stages, &problem, plan);
    for (int s = 0; s < item.layers.count; s++)
        item.layers.stages[s].key = stages[s].key;
    return add(contest, &item, err);
}

enum hs_status hs_contest_add_baseline(struct hs_contest *contest, const char *name, int native,
                                       struct hs_error *err)
{
    struct hs_contestant item = {.native = native};

    snprintf(item.name, sizeof(item.name), "%s", name);
    return add(contest, &item, err);
}

static void forget_choices(struct hs_contestant *item)
{
    for (size_t i = 0; i < item->choice_count; i++) {
        free(item->choices[i].name);
        free(item->choices[i].text);
    }
    free(item->choices);
    item->choices = NULL;
    item->choice_count = 0;
}

static enum hs_status add_choice(struct hs_contestant *item, const char *name, const char *text,
                                 struct hs_error *err)
{
    struct hs_fact *fact;

    if (text[0] == '\0')
        return HS_OK;
    fact = hs_grow(&item->choices, NULL, item->choice_count, sizeof(*fact), err);
    if (!fact)
        return HS_MEMORY;
    *fact = (struct hs_fact){hs_strdup(name), hs_strdup(text)};
    item->choice_count++;
    return fact->name && fact->text ? HS_OK : hs_no_memory(err);
}

/* Those of this session, where it was prepared. */
static enum hs_status tell_choices(const struct hs_contest *contest, struct hs_contestant *item,
                                   const struct hs_step_outcome *outcome, struct hs_error *err)
{
    char name[HS_STAGE_KEY_TEXT];
    enum hs_status status = HS_OK;

    forget_choices(item);
    if (item->layers.count == 0)
        return add_choice(item, hs_phase_names[hs_collectives[contest->problem.collective].last],
                          outcome->choices[0], err);
    for (int s = 0; s < item->layers.count && status == HS_OK; s++)
        status = add_choice(item, hs_stage_key_format(name, item->layers.stages[s].key),
                            outcome->choices[s], err);
    return status;
}

void hs_contest_release(struct hs_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) {
        struct hs_contestant *item = &contest->items[i];

        hs_samples_release(&item->seconds);
        hs_samples_release(&item->device);
        hs_samples_release(&item->eager);
        hs_samples_release(&item->layers.whole);
        for (int stage = 0; stage < item->layers.count; stage++)
            hs_samples_release(&item->layers.stages[stage].seconds);
        forget_choices(item);
    }
    free(contest->items);
    *contest = (struct hs_contest){0};
}

static bool is_plan(const struct hs_contestant *item)
{
    return item->plan.split.count > 0;
}

/* Its last sample is still to be verified. */
static bool needs_closing(const struct hs_contestant *item)
{
    return item->ending != HS_ENDING_OPEN && item->status == HS_MEASURE_OK &&
           item->seconds.count > 0 && item->session.verified_at != item->seconds.count;
}

bool hs_contestant_done(const struct hs_contestant *item)
{
    return item->ending != HS_ENDING_OPEN && !needs_closing(item);
}

double hs_contestant_median(const struct hs_contestant *item)
{
    return hs_samples_median(&item->seconds);
}

size_t hs_contest_done(const struct hs_contest *contest)
{
    size_t done = 0;

    for (size_t i = 0; i < contest->count; i++)
        done += hs_contestant_done(&contest->items[i]);
    return done;
}

size_t hs_contest_raced(const struct hs_contest *contest)
{
    size_t raced = 0;

    for (size_t i = 0; i < contest->count; i++)
        raced += contest->items[i].ending == HS_ENDING_RACED;
    return raced;
}

/* Only faultless plans, by median; `accept` NULL takes all. */
static struct hs_contestant *best_plan(const struct hs_contest *contest,
                                       bool (*accept)(const struct hs_contest *,
                                                      const struct hs_contestant *))
{
    struct hs_contestant *best = NULL;
    double best_seconds = INFINITY;

    for (size_t i = 0; i < contest->count; i++) {
        struct hs_contestant *item = &contest->items[i];
        double seconds;

        if (!is_plan(item) || item->status != HS_MEASURE_OK || item->seconds.count == 0 ||
            (accept && !accept(contest, item)))
            continue;
        seconds = hs_contestant_median(item);
        if (seconds < best_seconds ||
            (best && seconds <= best_seconds && hs_plan_compare(&item->plan, &best->plan) < 0)) {
            best = item;
            best_seconds = seconds;
        }
    }
    return best;
}

const struct hs_contestant *hs_contest_best(const struct hs_contest *contest)
{
    return best_plan(contest, NULL);
}

struct hs_contestant *hs_contest_find(const struct hs_contest *contest, const char *name)
{
    for (size_t i = 0; i < contest->count; i++)
        if (strcmp(contest->items[i].name, name) == 0)
            return &contest->items[i];
    return NULL;
}

/* ---- who goes on --------------------------------------------------------------------------- */

/* Smallest upper end of a plan's interval: who lies above it cannot win. */
static double best_upper_end(const struct hs_contest *contest)
{
    double best = INFINITY;

    for (size_t i = 0; i < contest->count; i++) {
        const struct hs_contestant *item = &contest->items[i];
        struct hs_summary summary;

        if (is_plan(item) && item->status == HS_MEASURE_OK && item->seconds.count > 0 &&
            hs_summarise(&summary, item->seconds.values, item->seconds.count, NULL) == HS_OK &&
            summary.ci_valid && summary.ci_high < best)
            best = summary.ci_high;
    }
    return best;
}

static void judge_one(const struct hs_contest *contest, struct hs_contestant *item,
                      double upper_end)
{
    const struct hs_contest_rules *rules = &contest->rules;
    struct hs_summary summary;

    /* The closing run is still to come: it makes the last sample. */
    if (item->seconds.count + 1 >= rules->max_samples)
        item->ending = HS_ENDING_FULL;
    if (item->seconds.count < rules->min_samples ||
        hs_summarise(&summary, item->seconds.values, item->seconds.count, NULL) != HS_OK ||
        !summary.ci_valid)
        return;
    if (hs_summary_precision(&summary) <= rules->precision)
        item->ending = HS_ENDING_PRECISE;
    else if (is_plan(item) && summary.ci_low > upper_end)
        item->ending = HS_ENDING_RACED;
}

static double cost_per_run(const struct hs_contestant *item)
{
    return item->session.runs ? item->session.spent_seconds / (double)item->session.runs : 0;
}

/* When the last round must be over: what is kept for closing runs and for layers comes off. */
static double samples_end(const struct hs_contest *contest)
{
    double end = contest->rules.budget_seconds;

    if (contest->rules.layer_runs)
        end *= 1 - LAYERS_SHARE;
    for (size_t i = 0; i < contest->count; i++)
        if (contest->items[i].ending == HS_ENDING_OPEN)
            end -= cost_per_run(&contest->items[i]);
    return end;
}

/* Who has used up the share sits out the next round. */
static void pause_by_share(struct hs_contest *contest, double remaining_seconds)
{
    double total = remaining_seconds;
    size_t open = 0;

    for (size_t i = 0; i < contest->count; i++)
        if (contest->items[i].ending == HS_ENDING_OPEN) {
            total += contest->items[i].session.spent_seconds;
            open++;
        }
    for (size_t i = 0; i < contest->count; i++) {
        struct hs_contestant *item = &contest->items[i];

        if (item->ending != HS_ENDING_OPEN)
            continue;
        item->session.paused =
            item->seconds.count > 0 &&
            item->session.spent_seconds + cost_per_run(item) > total / (double)open;
    }
}

static void end_open_ones(struct hs_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) {
        struct hs_contestant *item = &contest->items[i];

        if (item->ending != HS_ENDING_OPEN)
            continue;
        item->ending = HS_ENDING_SPENT;
        if (item->seconds.count == 0) {
            item->status = HS_MEASURE_SKIPPED;
            snprintf(item->reason, sizeof(item->reason), "the time was spent before its turn");
        }
    }
}

/* At the end of a round. */
static void judge(struct hs_contest *contest, double elapsed_seconds)
{
    double upper_end = best_upper_end(contest);

    for (size_t i = 0; i < contest->count; i++)
        if (contest->items[i].ending == HS_ENDING_OPEN && contest->items[i].seconds.count > 0)
            judge_one(contest, &contest->items[i], upper_end);
    pause_by_share(contest, samples_end(contest) - elapsed_seconds);
}

/* ---- the next step ------------------------------------------------------------------------- */

/* A first run may start as long as there is time; of later ones is known what they take. */
static bool is_due(const struct hs_contest *contest, const struct hs_contestant *item,
                   double elapsed_seconds)
{
    if (item->ending != HS_ENDING_OPEN)
        return needs_closing(item);
    return !item->session.paused && elapsed_seconds + cost_per_run(item) < samples_end(contest);
}

static bool any_due(const struct hs_contest *contest, double elapsed_seconds)
{
    for (size_t i = 0; i < contest->count; i++)
        if (is_due(contest, &contest->items[i], elapsed_seconds))
            return true;
    return false;
}

static bool any_open(const struct hs_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++)
        if (contest->items[i].ending == HS_ENDING_OPEN)
            return true;
    return false;
}

/* One run of a contestant whose turn it is. */
static struct hs_step step_for(const struct hs_contest *contest, size_t index, bool timed)
{
    const struct hs_contestant *item = &contest->items[index];

    return (struct hs_step){
        .task = {.kind = is_plan(item) ? HS_TASK_PLAN : HS_TASK_NATIVE,
                 .plan = is_plan(item) ? item->plan : hs_plan_flat(contest->problem.group.size),
                 .collective = contest->problem.collective,
                 .order = is_plan(item) ? contest->problem.order : HS_IN_PLACE,
                 .group = contest->problem.group,
                 .native = item->native,
                 .count = contest->elements},
        .rules = {.warmup_runs = item->session.prepared ? 0 : contest->rules.warmup_runs,
                  .min_samples = 1,
                  .max_samples = 1},
        .prepare = !item->session.prepared,
        .verify = !timed && (item->session.verified_at == 0 || needs_closing(item)),
        .timed = timed,
        .item = index};
}

/* False when the rounds are over. */
static bool next_sample(struct hs_step *step, struct hs_contest *contest, double elapsed_seconds)
{
    for (;;) {
        for (; contest->cursor < contest->count; contest->cursor++)
            if (is_due(contest, &contest->items[contest->cursor], elapsed_seconds)) {
                *step = step_for(contest, contest->cursor++, false);
                return true;
            }
        judge(contest, elapsed_seconds);
        contest->cursor = 0;
        if (any_due(contest, elapsed_seconds))
            continue;
        if (!any_open(contest))
            return false;
        end_open_ones(contest);
    }
}

static bool wants_layers(const struct hs_contest *contest, const struct hs_contestant *item)
{
    return item->layers.runs < contest->rules.layer_runs;
}

static bool next_layers(struct hs_step *step, struct hs_contest *contest, double elapsed_seconds)
{
    const struct hs_contestant *best = best_plan(contest, wants_layers);

    if (!best || elapsed_seconds >= contest->rules.budget_seconds)
        return false;
    *step = step_for(contest, (size_t)(best - contest->items), true);
    return true;
}

struct hs_step hs_contest_next(struct hs_contest *contest, double elapsed_seconds)
{
    struct hs_step step = {.end = true};

    if (contest->phase == HS_CONTEST_SAMPLES && !next_sample(&step, contest, elapsed_seconds))
        contest->phase = HS_CONTEST_LAYERS;
    if (contest->phase == HS_CONTEST_LAYERS && !next_layers(&step, contest, elapsed_seconds))
        contest->phase = HS_CONTEST_OVER;
    return step;
}

/* ---- what came of it ----------------------------------------------------------------------- */

static enum hs_status tell_sample(struct hs_contest *contest, const struct hs_step *step,
                                  const struct hs_step_outcome *outcome, struct hs_error *err)
{
    struct hs_contestant *item = &contest->items[step->item];
    enum hs_status status = hs_samples_join(&item->seconds, &outcome->seconds, err);

    if (status == HS_OK)
        status = hs_samples_join(&item->device, &outcome->device, err);
    if (status == HS_OK)
        status = hs_samples_join(&item->eager, &outcome->eager, err);
    if (status != HS_OK)
        return status;
    item->session.spent_seconds += outcome->cost_seconds;
    item->session.runs++;
    if (!step->verify)
        return HS_OK;
    item->session.verified_at = item->seconds.count;
    item->wrong_elements = outcome->wrong_elements;
    if (outcome->wrong_elements > 0) {
        const struct hs_group *group = &contest->problem.group;
        char reason[HS_REASON_BYTES], text[HS_GROUP_TEXT];
        int length = snprintf(reason, sizeof(reason), "%llu wrong element%s in sample %zu",
                              (unsigned long long)outcome->wrong_elements,
                              outcome->wrong_elements == 1 ? "" : "s", item->seconds.count);

        if (!hs_group_is_world(group))
            snprintf(reason + length, sizeof(reason) - (size_t)length, ", of group %s",
                     hs_group_format(text, group, outcome->wrong_rank));
        hs_contest_fault(contest, step->item, HS_MEASURE_WRONG, reason);
    }
    return HS_OK;
}

static enum hs_status tell_stages(struct hs_contestant *item, const struct hs_step_outcome *outcome,
                                  struct hs_error *err)
{
    enum hs_status status = hs_samples_join(&item->layers.whole, &outcome->seconds, err);

    for (int s = 0; s < item->layers.count && status == HS_OK; s++)
        status = hs_samples_add(&item->layers.stages[s].seconds, outcome->stage_seconds[s], err);
    item->layers.runs++;
    return status;
}

enum hs_status hs_contest_tell(struct hs_contest *contest, const struct hs_step *step,
                               const struct hs_step_outcome *outcome, struct hs_error *err)
{
    struct hs_contestant *item = &contest->items[step->item];
    enum hs_status status = HS_OK;

    if (outcome->failed) {
        hs_contest_fault(contest, step->item,
                         outcome->timed_out ? HS_MEASURE_TIMEOUT : HS_MEASURE_FAILED,
                         outcome->reason);
        return HS_OK;
    }
    item->session.prepared = true;
    if (step->prepare)
        status = tell_choices(contest, item, outcome, err);
    if (status != HS_OK)
        return status;
    return step->timed ? tell_stages(item, outcome, err) : tell_sample(contest, step, outcome, err);
}

void hs_contest_fault(struct hs_contest *contest, size_t index, enum hs_measure_status status,
                      const char *reason)
{
    struct hs_contestant *item = &contest->items[index];

    item->ending = HS_ENDING_FAULT;
    item->status = status;
    snprintf(item->reason, sizeof(item->reason), "%s", reason);
}
