/* Program hiersearch-measure, which `hiersearch measure` becomes under mpiexec or srun: see
 * session.h. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/help.h"
#include "measure/measure_options.h"
#include "measure/session.h"
#include "runner/guard.h"

#define FINALIZE_SECONDS 5.0

/* A file that we open must not become number 1 because the launcher had closed stdout. */
static void keep_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            exit(1);
}

/* The word as a shell would need it. */
static void append_quoted(struct hs_text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./:,@%^";

    if (word[0] && strspn(word, plain) == strlen(word)) {
        hs_text_append(out, " %s", word);
        return;
    }
    hs_text_append(out, " '");
    for (; *word; word++) {
        if (*word == '\'')
            hs_text_append(out, "'\\''");
        else
            hs_text_append_bytes(out, word, 1);
    }
    hs_text_append(out, "'");
}

static void print_error(const struct hs_error *error)
{
    fprintf(stderr, "hiersearch measure: %s\n", error->message);
}

/* --help and --version, to stdout. */
static enum hs_status answer(enum hs_option_request request, struct hs_error *err)
{
    struct hs_terminal terminal = hs_terminal_look(STDOUT_FILENO);
    struct hs_text text = {0};
    enum hs_status status = HS_OK;

    if (request == HS_REQUEST_HELP)
        hs_help_command(&text, &hs_measure_command, &terminal);
    else
        hs_help_version(&text);
    if (text.failed || fwrite(text.data, 1, text.length, stdout) != text.length ||
        fflush(stdout) != 0)
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    hs_text_release(&text);
    return status;
}

/* Whether something started us that knows of MPI: then only one of several processes may speak. */
static bool is_launched(void)
{
    static const char *const names[] = {
        "PMI_RANK",     "PMI_ID",      "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
        "SLURM_PROCID", "PALS_RANKID", "MPI_LOCALRANKID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return true;
    return false;
}

/* What was asked for needs no measuring: said once. */
static int say_once(enum hs_option_request request, enum hs_status status, struct hs_error *error)
{
    bool launched = is_launched();
    int rank = 0;

    if (launched) {
        MPI_Init(NULL, NULL);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    if (rank == 0 && status == HS_OK)
        status = answer(request, error);
    if (rank == 0 && status != HS_OK)
        print_error(error);
    if (launched)
        MPI_Finalize();
    return hs_status_exit(status);
}

/* Runs the session between MPI_Init and MPI_Finalize. */
static int measure(struct hs_session *session, struct hs_error *error)
{
    enum hs_status status = hs_guard_start(&session->guard, error);
    int provided, rank = 0, np = 0;

    if (status != HS_OK) {
        print_error(error);
        return hs_status_exit(status);
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    hs_guard_serve(session->guard, rank, np, NULL, NULL);
    session->rank = rank;
    status = hs_session_run(session, error);
    if (session->rank == 0 && status != HS_OK)
        print_error(error);
    hs_guard_finishing(session->guard, hs_status_exit(status), FINALIZE_SECONDS);
    hs_session_release(session);
    MPI_Finalize();
    hs_guard_stop(session->guard);
    return hs_status_exit(status);
}

int main(int argc, char **argv)
{
    struct hs_option_table table = {hs_measure_command.options, hs_measure_command.arguments};
    enum hs_option_request request = HS_REQUEST_RUN;
    struct hs_session session = {.rank = 0};
    struct hs_error error = {.status = HS_OK};
    struct hs_text line = {0};
    enum hs_status status;
    int exit_status;

    keep_standard_files();
    setlocale(LC_CTYPE, "");
    hs_text_append(&line, "hiersearch measure");
    for (int i = 1; i < argc; i++)
        append_quoted(&line, argv[i]);
    session.command_line = line.failed ? "hiersearch measure" : line.data;
    status = hs_options_parse(&request, &session.settings, &table, argc - 1, argv + 1, &error);
    if (status == HS_OK && request == HS_REQUEST_RUN)
        status = hs_measure_settings_check(&session.settings, &error);
    if (status != HS_OK || request != HS_REQUEST_RUN)
        exit_status = say_once(request, status, &error);
    else
        exit_status = measure(&session, &error);
    hs_text_release(&line);
    return exit_status;
}
