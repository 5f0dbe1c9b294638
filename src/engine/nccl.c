/*
 * nccl.c - engines `nccl`, `nccl-graph` and `nccl-symmetric`: NCCL's collectives, layer by layer,
 * on GPU memory.
 *
 * One process per GPU. `nccl` issues a plan call by call, as a program would; `nccl-graph` replays
 * it as a CUDA graph, NCCL's own allreduce and single stages, too, and is a backend of its own so
 * that its times are never mixed with the other's. `nccl-symmetric` is `nccl` with the buffers in
 * symmetric windows of every layer's communicator.
 *
 * A run that does not end in time fails on the ranks that saw it; recover, called on all, aborts
 * every communicator, waits until the GPU is free, and makes them again.
 *
 * Several ranks on one GPU: NCCL has to be kept from noticing (before 2.30: a host id per rank, so
 * that all go through sockets) or told to allow it (NCCL_MULTI_RANK_GPU_ENABLE=1 from 2.30).
 */
#include "engine/nccl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/cuda_device.h"
#include "engine/engine.h"
#include "engine/layer_comms.h"
#include "engine/mpi_status.h"
#include "engine/nccl_lanes.h"
#include "engine/packing.h"

/* After ncclCommAbort kernels leave at once; a GPU that is still busy then is lost. */
#define FREE_GPU_SECONDS 20.0
/* ---- work captured as CUDA graphs, so that a run is one launch ---- */

struct graph {
    struct hs_task task;
    struct hs_work work;  /* whose task is the one above */
    cudaGraphExec_t exec; /* NULL: not captured (any more) */
    struct graph *next;
};

/* {NULL} has none. */
struct graphs {
    struct graph *first;
};

/* Local; the same task on the same buffers; NULL where there is none. */
static struct graph *graphs_find(const struct graphs *graphs, const struct hs_work *work)
{
    for (struct graph *at = graphs->first; at; at = at->next)
        if (hs_task_equal(&at->task, work->task) && at->work.input == work->input &&
            at->work.output == work->output && at->work.datatype == work->datatype &&
            at->work.operation == work->operation)
            return at;
    return NULL;
}

static struct graph *entry_for(struct graphs *graphs, const struct hs_work *work)
{
    struct graph *entry = graphs_find(graphs, work), **end = &graphs->first;

    if (entry)
        return entry;
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    entry->task = *work->task;
    entry->work = *work;
    entry->work.task = &entry->task;
    while (*end)
        end = &(*end)->next;
    *end = entry;
    return entry;
}

/* The capture ends in any case: a stream left in it is of no use. Relaxed, because NCCL launches
 * from a thread of its own where communicators are non-blocking. */
static enum hs_status record_graph(cudaGraph_t *graph, struct hs_nccl_lanes *lanes,
                                   const struct hs_work *work, struct hs_error *err)
{
    cudaStream_t stream = lanes->streams[0];
    *graph = NULL;
    enum hs_status status =
        hs_cuda_status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
                       "cudaStreamBeginCapture", err);
    if (status != HS_OK)
        return status;
    status = hs_nccl_issue(lanes, work, false, err);
    cudaError_t ended = cudaStreamEndCapture(stream, graph);
    return status != HS_OK ? status : hs_cuda_status(ended, "cudaStreamEndCapture", err);
}

/* Captures work whose communicators have been at work once (what NCCL sets up at a first call is
 * not for a capture). Nothing runs. Local, but all ranks must capture the same in the same order.
 */
static enum hs_status graphs_capture(struct graphs *graphs, struct hs_nccl_lanes *lanes,
                                     const struct hs_work *work, struct hs_error *err)
{
    struct graph *entry = entry_for(graphs, work);
    cudaGraph_t graph;
    if (entry == NULL)
        return hs_no_memory(err);
    if (entry->exec != NULL)
        return HS_OK;
    enum hs_status status = record_graph(&graph, lanes, work, err);
    if (status == HS_OK)
        status = hs_cuda_status(cudaGraphInstantiate(&entry->exec, graph, 0),
                                "cudaGraphInstantiate", err);
    if (status != HS_OK)
        entry->exec = NULL;
    if (graph != NULL)
        cudaGraphDestroy(graph);
    return status;
}

/* Drops what was captured with communicators that are gone; the work stays listed. */
static void graphs_drop(struct graphs *graphs)
{
    for (struct graph *at = graphs->first; at != NULL; at = at->next) {
        if (at->exec != NULL)
            cudaGraphExecDestroy(at->exec);
        at->exec = NULL;
    }
}

static void graphs_release(struct graphs *graphs)
{
    graphs_drop(graphs);
    while (graphs->first != NULL) {
        struct graph *entry = graphs->first;
        graphs->first = entry->next;
        free(entry);
    }
}

/* Runs that are timed together, and calls that may be on the device before the first begins: its
 * queues take 1024 operations, and a call comes with a wait and an event. */
#define HELD_RUNS_MAX  20
#define HELD_CALLS_MAX 300

/* Runs brought together, sent, and brought apart. */
#define CALLS_OF_EXCHANGE 3

/* That has NCCL_CTA_POLICY_ZERO. */
#define VERSION_WITH_ZERO_CTA 22800

#define NO_WINDOWS "this NCCL has no symmetric windows: 2.27 or newer is needed"

/* What NCCL took for the work that was prepared last. */
struct heard {
    bool now, done;      /* listening; listened since it was prepared */
    struct hs_work work; /* whose task is nccl_state.last */
    char choices[HS_STAGES_MAX][HS_CHOICE_TEXT];
};

struct nccl_state {
    struct hs_layer_comms mpi; /* its communicators of layers are not used */
    struct hs_cuda_device device;
    struct hs_nccl_comms comms;
    struct hs_nccl_lanes lanes;
    struct graphs graphs;
    size_t free_bytes; /* of the GPU, before NCCL took any */
    bool with_graphs;
    bool broken;         /* until recover: on this rank something failed */
    struct hs_task last; /* what ran or was prepared last */
    bool warm;           /* it ran, to its end */
    int runs;            /* of it, back to back */
    double device_seconds, stage_seconds[HS_STAGES_MAX];
    bool timed; /* what runs now is */
    struct heard heard;
};

static enum hs_status agree(struct nccl_state *state, enum hs_status status, struct hs_error *err)
{
    return hs_agree(state->mpi.world, &state->mpi.idle, status, err);
}

/* ---- opening ---- */

static bool nccl_available(char *why, size_t why_bytes)
{
    const struct hs_nccl_api *api;
    struct hs_error error;

    if (!hs_cuda_device_exists(why, why_bytes))
        return false;
    if (hs_nccl_api_get(&api, &error) == HS_OK)
        return true;
    snprintf(why, why_bytes, "%s", error.message);
    return false;
}

/* Ranks that share a GPU are told before anything is made. */
static enum hs_status nccl_suits(MPI_Comm world, struct hs_idle *idle, struct hs_error *err)
{
    struct hs_cuda_device device;

    return hs_cuda_device_find(&device, world, idle, err);
}

static enum hs_status set_default(const char *name, const char *value, struct hs_error *err)
{
    if (setenv(name, value, 0) != 0)
        return hs_fail(err, HS_MEMORY, "out of memory for %s", name);
    return HS_OK;
}

/* Few thread blocks, so that kernels of several ranks find room side by side, and nothing that
 * knows only GPUs of one rank each. Where all ranks have one and the same GPU they are on one node.
 */
enum hs_status hs_nccl_allow_sharing(const struct hs_nccl_api *api, int rank, bool mates,
                                     struct hs_error *err)
{
    static const char *const defaults[][2] = {
        {"NCCL_MAX_CTAS", "2"}, {"NCCL_MNNVL_ENABLE", "0"}, {"NCCL_RAS_ENABLE", "0"}};
    char id[64];
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]) && status == HS_OK; i++)
        status = set_default(defaults[i][0], defaults[i][1], err);
    if (status == HS_OK && mates) {
        status = set_default("NCCL_SOCKET_IFNAME", "lo", err);
        if (status == HS_OK)
            status = set_default("NCCL_IB_DISABLE", "1", err);
    }
    if (status != HS_OK || api->version >= 23000)
        return status == HS_OK ? set_default("NCCL_MULTI_RANK_GPU_ENABLE", "1", err) : status;
    snprintf(id, sizeof(id), "hiersearch-rank-%d", rank);
    status = set_default("NCCL_HOSTID", id, err);
    return status == HS_OK ? set_default("NCCL_NET", "Socket", err) : status;
}

/* Layers at work at the same time have communicators of their own; NCCL then asks for its launches
 * to follow the program's order, from 2.26 (user guide, "Using multiple NCCL communicators"). */
static enum hs_status set_environment(struct nccl_state *state, const struct hs_nccl_api *api,
                                      struct hs_error *err)
{
    bool mates = state->device.mates == state->mpi.np;
    enum hs_status status =
        state->device.shared ? hs_nccl_allow_sharing(api, state->mpi.rank, mates, err) : HS_OK;

    if (status == HS_OK)
        status = set_default("NCCL_LAUNCH_ORDER_IMPLICIT", "1", err);
    return status == HS_OK ? hs_nccl_record_offer(err) : status;
}

/* Communicators end first. */
static void nccl_close(void *opaque)
{
    struct nccl_state *state = opaque;

    if (!state)
        return;
    graphs_release(&state->graphs);
    if (state->comms.api)
        hs_nccl_comms_release(&state->comms, state->broken);
    hs_nccl_lanes_release(&state->lanes);
    hs_layer_comms_release(&state->mpi);
    free(state);
}

/* Of the GPU that this rank has; 0: not known. */
static size_t free_bytes(void)
{
    size_t left = 0, all;

    return cudaMemGetInfo(&left, &all) == cudaSuccess ? left : 0;
}

static enum hs_status init(struct nccl_state *state, const struct hs_engine_config *config,
                           struct hs_error *err)
{
    const struct hs_nccl_api *api = NULL;
    enum hs_status status = hs_layer_comms_init(&state->mpi, config->comm, err);

    if (status != HS_OK) /* there is nobody to agree with */
        return status;
    status = agree(state, hs_nccl_api_get(&api, err), err);
    if (status == HS_OK)
        status = hs_cuda_device_take(&state->device, state->mpi.world, &state->mpi.idle, err);
    if (status != HS_OK)
        return status;
    status = set_environment(state, api, err);
    state->free_bytes = free_bytes();
    state->comms = (struct hs_nccl_comms){
        .api = api,
        .world = state->mpi.world,
        .rank = state->mpi.rank,
        .np = state->mpi.np,
        .kind = state->comms.kind,
        .idle = &state->mpi.idle,
        .registers = config->registered,
        .timeout_seconds = config->timeout_seconds > 0 ? config->timeout_seconds : INFINITY};
    state->lanes.comms = &state->comms;
    if (status == HS_OK)
        status = hs_nccl_lanes_init(&state->lanes, state->with_graphs, err);
    if (status == HS_OK && state->comms.kind == HS_NCCL_WINDOWED && !hs_nccl_api_windows(api))
        status = hs_fail(err, HS_INVALID, NO_WINDOWS);
    status = agree(state, status, err);
    return status == HS_OK ? hs_nccl_comms_init(&state->comms, err) : status;
}

/* How the engines differ. */
struct manner {
    bool with_graphs;
    enum hs_nccl_kind kind; /* of the layers' communicators */
};

static enum hs_status open_with(void **out, const struct hs_engine_config *config,
                                struct manner manner, struct hs_error *err)
{
    struct nccl_state *state = calloc(1, sizeof(*state));
    struct hs_idle idle = {.oversubscribed = true}; /* until it is known */
    enum hs_status status = HS_OK;

    *out = NULL;
    if (!state)
        status = hs_no_memory(err);
    status = hs_agree(config->comm, &idle, status, err);
    if (status == HS_OK && state) {
        state->with_graphs = manner.with_graphs;
        state->comms.kind = manner.kind;
        status = init(state, config, err);
    }
    if (status != HS_OK) {
        nccl_close(state);
        return status;
    }
    *out = state;
    return HS_OK;
}

static enum hs_status nccl_open(void **out, const struct hs_engine_config *config,
                                struct hs_error *err)
{
    return open_with(out, config, (struct manner){false, HS_NCCL_OF_LAYER}, err);
}

static enum hs_status graph_open(void **out, const struct hs_engine_config *config,
                                 struct hs_error *err)
{
    return open_with(out, config, (struct manner){true, HS_NCCL_OF_LAYER}, err);
}

static enum hs_status symmetric_open(void **out, const struct hs_engine_config *config,
                                     struct hs_error *err)
{
    return open_with(out, config, (struct manner){false, HS_NCCL_WINDOWED}, err);
}

/* ---- a run ---- */

/* Remembers a failure: nothing more is put on communicators in an unknown state. */
static enum hs_status failing(struct nccl_state *state, enum hs_status status)
{
    if (status != HS_OK)
        state->broken = true;
    return status;
}

static enum hs_status check_fit(const struct nccl_state *state, struct hs_error *err)
{
    if (state->broken)
        return hs_fail(err, HS_FAILED, "an earlier failure left NCCL unusable");
    return HS_OK;
}

static enum hs_status replay(struct hs_nccl_lanes *lanes, cudaGraphExec_t exec,
                             struct hs_error *err)
{
    double begin = MPI_Wtime();
    cudaError_t code = cudaGraphLaunch(exec, lanes->streams[0]);

    lanes->clock.replays++;
    lanes->clock.issue_seconds += MPI_Wtime() - begin;
    return hs_cuda_status(code, "cudaGraphLaunch", err);
}

/* Events inside a graph have no times, so runs with the times of stages are issued call by call. */
static enum hs_status put_on_lanes(struct nccl_state *state, const struct hs_work *work,
                                   struct hs_error *err)
{
    const struct graph *graph = graphs_find(&state->graphs, work);

    if (!state->timed && graph && graph->exec)
        return replay(&state->lanes, graph->exec, err);
    return hs_nccl_issue(&state->lanes, work, state->timed, err);
}

static enum hs_status begin_runs(struct nccl_state *state, const struct hs_work *work, int runs,
                                 struct hs_error *err)
{
    struct hs_nccl_lanes *lanes = &state->lanes;
    enum hs_status status =
        hs_cuda_status(cudaEventRecord(lanes->begin, lanes->streams[0]), "cudaEventRecord", err);

    state->last = *work->task;
    state->heard.work = *work;
    state->heard.work.task = &state->last;
    state->warm = false;
    state->runs = runs;
    state->heard.now = !state->heard.done;
    if (state->heard.now)
        hs_nccl_record_listen(true);
    for (int i = 0; i < runs && status == HS_OK; i++)
        status = put_on_lanes(state, work, err);
    if (status == HS_OK)
        status =
            hs_cuda_status(cudaEventRecord(lanes->end, lanes->streams[0]), "cudaEventRecord", err);
    if (state->heard.now)
        hs_nccl_record_listen(false);
    if (status != HS_OK && !state->comms.timed_out)
        state->comms.failed = true;
    lanes->issued = lanes->looked = MPI_Wtime();
    return failing(state, status);
}

static enum hs_status nccl_start(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct nccl_state *state = opaque;
    enum hs_status status = check_fit(state, err);

    state->timed = work->timed && work->task->kind == HS_TASK_PLAN;
    if (status != HS_OK)
        state->last = *work->task;
    return status == HS_OK ? begin_runs(state, work, 1, err) : status;
}

static int calls_of(const struct nccl_state *state, const struct hs_work *work)
{
    struct hs_stages stages;

    if (work->task->kind == HS_TASK_NATIVE)
        return 1;
    hs_stages_init(&stages, work, state->mpi.rank);
    if (hs_task_packs(work->task)) /* passes, and a block */
        return 2 * stages.count;
    return stages.count * stages.chunks * (stages.whole ? CALLS_OF_EXCHANGE : 1);
}

static int nccl_runs_to_hold(const void *opaque, const struct hs_work *work)
{
    int runs = HELD_CALLS_MAX / calls_of(opaque, work);

    return runs < 1 ? 1 : runs < HELD_RUNS_MAX ? runs : HELD_RUNS_MAX;
}

/* Where the device could not hold it, or a first call might wait for the device, nothing is held:
 * the time then has what the host adds. */
static enum hs_status nccl_hold(void *opaque, const struct hs_work *work, int runs,
                                struct hs_error *err)
{
    struct nccl_state *state = opaque;
    bool holds = state->warm && hs_task_equal(&state->last, work->task) &&
                 runs * calls_of(state, work) <= HELD_CALLS_MAX;
    enum hs_status status = check_fit(state, err);

    state->timed = false;
    if (status == HS_OK && holds)
        status = hs_nccl_lanes_hold(&state->lanes, err);
    return status == HS_OK ? begin_runs(state, work, runs, err) : failing(state, status);
}

static void nccl_go(void *opaque)
{
    struct nccl_state *state = opaque;

    hs_nccl_lanes_go(&state->lanes);
}

static enum hs_status nccl_test(void *opaque, bool *done, bool *moved, struct hs_error *err)
{
    struct nccl_state *state = opaque;
    enum hs_status status = hs_nccl_lanes_test(&state->lanes, done, err);

    *moved = *done;
    if (status == HS_OK && *done) {
        status = hs_nccl_lanes_seconds(&state->lanes, &state->device_seconds, err);
        state->device_seconds /= state->runs;
        state->warm = status == HS_OK;
        if (state->heard.now)
            hs_nccl_take_choices(&state->lanes, &state->heard.work, state->heard.choices);
        state->heard.done = state->heard.done || state->heard.now;
        state->heard.now = false;
        if (status == HS_OK && state->timed)
            status = hs_nccl_stage_times(&state->lanes, state->stage_seconds, err);
    }
    if (status != HS_OK && !state->comms.timed_out)
        state->comms.failed = true;
    return failing(state, status);
}

static enum hs_status run_once(struct nccl_state *state, const struct hs_work *work,
                               struct hs_error *err)
{
    bool done = false, moved;
    enum hs_status status = nccl_start(state, work, err);

    while (status == HS_OK && !done) {
        status = nccl_test(state, &done, &moved, err);
        hs_idle_looked(&state->mpi.idle, moved);
    }
    return status;
}

/* Collective: ranks that cannot go on keep the others from waiting for them. */
static enum hs_status capture(struct nccl_state *state, const struct hs_work *work,
                              struct hs_error *err)
{
    struct hs_work live = *work;
    enum hs_status status;

    live.timed = false;
    status = agree(state, run_once(state, &live, err), err);
    if (status == HS_OK)
        status = graphs_capture(&state->graphs, &state->lanes, work, err);
    return agree(state, failing(state, status), err);
}

static bool nccl_has_native(int native)
{
    const struct hs_nccl_api *api;

    if (native >= HS_NATIVES_MAX || hs_nccl_api_get(&api, NULL) != HS_OK)
        return false;
#ifdef NCCL_CTA_POLICY_ZERO
    if (native == HS_NCCL_NATIVE_ZERO_CTA)
        return hs_nccl_api_windows(api) && api->version >= VERSION_WITH_ZERO_CTA;
#endif
    return native < HS_NCCL_NATIVE_SYMMETRIC ||
           (native == HS_NCCL_NATIVE_SYMMETRIC && hs_nccl_api_windows(api));
}

static enum hs_status make_comms(struct nccl_state *state, const struct hs_work *work,
                                 struct hs_error *err)
{
    const struct hs_task *task = work->task;
    struct hs_group group = hs_task_group(task, state->mpi.np);
    const struct hs_nccl_comm *comm;
    struct hs_stages stages;
    enum hs_status status = HS_OK;

    if (task->kind == HS_TASK_NATIVE && !nccl_has_native(task->native))
        return hs_fail(err, HS_INVALID, NO_WINDOWS);
    if (task->kind == HS_TASK_NATIVE)
        return hs_nccl_native_is_root(&state->comms, task)
                   ? HS_OK
                   : hs_nccl_comms_get_group(&comm, &state->comms, &group,
                                             hs_nccl_native_kind(task->native), err);
    hs_stages_init(&stages, work, state->mpi.rank);
    for (int i = 0; i < stages.layers && status == HS_OK; i++)
        status = hs_nccl_comms_get(&comm, &state->comms, stages.layer[i], state->comms.kind, err);
    return status;
}

static enum hs_status nccl_prepare(void *opaque, const struct hs_work *work, struct hs_error *err)
{
    struct nccl_state *state = opaque;
    const struct hs_task *task = work->task;
    size_t bytes = work->room * hs_datatype_bytes(work->datatype);
    struct hs_nccl_buffer buffers[2] = {{(void *)work->input, bytes}, {work->output, bytes}};
    enum hs_status status = hs_work_check_library(work, state->mpi.np, err);

    if (status != HS_OK)
        return status;
    state->last = *task;
    state->warm = state->heard.done = false;
    memset(state->heard.choices, 0, sizeof(state->heard.choices));
    status = check_fit(state, err);
    if (status == HS_OK)
        status = hs_nccl_lanes_need(&state->lanes,
                                    task->kind == HS_TASK_PLAN ? task->plan.split.count : 1, err);
    if (status == HS_OK && hs_nccl_lanes_short(&state->lanes, work, state->mpi.rank)) {
        if (state->lanes.between.data) /* graphs may have it */
            graphs_drop(&state->graphs);
        status = hs_nccl_lanes_widen(&state->lanes, work, err);
    }
    status = agree(state, status, err);
    if (status == HS_OK)
        status = hs_nccl_comms_register(&state->comms, buffers, err);
    if (status == HS_OK)
        status = make_comms(state, work, err);
    if (status == HS_OK && state->with_graphs)
        status = capture(state, work, err);
    return failing(state, status);
}

/* ---- after a failure ---- */

/* Streams of aborted communicators end by themselves, in a while. */
static enum hs_status wait_for_free_gpu(struct nccl_state *state, struct hs_error *err)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < HS_LAYERS_MAX; i++) {
        cudaStream_t stream = state->lanes.streams[i];
        cudaError_t code = cudaErrorNotReady;

        while (stream && (code = cudaStreamQuery(stream)) == cudaErrorNotReady) {
            (void)cudaGetLastError();
            if (MPI_Wtime() - begin > FREE_GPU_SECONDS)
                return hs_fail(err, HS_FAILED,
                               "the GPU is still busy %g s after NCCL was told to stop",
                               FREE_GPU_SECONDS);
            hs_idle_looked(&state->mpi.idle, false);
        }
        if (stream && code != cudaSuccess)
            return hs_cuda_status(code, "cudaStreamQuery", err);
    }
    return HS_OK;
}

/* Captured graphs hold communicators that are gone. What failed is not captured again. */
static enum hs_status capture_again(struct nccl_state *state, const struct hs_task *failed,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (struct graph *at = state->graphs.first; at && status == HS_OK; at = at->next)
        if (!hs_task_equal(&at->task, failed))
            status = capture(state, &at->work, err);
    return status;
}

/* The worst that any rank has seen: where one has an error its peers wait for it in vain, so the
 * error is the news. */
static enum hs_status share_news(struct nccl_state *state, bool *timed_out, struct hs_error *err)
{
    enum { FINE, LATE, FAILED };
    int news = state->comms.failed ? FAILED : state->comms.timed_out ? LATE : FINE, worst = FINE;
    MPI_Request request;
    enum hs_status status =
        HS_MPI(MPI_Iallreduce(&news, &worst, 1, MPI_INT, MPI_MAX, state->mpi.world, &request), err);

    if (status == HS_OK)
        status = hs_idle_wait(&state->mpi.idle, &request, err);
    *timed_out = worst == LATE;
    return status;
}

static enum hs_status nccl_recover(void *opaque, bool *timed_out, struct hs_error *err)
{
    struct nccl_state *state = opaque;
    struct hs_task failed = state->last;
    enum hs_status status = share_news(state, timed_out, err);

    if (status != HS_OK)
        return status;
    hs_nccl_lanes_go(&state->lanes);
    graphs_drop(&state->graphs);
    state->broken = true;
    hs_nccl_comms_abort(&state->comms);
    status = agree(state, wait_for_free_gpu(state, err), err);
    if (status == HS_OK)
        status = hs_nccl_comms_renew(&state->comms, err);
    state->broken = status != HS_OK;
    return status == HS_OK ? capture_again(state, &failed, err) : status;
}

/* ---- what is local ---- */

static void nccl_stage_seconds(void *opaque, double seconds[HS_STAGES_MAX])
{
    const struct nccl_state *state = opaque;

    memcpy(seconds, state->stage_seconds, sizeof(state->stage_seconds));
}

static void nccl_choices(const void *opaque, char text[HS_STAGES_MAX][HS_CHOICE_TEXT])
{
    const struct nccl_state *state = opaque;

    memcpy(text, state->heard.choices, sizeof(state->heard.choices));
}

static double nccl_device_seconds(const void *opaque)
{
    const struct nccl_state *state = opaque;

    return state->device_seconds;
}

struct hs_nccl_clock hs_nccl_engine_clock(const void *opaque)
{
    const struct nccl_state *state = opaque;

    return state->lanes.clock;
}

/* What NCCL has of the GPU (and its kernels, and ranks that share it): what is gone since, but for
 * the caller's buffers, which came after. */
static size_t nccl_memory_bytes(const void *opaque)
{
    const struct nccl_state *state = opaque;
    size_t buffers = state->comms.buffers[0].bytes + state->comms.buffers[1].bytes;
    size_t rest = free_bytes() + buffers;

    return rest < state->free_bytes ? state->free_bytes - rest : 0;
}

static void print_version(char *text, size_t bytes, const struct hs_nccl_api *api)
{
    snprintf(text, bytes, "%d.%d.%d", api->version / 10000, api->version / 100 % 100,
             api->version % 100);
}

/* "NCCL 2.28.9, NVIDIA H100 80GB HBM3", and what makes its times those of another kind. */
static void nccl_describe(const void *opaque, char *text, size_t bytes)
{
    const struct nccl_state *state = opaque;
    char version[32];

    print_version(version, sizeof(version), state->comms.api);
    snprintf(text, bytes, "NCCL %s, %s%s%s%s%s%s", version, state->device.name,
             state->comms.registers ? ", registered buffers" : "",
             state->comms.blocking ? "" : ", non-blocking communicators",
             state->lanes.serial ? ", layers do not overlap: " : "",
             state->lanes.serial ? state->lanes.serial : "",
             state->device.shared ? HS_SHARED_GPU_TEXT : "");
}

static void nccl_identify(struct hs_device_facts *facts)
{
    const struct hs_nccl_api *api;
    struct hs_error error;

    hs_cuda_device_identify(facts);
    if (hs_nccl_api_get(&api, &error) == HS_OK)
        print_version(facts->nccl, sizeof(facts->nccl), api);
}

#define NATIVES(call, zero_cta)                                                                    \
    {                                                                                              \
        [HS_NCCL_NATIVE_DEFAULT] = (call), [HS_NCCL_NATIVE_RING] = call " ring",                   \
        [HS_NCCL_NATIVE_SYMMETRIC] = call " symmetric", [HS_NCCL_NATIVE_ZERO_CTA] = (zero_cta)     \
    }
static const char *const natives[HS_COLLECTIVE_COUNT][HS_NATIVES_MAX + 1] = {
    [HS_COLLECTIVE_ALLREDUCE] = NATIVES("ncclAllReduce", NULL),
    [HS_COLLECTIVE_REDUCE_SCATTER] = NATIVES("ncclReduceScatter", NULL),
    [HS_COLLECTIVE_ALLGATHER] = NATIVES("ncclAllGather", "ncclAllGather zero-CTA"),
    [HS_COLLECTIVE_ALLTOALL] = {"ncclSend/ncclRecv"}, /* no ring, and no windows */
};

static const struct hs_engine engine = {
    .prepare = nccl_prepare,
    .start = nccl_start,
    .hold = nccl_hold,
    .go = nccl_go,
    .runs_to_hold = nccl_runs_to_hold,
    .test = nccl_test,
    .recover = nccl_recover,
    .stage_seconds = nccl_stage_seconds,
    .device_seconds = nccl_device_seconds,
    .memory_bytes = nccl_memory_bytes,
    .describe = nccl_describe,
    .choices = nccl_choices,
    .close = nccl_close,
    .natives = natives,
    .has_native = nccl_has_native,
};

/* NCCL goes element by element where a pointer is off 16 bytes (2.28.9:
 * src/device/common_kernel.h); this is a line of a GPU's memory. */
#define LINE_BYTES 128

#define NCCL_BACKEND                                                                               \
    .memory_use = HS_MEMORY_OWN, .own_memory = &hs_memory_nccl, .available = nccl_available,       \
    .suits = nccl_suits, .identify = nccl_identify, .engine = &engine, .line_bytes = LINE_BYTES

const struct hs_backend hs_backend_nccl = {
    .name = "nccl",
    .open = nccl_open,
    NCCL_BACKEND,
};

const struct hs_backend hs_backend_nccl_graph = {
    .name = "nccl-graph",
    .open = graph_open,
    NCCL_BACKEND,
};

const struct hs_backend hs_backend_nccl_symmetric = {
    .name = "nccl-symmetric",
    .open = symmetric_open,
    NCCL_BACKEND,
};
