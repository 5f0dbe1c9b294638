/*
 * command.h - a command of a program: one row of its table, one cmd_*.c file.
 *
 * A command is data (name, texts, option rows) and one function. main parses the arguments by the
 * rows into the command's settings, runs it, writes what it put into `out` to stdout, and prints
 * the error, once. So a command that fails has written nothing to stdout, and a full or closed
 * stdout is noticed in one place.
 */
#ifndef HS_CLI_COMMAND_H
#define HS_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "show/terminal.h"

struct hiersearch_question;

/* What a command gets besides its settings. */
struct hs_context {
    const struct hs_command *command;
    struct hs_terminal terminal; /* stdout: width, color, characters */
    struct hs_text *out;         /* the data: goes to stdout if the command succeeds */
    struct hs_text *notes;       /* lines for people: go to stderr, behind the data */
    const char *command_line;    /* as typed, quoted for a shell; for the result file */
    char **arguments;            /* behind the command's name, NULL-terminated */
    const struct hiersearch_question *question; /* of the command, with what was typed; NULL */
    bool quiet;                                 /* notes are not passed on */
    bool found_fault;   /* what is printed is an answer that ends with exit status 1 */
    bool found_nothing; /* likewise 2: what was given does not decide */
    bool told_once;     /* of all processes of a job one prints it (launcher.h) */
};

/* Lines for stderr that were said already (notes.h), each behind "hiersearch predict: "; nothing
 * where context->quiet. They are released. */
void hs_notes_pass_on(const struct hs_context *context, struct hs_text *notes);

struct hs_command;
/* The help of a command, and the overview (cli/help.h), into `out`, to be told once. */
void hs_context_help(struct hs_context *context, const struct hs_command *command, bool all);
void hs_context_overview(struct hs_context *context, const struct hs_command *const *commands,
                         bool all);

struct hs_command {
    const char *name;
    const char *summary; /* one line, lower case, no dot */
    /* What mostly stands before it, "mpiexec -n P": the usage line begins with it, and of a job's
     * processes that with the number 0 alone says what failed (launcher.h). NULL: nothing. */
    const char *launcher;
    /* paragraphs below the usage line, wrapped when printed; may be NULL */
    const char *description;
    const char *examples; /* complete command lines, one per line; may be NULL */
    /* The options that most people use, blanks between: --help shows these and the first four
     * examples, --help all every row. NULL: --help shows every row, too. */
    const char *usual;
    const struct hs_argument *arguments; /* ends with a row whose name is NULL; NULL: none */
    const char *question; /* kind of the library's question that it asks (api/ask.h); NULL */
    const char *argued;   /* option of the question that the arguments stand for; NULL */
    const struct hs_option *options; /* besides those of the question; ends likewise */
    size_t settings_bytes;           /* zeroed, filled by these rows, given to run */
    bool passes_on; /* run becomes a program that parses by these rows: settings NULL here */
    bool aside;     /* few need it: the overview has it where it is of all */
    enum hs_status (*run)(struct hs_context *context, void *settings, struct hs_error *err);
};

/* A table of commands is in the order of --help and ends with a NULL.
 * The command of that name; HS_INVALID with the nearest name where there is none. */
enum hs_status hs_command_find(const struct hs_command **command,
                               const struct hs_command *const *commands, const char *name,
                               struct hs_error *err);

/* Everything behind main of the program "hiersearch": finds the command, parses, runs, prints.
 * Returns the exit status. */
int hs_program_run(const struct hs_command *const *commands, int argc, char **argv);

#endif
