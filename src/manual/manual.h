/*
 * manual.h - manual pages of file formats, from what there is already: a JSON Schema and the
 * document that people read. Only the build uses this (`make man`); nothing of it is installed.
 */
#ifndef HS_MANUAL_MANUAL_H
#define HS_MANUAL_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct cJSON;

/* Appends every field that the schema allows, in its order, as a list: its path from the top
 * ("levels[].name"), its type and limits, and, where `described`, what it means. */
void hs_schema_fields(struct hs_text *out, const struct cJSON *schema, bool described);

/* Appends sections of a Markdown text as roff: those with the given headings, or, where `count` is
 * 0, all, what stands before the first heading included. Understood are paragraphs, lists, tables
 * (as lists of what is in the first column), indented and fenced code, `code`, *stress* and links
 * (their text); the title is left out. HS_INVALID: there is no such heading. */
enum hs_status hs_markdown_sections(struct hs_text *out, const char *markdown,
                                    const char *const *headings, size_t count,
                                    struct hs_error *err);

#endif
