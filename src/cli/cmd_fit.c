#include <string.h>

#include "answer/fit.h"
#include "answer/predict.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "detect/system_find.h"
#include "estimate/system_file.h"

struct fit_settings {
    const char *system;
    struct hs_argument_list results;
    const char *output;
    struct hs_fit_settings fit;
    struct hs_fit_again again;
    bool quiet;
};

static enum hs_status write_system(struct hs_context *context, const struct hs_system *system,
                                   const char *output, struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_system_print(&text, system, err);

    if (!status && output && strcmp(output, "-") != 0)
        status = hs_file_replace(output, text.data, text.length, err);
    else if (!status)
        hs_text_append_bytes(context->out, text.data, text.length);
    hs_text_release(&text);
    return status;
}

static enum hs_status fit(struct hs_context *context, const struct fit_settings *settings,
                          struct hs_system *system, struct hs_fit_times *times,
                          struct hs_error *err)
{
    struct hs_text notes = {0};
    enum hs_status status = hs_fit_gather(times, system, &settings->fit, &notes, err);

    if (!status)
        status = hs_fit_system(system, times, &settings->fit, &notes, err);
    if (!status && !settings->fit.name && settings->output && hs_system_is_text(settings->system))
        hs_system_name_after(system, settings->output);
    if (!status)
        status = write_system(context, system, settings->output, err);
    hs_notes_pass_on(context, &notes);
    return status;
}

/* ---- the answer again ------------------------------------------------------------------------ */

/* stdout is for the system, unless that goes to a file. */
static bool is_answered(const struct fit_settings *settings)
{
    return settings->output && strcmp(settings->output, "-") != 0;
}

static enum hs_status check_settings(const struct fit_settings *settings, struct hs_error *err)
{
    if (hs_fit_again_check(&settings->again, err))
        return HS_INVALID;
    if ((settings->again.np > 0 || settings->again.bytes.first > 0) && !is_answered(settings))
        return hs_fail(err, HS_INVALID,
                       "--%s: the answer goes to stdout, and so does the system: --output FILE",
                       settings->again.np > 0 ? "for" : "size");
    return HS_OK;
}

static enum hs_status answer(struct hs_context *context, const struct fit_settings *settings,
                             const struct hs_fit_times *times, const struct hs_system *before,
                             const struct hs_system *system, struct hs_error *err)
{
    struct hs_text notes = {0};
    const struct hs_predict predict = {.system = settings->output,
                                       .before = before,
                                       .out = context->out,
                                       .notes = settings->quiet ? NULL : &notes,
                                       .terminal = &context->terminal};
    enum hs_status status = HS_OK;

    if (is_answered(settings))
        status = hs_predict_fitted(&predict, system, times, &settings->again, err);
    hs_notes_pass_on(context, &notes);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct fit_settings *settings = of_rows;
    struct hs_system system = {0}, before = {0};
    struct hs_inputs inputs = {.takes_probe = true};
    struct hs_fit_times times = {.inputs = &inputs};
    enum hs_status status;

    context->quiet = settings->quiet;
    status = check_settings(settings, err);
    if (!status)
        status = hs_output_check(settings->output, settings->system, &settings->results, err);
    if (!status)
        status = hs_find_system(&system, settings->system, context, err);
    if (!status)
        status = hs_system_copy(&before, &system, err);
    if (!status)
        status = hs_inputs_load_any(&inputs, &settings->results, context, err);
    if (!status)
        status = fit(context, settings, &system, &times, err);
    if (!status)
        status = answer(context, settings, &times, &before, &system, err);
    hs_fit_times_release(&times);
    hs_inputs_release(&inputs);
    hs_system_release(&before);
    hs_system_release(&system);
    return status;
}

#define FIELD(field) offsetof(struct fit_settings, field)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "description to start from: shipped name, file, or line of text"),
    HS_ROW_RESULTS(FIELD(results),
                   "result files of measure or simulate with layer times; or logs of a library's "
                   "own calls: the output of nccl-tests, also of -J, of OSU's benchmarks, or CSV "
                   "(bytes, seconds, and np, nodes, call); or what gpu-probe says of a GPU"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), false, "the calibrated system file (default: stdout)"),
    HS_ROWS_FIT(FIELD(fit)),
    HS_ROWS_FIT_AGAIN(FIELD(again)),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_fit = {
    .name = "fit",
    .summary = "calibrates a machine from results and logs",
    .description = "Fits latency, bandwidth and launch cost of a system to the layer times that "
                   "measure (or simulate) "
                   "left in result files, without measuring anything again, and writes a system "
                   "file that predict and "
                   "measure take. calibrate does the same with measurements made for the purpose.\n"
                   "With logs of nccl-tests, or of OSU's benchmarks where the machine's library is "
                   "MPICH or Open MPI, of a few nodes and any sizes, the constants of that "
                   "library's price become those of this machine, and larger counts are predicted "
                   "by them.\n"
                   "What gpu-probe says of a GPU, by itself or with such logs, limits what NCCL's "
                   "calls move by what a kernel's blocks add.",
    .examples = "  hiersearch fit abci results/abci-*.json -o abci-fitted.json\n"
                "  hiersearch fit '8xH100, 8xNDR400' all_reduce_2_nodes.txt -o here.json\n"
                "  hiersearch fit '8xH100, 8xNDR400' probe.json -o here.json\n"
                "  hiersearch fit 'node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich' osu.txt --np 8 "
                "--nodes 2 -o cpus.json\n"
                "  hiersearch predict abci-fitted.json --np 512 --size 128MiB",
    .usual = "output np nodes call algorithm for size",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct fit_settings),
    .run = run,
};
