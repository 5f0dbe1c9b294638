/*
 * html.h - text and pictures as parts of an HTML page. The page is well-formed XML too.
 */
#ifndef HS_PLOT_HTML_H
#define HS_PLOT_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Appends formatted text with everything escaped that means something in HTML, also within quotes;
 * control characters and what is no UTF-8 become blanks. */
void hs_html_text(struct hs_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table row's cell: <td> or, where `number`, <td class="n">. Escaped. */
void hs_html_cell(struct hs_text *out, bool number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A heading row: `headings` are separated by '|'; one that begins with '#' stands over numbers. The
 * table is open afterwards; close it by hs_html_table_end. */
void hs_html_table(struct hs_text *out, const char *caption, const char *headings);
void hs_html_table_end(struct hs_text *out);

/* An SVG picture of gnuplot's as an element of the page: without its XML head and outside names,
 * with `prefix` before all its ids, as large as its place allows. `label` says what it shows (for
 * readers who do not see it). */
void hs_html_svg(struct hs_text *out, const char *svg, const char *prefix, const char *label);

#endif
