/*
 * One-line messages, made safe for a terminal: text from a hostile file may be quoted in them.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Replaces by '?' what is not fit to be shown, half a character cut by "%.40s" among it. */
static void replace_unprintable(char *text)
{
    char *out = text;

    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        if (hs_utf8_is_harmless(&length, text, left)) {
            memmove(out, text, length);
            out += length;
        } else {
            *out++ = '?';
        }
    }
    *out = '\0';
}

/* Ends a cut line in "...", without leaving half a UTF-8 sequence in front of the dots. */
static void mark_cut(char message[HS_ERROR_MESSAGE_BYTES])
{
    size_t end = HS_ERROR_MESSAGE_BYTES - sizeof("...");

    while (end > 0 && ((unsigned char)message[end] & 0xc0) == 0x80)
        end--;
    memcpy(message + end, "...", sizeof("..."));
}

/* The line is made aside: arguments may point into the message that it replaces. */
__attribute__((format(printf, 2, 0))) static void fill(struct hs_error *err, const char *format,
                                                       va_list arguments)
{
    char line[HS_ERROR_MESSAGE_BYTES];
    int length = vsnprintf(line, sizeof(line), format, arguments);

    if (length < 0)
        line[0] = '\0';
    else if ((size_t)length >= sizeof(line))
        mark_cut(line);
    replace_unprintable(line);
    memcpy(err->message, line, strlen(line) + 1);
}

void hs_error_set(struct hs_error *err, enum hs_status status, const char *format, ...)
{
    va_list arguments;

    if (err != NULL) {
        err->status = status;
        va_start(arguments, format);
        fill(err, format, arguments);
        va_end(arguments);
    }
}

enum hs_status hs_error_prefix(struct hs_error *err, enum hs_status status, const char *prefix)
{
    if (err == NULL)
        return status;
    return hs_fail(err, status, "%s: %s", prefix, err->message);
}

int hs_status_exit(enum hs_status status)
{
    switch (status) {
    case HS_OK:
        return 0;
    case HS_INVALID:
    case HS_NO_FILE:
        return 2;
    case HS_WRONG:
        return 3;
    case HS_IO:
    case HS_MEMORY:
    case HS_FAILED:
        break;
    }
    return 1;
}
