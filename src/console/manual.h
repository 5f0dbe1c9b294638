/*
 * manual.h - manual pages (man macros of roff), made from the rows that the parser reads.
 */
#ifndef HS_CONSOLE_MANUAL_H
#define HS_CONSOLE_MANUAL_H

#include "base/text.h"
#include "console/command.h"

/* Appends hiersearch-NAME(1): everything that --help of the command says. */
void hs_manual_command(struct hs_text *out, const struct hs_command *command);

/* Appends hiersearch(1): the commands, exit statuses, environment and files. */
void hs_manual_program(struct hs_text *out, const struct hs_command *const *commands);

#endif
