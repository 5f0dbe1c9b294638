/*
 * render.h - a table (table.h) as text of one of these formats.
 *
 * People (text, Markdown, pages) see the picked columns under their headings; programs (CSV,
 * JSON) get every column that has a key, with SI numbers of all their digits, and no totals. Where
 * memory runs out, `out->failed` says so.
 */
#ifndef HS_VIEW_RENDER_H
#define HS_VIEW_RENDER_H

#include "show/table.h"
#include "show/terminal.h"

/* Aligned: a column is as wide as its widest cell, two blanks lie between columns, no line ends in
 * blanks. Where a terminal is too narrow, the columns come in several tables below each other, each
 * with the first column. Bars, which are the last column, have the room that is left, 40 columns at
 * most, and there are none where that is less than 12. Returned is their longest length, or 0. */
size_t hs_table_text(struct hs_text *out, const struct hs_table *table,
                     const struct hs_terminal *terminal);
/* With an empty line before and behind it. */
void hs_table_markdown(struct hs_text *out, const struct hs_table *table);
/* Well-formed XML too, in a box that scrolls. */
void hs_table_html(struct hs_text *out, const struct hs_table *table, const char *caption);
/* Keys (where `header`) and values between commas, as RFC 4180 wants it. */
void hs_table_csv(struct hs_text *out, const struct hs_table *table, bool header);
/* Objects with commas between, each on a line of its own that is indented as in a list of a
 * document; what has no value is not in its object. */
void hs_table_json(struct hs_text *out, const struct hs_table *table);

#endif
