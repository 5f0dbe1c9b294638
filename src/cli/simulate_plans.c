#include <math.h>
#include <stdlib.h>

#include "cli/simulate.h"
#include "search/search.h"

#define TOP_DEFAULT 5

static enum hs_status make_room(struct hs_simulation *simulation, size_t count,
                                struct hs_error *err)
{
    simulation->plans = calloc(count, sizeof(*simulation->plans));
    if (!simulation->plans)
        return hs_no_memory(err);
    return HS_OK;
}

static void add(struct hs_simulation *simulation, const struct hs_plan *plan)
{
    simulation->plans[simulation->count++] = (struct hs_simulated){.plan = *plan, .seconds = NAN};
}

static bool contains(const struct hs_simulation *simulation, const struct hs_plan *plan)
{
    for (size_t i = 0; i < simulation->count; i++)
        if (hs_plan_compare(&simulation->plans[i].plan, plan) == 0)
            return true;
    return false;
}

static enum hs_status take_typed(struct hs_simulation *simulation,
                                 const struct hs_argument_list *typed, struct hs_error *err)
{
    enum hs_status status = make_room(simulation, typed->count, err);

    for (size_t i = 0; i < typed->count && status == HS_OK; i++) {
        struct hs_plan plan;

        status = hs_plan_parse(&plan, typed->items[i], simulation->np, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "PLAN");
        if (contains(simulation, &plan))
            return hs_fail(err, HS_INVALID, "PLAN: %s is there twice", typed->items[i]);
        add(simulation, &plan);
    }
    return status;
}

static enum hs_status take_found(struct hs_simulation *simulation,
                                 const struct hs_search_result *found, struct hs_error *err)
{
    struct hs_plan flat = hs_plan_flat(simulation->np);
    enum hs_status status = make_room(simulation, found->count + 1, err);

    if (status != HS_OK)
        return status;
    for (size_t i = 0; i < found->count; i++)
        add(simulation, &found->plans[i].plan);
    if (!contains(simulation, &flat))
        add(simulation, &flat);
    return HS_OK;
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

enum hs_status hs_simulate_choose(struct hs_simulation *simulation,
                                  const struct hs_simulate_settings *settings, struct hs_error *err)
{
    size_t top = settings->top ? (size_t)settings->top : TOP_DEFAULT;
    struct hs_search_request request = {
        .system = simulation->system,
        .problem = hs_problem_world(simulation->np, (double)simulation->bytes),
        .chunks = settings->chunks.count ? settings->chunks.values : NULL,
        .chunk_count = settings->chunks.count,
        .top = settings->all ? HS_SIMULATE_PLANS_MAX + 1 : top,
    };
    struct hs_search_result found;
    enum hs_status status = hs_search(&found, &hs_search_strategies[0], &request, err);

    if (status != HS_OK)
        return status;
    simulation->splits = found.splits;
    simulation->looked_at = settings->plans.count ? settings->plans.count : found.looked_at;
    simulation->flat_seconds = found.flat_seconds;
    simulation->strategy = settings->plans.count ? "given"
                           : settings->all       ? "all"
                                                 : hs_search_strategies[0].name;
    status = check_count(settings->plans.count ? settings->plans.count : found.count, err);
    if (status == HS_OK && settings->plans.count)
        status = take_typed(simulation, &settings->plans, err);
    else if (status == HS_OK)
        status = take_found(simulation, &found, err);
    hs_search_result_release(&found);
    return status;
}
