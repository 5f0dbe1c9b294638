/*
 * Values at a place, each with the complaint that says what would be right.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/text.h"
#include "base/units.h"

enum hs_status hs_json_read_number(double *out, const struct hs_json *at,
                                   const struct hs_json_bounds *bounds, struct hs_error *err)
{
    char expected[64], limit[32];
    double value;

    if (!cJSON_IsNumber(at->node))
        return hs_json_unexpected(at, err, "a number");
    value = at->node->valuedouble;
    if (value < bounds->min || (bounds->exclusive_min && value == bounds->min)) {
        snprintf(expected, sizeof(expected), "a number %s %s",
                 bounds->exclusive_min ? "above" : "of at least",
                 hs_json_number_text(limit, bounds->min));
        return hs_json_unexpected(at, err, expected);
    }
    if (value > bounds->max) {
        snprintf(expected, sizeof(expected), "a number of at most %s",
                 hs_json_number_text(limit, bounds->max));
        return hs_json_unexpected(at, err, expected);
    }
    *out = value;
    return HS_OK;
}

enum hs_status hs_json_read_seconds(double *out, const struct hs_json *at, struct hs_error *err)
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

enum hs_status hs_json_read_integer(int64_t *out, const struct hs_json *at, int64_t min,
                                    int64_t max, struct hs_error *err)
{
    char expected[96];
    double value = cJSON_IsNumber(at->node) ? at->node->valuedouble : NAN;

    /* The bounds are exact as doubles: they are at most 2^53. NaN fails the first comparison. */
    if (value >= (double)min && value <= (double)max && trunc(value) == value) {
        *out = (int64_t)value;
        return HS_OK;
    }
    snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, min, max);
    return hs_json_unexpected(at, err, expected);
}

/* Smaller values have one spelling only, the JSON number. */
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
    if (value <= HS_JSON_WHOLE_MAX)
        return hs_json_fail(
            at, err, "expected a number: text is for those above %" PRIu64 ", found \"%.40s\"",
            HS_JSON_WHOLE_MAX, text);
    *out = value;
    return HS_OK;
}

enum hs_status hs_json_read_whole(uint64_t *out, const struct hs_json *at, uint64_t min,
                                  struct hs_error *err)
{
    int64_t number = 0;
    enum hs_status status;

    if (cJSON_IsString(at->node))
        return read_decimal(out, at, err);
    status = hs_json_read_integer(&number, at, (int64_t)min, (int64_t)HS_JSON_WHOLE_MAX, err);
    if (!status)
        *out = (uint64_t)number;
    return status;
}

enum hs_status hs_json_read_bool(bool *out, const struct hs_json *at, struct hs_error *err)
{
    if (!cJSON_IsBool(at->node))
        return hs_json_unexpected(at, err, "true or false");
    *out = cJSON_IsTrue(at->node);
    return HS_OK;
}

enum hs_status hs_json_read_string(const char **out, const struct hs_json *at, struct hs_error *err)
{
    if (!cJSON_IsString(at->node))
        return hs_json_unexpected(at, err, "a text in double quotes");
    *out = at->node->valuestring;
    return HS_OK;
}

enum hs_status hs_json_read_choice(size_t *out, const struct hs_json *at, const char *const *names,
                                   size_t count, struct hs_error *err)
{
    const char *found = cJSON_GetStringValue(at->node), *nearest;
    struct hs_text all = {0};

    for (size_t i = 0; found && i < count; i++) {
        if (strcmp(names[i], found) == 0) {
            *out = i;
            return HS_OK;
        }
    }
    nearest = found ? hs_nearest_name(found, names, count) : NULL;
    if (nearest)
        return hs_json_fail(at, err, "unknown value \"%s\", did you mean \"%s\"?", found, nearest);
    hs_json_append_names(&all, names, count);
    hs_json_unexpected(at, err, all.data ? all.data : "another value");
    hs_text_release(&all);
    return HS_INVALID;
}
