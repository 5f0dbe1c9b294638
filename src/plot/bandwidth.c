/* Bus bandwidth of whole plans, and the bandwidth that single layers reach, against message size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/figures.h"
#include "library/price_plan.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/line.h"
#include "plot/plot.h"

#define SERIES 6 /* with a color and a symbol of their own */
#define BESTS  4 /* of them, winners at some size */

/* What the model says of a layer's stages together; the result has a system. */
static struct hs_stage_price layer_price(const struct hs_result *result, struct hs_layer layer)
{
    struct hs_problem problem = hs_result_asks(result, 1);

    return hs_stage_price(&result->system, result->np, hs_problem_key(&problem, layer, HS_RING));
}

/* The fit that prices the layer; NULL where the result's system has none. */
static const struct hs_fit *calibration_of(const struct hs_result *result, struct hs_layer layer)
{
    struct hs_stage_price price;

    if (!result->has_system || result->system.fits.count == 0)
        return NULL;
    price = layer_price(result, layer);
    return hs_fits_find(&result->system.fits, price.level, price.misaligned, price.key);
}

/* A block `name`: the bandwidth within the layer over the bytes that were measured, in powers of
 * two, with its 95 % interval; nothing where there is no fit. */
static void append_curve(struct hs_text *out, const char *name, const struct hs_result *result,
                         struct hs_layer layer)
{
    const struct hs_fit *fit = calibration_of(result, layer);
    struct hs_stage_price price;
    double bytes, last;

    if (!fit)
        return;
    price = layer_price(result, layer);
    hs_csv_block(out, name, "bytes rate low high");
    bytes = fit->min_bytes;
    do {
        double rate = 2 * bytes * (double)(layer.size - 1) / (double)layer.size /
                      hs_stage_seconds(&price, bytes);

        hs_csv_number(out, bytes);
        hs_csv_number(out, rate);
        hs_csv_number(out, rate / (1 + fit->relative_ci95));
        hs_csv_number(out, fit->relative_ci95 < 1 ? rate / (1 - fit->relative_ci95) : NAN);
        hs_csv_row(out);
        last = bytes;
        bytes = fmin(2 * bytes, fit->max_bytes);
    } while (bytes > last);
}

struct chosen {
    struct hs_plan plans[SERIES];
    size_t plan_count;
    const char *usual;   /* whose default call has a price, or NULL */
    const char *library; /* name of the baseline that is shown, or NULL */
    struct hs_layer layers[SERIES];
    size_t layer_count;
    const struct hs_result_message **messages; /* ascending by size, owned */
    size_t message_count;
};

/* ---- what is shown ---- */

static void add_plan(struct chosen *chosen, const struct hs_plan *plan, size_t limit)
{
    for (size_t i = 0; i < chosen->plan_count; i++)
        if (hs_plan_compare(&chosen->plans[i], plan) == 0)
            return;
    if (plan->split.count > 0 && chosen->plan_count < limit)
        chosen->plans[chosen->plan_count++] = *plan;
}

static void add_layer(struct chosen *chosen, struct hs_layer layer)
{
    for (size_t i = 0; i < chosen->layer_count; i++)
        if (chosen->layers[i].stride == layer.stride && chosen->layers[i].size == layer.size)
            return;
    if (chosen->layer_count < SERIES)
        chosen->layers[chosen->layer_count++] = layer;
}

/* The winners, from the largest size down, the plan asked for, and the library's default, else the
 * flat split; then the layers of those plans. */
static void choose(struct chosen *chosen, const struct hs_result *result,
                   const struct hs_plan *wanted)
{
    const struct hs_problem asked = hs_result_asks(result, 1);
    struct hs_plan flat = hs_result_flat(result);

    for (size_t i = chosen->message_count; i-- > 0;) {
        add_plan(chosen, &chosen->messages[i]->best, BESTS);
        if (chosen->messages[i]->baseline_count > 0 && !chosen->library)
            chosen->library = chosen->messages[i]->baselines[0].name;
        if (chosen->messages[i]->answer && chosen->messages[i]->answer->usual)
            chosen->usual = chosen->messages[i]->answer->usual->name;
    }
    add_plan(chosen, wanted, SERIES - 1);
    if (chosen->usual)
        chosen->plans[chosen->plan_count++] = HS_DEFAULT_CALL;
    else
        add_plan(chosen, &flat, SERIES);
    for (size_t i = 0; i < chosen->plan_count; i++)
        for (int k = 0; k < chosen->plans[i].split.count; k++)
            add_layer(chosen, hs_problem_layer(&asked, &chosen->plans[i].split, k));
}

/* ---- whole plans ---- */

static double bus(const struct hs_result *result, const struct hs_result_message *message,
                  double seconds)
{
    struct hs_problem problem = hs_result_problem(result, message);

    return hs_problem_bus_bandwidth(&problem, seconds);
}

static void write_point(struct hs_text *out, const struct hs_result *result,
                        const struct hs_result_message *message, double predicted,
                        struct hs_plot_time time)
{
    double rate = bus(result, message, time.seconds);

    hs_csv_number(out, (double)message->message_bytes);
    hs_csv_number(out, bus(result, message, predicted));
    hs_csv_number(out, rate);
    hs_csv_number(out, isfinite(time.high) ? bus(result, message, time.high) : rate);
    hs_csv_number(out, isfinite(time.low) ? bus(result, message, time.low) : rate);
    hs_csv_row(out);
}

static void write_plan(struct hs_text *out, const struct chosen *chosen,
                       const struct hs_result *result, size_t i)
{
    char name[32];

    snprintf(name, sizeof(name), "plan%zu", i + 1);
    hs_csv_block(out, name, "bytes predicted measured low high");
    for (size_t m = 0; m < chosen->message_count; m++) {
        const struct hs_result_message *message = chosen->messages[m];
        const struct hs_candidate *candidate = hs_result_candidate(message, &chosen->plans[i]);

        write_point(out, result, message, hs_plot_predicted(result, message, &chosen->plans[i]),
                    hs_plot_measured(candidate ? candidate->measured : NULL));
    }
}

static void write_library(struct hs_text *out, const struct chosen *chosen,
                          const struct hs_result *result)
{
    hs_csv_block(out, "library", "bytes predicted measured low high");
    for (size_t m = 0; m < chosen->message_count; m++) {
        const struct hs_baseline_result *best = hs_plot_best_baseline(chosen->messages[m]);

        write_point(out, result, chosen->messages[m], NAN,
                    hs_plot_measured(best ? &best->measured : NULL));
    }
}

/* ---- layers ---- */

/* Measured seconds of a layer within a candidate, all its phases; NaN where there are none. */
static double layer_seconds(const struct hs_candidate *candidate, struct hs_layer layer)
{
    const struct hs_measured *measured = candidate->measured;
    double seconds;

    if (candidate->plan.chunks > 1 || !measured || measured->status != HS_MEASURE_OK)
        return NAN;
    seconds = hs_measured_layer_seconds(measured, layer);
    return seconds > 0 ? seconds : NAN; /* 0 has no rate */
}

/* The same layer is in many candidates; the fastest has been disturbed least. */
static double best_layer_seconds(const struct hs_result_message *message, struct hs_layer layer)
{
    double best = NAN;

    for (size_t i = 0; i < message->candidate_count; i++)
        best = fmin(best, layer_seconds(&message->candidates[i], layer));
    return best;
}

/* Bytes that a process sends and receives in the layer. */
static double layer_bytes(const struct hs_result *result, const struct hs_result_message *message,
                          struct hs_layer layer)
{
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_stage_key key = hs_problem_key(&problem, layer, HS_RING);

    return hs_phase_passes(key.phase) * hs_problem_entering(&problem, layer) *
           (double)(layer.size - 1) / (double)layer.size;
}

/* The result has a system. */
static double predicted_layer_rate(const struct hs_result_message *message,
                                   const struct hs_result *result, struct hs_layer layer)
{
    struct hs_stage_price price = layer_price(result, layer);
    struct hs_problem problem = hs_result_problem(result, message);

    return layer_bytes(result, message, layer) /
           hs_stage_seconds(&price, hs_problem_entering(&problem, layer));
}

static void write_layer(struct hs_text *out, const struct chosen *chosen,
                        const struct hs_result *result, size_t index, const struct hs_line *fit)
{
    struct hs_layer layer = chosen->layers[index];
    char name[32];

    snprintf(name, sizeof(name), "layer%zu", index + 1);
    hs_csv_block(out, name, "bytes predicted measured fitted");
    for (size_t m = 0; m < chosen->message_count; m++) {
        struct hs_problem problem = hs_result_problem(result, chosen->messages[m]);
        double travelling = layer_bytes(result, chosen->messages[m], layer);

        hs_csv_number(out, hs_problem_entering(&problem, layer));
        hs_csv_number(out, result->has_system
                               ? predicted_layer_rate(chosen->messages[m], result, layer)
                               : NAN);
        hs_csv_number(out, travelling / best_layer_seconds(chosen->messages[m], layer));
        hs_csv_number(out, fit->valid
                               ? travelling / (fit->seconds + fit->seconds_per_byte * travelling)
                               : NAN);
        hs_csv_row(out);
    }
}

/* Message sizes at which the layer was measured. */
static int64_t layer_points(const struct chosen *chosen, struct hs_layer layer)
{
    int64_t count = 0;

    for (size_t m = 0; m < chosen->message_count; m++)
        count += isfinite(best_layer_seconds(chosen->messages[m], layer));
    return count;
}

static int64_t plan_points(const struct chosen *chosen, const struct hs_plan *plan)
{
    int64_t count = 0;

    for (size_t m = 0; m < chosen->message_count; m++) {
        const struct hs_candidate *candidate = hs_result_candidate(chosen->messages[m], plan);

        count += candidate && isfinite(hs_plot_measured(candidate->measured).seconds);
    }
    return count;
}

static enum hs_status fit_layer(struct hs_line *fit, const struct chosen *chosen,
                                const struct hs_result *result, struct hs_layer layer,
                                struct hs_error *err)
{
    double *bytes = calloc(chosen->message_count * 2, sizeof(*bytes));

    if (!bytes)
        return hs_no_memory(err);
    for (size_t m = 0; m < chosen->message_count; m++) {
        bytes[m] = layer_bytes(result, chosen->messages[m], layer);
        bytes[chosen->message_count + m] = best_layer_seconds(chosen->messages[m], layer);
    }
    *fit = hs_line_fit(bytes, bytes + chosen->message_count, chosen->message_count);
    free(bytes);
    return HS_OK;
}

/* "8, stride 4 (ib): fit 12.10 GB/s, 30.00 us" */
static void write_layer_label(struct hs_text *out, const struct hs_result *result,
                              struct hs_layer layer, const struct hs_line *fit)
{
    struct hs_text label = {0};

    hs_text_append(&label, "%lld, stride %lld", (long long)layer.size, (long long)layer.stride);
    if (result->has_system) {
        struct hs_stage_price price = layer_price(result, layer);

        hs_text_append(&label, " (%s)", result->system.levels[price.level].name);
        if (calibration_of(result, layer) && !fit->valid)
            hs_text_append(&label, ": %s, %s", HS_AS_RATE(price.ring_bytes_per_second),
                           HS_AS_TIME(hs_stage_seconds(&price, 0)));
    }
    if (fit->valid)
        hs_text_append(&label, ": fit %s, %s", HS_AS_RATE(1 / fit->seconds_per_byte),
                       HS_AS_TIME(fit->seconds));
    hs_csv_label(out, &label);
}

static enum hs_status write_layers(struct hs_text *out, const struct chosen *chosen,
                                   const struct hs_result *result, struct hs_error *err)
{
    struct hs_line fits[SERIES];
    char name[32];

    for (size_t i = 0; i < chosen->layer_count; i++) {
        enum hs_status status = fit_layer(&fits[i], chosen, result, chosen->layers[i], err);

        if (status != HS_OK)
            return status;
        write_layer(out, chosen, result, i, &fits[i]);
        snprintf(name, sizeof(name), "calibrated%zu", i + 1);
        append_curve(out, name, result, chosen->layers[i]);
    }
    hs_csv_block(out, "named_layers", "series measured fitted label");
    for (size_t i = 0; i < chosen->layer_count; i++) {
        hs_csv_count(out, (int64_t)i + 1);
        hs_csv_count(out, layer_points(chosen, chosen->layers[i]));
        hs_csv_count(out, fits[i].valid);
        write_layer_label(out, result, chosen->layers[i], &fits[i]);
    }
    return HS_OK;
}

/* ---- the text ---- */

static bool any_layer_time(const struct chosen *chosen)
{
    for (size_t i = 0; i < chosen->layer_count; i++)
        if (layer_points(chosen, chosen->layers[i]) > 0)
            return true;
    return false;
}

static bool any_measured(const struct chosen *chosen)
{
    for (size_t m = 0; m < chosen->message_count; m++)
        if (hs_plot_best_measured(chosen->messages[m]))
            return true;
    return false;
}

static bool any_library(const struct chosen *chosen)
{
    for (size_t m = 0; m < chosen->message_count; m++)
        if (hs_plot_best_baseline(chosen->messages[m]))
            return true;
    return false;
}

static double largest_bus(const struct chosen *chosen, const struct hs_result *result)
{
    double largest = 0;

    for (size_t i = 0; i < chosen->plan_count; i++)
        for (size_t m = 0; m < chosen->message_count; m++) {
            const struct hs_result_message *message = chosen->messages[m];
            const struct hs_candidate *candidate = hs_result_candidate(message, &chosen->plans[i]);
            double predicted = hs_plot_predicted(result, message, &chosen->plans[i]);
            double measured = hs_plot_measured(candidate ? candidate->measured : NULL).seconds;

            largest = fmax(largest, bus(result, message, predicted));
            largest = fmax(largest, bus(result, message, measured));
        }
    return largest;
}

static double largest_layer_rate(const struct chosen *chosen, const struct hs_result *result)
{
    double largest = 0;

    for (size_t i = 0; i < chosen->layer_count; i++)
        for (size_t m = 0; m < chosen->message_count; m++) {
            struct hs_layer layer = chosen->layers[i];
            double bytes = layer_bytes(result, chosen->messages[m], layer);

            largest = fmax(largest, bytes / best_layer_seconds(chosen->messages[m], layer));
            if (result->has_system)
                largest = fmax(largest, predicted_layer_rate(chosen->messages[m], result, layer));
        }
    return largest;
}

static int64_t largest_stride(const struct chosen *chosen)
{
    int64_t stride = 1;

    for (size_t i = 0; i < chosen->layer_count; i++)
        stride = chosen->layers[i].stride > stride ? chosen->layers[i].stride : stride;
    return stride;
}

/* The message sizes, where they are few, and powers of four over what enters the layers. */
static void write_ticks(struct hs_text *out, const struct chosen *chosen)
{
    uint64_t stride = (uint64_t)largest_stride(chosen);

    hs_csv_sizes(out, chosen->messages, chosen->message_count);
    hs_csv_block(out, "entering", "bytes label");
    for (uint64_t bytes = 1; bytes <= chosen->messages[chosen->message_count - 1]->message_bytes;
         bytes *= 4)
        if (bytes >= chosen->messages[0]->message_bytes / stride / 2)
            hs_csv_size(out, bytes);
}

/* `calibrated`: for each layer 1 where there is a calibrated curve, else 0; only with a calibrated
 * system. */
static void write_calibrated_fact(struct hs_text *out, const struct chosen *chosen,
                                  const struct hs_result *result)
{
    char text[SERIES + 1] = "";

    if (!result->has_system || result->system.fits.count == 0)
        return;
    for (size_t i = 0; i < chosen->layer_count; i++)
        text[i] = calibration_of(result, chosen->layers[i]) ? '1' : '0';
    hs_csv_fact(out, "calibrated", "%s", text);
}

static void write_facts(struct hs_text *out, const struct hs_plot_job *job,
                        const struct chosen *chosen)
{
    const struct hs_result *result = job->inputs[0].result;
    bool layers = result->has_system || any_layer_time(chosen);

    hs_csv_begin(out, "bandwidth");
    hs_plot_caption(out, job, NULL, "%lld processes", (long long)result->np);
    hs_csv_fact(out, "plans", "%zu", chosen->plan_count);
    hs_csv_fact(out, "layers", "%zu", layers ? chosen->layer_count : 0);
    hs_csv_fact(out, "library", "%d", any_library(chosen));
    hs_csv_fact(out, "library_name", "%s", chosen->library ? chosen->library : "-");
    hs_csv_fact(out, "predicted", "%d", result->has_system);
    write_calibrated_fact(out, chosen, result);
    hs_csv_fact(out, "measured", "%d", any_measured(chosen));
    hs_csv_fact(out, "layers_measured", "%d", any_layer_time(chosen));
    hs_csv_rate_unit(out, "", largest_bus(chosen, result));
    hs_csv_rate_unit(out, "layer_", largest_layer_rate(chosen, result));
    hs_csv_fact(out, "layer_highest", "%#.9g", largest_layer_rate(chosen, result));
    hs_csv_fact(out, "bytes", "%.0f",
                (double)chosen->messages[chosen->message_count - 1]->message_bytes);
    hs_csv_fact(out, "stride", "%lld", (long long)largest_stride(chosen));
    hs_csv_fact(out, "size_count", "%zu", chosen->message_count);
}

static enum hs_status write_all(struct hs_text *out, const struct hs_plot_job *job,
                                const struct chosen *chosen, struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    struct hs_plan flat = hs_result_flat(result);

    write_facts(out, job, chosen);
    write_ticks(out, chosen);
    hs_csv_block(out, "named_plans", "series measured label");
    for (size_t i = 0; i < chosen->plan_count; i++) {
        hs_csv_count(out, (int64_t)i + 1);
        hs_csv_count(out, plan_points(chosen, &chosen->plans[i]));
        if (hs_plan_is_default(&chosen->plans[i]))
            hs_csv_text(out, "%s's default", chosen->usual);
        else
            hs_csv_text(out, "%s%s", HS_AS_PLAN(&chosen->plans[i]),
                        hs_plan_compare(&chosen->plans[i], &flat) == 0 ? " (flat)" : "");
        hs_csv_row(out);
    }
    for (size_t i = 0; i < chosen->plan_count; i++)
        write_plan(out, chosen, result, i);
    write_library(out, chosen, result);
    return write_layers(out, chosen, result, err);
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    struct chosen chosen = {.message_count = result->message_count};
    struct hs_plan wanted;
    enum hs_status status = hs_plot_plan(&wanted, job, err);

    if (status == HS_OK && job->bytes)
        return hs_fail(err, HS_INVALID, "--size: bandwidth shows all sizes of the result");
    if (status != HS_OK)
        return status;
    chosen.messages = hs_plot_messages(result);
    if (!chosen.messages)
        return hs_no_memory(err);
    choose(&chosen, result, &wanted);
    status = write_all(out, job, &chosen, err);
    free(chosen.messages);
    return status;
}

const struct hs_plot_kind hs_plot_bandwidth = {
    .name = "bandwidth",
    .summary = "bandwidth against message size, of plans and of single layers",
    .many = false,
    .write = write,
};
