/*
 * table.h - aligned tables, and bars stacked from layers.
 *
 * Cells are text, ready for people; units stand in the headings. A column is as wide as its widest
 * cell, two blanks lie between columns, and no line ends in blanks.
 */
#ifndef HS_CLI_TABLE_H
#define HS_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "console/terminal.h"

#define HS_TABLE_COLUMNS 64

/* {0} is an empty table. */
struct hs_table {
    size_t column_count, row_count;
    struct hs_table_column {
        const char *heading; /* not owned */
        bool right;          /* numbers */
    } columns[HS_TABLE_COLUMNS];
    char **cells; /* [row_count * column_count] owned; NULL shows as empty */
    size_t capacity;
    bool failed; /* out of memory: remembered, said by hs_table_print */
};

/* Columns first; no more once a row is there. */
void hs_table_column(struct hs_table *table, const char *heading, bool right);
/* Begins a new row of empty cells. */
void hs_table_row(struct hs_table *table);
/* Writes a cell of the last row; appends to what it holds. */
void hs_table_cell(struct hs_table *table, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Columns that the table takes when printed. */
size_t hs_table_width(const struct hs_table *table);
/* Width of one column, heading included. */
size_t hs_table_column_width(const struct hs_table *table, size_t column);
/* Cuts the cells of the last column, with "..." at the end, so that the table takes at most `width`
 * columns (the last column is left 8 at least). Not for cells with escape sequences. */
void hs_table_cut(struct hs_table *table, size_t width);
/* Appends heading and rows. On a terminal that is too narrow, the columns come in several tables
 * below each other, each with the first column. `out->failed` is set where memory ran out. */
void hs_table_print(struct hs_text *out, const struct hs_table *table,
                    const struct hs_terminal *terminal);
void hs_table_release(struct hs_table *table);

/* Appends a bar of parts, `cells` columns long where the parts add up to `full`. Each part's end is
 * rounded on its own, so the bar's length is right to half a column however many parts there are. A
 * bar for more than `full` is cut and ends in '>'. */
void hs_bar_append(struct hs_text *out, const struct hs_terminal *terminal, const double *parts,
                   size_t count, double full, size_t cells);
/* The character of layer i in such bars (block characters or ASCII); four shades, then again. */
const char *hs_bar_shade(const struct hs_terminal *terminal, int layer);

#endif
