/* driver.c - see driver.h. */
#include "runner/driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/check.h"
#include "runner/idle.h"
#include "runner/layer_comms.h"
#include "runner/stopwatch.h"

/* Rank 0 may have to wait for a busy disk, and the others for rank 0. No candidate is to blame. */
#define RECORD_SECONDS_MIN 120.0

/* One driver at work on this rank. */
struct work {
    struct hs_driver *driver;
    struct hs_stopwatch watch;
};

static uint64_t sum(struct work *work, uint64_t value)
{
    uint64_t total = 0;
    MPI_Request request;

    CHECK_MPI(
        MPI_Iallreduce(&value, &total, 1, MPI_UINT64_T, MPI_SUM, work->watch.world, &request));
    hs_idle_wait(&work->watch.idle, &request);
    return total;
}

static enum hs_status run_once(struct work *work, const struct hs_contestant *item,
                               struct hs_layer_times *times, struct hs_error *err)
{
    const struct hs_backend *backend = work->driver->backend;

    if (item->plan.split.count > 0)
        return backend->run(work->watch.state, &item->plan, times, err);
    return backend->baselines[item->baseline].run(work->watch.state, err);
}

/* One timed run. */
static struct hs_lap timed_run(struct work *work, const struct hs_contestant *item,
                               struct hs_layer_times *times)
{
    struct hs_error error = {0};
    double start = hs_stopwatch_start(&work->watch);
    enum hs_status status = run_once(work, item, times, &error);

    return hs_stopwatch_stop(&work->watch, start, status, &error);
}

static void expect(struct work *work, const char *doing, const struct hs_contestant *item)
{
    struct hs_driver *driver = work->driver;
    char what[HS_GUARD_WHAT];

    snprintf(what, sizeof(what), "%s %s", doing, item->name);
    hs_guard_expect(driver->guard, what, (size_t)(item - driver->contest->items),
                    hs_stopwatch_limit(&work->watch));
}

/* ---- steps --------------------------------------------------------------------------------- */

/* A fault is the same news on all ranks. Where the backend cannot mend itself that ends the run. */
static enum hs_status fault(struct work *work, size_t index, const char *reason,
                            struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    enum hs_status status = HS_OK;
    bool timed_out = false;

    if (driver->backend->recover) {
        expect(work, "recovering from", &driver->contest->items[index]);
        status = driver->backend->recover(work->watch.state, &timed_out, err);
    }
    hs_guard_lock(driver->guard);
    hs_contest_fault(driver->contest, index, timed_out ? HS_MEASURE_TIMEOUT : HS_MEASURE_FAILED,
                     reason);
    hs_guard_unlock(driver->guard);
    return status;
}

/* Communicators and scratch, then the runs that are not counted. */
static enum hs_status prepare(struct work *work, size_t index, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    struct hs_contestant *item = &driver->contest->items[index];
    double begin = hs_stopwatch_elapsed(&work->watch);
    struct hs_error error = {0};
    enum hs_status status = HS_OK;
    struct hs_lap lap;

    expect(work, "preparing", item);
    if (item->plan.split.count > 0)
        status = driver->backend->prepare(work->watch.state, &item->plan, &error);
    lap = hs_stopwatch_agree(&work->watch, status, &error);
    for (int i = 0; i < driver->warmup_runs && !lap.failed; i++) {
        expect(work, "warming up", item);
        lap = timed_run(work, item, NULL);
    }
    if (lap.failed)
        return fault(work, index, lap.reason, err);
    if (item->plan.split.count > 0) {
        size_t padded = driver->backend->padded_count(work->watch.state, &item->plan);

        if (padded > driver->padded_count)
            driver->padded_count = padded;
    }
    hs_guard_lock(driver->guard);
    hs_contest_prepared(driver->contest, index, hs_stopwatch_elapsed(&work->watch) - begin);
    hs_guard_unlock(driver->guard);
    return HS_OK;
}

static enum hs_status sample(struct work *work, const struct hs_step *step, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    struct hs_contestant *item = &driver->contest->items[step->contestant];
    double begin = hs_stopwatch_elapsed(&work->watch);
    enum hs_status status;
    struct hs_lap lap;
    uint64_t wrong = 0;

    expect(work, "sampling", item);
    if (step->verify)
        driver->backend->spoil(work->watch.state);
    lap = timed_run(work, item, NULL);
    if (lap.failed)
        return fault(work, step->contestant, lap.reason, err);
    if (step->verify)
        wrong = sum(work, driver->backend->wrong_elements(work->watch.state));
    if (work->watch.rank != 0) /* its contest decides */
        return HS_OK;
    hs_guard_lock(driver->guard);
    status = hs_contest_sampled(driver->contest, step, lap.seconds, lap.device_seconds, wrong,
                                hs_stopwatch_elapsed(&work->watch) - begin, err);
    hs_guard_unlock(driver->guard);
    return status;
}

static enum hs_status layers(struct work *work, size_t index, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    struct hs_layer_times times = {0};
    struct hs_lap lap;
    double phases[2 * HS_LAYERS_MAX];
    enum hs_status status;

    expect(work, "timing the layers of", &driver->contest->items[index]);
    lap = timed_run(work, &driver->contest->items[index], &times);
    if (lap.failed)
        return fault(work, index, lap.reason, err);
    memcpy(phases, times.reduce_scatter, sizeof(times.reduce_scatter));
    memcpy(phases + HS_LAYERS_MAX, times.allgather, sizeof(times.allgather));
    /* A rank that is early waits in its next phase, so what one rank is slow in shows up on all
     * ranks somewhere: means add up to the whole, maxima would count such time twice. */
    hs_stopwatch_average(&work->watch, phases, 2 * HS_LAYERS_MAX);
    if (work->watch.rank != 0)
        return HS_OK;
    hs_guard_lock(driver->guard);
    status = hs_contest_layered(driver->contest, index, phases, lap.seconds, err);
    hs_guard_unlock(driver->guard);
    return status;
}

static enum hs_status take(struct work *work, const struct hs_step *step, struct hs_error *err)
{
    switch (step->kind) {
    case HS_STEP_PREPARE:
        return prepare(work, step->contestant, err);
    case HS_STEP_SAMPLE:
        return sample(work, step, err);
    case HS_STEP_LAYERS:
        return layers(work, step->contestant, err);
    case HS_STEP_END:
        break;
    }
    return HS_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Rank 0's decision, on all ranks. Waiting for it has a limit too: rank 0 may be dead. */
static struct hs_step next_step(struct work *work, enum hs_status status)
{
    struct hs_driver *driver = work->driver;
    int32_t words[3] = {HS_STEP_END, 0, 0};

    hs_guard_expect(driver->guard, "between two steps", HS_GUARD_NOBODY,
                    fmax(RECORD_SECONDS_MIN, driver->timeout_seconds));
    if (work->watch.rank == 0 && status == HS_OK) {
        struct hs_step step;

        hs_guard_lock(driver->guard);
        step = hs_contest_next(driver->contest, hs_stopwatch_elapsed(&work->watch));
        hs_guard_unlock(driver->guard);
        words[0] = (int32_t)step.kind;
        words[1] = (int32_t)step.contestant;
        words[2] = step.verify;
    }
    hs_stopwatch_broadcast(&work->watch, words, sizeof(words), 0);
    return (struct hs_step){(enum hs_step_kind)words[0], (size_t)words[1], words[2] != 0};
}

static enum hs_status run_steps(struct work *work, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    enum hs_status status = HS_OK;

    for (;;) {
        struct hs_step step = next_step(work, status);

        if (step.kind == HS_STEP_END)
            break;
        status = take(work, &step, err);
        if (work->watch.rank == 0 && driver->on_step) {
            hs_guard_expect(driver->guard, "recording a step", HS_GUARD_NOBODY,
                            fmax(RECORD_SECONDS_MIN, driver->timeout_seconds));
            hs_guard_lock(driver->guard);
            driver->on_step(driver->context, &step, hs_stopwatch_elapsed(&work->watch));
            hs_guard_unlock(driver->guard);
        }
    }
    return hs_agree(driver->config.world, &work->watch.idle, status, err);
}

static void note_memory(struct work *work)
{
    double bytes = (double)work->driver->backend->memory_bytes(work->watch.state);

    hs_stopwatch_largest(&work->watch, &bytes, 1);
    work->driver->memory_bytes = (uint64_t)bytes;
}

enum hs_status hs_driver_run(struct hs_driver *driver, struct hs_error *err)
{
    struct work work = {.driver = driver};
    enum hs_status status = hs_stopwatch_open(&work.watch, driver->backend, &driver->config,
                                              driver->guard, driver->timeout_seconds, err);

    if (status != HS_OK)
        return status;
    if (driver->backend->describe)
        driver->backend->describe(work.watch.state, driver->device, sizeof(driver->device));
    status = run_steps(&work, err);
    note_memory(&work);
    hs_stopwatch_close(&work.watch);
    return status;
}
