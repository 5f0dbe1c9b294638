/*
 * system_parts.h - inside the readers and writers of system files: units of the file, and objects
 * being filled. Not for other folders.
 */
#ifndef HS_MODEL_SYSTEM_PARTS_H
#define HS_MODEL_SYSTEM_PARTS_H

#include <stdbool.h>

#include "base/json.h"

struct cJSON;

extern const struct hs_json_bounds hs_bounds_positive;     /* bandwidths in GB/s; bytes */
extern const struct hs_json_bounds hs_bounds_not_negative; /* microseconds; ratios */

/* Units of the file and SI. hs_to_X gives the number that hs_from_X reads back as exactly this
 * value; where a value lies between two numbers of the unit that are next to each other, the
 * nearest, which is one unit in the last place off and from then on stays as it is. */
double hs_from_microseconds(double value);
double hs_to_microseconds(double seconds);
double hs_from_gigabytes(double value);
double hs_to_gigabytes(double bytes_per_second);
double hs_from_percent(double value);
double hs_to_percent(double fraction);

/* Text member to an owned copy; an absent member stays NULL. HS_INVALID, HS_MEMORY. */
enum hs_status hs_read_text(char **out, const struct hs_json *object, const char *key,
                            struct hs_error *err);

/* A JSON object being filled; `failed` once memory ran out, which is reported at the end. */
struct hs_writer {
    struct cJSON *object;
    bool failed;
};

struct hs_writer hs_writer_begin(void);
/* NULL is a text that is left out. */
void hs_writer_text(struct hs_writer *writer, const char *key, const char *text);
/* A number that is not finite is left out. */
void hs_writer_number(struct hs_writer *writer, const char *key, double value);
/* Takes over `item`; NULL: memory ran out. */
void hs_writer_item(struct hs_writer *writer, const char *key, struct cJSON *item);
/* The object, owned by the caller, or NULL. */
struct cJSON *hs_writer_finish(struct hs_writer *writer);

/* Takes over `item`, which may be NULL, at the end of `array`, which may be NULL too. Returns the
 * array; NULL once memory ran out, and everything is freed then. */
struct cJSON *hs_array_append(struct cJSON *array, struct cJSON *item);

#endif
