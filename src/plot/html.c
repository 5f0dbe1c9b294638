#include "plot/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void append_escaped(struct hs_text *out, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t length = hs_utf8_length(text, left);
        const char *escaped = entity(*text);

        if (length == 0 || (unsigned char)*text < 0x20 || *text == 0x7f)
            hs_text_append(out, " ");
        else if (escaped)
            hs_text_append(out, "%s", escaped);
        else
            hs_text_append_bytes(out, text, length);
        text += length ? length : 1;
        left -= length ? length : 1;
    }
}

static void append_formatted(struct hs_text *out, const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) < 0) {
        out->failed = true;
        return;
    }
    append_escaped(out, text);
    free(text);
}

void hs_html_text(struct hs_text *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append_formatted(out, format, arguments);
    va_end(arguments);
}

/* ---- tables ---- */

void hs_html_cell(struct hs_text *out, bool number, const char *format, ...)
{
    va_list arguments;

    hs_text_append(out, number ? "<td class=\"n\">" : "<td>");
    va_start(arguments, format);
    append_formatted(out, format, arguments);
    va_end(arguments);
    hs_text_append(out, "</td>");
}

void hs_html_table(struct hs_text *out, const char *caption, const char *headings)
{
    hs_text_append(out, "<div class=\"scroll\"><table>\n<caption>");
    append_escaped(out, caption);
    hs_text_append(out, "</caption>\n<thead><tr>");
    while (*headings) {
        size_t length = strcspn(headings, "|");
        bool number = *headings == '#';

        hs_text_append(out, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "",
                       (int)length - number, headings + number);
        headings += length + (headings[length] == '|');
    }
    hs_text_append(out, "</tr></thead>\n<tbody>\n");
}

void hs_html_table_end(struct hs_text *out)
{
    hs_text_append(out, "</tbody></table></div>\n");
}

/* ---- pictures ---- */

/* What stands before an id, and what the page has there instead. gnuplot writes the ids that are
 * referred to in single quotes; groups have ids in double quotes, some of them twice: those become
 * data. */
static const char *const id_marks[][2] = {{"xlink:href='#", "href='#"},
                                          {" id='", " id='"},
                                          {" id = '", " id='"},
                                          {" id=\"", " data-part=\""},
                                          {"url(#", "url(#"}};
#define MARK_COUNT (sizeof(id_marks) / sizeof(id_marks[0]))

static void append_drawing(struct hs_text *out, const char *svg, const char *prefix)
{
    while (*svg) {
        size_t i = 0;

        while (i < MARK_COUNT && strncmp(svg, id_marks[i][0], strlen(id_marks[i][0])) != 0)
            i++;
        if (i < MARK_COUNT) {
            hs_text_append(out, "%s%s-", id_marks[i][1], prefix);
            svg += strlen(id_marks[i][0]);
        } else {
            hs_text_append_bytes(out, svg++, 1);
        }
    }
}

void hs_html_svg(struct hs_text *out, const char *svg, const char *prefix, const char *label)
{
    const char *start = strstr(svg, "<svg"), *box = start ? strstr(start, "viewBox=\"") : NULL;
    const char *body = start ? strchr(start, '>') : NULL, *end = box ? strchr(box + 9, '"') : NULL;

    if (!body || !end || end > body)
        return;
    hs_text_append(out, "<svg role=\"img\" aria-label=\"");
    append_escaped(out, label);
    hs_text_append(out, "\" %.*s>", (int)(end + 1 - box), box);
    append_drawing(out, body + 1, prefix);
}
