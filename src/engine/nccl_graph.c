/* nccl_graph.c - see nccl_graph.h. */
#include "engine/nccl_graph.h"

#include <stdlib.h>

struct hs_nccl_graph *hs_nccl_graphs_find(const struct hs_nccl_graphs *graphs,
                                          const struct hs_work *work)
{
    for (struct hs_nccl_graph *at = graphs->first; at; at = at->next)
        if (hs_task_equal(&at->task, work->task) && at->work.input == work->input &&
            at->work.output == work->output && at->work.datatype == work->datatype &&
            at->work.operation == work->operation)
            return at;
    return NULL;
}

static struct hs_nccl_graph *entry_for(struct hs_nccl_graphs *graphs, const struct hs_work *work)
{
    struct hs_nccl_graph *entry = hs_nccl_graphs_find(graphs, work), **end = &graphs->first;

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

enum hs_status hs_nccl_graphs_capture(struct hs_nccl_graphs *graphs, struct hs_nccl_lanes *lanes,
                                      const struct hs_work *work, struct hs_error *err)
{
    struct hs_nccl_graph *entry = entry_for(graphs, work);
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

void hs_nccl_graphs_drop(struct hs_nccl_graphs *graphs)
{
    for (struct hs_nccl_graph *at = graphs->first; at != NULL; at = at->next) {
        if (at->exec != NULL)
            cudaGraphExecDestroy(at->exec);
        at->exec = NULL;
    }
}

void hs_nccl_graphs_release(struct hs_nccl_graphs *graphs)
{
    hs_nccl_graphs_drop(graphs);
    while (graphs->first != NULL) {
        struct hs_nccl_graph *entry = graphs->first;
        graphs->first = entry->next;
        free(entry);
    }
}
