#include "plot/pictures.h"

#include <stdlib.h>
#include <string.h>

#include "base/notes.h"
#include "plot/gnuplot.h"
#include "plot/page.h"
#include "version.h"

#define MADE_BY   "hiersearch " HS_VERSION
#define KINDS_MAX 16

const char *const *hs_picture_words(void)
{
    static _Thread_local const char *names[KINDS_MAX + 1];
    size_t count = 0;

    for (; count < KINDS_MAX && hs_plot_kinds[count]; count++)
        names[count] = hs_plot_kinds[count]->name;
    names[count] = NULL;
    return names;
}

const char *const *hs_picture_types(void)
{
    return hs_gnuplot_types;
}

/* What is drawn of inputs, which they outlive. */
static enum hs_status job_of(struct hs_plot_job *job, const struct hs_inputs *inputs,
                             const char *size, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *job = (struct hs_plot_job){.inputs = inputs->inputs,
                                .input_count = inputs->count,
                                .profile = inputs->profile_file ? &inputs->profile : NULL,
                                .profile_name = inputs->profile_file};
    if (size)
        status = hs_bytes_parse(&job->bytes, size, err);
    return status ? hs_error_prefix(err, status, "--size") : HS_OK;
}

/* ---- one picture ----------------------------------------------------------------------------- */

enum hs_status hs_picture_check(const struct hs_picture_settings *settings, struct hs_error *err)
{
    if (!settings->kind)
        return hs_fail(err, HS_INVALID, "expected --kind KIND");
    if (settings->csv && settings->type)
        return hs_fail(err, HS_INVALID, "--csv and --type: not together; CSV is no picture");
    return HS_OK;
}

static void say_complaints(struct hs_text *notes, const struct hs_text *complaints)
{
    const char *line = complaints->data ? complaints->data : "";

    for (; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");

        if (length > strspn(line, " \t^"))
            hs_say_warning(notes, "gnuplot: %.*s", (int)length, line);
        line += length;
    }
}

static enum hs_status draw_one(struct hs_text *out, struct hs_text *notes,
                               const struct hs_picture_settings *settings,
                               const struct hs_text *csv, struct hs_error *err)
{
    struct hs_gnuplot_request request = {.kind = settings->kind,
                                         .type = settings->type ? settings->type : "svg",
                                         .csv = csv,
                                         .limit_seconds = HS_GNUPLOT_SECONDS};
    struct hs_text complaints = {0};
    enum hs_status status = hs_gnuplot_draw(out, &complaints, &request, err);

    if (status == HS_OK)
        say_complaints(notes, &complaints);
    hs_text_release(&complaints);
    return status;
}

enum hs_status hs_picture_make(struct hs_text *out, struct hs_text *notes,
                               const struct hs_picture_settings *settings,
                               const struct hs_inputs *inputs, struct hs_error *err)
{
    const struct hs_plot_kind *kind;
    struct hs_check_answer checked = {.row_count = 0};
    struct hs_text csv = {0};
    struct hs_plot_job job;
    enum hs_status status = hs_plot_kind_find(&kind, settings->kind, err);

    if (status == HS_OK)
        status = job_of(&job, inputs, settings->size, err);
    if (status == HS_OK && inputs->checked)
        status = hs_fields_parse(&hs_check_fields, &checked, inputs->checked_file, inputs->checked,
                                 strlen(inputs->checked), err);
    if (status != HS_OK)
        return status;
    job.plan = settings->plan;
    job.checked = inputs->checked ? &checked : NULL;
    job.checked_name = inputs->checked_file;
    status = hs_plot_write(settings->csv ? out : &csv, kind, &job, err);
    if (status == HS_OK && !settings->csv)
        status = draw_one(out, notes, settings, &csv, err);
    hs_text_release(&csv);
    hs_check_answer_release(&checked);
    return status;
}

/* ---- pictures ---- */

struct pictures {
    struct hs_page_picture list[KINDS_MAX];
    struct hs_text svgs[KINDS_MAX]; /* owned */
    size_t count;
    char missing[HS_ERROR_MESSAGE_BYTES]; /* why gnuplot drew nothing; empty: it did */
};

static void pictures_release(struct pictures *pictures)
{
    for (size_t i = 0; i < KINDS_MAX; i++)
        hs_text_release(&pictures->svgs[i]);
}

/* A result that was measured is checked as its default call was timed, where it has a machine. */
static enum hs_status check_measured(struct hs_check_answer *checked, struct hs_plot_job *job,
                                     struct hs_error *err)
{
    enum hs_status status;

    if (job->input_count == 0 || !job->inputs[0].result->backend ||
        !job->inputs[0].result->has_system)
        return HS_OK;
    status = hs_check_result(checked, &job->inputs[0], err);
    if (status == HS_OK && checked->verdict != HS_CHECK_UNJUDGED) {
        job->checked = checked;
        job->checked_name = job->inputs[0].name;
    }
    return status;
}

static bool several_np(const struct hs_plot_job *job)
{
    for (size_t i = 1; i < job->input_count; i++)
        if (job->inputs[i].result->np != job->inputs[0].result->np)
            return true;
    return false;
}

/* Whether a picture says something that the others do not: a curve needs more than one point. */
static bool is_wanted(const struct hs_plot_kind *kind, const struct hs_plot_job *job)
{
    if (kind->of == HS_PLOT_CHECKED)
        return job->checked && job->checked->row_count > 1;
    if (kind->of != (job->profile ? HS_PLOT_PROFILE : HS_PLOT_RESULTS))
        return false;
    if (strcmp(kind->name, "scaling") == 0)
        return several_np(job);
    if (strcmp(kind->name, "bandwidth") == 0)
        return job->inputs[0].result->message_count > 1;
    return true;
}

/* A kind for which the results lack something is left out; only out of memory is a failure. */
static enum hs_status draw(struct pictures *pictures, struct hs_text *notes,
                           const struct hs_plot_kind *kind, const struct hs_plot_job *job,
                           struct hs_error *err)
{
    struct hs_plot_job own = *job;
    struct hs_gnuplot_request request = {
        .kind = kind->name, .type = "svg", .limit_seconds = HS_GNUPLOT_SECONDS};
    struct hs_text csv = {0}, complaints = {0};
    struct hs_error why;
    enum hs_status status;

    if (kind->of != HS_PLOT_CHECKED)
        own.checked = NULL;
    if (!kind->many && job->input_count > 1)
        own.input_count = 1;
    own.bytes = strcmp(kind->name, "bandwidth") == 0 ? 0 : job->bytes;
    status = hs_plot_write(&csv, kind, &own, &why);
    if (status == HS_OK) {
        request.csv = &csv;
        status = hs_gnuplot_draw(&pictures->svgs[pictures->count], &complaints, &request, &why);
        if (complaints.length > 0)
            hs_say_warning(notes, "%s: gnuplot: %s", kind->name, complaints.data);
        if (status == HS_OK) {
            pictures->list[pictures->count] =
                (struct hs_page_picture){kind->name, pictures->svgs[pictures->count].data};
            pictures->count++;
        } else {
            memcpy(pictures->missing, why.message, sizeof(pictures->missing));
        }
    }
    hs_text_release(&complaints);
    hs_text_release(&csv);
    return status == HS_MEMORY ? hs_no_memory(err) : HS_OK;
}

/* In the order of the page: what answers "why" first. */
static enum hs_status draw_all(struct pictures *pictures, struct hs_text *notes,
                               const struct hs_plot_job *job, struct hs_error *err)
{
    static const char *const order[] = {"calls",     "layers", "system",  "scaling",
                                        "bandwidth", "check",  "accuracy"};
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && status == HS_OK; i++) {
        const struct hs_plot_kind *kind;

        status = hs_plot_kind_find(&kind, order[i], err);
        if (status == HS_OK && is_wanted(kind, job) && !pictures->missing[0])
            status = draw(pictures, notes, kind, job, err);
    }
    return status;
}

static enum hs_status write_page(struct hs_text *html, const struct hs_plot_job *job,
                                 const struct pictures *pictures, struct hs_error *err)
{
    struct hs_page page = {
        .job = job,
        .pictures = pictures->list,
        .picture_count = pictures->count,
        .made_by = HS_GIT_DESCRIBE[0] ? MADE_BY " (" HS_GIT_DESCRIBE ")" : MADE_BY,
        .missing = pictures->missing[0] ? pictures->missing : NULL,
    };

    return job->profile ? hs_page_write_profile(html, &page, err) : hs_page_write(html, &page, err);
}

enum hs_status hs_report_make(struct hs_text *html, struct hs_text *notes, const char *size,
                              const struct hs_inputs *inputs, struct hs_error *err)
{
    struct hs_check_answer checked = {.row_count = 0};
    struct hs_plot_job job;
    struct pictures *pictures;
    enum hs_status status = job_of(&job, inputs, size, err);

    if (status == HS_OK)
        status = check_measured(&checked, &job, err);
    if (status != HS_OK) {
        hs_check_answer_release(&checked);
        return status;
    }
    pictures = calloc(1, sizeof(*pictures));
    status = pictures ? HS_OK : hs_no_memory(err);
    if (status == HS_OK)
        status = draw_all(pictures, notes, &job, err);
    if (status == HS_OK && pictures->missing[0])
        hs_say_warning(notes, "the report has no pictures: %s", pictures->missing);
    if (status == HS_OK)
        status = write_page(html, &job, pictures, err);
    if (pictures)
        pictures_release(pictures);
    free(pictures);
    hs_check_answer_release(&checked);
    return status;
}
