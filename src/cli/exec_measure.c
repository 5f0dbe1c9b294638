/* exec_measure.c - see exec_measure.h. */
#include "cli/exec_measure.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/places.h"

enum hs_status hs_exec_measure(struct hs_context *context, struct hs_error *err)
{
    size_t count = 0;
    char path[PATH_MAX], **argv;

    if (!hs_sibling_program(path, sizeof(path), HS_MEASURE_PROGRAM)) {
        if (context->arguments[0] && strcmp(context->arguments[0], "--help") == 0) {
            hs_context_help(context, context->command,
                            context->arguments[1] && strcmp(context->arguments[1], "all") == 0);
            return HS_OK;
        }
        return hs_fail(err, HS_FAILED,
                       "there is no " HS_MEASURE_PROGRAM
                       " beside this program, in its libexec or in PATH: "
                       "it was built without MPI");
    }
    while (context->arguments[count])
        count++;
    argv = calloc(count + 2, sizeof(*argv));
    if (!argv)
        return hs_no_memory(err);
    argv[0] = (char *)HS_MEASURE_PROGRAM;
    memcpy(argv + 1, context->arguments, count * sizeof(*argv));
    execv(path, argv);
    free(argv);
    return hs_fail(err, HS_FAILED, "cannot run %s: %s", path, strerror(errno));
}
