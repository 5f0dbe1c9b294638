#include "show/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

struct hs_value hs_value_number(double number)
{
    return (struct hs_value){.number = number};
}

struct hs_value hs_value_count(int64_t count)
{
    return hs_value_number((double)count);
}

struct hs_value hs_value_whole(uint64_t whole)
{
    return hs_value_number((double)whole);
}

struct hs_value hs_value_text(const char *text)
{
    return hs_value_marked(text, NULL);
}

struct hs_value hs_value_marked(const char *text, const char *mark)
{
    return (struct hs_value){.number = NAN, .text = text, .mark = mark};
}

struct hs_value hs_value_bar(const double *parts, int count)
{
    return (struct hs_value){.number = NAN, .parts = parts, .part_count = count};
}

struct hs_value hs_value_range(const double range[2])
{
    return hs_value_bar(range, isfinite(range[0]) ? 2 : 0);
}

struct hs_value hs_value_itself(struct hs_value value)
{
    return value;
}

double hs_or_dash(double number)
{
    return isfinite(number) ? number : (double)INFINITY;
}

/* ---- tables ---- */

void hs_table_init(struct hs_table *table, const char *name, const struct hs_column *columns,
                   size_t count)
{
    assert(count <= HS_TABLE_COLUMNS);
    *table = (struct hs_table){
        .name = name, .columns = columns, .column_count = count, .best = SIZE_MAX};
}

static struct hs_cell *cell_of(const struct hs_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

void hs_table_row(struct hs_table *table)
{
    size_t needed = (table->row_count + 1) * table->column_count;

    if (table->failed)
        return;
    if (needed > table->capacity) {
        struct hs_cell *cells = realloc(table->cells, needed * 2 * sizeof(*cells));

        table->failed = !cells;
        if (!cells)
            return;
        table->cells = cells;
        table->capacity = needed * 2;
    }
    for (size_t c = 0; c < table->column_count; c++)
        *cell_of(table, table->row_count, c) = (struct hs_cell){.number = NAN};
    table->row_count++;
}

void hs_table_put(struct hs_table *table, size_t column, struct hs_value value)
{
    struct hs_cell *cell;
    size_t bytes = (size_t)value.part_count * sizeof(double);

    if (table->failed)
        return;
    cell = cell_of(table, table->row_count - 1, column);
    cell->number = value.number;
    cell->mark = value.mark;
    cell->part_count = value.part_count;
    if (value.text)
        cell->text = hs_strdup(value.text);
    else if (bytes > 0 && (cell->text = malloc(bytes)))
        memcpy(cell->text, value.parts, bytes);
    table->failed = (value.text || bytes > 0) && !cell->text;
}

void hs_table_release(struct hs_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->cells[i].text);
    free(table->cells);
    *table = (struct hs_table){.row_count = 0};
}

bool hs_table_is_empty(const struct hs_table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const struct hs_cell *cell = cell_of(table, row, column);

        if (cell->text || !isnan(cell->number))
            return false;
    }
    return true;
}

/* ---- what people see ---- */

static const char *format_number(char text[HS_FIGURE_TEXT], enum hs_show show, double number,
                                 const struct hs_time_unit *unit)
{
    switch (show) {
    case HS_SHOW_COUNT:
        snprintf(text, HS_FIGURE_TEXT, "%.0f", number);
        break;
    case HS_SHOW_BYTES:
        return hs_bytes_format(text, (uint64_t)number);
    case HS_SHOW_SIZE:
        return hs_bytes_figure(text, number);
    case HS_SHOW_TIME:
        return hs_seconds_format(text, number);
    case HS_SHOW_SCALED:
        return unit ? hs_time_figure(text, number, unit) : hs_seconds_format(text, number);
    case HS_SHOW_RATE:
        return hs_bandwidth_format(text, number);
    case HS_SHOW_GIGABYTES:
        return hs_gigabytes_figure(text, number);
    case HS_SHOW_RING:
        snprintf(text, HS_FIGURE_TEXT, "%.4g", 1e-9 * number);
        break;
    case HS_SHOW_RATIO:
        return hs_ratio_figure(text, number, 1);
    case HS_SHOW_PERCENT:
    case HS_SHOW_PERCENT2:
        return hs_percent_figure(text, number, show == HS_SHOW_PERCENT ? 1 : 2);
    case HS_SHOW_ERROR:
    case HS_SHOW_ERROR2:
        return hs_error_figure(text, number, show == HS_SHOW_ERROR ? 1 : 2);
    case HS_SHOW_TAU:
        snprintf(text, HS_FIGURE_TEXT, "%.2f", number);
        break;
    case HS_SHOW_TEXT:
    case HS_SHOW_FIGURE:
    case HS_SHOW_RANGE:
    case HS_SHOW_BAR:
        return "";
    }
    return text;
}

static const char *format_range(char text[HS_UNIT_TEXT], const struct hs_cell *cell,
                                const struct hs_time_unit *unit)
{
    double range[2];

    memcpy(range, cell->text, sizeof(range));
    return unit ? hs_seconds_range_in(text, range[0], range[1], unit->seconds)
                : hs_seconds_range_format(text, range[0], range[1]);
}

void hs_cell_show(struct hs_text *out, const struct hs_table *table, size_t row, size_t column,
                  bool page)
{
    const struct hs_cell *cell = cell_of(table, row, column);
    enum hs_show show = table->columns[column].show;

    if (cell->text && show == HS_SHOW_RANGE)
        hs_text_append(out, "%s",
                       format_range((char[HS_UNIT_TEXT]){0}, cell, page ? NULL : &table->unit));
    else if (cell->text && show != HS_SHOW_BAR)
        hs_text_append_foreign(out, cell->text, "?");
    else if (isinf(cell->number))
        hs_text_append(out, "-");
    else if (!isnan(cell->number))
        hs_text_append(out, "%s",
                       format_number((char[HS_FIGURE_TEXT]){0}, show, cell->number,
                                     page ? NULL : &table->unit));
    hs_text_append(out, "%s", cell->mark ? cell->mark : "");
}
