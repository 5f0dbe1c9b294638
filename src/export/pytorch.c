/* PyTorch: a module with the layers' DeviceMesh, collectives in layers, those of FSDP2 and DDP's
 * communication hook. */
#include "export/python.h"

static const char use[] =
    "Put this file where Python finds it; in every process, after dist.init_process_group:\n"
    "    import hierarchical_torch as hierarchical\n"
    "    layers = hierarchical.Hierarchy()\n"
    "    layers.all_reduce(tensor)                   # for dist.all_reduce(tensor)\n"
    "    ddp.register_comm_hook(layers, hierarchical.hierarchical_hook)\n"
    "    layers = hierarchical.Hierarchy(group)      # or the ranks of a group, or mesh[\"dp\"]\n"
    "    layers.reduce_scatter_tensor(block, whole)  # for dist.reduce_scatter_tensor\n"
    "    layers.all_gather_into_tensor(whole, block) # for dist.all_gather_into_tensor\n"
    "    layers.all_to_all_single(theirs, mine)      # for dist.all_to_all_single\n"
    "    hierarchical.apply_to_fsdp(model, group)    # what fully_shard sharded over the group\n"
    "    mesh = hierarchical.make_mesh(\"cuda\")       # the layers as a DeviceMesh\n"
    "With a MESH they are for groups along its axes OVER: give one of those.\n"
    "RULES are for one of these (COLLECTIVE); the others are the library's default call.\n"
    "Exact: groups, order of the layers, chunks, trees on single links (FORESTS), whose ranks are\n"
    "the machine's GPUs in their order. Inside other groups the backend (NCCL) chooses.";

static const char body[] =
#include "export/python/hierarchical_torch.py.inc"
    ;

static enum hs_status write_pytorch(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    const struct hs_python_module module = {
        .exporter = &hs_exporter_pytorch,
        .file_name = "hierarchical_torch.py",
        .use = use,
        .body = body,
    };

    return hs_python_write(out, job, &module, err);
}

const struct hs_exporter hs_exporter_pytorch = {
    .name = "pytorch",
    .library = "PyTorch",
    .versions = "2.2 and later",
    .summary = "Python module: DeviceMesh, collectives in layers, for FSDP2 and DDP",
    .affects = "calls of this module, nothing else in the job",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .letters = HS_EXPORT_TREES,
    .sizes = true,
    .also = HS_EXPORT_BY_LAYERS | HS_EXPORT_BY_COPIES | HS_EXPORT_OF(ALLTOALL, NATURAL),
    .groups = HS_GROUPS_CALLED,
    .write = write_pytorch,
};
