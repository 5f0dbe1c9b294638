/* driver.c - see driver.h. */
#include "runner/driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runner/check.h"
#include "runner/idle.h"
#include "runner/layer_comms.h"

/* Opening may have to touch all memory and make many connections. */
#define OPEN_SECONDS_MIN 120.0
/* A backend that can recover gives up by itself after the timeout; the guard waits this much
 * longer. */
#define RECOVER_SECONDS 120.0

/* One driver at work on this rank. */
struct work {
    struct hs_driver *driver;
    void *state; /* the backend's */
    struct hs_idle idle;
    int rank, np;
    double begin_seconds, virtual_seconds;
};

/* What all ranks know after a step. */
struct outcome {
    double seconds, device_seconds; /* largest over ranks; device NaN: no such clock */
    bool failed;
    char reason[HS_REASON_BYTES]; /* of the lowest rank that failed */
};

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double elapsed_seconds(const struct work *work)
{
    if (work->driver->backend->virtual_clock)
        return work->virtual_seconds;
    return clock_seconds() - work->begin_seconds;
}

static void broadcast(struct work *work, void *data, int bytes, int root)
{
    MPI_Request request;

    CHECK_MPI(MPI_Ibcast(data, bytes, MPI_BYTE, root, work->driver->config.world, &request));
    hs_idle_wait(&work->idle, &request);
}

static void largest(struct work *work, double *values, int count)
{
    double mine[2 * HS_LAYERS_MAX + 4];
    MPI_Request request;

    memcpy(mine, values, (size_t)count * sizeof(*values));
    CHECK_MPI(MPI_Iallreduce(mine, values, count, MPI_DOUBLE, MPI_MAX, work->driver->config.world,
                             &request));
    hs_idle_wait(&work->idle, &request);
}

/* Mean over the ranks. A rank that is early waits in its next phase, so what one rank is slow in
 * shows up on all ranks somewhere: means add up to the whole, maxima would count such time twice.
 */
static void average(struct work *work, double *values, int count)
{
    double mine[2 * HS_LAYERS_MAX + 4];
    MPI_Request request;

    memcpy(mine, values, (size_t)count * sizeof(*values));
    CHECK_MPI(MPI_Iallreduce(mine, values, count, MPI_DOUBLE, MPI_SUM, work->driver->config.world,
                             &request));
    hs_idle_wait(&work->idle, &request);
    for (int i = 0; i < count; i++)
        values[i] /= work->np;
}

static uint64_t sum(struct work *work, uint64_t value)
{
    uint64_t total = 0;
    MPI_Request request;

    CHECK_MPI(MPI_Iallreduce(&value, &total, 1, MPI_UINT64_T, MPI_SUM, work->driver->config.world,
                             &request));
    hs_idle_wait(&work->idle, &request);
    return total;
}

/* Collects times and errors; the lowest rank that failed says why. */
static struct outcome agree(struct work *work, double seconds, enum hs_status status,
                            const struct hs_error *error)
{
    const struct hs_backend *backend = work->driver->backend;
    double values[3] = {seconds, -1, status == HS_OK ? 0 : work->np - work->rank};
    struct outcome outcome = {.device_seconds = NAN};

    if (backend->device_seconds && status == HS_OK)
        values[1] = backend->device_seconds(work->state);
    largest(work, values, 3);
    outcome.seconds = values[0];
    if (values[1] >= 0)
        outcome.device_seconds = values[1];
    if (values[2] > 0) {
        int failed_rank = work->np - (int)values[2];

        outcome.failed = true;
        if (work->rank == failed_rank)
            snprintf(outcome.reason, sizeof(outcome.reason), "rank %d: %.200s", failed_rank,
                     error->message);
        broadcast(work, outcome.reason, sizeof(outcome.reason), failed_rank);
    }
    return outcome;
}

static enum hs_status run_once(struct work *work, const struct hs_contestant *item,
                               struct hs_layer_times *times, struct hs_error *err)
{
    const struct hs_backend *backend = work->driver->backend;

    if (item->plan.split.count > 0)
        return backend->run(work->state, &item->plan, times, err);
    return backend->baselines[item->baseline].run(work->state, err);
}

/* One timed run. */
static struct outcome timed_run(struct work *work, const struct hs_contestant *item,
                                struct hs_layer_times *times)
{
    struct hs_error error = {0};
    enum hs_status status;
    struct outcome outcome;
    double begin;

    if (!work->driver->backend->virtual_clock)
        hs_idle_barrier(&work->idle, work->driver->config.world);
    begin = clock_seconds();
    status = run_once(work, item, times, &error);
    outcome = agree(work, clock_seconds() - begin, status, &error);
    if (work->driver->backend->virtual_clock && !isnan(outcome.device_seconds)) {
        outcome.seconds = outcome.device_seconds;
        work->virtual_seconds += outcome.seconds;
    }
    return outcome;
}

static void expect(struct work *work, const char *doing, const struct hs_contestant *item)
{
    struct hs_driver *driver = work->driver;
    double more_seconds = driver->backend->recover ? RECOVER_SECONDS : 0;
    char what[HS_GUARD_WHAT];

    snprintf(what, sizeof(what), "%s %s", doing, item->name);
    hs_guard_expect(driver->guard, what, (size_t)(item - driver->contest->items),
                    driver->timeout_seconds + more_seconds);
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
        status = driver->backend->recover(work->state, &timed_out, err);
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
    double begin = elapsed_seconds(work);
    struct hs_error error = {0};
    enum hs_status status = HS_OK;
    struct outcome outcome;

    expect(work, "preparing", item);
    if (item->plan.split.count > 0)
        status = driver->backend->prepare(work->state, &item->plan, &error);
    outcome = agree(work, 0, status, &error);
    for (int i = 0; i < driver->warmup_runs && !outcome.failed; i++) {
        expect(work, "warming up", item);
        outcome = timed_run(work, item, NULL);
    }
    if (outcome.failed)
        return fault(work, index, outcome.reason, err);
    if (item->plan.split.count > 0) {
        size_t padded = driver->backend->padded_count(work->state, &item->plan);

        if (padded > driver->padded_count)
            driver->padded_count = padded;
    }
    hs_guard_lock(driver->guard);
    hs_contest_prepared(driver->contest, index, elapsed_seconds(work) - begin);
    hs_guard_unlock(driver->guard);
    return HS_OK;
}

static enum hs_status sample(struct work *work, const struct hs_step *step, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    struct hs_contestant *item = &driver->contest->items[step->contestant];
    double begin = elapsed_seconds(work);
    enum hs_status status;
    struct outcome outcome;
    uint64_t wrong = 0;

    expect(work, "sampling", item);
    if (step->verify)
        driver->backend->spoil(work->state);
    outcome = timed_run(work, item, NULL);
    if (outcome.failed)
        return fault(work, step->contestant, outcome.reason, err);
    if (step->verify)
        wrong = sum(work, driver->backend->wrong_elements(work->state));
    if (work->rank != 0) /* its contest decides */
        return HS_OK;
    hs_guard_lock(driver->guard);
    status = hs_contest_sampled(driver->contest, step, outcome.seconds, outcome.device_seconds,
                                wrong, elapsed_seconds(work) - begin, err);
    hs_guard_unlock(driver->guard);
    return status;
}

static enum hs_status layers(struct work *work, size_t index, struct hs_error *err)
{
    struct hs_driver *driver = work->driver;
    struct hs_layer_times times = {0};
    struct outcome outcome;
    double phases[2 * HS_LAYERS_MAX];
    enum hs_status status;

    expect(work, "timing the layers of", &driver->contest->items[index]);
    outcome = timed_run(work, &driver->contest->items[index], &times);
    if (outcome.failed)
        return fault(work, index, outcome.reason, err);
    memcpy(phases, times.reduce_scatter, sizeof(times.reduce_scatter));
    memcpy(phases + HS_LAYERS_MAX, times.allgather, sizeof(times.allgather));
    average(work, phases, 2 * HS_LAYERS_MAX);
    if (work->rank != 0)
        return HS_OK;
    hs_guard_lock(driver->guard);
    status = hs_contest_layered(driver->contest, index, phases, outcome.seconds, err);
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

    hs_guard_expect(driver->guard, "between two steps", HS_GUARD_NOBODY, driver->timeout_seconds);
    if (work->rank == 0 && status == HS_OK) {
        struct hs_step step;

        hs_guard_lock(driver->guard);
        step = hs_contest_next(driver->contest, elapsed_seconds(work));
        hs_guard_unlock(driver->guard);
        words[0] = (int32_t)step.kind;
        words[1] = (int32_t)step.contestant;
        words[2] = step.verify;
    }
    broadcast(work, words, sizeof(words), 0);
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
        if (work->rank == 0 && driver->on_step) {
            hs_guard_lock(driver->guard);
            driver->on_step(driver->context, &step, elapsed_seconds(work));
            hs_guard_unlock(driver->guard);
        }
    }
    return hs_agree(driver->config.world, &work->idle, status, err);
}

static void note_memory(struct work *work)
{
    double bytes = (double)work->driver->backend->memory_bytes(work->state);

    largest(work, &bytes, 1);
    work->driver->memory_bytes = (uint64_t)bytes;
}

enum hs_status hs_driver_run(struct hs_driver *driver, struct hs_error *err)
{
    struct work work = {.driver = driver};
    enum hs_status status;
    char what[HS_GUARD_WHAT];

    CHECK_MPI(MPI_Comm_rank(driver->config.world, &work.rank));
    CHECK_MPI(MPI_Comm_size(driver->config.world, &work.np));
    snprintf(what, sizeof(what), "opening the backend %s", driver->backend->name);
    hs_guard_expect(driver->guard, what, HS_GUARD_NOBODY,
                    fmax(OPEN_SECONDS_MIN, driver->timeout_seconds));
    hs_idle_init(&work.idle, driver->config.world);
    work.begin_seconds = clock_seconds();
    driver->config.timeout_seconds = driver->timeout_seconds;
    status = driver->backend->open(&work.state, &driver->config, err);
    status = hs_agree(driver->config.world, &work.idle, status, err);
    if (status == HS_OK) {
        if (driver->backend->describe)
            driver->backend->describe(work.state, driver->device, sizeof(driver->device));
        status = run_steps(&work, err);
        note_memory(&work);
    }
    hs_guard_expect(driver->guard, "closing the backend", HS_GUARD_NOBODY, OPEN_SECONDS_MIN);
    if (work.state)
        driver->backend->close(work.state);
    return status;
}

/* ---- which backend ------------------------------------------------------------------------- */

/* Works on all ranks? */
static enum hs_status check_available(const struct hs_backend *backend, MPI_Comm world,
                                      struct hs_idle *idle, struct hs_error *err)
{
    char why[256] = "";
    enum hs_status status = HS_OK;

    if (!backend->available(why, sizeof(why)))
        status =
            hs_fail(err, HS_INVALID, "--backend %s: it cannot work here: %s", backend->name, why);
    return hs_agree(world, idle, status, err);
}

enum hs_status hs_backend_choose(const struct hs_backend **out, const char *name, MPI_Comm world,
                                 struct hs_idle *idle, struct hs_error *err)
{
    bool any = strcmp(name, "auto") == 0;
    enum hs_status status = HS_INVALID;

    for (size_t i = 0; hs_backends[i]; i++) {
        const struct hs_backend *backend = hs_backends[i];

        if (any ? backend == &hs_backend_null : strcmp(backend->name, name) != 0)
            continue;
        status = check_available(backend, world, idle, err);
        if (status == HS_OK) {
            *out = backend;
            return HS_OK;
        }
        if (!any)
            return status;
    }
    if (any)
        return status;
    return hs_fail(err, HS_INVALID, "--backend: there is no \"%.60s\"", name);
}
