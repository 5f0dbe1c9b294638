/* Questions of the library: options by name, by the rows that the command line has. */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/json_write.h"

static const struct hs_question_kind *const kinds[] = {
    &hs_kind_predict,  &hs_kind_check,   &hs_kind_place,   &hs_kind_shard,
    &hs_kind_fit,      &hs_kind_export,  &hs_kind_plot,    &hs_kind_report,
    &hs_kind_simulate, &hs_kind_systems, &hs_kind_profile,
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

enum hs_status hs_question_kind_find(const struct hs_question_kind **kind, const char *name,
                                     struct hs_error *err)
{
    const char *names[KINDS];
    size_t index = 0;
    enum hs_status status = hs_expect(name, "a kind of question", err);

    if (status != HS_OK)
        return status;
    for (size_t i = 0; i < KINDS; i++)
        names[i] = kinds[i]->name;
    status = hs_name_find(&index, name, "kind of question", names, KINDS, err);
    *kind = kinds[index];
    return status;
}

const struct hs_option *hs_question_rows(const struct hs_question_kind *kind, size_t *bytes)
{
    *bytes = kind->settings_bytes;
    return kind->rows;
}

void *hs_question_field(const struct hiersearch_question *question, const char *name)
{
    const struct hs_option *row = NULL;

    hs_option_find(&row, question->kind->rows, name, NULL);
    return row ? (char *)question->settings + row->offset : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum hs_status read_value(void *settings, const struct hs_option *row, const char *value,
                                 struct hs_error *err)
{
    if (!row->type->is_flag || strcmp(value, "true") == 0)
        return hs_option_read(settings, row, value, err);
    if (strcmp(value, "false") == 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "--%s: expected true or false, found \"%.60s\"", row->name,
                   value);
}

/* All settings, from the values: what was set before them leaves nothing behind. */
static enum hs_status read_values(struct hiersearch_question *question, struct hs_error *err)
{
    const struct hs_question_kind *kind = question->kind;
    enum hs_status status;

    memset(question->settings, 0, kind->settings_bytes);
    status = hs_options_fall_back(question->settings, kind->rows, err);
    for (size_t i = 0; kind->rows[i].name && status == HS_OK; i++)
        if (question->values[i])
            status = read_value(question->settings, &kind->rows[i], question->values[i], err);
    return status;
}

static enum hs_status set_value(struct hiersearch_question *question, const char *name,
                                const char *value, struct hs_error *err)
{
    const struct hs_option *row;
    char **place, *before, *copy = hs_strdup(value);
    enum hs_status status = hs_expect(question, "a question", err);

    if (status == HS_OK)
        status = hs_expect(name, "the name of an option", err);
    if (status == HS_OK)
        status = hs_option_find(&row, question->kind->rows, name, err);
    if (status == HS_OK && value && strcmp(value, "-") == 0) /* stdin is the caller's */
        status = hs_fail(err, HS_INVALID, "--%s: expected a value, found \"-\"", row->name);
    if (status == HS_OK && value && !copy)
        status = hs_no_memory(err);
    if (status != HS_OK) {
        free(copy);
        return status;
    }
    place = &question->values[row - question->kind->rows];
    before = *place;
    *place = copy;
    status = read_values(question, err);
    if (status != HS_OK) { /* as it was: those values were read before */
        *place = before;
        before = copy;
        read_values(question, NULL);
    }
    free(before);
    return status;
}

enum hiersearch_status hiersearch_question_set(struct hiersearch_question *question,
                                               const char *name, const char *value,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    return hs_call_end(call, set_value(question, name, value, hs_error_of(error)));
}

/* ---- questions ------------------------------------------------------------------------------- */

static enum hs_status new_question(struct hiersearch_question **out,
                                   const struct hs_question_kind *kind, struct hs_error *err)
{
    struct hiersearch_question *question = calloc(1, sizeof(*question));
    enum hs_status status = HS_MEMORY;

    if (question) {
        question->kind = kind;
        question->settings = calloc(1, kind->settings_bytes);
        question->values = calloc(hs_option_count_rows(kind->rows), sizeof(*question->values));
        if (question->settings && question->values)
            status = read_values(question, err);
    }
    if (status == HS_OK) {
        *out = question;
        return HS_OK;
    }
    hiersearch_question_free(question);
    return status == HS_MEMORY ? hs_no_memory(err) : status;
}

enum hiersearch_status hiersearch_question_new(struct hiersearch_question **question,
                                               const char *kind, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    const struct hs_question_kind *found;
    enum hs_status status = hs_question_kind_find(&found, kind, hs_error_of(error));

    if (!question)
        return hs_call_end(call, hs_expect_place(question, hs_error_of(error)));
    *question = NULL;
    if (status == HS_OK)
        status = new_question(question, found, hs_error_of(error));
    return hs_call_end(call, status);
}

void hiersearch_question_free(struct hiersearch_question *question)
{
    if (!question)
        return;
    for (size_t i = 0; question->values && question->kind->rows[i].name; i++)
        free(question->values[i]);
    free(question->values);
    free(question->settings);
    free(question);
}

enum hs_status hs_question_settings(const void **settings, void *usual,
                                    const struct hiersearch_question *question, const char *kind,
                                    struct hs_error *err)
{
    const struct hs_question_kind *found;
    enum hs_status status = HS_OK;

    if (question && strcmp(question->kind->name, kind) != 0)
        return hs_fail(err, HS_INVALID, "expected a question of kind \"%s\", found \"%s\"", kind,
                       question->kind->name);
    if (!question && !usual)
        return hs_fail(err, HS_INVALID, "expected a question of kind \"%s\", found none", kind);
    *settings = question ? question->settings : usual;
    if (!question)
        status = hs_question_kind_find(&found, kind, err);
    if (!question && status == HS_OK)
        status = hs_options_fall_back(usual, found->rows, err);
    return status;
}

void hs_question_append(struct hs_text *command, const struct hiersearch_question *question,
                        const char *but)
{
    const struct hs_option *rows = question ? question->kind->rows : NULL;

    for (size_t i = 0; rows && rows[i].name; i++) {
        const char *value = question->values ? question->values[i] : NULL;

        if (!value || (rows[i].type->is_flag && strcmp(value, "true") != 0) ||
            (but && strcmp(rows[i].name, but) == 0))
            continue;
        hs_text_append(command, " --%s", rows[i].name);
        if (rows[i].type->is_flag)
            continue;
        hs_text_append(command, " ");
        hs_command_word_append(command, value);
    }
}

/* ---- what can be set ------------------------------------------------------------------------- */

static void write_row(struct hs_json_writer *w, const struct hs_option *row)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "name", row->name);
    hs_json_write_text(w, "argument", row->argument);
    hs_json_write_text(w, "default", row->fallback);
    if (row->words && row->type->one_of_words) {
        hs_json_open(w, "words", '[');
        for (const char *const *word = row->words(); *word; word++)
            hs_json_write_text(w, NULL, *word);
        hs_json_close(w, ']');
    }
    hs_json_write_text(w, "help", row->help);
    hs_json_close(w, '}');
}

enum hiersearch_status hiersearch_options_json(char **json, const char *kind,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    struct hs_json_writer w = {.text = &text, .err = hs_error_of(error)};
    const struct hs_question_kind *found;
    enum hs_status status = hs_question_kind_find(&found, kind, hs_error_of(error));

    if (status == HS_OK) {
        hs_json_open(&w, NULL, '[');
        for (const struct hs_option *row = found->rows; row->name; row++)
            write_row(&w, row);
        hs_json_close(&w, ']');
        status = hs_json_finish(&w);
    }
    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}
