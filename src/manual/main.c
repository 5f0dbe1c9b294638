/*
 * Writes the manual page of a file format to stdout:
 *
 *     hs-manual NAME SUMMARY SCHEMA.json TEXT.md [HEADING...]
 *
 * With headings: what the schema says of the file and its fields, then these sections of the text.
 * Without: the whole text, then the types and limits of the fields.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/file.h"
#include "base/json.h"
#include "console/roff.h"
#include "manual/manual.h"

#define TEXT_MAX ((size_t)1 << 20)

static void append_name(struct hs_text *out, const char *name, const char *summary)
{
    hs_roff_title(out, name, 5);
    hs_text_append(out, ".SH NAME\n");
    hs_roff_inline(out, name);
    hs_text_append(out, " \\- ");
    hs_roff_inline(out, summary);
    hs_text_append(out, "\n.SH DESCRIPTION\n");
}

static enum hs_status append_page(struct hs_text *out, const cJSON *schema, const char *text,
                                  const char *const *headings, size_t count, struct hs_error *err)
{
    const char *about =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(schema, "description"));
    enum hs_status status;

    if (count > 0) {
        hs_roff_paragraph(out, about ? about : "");
        hs_text_append(out, ".SH FIELDS\n");
        hs_schema_fields(out, schema, true);
    }
    status = hs_markdown_sections(out, text, headings, count, err);
    if (count == 0) {
        hs_text_append(out, ".SH TYPES AND LIMITS\n");
        hs_roff_paragraph(out, about ? about : "");
        hs_schema_fields(out, schema, false);
    }
    hs_text_append(out, ".SH SEE ALSO\n.BR hiersearch (1),\n.BR hiersearch\\-system (5),\n"
                        ".BR hiersearch\\-result (5)\n");
    return status;
}

int main(int argc, char **argv)
{
    struct hs_json_document schema = {NULL, NULL};
    struct hs_error error = {.status = HS_OK};
    struct hs_text page = {0};
    enum hs_status status;
    char *text = NULL;
    size_t length;

    if (argc < 5) {
        fputs("usage: hs-manual NAME SUMMARY SCHEMA.json TEXT.md [HEADING...]\n", stderr);
        return 2;
    }
    status = hs_json_load(&schema, argv[3], &error);
    if (status == HS_OK)
        status = hs_file_read(&text, &length, argv[4], TEXT_MAX, &error);
    if (status == HS_OK) {
        append_name(&page, argv[1], argv[2]);
        status = append_page(&page, schema.root, text, (const char *const *)argv + 5,
                             (size_t)argc - 5, &error);
    }
    if (status == HS_OK &&
        (page.failed || fwrite(page.data, 1, page.length, stdout) != page.length ||
         fflush(stdout) != 0))
        status = hs_fail(&error, HS_IO, "the page cannot be written");
    if (status != HS_OK)
        fprintf(stderr, "hs-manual: %s\n", error.message);
    free(text);
    hs_json_release(&schema);
    hs_text_release(&page);
    return hs_status_exit(status);
}
