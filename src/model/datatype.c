#include "model/datatype.h"

#include <string.h>

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

/* Index of `text` in names, or a one-line failure with the nearest of them. */
static enum hs_status find_name(size_t *out, const char *text, const char *what,
                                const char *const *names, size_t count, struct hs_error *err)
{
    const char *nearest;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return HS_OK;
        }
    }
    nearest = hs_nearest_name(text, names, count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown %s \"%.40s\", did you mean \"%s\"?", what, text,
                       nearest);
    return hs_fail(err, HS_INVALID, "unknown %s \"%.40s\", expected one such as \"%s\"", what, text,
                   names[0]);
}

enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err)
{
    size_t index = 0;
    enum hs_status status =
        find_name(&index, text, "data type", hs_datatype_names, HS_DATATYPE_COUNT, err);

    *out = (enum hs_datatype)index;
    return status;
}

enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err)
{
    size_t index = 0;
    enum hs_status status =
        find_name(&index, text, "operation", hs_operation_names, HS_OPERATION_COUNT, err);

    *out = (enum hs_operation)index;
    return status;
}
