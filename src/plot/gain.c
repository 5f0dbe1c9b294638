/* What the best plan gains over the library's default, against message size: predicted, with what
 * it is in 90 % of the samples, and measured. Over the flat split where the library has none. */
#include <math.h>
#include <stdlib.h>

#include "answer/figures.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/plot.h"

struct sizes {
    const struct hs_result *result;
    const struct hs_result_message **messages; /* ascending by size, owned */
    size_t count;
    bool over_library; /* of predictions; else over the flat split */
};

static double or_else(double end, double seconds)
{
    return isfinite(end) ? end : seconds;
}

/* A ratio of times, from where the slow one is fast and the fast one slow to the reverse. */
static struct hs_plot_time ratio(struct hs_plot_time slow, struct hs_plot_time fast)
{
    return (struct hs_plot_time){slow.seconds / fast.seconds,
                                 or_else(slow.low, slow.seconds) / or_else(fast.high, fast.seconds),
                                 or_else(slow.high, slow.seconds) /
                                     or_else(fast.low, fast.seconds)};
}

static double flat_seconds(const struct hs_result *result, const struct hs_result_message *message)
{
    struct hs_plan flat = hs_result_flat(result);

    return hs_plot_predicted(result, message, &flat);
}

/* Of a prediction; NULL of what was measured. */
static const struct hs_answer *answer_of(const struct hs_result_message *message)
{
    bool measured = message->candidate_count > 0 && message->candidates[0].measured;

    return measured ? NULL : message->answer;
}

static struct hs_plot_time predicted_gain(const struct sizes *sizes,
                                          const struct hs_result_message *message)
{
    const struct hs_answer *answer = answer_of(message);
    double seconds;

    if (message->best.chunks == 0)
        return (struct hs_plot_time){NAN, NAN, NAN};
    if (answer && sizes->over_library == (answer->usual != NULL))
        return (struct hs_plot_time){answer->verdict.gain, answer->verdict.gain_low,
                                     answer->verdict.gain_high};
    seconds = hs_plot_predicted(sizes->result, message, &message->best);
    if (sizes->over_library)
        seconds = NAN;
    return (struct hs_plot_time){flat_seconds(sizes->result, message) / seconds, NAN, NAN};
}

static struct hs_plot_time measured_gain(const struct hs_result_message *message)
{
    const struct hs_candidate *best = hs_plot_best_measured(message);
    const struct hs_baseline_result *library = hs_plot_best_baseline(message);

    return ratio(hs_plot_measured(library ? &library->measured : NULL),
                 hs_plot_measured(best ? best->measured : NULL));
}

/* The plan that gains, and how much, by what was measured or predicted; NULL: nothing is known. */
static const struct hs_plan *gaining(struct hs_plot_time *gain, const struct sizes *sizes,
                                     const struct hs_result_message *message, bool measured)
{
    *gain = measured ? measured_gain(message) : predicted_gain(sizes, message);
    if (!isfinite(gain->seconds))
        return NULL;
    return measured ? &hs_plot_best_measured(message)->plan : &message->best;
}

/* The plan that gains, and how much, as measured or as predicted; NULL: nothing is known of it. */
static size_t write_gains(struct hs_text *out, const struct sizes *sizes, bool measured)
{
    const struct hs_plan *before = NULL;
    size_t written = 0;

    for (size_t m = 0; m < sizes->count; m++) {
        struct hs_plot_time gain;
        const struct hs_plan *plan = gaining(&gain, sizes, sizes->messages[m], measured);
        bool same = plan && before && hs_plan_compare(plan, before) == 0;

        if (!plan)
            continue;
        hs_csv_number(out, (double)sizes->messages[m]->message_bytes);
        hs_csv_time(out, gain);
        hs_csv_text(out, "%s", same ? "-" : HS_AS_PLAN(plan));
        hs_csv_row(out);
        before = plan;
        written++;
    }
    return written;
}

/* "NCCL's default AllGather", "MPI_Allreduce", "the flat split": what plans are compared with. */
static void append_other(struct hs_text *out, const struct sizes *sizes)
{
    for (size_t m = 0; m < sizes->count; m++) {
        const struct hs_answer *answer = answer_of(sizes->messages[m]);

        if (!sizes->over_library || !answer || !answer->usual)
            continue;
        hs_text_append(out, "%s's default %s", answer->usual->name,
                       hs_collectives[sizes->result->collective].written);
        return;
    }
    hs_text_append(out, "the flat split");
}

static void write_facts(struct hs_text *out, const struct hs_plot_job *job,
                        const struct sizes *sizes, size_t predicted, size_t measured)
{
    const struct hs_baseline_result *library = NULL;
    struct hs_text other = {0};

    for (size_t m = 0; m < sizes->count && !library; m++)
        library = hs_plot_best_baseline(sizes->messages[m]);
    append_other(&other, sizes);
    hs_csv_begin(out, "gain");
    hs_plot_caption(out, job, "names: the best plan from that size on; band: 90 % of the samples",
                    "gain of the best plan, %lld processes", (long long)sizes->result->np);
    hs_csv_fact(out, "over", "%s",
                predicted > 0 && other.data ? other.data
                : library                   ? library->name
                                            : "-");
    hs_csv_fact(out, "measured_over", "%s", library ? library->name : "-");
    hs_csv_fact(out, "predicted", "%zu", predicted);
    hs_csv_fact(out, "measured", "%zu", measured);
    hs_csv_fact(out, "first_bytes", "%.0f", (double)sizes->messages[0]->message_bytes);
    hs_csv_fact(out, "last_bytes", "%.0f",
                (double)sizes->messages[sizes->count - 1]->message_bytes);
    out->failed = out->failed || other.failed;
    hs_text_release(&other);
}

static enum hs_status write_all(struct hs_text *out, const struct hs_plot_job *job,
                                const struct sizes *sizes, struct hs_error *err)
{
    struct hs_text predicted = {0}, measured = {0};
    size_t predictions = write_gains(&predicted, sizes, false);
    size_t measurements = write_gains(&measured, sizes, true);
    enum hs_status status = HS_OK;

    if (predictions + measurements == 0)
        status = hs_fail(err, HS_INVALID,
                         "%s: has no times to compare, neither predicted nor of the library's "
                         "call; measure with a machine, as in `hiersearch measure SYSTEM`",
                         job->inputs[0].name);
    else
        write_facts(out, job, sizes, predictions, measurements);
    if (predictions > 0) {
        hs_csv_block(out, "model", "bytes gain low high plan");
        hs_text_append(out, "%s", predicted.data);
    }
    if (measurements > 0) {
        hs_csv_block(out, "runs", "bytes gain low high plan");
        hs_text_append(out, "%s", measured.data);
    }
    hs_csv_sizes(out, sizes->messages, sizes->count);
    out->failed = out->failed || predicted.failed || measured.failed;
    hs_text_release(&predicted);
    hs_text_release(&measured);
    return status;
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    struct sizes sizes = {.result = result, .count = result->message_count};
    enum hs_status status;

    if (job->bytes)
        return hs_fail(err, HS_INVALID, "--size: gain shows all sizes of the result");
    sizes.messages = hs_plot_messages(result);
    if (!sizes.messages)
        return hs_no_memory(err);
    for (size_t m = 0; m < sizes.count; m++)
        sizes.over_library = sizes.over_library ||
                             (answer_of(sizes.messages[m]) && answer_of(sizes.messages[m])->usual);
    status = write_all(out, job, &sizes, err);
    free(sizes.messages);
    return status;
}

const struct hs_plot_kind hs_plot_gain = {
    .name = "gain",
    .summary = "what the best plan gains over the library's default call, against message size",
    .many = false,
    .write = write,
};
