/* Plots and reports by the library. */
#include "api/handles.h"
#include "plot/pictures.h"

/* A profile, or an answer of check, is drawn alone. */
static enum hs_status check_alone(const struct hs_inputs *inputs, struct hs_error *err)
{
    size_t alone = inputs->checked ? 0 : 1; /* profiles */
    const char *other = inputs->count > 0               ? inputs->inputs[0].name
                        : inputs->log_count > 0         ? inputs->logs[0].file
                        : inputs->profile_count > alone ? inputs->profiles[alone].file
                                                        : NULL;

    if (!other)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s is %s: expected no %s beside it",
                   inputs->checked ? inputs->checked_file : inputs->profiles[0].file,
                   inputs->checked ? "an answer of check" : "the profile of a job", other);
}

/* What is drawn: the results among the inputs, or the profile, or the answer of check, in their
 * place. Borrowed. */
static enum hs_status take(struct hs_inputs *drawn, const struct hs_inputs *inputs,
                           struct hs_error *err)
{
    *drawn = (struct hs_inputs){.count = 0};
    if (!inputs ||
        (inputs->count + inputs->log_count + inputs->profile_count == 0 && !inputs->checked))
        return hs_fail(err, HS_INVALID, "expected a result of measure or predict");
    drawn->inputs = inputs->inputs;
    drawn->count = inputs->count;
    if (inputs->checked) {
        drawn->checked = inputs->checked;
        drawn->checked_file = inputs->checked_file;
        return check_alone(inputs, err);
    }
    if (inputs->profile_count > 0) {
        drawn->profile_file = inputs->profiles[0].file;
        drawn->profile = inputs->profiles[0].profile;
        return check_alone(inputs, err);
    }
    return inputs->log_count == 0
               ? HS_OK
               : hs_fail(err, HS_INVALID, "%s: a log, expected results of measure or predict",
                         inputs->logs[0].file);
}

/* Both are made whole: the answer is their text. */
static enum hs_status print(struct hs_text *out, struct hiersearch_answer *answer,
                            const struct hs_print *print, struct hs_error *err)
{
    const struct hs_text *made = answer->made;

    (void)print;
    hs_text_append_bytes(out, made->data ? made->data : "", made->length);
    return out->failed ? hs_no_memory(err) : HS_OK;
}

static void release(void *made)
{
    hs_text_release(made);
}

static const struct hs_option plot_rows[] = {
    HS_ROWS_PICTURE(0),
    {.name = NULL},
};

static enum hs_status make_plot(struct hiersearch_answer *answer, struct hs_error *err)
{
    const struct hs_picture_settings *asked = answer->question->settings;
    struct hs_inputs drawn;
    enum hs_status status = hs_picture_check(asked, err);

    if (status == HS_OK)
        status = take(&drawn, hs_answer_inputs(answer), err);
    return status == HS_OK ? hs_picture_make(answer->made, &answer->notes, asked, &drawn, err)
                           : status;
}

const struct hs_question_kind hs_kind_plot = {
    .name = "plot",
    .rows = plot_rows,
    .settings_bytes = sizeof(struct hs_picture_settings),
    .print_at = HS_ONE_FORM,
    .made_bytes = sizeof(struct hs_text),
    .make = make_plot,
    .print = print,
    .release = release,
};

/* const char *: the message size. */
static const struct hs_option report_rows[] = {
    HS_ROW_REPORT_SIZE(0),
    {.name = NULL},
};

static enum hs_status make_report(struct hiersearch_answer *answer, struct hs_error *err)
{
    const char *const *size = answer->question->settings;
    struct hs_inputs drawn;
    enum hs_status status = take(&drawn, hs_answer_inputs(answer), err);

    if (status == HS_OK && drawn.checked)
        return hs_inputs_check_results(&drawn, err);
    return status == HS_OK ? hs_report_make(answer->made, &answer->notes, *size, &drawn, err)
                           : status;
}

const struct hs_question_kind hs_kind_report = {
    .name = "report",
    .rows = report_rows,
    .settings_bytes = sizeof(const char *),
    .print_at = HS_ONE_FORM,
    .made_bytes = sizeof(struct hs_text),
    .make = make_report,
    .print = print,
    .release = release,
};
