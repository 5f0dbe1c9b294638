/*
 * Whole files in and out. The one place in base that talks to the operating system.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"

/* ---- reading ---- */

/* Reads to the end of the file, but no more than limit + 1 bytes: the one too many says "too
 * large". */
static enum hs_status read_all(struct hs_text *content, int fd, const char *name, size_t limit,
                               struct hs_error *err)
{
    char block[1 << 13], size[HS_UNIT_TEXT];

    while (content->length <= limit) {
        size_t wanted =
            limit - content->length < sizeof(block) ? limit - content->length + 1 : sizeof(block);
        ssize_t got = read(fd, block, wanted);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hs_fail(err, HS_NO_FILE, "%s: cannot be read: %s", name, strerror(errno));
        hs_text_append_bytes(content, block, (size_t)got);
        if (content->failed)
            return hs_fail(err, HS_MEMORY, "%s: out of memory while reading it", name);
        if (got == 0)
            return HS_OK;
    }
    return hs_fail(err, HS_INVALID, "%s: too large, expected at most %s", name,
                   hs_bytes_format(size, limit));
}

/* Refuses what is no regular file, and a large one before any of it is read. */
static enum hs_status check_readable(int fd, const char *path, size_t limit, struct hs_error *err)
{
    struct stat status;
    char limit_text[HS_UNIT_TEXT];

    if (fstat(fd, &status) != 0)
        return hs_fail(err, HS_NO_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return hs_fail(err, HS_INVALID, "%s: is a directory, expected a file", path);
    if (!S_ISREG(status.st_mode))
        return hs_fail(err, HS_INVALID,
                       "%s: is not a regular file (use \"-\" to read standard input)", path);
    if (status.st_size > 0 && (uintmax_t)status.st_size > limit)
        return hs_fail(err, HS_INVALID, "%s: too large, %jd bytes, expected at most %s", path,
                       (intmax_t)status.st_size, hs_bytes_format(limit_text, limit));
    return HS_OK;
}

/* O_NONBLOCK: opening a FIFO that nobody writes to must not wait. */
static enum hs_status open_readable(int *fd, const char *path, size_t limit, struct hs_error *err)
{
    enum hs_status status;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (*fd < 0)
        return hs_fail(err, HS_NO_FILE, "%s: cannot be read: %s", path, strerror(errno));
    status = check_readable(*fd, path, limit, err);
    if (status != HS_OK)
        close(*fd);
    return status;
}

enum hs_status hs_file_read(char **data, size_t *length, const char *path, size_t limit,
                            struct hs_error *err)
{
    bool from_stdin = strcmp(path, "-") == 0;
    struct hs_text content = {0};
    enum hs_status status;
    int fd = STDIN_FILENO;

    *data = NULL;
    *length = 0;
    if (!from_stdin && (status = open_readable(&fd, path, limit, err)) != HS_OK)
        return status;
    status = read_all(&content, fd, from_stdin ? "standard input" : path, limit, err);
    if (!from_stdin)
        close(fd);
    if (status != HS_OK) {
        hs_text_release(&content);
        return status;
    }
    *data = content.data;
    *length = content.length;
    return HS_OK;
}

enum hs_status hs_file_read_text(char **text, const char *path, size_t limit, struct hs_error *err)
{
    size_t length;
    enum hs_status status = hs_file_read(text, &length, path, limit, err);

    if (status != HS_OK || !memchr(*text, '\0', length))
        return status;
    free(*text);
    *text = NULL;
    return hs_fail(err, HS_INVALID, "%s: expected text, found bytes of another kind", path);
}

/* ---- writing ---- */

#define LINKS_MAX       40                /* as the kernel counts before it says ELOOP */
#define TEMPORARIES_MAX 1000              /* names tried beside the target */
#define STEP_BYTES      ((size_t)1 << 20) /* written before looking for a signal */

static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Where a write to `path` ends up: `file` behind all symbolic links (it need not exist), and its
 * directory. */
struct target {
    char file[PATH_MAX], directory[PATH_MAX];
    bool exists;
    mode_t mode; /* permission bits, where it exists */
};

static bool copy_path(char out[PATH_MAX], const char *path, size_t length)
{
    if (length >= PATH_MAX)
        return false;
    memcpy(out, path, length);
    out[length] = '\0';
    return true;
}

/* The directory part of target->file, "." where there is none. */
static void split_directory(struct target *target)
{
    const char *slash = strrchr(target->file, '/');

    if (slash == NULL)
        copy_path(target->directory, ".", 1);
    else
        copy_path(target->directory, target->file,
                  slash == target->file ? 1 : (size_t)(slash - target->file));
}

/* Replaces target->file, a symbolic link with this content, by what it points to. */
static bool follow_link(struct target *target, const char *content)
{
    char joined[2 * PATH_MAX + 2];

    if (content[0] == '/')
        return copy_path(target->file, content, strlen(content));
    snprintf(joined, sizeof(joined), "%s/%s", target->directory, content);
    return copy_path(target->file, joined, strlen(joined));
}

/* By hand and not by realpath(), because a link to a file that is not there yet is followed as
 * well. */
static int resolve(struct target *target, const char *path)
{
    char content[PATH_MAX];

    if (!copy_path(target->file, path, strlen(path)))
        return ENAMETOOLONG;
    for (int links = 0; links < LINKS_MAX; links++) {
        ssize_t length;

        split_directory(target);
        length = readlink(target->file, content, sizeof(content) - 1);
        if (length < 0)
            return 0; /* no link, or not there: the end of the chain */
        content[length] = '\0';
        if (!follow_link(target, content))
            return ENAMETOOLONG;
    }
    return ELOOP;
}

/* What stands in the way of replacing the target itself, or NULL; errno text for system errors. */
static const char *find_obstacle(struct target *target)
{
    struct stat status;
    size_t length = strlen(target->file);

    if (length == 0 || target->file[length - 1] == '/')
        return "expected the name of a file";
    if (stat(target->file, &status) != 0)
        return errno == ENOENT ? NULL : strerror(errno);
    target->exists = true;
    target->mode = status.st_mode & 07777;
    if (S_ISDIR(status.st_mode))
        return "is a directory, expected a file";
    /* A rename would put a file in the place of a device, such as /dev/null. */
    if (!S_ISREG(status.st_mode))
        return "is not a regular file";
    /* A rename needs no right to the old file, but who made it read-only meant it. */
    return faccessat(AT_FDCWD, target->file, W_OK, AT_EACCESS) != 0 ? strerror(errno) : NULL;
}

static enum hs_status open_target(struct target *target, const char *path, enum hs_status failure,
                                  struct hs_error *err)
{
    const char *obstacle;
    struct stat status;
    int error;

    memset(target, 0, sizeof(*target));
    error = resolve(target, path);
    obstacle = error != 0 ? strerror(error) : find_obstacle(target);
    if (obstacle != NULL)
        return hs_fail(err, failure, "%s: cannot be written: %s", path, obstacle);
    if (stat(target->directory, &status) != 0)
        return hs_fail(err, failure, "%s: cannot be written: directory %s: %s", path,
                       target->directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return hs_fail(err, failure, "%s: cannot be written: %s is not a directory", path,
                       target->directory);
    return HS_OK;
}

/* Signals by which people and schedulers end a program: one in the middle would leave the temporary
 * behind. Held back while there is one; the signals held before go to *before. */
static void hold_ends(sigset_t *before)
{
    sigset_t ends;

    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof(end_signals) / sizeof(*end_signals); i++)
        sigaddset(&ends, end_signals[i]);
    pthread_sigmask(SIG_BLOCK, &ends, before);
}

/* Whether one of them waits that nobody handles: then the process ends once it is let through. One
 * that was held `before` is for somebody who waits for it (sigwait). */
static bool ends_soon(const sigset_t *before)
{
    struct sigaction action;
    sigset_t waiting;

    if (sigpending(&waiting) != 0)
        return false;
    for (size_t i = 0; i < sizeof(end_signals) / sizeof(*end_signals); i++)
        if (sigismember(&waiting, end_signals[i]) == 1 &&
            sigismember(before, end_signals[i]) == 0 &&
            sigaction(end_signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            return true;
    return false;
}

/* Creates a file of a free name beside the target. The name does not grow with the target's, which
 * may already be as long as the file system allows. */
static int create_temporary(char name[PATH_MAX + 64], const struct target *target)
{
    for (int number = 0; number < TEMPORARIES_MAX; number++) {
        int fd;

        snprintf(name, PATH_MAX + 64, "%s/.hiersearch-%ld-%d.tmp", target->directory,
                 (long)getpid(), number);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Everything, or an errno: EINTR where a signal waits that ends the process. */
static int write_all(int fd, const char *data, size_t length, const sigset_t *before)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length < STEP_BYTES ? length : STEP_BYTES);

        if (ends_soon(before))
            return EINTR;
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        data += written;
        length -= (size_t)written;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* Fills and closes the temporary; an errno where any step failed. NFS may say "disk full" only at
 * close. */
static int fill_temporary(int fd, const struct target *target, const char *data, size_t length,
                          const sigset_t *before)
{
    int error = write_all(fd, data, length, before);

    if (error == 0 && target->exists && fchmod(fd, target->mode) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* Makes the rename last through a power cut. The file is already replaced, so a directory that
 * cannot be synced (no right to read it, or a file system without it) is no failure. */
static void sync_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* An errno, and no temporary. */
static int fill_and_rename(int fd, const char *temporary, const struct target *target,
                           const char *data, size_t length, const sigset_t *before)
{
    int error = fill_temporary(fd, target, data, length, before);

    if (error == 0 && rename(temporary, target->file) != 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
    return error;
}

enum hs_status hs_file_replace(const char *path, const char *data, size_t length,
                               struct hs_error *err)
{
    struct target target;
    char temporary[PATH_MAX + 64];
    enum hs_status status = open_target(&target, path, HS_IO, err);
    sigset_t before;
    int fd, error;

    if (status != HS_OK)
        return status;
    hold_ends(&before);
    fd = create_temporary(temporary, &target);
    if (fd < 0)
        status = hs_fail(err, HS_IO, "%s: cannot be written: no file can be created in %s: %s",
                         path, target.directory, strerror(errno));
    else if ((error = fill_and_rename(fd, temporary, &target, data, length, &before)) != 0)
        status = hs_fail(err, HS_IO, "%s: cannot be written: %s", path, strerror(error));
    else
        sync_directory(target.directory);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool lies_in(const char *path, const struct stat *folder)
{
    struct target target;
    struct stat about;

    return S_ISDIR(folder->st_mode) && resolve(&target, path) == 0 &&
           stat(target.directory, &about) == 0 && is_same_file(&about, folder);
}

enum hs_status hs_file_is_none_of(const char *path, const char *const *inputs, size_t count,
                                  struct hs_error *err)
{
    struct stat output, input;

    if (stat(path, &output) != 0)
        return HS_OK;
    for (size_t i = 0; i < count; i++) {
        bool is_stdin = strcmp(inputs[i], "-") == 0;
        bool is_there = is_stdin ? fstat(STDIN_FILENO, &input) == 0 : stat(inputs[i], &input) == 0;
        bool is_same = is_there && is_same_file(&output, &input);

        if (is_same || (is_there && lies_in(path, &input)))
            return hs_fail(err, HS_INVALID,
                           "%s: cannot be written: %s %s, which is read; name another one", path,
                           is_same ? "is the same file as" : "is a file of",
                           is_stdin ? "standard input" : inputs[i]);
    }
    return HS_OK;
}

enum hs_status hs_file_writable(const char *path, const char *const *inputs, size_t count,
                                struct hs_error *err)
{
    struct target target;
    char temporary[PATH_MAX + 64];
    enum hs_status status = open_target(&target, path, HS_INVALID, err);
    int fd;

    if (status == HS_OK)
        status = hs_file_is_none_of(path, inputs, count, err);
    if (status != HS_OK)
        return status;
    /* Trying is the only sure answer: rights, read-only mounts and quotas all have a say. */
    fd = create_temporary(temporary, &target);
    if (fd < 0)
        return hs_fail(err, HS_INVALID, "%s: cannot be written: no file can be created in %s: %s",
                       path, target.directory, strerror(errno));
    close(fd);
    unlink(temporary);
    return HS_OK;
}

/* ---- one process at a time ---- */

bool hs_file_is(int fd, const char *path)
{
    struct stat open_file, named;

    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
           is_same_file(&open_file, &named);
}

/* The process that holds the lock of the open file, or 0: it runs on another machine, or unseen. */
static long find_holder(int fd)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[256], file[64];
    struct stat about;
    long holder = 0;

    if (locks == NULL)
        return 0;
    memset(&about, 0, sizeof(about));
    (void)fstat(fd, &about);
    snprintf(file, sizeof(file), " %02x:%02x:%ju ", major(about.st_dev), minor(about.st_dev),
             (uintmax_t)about.st_ino);
    /* "1: FLOCK  ADVISORY  WRITE 4711 08:01:131087 0 EOF" */
    while (fgets(line, sizeof(line), locks) != NULL) {
        const char *writer = strstr(line, " WRITE ");

        if (writer != NULL && strstr(line, " FLOCK ") != NULL && strstr(line, file) != NULL)
            holder = strtol(writer + strlen(" WRITE "), NULL, 10);
    }
    fclose(locks);
    return holder;
}

static enum hs_status take_alone(int fd, const char *path, struct hs_error *err)
{
    struct stat about;
    long holder;

    if (fstat(fd, &about) != 0)
        return hs_fail(err, HS_IO, "%s: cannot be written: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return hs_fail(err, HS_INVALID, "%s: cannot be written: is not a regular file", path);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return HS_OK;
    holder = find_holder(fd);
    if (holder > 0)
        return hs_fail(err, HS_INVALID, "%s: in use by process %ld, which has not ended", path,
                       holder);
    return hs_fail(err, HS_INVALID, "%s: in use by another process, which has not ended", path);
}

/* Neither a FIFO nor a terminal makes this wait. */
static int open_or_make(const char *path, bool *made)
{
    int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, flags);

    *made = fd < 0 && errno == ENOENT;
    return *made ? open(path, flags | O_CREAT, 0666) : fd;
}

enum hs_status hs_file_open_alone(int *fd, const char *path, const char *other,
                                  struct hs_error *err)
{
    for (;;) {
        bool made;
        enum hs_status status;

        *fd = open_or_make(path, &made);
        if (*fd < 0)
            return hs_fail(err, HS_IO, "%s: cannot be written: %s", path, strerror(errno));
        if (other != NULL && hs_file_is(*fd, other)) {
            if (made)
                unlink(path);
            status = hs_fail(err, HS_INVALID, "%s: is the same file as %s", path, other);
        } else {
            status = take_alone(*fd, path, err);
        }
        if (status == HS_OK && hs_file_is(*fd, path))
            return HS_OK;
        close(*fd);
        if (status != HS_OK)
            return status;
        /* Who had it removed it before the lock was free: once more, with the new one. */
    }
}

bool hs_file_is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
