/*
 * smpirun is a shell script that starts one process with all simulated ranks. Both are put into a
 * process group of their own, so that a signal from the keyboard reaches us alone and we can end
 * them together.
 */
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

#define SMPIRUN     "smpirun"
#define PROGRAM     "hiersearch-simulate"
#define LOG_LIMIT   ((size_t)1 << 24)
#define GRACE_MS    2000
#define PIECES_MAX  1024 /* mappings of the shared file that make up a message */
#define PIECE_BYTES ((uint64_t)1 << 20)

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

static const char *const scratch_files[] = {"platform.xml", "hostfile", "log"};

static void remove_scratch(const char *scratch)
{
    int folder = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return;
    for (size_t i = 0; i < sizeof(scratch_files) / sizeof(scratch_files[0]); i++)
        unlinkat(folder, scratch_files[i], 0);
    close(folder);
    rmdir(scratch);
}

static enum hs_status write_scratch(const char *scratch, const char *name,
                                    const struct hs_text *text, struct hs_error *err)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", scratch, name);
    return hs_file_replace(path, text->data, text->length, err);
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
    int output; /* its stdout */
    struct hs_text line;
    size_t done; /* plans */
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

static bool read_figure(const char **at, double *value)
{
    char *end;

    *value = strtod(*at, &end);
    if (end == *at || !(*value >= 0))
        return false;
    *at = end;
    return true;
}

/* "plan 4x8x4 seconds S layers 3 RS RS AR AG AG", for the plan that is next. */
static bool read_plan(struct hs_simulated *plan, const char *line)
{
    char text[HS_SPLIT_TEXT], expected[HS_SPLIT_TEXT + 16];
    size_t length = (size_t)snprintf(expected, sizeof(expected), "plan %s seconds ",
                                     hs_plan_format(text, &plan->plan));
    int layers = plan->plan.split.count;
    const char *at = line + length;
    double seconds;

    if (strncmp(line, expected, length) != 0 || !read_figure(&at, &seconds))
        return false;
    length = (size_t)snprintf(expected, sizeof(expected), " layers %d", layers);
    if (strncmp(at, expected, length) != 0)
        return false;
    at += length;
    for (int i = 0; i < layers; i++)
        if (!read_figure(&at, &plan->reduce_scatter[i]))
            return false;
    for (int i = 0; i < layers - 1; i++)
        if (!read_figure(&at, &plan->allgather[i]))
            return false;
    if (*at != '\0')
        return false;
    plan->seconds = seconds;
    return true;
}

/* Other lines are SimGrid's. */
static void take_line(struct hs_simulation *simulation, struct child *child,
                      struct hs_simulate_progress *progress, const char *line)
{
    if (strncmp(line, "simgrid ", 8) == 0)
        snprintf(simulation->simgrid, sizeof(simulation->simgrid), "%s", line + 8);
    else if (child->done < simulation->count && read_plan(&simulation->plans[child->done], line))
        hs_simulate_progress_done(progress, &simulation->plans[child->done++].plan);
}

static void take_output(struct hs_simulation *simulation, struct child *child,
                        struct hs_simulate_progress *progress, const char *bytes, size_t count)
{
    const char *end = bytes + count;

    for (const char *newline; (newline = memchr(bytes, '\n', (size_t)(end - bytes)));
         bytes = newline + 1) {
        hs_text_append_bytes(&child->line, bytes, (size_t)(newline - bytes));
        if (child->line.data)
            take_line(simulation, child, progress, child->line.data);
        hs_text_release(&child->line);
    }
    hs_text_append_bytes(&child->line, bytes, (size_t)(end - bytes));
}

static void follow(struct hs_simulation *simulation, struct child *child,
                   struct hs_simulate_progress *progress, const sigset_t *mask)
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
        if (count > 0)
            take_output(simulation, child, progress, bytes, (size_t)count);
        else if (count < 0 && errno == EINTR)
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
    hs_text_release(&child->line);
    return status;
}

/* The first line of ours in the log, else its last line. */
static enum hs_status last_words(const char *scratch, int status, struct hs_error *err)
{
    char path[PATH_MAX + 8], *log = NULL, *rest = NULL;
    const char *words = "no word from it";
    size_t length;

    snprintf(path, sizeof(path), "%s/log", scratch);
    if (hs_file_read(&log, &length, path, LOG_LIMIT, NULL) == HS_OK)
        for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            words = line;
            if (strncmp(line, "hiersearch-", 11) == 0)
                break;
        }
    if (WIFSIGNALED(status))
        hs_error_set(err, HS_FAILED, "the simulation was ended by signal %d: %.300s",
                     WTERMSIG(status), words);
    else
        hs_error_set(err, HS_FAILED, "the simulation failed (exit %d): %.300s", WEXITSTATUS(status),
                     words);
    free(log);
    return HS_FAILED;
}

/* ---- the command line ---- */

/* SMPI's own factors are for Ethernet: off. The latency factor is s, see src/simulate/simulate.h.
 */
static void append_flags(struct hs_text *flags, const struct hs_simulation *simulation)
{
    uint64_t piece = PIECE_BYTES;

    while (piece * PIECES_MAX < simulation->bytes)
        piece *= 2;
    hs_text_append(flags,
                   "--cfg=smpi/simulate-computation:no --cfg=smpi/lat-factor:0:%.17g "
                   "--cfg=smpi/bw-factor:0:1.0 --cfg=network/crosstraffic:0 "
                   "--cfg=network/weight-S:0 --cfg=network/TCP-gamma:0 --cfg=smpi/test:0 "
                   "--cfg=smpi/wtime:0 --cfg=smpi/shared-malloc-blocksize:%" PRIu64
                   " --log=root.thres:warning",
                   simulation->system->pipeline_granularity, piece);
}

/* A growing list of words. */
struct words {
    char **items;
    size_t count;
    bool failed;
};

static void add_word(struct words *words, const char *text, size_t length)
{
    char *word = strndup(text, length);

    words->items[words->count++] = word;
    words->failed = words->failed || !word;
}

static void free_words(struct words *words)
{
    for (size_t i = 0; words->items && i < words->count; i++)
        free(words->items[i]);
    free(words->items);
}

static void fill_words(struct words *words, const struct hs_simulation *simulation,
                       const char *program)
{
    static const char *const options[] = {SMPIRUN,        "-quiet",    "-no-privatize", "-platform",
                                          "platform.xml", "-hostfile", "hostfile",      "-np"};
    char text[HS_SPLIT_TEXT];

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        add_word(words, options[i], strlen(options[i]));
    snprintf(text, sizeof(text), "%" PRId64, simulation->np);
    add_word(words, text, strlen(text));
    for (const char *flag = simulation->flags.data; flag && *flag; flag += strspn(flag, " ")) {
        size_t length = strcspn(flag, " ");

        add_word(words, flag, length);
        flag += length;
    }
    add_word(words, program, strlen(program));
    snprintf(text, sizeof(text), "%" PRIu64, simulation->bytes);
    add_word(words, text, strlen(text));
    snprintf(text, sizeof(text), "%.17g", simulation->system->launch_seconds);
    add_word(words, text, strlen(text));
    for (size_t i = 0; i < simulation->count; i++) {
        hs_plan_format(text, &simulation->plans[i].plan);
        add_word(words, text, strlen(text));
    }
}

static enum hs_status make_words(struct words *words, struct hs_simulation *simulation,
                                 struct hs_error *err)
{
    char program[PATH_MAX];

    append_flags(&simulation->flags, simulation);
    if (!find_program(program))
        return no_program(err);
    words->items = calloc(simulation->count + 64, sizeof(*words->items));
    if (words->items)
        fill_words(words, simulation, program);
    if (!words->items || words->failed || simulation->flags.failed)
        return hs_no_memory(err);
    return HS_OK;
}

static enum hs_status run_words(struct hs_simulation *simulation, const char *scratch, char **argv,
                                struct hs_simulate_progress *progress, struct hs_error *err)
{
    struct child child = {.pid = -1};
    struct signals before;
    enum hs_status status;

    take_signals(&before);
    status = start(&child, scratch, argv, &before.mask, err);
    if (status == HS_OK) {
        follow(simulation, &child, progress, &before.mask);
        int ended = end(&child);

        if (ended != 0 || child.done < simulation->count)
            status = last_words(scratch, ended, err);
    }
    hs_simulate_progress_clear(progress);
    remove_scratch(scratch); /* before a signal may end us */
    give_signals_back(&before);
    return status;
}

enum hs_status hs_simulate_run(struct hs_simulation *simulation, const struct hs_text *platform,
                               const struct hs_text *hosts, bool quiet, struct hs_error *err)
{
    struct hs_simulate_progress progress;
    struct words words = {.count = 0};
    char scratch[PATH_MAX];
    enum hs_status status = make_words(&words, simulation, err);

    if (status == HS_OK)
        status = make_scratch(scratch, err);
    if (status != HS_OK) {
        free_words(&words);
        return status;
    }
    status = write_scratch(scratch, "platform.xml", platform, err);
    if (status == HS_OK)
        status = write_scratch(scratch, "hostfile", hosts, err);
    hs_simulate_progress_init(&progress, simulation, quiet);
    if (status == HS_OK)
        status = run_words(simulation, scratch, words.items, &progress, err);
    remove_scratch(scratch);
    free_words(&words);
    return status;
}
