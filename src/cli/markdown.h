/*
 * markdown.h - help as Markdown, made from the rows that the parser reads: the source of the manual
 * pages (packaging/manpage).
 */
#ifndef HS_CONSOLE_MARKDOWN_H
#define HS_CONSOLE_MARKDOWN_H

#include "base/text.h"
#include "cli/command.h"

/* Appends the page hiersearch-NAME(1): everything that --help of the command says. */
void hs_markdown_command(struct hs_text *out, const struct hs_command *command);

/* Appends the beginning of hiersearch(1): what the program is, and its commands. */
void hs_markdown_program(struct hs_text *out, const struct hs_command *const *commands);

#endif
