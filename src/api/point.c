#include "api/point.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-12 /* relative */

/* Containment is a heuristic: the exact search says what it costs. */
static enum hs_status search_exactly(struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_search_request request = point->request;
    struct hs_search_result found;
    enum hs_status status;

    request.top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), &request, err);
    if (status != HS_OK)
        return status;
    if (!found.left_out[0]) {
        point->exact_plan = found.plans[0].plan;
        point->exact_seconds = found.plans[0].seconds;
    }
    hs_search_result_release(&found);
    return HS_OK;
}

/* ---- how sure it is -------------------------------------------------------------------------- */

/* In one chunk, and of the whole search: only then is the least regret one more shortest path. */
static bool is_asked(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    const struct hs_search_request *request = &point->request;
    bool one_chunk = !request->chunks || (request->chunk_count == 1 && request->chunks[0] == 1);

    return asked->question->machines > 0 && hs_machines_differ(asked->machines) && one_chunk &&
           point->request.problem.group.size > 1 &&
           point->found.layers_priced <= HS_REGRET_LAYERS && !point->found.left_out[0] &&
           strcmp(asked->strategy->name, "containment") != 0;
}

/* Ranks of the machine that a group lies among. */
int64_t hs_point_ranks_among(const struct hs_problem *problem)
{
    return hs_group_span(&problem->group, problem->group.size);
}

/* Where a calibration leaves no doubt, what it says is not simplified. */
static bool is_certain(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    return asked->system->fits.count > 0 && !(point->regret.most > 0);
}

static struct hs_library_price library_price(const struct hs_asked *asked,
                                             const struct hs_predict_point *point)
{
    return hs_library_price(asked->system, &point->request.problem,
                            hs_datatype_bytes(asked->question->datatype));
}

static bool is_own(const struct hs_asked *asked, const struct hs_plan *plan)
{
    return hs_plan_is_flat(plan) && hs_system_is_nccl_native(asked->system);
}

enum hs_status hs_point_regret(struct hs_regret *out, const struct hs_asked *asked,
                               const struct hs_predict_point *point, const struct hs_plan *plan,
                               struct hs_error *err)
{
    enum hs_status status = hs_regret_of(out, &point->table, plan, err);

    if (!status && is_own(asked, plan)) {
        struct hs_library_price own = library_price(asked, point);

        if (hs_library_is_priced(&own)) {
            out->low_seconds = fmin(out->low_seconds, own.low_seconds);
            out->high_seconds = fmax(out->high_seconds, own.high_seconds);
        }
    }
    return status;
}

/* There is room for one plan more than were found. */
static void put_first(struct hs_predict_point *point, const struct hs_plan *plan)
{
    struct hs_search_result *found = &point->found;
    struct hs_search_plan first = {.plan = *plan};
    size_t place = 0;

    while (place < found->count && hs_plan_compare(&found->plans[place].plan, plan) != 0)
        place++;
    if (place == found->count && found->count >= point->request.top)
        place--;
    else if (place == found->count)
        found->count++;
    first.seconds = hs_plan_seconds(point->request.system, &point->request.problem, plan);
    memmove(found->plans + 1, found->plans, place * sizeof(*found->plans));
    found->plans[0] = first;
}

/* Puts the plan of least regret first, where machines are drawn (not with chunks, nor by
 * containment). */
static enum hs_status be_sure(struct hs_predict_point *point, const struct hs_asked *asked,
                              struct hs_error *err)
{
    const struct hs_plan guess = point->found.plans[0].plan;
    const struct hs_plan flat = hs_problem_flat(&point->request.problem);
    struct hs_plan plan = guess;
    enum hs_status status;

    point->guess = point->found.plans[0];
    point->gain = HS_GAIN_UNKNOWN;
    hs_machines_ask(asked->machines, hs_point_ranks_among(&point->request.problem));
    if (!is_asked(asked, point))
        return HS_OK;
    status = hs_regret_table_init(&point->table, &point->request, asked->machines, err);
    if (!status)
        status = hs_point_regret(&point->regret, asked, point, &guess, err);
    point->guess_regret = point->regret;
    if (!status && !is_certain(asked, point))
        status = hs_regret_least(&plan, &point->table, &guess, err);
    if (!status)
        status = hs_point_regret(&point->regret, asked, point, &plan, err);
    if (!status)
        status = hs_regret_gain(&point->gain, &point->table, &plan, &flat, err);
    if (!status && hs_plan_compare(&plan, &guess) != 0)
        put_first(point, &plan);
    point->sure = !status;
    return status;
}

/* ---- one point ------------------------------------------------------------------------------- */

bool hs_point_goes_on(void *of_watcher, uint64_t done, uint64_t all)
{
    const struct hs_point_watcher *watcher = of_watcher;
    const struct hs_asked *asked = watcher->asked;

    if (asked->watch)
        asked->watch(asked->watcher, watcher->problem, done, all);
    return hs_asked_has_time(asked);
}

static struct hs_search_request request_of(const struct hs_asked *asked, int64_t np, uint64_t bytes)
{
    const struct hs_question *question = asked->question;

    return (struct hs_search_request){
        .system = asked->system,
        .problem = {.collective = question->collective,
                    .group = hs_mesh_group(&question->mesh, np),
                    .bytes = (double)bytes,
                    .order = question->order},
        .algorithms = hs_asked_algorithms(asked),
        .chunks = question->chunks.count ? question->chunks.values : NULL,
        .chunk_count = question->chunks.count,
        .top = question->top < 2 ? 2 : (size_t)question->top,
        .keep = (size_t)question->keep,
        .widen = question->widen,
    };
}

enum hs_status hs_point_search(struct hs_predict_point *point, const struct hs_asked *asked,
                               int64_t np, uint64_t bytes, struct hs_error *err)
{
    struct hs_point_watcher watcher = {asked, &point->request.problem};
    enum hs_status status;

    memset(point, 0, sizeof(*point));
    point->bytes = bytes;
    point->extrapolated = np > hs_system_capacity(asked->system);
    point->request = request_of(asked, np, bytes);
    point->request.progress = hs_point_goes_on;
    point->request.watcher = &watcher;
    status = hs_search(&point->found, asked->strategy, &point->request, err);
    if (status == HS_OK && strcmp(asked->strategy->name, "containment") == 0)
        status = search_exactly(point, err);
    if (status == HS_OK)
        status = be_sure(point, asked, err);
    if (status != HS_OK)
        hs_predict_point_release(point);
    point->request.progress = NULL;
    point->request.watcher = NULL;
    return status;
}

void hs_predict_point_release(struct hs_predict_point *point)
{
    hs_search_result_release(&point->found);
    hs_regret_table_release(&point->table);
}

enum hs_status hs_point_library(struct hs_library_price *own, const struct hs_asked *asked,
                                const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_problem *problem = &point->request.problem;
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_plan flat = hs_problem_flat(problem);
    struct hs_regret regret;
    enum hs_status status;
    double seconds;

    *own = library_price(asked, point);
    if (!hs_library_is_priced(own))
        return HS_OK;
    status = hs_library_gain(&own->gain, own, asked->machines, problem, &best->plan, err);
    if (!status && point->sure && is_own(asked, &flat)) {
        status = hs_point_regret(&regret, asked, point, &flat, err);
        own->low_seconds = regret.low_seconds;
        own->high_seconds = regret.high_seconds;
    }
    own->left_alone = !status && hs_library_is_left_alone(&own->gain);
    seconds = hs_library_plan_seconds(own, asked->system, problem, &best->plan, best->seconds);
    if (seconds != best->seconds)
        own->best_seconds = seconds;
    return status;
}

bool hs_predict_is_surpassed(const struct hs_predict_point *point)
{
    return point->guess.seconds < point->found.plans[0].seconds * (1 - ROUNDING);
}

size_t hs_point_shown(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    size_t top = (size_t)asked->question->top;

    return top < point->found.count ? top : point->found.count;
}
