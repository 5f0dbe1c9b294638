/* null.c - see null.h. */
#include "runner/null.h"
#include "library/price_plan.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/faults.h"
#include "engine/layer_comms.h"
#include "engine/mpi_status.h"
#include "runner/pattern.h"

/* How often something has run; its name is a plan's text, or says the stage or the native. */
struct counter {
    char what[HS_SPLIT_TEXT + 64];
    uint64_t runs;
    struct counter *next;
};

struct null_state {
    int rank, np;
    struct hs_play play; /* the caller's */
    struct hs_faults faults;
    /* The reduction, as far as elements are there; made for this work. */
    char expected[HS_NULL_ELEMENTS * sizeof(double)];
    struct {
        size_t count;
        enum hs_datatype datatype;
        enum hs_operation operation;
    } made;
    double seconds; /* of the last run, on this rank */
    double stage_seconds[HS_STAGES_MAX];
    struct counter *counters;
};

static const char model_ring[] = "model flat ring";
static const char *const natives[HS_COLLECTIVE_COUNT][HS_NATIVES_MAX + 1] = {
#define HS_ROW(name, text, words, meaning) {model_ring},
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
};

static enum hs_status init(struct null_state *state, const struct hs_engine_config *config,
                           struct hs_error *err)
{
    const struct hs_play *play = config->play;
    enum hs_status status;

    if ((status = HS_MPI(MPI_Comm_rank(config->comm, &state->rank), err)) ||
        (status = HS_MPI(MPI_Comm_size(config->comm, &state->np), err)))
        return status;
    if (!play || !play->system)
        return hs_fail(err, HS_INVALID, "the null backend plays a model: it needs a SYSTEM");
    state->play = *play;
    return hs_faults_parse(&state->faults, play->faults, state->np,
                           play->callers > 0 ? play->callers : state->np, err);
}

static enum hs_status null_open(void **out, const struct hs_engine_config *config,
                                struct hs_error *err)
{
    struct null_state *state = calloc(1, sizeof(*state));
    struct hs_idle idle = {.oversubscribed = true};
    enum hs_status status = state ? init(state, config, err) : hs_no_memory(err);

    status = hs_agree(config->comm, &idle, status, err);
    if (status != HS_OK) {
        free(state);
        state = NULL;
    }
    *out = state;
    return status;
}

/* The number of the coming run of `what`, from 0; UINT64_MAX where memory is short. */
static uint64_t count_run(struct null_state *state, const char *what)
{
    struct counter *counter = state->counters;

    while (counter && strcmp(counter->what, what) != 0)
        counter = counter->next;
    if (!counter) {
        counter = calloc(1, sizeof(*counter));
        if (!counter)
            return UINT64_MAX;
        snprintf(counter->what, sizeof(counter->what), "%s", what);
        counter->next = state->counters;
        state->counters = counter;
    }
    return counter->runs++;
}

/* A signal handler may set its mark in the middle; the wait then goes on, so that ranks stay
 * together. */
static void wait_really(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* Reduces the inputs of all ranks of this one's group. */
static void make_expected(struct null_state *state, const struct hs_work *work, size_t count)
{
    struct hs_group group = hs_task_group(work->task, state->np);
    struct hs_pattern pattern = {work->datatype, work->operation, group.size, false};
    struct hs_reduction reduction = {work->datatype, work->operation, 0};
    size_t begin = hs_pattern_begin(&group, state->rank, work->room);
    char other[sizeof(state->expected)];

    hs_pattern_fill(state->expected, &pattern, 0, begin, count);
    for (int64_t place = 1; place < group.size; place++) {
        hs_pattern_fill(other, &pattern, place, begin, count);
        hs_reduce(state->expected, state->expected, other, count, reduction);
    }
    reduction.divisor = group.size;
    hs_reduce_finish(state->expected, count, reduction);
    state->made.count = count;
    state->made.datatype = work->datatype;
    state->made.operation = work->operation;
}

/* A rank's block, as far as its elements are there. */
static struct hs_block block_there(const struct hs_work *work, int64_t rank)
{
    struct hs_block block = hs_task_block(work->task, work->line, rank);
    size_t there = work->task->count < HS_NULL_ELEMENTS ? work->task->count : HS_NULL_ELEMENTS;

    block.first = block.first < there ? block.first : there;
    block.count = block.count < there - block.first ? block.count : there - block.first;
    return block;
}

/* Each rank's block as it has it. */
static void write_gathered(const struct null_state *state, const struct hs_work *work)
{
    struct hs_group group = hs_task_group(work->task, state->np);
    struct hs_pattern pattern = {work->datatype, work->operation, group.size, false};
    size_t begin = hs_pattern_begin(&group, state->rank, work->room);
    size_t width = hs_datatype_bytes(work->datatype);

    for (int64_t place = 0; place < group.size; place++) {
        struct hs_block block = block_there(work, hs_group_rank(&group, state->rank, place));

        hs_pattern_fill((char *)work->output + block.first * width, &pattern, place,
                        begin + block.first, block.count);
    }
}

/* Block k as place k of the group has it, where it lies behind those of lower places. */
static void write_exchanged(const struct null_state *state, const struct hs_work *work)
{
    struct hs_group group = hs_task_group(work->task, state->np);
    struct hs_pattern pattern = {work->datatype, work->operation, group.size, true};
    size_t width = hs_datatype_bytes(work->datatype);
    size_t part = hs_task_padded(work->task, work->line) / (size_t)group.size;
    size_t there = work->room < HS_NULL_ELEMENTS ? work->room : HS_NULL_ELEMENTS;
    size_t first = hs_pattern_begin(&group, state->rank, work->room) +
                   (size_t)hs_group_place(&group, state->rank) * part;

    for (int64_t source = 0; source < group.size && (size_t)source * part < there; source++) {
        size_t at = (size_t)source * part, count = there - at < part ? there - at : part;

        hs_pattern_fill((char *)work->output + at * width, &pattern, source, first, count);
    }
}

static void write_reduced(struct null_state *state, const struct hs_work *work)
{
    size_t count = work->task->count < HS_NULL_ELEMENTS ? work->task->count : HS_NULL_ELEMENTS;
    size_t width = hs_datatype_bytes(work->datatype);
    struct hs_block mine = block_there(work, state->rank);

    if (state->made.count != count || state->made.datatype != work->datatype ||
        state->made.operation != work->operation)
        make_expected(state, work, count);
    memcpy((char *)work->output + mine.first * width, state->expected + mine.first * width,
           mine.count * width);
}

static void write_expected(struct null_state *state, const struct hs_work *work)
{
    if (work->task->kind == HS_TASK_STAGE)
        return; /* what is played is not checked */
    switch (hs_collectives[work->task->collective].outcome) {
    case HS_OUTCOME_GATHERED:
        write_gathered(state, work);
        break;
    case HS_OUTCOME_EXCHANGED:
        write_exchanged(state, work);
        break;
    case HS_OUTCOME_REDUCED:
        write_reduced(state, work);
        break;
    }
}

/* Faults that a plan does not survive. */
static enum hs_status suffer(struct null_state *state, const struct hs_plan *plan,
                             struct hs_error *err)
{
    char text[HS_SPLIT_TEXT];

    while (hs_faults_hit(&state->faults, HS_FAULT_HANG, plan))
        sleep(1);
    if (state->rank == state->np - 1 && hs_faults_hit(&state->faults, HS_FAULT_CRASH, plan))
        raise(SIGKILL);
    if (hs_faults_hit(&state->faults, HS_FAULT_FAIL, plan))
        return hs_fail(err, HS_FAILED, "%s: failed as --faults asks for",
                       hs_plan_format(text, plan));
    return HS_OK;
}

/* Common to all that runs: sets the time, predicted `seconds` times the faults' factor, and the
 * factor. */
static enum hs_status play(struct null_state *state, const struct hs_work *work, const char *what,
                           double seconds, double *factor, struct hs_error *err)
{
    uint64_t run = count_run(state, what), draw;
    size_t bytes = work->task->count * hs_datatype_bytes(work->datatype);

    if (run == UINT64_MAX)
        return hs_no_memory(err);
    wait_really(hs_faults_delay_seconds(&state->faults));
    draw = hs_faults_draw(state->play.seed, what, bytes, run);
    *factor = hs_faults_factor(&state->faults, draw, state->rank);
    state->seconds = seconds * *factor;
    write_expected(state, work);
    return HS_OK;
}

/* The first element that is this rank's, or of all where none of those is there. */
static void spoil(const struct null_state *state, const struct hs_work *work)
{
    struct hs_block block = block_there(work, state->rank);
    size_t first = block.count > 0 ? block.first : 0;
    char *at = (char *)work->output + first * hs_datatype_bytes(work->datatype);

    if (hs_faults_wrong_rank(&state->faults, &work->task->plan) == state->rank)
        *at = (char)(*at ^ 1);
}

/* A cost has one entry for both stages of a layer where they go by the same algorithm. */
static void fill_stages(struct null_state *state, const struct hs_plan_cost *cost,
                        const struct hs_problem *problem, const struct hs_plan *plan, double factor)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);

    for (int s = 0; s < count; s++)
        for (int i = 0; i < cost->count; i++) {
            struct hs_stage_key key = cost->stages[i].key;
            double gaps = plan->chunks * hs_stage_gap_seconds(state->play.system, problem, key);
            double copy = problem->layout == HS_PACKED
                              ? hs_order_seconds(state->play.system, problem, key.layer)
                              : 0;

            if (cost->stages[i].layer == stages[s].layer &&
                (key.phase == HS_PAIR || key.phase == stages[s].key.phase))
                state->stage_seconds[s] =
                    (cost->stages[i].seconds - gaps - copy) * factor / hs_phase_calls(key.phase);
        }
}

static struct hs_problem problem_of(const struct null_state *state, const struct hs_task *task,
                                    double bytes)
{
    return (struct hs_problem){task->collective, hs_task_group(task, state->np), bytes,
                               task->layout};
}

static enum hs_status play_plan(struct null_state *state, const struct hs_work *work,
                                struct hs_error *err)
{
    const struct hs_plan *plan = &work->task->plan;
    size_t padded = hs_task_padded(work->task, work->line);
    double bytes = (double)padded * (double)hs_datatype_bytes(work->datatype);
    double bias = hs_faults_bias(&state->faults, plan), factor;
    struct hs_problem problem = problem_of(state, work->task, bytes);
    struct hs_plan_cost cost = hs_plan_cost(state->play.system, &problem, plan);
    char what[HS_SPLIT_TEXT];
    enum hs_status status;

    hs_plan_format(what, plan);
    status = play(state, work, what, cost.seconds * bias, &factor, err);
    if (status == HS_OK)
        status = suffer(state, plan, err);
    if (status != HS_OK)
        return status;
    fill_stages(state, &cost, &problem, plan, bias * factor);
    spoil(state, work);
    return HS_OK;
}

static enum hs_status play_stage(struct null_state *state, const struct hs_work *work,
                                 struct hs_error *err)
{
    struct hs_stage_key key = work->task->stage;
    size_t count = work->task->count;
    double bytes = (double)count * (double)hs_datatype_bytes(work->datatype);
    struct hs_stage_price price = hs_stage_price(state->play.system, state->np, key);
    struct hs_plan flat = hs_plan_flat(state->np);
    bool is_flat = key.layer.stride == 1 && key.layer.size == state->np;
    char what[sizeof(state->counters->what)];
    double factor;
    enum hs_status status = is_flat ? suffer(state, &flat, err) : HS_OK;

    if (status != HS_OK)
        return status;
    snprintf(what, sizeof(what), "%s of %lld at stride %lld, %zu elements",
             hs_phase_names[key.phase], (long long)key.layer.size, (long long)key.layer.stride,
             count);
    return play(state, work, what, hs_stage_seconds(&price, bytes), &factor, err);
}

static enum hs_status play_native(struct null_state *state, const struct hs_work *work,
                                  struct hs_error *err)
{
    double bytes =
        (double)hs_task_padded(work->task, work->line) * (double)hs_datatype_bytes(work->datatype);
    struct hs_problem problem = problem_of(state, work->task, bytes);
    struct hs_plan plan = hs_problem_flat(&problem);
    double factor, seconds = hs_plan_seconds(state->play.system, &problem, &plan);

    return play(state, work, model_ring, seconds, &factor, err);
}

static enum hs_status null_prepare(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    const struct null_state *state = opaque;

    return hs_work_check(work, state->np, err);
}

static enum hs_status null_start(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct null_state *state = opaque;
    enum hs_status status = hs_work_check(work, state->np, err);

    if (status != HS_OK)
        return status;
    switch (work->task->kind) {
    case HS_TASK_PLAN:
        return play_plan(state, work, err);
    case HS_TASK_STAGE:
        return play_stage(state, work, err);
    case HS_TASK_NATIVE:
        break;
    }
    return play_native(state, work, err);
}

static enum hs_status null_test(void *opaque, bool *done, bool *moved, struct hs_error *err)
{
    (void)opaque, (void)err;
    *done = *moved = true;
    return HS_OK;
}

static void null_stage_seconds(void *opaque, double seconds[HS_STAGES_MAX])
{
    const struct null_state *state = opaque;

    memcpy(seconds, state->stage_seconds, sizeof(state->stage_seconds));
}

static double null_device_seconds(const void *opaque)
{
    const struct null_state *state = opaque;

    return state->seconds;
}

static size_t null_memory_bytes(const void *opaque)
{
    const struct null_state *state = opaque;
    size_t bytes = sizeof(*state);

    for (const struct counter *counter = state->counters; counter; counter = counter->next)
        bytes += sizeof(*counter);
    return bytes;
}

static void null_describe(const void *opaque, char *text, size_t bytes)
{
    (void)opaque;
    if (bytes > 0)
        text[0] = '\0';
}

static void null_close(void *opaque)
{
    struct null_state *state = opaque;

    while (state && state->counters) {
        struct counter *counter = state->counters;

        state->counters = counter->next;
        free(counter);
    }
    free(state);
}

static const struct hs_engine engine = {
    .prepare = null_prepare,
    .start = null_start,
    .test = null_test,
    .stage_seconds = null_stage_seconds,
    .device_seconds = null_device_seconds,
    .memory_bytes = null_memory_bytes,
    .describe = null_describe,
    .close = null_close,
    .natives = natives,
};

const struct hs_backend hs_backend_null = {
    .name = "null",
    .memory_use = HS_MEMORY_OWN,
    .own_memory = &hs_memory_host,
    .open = null_open,
    .engine = &engine,
    .any_algorithm = true,
    .virtual_clock = true,
};
