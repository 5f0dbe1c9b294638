/* stopwatch.c - see stopwatch.h. */
#include "runner/stopwatch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "runner/check.h"
#include "runner/layer_comms.h"

/* Opening may have to touch all memory and make many connections. */
#define OPEN_SECONDS_MIN 120.0
/* A backend that can recover gives up by itself after the timeout; the guard waits this much
 * longer. */
#define RECOVER_SECONDS 120.0

enum hs_status hs_stopwatch_open(struct hs_stopwatch *watch, const struct hs_backend *backend,
                                 struct hs_backend_config *config, struct hs_guard *guard,
                                 double timeout_seconds, struct hs_error *err)
{
    char what[HS_GUARD_WHAT];
    enum hs_status status;

    *watch = (struct hs_stopwatch){.backend = backend,
                                   .world = config->world,
                                   .guard = guard,
                                   .timeout_seconds = timeout_seconds};
    CHECK_MPI(MPI_Comm_rank(config->world, &watch->rank));
    CHECK_MPI(MPI_Comm_size(config->world, &watch->np));
    snprintf(what, sizeof(what), "opening the backend %s", backend->name);
    hs_guard_expect(guard, what, HS_GUARD_NOBODY, fmax(OPEN_SECONDS_MIN, timeout_seconds));
    hs_idle_init(&watch->idle, config->world);
    watch->begin_seconds = hs_clock_seconds();
    config->timeout_seconds = timeout_seconds;
    status = backend->open(&watch->state, config, err);
    status = hs_agree(config->world, &watch->idle, status, err);
    if (status != HS_OK)
        hs_stopwatch_close(watch);
    return status;
}

void hs_stopwatch_close(struct hs_stopwatch *watch)
{
    if (!watch->state)
        return;
    hs_guard_expect(watch->guard, "closing the backend", HS_GUARD_NOBODY, OPEN_SECONDS_MIN);
    watch->backend->close(watch->state);
    watch->state = NULL;
}

double hs_stopwatch_limit(const struct hs_stopwatch *watch)
{
    return watch->timeout_seconds + (watch->backend->recover ? RECOVER_SECONDS : 0);
}

double hs_stopwatch_elapsed(const struct hs_stopwatch *watch)
{
    if (watch->backend->virtual_clock)
        return watch->virtual_seconds;
    return hs_clock_seconds() - watch->begin_seconds;
}

void hs_stopwatch_broadcast(struct hs_stopwatch *watch, void *data, int bytes, int root)
{
    MPI_Request request;

    CHECK_MPI(MPI_Ibcast(data, bytes, MPI_BYTE, root, watch->world, &request));
    hs_idle_wait(&watch->idle, &request);
}

static void combine(struct hs_stopwatch *watch, double *values, int count, MPI_Op operation)
{
    double mine[HS_STOPWATCH_VALUES];
    MPI_Request request;

    memcpy(mine, values, (size_t)count * sizeof(*values));
    CHECK_MPI(MPI_Iallreduce(mine, values, count, MPI_DOUBLE, operation, watch->world, &request));
    hs_idle_wait(&watch->idle, &request);
}

void hs_stopwatch_largest(struct hs_stopwatch *watch, double *values, int count)
{
    combine(watch, values, count, MPI_MAX);
}

void hs_stopwatch_average(struct hs_stopwatch *watch, double *values, int count)
{
    combine(watch, values, count, MPI_SUM);
    for (int i = 0; i < count; i++)
        values[i] /= watch->np;
}

/* Collects times and errors; the lowest rank that failed says why. */
static struct hs_lap agree(struct hs_stopwatch *watch, double seconds, enum hs_status status,
                           const struct hs_error *error)
{
    const struct hs_backend *backend = watch->backend;
    double values[3] = {seconds, -1, status == HS_OK ? 0 : watch->np - watch->rank};
    struct hs_lap lap = {.device_seconds = NAN, .own_seconds = seconds};

    if (backend->device_seconds && status == HS_OK)
        values[1] = backend->device_seconds(watch->state);
    if (backend->virtual_clock)
        lap.own_seconds = values[1];
    hs_stopwatch_largest(watch, values, 3);
    lap.seconds = values[0];
    if (values[1] >= 0)
        lap.device_seconds = values[1];
    if (values[2] > 0) {
        int failed_rank = watch->np - (int)values[2];

        lap.failed = true;
        if (watch->rank == failed_rank)
            snprintf(lap.reason, sizeof(lap.reason), "rank %d: %.200s", failed_rank,
                     error->message);
        hs_stopwatch_broadcast(watch, lap.reason, sizeof(lap.reason), failed_rank);
    }
    return lap;
}

struct hs_lap hs_stopwatch_agree(struct hs_stopwatch *watch, enum hs_status status,
                                 const struct hs_error *error)
{
    return agree(watch, 0, status, error);
}

double hs_stopwatch_start(struct hs_stopwatch *watch)
{
    if (!watch->backend->virtual_clock)
        hs_idle_barrier(&watch->idle, watch->world);
    return hs_clock_seconds();
}

struct hs_lap hs_stopwatch_stop(struct hs_stopwatch *watch, double start, enum hs_status status,
                                const struct hs_error *error)
{
    struct hs_lap lap = agree(watch, hs_clock_seconds() - start, status, error);

    if (watch->backend->virtual_clock && !isnan(lap.device_seconds)) {
        lap.seconds = lap.device_seconds;
        watch->virtual_seconds += lap.seconds;
    }
    return lap;
}
