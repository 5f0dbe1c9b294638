#include "plot/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/places.h"

const char *const hs_gnuplot_types[] = {"svg", "pdf", "png", NULL};

/* ---- scripts ---- */

static bool is_script(char *path, const char *folder, const char *kind)
{
    return snprintf(path, PATH_MAX, "%s/%s.gp", folder, kind) < PATH_MAX && access(path, R_OK) == 0;
}

static enum hs_status find_script(char *path, const char *kind, struct hs_error *err)
{
    const char *named = getenv("HIERSEARCH_PLOTS");
    char folder[PATH_MAX];

    if (named && named[0]) {
        if (is_script(path, named, kind))
            return HS_OK;
        return hs_fail(err, HS_INVALID, "HIERSEARCH_PLOTS=%s: has no %s.gp", named, kind);
    }
    if (hs_share_path(folder, sizeof(folder), "plots") && is_script(path, folder, kind))
        return HS_OK;
    return hs_fail(err, HS_FAILED,
                   "the gnuplot script %s.gp is not installed; HIERSEARCH_PLOTS names the folder "
                   "that has it",
                   kind);
}

/* ---- the process ---- */

/* Files that gnuplot opens as /dev/fd/N. */
struct pipes {
    FILE *numbers, *picture, *complaints;
};

static void close_all(struct pipes *pipes)
{
    FILE *files[] = {pipes->numbers, pipes->picture, pipes->complaints};

    for (size_t i = 0; i < 3; i++)
        if (files[i])
            fclose(files[i]);
}

/* With tabs between cells: gnuplot 5.4 ends a cell in quotes at its first comma. */
static void write_numbers(FILE *file, const struct hs_text *csv)
{
    bool quoted = false;

    for (size_t i = 0; i < csv->length; i++)
        if (csv->data[i] == '"')
            quoted = !quoted;
        else
            putc(csv->data[i] == ',' && !quoted ? '\t' : csv->data[i], file);
}

static enum hs_status open_all(struct pipes *pipes, const struct hs_text *csv, struct hs_error *err)
{
    pipes->numbers = tmpfile();
    pipes->picture = tmpfile();
    pipes->complaints = tmpfile();
    if (!pipes->numbers || !pipes->picture || !pipes->complaints)
        return hs_fail(err, HS_IO, "temporary file: %s", strerror(errno));
    write_numbers(pipes->numbers, csv);
    if (fflush(pipes->numbers) != 0 || ferror(pipes->numbers))
        return hs_fail(err, HS_IO, "temporary file: %s", strerror(errno));
    return HS_OK;
}

/* What this program was started with, but for the characters: our texts are UTF-8 whatever the
 * locale says, and gnuplot converts them by it. NULL: no memory; else freed by the caller. */
static char **with_utf8(void)
{
    static char utf8[] = "LC_ALL=C.UTF-8";
    size_t count = 0, kept = 0;
    char **variables;

    while (environ[count])
        count++;
    variables = calloc(count + 2, sizeof(*variables));
    for (size_t i = 0; i < count && variables; i++)
        if (strncmp(environ[i], "LC_ALL=", strlen("LC_ALL=")) != 0)
            variables[kept++] = environ[i];
    if (variables)
        variables[kept] = utf8;
    return variables;
}

static enum hs_status spawn(pid_t *pid, const struct pipes *pipes, char *script, const char *type,
                            struct hs_error *err)
{
    char csv[32], picture[32], kind[8];
    char *arguments[] = {"gnuplot", "-d", "-c", script, csv, picture, kind, NULL};
    char **environment = with_utf8();
    posix_spawn_file_actions_t actions;
    int failure;

    if (!environment)
        return hs_no_memory(err);

    snprintf(csv, sizeof(csv), "/dev/fd/%d", fileno(pipes->numbers));
    snprintf(picture, sizeof(picture), "/dev/fd/%d", fileno(pipes->picture));
    snprintf(kind, sizeof(kind), "%s", type);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(pipes->complaints), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(pipes->complaints), 2);
    failure = posix_spawnp(pid, "gnuplot", &actions, NULL, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == ENOENT)
        return hs_fail(
            err, HS_FAILED,
            "gnuplot is not installed (Debian and Ubuntu: apt install gnuplot-nox); --csv "
            "prints the numbers without it");
    if (failure)
        return hs_fail(err, HS_FAILED, "gnuplot: cannot be started: %s", strerror(failure));
    return HS_OK;
}

/* The exit status as waitpid gives it; -1 where the time ran out, and the process is no more. */
static int wait_for(pid_t pid, double limit_seconds)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    double end = hs_clock_seconds() + limit_seconds;
    int status;

    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (hs_clock_seconds() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

/* gnuplot wrote through descriptors of its own. */
static void append_file(struct hs_text *out, FILE *file)
{
    char buffer[1 << 13];
    size_t length;

    rewind(file);
    while ((length = fread(buffer, 1, sizeof(buffer), file)) > 0)
        hs_text_append_bytes(out, buffer, length);
}

/* gnuplot escapes what would be markup, but not the end of a CDATA section, which XML has in no
 * text. It writes no such sections itself. */
static void append_svg(struct hs_text *out, const struct hs_text *picture)
{
    const char *from = picture->data ? picture->data : "", *end;

    for (; (end = strstr(from, "]]>")) != NULL; from = end + strlen("]]>")) {
        hs_text_append_bytes(out, from, (size_t)(end - from));
        hs_text_append(out, "]]&gt;");
    }
    hs_text_append(out, "%s", from);
}

/* Cairo dates a PDF by the clock, whatever SOURCE_DATE_EPOCH says: the same plot is to be the same
 * bytes. */
static void date_pdf(struct hs_text *picture)
{
    static const char key[] = "/CreationDate (D:";
    char date[HS_CLOCK_UTC], *at = picture->data;

    at = at ? memmem(at, picture->length, key, strlen(key)) : NULL;
    hs_clock_utc_made(date);
    for (const char *from = date; at && *from; from++)
        if (isdigit((unsigned char)*from) && isdigit((unsigned char)at[strlen(key)]))
            *(at++ + strlen(key)) = *from;
}

/* The line of gnuplot's complaint that says what is wrong: the last one with letters. */
static enum hs_status fail_with(const struct hs_text *complaints, int exit_status,
                                struct hs_error *err)
{
    const char *text = complaints->data ? complaints->data : "", *line = "";
    size_t length = 0;

    for (; *text; text += strspn(text, "\n")) {
        size_t here = strcspn(text, "\n");

        if (here > strspn(text, " \t^")) {
            line = text;
            length = here;
        }
        text += here;
    }
    if (WIFSIGNALED(exit_status))
        return hs_fail(err, HS_FAILED, "gnuplot: ended by signal %d", WTERMSIG(exit_status));
    return hs_fail(err, HS_FAILED, "gnuplot: %.*s", length ? (int)length : 6,
                   length ? line : "failed");
}

static enum hs_status run(struct hs_text *picture, struct hs_text *complaints, struct pipes *pipes,
                          char *script, const struct hs_gnuplot_request *request,
                          struct hs_error *err)
{
    size_t before = picture->length;
    struct hs_text drawn = {0};
    int exit_status;
    pid_t pid;
    enum hs_status status = spawn(&pid, pipes, script, request->type, err);

    if (status != HS_OK)
        return status;
    exit_status = wait_for(pid, request->limit_seconds);
    if (exit_status == -1)
        return hs_fail(err, HS_FAILED, "gnuplot: not finished after %g s", request->limit_seconds);
    append_file(complaints, pipes->complaints);
    if (exit_status != 0)
        return fail_with(complaints, exit_status, err);
    append_file(&drawn, pipes->picture);
    if (strcmp(request->type, "pdf") == 0)
        date_pdf(&drawn);
    if (strcmp(request->type, "svg") == 0)
        append_svg(picture, &drawn);
    else
        hs_text_append_bytes(picture, drawn.data, drawn.length);
    picture->failed = picture->failed || drawn.failed;
    hs_text_release(&drawn);
    if (picture->failed || complaints->failed)
        return hs_no_memory(err);
    return picture->length > before ? HS_OK : fail_with(complaints, 0, err);
}

enum hs_status hs_gnuplot_draw(struct hs_text *picture, struct hs_text *complaints,
                               const struct hs_gnuplot_request *request, struct hs_error *err)
{
    struct pipes pipes = {.numbers = NULL};
    char script[PATH_MAX];
    enum hs_status status = find_script(script, request->kind, err);

    if (status == HS_OK)
        status = open_all(&pipes, request->csv, err);
    if (status == HS_OK)
        status = run(picture, complaints, &pipes, script, request, err);
    close_all(&pipes);
    return status;
}
