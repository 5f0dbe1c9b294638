/*
 * json_build.h - trees of cJSON for files that are written: what fails is remembered, and said
 * once.
 *
 *     struct hs_json_builder b = {HS_OK, err};
 *     cJSON *top = cJSON_CreateObject();
 *     hs_json_put_text(&b, top, "format", "...");
 *     if (!b.status)
 *         b.status = hs_json_print(out, top, err);
 *     cJSON_Delete(top);
 *
 * Objects and arrays may be NULL: then nothing is put there, and that counts as out of memory. Keys
 * have to be literals, they are not copied.
 */
#ifndef HS_BASE_JSON_BUILD_H
#define HS_BASE_JSON_BUILD_H

#include <stdbool.h>

#include "base/error.h"

struct cJSON;

struct hs_json_builder {
    enum hs_status status; /* the first failure */
    struct hs_error *err;  /* its text */
};

/* Remembers that there was no memory. */
void hs_json_no_memory(struct hs_json_builder *builder);

/* The item belongs to the object or array afterwards, whatever happens; returned, or NULL. */
struct cJSON *hs_json_put(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                          struct cJSON *item);
struct cJSON *hs_json_append(struct hs_json_builder *builder, struct cJSON *array,
                             struct cJSON *item);
/* NULL is a text that does not exist, NaN and infinity numbers that do not: nothing is put. */
void hs_json_put_text(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                      const char *text);
void hs_json_put_number(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                        double value);
void hs_json_put_bool(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                      bool value);

#endif
