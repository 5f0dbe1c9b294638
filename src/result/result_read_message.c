/*
 * Reading of result files: one message size with its candidates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/result_certificate.h"
#include "result/result_read.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static enum hs_status out_of_memory(struct hs_error *err)
{
    return hs_fail(err, HS_MEMORY, "out of memory");
}

/* A text that an earlier element of the same list has too. */
static enum hs_status already_that_of(const struct hs_json *element, const char *key,
                                      const char *text, const char *list, size_t index,
                                      struct hs_error *err)
{
    struct hs_json at = hs_result_member(element, key);

    return hs_json_fail(&at, err, "\"%s\" is already that of %s[%zu]", text, list, index);
}

static enum hs_status read_plan(struct hs_plan *out, const struct hs_json *object, const char *key,
                                int64_t np, struct hs_error *err)
{
    struct hs_error why = {HS_OK, ""};
    struct hs_json at;
    const char *text;
    enum hs_status status;

    if ((status = hs_json_member(&at, object, key, err)) ||
        (status = hs_json_string(&text, object, key, err)))
        return status;
    if (hs_plan_parse(out, text, np, &why))
        return hs_json_fail(&at, err, "%s", why.message);
    return HS_OK;
}

/* A measurement behind a pointer, or none. */
static enum hs_status read_measured_or_none(struct hs_candidate *candidate,
                                            const struct hs_json *at, struct hs_error *err)
{
    struct hs_json member;
    enum hs_status status;

    if (!hs_result_there(at, "measured"))
        return HS_OK;
    if (!hs_candidate_add_measured(candidate))
        return out_of_memory(err);
    status = hs_json_member(&member, at, "measured", err);
    return status ? status
                  : hs_result_read_measured(candidate->measured, &member,
                                            candidate->plan.split.count, err);
}

/* ---- layers of the prediction ---- */

static enum hs_status read_seconds(double *out, const struct hs_json *object, const char *key,
                                   struct hs_error *err)
{
    struct hs_json at;
    enum hs_status status = hs_json_member(&at, object, key, err);

    return status ? status : hs_json_seconds(out, &at, err);
}

/* The plan says which layer this is; the file repeats it for those who read nothing else. */
static enum hs_status check_layer(const struct hs_json *at, struct hs_layer layer,
                                  struct hs_error *err)
{
    int64_t stride, size;
    enum hs_status status;

    if ((status = hs_json_integer(&stride, at, "stride", 1, HS_NP_MAX, err)) ||
        (status = hs_json_integer(&size, at, "size", 1, HS_NP_MAX, err)))
        return status;
    if (stride != layer.stride || size != layer.size)
        return hs_json_fail(at, err,
                            "expected the plan's layer, stride %lld and size %lld, found stride "
                            "%lld and size %lld",
                            (long long)layer.stride, (long long)layer.size, (long long)stride,
                            (long long)size);
    return HS_OK;
}

static enum hs_status read_level(int *out, const struct hs_json *at, const struct hs_system *system,
                                 struct hs_error *err)
{
    const char *names[HS_LEVELS_MAX];
    struct hs_json member;
    size_t level;
    enum hs_status status;

    for (size_t l = 0; l < system->level_count; l++)
        names[l] = system->levels[l].name;
    if ((status = hs_json_member(&member, at, "level", err)) ||
        (status = hs_json_choice_or(&level, at, "level", names, system->level_count, 0, err)))
        return status;
    *out = (int)level;
    return HS_OK;
}

/* What priced the layer; files about a system without fits do not say. */
static enum hs_status read_fit(struct hs_stage_cost *layer, const struct hs_json *at,
                               struct hs_error *err)
{
    size_t scope;
    enum hs_status status = hs_json_choice_or(&scope, at, "fit", hs_fit_scope_names,
                                              HS_FIT_SCOPE_COUNT, (size_t)layer->fit_scope, err);

    if (status)
        return status;
    layer->fit_scope = (enum hs_fit_scope)scope;
    return hs_json_bool_or(&layer->extrapolated, at, "extrapolated", layer->extrapolated, err);
}

/* Overwrites what the model computed by what the file says. */
static enum hs_status read_layer(struct hs_stage_cost *layer, const struct hs_json *at,
                                 const struct hs_system *system, struct hs_error *err)
{
    static const char *const keys[] = {
        "stride", "size",        "level",           "straddles",         "rings_per_link",
        "bytes",  "seconds",     "latency_seconds", "bandwidth_seconds", "launch_seconds",
        "fit",    "extrapolated"};
    static const struct hs_json_bounds bytes = {0, (double)HS_BYTES_MAX, false};
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = check_layer(at, layer->key.layer, err)) ||
        (status = read_level(&layer->level, at, system, err)) ||
        (status = hs_result_read_bool(&layer->straddles, at, "straddles", err)) ||
        (status =
             hs_json_integer(&layer->rings_per_link, at, "rings_per_link", 0, HS_NP_MAX, err)) ||
        (status = hs_json_number(&layer->bytes, at, "bytes", &bytes, err)) ||
        (status = read_seconds(&layer->seconds, at, "seconds", err)) ||
        (status = read_seconds(&layer->latency_seconds, at, "latency_seconds", err)) ||
        (status = read_seconds(&layer->bandwidth_seconds, at, "bandwidth_seconds", err)) ||
        (status = read_seconds(&layer->launch_seconds, at, "launch_seconds", err)))
        return status;
    return read_fit(layer, at, err);
}

static enum hs_status read_layers(struct hs_plan_cost *cost, const struct hs_json *layers,
                                  const struct hs_system *system, struct hs_error *err)
{
    struct hs_json at = hs_json_first(layers);

    cost->latency_seconds = cost->bandwidth_seconds = cost->launch_seconds = 0;
    for (int i = 0; i < cost->count; i++, hs_json_next(&at)) {
        const struct hs_stage_cost *layer = &cost->stages[i];
        enum hs_status status = read_layer(&cost->stages[i], &at, system, err);

        if (status)
            return status;
        cost->latency_seconds += layer->latency_seconds;
        cost->bandwidth_seconds += layer->bandwidth_seconds;
        cost->launch_seconds += layer->launch_seconds;
    }
    return HS_OK;
}

/* What added to `seconds` gives `high` again, which the rounded difference need not do. */
static double half_width(double seconds, double high)
{
    double width = high - seconds;

    if (seconds + width < high)
        return nextafter(width, INFINITY);
    return seconds + width > high ? nextafter(width, 0) : width;
}

/* The interval as it was predicted then; the model's own where the file has none is none, too. */
static enum hs_status read_interval(struct hs_plan_cost *cost, const struct hs_json *at,
                                    struct hs_error *err)
{
    double *interval = NULL;
    size_t count = 0;
    struct hs_json member = hs_result_member(at, "predicted_ci95_seconds");
    enum hs_status status;

    cost->ci95_seconds = NAN;
    if (!hs_result_there(at, "predicted_ci95_seconds"))
        return HS_OK;
    status =
        hs_result_read_seconds_array(&interval, &count, at, "predicted_ci95_seconds", 2, 2, err);
    if (status == HS_OK && !(interval[0] <= cost->seconds && cost->seconds <= interval[1]))
        status = hs_json_fail(&member, err, "expected an interval around %.9g, found %.9g to %.9g",
                              cost->seconds, interval[0], interval[1]);
    if (status == HS_OK)
        cost->ci95_seconds = half_width(cost->seconds, interval[1]);
    free(interval);
    return status;
}

static enum hs_status read_cost(struct hs_candidate *candidate, const struct hs_json *at,
                                const struct hs_result *result, double bytes, struct hs_error *err)
{
    size_t count = (size_t)candidate->plan.split.count;
    struct hs_json prediction = hs_result_member(at, "predicted_seconds"), layers;
    struct hs_problem problem = hs_problem_world(result->np, bytes);
    enum hs_status status;

    if (!hs_result_there(at, "layers"))
        return HS_OK;
    if ((status = hs_json_member(&layers, at, "layers", err)) ||
        (status = hs_json_array(&count, &layers, count, count, err)))
        return status;
    if (!result->has_system)
        return hs_json_fail(&layers, err, "there is no system that the layers belong to");
    if (isnan(candidate->predicted_seconds))
        return hs_json_fail(&prediction, err, "missing, with layers");
    candidate->cost = malloc(sizeof(*candidate->cost));
    if (!candidate->cost)
        return out_of_memory(err);
    *candidate->cost = hs_plan_cost(&result->system, &problem, &candidate->plan);
    candidate->cost->seconds = candidate->predicted_seconds;
    candidate->cost->extrapolated = candidate->extrapolated;
    status = read_interval(candidate->cost, at, err);
    return status ? status : read_layers(candidate->cost, &layers, &result->system, err);
}

/* ---- candidates ---- */

static enum hs_status read_candidate(struct hs_candidate *candidate, const struct hs_json *at,
                                     const struct hs_result *result, double bytes,
                                     struct hs_error *err)
{
    static const char *const keys[] = {"plan",   "predicted_seconds", "predicted_ci95_seconds",
                                       "layers", "extrapolated",      "measured"};
    struct hs_json interval;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_plan(&candidate->plan, at, "plan", result->np, err)) ||
        (status =
             hs_result_read_seconds(&candidate->predicted_seconds, at, "predicted_seconds", err)) ||
        (status = hs_json_bool_or(&candidate->extrapolated, at, "extrapolated", false, err)) ||
        (status = read_cost(candidate, at, result, bytes, err)))
        return status;
    interval = hs_result_member(at, "predicted_ci95_seconds");
    if (interval.node && (!candidate->cost || result->system.fits.count == 0))
        return hs_json_fail(&interval, err, "expected layers of a system with fits beside it");
    return read_measured_or_none(candidate, at, err);
}

/* A candidate's plan and its place in the file. */
struct placed_plan {
    const struct hs_plan *plan;
    size_t index;
};

/* By plan, equal plans in the order of the file. */
static int compare_plans(const void *left, const void *right)
{
    const struct placed_plan *a = left, *b = right;
    int order = hs_plan_compare(a->plan, b->plan);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorted and not compared pair by pair: there may be many. The first in the file that repeats one
 * is named. */
static enum hs_status check_no_plan_twice(const struct hs_result_message *message,
                                          const struct hs_json *array, struct hs_error *err)
{
    size_t count = message->candidate_count, first = count, second = count;
    struct placed_plan *sorted = calloc(count + 1, sizeof(*sorted));
    struct hs_json at;
    char text[HS_SPLIT_TEXT];

    if (!sorted)
        return out_of_memory(err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct placed_plan){&message->candidates[i].plan, i};
    qsort(sorted, count, sizeof(*sorted), compare_plans);
    for (size_t i = 1; i < count; i++)
        if (hs_plan_compare(sorted[i - 1].plan, sorted[i].plan) == 0 && sorted[i].index < second) {
            first = sorted[i - 1].index;
            second = sorted[i].index;
        }
    free(sorted);
    if (second == count)
        return HS_OK;
    at = hs_json_element(array, second);
    return already_that_of(&at, "plan", hs_plan_format(text, &message->candidates[second].plan),
                           "candidates", first, err);
}

static enum hs_status read_candidates(struct hs_result_message *message, const struct hs_json *at,
                                      const struct hs_result *result, struct hs_error *err)
{
    uint64_t bytes = message->padded_bytes ? message->padded_bytes : message->message_bytes;
    struct hs_json array, element;
    void *list = NULL;
    enum hs_status status =
        hs_result_read_list(&list, &message->candidate_count, &array, at, "candidates",
                            HS_RESULT_CANDIDATES_MAX, sizeof(*message->candidates), err);

    if (status)
        return status;
    message->candidates = list;
    for (size_t i = 0; i < message->candidate_count; i++)
        message->candidates[i].predicted_seconds = NAN;
    element = hs_json_first(&array);
    for (size_t i = 0; i < message->candidate_count; i++, hs_json_next(&element)) {
        status = read_candidate(&message->candidates[i], &element, result, (double)bytes, err);
        if (status)
            return status;
    }
    return check_no_plan_twice(message, &array, err);
}

/* `best` names a candidate that can be used. */
static enum hs_status read_best(struct hs_result_message *message, const struct hs_json *at,
                                int64_t np, struct hs_error *err)
{
    const struct hs_candidate *found = NULL;
    struct hs_json member;
    char text[HS_SPLIT_TEXT];
    enum hs_status status;

    if (!hs_result_there(at, "best"))
        return HS_OK;
    if ((status = hs_json_member(&member, at, "best", err)) ||
        (status = read_plan(&message->best, at, "best", np, err)))
        return status;
    for (size_t i = 0; i < message->candidate_count && !found; i++)
        if (hs_plan_compare(&message->candidates[i].plan, &message->best) == 0)
            found = &message->candidates[i];
    hs_plan_format(text, &message->best);
    if (!found)
        return hs_json_fail(&member, err, "\"%s\" is not among the candidates", text);
    if (found->measured && found->measured->status != HS_MEASURE_OK &&
        found->measured->status != HS_MEASURE_SKIPPED)
        return hs_json_fail(&member, err, "\"%s\" cannot be the best: its measurement is \"%s\"",
                            text, hs_measure_status_names[found->measured->status]);
    return HS_OK;
}

/* ---- what goes before them ---- */

static enum hs_status read_pruned(struct hs_result_message *message, const struct hs_json *search,
                                  struct hs_error *err)
{
    static const char *const keys[] = {"rule", "splits"};
    struct hs_json array, at;
    void *list = NULL;
    enum hs_status status =
        hs_result_read_list(&list, &message->pruned_count, &array, search, "pruned",
                            HS_RESULT_NAMES_MAX, sizeof(*message->pruned), err);

    if (status)
        return status;
    message->pruned = list;
    at = hs_json_first(&array);
    for (size_t i = 0; i < message->pruned_count; i++, hs_json_next(&at)) {
        struct hs_pruned *pruned = &message->pruned[i];

        if ((status = hs_json_object(&at, keys, COUNT(keys), err)) ||
            (status = hs_result_read_name(&pruned->rule, &at, "rule", err)) ||
            (status = hs_result_read_whole(&pruned->splits, &at, "splits", 0, err)))
            return status;
        for (size_t k = 0; k < i; k++)
            if (strcmp(message->pruned[k].rule, pruned->rule) == 0)
                return already_that_of(&at, "rule", pruned->rule, "pruned", k, err);
    }
    return HS_OK;
}

static enum hs_status read_search(struct hs_result_message *message, const struct hs_json *at,
                                  struct hs_error *err)
{
    static const char *const keys[] = {"strategy", "splits", "looked_at", "pruned"};
    struct hs_json search;
    enum hs_status status;

    if ((status = hs_json_member(&search, at, "search", err)) ||
        (status = hs_json_object(&search, keys, COUNT(keys), err)) ||
        (status = hs_result_read_text(&message->strategy, &search, "strategy", err)) ||
        (status = hs_result_read_whole(&message->splits, &search, "splits", 0, err)) ||
        (status = hs_result_read_whole(&message->looked_at, &search, "looked_at", 0, err)))
        return status;
    return read_pruned(message, &search, err);
}

static enum hs_status read_certificate(struct hs_result_message *message, const struct hs_json *at,
                                       int64_t np, struct hs_error *err)
{
    struct hs_json member = hs_result_member(at, "certificate");

    if (!member.node)
        return HS_OK;
    message->certificate = calloc(1, sizeof(*message->certificate));
    if (!message->certificate)
        return out_of_memory(err);
    return hs_result_certificate_read(message->certificate, &member, np, err);
}

static enum hs_status read_baselines(struct hs_result_message *message, const struct hs_json *at,
                                     struct hs_error *err)
{
    static const char *const keys[] = {"name", "measured"};
    struct hs_json array, element, measured;
    void *list = NULL;
    enum hs_status status =
        hs_result_read_list(&list, &message->baseline_count, &array, at, "baselines",
                            HS_RESULT_NAMES_MAX, sizeof(*message->baselines), err);

    if (status)
        return status;
    message->baselines = list;
    element = hs_json_first(&array);
    for (size_t i = 0; i < message->baseline_count; i++, hs_json_next(&element)) {
        struct hs_baseline_result *baseline = &message->baselines[i];

        hs_measured_release(&baseline->measured); /* times NaN */
        if ((status = hs_json_object(&element, keys, COUNT(keys), err)) ||
            (status = hs_result_read_name(&baseline->name, &element, "name", err)) ||
            (status = hs_json_member(&measured, &element, "measured", err)) ||
            (status = hs_result_read_measured(&baseline->measured, &measured, 0, err)))
            return status;
        for (size_t k = 0; k < i; k++)
            if (strcmp(message->baselines[k].name, baseline->name) == 0)
                return already_that_of(&element, "name", baseline->name, "baselines", k, err);
    }
    return HS_OK;
}

static enum hs_status read_sizes(struct hs_result_message *message, const struct hs_json *at,
                                 struct hs_error *err)
{
    int64_t bytes, padded;
    enum hs_status status;

    if ((status = hs_json_integer(&bytes, at, "message_bytes", 1, (int64_t)HS_BYTES_MAX, err)) ||
        (status = hs_json_integer_or(&padded, at, "padded_bytes", bytes,
                                     (int64_t)HS_RESULT_NUMBER_MAX, 0, err)))
        return status;
    message->message_bytes = (uint64_t)bytes;
    message->padded_bytes = (uint64_t)padded;
    return HS_OK;
}

static enum hs_status read_kind(struct hs_result_message *message, const struct hs_json *at,
                                struct hs_error *err)
{
    struct hs_json member;
    size_t datatype, operation;
    enum hs_status status;

    if ((status = hs_json_member(&member, at, "dtype", err)) ||
        (status = hs_json_choice_or(&datatype, at, "dtype", hs_datatype_names, HS_DATATYPE_COUNT, 0,
                                    err)) ||
        (status = hs_json_member(&member, at, "op", err)) ||
        (status = hs_json_choice_or(&operation, at, "op", hs_operation_names, HS_OPERATION_COUNT, 0,
                                    err)))
        return status;
    message->datatype = (enum hs_datatype)datatype;
    message->operation = (enum hs_operation)operation;
    return HS_OK;
}

enum hs_status hs_result_read_message(struct hs_result_message *out, const struct hs_json *at,
                                      const struct hs_result *result, struct hs_error *err)
{
    static const char *const keys[] = {"message_bytes", "padded_bytes", "dtype", "op",
                                       "search",        "flat_seconds", "best",  "baselines",
                                       "candidates",    "certificate"};
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_sizes(out, at, err)) || (status = read_kind(out, at, err)) ||
        (status = read_search(out, at, err)) ||
        (status = read_certificate(out, at, result->np, err)) ||
        (status = hs_result_read_seconds(&out->flat_seconds, at, "flat_seconds", err)) ||
        (status = read_baselines(out, at, err)) || (status = read_candidates(out, at, result, err)))
        return status;
    return read_best(out, at, result->np, err);
}
