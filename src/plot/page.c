/* The values of report.html's template. */
#include "plot/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library/price_plan.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "record/doubt.h"
#include "record/result_gaps.h"
#include "show/answers.h"
#include "show/candidates.h"
#include "show/check.h"
#include "show/exporters.h"
#include "show/html.h"
#include "show/render.h"
#include "show/stages.h"
#include "show/winners.h"

#define CANDIDATES_SHOWN 100
#define HOSTS_SHOWN      64
#define GAIN_TEXT        64 /* bytes of "2.49x (2.31 to 2.66)" */

static const char template[] =
#include "plot/report.html.inc"
    ;
static const char style[] =
#include "plot/report.css.inc"
    ;

/* ---- the subject ---- */

/* One message of a result, with its winner and what to compare it with. Times are all measured or
 * all predicted, as the winner's is. */
struct subject {
    const struct hs_named_result *input;
    const struct hs_result *result;
    const struct hs_result_message *message;
    const struct hs_candidate *best; /* NULL: no candidate can be used */
    bool measured, best_is_flat;
    struct hs_plot_time best_time, flat_time, library_time; /* NaN: not known */
    const char *library;                                    /* NULL: none */
};

static struct subject subject_of(const struct hs_named_result *input,
                                 const struct hs_result_message *message)
{
    struct subject subject = {.input = input, .result = input->result, .message = message};
    struct hs_plan flat = hs_result_flat(input->result);
    const struct hs_candidate *candidate = hs_result_candidate(message, &flat);
    const struct hs_baseline_result *library = hs_plot_best_baseline(message);
    struct hs_plot_time unknown = {NAN, NAN, NAN};

    subject.best_time = subject.flat_time = subject.library_time = unknown;
    if (message->best.chunks == 0)
        return subject;
    subject.best = hs_result_candidate(message, &message->best);
    subject.best_is_flat = hs_plan_is_flat(&message->best);
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

/* slower / faster with the interval that follows from theirs; NaN where unknown. The interval is on
 * the safe side: smallest over largest, largest over smallest. */
static struct hs_plot_time gain_of(struct hs_plot_time slower, struct hs_plot_time faster)
{
    return (struct hs_plot_time){slower.seconds / faster.seconds, slower.low / faster.high,
                                 slower.high / faster.low};
}

static bool has_interval(struct hs_plot_time time)
{
    return isfinite(time.low) && isfinite(time.high);
}

/* The answer of a prediction; NULL: measured. */
static const struct hs_answer *predicted_answer(const struct subject *subject)
{
    return subject->measured ? NULL : subject->message->answer;
}

/* Whether the library's own AllReduce is faster, and not by chance alone. */
static bool library_wins(const struct subject *subject)
{
    struct hs_plot_time gain = gain_of(subject->library_time, subject->best_time);

    return has_interval(gain) ? gain.high < 1 : gain.seconds < 1;
}

/* ---- the answer ---- */

static void add_answer(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_plan *best = &subject->message->best;
    const struct hs_answer_source of = {subject->result, subject->message};
    struct hs_text *answer = hs_html_value(values, "answer");
    struct hs_text *shorter = hs_html_value(values, "short_answer");
    const char *call = hs_collectives[subject->result->collective].written;

    if (!subject->best) {
        hs_text_append(answer, "No split could be used");
        hs_text_append(shorter, "no split");
    } else if (predicted_answer(subject)) {
        hs_answer_append_title(answer, &of);
        hs_answer_append_odds(hs_html_value(values, "odds"), &of);
        hs_text_append(hs_html_value(values, "evidence"), "%s",
                       predicted_answer(subject)->evidence);
        hs_text_append(shorter, "%s", HS_AS_PLAN(best));
    } else if (library_wins(subject)) {
        hs_text_append(answer, "Keep the default: %s is faster than every split", subject->library);
        hs_text_append(shorter, "%s", subject->library);
    } else {
        if (!subject->best_is_flat)
            hs_text_append(answer, "Use %s", HS_AS_PLAN(best));
        else
            hs_text_append(answer, "No split is faster than the flat %s", call);
        hs_text_append(shorter, "%s", HS_AS_PLAN(best));
    }
}

static void add_gain(struct hs_html_values *values, const char *name, const char *interval,
                     struct hs_plot_time gain)
{
    if (!isfinite(gain.seconds) || gain.seconds == 0)
        return;
    hs_text_append(hs_html_value(values, name), "%.3gx %s",
                   gain.seconds >= 1 ? gain.seconds : 1 / gain.seconds,
                   gain.seconds >= 1 ? "faster" : "slower");
    if (has_interval(gain))
        hs_text_append(hs_html_value(values, interval), "95 %% interval %.3gx to %.3gx%s", gain.low,
                       gain.high, gain.low <= 1 && gain.high >= 1 ? ": within the noise" : "");
}

/* Over the default call, or the flat plan. */
static void add_expected(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_answer_source of = {subject->result, subject->message};
    const struct hs_verdict *verdict = &predicted_answer(subject)->verdict;

    if (verdict->advice == HS_ADVICE_DEFAULT || verdict->gain < 1 || subject->best_is_flat)
        return;
    hs_text_append(hs_html_value(values, "flat_gain"), "%s faster", HS_AS_GAIN(verdict->gain));
    hs_answer_append_reference(hs_html_value(values, "over"), &of);
    if (isfinite(verdict->gain_low))
        hs_text_append(hs_html_value(values, "flat_interval"), "90 %% range %.3gx to %.3gx",
                       verdict->gain_low, verdict->gain_high);
}

static void add_figures(struct hs_html_values *values, const struct subject *subject)
{
    struct hs_problem problem = hs_result_problem(subject->result, subject->message);
    struct hs_plot_time time = subject->best_time;
    double rate = hs_problem_bus_bandwidth(&problem, time.seconds);

    if (!isfinite(time.seconds))
        return;
    hs_text_append(hs_html_value(values, "time"), "%s", HS_AS_TIME(time.seconds));
    hs_text_append(hs_html_value(values, "time_is"),
                   subject->measured ? "median time, measured" : "time, predicted");
    if (has_interval(time))
        hs_text_append(hs_html_value(values, "time_interval"), "%s %s to %s",
                       predicted_answer(subject) ? "90 % range" : "95 % interval",
                       HS_AS_TIME(time.low), HS_AS_TIME(time.high));
    if (predicted_answer(subject))
        add_expected(values, subject);
    else if (!subject->best_is_flat) {
        hs_text_append(hs_html_value(values, "over"), "flat");
        add_gain(values, "flat_gain", "flat_interval", gain_of(subject->flat_time, time));
    }
    if (subject->library)
        hs_text_append(hs_html_value(values, "library"), "%s", subject->library);
    add_gain(values, "library_gain", "library_interval", gain_of(subject->library_time, time));
    if (rate > 0)
        hs_text_append(hs_html_value(values, "busbw"), "%s", HS_AS_RATE(rate));
}

/* "first among 4 neighboring processes, then across 8 such groups", and what they do there. */
static void add_meaning(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_plan *best = &subject->message->best;
    const struct hs_answer_source of = {subject->result, subject->message};
    struct hs_text *way = hs_html_value(values, "way");
    struct hs_problem problem = hs_result_problem(subject->result, subject->message);
    const struct hs_collective_row *row = &hs_collectives[problem.collective];
    bool outward = hs_problem_begins_inside(&problem);

    if (!subject->best || subject->best_is_flat || hs_plan_is_default(best))
        return;
    hs_answer_append_meaning(hs_html_value(values, "meaning"), &of);
    if (hs_collective_is_one_way(problem.collective))
        hs_text_append(way, "%s in every layer, %s first", hs_phase_names[row->last],
                       outward ? "innermost" : "outermost");
    else
        hs_text_append(way, "%s on the way out, %s in the outermost layer, %s on the way back",
                       hs_phase_names[row->outward], hs_phase_names[row->last],
                       hs_phase_names[row->inward]);
    hs_text_append(hs_html_value(values, "plan"), "%s", HS_AS_PLAN(best));
    if (best->chunks > 1)
        hs_text_append(hs_html_value(values, "chunks"), "%d", best->chunks);
}

/* Why a measured answer is not certain: beside it, wherever it stands. */
static void add_doubt(struct hs_html_values *values, const struct subject *subject)
{
    struct hs_text doubt = {0};

    if (subject->measured)
        hs_doubt_all_append(&doubt, subject->result, subject->message);
    if (doubt.data) {
        hs_text_append(hs_html_value(values, "short_answer"), ", not certain");
        hs_text_append(hs_html_value(values, "doubt"), "%s", doubt.data);
    }
    hs_text_release(&doubt);
}

static void add_warnings(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_result *result = subject->result;
    struct hs_gaps gaps = {0};

    hs_html_flag(values, "cut_short", !result->complete);
    if (result->note)
        hs_text_append(hs_html_value(values, "note"), "%s", result->note);
    hs_html_flag(values, "not_measured", subject->best && !subject->measured);
    hs_html_flag(values, "no_flat", subject->measured && !isfinite(subject->flat_time.seconds));
    hs_result_gaps_add(&gaps, result, subject->message);
    if (gaps.any)
        hs_gaps_append(hs_html_value(values, "gaps"), &gaps, &result->system);
    hs_html_flag(values, "extrapolated", result->extrapolated);
}

/* ---- tables ---- */

static void add_table(struct hs_html_values *values, const char *name, struct hs_table *table,
                      const char *caption)
{
    hs_table_html(hs_html_value(values, name), table, caption);
    hs_table_release(table);
}

static void add_layers(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_plan_cost *cost = subject->best ? subject->best->cost : NULL;
    struct hs_table table;

    if (!cost || !subject->result->has_system)
        return;
    hs_stages_table(&table, &subject->result->system, cost, true);
    add_table(values, "layers", &table, "Layers of the plan, innermost first");
    hs_text_append(hs_html_value(values, "model_time"), "%s", HS_AS_TIME(cost->seconds));
    if (subject->measured)
        hs_text_append(hs_html_value(values, "measured_time"), "%s",
                       HS_AS_TIME(subject->best_time.seconds));
}

static void add_candidates(struct hs_html_values *values, const struct subject *subject)
{
    const struct hs_result_message *message = subject->message;
    struct hs_candidates_source of = {
        .result = subject->result, .message = message, .limit = CANDIDATES_SHOWN};
    struct hs_text *pruned = hs_html_value(values, "pruned");
    struct hs_table table;

    hs_candidates_table(&table, HS_OF_REPORT, &of);
    if (subject->best)
        table.best = (size_t)(subject->best - message->candidates);
    add_table(values, "candidates", &table, "Best first; measured calls of the library last");
    if (message->candidate_count > CANDIDATES_SHOWN)
        hs_text_append(hs_html_value(values, "more"), "%zu",
                       message->candidate_count - CANDIDATES_SHOWN);
    for (size_t i = 0; i < message->pruned_count; i++) {
        hs_text_append(pruned, "<p>Taken out of the race by \"");
        hs_html_text(pruned, message->pruned[i].rule);
        hs_text_append(pruned, "\": %" PRIu64 " splits.</p>\n", message->pruned[i].splits);
    }
}

/* "2.49x (2.31 to 2.66)"; NULL where it is not known. */
static const char *gain_text(char text[GAIN_TEXT], struct hs_plot_time gain)
{
    if (!isfinite(gain.seconds))
        return NULL;
    if (has_interval(gain))
        snprintf(text, GAIN_TEXT, "%.3gx (%.3g to %.3g)", gain.seconds, gain.low, gain.high);
    else
        snprintf(text, GAIN_TEXT, "%.3gx", gain.seconds);
    return text;
}

/* "1.08x (0.85x to 1.41x)" */
static const char *expected_text(char text[GAIN_TEXT], const struct hs_verdict *verdict)
{
    const struct hs_gain gain = {verdict->gain, verdict->gain_low, verdict->gain_high, 1};

    if (!(verdict->gain_low < verdict->gain_high))
        snprintf(text, GAIN_TEXT, "%s", HS_AS_GAIN(verdict->gain));
    else
        snprintf(text, GAIN_TEXT, "%s (%s)", HS_AS_GAIN(verdict->gain), HS_AS_GAIN_RANGE(&gain));
    return text;
}

static void add_winner(struct hs_table *table, const struct subject *subject)
{
    char flat[GAIN_TEXT], library[GAIN_TEXT];
    struct hs_problem problem = hs_result_problem(subject->result, subject->message);
    struct hs_winner winner = hs_winner_of(&problem, subject->best ? &subject->message->best : NULL,
                                           subject->best_time.seconds, subject->flat_time.seconds);

    winner.flat = gain_text(flat, gain_of(subject->flat_time, subject->best_time));
    winner.library = gain_text(library, gain_of(subject->library_time, subject->best_time));
    if (predicted_answer(subject) && predicted_answer(subject)->usual) {
        winner.flat = NULL; /* nobody's default */
        winner.library = expected_text(library, &predicted_answer(subject)->verdict);
    } else if (predicted_answer(subject)) {
        winner.flat = expected_text(flat, &predicted_answer(subject)->verdict);
    }
    winner.how = subject->measured ? "measured" : "predicted";
    winner.file = subject->input->name;
    hs_winners_add(table, &winner);
}

/* All inputs and sizes, where there are several. */
static void add_answers(struct hs_html_values *values, const struct hs_plot_job *job)
{
    struct hs_table table;

    hs_winners_init(&table, HS_BY_INPUT);
    for (size_t i = 0; i < job->input_count; i++)
        for (size_t m = 0; m < job->inputs[i].result->message_count; m++) {
            struct subject subject =
                subject_of(&job->inputs[i], &job->inputs[i].result->messages[m]);

            add_winner(&table, &subject);
        }
    if (table.row_count > 1)
        add_table(values, "answers", &table,
                  "The answer of each; gains with their 95 % interval where measured, 90 % range "
                  "where predicted");
    else
        hs_table_release(&table);
}

/* ---- pictures ---- */

static const char *summary_of(const char *kind)
{
    for (size_t i = 0; hs_plot_kinds[i]; i++)
        if (strcmp(hs_plot_kinds[i]->name, kind) == 0)
            return hs_plot_kinds[i]->summary;
    return kind;
}

void hs_page_add_pictures(struct hs_html_values *values, const struct hs_page *page)
{
    struct hs_text *out = hs_html_value(values, "pictures");

    if (page->missing)
        hs_text_append(hs_html_value(values, "missing"), "%s", page->missing);
    for (size_t i = 0; i < page->picture_count; i++) {
        const struct hs_page_picture *picture = &page->pictures[i];

        hs_text_append(out, "<figure id=\"plot-%s\">\n<figcaption>", picture->kind);
        hs_html_text(out, summary_of(picture->kind));
        hs_text_append(out, "</figcaption>\n<div class=\"paper\">");
        hs_html_svg(out, picture->svg, picture->kind, summary_of(picture->kind));
        hs_text_append(out, "</div>\n</figure>\n");
    }
}

/* ---- where it ran ---- */

static void append_fact(struct hs_text *out, const char *name, const char *text)
{
    if (!text)
        return;
    hs_text_append(out, "<dt>");
    hs_html_text(out, name);
    hs_text_append(out, "</dt><dd>");
    hs_html_text(out, text);
    hs_text_append(out, "</dd>\n");
}

static void append_hosts(struct hs_text *out, const struct hs_placement *placement)
{
    struct hs_text hosts = {0};

    for (size_t i = 0; i < placement->node_count && i < HOSTS_SHOWN; i++)
        hs_text_append(&hosts, "%s%s: %" PRId64, i ? ", " : "", placement->nodes[i].host,
                       placement->nodes[i].ranks);
    if (placement->node_count > HOSTS_SHOWN)
        hs_text_append(&hosts, ", and %zu more nodes", placement->node_count - HOSTS_SHOWN);
    append_fact(out, "processes on each node", hosts.data);
    if (placement->node_count > 0)
        append_fact(out, "placement", placement->note);
    hs_text_release(&hosts);
}

/* Of the best plan of each size. */
static void append_choices(struct hs_text *out, const struct hs_result *result)
{
    for (size_t i = 0; i < result->message_count; i++) {
        const struct hs_result_message *message = &result->messages[i];
        struct hs_text name = {0}, line = {0};

        if (message->candidate_count > 0)
            hs_measured_append_choices(&line, message->candidates[0].measured);
        hs_text_append(&name, "NCCL took at %s", HS_AS_BYTES(message->message_bytes));
        if (line.length > 0 && !line.failed && !name.failed)
            append_fact(out, name.data, line.data);
        hs_text_release(&name);
        hs_text_release(&line);
    }
}

static void append_input(struct hs_text *out, const struct hs_named_result *input)
{
    const struct hs_result *result = input->result;
    const struct hs_system *system = result->has_system ? &result->system : NULL;
    struct hs_text line = {0};

    hs_text_append(out, "<h3>");
    hs_html_text(out, input->name);
    hs_text_append(out, "</h3>\n<dl class=\"facts\">\n");
    append_fact(out, "command", result->command);
    append_fact(out, "created", result->created);
    append_fact(out, "backend", result->backend ? result->backend : "none: predicted by the model");
    append_fact(out, "note", result->note);
    if (system) {
        append_fact(out, "machine", system->title ? system->title : hs_system_called(system));
        hs_system_format(&line, system);
        append_fact(out, "as a line of text", line.data);
        append_fact(out, "source of its figures", system->source);
        append_fact(out, "calibrated by", system->fits.source);
    }
    append_hosts(out, &result->placement);
    for (size_t i = 0; i < result->version_count; i++)
        append_fact(out, result->versions[i].name, result->versions[i].text);
    append_choices(out, result);
    for (size_t i = 0; i < result->environment_count; i++)
        append_fact(out, result->environment[i].name, result->environment[i].text);
    hs_text_append(out, "</dl>\n");
    hs_text_release(&line);
}

/* ---- the page ---- */

static enum hs_status find_message(const struct hs_result_message **message,
                                   const struct hs_plot_job *job, struct hs_error *err)
{
    struct hs_plot_job first = {.inputs = job->inputs, .input_count = 1, .bytes = job->bytes};
    uint64_t bytes;
    enum hs_status status;

    if (job->inputs[0].result->message_count == 0)
        return hs_fail(err, HS_INVALID, "%s: has no message size, so there is nothing to report",
                       job->inputs[0].name);
    status = hs_plot_bytes(&bytes, &first, err);
    if (status == HS_OK)
        *message = hs_plot_message(job->inputs[0].result, bytes);
    return status;
}

static void add_subject(struct hs_html_values *values, const struct subject *subject)
{
    struct hs_plot_job alone = {.inputs = subject->input, .input_count = 1};
    const struct hs_mesh *mesh = &subject->result->mesh;

    hs_text_append(hs_html_value(values, "np"), "%" PRId64, subject->result->np);
    hs_text_append(hs_html_value(values, "size"), "%s",
                   HS_AS_BYTES(subject->message->message_bytes));
    hs_text_append(hs_html_value(values, "call"), "%s",
                   hs_collectives[subject->result->collective].written);
    if (mesh->count > 0)
        hs_text_append(hs_html_value(values, "call"), " over %s of %s",
                       hs_mesh_format_over((char[HS_MESH_TEXT]){0}, mesh),
                       hs_mesh_format((char[HS_MESH_TEXT]){0}, mesh));
    hs_plot_machine(hs_html_value(values, "machine"), &alone);
    add_answer(values, subject);
    add_doubt(values, subject);
    add_figures(values, subject);
    add_meaning(values, subject);
    add_warnings(values, subject);
    add_layers(values, subject);
    add_candidates(values, subject);
}

static void add_exports(struct hs_html_values *values, const struct hs_named_result *input,
                        const struct hs_result_message *message)
{
    bool keeps = message->answer && message->answer->verdict.advice == HS_ADVICE_DEFAULT;
    struct hs_table table;

    hs_text_append(hs_html_value(values, "use"), "%s",
                   keeps ? "Nothing needs to change: the library's default is the answer. Each "
                           "command writes what is best at other sizes, or a plan (--plan), for a "
                           "library."
                         : "Each command writes the best plan for a library; the file says how to "
                           "load it, and what the library cannot express.");
    hs_exporters_of_result(&table, input->result, input->name, true);
    add_table(values, "exports", &table, "hiersearch export");
    hs_exporters_of_result(&table, input->result, input->name, false);
    add_table(values, "others", &table, "hiersearch export");
}

enum hs_status hs_page_write(struct hs_text *out, const struct hs_page *page, struct hs_error *err)
{
    const struct hs_plot_job *job = page->job;
    const struct hs_result_message *message;
    struct hs_html_values values = {.count = 0};
    struct subject subject;
    enum hs_status status = find_message(&message, job, err);

    if (status != HS_OK)
        return status;
    subject = subject_of(&job->inputs[0], message);
    hs_text_append(hs_html_value(&values, "style"), "%s", style);
    hs_text_append(hs_html_value(&values, "made_by"), "%s", page->made_by);
    add_subject(&values, &subject);
    if (job->checked)
        hs_check_append_line(hs_html_value(&values, "check"), job->checked, job->checked_name);
    hs_page_add_pictures(&values, page);
    add_answers(&values, job);
    add_exports(&values, &job->inputs[0], message);
    for (size_t i = 0; i < job->input_count; i++)
        append_input(hs_html_value(&values, "inputs"), &job->inputs[i]);
    hs_html_fill(out, template, &values);
    return out->failed ? hs_no_memory(err) : HS_OK;
}
