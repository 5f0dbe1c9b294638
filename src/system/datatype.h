/*
 * datatype.h - element types and reduction operations, with the names used in files and options.
 */
#ifndef HS_SYSTEM_DATATYPE_H
#define HS_SYSTEM_DATATYPE_H

#include <stddef.h>

#include "base/error.h"

/* name, text, bytes of one element, other words for it (with blanks around each) */
/* clang-format off */
#define HS_DATATYPES(row)        \
    row(FLOAT32, "float32", 4, " float fp32 f32 single ")   \
    row(FLOAT64, "float64", 8, " double fp64 f64 ")         \
    row(FLOAT16, "float16", 2, " half fp16 f16 ")           \
    row(BFLOAT16, "bfloat16", 2, " bf16 bfloat ")

/* What is priced alone: a library may choose otherwise by type. The rest likewise. */
#define HS_PRICED_DATATYPES(row) \
    row(FLOAT8, "float8", 1, " fp8 f8 e4m3 e5m2 float8_e4m3 float8_e5m2 ") \
    row(INT8, "int8", 1, " uint8 byte char ")               \
    row(INT32, "int32", 4, " uint32 int ")                  \
    row(INT64, "int64", 8, " uint64 long ")
/* clang-format on */

enum hs_datatype {
#define HS_ROW(name, text, bytes, words) HS_##name,
    HS_DATATYPES(HS_ROW) HS_DATATYPE_COUNT,
    HS_DATATYPE_MEASURED_LAST = HS_DATATYPE_COUNT - 1, /* the next is COUNT's number */
    HS_PRICED_DATATYPES(HS_ROW)
#undef HS_ROW
        HS_DATATYPE_PRICED_COUNT
};

/* name, text, other words for it; average is the sum divided by the number of processes */
/* clang-format off */
#define HS_OPERATIONS(row)        \
    row(SUM, "sum", " add ")      \
    row(MAX, "max", " maximum ")  \
    row(AVERAGE, "average", " avg mean ")
/* clang-format on */

enum hs_operation {
#define HS_ROW(name, text, words) HS_##name,
    HS_OPERATIONS(HS_ROW)
#undef HS_ROW
        HS_OPERATION_COUNT
};

extern const char *const hs_datatype_names[HS_DATATYPE_PRICED_COUNT];
extern const char *const hs_operation_names[HS_OPERATION_COUNT];

/* Of one element: 1, 2, 4 or 8. */
size_t hs_datatype_bytes(enum hs_datatype datatype);
/* The name, or one of the other words. HS_INVALID with the nearest name; *out is then as it was. */
enum hs_status hs_datatype_parse(enum hs_datatype *out, const char *text, struct hs_error *err);
enum hs_status hs_operation_parse(enum hs_operation *out, const char *text, struct hs_error *err);

#endif
