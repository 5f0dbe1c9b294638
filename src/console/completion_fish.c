/* A line per option: fish looks which conditions hold. */
#include "console/completion.h"

/* Within single quotes. */
static void append_said(struct hs_text *out, const char *help)
{
    hs_text_append(out, " -d '");
    hs_completion_say(out, help, "'\\", "\\");
    hs_text_append(out, "'");
}

/* `flag` is what says that a value is wanted and no files: -x of an option, -f of an argument. */
static void append_value(struct hs_text *out, const char *flag, enum hs_completion completion,
                         const char *const *(*words)(void))
{
    switch (completion) {
    case HS_COMPLETE_WORDS:
        hs_text_append(out, " %s -a '", flag);
        hs_completion_words(out, words);
        hs_text_append(out, "'");
        break;
    case HS_COMPLETE_FILES:
        hs_text_append(out, "%s -F", flag[1] == 'x' ? " -r" : "");
        break;
    case HS_COMPLETE_SYSTEMS:
        hs_text_append(out, "%s -F -a '(__hiersearch_systems)'", flag[1] == 'x' ? " -r" : "");
        break;
    case HS_COMPLETE_NOTHING:
        hs_text_append(out, " %s", flag);
        break;
    }
}

static void append_line(struct hs_text *out, const struct hs_command *command)
{
    hs_text_append(out, "complete -c hiersearch -n '__hiersearch_runs %s'", command->name);
}

static void fish_begin(struct hs_text *out)
{
    hs_text_append(out, "# fish completion of hiersearch: hiersearch completion fish | source\n"
                        "function __hiersearch_runs\n"
                        "    set -l words (commandline -opc)\n"
                        "    test (count $words) -gt 1; and test \"$words[2]\" = \"$argv[1]\"\n"
                        "end\n"
                        "function __hiersearch_is_new\n"
                        "    test (count (commandline -opc)) -eq 1\n"
                        "end\n"
                        "function __hiersearch_systems\n"
                        "    hiersearch systems --names 2>/dev/null\n"
                        "end\n"
                        "complete -c hiersearch -f\n"
                        "complete -c hiersearch -s h -l help -d 'what there is'\n"
                        "complete -c hiersearch -l version -d 'the version of the program'\n");
}

static void fish_command(struct hs_text *out, const struct hs_command *command)
{
    for (const struct hs_option *o = command->options; o && o->name; o++) {
        append_line(out, command);
        if (o->letter)
            hs_text_append(out, " -s %c", o->letter);
        hs_text_append(out, " -l %s", o->name);
        if (!o->type->is_flag)
            append_value(out, "-x", o->type->completion, o->words);
        append_said(out, o->help);
        hs_text_append(out, "\n");
    }
    for (const struct hs_argument *a = command->arguments; a && a->name; a++) {
        if (a->completion == HS_COMPLETE_NOTHING)
            continue;
        append_line(out, command);
        append_value(out, "-f", a->completion, a->words);
        hs_text_append(out, "\n");
    }
    if (command->passes_on) {
        append_line(out, command);
        hs_text_append(out, " -F\n");
    }
}

static void fish_end(struct hs_text *out, const struct hs_command *const *commands)
{
    for (; *commands; commands++) {
        hs_text_append(out, "complete -c hiersearch -n __hiersearch_is_new -a %s",
                       (*commands)->name);
        append_said(out, (*commands)->summary);
        hs_text_append(out, "\n");
    }
}

const struct hs_shell hs_shell_fish = {
    .name = "fish",
    .file = "hiersearch.fish",
    .begin = fish_begin,
    .command = fish_command,
    .end = fish_end,
};
