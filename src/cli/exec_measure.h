/*
 * exec_measure.h - `measure` is a program of its own, because it is linked with MPI and
 * CUDA. It is exec'ed, so it keeps the process id and the environment that mpiexec or srun gave us.
 */
#ifndef HS_CLI_EXEC_MEASURE_H
#define HS_CLI_EXEC_MEASURE_H

#include "base/error.h"
#include "cli/command.h"

#define HS_MEASURE_PROGRAM "hiersearch-measure"

/* Executes it, with the context's arguments; returns only where that fails. HS_FAILED, HS_MEMORY.
 */
enum hs_status hs_exec_measure(struct hs_context *context, struct hs_error *err);

#endif
