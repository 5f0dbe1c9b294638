/*
 * notes.h - what a function has to say besides its answer: lines of a text, "note: ..." and
 * "warning: ...". Who asks decides where they go; `notes` may be NULL where nobody reads them.
 */
#ifndef HS_BASE_NOTES_H
#define HS_BASE_NOTES_H

#include "base/text.h"

/* One line; control characters in it become '?', as in errors. */
void hs_say_note(struct hs_text *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void hs_say_warning(struct hs_text *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A note for each line of a text; NULL: none. */
void hs_say_notes(struct hs_text *notes, const char *lines);

#endif
