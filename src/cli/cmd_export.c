#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/export_files.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "export/export.h"
#include "model/rules.h"
#include "version.h"
#include "view/exporters.h"
#include "view/sheet.h"

#define MADE_BY "hiersearch " HS_VERSION

struct export_settings {
    struct hs_argument_list results;
    const char *result; /* the one at work */
    const char *profile, *format, *output, *plan, *size;
    struct hs_print print;
    bool list, quiet;
};

/* ---- the list of formats ---- */

static enum hs_status print_list(struct hs_context *context, const struct hs_print *print,
                                 struct hs_error *err)
{
    struct hs_sheet sheet;
    struct hs_table table;

    hs_sheet_begin(&sheet, context->out, print, &context->terminal);
    hs_exporters_table(&table, NULL, NULL);
    hs_sheet_table(&sheet, &table);
    hs_sheet_say(&sheet,
                 "\nlayers: how many it can express; plan: exported as it is, or the nearest "
                 "that the target has\n");
    return hs_sheet_end(&sheet, err);
}

/* ---- what is exported ---- */

/* "1MiB, 64MiB": the sizes there are, or the first few of them. */
static void append_sizes(struct hs_text *text, const struct hs_result *result)
{
    char size[HS_UNIT_TEXT];

    for (size_t i = 0; i < result->message_count && i < 16; i++)
        hs_text_append(text, "%s%s", i ? ", " : "",
                       hs_bytes_format(size, result->messages[i].message_bytes));
    if (result->message_count > 16)
        hs_text_append(text, ", ...");
}

/* The nearest size stands for others up to so many times as large or small. */
#define NEAR_ENOUGH 4.0

/* How many times as large or small as a message of the result. */
static double times_off(const struct hs_result *result, size_t message, uint64_t bytes)
{
    double ratio = (double)result->messages[message].message_bytes / (double)bytes;

    return ratio < 1 ? 1 / ratio : ratio;
}

static enum hs_status find_size(struct hs_context *context, size_t *message,
                                const struct export_settings *settings,
                                const struct hs_result *result, struct hs_error *err)
{
    struct hs_text sizes = {0};
    uint64_t bytes;
    enum hs_status status = hs_bytes_parse(&bytes, settings->size, err);
    char size[HS_UNIT_TEXT];

    if (status != HS_OK)
        return hs_error_prefix(err, status, "--size");
    *message = 0;
    for (size_t i = 1; i < result->message_count; i++)
        if (times_off(result, i, bytes) < times_off(result, *message, bytes))
            *message = i;
    if (result->message_count > 0 && times_off(result, *message, bytes) <= NEAR_ENOUGH) {
        if (times_off(result, *message, bytes) > 1)
            hs_note(context, "%s has no %s: exported is what is best for %s, the nearest size",
                    settings->result, settings->size,
                    hs_bytes_format(size, result->messages[*message].message_bytes));
        return HS_OK;
    }
    append_sizes(&sizes, result);
    status = hs_fail(err, HS_INVALID, "--size %s: %s has %s", settings->size, settings->result,
                     sizes.data ? sizes.data : "no message size");
    hs_text_release(&sizes);
    return status;
}

/* The nearest to the size that costs the job most. */
static size_t costliest_message(const struct hs_result *result,
                                const struct hs_profile_load *called)
{
    const struct hs_profile_size *most = &called->sizes[0];
    size_t message = 0;

    for (size_t i = 1; i < called->size_count; i++)
        if (called->sizes[i].cost > most->cost)
            most = &called->sizes[i];
    for (size_t i = 1; i < result->message_count; i++)
        if (times_off(result, i, most->bytes) < times_off(result, message, most->bytes))
            message = i;
    return message;
}

/* Without --size that of a job, or the largest message: there the layers matter most. */
static enum hs_status choose_message(struct hs_context *context, struct hs_export_job *job,
                                     const struct export_settings *settings,
                                     const struct hs_exporter *exporter, struct hs_error *err)
{
    const struct hs_result *result = job->result;
    char size[HS_UNIT_TEXT];

    if (settings->size)
        return find_size(context, &job->message, settings, result, err);
    if (result->message_count == 0)
        return HS_OK; /* hs_export says it */
    job->message = job->called ? costliest_message(result, job->called) : result->message_count - 1;
    if (result->message_count > 1 && !exporter->sizes)
        hs_note(context, "of %zu message sizes %s is exported, %s; --size chooses",
                result->message_count,
                job->called ? "the nearest to what costs the job most" : "the largest",
                hs_bytes_format(size, result->messages[job->message].message_bytes));
    return HS_OK;
}

static void print_notes(struct hs_context *context, const struct hs_text *notes)
{
    struct hs_lines lines = {.next = notes->data};

    while (hs_lines_next(&lines))
        hs_note(context, "%.*s", (int)lines.length, lines.line);
}

/* ---- running ---- */

/* What the profile's job calls. */
struct called {
    int64_t ranks;
    struct hs_profile_load *loads; /* [count] owned */
    size_t count;
};

static enum hs_status load_called(struct called *called, const char *path, struct hs_error *err)
{
    struct hs_profile profile;
    enum hs_status status = hs_inputs_profile(&profile, path, err);

    if (status != HS_OK)
        return status;
    called->ranks = profile.ranks;
    status = hs_profile_loads(&called->loads, &called->count, &profile, err);
    hs_profile_release(&profile);
    return status;
}

static const struct hs_profile_load *find_called(const struct called *called,
                                                 const struct hs_result *result)
{
    struct hs_group group = hs_result_group(result);

    for (size_t i = 0; i < called->count; i++)
        if (called->loads[i].collective == result->collective &&
            hs_group_equal(&called->loads[i].group, &group))
            return &called->loads[i];
    return NULL;
}

static enum hs_status run_job(struct hs_context *context, const struct export_settings *settings,
                              struct hs_export_job *job, struct hs_export_output *output,
                              struct hs_error *err)
{
    const struct hs_exporter *exporter;
    struct hs_plan plan;
    enum hs_status status = hs_exporter_find(&exporter, settings->format, err);

    if (status == HS_OK && settings->plan) {
        status = hs_plan_parse(&plan, settings->plan, hs_result_group(job->result).size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "--plan");
        job->plan = &plan;
    }
    if (status == HS_OK)
        status = choose_message(context, job, settings, exporter, err);
    return status == HS_OK ? hs_export(output, exporter, job, err) : status;
}

/* Of several results the text goes behind that of those before. */
static void join_output(struct hs_export_output *all, struct hs_export_output *output)
{
    if (all->count == 0) {
        *all = *output;
        return;
    }
    hs_text_append_bytes(&all->files[0].text, output->files[0].text.data,
                         output->files[0].text.length);
    if (output->notes.length > 0)
        hs_text_append_bytes(&all->notes, output->notes.data, output->notes.length);
    hs_export_output_release(output);
}

static enum hs_status run_result(struct hs_context *context, const struct export_settings *settings,
                                 const struct called *called, struct hs_export_output *all,
                                 struct hs_error *err)
{
    struct hs_result result;
    struct hs_export_output output = {0};
    enum hs_status status = hs_result_load(&result, settings->result, err);
    struct hs_export_job job = {
        .result = &result,
        .result_name = strcmp(settings->result, "-") == 0 ? "standard input" : settings->result,
        .made_by = HS_GIT_DESCRIBE[0] ? MADE_BY " (" HS_GIT_DESCRIBE ")" : MADE_BY,
    };

    if (status != HS_OK)
        return status;
    hs_result_sort(&result);
    if (settings->profile && called->ranks != result.np)
        status = hs_fail(err, HS_INVALID, "%s: of %" PRId64 " processes, %s of %" PRId64,
                         settings->result, result.np, settings->profile, called->ranks);
    if (status == HS_OK && settings->profile)
        job.called = find_called(called, &result);
    if (status == HS_OK && settings->profile && !job.called)
        hs_note(context, "%s is about what the job does not call: left out", settings->result);
    else if (status == HS_OK)
        status = run_job(context, settings, &job, &output, err);
    if (status == HS_OK && output.count > 0)
        join_output(all, &output);
    if (status == HS_OK && !result.complete)
        hs_warning(context, "%s is of a run that was cut short%s%s", settings->result,
                   result.note ? ": " : "", result.note ? result.note : "");
    hs_result_release(&result);
    return status;
}

/* What each of several results may be by itself need not go together. */
static enum hs_status check_joined(const struct hs_export_output *all,
                                   const struct export_settings *settings, struct hs_error *err)
{
    struct hs_rules rules = {.count = 0};
    enum hs_status status = HS_OK;

    if (all->count == 0)
        return hs_fail(err, HS_INVALID, "no RESULT is about what the job of %s calls",
                       settings->profile);
    if (settings->results.count > 1)
        status = hs_rules_parse(&rules, all->files[0].text.data, err);
    hs_rules_release(&rules);
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, "rules of these results");
}

static enum hs_status check_several(const struct export_settings *settings, struct hs_error *err)
{
    const struct hs_exporter *exporter;
    enum hs_status status = hs_exporter_find(&exporter, settings->format, err);

    if (status == HS_OK && settings->results.count > 1 && !hs_exporter_takes_several(exporter))
        return hs_fail(err, HS_INVALID,
                       "--to %s: expected one RESULT, found %s, too; plans holds several",
                       settings->format, settings->results.items[1]);
    if (status == HS_OK && settings->results.count > 1 && (settings->plan || settings->size))
        return hs_fail(err, HS_INVALID, "--%s: of one RESULT", settings->plan ? "plan" : "size");
    if (status == HS_OK && settings->results.count > 1)
        status = hs_output_check(settings->output, NULL, &settings->results, err);
    return status;
}

static enum hs_status run_results(struct hs_context *context, struct export_settings *settings,
                                  struct hs_error *err)
{
    const struct hs_export_target to = {settings->output, settings->format,
                                        settings->results.items[0]};
    struct called called = {.count = 0};
    struct hs_export_output all = {0};
    enum hs_status status =
        settings->profile ? load_called(&called, settings->profile, err) : HS_OK;

    for (size_t i = 0; i < settings->results.count && status == HS_OK; i++) {
        settings->result = settings->results.items[i];
        status = run_result(context, settings, &called, &all, err);
    }
    if (status == HS_OK)
        status = check_joined(&all, settings, err);
    if (status == HS_OK)
        status = hs_export_files_write(context, &all, &to, err);
    if (status == HS_OK)
        print_notes(context, &all.notes);
    hs_export_output_release(&all);
    free(called.loads);
    return status;
}

static enum hs_status run_list(struct hs_context *context, const struct export_settings *settings,
                               struct hs_error *err)
{
    if (settings->results.count > 0 || settings->profile || settings->format || settings->output ||
        settings->plan || settings->size)
        return hs_fail(err, HS_INVALID, "--list: stands alone");
    return print_list(context, &settings->print, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct export_settings *settings = of_rows;

    context->quiet = settings->quiet;
    if (settings->list)
        return run_list(context, settings, err);
    if (settings->print.format)
        return hs_fail(err, HS_INVALID, "--format: of --list; what is exported has its own, --to");
    if (settings->results.count == 0)
        return hs_fail(err, HS_INVALID,
                       "expected RESULT, a file of `hiersearch measure` or predict");
    if (!settings->format)
        return hs_fail(err, HS_INVALID, "expected --to FORMAT; --list names the formats");
    if (check_several(settings, err))
        return HS_INVALID;
    return run_results(context, settings, err);
}

static const char *const *format_names(void)
{
    static const char *names[64];
    size_t count = 0;

    for (; count < 63 && hs_exporters[count]; count++)
        names[count] = hs_exporters[count]->name;
    names[count] = NULL;
    return names;
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
    {.name = "to",
     .letter = 't',
     .argument = "FORMAT",
     .words = format_names,
     .type = &hs_option_word,
     .offset = FIELD(format),
     .usual = true,
     .help = "what to make; --list says what each is"},
    HS_ROW_FILE("profile", 0, NULL, FIELD(profile), false,
                "only what a job calls that `hiersearch profile` counted (or FILE.ranks, which it "
                "left): other results are left out, other sizes are the library's own"),
    HS_ROW_OUTPUT(
        NULL, FIELD(output), false,
        "write there instead of to stdout; a folder (made if need be) for formats of several "
        "files"),
    HS_ROW_RESULT_SIZE(FIELD(size),
                       "message size whose plan is exported (default: the largest of the result)"),
    HS_ROW_RESULT_PLAN(FIELD(plan), "export this plan, such as 4x32, instead of the best"),
    {.name = "list",
     .letter = 'l',
     .type = &hs_option_flag,
     .offset = FIELD(list),
     .help = "the formats: for which library, how many layers, exact or not"},
    HS_ROWS_PRINT(NULL, FIELD(print), "of --list, as all of these"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_export = {
    .name = "export",
    .summary = "a result as configuration that other libraries and simulators read",
    .description = "Writes the best plan of a result in the format of another library. Every file "
                   "begins with a comment "
                   "that says where it is from, for which versions it is, and how to use it. What "
                   "a format cannot "
                   "express is said on stderr, with what that costs.",
    .examples = "  hiersearch export --list\n"
                "  hiersearch export results/here.json --to msccl -o allreduce.xml\n"
                "  hiersearch export allreduce.json allgather.json --profile job.json --to plans\n"
                "  hiersearch export results/here.json --to simgrid -o platform/\n"
                "  hiersearch predict abci --np 128 --json | hiersearch export - --to colours",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct export_settings),
    .run = run,
};
