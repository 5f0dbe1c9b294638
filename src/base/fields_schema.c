/*
 * The JSON Schema of a table.
 */
#include <stdio.h>
#include <string.h>

#include "base/fields.h"

#define DRAFT           "https://json-schema.org/draft/2020-12/schema"
#define DEFINITIONS_MAX 32

#define USABLE "\"type\": \"number\", \"minimum\": 1e-60, \"maximum\": 1e64"
#define TIME   "\"oneOf\": [{ \"const\": 0 }, { " USABLE " }]"

/* The type of each kind, what its min and max are called, and members that it always has. */
static const struct {
    const char *type, *min, *max, *more;
} kinds[] = {
    [HS_INTEGER] = {"integer", "minimum", "maximum", NULL},
    [HS_NUMBER] = {"number", "minimum", "maximum", NULL},
    [HS_WHOLE] = {NULL, NULL, NULL,
                  "\"oneOf\": [\n"
                  "  { \"type\": \"integer\", \"minimum\": 0, \"maximum\": 9007199254740991 },\n"
                  "  { \"type\": \"string\", \"pattern\": \"^[1-9][0-9]{15,19}$\" } ]"},
    [HS_TIME] = {NULL, NULL, NULL, TIME},
    [HS_BOOL] = {"boolean", NULL, NULL, NULL},
    [HS_TEXT] = {"string", "minLength", NULL, NULL},
    [HS_CUSTOM] = {"string", NULL, NULL, NULL},
    [HS_INTERVAL] = {"array", NULL, NULL,
                     "\"minItems\": 2, \"maxItems\": 2,\n"
                     "\"items\": { " TIME " }"},
    [HS_SECONDS] = {"array", "minItems", "maxItems", "\"items\": { " TIME " }"},
    [HS_LIST] = {"array", "minItems", "maxItems", NULL},
    [HS_FACTS] = {"object", NULL, "maxProperties",
                  "\"propertyNames\": { \"minLength\": 1 },\n"
                  "\"additionalProperties\": { \"type\": \"string\" }"},
};

static void put_object(struct hs_json_writer *w, const struct hs_fields *fields);

/* Another file's schema, a definition of this one, or the members of an object's schema. */
static void put_reference(struct hs_json_writer *w, const struct hs_fields *fields)
{
    char local[128];

    snprintf(local, sizeof(local), "#/$defs/%s", fields->name ? fields->name : "");
    if (fields->id || fields->name)
        hs_json_write_text(w, "$ref", fields->id ? fields->id : local);
    else
        put_object(w, fields);
}

static void put_choices(struct hs_json_writer *w, const struct hs_field *field)
{
    if (field->list) {
        hs_json_write_raw(w, NULL, "\"type\": \"string\", \"minLength\": 1");
        return;
    }
    hs_json_open(w, "enum", '[');
    for (size_t i = 0; i < field->name_count; i++)
        hs_json_write_text(w, NULL, field->names[i]);
    hs_json_close(w, ']');
}

static void put_type(struct hs_json_writer *w, const struct hs_field *field)
{
    const char *min = kinds[field->kind].min;
    bool number = field->kind == HS_INTEGER || field->kind == HS_NUMBER;

    hs_json_write_text(w, "type", kinds[field->kind].type);
    if (min && (number || field->min > 0))
        hs_json_write_number(w, field->above ? "exclusiveMinimum" : min, field->min);
    if (kinds[field->kind].max)
        hs_json_write_number(w, kinds[field->kind].max, field->max);
    if (kinds[field->kind].more)
        hs_json_write_raw(
            w, NULL, field->kind == HS_TIME && field->above ? USABLE : kinds[field->kind].more);
    if (field->form || field->custom)
        hs_json_write_text(w, "pattern",
                           field->form ? field->form->pattern : field->custom->pattern);
    if ((field->custom && field->custom->pattern) || (field->kind == HS_TEXT && !field->owned))
        hs_json_write_number(w, "maxLength",
                             (double)(field->custom ? HS_FIELD_TEXT : field->size) - 1);
    if (field->kind == HS_CHOICE)
        put_choices(w, field);
    if (field->kind == HS_CONSTANT && !field->form)
        hs_json_write_text(w, "const", field->text);
}

static void put_value(struct hs_json_writer *w, const struct hs_field *field)
{
    if (field->kind == HS_OBJECT) {
        put_reference(w, field->fields);
    } else if (field->kind == HS_LIST) {
        put_type(w, field);
        hs_json_open(w, "items", '{');
        if (field->fields->rows[0].key)
            put_reference(w, field->fields);
        else
            put_type(w, &field->fields->rows[0]);
        hs_json_close(w, '}');
    } else if (field->presence == HS_NULL) {
        hs_json_open(w, "oneOf", '[');
        hs_json_open(w, NULL, '{');
        put_type(w, field);
        hs_json_close(w, '}');
        hs_json_write_raw(w, NULL, "{ \"type\": \"null\" }");
        hs_json_close(w, ']');
    } else {
        put_type(w, field);
    }
}

static void put_default(struct hs_json_writer *w, const struct hs_field *field)
{
    if (field->kind == HS_BOOL)
        hs_json_write_bool(w, "default", field->fallback != 0);
    else if (field->kind == HS_CHOICE)
        hs_json_write_text(w, "default", field->names[(int)field->fallback - field->first]);
    else
        hs_json_write_number(w, "default", field->fallback);
}

static void put_properties(struct hs_json_writer *w, const struct hs_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct hs_field *field = &fields->rows[i];

        if (field->kind == HS_PART) {
            put_properties(w, field->fields);
            continue;
        }
        hs_json_open(w, field->key, '{');
        hs_json_write_text(w, "description", field->about);
        put_value(w, field);
        if (field->presence == HS_DEFAULT)
            put_default(w, field);
        hs_json_close(w, '}');
    }
}

/* What has to be there; where anything has, the list is open then. */
static void put_required(struct hs_json_writer *w, const struct hs_fields *fields, bool *any)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct hs_field *field = &fields->rows[i];

        if (field->presence != HS_REQUIRED)
            continue;
        if (!*any)
            hs_json_open(w, "required", '[');
        *any = true;
        if (field->kind == HS_PART)
            put_required(w, field->fields, any);
        else
            hs_json_write_text(w, NULL, field->key);
    }
}

/* The members of an object's schema. */
static void put_object(struct hs_json_writer *w, const struct hs_fields *fields)
{
    bool any = false;

    hs_json_write_text(w, "type", "object");
    hs_json_write_bool(w, "additionalProperties", false);
    put_required(w, fields, &any);
    if (any)
        hs_json_close(w, ']');
    if (fields->rules)
        hs_json_write_raw(w, NULL, fields->rules);
    hs_json_open(w, "properties", '{');
    put_properties(w, fields);
    hs_json_close(w, '}');
}

/* Adds every table with a name that this one leads to, once. */
static size_t find_named(const struct hs_fields **named, size_t count,
                         const struct hs_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct hs_fields *inner = fields->rows[i].fields;
        size_t known = 0;

        while (known < count && named[known] != inner)
            known++;
        if (!inner || inner->id || known < count || count == DEFINITIONS_MAX)
            continue;
        if (inner->name)
            named[count++] = inner;
        count = find_named(named, count, inner);
    }
    return count;
}

enum hs_status hs_fields_print_schema(struct hs_text *out, const struct hs_fields *fields,
                                      struct hs_error *err)
{
    struct hs_json_writer w = {.text = out, .err = err};
    const struct hs_fields *named[DEFINITIONS_MAX];
    size_t count = find_named(named, 0, fields);

    hs_json_open(&w, NULL, '{');
    hs_json_write_text(&w, "$schema", DRAFT);
    hs_json_write_text(&w, "$id", fields->id);
    hs_json_write_text(&w, "title", fields->title);
    hs_json_write_text(&w, "description", fields->about);
    put_object(&w, fields);
    hs_json_open(&w, "$defs", '{');
    for (size_t i = 0; i < count; i++) {
        hs_json_open(&w, named[i]->name, '{');
        hs_json_write_text(&w, "description", named[i]->about);
        put_object(&w, named[i]);
        hs_json_close(&w, '}');
    }
    hs_json_close(&w, '}');
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}
