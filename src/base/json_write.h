/*
 * json_write.h - JSON as text, value by value: two-space indentation, arrays of numbers on one
 * line, numbers with the digits that give the same double back, text of any bytes as UTF-8.
 *
 *     struct hs_json_writer w = {.text = out, .err = err};
 *
 *     hs_json_open(&w, NULL, '{');
 *     hs_json_write_text(&w, "format", "...");
 *     hs_json_close(&w, '}');
 *     return hs_json_finish(&w);
 *
 * `key` names the member of an object; it is NULL for an element of an array and for the document
 * itself. Lack of memory is remembered by the text and said at the end.
 */
#ifndef HS_BASE_JSON_WRITE_H
#define HS_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct hs_json_writer {
    struct hs_text *text; /* appended to */
    struct hs_error *err;
    enum hs_status status; /* of a writer that found what it cannot write; nothing comes after it */
    int depth;
    bool compact; /* all on one line, without blanks */
    size_t limit; /* of text->length: beyond it, HS_INVALID; 0: none */
};

void hs_json_open(struct hs_json_writer *w, const char *key, char bracket);
void hs_json_close(struct hs_json_writer *w, char bracket);

/* NULL is a text that does not exist, NaN and infinity are numbers that do not: nothing is put. */
void hs_json_write_text(struct hs_json_writer *w, const char *key, const char *text);
void hs_json_write_number(struct hs_json_writer *w, const char *key, double value);
/* A number up to HS_JSON_WHOLE_MAX, decimal text above. */
void hs_json_write_whole(struct hs_json_writer *w, const char *key, uint64_t value);
void hs_json_write_bool(struct hs_json_writer *w, const char *key, bool value);
/* An array on one line; every number has to exist. */
void hs_json_write_numbers(struct hs_json_writer *w, const char *key, const double *values,
                           size_t count);
/* JSON as it is: "null", or a piece written by hand, its lines indented like the rest. */
void hs_json_write_raw(struct hs_json_writer *w, const char *key, const char *json);

/* The newline at the end. The status, or HS_MEMORY. */
enum hs_status hs_json_finish(struct hs_json_writer *w);

#endif
