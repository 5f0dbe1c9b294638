/* Simulations of the library: what they are started with, and how the answer is shown. */
#include <stdlib.h>
#include <string.h>

#include "answer/exports.h"
#include "answer/simulated.h"
#include "api/handles.h"
#include "estimate/system_file.h"
#include "show/simulated_show.h"

static const struct hs_option rows[] = {
    HS_ROWS_SIMULATED(offsetof(struct hs_simulated_question, settings)),
    {.name = "plans",
     .argument = "LIST",
     .group = "Plans",
     .type = &hs_option_text,
     .offset = offsetof(struct hs_simulated_question, plans),
     .help = "the plans, such as 4x8x4, or 4x8x4/8 with 8 chunks"},
    HS_ROWS_SHOWN("Output", offsetof(struct hs_simulated_question, settings.print)),
    {.name = NULL},
};

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
                           struct hs_simulated_settings *settings, const char *command,
                           struct hs_error *err)
{
    struct hs_system system;
    enum hs_status status = hs_simulated_take(settings, err);

    if (status != HS_OK)
        return status;
    status = hs_system_copy(&system, &of->system, err);
    if (status == HS_OK)
        status = make_files(files, &system, settings, command, err);
    hs_system_release(&system);
    return status;
}

enum hs_status hs_simulation(struct hiersearch_exports **files,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const char *command,
                             struct hs_error *err)
{
    const struct hs_simulated_question *asked = question->settings;
    struct hs_simulated_settings settings = asked->settings;
    char *text = hs_strdup(asked->plans);
    enum hs_status status = HS_OK;

    *files = calloc(1, sizeof(**files));
    if (!*files)
        status = hs_no_memory(err);
    if (status == HS_OK && asked->plans)
        status = text ? split_plans(&settings.plans, text, err) : hs_no_memory(err);
    if (status == HS_OK)
        status = make(&(*files)->exports.output, system, &settings, command, err);
    free(settings.plans.items);
    free(text);
    if (status != HS_OK) {
        hiersearch_exports_free(*files);
        *files = NULL;
    }
    return status;
}

/* "hiersearch simulate abci 4x4 16 --np 16" */
static void append_command(struct hs_text *command, const struct hiersearch_system *system,
                           const struct hiersearch_question *question)
{
    const struct hs_simulated_question *asked = question->settings;

    hs_text_append(command, "hiersearch simulate ");
    hs_command_word_append(command, hs_system_typed(system));
    for (const char *plan = asked->plans; plan && *plan; plan += strspn(plan, ",")) {
        hs_text_append(command, " %.*s", (int)strcspn(plan, ","), plan);
        plan += strcspn(plan, ",");
    }
    hs_question_append(command, question, "plans");
}

enum hiersearch_status hiersearch_simulation(struct hiersearch_exports **files,
                                             const struct hiersearch_system *system,
                                             const struct hiersearch_question *question,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text command = {0};
    const void *asked;
    enum hs_status status = hs_expect_place(files, err);

    if (status == HS_OK)
        *files = NULL;
    if (status == HS_OK)
        status = hs_question_settings(&asked, NULL, question, "simulate", err);
    if (status == HS_OK)
        status = hs_expect(system, "a system", err);
    if (status == HS_OK)
        append_command(&command, system, question);
    if (status == HS_OK)
        status = command.failed ? hs_no_memory(err)
                                : hs_simulation(files, system, question, command.data, err);
    hs_text_release(&command);
    return hs_call_end(call, status);
}

/* A result that was simulated: there is nothing to compute. */
static enum hs_status make_answer(struct hiersearch_answer *answer, struct hs_error *err)
{
    const struct hiersearch_inputs *inputs = answer->of.inputs;
    enum hs_status status =
        hs_answer_expect(answer, inputs, "inputs: the result that was simulated", err);

    if (status == HS_OK && (inputs->inputs.count != 1 || inputs->count != 1))
        return hs_fail(err, HS_INVALID, "simulate: expected one result, found %zu input%s",
                       inputs->count, HS_PLURAL(inputs->count));
    return status;
}

static enum hs_status print_answer(struct hs_text *out, struct hiersearch_answer *answer,
                                   const struct hs_print *print, struct hs_error *err)
{
    const struct hs_result *result = hs_answer_inputs(answer)->inputs[0].result;
    const struct hiersearch_system *of = hs_answer_system(answer); /* as it was typed, if known */
    const char *label =
        of && hs_system_is_text(hs_system_typed(of)) ? of->typed : result->system.name;
    struct hs_sheet sheet;
    enum hs_status status;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_result_print(out, result, err);
    hs_sheet_begin(&sheet, out, print, hs_answer_terminal(answer));
    status = hs_simulated_show(&sheet, &answer->notes, result, label, err);
    hs_text_release(&sheet.lines);
    return status;
}

const struct hs_question_kind hs_kind_simulate = {
    .name = "simulate",
    .rows = rows,
    .settings_bytes = sizeof(struct hs_simulated_question),
    .print_at = offsetof(struct hs_simulated_question, settings.print),
    .make = make_answer,
    .print = print_answer,
};
