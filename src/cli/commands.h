/*
 * commands.h - the rows of the command table, one per cmd_*.c.
 *
 * A new command is a file cmd_NAME.c that defines hs_command_NAME, a line here, and a place in
 * hs_commands (commands.c).
 */
#ifndef HS_CLI_COMMANDS_H
#define HS_CLI_COMMANDS_H

#include "cli/command.h"

/* The table, in the order of --help. Ends with a NULL. */
extern const struct hs_command *const hs_commands[];

extern const struct hs_command hs_command_predict;
extern const struct hs_command hs_command_place;
extern const struct hs_command hs_command_shard;
extern const struct hs_command hs_command_measure;
extern const struct hs_command hs_command_simulate;
extern const struct hs_command hs_command_check;
extern const struct hs_command hs_command_fit;
extern const struct hs_command hs_command_profile;
extern const struct hs_command hs_command_run;
extern const struct hs_command hs_command_export;
extern const struct hs_command hs_command_plot;
extern const struct hs_command hs_command_report;
extern const struct hs_command hs_command_systems;
extern const struct hs_command hs_command_completion;
extern const struct hs_command hs_command_help;

#endif
