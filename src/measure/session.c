/* session.c - see session.h. */
#include "measure/session.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/inputs.h"
#include "machine/system_find.h"
#include "measure/fingerprint.h"
#include "measure/lazy_plan.h"
#include "measure/outcome.h"
#include "measure/share.h"
#include "runner/buffers.h"
#include "runner/check.h"
#include "runner/driver.h"
#include "runner/layer_comms.h"
#include "search/search.h"

#define CHECKPOINT_SECONDS 1.0
#define SETUP_SECONDS      300.0

static enum hs_status agree(struct hs_session *session, enum hs_status status, struct hs_error *err)
{
    return hs_agree(session->order.ordered, &session->idle, status, err);
}

/* ---- the machine --------------------------------------------------------------------------- */

/* Rank 0 reads the file; the others get it whole. */
static enum hs_status read_system(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (!session->settings.system)
        return HS_OK;
    if (session->rank == 0)
        status = hs_system_find(&session->system, session->settings.system, err);
    status = agree(session, status, err);
    if (status == HS_OK)
        status = hs_share_system(&session->system, session->rank, session->order.ordered,
                                 &session->idle, err);
    session->has_system = status == HS_OK;
    return status;
}

/* What a person should know before the measurement. */
static void say_placement(struct hs_session *session)
{
    const struct hs_rank_order *order = &session->order;
    int64_t capacity = session->has_system ? hs_system_capacity(&session->system) : INT64_MAX;

    if (session->np == 1)
        hs_progress_note(&session->progress,
                         "one process, so there is nothing to split; start it under a launcher: "
                         "mpiexec -n 4 hiersearch measure ...");
    if (session->has_system && strchr(session->settings.system, '@') && session->system.notes)
        hs_progress_note(&session->progress, "%s", session->system.notes);
    if (order->note[0])
        hs_progress_note(&session->progress, "%s", order->note);
    if (session->np > capacity)
        hs_progress_note(&session->progress,
                         "%d processes are more than the %" PRId64
                         " of the system; more of its outermost "
                         "level are assumed",
                         session->np, capacity);
    else if (capacity != INT64_MAX && capacity % session->np != 0)
        hs_progress_note(&session->progress,
                         "%d processes do not divide the %" PRId64 " of the system", session->np,
                         capacity);
    for (int64_t i = 0; session->settings.verbose && i < order->node_count; i++)
        hs_progress_note(&session->progress, "node %" PRId64 ": %s, %" PRId64 " ranks%s%s", i,
                         order->nodes[i].host, order->nodes[i].ranks,
                         order->nodes[i].rack[0] ? ", rack " : "", order->nodes[i].rack);
}

/* ---- what is measured ---------------------------------------------------------------------- */

static enum hs_status choose_one(struct hs_session *session, struct hs_bout *bout,
                                 struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (session->rank == 0)
        status = hs_candidates_choose(&bout->candidates, &session->settings,
                                      session->has_system ? &session->system : NULL, session->np,
                                      bout->bytes, err);
    status = agree(session, status, err);
    return status == HS_OK ? hs_candidates_share(&bout->candidates, session->rank, session->np,
                                                 session->order.ordered, &session->idle, err)
                           : status;
}

static enum hs_status add_plan(struct hs_bout *bout, const struct hs_plan *plan,
                               struct hs_error *err)
{
    char text[HS_SPLIT_TEXT];

    return hs_contest_add(&bout->contest, hs_plan_format(text, plan), plan, 0, err);
}

static bool is_flat(const struct hs_plan *plan)
{
    return plan->split.count == 1 && plan->chunks == 1;
}

/* The flat split first, to compare with, then the model's best. Baselines come last in each round:
 * should time run out in the first one, a slow library has not taken it from the plans. */
static enum hs_status fill_contest(struct hs_session *session, struct hs_bout *bout,
                                   struct hs_error *err)
{
    const struct hs_baseline *baselines = session->backend->baselines;
    const struct hs_measure_settings *settings = &session->settings;
    const struct hs_candidates *candidates = &bout->candidates;
    enum hs_status status = HS_OK;

    bout->contest.rules = (struct hs_contest_rules){
        .precision = settings->precision,
        .min_samples = (size_t)settings->min_samples,
        .max_samples = (size_t)settings->max_samples,
        .layer_runs = (size_t)settings->layers,
    };
    for (size_t i = 0; i < candidates->count && status == HS_OK; i++)
        if (is_flat(&candidates->plans[i]))
            status = add_plan(bout, &candidates->plans[i], err);
    for (size_t i = 0; i < candidates->count && status == HS_OK; i++)
        if (!is_flat(&candidates->plans[i]))
            status = add_plan(bout, &candidates->plans[i], err);
    for (size_t i = 0; baselines && baselines[i].name && status == HS_OK; i++)
        status = hs_contest_add(&bout->contest, baselines[i].name, NULL, i, err);
    return status;
}

static enum hs_status make_bouts(struct hs_session *session, struct hs_error *err)
{
    const struct hs_range *sizes = &session->settings.sizes;
    size_t count = 0;
    enum hs_status status = HS_OK;

    for (uint64_t bytes = sizes->first; bytes; bytes = hs_range_next(sizes, bytes))
        count++;
    assert(count > 0); /* a range has its first value */
    session->bouts = calloc(count, sizeof(*session->bouts));
    if (!session->bouts)
        status = hs_fail(err, HS_MEMORY, "out of memory");
    status = agree(session, status, err);
    for (uint64_t bytes = sizes->first; bytes && status == HS_OK;
         bytes = hs_range_next(sizes, bytes)) {
        struct hs_bout *bout = &session->bouts[session->bout_count++];

        bout->bytes = bytes;
        if (session->lazy) /* chosen when its layers are measured */
            continue;
        status = choose_one(session, bout, err);
        if (status == HS_OK)
            status = agree(session, fill_contest(session, bout, err), err);
    }
    return status;
}

/* ---- journal ------------------------------------------------------------------------------- */

/* Of `count` bouts from `first` on. */
static enum hs_status restore_bouts(struct hs_session *session, size_t first, size_t count,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;
    size_t done = 0, all = 0;

    for (size_t i = first; i < first + count && status == HS_OK; i++) {
        status = hs_journal_restore(&session->journal, &session->bouts[i].contest,
                                    session->bouts[i].bytes, session->settings.retry, err);
        done += hs_contest_done(&session->bouts[i].contest);
        all += session->bouts[i].contest.count;
    }
    if (status == HS_OK && session->journal.old)
        hs_progress_note(&session->progress, "%s: %zu of %zu were done before",
                         session->journal.path, done, all);
    else if (status == HS_OK)
        hs_progress_note(&session->progress, "%s: there was none, everything is measured",
                         session->journal.path);
    return status;
}

/* Rank 0. *path: the journal's, owned by the caller; NULL: none is wanted. */
static enum hs_status name_journal(char **path, const struct hs_measure_settings *settings,
                                   const char *output, struct hs_error *err)
{
    *path = NULL;
    if (settings->journal)
        *path = hs_strdup(settings->journal);
    else if (!output)
        return HS_OK;
    else if (asprintf(path, "%s.journal", output) < 0)
        *path = NULL;
    return *path ? HS_OK : hs_fail(err, HS_MEMORY, "out of memory");
}

/* Rank 0. `output`: the file, or NULL. */
static enum hs_status open_journal(struct hs_session *session, const char *output,
                                   struct hs_error *err)
{
    const struct hs_measure_settings *settings = &session->settings;
    struct hs_journal *journal = &session->journal;
    struct hs_journal_run run = {0};
    char *path;
    enum hs_status status = name_journal(&path, settings, output, err);

    if (!path)
        return status;
    status = hs_fingerprint_take(&run, session, err);
    if (status == HS_OK && settings->resume)
        status = hs_journal_resume(journal, path, output, &run, err);
    else if (status == HS_OK)
        status = hs_journal_create(journal, path, output, &run, err);
    if (status == HS_OK && journal->aside)
        hs_progress_note(&session->progress,
                         "the journal of an earlier run is now %s; to go on from it: --resume "
                         "--journal %s",
                         journal->aside, journal->aside);
    if (status == HS_OK && journal->lost_lines > 0)
        hs_progress_note(&session->progress,
                         "%s: lines that were never written to the end: %zu; what they held is "
                         "measured again",
                         path, journal->lost_lines);
    if (status == HS_OK && settings->resume && !session->lazy)
        status = restore_bouts(session, 0, session->bout_count, err);
    hs_fields_release(&hs_journal_run_fields, &run);
    free(path);
    return status;
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* After each step, under the lock: progress, and the journal for what is done and every few
 * seconds. */
static void on_step(void *context, const struct hs_step *step, double elapsed_seconds)
{
    struct hs_session *session = context;
    struct hs_bout *bout = &session->bouts[session->current];
    double now = hs_clock_seconds();

    if (hs_contestant_done(&bout->contest.items[step->contestant]))
        hs_outcome_journal_one(session, bout, &bout->contest.items[step->contestant]);
    if (now - session->checkpoint_seconds >= CHECKPOINT_SECONDS) {
        hs_outcome_journal(session);
        session->checkpoint_seconds = hs_clock_seconds();
    }
    hs_progress_step(&session->progress, &bout->contest, step, elapsed_seconds);
}

/* What is left of the budget, divided by the sizes left. A virtual clock starts at 0 for each size,
 * and again behind its layers. */
static double bout_budget(const struct hs_session *session)
{
    double budget = session->settings.budget_seconds;

    if (session->backend->virtual_clock)
        return budget / (double)session->bout_count -
               session->bouts[session->current].layers_seconds;
    return (budget - (hs_clock_seconds() - session->begin_seconds)) /
           (double)(session->bout_count - session->current);
}

/* Measures layers, and takes the candidates from what they say. */
static enum hs_status choose_lazily(struct hs_session *session, struct hs_error *err)
{
    struct hs_bout *bout = &session->bouts[session->current];
    enum hs_status status = hs_lazy_plan_run(session, bout, bout_budget(session), err);

    if (status != HS_OK)
        return status;
    hs_guard_lock(session->guard);
    status = fill_contest(session, bout, err);
    if (status == HS_OK && session->rank == 0 && session->settings.resume)
        status = restore_bouts(session, session->current, 1, err);
    hs_guard_unlock(session->guard);
    return agree(session, status, err);
}

static enum hs_status run_bout(struct hs_session *session, struct hs_error *err)
{
    const struct hs_measure_settings *settings = &session->settings;
    struct hs_bout *bout = &session->bouts[session->current];
    size_t width = hs_datatype_bytes(settings->datatype);
    struct hs_driver driver = {
        .backend = session->backend,
        .config = {.world = session->order.ordered,
                   .count = bout->bytes / width,
                   .datatype = settings->datatype,
                   .operation = settings->operation,
                   .faults = settings->faults,
                   .seed = (uint64_t)settings->seed,
                   .system = session->has_system ? &session->system : NULL,
                   .memory = session->memory},
        .contest = &bout->contest,
        .guard = session->guard,
        .warmup_runs = (int)settings->warmup,
        .timeout_seconds = settings->timeout_seconds,
        .on_step = on_step,
        .context = session,
    };
    enum hs_status status;

    hs_guard_lock(session->guard);
    bout->begun = true;
    bout->contest.rules.budget_seconds = bout_budget(session);
    session->progress.bytes = bout->bytes;
    hs_guard_unlock(session->guard);
    status = hs_driver_run(&driver, err);
    hs_guard_lock(session->guard);
    hs_progress_line_clear(&session->progress.line);
    if (driver.padded_count * width > bout->bytes)
        bout->padded_bytes = driver.padded_count * width;
    if (driver.device[0] && !session->device[0] && session->rank == 0)
        hs_progress_note(&session->progress, "%s", driver.device);
    memcpy(session->device, driver.device, sizeof(session->device));
    if (driver.memory_bytes > session->memory_bytes)
        session->memory_bytes = driver.memory_bytes;
    hs_outcome_journal(session);
    hs_guard_unlock(session->guard);
    return status;
}

/* ---- from the beginning to the end --------------------------------------------------------- */

static enum hs_status choose_backend(struct hs_session *session, struct hs_error *err)
{
    const struct hs_measure_settings *settings = &session->settings;
    char note[HS_BACKEND_NOTE];
    enum hs_status status = hs_backend_choose(&session->backend, note, settings->backend,
                                              session->order.ordered, &session->idle, err);

    if (status == HS_OK && note[0])
        hs_progress_note(&session->progress, "backend %s, %s", session->backend->name, note);
    if (status == HS_OK)
        status = hs_buffers_choose(&session->memory, session->backend, settings->buffers,
                                   session->order.ordered, &session->idle, err);
    return status;
}

/* Not where the times are those of a machine that is played. */
static enum hs_status look_at_machine(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status;

    if (session->backend->virtual_clock)
        return HS_OK;
    status = hs_machine_look(&session->machine, &session->order, &session->idle,
                             !session->settings.system, err);
    if (status == HS_OK && session->machine.proposed)
        hs_progress_note(&session->progress,
                         "no SYSTEM given; what this node looks like, not measured: %s",
                         session->machine.proposed);
    return status;
}

static enum hs_status look_around(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status = hs_rank_order_init(&session->order, MPI_COMM_WORLD, err);

    hs_idle_init(&session->idle, MPI_COMM_WORLD);
    status = hs_agree(MPI_COMM_WORLD, &session->idle, status, err);
    if (status != HS_OK)
        return status;
    CHECK_MPI(MPI_Comm_rank(session->order.ordered, &session->rank));
    CHECK_MPI(MPI_Comm_size(session->order.ordered, &session->np));
    hs_guard_serve(session->guard, session->rank, session->np, hs_outcome_cut_short, session);
    hs_progress_init(&session->progress, "measure", session->settings.quiet || session->rank != 0);
    hs_clock_utc(session->created);
    status = read_system(session, err);
    session->lazy = hs_lazy_plan_wanted(session);
    if (!session->lazy && strcmp(session->settings.search, HS_SEARCH_AUTO) == 0)
        session->settings.search = hs_search_strategies[0].name;
    if (status == HS_OK)
        status = choose_backend(session, err);
    if (status == HS_OK)
        status = look_at_machine(session, err);
    if (status == HS_OK && session->rank == 0)
        say_placement(session);
    return status;
}

/* Rank 0's files, before anything is measured. */
static enum hs_status open_files(struct hs_session *session, struct hs_error *err)
{
    const char *output = session->settings.output;
    enum hs_status status = HS_OK;

    if (output && strcmp(output, "-") == 0)
        output = NULL;
    if (session->rank == 0) {
        status = hs_output_check(output, session->settings.system, NULL, err);
        hs_guard_lock(session->guard);
        if (status == HS_OK)
            status = open_journal(session, output, err);
        hs_guard_unlock(session->guard);
    }
    return agree(session, status, err);
}

enum hs_status hs_session_run(struct hs_session *session, struct hs_error *err)
{
    enum hs_status status;

    hs_guard_expect(session->guard, "setting up", HS_GUARD_NOBODY, SETUP_SECONDS);
    status = look_around(session, err);
    hs_guard_expect(session->guard, "choosing the candidates", HS_GUARD_NOBODY, INFINITY);
    if (status == HS_OK)
        status = make_bouts(session, err);
    if (status == HS_OK)
        status = open_files(session, err);
    session->begin_seconds = session->checkpoint_seconds = hs_clock_seconds();
    for (session->current = 0; session->current < session->bout_count && status == HS_OK;
         session->current++) {
        if (session->lazy)
            status = choose_lazily(session, err);
        if (status == HS_OK)
            status = run_bout(session, err);
    }
    if (session->rank == 0)
        status = status == HS_OK ? hs_outcome_save(session, err)
                                 : hs_outcome_failed(session, status, err);
    hs_guard_expect(session->guard, "the end", HS_GUARD_NOBODY, SETUP_SECONDS);
    return session->order.ordered != MPI_COMM_NULL ? agree(session, status, err) : status;
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
    hs_journal_close(&session->journal, false);
    hs_system_release(&session->system);
    hs_machine_release(&session->machine);
    hs_rank_order_release(&session->order);
}
