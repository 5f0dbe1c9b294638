/*
 * json_parts.h - what the reader, the scanner and the writer of JSON share. Internal to base.
 */
#ifndef HS_BASE_JSON_PARTS_H
#define HS_BASE_JSON_PARTS_H

#include <stddef.h>

#include "base/error.h"

struct hs_text;

/* Characters in one number: cJSON copies no more. No double needs more than 24. */
#define HS_JSON_NUMBER_MAX 63

/* Checks that the text is one JSON value by RFC 8259, with the limits that json.h names (all but
 * duplicate keys). HS_INVALID with "name:line:column: expected ..., found ..."; lines and columns
 * count from 1, columns in characters. */
enum hs_status hs_json_scan(const char *name, const char *text, size_t length,
                            struct hs_error *err);

/* Writes the shortest digits that give the same double back; whole numbers up to 2^53 without an
 * exponent. The value must be finite. Returns text. */
char *hs_json_number_text(char text[32], double value);

/* Appends `"a", "b" or "c"`. */
void hs_json_append_names(struct hs_text *out, const char *const *names, size_t count);

#endif
