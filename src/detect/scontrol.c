/* scontrol.c - see scontrol.h. */
#include "detect/scontrol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Far more than any topology; the rest is not read. */
#define OUTPUT_BYTES_MAX ((size_t)64 << 20)

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Its own process group, so that ending it ends what it has started. Returns an errno value. */
static int start(pid_t *pid, int output)
{
    char *arguments[] = {"scontrol", "show", "topology", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        code = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static enum hs_status read_all(struct hs_text *out, int input, int timeout_ms, struct hs_error *err)
{
    int64_t deadline = now_ms() + timeout_ms;
    char part[4096];
    while (out->length < OUTPUT_BYTES_MAX) {
        struct pollfd ready = {.fd = input, .events = POLLIN};
        int64_t left = deadline - now_ms();
        if (left <= 0)
            return hs_fail(err, HS_FAILED, "scontrol show topology: no answer within %d s",
                           timeout_ms / 1000);
        if (poll(&ready, 1, (int)left) <= 0)
            continue; /* time is up, or a signal came */
        ssize_t length = read(input, part, sizeof part);
        if (length == 0)
            break;
        if (length > 0)
            hs_text_append_bytes(out, part, (size_t)length);
        else if (errno != EINTR)
            return hs_fail(err, HS_FAILED, "scontrol show topology: %s", strerror(errno));
    }
    return HS_OK;
}

enum hs_status hs_scontrol_topology(struct hs_text *out, int timeout_ms, struct hs_error *err)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return hs_fail(err, HS_FAILED, "scontrol show topology: %s", strerror(errno));
    int code = start(&pid, ends[1]);
    close(ends[1]);
    enum hs_status status = HS_OK;
    if (code == 0) {
        status = read_all(out, ends[0], timeout_ms, err);
        /* It has said all it will, or is late; either way it is not waited for. */
        kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    } else if (code != ENOENT && code != EACCES) {
        status = hs_fail(err, HS_FAILED, "scontrol: %s", strerror(code));
    }
    close(ends[0]);
    return status;
}
