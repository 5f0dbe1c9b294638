/*
 * null.c - backend `null`: plays the model instead of moving data, to test everything around it.
 *
 * A run takes no time. Its device_seconds is hs_plan_cost(system, plan, bytes that travel, padding
 * included) times what `faults` says (faults.h). Noise is drawn from the seed, the plan, the
 * message size, and the number of the run of that plan: a job that is resumed, or that measures in
 * another order, draws the same. Each run puts the expected result of the first few elements into
 * the output, and only those are verified, so any number of processes and any message size will do.
 * A layer alone that is the whole flat split fails, hangs and crashes as that plan does.
 *
 * Its baseline, "model flat ring", is the predicted time of the flat split with noise, outlier,
 * slow and delay, but without the faults of plans.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/faults.h"
#include "model/price.h"
#include "runner/backend.h"
#include "runner/check.h"
#include "runner/layer_comms.h"
#include "runner/pattern.h"
#include "runner/reduce.h"
#include "runner/stages.h"

/* Elements that are really there. */
#define ELEMENTS_MAX      64
#define ELEMENT_BYTES_MAX sizeof(double)

/* How often something has run; its name is a plan's text, or says the layer or the baseline. */
struct counter {
    char what[HS_SPLIT_TEXT + 32];
    uint64_t runs;
    struct counter *next;
};

struct null_state {
    int rank, np;
    size_t count, width;
    uint64_t seed;
    const struct hs_system *system; /* the caller's */
    struct hs_faults faults;
    struct hs_pattern pattern;
    size_t kept; /* elements of the following */
    char expected[ELEMENTS_MAX * ELEMENT_BYTES_MAX], output[ELEMENTS_MAX * ELEMENT_BYTES_MAX];
    double seconds; /* of the last run, on this rank */
    struct counter *counters;
};

static bool null_available(char *why, size_t why_bytes)
{
    if (why_bytes > 0)
        why[0] = '\0';
    return true;
}

/* Every rank reduces the inputs of all ranks, as far as elements are kept. */
static void make_expected(struct null_state *state)
{
    char other[sizeof state->expected];
    enum hs_datatype datatype = state->pattern.datatype;
    enum hs_operation operation = state->pattern.operation;
    hs_pattern_fill(state->expected, &state->pattern, 0, 0, state->kept);
    for (int rank = 1; rank < state->np; rank++) {
        hs_pattern_fill(other, &state->pattern, rank, 0, state->kept);
        hs_reduce(state->expected, state->expected, other, state->kept, datatype, operation);
    }
    hs_reduce_finish(state->expected, state->kept, datatype, operation, state->np);
}

static enum hs_status init(struct null_state *state, const struct hs_backend_config *config,
                           struct hs_error *err)
{
    CHECK_MPI(MPI_Comm_rank(config->world, &state->rank));
    CHECK_MPI(MPI_Comm_size(config->world, &state->np));
    if (config->system == NULL)
        return hs_fail(err, HS_INVALID, "the null backend plays a model: it needs a SYSTEM");
    state->count = config->count;
    state->width = hs_datatype_bytes(config->datatype);
    state->seed = config->seed;
    state->system = config->system;
    state->pattern = (struct hs_pattern){config->datatype, config->operation, state->np};
    state->kept = state->count < ELEMENTS_MAX ? state->count : ELEMENTS_MAX;
    make_expected(state);
    return hs_faults_parse(&state->faults, config->faults, state->np, err);
}

static enum hs_status null_open(void **out, const struct hs_backend_config *config,
                                struct hs_error *err)
{
    struct null_state *state = calloc(1, sizeof *state);
    struct hs_idle idle;
    enum hs_status status;
    if (state != NULL)
        status = init(state, config, err);
    else
        status = hs_fail(err, HS_MEMORY, "out of memory for the null backend");
    hs_idle_init(&idle, config->world);
    status = hs_agree(config->world, &idle, status, err);
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
    while (counter != NULL && strcmp(counter->what, what) != 0)
        counter = counter->next;
    if (counter == NULL) {
        counter = calloc(1, sizeof *counter);
        if (counter == NULL)
            return UINT64_MAX;
        snprintf(counter->what, sizeof counter->what, "%s", what);
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

/* Common to all that runs: sets the time, predicted `seconds` times the faults' factor, and the
 * factor. */
static enum hs_status play(struct null_state *state, const char *what, double seconds,
                           double *factor, struct hs_error *err)
{
    uint64_t run = count_run(state, what);
    if (run == UINT64_MAX)
        return hs_fail(err, HS_MEMORY, "out of memory for the null backend");
    wait_really(hs_faults_delay_seconds(&state->faults));
    uint64_t draw = hs_faults_draw(state->seed, what, state->count * state->width, run);
    *factor = hs_faults_factor(&state->faults, draw, state->rank);
    state->seconds = seconds * *factor;
    memcpy(state->output, state->expected, state->kept * state->width);
    return HS_OK;
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

static enum hs_status null_prepare(void *opaque, const struct hs_plan *plan, struct hs_error *err)
{
    const struct null_state *state = opaque;
    int64_t product = hs_split_product(&plan->split);
    if (product != state->np)
        return hs_fail(err, HS_INVALID, "the split is for %lld processes, there are %d",
                       (long long)product, state->np);
    return HS_OK;
}

static size_t null_padded_count(const void *opaque, const struct hs_plan *plan)
{
    const struct null_state *state = opaque;
    return hs_stages_padded(&plan->split, state->count);
}

static void fill_times(struct hs_layer_times *times, const struct hs_plan_cost *cost, double factor)
{
    *times = (struct hs_layer_times){0};
    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];
        double seconds = stage->seconds * factor / hs_phase_calls(stage->key.phase);

        if (stage->key.phase != HS_ALLGATHER)
            times->reduce_scatter[stage->layer] = seconds;
        if (stage->key.phase == HS_ALLGATHER || stage->key.phase == HS_PAIR)
            times->allgather[stage->layer] = seconds;
    }
}

static enum hs_status null_run(void *opaque, const struct hs_plan *plan,
                               struct hs_layer_times *times, struct hs_error *err)
{
    struct null_state *state = opaque;
    char what[HS_SPLIT_TEXT];
    double bytes = (double)null_padded_count(state, plan) * (double)state->width;
    double bias = hs_faults_bias(&state->faults, plan), factor;
    struct hs_problem problem = hs_problem_world(state->np, bytes);
    struct hs_plan_cost cost = hs_plan_cost(state->system, &problem, plan);
    hs_plan_format(what, plan);
    enum hs_status status = play(state, what, cost.seconds * bias, &factor, err);
    if (status == HS_OK)
        status = suffer(state, plan, err);
    if (status != HS_OK)
        return status;
    if (times != NULL)
        fill_times(times, &cost, bias * factor);
    if (state->rank == 0 && hs_faults_hit(&state->faults, HS_FAULT_WRONG, plan))
        state->output[0] = (char)(state->output[0] ^ 1);
    return HS_OK;
}

static enum hs_status null_run_layer(void *opaque, struct hs_layer layer, enum hs_phase phase,
                                     size_t count, struct hs_error *err)
{
    struct null_state *state = opaque;
    char what[sizeof state->counters->what];
    double factor;
    if (layer.stride < 1 || layer.size < 1 || state->np % (layer.stride * layer.size) != 0)
        return hs_fail(err, HS_INVALID,
                       "layer of %lld at stride %lld: expected their product to divide %d",
                       (long long)layer.size, (long long)layer.stride, state->np);
    struct hs_plan flat = hs_plan_flat(state->np);
    bool is_flat = layer.stride == 1 && layer.size == state->np;
    enum hs_status status = is_flat ? suffer(state, &flat, err) : HS_OK;
    if (status != HS_OK)
        return status;
    struct hs_stage_price price =
        hs_stage_price(state->system, state->np, (struct hs_stage_key){phase, HS_RING, layer});
    double seconds = hs_stage_seconds(&price, (double)count * (double)state->width);
    snprintf(what, sizeof what, "%s of %lld at stride %lld, %zu elements", hs_phase_names[phase],
             (long long)layer.size, (long long)layer.stride, count);
    return play(state, what, seconds, &factor, err);
}

static enum hs_status run_flat(void *opaque, struct hs_error *err)
{
    struct null_state *state = opaque;
    struct hs_plan plan = hs_plan_flat(state->np);
    struct hs_problem problem =
        hs_problem_world(state->np, (double)state->count * (double)state->width);
    double factor, seconds = hs_plan_seconds(state->system, &problem, &plan);
    return play(state, "model flat ring", seconds, &factor, err);
}

/* All bits set is a NaN in every data type, and no pattern has one. */
static void null_spoil(void *opaque)
{
    struct null_state *state = opaque;
    memset(state->output, 0xff, sizeof state->output);
}

static uint64_t null_wrong_elements(void *opaque)
{
    const struct null_state *state = opaque;
    return hs_pattern_wrong(state->output, &state->pattern, 0, state->kept);
}

static size_t null_memory_bytes(const void *opaque)
{
    const struct null_state *state = opaque;
    size_t bytes = sizeof *state;
    for (const struct counter *counter = state->counters; counter != NULL; counter = counter->next)
        bytes += sizeof *counter;
    return bytes;
}

static double null_device_seconds(const void *opaque)
{
    const struct null_state *state = opaque;
    return state->seconds;
}

static void null_close(void *opaque)
{
    struct null_state *state = opaque;
    while (state != NULL && state->counters != NULL) {
        struct counter *counter = state->counters;
        state->counters = counter->next;
        free(counter);
    }
    free(state);
}

static const struct hs_baseline baselines[] = {{"model flat ring", run_flat}, {NULL, NULL}};

const struct hs_backend hs_backend_null = {
    .name = "null",
    .summary = "plays the model with noise and faults, moves no data (for tests)",
    .available = null_available,
    .open = null_open,
    .prepare = null_prepare,
    .run = null_run,
    .run_layer = null_run_layer,
    .spoil = null_spoil,
    .wrong_elements = null_wrong_elements,
    .memory_bytes = null_memory_bytes,
    .padded_count = null_padded_count,
    .device_seconds = null_device_seconds,
    .virtual_clock = true,
    .close = null_close,
    .baselines = baselines,
};
