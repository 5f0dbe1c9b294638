#include "estimate/calibration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/belief.h"

#define MAX_RESIDUAL 0.15

static enum hs_status check_points(const struct hs_fit_point *points, size_t count,
                                   struct hs_error *err)
{
    bool differ = false;

    for (size_t i = 1; i < count && !differ; i++)
        differ = !hs_layer_equal(points[i].key.layer, points[0].key.layer) ||
                 points[i].bytes != points[0].bytes;
    if (count < HS_CALIBRATION_POINTS_MIN)
        return hs_fail(err, HS_INVALID, "too few points for a fit: %zu, at least %d are needed",
                       count, HS_CALIBRATION_POINTS_MIN);
    if (!differ)
        return hs_fail(err, HS_INVALID,
                       "too few points for a fit: all are of one layer and one message size");
    return HS_OK;
}

static int compare_fits(const void *a, const void *b)
{
    return hs_fit_compare(a, b);
}

/* A fit for each kind that has points. */
static enum hs_status make_fits(struct hs_fits *fits, const struct hs_belief *belief,
                                struct hs_error *err)
{
    size_t count;
    const struct hs_belief_kind *kinds = hs_belief_kinds(&count, belief);

    fits->items = calloc(count, sizeof(*fits->items));
    if (!fits->items)
        return hs_no_memory(err);
    for (size_t i = 1; i < count; i++)
        if (kinds[i].fit.points > 0 && !kinds[i].refused)
            fits->items[fits->count++] = hs_belief_fit(belief, i);
    qsort(fits->items, fits->count, sizeof(*fits->items), compare_fits);
    fits->launch_ci95_seconds = hs_belief_launch_ci95(belief);
    return HS_OK;
}

static enum hs_status list_refusals(struct hs_fits *fits, const struct hs_belief *belief,
                                    double max_residual, struct hs_error *err)
{
    size_t count;
    const struct hs_belief_kind *kinds = hs_belief_kinds(&count, belief);

    fits->refusals = calloc(count, sizeof(*fits->refusals));
    if (!fits->refusals)
        return hs_no_memory(err);
    for (size_t i = 1; i < count; i++) {
        const struct hs_fit *fit = &kinds[i].fit;
        struct hs_fit_refusal *refusal = &fits->refusals[fits->refusal_count];

        if (!kinds[i].refused)
            continue;
        refusal->layer = (struct hs_layer){fit->stride, fit->size};
        refusal->residual = fit->residual;
        if (kinds[i].flat)
            snprintf(refusal->why, sizeof(refusal->why), "times that do not grow with the bytes");
        else
            snprintf(refusal->why, sizeof(refusal->why),
                     "times %.0f %% off the fitted line (root mean square of %" PRId64
                     " points), limit %.0f %%",
                     100 * refusal->residual, fit->points, 100 * max_residual);
        fits->refusal_count++;
    }
    return HS_OK;
}

static enum hs_status keep_points(struct hs_fits *fits, const struct hs_fit_point *points,
                                  size_t count, const char *source, struct hs_error *err)
{
    fits->points = malloc(count * sizeof(*points));
    fits->source = hs_strdup(source);
    if (!fits->points || (source && !fits->source))
        return hs_no_memory(err);
    memcpy(fits->points, points, count * sizeof(*points));
    fits->point_count = count;
    return HS_OK;
}

/* ---- notes ---------------------------------------------------------------------------------- */

static bool has_fit(const struct hs_fits *fits, size_t level)
{
    for (size_t i = 0; i < fits->count; i++)
        if (fits->items[i].level == (int)level)
            return true;
    return false;
}

static void note_levels(struct hs_text *notes, const struct hs_system *system,
                        const struct hs_fits *fits, const struct hs_belief *belief)
{
    for (size_t l = 0; l < system->level_count; l++) {
        if (hs_belief_held(belief, l))
            hs_text_append(notes,
                           "level \"%s\": the fitted latency came out negative and is set to 0; "
                           "measure smaller messages to see it\n",
                           system->levels[l].name);
        if (!has_fit(fits, l))
            hs_text_append(notes,
                           "level \"%s\": no layer was measured there, its figures stay as "
                           "described\n",
                           system->levels[l].name);
    }
    if (hs_belief_held(belief, system->level_count))
        hs_text_append(notes, "the fitted launch cost came out negative and is set to 0\n");
}

static void note_narrowed(struct hs_text *notes, const struct hs_belief *belief)
{
    size_t count, layers = 0, narrowed = 0;
    const struct hs_belief_kind *kinds = hs_belief_kinds(&count, belief);

    for (size_t i = 1; i < count; i++) {
        layers += kinds[i].fit.scope == HS_FIT_LAYER;
        narrowed += kinds[i].shortest > 0 && !kinds[i].refused;
    }
    if (narrowed > 0)
        hs_text_append(notes,
                       "%zu of %zu layers: no line describes all message sizes, so the fit is to "
                       "the longest of them\n",
                       narrowed, layers);
}

static void note_refusals(struct hs_text *notes, const struct hs_fits *fits)
{
    for (size_t i = 0; i < fits->refusal_count; i++)
        hs_text_append(notes, "layer of stride %" PRId64 ", size %" PRId64 ": refused: %s\n",
                       fits->refusals[i].layer.stride, fits->refusals[i].layer.size,
                       fits->refusals[i].why);
}

/* ---- the system ----------------------------------------------------------------------------- */

static enum hs_status replace_text(char **text, int *kind, const char *source, struct hs_error *err)
{
    struct hs_text line = {0};

    hs_text_append(&line, "calibrated%s%s", source ? ": " : "", source ? source : "");
    if (!line.data)
        return hs_no_memory(err);
    free(*text);
    *text = line.data;
    *kind = 0;
    return HS_OK;
}

/* Says of figures that changed where they come from now. */
static enum hs_status replace_sources(struct hs_system *system, const struct hs_system *fitted,
                                      const char *source, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t l = 0; l < system->level_count && !status; l++) {
        struct hs_level *level = &system->levels[l];

        if (level->latency_seconds != fitted->levels[l].latency_seconds)
            status = replace_text(&level->latency_source, &level->latency_kind, source, err);
        if (!status && level->bytes_per_second != fitted->levels[l].bytes_per_second)
            status = replace_text(&level->bandwidth_source, &level->bandwidth_kind, source, err);
    }
    return status;
}

/* Takes over figures (not texts) of `fitted`, and the fits. */
static void adopt(struct hs_system *system, const struct hs_system *fitted, struct hs_fits *fits)
{
    for (size_t l = 0; l < system->level_count; l++) {
        system->levels[l].latency_seconds = fitted->levels[l].latency_seconds;
        system->levels[l].bytes_per_second = fitted->levels[l].bytes_per_second;
        system->levels[l].shared_bytes_per_second = fitted->levels[l].shared_bytes_per_second;
    }
    system->launch_seconds = fitted->launch_seconds;
    hs_fits_release(&system->fits);
    system->fits = *fits;
    *fits = (struct hs_fits){0};
}

enum hs_status hs_calibrate(struct hs_system *system, const struct hs_fit_point *points,
                            size_t count, const struct hs_calibration_options *options,
                            struct hs_text *notes, struct hs_error *err)
{
    const char *source = options ? options->source : NULL;
    struct hs_belief_options rules = {.max_residual = MAX_RESIDUAL};
    struct hs_system described = *system, fitted; /* their texts are only looked at */
    struct hs_fits fits = {0};
    struct hs_belief *belief = NULL;
    enum hs_status status = check_points(points, count, err);

    if (options && options->max_residual > 0)
        rules.max_residual = options->max_residual;
    if (options) {
        rules.noise = options->noise;
        rules.shape_only = options->shape_only;
    }
    memset(&described.fits, 0, sizeof(described.fits));
    if (!status)
        status = hs_belief_init(&belief, &described, points, count, &rules, err);
    if (!status)
        status = make_fits(&fits, belief, err);
    if (!status)
        status = list_refusals(&fits, belief, rules.max_residual, err);
    if (!status)
        status = keep_points(&fits, points, count, source, err);
    if (!status) {
        fitted = hs_belief_system(belief);
        status = replace_sources(system, &fitted, source, err);
    }
    if (!status && notes) {
        note_levels(notes, system, &fits, belief);
        note_narrowed(notes, belief);
        note_refusals(notes, &fits);
    }
    if (!status)
        adopt(system, &fitted, &fits);
    hs_belief_release(belief);
    hs_fits_release(&fits);
    return status;
}
