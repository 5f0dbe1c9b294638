/*
 * `measure` is a program of its own, because it is linked with MPI and CUDA. It is exec'ed, so it
 * keeps the process id and the environment that mpiexec or srun gave us.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "console/system_find.h"

#define MEASURE_PROGRAM "hiersearch-measure"

/* Returns only if there is no such program; another failure is an error. */
static enum hs_status try_exec(const char *path, char **argv, struct hs_error *err)
{
    if (strchr(path, '/'))
        execv(path, argv);
    else
        execvp(path, argv);
    if (errno == ENOENT || errno == ENOTDIR)
        return HS_OK;
    return hs_fail(err, HS_FAILED, "cannot run %s: %s", path, strerror(errno));
}

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    static const char *const places[] = {MEASURE_PROGRAM, "../libexec/hiersearch/" MEASURE_PROGRAM,
                                         "../libexec/" MEASURE_PROGRAM};
    enum hs_status status = HS_OK;
    size_t count = 0;
    char path[PATH_MAX], **argv;

    (void)settings;
    while (context->arguments[count])
        count++;
    argv = calloc(count + 2, sizeof(*argv));
    if (!argv)
        return hs_fail(err, HS_MEMORY, "out of memory");
    argv[0] = (char *)MEASURE_PROGRAM;
    memcpy(argv + 1, context->arguments, count * sizeof(*argv));
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && status == HS_OK; i++)
        if (hs_program_path(path, sizeof(path), places[i]))
            status = try_exec(path, argv, err);
    if (status == HS_OK)
        status = try_exec(MEASURE_PROGRAM, argv, err);
    free(argv);
    if (status != HS_OK)
        return status;
    return hs_fail(err, HS_FAILED,
                   "there is no " MEASURE_PROGRAM
                   " beside this program, in its libexec or in PATH: "
                   "it was built without MPI");
}

const struct hs_command hs_command_measure = {
    .name = "measure",
    .summary = "under mpiexec or srun: run the few splits that matter, and write down the times",
    .passes_on = true,
    .run = run,
};
