/* What the best plans gain a job, of which a profile says what it called: by the model of a system,
 * or by what results measured. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inputs.h"
#include "cli/predict.h"
#include "model/rules.h"
#include "view/figures.h"
#include "view/profiles.h"

enum hs_status hs_predict_check_profile(const struct hs_predict_settings *settings,
                                        struct hs_error *err)
{
    size_t given = settings->systems.count;

    if (!settings->profile)
        return given < 2 ? HS_OK
                         : hs_fail(err, HS_INVALID,
                                   "expected one SYSTEM (several RESULTs are for --profile), found "
                                   "%s behind %s",
                                   settings->systems.items[1], settings->systems.items[0]);
    if (settings->ask.np.first > 0 || settings->ask.words.mesh || settings->ask.words.over ||
        settings->ask.bytes.first > 0)
        return hs_fail(err, HS_INVALID,
                       "--profile: says processes, groups and sizes itself; expected no --np, "
                       "--mesh, --over or --size");
    if (settings->place.asked || settings->hsdp.asked || settings->explain || settings->before ||
        settings->output || settings->as || settings->ask.budget_seconds > 0)
        return hs_fail(err, HS_INVALID,
                       "--profile: not together with --place, --hsdp, --explain, --before, "
                       "--output, --as or --budget");
    return HS_OK;
}

/* The library's times by two sources are said to differ from so many times on. */
#define ALIKE 1.5

/* Where the library's own times are from. */
static const char by_model[] = "model", by_profile[] = "profile", by_result[] = "result";

/* ---- what both say --------------------------------------------------------------------------- */

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

/* Sums of the job's mean rank, in seconds. */
struct sums {
    double spent, waited;     /* measured, of calls that are not only begun */
    double working, compared; /* of the rows with a gain: measured without waiting, and by what
                                     plans are compared with */
    double gain, least;       /* with the skew between ranks, and where that stays as it is */
    size_t gained, begun, by_profile;
};

static struct sums sum_up(const struct hs_profile_gain *gains, size_t count)
{
    struct sums sums = {.gained = 0};

    for (size_t i = 0; i < count; i++) {
        const struct hs_profile_gain *gain = &gains[i];
        double waited = hs_profile_call_waited(gain->profile, gain->call);
        double seconds = hs_profile_gain_seconds(gain);
        double calls = hs_profile_call_count(gain->profile, gain->call);

        if (!gain->call->begun) {
            sums.spent += hs_profile_call_spent(gain->profile, gain->call);
            sums.waited += isnan(waited) ? 0 : waited;
        }
        if (isnan(seconds))
            continue;
        sums.gain += seconds;
        sums.least += hs_profile_gain_least(gain);
        sums.gained++;
        sums.begun += gain->call->begun;
        sums.by_profile += gain->by == by_profile;
        if (!gain->call->begun && !isnan(gain->library_seconds)) {
            sums.working += calls * hs_profile_call_seconds(gain->call);
            sums.compared += calls * (isnan(gain->compared_seconds) ? gain->library_seconds
                                                                    : gain->compared_seconds);
        }
    }
    return sums;
}

static void say_title(struct hs_sheet *sheet, const char *by, const struct hs_profile *profile)
{
    hs_sheet_say(sheet, "%s: %s, %" PRId64 " processes, %zu kind%s of calls\n", by,
                 profile->command, profile->ranks, profile->call_count,
                 HS_PLURAL(profile->call_count));
}

/* Both times of a gain, where they are from. */
static const char *source_of(const struct sums *sums, const struct hs_profile_gain *gains)
{
    if (gains[0].by == by_result)
        return "the library as the job had it, without waiting, and plans by what was measured of "
               "both";
    if (sums->by_profile == 0)
        return "plans and library by the model";
    return sums->by_profile < sums->gained
               ? "plans by the model, and library where it has a price there; else as the profile "
                 "measured it, without waiting"
               : "plans by the model, library as the profile measured it, without waiting: of "
                 "use where SYSTEM is what it ran on";
}

static void say_sums(struct hs_sheet *sheet, const struct hs_profile *profile,
                     const struct hs_profile_gain *gains)
{
    struct sums sums = sum_up(gains, profile->call_count);

    if (sums.least < sums.gain)
        hs_sheet_stress(sheet, "gain  %s to %s a rank", HS_AS_TIME(sums.least),
                        HS_AS_TIME(sums.gain));
    else
        hs_sheet_stress(sheet, "gain  %s a rank", HS_AS_TIME(sums.gain));
    if (sums.spent > 0)
        hs_sheet_say(sheet, " of %s in collectives, %s of it waiting for the last rank",
                     HS_AS_TIME(sums.spent), HS_AS_TIME(sums.waited));
    hs_sheet_say(sheet, "; communication time only, what computing hides of it is not known\n");
    hs_sheet_say(sheet, "      of %zu of %zu kinds of calls, %s\n", sums.gained,
                 profile->call_count, source_of(&sums, gains));
    if (sums.by_profile < sums.gained && sums.working > 0)
        hs_sheet_say(sheet,
                     "      the library's own calls take %s there, %s by the profile, without the "
                     "waiting that it knows%s\n",
                     HS_AS_TIME(sums.compared), HS_AS_TIME(sums.working),
                     fabs(log(sums.compared / sums.working)) > log(ALIKE)
                         ? ": it did not run like this"
                         : "");
    hs_sheet_say(sheet, "\n");
}

static enum hs_status show(struct hs_sheet *sheet, const struct hs_profile *profile,
                           struct hs_profile_gain *gains, struct hs_error *err)
{
    struct hs_table table;

    if (profile->call_count > 0) {
        qsort(gains, profile->call_count, sizeof(*gains), compare_costs);
        say_sums(sheet, profile, gains);
    }
    hs_profile_gains_init(&table);
    for (size_t i = 0; i < profile->call_count; i++)
        hs_profile_gains_add(&table, &gains[i]);
    hs_sheet_table(sheet, &table);
    return hs_sheet_end(sheet, err);
}

/* What each kind of calls asks, before anything is known of plans. Owned by the caller. */
static struct hs_profile_gain *gains_of(const struct hs_profile *profile, const char *by,
                                        struct hs_error *err)
{
    struct hs_profile_gain *gains = calloc(profile->call_count + 1, sizeof(*gains));

    for (size_t i = 0; gains && i < profile->call_count; i++)
        gains[i] = (struct hs_profile_gain){.profile = profile,
                                            .call = &profile->calls[i],
                                            .by = by,
                                            .library_seconds = NAN,
                                            .plan_seconds = NAN,
                                            .compared_seconds = NAN,
                                            .sure = 1};
    if (!gains)
        hs_no_memory(err);
    return gains;
}

/* ---- by the model ---------------------------------------------------------------------------- */

/* The same question, of one kind of calls. */
static struct hs_question question_of(const struct hs_predict *predict,
                                      const struct hs_problem *problem, const struct hs_mesh *mesh,
                                      const struct hs_profile_call *call)
{
    struct hs_question one = predict->settings->ask;

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
static enum hs_status price(struct hs_profile_gain *gain, const struct hs_predict *predict,
                            const struct hs_problem *problem, const struct hs_mesh *mesh,
                            struct hs_error *err)
{
    struct hs_question question = question_of(predict, problem, mesh, gain->call);
    struct hs_predict one = *predict;
    struct hs_predict_point point;
    struct hs_library_price own;
    uint64_t bytes = (uint64_t)fmax(1, round(problem->bytes));
    enum hs_status status;

    one.asked.question = &question;
    status = hs_predict_point_init(&point, &one, predict->profile->ranks, bytes, err);
    if (status == HS_INVALID)
        gain->why = "SYSTEM has no price for it";
    if (status != HS_OK)
        return status == HS_INVALID ? HS_OK : status;
    status = hs_point_library(&own, &one.asked, &point, err);
    gain->plan = point.found.plans[0].plan;
    gain->plan_seconds = point.found.plans[0].seconds;
    if (hs_library_is_priced(&own)) {
        gain->library_seconds = own.seconds;
        if (!isnan(own.best_seconds) && own.best_seconds > 0)
            gain->plan_seconds = own.best_seconds;
        gain->left_alone = own.left_alone || !(gain->plan_seconds < own.seconds);
    } else {
        gain->by = by_profile;
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

static enum hs_status price_all(struct hs_profile_gain *gains, char (*whys)[HS_PROFILE_WHY],
                                const struct hs_predict *predict, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < predict->profile->call_count && status == HS_OK; i++) {
        struct hs_problem problem;
        struct hs_mesh mesh;

        if (hs_profile_call_problem(&problem, &mesh, whys[i], predict->profile, gains[i].call))
            status = price(&gains[i], predict, &problem, &mesh, err);
        else
            gains[i].why = whys[i];
    }
    return status;
}

enum hs_status hs_predict_profile(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_profile *profile = predict->profile;
    struct hs_profile_gain *gains = gains_of(profile, by_model, err);
    char(*whys)[HS_PROFILE_WHY] = calloc(profile->call_count + 1, sizeof(*whys));
    enum hs_status status = gains && whys ? HS_OK : hs_no_memory(err);

    if (status == HS_OK)
        status = price_all(gains, whys, predict, err);
    hs_progress_line_clear(predict->progress);
    if (status == HS_OK) {
        say_title(predict->sheet, predict->asked.label, profile);
        status = show(predict->sheet, profile, gains, err);
        hs_predict_warn_of_extrapolation(predict);
    }
    free(whys);
    free(gains);
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
    gain->compared_seconds = at.library;
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

static enum hs_status show_weighed(struct hs_sheet *sheet, const struct hs_profile *profile,
                                   const struct hs_inputs *inputs, const struct hs_rules *rules,
                                   struct hs_error *err)
{
    struct hs_profile_gain *gains = gains_of(profile, by_result, err);
    char(*whys)[HS_PROFILE_WHY] = calloc(profile->call_count + 1, sizeof(*whys));
    enum hs_status status = gains && whys ? HS_OK : hs_no_memory(err);

    for (size_t i = 0; i < profile->call_count && status == HS_OK; i++)
        weigh(&gains[i], whys[i], rules, inputs);
    if (status == HS_OK) {
        say_title(sheet, inputs->inputs[0].name, profile);
        status = show(sheet, profile, gains, err);
    }
    free(whys);
    free(gains);
    return status;
}

enum hs_status hs_predict_by_results(struct hs_context *context,
                                     const struct hs_predict_settings *settings,
                                     const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_inputs inputs = {.count = 0};
    struct hs_rules rules = {.count = 0};
    struct hs_sheet sheet;
    enum hs_status status = hs_inputs_load(&inputs, &settings->systems, context, err);

    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    if (status == HS_OK)
        status = rules_of(&rules, &inputs, profile, err);
    if (status == HS_OK)
        status = show_weighed(&sheet, profile, &inputs, &rules, err);
    hs_rules_release(&rules);
    hs_inputs_release(&inputs);
    return status;
}
