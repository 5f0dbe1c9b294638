/* What is predicted, as a result file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/list.h"
#include "base/notes.h"
#include "estimate/system_file.h"
#include "library/beyond.h"
#include "version.h"

#define TOP_CHECKED 1000 /* from so many on the size of the result is looked at */

enum hs_status hs_predicted_init(struct hs_result *result, const char *command,
                                 const struct hs_system *system, int64_t np, struct hs_error *err)
{
    static const char describe[] = HS_GIT_DESCRIBE;
    char created[HS_CLOCK_UTC];
    enum hs_status status;

    memset(result, 0, sizeof(*result));
    result->np = np;
    result->complete = true;
    result->extrapolated = np > hs_system_capacity(system);
    result->command = hs_strdup(command);
    result->created = hs_strdup(hs_clock_utc_made(created));
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

static enum hs_status add_candidate(struct hs_result_message *message, const struct hs_asked *asked,
                                    const struct hs_predict_point *point,
                                    const struct hs_estimated *estimated, struct hs_error *err)
{
    const struct hs_estimate *estimate = &estimated->estimate;
    struct hs_candidate *candidate;
    struct hs_beyond beyond;

    if (hs_plan_is_default(&estimated->plan)) {
        candidate = hs_result_add_candidate(message);
        if (!candidate)
            return hs_no_memory(err);
        candidate->plan = estimated->plan;
        beyond = hs_beyond_of(asked->system, &point->request.problem.group,
                              point->request.problem.bytes);
        candidate->extrapolated = hs_beyond_any(&beyond);
    } else {
        if (hs_result_add_prediction(message, asked->system, &point->request.problem,
                                     &estimated->plan, err))
            return HS_MEMORY;
        candidate = &message->candidates[message->candidate_count - 1];
    }
    if (candidate->cost && candidate->cost->seconds > 0)
        hs_plan_cost_scale(candidate->cost, estimate->seconds / candidate->cost->seconds);
    candidate->predicted_seconds = estimate->seconds;
    candidate->predicted_low_seconds = estimate->low_seconds;
    candidate->predicted_high_seconds = estimate->high_seconds;
    candidate->probability_best = estimate->probability_best;
    return HS_OK;
}

/* The default call and the flat plan, behind the plans that are shown. */
static void order_last_two(struct hs_result_message *message)
{
    struct hs_candidate *last = &message->candidates[message->candidate_count - 1], kept = *last;

    if (last->predicted_seconds < last[-1].predicted_seconds) {
        *last = last[-1];
        last[-1] = kept;
    }
}

static enum hs_status add_candidates(struct hs_result_message *message,
                                     const struct hs_asked *asked,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_estimated flat = {.plan = hs_problem_flat(&point->request.problem)};
    struct hs_estimated usual = {HS_DEFAULT_CALL, point->reference};
    bool priced = hs_library_is_priced(&point->library);
    enum hs_status status = HS_OK;
    bool has_flat = priced && hs_plan_is_flat(&flat.plan) &&
                    (hs_system_is_nccl_native(asked->system) ||
                     point->library.library == HS_LIBRARY_RCCL); /* it is the default call */
    bool has_default = !priced;

    for (size_t i = 0; i < point->tie_count; i++)
        has_flat = has_flat || hs_plan_compare(&point->ties[i], &flat.plan) == 0;
    for (size_t i = 0; i < hs_point_shown(asked, point) && status == HS_OK; i++) {
        has_flat = has_flat || hs_plan_compare(&point->plans[i].plan, &flat.plan) == 0;
        has_default = has_default || hs_plan_is_default(&point->plans[i].plan);
        status = add_candidate(message, asked, point, &point->plans[i], err);
    }
    if (status == HS_OK && !has_default)
        status = add_candidate(message, asked, point, &usual, err);
    if (status == HS_OK && !has_flat)
        status = hs_point_estimate(&flat.estimate, point, &flat.plan, err);
    if (status == HS_OK && !has_flat)
        status = add_candidate(message, asked, point, &flat, err);
    if (status == HS_OK && !has_default && !has_flat)
        order_last_two(message);
    return status;
}

/* Splits that the published rule never priced. */
static enum hs_status add_pruned(struct hs_result_message *message, const struct hs_asked *asked,
                                 const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_text rule = {0};
    bool added;

    if (point->exact_seconds <= 0 || point->found.looked_at >= point->found.splits)
        return HS_OK;
    hs_text_append(&rule, "containment");
    if (asked->question->beam)
        hs_text_append(&rule, " beam %d", (int)asked->question->beam);
    if (asked->question->widen)
        hs_text_append(&rule, " widen");
    added = !rule.failed &&
            hs_result_add_pruned(message, rule.data, point->found.splits - point->found.looked_at);
    hs_text_release(&rule);
    return added ? HS_OK : hs_no_memory(err);
}

/* Adds the message size: the plans that are shown, each with the cost of its layers, and the flat
 * split last where it is not among them. */
static enum hs_status add_point(struct hs_result *result, const struct hs_asked *asked,
                                const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_result_message *message = hs_result_add_message(result);
    const struct hs_plan fewest = hs_problem_flat(&point->request.problem);
    struct hs_estimate flat = {.seconds = NAN};
    enum hs_status status;

    if (!message)
        return hs_no_memory(err);
    message->message_bytes = point->bytes;
    message->datatype = asked->question->datatype;
    message->operation = asked->question->operation;
    message->strategy = hs_strdup(asked->strategy->name);
    if (!message->strategy)
        return hs_no_memory(err);
    message->splits = point->found.splits;
    message->looked_at = point->found.looked_at;
    message->best = point->plans[0].plan;
    status = add_pruned(message, asked, point, err);
    if (status == HS_OK)
        status = hs_point_estimate(&flat, point, &fewest, err);
    message->flat_seconds = flat.seconds;
    if (status == HS_OK)
        status = hs_point_answer(&message->answer, asked, point, err);
    return status == HS_OK ? add_candidates(message, asked, point, err) : status;
}

/* ---- all sizes ------------------------------------------------------------------------------- */

/* Whether the budget is spent; the first point is searched in any case. Said once. */
static bool has_ended(struct hs_walk *walk, int64_t np, uint64_t bytes)
{
    if (walk->points == 0 || hs_asked_has_time(walk->asked))
        return false;
    if (!walk->ended)
        hs_say_warning(walk->notes,
                       "--budget: not looked at: %" PRId64 " processes with %s, and all behind it",
                       np, HS_AS_BYTES(bytes));
    walk->ended = true;
    return true;
}

/* A result says itself that it is not whole. */
static enum hs_status cut_short(struct hs_result *result, const char *what, struct hs_error *err)
{
    struct hs_text note = {0};

    result->complete = false;
    hs_text_append(&note, "%s%s%s", result->note ? result->note : "--budget: not looked at: ",
                   result->note ? "; " : "", what);
    free(result->note);
    result->note = note.data;
    return note.failed ? hs_no_memory(err) : HS_OK;
}

static enum hs_status leave_out(const struct hs_walk *walk, struct hs_result *result,
                                const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_text what = {0};
    enum hs_status status;

    hs_text_append(&what, "%s of %" PRId64 " processes with %s", point->found.left_out,
                   point->request.problem.group.size, HS_AS_BYTES(point->bytes));
    status = what.failed ? hs_no_memory(err) : cut_short(result, what.data, err);
    if (status == HS_OK)
        hs_say_warning(walk->notes, "--budget: not looked at: %s", what.data);
    hs_text_release(&what);
    return status;
}

/* After the first message size: a file that nothing could read back is not worth the others. */
static enum hs_status check_readable(const struct hs_question *question,
                                     const struct hs_result *result, struct hs_error *err)
{
    struct hs_text one = {0};
    size_t sizes = hs_question_sizes(question);
    enum hs_status status = HS_OK;

    if (sizes < 2 || result->message_count == 0 || question->top < TOP_CHECKED)
        return HS_OK;
    status = hs_result_print(&one, result, err);
    if (status == HS_OK && one.length > HS_JSON_BYTES_MAX / sizes)
        status = hs_fail(err, HS_INVALID,
                         "--top: %zu sizes of %" PRId64 " plans would make a result of %s, and "
                         "%s can be read back: ask for fewer plans or sizes",
                         sizes, question->top, HS_AS_SIZE((double)(one.length * sizes)),
                         HS_AS_BYTES(HS_JSON_BYTES_MAX));
    hs_text_release(&one);
    return status;
}

static enum hs_status walk_on(struct hs_result *result, struct hs_walk *walk, int64_t np,
                              struct hs_error *err)
{
    const struct hs_range *bytes = &walk->asked->question->bytes;
    enum hs_status status = HS_OK;

    for (uint64_t b = bytes->first; b != 0 && status == HS_OK; b = hs_range_next(bytes, b)) {
        struct hs_predict_point one, *point = &one;

        if (has_ended(walk, np, b))
            return result->message_count > 0 ? cut_short(result, "other message sizes", err)
                                             : HS_OK;
        if (walk->keeps)
            point = hs_grow(&walk->kept, NULL, walk->points, sizeof(*point), err);
        if (!point)
            return HS_MEMORY;
        status = hs_point_search(point, walk->asked, np, b, err);
        if (status != HS_OK)
            return status;
        walk->points++;
        status = add_point(result, walk->asked, point, err);
        if (status == HS_OK && point->found.left_out[0])
            status = leave_out(walk, result, point, err);
        if (status == HS_OK && b == bytes->first)
            status = check_readable(walk->asked->question, result, err);
        if (!walk->keeps)
            hs_predict_point_release(point);
    }
    return status;
}

enum hs_status hs_walk_sizes(struct hs_result *result, struct hs_walk *walk, int64_t np,
                             struct hs_error *err)
{
    const struct hs_question *question = walk->asked->question;
    enum hs_status status = hs_predicted_init(result, walk->command, walk->asked->system, np, err);

    result->collective = question->collective;
    result->registered = question->registered;
    result->layout = question->layout;
    result->mesh = question->mesh;
    return status == HS_OK ? walk_on(result, walk, np, err) : status;
}
