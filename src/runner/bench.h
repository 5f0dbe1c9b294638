/*
 * bench.h - an engine with buffers, a pattern to be reduced, gathered or exchanged and checked, and
 * clocks: the only place where anything is timed.
 *
 * All groups of a mesh call at once, so a sample is the time of the slowest; each group's pattern
 * is of elements with other numbers, so that what one has of another is found.
 *
 * A sample is: barrier, clock, run, clock, maximum over ranks. Where the engine can hold runs, it
 * is the device's time of one of several that began when all were issued, and the time by the clock
 * is told beside it. Where the backend has a virtual clock, a sample is its device_seconds, and so
 * is all time that passes here: such a run comes out the same on every machine. Before each run the
 * guard is told what it is and how long it may take.
 *
 * All functions are collective unless marked local.
 */
#ifndef HS_RUNNER_BENCH_H
#define HS_RUNNER_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"
#include "runner/null.h"
#include "runner/pattern_memory.h"
#include "runner/ranks.h"
#include "runner/step.h"

struct hs_bench_config {
    const struct hs_backend *backend;
    const struct hs_memory *memory; /* where messages lie; NULL: the backend's own, or the host's */
    enum hs_datatype datatype;
    enum hs_operation operation;
    struct hs_group group;            /* whose plans and natives they are; ranks 0: all are one */
    size_t count;                     /* most elements of a message or entering a stage, >= 1 */
    double timeout_seconds;           /* of one run; 0: never */
    bool registered;                  /* as in hs_engine_config */
    size_t segment_bytes;             /* as in hs_engine_config */
    int segments_in_flight;           /* likewise */
    const struct hs_forests *forests; /* as in hs_engine_config */
    const struct hs_play *play;       /* of the null backend, which outlives the bench */
};

struct hs_bench {
    struct hs_bench_config config;
    struct hs_ranks *ranks; /* the caller's */
    struct hs_guard *guard; /* the caller's; NULL: nobody watches */
    void *engine;           /* NULL: not open */
    const struct hs_memory *memory;
    struct hs_queue *queue;
    struct hs_pattern pattern; /* of the ranks of a group, by their places; this one's is there */
    size_t begins;             /* number of the first element of this rank's group */
    void *input, *output;
    size_t room; /* elements of both: count and any padding; zeros beyond count */
    size_t kept; /* of them are really there: all, or few where a machine is played */
    double begin_seconds, virtual_seconds;
};

/* Opens the backend for the ranks and makes the buffers; the input holds the pattern. On failure,
 * on all ranks alike, nothing is held. */
enum hs_status hs_bench_open(struct hs_bench *bench, const struct hs_bench_config *config,
                             struct hs_ranks *ranks, struct hs_guard *guard, struct hs_error *err);
/* {0} and a bench that was not opened are allowed. */
void hs_bench_close(struct hs_bench *bench);

/* Takes a step. What cannot be run is HS_OK with outcome->failed; what is returned is the end of
 * the bench: HS_MEMORY, or a backend that could not mend itself. */
enum hs_status hs_bench_step(struct hs_bench *bench, const struct hs_step *step,
                             struct hs_step_outcome *outcome, struct hs_error *err);

/* Local. Seconds since it was opened, as long as runs took where the clock is virtual. */
double hs_bench_elapsed(const struct hs_bench *bench);
/* Local. Elements of a line of the backend's, as in hs_work. */
size_t hs_backend_line(const struct hs_backend *backend, enum hs_datatype datatype);
/* Local. Bytes held: buffers and the engine's scratch. */
size_t hs_bench_bytes(const struct hs_bench *bench);
/* Local. What the engine says of itself; "": nothing. */
void hs_bench_describe(const struct hs_bench *bench, char text[HS_DEVICE_TEXT]);

/* Parts of a step. The status is this rank's own. */
enum hs_status hs_bench_prepare(struct hs_bench *bench, const struct hs_task *task,
                                struct hs_error *err);
/* To its end. */
enum hs_status hs_bench_run(struct hs_bench *bench, const struct hs_task *task, bool timed,
                            struct hs_error *err);
/* Local. Fills the output with a value that is wrong everywhere, and puts there what the task reads
 * from it: where a call begins with a rank's block, that. The input is made what the task's
 * collective adds or carries. What fails leaves it wrong. */
void hs_bench_spoil(struct hs_bench *bench, const struct hs_task *task);
/* Local. Elements of this rank's output, what the message is padded with apart, that are not as the
 * collective has them: in its own block or in all (enum hs_outcome). All of them where they cannot
 * be counted. The output was spoiled before the run. */
uint64_t hs_bench_wrong(struct hs_bench *bench, const struct hs_task *task);

#endif
