/*
 * Quantities as text. A number is kept as its decimal digits until the very end, so that "16.64 ms"
 * is exactly the double nearest to 0.01664 and "1.001MB" exactly 1001000 bytes.
 */
#include "base/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool hs_seconds_usable(double seconds)
{
    return seconds == 0 || (seconds >= HS_SECONDS_MIN && seconds <= HS_SECONDS_MAX);
}

/* ---- tables ---- */

/* value = number * 10^exponent * factor */
struct unit {
    const char *name;
    int exponent;
    double factor;
};

/* Another way to type a unit. */
struct alias {
    const char *typed, *name;
};

struct quantity {
    const char *what, *example;
    const struct unit *units;
    size_t unit_count;
    const struct alias *aliases; /* ends with a NULL */
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define UNITS_MAX    24
#define KI           1024.0

static const struct unit size_units[] = {
    {"B", 0, 1},
    {"KiB", 0, KI},
    {"MiB", 0, KI *KI},
    {"GiB", 0, KI *KI *KI},
    {"TiB", 0, KI *KI *KI *KI},
    {"PiB", 0, KI *KI *KI *KI *KI},
    {"kB", 3, 1},
    {"MB", 6, 1},
    {"GB", 9, 1},
    {"TB", 12, 1},
    {"PB", 15, 1},
};
static const struct unit time_units[] = {
    {"s", 0, 1},    {"ms", -3, 1},  {"us", -6, 1},        {"ns", -9, 1},
    {"min", 0, 60}, {"h", 0, 3600}, {"\xc2\xb5s", -6, 1}, {"\xce\xbcs", -6, 1},
};
static const struct unit bandwidth_units[] = {
    {"B/s", 0, 1},        {"kB/s", 3, 1},           {"MB/s", 6, 1},
    {"GB/s", 9, 1},       {"TB/s", 12, 1},          {"KiB/s", 0, KI},
    {"MiB/s", 0, KI *KI}, {"GiB/s", 0, KI *KI *KI}, {"TiB/s", 0, KI *KI *KI *KI},
    {"b/s", 0, 0.125},    {"kb/s", 3, 0.125},       {"Mb/s", 6, 0.125},
    {"Gb/s", 9, 0.125},   {"Tb/s", 12, 0.125},
};

/* A letter alone is a power of 1024, as in nccl-tests and the OSU benchmarks. "Mb" and "Gb" are
 * left out: somebody may mean bits. */
static const struct alias size_aliases[] = {
    {"K", "KiB"},   {"M", "MiB"},   {"G", "GiB"},   {"T", "TiB"},   {"P", "PiB"},   {"k", "KiB"},
    {"m", "MiB"},   {"g", "GiB"},   {"t", "TiB"},   {"Ki", "KiB"},  {"Mi", "MiB"},  {"Gi", "GiB"},
    {"Ti", "TiB"},  {"kib", "KiB"}, {"mib", "MiB"}, {"gib", "GiB"}, {"tib", "TiB"}, {"KIB", "KiB"},
    {"MIB", "MiB"}, {"GIB", "GiB"}, {"TIB", "TiB"}, {"kiB", "KiB"}, {"KB", "kB"},   {"kb", "kB"},
    {"mb", "MB"},   {"gb", "GB"},   {"tb", "TB"},   {"b", "B"},     {"byte", "B"},  {"bytes", "B"},
    {NULL, NULL},
};
static const struct alias time_aliases[] = {
    {"m", "min"},    {"sec", "s"},      {"secs", "s"},      {"second", "s"}, {"seconds", "s"},
    {"mins", "min"}, {"minute", "min"}, {"minutes", "min"}, {"hr", "h"},     {"hour", "h"},
    {"hours", "h"},  {"msec", "ms"},    {"usec", "us"},     {"nsec", "ns"},  {NULL, NULL},
};
/* Bits and bytes are told apart by the case of the letter, so that has to be right. */
static const struct alias bandwidth_aliases[] = {
    {"bps", "b/s"},     {"kbps", "kb/s"},   {"Kbps", "kb/s"},   {"Mbps", "Mb/s"},
    {"Gbps", "Gb/s"},   {"Tbps", "Tb/s"},   {"kbit/s", "kb/s"}, {"Mbit/s", "Mb/s"},
    {"Gbit/s", "Gb/s"}, {"Tbit/s", "Tb/s"}, {"KB/s", "kB/s"},   {"kBps", "kB/s"},
    {"MBps", "MB/s"},   {"GBps", "GB/s"},   {"TBps", "TB/s"},   {NULL, NULL},
};

static const struct quantity size_quantity = {"size", "64MiB", size_units, COUNT(size_units),
                                              size_aliases};
static const struct quantity time_quantity = {"time", "4.8us", time_units, COUNT(time_units),
                                              time_aliases};
static const struct quantity bandwidth_quantity = {"bandwidth", "18.6GB/s", bandwidth_units,
                                                   COUNT(bandwidth_units), bandwidth_aliases};

/* ---- number and unit apart ---- */

#define DIGITS_MAX 64 /* characters of a number */

/* digits * 10^exponent, and the unit behind it (NULL where there is none). */
struct decimal {
    char digits[DIGITS_MAX]; /* no sign, point or leading zero; "" is zero */
    long exponent;
    const struct unit *unit;
};

/* Every refusal reads: expected a size such as 64MiB, found "12MB MB": trailing text "MB" */
__attribute__((format(printf, 4, 5))) static enum hs_status refuse(const struct quantity *quantity,
                                                                   const char *text,
                                                                   struct hs_error *err,
                                                                   const char *format, ...)
{
    char why[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return hs_fail(err, HS_INVALID, "expected a %s such as %s, found \"%.60s%s\": %s",
                   quantity->what, quantity->example, text, strlen(text) > 60 ? "..." : "", why);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Moves *at behind the digits there and appends them, without leading zeros; false where they are
 * too many. */
static bool take_digits(struct decimal *out, const char **at)
{
    size_t length = strlen(out->digits);

    for (; is_digit(**at); (*at)++) {
        if (length == 0 && **at == '0')
            continue;
        if (length == DIGITS_MAX - 1)
            return false;
        out->digits[length++] = **at;
        out->digits[length] = '\0';
    }
    return true;
}

/* "e-3" behind the digits, where it is one ("e" alone starts a unit). */
static void take_exponent(struct decimal *out, const char **at)
{
    const char *digits = *at + 1;

    if (**at != 'e' && **at != 'E')
        return;
    if (*digits == '-' || *digits == '+')
        digits++;
    if (!is_digit(*digits))
        return;
    /* strtol stops at LONG_MIN and LONG_MAX, far beyond any double; the clamp keeps sums of
     * exponents small. */
    out->exponent = strtol(*at + 1, NULL, 10);
    if (out->exponent < -100000)
        out->exponent = -100000;
    if (out->exponent > 100000)
        out->exponent = 100000;
    while (is_digit(*digits))
        digits++;
    *at = digits;
}

/* DIGITS [. DIGITS] [e [+-] DIGITS], from *at on. */
static enum hs_status take_number(struct decimal *out, const char **at,
                                  const struct quantity *quantity, const char *text,
                                  struct hs_error *err)
{
    const char *point;
    bool fits;
    long fraction = 0;

    if (**at == '\0')
        return refuse(quantity, text, err, "empty");
    if (**at == '-')
        return refuse(quantity, text, err, "negative");
    if (!is_digit(**at))
        return refuse(quantity, text, err, "does not start with a digit");
    fits = take_digits(out, at);
    if ((*at)[0] == '.' && is_digit((*at)[1])) {
        point = ++*at;
        fits = fits && take_digits(out, at);
        fraction = (long)(*at - point);
    }
    if (!fits)
        return refuse(quantity, text, err, "more than %d digits", DIGITS_MAX - 1);
    take_exponent(out, at);
    out->exponent -= fraction;
    return HS_OK;
}

static enum hs_status unknown_unit(const char *unit, const struct quantity *quantity,
                                   const char *text, struct hs_error *err)
{
    const char *names[UNITS_MAX], *nearest;
    char all[128] = "";

    for (size_t u = 0; u < quantity->unit_count; u++) {
        names[u] = quantity->units[u].name;
        if ((unsigned char)names[u][0] < 0x80)
            snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", u > 0 ? ", " : "",
                     names[u]);
    }
    if (*unit == '\0')
        return refuse(quantity, text, err, "no unit (one of %s)", all);
    nearest = hs_nearest_name(unit, names, quantity->unit_count);
    if (nearest == NULL)
        return refuse(quantity, text, err, "unknown unit \"%.30s\" (one of %s)", unit, all);
    return refuse(quantity, text, err, "unknown unit \"%.30s\", did you mean \"%s\"?", unit,
                  nearest);
}

static bool is_unit_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || (unsigned char)c >= 0x80;
}

/* The unit's own name for what was typed. */
static const char *unit_name(const struct quantity *quantity, const char *typed)
{
    for (const struct alias *alias = quantity->aliases; alias->typed; alias++)
        if (strcmp(alias->typed, typed) == 0)
            return alias->name;
    return typed;
}

/* The unit is the word at `at`; what stands behind it is trailing text. No word leaves unit NULL.
 */
static enum hs_status take_unit(struct decimal *out, const char *at,
                                const struct quantity *quantity, const char *text,
                                struct hs_error *err)
{
    char name[32];
    const char *own;
    size_t length = 0;

    if (at[0] == ' ' && is_unit_letter(at[1]))
        at++;
    while (length < sizeof(name) - 1 && is_unit_letter(at[length]))
        length++;
    memcpy(name, at, length);
    name[length] = '\0';
    own = unit_name(quantity, name);
    for (size_t u = 0; u < quantity->unit_count; u++) {
        if (strcmp(quantity->units[u].name, own) == 0)
            out->unit = &quantity->units[u];
    }
    if (out->unit == NULL && length > 0)
        return unknown_unit(name, quantity, text, err);
    at += length;
    if (*at == '\0')
        return HS_OK;
    while (at[0] == ' ' && at[1] != '\0')
        at++;
    return refuse(quantity, text, err, "trailing text \"%.30s\"", at);
}

static enum hs_status take_quantity(struct decimal *out, const char *text,
                                    const struct quantity *quantity, struct hs_error *err)
{
    const char *at = text;

    memset(out, 0, sizeof(*out));
    if (take_number(out, &at, quantity, text, err) || take_unit(out, at, quantity, text, err))
        return HS_INVALID;
    if (out->unit == NULL && quantity != &size_quantity && out->digits[0] != '\0')
        return unknown_unit("", quantity, text, err);
    return HS_OK;
}

/* ---- sizes: exact, in whole numbers ---- */

#define UINT64_DIGITS 19 /* any number of so many digits fits 64 bits */

enum exactness { EXACT, TOO_LARGE, NOT_WHOLE, TOO_MANY_DIGITS };

static enum exactness multiply(uint64_t *value, uint64_t by)
{
    if (by != 0 && *value > HS_BYTES_MAX / by)
        return TOO_LARGE;
    *value *= by;
    return EXACT;
}

/* Divides the product a * b by 10 once, without ever forming it. */
static bool divide_product_by_ten(uint64_t *a, uint64_t *b)
{
    const uint64_t primes[] = {2, 5};

    for (size_t p = 0; p < COUNT(primes); p++) {
        uint64_t *divisible = *a % primes[p] == 0 ? a : b;

        if (*divisible % primes[p] != 0)
            return false;
        *divisible /= primes[p];
    }
    return true;
}

/* digits * 10^exponent * factor in whole bytes. */
static enum exactness whole_bytes(uint64_t *bytes, const struct decimal *decimal)
{
    size_t length = strlen(decimal->digits);
    uint64_t factor = decimal->unit != NULL ? (uint64_t)decimal->unit->factor : 1, number = 0;
    long exponent = decimal->exponent + (decimal->unit != NULL ? decimal->unit->exponent : 0);

    for (; length > 0 && decimal->digits[length - 1] == '0'; length--)
        exponent++;
    if (length > UINT64_DIGITS)
        return (long)length + exponent > 16 ? TOO_LARGE : TOO_MANY_DIGITS;
    for (size_t i = 0; i < length; i++)
        number = number * 10 + (uint64_t)(decimal->digits[i] - '0');
    for (; number > 0 && exponent < 0; exponent++) {
        if (!divide_product_by_ten(&number, &factor))
            return NOT_WHOLE;
    }
    for (; number > 0 && exponent > 0; exponent--) {
        if (multiply(&number, 10))
            return TOO_LARGE;
    }
    *bytes = number;
    return number > HS_BYTES_MAX ? TOO_LARGE : multiply(bytes, factor);
}

enum hs_status hs_bytes_parse(uint64_t *bytes, const char *text, struct hs_error *err)
{
    struct decimal decimal;

    *bytes = 0;
    if (take_quantity(&decimal, text, &size_quantity, err))
        return HS_INVALID;
    switch (whole_bytes(bytes, &decimal)) {
    case EXACT:
        break;
    case TOO_LARGE:
        *bytes = 0;
        return refuse(&size_quantity, text, err, "too large, the largest is 1PiB");
    case NOT_WHOLE:
        return refuse(&size_quantity, text, err, "not a whole number of bytes");
    case TOO_MANY_DIGITS:
        return refuse(&size_quantity, text, err, "more than %d digits", UINT64_DIGITS);
    }
    if (*bytes == 0)
        return refuse(&size_quantity, text, err, "too small, the smallest is 1B");
    return HS_OK;
}

/* ---- times and bandwidths ---- */

/* The double nearest to digits * 10^exponent, times the factor (1 for every decimal unit). */
static double nearest_double(const struct decimal *decimal)
{
    char text[DIGITS_MAX + 32];
    long exponent = decimal->exponent + (decimal->unit != NULL ? decimal->unit->exponent : 0);

    snprintf(text, sizeof(text), "%se%ld", decimal->digits[0] != '\0' ? decimal->digits : "0",
             exponent);
    return strtod(text, NULL) * (decimal->unit != NULL ? decimal->unit->factor : 1);
}

static enum hs_status parse_double(double *value, const char *text, const struct quantity *quantity,
                                   struct hs_error *err)
{
    struct decimal decimal;
    double parsed;

    *value = 0;
    if (take_quantity(&decimal, text, quantity, err))
        return HS_INVALID;
    parsed = nearest_double(&decimal);
    if (!isfinite(parsed))
        return refuse(quantity, text, err, "too large");
    if (parsed == 0 && decimal.digits[0] != '\0')
        return refuse(quantity, text, err, "too small");
    *value = parsed;
    return HS_OK;
}

enum hs_status hs_seconds_parse(double *seconds, const char *text, struct hs_error *err)
{
    return parse_double(seconds, text, &time_quantity, err);
}

enum hs_status hs_bandwidth_parse(double *bytes_per_second, const char *text, struct hs_error *err)
{
    if (parse_double(bytes_per_second, text, &bandwidth_quantity, err))
        return HS_INVALID;
    if (*bytes_per_second == 0)
        return refuse(&bandwidth_quantity, text, err, "zero");
    return HS_OK;
}

enum hs_status hs_parameters_parse(double *count, const char *text, struct hs_error *err)
{
    static const char letters[] = "KMBT";
    char *end = NULL;
    double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : (double)NAN;
    const char *letter = end && *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;

    if (letter) {
        value *= pow(1000, (double)(letter - letters + 1));
        end++;
    }
    if (!end || *end || !(value >= 1 && value <= 1e15))
        return hs_fail(err, HS_INVALID,
                       "expected a number of parameters, such as 70e9 or 70B, found \"%.40s\"",
                       text);
    *count = round(value);
    return HS_OK;
}

enum hs_status hs_count_parse(int64_t *count, const char *text, const char *what, int64_t min,
                              int64_t max, struct hs_error *err)
{
    const char *at = text;
    uint64_t value = 0;

    *count = 0;
    for (; is_digit(*at) && value <= ((uint64_t)INT64_MAX - (uint64_t)(*at - '0')) / 10; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at == text || *at != '\0' || (int64_t)value < min || (int64_t)value > max)
        return hs_fail(err, HS_INVALID,
                       "%s: expected a whole number from %" PRId64 " to %" PRId64
                       ", found \"%.60s%s\"",
                       what, min, max, text, strlen(text) > 60 ? "..." : "");
    *count = (int64_t)value;
    return HS_OK;
}

int64_t hs_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}
