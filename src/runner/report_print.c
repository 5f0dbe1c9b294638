/* report_print.c - the tables of a result: see report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/backends.h"
#include "record/doubt.h"
#include "record/result_gaps.h"
#include "runner/report.h"
#include "show/candidates.h"
#include "show/reach.h"

static const struct hs_candidate *best_candidate(const struct hs_result_message *message)
{
    return message->candidate_count && hs_measured_is_ok(message->candidates[0].measured)
               ? &message->candidates[0]
               : NULL;
}

/* Why that is not certain, at the end of the line; and what sharing cores does to a library. */
static void say_doubt(struct hs_sheet *sheet, const struct hs_result *result,
                      const struct hs_result_message *message)
{
    struct hs_text doubt = {0};

    hs_doubt_append(&doubt, result, message);
    if (doubt.length > 0)
        hs_sheet_say(sheet, "; not certain: %s", doubt.data);
    hs_sheet_say(sheet, "\n");
    if (result->placement.crowded_ranks > 0 && message->baseline_count > 0)
        hs_sheet_say(sheet,
                     "ranks that share a core wait for their turn, in %s most of all: what is "
                     "said of it holds here only, not where each has a core\n",
                     message->baselines[0].name);
    hs_text_release(&doubt);
}

/* "best  4x8x4  12.34 ms  1.392x faster than flat, 3.1x faster than MPI_Allreduce" */
static void say_answer(struct hs_sheet *sheet, const struct hs_result *result,
                       const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    struct hs_plan flat = hs_result_flat(result);
    const char *separator = "  ";
    double seconds;

    if (!best) {
        hs_sheet_say(sheet, "best  none: no candidate was measured without fault\n");
        return;
    }
    seconds = best->measured->median_seconds;
    hs_sheet_stress(sheet, "best  %s  %s", HS_AS_PLAN(&best->plan), HS_AS_TIME(seconds));
    if (hs_plan_compare(&best->plan, &flat) == 0) {
        hs_sheet_say(sheet, result->np == 1        ? "  one process: nothing travels"
                            : flat.split.count > 1 ? "  fewest layers: no split is faster"
                                                   : "  flat: no split is faster");
        separator = ", ";
    } else if (!isnan(message->flat_seconds)) {
        hs_sheet_say(sheet, "%s%s than %s", separator,
                     HS_AS_COMPARISON(seconds, message->flat_seconds),
                     flat.split.count > 1 ? HS_AS_PLAN(&flat) : "flat");
        separator = ", ";
    }
    for (size_t i = 0; i < message->baseline_count; i++)
        if (hs_measured_is_ok(&message->baselines[i].measured)) {
            hs_sheet_say(sheet, "%s%s than %s", separator,
                         HS_AS_COMPARISON(seconds, message->baselines[i].measured.median_seconds),
                         message->baselines[i].name);
            separator = ", ";
        }
    say_doubt(sheet, result, message);
}

/* How near the best plan comes to the limit; what took less says that the description is wrong. */
static void say_reach(struct hs_sheet *sheet, const struct hs_result *result,
                      const struct hs_result_message *message)
{
    const struct hs_candidate *best = best_candidate(message);
    struct hs_problem problem = hs_result_problem(result, message);

    if (!result->has_system)
        return;
    if (best)
        hs_reach_say(sheet, "      ", &result->system, &problem, best->measured->median_seconds);
    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *library = &message->baselines[i];
        struct hs_text lead = {0};

        hs_text_append(&lead, "      %s is ", library->name);
        if (hs_measured_is_ok(&library->measured) && !lead.failed)
            hs_reach_warn(sheet, lead.data, &result->system, &problem,
                          library->measured.median_seconds);
        hs_text_release(&lead);
    }
}

/* "      NCCL took allreduce:1:8 RING LL 1 channel; in ncclAllReduce allreduce NVLS SIMPLE 16
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
        hs_sheet_say(sheet, "      NCCL took %s\n", text.data);
    hs_text_release(&text);
}

/* The whole of the runs in which a plan's layers were timed. */
static double whole_seconds(const void *contest, const struct hs_result_message *message,
                            const struct hs_plan *plan)
{
    const struct hs_contestant *item = hs_contest_find(contest, HS_AS_PLAN(plan));

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

static void say_message(struct hs_sheet *sheet, const struct hs_contest *contest,
                        const struct hs_result *result, const struct hs_result_message *message)
{
    struct hs_candidates_source of = {
        .result = result, .message = message, .whole_seconds = whole_seconds, .timings = contest};
    struct hs_problem problem = hs_result_problem(result, message);
    bool reduced = hs_collectives[problem.collective].outcome == HS_OUTCOME_REDUCED;
    struct hs_text gaps = {0};
    struct hs_table table;

    hs_sheet_say(
        sheet, "%s: %" PRId64 " process%s%s%s, %s per process%s, %s%s%s\n", result->backend,
        result->np, result->np == 1 ? "" : "es", nodes_text((char[HS_NODES_TEXT]){0}, result),
        hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &result->mesh), HS_AS_BYTES(message->message_bytes),
        hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &problem),
        hs_datatype_names[message->datatype], reduced ? " " : "",
        reduced ? hs_operation_names[message->operation] : "");
    if (message->padded_bytes)
        hs_sheet_say(sheet, "padded to %s at most, so that the layers divide the message\n",
                     HS_AS_BYTES(message->padded_bytes));
    hs_candidates_table(&table, HS_OF_MEASURE, &of);
    hs_sheet_table(sheet, &table);
    hs_result_gaps_append(&gaps, result, message);
    hs_sheet_say(sheet, "%s", gaps.data ? gaps.data : "");
    hs_text_release(&gaps);
    say_answer(sheet, result, message);
    say_choices(sheet, message);
    say_reach(sheet, result, message);
    if (message->certificate)
        hs_report_certificate(sheet, result, message);
}

enum hs_status hs_report_print(struct hs_text *out, const struct hs_session *session,
                               const struct hs_result *result, const struct hs_terminal *terminal,
                               struct hs_error *err)
{
    const struct hs_print *print = &session->settings.print;
    struct hs_sheet sheet;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_result_print(out, result, err);
    hs_sheet_begin(&sheet, out, print, terminal);
    for (size_t i = 0; i < result->message_count; i++) {
        if (i > 0)
            hs_sheet_say(&sheet, "\n");
        say_message(&sheet, &session->bouts[i].contest, result, &result->messages[i]);
    }
    if (result->extrapolated)
        hs_sheet_say(&sheet, "* beyond the machine as described\n");
    return hs_sheet_end(&sheet, err);
}
