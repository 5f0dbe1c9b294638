/* Stacked bars: each plan's layers and phases in the order in which they run, as predicted and,
 * where the result has times per layer, as measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "library/price_plan.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/phases.h"
#include "plot/plot.h"

#define PLANS       8      /* bars that are still told apart */
#define BAR         0.8    /* height of a plan's bars, of 1 */
#define CUT_FROM    3.0    /* flat over the longest other: from there on its bar is cut ... */
#define CUT_AT      1.5    /* ... at this times the longest other */
#define OVERLAP     1.02   /* a bar so many times as long as the whole */
#define GLYPH_SHARE 0.0105 /* width of a character, of the time axis */

/* A plan that is shown. `cost` is the file's, or the model's where the plan is not in the file. */
struct row {
    struct hs_plan plan;
    const struct hs_candidate *candidate; /* NULL: the model's alone */
    struct hs_plot_phases predicted, measured;
    struct hs_plan_cost cost;
    bool has_cost;
};

struct rows {
    const struct hs_result *result; /* of which they are */
    struct row data[PLANS + 2];     /* and the flat split, and the job's plan */
    size_t count;
    /* The library's default, a bar below them: NaN where nothing is known, or where the flat split
     * is that call. */
    double own_seconds;
    struct hs_plot_time own_measured;
    char own_name[64];
    double longest_seconds;
    double axis_seconds; /* where the axis ends: earlier, where the flat split is far longer than
                            all others */
    bool any_predicted, any_measured, any_chunks;
};

static const struct row *find(const struct rows *rows, const struct hs_plan *plan)
{
    for (size_t i = 0; i < rows->count; i++)
        if (hs_plan_compare(&rows->data[i].plan, plan) == 0)
            return &rows->data[i];
    return NULL;
}

/* Where the longest of its bars ends. */
static double longest_of(const struct row *row)
{
    double longest = 0;
    double ends[] = {hs_plot_phases_seconds(&row->predicted),
                     hs_plot_phases_seconds(&row->measured),
                     row->candidate ? row->candidate->predicted_seconds : NAN,
                     row->candidate ? hs_plot_measured(row->candidate->measured).seconds : NAN,
                     row->candidate ? hs_plot_measured(row->candidate->measured).high : NAN,
                     row->has_cost ? row->cost.seconds + row->cost.ci95_seconds : NAN};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        longest = fmax(longest, ends[i]);
    return longest;
}

static void extend(struct rows *rows, const struct row *row)
{
    rows->longest_seconds = fmax(rows->longest_seconds, longest_of(row));
    rows->any_predicted = rows->any_predicted || row->has_cost;
    rows->any_measured = rows->any_measured || row->measured.count > 0;
    rows->any_chunks = rows->any_chunks || row->plan.chunks > 1;
}

/* Adds the plan unless it is there already, or nothing is known about its layers. */
static void add(struct rows *rows, const struct hs_result_message *message,
                const struct hs_plan *plan)
{
    const struct hs_result *result = rows->result;
    struct row *row = &rows->data[rows->count];

    if (find(rows, plan) || hs_plan_is_default(plan))
        return;
    struct hs_problem problem = hs_result_problem(result, message);

    memset(row, 0, sizeof(*row));
    row->plan = *plan;
    row->candidate = hs_result_candidate(message, plan);
    if (row->candidate && row->candidate->cost)
        row->cost = *row->candidate->cost;
    else if (result->has_system)
        row->cost = hs_plan_cost(&result->system, &problem, plan);
    row->has_cost = row->cost.count > 0;
    if (row->has_cost)
        row->predicted = hs_plot_predicted_phases(&row->cost, &problem);
    if (row->candidate)
        row->measured = hs_plot_measured_phases(row->candidate);
    if (row->predicted.count == 0 && row->measured.count == 0)
        return;
    extend(rows, row);
    rows->count++;
}

static void collect(struct rows *rows, const struct hs_result_message *message,
                    const struct hs_plan *wanted)
{
    struct hs_plan flat = hs_result_flat(rows->result);

    for (size_t i = 0; i < message->candidate_count && rows->count < PLANS; i++)
        add(rows, message, &message->candidates[i].plan);
    if (wanted->split.count > 0)
        add(rows, message, wanted);
    if (hs_result_candidate(message, &flat))
        add(rows, message, &flat);
}

/* The library's default call: what it is said to take, and what it took. */
static void collect_own(struct rows *rows, const struct hs_result_message *message)
{
    const struct hs_default_call *usual = message->answer ? message->answer->usual : NULL;
    const struct hs_baseline_result *baseline = hs_plot_best_baseline(message);

    rows->own_seconds = NAN;
    rows->own_measured = hs_plot_measured(baseline ? &baseline->measured : NULL);
    if (usual) {
        rows->own_seconds = usual->seconds;
        snprintf(rows->own_name, sizeof(rows->own_name), "%.40s's default", usual->name);
    }
    if (baseline)
        snprintf(rows->own_name, sizeof(rows->own_name), "%.60s", baseline->name);
    rows->longest_seconds = fmax(rows->longest_seconds, rows->own_seconds);
    rows->longest_seconds = fmax(rows->longest_seconds, rows->own_measured.high);
    rows->longest_seconds = fmax(rows->longest_seconds, rows->own_measured.seconds);
}

static bool has_own(const struct rows *rows)
{
    return isfinite(rows->own_seconds) || isfinite(rows->own_measured.seconds);
}

/* A flat split that takes many times as long as the others would leave them no room. */
static void end_axis(struct rows *rows)
{
    struct hs_plan flat = hs_result_flat(rows->result);
    double others = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (hs_plan_compare(&rows->data[i].plan, &flat) != 0)
            others = fmax(others, longest_of(&rows->data[i]));
    rows->axis_seconds = rows->longest_seconds;
    if (others > 0 && rows->longest_seconds > CUT_FROM * others)
        rows->axis_seconds = CUT_AT * others;
}

/* ---- the text ---- */

/* Where the bars of row i lie, from the top down: the prediction above the measurement. */
static double bar_top(size_t i)
{
    return -(double)i + BAR / 2;
}

static double bar_height(const struct row *row)
{
    return row->has_cost && row->measured.count > 0 ? BAR / 2 : BAR;
}

/* As plots/layers.gp knows them. */
static const int phase_numbers[HS_PHASE_COUNT] = {
    [HS_REDUCE_SCATTER] = 1, [HS_ALLREDUCE] = 2, [HS_ALLGATHER] = 3, [HS_EXCHANGE] = 4};
#define OWN_NUMBER 5

/* "4 nvlink" where the segment is wide enough for it, "4" where it is for that, else "-". */
static void segment_label(char *label, size_t bytes, const struct rows *rows, const struct row *row,
                          const struct hs_plot_segment *segment)
{
    const struct hs_result *result = rows->result;
    double width = fmin(segment->seconds, rows->axis_seconds) / rows->axis_seconds / GLYPH_SHARE;
    bool extrapolated = result->has_system && result->system.fits.count > 0 && row->has_cost &&
                        row->cost.stages[segment->layer].extrapolated;
    int length = snprintf(label, bytes, "%lld%s", (long long)row->plan.split.sizes[segment->layer],
                          extrapolated ? " *" : "");

    if (length + 1 > width) {
        snprintf(label, bytes, "-");
    } else if (row->has_cost && result->has_system) {
        const char *level = result->system.levels[row->cost.stages[segment->layer].level].name;

        if ((double)length + (double)strlen(level) + 2 <= width)
            snprintf(label + length, bytes - (size_t)length, " %s", level);
    }
}

/* A box of the drawing: seconds from left to right, rows from the top down. */
struct box {
    double top, height, begin, end;
    int number, layer; /* of its phase; of its layer, from 1 */
    bool measured;
    const char *label;
};

static void write_box(struct hs_text *out, const struct rows *rows, const struct box *box)
{
    hs_csv_number(out, box->top - box->height);
    hs_csv_number(out, box->top);
    hs_csv_number(out, box->begin);
    hs_csv_number(out, fmin(box->end, rows->axis_seconds));
    hs_csv_count(out, box->number);
    hs_csv_count(out, box->layer);
    hs_csv_count(out, box->measured);
    hs_csv_text(out, "%s", box->label);
    hs_csv_row(out);
}

static void write_bar(struct hs_text *out, const struct rows *rows, const struct row *row,
                      const struct hs_plot_phases *phases, double top, double height)
{
    double seconds = 0;

    for (int i = 0; i < phases->count; i++) {
        const struct hs_plot_segment *segment = &phases->segments[i];
        char label[HS_SYSTEM_NAME + 32];

        segment_label(label, sizeof(label), rows, row, segment);
        write_box(out, rows,
                  &(struct box){.top = top,
                                .height = height,
                                .begin = seconds,
                                .end = seconds + segment->seconds,
                                .number = phase_numbers[segment->phase],
                                .layer = segment->layer + 1,
                                .measured = phases == &row->measured,
                                .label = label});
        seconds += segment->seconds;
    }
}

static void write_own_bar(struct hs_text *out, const struct rows *rows, double seconds, double top,
                          double height, bool measured)
{
    if (isfinite(seconds))
        write_box(out, rows,
                  &(struct box){.top = top,
                                .height = height,
                                .end = seconds,
                                .number = OWN_NUMBER,
                                .measured = measured,
                                .label = "-"});
}

static double own_height(const struct rows *rows)
{
    return isfinite(rows->own_seconds) && isfinite(rows->own_measured.seconds) ? BAR / 2 : BAR;
}

static void write_bars(struct hs_text *out, const struct rows *rows)
{
    double own_top = bar_top(rows->count), own = own_height(rows);

    hs_csv_block(out, "segments", "y_low y_high begin end phase layer measured label");
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->data[i];
        double top = bar_top(i), height = bar_height(row);

        write_bar(out, rows, row, &row->predicted, top, height);
        if (row->predicted.count > 0)
            top -= BAR / 2;
        write_bar(out, rows, row, &row->measured, top, height);
    }
    write_own_bar(out, rows, rows->own_seconds, own_top, own, false);
    write_own_bar(out, rows, rows->own_measured.seconds,
                  isfinite(rows->own_seconds) ? own_top - own : own_top, own, true);
}

/* A whole time beside its bars, which end at `end`. */
struct total {
    struct hs_plot_time time;
    double end;
};

static void write_total(struct hs_text *out, const struct rows *rows, double y,
                        const struct total *total, const char *how, bool measured)
{
    const struct hs_plot_time *time = &total->time;
    /* Where chunks overlap, the text stands behind bars that end later. */
    const char *whole = total->end > OVERLAP * time->seconds ? "whole " : "";
    double end = fmax(total->end, isfinite(time->high) ? time->high : time->seconds);

    if (!isfinite(time->seconds))
        return;
    hs_csv_number(out, y);
    hs_csv_time(out, *time);
    hs_csv_number(out, fmin(end, rows->axis_seconds));
    hs_csv_count(out, measured);
    hs_csv_text(out, "%s%s%s%s", whole, HS_AS_TIME(time->seconds), how,
                end > rows->axis_seconds ? ", bar cut" : "");
    hs_csv_row(out);
}

/* The prediction above the measurement, where there are both: bars of `height` from `top` down. */
static void write_pair(struct hs_text *out, const struct rows *rows, double top, double height,
                       const struct total pair[2])
{
    double y = top - height / 2;
    bool both = height < BAR;

    write_total(out, rows, y, &pair[0], both ? " predicted" : "", false);
    write_total(out, rows, both ? y - height : y, &pair[1], both ? " measured" : "", true);
}

/* The file's time, else the model's, with the interval of a calibrated system. */
static struct hs_plot_time predicted_total(const struct row *row, bool calibrated)
{
    struct hs_plot_time time = {row->has_cost ? row->cost.seconds : NAN, NAN, NAN};

    if (row->candidate && isfinite(row->candidate->predicted_seconds))
        time.seconds = row->candidate->predicted_seconds;
    if (row->has_cost && calibrated && isfinite(row->cost.ci95_seconds)) {
        time.low = fmax(0, time.seconds - row->cost.ci95_seconds);
        time.high = time.seconds + row->cost.ci95_seconds;
    }
    return time;
}

/* Whole plans: their times are not just the sum of the layers'. */
static void write_totals(struct hs_text *out, const struct rows *rows)
{
    bool calibrated = rows->result->has_system && rows->result->system.fits.count > 0;

    hs_csv_block(out, "totals", "y seconds low high text_at measured text");
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->data[i];
        bool is_measured = row->measured.count > 0 && row->candidate;
        const struct total pair[] = {
            {predicted_total(row, calibrated), hs_plot_phases_seconds(&row->predicted)},
            {hs_plot_measured(is_measured ? row->candidate->measured : NULL),
             hs_plot_phases_seconds(&row->measured)}};

        write_pair(out, rows, bar_top(i), bar_height(row), pair);
    }
    if (has_own(rows)) {
        const struct total own[] = {{{rows->own_seconds, NAN, NAN}, rows->own_seconds},
                                    {rows->own_measured, rows->own_measured.seconds}};

        write_pair(out, rows, bar_top(rows->count), own_height(rows), own);
    }
}

static void write_ticks(struct hs_text *out, const struct rows *rows)
{
    struct hs_plan flat_plan = hs_result_flat(rows->result);

    hs_csv_block(out, "ticks", "y label");
    for (size_t i = 0; i < rows->count; i++) {
        bool flat = hs_plan_compare(&rows->data[i].plan, &flat_plan) == 0;

        hs_csv_number(out, 0.0 - (double)i);
        hs_csv_text(out, "%s%s", HS_AS_PLAN(&rows->data[i].plan), flat ? " (flat)" : "");
        hs_csv_row(out);
    }
    if (has_own(rows)) {
        hs_csv_number(out, 0.0 - (double)rows->count);
        hs_csv_text(out, "%s", rows->own_name);
        hs_csv_row(out);
    }
}

static bool has_phase(const struct hs_plot_phases *phases, int number)
{
    for (int i = 0; i < phases->count; i++)
        if (phase_numbers[phases->segments[i].phase] == number)
            return true;
    return false;
}

/* "1 3": the numbers of what is drawn, which the legend names. */
static void write_drawn(struct hs_text *out, const struct rows *rows)
{
    char drawn[32] = "";

    for (int number = 1; number < OWN_NUMBER; number++) {
        bool any = false;

        for (size_t i = 0; i < rows->count; i++)
            any = any || has_phase(&rows->data[i].predicted, number) ||
                  has_phase(&rows->data[i].measured, number);
        snprintf(drawn + strlen(drawn), sizeof(drawn) - strlen(drawn), any ? " %d" : "", number);
    }
    hs_csv_fact(out, "drawn", "%s%s", drawn, has_own(rows) ? " 5" : "");
}

static void write_rows(struct hs_text *out, const struct hs_plot_job *job, const struct rows *rows,
                       const struct hs_result_message *message)
{
    const struct hs_result *result = job->inputs[0].result;

    hs_csv_begin(out, "layers");
    hs_plot_caption(out, job,
                    rows->any_chunks ? "chunks overlap, so their bars, drawn one after the other, "
                                       "are longer than the whole takes (diamond)"
                                     : NULL,
                    "%lld processes, %s per process", (long long)result->np,
                    HS_AS_BYTES(message->message_bytes));
    hs_csv_fact(out, "rows", "%zu", rows->count + has_own(rows));
    write_drawn(out, rows);
    hs_csv_fact(out, "predicted", "%d", rows->any_predicted);
    hs_csv_fact(out, "measured", "%d", rows->any_measured);
    /* Where a bar is all that is predicted, its end is the whole plan's. */
    hs_csv_fact(out, "wholes", "%d",
                rows->any_measured || rows->any_chunks || isfinite(rows->own_measured.seconds));
    hs_csv_fact(out, "longest", "%#.9g", rows->axis_seconds);
    hs_csv_time_unit(out, rows->axis_seconds);
    write_bars(out, rows);
    write_totals(out, rows);
    write_ticks(out, rows);
}

/* `rows` is room for them. */
static enum hs_status write_into(struct hs_text *out, struct rows *rows,
                                 const struct hs_plot_job *job, struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    const struct hs_result_message *message;
    struct hs_plan wanted;
    struct hs_plot_job at_size = *job; /* the size is chosen here */
    enum hs_status status = hs_plot_bytes(&at_size.bytes, job, err);

    if (status == HS_OK)
        status = hs_plot_plan(&wanted, job, err);
    if (status != HS_OK)
        return status;
    message = hs_plot_message(result, at_size.bytes);
    rows->result = result;
    collect(rows, message, &wanted);
    collect_own(rows, message);
    if (rows->count == 0)
        return hs_fail(err, HS_INVALID,
                       "%s: has neither predicted nor measured times per layer; measure with a "
                       "machine, as in `hiersearch measure SYSTEM`",
                       job->inputs[0].name);
    if (wanted.split.count > 0 && !find(rows, &wanted))
        return hs_fail(err, HS_INVALID, "--plan %s: %s has no times of its layers", job->plan,
                       job->inputs[0].name);
    end_axis(rows);
    write_rows(out, &at_size, rows, message);
    return HS_OK;
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    struct rows *rows = calloc(1, sizeof(*rows));
    enum hs_status status = rows ? write_into(out, rows, job, err) : hs_no_memory(err);

    free(rows);
    return status;
}

const struct hs_plot_kind hs_plot_layers = {
    .name = "layers",
    .summary = "where the time goes: stacked bars per split, by layer and phase",
    .many = false,
    .write = write,
};
