#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "answer/check.h"
#include "answer/systems.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "show/check.h"

struct check_settings {
    struct hs_argument_list files;
    struct hs_check_settings asked;
    struct hs_print print;
    bool details, quiet;
};

/* Whether the first argument is a log, which then says the machine by itself. */
static bool is_log(const char *text)
{
    return strcmp(text, "-") == 0 || (!hs_system_is_text(text) && access(text, R_OK) == 0 &&
                                      !hs_inputs_is_of(text, HS_FORMAT_OF "system/"));
}

static enum hs_status print(struct hs_context *context, const struct check_settings *settings,
                            const struct hs_check_answer *checked, struct hs_error *err)
{
    struct hs_sheet sheet;

    context->found_fault = checked->verdict == HS_CHECK_LOW;
    context->found_nothing = checked->verdict == HS_CHECK_UNJUDGED;
    if (hs_print_format(&settings->print) == HS_FORMAT_JSON)
        return hs_fields_print(context->out, &hs_check_fields, checked, false, err);
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    hs_check_show(&sheet, checked, settings->details);
    return hs_sheet_end(&sheet, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct check_settings *settings = of_rows;
    struct hs_inputs inputs = {.takes_logs = HS_LOGS_OF_ANY};
    struct hs_system system = {.level_count = 0};
    struct hs_check_answer checked = {.row_count = 0};
    struct hs_check_question question = {.inputs = &inputs, .settings = &settings->asked};
    struct hs_argument_list files = settings->files;
    struct hs_text notes = {0};
    enum hs_status status = HS_OK;

    context->quiet = settings->quiet;
    if (!is_log(files.items[0])) {
        question.machine = files.items[0];
        question.system = &system;
        status = hs_system_ask(&system, files.items[0], NULL, err);
        files.items++;
        files.count--;
    }
    if (status == HS_OK && files.count == 0)
        status = hs_fail(err, HS_INVALID, "expected a log behind the MACHINE, found none");
    for (size_t i = 0; i < files.count && status == HS_OK; i++)
        status = hs_inputs_add(&inputs, files.items[i], &notes, err);
    if (status == HS_OK)
        status = hs_check(&checked, &question, &notes, err);
    hs_notes_pass_on(context, &notes);
    if (status == HS_OK)
        status = print(context, settings, &checked, err);
    hs_check_answer_release(&checked);
    hs_inputs_release(&inputs);
    hs_system_release(&system);
    return status;
}

#define FIELD(name) offsetof(struct check_settings, name)

static const struct hs_argument arguments[] = {
    {.name = "MACHINE|LOG",
     .required = true,
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(files),
     .help = "the machine (a name, a file, or a line of text such as '8xH100, 8xNDR400'), then its "
             "logs: nccl-tests, rccl-tests, OSU, with NCCL's own lines in them where there are; "
             "several of one machine together; - is stdin. Without a machine: as the logs list "
             "their GPUs and NICs"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROWS_CHECK(FIELD(asked)),
    HS_ROW_FLAG("details", 0, "Output", FIELD(details),
                "the table by size: measured, expected, range, bound by line rates"),
    HS_ROWS_PRINT("Output", FIELD(print), "the answer with all rows and causes"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_check = {
    .name = "check",
    .summary = "is a log as fast as the machine should be, and if not, where is it lost",
    .description =
        "Compares the times of NCCL's, RCCL's or MPI's own calls with what such a machine takes. "
        "Where they are low: in which layer, which causes a line of the library establishes, which "
        "fit, which are excluded, and what to do next. A cause that only times speak for fits, "
        "never more.\n"
        "Exit status 0: as expected; 1: low; 2: cannot judge.",
    .examples =
        "  hiersearch check '8xA100, 4xHDR200' a100_all_gather.log\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log all_gather.log\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log --info nccl_debug.log\n"
        "  hiersearch check '8xH100, 8xNDR400' all_reduce.log --good last_month.log --details",
    .usual = "info good algorithm env library-version nodes details json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct check_settings),
    .run = run,
};
