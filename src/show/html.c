#include "show/html.h"

#include <assert.h>
#include <stdio.h>
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

void hs_html_text(struct hs_text *out, const char *text)
{
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        if (!hs_utf8_is_harmless(&length, text, left))
            hs_text_append(out, " ");
        else if (entity(*text))
            hs_text_append(out, "%s", entity(*text));
        else
            hs_text_append_bytes(out, text, length);
    }
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
    hs_html_text(out, label);
    hs_text_append(out, "\" %.*s>", (int)(end + 1 - box), box);
    append_drawing(out, body + 1, prefix);
}

/* ---- pages ---- */

/* Where that text is, or would be. */
static size_t find_value(const struct hs_html_values *values, const char *name, size_t length)
{
    size_t i = 0;

    while (i < values->count &&
           (strncmp(values->names[i], name, length) != 0 || values->names[i][length] != '\0'))
        i++;
    return i;
}

struct hs_text *hs_html_value(struct hs_html_values *values, const char *name)
{
    size_t i = find_value(values, name, strlen(name));

    assert(i < HS_HTML_VALUES);
    if (i == values->count)
        values->names[values->count++] = name;
    return &values->texts[i];
}

void hs_html_flag(struct hs_html_values *values, const char *name, bool set)
{
    hs_text_append(hs_html_value(values, name), "%s", set ? name : "");
}

/* What {{name}} stands for; "" where nothing was said. */
static const char *value_of(const struct hs_html_values *values, const char *name, size_t length)
{
    size_t i = find_value(values, name, length);

    return i < values->count && values->texts[i].data ? values->texts[i].data : "";
}

/* Appends what stands for the tag between {{ and }}; returns where the page goes on. */
static const char *append_tag(struct hs_text *out, const char *tag,
                              const struct hs_html_values *values)
{
    const char *end = strstr(tag, "}}");
    size_t length = (size_t)(end - tag);
    char close[64];

    if (tag[0] == '{') {
        hs_text_append(out, "%s", value_of(values, tag + 1, length - 1));
        return end + 3;
    }
    if (tag[0] == '#' && value_of(values, tag + 1, length - 1)[0] == '\0') {
        snprintf(close, sizeof(close), "{{/%.*s}}", (int)length - 1, tag + 1);
        return strstr(end, close) + strlen(close);
    }
    if (tag[0] != '#' && tag[0] != '/')
        hs_html_text(out, value_of(values, tag, length));
    return end + 2;
}

void hs_html_fill(struct hs_text *out, const char *page, struct hs_html_values *values)
{
    for (const char *tag; (tag = strstr(page, "{{"));) {
        hs_text_append_bytes(out, page, (size_t)(tag - page));
        page = append_tag(out, tag + 2, values);
    }
    hs_text_append(out, "%s", page);
    for (size_t i = 0; i < values->count; i++) {
        out->failed = out->failed || values->texts[i].failed;
        hs_text_release(&values->texts[i]);
    }
}
