/*
 * layer_timer.h - times one phase of one layer: what a calibration and the lazy plan measure, since
 * a few layers price every split.
 *
 * A sample is taken as in driver.h: barrier, clock, run_layer, clock, maximum over ranks; with a
 * virtual clock it is the device's seconds. Each measurement makes warm-up runs and then samples
 * until the 95 % interval of the median is precise enough, there are max_samples, or its time is
 * over. A layer that fails or is given up by the backend is reported and the timer can be used
 * again; one that hangs for good ends the job through the guard (guard.h).
 *
 *     struct hs_layer_timer timer = {.backend = ..., .config = ..., .guard = ..., ...};
 *     hs_layer_timer_open(&timer, err);
 *     hs_layer_timer_measure(&timer, layer, HS_REDUCE_SCATTER, count, &time, err);
 *     hs_layer_timer_close(&timer);
 *
 * All functions are collective over config.world unless marked local.
 */
#ifndef HS_RUNNER_LAYER_TIMER_H
#define HS_RUNNER_LAYER_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/split.h"
#include "runner/backend.h"
#include "runner/contest.h"
#include "runner/guard.h"
#include "runner/stopwatch.h"

/* When a measurement has enough samples. */
struct hs_layer_rules {
    int warmup_runs;       /* not counted */
    double precision;      /* half width of the 95 % interval over the median */
    size_t min_samples;    /* >= 1; before precision counts */
    size_t max_samples;    /* >= min_samples */
    double budget_seconds; /* of one measurement, warm-up included; one sample is taken always */
};

struct hs_layer_timer {
    /* In, the same on all ranks; rules may be changed between measurements. */
    const struct hs_backend *backend;
    struct hs_backend_config config; /* count: the most elements that will enter a layer */
    struct hs_guard *guard;
    double timeout_seconds; /* of one run */
    struct hs_layer_rules rules;

    /* Out, after open. */
    char device[HS_DEVICE_TEXT]; /* what this rank's backend says of itself; "": nothing */
    struct hs_stopwatch watch;   /* rank, np, idle; hs_stopwatch_elapsed: seconds since open */
    uint64_t memory_bytes;       /* most that a rank's backend holds, after the last measurement */

    struct hs_samples samples; /* of the last measurement, maxima over ranks; the same on all */
    struct hs_samples own;     /* this rank's of the same runs */
};

/* What came of one measurement. Start with {0}, may be used again and again; release it at the end.
 */
struct hs_layer_time {
    struct hs_layer layer;
    enum hs_phase phase;
    size_t count;   /* elements entering, as asked for */
    size_t samples; /* taken; 0 where it failed before the first */
    double seconds; /* median over samples of the maximum over ranks; NaN without samples */
    /* relative standard error of that median (hs_median_noise); NaN without samples */
    double noise;
    double scatter; /* relative standard deviation of one sample (hs_sample_scatter); NaN without */
    double cost_seconds;          /* all the time it took; on this rank */
    bool failed, timed_out;       /* a run failed; what was sampled before still counts */
    char reason[HS_REASON_BYTES]; /* of the failure; "": none */
    /* [np] owned; rank 0 only, NULL elsewhere and where it failed: each rank's own median, from
     * which a straggler is told (a group is as slow as its slowest rank). */
    double *rank_seconds;
};

/* Opens the backend. On failure, on all ranks alike, the timer holds nothing. */
enum hs_status hs_layer_timer_open(struct hs_layer_timer *timer, struct hs_error *err);

/* One measurement; `count` elements enter the phase's larger side (as run_layer's). `out` is the
 * same on all ranks but for rank_seconds. A layer that cannot be run is HS_OK with out->failed;
 * what is returned is the end of the timer (close it): HS_MEMORY, or a backend that could not mend
 * itself. */
enum hs_status hs_layer_timer_measure(struct hs_layer_timer *timer, struct hs_layer layer,
                                      enum hs_phase phase, size_t count, struct hs_layer_time *out,
                                      struct hs_error *err);

/* {0} and a timer that was not opened are allowed. */
void hs_layer_timer_close(struct hs_layer_timer *timer);

/* Local; {0} is allowed. */
void hs_layer_time_release(struct hs_layer_time *time);

/* Local, pure. Relative standard error of the median of count >= 1 samples > 0, robust to outliers:
 * half of the 95 % order-statistic interval over 1.96; below 6 samples, which have no such
 * interval, from the range; of a single sample 25 %. Finite always. */
double hs_median_noise(const double *values, size_t count);
/* Local, pure. Relative standard deviation of one sample, from the median absolute deviation; 0
 * below 2 samples. */
double hs_sample_scatter(const double *values, size_t count);

#endif
