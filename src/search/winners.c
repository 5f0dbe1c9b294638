#include "search/winners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "library/price_plan.h"

const char *const hs_growth_names[HS_GROWTH_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_GROWTHS(HS_ROW)
#undef HS_ROW
};

/* Searches of many problems, `done` of `all` of which are over. */
struct searches {
    const struct hs_search_request *request;
    uint64_t done, all;
    bool stopped;
};

/* The list that hs_size_winners makes. */
struct reigns {
    struct searches searches;
    struct hs_size_winner *list;
    size_t count, capacity;
};

/* Of the one under way: how far it is says little. */
static bool goes_on(void *of_searches, uint64_t done, uint64_t all)
{
    struct searches *searches = of_searches;
    const struct hs_search_request *request = searches->request;

    (void)done;
    (void)all;
    if (!searches->stopped && request->progress)
        searches->stopped = !request->progress(request->watcher, searches->done, searches->all);
    return !searches->stopped;
}

/* Stopped: nothing is found. */
static enum hs_status winner_at(struct hs_size_winner *out, struct searches *searches,
                                struct hs_problem problem, struct hs_error *err)
{
    struct hs_search_request one = *searches->request;
    struct hs_search_result result;
    double bytes = problem.bytes;
    enum hs_status status;

    one.problem = problem;
    one.top = 1;
    one.progress = goes_on;
    one.watcher = searches;
    if (!goes_on(searches, 0, 1))
        return HS_OK;
    status = hs_search(&result, &hs_search_strategies[0], &one, err);
    if (!status)
        *out = (struct hs_size_winner){.bytes = bytes,
                                       .plan = result.plans[0].plan,
                                       .seconds = result.plans[0].seconds,
                                       .flat_seconds = result.flat_seconds};
    hs_search_result_release(&result);
    return status;
}

static enum hs_status append(struct reigns *reigns, const struct hs_size_winner *winner,
                             struct hs_error *err)
{
    struct hs_size_winner *added =
        hs_grow(&reigns->list, &reigns->capacity, reigns->count, sizeof(*added), err);

    if (!added)
        return HS_MEMORY;
    *added = *winner;
    reigns->count++;
    return HS_OK;
}

static double seconds_of(const struct reigns *reigns, const struct hs_plan *plan, double bytes)
{
    struct hs_problem problem = reigns->searches.request->problem;

    problem.bytes = bytes;
    return hs_plan_seconds(reigns->searches.request->system, &problem, plan);
}

/* Time that plan a takes more than plan b. */
static double lead(const struct reigns *reigns, const struct hs_plan *a, const struct hs_plan *b,
                   double bytes)
{
    return seconds_of(reigns, a, bytes) - seconds_of(reigns, b, bytes);
}

/* Size in [low, high] from which `after` is not slower than `before`, to 1e-9. */
static double crossing(const struct reigns *reigns, const struct hs_plan *before,
                       const struct hs_plan *after, double low, double high)
{
    while (high / low > 1 + 1e-9) {
        double middle = sqrt(low * high);

        if (lead(reigns, before, after, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static enum hs_status reign_at(struct hs_size_winner *out, struct reigns *reigns, double bytes,
                               struct hs_error *err)
{
    struct hs_problem problem = reigns->searches.request->problem;

    problem.bytes = bytes;
    return winner_at(out, &reigns->searches, problem, err);
}

/*
 * Appends the reigns that begin in (low, high]: where the lines of the two winners cross, either
 * nobody is below them (one change), or the winner there splits the interval in two (Eisner and
 * Severance, J. ACM 23 (1976), on parametric shortest paths).
 */
static enum hs_status split_interval(struct reigns *reigns, const struct hs_size_winner *low,
                                     const struct hs_size_winner *high, int depth,
                                     struct hs_error *err)
{
    struct hs_size_winner middle;
    double bytes;
    enum hs_status status;

    if (hs_plan_compare(&low->plan, &high->plan) == 0)
        return HS_OK;
    bytes = crossing(reigns, &low->plan, &high->plan, low->bytes, high->bytes);
    status = reign_at(&middle, reigns, bytes, err);
    if (status || reigns->searches.stopped)
        return status;
    if (depth == 0 || bytes >= high->bytes || high->bytes / low->bytes <= 1 + 1e-6 ||
        lead(reigns, &high->plan, &middle.plan, bytes) <= 1e-12 * middle.seconds) {
        middle.plan = high->plan;
        middle.seconds = seconds_of(reigns, &high->plan, bytes);
        return append(reigns, &middle, err);
    }
    status = split_interval(reigns, low, &middle, depth - 1, err);
    return status ? status : split_interval(reigns, &middle, high, depth - 1, err);
}

/* With chunks, where rings can have hops of several kinds (price.h), with other algorithms than the
 * ring, where stages are a library's calls or wait for a rendezvous, where bytes are copied, or
 * a message is cut into pieces, a plan's time is not linear in the size: look in every octave. */
static bool is_linear(const struct hs_search_request *request)
{
    if (hs_system_is_nccl_native(request->system) || request->algorithms > 1 ||
        request->system->level_count > 1 || hs_system_waits(request->system) ||
        request->problem.layout == HS_PACKED)
        return false;
    return !request->chunks || request->chunk_count == 1;
}

enum hs_status hs_size_winners(struct hs_size_winner **winners, size_t *count,
                               const struct hs_search_request *request, double first, double *last,
                               struct hs_error *err)
{
    struct reigns reigns = {
        .searches = {.request = request, .all = 1 + (uint64_t)ceil(log2(*last / first))}};
    struct hs_size_winner low, high;
    enum hs_status status = reign_at(&low, &reigns, first, err);
    double reached = first;

    *winners = NULL;
    *count = 0;
    if (!status && !reigns.searches.stopped)
        status = append(&reigns, &low, err);
    while (!status && !reigns.searches.stopped && reached < *last) {
        size_t whole = reigns.count;
        double bytes = is_linear(request) ? *last : fmin(*last, 2 * low.bytes);

        reigns.searches.done++;
        status = reign_at(&high, &reigns, bytes, err);
        if (!status && !reigns.searches.stopped)
            status = split_interval(&reigns, &low, &high, 64, err);
        if (reigns.searches.stopped) /* of an interval all or nothing */
            reigns.count = whole;
        else
            reached = bytes;
        low = high;
    }
    *last = reached;
    if (status) {
        free(reigns.list);
        return status;
    }
    *winners = reigns.list;
    *count = reigns.count;
    return HS_OK;
}

enum hs_growth hs_growth_of(const struct hs_split *small, const struct hs_split *large)
{
    int same = 0, last = small->count - 1;

    while (same < small->count && same < large->count && small->sizes[same] == large->sizes[same])
        same++;
    if (same == small->count && large->count == small->count + 1)
        return HS_GROWTH_ONE_MORE;
    if (large->count != small->count || same > last || large->sizes[same] % small->sizes[same])
        return HS_GROWTH_OTHER;
    for (int i = same + 1; i <= last; i++)
        if (small->sizes[i] != large->sizes[i])
            return HS_GROWTH_OTHER;
    return same == last ? HS_GROWTH_SAME_SHAPE : HS_GROWTH_INNER;
}

enum hs_status hs_np_winners(struct hs_np_winner **winners, const int64_t *counts, size_t *count,
                             const struct hs_search_request *request, struct hs_error *err)
{
    struct searches searches = {.request = request, .all = *count};
    struct hs_np_winner *list = calloc(*count + 1, sizeof(*list));
    enum hs_status status = list ? HS_OK : hs_no_memory(err);

    while (!status && searches.done < *count) {
        struct hs_problem problem = request->problem;
        size_t i = searches.done;
        struct hs_size_winner winner;

        problem.group = hs_group_world(counts[i]);
        status = winner_at(&winner, &searches, problem, err);
        if (status || searches.stopped)
            break;
        list[i] = (struct hs_np_winner){.np = counts[i],
                                        .plan = winner.plan,
                                        .seconds = winner.seconds,
                                        .flat_seconds = winner.flat_seconds};
        if (i > 0)
            list[i].growth = hs_growth_of(&list[i - 1].plan.split, &list[i].plan.split);
        searches.done++;
    }
    *count = searches.done;
    if (status) {
        free(list);
        list = NULL;
    }
    *winners = list;
    return status;
}
