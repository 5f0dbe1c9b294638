/* Plots and reports by the library. */
#include <stdlib.h>

#include "api/handles.h"
#include "api/pictures.h"

/* What is drawn: the results among the inputs, or the profile in their place. */
static enum hs_status take(struct hs_inputs *drawn, const struct hs_inputs *inputs,
                           const char *profile, struct hs_error *err)
{
    *drawn = (struct hs_inputs){.inputs = inputs->inputs, .count = inputs->count};
    if (hs_inputs_check_results(inputs, err))
        return HS_INVALID;
    if (inputs->log_count > 0)
        return hs_fail(err, HS_INVALID, "%s: a log, expected results of measure or predict",
                       inputs->logs[0].file);
    if (profile && inputs->count > 0)
        return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected no %s beside it",
                       profile, inputs->inputs[0].name);
    if (!profile && inputs->count == 0)
        return hs_fail(err, HS_INVALID, "expected a result of measure or predict");
    drawn->profile_file = profile;
    return profile ? hs_inputs_profile(&drawn->profile, profile, err) : HS_OK;
}

/* The texts of a call that makes one and says something. */
static enum hs_status give(char **out, char **notes, struct hs_text *text, struct hs_text *said,
                           enum hs_status status, struct hs_error *err)
{
    status = hs_text_give(out, text, status, err);
    if (notes)
        status = hs_text_give(notes, said, status, err);
    else
        hs_text_release(said);
    if (status != HS_OK) { /* the notes alone could not be given */
        free(*out);
        *out = NULL;
    }
    return status;
}

enum hiersearch_status hiersearch_plot(char **picture, size_t *length, char **notes,
                                       const struct hiersearch_inputs *inputs,
                                       const struct hiersearch_question *question,
                                       struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text text = {0}, said = {0};
    struct hs_inputs drawn = {.count = 0};
    const struct hs_picture_question *asked = NULL;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, question, "plot", err);

    if (status == HS_OK) {
        asked = settings;
        status = hs_picture_check(&asked->settings, err);
    }
    if (status == HS_OK)
        status = take(&drawn, &inputs->inputs, asked->profile, err);
    if (status == HS_OK)
        status = hs_picture_make(&text, &said, &asked->settings, &drawn, err);
    if (length)
        *length = status == HS_OK ? text.length : 0;
    hs_profile_release(&drawn.profile);
    status = give(picture, notes, &text, &said, status, err);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_report(char **html, char **notes,
                                         const struct hiersearch_inputs *inputs,
                                         const struct hiersearch_question *question,
                                         struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text text = {0}, said = {0};
    struct hs_inputs drawn = {.count = 0};
    struct hs_report_question usual = {.size = NULL};
    const struct hs_report_question *asked = NULL;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "report", err);

    if (status == HS_OK) {
        asked = settings;
        status = take(&drawn, &inputs->inputs, asked->profile, err);
    }
    if (status == HS_OK)
        status = hs_report_make(&text, &said, asked->size, &drawn, err);
    hs_profile_release(&drawn.profile);
    status = give(html, notes, &text, &said, status, err);
    return hs_call_end(call, status);
}
