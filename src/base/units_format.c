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

static enum hs_status parse_range(struct hs_range *range, const char *text,
                                  enum hs_status (*parse)(uint64_t *, const char *,
                                                          struct hs_error *),
                                  struct hs_error *err)
{
    const char *colon = strchr(text, ':');
    char first[128];

    *range = (struct hs_range){0};
    if (colon == NULL) {
        if (parse(&range->first, text, err))
            return HS_INVALID;
        range->last = range->first;
        return HS_OK;
    }
    if ((size_t)(colon - text) >= sizeof(first))
        return hs_fail(err, HS_INVALID, "expected a range FIRST:LAST, found \"%.60s...\"", text);
    snprintf(first, sizeof(first), "%.*s", (int)(colon - text), text);
    if (parse(&range->first, first, err) || parse(&range->last, colon + 1, err)) {
        *range = (struct hs_range){0};
        return HS_INVALID;
    }
    if (range->first > range->last) {
        *range = (struct hs_range){0};
        return hs_fail(err, HS_INVALID, "expected a range FIRST:LAST that grows, found \"%.60s\"",
                       text);
    }
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
    return value > range->last / 2 ? range->last : value * 2;
}
