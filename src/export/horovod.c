/* Horovod's environment: hierarchical or not. */
#include <inttypes.h>

#include "export/approximate.h"

#define LINE_MAX_BYTES 240

static const char use[] =
    "set -a; . ./horovod.env; set +a; horovodrun ... (or mpirun -x NAME for each)\n"
    "Two layers, the node and the rest: reduce-scatter in the node with NCCL, allreduce between\n"
    "nodes with MPI, allgather in the node with NCCL. Needs a Horovod built with\n"
    "HOROVOD_GPU_OPERATIONS=NCCL and MPI, and as many processes on each node. One choice for all\n"
    "sizes: the fusion buffer is as large as the message that the plan was chosen for.\n"
    "Autotuning would override both.";

static enum hs_status write_horovod(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    uint64_t bytes = job->result->messages[job->message].message_bytes;
    struct hs_text *text = hs_export_add_file(out, "horovod.env");
    char size[HS_UNIT_TEXT];
    struct hs_plan plan;
    double cost;
    enum hs_status status = hs_export_choose_node(&plan, &cost, job, job->message, err);

    if (status != HS_OK)
        return status;
    if (!text)
        return hs_fail(err, HS_MEMORY, "out of memory");
    hs_export_header_lines(text, job, &hs_exporter_horovod, use, LINE_MAX_BYTES);
    hs_export_say_replaced(out, text, &hs_exporter_horovod, hs_export_plan(job), &plan, cost,
                           hs_export_size(size, job));
    hs_export_say_node(out, text, job);
    hs_text_append(text,
                   "HOROVOD_HIERARCHICAL_ALLREDUCE=%d\n"
                   "HOROVOD_FUSION_THRESHOLD=%" PRIu64 "\n"
                   "HOROVOD_AUTOTUNE=0\n",
                   plan.split.count > 1, bytes);
    return HS_OK;
}

const struct hs_exporter hs_exporter_horovod = {
    .name = "horovod",
    .library = "Horovod",
    .versions = "0.16 and later",
    .summary = "hierarchical allreduce on or off, as environment",
    .layers = 2,
    .exact = false,
    .chunks = false,
    .write = write_horovod,
};
