/*
 * json.h - strict JSON reading on cJSON: what is not understood is an error with its place.
 *
 * The text is checked by a scanner of RFC 8259 first (cJSON is more lenient): syntax errors carry
 * line and column, and nesting beyond HS_JSON_DEPTH, invalid UTF-8, "\u0000", lone surrogates,
 * numbers that do not fit a double, duplicate keys and trailing text are refused. Then values are
 * read through cursors; a cursor knows its way from the top, so every complaint names file and
 * path:
 *
 *     x.json:3:14: expected ',' or '}' after a value, found ']'
 *     x.json: levels[1].bandwidth_GBps: expected a number above 0, found -1
 */
#ifndef HS_BASE_JSON_H
#define HS_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cJSON;

#define HS_JSON_DEPTH     64                  /* arrays and objects inside each other */
#define HS_JSON_BYTES_MAX ((size_t)256 << 20) /* largest file read */

/* A parsed document. Owns the tree and the file's name (used in messages). */
struct hs_json_document {
    struct cJSON *root;
    char *name;
};

/* A place in a document. A plain value; valid while the document and its parents live. */
struct hs_json {
    const struct cJSON *node;
    const struct hs_json_document *document;
    const struct hs_json *parent; /* NULL at the top */
    const char *key;              /* member name, or NULL for an array element */
    size_t index;                 /* element number where key is NULL */
};

/* `name` is what messages call the document. HS_INVALID for anything that is not strict JSON. */
enum hs_status hs_json_parse(struct hs_json_document *document, const char *name, const char *text,
                             size_t length, struct hs_error *err);
enum hs_status hs_json_load(struct hs_json_document *document, const char *path,
                            struct hs_error *err);
void hs_json_release(struct hs_json_document *document);

/* The whole document as a cursor. */
struct hs_json hs_json_top(const struct hs_json_document *document);

/* Fails at this place: "name: path: " and the formatted rest. Returns HS_INVALID. */
enum hs_status hs_json_fail(const struct hs_json *at, struct hs_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with "expected <what>, found <what stands there>". */
enum hs_status hs_json_unexpected(const struct hs_json *at, struct hs_error *err, const char *what);
/* What stands there, for messages: a number, "a text" of at most 60 characters, "an array".
 * Returns `text` or a literal. */
#define HS_JSON_FOUND 96
const char *hs_json_describe(char text[HS_JSON_FOUND], const struct hs_json *at);

/* Fails unless `at` is an object whose keys are all in `keys` (the nearest one is named). */
enum hs_status hs_json_object(const struct hs_json *at, const char *const *keys, size_t key_count,
                              struct hs_error *err);
/* The member as a cursor, or, with the node NULL, the place where it would be. */
struct hs_json hs_json_find(const struct hs_json *object, const char *key);
bool hs_json_is_object(const struct hs_json *at);
bool hs_json_is_null(const struct hs_json *at);
/* Length of an array of min..max elements; HS_INVALID for another type or length. */
enum hs_status hs_json_array(size_t *count, const struct hs_json *at, size_t min, size_t max,
                             struct hs_error *err);
/* An element, counted from the start; its node is NULL behind the last. A walk over all of them (or
 * over the members of an object, whatever their keys) is one of hs_json_next, until the node is
 * NULL. */
struct hs_json hs_json_element(const struct hs_json *array, size_t index);
struct hs_json hs_json_first(const struct hs_json *container);
void hs_json_next(struct hs_json *element);

/* Values, each refused with the complaint that says what would be right. Bounds are inclusive
 * except where `exclusive_min` says "a number above min". */
struct hs_json_bounds {
    double min, max;
    bool exclusive_min;
};
enum hs_status hs_json_read_number(double *out, const struct hs_json *at,
                                   const struct hs_json_bounds *bounds, struct hs_error *err);
/* A time: seconds that are usable (units.h). */
enum hs_status hs_json_read_seconds(double *out, const struct hs_json *at, struct hs_error *err);
/* Whole numbers in [min, max], |max| <= 2^53. */
enum hs_status hs_json_read_integer(int64_t *out, const struct hs_json *at, int64_t min,
                                    int64_t max, struct hs_error *err);
/* Whole numbers in [min, UINT64_MAX]: above HS_JSON_WHOLE_MAX, where a double skips some, they are
 * decimal text, and only there. */
#define HS_JSON_WHOLE_MAX (((uint64_t)1 << 53) - 1)
enum hs_status hs_json_read_whole(uint64_t *out, const struct hs_json *at, uint64_t min,
                                  struct hs_error *err);
enum hs_status hs_json_read_bool(bool *out, const struct hs_json *at, struct hs_error *err);
/* Points into the document. */
enum hs_status hs_json_read_string(const char **out, const struct hs_json *at,
                                   struct hs_error *err);
/* Index of the text in `names`; the nearest name is suggested. */
enum hs_status hs_json_read_choice(size_t *out, const struct hs_json *at, const char *const *names,
                                   size_t count, struct hs_error *err);

#endif
