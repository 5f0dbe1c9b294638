#include "cli/complete.h"
#include "cli/option_rows.h"

#include <stdlib.h>
#include <string.h>

static void append_candidate(struct hs_text *out, const char *before, const char *word,
                             const char *about)
{
    size_t length = 0;

    for (const char *at = word; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '\177')
            return;
    /* Up to the end of its first sentence or part. */
    while (about && about[length] && !strchr(";\n", about[length]) &&
           strncmp(about + length, ". ", 2) != 0)
        length++;
    hs_text_append(out, "%s%s%s%.*s\n", before, word, length ? "\t" : "", (int)length,
                   about ? about : "");
}

static void append_words(struct hs_text *out, const char *before, bool files,
                         const char *const *(*words)(void))
{
    hs_text_append(out, files ? "files\n" : "words\n");
    for (const char *const *word = words ? words() : NULL; word && *word; word++)
        append_candidate(out, before, *word, NULL);
}

static void append_commands(struct hs_text *out, const struct hs_command *const *commands)
{
    append_words(out, "", false, NULL);
    for (; *commands; commands++)
        append_candidate(out, "", (*commands)->name, (*commands)->summary);
}

static void append_options(struct hs_text *out, const struct hs_option *option)
{
    append_words(out, "", false, NULL);
    for (; option && option->name; option++)
        append_candidate(out, "--", option->name, option->help);
    append_candidate(out, "--", "help", "what there is");
    append_candidate(out, "--", "version", "the version of the program");
}

static bool is_named(const struct hs_option *option, const char *word)
{
    size_t length = strlen(option->name);

    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->name, length) == 0 &&
           (word[2 + length] == '\0' || word[2 + length] == '=');
}

/* The option whose value is in or behind this word: "--output", "--output=x", "-qo"; or NULL. */
static const struct hs_option *option_of(const struct hs_option *rows, const char *word)
{
    bool letters = word[0] == '-' && word[1] && word[1] != '-';
    char last = '\0';

    if (letters)
        last = word[strlen(word) - 1];
    for (const struct hs_option *o = rows; o && o->name; o++)
        if (!o->type->is_flag && (letters ? o->letter == last : is_named(o, word)))
            return o;
    return NULL;
}

/* The same, where the value is behind the word. */
static const struct hs_option *option_before(const struct hs_option *rows, const char *word)
{
    return strchr(word, '=') ? NULL : option_of(rows, word);
}

static bool is_equals(const char *word)
{
    return strcmp(word, "=") == 0;
}

/* The row of the argument behind these words, NULL where there are enough. Both "--np=4" and the
 * "--np", "=", "4" that bash makes of it are one option. */
static const struct hs_argument *argument_behind(const struct hs_argument *row,
                                                 const struct hs_option *rows,
                                                 const char *const *words, size_t count)
{
    bool only_arguments = false;

    for (size_t i = 0; i < count && row && row->name; i++) {
        if (!only_arguments && strcmp(words[i], "--") == 0) {
            const struct hs_argument *last = row;

            only_arguments = true;
            while (last[1].name)
                last++;
            row = last->behind ? last : row;
        } else if (!only_arguments && words[i][0] == '-' && words[i][1]) {
            if (option_before(rows, words[i]))
                i += i + 1 < count && is_equals(words[i + 1]) ? 2 : 1;
        } else if (!row->many) {
            row++;
        }
    }
    return row && row->name ? row : NULL;
}

/* The words are those behind the command. */
static void complete_word(struct hs_text *out, const struct hs_command *command,
                          const char *const *words, size_t count)
{
    struct hs_option *rows = hs_command_rows(command);
    const char *word = words[count - 1], *equals = strchr(word, '=');
    size_t behind = count > 1 && is_equals(words[count - 2]) && !is_equals(word) ? 2 : 1;
    const struct hs_option *within = equals ? option_of(rows, word) : NULL;
    const struct hs_option *option =
        count > behind ? option_before(rows, words[count - 1 - behind]) : NULL;
    const struct hs_argument *argument =
        argument_behind(command->arguments, rows, words, count - 1);
    struct hs_text before = {0};

    if (option) {
        append_words(out, "", option->type->files, option->words);
    } else if (within) {
        hs_text_append_bytes(&before, word, (size_t)(equals - word) + 1);
        append_words(out, before.data ? before.data : "", within->type->files, within->words);
    } else if (word[0] == '-') {
        append_options(out, rows);
    } else {
        append_words(out, "", argument && argument->files, argument ? argument->words : NULL);
    }
    out->failed = out->failed || before.failed;
    hs_text_release(&before);
    free(rows);
}

void hs_complete(struct hs_text *out, const struct hs_command *const *commands,
                 const char *const *words, size_t count)
{
    const struct hs_command *const *command = commands;

    if (count == 1 && words[0][0] == '-') {
        append_options(out, NULL);
    } else if (count < 2) {
        append_commands(out, commands);
    } else {
        while (*command && strcmp((*command)->name, words[0]) != 0)
            command++;
        if (*command)
            complete_word(out, *command, words + 1, count - 1);
        else
            append_words(out, "", false, NULL);
    }
}
