#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct report_words {
    struct hs_argument_list results;
    const char *output;
    bool quiet;
};

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct report_words *words = of_rows;

    context->quiet = words->quiet;
    return hs_client_draw(context, &words->results, words->output, err);
}

#define FIELD(name) offsetof(struct report_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(results),
        "result files of measure or predict; the page is about the first one; or the profile of a "
        "job, or FILE.ranks, which a killed job leaves; - is stdin"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), true, "the page, such as report.html; - is stdout"),
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
    .question = "report",
    .options = options,
    .settings_bytes = sizeof(struct report_words),
    .run = run,
};
