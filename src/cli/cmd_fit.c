#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/logs.h"
#include "cli/option_rows.h"
#include "cli/predict.h"
#include "machine/system_find.h"
#include "model/calibration.h"
#include "result/log_fit.h"
#include "result/points.h"
#include "view/figures.h"

#define MAX_RESIDUAL_PERCENT 1000
#define FAR_OFF              0.5 /* error of times after a fit that says that something is wrong */

struct fit_settings {
    const char *system;
    struct hs_argument_list results;
    const char *output, *name, *source;
    int64_t max_residual_percent;
    struct hs_log_options log;
    int64_t np;            /* of the answer; 0: as measured */
    struct hs_range bytes; /* likewise */
    bool quiet;
};

/* What the files hold: layers of our own results, and calls in logs of other programs. */
struct times {
    struct hs_inputs inputs;
    struct hs_point_list points; /* the last `kept` of them of the system itself */
    size_t kept;
    struct hs_gap_points gaps;
    struct hs_call_list calls;
};

/* What the system was calibrated by is not forgotten. */
static enum hs_status keep_points(struct times *times, const struct hs_fits *fits,
                                  struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < fits->point_count && !status; i++)
        status = hs_point_list_add(&times->points, &fits->points[i], err);
    times->kept = fits->point_count;
    return status;
}

/* The system gets what its GPUs' own figures say, by which calls in logs are priced, too. */
static enum hs_status use_probe(struct hs_system *system, const struct hs_inputs *inputs,
                                const struct hs_context *context, struct hs_error *err)
{
    const struct hs_gpu_probe *probe = &inputs->probe;
    enum hs_status status = hs_gpu_probe_use(system, probe, err);

    if (status)
        return hs_error_prefix(err, status, inputs->probe_file);
    if (!strstr(probe->gpu, system->nccl.parts.gpu.name))
        hs_warning(context, "the GPU's figures are of %s, the machine has %s", probe->gpu,
                   system->nccl.parts.gpu.name);
    hs_note(context,
            "%s: a block of a kernel adds %.3g GB/s, and %" PRId64 " are at work at the same time",
            probe->gpu, system->blocks.GBps, system->blocks.at_once);
    return HS_OK;
}

static enum hs_status gather(struct times *times, struct hs_system *system,
                             const struct fit_settings *settings, const struct hs_context *context,
                             struct hs_error *err)
{
    const struct hs_inputs *inputs = &times->inputs;
    enum hs_status status;

    times->inputs.takes_probe = true;
    status = hs_inputs_load_any(&times->inputs, &settings->results, context, err);
    if (!status && inputs->probe.gpu)
        status = use_probe(system, inputs, context, err);
    for (size_t i = 0; i < inputs->count && !status; i++) {
        size_t before = times->points.count;

        status = hs_result_points(&times->points, &inputs->results[i], err);
        hs_gap_points_add(&times->gaps, &inputs->results[i]);
        if (!status && times->points.count == before)
            hs_warning(context, "%s: no layer times of measured plans without chunks",
                       inputs->inputs[i].name);
    }
    if (!status)
        hs_logs_say_ignored(context, inputs, &settings->log);
    if (!status)
        status = hs_logs_gather(&times->calls, system, inputs, &settings->log, err);
    if (!status && times->points.count > 0)
        status = keep_points(times, &system->fits, err);
    if (status)
        return status;
    if (times->points.count > 0 && times->calls.count > 0)
        return hs_fail(err, HS_INVALID,
                       "expected results of measure, whose layers become fits, or logs of a "
                       "library's own calls, which move the constants of its price: not both at "
                       "once");
    if (times->points.count == 0 && times->calls.count == 0 && !inputs->probe.gpu)
        return hs_fail(err, HS_INVALID,
                       "no layer times in the results; `measure` keeps them unless --no-layers");
    return HS_OK;
}

/* As asked for; a line of text, which has none, is named after the file. */
static enum hs_status name_system(struct hs_system *system, const struct fit_settings *settings,
                                  struct hs_error *err)
{
    const char *name = settings->name;
    size_t length = name ? strlen(name) : 0;

    if (!name) {
        if (settings->output && hs_system_is_text(settings->system))
            hs_system_name_after(system, settings->output);
        return HS_OK;
    }
    if (length == 0 || length >= sizeof(system->name) ||
        name[strspn(name, HS_SYSTEM_LETTERS)] != '\0')
        return hs_fail(err, HS_INVALID,
                       "--name: expected at most %zu characters of a-z, 0-9, '_', '-' and '.', "
                       "found \"%.40s\"",
                       sizeof(system->name) - 1, name);
    memcpy(system->name, name, length + 1);
    return HS_OK;
}

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

/* What lies between two calls, where the plans say so. */
static void take_gap(struct hs_context *context, struct hs_system *system,
                     const struct times *times)
{
    double seconds, ci95;
    bool known = hs_gap_points_fit(&seconds, &ci95, &times->gaps);

    if (known) {
        system->gap_seconds = seconds;
        system->gap_ci95_seconds = ci95;
    }
    if (known || (times->gaps.plans > 0 && times->points.count < HS_CALIBRATION_POINTS_MIN))
        hs_note(context, "between two calls: %.3g us +- %.3g us by %zu plan%s%s", 1e6 * seconds,
                1e6 * ci95, times->gaps.plans, HS_PLURAL(times->gaps.plans),
                known ? "" : ": no more than noise");
}

/* One plan or two tell what lies between its calls, but no layer's latency from its bandwidth. */
static bool is_for_gap_alone(const struct times *times)
{
    double seconds, ci95;

    return times->points.count < HS_CALIBRATION_POINTS_MIN &&
           hs_gap_points_fit(&seconds, &ci95, &times->gaps);
}

static enum hs_status fit_gap(struct hs_context *context, const struct fit_settings *settings,
                              struct hs_system *system, const struct times *times,
                              struct hs_error *err)
{
    enum hs_status status;

    take_gap(context, system, times);
    status = name_system(system, settings, err);
    if (!status)
        status = write_system(context, system, settings->output, err);
    if (!status)
        hs_note(context, "%zu layer time%s, too few for fits: prices of layers stay as they were",
                times->points.count, HS_PLURAL(times->points.count));
    return status;
}

static enum hs_status fit(struct hs_context *context, const struct fit_settings *settings,
                          struct hs_system *system, const struct times *times, struct hs_error *err)
{
    const struct hs_point_list *points = &times->points;
    struct hs_calibration_options options = {.max_residual =
                                                 (double)settings->max_residual_percent / 100};
    struct hs_text notes = {0}, source = {0};
    enum hs_status status;

    if (settings->source)
        hs_text_append(&source, "%s", settings->source);
    else
        hs_text_append(&source, "%zu layer times of %zu result file%s, fitted by hiersearch",
                       points->count - times->kept, settings->results.count,
                       HS_PLURAL(settings->results.count));
    if (!settings->source && times->kept > 0)
        hs_text_append(&source, ", with %zu that it had", times->kept);
    status = hs_calibrate(system, points->items, points->count, &options, source.data, &notes, err);
    hs_pass_on(context, notes.data);
    take_gap(context, system, times);
    if (!status)
        status = name_system(system, settings, err);
    if (!status)
        status = write_system(context, system, settings->output, err);
    if (!status)
        hs_note(context, "%zu layer times%s, %zu fits, %zu refused", points->count,
                times->kept > 0 ? " with those that the system had" : "", system->fits.count,
                system->fits.refusal_count);
    hs_text_release(&notes);
    hs_text_release(&source);
    return status;
}

/* Nothing but figures of a GPU, which the system has already. */
static enum hs_status fit_probe(struct hs_context *context, const struct fit_settings *settings,
                                struct hs_system *system, struct hs_error *err)
{
    enum hs_status status = name_system(system, settings, err);

    return status ? status : write_system(context, system, settings->output, err);
}

/* Times of a library's own calls: the constants of its price. */
static enum hs_status fit_calls(struct hs_context *context, const struct fit_settings *settings,
                                struct hs_system *system, const struct hs_call_list *calls,
                                struct hs_error *err)
{
    const char *library = hs_library_written(hs_system_library(system));
    const char *by = system->constants.count > 0 ? "its constants so far"
                     : system->parts             ? "what ships"
                                                 : "its levels alone";
    double before, after;
    enum hs_status status = hs_calls_fit(system, calls, &before, &after, err);

    if (!status)
        status = name_system(system, settings, err);
    if (!status)
        status = write_system(context, system, settings->output, err);
    if (!status && after > FAR_OFF)
        hs_warning(context,
                   "the times are far from what such parts take: are they those of the log?");
    if (!status)
        hs_note(
            context,
            "%zu time%s of %s's own calls: %.0f %% off on average by %s, %.0f %% by %zu constant%s "
            "of this machine",
            calls->count, HS_PLURAL(calls->count), library, 100 * before, by, 100 * after,
            system->constants.count, HS_PLURAL(system->constants.count));
    return status;
}

static enum hs_status fit_all(struct hs_context *context, const struct fit_settings *settings,
                              struct hs_system *system, const struct times *times,
                              struct hs_error *err)
{
    if (times->calls.count > 0)
        return fit_calls(context, settings, system, &times->calls, err);
    if (times->points.count == 0 && !is_for_gap_alone(times))
        return fit_probe(context, settings, system, err);
    return (is_for_gap_alone(times) ? fit_gap : fit)(context, settings, system, times, err);
}

/* ---- the answer again ------------------------------------------------------------------------ */

/* What was asked for, else what was measured on most ranks, and of that the largest message. */
static void find_problem(struct hs_predict_settings *predict, const struct fit_settings *settings,
                         const struct times *times)
{
    uint64_t np = 0, bytes = 0;

    for (size_t i = 0; i < times->calls.count; i++) {
        const struct hs_log_call *call = &times->calls.items[i];

        bytes = (uint64_t)call->ranks > np || ((uint64_t)call->ranks == np && call->bytes > bytes)
                    ? call->bytes
                    : bytes;
        np = (uint64_t)call->ranks > np ? (uint64_t)call->ranks : np;
    }
    for (size_t i = 0; i < times->inputs.count; i++) {
        const struct hs_result *result = &times->inputs.results[i];

        for (size_t m = 0; m < result->message_count && (uint64_t)result->np >= np; m++) {
            uint64_t size = result->messages[m].message_bytes;

            if ((uint64_t)result->np > np || size > bytes) {
                bytes = size;
                predict->collective = result->collective;
                predict->order = result->order;
                predict->mesh = result->mesh;
            }
            np = (uint64_t)result->np;
        }
    }
    if (settings->np > 0 && (uint64_t)settings->np != np) /* of which there is no such mesh */
        predict->mesh.count = 0;
    np = settings->np > 0 ? (uint64_t)settings->np : np;
    predict->np = (struct hs_range){.first = np, .last = np};
    predict->bytes = settings->bytes;
    if (predict->bytes.first == 0)
        predict->bytes = (struct hs_range){.first = bytes, .last = bytes};
}

/* stdout is for the system, unless that goes to a file. */
static bool is_answered(const struct fit_settings *settings)
{
    return settings->output && strcmp(settings->output, "-") != 0;
}

static enum hs_status check_settings(const struct fit_settings *settings, struct hs_error *err)
{
    if (settings->bytes.first != settings->bytes.last)
        return hs_fail(err, HS_INVALID, "--size: expected one size, found several");
    if ((settings->np > 0 || settings->bytes.first > 0) && !is_answered(settings))
        return hs_fail(err, HS_INVALID,
                       "--%s: the answer goes to stdout, and so does the system: --output FILE",
                       settings->np > 0 ? "for" : "size");
    return HS_OK;
}

static enum hs_status answer(struct hs_context *context, const struct fit_settings *settings,
                             const struct times *times, const struct hs_system *before,
                             const struct hs_system *system, struct hs_error *err)
{
    struct hs_predict_settings predict = {.system = settings->output,
                                          .search = "lattice",
                                          .machines = HS_MACHINES_USUAL,
                                          .quiet = settings->quiet};

    if (!is_answered(settings))
        return HS_OK;
    find_problem(&predict, settings, times);
    if (predict.np.first == 0 || predict.bytes.first == 0)
        return HS_OK;
    return hs_predict_again(context, &predict, before, system, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct fit_settings *settings = of_rows;
    struct hs_system system = {0}, before = {0};
    struct times times = {0};
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
        status = gather(&times, &system, settings, context, err);
    if (!status)
        status = fit_all(context, settings, &system, &times, err);
    if (!status)
        status = answer(context, settings, &times, &before, &system, err);
    hs_inputs_release(&times.inputs);
    hs_point_list_release(&times.points);
    hs_call_list_release(&times.calls);
    hs_system_release(&before);
    hs_system_release(&system);
    return status;
}

#define ANSWER       "The answer shown again"
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
    {.name = "name",
     .argument = "NAME",
     .type = &hs_option_text,
     .offset = FIELD(name),
     .help = "name of the system in the file (default: that of SYSTEM, of a line of text the "
             "file's)"},
    {.name = "source",
     .argument = "TEXT",
     .type = &hs_option_text,
     .offset = FIELD(source),
     .help = "where the times come from, for the file (default: how many there are)"},
    {.name = "max-residual",
     .argument = "PERCENT",
     .type = &hs_option_count,
     .noun = "percentage",
     .min = 1,
     .max = MAX_RESIDUAL_PERCENT,
     .fallback = "15",
     .offset = FIELD(max_residual_percent),
     .help = "layers whose times are further off the fitted line are refused (root mean square)"},
    HS_ROWS_LOG(FIELD(log)),
    HS_ROW_COUNT(
        "for", "processes", 1, HS_NP_MAX, NULL, ANSWER, FIELD(np),
        "best plan of so many processes, before and with the times (default: of as many as "
        "were measured)"),
    {.name = "size",
     .letter = 's',
     .argument = "SIZE",
     .group = ANSWER,
     .type = &hs_option_bytes_range,
     .offset = FIELD(bytes),
     .help = "for this message per process (default: the largest measured)"},
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_fit = {
    .name = "fit",
    .summary = "calibrate a system from results that exist already",
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
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct fit_settings),
    .run = run,
};
