/* MPICH's environment: its allreduce in two layers, or flat. */
#include "export/approximate.h"

static const char use[] =
    "set -a; . ./mpich.env; set +a; mpiexec ... (or mpiexec -genvlist with these names)\n"
    "smp is two layers, the node and the rest, and not the plan's phases: reduce to one process "
    "of\n"
    "a node, allreduce between those, broadcast. reduce_scatter_allgather is flat; MPICH 4.0 has\n"
    "no ring. One choice for all sizes: a selection file (JSON) would replace MPICH's whole table\n"
    "of collectives, so none is written. Without the second variable the device's own collectives\n"
    "stay in charge and the first one changes nothing. A wrong name makes MPI_Init abort.";

static enum hs_status write_mpich(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    struct hs_export_rule rule = {.wanted = *hs_export_plan(job), .message = job->message};
    struct hs_text *text = hs_export_add_file(out, "mpich.env");
    enum hs_status status = hs_export_choose_node(&rule.plan, &rule.cost, job, job->message, err);
    const char *algorithm;

    if (status != HS_OK)
        return status;
    hs_export_leave_alone(&rule, job);
    hs_export_header_lines(text, job, &hs_exporter_mpich, use);
    hs_export_say_replaced(out, text, &hs_exporter_mpich, job, &rule);
    if (rule.plan.split.count == 0) {
        hs_text_append(text, "# no variable: MPICH's own choice\n");
        return HS_OK;
    }
    hs_export_say_node(out, text, job);
    algorithm = rule.plan.split.count > 1 ? "smp" : "reduce_scatter_allgather";
    hs_text_append(text,
                   "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=%s\n"
                   "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0\n",
                   algorithm);
    hs_export_note(out,
                   "mpich: %s moves other bytes than the plan's phases: measure before "
                   "relying on it",
                   algorithm);
    return HS_OK;
}

const struct hs_exporter hs_exporter_mpich = {
    .name = "mpich",
    .library = "MPICH",
    .versions = "4.0",
    .summary = "allreduce by node and rest, or flat, as environment",
    .affects = "every MPI_Allreduce of the job, in all communicators and of all sizes",
    .layers = 2,
    .exact = false,
    .chunks = false,
    .write = write_mpich,
};
