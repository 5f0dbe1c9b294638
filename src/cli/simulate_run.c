/*
 * The plans go to hiersearch-simulate, and their times come back, in a result file.
 *
 * smpirun is a shell script that starts one process with all simulated ranks. Both are put into a
 * process group of their own, so that a signal from the keyboard reaches us alone and we can end
 * them together.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/places.h"
#include "cli/simulate.h"

#define SMPIRUN   "smpirun"
#define PROGRAM   HS_SIMULATED_PROGRAM
#define LOG_LIMIT ((size_t)1 << 24)
#define GRACE_MS  2000
#define RESULT    HS_SIMULATED_RESULT
#define WORDS_MAX 32

/* ---- what is needed ---- */

static bool find_program(char *path)
{
    return hs_sibling_program(path, PATH_MAX, PROGRAM);
}

static enum hs_status no_program(struct hs_error *err)
{
    return hs_fail(err, HS_FAILED,
                   "there is no " PROGRAM " beside this program, in its libexec or in PATH: "
                   "it was built without SimGrid (Debian and Ubuntu: libsimgrid-dev)");
}

enum hs_status hs_simulate_available(struct hs_error *err)
{
    char path[PATH_MAX];

    if (!hs_program_in_path(path, sizeof(path), SMPIRUN))
        return hs_fail(err, HS_FAILED,
                       "there is no " SMPIRUN " in PATH: install SimGrid (Debian and Ubuntu: "
                       "libsimgrid-dev) and build again");
    return find_program(path) ? HS_OK : no_program(err);
}

/* ---- scratch folder ---- */

static enum hs_status make_scratch(char *scratch, struct hs_error *err)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(scratch, PATH_MAX, "%s/hiersearch-simulate-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch))
        return hs_fail(err, HS_IO, "cannot make a scratch folder %s: %s", scratch, strerror(errno));
    return HS_OK;
}

/* With all that is in it: a write that was interrupted leaves a file of some name. */
static void remove_scratch(const char *scratch)
{
    DIR *folder = opendir(scratch);

    if (!folder)
        return;
    for (struct dirent *file; (file = readdir(folder));)
        unlinkat(dirfd(folder), file->d_name, 0);
    closedir(folder);
    rmdir(scratch);
}

/* ---- signals ---- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNAL_COUNT (sizeof(ending_signals) / sizeof(ending_signals[0]))

static volatile sig_atomic_t caught;

struct signals {
    sigset_t mask; /* as it was: signals come in only while we wait */
    struct sigaction actions[SIGNAL_COUNT];
};

static void on_signal(int number)
{
    caught = number;
}

static void take_signals(struct signals *before)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;

    sigemptyset(&blocked);
    sigemptyset(&action.sa_mask);
    caught = 0;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&blocked, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before->mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        sigaction(ending_signals[i], NULL, &before->actions[i]);
        if (before->actions[i].sa_handler != SIG_IGN) /* nohup */
            sigaction(ending_signals[i], &action, NULL);
    }
}

static void give_signals_back(const struct signals *before)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaction(ending_signals[i], &before->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (caught)
        raise(caught);
}

/* ---- the simulation ---- */

/* A running smpirun. */
struct child {
    pid_t pid;
    int output; /* its stdout: a line for each plan that is through */
};

_Noreturn static void become_smpirun(const char *scratch, int output, char **argv,
                                     const sigset_t *mask)
{
    int log = -1, empty;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (chdir(scratch) == 0)
        log = open("log", O_WRONLY | O_CREAT | O_EXCL, 0600);
    empty = open("/dev/null", O_RDONLY);
    if (log < 0 || empty < 0 || dup2(empty, 0) < 0 || dup2(output, 1) < 0 || dup2(log, 2) < 0)
        _exit(126);
    setenv("TMPDIR", scratch, 1);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static enum hs_status start(struct child *child, const char *scratch, char **argv,
                            const sigset_t *mask, struct hs_error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return hs_fail(err, HS_IO, "cannot make a pipe: %s", strerror(errno));
    child->pid = fork();
    if (child->pid == 0)
        become_smpirun(scratch, ends[1], argv, mask);
    close(ends[1]);
    if (child->pid < 0) {
        close(ends[0]);
        return hs_fail(err, HS_IO, "cannot start " SMPIRUN ": %s", strerror(errno));
    }
    setpgid(child->pid, child->pid); /* whoever comes first */
    child->output = ends[0];
    return HS_OK;
}

static void follow(const struct child *child, struct hs_simulate_progress *progress,
                   const sigset_t *mask)
{
    struct pollfd output = {.fd = child->output, .events = POLLIN};
    struct timespec often = {.tv_nsec = 200000000L};
    char bytes[4096];
    ssize_t count = 1;

    while (count > 0 && !caught) {
        hs_simulate_progress_draw(progress);
        if (ppoll(&output, 1, &often, mask) <= 0)
            continue;
        count = read(child->output, bytes, sizeof(bytes));
        for (ssize_t i = 0; i < count; i++)
            if (bytes[i] == '\n')
                hs_simulate_progress_done(progress);
        if (count < 0 && errno == EINTR)
            count = 1;
    }
}

/* Waits for its end; where a signal was caught, makes it end. Returns the status of waitpid. */
static int end(struct child *child)
{
    int status = 0;

    if (caught)
        kill(-child->pid, SIGTERM);
    for (int waited = 0; waitpid(child->pid, &status, caught ? WNOHANG : 0) == 0; waited += 10) {
        if (waited == GRACE_MS)
            kill(-child->pid, SIGKILL);
        poll(NULL, 0, 10);
    }
    if (caught) /* what the script has left */
        kill(-child->pid, SIGKILL);
    close(child->output);
    return status;
}

#define WORDS_BYTES 304

/* The first line of ours in the log that says a reason (true), else its last line. */
static bool find_words(char words[WORDS_BYTES], const char *scratch)
{
    char path[PATH_MAX + 8], *log = NULL, *rest = NULL;
    const char *found = "no word from it";
    bool ours = false;
    size_t length;

    snprintf(path, sizeof(path), "%s/log", scratch);
    if (hs_file_read(&log, &length, path, LOG_LIMIT, NULL) == HS_OK)
        for (char *line = strtok_r(log, "\n", &rest); line && !ours;
             line = strtok_r(NULL, "\n", &rest)) {
            bool follows = strstr(line, "failed, so this one stops too") != NULL;

            found = follows ? found : line;
            ours = strncmp(line, "hiersearch-", 11) == 0 && !follows;
        }
    snprintf(words, WORDS_BYTES, "%.300s", found);
    free(log);
    return ours;
}

static enum hs_status last_words(const char *scratch, int status, struct hs_error *err)
{
    char words[WORDS_BYTES];

    find_words(words, scratch);
    if (WIFSIGNALED(status))
        return hs_fail(err, HS_FAILED, "the simulation was ended by signal %d: %s",
                       WTERMSIG(status), words);
    return hs_fail(err, HS_FAILED, "the simulation failed (exit %d): %s", WEXITSTATUS(status),
                   words);
}

/* What it has written in place of what it was given. */
static enum hs_status take_result(struct hs_result *result, const char *scratch,
                                  struct hs_error *err)
{
    char *path, plan[HS_SPLIT_TEXT], words[WORDS_BYTES];
    struct hs_result simulated;
    enum hs_status status;

    if (asprintf(&path, "%s/" RESULT, scratch) < 0)
        return hs_no_memory(err);
    status = hs_result_load(&simulated, path, err);
    free(path);
    if (status != HS_OK)
        return hs_error_prefix(err, HS_FAILED, "the simulation failed");
    hs_result_release(result);
    *result = simulated;
    if (result->message_count != 1)
        return hs_fail(err, HS_FAILED, "the simulation failed: no message in its result");
    for (size_t i = 0; i < result->messages[0].candidate_count; i++) {
        const struct hs_candidate *candidate = &result->messages[0].candidates[i];

        if (candidate->measured && candidate->measured->status == HS_MEASURE_OK)
            continue;
        if (find_words(words, scratch)) /* smpirun does not say that a rank gave up */
            return hs_fail(err, HS_FAILED, "the simulation failed: %s", words);
        return hs_fail(err, HS_FAILED, "the simulation failed: no time of %s",
                       hs_plan_format(plan, &candidate->plan));
    }
    return HS_OK;
}

static enum hs_status run_words(struct hs_result *result, const char *scratch, char **words,
                                bool quiet, const sigset_t *mask, struct hs_error *err)
{
    struct hs_simulate_progress progress;
    struct child child = {.pid = -1};
    enum hs_status status = start(&child, scratch, words, mask, err);
    int ended;

    if (status != HS_OK)
        return status;
    hs_simulate_progress_init(&progress, &result->messages[0], quiet);
    follow(&child, &progress, mask);
    ended = end(&child);
    hs_progress_line_clear(&progress.line);
    return ended != 0 ? last_words(scratch, ended, err) : take_result(result, scratch, err);
}

/* ---- the command line ---- */

/* Cuts what stands before the program into words. */
static void fill_words(char *words[WORDS_MAX], char *line, char *program)
{
    static char file[] = RESULT;
    char *rest = NULL;
    size_t count = 0;

    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count++] = program;
    words[count++] = file;
    words[count] = NULL;
}

static enum hs_status write_files(const struct hiersearch_exports *files, const char *scratch,
                                  struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < hiersearch_exports_count(files) && status == HS_OK; i++) {
        size_t length;
        const char *text = hiersearch_exports_text(files, i, &length);
        char path[PATH_MAX + 32];

        snprintf(path, sizeof(path), "%s/%s", scratch, hiersearch_exports_name(files, i));
        status = hs_file_replace(path, text, length, err);
    }
    return status;
}

static enum hs_status run_in_scratch(struct hs_result *result, const char *scratch, bool quiet,
                                     const sigset_t *mask, struct hs_error *err)
{
    char program[PATH_MAX], *words[WORDS_MAX];
    struct hs_text line = {0};
    enum hs_status status;

    if (!find_program(program))
        return no_program(err);
    hs_simulated_command(&line, result);
    status = line.failed ? hs_no_memory(err) : HS_OK;
    if (status == HS_OK) {
        fill_words(words, line.data, program);
        status = run_words(result, scratch, words, quiet, mask, err);
    }
    hs_text_release(&line);
    return status;
}

/* Not in the frame of who has the result: stacks may be small. */
__attribute__((noinline)) static enum hs_status run(struct hs_result *result,
                                                    const struct hiersearch_exports *files,
                                                    bool quiet, struct hs_error *err)
{
    char scratch[PATH_MAX];
    struct signals before;
    enum hs_status status;

    take_signals(&before);
    status = make_scratch(scratch, err);
    if (status == HS_OK) {
        status = write_files(files, scratch, err);
        if (status == HS_OK)
            status = run_in_scratch(result, scratch, quiet, &before.mask, err);
        remove_scratch(scratch); /* before a signal may end us */
    }
    give_signals_back(&before);
    return status;
}

enum hs_status hs_simulate_run(struct hs_text *document, const struct hiersearch_exports *files,
                               bool quiet, struct hs_error *err)
{
    struct hs_result result = {0};
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < hiersearch_exports_count(files) && status == HS_OK; i++) {
        size_t length;
        const char *text = hiersearch_exports_text(files, i, &length);

        if (strcmp(hiersearch_exports_name(files, i), RESULT) == 0)
            status = hs_result_parse(&result, RESULT, text, length, err);
    }
    if (status == HS_OK)
        status = run(&result, files, quiet, err);
    if (status == HS_OK)
        status = hs_result_print(document, &result, err);
    hs_result_release(&result);
    return status;
}
