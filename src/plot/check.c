/* Bus bandwidth of a log by message size: measured, what is expected with its 90 % range, what the
 * lines allow, and the likeliest two causes. Of several logs that of the lowest row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "plot/caption.h"
#include "plot/csv.h"
#include "plot/plot.h"

#define GB 1e9

/* Rows of one call on as many ranks. */
struct series {
    struct hs_check_row *rows; /* [count] owned copies, ascending by size */
    size_t count;
};

static int by_bytes(const void *left, const void *right)
{
    const struct hs_check_row *a = left, *b = right;

    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* The row that is the lowest, by what is expected; where nothing is, the first. */
static const struct hs_check_row *lowest(const struct hs_check_answer *checked)
{
    const struct hs_check_row *lowest = &checked->rows[0];

    for (size_t i = 0; i < checked->row_count; i++) {
        const struct hs_check_row *row = &checked->rows[i];
        double factor = row->seconds / row->expected_seconds;

        if (row->is_low >= lowest->is_low &&
            (row->is_low > lowest->is_low || factor > lowest->seconds / lowest->expected_seconds ||
             isnan(lowest->expected_seconds)))
            lowest = row;
    }
    return lowest;
}

static enum hs_status choose(struct series *series, const struct hs_check_answer *checked,
                             struct hs_error *err)
{
    const struct hs_check_row *like = lowest(checked);

    series->rows = malloc(checked->row_count * sizeof(*series->rows));
    if (!series->rows)
        return hs_no_memory(err);
    for (size_t i = 0; i < checked->row_count; i++) {
        const struct hs_check_row *row = &checked->rows[i];

        if (row->ranks == like->ranks && row->nodes == like->nodes &&
            strcmp(row->call, like->call) == 0)
            series->rows[series->count++] = *row;
    }
    qsort(series->rows, series->count, sizeof(*series->rows), by_bytes);
    return HS_OK;
}

static const struct hs_check_found *of_curve(const struct hs_check_answer *checked, int curve)
{
    for (size_t c = 0; c < checked->cause_count; c++)
        if (checked->causes[c].curve == curve)
            return &checked->causes[c];
    return NULL;
}

static void write_facts(struct hs_text *out, const struct hs_check_answer *checked,
                        const struct series *series)
{
    const struct hs_check_row *first = &series->rows[0];
    bool expected = false, bound = false;
    struct hs_text caption = {0};
    char nodes[40] = "";

    for (size_t i = 0; i < series->count; i++) {
        expected = expected || isfinite(series->rows[i].expected_seconds);
        bound = bound || isfinite(series->rows[i].bound_seconds);
    }
    hs_csv_begin(out, "check");
    if (first->nodes > 0)
        snprintf(nodes, sizeof(nodes), " on %" PRId64 " node%s", first->nodes,
                 HS_PLURAL(first->nodes));
    hs_csv_fact(out, "title", "%s: %s of %" PRId64 " ranks%s: %s", checked->machine, first->call,
                first->ranks, nodes, hs_check_verdict_names[checked->verdict]);
    hs_text_append(&caption, "%s%s%s%s%s", checked->reason,
                   checked->reason[0] && checked->where[0] ? "; " : "", checked->where,
                   checked->next[0] ? "; next: " : "", checked->next);
    hs_plot_lines(out, caption.data ? caption.data : "");
    out->failed = out->failed || caption.failed;
    hs_text_release(&caption);
    hs_csv_fact(out, "first_bytes", "%.0f", (double)first->bytes);
    hs_csv_fact(out, "last_bytes", "%.0f", (double)series->rows[series->count - 1].bytes);
    hs_csv_fact(out, "expected", "%s",
                !expected                           ? "-"
                : first->against == HS_AGAINST_GOOD ? "when right"
                                                    : "expected");
    hs_csv_fact(out, "range", "%s",
                first->against == HS_AGAINST_GOOD ? "within 10 %" : "90 % range");
    hs_csv_fact(out, "bound", "%d", bound);
    for (int curve = 1; curve <= 2; curve++) {
        const struct hs_check_found *found = of_curve(checked, curve);
        char key[16];

        snprintf(key, sizeof(key), "curve%d", curve);
        hs_csv_fact(out, key, "%s", found ? hs_check_causes[found->cause].text : "-");
        snprintf(key, sizeof(key), "status%d", curve);
        hs_csv_fact(out, key, "%s", found ? hs_check_status_names[found->status] : "-");
    }
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_check_answer *checked = job->checked;
    struct series series = {.count = 0};
    enum hs_status status;
    size_t step;

    if (checked->row_count == 0)
        return hs_fail(err, HS_INVALID, "%s: it has no row, so there is nothing to show",
                       job->checked_name);
    status = choose(&series, checked, err);
    if (status)
        return status;
    write_facts(out, checked, &series);
    hs_csv_block(out, "sizes", "bytes label");
    step = (series.count + 7) / 8;
    for (size_t i = 0; i < series.count; i += step)
        hs_csv_size(out, series.rows[i].bytes);
    hs_csv_block(out, "rows", "bytes measured expected slowest fastest bound curve1 curve2");
    for (size_t i = 0; i < series.count; i++) {
        const struct hs_check_row *row = &series.rows[i];

        hs_csv_number(out, (double)row->bytes);
        hs_csv_number(out, hs_check_rate(row, row->seconds) / GB);
        hs_csv_number(out, hs_check_rate(row, row->expected_seconds) / GB);
        hs_csv_number(out, hs_check_rate(row, row->high_seconds) / GB);
        hs_csv_number(out, hs_check_rate(row, row->low_seconds) / GB);
        hs_csv_number(out, hs_check_rate(row, row->bound_seconds) / GB);
        hs_csv_number(out, hs_check_rate(row, row->curve_seconds[0]) / GB);
        hs_csv_number(out, hs_check_rate(row, row->curve_seconds[1]) / GB);
        hs_csv_row(out);
    }
    free(series.rows);
    return HS_OK;
}

const struct hs_plot_kind hs_plot_check = {
    .name = "check",
    .summary = "a log against what is expected, by message size",
    .of = HS_PLOT_CHECKED,
    .write = write,
};
