/* calibrate_print.c - the tables of a calibration: see calibrate_report.h. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "runner/calibrate_report.h"
#include "show/systems.h"

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
    size_t count = hs_calibrate_sizes(sizes, &settings->campaign.sizes,
                                      hs_datatype_bytes(settings->campaign.datatype));
    double seconds = 0;

    for (size_t i = 0; i < count; i++) {
        struct hs_problem problem = hs_campaign_problem(&run->campaign, (double)sizes[i]);

        seconds += hs_every_split_seconds(splits, &run->campaign.system, &problem);
    }
    return seconds;
}

static void say_cost(struct hs_sheet *sheet, const struct hs_calibrate_run *run)
{
    double runs = (double)run->grid.runs / (double)run->grid.measured_tasks, all;
    uint64_t splits = 0;

    hs_sheet_say(sheet, "%zu layers (each set up once), %zu measurements, %zu runs, %s\n",
                 count_layers(&run->campaign.system.fits), run->grid.measured_tasks, run->grid.runs,
                 HS_AS_TIME(run->campaign.seconds));
    all = every_split_seconds(&splits, run);
    if (isfinite(all))
        hs_sheet_say(sheet,
                     "measuring every split of %d at these sizes, %.3g runs each: %s split%s, "
                     "about %s by these figures\n",
                     (int)hs_campaign_problem(&run->campaign, 0).group.size, runs,
                     HS_AS_COUNT(splits), HS_PLURAL(splits), HS_AS_TIME(all * runs));
}

enum hs_status hs_calibrate_print(struct hs_text *out, const struct hs_calibrate_run *run,
                                  struct hs_error *err)
{
    bool to_stderr = strcmp(run->settings.campaign.output, "-") == 0;
    struct hs_terminal terminal = hs_terminal_look(to_stderr ? STDERR_FILENO : STDOUT_FILENO);
    const struct hs_fits *fits = &run->campaign.system.fits;
    struct hs_text calls = {0};
    struct hs_sheet sheet;
    struct hs_table table;

    hs_calibrate_calls_append(&calls, run);
    hs_sheet_begin(&sheet, out, &run->settings.print, &terminal);
    hs_sheet_say(&sheet, "%s: %d ranks%s, %s backend, %s %s\n\n", run->campaign.system.name,
                 run->campaign.ranks.np, calls.data ? calls.data : "", run->campaign.backend->name,
                 hs_datatype_names[run->settings.campaign.datatype],
                 hs_operation_names[run->settings.campaign.operation]);
    hs_text_release(&calls);
    hs_fits_table(&table, &run->campaign.system, false);
    hs_sheet_table(&sheet, &table);
    hs_sheet_say(&sheet,
                 "\nlaunch %s +- %s per call\n"
                 "+-: half width of the 95 %% interval; time: of a layer of that size; n1/2: bytes "
                 "entering for half the bandwidth; from, to: bytes measured\n",
                 HS_AS_TIME(run->campaign.system.launch_seconds),
                 HS_AS_TIME(fits->launch_ci95_seconds));
    if (fits->refusal_count > 0)
        hs_sheet_say(&sheet, "%zu layer%s refused, see the notes\n", fits->refusal_count,
                     HS_PLURAL(fits->refusal_count));
    say_cost(&sheet, run);
    return hs_sheet_end(&sheet, err);
}
