/*
 * gpu_probe.c - what one GPU and its host cost where the model has no figure yet, as JSON on
 * stdout.
 *
 *     gpu_probe [MOST_BYTES]          MOST_BYTES: of an array, 1 GiB where nothing is said
 *
 * {"format": "hiersearch.gpu-probe/1", "gpu": ..., "driver": ..., "processors": ..., "figures":
 * [{"name": ..., "bytes": ..., "count": ..., "seconds": ...}, ...]}: each the median of RUNS
 * (estimate/gpu_probe.h; `hiersearch fit` takes it). One process, no MPI, no NCCL; under 90 s.
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/cuda_kernels.h"
#include "estimate/gpu_probe.h"
#include "system/datatype.h"

#define RUNS         15
#define BATCH        100 /* calls, or kernels in a row */
#define SPINNERS_MAX 24
#define CONNECTIONS  "32" /* with fewer than streams, one may wait for another without cause */

static cudaStream_t a, b, spinners[SPINNERS_MAX];
static cudaEvent_t begin, end, link_event;
static volatile uint32_t *gate; /* in pinned memory */
static uint32_t turn;
static unsigned processors;
static char *x, *y, *z, *pinned;

static void need(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "gpu_probe: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}
#define NEED(call) need(call, #call)

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int compare(const void *p, const void *q)
{
    double x1 = *(const double *)p, x2 = *(const double *)q;

    return (x1 > x2) - (x1 < x2);
}

static void figure(const char *name, size_t bytes, size_t count, double seconds[RUNS])
{
    static bool more;

    qsort(seconds, RUNS, sizeof(*seconds), compare);
    printf("%s  {\"name\": \"%s\", \"bytes\": %zu, \"count\": %zu, \"seconds\": %.9g}",
           more ? ",\n" : "", name, bytes, count, seconds[RUNS / 2]);
    fflush(stdout);
    more = true;
}

static void finish(cudaStream_t stream)
{
    cudaError_t code;

    while ((code = cudaStreamQuery(stream)) == cudaErrorNotReady)
        (void)cudaGetLastError();
    need(code, "cudaStreamQuery");
}

/* ---- what a call costs the host ---- */

static void launch(void)
{
    NEED(hs_cuda_wait(gate, turn, a)); /* it is open: the shortest kernel there is */
}

static void record(void)
{
    NEED(cudaEventRecord(link_event, a));
}

static void wait_for_event(void)
{
    NEED(cudaStreamWaitEvent(b, link_event, 0));
}

static void query(void)
{
    if (cudaEventQuery(link_event) != cudaSuccess)
        (void)cudaGetLastError();
}

static void *launch_there(void *unused)
{
    launch();
    return unused;
}

static void launch_from_a_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, launch_there, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

static void host_cost(const char *name, void (*call)(void))
{
    double seconds[RUNS];

    for (int run = 0; run < RUNS; run++) {
        double since = now();

        for (int i = 0; i < BATCH; i++)
            call();
        seconds[run] = (now() - since) / BATCH;
        finish(a);
        finish(b);
    }
    figure(name, 0, 0, seconds);
}

/* ---- what lies between kernels that depend on each other ---- */

/* Everything issued after this begins at once, with open_gate. */
static void close_gate(void)
{
    NEED(hs_cuda_wait(gate, ++turn, a));
    NEED(cudaEventRecord(begin, a));
}

static double open_gate(void)
{
    float milliseconds = 0;

    NEED(cudaEventRecord(end, a));
    *gate = turn;
    finish(a);
    NEED(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3;
}

static void cross(void)
{
    NEED(hs_cuda_wait(gate, turn - 1, b));
    NEED(cudaEventRecord(link_event, b));
    NEED(cudaStreamWaitEvent(a, link_event, 0));
    NEED(hs_cuda_wait(gate, turn - 1, a));
    NEED(cudaEventRecord(link_event, a));
    NEED(cudaStreamWaitEvent(b, link_event, 0));
}

static void gaps(void)
{
    double same[RUNS], across[RUNS];

    for (int run = 0; run < RUNS; run++) {
        close_gate();
        for (int i = 0; i < BATCH; i++)
            NEED(hs_cuda_wait(gate, turn - 1, a));
        same[run] = open_gate() / BATCH;
        close_gate();
        NEED(cudaEventRecord(link_event, a));
        NEED(cudaStreamWaitEvent(b, link_event, 0));
        for (int i = 0; i < BATCH / 2; i++)
            cross();
        across[run] = open_gate() / BATCH;
    }
    figure("short kernel after short kernel, same stream", 0, BATCH, same);
    figure("short kernel after short kernel, across streams", 0, BATCH, across);
}

static void graph_of(int nodes)
{
    double host[RUNS], device[RUNS];
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    NEED(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < nodes; i++)
        launch();
    NEED(cudaStreamEndCapture(a, &graph));
    NEED(cudaGraphInstantiate(&exec, graph, 0));
    for (int run = -1; run < RUNS; run++) { /* the first one sets up */
        double since;

        close_gate();
        since = now();
        NEED(cudaGraphLaunch(exec, a));
        host[run < 0 ? 0 : run] = now() - since;
        device[run < 0 ? 0 : run] = open_gate();
    }
    figure("launch of a graph of `count` kernels, host", 0, (size_t)nodes, host);
    figure("a graph of `count` short kernels, device", 0, (size_t)nodes, device);
    NEED(cudaGraphExecDestroy(exec));
    NEED(cudaGraphDestroy(graph));
}

/* ---- what moves data ---- */

struct work {
    const char *name;
    enum hs_datatype datatype;
    size_t bytes;
    enum { COPY, REDUCE, DIVIDE, ADD_BY_BLOCKS } kind;
    char *to, *from;
};

static void put(const struct work *work, size_t blocks)
{
    size_t count = work->bytes / hs_datatype_bytes(work->datatype);
    struct hs_reduction sum = {work->datatype, HS_SUM, 0};

    switch (work->kind) {
    case COPY:
        NEED(cudaMemcpyAsync(work->to, work->from, work->bytes, cudaMemcpyDefault, a));
        break;
    case REDUCE:
        NEED(hs_cuda_reduce(work->to, work->to, work->from, count, sum, a));
        break;
    case DIVIDE:
        NEED(hs_cuda_divide(work->to, count, work->datatype, 3, a));
        break;
    case ADD_BY_BLOCKS:
        NEED(hs_cuda_add_by_blocks((float *)(void *)work->to, (const float *)(void *)work->from,
                                   count, (unsigned)blocks, a));
        break;
    }
}

static void device_time(const struct work *work, size_t count)
{
    double seconds[RUNS];

    put(work, count);
    finish(a);
    for (int run = 0; run < RUNS; run++) {
        close_gate();
        put(work, count);
        seconds[run] = open_gate();
    }
    figure(work->name, work->bytes, count, seconds);
}

static void arithmetic(size_t most)
{
    static const char *const reduces[] = {[HS_FLOAT32] = "reduction of two arrays, float32",
                                          [HS_FLOAT64] = "reduction of two arrays, float64",
                                          [HS_FLOAT16] = "reduction of two arrays, float16",
                                          [HS_BFLOAT16] = "reduction of two arrays, bfloat16"};
    static const char *const divides[] = {[HS_FLOAT32] = "division of an array, float32",
                                          [HS_FLOAT64] = "division of an array, float64",
                                          [HS_FLOAT16] = "division of an array, float16",
                                          [HS_BFLOAT16] = "division of an array, bfloat16"};

    for (size_t bytes = 65536; bytes <= most; bytes *= 4) {
        struct work work = {"copy on the device", HS_FLOAT32, bytes, COPY, x, y};

        device_time(&work, 0);
        for (int d = 0; d < HS_DATATYPE_COUNT; d++) {
            struct work reduce = {reduces[d], (enum hs_datatype)d, bytes, REDUCE, x, y};
            struct work divide = {divides[d], (enum hs_datatype)d, bytes, DIVIDE, z, z};

            device_time(&reduce, 0);
            device_time(&divide, 0);
        }
    }
}

static void host_and_device(size_t most)
{
    for (size_t bytes = 8192; bytes <= most; bytes *= 8) {
        struct work up = {
            "copy from pinned memory to the device", HS_FLOAT32, bytes, COPY, x, pinned};
        struct work down = {
            "copy from the device to pinned memory", HS_FLOAT32, bytes, COPY, pinned, x};
        struct work there = {"reduction into pinned memory", HS_FLOAT32, bytes, REDUCE, pinned, x};

        device_time(&up, 0);
        device_time(&down, 0);
        device_time(&there, 0);
    }
}

/* What channels of NCCL's could do, one to as many as there are processors. */
static void by_blocks(size_t bytes)
{
    struct work work = {HS_PROBE_ADD, HS_FLOAT32, bytes, ADD_BY_BLOCKS, x, y};

    for (unsigned blocks = 1; blocks < processors; blocks *= 2)
        device_time(&work, blocks);
    device_time(&work, processors);
}

/* A copy beside `count` blocks that only look at pinned memory, as collectives that wait do. */
static void beside_spinners(size_t bytes)
{
    static const size_t counts[] = {0, 1, 8, SPINNERS_MAX};
    struct work work = {HS_PROBE_BESIDE, HS_FLOAT32, bytes, COPY, x, y};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        volatile uint32_t *hold;

        NEED(cudaHostAlloc((void **)&hold, sizeof(*hold), cudaHostAllocPortable));
        *hold = 0;
        for (size_t s = 0; s < counts[i]; s++)
            NEED(hs_cuda_wait(hold, 1, spinners[s]));
        device_time(&work, counts[i]);
        *hold = 1;
        for (size_t s = 0; s < counts[i]; s++)
            finish(spinners[s]);
        NEED(cudaFreeHost((void *)hold));
    }
}

static void set_up(size_t most)
{
    struct cudaDeviceProp properties;
    int driver = 0;

    NEED(cudaGetDeviceProperties(&properties, 0));
    processors = (unsigned)properties.multiProcessorCount;
    NEED(cudaDriverGetVersion(&driver));
    NEED(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    NEED(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    for (int s = 0; s < SPINNERS_MAX; s++)
        NEED(cudaStreamCreateWithFlags(&spinners[s], cudaStreamNonBlocking));
    NEED(cudaEventCreate(&begin));
    NEED(cudaEventCreate(&end));
    NEED(cudaEventCreateWithFlags(&link_event, cudaEventDisableTiming));
    NEED(cudaHostAlloc((void **)&gate, sizeof(*gate), cudaHostAllocPortable));
    *gate = turn = 1;
    NEED(cudaMalloc((void **)&x, most));
    NEED(cudaMalloc((void **)&y, most));
    NEED(cudaMalloc((void **)&z, most));
    NEED(cudaHostAlloc((void **)&pinned, most, cudaHostAllocPortable));
    printf("{\"format\": \"" HS_PROBE_FORMAT "\", \"gpu\": \"%.100s\", \"driver\": \"CUDA %d.%d\", "
           "\"processors\": %u, \"figures\": [\n",
           properties.name, driver / 1000, driver / 10 % 100, processors);
}

int main(int argc, char **argv)
{
    size_t most = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)1 << 30;
    size_t few = most < (size_t)64 << 20 ? most : (size_t)64 << 20;

    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", CONNECTIONS, 0);
    set_up(most);
    host_cost("launch, host", launch);
    host_cost("record of an event, host", record);
    host_cost("wait for an event, host", wait_for_event);
    host_cost("query of an event, host", query);
    host_cost("launch from a fresh thread, host", launch_from_a_thread);
    gaps();
    graph_of(1);
    graph_of(5);
    graph_of(40);
    arithmetic(most);
    host_and_device(few);
    by_blocks(few);
    beside_spinners(few);
    printf("\n]}\n");
    return 0;
}
