/* main.c - see simulate.h. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/executors.h"
#include "engine/forests.h"
#include "engine/mpi_status.h"
#include "engine/packing.h"
#include "model/traffic.h"
#include "record/result.h"
#include "simulate/simulate.h"

/* From here on time runs; far enough in the future that every rank has heard of it. */
#define SETTLE_SECONDS    1.0
#define SEGMENT_BYTES_MAX ((size_t)1 << 30) /* an int counts a message's bytes */

struct simulation {
    void *engine;
    struct hs_forests forests;
    void *input, *output;
    size_t count, room; /* elements of a message, and with its padding */
    int rank, np;
};

static void must(enum hs_status status, const struct hs_error *err)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "hiersearch-simulate: %s\n", err->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static double largest(double mine)
{
    struct hs_error err;
    double all;

    must(HS_MPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), &err), &err);
    return all;
}

/* A barrier whose end is the same moment on all ranks. */
static double begin_together(void)
{
    double begin = largest(MPI_Wtime()) + SETTLE_SECONDS;

    sg_actor_sleep_until(begin);
    return begin;
}

static void run_to_end(struct simulation *simulation, const struct hs_work *work)
{
    const struct hs_engine *engine = hs_backend_host.engine;
    struct hs_idle idle = {.ranks_here = 1};
    struct hs_error err;
    bool done = false, moved;

    must(engine->start(simulation->engine, work, &err), &err);
    while (!done) {
        must(engine->test(simulation->engine, &done, &moved, &err), &err);
        hs_idle_looked(&idle, moved || done);
    }
}

/* Seconds of a candidate, and of its stages in their order. */
static enum hs_status keep(struct hs_candidate *candidate, const struct hs_task *task,
                           double seconds, const double *stages, struct hs_error *err)
{
    struct hs_problem problem = hs_task_problem(task);
    struct hs_measured *measured = hs_candidate_add_measured(candidate);
    struct hs_stage of_plan[HS_STAGES_MAX];
    int count = hs_problem_stages(of_plan, &problem, &candidate->plan);

    if (!measured || !(measured->samples_seconds = malloc(sizeof(*measured->samples_seconds))) ||
        !(measured->stages = calloc((size_t)count, sizeof(*measured->stages))))
        return hs_no_memory(err);
    measured->status = HS_MEASURE_OK;
    measured->median_seconds = measured->samples_seconds[0] = seconds;
    measured->sample_count = 1;
    measured->stage_count = (size_t)count;
    for (int s = 0; s < count; s++)
        measured->stages[s] = (struct hs_stage_time){of_plan[s].key, stages[s]};
    return HS_OK;
}

/* What a packed call copies, which takes none of the network's time: before a reduce-scatter,
 * behind an allgather, on every rank. */
static void copy(const struct hs_system *system, const struct hs_work *work, bool before)
{
    double bytes =
        (double)hs_task_padded(work->task, work->line) * (double)hs_datatype_bytes(work->datatype);

    if (hs_task_packs(work->task) && hs_collectives[work->task->collective].begins_large == before)
        sg_actor_sleep_for(bytes / hs_system_copy_rate(system));
}

static void run_plan(struct simulation *simulation, const struct hs_result *result,
                     struct hs_candidate *candidate)
{
    const struct hs_engine *engine = hs_backend_host.engine;
    struct hs_task task = {.kind = HS_TASK_PLAN,
                           .plan = candidate->plan,
                           .collective = result->collective,
                           .layout = result->layout,
                           .group = hs_result_group(result),
                           .count = simulation->count};
    struct hs_work work = {.task = &task,
                           .line = 1,
                           .datatype = HS_FLOAT32,
                           .operation = HS_SUM,
                           .input = simulation->input,
                           .output = simulation->output,
                           .room = simulation->room,
                           .timed = true};
    double stages[HS_STAGES_MAX], begin, seconds;
    struct hs_error err;

    must(engine->prepare(simulation->engine, &work, &err), &err);
    begin = begin_together();
    copy(&result->system, &work, true);
    run_to_end(simulation, &work);
    copy(&result->system, &work, false);
    seconds = largest(MPI_Wtime()) - begin;
    engine->stage_seconds(simulation->engine, stages);
    for (int s = 0; s < HS_STAGES_MAX; s++)
        stages[s] = largest(stages[s]);
    if (simulation->rank != 0)
        return;
    must(keep(candidate, &task, seconds, stages, &err), &err);
    puts("done");
    fflush(stdout);
}

/* Elements of a message. */
static size_t elements_of(uint64_t bytes)
{
    size_t width = hs_datatype_bytes(HS_FLOAT32);

    return ((size_t)bytes + width - 1) / width;
}

/* A message with its padding; the largest block is half of it, and a ring's window, and as many
 * slots again, are cut from two segments. Trees on links have a part of them for each neighbour. */
static void open_engine(struct simulation *simulation, const struct hs_system *system)
{
    const struct hs_memory *memory = &hs_memory_host;
    size_t bytes = simulation->room * hs_datatype_bytes(HS_FLOAT32);
    bool links = system->levels[0].fabric == HS_FABRIC_LINKS;
    size_t segment =
        HS_RING_DEPTH * ((bytes / 2 + 63) / 64 * 64) * (links ? 2 * (size_t)simulation->np : 1);
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD,
                                      .memory = memory,
                                      .segment_bytes =
                                          segment < SEGMENT_BYTES_MAX ? segment : SEGMENT_BYTES_MAX,
                                      .segments_in_flight = 1};
    struct hs_idle idle = {.ranks_here = 1};
    struct hs_error err;

    hs_waiting_init(simulation->np, system->launch_seconds);
    hs_shared_pages_init(hs_most(HS_SCRATCH_LEAST, hs_most(bytes, 2 * config.segment_bytes)));
    must(memory->allocate(&simulation->input, bytes, "the input", &err), &err);
    must(memory->allocate(&simulation->output, bytes, "the output", &err), &err);
    must(hs_forests_make(&simulation->forests, system, MPI_COMM_WORLD, &idle, &err), &err);
    if (simulation->forests.units > 0)
        config.forests = &simulation->forests;
    must(hs_backend_host.open(&simulation->engine, &config, &err), &err);
}

static enum hs_status describe(struct hs_result *result, struct hs_error *err)
{
    char version[64];
    int major, minor, patch;

    sg_version_get(&major, &minor, &patch);
    snprintf(version, sizeof(version), "%d.%d.%d", major, minor, patch);
    result->backend = hs_strdup("simgrid");
    result->note = hs_strdup("simulated, not measured: times are those of SimGrid's network, "
                             "computing takes none, and data was not checked");
    if (!result->backend || !result->note)
        return hs_no_memory(err);
    return hs_result_set_version(result, "simgrid", version, err);
}

/* Says what was simulated, and writes it in place of what was to be. */
static enum hs_status finish(struct hs_result *result, const char *path, struct hs_error *err)
{
    struct hs_result_message *message = &result->messages[0];
    struct hs_plan plan = hs_result_flat(result);
    const struct hs_candidate *flat = hs_result_candidate(message, &plan);
    enum hs_status status = describe(result, err);

    if (flat)
        message->flat_seconds = flat->measured->median_seconds;
    if (status == HS_OK)
        status = hs_result_rank(message, err);
    return status == HS_OK ? hs_result_save(result, path, err) : status;
}

/* All ranks are in one process: whoever comes first reads the file for all. */
static struct hs_result *read_once(const char *path, int np)
{
    static struct hs_result result;
    struct hs_error err;

    if (!result.command)
        must(hs_result_load(&result, path, &err), &err);
    if (result.np != np || result.message_count != 1)
        must(hs_fail(&err, HS_INVALID, "%s: expected one message for %d ranks", path, np), &err);
    return &result;
}

int main(int argc, char **argv)
{
    struct simulation simulation = {.engine = NULL};
    struct hs_result *result;
    struct hs_result_message *message;
    struct hs_error err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &simulation.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &simulation.np);
    if (argc != 2)
        must(hs_fail(&err, HS_INVALID, "expected RESULT_FILE, under smpirun"), &err);
    result = read_once(argv[1], simulation.np);
    message = &result->messages[0];
    simulation.count = elements_of(message->message_bytes);
    simulation.room = simulation.count + (size_t)simulation.np;
    open_engine(&simulation, &result->system);
    for (size_t i = 0; i < message->candidate_count; i++)
        run_plan(&simulation, result, &message->candidates[i]);
    must(HS_MPI(MPI_Barrier(MPI_COMM_WORLD), &err), &err); /* nobody reads the plans any more */
    if (simulation.rank == 0)
        must(finish(result, argv[1], &err), &err);
    hs_backend_host.engine->close(simulation.engine);
    hs_forests_release(&simulation.forests);
    MPI_Finalize();
    return 0;
}
