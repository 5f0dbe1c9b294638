/* Time against the number of processes: the flat split, the best split and the library, as
 * predicted and as measured. */
#include <math.h>
#include <stdlib.h>

#include "answer/figures.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/plot.h"

static void write_predicted(struct hs_text *out, const struct hs_result *result,
                            const struct hs_result_message *message)
{
    const struct hs_candidate *best = hs_plot_best_predicted(message);
    struct hs_plan flat = hs_result_flat(result);

    if (!best)
        return;
    hs_csv_count(out, result->np);
    hs_csv_number(out, hs_plot_predicted(result, message, &flat));
    hs_csv_number(out, best->predicted_seconds);
    hs_csv_text(out, "%s%s", HS_AS_PLAN(&best->plan), hs_plot_mark(result, message, &best->plan));
    hs_csv_row(out);
}

/* Where the system is calibrated: the intervals of the same rows. */
static void write_predicted_interval(struct hs_text *out, const struct hs_result *result,
                                     const struct hs_result_message *message)
{
    const struct hs_candidate *best = hs_plot_best_predicted(message);
    struct hs_plan flat = hs_result_flat(result);
    struct hs_plot_time times[2];

    if (!best)
        return;
    times[0] = hs_plot_prediction(result, message, &flat);
    times[1] = hs_plot_prediction(result, message, &best->plan);
    hs_csv_count(out, result->np);
    for (int i = 0; i < 2; i++) {
        hs_csv_number(out, times[i].seconds);
        hs_csv_number(out, times[i].low);
        hs_csv_number(out, times[i].high);
    }
    hs_csv_row(out);
}

static void write_measured(struct hs_text *out, const struct hs_result *result,
                           const struct hs_result_message *message)
{
    const struct hs_candidate *best = hs_plot_best_measured(message), *flat;
    const struct hs_baseline_result *library = hs_plot_best_baseline(message);
    struct hs_plan flat_plan = hs_result_flat(result);

    if (!best)
        return;
    flat = hs_result_candidate(message, &flat_plan);
    hs_csv_count(out, result->np);
    hs_csv_time(out, hs_plot_measured(flat ? flat->measured : NULL));
    hs_csv_time(out, hs_plot_measured(best->measured));
    hs_csv_time(out, hs_plot_measured(library ? &library->measured : NULL));
    hs_csv_text(out, "%s", HS_AS_PLAN(&best->plan));
    hs_csv_text(out, "%s", library ? library->name : "-");
    hs_csv_row(out);
}

/* What decides the axes and the legend: which series there are, and the longest time. */
struct extent {
    size_t predicted, intervals, measured, measured_flat, library; /* intervals: predicted ones */
    double longest_seconds, shortest_seconds;
};

static void extend(struct extent *extent, double seconds)
{
    extent->longest_seconds = fmax(extent->longest_seconds, seconds);
    extent->shortest_seconds = fmin(extent->shortest_seconds, seconds);
}

static void extend_by(struct extent *extent, const struct hs_result *result,
                      const struct hs_result_message *message)
{
    const struct hs_candidate *predicted = hs_plot_best_predicted(message);
    const struct hs_candidate *measured = hs_plot_best_measured(message);
    const struct hs_baseline_result *library = hs_plot_best_baseline(message);
    struct hs_plan flat_plan = hs_result_flat(result);
    const struct hs_candidate *flat = hs_result_candidate(message, &flat_plan);

    extent->predicted += predicted != NULL;
    extent->measured += measured != NULL;
    extent->measured_flat += measured && flat && isfinite(hs_plot_measured(flat->measured).seconds);
    extent->library += measured && library;
    if (predicted) {
        double high = hs_plot_prediction(result, message, &predicted->plan).high;

        extent->intervals += isfinite(high);
        extend(extent, high);
        extend(extent, predicted->predicted_seconds);
        extend(extent, hs_plot_predicted(result, message, &flat_plan));
    }
    if (measured) {
        extend(extent, measured->measured->median_seconds);
        extend(extent, hs_plot_measured(flat ? flat->measured : NULL).seconds);
        if (library)
            extend(extent, library->measured.median_seconds);
    }
}

static void write_series(struct hs_text *out, const struct hs_named_result *const *inputs,
                         size_t count, uint64_t bytes, bool intervals)
{
    hs_csv_block(out, "predicted", "np flat_seconds best_seconds best_plan");
    for (size_t i = 0; i < count; i++)
        write_predicted(out, inputs[i]->result, hs_plot_message(inputs[i]->result, bytes));
    if (intervals)
        hs_csv_block(out, "interval", "np flat flat_low flat_high best best_low best_high");
    for (size_t i = 0; i < count && intervals; i++)
        write_predicted_interval(out, inputs[i]->result, hs_plot_message(inputs[i]->result, bytes));
    hs_csv_block(out, "measured",
                 "np flat_seconds flat_low flat_high best_seconds best_low best_high "
                 "library_seconds library_low library_high best_plan library");
    for (size_t i = 0; i < count; i++)
        write_measured(out, inputs[i]->result, hs_plot_message(inputs[i]->result, bytes));
    hs_csv_block(out, "ticks", "np");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || inputs[i]->result->np != inputs[i - 1]->result->np) {
            hs_csv_count(out, inputs[i]->result->np);
            hs_csv_row(out);
        }
}

static void write_all(struct hs_text *out, const struct hs_plot_job *job,
                      const struct hs_named_result *const *inputs, uint64_t bytes)
{
    struct extent extent = {.shortest_seconds = INFINITY};
    int64_t first = inputs[0]->result->np, last = inputs[job->input_count - 1]->result->np;

    for (size_t i = 0; i < job->input_count; i++)
        extend_by(&extent, inputs[i]->result, hs_plot_message(inputs[i]->result, bytes));
    hs_csv_begin(out, "scaling");
    if (first == last)
        hs_plot_caption(out, job, NULL, "%lld processes, %s per process", (long long)first,
                        HS_AS_BYTES(bytes));
    else
        hs_plot_caption(out, job, NULL, "%lld to %lld processes, %s per process", (long long)first,
                        (long long)last, HS_AS_BYTES(bytes));
    hs_csv_fact(out, "predicted", "%zu", extent.predicted);
    if (extent.intervals > 0)
        hs_csv_fact(out, "intervals", "%zu", extent.intervals);
    hs_csv_fact(out, "measured", "%zu", extent.measured);
    hs_csv_fact(out, "measured_flat", "%zu", extent.measured_flat);
    hs_csv_fact(out, "library", "%zu", extent.library);
    hs_csv_fact(out, "first_np", "%lld", (long long)first);
    hs_csv_fact(out, "last_np", "%lld", (long long)last);
    /* Only where times differ much does a logarithmic axis show more than it hides. */
    hs_csv_fact(out, "log_time", "%d", extent.longest_seconds > 20 * extent.shortest_seconds);
    hs_csv_time_unit(out, extent.longest_seconds);
    write_series(out, inputs, job->input_count, bytes, extent.intervals > 0);
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_named_result **inputs;
    struct hs_plot_job at_size = *job; /* the size is chosen here */
    enum hs_status status = hs_plot_bytes(&at_size.bytes, job, err);

    if (status != HS_OK)
        return status;
    inputs = hs_plot_sorted(job);
    if (!inputs)
        return hs_no_memory(err);
    write_all(out, &at_size, inputs, at_size.bytes);
    free(inputs);
    return HS_OK;
}

const struct hs_plot_kind hs_plot_scaling = {
    .name = "scaling",
    .summary = "time against processes: flat and best split, predicted and measured",
    .many = true,
    .write = write,
};
