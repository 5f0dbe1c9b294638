/* The pictures and the tables of the page. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "plot/html.h"
#include "plot/page_parts.h"

#define CANDIDATES_SHOWN 100
#define HOSTS_SHOWN      64

/* ---- pictures ---- */

static const char *summary_of(const char *kind)
{
    for (size_t i = 0; hs_plot_kinds[i]; i++)
        if (strcmp(hs_plot_kinds[i]->name, kind) == 0)
            return hs_plot_kinds[i]->summary;
    return kind;
}

void hs_page_pictures(struct hs_text *out, const struct hs_page *page)
{
    if (page->missing) {
        hs_text_append(out, "<p class=\"warning\">");
        hs_html_text(out, "There are no pictures: %s", page->missing);
        hs_text_append(out, "</p>\n");
    }
    if (page->picture_count == 0)
        return;
    hs_text_append(out,
                   "<section aria-labelledby=\"pictures\"><h2 id=\"pictures\">Pictures</h2>\n");
    for (size_t i = 0; i < page->picture_count; i++) {
        const struct hs_page_picture *picture = &page->pictures[i];

        hs_text_append(out, "<figure id=\"plot-%s\">\n<figcaption>", picture->kind);
        hs_html_text(out, "%s", summary_of(picture->kind));
        hs_text_append(out, "</figcaption>\n<div class=\"scroll paper\">");
        hs_html_svg(out, picture->svg, picture->kind, summary_of(picture->kind));
        hs_text_append(out, "</div>\n</figure>\n");
    }
    hs_text_append(out, "</section>\n");
}

/* ---- candidates ---- */

static void write_seconds(struct hs_text *out, double seconds)
{
    char text[HS_UNIT_TEXT];

    hs_html_cell(out, true, "%s", isfinite(seconds) ? hs_seconds_format(text, seconds) : "");
}

static void write_interval(struct hs_text *out, struct hs_plot_time time)
{
    char low[HS_UNIT_TEXT], high[HS_UNIT_TEXT];

    if (isfinite(time.low) && isfinite(time.high))
        hs_html_cell(out, true, "%s to %s", hs_seconds_format(low, time.low),
                     hs_seconds_format(high, time.high));
    else
        hs_html_cell(out, true, "%s", "");
}

/* "1.709 ms", "1.709 ms +- 87.47 us". */
static void write_prediction(struct hs_text *out, struct hs_plot_time time)
{
    char text[HS_UNIT_TEXT], half[HS_UNIT_TEXT];

    if (isfinite(time.high))
        hs_html_cell(out, true, "%s +- %s", hs_seconds_format(text, time.seconds),
                     hs_seconds_format(half, time.high - time.seconds));
    else
        write_seconds(out, time.seconds);
}

/* Times, and what is to be said about a measurement. `seconds` is what counts for the ratio. */
static void write_times(struct hs_text *out, const struct hs_page_subject *subject,
                        struct hs_plot_time predicted, const struct hs_measured *measured)
{
    struct hs_plot_time time = hs_plot_measured(measured);
    double seconds = subject->measured ? time.seconds : predicted.seconds;
    struct hs_problem problem = hs_result_problem(subject->result, subject->message);
    double rate = hs_problem_bus_bandwidth(&problem, seconds);
    char text[HS_UNIT_TEXT];

    write_seconds(out, time.seconds);
    write_interval(out, time);
    write_prediction(out, predicted);
    if (isfinite(seconds / subject->best_time.seconds))
        hs_html_cell(out, true, "%.3fx", seconds / subject->best_time.seconds);
    else
        hs_html_cell(out, true, "%s", "");
    hs_html_cell(out, true, "%s",
                 isfinite(rate) && rate > 0 ? hs_bandwidth_format(text, rate) : "");
    if (measured)
        hs_html_cell(out, false, "%s%s%s", hs_measure_status_names[measured->status],
                     measured->reason ? ": " : "", measured->reason ? measured->reason : "");
    else
        hs_html_cell(out, false, "predicted");
    hs_text_append(out, "</tr>\n");
}

static void write_candidate(struct hs_text *out, const struct hs_page_subject *subject, size_t i)
{
    const struct hs_candidate *candidate = &subject->message->candidates[i];
    bool best = candidate == subject->best;
    struct hs_plan flat = hs_plot_flat(subject->result->np);
    struct hs_plot_time predicted = {NAN, NAN, NAN};
    char plan[HS_SPLIT_TEXT];

    hs_text_append(out, best ? "<tr class=\"best\">" : "<tr>");
    hs_html_cell(out, true, "%zu", i + 1);
    hs_html_cell(out, false, "%s%s%s", hs_plan_format(plan, &candidate->plan),
                 hs_plan_compare(&candidate->plan, &flat) == 0 ? " (flat)" : "",
                 hs_plot_mark(subject->result, subject->message, &candidate->plan));
    if (isfinite(candidate->predicted_seconds))
        predicted = hs_plot_prediction(subject->result, subject->message, &candidate->plan);
    write_times(out, subject, predicted, candidate->measured);
}

void hs_page_candidates(struct hs_text *out, const struct hs_page_subject *subject)
{
    const struct hs_result_message *message = subject->message;
    size_t shown =
        message->candidate_count < CANDIDATES_SHOWN ? message->candidate_count : CANDIDATES_SHOWN;

    hs_text_append(out, "<section aria-labelledby=\"candidates\"><h2 id=\"candidates\">Candidates"
                        "</h2>\n");
    hs_html_table(out, "Best first; the library's own AllReduce last",
                  "#rank|split|#median, measured|#95 % interval|#predicted|#to the best|"
                  "#bus bandwidth|status");
    for (size_t i = 0; i < shown; i++)
        write_candidate(out, subject, i);
    for (size_t i = 0; i < message->baseline_count; i++) {
        hs_text_append(out, "<tr>");
        hs_html_cell(out, true, "%s", "");
        hs_html_cell(out, false, "%s", message->baselines[i].name);
        write_times(out, subject, (struct hs_plot_time){NAN, NAN, NAN},
                    &message->baselines[i].measured);
    }
    hs_html_table_end(out);
    if (shown < message->candidate_count) {
        hs_text_append(out, "<p>");
        hs_html_text(out, "%zu more are in the result file.", message->candidate_count - shown);
        hs_text_append(out, "</p>\n");
    }
    for (size_t i = 0; i < message->pruned_count; i++) {
        hs_text_append(out, "<p>");
        hs_html_text(out, "Taken out of the race by \"%s\": %" PRIu64 " splits.",
                     message->pruned[i].rule, message->pruned[i].splits);
        hs_text_append(out, "</p>\n");
    }
    hs_text_append(out, "</section>\n");
}

/* ---- all inputs and sizes ---- */

static void write_ratio(struct hs_text *out, struct hs_plot_time slower, struct hs_plot_time faster)
{
    struct hs_plot_time gain = hs_page_gain(slower, faster);

    if (!isfinite(gain.seconds))
        hs_html_cell(out, true, "%s", "");
    else if (isfinite(gain.low) && isfinite(gain.high))
        hs_html_cell(out, true, "%.3gx (%.3g to %.3g)", gain.seconds, gain.low, gain.high);
    else
        hs_html_cell(out, true, "%.3gx", gain.seconds);
}

static void write_answer(struct hs_text *out, const struct hs_plot_input *input, size_t m)
{
    struct hs_page_subject subject = hs_page_subject(input, &input->result->messages[m]);
    char plan[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];

    hs_text_append(out, "<tr>");
    hs_html_cell(out, true, "%" PRId64, subject.result->np);
    hs_html_cell(out, true, "%s", hs_bytes_format(size, subject.message->message_bytes));
    hs_html_cell(out, false, "%s",
                 subject.best ? hs_plan_format(plan, &subject.message->best) : "none");
    write_seconds(out, subject.best_time.seconds);
    write_ratio(out, subject.flat_time, subject.best_time);
    write_ratio(out, subject.library_time, subject.best_time);
    hs_html_cell(out, false, "%s", subject.measured ? "measured" : "predicted");
    hs_html_cell(out, false, "%s", input->name);
    hs_text_append(out, "</tr>\n");
}

void hs_page_all_answers(struct hs_text *out, const struct hs_page *page)
{
    const struct hs_plot_job *job = page->job;

    if (job->input_count == 1 && job->inputs[0].result->message_count == 1)
        return;
    hs_text_append(out, "<section aria-labelledby=\"answers\"><h2 id=\"answers\">Every size and "
                        "process count</h2>\n");
    hs_html_table(out, "The best split of each; gains with their 95 % interval where measured",
                  "#processes|#size|best|#time|#flat takes|#library takes|how|file");
    for (size_t i = 0; i < job->input_count; i++)
        for (size_t m = 0; m < job->inputs[i].result->message_count; m++)
            write_answer(out, &job->inputs[i], m);
    hs_html_table_end(out);
    hs_text_append(out, "</section>\n");
}

/* ---- where it ran ---- */

static void write_fact(struct hs_text *out, const char *name, const char *text)
{
    if (!text)
        return;
    hs_text_append(out, "<dt>");
    hs_html_text(out, "%s", name);
    hs_text_append(out, "</dt><dd>");
    hs_html_text(out, "%s", text);
    hs_text_append(out, "</dd>\n");
}

static void write_hosts(struct hs_text *out, const struct hs_placement *placement)
{
    if (placement->node_count == 0)
        return;
    hs_text_append(out, "<dt>processes on each node</dt><dd>");
    for (size_t i = 0; i < placement->node_count && i < HOSTS_SHOWN; i++)
        hs_html_text(out, "%s%s: %" PRId64, i ? ", " : "", placement->nodes[i].host,
                     placement->nodes[i].ranks);
    if (placement->node_count > HOSTS_SHOWN)
        hs_html_text(out, ", and %zu more nodes", placement->node_count - HOSTS_SHOWN);
    hs_text_append(out, "</dd>\n");
    write_fact(out, "placement", placement->note);
}

static void write_input(struct hs_text *out, const struct hs_plot_input *input)
{
    const struct hs_result *result = input->result;
    struct hs_text system = {0};

    hs_text_append(out, "<h3>");
    hs_html_text(out, "%s", input->name);
    hs_text_append(out, "</h3>\n<dl class=\"facts\">\n");
    write_fact(out, "command", result->command);
    write_fact(out, "created", result->created);
    write_fact(out, "backend", result->backend ? result->backend : "none: predicted by the model");
    write_fact(out, "note", result->note);
    if (result->has_system) {
        write_fact(out, "machine",
                   result->system.title ? result->system.title : result->system.name);
        hs_system_format(&system, &result->system);
        write_fact(out, "as a line of text", system.data);
        write_fact(out, "source of its figures", result->system.source);
        write_fact(out, "calibrated by", result->system.fits.source);
    }
    write_hosts(out, &result->placement);
    for (size_t i = 0; i < result->version_count; i++)
        write_fact(out, result->versions[i].name, result->versions[i].text);
    hs_text_append(out, "</dl>\n");
    hs_text_release(&system);
}

void hs_page_environment(struct hs_text *out, const struct hs_page *page)
{
    hs_text_append(out,
                   "<section aria-labelledby=\"environment\"><h2 id=\"environment\">Where this "
                   "comes from</h2>\n");
    for (size_t i = 0; i < page->job->input_count; i++)
        write_input(out, &page->job->inputs[i]);
    hs_text_append(out, "</section>\n");
}
