/* What main does: one command, its output, and its error, each in one place. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/launcher.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/startup.h"

void hs_context_help(struct hs_context *context, const struct hs_command *command, bool all)
{
    context->told_once = true;
    hs_help_command(context->out, command, &context->terminal, all);
}

void hs_context_overview(struct hs_context *context, const struct hs_command *const *commands,
                         bool all)
{
    context->told_once = true;
    hs_help_program(context->out, commands, &context->terminal, all);
}

/* Of what was typed, the files that are read: a folder by the name of a shipped system is none. */
static void add_input(const char **inputs, size_t *count, const char *text, bool is_name)
{
    if (text && !(is_name && hs_file_is_folder(text)))
        inputs[(*count)++] = text;
}

/* No command writes over a file that it was given to read, whatever its rows call it. */
static enum hs_status check_output(const struct hs_command *command, const char *settings, int argc,
                                   struct hs_error *err)
{
    const char **inputs = calloc((size_t)argc + 1, sizeof(*inputs)), *output = NULL;
    enum hs_status status = HS_OK;
    size_t count = 0;

    if (!inputs)
        return hs_no_memory(err);
    for (const struct hs_option *row = command->options; row && row->name; row++) {
        if (row->type != &hs_option_file)
            continue;
        if (strcmp(row->name, "output") == 0)
            output = *(const char *const *)(settings + row->offset);
        else
            add_input(inputs, &count, *(const char *const *)(settings + row->offset), row->words);
    }
    for (const struct hs_argument *row = command->arguments; row && row->name; row++) {
        const struct hs_argument_list *list = (const void *)(settings + row->offset);
        size_t items = !row->files || !row->many ? 0 : row->behind ? list->count > 0 : list->count;

        if (row->files && !row->many)
            add_input(inputs, &count, *(const char *const *)(settings + row->offset), row->words);
        for (size_t i = 0; i < items; i++)
            add_input(inputs, &count, list->items[i], row->words);
    }
    if (output && strcmp(output, "-") != 0)
        status = hs_file_is_none_of(output, inputs, count, err);
    free(inputs);
    return status;
}

static enum hs_status run_with_settings(struct hs_context *context, int argc, char **argv,
                                        struct hs_error *err)
{
    const struct hs_command *command = context->command;
    struct hs_option_table table = {command->options, command->arguments, command->launcher};
    enum hs_option_request request = HS_REQUEST_RUN;
    void *settings = calloc(1, command->settings_bytes ? command->settings_bytes : 1);
    enum hs_status status;

    if (!settings)
        return hs_no_memory(err);
    status = hs_options_parse(&request, settings, &table, argc, argv, err);
    if (status == HS_OK && (request == HS_REQUEST_HELP || request == HS_REQUEST_HELP_ALL))
        hs_context_help(context, command, request == HS_REQUEST_HELP_ALL);
    else if (status == HS_OK && request == HS_REQUEST_VERSION)
        hs_help_version(context->out);
    else if (status == HS_OK)
        status = check_output(command, settings, argc, err);
    if (status == HS_OK && request == HS_REQUEST_RUN)
        status = command->run(context, settings, err);
    free(settings);
    return status;
}

/* argv[1] is there. */
static enum hs_status run_command(struct hs_context *context,
                                  const struct hs_command *const *commands, int argc, char **argv,
                                  struct hs_error *err)
{
    struct hs_text line = {0};
    enum hs_status status = hs_command_find(&context->command, commands, argv[1], err);

    if (status != HS_OK)
        return status;
    hs_command_line_append(&line, "hiersearch", argc - 1, argv + 1);
    if (line.failed)
        return hs_no_memory(err);
    context->command_line = line.data;
    context->arguments = argv + 2;
    if (context->command->passes_on)
        status = context->command->run(context, NULL, err);
    else
        status = run_with_settings(context, argc - 2, argv + 2, err);
    hs_text_release(&line);
    return status;
}

static enum hs_status run_arguments(struct hs_context *context,
                                    const struct hs_command *const *commands, int argc, char **argv,
                                    struct hs_error *err)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        hs_context_overview(context, commands, false);
    else if (strcmp(argv[1], "--version") == 0)
        hs_help_version(context->out);
    else if (strcmp(argv[1], HS_COMPLETE_WORD) == 0)
        hs_complete(context->out, commands, (const char *const *)argv + 2, (size_t)argc - 2);
    else if (argv[1][0] == '-')
        return hs_fail(err, HS_INVALID,
                       "unknown option \"%.60s\" before the command; see `hiersearch --help`",
                       argv[1]);
    else
        return run_command(context, commands, argc, argv, err);
    return HS_OK;
}

/* stdout is written once and closed, so that a full disk or a closed pipe does not pass for
 * success. */
static enum hs_status write_out(const struct hs_text *out, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (out->length > 0 || out->failed)
        status = hs_stdout_write(out, err);
    if (status == HS_OK && out->length > 0 && fclose(stdout) != 0)
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    return status;
}

/* A launcher ends all of a job when one of its processes fails, so those that say nothing leave
 * time to the one which does. Nothing else would tell them that it has: MPI has not begun, and
 * begins in another program. They seldom wait for long, as that one's end is theirs, too; only
 * where nobody ends them (`srun` without --kill-on-bad-exit), or that one has not failed, it is all
 * of this. */
#define SILENT_SECONDS 2

/* What all processes of a job would say is said by one: help, and what is wrong with a command line
 * that is for all of them. (Others print what they find, each for itself: under `srun` their
 * arguments may differ.) */
static bool speaks(const struct hs_context *context)
{
    const struct hs_command *command = context->command;
    bool of_job = context->told_once || !command || command->launcher;

    return !of_job || hs_launcher_speaks();
}

int hs_program_run(const struct hs_command *const *commands, int argc, char **argv)
{
    struct hs_text out = {0}, notes = {0};
    struct hs_error error = {.status = HS_OK};
    struct hs_context context = {.out = &out, .notes = &notes};
    enum hs_status status;
    bool spoken;

    hs_standard_files_keep();
    setlocale(LC_CTYPE, "");
    context.terminal = hs_terminal_look(STDOUT_FILENO);
    status = run_arguments(&context, commands, argc, argv, &error);
    spoken = speaks(&context);
    if (status == HS_OK && (spoken || !context.told_once))
        status = write_out(&out, &error);
    if (notes.length)
        fputs(notes.data, stderr);
    if (status != HS_OK && !spoken)
        sleep(SILENT_SECONDS);
    else if (status != HS_OK)
        fprintf(stderr, "hiersearch%s%s: %s\n", context.command ? " " : "",
                context.command ? context.command->name : "", error.message);
    hs_text_release(&notes);
    hs_text_release(&out);
    return status != HS_OK         ? hs_status_exit(status)
           : context.found_nothing ? hs_status_exit(HS_INVALID)
           : context.found_fault   ? 1
                                   : 0;
}
