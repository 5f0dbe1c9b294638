#include "plot/choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "answer/figures.h"
#include "library/price_plan.h"

/* ---- the message size ---- */

const struct hs_result_message *hs_plot_message(const struct hs_result *result, uint64_t bytes)
{
    for (size_t i = 0; i < result->message_count; i++)
        if (result->messages[i].message_bytes == bytes)
            return &result->messages[i];
    return NULL;
}

static bool all_have(const struct hs_plot_job *job, uint64_t bytes)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (!hs_plot_message(job->inputs[i].result, bytes))
            return false;
    return true;
}

static enum hs_status fail_for_size(const struct hs_named_result *input, uint64_t bytes,
                                    struct hs_error *err)
{
    const struct hs_result *result = input->result;
    struct hs_text sizes = {0};
    enum hs_status status;

    for (size_t i = 0; i < result->message_count && i < 16; i++)
        hs_text_append(&sizes, "%s%s", i ? ", " : "",
                       HS_AS_BYTES(result->messages[i].message_bytes));
    status = hs_fail(err, HS_INVALID, "%s: has no message of %s, but %s%s", input->name,
                     HS_AS_BYTES(bytes), sizes.data ? sizes.data : "others",
                     result->message_count > 16 ? ", ..." : "");
    hs_text_release(&sizes);
    return status;
}

enum hs_status hs_plot_bytes(uint64_t *bytes, const struct hs_plot_job *job, struct hs_error *err)
{
    const struct hs_result *first = job->inputs[0].result;

    *bytes = job->bytes;
    for (size_t i = 0; i < job->input_count && job->bytes; i++)
        if (!hs_plot_message(job->inputs[i].result, job->bytes))
            return fail_for_size(&job->inputs[i], job->bytes, err);
    if (job->bytes)
        return HS_OK;
    for (size_t i = 0; i < first->message_count; i++)
        if (first->messages[i].message_bytes > *bytes &&
            all_have(job, first->messages[i].message_bytes))
            *bytes = first->messages[i].message_bytes;
    if (*bytes == 0)
        return hs_fail(err, HS_INVALID, "the %zu result files have no message size in common",
                       job->input_count);
    return HS_OK;
}

/* ---- plans and their times ---- */

enum hs_status hs_plot_plan(struct hs_plan *plan, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_group group = hs_result_group(job->inputs[0].result);
    enum hs_status status;

    *plan = (struct hs_plan){.chunks = 1};
    if (!job->plan)
        return HS_OK;
    status = hs_plan_parse(plan, job->plan, group.size, err);
    if (status == HS_OK)
        status = hs_group_check_split(&group, &plan->split, err);
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, "--plan");
}

double hs_plot_predicted(const struct hs_result *result, const struct hs_result_message *message,
                         const struct hs_plan *plan)
{
    const struct hs_candidate *candidate = hs_result_candidate(message, plan);
    struct hs_problem problem;

    if (candidate && isfinite(candidate->predicted_seconds))
        return candidate->predicted_seconds;
    if (!result->has_system || hs_plan_is_default(plan))
        return NAN;
    problem = hs_result_problem(result, message);
    return hs_plan_seconds(&result->system, &problem, plan);
}

struct hs_plan_cost hs_plot_cost(const struct hs_result *result,
                                 const struct hs_result_message *message,
                                 const struct hs_plan *plan)
{
    const struct hs_candidate *candidate = hs_result_candidate(message, plan);
    struct hs_problem problem;

    if (candidate && candidate->cost)
        return *candidate->cost;
    if (!result->has_system || plan->split.count == 0)
        return (struct hs_plan_cost){.count = 0};
    problem = hs_result_problem(result, message);
    return hs_plan_cost(&result->system, &problem, plan);
}

struct hs_plot_time hs_plot_prediction(const struct hs_result *result,
                                       const struct hs_result_message *message,
                                       const struct hs_plan *plan)
{
    const struct hs_candidate *candidate = hs_result_candidate(message, plan);
    struct hs_plot_time time = {hs_plot_predicted(result, message, plan), NAN, NAN};
    struct hs_plan_cost cost;

    if (candidate && isfinite(candidate->predicted_low_seconds)) {
        time.low = candidate->predicted_low_seconds;
        time.high = candidate->predicted_high_seconds;
        return time;
    }
    if (hs_plan_is_default(plan) || !result->has_system || result->system.fits.count == 0)
        return time;
    cost = hs_plot_cost(result, message, plan);
    if (cost.count > 0) {
        time.low = fmax(0, time.seconds - cost.ci95_seconds);
        time.high = time.seconds + cost.ci95_seconds;
    }
    if (!isfinite(time.high))
        time.low = time.high = NAN;
    return time;
}

const char *hs_plot_mark(const struct hs_result *result, const struct hs_result_message *message,
                         const struct hs_plan *plan)
{
    if (hs_plan_is_default(plan) || !result->has_system || result->system.fits.count == 0)
        return "";
    return hs_plot_cost(result, message, plan).extrapolated ? " *" : "";
}

struct hs_plot_time hs_plot_measured(const struct hs_measured *measured)
{
    struct hs_plot_time time = {NAN, NAN, NAN};

    if (!measured || measured->status != HS_MEASURE_OK)
        return time;
    return (struct hs_plot_time){measured->median_seconds, measured->ci95_low_seconds,
                                 measured->ci95_high_seconds};
}

const struct hs_candidate *hs_plot_best_measured(const struct hs_result_message *message)
{
    const struct hs_candidate *best = NULL;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];
        double seconds = hs_plot_measured(candidate->measured).seconds;

        if (isfinite(seconds) && (!best || seconds < best->measured->median_seconds))
            best = candidate;
    }
    return best;
}

const struct hs_candidate *hs_plot_best_predicted(const struct hs_result_message *message)
{
    const struct hs_candidate *best = NULL;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];

        if (isfinite(candidate->predicted_seconds) &&
            (!best || candidate->predicted_seconds < best->predicted_seconds))
            best = candidate;
    }
    return best;
}

const struct hs_baseline_result *hs_plot_best_baseline(const struct hs_result_message *message)
{
    const struct hs_baseline_result *best = NULL;

    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *baseline = &message->baselines[i];

        if (isfinite(hs_plot_measured(&baseline->measured).seconds) &&
            (!best || baseline->measured.median_seconds < best->measured.median_seconds))
            best = baseline;
    }
    return best;
}

/* ---- in order ---- */

static int compare_messages(const void *left, const void *right)
{
    const struct hs_result_message *a = *(const struct hs_result_message *const *)left;
    const struct hs_result_message *b = *(const struct hs_result_message *const *)right;

    return (a->message_bytes > b->message_bytes) - (a->message_bytes < b->message_bytes);
}

const struct hs_result_message **hs_plot_messages(const struct hs_result *result)
{
    const struct hs_result_message **sorted =
        malloc(result->message_count * sizeof(const struct hs_result_message *));

    for (size_t i = 0; sorted && i < result->message_count; i++)
        sorted[i] = &result->messages[i];
    if (sorted)
        qsort(sorted, result->message_count, sizeof(const struct hs_result_message *),
              compare_messages);
    return sorted;
}

static int compare_inputs(const void *left, const void *right)
{
    const struct hs_named_result *a = *(const struct hs_named_result *const *)left;
    const struct hs_named_result *b = *(const struct hs_named_result *const *)right;

    if (a->result->np != b->result->np)
        return a->result->np < b->result->np ? -1 : 1;
    return (a > b) - (a < b);
}

const struct hs_named_result **hs_plot_sorted(const struct hs_plot_job *job)
{
    const struct hs_named_result **sorted =
        malloc(job->input_count * sizeof(const struct hs_named_result *));

    for (size_t i = 0; sorted && i < job->input_count; i++)
        sorted[i] = &job->inputs[i];
    if (sorted)
        qsort(sorted, job->input_count, sizeof(const struct hs_named_result *), compare_inputs);
    return sorted;
}
