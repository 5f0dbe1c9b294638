#include <string.h>

#include "answer/exports.h"
#include "cli/commands.h"
#include "cli/export_files.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"

struct export_settings {
    struct hs_argument_list results;
    struct hs_export_question ask;
    const char *output;
    bool quiet;
};

/* ---- running ---- */

static enum hs_status export_file(struct hs_exports *exports, const char *file,
                                  struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status = hs_result_load(&result, file, err);

    if (status != HS_OK)
        return status;
    status =
        hs_exports_add(exports, &result, strcmp(file, "-") == 0 ? "standard input" : file, err);
    hs_result_release(&result);
    return status;
}

static enum hs_status export_all(struct hs_context *context, const struct export_settings *settings,
                                 struct hs_exports *exports, struct hs_error *err)
{
    const struct hs_export_target to = {settings->output, settings->ask.settings.format,
                                        settings->results.items[0]};
    enum hs_status status = hs_exports_begin(exports, err);

    for (size_t i = 0; i < settings->results.count && status == HS_OK; i++)
        status = export_file(exports, settings->results.items[i], err);
    if (status == HS_OK)
        status = hs_exports_end(exports, err);
    if (status == HS_OK)
        status = hs_export_files_write(context, &exports->output, &to, err);
    if (status == HS_OK)
        hs_exports_say(exports);
    return status;
}

static enum hs_status run_results(struct hs_context *context,
                                  const struct export_settings *settings, struct hs_error *err)
{
    struct hs_profile profile = {.ranks = 0};
    struct hs_text notes = {0};
    struct hs_exports exports = {.settings = &settings->ask.settings,
                                 .second = settings->results.count > 1 ? settings->results.items[1]
                                                                       : NULL,
                                 .profile = settings->ask.profile ? &profile : NULL,
                                 .profile_name = settings->ask.profile,
                                 .notes = &notes};
    enum hs_status status = HS_OK;

    if (settings->ask.profile)
        status = hs_inputs_profile(&profile, settings->ask.profile, err);
    if (status == HS_OK && settings->results.count > 1)
        status = hs_output_check(settings->output, NULL, &settings->results, err);
    if (status == HS_OK)
        status = export_all(context, settings, &exports, err);
    hs_notes_pass_on(context, &notes);
    hs_exports_release(&exports);
    hs_profile_release(&profile);
    return status;
}

static enum hs_status run_list(struct hs_context *context, const struct export_settings *settings,
                               struct hs_error *err)
{
    struct hs_sheet sheet;

    hs_sheet_begin(&sheet, context->out, &settings->ask.print, &context->terminal);
    return hs_export_list(&sheet, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct export_settings *settings = of_rows;
    bool more = settings->results.count > 0 || settings->output;

    context->quiet = settings->quiet;
    if (hs_export_check(&settings->ask, more, err))
        return HS_INVALID;
    if (settings->ask.list)
        return run_list(context, settings, err);
    if (settings->results.count == 0)
        return hs_fail(err, HS_INVALID,
                       "expected RESULT, a file of `hiersearch measure` or predict");
    return run_results(context, settings, err);
}

#define FIELD(name) offsetof(struct export_settings, name)

static const struct hs_argument arguments[] = {
    {.name = "RESULT",
     .many = true,
     .files = true,
     .offset = FIELD(results),
     .usual = true,
     .help = "a result file of measure or predict, several for --to plans; - is stdin"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_EXPORT_TO(FIELD(ask.settings)),
    HS_ROW_EXPORT_PROFILE(FIELD(ask.profile)),
    HS_ROW_OUTPUT(
        NULL, FIELD(output), false,
        "write there instead of to stdout; a folder (made if need be) for formats of several "
        "files"),
    HS_ROWS_EXPORT(FIELD(ask.settings)),
    HS_ROW_EXPORT_LIST(FIELD(ask.list)),
    HS_ROWS_PRINT(NULL, FIELD(ask.print), "of --list, as all of these"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_export = {
    .name = "export",
    .summary = "writes a result as configuration for other libraries and simulators",
    .description = "Writes the best plan of a result in the format of another library. Every file "
                   "begins with a comment "
                   "that says where it is from, for which versions it is, and how to use it. What "
                   "a format cannot "
                   "express is said on stderr, with what that costs. Plans by trees on single "
                   "links (8f, 8g) go to pytorch and msccl, whole.",
    .examples = "  hiersearch export --list\n"
                "  hiersearch export results/here.json --to msccl -o allreduce.xml\n"
                "  hiersearch export allreduce.json allgather.json --profile job.json --to plans\n"
                "  hiersearch export results/here.json --to simgrid -o platform/\n"
                "  hiersearch predict abci --np 128 --json | hiersearch export - --to colours",
    .usual = "to output size plan profile list",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct export_settings),
    .run = run,
};
