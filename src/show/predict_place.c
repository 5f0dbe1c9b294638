#include <inttypes.h>
#include <math.h>

#include "answer/figures.h"
#include "show/place_forms.h"
#include "show/placements.h"
#include "show/predict.h"

/* Cutting axes is said to help from so much on: fewer of them are easier to apply. */
#define CUT_GAIN 1.01

/* ---- what is said ---------------------------------------------------------------------------- */

static void say_title(const struct hs_predict *predict, const struct hs_job *job)
{
    int64_t np = hs_mesh_ranks(&job->mesh);

    hs_sheet_say(predict->sheet, "%s: %" PRId64 " processes%s", predict->asked.label, np,
                 hs_system_nodes_text((char[HS_NODES_TEXT]){0}, predict->asked.system, np));
    hs_sheet_say(predict->sheet, ", mesh %s, %zu message%s a step\n",
                 hs_mesh_format((char[HS_MESH_TEXT]){0}, &job->mesh), job->count,
                 HS_PLURAL(job->count));
}

static void say_best(const struct hs_predict *predict, const struct hs_job *job,
                     const struct hs_axes_result *result, double given_seconds)
{
    const struct hs_axes_order *best = &result->orders[0];

    hs_sheet_stress(
        predict->sheet, "best  %s  %s",
        hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, &best->layout, &job->mesh),
        HS_AS_TIME(best->seconds));
    hs_sheet_say(predict->sheet, " of communication a step, innermost axis first, ");
    if (given_seconds > best->seconds)
        hs_sheet_say(predict->sheet, "%s faster than as given\n",
                     HS_AS_GAIN(given_seconds / best->seconds));
    else
        hs_sheet_say(predict->sheet, "as given\n");
}

static void say_sure(const struct hs_predict *predict, const struct hs_axes_result *result,
                     const struct hs_axes_sure *sure)
{
    size_t orders = result->count < HS_AXES_SURE_ORDERS ? result->count : HS_AXES_SURE_ORDERS;

    hs_sheet_say(predict->sheet,
                 "      %s with 90 %%; of %zu order%s the best on %.0f %% of the %zu machines that "
                 "fit the description, on 95 %% of them at most %s %% slower than the best\n",
                 HS_AS_RANGE(sure->low_seconds, sure->high_seconds), orders, HS_PLURAL(orders),
                 100 * sure->share, predict->asked.machines->count, HS_AS_PERCENT(sure->worst, 1));
}

/* Messages at the same time, where that is asked for. */
static void say_overlap(const struct hs_predict *predict, const struct hs_axes_overlap *overlap)
{
    hs_sheet_say(predict->sheet,
                 "      along different axes at the same time %s, as %s does alone, to %s\n",
                 HS_AS_TIME(overlap->least_seconds),
                 overlap->pace < 0
                     ? "one axis"
                     : hs_pace_text((char[HS_PACE_TEXT]){0}, predict->asked.system, overlap->pace),
                 HS_AS_TIME(overlap->most_seconds));
}

/* What is communication need not add to a step's time, as far as computing hides it. */
static void say_step(const struct hs_predict *predict, const struct hs_axes_overlap *overlap)
{
    double compute = predict->settings->step.compute_seconds;

    if (predict->settings->step.overlap)
        say_overlap(predict, overlap);
    if (compute > 0)
        hs_sheet_say(
            predict->sheet,
            "      beside %s of computing a step takes %s, if all of it is hidden, to %s\n",
            HS_AS_TIME(compute), HS_AS_TIME(fmax(compute, overlap->least_seconds)),
            HS_AS_TIME(compute + overlap->most_seconds));
    else
        hs_sheet_say(predict->sheet,
                     "      %swhat computing hides of them is not known (--compute "
                     "bounds it)\n",
                     predict->settings->step.overlap ? "" : "messages one after the other; ");
}

/* Whether cutting axes is worth it. */
static bool is_cut_better(const struct hs_axes_result *result)
{
    return result->cut.count > 0 && result->orders[0].seconds > CUT_GAIN * result->cut_seconds;
}

static void say_cut(const struct hs_predict *predict, const struct hs_job *job,
                    const struct hs_axes_result *result)
{
    const struct hs_axes_order *best = &result->orders[0];

    if (is_cut_better(result))
        hs_sheet_say(
            predict->sheet, "      with axes cut %s takes %s, %s faster\n",
            hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, &result->cut, &job->mesh),
            HS_AS_TIME(result->cut_seconds), HS_AS_GAIN(best->seconds / result->cut_seconds));
    hs_sheet_say(predict->sheet, "%s placement%s weighed exactly, every message by its best plan",
                 HS_AS_COUNT(result->weighed), HS_PLURAL(result->weighed));
    if (result->cut.count == 0)
        hs_sheet_say(predict->sheet, "; axes are not cut where a message goes along several");
    else if (!is_cut_better(result))
        hs_sheet_say(predict->sheet, "; cutting axes gains nothing");
    hs_sheet_say(predict->sheet, "\n\n");
}

static enum hs_status show(const struct hs_predict *predict, const struct hs_placed *placed,
                           struct hs_error *err)
{
    const struct hs_job *job = &placed->job;
    const struct hs_axes_result *result = &placed->result;
    struct hs_axes_overlap overlap;
    struct hs_axes_sure sure;
    enum hs_status status = HS_OK;

    say_title(predict, job);
    say_best(predict, job, result, placed->given_seconds);
    if (predict->settings->ask.machines > 0 && !predict->asked.machines->belief) {
        status = hs_axes_be_sure(&sure, result, job, predict->asked.machines, err);
        if (status != HS_OK)
            return status;
        say_sure(predict, result, &sure);
    }
    overlap = hs_axes_overlap_of(&result->orders[0], result, job, predict->asked.system);
    if (!predict->settings->step.overlap)
        overlap.least_seconds = overlap.most_seconds;
    say_step(predict, &overlap);
    say_cut(predict, job, result);
    hs_placed_show(predict->sheet, placed);
    return hs_sheet_end(predict->sheet, err);
}

/* The order, or that with axes cut where this is to be applied and gains. */
static const struct hs_axes_layout *layout_to_apply(const struct hs_axes_result *result)
{
    return is_cut_better(result) ? &result->cut : &result->orders[0].layout;
}

enum hs_status hs_predict_place(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct hs_placed placed;
    enum hs_status status = hs_placed_make(&placed, &predict->asked, settings->place.messages, err);

    if (status == HS_OK && settings->as)
        status = hs_place_form_print(
            predict->out, predict->notes, settings->as,
            &(struct hs_place_job){.job = &placed.job,
                                   .order = &placed.result.orders[0].layout,
                                   .layout = layout_to_apply(&placed.result),
                                   .node_ranks = hs_system_node_ranks(predict->asked.system),
                                   .hosts = settings->step.hosts},
            err);
    else if (status == HS_OK)
        status = show(predict, &placed, err);
    hs_placed_release(&placed);
    return status;
}
