#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict.h"
#include "console/figures.h"
#include "search/winners.h"

#define SIZE_FIRST 1024.0                      /* 1 KiB */
#define SIZE_LAST  (16.0 * 1024 * 1024 * 1024) /* 16 GiB */
#define NP_FACTOR  16                          /* process counts np / 16 .. np * 16 */
#define NP_COUNTS  9                           /* 2 * log2(NP_FACTOR) + 1 */

static void print_table(struct hs_text *out, const struct hs_predict *predict,
                        struct hs_table *table)
{
    hs_table_print(out, table, &predict->context->terminal);
    hs_table_release(table);
}

static void append_heading(struct hs_text *out, const struct hs_predict *predict, const char *text)
{
    const struct hs_terminal *terminal = &predict->context->terminal;

    hs_text_append(out, "\n%s%s%s\n", hs_style_on(terminal, HS_STYLE_BOLD, 0), text,
                   hs_style_off(terminal));
}

enum column {
    LAYER,
    SIZE,
    STRIDE,
    LEVEL,
    RINGS,
    RING_BANDWIDTH,
    BYTES,
    TIME,
    SHARE,
    LATENCY,
    BANDWIDTH,
    LAUNCH
};

/* What a calibrated system adds: two columns behind the others. */
#define PRICED_BY "priced by"

static void add_shares(struct hs_table *table, const struct hs_predict *predict, double latency,
                       double bandwidth, double launch, double seconds)
{
    char text[HS_FIGURE_TEXT];

    hs_table_cell(table, LATENCY, "%s", hs_percent_figure(text, latency, seconds));
    hs_table_cell(table, BANDWIDTH, "%s", hs_percent_figure(text, bandwidth, seconds));
    if (predict->system->launch_seconds > 0)
        hs_table_cell(table, LAUNCH, "%s", hs_percent_figure(text, launch, seconds));
}

/* Which fit priced the layer, and the interval of its time. */
static void add_fit(struct hs_table *table, const struct hs_stage_cost *layer)
{
    size_t column = table->column_count - 2;

    hs_table_cell(table, column, "%s%s", hs_fit_scope_names[layer->fit_scope],
                  layer->extrapolated ? " *" : "");
    if (isfinite(layer->relative_ci95))
        hs_table_cell(table, column + 1, "%.1f", 100 * layer->relative_ci95);
    else
        hs_table_cell(table, column + 1, "-");
}

static void add_layer(struct hs_table *table, const struct hs_predict *predict,
                      const struct hs_plan_cost *cost, int i, double sum,
                      const struct hs_time_unit *unit)
{
    const struct hs_system *system = predict->system;
    const struct hs_stage_cost *layer = &cost->stages[i];
    char text[HS_FIGURE_TEXT];

    hs_table_row(table);
    hs_table_cell(table, LAYER, "%d", i + 1);
    hs_table_cell(table, SIZE, "%" PRId64, layer->key.layer.size);
    hs_table_cell(table, STRIDE, "%" PRId64, layer->key.layer.stride);
    hs_table_cell(table, LEVEL, "%s%s", system->levels[layer->level].name,
                  layer->straddles ? " ~" : "");
    if (layer->bottleneck != layer->level)
        hs_table_cell(table, LEVEL, " (%s slowest)", system->levels[layer->bottleneck].name);
    hs_table_cell(table, RINGS, "%" PRId64, layer->rings_per_link);
    hs_table_cell(table, RING_BANDWIDTH, "%.4g", layer->ring_bytes_per_second * 1e-9);
    hs_table_cell(table, BYTES, "%s", hs_bytes_figure(text, layer->bytes));
    hs_table_cell(table, TIME, "%s", hs_time_figure(text, layer->seconds, unit));
    hs_table_cell(table, SHARE, "%s", hs_percent_figure(text, layer->seconds, sum));
    add_shares(table, predict, layer->latency_seconds, layer->bandwidth_seconds,
               layer->launch_seconds, layer->seconds);
    if (hs_predict_is_calibrated(predict))
        add_fit(table, layer);
}

static double sum_of_layers(const struct hs_plan_cost *cost)
{
    double sum = 0;

    for (int i = 0; i < cost->count; i++)
        sum += cost->stages[i].seconds;
    return sum;
}

/* Which of the scopes are there, and what is extrapolated. */
static void append_fits(struct hs_text *out, const struct hs_predict *predict,
                        const struct hs_plan *plan, const struct hs_plan_cost *cost)
{
    static const char *const meanings[] = {
#define HS_ROW(name, text, meaning) meaning,
        HS_FIT_SCOPES(HS_ROW)
#undef HS_ROW
    };
    struct hs_gaps gaps = {0};
    const char *separator = PRICED_BY ": ";

    if (!hs_predict_is_calibrated(predict))
        return;
    for (size_t s = HS_FIT_SCOPE_COUNT; s-- > 0;) {
        bool there = false;

        for (int i = 0; i < cost->count; i++)
            there = there || cost->stages[i].fit_scope == s;
        if (!there)
            continue;
        hs_text_append(out, "%s%s: %s", separator, hs_fit_scope_names[s], meanings[s]);
        separator = "; ";
    }
    hs_text_append(out, "\n");
    hs_predict_explain_spread(out, predict);
    hs_gaps_add(&gaps, predict->system, plan, cost);
    hs_predict_legend(out, predict, &gaps,
                      hs_split_product(&plan->split) > hs_system_capacity(predict->system));
}

static void append_layers(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_plan *plan, const struct hs_plan_cost *cost)
{
    static const char *const headings[] = {"layer",   "size",      "stride",   "level",
                                           "rings",   "GB/s/ring", "bytes in", NULL,
                                           "share %", "latency %", "bandw. %", "launch %"};
    double sum = sum_of_layers(cost);
    struct hs_time_unit unit = hs_time_unit_for(sum);
    struct hs_table table = {.column_count = 0};
    char text[HS_FIGURE_TEXT];
    bool straddles = false;

    for (int c = LAYER; c <= (predict->system->launch_seconds > 0 ? LAUNCH : BANDWIDTH); c++)
        hs_table_column(&table,
                        headings[c]                    ? headings[c]
                        : strcmp(unit.name, "s") == 0  ? "time s"
                        : strcmp(unit.name, "ms") == 0 ? "time ms"
                                                       : "time us",
                        c != LEVEL);
    if (hs_predict_is_calibrated(predict)) {
        hs_table_column(&table, PRICED_BY, false);
        hs_table_column(&table, HS_PREDICT_SPREAD, true);
    }
    for (int i = 0; i < cost->count; i++) {
        add_layer(&table, predict, cost, i, sum, &unit);
        straddles = straddles || cost->stages[i].straddles;
    }
    hs_table_row(&table);
    hs_table_cell(&table, LEVEL, "all layers");
    hs_table_cell(&table, TIME, "%s", hs_time_figure(text, sum, &unit));
    hs_table_cell(&table, SHARE, "%s", hs_percent_figure(text, sum, sum));
    add_shares(&table, predict, cost->latency_seconds, cost->bandwidth_seconds,
               cost->launch_seconds, sum);
    print_table(out, predict, &table);
    hs_text_append(
        out, "rings: that share a link; share: of all layers; the percentages behind it: of the "
             "layer\n");
    if (straddles)
        hs_text_append(out, "~ straddles: its rings have hops on inner levels, too\n");
    append_fits(out, predict, plan, cost);
}

/* What chunks do: layers on different levels overlap. */
static void append_chunks(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_plan *plan, const struct hs_plan_cost *cost)
{
    char time[HS_UNIT_TEXT];

    if (plan->chunks == 1)
        return;
    hs_text_append(out,
                   "%d chunks overlap on different levels: %s in all; level %s sets the pace\n",
                   plan->chunks, hs_seconds_format(time, cost->seconds),
                   predict->system->levels[cost->pacing_level].name);
}

/* Whether either of two plans may be the faster one, as far as a calibration knows. */
static bool within_intervals(const struct hs_predict *predict, const struct hs_plan_cost *a,
                             const struct hs_plan_cost *b)
{
    return hs_predict_is_calibrated(predict) &&
           !(fabs(a->seconds - b->seconds) > a->ci95_seconds + b->ci95_seconds);
}

/* Margin to the best or to the runner-up. */
static void append_margin(struct hs_text *out, const struct hs_predict *predict,
                          const struct hs_predict_point *point, const struct hs_plan *plan,
                          const struct hs_plan_cost *cost)
{
    double seconds = cost->seconds;
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_search_plan *second = point->found.count > 1 ? best + 1 : NULL;
    const struct hs_search_plan *other = best;
    struct hs_plan_cost others;
    char text[HS_SPLIT_TEXT], time[HS_UNIT_TEXT], ratio[HS_FIGURE_TEXT];

    if (hs_plan_compare(plan, &best->plan) == 0 && second)
        other = second;
    others = hs_plan_cost(predict->system, &point->request.problem, &other->plan);
    if (hs_plan_compare(plan, &best->plan) != 0)
        hs_text_append(out, "best       %s takes %s: this plan takes %s as long\n",
                       hs_plan_format(text, &best->plan), hs_seconds_format(time, best->seconds),
                       hs_ratio_figure(ratio, seconds, best->seconds));
    else if (second && second->seconds <= seconds)
        hs_text_append(out, "runner-up  %s takes exactly as long\n",
                       hs_plan_format(text, &second->plan));
    else if (second)
        hs_text_append(
            out, "runner-up  %s takes %s: %.2g %% longer\n", hs_plan_format(text, &second->plan),
            hs_seconds_format(time, second->seconds), 100 * (second->seconds / seconds - 1));
    else
        hs_text_append(out, "runner-up  none: this is the only plan\n");
    if (hs_plan_compare(plan, &other->plan) != 0 && within_intervals(predict, cost, &others))
        hs_text_append(out, "           within the intervals of the two: measure to be sure\n");
}

static void append_difference(struct hs_text *out, const char *what, double flat, double plan)
{
    char flat_time[HS_UNIT_TEXT], plan_time[HS_UNIT_TEXT];

    if (flat > 0 || plan > 0)
        hs_text_append(out, "%s %s (here %s)", what, hs_seconds_format(flat_time, flat),
                       hs_seconds_format(plan_time, plan));
}

static void append_flat(struct hs_text *out, const struct hs_predict *predict,
                        const struct hs_predict_point *point, const struct hs_plan *plan,
                        const struct hs_plan_cost *cost)
{
    struct hs_plan flat_plan = hs_plan_flat(point->request.problem.group.size);
    struct hs_plan_cost flat = hs_plan_cost(predict->system, &point->request.problem, &flat_plan);
    char time[HS_UNIT_TEXT], ratio[HS_FIGURE_TEXT];

    if (hs_plan_compare(plan, &flat_plan) == 0)
        return;
    hs_text_append(out, "flat       %" PRId64 " takes %s: %s as long",
                   point->request.problem.group.size, hs_seconds_format(time, flat.seconds),
                   hs_ratio_figure(ratio, flat.seconds, cost->seconds));
    append_difference(out, "\n           latency", flat.latency_seconds, cost->latency_seconds);
    append_difference(out, ", bandwidth", flat.bandwidth_seconds, cost->bandwidth_seconds);
    append_difference(out, ", launch", flat.launch_seconds, cost->launch_seconds);
    hs_text_append(out, "\n");
}

static enum hs_status append_sizes(struct hs_text *out, const struct hs_predict *predict,
                                   const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_table table = {.column_count = 0};
    struct hs_size_winner *winners = NULL;
    struct hs_gaps gaps = {0};
    const char *mark;
    size_t count = 0;
    enum hs_status status;

    status = hs_size_winners(&winners, &count, &point->request, SIZE_FIRST, SIZE_LAST, err);
    if (status != HS_OK)
        return status;
    append_heading(out, predict, "Winner by message size, 1KiB to 16GiB");
    hs_table_column(&table, "from size", true);
    hs_table_column(&table, "best plan", false);
    hs_table_column(&table, "time there", true);
    hs_table_column(&table, "faster than flat", true);
    hs_table_column(&table, "", false);
    for (size_t i = 0; i < count; i++) {
        char text[HS_SPLIT_TEXT], figure[HS_FIGURE_TEXT], time[HS_UNIT_TEXT];
        struct hs_problem problem = point->request.problem;
        bool here = winners[i].bytes <= point->request.problem.bytes &&
                    (i + 1 == count || point->request.problem.bytes < winners[i + 1].bytes);

        hs_table_row(&table);
        hs_table_cell(&table, 0, "%s", hs_bytes_figure(figure, winners[i].bytes));
        problem.bytes = winners[i].bytes;
        hs_predict_cost(&gaps, &mark, predict, &problem, &winners[i].plan);
        hs_table_cell(&table, 1, "%s%s", hs_plan_format(text, &winners[i].plan),
                      hs_predict_is_calibrated(predict) ? mark : "");
        hs_table_cell(&table, 2, "%s", hs_seconds_format(time, winners[i].seconds));
        hs_table_cell(&table, 3, "%s",
                      hs_ratio_figure(figure, winners[i].flat_seconds, winners[i].seconds));
        if (here)
            hs_table_cell(&table, 4, "<- %s", hs_bytes_format(time, point->bytes));
    }
    free(winners);
    print_table(out, predict, &table);
    hs_predict_legend(out, predict, &gaps, false);
    return HS_OK;
}

/* np / 16 .. np * 16 in powers of two, as far as they are whole, 2 or more, and allowed. */
static size_t neighbouring_counts(int64_t counts[NP_COUNTS], int64_t np)
{
    int64_t first = np, last = np;
    size_t count = 0;

    while (first % 2 == 0 && first > 2 && np / first < NP_FACTOR)
        first /= 2;
    while (last <= HS_NP_MAX / 2 && last / np < NP_FACTOR)
        last *= 2;
    for (int64_t p = first; p <= last; p *= 2)
        counts[count++] = p;
    assert(count > 0 && count <= NP_COUNTS); /* np itself at least */
    return count;
}

static void add_np_winner(struct hs_table *table, struct hs_gaps *gaps,
                          const struct hs_predict *predict, const struct hs_np_winner *winner,
                          const struct hs_predict_point *point)
{
    const char *mark;
    char text[HS_SPLIT_TEXT], figure[HS_FIGURE_TEXT], time[HS_UNIT_TEXT];
    struct hs_problem problem;

    problem = hs_problem_world(winner->np, point->request.problem.bytes);
    hs_predict_cost(gaps, &mark, predict, &problem, &winner->plan);
    hs_table_row(table);
    hs_table_cell(table, 0, "%" PRId64, winner->np);
    hs_table_cell(table, 1, "%s%s", hs_plan_format(text, &winner->plan), mark);
    hs_table_cell(table, 2, "%s", hs_seconds_format(time, winner->seconds));
    hs_table_cell(table, 3, "%s", hs_ratio_figure(figure, winner->flat_seconds, winner->seconds));
    if (winner->growth != HS_GROWTH_FIRST)
        hs_table_cell(table, 4, "%s", hs_growth_names[winner->growth]);
    if (winner->np == point->request.problem.group.size)
        hs_table_cell(table, 5, "<- %" PRId64, winner->np);
}

static enum hs_status append_counts(struct hs_text *out, const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_table table = {.column_count = 0};
    struct hs_np_winner *winners = NULL;
    struct hs_gaps gaps = {0};
    int64_t counts[NP_COUNTS];
    size_t count = neighbouring_counts(counts, point->request.problem.group.size);
    enum hs_status status = hs_np_winners(&winners, counts, count, &point->request, err);

    if (status != HS_OK)
        return status;
    append_heading(out, predict, "Winner by process count, and how it follows from the one before");
    hs_table_column(&table, "processes", true);
    hs_table_column(&table, "best plan", false);
    hs_table_column(&table, "time", true);
    hs_table_column(&table, "faster than flat", true);
    hs_table_column(&table, "growth", false);
    hs_table_column(&table, "", false);
    for (size_t i = 0; i < count; i++)
        add_np_winner(&table, &gaps, predict, &winners[i], point);
    free(winners);
    print_table(out, predict, &table);
    hs_predict_legend(out, predict, &gaps, counts[count - 1] > hs_system_capacity(predict->system));
    return HS_OK;
}

static void append_why(struct hs_text *out, const struct hs_predict *predict,
                       const struct hs_predict_point *point, const struct hs_plan *plan)
{
    struct hs_plan_cost cost = hs_plan_cost(predict->system, &point->request.problem, plan);
    char text[HS_SPLIT_TEXT], time[HS_UNIT_TEXT];

    hs_predict_title(out, predict, point);
    hs_text_append(out, "%s takes %s", hs_plan_format(text, plan),
                   hs_seconds_format(time, cost.seconds));
    if (hs_predict_is_calibrated(predict) && isfinite(cost.ci95_seconds))
        hs_text_append(out, " +- %s (95 %%)", hs_seconds_format(time, cost.ci95_seconds));
    hs_text_append(out, ": busbw %.2f GB/s\n\n",
                   hs_problem_bus_bandwidth(&point->request.problem, cost.seconds) * 1e-9);
    append_layers(out, predict, plan, &cost);
    append_chunks(out, predict, plan, &cost);
    hs_text_append(out, "\n");
    append_margin(out, predict, point, plan, &cost);
    append_flat(out, predict, point, plan, &cost);
}

enum hs_status hs_predict_explain(const struct hs_predict *predict,
                                  const struct hs_predict_point *point, struct hs_error *err)
{
    const char *text = predict->settings->explain;
    struct hs_text *out = predict->context->out;
    struct hs_plan plan = point->found.plans[0].plan;
    enum hs_status status = HS_OK;

    if (strcmp(text, "best") != 0)
        status = hs_plan_parse(&plan, text, point->request.problem.group.size, err);
    if (status != HS_OK)
        return status;
    if (point->request.problem.group.size == 1) {
        hs_predict_title(out, predict, point);
        hs_text_append(out, "one process: nothing travels, there is nothing to explain\n");
        return HS_OK;
    }
    append_why(out, predict, point, &plan);
    status = append_sizes(out, predict, point, err);
    return status == HS_OK ? append_counts(out, predict, point, err) : status;
}
