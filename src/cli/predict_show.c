#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/predict.h"
#include "console/figures.h"

#define BAR_MIN   12
#define BAR_MAX   40
#define FLAT_ROOM 1.5  /* a flat bar longer than this many times the others is cut */
#define HINT_GAIN 1.05 /* chunks are worth a note from 5 % on */
/* Layers up to which searching again for the note costs next to nothing. */
#define HINT_LAYERS 4096

/* SPREAD only with a calibrated system. */
enum column { RANK, PLAN, TIME, SPREAD, RATIO, BUSBW, LAYERS, BAR };

static size_t at(const struct hs_predict *predict, enum column column)
{
    return column - (column > SPREAD && !hs_predict_is_calibrated(predict) ? 1u : 0u);
}

void hs_predict_title(struct hs_text *out, const struct hs_predict *predict,
                      const struct hs_predict_point *point)
{
    char size[HS_UNIT_TEXT];

    hs_text_append(out, "%s: %" PRId64 " process%s, %s per process\n", predict->label,
                   point->request.problem.group.size,
                   point->request.problem.group.size == 1 ? "" : "es",
                   hs_bytes_format(size, point->bytes));
}

static void append_regret(struct hs_text *out, const struct hs_predict_point *point)
{
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT];
    double regret = point->found.plans[0].seconds / point->exact_seconds - 1;

    if (point->found.plans[0].seconds <= point->exact_seconds)
        hs_text_append(out, "regret 0 %%: the exact search finds nothing faster\n");
    else
        hs_text_append(out, "regret %.2g %%: the exact search finds %s in %s\n", 100 * regret,
                       hs_plan_format(plan, &point->exact_plan),
                       hs_seconds_format(time, point->exact_seconds));
}

/* How many splits there are, and how the search dealt with them. */
static void append_search(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_predict_point *point)
{
    const struct hs_search_result *found = &point->found;
    const char *name = predict->strategy->name;
    char splits[HS_FIGURE_TEXT], looked_at[HS_FIGURE_TEXT], layers[HS_FIGURE_TEXT];

    hs_count_figure(splits, found->splits);
    hs_count_figure(looked_at, found->looked_at);
    hs_count_figure(layers, found->layers_priced);
    if (strcmp(name, "lattice") == 0)
        hs_text_append(out, "%s split%s, searched exactly: shortest paths over %s layer%s (%s)\n",
                       splits, found->splits == 1 ? "" : "s", layers,
                       found->layers_priced == 1 ? "" : "s", name);
    else
        hs_text_append(out, "%s split%s, %s plan%s priced (%s)\n", splits,
                       found->splits == 1 ? "" : "s", looked_at, found->looked_at == 1 ? "" : "s",
                       name);
    if (point->exact_seconds > 0)
        append_regret(out, point);
}

/* "best  4x8x4  12.34 ms  1.392x faster than flat (17.16 ms)" */
static void append_answer(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_predict_point *point)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_terminal *terminal = &predict->context->terminal;
    struct hs_plan_cost cost = hs_plan_cost(predict->system, &point->request.problem, &best->plan);
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT], flat[HS_UNIT_TEXT], ratio[HS_FIGURE_TEXT];

    hs_text_append(out, "%sbest  %s  %s%s", hs_style_on(terminal, HS_STYLE_BOLD, 0),
                   hs_plan_format(plan, &best->plan), hs_seconds_format(time, best->seconds),
                   hs_style_off(terminal));
    if (isfinite(cost.ci95_seconds) && hs_predict_is_calibrated(predict))
        hs_text_append(out, " +- %s", hs_seconds_format(time, cost.ci95_seconds));
    if (point->request.problem.group.size == 1)
        hs_text_append(out, "  one process: nothing travels\n");
    else if (hs_plan_is_flat(&best->plan))
        hs_text_append(out, "  flat: no split is faster\n");
    else
        hs_text_append(out, "  %s than flat (%s)\n",
                       hs_comparison_figure(ratio, best->seconds, point->found.flat_seconds),
                       hs_seconds_format(flat, point->found.flat_seconds));
}

static void add_row(struct hs_table *table, struct hs_gaps *gaps, const struct hs_predict *predict,
                    const struct hs_predict_point *point, size_t rank,
                    const struct hs_search_plan *row, const struct hs_time_unit *unit)
{
    const char *mark;
    struct hs_plan_cost cost =
        hs_predict_cost(gaps, &mark, predict, &point->request.problem, &row->plan);
    char text[HS_SPLIT_TEXT], figure[HS_FIGURE_TEXT];
    double best = point->found.plans[0].seconds;

    hs_table_row(table);
    if (rank > 0)
        hs_table_cell(table, RANK, "%zu", rank);
    else
        hs_table_cell(table, RANK, "flat");
    hs_table_cell(table, PLAN, "%s%s", hs_plan_format(text, &row->plan), mark);
    hs_table_cell(table, TIME, "%s", hs_time_figure(figure, row->seconds, unit));
    if (hs_predict_is_calibrated(predict))
        hs_table_cell(table, SPREAD, "%s", hs_predict_spread(figure, &cost));
    hs_table_cell(table, at(predict, RATIO), "%s", hs_ratio_figure(figure, row->seconds, best));
    if (row->seconds > 0)
        hs_table_cell(table, at(predict, BUSBW), "%.2f",
                      hs_problem_bus_bandwidth(&point->request.problem, row->seconds) * 1e-9);
    else
        hs_table_cell(table, at(predict, BUSBW), "-");
    hs_table_cell(table, at(predict, LAYERS), "%d", row->plan.split.count);
}

/* The bar of the last row: its layers' shares of the plan's time (with chunks layers overlap, so
 * the shares are scaled to the time). */
static void add_bar(struct hs_table *table, const struct hs_predict *predict,
                    const struct hs_predict_point *point, const struct hs_plan *plan, double full,
                    size_t cells)
{
    struct hs_plan_cost cost = hs_plan_cost(predict->system, &point->request.problem, plan);
    double parts[HS_LAYERS_MAX], sum = 0;
    struct hs_text bar = {0};

    for (int i = 0; i < cost.count; i++)
        sum += cost.stages[i].seconds;
    for (int i = 0; i < cost.count; i++)
        parts[i] = sum > 0 ? cost.stages[i].seconds / sum * cost.seconds : 0;
    hs_bar_append(&bar, &predict->context->terminal, parts, (size_t)cost.count, full, cells);
    table->failed = table->failed || bar.failed;
    hs_table_cell(table, at(predict, BAR), "%s", bar.data ? bar.data : "");
    hs_text_release(&bar);
}

/* Seconds that a bar of full length stands for. */
static double bar_full(const struct hs_predict_point *point, size_t shown)
{
    double slowest = point->found.plans[shown - 1].seconds, flat = point->found.flat_seconds;

    if (flat <= slowest)
        return slowest;
    return flat < FLAT_ROOM * slowest ? flat : FLAT_ROOM * slowest;
}

static void add_columns(struct hs_table *table, const struct hs_predict *predict,
                        const struct hs_time_unit *unit, bool bars)
{
    hs_table_column(table, "rank", true);
    hs_table_column(table, "plan", false);
    hs_table_column(table,
                    strcmp(unit->name, "s") == 0    ? "time s"
                    : strcmp(unit->name, "ms") == 0 ? "time ms"
                                                    : "time us",
                    true);
    if (hs_predict_is_calibrated(predict))
        hs_table_column(table, HS_PREDICT_SPREAD, true);
    hs_table_column(table, "vs best", true);
    hs_table_column(table, "busbw GB/s", true);
    hs_table_column(table, "layers", true);
    if (bars)
        hs_table_column(table, "where the time goes", false);
}

/* Rows of the table: the plans found, then the flat split where it is not among them. With `cells`
 * = 0 there are no bars; the first call finds out how much room they have. */
static void fill_table(struct hs_table *table, struct hs_gaps *gaps,
                       const struct hs_predict *predict, const struct hs_predict_point *point,
                       size_t cells)
{
    size_t shown = hs_predict_shown(predict, point);
    const struct hs_search_plan *plans = point->found.plans;
    struct hs_search_plan flat = {hs_plan_flat(point->request.problem.group.size),
                                  point->found.flat_seconds};
    struct hs_time_unit unit = hs_time_unit_for(plans[0].seconds);
    double full = bar_full(point, shown);
    bool flat_shown = false;

    for (size_t i = 0; i < shown; i++)
        flat_shown = flat_shown || hs_plan_is_flat(&plans[i].plan);
    add_columns(table, predict, &unit, cells > 0);
    for (size_t i = 0; i < shown; i++) {
        add_row(table, gaps, predict, point, i + 1, &plans[i], &unit);
        if (cells)
            add_bar(table, predict, point, &plans[i].plan, full, cells);
    }
    if (flat_shown)
        return;
    add_row(table, gaps, predict, point, 0, &flat, &unit);
    if (cells)
        add_bar(table, predict, point, &flat.plan, full, cells);
}

static void append_legend(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_predict_point *point)
{
    const struct hs_terminal *terminal = &predict->context->terminal;
    size_t shown = hs_predict_shown(predict, point);
    bool cut = point->found.flat_seconds > bar_full(point, shown);
    int layers = 1;

    for (size_t i = 0; i < shown; i++)
        if (point->found.plans[i].plan.split.count > layers)
            layers = point->found.plans[i].plan.split.count;
    if (layers == 1)
        return;
    hs_text_append(out, "\nlayers from the inside out:");
    for (int i = 0; i < layers && i < 4; i++)
        hs_text_append(out, "  %s%s%s %d", hs_style_on(terminal, HS_STYLE_LAYER, i),
                       hs_bar_shade(terminal, i), hs_style_off(terminal), i + 1);
    hs_text_append(out, "%s%s\n", layers > 4 ? ", then the same shades again" : "",
                   cut ? "; > bar is cut" : "");
}

/* One search more with 1, 2, 4 and 8 chunks; for very many layers only the plans already found. */
static enum hs_status best_with_chunks(struct hs_search_plan *best,
                                       const struct hs_predict_point *point, struct hs_error *err)
{
    static const int chunks[] = {1, 2, 4, 8};
    struct hs_search_request request = point->request;
    struct hs_search_result found;
    enum hs_status status;

    *best = point->found.plans[0];
    if (point->found.layers_priced > HINT_LAYERS) {
        for (size_t c = 1; c < 4; c++) {
            struct hs_plan plan = {.split = point->found.plans[0].plan.split, .chunks = chunks[c]};
            double seconds = hs_plan_seconds(request.system, &request.problem, &plan);

            if (seconds < best->seconds)
                *best = (struct hs_search_plan){plan, seconds};
        }
        return HS_OK;
    }
    request.chunks = chunks;
    request.chunk_count = 4;
    request.top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), &request, err);
    if (status != HS_OK)
        return status;
    *best = found.plans[0];
    hs_search_result_release(&found);
    return HS_OK;
}

static enum hs_status hint_at_chunks(const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_search_plan best;
    enum hs_status status;
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT], ratio[HS_FIGURE_TEXT];

    if (predict->settings->chunks.count || predict->settings->quiet)
        return HS_OK;
    status = best_with_chunks(&best, point, err);
    if (status == HS_OK && best.seconds * HINT_GAIN < point->found.plans[0].seconds)
        hs_note(predict->context, "with chunks %s takes %s, %s faster: add --chunks 1,2,4,8",
                hs_plan_format(plan, &best.plan), hs_seconds_format(time, best.seconds),
                hs_ratio_figure(ratio, point->found.plans[0].seconds, best.seconds));
    return status;
}

enum hs_status hs_predict_show(const struct hs_predict *predict,
                               const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_text *out = predict->context->out;
    struct hs_table plain = {.column_count = 0}, table = {.column_count = 0};
    size_t width = (size_t)predict->context->terminal.width, used, cells = 0;
    struct hs_gaps gaps = {0};

    fill_table(&plain, &gaps, predict, point, 0);
    used = hs_table_width(&plain) + 2;
    hs_table_release(&plain);
    if (width >= used + BAR_MIN && point->request.problem.group.size > 1)
        cells = width - used < BAR_MAX ? width - used : BAR_MAX;
    hs_predict_title(out, predict, point);
    append_search(out, predict, point);
    hs_text_append(out, "\n");
    append_answer(out, predict, point);
    hs_text_append(out, "\n");
    fill_table(&table, &gaps, predict, point, cells);
    hs_table_print(out, &table, &predict->context->terminal);
    hs_table_release(&table);
    if (cells)
        append_legend(out, predict, point);
    if (point->extrapolated || hs_predict_is_calibrated(predict))
        hs_text_append(out, "\n");
    hs_predict_explain_spread(out, predict);
    hs_predict_legend(out, predict, &gaps, point->extrapolated);
    return hint_at_chunks(predict, point, err);
}
