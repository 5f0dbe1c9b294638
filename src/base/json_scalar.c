/*
 * Scalars of an object's members, each with the complaint that says what would be right.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/units.h"

static bool absent(const struct hs_json *object, const char *key)
{
    return cJSON_IsObject(object->node) &&
           cJSON_GetObjectItemCaseSensitive(object->node, key) == NULL;
}

enum hs_status hs_json_number(double *out, const struct hs_json *object, const char *key,
                              const struct hs_json_bounds *bounds, struct hs_error *err)
{
    struct hs_json at;
    char expected[64], limit[32];
    double value;

    *out = 0;
    if (hs_json_member(&at, object, key, err))
        return HS_INVALID;
    if (!cJSON_IsNumber(at.node))
        return hs_json_unexpected(&at, err, "a number");
    value = at.node->valuedouble;
    if (bounds != NULL &&
        (value < bounds->min || (bounds->exclusive_min && value == bounds->min))) {
        snprintf(expected, sizeof(expected), "a number %s %s",
                 bounds->exclusive_min ? "above" : "of at least",
                 hs_json_number_text(limit, bounds->min));
        return hs_json_unexpected(&at, err, expected);
    }
    if (bounds != NULL && value > bounds->max) {
        snprintf(expected, sizeof(expected), "a number of at most %s",
                 hs_json_number_text(limit, bounds->max));
        return hs_json_unexpected(&at, err, expected);
    }
    *out = value;
    return HS_OK;
}

enum hs_status hs_json_number_or(double *out, const struct hs_json *object, const char *key,
                                 const struct hs_json_bounds *bounds, double fallback,
                                 struct hs_error *err)
{
    if (!absent(object, key))
        return hs_json_number(out, object, key, bounds, err);
    *out = fallback;
    return HS_OK;
}

enum hs_status hs_json_seconds(double *out, const struct hs_json *at, struct hs_error *err)
{
    char expected[64];

    if (cJSON_IsNumber(at->node) && hs_seconds_usable(at->node->valuedouble)) {
        *out = at->node->valuedouble;
        return HS_OK;
    }
    snprintf(expected, sizeof(expected), "seconds, 0 or from %g to %g", HS_SECONDS_MIN,
             HS_SECONDS_MAX);
    return hs_json_unexpected(at, err, expected);
}

enum hs_status hs_json_integer(int64_t *out, const struct hs_json *object, const char *key,
                               int64_t min, int64_t max, struct hs_error *err)
{
    struct hs_json at;
    char expected[96];
    double value;

    *out = 0;
    if (hs_json_member(&at, object, key, err))
        return HS_INVALID;
    value = cJSON_IsNumber(at.node) ? at.node->valuedouble : NAN;
    /* The bounds are exact as doubles: they are at most 2^53. NaN fails the first comparison. */
    if (value >= (double)min && value <= (double)max && trunc(value) == value) {
        *out = (int64_t)value;
        return HS_OK;
    }
    snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, min, max);
    return hs_json_unexpected(&at, err, expected);
}

enum hs_status hs_json_integer_or(int64_t *out, const struct hs_json *object, const char *key,
                                  int64_t min, int64_t max, int64_t fallback, struct hs_error *err)
{
    if (!absent(object, key))
        return hs_json_integer(out, object, key, min, max, err);
    *out = fallback;
    return HS_OK;
}

enum hs_status hs_json_bool_or(bool *out, const struct hs_json *object, const char *key,
                               bool fallback, struct hs_error *err)
{
    struct hs_json at;

    *out = fallback;
    if (absent(object, key))
        return HS_OK;
    if (hs_json_member(&at, object, key, err))
        return HS_INVALID;
    if (!cJSON_IsBool(at.node))
        return hs_json_unexpected(&at, err, "true or false");
    *out = cJSON_IsTrue(at.node);
    return HS_OK;
}

enum hs_status hs_json_string(const char **out, const struct hs_json *object, const char *key,
                              struct hs_error *err)
{
    struct hs_json at;

    *out = NULL;
    if (hs_json_member(&at, object, key, err))
        return HS_INVALID;
    if (!cJSON_IsString(at.node))
        return hs_json_unexpected(&at, err, "a text in double quotes");
    *out = at.node->valuestring;
    return HS_OK;
}

enum hs_status hs_json_string_or(const char **out, const struct hs_json *object, const char *key,
                                 const char *fallback, struct hs_error *err)
{
    if (!absent(object, key))
        return hs_json_string(out, object, key, err);
    *out = fallback;
    return HS_OK;
}

enum hs_status hs_json_choice_or(size_t *out, const struct hs_json *object, const char *key,
                                 const char *const *names, size_t count, size_t fallback,
                                 struct hs_error *err)
{
    struct hs_text all = {0};
    struct hs_json at;
    const char *nearest = NULL;

    *out = fallback;
    if (absent(object, key))
        return HS_OK;
    if (hs_json_member(&at, object, key, err))
        return HS_INVALID;
    for (size_t i = 0; cJSON_IsString(at.node) && i < count; i++) {
        if (strcmp(names[i], at.node->valuestring) == 0) {
            *out = i;
            return HS_OK;
        }
    }
    if (cJSON_IsString(at.node))
        nearest = hs_nearest_name(at.node->valuestring, names, count);
    hs_json_append_names(&all, names, count);
    if (nearest != NULL)
        hs_json_fail(&at, err, "unknown value \"%s\", did you mean \"%s\"?", at.node->valuestring,
                     nearest);
    else
        hs_json_unexpected(&at, err, all.data != NULL ? all.data : "another value");
    hs_text_release(&all);
    return HS_INVALID;
}
