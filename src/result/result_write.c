/*
 * Writing of result files (docs/result.schema.json).
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_build.h"
#include "base/units.h"
#include "result/result_certificate.h"
#include "result/result_read.h"

/* ---- single values ---- */

static void put_whole(struct hs_json_builder *w, cJSON *object, const char *key, uint64_t value)
{
    char digits[24];

    if (value <= HS_RESULT_NUMBER_MAX) {
        hs_json_put(w, object, key, cJSON_CreateNumber((double)value));
    } else {
        snprintf(digits, sizeof(digits), "%" PRIu64, value);
        hs_json_put(w, object, key, cJSON_CreateString(digits));
    }
}

static void put_plan(struct hs_json_builder *w, cJSON *object, const char *key,
                     const struct hs_plan *plan)
{
    char text[HS_SPLIT_TEXT];

    hs_json_put(w, object, key, cJSON_CreateString(hs_plan_format(text, plan)));
}

/* Every element has to exist: leaving one out would shift those after it. */
static void put_seconds(struct hs_json_builder *w, cJSON *object, const char *key,
                        const double *seconds, size_t count)
{
    cJSON *array = hs_json_put(w, object, key, cJSON_CreateArray());

    for (size_t i = 0; i < count && !w->status; i++) {
        if (hs_seconds_usable(seconds[i]))
            hs_json_append(w, array, cJSON_CreateNumber(seconds[i]));
        else
            w->status =
                hs_fail(w->err, HS_FAILED, "%s[%zu]: expected seconds of 0 or more, found %g", key,
                        i, seconds[i]);
    }
}

/* ---- measurements and predictions ---- */

static void put_layer_times(struct hs_json_builder *w, cJSON *object,
                            const struct hs_measured *measured, size_t layers)
{
    cJSON *times;

    if (layers == 0 || !measured->reduce_scatter_seconds ||
        (layers > 1 && !measured->allgather_seconds))
        return;
    times = hs_json_put(w, object, "layers_seconds", cJSON_CreateObject());
    put_seconds(w, times, "reduce_scatter", measured->reduce_scatter_seconds, layers);
    put_seconds(w, times, "allgather", measured->allgather_seconds, layers - 1);
}

/* layers: of the plan; 0 for a baseline. */
static void put_measured(struct hs_json_builder *w, cJSON *parent,
                         const struct hs_measured *measured, size_t layers)
{
    cJSON *object = hs_json_put(w, parent, "measured", cJSON_CreateObject());
    const double interval[2] = {measured->ci95_low_seconds, measured->ci95_high_seconds};

    hs_json_put_text(w, object, "status", hs_measure_status_names[measured->status]);
    hs_json_put_text(w, object, "reason", measured->reason);
    hs_json_put_number(w, object, "median_seconds", measured->median_seconds);
    if (isfinite(interval[0]) && isfinite(interval[1]))
        put_seconds(w, object, "ci95_seconds", interval, 2);
    hs_json_put_number(w, object, "device_median_seconds", measured->device_median_seconds);
    if (measured->sample_count > 0)
        put_seconds(w, object, "samples_seconds", measured->samples_seconds,
                    measured->sample_count);
    if (measured->status == HS_MEASURE_OK || measured->status == HS_MEASURE_WRONG ||
        measured->wrong_elements > 0)
        put_whole(w, object, "wrong_elements", measured->wrong_elements);
    put_layer_times(w, object, measured, layers);
}

static void put_layer(struct hs_json_builder *w, cJSON *array, const struct hs_stage_cost *layer,
                      const struct hs_system *system)
{
    cJSON *object = hs_json_append(w, array, cJSON_CreateObject());

    put_whole(w, object, "stride", (uint64_t)layer->key.layer.stride);
    put_whole(w, object, "size", (uint64_t)layer->key.layer.size);
    hs_json_put_text(w, object, "level", system->levels[layer->level].name);
    hs_json_put_bool(w, object, "straddles", layer->straddles);
    put_whole(w, object, "rings_per_link", (uint64_t)layer->rings_per_link);
    hs_json_put_number(w, object, "bytes", layer->bytes);
    hs_json_put_number(w, object, "seconds", layer->seconds);
    hs_json_put_number(w, object, "latency_seconds", layer->latency_seconds);
    hs_json_put_number(w, object, "bandwidth_seconds", layer->bandwidth_seconds);
    hs_json_put_number(w, object, "launch_seconds", layer->launch_seconds);
    if (system->fits.count == 0)
        return;
    hs_json_put_text(w, object, "fit", hs_fit_scope_names[layer->fit_scope]);
    hs_json_put_bool(w, object, "extrapolated", layer->extrapolated);
}

/* Whether every figure of the layers can be written: they come all or not at all. */
static bool cost_is_finite(const struct hs_plan_cost *cost)
{
    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *layer = &cost->stages[i];

        /* The parts are finite where their sum is: none is negative. */
        if (!isfinite(layer->bytes) || !isfinite(layer->seconds) ||
            !isfinite(layer->latency_seconds + layer->bandwidth_seconds + layer->launch_seconds))
            return false;
    }
    return true;
}

/* The interval of a calibrated system. Its ends are those that reading and writing leave as they
 * are: the half width is what the upper end says of it. */
static void put_interval(struct hs_json_builder *w, cJSON *object, const struct hs_plan_cost *cost,
                         double seconds)
{
    double high = seconds + cost->ci95_seconds;
    const double interval[2] = {fmax(0, seconds - (high - seconds)), high};

    if (isfinite(high))
        put_seconds(w, object, "predicted_ci95_seconds", interval, 2);
}

static void put_candidate(struct hs_json_builder *w, cJSON *array,
                          const struct hs_candidate *candidate, const struct hs_result *result)
{
    cJSON *object = hs_json_append(w, array, cJSON_CreateObject()), *layers;
    const struct hs_plan_cost *cost = candidate->cost;

    put_plan(w, object, "plan", &candidate->plan);
    hs_json_put_number(w, object, "predicted_seconds", candidate->predicted_seconds);
    hs_json_put_bool(w, object, "extrapolated", candidate->extrapolated);
    if (cost && result->has_system && isfinite(candidate->predicted_seconds) &&
        cost_is_finite(cost)) {
        if (result->system.fits.count > 0)
            put_interval(w, object, cost, candidate->predicted_seconds);
        layers = hs_json_put(w, object, "layers", cJSON_CreateArray());
        for (int i = 0; i < cost->count; i++)
            put_layer(w, layers, &cost->stages[i], &result->system);
    }
    if (candidate->measured)
        put_measured(w, object, candidate->measured, (size_t)candidate->plan.split.count);
}

/* ---- one message size ---- */

static void put_search(struct hs_json_builder *w, cJSON *object,
                       const struct hs_result_message *message)
{
    cJSON *search = hs_json_put(w, object, "search", cJSON_CreateObject()), *pruned;

    hs_json_put_text(w, search, "strategy", message->strategy);
    put_whole(w, search, "splits", message->splits);
    put_whole(w, search, "looked_at", message->looked_at);
    pruned = hs_json_put(w, search, "pruned", cJSON_CreateArray());
    for (size_t i = 0; i < message->pruned_count; i++) {
        cJSON *row = hs_json_append(w, pruned, cJSON_CreateObject());

        hs_json_put_text(w, row, "rule", message->pruned[i].rule);
        put_whole(w, row, "splits", message->pruned[i].splits);
    }
}

static void put_message(struct hs_json_builder *w, cJSON *array,
                        const struct hs_result_message *message, const struct hs_result *result)
{
    cJSON *object = hs_json_append(w, array, cJSON_CreateObject()), *list;

    put_whole(w, object, "message_bytes", message->message_bytes);
    if (message->padded_bytes > 0)
        put_whole(w, object, "padded_bytes", message->padded_bytes);
    hs_json_put_text(w, object, "dtype", hs_datatype_names[message->datatype]);
    hs_json_put_text(w, object, "op", hs_operation_names[message->operation]);
    put_search(w, object, message);
    if (message->certificate)
        hs_json_put(w, object, "certificate", hs_result_certificate_to_json(message->certificate));
    hs_json_put_number(w, object, "flat_seconds", message->flat_seconds);
    if (message->best.split.count > 0)
        put_plan(w, object, "best", &message->best);
    list = hs_json_put(w, object, "baselines", cJSON_CreateArray());
    for (size_t i = 0; i < message->baseline_count; i++) {
        cJSON *row = hs_json_append(w, list, cJSON_CreateObject());

        hs_json_put_text(w, row, "name", message->baselines[i].name);
        put_measured(w, row, &message->baselines[i].measured, 0);
    }
    list = hs_json_put(w, object, "candidates", cJSON_CreateArray());
    for (size_t i = 0; i < message->candidate_count && !w->status; i++)
        put_candidate(w, list, &message->candidates[i], result);
}

/* ---- top level ---- */

/* The names are free, so unlike all other keys they are copied. */
static void put_versions(struct hs_json_builder *w, cJSON *top, const struct hs_result *result)
{
    cJSON *object = hs_json_put(w, top, "versions", cJSON_CreateObject());

    for (size_t i = 0; i < result->version_count; i++) {
        const struct hs_fact *fact = &result->versions[i];
        cJSON *item = cJSON_CreateString(fact->text);

        if (!cJSON_AddItemToObject(object, fact->name, item)) {
            cJSON_Delete(item);
            hs_json_no_memory(w);
        }
    }
}

static void put_placement(struct hs_json_builder *w, cJSON *top,
                          const struct hs_placement *placement)
{
    cJSON *object, *nodes;

    if (placement->node_count == 0 && !placement->note)
        return;
    object = hs_json_put(w, top, "placement", cJSON_CreateObject());
    nodes = hs_json_put(w, object, "nodes", cJSON_CreateArray());
    for (size_t i = 0; i < placement->node_count; i++) {
        cJSON *node = hs_json_append(w, nodes, cJSON_CreateObject());

        hs_json_put_text(w, node, "host", placement->hosts[i]);
        put_whole(w, node, "ranks", (uint64_t)placement->ranks_per_node[i]);
    }
    hs_json_put_text(w, object, "note", placement->note);
}

/* The points of a calibration stay in the system file: they may be many times the rest. */
static void put_system(struct hs_json_builder *w, cJSON *top, const struct hs_system *system)
{
    struct hs_system without_points = *system;

    without_points.fits.points = NULL;
    without_points.fits.point_count = 0;
    hs_json_put(w, top, "system", hs_system_to_json(&without_points));
}

static void put_top(struct hs_json_builder *w, cJSON *top, const struct hs_result *result)
{
    cJSON *list = NULL;

    hs_json_put_text(w, top, "format", HS_RESULT_FORMAT);
    hs_json_put_text(w, top, "command", result->command);
    hs_json_put_text(w, top, "created", result->created);
    hs_json_put_text(w, top, "backend", result->backend);
    put_versions(w, top, result);
    put_whole(w, top, "np", (uint64_t)result->np);
    if (result->has_system)
        put_system(w, top, &result->system);
    hs_json_put_bool(w, top, "extrapolated", result->extrapolated);
    put_placement(w, top, &result->placement);
    if (result->topology_count > 0)
        list = hs_json_put(w, top, "topology", cJSON_CreateArray());
    for (size_t i = 0; i < result->topology_count && !w->status; i++)
        hs_json_append(w, list, hs_result_topology_to_json(&result->topology[i]));
    hs_json_put_bool(w, top, "complete", result->complete);
    hs_json_put_text(w, top, "note", result->note);
    list = hs_json_put(w, top, "results", cJSON_CreateArray());
    for (size_t i = 0; i < result->message_count && !w->status; i++)
        put_message(w, list, &result->messages[i], result);
}

enum hs_status hs_result_print(struct hs_text *out, const struct hs_result *result,
                               struct hs_error *err)
{
    struct hs_json_builder w = {HS_OK, err};
    cJSON *top;

    if (!result->command || !result->created)
        return hs_fail(err, HS_INVALID, "%s: missing, a result has to say how it was made",
                       result->command ? "created" : "command");
    top = cJSON_CreateObject();
    put_top(&w, top, result);
    if (!w.status)
        w.status = hs_json_print(out, top, err);
    cJSON_Delete(top);
    return w.status;
}

/* ferror, because fwrite on a line-buffered stream can hide a failed write from its own result and
 * fflush's. */
static enum hs_status write_stdout(const struct hs_text *text, struct hs_error *err)
{
    if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0 ||
        ferror(stdout))
        return hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    return HS_OK;
}

enum hs_status hs_result_save(const struct hs_result *result, const char *path,
                              struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_result_print(&text, result, err);

    if (!status)
        status = strcmp(path, "-") == 0 ? write_stdout(&text, err)
                                        : hs_file_replace(path, text.data, text.length, err);
    hs_text_release(&text);
    return status;
}
