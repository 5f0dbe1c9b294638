#include "cli/startup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stand-ins are opened the wrong way round, so that using them fails. */
void hs_standard_files_keep(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            exit(1);
    signal(SIGXFSZ, SIG_IGN);
}

/* ferror, because fwrite on a line-buffered stream can hide a failed write from its own result and
 * fflush's. */
enum hs_status hs_stdout_write(const struct hs_text *text, struct hs_error *err)
{
    if (text->failed)
        return hs_no_memory(err);
    if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0 ||
        ferror(stdout))
        return hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    return HS_OK;
}
