/*
 * Any text as a size, a time, a bandwidth, a count or a sweep: parse(format(parse(x))) is parse(x),
 * and what is refused is refused in one line.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

static void check_refusal(enum hs_status status, const struct hs_error *err)
{
    require(status == HS_INVALID && err->status == HS_INVALID, "bad text is HS_INVALID");
    require(err->message[0] != '\0', "there is a reason");
    require(strlen(err->message) < HS_ERROR_MESSAGE_BYTES, "the message ends");
    require(strchr(err->message, '\n') == NULL, "the message is one line");
}

static void check_bytes(const char *text)
{
    struct hs_error err = {HS_OK, ""};
    enum hs_status status;
    uint64_t bytes, again;
    char formatted[HS_UNIT_TEXT];

    status = hs_bytes_parse(&bytes, text, &err);
    if (status != HS_OK) {
        check_refusal(status, &err);
        return;
    }
    require(bytes >= 1 && bytes <= HS_BYTES_MAX, "a size is within its limits");
    hs_bytes_format(formatted, bytes);
    require(hs_bytes_parse(&again, formatted, &err) == HS_OK && again == bytes,
            "a size comes back");
}

/* Four digits are kept: formatting once more changes nothing, and the value is off by half a digit
 * at most. The smallest and largest doubles are left out: rounding to four digits may take them out
 * of range. */
static void check_double(const char *text,
                         enum hs_status (*parse)(double *, const char *, struct hs_error *),
                         char *(*format)(char[HS_UNIT_TEXT], double))
{
    struct hs_error err = {HS_OK, ""};
    double value, again;
    char first[HS_UNIT_TEXT], second[HS_UNIT_TEXT];
    enum hs_status status = parse(&value, text, &err);

    if (status != HS_OK) {
        check_refusal(status, &err);
        return;
    }
    require(isfinite(value) && value >= 0, "a quantity is finite and not negative");
    if ((value > 0 && value < 1e-300) || value > 1e300)
        return;
    format(first, value);
    if (value > 0) {
        require(parse(&again, first, &err) == HS_OK, "what was written is read");
        require(fabs(again - value) <= 0.5001e-3 * value, "four digits are kept");
        require(strcmp(format(second, again), first) == 0, "writing again gives the same");
    }
}

static void check_range(const char *text,
                        enum hs_status (*parse)(struct hs_range *, const char *, struct hs_error *))
{
    struct hs_error err = {HS_OK, ""};
    struct hs_range range;
    enum hs_status status = parse(&range, text, &err);
    uint64_t last = 0;
    int steps = 0;

    if (status != HS_OK) {
        check_refusal(status, &err);
        return;
    }
    for (uint64_t value = range.first; value != 0; value = hs_range_next(&range, value)) {
        require(value > last, "a sweep grows");
        require(++steps <= 64, "a sweep ends");
        last = value;
    }
    require(last == range.last, "a sweep reaches its last value");
}

static void check_count(const char *text)
{
    struct hs_error err = {HS_OK, ""};
    int64_t count, again;
    char formatted[HS_UNIT_TEXT];
    enum hs_status status = hs_count_parse(&count, text, "count", 0, INT64_MAX, &err);

    if (status != HS_OK) {
        check_refusal(status, &err);
        return;
    }
    snprintf(formatted, sizeof(formatted), "%lld", (long long)count);
    require(hs_count_parse(&again, formatted, "count", 0, INT64_MAX, &err) == HS_OK &&
                again == count,
            "a count comes back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    check_bytes(text);
    check_double(text, hs_seconds_parse, hs_seconds_format);
    check_double(text, hs_bandwidth_parse, hs_bandwidth_format);
    check_count(text);
    check_range(text, hs_np_range_parse);
    check_range(text, hs_bytes_range_parse);
    free(text);
    return 0;
}
