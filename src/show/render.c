#include "show/render.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_parts.h"
#include "show/bar.h"
#include "show/html.h"

#define GAP             2 /* blanks between columns */
#define BAR_MIN         12
#define BAR_MAX         40
#define LAST_COLUMN_MIN 8 /* that cutting leaves */

/* ---- what people see of a table ---- */

/* Row 0 has the headings, row r + 1 the table's row r. */
struct grid {
    const struct hs_table *table;
    size_t columns[HS_TABLE_COLUMNS]; /* [column_count] of the table */
    const char *headings[HS_TABLE_COLUMNS];
    size_t column_count;
    struct hs_text arena; /* owned; all texts, each with its NUL */
    size_t *places;       /* [(row_count + 1) * column_count] owned; in the arena */
};

static const char *text_at(const struct grid *grid, size_t row, size_t column)
{
    return grid->arena.data + grid->places[row * grid->column_count + column];
}

static const struct hs_column *column_at(const struct grid *grid, size_t column)
{
    return &grid->table->columns[grid->columns[column]];
}

static void choose_columns(struct grid *grid, bool bars)
{
    const struct hs_table *table = grid->table;
    const struct hs_pick *picks = table->picks.count > 0 ? table->picks.list : NULL;
    size_t count = picks ? table->picks.count : table->column_count;

    for (size_t i = 0; i < count; i++) {
        size_t c = picks ? picks[i].column : i;
        const struct hs_column *column = &table->columns[c];
        const char *heading = picks && picks[i].heading ? picks[i].heading : column->heading;

        if (!heading || (column->show == HS_SHOW_BAR && !bars) ||
            (column->when == HS_IF_ANY && hs_table_is_empty(table, c)))
            continue;
        grid->columns[grid->column_count] = c;
        grid->headings[grid->column_count++] = heading;
    }
}

static void append_heading(struct grid *grid, size_t column, bool page)
{
    const char *heading = grid->headings[column], *unit = column_at(grid, column)->unit;

    hs_text_append(&grid->arena, "%s", heading);
    if (unit && strcmp(unit, HS_TABLE_UNIT) == 0)
        unit = page ? NULL : grid->table->unit.name;
    if (unit)
        hs_text_append(&grid->arena, "%s%s", heading[0] ? " " : "", unit);
}

enum purpose { FOR_TERMINAL, FOR_MARKDOWN, FOR_PAGE };

/* False, and out->failed, where memory ran out. */
static bool grid_init(struct grid *grid, struct hs_text *out, const struct hs_table *table,
                      enum purpose purpose)
{
    size_t place = 0;

    *grid = (struct grid){.table = table};
    choose_columns(grid, purpose == FOR_TERMINAL);
    grid->places =
        malloc(((table->row_count + 1) * grid->column_count + 1) * sizeof(*grid->places));
    for (size_t row = 0; grid->places && row <= table->row_count; row++)
        for (size_t c = 0; c < grid->column_count; c++) {
            grid->places[place++] = grid->arena.length;
            if (row == 0)
                append_heading(grid, c, purpose == FOR_PAGE);
            else
                hs_cell_show(&grid->arena, table, row - 1, grid->columns[c], purpose == FOR_PAGE);
            hs_text_append_bytes(&grid->arena, "", 1);
        }
    if (table->failed || !grid->places || grid->arena.failed)
        out->failed = true;
    return !out->failed;
}

static void grid_release(struct grid *grid)
{
    hs_text_release(&grid->arena);
    free(grid->places);
}

/* ---- text ---- */

/* A table as it is laid out. */
struct layout {
    const struct grid *grid;
    const struct hs_terminal *terminal;
    size_t widths[HS_TABLE_COLUMNS];
    size_t count; /* of columns that are shown: all, or all but the bars */
    size_t bar_cells;
};

static bool is_bar(const struct grid *grid, size_t column)
{
    return column_at(grid, column)->show == HS_SHOW_BAR;
}

/* Whether the column's values end in one line, not begin in one. */
static bool is_right(const struct grid *grid, size_t column)
{
    return column_at(grid, column)->show != HS_SHOW_TEXT && !is_bar(grid, column);
}

/* Of the columns from `begin` to before `end`, with the blanks between. */
static size_t width_of(const struct layout *layout, size_t begin, size_t end)
{
    size_t width = 0;

    for (size_t c = begin; c < end; c++)
        width += layout->widths[c] + (c > begin ? GAP : 0);
    return width;
}

static void measure_columns(struct layout *layout)
{
    const struct grid *grid = layout->grid;
    size_t width = (size_t)layout->terminal->width, last = grid->column_count - 1, others;

    for (size_t c = 0; c < grid->column_count; c++)
        for (size_t row = 0; row <= grid->table->row_count; row++) {
            size_t columns = hs_text_columns(text_at(grid, row, c));

            layout->widths[c] = columns > layout->widths[c] ? columns : layout->widths[c];
        }
    others = width_of(layout, 0, last) + GAP;
    if (is_bar(grid, last) && width >= others + BAR_MIN) {
        layout->bar_cells = width - others < BAR_MAX ? width - others : BAR_MAX;
        if (layout->widths[last] < layout->bar_cells)
            layout->widths[last] = layout->bar_cells;
    }
    if (grid->table->cut && layout->terminal->is_terminal && others + layout->widths[last] > width)
        layout->widths[last] = width > others + LAST_COLUMN_MIN ? width - others : LAST_COLUMN_MIN;
}

static void append_bar(struct hs_text *out, const struct layout *layout, size_t row, size_t column)
{
    const struct hs_table *table = layout->grid->table;
    const struct hs_cell *cell =
        &table->cells[row * table->column_count + layout->grid->columns[column]];

    hs_bar_append(out, layout->terminal, (const double *)(const void *)cell->text,
                  (size_t)cell->part_count, table->bar_full, layout->bar_cells);
}

/* Text that is longer than `width` >= 3 columns ends in three dots. */
static void append_cut(struct hs_text *out, const char *text, size_t width)
{
    size_t taken = 0, bytes = 0;

    if (hs_text_columns(text) <= width) {
        hs_text_append(out, "%s", text);
        return;
    }
    for (; taken < width - 3 || ((unsigned char)text[bytes] & 0xC0) == 0x80; bytes++)
        taken += ((unsigned char)text[bytes] & 0xC0) != 0x80;
    hs_text_append(out, "%.*s...", (int)bytes, text);
}

/* Blanks are held back until something follows them. */
static void append_cell(struct hs_text *out, size_t *blanks, const struct layout *layout,
                        size_t row, size_t column)
{
    const char *text = text_at(layout->grid, row, column);
    size_t width = layout->widths[column], columns = hs_text_columns(text);
    size_t padding = width > columns ? width - columns : 0;
    bool right = is_right(layout->grid, column);

    if (row > 0 && is_bar(layout->grid, column)) {
        hs_text_append(out, "%*s", (int)*blanks, "");
        append_bar(out, layout, row - 1, column);
        return;
    }
    *blanks += right ? padding : 0;
    if (text[0]) {
        hs_text_append(out, "%*s", (int)*blanks, "");
        append_cut(out, text, width);
        *blanks = 0;
    } else {
        *blanks += width - padding;
    }
    *blanks += right ? 0 : padding;
}

/* Headings and rows of the first column and those from `begin` to before `end`. */
static void append_columns(struct hs_text *out, const struct layout *layout, size_t begin,
                           size_t end)
{
    for (size_t row = 0; row <= layout->grid->table->row_count; row++) {
        size_t blanks = 0;

        hs_text_append(out, "%s", row == 0 ? hs_style_on(layout->terminal, HS_STYLE_DIM, 0) : "");
        for (size_t c = 0; c < end; c = c == 0 && begin > 1 ? begin : c + 1, blanks += GAP)
            append_cell(out, &blanks, layout, row, c);
        hs_text_append(out, "%s\n", row == 0 ? hs_style_off(layout->terminal) : "");
    }
}

/* The first column that does not fit any more beside the first one and those from `begin` on. */
static size_t fitting_end(const struct layout *layout, size_t begin)
{
    size_t end = begin, taken = layout->widths[0];

    while (end < layout->count &&
           (end == begin || taken + GAP + layout->widths[end] <= (size_t)layout->terminal->width))
        taken += GAP + layout->widths[end++];
    return end;
}

static void append_parts(struct hs_text *out, const struct layout *layout)
{
    size_t count = layout->count;
    bool limited = layout->terminal->is_terminal || layout->grid->table->fold;

    if (!limited || count < 3 || width_of(layout, 0, count) <= (size_t)layout->terminal->width) {
        append_columns(out, layout, 1, count);
        return;
    }
    for (size_t begin = 1, end; begin < count; begin = end) {
        end = fitting_end(layout, begin);
        append_columns(out, layout, begin, end);
        hs_text_append(out, "%s", end < count ? "\n" : "");
    }
}

size_t hs_table_text(struct hs_text *out, const struct hs_table *table,
                     const struct hs_terminal *terminal)
{
    struct grid grid;
    struct layout layout = {.grid = &grid, .terminal = terminal};

    if (grid_init(&grid, out, table, FOR_TERMINAL)) {
        measure_columns(&layout);
        layout.count = grid.column_count;
        if (is_bar(&grid, layout.count - 1) && layout.bar_cells == 0)
            layout.count--;
        append_parts(out, &layout);
    }
    grid_release(&grid);
    return layout.bar_cells;
}

/* ---- Markdown ---- */

/* Appends text with a backslash before what means something to Markdown. */
static void append_markdown(struct hs_text *out, const char *text)
{
    for (; *text; text++)
        hs_text_append(out, "%s%c", strchr("\\`*_[]<>|#", *text) ? "\\" : "", *text);
}

/* Whether what follows is not part of a paragraph. */
static bool ends_in_gap(const struct hs_text *out)
{
    return out->length == 0 ||
           (out->length > 1 && strcmp(out->data + out->length - 2, "\n\n") == 0);
}

void hs_table_markdown(struct hs_text *out, const struct hs_table *table)
{
    struct grid grid;

    hs_text_append(out, "%s", ends_in_gap(out) ? "" : "\n");
    if (grid_init(&grid, out, table, FOR_MARKDOWN)) {
        for (size_t row = 0; row <= table->row_count; row++) {
            for (size_t c = 0; c < grid.column_count; c++) {
                hs_text_append(out, "%s", c ? " | " : "| ");
                append_markdown(out, text_at(&grid, row, c));
            }
            hs_text_append(out, " |\n");
            for (size_t c = 0; row == 0 && c < grid.column_count; c++)
                hs_text_append(out, "%s%s", is_right(&grid, c) ? "|---:" : "|---",
                               c + 1 == grid.column_count ? "|\n" : "");
        }
    }
    hs_text_append(out, "\n");
    grid_release(&grid);
}

/* ---- HTML ---- */

static void append_html_row(struct hs_text *out, const struct grid *grid, size_t row)
{
    for (size_t c = 0; c < grid->column_count; c++) {
        hs_text_append(out, row == 0 ? "<th scope=\"col\"%s>" : "<td%s>",
                       is_right(grid, c) ? " class=\"n\"" : "");
        hs_html_text(out, text_at(grid, row, c));
        hs_text_append(out, row == 0 ? "</th>" : "</td>");
    }
    hs_text_append(out, "</tr>%s\n", row == 0 ? "</thead>\n<tbody>" : "");
}

void hs_table_html(struct hs_text *out, const struct hs_table *table, const char *caption)
{
    struct grid grid;

    if (grid_init(&grid, out, table, FOR_PAGE)) {
        hs_text_append(out, "<div class=\"scroll\"><table>\n<caption>");
        hs_html_text(out, caption);
        hs_text_append(out, "</caption>\n<thead>");
        for (size_t row = 0; row <= table->row_count; row++) {
            hs_text_append(out, row > 0 && row - 1 == table->best ? "<tr class=\"best\">"
                                : row > 0 && row > table->row_count - table->total
                                    ? "<tr class=\"total\">"
                                    : "<tr>");
            append_html_row(out, &grid, row);
        }
        hs_text_append(out, "</tbody></table></div>\n");
    }
    grid_release(&grid);
}

/* ---- for programs ---- */

/* A cell of a column that programs get; NULL for others. */
static const struct hs_cell *cell_for_programs(const struct hs_table *table, size_t row, size_t c)
{
    if (!table->columns[c].key || table->columns[c].show == HS_SHOW_BAR)
        return NULL;
    return &table->cells[row * table->column_count + c];
}

/* As RFC 4180 quotes it. A spreadsheet computes what begins as a formula, which a file of others
 * may do: an apostrophe makes it a text. */
static void append_csv_text(struct hs_text *out, const char *text)
{
    bool computed = text[0] && strchr("=+-@\t\r", text[0]) && text[1];
    bool quoted = strpbrk(text, ",\"\r\n");

    hs_text_append(out, "%s%s", quoted ? "\"" : "", computed ? "'" : "");
    if (!quoted) {
        hs_text_append_foreign(out, text, " ");
        return;
    }
    for (; *text; text++)
        hs_text_append(out, *text == '"' ? "\"\"" : "%c", *text);
    hs_text_append(out, "\"");
}

static void append_keys(struct hs_text *out, const struct hs_table *table)
{
    const char *comma = "";

    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].key && table->columns[c].show != HS_SHOW_BAR) {
            hs_text_append(out, "%s%s", comma, table->columns[c].key);
            comma = ",";
        }
    hs_text_append(out, "\n");
}

void hs_table_csv(struct hs_text *out, const struct hs_table *table, bool header)
{
    if (header)
        append_keys(out, table);
    for (size_t row = 0; row + table->total < table->row_count; row++) {
        const char *comma = "";

        for (size_t c = 0; c < table->column_count; c++) {
            const struct hs_cell *cell = cell_for_programs(table, row, c);

            if (!cell)
                continue;
            hs_text_append(out, "%s", comma);
            comma = ",";
            if (cell->text)
                append_csv_text(out, cell->text);
            else if (isfinite(cell->number))
                hs_text_append(out, "%s", hs_json_number_text((char[32]){0}, cell->number));
        }
        hs_text_append(out, "\n");
    }
    out->failed = out->failed || table->failed;
}

/* ... */
void hs_table_json(struct hs_text *out, const struct hs_table *table)
{
    for (size_t row = 0; row + table->total < table->row_count; row++) {
        cJSON *object = cJSON_CreateObject();
        char *text;

        for (size_t c = 0; c < table->column_count; c++) {
            const struct hs_cell *cell = cell_for_programs(table, row, c);

            if (cell && cell->text)
                cJSON_AddStringToObject(object, table->columns[c].key, cell->text);
            else if (cell && isfinite(cell->number))
                cJSON_AddNumberToObject(object, table->columns[c].key, cell->number);
        }
        text = cJSON_PrintUnformatted(object);
        hs_text_append(out, "%s\n    %s", row ? "," : "", text ? text : "");
        free(text);
        cJSON_Delete(object);
    }
    out->failed = out->failed || table->failed;
}
