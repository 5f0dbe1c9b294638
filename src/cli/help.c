#include "cli/help.h"
#include "cli/option_rows.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"

#define INDENT     26 /* where the texts of options begin */
#define NARROW     6 /* the same, on their own lines, where the terminal has less than WIDTH_WIDE */
#define WIDTH_WIDE 60
#define WIDTH_MAX  100

const char hs_help_purpose[] = "hiersearch finds the fastest way to run a job's collectives on "
                               "a given cluster.";
const char hs_help_first_steps[] = "  hiersearch predict '8xH100, 8xNDR400' --np 512\n"
                                   "  hiersearch predict --help";

static size_t help_width(const struct hs_terminal *terminal)
{
    return terminal->width < WIDTH_MAX ? (size_t)terminal->width : WIDTH_MAX;
}

void hs_help_usage(struct hs_text *out, const struct hs_command *command)
{
    struct hs_option *rows = hs_command_rows(command);

    hs_text_append(out, "%s%shiersearch %s", command->launcher ? command->launcher : "",
                   command->launcher ? " " : "", command->name);
    for (const struct hs_argument *a = command->arguments; a && a->name; a++)
        if (!a->behind)
            hs_text_append(out, a->required || a->usual ? " %s%s" : " [%s%s]", a->name,
                           a->many ? "..." : "");
    for (const struct hs_option *o = rows; o && o->name; o++)
        if (o->required || o->usual)
            hs_text_append(out, " --%s %s", o->name, o->argument);
    hs_text_append(out, " [options]");
    for (const struct hs_argument *a = command->arguments; a && a->name; a++)
        if (a->behind)
            hs_text_append(out, a->required ? " -- %s..." : " [-- %s...]", a->name);
    free(rows);
}

/* "  left          text, wrapped". */
static void append_entry(struct hs_text *out, const char *left, const char *text, size_t width)
{
    size_t length = strlen(left), indent = width < WIDTH_WIDE ? NARROW : INDENT;

    hs_text_append(out, "%s", left);
    if (length + 2 > indent)
        hs_text_append(out, "\n%*s", (int)indent, "");
    else
        hs_text_append(out, "%*s", (int)(indent - length), "");
    hs_text_wrap(out, text, indent, indent, width);
    hs_text_append(out, "\n");
}

void hs_help_option(struct hs_text *out, const struct hs_option *option)
{
    hs_text_append(out, "%s", option->help);
    if (option->type->one_of_words) {
        hs_text_append(out, ":");
        for (const char *const *word = option->words(); *word; word++)
            hs_text_append(out, "%s %s", word == option->words() ? "" : ",", *word);
    }
    if (option->fallback)
        hs_text_append(out, " (default %s)", option->fallback);
}

/* How much of a text the short help shows: its first sentence, or the half before a semicolon. */
static size_t first_sentence(const char *text)
{
    size_t length = 0;
    int open = 0;

    for (; text[length]; length++) {
        open += (text[length] == '(') - (text[length] == ')');
        if (open == 0 && strchr(".;", text[length]) && text[length + 1] == ' ')
            break;
    }
    return length;
}

static void append_option(struct hs_text *out, const struct hs_option *option, bool all,
                          size_t width)
{
    char left[80], letter[8] = "    ";
    struct hs_text text = {0}, sentence = {0};
    struct hs_option help = *option;

    hs_text_append(&sentence, "%.*s",
                   (int)(all ? strlen(option->help) : first_sentence(option->help)), option->help);
    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(left, sizeof(left), "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    help.help = sentence.data ? sentence.data : "";
    hs_help_option(&text, &help);
    append_entry(out, left, text.data ? text.data : "", width);
    hs_text_release(&sentence);
    hs_text_release(&text);
}

static void append_heading(struct hs_text *out, const char *heading,
                           const struct hs_terminal *terminal)
{
    hs_text_append(out, "\n%s%s%s\n", hs_style_on(terminal, HS_STYLE_BOLD, 0), heading,
                   hs_style_off(terminal));
}

static void append_all_options(struct hs_text *out, const struct hs_option *rows,
                               const struct hs_terminal *terminal)
{
    const char *group = NULL;

    for (const struct hs_option *o = rows; o && o->name; o++) {
        const char *heading = o->group ? o->group : "Options";

        if (!group || strcmp(group, heading) != 0)
            append_heading(out, heading, terminal);
        group = heading;
        append_option(out, o, true, help_width(terminal));
    }
    append_heading(out, "Everywhere", terminal);
    append_entry(out, "  -h, --help [all]", "the usual options, or all", help_width(terminal));
    append_entry(out, "      --version", "the program's version", help_width(terminal));
}

/* In the order of command->usual. */
static void append_usual_options(struct hs_text *out, const struct hs_command *command,
                                 const struct hs_option *rows, const struct hs_terminal *terminal)
{
    size_t width = help_width(terminal), count = hs_option_count_rows(rows), shown = 0;
    char left[80];

    append_heading(out, "Options", terminal);
    for (const char *name = command->usual; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");

        for (const struct hs_option *o = rows; o->name; o++)
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
                append_option(out, o, false, width);
                shown++;
            }
        name += length;
    }
    if (shown == count)
        return;
    snprintf(left, sizeof(left), "      --help all");
    append_entry(out, left, count - shown == 1 ? "one more option" : "all options, with details",
                 width);
}

/* The first `count` lines. */
static void append_examples(struct hs_text *out, const char *examples, size_t count)
{
    struct hs_lines lines = {.next = examples};

    for (size_t i = 0; i < count && hs_lines_next(&lines); i++)
        hs_text_append(out, "%.*s\n", (int)lines.length, lines.line);
}

static void append_usage(struct hs_text *out, const struct hs_command *command, size_t width)
{
    struct hs_text usage = {0};

    hs_text_append(&usage, "usage: ");
    hs_help_usage(&usage, command);
    hs_text_append(&usage, "\n");
    if (usage.data)
        hs_text_wrap(out, usage.data, 0, 4, width);
    out->failed = out->failed || usage.failed;
    hs_text_release(&usage);
}

void hs_help_command(struct hs_text *out, const struct hs_command *command,
                     const struct hs_terminal *terminal, bool all)
{
    size_t width = help_width(terminal);
    struct hs_option *rows = hs_command_rows(command);

    all = all || !command->usual || !rows;
    hs_text_append(out, "hiersearch %s: ", command->name);
    hs_text_wrap(out, command->summary, strlen(command->name) + 13, 0, width);
    hs_text_append(out, "\n\n");
    append_usage(out, command, width);
    if (command->description && all) {
        hs_text_append(out, "\n");
        hs_text_wrap(out, command->description, 0, 0, width);
        hs_text_append(out, "\n");
    }
    if (command->arguments && command->arguments->name)
        append_heading(out, "Arguments", terminal);
    for (const struct hs_argument *a = command->arguments; a && a->name; a++) {
        struct hs_text text = {0};
        char left[80];

        snprintf(left, sizeof(left), "  %s", a->name);
        hs_text_append(&text, "%.*s", (int)(all ? strlen(a->help) : first_sentence(a->help)),
                       a->help);
        append_entry(out, left, text.data ? text.data : "", width);
        hs_text_release(&text);
    }
    if (all)
        append_all_options(out, rows, terminal);
    else
        append_usual_options(out, command, rows, terminal);
    if (command->examples) {
        append_heading(out, "Examples", terminal);
        append_examples(out, command->examples, all ? SIZE_MAX : 4);
    }
    free(rows);
}

void hs_help_program(struct hs_text *out, const struct hs_command *const *commands,
                     const struct hs_terminal *terminal, bool all)
{
    size_t width = help_width(terminal);

    hs_text_wrap(out, hs_help_purpose, 0, 0, width);
    hs_text_append(out, "\n\nusage: hiersearch COMMAND [arguments]\n");
    append_heading(out, "Commands", terminal);
    for (const struct hs_command *const *c = commands; *c; c++) {
        char left[80];

        if ((*c)->aside && !all)
            continue;
        snprintf(left, sizeof(left), "  %s", (*c)->name);
        append_entry(out, left, (*c)->summary, width);
    }
    append_heading(out, "Begin with", terminal);
    hs_text_append(out, "%s\n", hs_help_first_steps);
}

void hs_help_version(struct hs_text *out)
{
    const char *describe = HS_GIT_DESCRIBE;

    hs_text_append(out, describe[0] ? "hiersearch %s (%s)\n" : "hiersearch %s\n", HS_VERSION,
                   describe);
}
