/*
 * fields_parts.h - what reading, writing and copying by tables share. Internal to base.
 */
#ifndef HS_BASE_FIELDS_PARTS_H
#define HS_BASE_FIELDS_PARTS_H

#include "base/fields.h"

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
