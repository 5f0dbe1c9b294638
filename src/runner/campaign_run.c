/* campaign_run.c - see campaign_run.h. */
#include "runner/campaign_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "api/ask.h"
#include "base/text.h"
#include "base/units.h"
#include "detect/neutral_system.h"
#include "detect/system_find.h"
#include "engine/forests.h"
#include "estimate/system_file.h"
#include "library/mpi_own.h"
#include "runner/backends.h"
#include "runner/bench.h"
#include "runner/buffers.h"
#include "runner/check.h"
#include "runner/copy_rate.h"
#include "runner/fingerprint.h"
#include "runner/null.h"
#include "runner/outcome.h"
#include "search/search.h"

/* Rank 0 may have to wait for a busy disk, and the others for rank 0. Nothing measured is to blame.
 */
#define RECORD_SECONDS_MIN 120.0
#define CHECKPOINT_SECONDS 1.0
#define SETUP_SECONDS      300.0

static enum hs_status agree(struct hs_campaign *campaign, enum hs_status status,
                            struct hs_error *err)
{
    return hs_ranks_agree(&campaign->ranks, status, err);
}

/* ---- where and on what ---- */

/* The machine with most ranks per core. */
static void find_oversubscription(struct hs_campaign *campaign)
{
    const struct hs_idle *idle = &campaign->ranks.idle;
    double most = (double)idle->ranks_here / idle->cores_here, values[2] = {0, 0};

    hs_ranks_largest(&campaign->ranks, &most, 1);
    if (most <= (double)idle->ranks_here / idle->cores_here) {
        values[0] = idle->ranks_here;
        values[1] = idle->cores_here;
    }
    hs_ranks_largest(&campaign->ranks, values, 2);
    campaign->oversubscribed_ranks = values[0];
    campaign->oversubscribed_cores = values[1];
}

static enum hs_status check_mesh(const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_mesh *mesh = &campaign->settings.campaign.call.mesh;
    char text[HS_MESH_TEXT];

    if (mesh->count == 0 || hs_mesh_ranks(mesh) == campaign->ranks.np)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "--mesh: %s is %" PRId64 " processes, the launcher started %d",
                   hs_mesh_format(text, mesh), hs_mesh_ranks(mesh), campaign->ranks.np);
}

/* The order of the ranks, what the guard calls at the end, and notes for people. */
static enum hs_status find_ranks(struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_measure_job *job = &campaign->settings.job;
    struct hs_ranks world;
    enum hs_status status;

    campaign->step.end = true;
    status = hs_rank_order_init(&campaign->order, MPI_COMM_WORLD, err);
    hs_ranks_init(&world, MPI_COMM_WORLD);
    status = hs_ranks_agree(&world, status, err);
    if (status != HS_OK)
        return status;
    hs_ranks_init(&campaign->ranks, campaign->order.ordered);
    find_oversubscription(campaign);
    hs_guard_serve(campaign->guard, campaign->ranks.rank, campaign->ranks.np, hs_outcome_cut_short,
                   campaign);
    hs_progress_init(&campaign->progress,
                     campaign->settings.campaign.quiet || campaign->ranks.rank != 0);
    hs_clock_utc(campaign->created);
    if (job->profile && job->ranks != campaign->ranks.np)
        return hs_fail(err, HS_INVALID, "%s is of %" PRId64 " processes, the launcher started %d",
                       job->profile, job->ranks, campaign->ranks.np);
    return check_mesh(campaign, err);
}

/* The description of that text, or (NULL) one made from where the ranks are. */
static enum hs_status find_system(struct hs_campaign *campaign, struct hs_system *system,
                                  const char *text, struct hs_error *err)
{
    const struct hs_rank_order *order = &campaign->order;
    enum hs_status status = HS_OK;

    if (campaign->ranks.rank == 0 && text)
        status = hs_system_find(system, text, err);
    else if (campaign->ranks.rank == 0)
        status = hs_neutral_system(system, order->nodes, order->node_count, err);
    if (status == HS_OK && campaign->ranks.rank == 0 && text)
        status = hs_system_choose_asked(system, &campaign->settings.campaign.described.gpus,
                                        campaign->ranks.np, err);
    status = agree(campaign, status, err);
    if (status == HS_OK)
        status = hs_ranks_share_system(&campaign->ranks, system, err);
    /* A machine that is played takes the times that fits are made of. */
    system->additive = strcmp(campaign->settings.campaign.backend, HS_BACKEND_NULL) == 0;
    return status;
}

/* What has algorithms in it needs a backend that runs any: a library's calls go by its choice. */
static enum hs_status check_algorithms(const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    const char *option = settings->algorithms ? "algorithms" : NULL;

    for (size_t i = 0; i < settings->stages.count && !option; i++)
        option = settings->stages.keys[i].algorithm != HS_RING ? "stages" : NULL;
    if (!option || campaign->backend->any_algorithm)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "--%s: backend %s runs its library's own algorithm on each layer; backend host "
                   "runs any",
                   option, campaign->backend->name);
}

/* The backend, the memory that messages are in, and what both make of the system. */
static enum hs_status choose_backend(struct hs_campaign *campaign, struct hs_error *err)
{
    struct hs_measure_settings *settings = &campaign->settings;
    const struct hs_campaign_options *options = &settings->campaign;
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
    status = check_algorithms(campaign, err);
    if (!settings->calibrate && !settings->algorithms && campaign->has_system &&
        campaign->backend->any_algorithm)
        settings->algorithms = hs_system_algorithms(&campaign->system);
    settings->serial_calls = hs_backend_is_nccl(campaign->backend->name);
    if (status == HS_OK && options->registered && !settings->serial_calls)
        status = hs_fail(err, HS_INVALID, "--registered: the backend %s registers no buffers",
                         campaign->backend->name);
    if (status == HS_OK)
        status = hs_buffers_choose(&campaign->memory, campaign->backend, options->buffers,
                                   &campaign->ranks, err);
    if (status != HS_OK || campaign->backend != &hs_backend_null)
        return status;
    /* A copy of its own: a calibration fits the other one, also in the guard's thread while a layer
     * runs. */
    return options->play.system
               ? find_system(campaign, &campaign->played, options->play.system, err)
               : agree(campaign, hs_system_copy(&campaign->played, &campaign->system, err), err);
}

/* What a person should know before the measurement. */
static void note_placement(struct hs_campaign *campaign)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    const struct hs_rank_order *order = &campaign->order;
    const struct hs_system *system = &campaign->system;
    struct hs_progress *progress = &campaign->progress;
    struct hs_lines lines = {.next = settings->job.notes.data};
    bool described = settings->campaign.described.system != NULL;
    int64_t capacity = described ? hs_system_capacity(system) : INT64_MAX;
    int np = campaign->ranks.np;

    if (np == 1 && !settings->calibrate)
        hs_progress_note(progress,
                         "one process, so there is nothing to split; start it under a launcher: "
                         "mpiexec -n 4 hiersearch measure ...");
    if (described && hs_system_is_text(settings->campaign.described.system) && system->notes)
        hs_progress_note(progress, "%s", system->notes);
    if (order->note[0])
        hs_progress_note(progress, "%s", order->note);
    if (np > capacity)
        hs_progress_note(progress,
                         "%d processes are more than the %" PRId64
                         " of the system; more of its outermost level are assumed",
                         np, capacity);
    else if (capacity != INT64_MAX && capacity % np != 0)
        hs_progress_note(progress, "%d processes do not divide the %" PRId64 " of the system", np,
                         capacity);
    for (int64_t i = 0; settings->campaign.verbose && i < order->node_count; i++)
        hs_progress_note(progress, "node %" PRId64 ": %s, %" PRId64 " ranks%s%s", i,
                         order->nodes[i].host, order->nodes[i].ranks,
                         order->nodes[i].rack[0] ? ", rack " : "", order->nodes[i].rack);
    while (hs_lines_next(&lines)) /* of the choice among what the job calls */
        hs_progress_note(progress, "%.*s", (int)lines.length, lines.line);
}

/* Whether the library's algorithms can be forced on it. */
static enum hs_status check_native(const struct hs_campaign *campaign, struct hs_error *err)
{
    bool (*has)(int native) = campaign->backend->engine->has_native;

    for (int i = 0; i < hs_mpi_own_count && has; i++)
        if (has(HS_NATIVES_MAX + i))
            return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "--native: %s has no algorithms that can be forced on it; Open MPI 4.1 and 5.0 "
                   "and MPICH 4.0 and 5.0 have (backend host or mpi)",
                   !has || hs_backend_is_nccl(campaign->backend->name) ? campaign->backend->name
                                                                       : "the MPI library");
}

/* Where the ranks are and on what. */
static enum hs_status look_around(struct hs_campaign *campaign, struct hs_error *err)
{
    struct hs_measure_settings *settings = &campaign->settings;
    const char *described = settings->campaign.described.system;
    enum hs_status status = find_ranks(campaign, err);

    if (status == HS_OK && (described || settings->calibrate)) {
        status = find_system(campaign, &campaign->system, described, err);
        campaign->has_system = status == HS_OK;
    }
    if (status != HS_OK)
        return status;
    campaign->lazy = !settings->calibrate && hs_layers_wanted(campaign);
    if (!campaign->lazy && strcmp(settings->search, HS_SEARCH_AUTO) == 0)
        settings->search = hs_search_strategies[0].name;
    status = choose_backend(campaign, err);
    if (status == HS_OK && settings->native)
        status = check_native(campaign, err);
    if (status == HS_OK && !campaign->backend->virtual_clock)
        status = hs_machine_look(&campaign->machine, &campaign->order, &campaign->ranks, !described,
                                 err);
    if (status != HS_OK || campaign->ranks.rank != 0)
        return status;
    if (campaign->machine.proposed)
        hs_progress_note(&campaign->progress,
                         "no SYSTEM given; what this node looks like, not measured: %s",
                         campaign->machine.proposed);
    note_placement(campaign);
    return HS_OK;
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
    enum hs_status status = name_journal(&path, &campaign->settings.campaign, output, err);

    if (!path)
        return status;
    status = hs_fingerprint_take(&run, campaign, err);
    if (status == HS_OK && campaign->settings.campaign.resume)
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

/* Before anything is measured: whether the output can be written, and the journal, begun or gone on
 * with. */
static enum hs_status open_files(struct hs_campaign *campaign, const struct hs_planner *planner,
                                 struct hs_error *err)
{
    const char *output = campaign->settings.campaign.output;
    enum hs_status status = HS_OK;

    if (output && strcmp(output, "-") == 0)
        output = NULL;
    if (campaign->ranks.rank == 0) {
        status = hs_output_check(output, campaign->settings.campaign.described.system, NULL, err);
        hs_guard_lock(campaign->guard);
        if (status == HS_OK)
            status = open_journal(campaign, output, err);
        if (status == HS_OK && campaign->settings.campaign.resume)
            status = planner->restore(campaign, err);
        hs_guard_unlock(campaign->guard);
    }
    return agree(campaign, status, err);
}

/* ---- the loop ---- */

static void expect(const struct hs_campaign *campaign, const char *what)
{
    hs_guard_expect(campaign->guard, what, HS_GUARD_NOBODY,
                    fmax(RECORD_SECONDS_MIN, campaign->settings.campaign.timeout_seconds));
}

/* Rank 0's decision, on all ranks. Waiting for it has a limit too: rank 0 may be dead. */
static enum hs_status next_step(struct hs_campaign *campaign, const struct hs_bench *bench,
                                struct hs_step *step, enum hs_status status, struct hs_error *err)
{
    expect(campaign, "between two steps");
    memset(step, 0, sizeof(*step)); /* it travels as bytes, gaps included */
    step->end = true;
    if (campaign->ranks.rank == 0) {
        hs_guard_lock(campaign->guard);
        if (status == HS_OK)
            status = campaign->planner->next(campaign, step, hs_bench_elapsed(bench), err);
        if (status != HS_OK)
            step->end = true;
        campaign->step = *step;
        hs_guard_unlock(campaign->guard);
    }
    hs_ranks_broadcast(&campaign->ranks, step, sizeof(*step), 0);
    return status;
}

static enum hs_status tell(struct hs_campaign *campaign, const struct hs_bench *bench,
                           const struct hs_step *step, const struct hs_step_outcome *outcome,
                           struct hs_error *err)
{
    enum hs_status status;

    if (campaign->ranks.rank != 0)
        return HS_OK;
    expect(campaign, "recording a step");
    hs_guard_lock(campaign->guard);
    campaign->step.end = true;
    campaign->seconds = hs_bench_elapsed(bench);
    status = campaign->planner->tell(campaign, step, outcome, campaign->seconds, err);
    if (hs_clock_seconds() - campaign->checkpoint_seconds >= CHECKPOINT_SECONDS) {
        if (campaign->planner->journal)
            campaign->planner->journal(campaign);
        hs_campaign_sync(campaign);
        campaign->checkpoint_seconds = hs_clock_seconds();
    }
    hs_guard_unlock(campaign->guard);
    return status;
}

static enum hs_status take_steps(struct hs_campaign *campaign, struct hs_bench *bench,
                                 struct hs_error *err)
{
    struct hs_step_outcome outcome = {.failed = false};
    struct hs_step step;
    enum hs_status status = next_step(campaign, bench, &step, HS_OK, err);

    while (!step.end) {
        enum hs_status taken = hs_bench_step(bench, &step, &outcome, err);

        if (taken == HS_OK)
            taken = tell(campaign, bench, &step, &outcome, err);
        status = next_step(campaign, bench, &step, taken, err);
    }
    hs_step_outcome_release(&outcome);
    return agree(campaign, status, err);
}

/* What the bench can say when it is about to be closed. */
static void note_bench(struct hs_campaign *campaign, const struct hs_bench *bench, bool known)
{
    double bytes = (double)hs_bench_bytes(bench);

    hs_ranks_largest(&campaign->ranks, &bytes, 1);
    hs_guard_lock(campaign->guard);
    if ((uint64_t)bytes > campaign->memory_bytes)
        campaign->memory_bytes = (uint64_t)bytes;
    campaign->seconds = hs_bench_elapsed(bench);
    hs_progress_line_clear(&campaign->progress.line);
    if (!known && campaign->device[0] && campaign->ranks.rank == 0)
        hs_progress_note(&campaign->progress, "%s", campaign->device);
    hs_guard_unlock(campaign->guard);
}

/* Opens a bench for messages of so many elements, takes steps until there are no more, and closes
 * it. A step that fails is the planner's business; what is returned is its errors, and what ends a
 * bench. */
static enum hs_status run_bench(struct hs_campaign *campaign, size_t elements, struct hs_error *err)
{
    const struct hs_campaign_options *options = &campaign->settings.campaign;
    struct hs_group group = hs_campaign_problem(campaign, 0).group;
    struct hs_play play = {&campaign->played, options->play.faults, (uint64_t)options->play.seed,
                           group.size};
    struct hs_bench_config config = {.backend = campaign->backend,
                                     .memory = campaign->memory,
                                     .datatype = options->datatype,
                                     .operation = options->operation,
                                     .group = group,
                                     .count = elements,
                                     .timeout_seconds = options->timeout_seconds,
                                     .registered = options->registered,
                                     .play = &play};
    struct hs_forests forests = {0};
    struct hs_bench bench = {0};
    bool known = campaign->device[0] != '\0';
    enum hs_status status = HS_OK;

    if (campaign->has_system && campaign->backend->any_algorithm)
        status = hs_forests_make(&forests, &campaign->system, campaign->ranks.comm,
                                 &campaign->ranks.idle, err);
    if (forests.units > 0)
        config.forests = &forests;
    if (status == HS_OK)
        status = hs_bench_open(&bench, &config, &campaign->ranks, campaign->guard, err);
    if (status != HS_OK) {
        hs_forests_release(&forests);
        return status;
    }
    hs_bench_describe(&bench, campaign->device);
    if (options->call.layout == HS_PACKED)
        status = hs_copy_rate(&campaign->copy_bytes_per_second, &bench, err);
    if (status == HS_OK)
        status = take_steps(campaign, &bench, err);
    note_bench(campaign, &bench, known);
    hs_bench_close(&bench);
    hs_forests_release(&forests);
    return status;
}

/* One run of a planner. */
static enum hs_status run_planner(struct hs_campaign *campaign, const struct hs_planner *planner,
                                  struct hs_error *err)
{
    bool is_root = campaign->ranks.rank == 0;
    size_t elements = 0;
    enum hs_status status = HS_OK;

    hs_guard_lock(campaign->guard);
    campaign->planner = planner;
    if (is_root)
        status = planner->begin(campaign, &elements, err);
    hs_guard_unlock(campaign->guard);
    status = agree(campaign, status, err);
    if (status != HS_OK)
        return status;
    hs_ranks_broadcast(&campaign->ranks, &elements, sizeof(elements), 0);
    status = run_bench(campaign, elements, err);
    hs_guard_lock(campaign->guard);
    if (is_root && planner->journal)
        planner->journal(campaign);
    hs_campaign_sync(campaign);
    if (is_root && status == HS_OK && planner->end)
        status = planner->end(campaign, err);
    hs_guard_unlock(campaign->guard);
    return agree(campaign, status, err);
}

/* ---- from the beginning to the end ---- */

enum hs_status hs_campaign_run(struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_planner *planner =
        campaign->settings.calibrate ? &hs_grid_planner : &hs_race_planner;
    size_t count = 0;
    enum hs_status status;

    hs_guard_expect(campaign->guard, "setting up", HS_GUARD_NOBODY, SETUP_SECONDS);
    status = look_around(campaign, err);
    hs_guard_expect(campaign->guard, "choosing what is measured", HS_GUARD_NOBODY, INFINITY);
    if (status == HS_OK) {
        if (campaign->ranks.rank == 0)
            status = planner->prepare(campaign, &count, err);
        status = agree(campaign, status, err);
        hs_ranks_broadcast(&campaign->ranks, &count, sizeof(count), 0);
    }
    if (status == HS_OK)
        status = open_files(campaign, planner, err);
    campaign->begin_seconds = campaign->checkpoint_seconds = hs_clock_seconds();
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        hs_guard_lock(campaign->guard);
        campaign->current = i;
        hs_guard_unlock(campaign->guard);
        if (campaign->lazy)
            status = run_planner(campaign, &hs_layers_planner, err);
        if (status == HS_OK)
            status = run_planner(campaign, planner, err);
    }
    if (campaign->ranks.rank == 0)
        status = hs_outcome_save(campaign, status, err);
    hs_guard_expect(campaign->guard, "the end", HS_GUARD_NOBODY, SETUP_SECONDS);
    return campaign->order.ordered != MPI_COMM_NULL ? agree(campaign, status, err) : status;
}
