/*
 * guard.h - the thread that ends a job which does not end by itself: on signals, when a step takes
 * too long, and when the launcher is gone.
 *
 * The guard is the only thread that signals reach. The program says before each step what it is
 * about to do and how long that may take. When a signal comes or the time is over, rank 0's guard
 * calls `on_end`, which writes what there is (the main thread may be stuck inside MPI, and stays
 * where it is), and ends the job: exit status 128 + signal, or 1. The other ranks' guards give rank
 * 0 HS_GUARD_GRACE_SECONDS to do so and then end their own process, so nobody is left behind when
 * rank 0 is dead.
 *
 * Data that `on_end` reads is changed by the main thread between hs_guard_lock and hs_guard_unlock
 * only. No MPI call may stand between them: a lock held by a thread that hangs would keep the guard
 * from writing.
 */
#ifndef HS_RUNNER_GUARD_H
#define HS_RUNNER_GUARD_H

#include <stddef.h>

#include "base/error.h"

/* A disk that many write to may need as long to take a file in for good. */
#define HS_GUARD_GRACE_SECONDS 15.0
#define HS_GUARD_NOBODY        ((size_t)-1)
#define HS_GUARD_WHAT          160

enum hs_guard_event {
    HS_GUARD_SIGNAL, /* SIGINT, SIGTERM or SIGHUP; those ignored when the program began stay ignored
                      */
    HS_GUARD_TIMEOUT, /* what was expected did not come in time */
    HS_GUARD_ORPHANED /* the launcher has died; only where np > 1 */
};

/* Why the job ends. */
struct hs_guard_end {
    enum hs_guard_event event;
    int signal;               /* of HS_GUARD_SIGNAL */
    char what[HS_GUARD_WHAT]; /* what was going on, "sampling 4x8x4" */
    size_t subject;           /* as given to hs_guard_expect */
    double limit_seconds;     /* the time it had */
    int exit_status;
};

#define HS_GUARD_END_TEXT (HS_GUARD_WHAT + 128)
/* "interrupted by SIGTERM while sampling 4x4": one line without a full stop. */
char *hs_guard_end_format(char text[HS_GUARD_END_TEXT], const struct hs_guard_end *end);

struct hs_guard;

/* Blocks the signals (so that threads that MPI makes do so too) and starts the thread. Call before
 * MPI_Init; until hs_guard_serve a signal just ends the process. HS_FAILED, HS_MEMORY. */
enum hs_status hs_guard_start(struct hs_guard **guard, struct hs_error *err);

/* From here on the job is ended through MPI_Abort. `on_end` is called at most once, on rank 0, in
 * the guard's thread, with the lock held (or given up after some seconds). May be called again with
 * other arguments. */
void hs_guard_serve(struct hs_guard *guard, int rank, int np,
                    void (*on_end)(void *context, const struct hs_guard_end *end), void *context);

/* What comes next has `seconds`, counted from now; it replaces what was expected before. Ranks
 * other than 0 get HS_GUARD_GRACE_SECONDS more. INFINITY: as long as it takes. */
void hs_guard_expect(struct hs_guard *guard, const char *what, size_t subject, double seconds);
void hs_guard_lock(struct hs_guard *guard);
void hs_guard_unlock(struct hs_guard *guard);

/* All is written: what follows (MPI_Finalize) has some seconds, then the process ends with
 * `exit_status` and without a word. Rank 0 calls this with the lock held, in which it wrote: a
 * signal in between must not write a second, partial result over the whole one. */
void hs_guard_finishing(struct hs_guard *guard, int exit_status);

/* Ends the thread and frees; NULL is accepted. Signals stay blocked. */
void hs_guard_stop(struct hs_guard *guard);

#endif
