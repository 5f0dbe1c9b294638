#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/compared.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/compare_show.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "machine/system_find.h"

struct compare_settings {
    struct hs_argument_list files;
    struct hs_compared_settings compare;
    const char *predict, *plans, *output;
    struct hs_print print;
    bool noise, quiet;
};

static const char *const *row_words(void)
{
    static const char *const words[] = {"none", "worst", "all", NULL}; /* enum hs_compare_rows */

    return words;
}

/* ---- output ---- */

/* Without --plans one case shows its largest errors; several are a table. */
static enum hs_compare_rows rows_of(const struct compare_settings *settings)
{
    const char *const *words = row_words();
    int at = 0;

    while (settings->plans && words[at] && strcmp(words[at], settings->plans) != 0)
        at++;
    return settings->plans ? (enum hs_compare_rows)at : HS_COMPARE_WORST_ROWS;
}

static enum hs_status show(const struct hs_compare_view *view,
                           const struct compare_settings *settings, struct hs_error *err)
{
    const struct hs_comparison *comparison = view->comparison;
    enum hs_compare_rows rows = rows_of(settings);
    enum hs_status status = HS_OK;

    if (comparison->case_count == 0)
        return HS_OK;
    if (comparison->case_count == 1)
        return hs_compare_show_case(view, &comparison->cases[0], rows, err);
    for (size_t i = 0; i < comparison->case_count && settings->plans && rows; i++) {
        if (status == HS_OK)
            status = hs_compare_show_case(view, &comparison->cases[i], rows, err);
        hs_sheet_say(view->sheet, "\n");
    }
    hs_compare_show_cases(view);
    hs_compare_show_growths(view);
    hs_compare_show_summary(view);
    return status;
}

static enum hs_status print(struct hs_context *context, struct hs_compare_view *view,
                            const struct compare_settings *settings, const char *priced_for,
                            struct hs_error *err)
{
    struct hs_sheet sheet;
    enum hs_status status, ended;

    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    view->sheet = &sheet;
    status = show(view, settings, err);
    if (status == HS_OK)
        hs_compare_show_logs(view, priced_for);
    ended = hs_sheet_end(&sheet, err);
    view->sheet = NULL;
    return status == HS_OK ? ended : status;
}

static enum hs_status write_out(struct hs_context *context, struct hs_compare_view *view,
                                const struct compare_settings *settings, const char *priced_for,
                                struct hs_error *err)
{
    bool is_json = hs_print_format(&settings->print) == HS_FORMAT_JSON;
    struct hs_text json = {0};
    enum hs_status status = HS_OK;

    if (is_json || settings->output)
        status = hs_comparison_print(&json, view->comparison, view->predictor,
                                     context->command_line, err);
    if (status == HS_OK && is_json)
        hs_text_append_bytes(context->out, json.data, json.length);
    else if (status == HS_OK)
        status = print(context, view, settings, priced_for, err);
    if (status == HS_OK && settings->output)
        status = hs_file_replace(settings->output, json.data, json.length, err);
    hs_text_release(&json);
    return status;
}

/* ---- running ---- */

static enum hs_status compare(struct hs_context *context, const struct compare_settings *settings,
                              const struct hs_inputs *inputs, const struct hs_system *system,
                              struct hs_error *err)
{
    struct hs_compared compared = {.inputs = inputs, .system = system};
    struct hs_compare_view view = {.comparison = &compared.comparison, .noise = settings->noise};
    const char *priced_for = NULL;
    struct hs_text notes = {0};
    enum hs_status status;

    if (system)
        view.predictor = hs_system_is_text(settings->predict) ? settings->predict : system->name;
    status = hs_compared_make(&compared, &settings->compare, &notes, err);
    hs_notes_pass_on(context, &notes);
    if (compared.calls_system)
        priced_for = view.predictor ? view.predictor : compared.calls_system->name;
    if (status == HS_OK)
        status = write_out(context, &view, settings, priced_for, err);
    hs_compared_release(&compared);
    return status;
}

/* ---- two profiles of a job ---- */

static enum hs_status show_profiles(struct hs_context *context,
                                    const struct compare_settings *settings,
                                    const struct hs_profile profiles[2], struct hs_error *err)
{
    struct hs_print json = {.format = hs_format_names[HS_FORMAT_JSON]};
    struct hs_text text = {0};
    struct hs_sheet sheet;
    enum hs_status status;

    hs_sheet_begin(&sheet, settings->output ? &text : context->out,
                   settings->output ? &json : &settings->print, &context->terminal);
    status =
        hs_compared_profiles_show(&sheet, &profiles[0], &profiles[1], settings->files.items, err);
    if (status == HS_OK && settings->output)
        status = hs_file_replace(settings->output, text.data, text.length, err);
    hs_text_release(&text);
    return status;
}

static enum hs_status compare_profiles(struct hs_context *context,
                                       const struct compare_settings *settings,
                                       struct hs_error *err)
{
    struct hs_profile profiles[2] = {{.ranks = 0}, {.ranks = 0}};
    const char *other = settings->predict ? "predict"
                        : settings->plans ? "plans"
                        : settings->noise ? "noise"
                                          : NULL;
    enum hs_status status = hs_compared_profiles_check(
        settings->files.items[0], settings->files.count, &settings->compare, other, err);

    for (size_t i = 0; i < 2 && status == HS_OK; i++)
        status = hs_inputs_profile(&profiles[i], settings->files.items[i], err);
    if (status == HS_OK)
        status = show_profiles(context, settings, profiles, err);
    hs_profile_release(&profiles[0]);
    hs_profile_release(&profiles[1]);
    return status;
}

/* ---- all ---- */

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct compare_settings *settings = of_rows;
    struct hs_inputs inputs = {.count = 0};
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    context->quiet = settings->quiet;
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    status = hs_output_check(settings->output, settings->predict, &settings->files, err);
    if (status == HS_OK && hs_inputs_is_profile(settings->files.items[0]))
        return compare_profiles(context, settings, err);
    if (status == HS_OK && settings->predict) {
        status = hs_find_system(&system, settings->predict, context, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--predict");
    }
    if (status == HS_OK)
        status = hs_inputs_load_any(&inputs, &settings->files, context, err);
    if (status == HS_OK)
        status = compare(context, settings, &inputs, settings->predict ? &system : NULL, err);
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
    HS_ROW_COMPARED_SIZE(FIELD(compare)),
    {.name = "predict",
     .letter = 'p',
     .argument = "SYSTEM",
     .group = "What is compared",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(predict),
     .help = "predict the measured plans for this machine (a name, a file, or a line of text), in "
             "place of the predictions in the files"},
    HS_ROWS_COMPARED(FIELD(compare)),
    {.name = "plans",
     .argument = "WHICH",
     .group = "Output",
     .type = &hs_option_word,
     .words = row_words,
     .offset = FIELD(plans),
     .help = "plans to show for each case: none, all, or the worst: both winners and the five "
             "largest errors (default: worst for one case, none for several)"},
    {.name = "noise",
     .group = "Output",
     .type = &hs_option_flag,
     .offset = FIELD(noise),
     .help = "count a predicted winner as found, and a rank as reached, where intervals of 95 % "
             "overlap (default: said separately)"},
    HS_ROWS_PRINT("Output", FIELD(print), "all that is known, in one document"),
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
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct compare_settings),
    .run = run,
};
