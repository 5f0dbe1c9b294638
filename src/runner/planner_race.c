/* The race of plans: one message size after the other, each for its share of the budget. What goes
 * on inside a race is race.h's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "library/mpi_own.h"
#include "runner/campaign.h"
#include "search/search.h"

struct hs_size_run *hs_campaign_size(struct hs_campaign *campaign)
{
    return &campaign->sizes[campaign->current];
}

/* ---- what is measured ---------------------------------------------------------------------- */

/* All plans of a size are padded as the library's default call is. */
static enum hs_status check_sizes(const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_range *sizes = &campaign->settings.campaign.sizes;
    enum hs_datatype datatype = campaign->settings.campaign.datatype;
    size_t line = hs_backend_line(campaign->backend, datatype);
    enum hs_status status = HS_OK;

    for (uint64_t bytes = sizes->first; bytes && status == HS_OK;
         bytes = hs_range_next(sizes, bytes)) {
        struct hs_problem problem = hs_campaign_problem(campaign, (double)bytes);
        struct hs_task task = {.kind = HS_TASK_NATIVE,
                               .plan = hs_problem_flat(&problem),
                               .collective = problem.collective,
                               .group = problem.group,
                               .count = bytes / hs_datatype_bytes(datatype)};

        status = hs_error_prefix(err, hs_task_check_count(&task, line, err), HS_AS_BYTES(bytes));
    }
    return status;
}

/* The library's collectives go by its own choice: letters of plans would mean nothing. */
static enum hs_status choose_plans(struct hs_campaign *campaign, struct hs_size_run *run,
                                   struct hs_error *err)
{
    const struct hs_backend *backend = campaign->backend;
    struct hs_problem problem = hs_campaign_problem(campaign, (double)run->bytes);
    enum hs_status status =
        hs_candidates_choose(&run->candidates, &campaign->settings,
                             campaign->has_system ? &campaign->system : NULL, &problem, err);

    for (size_t i = 0; i < run->candidates.count && status == HS_OK && !backend->any_algorithm; i++)
        if (hs_plan_names_ours(&run->candidates.plans[i]))
            status = hs_fail(err, HS_INVALID,
                             "plan \"%s\": backend %s runs its library's own algorithm on each "
                             "layer; backend host runs any",
                             HS_AS_PLAN(&run->candidates.plans[i]), backend->name);
    return status;
}

/* The flat split first, to compare with, then the model's best. The library's calls come last
 * in each round: should time run out in the first one, a slow library has not taken it from the
 * plans. */
static enum hs_status add_arms(struct hs_campaign *campaign, struct hs_size_run *run,
                               struct hs_error *err)
{
    const struct hs_engine *engine = campaign->backend->engine;
    const struct hs_measure_settings *settings = &campaign->settings;
    const struct hs_candidates *candidates = &run->candidates;
    const char *const *natives = engine->natives[settings->campaign.call.collective];
    struct hs_race *race = &run->race;
    enum hs_status status = HS_OK;
    struct hs_plan flat;

    race->problem = hs_campaign_problem(campaign, (double)run->bytes);
    flat = hs_problem_flat(&race->problem);
    race->elements = run->bytes / hs_datatype_bytes(settings->campaign.datatype);
    race->rules = (struct hs_race_rules){
        .precision = settings->precision,
        .min_samples = (size_t)settings->min_samples,
        .max_samples = (size_t)settings->max_samples,
        .layer_runs = (size_t)settings->layer_runs,
        .warmup_runs = (int)settings->warmup,
    };
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < candidates->count && status == HS_OK; i++)
            if ((hs_plan_compare(&candidates->plans[i], &flat) != 0) == others)
                status = hs_race_add(race, &candidates->plans[i], err);
    for (int i = 0; natives[i] && status == HS_OK; i++)
        if (!engine->has_native || engine->has_native(i))
            status = hs_race_add_baseline(race, natives[i], i, err);
    for (int i = 0; i < hs_mpi_own_count && settings->native && status == HS_OK; i++)
        if (hs_mpi_own[i].collective == settings->campaign.call.collective &&
            engine->has_native(HS_NATIVES_MAX + i))
            status = hs_race_add_baseline(race, hs_mpi_own[i].name, HS_NATIVES_MAX + i, err);
    return status;
}

static enum hs_status prepare(struct hs_campaign *campaign, size_t *count, struct hs_error *err)
{
    const struct hs_range *sizes = &campaign->settings.campaign.sizes;
    struct hs_size_run *runs;
    enum hs_status status = check_sizes(campaign, err);

    for (uint64_t bytes = sizes->first; bytes && status == HS_OK;
         bytes = hs_range_next(sizes, bytes))
        ++*count;
    if (status != HS_OK)
        return status;
    runs = calloc(*count, sizeof(*runs));
    if (!runs)
        return hs_no_memory(err);
    for (uint64_t bytes = sizes->first, i = 0; bytes; bytes = hs_range_next(sizes, bytes))
        runs[i++].bytes = bytes;
    hs_guard_lock(campaign->guard);
    campaign->sizes = runs;
    campaign->size_count = *count;
    hs_guard_unlock(campaign->guard);
    /* A lazy race's plans are chosen when its layers are measured. */
    for (size_t i = 0; i < *count && status == HS_OK && !campaign->lazy; i++) {
        status = choose_plans(campaign, &runs[i], err);
        if (status == HS_OK)
            status = add_arms(campaign, &runs[i], err);
    }
    return status;
}

/* ---- journal ------------------------------------------------------------------------------- */

/* Of `count` sizes from `first` on. */
static enum hs_status restore_sizes(struct hs_campaign *campaign, size_t first, size_t count,
                                    struct hs_error *err)
{
    const struct hs_journal *journal = &campaign->journal;
    enum hs_status status = HS_OK;
    size_t done = 0, all = 0;

    for (size_t i = first; i < first + count && status == HS_OK; i++) {
        struct hs_size_run *run = &campaign->sizes[i];

        status = hs_journal_restore(journal, &run->race, run->bytes,
                                    campaign->settings.campaign.retry, err);
        done += hs_race_done(&run->race);
        all += run->race.count;
    }
    if (status == HS_OK && !journal->path)
        return HS_OK;
    if (status == HS_OK && journal->old)
        hs_progress_note(&campaign->progress, "%s: %zu of %zu were done before", journal->path,
                         done, all);
    else if (status == HS_OK)
        hs_progress_note(&campaign->progress, "%s: there was none, everything is measured",
                         journal->path);
    return status;
}

static enum hs_status restore(struct hs_campaign *campaign, struct hs_error *err)
{
    return campaign->lazy ? HS_OK : restore_sizes(campaign, 0, campaign->size_count, err);
}

static void write_arm(struct hs_campaign *campaign, const struct hs_size_run *run,
                      struct hs_arm *item)
{
    struct hs_error error;

    if (hs_journal_wants(item))
        hs_campaign_journaled(
            campaign, hs_journal_write(&campaign->journal, run->bytes, item, &error), &error);
}

static void journal(struct hs_campaign *campaign)
{
    for (size_t i = 0; i < campaign->size_count; i++) {
        const struct hs_size_run *run = &campaign->sizes[i];

        for (size_t j = 0; run->begun && j < run->race.count; j++)
            write_arm(campaign, run, &run->race.items[j]);
    }
}

/* ---- one size ------------------------------------------------------------------------------ */

static enum hs_status begin(struct hs_campaign *campaign, size_t *elements, struct hs_error *err)
{
    struct hs_size_run *run = hs_campaign_size(campaign);
    enum hs_status status = HS_OK;

    if (campaign->lazy)
        status = add_arms(campaign, run, err);
    else
        run->share_seconds = hs_size_share(campaign);
    if (status == HS_OK && campaign->lazy && campaign->settings.campaign.resume)
        status = restore_sizes(campaign, campaign->current, 1, err);
    run->begun = true;
    run->race.rules.budget_seconds = run->share_seconds - run->layers_seconds;
    campaign->progress.bytes = run->bytes;
    *elements = run->race.elements;
    return status;
}

static enum hs_status next(struct hs_campaign *campaign, struct hs_step *step,
                           double elapsed_seconds, struct hs_error *err)
{
    (void)err;
    *step = hs_race_next(&hs_campaign_size(campaign)->race, elapsed_seconds);
    return HS_OK;
}

/* And the journal, of what is done; and progress. */
static enum hs_status tell(struct hs_campaign *campaign, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_size_run *run = hs_campaign_size(campaign);
    enum hs_status status = hs_race_tell(&run->race, step, outcome, err);
    enum hs_datatype datatype = campaign->settings.campaign.datatype;
    size_t line = hs_backend_line(campaign->backend, datatype);
    uint64_t padded = hs_task_padded(&step->task, line) * hs_datatype_bytes(datatype);

    if (step->task.kind == HS_TASK_PLAN && padded > run->bytes && padded > run->padded_bytes)
        run->padded_bytes = padded;
    if (hs_arm_done(&run->race.items[step->item])) {
        write_arm(campaign, run, &run->race.items[step->item]);
        hs_campaign_sync(campaign);
    }
    hs_progress_step(&campaign->progress, &run->race, step, elapsed_seconds);
    return status;
}

/* A virtual clock starts at 0 for each size. */
double hs_size_share(const struct hs_campaign *campaign)
{
    const struct hs_measure_job *job = &campaign->settings.job;
    double budget = campaign->settings.budget_seconds, own = 1, left = 0;
    bool virtual = campaign->backend->virtual_clock;

    for (size_t i = virtual ? 0 : campaign->current; i < campaign->size_count; i++) {
        double share = job->profile ? job->shares[i] : 1;

        left += share;
        own = i == campaign->current ? share : own;
    }
    if (!virtual)
        budget -= hs_clock_seconds() - campaign->begin_seconds;
    return budget * own / left;
}

const struct hs_planner hs_race_planner = {.prepare = prepare,
                                           .restore = restore,
                                           .begin = begin,
                                           .next = next,
                                           .tell = tell,
                                           .journal = journal};
