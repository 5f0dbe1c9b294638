/* session.c - see session.h. */
#include "runner/session.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runner/lazy_plan.h"
#include "runner/outcome.h"
#include "search/search.h"

#define CHECKPOINT_SECONDS 1.0
#define SETUP_SECONDS      300.0

static bool speaks(const struct hs_session *session)
{
    return session->campaign.ranks.rank == 0;
}

struct hs_problem hs_session_problem(const struct hs_session *session, const struct hs_bout *bout)
{
    return hs_campaign_problem(&session->campaign, (double)bout->bytes);
}

static enum hs_status agree(struct hs_session *session, enum hs_status status, struct hs_error *err)
{
    return hs_campaign_agree(&session->campaign, status, err);
}

/* ---- the machine --------------------------------------------------------------------------- */

/* Lines of the choice among what the job calls. */
static void say_job(struct hs_session *session)
{
    struct hs_lines lines = {.next = session->settings.job.notes.data};

    while (hs_lines_next(&lines))
        hs_progress_note(&session->campaign.progress, "%.*s", (int)lines.length, lines.line);
}

/* What a person should know before the measurement. */
static void say_placement(struct hs_session *session)
{
    const struct hs_rank_order *order = &session->campaign.order;
    const struct hs_system *system = &session->campaign.system;
    struct hs_progress *progress = &session->campaign.progress;
    int64_t capacity = session->campaign.has_system ? hs_system_capacity(system) : INT64_MAX;
    int np = session->campaign.ranks.np;

    if (np == 1)
        hs_progress_note(progress,
                         "one process, so there is nothing to split; start it under a launcher: "
                         "mpiexec -n 4 hiersearch measure ...");
    if (session->campaign.has_system &&
        hs_system_is_text(session->settings.campaign.described.system) && system->notes)
        hs_progress_note(progress, "%s", system->notes);
    if (order->note[0])
        hs_progress_note(progress, "%s", order->note);
    if (np > capacity)
        hs_progress_note(progress,
                         "%d processes are more than the %" PRId64
                         " of the system; more of its outermost "
                         "level are assumed",
                         np, capacity);
    else if (capacity != INT64_MAX && capacity % np != 0)
        hs_progress_note(progress, "%d processes do not divide the %" PRId64 " of the system", np,
                         capacity);
    for (int64_t i = 0; session->settings.campaign.verbose && i < order->node_count; i++)
        hs_progress_note(progress, "node %" PRId64 ": %s, %" PRId64 " ranks%s%s", i,
                         order->nodes[i].host, order->nodes[i].ranks,
                         order->nodes[i].rack[0] ? ", rack " : "", order->nodes[i].rack);
}

/* ---- what is measured ---------------------------------------------------------------------- */

/* A library's collectives go by its own choice: letters of plans would mean nothing. */
static enum hs_status check_letters(const struct hs_session *session,
                                    const struct hs_candidates *candidates, struct hs_error *err)
{
    const struct hs_backend *backend = session->campaign.backend;
    char text[HS_SPLIT_TEXT];

    for (size_t i = 0; i < candidates->count && !backend->any_algorithm; i++)
        if (hs_plan_names_ours(&candidates->plans[i]))
            return hs_fail(
                err, HS_INVALID,
                "plan \"%s\": backend %s runs its library's own algorithm on each layer; "
                "backend host runs any",
                hs_plan_format(text, &candidates->plans[i]), backend->name);
    return HS_OK;
}

/* All plans of a size are padded as the library's own call is. */
static enum hs_status check_sizes(const struct hs_session *session, struct hs_error *err)
{
    const struct hs_campaign *campaign = &session->campaign;
    const struct hs_range *sizes = &campaign->options->sizes;
    enum hs_datatype datatype = campaign->options->datatype;
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

static enum hs_status choose_algorithms(struct hs_session *session, struct hs_error *err)
{
    struct hs_campaign *campaign = &session->campaign;
    unsigned *algorithms = &session->settings.algorithms;

    if (*algorithms && !campaign->backend->any_algorithm)
        return hs_fail(err, HS_INVALID,
                       "--algorithms: backend %s runs its library's own algorithm on each layer; "
                       "backend host runs any",
                       campaign->backend->name);
    if (!*algorithms && campaign->has_system && campaign->backend->any_algorithm)
        *algorithms = hs_system_algorithms(&campaign->system);
    session->settings.serial_calls = hs_backend_is_nccl(campaign->backend->name);
    return HS_OK;
}

/* Rank 0. */
static enum hs_status choose_one(const struct hs_session *session, struct hs_bout *bout,
                                 struct hs_error *err)
{
    const struct hs_campaign *campaign = &session->campaign;
    struct hs_problem problem = hs_session_problem(session, bout);
    enum hs_status status =
        hs_candidates_choose(&bout->candidates, &session->settings,
                             campaign->has_system ? &campaign->system : NULL, &problem, err);

    return status ? status : check_letters(session, &bout->candidates, err);
}

/* Rank 0. The flat split first, to compare with, then the model's best. Baselines come last in each
 * round: should time run out in the first one, a slow library has not taken it from the plans. */
static enum hs_status fill_contest(const struct hs_session *session, struct hs_bout *bout,
                                   struct hs_error *err)
{
    const struct hs_engine *engine = session->campaign.backend->engine;
    const struct hs_measure_settings *settings = &session->settings;
    const struct hs_candidates *candidates = &bout->candidates;
    const char *const *natives = engine->natives[settings->campaign.call.collective];
    enum hs_status status = HS_OK;
    struct hs_plan flat;

    bout->contest.problem = hs_session_problem(session, bout);
    flat = hs_problem_flat(&bout->contest.problem);
    bout->contest.elements = bout->bytes / hs_datatype_bytes(settings->campaign.datatype);
    bout->contest.rules = (struct hs_contest_rules){
        .precision = settings->precision,
        .min_samples = (size_t)settings->min_samples,
        .max_samples = (size_t)settings->max_samples,
        .layer_runs = (size_t)settings->layers,
        .warmup_runs = (int)settings->warmup,
    };
    for (size_t i = 0; i < candidates->count && status == HS_OK; i++)
        if (hs_plan_compare(&candidates->plans[i], &flat) == 0)
            status = hs_contest_add(&bout->contest, &candidates->plans[i], err);
    for (size_t i = 0; i < candidates->count && status == HS_OK; i++)
        if (hs_plan_compare(&candidates->plans[i], &flat) != 0)
            status = hs_contest_add(&bout->contest, &candidates->plans[i], err);
    for (int i = 0; natives[i] && status == HS_OK; i++)
        if (!engine->has_native || engine->has_native(i))
            status = hs_contest_add_baseline(&bout->contest, natives[i], i, err);
    return status;
}

static enum hs_status make_bouts(struct hs_session *session, struct hs_error *err)
{
    const struct hs_range *sizes = &session->settings.campaign.sizes;
    size_t count = 0;
    enum hs_status status = HS_OK;

    for (uint64_t bytes = sizes->first; bytes; bytes = hs_range_next(sizes, bytes))
        count++;
    assert(count > 0); /* a range has its first value */
    session->bouts = calloc(count, sizeof(*session->bouts));
    if (!session->bouts)
        status = hs_no_memory(err);
    status = agree(session, status, err);
    for (uint64_t bytes = sizes->first; bytes && status == HS_OK;
         bytes = hs_range_next(sizes, bytes)) {
        struct hs_bout *bout = &session->bouts[session->bout_count++];

        bout->bytes = bytes;
        if (session->lazy || !speaks(session)) /* chosen when its layers are measured */
            continue;
        status = choose_one(session, bout, err);
        if (status == HS_OK)
            status = fill_contest(session, bout, err);
    }
    return agree(session, status, err);
}

/* ---- journal ------------------------------------------------------------------------------- */

/* Of `count` bouts from `first` on. */
static enum hs_status restore_bouts(struct hs_session *session, size_t first, size_t count,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;
    size_t done = 0, all = 0;

    for (size_t i = first; i < first + count && status == HS_OK; i++) {
        status = hs_journal_restore(&session->campaign.journal, &session->bouts[i].contest,
                                    session->bouts[i].bytes, session->settings.campaign.retry, err);
        done += hs_contest_done(&session->bouts[i].contest);
        all += session->bouts[i].contest.count;
    }
    if (status == HS_OK && !session->campaign.journal.path)
        return HS_OK;
    if (status == HS_OK && session->campaign.journal.old)
        hs_progress_note(&session->campaign.progress, "%s: %zu of %zu were done before",
                         session->campaign.journal.path, done, all);
    else if (status == HS_OK)
        hs_progress_note(&session->campaign.progress, "%s: there was none, everything is measured",
                         session->campaign.journal.path);
    return status;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static enum hs_status next(void *state, struct hs_step *step, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_session *session = state;

    (void)err;
    *step = hs_contest_next(&session->bouts[session->current].contest, elapsed_seconds);
    return HS_OK;
}

/* And the journal, of what is done and now and then of all; and progress. */
static enum hs_status tell(void *state, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_session *session = state;
    struct hs_bout *bout = &session->bouts[session->current];
    enum hs_status status = hs_contest_tell(&bout->contest, step, outcome, err);
    enum hs_datatype datatype = session->settings.campaign.datatype;
    size_t line = hs_backend_line(session->campaign.backend, datatype);
    uint64_t padded = hs_task_padded(&step->task, line) * hs_datatype_bytes(datatype);

    if (step->task.kind == HS_TASK_PLAN && padded > bout->bytes && padded > bout->padded_bytes)
        bout->padded_bytes = padded;
    if (hs_contestant_done(&bout->contest.items[step->item]))
        hs_outcome_journal_one(session, bout, &bout->contest.items[step->item]);
    if (hs_clock_seconds() - session->checkpoint_seconds >= CHECKPOINT_SECONDS) {
        hs_outcome_journal(session);
        session->checkpoint_seconds = hs_clock_seconds();
    }
    hs_progress_step(&session->campaign.progress, &bout->contest, step, elapsed_seconds);
    return status;
}

static const struct hs_planner contest_planner = {next, tell};

/* What is left of the budget, divided among the sizes left, evenly or by what they cost a job: at
 * the beginning of a size, for its layers and its contest together. A virtual clock starts at 0 for
 * each size. */
static double share_of_budget(const struct hs_session *session)
{
    double budget = session->settings.budget_seconds, own = 1, left = 0;
    bool virtual = session->campaign.backend->virtual_clock;

    for (size_t i = virtual ? 0 : session->current; i < session->bout_count; i++) {
        double share = session->settings.job.profile ? session->settings.job.shares[i] : 1;

        left += share;
        own = i == session->current ? share : own;
    }
    if (!virtual)
        budget -= hs_clock_seconds() - session->begin_seconds;
    return budget * own / left;
}

/* Measures layers, and takes the candidates from what they say. */
static enum hs_status choose_lazily(struct hs_session *session, struct hs_error *err)
{
    struct hs_bout *bout = &session->bouts[session->current];
    enum hs_status status = hs_lazy_plan_run(session, bout, bout->share_seconds, err);

    if (status != HS_OK)
        return status;
    if (speaks(session)) {
        hs_guard_lock(session->campaign.guard);
        status = fill_contest(session, bout, err);
        if (status == HS_OK && session->settings.campaign.resume)
            status = restore_bouts(session, session->current, 1, err);
        hs_guard_unlock(session->campaign.guard);
    }
    return agree(session, status, err);
}

static enum hs_status run_bout(struct hs_session *session, struct hs_error *err)
{
    struct hs_campaign *campaign = &session->campaign;
    struct hs_bout *bout = &session->bouts[session->current];
    bool said = campaign->device[0] != '\0';
    enum hs_status status;

    hs_guard_lock(campaign->guard);
    bout->begun = true;
    bout->contest.rules.budget_seconds = bout->share_seconds - bout->layers_seconds;
    campaign->progress.bytes = bout->bytes;
    hs_guard_unlock(campaign->guard);
    status = hs_campaign_run(campaign,
                             bout->bytes / hs_datatype_bytes(session->settings.campaign.datatype),
                             &contest_planner, session, err);
    hs_guard_lock(campaign->guard);
    if (campaign->device[0] && !said && speaks(session))
        hs_progress_note(&campaign->progress, "%s", campaign->device);
    hs_outcome_journal(session);
    hs_guard_unlock(campaign->guard);
    return status;
}

/* ---- from the beginning to the end --------------------------------------------------------- */

/* Not where the times are those of a machine that is played. */
static enum hs_status look_at_machine(struct hs_session *session, struct hs_error *err)
{
    struct hs_campaign *campaign = &session->campaign;
    enum hs_status status;

    if (campaign->backend->virtual_clock)
        return HS_OK;
    status = hs_machine_look(&campaign->machine, &campaign->order, &campaign->ranks,
                             !session->settings.campaign.described.system, err);
    if (status == HS_OK && campaign->machine.proposed)
        hs_progress_note(&campaign->progress,
                         "no SYSTEM given; what this node looks like, not measured: %s",
                         campaign->machine.proposed);
    return status;
}

static enum hs_status look_around(struct hs_session *session, struct hs_error *err)
{
    struct hs_campaign *campaign = &session->campaign;
    struct hs_measure_settings *settings = &session->settings;
    enum hs_status status;

    campaign->options = &settings->campaign;
    campaign->command = "measure";
    status = hs_campaign_begin(campaign, hs_outcome_cut_short, session, err);
    if (status == HS_OK && settings->job.profile && settings->job.ranks != campaign->ranks.np)
        status = hs_fail(err, HS_INVALID, "%s is of %" PRId64 " processes, the launcher started %d",
                         settings->job.profile, settings->job.ranks, campaign->ranks.np);
    if (status == HS_OK && settings->campaign.described.system) {
        status = hs_campaign_system(campaign, &campaign->system,
                                    settings->campaign.described.system, err);
        campaign->has_system = status == HS_OK;
        campaign->played = &campaign->system;
    }
    if (status != HS_OK)
        return status;
    session->lazy = hs_lazy_plan_wanted(session);
    if (!session->lazy && strcmp(settings->search, HS_SEARCH_AUTO) == 0)
        settings->search = hs_search_strategies[0].name;
    status = hs_campaign_backend(campaign, err);
    if (status == HS_OK)
        status = check_sizes(session, err);
    if (status == HS_OK)
        status = choose_algorithms(session, err);
    if (status == HS_OK)
        status = look_at_machine(session, err);
    if (status == HS_OK && speaks(session)) {
        say_placement(session);
        say_job(session);
    }
    return status;
}

/* Rank 0's files, before anything is measured. */
static enum hs_status open_files(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status = hs_campaign_open_files(&session->campaign, err);

    if (status != HS_OK || session->lazy || !session->settings.campaign.resume)
        return status;
    if (speaks(session)) {
        hs_guard_lock(session->campaign.guard);
        status = restore_bouts(session, 0, session->bout_count, err);
        hs_guard_unlock(session->campaign.guard);
    }
    return agree(session, status, err);
}

enum hs_status hs_session_run(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status;

    hs_guard_expect(session->campaign.guard, "setting up", HS_GUARD_NOBODY, SETUP_SECONDS);
    status = look_around(session, err);
    hs_guard_expect(session->campaign.guard, "choosing the candidates", HS_GUARD_NOBODY, INFINITY);
    if (status == HS_OK)
        status = make_bouts(session, err);
    if (status == HS_OK)
        status = open_files(session, err);
    session->begin_seconds = session->checkpoint_seconds = hs_clock_seconds();
    for (session->current = 0; session->current < session->bout_count && status == HS_OK;
         session->current++) {
        session->bouts[session->current].share_seconds = share_of_budget(session);
        if (session->lazy)
            status = choose_lazily(session, err);
        if (status == HS_OK)
            status = run_bout(session, err);
    }
    if (speaks(session))
        status = status == HS_OK ? hs_outcome_save(session, err)
                                 : hs_outcome_failed(session, status, err);
    hs_guard_expect(session->campaign.guard, "the end", HS_GUARD_NOBODY, SETUP_SECONDS);
    return session->campaign.order.ordered != MPI_COMM_NULL ? agree(session, status, err) : status;
}

void hs_session_release(struct hs_session *session)
{
    for (size_t i = 0; i < session->bout_count; i++) {
        hs_candidates_release(&session->bouts[i].candidates);
        hs_certificate_release(&session->bouts[i].certificate);
        hs_contest_release(&session->bouts[i].contest);
    }
    free(session->bouts);
    session->bouts = NULL;
    session->bout_count = 0;
    free(session->layer_points);
    hs_text_release(&session->settings.job.notes);
    hs_campaign_release(&session->campaign);
}
