#include "answer/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/price_library.h"
#include "library/price_plan.h"

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

/* ---- the plans of least expected time -------------------------------------------------------- */

#define GIVEN 32 /* nominally best plans that are compared over samples where no path is exact */
#define MANY  (1 << 20) /* ranks of more may have too many layers for a table */
#define SPARE 8         /* plans more than are shown: some become ties, or are the default call */

static bool has_one_chunk(const struct hs_search_request *request)
{
    return !request->chunks || (request->chunk_count == 1 && request->chunks[0] == 1);
}

static bool is_containment(const struct hs_asked *asked)
{
    return strcmp(asked->strategy->name, "containment") == 0;
}

/* In one chunk, and of the whole search: only then are the least expected times shortest paths. */
static bool is_exact(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    return has_one_chunk(&point->request) && point->found.layers_priced <= HS_EXPECTED_EDGES &&
           !point->found.left_out[0] && !is_containment(asked);
}

int64_t hs_point_ranks_among(const struct hs_problem *problem)
{
    return hs_group_span(&problem->group, problem->group.size);
}

/* Whether the flat plan is the default call: the same stage, at the same price. */
static bool flat_is_default(const struct hs_predict_point *point)
{
    return hs_library_is_priced(&point->library) &&
           (hs_system_is_nccl_native(point->request.system) ||
            point->library.library == HS_LIBRARY_RCCL) &&
           point->request.problem.group.skips[0].inside == 0;
}

static struct hs_estimate nominal(double seconds, double reference_seconds)
{
    return (struct hs_estimate){
        .seconds = seconds,
        .low_seconds = NAN,
        .high_seconds = NAN,
        .probability_best = NAN,
        .gain = {seconds > 0 ? reference_seconds / seconds : 1, NAN, NAN, NAN},
        .loss = NAN};
}

/* A plan's nominal time, to be compared with the default call's. */
static double nominal_seconds(const struct hs_predict_point *point, const struct hs_plan *plan)
{
    const struct hs_search_request *request = &point->request;

    if (hs_library_prices_plans(&point->library) &&
        (request->system->constants.count > 0 || point->library.library == HS_LIBRARY_RCCL))
        return hs_library_plan_seconds(request->system, &request->problem, plan);
    return hs_plan_seconds(request->system, &request->problem, plan);
}

enum hs_status hs_point_estimate(struct hs_estimate *out, const struct hs_predict_point *point,
                                 const struct hs_plan *plan, struct hs_error *err)
{
    if (hs_plan_is_default(plan))
        *out = point->reference;
    else if (point->sampled)
        return hs_estimate_of(out, &point->expected, plan, err);
    else
        *out = nominal(nominal_seconds(point, plan), point->reference.seconds);
    return HS_OK;
}

static int compare_nominal(const void *left, const void *right)
{
    const struct hs_estimated *a = left, *b = right;

    if (a->estimate.seconds != b->estimate.seconds)
        return a->estimate.seconds < b->estimate.seconds ? -1 : 1;
    return hs_plan_compare(&a->plan, &b->plan);
}

static void take_nominal(struct hs_predict_point *point)
{
    point->count = point->found.count;
    for (size_t i = 0; i < point->count; i++) {
        const struct hs_plan *plan = &point->found.plans[i].plan;

        point->plans[i] = (struct hs_estimated){
            *plan, nominal(nominal_seconds(point, plan), point->reference.seconds)};
    }
    if (hs_library_prices_plans(&point->library)) /* by other times than they were found by */
        qsort(point->plans, point->count, sizeof(*point->plans), compare_nominal);
}

/* The reference's estimate, and the plans of least expected time. */
static enum hs_status estimate_plans(struct hs_predict_point *point, const struct hs_asked *asked,
                                     size_t top, struct hs_error *err)
{
    const struct hs_plan flat = hs_problem_flat(&point->request.problem);
    bool priced = hs_library_is_priced(&point->library);
    double seconds = priced ? point->library.seconds : nominal_seconds(point, &flat);
    enum hs_status status;

    point->reference = nominal(seconds, seconds);
    point->sampled = asked->question->machines > 0 && hs_machines_differ(asked->machines) &&
                     point->request.problem.group.size > 1 &&
                     (is_exact(asked, point) || !asked->machines->belief);
    hs_machines_ask(asked->machines, hs_point_ranks_among(&point->request.problem));
    if (!point->sampled) {
        point->reference.low_seconds = priced ? point->library.low_seconds : NAN;
        point->reference.high_seconds = priced ? point->library.high_seconds : NAN;
        take_nominal(point);
        return HS_OK;
    }
    status = hs_expected_init(&point->expected, &point->request, asked->machines, &point->library,
                              is_exact(asked, point), err);
    if (!status)
        status = hs_expected_best(point->plans, &point->count, top, &point->expected, &point->found,
                                  err);
    if (!status)
        status = hs_estimate_reference(&point->reference, &point->expected, err);
    return status;
}

static void remove_at(struct hs_predict_point *point, size_t i)
{
    memmove(point->plans + i, point->plans + i + 1, (--point->count - i) * sizeof(*point->plans));
}

static void insert_at(struct hs_predict_point *point, size_t i, const struct hs_estimated *plan)
{
    memmove(point->plans + i + 1, point->plans + i, (point->count++ - i) * sizeof(*point->plans));
    point->plans[i] = *plan;
}

static size_t find_plan(const struct hs_predict_point *point, const struct hs_plan *plan)
{
    size_t i = 0;

    while (i < point->count && hs_plan_compare(&point->plans[i].plan, plan) != 0)
        i++;
    return i;
}

/* Plans before `first` are faster by too little: they become ties. */
static enum hs_status begin_at(struct hs_predict_point *point, size_t first, struct hs_error *err)
{
    struct hs_plan *ties = realloc(point->ties, (point->tie_count + first + 1) * sizeof(*ties));

    if (!ties)
        return hs_no_memory(err);
    point->ties = ties;
    for (size_t i = 0; i < first; i++)
        ties[point->tie_count++] = point->plans[i].plan;
    point->count -= first;
    memmove(point->plans, point->plans + first, point->count * sizeof(*point->plans));
    return HS_OK;
}

/* A plan of fewer layers that takes next to no longer comes first: more layers are no reason. */
static enum hs_status simplify(struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_estimated simplest;
    size_t i = 0;
    enum hs_status status;

    if (!point->sampled || point->expected.row_count == 0)
        return HS_OK;
    status = hs_expected_simplest(&simplest, &point->expected, err);
    if (status || simplest.plan.split.count >= point->plans[0].plan.split.count ||
        (flat_is_default(point) && hs_plan_is_flat(&simplest.plan)))
        return status;
    while (i < point->count && point->plans[i].estimate.seconds < simplest.estimate.seconds)
        i++;
    status = begin_at(point, i, err);
    i = find_plan(point, &simplest.plan);
    if (i < point->count)
        remove_at(point, i);
    insert_at(point, 0, &simplest);
    return status;
}

/* The reference among the plans, where it would stand by its time. */
static size_t place_reference(struct hs_predict_point *point, const struct hs_plan *reference)
{
    struct hs_estimated self = {*reference, point->reference};
    size_t i;

    i = find_plan(point, reference);
    if (i < point->count)
        remove_at(point, i);
    for (i = 0; i < point->count && point->plans[i].estimate.seconds < self.estimate.seconds;)
        i++;
    insert_at(point, i, &self);
    return i;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Of nodes whose ranks share their memory prices are so rough that a verdict has to have all of the
 * 90 % range on its side, one that keeps the default, too. */
#define ROUGH_SHARE 0.95

static bool is_rough(const struct hs_predict_point *point)
{
    return point->sampled && hs_library_prices_plans(&point->library) &&
           hs_system_shares_memory(point->request.system);
}

/* Whether a plan that is not expected to gain may do so. */
static bool may_gain(const struct hs_predict_point *point, const struct hs_estimated *plan)
{
    return is_rough(point) && !hs_plan_is_default(&plan->plan) &&
           plan->estimate.gain.share > 1 - ROUGH_SHARE;
}

static struct hs_verdict verdict_of(enum hs_advice advice, const struct hs_plan *plan,
                                    const struct hs_gain *gain)
{
    return (struct hs_verdict){advice, *plan, gain->median, gain->low, gain->high, gain->share};
}

/* The one place that decides: the reference, where no plan is expected to gain 3 % over it (1 %
 * over a flat plan, which is nobody's default); a plan, where it gains on three of four samples,
 * and does not rest on a guess; else it cannot tell. */
static enum hs_status decide(struct hs_predict_point *point, const struct hs_asked *asked,
                             size_t reference, struct hs_error *err)
{
    bool priced = hs_library_is_priced(&point->library);
    double worth = priced ? HS_ADVICE_GAIN : point->sampled ? HS_EXPECTED_TIE : 1;
    bool keeps =
        point->plans[reference].estimate.seconds < worth * point->plans[0].estimate.seconds;
    double share = is_rough(point) ? ROUGH_SHARE : HS_ADVICE_SHARE;
    struct hs_estimated rival = *hs_point_best_plan(point);
    const struct hs_estimated *first = &point->plans[0];
    const double none = point->sampled ? 1 : NAN;
    const struct hs_gain *gain = &first->estimate.gain;
    enum hs_status status = keeps ? begin_at(point, reference, err) : HS_OK;

    if (keeps && may_gain(point, &rival))
        point->verdict = verdict_of(HS_ADVICE_UNDECIDED, &rival.plan, &rival.estimate.gain);
    else if (keeps || reference == 0)
        point->verdict = verdict_of(
            priced ? HS_ADVICE_DEFAULT : HS_ADVICE_PLAN, &first->plan,
            &(struct hs_gain){
                .median = 1, .low = none, .high = none, .share = point->sampled ? 0 : NAN});
    else if ((!point->sampled || gain->share >= share) && !hs_point_rests_on_guess(asked, point))
        point->verdict = verdict_of(HS_ADVICE_PLAN, &first->plan, gain);
    else
        point->verdict = verdict_of(HS_ADVICE_UNDECIDED, &first->plan, gain);
    return status;
}

const struct hs_estimated *hs_point_best_plan(const struct hs_predict_point *point)
{
    return &point->plans[point->count > 1 && hs_plan_is_default(&point->plans[0].plan)];
}

static enum hs_status answer(struct hs_predict_point *point, const struct hs_asked *asked,
                             struct hs_error *err)
{
    bool priced;
    struct hs_plan flat = hs_problem_flat(&point->request.problem), reference = HS_DEFAULT_CALL;
    size_t top = point->request.top + SPARE;
    enum hs_status status;

    point->library = hs_library_price(asked->system, &point->request.problem,
                                      hs_datatype_bytes(asked->question->datatype));
    if (asked->question->algorithm && !point->library.forced &&
        point->request.problem.group.size > 1)
        return hs_fail(err, HS_INVALID,
                       "--algorithm: %s has no %s for this %s of %" PRId64 " processes on %s",
                       hs_library_written(point->library.library), asked->question->algorithm,
                       hs_collectives[point->request.problem.collective].written,
                       point->request.problem.group.size, asked->label);
    priced = hs_library_is_priced(&point->library);
    point->plans =
        malloc((top + point->found.count + 2) * sizeof(*point->plans)); /* and the reference */
    if (!point->plans)
        return hs_no_memory(err);
    status = estimate_plans(point, asked, top, err);
    if (status)
        return status;
    if (flat_is_default(point) && find_plan(point, &flat) < point->count)
        remove_at(point, find_plan(point, &flat));
    status = point->count > 0 ? simplify(point, err) : HS_OK;
    if (status)
        return status;
    return decide(point, asked, place_reference(point, priced ? &reference : &flat), err);
}

/* ---- one point ------------------------------------------------------------------------------- */

bool hs_point_goes_on(void *of_watcher, uint64_t done, uint64_t all)
{
    const struct hs_point_watcher *watcher = of_watcher;
    const struct hs_asked *asked = watcher->asked;

    if (asked->watch)
        asked->watch(asked->watcher, watcher->problem->group.size,
                     (uint64_t)watcher->problem->bytes, done, all);
    return hs_asked_has_time(asked);
}

static struct hs_search_request request_of(const struct hs_asked *asked,
                                           const struct hs_problem *problem)
{
    const struct hs_question *question = asked->question;

    return (struct hs_search_request){
        .system = asked->system,
        .problem = *problem,
        .algorithms = hs_asked_algorithms(asked),
        .chunks = question->chunks.count ? question->chunks.values : NULL,
        .chunk_count = question->chunks.count,
        .top = question->top < 2 ? 2 : (size_t)question->top,
        .keep = (size_t)question->beam,
        .widen = question->widen,
    };
}

/* Where the best are not found as paths, more of the nominally best ones are needed. */
static enum hs_status search_nominal(struct hs_predict_point *point, const struct hs_asked *asked,
                                     struct hs_error *err)
{
    struct hs_search_request request = point->request;
    bool samples = asked->question->machines > 0;

    if (samples && request.top < GIVEN &&
        (!has_one_chunk(&request) || is_containment(asked) || request.problem.group.size > MANY))
        request.top = GIVEN;
    return hs_search(&point->found, asked->strategy, &request, err);
}

enum hs_status hs_point_search(struct hs_predict_point *point, const struct hs_asked *asked,
                               int64_t np, uint64_t bytes, struct hs_error *err)
{
    const struct hs_question *question = asked->question;
    const struct hs_problem problem = {.collective = question->collective,
                                       .group = hs_mesh_group(&question->mesh, np),
                                       .bytes = (double)bytes,
                                       .layout = question->layout};

    return hs_point_search_problem(point, asked, &problem, err);
}

enum hs_status hs_point_search_problem(struct hs_predict_point *point, const struct hs_asked *asked,
                                       const struct hs_problem *problem, struct hs_error *err)
{
    struct hs_point_watcher watcher = {asked, &point->request.problem};
    enum hs_status status;

    memset(point, 0, sizeof(*point));
    point->bytes = (uint64_t)llround(problem->bytes);
    point->extrapolated = problem->group.ranks > hs_system_capacity(asked->system);
    point->request = request_of(asked, problem);
    point->request.progress = hs_point_goes_on;
    point->request.watcher = &watcher;
    status = search_nominal(point, asked, err);
    if (status == HS_OK && is_containment(asked))
        status = search_exactly(point, err);
    if (status == HS_OK)
        status = answer(point, asked, err);
    if (status != HS_OK)
        hs_predict_point_release(point);
    point->request.progress = NULL;
    point->request.watcher = NULL;
    return status;
}

void hs_predict_point_release(struct hs_predict_point *point)
{
    hs_search_result_release(&point->found);
    hs_expected_release(&point->expected);
    free(point->plans);
    free(point->ties);
    point->plans = NULL;
    point->ties = NULL;
}

size_t hs_point_shown(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    size_t top = (size_t)asked->question->top, shown = 0;

    for (size_t plans = 0; shown < point->count; shown++) {
        plans += !hs_plan_is_default(&point->plans[shown].plan);
        if (plans > top)
            break;
    }
    return shown;
}
