#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/point.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "export/export.h"
#include "machine/system_find.h"
#include "result/result_gaps.h"
#include "version.h"
#include "view/candidates.h"
#include "view/sheet.h"

#define FIELD(name) offsetof(struct hs_simulate_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "the machine: a name, a file, or levels from the inside out, as for predict"),
    {.name = "PLAN",
     .many = true,
     .offset = FIELD(plans),
     .help = "plans to simulate, such as 4x8x4, or 4x8x4/8 with 8 chunks"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "np",
     .letter = 'n',
     .argument = "P",
     .group = "Problem",
     .min = 2,
     .max = HS_SIMULATE_NP_MAX,
     .noun = "number of processes",
     .type = &hs_option_count,
     .offset = FIELD(np),
     .usual = true,
     .help = "processes (one per GPU); --mesh says it, too"},
    {.name = "size",
     .letter = 's',
     .argument = "SIZE",
     .group = "Problem",
     .fallback = "128MiB",
     .type = &hs_option_bytes_range,
     .offset = FIELD(bytes),
     .help = "message per process"},
    HS_ROW_COLLECTIVE("Problem", FIELD(collective)),
    HS_ROW_ORDER("Problem", FIELD(order)),
    HS_ROWS_MESH("Problem", FIELD(words)),
    {.name = "top",
     .letter = 'k',
     .argument = "K",
     .group = "Plans",
     .min = 1,
     .max = HS_SIMULATE_PLANS_MAX,
     .noun = "number of plans",
     .type = &hs_option_count,
     .offset = FIELD(top),
     .help = "without PLAN: the K plans with the shortest predicted time, and the flat split "
             "(default 5)"},
    {.name = "all",
     .letter = 'a',
     .group = "Plans",
     .type = &hs_option_flag,
     .offset = FIELD(all),
     .help = "without PLAN: every plan"},
    HS_ROW_CHUNKS("Plans", FIELD(chunks),
                  "without PLAN: chunk counts, such as 1,2,4,8 (default 1)"),
    HS_ROWS_PRINT("Output", FIELD(print), "print the result file instead of a table"),
    HS_ROW_OUTPUT("Output", FIELD(output), false, "write the result file; - is stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no progress, notes and warnings on stderr"),
    {.name = NULL},
};

/* The process count, which a mesh says, too. */
static enum hs_status take_mesh(struct hs_simulate_settings *settings, struct hs_error *err)
{
    enum hs_status status = hs_mesh_take(&settings->mesh, &settings->np, &settings->words, err);

    if (status == HS_OK && settings->np == 0)
        return hs_fail(err, HS_INVALID, "--np P is missing");
    if (status == HS_OK && (settings->np < 2 || settings->np > HS_SIMULATE_NP_MAX))
        return hs_fail(err, HS_INVALID, "--mesh: expected 2 to %d processes, found %" PRId64,
                       HS_SIMULATE_NP_MAX, settings->np);
    return status;
}

static enum hs_status check_settings(const struct hs_simulate_settings *settings,
                                     struct hs_error *err)
{
    char size[HS_UNIT_TEXT];
    const char *with_plans = settings->top            ? "top"
                             : settings->all          ? "all"
                             : settings->chunks.count ? "chunks"
                                                      : NULL;

    if (settings->plans.count && with_plans)
        return hs_fail(err, HS_INVALID, "--%s: not together with PLAN%s", with_plans,
                       settings->chunks.count ? ", which says its chunks itself: 4x8x4/8" : "");
    if (settings->all && settings->top)
        return hs_fail(err, HS_INVALID, "--all: not together with --top");
    if (settings->bytes.first != settings->bytes.last)
        return hs_fail(err, HS_INVALID, "--size: expected one size, found a sweep");
    if (settings->bytes.first > HS_SIMULATE_BYTES_MAX)
        return hs_fail(err, HS_INVALID, "--size: expected at most %s",
                       hs_bytes_format(size, HS_SIMULATE_BYTES_MAX));
    return hs_order_check(settings->collective, settings->order, true, err);
}

/* ---- the simulation ---- */

static const struct hs_text *find_file(const struct hs_export_output *output, const char *name)
{
    for (size_t i = 0; i < output->count; i++)
        if (strcmp(output->files[i].name, name) == 0)
            return &output->files[i].text;
    return NULL;
}

/* On the very platform that `hiersearch export --to simgrid` writes. */
static enum hs_status simulate(struct hs_result *result, bool quiet, struct hs_error *err)
{
    struct hs_export_job job = {.result = result,
                                .result_name = "hiersearch simulate",
                                .made_by = "hiersearch " HS_VERSION};
    struct hs_export_output output;
    const struct hs_exporter *exporter;
    enum hs_status status = hs_exporter_find(&exporter, "simgrid", err);

    if (status == HS_OK)
        status = hs_export(&output, exporter, &job, err);
    if (status != HS_OK)
        return status;
    const struct hs_text *platform = find_file(&output, "platform.xml");
    const struct hs_text *hosts = find_file(&output, "hostfile");

    status = platform && hosts && !platform->failed && !hosts->failed
                 ? hs_simulate_run(result, platform, hosts, quiet, err)
                 : hs_no_memory(err);
    hs_export_output_release(&output);
    return status;
}

/* ---- what a person sees ---- */

static double error_of(const struct hs_candidate *candidate)
{
    return candidate->predicted_seconds / candidate->measured->median_seconds - 1;
}

static void say_summary(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_candidate *predicted = &message->candidates[0];
    double sum = 0, worst = 0;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];

        sum += fabs(error_of(candidate));
        worst = fmax(worst, fabs(error_of(candidate)));
        if (candidate->predicted_seconds < predicted->predicted_seconds)
            predicted = candidate;
    }
    hs_sheet_say(sheet, "\nerror of the prediction: %s %% on average, %s %% at worst\n",
                 HS_AS_PERCENT(sum / (double)message->candidate_count, 2), HS_AS_PERCENT(worst, 2));
    if (message->candidate_count > 1)
        hs_sheet_say(sheet, "of these predict would take %s, %s %% slower than the best\n",
                     HS_AS_PLAN(&predicted->plan),
                     HS_AS_PERCENT(predicted->measured->median_seconds /
                                           message->candidates[0].measured->median_seconds -
                                       1,
                                   2));
}

static const char *simgrid_of(const struct hs_result *result)
{
    for (size_t i = 0; i < result->version_count; i++)
        if (strcmp(result->versions[i].name, "simgrid") == 0)
            return result->versions[i].text;
    return "";
}

static void show(struct hs_sheet *sheet, const struct hs_result *result, const char *label)
{
    const struct hs_result_message *message = &result->messages[0];
    struct hs_candidates_source of = {.result = result, .message = message};
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_text gaps = {0};
    struct hs_table table;

    hs_sheet_say(sheet, "%s: %" PRId64 " processes%s, %s per process%s, SimGrid %s\n\n", label,
                 result->np, hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &result->mesh),
                 HS_AS_BYTES(message->message_bytes),
                 hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &problem), simgrid_of(result));
    hs_candidates_table(&table, HS_OF_SIMULATE, &of);
    hs_sheet_table(sheet, &table);
    say_summary(sheet, message);
    hs_result_gaps_append(&gaps, result, message);
    hs_sheet_say(sheet, "%s", gaps.data ? gaps.data : "");
    hs_text_release(&gaps);
    if (result->extrapolated)
        hs_sheet_say(sheet, "* beyond the %" PRId64 " processes that the description covers\n",
                     hs_system_capacity(&result->system));
}

/* Where model and simulation mean different things. */
static void note_differences(struct hs_context *context, const struct hs_result *result)
{
    const struct hs_result_message *message = &result->messages[0];
    const struct hs_system *system = &result->system;
    bool chunks = false;

    for (size_t i = 0; i < message->candidate_count; i++)
        chunks = chunks || message->candidates[i].plan.chunks > 1;
    if (system->fits.count > 0)
        hs_note(context,
                "the simulated network has the figures of the levels; predictions are by the fits");
    if (chunks && system->launch_seconds > 0)
        hs_note(context,
                "a simulated rank launches one call after the other, and its other layers wait "
                "meanwhile; the model lets launches of different layers overlap");
    for (size_t i = 0; i < system->level_count; i++)
        if (system->levels[i].fabric == HS_FABRIC_MESH && system->levels[i].arity > 2 &&
            system->levels[i].striped) {
            hs_note(context,
                    "%s is a striped mesh: a simulated ring uses one link of each child, the model "
                    "counts all that its layer reaches; \"striped\": false is what is simulated",
                    system->levels[i].name);
            return;
        }
}

static enum hs_status print(struct hs_context *context, const struct hs_simulate_settings *settings,
                            const struct hs_result *result, struct hs_error *err)
{
    struct hs_sheet sheet;

    if (hs_print_format(&settings->print) == HS_FORMAT_JSON)
        return hs_result_print(context->out, result, err);
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    show(&sheet, result,
         hs_system_is_text(settings->system) ? settings->system : result->system.name);
    return hs_sheet_end(&sheet, err);
}

static enum hs_status run_simulation(struct hs_context *context,
                                     const struct hs_simulate_settings *settings,
                                     const struct hs_system *system, struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status =
        hs_predicted_init(&result, context->command_line, system, settings->np, err);

    result.collective = settings->collective;
    result.order = settings->order;
    result.mesh = settings->mesh;
    if (status == HS_OK)
        status = hs_simulate_choose(&result, system, settings, err);
    if (status == HS_OK)
        status = hs_simulate_available(err);
    if (status == HS_OK)
        status = simulate(&result, settings->quiet, err);
    if (status == HS_OK)
        status = print(context, settings, &result, err);
    if (status == HS_OK && settings->output)
        status = hs_result_save(&result, settings->output, err);
    if (status == HS_OK)
        note_differences(context, &result);
    hs_result_release(&result);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct hs_simulate_settings *settings = of_rows;
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    context->quiet = settings->quiet;
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    status = take_mesh(settings, err);
    if (status == HS_OK)
        status = check_settings(settings, err);
    if (status == HS_OK)
        status = hs_find_system(&system, settings->system, context, err);
    if (status == HS_OK)
        status = hs_output_check(settings->output, settings->system, NULL, err);
    hs_system_drop_parts(&system); /* the host backend's rings are what is simulated */
    if (status == HS_OK)
        status = run_simulation(context, settings, &system, err);
    hs_system_release(&system);
    return status;
}

const struct hs_command hs_command_simulate = {
    .name = "simulate",
    .summary = "run plans in a simulated network (SimGrid), beside their predictions",
    .description =
        "Runs the host backend's own algorithms for P simulated processes on the platform that "
        "`export --to simgrid` writes of the machine, in SimGrid's flow-level network (SMPI), and "
        "prints each plan's simulated time beside the predicted one; the error is predicted over "
        "simulated time. The simulation is deterministic: each plan is run once. Messages of a "
        "ring step are whole blocks, and pay the machine's pipeline_granularity times its "
        "latency; computing takes no time and data is not checked. Needs SimGrid (Debian and "
        "Ubuntu: libsimgrid-dev) when hiersearch is built and when it runs.",
    .examples = "  hiersearch simulate abci --np 64\n"
                "  hiersearch simulate abci --np 128 4x8x4 4x32 128\n"
                "  hiersearch simulate summit --np 48 --all --size 64MiB -o summit-48.json\n"
                "  hiersearch simulate abci --np 64 --all --chunks 1,2,4",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_simulate_settings),
    .run = run,
};
