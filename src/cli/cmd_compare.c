#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compared.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"

struct compare_settings {
    struct hs_argument_list files;
    struct hs_compared_question asked;
    const char *predict, *output;
    bool quiet;
};

static enum hs_status write_out(struct hs_context *context, const struct hs_compared *compared,
                                const struct compare_settings *settings, struct hs_error *err)
{
    static const struct hs_compared_words json_words = {.print = {.format = "json"}};
    struct hs_text json = {0};
    enum hs_status status = hs_compared_print(context->out, compared, &settings->asked.words,
                                              context->command_line, &context->terminal, err);

    if (status == HS_OK && settings->output)
        status = hs_compared_print(&json, compared, &json_words, context->command_line,
                                   &context->terminal, err);
    if (status == HS_OK && settings->output)
        status = hs_file_replace(settings->output, json.data, json.length, err);
    hs_text_release(&json);
    return status;
}

static enum hs_status compare(struct hs_context *context, const struct compare_settings *settings,
                              const struct hs_inputs *inputs, const struct hs_system *system,
                              struct hs_error *err)
{
    struct hs_compared compared = {.inputs = inputs, .system = system};
    struct hs_text notes = {0};
    enum hs_status status;

    if (system)
        compared.predictor =
            hs_system_is_text(settings->predict) ? settings->predict : system->name;
    status = hs_compared_make(&compared, &settings->asked.compare, &notes, err);
    hs_notes_pass_on(context, &notes);
    if (status == HS_OK)
        status = write_out(context, &compared, settings, err);
    hs_compared_release(&compared);
    return status;
}

/* Two profiles of a job: where they go to a file, as JSON, that alone is written. */
static enum hs_status compare_profiles(struct hs_context *context,
                                       const struct compare_settings *settings,
                                       const struct hs_inputs *inputs, struct hs_error *err)
{
    struct hs_print json = {.format = hs_format_names[HS_FORMAT_JSON]};
    struct hs_text text = {0};
    struct hs_sheet sheet;
    enum hs_status status;

    hs_sheet_begin(&sheet, settings->output ? &text : context->out,
                   settings->output ? &json : &settings->asked.words.print, &context->terminal);
    status = hs_compared_profiles_show(&sheet, inputs, &settings->asked,
                                       settings->predict ? "predict" : NULL, err);
    if (status == HS_OK && settings->output)
        status = hs_file_replace(settings->output, text.data, text.length, err);
    hs_text_release(&sheet.lines);
    hs_text_release(&text);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct compare_settings *settings = of_rows;
    struct hs_inputs inputs = {.count = 0};
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    context->quiet = settings->quiet;
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->asked.words.print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    status = hs_output_check(settings->output, settings->predict, &settings->files, err);
    if (status == HS_OK && settings->predict) {
        status = hs_find_system(&system, settings->predict, context, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--predict");
    }
    if (status == HS_OK)
        status = hs_inputs_load_any(&inputs, &settings->files, context, err);
    if (status == HS_OK)
        status = inputs.profile_count > 0
                     ? compare_profiles(context, settings, &inputs, err)
                     : compare(context, settings, &inputs, settings->predict ? &system : NULL, err);
    hs_inputs_release(&inputs);
    hs_system_release(&system);
    return status;
}

#define FIELD(name) offsetof(struct compare_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(files),
        "result files of measure or simulate, and of predict where a measured one has no "
        "predictions; logs of a library's own calls, as `hiersearch fit` reads them; - is stdin; "
        "or two "
        "profiles of a job, before and after"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_COMPARED_SIZE(FIELD(asked.compare)),
    {.name = "predict",
     .letter = 'p',
     .argument = "SYSTEM",
     .group = "What is compared",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(predict),
     .help = "predict the measured plans for this machine (a name, a file, or a line of text), in "
             "place of the predictions in the files"},
    HS_ROWS_COMPARED(FIELD(asked.compare)),
    HS_ROWS_COMPARED_SHOWN(FIELD(asked.words)),
    HS_ROWS_PRINT("Output", FIELD(asked.words.print), "all that is known, in one document"),
    HS_ROW_OUTPUT("Output", FIELD(output), false, "write the JSON; - is stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_compare = {
    .name = "compare",
    .summary = "predicted against measured times: errors, order, and what a wrong choice costs",
    .description =
        "For every file and message size: the error of each prediction, whether the order is right "
        "(Kendall's tau), whether the predicted winner is the fastest, and how much slower it is "
        "if "
        "not. The same for the published containment rule. Several cases get a table and a "
        "summary. "
        "Simulated times count as measured.\n"
        "Times of a library's own calls, from logs of nccl-tests, OSU's benchmarks or CSV, come "
        "size by size beside what the machine's price of that library says, and beside the "
        "fastest measured plan of a result with as many processes.\n"
        "Of two profiles of a job, such as without and with `hiersearch run`: what became of each "
        "kind of calls, and what is saved.",
    .examples = "  hiersearch compare results/here.json\n"
                "  hiersearch compare results/*.json --predict calibrated.json\n"
                "  hiersearch compare measured.json predicted.json --size 64MiB --plans all\n"
                "  hiersearch compare all_reduce_2_nodes.txt --predict '8xH100, 8xNDR400'\n"
                "  hiersearch compare measured.json all_reduce_perf.txt\n"
                "  hiersearch compare before.json after.json",
    .aside = true, /* who judges predictions; `check` judges logs */
    .usual = "predict size np nodes call algorithm plans format output",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct compare_settings),
    .run = run,
};
