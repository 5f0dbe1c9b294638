/*
 * Reading of result files: single values, lists, and measurements.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/result_read.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static enum hs_status out_of_memory(struct hs_error *err)
{
    return hs_fail(err, HS_MEMORY, "out of memory");
}

/* ---- values ---- */

bool hs_result_there(const struct hs_json *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object->node, key) != NULL;
}

struct hs_json hs_result_member(const struct hs_json *object, const char *key)
{
    return (struct hs_json){.node = cJSON_GetObjectItemCaseSensitive(object->node, key),
                            .document = object->document,
                            .parent = object,
                            .key = key};
}

enum hs_status hs_result_read_text(char **out, const struct hs_json *object, const char *key,
                                   struct hs_error *err)
{
    const char *text;
    enum hs_status status = hs_json_string_or(&text, object, key, NULL, err);

    if (status || !text)
        return status;
    *out = hs_strdup(text);
    return *out ? HS_OK : out_of_memory(err);
}

enum hs_status hs_result_read_name(char **out, const struct hs_json *object, const char *key,
                                   struct hs_error *err)
{
    struct hs_json at;
    enum hs_status status;

    if ((status = hs_json_member(&at, object, key, err)) ||
        (status = hs_result_read_text(out, object, key, err)))
        return status;
    if (!*out || **out == '\0')
        return hs_json_fail(&at, err, "expected a text that is not empty");
    return HS_OK;
}

enum hs_status hs_result_read_bool(bool *out, const struct hs_json *object, const char *key,
                                   struct hs_error *err)
{
    struct hs_json at;
    enum hs_status status = hs_json_member(&at, object, key, err);

    return status ? status : hs_json_bool_or(out, object, key, false, err);
}

/* Decimal text above HS_RESULT_NUMBER_MAX: smaller values have one spelling only, the JSON number.
 */
static enum hs_status read_decimal(uint64_t *out, const struct hs_json *at, struct hs_error *err)
{
    const char *text = at->node->valuestring;
    uint64_t value = 0;

    for (const char *c = text; *c; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (*c < '0' || *c > '9' || (value == 0 && digit == 0) || value > (UINT64_MAX - digit) / 10)
            return hs_json_fail(at, err,
                                "expected a whole number up to %" PRIu64 ", found \"%.40s\"",
                                UINT64_MAX, text);
        value = value * 10 + digit;
    }
    if (value <= HS_RESULT_NUMBER_MAX)
        return hs_json_fail(
            at, err, "expected a number: text is for those above %" PRIu64 ", found \"%.40s\"",
            HS_RESULT_NUMBER_MAX, text);
    *out = value;
    return HS_OK;
}

enum hs_status hs_result_read_whole(uint64_t *out, const struct hs_json *object, const char *key,
                                    uint64_t min, struct hs_error *err)
{
    struct hs_json at;
    int64_t number;
    enum hs_status status = hs_json_member(&at, object, key, err);

    if (status)
        return status;
    if (cJSON_IsString(at.node))
        return read_decimal(out, &at, err);
    status =
        hs_json_integer(&number, object, key, (int64_t)min, (int64_t)HS_RESULT_NUMBER_MAX, err);
    if (!status)
        *out = (uint64_t)number;
    return status;
}

enum hs_status hs_result_read_seconds(double *out, const struct hs_json *object, const char *key,
                                      struct hs_error *err)
{
    struct hs_json at = hs_result_member(object, key);

    *out = NAN;
    return at.node ? hs_json_seconds(out, &at, err) : HS_OK;
}

/* ---- lists ---- */

enum hs_status hs_result_read_list(void **list, size_t *count, struct hs_json *array,
                                   const struct hs_json *object, const char *key, size_t max,
                                   size_t element_bytes, struct hs_error *err)
{
    size_t length;
    enum hs_status status;

    if ((status = hs_json_member(array, object, key, err)) ||
        (status = hs_json_array(&length, array, 0, max, err)))
        return status;
    *list = calloc(length ? length : 1, element_bytes);
    if (!*list)
        return out_of_memory(err);
    *count = length;
    return HS_OK;
}

enum hs_status hs_result_read_seconds_array(double **out, size_t *count,
                                            const struct hs_json *object, const char *key,
                                            size_t min, size_t max, struct hs_error *err)
{
    struct hs_json array, element;
    size_t length;
    enum hs_status status;

    if ((status = hs_json_member(&array, object, key, err)) ||
        (status = hs_json_array(&length, &array, min, max, err)))
        return status;
    *out = calloc(length ? length : 1, sizeof(**out));
    if (!*out)
        return out_of_memory(err);
    *count = length;
    element = hs_json_first(&array);
    for (size_t i = 0; i < length && status == HS_OK; i++, hs_json_next(&element))
        status = hs_json_seconds(&(*out)[i], &element, err);
    return status;
}

/* ---- a measurement ---- */

static enum hs_status read_interval(struct hs_measured *out, const struct hs_json *at,
                                    struct hs_error *err)
{
    struct hs_json member = hs_result_member(at, "ci95_seconds");
    double *ends = NULL;
    size_t count;
    enum hs_status status;

    if (!member.node)
        return HS_OK;
    status = hs_result_read_seconds_array(&ends, &count, at, "ci95_seconds", 2, 2, err);
    if (!status && ends[0] > ends[1])
        status =
            hs_json_fail(&member, err, "expected [low, high], found [%g, %g]", ends[0], ends[1]);
    if (!status) {
        out->ci95_low_seconds = ends[0];
        out->ci95_high_seconds = ends[1];
    }
    free(ends);
    return status;
}

static enum hs_status read_layer_times(struct hs_measured *out, const struct hs_json *at,
                                       size_t layers, struct hs_error *err)
{
    static const char *const keys[] = {"reduce_scatter", "allgather"};
    struct hs_json times;
    size_t count;
    enum hs_status status;

    if (!hs_result_there(at, "layers_seconds"))
        return HS_OK;
    if ((status = hs_json_member(&times, at, "layers_seconds", err)) ||
        (status = hs_json_object(&times, keys, COUNT(keys), err)) ||
        (status = hs_result_read_seconds_array(&out->reduce_scatter_seconds, &count, &times,
                                               "reduce_scatter", layers, layers, err)))
        return status;
    return hs_result_read_seconds_array(&out->allgather_seconds, &count, &times, "allgather",
                                        layers - 1, layers - 1, err);
}

/* What goes with a status: a verified measurement has a time and no wrong elements. */
static enum hs_status check_status(const struct hs_measured *measured, const struct hs_json *at,
                                   struct hs_error *err)
{
    struct hs_json median = hs_result_member(at, "median_seconds");
    struct hs_json wrong = hs_result_member(at, "wrong_elements");

    if (measured->status != HS_MEASURE_OK)
        return HS_OK;
    if (isnan(measured->median_seconds))
        return hs_json_fail(&median, err, "missing, with status \"ok\"");
    if (measured->wrong_elements > 0)
        return hs_json_fail(&wrong, err, "expected 0 with status \"ok\", found %" PRIu64,
                            measured->wrong_elements);
    return HS_OK;
}

static enum hs_status read_samples(struct hs_measured *out, const struct hs_json *at,
                                   struct hs_error *err)
{
    if (!hs_result_there(at, "samples_seconds"))
        return HS_OK;
    return hs_result_read_seconds_array(&out->samples_seconds, &out->sample_count, at,
                                        "samples_seconds", 0, HS_RESULT_SAMPLES_MAX, err);
}

enum hs_status hs_result_read_measured(struct hs_measured *out, const struct hs_json *at,
                                       int layers, struct hs_error *err)
{
    /* Last the key that only a plan's measurement has. */
    static const char *const keys[] = {
        "status",
        "reason",
        "median_seconds",
        "ci95_seconds",
        "device_median_seconds",
        "samples_seconds",
        "wrong_elements",
        "layers_seconds",
    };
    struct hs_json member;
    size_t choice;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, COUNT(keys) - (layers == 0), err)) ||
        (status = hs_json_member(&member, at, "status", err)) ||
        (status = hs_json_choice_or(&choice, at, "status", hs_measure_status_names,
                                    HS_MEASURE_STATUS_COUNT, HS_MEASURE_FAILED, err)))
        return status;
    out->status = (enum hs_measure_status)choice;
    if ((status = hs_result_read_text(&out->reason, at, "reason", err)) ||
        (status = hs_result_read_seconds(&out->median_seconds, at, "median_seconds", err)) ||
        (status = read_interval(out, at, err)) ||
        (status = hs_result_read_seconds(&out->device_median_seconds, at, "device_median_seconds",
                                         err)) ||
        (status = read_samples(out, at, err)) ||
        (hs_result_there(at, "wrong_elements") &&
         (status = hs_result_read_whole(&out->wrong_elements, at, "wrong_elements", 0, err))) ||
        (layers > 0 && (status = read_layer_times(out, at, (size_t)layers, err))))
        return status;
    return check_status(out, at, err);
}
