/* calibrate_report.c - see calibrate_report.h. */
#include "runner/calibrate_report.h"
#include "estimate/system_file.h"

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
static void describe_rank(char *text, size_t bytes, const struct hs_calibrate_run *run,
                          int64_t rank)
{
    int64_t node = 0, first = 0;

    while (node + 1 < run->campaign.order.node_count &&
           first + run->campaign.order.nodes[node].ranks <= rank)
        first += run->campaign.order.nodes[node++].ranks;
    snprintf(text, bytes, "rank %d (host %s)", run->campaign.order.launched[rank],
             run->campaign.order.nodes[node].host);
}

static void note_straggler(struct hs_text *notes, const struct hs_calibrate_run *run)
{
    struct hs_straggler straggler;
    char rank[160];

    if (!hs_straggler_find(&straggler, &run->grid.rank_times, STRAGGLER_RATIO))
        return;
    describe_rank(rank, sizeof(rank), run, straggler.rank);
    hs_text_append(notes,
                   "%s is slow: in each of %zu layers its group took at least %.3g times as long "
                   "as the others; the figures are those of a machine with it, leave it out and "
                   "calibrate again\n",
                   rank, straggler.layers, straggler.ratio);
}

static void note_noise(struct hs_text *notes, const struct hs_calibrate_run *run)
{
    double typical = hs_samples_median(&run->grid.scatters);

    if (typical > LOADED_SCATTER)
        hs_text_append(notes,
                       "the machine is loaded: single runs typically deviate by %.0f %%, so the "
                       "intervals are wide; calibrate again when it is quiet\n",
                       100 * typical);
}

/* Of packed calls: what they wait for, which the layers do not tell. */
static void take_copy_rate(struct hs_text *notes, struct hs_calibrate_run *run)
{
    double rate = run->campaign.copy_bytes_per_second;

    if (rate > 0) {
        run->campaign.system.copy_bytes_per_second = rate;
        hs_text_append(notes, "a process copies %s within its memory while all do\n",
                       HS_AS_RATE(rate));
    }
}

/* Tasks that were tried in vain. */
static size_t failed_tasks(const struct hs_calibrate_run *run)
{
    size_t tried = run->grid.round > 0 ? run->grid.plan.count : run->grid.next;

    return tried - run->grid.measured_tasks;
}

static void note_left_out(struct hs_text *notes, const struct hs_calibrate_run *run,
                          const char *partial)
{
    size_t left = run->grid.plan.count - run->grid.measured_tasks - failed_tasks(run);
    struct hs_lines lines = {.next = run->grid.failures.data};

    if (run->grid.plan.layers_left_out > 0)
        hs_text_append(notes, "--layers %" PRId64 ": %zu of %zu layers were left out\n",
                       run->settings.layers, run->grid.plan.layers_left_out,
                       run->grid.plan.layers_left_out + run->grid.plan.layer_count);
    if (left > 0)
        hs_text_append(notes, "%zu of %zu measurements were left out: %s\n", left,
                       run->grid.plan.count, partial ? partial : "they failed");
    for (size_t i = 0; i < run->grid.failure_count && i < FAILURES_SHOWN && hs_lines_next(&lines);
         i++)
        hs_text_append(notes, "%.*s\n", (int)lines.length, lines.line);
    if (run->grid.failure_count > FAILURES_SHOWN)
        hs_text_append(notes, "%zu more failures\n", run->grid.failure_count - FAILURES_SHOWN);
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

static void append_hosts(struct hs_text *out, const struct hs_calibrate_run *run)
{
    hs_text_append(out, "%d ranks on %" PRId64 " node%s (", run->campaign.ranks.np,
                   run->campaign.order.node_count, run->campaign.order.node_count == 1 ? "" : "s");
    for (int64_t i = 0; i < run->campaign.order.node_count && i < HOSTS_SHOWN; i++)
        hs_text_append(out, "%s%s", i > 0 ? ", " : "", run->campaign.order.nodes[i].host);
    hs_text_append(out, "%s)", run->campaign.order.node_count > HOSTS_SHOWN ? ", ..." : "");
}

void hs_calibrate_calls_append(struct hs_text *out, const struct hs_calibrate_run *run)
{
    struct hs_problem problem = hs_campaign_problem(&run->campaign, 0);

    hs_text_append(out, "%s%s",
                   hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &run->settings.campaign.call.mesh),
                   hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &problem));
}

/* Where the figures come from. */
static void append_source(struct hs_text *out, const struct hs_calibrate_run *run,
                          const char *partial)
{
    const struct hs_calibrate_settings *settings = &run->settings;
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX];
    size_t count = hs_calibrate_sizes(sizes, &settings->campaign.sizes,
                                      hs_datatype_bytes(settings->campaign.datatype));
    char first[HS_UNIT_TEXT], last[HS_UNIT_TEXT];

    hs_text_append(out, "%shiersearch %s (%s) on %s, %s backend, ", partial ? "partial, " : "",
                   HS_VERSION, HS_GIT_DESCRIBE, run->campaign.created, run->campaign.backend->name);
    if (run->campaign.device[0])
        hs_text_append(out, "%s, ", run->campaign.device);
    append_library(out);
    hs_text_append(out, ", %s %s; ", hs_datatype_names[settings->campaign.datatype],
                   hs_operation_names[settings->campaign.operation]);
    append_hosts(out, run);
    hs_calibrate_calls_append(out, run);
    hs_text_append(out, "; layers of messages of %s to %s; %zu of %zu measurements",
                   hs_bytes_format(first, sizes[0]), hs_bytes_format(last, sizes[count - 1]),
                   run->grid.measured_tasks, run->grid.plan.count);
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
static enum hs_status fill_texts(struct hs_calibrate_run *run, const struct hs_text *source,
                                 const struct hs_text *notes, struct hs_error *err)
{
    struct hs_system *system = &run->campaign.system;
    struct hs_text title = {0}, joined = {0};
    bool whole;

    hs_text_append(&title, "calibrated on %d ranks, %" PRId64 " node%s", run->campaign.ranks.np,
                   run->campaign.order.node_count, run->campaign.order.node_count == 1 ? "" : "s");
    hs_calibrate_calls_append(&title, run);
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
    hs_system_name_after(system, run->settings.campaign.output);
    system->latency_kind = HS_LATENCY_PROTOCOL_STEP;
    return whole ? HS_OK : hs_no_memory(err);
}

static enum hs_status save(const struct hs_calibrate_run *run, struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_system_print(&text, &run->campaign.system, err);

    if (status == HS_OK && strcmp(run->settings.campaign.output, "-") != 0)
        status = hs_file_replace(run->settings.campaign.output, text.data, text.length, err);
    else if (status == HS_OK)
        status = hs_stdout_write(&text, err);
    hs_text_release(&text);
    return status;
}

/* One line: what is missing, and what to do. */
static enum hs_status explain(const struct hs_calibrate_run *run, enum hs_status status,
                              struct hs_error *err)
{
    char cause[HS_ERROR_MESSAGE_BYTES];
    bool cut =
        run->grid.plan.layers_left_out > 0 || run->grid.measured_tasks < run->grid.plan.count;

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
static size_t make_points(struct hs_fit_point *points, const struct hs_calibrate_run *run)
{
    size_t width = hs_datatype_bytes(run->settings.campaign.datatype), count = 0;

    for (size_t i = 0; i < run->grid.plan.count; i++) {
        const struct hs_calibrate_task *task = &run->grid.plan.tasks[i];
        const struct hs_grid_pool *pool = &run->grid.pools[i];

        if (pool->seconds.count > 0)
            points[count++] = (struct hs_fit_point){.key = task->stage,
                                                    .np = run->campaign.ranks.np,
                                                    .bytes = (double)(task->count * width),
                                                    .seconds = hs_samples_median(&pool->seconds),
                                                    .noise = hs_grid_noise(pool)};
    }
    return count;
}

/* The residual at which a layer is refused: what was asked for, and on top what the noise of the
 * points explains. */
static double residual_limit(const struct hs_calibrate_run *run, const struct hs_fit_point *points,
                             size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += points[i].noise * points[i].noise;
    return hs_joint_error(run->settings.max_residual,
                          NOISE_RESIDUALS * sqrt(squares / fmax(1, (double)count)));
}

static enum hs_status fit(struct hs_calibrate_run *run, const char *source, struct hs_text *notes,
                          struct hs_error *err)
{
    const struct hs_fits *had = &run->campaign.system.fits;
    size_t kept = run->settings.stages.count > 0 ? had->point_count : 0;
    struct hs_fit_point *points = calloc(run->grid.plan.count + kept + 1, sizeof(*points));
    struct hs_calibration_options options = {.source = source};
    enum hs_status status;
    size_t count;

    if (!points)
        return hs_no_memory(err);
    count = make_points(points, run);
    options.max_residual = residual_limit(run, points, count);
    for (size_t i = 0; i < kept; i++)
        points[count++] = had->points[i];
    status = hs_calibrate(&run->campaign.system, points, count, &options, notes, err);
    free(points);
    return explain(run, status, err);
}

enum hs_status hs_calibrate_write(struct hs_calibrate_run *run, const char *partial,
                                  struct hs_text *notes, struct hs_error *err)
{
    struct hs_text source = {0};
    enum hs_status status;

    if (!partial && run->grid.round == 0)
        partial = "the time was spent";
    note_left_out(notes, run, partial);
    append_source(&source, run, partial);
    status = source.failed ? hs_no_memory(err) : HS_OK;
    if (status == HS_OK)
        status = fit(run, source.data, notes, err);
    note_noise(notes, run);
    take_copy_rate(notes, run);
    note_straggler(notes, run);
    if (status == HS_OK)
        status = fill_texts(run, &source, notes, err);
    if (status == HS_OK)
        status = save(run, err);
    hs_text_release(&source);
    return status;
}
