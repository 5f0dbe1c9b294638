/* campaign.c - see campaign.h. */
#include "runner/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "api/ask.h"
#include "base/text.h"
#include "detect/neutral_system.h"
#include "detect/system_find.h"
#include "engine/forests.h"
#include "runner/backends.h"
#include "runner/buffers.h"
#include "runner/check.h"
#include "runner/copy_rate.h"
#include "runner/fingerprint.h"

/* Rank 0 may have to wait for a busy disk, and the others for rank 0. Nothing measured is to blame.
 */
#define RECORD_SECONDS_MIN 120.0
#define CHECKPOINT_SECONDS 1.0

enum hs_status hs_campaign_agree(struct hs_campaign *campaign, enum hs_status status,
                                 struct hs_error *err)
{
    return hs_ranks_agree(&campaign->ranks, status, err);
}

/* ---- where and on what ---- */

/* The machine with most ranks per core. */
static void find_crowd(struct hs_campaign *campaign)
{
    const struct hs_idle *idle = &campaign->ranks.idle;
    double most = (double)idle->ranks_here / idle->cores_here, values[2] = {0, 0};

    hs_ranks_largest(&campaign->ranks, &most, 1);
    if (most <= (double)idle->ranks_here / idle->cores_here) {
        values[0] = idle->ranks_here;
        values[1] = idle->cores_here;
    }
    hs_ranks_largest(&campaign->ranks, values, 2);
    campaign->crowded_ranks = values[0];
    campaign->crowded_cores = values[1];
}

int64_t hs_campaign_crowded(const struct hs_campaign *campaign, int64_t *cores)
{
    bool crowded =
        campaign->crowded_ranks > campaign->crowded_cores && !campaign->backend->virtual_clock;

    if (cores)
        *cores = crowded ? (int64_t)campaign->crowded_cores : 0;
    return crowded ? (int64_t)campaign->crowded_ranks : 0;
}

struct hs_problem hs_campaign_problem(const struct hs_campaign *campaign, double bytes)
{
    const struct hs_call_options *call = &campaign->options->call;

    return (struct hs_problem){call->collective, hs_mesh_group(&call->mesh, campaign->ranks.np),
                               bytes, call->order};
}

static enum hs_status check_mesh(const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_mesh *mesh = &campaign->options->call.mesh;
    char text[HS_MESH_TEXT];

    if (mesh->count == 0 || hs_mesh_ranks(mesh) == campaign->ranks.np)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "--mesh: %s is %" PRId64 " processes, the launcher started %d",
                   hs_mesh_format(text, mesh), hs_mesh_ranks(mesh), campaign->ranks.np);
}

enum hs_status hs_campaign_begin(struct hs_campaign *campaign,
                                 void (*on_end)(void *context, const struct hs_guard_end *end),
                                 void *context, struct hs_error *err)
{
    const struct hs_campaign_options *options = campaign->options;
    struct hs_ranks world;
    enum hs_status status;

    campaign->step.end = true;
    status = hs_rank_order_init(&campaign->order, MPI_COMM_WORLD, err);
    hs_ranks_init(&world, MPI_COMM_WORLD);
    status = hs_ranks_agree(&world, status, err);
    if (status != HS_OK)
        return status;
    hs_ranks_init(&campaign->ranks, campaign->order.ordered);
    find_crowd(campaign);
    hs_guard_serve(campaign->guard, campaign->ranks.rank, campaign->ranks.np, on_end, context);
    hs_progress_init(&campaign->progress, campaign->command,
                     options->quiet || campaign->ranks.rank != 0);
    hs_clock_utc(campaign->created);
    return check_mesh(campaign, err);
}

enum hs_status hs_campaign_system(struct hs_campaign *campaign, struct hs_system *system,
                                  const char *text, struct hs_error *err)
{
    const struct hs_rank_order *order = &campaign->order;
    enum hs_status status = HS_OK;

    if (campaign->ranks.rank == 0 && text)
        status = hs_system_find(system, text, err);
    else if (campaign->ranks.rank == 0)
        status = hs_neutral_system(system, order->nodes, order->node_count, err);
    if (status == HS_OK && campaign->ranks.rank == 0 && text)
        status = hs_system_choose_asked(system, &campaign->options->described.gpus,
                                        campaign->ranks.np, err);
    status = hs_campaign_agree(campaign, status, err);
    if (status == HS_OK)
        status = hs_ranks_share_system(&campaign->ranks, system, err);
    /* A machine that is played takes the times that fits are made of. */
    system->additive = strcmp(campaign->options->backend, HS_BACKEND_NULL) == 0;
    return status;
}

enum hs_status hs_campaign_backend(struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_campaign_options *options = campaign->options;
    char note[HS_BACKEND_NOTE];
    enum hs_status status =
        hs_backend_choose(&campaign->backend, note, options->backend, &campaign->ranks, err);

    if (status != HS_OK)
        return status;
    if (campaign->backend->rings)
        hs_system_drop_parts(&campaign->system);
    if (campaign->backend->any_algorithm)
        hs_system_fix_ways(&campaign->system);
    if (note[0])
        hs_progress_note(&campaign->progress, "backend %s, %s", campaign->backend->name, note);
    return hs_buffers_choose(&campaign->memory, campaign->backend, options->buffers,
                             &campaign->ranks, err);
}

void hs_campaign_release(struct hs_campaign *campaign)
{
    hs_journal_close(&campaign->journal, false);
    hs_system_release(&campaign->system);
    hs_machine_release(&campaign->machine);
    hs_rank_order_release(&campaign->order);
}

/* ---- files ---- */

/* *path: the journal's, owned by the caller; NULL: none is wanted. */
static enum hs_status name_journal(char **path, const struct hs_campaign_options *options,
                                   const char *output, struct hs_error *err)
{
    *path = NULL;
    if (options->journal)
        *path = hs_strdup(options->journal);
    else if (!output)
        return HS_OK;
    else if (asprintf(path, "%s.journal", output) < 0)
        *path = NULL;
    return *path ? HS_OK : hs_no_memory(err);
}

/* `output`: the file, or NULL. */
static enum hs_status open_journal(struct hs_campaign *campaign, const char *output,
                                   struct hs_error *err)
{
    struct hs_journal *journal = &campaign->journal;
    struct hs_journal_run run = {0};
    char *path;
    enum hs_status status = name_journal(&path, campaign->options, output, err);

    if (!path)
        return status;
    status = hs_fingerprint_take(&run, campaign, err);
    if (status == HS_OK && campaign->options->resume)
        status = hs_journal_resume(journal, path, output, &run, err);
    else if (status == HS_OK)
        status = hs_journal_create(journal, path, output, &run, err);
    if (status == HS_OK && journal->aside)
        hs_progress_note(&campaign->progress,
                         "the journal of an earlier run is now %s; to go on from it: --resume "
                         "--journal %s",
                         journal->aside, journal->aside);
    if (status == HS_OK && journal->lost_lines > 0)
        hs_progress_note(&campaign->progress,
                         "%s: lines that were never written to the end: %zu; what they held is "
                         "measured again",
                         path, journal->lost_lines);
    hs_fields_release(&hs_journal_run_fields, &run);
    free(path);
    return status;
}

enum hs_status hs_campaign_open_files(struct hs_campaign *campaign, struct hs_error *err)
{
    const char *output = campaign->options->output;
    enum hs_status status = HS_OK;

    if (output && strcmp(output, "-") == 0)
        output = NULL;
    if (campaign->ranks.rank == 0) {
        status = hs_output_check(output, campaign->options->described.system, NULL, err);
        hs_guard_lock(campaign->guard);
        if (status == HS_OK)
            status = open_journal(campaign, output, err);
        campaign->checkpoint_seconds = hs_clock_seconds();
        hs_guard_unlock(campaign->guard);
    }
    return hs_campaign_agree(campaign, status, err);
}

void hs_campaign_journaled(struct hs_campaign *campaign, enum hs_status status,
                           const struct hs_error *error)
{
    if (status != HS_OK)
        hs_progress_note(&campaign->progress, "the journal ends here: %s", error->message);
}

void hs_campaign_sync(struct hs_campaign *campaign)
{
    struct hs_error error;

    hs_campaign_journaled(campaign, hs_journal_sync(&campaign->journal, &error), &error);
    campaign->checkpoint_seconds = hs_clock_seconds();
}

bool hs_campaign_hung(struct hs_campaign *campaign, uint64_t message_bytes,
                      const struct hs_guard_end *end)
{
    const struct hs_step *step = &campaign->step;
    char why[HS_REASON_BYTES], limit[HS_UNIT_TEXT];
    struct hs_journal_layer line = {.point.key = step->task.stage, .failed = why};
    struct hs_error ignored; /* what matters is said in any case */

    if (end->event != HS_GUARD_TIMEOUT || step->end || step->task.kind != HS_TASK_STAGE)
        return false;
    snprintf(why, sizeof(why), "%s took more than %s", end->what,
             hs_seconds_format(limit, end->limit_seconds));
    hs_journal_write_layer(&campaign->journal, message_bytes, &line, &ignored);
    return true;
}

/* ---- the loop ---- */

/* One run of a planner. */
struct run {
    struct hs_campaign *campaign;
    const struct hs_planner *planner;
    void *state;
    struct hs_bench bench;
};

static void expect(const struct run *run, const char *what)
{
    const struct hs_campaign *campaign = run->campaign;

    hs_guard_expect(campaign->guard, what, HS_GUARD_NOBODY,
                    fmax(RECORD_SECONDS_MIN, campaign->options->timeout_seconds));
}

/* Rank 0's decision, on all ranks. Waiting for it has a limit too: rank 0 may be dead. */
static enum hs_status next_step(struct run *run, struct hs_step *step, enum hs_status status,
                                struct hs_error *err)
{
    struct hs_campaign *campaign = run->campaign;

    expect(run, "between two steps");
    memset(step, 0, sizeof(*step)); /* it travels as bytes, gaps included */
    step->end = true;
    if (campaign->ranks.rank == 0) {
        hs_guard_lock(campaign->guard);
        if (status == HS_OK)
            status = run->planner->next(run->state, step, hs_bench_elapsed(&run->bench), err);
        if (status != HS_OK)
            step->end = true;
        campaign->step = *step;
        hs_guard_unlock(campaign->guard);
    }
    hs_ranks_broadcast(&campaign->ranks, step, sizeof(*step), 0);
    return status;
}

static enum hs_status tell(struct run *run, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, struct hs_error *err)
{
    struct hs_campaign *campaign = run->campaign;
    enum hs_status status;

    if (campaign->ranks.rank != 0)
        return HS_OK;
    expect(run, "recording a step");
    hs_guard_lock(campaign->guard);
    campaign->step.end = true;
    campaign->seconds = hs_bench_elapsed(&run->bench);
    status = run->planner->tell(run->state, step, outcome, campaign->seconds, err);
    if (hs_clock_seconds() - campaign->checkpoint_seconds >= CHECKPOINT_SECONDS)
        hs_campaign_sync(campaign);
    hs_guard_unlock(campaign->guard);
    return status;
}

static enum hs_status take_steps(struct run *run, struct hs_error *err)
{
    struct hs_step_outcome outcome = {.failed = false};
    struct hs_step step;
    enum hs_status status = next_step(run, &step, HS_OK, err);

    while (!step.end) {
        enum hs_status taken = hs_bench_step(&run->bench, &step, &outcome, err);

        if (taken == HS_OK)
            taken = tell(run, &step, &outcome, err);
        status = next_step(run, &step, taken, err);
    }
    hs_step_outcome_release(&outcome);
    return hs_campaign_agree(run->campaign, status, err);
}

/* What the bench can say when it is about to be closed. */
static void note_bench(struct run *run)
{
    struct hs_campaign *campaign = run->campaign;
    double bytes = (double)hs_bench_bytes(&run->bench);

    hs_ranks_largest(&campaign->ranks, &bytes, 1);
    hs_guard_lock(campaign->guard);
    if ((uint64_t)bytes > campaign->memory_bytes)
        campaign->memory_bytes = (uint64_t)bytes;
    campaign->seconds = hs_bench_elapsed(&run->bench);
    hs_progress_line_clear(&campaign->progress.line);
    hs_guard_unlock(campaign->guard);
}

enum hs_status hs_campaign_run(struct hs_campaign *campaign, size_t count,
                               const struct hs_planner *planner, void *state, struct hs_error *err)
{
    const struct hs_campaign_options *options = campaign->options;
    struct run run = {.campaign = campaign, .planner = planner, .state = state};
    struct hs_group group = hs_campaign_problem(campaign, 0).group;
    struct hs_play play = {campaign->played, options->play.faults, (uint64_t)options->play.seed,
                           group.size};
    struct hs_bench_config config = {.backend = campaign->backend,
                                     .memory = campaign->memory,
                                     .datatype = options->datatype,
                                     .operation = options->operation,
                                     .group = group,
                                     .count = count,
                                     .timeout_seconds = options->timeout_seconds,
                                     .play = &play};
    struct hs_forests forests = {0};
    enum hs_status status = HS_OK;

    if (campaign->has_system && campaign->backend->any_algorithm)
        status = hs_forests_make(&forests, &campaign->system, campaign->ranks.comm,
                                 &campaign->ranks.idle, err);
    if (forests.units > 0)
        config.forests = &forests;
    if (status == HS_OK)
        status = hs_bench_open(&run.bench, &config, &campaign->ranks, campaign->guard, err);
    if (status != HS_OK) {
        hs_forests_release(&forests);
        return status;
    }
    hs_bench_describe(&run.bench, campaign->device);
    if (options->call.order == HS_PACKED)
        status = hs_copy_rate(&campaign->copy_bytes_per_second, &run.bench, err);
    if (status == HS_OK)
        status = take_steps(&run, err);
    note_bench(&run);
    hs_bench_close(&run.bench);
    hs_forests_release(&forests);
    return status;
}
