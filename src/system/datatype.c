#include "system/datatype.h"

#include "base/text.h"

const char *const hs_datatype_names[HS_DATATYPE_PRICED_COUNT] = {
#define HS_ROW(name, text, bytes, words) text,
    HS_DATATYPES(HS_ROW) HS_PRICED_DATATYPES(HS_ROW)
#undef HS_ROW
};

const char *const hs_operation_names[HS_OPERATION_COUNT] = {
#define HS_ROW(name, text, words) text,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
};

static const size_t datatype_bytes[HS_DATATYPE_PRICED_COUNT] = {
#define HS_ROW(name, text, bytes, words) bytes,
    HS_DATATYPES(HS_ROW) HS_PRICED_DATATYPES(HS_ROW)
#undef HS_ROW
};

size_t hs_datatype_bytes(enum hs_datatype datatype)
{
    return datatype_bytes[datatype];
}

static const char *const datatype_words[HS_DATATYPE_PRICED_COUNT] = {
#define HS_ROW(name, text, bytes, words) words,
    HS_DATATYPES(HS_ROW) HS_PRICED_DATATYPES(HS_ROW)
#undef HS_ROW
};

static const char *const operation_words[HS_OPERATION_COUNT] = {
#define HS_ROW(name, text, words) words,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
};

enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err)
{
    static const struct hs_vocabulary known = {"data type", hs_datatype_names, datatype_words,
                                               HS_DATATYPE_PRICED_COUNT};
    size_t index;
    enum hs_status status = hs_vocabulary_find(&index, text, &known, err);

    *out = (enum hs_datatype)index;
    return status;
}

enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err)
{
    static const struct hs_vocabulary known = {"operation", hs_operation_names, operation_words,
                                               HS_OPERATION_COUNT};
    size_t index;
    enum hs_status status = hs_vocabulary_find(&index, text, &known, err);

    *out = (enum hs_operation)index;
    return status;
}
