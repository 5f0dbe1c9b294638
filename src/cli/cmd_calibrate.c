/* `calibrate` runs in the program that is linked with MPI and CUDA, as `measure` does. */
#include "cli/become_measure.h"
#include "cli/commands.h"

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    (void)settings;
    return hs_become_measure(context, HS_CALIBRATE_PROGRAM, err);
}

const struct hs_command hs_command_calibrate = {
    .name = "calibrate",
    .summary = "under mpiexec or srun: measure layers, and write the system with its real figures",
    .passes_on = true,
    .run = run,
};
