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
#include "base/text.h"

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

/* Fails unless `at` is an object whose keys are all in `keys` (the nearest one is named). */
enum hs_status hs_json_object(const struct hs_json *at, const char *const *keys, size_t key_count,
                              struct hs_error *err);
/* Whether the object has the member, and it is not null. */
bool hs_json_has(const struct hs_json *object, const char *key);
/* The member as a cursor; HS_INVALID "key: missing" where it is not there. */
enum hs_status hs_json_member(struct hs_json *out, const struct hs_json *object, const char *key,
                              struct hs_error *err);
/* Length of an array of min..max elements; HS_INVALID for another type or length. */
enum hs_status hs_json_array(size_t *count, const struct hs_json *at, size_t min, size_t max,
                             struct hs_error *err);
/* The first element, and on to the next; at.node is NULL behind the last. */
struct hs_json hs_json_first(const struct hs_json *array);
void hs_json_next(struct hs_json *element);
/* The element of that number, which is counted from the start: not for loops. */
struct hs_json hs_json_element(const struct hs_json *array, size_t index);

/* Scalars of a member. The readers named _or take the fallback where the member is absent; null is
 * accepted only where said. Bounds are inclusive except `above` (exclusive lower bound). */
struct hs_json_bounds {
    double min, max;
    bool exclusive_min; /* "a number above min" */
};
enum hs_status hs_json_number(double *out, const struct hs_json *object, const char *key,
                              const struct hs_json_bounds *bounds, struct hs_error *err);
enum hs_status hs_json_number_or(double *out, const struct hs_json *object, const char *key,
                                 const struct hs_json_bounds *bounds, double fallback,
                                 struct hs_error *err);
/* A time: an element or member itself, seconds that are usable (units.h). */
enum hs_status hs_json_seconds(double *out, const struct hs_json *at, struct hs_error *err);
/* Whole numbers in [min, max], |max| <= 2^53. */
enum hs_status hs_json_integer(int64_t *out, const struct hs_json *object, const char *key,
                               int64_t min, int64_t max, struct hs_error *err);
enum hs_status hs_json_integer_or(int64_t *out, const struct hs_json *object, const char *key,
                                  int64_t min, int64_t max, int64_t fallback, struct hs_error *err);
enum hs_status hs_json_bool_or(bool *out, const struct hs_json *object, const char *key,
                               bool fallback, struct hs_error *err);
/* Text of a member; points into the document. */
enum hs_status hs_json_string(const char **out, const struct hs_json *object, const char *key,
                              struct hs_error *err);
enum hs_status hs_json_string_or(const char **out, const struct hs_json *object, const char *key,
                                 const char *fallback, struct hs_error *err);
/* Index of the member's text in `names`; the nearest name is suggested. */
enum hs_status hs_json_choice_or(size_t *out, const struct hs_json *object, const char *key,
                                 const char *const *names, size_t count, size_t fallback,
                                 struct hs_error *err);

/* Appends the document as text: two-space indentation, arrays of numbers on one line, numbers with
 * the digits that give the same double back, a newline at the end. HS_MEMORY; HS_FAILED for a
 * number that is not finite, which JSON cannot hold. */
enum hs_status hs_json_print(struct hs_text *text, const struct cJSON *root, struct hs_error *err);
/* The same for a tree that was made for it, which is deleted. NULL: there was no memory for it. */
enum hs_status hs_json_print_owned(struct hs_text *text, struct cJSON *root, struct hs_error *err);

#endif
