/* The comment that every exported file starts with. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimate/gaps.h"
#include "export/export.h"
#include "library/price_plan.h"
#include "record/doubt.h"

const struct hs_export_comment hs_export_comment_none = {"", "", ""};
const struct hs_export_comment hs_export_comment_hash = {"", "# ", ""};
const struct hs_export_comment hs_export_comment_xml = {"<!--", "  ", "-->"};

/* What may stand in no comment of this kind. */
static const char *forbidden_in(const struct hs_export_comment *comment)
{
    return strncmp(comment->open, "<!--", 4) == 0 ? "--" : comment->close;
}

/* One line; names of files may hold anything. */
static void append_line(struct hs_text *text, const char *line, size_t length, const char *prefix,
                        const char *forbidden)
{
    size_t start, unwanted = strlen(forbidden);

    hs_text_append(text, "%s", prefix);
    start = text->length;
    for (size_t i = 0; i < length; i++) {
        bool control = (unsigned char)line[i] < 0x20 || line[i] == 0x7F;
        const char *c = control ? "?" : line + i;

        hs_text_append_bytes(text, c, 1);
        if (unwanted > 1 && !text->failed && text->length - start >= unwanted &&
            strcmp(text->data + text->length - unwanted, forbidden) == 0) {
            text->length--;
            hs_text_append(text, " %c", *c);
        }
    }
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ')
        text->data[--text->length] = '\0';
    hs_text_append(text, "\n");
}

static void append_lines(struct hs_text *text, const char *lines, const char *prefix,
                         const char *forbidden)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");

        append_line(text, lines, length, prefix, forbidden);
        lines += length + (lines[length] == '\n');
    }
}

/* A name on one line, whatever it is. */
void hs_export_name_append(struct hs_text *text, const char *name)
{
    for (; *name; name++)
        hs_text_append_bytes(text, *name == '\n' ? "?" : name, 1);
}

/* What a calibrated system says about the plan, or the best plans of all sizes: how sure it is, and
 * what it was never measured for. */
static void append_calibration(struct hs_text *text, const struct hs_export_job *job, bool sizes)
{
    const struct hs_result *result = job->result;
    struct hs_gaps gaps = {0};

    if (result->backend || !result->has_system || result->system.fits.count == 0)
        return;
    hs_text_append(text, "predicted by a calibrated system");
    for (size_t m = 0; m < result->message_count; m++) {
        const struct hs_result_message *message = &result->messages[m];
        const struct hs_plan *plan = sizes ? &message->best : hs_export_plan(job);
        struct hs_problem problem = hs_result_problem(result, message);
        struct hs_plan_cost cost;
        char time[HS_UNIT_TEXT];

        if (plan->split.count == 0 || (!sizes && m != job->message))
            continue;
        cost = hs_plan_cost(&result->system, &problem, plan);
        hs_gaps_add(&gaps, &result->system, plan, &cost);
        if (sizes)
            continue;
        hs_text_append(text, ": %s", hs_seconds_format(time, cost.seconds));
        if (isfinite(cost.ci95_seconds))
            hs_text_append(text, " +- %s (95 %%)", hs_seconds_format(time, cost.ci95_seconds));
    }
    if (gaps.any) {
        hs_text_append(text, "; extrapolated: ");
        hs_gaps_append(text, &gaps, &result->system);
    }
    hs_text_append(text, "\n");
}

/* "11.5" or "1.04" */
static char *format_times(char text[32], double times)
{
    snprintf(text, 32, times < 100 ? "%.3g" : "%.0f", times);
    return text;
}

/* The one sentence about a message for which the library's default is the faster one, or may be.
 */
static void append_faster(struct hs_text *text, const struct hs_export_job *job, size_t message,
                          const struct hs_plan *plan)
{
    const struct hs_result_message *at = &job->result->messages[message];
    const struct hs_baseline_result *untimed = hs_export_untimed(at);
    double gain = hs_export_library_gain(job, message, plan);
    char times[32], size[HS_UNIT_TEXT];

    if (untimed)
        hs_text_append(text,
                       "%s was not timed at %s, so nothing says that a plan is faster: give "
                       "measure a larger --budget\n",
                       untimed->name, hs_bytes_format(size, at->message_bytes));
    if (!(gain > 1))
        return;
    hs_text_append(text, "%s is ", hs_export_library(at)->name);
    if (gain < 1.005)
        hs_text_append(text, "as fast as");
    else
        hs_text_append(text, "%s times faster than", format_times(times, gain));
    hs_text_append(text, " the plan at %s (measured%s): keep the library's default\n",
                   hs_bytes_format(size, at->message_bytes),
                   isnan(hs_export_measured(at, plan)) ? "; of the plan an estimate" : "");
}

/* A format without sizes does for small messages what it does for large ones. */
static void append_small(struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter)
{
    const struct hs_plan *plan = hs_export_plan(job);
    uint64_t first_bytes = hs_export_first_bytes(job, 0, plan);
    char size[HS_UNIT_TEXT];

    if (!exporter->affects || exporter->ranged || exporter->sizes || first_bytes == 0 ||
        hs_export_library_gain(job, job->message, plan) > 1)
        return;
    hs_text_append(
        text, "%s knows no sizes: messages below %s are untested: use the library's call there\n",
        exporter->name, hs_bytes_format(size, first_bytes));
}

/* Why the plan that the measurements chose may not be the best. */
static void append_doubt(struct hs_text *text, const struct hs_export_job *job, size_t message)
{
    const struct hs_result_message *at = &job->result->messages[message];
    struct hs_text doubt = {0};
    char size[HS_UNIT_TEXT];

    hs_doubt_all_append(&doubt, job->result, at);
    if (doubt.data)
        hs_text_append(text, "not certain at %s: %s\n", hs_bytes_format(size, at->message_bytes),
                       doubt.data);
    hs_text_release(&doubt);
}

static bool has_size(const struct hs_plan *plan, int64_t size)
{
    for (int i = 0; i < plan->split.count; i++)
        if (plan->split.sizes[i] == size)
            return true;
    return false;
}

/* Whether a format that goes by the size of communicators takes one of this size for a group's, or
 * a layer's. */
static bool is_taken(const struct hs_export_job *job, const struct hs_exporter *exporter,
                     int64_t size)
{
    bool found = false;

    if (exporter->groups == HS_GROUPS_BY_SIZE)
        return size == hs_result_group(job->result).size;
    for (size_t i = 0; i < job->result->message_count; i++)
        if (exporter->sizes || i == job->message)
            found = found || has_size(hs_export_wanted(job, i), size);
    return found;
}

/* Of groups of a mesh, what goes by the size of a communicator holds for others, too. */
static void append_others(struct hs_text *text, const struct hs_export_job *job,
                          const struct hs_exporter *exporter)
{
    const struct hs_mesh *mesh = &job->result->mesh;
    struct hs_mesh taken = *mesh;

    if (mesh->count == 0 ||
        (exporter->groups != HS_GROUPS_BY_SIZE && exporter->groups != HS_GROUPS_BY_LAYER))
        return;
    taken.over = 0;
    for (int i = 0; i < mesh->count; i++)
        if (!(mesh->over >> i & 1) && is_taken(job, exporter, mesh->axes[i].size))
            taken.over |= 1U << i;
    hs_text_append(text,
                   "%s goes by the size of a communicator: others as large as a %s get the same, "
                   "wherever their ranks lie%s%s\n",
                   exporter->name, exporter->groups == HS_GROUPS_BY_SIZE ? "group" : "layer",
                   taken.over ? "; here those over " : "",
                   hs_mesh_format_over((char[HS_MESH_TEXT]){0}, &taken));
}

/* Whether all that would be exported is one call of the library's own. */
static bool is_native(const struct hs_export_job *job, const struct hs_exporter *exporter)
{
    bool native = !job->plan;

    for (size_t i = 0; i < job->result->message_count; i++)
        if (exporter->sizes || i == job->message)
            native = native &&
                     (hs_plan_is_default(hs_export_wanted(job, i)) ||
                      (hs_export_is_nccl_native(job) && hs_plan_is_flat(hs_export_wanted(job, i))));
    return native;
}

void hs_export_advice_append(struct hs_text *text, const struct hs_export_job *job,
                             const struct hs_exporter *exporter)
{
    bool native = exporter->affects && is_native(job, exporter);

    if (hs_exporter_is_of_times(exporter))
        return;
    if (native)
        hs_text_append(text,
                       "the library's default call is best at %s: nothing is faster with this\n",
                       exporter->sizes ? "all sizes of the result" : "this size");
    for (size_t i = 0; i < job->result->message_count; i++)
        append_faster(text, job, i,
                      exporter->sizes ? hs_export_wanted(job, i) : hs_export_plan(job));
    if (!native)
        append_small(text, job, exporter);
    append_others(text, job, exporter);
    for (size_t i = 0; i < job->result->message_count && !job->plan; i++)
        if (exporter->sizes || i == job->message)
            append_doubt(text, job, i);
}

/* Of a collective in which a rank has one block: which one, and how the layers follow. */
static void append_order(struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter)
{
    static const char *const meanings[HS_LAYOUT_COUNT] = {
#define HS_ROW(name, text, meaning) meaning,
        HS_LAYOUTS(HS_ROW)
#undef HS_ROW
    };
    struct hs_problem problem =
        hs_result_problem(job->result, &job->result->messages[job->message]);

    if (!hs_collectives[problem.collective].ordered ||
        (hs_exporter_is_of_times(exporter) && !job->plan))
        return;
    hs_text_append(text, "%s, %s layout: %s; from the %s layer to the %s one\n",
                   hs_collective_names[problem.collective], hs_layout_names[problem.layout],
                   meanings[problem.layout],
                   hs_problem_begins_inside(&problem) ? "innermost" : "outermost",
                   hs_problem_begins_inside(&problem) ? "outermost" : "innermost");
}

static void append_facts(struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter)
{
    const struct hs_result *result = job->result;
    char plan[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];

    hs_text_append(text, "made by %s from ", job->made_by);
    hs_export_name_append(text, job->result_name);
    hs_text_append(text, ": %" PRId64 " processes%s%s%s%s\n", result->np,
                   result->has_system ? " on " : "",
                   result->has_system ? hs_system_called(&result->system) : "",
                   hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &result->mesh),
                   result->backend ? ", measured" : ", predicted");
    if (hs_exporter_is_of_times(exporter) && !job->plan)
        hs_text_append(
            text, "times of the library's default call; of the flat plan, where that has none\n");
    else if (exporter->sizes && !job->plan)
        hs_text_append(text, "for each message size of the result its best plan\n");
    else
        hs_text_append(text, "plan %s (layer sizes, innermost first) for messages of %s\n",
                       hs_plan_format(plan, hs_export_plan(job)), hs_export_size(size, job));
    append_order(text, job, exporter);
    append_calibration(text, job, exporter->sizes && !job->plan);
    hs_export_advice_append(text, job, exporter);
    hs_text_append(text, "for %s (%s): %s\n", exporter->library, exporter->versions,
                   exporter->summary);
    if (exporter->affects)
        hs_text_append(text, "affects %s\n", exporter->affects);
}

void hs_export_header(struct hs_text *text, const struct hs_export_job *job,
                      const struct hs_exporter *exporter, const struct hs_export_comment *comment,
                      const char *use)
{
    const char *forbidden = forbidden_in(comment);
    struct hs_text facts = {0};

    append_facts(&facts, job, exporter);
    if (facts.failed) {
        text->failed = true;
        return;
    }
    if (comment->open[0])
        hs_text_append(text, "%s\n", comment->open);
    append_lines(text, facts.data, comment->line, forbidden);
    append_line(text, "", 0, comment->line, forbidden);
    append_lines(text, use, comment->line, forbidden);
    if (comment->close[0])
        hs_text_append(text, "%s\n", comment->close);
    hs_text_release(&facts);
}

void hs_export_comment_json(struct hs_json_writer *w, struct hs_text *lines)
{
    w->text->failed = w->text->failed || lines->failed;
    hs_json_open(w, "comment", '[');
    for (char *at = lines->data; at && *at;) {
        size_t length = strcspn(at, "\n");

        at[length] = '\0';
        hs_json_write_text(w, NULL, at);
        at += length + 1;
    }
    hs_json_close(w, ']');
    hs_text_release(lines);
}

void hs_export_header_json(struct hs_json_writer *w, const struct hs_export_job *job,
                           const struct hs_exporter *exporter, const char *use)
{
    struct hs_text text = {0};

    hs_export_header(&text, job, exporter, &hs_export_comment_none, use);
    hs_export_comment_json(w, &text);
}
