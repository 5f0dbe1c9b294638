/* What `predict` knows, as a result file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/predict.h"
#include "console/help.h"
#include "version.h"

enum hs_status hs_predict_result_init(struct hs_result *result, const struct hs_context *context,
                                      const struct hs_system *system, int64_t np,
                                      struct hs_error *err)
{
    static const char describe[] = HS_GIT_DESCRIBE;
    char created[HS_CLOCK_UTC];
    enum hs_status status;

    memset(result, 0, sizeof(*result));
    result->np = np;
    result->complete = true;
    result->extrapolated = np > hs_system_capacity(system);
    result->command = hs_strdup(context->command_line);
    result->created = hs_strdup(hs_clock_utc(created));
    if (!result->command || !result->created)
        return hs_no_memory(err);
    status = hs_system_copy(&result->system, system, err);
    result->has_system = status == HS_OK;
    if (status == HS_OK)
        status = hs_result_set_version(result, "hiersearch", HS_VERSION, err);
    if (status == HS_OK && describe[0])
        status = hs_result_set_version(result, "git", describe, err);
    return status;
}

/* Ranges of figures as they stand; a calibration has intervals. */
static enum hs_status add_range(struct hs_candidate *candidate, const struct hs_predict *predict,
                                const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_regret regret;

    if (!point->sure || hs_predict_is_calibrated(predict))
        return HS_OK;
    if (hs_regret_of(&regret, &point->table, &candidate->plan, err))
        return HS_MEMORY;
    candidate->predicted_low_seconds = regret.low_seconds;
    candidate->predicted_high_seconds = regret.high_seconds;
    return HS_OK;
}

static enum hs_status add_candidates(struct hs_result_message *message,
                                     const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(&point->request.problem);
    enum hs_status status = HS_OK;
    bool has_flat = false;

    for (size_t i = 0; i < hs_predict_shown(predict, point) && status == HS_OK; i++) {
        const struct hs_plan *plan = &point->found.plans[i].plan;

        has_flat = has_flat || hs_plan_compare(plan, &flat) == 0;
        status =
            hs_result_add_prediction(message, predict->system, &point->request.problem, plan, err);
    }
    if (status == HS_OK && !has_flat)
        status =
            hs_result_add_prediction(message, predict->system, &point->request.problem, &flat, err);
    for (size_t i = 0; i < message->candidate_count && status == HS_OK; i++)
        status = add_range(&message->candidates[i], predict, point, err);
    return status;
}

/* Splits that the published rule never priced. */
static enum hs_status add_pruned(struct hs_result_message *message,
                                 const struct hs_predict *predict,
                                 const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_text rule = {0};
    bool added;

    if (point->exact_seconds <= 0 || point->found.looked_at >= point->found.splits)
        return HS_OK;
    hs_text_append(&rule, "containment");
    if (predict->settings->keep)
        hs_text_append(&rule, " keep %d", (int)predict->settings->keep);
    if (predict->settings->widen)
        hs_text_append(&rule, " widen");
    added = !rule.failed &&
            hs_result_add_pruned(message, rule.data, point->found.splits - point->found.looked_at);
    hs_text_release(&rule);
    return added ? HS_OK : hs_no_memory(err);
}

static enum hs_status add_library(struct hs_result_message *message,
                                  const struct hs_predict *predict,
                                  const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_library_price price;
    enum hs_status status = hs_predict_library(&price, predict, point, err);

    if (status || !hs_library_is_priced(&price))
        return status;
    message->library = malloc(sizeof(price));
    if (!message->library)
        return hs_no_memory(err);
    *message->library = price;
    return HS_OK;
}

/* Over the flat split, on machines drawn; and what is ahead where none are. */
static enum hs_status add_gain(struct hs_result_message *message,
                               const struct hs_predict_point *point, struct hs_error *err)
{
    if (!isfinite(point->gain.median))
        return HS_OK;
    message->gain = calloc(1, sizeof(*message->gain));
    if (!message->gain)
        return hs_no_memory(err);
    *message->gain = (struct hs_result_gain){.over_flat = point->gain, .fastest_seconds = NAN};
    if (hs_predict_is_surpassed(point)) {
        message->gain->fastest = point->guess.plan;
        message->gain->fastest_seconds = point->guess.seconds;
    }
    return HS_OK;
}

enum hs_status hs_predict_result_add(struct hs_result *result, const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_result_message *message = hs_result_add_message(result);
    enum hs_status status;

    if (!message)
        return hs_no_memory(err);
    message->message_bytes = point->bytes;
    message->datatype = predict->settings->datatype;
    message->operation = HS_SUM;
    message->strategy = hs_strdup(predict->strategy->name);
    if (!message->strategy)
        return hs_no_memory(err);
    message->splits = point->found.splits;
    message->looked_at = point->found.looked_at;
    message->flat_seconds = point->found.flat_seconds;
    message->best = point->found.plans[0].plan;
    status = add_pruned(message, predict, point, err);
    if (status == HS_OK)
        status = add_library(message, predict, point, err);
    if (status == HS_OK)
        status = add_gain(message, point, err);
    return status == HS_OK ? add_candidates(message, predict, point, err) : status;
}
