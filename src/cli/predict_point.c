/* One process count and one message size: the search, and what containment loses against it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/predict.h"
#include "console/progress_line.h"
#include "view/figures.h"

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

bool hs_predict_has_time(const struct hs_predict *predict)
{
    double budget = predict->settings->budget_seconds;

    return budget <= 0 || hs_progress_line_elapsed(predict->progress) < budget;
}

/* What is searched, and who searches. */
struct watch {
    const struct hs_predict *predict;
    const struct hs_predict_point *point;
    double began_at; /* seconds of the line's */
};

static void show_plans(const struct watch *watch, uint64_t done, uint64_t all)
{
    struct hs_progress_line *line = watch->predict->progress;
    char priced[HS_FIGURE_TEXT], plans[HS_FIGURE_TEXT];
    double part = (double)done / (double)all;
    double elapsed = hs_progress_line_elapsed(line) - watch->began_at;

    hs_progress_line_draw(line, part, elapsed * (1 / part - 1), "%s of %s plans priced",
                          hs_count_figure(priced, done), hs_count_figure(plans, all));
}

/* How long a step of the other strategies takes says little about the next one. */
static bool watch_search(void *of_point, uint64_t done, uint64_t all)
{
    const struct watch *watch = of_point;
    struct hs_progress_line *line = watch->predict->progress;
    char size[HS_UNIT_TEXT];

    if (hs_progress_line_is_due(line)) {
        if (strcmp(watch->predict->strategy->name, "exhaustive") == 0 && done > 0)
            show_plans(watch, done, all);
        else
            hs_progress_line_draw(line, (double)done / (double)all, 0,
                                  "searching, %" PRId64 " processes, %s",
                                  watch->point->request.problem.group.size,
                                  hs_bytes_format(size, watch->point->bytes));
    }
    return hs_predict_has_time(watch->predict);
}

/* Where nobody executes them, all that are ours. */
static unsigned algorithms_of(const struct hs_predict *predict)
{
    const struct hs_predict_settings *settings = predict->settings;

    if (settings->algorithms)
        return settings->algorithms;
    return hs_collectives[settings->collective].prices_only ? HS_ALGORITHMS_ALL
                                                            : hs_system_algorithms(predict->system);
}

enum hs_status hs_predict_point_init(struct hs_predict_point *point,
                                     const struct hs_predict *predict, int64_t np, uint64_t bytes,
                                     struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct watch watch = {predict, point, hs_progress_line_elapsed(predict->progress)};
    enum hs_status status;

    memset(point, 0, sizeof(*point));
    point->bytes = bytes;
    point->extrapolated = np > hs_system_capacity(predict->system);
    point->request = (struct hs_search_request){
        .system = predict->system,
        .problem = {.collective = settings->collective,
                    .group = hs_mesh_group(&settings->mesh, np),
                    .bytes = (double)bytes,
                    .order = settings->order},
        .algorithms = algorithms_of(predict),
        .chunks = settings->chunks.count ? settings->chunks.values : NULL,
        .chunk_count = settings->chunks.count,
        .top = settings->top < 2 ? 2 : (size_t)settings->top,
        .keep = (size_t)settings->keep,
        .widen = settings->widen,
    };
    point->request.progress = watch_search;
    point->request.watcher = &watch;
    status = hs_search(&point->found, predict->strategy, &point->request, err);
    if (status == HS_OK && strcmp(predict->strategy->name, "containment") == 0)
        status = search_exactly(point, err);
    if (status == HS_OK)
        status = hs_predict_be_sure(point, predict, err);
    if (status != HS_OK)
        hs_predict_point_release(point);
    point->request.progress = NULL;
    point->request.watcher = NULL;
    return status;
}

/* "20 processes (13.0 % fewer) would take 1.234 ms as 2x2x5", or more shortly behind another. */
static enum hs_status append_neighbour(struct hs_text *text, const struct hs_predict *predict,
                                       int64_t np, int64_t neighbour, struct hs_error *err)
{
    double change = 100 * ((double)neighbour / (double)np - 1);
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT];
    struct hs_predict_point point;
    enum hs_status status =
        hs_predict_point_init(&point, predict, neighbour, predict->settings->bytes.first, err);

    if (status != HS_OK)
        return status;
    hs_text_append(text, "%s%" PRId64 "%s (%.1f %% %s)%s %s as %s", text->length ? ", " : "",
                   neighbour, text->length ? "" : " processes", fabs(change),
                   change < 0 ? "fewer" : "more", text->length ? "" : " would take",
                   hs_seconds_format(time, point.found.plans[0].seconds),
                   hs_plan_format(plan, &point.found.plans[0].plan));
    hs_predict_point_release(&point);
    return HS_OK;
}

enum hs_status hs_predict_hint_neighbours(const struct hs_predict *predict, struct hs_error *err)
{
    int64_t np = (int64_t)predict->settings->np.first;
    int64_t unit = hs_system_child_ranks(predict->system, 1);
    bool by_units = unit > 1 && unit < np;
    int64_t below = by_units ? np - np % unit : np - 1;
    int64_t above = by_units ? below + unit : np + 1;
    struct hs_text text = {0};
    enum hs_status status = append_neighbour(&text, predict, np, below, err);

    if (status == HS_OK && above <= HS_NP_MAX)
        status = append_neighbour(&text, predict, np, above, err);
    if (status == HS_OK)
        hs_note(predict->context, "%" PRId64 " is prime: there is nothing to split. %s", np,
                text.failed ? "" : text.data);
    hs_text_release(&text);
    return status;
}

void hs_predict_point_release(struct hs_predict_point *point)
{
    hs_search_result_release(&point->found);
    hs_regret_table_release(&point->table);
}

enum hs_status hs_predict_library(struct hs_library_price *own, const struct hs_predict *predict,
                                  const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_problem *problem = &point->request.problem;
    const struct hs_search_plan *best = &point->found.plans[0];
    enum hs_status status;
    double seconds;

    *own =
        hs_library_price(predict->system, problem, hs_datatype_bytes(predict->settings->datatype));
    if (!hs_library_is_priced(own))
        return HS_OK;
    status = hs_library_gain(&own->gain, own, predict->machines, problem, &best->plan, err);
    own->left_alone = !status && hs_library_is_left_alone(&own->gain);
    seconds = hs_library_plan_seconds(own, predict->system, problem, &best->plan, best->seconds);
    if (seconds != best->seconds)
        own->best_seconds = seconds;
    return status;
}

bool hs_predict_is_surpassed(const struct hs_predict_point *point)
{
    return point->guess.seconds < point->found.plans[0].seconds * (1 - ROUNDING);
}

size_t hs_predict_shown(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    size_t top = (size_t)predict->settings->top;

    return top < point->found.count ? top : point->found.count;
}
