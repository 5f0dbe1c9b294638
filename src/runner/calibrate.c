/* calibrate.c - see calibrate.h. */
#include "runner/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "runner/calibrate_report.h"
#include "runner/null.h"

#define SETUP_SECONDS    300.0
#define FINALIZE_SECONDS 5.0

/* ---- the machine --------------------------------------------------------------------------- */

static void cut_short(void *context, const struct hs_guard_end *end);

static bool names_algorithms(const struct hs_calibrate_settings *settings)
{
    bool names = settings->algorithms != 0;

    for (size_t i = 0; i < settings->stages.count; i++)
        names = names || settings->stages.keys[i].algorithm != HS_RING;
    return names;
}

static enum hs_status look_around(struct hs_calibrate_run *run, struct hs_error *err)
{
    const struct hs_calibrate_settings *settings = &run->settings;
    struct hs_campaign *campaign = &run->campaign;
    enum hs_status status;

    campaign->options = &settings->campaign; /* buffers: as measure has them by default */
    campaign->command = "calibrate";
    status = hs_campaign_begin(campaign, cut_short, run, err);
    if (status != HS_OK)
        return status;
    if (campaign->order.note[0])
        hs_progress_note(&campaign->progress, "%s", campaign->order.note);
    status =
        hs_campaign_system(campaign, &campaign->system, settings->campaign.described.system, err);
    campaign->has_system = status == HS_OK;
    if (status == HS_OK)
        status = hs_campaign_backend(campaign, err);
    /* A copy of its own: the guard may calibrate the other one while a layer runs. */
    if (status == HS_OK && names_algorithms(settings) && !campaign->backend->any_algorithm)
        status = hs_fail(err, HS_INVALID,
                         "--%s: backend %s runs its library's own algorithm on each layer; "
                         "backend host runs any",
                         settings->algorithms ? "algorithms" : "stages", campaign->backend->name);
    if (status == HS_OK && campaign->backend == &hs_backend_null)
        status = hs_campaign_system(
            campaign, &run->played,
            settings->plays ? settings->plays : settings->campaign.described.system, err);
    campaign->played = &run->played;
    return status;
}

/* Rank 0: what is to be measured. */
static enum hs_status plan(struct hs_calibrate_run *run, struct hs_error *err)
{
    const struct hs_calibrate_settings *settings = &run->settings;
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
    const struct hs_problem problem = hs_campaign_problem(&run->campaign, 0);
    size_t line = hs_backend_line(run->campaign.backend, settings->campaign.datatype);
    struct hs_calibrate_plan tasks;
    enum hs_status status;

    status = hs_calibrate_plan_make(&tasks, &run->campaign.system, &problem, &extent, err);
    for (size_t i = 0; i < tasks.count && status == HS_OK; i++) {
        struct hs_task task = {
            .kind = HS_TASK_STAGE, .stage = tasks.tasks[i].stage, .count = tasks.tasks[i].count};

        status = hs_task_check_count(&task, line, err);
    }
    if (status != HS_OK) {
        hs_calibrate_plan_release(&tasks);
        return status;
    }
    return hs_grid_init(&run->grid, &tasks, run->campaign.ranks.np, &rules, err);
}

/* ---- what was measured before -------------------------------------------------------------- */

/* Rank 0. */
static enum hs_status restore(struct hs_calibrate_run *run, struct hs_error *err)
{
    struct hs_campaign *campaign = &run->campaign;
    size_t width = hs_datatype_bytes(run->settings.campaign.datatype), count;
    struct hs_journal_layer *layers;
    enum hs_status status =
        hs_journal_layers(&layers, &count, &campaign->journal, 0, campaign->ranks.np, err);

    for (size_t i = 0; i < count && status == HS_OK; i++) {
        const struct hs_fit_point *point = &layers[i].point;

        if (!layers[i].failed)
            status = hs_grid_restore(&run->grid, point->key, (size_t)point->bytes / width,
                                     &layers[i].samples, err);
        else if (!run->settings.campaign.retry)
            status = hs_grid_restore(&run->grid, point->key, 0, NULL, err);
    }
    hs_journal_layers_release(layers, count);
    if (status == HS_OK && campaign->journal.old)
        hs_progress_note(&campaign->progress, "%s: %zu of %zu measurements were done before",
                         campaign->journal.path, run->grid.measured_tasks, run->grid.plan.count);
    else if (status == HS_OK)
        hs_progress_note(&campaign->progress, "%s: there was none, everything is measured",
                         campaign->journal.path);
    return status;
}

static enum hs_status open_files(struct hs_calibrate_run *run, struct hs_error *err)
{
    enum hs_status status = hs_campaign_open_files(&run->campaign, err);

    if (status != HS_OK || !run->settings.campaign.resume)
        return status;
    if (run->campaign.ranks.rank == 0) {
        hs_guard_lock(run->campaign.guard);
        status = restore(run, err);
        hs_guard_unlock(run->campaign.guard);
    }
    return hs_campaign_agree(&run->campaign, status, err);
}

/* What came of a step, for --resume. */
static void journal(struct hs_calibrate_run *run, const struct hs_step *step,
                    const struct hs_step_outcome *outcome)
{
    struct hs_campaign *campaign = &run->campaign;
    size_t bytes = step->task.count * hs_datatype_bytes(run->settings.campaign.datatype);
    struct hs_journal_layer line = {.point = {.key = step->task.stage,
                                              .np = campaign->ranks.np,
                                              .bytes = (double)bytes,
                                              .seconds = hs_samples_median(&outcome->seconds),
                                              .noise = hs_samples_noise(&outcome->seconds)},
                                    .failed = outcome->failed ? outcome->reason : NULL,
                                    .samples = outcome->seconds};
    struct hs_error error;

    hs_campaign_journaled(campaign,
                          hs_journal_write_layer(&campaign->journal, bytes, &line, &error), &error);
}

/* ---- measuring ----------------------------------------------------------------------------- */

static enum hs_status next(void *state, struct hs_step *step, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_calibrate_run *run = state;

    (void)err;
    *step = hs_grid_next(&run->grid, elapsed_seconds);
    return HS_OK;
}

#define WHAT_BYTES 256

static void describe(char what[WHAT_BYTES], const struct hs_calibrate_run *run,
                     const struct hs_step *step, const struct hs_samples *samples)
{
    char size[HS_UNIT_TEXT], seconds[HS_UNIT_TEXT];
    size_t width = hs_datatype_bytes(run->settings.campaign.datatype);
    const struct hs_task *task = &step->task;
    bool ring = task->stage.algorithm == HS_RING;
    int length =
        snprintf(what, WHAT_BYTES, "%s%s%s of size %" PRId64 " at stride %" PRId64 ", %s",
                 hs_phase_names[task->stage.phase], ring ? "" : " by ",
                 ring ? "" : hs_algorithm_names[task->stage.algorithm], task->stage.layer.size,
                 task->stage.layer.stride, hs_bytes_format(size, task->count * width));

    if (samples->count > 0)
        snprintf(what + length, WHAT_BYTES - (size_t)length, ": %s, %zu sample%s",
                 hs_seconds_format(seconds, hs_samples_median(samples)), samples->count,
                 samples->count == 1 ? "" : "s");
}

static void show(struct hs_calibrate_run *run, const char *what, double left_seconds)
{
    const struct hs_grid *grid = &run->grid;
    struct hs_progress_line *line = &run->campaign.progress.line;

    if (run->settings.campaign.quiet)
        return;
    if (run->settings.campaign.verbose && !line->is_terminal) {
        fprintf(stderr, "round %" PRId64 ", %zu of %zu  %s\n", grid->round + 1, grid->next,
                grid->plan.count, what);
        return;
    }
    if (hs_progress_line_is_due(line))
        hs_progress_line_draw(line, (double)grid->next / (double)grid->plan.count, left_seconds,
                              "round %" PRId64 ", %zu of %zu  %s", grid->round + 1, grid->next,
                              grid->plan.count, what);
}

static enum hs_status tell(void *state, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_calibrate_run *run = state;
    char what[WHAT_BYTES];
    enum hs_status status;

    describe(what, run, step, &outcome->seconds);
    status = hs_grid_tell(&run->grid, step, outcome, what, err);
    journal(run, step, outcome);
    show(run, what, run->settings.budget_seconds - elapsed_seconds);
    return status;
}

static enum hs_status measure(struct hs_calibrate_run *run, struct hs_error *err)
{
    static const struct hs_planner planner = {next, tell};
    uint64_t count_max = run->grid.plan.count_max;

    hs_ranks_broadcast(&run->campaign.ranks, &count_max, sizeof(count_max), 0);
    return hs_campaign_run(&run->campaign, (size_t)count_max, &planner, run, err);
}

/* ---- the end ------------------------------------------------------------------------------- */

/* A line each. */
static void say(struct hs_calibrate_run *run, const struct hs_text *notes)
{
    const char *at = notes->data;

    hs_progress_line_clear(&run->campaign.progress.line);
    while (at && *at) {
        size_t length = strcspn(at, "\n");

        hs_progress_note(&run->campaign.progress, "%.*s", (int)length, at);
        at += length + (at[length] != '\0');
    }
}

static enum hs_status print_tables(struct hs_calibrate_run *run, struct hs_error *err)
{
    FILE *stream = strcmp(run->settings.campaign.output, "-") == 0 ? stderr : stdout;
    struct hs_text text = {0};
    enum hs_status status = hs_calibrate_print(&text, run, err);

    if (status == HS_OK &&
        (fwrite(text.data, 1, text.length, stream) != text.length || fflush(stream) != 0))
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    hs_text_release(&text);
    return status;
}

/* Nothing is left to try again. */
static bool is_whole(const struct hs_calibrate_run *run, const char *why)
{
    return !why && run->grid.measured_tasks == run->grid.plan.count &&
           !run->settings.campaign.journal;
}

/* Rank 0. `why`: the error that ended the measurements, NULL: none did. */
static enum hs_status finish(struct hs_calibrate_run *run, const char *why, struct hs_error *err)
{
    struct hs_text notes = {0};
    enum hs_status status;

    hs_guard_expect(run->campaign.guard, "fitting", HS_GUARD_NOBODY, INFINITY);
    hs_guard_lock(run->campaign.guard);
    status = hs_calibrate_write(run, why, &notes, err);
    say(run, &notes);
    if (status == HS_OK)
        status = print_tables(run, err);
    if (status == HS_OK)
        hs_journal_close(&run->campaign.journal, is_whole(run, why));
    hs_guard_finishing(run->campaign.guard, hs_status_exit(status), FINALIZE_SECONDS);
    hs_guard_unlock(run->campaign.guard);
    hs_text_release(&notes);
    return status;
}

/* What was measured before an error is worth a calibration; the error stays what is returned. */
static enum hs_status finish_failed(struct hs_calibrate_run *run, enum hs_status status,
                                    struct hs_error *err)
{
    struct hs_error second = {0};

    if (run->grid.measured_tasks > 0)
        (void)finish(run, err->message, &second);
    return status;
}

enum hs_status hs_calibrate_run(struct hs_calibrate_run *run, struct hs_error *err)
{
    enum hs_status status;

    hs_guard_expect(run->campaign.guard, "setting up", HS_GUARD_NOBODY, SETUP_SECONDS);
    status = look_around(run, err);
    if (status == HS_OK && run->campaign.ranks.rank == 0) {
        hs_guard_lock(run->campaign.guard);
        status = plan(run, err);
        hs_guard_unlock(run->campaign.guard);
    }
    if (run->campaign.order.ordered != MPI_COMM_NULL)
        status = hs_campaign_agree(&run->campaign, status, err);
    if (status == HS_OK)
        status = open_files(run, err);
    if (status == HS_OK)
        status = measure(run, err);
    if (run->campaign.ranks.rank == 0 && status == HS_OK)
        status = finish(run, NULL, err);
    else if (run->campaign.ranks.rank == 0)
        status = finish_failed(run, status, err);
    hs_guard_expect(run->campaign.guard, "the end", HS_GUARD_NOBODY, SETUP_SECONDS);
    return run->campaign.order.ordered != MPI_COMM_NULL
               ? hs_campaign_agree(&run->campaign, status, err)
               : status;
}

void hs_calibrate_release(struct hs_calibrate_run *run)
{
    hs_grid_release(&run->grid);
    hs_system_release(&run->played);
    hs_campaign_release(&run->campaign);
}

/* ---- cut short ----------------------------------------------------------------------------- */

/* The guard's on_end. */
static void cut_short(void *context, const struct hs_guard_end *end)
{
    struct hs_calibrate_run *run = context;
    char why[HS_GUARD_END_TEXT];
    struct hs_text notes = {0};
    struct hs_error error = {0};
    enum hs_status status;

    hs_guard_end_format(why, end);
    hs_campaign_hung(&run->campaign, run->settings.campaign.sizes.last, end);
    hs_campaign_sync(&run->campaign);
    hs_progress_line_clear(&run->campaign.progress.line);
    if (run->grid.measured_tasks == 0) {
        fprintf(stderr, "hiersearch calibrate: %s; nothing was measured before\n", why);
        return;
    }
    status = hs_calibrate_write(run, why, &notes, &error);
    say(run, &notes);
    fprintf(stderr, "hiersearch calibrate: %s; %s%s%s\n", why,
            status == HS_OK ? run->settings.campaign.output : error.message,
            status == HS_OK ? " has what was measured before" : "",
            run->campaign.journal.path ? ", --resume goes on from there" : "");
}
