#include <inttypes.h>
#include <string.h>

#include "answer/predict.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/progress_line.h"
#include "detect/system_find.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"
#include "show/figures.h"

struct predict_words {
    struct hs_argument_list systems; /* as typed; with --profile they may be results */
    struct hs_predict_settings predict;
    bool quiet;
};

#define FIELD(name) offsetof(struct predict_words, name)

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     .required = true,
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(systems),
     .help =
         "the machine: the parts of a node, such as '8xH100, 8xNDR400', or a name that `hiersearch "
         "systems` lists, or a file; '8xH100, 8xNDR400, 32:2' has 32 nodes under a leaf switch, "
         "2:1. A file's text has a '/' or ends in .json; - is stdin. Levels, innermost first, have "
         "an '@': nvlink:4@111.6GB/s~3.4us,ib:32@18.6GB/s~14us,spine@198GB/s. With --profile also "
         "result files of measure"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROWS_PREDICT(FIELD(predict), hs_system_words),
    HS_ROWS_PRINT("Output", FIELD(predict.print),
                  "print the result file instead of a table; with several process "
                  "counts, one document per line"),
    HS_ROW_OUTPUT("Output", FIELD(predict.output), false,
                  "write the result file (one process count; several sizes go into one file); - is "
                  "stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

/* ---- how far a search is --------------------------------------------------------------------- */

/* Since when it is searched (seconds of the line's), by what, and how far it is. */
struct watch {
    struct hs_progress_line line;
    const struct hs_search_strategy *strategy;
    double began_at;
    uint64_t done;
};

static void show_plans(struct watch *watch, uint64_t done, uint64_t all)
{
    char priced[HS_FIGURE_TEXT], plans[HS_FIGURE_TEXT];
    double part = (double)done / (double)all;
    double elapsed = hs_progress_line_elapsed(&watch->line) - watch->began_at;

    hs_progress_line_draw(&watch->line, part, elapsed * (1 / part - 1), "%s of %s plans priced",
                          hs_count_figure(priced, done), hs_count_figure(plans, all));
}

/* How long a step of the other strategies takes says little about the next one. */
static void watch_search(void *of_line, const struct hs_problem *problem, uint64_t done,
                         uint64_t all)
{
    struct watch *watch = of_line;

    if (done < watch->done) /* another search */
        watch->began_at = hs_progress_line_elapsed(&watch->line);
    watch->done = done;
    if (!hs_progress_line_is_due(&watch->line))
        return;
    if (strcmp(watch->strategy->name, "exhaustive") == 0 && done > 0)
        show_plans(watch, done, all);
    else
        hs_progress_line_draw(&watch->line, (double)done / (double)all, 0,
                              "searching, %" PRId64 " processes, %s", problem->group.size,
                              HS_AS_BYTES((uint64_t)problem->bytes));
}

/* ---- running --------------------------------------------------------------------------------- */

static enum hs_status answer_watched(struct hs_predict *predict, bool quiet, struct hs_error *err)
{
    struct hs_machines machines;
    struct watch watch = {.strategy = predict->asked.strategy};
    enum hs_status status = hs_machines_init(&machines, predict->asked.system,
                                             hs_question_machines(predict->asked.question), 1, err);

    if (status)
        return status;
    hs_progress_line_init(&watch.line, quiet);
    predict->asked.machines = &machines;
    predict->asked.began_seconds = hs_clock_seconds();
    predict->asked.watch = watch_search;
    predict->asked.watcher = &watch;
    status = hs_predict_answer(predict, err);
    hs_progress_line_clear(&watch.line);
    hs_machines_release(&machines);
    return status;
}

static enum hs_status run_on_system(struct hs_context *context, const struct hs_predict *asked,
                                    struct hs_error *err)
{
    const struct hs_predict_settings *settings = asked->settings;
    struct hs_predict predict = *asked;
    struct hs_system system = {.level_count = 0}, before = {.level_count = 0};
    struct hs_system whole = {.level_count = 0};
    enum hs_status status = hs_find_system(&system, predict.system, context, err);

    if (status == HS_OK && hs_question_is_part(&settings->ask, &system)) {
        status = hs_system_copy(&whole, &system, err);
        predict.whole = &whole;
        if (status == HS_OK)
            status = hs_question_choose(&system, &settings->ask, err);
    }
    hs_system_keep(&system);
    predict.asked = (struct hs_asked){.question = &settings->ask,
                                      .strategy = hs_search_strategy_find(settings->ask.search),
                                      .system = &system,
                                      .further = true,
                                      .typed = predict.system,
                                      .label = hs_system_is_text(predict.system) ? predict.system
                                                                                 : system.name};
    if (status == HS_OK && settings->before) {
        status = hs_find_system(&before, settings->before, context, err);
        if (status == HS_OK)
            status = hs_predict_take_before(&predict, &before, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--before");
    }
    if (status == HS_OK)
        status = hs_output_check(settings->output, predict.system, NULL, err);
    if (status == HS_OK)
        status = answer_watched(&predict, context->quiet, err);
    hs_system_release(&before);
    hs_system_release(&whole);
    hs_system_release(&system);
    return status;
}

static enum hs_status run_by_results(const struct hs_context *context,
                                     const struct hs_predict *predict,
                                     const struct hs_argument_list *files, struct hs_error *err)
{
    struct hs_inputs inputs = {.count = 0};
    enum hs_status status = hs_inputs_load(&inputs, files, context, err);

    if (status == HS_OK)
        status = hs_predict_by_results(predict, &inputs, err);
    hs_inputs_release(&inputs);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct predict_words *words = of_rows;
    struct hs_predict_settings *settings = &words->predict;
    struct hs_profile profile = {.ranks = 0};
    struct hs_text notes = {0};
    struct hs_predict predict = {.settings = settings,
                                 .system = words->systems.items[0],
                                 .profile = settings->profile ? &profile : NULL,
                                 .command = context->command_line,
                                 .out = context->out,
                                 .notes = words->quiet ? NULL : &notes,
                                 .terminal = &context->terminal};
    enum hs_status status;

    context->quiet = words->quiet;
    if (!settings->profile && words->systems.count > 1)
        return hs_fail(err, HS_INVALID,
                       "expected one SYSTEM (several RESULTs are for --profile), found %s behind "
                       "%s",
                       words->systems.items[1], words->systems.items[0]);
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    status = hs_predict_take(settings, &profile, err);
    if (status == HS_OK && settings->profile && hs_inputs_is_of(predict.system, HS_RESULT_KIND))
        status = run_by_results(context, &predict, &words->systems, err);
    else if (status == HS_OK)
        status = run_on_system(context, &predict, err);
    hs_notes_pass_on(context, &notes);
    hs_profile_release(&profile);
    return status;
}

const struct hs_command hs_command_predict = {
    .name = "predict",
    .summary = "the fastest way to run a collective on a machine, and how sure that is",
    .description = "Prices every way to split P processes into layers with the machine's latencies "
                   "and bandwidths, and says which to use, or to keep the library's default call, "
                   "how sure that is and on what evidence. A split is written innermost layer "
                   "first: 4x8x4 is 4 processes in a node, 8 nodes, 4 groups of those. Times are "
                   "for one call; busbw is bus bandwidth as nccl-tests defines it: size / time * "
                   "(P - 1) / P, and twice that of an AllReduce.",
    .examples =
        "  hiersearch predict '8xH100, 8xNDR400' --np 512\n"
        "  hiersearch predict abci --np 128\n"
        "  hiersearch predict abci --np 128 --explain best\n"
        "  hiersearch predict dgx-h100-superpod --np 64 --as nccl-tests\n"
        "  hiersearch predict summit --np 6:4608 --size 64MiB\n"
        "  hiersearch predict perlmutter --np 256 --size 64MiB --collective reduce-scatter "
        "--order permuted\n"
        "  hiersearch predict nvlink:8@300GB/s~3us,ib@200GB/s~12us --np 1024 --chunks 1,2,4,8\n"
        "  hiersearch predict abci --np 128 --size 1MiB:1GiB -o abci-128.json\n"
        "  hiersearch predict abci --profile job.json\n"
        "  hiersearch predict allreduce.json allgather.json --profile job.json",
    .usual = "np size collective mesh over dtype profile details explain format output",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct predict_words),
    .run = run,
};
