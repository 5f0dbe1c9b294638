#include "console/describe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/completion.h"
#include "console/manual.h"

#define ASK "--describe="

static const struct hs_shell *shell_named(const char *name)
{
    for (const struct hs_shell *const *shell = hs_shells; *shell; shell++)
        if (strcmp((*shell)->name, name) == 0)
            return *shell;
    return NULL;
}

/* From the rows that are here. */
static enum hs_status describe_rows(struct hs_text *out, const struct hs_command *command,
                                    const char *form, struct hs_error *err)
{
    const struct hs_shell *shell = shell_named(form);

    if (shell)
        shell->command(out, command);
    else if (strcmp(form, "man") == 0)
        hs_manual_command(out, command);
    else
        return hs_fail(err, HS_INVALID, "unknown form \"%.60s\"", form);
    return out->failed ? hs_fail(err, HS_MEMORY, "out of memory") : HS_OK;
}

/* In a child: becomes the other program, as the command does, with its output in `fd`. */
static void become_other(const struct hs_command *command, const char *form, int fd)
{
    char ask[64], *arguments[] = {ask, NULL};
    struct hs_text out = {0}, notes = {0};
    struct hs_context context = {
        .command = command, .out = &out, .notes = &notes, .arguments = arguments};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    snprintf(ask, sizeof(ask), ASK "%s", form);
    if (nowhere != -1 && dup2(nowhere, STDIN_FILENO) != -1 && dup2(nowhere, STDERR_FILENO) != -1 &&
        dup2(fd, STDOUT_FILENO) != -1)
        (void)command->run(&context, NULL, NULL);
    _exit(1);
}

static void read_all(struct hs_text *out, int fd)
{
    char buffer[4096];
    ssize_t length;

    while ((length = read(fd, buffer, sizeof(buffer))) > 0 || (length == -1 && errno == EINTR))
        if (length > 0)
            hs_text_append_bytes(out, buffer, (size_t)length);
}

/* Whether the other program was there and answered. */
static bool ask_other(struct hs_text *out, const struct hs_command *command, const char *form)
{
    int ends[2], exit_status = -1;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0)
        become_other(command, form, ends[1]);
    close(ends[1]);
    if (child > 0) {
        read_all(out, ends[0]);
        while (waitpid(child, &exit_status, 0) == -1 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return child > 0 && exit_status == 0 && out->length > 0;
}

enum hs_status hs_describe(struct hs_text *out, const struct hs_command *command, const char *form,
                           struct hs_error *err)
{
    struct hs_text answer = {0};
    enum hs_status status = HS_OK;

    if (command->passes_on && ask_other(&answer, command, form))
        hs_text_append_bytes(out, answer.data, answer.length);
    else
        status = describe_rows(out, command, form, err);
    hs_text_release(&answer);
    return status;
}

bool hs_describe_asked(enum hs_status *status, struct hs_text *out,
                       const struct hs_command *command, int argc, char **argv,
                       struct hs_error *err)
{
    if (argc != 1 || strncmp(argv[0], ASK, strlen(ASK)) != 0)
        return false;
    *status = describe_rows(out, command, argv[0] + strlen(ASK), err);
    return true;
}
