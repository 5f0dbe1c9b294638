/*
 * help.h - usage lines and help texts, made from the rows that the parser reads.
 */
#ifndef HS_CLI_HELP_H
#define HS_CLI_HELP_H

#include <stdbool.h>

#include "base/text.h"
#include "cli/command.h"
#include "show/terminal.h"

/* "hiersearch predict SYSTEM --np N[:N] [options]". */
void hs_help_usage(struct hs_text *out, const struct hs_command *command);
/* One command: summary, usage, arguments, options, examples. `all`: every option by group and the
 * description; else the usual options, the first sentence of each text, at most 40 lines. */
void hs_help_command(struct hs_text *out, const struct hs_command *command,
                     const struct hs_terminal *terminal, bool all);
/* Appends what an option is: its help, the words it takes and its default. */
void hs_help_option(struct hs_text *out, const struct hs_option *option);

/* What the program is for, in one sentence, and command lines to begin with. */
extern const char hs_help_purpose[], hs_help_first_steps[];

/* What the program is and the commands it has; those set aside where it is of `all`. */
void hs_help_program(struct hs_text *out, const struct hs_command *const *commands,
                     const struct hs_terminal *terminal, bool all);
/* "hiersearch 0.1.0 (v0.1.0-3-gabc1234)" and a newline. */
void hs_help_version(struct hs_text *out);

#endif
