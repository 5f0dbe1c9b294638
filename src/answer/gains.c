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
                                                   .sure = 1,
                                                   .gain = NAN,
                                                   .least_gain = NAN};
    return HS_OK;
}

void hs_gains_release(struct hs_gains *gains)
{
    free(gains->gains);
    free(gains->whys);
    free(gains->source);
    free(gains->reason);
    hs_job_lines_release(&gains->next);
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

/* ---- the sums, and the verdict --------------------------------------------------------------- */

/* The library's times by two sources differ from so many times on: the job ran elsewhere. */
#define ALIKE 1.5

/* Where the library's time is that part of what it is. */
static double gain_of(const struct hs_profile_gain *gain, double part)
{
    if (!gain->left_alone && (gain->why || gain->plan.split.count == 0))
        return NAN;
    return gain->left_alone ? 0
                            : hs_profile_call_count(gain->profile, gain->call) *
                                  (part * gain->library_seconds -
                                   (gain->scales ? part : 1) * gain->plan_seconds);
}

static void add_up(struct hs_gains *gains)
{
    for (size_t i = 0; i < gains->count; i++) {
        struct hs_profile_gain *gain = &gains->gains[i];
        double waited = hs_profile_call_waited(gain->profile, gain->call);
        double calls = hs_profile_call_count(gain->profile, gain->call);

        gain->gain = gain_of(gain, 1);
        gain->least_gain = gain_of(gain, gain->sure);
        if (!gain->call->begun) {
            gains->spent += hs_profile_call_spent(gain->profile, gain->call);
            gains->waited += isnan(waited) ? 0 : waited;
        }
        if (isnan(gain->gain))
            continue;
        gains->gain += gain->gain;
        gains->least_gain += gain->least_gain;
        gains->gained++;
        gains->by_profile += gain->by == hs_gain_by_profile;
        if (!gain->call->begun && !isnan(gain->library_seconds) &&
            !(gain->by == hs_gain_by_result && isnan(gain->compared_seconds))) {
            gains->working += calls * hs_profile_call_seconds(gain->call);
            gains->compared += calls * (isnan(gain->compared_seconds) ? gain->library_seconds
                                                                      : gain->compared_seconds);
        }
    }
}

/* A gain is one from 3 % of the time in collectives on, as of one call; one that rests on times of
 * another machine than the plans' is none. */
static enum hs_status decide(struct hs_gains *gains, struct hs_error *err)
{
    double all = gains->spent;
    bool differs = gains->by_profile < gains->gained && gains->working > 0 &&
                   fabs(log(gains->compared / gains->working)) > log(ALIKE);

    for (size_t i = 0; i < gains->count && gains->spent == 0; i++) /* NCCL's are only begun */
        if (!isnan(gains->gains[i].library_seconds))
            all += hs_profile_call_count(gains->profile, gains->gains[i].call) *
                   gains->gains[i].library_seconds;
    gains->advice = HS_JOB_KEEP;
    if (!(gains->gain > 0) || (!differs && !(gains->least_gain > (1 - 1 / HS_ADVICE_GAIN) * all)))
        return HS_OK;
    gains->advice = differs || gains->by_profile > 0 ? HS_JOB_UNDECIDED : HS_JOB_USE;
    if (gains->advice == HS_JOB_USE)
        return HS_OK;
    if (differs)
        return hs_job_write(&gains->reason, err,
                            "the profile does not match %s: the library's calls take %s there, %s "
                            "in the profile, without waiting",
                            gains->source, HS_AS_TIME(gains->compared), HS_AS_TIME(gains->working));
    return hs_job_write(&gains->reason, err,
                        "library times are from the profile, plans from the model; valid only if "
                        "the job ran on %s",
                        gains->source);
}

static enum hs_status finish(struct hs_gains *gains, struct hs_error *err)
{
    add_up(gains);
    sort(gains);
    return decide(gains, err);
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
        one.layout = HS_NATURAL;
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
                                 const struct hs_profile *profile, const char *path,
                                 struct hs_error *err)
{
    const char *typed = asked->typed ? asked->typed : asked->label;
    struct hs_text line = {0};
    enum hs_status status = init(gains, profile, hs_gain_by_model, err);

    if (!status)
        status = hs_job_write(&gains->source, err, "%s", typed);
    for (size_t i = 0; i < gains->count && status == HS_OK; i++) {
        struct hs_profile_gain *gain = &gains->gains[i];
        struct hs_problem problem;
        struct hs_mesh mesh;

        if (hs_profile_call_problem(&problem, &mesh, gains->whys[i], profile, gain->call))
            status = price(gain, asked, &problem, &mesh, err);
        else
            gain->why = gains->whys[i];
    }
    if (!status)
        status = finish(gains, err);
    if (status || gains->advice == HS_JOB_KEEP)
        return status;
    hs_text_append(&line, "mpiexec -n %" PRId64 " hiersearch measure --profile ", profile->ranks);
    hs_command_word_append(&line, path);
    hs_text_append(&line, " -o plans.json");
    status = line.failed ? hs_no_memory(err) : hs_job_add_line(&gains->next, err, "%s", line.data);
    hs_text_release(&line);
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

        if (result->collective == problem->collective && result->layout != HS_REVERSED &&
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
    struct hs_text names = {0};
    enum hs_status status = init(gains, profile, hs_gain_by_result, err);

    for (size_t i = 0; i < inputs->count; i++) {
        hs_text_append(&names, "%s", i > 0 ? " " : "");
        hs_command_word_append(&names, inputs->inputs[i].name);
    }
    if (!status)
        status = names.failed
                     ? hs_no_memory(err)
                     : hs_job_write(&gains->source, err, "%s", names.data ? names.data : "");
    hs_text_release(&names);
    if (status == HS_OK)
        status = rules_of(&rules, inputs, profile, err);
    for (size_t i = 0; i < gains->count && status == HS_OK; i++)
        weigh(&gains->gains[i], gains->whys[i], &rules, inputs);
    hs_rules_release(&rules);
    if (!status)
        status = finish(gains, err);
    return !status && gains->advice == HS_JOB_USE
               ? hs_job_add_line(&gains->next, err,
                                 "mpiexec -n %" PRId64 " hiersearch run %s -- %s", profile->ranks,
                                 gains->source, profile->command)
               : status;
}

/* ---- the document ---------------------------------------------------------------------------- */

#define VERSION "gains/1"

#define GAIN(member)   HS_AT(struct hs_profile_gain, member)
#define ANSWER(member) HS_AT(struct hs_gains, member)

static const struct hs_profile_gain *gain_at(const struct hs_place *place)
{
    return place->object;
}

static const char *format_group(char text[HS_FIELD_TEXT], const void *value,
                                const struct hs_place *place)
{
    (void)value;
    return hs_profile_group_format(text, gain_at(place)->profile, gain_at(place)->call);
}

static const char *format_plan(char text[HS_FIELD_TEXT], const void *value,
                               const struct hs_place *place)
{
    (void)value;
    return gain_at(place)->left_alone ? "default" : hs_plan_format(text, &gain_at(place)->plan);
}

static bool has_plan(const struct hs_place *place)
{
    return gain_at(place)->left_alone || gain_at(place)->plan.split.count > 0;
}

static double calls_per_rank(const struct hs_place *place)
{
    return hs_profile_call_count(gain_at(place)->profile, gain_at(place)->call);
}

static double mean_bytes(const struct hs_place *place)
{
    return hs_profile_call_bytes(gain_at(place)->call);
}

static double spent(const struct hs_place *place)
{
    return hs_profile_call_spent(gain_at(place)->profile, gain_at(place)->call);
}

static double waiting(const struct hs_place *place)
{
    return hs_profile_call_waiting(gain_at(place)->call);
}

static double working(const struct hs_place *place)
{
    return hs_profile_call_seconds(gain_at(place)->call);
}

_Static_assert(HS_PROFILE_GROUP_TEXT <= HS_FIELD_TEXT, "a group's text fits");
static const struct hs_field_custom group = {NULL, format_group, NULL},
                                    plan = {NULL, format_plan, NULL};

static const struct hs_field call_rows[] = {
    {"call", HS_TEXT, HS_OWNED(struct hs_profile_call, call), .min = 1},
    {"collective", HS_TEXT, HS_OWNED(struct hs_profile_call, collective), HS_OPTIONAL},
    {"group_ranks", HS_INTEGER, HS_AT(struct hs_profile_call, group_ranks), .max = HS_NP_MAX},
    {"group_stride", HS_INTEGER, HS_AT(struct hs_profile_call, group_stride), .min = -HS_NP_MAX,
     .max = HS_NP_MAX},
    {"datatype", HS_TEXT, HS_OWNED(struct hs_profile_call, datatype), HS_OPTIONAL},
    {"operation", HS_TEXT, HS_OWNED(struct hs_profile_call, operation), HS_OPTIONAL},
};
static const struct hs_fields call_fields = {HS_ROWS(call_rows, struct hs_profile_call)};

static const struct hs_field gain_rows[] = {
    {"call", HS_PART, HS_OWNED(struct hs_profile_gain, call), .fields = &call_fields},
    {"groups", HS_CUSTOM, GAIN(plan), .custom = &group, .about = "As people read it."},
    {"mean_bytes", HS_NUMBER, .compute = mean_bytes, HS_NOT_NEGATIVE},
    {"calls_per_rank", HS_NUMBER, .compute = calls_per_rank, HS_NOT_NEGATIVE},
    {"seconds_per_rank", HS_NUMBER, .compute = spent, HS_NOT_NEGATIVE,
     .about = "In all these calls, with waiting."},
    {"waiting", HS_NUMBER, .compute = waiting, HS_OPTIONAL, .max = 1,
     .about = "Part of that time spent waiting for the slowest rank."},
    {"working_seconds", HS_NUMBER, .compute = working, HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Of a call, without waiting where that is known."},
    {"library_seconds", HS_NUMBER, GAIN(library_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Of a call."},
    {"library_by", HS_TEXT, HS_OWNED(struct hs_profile_gain, by), .min = 1,
     .about = "Where that is from: model, profile or result."},
    {"plan", HS_CUSTOM, GAIN(plan), .custom = &plan, HS_OPTIONAL, .when = has_plan,
     .about = "default: keep the library's default call."},
    {"plan_seconds", HS_NUMBER, GAIN(plan_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE},
    {"gain_seconds_per_rank", HS_NUMBER, GAIN(gain), HS_OPTIONAL, .min = -INFINITY,
     .max = (double)INFINITY, .about = "Of all these calls."},
    {"least_gain_seconds_per_rank", HS_NUMBER, GAIN(least_gain), HS_OPTIONAL, .min = -INFINITY,
     .max = (double)INFINITY, .about = "If the skew between ranks does not change."},
    {"without_gain", HS_TEXT, HS_OWNED(struct hs_profile_gain, why), HS_OPTIONAL,
     .about = "Why none is known."},
};
static const struct hs_fields gain_fields = {.name = "gain",
                                             HS_ROWS(gain_rows, struct hs_profile_gain)};

static const struct hs_field rows[] = {
    {"format", HS_CONSTANT, .text = HS_FORMAT_OF VERSION},
    {"source", HS_TEXT, HS_OWNED(struct hs_gains, source), .min = 1,
     .about = "The machine that plans are of, or the results."},
    {"advice", HS_CHOICE, ANSWER(advice), HS_NAMES(hs_job_advice_names),
     .about = "use: plans gain 3 % of the time in collectives at least; keep: they do not; "
              "undecided: for `reason`."},
    {"reason", HS_TEXT, HS_OWNED(struct hs_gains, reason), HS_OPTIONAL, .min = 1},
    {"seconds_per_rank", HS_NUMBER, ANSWER(spent), HS_NOT_NEGATIVE, .about = "In collectives."},
    {"waited_seconds_per_rank", HS_NUMBER, ANSWER(waited), HS_NOT_NEGATIVE,
     .about = "Of that waiting for the slowest rank."},
    {"gain_seconds_per_rank", HS_NUMBER, ANSWER(gain), .min = -INFINITY, .max = (double)INFINITY},
    {"least_gain_seconds_per_rank", HS_NUMBER, ANSWER(least_gain), .min = -INFINITY,
     .max = (double)INFINITY, .about = "If the skew between ranks does not change."},
    {"gains", HS_LIST, HS_LIST_AT(struct hs_gains, gains, count), .max = HS_PROFILE_CALLS_MAX,
     .fields = &gain_fields, .about = "Kinds of calls that cost the job most first."},
    {"next", HS_LIST, HS_LIST_AT(struct hs_gains, next.items, next.count), .max = 8,
     .fields = &hs_job_line_fields, .about = "What to do next, as command lines."},
};
static const struct hs_fields gains_fields = {
    .id = HS_SCHEMA_ID VERSION,
    .title = "hiersearch gains",
    .about = "What the best plans gain a job, as hiersearch predict --profile writes it "
             "(docs/profile.md). Times are in seconds; what does not exist is absent.",
    HS_ROWS(rows, struct hs_gains),
};

enum hs_status hs_gains_print(struct hs_text *out, const struct hs_gains *gains,
                              struct hs_error *err)
{
    return hs_fields_print(out, &gains_fields, gains, false, err);
}

enum hs_status hs_gains_print_schema(struct hs_text *out, struct hs_error *err)
{
    return hs_fields_print_schema(out, &gains_fields, err);
}
