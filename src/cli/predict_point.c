/* The progress of a search, and what other process counts would take. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/predict.h"
#include "console/progress_line.h"
#include "view/figures.h"

static void show_plans(const struct hs_predict_watch *watch, uint64_t done, uint64_t all)
{
    struct hs_progress_line *line = watch->predict->progress;
    char priced[HS_FIGURE_TEXT], plans[HS_FIGURE_TEXT];
    double part = (double)done / (double)all;
    double elapsed = hs_progress_line_elapsed(line) - watch->began_at;

    hs_progress_line_draw(line, part, elapsed * (1 / part - 1), "%s of %s plans priced",
                          hs_count_figure(priced, done), hs_count_figure(plans, all));
}

/* How long a step of the other strategies takes says little about the next one. */
static void watch_search(void *of_predict, const struct hs_problem *problem, uint64_t done,
                         uint64_t all)
{
    struct hs_predict_watch *watch = of_predict;
    struct hs_progress_line *line = watch->predict->progress;

    if (done < watch->done) /* another search */
        watch->began_at = hs_progress_line_elapsed(line);
    watch->done = done;
    if (!hs_progress_line_is_due(line))
        return;
    if (strcmp(watch->predict->asked.strategy->name, "exhaustive") == 0 && done > 0)
        show_plans(watch, done, all);
    else
        hs_progress_line_draw(line, (double)done / (double)all, 0,
                              "searching, %" PRId64 " processes, %s", problem->group.size,
                              HS_AS_BYTES((uint64_t)problem->bytes));
}

struct hs_asked hs_predict_watched(struct hs_predict_watch *watch, const struct hs_predict *predict)
{
    struct hs_asked asked = predict->asked;

    *watch = (struct hs_predict_watch){.predict = predict,
                                       .began_at = hs_progress_line_elapsed(predict->progress)};
    asked.watch = watch_search;
    asked.watcher = watch;
    return asked;
}

enum hs_status hs_predict_point_init(struct hs_predict_point *point,
                                     const struct hs_predict *predict, int64_t np, uint64_t bytes,
                                     struct hs_error *err)
{
    struct hs_predict_watch watch;
    struct hs_asked asked = hs_predict_watched(&watch, predict);

    return hs_point_search(point, &asked, np, bytes, err);
}

/* "20 processes (13.0 % fewer) would take 1.234 ms as 2x2x5", or more shortly behind another. */
static enum hs_status append_neighbour(struct hs_text *text, const struct hs_predict *predict,
                                       int64_t np, int64_t neighbour, struct hs_error *err)
{
    double change = 100 * ((double)neighbour / (double)np - 1);
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT];
    struct hs_predict_point point;
    enum hs_status status =
        hs_predict_point_init(&point, predict, neighbour, predict->settings->ask.bytes.first, err);

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
    int64_t np = (int64_t)predict->settings->ask.np.first;
    int64_t unit = hs_system_child_ranks(predict->asked.system, 1);
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
