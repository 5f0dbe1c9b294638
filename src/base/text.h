/*
 * text.h - growing text, and the nearest name for "did you mean".
 */
#ifndef HS_BASE_TEXT_H
#define HS_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A growing, always NUL-terminated buffer. {0} is the empty text. Running out of memory is
 * remembered (`failed`) and turns further appends into no-ops, so a writer checks once, at the end.
 * */
struct hs_text {
    char *data; /* owned; NULL while nothing was appended */
    size_t length, capacity;
    bool failed;
};

void hs_text_append(struct hs_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void hs_text_append_bytes(struct hs_text *text, const char *bytes, size_t length);
/* Appends text that may hold anything, with `instead` for each character that is not fit to be
 * shown (utf8.h). */
void hs_text_append_foreign(struct hs_text *text, const char *foreign, const char *instead);
void hs_text_release(struct hs_text *text);

/* A text's lines, one by one, without what ends them: `next` is set to the text, or NULL. False:
 * there is no further one. */
struct hs_lines {
    const char *next;
    const char *line;
    size_t length;
};
bool hs_lines_next(struct hs_lines *lines);

/* The next word of a line, which is changed: what lies between blanks. NULL: there is none. */
char *hs_word_next(char **line);

/* The name nearest to `wrong`: the shortest that begins with it, if it has 4 letters; else by edit
 * distance with transpositions, ignoring case. NULL where none is near enough to be a likely slip
 * (distance above a third of the length, at least 1). */
const char *hs_nearest_name(const char *wrong, const char *const *names, size_t count);

/* Index of `text` in names, in any case of letters. HS_INVALID: "unknown WHAT ...", with the
 * nearest of them. */
enum hs_status hs_name_find(size_t *out, const char *text, const char *what,
                            const char *const *names, size_t count, struct hs_error *err);

/* A list of things with names, and other words for each, " like these ". */
struct hs_vocabulary {
    const char *what;
    const char *const *names, *const *words; /* [count] */
    size_t count;
};
/* Index of what is typed: a name, in any case of letters, or another word for it. Else HS_INVALID
 * as hs_name_find. */
enum hs_status hs_vocabulary_find(size_t *out, const char *typed, const struct hs_vocabulary *known,
                                  struct hs_error *err);

/* Heap copy of a string; NULL in gives NULL out; NULL also when out of memory. */
char *hs_strdup(const char *text);

/* Appends text broken at blanks into lines of at most `width` columns. The first line is taken to
 * stand at column `at` already, the others begin with `indent` blanks; a newline in the text begins
 * a new line. */
void hs_text_wrap(struct hs_text *out, const char *text, size_t at, size_t indent, size_t width);

#endif
