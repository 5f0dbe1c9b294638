#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict.h"
#include "console/figures.h"
#include "search/winners.h"

/* Columns of the lines; those that do not vary or do not apply are left out. Between TIME and GAIN
 * lies the interval of a calibrated system. */
enum column { FIRST, BEST, TIME, SPREAD, GAIN, SECOND, MARGIN, REGRET };

static size_t at(const struct hs_predict *predict, enum column column)
{
    return column - (column > SPREAD && !hs_predict_is_calibrated(predict) ? 1u : 0u);
}

static void add_line_columns(struct hs_predict_sweep *sweep, bool containment, bool calibrated)
{
    hs_table_column(&sweep->lines, sweep->over_np ? "processes" : "size", true);
    hs_table_column(&sweep->lines, "best plan", false);
    hs_table_column(&sweep->lines, "time", true);
    if (calibrated)
        hs_table_column(&sweep->lines, HS_PREDICT_SPREAD, true);
    hs_table_column(&sweep->lines, "faster than flat", true);
    hs_table_column(&sweep->lines, "runner-up", false);
    hs_table_column(&sweep->lines, "margin %", true);
    if (containment)
        hs_table_column(&sweep->lines, "regret %", true);
    if (sweep->over_np)
        hs_table_column(&sweep->lines, "growth", false);
}

enum hs_status hs_predict_sweep_init(struct hs_predict_sweep *sweep,
                                     const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_range *bytes = &predict->settings->bytes;
    struct hs_table *const matrices[] = {&sweep->plans, &sweep->times, &sweep->gains};
    size_t column = 0;

    memset(sweep, 0, sizeof(*sweep));
    sweep->over_np = predict->settings->np.first != predict->settings->np.last;
    sweep->over_bytes = bytes->first != bytes->last;
    add_line_columns(sweep, strcmp(predict->strategy->name, "containment") == 0,
                     hs_predict_is_calibrated(predict));
    if (!sweep->over_np || !sweep->over_bytes)
        return HS_OK;
    sweep->headings = calloc(HS_TABLE_COLUMNS, sizeof(*sweep->headings));
    if (!sweep->headings)
        return hs_fail(err, HS_MEMORY, "out of memory");
    for (size_t m = 0; m < 3; m++)
        hs_table_column(matrices[m], "processes", true);
    for (uint64_t b = bytes->first; b != 0; b = hs_range_next(bytes, b), column++) {
        hs_bytes_format(sweep->headings[column], b);
        for (size_t m = 0; m < 3; m++)
            hs_table_column(matrices[m], sweep->headings[column], m > 0);
    }
    return HS_OK;
}

void hs_predict_sweep_release(struct hs_predict_sweep *sweep)
{
    hs_table_release(&sweep->lines);
    hs_table_release(&sweep->plans);
    hs_table_release(&sweep->times);
    hs_table_release(&sweep->gains);
    free(sweep->headings);
    sweep->headings = NULL;
}

/* A process count beyond the description marks its row, a calibration's gap the plan itself. */
static void add_matrix_cells(struct hs_predict_sweep *sweep, const struct hs_predict *predict,
                             const struct hs_predict_point *point)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const char *mark;
    struct hs_table *const matrices[] = {&sweep->plans, &sweep->times, &sweep->gains};
    char plan[HS_SPLIT_TEXT], time[HS_UNIT_TEXT], ratio[HS_FIGURE_TEXT];

    if (sweep->np != point->request.problem.group.size) {
        sweep->np = point->request.problem.group.size;
        sweep->column = 0;
        for (size_t m = 0; m < 3; m++) {
            hs_table_row(matrices[m]);
            hs_table_cell(matrices[m], 0, "%" PRId64 "%s", sweep->np,
                          point->extrapolated ? "*" : "");
        }
    }
    sweep->column++;
    hs_predict_cost(&sweep->gaps, &mark, predict, &point->request.problem, &best->plan);
    hs_table_cell(&sweep->plans, sweep->column, "%s%s", hs_plan_format(plan, &best->plan),
                  hs_predict_is_calibrated(predict) ? mark : "");
    hs_table_cell(&sweep->times, sweep->column, "%s", hs_seconds_format(time, best->seconds));
    hs_table_cell(&sweep->gains, sweep->column, "%s",
                  hs_ratio_figure(ratio, point->found.flat_seconds, best->seconds));
}

static void add_runner_up(struct hs_table *lines, const struct hs_predict *predict,
                          const struct hs_predict_point *point)
{
    const struct hs_search_plan *plans = point->found.plans;
    char plan[HS_SPLIT_TEXT];

    if (point->found.count < 2)
        return;
    hs_table_cell(lines, at(predict, SECOND), "%s", hs_plan_format(plan, &plans[1].plan));
    if (plans[1].seconds <= plans[0].seconds)
        hs_table_cell(lines, at(predict, MARGIN), "tie");
    else
        hs_table_cell(lines, at(predict, MARGIN), "%.2f",
                      100 * (plans[1].seconds / plans[0].seconds - 1));
}

static void add_line(struct hs_predict_sweep *sweep, const struct hs_predict *predict,
                     const struct hs_predict_point *point)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const char *mark;
    struct hs_plan_cost cost =
        hs_predict_cost(&sweep->gaps, &mark, predict, &point->request.problem, &best->plan);
    struct hs_table *lines = &sweep->lines;
    size_t last = lines->column_count - 1;
    char text[HS_SPLIT_TEXT], time[HS_UNIT_TEXT], figure[HS_FIGURE_TEXT];

    hs_table_row(lines);
    if (sweep->over_np)
        hs_table_cell(lines, FIRST, "%" PRId64, point->request.problem.group.size);
    else
        hs_table_cell(lines, FIRST, "%s", hs_bytes_format(text, point->bytes));
    hs_table_cell(lines, BEST, "%s%s", hs_plan_format(text, &best->plan), mark);
    hs_table_cell(lines, TIME, "%s", hs_seconds_format(time, best->seconds));
    if (hs_predict_is_calibrated(predict))
        hs_table_cell(lines, SPREAD, "%s", hs_predict_spread(figure, &cost));
    hs_table_cell(lines, at(predict, GAIN), "%s",
                  hs_ratio_figure(figure, point->found.flat_seconds, best->seconds));
    add_runner_up(lines, predict, point);
    if (point->exact_seconds > 0)
        hs_table_cell(lines, at(predict, REGRET), "%.2f",
                      100 * (best->seconds / point->exact_seconds - 1));
    if (sweep->over_np && sweep->previous.split.count > 0)
        hs_table_cell(lines, last, "%s",
                      hs_growth_names[hs_growth_of(&sweep->previous.split, &best->plan.split)]);
    sweep->previous = best->plan;
}

void hs_predict_sweep_add(struct hs_predict_sweep *sweep, const struct hs_predict *predict,
                          const struct hs_predict_point *point)
{
    sweep->extrapolated = sweep->extrapolated || point->extrapolated;
    if (sweep->over_np && sweep->over_bytes)
        add_matrix_cells(sweep, predict, point);
    else
        add_line(sweep, predict, point);
}

/* A matrix that is wider than the terminal is printed in blocks of columns, each with the process
 * counts. */
static void print_matrix(struct hs_text *out, const struct hs_table *matrix, const char *heading,
                         const struct hs_terminal *terminal)
{
    hs_text_append(out, "\n%s%s%s\n", hs_style_on(terminal, HS_STYLE_BOLD, 0), heading,
                   hs_style_off(terminal));
    for (size_t first = 1; first < matrix->column_count;) {
        struct hs_table block = {.column_count = 0};
        size_t width = hs_table_column_width(matrix, 0), end = first;

        while (end < matrix->column_count &&
               (end == first ||
                width + 2 + hs_table_column_width(matrix, end) <= (size_t)terminal->width))
            width += 2 + hs_table_column_width(matrix, end++);
        hs_table_column(&block, matrix->columns[0].heading, true);
        for (size_t c = first; c < end; c++)
            hs_table_column(&block, matrix->columns[c].heading, matrix->columns[c].right);
        for (size_t r = 0; r < matrix->row_count && !matrix->failed; r++) {
            const char *const *row = (const char *const *)&matrix->cells[r * matrix->column_count];

            hs_table_row(&block);
            hs_table_cell(&block, 0, "%s", row[0]);
            for (size_t c = first; c < end; c++)
                hs_table_cell(&block, c - first + 1, "%s", row[c]);
        }
        hs_table_print(out, &block, terminal);
        hs_table_release(&block);
        first = end;
        hs_text_append(out, first < matrix->column_count ? "\n" : "");
    }
}

void hs_predict_sweep_print(const struct hs_predict_sweep *sweep, const struct hs_predict *predict)
{
    const struct hs_terminal *terminal = &predict->context->terminal;
    struct hs_text *out = predict->context->out;
    char size[HS_UNIT_TEXT];

    if (sweep->lines.failed || sweep->plans.failed || sweep->times.failed || sweep->gains.failed)
        out->failed = true;
    if (sweep->over_np && sweep->over_bytes)
        hs_text_append(out, "%s: process count by message size\n", predict->label);
    else if (sweep->over_np)
        hs_text_append(out, "%s: %s per process\n\n", predict->label,
                       hs_bytes_format(size, predict->settings->bytes.first));
    else
        hs_text_append(out, "%s: %" PRIu64 " processes\n\n", predict->label,
                       predict->settings->np.first);
    if (sweep->over_np && sweep->over_bytes) {
        print_matrix(out, &sweep->plans, "Best plan", terminal);
        print_matrix(out, &sweep->times, "Its time", terminal);
        print_matrix(out, &sweep->gains, "Faster than flat", terminal);
    } else {
        hs_table_print(out, &sweep->lines, terminal);
    }
    if (sweep->extrapolated || hs_predict_is_calibrated(predict))
        hs_text_append(out, "\n");
    if (!sweep->over_np || !sweep->over_bytes)
        hs_predict_explain_spread(out, predict);
    hs_predict_legend(out, predict, &sweep->gaps, sweep->extrapolated);
}
