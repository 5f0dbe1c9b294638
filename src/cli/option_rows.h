/*
 * option_rows.h - option rows that several commands have: the same name, letter and type, so that
 * what one knows of one command holds for the others. `place` is the field's offset in the
 * settings, `heading` the group, or NULL.
 */
#ifndef HS_CLI_OPTION_ROWS_H
#define HS_CLI_OPTION_ROWS_H

#include "console/command.h"
#include "model/collective.h"
#include "model/datatype.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/stage.h"
#include "view/sheet.h"

extern const struct hs_option_type hs_option_seconds; /* double: a time above 0 */
extern const struct hs_option_type hs_option_percent; /* double: "2%" is 0.02; above 0, below 1 */
extern const struct hs_option_type hs_option_bytes;   /* uint64_t: a size */
extern const struct hs_option_type hs_option_parameters; /* double, whole: "70e9", "70B", "350M" */

extern const struct hs_option_type hs_option_datatype;   /* enum hs_datatype */
extern const struct hs_option_type hs_option_operation;  /* enum hs_operation */
extern const struct hs_option_type hs_option_collective; /* enum hs_collective */
extern const struct hs_option_type hs_option_order;      /* enum hs_order */

/* hs_system_find, and a note on stderr of the latencies that a line of text does not give. */
enum hs_status hs_find_system(struct hs_system *system, const char *text,
                              const struct hs_context *context, struct hs_error *err);

/* HS_INVALID where an order is given that the collective has not, or that is priced alone and is to
 * run. */
enum hs_status hs_order_check(enum hs_collective collective, enum hs_order order, bool runs,
                              struct hs_error *err);
/* A mesh as typed: --mesh and --over. */
struct hs_mesh_words {
    const char *mesh, *over; /* NULL: not given */
    bool placed;             /* the command takes a mesh by itself */
};
/* What --mesh and --over say, and `np` where it is 0; none where neither is given. HS_INVALID where
 * one of them is missing, or another number of processes is asked for than the mesh has. */
enum hs_status hs_mesh_take(struct hs_mesh *mesh, int64_t *np, const struct hs_mesh_words *words,
                            struct hs_error *err);
/* HS_INVALID where a size is no whole number of elements. */
enum hs_status hs_sizes_check(const struct hs_range *sizes, enum hs_datatype datatype,
                              struct hs_error *err);

extern const struct hs_option_type hs_option_algorithms; /* unsigned: hs_algorithms_parse */
extern const struct hs_option_type hs_option_stages;     /* struct hs_stage_list */
extern const struct hs_option_type hs_option_json;       /* const char *: "json", without a value */

/* Formats, and when there are colours (sheet.h); names of the shipped systems; "auto" and the
 * backends of this build; where messages lie; types of elements; reductions. All end with a NULL.
 */
const char *const *hs_format_words(void);
const char *const *hs_color_words(void);
const char *const *hs_system_words(void);
const char *const *hs_backend_words(void);
const char *const *hs_buffers_words(void);
const char *const *hs_datatype_words(void);
const char *const *hs_collective_words(void);
const char *const *hs_order_words(void);
const char *const *hs_operation_words(void);
const char *const *hs_algorithm_words(void); /* and "all" */

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

/* bool. `mark` is the letter, or 0. */
#define HS_ROW_FLAG(title, mark, heading, place, text)                                             \
    {                                                                                              \
        .name = (title), .letter = (mark), .group = (heading), .type = &hs_option_flag,            \
        .offset = (place), .help = (text)                                                          \
    }

/* bool: no notes and warnings, and no progress. */
#define HS_ROW_QUIET(heading, place, text) HS_ROW_FLAG("quiet", 'q', heading, place, text)

/* const char *: a file. */
#define HS_ROW_FILE(title, mark, heading, place, must, text)                                       \
    {                                                                                              \
        .name = (title), .letter = (mark), .argument = "FILE", .group = (heading),                 \
        .required = (must), .type = &hs_option_file, .offset = (place), .help = (text)             \
    }

/* const char *: where the result, page or picture goes. */
#define HS_ROW_OUTPUT(heading, place, must, text)                                                  \
    HS_ROW_FILE("output", 'o', heading, place, must, text)

/* struct hs_print (view/sheet.h): the format of what is printed, the flag that was there first for
 * one of them, and colours. */
#define HS_ROWS_PRINT(heading, place, json)                                                        \
    {.name = "format",                                                                             \
     .argument = "FORMAT",                                                                         \
     .group = (heading),                                                                           \
     .words = hs_format_words,                                                                     \
     .type = &hs_option_word,                                                                      \
     .offset = (place) + offsetof(struct hs_print, format),                                        \
     .help = "text (unless given) or Markdown for people, or the tables for programs"},            \
        {.name = "json",                                                                           \
         .group = (heading),                                                                       \
         .type = &hs_option_json,                                                                  \
         .offset = (place) + offsetof(struct hs_print, format),                                    \
         .help = "as --format json: " json},                                                       \
    {                                                                                              \
        .name = "color", .argument = "WHEN", .group = (heading), .words = hs_color_words,          \
        .type = &hs_option_word, .offset = (place) + offsetof(struct hs_print, color),             \
        .help = "colours; auto is on terminals, unless NO_COLOR is set"                            \
    }
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

/* struct hs_count_list: numbers of chunks. */
#define HS_ROW_CHUNKS(heading, place, text)                                                        \
    {                                                                                              \
        .name = "chunks", .argument = "LIST", .group = (heading), .min = 1, .max = HS_CHUNKS_MAX,  \
        .noun = "number of chunks", .type = &hs_option_count_list, .offset = (place),              \
        .help = (text)                                                                             \
    }

/* unsigned: bits of algorithms; 0: not given. */
#define HS_ROW_ALGORITHMS(heading, place, text)                                                    \
    {                                                                                              \
        .name = "algorithms", .argument = "LIST", .group = (heading), .words = hs_algorithm_words, \
        .type = &hs_option_algorithms, .offset = (place), .help = (text)                           \
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

/* ---- of measure and calibrate ---- */

/* const char *: one of the words, `usual` unless given. */
#define HS_ROW_CHOICE(title, mark, what, list, usual, heading, place, text)                        \
    {                                                                                              \
        .name = (title), .letter = (mark), .argument = (what), .type = &hs_option_word,            \
        .group = (heading), .offset = (place), .help = (text), .fallback = (usual),                \
        .words = (list)                                                                            \
    }
/* enum hs_datatype, enum hs_operation; float, bf16, avg and their like are understood. */
#define HS_ROW_DATATYPE(heading, place)                                                            \
    {                                                                                              \
        .name = "dtype", .argument = "TYPE", .type = &hs_option_datatype, .group = (heading),      \
        .offset = (place), .fallback = "float32", .words = hs_datatype_words,                      \
        .help = "type of the elements"                                                             \
    }
#define HS_ROW_COLLECTIVE(heading, place)                                                          \
    {                                                                                              \
        .name = "collective", .argument = "NAME", .group = (heading), .fallback = "allreduce",     \
        .words = hs_collective_words, .type = &hs_option_collective, .offset = (place),            \
        .help = "what all processes call; the size is that of the larger side, what enters a "     \
                "reduce-scatter and what an allgather leaves"                                      \
    }
/* Two rows, of struct hs_mesh_words. */
#define HS_ROWS_MESH(heading, place)                                                               \
    {.name = "mesh",                                                                               \
     .argument = "AXES",                                                                           \
     .group = (heading),                                                                           \
     .type = &hs_option_text,                                                                      \
     .offset = (place) + offsetof(struct hs_mesh_words, mesh),                                     \
     .help = "the processes as a mesh, innermost axis first, such as tp=8,dp=64, whose product "   \
             "is the number of processes"},                                                        \
    {                                                                                              \
        .name = "over", .argument = "AXES", .group = (heading), .type = &hs_option_text,           \
        .offset = (place) + offsetof(struct hs_mesh_words, over),                                  \
        .help = "the axes of --mesh that a group spans, such as dp, or tp,dp: all such groups "    \
                "call at once"                                                                     \
    }
#define HS_ROW_ORDER(heading, place)                                                               \
    {                                                                                              \
        .name = "order", .argument = "ORDER", .group = (heading), .fallback = "in-place",          \
        .words = hs_order_words, .type = &hs_option_order, .offset = (place),                      \
        .help = "where a reduce-scatter's or an allgather's blocks lie: process r has block r "    \
                "(in-place), or that of r's digits the other way round (permuted), which moves "   \
                "less over slow links and costs nothing where the caller lays them out like "      \
                "this; predict has block r that way, too, by a copy (packed) or by a call for "    \
                "each run of blocks (grouped)"                                                     \
    }
#define HS_ROW_OPERATION(heading, place)                                                           \
    {                                                                                              \
        .name = "op", .argument = "OP", .type = &hs_option_operation, .group = (heading),          \
        .offset = (place), .fallback = "sum", .words = hs_operation_words, .help = "reduction"     \
    }
#define HS_ROW_BACKEND(heading, place, text)                                                       \
    HS_ROW_CHOICE("backend", 'b', "NAME", hs_backend_words, "auto", heading, place, text)

/* double: a time above 0. */
#define HS_ROW_SECONDS(title, usual, heading, place, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "TIME", .type = &hs_option_seconds, .group = (heading),       \
        .offset = (place), .fallback = (usual), .help = (text)                                     \
    }
/* double: a share of 100 %. */
#define HS_ROW_PERCENT(title, usual, heading, place, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "PERCENT", .type = &hs_option_percent, .group = (heading),    \
        .offset = (place), .fallback = (usual), .help = (text)                                     \
    }
#define HS_ROW_PRECISION(heading, place)                                                           \
    HS_ROW_PERCENT("precision", "2%", heading, place,                                              \
                   "sample until the 95 % confidence interval of the median is within this")

/* int64_t: how many there are of `counted`, at least `least`, at most `most`. */
#define HS_ROW_COUNT(title, counted, least, most, usual, heading, place, text)                     \
    {                                                                                              \
        .name = (title), .argument = "N", .type = &hs_option_count, .group = (heading),            \
        .noun = "number of " counted, .min = (least), .max = (most), .offset = (place),            \
        .fallback = (usual), .help = (text)                                                        \
    }
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

/* const char *: see model/faults.h. */
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

#endif
