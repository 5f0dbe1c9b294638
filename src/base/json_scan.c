/*
 * The strict scanner: recursive descent over RFC 8259, building nothing.
 *
 * cJSON accepts more than the RFC (text behind the value, control characters in strings, "01", a
 * byte order mark) and says only that something was wrong. So the text is checked here, and cJSON
 * gets what is known to be good.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/utf8.h"

struct scanner {
    const char *name, *text;
    size_t length, at;
    int depth;
    struct hs_error *err;
};

/* ---- complaints ---- */

static enum hs_status complain(const struct scanner *scan, size_t at, const char *what)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at; i++) {
        if (scan->text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)scan->text[i] & 0xc0) != 0x80) {
            column++; /* continuation bytes of UTF-8 are no columns */
        }
    }
    return hs_fail(scan->err, HS_INVALID, "%s:%zu:%zu: %s", scan->name, line, column, what);
}

/* "expected <what>, found <the character at `at`>" */
static enum hs_status expected(const struct scanner *scan, size_t at, const char *what)
{
    const char *here = scan->text + at;
    unsigned char byte = at < scan->length ? (unsigned char)*here : 0;
    size_t length = hs_utf8_length(here, scan->length - at);
    char message[192];

    if (at >= scan->length)
        snprintf(message, sizeof(message), "expected %s, found the end of the text", what);
    else if (byte == '\n' || byte == '\r')
        snprintf(message, sizeof(message), "expected %s, found the end of the line", what);
    else if (length == 0 || byte < 0x20 || byte == 0x7f)
        snprintf(message, sizeof(message), "expected %s, found byte 0x%02x", what, byte);
    else
        snprintf(message, sizeof(message), "expected %s, found '%.*s'", what, (int)length, here);
    return complain(scan, at, message);
}

/* ---- pieces ---- */

static int peek(const struct scanner *scan)
{
    return scan->at < scan->length ? (unsigned char)scan->text[scan->at] : -1;
}

static void skip_blanks(struct scanner *scan)
{
    while (scan->at < scan->length && strchr(" \t\n\r", scan->text[scan->at]) != NULL &&
           scan->text[scan->at] != '\0')
        scan->at++;
}

static bool skip(struct scanner *scan, char wanted)
{
    if (peek(scan) != (unsigned char)wanted)
        return false;
    scan->at++;
    return true;
}

static bool skip_digits(struct scanner *scan)
{
    size_t start = scan->at;

    while (peek(scan) >= '0' && peek(scan) <= '9')
        scan->at++;
    return scan->at > start;
}

static enum hs_status scan_word(struct scanner *scan, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (!skip(scan, word[i])) {
            char what[16];

            snprintf(what, sizeof(what), "\"%s\"", word);
            return expected(scan, scan->at, what);
        }
    }
    return HS_OK;
}

/* The value must be a double: neither beyond the largest, nor a non-zero number that would become
 * 0. */
static enum hs_status check_number(const struct scanner *scan, size_t start)
{
    size_t length = scan->at - start;
    char digits[HS_JSON_NUMBER_MAX + 1];
    double value;

    if (length > HS_JSON_NUMBER_MAX)
        return complain(scan, start, "number too long, expected at most 63 characters");
    memcpy(digits, scan->text + start, length);
    digits[length] = '\0';
    value = strtod(digits, NULL);
    if (!isfinite(value))
        return complain(scan, start, "number too large, expected at most 1.7976931348623157e308");
    digits[strcspn(digits, "eE")] = '\0';
    if (value == 0 && strpbrk(digits, "123456789") != NULL)
        return complain(scan, start, "number too small, expected 0 or at least 4.9e-324");
    return HS_OK;
}

static enum hs_status scan_number(struct scanner *scan)
{
    size_t start = scan->at;

    skip(scan, '-');
    if (skip(scan, '0')) {
        if (peek(scan) >= '0' && peek(scan) <= '9')
            return complain(scan, start, "expected a number without leading zeros");
    } else if (!skip_digits(scan)) {
        return expected(scan, scan->at, "a digit");
    }
    if (skip(scan, '.') && !skip_digits(scan))
        return expected(scan, scan->at, "a digit after the decimal point");
    if (skip(scan, 'e') || skip(scan, 'E')) {
        if (!skip(scan, '+'))
            skip(scan, '-');
        if (!skip_digits(scan))
            return expected(scan, scan->at, "a digit in the exponent");
    }
    return check_number(scan, start);
}

/* ---- strings ---- */

/* Four hexadecimal digits behind "\u". */
static enum hs_status scan_code_unit(struct scanner *scan, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        static const char hex[] = "0123456789abcdef";
        int c = peek(scan);
        const char *digit = c > 0 ? strchr(hex, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

        if (digit == NULL)
            return expected(scan, scan->at, "four hexadecimal digits after \\u");
        *unit = *unit * 16 + (unsigned)(digit - hex);
        scan->at++;
    }
    return HS_OK;
}

/* "\uXXXX", or the pair that UTF-16 needs beyond U+FFFF; `start` is where its backslash stands. */
static enum hs_status scan_unicode(struct scanner *scan, size_t start)
{
    unsigned unit, second = 0;

    if (scan_code_unit(scan, &unit))
        return HS_INVALID;
    if (unit == 0)
        return complain(scan, start, "\\u0000 is not accepted in a string");
    if (unit < 0xd800 || unit > 0xdfff)
        return HS_OK;
    if (unit >= 0xdc00 || !skip(scan, '\\') || !skip(scan, 'u'))
        return complain(scan, start, "expected a surrogate pair, found one half of it");
    if (scan_code_unit(scan, &second))
        return HS_INVALID;
    if (second < 0xdc00 || second > 0xdfff)
        return complain(scan, start, "expected a surrogate pair, found one half of it");
    return HS_OK;
}

static enum hs_status scan_escape(struct scanner *scan)
{
    size_t start = scan->at++;
    int c = peek(scan);

    if (c <= 0 || strchr("\"\\/bfnrtu", c) == NULL)
        return expected(scan, scan->at, "one of \"\\/bfnrtu after a backslash");
    scan->at++;
    return c == 'u' ? scan_unicode(scan, start) : HS_OK;
}

static enum hs_status scan_string(struct scanner *scan)
{
    scan->at++;
    while (!skip(scan, '"')) {
        int c = peek(scan);

        if (c < 0x20) /* the end of the text, too */
            return expected(scan, scan->at, "'\"' at the end of the string");
        if (c == '\\') {
            if (scan_escape(scan))
                return HS_INVALID;
        } else {
            size_t length = hs_utf8_length(scan->text + scan->at, scan->length - scan->at);

            if (length == 0)
                return expected(scan, scan->at, "UTF-8 in the string");
            scan->at += length;
        }
    }
    return HS_OK;
}

/* ---- values ---- */

static enum hs_status scan_value(struct scanner *scan);

static enum hs_status scan_member(struct scanner *scan)
{
    skip_blanks(scan);
    if (peek(scan) != '"')
        return expected(scan, scan->at, "a key in double quotes");
    if (scan_string(scan))
        return HS_INVALID;
    skip_blanks(scan);
    if (!skip(scan, ':'))
        return expected(scan, scan->at, "':' after a key");
    return scan_value(scan);
}

/* An array or an object, from its opening bracket to its closing one. */
static enum hs_status scan_container(struct scanner *scan)
{
    bool object = peek(scan) == '{';
    char end = object ? '}' : ']';

    if (scan->depth == HS_JSON_DEPTH)
        return complain(scan, scan->at, "nested too deeply, expected at most 64 levels");
    scan->depth++;
    scan->at++;
    skip_blanks(scan);
    if (!skip(scan, end)) {
        do {
            if (object ? scan_member(scan) : scan_value(scan))
                return HS_INVALID;
            skip_blanks(scan);
        } while (skip(scan, ','));
        if (!skip(scan, end))
            return expected(scan, scan->at,
                            object ? "',' or '}' after a value" : "',' or ']' after a value");
    }
    scan->depth--;
    return HS_OK;
}

static enum hs_status scan_value(struct scanner *scan)
{
    skip_blanks(scan);
    switch (peek(scan)) {
    case '{':
    case '[':
        return scan_container(scan);
    case '"':
        return scan_string(scan);
    case 't':
        return scan_word(scan, "true");
    case 'f':
        return scan_word(scan, "false");
    case 'n':
        return scan_word(scan, "null");
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return scan_number(scan);
    default:
        return expected(scan, scan->at, "a value");
    }
}

enum hs_status hs_json_scan(const char *name, const char *text, size_t length, struct hs_error *err)
{
    struct scanner scan = {.name = name, .text = text, .length = length, .err = err};

    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return complain(&scan, 0, "expected a value, found a byte order mark");
    if (scan_value(&scan))
        return HS_INVALID;
    skip_blanks(&scan);
    if (scan.at < scan.length)
        return expected(&scan, scan.at, "the end of the text after the value");
    return HS_OK;
}
