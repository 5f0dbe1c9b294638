#include "plot/caption.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "plot/csv.h"
#include "record/result_gaps.h"

#define LINE_BYTES    118 /* of a caption's line: what fits under a plot */
#define CAPTION_LINES 3
#define NAMES_SHOWN   3

static const struct hs_result *with_system(const struct hs_plot_job *job)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (job->inputs[i].result->has_system)
            return job->inputs[i].result;
    return NULL;
}

static const struct hs_result *with_hosts(const struct hs_plot_job *job)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (job->inputs[i].result->placement.node_count > 0)
            return job->inputs[i].result;
    return NULL;
}

static void append_hosts(struct hs_text *out, const struct hs_placement *placement)
{
    size_t shown = placement->node_count < NAMES_SHOWN ? placement->node_count : NAMES_SHOWN;

    for (size_t i = 0; i < shown; i++)
        hs_text_append(out, "%s%s", i ? ", " : "", placement->nodes[i].host);
    if (placement->node_count > shown)
        hs_text_append(out, ", ... (%zu nodes)", placement->node_count);
}

void hs_plot_machine(struct hs_text *out, const struct hs_plot_job *job)
{
    const struct hs_result *result = with_system(job);

    if (result) {
        hs_text_append(out, "%s", hs_system_called(&result->system));
        return;
    }
    result = with_hosts(job);
    if (result)
        append_hosts(out, &result->placement);
    else
        hs_text_append(out, "unknown machine");
}

/* "predicted by the (calibrated) model", "measured (mpi)", or both, over all inputs. */
static const char *origin_of(char text[96], const struct hs_plot_job *job)
{
    const char *backend = NULL;
    bool predicted = false, calibrated = false, several = false;

    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_result *result = job->inputs[i].result;

        predicted = predicted || result->has_system;
        calibrated = calibrated || (result->has_system && result->system.fits.count > 0);
        several = several || (backend && result->backend && strcmp(backend, result->backend) != 0);
        backend = result->backend ? result->backend : backend;
    }
    if (backend)
        snprintf(text, 96, "measured (%.24s%s)%s%s%s", backend, several ? " and others" : "",
                 predicted ? ", predicted by the " : "", calibrated ? "calibrated " : "",
                 predicted ? "model" : "");
    else
        snprintf(text, 96, "predicted by the %smodel, not measured",
                 calibrated ? "calibrated " : "");
    return text;
}

/* ---- what a calibration does not cover ---- */

/* All inputs are of the same machine. */
static void append_gaps(struct hs_text *out, const struct hs_plot_job *job)
{
    struct hs_gaps gaps = {0};

    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_result *result = job->inputs[i].result;

        for (size_t m = 0; m < result->message_count; m++)
            if (job->bytes == 0 || job->bytes == result->messages[m].message_bytes)
                hs_result_gaps_add(&gaps, result, &result->messages[m]);
    }
    if (!gaps.any)
        return;
    hs_text_append(out, "* extrapolated: ");
    hs_gaps_append(out, &gaps, &with_system(job)->system);
    hs_text_append(out, "; ");
}

/* ---- versions ---- */

static bool said_before(const struct hs_plot_job *job, size_t input, const struct hs_fact *fact)
{
    for (size_t i = 0; i < input; i++) {
        const struct hs_result *result = job->inputs[i].result;

        for (size_t k = 0; k < result->version_count; k++)
            if (strcmp(result->versions[k].name, fact->name) == 0 &&
                strcmp(result->versions[k].text, fact->text) == 0)
                return true;
    }
    return false;
}

/* What a measurement notes of the run among its versions, which no reader of a picture looks for.
 */
static bool is_version(const char *name)
{
    return strcmp(name, "memory_per_rank") != 0 && strcmp(name, "mpi_cuda_aware") != 0;
}

static void append_versions(struct hs_text *out, const struct hs_plot_job *job)
{
    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_result *result = job->inputs[i].result;

        for (size_t k = 0; k < result->version_count; k++)
            if (is_version(result->versions[k].name) && !said_before(job, i, &result->versions[k]))
                hs_text_append(out, "; %s %s", result->versions[k].name, result->versions[k].text);
    }
}

/* ---- lines ---- */

/* Where to break a text that is too long for a line: behind the last blank that fits, else behind
 * the last whole character. */
static size_t break_at(const char *text, size_t length)
{
    size_t end = 0, blank = 0;

    while (end < length) {
        size_t step = hs_utf8_length(text + end, length - end);

        step = step ? step : 1;
        if (end + step > LINE_BYTES)
            break;
        if (text[end] == ' ')
            blank = end;
        end += step;
    }
    if (end >= length)
        return length;
    return blank ? blank : end;
}

void hs_plot_lines(struct hs_text *out, const char *text)
{
    size_t left = strlen(text);
    int line = 0;

    while (left > 0 && line < CAPTION_LINES) {
        size_t length = break_at(text, left);
        bool cut = length < left && line == CAPTION_LINES - 1;
        char key[16];

        snprintf(key, sizeof(key), "caption%d", ++line);
        hs_csv_fact(out, key, "%.*s%s", (int)length, text, cut ? " ..." : "");
        text += length;
        left -= length;
        while (left > 0 && *text == ' ') {
            text++;
            left--;
        }
    }
    hs_csv_fact(out, "caption_lines", "%d", line);
}

static void append_machine(struct hs_text *out, const struct hs_plot_job *job)
{
    const struct hs_result *system = with_system(job), *hosts = with_hosts(job);

    hs_text_append(out, "machine: ");
    hs_plot_machine(out, job);
    if (system && system->system.title)
        hs_text_append(out, " (%s)", system->system.title);
    if (system && hosts) {
        hs_text_append(out, ", hosts ");
        append_hosts(out, &hosts->placement);
    }
}

static bool any_cut_short(const struct hs_plot_job *job)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (!job->inputs[i].result->complete)
            return true;
    return false;
}

void hs_plot_caption(struct hs_text *out, const struct hs_plot_job *job, const char *remark,
                     const char *what, ...)
{
    struct hs_text text = {0};
    char line[256], origin[96], aside[HS_PROBLEM_TEXT];
    struct hs_problem asked;
    va_list arguments;

    va_start(arguments, what);
    vsnprintf(line, sizeof(line), what, arguments);
    va_end(arguments);
    hs_plot_machine(&text, job);
    asked = hs_result_asks(job->inputs[0].result, 1);
    hs_csv_fact(out, "title", "%s: %s%s%s", text.data ? text.data : "", line,
                hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &job->inputs[0].result->mesh),
                hs_problem_aside(aside, &asked));
    hs_text_release(&text);

    if (remark)
        hs_text_append(&text, "%s; ", remark);
    append_gaps(&text, job);
    append_machine(&text, job);
    hs_text_append(&text, "; %s", origin_of(origin, job));
    if (any_cut_short(job))
        hs_text_append(&text, "; THE RUN WAS CUT SHORT");
    append_versions(&text, job);
    hs_plot_lines(out, text.data ? text.data : "");
    out->failed = out->failed || text.failed;
    hs_text_release(&text);
}
