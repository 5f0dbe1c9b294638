#include "base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/units.h"
#include "base/utf8.h"

char *hs_json_number_text(char text[32], double value)
{
    if (fabs(value) <= (double)(HS_JSON_WHOLE_MAX + 1) && trunc(value) == value) {
        snprintf(text, 32, "%.0f", value);
        return text;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

/* The code point of a character of `length` bytes; what is escaped has three at most. */
static unsigned code_point(const char *character, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)character;

    if (length == 1)
        return bytes[0];
    if (length == 2)
        return (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
    return (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
}

/* What a terminal would obey, or what turns the direction of text, is escaped: it stays what it is
 * and does nothing to who prints the file. */
static void print_string(struct hs_text *text, const char *string)
{
    const char *end = string + strlen(string);

    hs_text_append_bytes(text, "\"", 1);
    while (string < end) {
        size_t available = (size_t)(end - string), shown;
        size_t length = hs_utf8_length(string, available);
        unsigned char byte = (unsigned char)*string;
        const char *escape = strchr("\"\"\\\\\bb\ff\nn\rr\tt", byte);

        if (length == 0) /* a host or file name may hold anything; JSON must be UTF-8 */
            hs_text_append(text, "\xef\xbf\xbd");
        else if (byte == '"' || byte == '\\')
            hs_text_append(text, "\\%c", byte);
        else if (byte < 0x20 && escape != NULL)
            hs_text_append(text, "\\%c", escape[1]);
        else if (!hs_utf8_is_harmless(&shown, string, available))
            hs_text_append(text, "\\u%04x", code_point(string, length));
        else
            hs_text_append_bytes(text, string, length);
        string += length > 0 ? length : 1;
    }
    hs_text_append_bytes(text, "\"", 1);
}

static void new_line(struct hs_json_writer *w)
{
    if (!w->compact)
        hs_text_append(w->text, "\n%*s", 2 * w->depth, "");
}

/* What is longer than the reader takes is not written to its end. */
static void check_length(struct hs_json_writer *w)
{
    char limit[HS_UNIT_TEXT];

    if (w->status == HS_OK && w->limit > 0 && w->text->length > w->limit)
        w->status =
            hs_fail(w->err, HS_INVALID,
                    "the file would be larger than %s, and so could not be read back: ask for "
                    "fewer plans or message sizes",
                    hs_bytes_format(limit, HS_JSON_BYTES_MAX));
}

/* Whether nothing stands yet behind the bracket that was opened last: a value never ends in one. */
static bool is_empty(const struct hs_text *text)
{
    return text->length > 0 && strchr("{[", text->data[text->length - 1]);
}

/* What stands before a value. */
static void begin(struct hs_json_writer *w, const char *key)
{
    check_length(w);
    if (w->depth > 0) {
        if (!is_empty(w->text))
            hs_text_append_bytes(w->text, ",", 1);
        new_line(w);
    }
    if (key) {
        print_string(w->text, key);
        hs_text_append_bytes(w->text, ": ", w->compact ? 1 : 2);
    }
}

void hs_json_open(struct hs_json_writer *w, const char *key, char bracket)
{
    begin(w, key);
    hs_text_append_bytes(w->text, &bracket, 1);
    w->depth++;
}

void hs_json_close(struct hs_json_writer *w, char bracket)
{
    w->depth--;
    if (!is_empty(w->text))
        new_line(w);
    hs_text_append_bytes(w->text, &bracket, 1);
}

void hs_json_write_text(struct hs_json_writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    begin(w, key);
    print_string(w->text, text);
}

void hs_json_write_raw(struct hs_json_writer *w, const char *key, const char *json)
{
    begin(w, key);
    for (const char *end; (end = strchr(json, '\n')); json = end + 1) {
        hs_text_append_bytes(w->text, json, (size_t)(end - json));
        new_line(w);
    }
    hs_text_append_bytes(w->text, json, strlen(json));
}

void hs_json_write_number(struct hs_json_writer *w, const char *key, double value)
{
    char number[32];

    if (isfinite(value))
        hs_json_write_raw(w, key, hs_json_number_text(number, value));
}

void hs_json_write_whole(struct hs_json_writer *w, const char *key, uint64_t value)
{
    char digits[32];

    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    if (value <= HS_JSON_WHOLE_MAX)
        hs_json_write_raw(w, key, digits);
    else
        hs_json_write_text(w, key, digits);
}

void hs_json_write_bool(struct hs_json_writer *w, const char *key, bool value)
{
    hs_json_write_raw(w, key, value ? "true" : "false");
}

void hs_json_write_numbers(struct hs_json_writer *w, const char *key, const double *values,
                           size_t count)
{
    char number[32];

    hs_json_write_raw(w, key, "[");
    for (size_t i = 0; i < count; i++) {
        const char *digits = hs_json_number_text(number, values[i]);

        hs_text_append_bytes(w->text, ", ", i == 0 ? 0 : w->compact ? 1 : 2);
        hs_text_append_bytes(w->text, digits, strlen(digits));
    }
    hs_text_append_bytes(w->text, "]", 1);
}

enum hs_status hs_json_finish(struct hs_json_writer *w)
{
    hs_text_append_bytes(w->text, "\n", 1);
    check_length(w);
    if (w->status)
        return w->status;
    return w->text->failed ? hs_no_memory(w->err) : HS_OK;
}
