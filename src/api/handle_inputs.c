/* What was measured: calibration and comparison by the library. */
#include <stdlib.h>
#include <string.h>

#include "answer/compared.h"
#include "answer/fit.h"
#include "answer/predict.h"
#include "api/handles.h"
#include "base/list.h"
#include "estimate/system_file.h"
#include "show/check.h"
#include "show/profiles.h"

enum hiersearch_status hiersearch_inputs_new(struct hiersearch_inputs **inputs,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    if (!inputs)
        return hs_call_end(call, hs_expect_place(inputs, hs_error_of(error)));
    *inputs = calloc(1, sizeof(**inputs));
    if (!*inputs)
        return hs_call_end(call, hs_no_memory(hs_error_of(error)));
    (*inputs)->inputs.takes_logs = HS_LOGS_OF_ANY;
    (*inputs)->inputs.takes_probe = true;
    return hs_call_end(call, HS_OK);
}

/* A copy of the name, which the inputs borrow; NULL: out of memory. */
static const char *keep_name(struct hiersearch_inputs *inputs, const char *name,
                             struct hs_error *err)
{
    char **place = hs_grow(&inputs->names, NULL, inputs->count, sizeof(*inputs->names), err);

    if (!place)
        return NULL;
    *place = hs_strdup(name);
    if (!*place) {
        hs_no_memory(err);
        return NULL;
    }
    inputs->count++;
    return *place;
}

/* `text` NULL: the name is that of a file. */
static enum hs_status add(struct hiersearch_inputs *inputs, const char *name, const char *text,
                          struct hs_error *err)
{
    const char *kept;
    enum hs_status status = hs_expect(inputs, "inputs", err);

    if (status == HS_OK)
        status = text ? hs_expect(name, "a name for the text", err)
                      : hs_expect_path(name, "the path of a file", err);
    if (status != HS_OK)
        return status;
    kept = keep_name(inputs, name, err);
    if (!kept)
        return HS_MEMORY;
    status = hs_inputs_add_any(&inputs->inputs, kept, text, &inputs->notes, err);
    if (status != HS_OK)
        free(inputs->names[--inputs->count]);
    return status;
}

enum hiersearch_status hiersearch_inputs_add_file(struct hiersearch_inputs *inputs,
                                                  const char *path, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    return hs_call_end(call, add(inputs, path, NULL, hs_error_of(error)));
}

enum hiersearch_status hiersearch_inputs_add_text(struct hiersearch_inputs *inputs,
                                                  const char *name, const char *text,
                                                  struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = hs_expect(text, "the text of a file", hs_error_of(error));

    if (status == HS_OK)
        status = add(inputs, name, text, hs_error_of(error));
    return hs_call_end(call, status);
}

const char *hiersearch_inputs_notes(const struct hiersearch_inputs *inputs)
{
    return hs_notes_of(inputs ? &inputs->notes : NULL);
}

void hiersearch_inputs_free(struct hiersearch_inputs *inputs)
{
    if (!inputs)
        return;
    hs_inputs_release(&inputs->inputs);
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->names[i]);
    free(inputs->names);
    hs_text_release(&inputs->notes);
    free(inputs);
}

/* ---- calibration ----------------------------------------------------------------------------- */

/* `times` is of the inputs; release it in any case. */
static enum hs_status fit(struct hiersearch_system *fitted, struct hs_fit_times *times,
                          const struct hs_fit_settings *settings, struct hs_error *err)
{
    enum hs_status status = hs_fit_gather(times, &fitted->system, settings, &fitted->notes, err);

    return status == HS_OK ? hs_fit_system(&fitted->system, times, settings, &fitted->notes, err)
                           : status;
}

enum hiersearch_status hiersearch_fit(struct hiersearch_system **fitted,
                                      const struct hiersearch_system *system,
                                      const struct hiersearch_inputs *inputs,
                                      const struct hiersearch_question *question,
                                      struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_fit_times times = {.inputs = inputs ? &inputs->inputs : NULL};
    struct hs_fit_question usual = {.again = {.np = 0}};
    const void *asked;
    enum hs_status status = hs_question_settings(&asked, &usual, question, "fit", err);

    if (status == HS_OK)
        status = hs_expect(system, "a system", err);
    if (status == HS_OK)
        status = hs_expect(inputs, "inputs", err);
    if (!fitted)
        return hs_call_end(call, hs_expect_place(fitted, err));
    *fitted = calloc(1, sizeof(**fitted));
    if (!*fitted)
        return hs_call_end(call, hs_no_memory(err));
    if (status == HS_OK)
        status = hs_system_copy(&(*fitted)->system, &system->system, err);
    if (status == HS_OK)
        status = fit(*fitted, &times, &((const struct hs_fit_question *)asked)->fit, err);
    hs_fit_times_release(&times);
    if (status != HS_OK) {
        hiersearch_system_free(*fitted);
        *fitted = NULL;
    }
    return hs_call_end(call, status);
}

enum hs_status hs_fit_page(struct hs_text *out, struct hs_text *notes,
                           const struct hs_compared_handles *handles,
                           const struct hiersearch_question *question, struct hs_error *err)
{
    struct hs_fit_times times = {.inputs = &handles->inputs->inputs};
    struct hs_fit_question usual = {.again = {.np = 0}};
    struct hiersearch_system fitted = {.notes = {0}};
    struct hs_predict_settings settings = {.profile = NULL};
    struct hs_predict predict = {.settings = &settings,
                                 .before = &handles->system->system,
                                 .out = out,
                                 .notes = notes,
                                 .terminal = &hs_terminal_of_nobody};
    const struct hs_fit_question *asked;
    const void *found;
    enum hs_status status = hs_question_settings(&found, &usual, question, "fit", err);

    asked = status == HS_OK ? found : &usual;
    settings.print = asked->print;
    if (status == HS_OK)
        status = hs_fit_again_check(&asked->again, err);
    if (status == HS_OK)
        status = hs_system_copy(&fitted.system, &handles->system->system, err);
    if (status == HS_OK)
        status = fit(&fitted, &times, &asked->fit, err);
    predict.system = fitted.system.name;
    if (!asked->fit.name) { /* a line of text has no better name */
        predict.system = hs_system_typed(handles->system);
        predict.asked.label = hs_system_label(handles->system);
    }
    if (notes)
        hs_text_append(notes, "%s", hs_notes_of(&fitted.notes));
    if (status == HS_OK)
        status = hs_predict_fitted(&predict, &fitted.system, &times, &asked->again, err);
    hs_fit_times_release(&times);
    hs_system_release(&fitted.system);
    hs_text_release(&fitted.notes);
    return status;
}

/* ---- check ----------------------------------------------------------------------------------- */

enum hs_status hs_check_page(struct hs_text *out, struct hs_text *notes,
                             const struct hs_compared_handles *handles,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err)
{
    const struct hiersearch_system *system = handles->system;
    struct hs_check_handles usual = {.details = false};
    struct hs_check_answer checked = {.row_count = 0};
    const struct hs_check_handles *asked;
    struct hs_sheet sheet;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "check", err);

    if (status != HS_OK)
        return status;
    asked = settings;
    status =
        hs_check(&checked,
                 &(struct hs_check_question){.system = system ? &system->system : NULL,
                                             .machine = system ? hs_system_label(system) : NULL,
                                             .inputs = &handles->inputs->inputs,
                                             .settings = &asked->asked},
                 notes, err);
    as = as ? as : &asked->print;
    if (status == HS_OK && hs_print_format(as) == HS_FORMAT_JSON)
        status = hs_fields_print(out, &hs_check_fields, &checked, false, err);
    else if (status == HS_OK) {
        hs_sheet_begin(&sheet, out, as, &hs_terminal_of_nobody);
        hs_check_show(&sheet, &checked, asked->details);
        status = hs_sheet_end(&sheet, err);
    }
    hs_check_answer_release(&checked);
    return status;
}

enum hiersearch_status hiersearch_check(char **json, char **notes,
                                        const struct hiersearch_inputs *inputs,
                                        const struct hiersearch_system *system,
                                        const struct hiersearch_question *question,
                                        struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    const struct hs_compared_handles handles = {inputs, system};
    enum hs_status status = hs_expect(inputs, "inputs", page.err);

    if (status == HS_OK)
        status =
            hs_check_page(&page.text, &page.said, &handles, question, &hs_print_json, page.err);
    return hs_page_end(&page, json, notes, status);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void append_command(struct hs_text *command, const struct hiersearch_inputs *inputs,
                           const char *predictor, const struct hiersearch_question *question)
{
    hs_text_append(command, "hiersearch compare");
    for (size_t i = 0; i < inputs->count; i++) {
        hs_text_append(command, " ");
        hs_command_word_append(command, inputs->names[i]);
    }
    if (predictor) {
        hs_text_append(command, " --predict ");
        hs_command_word_append(command, predictor);
    }
    hs_question_append(command, question, NULL);
}

/* Two profiles, before and after, in place of results. */
static enum hs_status compare_profiles(struct hs_text *out,
                                       const struct hs_compared_handles *handles,
                                       const struct hs_compared_question *asked,
                                       const struct hs_print *print, struct hs_error *err)
{
    struct hs_sheet sheet;
    enum hs_status status;

    hs_sheet_begin(&sheet, out, print, &hs_terminal_of_nobody);
    status = hs_compared_profiles_show(&sheet, &handles->inputs->inputs, asked,
                                       handles->system ? "predict" : NULL, err);
    hs_text_release(&sheet.lines);
    return status;
}

static enum hs_status compare_results(struct hs_text *out, struct hs_text *notes,
                                      const struct hs_compared_handles *handles,
                                      const struct hs_compared_question *asked, const char *command,
                                      struct hs_error *err)
{
    const struct hiersearch_system *system = handles->system;
    struct hs_compared compared = {.inputs = &handles->inputs->inputs,
                                   .system = system ? &system->system : NULL,
                                   .predictor = system ? hs_system_label(system) : NULL};
    enum hs_status status = hs_compared_make(&compared, &asked->compare, notes, err);

    if (status == HS_OK)
        status =
            hs_compared_print(out, &compared, &asked->words, command, &hs_terminal_of_nobody, err);
    hs_compared_release(&compared);
    return status;
}

enum hs_status hs_compare_page(struct hs_text *out, struct hs_text *notes,
                               const struct hs_compared_handles *handles,
                               const struct hiersearch_question *question,
                               const struct hs_print *as, struct hs_error *err)
{
    struct hs_compared_question usual = {.words = {.noise = false}}, asked;
    struct hs_text command = {0};
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "compare", err);

    if (status != HS_OK)
        return status;
    asked = *(const struct hs_compared_question *)settings;
    if (as)
        asked.words.print = *as;
    if (handles->inputs->inputs.profile_count > 0)
        return compare_profiles(out, handles, &asked, &asked.words.print, err);
    append_command(&command, handles->inputs,
                   handles->system ? hs_system_typed(handles->system) : NULL, question);
    status = command.failed ? hs_no_memory(err)
                            : compare_results(out, notes, handles, &asked, command.data, err);
    hs_text_release(&command);
    return status;
}

enum hiersearch_status hiersearch_compare(char **json, char **notes,
                                          const struct hiersearch_inputs *inputs,
                                          const struct hiersearch_system *system,
                                          const struct hiersearch_question *question,
                                          struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    const struct hs_compared_handles handles = {inputs, system};
    enum hs_status status = hs_expect(inputs, "inputs", page.err);

    if (status == HS_OK)
        status =
            hs_compare_page(&page.text, &page.said, &handles, question, &hs_print_json, page.err);
    return hs_page_end(&page, json, notes, status);
}

enum hs_status hs_profile_page(struct hs_text *out, const struct hiersearch_inputs *inputs,
                               const struct hiersearch_question *question, struct hs_error *err)
{
    const struct hs_calls_question *asked = question->settings;
    struct hs_sheet sheet;

    if (inputs->count != 1 || inputs->inputs.profile_count != 1)
        return hs_fail(err, HS_INVALID, "profile: expected the profile of one job, found %s%s",
                       inputs->count > 0 ? inputs->names[0] : "nothing",
                       inputs->count > 1 ? " and more" : "");
    hs_sheet_begin(&sheet, out, &asked->print, &hs_terminal_of_nobody);
    hs_profile_show(&sheet, &inputs->inputs.profiles[0].profile, (size_t)asked->top);
    return hs_sheet_end(&sheet, err);
}

enum hiersearch_status hiersearch_profile_json(char **json, const char *path,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_profile profile = {.ranks = 0};
    struct hs_text text = {0};
    enum hs_status status = hs_expect_path(path, "the path of a profile", err);

    if (status == HS_OK)
        status = hs_inputs_profile(&profile, path, err);
    if (status == HS_OK)
        status = hs_profile_print(&text, &profile, err);
    hs_profile_release(&profile);
    return hs_call_end(call, hs_text_give(json, &text, status, err));
}
