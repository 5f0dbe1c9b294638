/* layer_timer.c - see layer_timer.h. */
#include "runner/layer_timer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "runner/check.h"
#include "runner/layer_comms.h"

#define NORMAL_95    1.959964
#define MEDIAN_ERROR 1.2533 /* of the mean's standard error, for normal samples: sqrt(pi / 2) */
#define MAD_SIGMA    1.4826 /* of the median absolute deviation */
#define SINGLE_NOISE 0.25   /* of one sample, of which nothing is known */

/* Mean range of n = 2 .. 5 normal samples, in standard deviations (Tippett's d2). */
static const double mean_ranges[] = {1.128, 1.693, 2.059, 2.326};

double hs_median_noise(const double *values, size_t count)
{
    struct hs_summary summary;
    struct hs_error ignored;

    if (count < 2 || hs_summarise(&summary, values, count, &ignored) != HS_OK)
        return SINGLE_NOISE;
    if (summary.ci_valid)
        return (summary.ci_high - summary.ci_low) / 2 / NORMAL_95 / summary.median;
    return MEDIAN_ERROR * (summary.max - summary.min) / mean_ranges[count - 2] /
           sqrt((double)count) / summary.median;
}

double hs_sample_scatter(const double *values, size_t count)
{
    struct hs_samples list = {0};
    struct hs_error ignored;
    double median, scatter;

    for (size_t i = 0; i < count; i++)
        if (hs_samples_add(&list, values[i], &ignored) != HS_OK)
            break;
    median = hs_samples_median(&list);
    for (size_t i = 0; i < list.count; i++)
        list.values[i] = fabs(list.values[i] - median);
    scatter = list.count >= 2 ? MAD_SIGMA * hs_samples_median(&list) / median : 0;
    free(list.values);
    return scatter;
}

/* ---- opening ------------------------------------------------------------------------------- */

enum hs_status hs_layer_timer_open(struct hs_layer_timer *timer, struct hs_error *err)
{
    enum hs_status status = hs_stopwatch_open(&timer->watch, timer->backend, &timer->config,
                                              timer->guard, timer->timeout_seconds, err);

    if (status == HS_OK && timer->backend->describe)
        timer->backend->describe(timer->watch.state, timer->device, sizeof(timer->device));
    return status;
}

void hs_layer_timer_close(struct hs_layer_timer *timer)
{
    hs_stopwatch_close(&timer->watch);
    free(timer->samples.values);
    free(timer->own.values);
    timer->samples = timer->own = (struct hs_samples){0};
}

void hs_layer_time_release(struct hs_layer_time *time)
{
    free(time->rank_seconds);
    *time = (struct hs_layer_time){0};
}

/* ---- one measurement ----------------------------------------------------------------------- */

static struct hs_lap timed_run(struct hs_layer_timer *timer, const struct hs_layer_time *asked)
{
    struct hs_stopwatch *watch = &timer->watch;
    char what[HS_GUARD_WHAT];
    struct hs_error error = {0};
    enum hs_status status;
    double start;

    snprintf(what, sizeof(what), "timing the %s of size %" PRId64 " at stride %" PRId64,
             hs_phase_names[asked->phase], asked->layer.size, asked->layer.stride);
    hs_guard_expect(timer->guard, what, HS_GUARD_NOBODY, hs_stopwatch_limit(watch));
    start = hs_stopwatch_start(watch);
    status =
        timer->backend->run_layer(watch->state, asked->layer, asked->phase, asked->count, &error);
    return hs_stopwatch_stop(watch, start, status, &error);
}

/* Rank 0 decides, by its clock. */
static bool wants_more(const struct hs_layer_timer *timer, double begin_seconds)
{
    const struct hs_layer_rules *rules = &timer->rules;
    struct hs_summary summary;
    struct hs_error ignored;

    if (timer->samples.count >= rules->max_samples ||
        hs_stopwatch_elapsed(&timer->watch) - begin_seconds >= rules->budget_seconds)
        return false;
    if (timer->samples.count < rules->min_samples)
        return true;
    return hs_summarise(&summary, timer->samples.values, timer->samples.count, &ignored) == HS_OK &&
           hs_summary_precision(&summary) > rules->precision;
}

/* Warm-up and samples; the last lap is in *lap. Out of memory is this rank's own until all are
 * done. */
static enum hs_status take_samples(struct hs_layer_timer *timer, struct hs_lap *lap,
                                   const struct hs_layer_time *asked, double begin_seconds,
                                   struct hs_error *err)
{
    enum hs_status status = HS_OK;
    int32_t more = 1;

    for (int i = 0; i < timer->rules.warmup_runs; i++) {
        *lap = timed_run(timer, asked);
        if (lap->failed)
            return HS_OK;
    }
    while (more) {
        *lap = timed_run(timer, asked);
        if (lap->failed)
            break;
        if (status == HS_OK)
            status = hs_samples_add(&timer->samples, lap->seconds, err);
        if (status == HS_OK)
            status = hs_samples_add(&timer->own, lap->own_seconds, err);
        more = status == HS_OK && wants_more(timer, begin_seconds);
        hs_stopwatch_broadcast(&timer->watch, &more, sizeof(more), 0);
    }
    return status;
}

/* What hangs is given up; where the backend cannot mend itself it is left as it is, as after a
 * plan's failure. */
static enum hs_status mend(struct hs_layer_timer *timer, struct hs_layer_time *out,
                           const struct hs_lap *lap, struct hs_error *err)
{
    out->failed = true;
    memcpy(out->reason, lap->reason, sizeof(out->reason));
    if (!timer->backend->recover)
        return HS_OK;
    hs_guard_expect(timer->guard, "recovering from a layer", HS_GUARD_NOBODY,
                    hs_stopwatch_limit(&timer->watch));
    return timer->backend->recover(timer->watch.state, &out->timed_out, err);
}

/* The ranks' medians on rank 0. */
static enum hs_status gather(struct hs_layer_timer *timer, struct hs_layer_time *out,
                             struct hs_error *err)
{
    struct hs_stopwatch *watch = &timer->watch;
    double mine = hs_samples_median(&timer->own);
    double *all = watch->rank == 0 ? calloc((size_t)watch->np, sizeof(*all)) : NULL;
    enum hs_status status = HS_OK;
    MPI_Request request;

    out->rank_seconds = all;
    if (watch->rank == 0 && !all)
        status = hs_fail(err, HS_MEMORY, "out of memory");
    status = hs_agree(watch->world, &watch->idle, status, err);
    if (status != HS_OK)
        return status;
    CHECK_MPI(MPI_Igather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, watch->world, &request));
    hs_idle_wait(&watch->idle, &request);
    return HS_OK;
}

static void summarise(struct hs_layer_timer *timer, struct hs_layer_time *out)
{
    const struct hs_samples *samples = &timer->samples;

    out->samples = samples->count;
    out->seconds = out->noise = out->scatter = NAN;
    if (samples->count == 0)
        return;
    out->seconds = hs_samples_median(samples);
    out->noise = hs_median_noise(samples->values, samples->count);
    out->scatter = hs_sample_scatter(samples->values, samples->count);
}

enum hs_status hs_layer_timer_measure(struct hs_layer_timer *timer, struct hs_layer layer,
                                      enum hs_phase phase, size_t count, struct hs_layer_time *out,
                                      struct hs_error *err)
{
    struct hs_stopwatch *watch = &timer->watch;
    double begin = hs_stopwatch_elapsed(watch), bytes;
    struct hs_lap lap = {0};
    enum hs_status status;

    hs_layer_time_release(out);
    *out = (struct hs_layer_time){.layer = layer, .phase = phase, .count = count};
    timer->samples.count = timer->own.count = 0;
    status = take_samples(timer, &lap, out, begin, err);
    if (lap.failed && status == HS_OK)
        status = mend(timer, out, &lap, err);
    status = hs_agree(watch->world, &watch->idle, status, err);
    if (status != HS_OK)
        return status;
    summarise(timer, out);
    bytes = (double)timer->backend->memory_bytes(watch->state);
    hs_stopwatch_largest(watch, &bytes, 1);
    timer->memory_bytes = (uint64_t)bytes;
    if (!lap.failed)
        status = gather(timer, out, err);
    out->cost_seconds = hs_stopwatch_elapsed(watch) - begin;
    return status;
}
