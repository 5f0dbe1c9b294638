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

/* The name that `typed` is another word for, in `words`; else what was typed. */
static const char *name_of(const char *typed, const char *const *words, const char *const *names,
                           size_t count)
{
    char word[32];
    int length = snprintf(word, sizeof(word), " %s ", typed);

    for (size_t i = 0; i < count && (size_t)length < sizeof(word); i++)
        if (strcasecmp(names[i], typed) == 0 || (!strchr(typed, ' ') && strcasestr(words[i], word)))
            return names[i];
    return typed;
}

enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err)
{
    const char *name = name_of(text, datatype_words, hs_datatype_names, HS_DATATYPE_COUNT);
    size_t index = 0;
    enum hs_status status =
        hs_name_find(&index, name, "data type", hs_datatype_names, HS_DATATYPE_COUNT, err);

    *out = (enum hs_datatype)index;
    return status;
}

enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err)
{
    const char *name = name_of(text, operation_words, hs_operation_names, HS_OPERATION_COUNT);
    size_t index = 0;
    enum hs_status status =
        hs_name_find(&index, name, "operation", hs_operation_names, HS_OPERATION_COUNT, err);

    *out = (enum hs_operation)index;
    return status;
}
