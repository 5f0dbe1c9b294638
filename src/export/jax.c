/* JAX: a module with the layers' mesh and a psum in layers for shard_map. */
#include "export/python.h"

static const char use[] =
    "Put this file where Python finds it:\n"
    "    import hierarchical_jax as hierarchical\n"
    "    total = hierarchical.all_reduce(x)       # x[i] on device i; every slice becomes the sum\n"
    "    mesh = hierarchical.make_mesh()          # for one's own shard_map, and in there\n"
    "    g = hierarchical.hierarchical_psum(g)    # for lax.psum over all devices\n"
    "With a MESH all of this is of the groups along its axes OVER.\n"
    "Exact: groups, order of the layers, chunks as independent chains. XLA may combine or reorder\n"
    "collectives (--xla_gpu_enable_latency_hiding_scheduler and the combine thresholds decide).";

static const char body[] =
#include "export/python/hierarchical_jax.py.inc"
    ;

static enum hs_status write_jax(struct hs_export_output *out, const struct hs_export_job *job,
                                struct hs_error *err)
{
    const struct hs_python_module module = {
        .exporter = &hs_exporter_jax,
        .file_name = "hierarchical_jax.py",
        .use = use,
        .body = body,
    };

    return hs_python_write(out, job, &module, err);
}

const struct hs_exporter hs_exporter_jax = {
    .name = "jax",
    .library = "JAX",
    .versions = "0.7 and later",
    .summary = "Python module: Mesh, and for shard_map a psum in layers",
    .affects = "calls of this module, nothing else in the job",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .sizes = true,
    .groups = HS_GROUPS_CALLED,
    .write = write_jax,
};
