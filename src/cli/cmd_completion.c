#include <string.h>

#include "cli/commands.h"

struct completion_settings {
    const char *shell;
};

static void append_words(struct hs_text *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        hs_text_append(out, "%s%s", i ? " " : "", words[i]);
}

/* What bash should do to complete a value. */
static void append_bash_value(struct hs_text *out, enum hs_completion completion,
                              const char *const *(*words)(void))
{
    switch (completion) {
    case HS_COMPLETE_WORDS:
        hs_text_append(out, "words='");
        append_words(out, words());
        hs_text_append(out, "'");
        break;
    case HS_COMPLETE_FILES:
        hs_text_append(out, "files=1");
        break;
    case HS_COMPLETE_SYSTEMS:
        hs_text_append(out, "words=$(\"${COMP_WORDS[0]}\" systems --names 2>/dev/null); files=1");
        break;
    case HS_COMPLETE_NOTHING:
        hs_text_append(out, "return");
        break;
    }
}

static void append_bash_values(struct hs_text *out, const struct hs_command *command)
{
    for (const struct hs_option *o = command->options; o && o->name; o++) {
        if (o->type->is_flag)
            continue;
        hs_text_append(out, "    %s:--%s", command->name, o->name);
        if (o->letter)
            hs_text_append(out, "|%s:-%c", command->name, o->letter);
        hs_text_append(out, ") ");
        append_bash_value(out, o->type->completion, o->words);
        hs_text_append(out, " ;;\n");
    }
}

/* Behind no option: options where the word begins with '-', else the command's argument. */
static void append_bash_rest(struct hs_text *out, const struct hs_command *command)
{
    hs_text_append(out, "    %s:-*) words='--help --version", command->name);
    for (const struct hs_option *o = command->options; o && o->name; o++)
        hs_text_append(out, " --%s", o->name);
    hs_text_append(out, "' ;;\n");
    if (command->passes_on) {
        hs_text_append(out, "    %s:*) files=1 ;;\n", command->name);
    } else if (command->arguments && command->arguments->name) {
        hs_text_append(out, "    %s:*) ", command->name);
        append_bash_value(out, command->arguments->completion, command->arguments->words);
        hs_text_append(out, " ;;\n");
    }
}

/* '=' is a word break of its own in bash: --search=lat arrives as three words. */
static const char bash_head[] =
    "# bash completion of hiersearch: source <(hiersearch completion bash)\n"
    "_hiersearch() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} words='' files=''\n"
    "    COMPREPLY=()\n"
    "    if [ \"$cur\" = = ]; then cur=''\n"
    "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";

static const char bash_tail[] = "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"\n"
                                "        if [ -n \"$files\" ]; then compgen -f -- \"$cur\"; fi)\n"
                                "}\n"
                                "complete -o filenames -F _hiersearch hiersearch\n";

static void append_bash(struct hs_text *out)
{
    hs_text_append(out, "%s", bash_head);
    hs_text_append(out,
                   "    if [ \"$COMP_CWORD\" -eq 1 ]; then command='' words='--help --version");
    for (const struct hs_command *const *c = hs_commands; *c; c++)
        hs_text_append(out, " %s", (*c)->name);
    hs_text_append(out, "'; fi\n    case \"$command:$prev\" in\n");
    for (const struct hs_command *const *c = hs_commands; *c; c++)
        append_bash_values(out, *c);
    hs_text_append(out, "    *) case \"$command:$cur\" in\n");
    for (const struct hs_command *const *c = hs_commands; *c; c++)
        append_bash_rest(out, *c);
    hs_text_append(out, "    esac ;;\n    esac\n%s", bash_tail);
}

/* The table: one row per shell. */
static const struct {
    const char *name;
    void (*append)(struct hs_text *out);
} shells[] = {
    {"bash", append_bash},
};

#define SHELLS (sizeof(shells) / sizeof(shells[0]))

static const char *const *shell_names(void)
{
    static const char *names[SHELLS + 1];

    for (size_t i = 0; i < SHELLS; i++)
        names[i] = shells[i].name;
    return names;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct completion_settings *settings = of_rows;
    struct hs_text list = {0};

    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shells[i].name, settings->shell) == 0) {
            shells[i].append(context->out);
            return HS_OK;
        }
        hs_text_append(&list, "%s%s", i ? ", " : "", shells[i].name);
    }
    hs_error_set(err, HS_INVALID, "unknown shell \"%.60s\", expected one of: %s", settings->shell,
                 list.data ? list.data : "");
    hs_text_release(&list);
    return HS_INVALID;
}

static const struct hs_argument arguments[] = {
    {.name = "SHELL",
     .help = "bash",
     .required = true,
     .completion = HS_COMPLETE_WORDS,
     .words = shell_names,
     .offset = offsetof(struct completion_settings, shell)},
    {.name = NULL},
};

const struct hs_command hs_command_completion = {
    .name = "completion",
    .summary = "a shell's completion script",
    .description = "Prints a script that completes commands, options and system names. For bash, "
                   "in this session: source <(hiersearch completion bash); for all: write it to "
                   "~/.local/share/bash-completion/completions/hiersearch",
    .arguments = arguments,
    .settings_bytes = sizeof(struct completion_settings),
    .run = run,
};
