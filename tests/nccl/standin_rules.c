/*
 * standin_rules.c - breaks one rule of NCCL or CUDA on purpose, to see that the stand-in notices.
 *
 *     mpiexec.mpich -n 2 standin_rules CASE      status 70 and "standin: RULE: ..." (see
 * test_nccl.sh) mpiexec.mpich -n 2 standin_rules right     keeps all rules: status 0 and "right"
 *     standin_rules list                         the cases, each with the rule that it breaks
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda_kernels.h"
#include "standin.h"

#define COUNT 256

static int rank;
static ncclComm_t comm, second;
static cudaStream_t a, b;
static cudaEvent_t event;
static float *x, *y, *pinned;

static void ready(ncclComm_t of)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        ncclCommGetAsyncError(of, &state);
}

static ncclComm_t new_comm(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t made;
    config.blocking = 0;
    ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRankConfig(&made, 2, id, rank, &config);
    ready(made);
    return made;
}

static void all(ncclComm_t of, cudaStream_t stream)
{
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, of, stream);
    ready(of);
}

static void finish(void)
{
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
}

/* ---- the cases ---- */

static void other_calls(void)
{
    if (rank == 0)
        ncclAllGather(x, y, COUNT / 2, ncclFloat32, comm, a);
    else
        ncclAllReduce(x, y, COUNT, ncclFloat32, ncclSum, comm, a);
    ready(comm);
    finish();
}

ncclResult_t ncclCommSuspend(ncclComm_t comm, int flags);
static void use_while_suspended(void)
{
    ncclCommSuspend(comm, 1);
    ncclAllReduce(x, y, COUNT, ncclFloat32, ncclSum, comm, a);
}

static void destroyed_by_one_rank(void)
{
    setenv("STANDIN_NODE_DESTROY", "1", 1);
    if (rank == 0)
        ncclCommDestroy(comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void other_counts(void)
{
    ncclAllReduce(x, y, (size_t)(COUNT - rank), ncclFloat32, ncclSum, comm, a);
    ready(comm);
    finish();
}

static void other_operations(void)
{
    ncclAllReduce(x, y, COUNT, ncclFloat32, rank == 0 ? ncclSum : ncclMax, comm, a);
    ready(comm);
    finish();
}

static void crossed_communicators(void)
{
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, rank == 0 ? comm : second, a);
    ready(rank == 0 ? comm : second);
    ncclAllReduce(y, y, COUNT, ncclFloat32, ncclSum, rank == 0 ? second : comm, b);
    ready(rank == 0 ? second : comm);
    finish();
}

static void no_event(void)
{
    all(comm, a);
    all(second, b);
    finish();
}

static void event_recorded_too_early(void)
{
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, a);
    cudaEventRecord(event, a); /* the call may not be on the stream yet */
    ready(comm);
    cudaStreamWaitEvent(b, event, 0);
    all(second, b);
    finish();
}

static void kernels_at_once(void)
{
    setenv("STANDIN_ONE_KERNEL", "1", 1);
    all(comm, a);
    ncclAllReduce(y, y, COUNT, ncclFloat32, ncclSum, second, b);
    ready(second);
    finish();
}

static void handle_used_again(void)
{
    all(comm, a);
    cudaStreamDestroy(a);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); /* the same, and nothing was waited for */
    all(second, a);
    finish();
}

static void call_in_progress(void)
{
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, a);
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, a);
}

static void use_after_destroy(void)
{
    ncclCommFinalize(comm);
    ready(comm);
    ncclCommDestroy(comm);
    all(comm, a);
}

static void use_after_abort(void)
{
    ncclCommAbort(comm);
    all(comm, a);
}

static void use_after_finalize(void)
{
    ncclCommFinalize(comm);
    ready(comm);
    all(comm, a);
}

static void stuck(void)
{
    if (rank == 0)
        all(second, b);
}

static void abort_one_by_one(void)
{
    stuck();
    ncclCommAbort(comm);
    ncclCommAbort(second);
}

static void free_in_the_group_of_an_abort(void)
{
    stuck();
    ncclGroupStart();
    ncclCommAbort(second);
    cudaFree(x); /* the kernels are there until the group ends */
    ncclGroupEnd();
}

static void abort_with_a_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    all(comm, a);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    ncclCommAbort(comm);
}

static uint32_t *hold(void)
{
    uint32_t *gate;
    cudaHostAlloc((void **)&gate, sizeof *gate, cudaHostAllocPortable);
    *gate = 0;
    hs_cuda_wait(gate, 1, a);
    return gate;
}

static void first_call_while_held(void)
{
    hold();
    all(comm, a);
}

static void too_much_while_held(void)
{
    all(comm, a);
    finish();
    hold();
    for (int i = 0; i < 2000; i++)
        all(comm, a);
}

static void destroy_at_work(void)
{
    if (rank == 0)
        all(comm, a);
    ncclCommDestroy(comm);
}

static void beyond_memory(void)
{
    ncclAllGather(x, y, COUNT, ncclFloat32, comm, a); /* 2 x COUNT do not fit in y */
    ready(comm);
}

static void bad_overlap(void)
{
    ncclAllGather(x, x + 1, COUNT / 4, ncclFloat32, comm, a);
}

/* So many floats for each rank, and from each. */
static void exchange(const float *from, float *to, size_t sent, size_t received)
{
    ncclGroupStart();
    for (int r = 0; r < 2; r++) {
        ncclSend(from + (size_t)r * sent, sent, ncclFloat32, r, comm, a);
        ncclRecv(to + (size_t)r * received, received, ncclFloat32, r, comm, a);
    }
    ncclGroupEnd();
    ready(comm);
    finish();
}

static void sent_is_not_received(void)
{
    exchange(x, y, COUNT / 2, COUNT / 4);
}

static void received_from_nobody(void)
{
    ncclGroupStart();
    ncclRecv(y, COUNT, ncclFloat32, 1 - rank, comm, a);
    ncclGroupEnd();
    ready(comm);
    finish();
}

static void received_where_it_is_sent(void)
{
    exchange(x, x, COUNT / 2, COUNT / 2);
}

static void sent_alone(void)
{
    ncclSend(x, COUNT, ncclFloat32, 1 - rank, comm, a);
}

static void sent_while_it_is_made(void)
{
    all(second, b);
    exchange(x, y, COUNT / 2, COUNT / 2);
}

static void free_registered(void)
{
    void *handle;
    ncclCommRegister(comm, x, COUNT * sizeof *x, &handle);
    ncclMemFree(x);
}

/* A symmetric window of what `buffer` begins. */
static ncclWindow_t window(ncclComm_t of, float *buffer)
{
    ncclWindow_t made = NULL;
    ncclCommWindowRegister(of, buffer, COUNT * sizeof *buffer, &made, NCCL_WIN_COLL_SYMMETRIC);
    ready(of);
    return made;
}

static void second_window(void)
{
    window(comm, x);
    window(comm, x);
}

static void window_ended_twice(void)
{
    ncclWindow_t made = window(comm, x);
    ncclCommWindowDeregister(comm, made);
    ncclCommWindowDeregister(comm, made);
}

static void window_ended_at_work(void)
{
    ncclWindow_t made = window(comm, x);
    if (rank == 0)
        all(comm, a);
    ncclCommWindowDeregister(comm, made);
}

static void finalize_with_a_window(void)
{
    window(comm, x);
    ncclCommFinalize(comm);
}

static void free_windowed(void)
{
    window(comm, x);
    ncclMemFree(x);
}

static void window_in_progress(void)
{
    ncclWindow_t made;
    ncclCommWindowRegister(comm, x, COUNT * sizeof *x, &made, NCCL_WIN_COLL_SYMMETRIC);
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, a);
}

static void another_place_of_a_window(void)
{
    window(comm, x);
    window(comm, y);
    ncclAllReduce(x + rank, y + rank, COUNT / 2, ncclFloat32, ncclSum, comm, a);
    ready(comm);
    finish();
}

static void window_on_one_rank(void)
{
    window(comm, x);
    ncclWindow_t made = window(comm, y);
    if (rank == 0)
        ncclCommWindowDeregister(comm, made);
    ncclAllReduce(x, y, COUNT, ncclFloat32, ncclSum, comm, a);
    ready(comm);
    finish();
}

static void host_reads_device(void)
{
    printf("%g\n", (double)x[0]);
}

static void default_stream(void)
{
    all(comm, NULL);
}

static void not_joined(void)
{
    cudaGraph_t graph;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    all(comm, b);
    cudaStreamEndCapture(a, &graph);
}

static void query_in_capture(void)
{
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    cudaStreamQuery(a);
}

static void left_over(void)
{
    standin_check_leaks();
}

static void mpi_gets_device_memory(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(x, COUNT, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &request);
}

static void mpi_collective_gets_device_memory(void)
{
    MPI_Allreduce(x, y, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void no_blocking_no_device_memory(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    setenv("STANDIN_MPI", "aware", 1);
    MPI_Iallreduce(x, y, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
}

static void sent_before_it_is_copied(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    cudaMemcpyAsync(pinned, x, COUNT * sizeof *x, cudaMemcpyDefault, a);
    MPI_Isend(pinned, COUNT, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &request);
}

static void used_before_it_is_received(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(pinned, COUNT, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    cudaMemcpyAsync(x, pinned, COUNT * sizeof *x, cudaMemcpyDefault, a);
}

static void pinned_freed_as_device(void)
{
    cudaFree(pinned);
}

/* A message from one GPU to the other, by way of pinned memory; nothing is wrong with it. */
static void messages(void)
{
    MPI_Request request;
    int done = 0;
    cudaMemcpyAsync(pinned, x, COUNT * sizeof *x, cudaMemcpyDefault, a);
    cudaStreamSynchronize(a);
    if (rank == 0)
        MPI_Isend(pinned, COUNT, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(pinned, COUNT, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    cudaMemcpyAsync(x, pinned, COUNT * sizeof *x, cudaMemcpyDefault, a);
}

/* In order, grouped, captured and launched twice: no rule is broken, and the sums are those of the
 * calls. */
static void right(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float sum = 0;
    cudaMemsetAsync(x, 0, COUNT * sizeof *x, a);
    cudaMemsetAsync(y, 0, COUNT * sizeof *y, a);
    messages();
    ncclGroupStart();
    ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, a);
    ncclAllReduce(y, y, COUNT, ncclFloat32, ncclSum, second, b);
    ncclGroupEnd();
    ready(comm);
    ready(second);
    cudaEventRecord(event, b);
    cudaStreamWaitEvent(a, event, 0);
    all(comm, a);
    finish();
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    all(comm, b);
    cudaEventRecord(event, b);
    cudaStreamWaitEvent(a, event, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaGraphLaunch(exec, a);
    cudaMemcpyAsync(&sum, x, sizeof sum, cudaMemcpyDeviceToHost, a);
    finish();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    uint32_t *gate = hold();
    all(comm, a);
    *gate = 1;
    finish();
    ncclWindow_t windows[2] = {window(comm, x), window(comm, y)};
    ncclReduceScatter(x, x + rank * COUNT / 2, COUNT / 2, ncclFloat32, ncclSum, comm, a);
    ready(comm);
    ncclAllReduce(x + 1, y + 3, COUNT / 2, ncclFloat32, ncclSum, comm, a);
    ready(comm);
    finish();
    exchange(x, y, COUNT / 2, COUNT / 2);
    ncclCommWindowDeregister(comm, windows[0]);
    ncclCommWindowDeregister(comm, windows[1]);
    cudaFreeHost(gate);
    stuck();
    ncclGroupStart();
    ncclCommAbort(comm);
    ncclCommAbort(second);
    ncclGroupEnd();
    finish();
    if (sum == 0 && ncclGroupEnd() == ncclInvalidUsage && rank == 0)
        puts("right");
}

static const struct {
    const char *name, *rule;
    void (*run)(void);
} cases[] = {
    {"other-calls", "order", other_calls},
    {"other-counts", "order", other_counts},
    {"other-operations", "order", other_operations},
    {"crossed-communicators", "order", crossed_communicators},
    {"no-event", "race", no_event},
    {"event-recorded-too-early", "race", event_recorded_too_early},
    {"kernels-at-once", "race", kernels_at_once},
    {"handle-used-again", "race", handle_used_again},
    {"call-in-progress", "state", call_in_progress},
    {"use-after-destroy", "state", use_after_destroy},
    {"use-while-suspended", "state", use_while_suspended},
    {"destroyed-by-one-rank", "state", destroyed_by_one_rank},
    {"use-after-abort", "state", use_after_abort},
    {"use-after-finalize", "state", use_after_finalize},
    {"destroy-at-work", "state", destroy_at_work},
    {"abort-one-by-one", "abort", abort_one_by_one},
    {"abort-with-a-graph", "abort", abort_with_a_graph},
    {"first-call-while-held", "gate", first_call_while_held},
    {"too-much-while-held", "gate", too_much_while_held},
    {"beyond-memory", "memory", beyond_memory},
    {"bad-overlap", "memory", bad_overlap},
    {"sent-is-not-received", "order", sent_is_not_received},
    {"received-from-nobody", "order", received_from_nobody},
    {"received-where-it-is-sent", "memory", received_where_it_is_sent},
    {"sent-alone", "order", sent_alone},
    {"sent-while-it-is-made", "race", sent_while_it_is_made},
    {"free-in-the-group-of-an-abort", "memory", free_in_the_group_of_an_abort},
    {"free-registered", "memory", free_registered},
    {"second-window", "memory", second_window},
    {"window-ended-twice", "memory", window_ended_twice},
    {"window-ended-at-work", "memory", window_ended_at_work},
    {"finalize-with-a-window", "memory", finalize_with_a_window},
    {"free-windowed", "memory", free_windowed},
    {"window-in-progress", "state", window_in_progress},
    {"another-place-of-a-window", "order", another_place_of_a_window},
    {"window-on-one-rank", "order", window_on_one_rank},
    {"host-reads-device", "SIGSEGV", host_reads_device},
    {"default-stream", "capture", default_stream},
    {"not-joined", "capture", not_joined},
    {"query-in-capture", "capture", query_in_capture},
    {"mpi-gets-device-memory", "memory", mpi_gets_device_memory},
    {"mpi-collective-gets-device-memory", "memory", mpi_collective_gets_device_memory},
    {"nonblocking-collective-of-device-memory", "memory", no_blocking_no_device_memory},
    {"sent-before-it-is-copied", "race", sent_before_it_is_copied},
    {"used-before-it-is-received", "race", used_before_it_is_received},
    {"pinned-freed-as-device", "memory", pinned_freed_as_device},
    {"left-over", "leak", left_over},
    {"right", "", right},
};
#define CASES (sizeof cases / sizeof cases[0])

static void set_up(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    ncclMemAlloc((void **)&x, COUNT * sizeof *x);
    ncclMemAlloc((void **)&y, COUNT * sizeof *y);
    cudaHostAlloc((void **)&pinned, COUNT * sizeof *pinned, cudaHostAllocPortable);
    comm = new_comm();
    second = new_comm();
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    for (size_t i = 0; i < CASES && strcmp(argv[1], "list") == 0; i++)
        if (cases[i].rule[0] != '\0')
            printf("%s %s\n", cases[i].name, cases[i].rule);
    if (strcmp(argv[1], "list") == 0)
        return 0;
    MPI_Init(&argc, &argv);
    set_up();
    for (size_t i = 0; i < CASES; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
