#include "show/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/render.h"

struct hs_terminal hs_print_terminal(const struct hs_print *print,
                                     const struct hs_terminal *terminal)
{
    struct hs_terminal asked = *terminal;

    if (print->color && strcmp(print->color, "auto") != 0)
        asked.color = strcmp(print->color, "always") == 0;
    asked.color = asked.color && hs_print_format(print) == HS_FORMAT_TEXT;
    if (print->width > 0) {
        asked.width = (int)print->width;
        asked.is_terminal = true;
    }
    return asked;
}

void hs_sheet_begin(struct hs_sheet *sheet, struct hs_text *out, const struct hs_print *print,
                    const struct hs_terminal *terminal)
{
    *sheet = (struct hs_sheet){.format = hs_print_format(print),
                               .terminal = hs_print_terminal(print, terminal),
                               .out = out};
}

bool hs_sheet_is_read(const struct hs_sheet *sheet)
{
    return sheet->format == HS_FORMAT_TEXT || sheet->format == HS_FORMAT_MD;
}

__attribute__((format(printf, 2, 0))) static void say(struct hs_sheet *sheet, const char *format,
                                                      va_list arguments)
{
    char *text, *line;

    if (vasprintf(&text, format, arguments) < 0) {
        sheet->lines.failed = true;
        return;
    }
    for (line = text; *line; line += line[0] == '\n') {
        size_t length = strcspn(line, "\n");
        char end = line[length];

        line[length] = '\0';
        hs_text_append_foreign(&sheet->lines, line, "?");
        line += length;
        *line = end;
        if (end)
            hs_text_append(&sheet->lines, "\n");
    }
    free(text);
}

void hs_sheet_say(struct hs_sheet *sheet, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(sheet, format, arguments);
    va_end(arguments);
}

void hs_sheet_break(const struct hs_sheet *sheet, struct hs_text *text)
{
    struct hs_text broken = {0};

    if (sheet->format != HS_FORMAT_TEXT || text->length == 0 || text->failed)
        return;
    hs_text_wrap(&broken, text->data, 0, 2, (size_t)sheet->terminal.width);
    hs_text_release(text);
    *text = broken;
}

size_t hs_sheet_lines(const struct hs_sheet *sheet, const struct hs_text *text)
{
    size_t count = 0, columns = (size_t)sheet->terminal.width;
    struct hs_lines lines = {text->data, NULL, 0};

    while (text->data && hs_lines_next(&lines))
        count += lines.length > columns ? (lines.length + columns - 1) / columns : 1;
    return count;
}

void hs_sheet_append_line(const struct hs_sheet *sheet, struct hs_text *out, const char *format,
                          va_list arguments)
{
    struct hs_text line = {0};
    char *text;

    if (vasprintf(&text, format, arguments) < 0) {
        out->failed = true;
        return;
    }
    hs_text_append(&line, "%s", text);
    free(text);
    hs_sheet_break(sheet, &line);
    out->failed = out->failed || line.failed;
    hs_text_append(out, "%s\n", line.data ? line.data : "");
    hs_text_release(&line);
}

void hs_sheet_line(struct hs_sheet *sheet, const char *format, ...)
{
    struct hs_text line = {0};
    va_list arguments;

    va_start(arguments, format);
    hs_sheet_append_line(sheet, &line, format, arguments);
    va_end(arguments);
    sheet->lines.failed = sheet->lines.failed || line.failed;
    hs_sheet_say(sheet, "%s", line.data ? line.data : "");
    hs_text_release(&line);
}

void hs_sheet_stress(struct hs_sheet *sheet, const char *format, ...)
{
    va_list arguments;

    hs_text_append(&sheet->lines, "%s", hs_style_on(&sheet->terminal, HS_STYLE_BOLD, 0));
    va_start(arguments, format);
    say(sheet, format, arguments);
    va_end(arguments);
    hs_text_append(&sheet->lines, "%s", hs_style_off(&sheet->terminal));
}

/* Lines that follow each other are one paragraph, in which two blanks keep them apart. */
static void append_paragraphs(struct hs_text *out, const char *lines)
{
    for (size_t i = 0; lines[i]; i++) {
        bool ends_line = lines[i] == '\n' && i > 0 && lines[i - 1] != '\n';

        if (ends_line && lines[i + 1] && lines[i + 1] != '\n')
            hs_text_append(out, "  ");
        hs_text_append(out, "%s%c", strchr("\\`*_[]<>|#", lines[i]) ? "\\" : "", lines[i]);
    }
}

/* What was said goes to those formats that are for people. */
static void flush(struct hs_sheet *sheet)
{
    const char *lines = sheet->lines.data ? sheet->lines.data : "";

    if (sheet->format == HS_FORMAT_TEXT)
        hs_text_append_bytes(sheet->out, lines, sheet->lines.length);
    else if (sheet->format == HS_FORMAT_MD)
        append_paragraphs(sheet->out, lines);
    sheet->out->failed = sheet->out->failed || sheet->lines.failed;
    hs_text_release(&sheet->lines);
}

/* What a table is to programs; `again`: of the same records as the one before. */
static void append_records(struct hs_sheet *sheet, const struct hs_table *table, bool again)
{
    if (sheet->format == HS_FORMAT_JSON) {
        hs_text_append(sheet->out,
                       again         ? ","
                       : sheet->last ? "\n  ],\n  \"%s\": ["
                                     : "{\n  \"%s\": [",
                       table->name);
        hs_table_json(sheet->out, table);
    } else {
        hs_text_append(sheet->out, "%s", sheet->last && !again ? "\n" : "");
        hs_table_csv(sheet->out, table, !again);
    }
}

size_t hs_sheet_table(struct hs_sheet *sheet, struct hs_table *table)
{
    size_t bars = 0;

    flush(sheet);
    if (sheet->format == HS_FORMAT_TEXT)
        bars = hs_table_text(sheet->out, table, &sheet->terminal);
    else if (sheet->format == HS_FORMAT_MD)
        hs_table_markdown(sheet->out, table);
    else
        append_records(sheet, table, sheet->last && strcmp(sheet->last, table->name) == 0);
    sheet->last = table->name;
    hs_table_release(table);
    return bars;
}

enum hs_status hs_sheet_end(struct hs_sheet *sheet, struct hs_error *err)
{
    flush(sheet);
    if (sheet->format == HS_FORMAT_JSON)
        hs_text_append(sheet->out, sheet->last ? "\n  ]\n}\n" : "{}\n");
    return sheet->out->failed ? hs_no_memory(err) : HS_OK;
}
