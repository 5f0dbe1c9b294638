#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

#define LIMIT ((size_t)1 << 20)

/* Every test works in an empty directory of its own, which is its working directory. */
struct place {
    char path[64];
    int before;
};

static int enter(void **state)
{
    struct place *place = calloc(1, sizeof(*place));

    assert_non_null(place);
    snprintf(place->path, sizeof(place->path), "/tmp/hs_test_file_XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->before = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(place->path), 0);
    *state = place;
    return 0;
}

static int leave(void **state)
{
    struct place *place = *state;
    char command[256];
    int failed;

    /* A test that failed may have left another user, or a limit, behind. */
    failed = seteuid(getuid()) != 0;
    failed |= fchdir(place->before) != 0;
    close(place->before);
    snprintf(command, sizeof(command), "chmod -R u+rwx %s && rm -rf %s", place->path, place->path);
    failed |= system(command) != 0;
    free(place);
    return failed ? -1 : 0;
}

static size_t count_entries(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;

    assert_non_null(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

static void put(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void check_content(const char *path, const char *content)
{
    char found[256] = "";
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, content);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

static void check_unreadable(const char *path, size_t limit, const char *says)
{
    struct hs_error err = {HS_OK, ""};
    size_t length = 1;
    char *data = &err.message[0];

    assert_status_is(hs_file_read(&data, &length, path, limit, &err),
                     strncmp(says, "cannot be read", 14) == 0 ? HS_NO_FILE : HS_INVALID, &err);
    assert_null(data);
    assert_int_equal(length, 0);
    assert_has(err.message, path);
    assert_has(err.message, says);
}

/* ---- reading ---- */

static void reads_any_bytes(void **state)
{
    struct hs_error err = {HS_OK, ""};
    size_t size = 300000, length;
    char *bytes = malloc(size), *data;
    FILE *file = fopen("bytes", "w");

    (void)state;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 31 % 257);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    assert_status_is(hs_file_read(&data, &length, "bytes", LIMIT, &err), HS_OK, &err);
    assert_int_equal(length, size);
    assert_memory_equal(data, bytes, size);
    assert_int_equal(data[length], 0);
    free(data);
    free(bytes);
}

static void refuses_a_text_with_a_nul(void **state)
{
    struct hs_error err;
    char *text = NULL;
    FILE *file = fopen("nul", "w");

    (void)state;
    assert_int_equal(fwrite("before\0behind", 1, 13, file), 13);
    fclose(file);
    assert_status_is(hs_file_read_text(&text, "nul", LIMIT, &err), HS_INVALID, &err);
    assert_string_equal(err.message, "nul: expected text, found bytes of another kind");
    assert_null(text);
    put("text", "before\nbehind");
    assert_status_is(hs_file_read_text(&text, "text", LIMIT, &err), HS_OK, &err);
    assert_string_equal(text, "before\nbehind");
    free(text);
}

static void reads_an_empty_file(void **state)
{
    size_t length;
    char *data;

    (void)state;
    put("empty", "");
    assert_int_equal(hs_file_read(&data, &length, "empty", LIMIT, NULL), HS_OK);
    assert_int_equal(length, 0);
    assert_string_equal(data, "");
    free(data);
}

static void keeps_to_the_limit(void **state)
{
    size_t length;
    char *data;

    (void)state;
    put("five", "12345");
    assert_int_equal(hs_file_read(&data, &length, "five", 5, NULL), HS_OK);
    assert_string_equal(data, "12345");
    free(data);
    check_unreadable("five", 4, "too large, 5 bytes, expected at most 4B");
    /* A kernel file says that it has 0 bytes and has more. */
    check_unreadable("/proc/self/status", 4, "too large, expected at most 4B");
}

static void refuses_a_large_file_at_once(void **state)
{
    int fd = open("large", O_WRONLY | O_CREAT, 0666);
    struct rlimit old, small;

    (void)state;
    assert_int_equal(ftruncate(fd, (off_t)1 << 30), 0);
    close(fd);
    /* Reading it would need more memory than is left. */
    assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
    small = old;
    small.rlim_cur = (rlim_t)64 << 20;
    setrlimit(RLIMIT_DATA, &small);
    check_unreadable("large", (size_t)256 << 20,
                     "too large, 1073741824 bytes, expected at most 256MiB");
    setrlimit(RLIMIT_DATA, &old);
}

static void refuses_what_is_no_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("circle", "circle"), 0);
    put("file", "x");
    check_unreadable("folder", LIMIT, "is a directory, expected a file");
    check_unreadable("pipe", LIMIT, "not a regular file");
    check_unreadable("/dev/zero", LIMIT, "not a regular file");
    check_unreadable("missing", LIMIT, "cannot be read: No such file or directory");
    check_unreadable("file/x", LIMIT, "cannot be read: Not a directory");
    check_unreadable("circle", LIMIT, "cannot be read: Too many levels of symbolic links");
    check_unreadable("", LIMIT, "cannot be read");
}

static void refuses_an_unreadable_file(void **state)
{
    (void)state;
    put("secret", "x");
    assert_int_equal(chmod("secret", 0), 0);
    if (geteuid() == 0) {
        /* Root reads everything; an ordinary user's id for the moment of the test does not. */
        assert_int_equal(chmod(".", 0777), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    check_unreadable("secret", LIMIT, "cannot be read: Permission denied");
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static void reads_standard_input(void **state)
{
    struct hs_error err = {HS_OK, ""};
    int saved = dup(STDIN_FILENO), ends[2];
    enum hs_status status;
    size_t length;
    char *data;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    status = hs_file_read(&data, &length, "-", LIMIT, &err);
    assert_int_equal(status, HS_OK);
    assert_string_equal(data, "piped");
    free(data);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void names_standard_input(void **state)
{
    int saved = dup(STDIN_FILENO), zero = open("/dev/zero", O_RDONLY), folder;
    struct hs_error endless = {HS_OK, ""}, directory = {HS_OK, ""};
    size_t length;
    char *data;

    (void)state;
    dup2(zero, STDIN_FILENO);
    close(zero);
    assert_int_equal(hs_file_read(&data, &length, "-", LIMIT, &endless), HS_INVALID);
    folder = open(".", O_RDONLY);
    dup2(folder, STDIN_FILENO);
    close(folder);
    assert_int_equal(hs_file_read(&data, &length, "-", LIMIT, &directory), HS_NO_FILE);
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_string_equal(endless.message, "standard input: too large, expected at most 1MiB");
    assert_string_equal(directory.message, "standard input: cannot be read: Is a directory");
}

/* ---- writing ---- */

static void replace(const char *path, const char *content)
{
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_file_writable(path, NULL, 0, &err), HS_OK, &err);
    assert_status_is(hs_file_replace(path, content, strlen(content), &err), HS_OK, &err);
}

static void check_unwritable(const char *path, const char *says)
{
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_file_writable(path, NULL, 0, &err), HS_INVALID, &err);
    assert_has(err.message, says);
    assert_status_is(hs_file_replace(path, "new", 3, &err), HS_IO, &err);
    assert_has(err.message, path);
    assert_has(err.message, says);
}

static void creates_by_umask(void **state)
{
    mode_t old = umask(027);

    (void)state;
    replace("new", "content");
    umask(old);
    check_content("new", "content");
    assert_int_equal(mode_of("new") & 07777, 0640);
    assert_int_equal(count_entries("."), 1);
}

static void keeps_the_old_mode(void **state)
{
    (void)state;
    put("old", "a long old content");
    assert_int_equal(chmod("old", 0764), 0);
    replace("old", "new");
    check_content("old", "new");
    assert_int_equal(mode_of("old") & 07777, 0764);
    assert_int_equal(count_entries("."), 1);
}

static void readers_keep_what_they_opened(void **state)
{
    char found[16] = "";
    FILE *reader;

    (void)state;
    put("old", "old content");
    reader = fopen("old", "r");
    replace("old", "new");
    assert_true(fgets(found, sizeof(found), reader) != NULL);
    fclose(reader);
    assert_string_equal(found, "old content");
}

static void follows_links(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    put("folder/file", "old");
    assert_int_equal(symlink("folder/second", "first"), 0);
    assert_int_equal(symlink("file", "folder/second"), 0); /* relative to its own folder */
    replace("first", "new");
    check_content("folder/file", "new");
    assert_true(S_ISLNK(mode_of("first")) && S_ISLNK(mode_of("folder/second")));
    assert_true(S_ISREG(mode_of("folder/file")));
    assert_int_equal(count_entries("folder"), 2);

    assert_int_equal(symlink("folder/not_yet", "dangling"), 0);
    replace("dangling", "made");
    check_content("folder/not_yet", "made");
    assert_true(S_ISLNK(mode_of("dangling")));
}

static void follows_absolute_links(void **state)
{
    struct place *place = *state;
    char target[128];

    snprintf(target, sizeof(target), "%s/file", place->path);
    assert_int_equal(symlink(target, "link"), 0);
    replace("link", "new");
    check_content("file", "new");
    assert_true(S_ISLNK(mode_of("link")));
}

static void refuses_bad_targets(void **state)
{
    char name[300];

    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("circle", "circle"), 0);
    put("file", "old");
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    check_unwritable("folder", "is a directory, expected a file");
    check_unwritable(".", "is a directory, expected a file");
    check_unwritable("folder/", "expected the name of a file");
    check_unwritable("", "expected the name of a file");
    check_unwritable("pipe", "is not a regular file");
    check_unwritable("/dev/null", "is not a regular file");
    check_unwritable("circle", "Too many levels of symbolic links");
    check_unwritable("missing/file", "directory missing: No such file or directory");
    check_unwritable("file/below", "Not a directory");
    check_unwritable(name, "File name too long");
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_int_equal(count_entries("."), 4);
    check_content("file", "old");
}

/* The longest name that the file system takes leaves no room for a suffix, and needs none. */
static void writes_the_longest_name(void **state)
{
    char name[256];

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    replace(name, "content");
    check_content(name, "content");
}

static void refuses_protected_targets(void **state)
{
    (void)state;
    assert_int_equal(mkdir("locked", 0777), 0);
    put("locked/file", "old");
    put("protected", "old");
    assert_int_equal(chmod("protected", 0444), 0);
    assert_int_equal(chmod("locked", 0555), 0);
    if (geteuid() == 0) {
        assert_int_equal(chmod(".", 0777), 0);
        assert_int_equal(chmod("locked/file", 0666), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    check_unwritable("locked/new", "no file can be created in locked: Permission denied");
    check_unwritable("locked/file", "no file can be created in locked: Permission denied");
    check_unwritable("protected", "Permission denied");
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    check_content("protected", "old");
    check_content("locked/file", "old");
    assert_int_equal(count_entries("locked"), 1);
}

/* A limit on the file's size stands for a full disk: write() takes a part and then refuses. */
static void a_full_disk_leaves_the_old_file(void **state)
{
    static char content[100000];
    struct hs_error err = {HS_OK, ""};
    struct rlimit old, small;
    enum hs_status status;

    (void)state;
    put("file", "old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 65536;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    status = hs_file_replace("file", content, sizeof(content), &err);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, HS_IO);
    assert_string_equal(err.message, "file: cannot be written: File too large");
    check_content("file", "old");
    assert_int_equal(count_entries("."), 1);
}

static void steps_aside_for_leftovers(void **state)
{
    char leftover[64];

    (void)state;
    snprintf(leftover, sizeof(leftover), ".hiersearch-%ld-0.tmp", (long)getpid());
    assert_int_equal(symlink("victim", leftover), 0); /* nor is a link planted there followed */
    put("victim", "untouched");
    replace("file", "new");
    check_content("file", "new");
    check_content("victim", "untouched");
    assert_true(S_ISLNK(mode_of(leftover)));
}

/* A child that writes again and again is asked to end. */
static void ending_leaves_nothing(void **state)
{
    static char large[8 << 20];
    int status, began[2];
    pid_t child;

    (void)state;
    assert_int_equal(pipe(began), 0);
    child = fork();
    while (child == 0) {
        (void)!write(began[1], "", 1);
        hs_file_replace("new", large, sizeof(large), NULL);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(read(began[0], &status, 1), 1);
    usleep(1000);
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    close(began[0]);
    close(began[1]);
    unlink("new");
    assert_int_equal(count_entries("."), 0);
}

/* Who waits for a signal himself (sigwait) holds it, and is not kept from writing. */
static void held_signals_do_not_end_writing(void **state)
{
    struct hs_error err = {HS_OK, ""};
    sigset_t held, before;

    (void)state;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &before);
    raise(SIGTERM);
    assert_status_is(hs_file_replace("file", "new", 3, &err), HS_OK, &err);
    sigwaitinfo(&held, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    check_content("file", "new");
}

static void asking_leaves_nothing(void **state)
{
    (void)state;
    put("old", "old");
    assert_int_equal(hs_file_writable("new", NULL, 0, NULL), HS_OK);
    assert_int_equal(hs_file_writable("old", NULL, 0, NULL), HS_OK);
    assert_int_equal(count_entries("."), 1);
    check_content("old", "old");
}

static void opens_alone(void **state)
{
    struct hs_error err = {0};
    char own[32];
    int first, second;

    (void)state;
    put("old", "old");
    assert_status_is(hs_file_open_alone(&first, "old", NULL, &err), HS_OK, &err);
    assert_status_is(hs_file_open_alone(&second, "old", NULL, &err), HS_INVALID, &err);
    assert_has(err.message, "old: in use by");
    snprintf(own, sizeof(own), "process %ld,", (long)getpid());
    if (!strstr(err.message, "another process")) /* where /proc/locks has other numbers */
        assert_has(err.message, own);
    close(first);
    assert_status_is(hs_file_open_alone(&second, "old", "none", &err), HS_OK, &err);
    assert_int_equal(write(second, "er", 2), 2);
    close(second);
    check_content("old", "older");
}

static void alone_with_a_file_not_with_its_grave(void **state)
{
    struct hs_error err = {0};
    int first, second;

    (void)state;
    assert_status_is(hs_file_open_alone(&first, "new", NULL, &err), HS_OK, &err);
    assert_true(hs_file_is(first, "new"));
    assert_int_equal(unlink("new"), 0);
    assert_false(hs_file_is(first, "new"));
    assert_status_is(hs_file_open_alone(&second, "new", NULL, &err), HS_OK, &err);
    assert_true(hs_file_is(second, "new"));
    assert_false(hs_file_is(first, "new"));
    close(first);
    close(second);
}

static void opens_no_second_name(void **state)
{
    struct hs_error err = {0};
    int fd;

    (void)state;
    put("old", "old");
    assert_int_equal(symlink("old", "link"), 0);
    assert_int_equal(link("old", "hard"), 0);
    assert_status_is(hs_file_open_alone(&fd, "link", "old", &err), HS_INVALID, &err);
    assert_status_is(hs_file_open_alone(&fd, "old", "hard", &err), HS_INVALID, &err);
    assert_has(err.message, "old: is the same file as hard");
    assert_status_is(hs_file_open_alone(&fd, "new", "./new", &err), HS_INVALID, &err);
    assert_int_equal(count_entries("."), 3);
    check_content("old", "old");
}

/* Opening a FIFO to write waits for a reader. */
static void opens_no_pipe_or_device(void **state)
{
    struct hs_error err = {0};
    int fd;

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    alarm(20);
    assert_status_is(hs_file_open_alone(&fd, "fifo", NULL, &err), HS_INVALID, &err);
    alarm(0);
    assert_has(err.message, "fifo: cannot be written: is not a regular file");
    assert_status_is(hs_file_open_alone(&fd, "/dev/null", NULL, &err), HS_INVALID, &err);
    assert_status_is(hs_file_open_alone(&fd, ".", NULL, &err), HS_IO, &err);
    assert_has(err.message, strerror(EISDIR));
}

#define IN_PLACE(sentence, function)                                                               \
    {                                                                                              \
        sentence, function, enter, leave, NULL                                                     \
    }

static const struct CMUnitTest tests[] = {
    IN_PLACE("a file of any bytes is read whole", reads_any_bytes),
    IN_PLACE("a text with a NUL in it is refused, not cut there", refuses_a_text_with_a_nul),
    IN_PLACE("an empty file is an empty text", reads_an_empty_file),
    IN_PLACE("a file may have as many bytes as the limit, not one more", keeps_to_the_limit),
    IN_PLACE("a file of 1 GB is refused before it is read", refuses_a_large_file_at_once),
    IN_PLACE("directories, pipes, devices and missing files are refused", refuses_what_is_no_file),
    IN_PLACE("a file without the right to read it is refused", refuses_an_unreadable_file),
    IN_PLACE("a dash reads standard input", reads_standard_input),
    IN_PLACE("standard input is limited and named", names_standard_input),
    IN_PLACE("a new file gets its mode from the umask", creates_by_umask),
    IN_PLACE("a replaced file keeps its mode", keeps_the_old_mode),
    IN_PLACE("who has the old file open still reads the old file", readers_keep_what_they_opened),
    IN_PLACE("symbolic links are followed and stay", follows_links),
    IN_PLACE("absolute symbolic links are followed and stay", follows_absolute_links),
    IN_PLACE("what cannot be replaced is refused and left alone", refuses_bad_targets),
    IN_PLACE("the longest file name can be written", writes_the_longest_name),
    IN_PLACE("protected files and directories are respected", refuses_protected_targets),
    IN_PLACE("a full disk leaves the old file and no temporary", a_full_disk_leaves_the_old_file),
    IN_PLACE("a leftover temporary is neither followed nor removed", steps_aside_for_leftovers),
    IN_PLACE("who is ended while writing leaves nothing half done", ending_leaves_nothing),
    IN_PLACE("a signal that is held for somebody does not end writing",
             held_signals_do_not_end_writing),
    IN_PLACE("asking whether a file can be written leaves nothing", asking_leaves_nothing),
    IN_PLACE("a file that one process has is refused to all others, with its number", opens_alone),
    IN_PLACE("a file that was removed meanwhile is not what is opened",
             alone_with_a_file_not_with_its_grave),
    IN_PLACE("a file is not opened under two names", opens_no_second_name),
    IN_PLACE("pipes, devices and directories are not opened, without waiting",
             opens_no_pipe_or_device),
};
HS_TEST_MAIN(tests)
