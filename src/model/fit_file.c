/*
 * The member `fits` of a system file (docs/system.schema.json), read and written.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/fit.h"
#include "model/price.h"
#include "model/system.h"
#include "model/system_parts.h"

#define COUNT(array)      (sizeof(array) / sizeof(*(array)))
#define LATENCY_RATIO_MAX 1e30 /* of a fit and its level, which prices are multiplied by */
#define LIST_MAX          100000 /* entries of each list, as in docs/system.schema.json */

static const struct hs_json_bounds percent = {0, 1e9, false};

static enum hs_status out_of_memory(struct hs_error *err)
{
    return hs_fail(err, HS_MEMORY, "out of memory");
}

/* The array `key`: its cursor, its length, and a zeroed list of as many elements. An absent one is
 * empty, where `min` allows that. */
static enum hs_status read_list(void **list, size_t *count, struct hs_json *array,
                                const struct hs_json *at, const char *key, size_t min,
                                size_t element_bytes, struct hs_error *err)
{
    enum hs_status status;

    if (hs_json_member(array, at, key, min > 0 ? err : NULL))
        return min > 0 ? HS_INVALID : HS_OK;
    if ((status = hs_json_array(count, array, min, LIST_MAX, err))) {
        *count = 0;
        return status;
    }
    *list = calloc(*count + 1, element_bytes);
    if (!*list) {
        *count = 0;
        return out_of_memory(err);
    }
    return HS_OK;
}

/* A figure that must be there, in the unit of the file. */
static enum hs_status read_figure(double *out, const struct hs_json *at, const char *key,
                                  const struct hs_json_bounds *bounds, double (*to_si)(double),
                                  struct hs_error *err)
{
    double value;
    enum hs_status status = hs_json_number(&value, at, key, bounds, err);

    if (status == HS_OK)
        *out = to_si(value);
    return status;
}

/* Half widths of intervals: one that is absent is not known. */
static enum hs_status read_interval(double *out, const struct hs_json *at, const char *key,
                                    const struct hs_json_bounds *bounds, double (*to_si)(double),
                                    struct hs_error *err)
{
    struct hs_json member;

    *out = NAN;
    if (hs_json_member(&member, at, key, NULL))
        return HS_OK;
    return read_figure(out, at, key, bounds, to_si, err);
}

/* A choice that must be made. */
static enum hs_status read_choice(size_t *out, const struct hs_json *at, const char *key,
                                  const char *const *names, size_t count, struct hs_error *err)
{
    struct hs_json member;
    enum hs_status status = hs_json_member(&member, at, key, err);

    return status ? status : hs_json_choice_or(out, at, key, names, count, 0, err);
}

static enum hs_status read_layer(struct hs_layer *layer, const struct hs_json *at,
                                 struct hs_error *err)
{
    enum hs_status status;

    if ((status = hs_json_integer(&layer->stride, at, "stride", 1, HS_NP_MAX, err)) ||
        (status = hs_json_integer(&layer->size, at, "size", 2, HS_NP_MAX, err)))
        return status;
    if (layer->stride > HS_NP_MAX / layer->size)
        return hs_json_fail(at, err, "stride %" PRId64 " times size %" PRId64 " is beyond %" PRId64,
                            layer->stride, layer->size, HS_NP_MAX);
    return HS_OK;
}

/* ---- one fit ---- */

/* Members that a scope has are wanted, and those that it has not are refused. */
static enum hs_status read_member_of_scope(int64_t *out, const struct hs_json *at, const char *key,
                                           int64_t min, bool wanted, struct hs_error *err)
{
    struct hs_json member;

    if (wanted)
        return hs_json_integer(out, at, key, min, HS_NP_MAX, err);
    if (hs_json_member(&member, at, key, NULL))
        return HS_OK;
    return hs_json_fail(&member, err, "not of a fit of this scope");
}

/* Which layers the fit is for. */
static enum hs_status read_place(struct hs_fit *fit, const struct hs_json *at,
                                 const struct hs_system *system, struct hs_error *err)
{
    const char *levels[HS_LEVELS_MAX];
    size_t scope, level;
    enum hs_status status;

    for (size_t l = 0; l < system->level_count; l++)
        levels[l] = system->levels[l].name;
    if ((status = read_choice(&scope, at, "scope", hs_fit_scope_names + 1, HS_FIT_SCOPE_COUNT - 1,
                              err)) ||
        (status = read_choice(&level, at, "level", levels, system->level_count, err)) ||
        (status = hs_json_bool_or(&fit->straddles, at, "straddles", false, err)))
        return status;
    fit->scope = (enum hs_fit_scope)(scope + 1);
    fit->level = (int)level;
    status = read_member_of_scope(&fit->size, at, "size", 2, fit->scope != HS_FIT_LEVEL, err);
    return status ? status
                  : read_member_of_scope(&fit->stride, at, "stride", 1, fit->scope == HS_FIT_LAYER,
                                         err);
}

/* Whether the level has such layers; of a layer with a stride the model knows where it lies. */
static enum hs_status check_place(const struct hs_fit *fit, const struct hs_json *at,
                                  const struct hs_system *system, struct hs_error *err)
{
    const char *name = system->levels[fit->level].name;
    int64_t child = hs_system_child_ranks(system, (size_t)fit->level);
    struct hs_layer layer = {fit->stride, fit->size};
    struct hs_stage_price price;

    if (fit->straddles && child == 1)
        return hs_json_fail(at, err, "straddles: no layer straddles on the innermost level");
    if (fit->size > 0 && HS_NP_MAX / fit->size < (fit->straddles ? 1 : child))
        return hs_json_fail(at, err, "size: %" PRId64 " children of level %s are too many",
                            fit->size, name);
    if (fit->scope != HS_FIT_LAYER)
        return HS_OK;
    if (layer.stride > HS_NP_MAX / layer.size)
        return hs_json_fail(at, err, "stride: %" PRId64 " times size %" PRId64 " is too large",
                            layer.stride, layer.size);
    price = hs_stage_price(system, layer.stride * layer.size,
                           (struct hs_stage_key){HS_ALLREDUCE, HS_RING, layer});
    if (price.level != fit->level || price.straddles != fit->straddles)
        return hs_json_fail(
            at, err, "the layer of stride %" PRId64 " and size %" PRId64 " lies on level %s and %s",
            layer.stride, layer.size, system->levels[price.level].name,
            price.straddles ? "straddles" : "does not straddle");
    return HS_OK;
}

static enum hs_status read_latency(struct hs_fit *fit, const struct hs_json *at,
                                   const struct hs_system *system, struct hs_error *err)
{
    const struct hs_level *level = &system->levels[fit->level];
    enum hs_status status = read_figure(&fit->latency_seconds, at, "latency_us",
                                        &hs_bounds_not_negative, hs_from_microseconds, err);

    if (status == HS_OK && level->latency_seconds > 0 &&
        fit->latency_seconds / level->latency_seconds > LATENCY_RATIO_MAX)
        return hs_json_fail(at, err, "latency_us: more than %g times that of level %s",
                            LATENCY_RATIO_MAX, level->name);
    return status;
}

/* What the fit's points cover. */
static enum hs_status read_range(struct hs_fit *fit, const struct hs_json *at, struct hs_error *err)
{
    enum hs_status status;

    if ((status = hs_json_integer(&fit->points, at, "points", 1, INT32_MAX, err)) ||
        (status = hs_json_number(&fit->min_bytes, at, "min_bytes", &hs_bounds_positive, err)) ||
        (status = hs_json_number(&fit->max_bytes, at, "max_bytes", &hs_bounds_positive, err)) ||
        (status = hs_json_integer(&fit->min_size, at, "min_size", 2, HS_NP_MAX, err)) ||
        (status = hs_json_integer(&fit->max_size, at, "max_size", 2, HS_NP_MAX, err)))
        return status;
    if (fit->max_bytes < fit->min_bytes)
        return hs_json_fail(at, err, "max_bytes: expected min_bytes, %g, or more, found %g",
                            fit->min_bytes, fit->max_bytes);
    if (fit->max_size < fit->min_size)
        return hs_json_fail(at, err,
                            "max_size: expected min_size, %" PRId64 ", or more, found %" PRId64,
                            fit->min_size, fit->max_size);
    if (fit->size > 0 && (fit->min_size != fit->size || fit->max_size != fit->size))
        return hs_json_fail(at, err,
                            "min_size and max_size: expected the size, %" PRId64 ", found %" PRId64
                            " and %" PRId64,
                            fit->size, fit->min_size, fit->max_size);
    return HS_OK;
}

static enum hs_status read_fit(struct hs_fit *fit, const struct hs_json *at,
                               const struct hs_system *system, struct hs_error *err)
{
    static const char *const keys[] = {"scope",
                                       "level",
                                       "straddles",
                                       "size",
                                       "stride",
                                       "latency_us",
                                       "bandwidth_GBps",
                                       "half_bandwidth_bytes",
                                       "latency_ci95_us",
                                       "bandwidth_ci95_GBps",
                                       "ci95_percent",
                                       "points",
                                       "residual_percent",
                                       "min_bytes",
                                       "max_bytes",
                                       "min_size",
                                       "max_size"};
    double for_readers;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_place(fit, at, system, err)) ||
        (status = check_place(fit, at, system, err)) ||
        (status = read_latency(fit, at, system, err)) ||
        (status = read_figure(&fit->bytes_per_second, at, "bandwidth_GBps", &hs_bounds_positive,
                              hs_from_gigabytes, err)) ||
        (status = hs_json_number_or(&for_readers, at, "half_bandwidth_bytes",
                                    &(struct hs_json_bounds){0, INFINITY, false}, 0, err)) ||
        (status = read_interval(&fit->latency_ci95_seconds, at, "latency_ci95_us",
                                &hs_bounds_not_negative, hs_from_microseconds, err)) ||
        (status =
             read_interval(&fit->bandwidth_ci95_bytes_per_second, at, "bandwidth_ci95_GBps",
                           &(struct hs_json_bounds){0, 1e18, false}, hs_from_gigabytes, err)) ||
        (status = read_interval(&fit->relative_ci95, at, "ci95_percent", &percent, hs_from_percent,
                                err)) ||
        (status =
             read_figure(&fit->residual, at, "residual_percent", &percent, hs_from_percent, err)))
        return status;
    return read_range(fit, at, err);
}

/* ---- all of them ---- */

/* A fit and its place in the file. */
struct placed_fit {
    struct hs_fit fit;
    size_t index;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed_fit *a = left, *b = right;
    int order = hs_fit_compare(&a->fit, &b->fit);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorts; of equal ones the first pair in sorted order is named. */
static enum hs_status sort_fits(struct placed_fit *placed, size_t count,
                                const struct hs_json *array, struct hs_error *err)
{
    qsort(placed, count, sizeof(*placed), compare_placed);
    for (size_t i = 1; i < count; i++)
        if (hs_fit_compare(&placed[i - 1].fit, &placed[i].fit) == 0) {
            struct hs_json at = hs_json_element(array, placed[i].index);

            return hs_json_fail(&at, err, "for the same layers as layers[%zu]",
                                placed[i - 1].index);
        }
    return HS_OK;
}

static enum hs_status read_placed(struct placed_fit *placed, size_t count,
                                  const struct hs_json *array, const struct hs_system *system,
                                  struct hs_error *err)
{
    struct hs_json at = hs_json_first(array);

    for (size_t i = 0; i < count; i++, hs_json_next(&at)) {
        enum hs_status status = read_fit(&placed[i].fit, &at, system, err);

        if (status)
            return status;
        placed[i].index = i;
    }
    return sort_fits(placed, count, array, err);
}

static enum hs_status read_fits(struct hs_fits *fits, const struct hs_json *at,
                                const struct hs_system *system, struct hs_error *err)
{
    struct hs_json array;
    struct placed_fit *placed;
    void *list = NULL;
    size_t count = 0;
    enum hs_status status = read_list(&list, &count, &array, at, "layers", 1, sizeof(*placed), err);

    placed = list;
    if (status == HS_OK)
        status = read_placed(placed, count, &array, system, err);
    if (status == HS_OK && !(fits->items = calloc(count, sizeof(*fits->items))))
        status = out_of_memory(err);
    for (size_t i = 0; status == HS_OK && i < count; i++)
        fits->items[i] = placed[i].fit;
    fits->count = status == HS_OK ? count : 0;
    free(placed);
    return status;
}

static enum hs_status read_point(struct hs_fit_point *point, const struct hs_json *at,
                                 struct hs_error *err)
{
    static const char *const keys[] = {"stride", "size",    "np",   "phase",
                                       "bytes",  "seconds", "noise"};
    struct hs_json member;
    size_t phase;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_layer(&point->key.layer, at, err)) ||
        (status = hs_json_integer(&point->np, at, "np", 2, HS_NP_MAX, err)) ||
        (status = read_choice(&phase, at, "phase", hs_phase_names, HS_PHASE_COUNT, err)) ||
        (status = hs_json_number(&point->bytes, at, "bytes", &hs_bounds_positive, err)) ||
        (status = hs_json_member(&member, at, "seconds", err)) ||
        (status = hs_json_seconds(&point->seconds, &member, err)))
        return status;
    if (point->seconds == 0)
        return hs_json_fail(&member, err, "expected a number above 0, found 0");
    if (point->np % (point->key.layer.stride * point->key.layer.size) != 0)
        return hs_json_fail(
            at, err, "np: expected a multiple of stride times size, %" PRId64 ", found %" PRId64,
            point->key.layer.stride * point->key.layer.size, point->np);
    point->key.phase = (enum hs_phase)phase;
    point->noise = NAN;
    if (hs_json_member(&member, at, "noise", NULL))
        return HS_OK;
    return hs_json_number(&point->noise, at, "noise", &hs_bounds_not_negative, err);
}

static enum hs_status read_points(struct hs_fits *fits, const struct hs_json *at,
                                  struct hs_error *err)
{
    struct hs_json array, point;
    void *list = NULL;
    enum hs_status status =
        read_list(&list, &fits->point_count, &array, at, "points", 0, sizeof(*fits->points), err);

    fits->points = list;
    if (status || !fits->points)
        return status;
    point = hs_json_first(&array);
    for (size_t i = 0; i < fits->point_count && status == HS_OK; i++, hs_json_next(&point))
        status = read_point(&fits->points[i], &point, err);
    return status;
}

static enum hs_status read_refusal(struct hs_fit_refusal *refusal, const struct hs_json *at,
                                   struct hs_error *err)
{
    static const char *const keys[] = {"stride", "size", "residual_percent", "why"};
    const char *why;
    struct hs_json member;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_layer(&refusal->layer, at, err)) ||
        (status = read_interval(&refusal->residual, at, "residual_percent", &percent,
                                hs_from_percent, err)) ||
        (status = hs_json_member(&member, at, "why", err)) ||
        (status = hs_json_string(&why, at, "why", err)))
        return status;
    if (strlen(why) >= sizeof(refusal->why))
        return hs_json_fail(&member, err, "longer than %zu bytes", sizeof(refusal->why) - 1);
    memcpy(refusal->why, why, strlen(why) + 1);
    return HS_OK;
}

static enum hs_status read_refusals(struct hs_fits *fits, const struct hs_json *at,
                                    struct hs_error *err)
{
    struct hs_json array, refusal;
    void *list = NULL;
    enum hs_status status = read_list(&list, &fits->refusal_count, &array, at, "refused", 0,
                                      sizeof(*fits->refusals), err);

    fits->refusals = list;
    if (status || !fits->refusals)
        return status;
    refusal = hs_json_first(&array);
    for (size_t i = 0; i < fits->refusal_count && status == HS_OK; i++, hs_json_next(&refusal))
        status = read_refusal(&fits->refusals[i], &refusal, err);
    return status;
}

/* Into a list of its own: until it is whole, the model does not look into it. */
enum hs_status hs_fits_read(struct hs_fits *fits, const struct hs_system *system,
                            const struct hs_json *at, struct hs_error *err)
{
    static const char *const keys[] = {"source", "launch_ci95_us", "layers", "points", "refused"};
    struct hs_fits read = {0};
    enum hs_status status;

    memset(fits, 0, sizeof(*fits));
    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = hs_read_text(&read.source, at, "source", err)) ||
        (status = read_interval(&read.launch_ci95_seconds, at, "launch_ci95_us",
                                &hs_bounds_not_negative, hs_from_microseconds, err)) ||
        (status = read_fits(&read, at, system, err)) || (status = read_points(&read, at, err)) ||
        (status = read_refusals(&read, at, err)))
        hs_fits_release(&read);
    *fits = read;
    return status;
}

/* ---- writing ---- */

static cJSON *fit_to_json(const struct hs_fit *fit, const struct hs_system *system)
{
    struct hs_writer out = hs_writer_begin();

    hs_writer_text(&out, "scope", hs_fit_scope_names[fit->scope]);
    hs_writer_text(&out, "level", system->levels[fit->level].name);
    hs_writer_item(&out, "straddles", cJSON_CreateBool(fit->straddles));
    if (fit->scope != HS_FIT_LEVEL)
        hs_writer_number(&out, "size", (double)fit->size);
    if (fit->scope == HS_FIT_LAYER)
        hs_writer_number(&out, "stride", (double)fit->stride);
    hs_writer_number(&out, "latency_us", hs_to_microseconds(fit->latency_seconds));
    hs_writer_number(&out, "bandwidth_GBps", hs_to_gigabytes(fit->bytes_per_second));
    if (fit->scope != HS_FIT_LEVEL)
        hs_writer_number(&out, "half_bandwidth_bytes", hs_fit_half_bandwidth_bytes(fit, system));
    hs_writer_number(&out, "latency_ci95_us", hs_to_microseconds(fit->latency_ci95_seconds));
    hs_writer_number(&out, "bandwidth_ci95_GBps",
                     hs_to_gigabytes(fit->bandwidth_ci95_bytes_per_second));
    hs_writer_number(&out, "ci95_percent", hs_to_percent(fit->relative_ci95));
    hs_writer_number(&out, "points", (double)fit->points);
    hs_writer_number(&out, "residual_percent", hs_to_percent(fit->residual));
    hs_writer_number(&out, "min_bytes", fit->min_bytes);
    hs_writer_number(&out, "max_bytes", fit->max_bytes);
    hs_writer_number(&out, "min_size", (double)fit->min_size);
    hs_writer_number(&out, "max_size", (double)fit->max_size);
    return hs_writer_finish(&out);
}

static cJSON *point_to_json(const struct hs_fit_point *point)
{
    struct hs_writer out = hs_writer_begin();

    hs_writer_number(&out, "stride", (double)point->key.layer.stride);
    hs_writer_number(&out, "size", (double)point->key.layer.size);
    hs_writer_number(&out, "np", (double)point->np);
    hs_writer_text(&out, "phase", hs_phase_names[point->key.phase]);
    hs_writer_number(&out, "bytes", point->bytes);
    hs_writer_number(&out, "seconds", point->seconds);
    hs_writer_number(&out, "noise", point->noise);
    return hs_writer_finish(&out);
}

static cJSON *refusal_to_json(const struct hs_fit_refusal *refusal)
{
    struct hs_writer out = hs_writer_begin();

    hs_writer_number(&out, "stride", (double)refusal->layer.stride);
    hs_writer_number(&out, "size", (double)refusal->layer.size);
    hs_writer_number(&out, "residual_percent", hs_to_percent(refusal->residual));
    hs_writer_text(&out, "why", refusal->why);
    return hs_writer_finish(&out);
}

struct cJSON *hs_fits_to_json(const struct hs_fits *fits, const struct hs_system *system)
{
    struct hs_writer out = hs_writer_begin();
    cJSON *layers = cJSON_CreateArray(), *points = NULL, *refused = NULL;

    hs_writer_text(&out, "source", fits->source);
    hs_writer_number(&out, "launch_ci95_us", hs_to_microseconds(fits->launch_ci95_seconds));
    for (size_t i = 0; i < fits->count && layers; i++)
        layers = hs_array_append(layers, fit_to_json(&fits->items[i], system));
    hs_writer_item(&out, "layers", layers);
    if (fits->point_count > 0)
        points = cJSON_CreateArray();
    for (size_t i = 0; i < fits->point_count && points; i++)
        points = hs_array_append(points, point_to_json(&fits->points[i]));
    if (fits->point_count > 0)
        hs_writer_item(&out, "points", points);
    if (fits->refusal_count > 0)
        refused = cJSON_CreateArray();
    for (size_t i = 0; i < fits->refusal_count && refused; i++)
        refused = hs_array_append(refused, refusal_to_json(&fits->refusals[i]));
    if (fits->refusal_count > 0)
        hs_writer_item(&out, "refused", refused);
    return hs_writer_finish(&out);
}
