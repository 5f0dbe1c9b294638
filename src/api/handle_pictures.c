/* Plots and reports by the library. */
#include "api/handles.h"
#include "plot/pictures.h"

/* What is beside a profile, which is drawn alone. */
static enum hs_status check_alone(const struct hs_inputs *inputs, const char *profile, size_t alone,
                                  struct hs_error *err)
{
    const char *other = inputs->count > 0               ? inputs->inputs[0].name
                        : inputs->log_count > 0         ? inputs->logs[0].file
                        : inputs->profile_count > alone ? inputs->profiles[alone].file
                                                        : NULL;

    if (!other)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected no %s beside it", profile,
                   other);
}

/* Those of the handle, or of none. */
static const struct hs_inputs *inputs_of(const struct hiersearch_inputs *inputs)
{
    static const struct hs_inputs none = {.count = 0};

    return inputs ? &inputs->inputs : &none;
}

/* What is drawn: the results among the inputs, or a profile in their place, which is theirs, or, of
 * the path `profile`, to be released. */
static enum hs_status take(struct hs_inputs *drawn, const struct hs_inputs *inputs,
                           const char *profile, struct hs_error *err)
{
    *drawn = (struct hs_inputs){.inputs = inputs->inputs, .count = inputs->count};
    if (profile) {
        drawn->profile_file = profile;
        return check_alone(inputs, profile, 0, err)
                   ? HS_INVALID
                   : hs_inputs_profile(&drawn->profile, profile, err);
    }
    if (inputs->profile_count > 0) {
        drawn->profile_file = inputs->profiles[0].file;
        drawn->profile = inputs->profiles[0].profile;
        return check_alone(inputs, drawn->profile_file, 1, err);
    }
    if (inputs->log_count > 0)
        return hs_fail(err, HS_INVALID, "%s: a log, expected results of measure or predict",
                       inputs->logs[0].file);
    if (inputs->count == 0)
        return hs_fail(err, HS_INVALID, "expected a result of measure or predict");
    return HS_OK;
}

enum hiersearch_status hiersearch_plot(char **picture, size_t *length, char **notes,
                                       const struct hiersearch_inputs *inputs,
                                       const struct hiersearch_question *question,
                                       struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    struct hs_inputs drawn = {.count = 0};
    const struct hs_picture_question *asked = NULL;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, question, "plot", page.err);

    if (status == HS_OK) {
        asked = settings;
        status = hs_picture_check(&asked->settings, page.err);
    }
    if (status == HS_OK)
        status = take(&drawn, inputs_of(inputs), asked->profile, page.err);
    if (status == HS_OK)
        status = hs_picture_make(&page.text, &page.said, &asked->settings, &drawn, page.err);
    if (length)
        *length = status == HS_OK && picture ? page.text.length : 0;
    if (asked && asked->profile)
        hs_profile_release(&drawn.profile);
    return hs_page_end(&page, picture, notes, status);
}

enum hiersearch_status hiersearch_report(char **html, char **notes,
                                         const struct hiersearch_inputs *inputs,
                                         const struct hiersearch_question *question,
                                         struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    struct hs_inputs drawn = {.count = 0};
    struct hs_report_question usual = {.size = NULL};
    const struct hs_report_question *asked = NULL;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, &usual, question, "report", page.err);

    if (status == HS_OK) {
        asked = settings;
        status = take(&drawn, inputs_of(inputs), asked->profile, page.err);
    }
    if (status == HS_OK)
        status = hs_report_make(&page.text, &page.said, asked->size, &drawn, page.err);
    if (asked && asked->profile)
        hs_profile_release(&drawn.profile);
    return hs_page_end(&page, html, notes, status);
}
