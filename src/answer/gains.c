#include "answer/gains.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point.h"
#include "model/rules.h"

const char hs_gain_by_model[] = "model", hs_gain_by_profile[] = "profile",
           hs_gain_by_result[] = "result";

/* What each kind of calls asks, before anything is known of plans. */
static enum hs_status init(struct hs_gains *gains, const struct hs_profile *profile, const char *by,
                           struct hs_error *err)
{
    size_t count = profile->call_count;

    *gains = (struct hs_gains){.profile = profile,
                               .gains = calloc(count + 1, sizeof(*gains->gains)),
                               .whys = calloc(count + 1, sizeof(*gains->whys))};
    if (!gains->gains || !gains->whys)
        return hs_no_memory(err);
    gains->count = count;
    for (size_t i = 0; i < count; i++)
        gains->gains[i] = (struct hs_profile_gain){.profile = profile,
                                                   .call = &profile->calls[i],
                                                   .by = by,
                                                   .library_seconds = NAN,
                                                   .plan_seconds = NAN,
                                                   .compared_seconds = NAN,
                                                   .sure = 1};
    return HS_OK;
}

void hs_gains_release(struct hs_gains *gains)
{
    free(gains->gains);
    free(gains->whys);
}

/* What a kind of calls costs the job's mean rank; of calls that are only begun by their price. */
static double cost_of(const struct hs_profile_gain *gain)
{
    double seconds = hs_profile_call_spent(gain->profile, gain->call);

    return gain->call->begun && !isnan(gain->library_seconds)
               ? hs_profile_call_count(gain->profile, gain->call) * gain->library_seconds
               : seconds;
}

static int compare_costs(const void *left, const void *right)
{
    double a = cost_of(left), b = cost_of(right);

    if (a != b)
        return a > b ? -1 : 1;
    return (int)(((const struct hs_profile_gain *)left)->call >
                 ((const struct hs_profile_gain *)right)->call) -
           1;
}

static void sort(struct hs_gains *gains)
{
    if (gains->count > 0)
        qsort(gains->gains, gains->count, sizeof(*gains->gains), compare_costs);
}

/* ---- by the model ---------------------------------------------------------------------------- */

/* The same question, of one kind of calls. */
static struct hs_question question_of(const struct hs_asked *asked,
                                      const struct hs_problem *problem, const struct hs_mesh *mesh,
                                      const struct hs_profile_call *call)
{
    struct hs_question one = *asked->question;

    one.collective = problem->collective;
    if (!hs_collectives[problem->collective].ordered)
        one.order = HS_IN_PLACE;
    one.mesh = *mesh;
    if (call->datatype)
        hs_datatype_parse(&one.datatype, call->datatype, NULL); /* of others the usual one */
    return one;
}

/* Where the library has a price both are the model's; else what the profile measured of it, if it
 * knows what of that was waiting. */
static enum hs_status price(struct hs_profile_gain *gain, const struct hs_asked *asked,
                            const struct hs_problem *problem, const struct hs_mesh *mesh,
                            struct hs_error *err)
{
    struct hs_question question = question_of(asked, problem, mesh, gain->call);
    struct hs_asked one = *asked;
    struct hs_predict_point point;
    const struct hs_estimated *first;
    uint64_t bytes = (uint64_t)fmax(1, round(problem->bytes));
    struct hs_error error = {.status = HS_OK};
    enum hs_status status;

    one.question = &question;
    status = hs_point_search(&point, &one, gain->profile->ranks, bytes, &error);
    if (status == HS_INVALID)
        gain->why = "SYSTEM has no price for it";
    if (status != HS_OK)
        return status == HS_INVALID ? HS_OK : hs_fail(err, status, "%s", error.message);
    first = point.verdict.advice == HS_ADVICE_PLAN ? &point.plans[0] : hs_point_best_plan(&point);
    gain->plan = first->plan;
    gain->plan_seconds = first->estimate.seconds;
    if (hs_library_is_priced(&point.library)) {
        gain->library_seconds = point.reference.seconds;
        gain->left_alone = point.verdict.advice != HS_ADVICE_PLAN;
    } else {
        gain->by = hs_gain_by_profile;
        gain->why = gain->call->begun ? "what the library takes is not known"
                    : isnan(hs_profile_call_waiting(gain->call))
                        ? "what of its time is waiting is not known"
                        : NULL;
        if (!gain->why) {
            gain->library_seconds = hs_profile_call_seconds(gain->call);
            gain->sure = hs_profile_call_sure(gain->call);
        }
        gain->left_alone = gain->library_seconds <= gain->plan_seconds;
    }
    if (gain->left_alone)
        gain->plan_seconds = gain->library_seconds;
    hs_predict_point_release(&point);
    return status;
}

enum hs_status hs_gains_by_model(struct hs_gains *gains, const struct hs_asked *asked,
                                 const struct hs_profile *profile, struct hs_error *err)
{
    enum hs_status status = init(gains, profile, hs_gain_by_model, err);

    for (size_t i = 0; i < gains->count && status == HS_OK; i++) {
        struct hs_profile_gain *gain = &gains->gains[i];
        struct hs_problem problem;
        struct hs_mesh mesh;

        if (hs_profile_call_problem(&problem, &mesh, gains->whys[i], profile, gain->call))
            status = price(gain, asked, &problem, &mesh, err);
        else
            gain->why = gains->whys[i];
    }
    sort(gains);
    return status;
}

/* ---- by results ------------------------------------------------------------------------------ */

/* What `run` gives to the library whatever its rules say; NULL: nothing. */
static const char *why_not_run(const struct hs_profile_call *call)
{
    bool own_type = call->datatype && strcmp(call->datatype, "other") == 0;
    const char *operation = call->operation;

    if (call->begun)
        return "run carries out blocking calls alone";
    if (operation &&
        (own_type || strcmp(operation, "user") == 0 || strcmp(operation, "location") == 0))
        return "run carries out MPI's own reductions alone";
    return NULL;
}

static const struct hs_result *result_about(const struct hs_inputs *inputs,
                                            const struct hs_problem *problem)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct hs_result *result = inputs->inputs[i].result;
        struct hs_group group = hs_result_group(result);

        if (result->collective == problem->collective && result->order != HS_PERMUTED &&
            hs_group_equal(&group, &problem->group))
            return result;
    }
    return NULL;
}

/* By the rule that `run` would have for the size, and the times that its result has around it: what
 * the library takes in the job, times what the plan took of it there. */
static void weigh(struct hs_profile_gain *gain, char why[HS_PROFILE_WHY],
                  const struct hs_rules *rules, const struct hs_inputs *inputs)
{
    struct hs_problem problem;
    struct hs_mesh mesh;
    const struct hs_result *result;
    const struct hs_rule *rule;
    struct hs_measured_at at;

    gain->why = why_not_run(gain->call);
    if (!hs_profile_call_problem(&problem, &mesh, why, gain->profile, gain->call))
        gain->why = why;
    if (gain->why)
        return;
    result = result_about(inputs, &problem);
    if (!result) {
        gain->why = "no RESULT is about it";
        return;
    }
    rule = hs_rules_find(rules, problem.collective, &problem.group, (uint64_t)round(problem.bytes));
    at = hs_result_measured_at(result, rule ? &rule->plan : NULL, problem.bytes);
    gain->compared_seconds = at.beyond ? NAN : at.library;
    gain->library_seconds = isnan(hs_profile_call_waiting(gain->call))
                                ? at.library
                                : hs_profile_call_seconds(gain->call);
    gain->sure = hs_profile_call_sure(gain->call);
    gain->scales = true;
    gain->left_alone = !rule;
    gain->plan_seconds = gain->library_seconds * (rule ? at.plan / at.library : 1);
    if (rule)
        gain->plan = rule->plan;
    if (isnan(gain->plan_seconds))
        gain->why = "its RESULT did not measure both";
}

static enum hs_status rules_of(struct hs_rules *rules, const struct hs_inputs *inputs,
                               const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = HS_OK;

    *rules = (struct hs_rules){.count = 0};
    for (size_t i = 0; i < inputs->count && status == HS_OK; i++) {
        hs_result_sort(&inputs->results[i]);
        status = hs_inputs_rules(&text, &inputs->results[i], inputs->inputs[i].name, true, err);
    }
    if (status == HS_OK)
        status = hs_rules_parse(rules, text.data ? text.data : "", err);
    hs_text_release(&text);
    if (status == HS_OK && rules->ranks != profile->ranks) {
        status = hs_fail(err, HS_INVALID,
                         "%s: of %" PRId64 " processes, expected as many as the job has, %" PRId64,
                         inputs->inputs[0].name, rules->ranks, profile->ranks);
        hs_rules_release(rules);
    }
    return status;
}

enum hs_status hs_gains_by_results(struct hs_gains *gains, const struct hs_inputs *inputs,
                                   const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_rules rules = {.count = 0};
    enum hs_status status = init(gains, profile, hs_gain_by_result, err);

    if (status == HS_OK)
        status = rules_of(&rules, inputs, profile, err);
    for (size_t i = 0; i < gains->count && status == HS_OK; i++)
        weigh(&gains->gains[i], gains->whys[i], &rules, inputs);
    sort(gains);
    hs_rules_release(&rules);
    return status;
}
