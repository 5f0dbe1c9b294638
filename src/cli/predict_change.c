/* What a measurement changed: the answer by what was believed before, and with it. */
#include <string.h>

#include "cli/predict.h"
#include "view/beliefs.h"

/* The answer of a point, as a row; the library's price is kept in `own`. */
static enum hs_status row_of(struct hs_belief_row *row, struct hs_library_price *own,
                             const struct hs_predict *predict, const struct hs_predict_point *point,
                             struct hs_error *err)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    enum hs_status status = hs_point_library(own, &predict->asked, point, err);

    *row = (struct hs_belief_row){.plan = &best->plan,
                                  .regret = point->sure ? &point->regret : NULL,
                                  .seconds = best->seconds,
                                  .library = hs_library_is_priced(own) ? own : NULL};
    return status;
}

/* "what changed: 256 is best, no longer 4x64; its 90 % range is 1.17x wide, was 1.45x; ..." */
static void say_changed(struct hs_sheet *sheet, const struct hs_belief_row *was,
                        const struct hs_belief_row *is)
{
    const struct hs_library_price *own = is->library, *earlier = was->library;

    hs_sheet_say(sheet, "what changed: ");
    if (hs_plan_compare(was->plan, is->plan) == 0)
        hs_sheet_say(sheet, "%s stays the best plan", HS_AS_PLAN(is->plan));
    else
        hs_sheet_say(sheet, "%s is best, no longer %s", HS_AS_PLAN(is->plan),
                     HS_AS_PLAN(was->plan));
    if (own && earlier && own->left_alone != earlier->left_alone)
        hs_sheet_say(sheet,
                     own->left_alone ? ", and %s's own call is to be left alone"
                                     : ", and %s's own call is no longer the answer",
                     hs_library_written(own->library));
    if (was->regret && is->regret)
        hs_sheet_say(sheet,
                     "; its 90 %% range is %s wide, was %s; the expected regret is %.2g %%, was "
                     "%.2g %%",
                     HS_AS_RATIO(is->regret->high_seconds, is->regret->low_seconds),
                     HS_AS_RATIO(was->regret->high_seconds, was->regret->low_seconds),
                     100 * is->regret->mean, 100 * was->regret->mean);
    if (own && earlier && strcmp(own->choice, earlier->choice) != 0)
        hs_sheet_say(sheet, "; %s runs %s, not %s", hs_library_written(own->library), own->choice,
                     earlier->choice);
    hs_sheet_say(sheet, "\n");
}

static enum hs_status compare(const struct hs_predict *predict,
                              const struct hs_predict_point *point,
                              const struct hs_predict *earlier,
                              const struct hs_predict_point *earlier_point, struct hs_error *err)
{
    struct hs_belief_row was, is;
    struct hs_library_price was_own, is_own;
    struct hs_table table;
    enum hs_status status = row_of(&was, &was_own, earlier, earlier_point, err);

    if (!status)
        status = row_of(&is, &is_own, predict, point, err);
    if (status)
        return status;
    was.by = "before";
    is.by = "now";
    hs_sheet_say(predict->sheet, "\n");
    hs_beliefs_init(&table);
    hs_beliefs_add(&table, &was);
    hs_beliefs_add(&table, &is);
    hs_sheet_table(predict->sheet, &table);
    say_changed(predict->sheet, &was, &is);
    return HS_OK;
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
    status = hs_predict_point_init(&earlier_point, &earlier, point->request.problem.group.ranks,
                                   point->bytes, err);
    if (!status) {
        status = compare(predict, point, &earlier, &earlier_point, err);
        hs_predict_point_release(&earlier_point);
    }
    hs_machines_release(&machines);
    return status;
}

/* ---- after a fit ----------------------------------------------------------------------------- */

static enum hs_status answer(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct hs_predict_point point;
    enum hs_status status = hs_predict_point_init(&point, predict, (int64_t)settings->ask.np.first,
                                                  settings->ask.bytes.first, err);

    if (status)
        return status;
    hs_predict_title(predict, &point);
    status = hs_predict_say_answer(predict, &point, err);
    if (!status)
        status = hs_predict_say_changed(predict, &point, err);
    if (!status)
        status = hs_predict_say_unknown(predict, &point, err);
    hs_predict_point_release(&point);
    return status ? status : hs_sheet_end(predict->sheet, err);
}

enum hs_status hs_predict_again(struct hs_context *context,
                                const struct hs_predict_settings *settings,
                                const struct hs_system *before, const struct hs_system *system,
                                struct hs_error *err)
{
    struct hs_machines machines;
    struct hs_progress_line progress;
    struct hs_sheet sheet;
    const struct hs_predict predict = {.context = context,
                                       .sheet = &sheet,
                                       .settings = settings,
                                       .asked = {.question = &settings->ask,
                                                 .strategy = hs_search_strategy_find("lattice"),
                                                 .system = system,
                                                 .machines = &machines,
                                                 .label = system->name},
                                       .before = before,
                                       .progress = &progress};
    enum hs_status status =
        hs_machines_init(&machines, system, (size_t)settings->ask.machines, 1, err);

    if (status)
        return status;
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    hs_progress_line_init(&progress, settings->quiet);
    status = answer(&predict, err);
    hs_progress_line_clear(&progress);
    if (!status)
        hs_predict_warn_of_extrapolation(&predict);
    hs_text_release(&sheet.lines);
    hs_machines_release(&machines);
    return status;
}
