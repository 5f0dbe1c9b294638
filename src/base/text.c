/*
 * Growing text, and the nearest name.
 */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Makes room for `more` bytes and the NUL behind them; false, and remembered, where there is none.
 */
static bool reserve(struct hs_text *text, size_t more)
{
    size_t capacity = text->capacity > 0 ? text->capacity : 64;
    char *data;

    if (text->failed || more >= SIZE_MAX / 2 - text->length) {
        text->failed = true;
        return false;
    }
    if (text->length + more < text->capacity)
        return true;
    while (capacity <= text->length + more)
        capacity *= 2;
    data = realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void hs_text_append(struct hs_text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        text->failed = true;
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void hs_text_append_bytes(struct hs_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void hs_text_append_foreign(struct hs_text *text, const char *foreign, const char *instead)
{
    for (size_t left = strlen(foreign), length; left > 0; left -= length, foreign += length) {
        if (hs_utf8_is_harmless(&length, foreign, left))
            hs_text_append_bytes(text, foreign, length);
        else
            hs_text_append_bytes(text, instead, strlen(instead));
    }
}

void hs_text_release(struct hs_text *text)
{
    if (text == NULL)
        return;
    free(text->data);
    *text = (struct hs_text){0};
}

bool hs_lines_next(struct hs_lines *lines)
{
    if (!lines->next || !*lines->next)
        return false;
    lines->line = lines->next;
    lines->length = strcspn(lines->line, "\n");
    lines->next = lines->line + lines->length;
    lines->next += *lines->next == '\n';
    return true;
}

enum hs_status hs_name_find(size_t *out, const char *text, const char *what,
                            const char *const *names, size_t count, struct hs_error *err)
{
    struct hs_text all = {0};
    const char *nearest;

    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *out = i;
            return HS_OK;
        }
    }
    nearest = hs_nearest_name(text, names, count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown %s \"%.40s\", did you mean \"%s\"?", what, text,
                       nearest);
    for (size_t i = 0; i < count; i++)
        hs_text_append(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    hs_error_set(err, HS_INVALID, "unknown %s \"%.40s\", expected one of %s", what, text,
                 all.failed ? names[0] : all.data);
    hs_text_release(&all);
    return HS_INVALID;
}

enum hs_status hs_vocabulary_find(size_t *out, const char *typed, const struct hs_vocabulary *known,
                                  struct hs_error *err)
{
    char word[32];
    int length = snprintf(word, sizeof(word), " %s ", typed);

    *out = 0;
    for (size_t i = 0; i < known->count && (size_t)length < sizeof(word); i++)
        if (strcasecmp(known->names[i], typed) == 0 ||
            (!strchr(typed, ' ') && strcasestr(known->words[i], word))) {
            *out = i;
            return HS_OK;
        }
    return hs_name_find(out, typed, known->what, known->names, known->count, err);
}

char *hs_strdup(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

/* ---- the nearest name ---- */

#define NAME_MAX_LENGTH 64 /* longer text is no slip of the fingers */
#define START_MIN       4  /* letters with which a name begins, and which are meant for it */

static bool same(char a, char b, bool ignore_case)
{
    if (ignore_case)
        return tolower((unsigned char)a) == tolower((unsigned char)b);
    return a == b;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with transpositions of neighbours (optimal string alignment), three rows at a time.
 */
static size_t distance(const char *a, const char *b, bool ignore_case)
{
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t a_length = strlen(a), b_length = strlen(b);

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = above[j - 1] + !same(a[i - 1], b[j - 1], ignore_case);

            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2], ignore_case) &&
                same(a[i - 2], b[j - 1], ignore_case))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* How good a suggestion is; smaller is better, compared field by field. */
struct nearness {
    size_t distance;   /* ignoring case: what decides whether it is near at all */
    size_t exact;      /* with case: "gbps" is nearer to "Gb/s" than to "GB/s" */
    size_t not_shared; /* letters behind the common start: "M" is nearer to "MB" than to "B" */
};

static struct nearness measure(const char *wrong, const char *name)
{
    struct nearness result = {distance(wrong, name, true), distance(wrong, name, false), 0};
    size_t shared = 0;

    while (wrong[shared] != '\0' && same(wrong[shared], name[shared], true))
        shared++;
    result.not_shared = strlen(wrong) - shared;
    if (result.not_shared == 0 && shared >= START_MIN)
        result.distance = 0;
    return result;
}

static bool nearer(const struct nearness *a, const struct nearness *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->exact != b->exact)
        return a->exact < b->exact;
    return a->not_shared < b->not_shared;
}

char *hs_word_next(char **line)
{
    char *word;

    while ((word = strsep(line, " \t\r")) && !word[0])
        continue;
    return word;
}

const char *hs_nearest_name(const char *wrong, const char *const *names, size_t count)
{
    size_t length = strlen(wrong), limit = length / 3 > 1 ? length / 3 : 1;
    struct nearness best = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    const char *nearest = NULL;

    if (length == 0 || length > NAME_MAX_LENGTH)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        struct nearness candidate;

        if (name_length > NAME_MAX_LENGTH)
            continue;
        candidate = measure(wrong, names[i]);
        /* Where no letter is kept ("x" for "B"), nothing suggests a slip. */
        if (candidate.distance <= limit && nearer(&candidate, &best) &&
            (candidate.distance < length || candidate.distance < name_length)) {
            best = candidate;
            nearest = names[i];
        }
    }
    return nearest;
}

void hs_text_wrap(struct hs_text *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool line_begins = true;

    while (*text) {
        size_t length = strcspn(text, " \n");

        if (length > 0 && !line_begins && at + 1 + length > width) {
            hs_text_append(out, "\n%*s", (int)indent, "");
            at = indent;
            line_begins = true;
        }
        if (length > 0) {
            hs_text_append(out, "%s%.*s", line_begins ? "" : " ", (int)length, text);
            at += length + (line_begins ? 0 : 1);
            line_begins = false;
        }
        text += length;
        if (*text == '\n') {
            hs_text_append(out, "\n%*s", text[1] && text[1] != '\n' ? (int)indent : 0, "");
            at = indent;
            line_begins = true;
        }
        text += *text != '\0';
    }
}
