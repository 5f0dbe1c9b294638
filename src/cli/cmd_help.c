#include <string.h>

#include "cli/commands.h"
#include "console/help.h"

struct help_settings {
    const char *command;
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

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    static char *ask_for_help[] = {"--help", NULL};
    const struct help_settings *settings = of_rows;
    const struct hs_command *command;
    enum hs_status status;

    if (!settings->command) {
        hs_help_program(context->out, hs_commands, &context->terminal);
        return HS_OK;
    }
    status = hs_command_find(&command, hs_commands, settings->command, err);
    if (status != HS_OK)
        return status;
    if (command->passes_on) {
        context->command = command;
        context->arguments = ask_for_help;
        return command->run(context, NULL, err);
    }
    hs_help_command(context->out, command, &context->terminal);
    return HS_OK;
}

static const struct hs_argument arguments[] = {
    {.name = "COMMAND",
     .help = "the command to be told about",
     .completion = HS_COMPLETE_WORDS,
     .words = command_names,
     .offset = offsetof(struct help_settings, command)},
    {.name = NULL},
};

const struct hs_command hs_command_help = {
    .name = "help",
    .summary = "what a command does, and its options",
    .arguments = arguments,
    .settings_bytes = sizeof(struct help_settings),
    .run = run,
};
