/*
 * Writing by tables.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/units.h"

/* A row of a struct that is written. */
struct task {
    struct hs_json_writer *w;
    const struct hs_field *field;
    const struct hs_place *place;
    const void *value; /* NULL: a pointer that leads nowhere */
    bool optional;     /* the fallback is not written */
};

static void write_rows(struct hs_json_writer *w, const struct hs_place *place);

static void write_object(struct hs_json_writer *w, const char *key, const struct hs_place *place)
{
    hs_json_open(w, key, '{');
    write_rows(w, place);
    hs_json_close(w, '}');
}

static void write_constant(const struct task *t)
{
    hs_json_write_text(t->w, t->field->key, t->field->text);
}

static void write_text(const struct task *t)
{
    const char *text = t->value;

    if (t->field->owned || !t->optional || text[0])
        hs_json_write_text(t->w, t->field->key, text);
}

static void write_custom(const struct task *t)
{
    char text[HS_FIELD_TEXT];

    if (t->field->other_size == 0 || hs_field_count(t->field, t->place->object) > 0)
        hs_json_write_text(t->w, t->field->key, t->field->custom->format(text, t->value, t->place));
}

static void write_number(const struct task *t)
{
    const struct hs_file_unit *unit = t->field->unit;
    double number = t->field->compute ? t->field->compute(t->place) : *(const double *)t->value;

    if (isfinite(number) && !(t->optional && number == t->field->fallback))
        hs_json_write_number(t->w, t->field->key, unit ? unit->to(number) : number);
}

/* Its ends are those that reading and writing leave as they are: half of it is what the upper end
 * says. */
static void write_interval(const struct task *t)
{
    double middle = *(const double *)((const char *)t->place->object + t->field->other_offset);
    double high = middle + *(const double *)t->value;
    const double ends[2] = {fmax(0, middle - (high - middle)), high};

    if (isfinite(high))
        hs_json_write_numbers(t->w, t->field->key, ends, 2);
}

static void write_integer(const struct task *t)
{
    const struct hs_field *field = t->field;
    const char *listed[HS_CHOICES_MAX];
    int64_t number = hs_field_load(t->value, field->size);

    if (field->presence == HS_NULL && number == (int64_t)field->fallback) {
        hs_json_write_raw(t->w, field->key, "null");
    } else if (t->optional && number == (int64_t)field->fallback) {
        return;
    } else if (field->kind == HS_BOOL) {
        hs_json_write_bool(t->w, field->key, number != 0);
    } else if (field->kind == HS_CHOICE) {
        size_t count = field->list ? field->list(listed, t->place) : field->name_count;

        assert((size_t)(number - field->first) < count);
        hs_json_write_text(t->w, field->key,
                           (field->list ? listed : field->names)[number - field->first]);
    } else if (field->kind == HS_WHOLE) {
        hs_json_write_whole(t->w, field->key, (uint64_t)number);
    } else {
        hs_json_write_number(t->w, field->key, (double)number);
    }
}

/* Every element has to exist: leaving one out would shift those after it. */
static void write_seconds(const struct task *t)
{
    const double *seconds = t->value;
    size_t count = hs_field_count(t->field, t->place->object);

    for (size_t i = 0; i < count && !t->w->status; i++) {
        if (!isfinite(seconds[i]) && !t->field->owned)
            return;
        if (!hs_seconds_usable(seconds[i]))
            t->w->status =
                hs_fail(t->w->err, HS_FAILED, "%s[%zu]: expected seconds of 0 or more, found %g",
                        t->field->key, i, seconds[i]);
    }
    if (!t->w->status && !(t->optional && count == 0))
        hs_json_write_numbers(t->w, t->field->key, seconds, count);
}

static void write_list(const struct task *t)
{
    const struct hs_fields *fields = hs_field_element(t->field);
    const char *items = t->value;
    size_t count = hs_field_count(t->field, t->place->object);

    if (t->optional && count == 0)
        return;
    hs_json_open(t->w, t->field->key, '[');
    for (size_t i = 0; i < count && !t->w->status; i++) {
        struct hs_place element = {fields, items + i * fields->size, NULL, t->place};

        if (fields->rows[0].key)
            write_object(t->w, NULL, &element);
        else
            write_rows(t->w, &element);
    }
    hs_json_close(t->w, ']');
}

static void write_facts(const struct task *t)
{
    const struct hs_fact *facts = t->value;

    hs_json_open(t->w, t->field->key, '{');
    for (size_t i = 0; i < hs_field_count(t->field, t->place->object); i++)
        hs_json_write_text(t->w, facts[i].name, facts[i].text);
    hs_json_close(t->w, '}');
}

static void write_inner(const struct task *t)
{
    struct hs_place inner = {t->field->fields, t->value, NULL, t->place};

    if (!t->value || (t->field->other_size > 0 && hs_field_count(t->field, t->place->object) == 0))
        return;
    if (t->field->kind == HS_OBJECT)
        write_object(t->w, t->field->key, &inner);
    else
        write_rows(t->w, &inner);
}

static void (*const writers[])(const struct task *) = {
    [HS_CONSTANT] = write_constant, [HS_INTEGER] = write_integer, [HS_WHOLE] = write_integer,
    [HS_NUMBER] = write_number,     [HS_TIME] = write_number,     [HS_BOOL] = write_integer,
    [HS_CHOICE] = write_integer,    [HS_TEXT] = write_text,       [HS_CUSTOM] = write_custom,
    [HS_INTERVAL] = write_interval, [HS_SECONDS] = write_seconds, [HS_FACTS] = write_facts,
    [HS_LIST] = write_list,         [HS_OBJECT] = write_inner,    [HS_PART] = write_inner,
};

static void write_rows(struct hs_json_writer *w, const struct hs_place *place)
{
    for (size_t i = 0; i < place->fields->count && !w->status; i++) {
        const struct hs_field *field = &place->fields->rows[i];
        struct task task = {w, field, place, hs_field_value(field, place->object),
                            field->presence == HS_ABSENT && !field->when};

        if (!field->when || field->when(place))
            writers[field->kind](&task);
    }
}

void hs_fields_write(struct hs_json_writer *w, const char *key, const struct hs_fields *fields,
                     const void *object)
{
    write_object(w, key, &(struct hs_place){.fields = fields, .object = object});
}

enum hs_status hs_fields_print(struct hs_text *out, const struct hs_fields *fields,
                               const void *object, bool compact, struct hs_error *err)
{
    struct hs_json_writer w = {
        .text = out, .err = err, .compact = compact, .limit = out->length + HS_JSON_BYTES_MAX};

    hs_fields_write(&w, NULL, fields, object);
    return hs_json_finish(&w);
}
