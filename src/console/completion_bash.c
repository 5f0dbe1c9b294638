/* One function per command; it sets `words` and `files`, from which the last function makes the
 * list. */
#include "console/completion.h"

/* What bash should do to complete a value. */
static void append_value(struct hs_text *out, enum hs_completion completion,
                         const char *const *(*words)(void))
{
    switch (completion) {
    case HS_COMPLETE_WORDS:
        hs_text_append(out, "words=(");
        hs_completion_words(out, words);
        hs_text_append(out, ")");
        break;
    case HS_COMPLETE_FILES:
        hs_text_append(out, "files=1");
        break;
    case HS_COMPLETE_SYSTEMS:
        hs_text_append(out, "mapfile -t words < <(\"${COMP_WORDS[0]}\" systems --names "
                            "2>/dev/null); files=1");
        break;
    case HS_COMPLETE_NOTHING:
        hs_text_append(out, ":");
        break;
    }
    hs_text_append(out, " ;;\n");
}

/* '=' is a word break of its own in bash: --search=lat arrives as three words. */
static void bash_begin(struct hs_text *out)
{
    hs_text_append(out, "# bash completion of hiersearch: source <(hiersearch completion bash)\n");
}

static void bash_command(struct hs_text *out, const struct hs_command *command)
{
    hs_text_append(out, "_hiersearch_%s() {\n    case $prev in\n", command->name);
    for (const struct hs_option *o = command->options; o && o->name; o++) {
        if (o->type->is_flag)
            continue;
        hs_text_append(out, "    --%s", o->name);
        if (o->letter)
            hs_text_append(out, "|-%c", o->letter);
        hs_text_append(out, ") ");
        append_value(out, o->type->completion, o->words);
    }
    hs_text_append(out, "    *) case $cur in\n        -*) words=(--help --version");
    for (const struct hs_option *o = command->options; o && o->name; o++)
        hs_text_append(out, " --%s", o->name);
    hs_text_append(out, ") ;;\n");
    if (command->passes_on) {
        hs_text_append(out, "        *) files=1 ;;\n");
    } else if (command->arguments && command->arguments->name) {
        hs_text_append(out, "        *) ");
        append_value(out, command->arguments->completion, command->arguments->words);
    }
    hs_text_append(out, "        esac ;;\n    esac\n}\n");
}

/* Not by `compgen -W`, which expands what it is given: names of files are not ours. */
static void bash_end(struct hs_text *out, const struct hs_command *const *commands)
{
    hs_text_append(out, "_hiersearch() {\n"
                        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                        "    local words=() files='' word\n"
                        "    COMPREPLY=()\n"
                        "    if [ \"$cur\" = = ]; then cur=''\n"
                        "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                        "    if [ \"$COMP_CWORD\" -eq 1 ]; then words=(--help --version");
    for (; *commands; commands++)
        hs_text_append(out, " %s", (*commands)->name);
    hs_text_append(out, ")\n    elif declare -F \"_hiersearch_${COMP_WORDS[1]}\" >/dev/null; then\n"
                        "        \"_hiersearch_${COMP_WORDS[1]}\"\n    fi\n"
                        "    if [ -n \"$files\" ]; then mapfile -t COMPREPLY "
                        "< <(compgen -f -- \"$cur\"); fi\n"
                        "    for word in \"${words[@]}\"; do\n"
                        "        if [[ $word = \"$cur\"* ]]; then COMPREPLY+=(\"$word\"); fi\n"
                        "    done\n"
                        "}\n"
                        "complete -o filenames -F _hiersearch hiersearch\n");
}

const struct hs_shell hs_shell_bash = {
    .name = "bash",
    .file = "hiersearch",
    .begin = bash_begin,
    .command = bash_command,
    .end = bash_end,
};
