/* graphs.c - the CUDA runtime's captures and graphs. See standin.h. */
#include <stdlib.h>

#include "streams.h"

static struct CUgraphExec_st *execs;
static struct capture *captures;

size_t standin_graph_count(void)
{
    size_t count = 0;
    for (cudaGraphExec_t at = execs; at != NULL; at = at->next)
        count += !at->dead;
    return count;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    standin_check_not_capturing(stream, "cudaStreamBeginCapture");
    struct capture *capture = standin_need(sizeof *capture);
    capture->next = captures;
    captures = capture;
    standin_join_capture(stream, capture);
    return standin_result(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    *status = standin_stream_captures(stream) ? cudaStreamCaptureStatusActive
                                              : cudaStreamCaptureStatusNone;
    return standin_result(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    standin_check_stream(stream, "cudaStreamEndCapture");
    struct capture *capture = stream->capture;
    if (capture == NULL || stream->lane != 0)
        standin_broken("capture", "cudaStreamEndCapture on a stream that did not begin one");
    bool joined = true;
    for (int i = 0; i < capture->lanes; i++) {
        joined = joined && capture->clocks[0][i] >= capture->clocks[i][i];
        capture->streams[i]->capture = NULL;
    }
    if (!joined)
        standin_broken("capture", "a capture ends with a stream that has not been joined");
    *graph = standin_need(sizeof **graph);
    (*graph)->capture = capture;
    return standin_result(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *exec = standin_need(sizeof **exec);
    (*exec)->capture = graph->capture;
    for (int i = 0; i < graph->capture->lanes; i++)
        (*exec)->streams[i] = standin_new_stream();
    (*exec)->next = execs;
    execs = *exec;
    return standin_result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return standin_result(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    for (int i = 0; i < exec->capture->lanes; i++)
        exec->streams[i]->dead = true;
    exec->dead = true;
    return standin_result(cudaSuccess);
}

bool standin_graph_has(const struct ncclComm *comm)
{
    for (cudaGraphExec_t at = execs; at != NULL; at = at->next)
        for (const struct command *one = at->capture->commands.first; one != NULL && !at->dead;
             one = one->next)
            if (one->kind == COMMAND_WORK && one->work.comm == comm)
                return true;
    return false;
}

static void launch_command(cudaGraphExec_t exec, const struct command *command, struct moment **at)
{
    cudaStream_t lane = exec->streams[command->lane];
    switch (command->kind) {
    case COMMAND_WORK:
        standin_put_live(lane, &command->work);
        break;
    case COMMAND_RECORD:
        at[command->number] = standin_use(standin_record_live(lane));
        break;
    case COMMAND_WAIT:
        standin_wait_live(lane, at[command->number]);
        break;
    }
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    standin_check_not_capturing(stream, "cudaGraphLaunch");
    if (exec->dead)
        standin_broken("memory", "cudaGraphLaunch of a destroyed graph");
    struct moment **at = standin_need((exec->capture->moments + 1) * sizeof *at);
    struct moment *before = standin_record_live(stream);
    for (int i = 0; i < exec->capture->lanes; i++)
        standin_wait_live(exec->streams[i], before);
    for (const struct command *command = exec->capture->commands.first; command != NULL;
         command = command->next)
        launch_command(exec, command, at);
    standin_wait_live(stream, standin_record_live(exec->streams[0]));
    for (size_t i = 0; i < exec->capture->moments; i++)
        standin_drop(at[i]);
    free(at);
    return standin_result(cudaSuccess);
}
