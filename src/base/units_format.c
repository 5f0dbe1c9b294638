/*
 * Quantities written, and sweeps.
 */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The bytes in the largest unit that divides them. */
static uint64_t in_units(size_t *unit, uint64_t bytes, uint64_t factor, size_t largest)
{
    for (*unit = 0; bytes > 0 && bytes % factor == 0 && *unit < largest; ++*unit)
        bytes /= factor;
    return bytes;
}

/* Digits that a number takes. */
static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

char *hs_bytes_format(char text[HS_UNIT_TEXT], uint64_t bytes)
{
    static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB"};
    size_t of_1024, of_1000;
    uint64_t by_1024 = in_units(&of_1024, bytes, 1024, COUNT(binary) - 1);
    uint64_t by_1000 = in_units(&of_1000, bytes, 1000, COUNT(decimal) - 1);

    if (digits_of(by_1000) < digits_of(by_1024))
        snprintf(text, HS_UNIT_TEXT, "%" PRIu64 "%s", by_1000, decimal[of_1000]);
    else
        snprintf(text, HS_UNIT_TEXT, "%" PRIu64 "%s", by_1024, binary[of_1024]);
    return text;
}

/* Four digits of `value` in the unit that leaves 1 to 3 of them before the point. names[i] is
 * 10^(lowest + 3 i); a value outside the table keeps the nearest unit, with an exponent where that
 * would need more than a few zeros. */
static char *format_scaled(char text[HS_UNIT_TEXT], double value, const char *const *names,
                           int count, int lowest, const char *base_name)
{
    char digits[24];
    int exponent, unit;

    if (value == 0 || !isfinite(value)) {
        snprintf(text, HS_UNIT_TEXT, "%g %s", value, base_name);
        return text;
    }
    /* Rounded to four digits first: 999.96 us is 1.000 ms. */
    snprintf(digits, sizeof(digits), "%.3e", value);
    exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
    if (exponent < lowest - 3 || exponent >= lowest + 3 * (count - 1) + 15) {
        snprintf(text, HS_UNIT_TEXT, "%s %s", digits, base_name);
        return text;
    }
    unit = exponent < lowest ? 0 : (exponent - lowest) / 3;
    if (unit >= count)
        unit = count - 1;
    exponent -= lowest + 3 * unit;
    snprintf(strchr(digits, 'e'), 8, "e%d", exponent);
    snprintf(text, HS_UNIT_TEXT, "%.*f %s", exponent < 3 ? 3 - exponent : 0, strtod(digits, NULL),
             names[unit]);
    return text;
}

char *hs_seconds_format(char text[HS_UNIT_TEXT], double seconds)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};

    return format_scaled(text, seconds, names, COUNT(names), -9, "s");
}

/* To two digits. */
static double rounded(double value)
{
    char digits[24];

    snprintf(digits, sizeof(digits), "%.1e", value);
    return strtod(digits, NULL);
}

char *hs_seconds_range_in(char text[HS_UNIT_TEXT], double low, double high, double unit)
{
    double first = rounded(low), last = rounded(high);

    if (first >= last)
        snprintf(text, HS_UNIT_TEXT, "%.6g", first / unit);
    else
        snprintf(text, HS_UNIT_TEXT, "%.6g to %.6g", first / unit, last / unit);
    return text;
}

char *hs_seconds_range_format(char text[HS_UNIT_TEXT], double low, double high)
{
    double first = rounded(low);
    char one[HS_UNIT_TEXT];
    const char *unit = strchr(hs_seconds_format(one, first), ' ');

    hs_seconds_range_in(text, low, high, first / strtod(one, NULL));
    return strncat(text, unit, HS_UNIT_TEXT - strlen(text) - 1);
}

char *hs_bandwidth_format(char text[HS_UNIT_TEXT], double bytes_per_second)
{
    static const char *const names[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

    return format_scaled(text, bytes_per_second, names, COUNT(names), 0, "B/s");
}

/* ---- sweeps ---- */

static enum hs_status parse_np(uint64_t *np, const char *text, struct hs_error *err)
{
    int64_t count;
    enum hs_status status = hs_count_parse(&count, text, "process count", 1, HS_NP_MAX, err);

    *np = (uint64_t)count;
    return status;
}

typedef enum hs_status parse_value(uint64_t *value, const char *text, struct hs_error *err);

/* "64" or "4:2048". */
static enum hs_status parse_sweep(struct hs_range *range, char *text, parse_value *parse,
                                  struct hs_error *err)
{
    char *colon = strchr(text, ':');

    *range = (struct hs_range){0};
    if (colon)
        *colon = '\0';
    if (parse(&range->first, text, err) || parse(&range->last, colon ? colon + 1 : text, err))
        return HS_INVALID;
    if (range->first <= range->last)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "expected a range FIRST:LAST that grows, found \"%.30s:%.30s\"",
                   text, colon + 1);
}

/* Into the ascending list, where it is not there yet. */
static bool insert(struct hs_range *list, uint64_t value)
{
    size_t at = list->count;

    while (at > 0 && list->values[at - 1] >= value)
        at--;
    if (at < list->count && list->values[at] == value)
        return true;
    if (list->count == HS_RANGE_VALUES)
        return false;
    memmove(list->values + at + 1, list->values + at, (list->count - at) * sizeof(*list->values));
    list->values[at] = value;
    list->count++;
    return true;
}

/* One item of a list, as long as `length`. */
static enum hs_status parse_item(struct hs_range *list, const char *item, size_t length,
                                 parse_value *parse, struct hs_error *err)
{
    struct hs_range sweep;
    char text[128];

    if (length >= sizeof(text))
        return hs_fail(err, HS_INVALID, "expected a range FIRST:LAST, found \"%.60s...\"", item);
    memcpy(text, item, length);
    text[length] = '\0';
    if (parse_sweep(&sweep, text, parse, err))
        return HS_INVALID;
    for (uint64_t value = sweep.first; value; value = hs_range_next(&sweep, value))
        if (!insert(list, value))
            return hs_fail(err, HS_INVALID, "expected at most %d values, found more",
                           HS_RANGE_VALUES);
    return HS_OK;
}

static enum hs_status parse_range(struct hs_range *range, const char *text, parse_value *parse,
                                  struct hs_error *err)
{
    struct hs_range list = {0};
    enum hs_status status = HS_OK;

    for (const char *item = text; item && status == HS_OK;) {
        size_t length;

        if (item > text)
            item += strspn(item, " ");
        length = strcspn(item, ",");
        status = parse_item(&list, item, length, parse, err);
        item = item[length] ? item + length + 1 : NULL;
    }
    *range = (struct hs_range){0};
    if (status != HS_OK)
        return status;
    list.first = list.values[0];
    list.last = list.values[list.count - 1];
    *range = list;
    return HS_OK;
}

enum hs_status hs_np_range_parse(struct hs_range *range, const char *text, struct hs_error *err)
{
    return parse_range(range, text, parse_np, err);
}

enum hs_status hs_bytes_range_parse(struct hs_range *range, const char *text, struct hs_error *err)
{
    return parse_range(range, text, hs_bytes_parse, err);
}

uint64_t hs_range_next(const struct hs_range *range, uint64_t value)
{
    if (value >= range->last || value == 0)
        return 0;
    for (size_t i = 0; i < range->count; i++)
        if (range->values[i] > value)
            return range->values[i];
    return value > range->last / 2 ? range->last : value * 2;
}

char *hs_bytes_figure(char text[HS_UNIT_TEXT], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;

    for (; bytes >= 1023.95 && unit < 5; unit++)
        bytes /= 1024;
    if (bytes < 100 && bytes != floor(bytes))
        snprintf(text, HS_UNIT_TEXT, "%.*f%s", bytes < 10 ? 3 : 2, bytes, units[unit]);
    else
        snprintf(text, HS_UNIT_TEXT, "%.*f%s", bytes != floor(bytes), bytes, units[unit]);
    return text;
}
