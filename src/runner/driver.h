/*
 * driver.h - runs a contest on a backend: the only place where plans are timed.
 *
 * Before each step rank 0 tells all ranks what to do (one broadcast of 16 bytes), afterwards one
 * small allreduce collects the times, the device's times and whether a rank failed; both wait
 * without keeping the cores busy where there are more ranks than cores. A sample is: barrier,
 * clock, run, clock, maximum over ranks. Where the backend has a virtual clock, a sample is its
 * device_seconds, and so is all time that passes here: such a run comes out the same on every
 * machine.
 */
#ifndef HS_RUNNER_DRIVER_H
#define HS_RUNNER_DRIVER_H

#include <mpi.h>
#include <stdint.h>

#include "base/error.h"
#include "runner/backend.h"
#include "runner/contest.h"
#include "runner/guard.h"
#include "runner/idle.h"

struct hs_driver {
    const struct hs_backend *backend;
    struct hs_backend_config config; /* world: rank 0 is where the contest is decided */
    struct hs_contest *contest;      /* the same plans and baselines on all ranks */
    struct hs_guard *guard;
    int warmup_runs;        /* not counted, before a contestant's first sample */
    double timeout_seconds; /* of one run */
    /* Rank 0, with the guard's lock held, no MPI in it: after each step (contestant `index` has
     * changed). */
    void (*on_step)(void *context, const struct hs_step *step, double elapsed_seconds);
    void *context;
    /* Out, the same on all ranks: most that a rank's backend held, and the largest count of
     * elements that travelled for any plan. */
    uint64_t memory_bytes, padded_count;
    char device[HS_DEVICE_TEXT]; /* out: what this rank's backend says of itself; "": nothing */
};

/* Collective over config.world. Opens the backend, runs the contest to its end, closes. A
 * contestant that fails ends with a fault and the others go on; HS_MEMORY and what the backend's
 * open says end the run, on all ranks alike. */
enum hs_status hs_driver_run(struct hs_driver *driver, struct hs_error *err);

#endif
