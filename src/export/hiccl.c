/* HiCCL: the hierarchy vector of a composed collective, as lines of C++. */
#include <inttypes.h>

#include "export/exporters.h"

static const char use[] =
    "#include it where allreduce is a HiCCL::Comm, behind its add_reduce/add_bcast calls and\n"
    "before allreduce.init(). HiCCL counts layers from the outside in: the last factor is the\n"
    "innermost. Choose the library of each layer: NCCL, MPI, or IPC within a node.\n"
    "Exact: the groups of every layer and the order of layers; inside a group HiCCL sends\n"
    "directly, not in a ring.";

static enum hs_status write_hiccl(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    const struct hs_plan *plan = hs_export_plan(job);
    struct hs_text *text = hs_export_add_file(out, "hierarchy.inc");

    (void)err;
    hs_export_header(text, job, &hs_exporter_hiccl, &hs_export_comment_slashes, use);
    hs_text_append(text, "std::vector<int> hierarchy = {");
    for (int i = plan->split.count - 1; i >= 0; i--)
        hs_text_append(text, "%" PRId64 "%s", plan->split.sizes[i], i > 0 ? ", " : "};\n");
    hs_text_append(text, "std::vector<CommBench::library> library = {");
    for (int i = plan->split.count - 1; i >= 0; i--)
        hs_text_append(text, "CommBench::NCCL%s", i > 0 ? ", " : "};\n");
    hs_text_append(text,
                   "allreduce.set_hierarchy(hierarchy, library);\n"
                   "allreduce.set_pipedepth(%d);\n",
                   plan->chunks);
    return HS_OK;
}

const struct hs_exporter hs_exporter_hiccl = {
    .name = "hiccl",
    .library = "HiCCL",
    .versions = "December 2024",
    .summary = "its hierarchy vector, one layer per factor",
    .affects = "this one composed collective",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .write = write_hiccl,
};
