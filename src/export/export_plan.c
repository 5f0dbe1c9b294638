/* Plans for targets that cannot express the best one, and message sizes at which a rule ends. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export/export.h"
#include "library/price_plan.h"

#define BISECTIONS 100   /* more than a double has bits */
#define TIE        1e-12 /* sums that differ by rounding alone: the first one stays */

const struct hs_plan hs_export_library_call = {.chunks = 1};

static bool is_measured(const struct hs_candidate *candidate)
{
    return candidate && candidate->measured && candidate->measured->status == HS_MEASURE_OK;
}

/* Ran, and must not be run again. */
static bool is_unusable(const struct hs_candidate *candidate)
{
    return candidate && candidate->measured && candidate->measured->status != HS_MEASURE_OK &&
           candidate->measured->status != HS_MEASURE_SKIPPED;
}

/* No program makes that call as it is: its memory and its communicators must be made for it. */
static bool needs_windows(const struct hs_baseline_result *baseline)
{
    const char *last = strrchr(baseline->name, ' ');

    return last && (strcmp(last, " symmetric") == 0 || strcmp(last, " zero-CTA") == 0);
}

const struct hs_baseline_result *hs_export_library(const struct hs_result_message *message)
{
    const struct hs_baseline_result *fastest = NULL;

    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *baseline = &message->baselines[i];

        if (baseline->measured.status == HS_MEASURE_OK && !needs_windows(baseline) &&
            (!fastest || baseline->measured.median_seconds < fastest->measured.median_seconds))
            fastest = baseline;
    }
    return fastest;
}

const struct hs_baseline_result *hs_export_untimed(const struct hs_result_message *message)
{
    const struct hs_baseline_result *untimed = NULL;

    for (size_t i = 0; i < message->baseline_count && !hs_export_library(message); i++)
        if (message->baselines[i].measured.status == HS_MEASURE_SKIPPED)
            untimed = &message->baselines[i];
    return untimed;
}

double hs_export_measured(const struct hs_result_message *message, const struct hs_plan *plan)
{
    const struct hs_baseline_result *library = hs_export_library(message);
    const struct hs_candidate *candidate;

    if (plan->split.count == 0)
        return library ? library->measured.median_seconds : NAN;
    candidate = hs_result_candidate(message, plan);
    return is_measured(candidate) ? candidate->measured->median_seconds : NAN;
}

bool hs_export_told_apart(const struct hs_result_message *message, const struct hs_plan *plan,
                          const struct hs_plan *slower)
{
    const struct hs_candidate *a = hs_result_candidate(message, plan);
    const struct hs_candidate *b = hs_result_candidate(message, slower);

    return !is_measured(a) || !is_measured(b) ||
           !(b->measured->ci95_low_seconds <= a->measured->ci95_high_seconds);
}

double hs_export_predicted(const struct hs_result *result, const struct hs_result_message *message,
                           const struct hs_plan *plan)
{
    const struct hs_candidate *candidate = hs_result_candidate(message, plan);
    struct hs_problem problem;

    if (candidate && !isnan(candidate->predicted_seconds))
        return candidate->predicted_seconds;
    if (!result->has_system || plan->split.count == 0 || !hs_plan_is_priced(&result->system, plan))
        return NAN;
    problem = hs_result_problem(result, message);
    return hs_plan_seconds(&result->system, &problem, plan);
}

/* ---- the best plan within a number of layers ---- */

struct contest {
    const struct hs_result *result;
    const struct hs_result_message *message;
    int layers;
    double scale; /* measured over predicted, of the plan that is replaced */
    struct hs_plan plan;
    double seconds; /* of the plan; NaN: none yet */
};

static void enter(struct contest *contest, const struct hs_plan *plan, double seconds)
{
    if (isnan(seconds) || seconds >= contest->seconds * (1 - TIE))
        return;
    contest->plan = *plan;
    contest->seconds = seconds;
}

static bool may_enter(const struct contest *contest, const struct hs_plan *plan)
{
    return plan->chunks == 1 && plan->split.count <= contest->layers &&
           !is_unusable(hs_result_candidate(contest->message, plan));
}

static void enter_measured(struct contest *contest)
{
    for (size_t i = 0; i < contest->message->candidate_count; i++) {
        const struct hs_candidate *candidate = &contest->message->candidates[i];

        if (is_measured(candidate) && may_enter(contest, &candidate->plan))
            enter(contest, &candidate->plan, candidate->measured->median_seconds);
    }
}

static void enter_predicted(struct contest *contest, const struct hs_plan *plan)
{
    if (may_enter(contest, plan))
        enter(contest, plan,
              contest->scale * hs_export_predicted(contest->result, contest->message, plan));
}

static void enter_split(struct contest *contest, int64_t inner, int64_t outer)
{
    struct hs_plan plan = {.split = {.count = 2, .sizes = {inner, outer}}, .chunks = 1};

    enter_predicted(contest, &plan);
}

/* The flat split, and every split in two layers. */
static void enter_splits(struct contest *contest)
{
    int64_t np = contest->result->np;
    struct hs_plan flat = hs_plan_flat(np);

    if (isnan(hs_export_measured(contest->message, &flat)))
        enter_predicted(contest, &flat);
    for (int64_t size = 2; size <= np / size; size++) {
        if (np % size != 0)
            continue;
        enter_split(contest, size, np / size);
        enter_split(contest, np / size, size);
    }
}

static void enter_candidates(struct contest *contest)
{
    for (size_t i = 0; i < contest->message->candidate_count; i++)
        if (!is_measured(&contest->message->candidates[i]))
            enter_predicted(contest, &contest->message->candidates[i].plan);
}

static void hold(struct contest *contest, const struct hs_plan *replaced)
{
    double measured = hs_export_measured(contest->message, replaced);
    double predicted = hs_export_predicted(contest->result, contest->message, replaced);

    contest->scale = measured / predicted;
    if (isnan(contest->scale))
        contest->scale = 1;
    contest->seconds = INFINITY;
    enter_measured(contest);
    if (contest->seconds < INFINITY && contest->plan.split.count > 1)
        return;
    enter_candidates(contest);
    if (contest->result->has_system)
        enter_splits(contest);
}

enum hs_status hs_export_best_within(struct hs_plan *plan, double *cost,
                                     const struct hs_export_job *job, size_t message, int layers,
                                     struct hs_error *err)
{
    const struct hs_result_message *at = &job->result->messages[message];
    const struct hs_plan *wanted = hs_export_wanted(job, message);
    struct contest contest = {job->result, at, layers, 1, {.chunks = 1}, INFINITY};
    double seconds = hs_export_measured(at, wanted);
    char size[HS_UNIT_TEXT];

    *plan = *wanted;
    *cost = 1;
    if (wanted->split.count > 0 && (layers == 0 || wanted->split.count <= layers))
        return HS_OK;
    hold(&contest, wanted);
    if (!(contest.seconds < INFINITY))
        return hs_fail(err, HS_INVALID,
                       "%s: for %s no plan of at most %d layers is known, and no system to "
                       "predict one: name it (--plan), or measure it",
                       job->result_name, hs_bytes_format(size, at->message_bytes), layers);
    *plan = contest.plan;
    if (isnan(seconds))
        seconds = hs_export_predicted(job->result, at, wanted);
    *cost = contest.seconds / seconds;
    return HS_OK;
}

/* ---- where a rule ends ---- */

/* Zero of a difference that is `a` (<= 0) at `from` and `b` (>= 0) at `to`, if it is linear. */
static double linear_zero(double from, double a, double to, double b)
{
    return from + (to - from) * (-a / (b - a));
}

static double model_difference(const struct hs_result *result, const struct hs_plan *below,
                               const struct hs_plan *above, double bytes)
{
    struct hs_problem problem = hs_result_problem(result, &result->messages[0]);

    problem.bytes = bytes;
    return hs_plan_seconds(&result->system, &problem, below) -
           hs_plan_seconds(&result->system, &problem, above);
}

/* Plans with chunks are linear only in parts, therefore by bisection. */
static double model_zero(const struct hs_result *result, const struct hs_plan *below,
                         const struct hs_plan *above, double from, double to)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = from + (to - from) / 2;

        if (model_difference(result, below, above, middle) <= 0)
            from = middle;
        else
            to = middle;
    }
    return to;
}

/* `below` is better at the one end, and `above` at the other. */
static bool changes(double a, double b)
{
    return a <= 0 && b >= 0 && b - a > 0;
}

double hs_export_cross(const struct hs_export_job *job, size_t message, const struct hs_plan *below,
                       const struct hs_plan *above, bool *guessed)
{
    const struct hs_result_message *low = &job->result->messages[message], *high = low + 1;
    double from = (double)low->message_bytes, to = (double)high->message_bytes;
    double a = hs_export_measured(low, below) - hs_export_measured(low, above);
    double b = hs_export_measured(high, below) - hs_export_measured(high, above);

    *guessed = false;
    if (changes(a, b))
        return linear_zero(from, a, to, b);
    if ((isnan(a) || isnan(b)) && job->result->has_system && below->split.count > 0 &&
        above->split.count > 0 &&
        changes(model_difference(job->result, below, above, from),
                model_difference(job->result, below, above, to)))
        return model_zero(job->result, below, above, from, to);
    *guessed = true;
    return sqrt(from) * sqrt(to);
}
