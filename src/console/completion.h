/*
 * completion.h - completion scripts of shells, made from the rows that the parser reads.
 *
 * A script has a head, one part per command, and a tail. A part is made from the rows of the
 * command alone, so the program that has them makes it (hiersearch-measure, for one).
 */
#ifndef HS_CONSOLE_COMPLETION_H
#define HS_CONSOLE_COMPLETION_H

#include "base/text.h"
#include "console/command.h"

struct hs_shell {
    const char *name;
    const char *file; /* what its folder of completions wants the script to be called */
    /* Before the first part, a part, and behind the last one. */
    void (*begin)(struct hs_text *out);
    void (*command)(struct hs_text *out, const struct hs_command *command);
    void (*end)(struct hs_text *out, const struct hs_command *const *commands);
};

extern const struct hs_shell hs_shell_bash, hs_shell_fish, hs_shell_zsh;

/* The table. Ends with a NULL. */
extern const struct hs_shell *const hs_shells[];

/* ---- for the rows of the table ---- */

/* Appends words with blanks between them; none where `words` is NULL. */
void hs_completion_words(struct hs_text *out, const char *const *(*words)(void));

/* Appends what an option or argument is, for lists beside the names: its help up to the first
 * semicolon or full stop, without the characters that `escape` names, each of which gets `before`
 * in front. */
void hs_completion_say(struct hs_text *out, const char *help, const char *escape,
                       const char *before);

#endif
