/* bench.c - see bench.h. */
#include "runner/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runner/guard.h"

/* Opening may have to touch all memory and make many connections. */
#define OPEN_SECONDS_MIN 120.0
/* An engine that can recover gives up by itself after the timeout; the guard waits this much
 * longer. */
#define RECOVER_SECONDS 120.0

/* What runs that are held together may take. */
#define HELD_SECONDS 0.2

/* ---- opening ---- */

static void expect(const struct hs_bench *bench, const char *what, size_t item, double seconds)
{
    if (bench->guard)
        hs_guard_expect(bench->guard, what, item, seconds);
}

static enum hs_status allocate(const struct hs_bench *bench, void **out, const char *purpose,
                               struct hs_error *err)
{
    size_t width = hs_datatype_bytes(bench->config.datatype);

    if (bench->kept > SIZE_MAX / 2 / width)
        return hs_fail(err, HS_MEMORY, "%zu elements per process are too many", bench->kept);
    return bench->memory->allocate(out, bench->kept * width, purpose, err);
}

/* Of a buffer, as far as they are there. */
static struct hs_elements elements_of(const struct hs_bench *bench, void *data,
                                      struct hs_block block)
{
    size_t first = block.first < bench->kept ? block.first : bench->kept;
    size_t left = bench->kept - first;

    return (struct hs_elements){bench->memory, bench->queue,
                                (char *)data + first * hs_datatype_bytes(bench->config.datatype),
                                bench->begins + first, block.count < left ? block.count : left};
}

static int64_t place_of(const struct hs_bench *bench)
{
    return hs_group_place(&bench->config.group, bench->ranks->rank);
}

static enum hs_status make_buffers(struct hs_bench *bench, struct hs_error *err)
{
    struct hs_elements input;
    enum hs_status status = bench->memory->queue_new(&bench->queue, 0, err);

    if (status == HS_OK)
        status = allocate(bench, &bench->input, "the input", err);
    if (status == HS_OK)
        status = allocate(bench, &bench->output, "the output", err);
    if (status != HS_OK)
        return status;
    input = elements_of(bench, bench->input, (struct hs_block){0, bench->config.count});
    return hs_pattern_put(&input, &bench->pattern, place_of(bench), err);
}

static enum hs_status open_engine(struct hs_bench *bench, struct hs_error *err)
{
    const struct hs_bench_config *config = &bench->config;
    struct hs_engine_config engine = {.comm = bench->ranks->comm,
                                      .memory = bench->memory,
                                      .timeout_seconds = config->timeout_seconds,
                                      .registered = config->registered,
                                      .segment_bytes = config->segment_bytes,
                                      .segments_in_flight = config->segments_in_flight,
                                      .forests = config->forests,
                                      .play = config->play};

    return config->backend->open(&bench->engine, &engine, err);
}

enum hs_status hs_bench_open(struct hs_bench *bench, const struct hs_bench_config *config,
                             struct hs_ranks *ranks, struct hs_guard *guard, struct hs_error *err)
{
    const struct hs_backend *backend = config->backend;
    char what[HS_GUARD_WHAT];
    enum hs_status status;

    *bench = (struct hs_bench){.config = *config, .ranks = ranks, .guard = guard};
    bench->memory = backend->own_memory ? backend->own_memory
                    : config->memory    ? config->memory
                                        : &hs_memory_host;
    if (config->group.ranks == 0)
        bench->config.group = hs_group_world(ranks->np);
    bench->pattern =
        (struct hs_pattern){config->datatype, config->operation, bench->config.group.size, false};
    bench->room =
        hs_task_padded_most(config->count, ranks->np, hs_backend_line(backend, config->datatype));
    bench->begins = hs_pattern_begin(&bench->config.group, ranks->rank, bench->room);
    bench->kept =
        backend->virtual_clock && bench->room > HS_NULL_ELEMENTS ? HS_NULL_ELEMENTS : bench->room;
    snprintf(what, sizeof(what), "opening the backend %s", backend->name);
    expect(bench, what, HS_GUARD_NOBODY, fmax(OPEN_SECONDS_MIN, config->timeout_seconds));
    bench->begin_seconds = hs_clock_seconds();
    status = open_engine(bench, err);
    if (status == HS_OK)
        status = hs_ranks_agree(ranks, make_buffers(bench, err), err);
    if (status != HS_OK)
        hs_bench_close(bench);
    return status;
}

/* Communicators may have the buffers registered: they go first. */
void hs_bench_close(struct hs_bench *bench)
{
    if (!bench->engine)
        return;
    expect(bench, "closing the backend", HS_GUARD_NOBODY, OPEN_SECONDS_MIN);
    bench->config.backend->engine->close(bench->engine);
    bench->memory->release(bench->input);
    bench->memory->release(bench->output);
    bench->memory->queue_free(bench->queue);
    bench->engine = NULL;
}

/* ---- what it is ---- */

size_t hs_backend_line(const struct hs_backend *backend, enum hs_datatype datatype)
{
    size_t width = hs_datatype_bytes(datatype);

    return backend->line_bytes > width ? backend->line_bytes / width : 1;
}

double hs_bench_elapsed(const struct hs_bench *bench)
{
    if (bench->config.backend->virtual_clock)
        return bench->virtual_seconds;
    return hs_clock_seconds() - bench->begin_seconds;
}

size_t hs_bench_bytes(const struct hs_bench *bench)
{
    return 2 * bench->kept * hs_datatype_bytes(bench->config.datatype) +
           bench->config.backend->engine->memory_bytes(bench->engine);
}

void hs_bench_describe(const struct hs_bench *bench, char text[HS_DEVICE_TEXT])
{
    bench->config.backend->engine->describe(bench->engine, text, HS_DEVICE_TEXT);
}

/* ---- runs ---- */

static struct hs_work work_of(const struct hs_bench *bench, const struct hs_task *task, bool timed)
{
    return (struct hs_work){.task = task,
                            .datatype = bench->config.datatype,
                            .operation = bench->config.operation,
                            .input = bench->input,
                            .output = bench->output,
                            .room = bench->room,
                            .line = hs_backend_line(bench->config.backend, bench->config.datatype),
                            .timed = timed};
}

enum hs_status hs_bench_prepare(struct hs_bench *bench, const struct hs_task *task,
                                struct hs_error *err)
{
    struct hs_work work = work_of(bench, task, false);

    return bench->config.backend->engine->prepare(bench->engine, &work, err);
}

enum hs_status hs_bench_run(struct hs_bench *bench, const struct hs_task *task, bool timed,
                            struct hs_error *err)
{
    const struct hs_engine *engine = bench->config.backend->engine;
    struct hs_work work = work_of(bench, task, timed);
    bool done = false, moved;
    enum hs_status status = engine->start(bench->engine, &work, err);

    while (status == HS_OK && !done) {
        status = engine->test(bench->engine, &done, &moved, err);
        hs_idle_looked(&bench->ranks->idle, moved || done);
    }
    return status;
}

/* A rank's block of the message, without what that is padded with. */
static struct hs_elements block_of(const struct hs_bench *bench, const struct hs_task *task,
                                   int64_t rank)
{
    size_t line = hs_backend_line(bench->config.backend, bench->config.datatype);
    struct hs_block block = hs_task_block(task, line, rank);

    block.first = block.first < task->count ? block.first : task->count;
    block.count = block.count < task->count - block.first ? block.count : task->count - block.first;
    return elements_of(bench, bench->output, block);
}

/* Has the input hold elements that are carried, or some that can be added. */
static void lay_input(struct hs_bench *bench, bool carried)
{
    struct hs_elements input =
        elements_of(bench, bench->input, (struct hs_block){0, bench->config.count});

    if (bench->pattern.carried == carried)
        return;
    bench->pattern.carried = carried;
    (void)hs_pattern_put(&input, &bench->pattern, place_of(bench), NULL);
}

/* Puts into the output what the task reads from it, and has the input as the task wants it. */
static void lay(struct hs_bench *bench, const struct hs_task *task)
{
    struct hs_elements block;

    if (task->kind == HS_TASK_STAGE)
        return;
    lay_input(bench, hs_collectives[task->collective].outcome == HS_OUTCOME_EXCHANGED);
    if (hs_collectives[task->collective].begins_large)
        return;
    block = block_of(bench, task, bench->ranks->rank);
    (void)hs_pattern_put(&block, &bench->pattern, place_of(bench), NULL);
}

/* All bits set is a NaN in every data type, and no pattern has one. */
void hs_bench_spoil(struct hs_bench *bench, const struct hs_task *task)
{
    bench->memory->set(bench->queue, bench->output, 0xff,
                       bench->kept * hs_datatype_bytes(bench->config.datatype));
    bench->memory->wait(bench->queue);
    lay(bench, task);
}

/* Block k of the output as it should have come from place k of the group: there the elements were
 * numbered from the block of this rank's place on. */
static struct hs_elements block_from(const struct hs_bench *bench, const struct hs_task *task,
                                     int64_t source)
{
    size_t line = hs_backend_line(bench->config.backend, bench->config.datatype);
    size_t part = hs_task_padded(task, line) / (size_t)bench->config.group.size;
    size_t first = (size_t)place_of(bench) * part;
    size_t left = first < task->count ? task->count - first : 0;
    struct hs_block at = {(size_t)source * part, left < part ? left : part};
    struct hs_elements block = elements_of(bench, bench->output, at);

    block.first = bench->begins + first;
    return block;
}

static uint64_t wrong_exchanged(struct hs_bench *bench, const struct hs_task *task)
{
    uint64_t wrong = 0;

    for (int64_t source = 0; source < bench->config.group.size; source++) {
        struct hs_elements block = block_from(bench, task, source);
        uint64_t here;

        if (hs_pattern_check(&here, &block, &bench->pattern, source, NULL) != HS_OK)
            return task->count;
        wrong += here;
    }
    return wrong;
}

uint64_t hs_bench_wrong(struct hs_bench *bench, const struct hs_task *task)
{
    enum hs_outcome outcome = hs_collectives[task->collective].outcome;
    bool gathered = outcome == HS_OUTCOME_GATHERED;
    const struct hs_group *group = &bench->config.group;
    int64_t from = gathered ? 0 : place_of(bench), end = gathered ? group->size : from + 1;
    uint64_t wrong = 0;

    if (outcome == HS_OUTCOME_EXCHANGED)
        return wrong_exchanged(bench, task);
    for (int64_t owner = from; owner < end; owner++) {
        int64_t rank = hs_group_rank(group, bench->ranks->rank, owner);
        struct hs_elements block = block_of(bench, task, rank);
        uint64_t here;

        if (hs_pattern_check(&here, &block, &bench->pattern, gathered ? owner : HS_PATTERN_REDUCED,
                             NULL) != HS_OK)
            return task->count;
        wrong += here;
    }
    return wrong;
}

/* ---- a step ---- */

/* What all ranks know after a run. */
struct lap {
    double seconds, device_seconds; /* largest over ranks; device NaN: no such clock */
    double own_seconds;             /* of this rank, by the clock that `seconds` is of */
    bool failed;
};

static double device_seconds(const struct hs_bench *bench, enum hs_status status)
{
    const struct hs_engine *engine = bench->config.backend->engine;

    return engine->device_seconds && status == HS_OK ? engine->device_seconds(bench->engine) : -1;
}

/* Times and errors of all ranks; the lowest rank that failed says why. */
static struct lap meet(struct hs_bench *bench, struct hs_step_outcome *outcome, double seconds,
                       enum hs_status status, const struct hs_error *error)
{
    struct hs_ranks *ranks = bench->ranks;
    double device = device_seconds(bench, status);
    double values[3] = {seconds, device, status == HS_OK ? 0 : ranks->np - ranks->rank};
    struct lap lap = {.device_seconds = NAN, .own_seconds = seconds};

    hs_ranks_largest(ranks, values, 3);
    lap.seconds = values[0];
    if (values[1] >= 0)
        lap.device_seconds = values[1];
    if (bench->config.backend->virtual_clock && values[1] >= 0) {
        lap.seconds = values[1];
        lap.own_seconds = device;
    }
    if (values[2] > 0) {
        int failed_rank = ranks->np - (int)values[2];

        lap.failed = outcome->failed = true;
        if (ranks->rank == failed_rank)
            snprintf(outcome->reason, sizeof(outcome->reason), "rank %d: %.200s", failed_rank,
                     error->message);
        hs_ranks_broadcast(ranks, outcome->reason, sizeof(outcome->reason), failed_rank);
    }
    return lap;
}

/* What the guard is to expect of one run: an engine that recovers gives up by itself after the
 * timeout, and has time to do so. */
static void expect_run(const struct hs_bench *bench, const char *doing, const struct hs_step *step)
{
    const struct hs_backend *backend = bench->config.backend;
    char what[HS_GUARD_WHAT], name[HS_STEP_TEXT];

    if (!bench->guard)
        return;
    snprintf(what, sizeof(what), "%s %s", doing,
             hs_step_format(name, step, backend->engine->natives));
    expect(bench, what, step->item,
           bench->config.timeout_seconds + (backend->engine->recover ? RECOVER_SECONDS : 0));
}

static struct lap time_run(struct hs_bench *bench, const struct hs_step *step,
                           struct hs_step_outcome *outcome)
{
    bool is_virtual = bench->config.backend->virtual_clock;
    struct hs_error error = {.status = HS_OK};
    enum hs_status status;
    struct lap lap;
    double start;

    if (!is_virtual)
        hs_ranks_barrier(bench->ranks);
    start = hs_clock_seconds();
    status = hs_bench_run(bench, &step->task, step->timed, &error);
    lap = meet(bench, outcome, hs_clock_seconds() - start, status, &error);
    if (is_virtual && !isnan(lap.device_seconds))
        bench->virtual_seconds += lap.seconds;
    return lap;
}

/* How many runs are held at a time; the eager one took that long, on all ranks alike. */
static int runs_to_hold(const struct hs_bench *bench, const struct hs_work *work,
                        double eager_seconds)
{
    int most = bench->config.backend->engine->runs_to_hold(bench->engine, work);
    double wanted = eager_seconds > 0 ? floor(HELD_SECONDS / eager_seconds) : most;

    return wanted < 1 ? 1 : wanted < most ? (int)wanted : most;
}

/* Seconds of one of several runs, without what the host adds: they begin when all are issued, on
 * all ranks. */
static struct lap time_held(struct hs_bench *bench, const struct hs_step *step,
                            struct hs_step_outcome *outcome, double eager_seconds)
{
    const struct hs_engine *engine = bench->config.backend->engine;
    struct hs_work work = work_of(bench, &step->task, false);
    struct hs_error error = {.status = HS_OK};
    bool done = false, moved;
    enum hs_status status;
    struct lap lap;

    hs_ranks_barrier(bench->ranks);
    status = engine->hold(bench->engine, &work, runs_to_hold(bench, &work, eager_seconds), &error);
    hs_ranks_barrier(bench->ranks);
    engine->go(bench->engine);
    while (status == HS_OK && !done) {
        status = engine->test(bench->engine, &done, &moved, &error);
        hs_idle_looked(&bench->ranks->idle, moved || done);
    }
    lap = meet(bench, outcome, 0, status, &error);
    lap.seconds = lap.device_seconds;
    lap.own_seconds = device_seconds(bench, status);
    return lap;
}

/* Communicators and scratch, then the runs that are not counted. */
static void begin(struct hs_bench *bench, const struct hs_step *step,
                  struct hs_step_outcome *outcome)
{
    struct hs_error error = {.status = HS_OK};

    if (step->prepare) {
        expect_run(bench, "preparing", step);
        (void)meet(bench, outcome, 0, hs_bench_prepare(bench, &step->task, &error), &error);
        lay(bench, &step->task);
    }
    for (int i = 0; i < step->rules.warmup_runs && !outcome->failed; i++) {
        expect_run(bench, step->task.kind == HS_TASK_STAGE ? "timing" : "warming up", step);
        (void)time_run(bench, step, outcome);
    }
}

/* A rank that is early waits in its next stage, so what one rank is slow in shows up on all ranks
 * somewhere: means add up to the whole, maxima would count such time twice. */
static void share_stages(struct hs_bench *bench, const struct hs_step *step,
                         struct hs_step_outcome *outcome)
{
    double *seconds = outcome->stage_seconds;

    if (!step->timed)
        return;
    bench->config.backend->engine->stage_seconds(bench->engine, seconds);
    hs_ranks_sum(bench->ranks, seconds, HS_STAGES_MAX);
    for (int s = 0; s < HS_STAGES_MAX; s++)
        seconds[s] /= bench->ranks->np;
}

/* What a lap adds to the outcome; `eager`: the run before it, by the host's clock, or NULL. */
static enum hs_status add_lap(struct hs_step_outcome *outcome, const struct lap *lap,
                              const struct lap *eager, struct hs_error *err)
{
    enum hs_status status = hs_samples_add(&outcome->seconds, lap->seconds, err);

    if (status == HS_OK && !isnan(lap->device_seconds))
        status = hs_samples_add(&outcome->device, lap->device_seconds, err);
    if (status == HS_OK && eager)
        status = hs_samples_add(&outcome->eager, eager->seconds, err);
    return status;
}

/* What is wrong, and which group it is in: the first, where they are several. */
static void verify(struct hs_bench *bench, const struct hs_step *step,
                   struct hs_step_outcome *outcome)
{
    struct hs_ranks *ranks = bench->ranks;
    double wrong = (double)hs_bench_wrong(bench, &step->task);
    double first = wrong > 0 ? ranks->np - ranks->rank : 0;

    hs_ranks_sum(ranks, &wrong, 1);
    hs_ranks_largest(ranks, &first, 1);
    outcome->wrong_elements = (uint64_t)wrong;
    outcome->wrong_rank = ranks->np - (int)first;
}

/* One run that counts; its time is added on every rank, this rank's to `own`. Where the engine can
 * hold runs it is those that count, after one by itself. */
static enum hs_status sample(struct hs_bench *bench, const struct hs_step *step,
                             struct hs_step_outcome *outcome, struct hs_samples *own,
                             struct hs_error *err)
{
    bool holds = bench->config.backend->engine->hold && !step->timed;
    struct lap lap, eager;
    enum hs_status status;

    expect_run(bench,
               step->timed                        ? "timing the layers of"
               : step->task.kind == HS_TASK_STAGE ? "timing"
                                                  : "sampling",
               step);
    if (step->verify)
        hs_bench_spoil(bench, &step->task);
    lap = time_run(bench, step, outcome);
    if (lap.failed)
        return HS_OK;
    if (step->verify)
        verify(bench, step, outcome);
    share_stages(bench, step, outcome);
    eager = lap;
    if (holds)
        lap = time_held(bench, step, outcome, eager.seconds);
    if (lap.failed)
        return HS_OK;
    status = add_lap(outcome, &lap, holds ? &eager : NULL, err);
    if (status == HS_OK && step->by_rank)
        status = hs_samples_add(own, lap.own_seconds, err);
    return status;
}

/* Rank 0 decides, by its clock. Out of memory is a rank's own until all are done. */
static bool wants_more(struct hs_bench *bench, const struct hs_step *step,
                       const struct hs_step_outcome *outcome, double begin_seconds)
{
    const struct hs_rules *rules = &step->rules;
    size_t count = outcome->seconds.count;
    bool more =
        count < rules->max_samples &&
        hs_bench_elapsed(bench) - begin_seconds < rules->budget_seconds &&
        (count < rules->min_samples || !hs_samples_precise(&outcome->seconds, rules->precision));

    if (rules->max_samples == 1)
        return false;
    hs_ranks_broadcast(bench->ranks, &more, sizeof(more), 0);
    return more;
}

/* What hangs is given up; where the engine cannot mend itself it is left as it is. */
static enum hs_status mend(struct hs_bench *bench, const struct hs_step *step,
                           struct hs_step_outcome *outcome, struct hs_error *err)
{
    const struct hs_engine *engine = bench->config.backend->engine;

    if (!engine->recover)
        return HS_OK;
    expect_run(bench, "recovering from", step);
    return engine->recover(bench->engine, &outcome->timed_out, err);
}

/* The ranks' medians on rank 0. */
static enum hs_status gather(struct hs_bench *bench, struct hs_step_outcome *outcome,
                             const struct hs_samples *own, struct hs_error *err)
{
    struct hs_ranks *ranks = bench->ranks;
    enum hs_status status = HS_OK;

    if (ranks->rank == 0 && !(outcome->rank_seconds = calloc((size_t)ranks->np, sizeof(double))))
        status = hs_fail(err, HS_MEMORY, "out of memory for the times of %d ranks", ranks->np);
    status = hs_ranks_agree(ranks, status, err);
    if (status == HS_OK)
        hs_ranks_gather(ranks, hs_samples_median(own), outcome->rank_seconds);
    return status;
}

enum hs_status hs_bench_step(struct hs_bench *bench, const struct hs_step *step,
                             struct hs_step_outcome *outcome, struct hs_error *err)
{
    double begin_seconds = hs_bench_elapsed(bench);
    struct hs_samples own = {.values = NULL};
    enum hs_status status = HS_OK;
    bool more = true;

    hs_step_outcome_clear(outcome);
    begin(bench, step, outcome);
    while (more && !outcome->failed) {
        enum hs_status sampled = sample(bench, step, outcome, &own, err);

        status = status == HS_OK ? sampled : status;
        more = !outcome->failed && wants_more(bench, step, outcome, begin_seconds);
    }
    if (outcome->failed && status == HS_OK)
        status = mend(bench, step, outcome, err);
    if (step->rules.max_samples > 1) /* else a rank that is out of memory says so at the end */
        status = hs_ranks_agree(bench->ranks, status, err);
    if (status == HS_OK && step->by_rank && !outcome->failed)
        status = gather(bench, outcome, &own, err);
    if (step->prepare && !outcome->failed && bench->config.backend->engine->choices)
        bench->config.backend->engine->choices(bench->engine, outcome->choices);
    outcome->cost_seconds = hs_bench_elapsed(bench) - begin_seconds;
    hs_samples_release(&own);
    return status;
}
