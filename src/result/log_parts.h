/*
 * log_parts.h - what readers of logs add to. Internal to result.
 */
#ifndef HS_RESULT_LOG_PARTS_H
#define HS_RESULT_LOG_PARTS_H

#include "result/log.h"

#define HS_LOG_HOST_BYTES 256 /* of a host's name; what is longer is cut */

/* A log being read. */
struct hs_log_reader {
    struct hs_log log;
    const char *name;
    char (*hosts)[HS_LOG_HOST_BYTES]; /* [host_count] of the last run, each once; owned */
    size_t host_count, host_capacity, run_capacity, point_capacity, note_count;
    bool is_result;        /* of ours, and no log */
    enum hs_status status; /* HS_OK so far; after HS_MEMORY nothing is added */
    struct hs_error *err;
};

/* Begins a run, unless the last one has no points yet: then that is it, emptied. NULL: no memory.
 */
struct hs_log_run *hs_log_begin(struct hs_log_reader *reader);
/* A rank of the last run, which there is: one more, and its host one of the nodes. */
void hs_log_add_rank(struct hs_log_reader *reader, const char *host);
/* A time of the last run, whatever point.run says. One that is none, or came with `wrong` > 0
 * values, is left out and noted with `line`, of the text, or the number of the row. */
void hs_log_add(struct hs_log_reader *reader, size_t line, struct hs_log_point point, double wrong);
/* "all_reduce_perf", "Allreduce": by the letters alone. Leaves the run as it is where it is none.
 */
void hs_log_name_call(struct hs_log_run *run, const char *program);

/* The JSON of nccl-tests, or *result (may be NULL) where it has no args. HS_INVALID: it is another
 * JSON, with the place. */
enum hs_status hs_log_parse_json(struct hs_log_reader *reader, struct hs_result *result,
                                 const char *text, size_t length);

#endif
