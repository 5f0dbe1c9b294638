/* main.c - see simulate.h. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/plan.h"
#include "runner/backend.h"
#include "runner/check.h"
#include "simulate/simulate.h"

/* From here on time runs; far enough in the future that every rank has heard of it. */
#define SETTLE_SECONDS 1.0

struct simulation {
    const struct hs_backend *backend;
    void *state;
    int rank, np;
};

_Noreturn static void give_up(const struct hs_error *err)
{
    fprintf(stderr, "hiersearch-simulate: %s\n", err->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static double largest(double mine)
{
    double all;

    CHECK_MPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return all;
}

/* A barrier whose end is the same moment on all ranks. */
static double begin_together(void)
{
    double begin = largest(MPI_Wtime()) + SETTLE_SECONDS;

    sg_actor_sleep_until(begin);
    return begin;
}

static void print_phases(const struct simulation *simulation, const double *seconds, int count)
{
    for (int i = 0; i < count; i++) {
        double slowest = largest(seconds[i]);

        if (simulation->rank == 0)
            printf(" %.17g", slowest);
    }
}

static void run_plan(struct simulation *simulation, const struct hs_plan *plan)
{
    struct hs_layer_times times;
    struct hs_error err;
    char text[HS_SPLIT_TEXT];
    int layers = plan->split.count;

    if (simulation->backend->prepare(simulation->state, plan, &err) != HS_OK)
        give_up(&err);
    double begin = begin_together();
    if (simulation->backend->run(simulation->state, plan, &times, &err) != HS_OK)
        give_up(&err);
    double seconds = largest(MPI_Wtime()) - begin;
    if (simulation->rank == 0)
        printf("plan %s seconds %.17g layers %d", hs_plan_format(text, plan), seconds, layers);
    print_phases(simulation, times.reduce_scatter, layers);
    print_phases(simulation, times.allgather, layers - 1);
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

static void open_backend(struct simulation *simulation, size_t count, double launch_seconds)
{
    struct hs_backend_config config = {.world = MPI_COMM_WORLD,
                                       .count = count,
                                       .datatype = HS_FLOAT32,
                                       .operation = HS_SUM,
                                       .segments_in_flight = 1};
    struct hs_error err;
    /* A message with its padding; the largest block is half of it, and a ring has two slots. */
    size_t room = (count + (size_t)simulation->np) * hs_datatype_bytes(config.datatype);
    size_t slots = 2 * hs_whole_blocks_init(room / 2, launch_seconds);

    hs_waiting_init(simulation->np);
    hs_shared_pages_init(room > slots ? room : slots);
    if (simulation->backend->open(&simulation->state, &config, &err) != HS_OK)
        give_up(&err);
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
    struct simulation simulation = {.backend = &hs_backend_host};
    struct hs_error err;

    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &simulation.rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &simulation.np));
    if (argc < 4) {
        hs_error_set(&err, HS_INVALID,
                     "expected MESSAGE_BYTES LAUNCH_SECONDS PLAN..., under smpirun");
        give_up(&err);
    }
    if (simulation.rank == 0)
        print_version();
    open_backend(&simulation, elements_of(argv[1]), strtod(argv[2], NULL));
    for (int i = 3; i < argc; i++) {
        struct hs_plan plan;

        if (hs_plan_parse(&plan, argv[i], simulation.np, &err) != HS_OK)
            give_up(&err);
        run_plan(&simulation, &plan);
    }
    simulation.backend->close(simulation.state);
    CHECK_MPI(MPI_Finalize());
    return 0;
}
