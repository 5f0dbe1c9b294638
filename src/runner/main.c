/* Program hiersearch-measure, which `hiersearch measure` executes under mpiexec or srun: see
 * campaign_run.h. */
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
#include "engine/forced.h"
#include "runner/campaign_run.h"
#include "runner/guard.h"

static void print_error(const struct hs_error *error)
{
    fprintf(stderr, "hiersearch measure: %s\n", error->message);
}

/* --help and --version, to stdout. */
static enum hs_status answer(enum hs_option_request request, struct hs_error *err)
{
    struct hs_terminal terminal = hs_terminal_look(STDOUT_FILENO);
    struct hs_text text = {0};
    enum hs_status status;

    if (request == HS_REQUEST_VERSION)
        hs_help_version(&text);
    else
        hs_help_command(&text, &hs_command_measure, &terminal, request == HS_REQUEST_HELP_ALL);
    status = hs_stdout_write(&text, err);
    hs_text_release(&text);
    return status;
}

/* What was asked for needs no measuring: said once. */
static int say_once(enum hs_option_request request, enum hs_status status, struct hs_error *error)
{
    int rank;
    bool launched = hs_launcher_rank(&rank, NULL), is_root = hs_launcher_is_root();

    if (launched) /* nobody ends before it is said */
        MPI_Init(NULL, NULL);
    if (is_root && status == HS_OK)
        status = answer(request, error);
    if (is_root && status != HS_OK)
        print_error(error);
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
static int launch(struct hs_campaign *campaign, struct hs_error *error)
{
    struct hs_guard *guard;
    enum hs_status status = hs_guard_start(&guard, error);
    int provided, rank = 0, np = 0;

    if (status != HS_OK) {
        if (hs_launcher_is_root())
            print_error(error);
        return hs_status_exit(status);
    }
    if (campaign->settings.native)
        hs_forced_allow();
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    hs_guard_serve(guard, rank, np, NULL, NULL);
    status = check_launcher(np, error);
    campaign->guard = guard;
    campaign->ranks.rank = rank;
    if (status == HS_OK) {
        status = hs_campaign_run(campaign, error);
        rank = campaign->ranks.rank; /* of the ranks in their order by node */
    } else if (!hs_launcher_rank(&rank, NULL))
        rank = 0;
    if (rank == 0 && status != HS_OK)
        print_error(error);
    hs_guard_finishing(guard, hs_status_exit(status));
    hs_campaign_release(campaign);
    MPI_Finalize();
    hs_guard_stop(guard);
    return hs_status_exit(status);
}

int main(int argc, char **argv)
{
    struct hs_option_table table = {hs_command_measure.options, hs_command_measure.arguments,
                                    hs_command_measure.launcher};
    enum hs_option_request request = HS_REQUEST_RUN;
    static struct hs_campaign campaign;
    struct hs_error error = {.status = HS_OK};
    struct hs_text line = {0};
    enum hs_status status;
    int exit_status;

    hs_standard_files_keep();
    setlocale(LC_CTYPE, "");
    hs_command_line_append(&line, "hiersearch measure", argc - 1, argv + 1);
    campaign.command_line = line.failed ? "hiersearch measure" : line.data;
    status = hs_options_parse(&request, &campaign.settings, &table, argc - 1, argv + 1, &error);
    if (status == HS_OK && request == HS_REQUEST_RUN)
        status = hs_measure_settings_check(&campaign.settings, &error);
    if (status != HS_OK || request != HS_REQUEST_RUN)
        exit_status = say_once(request, status, &error);
    else
        exit_status = launch(&campaign, &error);
    hs_text_release(&line);
    return exit_status;
}
