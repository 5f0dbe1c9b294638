/* NCCL's environment, as the file that NCCL reads at its start. */
#include "export/approximate.h"

static const char use[] =
    "NCCL_CONF_FILE=nccl.conf (NCCL 2.23 and later), or ~/.nccl.conf, or /etc/nccl.conf.\n"
    "What the environment sets already wins over this file.\n"
    "NCCL knows no layers: the program makes one communicator per layer (--to colors, pytorch\n"
    "or jax write how). Rings in them are what the plan's time was found with. Protocol and "
    "number\n"
    "of channels stay NCCL's default choice, by size: the result says nothing about them.\n"
    "RCCL reads the same variables from its environment.";

static enum hs_status write_nccl_env(struct hs_export_output *out, const struct hs_export_job *job,
                                     struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "nccl.conf");

    (void)err;
    hs_export_header_lines(text, job, &hs_exporter_nccl_env, use);
    if (hs_export_is_nccl_native(job)) {
        hs_text_append(text, "# no variable: the plan's time is that of NCCL's default choice\n");
        return HS_OK;
    }
    if (!job->plan && (hs_export_library_gain(job, job->message, hs_export_plan(job)) > 1 ||
                       hs_export_untimed(&job->result->messages[job->message]))) {
        hs_text_append(text, "# no variable: NCCL's default choice\n");
        return HS_OK;
    }
    hs_text_append(text, "NCCL_ALGO=allreduce:ring;reducescatter:ring;allgather:ring\n");
    hs_export_note(out,
                   "nccl-env: NCCL_ALGO holds for every communicator of a process; the layers' "
                   "communicators are made by the program (--to colors, pytorch or jax)");
    return HS_OK;
}

const struct hs_exporter hs_exporter_nccl_env = {
    .name = "nccl-env",
    .library = "NCCL",
    .versions = "2.24.3 and later",
    .summary = "rings in every layer's communicator, as nccl.conf",
    .affects = "all communicators of the process, those that are no layer, too, and all sizes",
    .layers = 0,
    .exact = false,
    .chunks = false,
    .write = write_nccl_env,
};
