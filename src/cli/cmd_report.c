#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/gnuplot.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "plot/page.h"
#include "version.h"

#define MADE_BY   "hiersearch " HS_VERSION
#define KINDS_MAX 16

struct report_settings {
    struct hs_argument_list results;
    const char *output, *size;
    bool quiet;
};

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
    if (kind->of_profile != (job->profile != NULL))
        return false;
    if (strcmp(kind->name, "scaling") == 0 || strcmp(kind->name, "top") == 0)
        return several_np(job);
    if (strcmp(kind->name, "bandwidth") == 0)
        return job->inputs[0].result->message_count > 1;
    return true;
}

/* A kind for which the results lack something is left out; only out of memory is a failure. */
static enum hs_status draw(struct pictures *pictures, struct hs_context *context,
                           const struct hs_plot_kind *kind, const struct hs_plot_job *job,
                           struct hs_error *err)
{
    struct hs_plot_job own = *job;
    struct hs_gnuplot_request request = {
        .kind = kind->name, .type = "svg", .limit_seconds = HS_GNUPLOT_SECONDS};
    struct hs_text tsv = {0}, complaints = {0};
    struct hs_error why;
    enum hs_status status;

    if (!kind->many && job->input_count > 1)
        own.input_count = 1;
    own.bytes = strcmp(kind->name, "bandwidth") == 0 ? 0 : job->bytes;
    status = hs_plot_write(&tsv, kind, &own, &why);
    if (status == HS_OK) {
        request.tsv = &tsv;
        status = hs_gnuplot_draw(&pictures->svgs[pictures->count], &complaints, &request, &why);
        if (complaints.length > 0)
            hs_warning(context, "%s: gnuplot: %s", kind->name, complaints.data);
        if (status == HS_OK) {
            pictures->list[pictures->count] =
                (struct hs_page_picture){kind->name, pictures->svgs[pictures->count].data};
            pictures->count++;
        } else {
            memcpy(pictures->missing, why.message, sizeof(pictures->missing));
        }
    }
    hs_text_release(&complaints);
    hs_text_release(&tsv);
    return status == HS_MEMORY ? hs_no_memory(err) : HS_OK;
}

/* In the order of the page: what answers "why" first. */
static enum hs_status draw_all(struct pictures *pictures, struct hs_context *context,
                               const struct hs_plot_job *job, struct hs_error *err)
{
    static const char *const order[] = {"calls", "layers",    "system",   "scaling",
                                        "top",   "bandwidth", "accuracy", "lattice"};
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && status == HS_OK; i++) {
        const struct hs_plot_kind *kind;

        status = hs_plot_kind_find(&kind, order[i], err);
        if (status == HS_OK && is_wanted(kind, job) && !pictures->missing[0])
            status = draw(pictures, context, kind, job, err);
    }
    return status;
}

/* ---- the page ---- */

static enum hs_status write_page(struct hs_context *context, const struct report_settings *settings,
                                 const struct hs_plot_job *job, const struct pictures *pictures,
                                 struct hs_error *err)
{
    struct hs_page page = {
        .job = job,
        .pictures = pictures->list,
        .picture_count = pictures->count,
        .made_by = HS_GIT_DESCRIBE[0] ? MADE_BY " (" HS_GIT_DESCRIBE ")" : MADE_BY,
        .missing = pictures->missing[0] ? pictures->missing : NULL,
    };
    struct hs_text html = {0};
    enum hs_status status =
        job->profile ? hs_page_write_profile(&html, &page, err) : hs_page_write(&html, &page, err);

    if (status == HS_OK && settings->output && strcmp(settings->output, "-") != 0)
        status = hs_file_replace(settings->output, html.data, html.length, err);
    else if (status == HS_OK)
        hs_text_append_bytes(context->out, html.data, html.length);
    hs_text_release(&html);
    return status;
}

static enum hs_status run_job(struct hs_context *context, const struct report_settings *settings,
                              const struct hs_inputs *inputs, struct hs_error *err)
{
    struct hs_plot_job job = hs_inputs_plot_job(inputs);
    struct pictures *pictures = calloc(1, sizeof(*pictures));
    enum hs_status status = HS_OK;

    if (!pictures)
        return hs_no_memory(err);
    if (settings->size) {
        status = hs_bytes_parse(&job.bytes, settings->size, err);
        if (status != HS_OK)
            status = hs_error_prefix(err, status, "--size");
    }
    if (status == HS_OK)
        status = draw_all(pictures, context, &job, err);
    if (status == HS_OK && pictures->missing[0])
        hs_warning(context, "the report has no pictures: %s", pictures->missing);
    if (status == HS_OK)
        status = write_page(context, settings, &job, pictures, err);
    pictures_release(pictures);
    free(pictures);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct report_settings *settings = of_rows;
    struct hs_inputs inputs = {.takes_profile = true};
    enum hs_status status;

    context->quiet = settings->quiet;
    status = hs_output_check(settings->output, NULL, &settings->results, err);
    if (status == HS_OK)
        status = hs_inputs_load(&inputs, &settings->results, context, err);
    if (status == HS_OK)
        status = run_job(context, settings, &inputs, err);
    hs_inputs_release(&inputs);
    return status;
}

#define FIELD(name) offsetof(struct report_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(results),
        "result files of measure or predict; the page is about the first one; or the profile of a "
        "job, or FILE.ranks, which a killed job leaves; - is stdin"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), true, "the page, such as report.html; - is stdout"),
    HS_ROW_RESULT_SIZE(
        FIELD(size),
        "message size that the page is about (default: the largest of the first result)"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_report = {
    .name = "report",
    .summary = "results as a page to read, print and pass on",
    .description =
        "Writes one HTML page with the answer first, then why, pictures, all candidates, how "
        "to use the result, and where it comes from. The page needs no network and no "
        "scripts. Pictures are drawn by gnuplot; without it the page has none, and says so. Of a "
        "profile it says what the job spends in which calls, groups and sizes.",
    .examples = "  hiersearch report results/here.json -o report.html\n"
                "  hiersearch report job.json -o job.html\n"
                "  hiersearch report results/p*.json --size 64MiB -o report.html",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct report_settings),
    .run = run,
};
