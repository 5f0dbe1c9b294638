#include "console/manual.h"

#include <string.h>

#include "console/help.h"
#include "console/roff.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct entry {
    const char *name, *text;
};

static void append_entries(struct hs_text *out, const char *heading, const struct entry *entries,
                           size_t count)
{
    hs_text_append(out, ".SH %s\n", heading);
    for (size_t i = 0; i < count; i++) {
        hs_text_append(out, ".TP\n\\fB");
        hs_roff_inline(out, entries[i].name);
        hs_text_append(out, "\\fR\n");
        hs_roff_paragraph(out, entries[i].text);
    }
}

static void append_exit_status(struct hs_text *out)
{
    static const struct entry rows[] = {
        {"0", "Success."},
        {"1", "Something failed on the way: a file cannot be written, a program that is needed is "
              "not there, memory ran out."},
        {"2", "The command line or an input file is wrong. Nothing was done."},
        {"3", "Measured data was wrong."},
    };

    append_entries(out, "EXIT STATUS", rows, COUNT(rows));
}

static void append_environment(struct hs_text *out)
{
    static const struct entry rows[] = {
        {"HIERSEARCH_CONFIGS",
         "Folders of system files, separated by `:`, that come before the shipped ones."},
        {"HIERSEARCH_PLOTS", "The folder of the gnuplot scripts, instead of the installed ones."},
        {"NO_COLOR", "Where set and not empty: no colours. There are none without a terminal "
                     "either, or where `TERM` is `dumb`."},
        {"COLUMNS", "Width of tables and help, instead of the terminal's; 40 to 400."},
        {"LC_ALL, LC_CTYPE, LANG",
         "Where the characters are UTF-8, bars are drawn with block characters."},
        {"PATH", "Where `gnuplot` and `smpirun` are looked for."},
        {"TMPDIR", "Where the files of a simulation lie while it runs."},
    };

    append_entries(out, "ENVIRONMENT", rows, COUNT(rows));
}

static void append_files(struct hs_text *out)
{
    static const struct entry rows[] = {
        {"share/hiersearch/configs", "The systems that come with the program."},
        {"share/hiersearch/plots", "The gnuplot scripts of `hiersearch plot`."},
        {"share/hiersearch/schemas", "JSON Schemas of the system and the result files."},
        {"share/doc/hiersearch", "What is written about the program."},
    };

    append_entries(out, "FILES", rows, COUNT(rows));
    hs_text_append(out, ".PP\n");
    hs_roff_paragraph(out, "These folders lie where the program was installed: beside the `bin` "
                           "folder that it runs from.");
}

/* A description's newlines end paragraphs. */
static void append_paragraphs(struct hs_text *out, const char *text)
{
    const char *before = "";

    while (*text) {
        size_t length = strcspn(text, "\n");
        struct hs_text paragraph = {0};

        hs_text_append_bytes(&paragraph, text, length);
        if (length > 0 && paragraph.data) {
            hs_text_append(out, "%s", before);
            hs_roff_paragraph(out, paragraph.data);
            before = ".PP\n";
        }
        hs_text_release(&paragraph);
        text += length + (text[length] == '\n');
    }
}

static void append_description(struct hs_text *out, const struct hs_command *command)
{
    if (!command->description && !command->passes_on)
        return;
    hs_text_append(out, ".SH DESCRIPTION\n");
    if (command->description)
        append_paragraphs(out, command->description);
    else
        hs_roff_paragraph(out, "A program of its own runs this command. It was not installed when "
                               "this page was made, so its options are not here.");
}

/* Usage shows what is required, as --help does. */
static void append_synopsis(struct hs_text *out, const struct hs_command *command)
{
    hs_text_append(out, ".SH SYNOPSIS\n\\fBhiersearch ");
    hs_roff_inline(out, command->name);
    hs_text_append(out, "\\fR");
    for (const struct hs_argument *a = command->arguments; a && a->name; a++) {
        hs_text_append(out, a->required ? "\n\\fI" : "\n[\\fI");
        hs_roff_inline(out, a->name);
        hs_text_append(out, a->many ? "\\fR..." : "\\fR");
        hs_text_append(out, a->required ? "" : "]");
    }
    for (const struct hs_option *o = command->options; o && o->name; o++) {
        if (!o->required)
            continue;
        hs_text_append(out, "\n\\fB\\-\\-");
        hs_roff_inline(out, o->name);
        hs_text_append(out, "\\fR \\fI");
        hs_roff_inline(out, o->argument);
        hs_text_append(out, "\\fR");
    }
    hs_text_append(out, "\n[options]\n");
}

static void append_option(struct hs_text *out, const struct hs_option *option)
{
    struct hs_text text = {0};

    hs_text_append(out, ".TP\n");
    if (option->letter)
        hs_text_append(out, "\\fB\\-%c\\fR, ", option->letter);
    hs_text_append(out, "\\fB\\-\\-");
    hs_roff_inline(out, option->name);
    hs_text_append(out, "\\fR");
    if (option->argument) {
        hs_text_append(out, " \\fI");
        hs_roff_inline(out, option->argument);
        hs_text_append(out, "\\fR");
    }
    hs_text_append(out, "\n");
    hs_help_option(&text, option);
    hs_roff_paragraph(out, text.data ? text.data : "");
    hs_text_release(&text);
}

static void append_options(struct hs_text *out, const struct hs_command *command)
{
    const char *group = NULL;

    hs_text_append(out, ".SH OPTIONS\n");
    for (const struct hs_option *o = command->options; o && o->name; o++) {
        if (o->group && (!group || strcmp(group, o->group) != 0)) {
            hs_text_append(out, ".SS ");
            hs_roff_inline(out, o->group);
            hs_text_append(out, "\n");
        }
        group = o->group;
        append_option(out, o);
    }
    hs_text_append(out, ".SS Everywhere\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
                        "a short form of this page\n"
                        ".TP\n\\fB\\-\\-version\\fR\nthe program\\(aqs version\n");
}

static void append_name(struct hs_text *out, const char *name, const char *summary)
{
    hs_text_append(out, ".SH NAME\n");
    hs_roff_inline(out, name);
    hs_text_append(out, " \\- ");
    hs_roff_inline(out, summary);
    hs_text_append(out, "\n");
}

void hs_manual_command(struct hs_text *out, const struct hs_command *command)
{
    struct hs_text name = {0};

    hs_text_append(&name, "hiersearch-%s", command->name);
    hs_roff_title(out, name.data ? name.data : "", 1);
    append_name(out, name.data ? name.data : "", command->summary);
    hs_text_release(&name);
    append_synopsis(out, command);
    append_description(out, command);
    if (command->arguments && command->arguments->name)
        hs_text_append(out, ".SH ARGUMENTS\n");
    for (const struct hs_argument *a = command->arguments; a && a->name; a++) {
        hs_text_append(out, ".TP\n\\fI");
        hs_roff_inline(out, a->name);
        hs_text_append(out, "\\fR\n");
        hs_roff_paragraph(out, a->help);
    }
    append_options(out, command);
    if (command->examples) {
        hs_text_append(out, ".SH EXAMPLES\n");
        hs_roff_verbatim(out, command->examples);
    }
    hs_text_append(out, ".SH EXIT STATUS\n");
    hs_text_append(out, "0, 1, 2 or 3, as\n.BR hiersearch (1)\nsays.\n"
                        ".SH SEE ALSO\n.BR hiersearch (1),\n.BR hiersearch\\-system (5),\n"
                        ".BR hiersearch\\-result (5)\n");
}

void hs_manual_program(struct hs_text *out, const struct hs_command *const *commands)
{
    hs_roff_title(out, "hiersearch", 1);
    append_name(out, "hiersearch", "the fastest split of an AllReduce into layers");
    hs_text_append(out, ".SH SYNOPSIS\n\\fBhiersearch\\fR \\fICOMMAND\\fR [arguments]\n"
                        ".SH DESCRIPTION\n");
    hs_roff_paragraph(out, hs_help_purpose);
    hs_text_append(out, ".PP\n");
    hs_roff_paragraph(out, "Data goes to the standard output, everything that is said to people to "
                           "the standard error. `hiersearch COMMAND --help` is the short form of a "
                           "command's page.");
    hs_text_append(out, ".SH COMMANDS\n");
    for (const struct hs_command *const *c = commands; *c; c++) {
        hs_text_append(out, ".TP\n.BR hiersearch\\-");
        hs_roff_inline(out, (*c)->name);
        hs_text_append(out, " (1)\n");
        hs_roff_paragraph(out, (*c)->summary);
    }
    append_exit_status(out);
    append_environment(out);
    append_files(out);
    hs_text_append(out, ".SH EXAMPLES\n");
    hs_roff_verbatim(out, hs_help_first_steps);
    hs_text_append(out,
                   ".SH SEE ALSO\n.BR hiersearch\\-system (5),\n.BR hiersearch\\-result (5)\n");
}
