#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "console/roff.h"
#include "manual/manual.h"

#define CELLS_MAX 8

/* Where a reading stands. */
struct reader {
    struct hs_text *out;
    struct hs_text paragraph; /* lines not yet written */
    struct hs_text code;      /* likewise, of an indented or fenced block */
    struct hs_text header;    /* first row of the table that is being read; empty: none is */
    bool wanted;              /* this section is asked for */
    bool fenced, listed;      /* inside a fenced block, an item of a list */
    bool fresh;               /* nothing of the section is written yet */
};

/* ---- inline ---- */

/* Length of "[text](target)", 0 where it is none; *shown is that of the text. */
static size_t link_length(const char *at, size_t *shown)
{
    size_t text, target;

    if (at[0] != '[')
        return 0;
    text = strcspn(at, "]");
    if (at[text] != ']' || at[text + 1] != '(')
        return 0;
    target = strcspn(at + text, ")");
    *shown = text - 1;
    return at[text + target] == ')' ? text + target + 1 : 0;
}

/* Length of a run of `*` that begins or ends something here, else 0. */
static size_t stress_length(const char *at, bool open)
{
    size_t length = strspn(at, "*");

    if (length == 0 || length > 2)
        return 0;
    if (open)
        return length;
    return at[length] && at[length] != ' ' && strstr(at + length, length == 2 ? "**" : "*") ? length
                                                                                            : 0;
}

/* Stars become marks, links their text; what is between backquotes stays. */
static void append_marked(struct hs_text *out, const char *text)
{
    bool code = false, open = false;

    while (*text) {
        size_t shown = 0, length = code ? 0 : link_length(text, &shown);
        size_t stars = code || length ? 0 : stress_length(text, open);

        if (length) {
            hs_text_append_bytes(out, text + 1, shown);
        } else if (stars) {
            hs_text_append(out, "%s",
                           open         ? HS_ROFF_ROMAN
                           : stars == 2 ? HS_ROFF_BOLD
                                        : HS_ROFF_ITALIC);
            open = !open;
            length = stars;
        } else {
            code = code != (*text == '`');
            hs_text_append_bytes(out, text, 1);
            length = 1;
        }
        text += length;
    }
}

/* ---- blocks ---- */

static void end_paragraph(struct reader *reader)
{
    struct hs_text marked = {0};

    if (!reader->paragraph.length)
        return;
    if (!reader->fresh && !reader->listed)
        hs_text_append(reader->out, ".PP\n");
    append_marked(&marked, reader->paragraph.data);
    hs_roff_paragraph(reader->out, marked.data ? marked.data : "");
    hs_text_release(&marked);
    hs_text_release(&reader->paragraph);
    reader->fresh = false;
}

static void end_code(struct reader *reader)
{
    if (!reader->code.length)
        return;
    if (!reader->fresh)
        hs_text_append(reader->out, ".PP\n");
    hs_roff_verbatim(reader->out, reader->code.data);
    hs_text_release(&reader->code);
    reader->fresh = false;
}

static void end_blocks(struct reader *reader)
{
    end_paragraph(reader);
    end_code(reader);
    reader->listed = false;
    hs_text_release(&reader->header);
}

static void begin_section(struct reader *reader, const char *heading)
{
    hs_text_append(reader->out, ".SH ");
    for (; *heading; heading++)
        if (*heading != '`')
            hs_text_append(reader->out, "%c", toupper((unsigned char)*heading));
    hs_text_append(reader->out, "\n");
    reader->fresh = true;
}

static void begin_item(struct reader *reader, const char *line, size_t mark)
{
    end_paragraph(reader);
    if (line[0] == '-')
        hs_text_append(reader->out, ".IP \\(bu 2\n");
    else
        hs_text_append(reader->out, ".IP %.*s 4\n", (int)mark, line);
    reader->listed = true;
    hs_text_append(&reader->paragraph, "%s", line + mark + strspn(line + mark, " "));
}

/* ---- tables ---- */

/* Cuts "| a | b |" into its cells, in place. */
static size_t cut_cells(char *row, char *cells[CELLS_MAX])
{
    size_t count = 0;
    bool code = false;
    char *at = row + 1, *cell = at;

    for (; *at && count < CELLS_MAX; at++) {
        code = code != (*at == '`');
        if (*at != '|' || code)
            continue;
        *at = '\0';
        cell += strspn(cell, " ");
        for (size_t length = strlen(cell); length && cell[length - 1] == ' ';)
            cell[--length] = '\0';
        cells[count++] = cell;
        cell = at + 1;
    }
    return count;
}

/* What stands in the cells behind the first: one or two as they are, of more each behind its
 * heading. */
static void append_cells(struct hs_text *out, char *const *headings, char *const *cells,
                         size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!cells[i][0])
            continue;
        if (count > 3 && headings[i][0])
            hs_text_append(out, "%s: ", headings[i]);
        hs_text_append(out, "%s", cells[i]);
        hs_text_append(out, i + 1 < count ? "; " : "");
    }
}

static void table_row(struct reader *reader, const char *line)
{
    char *header = NULL, *row = strdup(line), *headings[CELLS_MAX], *cells[CELLS_MAX];
    struct hs_text body = {0}, marked = {0}, tag = {0};
    size_t count = 0;

    if (!reader->header.length) {
        hs_text_append(&reader->header, "%s", line);
    } else if (row && strncmp(line, "|-", 2) != 0) {
        header = strdup(reader->header.data);
        count = cut_cells(row, cells);
    }
    if (header && count > 0 && count <= cut_cells(header, headings)) {
        append_marked(&tag, cells[0]);
        append_cells(&body, headings, cells, count);
        append_marked(&marked, body.data ? body.data : "");
        hs_text_append(reader->out, ".TP\n");
        hs_roff_inline(reader->out, tag.data ? tag.data : "");
        hs_text_append(reader->out, "\n");
        hs_roff_paragraph(reader->out, marked.data ? marked.data : "\\&");
        reader->fresh = false;
    }
    hs_text_release(&tag);
    hs_text_release(&marked);
    hs_text_release(&body);
    free(header);
    free(row);
}

/* ---- lines ---- */

static size_t mark_length(const char *line)
{
    size_t digits = strspn(line, "0123456789");

    if (strncmp(line, "- ", 2) == 0)
        return 1;
    return digits > 0 && strncmp(line + digits, ". ", 2) == 0 ? digits + 1 : 0;
}

static void read_line(struct reader *reader, const char *line)
{
    size_t mark = mark_length(line);
    bool indented = strncmp(line, "    ", 4) == 0;

    if (strncmp(line, "```", 3) == 0) {
        end_paragraph(reader);
        reader->fenced = !reader->fenced;
        if (!reader->fenced)
            end_code(reader);
    } else if (reader->fenced || (indented && !reader->listed && !reader->paragraph.length)) {
        hs_text_append(&reader->code, "%s\n", line);
    } else if (line[0] == '|') {
        end_paragraph(reader);
        table_row(reader, line);
    } else if (!line[0]) {
        end_blocks(reader);
    } else if (mark) {
        begin_item(reader, line, mark);
    } else {
        end_code(reader);
        hs_text_append(&reader->paragraph, "%s%s", reader->paragraph.length ? " " : "", line);
    }
}

static bool is_wanted(const char *heading, const char *const *headings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(heading, headings[i]) == 0)
            return true;
    return count == 0;
}

/* Returns the number of sections that were asked for and found. */
static size_t read_all(struct reader *reader, char *text, const char *const *headings, size_t count)
{
    size_t found = 0;

    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        if (!reader->fenced && strncmp(line, "## ", 3) == 0) {
            end_blocks(reader);
            reader->wanted = is_wanted(line + 3, headings, count);
            found += reader->wanted;
            if (reader->wanted)
                begin_section(reader, line + 3);
        } else if (reader->wanted && (reader->fenced || strncmp(line, "# ", 2) != 0)) {
            read_line(reader, line);
        }
    }
    end_blocks(reader);
    return found;
}

enum hs_status hs_markdown_sections(struct hs_text *out, const char *markdown,
                                    const char *const *headings, size_t count, struct hs_error *err)
{
    struct reader reader = {.out = out, .wanted = count == 0, .fresh = true};
    char *copy = strdup(markdown);
    size_t found;

    if (!copy)
        return hs_fail(err, HS_MEMORY, "out of memory");
    found = read_all(&reader, copy, headings, count);
    free(copy);
    if (out->failed || reader.paragraph.failed || reader.code.failed)
        return hs_fail(err, HS_MEMORY, "out of memory");
    if (found < count)
        return hs_fail(err, HS_INVALID, "%zu of the %zu sections are not there", count - found,
                       count);
    return HS_OK;
}
