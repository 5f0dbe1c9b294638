/*
 * logs.h - logs of other programs among the inputs: what they leave out, and the options that say
 * that.
 */
#ifndef HS_API_LOGS_H
#define HS_API_LOGS_H

#include "answer/inputs.h"
#include "answer/rows.h"
#include "record/log_calls.h"

/* What a log may leave out, as options; 0, NULL: not given. */
struct hs_log_options {
    int64_t np, nodes;
    const char *call, *algorithm;
    bool may_lack_price; /* no option: of the command */
};

/* Adds the calls of all logs to the list, for a machine (NULL where they may lack a price).
 * HS_INVALID, HS_MEMORY. */
enum hs_status hs_logs_gather(struct hs_call_list *list, const struct hs_system *system,
                              const struct hs_inputs *inputs, const struct hs_log_options *options,
                              struct hs_error *err);

/* A note for each log that says other ranks or nodes than the options: its own count. */
void hs_logs_say_ignored(struct hs_text *notes, const struct hs_inputs *inputs,
                         const struct hs_log_options *options);

#define HS_LOG_OPTIONS "What a log may leave out"

/* Rows of struct hs_log_options. */
#define HS_ROWS_LOG(place)                                                                         \
    HS_ROW_COUNT("np", "ranks", 2, HS_NP_MAX, NULL, HS_LOG_OPTIONS,                                \
                 (place) + offsetof(struct hs_log_options, np),                                    \
                 "ranks, where a log does not say it"),                                            \
        HS_ROW_COUNT("nodes", "nodes", 1, HS_NP_MAX, NULL, HS_LOG_OPTIONS,                         \
                     (place) + offsetof(struct hs_log_options, nodes),                             \
                     "nodes, where a log does not say it"),                                        \
        {.name = "call",                                                                           \
         .argument = "NAME",                                                                       \
         .group = HS_LOG_OPTIONS,                                                                  \
         .type = &hs_option_text,                                                                  \
         .offset = (place) + offsetof(struct hs_log_options, call),                                \
         .help = "the collective, where a log does not say it: allreduce, allgather, "             \
                 "reducescatter, alltoall"},                                                       \
    {                                                                                              \
        .name = "algorithm", .argument = "NAME", .group = HS_LOG_OPTIONS, .type = &hs_option_text, \
        .offset = (place) + offsetof(struct hs_log_options, algorithm),                            \
        .help = "the algorithm, where it was forced: of NCCL Ring, Tree, NVLS, NVLSTree or PAT "   \
                "(NCCL_ALGO), of MPI ring, halving, doubling or tree"                              \
    }

#endif
