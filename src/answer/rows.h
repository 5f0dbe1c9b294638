/*
 * rows.h - rows of options that the library and several commands have, with the checks of what they
 * say together. `place` is the field's offset in the settings, `heading` the group, or NULL.
 */
#ifndef HS_API_ROWS_H
#define HS_API_ROWS_H

#include "base/format.h"
#include "base/options.h"
#include "model/collective.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "system/datatype.h"

extern const struct hs_option_type hs_option_seconds;    /* double: a time above 0 */
extern const struct hs_option_type hs_option_bytes;      /* uint64_t: a size */
extern const struct hs_option_type hs_option_parameters; /* double, whole: "70e9", "70B", "350M" */
extern const struct hs_option_type hs_option_datatype;   /* enum hs_datatype */
extern const struct hs_option_type hs_option_operation;  /* enum hs_operation */
extern const struct hs_option_type hs_option_collective; /* enum hs_collective */
extern const struct hs_option_type hs_option_layout;     /* enum hs_layout */
extern const struct hs_option_type hs_option_algorithms; /* unsigned: hs_algorithms_parse */

/* Types of elements, reductions, collectives, orders, algorithms (and "all"), strategies. All end
 * with a NULL; all but the last are the calling thread's. */
const char *const *hs_datatype_words(void);
const char *const *hs_measured_datatype_words(void);
const char *const *hs_operation_words(void);
const char *const *hs_collective_words(void);
const char *const *hs_layout_words(void);
const char *const *hs_algorithm_words(void);
const char *const *hs_strategy_words(void);
/* Formats of what is printed, and when there are colors (base/format.h). */
const char *const *hs_format_words(void);
const char *const *hs_color_words(void);

/* HS_INVALID where an order is given that the collective has not. */
enum hs_status hs_layout_check(enum hs_collective collective, enum hs_layout layout,
                               struct hs_error *err);
/* A mesh as typed: --mesh and --group. */
struct hs_mesh_words {
    const char *mesh, *group; /* NULL: not given */
    bool placed;              /* the command takes a mesh by itself */
};
/* What --mesh and --group say, and `np` where it is 0; none where neither is given. HS_INVALID:
 * one of them is missing, or another number of processes is asked for than the mesh has. */
enum hs_status hs_mesh_take(struct hs_mesh *mesh, int64_t *np, const struct hs_mesh_words *words,
                            struct hs_error *err);
/* bool. `mark` is the letter, or 0. */
#define HS_ROW_FLAG(title, mark, heading, place, text)                                             \
    {                                                                                              \
        .name = (title), .letter = (mark), .group = (heading), .type = &hs_option_flag,            \
        .offset = (place), .help = (text)                                                          \
    }

/* const char *: a file. */
#define HS_ROW_FILE(title, mark, heading, place, must, text)                                       \
    {                                                                                              \
        .name = (title), .letter = (mark), .argument = "FILE", .group = (heading),                 \
        .required = (must), .type = &hs_option_file, .offset = (place), .help = (text)             \
    }

/* struct hs_count_list: numbers of GPUs; empty: not given. */
#define HS_ROW_GPUS(heading, place, aside)                                                         \
    {                                                                                              \
        .name = "gpus", .argument = "LIST", .group = (heading), .max = HS_LINKS_UNITS - 1,         \
        .noun = "number of a GPU", .type = &hs_option_count_list, .offset = (place),               \
        .help = "which GPUs of each node the job got, such as 0,1,4,6 or 0-3,6, where single "     \
                "links join them (" aside ")"                                                      \
    }

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

/* enum hs_datatype; float, bf16 and their like are understood. `list`: those that are priced, or
 * those that can be measured. */
#define HS_ROW_DATATYPE(heading, place, list)                                                      \
    {                                                                                              \
        .name = "dtype", .argument = "TYPE", .type = &hs_option_datatype, .group = (heading),      \
        .offset = (place), .fallback = "float32", .words = (list), .help = "type of the elements"  \
    }
#define HS_ROW_OPERATION(heading, place)                                                           \
    {                                                                                              \
        .name = "op", .argument = "OP", .type = &hs_option_operation, .group = (heading),          \
        .offset = (place), .fallback = "sum", .words = hs_operation_words, .help = "reduction"     \
    }
#define HS_ROW_COLLECTIVE(heading, place, known)                                                   \
    {                                                                                              \
        .name = "collective", .argument = "NAME", .group = (heading), .fallback = "allreduce",     \
        .words = (known), .type = &hs_option_collective, .offset = (place),                        \
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
        .name = "group", .argument = "AXES", .group = (heading), .type = &hs_option_text,          \
        .offset = (place) + offsetof(struct hs_mesh_words, group),                                 \
        .help = "the axes of --mesh that a group spans, such as dp, or tp,dp: all such groups "    \
                "call at once"                                                                     \
    }
#define HS_ROW_LAYOUT(heading, place)                                                              \
    {                                                                                              \
        .name = "layout", .argument = "LAYOUT", .group = (heading), .fallback = "natural",         \
        .words = hs_layout_words, .type = &hs_option_layout, .offset = (place),                    \
        .help = "where a reduce-scatter's or an allgather's blocks lie: process r has block r "    \
                "(natural), or that of r's digits the other way round (reversed), which moves "    \
                "less over slow links and costs nothing where the caller lays them out like "      \
                "this; or block r that way, too, by a copy (packed)"                               \
    }
/* double: a time above 0. */
#define HS_ROW_SECONDS(title, usual, heading, place, text)                                         \
    {                                                                                              \
        .name = (title), .argument = "TIME", .type = &hs_option_seconds, .group = (heading),       \
        .offset = (place), .fallback = (usual), .help = (text)                                     \
    }
/* int64_t: how many there are of `counted`, at least `least`, at most `most`. */
#define HS_ROW_COUNT(title, counted, least, most, usual, heading, place, text)                     \
    {                                                                                              \
        .name = (title), .argument = "N", .type = &hs_option_count, .group = (heading),            \
        .noun = "number of " counted, .min = (least), .max = (most), .offset = (place),            \
        .fallback = (usual), .help = (text)                                                        \
    }
/* Rows of struct hs_print (base/format.h): the format; how text looks; both. */
#define HS_ROW_FORMAT(heading, place)                                                              \
    {                                                                                              \
        .name = "format", .argument = "FORMAT", .group = (heading), .words = hs_format_words,      \
        .type = &hs_option_word, .offset = (place) + offsetof(struct hs_print, format),            \
        .help = "text (unless given) or Markdown for people, or the tables for programs"           \
    }
#define HS_ROWS_LOOK(heading, place)                                                               \
    {.name = "color",                                                                              \
     .argument = "WHEN",                                                                           \
     .group = (heading),                                                                           \
     .words = hs_color_words,                                                                      \
     .type = &hs_option_word,                                                                      \
     .offset = (place) + offsetof(struct hs_print, color),                                         \
     .help = "colors; auto is on terminals, unless NO_COLOR is set"},                              \
        HS_ROW_COUNT("width", "columns", HS_TERMINAL_WIDTH_MIN, HS_TERMINAL_WIDTH_MAX, NULL,       \
                     heading, (place) + offsetof(struct hs_print, width),                          \
                     "text as on a terminal of so many columns")
#define HS_ROWS_SHOWN(heading, place) HS_ROW_FORMAT(heading, place), HS_ROWS_LOOK(heading, place)
#endif
