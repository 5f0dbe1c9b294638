/*
 * complete.h - what could be typed next, for the completion scripts of shells (src/cli/completion),
 * from the rows that the parser reads.
 */
#ifndef HS_CONSOLE_COMPLETE_H
#define HS_CONSOLE_COMPLETE_H

#include <stddef.h>

#include "base/text.h"
#include "cli/command.h"

/* The word, in place of a command, by which a script asks; the others follow it. */
#define HS_COMPLETE_WORD "__complete"

/* Appends what the last of the `count` words could be; they stand behind the program's name as
 * typed, without quotes. First a line "files" where names of files fit besides, else "words"; then
 * a line per candidate, a tab and a few words about it behind it where there is something to say.
 * The candidates are all that fit the place: those that do not begin like the word are among them.
 * A value of --name=value is with or without "--name=" as the shell has the word: bash takes '=' to
 * be a word of its own. Words with control characters are left out. */
void hs_complete(struct hs_text *out, const struct hs_command *const *commands,
                 const char *const *words, size_t count);

#endif
