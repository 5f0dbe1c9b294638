/* What people read of a report: see report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/check.h"
#include "answer/figures.h"
#include "library/limit.h"
#include "model/backends.h"
#include "record/doubt.h"
#include "record/result_gaps.h"
#include "runner/calibrate_plan.h"
#include "runner/report.h"
#include "show/candidates.h"
#include "show/check.h"
#include "show/reach.h"
#include "show/systems.h"
#include "show/winners.h"

#define LINES       14 /* that the default output fits */
#define PLANS_SHOWN 4
#define SIZES_SHOWN 8

/* Breaks sentences. Returns how many lines they are. */
static size_t wrap(const struct hs_sheet *sheet, struct hs_text *text)
{
    size_t count = text->length > 0;

    hs_sheet_break(sheet, text);
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == '\n' && i + 1 < text->length;
    return count;
}

/* The sentences, on lines of their own; takes the text. */
static void say_text(struct hs_sheet *sheet, struct hs_text *text, bool stressed)
{
    wrap(sheet, text);
    if (!text->failed && text->length > 0) {
        (stressed ? hs_sheet_stress : hs_sheet_say)(sheet, "%s", text->data);
        hs_sheet_say(sheet, "\n");
    }
    hs_text_release(text);
}

/* The whole of the runs in which a plan's layers were timed. */
static double whole_seconds(const void *race, const struct hs_result_message *message,
                            const struct hs_plan *plan)
{
    const struct hs_arm *item = hs_race_find(race, HS_AS_PLAN(plan));

    (void)message;
    return item ? hs_samples_median(&item->layers.whole) : NAN;
}

/* Whether the ranks are where the description has them: nodes full, but for the last. */
static bool placed_as_described(const struct hs_result *result)
{
    const struct hs_placement *placement = &result->placement;
    int64_t node = hs_system_node_ranks(&result->system), left = result->np;

    for (size_t i = 0; i < placement->node_count; i++) {
        if (placement->nodes[i].ranks != (left < node ? left : node))
            return false;
        left -= node;
    }
    return true;
}

/* What the processes took, in the words of predict where they are placed as it has them or the
 * machine is played; else on how many nodes they were found. Returns `text`. */
static char *nodes_text(char text[HS_NODES_TEXT], const struct hs_result *result)
{
    size_t count = result->placement.node_count;

    text[0] = '\0';
    if (result->has_system &&
        (strcmp(result->backend, HS_BACKEND_NULL) == 0 || placed_as_described(result)))
        hs_system_nodes_text(text, &result->system, result->np);
    if (!text[0])
        snprintf(text, HS_NODES_TEXT, " on %zu node%s", count, HS_PLURAL(count));
    return text;
}

/* ---- the verdict --------------------------------------------------------------------------- */

static const struct hs_candidate *best_candidate(const struct hs_result_message *message)
{
    return message->candidate_count && hs_measured_is_ok(message->candidates[0].measured)
               ? &message->candidates[0]
               : NULL;
}

static void append_time(struct hs_text *out, const struct hs_measured *measured)
{
    double half = (measured->ci95_high_seconds - measured->ci95_low_seconds) / 2;

    hs_text_append(out, "%s", HS_AS_TIME(measured->median_seconds));
    if (half > 0) /* not NaN, and not where a machine is played */
        hs_text_append(out, " +-%.*f %%", half < 0.1 * measured->median_seconds,
                       100 * half / measured->median_seconds);
}

/* "MPI_Allreduce", or "the flat plan 8": what the fastest plan is compared with. */
static void append_reference(struct hs_text *out, const struct hs_result *result,
                             const struct hs_answer *answer)
{
    struct hs_plan flat = hs_result_flat(result);

    if (answer->usual)
        hs_text_append(out, "%s", answer->usual->name);
    else
        hs_text_append(out, "the flat plan %s", HS_AS_PLAN(&flat));
}

/* "Use 4x4: 36.14 ms +-1.2 %, 2.39x faster than MPI_Allreduce (86.3 ms)." */
static void append_verdict(struct hs_text *out, const struct hs_result *result,
                           const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    const struct hs_answer *answer = message->answer;
    const struct hs_plan flat = hs_result_flat(result);
    double reference = answer && answer->usual ? answer->usual->seconds : message->flat_seconds;
    bool is_flat = best && hs_plan_compare(&best->plan, &flat) == 0;

    if (!best) {
        hs_text_append(out, "No candidate was measured without fault.");
    } else if (!answer && hs_result_group(result).size < 2) {
        hs_text_append(out, "One process in each group: there is nothing to communicate.");
    } else if (!answer) {
        hs_text_append(out, "Fastest plan %s: ", HS_AS_PLAN(&best->plan));
        append_time(out, best->measured);
        hs_text_append(out, ". Nothing to compare it with was measured.");
    } else if (answer->verdict.advice == HS_ADVICE_DEFAULT) {
        hs_text_append(out, "Keep %s: %s. The fastest plan, %s, takes ", answer->usual->name,
                       HS_AS_TIME(reference), HS_AS_PLAN(&best->plan));
        append_time(out, best->measured);
        hs_text_append(out, ".");
    } else if (answer->verdict.advice == HS_ADVICE_UNDECIDED) {
        hs_text_append(out, "Cannot tell whether %s is faster than ", HS_AS_PLAN(&best->plan));
        append_reference(out, result, answer);
        hs_text_append(out, ": ");
        append_time(out, best->measured);
        hs_text_append(out, " against %s.", HS_AS_TIME(reference));
    } else {
        hs_text_append(out, "Use %s%s: ", is_flat ? "the flat plan, " : "",
                       HS_AS_PLAN(&best->plan));
        append_time(out, best->measured);
        if (!is_flat || answer->usual) {
            hs_text_append(out, ", %s faster than ", HS_AS_GAIN(answer->verdict.gain));
            append_reference(out, result, answer);
            hs_text_append(out, " (%s)", HS_AS_TIME(reference));
        }
        hs_text_append(out, ".");
    }
}

/* How sure that is, and which plans are as good. */
static void append_odds(struct hs_text *out, const struct hs_result_message *message)
{
    const struct hs_answer *answer = message->answer;
    const struct hs_verdict *verdict = &answer->verdict;
    size_t named = answer->tie_count < 3 ? answer->tie_count : 3;

    if (verdict->advice == HS_ADVICE_UNDECIDED && isnan(verdict->gain_low))
        hs_text_append(out, "Too few samples: an interval needs %d of each. ", HS_DOUBT_SAMPLES);
    else if (verdict->advice == HS_ADVICE_UNDECIDED)
        hs_text_append(out,
                       "The difference is smaller than the noise: gain %.3gx to %.3gx with "
                       "90 %%. ",
                       verdict->gain_low, verdict->gain_high);
    else if (verdict->advice == HS_ADVICE_DEFAULT)
        hs_text_append(out, verdict->gain_high < HS_ADVICE_GAIN
                                ? "No plan is 3 %% faster. "
                                : "No plan is faster beyond the noise. ");
    else if (verdict->gain_low < verdict->gain_high)
        hs_text_append(out, "Gain %.3gx to %.3gx (90 %% interval). ", verdict->gain_low,
                       verdict->gain_high);
    for (size_t i = 0; i < named; i++)
        hs_text_append(out, "%s%s",
                       i > 0 ? ", " : "Within noise of it: ", HS_AS_PLAN(&answer->ties[i]));
    if (named > 0)
        hs_text_append(out, "%s. ", answer->tie_count > named ? " and others" : "");
}

static const char *layers_claim(char text[64], const struct hs_certificate *certificate)
{
    if (certificate->certain)
        return "no other split is faster";
    if (!isfinite(certificate->within))
        return "other splits are not ruled out";
    if (certificate->within > 0) {
        snprintf(text, 64, "another split could be up to %.1f %% faster",
                 100 * certificate->within);
        return text;
    }
    return "the other splits are equal within noise";
}

/* "By the sum of single layers, 2x2 is fastest: 42.26 ms +-1.2 % (6 of 6 layers); no other split is
 * faster." */
static void append_layers(struct hs_text *out, const struct hs_certificate *certificate)
{
    if (certificate->winner.split.count > 0)
        hs_text_append(out, "By the sum of single layers, %s is fastest: %s +-%.*f %%",
                       HS_AS_PLAN(&certificate->winner), HS_AS_TIME(certificate->seconds),
                       certificate->ci95_seconds < 0.1 * certificate->seconds,
                       100 * certificate->ci95_seconds / certificate->seconds);
    else
        hs_text_append(out, "Single layers say nothing");
    hs_text_append(out, " (%zu of %zu layers measured); %s.", certificate->layers_measured,
                   certificate->layers,
                   certificate->winner.split.count > 0 ? layers_claim((char[64]){0}, certificate)
                                                       : "no split has all its layers measured");
}

/* ---- details of one size ------------------------------------------------------------------- */

/* How near the best plan comes to the limit; what took less says that the description is wrong. */
static void say_reach(struct hs_sheet *sheet, const struct hs_result *result,
                      const struct hs_result_message *message, bool details)
{
    const struct hs_candidate *best = best_candidate(message);
    struct hs_problem problem = hs_result_problem(result, message);

    if (!result->has_system)
        return;
    if (best && details)
        hs_reach_say(sheet, "", &result->system, &problem, best->measured->median_seconds);
    else if (best)
        hs_reach_warn(sheet, "", &result->system, &problem, best->measured->median_seconds);
    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *library = &message->baselines[i];
        struct hs_text lead = {0};

        hs_text_append(&lead, "%s is ", library->name);
        if (hs_measured_is_ok(&library->measured) && !lead.failed)
            hs_reach_warn(sheet, lead.data, &result->system, &problem,
                          library->measured.median_seconds);
        hs_text_release(&lead);
    }
}

/* "NCCL chose allreduce:1:8 RING LL 1 channel; in ncclAllReduce allreduce NVLS SIMPLE 16
 * channels". */
static void say_choices(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    struct hs_text text = {0};

    if (best)
        hs_measured_append_choices(&text, best->measured);
    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *library = &message->baselines[i];

        if (library->measured.choice_count > 0)
            hs_text_append(&text, "%sin %s ", text.length > 0 ? "; " : "", library->name);
        hs_measured_append_choices(&text, &library->measured);
    }
    if (text.length > 0 && !text.failed)
        hs_sheet_say(sheet, "NCCL chose %s.\n", text.data);
    hs_text_release(&text);
}

/* Mean and worst difference of the sums of layers from the wholes. */
static void say_sums(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_candidate *worst = NULL;
    double sum = 0, most = 0, seconds, ci95;
    size_t count = 0;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];
        const struct hs_measured *measured = candidate->measured;
        double difference;

        if (candidate->plan.chunks != 1 || !measured || measured->status != HS_MEASURE_OK ||
            !(measured->median_seconds > 0) ||
            !hs_certificate_find(&seconds, &ci95, message->certificate, &candidate->plan))
            continue;
        difference = seconds / measured->median_seconds - 1;
        sum += fabs(difference);
        count++;
        if (!worst || fabs(difference) > fabs(most)) {
            most = difference;
            worst = candidate;
        }
    }
    if (worst)
        hs_sheet_say(
            sheet,
            "Layers add up to %.1f %% from the full run on average, at worst %+.1f %% (%s).\n",
            100 * sum / (double)count, 100 * most, HS_AS_PLAN(&worst->plan));
}

/* What the layers are sure of, in full. */
static void say_certificate(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;
    double margin = hs_certificate_margin(certificate);
    struct hs_text doubts = {0};

    hs_doubt_layers_append(&doubts, message);
    if (doubts.length > 0)
        hs_sheet_say(sheet, "Not certain: %s.\n", doubts.data);
    hs_text_release(&doubts);
    hs_sheet_say(sheet, "Layers: %zu of %zu measured, %zu of them roughly, %zu failed.\n",
                 certificate->layers_measured, certificate->layers, certificate->layers_rough,
                 certificate->layers_failed);
    if (certificate->winner.split.count > 0 && isfinite(margin))
        hs_sheet_say(sheet, "Next best: %s, %s%.1f %% %s.\n", HS_AS_PLAN(&certificate->runner_up),
                     certificate->runner_up_measured ? "" : "expected ", 100 * fabs(margin),
                     margin >= 0 ? "slower" : "faster");
    if (certificate->tie_count > 0) {
        hs_sheet_say(sheet, "Within noise of it by layers:");
        for (size_t i = 0; i < certificate->tie_count; i++)
            hs_sheet_say(sheet, "%s %s", i > 0 ? "," : "", HS_AS_PLAN(&certificate->ties[i].plan));
        hs_sheet_say(sheet, "%s.\n", certificate->more_ties ? " and more" : "");
    }
    say_sums(sheet, message);
}

static void say_details(struct hs_sheet *sheet, const struct hs_result *result,
                        const struct hs_result_message *message)
{
    struct hs_text gaps = {0};

    if (message->padded_bytes)
        hs_sheet_say(sheet, "Padded to %s at most, so that the layers divide the message.\n",
                     HS_AS_BYTES(message->padded_bytes));
    hs_result_gaps_append(&gaps, result, message);
    hs_sheet_say(sheet, "%s", gaps.data ? gaps.data : "");
    hs_text_release(&gaps);
    say_choices(sheet, message);
    say_reach(sheet, result, message, true);
    if (message->certificate)
        say_certificate(sheet, message);
}

/* ---- one size, and several ----------------------------------------------------------------- */

/* "8 ranks share 2 cores: do not generalise." and what else is doubtful of the measurement. */
static void say_caveats(struct hs_sheet *sheet, const struct hs_result *result)
{
    const struct hs_placement *placement = &result->placement;

    if (placement->oversubscribed_ranks > 0)
        hs_sheet_say(sheet, "%" PRId64 " ranks share %" PRId64 " core%s: do not generalise.\n",
                     placement->oversubscribed_ranks, placement->oversubscribed_cores,
                     HS_PLURAL(placement->oversubscribed_cores));
    if (result->registered)
        hs_sheet_say(sheet, "Buffers are registered, of plans and of the library's calls.\n");
    if (result->extrapolated)
        hs_sheet_say(sheet, "* beyond the machine as described\n");
}

static void say_head(struct hs_sheet *sheet, const struct hs_result *result,
                     const struct hs_result_message *message, bool sweep)
{
    struct hs_problem problem = hs_result_problem(result, message);
    bool reduced = hs_collectives[problem.collective].outcome == HS_OUTCOME_REDUCED;
    char aside[HS_PROBLEM_TEXT];

    hs_problem_aside(aside, &problem);
    hs_sheet_say(sheet, "%s: %" PRId64 " process%s%s%s%s%s%s%s, %s%s%s\n\n", result->backend,
                 result->np, result->np == 1 ? "" : "es",
                 nodes_text((char[HS_NODES_TEXT]){0}, result),
                 hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &result->mesh), sweep ? "" : ", ",
                 sweep ? "" : HS_AS_BYTES(message->message_bytes), sweep ? "" : " per process",
                 aside[0] ? aside : ", allreduce", hs_datatype_names[message->datatype],
                 reduced ? " " : "", reduced ? hs_operation_names[message->operation] : "");
}

/* Measured times below the limit: a line each. */
static size_t count_beaten(const struct hs_result *result, const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_limit limit;
    size_t beaten = 0;

    if (!result->has_system)
        return 0;
    limit = hs_limit_of(&result->system, &problem);
    if (best)
        beaten += hs_limit_reached(&limit, best->measured->median_seconds) > 1;
    for (size_t i = 0; i < message->baseline_count; i++)
        beaten += hs_measured_is_ok(&message->baselines[i].measured) &&
                  hs_limit_reached(&limit, message->baselines[i].measured.median_seconds) > 1;
    return beaten;
}

/* Without --details the fastest plans are shown, as many as there is room for; what single layers
 * say goes first where there is not. */
static void say_size(struct hs_sheet *sheet, const struct hs_report *report,
                     const struct hs_campaign *campaign, size_t index)
{
    const struct hs_result *result = &report->result;
    const struct hs_result_message *message = &result->messages[index];
    bool all = campaign->settings.details || !hs_sheet_is_read(sheet);
    struct hs_candidates_source of = {.result = result,
                                      .message = message,
                                      .whole_seconds = whole_seconds,
                                      .timings = &campaign->sizes[index].race};
    struct hs_text verdict = {0}, odds = {0}, layers = {0}, next = {0};
    struct hs_table table;
    size_t taken, of_layers;

    append_verdict(&verdict, result, message);
    if (message->answer)
        append_odds(&odds, message);
    while (odds.length > 0 && odds.data[odds.length - 1] == ' ')
        odds.data[--odds.length] = '\0';
    if (message->certificate)
        append_layers(&layers, message->certificate);
    if (message->answer && message->answer->next_count > 0)
        hs_text_append(&next, "Next: %s", message->answer->next[0]);
    /* Title, two empty lines and the table's heading are 4. */
    taken = 4 + wrap(sheet, &verdict) + wrap(sheet, &odds) + wrap(sheet, &next) +
            message->baseline_count + message->algorithm_count + count_beaten(result, message) +
            (result->placement.oversubscribed_ranks > 0) + result->extrapolated;
    of_layers = wrap(sheet, &layers);
    if (!all && taken + of_layers + 2 > LINES)
        hs_text_release(&layers);
    else
        taken += of_layers;
    if (!all)
        of.limit = taken + PLANS_SHOWN <= LINES ? PLANS_SHOWN
                   : taken + 1 <= LINES         ? LINES - taken
                                                : 1;

    say_head(sheet, result, message, false);
    say_text(sheet, &verdict, true);
    say_text(sheet, &odds, false);
    hs_sheet_say(sheet, "\n");
    hs_candidates_table(&table, campaign->settings.details ? HS_OF_MEASURE : HS_OF_RACE, &of);
    hs_sheet_table(sheet, &table);
    say_text(sheet, &layers, false);
    if (campaign->settings.details)
        say_details(sheet, result, message);
    else
        say_reach(sheet, result, message, false);
    say_caveats(sheet, result);
    say_text(sheet, &next, false);
}

/* Whether the row of a size says more than the one before, or is the last. */
static bool is_turn(const struct hs_result *result, size_t i)
{
    const struct hs_result_message *at = &result->messages[i], *before = at - 1;

    return i == 0 || i + 1 == result->message_count || !at->answer || !before->answer ||
           at->answer->verdict.advice != before->answer->verdict.advice ||
           hs_plan_compare(&at->best, &before->best) != 0;
}

/* "Use a plan at 7 of 11 sizes, keep MPI_Allreduce at 3, cannot tell at 1." */
static void append_counts(struct hs_text *out, const struct hs_result *result)
{
    static const char *const words[HS_ADVICE_COUNT] = {[HS_ADVICE_PLAN] = "use a plan",
                                                       [HS_ADVICE_DEFAULT] = "keep the default",
                                                       [HS_ADVICE_UNDECIDED] = "cannot tell"};
    static const enum hs_advice order[] = {HS_ADVICE_PLAN, HS_ADVICE_DEFAULT, HS_ADVICE_UNDECIDED};
    size_t before = out->length;
    bool of = false;

    for (size_t a = 0; a < HS_COUNT_OF(order); a++) {
        size_t count = 0;

        for (size_t i = 0; i < result->message_count; i++)
            count += result->messages[i].answer &&
                     result->messages[i].answer->verdict.advice == order[a];
        if (count > 0)
            hs_text_append(out, "%s%s at %zu", out->length > before ? ", " : "", words[order[a]],
                           count);
        if (count > 0 && !of)
            hs_text_append(out, " of %zu sizes", result->message_count);
        of = of || count > 0;
    }
    if (out->length == before)
        hs_text_append(out, "no verdict: nothing to compare was measured");
    if (!out->failed)
        out->data[before] = (char)(out->data[before] - 'a' + 'A');
    hs_text_append(out, ".");
}

static void add_row(struct hs_table *table, const struct hs_result *result,
                    const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    const struct hs_answer *answer = message->answer;
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_winner row =
        hs_winner_of(&problem, best ? &best->plan : NULL,
                     best ? best->measured->median_seconds : NAN, message->flat_seconds);

    if (answer) {
        row.gain = answer->verdict.gain;
        row.gain_low = answer->verdict.gain_low;
        row.gain_high = answer->verdict.gain_high;
        row.advice = hs_advice_names[answer->verdict.advice];
        row.over_default = answer->usual != NULL;
    }
    if (message->candidate_count > 1 && hs_measured_is_ok(message->candidates[1].measured)) {
        row.second = &message->candidates[1].plan;
        row.second_seconds = message->candidates[1].measured->median_seconds;
    }
    hs_winners_add(table, &row);
}

/* Several sizes: how many have which verdict, and where plan or verdict change. */
static void say_sweep(struct hs_sheet *sheet, const struct hs_report *report)
{
    const struct hs_result *result = &report->result;
    size_t shown = 0, left = 0;
    struct hs_text line = {0};
    struct hs_table table;

    say_head(sheet, result, &result->messages[0], true);
    append_counts(&line, result);
    say_text(sheet, &line, true);
    hs_sheet_say(sheet, "\n");
    hs_winners_init(&table, HS_RACED_SIZES);
    for (size_t i = 0; i < result->message_count; i++) {
        bool all = result->message_count <= SIZES_SHOWN;

        if (!all && (shown == SIZES_SHOWN || !is_turn(result, i))) {
            left++;
            continue;
        }
        add_row(&table, result, &result->messages[i]);
        shown++;
    }
    hs_sheet_table(sheet, &table);
    if (left > 0)
        hs_sheet_say(sheet, "%zu more size%s: --details.\n", left, HS_PLURAL(left));
    say_caveats(sheet, result);
}

/* Whether the library's default call is as fast as the machine says, where there is one. */
static enum hs_status say_check(struct hs_sheet *sheet, const struct hs_campaign *campaign,
                                const struct hs_result *result, struct hs_error *err)
{
    const char *file = campaign->settings.campaign.output;
    const struct hs_named_result named = {file ? file : "the result", result};
    struct hs_check_answer checked;
    struct hs_text line = {0};
    enum hs_status status;

    if (!result->has_system || !hs_sheet_is_read(sheet))
        return HS_OK;
    status = hs_check_result(&checked, &named, err);
    if (status == HS_OK)
        hs_check_append_line(&line, &checked, file ? file : "RESULT");
    if (line.length > 0)
        hs_sheet_say(sheet, "%s\n", line.data);
    hs_text_release(&line);
    hs_check_answer_release(&checked);
    return status;
}

static enum hs_status print_result(struct hs_text *out, const struct hs_report *report,
                                   const struct hs_campaign *campaign,
                                   const struct hs_terminal *terminal, struct hs_error *err)
{
    const struct hs_print *print = &campaign->settings.print;
    const struct hs_result *result = &report->result;
    enum hs_status status;
    struct hs_sheet sheet;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_result_print(out, result, err);
    hs_sheet_begin(&sheet, out, print, terminal);
    if (result->message_count > 1 && !campaign->settings.details && hs_sheet_is_read(&sheet))
        say_sweep(&sheet, report);
    else
        for (size_t i = 0; i < result->message_count; i++) {
            if (i > 0)
                hs_sheet_say(&sheet, "\n");
            say_size(&sheet, report, campaign, i);
        }
    status = say_check(&sheet, campaign, result, err);
    return status == HS_OK ? hs_sheet_end(&sheet, err) : status;
}

/* ---- a calibration ------------------------------------------------------------------------- */

/* Layers whose points were measured. */
static size_t count_layers(const struct hs_fits *fits)
{
    size_t count = 0;

    for (size_t i = 0; i < fits->point_count; i++) {
        size_t j = 0;

        while (!hs_layer_equal(fits->points[j].key.layer, fits->points[i].key.layer))
            j++;
        count += j == i;
    }
    return count;
}

/* One run of every split at each of the message sizes, by the fitted figures. NaN: out of memory.
 */
static double every_split_seconds(uint64_t *splits, const struct hs_campaign *campaign)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX];
    size_t count = hs_calibrate_sizes(sizes, &settings->campaign.sizes,
                                      hs_datatype_bytes(settings->campaign.datatype));
    double seconds = 0;

    for (size_t i = 0; i < count; i++) {
        struct hs_problem problem = hs_campaign_problem(campaign, (double)sizes[i]);

        seconds += hs_every_split_seconds(splits, &campaign->system, &problem);
    }
    return seconds;
}

/* Worst and typical (root mean square) distance of the points of levels from their lines. */
static double typical_residual(double *worst, const struct hs_fits *fits)
{
    double squares = 0;
    size_t count = 0;

    *worst = 0;
    for (size_t i = 0; i < fits->count; i++)
        if (fits->items[i].scope == HS_FIT_LAYER) {
            squares += fits->items[i].residual * fits->items[i].residual;
            *worst = fmax(*worst, fits->items[i].residual);
            count++;
        }
    return count > 0 ? sqrt(squares / (double)count) : NAN;
}

static void say_calibration_details(struct hs_sheet *sheet, const struct hs_campaign *campaign)
{
    const struct hs_grid *grid = &campaign->grid;
    double runs = (double)grid->runs / (double)grid->measured_tasks, all;
    uint64_t splits = 0;

    hs_sheet_say(sheet,
                 "+-: half width of the 95 %% interval; time: of a layer of that size; n1/2: bytes "
                 "entering for half the bandwidth; from, to: bytes measured.\n"
                 "%zu measurements, %zu runs.\n",
                 grid->measured_tasks, grid->runs);
    all = every_split_seconds(&splits, campaign);
    if (isfinite(all))
        hs_sheet_say(
            sheet,
            "Measuring every split of %d at these sizes, %.3g runs each: %s split%s, about "
            "%s by these figures.\n",
            (int)hs_campaign_problem(campaign, 0).group.size, runs, HS_AS_COUNT(splits),
            HS_PLURAL(splits), HS_AS_TIME(all * runs));
}

static enum hs_status print_calibration(struct hs_text *out, const struct hs_campaign *campaign,
                                        const struct hs_terminal *terminal, struct hs_error *err)
{
    const struct hs_measure_settings *settings = &campaign->settings;
    const struct hs_system *system = &campaign->system;
    const struct hs_fits *fits = &system->fits;
    const char *output = settings->campaign.output;
    size_t layers = count_layers(fits);
    double worst, typical = typical_residual(&worst, fits);
    struct hs_text line = {0};
    struct hs_sheet sheet;
    struct hs_table table;

    hs_sheet_begin(&sheet, out, &settings->print, terminal);
    hs_text_append(&line, "%s: %d processes", campaign->backend->name, campaign->ranks.np);
    hs_report_calls_append(&line, campaign);
    hs_text_append(&line, ", %s %s", hs_datatype_names[settings->campaign.datatype],
                   hs_operation_names[settings->campaign.operation]);
    say_text(&sheet, &line, false);
    hs_sheet_say(&sheet, "\n");
    hs_text_append(&line, "%s is calibrated: %zu layer%s in %s", system->name, layers,
                   HS_PLURAL(layers), HS_AS_TIME(campaign->seconds));
    if (isfinite(typical))
        hs_text_append(&line, ", fitted within %.1f %% (at worst %.1f %%)", 100 * typical,
                       100 * worst);
    hs_text_append(&line, ".");
    say_text(&sheet, &line, true);
    hs_sheet_say(&sheet, "\n");
    if (settings->details || !hs_sheet_is_read(&sheet))
        hs_fits_table(&table, system, HS_FITS_OF_SIZES);
    else
        hs_fits_table(&table, system, HS_FITS_OF_LEVELS);
    hs_sheet_table(&sheet, &table);
    hs_text_append(&line, "Launch: %s +- %s per call.", HS_AS_TIME(system->launch_seconds),
                   HS_AS_TIME(fits->launch_ci95_seconds));
    if (fits->refusal_count > 0)
        hs_text_append(&line, " %zu layer%s refused, see the notes.", fits->refusal_count,
                       HS_PLURAL(fits->refusal_count));
    say_text(&sheet, &line, false);
    if (settings->details)
        say_calibration_details(&sheet, campaign);
    if (strcmp(output, "-") != 0) {
        hs_text_append(&line, "Next: hiersearch predict %s --np %d --size %s", output,
                       campaign->ranks.np, HS_AS_BYTES(settings->campaign.sizes.last));
        say_text(&sheet, &line, false);
    }
    return hs_sheet_end(&sheet, err);
}

enum hs_status hs_report_print(struct hs_text *out, const struct hs_report *report,
                               const struct hs_campaign *campaign,
                               const struct hs_terminal *terminal, struct hs_error *err)
{
    return campaign->settings.calibrate ? print_calibration(out, campaign, terminal, err)
                                        : print_result(out, report, campaign, terminal, err);
}
