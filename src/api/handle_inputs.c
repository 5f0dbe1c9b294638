/* What was measured: calibration, check and profiles by the library. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/check.h"
#include "answer/fit.h"
#include "answer/predict.h"
#include "api/handles.h"
#include "base/list.h"
#include "detect/system_find.h"
#include "estimate/system_file.h"
#include "show/changes.h"
#include "show/check.h"
#include "show/predict.h"
#include "show/profiles.h"

enum hiersearch_status hiersearch_inputs_new(struct hiersearch_inputs **inputs,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    if (!inputs)
        return hs_call_end(call, hs_expect_place(inputs, hs_error_of(error)));
    *inputs = calloc(1, sizeof(**inputs));
    return hs_call_end(call, *inputs ? HS_OK : hs_no_memory(hs_error_of(error)));
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
    const char *kept = keep_name(inputs, name, err);
    enum hs_status status;

    if (!kept)
        return HS_MEMORY;
    status = hs_inputs_add_any(&inputs->inputs, kept, text, &inputs->notes, err);
    if (status != HS_OK)
        free(inputs->names[--inputs->count]);
    return status;
}

enum hs_status hs_inputs_open(struct hiersearch_inputs **inputs, char *const *paths, size_t count,
                              struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (hiersearch_inputs_new(inputs, NULL) != HIERSEARCH_OK)
        return hs_no_memory(err);
    for (size_t i = 0; i < count && status == HS_OK; i++)
        status = add(*inputs, paths[i], NULL, err);
    return status;
}

bool hs_is_log_file(const char *text)
{
    return !hs_system_is_text(text) && access(text, R_OK) == 0 &&
           !hs_inputs_is_of(text, HS_FORMAT_OF "system/");
}

bool hs_is_result_file(const char *path)
{
    return hs_inputs_is_of(path, HS_RESULT_KIND);
}

enum hiersearch_status hiersearch_inputs_add_file(struct hiersearch_inputs *inputs,
                                                  const char *path, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    enum hs_status status = hs_expect(inputs, "inputs", err);

    if (status == HS_OK)
        status = hs_expect_path(path, "the path of a file", err);
    return hs_call_end(call, status == HS_OK ? add(inputs, path, NULL, err) : status);
}

enum hiersearch_status hiersearch_inputs_add_text(struct hiersearch_inputs *inputs,
                                                  const char *name, const char *text,
                                                  struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    enum hs_status status = hs_expect(text, "the text of a file", err);

    if (status == HS_OK)
        status = hs_expect(inputs, "inputs", err);
    if (status == HS_OK)
        status = hs_expect(name, "a name for the text", err);
    return hs_call_end(call, status == HS_OK ? add(inputs, name, text, err) : status);
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

static const struct hs_option fit_rows[] = {
    HS_ROWS_FIT(offsetof(struct hs_fit_question, fit)),
    HS_ROWS_FIT_AGAIN(offsetof(struct hs_fit_question, again)),
    HS_ROWS_SHOWN("Output", offsetof(struct hs_fit_question, print)),
    {.name = NULL},
};

/* A copy of the system, calibrated by the times of the inputs, which are the caller's to release in
 * any case. A line of text has no better name than the file's that it becomes. */
static enum hs_status fit(struct hiersearch_system *fitted, struct hs_fit_times *times,
                          const struct hiersearch_system *system,
                          const struct hs_fit_settings *settings, const char *output,
                          struct hs_error *err)
{
    enum hs_status status = hs_system_copy(&fitted->system, &system->system, err);

    if (status == HS_OK)
        status = hs_fit_gather(times, &fitted->system, settings, &fitted->notes, err);
    if (status == HS_OK)
        status = hs_fit_system(&fitted->system, times, settings, &fitted->notes, err);
    if (status == HS_OK && output && !settings->name && hs_system_is_text(hs_system_typed(system)))
        hs_system_name_after(&fitted->system, output);
    return status;
}

enum hs_status hs_fit(struct hiersearch_system **fitted, const struct hiersearch_system *system,
                      const struct hiersearch_inputs *inputs,
                      const struct hiersearch_question *question, struct hs_text *notes,
                      struct hs_error *err)
{
    struct hs_fit_times times = {.inputs = &inputs->inputs};
    struct hs_fit_question usual = {.again = {.np = 0}};
    const void *asked;
    enum hs_status status = hs_question_settings(&asked, &usual, question, "fit", err);

    *fitted = calloc(1, sizeof(**fitted));
    if (!*fitted)
        return hs_no_memory(err);
    if (status == HS_OK)
        status =
            fit(*fitted, &times, system, &((const struct hs_fit_question *)asked)->fit, NULL, err);
    hs_fit_times_release(&times);
    if (status != HS_OK) {
        hs_notes_give(notes, &(*fitted)->notes);
        hiersearch_system_free(*fitted);
        *fitted = NULL;
    }
    return status;
}

enum hiersearch_status hiersearch_fit(struct hiersearch_system **fitted,
                                      const struct hiersearch_system *system,
                                      const struct hiersearch_inputs *inputs,
                                      const struct hiersearch_question *question,
                                      struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    enum hs_status status = hs_expect_place(fitted, err);

    if (status == HS_OK)
        *fitted = NULL;
    if (status == HS_OK)
        status = hs_expect(system, "a system", err);
    if (status == HS_OK)
        status = hs_expect(inputs, "inputs", err);
    return hs_call_end(call, status == HS_OK ? hs_fit(fitted, system, inputs, question, NULL, err)
                                             : status);
}

/* The fitted system, and the answer by it and by what was believed before. */
struct fitted {
    struct hiersearch_system system;
    struct hs_predict_settings settings;
    struct hs_predict predict;
    struct hs_prediction prediction; /* count 0: no time is of a call of so many processes */
};

static enum hs_status predict_fitted(struct fitted *fitted, const struct hiersearch_answer *answer,
                                     struct hs_error *err)
{
    const struct hs_fit_question *asked = answer->question->settings;
    struct hiersearch_system *before = hs_answer_system(answer), *system = &fitted->system;
    const char *output = answer->asker.output;
    bool unnamed = !asked->fit.name && !output; /* a line of text has no better name */
    enum hs_status status = hs_system_draw(system, (size_t)fitted->settings.ask.machines, err);

    if (status != HS_OK)
        return status;
    fitted->predict.system = output    ? output
                             : unnamed ? hs_system_typed(before)
                                       : system->system.name;
    fitted->predict.before = &before->system;
    fitted->predict.command = "hiersearch fit";
    fitted->predict.asked =
        (struct hs_asked){.question = &fitted->settings.ask,
                          .strategy = hs_search_strategy_find("lattice"),
                          .system = &system->system,
                          .machines = &system->machines,
                          .typed = fitted->predict.system,
                          .further = true,
                          .label = unnamed ? hs_system_label(before) : system->system.name};
    return hs_predict_make(&fitted->prediction, &fitted->predict, err);
}

static enum hs_status make_fit(struct hiersearch_answer *answer, struct hs_error *err)
{
    struct fitted *fitted = answer->made;
    const struct hs_fit_question *asked = answer->question->settings;
    struct hs_fit_times times = {.inputs = hs_answer_inputs(answer)};
    enum hs_status status = hs_answer_expect(answer, hs_answer_system(answer) && times.inputs,
                                             "a system, and inputs", err);

    if (status == HS_OK)
        status = hs_fit_again_check(&asked->again, err);
    if (status == HS_OK)
        status = fit(&fitted->system, &times, hs_answer_system(answer), &asked->fit,
                     answer->asker.output, err);
    hs_text_append(&answer->notes, "%s", hs_notes_of(&fitted->system.notes));
    fitted->settings = (struct hs_predict_settings){
        .ask = {.search = "lattice", .machines = HS_MACHINES_USUAL, .top = HS_TOP_USUAL}};
    fitted->predict = (struct hs_predict){.settings = &fitted->settings, .notes = &answer->notes};
    if (status == HS_OK)
        hs_predict_take_fitted(&fitted->settings, &times, &asked->again);
    if (status == HS_OK && fitted->settings.ask.np.first > 0 &&
        fitted->settings.ask.bytes.first > 0)
        status = predict_fitted(fitted, answer, err);
    hs_fit_times_release(&times);
    return status;
}

static enum hs_status print_fit(struct hs_text *out, struct hiersearch_answer *answer,
                                const struct hs_print *print, struct hs_error *err)
{
    const struct fitted *fitted = answer->made;
    struct hs_predict predict = fitted->predict;

    predict.out = out;
    predict.terminal = hs_answer_terminal(answer);
    return fitted->prediction.count > 0
               ? hs_predict_print(&predict, &fitted->prediction, print, err)
               : HS_OK;
}

static void release_fit(void *made)
{
    struct fitted *fitted = made;

    hs_prediction_release(&fitted->prediction);
    if (fitted->system.machines.count > 0)
        hs_machines_release(&fitted->system.machines);
    hs_system_release(&fitted->system.system);
    hs_text_release(&fitted->system.notes);
}

const struct hiersearch_system *hs_answer_fitted(const struct hiersearch_answer *answer)
{
    return &((const struct fitted *)answer->made)->system;
}

const struct hs_question_kind hs_kind_fit = {
    .name = "fit",
    .rows = fit_rows,
    .settings_bytes = sizeof(struct hs_fit_question),
    .print_at = offsetof(struct hs_fit_question, print),
    .made_bytes = sizeof(struct fitted),
    .make = make_fit,
    .print = print_fit,
    .release = release_fit,
};

/* ---- check ----------------------------------------------------------------------------------- */

struct check_question {
    struct hs_check_settings asked;
    struct hs_print print;
    bool details;
};

static const struct hs_option check_rows[] = {
    HS_ROWS_CHECK(offsetof(struct check_question, asked)),
    HS_ROW_FLAG("details", 0, "Output", offsetof(struct check_question, details),
                "the table by size: measured, expected, range, bound by line rates"),
    HS_ROWS_SHOWN("Output", offsetof(struct check_question, print)),
    {.name = NULL},
};

static enum hs_status make_check(struct hiersearch_answer *answer, struct hs_error *err)
{
    struct hs_check_answer *checked = answer->made;
    const struct check_question *asked = answer->question->settings;
    const struct hiersearch_system *system = hs_answer_system(answer);
    const struct hs_inputs *inputs = hs_answer_inputs(answer);
    enum hs_status status = hs_answer_expect(answer, inputs, "inputs: logs", err);

    if (status == HS_OK)
        status =
            hs_check(checked,
                     &(struct hs_check_question){.system = system ? &system->system : NULL,
                                                 .machine = system ? hs_system_label(system) : NULL,
                                                 .inputs = inputs,
                                                 .settings = &asked->asked},
                     &answer->notes, err);
    answer->found_fault = status == HS_OK && checked->verdict == HS_CHECK_LOW;
    answer->found_nothing = status == HS_OK && checked->verdict == HS_CHECK_UNJUDGED;
    return status;
}

static enum hs_status print_check(struct hs_text *out, struct hiersearch_answer *answer,
                                  const struct hs_print *print, struct hs_error *err)
{
    const struct check_question *asked = answer->question->settings;
    struct hs_sheet sheet;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_fields_print(out, &hs_check_fields, answer->made, false, err);
    hs_sheet_begin(&sheet, out, print, hs_answer_terminal(answer));
    hs_check_show(&sheet, answer->made, asked->details);
    return hs_sheet_end(&sheet, err);
}

static void release_check(void *made)
{
    hs_check_answer_release(made);
}

const struct hs_question_kind hs_kind_check = {
    .name = "check",
    .rows = check_rows,
    .settings_bytes = sizeof(struct check_question),
    .print_at = offsetof(struct check_question, print),
    .made_bytes = sizeof(struct hs_check_answer),
    .make = make_check,
    .print = print_check,
    .release = release_check,
};

/* ---- profiles -------------------------------------------------------------------------------- */

static const struct hs_option profile_rows[] = {
    HS_ROW_CALLS_TOP(offsetof(struct hs_calls_question, top)),
    HS_ROWS_SHOWN(NULL, offsetof(struct hs_calls_question, print)),
    {.name = NULL},
};

/* One profile, or two of a job: before and after. */
static enum hs_status make_profile(struct hiersearch_answer *answer, struct hs_error *err)
{
    const struct hiersearch_inputs *inputs = answer->of.inputs;
    enum hs_status status = hs_answer_expect(answer, inputs, "inputs: the profile of a job", err);
    const struct hs_input_profile *profiles;

    if (status != HS_OK)
        return status;
    profiles = inputs->inputs.profiles;
    if (inputs->count < 1 || inputs->count > 2)
        return hs_fail(err, HS_INVALID, "expected one profile, or two, found %zu files",
                       inputs->count);
    if (inputs->inputs.profile_count < inputs->count)
        return hs_fail(err, HS_INVALID, "expected profiles of jobs, found %s%s%s", inputs->names[0],
                       inputs->count > 1 ? " and " : "", inputs->count > 1 ? inputs->names[1] : "");
    if (inputs->count == 2 && profiles[0].profile.ranks != profiles[1].profile.ranks)
        return hs_fail(err, HS_INVALID, "%s is of %" PRId64 " ranks, %s of %" PRId64,
                       profiles[0].file, profiles[0].profile.ranks, profiles[1].file,
                       profiles[1].profile.ranks);
    return HS_OK;
}

static enum hs_status print_profile(struct hs_text *out, struct hiersearch_answer *answer,
                                    const struct hs_print *print, struct hs_error *err)
{
    const struct hs_calls_question *asked = answer->question->settings;
    const struct hs_inputs *inputs = hs_answer_inputs(answer);
    struct hs_sheet sheet;
    enum hs_status status = HS_OK, ended;

    hs_sheet_begin(&sheet, out, print, hs_answer_terminal(answer));
    if (inputs->profile_count == 2)
        status = hs_changes_show(&sheet, &inputs->profiles[0].profile, &inputs->profiles[1].profile,
                                 (size_t)asked->top, err);
    else
        hs_profile_show(&sheet, &inputs->profiles[0].profile, (size_t)asked->top);
    ended = hs_sheet_end(&sheet, err);
    return status == HS_OK ? ended : status;
}

const struct hs_question_kind hs_kind_profile = {
    .name = "profile",
    .rows = profile_rows,
    .settings_bytes = sizeof(struct hs_calls_question),
    .print_at = offsetof(struct hs_calls_question, print),
    .make = make_profile,
    .print = print_profile,
};

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
