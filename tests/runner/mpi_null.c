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

#include "runner/bench.h"
#include "runner/null.h"
#include "system/system.h"

#define RANKS 4
#define COUNT 250000 /* float32: 1 MB */

#define FLAT_SECONDS  1.56e-3 /* 2 * 3 * (10 us + 250 us) */
#define INNER_SECONDS 1.02e-3 /* 2 * 1 * (10 us + 500 us) */
#define OUTER_SECONDS 0.52e-3 /* 2 * 1 * (10 us + 250 us) */

static const struct hs_backend *const backend = &hs_backend_null;
static struct hs_system machine;
static struct hs_ranks ranks, self;
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

/* A bench with what it plays. */
struct played {
    struct hs_play play;
    struct hs_bench_config config;
    struct hs_bench bench;
};

static struct played played_with(const char *faults)
{
    return (struct played){
        .play = {&machine, faults, 1},
        .config = {
            .backend = backend, .count = COUNT, .datatype = HS_FLOAT32, .operation = HS_SUM}};
}

static void open_played(struct played *played)
{
    struct hs_error err;
    played->config.play = &played->play;
    stop_if(hs_bench_open(&played->bench, &played->config, &ranks, NULL, &err), &err);
}

static void open_faulty(struct played *played, const char *faults)
{
    *played = played_with(faults);
    open_played(played);
}

static double device_seconds(const struct played *played)
{
    return backend->engine->device_seconds(played->bench.engine);
}

static struct hs_plan plan_of(const char *text)
{
    struct hs_plan plan;
    struct hs_error err;
    stop_if(hs_plan_parse(&plan, text, 0, &err), &err);
    return plan;
}

static struct hs_task task_of(const struct played *played, const char *text)
{
    return (struct hs_task){
        .kind = HS_TASK_PLAN, .plan = plan_of(text), .count = played->config.count};
}

/* Runs a plan and returns its time; `times` may be NULL. */
static double run(struct played *played, const char *text, double *times)
{
    struct hs_task task = task_of(played, text);
    struct hs_error err;
    stop_if(hs_bench_prepare(&played->bench, &task, &err), &err);
    hs_bench_spoil(&played->bench, &task);
    stop_if(hs_bench_run(&played->bench, &task, times != NULL, &err), &err);
    if (times != NULL)
        backend->engine->stage_seconds(played->bench.engine, times);
    return device_seconds(played);
}

static uint64_t wrong(struct played *played)
{
    struct hs_task task = task_of(played, "4");
    return hs_bench_wrong(&played->bench, &task);
}

static void check_times(void)
{
    double times[HS_STAGES_MAX];
    struct played p;
    open_faulty(&p, NULL);
    tell(near(run(&p, "4", NULL), FLAT_SECONDS) &&
             near(run(&p, "2x2", times), INNER_SECONDS + OUTER_SECONDS),
         "a run takes the time that the model predicts");
    tell(near(times[0], INNER_SECONDS / 2) && near(times[1], OUTER_SECONDS) &&
             near(times[2], INNER_SECONDS / 2),
         "its layers take their parts of it");
    tell(near(run(&p, "2x2/2", NULL), 0.52e-3 + 0.27e-3 + 0.79e-3),
         "chunks take the time of a pipeline on one level");
    hs_bench_close(&p.bench);
}

static enum hs_status try_layer(struct played *played, struct hs_layer layer, enum hs_phase phase,
                                size_t count, struct hs_error *err)
{
    struct hs_task task = {.kind = HS_TASK_STAGE, .stage = {phase, HS_RING, layer}, .count = count};
    return hs_bench_run(&played->bench, &task, false, err);
}

static double run_layer(struct played *played, struct hs_layer layer, enum hs_phase phase,
                        size_t count)
{
    struct hs_error err;
    stop_if(try_layer(played, layer, phase, count, &err), &err);
    return device_seconds(played);
}

static void check_layers(void)
{
    struct hs_layer inner = {1, 2}, outer = {2, 2};
    struct played p;
    open_faulty(&p, NULL);
    tell(near(run_layer(&p, inner, HS_REDUCE_SCATTER, COUNT), INNER_SECONDS / 2) &&
             near(run_layer(&p, inner, HS_ALLGATHER, COUNT), INNER_SECONDS / 2) &&
             near(run_layer(&p, outer, HS_ALLREDUCE, COUNT / 2), OUTER_SECONDS),
         "a layer alone takes its part of the time");
    struct hs_error err;
    struct hs_layer odd = {1, 3};
    tell(try_layer(&p, odd, HS_ALLREDUCE, COUNT, &err) == HS_INVALID,
         "a layer that does not divide the processes is refused");
    hs_bench_close(&p.bench);
    machine.launch_seconds = 5e-6;
    open_faulty(&p, NULL);
    tell(near(run_layer(&p, inner, HS_REDUCE_SCATTER, COUNT), INNER_SECONDS / 2 + 5e-6) &&
             near(run_layer(&p, outer, HS_ALLREDUCE, COUNT / 2), OUTER_SECONDS + 5e-6) &&
             near(run(&p, "2x2", NULL), INNER_SECONDS + OUTER_SECONDS + 15e-6),
         "every call of a layer is launched once");
    machine.launch_seconds = 0;
    hs_bench_close(&p.bench);
}

static void check_baseline(void)
{
    struct hs_error err;
    struct played p;
    open_faulty(&p, "fail=4,bias=4:2,wrong=4");
    struct hs_task task = {.kind = HS_TASK_NATIVE, .native = 0, .count = COUNT};
    hs_bench_spoil(&p.bench, &task);
    stop_if(hs_bench_run(&p.bench, &task, false, &err), &err);
    tell(near(device_seconds(&p), FLAT_SECONDS) && wrong(&p) == 0,
         "the baseline is the flat ring of the model, without the faults of plans");
    bool one = true;
    for (int c = 0; c < HS_COLLECTIVE_COUNT; c++)
        one = one && backend->engine->natives[c][0] && !backend->engine->natives[c][1];
    tell(one, "there is one baseline for each collective");
    hs_bench_close(&p.bench);
}

static void check_data(void)
{
    static const size_t counts[] = {1, 3, 64, 65, 1000};
    bool good = true, spoiled = true, one_wrong = true;
    for (int datatype = 0; datatype < HS_DATATYPE_COUNT; datatype++)
        for (int operation = 0; operation < HS_OPERATION_COUNT; operation++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                struct played p = played_with("wrong=4");
                p.config.count = counts[i];
                p.config.datatype = (enum hs_datatype)datatype;
                p.config.operation = (enum hs_operation)operation;
                open_played(&p);
                run(&p, "2x2", NULL);
                good = good && wrong(&p) == 0;
                run(&p, "4", NULL);
                one_wrong = one_wrong && wrong(&p) == (my_rank == 0);
                struct hs_task flat = task_of(&p, "4");
                hs_bench_spoil(&p.bench, &flat);
                spoiled = spoiled && wrong(&p) > 0;
                hs_bench_close(&p.bench);
            }
    tell(good, "data of every type and operation is right after a run");
    tell(one_wrong, "wrong=PLAN leaves one wrong element, on rank 0 only");
    tell(spoiled, "spoiled data is found wrong");
}

static void check_padding(void)
{
    struct played p = played_with(NULL);
    p.config.count = 5;
    struct hs_task inner = task_of(&p, "2x2"), flat = task_of(&p, "4");
    open_played(&p);
    tell(hs_task_padded(&inner, 1) == 6 && hs_task_padded(&flat, 1) == 5,
         "5 elements travel as 6 where the first layer has 2 ranks");
    tell(hs_bench_bytes(&p.bench) < 65536, "it needs next to no memory");
    hs_bench_close(&p.bench);
}

static void check_same_on_all(void)
{
    struct played p;
    open_faulty(&p, "noise=0.1");
    double mine = run(&p, "2x2", NULL), first = mine;
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    tell(mine == first && mine != INNER_SECONDS + OUTER_SECONDS, "all ranks draw the same time");
    hs_bench_close(&p.bench);
    open_faulty(&p, "noise=0.1,slow=2:3");
    tell(near(run(&p, "2x2", NULL), my_rank == 2 ? 3 * mine : mine), "the slow rank is slower");
    hs_bench_close(&p.bench);
    open_faulty(&p, "noise=0.1,bias=2x2:2");
    double times[HS_STAGES_MAX];
    tell(near(run(&p, "2x2", times), 2 * mine) && near(times[0] + times[1] + times[2], 2 * mine),
         "a bias is in the time and in the layers' times");
    hs_bench_close(&p.bench);
}

/* What a job that is taken up again draws must not depend on what ran before. */
static void check_order(void)
{
    double a[3], b[3];
    struct hs_layer layer = {1, 2};
    struct played p;
    open_faulty(&p, "noise=0.1");
    for (int i = 0; i < 3; i++)
        a[i] = run(&p, "2x2", NULL);
    hs_bench_close(&p.bench);
    open_faulty(&p, "noise=0.1");
    for (int i = 0; i < 3; i++) {
        run(&p, "4", NULL);
        run_layer(&p, layer, HS_ALLGATHER, COUNT);
        b[i] = run(&p, "2x2", NULL);
    }
    tell(memcmp(a, b, sizeof a) == 0, "times of a plan do not depend on what ran in between");
    tell(a[0] != a[1] && a[1] != a[2], "but every run has its own");
    hs_bench_close(&p.bench);
}

static void check_errors(void)
{
    struct hs_error err;
    struct played p;
    open_faulty(&p, "fail=2x2");
    struct hs_task task = task_of(&p, "2x2"), other = task_of(&p, "2x3");
    tell(hs_bench_run(&p.bench, &task, false, &err) == HS_FAILED &&
             strcmp(err.message, "2x2: failed as --faults asks for") == 0,
         "fail=PLAN fails on all ranks");
    tell(hs_bench_prepare(&p.bench, &other, &err) == HS_INVALID,
         "a plan of another number of processes is refused");
    hs_bench_close(&p.bench);

    p = played_with("wrong=2x3");
    p.config.play = &p.play;
    tell(hs_bench_open(&p.bench, &p.config, &ranks, NULL, &err) == HS_INVALID &&
             p.bench.engine == NULL && strncmp(err.message, "faults: wrong: ", 15) == 0,
         "faults of other than the job's plans are refused");
    p.config.play = NULL;
    tell(hs_bench_open(&p.bench, &p.config, &ranks, NULL, &err) == HS_INVALID &&
             strcmp(err.message, "the null backend plays a model: it needs a SYSTEM") == 0,
         "without a system it does not start");
}

static void check_delay(void)
{
    struct played p;
    open_faulty(&p, "delay=0.05");
    double start = MPI_Wtime(), modelled = 0;
    for (int i = 0; i < 4; i++)
        modelled += run(&p, "4", NULL);
    double elapsed = MPI_Wtime() - start;
    tell(elapsed >= 0.2 && near(modelled, 4 * FLAT_SECONDS),
         "a delay passes on the wall's clock and not on the model's");
    hs_bench_close(&p.bench);
}

static void check_one_rank(void)
{
    struct played p = played_with("noise=0.1");
    struct hs_error err;
    p.config.play = &p.play;
    stop_if(hs_bench_open(&p.bench, &p.config, &self, NULL, &err), &err);
    tell(run(&p, "1", NULL) == 0 && wrong(&p) == 0,
         "one rank alone takes no time and has right data");
    hs_bench_close(&p.bench);
}

static void run_and_say(const char *faults)
{
    struct played p;
    open_faulty(&p, faults);
    run(&p, "2x2", NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0)
        printf("survived\n");
    hs_bench_close(&p.bench);
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
    hs_ranks_init(&ranks, MPI_COMM_WORLD);
    hs_ranks_init(&self, MPI_COMM_SELF);
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
