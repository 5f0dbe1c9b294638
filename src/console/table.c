#include "console/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP             2
#define LAST_COLUMN_MIN 8

void hs_table_column(struct hs_table *table, const char *heading, bool right)
{
    assert(table->row_count == 0 && table->column_count < HS_TABLE_COLUMNS);
    table->columns[table->column_count++] = (struct hs_table_column){heading, right};
}

void hs_table_row(struct hs_table *table)
{
    size_t needed = (table->row_count + 1) * table->column_count;

    if (table->failed)
        return;
    if (needed > table->capacity) {
        size_t capacity = needed * 2;
        char **cells = realloc(table->cells, capacity * sizeof(*cells));

        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    for (size_t c = 0; c < table->column_count; c++)
        table->cells[table->row_count * table->column_count + c] = NULL;
    table->row_count++;
}

void hs_table_cell(struct hs_table *table, size_t column, const char *format, ...)
{
    char **cell, *added, *joined;
    va_list arguments;
    int length;

    if (table->failed)
        return;
    assert(table->row_count > 0 && column < table->column_count);
    cell = &table->cells[(table->row_count - 1) * table->column_count + column];
    va_start(arguments, format);
    length = vasprintf(&added, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    if (*cell) {
        table->failed = asprintf(&joined, "%s%s", *cell, added) < 0;
        free(added);
        if (table->failed)
            return;
        free(*cell);
        added = joined;
    }
    *cell = added;
}

/* Shortens UTF-8 text to `columns` >= 3 columns, the last three of them dots. */
static void cut_text(char *text, size_t columns)
{
    size_t taken = 0;
    char *at = text;

    if (hs_text_columns(text) <= columns)
        return;
    for (; taken < columns - 3 || ((unsigned char)*at & 0xC0) == 0x80; at++)
        taken += ((unsigned char)at[0] & 0xC0) != 0x80;
    memcpy(at, "...", sizeof("...")); /* three characters or more follow, each a byte at least */
}

void hs_table_cut(struct hs_table *table, size_t width)
{
    size_t last = table->column_count - 1;
    size_t others = hs_table_width(table) - hs_table_column_width(table, last);
    size_t columns = width > others + LAST_COLUMN_MIN ? width - others : LAST_COLUMN_MIN;

    for (size_t r = 0; r < table->row_count && !table->failed; r++)
        if (table->cells[r * table->column_count + last])
            cut_text(table->cells[r * table->column_count + last], columns);
}

static const char *cell_text(const struct hs_table *table, size_t row, size_t column)
{
    const char *text = table->cells[row * table->column_count + column];

    return text ? text : "";
}

size_t hs_table_column_width(const struct hs_table *table, size_t column)
{
    size_t width = hs_text_columns(table->columns[column].heading);

    for (size_t r = 0; r < table->row_count; r++) {
        size_t columns = hs_text_columns(cell_text(table, r, column));

        width = columns > width ? columns : width;
    }
    return width;
}

size_t hs_table_width(const struct hs_table *table)
{
    size_t width = 0;

    for (size_t c = 0; c < table->column_count; c++)
        width += hs_table_column_width(table, c) + (c ? GAP : 0);
    return width;
}

/* Blanks are held back until something follows them. */
static void append_cell(struct hs_text *out, size_t *blanks, const char *text, size_t width,
                        bool right)
{
    size_t padding = width - hs_text_columns(text);

    if (right)
        *blanks += padding;
    if (text[0]) {
        hs_text_append(out, "%*s%s", (int)*blanks, "", text);
        *blanks = 0;
    } else {
        *blanks += width - padding;
    }
    if (!right)
        *blanks += padding;
}

/* Heading and rows of the first column and those from `begin` to before `end`. */
static void print_columns(struct hs_text *out, const struct hs_table *table, const size_t *widths,
                          size_t begin, size_t end, const struct hs_terminal *terminal)
{
    for (size_t line = 0; line <= table->row_count; line++) {
        size_t blanks = 0;

        hs_text_append(out, "%s", line == 0 ? hs_style_on(terminal, HS_STYLE_DIM, 0) : "");
        for (size_t c = 0; c < end; c = c == 0 && begin > 1 ? begin : c + 1, blanks += GAP)
            append_cell(out, &blanks,
                        line == 0 ? table->columns[c].heading : cell_text(table, line - 1, c),
                        widths[c], table->columns[c].right);
        hs_text_append(out, "%s\n", line == 0 ? hs_style_off(terminal) : "");
    }
}

/* The first column that does not fit any more beside the first one and those from `begin` on. */
static size_t fitting_end(const struct hs_table *table, const size_t *widths, size_t begin,
                          size_t width)
{
    size_t end = begin, taken = widths[0];

    while (end < table->column_count && (end == begin || taken + GAP + widths[end] <= width))
        taken += GAP + widths[end++];
    return end;
}

void hs_table_print(struct hs_text *out, const struct hs_table *table,
                    const struct hs_terminal *terminal)
{
    size_t widths[HS_TABLE_COLUMNS], width = SIZE_MAX;

    if (table->failed) {
        out->failed = true;
        return;
    }
    for (size_t c = 0; c < table->column_count; c++)
        widths[c] = hs_table_column_width(table, c);
    if (terminal->is_terminal)
        width = (size_t)terminal->width;
    if (table->column_count < 3 || hs_table_width(table) <= width) {
        print_columns(out, table, widths, 1, table->column_count, terminal);
        return;
    }
    for (size_t begin = 1, end; begin < table->column_count; begin = end) {
        end = fitting_end(table, widths, begin, width);
        print_columns(out, table, widths, begin, end, terminal);
        hs_text_append(out, "%s", end < table->column_count ? "\n" : "");
    }
}

void hs_table_release(struct hs_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->cells[i]);
    free(table->cells);
    memset(table, 0, sizeof(*table));
}

const char *hs_bar_shade(const struct hs_terminal *terminal, int layer)
{
    static const char *const blocks[] = {"\u2588", "\u2592", "\u2593", "\u2591"};
    static const char *const ascii[] = {"#", "=", "+", "-"};
    size_t shade = (size_t)layer % 4;

    return terminal->blocks ? blocks[shade] : ascii[shade];
}

void hs_bar_append(struct hs_text *out, const struct hs_terminal *terminal, const double *parts,
                   size_t count, double full, size_t cells)
{
    double sum = 0;
    long drawn = 0;

    for (size_t i = 0; i < count && full > 0; i++) {
        long end;

        sum += parts[i];
        end = lround(fmin(sum / full, 2) * (double)cells);
        if (end > (long)cells)
            end = (long)cells - 1;
        if (end <= drawn)
            continue;
        hs_text_append(out, "%s", hs_style_on(terminal, HS_STYLE_LAYER, (int)i));
        for (; drawn < end; drawn++)
            hs_text_append(out, "%s", hs_bar_shade(terminal, (int)i));
        hs_text_append(out, "%s", hs_style_off(terminal));
    }
    if (full > 0 && lround(fmin(sum / full, 2) * (double)cells) > (long)cells)
        hs_text_append(out, ">");
}
