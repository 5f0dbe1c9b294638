#include <string.h>

#include "cli/commands.h"
#include "cli/markdown.h"

struct help_settings {
    const char *command;
    bool all, markdown, names;
};

static const char *const *command_names(void)
{
    static const char *names[32];
    size_t count = 0;

    for (; hs_commands[count] && count < 31; count++)
        names[count] = hs_commands[count]->name;
    names[count] = NULL;
    return names;
}

static enum hs_status print_names(struct hs_context *context, const char *name,
                                  struct hs_error *err)
{
    if (name)
        return hs_fail(err, HS_INVALID, "--names: lists all, a COMMAND is not expected");
    for (const char *const *names = command_names(); *names; names++)
        hs_text_append(context->out, "%s\n", *names);
    return HS_OK;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct help_settings *settings = of_rows;
    const struct hs_command *command = NULL;
    enum hs_status status = HS_OK;

    if (settings->names)
        return print_names(context, settings->command, err);
    if (settings->command)
        status = hs_command_find(&command, hs_commands, settings->command, err);
    if (status != HS_OK)
        return status;
    if (command && settings->markdown)
        hs_markdown_command(context->out, command);
    else if (command)
        hs_context_help(context, command, settings->all);
    else if (settings->markdown)
        hs_markdown_program(context->out, hs_commands);
    else
        hs_context_overview(context, hs_commands, settings->all);
    return HS_OK;
}

static const struct hs_argument arguments[] = {
    {.name = "COMMAND",
     .help = "the command to be told about",
     .words = command_names,
     .offset = offsetof(struct help_settings, command)},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "all",
     .type = &hs_option_flag,
     .offset = offsetof(struct help_settings, all),
     .help = "every command, or every option of COMMAND"},
    {.name = "markdown",
     .type = &hs_option_flag,
     .offset = offsetof(struct help_settings, markdown),
     .help = "as Markdown, of which the manual pages are made"},
    {.name = "names",
     .type = &hs_option_flag,
     .offset = offsetof(struct help_settings, names),
     .help = "only the names of the commands, one per line"},
    {.name = NULL},
};

const struct hs_command hs_command_help = {
    .name = "help",
    .summary = "explains a command and its options",
    .examples = "  hiersearch help predict\n"
                "  hiersearch help --all\n"
                "  hiersearch help --all predict\n"
                "  hiersearch help --markdown predict > predict.md",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct help_settings),
    .run = run,
};
