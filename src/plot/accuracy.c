/* Predicted against measured, one point per candidate. */
#include <math.h>
#include <stdlib.h>

#include "answer/figures.h"
#include "base/statistics.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/plot.h"

#define GROUPS   6    /* with a symbol of their own; the last one takes all others */
#define TAU_MAX  2000 /* candidates of one message; Kendall's tau takes quadratic time */
#define TAU_MIN  3
#define LOG_FROM 50 /* longest / shortest time */
/* Labels that do not lie on each other, of the axes' lengths. */
#define LABELS_MAX   60
#define LABEL_WIDTH  0.11
#define LABEL_HEIGHT 0.022

struct point {
    double predicted, measured, error; /* error: predicted / measured - 1 */
    struct hs_plot_time interval;      /* of the prediction, of a calibrated system */
    size_t message;                    /* counted over all inputs */
    const struct hs_candidate *candidate;
};

struct points {
    struct point *data;                /* [count] owned */
    size_t count, messages, intervals; /* intervals: of predictions */
    double low, high;                  /* shortest and longest time, ends of intervals included */
    bool log_time;                     /* they differ so much that a logarithmic axis shows more */
};

static bool usable(const struct hs_candidate *candidate)
{
    return isfinite(candidate->predicted_seconds) &&
           hs_plot_measured(candidate->measured).seconds > 0;
}

static size_t count_candidates(const struct hs_plot_job *job)
{
    size_t count = 0;

    for (size_t i = 0; i < job->input_count; i++)
        for (size_t m = 0; m < job->inputs[i].result->message_count; m++)
            count += job->inputs[i].result->messages[m].candidate_count;
    return count;
}

static void add_message(struct points *points, const struct hs_result *result,
                        const struct hs_result_message *message)
{
    size_t before = points->count;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];
        struct point *point = &points->data[points->count];

        if (!usable(candidate))
            continue;
        *point = (struct point){.predicted = candidate->predicted_seconds,
                                .measured = candidate->measured->median_seconds,
                                .message = points->messages,
                                .interval = hs_plot_prediction(result, message, &candidate->plan),
                                .candidate = candidate};
        points->intervals += isfinite(point->interval.high);
        point->error = point->predicted / point->measured - 1;
        points->count++;
    }
    points->messages += points->count > before;
}

static enum hs_status collect(struct points *points, const struct hs_plot_job *job,
                              struct hs_error *err)
{
    points->data = calloc(count_candidates(job) + 1, sizeof(*points->data));
    if (!points->data)
        return hs_no_memory(err);
    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_result *result = job->inputs[i].result;

        for (size_t m = 0; m < result->message_count; m++)
            if (!job->bytes || result->messages[m].message_bytes == job->bytes)
                add_message(points, result, &result->messages[m]);
    }
    if (points->count == 0)
        return hs_fail(err, HS_INVALID,
                       "%s: has no candidate that was both predicted and measured; measure with a "
                       "machine, as in `hiersearch measure SYSTEM`",
                       job->inputs[0].name);
    return HS_OK;
}

/* ---- how wrong ---- */

struct errors {
    double median, mean, worst; /* of |error| */
    double tau;                 /* mean over messages; NaN: none has enough candidates */
};

/* Sum of the taus of messages with enough candidates, and how many those are. */
static size_t sum_taus(double *sum, const struct points *points, double *a, double *b)
{
    size_t taus = 0;

    *sum = 0;
    for (size_t begin = 0, end; begin < points->count; begin = end) {
        double tau;

        for (end = begin;
             end < points->count && points->data[end].message == points->data[begin].message;
             end++) {
            a[end - begin] = points->data[end].predicted;
            b[end - begin] = points->data[end].measured;
        }
        if (end - begin < TAU_MIN || end - begin > TAU_MAX)
            continue;
        tau = hs_kendall_tau(a, b, end - begin);
        if (isfinite(tau)) {
            *sum += tau;
            taus++;
        }
    }
    return taus;
}

static enum hs_status assess(struct errors *errors, const struct points *points,
                             struct hs_error *err)
{
    double *a = calloc(points->count * 2, sizeof(*a)), sum;
    struct hs_summary summary;
    enum hs_status status;
    size_t taus;

    if (!a)
        return hs_no_memory(err);
    taus = sum_taus(&sum, points, a, a + points->count);
    for (size_t i = 0; i < points->count; i++)
        a[i] = fabs(points->data[i].error);
    status = hs_summarise(&summary, a, points->count, err);
    free(a);
    if (status != HS_OK)
        return status;
    *errors = (struct errors){.median = summary.median,
                              .mean = summary.mean,
                              .worst = summary.max,
                              .tau = taus ? sum / (double)taus : NAN};
    return HS_OK;
}

/* ---- the text ---- */

static void write_remark(struct hs_text *out, const struct hs_plot_job *job,
                         const struct points *points, const struct errors *errors)
{
    struct hs_text remark = {0};

    hs_text_append(&remark,
                   "%zu candidate%s, error of the prediction: median %.3g %%, mean %.3g %%, "
                   "worst %.3g %%",
                   points->count, points->count == 1 ? "" : "s", 100 * errors->median,
                   100 * errors->mean, 100 * errors->worst);
    if (isfinite(errors->tau))
        hs_text_append(&remark, "; order right to Kendall tau %.2f", errors->tau);
    hs_plot_caption(out, job, remark.data ? remark.data : "", "predicted against measured time");
    out->failed = out->failed || remark.failed;
    hs_text_release(&remark);
    hs_csv_fact(out, "points", "%zu", points->count);
    hs_csv_fact(out, "median_error", "%.9g", errors->median);
    hs_csv_fact(out, "mean_error", "%.9g", errors->mean);
    hs_csv_fact(out, "worst_error", "%.9g", errors->worst);
    if (isfinite(errors->tau))
        hs_csv_fact(out, "tau", "%.9g", errors->tau);
}

static void find_range(struct points *points)
{
    points->low = INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->data[i];
        struct hs_plot_time time = hs_plot_measured(point->candidate->measured);

        points->low = fmin(points->low, fmin(point->predicted, fmin(time.seconds, time.low)));
        points->high = fmax(points->high, fmax(point->predicted, fmax(time.seconds, time.high)));
    }
    points->log_time = points->high > LOG_FROM * points->low;
}

static void write_range(struct hs_text *out, const struct points *points)
{
    hs_csv_fact(out, "low", "%#.9g", points->low);
    hs_csv_fact(out, "high", "%#.9g", points->high);
    if (points->intervals > 0)
        hs_csv_fact(out, "intervals", "%zu", points->intervals);
    hs_csv_fact(out, "log_time", "%d", points->log_time);
    hs_csv_time_unit(out, points->high);
    hs_csv_fact(out, "groups", "%zu", points->messages < GROUPS ? points->messages : GROUPS);
}

static void write_groups(struct hs_text *out, const struct hs_plot_job *job, size_t messages)
{
    size_t group = 0;

    hs_csv_block(out, "groups", "group label");
    for (size_t i = 0; i < job->input_count; i++)
        for (size_t m = 0; m < job->inputs[i].result->message_count; m++) {
            const struct hs_result_message *message = &job->inputs[i].result->messages[m];
            bool used = false;

            for (size_t c = 0; c < message->candidate_count && !used; c++)
                used = usable(&message->candidates[c]);
            if (!used || (job->bytes && message->message_bytes != job->bytes) || group == GROUPS)
                continue;
            hs_csv_count(out, (int64_t)++group);
            hs_csv_text(out, "%lld proc., %s%s", (long long)job->inputs[i].result->np,
                        HS_AS_BYTES(message->message_bytes),
                        group == GROUPS && messages > GROUPS ? " and others" : "");
            hs_csv_row(out);
        }
}

/* Whether a label at the point lies on none of the `count` labels before it. Distances are shares
 * of the axis, which begins at 0 or is logarithmic. */
static bool label_fits(const struct points *points, const size_t *labelled, size_t count, size_t i)
{
    const struct point *point = &points->data[i];

    for (size_t k = 0; k < count; k++) {
        const struct point *other = &points->data[labelled[k]];
        double right = (point->predicted - other->predicted) / points->high;
        double up = (point->measured - other->measured) / points->high;

        if (points->log_time) {
            right = log(point->predicted / other->predicted) / log(points->high / points->low);
            up = log(point->measured / other->measured) / log(points->high / points->low);
        }
        if (fabs(right) < LABEL_WIDTH && fabs(up) < LABEL_HEIGHT)
            return false;
    }
    return true;
}

static void write_points(struct hs_text *out, const struct points *points)
{
    size_t labelled[LABELS_MAX], labels = 0;
    char plan[HS_SPLIT_TEXT];

    hs_csv_block(out, "points", "predicted_seconds measured_seconds low high group plan label");
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->data[i];
        struct hs_plot_time time = hs_plot_measured(point->candidate->measured);
        bool label = labels < LABELS_MAX && label_fits(points, labelled, labels, i);

        if (label)
            labelled[labels++] = i;

        hs_csv_number(out, point->predicted);
        hs_csv_time(out, time);
        hs_csv_count(out, (int64_t)(point->message < GROUPS ? point->message + 1 : GROUPS));
        hs_csv_text(out, "%s", hs_plan_format(plan, &point->candidate->plan));
        hs_csv_text(out, "%s", label ? plan : "-");
        hs_csv_row(out);
    }
}

/* How far the truth may be off where a calibrated system made the prediction; only where one did.
 */
static void write_intervals(struct hs_text *out, const struct points *points)
{
    hs_csv_block(out, "interval", "predicted_seconds low high measured_seconds");
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->data[i];

        if (!isfinite(point->interval.high))
            continue;
        hs_csv_number(out, point->predicted);
        hs_csv_number(out, point->interval.low);
        hs_csv_number(out, point->interval.high);
        hs_csv_number(out, point->measured);
        hs_csv_row(out);
    }
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    struct points points = {0};
    struct errors errors;
    uint64_t bytes;
    enum hs_status status = job->bytes ? hs_plot_bytes(&bytes, job, err) : HS_OK;

    if (status == HS_OK)
        status = collect(&points, job, err);
    if (status == HS_OK)
        status = assess(&errors, &points, err);
    if (status == HS_OK) {
        find_range(&points);
        hs_csv_begin(out, "accuracy");
        write_remark(out, job, &points, &errors);
        write_range(out, &points);
        write_groups(out, job, points.messages);
        write_points(out, &points);
        if (points.intervals > 0)
            write_intervals(out, &points);
    }
    free(points.data);
    return status;
}

const struct hs_plot_kind hs_plot_accuracy = {
    .name = "accuracy",
    .summary = "predicted against measured time, one point per candidate",
    .many = true,
    .write = write,
};
