#include "export/approximate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of a line in a file for readers with a fixed buffer: the NCCL plugin reads lines into 256 bytes.
 */
#define LINE_BYTES_MAX 240

/* ---- the node ---- */

/* 0: there is no placement, or nodes differ. */
static int64_t placed_ranks(const struct hs_placement *placement)
{
    for (size_t i = 1; i < placement->node_count; i++)
        if (placement->nodes[i].ranks != placement->nodes[0].ranks)
            return 0;
    return placement->node_count > 0 ? placement->nodes[0].ranks : 0;
}

int64_t hs_export_node_ranks(const struct hs_result *result, bool *measured)
{
    int64_t ranks = placed_ranks(&result->placement);

    if (measured)
        *measured = ranks > 0;
    if (ranks == 0 && result->placement.node_count == 0 && result->has_system)
        ranks = hs_system_child_ranks(&result->system, 1);
    return ranks < result->np ? ranks : result->np;
}

/* ---- times ---- */

static const struct hs_candidate *find(const struct hs_result_message *message,
                                       const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return &message->candidates[i];
    return NULL;
}

static double measured_seconds(const struct hs_candidate *candidate)
{
    if (!candidate || !candidate->measured || candidate->measured->status != HS_MEASURE_OK)
        return NAN;
    return candidate->measured->median_seconds;
}

static double predicted_seconds(const struct hs_result *result, size_t message,
                                const struct hs_plan *plan)
{
    const struct hs_result_message *at = &result->messages[message];
    const struct hs_candidate *candidate = find(at, plan);
    struct hs_problem problem;

    if (candidate && !isnan(candidate->predicted_seconds))
        return candidate->predicted_seconds;
    if (!result->has_system)
        return NAN;
    problem = hs_result_problem(result, at);
    return hs_plan_seconds(&result->system, &problem, plan);
}

double hs_export_time_ratio(const struct hs_export_job *job, size_t message,
                            const struct hs_plan *plan, const struct hs_plan *over)
{
    const struct hs_result_message *at = &job->result->messages[message];
    double ratio = measured_seconds(find(at, plan)) / measured_seconds(find(at, over));

    if (!isnan(ratio))
        return ratio;
    return predicted_seconds(job->result, message, plan) /
           predicted_seconds(job->result, message, over);
}

/* ---- the choice ---- */

static enum hs_status choose_within(struct hs_plan *plan, double *cost,
                                    const struct hs_export_job *job, size_t message, int layers,
                                    struct hs_error *err)
{
    const struct hs_plan *wanted = job->plan ? job->plan : &job->result->messages[message].best;
    char size[HS_UNIT_TEXT];
    enum hs_status status;

    if (wanted->split.count == 0)
        return hs_fail(err, HS_INVALID,
                       "%s: no best plan for %s: no candidate was measured without fault or "
                       "predicted; name a plan (--plan) or measure again",
                       job->result_name,
                       hs_bytes_format(size, job->result->messages[message].message_bytes));
    status = hs_export_best_within(plan, cost, job, message, layers, err);
    plan->chunks = 1;
    return status;
}

enum hs_status hs_export_choose_any(struct hs_plan *plan, double *cost,
                                    const struct hs_export_job *job, size_t message,
                                    struct hs_error *err)
{
    return choose_within(plan, cost, job, message, 0, err);
}

enum hs_status hs_export_choose_node(struct hs_plan *plan, double *cost,
                                     const struct hs_export_job *job, size_t message,
                                     struct hs_error *err)
{
    const struct hs_plan *wanted = job->plan ? job->plan : &job->result->messages[message].best;
    int64_t np = job->result->np, node = hs_export_node_ranks(job->result, NULL);
    struct hs_plan flat = hs_plan_flat(np);
    struct hs_plan nodes = {.split = {.count = 2, .sizes = {node, node ? np / node : 0}},
                            .chunks = 1};
    enum hs_status status = choose_within(plan, cost, job, message, 2, err);

    if (status != HS_OK || plan->split.count == 1 || node == 0 || plan->split.sizes[0] == node)
        return status;
    *plan = nodes;
    if (node < 2 || node == np || np % node != 0 ||
        hs_export_time_ratio(job, message, &flat, &nodes) < 1)
        *plan = flat;
    *cost = hs_export_time_ratio(job, message, plan, wanted);
    return HS_OK;
}

/* ---- what is said about it ---- */

void hs_export_header_lines(struct hs_text *text, const struct hs_export_job *job,
                            const struct hs_exporter *exporter, const char *use)
{
    struct hs_text whole = {0};

    hs_export_header(&whole, job, exporter, "", "# ", "", use);
    if (whole.failed)
        text->failed = true;
    for (const char *line = whole.data; line && *line && !whole.failed;) {
        size_t length = strcspn(line, "\n");
        bool cut = length > LINE_BYTES_MAX;

        hs_text_append_bytes(text, line, cut ? LINE_BYTES_MAX - 3 : length);
        hs_text_append(text, "%s\n", cut ? "..." : "");
        line += length + (line[length] == '\n');
    }
    hs_text_release(&whole);
}

void hs_export_say(struct hs_export_output *out, struct hs_text *text, const char *format, ...)
{
    char line[HS_ERROR_MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    hs_text_append(text, "# %s\n", line);
    hs_export_note(out, "%s", line);
}

void hs_export_say_replaced(struct hs_export_output *out, struct hs_text *text,
                            const struct hs_exporter *exporter, const struct hs_plan *wanted,
                            const struct hs_plan *plan, double cost, const char *size)
{
    char from[HS_SPLIT_TEXT], to[HS_SPLIT_TEXT], price[80] = "at a cost that is not known";

    if (hs_split_compare(&wanted->split, &plan->split) == 0)
        return;
    if (!isnan(cost))
        snprintf(price, sizeof(price), "%.3f times as long", cost);
    hs_export_say(out, text, "%s: best plan %s for %s becomes %s, %s", exporter->name,
                  hs_plan_format(from, wanted), size, hs_plan_format(to, plan), price);
}

void hs_export_say_node(struct hs_export_output *out, struct hs_text *text,
                        const struct hs_export_job *job)
{
    bool measured;
    int64_t node = hs_export_node_ranks(job->result, &measured);

    if (measured)
        return;
    if (node == 0)
        hs_export_say(out, text,
                      "processes per node are not known (or differ): start as many on "
                      "each as the inner layer has");
    else
        hs_export_say(out, text,
                      "a node is taken to hold %" PRId64
                      " processes, one unit of the system's first level",
                      node);
}

enum hs_status hs_export_begin_node(struct hs_text **text, struct hs_plan *plan,
                                    struct hs_export_output *out, const struct hs_export_job *job,
                                    const struct hs_exporter *exporter, const char *name,
                                    const char *use, struct hs_error *err)
{
    char size[HS_UNIT_TEXT];
    double cost;
    enum hs_status status = hs_export_choose_node(plan, &cost, job, job->message, err);

    *text = hs_export_add_file(out, name);
    if (status != HS_OK)
        return status;
    hs_export_header_lines(*text, job, exporter, use);
    hs_export_say_replaced(out, *text, exporter, hs_export_plan(job), plan, cost,
                           hs_export_size(size, job));
    hs_export_say_node(out, *text, job);
    return HS_OK;
}

void hs_export_note_baseline(struct hs_export_output *out, const struct hs_export_job *job)
{
    const struct hs_result_message *message = &job->result->messages[job->message];
    double plan = measured_seconds(find(message, hs_export_plan(job)));
    char size[HS_UNIT_TEXT];

    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *baseline = &message->baselines[i];

        if (baseline->measured.status != HS_MEASURE_OK ||
            !(baseline->measured.median_seconds < plan))
            continue;
        hs_export_note(out,
                       "for %s %s was faster than the plan, %.3f of its time: the library may "
                       "be best left as it is",
                       hs_export_size(size, job), baseline->name,
                       baseline->measured.median_seconds / plan);
    }
}
