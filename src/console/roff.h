/*
 * roff.h - text as the man macros of roff take it.
 */
#ifndef HS_CONSOLE_ROFF_H
#define HS_CONSOLE_ROFF_H

#include "base/text.h"

/* Marks that a text may hold besides `...`, which is bold. */
#define HS_ROFF_BOLD   "\001"
#define HS_ROFF_ITALIC "\002"
#define HS_ROFF_ROMAN  "\003"

/* ".TH NAME SECTION DATE ..." and the settings that all pages share. `name` becomes capitals. */
void hs_roff_title(struct hs_text *out, const char *name, int section);

/* Appends running text: escaped, its blanks and newlines as breaks between words, lines of at most
 * 80 bytes, a newline at the end. Nothing of it can be taken for a macro. */
void hs_roff_paragraph(struct hs_text *out, const char *text);

/* Appends text within a line, escaped, marks obeyed, without a newline. */
void hs_roff_inline(struct hs_text *out, const char *text);

/* Appends lines as they stand, indented, in an .EX block. The blanks that all lines begin with are
 * taken off. */
void hs_roff_verbatim(struct hs_text *out, const char *lines);

#endif
