#include "cli/commands.h"

const struct hs_command *const hs_commands[] = {
    &hs_command_predict,  &hs_command_check,      &hs_command_place,   &hs_command_shard,
    &hs_command_measure,  &hs_command_fit,        &hs_command_profile, &hs_command_run,
    &hs_command_export,   &hs_command_report,     &hs_command_plot,    &hs_command_systems,
    &hs_command_simulate, &hs_command_completion, &hs_command_help,    NULL,
};
