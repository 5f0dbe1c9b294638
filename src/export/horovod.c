/* Horovod's environment: hierarchical or not. */
#include <inttypes.h>

#include "export/approximate.h"

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
    const struct hs_export_node_file file = {&hs_exporter_horovod, "horovod.env", use};
    struct hs_text *text;
    struct hs_plan plan;
    enum hs_status status = hs_export_begin_node(&text, &plan, out, job, &file, err);

    if (status != HS_OK)
        return status;
    if (plan.split.count == 0) {
        hs_text_append(text, "# no variable: Horovod's own choice\n");
        return HS_OK;
    }
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
    .affects = "every allreduce of the job, of all sizes",
    .layers = 2,
    .exact = false,
    .chunks = false,
    .write = write_horovod,
};
