#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct check_words {
    struct hs_argument_list files;
    bool quiet;
};

/* Whether the first argument is a log, which then says the machine by itself. */
static bool is_log(const char *text)
{
    return strcmp(text, "-") == 0 || hs_is_log_file(text);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct check_words *words = of_rows;
    struct hs_client client = hs_client_of(context, NULL);
    struct hs_argument_list files = words->files;
    enum hs_status status = HS_OK;

    context->quiet = words->quiet;
    if (!is_log(files.items[0])) {
        struct hiersearch_system *system = NULL;

        /* Without its notes: what a line leaves open is in the ranges. */
        status = hs_system_open(&system, files.items[0], err);
        if (status == HS_OK)
            status = hs_client_keep(&client, system, err);
        files.items++;
        files.count--;
    }
    if (status == HS_OK && files.count == 0)
        status = hs_fail(err, HS_INVALID, "expected a log behind the MACHINE, found none");
    if (status == HS_OK)
        status = hs_client_read(&client, &files, err);
    if (status == HS_OK)
        status = hs_client_answer(&client, err);
    context->found_fault = client.answer && hs_answer_found_fault(client.answer);
    context->found_nothing = client.answer && hs_answer_found_nothing(client.answer);
    hs_client_release(&client);
    return status;
}

#define FIELD(name) offsetof(struct check_words, name)

static const struct hs_argument arguments[] = {
    {.name = "MACHINE|LOG",
     .required = true,
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(files),
     .help =
         "the machine (a name, a file, or a line of text such as '8xH100, 8xNDR400'), then its "
         "logs: nccl-tests, rccl-tests, OSU, with the lines of NCCL_DEBUG=INFO in them where there "
         "are, or results of measure; several of one machine together; - is stdin. Without a "
         "machine: "
         "as the logs list their GPUs and NICs, or as the result has it"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_JSON("Output", "the answer with all rows and causes"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_check = {
    .name = "check",
    .summary = "is a log as fast as the machine should be, and if not, where is it lost",
    .description =
        "Compares the times of NCCL's, RCCL's or MPI's calls with what such a machine takes. "
        "Where they are low: in which layer, which causes a line of the library establishes, which "
        "fit, which are excluded, and what to do next. A cause that only times speak for fits, "
        "never more.\n"
        "Exit status 0: as expected; 1: low; 2: cannot judge.",
    .examples =
        "  hiersearch check '8xA100, 4xHDR200' a100_all_gather.log\n"
        "  hiersearch check measured.json --details\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log all_gather.log\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log --info nccl_debug.log\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log --good last_month.log --details",
    .usual = "info good algorithm env library-version nodes details json",
    .arguments = arguments,
    .question = "check",
    .options = options,
    .settings_bytes = sizeof(struct check_words),
    .run = run,
};
