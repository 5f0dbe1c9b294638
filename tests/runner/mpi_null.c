/*
 * mpi_null.c - backend `null` on 4 ranks, and on 1 (MPI_COMM_SELF).
 *
 *     mpiexec.mpich -n 4 mpi_null               prints TAP on rank 0
 *     mpiexec.mpich -n 4 mpi_null hang=2x2      runs 2x2 with these faults, then says "survived"
 *
 * Expected times are worked out by hand from the model's formula (docs/model.md) for one level of 1
 * GB/s and 10 us: a ring allreduce of m bytes among p ranks takes 2 (p - 1) (10 us + m / p / (1
 * GB/s)).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system.h"
#include "runner/backend.h"

#define RANKS 4
#define COUNT 250000 /* float32: 1 MB */

#define FLAT_SECONDS  1.56e-3 /* 2 * 3 * (10 us + 250 us) */
#define INNER_SECONDS 1.02e-3 /* 2 * 1 * (10 us + 500 us) */
#define OUTER_SECONDS 0.52e-3 /* 2 * 1 * (10 us + 250 us) */

static const struct hs_backend *const backend = &hs_backend_null;
static struct hs_system machine;
static int my_rank, line, failures;

static void tell(bool good_here, const char *sentence)
{
    int good = good_here, all_good;
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    line++;
    failures += !all_good;
    if (my_rank == 0)
        printf("%sok %d - %s\n", all_good ? "" : "not ", line, sentence);
}

static void stop(const char *why)
{
    printf("Bail out! rank %d: %s\n", my_rank, why);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void stop_if(enum hs_status status, const struct hs_error *err)
{
    if (status != HS_OK)
        stop(err->message);
}

static bool near(double found, double expected)
{
    bool good = fabs(found - expected) <= 1e-9 * fabs(expected);
    if (!good)
        printf("# rank %d: expected %.12g, found %.12g\n", my_rank, expected, found);
    return good;
}

static struct hs_backend_config config_of(const char *faults)
{
    return (struct hs_backend_config){.world = MPI_COMM_WORLD,
                                      .count = COUNT,
                                      .datatype = HS_FLOAT32,
                                      .operation = HS_SUM,
                                      .faults = faults,
                                      .seed = 1,
                                      .system = &machine};
}

static void *open_with(const struct hs_backend_config *config)
{
    struct hs_error err;
    void *state;
    stop_if(backend->open(&state, config, &err), &err);
    return state;
}

static void *open_faulty(const char *faults)
{
    struct hs_backend_config config = config_of(faults);
    return open_with(&config);
}

static struct hs_plan plan_of(const char *text)
{
    struct hs_plan plan;
    struct hs_error err;
    stop_if(hs_plan_parse(&plan, text, 0, &err), &err);
    return plan;
}

/* Runs a plan and returns its time. */
static double run(void *state, const char *text, struct hs_layer_times *times)
{
    struct hs_plan plan = plan_of(text);
    struct hs_error err;
    stop_if(backend->prepare(state, &plan, &err), &err);
    backend->spoil(state);
    stop_if(backend->run(state, &plan, times, &err), &err);
    return backend->device_seconds(state);
}

static void check_times(void)
{
    struct hs_layer_times times;
    void *state = open_faulty(NULL);
    tell(near(run(state, "4", NULL), FLAT_SECONDS) &&
             near(run(state, "2x2", &times), INNER_SECONDS + OUTER_SECONDS),
         "a run takes the time that the model predicts");
    tell(near(times.reduce_scatter[0], INNER_SECONDS / 2) &&
             near(times.allgather[0], INNER_SECONDS / 2) &&
             near(times.reduce_scatter[1], OUTER_SECONDS) && times.allgather[1] == 0,
         "its layers take their parts of it");
    tell(near(run(state, "2x2/2", NULL), 0.52e-3 + 0.27e-3 + 0.79e-3),
         "chunks take the time of a pipeline on one level");
    backend->close(state);
}

static double run_layer(void *state, struct hs_layer layer, enum hs_phase phase, size_t count)
{
    struct hs_error err;
    stop_if(backend->run_layer(state, layer, phase, count, &err), &err);
    return backend->device_seconds(state);
}

static void check_layers(void)
{
    struct hs_layer inner = {1, 2}, outer = {2, 2};
    void *state = open_faulty(NULL);
    tell(near(run_layer(state, inner, HS_REDUCE_SCATTER, COUNT), INNER_SECONDS / 2) &&
             near(run_layer(state, inner, HS_ALLGATHER, COUNT), INNER_SECONDS / 2) &&
             near(run_layer(state, outer, HS_ALLREDUCE, COUNT / 2), OUTER_SECONDS),
         "a layer alone takes its part of the time");
    struct hs_error err;
    struct hs_layer odd = {1, 3};
    tell(backend->run_layer(state, odd, HS_ALLREDUCE, COUNT, &err) == HS_INVALID,
         "a layer that does not divide the processes is refused");
    backend->close(state);
    machine.launch_seconds = 5e-6;
    state = open_faulty(NULL);
    tell(near(run_layer(state, inner, HS_REDUCE_SCATTER, COUNT), INNER_SECONDS / 2 + 5e-6) &&
             near(run_layer(state, outer, HS_ALLREDUCE, COUNT / 2), OUTER_SECONDS + 5e-6) &&
             near(run(state, "2x2", NULL), INNER_SECONDS + OUTER_SECONDS + 15e-6),
         "every call of a layer is launched once");
    machine.launch_seconds = 0;
    backend->close(state);
}

static void check_baseline(void)
{
    struct hs_error err;
    void *state = open_faulty("fail=4,bias=4:2,wrong=4");
    backend->spoil(state);
    stop_if(backend->baselines[0].run(state, &err), &err);
    tell(near(backend->device_seconds(state), FLAT_SECONDS) && backend->wrong_elements(state) == 0,
         "the baseline is the flat ring of the model, without the faults of plans");
    tell(backend->baselines[1].name == NULL, "there is one baseline");
    backend->close(state);
}

static void check_data(void)
{
    static const size_t counts[] = {1, 3, 64, 65, 1000};
    bool good = true, spoiled = true, one_wrong = true;
    for (int datatype = 0; datatype < HS_DATATYPE_COUNT; datatype++)
        for (int operation = 0; operation < HS_OPERATION_COUNT; operation++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                struct hs_backend_config config = config_of("wrong=4");
                config.count = counts[i];
                config.datatype = (enum hs_datatype)datatype;
                config.operation = (enum hs_operation)operation;
                void *state = open_with(&config);
                run(state, "2x2", NULL);
                good = good && backend->wrong_elements(state) == 0;
                run(state, "4", NULL);
                one_wrong = one_wrong && backend->wrong_elements(state) == (my_rank == 0);
                backend->spoil(state);
                spoiled = spoiled && backend->wrong_elements(state) > 0;
                backend->close(state);
            }
    tell(good, "data of every type and operation is right after a run");
    tell(one_wrong, "wrong=PLAN leaves one wrong element, on rank 0 only");
    tell(spoiled, "spoiled data is found wrong");
}

static void check_padding(void)
{
    struct hs_backend_config config = config_of(NULL);
    struct hs_plan inner = plan_of("2x2"), flat = plan_of("4");
    config.count = 5;
    void *state = open_with(&config);
    tell(backend->padded_count(state, &inner) == 6 && backend->padded_count(state, &flat) == 5,
         "5 elements travel as 6 where the first layer has 2 ranks");
    tell(backend->memory_bytes(state) < 65536, "it needs next to no memory");
    backend->close(state);
}

static void check_same_on_all(void)
{
    void *state = open_faulty("noise=0.1");
    double mine = run(state, "2x2", NULL), first = mine;
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    tell(mine == first && mine != INNER_SECONDS + OUTER_SECONDS, "all ranks draw the same time");
    backend->close(state);
    state = open_faulty("noise=0.1,slow=2:3");
    tell(near(run(state, "2x2", NULL), my_rank == 2 ? 3 * mine : mine), "the slow rank is slower");
    backend->close(state);
    state = open_faulty("noise=0.1,bias=2x2:2");
    struct hs_layer_times times;
    tell(near(run(state, "2x2", &times), 2 * mine) &&
             near(times.reduce_scatter[0] + times.allgather[0] + times.reduce_scatter[1], 2 * mine),
         "a bias is in the time and in the layers' times");
    backend->close(state);
}

/* What a job that is taken up again draws must not depend on what ran before. */
static void check_order(void)
{
    double a[3], b[3];
    struct hs_layer layer = {1, 2};
    void *state = open_faulty("noise=0.1");
    for (int i = 0; i < 3; i++)
        a[i] = run(state, "2x2", NULL);
    backend->close(state);
    state = open_faulty("noise=0.1");
    for (int i = 0; i < 3; i++) {
        run(state, "4", NULL);
        run_layer(state, layer, HS_ALLGATHER, COUNT);
        b[i] = run(state, "2x2", NULL);
    }
    tell(memcmp(a, b, sizeof a) == 0, "times of a plan do not depend on what ran in between");
    tell(a[0] != a[1] && a[1] != a[2], "but every run has its own");
    backend->close(state);
}

static void check_errors(void)
{
    struct hs_error err;
    struct hs_plan plan = plan_of("2x2"), other = plan_of("2x3");
    void *state = open_faulty("fail=2x2");
    tell(backend->run(state, &plan, NULL, &err) == HS_FAILED &&
             strcmp(err.message, "2x2: failed as --faults asks for") == 0,
         "fail=PLAN fails on all ranks");
    tell(backend->prepare(state, &other, &err) == HS_INVALID,
         "a plan of another number of processes is refused");
    backend->close(state);

    struct hs_backend_config config = config_of("wrong=2x3");
    state = &err;
    tell(backend->open(&state, &config, &err) == HS_INVALID && state == NULL &&
             strncmp(err.message, "faults: wrong: ", 15) == 0,
         "faults of other than the job's plans are refused");
    config.faults = NULL;
    config.system = NULL;
    tell(backend->open(&state, &config, &err) == HS_INVALID &&
             strcmp(err.message, "the null backend plays a model: it needs a SYSTEM") == 0,
         "without a system it does not start");
}

static void check_delay(void)
{
    void *state = open_faulty("delay=0.05");
    double start = MPI_Wtime(), modelled = 0;
    for (int i = 0; i < 4; i++)
        modelled += run(state, "4", NULL);
    double elapsed = MPI_Wtime() - start;
    tell(elapsed >= 0.2 && near(modelled, 4 * FLAT_SECONDS),
         "a delay passes on the wall's clock and not on the model's");
    backend->close(state);
}

static void check_one_rank(void)
{
    struct hs_backend_config config = config_of("noise=0.1");
    config.world = MPI_COMM_SELF;
    void *state = open_with(&config);
    tell(run(state, "1", NULL) == 0 && backend->wrong_elements(state) == 0,
         "one rank alone takes no time and has right data");
    backend->close(state);
}

static void run_and_say(const char *faults)
{
    void *state = open_faulty(faults);
    run(state, "2x2", NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0)
        printf("survived\n");
    backend->close(state);
}

int main(int argc, char **argv)
{
    struct hs_error err;
    int np;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (np != RANKS)
        stop("needs 4 ranks");
    stop_if(hs_system_parse(&machine, "net@1GB/s~10us", &err), &err);
    if (argc > 1) {
        run_and_say(argv[1]);
    } else {
        check_times();
        check_layers();
        check_baseline();
        check_data();
        check_padding();
        check_same_on_all();
        check_order();
        check_errors();
        check_delay();
        check_one_rank();
        if (my_rank == 0)
            printf("1..%d\n", line);
    }
    hs_system_release(&machine);
    MPI_Finalize();
    return failures > 0;
}
