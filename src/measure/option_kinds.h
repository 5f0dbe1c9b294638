/*
 * option_kinds.h - kinds of option values that `measure` and `calibrate` have in common.
 */
#ifndef HS_MEASURE_OPTION_KINDS_H
#define HS_MEASURE_OPTION_KINDS_H

#include "console/options.h"

extern const struct hs_option_type hs_option_seconds; /* double: a time above 0 */
extern const struct hs_option_type
    hs_option_percent; /* double: "2%" is 0.02; above 0, below 100% */

/* For hs_option_word: "auto" and the backends of this build; types of elements; reductions. */
const char *const *hs_backend_words(void);
const char *const *hs_datatype_words(void);
const char *const *hs_operation_words(void);

/* Rows of both commands. `field` is the row's .offset, `heading` its group. */
#define HS_ROW_DATATYPE(field, heading)                                                            \
    {                                                                                              \
        .name = "dtype", .argument = "TYPE", .type = &hs_option_word, field, .group = (heading),   \
        .help = "type of the elements", .fallback = "float32", .words = hs_datatype_words          \
    }
#define HS_ROW_OPERATION(field, heading)                                                           \
    {                                                                                              \
        .name = "op", .argument = "OP", .type = &hs_option_word, field, .group = (heading),        \
        .help = "reduction", .fallback = "sum", .words = hs_operation_words                        \
    }
#define HS_ROW_BACKEND(field, heading, text)                                                       \
    {                                                                                              \
        .name = "backend", .letter = 'b', .argument = "NAME", .type = &hs_option_word, field,      \
        .group = (heading), .help = (text), .fallback = "auto", .words = hs_backend_words          \
    }
/* A time above 0, and a share of 100 %. */
#define HS_ROW_SECONDS(title, field, heading, usual, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "TIME", .type = &hs_option_seconds, field,                    \
        .group = (heading), .fallback = (usual), .help = (text)                                    \
    }
#define HS_ROW_PERCENT(title, field, heading, usual, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "PERCENT", .type = &hs_option_percent, field,                 \
        .group = (heading), .fallback = (usual), .help = (text)                                    \
    }
/* A number of runs or rounds, at least `least`, at most `most`. */
#define HS_ROW_RUNS(title, field, heading, least, most, usual, text)                               \
    {                                                                                              \
        .name = (title), .argument = "N", .type = &hs_option_count, field, .group = (heading),     \
        .min = (least), .max = (most), .fallback = (usual), .help = (text)                         \
    }
#define HS_ROW_PRECISION(field, heading)                                                           \
    HS_ROW_PERCENT("precision", field, heading, "2%",                                              \
                   "sample until the 95 % confidence interval of the median is within this")
#define HS_ROW_WARMUP(field, heading, usual)                                                       \
    HS_ROW_RUNS("warmup", field, heading, 0, 1000, usual,                                          \
                "runs of each before the first that counts")
#define HS_ROW_SEED(field, heading)                                                                \
    HS_ROW_RUNS("seed", field, heading, 0, INT64_MAX, "1", "of the null backend's noise")
#define HS_ROW_FAULTS(field, heading)                                                              \
    {                                                                                              \
        .name = "faults", .argument = "TEXT", .type = &hs_option_text, field, .group = (heading),  \
        .help = "faults that the null backend plays"                                               \
    }
#define HS_ROW_FLAG(title, mark, field, heading, text)                                             \
    {                                                                                              \
        .name = (title), .letter = (mark), .type = &hs_option_flag, field, .group = (heading),     \
        .help = (text)                                                                             \
    }
#define HS_ROW_NO_NOTES(field, heading)                                                            \
    HS_ROW_FLAG("quiet", 'q', field, heading, "no progress and no notes on stderr")

#endif
