/* The machine that a calibration fits: see report.h. */
#include "runner/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cli/startup.h"
#include "detect/system_find.h"
#include "estimate/calibration.h"
#include "estimate/system_file.h"
#include "version.h"

#define HOSTS_SHOWN    4
#define FAILURES_SHOWN 5
/* Typical relative deviation of one sample above which the machine is taken for loaded. */
#define LOADED_SCATTER 0.10
/* A rank that is so many times slower than the others is named. */
#define STRAGGLER_RATIO 1.5
/* Residuals of points that are noise and nothing else are seldom more than so many times it. */
#define NOISE_RESIDUALS 2.0

/* ---- what the user should know ------------------------------------------------------------- */

/* Node and launcher's number of a rank of the order by node. */
static void describe_rank(char *text, size_t bytes, const struct hs_campaign *campaign,
                          int64_t rank)
{
    int64_t node = 0, first = 0;

    while (node + 1 < campaign->order.node_count &&
           first + campaign->order.nodes[node].ranks <= rank)
        first += campaign->order.nodes[node++].ranks;
    snprintf(text, bytes, "rank %d (host %s)", campaign->order.launched[rank],
             campaign->order.nodes[node].host);
}

static void note_straggler(struct hs_text *notes, const struct hs_campaign *campaign)
{
    struct hs_straggler straggler;
    char rank[160];

    if (!hs_straggler_find(&straggler, &campaign->grid.rank_times, STRAGGLER_RATIO))
        return;
    describe_rank(rank, sizeof(rank), campaign, straggler.rank);
    hs_text_append(notes,
                   "%s is slow: in each of %zu layers its group took at least %.3g times as long "
                   "as the others; the figures are those of a machine with it, leave it out and "
                   "calibrate again\n",
                   rank, straggler.layers, straggler.ratio);
}

static void note_noise(struct hs_text *notes, const struct hs_campaign *campaign)
{
    double typical = hs_samples_median(&campaign->grid.scatters);

    if (typical > LOADED_SCATTER)
        hs_text_append(notes,
                       "timings are noisy: single runs typically deviate by %.0f %%, so the "
                       "intervals are wide; is the machine busy?\n",
                       100 * typical);
}

/* Of packed calls: what they wait for, which the layers do not tell. */
static void take_copy_rate(struct hs_text *notes, struct hs_campaign *campaign)
{
    double rate = campaign->copy_bytes_per_second;

    if (rate > 0) {
        campaign->system.copy_bytes_per_second = rate;
        hs_text_append(notes, "a process copies %s within its memory while all do\n",
                       HS_AS_RATE(rate));
    }
}

/* Tasks that were tried in vain. */
static size_t failed_tasks(const struct hs_campaign *campaign)
{
    size_t tried = campaign->grid.round > 0 ? campaign->grid.plan.count : campaign->grid.next;

    return tried - campaign->grid.measured_tasks;
}

static void note_left_out(struct hs_text *notes, const struct hs_campaign *campaign,
                          const char *partial)
{
    size_t left =
        campaign->grid.plan.count - campaign->grid.measured_tasks - failed_tasks(campaign);
    struct hs_lines lines = {.next = campaign->grid.failures.data};

    if (campaign->grid.plan.layers_left_out > 0)
        hs_text_append(notes, "--layers %" PRId64 ": %zu of %zu layers were left out\n",
                       campaign->settings.layers, campaign->grid.plan.layers_left_out,
                       campaign->grid.plan.layers_left_out + campaign->grid.plan.layer_count);
    if (left > 0)
        hs_text_append(notes, "%zu of %zu measurements were left out: %s\n", left,
                       campaign->grid.plan.count, partial ? partial : "they failed");
    for (size_t i = 0;
         i < campaign->grid.failure_count && i < FAILURES_SHOWN && hs_lines_next(&lines); i++)
        hs_text_append(notes, "%.*s\n", (int)lines.length, lines.line);
    if (campaign->grid.failure_count > FAILURES_SHOWN)
        hs_text_append(notes, "%zu more failures\n", campaign->grid.failure_count - FAILURES_SHOWN);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* "MPICH Version:	4.0.2" on one line. */
static void append_library(struct hs_text *out)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    for (char *at = version; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    hs_text_append(out, "%s", version);
}

static void append_hosts(struct hs_text *out, const struct hs_campaign *campaign)
{
    hs_text_append(out, "%d ranks on %" PRId64 " node%s (", campaign->ranks.np,
                   campaign->order.node_count, campaign->order.node_count == 1 ? "" : "s");
    for (int64_t i = 0; i < campaign->order.node_count && i < HOSTS_SHOWN; i++)
        hs_text_append(out, "%s%s", i > 0 ? ", " : "", campaign->order.nodes[i].host);
    hs_text_append(out, "%s)", campaign->order.node_count > HOSTS_SHOWN ? ", ..." : "");
}

void hs_report_calls_append(struct hs_text *out, const struct hs_campaign *campaign)
{
    struct hs_problem problem = hs_campaign_problem(campaign, 0);

    hs_text_append(out, "%s%s",
                   hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &campaign->settings.campaign.call.mesh),
                   hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &problem));
}

/* Where the figures come from. */
static void append_source(struct hs_text *out, const struct hs_campaign *campaign,
                          const char *partial)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX];
    size_t count = hs_calibrate_sizes(sizes, &settings->campaign.sizes,
                                      hs_datatype_bytes(settings->campaign.datatype));
    char first[HS_UNIT_TEXT], last[HS_UNIT_TEXT];

    hs_text_append(out, "%shiersearch %s (%s) on %s, %s backend, ", partial ? "partial, " : "",
                   HS_VERSION, HS_GIT_DESCRIBE, campaign->created, campaign->backend->name);
    if (campaign->device[0])
        hs_text_append(out, "%s, ", campaign->device);
    append_library(out);
    hs_text_append(out, ", %s %s; ", hs_datatype_names[settings->campaign.datatype],
                   hs_operation_names[settings->campaign.operation]);
    append_hosts(out, campaign);
    hs_report_calls_append(out, campaign);
    hs_text_append(out, "; layers of messages of %s to %s; %zu of %zu measurements",
                   hs_bytes_format(first, sizes[0]), hs_bytes_format(last, sizes[count - 1]),
                   campaign->grid.measured_tasks, campaign->grid.plan.count);
    if (partial)
        hs_text_append(out, "; %s", partial);
}

static bool replace_text(char **text, const struct hs_text *with)
{
    char *copy = with->length > 0 ? hs_strdup(with->data) : NULL;

    if (with->failed || (with->length > 0 && !copy))
        return false;
    free(*text);
    *text = copy;
    return true;
}

/* Everything but the figures. */
static enum hs_status fill_texts(struct hs_campaign *campaign, const struct hs_text *source,
                                 const struct hs_text *notes, struct hs_error *err)
{
    struct hs_system *system = &campaign->system;
    struct hs_text title = {0}, joined = {0};
    bool whole;

    hs_text_append(&title, "calibrated on %d ranks, %" PRId64 " node%s", campaign->ranks.np,
                   campaign->order.node_count, campaign->order.node_count == 1 ? "" : "s");
    hs_report_calls_append(&title, campaign);
    hs_text_append(&joined, "%s", notes->length > 0 ? notes->data : "");
    while (joined.length > 0 && joined.data[joined.length - 1] == '\n')
        joined.data[--joined.length] = '\0';
    for (size_t i = 0; i < joined.length; i++)
        if (joined.data[i] == '\n')
            joined.data[i] = ';';
    whole = replace_text(&system->title, &title) && replace_text(&system->source, source) &&
            replace_text(&system->notes, &joined);
    hs_text_release(&title);
    hs_text_release(&joined);
    hs_system_name_after(system, campaign->settings.campaign.output);
    system->latency_kind = HS_LATENCY_PROTOCOL_STEP;
    return whole ? HS_OK : hs_no_memory(err);
}

/* One line: what is missing, and what to do. */
static enum hs_status explain(const struct hs_campaign *campaign, enum hs_status status,
                              struct hs_error *err)
{
    char cause[HS_ERROR_MESSAGE_BYTES];
    bool cut = campaign->grid.plan.layers_left_out > 0 ||
               campaign->grid.measured_tasks < campaign->grid.plan.count;

    if (status == HS_OK || status == HS_MEMORY)
        return status;
    snprintf(cause, sizeof(cause), "%s", err->message);
    if (status == HS_FAILED)
        return hs_fail(err, status,
                       "%.400s; calibrate on a quiet machine, with a range of sizes around those "
                       "that matter, or allow more with --max-residual",
                       cause);
    return hs_fail(err, status, "%.400s; %s", cause,
                   cut ? "give it a larger --budget or --layers"
                       : "give it more processes, or a range of sizes: --size 1MiB:64MiB");
}

/* ---- the fit ------------------------------------------------------------------------------- */

/* points[plan.count]; returns how many there are. */
static size_t make_points(struct hs_fit_point *points, const struct hs_campaign *campaign)
{
    size_t width = hs_datatype_bytes(campaign->settings.campaign.datatype), count = 0;

    for (size_t i = 0; i < campaign->grid.plan.count; i++) {
        const struct hs_calibrate_task *task = &campaign->grid.plan.tasks[i];
        const struct hs_grid_pool *pool = &campaign->grid.pools[i];

        if (pool->seconds.count > 0)
            points[count++] = (struct hs_fit_point){.key = task->stage,
                                                    .np = campaign->ranks.np,
                                                    .bytes = (double)(task->count * width),
                                                    .seconds = hs_samples_median(&pool->seconds),
                                                    .noise = hs_grid_noise(pool)};
    }
    return count;
}

/* The residual at which a layer is refused: what was asked for, and on top what the noise of the
 * points explains. */
static double residual_limit(const struct hs_campaign *campaign, const struct hs_fit_point *points,
                             size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += points[i].noise * points[i].noise;
    return hs_joint_error(campaign->settings.max_residual,
                          NOISE_RESIDUALS * sqrt(squares / fmax(1, (double)count)));
}

static enum hs_status fit(struct hs_campaign *campaign, const char *source, struct hs_text *notes,
                          struct hs_error *err)
{
    const struct hs_fits *had = &campaign->system.fits;
    size_t kept = campaign->settings.stages.count > 0 ? had->point_count : 0;
    struct hs_fit_point *points = calloc(campaign->grid.plan.count + kept + 1, sizeof(*points));
    struct hs_calibration_options options = {.source = source};
    enum hs_status status;
    size_t count;

    if (!points)
        return hs_no_memory(err);
    count = make_points(points, campaign);
    options.max_residual = residual_limit(campaign, points, count);
    for (size_t i = 0; i < kept; i++)
        points[count++] = had->points[i];
    status = hs_calibrate(&campaign->system, points, count, &options, notes, err);
    free(points);
    return explain(campaign, status, err);
}

enum hs_status hs_report_fit(struct hs_campaign *campaign, const char *partial,
                             struct hs_text *notes, struct hs_error *err)
{
    struct hs_text source = {0};
    enum hs_status status;

    if (!partial && campaign->grid.round == 0)
        partial = "the time was spent";
    note_left_out(notes, campaign, partial);
    append_source(&source, campaign, partial);
    status = source.failed ? hs_no_memory(err) : HS_OK;
    if (status == HS_OK)
        status = fit(campaign, source.data, notes, err);
    note_noise(notes, campaign);
    take_copy_rate(notes, campaign);
    note_straggler(notes, campaign);
    if (status == HS_OK)
        status = fill_texts(campaign, &source, notes, err);
    hs_text_release(&source);
    return status;
}
