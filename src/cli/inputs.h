/*
 * inputs.h - the files that a command reads: several results, and none that it writes.
 */
#ifndef HS_CLI_INPUTS_H
#define HS_CLI_INPUTS_H

#include "answer/inputs.h"
#include "cli/command.h"

/* hs_file_writable for a command's output (NULL and "-", stdout, always are): refuses one that is
 * the SYSTEM (as typed, or NULL) or one of the results (or NULL) that the command reads. */
enum hs_status hs_output_check(const char *output, const char *system,
                               const struct hs_argument_list *results, struct hs_error *err);

/* Writes all of it to the file, complete or not at all, or to stdout ("-", NULL). HS_IO. */
enum hs_status hs_output_write(const char *output, const struct hs_text *data,
                               struct hs_context *context, struct hs_error *err);

/* Loads results, or, where it is taken, a profile or a folder of counts; warns of runs that were
 * cut short. "-" is stdin. HS_INVALID, HS_MEMORY; release
 * in any case. */
enum hs_status hs_inputs_load(struct hs_inputs *inputs, const struct hs_argument_list *files,
                              const struct hs_context *context, struct hs_error *err);
/* The same of results, logs and, where it is taken, the figures of a GPU, which are recognised by
 * their content; passes on notes of logs. */
enum hs_status hs_inputs_load_any(struct hs_inputs *inputs, const struct hs_argument_list *files,
                                  const struct hs_context *context, struct hs_error *err);

#endif
