/* `measure` runs in the program that is linked with MPI and CUDA. */
#include "cli/become_measure.h"
#include "cli/commands.h"

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    (void)settings;
    return hs_become_measure(context, HS_MEASURE_PROGRAM, err);
}

const struct hs_command hs_command_measure = {
    .name = "measure",
    .summary = "under mpiexec or srun: run the few splits that matter, and write down the times",
    .passes_on = true,
    .run = run,
};
