/* What a measurement changed: the answer by what was believed before, and with it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/predict.h"
#include "show/beliefs.h"

/* The answer of a point, as a row. */
static struct hs_belief_row row_of(const char *by, const struct hs_predict_point *point)
{
    return (struct hs_belief_row){.by = by,
                                  .plan = &point->plans[0].plan,
                                  .estimate = &point->plans[0].estimate,
                                  .advice = hs_advice_names[point->verdict.advice],
                                  .library = hs_library_is_priced(&point->library) ? &point->library
                                                                                   : NULL};
}

/* "what changed: 256 is best, no longer 4x64; its 90 % range is 1.17x wide, was 1.45x; ..." */
static void say_changed(struct hs_sheet *sheet, const struct hs_belief_row *was,
                        const struct hs_belief_row *is)
{
    const struct hs_library_price *own = is->library, *earlier = was->library;
    const struct hs_estimate *now = is->estimate, *before = was->estimate;

    hs_sheet_say(sheet, "what changed: ");
    if (hs_plan_compare(was->plan, is->plan) == 0)
        hs_sheet_say(sheet, "%s stays the answer", HS_AS_PLAN(is->plan));
    else
        hs_sheet_say(sheet, "the answer is %s, no longer %s", HS_AS_PLAN(is->plan),
                     HS_AS_PLAN(was->plan));
    if (isfinite(before->low_seconds) && isfinite(now->low_seconds) && now->low_seconds > 0)
        hs_sheet_say(sheet, "; its 90 %% range is %s wide, was %s",
                     HS_AS_RATIO(now->high_seconds, now->low_seconds),
                     HS_AS_RATIO(before->high_seconds, before->low_seconds));
    if (isfinite(before->loss) && isfinite(now->loss))
        hs_sheet_say(sheet, "; the expected loss is %.2g %%, was %.2g %%", 100 * now->loss,
                     100 * before->loss);
    if (own && earlier && strcmp(own->choice, earlier->choice) != 0)
        hs_sheet_say(sheet, "; %s runs %s, not %s", hs_library_written(own->library), own->choice,
                     earlier->choice);
    hs_sheet_say(sheet, "\n");
}

static void compare(const struct hs_predict *predict, const struct hs_predict_point *point,
                    const struct hs_predict_point *earlier)
{
    struct hs_belief_row was = row_of("before", earlier), is = row_of("now", point);
    struct hs_table table;

    hs_sheet_say(predict->sheet, "\n");
    hs_beliefs_init(&table);
    hs_beliefs_add(&table, &was);
    hs_beliefs_add(&table, &is);
    hs_sheet_table(predict->sheet, &table);
    say_changed(predict->sheet, &was, &is);
}

enum hs_status hs_predict_say_changed(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_predict earlier = *predict;
    struct hs_predict_point earlier_point;
    struct hs_machines machines;
    enum hs_status status;

    if (!predict->before)
        return HS_OK;
    status = hs_machines_init(&machines, predict->before, predict->asked.machines->count, 1, err);
    if (status)
        return status;
    earlier.asked.system = predict->before;
    earlier.asked.machines = &machines;
    status = hs_point_search(&earlier_point, &earlier.asked, point->request.problem.group.ranks,
                             point->bytes, err);
    if (!status) {
        compare(predict, point, &earlier_point);
        hs_predict_point_release(&earlier_point);
    }
    hs_machines_release(&machines);
    return status;
}

/* ---- after a fit ----------------------------------------------------------------------------- */

static enum hs_status show(void *of_predict, struct hs_predict_point *point,
                           const struct hs_result *result, struct hs_error *err)
{
    return hs_predict_show(of_predict, point, result, err);
}

static enum hs_status answer(struct hs_predict *predict, struct hs_error *err)
{
    struct hs_walk walk = {.asked = &predict->asked,
                           .command = "hiersearch fit",
                           .wants_results = true,
                           .visit = show,
                           .visitor = predict};
    struct hs_result result;
    enum hs_status status =
        hs_walk_sizes(&result, &walk, (int64_t)predict->settings->ask.np.first, err);

    hs_result_release(&result);
    return status ? status : hs_sheet_end(predict->sheet, err);
}

static enum hs_status answer_by(const struct hs_predict *asked, const struct hs_system *system,
                                struct hs_error *err)
{
    struct hs_predict predict = *asked;
    struct hs_machines machines;
    struct hs_sheet sheet;
    enum hs_status status =
        hs_machines_init(&machines, system, (size_t)asked->settings->ask.machines, 1, err);

    if (status)
        return status;
    predict.sheet = &sheet;
    predict.asked =
        (struct hs_asked){.question = &asked->settings->ask,
                          .strategy = hs_search_strategy_find("lattice"),
                          .system = system,
                          .machines = &machines,
                          .typed = asked->system,
                          .further = true,
                          .label = asked->asked.label ? asked->asked.label : system->name};
    hs_sheet_begin(&sheet, asked->out, &asked->settings->print, asked->terminal);
    status = answer(&predict, err);
    if (!status)
        hs_predict_warn_of_extrapolation(&predict);
    hs_text_release(&sheet.lines);
    hs_machines_release(&machines);
    return status;
}

/* What was asked for, else what was measured on most ranks, and of that the largest message. */
static void find_problem(struct hs_question *ask, const struct hs_fit_times *times,
                         const struct hs_fit_again *again)
{
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
                ask->order = result->order;
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

enum hs_status hs_predict_fitted(const struct hs_predict *asked, const struct hs_system *system,
                                 const struct hs_fit_times *times, const struct hs_fit_again *again,
                                 struct hs_error *err)
{
    struct hs_predict_settings settings = {
        .ask = {.search = "lattice", .machines = HS_MACHINES_USUAL}};
    struct hs_predict predict = *asked;

    find_problem(&settings.ask, times, again);
    if (asked->settings)
        settings.print = asked->settings->print;
    predict.settings = &settings;
    if (settings.ask.np.first == 0 || settings.ask.bytes.first == 0)
        return HS_OK;
    return answer_by(&predict, system, err);
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
    return status == HS_OK && hs_question_is_part(ask, before)
               ? hs_question_choose(before, ask, err)
               : status;
}
