/* Works both as a file _hiersearch in $fpath and when it is sourced. */
#include "console/completion.h"

/* A description within [...] of a specification, all of it within single quotes. */
static void append_said(struct hs_text *out, const char *help)
{
    struct hs_text said = {0};

    hs_completion_say(&said, help, "[]\\:", "\\");
    for (const char *at = said.data ? said.data : ""; *at; at++)
        hs_text_append(out, *at == '\'' ? "'\\''" : "%c", *at);
    hs_text_release(&said);
}

/* ":MESSAGE:ACTION'". */
static void append_value(struct hs_text *out, const char *message, enum hs_completion completion,
                         const char *const *(*words)(void))
{
    hs_text_append(out, ":");
    for (; *message; message++)
        hs_text_append(out, "%s%c", *message == ':' ? "\\" : "", *message);
    switch (completion) {
    case HS_COMPLETE_WORDS:
        hs_text_append(out, ":(");
        hs_completion_words(out, words);
        hs_text_append(out, ")'");
        break;
    case HS_COMPLETE_FILES:
        hs_text_append(out, ":_files'");
        break;
    case HS_COMPLETE_SYSTEMS:
        hs_text_append(out, ":_hiersearch__systems'");
        break;
    case HS_COMPLETE_NOTHING:
        hs_text_append(out, ": '");
        break;
    }
}

static void append_option(struct hs_text *out, const struct hs_option *option)
{
    const char *equals = option->type->is_flag ? "" : "=";

    hs_text_append(out, " \\\n        ");
    if (option->letter)
        hs_text_append(out, "'(-%c --%s)'{-%c%s,--%s%s}", option->letter, option->name,
                       option->letter, option->type->is_flag ? "" : "+", option->name, equals);
    else
        hs_text_append(out, "--%s%s", option->name, equals);
    hs_text_append(out, "'[");
    append_said(out, option->help);
    hs_text_append(out, "]");
    if (option->type->is_flag)
        hs_text_append(out, "'");
    else
        append_value(out, option->argument, option->type->completion, option->words);
}

static void zsh_begin(struct hs_text *out)
{
    hs_text_append(out,
                   "#compdef hiersearch\n"
                   "# zsh completion of hiersearch: source <(hiersearch completion zsh)\n"
                   "_hiersearch__systems() {\n"
                   "    local -a names\n"
                   "    names=(${(f)\"$(_call_program systems hiersearch systems --names)\"})\n"
                   "    _alternative 'systems:system:compadd -a names' 'files:file:_files'\n"
                   "}\n");
}

static void zsh_command(struct hs_text *out, const struct hs_command *command)
{
    size_t place = 1;

    hs_text_append(out,
                   "_hiersearch_%s() {\n    _arguments -s -S \\\n"
                   "        '(- *)'{-h,--help}'[what the command does, and its options]' \\\n"
                   "        '(- *)--version[the version of the program]'",
                   command->name);
    for (const struct hs_option *o = command->options; o && o->name; o++)
        append_option(out, o);
    for (const struct hs_argument *a = command->arguments; a && a->name; a++, place++) {
        if (a->many)
            hs_text_append(out, " \\\n        '*");
        else
            hs_text_append(out, " \\\n        '%zu%s", place, a->required ? "" : ":");
        append_value(out, a->name, a->completion, a->words);
    }
    if (command->passes_on)
        hs_text_append(out, " \\\n        '*:argument:_files'");
    hs_text_append(out, "\n}\n");
}

static void zsh_end(struct hs_text *out, const struct hs_command *const *commands)
{
    hs_text_append(out, "_hiersearch() {\n"
                        "    local curcontext=$curcontext state line ret=1\n"
                        "    local -a commands\n"
                        "    _arguments -C '(- *)'{-h,--help}'[the commands]' \\\n"
                        "        '(- *)--version[the version of the program]' \\\n"
                        "        '1:command:->command' '*::argument:->argument' && ret=0\n"
                        "    case $state in\n"
                        "    command)\n"
                        "        commands=(");
    for (; *commands; commands++) {
        hs_text_append(out, "\n            '%s:", (*commands)->name);
        append_said(out, (*commands)->summary);
        hs_text_append(out, "'");
    }
    hs_text_append(out, ")\n"
                        "        _describe -t commands command commands && ret=0 ;;\n"
                        "    argument)\n"
                        "        curcontext=${curcontext%%:*:*}:hiersearch-$words[1]:\n"
                        "        (( $+functions[_hiersearch_$words[1]] )) && "
                        "_hiersearch_$words[1] && ret=0 ;;\n"
                        "    esac\n"
                        "    return ret\n"
                        "}\n"
                        "if [ \"$funcstack[1]\" = _hiersearch ]; then _hiersearch \"$@\"; "
                        "else compdef _hiersearch hiersearch; fi\n");
}

const struct hs_shell hs_shell_zsh = {
    .name = "zsh",
    .file = "_hiersearch",
    .begin = zsh_begin,
    .command = zsh_command,
    .end = zsh_end,
};
