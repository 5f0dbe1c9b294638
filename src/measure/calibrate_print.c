/* calibrate_print.c - the tables of a calibration: see calibrate_report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "console/figures.h"
#include "console/table.h"
#include "measure/calibrate_report.h"

enum column {
    LEVEL,
    SIZE,
    LATENCY,
    LATENCY_CI,
    BANDWIDTH,
    BANDWIDTH_CI,
    HALF,
    SPREAD,
    RESIDUAL,
    POINTS,
    FROM,
    TO
};

static void add_columns(struct hs_table *table)
{
    hs_table_column(table, "level", false);
    hs_table_column(table, "size", true);
    hs_table_column(table, "latency us", true);
    hs_table_column(table, "+-", true);
    hs_table_column(table, "GB/s", true);
    hs_table_column(table, "+-", true);
    hs_table_column(table, "n1/2", true);
    hs_table_column(table, "time +- %", true);
    hs_table_column(table, "residual %", true);
    hs_table_column(table, "points", true);
    hs_table_column(table, "from", true);
    hs_table_column(table, "to", true);
}

static void add_fit(struct hs_table *table, const struct hs_fit *fit,
                    const struct hs_system *system)
{
    char text[HS_FIGURE_TEXT];

    hs_table_row(table);
    hs_table_cell(table, LEVEL, "%s%s", system->levels[fit->level].name,
                  fit->straddles ? ", straddling" : "");
    if (fit->scope == HS_FIT_LEVEL)
        hs_table_cell(table, SIZE, "any");
    else
        hs_table_cell(table, SIZE, "%" PRId64, fit->size);
    hs_table_cell(table, LATENCY, "%.4g", 1e6 * fit->latency_seconds);
    hs_table_cell(table, LATENCY_CI, "%.2g", 1e6 * fit->latency_ci95_seconds);
    hs_table_cell(table, BANDWIDTH, "%.4g", 1e-9 * fit->bytes_per_second);
    hs_table_cell(table, BANDWIDTH_CI, "%.2g", 1e-9 * fit->bandwidth_ci95_bytes_per_second);
    if (fit->scope == HS_FIT_LEVEL)
        hs_table_cell(table, HALF, "-");
    else
        hs_table_cell(table, HALF, "%s",
                      hs_bytes_figure(text, hs_fit_half_bandwidth_bytes(fit, system)));
    hs_table_cell(table, SPREAD, "%.1f", 100 * fit->relative_ci95);
    hs_table_cell(table, RESIDUAL, "%.1f", 100 * fit->residual);
    hs_table_cell(table, POINTS, "%" PRId64, fit->points);
    hs_table_cell(table, FROM, "%s", hs_bytes_figure(text, fit->min_bytes));
    hs_table_cell(table, TO, "%s", hs_bytes_figure(text, fit->max_bytes));
}

/* Layers whose points were measured. */
static size_t count_layers(const struct hs_fits *fits)
{
    size_t count = 0;

    for (size_t i = 0; i < fits->point_count; i++) {
        size_t j = 0;

        while (!hs_layer_equal(fits->points[j].key.layer, fits->points[i].key.layer))
            j++;
        count += j == i;
    }
    return count;
}

/* One run of every split at each of the message sizes, by the fitted figures. NaN: out of memory.
 */
static double every_split_seconds(uint64_t *splits, const struct hs_calibrate_run *run)
{
    const struct hs_calibrate_settings *settings = &run->settings;
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX];
    size_t count =
        hs_calibrate_sizes(sizes, &settings->sizes, hs_datatype_bytes(settings->datatype));
    double seconds = 0;

    for (size_t i = 0; i < count; i++)
        seconds += hs_every_split_seconds(splits, &run->campaign.system, run->campaign.ranks.np,
                                          (double)sizes[i]);
    return seconds;
}

static void print_cost(struct hs_text *out, const struct hs_calibrate_run *run)
{
    double runs = (double)run->grid.runs / (double)run->grid.measured_tasks, all;
    uint64_t splits = 0;
    char seconds[HS_UNIT_TEXT], every[HS_UNIT_TEXT], count[HS_FIGURE_TEXT];

    hs_text_append(out, "%zu layers (each set up once), %zu measurements, %zu runs, %s\n",
                   count_layers(&run->campaign.system.fits), run->grid.measured_tasks,
                   run->grid.runs, hs_seconds_format(seconds, run->campaign.seconds));
    all = every_split_seconds(&splits, run);
    if (isfinite(all))
        hs_text_append(out,
                       "measuring every split of %d at these sizes, %.3g runs each: %s split%s, "
                       "about %s by these figures\n",
                       run->campaign.ranks.np, runs, hs_count_figure(count, splits),
                       splits == 1 ? "" : "s", hs_seconds_format(every, all * runs));
}

void hs_calibrate_print(struct hs_text *out, const struct hs_calibrate_run *run)
{
    bool to_stderr = strcmp(run->settings.output, "-") == 0;
    struct hs_terminal terminal = hs_terminal_look(to_stderr ? STDERR_FILENO : STDOUT_FILENO);
    const struct hs_fits *fits = &run->campaign.system.fits;
    struct hs_table table = {0};
    char launch[HS_UNIT_TEXT], interval[HS_UNIT_TEXT];

    hs_text_append(out, "%s: %d ranks, %s backend, %s %s\n\n", run->campaign.system.name,
                   run->campaign.ranks.np, run->campaign.backend->name,
                   hs_datatype_names[run->settings.datatype],
                   hs_operation_names[run->settings.operation]);
    add_columns(&table);
    for (size_t i = 0; i < fits->count; i++)
        if (fits->items[i].scope != HS_FIT_LAYER)
            add_fit(&table, &fits->items[i], &run->campaign.system);
    hs_table_print(out, &table, &terminal);
    hs_table_release(&table);
    hs_text_append(
        out,
        "\nlaunch %s +- %s per call\n"
        "+-: half width of the 95 %% interval; time: of a layer of that size; n1/2: bytes "
        "entering for half the bandwidth; from, to: bytes measured\n",
        hs_seconds_format(launch, run->campaign.system.launch_seconds),
        hs_seconds_format(interval, fits->launch_ci95_seconds));
    if (fits->refusal_count > 0)
        hs_text_append(out, "%zu layer%s refused, see the notes\n", fits->refusal_count,
                       fits->refusal_count == 1 ? "" : "s");
    print_cost(out, run);
}
