/* report_print.c - the tables of a result: see report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "console/figures.h"
#include "console/table.h"
#include "measure/report.h"
#include "model/price.h"
#include "result/result_gaps.h"

/* Columns; PREDICTED and ERROR only with a system, INTERVAL (of the prediction) only with a
 * calibrated one, LAYERS only where layers were timed. */
struct columns {
    size_t rank, plan, time, spread, ratio, busbw, predicted, interval, error, layers, samples,
        remark;
    bool has_predicted, has_interval, has_layers;
    struct hs_time_unit unit;
    double best_seconds;
    const struct hs_contest *contest; /* for the whole of the runs with layer times */
};

static size_t add_column(struct hs_table *table, const char *heading, bool right)
{
    hs_table_column(table, heading, right);
    return table->column_count - 1;
}

static bool is_ok(const struct hs_measured *measured)
{
    return measured && measured->status == HS_MEASURE_OK && !isnan(measured->median_seconds);
}

static const struct hs_candidate *best_candidate(const struct hs_result_message *message)
{
    return message->candidate_count && is_ok(message->candidates[0].measured)
               ? &message->candidates[0]
               : NULL;
}

/* The column of times has one unit: that of the fastest. */
static double smallest_seconds(const struct hs_result_message *message)
{
    double smallest = INFINITY;

    for (size_t i = 0; i < message->candidate_count; i++)
        if (is_ok(message->candidates[i].measured))
            smallest = fmin(smallest, message->candidates[i].measured->median_seconds);
    for (size_t i = 0; i < message->baseline_count; i++)
        if (is_ok(&message->baselines[i].measured))
            smallest = fmin(smallest, message->baselines[i].measured.median_seconds);
    return isinf(smallest) || smallest <= 0 ? 1 : smallest;
}

static void add_columns(struct columns *columns, struct hs_table *table,
                        const struct hs_result_message *message, const struct hs_result *result)
{
    *columns =
        (struct columns){.unit = hs_time_unit_for(smallest_seconds(message)),
                         .has_predicted = result->has_system,
                         .has_interval = result->has_system && result->system.fits.count > 0};
    if (best_candidate(message))
        columns->best_seconds = message->candidates[0].measured->median_seconds;
    for (size_t i = 0; i < message->candidate_count; i++)
        if (message->candidates[i].measured &&
            message->candidates[i].measured->reduce_scatter_seconds)
            columns->has_layers = true;
    columns->rank = add_column(table, "#", true);
    columns->plan = add_column(table, "plan", false);
    columns->time = add_column(table, columns->unit.name, true);
    columns->spread = add_column(table, "+-%", true);
    columns->ratio = add_column(table, "vs best", true);
    columns->busbw = add_column(table, "busbw GB/s", true);
    if (columns->has_predicted) {
        columns->predicted = add_column(table, "predicted", true);
        if (columns->has_interval)
            columns->interval = add_column(table, "+-%", true);
        columns->error = add_column(table, "error %", true);
    }
    if (columns->has_layers)
        columns->layers = add_column(table, "layers %", true);
    columns->samples = add_column(table, "samples", true);
    columns->remark = add_column(table, "remark", false);
}

/* What is common to candidates and baselines. */
static void fill_row(struct hs_table *table, const struct columns *columns,
                     const struct hs_measured *measured, double bytes, int64_t np)
{
    struct hs_problem problem = hs_problem_world(np, bytes);
    char figure[HS_FIGURE_TEXT];

    hs_table_cell(table, columns->samples, "%zu", measured->sample_count);
    if (measured->status != HS_MEASURE_OK)
        hs_table_cell(table, columns->remark, "%s%s%s", hs_measure_status_names[measured->status],
                      measured->reason ? ": " : "", measured->reason ? measured->reason : "");
    else if (measured->reason)
        hs_table_cell(table, columns->remark, "%s", measured->reason);
    if (!is_ok(measured))
        return;
    hs_table_cell(table, columns->time, "%s",
                  hs_time_figure(figure, measured->median_seconds, &columns->unit));
    if (!isnan(measured->ci95_low_seconds) && measured->median_seconds > 0)
        hs_table_cell(table, columns->spread, "%.1f",
                      50 * (measured->ci95_high_seconds - measured->ci95_low_seconds) /
                          measured->median_seconds);
    hs_table_cell(table, columns->ratio, "%s",
                  hs_ratio_figure(figure, measured->median_seconds, columns->best_seconds));
    if (np > 1 && measured->median_seconds > 0)
        hs_table_cell(table, columns->busbw, "%.2f",
                      hs_problem_bus_bandwidth(&problem, measured->median_seconds) * 1e-9);
}

/* Sum of the layers (means over ranks) over the whole of the same runs (the slowest rank): below
 * 100 % by what lies between layers and by how early the other ranks are done, above it where
 * chunks overlap. */
static void add_layers(struct hs_table *table, const struct columns *columns,
                       const struct hs_candidate *candidate, const char *plan)
{
    const struct hs_measured *measured = candidate->measured;
    const struct hs_contestant *item = hs_contest_find(columns->contest, plan);
    char figure[HS_FIGURE_TEXT];
    double sum = 0;

    for (int i = 0; i < candidate->plan.split.count; i++)
        sum += measured->reduce_scatter_seconds[i];
    for (int i = 0; i + 1 < candidate->plan.split.count; i++)
        sum += measured->allgather_seconds[i];
    if (item)
        hs_table_cell(table, columns->layers, "%s",
                      hs_percent_figure(figure, sum, hs_samples_median(&item->whole)));
}

static void add_candidate(struct hs_table *table, const struct columns *columns,
                          const struct hs_candidate *candidate, size_t rank, double bytes,
                          int64_t np)
{
    char text[HS_SPLIT_TEXT], figure[HS_FIGURE_TEXT];
    const struct hs_measured *measured = candidate->measured;

    hs_table_row(table);
    hs_table_cell(table, columns->rank, "%zu", rank);
    hs_table_cell(table, columns->plan, "%s%s", hs_plan_format(text, &candidate->plan),
                  candidate->extrapolated ? " *" : "");
    fill_row(table, columns, measured, bytes, np);
    if (columns->has_predicted) {
        hs_table_cell(table, columns->predicted, "%s",
                      hs_time_figure(figure, candidate->predicted_seconds, &columns->unit));
        if (columns->has_interval && candidate->cost && isfinite(candidate->cost->ci95_seconds))
            hs_table_cell(table, columns->interval, "%s",
                          hs_percent_figure(figure, candidate->cost->ci95_seconds,
                                            candidate->predicted_seconds));
        if (is_ok(measured) && measured->median_seconds > 0)
            hs_table_cell(table, columns->error, "%+.1f",
                          100 * (candidate->predicted_seconds / measured->median_seconds - 1));
    }
    if (is_ok(measured) && measured->reduce_scatter_seconds)
        add_layers(table, columns, candidate, hs_plan_format(text, &candidate->plan));
}

static void add_rows(struct hs_table *table, const struct columns *columns,
                     const struct hs_result_message *message, int64_t np)
{
    double bytes = (double)message->message_bytes;

    for (size_t i = 0; i < message->candidate_count; i++)
        add_candidate(table, columns, &message->candidates[i], i + 1, bytes, np);
    for (size_t i = 0; i < message->baseline_count; i++) {
        hs_table_row(table);
        hs_table_cell(table, columns->plan, "%s", message->baselines[i].name);
        fill_row(table, columns, &message->baselines[i].measured, bytes, np);
    }
}

/* "1.392x faster than flat" or "1.10x slower than MPI_Allreduce". */
static void append_comparison(struct hs_text *out, const char *separator, double best, double other,
                              const char *name)
{
    char figure[HS_FIGURE_TEXT];

    hs_text_append(out, "%s%s than %s", separator, hs_comparison_figure(figure, best, other), name);
}

/* "best  4x8x4  12.34 ms  1.392x faster than flat, 3.1x faster than MPI_Allreduce" */
static void append_answer(struct hs_text *out, const struct hs_result *result,
                          const struct hs_result_message *message,
                          const struct hs_terminal *terminal)
{
    const struct hs_candidate *best = best_candidate(message);
    const char *separator = "  ";
    char text[HS_SPLIT_TEXT], time[HS_UNIT_TEXT];
    double seconds;

    if (!best) {
        hs_text_append(out, "best  none: no candidate was measured without fault\n");
        return;
    }
    seconds = best->measured->median_seconds;
    hs_text_append(out, "%sbest  %s  %s%s", hs_style_on(terminal, HS_STYLE_BOLD, 0),
                   hs_plan_format(text, &best->plan), hs_seconds_format(time, seconds),
                   hs_style_off(terminal));
    if (best->plan.split.count == 1 && best->plan.chunks == 1) {
        hs_text_append(out, result->np == 1 ? "  one process: nothing travels"
                                            : "  flat: no split is faster");
        separator = ", ";
    } else if (!isnan(message->flat_seconds)) {
        append_comparison(out, separator, seconds, message->flat_seconds, "flat");
        separator = ", ";
    }
    for (size_t i = 0; i < message->baseline_count; i++)
        if (is_ok(&message->baselines[i].measured)) {
            append_comparison(out, separator, seconds,
                              message->baselines[i].measured.median_seconds,
                              message->baselines[i].name);
            separator = ", ";
        }
    hs_text_append(out, "\n");
}

static void print_message(struct hs_text *out, const struct hs_contest *contest,
                          const struct hs_result *result, const struct hs_result_message *message,
                          const struct hs_terminal *terminal)
{
    char size[HS_UNIT_TEXT], padded[HS_UNIT_TEXT];
    struct hs_table table = {0};
    struct columns columns;

    hs_text_append(out, "%s: %" PRId64 " process%s on %zu node%s, %s per process, %s %s\n",
                   result->backend, result->np, result->np == 1 ? "" : "es",
                   result->placement.node_count, result->placement.node_count == 1 ? "" : "s",
                   hs_bytes_format(size, message->message_bytes),
                   hs_datatype_names[message->datatype], hs_operation_names[message->operation]);
    if (message->padded_bytes)
        hs_text_append(out, "padded to %s at most, so that the layers divide the message\n",
                       hs_bytes_format(padded, message->padded_bytes));
    add_columns(&columns, &table, message, result);
    columns.contest = contest;
    add_rows(&table, &columns, message, result->np);
    hs_table_print(out, &table, terminal);
    hs_table_release(&table);
    hs_result_gaps_append(out, result, message);
    append_answer(out, result, message, terminal);
    if (message->certificate)
        hs_report_certificate(out, message);
}

void hs_report_print(struct hs_text *out, const struct hs_session *session,
                     const struct hs_result *result, const struct hs_terminal *terminal)
{
    for (size_t i = 0; i < result->message_count; i++) {
        if (i > 0)
            hs_text_append(out, "\n");
        print_message(out, &session->bouts[i].contest, result, &result->messages[i], terminal);
    }
    if (result->extrapolated)
        hs_text_append(out, "* beyond the machine as described\n");
}
