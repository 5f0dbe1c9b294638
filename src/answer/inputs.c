#include "answer/inputs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/list.h"
#include "base/notes.h"
#include "export/export.h"
#include "record/merge.h"
#include "version.h"

#define FORMAT_TEXT 64 /* bytes enough for the name of a format of ours */

/* What "format" says in JSON, of a file, or of a text in memory; "" where it says nothing. Stdin is
 * read but once. */
static void find_format(char format[FORMAT_TEXT], const char *name, const char *text)
{
    struct hs_json_document document;
    struct hs_json top, said;
    const char *named;
    enum hs_status status;

    format[0] = '\0';
    if (text)
        status = hs_json_parse(&document, "", text, strlen(text), NULL);
    else
        status = strcmp(name, "-") == 0 ? HS_INVALID : hs_json_load(&document, name, NULL);
    if (status != HS_OK)
        return;
    top = hs_json_top(&document);
    if (hs_json_is_object(&top)) {
        said = hs_json_find(&top, "format");
        if (hs_json_read_string(&named, &said, NULL) == HS_OK)
            snprintf(format, FORMAT_TEXT, "%s", named);
    }
    hs_json_release(&document);
}

static bool is_of(const char *format, const char *kind)
{
    return strncmp(format, kind, strlen(kind)) == 0;
}

bool hs_inputs_is_of(const char *path, const char *kind)
{
    char format[FORMAT_TEXT];

    find_format(format, path, NULL);
    return is_of(format, kind);
}

/* What a job leaves is in files of one ending. */
static bool holds_counts(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool holds = false;

    while (folder && !holds && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');

        holds = dot && strcmp(dot, ".counts") == 0;
    }
    if (folder)
        closedir(folder);
    return holds;
}

enum hs_status hs_inputs_profile(struct hs_profile *profile, const char *path, struct hs_error *err)
{
    return hs_file_is_folder(path) ? hs_profile_merge(profile, path, err)
                                   : hs_profile_load(profile, path, err);
}

static enum hs_status add_profile(struct hs_inputs *inputs, const char *name, const char *text,
                                  struct hs_error *err)
{
    struct hs_input_profile *place =
        hs_grow(&inputs->profiles, NULL, inputs->profile_count, sizeof(*inputs->profiles), err);
    enum hs_status status;

    if (!place)
        return HS_MEMORY;
    *place = (struct hs_input_profile){.file = name};
    status = text ? hs_profile_parse(&place->profile, name, text, strlen(text), err)
                  : hs_inputs_profile(&place->profile, name, err);
    if (status == HS_OK)
        inputs->profile_count++;
    else
        hs_profile_release(&place->profile);
    return status;
}

enum hs_status hs_inputs_check_results(const struct hs_inputs *inputs, struct hs_error *err)
{
    if (inputs->checked)
        return hs_fail(err, HS_INVALID, "%s is an answer of check: expected results and logs alone",
                       inputs->checked_file);
    if (inputs->profile_count == 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected results and logs alone",
                   inputs->profiles[0].file);
}

/* The result is the list's from now on, or released. */
static enum hs_status keep_result(struct hs_inputs *inputs, struct hs_result *result,
                                  const char *name, struct hs_error *err)
{
    struct hs_result *place =
        hs_grow(&inputs->results, NULL, inputs->count, sizeof(*inputs->results), err);
    struct hs_named_result *named =
        place ? hs_grow(&inputs->inputs, NULL, inputs->count, sizeof(*inputs->inputs), err) : NULL;

    for (size_t i = 0; place && i < inputs->count; i++) /* they may have moved */
        inputs->inputs[i].result = &inputs->results[i];
    if (!named) {
        hs_result_release(result);
        return HS_MEMORY;
    }
    *place = *result;
    *named = (struct hs_named_result){name, place};
    inputs->count++;
    return HS_OK;
}

static enum hs_status keep_log(struct hs_inputs *inputs, struct hs_log *log, const char *name,
                               struct hs_error *err)
{
    struct hs_input_log *place =
        hs_grow(&inputs->logs, NULL, inputs->log_count, sizeof(*inputs->logs), err);

    if (!place) {
        hs_log_release(log);
        return HS_MEMORY;
    }
    *place = (struct hs_input_log){name, *log};
    inputs->log_count++;
    return HS_OK;
}

/* What was read: a log has points, a result np, and the figures of a GPU are neither. */
static enum hs_status keep(struct hs_inputs *inputs, struct hs_log *log, struct hs_result *result,
                           const char *name, struct hs_text *notes, struct hs_error *err)
{
    if (log->point_count > 0 || log->other_count > 0 || log->info.messages.count > 0) {
        hs_say_notes(notes, log->notes.data);
        return keep_log(inputs, log, name, err);
    }
    hs_log_release(log);
    if (result->np == 0) {
        inputs->probe_file = name;
        return HS_OK;
    }
    if (!result->complete)
        hs_say_warning(notes, "%s is of a run that was cut short%s%s", name,
                       result->note ? ": " : "", result->note ? result->note : "");
    return keep_result(inputs, result, name, err);
}

enum hs_status hs_inputs_add(struct hs_inputs *inputs, const char *file, struct hs_text *notes,
                             struct hs_error *err)
{
    const char *name = strcmp(file, "-") == 0 ? "standard input" : file;
    struct hs_log log = {0};
    struct hs_result result = {0};
    enum hs_status status = hs_log_load_any(&log, &result, &inputs->probe, file, err);

    return status == HS_OK ? keep(inputs, &log, &result, name, notes, err) : status;
}

static enum hs_status add_text(struct hs_inputs *inputs, const char *name, const char *text,
                               struct hs_text *notes, struct hs_error *err)
{
    size_t length = strlen(text);
    struct hs_log log = {0};
    struct hs_result result = {0};
    enum hs_status status;

    if (hs_gpu_probe_is(text))
        status = hs_gpu_probe_parse(&inputs->probe, name, text, length, err);
    else
        status = hs_log_parse_any(&log, &result, name, text, length, err);

    return status == HS_OK ? keep(inputs, &log, &result, name, notes, err) : status;
}

enum hs_status hs_inputs_add_any(struct hs_inputs *inputs, const char *name, const char *text,
                                 struct hs_text *notes, struct hs_error *err)
{
    char format[FORMAT_TEXT];

    find_format(format, name, text);
    if (is_of(format, HS_CHECK_KIND)) {
        free(inputs->checked);
        inputs->checked = text ? hs_strdup(text) : NULL;
        inputs->checked_file = name;
        if (text)
            return inputs->checked ? HS_OK : hs_no_memory(err);
        return hs_file_read_text(&inputs->checked, name, HS_JSON_BYTES_MAX, err);
    }
    if (is_of(format, HS_PROFILE_KIND) || (!text && holds_counts(name)))
        return add_profile(inputs, name, text, err);
    return text ? add_text(inputs, name, text, notes, err)
                : hs_inputs_add(inputs, name, notes, err);
}

void hs_inputs_release(struct hs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        hs_result_release(&inputs->results[i]);
    for (size_t i = 0; i < inputs->log_count; i++)
        hs_log_release(&inputs->logs[i].log);
    for (size_t i = 0; i < inputs->profile_count; i++)
        hs_profile_release(&inputs->profiles[i].profile);
    free(inputs->checked);
    free(inputs->profiles);
    free(inputs->results);
    free(inputs->inputs);
    free(inputs->logs);
    hs_fields_release(&hs_gpu_probe_fields, &inputs->probe);
    *inputs = (struct hs_inputs){.count = 0};
}

/* Lines of a text of rules that are none: a comment, and, with `elsewhere`, where ranks were. */
static void append_rules(struct hs_text *rules, const char *text, bool elsewhere)
{
    struct hs_lines lines = {.next = text};

    while (hs_lines_next(&lines))
        if (lines.line[0] != '#' && !(elsewhere && strncmp(lines.line, "nodes", 5) == 0))
            hs_text_append(rules, "%.*s\n", (int)lines.length, lines.line);
}

enum hs_status hs_inputs_rules(struct hs_text *rules, const struct hs_result *result,
                               const char *name, bool elsewhere, struct hs_error *err)
{
    struct hs_export_job job = {
        .result = result, .result_name = name, .made_by = "hiersearch " HS_VERSION};
    struct hs_export_output output = {0};
    const struct hs_exporter *exporter;
    enum hs_status status = hs_exporter_find(&exporter, "rules", err);

    if (status == HS_OK)
        status = hs_export(&output, exporter, &job, err);
    if (status == HS_OK)
        append_rules(rules, output.files[0].text.data, elsewhere);
    hs_export_output_release(&output);
    return status;
}
