#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "export/export.h"
#include "version.h"
#include "view/exporters.h"
#include "view/sheet.h"

#define MADE_BY "hiersearch " HS_VERSION

struct export_settings {
    const char *result, *format, *output, *plan, *size;
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

/* Without --size the largest message: there the layers matter most. */
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
    job->message = result->message_count - 1;
    if (result->message_count > 1 && !exporter->sizes)
        hs_note(context, "of %zu message sizes the largest is exported, %s; --size chooses",
                result->message_count,
                hs_bytes_format(size, result->messages[job->message].message_bytes));
    return HS_OK;
}

/* ---- files ---- */

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static char *join(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static enum hs_status write_file(const char *directory, const struct hs_export_file *file,
                                 struct hs_error *err)
{
    char *path = join(directory, file->name);
    enum hs_status status;

    if (!path)
        return hs_no_memory(err);
    status = hs_file_replace(path, file->text.data ? file->text.data : "", file->text.length, err);
    free(path);
    return status;
}

/* A link in the folder would lead the file elsewhere; the result itself may lie there. */
static enum hs_status check_file(const char *directory, const char *name, const char *result,
                                 struct hs_error *err)
{
    char *path = join(directory, name);
    struct stat about;
    enum hs_status status;

    if (!path)
        return hs_fail(err, HS_MEMORY, "out of memory");
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        status =
            hs_fail(err, HS_INVALID, "%s: is a symbolic link, expected a file or nothing", path);
    else
        status = hs_file_writable(path, &result, 1, err);
    free(path);
    return status;
}

static bool differ_in_digits_only(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    while (*a && *b) {
        size_t in_a = strspn(a, digits), in_b = strspn(b, digits);

        if ((in_a > 0) != (in_b > 0) || (in_a == 0 && *a != *b))
            return false;
        a += in_a > 0 ? in_a : 1;
        b += in_b > 0 ? in_b : 1;
    }
    return *a == *b;
}

/* "trace.8.et" beside eight files that end with "trace.7.et": of an export of more processes, which
 * a reader of the folder would take for one with this. */
static bool is_left_over(const char *name, const struct hs_export_output *output)
{
    bool alike = false;

    for (size_t i = 0; i < output->count; i++) {
        if (strcmp(name, output->files[i].name) == 0)
            return false;
        alike = alike || differ_in_digits_only(name, output->files[i].name);
    }
    return alike;
}

/* Before anything is written. */
static enum hs_status check_directory(const char *directory, const struct hs_export_output *output,
                                      const char *result, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    DIR *folder = opendir(directory);
    struct dirent *entry;

    if (!folder)
        return hs_fail(err, HS_INVALID, "%s: %s", directory, strerror(errno));
    while (status == HS_OK && (entry = readdir(folder)) != NULL)
        if (is_left_over(entry->d_name, output))
            status = hs_fail(err, HS_INVALID,
                             "%s/%s: left over from another export; remove such files, or name "
                             "another folder",
                             directory, entry->d_name);
    closedir(folder);
    for (size_t i = 0; i < output->count && status == HS_OK; i++)
        status = check_file(directory, output->files[i].name, result, err);
    return status;
}

static void remove_files(const char *directory, const struct hs_export_output *output, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = join(directory, output->files[i].name);

        if (path)
            unlink(path);
        free(path);
    }
    rmdir(directory);
}

/* A folder that was made here disappears again where not all files could be written. */
static enum hs_status write_directory(const char *directory, const struct hs_export_output *output,
                                      const char *result, struct hs_error *err)
{
    bool made = mkdir(directory, 0777) == 0;
    enum hs_status status = HS_OK;
    size_t written = 0;

    if (!made && errno != EEXIST)
        return hs_fail(err, HS_INVALID, "%s: cannot be made: %s", directory, strerror(errno));
    if (!is_directory(directory))
        return hs_fail(err, HS_INVALID, "%s: not a folder, and there are %zu files to write",
                       directory, output->count);
    status = check_directory(directory, output, result, err);
    for (; written < output->count && status == HS_OK; written += status == HS_OK)
        status = write_file(directory, &output->files[written], err);
    if (status != HS_OK && made)
        remove_files(directory, output, written);
    return status;
}

static enum hs_status need_directory(const struct hs_export_output *output,
                                     const struct export_settings *settings, struct hs_error *err)
{
    return hs_fail(err, HS_INVALID,
                   "--to %s makes %zu files (%s, %s%s): name a folder for them (-o)",
                   settings->format, output->count, output->files[0].name, output->files[1].name,
                   output->count > 2 ? ", ..." : "");
}

/* A path that cannot work is bad input, a full disk is not. */
static enum hs_status write_single(const char *path, const struct hs_text *text, const char *result,
                                   struct hs_error *err)
{
    enum hs_status status = hs_file_writable(path, &result, 1, err);

    return status == HS_OK ? hs_file_replace(path, text->data, text->length, err) : status;
}

static enum hs_status write_output(struct hs_context *context,
                                   const struct hs_export_output *output,
                                   const struct export_settings *settings, struct hs_error *err)
{
    bool to_stdout = !settings->output || strcmp(settings->output, "-") == 0;
    const struct hs_text *text = &output->files[0].text;

    if (to_stdout && output->count > 1)
        return need_directory(output, settings, err);
    if (to_stdout)
        hs_text_append_bytes(context->out, text->data, text->length);
    else if (output->count > 1 || is_directory(settings->output))
        return write_directory(settings->output, output, settings->result, err);
    else
        return write_single(settings->output, text, settings->result, err);
    return HS_OK;
}

static void print_notes(struct hs_context *context, const struct hs_text *notes)
{
    const char *line = notes->data ? notes->data : "";

    while (*line) {
        size_t length = strcspn(line, "\n");

        hs_note(context, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* ---- running ---- */

static enum hs_status run_job(struct hs_context *context, const struct export_settings *settings,
                              struct hs_result *result, struct hs_error *err)
{
    bool from_stdin = strcmp(settings->result, "-") == 0;
    struct hs_export_job job = {
        .result = result,
        .result_name = from_stdin ? "standard input" : settings->result,
        .made_by = HS_GIT_DESCRIBE[0] ? MADE_BY " (" HS_GIT_DESCRIBE ")" : MADE_BY,
    };
    struct hs_export_output output = {0};
    const struct hs_exporter *exporter;
    struct hs_plan plan;
    enum hs_status status = hs_exporter_find(&exporter, settings->format, err);

    if (status == HS_OK && settings->plan) {
        status = hs_plan_parse(&plan, settings->plan, hs_result_group(result).size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "--plan");
        job.plan = &plan;
    }
    if (status == HS_OK)
        status = choose_message(context, &job, settings, exporter, err);
    if (status == HS_OK)
        status = hs_export(&output, exporter, &job, err);
    if (status == HS_OK)
        status = write_output(context, &output, settings, err);
    if (status == HS_OK)
        print_notes(context, &output.notes);
    hs_export_output_release(&output);
    return status;
}

static enum hs_status run_list(struct hs_context *context, const struct export_settings *settings,
                               struct hs_error *err)
{
    if (settings->result || settings->format || settings->output || settings->plan ||
        settings->size)
        return hs_fail(err, HS_INVALID, "--list: stands alone");
    return print_list(context, &settings->print, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct export_settings *settings = of_rows;
    struct hs_result result = {0};
    enum hs_status status;

    context->quiet = settings->quiet;
    if (settings->list)
        return run_list(context, settings, err);
    if (settings->print.format)
        return hs_fail(err, HS_INVALID, "--format: of --list; what is exported has its own, --to");
    if (!settings->result)
        return hs_fail(err, HS_INVALID,
                       "expected RESULT, a file of `hiersearch measure` or predict");
    if (!settings->format)
        return hs_fail(err, HS_INVALID, "expected --to FORMAT; --list names the formats");
    status = hs_result_load(&result, settings->result, err);
    if (status != HS_OK)
        return status;
    hs_result_sort(&result);
    status = run_job(context, settings, &result, err);
    if (status == HS_OK && !result.complete)
        hs_warning(context, "%s is of a run that was cut short%s%s", settings->result,
                   result.note ? ": " : "", result.note ? result.note : "");
    hs_result_release(&result);
    return status;
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
     .files = true,
     .offset = FIELD(result),
     .usual = true,
     .help = "a result file of measure or predict; - is stdin"},
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
                "  hiersearch export results/here.json --to simgrid -o platform/\n"
                "  hiersearch predict abci --np 128 --json | hiersearch export - --to colours",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct export_settings),
    .run = run,
};
