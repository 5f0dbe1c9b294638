/* lazy_plan.c - see lazy_plan.h. */
#include "runner/lazy_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "detect/neutral_system.h"
#include "search/lazy_planner.h"

/* Part of the budget that layers may take; the rest is for the candidates. */
#define LAYERS_SHARE 0.5
/* A measurement may take so many times its equal share of the time that is left. */
#define SHARES 2.0
/* Half width of the winner's interval, relative to its time, from which the noise is worth a
 * warning. */
#define NOISY 0.05

/* One bout's layers, being measured. Rank 0's, but for what hs_lazy_plan_run fills in. */
struct work {
    struct hs_session *session;
    struct hs_bout *bout;
    struct hs_problem problem;
    double budget_seconds;
    struct hs_lazy_planner lazy;
    struct hs_journal_layer *known; /* [known_count] owned: of the journal */
    size_t known_count;
    /* The layer being measured, phase by phase: */
    struct hs_lazy_step wanted;
    enum hs_phase phases[2];
    size_t phase_count, measured; /* measured == phase_count: none is */
    struct hs_fit_point points[2];
    double phase_seconds; /* that one of them may take */
};

bool hs_lazy_plan_wanted(const struct hs_session *session)
{
    const struct hs_measure_settings *settings = &session->settings;
    struct hs_group group = hs_campaign_problem(&session->campaign, 0).group;

    if (settings->plans || settings->all || hs_group_is_flat(&group))
        return false;
    if (strcmp(settings->search, HS_SEARCH_AUTO) != 0)
        return strcmp(settings->search, HS_SEARCH_LAZY) == 0;
    return !session->campaign.has_system ||
           (session->campaign.system.fits.count == 0 && !settings->top_given);
}

/* The key of all phases of a stage's layer. */
static struct hs_stage_key pair_of(const struct work *work, struct hs_stage_key key)
{
    return hs_problem_key(&work->problem, key.layer, key.algorithm);
}

/* Rank 0. Layers that hung or failed in the session before. */
static void leave_out_failed(struct work *work)
{
    for (size_t i = 0; i < work->known_count; i++) {
        struct hs_stage_key key = pair_of(work, work->known[i].point.key);
        const struct hs_lazy_layer *item = hs_lazy_planner_find(&work->lazy, key);

        if (!work->known[i].failed || !item || item->status == HS_LAZY_FAILED)
            continue;
        hs_lazy_planner_fail(&work->lazy, key);
        hs_progress_note(&work->session->campaign.progress,
                         "the layer of size %" PRId64 " at stride %" PRId64
                         "%s could not be measured before, splits with it are left out; --retry "
                         "tries again",
                         key.layer.size, key.layer.stride, hs_algorithm_clauses[key.algorithm]);
    }
}

/* Rank 0. */
static enum hs_status begin(struct work *work, struct hs_error *err)
{
    struct hs_session *session = work->session;
    struct hs_system neutral = {.level_count = 0};
    const struct hs_campaign *campaign = &session->campaign;
    const struct hs_system *system = campaign->has_system ? &campaign->system : &neutral;
    struct hs_lazy_options options = {.shape_only = !campaign->has_system,
                                      .algorithms = session->settings.algorithms};
    enum hs_status status = HS_OK;

    if (!campaign->has_system)
        status =
            hs_neutral_system(&neutral, campaign->order.nodes, campaign->order.node_count, err);
    if (status == HS_OK)
        status = hs_lazy_planner_init(&work->lazy, system, &work->problem, &options, err);
    if (status == HS_OK)
        status = hs_lazy_planner_learn(&work->lazy, session->layer_points,
                                       session->layer_point_count, err);
    if (status == HS_OK && session->settings.campaign.resume)
        status = hs_journal_layers(&work->known, &work->known_count, &campaign->journal,
                                   work->bout->bytes, campaign->ranks.np, err);
    hs_system_release(&neutral);
    if (status == HS_OK && !session->settings.campaign.retry)
        leave_out_failed(work);
    return status;
}

/* ---- what is measured next ----------------------------------------------------------------- */

/* Elements that enter a layer, so that it divides them. */
static uint64_t entering(const struct work *work, struct hs_layer layer)
{
    double width = (double)hs_datatype_bytes(work->session->settings.campaign.datatype);
    uint64_t elements = (uint64_t)ceil(hs_problem_entering(&work->problem, layer) / width);
    uint64_t size = (uint64_t)layer.size;

    return (elements + size - 1) / size * size;
}

/* Kept for later message sizes, too. */
static enum hs_status remember(struct hs_session *session, const struct hs_fit_point *points,
                               size_t count, struct hs_error *err)
{
    size_t total = session->layer_point_count + count;
    struct hs_fit_point *grown = realloc(session->layer_points, total * sizeof(*grown));

    if (!grown)
        return hs_no_memory(err);
    session->layer_points = grown;
    memcpy(grown + session->layer_point_count, points, count * sizeof(*points));
    session->layer_point_count = total;
    return HS_OK;
}

static struct hs_stage_key stage_of(const struct hs_lazy_step *step, enum hs_phase phase)
{
    return (struct hs_stage_key){phase, step->key.algorithm, step->key.layer};
}

/* The first time of the journal's that was not taken yet. */
static struct hs_journal_layer *find_known(struct work *work, const struct hs_lazy_step *step,
                                           enum hs_phase phase)
{
    for (size_t i = 0; i < work->known_count; i++) {
        struct hs_journal_layer *known = &work->known[i];

        if (!known->failed && hs_stage_key_equal(known->point.key, stage_of(step, phase)) &&
            known->rough == step->rough)
            return known;
    }
    return NULL;
}

/* Takes a layer from the journal, where all its phases are there. */
static bool take_known(struct work *work, const struct hs_lazy_step *step, enum hs_status *status,
                       struct hs_error *err)
{
    enum hs_phase phases[2];
    struct hs_journal_layer *found[2];
    struct hs_fit_point points[2];
    size_t count = (size_t)hs_problem_phases(phases, &work->problem, step->key.layer);

    for (size_t p = 0; p < count; p++) {
        found[p] = find_known(work, step, phases[p]);
        if (!found[p])
            return false;
        points[p] = found[p]->point;
    }
    for (size_t p = 0; p < count; p++)
        found[p]->failed = "taken";
    *status = hs_lazy_planner_tell(&work->lazy, points, count, step->rough, err);
    if (*status == HS_OK)
        *status = remember(work->session, points, count, err);
    return true;
}

/* What to measure, if anything. A rough look is no shorter than a measurement where few samples are
 * asked for. */
static bool decide(struct work *work, struct hs_lazy_step *wanted, enum hs_status *status,
                   struct hs_error *err)
{
    do {
        *status = hs_lazy_planner_next(wanted, &work->lazy, err);
        if (*status != HS_OK || !wanted->wanted)
            return false;
        if (work->session->settings.max_samples <= HS_LAZY_ROUGH_SAMPLES)
            wanted->rough = false;
    } while (take_known(work, wanted, status, err) && *status == HS_OK);
    return *status == HS_OK;
}

static struct hs_rules rules_of(const struct work *work)
{
    const struct hs_measure_settings *settings = &work->session->settings;
    struct hs_rules rules = {.warmup_runs = (int)settings->warmup,
                             .precision = settings->precision,
                             .min_samples = (size_t)settings->min_samples,
                             .max_samples = (size_t)settings->max_samples,
                             .budget_seconds = work->phase_seconds};

    if (!work->wanted.rough)
        return rules;
    if (rules.warmup_runs > HS_LAZY_ROUGH_WARMUP)
        rules.warmup_runs = HS_LAZY_ROUGH_WARMUP;
    rules.min_samples = rules.max_samples = HS_LAZY_ROUGH_SAMPLES;
    return rules;
}

/* The next phase of the layer that is being measured. */
static struct hs_step step_of(const struct work *work)
{
    return (struct hs_step){
        .task = {.kind = HS_TASK_STAGE,
                 .stage = stage_of(&work->wanted, work->phases[work->measured]),
                 .count = (size_t)entering(work, work->wanted.key.layer)},
        .rules = rules_of(work),
        .prepare = true,
        .rough = work->wanted.rough,
        .item = HS_GUARD_NOBODY,
    };
}

static enum hs_status next(void *state, struct hs_step *step, double elapsed_seconds,
                           struct hs_error *err)
{
    struct work *work = state;
    double left = work->budget_seconds - elapsed_seconds;
    enum hs_status status = HS_OK;

    if (work->measured == work->phase_count) {
        if (left <= 0 || !decide(work, &work->wanted, &status, err)) {
            step->end = true;
            return status;
        }
        work->phase_seconds = SHARES * left / (2.0 * (double)hs_lazy_planner_left(&work->lazy));
        work->phase_count =
            (size_t)hs_problem_phases(work->phases, &work->problem, work->wanted.key.layer);
        work->measured = 0;
    }
    *step = step_of(work);
    return HS_OK;
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void show(struct work *work)
{
    struct hs_progress_line *line = &work->session->campaign.progress.line;
    char size[HS_UNIT_TEXT], seconds[HS_UNIT_TEXT];
    double sum = 0;

    for (size_t i = 0; i < work->phase_count; i++)
        sum += work->points[i].seconds;
    if (hs_progress_line_is_due(line))
        hs_progress_line_draw(line, -1, 0,
                              "%s  layer of size %" PRId64 " at stride %" PRId64
                              "%s  %s%s  (%zu of at most %zu layers)",
                              hs_bytes_format(size, work->bout->bytes), work->wanted.key.layer.size,
                              work->wanted.key.layer.stride,
                              hs_algorithm_clauses[work->wanted.key.algorithm],
                              work->wanted.rough ? "about " : "", hs_seconds_format(seconds, sum),
                              hs_lazy_planner_measured(&work->lazy, NULL), work->lazy.layer_count);
}

static void journal(struct work *work, const struct hs_journal_layer *layer)
{
    struct hs_campaign *campaign = &work->session->campaign;
    struct hs_error error;

    hs_campaign_journaled(
        campaign, hs_journal_write_layer(&campaign->journal, work->bout->bytes, layer, &error),
        &error);
}

static void leave_out(struct work *work, const char *reason)
{
    struct hs_stage_key key = work->wanted.key;
    struct hs_journal_layer line = {.point.key = stage_of(&work->wanted, work->phases[0]),
                                    .failed = reason};

    hs_lazy_planner_fail(&work->lazy, key);
    journal(work, &line);
    hs_progress_note(&work->session->campaign.progress,
                     "the layer of size %" PRId64 " at stride %" PRId64
                     "%s cannot be measured, splits with it are left out: %s",
                     key.layer.size, key.layer.stride, hs_algorithm_clauses[key.algorithm], reason);
    work->measured = work->phase_count;
}

/* All its phases are measured. */
static enum hs_status keep(struct work *work, struct hs_error *err)
{
    enum hs_status status =
        hs_lazy_planner_tell(&work->lazy, work->points, work->phase_count, work->wanted.rough, err);

    if (status == HS_OK)
        status = remember(work->session, work->points, work->phase_count, err);
    for (size_t i = 0; i < work->phase_count && status == HS_OK; i++) {
        struct hs_journal_layer line = {.point = work->points[i], .rough = work->wanted.rough};

        journal(work, &line);
    }
    if (status == HS_OK)
        show(work);
    return status;
}

static enum hs_status tell(void *state, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    struct work *work = state;
    size_t width = hs_datatype_bytes(work->session->settings.campaign.datatype);

    (void)elapsed_seconds;
    if (outcome->failed) {
        leave_out(work, outcome->reason);
        return HS_OK;
    }
    work->points[work->measured++] =
        (struct hs_fit_point){.key = step->task.stage,
                              .np = work->session->campaign.ranks.np,
                              .bytes = (double)(step->task.count * width),
                              .seconds = hs_samples_median(&outcome->seconds),
                              .noise = hs_samples_noise(&outcome->seconds)};
    return work->measured == work->phase_count ? keep(work, err) : HS_OK;
}

static const struct hs_planner lazy_planner = {next, tell};

/* Elements enough for any layer, which may round up to a multiple of its size. */
static size_t count_max(const struct work *work)
{
    double width = (double)hs_datatype_bytes(work->session->settings.campaign.datatype);
    size_t size = (size_t)work->problem.group.size;

    return (size_t)ceil(work->problem.bytes / width) + 2 * size;
}

/* ---- what follows from it ------------------------------------------------------------------ */

/* Rank 0. */
static void warn(struct work *work)
{
    const struct hs_certificate *certificate = &work->bout->certificate;
    struct hs_progress *progress = &work->session->campaign.progress;

    if (certificate->winner.split.count == 0)
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

    hs_guard_lock(session->campaign.guard);
    status = hs_lazy_planner_certify(&bout->certificate, &work->lazy, err);
    if (status == HS_OK)
        warn(work);
    if (status == HS_OK)
        status = hs_lazy_planner_fitted(&fitted, &work->lazy, err);
    if (status == HS_OK)
        status = hs_candidates_survive(&bout->candidates, &bout->certificate, &session->settings,
                                       &fitted, &work->problem, err);
    hs_system_release(&fitted);
    hs_guard_unlock(session->campaign.guard);
    return status;
}

enum hs_status hs_lazy_plan_run(struct hs_session *session, struct hs_bout *bout,
                                double budget_seconds, struct hs_error *err)
{
    struct hs_campaign *campaign = &session->campaign;
    struct work work = {.session = session,
                        .bout = bout,
                        .problem = hs_session_problem(session, bout),
                        .budget_seconds = LAYERS_SHARE * budget_seconds};
    bool speaks = campaign->ranks.rank == 0;
    enum hs_status status = speaks ? begin(&work, err) : HS_OK;

    status = hs_campaign_agree(campaign, status, err);
    if (status == HS_OK)
        status = hs_campaign_run(campaign, count_max(&work), &lazy_planner, &work, err);
    if (status == HS_OK) {
        bout->layers_seconds = campaign->seconds;
        status = hs_campaign_agree(campaign, speaks ? choose(&work, err) : HS_OK, err);
    }
    hs_lazy_planner_release(&work.lazy);
    hs_journal_layers_release(work.known, work.known_count);
    return status;
}
