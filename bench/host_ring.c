/*
 * host_ring.c - how fast the backends are on one machine, against MPI_Allreduce and the copy limit.
 *
 *     make bench-host    (as many ranks as cores, and 4; 1 and 64 MiB; MPICH, Open MPI)
 *     mpiexec.mpich -n 4 build/bench/host_ring [-m MIB] [-r ROUNDS] [-s SEGMENT_KIB] [-f IN_FLIGHT]
 *         [-b host|mpi] [PLAN ...]
 *
 * All contenders run in turn in every round, so that whatever else the machine does hits all of
 * them. A time is the maximum over ranks between two barriers. Printed per contender: median, 10 %
 * and 90 % quantile, median over rounds of (MPI_Allreduce's time / its time), and limit / median.
 *
 * The copy limit is the time an allreduce that passes messages by one copy each needs if waiting,
 * messages and system calls cost nothing. For n (p-1)/p bytes each, a rank must copy a neighbour's
 * data into a slot (load), add its own part (add), and copy a result into its output (store). The
 * three are measured in the same rounds, on all ranks at once, over n bytes, with a slot of 256 KiB
 * that stays in the cache and the other side streaming: the best case for each.
 *
 * A second limit has both copies made as they really are between processes: by the kernel, which
 * reads the neighbour's pages (process_vm_readv, what MPI libraries call single copy), in pieces of
 * 1 MiB.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/pages.h"
#include "engine/reduce.h"
#include "runner/bench.h"

#define CONTENDERS_MAX 64
#define ROUNDS_MAX     1000

enum kind { PLAN, BASELINE, LOAD, STORE, ADD, REMOTE_LOAD, REMOTE_STORE };
#define MEASURED_LIMITS 5 /* contenders that are no allreduce; they come first */
#define REMOTE_PIECE    ((size_t)1 << 20)

struct contender {
    enum kind kind;
    char name[160];
    struct hs_bench *bench;
    struct hs_task task;
    double seconds[ROUNDS_MAX], layers_seconds[ROUNDS_MAX];
};

struct bench {
    int rank, np, rounds, count;
    size_t bytes, segment_bytes;
    int in_flight;
    const char *only; /* backend, or NULL for both */
    char *from, *to, *slot;
    void *neighbour_from; /* in the process neighbour_pid */
    pid_t neighbour_pid;
    struct hs_ranks ranks;
    struct contender contenders[CONTENDERS_MAX];
};

static struct bench bench = {.rounds = 15, .bytes = (size_t)64 << 20};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void stop(const char *message)
{
    fprintf(stderr, "host_ring: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct contender *add(enum kind kind, const char *name)
{
    if (bench.count == CONTENDERS_MAX)
        stop("too many plans");
    struct contender *contender = &bench.contenders[bench.count++];
    contender->kind = kind;
    snprintf(contender->name, sizeof contender->name, "%s", name);
    return contender;
}

static void add_plan(struct hs_bench *of, const char *text)
{
    struct hs_error err;
    char name[160];
    snprintf(name, sizeof name, "%s %s", of->config.backend->name, text);
    struct contender *contender = add(PLAN, name);
    contender->bench = of;
    contender->task = (struct hs_task){.kind = HS_TASK_PLAN, .count = of->config.count};
    if (hs_plan_parse(&contender->task.plan, text, bench.np, &err) != HS_OK ||
        hs_bench_prepare(of, &contender->task, &err) != HS_OK)
        stop(err.message);
}

/* The flat ring, and every split in two, whole and in chunks. */
static void add_usual_plans(struct hs_bench *of)
{
    static const int chunks[] = {1, 2, 4, 8};
    char text[HS_SPLIT_TEXT];
    snprintf(text, sizeof text, "%d", bench.np);
    add_plan(of, text);
    for (int p = 2; p < bench.np; p++)
        for (size_t c = 0; bench.np % p == 0 && c < sizeof chunks / sizeof chunks[0]; c++) {
            snprintf(text, sizeof text, "%dx%d/%d", p, bench.np / p, chunks[c]);
            add_plan(of, text);
        }
}

static void stream(enum kind kind)
{
    size_t slot = least((size_t)256 << 10, bench.bytes);
    for (size_t done = 0; done + slot <= bench.bytes; done += slot) {
        if (kind == LOAD)
            memcpy(bench.slot, bench.from + done, slot);
        else if (kind == STORE)
            memcpy(bench.to + done, bench.slot, slot);
        else
            hs_reduce(bench.slot, bench.slot, bench.from + done, slot / 4,
                      (struct hs_reduction){HS_FLOAT32, HS_SUM, 0});
    }
}

/* Copies the neighbour's n bytes into the slot, piece by piece (load), or all over the output
 * (store). */
static void read_neighbour(enum kind kind)
{
    size_t piece = least(REMOTE_PIECE, bench.bytes);
    for (size_t done = 0; done + piece <= bench.bytes; done += piece) {
        struct iovec here = {kind == REMOTE_LOAD ? bench.slot : bench.to + done, piece};
        struct iovec there = {(char *)bench.neighbour_from + done, piece};
        if (process_vm_readv(bench.neighbour_pid, &here, 1, &there, 1, 0) != (ssize_t)piece)
            stop("process_vm_readv is not allowed here");
    }
}

static void run_once(struct contender *contender)
{
    struct hs_error err;
    enum hs_status status = HS_OK;
    switch (contender->kind) {
    case PLAN:
    case BASELINE:
        status = hs_bench_run(contender->bench, &contender->task, contender->kind == PLAN, &err);
        break;
    case LOAD:
    case STORE:
    case ADD:
        stream(contender->kind);
        break;
    case REMOTE_LOAD:
    case REMOTE_STORE:
        read_neighbour(contender->kind);
        break;
    }
    if (status != HS_OK)
        stop(err.message);
}

static void time_once(struct contender *contender, int round)
{
    double times[HS_STAGES_MAX] = {0}, local[2] = {0, 0};
    hs_ranks_barrier(&bench.ranks);
    double start = MPI_Wtime();
    run_once(contender);
    local[0] = MPI_Wtime() - start;
    if (contender->kind == PLAN)
        contender->bench->config.backend->engine->stage_seconds(contender->bench->engine, times);
    for (int i = 0; i < 2 * contender->task.plan.split.count - 1; i++)
        local[1] += times[i];
    /* the sum of the layers' times belongs to the whole of the same rank */
    double machinery = local[1] > 0 ? (local[0] - local[1]) / local[0] : 0;
    local[1] = machinery;
    hs_ranks_largest(&bench.ranks, local, 2);
    if (round >= 0) {
        contender->seconds[round] = local[0];
        contender->layers_seconds[round] = local[1];
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *values, int count, double fraction)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    return sorted[(int)(fraction * (count - 1) + 0.5)];
}

static double ratio_to(const struct contender *base, const struct contender *contender)
{
    double ratios[ROUNDS_MAX];
    for (int i = 0; i < bench.rounds; i++)
        ratios[i] = base->seconds[i] / contender->seconds[i];
    return quantile(ratios, bench.rounds, 0.5);
}

/* (p - 1) / p of the time that loading, adding and storing n bytes takes. */
static double limit_of(enum kind load, enum kind store)
{
    double sum = 0;
    for (int i = 0; i < MEASURED_LIMITS; i++) {
        enum kind kind = bench.contenders[i].kind;
        if (kind == load || kind == store || kind == ADD)
            sum += quantile(bench.contenders[i].seconds, bench.rounds, 0.5);
    }
    return sum * (bench.np - 1) / bench.np;
}

static void report(const struct contender *baseline)
{
    double limit = limit_of(LOAD, STORE), single_copy = limit_of(REMOTE_LOAD, REMOTE_STORE);
    printf("%d ranks, %zu MiB float32 sum, %d rounds; limits: copies within a process %.2f ms, "
           "single copies "
           "between processes %.2f ms\n",
           bench.np, bench.bytes >> 20, bench.rounds, limit * 1e3, single_copy * 1e3);
    printf("%-24s %10s %10s %10s %10s %12s %12s %10s\n", "", "median ms", "10 %", "90 %", "vs MPI",
           "of in-process", "of 1-copy", "machinery");
    for (int i = 0; i < bench.count; i++) {
        const struct contender *c = &bench.contenders[i];
        double median = quantile(c->seconds, bench.rounds, 0.5);
        printf("%-24s %10.2f %10.2f %10.2f", c->name, median * 1e3,
               quantile(c->seconds, bench.rounds, 0.1) * 1e3,
               quantile(c->seconds, bench.rounds, 0.9) * 1e3);
        if (c->kind == PLAN || c->kind == BASELINE)
            printf(" %9.2fx %11.0f %% %10.0f %%", ratio_to(baseline, c), 100 * limit / median,
                   100 * single_copy / median);
        if (c->kind == PLAN && c->task.plan.chunks == 1)
            printf(" %8.2f %%", 100 * quantile(c->layers_seconds, bench.rounds, 0.5));
        printf("\n");
    }
}

static void read_options(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "m:r:s:f:b:")) != -1) {
        long value = optarg == NULL ? 0 : strtol(optarg, NULL, 10);
        if (option == 'b')
            bench.only = optarg;
        else if (option == '?' || value < 1)
            stop("usage: host_ring [-m MIB] [-r ROUNDS] [-s SEGMENT_KIB] [-f IN_FLIGHT] "
                 "[-b host|mpi] [PLAN ...]");
        if (option == 'm')
            bench.bytes = (size_t)value << 20;
        if (option == 'r')
            bench.rounds = value > ROUNDS_MAX ? ROUNDS_MAX : (int)value;
        if (option == 's')
            bench.segment_bytes = (size_t)value << 10;
        if (option == 'f')
            bench.in_flight = (int)value;
    }
}

static struct hs_bench *open_bench(const struct hs_backend *backend)
{
    static struct hs_bench opened[2];
    static int count;
    struct hs_bench_config config = {.backend = backend,
                                     .count = bench.bytes / 4,
                                     .datatype = HS_FLOAT32,
                                     .operation = HS_SUM,
                                     .segment_bytes = bench.segment_bytes,
                                     .segments_in_flight = bench.in_flight};
    struct hs_error err;
    if (hs_bench_open(&opened[count], &config, &bench.ranks, NULL, &err) != HS_OK)
        stop(err.message);
    return &opened[count++];
}

static void add_baseline(struct hs_bench *of)
{
    struct contender *baseline = add(BASELINE, "MPI_Allreduce");
    struct hs_error err;
    baseline->bench = of;
    baseline->task = (struct hs_task){.kind = HS_TASK_NATIVE, .count = of->config.count};
    if (hs_bench_prepare(of, &baseline->task, &err) != HS_OK)
        stop(err.message);
}

/* The ring's previous rank: its process, and where its data lies there. */
static void meet_neighbour(void)
{
    struct {
        pid_t pid;
        void *from;
    } mine = {getpid(), bench.from}, theirs;
    int next = (bench.rank + 1) % bench.np, previous = (bench.rank + bench.np - 1) % bench.np;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    memset(bench.from, 1, bench.bytes);
    MPI_Sendrecv(&mine, sizeof(mine), MPI_BYTE, next, 0, &theirs, sizeof(theirs), MPI_BYTE,
                 previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    bench.neighbour_pid = theirs.pid;
    bench.neighbour_from = theirs.from;
}

static void set_up(int argc, char **argv)
{
    const struct hs_backend *backends[] = {&hs_backend_host, &hs_backend_mpi};
    struct hs_error err;
    void *from, *to, *slot;
    if (hs_pages_alloc(&from, bench.bytes, "the copy limit", &err) != HS_OK ||
        hs_pages_alloc(&to, bench.bytes, "the copy limit", &err) != HS_OK ||
        hs_pages_alloc(&slot, REMOTE_PIECE, "the copy limit", &err) != HS_OK)
        stop(err.message);
    bench.from = from;
    bench.to = to;
    bench.slot = slot;
    add(LOAD, "load");
    add(STORE, "store");
    add(ADD, "add");
    add(REMOTE_LOAD, "load from neighbour");
    add(REMOTE_STORE, "store from neighbour");
    meet_neighbour();
    bool first = true;
    for (size_t b = 0; b < 2; b++) {
        if (bench.only != NULL && strcmp(bench.only, backends[b]->name) != 0)
            continue;
        struct hs_bench *of = open_bench(backends[b]);
        if (first)
            add_baseline(of);
        first = false;
        if (optind == argc)
            add_usual_plans(of);
        for (int i = optind; i < argc; i++)
            add_plan(of, argv[i]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.np);
    hs_ranks_init(&bench.ranks, MPI_COMM_WORLD);
    read_options(argc, argv);
    set_up(argc, argv);
    if (bench.count <= MEASURED_LIMITS)
        stop("no such backend");
    for (int round = -2; round < bench.rounds; round++) /* two to warm up */
        for (int i = 0; i < bench.count; i++)
            time_once(&bench.contenders[i], round);

    if (bench.rank == 0)
        report(&bench.contenders[MEASURED_LIMITS]);
    MPI_Finalize();
    return 0;
}
