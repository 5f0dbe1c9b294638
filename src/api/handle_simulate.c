/* Simulations of the library: what they are started with, and how the answer is shown. */
#include <stdlib.h>
#include <string.h>

#include "answer/exports.h"
#include "answer/simulated.h"
#include "api/handles.h"
#include "estimate/system_file.h"

/* The plans of a text with commas between, as a list of words in `text`, a copy of it. */
static enum hs_status split_plans(struct hs_argument_list *plans, char *text, struct hs_error *err)
{
    size_t count = 1;
    char *rest = NULL;

    for (const char *at = text; *at; at++)
        count += *at == ',';
    plans->items = calloc(count, sizeof(*plans->items));
    if (!plans->items)
        return hs_no_memory(err);
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        plans->items[plans->count++] = word;
    return plans->count > 0 ? HS_OK : hs_fail(err, HS_INVALID, "--plans: expected plans");
}

static enum hs_status make_files(struct hs_export_output *files, struct hs_system *system,
                                 const struct hs_simulated_settings *settings, const char *command,
                                 struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status = hs_simulated_choose(&result, system, settings, command, err);

    if (status == HS_OK)
        status = hs_simulated_files(files, &result, err);
    hs_result_release(&result);
    return status;
}

/* The system of the handle stays as it is. */
static enum hs_status make(struct hs_export_output *files, const struct hiersearch_system *of,
                           const struct hiersearch_question *question,
                           struct hs_simulated_settings *settings, struct hs_error *err)
{
    struct hs_system system;
    struct hs_text command = {0};
    enum hs_status status = hs_simulated_take(settings, err);

    if (status != HS_OK)
        return status;
    status = hs_system_copy(&system, &of->system, err);
    hs_text_append(&command, "hiersearch simulate ");
    hs_command_word_append(&command, hs_system_typed(of));
    for (size_t i = 0; i < settings->plans.count; i++)
        hs_text_append(&command, " %s", settings->plans.items[i]);
    hs_question_append(&command, question, "plans");
    if (status == HS_OK && command.failed)
        status = hs_no_memory(err);
    if (status == HS_OK)
        status = make_files(files, &system, settings, command.data, err);
    hs_text_release(&command);
    hs_system_release(&system);
    return status;
}

static enum hs_status simulate(struct hs_export_output *files,
                               const struct hiersearch_system *system,
                               const struct hiersearch_question *question, struct hs_error *err)
{
    struct hs_simulated_settings settings;
    const struct hs_simulated_question *asked;
    const void *found;
    char *text = NULL;
    enum hs_status status = hs_question_settings(&found, NULL, question, "simulate", err);

    if (status == HS_OK)
        status = hs_expect(system, "a system", err);
    if (status != HS_OK)
        return status;
    asked = found;
    settings = asked->settings;
    text = hs_strdup(asked->plans);
    if (asked->plans)
        status = text ? split_plans(&settings.plans, text, err) : hs_no_memory(err);
    if (status == HS_OK)
        status = make(files, system, question, &settings, err);
    free(settings.plans.items);
    free(text);
    return status;
}

enum hiersearch_status hiersearch_simulation(struct hiersearch_exports **files,
                                             const struct hiersearch_system *system,
                                             const struct hiersearch_question *question,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    enum hs_status status;

    if (!files)
        return hs_call_end(call, hs_expect_place(files, err));
    *files = calloc(1, sizeof(**files));
    status =
        *files ? simulate(&(*files)->exports.output, system, question, err) : hs_no_memory(err);
    if (status != HS_OK) {
        hiersearch_exports_free(*files);
        *files = NULL;
    }
    return hs_call_end(call, status);
}

enum hs_status hs_simulated_page(struct hs_text *out, struct hs_text *notes,
                                 const struct hiersearch_inputs *inputs,
                                 const struct hiersearch_question *question, struct hs_error *err)
{
    const struct hs_simulated_question *asked = question->settings;
    const struct hs_inputs *given = &inputs->inputs;
    struct hs_sheet sheet;
    enum hs_status status;

    if (given->count != 1 || inputs->count != 1)
        return hs_fail(err, HS_INVALID, "simulate: expected one result, found %zu input%s",
                       inputs->count, HS_PLURAL(inputs->count));
    if (hs_print_format(&asked->settings.print) == HS_FORMAT_JSON)
        return hs_result_print(out, given->inputs[0].result, err);
    hs_sheet_begin(&sheet, out, &asked->settings.print, &hs_terminal_of_nobody);
    status = hs_simulated_show(&sheet, notes, given->inputs[0].result,
                               given->inputs[0].result->system.name, err);
    hs_text_release(&sheet.lines);
    return status;
}
