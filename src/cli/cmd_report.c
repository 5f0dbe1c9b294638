#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "plot/pictures.h"

struct report_settings {
    struct hs_argument_list results;
    const char *output, *size;
    bool quiet;
};

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct report_settings *settings = of_rows;
    struct hs_inputs inputs = {.takes_profile = true};
    struct hs_text html = {0}, notes = {0};
    enum hs_status status;

    context->quiet = settings->quiet;
    status = hs_output_check(settings->output, NULL, &settings->results, err);
    if (status == HS_OK)
        status = hs_inputs_load(&inputs, &settings->results, context, err);
    if (status == HS_OK)
        status = hs_report_make(&html, &notes, settings->size, &inputs, err);
    hs_notes_pass_on(context, &notes);
    if (status == HS_OK)
        status = hs_output_write(settings->output, &html, context, err);
    hs_text_release(&html);
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
    HS_ROW_REPORT_SIZE(FIELD(size)),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_report = {
    .name = "report",
    .summary = "a self-contained HTML report of results",
    .description =
        "Writes one HTML page with the answer first, then why, pictures, all candidates, how "
        "to use the result, and its provenance. The page needs no network and no "
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
