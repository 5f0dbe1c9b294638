#include "model/system_parts.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system.h"

const struct hs_json_bounds hs_bounds_positive = {HS_BANDWIDTH_MIN / 1e9, HS_BANDWIDTH_MAX / 1e9,
                                                  false};
const struct hs_json_bounds hs_bounds_not_negative = {0, HS_LATENCY_MAX * 1e6, false};

/* ---- units ---- */

/* The double nearest to the decimal that the file says, shifted by six places: 8.4 us is 8.4e-6, as
 * in a line of text; a product or a quotient may be one unit in the last place off. */
double hs_from_microseconds(double value)
{
    char text[40];
    char *exponent;

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    exponent = strchr(text, 'e');
    snprintf(exponent, sizeof(text) - (size_t)(exponent - text), "e%ld",
             strtol(exponent + 1, NULL, 10) - 6);
    return strtod(text, NULL);
}

double hs_from_gigabytes(double value)
{
    return value * 1e9;
}

double hs_from_percent(double value)
{
    return value / 100;
}

/* The number of the file that reads back as exactly this SI value: the guess, or one of its
 * neighbours. */
static double in_unit(double guess, double value, double (*read_back)(double))
{
    double up = guess, down = guess;

    if (!isfinite(value))
        return value;
    for (int ulps = 0; ulps <= 2; ulps++) {
        if (read_back(up) == value)
            return up;
        if (read_back(down) == value)
            return down;
        up = nextafter(up, INFINITY);
        down = nextafter(down, 0);
    }
    return guess;
}

double hs_to_microseconds(double seconds)
{
    return in_unit(seconds * 1e6, seconds, hs_from_microseconds);
}

double hs_to_gigabytes(double bytes_per_second)
{
    return in_unit(bytes_per_second / 1e9, bytes_per_second, hs_from_gigabytes);
}

double hs_to_percent(double fraction)
{
    return in_unit(fraction * 100, fraction, hs_from_percent);
}

/* ---- reading ---- */

enum hs_status hs_read_text(char **out, const struct hs_json *object, const char *key,
                            struct hs_error *err)
{
    const char *text;

    if (hs_json_string_or(&text, object, key, NULL, err))
        return HS_INVALID;
    *out = hs_strdup(text);
    if (text && !*out)
        return hs_fail(err, HS_MEMORY, "out of memory");
    return HS_OK;
}

/* ---- writing ---- */

struct hs_writer hs_writer_begin(void)
{
    cJSON *object = cJSON_CreateObject();

    return (struct hs_writer){object, object == NULL};
}

void hs_writer_text(struct hs_writer *writer, const char *key, const char *text)
{
    if (text && !cJSON_AddStringToObject(writer->object, key, text))
        writer->failed = true;
}

void hs_writer_number(struct hs_writer *writer, const char *key, double value)
{
    if (isfinite(value) && !cJSON_AddNumberToObject(writer->object, key, value))
        writer->failed = true;
}

void hs_writer_item(struct hs_writer *writer, const char *key, struct cJSON *item)
{
    if (!item || !cJSON_AddItemToObject(writer->object, key, item)) {
        cJSON_Delete(item);
        writer->failed = true;
    }
}

struct cJSON *hs_writer_finish(struct hs_writer *writer)
{
    if (!writer->failed)
        return writer->object;
    cJSON_Delete(writer->object);
    return NULL;
}

struct cJSON *hs_array_append(struct cJSON *array, struct cJSON *item)
{
    if (array && item && cJSON_AddItemToArray(array, item))
        return array;
    cJSON_Delete(item);
    cJSON_Delete(array);
    return NULL;
}
