/* lazy_plan.c - see lazy_plan.h. */
#include "measure/lazy_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "machine/neutral_system.h"
#include "measure/share.h"
#include "runner/layer_comms.h"
#include "runner/layer_timer.h"
#include "search/lazy.h"

/* Part of the budget that layers may take; the rest is for the candidates. */
#define LAYERS_SHARE 0.5
/* A measurement may take so many times its equal share of the time that is left. */
#define SHARES 2.0
/* Half width of the winner's interval, relative to its time, from which the noise is worth a
 * warning. */
#define NOISY 0.05

/* One bout's layers, being measured. */
struct work {
    struct hs_session *session;
    struct hs_bout *bout;
    struct hs_problem problem;
    double budget_seconds;
    /* Rank 0's: */
    struct hs_lazy lazy;
    struct hs_journal_layer *known; /* [known_count] owned: of the journal */
    size_t known_count;
};

/* What all ranks do next. */
struct step {
    struct hs_layer layer;
    bool rough;
    uint64_t count; /* elements entering; 0: the end */
    double budget_seconds;
};

/* Then the flat split is all there is. */
static bool is_prime(int np)
{
    for (int divisor = 2; divisor <= np / divisor; divisor++)
        if (np % divisor == 0)
            return false;
    return true;
}

bool hs_lazy_plan_wanted(const struct hs_session *session)
{
    const struct hs_measure_settings *settings = &session->settings;

    if (settings->plans || settings->all || is_prime(session->np))
        return false;
    if (strcmp(settings->search, HS_SEARCH_AUTO) != 0)
        return strcmp(settings->search, HS_SEARCH_LAZY) == 0;
    return !session->has_system || (session->system.fits.count == 0 && !settings->top_given);
}

/* Rank 0. Layers that hung or failed in the session before. */
static void leave_out_failed(struct work *work)
{
    for (size_t i = 0; i < work->known_count; i++) {
        struct hs_layer layer = work->known[i].point.key.layer;
        const struct hs_lazy_layer *item = hs_lazy_find(&work->lazy, layer);

        if (!work->known[i].failed || !item || item->status == HS_LAZY_FAILED)
            continue;
        hs_lazy_fail(&work->lazy, layer);
        hs_progress_note(&work->session->progress,
                         "the layer of size %" PRId64 " at stride %" PRId64
                         " could not be measured before, splits with it are left out; --retry "
                         "tries again",
                         layer.size, layer.stride);
    }
}

/* Rank 0. */
static enum hs_status begin(struct work *work, struct hs_error *err)
{
    struct hs_session *session = work->session;
    struct hs_system neutral = {.level_count = 0};
    const struct hs_system *system = session->has_system ? &session->system : &neutral;
    struct hs_lazy_options options = {.shape_only = !session->has_system};
    enum hs_status status = HS_OK;

    if (!session->has_system)
        status = hs_neutral_system(&neutral, session->order.nodes, session->order.node_count, err);
    if (status == HS_OK)
        status = hs_lazy_init(&work->lazy, system, &work->problem, &options, err);
    if (status == HS_OK)
        status = hs_lazy_learn(&work->lazy, session->layer_points, session->layer_point_count, err);
    if (status == HS_OK && session->settings.resume)
        status = hs_journal_layers(&work->known, &work->known_count, &session->journal,
                                   work->bout->bytes, session->np, err);
    hs_system_release(&neutral);
    if (status == HS_OK && !session->settings.retry)
        leave_out_failed(work);
    return status;
}

/* ---- what is measured next ----------------------------------------------------------------- */

/* Elements that enter a layer, so that it divides them. */
static uint64_t entering(const struct work *work, struct hs_layer layer)
{
    uint64_t width = hs_datatype_bytes(work->session->settings.datatype);
    uint64_t stride = (uint64_t)layer.stride, size = (uint64_t)layer.size;
    uint64_t elements = (work->bout->bytes / width + stride - 1) / stride;

    return (elements + size - 1) / size * size;
}

/* Kept for later message sizes, too. */
static enum hs_status remember(struct hs_session *session, const struct hs_fit_point *points,
                               size_t count, struct hs_error *err)
{
    size_t total = session->layer_point_count + count;
    struct hs_fit_point *grown = realloc(session->layer_points, total * sizeof(*grown));

    if (!grown)
        return hs_fail(err, HS_MEMORY, "out of memory for layers");
    session->layer_points = grown;
    memcpy(grown + session->layer_point_count, points, count * sizeof(*points));
    session->layer_point_count = total;
    return HS_OK;
}

/* Takes a layer from the journal, where all its phases are there. */
static bool take_known(struct work *work, const struct hs_lazy_step *step, enum hs_status *status,
                       struct hs_error *err)
{
    enum hs_phase phases[2];
    struct hs_fit_point points[2];
    size_t count = (size_t)hs_problem_phases(phases, &work->problem, step->layer), found = 0;

    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < work->known_count; i++) {
            const struct hs_fit_point *point = &work->known[i].point;

            if (!work->known[i].failed && hs_layer_equal(point->key.layer, step->layer) &&
                point->key.phase == phases[p] && work->known[i].rough == step->rough) {
                points[found++] = *point;
                break;
            }
        }
    if (found < count)
        return false;
    *status = hs_lazy_add(&work->lazy, points, count, step->rough, err);
    if (*status == HS_OK)
        *status = remember(work->session, points, count, err);
    return true;
}

/* Rank 0. What to measure, if anything. A rough look is no shorter than a measurement where few
 * samples are asked for. */
static bool decide(struct work *work, struct hs_lazy_step *wanted, enum hs_status *status,
                   struct hs_error *err)
{
    do {
        *status = hs_lazy_next(wanted, &work->lazy, err);
        if (*status != HS_OK || !wanted->wanted)
            return false;
        if (work->session->settings.max_samples <= HS_LAZY_ROUGH_SAMPLES)
            wanted->rough = false;
    } while (take_known(work, wanted, status, err) && *status == HS_OK);
    return *status == HS_OK;
}

/* Rank 0's decision, on all ranks. */
static struct step next_step(struct work *work, const struct hs_layer_timer *timer,
                             enum hs_status *status, struct hs_error *err)
{
    struct hs_session *session = work->session;
    double left = work->budget_seconds - hs_stopwatch_elapsed(&timer->watch);
    struct step step = {.count = 0};

    hs_guard_expect(session->guard, "between two layers", HS_GUARD_NOBODY,
                    session->settings.timeout_seconds);
    if (session->rank == 0 && *status == HS_OK && left > 0) {
        struct hs_lazy_step wanted;

        hs_guard_lock(session->guard);
        if (decide(work, &wanted, status, err)) {
            size_t rough, measured = hs_lazy_measured(&work->lazy, &rough);
            size_t phases = 2 * (work->lazy.lattice.edge_count - measured + rough);

            session->layer = step.layer = wanted.layer;
            step.rough = wanted.rough;
            step.count = entering(work, step.layer);
            step.budget_seconds = SHARES * left / (double)phases;
        }
        hs_guard_unlock(session->guard);
    }
    hs_share_bytes(&step, sizeof(step), session->order.ordered, &session->idle);
    return step;
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* Rank 0. */
static void show(struct work *work, const struct step *step, const struct hs_fit_point *points,
                 size_t count)
{
    struct hs_session *session = work->session;
    char size[HS_UNIT_TEXT], seconds[HS_UNIT_TEXT];
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += points[i].seconds;
    if (hs_progress_line_is_due(&session->progress.line))
        hs_progress_line_draw(&session->progress.line, -1, 0,
                              "%s  layer of size %" PRId64 " at stride %" PRId64
                              "  %s%s  (%zu of at most %zu layers)",
                              hs_bytes_format(size, work->bout->bytes), step->layer.size,
                              step->layer.stride, step->rough ? "about " : "",
                              hs_seconds_format(seconds, sum), hs_lazy_measured(&work->lazy, NULL),
                              work->lazy.lattice.edge_count);
}

/* Rank 0: what came of a layer. */
static enum hs_status keep(struct work *work, const struct step *step,
                           const struct hs_fit_point *points, size_t count,
                           const struct hs_layer_time *time, struct hs_error *err)
{
    struct hs_session *session = work->session;
    struct hs_error ignored; /* the journal says once that it ends; the run goes on */
    enum hs_status status;

    session->layer = (struct hs_layer){0, 0};
    if (time->failed) {
        struct hs_journal_layer line = {.point.key.layer = step->layer, .failed = time->reason};

        hs_lazy_fail(&work->lazy, step->layer);
        if (hs_journal_write_layer(&session->journal, work->bout->bytes, &line, &ignored))
            hs_progress_note(&session->progress, "the journal ends here: %s", ignored.message);
        hs_progress_note(&session->progress,
                         "the layer of size %" PRId64 " at stride %" PRId64
                         " cannot be measured, splits with it are left out: %s",
                         step->layer.size, step->layer.stride, time->reason);
        return HS_OK;
    }
    status = hs_lazy_add(&work->lazy, points, count, step->rough, err);
    if (status == HS_OK)
        status = remember(session, points, count, err);
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        struct hs_journal_layer line = {.point = points[i], .rough = step->rough};

        if (hs_journal_write_layer(&session->journal, work->bout->bytes, &line, &ignored))
            hs_progress_note(&session->progress, "the journal ends here: %s", ignored.message);
    }
    if (status == HS_OK)
        show(work, step, points, count);
    return status;
}

static struct hs_layer_rules rules_of(const struct hs_measure_settings *settings, bool rough)
{
    struct hs_layer_rules rules = {.warmup_runs = (int)settings->warmup,
                                   .precision = settings->precision,
                                   .min_samples = (size_t)settings->min_samples,
                                   .max_samples = (size_t)settings->max_samples};

    if (!rough)
        return rules;
    if (rules.warmup_runs > HS_LAZY_ROUGH_WARMUP)
        rules.warmup_runs = HS_LAZY_ROUGH_WARMUP;
    rules.min_samples = rules.max_samples = HS_LAZY_ROUGH_SAMPLES;
    return rules;
}

/* All phases of one layer. `time` is working space. */
static enum hs_status measure_layer(struct work *work, struct hs_layer_timer *timer,
                                    const struct step *step, struct hs_layer_time *time,
                                    struct hs_error *err)
{
    struct hs_session *session = work->session;
    enum hs_phase phases[2];
    int phase_count = hs_problem_phases(phases, &work->problem, step->layer);
    double bytes = (double)(step->count * hs_datatype_bytes(session->settings.datatype));
    struct hs_fit_point points[2];
    size_t count = 0;
    enum hs_status status = HS_OK;

    timer->rules = rules_of(&session->settings, step->rough);
    timer->rules.budget_seconds = step->budget_seconds;
    time->failed = false;
    for (int i = 0; i < phase_count && status == HS_OK && !time->failed; i++) {
        status =
            hs_layer_timer_measure(timer, step->layer, phases[i], (size_t)step->count, time, err);
        points[count++] = (struct hs_fit_point){.key = {phases[i], HS_RING, step->layer},
                                                .np = session->np,
                                                .bytes = bytes,
                                                .seconds = time->seconds,
                                                .noise = time->noise};
    }
    if (status != HS_OK || session->rank != 0)
        return status;
    hs_guard_lock(session->guard);
    status = keep(work, step, points, count, time, err);
    hs_guard_unlock(session->guard);
    return status;
}

static enum hs_status measure_layers(struct work *work, struct hs_layer_timer *timer,
                                     struct hs_error *err)
{
    struct hs_layer_time time = {.samples = 0};
    enum hs_status status = HS_OK;

    for (;;) {
        struct step step = next_step(work, timer, &status, err);

        if (step.count == 0)
            break;
        status = measure_layer(work, timer, &step, &time, err);
    }
    hs_layer_time_release(&time);
    work->bout->layers_seconds = hs_stopwatch_elapsed(&timer->watch);
    if (timer->memory_bytes > work->session->memory_bytes)
        work->session->memory_bytes = timer->memory_bytes;
    return hs_agree(work->session->order.ordered, &work->session->idle, status, err);
}

/* Elements enough for any layer, which may round up to a multiple of its size. */
static uint64_t count_max(const struct work *work)
{
    struct hs_layer flat = {1, work->session->np};

    return entering(work, flat) + (uint64_t)work->session->np;
}

static enum hs_status run_timer(struct work *work, struct hs_error *err)
{
    struct hs_session *session = work->session;
    const struct hs_measure_settings *settings = &session->settings;
    struct hs_layer_timer timer = {
        .backend = session->backend,
        .config = {.world = session->order.ordered,
                   .count = (size_t)count_max(work),
                   .datatype = settings->datatype,
                   .operation = settings->operation,
                   .faults = settings->faults,
                   .seed = (uint64_t)settings->seed,
                   .system = session->has_system ? &session->system : NULL,
                   .memory = session->memory},
        .guard = session->guard,
        .timeout_seconds = settings->timeout_seconds,
    };
    enum hs_status status = hs_layer_timer_open(&timer, err);

    if (status != HS_OK)
        return status;
    status = measure_layers(work, &timer, err);
    hs_layer_timer_close(&timer);
    return status;
}

/* ---- what follows from it ------------------------------------------------------------------ */

/* Rank 0. */
static void warn(struct work *work)
{
    const struct hs_certificate *certificate = &work->bout->certificate;
    struct hs_progress *progress = &work->session->progress;

    if (certificate->winner.count == 0)
        hs_progress_note(progress,
                         "%zu of %zu layers were measured before the time was up, no split "
                         "throughout; the model chooses from what it learned",
                         certificate->layers_measured, certificate->layers);
    else if (certificate->ci95_seconds > NOISY * certificate->seconds)
        hs_progress_note(progress,
                         "the layers' times scatter (the best split's sum is known to +-%.0f %%): "
                         "is the machine loaded?",
                         100 * certificate->ci95_seconds / certificate->seconds);
}

/* Rank 0. */
static enum hs_status choose(struct work *work, struct hs_error *err)
{
    struct hs_session *session = work->session;
    struct hs_bout *bout = work->bout;
    struct hs_system fitted = {.level_count = 0};
    enum hs_status status;

    hs_guard_lock(session->guard);
    status = hs_lazy_certificate(&bout->certificate, &work->lazy, err);
    hs_progress_line_clear(&session->progress.line);
    if (status == HS_OK)
        warn(work);
    if (status == HS_OK)
        status = hs_lazy_fitted(&fitted, &work->lazy, err);
    if (status == HS_OK)
        status = hs_candidates_survive(&bout->candidates, &bout->certificate, &session->settings,
                                       &fitted, session->np, bout->bytes, err);
    hs_system_release(&fitted);
    hs_guard_unlock(session->guard);
    return status;
}

enum hs_status hs_lazy_plan_run(struct hs_session *session, struct hs_bout *bout,
                                double budget_seconds, struct hs_error *err)
{
    struct work work = {.session = session,
                        .bout = bout,
                        .problem = hs_problem_world(session->np, (double)bout->bytes),
                        .budget_seconds = LAYERS_SHARE * budget_seconds};
    enum hs_status status = HS_OK;

    if (session->rank == 0)
        status = begin(&work, err);
    status = hs_agree(session->order.ordered, &session->idle, status, err);
    if (status == HS_OK)
        status = run_timer(&work, err);
    if (status == HS_OK && session->rank == 0)
        status = choose(&work, err);
    status = hs_agree(session->order.ordered, &session->idle, status, err);
    if (status == HS_OK)
        status = hs_candidates_share(&bout->candidates, session->rank, session->np,
                                     session->order.ordered, &session->idle, err);
    hs_lazy_release(&work.lazy);
    free(work.known);
    return status;
}
