#include "answer/jobs.h"

#include <gsl/gsl_sort.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point.h"
#include "base/clock.h"
#include "base/list.h"
#include "library/price_plan.h"

enum hs_status hs_job_ask(struct hs_asked *asked, struct hs_machines *machines,
                          struct hs_system *system, const struct hs_question *question,
                          const char *typed, struct hs_error *err)
{
    enum hs_status status = hs_question_choose(system, question, err);

    *machines = (struct hs_machines){.count = 0};
    hs_system_keep(system);
    if (!status)
        status = hs_machines_init(machines, system, hs_question_machines(question), 1, err);
    if (status)
        machines->count = 0;
    *asked = (struct hs_asked){.question = question,
                               .strategy = hs_search_strategy_find(question->search),
                               .system = system,
                               .machines = machines,
                               .label = hs_system_is_text(typed) ? typed : system->name,
                               .typed = typed,
                               .began_seconds = hs_clock_seconds()};
    return status ? status : hs_asked_check(asked, err);
}

/* ---- the price of a message ------------------------------------------------------------------ */

size_t hs_job_samples(const struct hs_asked *asked)
{
    return asked->question->machines > 0 && hs_machines_differ(asked->machines)
               ? asked->machines->count
               : 0;
}

/* A sendrecv: one step of the flat ring that an AllGather takes. */
static enum hs_status price_step(struct hs_job_price *out, const struct hs_asked *asked,
                                 const struct hs_job_message *message, struct hs_error *err)
{
    size_t samples = hs_job_samples(asked);
    double steps = hs_job_message_steps(message, &out->problem), sum = 0;
    enum hs_status status;

    out->plan = hs_problem_flat(&out->problem);
    out->seconds = hs_plan_seconds(asked->system, &out->problem, &out->plan) / steps;
    if (samples == 0)
        return HS_OK;
    hs_machines_ask(asked->machines, hs_point_ranks_among(&out->problem));
    status =
        hs_machines_plan_seconds_each(out->each, asked->machines, &out->problem, &out->plan, err);
    for (size_t j = 0; j < samples && !status; j++) {
        out->each[j] /= steps;
        sum += out->each[j];
    }
    out->seconds = sum / (double)samples;
    return status;
}

/* A collective: what `predict` would have it run. A plan that it cannot tell apart is not run. */
static enum hs_status price_point(struct hs_job_price *out, const struct hs_asked *asked,
                                  struct hs_error *err)
{
    size_t samples = hs_job_samples(asked);
    struct hs_predict_point point;
    struct hs_estimate estimate;
    bool priced;
    enum hs_status status = hs_point_search_problem(&point, asked, &out->problem, err);

    if (status)
        return status;
    priced = hs_library_is_priced(&point.library);
    if (priced)
        out->library_seconds = point.reference.seconds;
    out->plan = priced && point.verdict.advice != HS_ADVICE_PLAN ? (struct hs_plan)HS_DEFAULT_CALL
                                                                 : point.plans[0].plan;
    status = hs_point_estimate(&estimate, &point, &out->plan, err);
    out->seconds = estimate.seconds;
    for (size_t j = 0; j < samples && !point.sampled; j++)
        out->each[j] = out->seconds;
    if (!status && samples > 0 && point.sampled && !hs_plan_is_default(&out->plan))
        status = hs_expected_ratios(out->each, &point.expected, &out->plan, err);
    for (size_t j = 0; j < samples && point.sampled && !status; j++)
        out->each[j] =
            (hs_plan_is_default(&out->plan) ? 1 : out->each[j]) * point.expected.reference[j];
    out->guess = hs_point_rests_on_guess(asked, &point);
    if (!status)
        status = hs_point_answer(&out->answer, asked, &point, err);
    hs_predict_point_release(&point);
    return status;
}

enum hs_status hs_job_price(struct hs_job_price *out, const struct hs_asked *asked,
                            const struct hs_job_message *message, const struct hs_problem *problem,
                            struct hs_error *err)
{
    struct hs_question question = *asked->question;
    struct hs_asked one = *asked;
    size_t samples = hs_job_samples(asked);

    *out = (struct hs_job_price){.problem = *problem, .library_seconds = NAN};
    out->each = samples > 0 ? calloc(samples, sizeof(*out->each)) : NULL;
    if (samples > 0 && !out->each)
        return hs_no_memory(err);
    question.collective = message->collective;
    question.layout = message->layout;
    one.question = &question;
    one.further = false;
    return message->sends ? price_step(out, &one, message, err) : price_point(out, &one, err);
}

void hs_job_price_release(struct hs_job_price *price)
{
    if (price->answer)
        hs_fields_release(&hs_answer_fields, price->answer);
    free(price->answer);
    free(price->each);
    price->answer = NULL;
    price->each = NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

enum hs_status hs_job_sum_init(struct hs_job_sum *sum, size_t samples, struct hs_error *err)
{
    *sum = (struct hs_job_sum){.low_seconds = NAN, .high_seconds = NAN};
    sum->each = samples > 0 ? calloc(samples, sizeof(*sum->each)) : NULL;
    return samples > 0 && !sum->each ? hs_no_memory(err) : HS_OK;
}

void hs_job_sum_add(struct hs_job_sum *sum, const struct hs_job_price *price, double calls,
                    size_t samples)
{
    sum->seconds += calls * price->seconds;
    sum->guess = sum->guess || price->guess;
    for (size_t j = 0; j < samples; j++)
        sum->each[j] += calls * price->each[j];
}

/* The ends between which 90 % of the values lie, and the estimate. */
static enum hs_status find_ends(double *low, double *high, const double *values, size_t count,
                                double estimate, struct hs_error *err)
{
    double *sorted = malloc(count * sizeof(*sorted));

    if (!sorted)
        return hs_no_memory(err);
    memcpy(sorted, values, count * sizeof(*sorted));
    gsl_sort(sorted, 1, count);
    *low = fmin(estimate, sorted[count / 20]);
    *high = fmax(estimate, sorted[count - 1 - count / 20]);
    free(sorted);
    return HS_OK;
}

enum hs_status hs_job_sum_end(struct hs_job_sum *sum, size_t samples, struct hs_error *err)
{
    return samples == 0 ? HS_OK
                        : find_ends(&sum->low_seconds, &sum->high_seconds, sum->each, samples,
                                    sum->seconds, err);
}

void hs_job_sum_release(struct hs_job_sum *sum)
{
    free(sum->each);
    sum->each = NULL;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

const char *const hs_job_advice_names[HS_JOB_ADVICE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_JOB_ADVICES(HS_ROW)
#undef HS_ROW
};

enum hs_status hs_job_decide(struct hs_job_verdict *out, const struct hs_job_sum *best,
                             const struct hs_job_sum *now, size_t samples, struct hs_error *err)
{
    bool keep = best == now || now->seconds < HS_ADVICE_GAIN * best->seconds;
    size_t faster = 0;
    double *gains, none = samples > 0 ? 1 : (double)NAN;
    enum hs_status status;

    *out = (struct hs_job_verdict){HS_JOB_KEEP, 1, none, none, samples > 0 ? 0 : (double)NAN};
    if (keep)
        return HS_OK;
    out->gain = now->seconds / best->seconds;
    out->advice = HS_JOB_USE;
    if (samples == 0)
        return HS_OK;
    gains = malloc(samples * sizeof(*gains));
    if (!gains)
        return hs_no_memory(err);
    for (size_t j = 0; j < samples; j++) {
        gains[j] = best->each[j] > 0 ? now->each[j] / best->each[j] : 1;
        faster += gains[j] > 1;
    }
    out->share = (double)faster / (double)samples;
    status = find_ends(&out->gain_low, &out->gain_high, gains, samples, out->gain, err);
    free(gains);
    if (out->share < HS_ADVICE_SHARE || ((best->guess || now->guess) && out->gain_low <= 1))
        out->advice = HS_JOB_UNDECIDED;
    return status;
}

#define VERDICT(member) HS_AT(struct hs_job_verdict, member)

static const struct hs_field verdict_rows[] = {
    {"advice", HS_CHOICE, VERDICT(advice), HS_NAMES(hs_job_advice_names),
     .about = "keep: nothing is expected to be 3 % faster than what the job has now; use: the "
              "first row is; undecided: cannot tell, because the gain is not likely enough; none: "
              "nothing fits."},
    {"gain", HS_NUMBER, VERDICT(gain), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Expected: the time that the job takes now over that of the first row."},
    {"gain_low", HS_NUMBER, VERDICT(gain_low), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Low end of the 90 % range of that; absent where nothing was sampled."},
    {"gain_high", HS_NUMBER, VERDICT(gain_high), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Its high end."},
    {"share", HS_NUMBER, VERDICT(share), HS_OPTIONAL, .max = 1,
     .about = "Share of the samples in which the first row is faster."},
};
const struct hs_fields hs_job_verdict_fields = {.name = "job_verdict",
                                                HS_ROWS(verdict_rows, struct hs_job_verdict)};

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct hs_field line_rows[] = {{NULL, HS_TEXT, .owned = true, .min = 1}};
const struct hs_fields hs_job_line_fields = {HS_ROWS(line_rows, char *)};

void hs_job_lines_release(struct hs_job_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i]);
    free(lines->items);
    *lines = (struct hs_job_lines){.count = 0};
}

__attribute__((format(printf, 3, 0))) static enum hs_status
write_text(char **out, struct hs_error *err, const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) < 0)
        return hs_no_memory(err);
    free(*out);
    *out = text;
    return HS_OK;
}

enum hs_status hs_job_write(char **out, struct hs_error *err, const char *format, ...)
{
    va_list arguments;
    enum hs_status status;

    va_start(arguments, format);
    status = write_text(out, err, format, arguments);
    va_end(arguments);
    return status;
}

enum hs_status hs_job_add_line(struct hs_job_lines *lines, struct hs_error *err, const char *format,
                               ...)
{
    char **line = hs_grow(&lines->items, NULL, lines->count, sizeof(*line), err);
    va_list arguments;
    enum hs_status status;

    if (!line)
        return HS_MEMORY;
    va_start(arguments, format);
    status = write_text(line, err, format, arguments);
    va_end(arguments);
    lines->count += status == HS_OK;
    return status;
}

enum hs_status hs_job_add_assumptions(struct hs_job_lines *lines, const struct hs_job_price *price,
                                      struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; price->answer && i < price->answer->assumption_count && !status; i++)
        status = hs_job_add_line(lines, err, "%s", price->answer->assumptions[i]);
    return status;
}

/* ---- a profile ------------------------------------------------------------------------------- */

enum hs_status hs_job_check_profile(const struct hs_question *ask, bool elsewise,
                                    struct hs_error *err)
{
    if (ask->np.first > 0 || ask->words.mesh || ask->words.group || ask->bytes.first > 0)
        return hs_fail(err, HS_INVALID,
                       "--profile: says processes, groups and sizes itself; expected no --np, "
                       "--mesh, --group or --size");
    if (elsewise || ask->budget_seconds > 0)
        return hs_fail(
            err, HS_INVALID,
            "--profile: not together with --explain, --compare-with, --output, --kind or "
            "--budget");
    return HS_OK;
}
