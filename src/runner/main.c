/* Program hiersearch-measure, which `hiersearch measure` and `hiersearch calibrate` become under
 * mpiexec or srun: see session.h and calibrate.h. The name it is called by says which. */
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/launcher.h"
#include "base/options.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/startup.h"
#include "runner/calibrate.h"
#include "runner/guard.h"
#include "runner/session.h"

#define FINALIZE_SECONDS 5.0

/* What the program can do; `state` is one of struct hs_session and struct hs_calibrate_run, whose
 * first members are the settings that the rows fill. */
struct job {
    const char *program; /* name that asks for it */
    const struct hs_command *rows;
    enum hs_status (*check)(void *settings, struct hs_error *err);
    /* Between MPI_Init and MPI_Finalize; returns the rank that speaks in *rank. */
    enum hs_status (*run)(void *state, struct hs_guard *guard, int *rank, struct hs_error *err);
    void (*release)(void *state);
};

union state {
    struct hs_session session;
    struct hs_calibrate_run calibration;
};

static enum hs_status check_measure(void *settings, struct hs_error *err)
{
    return hs_measure_settings_check(settings, err);
}

static enum hs_status run_measure(void *state, struct hs_guard *guard, int *rank,
                                  struct hs_error *err)
{
    struct hs_session *session = state;
    enum hs_status status;

    session->campaign.guard = guard;
    session->campaign.ranks.rank = *rank;
    status = hs_session_run(session, err);
    *rank = session->campaign.ranks.rank;
    return status;
}

static void release_measure(void *state)
{
    hs_session_release(state);
}

static enum hs_status check_calibrate(void *settings, struct hs_error *err)
{
    return hs_calibrate_settings_check(settings, err);
}

static enum hs_status run_calibrate(void *state, struct hs_guard *guard, int *rank,
                                    struct hs_error *err)
{
    struct hs_calibrate_run *run = state;
    enum hs_status status;

    run->campaign.guard = guard;
    run->campaign.ranks.rank = *rank;
    status = hs_calibrate_run(run, err);
    *rank = run->campaign.ranks.rank;
    return status;
}

static void release_calibrate(void *state)
{
    hs_calibrate_release(state);
}

static const struct job jobs[] = {
    {"hiersearch-measure", &hs_command_measure, check_measure, run_measure, release_measure},
    {"hiersearch-calibrate", &hs_command_calibrate, check_calibrate, run_calibrate,
     release_calibrate},
};

static const struct job *choose_job(const char *called)
{
    const char *slash = called ? strrchr(called, '/') : NULL;
    const char *name = slash ? slash + 1 : called;

    for (size_t i = 1; name && i < sizeof(jobs) / sizeof(jobs[0]); i++)
        if (strcmp(name, jobs[i].program) == 0)
            return &jobs[i];
    return &jobs[0];
}

static void print_error(const struct job *job, const struct hs_error *error)
{
    fprintf(stderr, "hiersearch %s: %s\n", job->rows->name, error->message);
}

/* --help and --version, to stdout. */
static enum hs_status answer(const struct job *job, enum hs_option_request request,
                             struct hs_error *err)
{
    struct hs_terminal terminal = hs_terminal_look(STDOUT_FILENO);
    struct hs_text text = {0};
    enum hs_status status;

    if (request == HS_REQUEST_VERSION)
        hs_help_version(&text);
    else
        hs_help_command(&text, job->rows, &terminal, request == HS_REQUEST_HELP_ALL);
    status = hs_stdout_write(&text, err);
    hs_text_release(&text);
    return status;
}

/* What was asked for needs no measuring: said once. */
static int say_once(const struct job *job, enum hs_option_request request, enum hs_status status,
                    struct hs_error *error)
{
    int rank;
    bool launched = hs_launcher_rank(&rank, NULL), speaks = hs_launcher_speaks();

    if (launched) /* nobody ends before it is said */
        MPI_Init(NULL, NULL);
    if (speaks && status == HS_OK)
        status = answer(job, request, error);
    if (speaks && status != HS_OK)
        print_error(job, error);
    if (launched)
        MPI_Finalize();
    return hs_status_exit(status);
}

/* More processes than the library sees: the launcher is another MPI's, and each of them takes
 * itself for the whole job. Of Slurm's numbers that of the step: a batch script is one process. */
static enum hs_status check_launcher(int np, struct hs_error *err)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PALS_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n,")] = '\0';
    if (strchr(library, '\t')) /* MPICH's */
        *strchr(library, '\t') = ' ';
    for (size_t i = 0; np == 1 && i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = getenv(names[i]);
        long processes = text ? strtol(text, NULL, 10) : 1;

        if (processes > 1)
            return hs_fail(
                err, HS_INVALID,
                "the launcher started %ld processes (%s), but MPI sees one: launcher and "
                "library do not fit; start it with the launcher of %s, or take a build "
                "for the launcher's MPI (make MPICC=...)",
                processes, names[i], library);
    }
    return HS_OK;
}

/* Does the job between MPI_Init and MPI_Finalize. */
static int launch(const struct job *job, union state *state, struct hs_error *error)
{
    struct hs_guard *guard;
    enum hs_status status = hs_guard_start(&guard, error);
    int provided, rank = 0, np = 0;

    if (status != HS_OK) {
        if (hs_launcher_speaks())
            print_error(job, error);
        return hs_status_exit(status);
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    hs_guard_serve(guard, rank, np, NULL, NULL);
    status = check_launcher(np, error);
    if (status == HS_OK)
        status = job->run(state, guard, &rank, error);
    else if (!hs_launcher_rank(&rank, NULL))
        rank = 0;
    if (rank == 0 && status != HS_OK)
        print_error(job, error);
    hs_guard_finishing(guard, hs_status_exit(status), FINALIZE_SECONDS);
    job->release(state);
    MPI_Finalize();
    hs_guard_stop(guard);
    return hs_status_exit(status);
}

int main(int argc, char **argv)
{
    const struct job *job = choose_job(argv[0]);
    struct hs_option_table table = {job->rows->options, job->rows->arguments, job->rows->launcher};
    enum hs_option_request request = HS_REQUEST_RUN;
    static union state state;
    struct hs_error error = {.status = HS_OK};
    struct hs_text line = {0};
    enum hs_status status;
    int exit_status;

    hs_standard_files_keep();
    setlocale(LC_CTYPE, "");
    hs_command_line_append(&line, "hiersearch measure", argc - 1, argv + 1);
    if (job == &jobs[0])
        state.session.command_line = line.failed ? "hiersearch measure" : line.data;
    status = hs_options_parse(&request, &state, &table, argc - 1, argv + 1, &error);
    if (status == HS_OK && request == HS_REQUEST_RUN)
        status = job->check(&state, &error);
    if (status != HS_OK || request != HS_REQUEST_RUN)
        exit_status = say_once(job, request, status, &error);
    else
        exit_status = launch(job, &state, &error);
    hs_text_release(&line);
    return exit_status;
}
