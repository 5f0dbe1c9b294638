/* What a "predict" is asked, and its answer about one collective. */
#include "answer/predict.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/notes.h"
#include "estimate/system_file.h"
#include "library/limit.h"
#include "links/subsets.h"

#define KINDS_MAX 200 /* of choices: each is a search */
#define NP_FACTOR 16  /* process counts np / 16 .. np * 16 are explained */
#define NP_COUNTS 9   /* 2 * log2(NP_FACTOR) + 1 */

const char *const *hs_predict_form_words(void)
{
    static const char *const words[] = {HS_FORM_OF_TESTS, NULL};

    return words;
}

bool hs_predict_is_swept(const struct hs_predict_settings *settings)
{
    return settings->ask.np.first != settings->ask.np.last ||
           settings->ask.bytes.first != settings->ask.bytes.last || settings->style;
}

/* Whether the result file, not the table, is what JSON is printed of. */
static bool prints_result(const struct hs_predict_settings *settings)
{
    return hs_print_format(&settings->print) == HS_FORMAT_JSON && !settings->style;
}

/* ---- what is asked --------------------------------------------------------------------------- */

static enum hs_status check_settings(const struct hs_predict_settings *settings,
                                     struct hs_error *err)
{
    bool over_np = settings->ask.np.first != settings->ask.np.last;
    bool over_bytes = settings->ask.bytes.first != settings->ask.bytes.last;

    if (settings->style && (settings->explain || over_np))
        return hs_fail(err, HS_INVALID, "--kind: expected one process count, and not --explain");
    if (settings->explain && (over_np || over_bytes))
        return hs_fail(err, HS_INVALID,
                       "--explain: expected one process count and one size, found a sweep of --%s",
                       over_np ? "np" : "size");
    if (settings->compare_with && (over_np || over_bytes || settings->explain || settings->style))
        return hs_fail(
            err, HS_INVALID,
            "--compare-with: expected one process count and one size, and neither --explain "
            "nor --kind");
    if (settings->explain && prints_result(settings))
        return hs_fail(
            err, HS_INVALID,
            "--explain: not together with --json, which holds every layer's cost already");
    if (settings->output && over_np)
        return hs_fail(err, HS_INVALID,
                       "--output: a result file is about one process count; run once per --np, or "
                       "use --json, which prints one document per line");
    return HS_OK;
}

/* A chunked plan is compared with plans of as many chunks, too, unless --chunks says otherwise. */
static enum hs_status take_chunks_of_plan(struct hs_predict_settings *settings,
                                          struct hs_error *err)
{
    struct hs_group group = hs_mesh_group(&settings->ask.mesh, (int64_t)settings->ask.np.first);
    struct hs_plan plan;
    enum hs_status status;

    if (!settings->explain || strcmp(settings->explain, "best") == 0)
        return HS_OK;
    status = hs_plan_parse(&plan, settings->explain, group.size, err);
    if (status != HS_OK)
        return err ? hs_error_prefix(err, status, "--explain") : status;
    if (plan.chunks > 1 && settings->ask.chunks.count == 0)
        settings->ask.chunks = (struct hs_count_list){.count = 2, .values = {1, plan.chunks}};
    return HS_OK;
}

/* The profile, which has the number of ranks. */
static enum hs_status take_profile(struct hs_predict_settings *settings, struct hs_profile *profile,
                                   struct hs_error *err)
{
    enum hs_status status;

    if (!settings->profile)
        return HS_OK;
    status = hs_job_check_profile(
        &settings->ask,
        settings->explain || settings->compare_with || settings->output || settings->style, err);
    if (status == HS_OK)
        status = hs_inputs_profile(profile, settings->profile, err);
    settings->ask.np =
        (struct hs_range){.first = (uint64_t)profile->ranks, .last = (uint64_t)profile->ranks};
    return status;
}

enum hs_status hs_predict_take(struct hs_predict_settings *settings, struct hs_profile *profile,
                               struct hs_error *err)
{
    enum hs_status status = take_profile(settings, profile, err);

    if (status == HS_OK && settings->ask.bytes.first == 0 && settings->style)
        status = hs_bytes_range_parse(&settings->ask.bytes, HS_SIZES_OF_NCCL_TESTS, err);
    if (status == HS_OK)
        status = hs_question_take(&settings->ask, err);
    if (status == HS_OK)
        status = check_settings(settings, err);
    return status == HS_OK ? take_chunks_of_plan(settings, err) : status;
}

/* A machine may be described in other words, but not with other nodes. */
static enum hs_status check_before(const struct hs_system *before, const struct hs_system *now,
                                   struct hs_error *err)
{
    const struct hs_level *had = &before->levels[0], *has = &now->levels[0];

    if (had->arity == has->arity)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "expected an earlier description of the same machine, with %" PRId64
                   " in each \"%s\"; found one with %" PRId64 " in each \"%s\"",
                   has->arity, has->name, had->arity, had->name);
}

enum hs_status hs_predict_take_before(struct hs_predict *predict, struct hs_system *before,
                                      struct hs_error *err)
{
    const struct hs_question *ask = &predict->settings->ask;
    enum hs_status status =
        check_before(before, predict->whole ? predict->whole : predict->asked.system, err);

    predict->before = before;
    return status == HS_OK ? hs_question_choose(before, ask, err) : status;
}

/* What was asked for, else what was measured on most ranks, and of that the largest message. */
void hs_predict_take_fitted(struct hs_predict_settings *settings, const struct hs_fit_times *times,
                            const struct hs_fit_again *again)
{
    struct hs_question *ask = &settings->ask;
    uint64_t np = 0, bytes = 0;

    for (size_t i = 0; i < times->calls.count; i++) {
        const struct hs_log_call *call = &times->calls.items[i];

        bytes = (uint64_t)call->ranks > np || ((uint64_t)call->ranks == np && call->bytes > bytes)
                    ? call->bytes
                    : bytes;
        np = (uint64_t)call->ranks > np ? (uint64_t)call->ranks : np;
    }
    for (size_t i = 0; i < times->inputs->count; i++) {
        const struct hs_result *result = &times->inputs->results[i];

        for (size_t m = 0; m < result->message_count && (uint64_t)result->np >= np; m++) {
            uint64_t size = result->messages[m].message_bytes;

            if ((uint64_t)result->np > np || size > bytes) {
                bytes = size;
                ask->collective = result->collective;
                ask->layout = result->layout;
                ask->mesh = result->mesh;
            }
            np = (uint64_t)result->np;
        }
    }
    if (again->np > 0 && (uint64_t)again->np != np) /* of which there is no such mesh */
        ask->mesh.count = 0;
    np = again->np > 0 ? (uint64_t)again->np : np;
    ask->np = (struct hs_range){.first = np, .last = np};
    ask->bytes = again->bytes;
    if (ask->bytes.first == 0)
        ask->bytes = (struct hs_range){.first = bytes, .last = bytes};
}

/* ---- which GPUs ------------------------------------------------------------------------------ */

/* Of a kind of choices, as its first one; those without links between all are counted alone. */
static enum hs_status price_choice(struct hs_choices *choices, const struct hs_predict *predict,
                                   struct hs_search_request *request,
                                   const struct hs_subset *subset, struct hs_error *err)
{
    struct hs_choice *choice = &choices->items[choices->count];
    struct hs_search_result found;
    struct hs_system system;
    int units[64], count = 0;
    enum hs_status status = hs_system_copy(&system, predict->whole, err);

    if (status != HS_OK)
        return status;
    for (int u = 0; u < 64; u++)
        if (subset->units >> u & 1)
            units[count++] = u;
    choices->all += subset->alike;
    status = hs_system_choose(&system, units, count, err);
    if (status == HS_INVALID)
        choices->apart += subset->alike;
    if (status == HS_OK) {
        hs_system_keep(&system);
        request->system = &system;
        status = hs_search(&found, hs_search_strategy_find("lattice"), request, err);
        if (status == HS_OK) {
            *choice = (struct hs_choice){.units = subset->units,
                                         .alike = subset->alike,
                                         .plan = found.plans[0].plan,
                                         .seconds = found.plans[0].seconds,
                                         .limit_seconds =
                                             hs_limit_of(&system, &request->problem).seconds};
            choices->count++;
            hs_search_result_release(&found);
        }
    } else if (status == HS_INVALID) {
        status = HS_OK;
    }
    hs_system_release(&system);
    return status;
}

static int by_seconds(const void *left, const void *right)
{
    const struct hs_choice *a = left, *b = right;

    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    return a->units < b->units ? -1 : a->units > b->units;
}

/* One call of some of the first level's children, which nobody asked for. */
static enum hs_status choose(struct hs_choices *choices, const struct hs_predict *predict,
                             const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_group *group = &point->request.problem.group;
    struct hs_search_request request = point->request;
    struct hs_subsets subsets = {.count = 0};
    enum hs_status status;

    if (!predict->whole || predict->settings->ask.gpus.count > 0 || group->size != group->ranks)
        return HS_OK;
    request.top = 1;
    request.progress = NULL;
    status = hs_subsets_find(&subsets, &predict->whole->levels[0].links, (int)group->size, err);
    if (status == HS_INVALID || subsets.count > KINDS_MAX) {
        choices->too_many = true;
        choices->kinds = KINDS_MAX;
        status = HS_OK;
    } else if (status == HS_OK) {
        choices->kinds = subsets.count;
        choices->items = calloc(subsets.count + 1, sizeof(*choices->items));
        status = choices->items ? HS_OK : hs_no_memory(err);
        for (size_t i = 0; status == HS_OK && i < subsets.count; i++)
            status = price_choice(choices, predict, &request, &subsets.items[i], err);
        if (status == HS_OK)
            qsort(choices->items, choices->count, sizeof(*choices->items), by_seconds);
    }
    hs_subsets_release(&subsets);
    return status;
}

/* ---- why ------------------------------------------------------------------------------------- */

/* Its parts, so that they add up to the estimate. */
static enum hs_status expected_cost(struct hs_plan_cost *cost, const struct hs_predict *predict,
                                    const struct hs_predict_point *point,
                                    const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_estimate estimate;

    if (hs_point_estimate(&estimate, point, plan, err))
        return HS_MEMORY;
    *cost = hs_plan_cost(predict->asked.system, &point->request.problem, plan);
    hs_plan_cost_scale(cost, estimate.seconds / cost->seconds);
    return HS_OK;
}

static enum hs_status find_sizes(struct hs_explanation *why, const struct hs_predict *predict,
                                 const struct hs_search_request *request, struct hs_error *err)
{
    enum hs_status status;

    why->last_bytes = HS_EXPLAIN_LAST_BYTES;
    status = hs_size_winners(&why->sizes, &why->size_count, request, HS_EXPLAIN_FIRST_BYTES,
                             &why->last_bytes, err);
    if (status == HS_OK && why->last_bytes < HS_EXPLAIN_LAST_BYTES)
        hs_say_warning(predict->notes, "--budget: not looked at: winners by message size%s%s",
                       why->size_count > 0 ? " above " : "",
                       why->size_count > 0 ? HS_AS_BYTES((uint64_t)why->last_bytes) : "");
    return status;
}

/* Of np / 16 .. np * 16 in powers of two, as far as they are whole, 2 or more, and allowed. */
static enum hs_status find_counts(struct hs_explanation *why, const struct hs_predict *predict,
                                  const struct hs_search_request *request, struct hs_error *err)
{
    int64_t np = request->problem.group.size, first = np, last = np, counts[NP_COUNTS];
    size_t all = 0;
    enum hs_status status;

    while (first % 2 == 0 && first > 2 && np / first < NP_FACTOR)
        first /= 2;
    while (last <= HS_NP_MAX / 2 && last / np < NP_FACTOR)
        last *= 2;
    for (int64_t p = first; p <= last; p *= 2)
        counts[all++] = p;
    assert(all > 0 && all <= NP_COUNTS); /* np itself at least */
    why->np_count = all;
    status = hs_np_winners(&why->counts, counts, &why->np_count, request, err);
    if (status == HS_OK && why->np_count < all)
        hs_say_warning(predict->notes,
                       "--budget: not looked at: winners of %" PRId64 " to %" PRId64 " processes",
                       counts[why->np_count], counts[all - 1]);
    return status;
}

static enum hs_status explain(struct hs_explanation *why, const struct hs_predict *predict,
                              const struct hs_predict_point *point, struct hs_error *err)
{
    const char *text = predict->settings->explain;
    const struct hs_problem *problem = &point->request.problem;
    const struct hs_plan flat = hs_problem_flat(problem);
    struct hs_point_watcher watcher = {&predict->asked, problem};
    struct hs_search_request request = point->request;
    enum hs_status status = HS_OK;

    why->plan = hs_point_best_plan(point)->plan;
    if (strcmp(text, "best") != 0)
        status = hs_plan_parse(&why->plan, text, problem->group.size, err);
    if (status == HS_OK)
        status = hs_problem_check(problem, &why->plan, err);
    if (status != HS_OK || problem->group.size == 1)
        return status;
    request.progress = hs_point_goes_on;
    request.watcher = &watcher;
    status = expected_cost(&why->cost, predict, point, &why->plan, err);
    if (status == HS_OK)
        status = expected_cost(&why->flat, predict, point, &flat, err);
    if (status == HS_OK)
        status = find_sizes(why, predict, &request, err);
    if (status == HS_OK && predict->settings->ask.mesh.count == 0)
        status = find_counts(why, predict, &request, err);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The same question of what was believed before. */
static enum hs_status ask_before(struct hs_prediction *out, const struct hs_predict *predict,
                                 const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_asked earlier = predict->asked;
    struct hs_machines machines;
    enum hs_status status =
        hs_machines_init(&machines, predict->before, predict->asked.machines->count, 1, err);

    if (status)
        return status;
    earlier.system = predict->before;
    earlier.machines = &machines;
    out->earlier = calloc(1, sizeof(*out->earlier));
    status = out->earlier ? hs_point_search(out->earlier, &earlier,
                                            point->request.problem.group.ranks, point->bytes, err)
                          : hs_no_memory(err);
    if (status) {
        free(out->earlier);
        out->earlier = NULL;
    }
    hs_machines_release(&machines);
    return status;
}

static enum hs_status walk(struct hs_prediction *out, const struct hs_predict *predict,
                           struct hs_error *err)
{
    const struct hs_range *np = &predict->settings->ask.np;
    struct hs_walk walk = {.asked = &predict->asked,
                           .command = predict->command,
                           .notes = predict->notes,
                           .keeps = true};
    enum hs_status status = HS_OK;

    for (uint64_t p = np->first; p != 0 && status == HS_OK; p = hs_range_next(np, p)) {
        struct hs_result *result =
            hs_grow(&out->results, NULL, out->result_count, sizeof(*result), err);
        size_t before = out->count;

        if (!result)
            return HS_MEMORY;
        status = hs_walk_sizes(result, &walk, (int64_t)p, err);
        out->points = walk.kept;
        out->count = walk.points;
        if (status == HS_OK && result->message_count > 0)
            out->result_count++;
        else
            hs_result_release(result);
        /* what a sweep's points were chosen by is not shown, and large */
        for (size_t i = before; i < out->count && hs_predict_is_swept(predict->settings); i++)
            hs_expected_release(&out->points[i].expected);
    }
    return status;
}

enum hs_status hs_predict_make(struct hs_prediction *out, const struct hs_predict *predict,
                               struct hs_error *err)
{
    enum hs_status status;

    *out = (struct hs_prediction){.count = 0};
    status = walk(out, predict, err);
    if (status == HS_OK && predict->settings->explain) {
        out->why = calloc(1, sizeof(*out->why));
        status = out->why ? explain(out->why, predict, &out->points[0], err) : hs_no_memory(err);
    } else if (status == HS_OK && !hs_predict_is_swept(predict->settings)) {
        status = choose(&out->choices, predict, &out->points[0], err);
        if (status == HS_OK && predict->before)
            status = ask_before(out, predict, &out->points[0], err);
    }
    if (status == HS_OK)
        hs_asked_say_beyond(predict->notes, &predict->asked);
    return status;
}

void hs_prediction_release(struct hs_prediction *prediction)
{
    for (size_t i = 0; i < prediction->count; i++)
        hs_predict_point_release(&prediction->points[i]);
    for (size_t i = 0; i < prediction->result_count; i++)
        hs_result_release(&prediction->results[i]);
    if (prediction->earlier)
        hs_predict_point_release(prediction->earlier);
    if (prediction->why) {
        free(prediction->why->sizes);
        free(prediction->why->counts);
    }
    free(prediction->why);
    free(prediction->earlier);
    free(prediction->choices.items);
    free(prediction->results);
    free(prediction->points);
    *prediction = (struct hs_prediction){.count = 0};
}
