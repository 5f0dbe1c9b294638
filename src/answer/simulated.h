/*
 * simulated.h - plans in a simulated network, beside their predictions: which, what SimGrid is
 * given of them, and how the answer is shown. cli/simulate_run.c runs it.
 */
#ifndef HS_API_SIMULATED_H
#define HS_API_SIMULATED_H

#include "answer/rows.h"
#include "export/export.h"
#include "record/result.h"

/* The largest simulation: plans, processes, and bytes per process. */
#define HS_SIMULATE_PLANS_MAX 4096
#define HS_SIMULATE_NP_MAX    16384
#define HS_SIMULATE_BYTES_MAX ((uint64_t)1 << 36)

/* What hiersearch-simulate reads and writes, and what SimGrid reads. */
#define HS_SIMULATED_RESULT   "result.json"
#define HS_SIMULATED_PLATFORM "platform.xml"
#define HS_SIMULATED_HOSTS    "hostfile"
#define HS_SIMULATED_SCRIPT   "simulate.sh"
#define HS_SIMULATED_PROGRAM  "hiersearch-simulate"

struct hs_simulated_settings {
    struct hs_argument_list plans; /* as typed; empty: the best of the prediction */
    int64_t np;                    /* 0: not given, the mesh says it, or the GPUs */
    struct hs_count_list gpus;     /* of each node; empty: all, or the first */
    struct hs_range bytes;         /* one value */
    enum hs_collective collective;
    enum hs_layout layout;
    struct hs_mesh_words words;
    struct hs_mesh mesh; /* what they say */
    int64_t top;         /* 0: not given */
    bool all;
    struct hs_count_list chunks; /* empty: not given */
    struct hs_print print;
};

/* Rows of it, but for those of its plans and print. */
#define HS_ROWS_SIMULATED(at)                                                                      \
    {.name = "np",                                                                                 \
     .letter = 'n',                                                                                \
     .argument = "P",                                                                              \
     .group = "Problem",                                                                           \
     .min = 2,                                                                                     \
     .max = HS_SIMULATE_NP_MAX,                                                                    \
     .noun = "number of processes",                                                                \
     .type = &hs_option_count,                                                                     \
     .offset = (at) + offsetof(struct hs_simulated_settings, np),                                  \
     .usual = true,                                                                                \
     .help = "processes (one per GPU); --mesh says it, too"},                                      \
        {.name = "size",                                                                           \
         .letter = 's',                                                                            \
         .argument = "SIZE",                                                                       \
         .group = "Problem",                                                                       \
         .fallback = "128MiB",                                                                     \
         .type = &hs_option_bytes_range,                                                           \
         .offset = (at) + offsetof(struct hs_simulated_settings, bytes),                           \
         .help = "message per process"},                                                           \
        HS_ROW_GPUS("Problem", (at) + offsetof(struct hs_simulated_settings, gpus),                \
                    "default: the first"),                                                         \
        HS_ROW_COLLECTIVE("Problem", (at) + offsetof(struct hs_simulated_settings, collective),    \
                          hs_collective_words),                                                    \
        HS_ROW_LAYOUT("Problem", (at) + offsetof(struct hs_simulated_settings, layout)),           \
        HS_ROWS_MESH("Problem", (at) + offsetof(struct hs_simulated_settings, words)),             \
        {.name = "top",                                                                            \
         .letter = 'k',                                                                            \
         .argument = "K",                                                                          \
         .group = "Plans",                                                                         \
         .min = 1,                                                                                 \
         .max = HS_SIMULATE_PLANS_MAX,                                                             \
         .noun = "number of plans",                                                                \
         .type = &hs_option_count,                                                                 \
         .offset = (at) + offsetof(struct hs_simulated_settings, top),                             \
         .help = "without PLAN: the K plans with the shortest predicted time, and the flat split " \
                 "(default 5)"},                                                                   \
        {.name = "all",                                                                            \
         .letter = 'a',                                                                            \
         .group = "Plans",                                                                         \
         .type = &hs_option_flag,                                                                  \
         .offset = (at) + offsetof(struct hs_simulated_settings, all),                             \
         .help = "without PLAN: every plan"},                                                      \
        HS_ROW_CHUNKS("Plans", (at) + offsetof(struct hs_simulated_settings, chunks),              \
                      "without PLAN: chunk counts, such as 1,2,4,8 (default 1)")

/* What goes together, and the process count, which a mesh says, too. HS_INVALID. */
enum hs_status hs_simulated_take(struct hs_simulated_settings *settings, struct hs_error *err);

/* A result of the system, whose parts are dropped (the host backend's rings are what is simulated),
 * with one message: its plans, predicted and ranked: those typed; or all; or the K with the
 * shortest predicted time, and the flat split. HS_INVALID: a plan's text is wrong or there twice,
 * or there are more than HS_SIMULATE_PLANS_MAX; HS_MEMORY. Release in any case. */
enum hs_status hs_simulated_choose(struct hs_result *result, struct hs_system *system,
                                   const struct hs_simulated_settings *settings,
                                   const char *command, struct hs_error *err);
/* The files of a simulation: that result, a script with the command, and SimGrid's platform and
 * hosts, those that `hiersearch export --to simgrid` writes. Release in any case. */
enum hs_status hs_simulated_files(struct hs_export_output *files, const struct hs_result *result,
                                  struct hs_error *err);
/* Appends the command line, but for the path of hiersearch-simulate and its file, that puts times
 * into the result in a folder that has these files. */
void hs_simulated_command(struct hs_text *line, const struct hs_result *result);

/* What the library's "simulate" is asked, which has no arguments. */
struct hs_simulated_question {
    struct hs_simulated_settings settings;
    const char *plans; /* with commas between; NULL: none */
};

#endif
