#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/price_plan.h"
#include "record/result_gaps.h"
#include "show/answers.h"
#include "show/predict.h"

bool hs_predict_is_calibrated(const struct hs_predict *predict)
{
    return predict->asked.system->fits.count > 0;
}

struct hs_plan_cost hs_predict_cost(struct hs_gaps *gaps, const struct hs_predict *predict,
                                    const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_plan_cost cost = hs_plan_cost(predict->asked.system, problem, plan);

    hs_gaps_add(gaps, predict->asked.system, plan, &cost);
    return cost;
}

void hs_predict_legend(const struct hs_predict *predict, const struct hs_gaps *gaps, bool spread,
                       bool beyond_np)
{
    struct hs_text legend = {0};

    if (spread && hs_predict_is_calibrated(predict))
        hs_sheet_say(predict->sheet, "+-%%: half width of the prediction's 95 %% interval, as far "
                                     "as the calibration knows it\n");
    if (beyond_np)
        hs_sheet_say(predict->sheet,
                     "* beyond the %" PRId64 " processes that the description covers\n",
                     hs_system_capacity(predict->asked.system));
    hs_gaps_legend(&legend, gaps, predict->asked.system);
    hs_sheet_say(predict->sheet, "%s", legend.data ? legend.data : "");
    hs_text_release(&legend);
}

void hs_predict_title(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_problem *problem = &point->request.problem;
    int64_t np = problem->group.ranks;

    hs_sheet_line(predict->sheet, "%s: %s%s, %" PRId64 " process%s%s%s, %s per process (predicted)",
                  predict->asked.label, hs_collectives[problem->collective].written,
                  hs_layout_aside(problem->collective, problem->layout), np, np == 1 ? "" : "es",
                  hs_system_nodes_text((char[HS_NODES_TEXT]){0}, predict->asked.system, np),
                  hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &predict->settings->ask.mesh),
                  HS_AS_BYTES(point->bytes));
}

/* How many splits there are, and how the search dealt with them. */
static void say_search(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_search_result *found = &point->found;
    const char *name = predict->asked.strategy->name;

    hs_sheet_say(predict->sheet, "%s split%s, ", HS_AS_COUNT(found->splits),
                 HS_PLURAL(found->splits));
    if (strcmp(name, "lattice") == 0)
        hs_sheet_say(predict->sheet, "searched exactly\n");
    else
        hs_sheet_say(predict->sheet, "%s plan%s priced (%s)\n", HS_AS_COUNT(found->looked_at),
                     HS_PLURAL(found->looked_at), name);
}

/* The fastest first, each source once. */
static int compare_published(const void *left, const void *right)
{
    const struct hs_published *a = left, *b = right;
    int order = strcmp(a->source, b->source);

    return order ? order : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* "published, SOURCE: 4x8x4 16.64 ms, 4x32 17.29 ms": times of just this size and count. */
static enum hs_status say_published(const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_system *system = predict->asked.system;
    struct hs_published *found = calloc(system->published.count + 1, sizeof(*found));
    size_t count = 0;

    if (!found)
        return hs_no_memory(err);
    for (size_t i = 0; i < system->published.count; i++)
        if (system->published.items[i].np == point->request.problem.group.size &&
            hs_group_is_world(&point->request.problem.group) &&
            system->published.items[i].bytes == point->bytes)
            found[count++] = system->published.items[i];
    qsort(found, count, sizeof(*found), compare_published);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || strcmp(found[i].source, found[i - 1].source) != 0;
        bool last = i + 1 == count || strcmp(found[i].source, found[i + 1].source) != 0;

        if (first)
            hs_sheet_say(predict->sheet, "%spublished, %s:", i > 0 ? "" : "\n", found[i].source);
        hs_sheet_say(predict->sheet, "%s %s %s%s", first ? "" : ",", found[i].call,
                     HS_AS_TIME(found[i].seconds), last ? "\n" : "");
    }
    free(found);
    return HS_OK;
}

static enum hs_status show_point(const struct hs_predict *predict,
                                 const struct hs_prediction *prediction, struct hs_error *err)
{
    const struct hs_predict_point *point = &prediction->points[0];
    const struct hs_result *result = &prediction->results[0];
    const struct hs_result_message *message = &result->messages[0];
    const struct hs_answer_source of = {result, message};
    bool details = predict->settings->details;
    struct hs_gaps gaps = {0};

    hs_predict_title(predict, point);
    if (details)
        say_search(predict, point);
    hs_answer_say(predict->sheet, &of, hs_point_shown(&predict->asked, point), details);
    hs_result_gaps_add(&gaps, result, message);
    hs_predict_legend(predict, &gaps, false, point->extrapolated && details);
    hs_predict_say_choices(predict, prediction);
    hs_predict_say_changed(predict->sheet, prediction);
    return details ? say_published(predict, point, err) : HS_OK;
}

/* Results as documents, of several process counts one in a line. */
static enum hs_status print_results(const struct hs_predict *predict,
                                    const struct hs_prediction *prediction, struct hs_error *err)
{
    const struct hs_range *np = &predict->settings->ask.np;
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < prediction->result_count && status == HS_OK; i++)
        status = np->first != np->last
                     ? hs_result_print_line(predict->out, &prediction->results[i], err)
                     : hs_result_print(predict->out, &prediction->results[i], err);
    return status;
}

enum hs_status hs_predict_print(const struct hs_predict *of, const struct hs_prediction *prediction,
                                const struct hs_print *print, struct hs_error *err)
{
    const struct hs_predict_settings *settings = of->settings;
    struct hs_predict with_sheet = *of;
    const struct hs_predict *predict = &with_sheet;
    struct hs_sheet sheet;
    enum hs_status status = HS_OK;

    if (!settings->style && hs_print_format(print) == HS_FORMAT_JSON)
        return print_results(predict, prediction, err);
    hs_sheet_begin(&sheet, predict->out, print, predict->terminal);
    with_sheet.sheet = &sheet;
    if (settings->explain)
        hs_predict_explain(predict, prediction);
    else if (hs_predict_is_swept(settings))
        hs_predict_sweep(predict, prediction);
    else
        status = show_point(predict, prediction, err);
    if (status == HS_OK)
        status = hs_sheet_end(&sheet, err);
    hs_text_release(&sheet.lines);
    return status;
}
