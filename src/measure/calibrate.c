/* calibrate.c - see calibrate.h. */
#include "measure/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/inputs.h"
#include "machine/system_find.h"
#include "measure/calibrate_report.h"
#include "measure/neutral_system.h"
#include "measure/share.h"
#include "runner/buffers.h"
#include "runner/check.h"
#include "runner/layer_comms.h"
#include "runner/layer_timer.h"

#define SETUP_SECONDS    300.0
#define FINALIZE_SECONDS 5.0
/* A measurement may take so many times its equal share of the time that is left. */
#define SHARES    2.0
#define NORMAL_95 1.959964

/* What all ranks do next. */
struct step {
    struct hs_layer layer;
    int64_t phase; /* HS_PHASE_COUNT: the end */
    uint64_t count, samples;
    double budget_seconds;
};

static enum hs_status agree(struct hs_calibrate_run *run, enum hs_status status,
                            struct hs_error *err)
{
    return hs_agree(run->order.ordered, &run->idle, status, err);
}

/* ---- the machine --------------------------------------------------------------------------- */

/* The system of that text, or one made from where the ranks are, on all ranks. */
static enum hs_status take_system(struct hs_system *system, struct hs_calibrate_run *run,
                                  const char *text, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (run->rank == 0 && text)
        status = hs_system_find(system, text, err);
    else if (run->rank == 0)
        status = hs_neutral_system(system, run->order.nodes, run->order.node_count, err);
    status = agree(run, status, err);
    if (status == HS_OK)
        status = hs_share_system(system, run->rank, run->order.ordered, &run->idle, err);
    return status;
}

static void cut_short(void *context, const struct hs_guard_end *end);

static enum hs_status look_around(struct hs_calibrate_run *run, struct hs_error *err)
{
    enum hs_status status = hs_rank_order_init(&run->order, MPI_COMM_WORLD, err);
    char note[HS_BACKEND_NOTE] = "";

    hs_idle_init(&run->idle, MPI_COMM_WORLD);
    status = hs_agree(MPI_COMM_WORLD, &run->idle, status, err);
    if (status != HS_OK)
        return status;
    CHECK_MPI(MPI_Comm_rank(run->order.ordered, &run->rank));
    CHECK_MPI(MPI_Comm_size(run->order.ordered, &run->np));
    hs_guard_serve(run->guard, run->rank, run->np, cut_short, run);
    hs_progress_init(&run->progress, "calibrate", run->settings.quiet || run->rank != 0);
    if (run->order.note[0])
        hs_progress_note(&run->progress, "%s", run->order.note);
    status = take_system(&run->system, run, run->settings.system, err);
    if (status == HS_OK)
        status = hs_backend_choose(&run->backend, note, run->settings.backend, run->order.ordered,
                                   &run->idle, err);
    if (status == HS_OK && note[0])
        hs_progress_note(&run->progress, "%s", note);
    if (status == HS_OK) /* as measure does by default: what it measures is what is calibrated */
        status = hs_buffers_choose(&run->memory, run->backend, HS_BUFFERS_AUTO, run->order.ordered,
                                   &run->idle, err);
    /* A copy of its own: the guard may calibrate the other one while a layer runs. */
    if (status == HS_OK && run->backend == &hs_backend_null)
        status = take_system(&run->played, run,
                             run->settings.plays ? run->settings.plays : run->settings.system, err);
    return status;
}

/* Rank 0: what is to be measured, and whether the file can be written. */
static enum hs_status plan(struct hs_calibrate_run *run, struct hs_error *err)
{
    const struct hs_calibrate_settings *settings = &run->settings;
    enum hs_status status = hs_output_check(settings->output, settings->system, NULL, err);

    if (status == HS_OK)
        status = hs_calibrate_plan_make(&run->plan, &run->system, run->np, &settings->sizes,
                                        hs_datatype_bytes(settings->datatype),
                                        (size_t)settings->layers, err);
    if (status != HS_OK)
        return status;
    run->pools = calloc(run->plan.count, sizeof(*run->pools));
    return run->pools ? HS_OK : hs_fail(err, HS_MEMORY, "out of memory");
}

/* ---- measuring ----------------------------------------------------------------------------- */

static void describe_time(char *text, size_t bytes, const struct hs_calibrate_run *run,
                          const struct hs_layer_time *time)
{
    char size[HS_UNIT_TEXT], seconds[HS_UNIT_TEXT];
    size_t width = hs_datatype_bytes(run->settings.datatype);

    snprintf(text, bytes, "%s of size %" PRId64 " at stride %" PRId64 ", %s",
             hs_phase_names[time->phase], time->layer.size, time->layer.stride,
             hs_bytes_format(size, time->count * width));
    if (time->samples > 0) {
        size_t length = strlen(text);

        snprintf(text + length, bytes - length, ": %s, %zu sample%s",
                 hs_seconds_format(seconds, time->seconds), time->samples,
                 time->samples == 1 ? "" : "s");
    }
}

/* Rank 0, locked. `task` was measured; samples are the timer's. */
static enum hs_status keep(struct hs_calibrate_run *run, size_t task,
                           const struct hs_layer_time *time, const struct hs_samples *samples,
                           struct hs_error *err)
{
    struct hs_calibrate_pool *pool = &run->pools[task];
    enum hs_status status = HS_OK;
    char what[256];

    run->runs += time->samples + (size_t)run->settings.warmup;
    if (time->failed) {
        describe_time(what, sizeof(what), run, time);
        hs_text_append(&run->failures, "%s %s: %s\n", what,
                       time->timed_out ? "took too long" : "failed", time->reason);
        run->failure_count++;
    }
    if (time->samples == 0)
        return HS_OK;
    run->measured_tasks += pool->seconds.count == 0;
    for (size_t i = 0; i < samples->count && status == HS_OK; i++)
        status = hs_samples_add(&pool->seconds, samples->values[i], err);
    if (status == HS_OK)
        status = hs_samples_add(&pool->rounds, time->seconds, err);
    if (status == HS_OK && time->samples >= 2)
        status = hs_samples_add(&run->scatters, time->scatter, err);
    if (status == HS_OK && time->rank_seconds)
        status = hs_rank_times_add(&run->rank_times, run->np, time->layer, time->rank_seconds, err);
    return status;
}

static void show(struct hs_calibrate_run *run, const struct hs_layer_time *time,
                 double left_seconds)
{
    char what[256];

    if (run->settings.quiet)
        return;
    describe_time(what, sizeof(what), run, time);
    if (run->settings.verbose && !run->progress.line.is_terminal) {
        fprintf(stderr, "round %" PRId64 ", %zu of %zu  %s\n", run->round + 1, run->next,
                run->plan.count, what);
        return;
    }
    if (hs_progress_line_is_due(&run->progress.line))
        hs_progress_line_draw(&run->progress.line, (double)run->next / (double)run->plan.count,
                              left_seconds, "round %" PRId64 ", %zu of %zu  %s", run->round + 1,
                              run->next, run->plan.count, what);
}

/* Whether a later round has nothing to add. */
static bool is_precise(const struct hs_calibrate_run *run, const struct hs_calibrate_pool *pool)
{
    return pool->seconds.count >= (size_t)run->settings.max_samples ||
           (pool->seconds.count > 0 &&
            NORMAL_95 * hs_calibrate_noise(pool) <= run->settings.precision) ||
           (run->round > 0 && pool->seconds.count == 0); /* it fails */
}

/* Rank 0, locked: moves on to the next task that needs samples; false at the end. */
static bool find_task(struct hs_calibrate_run *run)
{
    while (run->round < run->settings.rounds) {
        while (run->next < run->plan.count && is_precise(run, &run->pools[run->next]))
            run->next++;
        if (run->next < run->plan.count)
            return true;
        run->round++;
        run->next = 0;
    }
    return false;
}

/* What one visit may take: the samples that are left in equal parts, the time likewise. */
static struct step plan_step(const struct hs_calibrate_run *run, double left_seconds)
{
    const struct hs_calibrate_task *task = &run->plan.tasks[run->next];
    int64_t taken = (int64_t)run->pools[run->next].seconds.count;
    int64_t rounds = run->settings.rounds - run->round;
    int64_t samples = (run->settings.max_samples - taken + rounds - 1) / rounds;
    double visits =
        (double)(run->plan.count - run->next) + (double)(rounds - 1) * (double)run->plan.count;

    if (run->round == 0 && rounds > 1)
        samples = run->settings.min_samples;
    return (struct step){.layer = task->layer,
                         .phase = task->phase,
                         .count = task->count,
                         .samples = (uint64_t)samples,
                         .budget_seconds = SHARES * left_seconds / visits};
}

/* Rank 0's next task, on all ranks; waiting for it has a limit too. */
static struct step next_step(struct hs_calibrate_run *run, const struct hs_layer_timer *timer,
                             enum hs_status status)
{
    double left = run->settings.budget_seconds - hs_stopwatch_elapsed(&timer->watch);
    struct step step = {.phase = HS_PHASE_COUNT};

    hs_guard_expect(run->guard, "between two layers", HS_GUARD_NOBODY,
                    run->settings.timeout_seconds);
    if (run->rank == 0 && status == HS_OK && left > 0) {
        hs_guard_lock(run->guard);
        if (find_task(run))
            step = plan_step(run, left);
        hs_guard_unlock(run->guard);
    }
    hs_share_bytes(&step, sizeof(step), run->order.ordered, &run->idle);
    return step;
}

static enum hs_status measure_all(struct hs_calibrate_run *run, struct hs_layer_timer *timer,
                                  struct hs_error *err)
{
    struct hs_layer_time time = {.samples = 0};
    enum hs_status status = HS_OK;

    for (;;) {
        struct step step = next_step(run, timer, status);

        if (step.phase == HS_PHASE_COUNT)
            break;
        timer->rules.budget_seconds = step.budget_seconds;
        timer->rules.max_samples = (size_t)step.samples;
        timer->rules.min_samples = (size_t)(step.samples < (uint64_t)run->settings.min_samples
                                                ? step.samples
                                                : (uint64_t)run->settings.min_samples);
        status = hs_layer_timer_measure(timer, step.layer, (enum hs_phase)step.phase,
                                        (size_t)step.count, &time, err);
        if (run->rank != 0 || status != HS_OK)
            continue;
        hs_guard_lock(run->guard);
        status = keep(run, run->next++, &time, &timer->samples, err);
        run->seconds = hs_stopwatch_elapsed(&timer->watch);
        show(run, &time, run->settings.budget_seconds - run->seconds);
        hs_guard_unlock(run->guard);
    }
    hs_layer_time_release(&time);
    return agree(run, status, err);
}

static enum hs_status measure(struct hs_calibrate_run *run, struct hs_error *err)
{
    const struct hs_calibrate_settings *settings = &run->settings;
    uint64_t count_max = run->plan.count_max;
    struct hs_layer_timer timer = {
        .backend = run->backend,
        .config = {.world = run->order.ordered,
                   .datatype = settings->datatype,
                   .operation = settings->operation,
                   .faults = settings->faults,
                   .seed = (uint64_t)settings->seed,
                   .system = run->backend == &hs_backend_null ? &run->played : NULL,
                   .memory = run->memory},
        .guard = run->guard,
        .timeout_seconds = settings->timeout_seconds,
        .rules = {.warmup_runs = (int)settings->warmup, .precision = settings->precision},
    };
    enum hs_status status;

    hs_share_bytes(&count_max, sizeof(count_max), run->order.ordered, &run->idle);
    timer.config.count = (size_t)count_max;
    status = hs_layer_timer_open(&timer, err);
    if (status != HS_OK)
        return status;
    memcpy(run->device, timer.device, sizeof(run->device));
    status = measure_all(run, &timer, err);
    hs_layer_timer_close(&timer);
    return status;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* A line each. */
static void say(struct hs_calibrate_run *run, const struct hs_text *notes)
{
    const char *at = notes->data;

    hs_progress_line_clear(&run->progress.line);
    while (at && *at) {
        size_t length = strcspn(at, "\n");

        hs_progress_note(&run->progress, "%.*s", (int)length, at);
        at += length + (at[length] != '\0');
    }
}

static enum hs_status print_tables(struct hs_calibrate_run *run, struct hs_error *err)
{
    FILE *stream = strcmp(run->settings.output, "-") == 0 ? stderr : stdout;
    struct hs_text text = {0};
    enum hs_status status = hs_calibrate_print(&text, run, err);

    if (status == HS_OK &&
        (fwrite(text.data, 1, text.length, stream) != text.length || fflush(stream) != 0))
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    hs_text_release(&text);
    return status;
}

/* Rank 0. `why`: the error that ended the measurements, NULL: none did. */
static enum hs_status finish(struct hs_calibrate_run *run, const char *why, struct hs_error *err)
{
    struct hs_text notes = {0};
    enum hs_status status;

    hs_guard_expect(run->guard, "fitting", HS_GUARD_NOBODY, INFINITY);
    hs_guard_lock(run->guard);
    status = hs_calibrate_write(run, why, &notes, err);
    say(run, &notes);
    if (status == HS_OK)
        status = print_tables(run, err);
    hs_guard_finishing(run->guard, hs_status_exit(status), FINALIZE_SECONDS);
    hs_guard_unlock(run->guard);
    hs_text_release(&notes);
    return status;
}

/* What was measured before an error is worth a calibration; the error stays what is returned. */
static enum hs_status finish_failed(struct hs_calibrate_run *run, enum hs_status status,
                                    struct hs_error *err)
{
    struct hs_error second = {0};

    if (run->measured_tasks > 0)
        (void)finish(run, err->message, &second);
    return status;
}

enum hs_status hs_calibrate_run(struct hs_calibrate_run *run, struct hs_error *err)
{
    enum hs_status status;

    hs_clock_utc(run->created);
    hs_guard_expect(run->guard, "setting up", HS_GUARD_NOBODY, SETUP_SECONDS);
    status = look_around(run, err);
    if (status == HS_OK && run->rank == 0) {
        hs_guard_lock(run->guard);
        status = plan(run, err);
        hs_guard_unlock(run->guard);
    }
    if (run->order.ordered != MPI_COMM_NULL)
        status = agree(run, status, err);
    if (status == HS_OK)
        status = measure(run, err);
    if (run->rank == 0 && status == HS_OK)
        status = finish(run, NULL, err);
    else if (run->rank == 0)
        status = finish_failed(run, status, err);
    hs_guard_expect(run->guard, "the end", HS_GUARD_NOBODY, SETUP_SECONDS);
    return run->order.ordered != MPI_COMM_NULL ? agree(run, status, err) : status;
}

void hs_calibrate_release(struct hs_calibrate_run *run)
{
    for (size_t i = 0; run->pools && i < run->plan.count; i++) {
        free(run->pools[i].seconds.values);
        free(run->pools[i].rounds.values);
    }
    free(run->pools);
    free(run->scatters.values);
    hs_rank_times_release(&run->rank_times);
    hs_text_release(&run->failures);
    hs_calibrate_plan_release(&run->plan);
    hs_system_release(&run->system);
    hs_system_release(&run->played);
    hs_rank_order_release(&run->order);
}

/* ---- cut short ----------------------------------------------------------------------------- */

/* The guard's on_end. */
static void cut_short(void *context, const struct hs_guard_end *end)
{
    struct hs_calibrate_run *run = context;
    char why[HS_GUARD_END_TEXT];
    struct hs_text notes = {0};
    struct hs_error error = {0};
    enum hs_status status;

    hs_guard_end_format(why, end);
    hs_progress_line_clear(&run->progress.line);
    if (run->measured_tasks == 0) {
        fprintf(stderr, "hiersearch calibrate: %s; nothing was measured before\n", why);
        return;
    }
    status = hs_calibrate_write(run, why, &notes, &error);
    say(run, &notes);
    if (status == HS_OK)
        fprintf(stderr, "hiersearch calibrate: %s; %s has what was measured before\n", why,
                run->settings.output);
    else
        fprintf(stderr, "hiersearch calibrate: %s; %s\n", why, error.message);
}
