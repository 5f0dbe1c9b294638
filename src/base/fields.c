/*
 * Structs by their tables: fallbacks, copies, comparison, release.
 */
#include "base/fields.h"

#include <stdlib.h>
#include <string.h>

/* ---- places and values ---- */

int64_t hs_field_load(const void *value, size_t size)
{
    return size == sizeof(int64_t)   ? *(const int64_t *)value
           : size == sizeof(int32_t) ? *(const int32_t *)value
                                     : *(const bool *)value;
}

void hs_field_store(void *value, size_t size, int64_t number)
{
    if (size == sizeof(int64_t))
        *(int64_t *)value = number;
    else if (size == sizeof(int32_t))
        *(int32_t *)value = (int32_t)number;
    else
        *(bool *)value = number != 0;
}

void *hs_field_value(const struct hs_field *field, const void *object)
{
    char *value = (char *)object + field->offset;

    if (field->owned)
        memcpy(&value, value, sizeof(value));
    return value;
}

const void *hs_place_of(const struct hs_place *place, const struct hs_fields *fields)
{
    while (place && place->fields != fields)
        place = place->parent;
    return place ? place->object : NULL;
}

static bool is_list(const struct hs_field *field)
{
    return field->kind == HS_LIST || field->kind == HS_FACTS || field->kind == HS_SECONDS;
}

size_t hs_field_count(const struct hs_field *field, const void *object)
{
    if (field->other_size == 0) /* as many as there is place for */
        return field->size / hs_field_element(field)->size;
    return (size_t)hs_field_load((const char *)object + field->other_offset, field->other_size);
}

static const struct hs_field second_row = {NULL, HS_NUMBER, .size = sizeof(double)};
static const struct hs_fields second_fields = {
    .rows = &second_row, .count = 1, .size = sizeof(double)};
static const struct hs_field fact_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct hs_fact, name)},
    {"text", HS_TEXT, HS_OWNED(struct hs_fact, text)},
};
static const struct hs_fields fact_fields = {HS_ROWS(fact_rows, struct hs_fact)};

const struct hs_fields *hs_field_element(const struct hs_field *field)
{
    return field->kind == HS_SECONDS ? &second_fields
           : field->kind == HS_FACTS ? &fact_fields
                                     : field->fields;
}

/* ---- fallbacks ---- */

void hs_fields_init(const struct hs_fields *fields, void *object)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct hs_field *field = &fields->rows[i];
        char *value = (char *)object + field->offset;
        bool number =
            field->kind == HS_NUMBER || field->kind == HS_TIME || field->kind == HS_INTERVAL;

        if (field->kind == HS_OBJECT && field->presence == HS_REQUIRED && !field->owned)
            hs_fields_init(field->fields, value);
        else if (field->presence == HS_REQUIRED || field->compute || field->owned)
            continue;
        else if (number || field->kind == HS_SECONDS)
            for (size_t at = 0; at < field->size; at += sizeof(double))
                *(double *)(void *)(value + at) = field->fallback;
        else if (!isnan(field->fallback) && field->kind != HS_TEXT && field->kind != HS_CUSTOM)
            hs_field_store(value, field->size, (int64_t)field->fallback);
    }
}

/* ---- what is owned ---- */

/* A block of its own in place of the one that the pointer leads to. */
static bool copy_block(void *pointer, const void *original, size_t bytes)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);

    if (copy)
        memcpy(copy, original, bytes);
    memcpy(pointer, &copy, sizeof(copy));
    return copy;
}

/* Copies, or frees, what rows own. Copies all it can even where memory runs out: nothing is shared
 * with the original then. */
static bool own(const struct hs_fields *fields, void *object, bool copy)
{
    bool whole = true;

    for (size_t r = 0; r < fields->count; r++) {
        const struct hs_field *field = &fields->rows[r];
        const struct hs_fields *inner = hs_field_element(field);
        char *pointer = (char *)object + field->offset, *value = hs_field_value(field, object);
        size_t count = is_list(field) ? hs_field_count(field, object) : 1;

        if (!value || (!inner && !field->owned))
            continue;
        if (copy && field->owned)
            whole = copy_block(pointer, value, inner ? count * inner->size : strlen(value) + 1) &&
                    whole;
        value = hs_field_value(field, object);
        for (size_t i = 0; inner && value && i < count; i++)
            whole = own(inner, value + i * inner->size, copy) && whole;
        if (!copy && field->owned) {
            free(value);
            memset(pointer, 0, sizeof(void *));
        }
    }
    return whole;
}

void hs_fields_free(const struct hs_fields *fields, void *object)
{
    own(fields, object, false);
}

void hs_fields_release(const struct hs_fields *fields, void *object)
{
    own(fields, object, false);
    memset(object, 0, fields->size);
}

enum hs_status hs_fields_copy(const struct hs_fields *fields, void *copy, const void *object,
                              struct hs_error *err)
{
    memcpy(copy, object, fields->size);
    if (own(fields, copy, true))
        return HS_OK;
    hs_fields_release(fields, copy);
    return hs_no_memory(err);
}

bool hs_fields_equal(const struct hs_fields *fields, const void *a, const void *b)
{
    struct hs_text left = {0}, right = {0};
    bool equal = hs_fields_print(&left, fields, a, true, NULL) == HS_OK &&
                 hs_fields_print(&right, fields, b, true, NULL) == HS_OK &&
                 strcmp(left.data, right.data) == 0;

    hs_text_release(&left);
    hs_text_release(&right);
    return equal;
}
