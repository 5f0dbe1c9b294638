/* Exports by the library. */
#include <stdlib.h>

#include "answer/exports.h"
#include "api/handles.h"
#include "base/json_write.h"
#include "base/notes.h"
#include "show/exporters.h"

static const struct hs_option rows[] = {
    HS_ROW_EXPORT_TO(offsetof(struct hs_export_question, settings)),
    HS_ROW_EXPORT_PROFILE(offsetof(struct hs_export_question, profile)),
    HS_ROWS_EXPORT(offsetof(struct hs_export_question, settings)),
    HS_ROW_EXPORT_LIST(offsetof(struct hs_export_question, list)),
    HS_ROWS_SHOWN(NULL, offsetof(struct hs_export_question, print)),
    {.name = NULL},
};

static void write_format(struct hs_json_writer *w, const struct hs_exporter *exporter)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "name", exporter->name);
    hs_json_write_text(w, "library", exporter->library);
    hs_json_write_text(w, "versions", exporter->versions);
    hs_json_write_text(w, "summary", exporter->summary);
    hs_json_write_whole(w, "layers", (uint64_t)exporter->layers);
    hs_json_write_bool(w, "exact", exporter->exact);
    hs_json_write_bool(w, "several", hs_exporter_takes_several(exporter));
    hs_json_close(w, '}');
}

enum hiersearch_status hiersearch_formats_json(char **json, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    struct hs_json_writer w = {.text = &text, .err = hs_error_of(error)};

    hs_json_open(&w, NULL, '[');
    for (size_t i = 0; hs_exporters[i]; i++)
        write_format(&w, hs_exporters[i]);
    hs_json_close(&w, ']');
    return hs_call_end(call, hs_text_give(json, &text, hs_json_finish(&w), hs_error_of(error)));
}

static enum hs_status check_inputs(const struct hs_inputs *inputs, struct hs_error *err)
{
    if (inputs->log_count > 0)
        return hs_fail(err, HS_INVALID, "%s: a log, expected results of measure or predict",
                       inputs->logs[0].file);
    if (inputs->count == 0)
        return hs_fail(err, HS_INVALID, "expected a result of measure or predict");
    return HS_OK;
}

static enum hs_status export_all(struct hs_exports *exports, const struct hs_inputs *inputs,
                                 struct hs_error *err)
{
    enum hs_status status = hs_exports_begin(exports, err);

    for (size_t i = 0; i < inputs->count && status == HS_OK; i++)
        status = hs_exports_add(exports, &inputs->results[i], inputs->inputs[i].name, err);
    if (status == HS_OK)
        status = hs_exports_end(exports, err);
    if (status == HS_OK)
        hs_exports_say(exports);
    return status;
}

static enum hs_status run(struct hs_exports *exports, const struct hs_inputs *inputs,
                          const struct hs_export_question *asked, struct hs_error *err)
{
    struct hs_profile profile = {.ranks = 0};
    enum hs_status status = check_inputs(inputs, err);

    if (status == HS_OK && asked->profile) {
        status = hs_inputs_profile(&profile, asked->profile, err);
        exports->profile = &profile;
    }
    exports->settings = &asked->settings;
    exports->profile_name = asked->profile;
    exports->second = inputs->count > 1 ? inputs->inputs[1].name : NULL;
    if (status == HS_OK)
        status = export_all(exports, inputs, err);
    exports->settings = NULL;
    exports->profile = NULL;
    exports->profile_name = exports->second = NULL;
    hs_profile_release(&profile);
    return status;
}

enum hs_status hs_export_inputs(struct hiersearch_exports **exports,
                                const struct hiersearch_inputs *inputs,
                                const struct hiersearch_question *question, struct hs_text *notes,
                                struct hs_error *err)
{
    const void *asked;
    enum hs_status status = hs_question_settings(&asked, NULL, question, "export", err);

    *exports = NULL;
    if (status == HS_OK)
        status = hs_export_check(asked, true, err);
    if (status == HS_OK)
        status = hs_inputs_check_results(&inputs->inputs, err);
    if (status == HS_OK) {
        *exports = calloc(1, sizeof(**exports));
        status = *exports ? HS_OK : hs_no_memory(err);
    }
    if (status == HS_OK) {
        (*exports)->exports.notes = &(*exports)->notes;
        status = run(&(*exports)->exports, &inputs->inputs, asked, err);
    }
    if (status != HS_OK && *exports)
        hs_notes_give(notes, &(*exports)->notes);
    if (status != HS_OK) {
        hiersearch_exports_free(*exports);
        *exports = NULL;
    }
    return status;
}

enum hiersearch_status hiersearch_export(struct hiersearch_exports **exports,
                                         const struct hiersearch_inputs *inputs,
                                         const struct hiersearch_question *question,
                                         struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    enum hs_status status = hs_expect_place(exports, err);

    if (status == HS_OK)
        *exports = NULL;
    if (status == HS_OK)
        status = hs_expect(inputs, "inputs", err);
    return hs_call_end(
        call, status == HS_OK ? hs_export_inputs(exports, inputs, question, NULL, err) : status);
}

/* The formats, which stand alone. */
static enum hs_status make(struct hiersearch_answer *answer, struct hs_error *err)
{
    const struct hs_export_question *asked = answer->question->settings;
    enum hs_status status =
        hs_export_check(asked, hs_answer_inputs(answer) || answer->asker.output, err);

    if (status == HS_OK && !asked->list)
        return hs_fail(err, HS_INVALID,
                       "expected RESULT, a file of `hiersearch measure` or predict");
    return status;
}

static enum hs_status print(struct hs_text *out, struct hiersearch_answer *answer,
                            const struct hs_print *print, struct hs_error *err)
{
    struct hs_sheet sheet;

    hs_sheet_begin(&sheet, out, print, hs_answer_terminal(answer));
    return hs_export_list(&sheet, err);
}

const struct hs_question_kind hs_kind_export = {
    .name = "export",
    .rows = rows,
    .settings_bytes = sizeof(struct hs_export_question),
    .print_at = offsetof(struct hs_export_question, print),
    .make = make,
    .print = print,
};

size_t hiersearch_exports_count(const struct hiersearch_exports *exports)
{
    return exports ? exports->exports.output.count : 0;
}

const char *hiersearch_exports_name(const struct hiersearch_exports *exports, size_t index)
{
    return index < hiersearch_exports_count(exports) ? exports->exports.output.files[index].name
                                                     : NULL;
}

const char *hiersearch_exports_text(const struct hiersearch_exports *exports, size_t index,
                                    size_t *length)
{
    const struct hs_text *text = index < hiersearch_exports_count(exports)
                                     ? &exports->exports.output.files[index].text
                                     : NULL;

    if (length)
        *length = text ? text->length : 0;
    if (!text)
        return NULL;
    return text->data ? text->data : "";
}

const char *hiersearch_exports_notes(const struct hiersearch_exports *exports)
{
    return hs_notes_of(exports ? &exports->notes : NULL);
}

void hiersearch_exports_free(struct hiersearch_exports *exports)
{
    if (!exports)
        return;
    hs_exports_release(&exports->exports);
    hs_text_release(&exports->notes);
    free(exports);
}
