/* What was measured: calibration and comparison by the library. */
#include <stdlib.h>
#include <string.h>

#include "api/compared.h"
#include "api/fit.h"
#include "api/handles.h"
#include "base/list.h"

enum hiersearch_status hiersearch_inputs_new(struct hiersearch_inputs **inputs,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    *inputs = calloc(1, sizeof(**inputs));
    if (!*inputs)
        return hs_call_end(call, hs_no_memory(hs_error_of(error)));
    (*inputs)->inputs.takes_logs = true;
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
static enum hiersearch_status add(struct hiersearch_inputs *inputs, const char *name,
                                  const char *text, struct hs_error *err)
{
    struct hs_call call = hs_call_begin();
    const char *kept = keep_name(inputs, name, err);
    enum hs_status status = HS_MEMORY;

    if (kept && (text ? hs_inputs_is_profile_text(text) : hs_inputs_is_profile(name)))
        status = hs_inputs_add_profile(&inputs->inputs, kept, text, err);
    else if (kept && text)
        status = hs_inputs_add_text(&inputs->inputs, kept, text, &inputs->notes, err);
    else if (kept)
        status = hs_inputs_add(&inputs->inputs, kept, &inputs->notes, err);
    if (kept && status != HS_OK)
        free(inputs->names[--inputs->count]);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_inputs_add_file(struct hiersearch_inputs *inputs,
                                                  const char *path, struct hiersearch_error *error)
{
    return add(inputs, path, NULL, hs_error_of(error));
}

enum hiersearch_status hiersearch_inputs_add_text(struct hiersearch_inputs *inputs,
                                                  const char *name, const char *text,
                                                  struct hiersearch_error *error)
{
    return add(inputs, name, text, hs_error_of(error));
}

const char *hiersearch_inputs_notes(const struct hiersearch_inputs *inputs)
{
    return hs_notes_of(&inputs->notes);
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

static enum hs_status fit(struct hiersearch_system *fitted, const struct hiersearch_inputs *inputs,
                          const struct hiersearch_question *question, struct hs_error *err)
{
    struct hs_fit_times times = {.inputs = &inputs->inputs};
    struct hs_fit_settings usual = {.name = NULL};
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "fit", err);

    if (status == HS_OK)
        status = hs_inputs_check_results(&inputs->inputs, err);
    if (status == HS_OK)
        status = hs_fit_gather(&times, &fitted->system, settings, &fitted->notes, err);
    if (status == HS_OK)
        status = hs_fit_system(&fitted->system, &times, settings, &fitted->notes, err);
    hs_fit_times_release(&times);
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
    enum hs_status status = HS_OK;

    *fitted = calloc(1, sizeof(**fitted));
    if (!*fitted)
        return hs_call_end(call, hs_no_memory(err));
    status = hs_system_copy(&(*fitted)->system, &system->system, err);
    if (status == HS_OK)
        status = fit(*fitted, inputs, question, err);
    if (status != HS_OK) {
        hiersearch_system_free(*fitted);
        *fitted = NULL;
    }
    return hs_call_end(call, status);
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
    hs_question_append(command, question);
}

/* Two profiles, before and after, in place of results. */
static enum hs_status compare_profiles(struct hs_text *json, const struct hiersearch_inputs *inputs,
                                       const struct hs_compared_settings *settings,
                                       const char *predictor, struct hs_error *err)
{
    const struct hs_input_profile *profiles = inputs->inputs.profiles;
    struct hs_sheet sheet = hs_sheet_of(json);
    enum hs_status status = hs_compared_profiles_check(profiles[0].file, inputs->count, settings,
                                                       predictor ? "predict" : NULL, err);

    if (status == HS_OK && inputs->inputs.profile_count < inputs->count)
        status = hs_inputs_check_results(&inputs->inputs, err);
    if (status != HS_OK)
        return status;
    return hs_compared_profiles_show(&sheet, &profiles[0].profile, &profiles[1].profile,
                                     inputs->names, err);
}

static enum hs_status compare(struct hs_text *json, struct hs_text *notes,
                              struct hs_compared *compared, const struct hiersearch_inputs *inputs,
                              const struct hiersearch_question *question, struct hs_error *err)
{
    struct hs_compared_settings usual = {.size = NULL};
    struct hs_text command = {0};
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "compare", err);

    if (status == HS_OK && inputs->inputs.profile_count > 0)
        return compare_profiles(json, inputs, settings, compared->predictor, err);
    if (status == HS_OK)
        status = hs_compared_make(compared, settings, notes, err);
    append_command(&command, inputs, compared->predictor, question);
    if (status == HS_OK && command.failed)
        status = hs_no_memory(err);
    if (status == HS_OK)
        status = hs_comparison_print(json, &compared->comparison, compared->predictor, command.data,
                                     err);
    hs_text_release(&command);
    return status;
}

enum hiersearch_status hiersearch_compare(char **json, char **notes,
                                          const struct hiersearch_inputs *inputs,
                                          const struct hiersearch_system *system,
                                          const struct hiersearch_question *question,
                                          struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_compared compared = {.inputs = &inputs->inputs,
                                   .system = system ? &system->system : NULL,
                                   .predictor = system ? hs_system_label(system) : NULL};
    struct hs_text text = {0}, said = {0};
    enum hs_status status = compare(&text, &said, &compared, inputs, question, err);

    hs_compared_release(&compared);
    status = hs_text_give(json, &text, status, err);
    if (notes)
        status = hs_text_give(notes, &said, status, err);
    else
        hs_text_release(&said);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_profile_json(char **json, const char *path,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_profile profile = {.ranks = 0};
    struct hs_text text = {0};
    enum hs_status status = hs_inputs_profile(&profile, path, err);

    if (status == HS_OK)
        status = hs_profile_print(&text, &profile, err);
    hs_profile_release(&profile);
    return hs_call_end(call, hs_text_give(json, &text, status, err));
}
