#include "model/datatype.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

const char *const hs_datatype_names[HS_DATATYPE_COUNT] = {
#define HS_ROW(name, text, bytes, words) text,
    HS_DATATYPES(HS_ROW)
#undef HS_ROW
};

const char *const hs_operation_names[HS_OPERATION_COUNT] = {
#define HS_ROW(name, text, words) text,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
};

static const size_t datatype_bytes[HS_DATATYPE_COUNT] = {
#define HS_ROW(name, text, bytes, words) bytes,
    HS_DATATYPES(HS_ROW)
#undef HS_ROW
};

size_t hs_datatype_bytes(enum hs_datatype datatype)
{
    return datatype_bytes[datatype];
}

static const char *const datatype_words[HS_DATATYPE_COUNT] = {
#define HS_ROW(name, text, bytes, words) words,
    HS_DATATYPES(HS_ROW)
#undef HS_ROW
};

static const char *const operation_words[HS_OPERATION_COUNT] = {
#define HS_ROW(name, text, words) words,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
};

/* A list of things with names, and other words for each. */
struct vocabulary {
    const char *what;
    const char *const *names, *const *words;
    size_t count;
};

/* Index of what is typed: a name, in any case of letters, or another word for it. */
static enum hs_status find(size_t *index, const char *typed, const struct vocabulary *known,
                           struct hs_error *err)
{
    char word[32];
    int length = snprintf(word, sizeof(word), " %s ", typed);

    *index = 0;
    for (size_t i = 0; i < known->count && (size_t)length < sizeof(word); i++)
        if (strcasecmp(known->names[i], typed) == 0 ||
            (!strchr(typed, ' ') && strcasestr(known->words[i], word))) {
            *index = i;
            return HS_OK;
        }
    return hs_name_find(index, typed, known->what, known->names, known->count, err);
}

enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err)
{
    static const struct vocabulary known = {"data type", hs_datatype_names, datatype_words,
                                            HS_DATATYPE_COUNT};
    size_t index;
    enum hs_status status = find(&index, text, &known, err);

    *out = (enum hs_datatype)index;
    return status;
}

enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err)
{
    static const struct vocabulary known = {"operation", hs_operation_names, operation_words,
                                            HS_OPERATION_COUNT};
    size_t index;
    enum hs_status status = find(&index, text, &known, err);

    *out = (enum hs_operation)index;
    return status;
}
