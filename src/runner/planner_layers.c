/* Layers before a race: single layers of a message size are measured until the best split is
 * certain up to the noise (search/lazy_planner.h), for at most a part of the size's budget; that
 * one, and those within noise of it, become the arms of the race. Layers in the journal of an
 * earlier run are not measured again. */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "detect/neutral_system.h"
#include "runner/campaign.h"
#include "search/lazy_planner.h"

/* Part of the budget that layers may take; the rest is for the candidates. */
#define LAYERS_SHARE 0.5
/* A measurement may take so many times its equal share of the time that is left. */
#define SHARES 2.0
/* Half width of the winner's interval, relative to its time, from which the noise is worth a
 * warning. */
#define NOISY 0.05

struct hs_layers {
    struct hs_fit_point *seen; /* [seen_count] owned: of all sizes so far */
    size_t seen_count;
    /* Of this size: */
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

bool hs_layers_wanted(const struct hs_campaign *campaign)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    struct hs_group group = hs_campaign_problem(campaign, 0).group;

    if (settings->plans || settings->all || hs_group_is_flat(&group))
        return false;
    if (strcmp(settings->search, HS_SEARCH_AUTO) != 0)
        return strcmp(settings->search, HS_SEARCH_LAZY) == 0;
    return !campaign->has_system || (campaign->system.fits.count == 0 && !settings->top_given);
}

/* The key of all phases of a stage's layer. */
static struct hs_stage_key pair_of(const struct hs_layers *layers, struct hs_stage_key key)
{
    return hs_problem_key(&layers->problem, key.layer, key.algorithm);
}

/* Layers that hung or failed in the run before. */
static void leave_out_failed(struct hs_campaign *campaign)
{
    struct hs_layers *layers = campaign->layers;

    for (size_t i = 0; i < layers->known_count; i++) {
        struct hs_stage_key key = pair_of(layers, layers->known[i].point.key);
        const struct hs_lazy_layer *item = hs_lazy_planner_find(&layers->lazy, key);

        if (!layers->known[i].failed || !item || item->status == HS_LAZY_FAILED)
            continue;
        hs_lazy_planner_fail(&layers->lazy, key);
        hs_progress_note(&campaign->progress,
                         "the layer of size %" PRId64 " at stride %" PRId64
                         "%s could not be measured before, splits with it are left out; --retry "
                         "tries again",
                         key.layer.size, key.layer.stride, hs_algorithm_clauses[key.algorithm]);
    }
}

/* What only one size needs. */
static void forget_size(struct hs_layers *layers)
{
    struct hs_layers kept = {.seen = layers->seen, .seen_count = layers->seen_count};

    hs_lazy_planner_release(&layers->lazy);
    hs_journal_layers_release(layers->known, layers->known_count);
    *layers = kept;
}

void hs_layers_release(struct hs_campaign *campaign)
{
    if (!campaign->layers)
        return;
    forget_size(campaign->layers);
    free(campaign->layers->seen);
    free(campaign->layers);
    campaign->layers = NULL;
}

static enum hs_status begin(struct hs_campaign *campaign, size_t *elements, struct hs_error *err)
{
    struct hs_size_run *run = hs_campaign_size(campaign);
    struct hs_system neutral = {.level_count = 0};
    const struct hs_system *system = campaign->has_system ? &campaign->system : &neutral;
    struct hs_lazy_options options = {.shape_only = !campaign->has_system,
                                      .algorithms = campaign->settings.algorithms};
    double width = (double)hs_datatype_bytes(campaign->settings.campaign.datatype);
    struct hs_layers *layers = campaign->layers;
    enum hs_status status = HS_OK;

    if (!layers)
        layers = campaign->layers = calloc(1, sizeof(*layers));
    if (!layers)
        return hs_no_memory(err);
    run->share_seconds = hs_size_share(campaign);
    layers->problem = hs_campaign_problem(campaign, (double)run->bytes);
    layers->budget_seconds = LAYERS_SHARE * run->share_seconds;
    /* Enough for any layer, which may round up to a multiple of its size. */
    *elements =
        (size_t)ceil(layers->problem.bytes / width) + 2 * (size_t)layers->problem.group.size;
    if (!campaign->has_system)
        status =
            hs_neutral_system(&neutral, campaign->order.nodes, campaign->order.node_count, err);
    if (status == HS_OK)
        status = hs_lazy_planner_init(&layers->lazy, system, &layers->problem, &options, err);
    if (status == HS_OK)
        status = hs_lazy_planner_learn(&layers->lazy, layers->seen, layers->seen_count, err);
    if (status == HS_OK && campaign->settings.campaign.resume)
        status = hs_journal_layers(&layers->known, &layers->known_count, &campaign->journal,
                                   run->bytes, campaign->ranks.np, err);
    hs_system_release(&neutral);
    if (status == HS_OK && !campaign->settings.campaign.retry)
        leave_out_failed(campaign);
    return status;
}

/* ---- what is measured next ----------------------------------------------------------------- */

/* Elements that enter a layer, so that it divides them. */
static uint64_t entering(const struct hs_campaign *campaign, struct hs_layer layer)
{
    const struct hs_layers *layers = campaign->layers;
    double width = (double)hs_datatype_bytes(campaign->settings.campaign.datatype);
    uint64_t elements = (uint64_t)ceil(hs_problem_entering(&layers->problem, layer) / width);
    uint64_t size = (uint64_t)layer.size;

    return (elements + size - 1) / size * size;
}

/* Kept for later message sizes, too. */
static enum hs_status remember(struct hs_layers *layers, const struct hs_fit_point *points,
                               size_t count, struct hs_error *err)
{
    size_t total = layers->seen_count + count;
    struct hs_fit_point *grown = realloc(layers->seen, total * sizeof(*grown));

    if (!grown)
        return hs_no_memory(err);
    layers->seen = grown;
    memcpy(grown + layers->seen_count, points, count * sizeof(*points));
    layers->seen_count = total;
    return HS_OK;
}

static struct hs_stage_key stage_of(const struct hs_lazy_step *step, enum hs_phase phase)
{
    return (struct hs_stage_key){phase, step->key.algorithm, step->key.layer};
}

/* The first time of the journal's that was not taken yet. */
static struct hs_journal_layer *find_known(struct hs_campaign *campaign,
                                           const struct hs_lazy_step *step, enum hs_phase phase)
{
    struct hs_layers *layers = campaign->layers;
    for (size_t i = 0; i < layers->known_count; i++) {
        struct hs_journal_layer *known = &layers->known[i];

        if (!known->failed && hs_stage_key_equal(known->point.key, stage_of(step, phase)) &&
            known->rough == step->rough)
            return known;
    }
    return NULL;
}

/* Takes a layer from the journal, where all its phases are there. */
static bool take_known(struct hs_campaign *campaign, const struct hs_lazy_step *step,
                       enum hs_status *status, struct hs_error *err)
{
    struct hs_layers *layers = campaign->layers;
    enum hs_phase phases[2];
    struct hs_journal_layer *found[2];
    struct hs_fit_point points[2];
    size_t count = (size_t)hs_problem_phases(phases, &layers->problem, step->key.layer);

    for (size_t p = 0; p < count; p++) {
        found[p] = find_known(campaign, step, phases[p]);
        if (!found[p])
            return false;
        points[p] = found[p]->point;
    }
    for (size_t p = 0; p < count; p++)
        found[p]->failed = "taken";
    *status = hs_lazy_planner_tell(&layers->lazy, points, count, step->rough, err);
    if (*status == HS_OK)
        *status = remember(layers, points, count, err);
    return true;
}

/* What to measure, if anything. A rough look is no shorter than a measurement where few samples are
 * asked for. */
static bool decide(struct hs_campaign *campaign, struct hs_lazy_step *wanted,
                   enum hs_status *status, struct hs_error *err)
{
    struct hs_layers *layers = campaign->layers;
    do {
        *status = hs_lazy_planner_next(wanted, &layers->lazy, err);
        if (*status != HS_OK || !wanted->wanted)
            return false;
        if (campaign->settings.max_samples <= HS_LAZY_ROUGH_SAMPLES)
            wanted->rough = false;
    } while (take_known(campaign, wanted, status, err) && *status == HS_OK);
    return *status == HS_OK;
}

static struct hs_rules rules_of(const struct hs_campaign *campaign)
{
    const struct hs_layers *layers = campaign->layers;
    const struct hs_measure_settings *settings = &campaign->settings;
    struct hs_rules rules = {.warmup_runs = (int)settings->warmup,
                             .precision = settings->precision,
                             .min_samples = (size_t)settings->min_samples,
                             .max_samples = (size_t)settings->max_samples,
                             .budget_seconds = layers->phase_seconds};

    if (!layers->wanted.rough)
        return rules;
    if (rules.warmup_runs > HS_LAZY_ROUGH_WARMUP)
        rules.warmup_runs = HS_LAZY_ROUGH_WARMUP;
    rules.min_samples = rules.max_samples = HS_LAZY_ROUGH_SAMPLES;
    return rules;
}

/* The next phase of the layer that is being measured. */
static struct hs_step step_of(const struct hs_campaign *campaign)
{
    const struct hs_layers *layers = campaign->layers;
    return (struct hs_step){
        .task = {.kind = HS_TASK_STAGE,
                 .stage = stage_of(&layers->wanted, layers->phases[layers->measured]),
                 .count = (size_t)entering(campaign, layers->wanted.key.layer)},
        .rules = rules_of(campaign),
        .prepare = true,
        .rough = layers->wanted.rough,
        .item = HS_GUARD_NOBODY,
    };
}

static enum hs_status next(struct hs_campaign *campaign, struct hs_step *step,
                           double elapsed_seconds, struct hs_error *err)
{
    struct hs_layers *layers = campaign->layers;
    double left = layers->budget_seconds - elapsed_seconds;
    enum hs_status status = HS_OK;

    if (layers->measured == layers->phase_count) {
        if (left <= 0 || !decide(campaign, &layers->wanted, &status, err)) {
            step->end = true;
            return status;
        }
        layers->phase_seconds = SHARES * left / (2.0 * (double)hs_lazy_planner_left(&layers->lazy));
        layers->phase_count =
            (size_t)hs_problem_phases(layers->phases, &layers->problem, layers->wanted.key.layer);
        layers->measured = 0;
    }
    *step = step_of(campaign);
    return HS_OK;
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void show(struct hs_campaign *campaign)
{
    struct hs_layers *layers = campaign->layers;
    struct hs_progress_line *line = &campaign->progress.line;
    char size[HS_UNIT_TEXT], seconds[HS_UNIT_TEXT];
    double sum = 0;

    for (size_t i = 0; i < layers->phase_count; i++)
        sum += layers->points[i].seconds;
    if (hs_progress_line_is_due(line))
        hs_progress_line_draw(
            line, -1, 0,
            "%s  layer of size %" PRId64 " at stride %" PRId64
            "%s  %s%s  (%zu of at most %zu layers)",
            hs_bytes_format(size, hs_campaign_size(campaign)->bytes), layers->wanted.key.layer.size,
            layers->wanted.key.layer.stride, hs_algorithm_clauses[layers->wanted.key.algorithm],
            layers->wanted.rough ? "about " : "", hs_seconds_format(seconds, sum),
            hs_lazy_planner_measured(&layers->lazy, NULL), layers->lazy.layer_count);
}

static void journal(struct hs_campaign *campaign, const struct hs_journal_layer *layer)
{
    struct hs_error error;

    hs_campaign_journaled(campaign,
                          hs_journal_write_layer(&campaign->journal,
                                                 hs_campaign_size(campaign)->bytes, layer, &error),
                          &error);
}

static void leave_out(struct hs_campaign *campaign, const char *reason)
{
    struct hs_layers *layers = campaign->layers;
    struct hs_stage_key key = layers->wanted.key;
    struct hs_journal_layer line = {.point.key = stage_of(&layers->wanted, layers->phases[0]),
                                    .failed = reason};

    hs_lazy_planner_fail(&layers->lazy, key);
    journal(campaign, &line);
    hs_progress_note(&campaign->progress,
                     "the layer of size %" PRId64 " at stride %" PRId64
                     "%s cannot be measured, splits with it are left out: %s",
                     key.layer.size, key.layer.stride, hs_algorithm_clauses[key.algorithm], reason);
    layers->measured = layers->phase_count;
}

/* All its phases are measured. */
static enum hs_status keep(struct hs_campaign *campaign, struct hs_error *err)
{
    struct hs_layers *layers = campaign->layers;
    enum hs_status status = hs_lazy_planner_tell(&layers->lazy, layers->points, layers->phase_count,
                                                 layers->wanted.rough, err);

    if (status == HS_OK)
        status = remember(layers, layers->points, layers->phase_count, err);
    for (size_t i = 0; i < layers->phase_count && status == HS_OK; i++) {
        struct hs_journal_layer line = {.point = layers->points[i], .rough = layers->wanted.rough};

        journal(campaign, &line);
    }
    if (status == HS_OK)
        show(campaign);
    return status;
}

static enum hs_status tell(struct hs_campaign *campaign, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err)
{
    struct hs_layers *layers = campaign->layers;
    size_t width = hs_datatype_bytes(campaign->settings.campaign.datatype);

    (void)elapsed_seconds;
    if (outcome->failed) {
        leave_out(campaign, outcome->reason);
        return HS_OK;
    }
    layers->points[layers->measured++] =
        (struct hs_fit_point){.key = step->task.stage,
                              .np = campaign->ranks.np,
                              .bytes = (double)(step->task.count * width),
                              .seconds = hs_samples_median(&outcome->seconds),
                              .noise = hs_samples_noise(&outcome->seconds)};
    return layers->measured == layers->phase_count ? keep(campaign, err) : HS_OK;
}

/* ---- what follows from it ------------------------------------------------------------------ */

static void warn(struct hs_campaign *campaign, const struct hs_certificate *certificate)
{
    if (certificate->winner.split.count == 0)
        hs_progress_note(&campaign->progress,
                         "%zu of %zu layers were measured before the time was up, no split has all "
                         "of its layers; the model chooses from what it learned",
                         certificate->layers_measured, certificate->layers);
    else if (certificate->ci95_seconds > NOISY * certificate->seconds)
        hs_progress_note(&campaign->progress,
                         "timings are noisy (the best split's sum of layers is known to +-%.0f "
                         "%%): is the machine busy?",
                         100 * certificate->ci95_seconds / certificate->seconds);
}

static enum hs_status end(struct hs_campaign *campaign, struct hs_error *err)
{
    struct hs_size_run *run = hs_campaign_size(campaign);
    struct hs_layers *layers = campaign->layers;
    struct hs_system fitted = {.level_count = 0};
    enum hs_status status = hs_lazy_planner_certify(&run->certificate, &layers->lazy, err);

    run->layers_seconds = campaign->seconds;
    if (status == HS_OK)
        warn(campaign, &run->certificate);
    if (status == HS_OK)
        status = hs_lazy_planner_fitted(&fitted, &layers->lazy, err);
    if (status == HS_OK)
        status = hs_candidates_survive(&run->candidates, &run->certificate, &campaign->settings,
                                       &fitted, &layers->problem, err);
    hs_system_release(&fitted);
    forget_size(layers);
    return status;
}

const struct hs_planner hs_layers_planner = {
    .begin = begin, .next = next, .tell = tell, .end = end};
