#include "cli/simulate.h"
#include "search/search.h"

#define TOP_DEFAULT 5

static bool contains(const struct hs_result_message *message, const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return true;
    return false;
}

static enum hs_status take_typed(struct hs_result_message *message,
                                 const struct hs_search_request *request,
                                 const struct hs_argument_list *typed, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < typed->count && status == HS_OK; i++) {
        struct hs_plan plan;

        status = hs_plan_parse(&plan, typed->items[i], request->problem.group.size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "PLAN");
        if (contains(message, &plan))
            return hs_fail(err, HS_INVALID, "PLAN: %s is there twice", typed->items[i]);
        status = hs_problem_check(&request->problem, &plan, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "PLAN");
        status = hs_result_add_prediction(message, request->system, &request->problem, &plan, err);
    }
    return status;
}

static enum hs_status take_found(struct hs_result_message *message,
                                 const struct hs_search_request *request,
                                 const struct hs_search_result *found, struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(&request->problem);
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < found->count && status == HS_OK; i++)
        status = hs_result_add_prediction(message, request->system, &request->problem,
                                          &found->plans[i].plan, err);
    if (status == HS_OK && !contains(message, &flat))
        status = hs_result_add_prediction(message, request->system, &request->problem, &flat, err);
    return status;
}

static enum hs_status check_count(size_t count, struct hs_error *err)
{
    if (count > HS_SIMULATE_PLANS_MAX)
        return hs_fail(err, HS_INVALID,
                       "more than %d plans to simulate: --top K takes the K with the shortest "
                       "predicted time",
                       HS_SIMULATE_PLANS_MAX);
    return HS_OK;
}

static enum hs_status add_message(struct hs_result *result, const struct hs_search_request *request,
                                  const struct hs_search_result *found,
                                  const struct hs_simulate_settings *settings, struct hs_error *err)
{
    const struct hs_argument_list *typed = &settings->plans;
    const char *strategy = typed->count    ? "given"
                           : settings->all ? "all"
                                           : hs_search_strategies[0].name;
    struct hs_result_message *message = hs_result_add_message(result);
    enum hs_status status = check_count(typed->count ? typed->count : found->count, err);

    if (status != HS_OK)
        return status;
    if (!message || !(message->strategy = hs_strdup(strategy)))
        return hs_no_memory(err);
    message->message_bytes = settings->bytes.first;
    message->datatype = HS_FLOAT32;
    message->operation = HS_SUM;
    message->splits = found->splits;
    message->looked_at = typed->count ? typed->count : found->looked_at;
    message->flat_seconds = found->flat_seconds;
    status = typed->count ? take_typed(message, request, typed, err)
                          : take_found(message, request, found, err);
    return status == HS_OK ? hs_result_rank(message, err) : status;
}

enum hs_status hs_simulate_choose(struct hs_result *result, const struct hs_system *system,
                                  const struct hs_simulate_settings *settings, struct hs_error *err)
{
    size_t top = settings->top ? (size_t)settings->top : TOP_DEFAULT;
    struct hs_search_request request = {
        .system = system,
        .problem = hs_result_asks(result, (double)settings->bytes.first),
        .chunks = settings->chunks.count ? settings->chunks.values : NULL,
        .chunk_count = settings->chunks.count,
        .top = settings->all ? HS_SIMULATE_PLANS_MAX + 1 : top,
    };
    struct hs_search_result found;
    enum hs_status status = hs_search(&found, &hs_search_strategies[0], &request, err);

    if (status != HS_OK)
        return status;
    status = add_message(result, &request, &found, settings, err);
    hs_search_result_release(&found);
    return status;
}
