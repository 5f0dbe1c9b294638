/*
 * calibrate.h - one run of `hiersearch calibrate` from settings to exit status, on all ranks.
 *
 * Rank 0 (of the ranks in their order by node) decides what is measured next, keeps the points, and
 * is the only one that touches files and prints. Order of things: where the ranks are, the
 * description, the backend, whether the output can be written, the plan; then the layers; then the
 * fit, the file on disk, and the tables. A run that is cut short writes what the points so far
 * allow, or leaves the old file alone.
 *
 * The plan is gone through in rounds, so that what drifts hits all layers alike and shows: a
 * point's noise is that of its median, and not less than its rounds differ. The first round takes
 * --min-samples of everything; later ones take more where the medians are not precise yet.
 */
#ifndef HS_MEASURE_CALIBRATE_H
#define HS_MEASURE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cmd_calibrate.h"
#include "measure/calibrate_plan.h"
#include "measure/progress.h"
#include "model/fit.h"
#include "model/system.h"
#include "runner/backend.h"
#include "runner/contest.h"
#include "runner/guard.h"
#include "runner/idle.h"
#include "runner/placement.h"
#include "runner/straggler.h"

/* What was measured of one task of the plan. */
struct hs_calibrate_pool {
    struct hs_samples seconds; /* of all rounds */
    struct hs_samples rounds;  /* median of each round */
};

struct hs_calibrate_run {
    struct hs_calibrate_settings settings;
    char created[HS_CLOCK_UTC];
    int rank, np; /* of order.ordered, once that is there */
    struct hs_guard *guard;
    struct hs_rank_order order;
    struct hs_idle idle;
    struct hs_system system; /* the description, then the calibrated one */
    struct hs_system played; /* what the null backend plays; {0} for others */
    const struct hs_backend *backend;
    const struct hs_memory *memory; /* where messages lie; NULL: host memory */
    char device[HS_DEVICE_TEXT];    /* what rank 0's backend runs on; "": nothing to say */
    struct hs_calibrate_plan plan;
    struct hs_progress progress;

    /* Rank 0's, changed with the guard's lock held. */
    struct hs_calibrate_pool *pools; /* [plan.count] owned */
    int64_t round;
    size_t next;                /* task of the round */
    size_t measured_tasks;      /* tasks with samples */
    struct hs_samples scatters; /* of measurements: relative standard deviation of one sample */
    struct hs_rank_times rank_times;
    struct hs_text failures; /* lines */
    size_t failure_count, runs;
    double seconds; /* that the measurements took */
    uint64_t memory_bytes;
};

/* Collective over MPI_COMM_WORLD, after MPI_Init; settings and guard are set, rank is that in
 * MPI_COMM_WORLD. On return everything is on disk and the guard is finishing. HS_INVALID: too few
 * points; HS_FAILED: no fit; HS_IO. */
enum hs_status hs_calibrate_run(struct hs_calibrate_run *run, struct hs_error *err);
/* Collective. */
void hs_calibrate_release(struct hs_calibrate_run *run);

#endif
