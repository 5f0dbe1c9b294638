#include "answer/fit.h"

#include <inttypes.h>
#include <string.h>

#include "answer/systems.h"
#include "base/notes.h"
#include "estimate/calibration.h"
#include "record/log_fit.h"

#define FAR_OFF 0.5 /* error of times after a fit that says that something is wrong */
#define OFF     0.2 /* and one that is more than prices are off where they fit */

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
                       "library's own calls, which move the constants of its price: not both at "
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

/* Times of a library's own calls: the constants of its price. */
static enum hs_status fit_calls(struct hs_system *system, const struct hs_call_list *calls,
                                struct hs_text *notes, struct hs_error *err)
{
    const char *library = hs_library_written(hs_system_library(system));
    const char *by = system->constants.count > 0 ? "its constants so far"
                     : system->parts             ? "what ships"
                                                 : "its levels alone";
    double before, after;
    enum hs_status status = hs_calls_fit(system, calls, &before, &after, err);

    if (status)
        return status;
    if (after > FAR_OFF)
        hs_say_warning(notes,
                       "the times are far from what such parts take: are they those of the log?");
    else if (after > OFF)
        hs_say_warning(notes,
                       "no constants meet the times, so ranges are wide: `hiersearch check FILE "
                       "LOG --details` shows where; what the library was made to choose "
                       "(NCCL_ALGO) is said by --algorithm");
    hs_say_note(notes,
                "%zu time%s of %s's own calls: %.0f %% off on average by %s, %.0f %% by %zu "
                "constant%s of this machine",
                calls->count, HS_PLURAL(calls->count), library, 100 * before, by, 100 * after,
                system->constants.count, HS_PLURAL(system->constants.count));
    return HS_OK;
}

enum hs_status hs_fit_system(struct hs_system *system, const struct hs_fit_times *times,
                             const struct hs_fit_settings *settings, struct hs_text *notes,
                             struct hs_error *err)
{
    if (settings->name && hs_system_rename(system, settings->name, err))
        return HS_INVALID;
    if (times->calls.count > 0)
        return fit_calls(system, &times->calls, notes, err);
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
