/* main.c - see simulate.h. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/mpi_status.h"
#include "model/plan.h"
#include "simulate/simulate.h"

/* From here on time runs; far enough in the future that every rank has heard of it. */
#define SETTLE_SECONDS    1.0
#define SEGMENT_BYTES_MAX ((size_t)1 << 30) /* an int counts a message's bytes */

struct simulation {
    void *engine;
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

static void run_plan(struct simulation *simulation, const struct hs_plan *plan)
{
    const struct hs_engine *engine = hs_backend_host.engine;
    struct hs_task task = {.kind = HS_TASK_PLAN, .plan = *plan, .count = simulation->count};
    struct hs_work work = {.task = &task,
                           .datatype = HS_FLOAT32,
                           .operation = HS_SUM,
                           .input = simulation->input,
                           .output = simulation->output,
                           .room = simulation->room,
                           .timed = true};
    double stages[HS_STAGES_MAX], begin, seconds;
    struct hs_error err;
    char text[HS_SPLIT_TEXT];
    int layers = plan->split.count;

    must(engine->prepare(simulation->engine, &work, &err), &err);
    begin = begin_together();
    run_to_end(simulation, &work);
    seconds = largest(MPI_Wtime()) - begin;
    engine->stage_seconds(simulation->engine, stages);
    if (simulation->rank == 0)
        printf("plan %s seconds %.17g layers %d", hs_plan_format(text, plan), seconds, layers);
    for (int s = 0; s < 2 * layers - 1; s++) {
        /* Allgathers run from the outside in. */
        double slowest = largest(stages[s < layers ? s : 3 * layers - 2 - s]);

        if (simulation->rank == 0)
            printf(" %.17g", slowest);
    }
    if (simulation->rank == 0) {
        printf("\n");
        fflush(stdout);
    }
}

static size_t elements_of(const char *text)
{
    size_t width = hs_datatype_bytes(HS_FLOAT32);
    size_t bytes = (size_t)strtoull(text, NULL, 10);

    return bytes > width ? (bytes + width - 1) / width : 1;
}

/* A message with its padding; the largest block is half of it, and a ring has two slots. */
static void open_engine(struct simulation *simulation, double launch_seconds)
{
    const struct hs_memory *memory = &hs_memory_host;
    size_t bytes = simulation->room * hs_datatype_bytes(HS_FLOAT32);
    size_t segment = (bytes / 2 + 63) / 64 * 64;
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD,
                                      .memory = memory,
                                      .segment_bytes =
                                          segment < SEGMENT_BYTES_MAX ? segment : SEGMENT_BYTES_MAX,
                                      .segments_in_flight = 1};
    struct hs_error err;

    hs_waiting_init(simulation->np, launch_seconds);
    hs_shared_pages_init(bytes > 2 * config.segment_bytes ? bytes : 2 * config.segment_bytes);
    must(memory->allocate(&simulation->input, bytes, "the input", &err), &err);
    must(memory->allocate(&simulation->output, bytes, "the output", &err), &err);
    must(hs_backend_host.open(&simulation->engine, &config, &err), &err);
}

static void print_version(void)
{
    int major, minor, patch;

    sg_version_get(&major, &minor, &patch);
    printf("simgrid %d.%d.%d\n", major, minor, patch);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct simulation simulation = {.engine = NULL};
    struct hs_error err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &simulation.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &simulation.np);
    if (argc < 4)
        must(hs_fail(&err, HS_INVALID,
                     "expected MESSAGE_BYTES LAUNCH_SECONDS PLAN..., under smpirun"),
             &err);
    if (simulation.rank == 0)
        print_version();
    simulation.count = elements_of(argv[1]);
    simulation.room = simulation.count + (size_t)simulation.np;
    open_engine(&simulation, strtod(argv[2], NULL));
    for (int i = 3; i < argc; i++) {
        struct hs_plan plan;

        must(hs_plan_parse(&plan, argv[i], simulation.np, &err), &err);
        run_plan(&simulation, &plan);
    }
    hs_backend_host.engine->close(simulation.engine);
    MPI_Finalize();
    return 0;
}
