#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/option_rows.h"

/* ---- help as Markdown, from the parser's rows: the source of the manual pages ---- */

/* What stands between backquotes is code to Markdown, too; all other marks are escaped. A newline
 * ends a line or, where `paragraphs`, a paragraph. */
static void append_text(struct hs_text *out, const char *text, bool paragraphs)
{
    bool code = false;

    for (; *text; text++) {
        code = code != (*text == '`');
        if (*text == '\n')
            hs_text_append(out, paragraphs ? "\n\n" : "  \n");
        else
            hs_text_append(out, "%s%c", !code && strchr("\\*_[]<>#^~|&+-", *text) ? "\\" : "",
                           *text);
    }
}

static void append_entry(struct hs_text *out, const char *name, const char *text)
{
    hs_text_append(out, "\n%s\n: ", name);
    append_text(out, text, false);
    hs_text_append(out, "\n");
}

static void append_option(struct hs_text *out, const struct hs_option *option)
{
    struct hs_text name = {0}, text = {0};

    if (option->letter)
        hs_text_append(&name, "**\\-%c**, ", option->letter);
    hs_text_append(&name, "**");
    append_text(&name, "--", false);
    append_text(&name, option->name, false);
    hs_text_append(&name, "**");
    if (option->argument) {
        hs_text_append(&name, " *");
        append_text(&name, option->argument, false);
        hs_text_append(&name, "*");
    }
    hs_help_option(&text, option);
    append_entry(out, name.data ? name.data : "", text.data ? text.data : "");
    out->failed = out->failed || name.failed || text.failed;
    hs_text_release(&text);
    hs_text_release(&name);
}

static void append_options(struct hs_text *out, const struct hs_option *option)
{
    const char *group = NULL;

    hs_text_append(out, "\n# OPTIONS\n");
    for (; option && option->name; option++) {
        if (option->group && (!group || strcmp(group, option->group) != 0))
            hs_text_append(out, "\n## %s\n", option->group);
        group = option->group;
        append_option(out, option);
    }
    hs_text_append(out, "\n## Everywhere\n\n**\\-h**, **\\-\\-help**\n: a short form of this page\n"
                        "\n**\\-\\-version**\n: the version of the program\n");
}

static void append_examples(struct hs_text *out, const char *examples)
{
    hs_text_append(out, "\n# EXAMPLES\n\n```\n%s\n```\n", examples);
}

/* Appends the page hiersearch-NAME(1): everything that --help of the command says. */
static void markdown_command(struct hs_text *out, const struct hs_command *command)
{
    struct hs_option *rows = hs_command_rows(command);

    hs_text_append(out, "# NAME\n\nhiersearch\\-%s \\- ", command->name);
    append_text(out, command->summary, false);
    hs_text_append(out, "\n\n# SYNOPSIS\n\n`");
    hs_help_usage(out, command);
    hs_text_append(out, "`\n");
    if (command->description) {
        hs_text_append(out, "\n# DESCRIPTION\n\n");
        append_text(out, command->description, true);
        hs_text_append(out, "\n");
    }
    if (command->arguments && command->arguments->name)
        hs_text_append(out, "\n# ARGUMENTS\n");
    for (const struct hs_argument *a = command->arguments; a && a->name; a++)
        append_entry(out, a->name, a->help);
    append_options(out, rows);
    free(rows);
    if (command->examples)
        append_examples(out, command->examples);
    hs_text_append(out, "\n# EXIT STATUS\n\n0, 1, 2 or 3, as **hiersearch**(1) says.\n"
                        "\n# SEE ALSO\n\n**hiersearch**(1), **hiersearch\\-system**(5), "
                        "**hiersearch\\-result**(5)\n");
}

/* Appends the beginning of hiersearch(1): what the program is, and its commands. */
static void markdown_program(struct hs_text *out, const struct hs_command *const *commands)
{
    hs_text_append(
        out,
        "# NAME\n\nhiersearch \\- how a job should communicate on one particular machine\n"
        "\n# SYNOPSIS\n\n**hiersearch** *COMMAND* [arguments]\n"
        "\n# DESCRIPTION\n\n%s\n\nData goes to the standard output, everything that is "
        "said to people to the standard error. `hiersearch COMMAND --help` is the "
        "short form of a command's page.\n",
        hs_help_purpose);
    hs_text_append(out, "\n# COMMANDS\n");
    for (const struct hs_command *const *c = commands; *c; c++) {
        struct hs_text name = {0};

        hs_text_append(&name, "**hiersearch\\-%s**(1)", (*c)->name);
        append_entry(out, name.data ? name.data : "", (*c)->summary);
        hs_text_release(&name);
    }
    append_examples(out, hs_help_first_steps);
}

/* ---- the command ---- */

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
        markdown_command(context->out, command);
    else if (command)
        hs_context_help(context, command, settings->all);
    else if (settings->markdown)
        markdown_program(context->out, hs_commands);
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
