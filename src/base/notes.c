#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0))) static void say_line(struct hs_text *notes, const char *kind,
                                                           const char *format, va_list arguments)
{
    struct hs_error line;
    char text[HS_ERROR_MESSAGE_BYTES];

    if (!notes)
        return;
    vsnprintf(text, sizeof(text), format, arguments);
    hs_error_set(&line, HS_OK, "%s", text);
    hs_text_append(notes, "%s: %s\n", kind, line.message);
}

void hs_say_note(struct hs_text *notes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_line(notes, "note", format, arguments);
    va_end(arguments);
}

void hs_say_warning(struct hs_text *notes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_line(notes, "warning", format, arguments);
    va_end(arguments);
}

void hs_say_notes(struct hs_text *notes, const char *lines)
{
    struct hs_lines each = {.next = lines};

    while (hs_lines_next(&each))
        hs_say_note(notes, "%.*s", (int)each.length, each.line);
}
