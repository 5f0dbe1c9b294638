#include "model/datatype.h"

#include "base/text.h"

const char *const hs_datatype_names[HS_DATATYPE_COUNT] = {
#define HS_ROW(name, text, bytes) text,
    HS_DATATYPES(HS_ROW)
#undef HS_ROW
};

const char *const hs_operation_names[HS_OPERATION_COUNT] = {
#define HS_ROW(name, text) text,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
};

static const size_t datatype_bytes[HS_DATATYPE_COUNT] = {
#define HS_ROW(name, text, bytes) bytes,
    HS_DATATYPES(HS_ROW)
#undef HS_ROW
};

size_t hs_datatype_bytes(enum hs_datatype datatype)
{
    return datatype_bytes[datatype];
}

enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err)
{
    size_t index = 0;
    enum hs_status status =
        hs_name_find(&index, text, "data type", hs_datatype_names, HS_DATATYPE_COUNT, err);

    *out = (enum hs_datatype)index;
    return status;
}

enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err)
{
    size_t index = 0;
    enum hs_status status =
        hs_name_find(&index, text, "operation", hs_operation_names, HS_OPERATION_COUNT, err);

    *out = (enum hs_operation)index;
    return status;
}
