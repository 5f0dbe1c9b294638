/* race.c - see race.h. */
#include "runner/race.h"

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

/* ---- arms --------------------------------------------------------------------------- */

static enum hs_status add(struct hs_race *race, const struct hs_arm *item, struct hs_error *err)
{
    struct hs_arm *items = realloc(race->items, (race->count + 1) * sizeof(*race->items));

    if (!items)
        return hs_no_memory(err);
    race->items = items;
    items[race->count++] = *item;
    return HS_OK;
}

enum hs_status hs_race_add(struct hs_race *race, const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_arm item = {.plan = *plan};
    struct hs_problem problem = race->problem;
    struct hs_stage stages[HS_STAGES_MAX];

    if (problem.group.ranks == 0)
        problem.group = hs_group_world(hs_split_product(&plan->split));
    hs_plan_format(item.name, plan);
    item.layers.count = hs_problem_stages(stages, &problem, plan);
    for (int s = 0; s < item.layers.count; s++)
        item.layers.stages[s].key = stages[s].key;
    return add(race, &item, err);
}

enum hs_status hs_race_add_baseline(struct hs_race *race, const char *name, int native,
                                    struct hs_error *err)
{
    struct hs_arm item = {.native = native};

    snprintf(item.name, sizeof(item.name), "%s", name);
    return add(race, &item, err);
}

static void forget_choices(struct hs_arm *item)
{
    for (size_t i = 0; i < item->choice_count; i++) {
        free(item->choices[i].name);
        free(item->choices[i].text);
    }
    free(item->choices);
    item->choices = NULL;
    item->choice_count = 0;
}

static enum hs_status add_choice(struct hs_arm *item, const char *name, const char *text,
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
static enum hs_status tell_choices(const struct hs_race *race, struct hs_arm *item,
                                   const struct hs_step_outcome *outcome, struct hs_error *err)
{
    char name[HS_STAGE_KEY_TEXT];
    enum hs_status status = HS_OK;

    forget_choices(item);
    if (item->layers.count == 0)
        return add_choice(item, hs_phase_names[hs_collectives[race->problem.collective].last],
                          outcome->choices[0], err);
    for (int s = 0; s < item->layers.count && status == HS_OK; s++)
        status = add_choice(item, hs_stage_key_format(name, item->layers.stages[s].key),
                            outcome->choices[s], err);
    return status;
}

void hs_race_release(struct hs_race *race)
{
    for (size_t i = 0; i < race->count; i++) {
        struct hs_arm *item = &race->items[i];

        hs_samples_release(&item->seconds);
        hs_samples_release(&item->device);
        hs_samples_release(&item->eager);
        hs_samples_release(&item->layers.whole);
        for (int stage = 0; stage < item->layers.count; stage++)
            hs_samples_release(&item->layers.stages[stage].seconds);
        forget_choices(item);
    }
    free(race->items);
    *race = (struct hs_race){0};
}

static bool is_plan(const struct hs_arm *item)
{
    return item->plan.split.count > 0;
}

/* Its last sample is still to be verified. */
static bool needs_closing(const struct hs_arm *item)
{
    return item->ending != HS_ENDING_OPEN && item->status == HS_MEASURE_OK &&
           item->seconds.count > 0 && item->session.verified_at != item->seconds.count;
}

bool hs_arm_done(const struct hs_arm *item)
{
    return item->ending != HS_ENDING_OPEN && !needs_closing(item);
}

double hs_arm_median(const struct hs_arm *item)
{
    return hs_samples_median(&item->seconds);
}

size_t hs_race_done(const struct hs_race *race)
{
    size_t done = 0;

    for (size_t i = 0; i < race->count; i++)
        done += hs_arm_done(&race->items[i]);
    return done;
}

size_t hs_race_dropped(const struct hs_race *race)
{
    size_t raced = 0;

    for (size_t i = 0; i < race->count; i++)
        raced += race->items[i].ending == HS_ENDING_RACED;
    return raced;
}

/* Only faultless plans, by median; `accept` NULL takes all. */
static struct hs_arm *best_plan(const struct hs_race *race,
                                bool (*accept)(const struct hs_race *, const struct hs_arm *))
{
    struct hs_arm *best = NULL;
    double best_seconds = INFINITY;

    for (size_t i = 0; i < race->count; i++) {
        struct hs_arm *item = &race->items[i];
        double seconds;

        if (!is_plan(item) || item->status != HS_MEASURE_OK || item->seconds.count == 0 ||
            (accept && !accept(race, item)))
            continue;
        seconds = hs_arm_median(item);
        if (seconds < best_seconds ||
            (best && seconds <= best_seconds && hs_plan_compare(&item->plan, &best->plan) < 0)) {
            best = item;
            best_seconds = seconds;
        }
    }
    return best;
}

const struct hs_arm *hs_race_best(const struct hs_race *race)
{
    return best_plan(race, NULL);
}

struct hs_arm *hs_race_find(const struct hs_race *race, const char *name)
{
    for (size_t i = 0; i < race->count; i++)
        if (strcmp(race->items[i].name, name) == 0)
            return &race->items[i];
    return NULL;
}

/* ---- who goes on --------------------------------------------------------------------------- */

/* Smallest upper end of a plan's interval: who lies above it cannot win. */
static double best_upper_end(const struct hs_race *race)
{
    double best = INFINITY;

    for (size_t i = 0; i < race->count; i++) {
        const struct hs_arm *item = &race->items[i];
        struct hs_summary summary;

        if (is_plan(item) && item->status == HS_MEASURE_OK && item->seconds.count > 0 &&
            hs_summarise(&summary, item->seconds.values, item->seconds.count, NULL) == HS_OK &&
            summary.ci_valid && summary.ci_high < best)
            best = summary.ci_high;
    }
    return best;
}

static void judge_one(const struct hs_race *race, struct hs_arm *item, double upper_end)
{
    const struct hs_race_rules *rules = &race->rules;
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

static double cost_per_run(const struct hs_arm *item)
{
    return item->session.runs ? item->session.spent_seconds / (double)item->session.runs : 0;
}

/* When the last round must be over: what is kept for closing runs and for layers comes off. */
static double samples_end(const struct hs_race *race)
{
    double end = race->rules.budget_seconds;

    if (race->rules.layer_runs)
        end *= 1 - LAYERS_SHARE;
    for (size_t i = 0; i < race->count; i++)
        if (race->items[i].ending == HS_ENDING_OPEN)
            end -= cost_per_run(&race->items[i]);
    return end;
}

/* Who has used up the share sits out the next round. */
static void pause_by_share(struct hs_race *race, double remaining_seconds)
{
    double total = remaining_seconds;
    size_t open = 0;

    for (size_t i = 0; i < race->count; i++)
        if (race->items[i].ending == HS_ENDING_OPEN) {
            total += race->items[i].session.spent_seconds;
            open++;
        }
    for (size_t i = 0; i < race->count; i++) {
        struct hs_arm *item = &race->items[i];

        if (item->ending != HS_ENDING_OPEN)
            continue;
        item->session.paused =
            item->seconds.count > 0 &&
            item->session.spent_seconds + cost_per_run(item) > total / (double)open;
    }
}

static void end_open_ones(struct hs_race *race)
{
    for (size_t i = 0; i < race->count; i++) {
        struct hs_arm *item = &race->items[i];

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
static void judge(struct hs_race *race, double elapsed_seconds)
{
    double upper_end = best_upper_end(race);

    for (size_t i = 0; i < race->count; i++)
        if (race->items[i].ending == HS_ENDING_OPEN && race->items[i].seconds.count > 0)
            judge_one(race, &race->items[i], upper_end);
    pause_by_share(race, samples_end(race) - elapsed_seconds);
}

/* ---- the next step ------------------------------------------------------------------------- */

/* A first run may start as long as there is time; of later ones is known what they take. */
static bool is_due(const struct hs_race *race, const struct hs_arm *item, double elapsed_seconds)
{
    if (item->ending != HS_ENDING_OPEN)
        return needs_closing(item);
    return !item->session.paused && elapsed_seconds + cost_per_run(item) < samples_end(race);
}

static bool any_due(const struct hs_race *race, double elapsed_seconds)
{
    for (size_t i = 0; i < race->count; i++)
        if (is_due(race, &race->items[i], elapsed_seconds))
            return true;
    return false;
}

static bool any_open(const struct hs_race *race)
{
    for (size_t i = 0; i < race->count; i++)
        if (race->items[i].ending == HS_ENDING_OPEN)
            return true;
    return false;
}

/* One run of an arm whose turn it is. */
static struct hs_step step_for(const struct hs_race *race, size_t index, bool timed)
{
    const struct hs_arm *item = &race->items[index];

    return (struct hs_step){
        .task = {.kind = is_plan(item) ? HS_TASK_PLAN : HS_TASK_NATIVE,
                 .plan = is_plan(item) ? item->plan : hs_plan_flat(race->problem.group.size),
                 .collective = race->problem.collective,
                 .layout = is_plan(item) ? race->problem.layout : HS_NATURAL,
                 .group = race->problem.group,
                 .native = item->native,
                 .count = race->elements},
        .rules = {.warmup_runs = item->session.prepared ? 0 : race->rules.warmup_runs,
                  .min_samples = 1,
                  .max_samples = 1},
        .prepare = !item->session.prepared,
        .verify = !timed && (item->session.verified_at == 0 || needs_closing(item)),
        .timed = timed,
        .item = index};
}

/* False when the rounds are over. */
static bool next_sample(struct hs_step *step, struct hs_race *race, double elapsed_seconds)
{
    for (;;) {
        for (; race->cursor < race->count; race->cursor++)
            if (is_due(race, &race->items[race->cursor], elapsed_seconds)) {
                *step = step_for(race, race->cursor++, false);
                return true;
            }
        judge(race, elapsed_seconds);
        race->cursor = 0;
        if (any_due(race, elapsed_seconds))
            continue;
        if (!any_open(race))
            return false;
        end_open_ones(race);
    }
}

static bool wants_layers(const struct hs_race *race, const struct hs_arm *item)
{
    return item->layers.runs < race->rules.layer_runs;
}

static bool next_layers(struct hs_step *step, struct hs_race *race, double elapsed_seconds)
{
    const struct hs_arm *best = best_plan(race, wants_layers);

    if (!best || elapsed_seconds >= race->rules.budget_seconds)
        return false;
    *step = step_for(race, (size_t)(best - race->items), true);
    return true;
}

struct hs_step hs_race_next(struct hs_race *race, double elapsed_seconds)
{
    struct hs_step step = {.end = true};

    if (race->phase == HS_RACE_SAMPLES && !next_sample(&step, race, elapsed_seconds))
        race->phase = HS_RACE_LAYERS;
    if (race->phase == HS_RACE_LAYERS && !next_layers(&step, race, elapsed_seconds))
        race->phase = HS_RACE_OVER;
    return step;
}

/* ---- what came of it ----------------------------------------------------------------------- */

static enum hs_status tell_sample(struct hs_race *race, const struct hs_step *step,
                                  const struct hs_step_outcome *outcome, struct hs_error *err)
{
    struct hs_arm *item = &race->items[step->item];
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
        const struct hs_group *group = &race->problem.group;
        char reason[HS_REASON_BYTES], text[HS_GROUP_TEXT];
        int length = snprintf(reason, sizeof(reason), "%llu wrong element%s in sample %zu",
                              (unsigned long long)outcome->wrong_elements,
                              outcome->wrong_elements == 1 ? "" : "s", item->seconds.count);

        if (!hs_group_is_world(group))
            snprintf(reason + length, sizeof(reason) - (size_t)length, ", of group %s",
                     hs_group_format(text, group, outcome->wrong_rank));
        hs_race_fault(race, step->item, HS_MEASURE_WRONG, reason);
    }
    return HS_OK;
}

static enum hs_status tell_stages(struct hs_arm *item, const struct hs_step_outcome *outcome,
                                  struct hs_error *err)
{
    enum hs_status status = hs_samples_join(&item->layers.whole, &outcome->seconds, err);

    for (int s = 0; s < item->layers.count && status == HS_OK; s++)
        status = hs_samples_add(&item->layers.stages[s].seconds, outcome->stage_seconds[s], err);
    item->layers.runs++;
    return status;
}

enum hs_status hs_race_tell(struct hs_race *race, const struct hs_step *step,
                            const struct hs_step_outcome *outcome, struct hs_error *err)
{
    struct hs_arm *item = &race->items[step->item];
    enum hs_status status = HS_OK;

    if (outcome->failed) {
        hs_race_fault(race, step->item, outcome->timed_out ? HS_MEASURE_TIMEOUT : HS_MEASURE_FAILED,
                      outcome->reason);
        return HS_OK;
    }
    item->session.prepared = true;
    if (step->prepare)
        status = tell_choices(race, item, outcome, err);
    if (status != HS_OK)
        return status;
    return step->timed ? tell_stages(item, outcome, err) : tell_sample(race, step, outcome, err);
}

void hs_race_fault(struct hs_race *race, size_t index, enum hs_measure_status status,
                   const char *reason)
{
    struct hs_arm *item = &race->items[index];

    item->ending = HS_ENDING_FAULT;
    item->status = status;
    snprintf(item->reason, sizeof(item->reason), "%s", reason);
}
