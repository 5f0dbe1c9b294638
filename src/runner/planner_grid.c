/* The grid of a calibration: the layers that the settings ask for, each at several sizes. What is
 * measured and in which order is calibrate_plan.h's, the rounds are grid.h's. */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "runner/calibrate_plan.h"
#include "runner/campaign.h"

static enum hs_status prepare(struct hs_campaign *campaign, size_t *count, struct hs_error *err)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    const struct hs_grid_rules rules = {.rounds = settings->rounds,
                                        .min_samples = settings->min_samples,
                                        .max_samples = settings->max_samples,
                                        .warmup = settings->warmup,
                                        .precision = settings->precision,
                                        .budget_seconds = settings->budget_seconds};
    const struct hs_calibrate_extent extent = {.sizes = settings->campaign.sizes,
                                               .width =
                                                   hs_datatype_bytes(settings->campaign.datatype),
                                               .max_layers = (size_t)settings->layers,
                                               .algorithms = settings->algorithms,
                                               .stages = &settings->stages};
    const struct hs_problem problem = hs_campaign_problem(campaign, 0);
    size_t line = hs_backend_line(campaign->backend, settings->campaign.datatype);
    struct hs_calibrate_plan plan;
    enum hs_status status =
        hs_calibrate_plan_make(&plan, &campaign->system, &problem, &extent, err);

    for (size_t i = 0; i < plan.count && status == HS_OK; i++) {
        struct hs_task task = {
            .kind = HS_TASK_STAGE, .stage = plan.tasks[i].stage, .count = plan.tasks[i].count};

        status = hs_task_check_count(&task, line, err);
    }
    if (status != HS_OK) {
        hs_calibrate_plan_release(&plan);
        return status;
    }
    *count = 1;
    hs_guard_lock(campaign->guard);
    status = hs_grid_init(&campaign->grid, &plan, campaign->ranks.np, &rules, err);
    hs_guard_unlock(campaign->guard);
    return status;
}

static enum hs_status restore(struct hs_campaign *campaign, struct hs_error *err)
{
    size_t width = hs_datatype_bytes(campaign->settings.campaign.datatype), count;
    struct hs_journal_layer *layers;
    enum hs_status status =
        hs_journal_layers(&layers, &count, &campaign->journal, 0, campaign->ranks.np, err);

    for (size_t i = 0; i < count && status == HS_OK; i++) {
        const struct hs_fit_point *point = &layers[i].point;

        if (!layers[i].failed)
            status = hs_grid_restore(&campaign->grid, point->key, (size_t)point->bytes / width,
                                     &layers[i].samples, err);
        else if (!campaign->settings.campaign.retry)
            status = hs_grid_restore(&campaign->grid, point->key, 0, NULL, err);
    }
    hs_journal_layers_release(layers, count);
    if (status == HS_OK && campaign->journal.old)
        hs_progress_note(&campaign->progress, "%s: %zu of %zu measurements were done before",
                         campaign->journal.path, campaign->grid.measured_tasks,
                         campaign->grid.plan.count);
    else if (status == HS_OK)
        hs_progress_note(&campaign->progress, "%s: there was none, everything is measured",
                         campaign->journal.path);
    return status;
}

static enum hs_status begin(struct hs_campaign *campaign, size_t *elements, struct hs_error *err)
{
    (void)err;
    *elements = campaign->grid.plan.count_max;
    return HS_OK;
}

static enum hs_status next(struct hs_campaign *campaign, struct hs_step *step,
                           double elapsed_seconds, struct hs_error *err)
{
    (void)err;
    *step = hs_grid_next(&campaign->grid, elapsed_seconds);
    return HS_OK;
}

#define WHAT_BYTES 256

static void describe(char what[WHAT_BYTES], const struct hs_step *step, size_t bytes,
                     const struct hs_samples *samples)
{
    const struct hs_stage_key *stage = &step->task.stage;
    bool ring = stage->algorithm == HS_RING;
    int length = snprintf(what, WHAT_BYTES, "%s%s%s of size %" PRId64 " at stride %" PRId64 ", %s",
                          hs_phase_names[stage->phase], ring ? "" : " by ",
                          ring ? "" : hs_algorithm_names[stage->algorithm], stage->layer.size,
                          stage->layer.stride, HS_AS_BYTES(bytes));

    if (samples->count > 0)
        snprintf(what + length, WHAT_BYTES - (size_t)length, ": %s, %zu sample%s",
                 HS_AS_TIME(hs_samples_median(samples)), samples->count,
                 samples->count == 1 ? "" : "s");
}

static void show(struct hs_campaign *campaign, const char *what, double left_seconds)
{
    const struct hs_grid *grid = &campaign->grid;
    struct hs_progress_line *line = &campaign->progress.line;

    if (campaign->settings.campaign.quiet)
        return;
    if (campaign->settings.campaign.verbose && !line->is_terminal) {
        fprintf(stderr, "round %" PRId64 ", %zu of %zu  %s\n", grid->round + 1, grid->next,
                grid->plan.count, what);
        return;
    }
    if (hs_progress_line_is_due(line))
        hs_progress_line_draw(line, (double)grid->next / (double)grid->plan.count, left_seconds,
                              "round %" PRId64 ", %zu of %zu  %s", grid->round + 1, grid->next,
                              grid->plan.count, what);
}

/* And the journal, at once: a measurement is a line. */
static enum hs_status tell(struct hs_campaign *campaign, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    size_t bytes = step->task.count * hs_datatype_bytes(campaign->settings.campaign.datatype);
    struct hs_journal_layer line = {.point = {.key = step->task.stage,
                                              .np = campaign->ranks.np,
                                              .bytes = (double)bytes,
                                              .seconds = hs_samples_median(&outcome->seconds),
                                              .noise = hs_samples_noise(&outcome->seconds)},
                                    .failed = outcome->failed ? outcome->reason : NULL,
                                    .samples = outcome->seconds};
    char what[WHAT_BYTES];
    struct hs_error error;
    enum hs_status status;

    describe(what, step, bytes, &outcome->seconds);
    status = hs_grid_tell(&campaign->grid, step, outcome, what, err);
    hs_campaign_journaled(campaign,
                          hs_journal_write_layer(&campaign->journal, bytes, &line, &error), &error);
    show(campaign, what, campaign->settings.budget_seconds - elapsed_seconds);
    return status;
}

const struct hs_planner hs_grid_planner = {
    .prepare = prepare, .restore = restore, .begin = begin, .next = next, .tell = tell};
