#include <stddef.h>
#include <string.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "show/simulated_show.h"

struct simulate_words {
    const char *system; /* as typed */
    struct hs_simulated_settings asked;
    const char *output; /* path; NULL: no file */
    bool quiet;
};

#define FIELD(name) offsetof(struct simulate_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "the machine: a name, a file, or levels from the inside out, as for predict"),
    {.name = "PLAN",
     .many = true,
     .offset = FIELD(asked.plans),
     .help = "plans to simulate, such as 4x8x4, or 4x8x4/8 with 8 chunks"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROWS_SIMULATED(FIELD(asked)),
    HS_ROWS_PRINT("Output", FIELD(asked.print), "print the result file instead of a table"),
    HS_ROW_OUTPUT("Output", FIELD(output), false, "write the result file; - is stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no progress, notes and warnings on stderr"),
    {.name = NULL},
};

static enum hs_status print(struct hs_context *context, const struct simulate_words *words,
                            const struct hs_result *result, struct hs_error *err)
{
    const char *label = hs_system_is_text(words->system) ? words->system : result->system.name;
    struct hs_text notes = {0}, unread = {0};
    struct hs_sheet sheet;
    bool json = hs_print_format(&words->asked.print) == HS_FORMAT_JSON;
    enum hs_status status;

    hs_sheet_begin(&sheet, json ? &unread : context->out, &words->asked.print, &context->terminal);
    status = hs_simulated_show(&sheet, &notes, result, label, err);
    if (status == HS_OK && json)
        status = hs_result_print(context->out, result, err);
    if (status == HS_OK && words->output)
        status = hs_result_save(result, words->output, err);
    if (status == HS_OK)
        hs_notes_pass_on(context, &notes);
    hs_text_release(&notes);
    hs_text_release(&unread);
    hs_text_release(&sheet.lines);
    return status;
}

static enum hs_status run_simulation(struct hs_context *context, const struct simulate_words *words,
                                     struct hs_system *system, struct hs_error *err)
{
    struct hs_export_output files = {.count = 0};
    struct hs_result result;
    enum hs_status status =
        hs_simulated_choose(&result, system, &words->asked, context->command_line, err);

    if (status == HS_OK)
        status = hs_simulate_available(err);
    if (status == HS_OK)
        status = hs_simulated_files(&files, &result, err);
    if (status == HS_OK)
        status = hs_simulate_run(&result, &files, words->quiet, err);
    if (status == HS_OK)
        status = print(context, words, &result, err);
    hs_export_output_release(&files);
    hs_result_release(&result);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct simulate_words *words = of_rows;
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    context->quiet = words->quiet;
    if (words->output && strcmp(words->output, "-") == 0) {
        words->asked.print.format = hs_format_names[HS_FORMAT_JSON];
        words->output = NULL;
    }
    status = hs_simulated_take(&words->asked, err);
    if (status == HS_OK)
        status = hs_find_system(&system, words->system, context, err);
    if (status == HS_OK)
        status = hs_output_check(words->output, words->system, NULL, err);
    if (status == HS_OK)
        status = run_simulation(context, words, &system, err);
    hs_system_release(&system);
    return status;
}

const struct hs_command hs_command_simulate = {
    .name = "simulate",
    .aside = true,
    .summary = "run plans in a simulated network (SimGrid), beside their predictions",
    .description =
        "Runs the host backend's own algorithms for P simulated processes on the platform that "
        "`export --to simgrid` writes of the machine, in SimGrid's flow-level network (SMPI), and "
        "prints each plan's simulated time beside the predicted one; the error is predicted over "
        "simulated time. The simulation is deterministic: each plan is run once. Messages of a "
        "ring step are whole blocks, and pay the machine's pipeline_granularity times its "
        "latency; computing takes no time and data is not checked. Needs SimGrid (Debian and "
        "Ubuntu: libsimgrid-dev) when hiersearch is built and when it runs.",
    .examples = "  hiersearch simulate abci --np 64\n"
                "  hiersearch simulate abci --np 128 4x8x4 4x32 128\n"
                "  hiersearch simulate summit --np 48 --all --size 64MiB -o summit-48.json\n"
                "  hiersearch simulate abci --np 64 --all --chunks 1,2,4",
    .usual = "np size collective chunks all output format",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct simulate_words),
    .run = run,
};
