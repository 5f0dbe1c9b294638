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
        ranks = hs_system_node_ranks(&result->system);
    return ranks < result->np ? ranks : result->np;
}

/* ---- times ---- */

double hs_export_time_ratio(const struct hs_export_job *job, size_t message,
                            const struct hs_plan *plan, const struct hs_plan *over)
{
    const struct hs_result_message *at = &job->result->messages[message];
    double ratio = hs_export_measured(at, plan) / hs_export_measured(at, over);

    if (!isnan(ratio))
        return ratio;
    return hs_export_predicted(job->result, at, plan) / hs_export_predicted(job->result, at, over);
}

double hs_export_library_gain(const struct hs_export_job *job, size_t message,
                              const struct hs_plan *plan)
{
    const struct hs_result_message *at = &job->result->messages[message];
    double seconds = hs_export_measured(at, plan);

    if (plan->split.count == 0 || at->best.split.count == 0)
        return NAN;
    if (isnan(seconds))
        seconds =
            hs_export_measured(at, &at->best) * hs_export_time_ratio(job, message, plan, &at->best);
    return seconds / hs_export_measured(at, &hs_export_library_call);
}

/* ---- the choice ---- */

void hs_export_leave_alone(struct hs_export_rule *rule, const struct hs_export_job *job)
{
    if (!job->plan && (hs_export_library_gain(job, rule->message, &rule->plan) > 1 ||
                       hs_export_untimed(&job->result->messages[rule->message])))
        rule->plan = hs_export_library_call;
}

static enum hs_status choose_within(struct hs_plan *plan, double *cost,
                                    const struct hs_export_job *job, size_t message, int layers,
                                    struct hs_error *err)
{
    const struct hs_plan *wanted = hs_export_wanted(job, message);
    enum hs_status status;

    if (wanted->chunks == 0)
        return hs_export_fail_unplanned(job, message, err);
    if (hs_plan_is_default(wanted)) {
        *plan = hs_export_library_call;
        *cost = 1;
        return HS_OK;
    }
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
    const struct hs_plan *wanted = hs_export_wanted(job, message);
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

void hs_export_comment_lines(struct hs_text *text, const struct hs_text *whole, const char *prefix)
{
    struct hs_lines lines = {.next = whole->failed ? NULL : whole->data};

    text->failed = text->failed || whole->failed;
    while (hs_lines_next(&lines)) {
        bool cut = lines.length > LINE_BYTES_MAX;

        hs_text_append(text, "%s", prefix);
        hs_text_append_bytes(text, lines.line, cut ? LINE_BYTES_MAX - 3 : lines.length);
        hs_text_append(text, "%s\n", cut ? "..." : "");
    }
}

void hs_export_header_lines(struct hs_text *text, const struct hs_export_job *job,
                            const struct hs_exporter *exporter, const char *use)
{
    struct hs_text whole = {0};

    hs_export_header(&whole, job, exporter, &hs_export_comment_hash, use);
    hs_export_comment_lines(text, &whole, "");
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

/* The header says where the library is faster than the best plan. */
static void say_left_alone(struct hs_export_output *out, struct hs_text *text,
                           const struct hs_exporter *exporter, const struct hs_export_job *job,
                           const struct hs_export_rule *rule)
{
    const struct hs_result_message *message = &job->result->messages[rule->message];
    char plan[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];

    if (hs_export_library_gain(job, rule->message, &rule->wanted) > 1 || hs_export_untimed(message))
        return;
    hs_export_say(out, text, "%s: what it has for %s at %s is slower than %s: left to the library",
                  exporter->name, hs_plan_format(plan, &rule->wanted),
                  hs_bytes_format(size, message->message_bytes), hs_export_library(message)->name);
}

void hs_export_say_replaced(struct hs_export_output *out, struct hs_text *text,
                            const struct hs_exporter *exporter, const struct hs_export_job *job,
                            const struct hs_export_rule *rule)
{
    char from[HS_SPLIT_TEXT], to[HS_SPLIT_TEXT], price[80] = "at a cost that is not known";
    char size[HS_UNIT_TEXT];

    if (rule->plan.split.count == 0) {
        say_left_alone(out, text, exporter, job, rule);
        return;
    }
    if (hs_split_compare(&rule->wanted.split, &rule->plan.split) == 0)
        return;
    if (!isnan(rule->cost))
        snprintf(price, sizeof(price), "%.3f times as long", rule->cost);
    hs_export_say(out, text, "%s: best plan %s for %s becomes %s, %s", exporter->name,
                  hs_plan_format(from, &rule->wanted),
                  hs_bytes_format(size, job->result->messages[rule->message].message_bytes),
                  hs_plan_format(to, &rule->plan), price);
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
                      " processes, by the names of the system's levels",
                      node);
}
