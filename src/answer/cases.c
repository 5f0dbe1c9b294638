#include "answer/cases.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a file has ---- */

bool hs_compare_is_measured(const struct hs_candidate *candidate)
{
    const struct hs_measured *measured = candidate->measured;

    return measured && measured->status == HS_MEASURE_OK && isfinite(measured->median_seconds) &&
           measured->median_seconds > 0;
}

static size_t count_measured(const struct hs_result_message *message)
{
    size_t count = 0;

    for (size_t i = 0; i < message->candidate_count; i++)
        count += hs_compare_is_measured(&message->candidates[i]);
    return count;
}

static bool has_prediction(const struct hs_result_message *message)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (isfinite(message->candidates[i].predicted_seconds))
            return true;
    return false;
}

bool hs_compare_has_measured(const struct hs_named_result *input, uint64_t bytes)
{
    for (size_t i = 0; i < input->result->message_count; i++) {
        const struct hs_result_message *message = &input->result->messages[i];

        if ((bytes == 0 || message->message_bytes == bytes) && count_measured(message) > 0)
            return true;
    }
    return false;
}

const struct hs_system *hs_compare_system_of(const struct hs_result *result)
{
    return result->has_system ? &result->system : NULL;
}

bool hs_compare_same_system(const struct hs_system *a, const struct hs_system *b)
{
    return a == b ? a != NULL : a && b && hs_system_equal(a, b);
}

static const struct hs_candidate *find_candidate(const struct hs_result_message *message,
                                                 const struct hs_plan *plan)
{
    for (size_t i = 0; message && i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return &message->candidates[i];
    return NULL;
}

/* ---- one case ---- */

/* Where the predictions of a case come from. */
struct source {
    const struct hs_named_result *input;     /* NULL: the job's system */
    const struct hs_result_message *message; /* its list of candidates, NULL: none */
    const struct hs_system *system;          /* prices what is not listed, NULL: nothing */
};

/* False where nobody can say. */
static bool predict(struct hs_compare_point *point, const struct source *source,
                    const struct hs_problem *problem)
{
    const struct hs_candidate *listed = find_candidate(source->message, &point->plan);

    if (listed && isfinite(listed->predicted_seconds)) {
        point->predicted_seconds = listed->predicted_seconds;
        point->extrapolated = listed->extrapolated;
    } else if (source->system && hs_plan_is_priced(source->system, &point->plan)) {
        struct hs_plan_cost cost = hs_plan_cost(source->system, problem, &point->plan);

        point->predicted_seconds = cost.seconds;
        point->extrapolated = cost.extrapolated;
    } else {
        return false;
    }
    return true;
}

static void collect_points(struct hs_compare_case *one, const struct source *source)
{
    struct hs_problem problem = hs_result_problem(one->measured->result, one->message);

    for (size_t i = 0; i < one->message->candidate_count; i++) {
        const struct hs_candidate *candidate = &one->message->candidates[i];
        const struct hs_measured *measured = candidate->measured;
        struct hs_compare_point *point = &one->points[one->count];

        if (!hs_compare_is_measured(candidate)) {
            one->faulty += measured && measured->status != HS_MEASURE_SKIPPED;
            continue;
        }
        *point = (struct hs_compare_point){.plan = candidate->plan,
                                           .measured_seconds = measured->median_seconds,
                                           .low_seconds = measured->ci95_low_seconds,
                                           .high_seconds = measured->ci95_high_seconds};
        if (predict(point, source, &problem))
            one->count++;
        else
            one->unpredicted++;
    }
}

static enum hs_status score_case(struct hs_compare_case *one, const struct hs_compare_job *job,
                                 struct hs_error *err)
{
    struct hs_search_request request = {.system = one->system,
                                        .problem =
                                            hs_result_problem(one->measured->result, one->message),
                                        .keep = job->keep ? job->keep : HS_COMPARE_KEEP,
                                        .widen = job->widen};
    enum hs_status status = hs_compare_score(&one->score, one->points, one->count, err);

    return status == HS_OK ? hs_compare_rule(&one->rule, one->points, one->count, &request, err)
                           : status;
}

/* Adds the case, unless no plan is in both. `out->cases` has room. */
static enum hs_status add_case(struct hs_comparison *out, const struct hs_compare_job *job,
                               const struct hs_named_result *measured,
                               const struct hs_result_message *message, const struct source *source,
                               struct hs_error *err)
{
    struct hs_compare_case *one = &out->cases[out->case_count];

    *one = (struct hs_compare_case){.measured = measured,
                                    .predicted = source->input,
                                    .message = message,
                                    .system = source->system,
                                    .np = measured->result->np};
    one->points = calloc(message->candidate_count, sizeof(*one->points));
    if (!one->points)
        return hs_no_memory(err);
    collect_points(one, source);
    if (one->count == 0) {
        free(one->points);
        one->points = NULL;
        return HS_OK;
    }
    out->case_count++;
    return score_case(one, job, err);
}

/* ---- which prediction ---- */

/* The message of another file that only predicts what was measured, or NULL. */
static const struct hs_result_message *find_prediction(const struct hs_named_result *input,
                                                       const struct hs_result *measured,
                                                       uint64_t bytes)
{
    const struct hs_system *machine = hs_compare_system_of(measured);

    if (input->result->np != measured->np ||
        (machine && !hs_compare_same_system(machine, hs_compare_system_of(input->result))))
        return NULL;
    for (size_t i = 0; i < input->result->message_count; i++) {
        const struct hs_result_message *message = &input->result->messages[i];

        if (message->message_bytes == bytes && count_measured(message) == 0 &&
            has_prediction(message))
            return message;
    }
    return NULL;
}

static enum hs_status add_cases(struct hs_comparison *out, const struct hs_compare_job *job,
                                const struct hs_named_result *measured,
                                const struct hs_result_message *message, struct hs_error *err)
{
    struct source own = {measured, message, hs_compare_system_of(measured->result)};
    size_t before = out->case_count;
    enum hs_status status = HS_OK;

    if (job->system) {
        own = (struct source){NULL, NULL, job->system};
        return add_case(out, job, measured, message, &own, err);
    }
    for (size_t i = 0; i < job->input_count && status == HS_OK; i++) {
        const struct hs_named_result *other = &job->inputs[i];
        struct source source = {other, NULL, hs_compare_system_of(other->result)};

        source.message = find_prediction(other, measured->result, message->message_bytes);
        if (source.message)
            status = add_case(out, job, measured, message, &source, err);
    }
    if (status == HS_OK && out->case_count == before)
        status = add_case(out, job, measured, message, &own, err);
    return status;
}

enum hs_status hs_compare_find_cases(struct hs_comparison *out, const struct hs_compare_job *job,
                                     struct hs_error *err)
{
    size_t messages = 0;
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < job->input_count; i++)
        messages += job->inputs[i].result->message_count;
    out->cases = calloc(messages * job->input_count + 1, sizeof(*out->cases));
    if (!out->cases)
        return hs_no_memory(err);
    for (size_t i = 0; i < job->input_count; i++)
        for (size_t m = 0; m < job->inputs[i].result->message_count && status == HS_OK; m++) {
            const struct hs_result_message *message = &job->inputs[i].result->messages[m];

            if (count_measured(message) > 0 &&
                (job->message_bytes == 0 || message->message_bytes == job->message_bytes))
                status = add_cases(out, job, &job->inputs[i], message, err);
        }
    return status;
}
