/*
 * Reading by tables. Whatever fails leaves a struct that can be released.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "base/list.h"

#define KEYS_MAX 64 /* of one object */

/* A row of a struct that is read. */
struct task {
    const struct hs_field *field;
    char *object;
    void *value; /* in the struct: itself, or the pointer to it */
    const struct hs_json *at;
    const struct hs_place *place;
    struct hs_error *err;
};

static enum hs_status read_value(void *object, const struct hs_field *field,
                                 const struct hs_json *at, const struct hs_place *place,
                                 struct hs_error *err);

/* ---- single values ---- */

static enum hs_status read_text(const struct task *t)
{
    const struct hs_field *field = t->field;
    const char *text;
    enum hs_status status = hs_json_read_string(&text, t->at, t->err);

    if (status)
        return status;
    if (field->form && !field->form->valid(text))
        return hs_json_unexpected(t->at, t->err, field->form->expected);
    if (field->kind == HS_CONSTANT && !field->form && strcmp(text, field->text) != 0)
        return hs_json_fail(t->at, t->err, "expected \"%s\", found \"%.60s\"", field->text, text);
    if (field->kind == HS_CONSTANT)
        return HS_OK;
    if (field->min > 0 && !text[0])
        return hs_json_fail(t->at, t->err, "expected a text that is not empty");
    if (!field->owned && strlen(text) >= field->size)
        return hs_json_fail(t->at, t->err, "longer than %zu bytes", field->size - 1);
    if (!field->owned)
        memcpy(t->value, text, strlen(text) + 1);
    else if (!(*(char **)t->value = hs_strdup(text)))
        return hs_no_memory(t->err);
    return HS_OK;
}

static enum hs_status read_custom(const struct task *t)
{
    struct hs_error why = {HS_OK, ""};
    const char *text;
    enum hs_status status = hs_json_read_string(&text, t->at, t->err);

    if (!status && t->field->custom->parse(t->value, text, t->place, &why))
        status = hs_json_fail(t->at, t->err, "%s", why.message);
    return status;
}

static enum hs_status read_number(const struct task *t)
{
    struct hs_json_bounds bounds = {t->field->min, t->field->max, t->field->above};
    double number;
    enum hs_status status = hs_json_read_number(&number, t->at, &bounds, t->err);

    if (!status && !t->field->compute)
        *(double *)t->value = t->field->unit ? t->field->unit->from(number) : number;
    return status;
}

static enum hs_status read_time(const struct task *t)
{
    double seconds;
    enum hs_status status = hs_json_read_seconds(&seconds, t->at, t->err);

    if (!status && t->field->above && seconds == 0)
        status = hs_json_unexpected(t->at, t->err, "a number above 0");
    if (!status)
        *(double *)t->value = seconds;
    return status;
}

static enum hs_status read_bool(const struct task *t)
{
    return hs_json_read_bool(t->value, t->at, t->err);
}

static enum hs_status read_whole(const struct task *t)
{
    return hs_json_read_whole(t->value, t->at, (uint64_t)t->field->min, t->err);
}

static enum hs_status read_integer(const struct task *t)
{
    int64_t number;
    enum hs_status status = hs_json_read_integer(&number, t->at, (int64_t)t->field->min,
                                                 (int64_t)t->field->max, t->err);

    if (!status)
        hs_field_store(t->value, t->field->size, number);
    return status;
}

static enum hs_status read_choice(const struct task *t)
{
    const struct hs_field *field = t->field;
    const char *listed[HS_CHOICES_MAX];
    size_t choice, count = field->list ? field->list(listed, t->place) : field->name_count;
    enum hs_status status =
        hs_json_read_choice(&choice, t->at, field->list ? listed : field->names, count, t->err);

    if (!status)
        hs_field_store(t->value, field->size, field->first + (int64_t)choice);
    return status;
}

/* ---- lists ---- */

/* What added to `middle` gives `high` again, which the rounded difference need not do. */
static double half_width(double middle, double high)
{
    double width = high - middle;

    if (middle + width < high)
        return nextafter(width, INFINITY);
    return middle + width > high ? nextafter(width, 0) : width;
}

static enum hs_status read_interval(const struct task *t)
{
    double ends[2] = {0}, middle = *(const double *)(void *)(t->object + t->field->other_offset);
    struct hs_json end = hs_json_first(t->at);
    size_t count;
    enum hs_status status = hs_json_array(&count, t->at, 2, 2, t->err);

    for (; !status && end.node; hs_json_next(&end))
        status = hs_json_read_seconds(&ends[end.index], &end, t->err);
    if (status)
        return status;
    if (!(ends[0] <= middle && middle <= ends[1]))
        return hs_json_fail(t->at, t->err, "expected an interval around %.9g, found %.9g to %.9g",
                            middle, ends[0], ends[1]);
    *(double *)t->value = half_width(middle, ends[1]);
    return HS_OK;
}

/* No element before this one has the same where that is asked for. */
static enum hs_status check_unique(const struct task *list, const char *items,
                                   const struct hs_json *at)
{
    const struct hs_fields *fields = list->field->fields;

    for (size_t r = 0; r < fields->count; r++) {
        const struct hs_field *field = &fields->rows[r];
        const char *value = hs_field_value(field, items + at->index * fields->size);
        struct hs_json member = hs_json_find(at, field->key);
        char found[HS_JSON_FOUND];

        for (size_t i = 0; field->unique && i < at->index; i++) {
            const char *earlier = hs_field_value(field, items + i * fields->size);

            if (field->kind == HS_TEXT ? strcmp(value, earlier) == 0
                                       : memcmp(value, earlier, field->size) == 0)
                return hs_json_fail(&member, list->err, "%s is already that of %s[%zu]",
                                    hs_json_describe(found, &member), list->field->key, i);
        }
    }
    return HS_OK;
}

static enum hs_status read_object(void *object, const struct hs_place *place, struct hs_error *err);

static enum hs_status read_element(const struct task *list, char *items, const struct hs_json *at)
{
    const struct hs_fields *fields = hs_field_element(list->field);
    char *element = items + at->index * fields->size;
    struct hs_place place = {fields, element, at, list->place};
    enum hs_status status;

    if (list->field->kind == HS_SECONDS)
        return hs_json_read_seconds((double *)(void *)element, at, list->err);
    if (!fields->rows[0].key)
        return read_value(element, &fields->rows[0], at, &place, list->err);
    hs_fields_init(fields, element);
    status = read_object(element, &place, list->err);
    return status ? status : check_unique(list, items, at);
}

/* The struct gets the list only once it is whole: what checks an element does not look into it. */
static enum hs_status read_list(const struct task *t)
{
    const struct hs_field *field = t->field;
    const struct hs_fields *fields = hs_field_element(field);
    struct hs_json element = hs_json_first(t->at);
    char *items = t->value;
    size_t count;
    enum hs_status status;

    status = hs_json_array(&count, t->at, (size_t)field->min, (size_t)field->max, t->err);
    if (status)
        return status;
    if (field->owned && !(items = calloc(count > 0 ? count : 1, fields->size)))
        return hs_no_memory(t->err);
    for (; element.node && !status; hs_json_next(&element))
        status = read_element(t, items, &element);
    for (size_t i = 0; i < element.index && status; i++)
        hs_fields_free(fields, items + i * fields->size);
    if (status && field->owned)
        free(items);
    if (status)
        return status;
    if (field->other_size > 0)
        hs_field_store(t->object + field->other_offset, field->other_size, (int64_t)count);
    if (field->owned)
        memcpy(t->value, &items, sizeof(items));
    return HS_OK;
}

static enum hs_status read_facts(const struct task *t)
{
    struct hs_json member = hs_json_first(t->at);

    if (!hs_json_is_object(t->at))
        return hs_json_fail(t->at, t->err, "expected an object of names and texts");
    for (; member.node; hs_json_next(&member)) {
        struct hs_fact *fact;
        const char *text;
        enum hs_status status;

        if (!member.key[0])
            return hs_json_fail(t->at, t->err, "there is a fact without a name");
        if (member.index == (size_t)t->field->max)
            return hs_json_fail(t->at, t->err, "expected %zu facts at most", member.index);
        if ((status = hs_json_read_string(&text, &member, t->err)))
            return status;
        fact = hs_grow(t->value, NULL, member.index, sizeof(*fact), t->err);
        if (!fact)
            return HS_MEMORY;
        *fact = (struct hs_fact){hs_strdup(member.key), hs_strdup(text)};
        hs_field_store(t->object + t->field->other_offset, t->field->other_size,
                       (int64_t)member.index + 1);
        if (!fact->name || !fact->text)
            return hs_no_memory(t->err);
    }
    return HS_OK;
}

/* ---- objects ---- */

/* Adds the keys that the object may have; those of parts that are there, too. */
static size_t list_keys(const char **keys, size_t count, const struct hs_fields *fields,
                        const struct hs_json *at)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct hs_field *field = &fields->rows[i];

        assert(count < KEYS_MAX);
        if (field->kind != HS_PART)
            keys[count++] = field->key;
        else if (hs_json_find(at, field->key).node)
            count = list_keys(keys, count, field->fields, at);
    }
    return count;
}

static enum hs_status read_rows(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_fields *fields = place->fields;
    struct hs_json next = hs_json_first(place->at); /* most files keep the order */
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < fields->count && !status; i++) {
        const struct hs_field *field = &fields->rows[i];
        bool is_next = next.node && strcmp(next.key, field->key) == 0;
        struct hs_json at = is_next ? next : hs_json_find(place->at, field->key);

        if (is_next)
            hs_json_next(&next);
        if (at.node && !(field->presence == HS_NULL && hs_json_is_null(&at)))
            status = read_value(object, field, &at, place, err);
        else if (field->presence == HS_REQUIRED)
            status = hs_json_fail(&at, err, "missing");
    }
    return !status && fields->check ? fields->check(object, place, err) : status;
}

static enum hs_status read_object(void *object, const struct hs_place *place, struct hs_error *err)
{
    const char *keys[KEYS_MAX];
    size_t count = list_keys(keys, 0, place->fields, place->at);
    enum hs_status status = HS_OK;

    if (place->fields->begin && hs_json_is_object(place->at))
        status = place->fields->begin(object, place, err);
    if (!status)
        status = hs_json_object(place->at, keys, count, err);
    return status ? status : read_rows(object, place, err);
}

/* An object in an object, or a part of it. */
static enum hs_status read_inner(const struct task *t)
{
    const struct hs_field *field = t->field;
    const struct hs_fields *fields = field->fields;
    bool part = field->kind == HS_PART;
    char *inner = field->owned ? calloc(1, fields->size) : t->value;
    struct hs_place place = {fields, inner, part ? t->place->at : t->at, t->place};
    enum hs_status status = HS_OK;

    if (!inner)
        return hs_no_memory(t->err);
    if (field->owned)
        memcpy(t->value, &inner, sizeof(inner));
    if (field->other_size == sizeof(bool))
        *(bool *)(t->object + field->other_offset) = true;
    if (field->presence != HS_REQUIRED)
        hs_fields_init(fields, inner);
    if (!part)
        return read_object(inner, &place, t->err);
    if (fields->begin)
        status = fields->begin(inner, &place, t->err);
    return status ? status : read_rows(inner, &place, t->err);
}

/* ---- all of them ---- */

static enum hs_status (*const readers[])(const struct task *) = {
    [HS_CONSTANT] = read_text,     [HS_INTEGER] = read_integer, [HS_WHOLE] = read_whole,
    [HS_NUMBER] = read_number,     [HS_TIME] = read_time,       [HS_BOOL] = read_bool,
    [HS_CHOICE] = read_choice,     [HS_TEXT] = read_text,       [HS_CUSTOM] = read_custom,
    [HS_INTERVAL] = read_interval, [HS_SECONDS] = read_list,    [HS_FACTS] = read_facts,
    [HS_LIST] = read_list,         [HS_OBJECT] = read_inner,    [HS_PART] = read_inner,
};

static enum hs_status read_value(void *object, const struct hs_field *field,
                                 const struct hs_json *at, const struct hs_place *place,
                                 struct hs_error *err)
{
    struct task task = {field, object, (char *)object + field->offset, at, place, err};

    return readers[field->kind](&task);
}

enum hs_status hs_fields_read(const struct hs_fields *fields, void *object,
                              const struct hs_json *at, struct hs_error *err)
{
    struct hs_place place = {fields, object, at, NULL};
    enum hs_status status;

    memset(object, 0, fields->size);
    hs_fields_init(fields, object);
    status = read_object(object, &place, err);
    if (status)
        hs_fields_release(fields, object);
    return status;
}

/* A file of another kind, as a result in place of a system: that is said, and not which of its keys
 * this one has not. Of which version it is, is for those who read it. */
static enum hs_status check_kind(const struct hs_fields *fields, const struct hs_json *top,
                                 struct hs_error *err)
{
    struct hs_json at = hs_json_find(top, "format");
    const char *wanted = fields->count > 0 ? fields->rows[0].text : NULL, *found;
    char expected[64];

    if (!at.node || !wanted || fields->rows[0].kind != HS_CONSTANT ||
        hs_json_read_string(&found, &at, NULL) ||
        strncmp(found, wanted, strcspn(wanted, "/") + 1) == 0)
        return HS_OK;
    snprintf(expected, sizeof(expected), "\"%.60s\"", wanted);
    return hs_json_unexpected(&at, err, expected);
}

/* Takes the document. */
static enum hs_status read_document(const struct hs_fields *fields, void *object,
                                    struct hs_json_document *document, enum hs_status parsed,
                                    struct hs_error *err)
{
    struct hs_json top = hs_json_top(document);

    memset(object, 0, fields->size);
    if (!parsed)
        parsed = check_kind(fields, &top, err);
    if (!parsed)
        parsed = hs_fields_read(fields, object, &top, err);
    hs_json_release(document);
    return parsed;
}

enum hs_status hs_fields_load(const struct hs_fields *fields, void *object, const char *path,
                              struct hs_error *err)
{
    struct hs_json_document document;
    enum hs_status status = hs_json_load(&document, path, err);

    return read_document(fields, object, &document, status, err);
}

enum hs_status hs_fields_parse(const struct hs_fields *fields, void *object, const char *name,
                               const char *text, size_t length, struct hs_error *err)
{
    struct hs_json_document document;
    enum hs_status status = hs_json_parse(&document, name, text, length, err);

    return read_document(fields, object, &document, status, err);
}
