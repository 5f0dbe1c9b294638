/*
 * describe.h - a command as a page or a part of a script, also where another program has its rows.
 *
 * A command that passes its arguments on is described by the program that gets them: each program
 * of ours answers the one argument --describe=FORM, so pages and scripts need no second list.
 */
#ifndef HS_CONSOLE_DESCRIBE_H
#define HS_CONSOLE_DESCRIBE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "console/command.h"

/* Appends the command in this form: "man" (manual.h), or the name of a shell (completion.h). Of a
 * program that is not installed, or does not answer, only what the command's own row says.
 * HS_INVALID: no such form; HS_MEMORY. */
enum hs_status hs_describe(struct hs_text *out, const struct hs_command *command, const char *form,
                           struct hs_error *err);

/* Whether the arguments are --describe=FORM and no more; *status then says how that went. */
bool hs_describe_asked(enum hs_status *status, struct hs_text *out,
                       const struct hs_command *command, int argc, char **argv,
                       struct hs_error *err);

#endif
