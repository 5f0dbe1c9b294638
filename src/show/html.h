/*
 * html.h - text and pictures as parts of an HTML page. The page is well-formed XML too.
 */
#ifndef HS_VIEW_HTML_H
#define HS_VIEW_HTML_H

#include "base/text.h"

/* Appends text with everything escaped that means something in HTML, also within quotes; what is
 * not fit to be shown (utf8.h) becomes blanks. */
void hs_html_text(struct hs_text *out, const char *text);

/* An SVG picture of gnuplot's as an element of the page: without its XML head and outside names,
 * with `prefix` before all its ids, as large as its place allows. `label` says what it shows (for
 * readers who do not see it). */
void hs_html_svg(struct hs_text *out, const char *svg, const char *prefix, const char *label);

/* ---- pages ---- */

#define HS_HTML_VALUES 48

/* What a page is filled with: texts by name. */
struct hs_html_values {
    size_t count;
    const char *names[HS_HTML_VALUES];    /* borrowed */
    struct hs_text texts[HS_HTML_VALUES]; /* owned, until hs_html_fill */
};
/* The text of that name, empty at first, to be appended to. */
struct hs_text *hs_html_value(struct hs_html_values *values, const char *name);
/* A text that is empty or not. */
void hs_html_flag(struct hs_html_values *values, const char *name, bool set);
/* Appends the page, in which, as in Mustache, {{name}} stands for a text, {{{name}}} for one that
 * is HTML already, and what is between {{#name}} and {{/name}} is there where that text is not
 * empty. Releases the values. */
void hs_html_fill(struct hs_text *out, const char *page, struct hs_html_values *values);

#endif
