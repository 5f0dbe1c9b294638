#include "answer/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check.h"
#include "answer/systems.h"
#include "base/notes.h"
#include "base/units.h"
#include "estimate/calibration.h"
#include "record/log_fit.h"

#define FAR_OFF    0.5 /* error of times after a fit that says that something is wrong */
#define REPRODUCED 0.1 /* error of a size that a fit reproduces its logs within */

/* What the system was calibrated by is not forgotten. */
static enum hs_status keep_points(struct hs_fit_times *times, const struct hs_fits *fits,
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
                                struct hs_text *notes, struct hs_error *err)
{
    const struct hs_gpu_probe *probe = &inputs->probe;
    enum hs_status status = hs_gpu_probe_use(system, probe, err);

    if (status)
        return hs_error_prefix(err, status, inputs->probe_file);
    if (!strstr(probe->gpu, system->nccl.parts.gpu.name))
        hs_say_warning(notes, "the GPU's figures are of %s, the machine has %s", probe->gpu,
                       system->nccl.parts.gpu.name);
    hs_say_note(notes,
                "%s: a block of a kernel adds %.3g GB/s, and %" PRId64
                " are at work at the same time",
                probe->gpu, system->blocks.GBps, system->blocks.at_once);
    return HS_OK;
}

/* There are some, and of one kind. */
static enum hs_status check_times(const struct hs_fit_times *times, struct hs_error *err)
{
    if (times->points.count > 0 && times->calls.count > 0)
        return hs_fail(err, HS_INVALID,
                       "expected results of measure, whose layers become fits, or logs of a "
                       "library's calls, which move the constants of its price: not both at "
                       "once");
    if (times->points.count == 0 && times->calls.count == 0 && !times->inputs->probe.gpu)
        return hs_fail(err, HS_INVALID,
                       "no layer times in the results; `measure` keeps them unless --layer-runs 0");
    return HS_OK;
}

enum hs_status hs_fit_gather(struct hs_fit_times *times, struct hs_system *system,
                             const struct hs_fit_settings *settings, struct hs_text *notes,
                             struct hs_error *err)
{
    const struct hs_inputs *inputs = times->inputs;
    enum hs_status status = hs_inputs_check_results(inputs, err);

    if (status == HS_OK && inputs->count == 0 && inputs->log_count == 0 && !inputs->probe_file)
        status = hs_fail(err, HS_INVALID, "expected results of measure or simulate, or logs");
    if (status == HS_OK && inputs->probe.gpu)
        status = use_probe(system, inputs, notes, err);
    for (size_t i = 0; i < inputs->count && !status; i++) {
        size_t before = times->points.count;

        status = hs_result_points(&times->points, &inputs->results[i], err);
        hs_gap_points_add(&times->gaps, &inputs->results[i]);
        if (!status && times->points.count == before)
            hs_say_warning(notes, "%s: no layer times of measured plans without chunks",
                           inputs->inputs[i].name);
    }
    if (!status)
        hs_logs_say_ignored(notes, inputs, &settings->log);
    if (!status)
        status = hs_logs_gather(&times->calls, system, inputs, &settings->log, err);
    if (!status && times->points.count > 0)
        status = keep_points(times, &system->fits, err);
    return status ? status : check_times(times, err);
}

/* What lies between two calls, where the plans say so. */
static void take_gap(struct hs_text *notes, struct hs_system *system,
                     const struct hs_fit_times *times)
{
    double seconds, ci95;
    bool known = hs_gap_points_fit(&seconds, &ci95, &times->gaps);

    if (known) {
        system->gap_seconds = seconds;
        system->gap_ci95_seconds = ci95;
    }
    if (known || (times->gaps.plans > 0 && times->points.count < HS_CALIBRATION_POINTS_MIN))
        hs_say_note(notes, "between two calls: %.3g us +- %.3g us by %zu plan%s%s", 1e6 * seconds,
                    1e6 * ci95, times->gaps.plans, HS_PLURAL(times->gaps.plans),
                    known ? "" : ": no more than noise");
}

/* One plan or two tell what lies between its calls, but no layer's latency from its bandwidth. */
static bool is_for_gap_alone(const struct hs_fit_times *times)
{
    double seconds, ci95;

    return times->points.count < HS_CALIBRATION_POINTS_MIN &&
           hs_gap_points_fit(&seconds, &ci95, &times->gaps);
}

static void fit_gap(struct hs_system *system, const struct hs_fit_times *times,
                    struct hs_text *notes)
{
    take_gap(notes, system, times);
    hs_say_note(notes, "%zu layer time%s, too few for fits: prices of layers stay as they were",
                times->points.count, HS_PLURAL(times->points.count));
}

/* Where the points are from. */
static void say_source(struct hs_text *source, const struct hs_fit_times *times,
                       const struct hs_fit_settings *settings)
{
    size_t files = times->inputs->count + (times->inputs->probe_file != NULL);

    if (settings->source)
        hs_text_append(source, "%s", settings->source);
    else
        hs_text_append(source, "%zu layer times of %zu result file%s, fitted by hiersearch",
                       times->points.count - times->kept, files, HS_PLURAL(files));
    if (!settings->source && times->kept > 0)
        hs_text_append(source, ", with %zu that it had", times->kept);
}

static enum hs_status fit_layers(struct hs_system *system, const struct hs_fit_times *times,
                                 const struct hs_fit_settings *settings, struct hs_text *notes,
                                 struct hs_error *err)
{
    const struct hs_point_list *points = &times->points;
    struct hs_calibration_options options;
    struct hs_text said = {0}, source = {0};
    enum hs_status status;

    say_source(&source, times, settings);
    options = (struct hs_calibration_options){
        .max_residual = (double)settings->max_residual_percent / 100, .source = source.data};
    status = hs_calibrate(system, points->items, points->count, &options, &said, err);
    hs_say_notes(notes, said.data);
    take_gap(notes, system, times);
    if (!status)
        hs_say_note(notes, "%zu layer times%s, %zu fits, %zu refused", points->count,
                    times->kept > 0 ? " with those that the system had" : "", system->fits.count,
                    system->fits.refusal_count);
    hs_text_release(&said);
    hs_text_release(&source);
    return status;
}

/* Is it low, and where: a machine that is fitted to a low log predicts low ones. */
static enum hs_status say_low(struct hs_text *notes, const struct hs_system *system,
                              const struct hs_fit_times *times,
                              const struct hs_fit_settings *settings, struct hs_error *err)
{
    const struct hs_check_settings known = {.log = settings->log};
    const struct hs_check_question question = {
        .system = system, .inputs = times->inputs, .settings = &known};
    struct hs_check_answer found;
    struct hs_text unused = {0};
    struct hs_error ignored;
    enum hs_status status = hs_check(&found, &question, &unused, &ignored);

    if (status == HS_OK && found.verdict == HS_CHECK_LOW)
        hs_say_warning(notes,
                       "the log is low for such a machine (where: %s), and so is what is fitted to "
                       "it: `hiersearch check` names causes",
                       found.where[0] ? found.where : hs_check_layer_names[found.layer]);
    hs_check_answer_release(&found);
    hs_text_release(&unused);
    return status == HS_MEMORY ? hs_no_memory(err) : HS_OK;
}

/* Calls of one size: both columns of nccl-tests, and of several logs. */
struct size {
    const struct hs_log_call *call;
    double off; /* log(price / time), on average */
};

static int compare_sizes(const void *left, const void *right)
{
    const struct hs_log_call *a = ((const struct size *)left)->call;
    const struct hs_log_call *b = ((const struct size *)right)->call;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Puts calls of one size together. Returns how many sizes are left. */
static size_t join_sizes(struct size *sizes, size_t count)
{
    size_t kept = 0, from = 0;

    qsort(sizes, count, sizeof(*sizes), compare_sizes);
    for (size_t i = 0; i < count; from = i) {
        double sum = 0;

        for (; i < count && compare_sizes(&sizes[from], &sizes[i]) == 0; i++)
            sum += sizes[i].off;
        sizes[kept] = sizes[from];
        sizes[kept++].off = sum / (double)(i - from);
    }
    return kept;
}

/* Whether its prices are those of its logs, at each size. */
static enum hs_status check_reproduced(const struct hs_system *system,
                                       const struct hs_call_list *calls, bool force,
                                       struct hs_text *notes, struct hs_error *err)
{
    struct size *sizes = calloc(calls->count + 1, sizeof(*sizes)), worst = {NULL, 0};
    size_t count = 0, off = 0;
    char bytes[HS_UNIT_TEXT], took[HS_UNIT_TEXT], predicted[HS_UNIT_TEXT], what[512];

    if (!sizes)
        return hs_no_memory(err);
    for (size_t i = 0; i < calls->count; i++) {
        double seconds = hs_log_call_price(&calls->items[i], system).seconds;

        if (seconds > 0)
            sizes[count++] =
                (struct size){&calls->items[i], log(seconds / calls->items[i].seconds)};
    }
    count = join_sizes(sizes, count);
    for (size_t i = 0; i < count; i++) {
        off += fabs(sizes[i].off) > log1p(REPRODUCED);
        if (fabs(sizes[i].off) > fabs(worst.off))
            worst = sizes[i];
    }
    free(sizes);
    if (off == 0)
        return HS_OK;
    snprintf(what, sizeof(what),
             "does not reproduce its log within 10 %% at %zu of %zu sizes: at worst %s of %s on "
             "%" PRId64 " ranks, which took %s and is predicted to take %s",
             off, count, hs_library_call_names[worst.call->kind],
             hs_bytes_format(bytes, worst.call->bytes), worst.call->ranks,
             hs_seconds_format(took, worst.call->seconds),
             hs_seconds_format(predicted, worst.call->seconds * exp(worst.off)));
    if (!force)
        return hs_fail(err, HS_FAILED,
                       "the fit %s: no machine is written (--force writes it, `hiersearch check "
                       "FILE LOG --details` shows where; what NCCL was made to choose is said by "
                       "--algorithm)",
                       what);
    hs_say_warning(notes, "the fit %s", what);
    return HS_OK;
}

/* Times of a library's calls: the constants of its price. */
static enum hs_status fit_calls(struct hs_system *system, const struct hs_fit_times *times,
                                const struct hs_fit_settings *settings, struct hs_text *notes,
                                struct hs_error *err)
{
    const struct hs_call_list *calls = &times->calls;
    const char *library = hs_library_written(hs_system_library(system));
    const char *by = system->constants.count > 0 ? "its constants so far"
                     : system->parts             ? "the built-in constants"
                                                 : "its levels alone";
    double before, after;
    enum hs_status status = say_low(notes, system, times, settings, err);

    if (status == HS_OK)
        status = hs_calls_fit(system, calls, &before, &after, err);
    if (status)
        return status;
    if (after > FAR_OFF)
        hs_say_warning(notes,
                       "the times are far from what such parts take: are they those of the log?");
    hs_say_note(notes,
                "%zu time%s of %s's calls: %.0f %% off on average by %s, %.0f %% by %zu "
                "constant%s of this machine",
                calls->count, HS_PLURAL(calls->count), library, 100 * before, by, 100 * after,
                system->constants.count, HS_PLURAL(system->constants.count));
    if (system->library_algorithm)
        hs_say_note(notes, "%s was made to run %s there, and in what this machine predicts",
                    library, system->library_algorithm);
    return check_reproduced(system, calls, settings->force, notes, err);
}

enum hs_status hs_fit_system(struct hs_system *system, const struct hs_fit_times *times,
                             const struct hs_fit_settings *settings, struct hs_text *notes,
                             struct hs_error *err)
{
    if (settings->name && hs_system_rename(system, settings->name, err))
        return HS_INVALID;
    if (times->calls.count > 0)
        return fit_calls(system, times, settings, notes, err);
    if (is_for_gap_alone(times))
        fit_gap(system, times, notes);
    else if (times->points.count > 0) /* else nothing but figures of a GPU, which it has already */
        return fit_layers(system, times, settings, notes, err);
    return HS_OK;
}

enum hs_status hs_fit_again_check(const struct hs_fit_again *again, struct hs_error *err)
{
    if (again->bytes.first != again->bytes.last)
        return hs_fail(err, HS_INVALID, "--size: expected one size, found several");
    return HS_OK;
}

void hs_fit_times_release(struct hs_fit_times *times)
{
    hs_point_list_release(&times->points);
    hs_call_list_release(&times->calls);
}
