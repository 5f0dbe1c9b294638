/*
 * option_rows.h - option rows that several commands have: the same name, letter and type, so that
 * what one knows of one command holds for the others. `place` is the field's offset in the
 * settings, `heading` the group, or NULL.
 */
#ifndef HS_CLI_OPTION_ROWS_H
#define HS_CLI_OPTION_ROWS_H

#include "console/options.h"
#include "model/plan.h"

/* bool: no notes and warnings, and no progress. */
#define HS_ROW_QUIET(heading, place, text)                                                         \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .group = (heading), .type = &hs_option_flag,               \
        .offset = (place), .help = (text)                                                          \
    }

/* const char *: where the result, page or picture goes. */
#define HS_ROW_OUTPUT(heading, place, must, text)                                                  \
    {                                                                                              \
        .name = "output", .letter = 'o', .argument = "FILE", .group = (heading),                   \
        .required = (must), .type = &hs_option_file, .offset = (place), .help = (text)             \
    }

/* struct hs_count_list: numbers of chunks. */
#define HS_ROW_CHUNKS(heading, place, text)                                                        \
    {                                                                                              \
        .name = "chunks", .argument = "LIST", .group = (heading), .min = 1, .max = HS_CHUNKS_MAX,  \
        .noun = "number of chunks", .type = &hs_option_count_list, .offset = (place),              \
        .help = (text)                                                                             \
    }

/* const char *: one message size of a result, read by the command. */
#define HS_ROW_RESULT_SIZE(place, text)                                                            \
    {                                                                                              \
        .name = "size", .letter = 's', .argument = "SIZE", .type = &hs_option_text,                \
        .offset = (place), .help = (text)                                                          \
    }

/* const char *: one plan of a result. */
#define HS_ROW_RESULT_PLAN(place, text)                                                            \
    {                                                                                              \
        .name = "plan", .letter = 'p', .argument = "PLAN", .type = &hs_option_text,                \
        .offset = (place), .help = (text)                                                          \
    }

/* Argument, struct hs_argument_list: the result files. */
#define HS_ROW_RESULTS(place, text)                                                                \
    {                                                                                              \
        .name = "RESULT", .required = true, .many = true, .completion = HS_COMPLETE_FILES,         \
        .offset = (place), .help = (text)                                                          \
    }

#endif
