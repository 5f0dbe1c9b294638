/*
 * log_parts.h - what readers of logs add to. Internal to result.
 */
#ifndef HS_RESULT_LOG_PARTS_H
#define HS_RESULT_LOG_PARTS_H

#include "record/log.h"

#define HS_LOG_HOST_BYTES 256

/* A log being read. */
struct hs_log_reader {
    struct hs_log log;
    const char *name;
    size_t run_capacity, point_capacity, host_capacity, note_count;
    char (*hosts)[HS_LOG_HOST_BYTES]; /* [host_count] owned: of the last run, each once */
    size_t host_count;
    bool other_call;               /* the last run is of a collective that has no name here, */
    char other[HS_LOG_CALL_BYTES]; /* but this one; "": its times do not count */
    struct hs_result *result;      /* where what is none goes; NULL: nowhere */
    bool is_result;
    bool takes_any;        /* other collectives' times, or NCCL's lines, are enough */
    enum hs_status status; /* HS_OK so far; after HS_MEMORY nothing is added */
    struct hs_error *err;
};

/* Begins a run, unless the last one has no points yet: then that is it, emptied. NULL: no memory.
 */
struct hs_log_run *hs_log_begin(struct hs_log_reader *reader);
/* Of the last run, which there is: this rank, on this host; rank -1: one more. */
void hs_log_add_rank(struct hs_log_reader *reader, int64_t rank, const char *host);
/* Of the last run: a time, or a note where it is none or `wrong` elements were. */
void hs_log_add(struct hs_log_reader *reader, size_t line, struct hs_log_point point, double wrong);
/* Names the last run's call: "all_reduce_perf", "Allreduce", by the letters alone. Of another
 * collective no points are kept, which is noted. */
void hs_log_name_call(struct hs_log_reader *reader, const char *program, size_t line);

/* The JSON of nccl-tests, or the reader's result. HS_INVALID: another JSON, with the place. */
enum hs_status hs_log_parse_json(struct hs_log_reader *reader, const char *text, size_t length);

#endif
