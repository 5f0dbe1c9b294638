/*
 * sheet.h - what a command prints: lines for people with tables between, in the format that was
 * asked for. The command says it once; the format decides what becomes of it.
 *
 *     text   lines as they are, aligned tables
 *     md     lines as paragraphs, Markdown tables
 *     csv    the tables alone: a line of keys, a line per record; tables of one kind go on under
 *            one line of keys, those of different kinds have an empty line between
 *     json   the tables alone: an object with a list of records per kind
 */
#ifndef HS_VIEW_SHEET_H
#define HS_VIEW_SHEET_H

#include <stdarg.h>

#include "base/format.h"
#include "show/table.h"
#include "show/terminal.h"

/* The terminal with colors as they were asked for, none in formats that have none, and columns. */
struct hs_terminal hs_print_terminal(const struct hs_print *print,
                                     const struct hs_terminal *terminal);

/* Lines of a default answer, on a terminal of HS_TERMINAL_WIDTH columns or more. */
#define HS_ANSWER_LINES 14

struct hs_sheet {
    enum hs_format format;
    struct hs_terminal terminal; /* with colors as they were asked for */
    struct hs_text *out;         /* borrowed */
    struct hs_text lines;        /* owned; said since the last table */
    const char *last;            /* name of the last table's records; NULL: none yet */
};

void hs_sheet_begin(struct hs_sheet *sheet, struct hs_text *out, const struct hs_print *print,
                    const struct hs_terminal *terminal);
/* Whether the format is one for people, who read what is said, too. */
bool hs_sheet_is_read(const struct hs_sheet *sheet);
/* Text for people, of one or more lines; what is not fit to be shown becomes '?'. */
void hs_sheet_say(struct hs_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Breaks prose at blanks where the terminal ends; it goes on behind two blanks. In text alone:
 * other formats are broken by what shows them. */
void hs_sheet_break(const struct hs_sheet *sheet, struct hs_text *text);
/* Appends a line of prose with its end, broken. */
void hs_sheet_append_line(const struct hs_sheet *sheet, struct hs_text *out, const char *format,
                          va_list arguments) __attribute__((format(printf, 3, 0)));
/* Says one. Commands are said whole. */
void hs_sheet_line(struct hs_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same in bold. */
void hs_sheet_stress(struct hs_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How many lines text takes on the terminal, which breaks commands. */
size_t hs_sheet_lines(const struct hs_sheet *sheet, const struct hs_text *text);
/* Prints the table and releases it. Returns how long its bars can be (render.h); 0: none. */
size_t hs_sheet_table(struct hs_sheet *sheet, struct hs_table *table);
/* Prints what was said last, and releases it. HS_MEMORY. */
enum hs_status hs_sheet_end(struct hs_sheet *sheet, struct hs_error *err);

#endif
