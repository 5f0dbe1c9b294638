/* A library's own calls, as logs of other programs have them, against prices and measured plans. */
#include <math.h>
#include <stdlib.h>

#include "answer/cases.h"

/* The fastest measured plan of the same AllReduce in any of the inputs. */
static void find_plan(struct hs_compare_log *one, const struct hs_compare_job *job)
{
    for (size_t i = 0; i < job->input_count && one->call == HS_CALL_ALLREDUCE; i++) {
        const struct hs_result *result = job->inputs[i].result;

        if (result->np != one->np || result->collective != HS_COLLECTIVE_ALLREDUCE)
            continue;
        for (size_t m = 0; m < result->message_count; m++)
            for (size_t c = 0; c < result->messages[m].candidate_count; c++) {
                const struct hs_candidate *candidate = &result->messages[m].candidates[c];

                if (result->messages[m].message_bytes != one->message_bytes ||
                    !hs_compare_is_measured(candidate) ||
                    (one->measured && candidate->measured->median_seconds >= one->plan_seconds))
                    continue;
                one->plan = candidate->plan;
                one->plan_seconds = candidate->measured->median_seconds;
                one->measured = &job->inputs[i];
            }
    }
    if (one->measured)
        one->gain = one->seconds / one->plan_seconds;
}

static struct hs_compare_log log_of(const struct hs_log_call *call,
                                    const struct hs_compare_job *job)
{
    struct hs_call_price price = hs_log_call_price(call, job->calls_system);
    struct hs_compare_log one = {.file = call->file,
                                 .call = call->kind,
                                 .np = call->ranks,
                                 .nodes = call->nodes,
                                 .message_bytes = call->bytes,
                                 .in_place = call->in_place,
                                 .seconds = call->seconds,
                                 .predicted_seconds = price.seconds,
                                 .low_seconds = price.low_seconds,
                                 .high_seconds = price.high_seconds,
                                 .error = price.seconds / call->seconds - 1,
                                 .plan_seconds = NAN,
                                 .gain = NAN};

    find_plan(&one, job);
    return one;
}

static void summarise(struct hs_compare_log_summary *out, const struct hs_comparison *all)
{
    double errors = 0, bias = 0, gains = 0;

    *out = (struct hs_compare_log_summary){.worst = HS_COMPARE_NONE};
    for (size_t i = 0; i < all->log_count; i++) {
        const struct hs_compare_log *one = &all->logs[i];

        if (one->measured) {
            out->met++;
            out->won += one->gain > 1;
            gains += log(one->gain);
        }
        if (isnan(one->error))
            continue;
        out->priced++;
        out->inside += one->seconds >= one->low_seconds && one->seconds <= one->high_seconds;
        errors += fabs(one->error);
        bias += one->error;
        if (out->worst == HS_COMPARE_NONE || fabs(one->error) > fabs(all->logs[out->worst].error))
            out->worst = i;
    }
    out->mean_error = out->priced ? errors / (double)out->priced : NAN;
    out->mean_signed_error = out->priced ? bias / (double)out->priced : NAN;
    out->mean_gain = out->met ? exp(gains / (double)out->met) : NAN;
}

enum hs_status hs_compare_take_logs(struct hs_comparison *out, const struct hs_compare_job *job,
                                    struct hs_error *err)
{
    size_t count = job->calls ? job->calls->count : 0;

    out->logs = calloc(count + 1, sizeof(*out->logs));
    if (!out->logs)
        return hs_no_memory(err);
    for (size_t i = 0; i < count; i++)
        if (job->message_bytes == 0 || job->calls->items[i].bytes == job->message_bytes)
            out->logs[out->log_count++] = log_of(&job->calls->items[i], job);
    summarise(&out->log_summary, out);
    if (count == 0 || out->log_summary.priced + out->log_summary.met > 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: nothing to compare its calls with: --predict SYSTEM, whose library is that "
                   "of the log, or a result with as many processes and the same size",
                   job->calls->items[0].file);
}
