/*
 * log.h - times of a library's own collectives as other people's programs print them.
 *
 *     nccl-tests, rccl-tests   the text of any version, and the JSON of -J
 *     OSU micro-benchmarks     osu_allreduce, osu_allgather, osu_reduce_scatter, osu_alltoall, of
 *                              MPI and, as osu_xccl_allreduce, of NCCL and RCCL
 *     Intel's MPI benchmarks   IMB-MPI1 Allreduce, Allgather, Reduce_scatter, Alltoall
 *     CSV                      a heading with `bytes` and `seconds` (or `us`, `time_us`), and where
 *                              a file holds several runs `np`, `nodes`, `call`
 *
 * The kind is recognised by the content. A file may hold several runs, what launchers put before a
 * line ("[1,0]<stdout>:", " 0: ", a time) is passed over, and so is what others print in between. A
 * row that is cut short, was counted wrong, stands before its heading or has no number where a time
 * should be is left out and noted, and so are collectives that have no name here.
 *
 * (tests/record/logs has one of each; formats: nccl-tests 2.19.6 src/util.cu, OSU 7.4
 * c/mpi/collective, IMB 2021.7.)
 */
#ifndef HS_RESULT_LOG_H
#define HS_RESULT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "estimate/gpu_probe.h"
#include "record/nccl_info.h"
#include "record/result.h"
#include "system/library.h"

/* Whose collectives they are. */
enum hs_log_of { HS_LOG_OF_UNSAID, HS_LOG_OF_NCCL, HS_LOG_OF_RCCL, HS_LOG_OF_MPI };

/* How many ranks the ratio of busbw to algbw allows, by all rows of a run of nccl-tests: a busbw is
 * 2 (n - 1) / n algbw of an allreduce, (n - 1) / n of the others (nccl-tests doc/PERFORMANCE.md);
 * both are rounded. least > most: rows contradict each other. */
struct hs_log_ratio {
    double least, most; /* 0, 0: no row says it */
    size_t line;        /* of the row that allows the fewest numbers */
};

#define HS_LOG_GPU_BYTES  64
#define HS_LOG_CALL_BYTES 24

/* One run of one program. What it does not say is 0. */
struct hs_log_run {
    enum hs_library_call call;
    bool call_known;
    enum hs_log_of of;
    unsigned among;       /* what NCCL_ALGO left: bits 1 << enum hs_nccl_algorithm */
    bool per_rank;        /* bytes of its points are those of one rank: of an OSU allgather */
    int64_t ranks, nodes; /* nodes: hosts of its ranks */
    int64_t listed;       /* lines of its list of ranks; fewer than ranks: it was cut */
    struct hs_log_ratio ratio;
    int nccl_version;           /* as NCCL counts: 23003 is 2.30.3 */
    char gpu[HS_LOG_GPU_BYTES]; /* of its first rank, as its list names it; "" */
};

struct hs_log_point {
    size_t run;     /* index */
    uint64_t bytes; /* as its program says: see library.h, and per_rank */
    double seconds; /* > 0 */
    bool in_place;
};

/* A time of a collective that has no price and no name in library.h: "broadcast", "sendrecv". */
struct hs_log_other {
    char call[HS_LOG_CALL_BYTES]; /* letters alone, without "perf" */
    enum hs_log_of of;
    int64_t ranks, nodes; /* 0: not said */
    uint64_t bytes;
    double seconds; /* > 0 */
    bool in_place;
};

struct hs_log {
    struct hs_log_run *runs; /* [run_count] owned; each has points */
    size_t run_count;
    struct hs_log_point *points; /* [point_count] owned */
    size_t point_count;
    struct hs_log_other *others; /* [other_count] owned: left out of points, and noted */
    size_t other_count;
    struct hs_text notes;     /* what was left out, a line each, at most HS_LOG_NOTES_MAX */
    struct hs_nccl_info info; /* what NCCL prints of itself in between */
};

#define HS_LOG_NOTES_MAX 8

/* `name` is what messages call the text. What is empty, and JSON without the args of a program, is
 * no log and goes to *result, unless that is NULL; what does not come is {0}: a log has points, a
 * result np. HS_INVALID: nothing of the kind is in it, with the place of what comes nearest, or as
 * hs_result_parse; HS_MEMORY. */
enum hs_status hs_log_parse(struct hs_log *log, struct hs_result *result, const char *name,
                            const char *text, size_t length, struct hs_error *err);
/* Of a file, in UTF-8 or UTF-16, read once; "-" is stdin. The figures of a GPU go to *probe, unless
 * that is NULL. */
enum hs_status hs_log_load(struct hs_log *log, struct hs_result *result, struct hs_gpu_probe *probe,
                           const char *path, struct hs_error *err);
/* The same two, where times of other collectives, or NCCL's own lines, are enough. */
enum hs_status hs_log_parse_any(struct hs_log *log, struct hs_result *result, const char *name,
                                const char *text, size_t length, struct hs_error *err);
enum hs_status hs_log_load_any(struct hs_log *log, struct hs_result *result,
                               struct hs_gpu_probe *probe, const char *path, struct hs_error *err);
void hs_log_release(struct hs_log *log);

#endif
