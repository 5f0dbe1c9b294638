/*
 * stopwatch.h - one timed run on all ranks: barrier, clock, run, clock, maximum over ranks. What
 * the driver and the layer timer have in common.
 */
#ifndef HS_RUNNER_STOPWATCH_H
#define HS_RUNNER_STOPWATCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "runner/backend.h"
#include "runner/contest.h"
#include "runner/guard.h"
#include "runner/idle.h"

struct hs_stopwatch {
    const struct hs_backend *backend;
    void *state; /* the backend's; NULL: not open */
    struct hs_guard *guard;
    MPI_Comm world;
    struct hs_idle idle;
    int rank, np;
    double begin_seconds, virtual_seconds, timeout_seconds;
};

/* What all ranks know after a run. */
struct hs_lap {
    double seconds, device_seconds; /* largest over ranks; device NaN: no such clock */
    double own_seconds;             /* of this rank, by the clock that `seconds` is of */
    bool failed;
    char reason[HS_REASON_BYTES]; /* of the lowest rank that failed */
};

/* Collective over config->world: the clock starts and the backend is opened, with the guard told.
 * Backends give up what takes longer than timeout_seconds (which becomes config's). On failure, on
 * all ranks alike, nothing is held. */
enum hs_status hs_stopwatch_open(struct hs_stopwatch *watch, const struct hs_backend *backend,
                                 struct hs_backend_config *config, struct hs_guard *guard,
                                 double timeout_seconds, struct hs_error *err);
/* Collective. A watch that was not opened is allowed. */
void hs_stopwatch_close(struct hs_stopwatch *watch);

/* Local. What the guard is to expect of one run: a backend that recovers gives up by itself after
 * the timeout, and has time to do so. */
double hs_stopwatch_limit(const struct hs_stopwatch *watch);

/* Local. Seconds since then, as long as runs took where the backend's clock is virtual. */
double hs_stopwatch_elapsed(const struct hs_stopwatch *watch);

/* Collective. All ranks begin a run together; what it returns is given to stop. */
double hs_stopwatch_start(struct hs_stopwatch *watch);
/* Collective. After the run, of which `status` and `error` tell how it went on this rank. */
struct hs_lap hs_stopwatch_stop(struct hs_stopwatch *watch, double start, enum hs_status status,
                                const struct hs_error *error);

/* Collective. What went on without a clock: whether a rank failed, and why. */
struct hs_lap hs_stopwatch_agree(struct hs_stopwatch *watch, enum hs_status status,
                                 const struct hs_error *error);

/* Collective, waiting without keeping cores busy: `bytes` from rank `root`; the largest or the mean
 * over ranks of each of `values`, at most HS_STOPWATCH_VALUES. */
#define HS_STOPWATCH_VALUES (2 * HS_LAYERS_MAX + 4)
void hs_stopwatch_broadcast(struct hs_stopwatch *watch, void *data, int bytes, int root);
void hs_stopwatch_largest(struct hs_stopwatch *watch, double *values, int count);
void hs_stopwatch_average(struct hs_stopwatch *watch, double *values, int count);

#endif
