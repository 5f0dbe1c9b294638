/* The answer, and why: what a reader wants to know before anything else. */
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "plot/caption.h"
#include "plot/html.h"
#include "plot/page_parts.h"
#include "result/result_gaps.h"

/* ---- the subject ---- */

struct hs_page_subject hs_page_subject(const struct hs_plot_input *input,
                                       const struct hs_result_message *message)
{
    struct hs_page_subject subject = {.input = input, .result = input->result, .message = message};
    struct hs_plan flat = hs_plot_flat(input->result->np);
    const struct hs_candidate *candidate = hs_plot_candidate(message, &flat);
    const struct hs_baseline_result *library = hs_plot_best_baseline(message);
    struct hs_plot_time unknown = {NAN, NAN, NAN};

    subject.best_time = subject.flat_time = subject.library_time = unknown;
    if (message->best.split.count == 0)
        return subject;
    subject.best = hs_plot_candidate(message, &message->best);
    subject.best_is_flat = hs_plan_compare(&message->best, &flat) == 0;
    subject.measured = subject.best && isfinite(hs_plot_measured(subject.best->measured).seconds);
    if (subject.measured) {
        subject.best_time = hs_plot_measured(subject.best->measured);
        subject.flat_time = hs_plot_measured(candidate ? candidate->measured : NULL);
        subject.library_time = hs_plot_measured(library ? &library->measured : NULL);
        subject.library = library ? library->name : NULL;
    } else {
        subject.best_time = hs_plot_prediction(input->result, message, &message->best);
        subject.flat_time = hs_plot_prediction(input->result, message, &flat);
    }
    return subject;
}

struct hs_plot_time hs_page_gain(struct hs_plot_time slower, struct hs_plot_time faster)
{
    return (struct hs_plot_time){slower.seconds / faster.seconds, slower.low / faster.high,
                                 slower.high / faster.low};
}

/* ---- the answer ---- */

static void write_headline(struct hs_text *out, const struct hs_page_subject *subject)
{
    struct hs_plot_job alone = {.inputs = subject->input, .input_count = 1};
    struct hs_text machine = {0};
    char plan[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];

    hs_plot_machine(&machine, &alone);
    hs_text_append(out, "<header>\n<p class=\"over\">");
    hs_html_text(out, "AllReduce of %s by %" PRId64 " processes on %s",
                 hs_bytes_format(size, subject->message->message_bytes), subject->result->np,
                 machine.data ? machine.data : "");
    hs_text_append(out, "</p>\n<h1>");
    if (!subject->best)
        hs_text_append(out, "No split could be used");
    else if (subject->best_is_flat)
        hs_html_text(out, "No split is faster than the flat AllReduce");
    else
        hs_html_text(out, "Split it as %s", hs_plan_format(plan, &subject->message->best));
    hs_text_append(out, "</h1>\n");
    out->failed = out->failed || machine.failed;
    hs_text_release(&machine);
}

static void write_figure(struct hs_text *out, const char *name, const char *figure,
                         const char *below)
{
    hs_text_append(out, "<div><dt>");
    hs_html_text(out, "%s", name);
    hs_text_append(out, "</dt><dd><strong>");
    hs_html_text(out, "%s", figure);
    hs_text_append(out, "</strong>");
    if (below[0]) {
        hs_text_append(out, "<span>");
        hs_html_text(out, "%s", below);
        hs_text_append(out, "</span>");
    }
    hs_text_append(out, "</dd></div>\n");
}

static void write_gain(struct hs_text *out, const char *name, struct hs_plot_time slower,
                       struct hs_plot_time faster)
{
    struct hs_plot_time gain = hs_page_gain(slower, faster);
    struct hs_text figure = {0}, below = {0};

    if (!isfinite(gain.seconds) || gain.seconds == 0)
        return;
    hs_text_append(&figure, "%.3gx %s", gain.seconds >= 1 ? gain.seconds : 1 / gain.seconds,
                   gain.seconds >= 1 ? "faster" : "slower");
    if (isfinite(gain.low) && isfinite(gain.high))
        hs_text_append(&below, "95 %% interval %.3gx to %.3gx%s", gain.low, gain.high,
                       gain.low <= 1 && gain.high >= 1 ? ": within the noise" : "");
    write_figure(out, name, figure.data ? figure.data : "", below.data ? below.data : "");
    hs_text_release(&figure);
    hs_text_release(&below);
}

static void write_figures(struct hs_text *out, const struct hs_page_subject *subject)
{
    struct hs_plot_time time = subject->best_time;
    char text[HS_UNIT_TEXT], low[HS_UNIT_TEXT], high[HS_UNIT_TEXT];
    struct hs_text below = {0}, name = {0};
    struct hs_problem problem = hs_result_problem(subject->result, subject->message);
    double rate;

    if (!isfinite(time.seconds))
        return;
    hs_text_append(out, "<dl class=\"figures\">\n");
    if (isfinite(time.low) && isfinite(time.high))
        hs_text_append(&below, "95 %% interval %s to %s", hs_seconds_format(low, time.low),
                       hs_seconds_format(high, time.high));
    write_figure(out, subject->measured ? "median time, measured" : "time, predicted",
                 hs_seconds_format(text, time.seconds), below.data ? below.data : "");
    if (!subject->best_is_flat)
        write_gain(out, "against flat", subject->flat_time, time);
    if (subject->library) {
        hs_text_append(&name, "against %s", subject->library);
        write_gain(out, name.data ? name.data : "", subject->library_time, time);
    }
    rate = hs_problem_bus_bandwidth(&problem, time.seconds);
    if (rate > 0)
        write_figure(out, "bus bandwidth", hs_bandwidth_format(text, rate),
                     "as nccl-tests defines it");
    hs_text_append(out, "</dl>\n");
    hs_text_release(&below);
    hs_text_release(&name);
}

/* "4 processes next to each other, then 8 of those groups, then 4 of those." */
static void write_meaning(struct hs_text *out, const struct hs_page_subject *subject)
{
    const struct hs_split *split = &subject->message->best.split;
    char plan[HS_SPLIT_TEXT];

    if (!subject->best || subject->best_is_flat)
        return;
    hs_text_append(out, "<p>");
    hs_html_text(out, "%s means: first among %" PRId64 " neighbouring processes",
                 hs_plan_format(plan, &subject->message->best), split->sizes[0]);
    for (int i = 1; i < split->count; i++)
        hs_html_text(out, ", then across %" PRId64 " such groups", split->sizes[i]);
    hs_html_text(out,
                 "; reduce-scatter on the way out, allreduce in the outermost layer, allgather "
                 "on the way back.");
    if (subject->message->best.chunks > 1)
        hs_html_text(out, " The message travels in %d chunks, so that the layers overlap.",
                     subject->message->best.chunks);
    hs_text_append(out, "</p>\n");
}

/* What a calibration does not cover, of all that the page shows with a mark. */
static void write_gaps(struct hs_text *out, const struct hs_page_subject *subject)
{
    struct hs_gaps gaps = {0};
    struct hs_text text = {0};

    hs_result_gaps_add(&gaps, subject->result, subject->message);
    if (!gaps.any)
        return;
    hs_gaps_append(&text, &gaps, &subject->result->system);
    hs_text_append(out, "<p class=\"warning\">");
    hs_html_text(out, "Predictions marked * go beyond what the calibration measured: %s.",
                 text.data ? text.data : "");
    hs_text_append(out, "</p>\n");
    out->failed = out->failed || text.failed;
    hs_text_release(&text);
}

static void write_warnings(struct hs_text *out, const struct hs_page_subject *subject)
{
    const struct hs_result *result = subject->result;

    if (!result->complete) {
        hs_text_append(out, "<p class=\"warning\">");
        hs_html_text(out, "The run was cut short%s%s.", result->note ? ": " : "",
                     result->note ? result->note : "");
        hs_text_append(out, "</p>\n");
    }
    if (subject->best && !subject->measured)
        hs_text_append(out, "<p class=\"warning\">Predicted by a model, not measured: "
                            "<code>hiersearch measure</code> on the machine makes sure.</p>\n");
    if (subject->measured && !isfinite(subject->best_time.low))
        hs_text_append(out,
                       "<p class=\"warning\">Measured too few times for an interval: the order "
                       "of the splits may be chance. Give the run more time "
                       "(<code>--budget</code>), or a quieter machine.</p>\n");
    if (subject->measured && !isfinite(subject->flat_time.seconds))
        hs_text_append(out, "<p class=\"warning\">The flat AllReduce was not measured, so the gain "
                            "over it is unknown.</p>\n");
    write_gaps(out, subject);
    if (result->extrapolated)
        hs_text_append(out, "<p class=\"warning\">There are more processes than the machine's "
                            "description covers: its outermost level is taken to go on.</p>\n");
}

void hs_page_answer(struct hs_text *out, const struct hs_page_subject *subject)
{
    write_headline(out, subject);
    write_figures(out, subject);
    write_meaning(out, subject);
    write_warnings(out, subject);
    hs_text_append(out, "</header>\n");
}

/* ---- why ---- */

/* What priced the layer: two more columns where the system is calibrated. */
static void write_fit(struct hs_text *out, const struct hs_stage_cost *layer)
{
    hs_html_cell(out, false, "%s%s", hs_fit_scope_names[layer->fit_scope],
                 layer->extrapolated ? " *" : "");
    if (isfinite(layer->relative_ci95))
        hs_html_cell(out, true, "%.1f %%", 100 * layer->relative_ci95);
    else
        hs_html_cell(out, true, "%s", "");
}

static void write_layer(struct hs_text *out, const struct hs_page_subject *subject, int i,
                        double whole)
{
    const struct hs_stage_cost *layer = &subject->best->cost->stages[i];
    char bytes[HS_UNIT_TEXT], rate[HS_UNIT_TEXT], time[HS_UNIT_TEXT];

    hs_text_append(out, "<tr>");
    hs_html_cell(out, true, "%d", i + 1);
    hs_html_cell(out, true, "%" PRId64, layer->key.layer.size);
    hs_html_cell(out, true, "%" PRId64, layer->key.layer.stride);
    hs_html_cell(out, false, "%s%s", subject->result->system.levels[layer->level].name,
                 layer->straddles ? " and inside it" : "");
    hs_html_cell(out, true, "%s", hs_bytes_format(bytes, (uint64_t)llround(layer->bytes)));
    hs_html_cell(out, true, "%" PRId64, layer->rings_per_link);
    hs_html_cell(out, true, "%s", hs_bandwidth_format(rate, layer->ring_bytes_per_second));
    hs_html_cell(out, true, "%s", hs_seconds_format(time, layer->seconds));
    hs_html_cell(out, true, "%.1f %%", 100 * layer->seconds / whole);
    hs_html_cell(out, true, "%.1f %%",
                 100 * (layer->seconds > 0 ? layer->latency_seconds / layer->seconds : 0));
    if (subject->result->system.fits.count > 0)
        write_fit(out, layer);
    hs_text_append(out, "</tr>\n");
}

/* The table explains a measured time only as far as the model does. */
static void write_model_error(struct hs_text *out, const struct hs_page_subject *subject,
                              double predicted)
{
    char model[HS_UNIT_TEXT], measured[HS_UNIT_TEXT];

    if (subject->measured)
        hs_html_text(out, " All of it takes %s by the model; %s were measured.",
                     hs_seconds_format(model, predicted),
                     hs_seconds_format(measured, subject->best_time.seconds));
}

void hs_page_why(struct hs_text *out, const struct hs_page_subject *subject)
{
    const struct hs_plan_cost *cost = subject->best ? subject->best->cost : NULL;
    double whole = 0;

    if (!cost || !subject->result->has_system)
        return;
    for (int i = 0; i < cost->count; i++)
        whole += cost->stages[i].seconds;
    hs_text_append(out, "<section aria-labelledby=\"why\"><h2 id=\"why\">Why</h2>\n<p>");
    hs_html_text(out, "What the model says about each layer of the winner: a layer of size p at "
                      "stride d joins groups of p processes that are d apart. Each layer leaves "
                      "less to do for the ones behind it, and the links it uses are shared by the "
                      "rings that cross them.");
    write_model_error(out, subject, cost->seconds);
    hs_text_append(out, "</p>\n");
    hs_html_table(out, "Layers of the best split, from the inside out",
                  subject->result->system.fits.count > 0
                      ? "#layer|#size|#stride|level|#bytes in|#rings on a link|#rate of a ring|"
                        "#time|#share|#of it latency|priced by|#95 % interval +-"
                      : "#layer|#size|#stride|level|#bytes in|#rings on a link|#rate of a ring|"
                        "#time|#share|#of it latency");
    for (int i = 0; i < cost->count && whole > 0; i++)
        write_layer(out, subject, i, whole);
    hs_html_table_end(out);
    hs_text_append(out, "</section>\n");
}
