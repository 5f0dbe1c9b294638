/*
 * fields.h - a file format as a table: one row per field, from which the file is read (strictly,
 * with the place in every complaint), written, and described as JSON Schema, and the structs it is
 * read into are copied, compared and released.
 *
 *     static const struct hs_field rows[] = {
 *         {"name", HS_TEXT, HS_OWNED(struct node, name), .min = 1, .about = "Of the host."},
 *         {"ranks", HS_INTEGER, HS_AT(struct node, ranks), .min = 1, .max = HS_NP_MAX},
 *         {"gpus", HS_LIST, HS_LIST_AT(struct node, gpus, gpu_count), .max = 64, .fields = &gpu},
 *         {"note", HS_TEXT, HS_OWNED(struct node, note), HS_OPTIONAL, .about = "What is odd."},
 *     };
 *     const struct hs_fields node = {HS_ROWS(rows, struct node)};
 *
 * Rows are read and written in their order. What one row cannot say (sums, names that other fields
 * define, no element twice) is checked by a function of the table, once its rows are read.
 */
#ifndef HS_BASE_FIELDS_H
#define HS_BASE_FIELDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/text.h"

struct hs_field;
struct hs_fields;

enum hs_field_kind {
    HS_CONSTANT, /* `text`, not in memory; reading takes whatever is of its form, if it has one */
    HS_INTEGER,  /* an integer of 4 or 8 bytes, in min .. max */
    HS_WHOLE,    /* uint64_t, from min; beyond 2^53 decimal text */
    HS_NUMBER,   /* double; not finite: does not exist, and is not written */
    HS_TIME,     /* the same, in seconds that are usable (units.h) */
    HS_BOOL,
    HS_CHOICE,   /* an enum (or int): one of `names`, or of those that `list` lists */
    HS_TEXT,     /* char[], or owned char *; at least `min` letters, of a form if there is one */
    HS_INTERVAL, /* double: half of it, around the double that is the row's "other"; [low, high] */
    HS_SECONDS,  /* a list of min .. max doubles, each a time */
    HS_FACTS,    /* an object of at most `max` free names: a list of struct hs_fact */
    HS_LIST,     /* min .. max elements: `fields`; of a single row without a key: bare values */
    HS_OBJECT,   /* `fields` */
    HS_PART,     /* `fields`, which stand in this very object; there with the member `key` */
    HS_CUSTOM    /* text in the file, another type in memory */
};

/* What a file's format and its schema's id begin with; NAME/VERSION follows, said once. */
#define HS_FORMAT_OF "hiersearch."
#define HS_SCHEMA_ID "https://hiersearch.invalid/"

/* A named text. */
struct hs_fact {
    char *name, *text; /* owned */
};

/* Where the fields are of something that is read or written: the innermost first. */
struct hs_place {
    const struct hs_fields *fields;
    const void *object;            /* the struct */
    const struct hs_json *at;      /* NULL while writing and comparing */
    const struct hs_place *parent; /* what it is in; NULL: the top */
};

/* The struct of that table around the place, itself included; NULL: it is in none. */
const void *hs_place_of(const struct hs_place *place, const struct hs_fields *fields);

/* Text with rules of its own. */
struct hs_text_form {
    bool (*valid)(const char *text);
    const char *expected; /* "expected %s, found ..." */
    const char *pattern;  /* of the JSON Schema */
};

/* Units of files and SI. `to` gives the number that `from` reads back as exactly this value; where
 * a value lies between two numbers of the unit that are next to each other, the nearest, which is
 * one unit in the last place off and from then on stays as it is. */
struct hs_file_unit {
    double (*from)(double value);
    double (*to)(double si);
};
extern const struct hs_file_unit hs_unit_microseconds, hs_unit_gigabytes, hs_unit_percent;

/* A value that is text in the file and not in memory: the row's `size` bytes, which own nothing. */
#define HS_FIELD_TEXT 160
struct hs_field_custom {
    enum hs_status (*parse)(void *value, const char *text, const struct hs_place *place,
                            struct hs_error *why);
    /* In `text`, or in what lives longer. */
    const char *(*format)(char text[HS_FIELD_TEXT], const void *value,
                          const struct hs_place *place);
    const char *pattern; /* of the JSON Schema; NULL: any text, of any length */
};

#define HS_CHOICES_MAX 16 /* where the names are listed */

/* What it means that a field is not there. */
enum hs_presence {
    HS_REQUIRED, /* an error */
    HS_DEFAULT,  /* `fallback` in memory; written always */
    HS_ABSENT,   /* the same, and the fallback (NULL, no elements) is not written */
    HS_NULL      /* the same, and the fallback is written as null, which is read, too */
};

struct hs_field {
    const char *key;
    enum hs_field_kind kind;
    enum hs_presence presence;
    int first;           /* choices: the value of names[0] */
    bool owned;          /* behind a pointer that the struct owns, else in place */
    bool above;          /* numbers: min itself is too small; times: 0 is */
    bool unique;         /* no two elements of the list that this object is in have the same */
    size_t offset, size; /* of the value in place; offset of the pointer to it */
    /* of a list its count; of an interval its middle; of an object, a part, or a custom value an
     * integer or bool that is not 0 where it is there (reading sets a bool) */
    size_t other_offset, other_size;
    double fallback; /* NaN for integers: what `begin` put there */
    double min, max;
    const char *const *names; /* choices */
    size_t name_count;
    size_t (*list)(const char *names[HS_CHOICES_MAX], const struct hs_place *place);
    const char *text;
    const struct hs_text_form *form;
    const struct hs_file_unit *unit;
    const struct hs_fields *fields;
    const struct hs_field_custom *custom;
    double (*compute)(const struct hs_place *place); /* numbers: for readers of the file alone */
    /* Whether it is written, where that is not plain from its value. */
    bool (*when)(const struct hs_place *place);
    const char *about; /* for the JSON Schema and the documents */
};

struct hs_fields {
    const char *name;  /* of its definition in a JSON Schema; NULL: it stands where it is used */
    const char *id;    /* of a file format: of its JSON Schema */
    const char *title; /* the same */
    const char *about;
    const struct hs_field *rows;
    size_t count;
    size_t size; /* of the struct */
    /* Called before the rows are read, the fallbacks in place, and after. */
    enum hs_status (*begin)(void *object, const struct hs_place *place, struct hs_error *err);
    enum hs_status (*check)(void *object, const struct hs_place *place, struct hs_error *err);
    const char *rules; /* further members of its JSON Schema */
};

/* Parts of a row: where the value lies, and what goes with its kind. */
#define HS_SIZE(type, member)  sizeof(((type *)NULL)->member)
#define HS_AT(type, member)    .offset = offsetof(type, member), .size = HS_SIZE(type, member)
#define HS_OWNED(type, member) .offset = offsetof(type, member), .owned = true
#define HS_OTHER(type, member)                                                                     \
    .other_offset = offsetof(type, member), .other_size = HS_SIZE(type, member)
#define HS_LIST_AT(type, member, count) HS_OWNED(type, member), HS_OTHER(type, count)
#define HS_OPTIONAL                     .presence = HS_ABSENT, .fallback = (double)NAN
#define HS_WITH(value)                  .presence = HS_DEFAULT, .fallback = (value)
#define HS_WITHOUT(value)               .presence = HS_ABSENT, .fallback = (value)
#define HS_NOT_NEGATIVE                 .max = (double)INFINITY
#define HS_COUNT_OF(list)               (sizeof(list) / sizeof(*(list)))
#define HS_NAMES(list)                  .names = (list), .name_count = HS_COUNT_OF(list)
/* The rows of a table of a struct. */
#define HS_ROWS(list, type) .rows = (list), .count = HS_COUNT_OF(list), .size = sizeof(type)

/* Puts the fallbacks into a zeroed struct. */
void hs_fields_init(const struct hs_fields *fields, void *object);
/* Reads the object at `at` into the struct, whatever it held. HS_INVALID, HS_MEMORY; it is zeroed
 * then. */
enum hs_status hs_fields_read(const struct hs_fields *fields, void *object,
                              const struct hs_json *at, struct hs_error *err);
/* The same from a whole document: a file, or text that messages call `name`. */
enum hs_status hs_fields_load(const struct hs_fields *fields, void *object, const char *path,
                              struct hs_error *err);
enum hs_status hs_fields_parse(const struct hs_fields *fields, void *object, const char *name,
                               const char *text, size_t length, struct hs_error *err);
/* Puts the object. HS_FAILED for a list of seconds with something else in it. */
void hs_fields_write(struct hs_json_writer *w, const char *key, const struct hs_fields *fields,
                     const void *object);
/* Appends it as the text of a file, or, compact, as one line. HS_FAILED, HS_MEMORY. */
enum hs_status hs_fields_print(struct hs_text *out, const struct hs_fields *fields,
                               const void *object, bool compact, struct hs_error *err);
/* Frees what the struct owns and zeroes it. */
void hs_fields_release(const struct hs_fields *fields, void *object);
/* A copy that owns its own, over whatever *copy was. HS_MEMORY: it is zeroed then. */
enum hs_status hs_fields_copy(const struct hs_fields *fields, void *copy, const void *object,
                              struct hs_error *err);
/* Whether both are written as the same. */
bool hs_fields_equal(const struct hs_fields *fields, const void *a, const void *b);
/* Appends the JSON Schema of a file format. HS_MEMORY. */
enum hs_status hs_fields_print_schema(struct hs_text *out, const struct hs_fields *fields,
                                      struct hs_error *err);

/* For tables' own functions: fails at a member, which need not be there. */
#define hs_field_fail(place, name, err, ...)                                                       \
    hs_json_fail(&(struct hs_json){.document = (place)->at->document,                              \
                                   .parent = (place)->at,                                          \
                                   .key = (name)},                                                 \
                 err, __VA_ARGS__)

/* ---- for what reads, writes and copies by tables --------------------------------------------- */

/* An integer, enum or bool of that many bytes. */
int64_t hs_field_load(const void *value, size_t size);
void hs_field_store(void *value, size_t size, int64_t number);

/* Where the value lies; behind a pointer NULL where there is none. */
void *hs_field_value(const struct hs_field *field, const void *object);
/* Elements of a list, and what one is made of; it is no object where its only row has no key. */
size_t hs_field_count(const struct hs_field *field, const void *object);
const struct hs_fields *hs_field_element(const struct hs_field *field);
/* Frees what rows own. */
void hs_fields_free(const struct hs_fields *fields, void *object);

#endif
