/*
 * option_rows.h - option rows that several commands have: the same name, letter and type, so that
 * what one knows of one command holds for the others. `place` is the field's offset in the
 * settings, `heading` the group, or NULL.
 */
#ifndef HS_CLI_OPTION_ROWS_H
#define HS_CLI_OPTION_ROWS_H

#include "answer/rows.h"
#include "answer/systems.h"
#include "cli/command.h"
#include "model/stage.h"
#include "show/sheet.h"

extern const struct hs_option_type hs_option_percent; /* double: "2%" is 0.02; above 0, below 1 */

/* HS_INVALID where a size is no whole number of elements. */
enum hs_status hs_sizes_check(const struct hs_range *sizes, enum hs_datatype datatype,
                              struct hs_error *err);

extern const struct hs_option_type hs_option_stages; /* struct hs_stage_list */
extern const struct hs_option_type hs_option_json;   /* const char *: "json", without a value */

/* "auto" and the backends of this build; where messages lie. All end with a NULL. */
const char *const *hs_backend_words(void);
const char *const *hs_buffers_words(void);

/* Argument, const char *: the machine. */
#define HS_ROW_SYSTEM(place, must, text)                                                           \
    {                                                                                              \
        .name = "SYSTEM", .required = (must), .files = true, .words = hs_system_words,             \
        .offset = (place), .help = (text)                                                          \
    }

/* Argument, struct hs_argument_list: the result files. */
#define HS_ROW_RESULTS(place, text)                                                                \
    {                                                                                              \
        .name = "RESULT", .required = true, .many = true, .files = true, .offset = (place),        \
        .help = (text)                                                                             \
    }

/* bool: no notes and warnings, and no progress. */
#define HS_ROW_QUIET(heading, place, text) HS_ROW_FLAG("quiet", 'q', heading, place, text)

/* const char *: where the result, page or picture goes. */
#define HS_ROW_OUTPUT(heading, place, must, text)                                                  \
    HS_ROW_FILE("output", 'o', heading, place, must, text)

/* The format of the command's question, by the flag that was there first for one of them. */
#define HS_ROW_JSON(heading, text)                                                                 \
    {                                                                                              \
        .name = "json", .group = (heading), .type = &hs_option_json,                               \
        .help = "as --format json: " text                                                          \
    }
/* struct hs_print (base/format.h): the format of what is printed, the flag that was there first for
 * one of them, and how text looks. */
#define HS_ROWS_PRINT(heading, place, json)                                                        \
    HS_ROW_FORMAT(heading, place),                                                                 \
        {.name = "json",                                                                           \
         .group = (heading),                                                                       \
         .type = &hs_option_json,                                                                  \
         .offset = (place) + offsetof(struct hs_print, format),                                    \
         .help = "as --format json: " json},                                                       \
        HS_ROWS_LOOK(heading, place)
/* const char *: the journal of what measures; and bool: --resume and --retry. */
#define HS_ROWS_JOURNAL(heading, place, resume_place, retry_place)                                 \
    HS_ROW_FILE("journal", 0, heading, place, false,                                               \
                "what is measured so far, for --resume (default: FILE.journal beside the output; " \
                "removed when all is measured without fault); the journal of an earlier run is "   \
                "kept as FILE.1"),                                                                 \
        HS_ROW_FLAG("resume", 'r', heading, resume_place,                                          \
                    "go on from the journal of a run that was cut short"),                         \
        HS_ROW_FLAG("retry", 0, heading, retry_place,                                              \
                    "with --resume: try again what hung or failed")

/* ---- of measure ---- */

/* const char *: one of the words, `usual` unless given. */
#define HS_ROW_CHOICE(title, mark, what, list, usual, heading, place, text)                        \
    {                                                                                              \
        .name = (title), .letter = (mark), .argument = (what), .type = &hs_option_word,            \
        .group = (heading), .offset = (place), .help = (text), .fallback = (usual),                \
        .words = (list)                                                                            \
    }
#define HS_ROW_BACKEND(heading, place, text)                                                       \
    HS_ROW_CHOICE("backend", 'b', "NAME", hs_backend_words, "auto", heading, place, text)

/* double: a share of 100 %. */
#define HS_ROW_PERCENT(title, usual, heading, place, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "PERCENT", .type = &hs_option_percent, .group = (heading),    \
        .offset = (place), .fallback = (usual), .help = (text)                                     \
    }
#define HS_ROW_PRECISION(heading, place)                                                           \
    HS_ROW_PERCENT("precision", "2%", heading, place,                                              \
                   "sample until the 95 % confidence interval of the median is within this")

#define HS_ROW_WARMUP(usual, heading, place)                                                       \
    HS_ROW_COUNT("warmup", "runs", 0, 1000, usual, heading, place,                                 \
                 "runs of each before the first that counts")
/* int64_t. */
#define HS_ROW_SEED(heading, place)                                                                \
    {                                                                                              \
        .name = "seed", .argument = "N", .type = &hs_option_count, .group = (heading),             \
        .noun = "seed", .max = INT64_MAX, .offset = (place), .fallback = "1",                      \
        .help = "of the null backend's noise"                                                      \
    }

/* const char *: see cli/faults.h. */
#define HS_FAULT_LINE(kind, title, value, text) "\n" title "=" value ": " text
#define HS_ROW_FAULTS(heading, place)                                                              \
    {                                                                                              \
        .name = "faults", .argument = "TEXT", .type = &hs_option_text, .group = (heading),         \
        .offset = (place),                                                                         \
        .help =                                                                                    \
            "faults that the null backend plays, with commas between:" HS_FAULTS(HS_FAULT_LINE)    \
    }

/* What these options say taken together with the output. HS_INVALID. */
enum hs_status hs_journal_options_check(const char *journal, const char *output, bool resume,
                                        bool retry, struct hs_error *err);

/* All rows of a command: those of its question, whose fields are hs_command_question_at() bytes
 * from where its own settings begin, and behind each group its own. The caller frees it; NULL: out
 * of memory. */
struct hs_option *hs_command_rows(const struct hs_command *command);
size_t hs_command_question_at(const struct hs_command *command);

#endif
